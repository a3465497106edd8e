//! Line charts as SVG, light and dark, and as PNG: curves with bands, linear or logarithmic axes, labels at the lines' ends.

mod axis;
mod palette;
mod picture;

pub(crate) use palette::css;
pub(crate) use picture::heat_map;

use crate::failure::Failure;
use axis::Axis;
use std::fmt::Write;

/// A curve.
pub(crate) struct Series {
    pub(crate) label: String,
    pub(crate) points: Vec<(f64, f64)>,
    /// Half the width of the band around each point; empty for none.
    pub(crate) band: Vec<f64>,
    /// Which colour and dashes; `None` for a reference line.
    pub(crate) style: Option<usize>,
    /// Dots at the points.
    pub(crate) dots: bool,
}

/// One pair of axes and what is drawn in it.
pub(crate) struct Panel {
    pub(crate) title: String,
    pub(crate) x: String,
    pub(crate) y: String,
    pub(crate) logarithmic: bool,
    pub(crate) series: Vec<Series>,
    /// A line in small print beneath.
    pub(crate) note: String,
}

/// Panels above each other.
pub(crate) struct Figure {
    pub(crate) panels: Vec<Panel>,
    /// What it shows, for those who cannot see it.
    pub(crate) description: String,
}

const WIDTH: f64 = 880.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 640.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 366.0;
/// The least distance between two labels.
const LINE: f64 = 17.0;

impl Figure {
    /// For a page that brings its own colours ([`css`]).
    pub(crate) fn inline(&self) -> String {
        self.svg("")
    }

    /// For a file of its own, on light and dark screens.
    pub(crate) fn standalone(&self) -> String {
        self.svg(&format!("<style>{}</style>", css()))
    }

    /// As pixels, light, twice the nominal size.
    pub(crate) fn png(&self) -> Result<Vec<u8>, Failure> {
        picture::render(&self.inline())
    }

    fn svg(&self, style: &str) -> String {
        let height = HEIGHT * self.panels.len() as f64;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\" \
             font-family=\"Noto Sans, system-ui, sans-serif\" font-size=\"13\">{style}\
             <rect class=\"paper\" width=\"{WIDTH}\" height=\"{height}\" fill=\"{}\"/>",
            escape(&self.description),
            palette::PAPER.0
        );
        for (index, panel) in self.panels.iter().enumerate() {
            // Writing to a string cannot fail, here and below.
            let _ = write!(out, "<g transform=\"translate(0 {})\">", HEIGHT * index as f64);
            panel.draw(&mut out);
            out += "</g>";
        }
        out + "</svg>\n"
    }
}

impl Panel {
    fn draw(&self, out: &mut String) {
        let kept: Vec<Kept> = self.series.iter().map(|series| Kept::new(series, self.logarithmic)).collect();
        let xs = kept.iter().flat_map(|k| k.points().map(|p| p.0));
        let ys = kept.iter().flat_map(|k| k.points().flat_map(|p| [p.1, p.2, p.3]));
        let (x, y) = if self.logarithmic {
            // A band that reaches down to zero would need all of the axis: the curves themselves say where it begins.
            let means = kept.iter().flat_map(|k| k.points().map(|p| p.1)).fold(f64::INFINITY, f64::min);
            let ys = ys.filter(|y| *y >= 0.7 * means);
            (Axis::logarithmic(xs, LEFT, RIGHT), Axis::logarithmic(ys, BOTTOM, TOP))
        } else {
            (Axis::linear(xs.chain([0.0]), LEFT, RIGHT), Axis::linear(ys.chain([0.0]), BOTTOM, TOP))
        };
        let text = |out: &mut String, x: f64, y: f64, more: &str, text: &str| {
            let ink = palette::INK.0;
            let _ = write!(
                out,
                "<text class=\"ink\" x=\"{x:.1}\" y=\"{y:.1}\" fill=\"{ink}\" {more}>{}</text>",
                escape(text)
            );
        };
        text(out, LEFT, 22.0, "font-weight=\"bold\" font-size=\"14\"", &self.title);
        text(out, f64::midpoint(LEFT, RIGHT), BOTTOM + 40.0, "text-anchor=\"middle\"", &self.x);
        let turn = format!("text-anchor=\"middle\" transform=\"rotate(-90 16 {0:.1})\"", f64::midpoint(TOP, BOTTOM));
        text(out, 16.0, f64::midpoint(TOP, BOTTOM), &turn, &self.y);
        text(out, LEFT, BOTTOM + 62.0, "font-size=\"11\"", &self.note);
        let grid = palette::GRID.0;
        for (value, label) in x.ticks() {
            let at = x.place(value);
            let _ = write!(
                out,
                "<line class=\"grid\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{BOTTOM}\" stroke=\"{grid}\"/>"
            );
            text(out, at, BOTTOM + 18.0, "text-anchor=\"middle\"", &label);
        }
        for (value, label) in y.ticks() {
            let at = y.place(value);
            let _ = write!(
                out,
                "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"{grid}\"/>"
            );
            text(out, LEFT - 8.0, at + 4.5, "text-anchor=\"end\"", &label);
        }
        for k in &kept {
            k.draw_band(out, &x, &y);
        }
        for k in &kept {
            k.draw_line(out, &x, &y);
        }
        labels(out, &kept, &x, &y, &text);
    }
}

