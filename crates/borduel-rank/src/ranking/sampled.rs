//! What H⁻¹ would tell about very many items, from draws: a solution of a sparse system each, and nothing of size K².
//!
//! With independent signs ε = ±1, y = H⁻¹ Σ √w ε φ has the covariance H⁻¹, so that φᵀH⁻¹φ is the mean of ⟨φ, y⟩²; with
//! the scatter J = Q Qᵀ of the votes, y = H⁻¹ Q ε has that of the estimates. M draws tell a variance to within a part
//! √(2/M); since most of an item's error comes from its own votes, whose part (Qε)_i/H_ii has a variance that is known,
//! only the difference from that is left to the draws. What remains is allowed for by M degrees of freedom at most.

use super::rows::Regression;
use super::scatter::Residuals;
use super::spread::Spread;
use super::strengths;
use super::sums::Sums;
use super::system::{Graph, Preconditioner, System};
use crate::parallel;
use crate::stop;
use crate::stream::{Stream, stream};

/// The first steps of the paths of the signs.
const FORMS: u64 = 0xf0e5;
const ERRORS: u64 = 0xe4a5;
/// Draws for the quadratic forms, within bounds, and for the errors: as many as leave this many numbers to be looked
/// at, so that time and memory grow with items and votes no faster than these do.
const FORM_DRAWS: (usize, usize) = (32, 128);
const NUMBERS: f64 = 8e6;
const ERROR_DRAWS: (usize, usize) = (64, 400);
/// Systems solved together, and blocks of them at a time; never as many as there are threads, which must not change a
/// digit.
pub(crate) const WIDE: usize = 8;
const BLOCKS: usize = 4;
/// How well a system is solved: far better than draws tell.
const CLOSE: f64 = 1e-3;

/// Random signs, 64 from a number.
pub(crate) struct Signs {
    stream: Stream,
    bits: u64,
    left: u32,
}

impl Signs {
    fn new(seed: u64, path: u64, draw: usize) -> Self {
        Self { stream: stream(seed, &[path, draw as u64]), bits: 0, left: 0 }
    }

    fn next(&mut self) -> f64 {
        if self.left == 0 {
            self.bits = self.stream.bits();
            self.left = 64;
        }
        let sign = if self.bits & 1 == 0 { 1.0 } else { -1.0 };
        self.bits >>= 1;
        self.left -= 1;
        sign
    }
}

/// The signs of the draws of a block.
fn signs(seed: u64, path: u64, block: usize) -> [Signs; WIDE] {
    std::array::from_fn(|c| Signs::new(seed, path, block * WIDE + c))
}

/// out ← out + x φ of a row, in every draw.
fn add(votes: &Regression<'_>, row: usize, x: &[f64; WIDE], out: &mut [[f64; WIDE]]) {
    let (i, j) = (votes.rows[row].i, votes.rows[row].j);
    (0..WIDE).for_each(|c| out[i][c] += x[c]);
    (0..WIDE).for_each(|c| out[j][c] -= x[c]);
    for (z, out) in votes.z(row).iter().zip(&mut out[votes.items..]) {
        (0..WIDE).for_each(|c| out[c] += z * x[c]);
    }
}

