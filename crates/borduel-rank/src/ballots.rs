//! Ballots: any number of votes reduced to sums per ordered pair and per (voter, pair).
//!
//! Where items are compared on something, such as the prompt that two models answered, that is the vote's *context*,
//! and the sums are per (pair, context).
//!
//! A vote shows two items, the first on the left, and comes back with an [`Answer`]. Everything a ranking needs is
//! additive over votes, so only sums are kept: memory grows with the items, the distinct ordered pairs and the distinct
//! (voter, pair) combinations, never with the number of votes.
//!
//! The sums are exact: votes can be added, taken back ([`Ballots::take_back`]), merged ([`Ballots::merge`]) and
//! restricted to some items ([`Ballots::restrict`]) in any order, and after [`Ballots::finish`] the bytes are those of
//! the votes that remain.

mod change;
mod circumstances;
mod contexts;
mod durations;
mod exact;
mod finish;
mod index;
mod names;
mod questions;
mod saved;
mod vote;
mod weighed;

pub(crate) use circumstances::Circumstance;
pub use circumstances::Circumstances;
pub use durations::Durations;
pub use vote::{Answer, Ballot, BothBad, Counts, PairVotes, Refusal, Share, Ties};

use exact::Rest;
use index::Index;
use names::Names;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use vote::Key;

/// The greatest frequency of a ballot, 2⁵³: every whole number up to it is a `f64`.
const MOST_VOTES: f64 = 9_007_199_254_740_992.0;

/// What the names of groups begin with; no voter's name in a file can.
const GROUP: char = '\0';

/// Votes, reduced to what a ranking needs. They can be saved and loaded.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "saved::Form", into = "saved::Form")]
#[doc(alias("votes", "comparisons", "preferences"))]
pub struct Ballots {
    ties: Ties,
    both_bad: BothBad,
    sides_known: bool,
    items: Names,
    item_names: Vec<String>,
    voters: Names,
    /// How many identical voters each entry of `voters` stands for.
    copies: Vec<f64>,
    contexts: Names,
    /// What the contexts are, in the plural, such as `prompts`; empty where nobody said.
    contexts_are: String,
    cells: Vec<PairVotes>,
    cell_of: Index,
    /// Room for the cells of the ballots that are being added.
    found: Vec<u32>,
    shares: Vec<Share>,
    /// `shares[..compacted]` is sorted by (voter, cell) without repetitions.
    compacted: usize,
    /// What the numbers of a cell, and those of a (voter, cell), are beyond the nearest `f64`, where they are.
    rests: HashMap<u32, [Rest; PairVotes::NUMBERS]>,
    share_rests: HashMap<(u32, u32), [Rest; 2]>,
}

impl Ballots {
    /// An empty box. `sides_known` says whether "left" really is the side on which an item was shown.
    pub fn new(ties: Ties, both_bad: BothBad, sides_known: bool) -> Self {
        Self { ties, both_bad, sides_known, ..Self::default() }
    }

    /// Collects decided votes, each the names of its winner and of its loser. What stood left is not known.
    ///
    /// # Errors
    /// A [`Refusal`] when an item is to have won against itself.
    pub fn from_pairs<W: AsRef<str>, L: AsRef<str>>(votes: impl IntoIterator<Item = (W, L)>) -> Result<Self, Refusal> {
        let mut ballots = Self::default();
        for (winner, loser) in votes {
            let (winner, loser) = (ballots.item(winner.as_ref()), ballots.item(loser.as_ref()));
            ballots.add(winner, loser, None, Answer::Left, 1.0, 1.0)?;
        }
        Ok(ballots.finish())
    }

    /// The index of the item of this name, new or known.
    pub fn item(&mut self, name: &str) -> u32 {
        let item = self.items.get_or_insert(name);
        if item as usize == self.item_names.len() {
            self.item_names.push(name.to_owned());
        }
        item
    }

    /// The index of the item of this name, if there is one.
    pub fn find_item(&self, name: &str) -> Option<u32> {
        self.items.get(name)
    }

    /// The index of the voter of this name, new or known.
    pub fn voter(&mut self, name: &str) -> u32 {
        let voter = self.voters.get_or_insert(name);
        if voter as usize == self.copies.len() {
            self.copies.push(1.0);
        }
        voter
    }

