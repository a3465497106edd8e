//! Contexts: what items are compared on, such as prompts, and where each item has something to show.

use crate::ballots::Ballots;
use crate::duel::Arm;
use crate::sequential::next_context;
use crate::stream::mix;
use crate::{Duel, Error, Result, Stream, size};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};

/// The most pairs of items that are looked at for a context in common.
const MOST_PAIRS: u64 = 50_000_000;

/// The most contexts that are looked at for all questions of a sheet together: about a minute.
const MOST_LOOKED_AT: u64 = 2_000_000_000;

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
        match self.apart() {
            Some([one, other]) => Err(Error::setting("contents", format!("items {one} and {other}"), Self::APART)),
            None => Ok(self),
        }
    }

    /// What is wrong with two items that are [`unjoined`](Self::unjoined).
    pub const APART: &str = "cannot be compared, even through others: no contexts in common lead from the one to the \
                             other; give contents where both can be shown, or leave one out";

    /// Two items that no chain of contexts in common joins, if there are any.
    fn apart(&self) -> Option<[Arm; 2]> {
        let mut in_context = vec![Vec::new(); self.len()];
        for (item, own) in self.shown.iter().enumerate() {
            own.iter().for_each(|&context| in_context[context as usize].push(item));
        }
        let (mut reached, mut open) = (vec![false; self.shown.len()], vec![0]);
        while let Some(item) = open.pop() {
            if std::mem::replace(reached.get_mut(item)?, true) {
                continue;
            }
            // Everybody in a context is reached with the first of them.
            self.shown[item].iter().for_each(|&context| open.append(&mut in_context[context as usize]));
        }
        reached.iter().position(|reached| !reached).map(|other| [0, other])
    }

    /// Those of these contents' items that no chain of contexts in common joins, if there are any: see
    /// [`Contexts::with_contents`], which refuses them.
    pub fn unjoined(&self, items: usize, contents: impl IntoIterator<Item = (Arm, u32)>) -> Option<[Arm; 2]> {
        let mut shown = vec![Vec::new(); items];
        let there = contents.into_iter().filter(|(item, context)| *item < items && (*context as usize) < self.len());
        there.for_each(|(item, context)| shown[item].push(context));
        Self { names: self.names.clone(), shown }.apart()
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

    /// The numbers of the contexts by name: faster than [`Contexts::find`] where many are looked for.
    pub fn index(&self) -> HashMap<&str, u32> {
        self.names.iter().map(String::as_str).zip(0..).collect()
    }

    /// The context in which to ask each of these pairs, one after the other, as [`next_context`] has it: the one with
    /// the fewest votes on this pair, among those with the fewest on its two items, among those with the fewest of
    /// all, among those at random. Votes that are there count, as far as they are in these contexts; `None` for a pair
    /// that has no context in common.
    ///
    /// # Errors
    /// Too many questions in too many contexts.
    pub fn assign(&self, asks: &[Duel], votes: Option<&Ballots>, stream: &mut Stream) -> Result<Vec<Option<u32>>> {
        let factors = [asks.len() as u64, self.len() as u64];
        let remedy = "ask fewer questions, or name fewer contexts";
        size::at_most(MOST_LOOKED_AT, "contexts to be looked at", &factors, remedy)?;
        let mut asked = Asked { pairs: HashMap::new(), items: HashMap::new(), all: vec![0; self.len()] };
        if let Some(votes) = votes {
            let own = self.index();
            let numbers: Vec<Option<u32>> =
                votes.context_names().iter().map(|name| own.get(name.as_str()).copied()).collect();
            for cell in votes.cells() {
                if let Some(context) = cell.context.and_then(|context| numbers[context as usize]) {
                    asked.add(Duel(cell.left as Arm, cell.right as Arm), context, cell.n.round() as u64);
                }
            }
        }
        let mut assigned = Vec::with_capacity(asks.len());
        for &duel in asks {
            let allowed = self.common(duel.0, duel.1).map(|context| (context, asked.numbers(duel, context)));
            let context = next_context(allowed, stream).map(|(context, _)| context);
            if let Some(context) = context {
                asked.add(duel, context, 1);
            }
            assigned.push(context);
        }
        Ok(assigned)
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

    /// The pairs i < j of so many items that have no context in common, and cannot be asked.
    ///
    /// # Errors
    /// Too many items.
    pub fn pairs_apart(&self, items: usize) -> Result<Vec<(Arm, Arm)>> {
        if self.is_everywhere() {
            return Ok(Vec::new());
        }
        let factors = [items as u64, items as u64 / 2];
        size::at_most(MOST_PAIRS, "pairs to find a context for", &factors, "leave contents out, or take fewer items")?;
        let pairs = (0..items).flat_map(|i| (i + 1..items).map(move |j| (i, j)));
        Ok(pairs.filter(|&(i, j)| !self.meet(i, j)).collect())
    }

    pub(crate) fn fingerprint(&self) -> u64 {
        let names = self.names.iter().flat_map(|name| name.bytes().map(u64::from).chain([u64::MAX]));
        let shown = self.shown.iter().flat_map(|own| own.iter().map(|&context| u64::from(context)).chain([u64::MAX]));
        names.chain(shown).fold(self.len() as u64, mix)
    }
}

/// How often what was asked where.
struct Asked {
    pairs: HashMap<(Arm, Arm, u32), u64>,
    items: HashMap<(Arm, u32), u64>,
    all: Vec<u64>,
}

impl Asked {
    fn add(&mut self, Duel(i, j): Duel, context: u32, times: u64) {
        *self.pairs.entry((i.min(j), i.max(j), context)).or_default() += times;
        for item in [i, j] {
            *self.items.entry((item, context)).or_default() += times;
        }
        self.all[context as usize] += times;
    }

    /// The questions in a context on this pair, on its two items, and altogether.
    fn numbers(&self, Duel(i, j): Duel, context: u32) -> [u64; 3] {
        let of_item = |item: Arm| self.items.get(&(item, context)).copied().unwrap_or(0);
        let pair = self.pairs.get(&(i.min(j), i.max(j), context)).copied().unwrap_or(0);
        [pair, of_item(i) + of_item(j), self.all[context as usize]]
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
        assert!(alone.contains("items 0 and 2"), "{alone}");
        // Two groups of two: everybody has a neighbour, and there are still two worlds.
        let two = contexts().with_contents(4, [(0, 0), (1, 0), (2, 1), (3, 1)]).unwrap_err().to_string();
        assert!(two.contains("items 0 and 2") && two.contains("even through others"), "{two}");
        let contents = [(0, 0), (1, 0), (2, 1), (3, 1)];
        assert_eq!(contexts().unjoined(4, contents), Some([0, 2]));
        assert_eq!(contexts().unjoined(4, contents.into_iter().chain([(1, 1)])), None);
        assert!(Contexts::new(vec!["a".to_owned(), "a".to_owned()]).unwrap_err().to_string().contains("twice"));
        assert!(Contexts::new(Vec::new()).is_err() && contexts().with_contents(1, [(0, 3)]).is_err());
    }
}
