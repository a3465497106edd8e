//! Reads TOML so that every error knows its line, and every unknown key its nearest neighbour.
//!
//! Enums that are told apart by a key of theirs are buffered by serde, and what is wrong inside loses its place. Here
//! the error itself carries the offending key or word, and the innermost table on the way out looks it up.

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{self, DeserializeOwned, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use std::fmt;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What is wrong, and where.
#[derive(Debug)]
pub(super) struct Trouble {
    message: String,
    /// The key or the word that is at fault, until its place is known.
    culprit: Option<String>,
    span: Option<Range<usize>>,
}

/// Reads a value from a file's text, or says in which line it is wrong.
pub(super) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let locate = |span: Option<Range<usize>>, message: &str| {
        let line = text[..span.map_or(0, |s| s.start).min(text.len())].matches('\n').count() + 1;
        format!("line {line}: {message}")
    };
    let table = DeTable::parse(text).map_err(|error| locate(error.span(), error.message()))?;
    let span = table.span();
    let root = Spanned::new(span, DeValue::Table(table.into_inner()));
    T::deserialize(Node(&root)).map_err(|trouble| locate(trouble.span, &trouble.message))
}

/// The line of a key, if the file has exactly one of this name.
pub(super) fn line_of(text: &str, key: &str) -> Option<usize> {
    let table = DeTable::parse(text).ok()?;
    let root = Spanned::new(table.span(), DeValue::Table(table.into_inner()));
    let mut found = Vec::new();
    find(&root, key, &mut found);
    let [only] = found.as_slice() else { return None };
    Some(text[..only.start].matches('\n').count() + 1)
}

/// The places where a key or a word of this name stands.
fn find(node: &Spanned<DeValue<'_>>, name: &str, found: &mut Vec<Range<usize>>) {
    match node.get_ref() {
        DeValue::String(word) if word == name => found.push(node.span()),
        DeValue::Array(items) => items.iter().for_each(|item| find(item, name, found)),
        DeValue::Table(table) => {
            for (key, value) in table {
                if key.get_ref() == name {
                    found.push(key.span());
                }
                find(value, name, found);
            }
        }
        _ => {}
    }
}

impl Trouble {
    /// Notes the place: that of the culprit within this node, or the node itself.
    fn within(mut self, node: &Spanned<DeValue<'_>>) -> Self {
        if self.span.is_none() {
            let mut found = Vec::new();
            if let Some(culprit) = &self.culprit {
                find(node, culprit, &mut found);
            }
            self.span = found.into_iter().next().or_else(|| Some(node.span()));
        }
        self
    }

