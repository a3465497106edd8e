//! Ballots that wait to be handed over together.

use borduel_rank::ballots::{Ballot, Ballots, Refusal};

/// How many ballots are handed over together.
pub(super) const BATCH: usize = 512;

/// Ballots that were read and checked, to be handed over together: nearly every one of a large file has to wait for the
/// memory of its voter and of its pair, and in short loops the waits overlap.
#[derive(Default)]
pub(super) struct Pending {
    /// The ballots; a voter is a number in `voters`.
    pub(super) ballots: Vec<Ballot>,
    /// The voters' names, one behind the other, and where each ends.
    names: String,
    ends: Vec<usize>,
    /// Room for the voters' true numbers.
    voters: Vec<u32>,
}

impl Pending {
    /// Notes down a voter.
    pub(super) fn voter(&mut self, name: &str) -> u32 {
        self.names.push_str(name);
        self.ends.push(self.names.len());
        self.ends.len() as u32 - 1
    }

    /// Hands everything over.
    pub(super) fn book(&mut self, ballots: &mut Ballots) -> Result<(), Refusal> {
        let starts = std::iter::once(&0).chain(&self.ends);
        let names = starts.zip(&self.ends).map(|(&start, &end)| &self.names[start..end]);
        self.voters.clear();
        ballots.voters(names, &mut self.voters);
        for ballot in &mut self.ballots {
            ballot.voter = ballot.voter.map(|voter| self.voters[voter as usize]);
        }
        ballots.add_all(&self.ballots)?;
        self.ballots.clear();
        self.names.clear();
        self.ends.clear();
        Ok(())
    }
}
