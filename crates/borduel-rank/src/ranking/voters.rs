//! How far voters agree: Krippendorff's α over all of them, and every voter against the rest.
//!
//! A unit is a pair of items, a rating a voter's mean answer r ∈ [0, 1] to it, and two ratings disagree by (r − r′)².
//! With n ratings of a unit its disagreement is o = Σ_{r≠r′} (r − r′)²/(n − 1). Which item of a pair comes first means
//! nothing, so what chance would give is measured about ½: α = 1 − Σo / (2 Σ(r − ½)²), over units with two ratings or
//! more. The interval comes from resampling units.
//!
//! Does a voter say what the others say? Let q be the share of a pair's first item among the m other voters who rated
//! it, (Σr + ½)/(m + 1), and ℓ = log q/(1−q). A voter with w votes on it, x of them for that item, adds ℓ(x − wq) to S,
//! the log-likelihood of answering as the others do against answering at random. S/√Σ ℓ²q(1−q)(w + w²/(m+1)) is then
//! held against that of all voters: their median is 0 and their quartiles those of normal numbers. Whoever is far below
//! stands out if people with tastes as different as theirs are hardly ever there (see `tastes`).

mod tastes;

use super::sums::{Pair, Sums, Voter};
use crate::ballots::{Ballots, Durations, Share};
use crate::parallel;
use crate::special::{incomplete_beta, skewed_tail};
use crate::stream::stream;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use tastes::{Tastes, Together};

/// The first step of the path of the resampling.
const UNITS: u64 = 0xa1fa;
/// Replications at least and at most, and about how many units are drawn in all.
const REPLICATIONS: (u64, u64) = (200, 1_000);
const WORK: u64 = 200_000_000;
/// The chance of calling any voter suspicious who is like the others, all voters together, and how many tests of every
/// voter share it: left, right, conformity and contradictions.
const LEVEL: f64 = 0.01;
const TESTS: f64 = 4.0;
/// Who contradicts less than this share of their own answers is consistent enough.
const CONTRADICTIONS: f64 = 0.25;

/// Agreement of all voters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Agreement {
    /// Krippendorff's α: 1 for full agreement, 0 for what chance gives.
    pub alpha: f64,
    /// The lower end of its 95 % interval.
    pub low: f64,
    /// The upper end of its 95 % interval.
    pub high: f64,
    /// The pairs that two voters or more answered.
    pub pairs: usize,
}

/// What stands out about a voter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Suspicion {
    /// Chooses the left side far too often.
    Left,
    /// Chooses the right side far too often.
    Right,
    /// Says the opposite of the others more often than chance would.
    Contrary,
    /// Agrees with the others no more than chance would, where the others agree.
    Random,
    /// Contradicts their own earlier answers far more often than the others do.
    Inconsistent,
    /// Takes less than a quarter of the usual time for most answers.
    Fast,
}

/// How well one voter agrees with the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct VoterQuality {
    /// The voter's index in the ballots.
    pub voter: usize,
    /// The pairs that the voter answered.
    pub pairs: usize,
    /// The share of decided comparisons with other voters' answers to the same pair in which both agree; `None` without
    /// any.
    pub agreement: Option<f64>,
    /// The share of decided answers for the left side, where sides are known.
    pub left: Option<f64>,
    /// Of the pairs answered in both orders, the share answered both ways.
    pub contradictions: Option<f64>,
    /// What stands out, all voters taken together at 1 %.
    pub suspicions: Vec<Suspicion>,
}

/// Krippendorff's α; `None` when no pair was answered by two voters.
pub fn agreement(ballots: &Ballots, seed: u64) -> Option<Agreement> {
    agreement_in(&ratings(&Sums::new(ballots, true)), seed)
}

/// What all voters say about a pair.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ratings {
    /// How many voters rated it.
    number: f64,
    /// Σ(r − ½) and Σ(r − ½)².
    sum: f64,
    squares: f64,
    /// How many are for its first and for its second item.
    first: f64,
    second: f64,
}

