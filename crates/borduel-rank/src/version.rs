//! The version that a saved value carries: written as a number, and refused where it is another one.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

/// Version N of a format: a field `version` of whatever is saved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Version<const N: u32>;

impl<const N: u32> Serialize for Version<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(N)
    }
}

impl<'de, const N: u32> Deserialize<'de> for Version<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u32::deserialize(deserializer)? {
            found if found == N => Ok(Self),
            found => Err(D::Error::custom(format!(
                "this was written in version {found} of its format; this program reads version {N}"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_versions_are_refused() {
        assert_eq!(serde_json::to_string(&Version::<3>).unwrap(), "3");
        assert_eq!(serde_json::from_str::<Version<3>>("3").unwrap(), Version);
        let error = serde_json::from_str::<Version<3>>("4").unwrap_err().to_string();
        assert!(error.contains("version 4 of its format; this program reads version 3"), "{error}");
    }
}
