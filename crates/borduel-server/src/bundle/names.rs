//! Finding items and contexts by whatever people call them, and keys for those that are new.

use borduel_study::content::key_of;
use std::collections::HashMap;

/// The most characters of a text that is taken for a name.
const NAME: usize = 80;

/// Names and the keys that they stand for.
#[derive(Debug, Default)]
pub(super) struct Names {
    keys: HashMap<String, String>,
    taken: std::collections::HashSet<String>,
}

impl Names {
    /// Takes note of what has a key, and of what else it may be called; what was noted before stays.
    pub(super) fn note(&mut self, key: &str, others: &[&str]) {
        self.taken.insert(key.to_owned());
        for name in [key].iter().chain(others).filter(|name| !name.is_empty()) {
            self.keys.entry((*name).to_owned()).or_insert_with(|| key.to_owned());
        }
    }

    /// The key of a name.
    pub(super) fn find(&self, name: &str) -> Option<&str> {
        self.keys.get(name).map(String::as_str)
    }

    /// A new key for a name: the name itself where it can be one, or made of its beginning.
    pub(super) fn add(&mut self, name: &str, or: &str) -> String {
        let fine = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        let is_key = (1..=64).contains(&name.len()) && name.chars().all(fine) && name != "." && name != "..";
        let key = if is_key && !self.taken.contains(name) {
            name.to_owned()
        } else {
            let begins: String = name.chars().take(NAME / 2).collect();
            let begins = if begins.contains(|c: char| c.is_ascii_alphanumeric()) { begins } else { or.to_owned() };
            key_of(&begins, |key| self.taken.contains(key))
        };
        self.note(&key, &[name]);
        key
    }
}

/// Whether a name is short enough to be one; otherwise it is the text itself.
pub(super) fn is_name(name: &str) -> bool {
    name.chars().count() <= NAME && !name.contains('\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_find_what_they_stand_for() {
        let mut names = Names::default();
        names.note("k8s", &["Kubernetes", "What is a pod?"]);
        assert_eq!(
            ["k8s", "Kubernetes", "What is a pod?", "pod"].map(|name| names.find(name)),
            [Some("k8s"), Some("k8s"), Some("k8s"), None]
        );
        assert_eq!(
            [names.add("ada-4.1", "item"), names.add("Why so?", "item"), names.add("茶", "context")],
            ["ada-4.1", "why-so", "context"]
        );
        assert_eq!(names.find("茶"), Some("context"));
        assert_eq!(names.add("水", "context"), "context-2");
    }
}
