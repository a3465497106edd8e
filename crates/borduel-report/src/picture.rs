//! Pixels: SVG rendered with a font of our own, and matrices as heat maps.

use crate::Error;
use resvg::tiny_skia::{Pixmap, PremultipliedColorU8, Transform};
use resvg::usvg::{Options, Tree, fontdb};
use std::sync::Arc;

/// So many pixels are as wide as one unit of an SVG.
const FINE: u32 = 2;

/// An SVG as PNG. No font of the machine is used.
pub(crate) fn render(svg: &str) -> Result<Vec<u8>, Error> {
    painted(svg, &[])
}

/// A part of a picture (left, top, width and height in units of its SVG), and the probabilities in it, by the shares of
/// height and width.
pub(crate) type Field<'a> = ([u32; 4], &'a dyn Fn(f64, f64) -> f64);

/// An SVG as PNG with heat maps on it: an image within an SVG would need a decoder, which is not built in.
pub(crate) fn painted(svg: &str, fields: &[Field<'_>]) -> Result<Vec<u8>, Error> {
    let failed = |error: &dyn std::fmt::Display| Error::Picture(error.to_string());
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(notosans::REGULAR_TTF.to_vec());
    fonts.load_font_data(notosans::BOLD_TTF.to_vec());
    let options = Options { fontdb: Arc::new(fonts), font_family: "Noto Sans".to_owned(), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(|error| failed(&error))?;
    let (size, fine) = (tree.size(), FINE as f32);
    let mut pixels = Pixmap::new((size.width() * fine) as u32, (size.height() * fine) as u32)
        .ok_or_else(|| failed(&"it is too large"))?;
    resvg::render(&tree, Transform::from_scale(fine, fine), &mut pixels.as_mut());
    let row = pixels.width();
    for (part, cell) in fields {
        let [left, top, width, height] = part.map(|x| x * FINE);
        for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
            if let Some(pixel) = pixels.pixels_mut().get_mut(((top + y) * row + left + x) as usize) {
                *pixel = colour(cell(f64::from(y) / f64::from(height), f64::from(x) / f64::from(width)));
            }
        }
    }
    pixels.encode_png().map_err(|error| failed(&error))
}

/// A square matrix of probabilities as PNG, one pixel a cell: blue above ½, orange below, white at ½.
pub(crate) fn heat_map(size: u32, cell: impl Fn(u32, u32) -> f64) -> Option<Vec<u8>> {
    let mut pixels = Pixmap::new(size, size)?;
    for (index, pixel) in pixels.pixels_mut().iter_mut().enumerate() {
        *pixel = colour(cell(index as u32 / size, index as u32 % size));
    }
    pixels.encode_png().ok()
}

/// Between orange #b35806 (0), white (½) and blue #08519c (1).
fn colour(p: f64) -> PremultipliedColorU8 {
    let share = (2.0 * p - 1.0).clamp(-1.0, 1.0);
    let end: [f64; 3] = if share < 0.0 { [179.0, 88.0, 6.0] } else { [8.0, 81.0, 156.0] };
    let [r, g, b] = end.map(|c| (255.0 + share.abs() * (c - 255.0)).round() as u8);
    // Opaque colours are premultiplied as they are; the fallback is never taken.
    PremultipliedColorU8::from_rgba(r, g, b, 255).unwrap_or(PremultipliedColorU8::TRANSPARENT)
}
