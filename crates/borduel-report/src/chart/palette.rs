//! Colours that people who confuse red and green can tell apart, on white and on black, each with dashes of its own.

use maud::{Markup, html};
use std::fmt::Write;

/// A colour on light and on dark ground.
pub(super) type Pair = (&'static str, &'static str);

/// The ground that is drawn on.
pub(super) const PAPER: Pair = ("#ffffff", "#16181d");
/// The colour of text.
pub(super) const INK: Pair = ("#24272e", "#dfe2e8");
/// The lines of the grid.
pub(super) const GRID: Pair = ("#e1e4ea", "#333842");
/// Lines to compare with.
const REFERENCE: Pair = ("#6b7280", "#9aa1ad");

/// After so many styles the colours come again, with other dashes.
pub(crate) const ROUND: usize = 8;

/// After Okabe and Ito, darker on white and lighter on black where contrast needs it.
const COLOURS: [Pair; ROUND] = [
    ("#0072b2", "#4fa8e0"),
    ("#d55e00", "#ff8a3d"),
    ("#009e73", "#2cc79b"),
    ("#a6427a", "#e29bc3"),
    ("#b07d00", "#f0c040"),
    ("#3d4048", "#c9ced8"),
    ("#5b4fc7", "#a79df5"),
    ("#7a4b1d", "#c99a6b"),
];

const DASHES: [&str; 8] = ["", "8 3", "2 3", "9 3 2 3", "5 5", "14 4", "4 2", "8 3 2 3 2 3"];

/// The class and light colour of a filled shape.
pub(super) fn fill(style: usize) -> (String, &'static str) {
    (format!("f{}", style % ROUND), COLOURS[style % ROUND].0)
}

/// How a line is drawn.
pub(super) struct Pen {
    class: String,
    colour: &'static str,
    width: &'static str,
    dashes: &'static str,
}

impl Pen {
    /// Of a curve, or of a reference line.
    pub(super) fn of(style: Option<usize>) -> Self {
        let Some(style) = style else {
            return Self { class: "reference".to_owned(), colour: REFERENCE.0, width: "1.5", dashes: "1 3" };
        };
        let colour = style % ROUND;
        let dashes = DASHES[(style + style / ROUND) % DASHES.len()];
        Self { class: format!("s{colour}"), colour: COLOURS[colour].0, width: "2", dashes }
    }

    /// A line along this path.
    pub(super) fn path(&self, path: &str) -> Markup {
        let dashes = Some(self.dashes).filter(|dashes| !dashes.is_empty());
        html! {
            path d=(path) fill="none" class=(self.class) stroke=(self.colour) stroke-width=(self.width)
                stroke-dasharray=[dashes] {}
        }
    }
}

/// The dark colours, for screens that ask for them; attributes have the light ones.
pub(crate) fn css() -> String {
    let mut out = format!(
        "@media screen and (prefers-color-scheme: \
         dark){{.paper{{fill:{}}}.ink{{fill:{}}}.grid{{stroke:{}}}.reference{{stroke:{}}}",
        PAPER.1, INK.1, GRID.1, REFERENCE.1
    );
    for (index, (_, dark)) in COLOURS.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(out, ".s{index}{{stroke:{dark}}}.f{index}{{fill:{dark}}}");
    }
    out + "}"
}
