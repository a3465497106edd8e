//! How much the answers of each voter carry, shrunk by as much as the voters are found to be alike.
//!
//! A voter's answers follow the strengths s with a discrimination a of the voter's own, P(i before j) = μ(a (s_i −
//! s_j)), ln a ~ N(m, τ²). s is that of the other voters: voters are dealt into ten groups, and those of one are held
//! against what the nine others say, fitted with a unit normal prior on strengths. m and τ are those of the largest
//! marginal likelihood ∏_v ∫ L_v(a) dN(ln a; m, τ²) (empirical Bayes, by EM on a grid of ln a), so that voters with few
//! votes are taken for typical ones, and all of them where nothing shows that they differ. Told is a/eᵐ: 1 is a typical
//! voter, 0.4 one whose answers carry 0.4 of a typical one's. That voters differ at all is tested by the likelihood
//! ratio against τ = 0, ½χ²₀ + ½χ²₁ being its distribution on the border. A voter with a taste of their own cannot be
//! told from one who does not look: both deviate from what the others say.
//!
//! Where voters are weighed, a vote counts E(a/eᵐ | what its voter said about *other* pairs). So no answer has a part
//! in its own weight, which would make whoever leads lead by more.

use super::points::Points;
use super::rows::{Regression, Row};
use super::sums::{Part, Sums, Voter};
use super::{Finding, Interval, Model, RankOptions, Ranking, rank};
use crate::ballots::{Ballots, Share};
use crate::error::{Error, Result};
use crate::link::Link;
use crate::parallel;
use crate::special::chi_square_tail;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};

/// The fewest voters of whom it can be told that they differ.
pub const FEWEST_RELIABLE: usize = 10;
/// The level at which voters are said to differ.
pub const RELIABILITY_LEVEL: f64 = 0.01;
/// The most (voter, pair) for which it is looked for.
const MOST: usize = 200_000;
/// Voters are held against those of the other groups.
const GROUPS: usize = 10;
/// The precision of the prior on strengths, which keeps those of the other voters finite where they are few.
const RIDGE: f64 = 1.0;
/// ln a from here on, in steps, so many of them.
const GRID: (f64, f64, usize) = (-5.0, 0.1, 80);
/// The most steps of EM, and the change of m and τ that ends them.
const STEPS: (usize, f64) = (500, 1e-6);

/// How far the voters of some votes can be relied on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Reliability {
    /// τ, the standard deviation of ln a among voters.
    pub spread: f64,
    /// The chance of so much difference, were all voters alike.
    pub p: f64,
    /// −ln of the chance of a vote, on average, foretold from other voters alone, all taken to be alike; and from what
    /// else its voter said, too.
    pub log_loss: [f64; 2],
    /// Who is first without the least reliable tenth of the voters, where voters differ.
    pub without: Option<Without>,
    /// Where the ranking weighs voters by it: who is first (an index of the ballots) where all count alike.
    pub alike: Option<usize>,
    /// The voters, the least reliable first.
    pub voters: Vec<VoterReliability>,
}

/// How far one voter can be relied on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct VoterReliability {
    /// The name of the voter.
    pub voter: String,
    /// How many votes the voter cast.
    pub votes: f64,
    /// What an answer carries, 1 being a typical voter's.
    pub carries: Interval,
}

/// Who is first without some voters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Without {
    /// How many voters are left out.
    pub voters: usize,
    /// Who is then first: an index of the ballots.
    pub first: usize,
}

impl Reliability {
    /// Whether voters are seen to differ.
    pub fn differ(&self) -> bool {
        self.p < RELIABILITY_LEVEL
    }
}

/// How far the voters of these ballots can be relied on, with intervals of the ranking's confidence, and who is first
/// without the least reliable tenth. `None` where fewer than ten voters are named, or votes are weighted or too many.
pub fn reliability(ballots: &Ballots, model: &Model, options: &RankOptions) -> Option<Reliability> {
    let crowd = Crowd::new(ballots).ok()?;
    let mut found = crowd.reliability(options.level);
    // What else goes with votes would have to be left out with them.
    if found.differ() && options.circumstances.is_none() && options.crossed.is_none() {
        let tenth = (found.voters.len() / 10).max(1);
        let least: HashSet<&str> = found.voters[..tenth].iter().map(|voter| voter.voter.as_str()).collect();
        let left_out: Vec<bool> = crowd.names.iter().map(|name| least.contains(name.as_str())).collect();
        let rest = ballots.weighed(|voter, _| if left_out[voter as usize] { 0.0 } else { 1.0 });
        found.without = first(&rest, model, options).map(|first| Without { voters: tenth, first });
    }
    Some(found)
}

