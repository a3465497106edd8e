//! Labels that tell apart entries of the same policy with different settings.

use borduel::PolicyConfig;

/// One label a policy: its name in the paper, and what distinguishes it from others of that name.
pub(crate) fn labels(policies: &[PolicyConfig]) -> Vec<String> {
    let tables: Vec<toml::Table> = policies.iter().map(|p| toml::Table::try_from(p).unwrap_or_default()).collect();
    let label = |(index, policy): (usize, &PolicyConfig)| {
        let rivals: Vec<&toml::Table> =
            (0..policies.len()).filter(|j| policies[*j].name() == policy.name()).map(|j| &tables[j]).collect();
        let own: Vec<String> = tables[index]
            .iter()
            .filter(|(key, value)| rivals.iter().any(|rival| rival.get(*key) != Some(*value)))
            .filter(|(key, value)| default(policy).get(*key) != Some(*value))
            .map(|(key, value)| match value.as_str() {
                Some(word) => format!("{key} = {word}"),
                None => format!("{key} = {value}"),
            })
            .collect();
        let name = policy.label();
        if own.is_empty() { name.to_owned() } else { format!("{name}, {}", own.join(", ")) }
    };
    policies.iter().enumerate().map(label).collect()
}

/// The settings of a policy of this kind when nothing is set.
pub(crate) fn default(policy: &PolicyConfig) -> toml::Table {
    PolicyConfig::named(policy.name()).ok().and_then(|p| toml::Table::try_from(p).ok()).unwrap_or_default()
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
        ];
        assert_eq!(labels(&list), ["BEXP3", "BEXP3, lambda0 = exact", "BEXP3, eta = 0.5, lambda0 = exact", "BETC-GLM"]);
    }
}
