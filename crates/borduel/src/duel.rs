//! Proposals of a policy, and what it notes on them.

pub use borduel_rank::{Arm, Duel, Outcome};
use serde::{Deserialize, Serialize};

/// A question asked: which duel, when, how likely it was, and all that its policy needs to learn from the answer later.
///
/// Keep it until the answer comes, then hand it back with [`tell`](crate::Policy::tell) or
/// [`cancel`](crate::Policy::cancel); it may be saved in between.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// The number of this question, from 1.
    pub round: u64,
    /// The two items to show.
    pub duel: Duel,
    /// The probability with which this duel (in its context, if there is one) was proposed, given what was known: 1
    /// for a choice without chance, nothing where the policy cannot tell.
    pub propensity: Option<f64>,
    /// What the policy remembers of the moment of asking.
    pub(crate) memory: Memory,
}

impl Proposal {
    /// The question number `round` (from 1), with the probability with which it was chosen if that is known.
    #[inline]
    pub fn new(round: u64, duel: Duel, propensity: impl Into<Option<f64>>) -> Self {
        Self { round, duel, propensity: propensity.into(), memory: Memory::Nothing }
    }

    /// The same with a note of the policy's own, which comes back with the answer.
    #[inline]
    #[must_use]
    pub fn with_note(mut self, note: Note) -> Self {
        self.memory = Memory::Note(note);
        self
    }

    /// The same in a context.
    #[must_use]
    pub(crate) fn in_context(mut self, context: u32) -> Self {
        self.memory = Memory::Context(context);
        self
    }

    /// The context in which the two items are to be compared, where the problem has contexts.
    pub fn context(&self) -> Option<u32> {
        match self.memory {
            Memory::Context(context) => Some(context),
            _ => None,
        }
    }

    /// The note that the policy made.
    #[inline]
    pub fn note(&self) -> Option<&Note> {
        match &self.memory {
            Memory::Note(note) => Some(note),
            Memory::Nothing
            | Memory::Exploration
            | Memory::ExplorationIn(_)
            | Memory::Audit { .. }
            | Memory::Context(_) => None,
        }
    }
}

/// What a policy wants to remember of the moment of asking: a whole number and some numbers, up to 16 of them without
/// allocating.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// A whole number: a phase, a version, an index.
    pub number: u64,
    numbers: Numbers,
}

/// Short lists in place, longer ones elsewhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Numbers {
    Inline { len: usize, numbers: [f64; INLINE] },
    Heap(Box<[f64]>),
}

impl Note {
    /// A note of one number and several others.
    pub fn new(number: u64, numbers: &[f64]) -> Self {
        if numbers.len() > INLINE {
            return Self { number, numbers: Numbers::Heap(numbers.into()) };
        }
        let mut inline = [0.0; INLINE];
        inline[..numbers.len()].copy_from_slice(numbers);
        Self::inline(number, numbers.len(), inline)
    }

    /// The first `len` of these numbers, copied as a whole.
    #[inline]
    pub(crate) fn inline(number: u64, len: usize, numbers: [f64; INLINE]) -> Self {
        Self { number, numbers: Numbers::Inline { len, numbers } }
    }

    /// The other numbers of the note.
    #[inline]
    pub fn numbers(&self) -> &[f64] {
        match &self.numbers {
            // A ticket that was tampered with may claim more than there are.
            Numbers::Inline { len, numbers } => &numbers[..(*len).min(INLINE)],
            Numbers::Heap(numbers) => numbers,
        }
    }
}

/// The longest list that a note carries without allocating.
pub(crate) const INLINE: usize = 16;

/// What a policy wrote on its ticket.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Memory {
    /// Nothing: round, duel and propensity say it all.
    Nothing,
    /// The question belongs to the exploration of an explore-then-commit policy.
    Exploration,
    /// The same, in this of the contexts that come up by themselves.
    ExplorationIn(u32),
    /// The same, against an opponent drawn uniformly: the answer counts for the first item's Borda score without any
    /// model, and when `both` items were drawn so, for the second's too.
    Audit {
        /// Whether the first item was drawn uniformly as well.
        both: bool,
    },
    /// A note.
    Note(Note),
    /// The context in which the two items are to be compared.
    Context(u32),
}
