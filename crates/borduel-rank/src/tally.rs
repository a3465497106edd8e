//! What was answered so far, per distinct feature vector: the sufficient statistic of every estimate.

use crate::ballots::Ballots;
use crate::duel::Duel;
use crate::error::{Error, Result};
use crate::features::Features;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// n, Σr and Σr² of one distinct vector, all answers seen in its direction.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Cell {
    /// The number of answers (or their total weight).
    pub n: f64,
    /// The sum of rewards.
    pub sum: f64,
    /// The sum of squared rewards; equal to `sum` when there are no ties.
    pub squares: f64,
}

/// A [`Cell`] for every distinct vector: its size is that of the features, never that of the history.
///
/// An answer r to a pair whose φ is the negative of the stored vector counts as 1 − r there. Pairs with φ = 0 are
/// counted too (in the cell behind all others) but teach nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    cells: Cells,
    /// The number of slots, the zero slot included.
    slots: usize,
}

/// A list while it is short; beyond, only the cells that were ever used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Cells {
    Dense(Vec<Cell>),
    Sparse(BTreeMap<usize, Cell>),
}

/// Up to this many slots (6 MB) all cells are kept in a list.
const DENSE: usize = 1 << 18;

impl Tally {
    /// An empty tally for these features.
    pub fn new(features: &Features) -> Self {
        let slots = features.distinct() + 1;
        let cells =
            if slots <= DENSE { Cells::Dense(vec![Cell::default(); slots]) } else { Cells::Sparse(BTreeMap::new()) };
        Self { cells, slots }
    }

    /// The votes of these ballots, whose items are those of the features, in their order: the sampling weights of all
    /// used votes, and their answers.
    ///
    /// # Errors
    /// Ballots about another number of items.
    pub fn of(features: &Features, ballots: &Ballots) -> Result<Self> {
        if ballots.items().len() != features.items() {
            let (votes, items) = (ballots.items().len(), features.items());
            return Err(Error::Data(format!("the votes are about {votes} items, the features are those of {items}")));
        }
        let mut tally = Self::new(features);
        for votes in ballots.cells().iter().filter(|votes| votes.w > 0.0) {
            let slot = features.slot(Duel(votes.left as usize, votes.right as usize));
            // Σ w r² from Σ w² r²: exact where the weights of a pair are equal, as nearly all are.
            let squares = votes.w2r2 * votes.w / votes.w2;
            let (sum, squares) = if slot.negative {
                (votes.w - votes.wr, votes.w - 2.0 * votes.wr + squares)
            } else {
                (votes.wr, squares)
            };
            tally.add_cell(slot.index, Cell { n: votes.w, sum, squares });
        }
        Ok(tally)
    }

    /// Adds all answers of another tally of the same features.
    ///
    /// # Errors
    /// A tally of other features.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        if self.slots != other.slots {
            let (expected, found) = (self.slots, other.slots);
            return Err(Error::Shape { what: "the tally", shape: "distinct vectors + 1".to_owned(), expected, found });
        }
        let zero = self.slots - 1;
        other.iter().chain([(zero, other.cell(zero))]).for_each(|(slot, cell)| self.add_cell(slot, cell));
        Ok(())
    }

    fn add_cell(&mut self, index: usize, more: Cell) {
        let cell = match &mut self.cells {
            Cells::Dense(list) => &mut list[index],
            Cells::Sparse(map) => sparse(map, index),
        };
        cell.n += more.n;
        cell.sum += more.sum;
        cell.squares += more.squares;
    }

    /// Counts one answer to a duel; `reward` is that of its first item.
    #[inline(always)]
    pub fn add(&mut self, features: &Features, duel: Duel, reward: f64) {
        self.add_weighted(features, duel, reward, 1.0);
    }

    /// Counts an answer `weight` times; a negative weight takes answers back.
    #[inline(always)]
    pub fn add_weighted(&mut self, features: &Features, duel: Duel, reward: f64, weight: f64) {
        let slot = features.slot(duel);
        self.add_to_slot(slot.index, slot.orient(reward), weight);
    }

    /// Counts an answer of a slot's own direction.
    #[inline(always)]
    pub fn add_to_slot(&mut self, index: usize, reward: f64, weight: f64) {
        let cell = match &mut self.cells {
            Cells::Dense(list) => &mut list[index],
            Cells::Sparse(map) => sparse(map, index),
        };
        cell.n += weight;
        cell.sum += weight * reward;
        cell.squares += weight * reward * reward;
    }

    /// The cell of a slot.
    pub fn cell(&self, index: usize) -> Cell {
        match &self.cells {
            Cells::Dense(list) => list.get(index).copied(),
            Cells::Sparse(map) => map.get(&index).copied(),
        }
        .unwrap_or_default()
    }

    /// The slots of non-zero vectors that have answers, with their cells, in order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, Cell)> + '_ {
        let (list, map) = match &self.cells {
            Cells::Dense(list) => (Some(list.iter().copied().enumerate()), None),
            Cells::Sparse(map) => (None, Some(map.iter().map(|(k, c)| (*k, *c)))),
        };
        let zero = self.slots - 1;
        list.into_iter().flatten().chain(map.into_iter().flatten()).filter(move |(k, cell)| cell.n > 0.0 && *k != zero)
    }

    /// The number (or weight) of all answers, those to pairs with φ = 0 included.
    pub fn total(&self) -> f64 {
        self.iter().map(|(_, cell)| cell.n).sum::<f64>() + self.cell(self.slots - 1).n
    }

    /// The number of slots this tally was made for, the zero slot included.
    pub fn slots(&self) -> usize {
        self.slots
    }
}

