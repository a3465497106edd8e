//! What the pictures of a ranking show, in words: for whoever does not see them, and for whoever does not know how
//! such a picture is read.

use super::interval;
use crate::numbers::{count, grouped, points};
use crate::plain;
use crate::ranking::Ranked;
use borduel::ranking::{ContextMap, PairShare};

/// So many items are told one by one; the others are in the table of numbers.
const TOLD: usize = 8;

/// What the plot of scores shows.
pub(super) fn scores(ranked: &Ranked<'_>) -> String {
    let items = &ranked.ranking.items;
    let said: Vec<String> =
        items.iter().take(TOLD).map(|score| format!("{} {}", ranked.spoken(score.item), interval(score))).collect();
    let rest = match items.len().saturating_sub(TOLD) {
        0 => String::new(),
        1 => "; and one more".to_owned(),
        more => format!("; and {} more", grouped(more as f64)),
    };
    format!("Scores with intervals, best first: {}{rest}", said.join("; "))
}

/// How a line of it is read, by the first one.
pub(in crate::ranking) fn score(ranked: &Ranked<'_>) -> Option<String> {
    let first = ranked.ranking.items.first()?;
    let [low, high] = [first.borda.low, first.borda.high].map(|end| points(Some(end)));
    let (name, best) = (ranked.spoken(first.item), points(Some(first.borda.estimate?)));
    Some(format!(
        "The first line says: {name} is preferred in {best} of 100 comparisons, and the true number may lie between \
         {low} and {high}."
    ))
}

/// What the matrix of so many items shows.
pub(super) fn shares(ranked: &Ranked<'_>, items: usize) -> String {
    let pairs = ranked.ranking.pairs.iter().filter(|pair| pair.second < items);
    let most = pairs.clone().max_by(|one, other| (one.share - 0.5).abs().total_cmp(&(other.share - 0.5).abs()));
    let most = most.map_or_else(String::new, |pair| format!("; the clearest: {}", compared(ranked, pair)));
    let of = grouped((items * items.saturating_sub(1) / 2) as f64);
    format!("Shares of wins of every pair: {} of {of} were compared{most}", grouped(pairs.count() as f64))
}

/// How a field of it is read, by the first one that holds votes.
pub(in crate::ranking) fn share(ranked: &Ranked<'_>) -> Option<String> {
    let first = ranked.ranking.pairs.iter().min_by_key(|pair| (pair.first, pair.second))?;
    Some(format!("Its first number says: {}.", compared(ranked, first)))
}

fn compared(ranked: &Ranked<'_>, pair: &PairShare) -> String {
    let [one, other] = [pair.first, pair.second].map(|place| ranked.spoken(ranked.ranking.items[place].item));
    let (votes, share) = (count(pair.votes), format!("{:.0}", 100.0 * pair.share));
    format!("{one} won {share} % of {votes} votes against {other}")
}

/// What the map of so many items and contexts shows: where the best one is strongest and weakest.
pub(super) fn contexts(ranked: &Ranked<'_>, map: &ContextMap, (items, columns): (usize, usize)) -> String {
    let leader = ranked.ranking.items.first().map(|score| score.item);
    let at = leader.and_then(|item| map.items.iter().position(|&other| other == item));
    let ends = at.zip(leader).and_then(|(at, leader)| {
        let by = |one: &usize, other: &usize| map.contexts[*one].borda[at].total_cmp(&map.contexts[*other].borda[at]);
        let (high, low) = ((0..map.contexts.len()).max_by(by)?, (0..map.contexts.len()).min_by(by)?);
        let told = |which: usize| {
            format!("{:.0} % on {}", 100.0 * map.contexts[which].borda[at], plain(&map.contexts[which].name))
        };
        Some(format!("; {} between {} and {}", ranked.spoken(leader), told(low), told(high)))
    });
    format!("Scores of {items} items in {columns} contexts{}", ends.unwrap_or_default())
}
