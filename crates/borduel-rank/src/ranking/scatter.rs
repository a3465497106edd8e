//! How far votes scatter about a fit: residuals set right for leverage, summed by voter, and never taken for zero.
//!
//! A vote pulls the fit towards itself by its leverage h = w μ′ φᵀH⁻¹φ, so its residual is e = (r−μ)/(1−h), as in the
//! jackknife (HC3). Where ties are an outcome of their own, ln ν is the last parameter, with the residual t − P(tie) of
//! its own.
//!
//! Residuals can vanish without anything being certain: a single vote is always fitted, ties and soft votes can agree
//! to the last digit. After n votes without one that stands out there may still be 3/n of that kind (the rule of three,
//! 95 %), so no item's variance is taken below min(1, 3/n) of the model's own Var r, with 1/n the mean leverage of its
//! votes or, where votes are summed by voter, one over the number of its voters if that is more.
//!
//! Votes may hang together in two ways, by voter and by context: see `ways`.

use super::points::Points;
use super::sums::{Part, Sums, Voter};
use super::uneven::Uneven;
use super::ways::Ways;
use crate::features::{BLOCK, add_lower_gram};
use crate::parallel;
use nalgebra::DMatrix;
use std::ops::Range;

/// Above this leverage a vote says nothing about its own spread.
const MOST_LEVERAGE: f64 = 0.9;
/// A voter whose votes touch at most one in so many parameters is added by itself.
const SPARSE: usize = 6;
/// See the rule of three at this file's head.
const RULE_OF_THREE: f64 = 3.0;

/// What a model says of a vote, pair by pair.
#[derive(Default)]
pub(crate) struct Expected {
    /// μ = E r.
    pub(crate) mean: Vec<f64>,
    /// Var r.
    pub(crate) variance: Vec<f64>,
    /// The chance of a tie, where ties are an outcome of their own.
    pub(crate) tie: Option<Vec<f64>>,
}

impl Expected {
    /// Of coins with these chances.
    pub(crate) fn coins(mean: Vec<f64>) -> Self {
        Self { variance: mean.iter().map(|mu| mu * (1.0 - mu)).collect(), mean, tie: None }
    }

    /// Of votes at these log-odds.
    pub(crate) fn at(points: Points, scores: &[f64], ties: bool) -> Self {
        Self {
            mean: scores.iter().map(|&u| points.mean(u)).collect(),
            variance: scores.iter().map(|&u| points.variance(u)).collect(),
            tie: ties.then(|| scores.iter().map(|&u| points.tie(u)).collect()),
        }
    }
}

/// Residuals of a fit, pair by pair.
pub(crate) struct Residuals {
    expected: Expected,
    /// 1/(1−h) of a vote of average weight.
    pub(crate) stretch: Vec<f64>,
    /// Σ w² e² of independent votes.
    squares: Vec<f64>,
    /// What the floor adds.
    pub(crate) floor: Vec<f64>,
    /// The effective number of voters by which residuals are summed.
    pub(crate) clusters: Option<f64>,
    /// What their numbers of votes do to the sums: of the voters, and of the two that they are crossed with. Empty
    /// without voters.
    uneven: Vec<Uneven>,
    /// The correlation of a voter's votes on an item.
    correlation: f64,
    /// Whether the floor added anything.
    pub(crate) floored: bool,
}

impl Residuals {
    /// From what is expected and φᵀH⁻¹φ of every pair. `own` says that an item has a parameter of its own, so that its
    /// voters alone tell about it.
    pub(crate) fn new(sums: &Sums, expected: Expected, forms: &[f64], clustered: bool, own: bool) -> Self {
        let leverage = |at: usize| {
            let pair = &sums.pairs[at];
            pair.w2 / pair.w * expected.variance[at] * forms[at]
        };
        let leverages: Vec<f64> = (0..sums.pairs.len()).map(leverage).collect();
        let stretch: Vec<f64> = leverages.iter().map(|h| 1.0 / (1.0 - h.min(MOST_LEVERAGE))).collect();
        let square = |at: usize| sums.pairs[at].squared_residuals(expected.mean[at]) * stretch[at].powi(2);
        let squares: Vec<f64> = (0..sums.pairs.len()).map(square).collect();
        let mut voters = sums.effective_voters();
        if let Some([second, _]) = sums.crossed.as_deref() {
            voters = voters.min(second.effective_voters());
        }
        let clusters = (clustered && voters > 1.0).then_some(voters);
        let crossed = sums.crossed.as_deref().map_or(&[][..], |crossed| &crossed[..]);
        let all = clusters.iter().flat_map(|_| std::iter::once(sums).chain(crossed));
        let uneven = all.map(|sums| Uneven::new(sums, own)).collect();
        let (floor, floored, correlation) = (Vec::new(), false, 0.0);
        let mut residuals = Self { expected, stretch, squares, floor, clusters, uneven, correlation, floored };
        (residuals.floor, residuals.correlation) = residuals.floors(sums, &leverages, own);
        residuals.floored = residuals.floor.iter().any(|&f| f > 0.0);
        residuals
    }

