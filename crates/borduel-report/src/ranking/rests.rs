//! What the first place rests on, in words and as data for programs.

use super::Ranked;
use super::words::Sentence;
use crate::numbers::grouped;
use crate::plain;
use crate::text::short;
use borduel::ranking::{FewestOf, FewestVotes, RestsOn, VotesOfAKind};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

/// So many kinds of votes, and so many voters, are named in a sentence.
const NAMED: usize = 3;

/// What the first place rests on, for programs: items go by their identifiers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rests {
    /// The fewest votes that were found without which another item is first.
    pub votes: Option<PivotalVotes>,
    /// The fewest voters whose votes carry the first place.
    pub voters: Option<Fewest>,
    /// The fewest contexts, such as prompts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contexts: Option<Fewest>,
    /// The same in words.
    pub text: String,
}

/// Votes without which another item is first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PivotalVotes {
    /// How many votes have to go.
    pub removed: u64,
    /// How many votes there are.
    pub of: f64,
    /// Who is then first.
    pub first: String,
    /// The votes, by their pair and what was answered.
    pub which: Vec<Kind>,
}

/// Votes that say the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kind {
    /// How many votes of this kind.
    pub votes: u64,
    /// The item they prefer; of a tie either.
    pub winner: String,
    /// The item that lost these votes.
    pub loser: String,
    /// Whether they call it a tie.
    pub tie: bool,
    /// In which context, where that matters to what they count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
}

/// Voters or contexts without whose votes another item is first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fewest {
    /// How many of them have to go.
    pub removed: usize,
    /// How many of them there are.
    pub of: u64,
    /// Who is then first.
    pub first: String,
    /// The names of the voters, or of the contexts.
    pub which: Vec<String>,
}

impl Rests {
    /// What was found about this ranking.
    pub(super) fn of(ranked: &Ranked<'_>, found: &RestsOn) -> Self {
        let id = |item: usize| ranked.id(item).to_owned();
        let kind = |kind: &VotesOfAKind| Kind {
            votes: kind.votes,
            winner: id(kind.winner),
            loser: id(kind.loser),
            tie: kind.tie,
            context: kind.context.clone(),
        };
        let of = |found: &FewestOf| Fewest {
            removed: found.which.len(),
            of: found.of,
            first: id(found.first),
            which: found.which.clone(),
        };
        Self {
            votes: found.votes.as_ref().map(|votes| PivotalVotes {
                removed: votes.removed,
                of: votes.of,
                first: id(votes.first),
                which: votes.which.iter().map(kind).collect(),
            }),
            voters: found.voters.as_ref().map(of),
            contexts: found.contexts.as_ref().map(of),
            text: sentence(ranked, found).map(|sentence| sentence.plain).unwrap_or_default(),
        }
    }
}

/// Scores that differ by less are level: what is left is rounding.
const LEVEL: f64 = 1e-9;

/// What the first place rests on, in a sentence or two; nothing where nothing was found.
pub(super) fn sentence(ranked: &Ranked<'_>, found: &RestsOn) -> Option<Sentence> {
    let first = ranked.spoken(ranked.ranking.items.first()?.item);
    let of = |found: &FewestOf, one: &str, many: &str| {
        let names: Vec<String> = found.which.iter().take(NAMED).map(|name| short(&plain(name)).into_owned()).collect();
        let more = found.which.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let what = if found.which.len() == 1 { one } else { many };
        let without = format!("without {} of {} {many}", found.which.len(), grouped(found.of as f64));
        (format!("{without} ({what} {}{more})", names.join(", ")), found.first)
    };
    let of_votes = |votes: &FewestVotes| {
        let without = format!("without {} of {} votes", grouped(votes.removed as f64), grouped(votes.of));
        (without, votes.first)
    };
    let mut parts: Vec<(String, usize)> = found.votes.iter().map(of_votes).collect();
    parts.extend(found.voters.as_ref().map(|voters| of(voters, "voter", "voters")));
    let contexts = ranked.ballots.contexts_are();
    let one = contexts.strip_suffix('s').unwrap_or(contexts);
    parts.extend(found.contexts.as_ref().map(|found| of(found, one, contexts)));
    if parts.is_empty() {
        return None;
    }
    let said = parts.into_iter().enumerate().map(|(at, (without, first))| {
        format!("{without} {}{}", ranked.spoken(first), if at == 0 { " would be first" } else { "" })
    });
    let said = said.collect::<Vec<_>>().join("; ");
    // Whatever their contexts.
    let mut kinds: Vec<(u64, &VotesOfAKind)> = Vec::new();
    for kind in found.votes.iter().flat_map(|votes| &votes.which) {
        let says = |kind: &VotesOfAKind| (kind.winner, kind.loser, kind.tie);
        match kinds.iter_mut().find(|(_, known)| says(known) == says(kind)) {
            Some((votes, _)) => *votes += kind.votes,
            None => kinds.push((kind.votes, kind)),
        }
    }
    kinds.sort_by_key(|(votes, _)| Reverse(*votes));
    let which = kinds.into_iter().take(NAMED).map(|(votes, kind)| {
        let (winner, loser) = (ranked.spoken(kind.winner), ranked.spoken(kind.loser));
        let says = if kind.tie { "calling it a tie between" } else { "for" };
        let other = if kind.tie { "and" } else { "against" };
        format!("{votes} {says} {winner} {other} {loser}")
    });
    let which: Vec<String> = which.collect();
    let method = format!(
        "{}the most influential ones left out, and the rest ranked again",
        if which.is_empty() { String::new() } else { format!("among them {}; ", which.join(", ")) }
    );
    let score = |at: usize| ranked.ranking.items.get(at).and_then(|item| item.borda.estimate);
    // Who stands first among equals does so by the order of names alone.
    let level = score(0)
        .zip(score(1))
        .filter(|(one, two)| (one - two).abs() < LEVEL)
        .map(|_| format!("no vote, {} has the same score; ", ranked.spoken(ranked.ranking.items[1].item)));
    let level = level.unwrap_or_default();
    Some(Sentence::with(format!("What the first place of {first} rests on: {level}{said}."), method))
}
