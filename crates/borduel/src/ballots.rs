//! Ballots: any number of votes reduced to sums per ordered pair and per (voter, pair).
//!
//! A vote shows two items, the first on the left, and comes back with an [`Answer`]. Everything a ranking needs is additive
//! over votes, so only sums are kept: memory grows with the items, the distinct ordered pairs and the distinct
//! (voter, pair) combinations, never with the number of votes.

mod index;
mod names;

use crate::stream::mix;
use index::Index;
use names::Names;

/// What one vote said about the pair it was shown.
#[derive(Clone, Copy, Debug, PartialEq)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
}

/// The greatest frequency of a ballot, 2⁵³: every whole number up to it is a `f64`.
const MOST_VOTES: f64 = 9_007_199_254_740_992.0;

/// How often each answer was given, by frequency (sampling weights play no part).
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
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

    /// All votes, used or not.
    pub fn total(&self) -> f64 {
        self.left + self.right + self.tie + self.both_bad + self.skip + self.soft
    }
}

/// The sums over the used votes of one ordered pair, with w the sampling weight and r the answer for the left item.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
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

/// The used votes of one voter on one ordered pair.
#[derive(Clone, Copy, Debug, PartialEq)]
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
#[derive(Clone, Copy, Debug, PartialEq)]
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

