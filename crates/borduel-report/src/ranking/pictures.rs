//! The pictures of a ranking: a forest plot of the intervals, and the matrix of pairs.

mod said;

use super::{Face, Ranked, rank};
use crate::chart::px;
use crate::numbers::{count, points};
use crate::plain;
use crate::text::{fitting, width};
use borduel::ranking::{ContextMap, ContextScores, ItemScore, PairShare};
use maud::{Markup, PreEscaped, html};
use std::collections::BTreeMap;

pub(super) use said::{score, share};

/// The size of letters, and the widest that a label may be: what is longer is cut, and whole in the tool tip.
const LETTERS: f64 = 13.0;
const WIDEST: f64 = 250.0;
/// The same in the matrix of pairs, which a phone shows smaller than it is.
const MATRIX_LETTERS: f64 = 15.0;
/// So many rows fit on a screen: a taller plot has its scale on top as well.
const SCREEN: usize = 24;
/// The most items in the pair matrix.
pub const MOST_IN_MATRIX: usize = 60;
/// The most items and the most contexts in the map of both.
pub(super) const MOST_IN_MAP: usize = 30;
/// With more items than this, columns of the pair matrix have the numbers of the rows instead of names, which would
/// overlap.
pub(super) const MOST_NAMED: usize = 20;
/// How both pictures look, light and dark; they have no style of their own, so that a strict content security policy
/// shows them.
pub const CSS: &str = include_str!("pictures.css");

/// What is shown of an item's label, of at most so many pixels.
fn label(ranked: &Ranked<'_>, score: &ItemScore, letters: f64, room: f64) -> String {
    fitting(&plain(ranked.label(score.item)), letters, room).into_owned()
}

/// The room that labels need on the left.
fn label_room(labels: &[String], letters: f64) -> f64 {
    labels.iter().map(|label| width(label, letters)).fold(40.0, f64::max) + 16.0
}

/// Where the parts of a forest plot stand.
struct Shape {
    class: &'static str,
    /// The width of the picture, and how large it is drawn where there is room.
    full: f64,
    size: String,
    /// From where to where the axis goes, and the most numbers at it.
    axis: (f64, f64),
    ticks: usize,
    /// The height of a row; the baseline of its words and its interval, from its top.
    row: f64,
    words: f64,
    line: f64,
    /// Where tiers have their numbers, if there are several.
    tier_x: Option<f64>,
    /// Each item's label, and its numbers with their right ends.
    label_x: f64,
    rows: Vec<(String, Vec<(f64, String)>)>,
}

impl Shape {
    /// Labels, intervals and numbers beside each other.
    fn wide(ranked: &Ranked<'_>) -> Self {
        let items = &ranked.ranking.items;
        let labels: Vec<String> = items.iter().map(|score| label(ranked, score, LETTERS, WIDEST)).collect();
        // Tiers have their numbers in a column of their own.
        let tiers = if several(&ranked.ranking.tiers()) { width("tier 99", LETTERS) } else { 0.0 };
        let left = tiers + label_room(&labels, LETTERS);
        let right = left + 460.0;
        let full = right + 170.0;
        let numbers = |score| vec![(right + 70.0, percent(score)), (full - 8.0, place(score))];
        let rows = labels.into_iter().zip(items).map(|(label, score)| (label, numbers(score))).collect();
        let size = format!("{:.0}", 1.2 * full);
        let (row, words, line) = (24.0, 16.5, 12.0);
        Self {
            class: "forest",
            full,
            size,
            axis: (left, right),
            ticks: 11,
            row,
            words,
            line,
            tier_x: (tiers > 0.0).then_some(4.0),
            label_x: left - 12.0,
            rows,
        }
    }