    /// What must be added to the pairs' squares so that no item falls below its floor, and the correlation of a voter's
    /// votes on an item.
    fn floors(&self, sums: &Sums, leverages: &[f64], own: bool) -> (Vec<f64>, f64) {
        let k = sums.len();
        let (mut seen, mut model, mut weight, mut pulled) = (vec![0.0; k], vec![0.0; k], vec![0.0; k], vec![0.0; k]);
        for (at, pair) in sums.pairs.iter().enumerate() {
            for item in [pair.i, pair.j] {
                seen[item] += self.squares[at];
                model[item] += pair.w2 * self.expected.variance[at];
                weight[item] += pair.w;
                pulled[item] += pair.w * leverages[at];
            }
        }
        let mut units = vec![self.clusters.unwrap_or_else(|| sums.effective_votes()); k];
        let mut correlation = 0.0;
        if let Some(uneven) = self.uneven.first() {
            let (by_voter, voters) = self.by_voter_and_item(sums);
            let alone = self.squares_alone(uneven);
            seen = by_voter;
            for (square, pair) in alone.iter().flatten().zip(&sums.pairs) {
                seen[pair.i] += square;
                seen[pair.j] += square;
            }
            // Σ over voters of (Σ e)² is (n + ρ(n² − n)) Var e of one with n votes.
            let (alone, weights): (f64, f64) = (model.iter().sum(), weight.iter().sum());
            let together = alone * uneven.squares() / weights - alone;
            let excess = seen.iter().sum::<f64>() - alone;
            correlation = if excess > 0.0 { (excess / together.max(f64::MIN_POSITIVE)).min(1.0) } else { 0.0 };
            if own {
                units = voters;
            }
        }
        let lacking = |item: usize| {
            if model[item] <= 0.0 {
                return 0.0;
            }
            let share = (RULE_OF_THREE * (pulled[item] / weight[item]).max(1.0 / units[item])).min(1.0);
            (share - seen[item] / model[item]).max(0.0)
        };
        let lacking: Vec<f64> = (0..k).map(lacking).collect();
        let floor = |(at, pair): (usize, &super::sums::Pair)| {
            lacking[pair.i].max(lacking[pair.j]) * pair.w2 * self.expected.variance[at]
        };
        (sums.pairs.iter().enumerate().map(floor).collect(), correlation)
    }

    /// For every item the sum over voters of its squared sum of residuals, and its effective number of voters.
    fn by_voter_and_item(&self, sums: &Sums) -> (Vec<f64>, Vec<f64>) {
        let k = sums.len();
        // The items of every pair by themselves: pairs are large, and there are many parts to one.
        let ends: Vec<[u32; 2]> = sums.pairs.iter().map(|pair| [pair.i as u32, pair.j as u32]).collect();
        let stretches = sums.stretches();
        let parts: Vec<[Vec<f64>; 3]> =
            parallel::map(stretches.len(), |at| self.stretch_by_item(sums, &ends, stretches[at].clone()));
        let [mut squares, mut total, mut spread] = [(); 3].map(|()| vec![0.0; k]);
        for part in &parts {
            for (all, part) in [&mut squares, &mut total, &mut spread].into_iter().zip(part) {
                all.iter_mut().zip(part).for_each(|(all, part)| *all += part);
            }
        }
        let voters = total.iter().zip(&spread).map(|(t, s)| if *s > 0.0 { t * t / s } else { 1.0 }).collect();
        (squares, voters)
    }

    /// Of some voters, for every item, the squared sums of residuals, the sums of weights, and their squares.
    fn stretch_by_item(&self, sums: &Sums, ends: &[[u32; 2]], range: Range<usize>) -> [Vec<f64>; 3] {
        let [mut squares, mut total, mut spread, mut sum, mut weight] = [(); 5].map(|()| vec![0.0; sums.len()]);
        let mut touched = Vec::new();
        for voter in &sums.voters[range] {
            for at in voter.parts.clone() {
                let part = &sums.parts[at];
                let [i, j] = ends[part.pair].map(|item| item as usize);
                let residual = self.part(sums, at);
                for (item, sign) in [(i, 1.0), (j, -1.0)] {
                    if weight[item] == 0.0 {
                        touched.push(item);
                    }
                    sum[item] += sign * residual;
                    weight[item] += part.w;
                }
            }
            for item in touched.drain(..) {
                squares[item] += sum[item] * sum[item] / voter.copies;
                total[item] += weight[item];
                spread[item] += weight[item] * weight[item] / voter.copies;
                sum[item] = 0.0;
                weight[item] = 0.0;
            }
        }
        [squares, total, spread]
    }

