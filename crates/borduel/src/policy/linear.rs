//! What the policies with item features share: answers per pair with their ridge fit, ellipsoids, and the widest pair of items.
//!
//! All of them assume p(i,j) = μ(⟨x_i − x_j, θ⟩). Vectors are read from the problem whenever they are needed; nothing of them is kept.

use crate::borda::Borda;
use crate::duel::{Arm, Duel};
use crate::error::{Error, Result};
use crate::features::dot;
use crate::problem::Problem;
use crate::stream::Stream;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Refuses features that do not belong to items.
pub(super) fn check(problem: &Problem) -> Result<()> {
    super::settings::features(problem)?;
    if problem.features().is_differences() {
        return Ok(());
    }
    let remedy = "this policy learns from vectors of items, φ(i,j) = x_i − x_j: give the items features of their own";
    Err(Error::setting("features", "of pairs", remedy))
}

/// √(d log T), or what was set.
pub(super) fn width(name: &'static str, set: Option<f64>, problem: &Problem) -> Result<f64> {
    match set {
        Some(width) => super::settings::not_negative(name, width),
        None => Ok((problem.dim() as f64 * (super::settings::horizon(problem)? as f64).ln()).sqrt()),
    }
}

/// x_i. (A policy that was built has checked that there are vectors.)
#[inline]
pub(super) fn vector(problem: &Problem, item: Arm) -> &[f64] {
    let d = problem.dim();
    &problem.features().item_vectors().unwrap_or_default()[item * d..(item + 1) * d]
}

/// x_i − x_j.
pub(super) fn difference(problem: &Problem, Duel(i, j): Duel, out: &mut Vec<f64>) {
    out.clear();
    out.extend(vector(problem, i).iter().zip(vector(problem, j)).map(|(x, y)| x - y));
}

/// Answers per pair, and θ̂ = argmin Σ n m(⟨z,θ⟩) − s⟨z,θ⟩ + (λ/2)‖θ‖² over the pairs asked.
///
/// The fit goes on from the last one by Newton's method, with a Hessian that is kept until there are 1 % more answers or it no longer
/// helps: usually one step, which costs the number of different pairs asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Model {
    ridge: f64,
    theta: Vec<f64>,
    cells: Vec<Cell>,
    /// Where the cell of a pair is, by i·K + j for i < j.
    places: BTreeMap<u64, usize>,
    /// The weight of all answers.
    total: f64,
    /// The Cholesky factor of the Hessian, row by row, and the weight of answers when it was made.
    factor: Vec<f64>,
    factored: f64,
    #[serde(skip)]
    work: Work,
}

/// n and Σr of a pair i < j.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Cell {
    duel: Duel,
    n: f64,
    sum: f64,
}

/// Working space, which is no part of what a model is.
#[derive(Debug, Clone, Default)]
struct Work {
    utilities: Vec<f64>,
    gradient: Vec<f64>,
    z: Vec<f64>,
}

impl PartialEq for Work {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// The gradient per answer at which a fit has converged.
const TOLERANCE: f64 = 1e-8;
/// Many more steps than a fit takes.
const STEPS: usize = 100;

impl Model {
    pub(super) fn new(dim: usize, ridge: f64) -> Self {
        let (theta, factor) = (vec![0.0; dim], vec![0.0; dim * dim]);
        let (cells, places) = (Vec::new(), BTreeMap::new());
        Self { ridge, theta, cells, places, total: 0.0, factor, factored: -1.0, work: Work::default() }
    }

    /// θ̂.
    pub(super) fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// The weight of all answers.
    pub(super) fn total(&self) -> f64 {
        self.total
    }

    /// Counts an answer `weight` times and fits anew.
    pub(super) fn add(&mut self, problem: &Problem, Duel(i, j): Duel, reward: f64, weight: f64) {
        if i == j {
            return;
        }
        let (duel, reward) = if i < j { (Duel(i, j), reward) } else { (Duel(j, i), 1.0 - reward) };
        let key = duel.0 as u64 * problem.items() as u64 + duel.1 as u64;
        let place = *self.places.entry(key).or_insert(self.cells.len());
        if place == self.cells.len() {
            self.cells.push(Cell { duel, n: 0.0, sum: 0.0 });
        }
        self.cells[place].n += weight;
        self.cells[place].sum += weight * reward;
        self.total += weight;
        self.fit(problem);
    }

