//! The pictures of a ranking: a forest plot of the intervals, and the matrix of pairs.

use super::{Ranked, rank};
use crate::chart::px;
use crate::numbers::{count, points};
use crate::plain;
use crate::text::{fitting, width};
use borduel::ranking::{ItemScore, PairShare};
use maud::{Markup, html};

/// The width of the drawing area of the forest plot, and the height of its rows.
const WIDTH: f64 = 460.0;
const ROW: f64 = 24.0;
/// Room for numbers on the right.
const RIGHT: f64 = 170.0;
/// The size of letters, and the widest that a label may be: what is longer is cut, and whole in the tool tip.
const LETTERS: f64 = 13.0;
const WIDEST: f64 = 250.0;
/// So many rows fit on a screen: a taller plot has its scale on top as well.
const SCREEN: usize = 24;
/// The most items in the pair matrix.
pub const MOST_IN_MATRIX: usize = 60;
/// How both pictures look, light and dark; they have no style of their own, so that a strict content security policy shows them.
pub const CSS: &str = include_str!("pictures.css");

/// What is shown of an item's label, of at most so many pixels.
fn label(ranked: &Ranked<'_>, score: &ItemScore, room: f64) -> String {
    fitting(&plain(ranked.label(score.item)), LETTERS, room).into_owned()
}

/// The room that labels need on the left.
fn label_room(labels: &[String]) -> f64 {
    labels.iter().map(|label| width(label, LETTERS)).fold(40.0, f64::max) + 16.0
}

/// Every item's score and interval on one axis, best on top.
pub fn forest(ranked: &Ranked<'_>) -> Markup {
    let items = &ranked.ranking.items;
    let labels: Vec<String> = items.iter().map(|score| label(ranked, score, WIDEST)).collect();
    let (low, high) = scale(items);
    let left = label_room(&labels);
    let x = |b: f64| left + WIDTH * (b - low) / (high - low);
    let tall = items.len() > SCREEN;
    let top = if tall { 26.0 } else { 6.0 };
    let bottom = top + 10.0 + ROW * items.len() as f64;
    let (full, height) = (left + WIDTH + RIGHT, bottom + 30.0);
    let step = if high - low > 0.5 { 0.1 } else { 0.05 };
    let ticks = (0..=((high - low) / step).round() as usize).map(|tick| low + step * tick as f64);
    let contenders = ranked.ranking.verdict.winners.as_slice();
    html! {
        svg viewBox=(format!("0 0 {full:.0} {height:.0}")) width=(format!("{:.0}", 1.2 * full)) role="img"
            aria-label="Borda scores with intervals" class="forest" {
            @for b in ticks {
                @let at = px(x(b));
                @let class = if (b - 0.5).abs() < 1e-9 { "middle" } else { "grid" };
                line x1=(at) y1=(px(top)) x2=(at) y2=(px(bottom)) class=(class) {}
                text x=(at) y=(px(bottom + 18.0)) class="tick" { (format!("{:.0} %", 100.0 * b)) }
                @if tall { text x=(at) y=(px(top - 8.0)) class="tick" { (format!("{:.0} %", 100.0 * b)) } }
            }
            @for (at, (score, label)) in items.iter().zip(&labels).enumerate() {
                @let y = top + 12.0 + ROW * at as f64;
                @let (from, to) = (x(score.borda.low), x(score.borda.high));
                g class=(if contenders.contains(&score.item) { "top" } else { "rest" }) {
                    title { (plain(ranked.label(score.item))) ": " (interval(score)) }
                    text x=(px(left - 12.0)) y=(px(y + 4.5)) class="label" { (label) }
                    line x1=(px(from)) y1=(px(y)) x2=(px(to)) y2=(px(y)) class="bar" {}
                    @for end in [from, to] {
                        line x1=(px(end)) y1=(px(y - 4.0)) x2=(px(end)) y2=(px(y + 4.0)) class="bar" {}
                    }
                    @if let Some(b) = score.borda.estimate {
                        circle cx=(px(x(b))) cy=(px(y)) r="4.5" class="dot" {}
                    }
                    text x=(px(left + WIDTH + 70.0)) y=(px(y + 4.5)) class="value" { (points(score.borda.estimate)) " %" }
                    text x=(px(full - 8.0)) y=(px(y + 4.5)) class="value" { "rank " (rank(score.rank)) }
                }
            }
        }
    }
}

fn interval(score: &ItemScore) -> String {
    let ends = [score.borda.low, score.borda.high].map(|end| points(Some(end)));
    format!("{} % ({} – {})", points(score.borda.estimate), ends[0], ends[1])
}