/// A point of a curve: x, mean, and the band's two ends.
type Point = (f64, f64, f64, f64);

/// What can be drawn of a curve: one stretch, or several where it leaves a logarithmic axis in between.
struct Kept<'a> {
    series: &'a Series,
    stretches: Vec<Vec<Point>>,
}

impl<'a> Kept<'a> {
    fn new(series: &'a Series, logarithmic: bool) -> Self {
        let half = |index: usize| series.band.get(index).copied().unwrap_or(0.0);
        let points: Vec<Point> =
            series.points.iter().enumerate().map(|(i, (x, y))| (*x, *y, y - half(i), y + half(i))).collect();
        let drawable = |p: &Point| p.1.is_finite() && (!logarithmic || (p.0 > 0.0 && p.1 > 0.0));
        let stretches = points.split(|p| !drawable(p)).filter(|part| !part.is_empty()).map(<[Point]>::to_vec);
        Self { series, stretches: stretches.collect() }
    }

    fn points(&self) -> impl DoubleEndedIterator<Item = &Point> {
        self.stretches.iter().flatten()
    }

    fn draw_band(&self, out: &mut String, x: &Axis, y: &Axis) {
        let Some(style) = self.series.style.filter(|_| !self.series.band.is_empty()) else { return };
        let (class, colour) = palette::fill(style);
        for stretch in &self.stretches {
            let upper = stretch.iter().map(|p| (p.0, p.3));
            let lower = stretch.iter().rev().map(|p| (p.0, p.2));
            let path: Vec<String> =
                upper.chain(lower).map(|(a, b)| format!("{:.1} {:.1}", x.place(a), y.place(b))).collect();
            let path = path.join("L");
            let _ = write!(out, "<path class=\"{class}\" d=\"M{path}Z\" fill=\"{colour}\" fill-opacity=\"0.18\"/>");
        }
    }

    fn draw_line(&self, out: &mut String, x: &Axis, y: &Axis) {
        let at = |p: &Point| (x.place(p.0), y.place(p.1));
        let pen = palette::pen(self.series.style);
        for stretch in &self.stretches {
            let path: Vec<String> = stretch.iter().map(at).map(|(a, b)| format!("{a:.1} {b:.1}")).collect();
            let _ = write!(out, "<path d=\"M{}\" fill=\"none\" {pen}/>", path.join("L"));
        }
        if let (true, Some(style)) = (self.series.dots, self.series.style) {
            let (class, colour) = palette::fill(style);
            for (a, b) in self.points().map(at) {
                let _ =
                    write!(out, "<circle class=\"{class}\" cx=\"{a:.1}\" cy=\"{b:.1}\" r=\"3\" fill=\"{colour}\"/>");
            }
        }
    }
}

/// The curves' names at their ends, pushed apart until none covers another.
fn labels(out: &mut String, kept: &[Kept], x: &Axis, y: &Axis, text: &dyn Fn(&mut String, f64, f64, &str, &str)) {
    let mut ends: Vec<(f64, f64, &Kept)> =
        kept.iter().filter_map(|k| k.points().next_back().map(|p| (y.place(p.1), x.place(p.0), k))).collect();
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut places: Vec<f64> = ends.iter().map(|end| end.0).collect();
    // From the top down each keeps its distance; then from the bottom up, so that none falls off the panel.
    for i in 1..places.len() {
        places[i] = places[i].max(places[i - 1] + LINE);
    }
    let mut limit = BOTTOM;
    for place in places.iter_mut().rev() {
        *place = place.min(limit);
        limit = *place - LINE;
    }
    for ((height, end, k), place) in ends.iter().zip(places) {
        let start = RIGHT + 16.0;
        let pen = palette::pen(k.series.style);
        let grid = palette::GRID.0;
        let _ = write!(
            out,
            "<path class=\"grid\" d=\"M{end:.1} {height:.1}L{start:.1} {place:.1}\" fill=\"none\" stroke=\"{grid}\"/>\
             <path d=\"M{start:.1} {place:.1}h26\" fill=\"none\" {pen}/>"
        );
        text(out, start + 32.0, place + 4.5, "", &k.series.label);
    }
}

/// Text that is safe within markup.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
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
    fn a_curve_that_leaves_a_logarithmic_axis_is_not_bridged() {
        let mut figure = figure(true);
        figure.panels[0].series.truncate(1);
        figure.panels[0].series[0].band.clear();
        let pieces = |figure: &Figure| figure.standalone().matches("fill=\"none\" class=\"s0\"").count();
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
