//! Policies as a file lists them: by name alone, or as a table with settings.

use crate::policy::PolicyConfig;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

/// Reads `["uniform", { policy = "bexp3", gamma = 0.1 }]`.
pub(super) fn policies<'de, D: Deserializer<'de>>(list: D) -> Result<Vec<PolicyConfig>, D::Error> {
    let listed = Vec::<Listed>::deserialize(list)?;
    Ok(listed.into_iter().map(|Listed(policy)| policy).collect())
}

struct Listed(PolicyConfig);

impl<'de> Deserialize<'de> for Listed {
    fn deserialize<D: Deserializer<'de>>(policy: D) -> Result<Self, D::Error> {
        policy.deserialize_any(NameOrTable).map(Self)
    }
}

struct NameOrTable;

impl<'de> Visitor<'de> for NameOrTable {
    type Value = PolicyConfig;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a policy's name, or a table with its name (`policy`) and settings")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<PolicyConfig, E> {
        PolicyConfig::named(name).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<PolicyConfig, A::Error> {
        PolicyConfig::deserialize(MapAccessDeserializer::new(table))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct File {
        #[serde(deserialize_with = "policies")]
        policies: Vec<PolicyConfig>,
    }

    #[test]
    fn a_name_is_the_policy_with_the_papers_settings() {
        let read = |text: &str| serde_json::from_str::<File>(text).map(|file| file.policies);
        let both = read(r#"{"policies": ["uniform", {"policy": "uniform"}]}"#).unwrap();
        assert_eq!(both, vec![PolicyConfig::named("uniform").unwrap(); 2]);
        let wrong = |text: &str| read(text).unwrap_err().to_string();
        assert!(wrong(r#"{"policies": ["unifrom"]}"#).contains("uniform"));
        assert!(wrong(r#"{"policies": [3]}"#).contains("a policy's name, or a table"));
    }
}