/// φᵀH⁻¹φ of every row, each between what it would be if all other items were one, and 1/w.
pub(super) fn forms(system: &System<'_>, by: &Preconditioner, seed: u64) -> Vec<f64> {
    let votes = &system.votes;
    let graph = Graph::new(*system);
    let block = |block: usize| {
        let mut signs = signs(seed, FORMS, block);
        let y = graph.solve(by, Independent(system.weights).draw(votes, &mut signs), CLOSE);
        let square = |row: usize| {
            let (i, j) = (votes.rows[row].i, votes.rows[row].j);
            let mut along: [f64; WIDE] = std::array::from_fn(|c| y[i][c] - y[j][c]);
            for (z, y) in votes.z(row).iter().zip(&y[votes.items..]) {
                (0..WIDE).for_each(|c| along[c] += z * y[c]);
            }
            along.iter().map(|x| x * x).sum::<f64>()
        };
        (0..votes.rows.len()).map(square).collect::<Vec<f64>>()
    };
    let mut sums = vec![0.0; votes.rows.len()];
    let draws = within(votes.items, FORM_DRAWS);
    in_waves(draws / WIDE, block, |_, part: Vec<f64>| {
        sums.iter_mut().zip(part).for_each(|(sum, x)| *sum += x);
    });
    let around = Independent(system.weights).by_item(votes);
    let bounded = |(row, sum): (usize, f64)| {
        let w = system.weights[row];
        let [a, b] = [votes.rows[row].i, votes.rows[row].j].map(|item| (around[item] - w).max(0.0));
        let shorted = if a > 0.0 && b > 0.0 { a * b / (a + b) } else { 0.0 };
        (sum / draws as f64).clamp(1.0 / (w + shorted), 1.0 / w)
    };
    sums.into_iter().enumerate().map(bounded).collect()
}

/// Computes blocks, some at a time, and takes them in their order.
fn in_waves<T: Send>(blocks: usize, one: impl Fn(usize) -> T + Sync, mut take: impl FnMut(usize, T)) {
    for first in (0..blocks).step_by(BLOCKS) {
        stop::check();
        let wave: Vec<T> = parallel::map(BLOCKS.min(blocks - first), |at| one(first + at));
        wave.into_iter().enumerate().for_each(|(at, part)| take(first + at, part));
    }
}

/// How many draws tell the errors of so many items.
pub(crate) fn draws_for(items: usize) -> usize {
    within(items, ERROR_DRAWS)
}

fn within(items: usize, (least, most): (usize, usize)) -> usize {
    ((NUMBERS / items as f64) as usize).clamp(least, most).next_multiple_of(WIDE)
}

/// What draws say about the errors.
pub(crate) struct Errors {
    /// Of the scores, with their dependence.
    pub(crate) spread: Spread,
    /// The standard errors of the parameters.
    pub(crate) parameters: Vec<f64>,
}

/// Where draws of the scatter come from.
pub(crate) trait Noise: Sync {
    /// Q ε for the draws of a block, a column a draw.
    fn draw(&self, votes: &Regression<'_>, signs: &mut [Signs; WIDE]) -> Vec<[f64; WIDE]>;
    /// J_ii of every item.
    fn by_item(&self, votes: &Regression<'_>) -> Vec<f64>;
}

/// J = Σ variance φφᵀ: every row is independent of all others.
pub(crate) struct Independent<'a>(pub(crate) &'a [f64]);

impl Noise for Independent<'_> {
    fn draw(&self, votes: &Regression<'_>, signs: &mut [Signs; WIDE]) -> Vec<[f64; WIDE]> {
        let mut b = vec![[0.0; WIDE]; votes.parameters()];
        for (row, variance) in self.0.iter().enumerate() {
            let root = variance.sqrt();
            add(votes, row, &std::array::from_fn(|c| root * signs[c].next()), &mut b);
        }
        b
    }

    fn by_item(&self, votes: &Regression<'_>) -> Vec<f64> {
        let mut sums = vec![0.0; votes.items];
        for (row, variance) in votes.rows.iter().zip(self.0) {
            sums[row.i] += variance;
            sums[row.j] += variance;
        }
        sums
    }
}

/// J of votes, by voter where voters are known.
pub(crate) struct OfVotes<'a> {
    pub(crate) sums: &'a Sums,
    pub(crate) residuals: &'a Residuals,
    /// What is independent of all else: see [`Residuals::independent`].
    pub(crate) independent: Vec<f64>,
}

