//! Numbers that go with a vote, such as by how much the left answer was the longer one: kept vote by vote, since they
//! differ.

use super::{Ballot, Ballots, Refusal};

/// Votes with their numbers. Items are those of the ballots that were filled with the same votes; voters are numbered
/// by whoever adds.
#[derive(Clone, Debug, Default)]
pub struct Circumstances {
    names: Vec<String>,
    votes: Vec<Circumstance>,
    /// The numbers of all votes, one vote after the other.
    numbers: Vec<f64>,
}

/// One or more equal votes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Circumstance {
    pub(crate) left: u32,
    pub(crate) right: u32,
    pub(crate) voter: Option<u32>,
    /// n, w, wr, w2, w2r, w2r2 of [`super::PairVotes`].
    pub(crate) sums: [f64; 6],
}

impl Circumstances {
    /// None yet, of numbers with these names.
    pub fn new(names: Vec<String>) -> Self {
        Self { names, ..Self::default() }
    }

    /// What the numbers are called.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Adds a vote with its numbers, each of them in favour of the left item where positive. Ties are counted as
    /// `rules` has it.
    ///
    /// # Errors
    /// A [`Refusal`] when the vote makes no sense, and [`Refusal::Number`] where there are not as many finite numbers
    /// as names.
    pub fn add(&mut self, rules: &Ballots, ballot: &Ballot, numbers: &[f64]) -> Result<(), Refusal> {
        if let Some(&number) = numbers.iter().find(|x| !x.is_finite()) {
            return Err(Refusal::Number(number));
        }
        if numbers.len() != self.names.len() {
            return Err(Refusal::Number(f64::NAN));
        }
        let (_, [n, w, wr, w2, w2r, w2r2, ..]) = rules.numbers(ballot)?;
        if n > 0.0 {
            let &Ballot { left, right, voter, .. } = ballot;
            self.votes.push(Circumstance { left, right, voter, sums: [n, w, wr, w2, w2r, w2r2] });
            self.numbers.extend_from_slice(numbers);
        }
        Ok(())
    }

    /// The votes, each with its numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Circumstance, &[f64])> {
        // A list of names that is empty has empty chunks, which chunks_exact does not know.
        let wide = self.names.len();
        self.votes.iter().enumerate().map(move |(at, vote)| (vote, &self.numbers[at * wide..(at + 1) * wide]))
    }
}
