//! Numbers by pair of which copies are cheap: what neither copy has changed since, they share.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// A map whose keys begin with an item's number, a map for each of these. A copy shares all of them; whoever writes to
/// a shared one first gets one of its own, as with [`Blocks`](super::Blocks): a thousand items have half a million
/// pairs. It is saved as any other map.
#[derive(Clone, Debug, Default)]
pub struct Rows<K, V> {
    rows: Vec<Arc<BTreeMap<K, V>>>,
}

/// A key that begins with an item's number.
pub trait ByItem: Ord + Copy {
    /// The number of the item that it belongs to.
    fn item(self) -> u16;
}

impl ByItem for (u16, u16) {
    fn item(self) -> u16 {
        self.0
    }
}

impl ByItem for (u16, u16, u16) {
    fn item(self) -> u16 {
        self.0
    }
}

impl<K: ByItem, V: Clone + Default> Rows<K, V> {
    /// What stands under this key.
    pub fn get(&self, key: K) -> Option<&V> {
        self.rows.get(usize::from(key.item()))?.get(&key)
    }

    /// What stands under this key, to be changed.
    pub(super) fn entry(&mut self, key: K) -> &mut V {
        let row = usize::from(key.item());
        if row >= self.rows.len() {
            self.rows.resize_with(row + 1, Arc::default);
        }
        Arc::make_mut(&mut self.rows[row]).entry(key).or_default()
    }

    /// All keys with their values, in the order of the keys.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.rows.iter().flat_map(|row| row.iter())
    }

    /// What stands under keys of one item, from one to another.
    pub(super) fn range(&self, keys: RangeInclusive<K>) -> impl Iterator<Item = (&K, &V)> {
        self.rows.get(usize::from(keys.start().item())).into_iter().flat_map(move |row| row.range(keys.clone()))
    }
}

impl<K: ByItem + Serialize, V: Clone + Default + Serialize> Serialize for Rows<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap as _;
        let mut map = serializer.serialize_map(Some(self.rows.iter().map(|row| row.len()).sum()))?;
        for (key, value) in self.iter() {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de, K: ByItem + Deserialize<'de>, V: Clone + Default + Deserialize<'de>> Deserialize<'de> for Rows<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut rows = Self { rows: Vec::new() };
        for (key, value) in BTreeMap::<K, V>::deserialize(deserializer)? {
            *rows.entry(key) = value;
        }
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_shares_the_rows_that_nobody_changed_and_it_is_saved_as_a_map() {
        let mut rows: Rows<(u16, u16), i32> = Rows { rows: Vec::new() };
        let pairs = [(0, 3), (0, 5), (2, 4), (7, 9)];
        (1..).zip(pairs).for_each(|(value, pair)| *rows.entry(pair) = value);
        let copy = rows.clone();
        *rows.entry((2, 4)) += 10;
        assert_eq!((copy.get((2, 4)), rows.get((2, 4)), rows.get((4, 2))), (Some(&3), Some(&13), None));
        let shared = rows.rows.iter().zip(&copy.rows).filter(|(a, b)| Arc::ptr_eq(a, b)).count();
        assert_eq!(shared, 7, "all rows but that of item 2");
        assert_eq!(rows.range((0, 4)..=(0, 9)).collect::<Vec<_>>(), [(&(0, 5), &2)]);
        let map: BTreeMap<(u16, u16), i32> = rows.iter().map(|(pair, value)| (*pair, *value)).collect();
        let bytes = postcard::to_stdvec(&map).unwrap();
        assert_eq!(postcard::to_stdvec(&rows).unwrap(), bytes);
        let again: Rows<(u16, u16), i32> = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(again.iter().collect::<Vec<_>>(), rows.iter().collect::<Vec<_>>());
    }
}