    /// For a phone: labels and numbers above the intervals, which have all the width.
    fn narrow(ranked: &Ranked<'_>) -> Self {
        let full = 340.0;
        let row = |score| {
            let numbers = format!("{}, {}", percent(score), place(score));
            (label(ranked, score, LETTERS, full - width(&numbers, LETTERS) - 10.0), vec![(full, numbers)])
        };
        let rows = ranked.ranking.items.iter().map(row).collect();
        // As wide as there is room.
        let size = "100%".to_owned();
        let (row, words, line) = (46.0, 16.0, 31.0);
        Self {
            class: "forest narrow",
            full,
            size,
            axis: (20.0, full - 20.0),
            ticks: 6,
            row,
            words,
            line,
            tier_x: None,
            label_x: 0.0,
            rows,
        }
    }
}

/// Whether there is more than one tier.
fn several(tiers: &[usize]) -> bool {
    tiers.iter().any(|tier| *tier > 1)
}

/// Neighbours of one tier: its number, and the rows from and to.
fn runs(tiers: &[usize]) -> Vec<(usize, usize, usize)> {
    let mut from = 0;
    let run = |own: &[usize]| {
        from += own.len();
        (own[0], from - own.len(), from)
    };
    tiers.chunk_by(|a, b| a == b).map(run).collect()
}

/// Every item's score and interval on one axis, best on top; every other tier on a band.
pub fn forest(ranked: &Ranked<'_>) -> Markup {
    draw(ranked, &Shape::wide(ranked), None)
}

/// The same as a picture of its own.
pub fn standalone_forest(ranked: &Ranked<'_>) -> String {
    draw(ranked, &Shape::wide(ranked), Some(&format!("{PAPER}{CSS}"))).into_string() + "\n"
}

/// What a picture without a page needs to be told: paper, letters, and the colours that a page would say.
const PAPER: &str = "svg { background: #fff; font-family: system-ui, 'Noto Sans', sans-serif; --paper: #fff; --ink: \
                     #1c2430; --soft: #5b6675; --line: #d9dee5; --mute: #8a94a3; --self: #dfe3e8; --blue: #1652a0; }\n";

/// The same for a page, which shows it in the shape that its width asks for.
pub fn forests(ranked: &Ranked<'_>) -> Markup {
    html! { div.shapes { (forest(ranked)) (draw(ranked, &Shape::narrow(ranked), None)) } }
}

/// With rules of its own where there is no page around it.
fn draw(ranked: &Ranked<'_>, shape: &Shape, rules: Option<&str>) -> Markup {
    let items = &ranked.ranking.items;
    let (low, high) = scale(items);
    let (left, right) = shape.axis;
    let x = |b: f64| left + (right - left) * (b - low) / (high - low);
    let tall = items.len() > SCREEN;
    let top = if tall { 26.0 } else { 6.0 };
    let bottom = top + 10.0 + shape.row * items.len() as f64;
    let contenders = ranked.ranking.verdict.winners.as_slice();
    let tiers = ranked.ranking.tiers();
    let runs = if several(&tiers) { runs(&tiers) } else { Vec::new() };
    // A picture of its own has its words where it is shown.
    let said = if rules.is_some() { "Borda scores with intervals".to_owned() } else { said::scores(ranked) };
    html! {
        svg xmlns=[rules.map(|_| "http://www.w3.org/2000/svg")]
            viewBox=(format!("0 0 {:.0} {:.0}", shape.full, bottom + 30.0)) width=(shape.size) role="img"
            aria-label=(said) class=(shape.class) {
            @if let Some(rules) = rules { style { (PreEscaped(rules)) } }
            @for &(tier, from, to) in &runs {
                @let (y, height) = (top + shape.row * from as f64, shape.row * (to - from) as f64);
                @if tier % 2 == 0 { rect x="0" y=(px(y)) width=(px(shape.full)) height=(px(height)) class="band" {} }
                @if let Some(x) = shape.tier_x {
                    text x=(px(x)) y=(px(y + shape.words)) class="tier" { "tier " (tier) }
                }
            }
            @for b in ticks(low, high, shape.ticks) {
                @let at = px(x(b));
                @let class = if (b - 0.5).abs() < 1e-9 { "middle" } else { "grid" };
                line x1=(at) y1=(px(top)) x2=(at) y2=(px(bottom)) class=(class) {}
                text x=(at) y=(px(bottom + 18.0)) class="tick" { (format!("{:.0} %", 100.0 * b)) }
                @if tall { text x=(at) y=(px(top - 8.0)) class="tick" { (format!("{:.0} %", 100.0 * b)) } }
            }
            @for (at, ((score, tier), (label, numbers))) in items.iter().zip(&tiers).zip(&shape.rows).enumerate() {
                @let row = top + shape.row * at as f64;
                @let (words, y) = (row + shape.words, row + shape.line);
                @let (from, to) = (x(score.borda.low), x(score.borda.high));
                g class=(if contenders.contains(&score.item) { "top" } else { "rest" }) {
                    title { (plain(ranked.label(score.item))) ": " (interval(score)) ", tier " (tier) }
                    text x=(px(shape.label_x)) y=(px(words)) class="label" { (label) }
                    line x1=(px(from)) y1=(px(y)) x2=(px(to)) y2=(px(y)) class="bar" {}
                    @for end in [from, to] {
                        line x1=(px(end)) y1=(px(y - 4.0)) x2=(px(end)) y2=(px(y + 4.0)) class="bar" {}
                    }
                    @if let Some(b) = score.borda.estimate {
                        circle cx=(px(x(b))) cy=(px(y)) r="4.5" class="dot" {}
                    }
                    @for (end, number) in numbers {
                        text x=(px(*end)) y=(px(words)) class="value" { (number) }
                    }
                }
            }
        }
    }
}

