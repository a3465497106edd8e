//! The page of a ranking: verdict, forest plot, checks, pair matrix, numbers and settings in one offline file.

use super::breakdown::{Breakdown, Group, Section};
use super::notes::summed;
use super::pictures::{
    CSS, MOST_IN_MAP, MOST_IN_MATRIX, MOST_NAMED, context_map, forests, matrix, most_votes, score, share,
};
use super::words::{self, percent};
use super::{Face, Ranked, mark, relied};
use crate::numbers::{grouped, short};
use crate::text::short as brief;
use crate::verdict::class;
use crate::{Table, plain};
use borduel::ranking::{AboutContexts, Finding, IntervalRule};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::collections::BTreeMap;

/// Writes a ranking as one HTML page.
pub fn page(ranked: &Ranked<'_>) -> String {
    page_around(&title(ranked), "", &body(ranked, &[]))
}

/// The same under a title of its own, with a line below it; above the verdict what it says in a few words, and below
/// the scores what items look like, by identifier.
pub fn page_titled(ranked: &Ranked<'_>, title: &str, line: &str, said: &str, faces: &BTreeMap<String, Face>) -> String {
    let title = plain(title);
    let head = html! { h1 { (title) } p.about { (plain(line)) } };
    page_around(&title, "", &headed(&head, said, ranked, faces, &[]))
}

fn title(ranked: &Ranked<'_>) -> String {
    let ours = || format!("Ranking of {} items", ranked.ranking.items.len());
    ranked.source.question.map_or_else(ours, |question| plain(question).into_owned())
}

/// The same with other rankings beside it, each behind a switch that needs no script.
pub fn page_beside(beside: &Breakdown<'_>) -> String {
    let groups: Vec<&Group<'_>> = beside.by.iter().flat_map(|by| &by.groups).collect();
    let main = body(&beside.main, &beside.sections());
    if groups.is_empty() {
        return page_around(&title(&beside.main), "", &main);
    }
    // Which part is shown is told by which button is pressed.
    let rule = |at: usize| format!("#part{at}:checked ~ .part{at}");
    let rules = (0..=groups.len()).map(rule).collect::<Vec<_>>().join(",\n") + " { display: block; }\n";
    let label = |at: usize, text: &str, checked: bool| {
        html! {
            input type="radio" name="part" id=(format!("part{at}")) checked[checked];
            label for=(format!("part{at}")) { (plain(text)) }
        }
    };
    let column = beside.by.as_ref().map_or("", |by| by.column);
    let body = html! {
        div.switch {
            span.about { (plain(column)) ":" }
            (label(0, "all votes", true))
            @for (at, group) in groups.iter().enumerate() { (label(at + 1, &group.value, false)) }
            div.part.part0 { (main) }
            @for (at, group) in groups.iter().enumerate() {
                div class=(format!("part part{}", at + 1)) {
                    p.about { (plain(column)) " = " (plain(&group.value)) }
                    @match &group.ranked {
                        Ok(ranked) => (self::body(ranked, &[])),
                        Err(why) => p { "Not ranked: " (plain(why)) "." },
                    }
                }
            }
        }
    };
    page_around(&title(&beside.main), &rules, &body)
}

/// A page of its own around a body.
pub(crate) fn page_around(title: &str, rules: &str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(include_str!("page.css"))) (PreEscaped(CSS)) (PreEscaped(rules)) }
            }
            body { main { (body) } }
        }
    };
    page.into_string() + "\n"
}

/// What there is to say about one ranking, with further sections behind its scores.
fn body(ranked: &Ranked<'_>, sections: &[Section]) -> Markup {
    let count = ranked.ranking.items.len();
    let question = ranked.source.question.map(plain);
    let question = question.unwrap_or_else(|| format!("Which of these {count} items is best?").into());
    let head = html! {
        h1 { (question) }
        p.about {
            (grouped(ranked.ballots.used())) " votes on " (count) " items"
            @if let Some(files) = ranked.source.files { " · " (plain(files)) }
        }
    };
    headed(&head, "", ranked, &BTreeMap::new(), sections)
}

fn headed(
    head: &Markup,
    said: &str,
    ranked: &Ranked<'_>,
    faces: &BTreeMap<String, Face>,
    sections: &[Section],
) -> Markup {
    let ranking = ranked.ranking;
    let count = ranking.items.len();
    let class = class(ranking.verdict.kind);
    html! {
        (head)
        p class=(format!("verdict {class}")) {
            @if !said.is_empty() { b { (plain(said)) "." } }
            (ranked.verdict())
        }
        h2 { "Scores" }
        p {
            "The Borda score is the chance that an item beats a random other item. Lines are "
            (percent(ranking.intervals.level)) " % intervals. Filled marks may be best."
            @if ranking.tiers().iter().any(|tier| *tier > 1) {
                " Items of one tier could all have one and the same rank; every other tier is shaded."
            }
        }
        figure {
            (forests(ranked))
            @if let Some(said) = score(ranked) { figcaption { (said) } }
        }
        (gallery(ranked, faces))
        @for line in ranked.remarks() { p { (plain(&line.plain)) } }
        @if let Some(over) = &ranking.contexts { (contexts(ranked, over)) }
        @for section in sections {
            h2 { (plain(&section.title)) }
            p { (plain(&section.text)) }
            @if let Some(figure) = &section.figure { div.scroll tabindex="0" { (figure.inline()) } }
            @for table in &section.tables { (table.html()) }
        }
        @if let Some(table) = ranking.reliability.as_ref().and_then(relied::table) {
            h2 { "Voters" }
            p {
                "What an answer of the least reliable voters carries, 1 being a typical one's. It is drawn towards 1 \
                 where votes are few."
            }
            (table.html())
        }
        h2 { "Checks" }
        ul.checks { @for found in &ranking.checks { (check(ranked, found)) } }
        h2 { "Every pair" }
        p {
            "Percent of votes that the row's item won against the column's item, ties as half"
            @if count > MOST_IN_MATRIX { "; the first " (MOST_IN_MATRIX) " items" }
            ". Empty pairs were never compared."
            @if count > MOST_NAMED { " Columns have the numbers of the rows." }
        }
        figure {
            div.scroll tabindex="0" { (matrix(ranked, &BTreeMap::new())) }
            @if let Some(said) = share(ranked) { figcaption { (said) } }
        }
        h2 { "Numbers" }
        (ranked.table().html())
        h2 { "How this was made" }
        ul {
            @for note in summed(ranked.source.notes) { li { (plain(&note)) } }
            li { (ranked.rows_line()) "." }
        }
        (methods(ranked))
    }
}

