//! Labels that tell apart entries of the same policy with different settings.

use crate::policy::PolicyConfig;
use serde_json::{Map, Value};

/// One label a policy: its name in the paper, and what distinguishes it from others of that name.
pub(super) fn labels(policies: &[PolicyConfig]) -> Vec<String> {
    let settings: Vec<Map<String, Value>> = policies.iter().map(settings).collect();
    let label = |(index, policy): (usize, &PolicyConfig)| {
        let rivals: Vec<&Map<String, Value>> =
            (0..policies.len()).filter(|j| policies[*j].name() == policy.name()).map(|j| &settings[j]).collect();
        let own: Vec<String> = changed(policy, &settings[index])
            .filter(|(key, value)| rivals.iter().any(|rival| rival.get(*key) != Some(*value)))
            .map(|(key, value)| format!("{key} = {}", words(value)))
            .collect();
        let name = policy.label();
        if own.is_empty() { name.to_owned() } else { format!("{name}, {}", own.join(", ")) }
    };
    policies.iter().enumerate().map(label).collect()
}

/// All settings by name, as they are written in files.
fn settings(policy: &PolicyConfig) -> Map<String, Value> {
    match serde_json::to_value(policy) {
        Ok(Value::Object(settings)) => settings,
        _ => Map::new(),
    }
}

/// Those that are not what they are unless set.
fn changed<'s>(
    policy: &PolicyConfig,
    own: &'s Map<String, Value>,
) -> impl Iterator<Item = (&'s String, &'s Value)> + use<'s> {
    let unset = PolicyConfig::named(policy.name()).map(|default| settings(&default)).unwrap_or_default();
    own.iter().filter(move |(key, value)| unset.get(*key) != Some(*value))
}

/// A value as one would say it: another policy by its name and what is set in it.
fn words(value: &Value) -> String {
    match value {
        Value::String(word) => word.clone(),
        Value::Object(settings) => match serde_json::from_value::<PolicyConfig>(value.clone()) {
            Ok(policy) => {
                let own: Vec<String> =
                    changed(&policy, settings).map(|(key, value)| format!("{key} = {}", words(value))).collect();
                if own.is_empty() {
                    policy.name().to_owned()
                } else {
                    format!("{} ({})", policy.name(), own.join(", "))
                }
            }
            Err(_) => value.to_string(),
        },
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_said() {
        let read = |text: &str| toml::from_str::<PolicyConfig>(text).unwrap();
        let list = [
            read("policy = \"bexp3\""),
            read("policy = \"bexp3\"\nlambda0 = \"exact\""),
            read("policy = \"bexp3\"\nlambda0 = \"exact\"\neta = 0.5"),
            read("policy = \"betc-glm\"\ndesign = \"paper\""),
            read("policy = \"anytime\""),
            read("policy = \"anytime\"\nbase = { policy = \"dexp3\", eta = 0.25 }"),
        ];
        let expected = [
            "BEXP3",
            "BEXP3, lambda0 = exact",
            "BEXP3, eta = 0.5, lambda0 = exact",
            "BETC-GLM",
            "Anytime",
            "Anytime, base = dexp3 (eta = 0.25)",
        ];
        assert_eq!(labels(&list), expected);
    }
}
