//! The pictures of a ranking: a forest plot of the intervals, and the matrix of pairs.

use super::ranking::Shown;
use super::ranking::{count, escape, percent, rank};
use std::fmt::Write;

/// The width of the drawing area of the forest plot, and the height of its rows.
const WIDTH: f64 = 460.0;
const ROW: f64 = 24.0;
/// Room for numbers on the right.
const RIGHT: f64 = 170.0;
/// The longest label, in letters.
const LABEL: usize = 30;
/// The most items in the pair matrix.
pub(super) const MOST_IN_MATRIX: usize = 60;

/// Cuts a label to what fits.
fn cut(label: &str, most: usize) -> String {
    if label.chars().count() <= most { label.to_owned() } else { label.chars().take(most - 1).chain(['…']).collect() }
}

/// The room that the labels of the first `most` items need on the left: about 8 pixels a letter, bold ones among them.
fn label_room(shown: &Shown<'_>, most: usize) -> f64 {
    let letters = |item: usize| shown.label(item).chars().count().min(LABEL);
    let longest = shown.ranking.items.iter().take(most).map(|score| letters(score.item)).max().unwrap_or(0);
    (24.0 + 8.0 * longest as f64).clamp(64.0, 236.0)
}

/// Every item's score and interval on one axis, best on top.
pub(super) fn forest(shown: &Shown<'_>) -> String {
    let items = &shown.ranking.items;
    let low = items.iter().map(|s| s.borda.low).fold(1.0, f64::min);
    let high = items.iter().map(|s| s.borda.high).fold(0.0, f64::max);
    let (low, high) = ((low * 10.0).floor() / 10.0, (high * 10.0).ceil() / 10.0);
    let (low, high) = if high - low < 0.1 { ((low - 0.1).max(0.0), (high + 0.1).min(1.0)) } else { (low, high) };
    let left = label_room(shown, items.len());
    let x = |b: f64| left + WIDTH * (b - low) / (high - low);
    let height = ROW * items.len() as f64 + 46.0;
    let (width, bottom) = (left + WIDTH + RIGHT, height - 30.0);
    let mut svg = format!(
        "<svg viewBox=\"0 0 {width} {height}\" style=\"max-width:{:.0}px\" role=\"img\" aria-label=\"Borda scores with intervals\" class=\"forest\">\n",
        1.2 * width
    );
    let step = if high - low > 0.5 { 0.1 } else { 0.05 };
    let ticks = ((high - low) / step).round() as usize;
    for tick in 0..=ticks {
        let b = low + step * tick as f64;
        let at = x(b);
        let class = if (b - 0.5).abs() < 1e-9 { "middle" } else { "grid" };
        let _ = writeln!(svg, "<line x1=\"{at:.1}\" y1=\"6\" x2=\"{at:.1}\" y2=\"{bottom}\" class=\"{class}\"/>");
        let _ =
            writeln!(svg, "<text x=\"{at:.1}\" y=\"{:.1}\" class=\"tick\">{:.0} %</text>", bottom + 18.0, 100.0 * b);
    }
    let leading = shown.ranking.verdict.winners.as_slice();
    for (at, score) in items.iter().enumerate() {
        let y = 18.0 + ROW * at as f64;
        let class = if leading.contains(&score.item) { "top" } else { "rest" };
        let label = shown.label(score.item);
        let (from, to) = (x(score.borda.low), x(score.borda.high));
        let _ = write!(
            svg,
            "<g class=\"{class}\"><title>{}: {} % ({} – {})</title>",
            escape(label),
            percent(score.borda.estimate),
            percent(Some(score.borda.low)),
            percent(Some(score.borda.high))
        );
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" class=\"label\">{}</text>",
            left - 12.0,
            y + 4.5,
            escape(&cut(label, LABEL))
        );
        let _ = write!(svg, "<line x1=\"{from:.1}\" y1=\"{y}\" x2=\"{to:.1}\" y2=\"{y}\" class=\"bar\"/>");
        for end in [from, to] {
            let _ = write!(
                svg,
                "<line x1=\"{end:.1}\" y1=\"{:.1}\" x2=\"{end:.1}\" y2=\"{:.1}\" class=\"bar\"/>",
                y - 4.0,
                y + 4.0
            );
        }
        if let Some(b) = score.borda.estimate {
            let _ = write!(svg, "<circle cx=\"{:.1}\" cy=\"{y}\" r=\"4.5\" class=\"dot\"/>", x(b));
        }
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" class=\"value\">{} %</text>",
            left + WIDTH + 70.0,
            y + 4.5,
            percent(score.borda.estimate)
        );
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" class=\"value\">rank {}</text></g>",
            left + WIDTH + RIGHT - 8.0,
            y + 4.5,
            rank(score.rank)
        );
    }
    svg + "</svg>\n"
}