/// The ratings of every pair.
pub(super) fn ratings(sums: &Sums) -> Vec<Ratings> {
    let stretch = |range: Range<usize>| {
        let mut ratings = vec![Ratings::default(); sums.pairs.len()];
        let mut own = Vec::new();
        for voter in &sums.voters[range] {
            merge(sums, voter, &mut own);
            for part in &own {
                let r = part.1 / part.2 - 0.5;
                let pair = &mut ratings[part.0];
                pair.number += voter.copies;
                pair.sum += voter.copies * r;
                pair.squares += voter.copies * r * r;
                match side(part) {
                    Some(true) => pair.first += voter.copies,
                    Some(false) => pair.second += voter.copies,
                    None => {}
                }
            }
        }
        ratings
    };
    let stretches = sums.stretches();
    let parts: Vec<Vec<Ratings>> = parallel::map(stretches.len(), |at| stretch(stretches[at].clone()));
    let add = |a: Ratings, b: &Vec<Ratings>, at: usize| Ratings {
        number: a.number + b[at].number,
        sum: a.sum + b[at].sum,
        squares: a.squares + b[at].squares,
        first: a.first + b[at].first,
        second: a.second + b[at].second,
    };
    let of_pair = |at: usize| parts.iter().fold(Ratings::default(), |sum, part| add(sum, part, at));
    (0..sums.pairs.len()).map(of_pair).collect()
}

/// The same from the ratings of all items that were voted on.
pub(super) fn agreement_in(ratings: &[Ratings], seed: u64) -> Option<Agreement> {
    // Of every unit the disagreement that is seen, and that which chance would give.
    let disagreement = |&Ratings { number: n, sum, squares, .. }: &Ratings| {
        (n > 1.0 + 1e-9).then(|| (2.0 * (n * squares - sum * sum).max(0.0) / (n - 1.0), 2.0 * squares))
    };
    let units: Vec<(f64, f64)> = ratings.iter().filter_map(disagreement).collect();
    let alpha = |units: &mut dyn Iterator<Item = &(f64, f64)>| {
        let (seen, chance) = units.fold((0.0, 0.0), |sum, unit| (sum.0 + unit.0, sum.1 + unit.1));
        if chance > 0.0 { 1.0 - seen / chance } else { 0.0 }
    };
    if units.iter().all(|unit| unit.1 <= 0.0) {
        return None;
    }
    let replications = (WORK / units.len() as u64).clamp(REPLICATIONS.0, REPLICATIONS.1);
    let mut drawn: Vec<f64> = parallel::map(replications as usize, |replication| {
        let mut stream = stream(seed, &[UNITS, replication as u64]);
        alpha(&mut (0..units.len()).map(|_| &units[stream.below(units.len())]))
    });
    drawn.sort_by(f64::total_cmp);
    let quantile = |p: f64| drawn[(p * (drawn.len() - 1) as f64).round() as usize];
    Some(Agreement { alpha: alpha(&mut units.iter()), low: quantile(0.025), high: quantile(0.975), pairs: units.len() })
}

/// A voter's pairs, both orders as one: (pair, Σwr, Σw).
fn merge(sums: &Sums, voter: &Voter, list: &mut Vec<(usize, f64, f64)>) {
    let parts = &sums.parts[voter.parts.clone()];
    // A pair and a place in one number: sorting numbers is much of what many voters cost. Both fit, since pairs that
    // were compared and votes of one voter are each fewer than the cells of `Ballots`, which are numbered by 32 bits.
    let mut order: Vec<u64> = parts.iter().zip(0..).map(|(part, at)| ((part.pair as u64) << 32) | at).collect();
    order.sort_unstable();
    list.clear();
    for part in order.iter().map(|&at| &parts[at as u32 as usize]) {
        match list.last_mut().filter(|last| last.0 == part.pair) {
            Some(last) => {
                last.1 += part.wr;
                last.2 += part.w;
            }
            None => list.push((part.pair, part.wr, part.w)),
        }
    }
}