    /// The indices of the voters of these names, new or known, appended to `voters`: of many voters faster than one by
    /// one.
    pub fn voters<'n>(&mut self, names: impl Iterator<Item = &'n str> + Clone, voters: &mut Vec<u32>) {
        self.voters.get_or_insert_all(names, voters);
        self.copies.resize(self.voters.len(), 1.0);
    }

    /// The name of a voter of [`Ballots::shares`]; `None` for a group of voters and for a question, which have none.
    pub fn voter_name(&self, voter: usize) -> Option<String> {
        let name = self.voters.name(voter);
        (!name.starts_with(GROUP)).then(|| name.into_owned())
    }

    /// A new group of `copies` > 0 voters who all vote alike. Their votes are added once, with `count` = `copies`.
    pub fn voter_group(&mut self, copies: f64) -> u32 {
        let voter = self.voters.get_or_insert(&format!("{GROUP}{}", self.copies.len()));
        self.copies.push(copies);
        voter
    }

    /// Adds `count` equal votes of sampling weight `weight` on the pair (`left`, `right`), in no context.
    ///
    /// # Errors
    /// A [`Refusal`] when the vote makes no sense; nothing is then changed.
    pub fn add(
        &mut self,
        left: u32,
        right: u32,
        voter: Option<u32>,
        answer: Answer,
        weight: f64,
        count: f64,
    ) -> Result<(), Refusal> {
        self.add_all(&[Ballot { left, right, voter, context: None, answer, weight, count }])
    }

    /// Adds many ballots at once. With many pairs this is faster than adding them one by one: every ballot waits for
    /// the memory of its pair, and in one short loop the waits overlap.
    ///
    /// # Errors
    /// The first [`Refusal`]; nothing is then changed.
    pub fn add_all(&mut self, ballots: &[Ballot]) -> Result<(), Refusal> {
        for ballot in ballots {
            self.check_ballot(ballot)?;
        }
        let mut cells = std::mem::take(&mut self.found);
        cells.clear();
        cells.extend(ballots.iter().map(|ballot| self.cell_of.glance(self.key(ballot).hash())));
        for (ballot, cell) in ballots.iter().zip(&mut cells) {
            let key = self.key(ballot);
            if self.cells.get(*cell as usize).is_none_or(|found| found.key() != key) {
                *cell = self.cell(key);
            }
        }
        for (ballot, &cell) in ballots.iter().zip(&cells) {
            self.enter(ballot, cell)?;
        }
        self.found = cells;
        Ok(())
    }

    /// Checks everything about a ballot.
    fn check_ballot(&self, ballot: &Ballot) -> Result<(), Refusal> {
        let items = self.items.len() as u32;
        if let Some(&item) = [ballot.left, ballot.right].iter().find(|&&item| item >= items) {
            return Err(Refusal::Item(item));
        }
        if ballot.left == ballot.right {
            return Err(Refusal::Itself);
        }
        if let Some(voter) = ballot.voter.filter(|&voter| voter as usize >= self.copies.len()) {
            return Err(Refusal::Voter(voter));
        }
        if let Some(context) = ballot.context.filter(|&context| context as usize >= self.contexts.len()) {
            return Err(Refusal::Context(context));
        }
        self.check(ballot.answer, ballot.weight, ballot.count).map(|_| ())
    }

    /// Adds a checked ballot to the sums of its cell.
    fn enter(&mut self, ballot: &Ballot, cell: u32) -> Result<(), Refusal> {
        let (_, numbers) = self.numbers(ballot)?;
        self.add_numbers(cell, &numbers);
        let [n, w, wr, ..] = numbers;
        if let Some(voter) = ballot.voter.filter(|_| n > 0.0) {
            self.share([Share { voter, cell, w, wr }]);
        }
        Ok(())
    }

    /// What a ballot adds to the numbers of its cell, and the answer called by its name.
    fn numbers(&self, ballot: &Ballot) -> Result<(Answer, [f64; PairVotes::NUMBERS]), Refusal> {
        let &Ballot { weight, count, .. } = ballot;
        let (answer, is_tie) = self.check(ballot.answer, weight, count)?;
        let mut cell = PairVotes::default();
        *match answer {
            Answer::Left => &mut cell.counts.left,
            Answer::Right => &mut cell.counts.right,
            Answer::Tie => &mut cell.counts.tie,
            Answer::BothBad => &mut cell.counts.both_bad,
            Answer::Skip => &mut cell.counts.skip,
            Answer::Soft(_) => &mut cell.counts.soft,
        } = count;
        let r = match answer {
            Answer::Left => Some(1.0),
            Answer::Right => Some(0.0),
            Answer::Soft(r) => Some(r),
            _ => (is_tie && matches!(self.ties, Ties::Half | Ties::Model)).then_some(0.5),
        };
        // A vote of weight or frequency 0 says nothing, and must not make its pair look compared.
        if let Some(r) = r.filter(|_| weight != 0.0 && count != 0.0) {
            cell.n = count;
            cell.w = count * weight;
            cell.wr = count * weight * r;
            cell.w2 = count * weight * weight;
            cell.w2r = count * weight * weight * r;
            cell.w2r2 = count * weight * weight * r * r;
        }
        Ok((answer, cell.numbers().map(|number| *number)))
    }

    /// Adds to the numbers of a cell, exactly.
    #[inline]
    fn add_numbers(&mut self, cell: u32, numbers: &[f64; PairVotes::NUMBERS]) {
        let mut lost = [0.0; PairVotes::NUMBERS];
        let own = self.cells[cell as usize].numbers();
        for ((own, number), lost) in own.into_iter().zip(numbers).zip(&mut lost) {
            *lost = exact::add(own, *number);
        }
        if lost.iter().any(|lost| *lost != 0.0) {
            let rests = self.rests.entry(cell).or_default();
            rests.iter_mut().zip(lost).for_each(|(rest, lost)| rest.add(lost));
        }
    }

    /// Checks everything about a vote but its items and its voter. Returns the answer with soft 0, ½ and 1 called by
    /// their names, and whether it is to be treated as a tie.
    ///
    /// # Errors
    /// The [`Refusal`] that [`Ballots::add`] would return.
    pub fn check(&self, answer: Answer, weight: f64, count: f64) -> Result<(Answer, bool), Refusal> {
        if weight != 0.0 && !(1e-100..=1e100).contains(&weight) {
            return Err(Refusal::Weight(weight));
        }
        if !(0.0..=MOST_VOTES).contains(&count) {
            return Err(Refusal::Count(count));
        }
        let answer = match answer {
            Answer::Soft(r) if !(0.0..=1.0).contains(&r) => return Err(Refusal::Answer(r)),
            Answer::Soft(0.0) => Answer::Right,
            Answer::Soft(0.5) => Answer::Tie,
            Answer::Soft(1.0) => Answer::Left,
            Answer::Soft(r) if self.ties == Ties::Model => return Err(Refusal::Soft(r)),
            other => other,
        };
        let is_tie = self.is_tie(answer);
        if is_tie && self.ties == Ties::Error {
            return Err(Refusal::Tie);
        }
        Ok((answer, is_tie))
    }

    /// Whether an answer is to be treated as a tie.
    fn is_tie(&self, answer: Answer) -> bool {
        matches!(answer, Answer::Tie | Answer::Soft(0.5))
            || (answer == Answer::BothBad && self.both_bad == BothBad::Tie)
    }

    /// Where a ballot is counted.
    fn key(&self, ballot: &Ballot) -> Key {
        let &Ballot { left, right, context, .. } = ballot;
        Key { left, right, tied: self.ties == Ties::Model && self.is_tie(ballot.answer), context }
    }

    /// The cell of this key, if there is one.
    fn find_cell(&self, key: Key) -> Option<u32> {
        self.cell_of.get(key.hash(), |cell| self.cells[cell as usize].key() == key)
    }

    /// The cell of this key, new or known.
    fn cell(&mut self, key: Key) -> u32 {
        self.find_cell(key).unwrap_or_else(|| {
            let Key { left, right, tied, context } = key;
            self.cells.push(PairVotes { left, right, tied, context, ..PairVotes::default() });
            self.cell_of.push(key.hash())
        })
    }

    /// Appends shares; when the unsorted tail has grown as long as the sorted part, folds the two together before,
    /// which keeps the list within twice its final size, and what comes in at once, at a cost of O(log n) amortised.
    fn share(&mut self, shares: impl IntoIterator<Item = Share>) {
        const TAIL: usize = 1 << 20;
        if self.shares.len() - self.compacted >= self.compacted.max(TAIL) {
            self.compact();
        }
        self.shares.extend(shares);
    }

    /// The items' names, by index.
    pub fn items(&self) -> &[String] {
        &self.item_names
    }

    /// The ordered pairs that were voted on, sorted after [`Ballots::finish`]; under [`Ties::Model`] their ties apart,
    /// and contexts apart where there are any.
    pub fn cells(&self) -> &[PairVotes] {
        &self.cells
    }

    /// What each voter contributed to each ordered pair, sorted by voter, then cell. Empty when no vote named its
    /// voter.
    pub fn shares(&self) -> &[Share] {
        &self.shares
    }

    /// How many identical voters each voter index stands for (1, except after [`Ballots::voter_group`]).
    pub fn copies(&self) -> &[f64] {
        &self.copies
    }

    /// What a tie is worth.
    pub fn ties(&self) -> Ties {
        self.ties
    }

    /// Whether the side on which an item was shown is known.
    pub fn sides_known(&self) -> bool {
        self.sides_known
    }

    /// Declares that some votes do not tell the side on which an item was shown.
    pub fn forget_sides(&mut self) {
        self.sides_known = false;
    }

    /// Drops who voted what, which is most of what many votes take; the sums of pairs stay.
    pub fn forget_voters(&mut self) {
        self.voters = Names::default();
        (self.copies, self.shares, self.compacted) = (Vec::new(), Vec::new(), 0);
        self.share_rests = HashMap::new();
    }

    /// Whether some used vote had a sampling weight other than 1.
    pub fn weighted(&self) -> bool {
        // Σ w = Σ w² = Σ 1 means Σ (w − 1)² = 0.
        self.cells.iter().any(|cell| cell.w != cell.n || cell.w2 != cell.n)
    }

    /// The answers of all pairs together, by kind.
    pub fn totals(&self) -> Counts {
        let mut totals = Counts::default();
        self.cells.iter().for_each(|cell| totals.add(&cell.counts));
        totals
    }

    /// The number of votes that were used.
    pub fn used(&self) -> f64 {
        self.cells.iter().map(|cell| cell.n).sum()
    }
}

#[cfg(test)]
mod tests;
