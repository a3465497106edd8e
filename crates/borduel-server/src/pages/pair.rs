//! Two items side by side, or above each other on a phone.

use super::markdown::text;
use super::words::{Words, fill};
use crate::answer::Answer;
use crate::links;
use borduel_report::plain;
use borduel_study::content::Content;
use borduel_study::{Desk, Settings};
use maud::{Markup, html};

/// A question as it is shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) q: u32,
    pub(super) first: u16,
    pub(super) second: u16,
}

/// How pairs are shown.
#[derive(Clone, Copy)]
pub(super) struct Look<'a> {
    pub(super) slug: &'a str,
    pub(super) settings: &'a Settings,
    pub(super) words: &'static Words,
}

/// These questions, the first one visible; scripts bring the others forward.
pub(super) async fn pairs(desk: &Desk, look: Look<'_>, open: &[Pair]) -> Answer<Markup> {
    let mut all = Vec::with_capacity(open.len());
    for pair in open {
        let (first, second) = (desk.item(pair.first).await?.1, desk.item(pair.second).await?.1);
        all.push((pair.q, first, second));
    }
    let asked = |first: &Content, second: &Content| match (named(first, look.settings), named(second, look.settings)) {
        (true, true) => fill(look.words.or, &[&plain(&first.title), &plain(&second.title)]),
        _ => look.words.this_or_that.to_owned(),
    };
    Ok(html! {
        @for (at, (q, first, second)) in all.iter().enumerate() {
            section.pair data-q=(q) hidden[at > 0] {
                h2.hide tabindex="-1" dir="auto" { (asked(first, second)) }
                (card(look, first, "first"))
                (card(look, second, "second"))
            }
        }
    })
}

fn words_of(content: &Content) -> Option<&str> {
    content.text.as_deref().filter(|words| !words.trim().is_empty())
}

/// Whether voters see the name of an item: not where names are to be hidden and there is something else to see.
pub(super) fn named(content: &Content, settings: &Settings) -> bool {
    !settings.hide_names || (content.image.is_none() && words_of(content).is_none())
}

/// One item. Its button is the way to choose it; with a script a tap on its picture or name does the same, but none on
/// a text, which is touched to be read.
fn card(look: Look<'_>, content: &Content, side: &str) -> Markup {
    let Look { slug, settings, words } = look;
    let shown = named(content, settings);
    let place = if side == "first" { words.first } else { words.second };
    let name = if shown { plain(&content.title) } else { place.into() };
    let reads = words_of(content);
    html! {
        article.card.reads[reads.is_some()] data-side=(side) {
            @if let Some(hash) = &content.image {
                @let source = links::picture(slug, hash);
                div.picture data-missing=(words.picture_missing) {
                    img src=(source) alt=(content.alt.as_deref().unwrap_or("")) decoding="async" draggable="false";
                    a.zoom href=(source) target="_blank" rel="noopener" aria-label=(format!("{}: {name}", words.enlarge)) { "⤢" }
                }
            }
            @if shown { h3 dir="auto" { (name) } } @else { h3.hide { (name) } }
            @if let Some(words_shown) = reads {
                div.words tabindex="0" role="group" dir="auto" aria-label=(fill(words.text_of, &[&name])) { (text(words_shown, settings.markdown)) }
            }
            @if let Some(link) = &content.link {
                p.link { a href=(link) target="_blank" rel="noopener noreferrer nofollow ugc" { (words.open_link) span.hide { ": " (name) } " ↗" } }
            }
            button.pick type="submit" name="answer" value=(side) {
                (words.this_one) span.hide { " " (name) }
                kbd aria-hidden="true" { (if side == "first" { "←" } else { "→" }) }
            }
        }
    }
}
