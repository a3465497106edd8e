//! Ballots: any number of votes reduced to sums per ordered pair and per (voter, pair).
//!
//! A vote shows two items, the first on the left, and comes back with an [`Answer`]. Everything a ranking needs is additive
//! over votes, so only sums are kept: memory grows with the items, the distinct ordered pairs and the distinct
//! (voter, pair) combinations, never with the number of votes.
//!
//! The sums are exact: votes can be added, taken back ([`Ballots::take_back`]), merged ([`Ballots::merge`]) and restricted to some
//! items ([`Ballots::restrict`]) in any order, and after [`Ballots::finish`] the bytes are those of the votes that remain.

mod change;
mod circumstances;
mod exact;
mod index;
mod names;
mod saved;

pub(crate) use circumstances::Circumstance;
pub use circumstances::Circumstances;

use crate::stream::mix;
use exact::Rest;
use index::Index;
use names::Names;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// What one vote said about the pair it was shown.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// The first (left) item is better: r = 1.
    Left,
    /// The second (right) item is better: r = 0.
    Right,
    /// Both are equally good: r = ½ under [`Ties::Half`].
    Tie,
    /// Both are bad: not a statement about which is better, unless [`BothBad::Tie`] says so.
    BothBad,
    /// The voter did not want to say. Counted, never used.
    Skip,
    /// A soft answer r ∈ [0, 1]: the share or chance with which the left item is better.
    Soft(f64),
}

/// What a tie is worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ties {
    /// Half a win for each side.
    #[default]
    Half,
    /// Counted, but not used.
    Drop,
    /// Refused: a tie is then a mistake in the data.
    Error,
}

/// What "both are bad" is worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum BothBad {
    /// Counted, but not used.
    #[default]
    Drop,
    /// Treated as a tie, whatever [`Ties`] then makes of it.
    Tie,
}

/// Why a vote was not accepted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// The two items are the same one.
    #[error("an item was compared with itself")]
    Itself,
    /// The sampling weight is negative, not a number, or so large or small that its square could not be summed up.
    #[error("the weight {0} is neither 0 nor a number from 1e-100 to 1e100")]
    Weight(f64),
    /// The frequency is negative, not a number, or so large that counting is no longer exact.
    #[error("the count {0} is not a number from 0 to 2^53, beyond which counting is not exact")]
    Count(f64),
    /// A soft answer lies outside [0, 1] or is not a number.
    #[error("the answer {0} is not in [0, 1]")]
    Answer(f64),
    /// A tie where ties are declared impossible.
    #[error("a tie, where ties are to be an error")]
    Tie,
    /// The item index is not one of the items.
    #[error("there is no item number {0}")]
    Item(u32),
    /// The voter index is not one of the voters.
    #[error("there is no voter number {0}")]
    Voter(u32),
    /// A vote is to be taken back that is not there.
    #[error("there is no such vote that could be taken back")]
    NotThere,
    /// A number that goes with a vote is not finite, or is missing.
    #[error("the number {0} is not a finite one")]
    Number(f64),
    /// Votes are to be merged that were counted by other rules.
    #[error("these votes count ties or \"both bad\" in another way: read them again by one rule")]
    Rules,
}

/// The greatest frequency of a ballot, 2⁵³: every whole number up to it is a `f64`.
const MOST_VOTES: f64 = 9_007_199_254_740_992.0;

/// What the names of groups begin with; no voter's name in a file can.
const GROUP: char = '\0';

/// How often each answer was given, by frequency (sampling weights play no part).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    /// Votes for the left item.
    pub left: f64,
    /// Votes for the right item.
    pub right: f64,
    /// Ties.
    pub tie: f64,
    /// "Both are bad".
    pub both_bad: f64,
    /// Skips.
    pub skip: f64,
    /// Soft answers strictly between 0 and 1 other than ½ (½ is a tie, 0 and 1 are decisions).
    pub soft: f64,
}

