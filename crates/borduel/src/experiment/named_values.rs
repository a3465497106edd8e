//! Values by name in a fixed order: an object in files, a short list in memory.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;

/// Values by name, in the order in which they were given.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedValues<T>(Vec<(String, T)>);

impl<T> NamedValues<T> {
    /// The names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The value of this name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.iter().find(|entry| entry.0 == name).map(|entry| entry.1)
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T> Default for NamedValues<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> FromIterator<(String, T)> for NamedValues<T> {
    fn from_iter<I: IntoIterator<Item = (String, T)>>(entries: I) -> Self {
        Self(entries.into_iter().collect())
    }
}

impl<T: Serialize> Serialize for NamedValues<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for NamedValues<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

struct Entries<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
    type Value = NamedValues<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<NamedValues<T>, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(NamedValues(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_kept_through_a_file() {
        let named: NamedValues<u32> = [("z".to_owned(), 1), ("a".to_owned(), 2)].into_iter().collect();
        let text = serde_json::to_string(&named).unwrap();
        assert_eq!(text, r#"{"z":1,"a":2}"#);
        assert_eq!(serde_json::from_str::<NamedValues<u32>>(&text).unwrap(), named);
        assert_eq!((named.get("a"), named.get("b")), (Some(&2), None));
    }
}