    fn unknown(kind: &'static str, name: &str, known: &[&str]) -> Self {
        let message = borduel::Error::unknown(kind, name, known).to_string();
        Self { message, culprit: Some(name.to_owned()), span: None }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Trouble {}

impl de::Error for Trouble {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self { message: message.to_string(), culprit: None, span: None }
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        Self::unknown("key", field, expected)
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::unknown("name", variant, expected)
    }

    fn missing_field(field: &'static str) -> Self {
        Self::custom(format!("`{field}` is missing"))
    }

    fn invalid_type(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        match expected.to_string() {
            // What serde calls an enum is a table with a name and settings to whoever writes the file.
            kind if kind.contains("tagged enum") => Self::custom(format!(
                "found {found}, a table with its kind and settings is needed (`borduel run --example` shows some)"
            )),
            expected => {
                let expected = match expected.as_str() {
                    "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number, 0 or more,",
                    "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
                    "f32" | "f64" => "a number",
                    other => other,
                };
                Self::custom(format!("found {found}, {expected} is needed"))
            }
        }
    }
}

/// A value in the file.
struct Node<'a, 'i>(&'a Spanned<DeValue<'i>>);

impl IntoDeserializer<'_, Trouble> for Node<'_, '_> {
    type Deserializer = Self;
    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Node<'_, '_> {
    type Error = Trouble;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        let custom = |message: &str| <Trouble as de::Error>::custom(message);
        let read = match self.0.get_ref() {
            DeValue::String(text) => visitor.visit_str(text),
            DeValue::Boolean(value) => visitor.visit_bool(*value),
            DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
                Ok(number) if number >= 0 => visitor.visit_u64(number as u64),
                Ok(number) => visitor.visit_i64(number),
                Err(_) => Err(custom("the number is too large")),
            },
            DeValue::Float(number) => match number.as_str().parse::<f64>() {
                Ok(value) if value.is_finite() => visitor.visit_f64(value),
                _ => Err(custom(&format!("{} is not a finite number", number.as_str()))),
            },
            DeValue::Datetime(_) => Err(custom("a date is of no use here")),
            DeValue::Array(items) => visitor.visit_seq(SeqDeserializer::new(items.iter().map(Node))),
            DeValue::Table(table) => {
                let entries = table.iter().map(|(key, value)| (key.get_ref().as_ref(), Node(value)));
                visitor.visit_map(MapDeserializer::<'de, _, Trouble>::new(entries))
            }
        };
        read.map_err(|trouble| trouble.within(self.0))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Trouble> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Trouble> {
        let read = match self.0.get_ref() {
            DeValue::String(text) => {
                let word: de::value::StrDeserializer<'_, Trouble> = text.as_ref().into_deserializer();
                word.deserialize_enum(name, variants, visitor)
            }
            _ => Err(de::Error::custom(format!("one of {} is needed", variants.join(", ")))),
        };
        read.map_err(|trouble| trouble.within(self.0))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use borduel::Experiment;

    fn error(text: &str) -> String {
        parse::<Experiment>(text).unwrap_err()
    }

    const GOOD: &str =
        "runs = 3\nhorizons = [1_000]\n[[environments]]\nkind = \"hard\"\nd = 3\n[[policies]]\npolicy = \"bexp3\"\n";

    #[test]
    fn a_file_is_read_as_toml_reads_it() {
        assert_eq!(parse::<Experiment>(GOOD).unwrap(), toml::from_str(GOOD).unwrap());
    }

    #[test]
    fn unknown_keys_are_named_with_line_and_neighbour() {
        assert!(
            error(&format!("runz = 3\n{GOOD}")).starts_with("line 1: unknown key \"runz\" (did you mean \"runs\"?)")
        );
        let inner = error(&format!("{GOOD}gama = 0.1\n"));
        assert!(inner.starts_with("line 8: unknown key \"gama\" (did you mean \"gamma\"?)"), "{inner}");
        let environment = error(&GOOD.replace("d = 3", "d = 3\ngapp = 0.1"));
        assert!(environment.starts_with("line 6: unknown key \"gapp\" (did you mean \"gap\"?)"), "{environment}");
    }

    #[test]
    fn unknown_names_and_wrong_types_have_lines_too() {
        let policy = error(&GOOD.replace("bexp3", "bexp33"));
        assert!(policy.starts_with("line 7: unknown name \"bexp33\" (did you mean \"bexp3\"?)"), "{policy}");
        let kind = error(&GOOD.replace("\"hard\"", "\"hart\""));
        assert!(kind.starts_with("line 4: unknown name \"hart\" (did you mean \"hard\"?)"), "{kind}");
        let name = error("policies = [\"bexp33\"]\nenvironments = []\n");
        assert!(name.starts_with("line 1: unknown policy \"bexp33\" (did you mean \"bexp3\"?)"), "{name}");
        let table = error("policies = []\nenvironments = [\"hard\"]\n");
        assert!(table.starts_with("line 2: found string \"hard\", a table with its kind"), "{table}");
        let number = error(&GOOD.replace("runs = 3", "runs = \"three\""));
        assert!(number.starts_with("line 1: found string \"three\", a whole number, 0 or more, is needed"), "{number}");
        assert!(error(&GOOD.replace("[1_000]", "[1_000, nan]")).starts_with("line 2: nan is not a finite number"));
        assert!(error("runs = \n").starts_with("line 1: "));
        assert!(error("runs = 3\n").contains("`environments` is missing"));
    }

    #[test]
    fn keys_can_be_looked_up() {
        assert_eq!(line_of(GOOD, "d"), Some(5));
        assert_eq!(line_of(&format!("{GOOD}[[environments]]\nkind = \"hard\"\nd = 4\n"), "d"), None);
    }
}
