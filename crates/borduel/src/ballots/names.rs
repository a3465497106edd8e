//! Names in the order of their first appearance, packed tightly: looking one up is what reading votes spends its time on.

use std::hash::{BuildHasher, RandomState};

/// A set of names, numbered from 0.
///
/// All names lie in one string, and an open-addressing table of (hash, number) leads to them: about 20 bytes a name on top
/// of its letters, against 100 for a map of owned strings. The hash is keyed at random, so no file can make it slow; nothing
/// ever depends on the order of the table.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    text: String,
    /// Where each name ends in `text`.
    ends: Vec<usize>,
    /// 0 for a free place, otherwise the upper half of the hash and the number plus 1.
    table: Vec<u64>,
    hasher: RandomState,
}

impl Names {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    fn name(&self, number: usize) -> &str {
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.text[start..self.ends[number]]
    }

    /// The place of a name in the table, and its number if it is there.
    fn find(&self, name: &str, hash: u64) -> (usize, Option<u32>) {
        let mask = self.table.len() - 1;
        let mut place = hash as usize & mask;
        loop {
            let entry = self.table[place];
            if entry == 0 {
                return (place, None);
            }
            let number = (entry as u32) - 1;
            if entry >> 32 == hash >> 32 && self.name(number as usize) == name {
                return (place, Some(number));
            }
            place = (place + 1) & mask;
        }
    }

    /// The number of a name, if it is known.
    pub(super) fn get(&self, name: &str) -> Option<u32> {
        if self.table.is_empty() { None } else { self.find(name, self.hasher.hash_one(name)).1 }
    }

    /// The number of a name, new or known.
    pub(super) fn get_or_insert(&mut self, name: &str) -> u32 {
        if self.table.len() <= 2 * self.len() {
            self.grow();
        }
        let hash = self.hasher.hash_one(name);
        let (place, known) = self.find(name, hash);
        known.unwrap_or_else(|| {
            let number = self.len() as u32;
            self.text.push_str(name);
            self.ends.push(self.text.len());
            self.table[place] = (hash >> 32 << 32) | u64::from(number + 1);
            number
        })
    }

    /// Doubles the table (it is never more than half full) and puts every name in its new place.
    fn grow(&mut self) {
        self.table = vec![0; (4 * self.len()).next_power_of_two().max(64)];
        for number in 0..self.len() {
            let hash = self.hasher.hash_one(self.name(number));
            let mask = self.table.len() - 1;
            let mut place = hash as usize & mask;
            while self.table[place] != 0 {
                place = (place + 1) & mask;
            }
            self.table[place] = (hash >> 32 << 32) | (number as u64 + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_numbered_like_in_a_map() {
        let mut names = Names::default();
        let mut map = std::collections::HashMap::new();
        assert_eq!(names.get("x"), None);
        for step in 0..20_000_u32 {
            let name = format!("{}", step.wrapping_mul(2_654_435_761) % 7_001);
            let next = map.len() as u32;
            let expected = *map.entry(name.clone()).or_insert(next);
            assert_eq!(names.get_or_insert(&name), expected);
            assert_eq!(names.get(&name), Some(expected));
        }
        assert_eq!((names.len(), names.get("")), (map.len(), None));
        assert_eq!(names.get_or_insert(""), map.len() as u32);
    }
}
