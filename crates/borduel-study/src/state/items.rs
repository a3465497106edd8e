//! The items of a study.

use super::State;
use crate::event::Hash;
use crate::settings::Model;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// An item of a study, with its content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// Its name for programs.
    pub key: String,
    /// The hash of what is shown of it.
    #[serde(with = "crate::hex")]
    pub content: Hash,
    /// Its features, if there are any.
    pub features: Vec<f64>,
    /// Whether it is asked about and ranked.
    pub enabled: bool,
    /// Whether another item has taken its key.
    pub replaced: bool,
    /// How often it stood first.
    pub first: u32,
    /// How often it stood second.
    pub second: u32,
}

impl Item {
    /// How often it was shown.
    pub fn shown(&self) -> u32 {
        self.first + self.second
    }
}

impl State {
    /// The number of the item of this key.
    pub fn item(&self, key: &str) -> Option<u16> {
        self.by_key.get(key).copied()
    }

    /// Finds the numbers of all keys again: they follow from items and contexts, and are not saved.
    pub(super) fn index(&mut self) {
        // The last item of a key is the one that no other has replaced.
        self.by_key = Arc::new(self.items.iter().map(|item| item.key.clone()).zip(0..=u16::MAX).collect());
        let contexts = self.contexts.iter().map(|context| context.key.clone());
        self.context_by_key = Arc::new(contexts.zip(0..=u16::MAX).collect());
    }

    /// The items that are asked about and ranked, by number.
    pub fn enabled(&self) -> impl Iterator<Item = u16> + '_ {
        (0_u16..).zip(&self.items).filter(|(_, item)| item.enabled).map(|(number, _)| number)
    }

    /// Whether the model can be made of the enabled items.
    ///
    /// # Errors
    /// See [`check_features`].
    pub fn check_features(&self) -> Result<(), String> {
        let enabled = self.items.iter().filter(|item| item.enabled);
        check_features(self.settings.model, enabled.map(|item| (&*item.key, item.features.len())))
    }

    pub(super) fn add_item(&mut self, item: u16, key: &str, content: &Hash, features: &[f64]) {
        if usize::from(item) != self.items.len() {
            return;
        }
        let replaced = Arc::make_mut(&mut self.by_key).insert(key.to_owned(), item);
        let (key, features) = (key.to_owned(), features.to_vec());
        self.items.push(Item { key, content: *content, features, enabled: true, replaced: false, first: 0, second: 0 });
        if let Some(old) = replaced {
            let old = &mut self.items[usize::from(old)];
            old.enabled = false;
            old.replaced = true;
            self.recount();
        } else {
            // Nobody has voted on it: the votes that count are those that did.
            self.outdate();
        }
        self.unsettle(0);
    }
}

/// Whether a model can be made of items with these keys and numbers of features.
///
/// # Errors
/// A sentence that names the item that does not go with the others.
pub fn check_features<'a>(model: Model, items: impl IntoIterator<Item = (&'a str, usize)>) -> Result<(), String> {
    let mut items = items.into_iter();
    let (Model::Features, Some((first, d))) = (model, items.next()) else { return Ok(()) };
    let rule = "the model is by features, of which all items need equally many, at least 1";
    if d == 0 {
        return Err(format!("item {first:?} has no features: {rule}; give it some, or choose another model"));
    }
    items.find(|&(_, other)| other != d).map_or(Ok(()), |(key, other)| {
        Err(format!("item {key:?} has {other} features where item {first:?} has {d}: {rule}"))
    })
}