impl Counts {
    /// Adds the other counts to these.
    pub fn add(&mut self, other: &Counts) {
        self.left += other.left;
        self.right += other.right;
        self.tie += other.tie;
        self.both_bad += other.both_bad;
        self.skip += other.skip;
        self.soft += other.soft;
    }

    /// How often this answer was given.
    fn of(&self, answer: Answer) -> f64 {
        match answer {
            Answer::Left => self.left,
            Answer::Right => self.right,
            Answer::Tie => self.tie,
            Answer::BothBad => self.both_bad,
            Answer::Skip => self.skip,
            Answer::Soft(_) => self.soft,
        }
    }

    /// All votes, used or not.
    pub fn total(&self) -> f64 {
        self.left + self.right + self.tie + self.both_bad + self.skip + self.soft
    }
}

/// The sums over the used votes of one ordered pair, with w the sampling weight and r the answer for the left item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PairVotes {
    /// The left item.
    pub left: u32,
    /// The right item.
    pub right: u32,
    /// Σ 1: how many votes were used.
    pub n: f64,
    /// Σ w.
    pub w: f64,
    /// Σ w r.
    pub wr: f64,
    /// Σ w².
    pub w2: f64,
    /// Σ w² r.
    pub w2r: f64,
    /// Σ w² r².
    pub w2r2: f64,
    /// Every answer given, used or not.
    pub counts: Counts,
}

impl PairVotes {
    /// How many numbers there are.
    const NUMBERS: usize = 12;

    /// All numbers: n, w, wr, w2, w2r, w2r2, and the counts.
    fn numbers(&mut self) -> [&mut f64; Self::NUMBERS] {
        let Self { n, w, wr, w2, w2r, w2r2, counts, .. } = self;
        let Counts { left, right, tie, both_bad, skip, soft } = counts;
        [n, w, wr, w2, w2r, w2r2, left, right, tie, both_bad, skip, soft]
    }
}

/// The used votes of one voter on one ordered pair.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// The voter.
    pub voter: u32,
    /// The index of the ordered pair in [`Ballots::cells`].
    pub cell: u32,
    /// Σ w over this voter's votes on the pair.
    pub w: f64,
    /// Σ w r over the same votes.
    pub wr: f64,
}

/// One or more equal votes on a pair.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ballot {
    /// The item on the left.
    pub left: u32,
    /// The item on the right.
    pub right: u32,
    /// Who voted, where that is known.
    pub voter: Option<u32>,
    /// What was said.
    pub answer: Answer,
    /// The sampling weight w ≥ 0.
    pub weight: f64,
    /// How many such votes there are, ≥ 0.
    pub count: f64,
}

/// Votes, reduced to what a ranking needs. They can be saved and loaded.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "saved::Form", into = "saved::Form")]
pub struct Ballots {
    ties: Ties,
    both_bad: BothBad,
    sides_known: bool,
    items: Names,
    item_names: Vec<String>,
    voters: Names,
    /// How many identical voters each entry of `voters` stands for.
    copies: Vec<f64>,
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

    /// A new group of `copies` > 0 voters who all vote alike. Their votes are added once, with `count` = `copies`.
    pub fn voter_group(&mut self, copies: f64) -> u32 {
        let voter = self.voters.get_or_insert(&format!("{GROUP}{}", self.copies.len()));
        self.copies.push(copies);
        voter
    }

