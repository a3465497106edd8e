//! Texts as shapes: the letters of Noto Sans, next to each other as their pairs want it.

use crate::Error;
use tiny_skia::{Path, PathBuilder, Transform};
use ttf_parser::gpos::{PairAdjustment, PositioningSubtable};
use ttf_parser::{Face, GlyphId, OutlineBuilder, Tag};

/// A text in letters of this size whose start, middle or end is at a place; nothing where there is nothing to see.
pub(super) fn path(text: &str, bold: bool, size: f32, anchor: &str, (x, y): (f32, f32)) -> Result<Option<Path>, Error> {
    let font = if bold { notosans::BOLD_TTF } else { notosans::REGULAR_TTF };
    let face = Face::parse(font, 0).map_err(|error| Error::Picture(error.to_string()))?;
    let (mut outline, mut before) = (Outline::default(), None);
    for letter in text.chars() {
        // What the font lacks is a box.
        let glyph = face.glyph_index(letter).unwrap_or_default();
        outline.x += f32::from(before.map_or(0, |before| kerning(&face, before, glyph)));
        face.outline_glyph(glyph, &mut outline);
        outline.x += f32::from(face.glyph_hor_advance(glyph).unwrap_or(0));
        before = Some(glyph);
    }
    let scale = size / f32::from(face.units_per_em());
    let left = match anchor {
        "start" => x,
        "middle" => x - 0.5 * scale * outline.x,
        "end" => x - scale * outline.x,
        other => return Err(super::refused("text-anchor", other)),
    };
    let place = Transform::from_row(scale, 0.0, 0.0, -scale, left, y);
    Ok(outline.path.finish().and_then(|path| path.transform(place)))
}

/// By how much two neighbours stand closer (or less close) than they are wide, in units of the font.
fn kerning(face: &Face<'_>, left: GlyphId, right: GlyphId) -> i16 {
    let table = face.tables().gpos.as_ref();
    let feature = table.and_then(|table| table.features.find(Tag::from_bytes(b"kern")));
    let lookups = table
        .zip(feature)
        .into_iter()
        .flat_map(|(table, feature)| feature.lookup_indices.into_iter().filter_map(|index| table.lookups.get(index)));
    lookups
        .map(|lookup| lookup.subtables.into_iter().find_map(|pairs| adjusted(&pairs, left, right)).unwrap_or(0))
        .sum()
}

/// What a table of pairs says of these two.
fn adjusted(table: &PositioningSubtable<'_>, left: GlyphId, right: GlyphId) -> Option<i16> {
    let PositioningSubtable::Pair(pairs) = table else { return None };
    let first = pairs.coverage().get(left)?;
    let values = match pairs {
        PairAdjustment::Format1 { sets, .. } => sets.get(first)?.get(right)?,
        PairAdjustment::Format2 { classes, matrix, .. } => matrix.get((classes.0.get(left), classes.1.get(right)))?,
    };
    Some(values.0.x_advance)
}

/// The outlines of letters, each moved to its place.
#[derive(Default)]
struct Outline {
    path: PathBuilder,
    x: f32,
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.path.move_to(self.x + x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.path.line_to(self.x + x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.path.quad_to(self.x + x1, y1, self.x + x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.path.cubic_to(self.x + x1, y1, self.x + x2, y2, self.x + x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}
