//! Two items side by side, or above each other on a phone; above both, what they are compared on.

use super::markdown::text;
use super::words::{Words, fill, from_right};
use crate::api_result::ApiResult;
use crate::links;
use crate::unmarked::{beginning, unmarked};
use borduel_report::plain;
use borduel_study::content::Content;
use borduel_study::{Desk, Settings};
use maud::{Markup, html};

/// What the names of fields begin with that answer one of several questions.
pub(super) const ANSWER: &str = "answer.";

/// A question as it is shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) q: u32,
    pub(super) first: u16,
    pub(super) second: u16,
    /// What both are shown with.
    pub(super) context: Option<u16>,
}

/// How pairs are shown.
#[derive(Clone, Copy)]
pub(super) struct Look<'a> {
    pub(super) slug: &'a str,
    pub(super) settings: &'a Settings,
    pub(super) words: &'static Words,
}

/// These questions, the first one visible; scripts bring the others forward.
pub(super) async fn pairs(desk: &Desk, look: Look<'_>, open: &[Pair]) -> ApiResult<Markup> {
    let mut all = Vec::with_capacity(open.len());
    for pair in open {
        let first = desk.shown(pair.first, pair.context).await?.1;
        let second = desk.shown(pair.second, pair.context).await?.1;
        let above = match pair.context {
            Some(number) => Some(desk.context(number).await?),
            None => None,
        };
        all.push((pair.q, above, first, second));
    }
    let asked = |first: &Content, second: &Content| match (named(first, look.settings), named(second, look.settings)) {
        (true, true) => fill(look.words.or, &[&plain(&first.title), &plain(&second.title)]),
        _ => look.words.this_or_that.to_owned(),
    };
    Ok(html! {
        @for (at, (q, above, first, second)) in all.iter().enumerate() {
            section.pair.long[long(first) || long(second)] data-q=(q) hidden[at > 0] {
                h2.hide tabindex="-1" dir="auto" { (asked(first, second)) }
                @if let Some((key, content)) = above { (context(look, key, content)) }
                (card(look, first, "first"))
                (card(look, second, "second"))
                @if !look.settings.criteria.is_empty() { (criteria(look, first, second, at > 0)) }
            }
        }
    })
}

/// The most characters and lines of a text that is scrolled in its card on a phone, where a longer one is shown in
/// full.
const IN_CARD: (usize, usize) = (500, 12);

/// Whether what is to be read about an item is long.
fn long(content: &Content) -> bool {
    let reads = words_of(content).filter(|_| content.image.is_none());
    reads.is_some_and(|text| text.chars().count() > IN_CARD.0 || text.lines().count() > IN_CARD.1)
}