/// What items look like, the best first. Each picture stands in the page once.
fn gallery(ranked: &Ranked<'_>, faces: &BTreeMap<String, Face>) -> Markup {
    let shown = ranked.ranking.items.iter().enumerate();
    let shown: Vec<_> =
        shown.filter_map(|(at, score)| Some((at + 1, score, faces.get(ranked.id(score.item))?))).collect();
    let large = shown.iter().filter(|(.., face)| face.picture.is_none()).count();
    html! {
        @if !shown.is_empty() {
            h2 { "Pictures" }
            ol.gallery {
                @for (place, score, face) in &shown {
                    li value=(place) {
                        @if let Some(source) = &face.picture { img src=(source) alt=""; }
                        b { (place) ". " bdi { (plain(ranked.label(score.item))) } }
                        @if !face.caption.is_empty() { span dir="auto" { (plain(&face.caption)) } }
                    }
                }
            }
            @if large > 0 {
                p {
                    @if large == 1 { "One picture is" } @else { (large) " pictures are" }
                    " left out: the page would be too large to send."
                }
            }
        }
    }
}

/// Who is strong where, and who is ahead where.
fn contexts(ranked: &Ranked<'_>, over: &AboutContexts) -> Markup {
    let Some(map) = &over.map else { return html! {} };
    let (items, drawn) = (ranked.ranking.items.len(), most_votes(map));
    let names = |on: &[&str]| {
        let shown = on.iter().take(12).map(|name| brief(&plain(name)).into_owned()).collect::<Vec<_>>().join(", ");
        if on.len() > 12 { shown + ", …" } else { shown }
    };
    let mut table = Table::new("", &["item", "ahead on", over.are.as_str()]);
    table.rows = words::leaders(map)
        .into_iter()
        .map(|(item, on)| vec![ranked.label(item).to_owned(), on.len().to_string(), names(&on)])
        .collect();
    html! {
        h2 { "Who is strong where" }
        p {
            "Every item's score in percent on each of the " (plain(&over.are))
            ". It is drawn towards the score over all of them where votes are few."
            @if items > MOST_IN_MAP { " The first " (MOST_IN_MAP) " items." }
            @if over.seen > drawn.len() { " The " (drawn.len()) " " (plain(&over.are)) " with the most votes." }
        }
        div.scroll tabindex="0" { (context_map(ranked, map)) }
        @if drawn.len() > MOST_NAMED {
            ol.about { @for context in &drawn { li { (brief(&plain(&context.name))) } } }
        }
        (table.html())
    }
}

/// The methods behind it all, for those who ask.
fn methods(ranked: &Ranked<'_>) -> Markup {
    let ranking = ranked.ranking;
    let margin = short(100.0 * ranked.options.margin);
    let checks = ranking.checks.iter().map(|found| (found.name(), words::check(found, &|item| ranked.spoken(item))));
    html! {
        details {
            summary { "Methods" }
            ul {
                li { "Intervals: " (ranked.intervals()) "." }
                li { "Model: " (ranked.model()) "." }
                @for line in ranked.remarks().iter().filter(|line| !line.method.is_empty()) {
                    li { (plain(&line.to_string())) }
                }
                @for (name, sentence) in checks.filter(|(_, sentence)| !sentence.method.is_empty()) {
                    li { (name) ": " (plain(&sentence.method)) "." }
                }
                @if ranking.intervals.rule == IntervalRule::Anytime {
                    li {
                        "Verdict, intervals and ranks hold at all times; scores within "
                        (margin)
                        " points count as equal."
                    }
                } @else {
                    li {
                        "The verdict rests on comparisons with the best, ranks on one \
                         simultaneous " (short(100.0 * ranked.options.level))
                        " % set of intervals for all differences of scores (critical \
                         value " (format!("{:.2}", ranking.critical))
                        "); scores within " (margin) " points count as equal."
                    }
                }
                li { "Seed " (ranked.options.seed) ", borduel " (env!("CARGO_PKG_VERSION")) "." }
            }
        }
    }
}

fn check(ranked: &Ranked<'_>, found: &Finding) -> Markup {
    let class = match found.ok() {
        Some(true) => "good",
        Some(false) => "bad",
        None => "unknown",
    };
    html! {
        li class=(class) {
            span.mark { (mark(found.ok())) }
            span { b { (found.name()) } " " (words::check(found, &|item| ranked.spoken(item)).plain) }
        }
    }
}
