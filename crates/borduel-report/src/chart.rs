//! Line charts as SVG, light and dark, and as PNG: curves with bands, linear or logarithmic axes, labels at the lines'
//! ends.

mod axis;
mod curve;
pub(crate) mod palette;

use crate::picture;
use crate::text::{self, plain};
use axis::Axis;
use curve::Stretches;
use maud::{Markup, PreEscaped, html};

/// A curve with its name and band.
#[derive(Debug, Clone)]
pub struct Series {
    /// Its name, shown at its end.
    pub label: String,
    /// Its points, from left to right.
    pub points: Vec<(f64, f64)>,
    /// Half the width of the band around each point; empty for none.
    pub band: Vec<f64>,
    /// Which colour and dashes; `None` for a reference line.
    pub style: Option<usize>,
    /// Dots at the points.
    pub dots: bool,
}

/// One pair of axes and what is drawn in it.
#[derive(Debug, Clone)]
pub struct Panel {
    /// The line above it.
    pub title: String,
    /// What is drawn to the right.
    pub x: String,
    /// What is drawn upwards.
    pub y: String,
    /// Whether both axes are logarithmic.
    pub logarithmic: bool,
    /// The curves of the panel.
    pub series: Vec<Series>,
    /// A line in small print beneath.
    pub note: String,
}

/// Panels above each other.
#[derive(Debug, Clone)]
pub struct Figure {
    /// From the top down.
    pub panels: Vec<Panel>,
    /// What it shows, for those who cannot see it.
    pub description: String,
}

/// How large a panel is, and where its axes stand in it.
struct Frame {
    width: f64,
    height: f64,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

const WIDE: Frame = Frame { width: 880.0, height: 440.0, left: 70.0, right: 640.0, top: 40.0, bottom: 366.0 };
/// Without a title, and without room for names at the ends of curves.
const SMALL: Frame = Frame { width: 440.0, height: 240.0, left: 64.0, right: 420.0, top: 14.0, bottom: 190.0 };
/// The least distance between two labels.
const LINE: f64 = 17.0;
/// Where a label begins, right of the panel, and what stays free behind it.
const LABEL: f64 = 48.0;
const MARGIN: f64 = 8.0;
/// No figure becomes wider than this for a label's sake: what is longer is shortened.
const WIDEST: f64 = 1_100.0;
/// The height of letters.
const LETTERS: f64 = 13.0;

impl Frame {
    /// As wide as the longest label needs.
    fn with_room_for<'a>(&self, series: impl Iterator<Item = &'a Series>) -> Self {
        let longest = series.map(|s| text::width(&plain(&s.label), LETTERS)).fold(0.0, f64::max);
        let needed = if longest > 0.0 { self.right + LABEL + longest.ceil() + MARGIN } else { 0.0 };
        Self { width: needed.min(WIDEST).max(self.width), ..*self }
    }
}

/// A length in an attribute.
pub(crate) fn px(length: f64) -> String {
    format!("{length:.1}")
}

impl Figure {
    /// For a page that brings the colours of dark screens itself.
    pub fn inline(&self) -> Markup {
        self.svg(None, &WIDE)
    }

    /// The same in half the size, legible on a phone: for a single curve, which needs no name.
    pub fn small(&self) -> Markup {
        self.svg(None, &SMALL)
    }

    /// The colours of dark screens, for the page around it.
    pub fn colours() -> String {
        palette::css()
    }

    /// For a file of its own, on light and dark screens.
    pub fn standalone(&self) -> String {
        self.svg(Some(palette::css()), &WIDE).into_string() + "\n"
    }

    /// As pixels, light, twice the nominal size.
    ///
    /// # Errors
    /// A figure that is too large for a picture.
    pub fn png(&self) -> Result<Vec<u8>, crate::Error> {
        picture::painted(&self.svg(None, &WIDE).into_string(), &[])
    }

    fn svg(&self, style: Option<String>, frame: &Frame) -> Markup {
        let frame = &frame.with_room_for(self.panels.iter().flat_map(|panel| &panel.series));
        let (width, height) = (frame.width, frame.height * self.panels.len() as f64);
        html! {
            svg xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {width} {height}")) role="img"
                aria-label=(plain(&self.description)) font-family="Noto Sans, system-ui, sans-serif" font-size="13" {
                @if let Some(style) = style { style { (PreEscaped(style)) } }
                rect class="paper" width=(width) height=(height) fill=(palette::PAPER.0) {}
                @for (index, panel) in self.panels.iter().enumerate() {
                    g transform=(format!("translate(0 {})", frame.height * index as f64)) { (panel.draw(frame)) }
                }
            }
        }
    }
}