/// Ranks the items of these ballots, each vote counting as much as what its voter said about other pairs makes it
/// carry, and takes up what was found about voters. Given back are the votes that count so, too.
///
/// # Errors
/// Why voters cannot be weighed, and those of [`rank`].
pub fn rank_weighed(ballots: &Ballots, model: &Model, options: &RankOptions) -> Result<(Ballots, Ranking)> {
    let refused = |why: &str| Error::Data(format!("voters cannot be weighed by their reliability: {why}"));
    if options.circumstances.is_some() || options.crossed.is_some() {
        return Err(refused(
            "not where numbers are adjusted for, or votes hang together by something beside the voter",
        ));
    }
    let crowd = Crowd::new(ballots).map_err(|why| refused(&why))?;
    let weights = crowd.weights();
    let weighed = ballots.weighed(|voter, (i, j)| weights.get(&(voter, i, j)).copied().unwrap_or(1.0));
    let mut ranking = rank(&weighed, model, options)?;
    ranking.rely(Reliability { alike: first(ballots, model, options), ..crowd.reliability(options.level) });
    Ok((weighed, ranking))
}

/// The first item of these ballots.
fn first(ballots: &Ballots, model: &Model, options: &RankOptions) -> Option<usize> {
    let plain = RankOptions { bootstrap: None, chances: false, took: None, ..options.clone() };
    rank(ballots, model, &plain).ok().and_then(|ranking| ranking.items.first().map(|item| item.item))
}

impl Ranking {
    /// Takes up what was found about voters, with the check of it behind that of their agreement.
    pub fn rely(&mut self, found: Reliability) {
        let (Some(first), Some(least)) = (self.items.first(), found.voters.first()) else { return };
        let check = Finding::Reliability {
            voters: found.voters.len(),
            p: found.p,
            least: least.voter.clone(),
            carries: least.carries,
            first: first.item,
            without: found.without,
            alike: found.alike,
        };
        let agreement = self.checks.iter().position(|check| check.name() == "voter-agreement");
        let at = agreement.map_or(self.checks.len(), |at| at + 1);
        self.checks.insert(at, check);
        self.reliability = Some(found);
    }
}

/// Voters, what the others say about their pairs, and how likely their answers are for every a.
struct Crowd {
    sums: Sums,
    names: Vec<String>,
    /// s_i − s_j of every pair, by each group of voters from the others.
    leads: Vec<Vec<f64>>,
    /// The log-likelihood of every voter on the grid.
    logs: Vec<Vec<f64>>,
    grid: Vec<f64>,
    m: f64,
    tau: f64,
}

impl Crowd {
    fn new(ballots: &Ballots) -> std::result::Result<Self, String> {
        if ballots.weighted() {
            return Err("the votes have weights already".to_owned());
        }
        let plain = (ballots.contexts() > 0).then(|| ballots.without_contexts());
        let ballots = plain.as_ref().unwrap_or(ballots);
        // All voters of the shares are voters of the sums, in the same order.
        let named = |shares: &[Share]| ballots.voter_name(shares[0].voter as usize);
        let names: Option<Vec<String>> = ballots.shares().chunk_by(|a, b| a.voter == b.voter).map(named).collect();
        let names = names.filter(|names| names.len() >= FEWEST_RELIABLE).ok_or_else(|| {
            format!("that takes {FEWEST_RELIABLE} voters who are named, each with votes of their own")
        })?;
        let sums = Sums::new(ballots, true);
        if sums.parts.len() > MOST {
            return Err(format!("that takes at most {MOST} different answers of voters to pairs"));
        }
        let leads = parallel::map(GROUPS, |group| leads(&sums, group));
        let (from, step, number) = GRID;
        let grid = (0..number).map(|at| from + step * at as f64).collect();
        let mut crowd = Self { sums, names, leads, logs: Vec::new(), grid, m: 0.0, tau: 0.5 };
        crowd.logs = parallel::map(crowd.names.len(), |voter| crowd.log_likelihood(voter, &|_| true));
        crowd.fit();
        Ok(crowd)
    }

    fn parts(&self, voter: usize) -> &[Part] {
        &self.sums.parts[self.sums.voters[voter].parts.clone()]
    }

