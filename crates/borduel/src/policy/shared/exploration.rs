//! Questions from which every item's Borda score is estimated without bias, whatever is asked in between: what `ftrl-*`
//! and `track-*` share.
//!
//! In a round that explores with probability γ a pair is drawn, and its answer y = r − ½ moves the sums S of estimates
//! of b(i) = B(i) − ½:
//!
//! * *without features:* an ordered pair i ≠ j, uniformly; S(i) += (K−1)y/(2γ), S(j) −= the same. E step(i) = b(i), and
//!   E(step(i) − step(k))² = (K−1)/(4γ) exactly where r ∈ {0, 1}, for every i ≠ k.
//! * *with features* (p = ½ + ⟨φ, θ⟩): a vector φ_p of a design π with V = Σ π φφᵀ, and of the pairs that carry it any;
//!   S(i) += ⟨φ̄(i), V⁻¹φ_p⟩ y/γ with φ̄(i) = (1/K) Σ_j φ(i,j). E step(i) = ⟨φ̄(i), θ⟩ = b(i), and E(step(i) −
//!   step(k))² ≤ ζ/γ.
//! * *in contexts of every round*, of which c comes up with the share w_c whatever was asked before: a vector of π_c, V
//!   = Σ_c w_c Σ π_c φφᵀ, and S_c(i) += ⟨φ̄(c; i), V⁻¹φ_p⟩ y/γ in *all* contexts. E step_c(i) = b_c(i), each with a ζ_c
//!   of its own. The sums of all contexts stand one after the other.
//!
//! ζ bounds γ E(step(i) − step(k))² and u bounds γ |step(i) − step(k)|: (K−1)/4 and (K−1)/2 without features; with them
//! ¼ max_{i,k} ‖φ̄(i) − φ̄(k)‖²_{V⁻¹} and ½ max_p (max_i − min_i) ⟨φ̄(i), V⁻¹φ_p⟩.

use crate::duel::Duel;
use crate::features::{Features, add_scaled, dot};
pub(in crate::policy) use crate::policy::shared::laws::Drawn;
use crate::policy::shared::laws::{Laws, members};
use crate::problem::Problem;
use crate::stream::Stream;
use crate::{Error, Result};
use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How close to optimal the design is, as max ‖φ‖²_{V⁻¹}/d − 1.
const TOLERANCE: f64 = 0.01;
/// Up to this many numbers (8 MB) ⟨φ̄(i), V⁻¹φ_p⟩ is kept for all items and vectors.
const MOST_KEPT: usize = 1 << 20;
/// Up to this many items all pairs of φ̄ are looked at for ζ; beyond, ζ is that of a ball around their mean, which is
/// no smaller.
const MOST_PAIRED: usize = 4096;
/// Where all items have one and the same φ̄ nothing can be learned; ζ and u are kept away from 0, by which is divided.
const LEAST: f64 = 1e-9;

/// Which pairs are asked, and what their answers say.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::policy) struct Exploration {
    items: usize,
    /// ζ, in the mean over contexts, and u.
    pub(in crate::policy) zeta: f64,
    pub(in crate::policy) reach: f64,
    /// The vectors asked about and their weights; none without features.
    design: Option<Designed>,
    /// w_c and ζ_c of every context, where there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    contexts: Vec<(f64, f64)>,
}

/// A design, and what follows from it and the features.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Designed {
    #[serde(flatten)]
    laws: Laws,
    /// V⁻¹φ_p, one after the other.
    solved: Vec<f64>,
    /// A loaded state lacks it.
    #[serde(skip)]
    geometry: Option<Arc<Geometry>>,
}

/// What is computed once from a design and the features.
#[derive(Debug)]
struct Geometry {
    /// φ̄ of all items of all contexts, row by row; V⁻¹φ_p, one after the other.
    means: Vec<f64>,
    solved: Vec<f64>,
    /// ⟨φ̄(i), V⁻¹φ_p⟩ of all these items, one p after the other, where that is not too much.
    steps: Option<Vec<f64>>,
}

impl Exploration {
    /// An exploration of pairs, without features.
    pub(in crate::policy) fn of_pairs(problem: &Problem) -> Self {
        let others = problem.items() as f64 - 1.0;
        let items = problem.items();
        Self { items, zeta: 0.25 * others, reach: 0.5 * others, design: None, contexts: Vec::new() }
    }