    fn fit(&mut self, problem: &Problem) {
        let d = self.theta.len();
        let enough = TOLERANCE * self.total.max(1.0);
        for step in 0..STEPS {
            let mut work = std::mem::take(&mut self.work);
            self.write_gradient(problem, &mut work);
            let done = work.gradient.iter().all(|x| x.abs() <= enough);
            if !done {
                // The old Hessian has two steps in which to do it.
                if self.total > 1.01 * self.factored || step >= 2 {
                    self.factorise(problem, &mut work);
                }
                solve(&self.factor, &mut work.gradient);
                // No vector is longer than 1: a step of this length changes no score by more than 1, within which the
                // Hessian says something.
                let length = dot(&work.gradient, &work.gradient).sqrt().max(1.0);
                for c in 0..d {
                    self.theta[c] -= work.gradient[c] / length;
                }
            }
            self.work = work;
            if done {
                return;
            }
        }
    }

    /// û of all items, and from them ∇ = Σ (n μ − s) z + λθ.
    fn write_gradient(&self, problem: &Problem, work: &mut Work) {
        let (d, link) = (self.theta.len(), problem.link());
        self.write_utilities(problem, &mut work.utilities);
        work.gradient.clear();
        work.gradient.extend(self.theta.iter().map(|x| self.ridge * x));
        for Cell { duel: Duel(i, j), n, sum } in &self.cells {
            let miss = n * link.mu(work.utilities[*i] - work.utilities[*j]) - sum;
            let (x, y) = (vector(problem, *i), vector(problem, *j));
            for c in 0..d {
                work.gradient[c] += miss * (x[c] - y[c]);
            }
        }
    }

    /// Makes the Hessian at θ̂, λI + Σ n μ′ zzᵀ, and its factor; the utilities are those of θ̂.
    fn factorise(&mut self, problem: &Problem, work: &mut Work) {
        let d = self.theta.len();
        self.factor.fill(0.0);
        (0..d).for_each(|c| self.factor[c * d + c] = self.ridge);
        for cell in &self.cells {
            let Duel(i, j) = cell.duel;
            let weight = cell.n * problem.link().mu_prime(work.utilities[i] - work.utilities[j]);
            difference(problem, cell.duel, &mut work.z);
            for row in 0..d {
                for column in 0..=row {
                    self.factor[row * d + column] += weight * work.z[row] * work.z[column];
                }
            }
        }
        cholesky(&mut self.factor, d);
        self.factored = self.total;
    }

    /// Makes the Hessian at θ̂ and returns its factor.
    pub(super) fn hessian(&mut self, problem: &Problem) -> &[f64] {
        let mut work = std::mem::take(&mut self.work);
        self.write_utilities(problem, &mut work.utilities);
        self.factorise(problem, &mut work);
        self.work = work;
        &self.factor
    }

    /// Σ n m(⟨z,θ⟩) − s⟨z,θ⟩ + (λ/2)‖θ‖² at any θ, whose utilities are given.
    pub(super) fn objective(&self, problem: &Problem, theta: &[f64], utilities: &[f64]) -> f64 {
        let fit: f64 = self
            .cells
            .iter()
            .map(|Cell { duel: Duel(i, j), n, sum }| {
                let score = utilities[*i] - utilities[*j];
                n * problem.link().m(score) - sum * score
            })
            .sum();
        fit + 0.5 * self.ridge * dot(theta, theta)
    }

    /// û = ⟨x, θ̂⟩ of all items.
    pub(super) fn write_utilities(&self, problem: &Problem, out: &mut Vec<f64>) {
        utilities(problem, &self.theta, out);
    }

