//! The one way from what somebody calls an item to that item: by its id or, where that is nobody's id, by its name.

use crate::items::Items;
use crate::spelling::folded;
use std::collections::HashMap;

/// The items of a list by id and by name.
#[derive(Clone, Debug, Default)]
pub struct ItemIndex {
    found: HashMap<String, Found>,
    items: usize,
}

/// Who a word may mean.
#[derive(Clone, Debug)]
enum Found {
    One(usize),
    /// The ids of all items of this name.
    Several(Vec<String>),
}

/// Why a word does not name an item. Its text follows the word, as in `"Tea" is the name of 2 items`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoItem {
    /// No item has this id or name.
    #[error("is not in the list of items: add it there, or correct it")]
    Unknown,
    /// No item has this id or name, but one has nearly the same.
    #[error(
        "is not in the list of items, but \"{0}\" is, which differs only in case, spaces or Unicode form: correct it, \
         or say --fold-names"
    )]
    Alike(String),
    /// Several items have this name.
    #[error("is the name of {} items: call them by their ids ({})", .0.len(), .0.join(", "))]
    Ambiguous(Vec<String>),
}

impl ItemIndex {
    /// Items that have ids alone.
    pub fn of_ids(ids: &[String]) -> Self {
        let found = ids.iter().enumerate().map(|(item, id)| (id.clone(), Found::One(item))).collect();
        Self { found, items: ids.len() }
    }

    /// How many items there are.
    pub fn items(&self) -> usize {
        self.items
    }

    /// The item of this id or, where it is nobody's id, of this name.
    ///
    /// # Errors
    /// A word that no item, or more than one, goes by.
    pub fn find(&self, word: &str) -> Result<usize, NoItem> {
        match self.found.get(word) {
            Some(Found::One(item)) => Ok(*item),
            Some(Found::Several(ids)) => Err(NoItem::Ambiguous(ids.clone())),
            None => Err(self.alike(word).map_or(NoItem::Unknown, NoItem::Alike)),
        }
    }

    /// An id or a name that differs from a word only in its form. Very long lists are not searched.
    fn alike(&self, word: &str) -> Option<String> {
        const MOST: usize = 10_000;
        let wanted = folded(word);
        let keys = self.found.keys().filter(|_| self.items <= MOST);
        keys.filter(|name| folded(name) == wanted).min().cloned()
    }
}

impl Items {
    /// The index of these items: see [`ItemIndex::find`].
    pub fn index(&self) -> ItemIndex {
        let mut named: HashMap<&str, Vec<usize>> = HashMap::new();
        for (item, name) in self.names.iter().enumerate() {
            if let Some(name) = name {
                named.entry(name).or_default().push(item);
            }
        }
        let found = |items: Vec<usize>| match items.as_slice() {
            [item] => Found::One(*item),
            several => Found::Several(several.iter().map(|&item| self.ids[item].clone()).collect()),
        };
        let mut index = ItemIndex::of_ids(&self.ids);
        for (name, items) in named {
            index.found.entry(name.to_owned()).or_insert_with(|| found(items));
        }
        index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_before_names_and_shared_names_are_refused() {
        let text = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let items = Items {
            ids: text(&["a", "b", "c", "Tea"]),
            names: vec![Some("Tea".to_owned()), Some("Mate".to_owned()), Some("Mate".to_owned()), None],
            ..Items::default()
        };
        let index = items.index();
        assert_eq!((index.find("a"), index.find("Tea"), index.items()), (Ok(0), Ok(3), 4));
        assert_eq!(index.find("Mate"), Err(NoItem::Ambiguous(text(&["b", "c"]))));
        assert_eq!(
            index.find("Mate").unwrap_err().to_string(),
            "is the name of 2 items: call them by their ids (b, c)"
        );
        assert_eq!(index.find("x"), Err(NoItem::Unknown));
        assert_eq!(index.find("MATE "), Err(NoItem::Alike("Mate".to_owned())));
        assert!(index.find("B").unwrap_err().to_string().contains("\"b\" is, which differs only in case"));
    }
}