/// The cell of a slot among those ever used; out of the way of the short list's.
#[cold]
#[inline(never)]
fn sparse(map: &mut BTreeMap<usize, Cell>, index: usize) -> &mut Cell {
    map.entry(index).or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_seen_in_the_direction_of_the_stored_vector() {
        let features = Features::differences(3, 1, &[0.0, 0.25, 0.5]).unwrap();
        let mut tally = Tally::new(&features);
        tally.add(&features, Duel(0, 1), 1.0);
        tally.add(&features, Duel(1, 0), 0.0);
        tally.add(&features, Duel(1, 0), 0.5);
        tally.add(&features, Duel(2, 2), 1.0);
        let slot = features.slot(Duel(0, 1)).index;
        assert_eq!(tally.cell(slot), Cell { n: 3.0, sum: 2.5, squares: 2.25 });
        assert_eq!(tally.iter().count(), 1);
        assert_eq!(tally.total(), 4.0);
        tally.add_weighted(&features, Duel(1, 0), 0.5, -1.0);
        assert_eq!(tally.cell(slot), Cell { n: 2.0, sum: 2.0, squares: 2.0 });
    }

    #[test]
    fn votes_make_the_tally_that_their_answers_make_one_by_one() {
        use crate::ballots::{Answer, BothBad, Ties};
        let features = Features::differences(3, 1, &[0.0, 0.25, 0.5]).unwrap();
        let mut ballots = Ballots::new(Ties::Half, BothBad::Drop, true);
        for name in ["a", "b", "c"] {
            ballots.item(name);
        }
        let (mut tally, mut half) = (Tally::new(&features), Tally::new(&features));
        for (left, right, answer, reward) in [
            (0, 1, Answer::Left, 1.0),
            (1, 0, Answer::Tie, 0.5),
            (2, 1, Answer::Soft(0.25), 0.25),
            (1, 2, Answer::Right, 0.0),
            (1, 2, Answer::Skip, f64::NAN),
        ] {
            ballots.add(left, right, None, answer, 1.0, 1.0).unwrap();
            if answer != Answer::Skip {
                tally.add(&features, Duel(left as usize, right as usize), reward);
                half.add(&features, Duel(left as usize, right as usize), reward);
            }
        }
        assert_eq!(Tally::of(&features, &ballots.finish()).unwrap(), tally);
        half.merge(&tally).unwrap();
        assert_eq!((half.total(), half.cell(0).squares), (8.0, 2.0 * tally.cell(0).squares));
        assert!(half.merge(&Tally::new(&Features::one_hot(4).unwrap())).is_err());
        assert!(Tally::of(&features, &Ballots::default()).is_err());
    }

    #[test]
    fn many_slots_are_kept_sparsely_with_the_same_meaning() {
        let k = 800;
        let features = Features::differences(k, 1, &(0..k).map(|i| i as f64 / k as f64).collect::<Vec<_>>()).unwrap();
        let mut tally = Tally::new(&features);
        assert!(matches!(tally.cells, Cells::Sparse(_)));
        tally.add(&features, Duel(700, 3), 1.0);
        tally.add(&features, Duel(5, 5), 1.0);
        assert_eq!(
            tally.iter().collect::<Vec<_>>(),
            [(features.slot(Duel(3, 700)).index, Cell { n: 1.0, sum: 0.0, squares: 0.0 })]
        );
        assert_eq!(tally.total(), 2.0);
    }
}