/// A piece of text: how it stands at its place.
#[derive(Default)]
struct Words {
    anchor: Option<&'static str>,
    weight: Option<&'static str>,
    size: Option<&'static str>,
    turned: Option<String>,
}

impl Words {
    fn at(self, x: f64, y: f64, text: &str) -> Markup {
        html! {
            text class="ink" x=(px(x)) y=(px(y)) fill=(palette::INK.0) text-anchor=[self.anchor]
                font-weight=[self.weight]
                font-size=[self.size] transform=[self.turned] { (plain(text)) }
        }
    }

    fn centred() -> Self {
        Self { anchor: Some("middle"), ..Self::default() }
    }
}

/// A line of the grid.
fn grid(x: (f64, f64), y: (f64, f64)) -> Markup {
    html! {
        line class="grid" x1=(px(x.0)) x2=(px(x.1)) y1=(px(y.0)) y2=(px(y.1)) stroke=(palette::GRID.0) {}
    }
}

impl Panel {
    fn draw(&self, frame: &Frame) -> Markup {
        let &Frame { left, right, top, bottom, .. } = frame;
        let kept: Vec<Stretches> = self.series.iter().map(|series| Stretches::new(series, self.logarithmic)).collect();
        let (x, y) = self.axes(&kept, frame);
        let middle = f64::midpoint(top, bottom);
        let turned = Words { turned: Some(format!("rotate(-90 16 {middle:.1})")), ..Words::centred() };
        let title = Words { weight: Some("bold"), size: Some("14"), ..Words::default() };
        let note = Words { size: Some("11"), ..Words::default() };
        html! {
            @if !self.title.is_empty() { (title.at(left, 22.0, &self.title)) }
            (Words::centred().at(f64::midpoint(left, right), bottom + 40.0, &self.x))
            (turned.at(16.0, middle, &self.y))
            @if !self.note.is_empty() { (note.at(left, bottom + 62.0, &self.note)) }
            @for (value, label) in x.ticks() {
                (grid((x.place(value), x.place(value)), (top, bottom)))
                (Words::centred().at(x.place(value), bottom + 18.0, &label))
            }
            @for (value, label) in y.ticks() {
                (grid((left, right), (y.place(value), y.place(value))))
                (Words { anchor: Some("end"), ..Words::default() }.at(left - 8.0, y.place(value) + 4.5, &label))
            }
            @for k in &kept { (k.band(&x, &y)) }
            @for k in &kept { (k.line(&x, &y)) }
            (labels(&kept, &x, &y, frame))
        }
    }

    fn axes(&self, kept: &[Stretches], &Frame { left, right, top, bottom, .. }: &Frame) -> (Axis, Axis) {
        let xs = kept.iter().flat_map(|k| k.points().map(|p| p.0));
        let ys = kept.iter().flat_map(|k| k.points().flat_map(|p| [p.1, p.2, p.3]));
        if self.logarithmic {
            // A band that reaches down to zero would need all of the axis: the curves themselves say where it begins.
            let means = kept.iter().flat_map(|k| k.points().map(|p| p.1)).fold(f64::INFINITY, f64::min);
            let ys = ys.filter(|y| *y >= 0.7 * means);
            (Axis::logarithmic(xs, left, right), Axis::logarithmic(ys, bottom, top))
        } else {
            (Axis::linear(xs.chain([0.0]), left, right), Axis::linear(ys.chain([0.0]), bottom, top))
        }
    }
}

