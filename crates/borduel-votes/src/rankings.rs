//! Rankings taken apart into comparisons of two.

use crate::error::Result;
use borduel_rank::ballots::Answer;
use std::collections::BTreeMap;

/// What a ranking says about an item that it does not rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unranked {
    /// Nothing is known about them.
    #[default]
    Unknown,
    /// That it is worse than every item that is ranked. Two items that are not ranked are not compared.
    Last,
}

/// A ranking that `copies` voters share: groups of level items, best first.
#[derive(Debug, PartialEq)]
pub(crate) struct Ranking {
    pub(crate) copies: f64,
    pub(crate) groups: Vec<Vec<usize>>,
}

/// A file of rankings, of which the items have been read.
pub(crate) trait RankingFile {
    /// What it is called, in the plural.
    fn kind(&self) -> &'static str;

    /// The names of the items.
    fn items(&self) -> &[String];

    /// The text of the current line.
    fn text(&self) -> &str;

    /// The next ranking, with its line; `None` at the end.
    fn next(&mut self) -> Result<Option<(u64, Ranking)>>;
}

/// The most items that one ranking may compare: it makes a comparison of every two of them.
const MOST_RANKED: usize = 5000;

impl Ranking {
    /// All comparisons of a ranking of `items` items: the first is better, or the two are level.
    pub(crate) fn comparisons(
        &self,
        items: usize,
        unranked: Unranked,
    ) -> std::result::Result<Vec<(usize, usize, Answer)>, String> {
        let ranked: usize = self.groups.iter().map(Vec::len).sum();
        let rest = match unranked {
            Unranked::Last if ranked > 0 => self.missing(items),
            _ => Vec::new(),
        };
        if ranked + rest.len() > MOST_RANKED {
            let compared = ranked + rest.len();
            return Err(format!("compares {compared} items, each with each: at most {MOST_RANKED} are"));
        }
        let mut all = Vec::with_capacity(ranked * (ranked + 2 * rest.len()) / 2);
        for (rank, group) in self.groups.iter().enumerate() {
            for (at, &better) in group.iter().enumerate() {
                all.extend(group[at + 1..].iter().map(|&other| (better, other, Answer::Tie)));
                let worse = self.groups[rank + 1..].iter().flatten().chain(&rest);
                all.extend(worse.map(|&other| (better, other, Answer::Left)));
            }
        }
        Ok(all)
    }

    /// How many items are ranked.
    pub(crate) fn ranked(&self) -> usize {
        self.groups.iter().map(Vec::len).sum()
    }

    fn missing(&self, items: usize) -> Vec<usize> {
        let mut ranked = vec![false; items];
        self.groups.iter().flatten().for_each(|&item| ranked[item] = true);
        (0..items).filter(|&item| !ranked[item]).collect()
    }
}

/// What the rankings of a file had in common, for the note on them.
#[derive(Default)]
pub(crate) struct Incomplete {
    /// How many voters rank so many items.
    voters: BTreeMap<usize, f64>,
}

impl Incomplete {
    /// Takes in a ranking.
    pub(crate) fn add(&mut self, ranking: &Ranking) {
        *self.voters.entry(ranking.ranked()).or_default() += ranking.copies;
    }

    /// What became of items that were not ranked, in words, once all `items` are known; empty where there were none.
    pub(crate) fn describe(&self, items: usize, unranked: Unranked) -> String {
        let all: f64 = self.voters.values().sum();
        let partial: f64 = self.voters.range(..items).map(|(_, voters)| voters).sum();
        if partial == 0.0 {
            return String::new();
        }
        let (what, alone) = match unranked {
            Unranked::Unknown => (
                "which are then not compared (if they lost against all that are ranked: --unranked last)",
                "and so say nothing",
            ),
            Unranked::Last => (
                "which lost against all that are ranked (if they were not judged: --unranked unknown)",
                "which wins against all others",
            ),
        };
        let who = if partial == all { format!("all {all} rankings") } else { format!("{partial} of {all} rankings") };
        let leave = if partial == 1.0 { "leaves" } else { "leave" };
        let single = self.voters.get(&1).filter(|_| items > 1);
        let single = single.map_or_else(String::new, |single| format!("; {single} rank a single item, {alone}"));
        format!("; {who} {leave} out some of the {items} items, {what}{single}")
    }
}
