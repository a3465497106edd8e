//! People's scores against the judge's, each with its interval.

use super::Judged;
use crate::chart::px;
use crate::numbers::points;
use crate::plain;
use crate::text::{fitting, width};
use borduel::judging::Rated;
use maud::{Markup, PreEscaped, html};

/// How it looks; the page around it says what the colours are.
pub(super) const CSS: &str = include_str!("picture.css");
/// The same for a picture without a page.
const PAPER: &str = "svg { background: #fff; font-family: system-ui, 'Noto Sans', sans-serif; --paper: #fff; \
                     --ink: #1c2430; --soft: #5b6675; --line: #d9dee5; --mute: #8a94a3; --orange: #be5410; }\n";

/// The side of the field, what is left of it and below it, and the size of letters.
const SIDE: f64 = 560.0;
const LEFT: f64 = 56.0;
const BELOW: f64 = 48.0;
const LETTERS: f64 = 13.0;

/// The picture by itself.
pub fn standalone(judged: &Judged<'_>) -> String {
    scatter(judged, Some(&format!("{PAPER}{CSS}"))).into_string() + "\n"
}

/// Every item as a cross of its two intervals; those that are over- or underrated beyond chance with their names.
pub(super) fn scatter(judged: &Judged<'_>, rules: Option<&str>) -> Markup {
    let items = &judged.worth.items;
    let of = |rated: &Rated| [&rated.people, &rated.judge].map(|x| [x.low, x.high]).concat();
    let all: Vec<f64> = items.iter().flat_map(of).collect();
    let low = (all.iter().copied().fold(1.0, f64::min) * 10.0).floor() / 10.0;
    let high = (all.iter().copied().fold(0.0, f64::max) * 10.0).ceil() / 10.0;
    let along = |b: f64| SIDE * (b - low) / (high - low).max(0.1);
    let (x, y) = (|b: f64| LEFT + along(b), |b: f64| SIDE + 10.0 - along(b));
    let right = 200.0;
    let (full, height) = (LEFT + SIDE + right, SIDE + 10.0 + BELOW);
    let ticks: Vec<f64> =
        (0..=10).map(|tick| 0.1 * f64::from(tick)).filter(|b| *b >= low - 1e-9 && *b <= high + 1e-9).collect();
    html! {
        svg xmlns=[rules.map(|_| "http://www.w3.org/2000/svg")] viewBox=(format!("0 0 {full:.0} {height:.0}"))
            width=(format!("{full:.0}")) role="img" aria-label="People's scores against the judge's" class="judged" {
            @if let Some(rules) = rules { style { (PreEscaped(rules)) } }
            @for b in &ticks {
                line x1=(px(x(*b))) y1=(px(y(low))) x2=(px(x(*b))) y2=(px(y(high))) class="grid" {}
                line x1=(px(x(low))) y1=(px(y(*b))) x2=(px(x(high))) y2=(px(y(*b))) class="grid" {}
                text x=(px(x(*b))) y=(px(y(low) + 18.0)) class="tick" { (format!("{:.0} %", 100.0 * b)) }
                text x=(px(LEFT - 8.0)) y=(px(y(*b) + 4.0)) class="side" { (format!("{:.0} %", 100.0 * b)) }
            }
            line x1=(px(x(low))) y1=(px(y(low))) x2=(px(x(high))) y2=(px(y(high))) class="same" {}
            text x=(px(LEFT + SIDE / 2.0)) y=(px(height - 6.0)) class="tick" { "score by people" }
            text x=(px(LEFT + 8.0)) y="24" class="axis" { "score by the judge" }
            @for rated in items {
                @let (a, b) = (rated.people.estimate.unwrap_or(0.5), rated.judge.estimate.unwrap_or(0.5));
                g class=(if rated.clear { "clear" } else { "plain" }) {
                    title {
                        (plain(&rated.item)) ": people " (points(Some(a))) " %, the judge " (points(Some(b))) " %"
                    }
                    @let (left, right) = (x(rated.people.low), x(rated.people.high));
                    @let (below, above) = (y(rated.judge.low), y(rated.judge.high));
                    line x1=(px(left)) y1=(px(y(b))) x2=(px(right)) y2=(px(y(b))) class="bar" {}
                    line x1=(px(x(a))) y1=(px(below)) x2=(px(x(a))) y2=(px(above)) class="bar" {}
                    circle cx=(px(x(a))) cy=(px(y(b))) r="4.5" class="dot" {}
                }
            }
            @for (rated, at) in labels(judged, &y) {
                @let a = rated.people.estimate.unwrap_or(0.5);
                @let text = fitting(&plain(&rated.item), LETTERS, 180.0).into_owned();
                @let place = (x(a) + 9.0).min(full - width(&text, LETTERS) - 4.0);
                text x=(px(place)) y=(px(at)) class="name" { (text) }
            }
        }
    }
}

/// Names of the clearest items, none over another: where each stands, from the top.
fn labels<'a>(judged: &Judged<'a>, y: &dyn Fn(f64) -> f64) -> Vec<(&'a Rated, f64)> {
    const MOST: usize = 12;
    let mut named: Vec<(&Rated, f64)> = (judged.worth.biased().into_iter().take(MOST))
        .map(|rated| (rated, y(rated.judge.estimate.unwrap_or(0.5)) - 6.0))
        .collect();
    named.sort_by(|a, b| a.1.total_cmp(&b.1));
    for at in 1..named.len() {
        named[at].1 = named[at].1.max(named[at - 1].1 + LETTERS + 2.0);
    }
    named
}
