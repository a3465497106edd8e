//! Ballots as they are written to a file: in one form that depends on the votes alone, and checked when they come back.

use super::exact::Rest;
use super::questions::is_group;
use super::{Ballots, BothBad, PairVotes, Share, Ties};
use crate::error::Error;
use crate::version::Version;
use serde::{Deserialize, Serialize};

/// What is written. Votes without contexts are what version 1 has always been; a reader that knows no contexts refuses
/// the others by a field that it does not know.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Form {
    version: Version<1>,
    ties: Ties,
    both_bad: BothBad,
    sides_known: bool,
    items: Vec<String>,
    voters: Vec<Voter>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    contexts: Vec<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    contexts_are: String,
    cells: Vec<PairVotes>,
    shares: Vec<Share>,
    /// What the sums of a cell, in the order of its numbers, are beyond the numbers written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rests: Vec<(u32, [Rest; PairVotes::NUMBERS])>,
    /// The same for Σ w and Σ w r of a voter and a cell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    share_rests: Vec<((u32, u32), [Rest; 2])>,
}

/// A voter by name, or a group of so many identical ones.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Voter {
    Named(String),
    Group(f64),
}

impl From<Ballots> for Form {
    fn from(ballots: Ballots) -> Self {
        let ballots = ballots.finish();
        let voter = |voter: usize| match ballots.voters.name(voter) {
            name if is_group(&name) => Voter::Group(ballots.copies[voter]),
            name => Voter::Named(name.into_owned()),
        };
        let voters = (0..ballots.copies.len()).map(voter).collect();
        let mut rests: Vec<_> = ballots.rests.into_iter().collect();
        rests.sort_by_key(|(cell, _)| *cell);
        let mut share_rests: Vec<_> = ballots.share_rests.into_iter().collect();
        share_rests.sort_by_key(|(key, _)| *key);
        Self {
            version: Version,
            ties: ballots.ties,
            both_bad: ballots.both_bad,
            sides_known: ballots.sides_known,
            items: ballots.item_names,
            voters,
            contexts: (0..ballots.contexts.len()).map(|at| ballots.contexts.name(at).into_owned()).collect(),
            contexts_are: ballots.contexts_are,
            cells: ballots.cells,
            shares: ballots.shares,
            rests,
            share_rests,
        }
    }
}

impl TryFrom<Form> for Ballots {
    type Error = Error;

    fn try_from(form: Form) -> Result<Self, Error> {
        let fault = |what: &str| Error::Data(format!("saved votes: {what}; save them again"));
        let mut ballots = Self::new(form.ties, form.both_bad, form.sides_known);
        for (at, name) in form.items.iter().enumerate() {
            if ballots.item(name) as usize != at {
                return Err(fault(&format!("the item \"{name}\" is there twice")));
            }
        }
        for (at, voter) in form.voters.iter().enumerate() {
            let number = match voter {
                Voter::Named(name) => ballots.voter(name),
                Voter::Group(copies) if *copies > 0.0 && copies.is_finite() => ballots.voter_group(*copies),
                Voter::Group(_) => return Err(fault("a group of voters has no number of members")),
            };
            if number as usize != at {
                return Err(fault(&format!("voter {at} is there twice")));
            }
        }
        for (at, name) in form.contexts.iter().enumerate() {
            if ballots.context(name) as usize != at {
                return Err(fault(&format!("the context \"{name}\" is there twice")));
            }
        }
        ballots.contexts_are = form.contexts_are;
        let amount = |x: f64| x >= 0.0 && x.is_finite();
        for (at, cell) in form.cells.iter().enumerate() {
            let there = (cell.left.max(cell.right) as usize) < form.items.len()
                && cell.left != cell.right
                && cell.context.is_none_or(|context| (context as usize) < form.contexts.len());
            let mut numbers = *cell;
            if !there || !numbers.numbers().iter().all(|number| amount(**number)) || cell.wr > cell.w {
                return Err(fault(&format!("the sums of pair {at} make no sense")));
            }
            if ballots.cell(cell.key()) as usize != at {
                return Err(fault(&format!("pair {at} is there twice")));
            }
            ballots.cells[at] = *cell;
        }
        for share in &form.shares {
            let there = (share.voter as usize) < form.voters.len() && (share.cell as usize) < form.cells.len();
            if !there || !amount(share.wr) || !amount(share.w) || share.wr > share.w {
                return Err(fault("a voter's share makes no sense"));
            }
        }
        let cells = form
            .rests
            .iter()
            .all(|(cell, rests)| (*cell as usize) < form.cells.len() && rests.iter().all(Rest::is_sound));
        let shares = form.share_rests.iter().all(|((voter, cell), rests)| {
            let known = form.shares.binary_search_by_key(&(*voter, *cell), |share| (share.voter, share.cell));
            known.is_ok() && rests.iter().all(Rest::is_sound)
        });
        if !cells || !shares {
            return Err(fault("what is left of a sum makes no sense"));
        }
        ballots.shares = form.shares;
        ballots.rests = form.rests.into_iter().collect();
        ballots.share_rests = form.share_rests.into_iter().collect();
        Ok(ballots.finish())
    }
}
