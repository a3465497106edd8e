//! Contexts: what items are compared on, such as prompts, and where each item has something to show.

use crate::duel::Arm;
use crate::stream::mix;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The contexts that there are, by name, and in which of them each item can be shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contexts {
    names: Vec<String>,
    /// The contexts of every item, sorted; empty where every item can be shown in all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    shown: Vec<Vec<u32>>,
}

impl Contexts {
    /// Contexts in all of which every item can be shown.
    ///
    /// # Errors
    /// Where there is none, or two have the same name.
    pub fn new(names: Vec<String>) -> Result<Self> {
        if names.is_empty() {
            return Err(Error::setting("contexts", 0, "name at least one context, or leave contexts out"));
        }
        let mut known = BTreeSet::new();
        match names.iter().find(|name| !known.insert(name.as_str())) {
            Some(twice) => {
                Err(Error::setting("contexts", format!("{twice:?}"), "is there twice: give each its own name"))
            }
            None => Ok(Self { names, shown: Vec::new() }),
        }
    }

    /// The same where an item can be shown in some of them alone: those of these (item, context).
    ///
    /// # Errors
    /// Where an item, whose number it then tells, cannot be shown beside any other.
    pub fn with_contents(mut self, items: usize, contents: impl IntoIterator<Item = (Arm, u32)>) -> Result<Self> {
        let mut shown = vec![BTreeSet::new(); items];
        for (item, context) in contents {
            if item >= items || context as usize >= self.len() {
                let remedy = format!("there are {items} items and {} contexts", self.len());
                return Err(Error::setting("contents", format!("({item}, {context})"), remedy));
            }
            shown[item].insert(context);
        }
        if shown.iter().all(|own| own.len() == self.len()) {
            return Ok(self);
        }
        self.shown = shown.into_iter().map(|own| own.into_iter().collect()).collect();
        match (0..items).find(|&i| (0..items).all(|j| j == i || !self.meet(i, j))) {
            Some(alone) => Err(Error::setting(
                "contents",
                format!("item {alone}"),
                "has no context in common with any other item: give it contents there, or leave it out",
            )),
            None => Ok(self),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is none, which cannot be.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Their names, by number.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of the context of this name.
    pub fn find(&self, name: &str) -> Option<u32> {
        self.names.iter().position(|own| own == name).map(|at| at as u32)
    }

    /// Whether every item can be shown in every context.
    pub fn is_everywhere(&self) -> bool {
        self.shown.is_empty()
    }

    /// In how many contexts an item can be shown.
    pub fn offered(&self, item: Arm) -> usize {
        self.shown.get(item).map_or(self.len(), Vec::len)
    }

    /// Whether an item can be shown in a context.
    pub fn has(&self, item: Arm, context: u32) -> bool {
        self.shown.get(item).is_none_or(|own| own.binary_search(&context).is_ok())
    }

    /// The contexts in which both items can be shown.
    pub fn common(&self, i: Arm, j: Arm) -> impl Iterator<Item = u32> {
        let both = move |context: &u32| self.is_everywhere() || self.has(j, *context);
        let (all, own) = match self.shown.get(i) {
            None => (0..self.len() as u32, &[][..]),
            Some(own) => (0..0, own.as_slice()),
        };
        all.chain(own.iter().copied()).filter(both)
    }

    /// Whether there is a context in which both can be shown.
    pub fn meet(&self, i: Arm, j: Arm) -> bool {
        self.common(i, j).next().is_some()
    }

    pub(crate) fn fingerprint(&self) -> u64 {
        let names = self.names.iter().flat_map(|name| name.bytes().map(u64::from).chain([u64::MAX]));
        let shown = self.shown.iter().flat_map(|own| own.iter().map(|&context| u64::from(context)).chain([u64::MAX]));
        names.chain(shown).fold(self.len() as u64, mix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_meet_where_both_can_be_shown() {
        let contexts = || Contexts::new(["a", "b", "c"].map(str::to_owned).to_vec()).unwrap();
        let everywhere = contexts().with_contents(2, (0..2).flat_map(|i| (0..3).map(move |c| (i, c)))).unwrap();
        assert_eq!(everywhere, contexts());
        assert_eq!(everywhere.common(0, 1).collect::<Vec<_>>(), [0, 1, 2]);
        let some = contexts().with_contents(3, [(0, 0), (0, 1), (1, 1), (1, 2), (2, 0)]).unwrap();
        assert_eq!(some.common(0, 1).collect::<Vec<_>>(), [1]);
        assert_eq!((some.meet(0, 2), some.meet(1, 2), some.offered(1)), (true, false, 2));
        let alone = contexts().with_contents(3, [(0, 0), (1, 0), (2, 1)]).unwrap_err().to_string();
        assert!(alone.contains("item 2"), "{alone}");
        assert!(Contexts::new(vec!["a".to_owned(), "a".to_owned()]).unwrap_err().to_string().contains("twice"));
        assert!(Contexts::new(Vec::new()).is_err() && contexts().with_contents(1, [(0, 3)]).is_err());
    }
}
