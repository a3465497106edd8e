//! Pixels: the SVG of figures painted with a font of our own, and matrices as heat maps.

use crate::Error;
use tiny_skia::{
    Color, FillRule, Paint, PathBuilder, Pixmap, PremultipliedColorU8, Rect, Stroke, StrokeDash, Transform,
};

mod letters;

/// So many pixels are as wide as one unit of an SVG.
const FINE: u32 = 2;

/// A part of a picture (left, top, width and height in units of its SVG), and the probabilities in it, by the shares of
/// height and width.
pub(crate) type Field<'a> = ([u32; 4], &'a dyn Fn(f64, f64) -> f64);

/// An SVG of this crate as PNG, with heat maps on it. No font of the machine is used.
pub(crate) fn painted(svg: &str, fields: &[Field<'_>]) -> Result<Vec<u8>, Error> {
    let mut pixels = pixels(svg)?;
    let row = pixels.width();
    for (part, cell) in fields {
        let [left, top, width, height] = part.map(|x| x * FINE);
        for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
            if let Some(pixel) = pixels.pixels_mut().get_mut(((top + y) * row + left + x) as usize) {
                *pixel = colour(cell(f64::from(y) / f64::from(height), f64::from(x) / f64::from(width)));
            }
        }
    }
    pixels.encode_png().map_err(|error| Error::Picture(error.to_string()))
}

/// What figures are written of, painted: `rect`, `line`, `path`, `circle` and `text`, in groups that are moved. Whatever
/// else an SVG may have is refused, so that nothing of a figure goes missing here.
fn pixels(svg: &str) -> Result<Pixmap, Error> {
    let (mut canvas, mut places) = (None, Vec::new());
    // Attributes are written with < and > escaped.
    for piece in svg.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').ok_or_else(|| refused("a tag that does not end", piece))?;
        let tag = Tag::read(tag);
        match (tag.name, canvas.as_mut()) {
            ("svg", None) => {
                let [_, _, width, height] = tag.numbers("viewBox")?[..] else { return Err(refused("viewBox", svg)) };
                let fine = FINE as f32;
                let pixmap = Pixmap::new((width * fine) as u32, (height * fine) as u32);
                canvas = Some(pixmap.ok_or_else(|| Error::Picture("it is too large".to_owned()))?);
                places.push((Transform::from_scale(fine, fine), tag.number("font-size", 13.0)?));
            }
            ("g", Some(_)) => {
                let (place, size) = tag.place(&places)?;
                places.push((place, size));
            }
            ("/g", _) => {
                places.pop();
            }
            (closed, _) if closed.starts_with('/') => {}
            (_, Some(pixels)) => {
                let (place, size) = tag.place(&places)?;
                tag.paint(text, pixels, place, size)?;
            }
            (name, None) => return Err(refused("an element outside of the picture", name)),
        }
    }
    canvas.ok_or_else(|| refused("no picture", svg))
}

fn refused(what: &str, text: &str) -> Error {
    Error::Picture(format!("{what}: {}", crate::text::short(text)))
}

/// A tag of an SVG.
struct Tag<'a> {
    name: &'a str,
    attributes: Vec<(&'a str, &'a str)>,
}

impl<'a> Tag<'a> {
    fn read(tag: &'a str) -> Self {
        let (name, rest) = tag.split_once(' ').unwrap_or((tag, ""));
        let mut parts = rest.split('"');
        let attribute = || Some((parts.next()?.trim().trim_end_matches('='), parts.next()?));
        Self { name, attributes: std::iter::from_fn(attribute).collect() }
    }