    /// By the G-optimal design of the features.
    pub(in crate::policy) fn of_features(problem: &Problem) -> Result<Self> {
        Self::by(Laws::g_optimal(problem, TOLERANCE)?.0, problem)
    }

    /// By the design that makes ζ as small as it can be.
    pub(in crate::policy) fn for_scores(problem: &Problem) -> Result<Self> {
        Self::by(Laws::for_scores(problem, TOLERANCE)?, problem)
    }

    fn by(laws: Laws, problem: &Problem) -> Result<Self> {
        let (features, shares) = members(problem);
        let own = |(member, features): (usize, &Features)| {
            let share = shares[member];
            features.information(laws.of_member(member).map(|(slot, weight)| (slot, share * weight)))
        };
        let (items, d) = (problem.items(), problem.dim());
        let v = features.iter().enumerate().map(own).reduce(|sum, own| sum + own);
        let factor = v.and_then(DMatrix::cholesky);
        let factor = factor.ok_or_else(|| Error::Data("the features are too nearly dependent".to_owned()))?;
        let solved = features.iter().enumerate().flat_map(|(member, features)| {
            let vectors = laws.of_member(member).map(|(slot, _)| DVector::from_vec(features.vector(slot)));
            vectors.flat_map(|vector| factor.solve(&vector).as_slice().to_vec()).collect::<Vec<f64>>()
        });
        let solved: Vec<f64> = solved.collect();
        let geometry = Geometry::new(features, &solved);
        let mut means = DMatrix::from_column_slice(d, items * features.len(), &geometry.means);
        // ‖x‖²_{V⁻¹} = ‖L⁻¹x‖², V = LLᵀ.
        factor.l_dirty().solve_lower_triangular_mut(&mut means);
        let zetas = means.as_slice().chunks_exact(items * d).map(|own| (0.25 * widest(own, d)).max(LEAST));
        let contexts: Vec<(f64, f64)> = shares.iter().copied().zip(zetas).collect();
        let zeta = contexts.iter().map(|(share, zeta)| share * zeta).sum();
        let mut steps = vec![0.0; items * features.len()];
        let spread = |vector| {
            steps.fill(0.0);
            geometry.add(vector, 1.0, &mut steps);
            let in_context = |own: &[f64]| {
                let (low, high) = own.iter().fold((0.0_f64, 0.0_f64), |(low, high), x| (low.min(*x), high.max(*x)));
                high - low
            };
            steps.chunks_exact(items).map(in_context).fold(0.0, f64::max)
        };
        let reach = 0.5 * (0..laws.len()).map(spread).fold(0.0, f64::max);
        let design = Designed { laws, solved, geometry: Some(Arc::new(geometry)) };
        let contexts = if contexts.len() > 1 { contexts } else { Vec::new() };
        Ok(Self { items, zeta, reach: reach.max(LEAST), design: Some(design), contexts })
    }

    /// w_c and ζ_c of every context.
    pub(in crate::policy) fn contexts(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let one = self.contexts.is_empty().then_some((1.0, self.zeta));
        self.contexts.iter().copied().chain(one)
    }

    /// A pair to ask about.
    pub(in crate::policy) fn draw(&mut self, problem: &Problem, stream: &mut Stream) -> Drawn {
        let Some(design) = &mut self.design else {
            let (i, j) = (stream.below(self.items), stream.below(self.items - 1));
            let k = self.items as f64;
            return Drawn { duel: Duel(i, j + usize::from(j >= i)), vector: 0, chance: 1.0 / (k * (k - 1.0)) };
        };
        design.laws.draw(problem, stream)
    }

    /// How likely a pair is among those that explore.
    pub(in crate::policy) fn chance(&mut self, problem: &Problem, duel: Duel) -> f64 {
        let Some(design) = &mut self.design else {
            let k = self.items as f64;
            return if duel.0 == duel.1 { 0.0 } else { 1.0 / (k * (k - 1.0)) };
        };
        design.laws.chance(problem, duel)
    }

