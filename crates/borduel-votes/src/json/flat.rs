//! The quick way through the objects of which most files consist: strings without escapes, and whole numbers.

use crate::table::trim;

/// Writes the wanted values of an object into their (empty) fields. `false` when the object holds anything else, is not
/// valid, or names something twice: the fields are then of no use, and the full parser has the word.
pub(super) fn pick(text: &str, wanted: &[String], fields: &mut [String], seen: &mut [bool]) -> bool {
    seen.fill(false);
    scan(text, |key, value| {
        let Some(index) = wanted.iter().position(|name| name == key) else { return true };
        fields[index].push_str(trim(value));
        !std::mem::replace(&mut seen[index], true)
    })
    .is_some()
}

/// Calls back with every key and value as long as that returns `true`; `None` if it did not, or at anything unusual.
fn scan<'a>(text: &'a str, mut call: impl FnMut(&'a str, &'a str) -> bool) -> Option<()> {
    let mut rest = text.trim_ascii_start().strip_prefix('{')?;
    loop {
        let (key, after) = string(rest.trim_ascii_start())?;
        let after = after.trim_ascii_start().strip_prefix(':')?.trim_ascii_start();
        let (value, after) = if after.starts_with('"') { string(after)? } else { whole_number(after)? };
        if !call(key, value) {
            return None;
        }
        rest = after.trim_ascii_start();
        if let Some(next) = rest.strip_prefix(',') {
            rest = next;
        } else {
            return rest.strip_prefix('}')?.trim_ascii_start().is_empty().then_some(());
        }
    }
}

/// A string without escapes, and what follows it.
fn string(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix('"')?;
    let end = inside.bytes().position(|b| matches!(b, b'"' | b'\\' | 0..=0x1f))?;
    let (value, rest) = inside.split_at(end);
    Some((value, rest.strip_prefix('"')?))
}

/// Digits as they are, where no other way of writing the same number is in question.
fn whole_number(text: &str) -> Option<(&str, &str)> {
    let end = text.bytes().position(|b| !b.is_ascii_digit())?;
    let (digits, rest) = text.split_at(end);
    let usual = (1..=18).contains(&end) && (end == 1 || !digits.starts_with('0'));
    let ends_here = matches!(rest.as_bytes()[0], b',' | b'}' | b' ' | b'\t');
    (usual && ends_here).then_some((digits, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picked(text: &str) -> Option<(String, String)> {
        let wanted = ["b".to_owned(), "a".to_owned()];
        let mut fields = [String::new(), String::new()];
        pick(text, &wanted, &mut fields, &mut [true, true]).then(|| {
            let [b, a] = fields;
            (a, b)
        })
    }

    #[test]
    fn flat_objects_are_read_and_all_others_are_left_to_the_parser() {
        let is = |a: &str, b: &str| Some((a.to_owned(), b.to_owned()));
        assert_eq!(picked(r#"{"a":"x","b":"y"}"#), is("x", "y"));
        assert_eq!(picked(" { \"c\" : \"{,}\" , \"b\" : \" ü \" , \"a\" : 12 } \r\n"), is("12", "ü"));
        assert_eq!(picked(r#"{"c":0}"#), is("", ""));
        for other in [
            r#"{"a":"x\n"}"#,
            r#"{"\u0061":"x"}"#,
            r#"{"a":1.5}"#,
            r#"{"a":-1}"#,
            r#"{"a":01}"#,
            r#"{"a":1e3}"#,
            r#"{"a":1234567890123456789}"#,
            r#"{"a":null}"#,
            r#"{"a":true}"#,
            r#"{"a":["x"]}"#,
            r#"{"a":"x","a":"y"}"#,
            r#"{"a":"x"} x"#,
            r#"{"a":"x",}"#,
            r#"{"a" "x"}"#,
            "{\"a\":\"x\u{1}\"}",
            r#"{"a":"x"#,
            r#"{"a":1"#,
            "{}",
            "[]",
            "",
        ] {
            assert_eq!(picked(other), None, "{other}");
        }
    }
}
