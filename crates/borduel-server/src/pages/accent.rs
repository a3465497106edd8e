//! The organiser's colour of buttons and links, as a style sheet of its own: pages allow no styles within them.

use crate::problem::Problem;
use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

/// Red, green and blue, from 0 to 255.
type Colour = [u8; 3];

/// The least contrast of words with what is behind them (WCAG 2.2, level AA).
const CONTRAST: f64 = 4.5;
/// What is behind words: the darkest of the light scheme and the lightest of the dark one, as page.css has them.
const BEHIND: [(Colour, Colour); 2] = [([0xee, 0xf3, 0xfa], [0; 3]), ([0x1b, 0x27, 0x38], [255; 3])];

/// Serves the style of a colour, `rrggbb.css`.
pub(super) async fn get(Path(name): Path<String>) -> Response {
    let Some(colour) = name.strip_suffix(".css").and_then(parse) else {
        return Problem::not_found("there is no such colour").into_response();
    };
    let [light, dark] = BEHIND.map(|(behind, towards)| {
        let [red, green, blue] = readable(colour, behind, towards);
        format!(":root {{ --blue: #{red:02x}{green:02x}{blue:02x}; }}")
    });
    let headers = [(CONTENT_TYPE, "text/css; charset=utf-8"), (CACHE_CONTROL, "public, max-age=31536000, immutable")];
    (headers, format!("{light}\n@media (prefers-color-scheme: dark) {{ {dark} }}\n")).into_response()
}

/// A colour of six hexadecimal digits.
fn parse(text: &str) -> Option<Colour> {
    let number = u32::from_str_radix(text, 16)
        .ok()
        .filter(|_| text.len() == 6 && text.bytes().all(|c| c.is_ascii_hexdigit()))?;
    let [_, red, green, blue] = number.to_be_bytes();
    Some([red, green, blue])
}

/// The colour, with as little black or white mixed in as makes it readable.
fn readable(colour: Colour, behind: Colour, towards: Colour) -> Colour {
    let mixed = |percent: u16| {
        let mix = |from: u8, to: u8| ((u16::from(from) * (100 - percent) + u16::from(to) * percent) / 100) as u8;
        [0, 1, 2].map(|channel| mix(colour[channel], towards[channel]))
    };
    (0..=100).map(mixed).find(|&mixed| contrast(mixed, behind) >= CONTRAST).unwrap_or(towards)
}

/// The contrast of two colours, (L₁ + 0.05) / (L₂ + 0.05) for their relative luminances L₁ ≥ L₂ (WCAG 2.2).
fn contrast(one: Colour, other: Colour) -> f64 {
    let luminance = |colour: Colour| {
        let [red, green, blue] = colour.map(|channel| {
            let share = f64::from(channel) / 255.0;
            if share <= 0.040_45 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    };
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_colour_can_be_read_in_both_schemes() {
        for colour in [[0; 3], [255; 3], [0xff, 0xee, 0], [0x0f, 0x72, 0x68], [0xd0, 0, 0], [0x77, 0x77, 0x77]] {
            for (behind, towards) in BEHIND {
                let shown = readable(colour, behind, towards);
                assert!(contrast(shown, behind) >= CONTRAST, "{colour:?} {shown:?}");
            }
        }
        assert_eq!(readable([0x0f, 0x72, 0x68], BEHIND[0].0, [0; 3]), [0x0f, 0x72, 0x68], "what can be read stays");
        assert!((contrast([0; 3], [255; 3]) - 21.0).abs() < 1e-9);
    }

    #[test]
    fn six_digits_are_a_colour() {
        assert_eq!(parse("0f7268"), Some([0x0f, 0x72, 0x68]));
        for none in ["", "fff", "0f726g", "0f72680", "+f7268", "é7268"] {
            assert_eq!(parse(none), None, "{none}");
        }
    }
}
