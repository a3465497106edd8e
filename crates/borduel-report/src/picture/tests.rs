//! Our painting against another program's.

use super::*;
use crate::chart::{Figure, Panel, Series};
use resvg::usvg::{Options, Tree, fontdb};
use std::sync::Arc;

/// The same SVG as resvg paints it.
fn theirs(svg: &str) -> Pixmap {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(notosans::REGULAR_TTF.to_vec());
    fonts.load_font_data(notosans::BOLD_TTF.to_vec());
    let options = Options { fontdb: Arc::new(fonts), font_family: "Noto Sans".to_owned(), ..Options::default() };
    let tree = Tree::from_str(svg, &options).unwrap();
    let fine = FINE as f32;
    let mut pixels = Pixmap::new((tree.size().width() * fine) as u32, (tree.size().height() * fine) as u32).unwrap();
    resvg::render(&tree, Transform::from_scale(fine, fine), &mut pixels.as_mut());
    pixels
}

/// The share of pixels that differ by more than an eighth in a colour.
fn differing(one: &Pixmap, other: &Pixmap) -> f64 {
    assert_eq!((one.width(), one.height()), (other.width(), other.height()));
    let pairs = one.data().chunks_exact(4).zip(other.data().chunks_exact(4));
    let differ = pairs.filter(|(a, b)| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 32)).count();
    differ as f64 / f64::from(one.width() * one.height())
}

/// A figure with every kind of line, and texts whose letters are set in pairs.
fn figure() -> String {
    let series = (0..9).map(|style| Series {
        label: format!("AVATAR “To WAIT” & <LT> {style}: Ærø, ГДЖ, ½"),
        points: (0..40).map(|x| (f64::from(x), f64::from(style) + (f64::from(x) * 0.3).sin())).collect(),
        band: if style % 2 == 0 { vec![0.2; 40] } else { Vec::new() },
        style: (style > 0).then_some(style as usize),
        dots: style == 3,
    });
    let panel = Panel {
        title: "Regret: Ta Wo AV".to_owned(),
        x: "rounds, turned To".to_owned(),
        y: "a label that is turned: AVA".to_owned(),
        logarithmic: false,
        series: series.collect(),
        note: "a note in small letters".to_owned(),
    };
    Figure { panels: vec![panel.clone(), panel], description: "d".to_owned() }.inline().into_string()
}

#[test]
fn pictures_are_those_that_another_program_paints() {
    let svg = figure();
    let (ours, theirs) = (pixels(&svg).unwrap(), theirs(&svg));
    let share = differing(&ours, &theirs);
    assert!(share < 0.0005, "{share}");
    // Whatever is missing is seen: a text, a curve.
    for (what, instead) in
        [("a note in small letters", "a note in large letters"), ("stroke=\"#0072b2\"", "stroke=\"none\"")]
    {
        assert!(svg.contains(what));
        assert!(differing(&pixels(&svg.replace(what, instead)).unwrap(), &theirs) > 0.0005, "{what}");
    }
}

#[test]
fn what_cannot_be_painted_is_refused() {
    let svg = figure();
    for (what, instead) in [
        ("<line ", "<ellipse "),
        ("fill=\"none\"", "fill=\"red\""),
        ("transform=\"translate", "transform=\"skew"),
        ("h26", "c26"),
        ("h26", "htea"),
        ("<svg ", "<g "),
        ("text-anchor=\"middle\"", "text-anchor=\"top\""),
    ] {
        assert!(svg.contains(what));
        assert!(matches!(pixels(&svg.replace(what, instead)), Err(Error::Picture(_))), "{instead}");
    }
    assert!(pixels("").is_err() && pixels("<svg").is_err());
}