    /// Σ w e of a part of the sums, as much larger as the voter's share of the votes made it smaller.
    pub(crate) fn part(&self, sums: &Sums, at: usize) -> f64 {
        self.summed(&sums.parts[at], self.uneven.first().map_or(1.0, |uneven| uneven.stretch[at]))
    }

    fn summed(&self, part: &Part, stretch: f64) -> f64 {
        (part.wr - self.expected.mean[part.pair] * part.w) * self.stretch[part.pair] * stretch
    }

    /// A voter's Σ w (t − P(tie)) on a pair.
    fn tie_part(&self, part: &Part, stretch: f64) -> f64 {
        self.expected.tie.as_ref().map_or(0.0, |tie| (part.wt - tie[part.pair] * part.w) * stretch)
    }

    /// Degrees of freedom of the variances, after `dim` parameters were fitted.
    pub(crate) fn df(&self, sums: &Sums, dim: usize) -> f64 {
        let Some(voters) = self.clusters else { return (sums.effective_votes() - dim as f64).max(1.0) };
        // What is both is finer than either.
        let fewest = self.uneven.iter().map(|uneven| uneven.df(self.correlation)).fold(f64::INFINITY, f64::min);
        fewest.min(voters - 1.0).max(1.0)
    }

    /// Those of the scatter by the first way and by the second, where votes hang together in two.
    pub(crate) fn df_by_way(&self, sums: &Sums) -> Option<[f64; 2]> {
        let [second, _] = sums.crossed.as_deref()?;
        let [first, uneven, _] = self.uneven.as_slice() else { return None };
        let df = |sums: &Sums, uneven: &Uneven| uneven.df(self.correlation).min(sums.effective_voters() - 1.0).max(1.0);
        Some([df(sums, first), df(second, uneven)])
    }

    /// Σ w² e² of every pair's votes that have no voter; `None` where all have one.
    fn squares_alone(&self, uneven: &Uneven) -> Option<Vec<f64>> {
        let alone = uneven.alone.as_ref()?;
        Some(alone.iter().zip(&self.squares).map(|(share, square)| share * square).collect())
    }

    /// Of every pair the part of J that is independent of all others: Σ w² e² where votes are, and the floor.
    pub(crate) fn independent(&self) -> Vec<f64> {
        let alone = self.uneven.first().and_then(|uneven| self.squares_alone(uneven));
        let squares = |at: usize| match (&alone, self.clusters) {
            (Some(alone), _) => alone[at],
            (None, Some(_)) => 0.0,
            (None, None) => self.squares[at],
        };
        self.floor.iter().enumerate().map(|(at, floor)| squares(at) + floor).collect()
    }

    /// Lets go of what only [`Residuals::independent`] asks for: of very many pairs it takes much room.
    pub(crate) fn forget_pairs(&mut self) {
        (self.squares, self.floor) = (Vec::new(), Vec::new());
        // Without voters nothing is left that would ask what was expected.
        if self.clusters.is_none() {
            self.expected = Expected::default();
        }
    }

