//! What any consistent policy pays on one instance in the long run: the constant of Graves and Lai (1997).
//!
//! A policy that has little regret on *every* θ must, on this one, rule out each θ′ under which another item is the
//! Borda winner. n_v questions along v do that when Σ n_v kl(p_v(θ), p_v(θ′)) ≥ log T, kl the divergence of two
//! Bernoulli laws, so that its regret is at least C log T for large T with
//!   C = min ⟨n, c⟩ over n ≥ 0 with Σ n_v kl(p_v(θ), p_v(θ′)) ≥ 1 for all such θ′,
//! c_v the regret of the cheapest pair with the vector v. Conditions are added one θ′ at a time: for given n, that θ′
//! of each rival which is hardest to tell from θ (a convex problem where "the rival wins" is a half-space: differences,
//! or a linear link); n is then found anew (`least`). What is left out can only make C smaller, so it is a lower bound
//! in any case.

use super::least::Least;
use crate::Link;
use crate::Tally;
use crate::borda;
use crate::duel::{Arm, Duel};
use crate::environment::Environment;
use crate::features::Features;
use crate::glm::{self, FitOptions};
use nalgebra::{DMatrix, DVector};

/// The most rounds of conditions, and by how much the last may be missed.
const ROUNDS: usize = 200;
const MISSED: f64 = 1e-3;
/// Above this many numbers in one round nothing is computed.
const MOST: usize = 1 << 20;
/// A model whose probabilities are off by no more than this is the truth.
const OFF: f64 = 1e-7;
/// The share of n that is spread over all vectors when a θ′ is looked for, so that there is one.
const SPREAD: f64 = 1e-4;

/// C of an instance; `None` where the model is not the truth, where it changes, where there are several winners, or
/// where it is too large to compute.
pub fn graves_lai(world: &dyn Environment) -> Option<f64> {
    let problem = world.problem();
    let (features, link) = (problem.features(), problem.link());
    let size = [features.items(), features.distinct(), problem.dim(), problem.dim()];
    let numbers = size.iter().try_fold(1_usize, |a, b| a.checked_mul(*b))?;
    if problem.dim() == 0 || numbers > MOST || world.next_change(1).is_some() {
        return None;
    }
    let instance = Instance::new(world, features, link)?;
    let scores = world.scores(1);
    let leader = borda::winner(&scores);
    let rivals: Vec<Arm> = (0..scores.len()).filter(|i| *i != leader).collect();
    if rivals.iter().any(|i| scores[leader] - scores[*i] < OFF) {
        return None;
    }
    let mut least = Least::new(&instance.costs);
    let mut n = vec![1.0 / instance.costs.iter().sum::<f64>(); instance.costs.len()];
    for _ in 0..ROUNDS {
        let found = rivals.iter().filter_map(|i| instance.closest(&n, leader, *i));
        let mut conditions: Vec<(f64, Vec<f64>)> = found.map(|kl| (crate::features::dot(&kl, &n), kl)).collect();
        conditions.retain(|(known, _)| *known < 1.0 - MISSED);
        conditions.sort_by(|a, b| a.0.total_cmp(&b.0));
        // Several rivals often mean the same θ′.
        conditions.dedup_by(|a, b| (a.0 - b.0).abs() < 1e-9);
        if conditions.is_empty() {
            break;
        }
        if !conditions.iter().take(2 * problem.dim()).all(|(_, kl)| least.require(kl)) {
            return None;
        }
        n = least.point();
    }
    Some(crate::features::dot(&n, &instance.costs))
}

/// The truth, vector by vector.
struct Instance<'a> {
    features: &'a Features,
    link: Link,
    vectors: DMatrix<f64>,
    probabilities: Vec<f64>,
    costs: Vec<f64>,
    /// ∇B(i) at θ′ = 0, where B(i) ≥ B(j) is a half-space of θ′.
    flat: Option<DMatrix<f64>>,
}