/// Which of two items a voter is for, by Σwr and Σw of a pair; `None` for a tie.
fn side(&(_, wr, w): &(usize, f64, f64)) -> Option<bool> {
    (wr != 0.5 * w).then_some(wr > 0.5 * w)
}

/// Every voter against the rest, in the order of the ballots.
pub fn voters(ballots: &Ballots) -> Vec<VoterQuality> {
    let sums = Sums::new(ballots, true);
    voters_in(ballots, &sums, &ratings(&sums))
}

/// The same from the ballots' sums of all items that were voted on, and their ratings.
pub(super) fn voters_in(ballots: &Ballots, sums: &Sums, ratings: &[Ratings]) -> Vec<VoterQuality> {
    let shown: Vec<(u32, u32)> = ballots.cells().iter().map(|cell| (cell.left, cell.right)).collect();
    // All voters of the shares are voters of the sums, in the same order.
    let groups: Vec<&[Share]> = ballots.shares().chunk_by(|a, b| a.voter == b.voter).collect();
    let level = LEVEL / (TESTS * sums.voters.len().max(1) as f64);
    let conformity = |own: &mut Vec<(usize, f64, f64)>, at: usize| {
        let voter = &sums.voters[at];
        merge(sums, voter, own);
        Conformity::of(own, voter.copies, sums, ratings)
    };
    let conformity: Vec<Conformity> = parallel::map_init(sums.voters.len(), Vec::new, conformity);
    let apart = stand_apart(sums, ratings, &conformity, level);
    let sides: Vec<BySide> = parallel::map(groups.len(), |at| by_side(&shown, groups[at]));
    // On close items everybody contradicts themselves, and nobody stands out by doing so.
    let sum = |of: fn(&BySide) -> f64| sides.iter().map(of).sum::<f64>();
    let usually = (sum(|side| side.contradicted) / sum(|side| side.repeated).max(1.0)).max(CONTRADICTIONS);
    let one = |at: usize| {
        let (conformity, shares) = (&conformity[at], groups[at]);
        let BySide { left, decided, repeated, contradicted } = sides[at];
        let mut suspicions = Vec::new();
        if ballots.sides_known() && decided > 0.0 {
            for (count, what) in [(left, Suspicion::Left), (decided - left, Suspicion::Right)] {
                if count > 0.0 && incomplete_beta(count, decided - count + 1.0, 0.5) < level {
                    suspicions.push(what);
                }
            }
        }
        if apart.binary_search(&at).is_ok() {
            let contrary = conformity.chance() < -NO_MORE_THAN_CHANCE;
            suspicions.push(if contrary { Suspicion::Contrary } else { Suspicion::Random });
        }
        // More of the repeated answers contradict the first ones than with the others, and surely so.
        if repeated > 0.0
            && contradicted > 0.0
            && incomplete_beta(contradicted, repeated - contradicted + 1.0, usually) < level
        {
            suspicions.push(Suspicion::Inconsistent);
        }
        VoterQuality {
            voter: shares[0].voter as usize,
            pairs: conformity.pairs,
            agreement: conformity.agreement,
            left: (ballots.sides_known() && decided > 0.0).then(|| left / decided),
            contradictions: (repeated > 0.0).then(|| contradicted / repeated),
            suspicions,
        }
    };
    parallel::map(groups.len(), one)
}

/// Who agrees with the others no more than chance would, and less than people with such tastes do: places of voters.
fn stand_apart(sums: &Sums, ratings: &[Ratings], conformity: &[Conformity], level: f64) -> Vec<usize> {
    let usual = Usual::of(conformity);
    let far = |voter: &Conformity| usual.tail(voter) < level && voter.chance() < NO_MORE_THAN_CHANCE;
    let (apart, like): (Vec<usize>, Vec<usize>) = (0..conformity.len()).partition(|&at| far(&conformity[at]));
    if apart.is_empty() {
        return apart;
    }
    let tastes = tastes(sums, ratings, like.into_iter());
    let tail = |at: usize| tastes.tail(&against_others(sums, ratings, at), conformity[at].sum);
    let tails = parallel::map(apart.len(), |place| tail(apart[place]));
    apart.into_iter().zip(tails).filter(|(_, tail)| *tail < level).map(|(at, _)| at).collect()
}

