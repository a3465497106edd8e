//! JSON of which the type is not known while it is read: every field once, and whole numbers as such.
//!
//! `serde_json::Value` would take the last of two fields of one name, so that what one reader sees another does not.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// A value whose objects have every field once, and in which numbers such as 168.0 are 168: in JSON both are the same
/// integer.
#[derive(Debug)]
pub(super) struct Plain(pub(super) Value);

/// An object that need not be there, or is `null`: every field once.
pub(crate) fn fields<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Map<String, Value>>, D::Error> {
    match Plain::deserialize(deserializer)?.0 {
        Value::Null => Ok(None),
        Value::Object(fields) => Ok(Some(fields)),
        _ => Err(D::Error::custom("expected an object")),
    }
}

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader).map(Self)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        if value.fract() == 0.0 && value.abs() < 9e15 {
            return Ok((value as i64).into());
        }
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Plain(value)) = list.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(name) = object.next_key::<String>()? {
            if fields.contains_key(&name) {
                return Err(A::Error::custom(format_args!("duplicate field `{name}`")));
            }
            let Plain(value) = object.next_value()?;
            fields.insert(name, value);
        }
        Ok(Value::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_what_serde_json_reads_but_for_whole_numbers_and_doubled_fields() {
        let text = r#"{"a": [1, -2, 2.5, 1e300, true, null, "x\n"], "b": {"a": {}}}"#;
        let Plain(value) = serde_json::from_str(text).unwrap();
        assert_eq!(value, serde_json::from_str::<Value>(text).unwrap());
        let Plain(value) = serde_json::from_str("[168.0, -0.0, 1e3]").unwrap();
        assert_eq!(value, serde_json::json!([168, 0, 1000]));
        for twice in [r#"{"a": 1, "a": 1}"#, r#"[{"b": {"a": 1.0, "\u0061": 1}}]"#] {
            let error = serde_json::from_str::<Plain>(twice).unwrap_err();
            assert!(error.is_data() && error.to_string().starts_with("duplicate field `a`"), "{error}");
        }
    }

    #[test]
    fn fields_of_an_object_are_given_once() {
        let read = |text: &str| fields(&mut serde_json::Deserializer::from_str(text));
        assert_eq!(read("null").unwrap(), None);
        assert_eq!(read(r#"{"tie": false}"#).unwrap().map(|fields| fields.len()), Some(1));
        assert!(read(r#"{"tie": true, "tie": false}"#).is_err() && read("[]").is_err() && read("3").is_err());
    }
}
