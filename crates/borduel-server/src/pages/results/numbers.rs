//! The last level of results: all numbers, every pair, votes over time, and what is asked next.

use super::{Eyes, in_english};
use crate::faces::Faces;
use crate::outcome::Outcome;
use crate::pages::words::{fill, mark};
use borduel_report::numbers::{count, points};
use borduel_report::ranking::{Ranked, matrix};
use borduel_report::{Figure, Panel, Series, plain};
use maud::{Markup, html};

/// Up to so many items the pairs are drawn on the page; beyond, they would be most of it, and are in the report.
const PAIRS: usize = 16;

/// The share of the votes for an item that find it much better, among those that say how much.
fn much(outcome: &Outcome, key: &str) -> Option<f64> {
    outcome.grades.get(key).filter(|(graded, _)| *graded > 0).map(|&(graded, much)| much as f64 / graded as f64)
}

/// The numbers behind the picture.
pub(super) fn table(outcome: &Outcome, ranked: &Ranked<'_>, faces: &Faces, eyes: Eyes) -> Markup {
    let (told, numbers) = (eyes.told(), eyes.numbers());
    let share = |share: Option<f64>| numbers.decimal(&points(share));
    let count = |votes: f64| numbers.decimal(&count(votes));
    let graded = !outcome.grades.is_empty();
    html! {
        div.scroll tabindex="0" role="region" aria-label=(told.numbers) {
            table {
                thead { tr {
                    th scope="col" { (told.item) } th scope="col" { (told.score) } th scope="col" { (told.interval) }
                    th scope="col" { (told.won) } th scope="col" { (told.lost) } th scope="col" { (told.equal) }
                    @if graded { th scope="col" { (told.much_better) } }
                } }
                tbody {
                    @for score in &ranked.ranking.items {
                        tr {
                            th scope="row" {
                                @let face = faces.get(ranked.id(score.item));
                                @if let Some(source) = face.and_then(|face| face.picture.as_ref()) {
                                    img.thumb src=(source) alt="" loading="lazy";
                                    " "
                                }
                                span dir="auto" { (plain(ranked.label(score.item))) }
                            }
                            td { (share(score.borda.estimate)) }
                            td {
                                span dir="ltr" { (share(Some(score.borda.low))) " – " (share(Some(score.borda.high))) }
                            }
                            td { (count(score.counts.left)) }
                            td { (count(score.counts.right)) }
                            td { (count(score.counts.tie)) }
                            @if graded { td { (share(much(outcome, ranked.id(score.item)))) } }
                        }
                    }
                }
            }
        }
        p.soft.small { (mark(told.intervals_are, &[in_english(told, &ranked.intervals())])) }
        @if graded { p.soft.small { (told.much_is) } }
        h3 { (told.every_pair) }
        @if ranked.ranking.items.len() <= PAIRS {
            p.soft { (told.pairs_are) }
            div.scroll tabindex="0" role="region" aria-label=(told.shares) { (matrix(ranked, faces)) }
        } @else {
            p.soft { (fill(told.in_report, &[&PAIRS])) }
        }
    }
}

pub(super) fn growth(outcome: &Outcome, eyes: Eyes) -> Markup {
    if outcome.growth.len() < 2 {
        return html! {};
    }
    let told = eyes.told();
    let minutes = outcome.growth.last().map_or(0.0, |point| point.0);
    let (unit, x) = match minutes {
        m if m < 180.0 => (1.0, told.since_minutes),
        m if m < 4_320.0 => (60.0, told.since_hours),
        _ => (1_440.0, told.since_days),
    };
    let points = outcome.growth.iter().map(|&(at, votes)| (at / unit, votes)).collect();
    let series = Series { label: String::new(), points, band: Vec::new(), style: Some(0), dots: false };
    let panel = Panel {
        title: String::new(),
        x: x.to_owned(),
        y: told.votes_axis.to_owned(),
        logarithmic: false,
        series: vec![series],
        note: String::new(),
    };
    let description = fill(told.in_all, &[&eyes.numbers().whole(outcome.votes as f64)]);
    let figure = Figure { panels: vec![panel], description };
    html! {
        h3 { (told.over_time) }
        div.chart { (figure.small()) }
    }
}

pub(super) fn asked_next(outcome: &Outcome) -> Markup {
    let audits = 100.0 * outcome.plan.audits;
    html! {
        h3 { "What is asked next, and why" }
        @if outcome.next.is_empty() {
            p.soft { "Every pair alike." }
        } @else {
            p.soft {
                (format!("{:.0}", 100.0 - audits))
                " % of the questions are "
                (outcome.method.words())
                "; "
                (format!("{audits:.0}"))
                " % are any pair, so that nobody is shut out and the model is tested. Asked most:"
            }
            ul.next {
                @for (first, second, share) in &outcome.next {
                    li {
                        span dir="auto" { (plain(first)) " or " (plain(second)) }
                        span.soft { (format!("{:.0} %", 100.0 * share)) }
                    }
                }
            }
        }
    }
}