    /// Borda scores of the fitted model.
    pub(super) fn write_scores(&self, problem: &Problem, out: &mut [f64]) {
        out.copy_from_slice(Borda::from_model(problem.features(), problem.link(), &self.theta).scores());
    }
}

/// ⟨x, θ⟩ of all items.
pub(super) fn utilities(problem: &Problem, theta: &[f64], out: &mut Vec<f64>) {
    out.clear();
    let vectors = problem.features().item_vectors().unwrap_or_default();
    out.extend(vectors.chunks_exact(theta.len().max(1)).map(|x| dot(x, theta)));
}

/// L of a symmetric positive definite matrix whose lower half is given, in its place. (With a ridge it always is one.)
fn cholesky(matrix: &mut [f64], d: usize) {
    for row in 0..d {
        for column in 0..=row {
            let (a, b) = (&matrix[row * d..row * d + column], &matrix[column * d..column * d + column]);
            let rest = matrix[row * d + column] - dot(a, b);
            matrix[row * d + column] =
                if row == column { rest.max(f64::MIN_POSITIVE).sqrt() } else { rest / matrix[column * d + column] };
        }
    }
}

/// (LLᵀ)⁻¹b in the place of b.
fn solve(factor: &[f64], b: &mut [f64]) {
    let d = b.len();
    for row in 0..d {
        let rest = b[row] - dot(&factor[row * d..row * d + row], &b[..row]);
        b[row] = rest / factor[row * d + row];
    }
    solve_transposed(factor, b);
}

/// (Lᵀ)⁻¹b in the place of b: of standard normal numbers a draw with covariance (LLᵀ)⁻¹.
pub(super) fn solve_transposed(factor: &[f64], b: &mut [f64]) {
    let d = b.len();
    for row in (0..d).rev() {
        let later: f64 = (row + 1..d).map(|r| factor[r * d + row] * b[r]).sum();
        b[row] = (b[row] - later) / factor[row * d + row];
    }
}

/// ½‖Lᵀb‖².
pub(super) fn half_square(factor: &[f64], b: &[f64]) -> f64 {
    let d = b.len();
    let entry = |column: usize| (column..d).map(|row| factor[row * d + column] * b[row]).sum::<f64>();
    0.5 * (0..d).map(|column| entry(column).powi(2)).sum::<f64>()
}

/// V⁻¹ for V = λI + Σ g zzᵀ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Inverse {
    d: usize,
    matrix: Vec<f64>,
}

impl Inverse {
    pub(super) fn new(d: usize, ridge: f64) -> Self {
        let mut matrix = vec![0.0; d * d];
        (0..d).for_each(|c| matrix[c * d + c] = 1.0 / ridge);
        Self { d, matrix }
    }

    fn apply(&self, z: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.extend(self.matrix.chunks_exact(self.d).map(|row| dot(row, z)));
    }

    /// Adds g zzᵀ to V (takes it off, for a negative g): V⁻¹ − V⁻¹z(V⁻¹z)ᵀ/(1/g + ‖z‖²).
    pub(super) fn add(&mut self, problem: &Problem, duel: Duel, g: f64) {
        if duel.0 == duel.1 {
            return;
        }
        let (mut z, mut image) = (Vec::with_capacity(self.d), Vec::with_capacity(self.d));
        difference(problem, duel, &mut z);
        self.apply(&z, &mut image);
        let scale = g / (1.0 + g * dot(&z, &image));
        for row in 0..self.d {
            for column in 0..self.d {
                self.matrix[row * self.d + column] -= scale * image[row] * image[column];
            }
        }
    }
}

/// Norms of all differences of items in one ellipsoid, made ready for many looks. Working space: nothing of it is saved.
#[derive(Debug, Clone, Default)]
pub(super) struct Norms {
    /// V⁻¹x_i, row by row, and x_iᵀV⁻¹x_i.
    images: Vec<f64>,
    squares: Vec<f64>,
    /// The mean of all x, and its own square.
    mean: Vec<f64>,
    mean_square: f64,
    row: Vec<f64>,
    heads: Vec<(f64, Arm)>,
    widest: Vec<Duel>,
}

/// Values that differ by less than this share are taken for ties: exact ones are hidden by rounding.
const TIE: f64 = 1e-9;

