//! The page of a ranking: verdict, forest plot, checks, pair matrix, numbers and settings in one offline file.

use super::notes::summed;
use super::pictures::{CSS, MOST_IN_MATRIX, forest, matrix};
use super::{Check, Ranked, mark};
use crate::numbers::short;
use crate::plain;
use borduel::ranking::VerdictKind;
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// The whole page.
pub fn page(ranked: &Ranked<'_>) -> String {
    let ranking = ranked.ranking;
    let count = ranking.items.len();
    let class = match ranking.verdict.kind {
        VerdictKind::ClearWinner => "clear",
        VerdictKind::Tie => "tie",
        VerdictKind::NotEnough => "open",
    };
    let body = html! {
        h1 { "Which of these " (count) " is best?" }
        p class=(format!("verdict {class}")) { (ranked.verdict()) }
        h2 { "Scores" }
        p {
            "The Borda score is the chance that an item beats a random other item. Lines are "
            (ranked.intervals()) ". Filled marks may be best."
        }
        div.scroll { (forest(ranked)) }
        @for line in ranked.further_lines() { p { (plain(&line)) } }
        h2 { "Checks" }
        ul.checks { @for check in ranked.checks() { (item(&check)) } }
        h2 { "Every pair" }
        p {
            "Percent of votes that the row's item won against the column's item, ties as half"
            @if count > MOST_IN_MATRIX { "; the first " (MOST_IN_MATRIX) " items" }
            ". Empty pairs were never compared."
        }
        div.scroll { (matrix(ranked)) }
        h2 { "Numbers" }
        (ranked.table().html())
        h2 { "How this was made" }
        ul {
            @for note in summed(ranked.source.notes) { li { (plain(&note)) } }
            li { (ranked.rows_line()) "." }
            li { "Model: " (ranked.model()) "." }
            li {
                "The verdict rests on comparisons with the best, ranks on one simultaneous " (short(100.0 * ranked.options.level))
                " % set of intervals for all differences of scores (critical value " (format!("{:.2}", ranking.critical))
                "); scores within " (short(100.0 * ranked.options.margin)) " points count as equal."
            }
            li { "Seed " (ranked.options.seed) ", borduel " (env!("CARGO_PKG_VERSION")) "." }
        }
    };
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Ranking of " (count) " items" }
                style { (PreEscaped(include_str!("page.css"))) (PreEscaped(CSS)) }
            }
            body { main { (body) } }
        }
    };
    page.into_string() + "\n"
}

fn item(check: &Check<'_>) -> Markup {
    let class = match check.ok {
        Some(true) => "good",
        Some(false) => "bad",
        None => "unknown",
    };
    html! {
        li class=(class) {
            span.mark { (mark(check.ok)) }
            span { b { (check.name) } " " (check.text) }
        }
    }
}