fn percent(score: &ItemScore) -> String {
    format!("{} %", points(score.borda.estimate))
}

fn place(score: &ItemScore) -> String {
    format!("rank {}", rank(score.rank))
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

/// Where the axis has numbers: multiples of 5, 10 or 20 %, as many as there is room for.
fn ticks(low: f64, high: f64, most: usize) -> Vec<f64> {
    let within = |step: f64| {
        let (from, to) = ((low / step - 1e-9).ceil() as usize, (high / step + 1e-9).floor() as usize);
        (from..=to).map(|tick| step * tick as f64).collect::<Vec<_>>()
    };
    [0.05, 0.1].map(within).into_iter().find(|ticks| ticks.len() <= most).unwrap_or_else(|| within(0.2))
}

/// The share of every row's item against every column's item, for the first items, with what they look like by
/// identifier.
pub fn matrix(ranked: &Ranked<'_>, faces: &BTreeMap<String, Face>) -> Markup {
    let items = &ranked.ranking.items[..ranked.ranking.items.len().min(MOST_IN_MATRIX)];
    let k = items.len();
    let named = k <= MOST_NAMED;
    let row = |(at, score): (usize, &ItemScore)| {
        let name = label(ranked, score, MATRIX_LETTERS, 170.0);
        if named { name } else { format!("{name} · {}", at + 1) }
    };
    let column = |(at, score): (usize, &ItemScore)| {
        if named { label(ranked, score, MATRIX_LETTERS, 150.0) } else { format!("{}", at + 1) }
    };
    let rows: Vec<String> = items.iter().enumerate().map(row).collect();
    let columns: Vec<String> = items.iter().enumerate().map(column).collect();
    let size = (720.0 / k as f64).clamp(18.0, 44.0);
    let side = size * k as f64;
    // Columns' labels stand at 55°: sin 55° = 0.82 of their length upwards, cos 55° = 0.57 to the right.
    let lengths: Vec<f64> = columns.iter().map(|label| width(label, MATRIX_LETTERS)).collect();
    let longest = lengths.iter().copied().fold(0.0, f64::max);
    let picture = |score: &ItemScore| faces.get(ranked.id(score.item)).and_then(|face| face.picture.as_ref());
    let pictures: Vec<Option<&String>> = items.iter().map(picture).collect();
    let beside = if pictures.iter().any(Option::is_some) { size + 4.0 } else { 0.0 };
    let (left, top) = (label_room(&rows, MATRIX_LETTERS), if named { 24.0 + 0.82 * longest } else { 24.0 });
    let (left, top) = (left + beside, top + beside);
    let ends = lengths.iter().enumerate().map(|(at, length)| size * (at as f64 + 0.5) + 0.57 * length + 12.0);
    let (full, height) = (left + ends.fold(side, f64::max) + 8.0, top + side + 10.0);
    // On a narrow screen a large one is scrolled rather than shrunk beyond reading.
    let class = if k > 12 { "matrix many" } else { "matrix" };
    html! {
        svg viewBox=(format!("0 0 {full:.0} {height:.0}")) width=(format!("{full:.0}"))
            role="img" aria-label=(said::shares(ranked, k)) class=(class) {
            @for (at, (row, column)) in rows.iter().zip(&columns).enumerate() {
                @let middle = size * (at as f64 + 0.5);
                @let (x, y) = (left + middle + 4.0, top - beside - 8.0);
                @let corner = size * at as f64;
                text x=(px(left - beside - 8.0)) y=(px(top + middle + 4.0)) class="label" { (row) }
                @if named {
                    text x=(px(x)) y=(px(y)) transform=(format!("rotate(-55 {x:.1} {y:.1})")) class="column" {
                        (column)
                    }
                } @else {
                    text x=(px(left + middle)) y=(px(y)) class="number" { (column) }
                }
                @if let Some(source) = pictures[at] {
                    (small(source, left - beside, top + corner, size))
                    (small(source, left + corner, top - beside, size))
                }
                rect x=(px(left + corner)) y=(px(top + corner)) width=(px(size)) height=(px(size)) class="self" {}
            }
            @for pair in ranked.ranking.pairs.iter().filter(|pair| pair.second < k) {
                @for turned in [false, true] { (cell(ranked, pair, turned, size, (left, top))) }
            }
        }
    }
}

/// A small picture in a field of this size.
fn small(source: &str, x: f64, y: f64, size: f64) -> Markup {
    html! {
        image href=(source) x=(px(x + 1.0)) y=(px(y + 1.0)) width=(px(size - 2.0)) height=(px(size - 2.0))
            preserveAspectRatio="xMidYMid slice" {}
    }
}

/// The score of every row's item in every column's context: the first items, and the contexts with the most votes.
pub(super) fn context_map(ranked: &Ranked<'_>, map: &ContextMap) -> Markup {
    let items: Vec<&ItemScore> = ranked.ranking.items.iter().take(MOST_IN_MAP).collect();
    let place = |score: &ItemScore| map.items.iter().position(|&item| item == score.item);
    let contexts = most_votes(map);
    let named = contexts.len() <= MOST_NAMED;
    let rows: Vec<String> = items.iter().map(|score| label(ranked, score, MATRIX_LETTERS, 170.0)).collect();
    let column = |(at, context): (usize, &&ContextScores)| {
        if named { fitting(&plain(&context.name), MATRIX_LETTERS, 150.0).into_owned() } else { format!("{}", at + 1) }
    };
    let columns: Vec<String> = contexts.iter().enumerate().map(column).collect();
    let size = (720.0 / contexts.len() as f64).clamp(24.0, 44.0);
    let lengths: Vec<f64> = columns.iter().map(|label| width(label, MATRIX_LETTERS)).collect();
    let longest = lengths.iter().copied().fold(0.0, f64::max);
    let (left, top) = (label_room(&rows, MATRIX_LETTERS), if named { 24.0 + 0.82 * longest } else { 24.0 });
    // As in the matrix of pairs, columns' labels stand at 55°.
    let ends = lengths.iter().enumerate().map(|(at, length)| size * (at as f64 + 0.5) + 0.57 * length + 12.0);
    let side = size * contexts.len() as f64;
    let (full, height) = (left + ends.fold(side, f64::max) + 8.0, top + size * items.len() as f64 + 10.0);
    let class = if contexts.len() > 12 { "matrix many" } else { "matrix" };
    html! {
        svg viewBox=(format!("0 0 {full:.0} {height:.0}")) width=(format!("{full:.0}"))
            role="img" aria-label=(said::contexts(ranked, map, (items.len(), contexts.len()))) class=(class) {
            @for (at, column) in columns.iter().enumerate() {
                @let middle = size * (at as f64 + 0.5);
                @let (x, y) = (left + middle + 4.0, top - 8.0);
                @let turn = format!("rotate(-55 {x:.1} {y:.1})");
                @if named {
                    text x=(px(x)) y=(px(y)) transform=(turn) class="column" { (column) }
                } @else {
                    text x=(px(left + middle)) y=(px(y)) class="number" { (column) }
                }
            }
            @for (at, (score, row)) in items.iter().zip(&rows).enumerate() {
                @let y = top + size * at as f64;
                text x=(px(left - 8.0)) y=(px(y + 0.5 * size + 4.0)) class="label" { (row) }
                @for (column, context) in contexts.iter().enumerate() {
                    @if let Some(share) = place(score).map(|place| context.borda[place]) {
                        g {
                            title {
                                (plain(ranked.label(score.item))) ", " (plain(&context.name)) ": "
                                (format!("{:.0}", 100.0 * share)) " %, " (count(context.votes)) " votes here"
                            }
                            (tile((left + size * column as f64, y), size, share))
                        }
                    }
                }
            }
        }
    }
}

/// The contexts that are drawn, in their order.
pub(super) fn most_votes(map: &ContextMap) -> Vec<&ContextScores> {
    let mut order: Vec<usize> = (0..map.contexts.len()).collect();
    order.sort_by(|&a, &b| map.contexts[b].votes.total_cmp(&map.contexts[a].votes).then(a.cmp(&b)));
    order.truncate(MOST_IN_MAP);
    order.sort_unstable();
    order.into_iter().map(|at| &map.contexts[at]).collect()
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
    html! {
        g {
            title {
                (name(row))
                " against "
                (name(column))
                ": "
                (format!("{:.0}", 100.0 * share))
                " % of "
                (count(pair.votes))
                " votes"
                @if let Some(p) = fitted { "; the model says " (format!("{:.0}", 100.0 * p)) " %" }
            }
            (tile((x, y), size, share))
        }
    }
}

/// A square with a share in it, in percent.
fn tile((x, y): (f64, f64), size: f64, share: f64) -> Markup {
    let strong = if is_dark(shade(share)) { " strong" } else { "" };
    let class = format!("cell{strong}{}", if size >= 36.0 { " large" } else { "" });
    html! {
        rect x=(px(x)) y=(px(y)) width=(px(size)) height=(px(size)) fill=(colour(share)) {}
        @if size >= 24.0 {
            text x=(px(x + size / 2.0)) y=(px(y + size / 2.0 + 4.0)) class=(class) {
                (format!("{:.0}", 100.0 * share))
            }
        }
    }
}

/// Whether white letters are easier to read on this than black ones: the better of the two has a contrast of at least
/// 4.5.
fn is_dark(shade: [f64; 3]) -> bool {
    let linear = |c: f64| if c <= 10.31475 { c / 255.0 / 12.92 } else { ((c / 255.0 + 0.055) / 1.055).powf(2.4) };
    let [r, g, b] = shade.map(linear);
    // (1 + 0.05)/(L + 0.05) > (L + 0.05)/0.05.
    (0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05).powi(2) < 1.05 * 0.05
}

fn colour(share: f64) -> String {
    let [r, g, b] = shade(share);
    format!("rgb({r:.0},{g:.0},{b:.0})")
}

/// From orange (never wins) over pale to blue (always wins): readable without telling red from green.
fn shade(share: f64) -> [f64; 3] {
    let towards = |from: f64, to: f64, t: f64| from + (to - from) * t;
    let pale = [246.0, 246.0, 243.0];
    let end = if share >= 0.5 { [22.0, 82.0, 160.0] } else { [190.0, 84.0, 16.0] };
    let t = (2.0 * (share - 0.5).abs()).powf(0.85);
    [0, 1, 2].map(|c| towards(pale[c], end[c], t).round())
}

#[cfg(test)]
mod tests;
