//! Intervals of scores that hold at all times, whatever the scale of the strengths.
//!
//! Verdicts lean on a prior of strengths N(0, 2), with which leads hardly move. A score does: items that are well known
//! among themselves are tied to all others by few votes, and where strengths are spread by 4 the prior draws such a
//! group towards the middle. So intervals come from a second fit whose scale is that of the votes
//! ([`Fit::unassuming`]), in which the item in question is freed of most of what is left of the prior. And they come
//! from the likelihood itself rather than from its curvature, which says of an item that won all of its votes that it
//! is known to be unbeatable.
//!
//! Item i's score and all pairs' log-odds η are jointly normal about that fit. As the score moves by a, each η_p is
//! expected to move by a κ_p, κ_p = Cov(η_p, B(i))/Var B(i), and the score itself is B(a) = c Σ_b σ(η̂_ib + a κ_ib).
//! The deviance on that path is D(a) = 2 Σ n (A(η̂ + aκ) − A(η̂) − p̂ aκ) + R a², A(η) = log(1 + exp η), over the pairs
//! whose votes matter, and R what there is beside them to the information 1/Var. The interval is B(a) for all a with
//! D(a) ≤ z², z the width of the normal mixture ([`anytime_width`]) on the scale of the score's log-odds; voters with
//! habits widen it.

use super::evidence::anytime_width;
use super::model::Fit;
use super::pair_effects::{chance, own, shrinkage};
use super::scores::Scores;
use super::space::Space;
use super::wide::Along;
use crate::duel::Arm;
use nalgebra::DVector;

/// What is left of the prior of an item's strength in its own interval.
const LEFT: f64 = 0.02;
/// Pairs with a lesser share than this of what is known about a score count by their curvature.
const LEAST: f64 = 1e-3;
/// No log-odds on a path move by more.
const FAR: f64 = 40.0;

/// The interval of every item; `widening` are the factors of standard errors, and `alpha` the chance that one is ever
/// missed.
pub(super) fn intervals(space: &Space<'_>, fit: &Fit, widening: &[f64], alpha: f64) -> Vec<(f64, f64)> {
    let fit = fit.unassuming(space);
    let scores = Scores::new(space, &fit);
    // p is never quite 0 or 1 but for rounding.
    let log_odds = |p: f64| (p.max(1e-15) / (1.0 - p).max(1e-15)).ln();
    let asked: Vec<Pair> = fit.asked.iter().map(|p| Pair::new(&fit, &scores, (p.i, p.j), log_odds(p.p))).collect();
    let fitted = Along::new(space, &fit.start.beta);
    let one = |item: Arm| Path::new(space, &fit, &scores, (&asked, &fitted), item).interval(widening[item], alpha);
    (0..space.k).map(one).collect()
}

/// A pair as all paths see it.
struct Pair {
    i: Arm,
    j: Arm,
    eta: f64,
    votes: f64,
    h: f64,
    /// q, and what its own effect is to the score of i, c h τ².
    q: f64,
    effect: f64,
}

impl Pair {
    fn new(fit: &Fit, scores: &Scores, (i, j): (Arm, Arm), eta: f64) -> Self {
        let (votes, h, backing) = (scores.votes[(i, j)], scores.slopes[(i, j)], scores.backing[(i, j)]);
        let (q, own) = (shrinkage(votes, h, fit.start.tau2, backing), own(votes, h, fit.start.tau2, backing));
        Self { i, j, eta, votes, h, q, effect: h * own / (scores.borda.len() - 1) as f64 }
    }
}

/// A log-odds on the path of an item's score.
#[derive(Clone, Copy)]
struct Step {
    /// η̂ and κ.
    from: f64,
    by: f64,
    /// The votes that it rests on.
    votes: f64,
}

/// What moves with an item's score.
struct Path {
    /// The item's pairs, in its favour.
    own: Vec<Step>,
    /// The pairs whose votes matter.
    asked: Vec<Step>,
    /// R.
    remaining: f64,
    variance: f64,
}