    /// The log-likelihood on the grid of what a voter said about these pairs: ln μ(u) = −m(−u), m being the integral of
    /// μ.
    fn log_likelihood(&self, voter: usize, of: &dyn Fn(usize) -> bool) -> Vec<f64> {
        let leads = &self.leads[voter % GROUPS];
        let at = |b: &f64| {
            let one = |part: &Part| {
                let u = b.exp() * leads[part.pair];
                -part.wr * Link::Logistic.m(-u) - (part.w - part.wr) * Link::Logistic.m(u)
            };
            self.parts(voter).iter().filter(|part| of(part.pair)).map(one).sum()
        };
        self.grid.iter().map(at).collect()
    }

    /// m and τ, by EM.
    fn fit(&mut self) {
        for _ in 0..STEPS.0 {
            let prior = self.prior();
            let moments: Vec<[f64; 2]> = parallel::map(self.logs.len(), |voter| {
                let (posterior, _) = posterior(&self.logs[voter], &prior);
                let mean = |power: i32| posterior.iter().zip(&self.grid).map(|(p, b)| p * b.powi(power)).sum();
                [mean(1), mean(2)]
            });
            let n = moments.len() as f64;
            let m = moments.iter().map(|of| of[0]).sum::<f64>() / n;
            let square = moments.iter().map(|of| of[1]).sum::<f64>() / n;
            // Below the step of the grid there is nothing to be told.
            let tau = (square - m * m).max(0.0).sqrt().max(0.5 * GRID.1);
            let moved = (m - self.m).abs() + (tau - self.tau).abs();
            (self.m, self.tau) = (m, tau);
            if moved < STEPS.1 {
                break;
            }
        }
    }

    /// ln of N(m, τ²) on the grid, brought to the sum 1.
    fn prior(&self) -> Vec<f64> {
        let logs: Vec<f64> = self.grid.iter().map(|b| -0.5 * ((b - self.m) / self.tau).powi(2)).collect();
        let all = log_sum(&logs);
        logs.into_iter().map(|log| log - all).collect()
    }

    /// E(a/eᵐ).
    fn mean(&self, posterior: &[f64], power: f64) -> f64 {
        posterior.iter().zip(&self.grid).map(|(p, b)| p * (power * (b - self.m)).exp()).sum()
    }

    fn reliability(&self, level: f64) -> Reliability {
        let prior = self.prior();
        let found: Vec<(Vec<f64>, f64)> = self.logs.iter().map(|logs| posterior(logs, &prior)).collect();
        let (alike, common) = self.alike();
        let ratio = 2.0 * (found.iter().map(|(_, log)| log).sum::<f64>() - alike);
        let votes = |voter: usize| self.parts(voter).iter().map(|part| part.w).sum::<f64>();
        let mut voters: Vec<VoterReliability> = (self.names.iter().enumerate().zip(&found))
            .map(|((voter, name), (posterior, _))| VoterReliability {
                voter: name.clone(),
                votes: votes(voter),
                carries: self.told(posterior, level),
            })
            .collect();
        let carries = |voter: &VoterReliability| voter.carries.estimate.unwrap_or(1.0);
        voters.sort_by(|a, b| carries(a).total_cmp(&carries(b)).then_with(|| a.voter.cmp(&b.voter)));
        let all: f64 = voters.iter().map(|voter| voter.votes).sum();
        Reliability {
            spread: self.tau,
            p: if ratio > 0.0 { 0.5 * chi_square_tail(ratio, 1.0) } else { 1.0 },
            log_loss: [-common / all, -self.foretold(&prior) / all],
            without: None,
            alike: None,
            voters,
        }
    }

    /// The largest log-likelihood of one ln a for all voters, by the parabola through the best point of the grid; and
    /// that of ln a = 0.
    fn alike(&self) -> (f64, f64) {
        let sums: Vec<f64> = (0..GRID.2).map(|at| self.logs.iter().map(|log| log[at]).sum()).collect();
        let best = (0..GRID.2).fold(0, |best, at| if sums[at] > sums[best] { at } else { best });
        let plain = sums[(-GRID.0 / GRID.1).round() as usize];
        if best == 0 || best == GRID.2 - 1 {
            return (sums[best], plain);
        }
        let (down, up) = (sums[best] - sums[best - 1], sums[best] - sums[best + 1]);
        let above = if down + up > 0.0 { (down - up).powi(2) / (8.0 * (down + up)) } else { 0.0 };
        (sums[best] + above, plain)
    }

