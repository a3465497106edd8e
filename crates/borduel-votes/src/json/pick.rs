//! The wanted values of a JSON object, by the full parser.

use crate::table::trim;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// A wanted value that is not one value, by its index, and why.
pub(super) type Fault = Option<(usize, &'static str)>;

/// Writes the wanted values of an object into their fields, empty where there is none, and skips everything else.
pub(super) fn pick(
    text: &str,
    wanted: &[String],
    fields: &mut [String],
    seen: &mut [bool],
) -> serde_json::Result<Fault> {
    fields.iter_mut().for_each(String::clear);
    seen.fill(false);
    let mut picked = Picked { wanted, fields, seen, fault: None };
    // From text rather than bytes: the parser then need not check every string again.
    let mut deserializer = serde_json::Deserializer::from_str(text);
    deserializer.deserialize_map(Below { path: "", picked: &mut picked })?;
    deserializer.end()?;
    Ok(picked.fault)
}

/// What is wanted, and what was found of it.
struct Picked<'a> {
    wanted: &'a [String],
    fields: &'a mut [String],
    seen: &'a mut [bool],
    fault: Fault,
}

/// The object, list or value at a path.
struct Below<'a, 'b> {
    path: &'a str,
    picked: &'a mut Picked<'b>,
}

impl Below<'_, '_> {
    /// The path of something within.
    fn path<'k>(&self, key: &'k str) -> Cow<'k, str> {
        if self.path.is_empty() { Cow::Borrowed(key) } else { Cow::Owned(format!("{}.{key}", self.path)) }
    }

    /// Whether the value at a path, or something within it, is wanted.
    fn wants(&self, path: &str) -> bool {
        self.picked
            .wanted
            .iter()
            .any(|name| name.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
    }

    /// The index of this path among the wanted ones, noted as seen.
    fn index(&mut self) -> Option<usize> {
        let index = self.picked.wanted.iter().position(|name| name == self.path)?;
        if std::mem::replace(&mut self.picked.seen[index], true) {
            self.picked.fault = Some((index, "is given twice in one object"));
        }
        Some(index)
    }

    fn nested(&mut self) {
        if let Some(index) = self.index() {
            self.picked.fault = Some((index, "holds a list or an object, not one value"));
        }
    }

    fn write<E: serde::de::Error>(mut self, value: fmt::Arguments<'_>) -> Result<(), E> {
        match self.index() {
            Some(index) => fmt::Write::write_fmt(&mut self.picked.fields[index], value).map_err(E::custom),
            None => Ok(()),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Below<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Below<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        if !self.path.is_empty() {
            self.nested();
        }
        while let Some(Key(key)) = map.next_key::<Key<'de>>()? {
            let path = self.path(&key);
            if self.wants(&path) {
                map.next_value_seed(Below { path: &path, picked: self.picked })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        // A list of one value is that value.
        if self.picked.wanted.iter().any(|name| name == self.path) {
            let one = list.next_element_seed(Below { path: self.path, picked: self.picked })?;
            if one.is_some() && list.next_element::<IgnoredAny>()?.is_some() {
                self.nested();
                while list.next_element::<IgnoredAny>()?.is_some() {}
            }
            return Ok(());
        }
        for at in 0_u64.. {
            let path = format!("{}.{at}", self.path);
            let more = if self.wants(&path) {
                list.next_element_seed(Below { path: &path, picked: self.picked })?.is_some()
            } else {
                list.next_element::<IgnoredAny>()?.is_some()
            };
            if !more {
                break;
            }
        }
        Ok(())
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<(), E> {
        self.write(format_args!("{}", trim(text)))
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        self.write(format_args!(""))
    }

    fn visit_bool<E: serde::de::Error>(self, flag: bool) -> Result<(), E> {
        self.write(format_args!("{flag}"))
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<(), E> {
        self.write(format_args!("{number}"))
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<(), E> {
        self.write(format_args!("{number}"))
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<(), E> {
        // With its point, so that 1.0 stays what it is in the file.
        self.write(format_args!("{number:?}"))
    }
}

/// A key, borrowed from the input where it has no escapes.
struct Key<'de>(Cow<'de, str>);

impl<'de> serde::Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Borrow;
        impl<'de> Visitor<'de> for Borrow {
            type Value = Key<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }
            fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(key)))
            }
            fn visit_str<E>(self, key: &str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(key.to_owned())))
            }
        }
        deserializer.deserialize_str(Borrow)
    }
}
