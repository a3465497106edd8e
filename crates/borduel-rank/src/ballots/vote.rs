//! The words of votes: answers, what ties are worth, why a vote is refused, and the sums that votes are reduced to.

use crate::stream::mix;
use serde::{Deserialize, Serialize};

/// What one vote said about the pair it was shown.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// The first (left) item is better: r = 1.
    Left,
    /// The second (right) item is better: r = 0.
    Right,
    /// Both are equally good: r = ½ under [`Ties::Half`] and [`Ties::Model`].
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
    /// An outcome of its own: its sums are kept apart from those of decided votes, so that a model can tell how likely
    /// it is.
    Model,
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
    /// A soft answer where ties are an outcome of their own.
    #[error(
        "the answer {0} is neither a win nor a loss nor a tie, and there are no others where ties are an outcome of \
         their own"
    )]
    Soft(f64),
    /// A tie where ties are declared impossible.
    #[error("a tie, where ties are to be an error")]
    Tie,
    /// The item index is not one of the items.
    #[error("there is no item number {0}")]
    Item(u32),
    /// The voter index is not one of the voters.
    #[error("there is no voter number {0}")]
    Voter(u32),
    /// The context index is not one of the contexts.
    #[error("there is no context number {0}")]
    Context(u32),
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

/// How often each answer was given, by frequency (sampling weights play no part).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Counts {
    /// Votes for the left item.
    pub left: f64,
    /// Votes for the right item.
    pub right: f64,
    /// How many votes were ties.
    pub tie: f64,
    /// Ties of the kind "both are bad".
    pub both_bad: f64,
    /// How many votes were skipped.
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
    pub(super) fn of(&self, answer: Answer) -> f64 {
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

/// The sums over the used votes of one ordered pair (or over its ties alone, see [`PairVotes::tied`]), with w the
/// sampling weight and r the answer for the left item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
// Every vote waits for the memory of its pair: two lines of it, never three.
#[repr(align(64))]
#[non_exhaustive]
pub struct PairVotes {
    /// The number of the left item, the smaller of the two.
    pub left: u32,
    /// The number of the right item.
    pub right: u32,
    /// Whether these are the pair's ties, which are kept apart under [`Ties::Model`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tied: bool,
    /// What the two were compared on, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<u32>,
    /// Σ 1: how many votes were used.
    pub n: f64,
    /// Σ w, the sum of the weights.
    pub w: f64,
    /// Σ w r, with r = 1 where left won and ½ for a tie.
    pub wr: f64,
    /// Σ w², for the variance.
    pub w2: f64,
    /// Σ w² r, for the variance.
    pub w2r: f64,
    /// Σ w² r², for the variance.
    pub w2r2: f64,
    /// Every answer given, used or not.
    pub counts: Counts,
}

impl PairVotes {
    pub(super) fn key(&self) -> Key {
        Key { left: self.left, right: self.right, tied: self.tied, context: self.context }
    }

    /// The same votes, each of so many times its weight.
    pub(crate) fn weighed(&self, by: f64) -> Self {
        let (w, wr) = (by * self.w, by * self.wr);
        let square = by * by;
        Self { w, wr, w2: square * self.w2, w2r: square * self.w2r, w2r2: square * self.w2r2, ..*self }
    }

    /// How many numbers there are.
    pub(super) const NUMBERS: usize = 12;

    /// All numbers: n, w, wr, w2, w2r, w2r2, and the counts.
    pub(super) fn numbers(&mut self) -> [&mut f64; Self::NUMBERS] {
        let Self { n, w, wr, w2, w2r, w2r2, counts, .. } = self;
        let Counts { left, right, tie, both_bad, skip, soft } = counts;
        [n, w, wr, w2, w2r, w2r2, left, right, tie, both_bad, skip, soft]
    }
}

/// The used votes of one voter on one ordered pair (in one context, where there are contexts).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Share {
    /// The number of the voter.
    pub voter: u32,
    /// The index in [`Ballots::cells`](super::Ballots::cells).
    pub cell: u32,
    /// Σ w over this voter's votes on the pair.
    pub w: f64,
    /// Σ w r over the same votes.
    pub wr: f64,
}

/// One or more equal votes on a pair.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Ballot {
    /// The item on the left.
    pub left: u32,
    /// The item on the right.
    pub right: u32,
    /// Who voted, where that is known.
    pub voter: Option<u32>,
    /// What the two were compared on, where that is known: see [`Ballots::context`](super::Ballots::context).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<u32>,
    /// What the voter answered.
    pub answer: Answer,
    /// The sampling weight w ≥ 0.
    pub weight: f64,
    /// How many such votes there are, ≥ 0.
    pub count: f64,
}

impl Ballot {
    /// One vote of weight 1, by nobody in particular.
    #[inline]
    pub fn new(left: u32, right: u32, answer: Answer) -> Self {
        Self { left, right, voter: None, context: None, answer, weight: 1.0, count: 1.0 }
    }

    /// The same by this voter, if there is one.
    #[inline]
    #[must_use]
    pub fn with_voter(self, voter: impl Into<Option<u32>>) -> Self {
        Self { voter: voter.into(), ..self }
    }

    /// The same in this context, if there is one.
    #[inline]
    #[must_use]
    pub fn with_context(self, context: impl Into<Option<u32>>) -> Self {
        Self { context: context.into(), ..self }
    }
}

crate::setters!(Ballot { with_answer: answer: Answer, with_weight: weight: f64, with_count: count: f64 });

/// What tells cells apart, in the order in which they are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) left: u32,
    pub(super) right: u32,
    pub(super) tied: bool,
    pub(super) context: Option<u32>,
}

impl Key {
    /// The indices are counted up by this program, so nobody can choose them, and mixing well is enough.
    pub(super) fn hash(self) -> u32 {
        let pair = mix(u64::from(self.left), u64::from(self.right) | u64::from(self.tied) << 32);
        self.context.map_or(pair, |context| mix(pair, u64::from(context))) as u32
    }
}