    /// Whether an answer moves the estimates of its two items alone.
    pub(in crate::policy) fn is_of_pairs(&self) -> bool {
        self.design.is_none()
    }

    /// Adds the step of an answer y/γ to sums of steps.
    pub(in crate::policy) fn learn(
        &mut self,
        problem: &Problem,
        duel: Duel,
        vector: u64,
        signal: f64,
        sums: &mut [f64],
    ) {
        match &mut self.design {
            None => {
                let step = 0.5 * (self.items as f64 - 1.0) * signal;
                sums[duel.0] += step;
                sums[duel.1] -= step;
            }
            Some(design) => {
                // Another policy's ticket may name a vector that is not there; where no pair says anything none is.
                if vector < design.laws.len() as u64 {
                    design.geometry(problem).add(vector as usize, signal, sums);
                }
            }
        }
    }
}

impl Designed {
    /// What follows from the features.
    fn geometry(&mut self, problem: &Problem) -> &Geometry {
        let known = self.geometry.take().unwrap_or_else(|| Arc::new(Geometry::new(members(problem).0, &self.solved)));
        self.geometry.insert(known)
    }
}

impl Geometry {
    fn new(features: &[Features], solved: &[f64]) -> Self {
        let d = features.first().map_or(1, Features::dim);
        let means: Vec<f64> = features.iter().flat_map(Features::means).collect();
        let kept = (means.len() / d).saturating_mul(solved.len() / d) <= MOST_KEPT;
        let all = || solved.chunks_exact(d).flat_map(|v| means.chunks_exact(d).map(|mean| dot(mean, v))).collect();
        let steps = kept.then(all);
        Self { means, solved: solved.to_vec(), steps }
    }

    /// Adds so much of ⟨φ̄(i), V⁻¹φ_p⟩ to the number of every item.
    fn add(&self, vector: usize, signal: f64, sums: &mut [f64]) {
        if let Some(steps) = &self.steps {
            return add_scaled(sums, signal, &steps[vector * sums.len()..(vector + 1) * sums.len()]);
        }
        let d = self.means.len() / sums.len();
        let solved = &self.solved[vector * d..(vector + 1) * d];
        sums.iter_mut().zip(self.means.chunks_exact(d)).for_each(|(sum, mean)| *sum += signal * dot(mean, solved));
    }
}

/// The largest squared distance of two rows; of very many, the square of twice the largest distance from their mean.
fn widest(rows: &[f64], d: usize) -> f64 {
    let count = rows.len() / d;
    let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
    if count > MOST_PAIRED {
        let mut mean = vec![0.0; d];
        rows.chunks_exact(d).for_each(|row| add_scaled(&mut mean, 1.0 / count as f64, row));
        return 4.0 * rows.chunks_exact(d).map(|row| apart(row, &mean)).fold(0.0, f64::max);
    }
    let from = |(i, a): (usize, &[f64])| rows[i * d..].chunks_exact(d).map(|b| apart(a, b)).fold(0.0, f64::max);
    rows.chunks_exact(d).enumerate().map(from).fold(0.0, f64::max)
}