    /// For every pair of every voter: the pair, its log-likelihood on the grid, and the posterior from the others.
    fn each_from_others<T: Send>(
        &self,
        prior: &[f64],
        of: impl Fn(usize, usize, &[f64], &[f64]) -> T + Sync,
    ) -> Vec<T> {
        let one = |voter: usize| {
            let mut pairs: Vec<usize> = self.parts(voter).iter().map(|part| part.pair).collect();
            pairs.sort_unstable();
            pairs.dedup();
            let all = &self.logs[voter];
            let found = pairs.into_iter().map(|pair| {
                let own = self.log_likelihood(voter, &|other| other == pair);
                let rest: Vec<f64> = all.iter().zip(&own).map(|(all, own)| all - own).collect();
                of(voter, pair, &own, &posterior(&rest, prior).0)
            });
            found.collect::<Vec<T>>()
        };
        let each: Vec<Vec<T>> = parallel::map(self.names.len(), one);
        each.into_iter().flatten().collect()
    }

    /// The log-likelihood of all votes, those of a voter on a pair foretold from that voter's others.
    fn foretold(&self, prior: &[f64]) -> f64 {
        let each = self.each_from_others(prior, |_, _, own, posterior| {
            let logs: Vec<f64> =
                own.iter().zip(posterior).map(|(own, p)| own + p.max(f64::MIN_POSITIVE).ln()).collect();
            log_sum(&logs)
        });
        each.iter().sum()
    }

    /// What a vote of a voter (as the ballots number them) on a pair of items, in either order, counts.
    fn weights(&self) -> HashMap<(u32, u32, u32), f64> {
        let prior = self.prior();
        let each = self.each_from_others(&prior, |voter, pair, _, posterior| {
            let of = self.sums.pairs[pair];
            let (i, j) = (self.sums.items[of.i] as u32, self.sums.items[of.j] as u32);
            ((voter as u32, i.min(j), i.max(j)), self.mean(posterior, 1.0))
        });
        each.into_iter().collect()
    }

    /// a/eᵐ: its posterior mean, and the quantiles of the posterior.
    fn told(&self, posterior: &[f64], level: f64) -> Interval {
        let quantile = |share: f64| {
            let mut below = 0.0;
            for (p, b) in posterior.iter().zip(&self.grid) {
                if below + p >= share {
                    // The mass of a point lies about it, half a step to either side.
                    return (b - self.m + GRID.1 * ((share - below) / p - 0.5)).exp();
                }
                below += p;
            }
            (self.grid[GRID.2 - 1] - self.m).exp()
        };
        let estimate = self.mean(posterior, 1.0);
        let error = (self.mean(posterior, 2.0) - estimate * estimate).max(0.0).sqrt();
        Interval {
            estimate: Some(estimate),
            low: quantile(0.5 - 0.5 * level),
            high: quantile(0.5 + 0.5 * level),
            error,
        }
    }
}

/// s_i − s_j of every pair from all voters but those of a group.
fn leads(sums: &Sums, group: usize) -> Vec<f64> {
    let s = strengths(sums, group);
    sums.pairs.iter().map(|pair| s[pair.i] - s[pair.j]).collect()
}

/// The strengths by all voters but those of a group.
fn strengths(sums: &Sums, group: usize) -> Vec<f64> {
    let mut rows: Vec<Row> = sums.pairs.iter().map(|pair| Row { wt: 0.0, ..Row::from(pair) }).collect();
    let own = |(voter, _): &(usize, &Voter)| voter % GROUPS == group;
    for (_, voter) in sums.voters.iter().enumerate().filter(own) {
        for part in &sums.parts[voter.parts.clone()] {
            rows[part.pair].w -= part.w;
            rows[part.pair].wr -= part.wr;
        }
    }
    let votes = Regression { items: sums.len(), rows: &rows, z: &[], covariates: 0, points: Points::default() };
    votes.fit(RIDGE, None).parameters
}

/// ln Σ eˣ.
fn log_sum(logs: &[f64]) -> f64 {
    let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    top + logs.iter().map(|log| (log - top).exp()).sum::<f64>().ln()
}

/// The posterior on the grid, and ln of the mass that it was brought to 1 from.
fn posterior(logs: &[f64], prior: &[f64]) -> (Vec<f64>, f64) {
    let both: Vec<f64> = logs.iter().zip(prior).map(|(log, prior)| log + prior).collect();
    let mass = log_sum(&both);
    (both.into_iter().map(|log| (log - mass).exp()).collect(), mass)
}

#[cfg(test)]
mod tests;
