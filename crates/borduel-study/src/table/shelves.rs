//! Which items have something of their own to show in which contexts, where only those who have are compared.

use super::Pair;
use std::collections::HashMap;

/// A set of contexts, a bit each by its place among the enabled ones.
type Set = Box<[u64]>;

/// What items have, by class: items with contents in the same contexts are of one class, and mostly all are.
#[derive(Clone, Debug)]
pub(super) struct Shelves {
    /// The class of each item by its number; the first one has nothing anywhere.
    class: Vec<u32>,
    sets: Vec<Set>,
}

impl Shelves {
    /// What the enabled items have, given the items that have something in each context.
    pub(super) fn new(enabled: &[u16], own: &[Vec<u16>]) -> Self {
        let empty: Set = vec![0; own.len().div_ceil(64)].into();
        let mut sets: Vec<Option<Set>> = vec![None; enabled.last().map_or(0, |last| usize::from(*last) + 1)];
        for &item in enabled {
            sets[usize::from(item)] = Some(empty.clone());
        }
        for (at, items) in own.iter().enumerate() {
            for &item in items {
                if let Some(Some(set)) = sets.get_mut(usize::from(item)) {
                    set[at / 64] |= 1 << (at % 64);
                }
            }
        }
        let mut shelves = Self { class: vec![0; sets.len()], sets: vec![empty.clone()] };
        let mut known = HashMap::from([(empty, 0)]);
        for (class, set) in shelves.class.iter_mut().zip(sets) {
            let Some(set) = set else { continue };
            *class = *known.entry(set).or_insert_with_key(|set| {
                shelves.sets.push(set.clone());
                shelves.sets.len() as u32 - 1
            });
        }
        shelves
    }

    fn set(&self, item: u16) -> &Set {
        &self.sets[self.class[usize::from(item)] as usize]
    }

    /// The contexts in which both items have something, 64 in a word.
    fn words(&self, (i, j): Pair) -> impl Iterator<Item = u64> + '_ {
        self.set(i).iter().zip(self.set(j)).map(|(one, two)| one & two)
    }

    /// In how many contexts both items have something.
    pub(super) fn count(&self, pair: Pair) -> usize {
        self.words(pair).map(|word| word.count_ones() as usize).sum()
    }

    /// The places of the contexts in which both items have something, in order.
    pub(super) fn common(&self, pair: Pair) -> impl Iterator<Item = usize> + '_ {
        let bits = |(at, word): (usize, u64)| (64 * at..64 * (at + 1)).filter(move |bit| word >> (bit % 64) & 1 == 1);
        self.words(pair).enumerate().flat_map(bits)
    }

    /// Whether both items have something in the context at this place.
    pub(super) fn both_have(&self, (i, j): Pair, at: usize) -> bool {
        (self.set(i)[at / 64] & self.set(j)[at / 64]) >> (at % 64) & 1 == 1
    }

    fn meet(&self, one: usize, two: usize) -> bool {
        self.sets[one].iter().zip(&self.sets[two]).any(|(one, two)| one & two != 0)
    }

    /// How many pairs of these items have a context in which both have something, and how many such contexts all of
    /// them have together: Σ n(n − 1)/2 over contexts with n of the items.
    pub(super) fn among(&self, items: &[u16], contexts: usize) -> (u64, u64) {
        let mut sizes = vec![0_u64; self.sets.len()];
        items.iter().for_each(|&item| sizes[self.class[usize::from(item)] as usize] += 1);
        let some: Vec<usize> = (0..sizes.len()).filter(|&class| sizes[class] > 0).collect();
        let (mut pairs, mut here) = (0, vec![0_u64; contexts]);
        for (at, &one) in some.iter().enumerate() {
            let others = some[at + 1..].iter().filter(|&&two| self.meet(one, two)).map(|&two| sizes[two]).sum::<u64>();
            let own = if self.meet(one, one) { sizes[one] - 1 } else { 0 };
            pairs += sizes[one] * own / 2 + sizes[one] * others;
            for (at, count) in here.iter_mut().enumerate() {
                *count += sizes[one] * (self.sets[one][at / 64] >> (at % 64) & 1);
            }
        }
        (pairs, here.into_iter().map(|n| n * n.saturating_sub(1) / 2).sum())
    }
}