/// How many rounds pass up to the first that comes true with probability `chance`, with it: the geometric law, by
/// inversion of one draw.
pub(in crate::policy) fn rounds_to(chance: f64, stream: &mut Stream) -> u64 {
    let u = stream.uniform();
    if chance >= 1.0 {
        return 1;
    }
    // `as` saturates.
    ((-u).ln_1p() / (-chance).ln_1p()) as u64 + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Link;
    use crate::environment::fixed::Fixed;
    use crate::environment::glm::{Shape, glm, random_features};
    use crate::environment::hard::{self, hard};
    use crate::environment::matrix::matrix;
    use crate::environment::{ContextLaw, Environment};
    use crate::stream::stream;

    /// E step and E(step(i) − step(k))² over all questions and answers, at this γ.
    fn moments(exploration: &mut Exploration, world: &dyn Environment, gamma: f64) -> (Vec<f64>, Vec<Vec<f64>>) {
        let (problem, k) = (world.problem(), world.problem().items());
        let (mut mean, mut square, mut all) = (vec![0.0; k], vec![vec![0.0; k]; k], 0.0);
        for duel in (0..k * k).map(|cell| Duel(cell / k, cell % k)) {
            let chance = exploration.chance(problem, duel);
            let slot = problem.features().slot(duel).index;
            let design = exploration.design.as_ref();
            let vector = design.and_then(|d| d.laws.of_member(0).position(|(own, _)| own == slot)).unwrap_or(0);
            all += chance;
            for (y, p) in [(0.5, world.probability(1, duel)), (-0.5, 1.0 - world.probability(1, duel))] {
                let mut step = vec![0.0; k];
                exploration.learn(problem, duel, vector as u64, y / gamma, &mut step);
                let weight = gamma * chance * p;
                for i in 0..k {
                    mean[i] += weight * step[i];
                    (0..k).for_each(|j| square[i][j] += weight * (step[i] - step[j]) * (step[i] - step[j]));
                }
            }
        }
        assert!((all - 1.0).abs() < 1e-12, "{all}");
        (mean, square)
    }

    #[test]
    fn steps_are_unbiased_and_as_large_as_is_said() {
        let mut s = stream(4, &[]);
        let mut rows = vec![vec![0.5; 5]; 5];
        for (i, j) in (0..5).flat_map(|i| (i + 1..5).map(move |j| (i, j))) {
            rows[i][j] = s.uniform();
            rows[j][i] = 1.0 - rows[i][j];
        }
        let any = matrix(&rows, None, Link::Logistic, None).unwrap();
        for gamma in [1.0, 0.3] {
            let (mean, square) = moments(&mut Exploration::of_pairs(any.problem()), &any, gamma);
            for (i, score) in any.scores(1).iter().enumerate() {
                assert!((mean[i] - (score - 0.5)).abs() < 1e-12);
                (0..5).filter(|k| *k != i).for_each(|k| assert!((square[i][k] - 1.0 / gamma).abs() < 1e-12));
            }
        }
        let pairs = random_features(6, 3, Shape::Pairs, &mut s).unwrap();
        let differences = random_features(7, 2, Shape::Differences, &mut s).unwrap();
        let mut worlds = vec![hard(2, None, None, &mut s).unwrap()];
        worlds.extend([pairs, differences].map(|f| glm(f, Link::Linear, None, Some(0.3), None, &mut s).unwrap()));
        for world in &worlds {
            let mut exploration = Exploration::of_features(world.problem()).unwrap();
            let (zeta, reach) = (exploration.zeta, exploration.reach);
            let (mean, square) = moments(&mut exploration, world, 0.2);
            for (i, score) in world.scores(1).iter().enumerate() {
                assert!((mean[i] - (score - 0.5)).abs() < 1e-9, "{i}: {} {score}", mean[i]);
            }
            let most = square.iter().flatten().copied().fold(0.0, f64::max);
            assert!((most * 0.2 / zeta - 1.0).abs() < 1e-9, "{most} {zeta}");
            assert!(zeta <= problem_dim(world) && reach > 0.0);
        }
    }

    /// Over all contexts, questions and answers: E step_c = b_c in every context, whichever the question came from.
    #[test]
    fn steps_are_unbiased_in_every_context() {
        let mut s = stream(6, &[]);
        let shares = [0.5, 0.3, 0.2];
        let hard = hard::in_contexts(3, 2, None, Some(&shares), None, &mut s).unwrap();
        // In the first context items are all alike, and no pair says anything.
        let mut rows: Vec<Vec<f64>> = (0..3).map(|_| (0..8).map(|_| 0.3 * s.uniform()).collect()).collect();
        rows[0].fill(0.1);
        let member = |features| Fixed::from_model(Problem::new(features, Link::Linear, None).unwrap(), &[0.7, -0.4]);
        let members = Features::family(4, 2, &rows).unwrap().into_iter().map(|own| member(own).unwrap()).collect();
        for law in [hard, ContextLaw::finite(members, Some(&shares)).unwrap()] {
            for build in [Exploration::of_features, Exploration::for_scores] {
                let mut exploration = build(law.problem()).unwrap();
                let (k, gamma) = (law.problem().items(), 0.3);
                let (mut mean, mut square) = (vec![0.0; 3 * k], vec![0.0; 3 * k * k]);
                for (c, (member, share)) in law.members().iter().zip(shares).enumerate() {
                    let (problem, mut all) = (member.problem(), 0.0);
                    let own: Vec<usize> =
                        exploration.design.as_ref().unwrap().laws.of_member(c).map(|(slot, _)| slot).collect();
                    let first: usize =
                        (0..c).map(|c| exploration.design.as_ref().unwrap().laws.of_member(c).count()).sum();
                    for duel in (0..k * k).map(|cell| Duel(cell / k, cell % k)) {
                        let chance = exploration.chance(problem, duel);
                        all += chance;
                        let slot = problem.features().slot(duel).index;
                        let vector = own.iter().position(|known| *known == slot).map_or(1 << 40, |place| first + place);
                        for (y, p) in [(0.5, member.probability(1, duel)), (-0.5, 1.0 - member.probability(1, duel))] {
                            let mut step = vec![0.0; 3 * k];
                            // An answer is told with the problem of the run, whichever context it came from.
                            exploration.learn(law.problem(), duel, vector as u64, y / gamma, &mut step);
                            let weight = gamma * share * chance * p;
                            mean.iter_mut().zip(&step).for_each(|(mean, step)| *mean += weight * step);
                            for (place, square) in square.iter_mut().enumerate() {
                                let (c, i, j) = (place / (k * k), place / k % k, place % k);
                                *square += weight * (step[c * k + i] - step[c * k + j]).powi(2);
                            }
                        }
                    }
                    assert!((all - 1.0).abs() < 1e-12, "{all}");
                }
                for (c, (member, (share, zeta))) in law.members().iter().zip(exploration.contexts()).enumerate() {
                    assert_eq!(share, shares[c]);
                    for (own, score) in mean[c * k..].iter().zip(member.scores(1)) {
                        assert!((own - (score - 0.5)).abs() < 1e-9, "{c}: {own} {score}");
                    }
                    let most = square[c * k * k..(c + 1) * k * k].iter().copied().fold(0.0, f64::max);
                    assert!((most * gamma - zeta).abs() <= 1e-9, "{c}: {most} {zeta}");
                }
            }
        }
    }

    fn problem_dim(world: &dyn Environment) -> f64 {
        1.02 * world.problem().dim() as f64
    }

    #[test]
    fn the_hard_case_has_the_constants_that_are_known() {
        let world = hard(6, None, None, &mut stream(1, &[])).unwrap();
        let exploration = Exploration::of_features(world.problem()).unwrap();
        assert!((exploration.zeta - 1.5).abs() < 0.02 && (exploration.reach - 3.0).abs() < 0.1, "{exploration:?}");
        let plain = Exploration::of_pairs(world.problem());
        assert_eq!((plain.zeta, plain.reach), (31.75, 63.5));
    }

    #[test]
    fn what_is_not_kept_is_computed_alike() {
        let features = random_features(30, 4, Shape::Pairs, &mut stream(7, &[])).unwrap();
        let problem = Problem::new(features, Link::Linear, None).unwrap();
        let design = Exploration::of_features(&problem).unwrap().design.unwrap();
        let new = || Geometry::new(std::slice::from_ref(problem.features()), &design.solved);
        let (kept, computed) = (new(), Geometry { steps: None, ..new() });
        let (mut a, mut b) = (vec![1.0; 30], vec![1.0; 30]);
        kept.add(1, 0.7, &mut a);
        computed.add(1, 0.7, &mut b);
        assert_eq!(a, b);
    }

    #[test]
    fn rounds_are_geometric() {
        let mut s = stream(8, &[]);
        for chance in [0.9, 0.3, 0.01] {
            let drawn: Vec<f64> = (0..40_000).map(|_| rounds_to(chance, &mut s) as f64).collect();
            let mean = drawn.iter().sum::<f64>() / 4e4;
            let at_once = drawn.iter().filter(|n| **n == 1.0).count() as f64 / 4e4;
            let error = (1.0 - chance).sqrt() / chance / 200.0;
            assert!((mean - 1.0 / chance).abs() < 4.0 * error, "{chance}: {mean}");
            assert!((at_once - chance).abs() < 4.0 * (chance * (1.0 - chance)).sqrt() / 200.0);
        }
        assert_eq!(rounds_to(1.0, &mut s), 1);
    }
}