/// The tastes of these voters.
fn tastes(sums: &Sums, ratings: &[Ratings], voters: impl Iterator<Item = usize>) -> Tastes {
    let mut together = Together::default();
    voters.for_each(|at| together.add(&against_others(sums, ratings, at), sums.voters[at].copies));
    together.tastes()
}

/// What a voter says of every pair that others rated too.
fn against_others(sums: &Sums, ratings: &[Ratings], at: usize) -> Vec<Against> {
    let (voter, mut own) = (&sums.voters[at], Vec::new());
    merge(sums, voter, &mut own);
    own.iter().filter_map(|part| Against::of(part, voter.copies, sums, ratings)).collect()
}

/// What a voter says of a pair, and what the others do.
pub(super) struct Against {
    pub(super) items: (usize, usize),
    /// w, the voter's votes on it, and x, how many of them its first item won.
    pub(super) votes: f64,
    pub(super) won: f64,
    /// m, how many others rated it, and q, the share of its first item among them.
    pub(super) others: f64,
    pub(super) share: f64,
}

impl Against {
    /// From (pair, Σwr, Σw) of `copies` like voters; `None` where nobody else rated the pair.
    fn of(&(pair, wr, w): &(usize, f64, f64), copies: f64, sums: &Sums, ratings: &[Ratings]) -> Option<Self> {
        let (all, Pair { i, j, .. }) = (&ratings[pair], &sums.pairs[pair]);
        let (won, votes, others) = (wr / copies, w / copies, all.number - 1.0);
        let share = (all.sum + 0.5 * all.number - won / votes + 0.5) / (others + 1.0);
        (others > 0.0).then_some(Self { items: (*i, *j), votes, won, others, share })
    }

    /// ℓ.
    pub(super) fn log_odds(&self) -> f64 {
        (self.share / (1.0 - self.share)).ln()
    }

    /// q(1−q).
    pub(super) fn variance(&self) -> f64 {
        self.share * (1.0 - self.share)
    }
}

/// Standard errors within which a voter's answers may as well be random.
const NO_MORE_THAN_CHANCE: f64 = 2.0;

/// How far a voter says what the others say; see this file's head.
struct Conformity {
    /// The pairs that the voter answered.
    pairs: usize,
    /// The share of comparisons with other voters in which both agree, every pair counted once.
    agreement: Option<f64>,
    /// S, and its variance and third cumulant if the voter is like the others.
    sum: f64,
    variance: f64,
    third: f64,
    /// Σ ℓ(x − w/2), and its variance if the voter answers at random.
    random: f64,
    random_variance: f64,
}

impl Conformity {
    /// From a voter's pairs (pair, Σwr, Σw), or those of `copies` like voters.
    fn of(own: &[(usize, f64, f64)], copies: f64, sums: &Sums, ratings: &[Ratings]) -> Self {
        let (mut same, mut other) = (0.0, 0.0);
        let mut found = Self {
            pairs: own.len(),
            agreement: None,
            sum: 0.0,
            variance: 0.0,
            third: 0.0,
            random: 0.0,
            random_variance: 0.0,
        };
        for part in own {
            let all = &ratings[part.0];
            if let Some(first) = side(part) {
                let (with, against) = if first { (all.first - 1.0, all.second) } else { (all.second - 1.0, all.first) };
                if with + against > 0.0 {
                    // Every pair counts once, however many others answered it.
                    same += with / (with + against);
                    other += against / (with + against);
                }
            }
            let Some(against) = Against::of(part, copies, sums, ratings) else { continue };
            let Against { votes: w, won: x, others: m, share: q, .. } = against;
            let (l, v) = (against.log_odds(), against.variance());
            found.sum += l * (x - w * q);
            found.variance += l * l * v * (w + w * w / (m + 1.0));
            found.third += l * l * l * v * (1.0 - 2.0 * q) * w;
            found.random += l * (x - 0.5 * w);
            found.random_variance += 0.25 * l * l * w;
        }
        found.agreement = (same + other > 0.0).then(|| same / (same + other));
        found
    }