    /// Adds `count` equal votes of sampling weight `weight` on the pair (`left`, `right`).
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
        self.add_all(&[Ballot { left, right, voter, answer, weight, count }])
    }

    /// Adds many ballots at once. With many pairs this is faster than adding them one by one: every ballot waits for the
    /// memory of its pair, and in one short loop the waits overlap.
    ///
    /// # Errors
    /// The first [`Refusal`]; nothing is then changed.
    pub fn add_all(&mut self, ballots: &[Ballot]) -> Result<(), Refusal> {
        for ballot in ballots {
            self.check_ballot(ballot)?;
        }
        let mut cells = std::mem::take(&mut self.found);
        cells.clear();
        cells.extend(ballots.iter().map(|ballot| self.cell(ballot.left, ballot.right)));
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
        self.check(ballot.answer, ballot.weight, ballot.count).map(|_| ())
    }

    /// Adds a checked ballot to the sums of its cell.
    fn enter(&mut self, ballot: &Ballot, cell: u32) -> Result<(), Refusal> {
        let (_, numbers) = self.numbers(ballot)?;
        self.add_numbers(cell, &numbers);
        let [n, w, wr, ..] = numbers;
        if let Some(voter) = ballot.voter.filter(|_| n > 0.0) {
            self.share(Share { voter, cell, w, wr });
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
            _ => (is_tie && self.ties == Ties::Half).then_some(0.5),
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

    /// Checks everything about a vote but its items and its voter. Returns the answer with soft 0, ½ and 1 called by their
    /// names, and whether it is to be treated as a tie.
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
            other => other,
        };
        let is_tie = answer == Answer::Tie || (answer == Answer::BothBad && self.both_bad == BothBad::Tie);
        if is_tie && self.ties == Ties::Error {
            return Err(Refusal::Tie);
        }
        Ok((answer, is_tie))
    }

    /// The cell of an ordered pair, if there is one.
    fn find_cell(&self, left: u32, right: u32) -> Option<u32> {
        self.cell_of.get(pair_hash(left, right), |cell| {
            let cell = &self.cells[cell as usize];
            cell.left == left && cell.right == right
        })
    }

    /// The cell of an ordered pair, new or known.
    fn cell(&mut self, left: u32, right: u32) -> u32 {
        self.find_cell(left, right).unwrap_or_else(|| {
            self.cells.push(PairVotes { left, right, ..PairVotes::default() });
            self.cell_of.push(pair_hash(left, right))
        })
    }

    /// Appends a share; when the unsorted tail has grown as long as the sorted part, folds the two together, which keeps the
    /// list within twice its final size at a cost of O(log n) amortised.
    fn share(&mut self, share: Share) {
        const TAIL: usize = 1 << 20;
        if self.shares.len() - self.compacted >= self.compacted.max(TAIL) {
            self.compact();
        }
        self.shares.push(share);
    }

    /// Sorts the shares and adds up those of the same voter and cell; those that come to nothing are gone.
    fn compact(&mut self) {
        // The sums are exact, so that the order within a key does not matter.
        self.shares.par_sort_unstable_by_key(|s| (u64::from(s.voter) << 32) | u64::from(s.cell));
        let mut kept = 0;
        let mut at = 0;
        while at < self.shares.len() {
            let mut sum = self.shares[at];
            let key = (sum.voter, sum.cell);
            let mut rests = if self.share_rests.is_empty() { None } else { self.share_rests.remove(&key) };
            at += 1;
            while let Some(next) = self.shares.get(at).filter(|next| (next.voter, next.cell) == key) {
                let lost = [exact::add(&mut sum.w, next.w), exact::add(&mut sum.wr, next.wr)];
                if lost != [0.0; 2] {
                    let rests = rests.get_or_insert_default();
                    rests.iter_mut().zip(lost).for_each(|(rest, lost)| rest.add(lost));
                }
                at += 1;
            }
            if let Some(mut rests) = rests {
                rests[0].settle(&mut sum.w);
                rests[1].settle(&mut sum.wr);
                if rests.iter().any(|rest| !rest.is_empty()) {
                    self.share_rests.insert(key, rests);
                }
            }
            if sum.w != 0.0 {
                self.shares[kept] = sum;
                kept += 1;
            }
        }
        self.shares.truncate(kept);
        self.compacted = kept;
    }

    /// Brings everything into the one form that depends on nothing but the items and the votes. Call it once after the last vote;
    /// [`Ballots::shares`] relies on it.
    ///
    /// Cells are then sorted by their items, and voters by their names, so that voters have new numbers; cells without a vote and
    /// voters without a used one are gone.
    #[must_use]
    pub fn finish(mut self) -> Self {
        self.compact();
        self.sort_cells();
        self.sort_voters();
        // Both have new numbers now, in the order of the old ones only by chance.
        self.compact();
        self.shares.shrink_to_fit();
        self
    }

    fn sort_cells(&mut self) {
        for (cell, mut rests) in std::mem::take(&mut self.rests) {
            let numbers = self.cells[cell as usize].numbers();
            numbers.into_iter().zip(&mut rests).for_each(|(number, rest)| rest.settle(number));
            if rests.iter().any(|rest| !rest.is_empty()) {
                self.rests.insert(cell, rests);
            }
        }
        let empty = |cell: &PairVotes| cell.n == 0.0 && cell.counts.total() == 0.0;
        let mut order: Vec<u32> = (0..self.cells.len() as u32).filter(|&at| !empty(&self.cells[at as usize])).collect();
        order.sort_unstable_by_key(|&at| (self.cells[at as usize].left, self.cells[at as usize].right));
        let mut place = vec![u32::MAX; self.cells.len()];
        order.iter().zip(0..).for_each(|(&old, new)| place[old as usize] = new);
        self.cells = order.iter().map(|&at| self.cells[at as usize]).collect();
        self.cell_of = Index::default();
        for cell in &self.cells {
            self.cell_of.push(pair_hash(cell.left, cell.right));
        }
        // A share says that its cell has a used vote, so that no share is of a cell that is gone.
        self.shares.iter_mut().for_each(|share| share.cell = place[share.cell as usize]);
        self.rests =
            std::mem::take(&mut self.rests).into_iter().map(|(cell, rests)| (place[cell as usize], rests)).collect();
        let renamed = |((voter, cell), rests): ((u32, u32), _)| ((voter, place[cell as usize]), rests);
        self.share_rests = std::mem::take(&mut self.share_rests).into_iter().map(renamed).collect();
        self.rests.retain(|&cell, _| cell != u32::MAX);
    }

    fn sort_voters(&mut self) {
        let mut used = vec![false; self.copies.len()];
        self.shares.iter().for_each(|share| used[share.voter as usize] = true);
        let (voters, order) = self.voters.sorted(&used);
        let mut place = vec![u32::MAX; used.len()];
        order.iter().zip(0..).for_each(|(&old, new)| place[old as usize] = new);
        self.voters = voters;
        self.copies = order.iter().map(|&old| self.copies[old as usize]).collect();
        self.shares.iter_mut().for_each(|share| share.voter = place[share.voter as usize]);
        let renamed = |((voter, cell), rests): ((u32, u32), _)| ((place[voter as usize], cell), rests);
        self.share_rests = std::mem::take(&mut self.share_rests).into_iter().map(renamed).collect();
    }

    /// The items' names, by index.
    pub fn items(&self) -> &[String] {
        &self.item_names
    }

    /// The ordered pairs that were voted on, sorted after [`Ballots::finish`].
    pub fn cells(&self) -> &[PairVotes] {
        &self.cells
    }

    /// What each voter contributed to each ordered pair, sorted by voter, then cell. Empty when no vote named its voter.
    pub fn shares(&self) -> &[Share] {
        &self.shares
    }

    /// How many identical voters each voter index stands for (1, except after [`Ballots::voter_group`]).
    pub fn copies(&self) -> &[f64] {
        &self.copies
    }

    /// Whether the side on which an item was shown is known.
    pub fn sides_known(&self) -> bool {
        self.sides_known
    }

    /// Declares that some votes do not tell the side on which an item was shown.
    pub fn forget_sides(&mut self) {
        self.sides_known = false;
    }

    /// Whether some used vote had a sampling weight other than 1.
    pub fn weighted(&self) -> bool {
        // Σ w = Σ w² = Σ 1 means Σ (w − 1)² = 0.
        self.cells.iter().any(|cell| cell.w != cell.n || cell.w2 != cell.n)
    }

    /// All answers together.
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

/// The hash of an ordered pair. The indices are counted up by this program, so nobody can choose them, and mixing well is enough.
fn pair_hash(left: u32, right: u32) -> u32 {
    mix(u64::from(left), u64::from(right)) as u32
}

#[cfg(test)]
mod tests;