/// The share of every row's item against every column's item, for the first items.
pub(super) fn matrix(shown: &Shown<'_>) -> String {
    let k = shown.ranking.items.len().min(MOST_IN_MATRIX);
    let left = label_room(shown, k);
    let size = (720.0 / k as f64).clamp(14.0, 44.0);
    let side = size * k as f64;
    let longest = shown.ranking.items.iter().take(k).map(|s| cut(shown.label(s.item), 20).chars().count()).max();
    // Slanted labels of about 7 pixels a letter.
    let top = 24.0 + 6.0 * longest.unwrap_or(0) as f64;
    let (width, height) = (left + side + 90.0, top + side + 10.0);
    let mut svg = format!(
        "<svg viewBox=\"0 0 {width:.0} {height:.0}\" style=\"max-width:{width:.0}px;min-width:{:.0}px\" role=\"img\" aria-label=\"Shares of wins of every pair\" class=\"matrix\">\n",
        // On a narrow screen it is scrolled rather than shrunk beyond reading.
        0.6 * width
    );
    for (at, score) in shown.ranking.items.iter().take(k).enumerate() {
        let (label, middle) = (shown.label(score.item), size * (at as f64 + 0.5));
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" class=\"label\">{}</text>",
            left - 8.0,
            top + middle + 4.0,
            escape(&cut(label, LABEL))
        );
        let (x, y) = (left + middle + 4.0, top - 8.0);
        let _ = writeln!(
            svg,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" transform=\"rotate(-55 {x:.1} {y:.1})\" class=\"column\">{}</text>",
            escape(&cut(label, 20))
        );
        let _ = writeln!(
            svg,
            "<rect x=\"{0:.1}\" y=\"{1:.1}\" width=\"{size:.1}\" height=\"{size:.1}\" class=\"self\"/>",
            left + size * at as f64,
            top + size * at as f64
        );
    }
    for pair in shown.ranking.pairs.iter().filter(|pair| pair.second < k) {
        let (a, b) = (&shown.ranking.items[pair.first], &shown.ranking.items[pair.second]);
        for (row, column, first, second, share, fitted) in [
            (pair.first, pair.second, a, b, pair.share, pair.fitted),
            (pair.second, pair.first, b, a, 1.0 - pair.share, pair.fitted.map(|p| 1.0 - p)),
        ] {
            let (x, y) = (left + size * column as f64, top + size * row as f64);
            let model = fitted.map_or_else(String::new, |p| format!("; the model says {:.0} %", 100.0 * p));
            let _ = write!(
                svg,
                "<g><title>{} against {}: {:.0} % of {} votes{model}</title><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{size:.1}\" height=\"{size:.1}\" fill=\"{}\"/>",
                escape(shown.label(first.item)),
                escape(shown.label(second.item)),
                100.0 * share,
                count(pair.votes),
                colour(share)
            );
            if size >= 24.0 {
                let ink = if (share - 0.5).abs() > 0.3 { "#fff" } else { "#1c2430" };
                let _ = write!(
                    svg,
                    "<text x=\"{:.1}\" y=\"{:.1}\" class=\"cell\" style=\"fill:{ink}\">{:.0}</text>",
                    x + size / 2.0,
                    y + size / 2.0 + 4.0,
                    100.0 * share
                );
            }
            svg += "</g>\n";
        }
    }
    svg + "</svg>\n"
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
