//! Names in the order of their first appearance, packed tightly: looking names up is what reading votes spends its time on.

use rayon::prelude::*;
use std::borrow::Cow;
use std::hash::{BuildHasher, RandomState};

/// A set of names, numbered from 0.
///
/// An open-addressing table leads from a name's key to its number. A name of up to 15 bytes is its own key, so that one
/// access to memory decides; a longer one has its hash as key and is compared letter by letter. All hashes are keyed at
/// random, so no file can make them slow, and nothing ever depends on the order of the table.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// All names longer than 15 bytes, one behind the other.
    text: String,
    /// Where in `text` each name ends, and the next one begins, by number.
    ends: Vec<usize>,
    /// The key of every name, by number.
    keys: Vec<u128>,
    /// The key and number plus 1 of each place, 0 for a free one.
    table: Vec<(u128, u32)>,
    hasher: RandomState,
    salt: Salt,
}

/// The longest name that is its own key.
const INLINE: usize = 15;

/// Hashes keys: the product of a key's two halves, each with its random number, folded.
#[derive(Clone, Copy, Debug)]
struct Salt(u64, u64);

impl Default for Salt {
    fn default() -> Self {
        let random = RandomState::new();
        Self(random.hash_one(0), random.hash_one(1))
    }
}

impl Salt {
    fn hash(self, key: u128) -> usize {
        let product = u128::from(key as u64 ^ self.0) * u128::from((key >> 64) as u64 ^ self.1);
        (product ^ (product >> 64)) as usize
    }
}

impl Names {
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The key of a name: its bytes and its length in the last byte, or its hash and a last byte that no length has.
    fn key(&self, name: &str) -> u128 {
        let mut bytes = [0; 16];
        if name.len() <= INLINE {
            bytes[..name.len()].copy_from_slice(name.as_bytes());
            bytes[INLINE] = name.len() as u8;
        } else {
            bytes[..8].copy_from_slice(&self.hasher.hash_one(name).to_le_bytes());
            bytes[INLINE] = u8::MAX;
        }
        u128::from_le_bytes(bytes)
    }

    /// The name of a number.
    pub(super) fn name(&self, number: usize) -> Cow<'_, str> {
        let bytes = self.keys[number].to_le_bytes();
        match bytes[INLINE] {
            u8::MAX => Cow::Borrowed(self.long_name(number)),
            // The bytes were those of a name, so that nothing is lost.
            length => Cow::Owned(String::from_utf8_lossy(&bytes[..length as usize]).into_owned()),
        }
    }

    /// The names that are `used`, sorted, and their old numbers.
    pub(super) fn sorted(&self, used: &[bool]) -> (Self, Vec<u32>) {
        let mut order: Vec<u32> = (0..self.len() as u32).filter(|&number| used[number as usize]).collect();
        // Short names are told apart by their bytes as a number, most significant first; where both are long, by their text.
        let key = |number: u32| u128::from_be_bytes(self.keys[number as usize].to_le_bytes());
        let long = |number: u32| self.keys[number as usize].to_le_bytes()[INLINE] == u8::MAX;
        order.par_sort_unstable_by(|&a, &b| match (long(a), long(b)) {
            (false, false) => key(a).cmp(&key(b)),
            (true, true) => self.long_name(a as usize).cmp(self.long_name(b as usize)),
            (a, b) => a.cmp(&b),
        });
        let mut names = Self::default();
        order.iter().for_each(|&number| {
            names.get_or_insert(&self.name(number as usize));
        });
        (names, order)
    }

    /// The text of a long name.
    fn long_name(&self, number: usize) -> &str {
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.text[start..self.ends[number]]
    }

    /// The place of a name in the table, and its number if it is there.
    fn find(&self, name: &str, key: u128) -> (usize, Option<u32>) {
        let mask = self.table.len() - 1;
        let mut place = self.salt.hash(key) & mask;
        loop {
            let (other, number) = self.table[place];
            if number == 0 {
                return (place, None);
            }
            if other == key && (name.len() <= INLINE || self.long_name(number as usize - 1) == name) {
                return (place, Some(number - 1));
            }
            place = (place + 1) & mask;
        }
    }

    /// The number of a name, if it is known.
    pub(super) fn get(&self, name: &str) -> Option<u32> {
        if self.table.is_empty() { None } else { self.find(name, self.key(name)).1 }
    }

    /// The number of a name, new or known.
    pub(super) fn get_or_insert(&mut self, name: &str) -> u32 {
        if self.table.len() <= 2 * self.len() {
            self.grow();
        }
        let key = self.key(name);
        let (place, known) = self.find(name, key);
        known.unwrap_or_else(|| {
            let number = self.len() as u32;
            if name.len() > INLINE {
                self.text.push_str(name);
            }
            self.ends.push(self.text.len());
            self.keys.push(key);
            self.table[place] = (key, number + 1);
            number
        })
    }

    /// Doubles the table, which is never more than half full, and puts every name in its new place.
    fn grow(&mut self) {
        self.table = vec![(0, 0); (4 * self.len()).next_power_of_two().max(64)];
        let mask = self.table.len() - 1;
        for (number, &key) in (1..).zip(&self.keys) {
            let mut place = self.salt.hash(key) & mask;
            while self.table[place].1 != 0 {
                place = (place + 1) & mask;
            }
            self.table[place] = (key, number);
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
            let short = step.wrapping_mul(2_654_435_761) % 7_001;
            let name = if step % 3 == 0 { format!("a name that is longer: {short}") } else { short.to_string() };
            let next = map.len() as u32;
            let expected = *map.entry(name.clone()).or_insert(next);
            assert_eq!(names.get_or_insert(&name), expected);
            assert_eq!(names.get(&name), Some(expected));
        }
        assert_eq!((names.len(), names.get("")), (map.len(), None));
        assert_eq!(names.get_or_insert(""), map.len() as u32);
        assert!((0..map.len()).all(|number| map[names.name(number).as_ref()] == number as u32));
        // A zero byte at the end is part of the name.
        assert_ne!(names.get_or_insert("7\0"), names.get_or_insert("7"));
    }
}
