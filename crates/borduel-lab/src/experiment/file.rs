//! Experiment files: read with their lines, changed by flags, and an example to start from.

use super::spans;
use crate::failure::Failure;
use borduel::{Experiment, PolicyConfig};
use serde::de::DeserializeOwned;
use std::path::Path;

/// A commented file to start from.
pub const EXAMPLE: &str = include_str!("example.toml");

/// An experiment file and its text.
pub fn load(path: &Path) -> Result<(Experiment, String), Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| Failure::reading(path, &error))?;
    let experiment = spans::parse(&text).map_err(|message| Failure::Data(format!("{}, {message}", path.display())))?;
    Ok((experiment, text))
}

/// An experiment from the text of a file.
///
/// # Errors
/// What is wrong with it, and in which line.
pub fn from_toml(text: &str) -> Result<Experiment, String> {
    spans::parse(text)
}

/// An experiment, or a policy with its settings, from the JSON that a program has made; nulls stand for what is not
/// set.
///
/// # Errors
/// What is wrong with it, in the words that are used for files.
pub fn from_json<T: DeserializeOwned>(mut value: serde_json::Value) -> Result<T, String> {
    without_nulls(&mut value);
    serde_json::from_value(value.clone()).map_err(|error| {
        // Where it can be said in TOML, the message is the better one; its line means nothing here.
        let better = toml::to_string(&value).ok().and_then(|text| spans::parse::<T>(&text).err());
        better.map_or_else(|| error.to_string(), |m| m.split_once(": ").map_or(m.clone(), |part| part.1.to_owned()))
    })
}

fn without_nulls(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(object) => {
            object.retain(|_, value| !value.is_null());
            object.values_mut().for_each(without_nulls);
        }
        serde_json::Value::Array(array) => array.iter_mut().for_each(without_nulls),
        _ => {}
    }
}

/// An error of the library about an experiment file, with the line where that can be told.
pub fn located(path: &Path, text: &str, error: &borduel::Error) -> Failure {
    let line = match error {
        borduel::Error::Setting { name, .. } => spans::line_of(text, name),
        _ => None,
    };
    let line = line.map_or_else(String::new, |line| format!(", line {line}"));
    Failure::Data(format!("{}{line}: {error}", path.display()))
}

/// Changes one setting of all entries of a policy: `policy.key=value`.
pub fn set(policies: &mut [PolicyConfig], setting: &str) -> Result<(), Failure> {
    let wrong = |reason: &str| Failure::Usage(format!("--set {setting}: {reason}"));
    let parts = setting.split_once('=').and_then(|(left, value)| Some((left.split_once('.')?, value)));
    let Some(((name, key), value)) = parts else {
        return Err(wrong("write it as POLICY.KEY=VALUE, such as bexp3.lambda0=exact"));
    };
    PolicyConfig::named(name).map_err(|error| wrong(&error.to_string()))?;
    if key == "policy" {
        return Err(wrong("is no setting but the policy itself: choose policies with --policies"));
    }
    let mut found = false;
    for policy in policies.iter_mut().filter(|policy| policy.name() == name) {
        found = true;
        let mut table = toml::Table::try_from(&*policy).map_err(|error| Failure::Internal(error.to_string()))?;
        // Numbers are numbers; anything else is a word.
        let value = value.parse::<toml::Value>().unwrap_or_else(|_| toml::Value::String(value.to_owned()));
        table.insert(key.to_owned(), value);
        let text = toml::to_string(&table).map_err(|error| Failure::Internal(error.to_string()))?;
        // The line within this little text means nothing to the user.
        *policy = spans::parse(&text).map_err(|m| wrong(m.split_once(": ").map_or(m.as_str(), |part| part.1)))?;
    }
    if found { Ok(()) } else { Err(wrong(&format!("{name} is not among the policies of this experiment"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_changed_by_name() {
        let mut policies = vec![PolicyConfig::named("bexp3").unwrap(), PolicyConfig::named("etc-borda").unwrap()];
        set(&mut policies, "bexp3.lambda0=exact").unwrap();
        set(&mut policies, "bexp3.gamma=0.25").unwrap();
        let expected: PolicyConfig = toml::from_str("policy = \"bexp3\"\nlambda0 = \"exact\"\ngamma = 0.25").unwrap();
        assert_eq!(policies[0], expected);
        for (wrong, part) in [
            ("bexp3.gama=1", "did you mean \"gamma\""),
            ("bexp.gamma=1", "did you mean \"bexp3\""),
            ("uniform.x=1", "not among"),
            ("bexp3", "POLICY.KEY=VALUE"),
            ("bexp3.policy=etc-borda", "--policies"),
            ("etc-borda.update=sometimes", "meant, printed"),
        ] {
            let Err(Failure::Usage(message)) = set(&mut policies, wrong) else { panic!("{wrong}") };
            assert!(message.contains(part) && message.contains(wrong), "{message}");
        }
    }

    #[test]
    fn the_example_is_an_experiment() {
        let example: Experiment = spans::parse(EXAMPLE).unwrap();
        assert!(example.environments.len() > 1 && example.policies.len() > 1);
    }
}
