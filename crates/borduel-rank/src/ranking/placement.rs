//! Which items can be ranked together, and why the others cannot.
//!
//! Of the items that votes connect, the largest group is ranked. In it an item that never lost to the others (or never
//! won) has no finite strength of its own. Among K even items somebody wins n votes out of n with a chance of up to
//! K·2⁻ⁿ, so such an item is placed only once K·2⁻ⁿ ≤ 5 %; before, it has too few votes to place, provided most items
//! can be placed. Without that, 7 wins would put somebody ahead of a thousand others.

use super::graph;
use super::sums::Sums;
use crate::ballots::Ballots;
use serde::{Deserialize, Serialize};

/// Why an item is not ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhyNot {
    /// No used vote is about it.
    NoVotes,
    /// It was left out as asked.
    Excluded,
    /// It has fewer votes than asked for.
    LeastVotes,
    /// No votes connect it with the ranked items, even indirectly.
    NotConnected,
    /// It never lost to the ranked items, or never won, in too few votes to place it.
    TooFewToPlace,
}

/// An item that is not ranked.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Unranked {
    /// Its index in the ballots.
    pub item: usize,
    /// Why it is not ranked.
    pub why: WhyNot,
    /// The used votes about it.
    pub votes: f64,
    /// The share of them that it won, ties as half.
    pub won: Option<f64>,
}

/// Which items to rank.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choice {
    /// The items to rank, in increasing order.
    pub(crate) ranked: Vec<usize>,
    pub(crate) unranked: Vec<Unranked>,
    /// In how many unconnected groups the voted items fall.
    pub(crate) groups: usize,
}

impl Choice {
    /// The items that may be best though they are not ranked: they won most of their votes, too few to place them. Of
    /// a group that never lost to the ranked items somebody always did.
    pub(crate) fn unbeaten(&self) -> Vec<usize> {
        let may = |u: &&Unranked| u.why == WhyNot::TooFewToPlace && u.won.is_some_and(|won| won > 0.5);
        self.unranked.iter().filter(may).map(|u| u.item).collect()
    }
}

/// The most unlikely streak that chance is taken to produce.
const CHANCE: f64 = 0.05;

/// Chooses among all items: without those `excluded` and those of fewer than `least` votes, and (`connected`) only what
/// can be compared.
pub(crate) fn choose(ballots: &Ballots, excluded: &[usize], least: f64, connected: bool, voted_only: bool) -> Choice {
    let all = ballots.items().len();
    let (mut votes, mut won, mut weight) = (vec![0.0; all], vec![0.0; all], vec![0.0; all]);
    for cell in ballots.cells().iter().filter(|cell| cell.w > 0.0) {
        let (left, right) = (cell.left as usize, cell.right as usize);
        for (item, wr) in [(left, cell.wr), (right, cell.w - cell.wr)] {
            votes[item] += cell.n;
            won[item] += wr;
            weight[item] += cell.w;
        }
    }
    let mut why: Vec<Option<WhyNot>> = vec![None; all];
    for item in 0..all {
        why[item] = if excluded.contains(&item) {
            Some(WhyNot::Excluded)
        } else if votes[item] < least {
            Some(if votes[item] > 0.0 { WhyNot::LeastVotes } else { WhyNot::NoVotes })
        } else if voted_only && votes[item] == 0.0 {
            Some(WhyNot::NoVotes)
        } else {
            None
        };
    }
    let remaining = |why: &[Option<WhyNot>]| (0..all).filter(|&item| why[item].is_none()).collect::<Vec<_>>();
    let mut groups = 1;
    if connected {
        let sums = Sums::of_pairs(ballots, remaining(&why));
        groups = graph::components(&sums).1;
        keep_largest(&sums, &mut why);
        let placed = place(ballots, remaining(&why));
        if let Some(placed) = placed {
            for item in remaining(&why) {
                if placed.binary_search(&item).is_err() {
                    why[item] = Some(WhyNot::TooFewToPlace);
                }
            }
        }
    }
    let unranked = |(item, why): (usize, &Option<WhyNot>)| {
        let share = (weight[item] > 0.0).then(|| won[item] / weight[item]);
        why.map(|why| Unranked { item, why, votes: votes[item], won: share })
    };
    let unranked = why.iter().enumerate().filter_map(unranked).collect();
    Choice { ranked: remaining(&why), unranked, groups }
}

/// Leaves only the largest connected group; of several the one with most votes, then the first.
fn keep_largest(sums: &Sums, why: &mut [Option<WhyNot>]) {
    let (part, parts) = graph::components(sums);
    if parts <= 1 {
        return;
    }
    let (mut sizes, mut votes) = (vec![0_usize; parts], vec![0.0; parts]);
    part.iter().for_each(|&p| sizes[p] += 1);
    sums.pairs.iter().for_each(|pair| votes[part[pair.i]] += pair.n);
    let better = |a: usize, b: usize| (sizes[a], votes[a]) > (sizes[b], votes[b]);
    let largest = (1..parts).fold(0, |best, p| if better(p, best) { p } else { best });
    for (at, &item) in sums.items.iter().enumerate() {
        if part[at] != largest {
            why[item] = Some(WhyNot::NotConnected);
        }
    }
}

/// The items that have enough votes to place, unless they are too few to speak of: then `None`, and all are ranked.
fn place(ballots: &Ballots, items: Vec<usize>) -> Option<Vec<usize>> {
    let all = items.len();
    let mut kept = items;
    loop {
        let sums = Sums::of_pairs(ballots, kept.clone());
        let part = graph::strong_components(&sums);
        let mut sizes = vec![0_usize; part.iter().max().map_or(0, |most| most + 1)];
        part.iter().for_each(|&p| sizes[p] += 1);
        let largest = (0..sizes.len()).fold(0, |best, p| if sizes[p] > sizes[best] { p } else { best });
        // Votes that leave the group of those with whom wins and losses were exchanged.
        let mut leaving = vec![0.0; sizes.len()];
        for pair in sums.pairs.iter().filter(|pair| part[pair.i] != part[pair.j]) {
            leaving[part[pair.i]] += pair.effective();
            leaving[part[pair.j]] += pair.effective();
        }
        let enough = |p: usize| p == largest || sums.len() as f64 * (-leaving[p]).exp2() <= CHANCE;
        let mut next: Vec<usize> = (0..sums.len()).filter(|&at| enough(part[at])).collect();
        if 2 * next.len() <= all {
            return None;
        }
        if next.len() == sums.len() {
            return Some(kept);
        }
        // What only those who are left out connected is left out with them.
        let smaller = Sums::of_pairs(ballots, next.iter().map(|&at| kept[at]).collect());
        let mut why = vec![None; ballots.items().len()];
        keep_largest(&smaller, &mut why);
        next.retain(|&at| why[kept[at]].is_none());
        kept = next.into_iter().map(|at| kept[at]).collect();
    }
}
