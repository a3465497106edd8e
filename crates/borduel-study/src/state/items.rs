//! The items of a study.

use super::State;
use crate::event::Hash;
use serde::{Deserialize, Serialize};

/// One item.
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
        let at = self.items.iter().rposition(|item| item.key == key && !item.replaced)?;
        u16::try_from(at).ok()
    }

    /// The items that are asked about and ranked, by number.
    pub fn enabled(&self) -> impl Iterator<Item = u16> + '_ {
        (0_u16..).zip(&self.items).filter(|(_, item)| item.enabled).map(|(number, _)| number)
    }

    pub(super) fn add_item(&mut self, item: u16, key: &str, content: &Hash, features: &[f64]) {
        if usize::from(item) != self.items.len() {
            return;
        }
        if let Some(old) = self.item(key) {
            let old = &mut self.items[usize::from(old)];
            old.enabled = false;
            old.replaced = true;
        }
        let (key, features) = (key.to_owned(), features.to_vec());
        self.items.push(Item { key, content: *content, features, enabled: true, replaced: false, first: 0, second: 0 });
        self.recount();
    }
}