impl<'a> Instance<'a> {
    fn new(world: &dyn Environment, features: &'a Features, link: Link) -> Option<Self> {
        let (k, slots) = (features.items(), features.distinct());
        let scores = world.scores(1);
        let best = scores[borda::winner(&scores)];
        let mut tally = Tally::new(features);
        let mut costs = vec![f64::INFINITY; slots];
        let mut probabilities = vec![0.5; slots];
        for duel in (0..k * k).map(|cell| Duel(cell / k, cell % k)) {
            let slot = features.slot(duel);
            if slot.index < slots {
                let p = world.probability(1, duel);
                costs[slot.index] = costs[slot.index].min(2.0 * best - scores[duel.0] - scores[duel.1]);
                probabilities[slot.index] = if slot.negative { 1.0 - p } else { p };
                tally.add(features, duel, p);
            }
        }
        // Where the model is the truth, the fit to the probabilities themselves gives them back.
        let theta = glm::solve(link, features, &tally, None, &FitOptions::default().tolerance(1e-12)).theta;
        let projection = features.project(theta.as_slice());
        let fits = |cell: usize| {
            let duel = Duel(cell / k, cell % k);
            (link.mu(features.score(&projection, duel)) - world.probability(1, duel)).abs() < OFF
        };
        if !(0..k * k).all(fits) {
            return None;
        }
        let mut vectors = DMatrix::zeros(features.dim(), slots);
        (0..slots).for_each(|s| features.write_vector(s, vectors.column_mut(s).as_mut_slice()));
        let flat = (link == Link::Linear || features.is_differences())
            .then(|| borda::gradients(features, link, &vec![0.0; features.dim()]));
        Some(Self { features, link, vectors, probabilities, costs, flat })
    }

    /// B(rival) − B(leader) under θ′ (up to a factor where only its sign matters) and its gradient.
    fn lead(&self, theta: &DVector<f64>, leader: Arm, rival: Arm) -> (f64, DVector<f64>) {
        let between = |slopes: &DMatrix<f64>| (slopes.row(rival) - slopes.row(leader)).transpose();
        if let Some(slopes) = &self.flat {
            let slope = between(slopes);
            return (slope.dot(theta), slope);
        }
        let scores = borda::Borda::from_model(self.features, self.link, theta.as_slice()).over_others();
        let slopes = borda::gradients(self.features, self.link, theta.as_slice());
        (scores[rival] - scores[leader], between(&slopes))
    }

    /// kl(p_v(θ), p_v(θ′)) of all v, for that θ′ which is hardest to tell from θ by n among those under which the rival
    /// draws level. From θ′ = 0, where all are level, by Newton steps along the condition.
    fn closest(&self, n: &[f64], leader: Arm, rival: Arm) -> Option<Vec<f64>> {
        let d = self.vectors.nrows();
        let spread = SPREAD * n.iter().sum::<f64>() / n.len() as f64;
        let n: Vec<f64> = n.iter().map(|n| n + spread).collect();
        let mut theta = DVector::zeros(d);
        let (mut value, mut push) = (self.divergence(&n, &theta), 0.0);
        for _ in 0..60 {
            let (lead, slope) = self.lead(&theta, leader, rival);
            let (gradient, curvature) = self.derivatives(&n, &theta);
            let solver = curvature.cholesky()?;
            let (of_gradient, of_slope) = (solver.solve(&gradient), solver.solve(&slope));
            let multiplier = (lead - slope.dot(&of_gradient)) / slope.dot(&of_slope);
            let step = -(&of_gradient + &of_slope * multiplier);
            push = f64::max(push, 2.0 * multiplier.abs());
            let now = value + push * lead.abs();
            let mut length = 1.0;
            let (next, worth) = loop {
                let next = &theta + &step * length;
                let worth = self.divergence(&n, &next);
                let off = self.lead(&next, leader, rival).0.abs();
                if worth + push * off < now || length < 1e-8 {
                    break (next, worth);
                }
                length *= 0.5;
            };
            if length < 1e-8 || (value - worth).abs() < 1e-10 * value && lead.abs() < 1e-10 {
                break;
            }
            (theta, value) = (next, worth);
        }
        (self.lead(&theta, leader, rival).0.abs() < 1e-8).then(|| self.divergences(&theta))
    }

    fn divergences(&self, theta: &DVector<f64>) -> Vec<f64> {
        let one = |(v, p): (_, &f64)| {
            let v: nalgebra::DVectorView<f64> = v;
            divergence(*p, self.link.mu(v.dot(theta)))
        };
        self.vectors.column_iter().zip(&self.probabilities).map(one).collect()
    }