/// Votes, reduced to what a ranking needs.
#[derive(Clone, Debug, Default)]
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
    /// Whether some weight differed from 1.
    weighted: bool,
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
        // No file that is read as votes can hold this name, so that it is always a new one.
        let voter = self.voters.get_or_insert(&format!("\0{}", self.copies.len()));
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
    fn enter(&mut self, ballot: &Ballot, index: u32) -> Result<(), Refusal> {
        let &Ballot { voter, weight, count, .. } = ballot;
        let (answer, is_tie) = self.check(ballot.answer, weight, count)?;
        let cell = &mut self.cells[index as usize];
        *match answer {
            Answer::Left => &mut cell.counts.left,
            Answer::Right => &mut cell.counts.right,
            Answer::Tie => &mut cell.counts.tie,
            Answer::BothBad => &mut cell.counts.both_bad,
            Answer::Skip => &mut cell.counts.skip,
            Answer::Soft(_) => &mut cell.counts.soft,
        } += count;
        let r = match answer {
            Answer::Left => 1.0,
            Answer::Right => 0.0,
            Answer::Soft(r) => r,
            _ if is_tie && self.ties == Ties::Half => 0.5,
            _ => return Ok(()),
        };
        // A vote of weight or frequency 0 says nothing, and must not make its pair look compared.
        if weight == 0.0 || count == 0.0 {
            return Ok(());
        }
        self.weighted |= weight != 1.0;
        cell.n += count;
        cell.w += count * weight;
        cell.wr += count * weight * r;
        cell.w2 += count * weight * weight;
        cell.w2r += count * weight * weight * r;
        cell.w2r2 += count * weight * weight * r * r;
        if let Some(voter) = voter {
            self.share(Share { voter, cell: index, w: count * weight, wr: count * weight * r });
        }
        Ok(())
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

    fn cell(&mut self, left: u32, right: u32) -> u32 {
        // The indices are counted up by this program, so nobody can choose them, and mixing well is enough.
        let hash = mix(u64::from(left), u64::from(right)) as u32;
        let same = |cell: u32| {
            let cell = &self.cells[cell as usize];
            cell.left == left && cell.right == right
        };
        self.cell_of.get(hash, same).unwrap_or_else(|| {
            self.cells.push(PairVotes { left, right, ..PairVotes::default() });
            self.cell_of.push(hash)
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

    fn compact(&mut self) {
        // The stable sort keeps the order of addition within a key, so the sums do not depend on anything but the votes.
        self.shares.sort_by_key(|s| (u64::from(s.voter) << 32) | u64::from(s.cell));
        self.shares.dedup_by(|next, kept| {
            let same = next.voter == kept.voter && next.cell == kept.cell;
            if same {
                kept.w += next.w;
                kept.wr += next.wr;
            }
            same
        });
        self.compacted = self.shares.len();
    }

    /// Sorts what is still unsorted. Call it once after the last vote; [`Ballots::shares`] relies on it.
    #[must_use]
    pub fn finish(mut self) -> Self {
        self.compact();
        self.shares.shrink_to_fit();
        self
    }

    /// The items' names, by index.
    pub fn items(&self) -> &[String] {
        &self.item_names
    }

    /// The ordered pairs that were voted on, in the order of their first vote.
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
        self.weighted
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

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Ballots {
        let mut ballots = Ballots::new(Ties::Half, BothBad::Drop, true);
        assert_eq!((ballots.item("a"), ballots.item("b"), ballots.item("a")), (0, 1, 0));
        ballots
    }

    #[test]
    fn answers_are_kept_apart_and_only_the_right_ones_are_used() {
        let mut b = two();
        for answer in [
            Answer::Left,
            Answer::Right,
            Answer::Tie,
            Answer::BothBad,
            Answer::Skip,
            Answer::Soft(0.25),
            Answer::Soft(0.5),
        ] {
            b.add(0, 1, None, answer, 2.0, 3.0).unwrap();
        }
        let cell = b.cells()[0];
        assert_eq!(cell.counts, Counts { left: 3.0, right: 3.0, tie: 6.0, both_bad: 3.0, skip: 3.0, soft: 3.0 });
        assert_eq!((cell.n, cell.w, cell.wr), (15.0, 30.0, 6.0 + 6.0 + 1.5));
        assert_eq!((cell.w2, cell.w2r, cell.w2r2), (60.0, 27.0, 12.0 + 6.0 + 0.75));
        assert_eq!((b.totals().total(), b.used()), (21.0, 15.0));
        assert!(b.weighted());
    }

    #[test]
    fn ties_and_both_bad_follow_their_rules() {
        for (ties, both_bad, used) in [
            (Ties::Half, BothBad::Drop, 1.0),
            (Ties::Half, BothBad::Tie, 2.0),
            (Ties::Drop, BothBad::Drop, 0.0),
            (Ties::Drop, BothBad::Tie, 0.0),
        ] {
            let mut b = Ballots::new(ties, both_bad, true);
            let (x, y) = (b.item("x"), b.item("y"));
            b.add(x, y, None, Answer::Tie, 1.0, 1.0).unwrap();
            b.add(x, y, None, Answer::BothBad, 1.0, 1.0).unwrap();
            assert_eq!((b.used(), b.cells()[0].counts.tie, b.cells()[0].counts.both_bad), (used, 1.0, 1.0));
        }
        let mut b = Ballots::new(Ties::Error, BothBad::Drop, true);
        let (x, y) = (b.item("x"), b.item("y"));
        assert_eq!(b.add(x, y, None, Answer::Soft(0.5), 1.0, 1.0), Err(Refusal::Tie));
        assert_eq!(b.add(x, y, None, Answer::BothBad, 1.0, 1.0), Ok(()));
    }

    #[test]
    fn nonsense_is_refused_and_changes_nothing() {
        let mut b = two();
        let mut check = |left, right, voter, answer, weight, count, refusal| {
            assert_eq!(b.add(left, right, voter, answer, weight, count), Err(refusal));
            assert!(b.cells().is_empty());
        };
        check(0, 0, None, Answer::Left, 1.0, 1.0, Refusal::Itself);
        check(0, 2, None, Answer::Left, 1.0, 1.0, Refusal::Item(2));
        check(0, 1, Some(0), Answer::Left, 1.0, 1.0, Refusal::Voter(0));
        check(0, 1, None, Answer::Left, -1.0, 1.0, Refusal::Weight(-1.0));
        check(0, 1, None, Answer::Left, f64::INFINITY, 1.0, Refusal::Weight(f64::INFINITY));
        check(0, 1, None, Answer::Left, 1.0, -2.0, Refusal::Count(-2.0));
        check(0, 1, None, Answer::Soft(1.5), 1.0, 1.0, Refusal::Answer(1.5));
        assert!(matches!(b.add(0, 1, None, Answer::Soft(f64::NAN), 1.0, 1.0), Err(Refusal::Answer(_))));
        assert!(matches!(b.add(0, 1, None, Answer::Left, f64::NAN, 1.0), Err(Refusal::Weight(_))));
    }

    #[test]
    fn shares_are_folded_by_voter_and_pair_and_weight_zero_compares_nothing() {
        let mut b = two();
        let (v, u) = (b.voter("v"), b.voter("u"));
        for _ in 0..3 {
            b.add(1, 0, Some(u), Answer::Left, 1.0, 1.0).unwrap();
            b.add(0, 1, Some(v), Answer::Tie, 1.0, 2.0).unwrap();
            b.add(0, 1, Some(u), Answer::Skip, 1.0, 1.0).unwrap();
            b.add(0, 1, Some(u), Answer::Left, 0.0, 1.0).unwrap();
        }
        let b = b.finish();
        let expected = [Share { voter: v, cell: 1, w: 6.0, wr: 3.0 }, Share { voter: u, cell: 0, w: 3.0, wr: 3.0 }];
        assert_eq!(b.shares(), expected);
        assert_eq!(b.used(), 9.0);
    }

    #[test]
    fn compaction_under_way_changes_nothing() {
        let mut b = two();
        let mut expected = vec![0.0; 1000];
        for vote in 0..(1 << 20) * 2 + 77 {
            let name = vote % 1000;
            let voter = b.voter(&name.to_string());
            b.add(0, 1, Some(voter), Answer::Left, 1.0, 1.0).unwrap();
            expected[name] += 1.0;
        }
        let b = b.finish();
        assert_eq!(b.shares().iter().map(|s| s.w).collect::<Vec<_>>(), expected);
    }
}
