//! Text that comes from data, so that it can be shown anywhere.

use std::borrow::Cow;

/// The text with everything written out that would act rather than be seen: control characters (a terminal obeys them,
/// and pictures cannot hold them), line ends, and marks that turn the direction of writing.
///
/// ```
/// assert_eq!(borduel_report::plain("red \u{1b}[31m tea\n"), "red \\u{1b}[31m tea\\u{a}");
/// assert_eq!(borduel_report::plain("thé vert"), "thé vert");
/// ```
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if acts(c) { out.extend(c.escape_unicode()) } else { out.push(c) }
    }
    Cow::Owned(out)
}

fn acts(c: char) -> bool {
    let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    // Those two end a line for some readers; the last two are no characters at all, and XML refuses them.
    c.is_control() || turns || matches!(c, '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}')
}

/// What to call an item of the ballots.
pub type NameOf<'a> = &'a dyn Fn(usize) -> String;

/// Up to `most` names, and how many more.
pub(crate) fn names(items: &[usize], most: usize, name: NameOf<'_>) -> String {
    let mut text = items.iter().take(most).map(|&i| name(i)).collect::<Vec<_>>().join(", ");
    if items.len() > most {
        text += &format!(" and {} more", items.len() - most);
    }
    text
}

/// A share in percent, without the digits that only the arithmetic has made (100 × 0.57 is 56.99999999999999).
pub(crate) fn percent(share: f64) -> String {
    let text = format!("{:.6}", 100.0 * share);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// About how wide a text is in a proportional font of this size, in pixels, rather more than less: what is given this
/// room is not cut off.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    let one = |c: char| match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' => 0.36,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '—' | '…' => 1.02,
        'a'..='z' | '0'..='9' | '-' | '_' | '(' | ')' | '/' => 0.64,
        'A'..='Z' => 0.76,
        // Ideographs, syllables and pictures fill a square.
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe4f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{1f000}'..='\u{3fffd}' => 1.12,
        _ => 0.8,
    };
    text.chars().map(one).sum::<f64>() * size
}

/// The beginning of a text that fits into so many pixels, with an ellipsis where something is missing.
pub(crate) fn fitting(text: &str, size: f64, room: f64) -> Cow<'_, str> {
    if width(text, size) <= room {
        return Cow::Borrowed(text);
    }
    let (mut kept, mut left) = (String::new(), room - width("…", size));
    for c in text.chars() {
        left -= width(c.encode_utf8(&mut [0; 4]), size);
        if left < 0.0 {
            break;
        }
        kept.push(c);
    }
    kept.push('…');
    Cow::Owned(kept)
}

/// The most characters of a name within a line that people read.
const MOST: usize = 100;

/// A text or, of a very long one, its beginning and its end with an ellipsis between them.
pub(crate) fn short(text: &str) -> Cow<'_, str> {
    if text.len() <= MOST || text.chars().nth(MOST).is_none() {
        return Cow::Borrowed(text);
    }
    // It has more than MOST characters, so that both ends are there and do not meet.
    let cut = text.char_indices().nth(MOST / 2).map_or(0, |(at, _)| at);
    let from = text.char_indices().rev().nth(MOST - MOST / 2 - 2).map_or(0, |(at, _)| at);
    Cow::Owned(format!("{}…{}", &text[..cut], &text[from..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_acts_any_more() {
        for text in ["a\u{1b}[2J", "a\r\nb", "\u{202e}kcab", "\u{0}", "\u{9b}31m", "\u{ffff}", "a\u{2028}b"] {
            let shown = plain(text);
            assert!(!shown.contains(acts) && shown.contains("\\u{"), "{shown:?}");
        }
        assert!(matches!(plain("Ærø, 東京, 🍵"), Cow::Borrowed(_)));
    }

    #[test]
    fn what_fits_is_kept_and_the_rest_is_marked() {
        assert_eq!(fitting("tea", 13.0, 100.0), "tea");
        let cut = fitting("WWWWWWWWWWWWWWWWWWWW", 13.0, 100.0);
        assert!(cut.ends_with('…') && width(&cut, 13.0) <= 100.0, "{cut}");
        assert!(width("東京", 13.0) > width("abc", 13.0));
        assert_eq!(fitting("WWW", 13.0, 5.0), "…");
        // One pass, whatever the length.
        assert!(fitting(&"x".repeat(3_000_000), 13.0, 200.0).chars().count() < 40);
    }

    #[test]
    fn long_names_keep_both_ends() {
        let name = "ä".repeat(MOST - 1);
        assert_eq!(short(&format!("{name}ß")), format!("{name}ß"));
        let cut = short(&format!("{name}ßx")).into_owned();
        assert!(cut.chars().count() == MOST && cut.starts_with("ää") && cut.ends_with("äßx") && cut.contains('…'));
    }
}