impl Path {
    fn new(space: &Space<'_>, fit: &Fit, scores: &Scores, (all, fitted): (&[Pair], &Along<'_>), item: Arm) -> Self {
        let mut direction = &fit.covariance * scores.gradients.column(item);
        let mut variance = scores.covariance[(item, item)];
        // See `freed`: W, what it adds to the direction and its variance, and by how much β moves.
        let excess = match &scores.freed {
            Some(freed) => freed.excess[item],
            None if space.d == 0 => (1.0 - LEFT) * fit.precisions[item],
            None => 0.0,
        };
        let mut shift = DVector::zeros(space.dim());
        if excess > 0.0 {
            let own = space.d + item;
            let column = fit.covariance.column(own);
            let weight = excess / (1.0 - excess * column[own]);
            let load = direction[own];
            variance += weight * load * load;
            direction.axpy(weight * load, &column, 1.0);
            shift.axpy(weight * fit.start.beta[own], &column, 0.0);
        }
        let variance = variance.max(1e-12);
        let (moved, shifted) = (Along::new(space, direction.as_slice()), Along::new(space, shift.as_slice()));
        let step = |pair: &Pair| {
            let sign = f64::from(u8::from(pair.i == item)) - f64::from(u8::from(pair.j == item));
            let along = moved.of(pair.i, pair.j) + sign * pair.effect;
            let from = pair.eta + pair.q * shifted.of(pair.i, pair.j);
            Step { from, by: pair.q * along / variance, votes: pair.votes }
        };
        let mut of_item: Vec<Option<Step>> = vec![None; space.k];
        let mut remaining = 1.0 / variance;
        let mut asked = Vec::new();
        for pair in all {
            let one = step(pair);
            let known = pair.votes * pair.h * one.by * one.by;
            if known * variance > LEAST {
                remaining -= known;
                asked.push(one);
            }
            if pair.i == item {
                of_item[pair.j] = Some(one);
            } else if pair.j == item {
                of_item[pair.i] = Some(Step { from: -one.from, by: -one.by, votes: one.votes });
            }
        }
        let unasked = |b: Arm| step(&Pair::new(fit, scores, (item, b), fitted.of(item, b)));
        let others = (0..space.k).filter(|&b| b != item);
        let own = others.map(|b| of_item[b].unwrap_or_else(|| unasked(b))).collect();
        Self { own, asked, remaining: remaining.max(0.0), variance }
    }

    /// The score at a.
    fn score(&self, a: f64) -> f64 {
        self.own.iter().map(|step| chance(step.from + a * step.by)).sum::<f64>() / self.own.len() as f64
    }

    /// D(a) and its slope.
    fn deviance(&self, a: f64) -> (f64, f64) {
        let (mut sum, mut slope) = (self.remaining * a * a, 2.0 * self.remaining * a);
        for step in &self.asked {
            let (to, p) = (step.from + a * step.by, chance(step.from));
            sum += 2.0 * step.votes * (log1pexp(to) - log1pexp(step.from) - p * a * step.by);
            slope += 2.0 * step.votes * step.by * (chance(to) - p);
        }
        (sum, slope)
    }

    fn interval(&self, widening: f64, alpha: f64) -> (f64, f64) {
        let b = self.score(0.0).clamp(1e-6, 1.0 - 1e-6);
        let slope = b * (1.0 - b);
        let bound = (widening * anytime_width(self.variance / (slope * slope), 1.0, alpha)).powi(2);
        let near = (bound * self.variance).sqrt();
        let far = FAR / self.own.iter().chain(&self.asked).map(|step| step.by.abs()).fold(1e-9, f64::max);
        (self.score(-self.reach(-1.0, near, far, bound)), self.score(self.reach(1.0, near, far, bound)))
    }

    /// How far one can go to this side until D reaches the bound: D is convex, so that Newton's steps overshoot at most
    /// once.
    fn reach(&self, side: f64, near: f64, far: f64, bound: f64) -> f64 {
        if self.deviance(side * far).0 <= bound {
            return far;
        }
        let (mut low, mut high, mut a) = (0.0, far, near.min(0.5 * far));
        for _ in 0..60 {
            let (deviance, slope) = self.deviance(side * a);
            if (deviance / bound - 1.0).abs() < 1e-4 {
                break;
            }
            if deviance < bound {
                low = a;
            } else {
                high = a;
            }
            let next = a + (bound - deviance) / (side * slope);
            a = if next > low && next < high { next } else { 0.5 * (low + high) };
        }
        a
    }
}

/// log(1 + eˣ).
fn log1pexp(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}
