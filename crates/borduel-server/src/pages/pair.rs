//! Two items side by side, or above each other on a phone.

use super::markdown::text;
use crate::answer::Answer;
use crate::links;
use borduel_report::plain;
use borduel_study::Desk;
use borduel_study::content::Content;
use maud::{Markup, html};

/// A question as it is shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) q: u32,
    pub(super) first: u16,
    pub(super) second: u16,
}

/// These questions, the first one visible; scripts bring the others forward.
pub(super) async fn pairs(desk: &Desk, slug: &str, open: &[Pair], markdown: bool) -> Answer<Markup> {
    let mut all = Vec::with_capacity(open.len());
    for pair in open {
        let (first, second) = (desk.item(pair.first).await?.1, desk.item(pair.second).await?.1);
        all.push((pair.q, first, second));
    }
    Ok(html! {
        @for (at, (q, first, second)) in all.iter().enumerate() {
            section.pair data-q=(q) hidden[at > 0] {
                h2.hide tabindex="-1" { (plain(&first.title)) " or " (plain(&second.title)) "?" }
                (card(slug, first, "first", markdown))
                (card(slug, second, "second", markdown))
            }
        }
    })
}

/// One item. Its button is the way to choose it; with a script a tap anywhere on the card does the same.
fn card(slug: &str, content: &Content, side: &str, markdown: bool) -> Markup {
    let title = plain(&content.title);
    html! {
        article.card data-side=(side) {
            @if let Some(hash) = &content.image {
                @let source = links::picture(slug, hash);
                div.picture {
                    img src=(source) alt="" decoding="async" draggable="false";
                    a.zoom href=(source) target="_blank" rel="noopener" aria-label=(format!("Enlarge the picture of {title}")) { "⤢" }
                }
            }
            h3 { (title) }
            @if let Some(words) = content.text.as_deref().filter(|words| !words.trim().is_empty()) {
                div.words tabindex="0" role="group" aria-label=(format!("Text of {title}")) { (text(words, markdown)) }
            }
            @if let Some(link) = &content.link {
                p.link { a href=(link) target="_blank" rel="noopener noreferrer nofollow ugc" { "Open the link" span.hide { " of " (title) } " ↗" } }
            }
            button.pick type="submit" name="answer" value=(side) {
                "This one" span.hide { " " (title) }
                kbd aria-hidden="true" { (if side == "first" { "←" } else { "→" }) }
            }
        }
    }
}