impl Norms {
    /// Makes everything ready for this V⁻¹.
    pub(super) fn prepare(&mut self, problem: &Problem, inverse: &Inverse) {
        self.images.clear();
        self.squares.clear();
        for item in 0..problem.items() {
            let x = vector(problem, item);
            inverse.apply(x, &mut self.row);
            self.squares.push(dot(x, &self.row));
            self.images.extend_from_slice(&self.row);
        }
    }

    /// The same, and the mean of all items.
    pub(super) fn prepare_with_mean(&mut self, problem: &Problem, inverse: &Inverse) {
        self.prepare(problem, inverse);
        let share = 1.0 / problem.items() as f64;
        self.mean.clear();
        self.mean.resize(problem.dim(), 0.0);
        for item in 0..problem.items() {
            self.mean.iter_mut().zip(vector(problem, item)).for_each(|(mean, x)| *mean += share * x);
        }
        inverse.apply(&self.mean, &mut self.row);
        self.mean_square = dot(&self.mean, &self.row);
    }

    /// ‖x_i − x̄‖ with the mean of all items; after [`prepare_with_mean`](Self::prepare_with_mean).
    pub(super) fn off_mean(&self, i: Arm) -> f64 {
        let d = self.mean.len();
        let product = dot(&self.mean, &self.images[i * d..(i + 1) * d]);
        (self.squares[i] + self.mean_square - 2.0 * product).max(0.0).sqrt()
    }

    /// ‖x_i − x_j‖.
    #[inline]
    pub(super) fn of(&self, problem: &Problem, i: Arm, j: Arm) -> f64 {
        let x = vector(problem, i);
        let product = dot(x, &self.images[j * x.len()..(j + 1) * x.len()]);
        (self.squares[i] + self.squares[j] - 2.0 * product).max(0.0).sqrt()
    }

    /// argmax of value(i) + value(j) + β‖x_i − x_j‖ over pairs of `members`, with i = j if `same`; ties at random.
    ///
    /// Not all pairs are looked at: with ρ_i = ‖x_i − x_c‖ for any one c, no pair exceeds h_i + h_j, h_i = value(i) + βρ_i. Taken in the order of
    /// h, a scan ends where that sum falls below the best value found.
    pub(super) fn widest(
        &mut self,
        problem: &Problem,
        members: &[Arm],
        value: impl Fn(Arm) -> f64,
        beta: f64,
        same: bool,
        stream: &mut Stream,
    ) -> (Duel, f64) {
        let mut heads = std::mem::take(&mut self.heads);
        let mut widest = std::mem::take(&mut self.widest);
        let centre = members.iter().copied().max_by(|a, b| value(*a).total_cmp(&value(*b)).then(b.cmp(a))).unwrap_or(0);
        heads.clear();
        heads.extend(members.iter().map(|&i| (value(i) + beta * self.of(problem, i, centre), i)));
        heads.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut best = f64::NEG_INFINITY;
        widest.clear();
        let mut offer = |duel: Duel, value: f64| {
            let slack = TIE * value.abs();
            if value > best + slack {
                widest.clear();
                best = value;
            }
            if value >= best - slack {
                widest.push(duel);
            }
            best
        };
        let mut bar = f64::NEG_INFINITY;
        if same {
            bar = offer(Duel(centre, centre), 2.0 * value(centre));
        }
        for (place, &(head, i)) in heads.iter().enumerate() {
            for &(other, j) in &heads[place + 1..] {
                // Below the bar by more than what counts as a tie.
                if head + other < bar - 2.0 * TIE * bar.abs() {
                    break;
                }
                let (i, j) = if i < j { (i, j) } else { (j, i) };
                bar = offer(Duel(i, j), value(i) + value(j) + beta * self.of(problem, i, j));
            }
        }
        let duel = match widest.len() {
            0 => Duel(centre, centre),
            1 => widest[0],
            n => widest[stream.below(n)],
        };
        (self.heads, self.widest) = (heads, widest);
        (duel, bar)
    }
}

#[cfg(test)]
mod tests;