    /// S in standard errors; `None` where the others do not agree on anything.
    fn z(&self) -> Option<f64> {
        (self.variance > 0.0).then(|| self.sum / self.variance.sqrt())
    }

    /// By how many standard errors there is more agreement than random answers would give.
    fn chance(&self) -> f64 {
        if self.random_variance > 0.0 { self.random / self.random_variance.sqrt() } else { f64::INFINITY }
    }
}

/// Where S/√Var of most voters lies.
struct Usual {
    centre: f64,
    scale: f64,
}

impl Usual {
    fn of(voters: &[Conformity]) -> Self {
        let median = |values: &mut Vec<f64>| {
            values.sort_by(f64::total_cmp);
            values.get(values.len() / 2).copied().unwrap_or(0.0)
        };
        let mut all: Vec<f64> = voters.iter().filter_map(Conformity::z).collect();
        let centre = median(&mut all);
        let mut deviations: Vec<f64> = all.iter().map(|z| (z - centre).abs()).collect();
        // The quartiles of the normal distribution are at 0.6745; the median of few deviations is uncertain itself.
        let few = 1.0 + 1.0 / (all.len().max(1) as f64).sqrt();
        Self { centre: centre.min(0.0), scale: (few * median(&mut deviations) / 0.6745).max(1.0) }
    }

    /// The chance that so many coins agree as little, a voter like the others being as many as their scatter tells.
    fn tail(&self, voter: &Conformity) -> f64 {
        let Some(z) = voter.z() else { return 1.0 };
        skewed_tail((self.centre - z) / self.scale, -voter.third / voter.variance.powf(1.5))
    }
}

/// Voters who take less than a quarter of the usual time for more than half of their answers, and surely so: by a sign
/// test, all voters together at 1 %.
pub(super) fn too_fast(took: &Durations) -> Vec<String> {
    let voters = took.hurried();
    let level = LEVEL / voters.len().max(1) as f64;
    let odd =
        |&(_, all, short): &(&str, f64, f64)| short > 0.0 && incomplete_beta(short, all - short + 1.0, 0.5) < level;
    voters.iter().filter(|voter| odd(voter)).map(|voter| voter.0.to_owned()).collect()
}

/// A voter's answers as they were shown.
struct BySide {
    /// Ordered pairs answered for the left item, and ordered pairs decided.
    left: f64,
    decided: f64,
    /// Pairs answered in both orders, and those of them answered both ways.
    repeated: f64,
    contradicted: f64,
}

fn by_side(shown: &[(u32, u32)], shares: &[Share]) -> BySide {
    let mut found = BySide { left: 0.0, decided: 0.0, repeated: 0.0, contradicted: 0.0 };
    // The two items and whether the smaller is chosen, in one number that sorts fast.
    let mut chosen: Vec<u128> = Vec::with_capacity(shares.len());
    for share in shares.iter().filter(|share| share.wr != 0.5 * share.w) {
        let (first, second) = shown[share.cell as usize];
        let left = share.wr > 0.5 * share.w;
        found.left += f64::from(u8::from(left));
        found.decided += 1.0;
        let pair = (u128::from(first.min(second)) << 32) | u128::from(first.max(second));
        chosen.push((pair << 1) | u128::from(left == (first < second)));
    }
    chosen.sort_unstable();
    for two in chosen.windows(2).filter(|two| two[0] >> 1 == two[1] >> 1) {
        found.repeated += 1.0;
        found.contradicted += f64::from(u8::from(two[0] != two[1]));
    }
    found
}

#[cfg(test)]
mod tests;