    /// The voters by whom residuals are summed.
    pub(crate) fn voters<'a>(&self, sums: &'a Sums) -> &'a [Voter] {
        if self.clusters.is_some() { &sums.voters } else { &[] }
    }

    /// J_ii of every item, as far as it comes from voters.
    pub(crate) fn by_item(&self, sums: &Sums) -> Vec<f64> {
        if self.clusters.is_some() { self.by_voter_and_item(sums).0 } else { vec![0.0; sums.len()] }
    }

    /// J = Σ w² e² φφᵀ over independent votes or Σ_v s_v s_vᵀ with s_v = Σ w e φ over a voter's votes, each as `uneven`
    /// says, plus the floor.
    /// `information` makes Σ weight φφᵀ from weights of pairs; `add` adds x φ of a pair to a vector of at least `dim`
    /// numbers.
    pub(crate) fn scatter(
        &self,
        sums: &Sums,
        dim: usize,
        information: impl Fn(&[f64]) -> DMatrix<f64>,
        add: impl Fn(usize, f64, &mut [f64]) + Sync,
    ) -> Ways {
        let dim = dim + usize::from(self.expected.tie.is_some());
        let wide = |matrix: DMatrix<f64>| if matrix.nrows() == dim { matrix } else { matrix.resize(dim, dim, 0.0) };
        let Some(uneven) = self.uneven.first() else {
            let mut scatter = wide(information(&self.independent()));
            self.add_ties(&mut scatter, sums, None, &add);
            return Ways::one(scatter);
        };
        let by_way = |mut scatter: DMatrix<f64>, by: (&Sums, &Uneven)| {
            self.add_voters(&mut scatter, by, &add);
            if let Some(squares) = self.squares_alone(by.1) {
                scatter += wide(information(&squares));
                self.add_ties(&mut scatter, by.0, by.1.alone.as_deref(), &add);
            }
            scatter
        };
        let nothing = || DMatrix::zeros(dim, dim);
        let floor = if self.floored { wide(information(&self.floor)) } else { nothing() };
        let scatter = Ways::one(by_way(floor, (sums, uneven)));
        match (sums.crossed.as_deref(), self.uneven.as_slice()) {
            (Some([second, both]), [_, of_second, of_both]) => {
                scatter.with_second([(second, of_second), (both, of_both)].map(|by| by_way(nothing(), by)))
            }
            _ => scatter,
        }
    }

    /// Adds what ties say about ln ν, the last parameter, where votes are independent: Σ w² e (t−P) φ beside Σ w²
    /// (t−P)². Where only a share of every pair's votes is, so much of it.
    fn add_ties(
        &self,
        scatter: &mut DMatrix<f64>,
        sums: &Sums,
        share: Option<&[f64]>,
        add: &(impl Fn(usize, f64, &mut [f64]) + Sync),
    ) {
        let Some(tie) = &self.expected.tie else { return };
        let last = scatter.nrows() - 1;
        let mut side = vec![0.0; last + 1];
        for (at, pair) in sums.pairs.iter().enumerate() {
            let (mu, p) = (self.expected.mean[at], tie[at]);
            let part = share.map_or(1.0, |share| share[at]);
            // A tie has r = ½.
            let both = 0.5 * pair.w2t - p * pair.w2r - mu * pair.w2t + mu * p * pair.w2;
            add(at, part * both * self.stretch[at], &mut side);
            side[last] += part * ((1.0 - 2.0 * p) * pair.w2t + p * p * pair.w2);
        }
        for (c, x) in side.into_iter().enumerate() {
            scatter[(c, last)] += x;
            if c != last {
                scatter[(last, c)] += x;
            }
        }
    }

    /// Adds Σ s_v s_vᵀ over all voters.
    fn add_voters(
        &self,
        scatter: &mut DMatrix<f64>,
        by: (&Sums, &Uneven),
        add: &(impl Fn(usize, f64, &mut [f64]) + Sync),
    ) {
        let dim = scatter.nrows();
        // As many sums at once as memory allows; never as many as there are threads, which must not change a digit.
        let chunks = ((2e7 / (dim * dim) as f64) as usize).clamp(1, 8);
        let ranges = by.0.voters_in_parts(chunks);
        let parts: Vec<DMatrix<f64>> =
            parallel::map(ranges.len(), |at| self.voters_scatter(by, dim, ranges[at].clone(), add));
        parts.iter().for_each(|part| *scatter += part);
    }

    /// Σ s_v s_vᵀ over some voters.
    fn voters_scatter(
        &self,
        (sums, uneven): (&Sums, &Uneven),
        dim: usize,
        range: Range<usize>,
        add: &(impl Fn(usize, f64, &mut [f64]) + Sync),
    ) -> DMatrix<f64> {
        let mut scatter = DMatrix::zeros(dim, dim);
        let mut block = Vec::with_capacity(BLOCK * dim);
        let mut score = vec![0.0; dim];
        let mut filled: Vec<usize> = Vec::new();
        for voter in &sums.voters[range] {
            let root = voter.copies.sqrt();
            let parts = || sums.parts[voter.parts.clone()].iter().zip(&uneven.stretch[voter.parts.clone()]);
            for (part, &stretch) in parts() {
                add(part.pair, self.summed(part, stretch) / root, &mut score);
            }
            if self.expected.tie.is_some() {
                score[dim - 1] = parts().map(|(part, &stretch)| self.tie_part(part, stretch)).sum::<f64>() / root;
            }
            filled.clear();
            filled.extend((0..dim).filter(|&c| score[c] != 0.0));
            if filled.len() * SPARSE <= dim {
                for &b in &filled {
                    filled.iter().for_each(|&a| scatter[(a, b)] += score[a] * score[b]);
                }
            } else {
                block.extend_from_slice(&score);
            }
            filled.iter().for_each(|&c| score[c] = 0.0);
            if block.len() == BLOCK * dim {
                add_lower_gram(&mut scatter, &block);
                block.clear();
            }
        }
        add_lower_gram(&mut scatter, &block);
        scatter.fill_upper_triangle_with_lower_triangle();
        scatter
    }
}