/// The questions that are asked about a pair, where these are several: one answer each. Those of a pair that is not
/// shown yet want none.
fn criteria(look: Look<'_>, first: &Content, second: &Content, later: bool) -> Markup {
    let Look { settings, words, .. } = look;
    let name = |content: &Content, place: &str| {
        if named(content, settings) { plain(&content.title).into_owned() } else { place.to_owned() }
    };
    let (one, two) = (name(first, words.first), name(second, words.second));
    // What is sent, its key, what is said, and of which item.
    let sides: [&[(&str, &str, &str)]; 2] = if settings.grades {
        [
            &[("much-first", "1", words.much_better), ("slight-first", "2", words.slightly_better)],
            &[("slight-second", "3", words.slightly_better), ("much-second", "4", words.much_better)],
        ]
    } else if from_right(words.code) {
        [&[("first", "→", "")], &[("second", "←", "")]]
    } else {
        [&[("first", "←", "")], &[("second", "→", "")]]
    };
    let [left, right] = [(sides[0], &one), (sides[1], &two)].map(|(side, name)| {
        side.iter().map(|&(value, key, text)| (value, key, text, name.as_str())).collect::<Vec<_>>()
    });
    let said = |there: bool, value, key, text| there.then_some((value, key, text, ""));
    let between = said(settings.tie, "tie", "␣", words.equal);
    let behind =
        [said(settings.both_bad, "both-bad", "↓", words.both_bad), said(settings.skip, "skip", "S", words.skip)];
    let options: Vec<_> = left.into_iter().chain(between).chain(right).chain(behind.into_iter().flatten()).collect();
    html! {
        div.criteria {
            @for criterion in &settings.criteria {
                fieldset disabled[later] {
                    legend dir="auto" { (plain(&criterion.question)) }
                    div.options {
                        @for (value, key, text, name) in &options {
                            label.option {
                                input type="radio" name=(format!("{ANSWER}{}", criterion.key)) value=(value) required;
                                span {
                                    span {
                                        @if !text.is_empty() { b { (text) } " " }
                                        @if !name.is_empty() { bdi { (name) } }
                                    }
                                    " " kbd aria-hidden="true" { (key) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn words_of(content: &Content) -> Option<&str> {
    content.text.as_deref().filter(|words| !words.trim().is_empty())
}

/// Whether voters see the name of an item: not where names are to be hidden and there is something else to see or hear.
pub(super) fn named(content: &Content, settings: &Settings) -> bool {
    let plays = content.link.as_deref().and_then(Media::of).is_some();
    !settings.hide_names || (content.image.is_none() && words_of(content).is_none() && !plays)
}

/// The picture of an item or a context of this name, if it has one.
fn picture(look: Look<'_>, content: &Content, name: &str) -> Markup {
    let Some(hash) = &content.image else { return html! {} };
    let source = links::picture(look.slug, hash);
    html! {
        div.picture data-missing=(look.words.picture_missing) data-again=(look.words.try_again) {
            img src=(source) alt=(content.alt.as_deref().unwrap_or("")) decoding="async" draggable="false";
            @let label = format!("{}: {name}", look.words.enlarge);
            a.zoom href=(source) target="_blank" rel="noopener" aria-label=(label) { "⤢" }
        }
    }
}

/// The link of an item or a context of this name, if it has one. Sound and video are played here; their address, which
/// may tell a name, is shown only where names are.
fn link(look: Look<'_>, content: &Content, name: &str, named: bool) -> Markup {
    let Some(link) = &content.link else { return html! {} };
    let media = Media::of(link);
    html! {
        @match media {
            Some(Media::Sound) => audio controls preload="metadata" src=(link) aria-label=(name) {},
            Some(Media::Video) => video controls playsinline preload="metadata" src=(link) aria-label=(name) {},
            None => {}
        }
        @if media.is_none() || named {
            p.link {
                a href=(link) target="_blank" rel="noopener noreferrer nofollow ugc" {
                    (look.words.open_link) span.hide { ": " (name) } " ↗"
                }
            }
        }
    }
}

/// What a browser plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Media {
    Sound,
    Video,
}

impl Media {
    /// What a link leads to, by how its path ends.
    fn of(link: &str) -> Option<Self> {
        let path = link.split(['?', '#']).next()?;
        let (_, ending) = path.rsplit_once('/')?.1.rsplit_once('.')?;
        match ending.to_ascii_lowercase().as_str() {
            "mp3" | "m4a" | "aac" | "ogg" | "oga" | "opus" | "wav" | "flac" => Some(Self::Sound),
            "mp4" | "m4v" | "webm" | "ogv" | "mov" => Some(Self::Video),
            _ => None,
        }
    }
}

/// How much of a text is shown before somebody unfolds it.
struct Fold {
    /// The most characters and lines of a text that is shown whole.
    whole: (usize, usize),
    /// The characters of a longer one that are shown.
    beginning: usize,
}

/// A context's text stands above both items, a caption leaves its card to the picture.
const OF_CONTEXT: Fold = Fold { whole: (320, 6), beginning: 160 };
const OF_CAPTION: Fold = Fold { whole: (90, 2), beginning: 80 };

/// A text of this label, with only its beginning where it is long: unfolded by the browser's own means.
fn folded(look: Look<'_>, reads: &str, label: &str, fold: &Fold) -> Markup {
    let markdown = look.settings.markdown;
    let full = html! { div.words tabindex="0" role="group" dir="auto" aria-label=(label) { (text(reads, markdown)) } };
    if reads.chars().count() <= fold.whole.0 && reads.lines().count() <= fold.whole.1 {
        return full;
    }
    html! {
        details.fold {
            summary dir="auto" {
                span.begins { (plain(&beginning(&unmarked(reads, markdown), fold.beginning))) "… " }
                span.more { (look.words.show_all) } span.less { (look.words.show_less) }
            }
            (full)
        }
    }
}

/// What both items are compared on, once, above them.
fn context(look: Look<'_>, key: &str, content: &Content) -> Markup {
    let name = plain(&content.title);
    // A key that stands for a name is for programs, where there is something to read or see.
    let shown = content.title != key || !content.shows_something();
    html! {
        div.context {
            @if shown { h3 dir="auto" { (name) } }
            (picture(look, content, &name))
            @if let Some(reads) = words_of(content) {
                (folded(look, reads, &fill(look.words.text_of, &[&name]), &OF_CONTEXT))
            }
            (link(look, content, &name, true))
        }
    }
}

/// One item. Its button is the way to choose it; with a script a tap on its picture or name does the same, but none on
/// a text, which is touched to be read.
fn card(look: Look<'_>, content: &Content, side: &str) -> Markup {
    let Look { settings, words, .. } = look;
    let several = !settings.criteria.is_empty();
    let shown = named(content, settings);
    let place = if side == "first" { words.first } else { words.second };
    let name = if shown { plain(&content.title) } else { place.into() };
    let reads = words_of(content);
    html! {
        article.card.reads[reads.is_some()].by-button[settings.grades || several] data-side=(side) {
            (picture(look, content, &name))
            @if shown { h3 dir="auto" { (name) } } @else { h3.hide { (name) } }
            @if let Some(reads) = reads {
                @let label = fill(words.text_of, &[&name]);
                @if content.image.is_some() { (folded(look, reads, &label, &OF_CAPTION)) }
                @else {
                    div.words tabindex="0" role="group" dir="auto" aria-label=(label) {
                        (text(reads, settings.markdown))
                    }
                }
            }
            (link(look, content, &name, shown))
            // What is asked about both stands below them.
            @if several {} @else if settings.grades { (grades(words, side, &name)) } @else {
                button.pick type="submit" name="answer" value=(side) {
                    (words.this_one) span.hide { " " (name) }
                    kbd aria-hidden="true" { (if (side == "first") == from_right(words.code) { "→" } else { "←" }) }
                }
            }
        }
    }
}

/// The buttons of who says how much better this one is; the four of a pair run from much on one side to much on the
/// other.
fn grades(words: &Words, side: &str, name: &str) -> Markup {
    let (much, slight) = (("much", words.much_better), ("slight", words.slightly_better));
    let both = if side == "first" { [("1", much), ("2", slight)] } else { [("3", slight), ("4", much)] };
    html! {
        div.grades {
            @for (key, (grade, text)) in both {
                button.pick type="submit" name="answer" value=(format!("{grade}-{side}")) {
                    (text) span.hide { ": " (name) } kbd aria-hidden="true" { (key) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Media;

    #[test]
    fn sound_and_video_are_known_by_their_ending() {
        for (link, media) in [
            ("https://example.org/a.mp3", Some(Media::Sound)),
            ("https://example.org/take.2/b.WAV?x=1.mp4#t=3", Some(Media::Sound)),
            ("https://example.org/c.webm", Some(Media::Video)),
            ("https://example.org/mp3", None),
            ("https://mp4", None),
            ("https://example.org/page.html#a.mp3", None),
        ] {
            assert_eq!(Media::of(link), media, "{link}");
        }
    }
}