impl Noise for OfVotes<'_> {
    fn draw(&self, votes: &Regression<'_>, signs: &mut [Signs; WIDE]) -> Vec<[f64; WIDE]> {
        let mut b = Independent(&self.independent).draw(votes, signs);
        for voter in self.residuals.voters(self.sums) {
            let root = voter.copies.sqrt();
            let sign: [f64; WIDE] = std::array::from_fn(|c| signs[c].next() / root);
            for at in voter.parts.clone() {
                let x = self.residuals.part(self.sums, at);
                add(votes, self.sums.parts[at].pair, &sign.map(|sign| sign * x), &mut b);
            }
        }
        b
    }

    fn by_item(&self, votes: &Regression<'_>) -> Vec<f64> {
        let independent = Independent(&self.independent).by_item(votes);
        self.residuals.by_item(self.sums).iter().zip(independent).map(|(voters, own)| voters + own).collect()
    }
}

/// The errors of strengths, covariates' effects and scores, from so many draws (see [`draws_for`]).
pub(crate) fn errors(
    system: &System<'_>,
    by: &Preconditioner,
    noise: &impl Noise,
    strengths: &[f64],
    (seed, draws): (u64, usize),
) -> Errors {
    let votes = &system.votes;
    let (k, n) = (votes.items, votes.parameters());
    let graph = Graph::new(*system);
    let slopes = strengths::slopes(system.votes.points, strengths);
    // H_ii, J_ii and G_ii: what an item's own votes do to its strength and its score.
    let around = Independent(system.weights).by_item(votes);
    let scatter = noise.by_item(votes);
    let own: Vec<f64> = slopes.iter().map(|slope| (slope - 0.25) / (k - 1) as f64).collect();
    let mut rows = nalgebra::DMatrix::zeros(draws, k);
    // Sums of squares: of a parameter, of the local part of a strength, of a score.
    let (mut all, mut local, mut scored) = (vec![0.0; n], vec![0.0; k], vec![0.0; k]);
    let block = |number: usize| {
        let b = noise.draw(votes, &mut signs(seed, ERRORS, number));
        let near: Vec<f64> = (0..k).map(|i| b[i].iter().map(|x| (x / around[i]).powi(2)).sum()).collect();
        let y = graph.solve(by, b, CLOSE);
        let scores = strengths::gradient_by(system.votes.points, (strengths, &slopes), y[..k].as_flattened(), WIDE);
        let squares: Vec<f64> = centred(&y, k).iter().map(|y| y.iter().map(|x| x * x).sum()).collect();
        (near, squares, scores)
    };
    in_waves(draws / WIDE, block, |number, (near, squares, scores): (Vec<f64>, Vec<f64>, Vec<f64>)| {
        local.iter_mut().zip(near).for_each(|(sum, x)| *sum += x);
        all.iter_mut().zip(squares).for_each(|(sum, x)| *sum += x);
        for (i, score) in scores.chunks_exact(WIDE).enumerate() {
            scored[i] += score.iter().map(|x| x * x).sum::<f64>();
            rows.view_mut((number * WIDE, i), (WIDE, 1)).copy_from_slice(score);
        }
    });
    // What the draws have too much or too little of the part that is known is taken off, but never more than half.
    let m = draws as f64;
    let corrected = |seen: f64, known: f64, drawn: f64| ((seen + known - drawn).max(0.5 * seen)).max(0.0).sqrt();
    let parameters = (0..n)
        .map(|at| {
            if at < k {
                corrected(all[at] / m, scatter[at] / around[at].powi(2), local[at] / m)
            } else {
                (all[at] / m).sqrt()
            }
        })
        .collect();
    let errors = (0..k).map(|i| {
        let square = own[i] * own[i];
        corrected(scored[i] / m, square * scatter[i] / around[i].powi(2), square * local[i] / m)
    });
    Errors { spread: Spread::sampled(rows, errors.collect()), parameters }
}

/// Strengths seen from their mean; covariates as they are.
fn centred(y: &[[f64; WIDE]], items: usize) -> Vec<[f64; WIDE]> {
    let mut mean = [0.0; WIDE];
    y[..items].iter().for_each(|y| (0..WIDE).for_each(|c| mean[c] += y[c] / items as f64));
    let shift = |(at, y): (usize, &[f64; WIDE])| {
        if at < items { std::array::from_fn(|c| y[c] - mean[c]) } else { *y }
    };
    y.iter().enumerate().map(shift).collect()
}