/// From where to where scores are drawn: whole tens of percent.
fn scale(items: &[ItemScore]) -> (f64, f64) {
    let low = items.iter().map(|s| s.borda.low).fold(1.0, f64::min);
    let high = items.iter().map(|s| s.borda.high).fold(0.0, f64::max);
    let (low, high) = ((low * 10.0).floor() / 10.0, (high * 10.0).ceil() / 10.0);
    if high - low < 0.1 { ((low - 0.1).max(0.0), (high + 0.1).min(1.0)) } else { (low, high) }
}

/// The share of every row's item against every column's item, for the first items.
pub fn matrix(ranked: &Ranked<'_>) -> Markup {
    let items = &ranked.ranking.items[..ranked.ranking.items.len().min(MOST_IN_MATRIX)];
    let k = items.len();
    let rows: Vec<String> = items.iter().map(|score| label(ranked, score, WIDEST)).collect();
    let columns: Vec<String> = items.iter().map(|score| label(ranked, score, 150.0)).collect();
    let size = (720.0 / k as f64).clamp(14.0, 44.0);
    let side = size * k as f64;
    // Columns' labels stand at 55°: sin 55° = 0.82 of their length upwards, cos 55° = 0.57 to the right.
    let longest = columns.iter().map(|label| width(label, LETTERS)).fold(0.0, f64::max);
    let (left, top) = (label_room(&rows), 24.0 + 0.82 * longest);
    let (full, height) = (left + side + 0.57 * longest + 16.0, top + side + 10.0);
    // On a narrow screen a large one is scrolled rather than shrunk beyond reading.
    let class = if k > 12 { "matrix many" } else { "matrix" };
    html! {
        svg viewBox=(format!("0 0 {full:.0} {height:.0}")) width=(format!("{full:.0}"))
            role="img" aria-label="Shares of wins of every pair" class=(class) {
            @for (at, (row, column)) in rows.iter().zip(&columns).enumerate() {
                @let middle = size * (at as f64 + 0.5);
                @let (x, y) = (left + middle + 4.0, top - 8.0);
                @let corner = size * at as f64;
                text x=(px(left - 8.0)) y=(px(top + middle + 4.0)) class="label" { (row) }
                text x=(px(x)) y=(px(y)) transform=(format!("rotate(-55 {x:.1} {y:.1})")) class="column" { (column) }
                rect x=(px(left + corner)) y=(px(top + corner)) width=(px(size)) height=(px(size)) class="self" {}
            }
            @for pair in ranked.ranking.pairs.iter().filter(|pair| pair.second < k) {
                @for turned in [false, true] { (cell(ranked, pair, turned, size, (left, top))) }
            }
        }
    }
}

/// One pair as its row's item sees it.
fn cell(ranked: &Ranked<'_>, pair: &PairShare, turned: bool, size: f64, (left, top): (f64, f64)) -> Markup {
    let (row, column, share, fitted) = if turned {
        (pair.second, pair.first, 1.0 - pair.share, pair.fitted.map(|p| 1.0 - p))
    } else {
        (pair.first, pair.second, pair.share, pair.fitted)
    };
    let name = |place: usize| plain(ranked.label(ranked.ranking.items[place].item));
    let (x, y) = (left + size * column as f64, top + size * row as f64);
    let class = if (share - 0.5).abs() > 0.3 { "cell strong" } else { "cell" };
    html! {
        g {
            title {
                (name(row)) " against " (name(column)) ": " (format!("{:.0}", 100.0 * share)) " % of " (count(pair.votes)) " votes"
                @if let Some(p) = fitted { "; the model says " (format!("{:.0}", 100.0 * p)) " %" }
            }
            rect x=(px(x)) y=(px(y)) width=(px(size)) height=(px(size)) fill=(colour(share)) {}
            @if size >= 24.0 {
                text x=(px(x + size / 2.0)) y=(px(y + size / 2.0 + 4.0)) class=(class) {
                    (format!("{:.0}", 100.0 * share))
                }
            }
        }
    }
}

/// From orange (never wins) over pale to blue (always wins): readable without telling red from green.
fn colour(share: f64) -> String {
    let towards = |from: f64, to: f64, t: f64| from + (to - from) * t;
    let pale = [246.0, 246.0, 243.0];
    let end = if share >= 0.5 { [22.0, 82.0, 160.0] } else { [190.0, 84.0, 16.0] };
    let t = (2.0 * (share - 0.5).abs()).powf(0.85);
    let [r, g, b] = [0, 1, 2].map(|c| towards(pale[c], end[c], t).round());
    format!("rgb({r:.0},{g:.0},{b:.0})")
}
