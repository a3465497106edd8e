//! The names of the columns of JSON objects: keys, and paths to what lies within objects and short lists.

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::collections::HashSet;
use std::fmt;

/// Lists of two to so many elements are taken apart: they are pairs of things more often than data. So is a list of a
/// single object, as annotation tools write what one person said; a list of a single value is that value.
const SHORT: usize = 4;

/// Names in the order in which they were first seen.
#[derive(Default)]
pub(super) struct Keys {
    names: Vec<String>,
    known: HashSet<String>,
    /// What some object holds in parts.
    parents: HashSet<String>,
}

impl Keys {
    /// Adds the names of an object.
    pub(super) fn add(&mut self, object: &str) -> serde_json::Result<()> {
        let mut found = Vec::new();
        let mut deserializer = serde_json::Deserializer::from_str(object);
        deserializer.deserialize_map(Paths { prefix: String::new(), found: &mut found, parents: &mut self.parents })?;
        deserializer.end()?;
        for name in found {
            if self.known.insert(name.clone()) {
                self.names.push(name);
            }
        }
        Ok(())
    }

    /// All names but those of which some row holds parts.
    pub(super) fn names(self) -> Vec<String> {
        self.names.into_iter().filter(|name| !self.parents.contains(name)).collect()
    }
}

/// Collects the paths of all scalars below a prefix.
struct Paths<'a> {
    prefix: String,
    found: &'a mut Vec<String>,
    parents: &'a mut HashSet<String>,
}

impl Paths<'_> {
    fn below(&mut self, key: &str) -> Paths<'_> {
        let prefix = if self.prefix.is_empty() { key.to_owned() } else { format!("{}.{key}", self.prefix) };
        Paths { prefix, found: self.found, parents: self.parents }
    }

    fn leaf(self) {
        self.found.push(self.prefix);
    }
}

impl<'de> DeserializeSeed<'de> for Paths<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Paths<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            map.next_value_seed(self.below(&key))?;
        }
        self.parents.insert(self.prefix);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        let (before, mut length) = (self.found.len(), 0);
        while length < SHORT && list.next_element_seed(self.below(&length.to_string()))?.is_some() {
            length += 1;
        }
        while list.next_element::<IgnoredAny>()?.is_some() {
            length += 1;
        }
        let value = length == 1 && self.found[before..] == [format!("{}.0", self.prefix)];
        if value || !(1..=SHORT).contains(&length) {
            self.found.truncate(before);
            self.leaf();
            return Ok(());
        }
        self.parents.insert(self.prefix);
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        self.leaf();
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.leaf();
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        self.leaf();
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        self.leaf();
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        self.leaf();
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        self.leaf();
        Ok(())
    }
}
