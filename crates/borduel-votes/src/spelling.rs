//! Names that differ only in case, spaces or Unicode form, and so may well be one.

use crate::error::shortened;
use std::collections::HashMap;
use unicode_normalization::UnicodeNormalization;

/// A name without regard to case, Unicode form, white space, and characters that cannot be seen.
pub(crate) fn folded(name: &str) -> String {
    let visible = |c: &char| !matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}');
    let plain: String = name.nfkc().filter(visible).flat_map(char::to_lowercase).nfkc().collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What is said of a name that is nearly that of an item.
pub(crate) fn differs_in_form(item: &str) -> String {
    format!(
        "differs from \"{}\" only in case, spaces or Unicode form: --fold-names takes such names for one",
        shortened(item)
    )
}

/// Takes every spelling of a name for the first one that was met.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spelling {
    /// The first spelling of each folded name, and the same for every spelling met so far.
    first: HashMap<String, String>,
    known: HashMap<String, String>,
}

impl Spelling {
    /// Replaces a name by its first spelling, which may be this one.
    pub(crate) fn settle(&mut self, name: &mut String) {
        if !self.known.contains_key(name) {
            let first = self.first.entry(folded(name)).or_insert_with(|| name.clone());
            self.known.insert(name.clone(), first.clone());
        }
        self.replace(name);
    }

    /// Replaces a value if it is a spelling of a name that was met; it may be something else altogether.
    pub(crate) fn replace(&self, value: &mut String) {
        let first = self.known.get(value).or_else(|| self.first.get(&folded(value)));
        if let Some(first) = first.filter(|first| *first != value) {
            value.clone_from(first);
        }
    }
}

/// A warning about names that may be one, and the remedy; `None` where there are none such.
pub(crate) fn warning(names: &[String]) -> Option<String> {
    const SHOWN: usize = 3;
    let mut groups: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, name) in names.iter().enumerate() {
        groups.entry(folded(name)).or_default().push(at);
    }
    let mut alike: Vec<Vec<usize>> = groups.into_values().filter(|group| group.len() > 1).collect();
    alike.sort_unstable();
    let show = |group: &Vec<usize>| {
        // Spelt out where they would look alike.
        let spell = |&at: &usize| format!("\"{}\"", shortened(&names[at].escape_debug().collect::<String>()));
        group.iter().take(4).map(spell).collect::<Vec<_>>().join(" and ")
    };
    let examples = alike.iter().take(SHOWN).map(show).collect::<Vec<_>>().join("; ");
    let more = if alike.len() > SHOWN { format!("; and {} more", alike.len() - SHOWN) } else { String::new() };
    (!alike.is_empty()).then(|| {
        format!(
            "warning: some names differ only in case, spaces or Unicode form and are taken for different items: \
             {examples}{more} (count such as one with --fold-names)"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_name_are_told_from_other_names() {
        for (a, b) in [
            ("SANTOS", "Santos"),
            ("Real  Madrid", "Real Madrid"),
            ("Real\u{a0}Madrid", "Real Madrid"),
            ("Atle\u{301}tico", "Atl\u{e9}tico"),
            ("gpt\u{200b}-4", "GPT-4"),
            ("ﬁne", "fine"),
        ] {
            assert_eq!(folded(a), folded(b), "{a} {b}");
        }
        for (a, b) in [("gpt-4", "gpt 4"), ("Atletico", "Atlético"), ("a", "b"), ("", "a")] {
            assert_ne!(folded(a), folded(b), "{a} {b}");
        }
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(warning(&names(&["a", "b", "ab"])), None);
        let text = warning(&names(&["SANTOS", "x", "Santos"])).unwrap();
        assert!(text.contains("\"SANTOS\" and \"Santos\"") && text.contains("--fold-names"), "{text}");
    }

    #[test]
    fn the_first_spelling_stays() {
        let mut spelling = Spelling::default();
        let mut settle = |name: &str| {
            let mut name = name.to_owned();
            spelling.settle(&mut name);
            name
        };
        assert_eq!(
            (settle("SANTOS"), settle("Flamengo"), settle("Santos ")),
            ("SANTOS".into(), "Flamengo".into(), "SANTOS".into())
        );
        let mut other = "tie".to_owned();
        spelling.replace(&mut other);
        assert_eq!(other, "tie");
    }
}
