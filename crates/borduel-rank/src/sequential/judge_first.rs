//! The judge first, people where it matters: about which pairs a cheap judge is asked, in all contexts, before people
//! go on.
//!
//! With a share s = ρ² of their variance gone, m votes on a pair tell as much as m/(1 − s) do without it. So a judge's
//! answers to a pair in all contexts are worth m s/(1 − s) votes of people, whichever came first, and are bought as
//! soon as these would cost more. m counts the votes on the pair and the questions about it that are open or planned.
//! What is not known yet is taken for [`UNKNOWN`]: a judge shows what it is worth on the first pairs, and is asked no
//! more where that is nothing.
//!
//! This looks at numbers of votes and at ρ alone, never at what the judge says of a pair before it is asked, so that
//! nothing is chosen for its correction, whose mean over all contexts is 0.

use super::control::Controlled;
use super::votes::Votes;
use crate::duel::{Arm, Duel};
use crate::judging::{JudgeAnswers, Prices};
use crate::stream;
use std::collections::BTreeMap;

/// The share of the variance that a judge is taken to take off before anything is known of it.
const UNKNOWN: f64 = 0.5;

/// Whether a judge's answers in so many contexts cost no more than the votes of people that they are worth, beside so
/// many votes on the pair, if they take this share of their variance off.
fn pays(prices: Prices, contexts: usize, votes: f64, share: f64) -> bool {
    contexts as f64 * prices.judge * (1.0 - share) <= votes * share * prices.person
}

/// The pairs i < j about which it pays to ask a judge in all of so many contexts, those with the most votes first: of
/// those with votes, whose contexts have the judge's numbers, and of the questions to come. What it has `answered`
/// already is left out.
pub fn pairs_first(
    prices: Prices,
    contexts: usize,
    votes: &Votes,
    coming: impl IntoIterator<Item = Duel>,
    answered: Option<&JudgeAnswers>,
) -> Vec<(Arm, Arm)> {
    let mut counts: BTreeMap<(Arm, Arm), f64> = votes.pairs().map(|(i, j, sum)| ((i, j), sum.votes())).collect();
    for Duel(i, j) in coming {
        *counts.entry((i.min(j), i.max(j))).or_default() += 1.0;
    }
    counts.retain(|&(i, j), _| answered.is_none_or(|judge| judge.about(i, j).is_none()));
    if counts.is_empty() {
        return Vec::new();
    }
    let known = answered.and_then(|judge| Controlled::of(votes, judge));
    let share = known.map_or(UNKNOWN, |control| control.correlation.powi(2).min(1.0));
    counts.retain(|_, votes| pays(prices, contexts, *votes, share));
    let mut pairs: Vec<((Arm, Arm), f64)> = counts.into_iter().collect();
    pairs.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    pairs.into_iter().map(|(pair, _)| pair).collect()
}

/// The first step of the path of the stream that says which item of a pair comes first.
const SIDES: u64 = 3;

/// Whether j of a pair i < j comes first before such a judge: by chance, and the same way round in all contexts, so that
/// one who prefers a side does so in all of them.
pub fn is_turned(seed: u64, (i, j): (Arm, Arm)) -> bool {
    stream(seed, &[SIDES, i as u64, j as u64]).bits() & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_item_of_a_pair_comes_first_by_chance() {
        let turned = (1..=200).filter(|&j| is_turned(1, (0, j))).count();
        assert!((70..130).contains(&turned), "{turned}");
    }

    #[test]
    fn a_pair_is_bought_where_as_much_of_people_would_cost_more() {
        let prices = Prices::new(1.0, 0.1).unwrap();
        let mut votes = Votes::new(4);
        (0..5).for_each(|vote| votes.add(Duel(1, 0), f64::from(vote % 2)));
        (0..2).for_each(|vote| votes.add(Duel(2, 3), f64::from(vote % 2)));
        // Half a share is worth as many votes again: 10 contexts cost one vote, 50 five.
        let first = |contexts, coming: &[Duel]| pairs_first(prices, contexts, &votes, coming.iter().copied(), None);
        assert_eq!(first(10, &[Duel(3, 1)]), [(0, 1), (2, 3), (1, 3)]);
        assert_eq!(first(50, &[Duel(3, 1)]), [(0, 1)]);
        assert_eq!(first(51, &[]), []);
        assert_eq!(first(51, &[Duel(0, 1)]), [(0, 1)]);
        assert!(!pays(prices, 1, 1e9, 0.0) && pays(prices, 1_000, 1.0, 1.0));
    }
}