/// The curves' names at their ends, pushed apart until none covers another.
fn labels(kept: &[Stretches], x: &Axis, y: &Axis, frame: &Frame) -> Markup {
    let mut ends: Vec<(f64, f64, &Stretches)> = kept
        .iter()
        .filter(|k| !k.label().is_empty())
        .filter_map(|k| k.points().next_back().map(|p| (y.place(p.1), x.place(p.0), k)))
        .collect();
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut places: Vec<f64> = ends.iter().map(|end| end.0).collect();
    // From the top down each keeps its distance; then from the bottom up, so that none falls off the panel.
    for i in 1..places.len() {
        places[i] = places[i].max(places[i - 1] + LINE);
    }
    let mut limit = frame.bottom;
    for place in places.iter_mut().rev() {
        *place = place.min(limit);
        limit = *place - LINE;
    }
    let start = frame.right + 16.0;
    let room = frame.width - frame.right - LABEL - MARGIN;
    html! {
        @for ((height, end, k), place) in ends.iter().zip(places) {
            path class="grid" d=(format!("M{end:.1} {height:.1}L{start:.1} {place:.1}")) fill="none"
                stroke=(palette::GRID.0) {}
            (palette::Pen::of(k.style()).path(&format!("M{start:.1} {place:.1}h26")))
            (Words::default().at(frame.right + LABEL, place + 4.5, &text::fitting(k.label(), LETTERS, room)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(logarithmic: bool) -> Figure {
        let curve = |slope: f64, style| Series {
            label: format!("<{slope}> & co"),
            points: (1..=50).map(|t| (f64::from(t), slope * f64::from(t) - 3.0)).collect(),
            band: vec![0.5; 50],
            style,
            dots: false,
        };
        let series = vec![curve(1.0, Some(0)), curve(1.01, Some(1)), curve(0.2, None)];
        let (title, x, y, note) = ("t".to_owned(), "x".to_owned(), "y".to_owned(), String::new());
        Figure { panels: vec![Panel { title, x, y, logarithmic, series, note }], description: "d".to_owned() }
    }

    #[test]
    fn figures_are_well_formed_and_become_pixels() {
        for logarithmic in [false, true] {
            let svg = figure(logarithmic).standalone();
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            assert!(svg.contains("&lt;1&gt; &amp; co"));
            let png = figure(logarithmic).png().unwrap();
            assert_eq!(&png[..4], b"\x89PNG");
            assert!(png.len() > 5_000);
        }
    }

    #[test]
    fn any_name_can_be_drawn() {
        let mut figure = figure(false);
        "bell \u{7}, escape \u{1b}[31m, \u{ffff}, \"]]>\" & '".clone_into(&mut figure.panels[0].title);
        figure.description = figure.panels[0].title.clone();
        figure.panels[0].series[0].label = "line\nend \u{0}".to_owned();
        assert!(figure.png().is_ok());
        assert!(figure.standalone().contains("line\\u{a}end \\u{0}"));
    }

    #[test]
    fn long_names_get_room_and_endless_ones_end() {
        let width = |label: &str| {
            let mut figure = figure(false);
            label.clone_into(&mut figure.panels[0].series[0].label);
            let svg = figure.standalone();
            let size = svg.split("viewBox=\"0 0 ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
            (size.parse::<f64>().unwrap(), svg)
        };
        assert_eq!(width("short: 7").0, WIDE.width);
        let name = "FGTS.CDB, eta = 1.0, feel_good = 0.0: 355";
        let (wide, svg) = width(name);
        assert!(svg.contains(name) && wide >= WIDE.right + LABEL + text::width(name, LETTERS), "{wide}");
        let (widest, svg) = width(&"m".repeat(300));
        assert!(widest == WIDEST && svg.contains("mmm…") && !svg.contains(&"m".repeat(60)));
    }

    #[test]
    fn a_curve_that_leaves_a_logarithmic_axis_is_not_bridged() {
        let mut figure = figure(true);
        figure.panels[0].series.truncate(1);
        figure.panels[0].series[0].band.clear();
        let pieces = |figure: &Figure| figure.standalone().matches("class=\"s0\"").count();
        let whole = pieces(&figure);
        figure.panels[0].series[0].points[20].1 = -1.0;
        assert_eq!(pieces(&figure), whole + 1);
        figure.panels[0].logarithmic = false;
        assert_eq!(pieces(&figure), whole);
    }

    #[test]
    fn nothing_to_draw_is_no_error() {
        let mut empty = figure(true);
        empty.panels[0].series.iter_mut().for_each(|s| s.points.clear());
        assert!(!empty.standalone().contains("NaN"));
        assert!(empty.png().is_ok());
    }
}
