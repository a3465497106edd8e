//! What is drawn of a curve: its band, its line, its dots.

use super::axis::Axis;
use super::palette::{self, Pen};
use super::{Series, px};
use maud::{Markup, html};

/// A point of a curve: x, mean, and the band's two ends.
type Point = (f64, f64, f64, f64);

/// What can be drawn of a curve: one stretch, or several where it leaves a logarithmic axis in between.
pub(super) struct Stretches<'a> {
    series: &'a Series,
    stretches: Vec<Vec<Point>>,
}

impl<'a> Stretches<'a> {
    pub(super) fn new(series: &'a Series, logarithmic: bool) -> Self {
        let half = |index: usize| series.band.get(index).copied().unwrap_or(0.0);
        let points: Vec<Point> =
            series.points.iter().enumerate().map(|(i, (x, y))| (*x, *y, y - half(i), y + half(i))).collect();
        let drawable = |p: &Point| p.1.is_finite() && (!logarithmic || (p.0 > 0.0 && p.1 > 0.0));
        let stretches = points.split(|p| !drawable(p)).filter(|part| !part.is_empty()).map(<[Point]>::to_vec);
        Self { series, stretches: stretches.collect() }
    }

    pub(super) fn label(&self) -> &str {
        &self.series.label
    }

    pub(super) fn style(&self) -> Option<usize> {
        self.series.style
    }

    pub(super) fn points(&self) -> impl DoubleEndedIterator<Item = &Point> {
        self.stretches.iter().flatten()
    }

    pub(super) fn band(&self, x: &Axis, y: &Axis) -> Markup {
        let style = self.series.style.filter(|_| !self.series.band.is_empty());
        html! {
            @if let Some((class, colour)) = style.map(palette::fill) {
                @for stretch in &self.stretches {
                    path class=(class) d=(outline(stretch, x, y)) fill=(colour) fill-opacity="0.18" {}
                }
            }
        }
    }

    pub(super) fn line(&self, x: &Axis, y: &Axis) -> Markup {
        let at = |p: &Point| (x.place(p.0), y.place(p.1));
        let pen = Pen::of(self.series.style);
        let dots = self.series.style.filter(|_| self.series.dots);
        html! {
            @for stretch in &self.stretches { (pen.path(&format!("M{}", joined(stretch.iter().map(at))))) }
            @if let Some((class, colour)) = dots.map(palette::fill) {
                @for (a, b) in self.points().map(at) {
                    circle class=(class) cx=(px(a)) cy=(px(b)) r="3" fill=(colour) {}
                }
            }
        }
    }
}

/// A band's upper edge from left to right, and its lower one back.
fn outline(stretch: &[Point], x: &Axis, y: &Axis) -> String {
    let upper = stretch.iter().map(|p| (p.0, p.3));
    let lower = stretch.iter().rev().map(|p| (p.0, p.2));
    format!("M{}Z", joined(upper.chain(lower).map(|(a, b)| (x.place(a), y.place(b)))))
}

fn joined(points: impl Iterator<Item = (f64, f64)>) -> String {
    points.map(|(a, b)| format!("{a:.1} {b:.1}")).collect::<Vec<_>>().join("L")
}