    fn divergence(&self, n: &[f64], theta: &DVector<f64>) -> f64 {
        crate::features::dot(n, &self.divergences(theta))
    }

    /// Gradient and (expected) curvature of Σ n kl(p, μ(⟨v, θ′⟩)).
    fn derivatives(&self, n: &[f64], theta: &DVector<f64>) -> (DVector<f64>, DMatrix<f64>) {
        let d = theta.len();
        let (mut gradient, mut scaled) = (DVector::zeros(d), self.vectors.clone());
        for (((v, mut out), p), n) in
            self.vectors.column_iter().zip(scaled.column_iter_mut()).zip(&self.probabilities).zip(n)
        {
            let score = v.dot(theta);
            let (mu, slope) = (self.link.mu(score), self.link.mu_prime(score));
            let variance = (mu * (1.0 - mu)).max(1e-12);
            gradient.axpy(-n * (p - mu) * slope / variance, &v, 1.0);
            // The linear link's curvature itself; the others' expectation of it.
            let curved = match self.link {
                Link::Linear => p / (mu * mu) + (1.0 - p) / ((1.0 - mu) * (1.0 - mu)),
                _ => slope * slope / variance,
            };
            out *= (n * curved).sqrt();
        }
        let curvature = &scaled * scaled.transpose() + DMatrix::identity(d, d) * 1e-12;
        (gradient, curvature)
    }
}

/// kl(p, q) of two Bernoulli laws; infinite where q excludes what p allows, or is no probability.
fn divergence(p: f64, q: f64) -> f64 {
    if !(0.0..=1.0).contains(&q) {
        return f64::INFINITY;
    }
    let part = |p: f64, q: f64| if p <= 0.0 { 0.0 } else { p * (p / q).ln() };
    (part(p, q) + part(1.0 - p, 1.0 - q)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::hard::hard;
    use crate::environment::matrix::matrix;
    use crate::stream::stream;

    #[test]
    fn two_items_cost_their_gap_over_their_divergence() {
        // One question, at the regret p − ½; the other item wins where p′ ≤ ½.
        for link in [Link::Logistic, Link::Linear, Link::Probit] {
            for p in [0.505, 0.6, 0.9] {
                let world = matrix(&[vec![0.5, p], vec![1.0 - p, 0.5]], None, link, None).unwrap();
                let c = graves_lai(&world).unwrap();
                assert!((c * divergence(p, 0.5) / (p - 0.5) - 1.0).abs() < 2e-3, "{link:?} {p}: {c}");
            }
        }
        let even = matrix(&[vec![0.5, 0.5], vec![0.5, 0.5]], None, Link::Logistic, None).unwrap();
        assert_eq!(graves_lai(&even), None);
    }

    #[test]
    fn one_bit_costs_the_best_mixture_of_two_questions() {
        // p = ¾ ± Δ of a good item against a bad one, at the regrets c; the other bit wins where p′₊ ≤ p′₋, and the θ′
        // hardest to tell apart has both at the mean q of what was answered.
        let gap = 0.1;
        let world = hard(1, Some(gap), None, &mut stream(1, &[])).unwrap();
        let (above, below) = (0.75 + gap, 0.75 - gap);
        let first = 0.25 + 0.5 * gap;
        let mixture = |share: f64| {
            let q = (1.0 - share) * above + share * below;
            let known = (1.0 - share) * divergence(above, q) + share * divergence(below, q);
            ((1.0 - share) * first + share * (first + gap)) / known
        };
        let by_hand = (1..10_000).map(|s| mixture(f64::from(s) / 10_000.0)).fold(f64::INFINITY, f64::min);
        let c = graves_lai(&world).unwrap();
        assert!((c / by_hand - 1.0).abs() < 2e-3, "{c} {by_hand}");
    }

    #[test]
    fn the_hard_case_is_known_and_no_model_has_no_constant() {
        let world = hard(6, None, None, &mut stream(1, &[])).unwrap();
        let c = graves_lai(&world).unwrap();
        assert!((c - 28.5).abs() < 0.1, "{c}");
        let rows = vec![vec![0.5, 0.9, 0.2], vec![0.1, 0.5, 0.8], vec![0.8, 0.2, 0.5]];
        assert_eq!(graves_lai(&matrix(&rows, None, Link::Logistic, None).unwrap()), None);
    }
}