    fn get(&self, name: &str) -> Option<&'a str> {
        self.attributes.iter().find(|attribute| attribute.0 == name).map(|attribute| attribute.1)
    }

    fn numbers(&self, name: &str) -> Result<Vec<f32>, Error> {
        let text = self.get(name).unwrap_or_default();
        numbers(text.trim_start_matches(char::is_alphabetic).trim_matches(['(', ')']))
    }

    fn number(&self, name: &str, otherwise: f32) -> Result<f32, Error> {
        Ok(self.numbers(name)?.first().copied().unwrap_or(otherwise))
    }

    /// Where it is painted, and how large the letters in it are.
    fn place(&self, around: &[(Transform, f32)]) -> Result<(Transform, f32), Error> {
        let (place, size) = *around.last().ok_or_else(|| refused("a group that was closed before", self.name))?;
        let moved = match (self.get("transform"), &self.numbers("transform")?[..]) {
            (None, _) => place,
            (Some(how), &[x, y]) if how.starts_with("translate") => place.pre_translate(x, y),
            (Some(how), &[angle, x, y]) if how.starts_with("rotate") => {
                place.pre_concat(Transform::from_rotate_at(angle, x, y))
            }
            (Some(how), _) => return Err(refused("transform", how)),
        };
        Ok((moved, self.number("font-size", size)?))
    }

    fn paint(&self, text: &str, pixels: &mut Pixmap, place: Transform, size: f32) -> Result<(), Error> {
        let number = |name| self.number(name, 0.0);
        let path = match self.name {
            "rect" => Rect::from_xywh(number("x")?, number("y")?, number("width")?, number("height")?)
                .map(PathBuilder::from_rect),
            "line" => {
                let mut path = PathBuilder::new();
                path.move_to(number("x1")?, number("y1")?);
                path.line_to(number("x2")?, number("y2")?);
                path.finish()
            }
            "circle" => PathBuilder::from_circle(number("cx")?, number("cy")?, number("r")?),
            "path" => along(self.get("d").unwrap_or_default())?,
            "text" => {
                let bold = self.get("font-weight") == Some("bold");
                let anchor = self.get("text-anchor").unwrap_or("start");
                letters::path(&unescaped(text), bold, size, anchor, (number("x")?, number("y")?))?
            }
            name => return Err(refused("an element that cannot be painted", name)),
        };
        // Nothing to see: a text without letters, a line without length.
        let Some(path) = path else { return Ok(()) };
        if let Some(mut colour) = self.colour("fill")? {
            colour.set_alpha(self.number("fill-opacity", 1.0)?.clamp(0.0, 1.0));
            pixels.fill_path(&path, &paint(colour), FillRule::Winding, place, None);
        }
        if let Some(colour) = self.colour("stroke")? {
            let dash = StrokeDash::new(self.numbers("stroke-dasharray")?, 0.0);
            let stroke = Stroke { width: self.number("stroke-width", 1.0)?, dash, ..Stroke::default() };
            pixels.stroke_path(&path, &paint(colour), &stroke, place, None);
        }
        Ok(())
    }

    fn colour(&self, name: &str) -> Result<Option<Color>, Error> {
        let Some(text) = self.get(name).filter(|text| *text != "none") else { return Ok(None) };
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6);
        let rgb = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let [_, r, g, b] = rgb.ok_or_else(|| refused(name, text))?.to_be_bytes();
        Ok(Some(Color::from_rgba8(r, g, b, 255)))
    }
}

fn paint(colour: Color) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color(colour);
    paint
}

fn numbers(text: &str) -> Result<Vec<f32>, Error> {
    text.split_whitespace().map(|number| number.parse().map_err(|_| refused("a number", number))).collect()
}

/// Text as maud escaped it.
fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

/// The path of `d`: to a place, lines to others, one that goes on level, and back to the beginning.
fn along(d: &str) -> Result<Option<tiny_skia::Path>, Error> {
    let mut path = PathBuilder::new();
    let starts: Vec<usize> = d.match_indices(char::is_alphabetic).map(|(at, _)| at).chain([d.len()]).collect();
    for ends in starts.windows(2) {
        let (command, rest) = d[ends[0]..ends[1]].split_at(1);
        match (command, &numbers(rest)?[..]) {
            ("M", &[x, y]) => path.move_to(x, y),
            ("L", &[x, y]) => path.line_to(x, y),
            ("h", &[x]) => {
                let from = path.last_point().unwrap_or_default();
                path.line_to(from.x + x, from.y);
            }
            ("Z", []) => path.close(),
            _ => return Err(refused("a path", d)),
        }
    }
    Ok(path.finish())
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

#[cfg(test)]
mod tests;
