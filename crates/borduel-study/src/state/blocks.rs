//! Long lists of which copies are cheap: what neither copy has changed since, they share.

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::iter::FlatMap;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};
use std::slice;
use std::sync::Arc;

/// How many elements are copied at a time.
const BLOCK: usize = 256;

/// A list that only grows, in blocks. A copy shares all of them; whoever writes to a shared block first gets one of its
/// own.
///
/// Plans, looks, rankings and snapshots each work on a copy of the state while votes go on: copying a million questions
/// and what each voter was asked would take as much memory again, and hold up everybody who waits for the next turn. It
/// is saved as any other list.
#[derive(Clone)]
pub struct Blocks<T> {
    /// All of them full but the last one.
    blocks: Vec<Arc<Vec<T>>>,
}

/// The elements of [`Blocks`], in order.
type Iter<'a, T> = FlatMap<slice::Iter<'a, Arc<Vec<T>>>, slice::Iter<'a, T>, fn(&'a Arc<Vec<T>>) -> slice::Iter<'a, T>>;

impl<T> Blocks<T> {
    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.blocks.last().map_or(0, |last| BLOCK * (self.blocks.len() - 1) + last.len())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The element at this place, if there is one.
    pub fn get(&self, place: usize) -> Option<&T> {
        self.blocks.get(place / BLOCK)?.get(place % BLOCK)
    }

    /// All elements, in order.
    pub fn iter(&self) -> Iter<'_, T> {
        self.blocks.iter().flat_map(|block| block.iter())
    }
}

impl<T: Clone> Blocks<T> {
    /// The element at this place, to be changed.
    pub fn get_mut(&mut self, place: usize) -> Option<&mut T> {
        Arc::make_mut(self.blocks.get_mut(place / BLOCK)?).get_mut(place % BLOCK)
    }

    /// Appends an element at the end.
    pub fn push(&mut self, element: T) {
        match self.blocks.last_mut() {
            Some(last) if last.len() < BLOCK => Arc::make_mut(last).push(element),
            _ => {
                let mut block = Vec::with_capacity(BLOCK);
                block.push(element);
                self.blocks.push(Arc::new(block));
            }
        }
    }
}

impl<'a, T> IntoIterator for &'a Blocks<T> {
    type Item = &'a T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<T> Default for Blocks<T> {
    fn default() -> Self {
        Self { blocks: Vec::new() }
    }
}

impl<T: fmt::Debug> fmt::Debug for Blocks<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(self.iter()).finish()
    }
}

impl<T> Index<usize> for Blocks<T> {
    type Output = T;

    fn index(&self, place: usize) -> &T {
        &self.blocks[place / BLOCK][place % BLOCK]
    }
}

impl<T: Clone> IndexMut<usize> for Blocks<T> {
    fn index_mut(&mut self, place: usize) -> &mut T {
        &mut Arc::make_mut(&mut self.blocks[place / BLOCK])[place % BLOCK]
    }
}

impl<T: Serialize> Serialize for Blocks<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeSeq as _;
        let mut list = serializer.serialize_seq(Some(self.len()))?;
        for element in self {
            list.serialize_element(element)?;
        }
        list.end()
    }
}

impl<'de, T: Clone + Deserialize<'de>> Deserialize<'de> for Blocks<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Elements(PhantomData))
    }
}

struct Elements<T>(PhantomData<T>);

impl<'de, T: Clone + Deserialize<'de>> Visitor<'de> for Elements<T> {
    type Value = Blocks<T>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Blocks<T>, A::Error> {
        let mut all = Blocks::default();
        while let Some(element) = list.next_element()? {
            all.push(element);
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_keeps_what_it_had_and_shares_what_nobody_changed() {
        let (mut list, mut plain) = (Blocks::default(), Vec::new());
        for number in 0..1_000_u32 {
            assert_eq!((list.len(), list.is_empty()), (plain.len(), plain.is_empty()));
            list.push(number);
            plain.push(number);
        }
        let before = list.clone();
        list[300] = 7;
        *list.get_mut(999).unwrap() = 8;
        list.push(9);
        assert!(before.iter().eq(plain.iter()));
        assert_eq!((list[300], list[999], list.get(1_000), list.get(1_001)), (7, 8, Some(&9), None));
        let shared = |at: usize| Arc::ptr_eq(&list.blocks[at], &before.blocks[at]);
        assert_eq!([0, 1, 2, 3].map(shared), [true, false, true, false]);
    }

    #[test]
    fn it_is_saved_as_any_other_list() {
        for length in [0, 1, BLOCK, BLOCK + 1, 3 * BLOCK] {
            let plain: Vec<u32> = (0..length as u32).collect();
            let mut list = Blocks::default();
            plain.iter().for_each(|&number| list.push(number));
            let bytes = postcard::to_stdvec(&list).unwrap();
            assert_eq!(bytes, postcard::to_stdvec(&plain).unwrap());
            let again: Blocks<u32> = postcard::from_bytes(&bytes).unwrap();
            assert!(again.iter().eq(plain.iter()) && again.blocks.len() == length.div_ceil(BLOCK));
        }
    }
}
