//! Names in the order of their first appearance, packed tightly: looking names up is what reading votes spends its time
//! on.

use super::index::Index;
use crate::parallel;
use std::borrow::Cow;
use std::hash::{BuildHasher, RandomState};

/// A set of names, numbered from 0.
///
/// An index leads from the hash of a name's key to its number. A name of up to 15 bytes is its own key; a longer one
/// has its hash as key and is compared letter by letter. All hashes are keyed at random, so no file can make them slow,
/// and nothing ever depends on the order of the index.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// All names longer than 15 bytes, one behind the other.
    text: String,
    /// Where in `text` each name ends, and the next one begins, by number.
    ends: Vec<usize>,
    /// The key of every name, by number.
    keys: Vec<u128>,
    index: Index,
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
    fn hash(self, key: u128) -> u32 {
        let product = u128::from(key as u64 ^ self.0) * u128::from((key >> 64) as u64 ^ self.1);
        (product ^ (product >> 64)) as u32
    }
}

impl Names {
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The key of a name: its bytes and its length in the last byte, or its hash and a last byte that no length has.
    fn key(&self, name: &str) -> u128 {
        let (bytes, last) = match name.len() {
            0..=INLINE => (short(name.as_bytes()), name.len() as u8),
            _ => (u128::from(self.hasher.hash_one(name)), u8::MAX),
        };
        bytes | u128::from(last) << (8 * INLINE)
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
        // Short names are told apart by their bytes as a number, most significant first; where both are long, by their
        // text.
        let key = |number: u32| u128::from_be_bytes(self.keys[number as usize].to_le_bytes());
        let long = |number: u32| self.keys[number as usize].to_le_bytes()[INLINE] == u8::MAX;
        parallel::sort_unstable_by(&mut order, |&a, &b| match (long(a), long(b)) {
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

    /// The number of the name with this key, if it is known.
    fn find(&self, name: &str, key: u128) -> Option<u32> {
        let same = |number: u32| {
            self.keys[number as usize] == key && (name.len() <= INLINE || self.long_name(number as usize) == name)
        };
        self.index.get(self.salt.hash(key), same)
    }

    /// The number of a name, if it is known.
    pub(super) fn get(&self, name: &str) -> Option<u32> {
        self.find(name, self.key(name))
    }

    /// The number of a name, new or known.
    pub(super) fn get_or_insert(&mut self, name: &str) -> u32 {
        let key = self.key(name);
        self.find(name, key).unwrap_or_else(|| self.insert(name, key))
    }

    /// The numbers of many names, new or known, appended to `numbers`. Of many names every look-up waits for memory
    /// twice; where it is first guessed and then compared, in loops that decide nothing, the waits overlap.
    pub(super) fn get_or_insert_all<'n>(
        &mut self,
        names: impl Iterator<Item = &'n str> + Clone,
        numbers: &mut Vec<u32>,
    ) {
        let keys: Vec<u128> = names.clone().map(|name| self.key(name)).collect();
        let guesses: Vec<u32> = keys.iter().map(|&key| self.index.glance(self.salt.hash(key))).collect();
        let right = |(&guess, key): (&u32, &u128)| self.keys.get(guess as usize) == Some(key);
        let right: Vec<bool> = guesses.iter().zip(&keys).map(right).collect();
        for (((name, key), guess), right) in names.zip(keys).zip(guesses).zip(right) {
            // A long name's key is its hash, which another may have too.
            let known = if right && name.len() <= INLINE { Some(guess) } else { self.find(name, key) };
            numbers.push(known.unwrap_or_else(|| self.insert(name, key)));
        }
    }

    fn insert(&mut self, name: &str, key: u128) -> u32 {
        if name.len() > INLINE {
            self.text.push_str(name);
        }
        self.ends.push(self.text.len());
        self.keys.push(key);
        self.index.push(self.salt.hash(key))
    }
}

/// Up to 15 bytes as a number, the first byte the least. Two words are loaded that may overlap: bytes copied into a
/// word that is then loaded would make every look-up wait for the copies.
fn short(bytes: &[u8]) -> u128 {
    let both = |first: u64, last: u64, behind: usize| u128::from(first) | u128::from(last) << (8 * behind);
    if let (Some(&first), Some(&last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        return both(u64::from_le_bytes(first), u64::from_le_bytes(last), bytes.len() - 8);
    }
    if let (Some(&first), Some(&last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        return both(u32::from_le_bytes(first).into(), u32::from_le_bytes(last).into(), bytes.len() - 4);
    }
    bytes.iter().rev().fold(0, |number, &byte| (number << 8) | u128::from(byte))
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
        // Many at once are numbered as one by one, the new ones in the order in which they come.
        let many: Vec<String> =
            (6_000..9_000).flat_map(|n| [n.to_string(), format!("a name that is longer: {n}")]).collect();
        let (mut one_by_one, mut numbers) = (names.clone(), Vec::new());
        names.get_or_insert_all(many.iter().chain(&many).map(String::as_str), &mut numbers);
        let expected: Vec<u32> = many.iter().chain(&many).map(|name| one_by_one.get_or_insert(name)).collect();
        assert_eq!(numbers, expected);
        // Names of every length are found, and no two of them taken for one.
        let letters = "abcdefghijklmnopqrstuvwxyz";
        let starts: Vec<u32> = (0..26).map(|length| names.get_or_insert(&letters[..length])).collect();
        assert!((0..26).all(|length| names.name(starts[length] as usize) == letters[..length]));
        // A zero byte at the end is part of the name.
        assert_ne!(names.get_or_insert("7\0"), names.get_or_insert("7"));
    }
}
