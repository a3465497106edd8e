//! Which pairs to ask next: those that remove most doubt about the leader for the regret they cost.
//!
//! The doubt is Σ_i E[X_i⁺] over rivals i, X_i ~ N(−gap_i, s_i²), s_i² = b_iᵀ Σ b_i with b_i = ∇(B(i) − B(leader)). Its
//! derivative in s_i² is φ(gap_i/s_i)/(2 s_i), so m answers of information h along v lower it, to first order, by m h
//! vᵀ M v / (1 + m h vᵀ Σ v) with M = Σ_i φ(gap_i/s_i)/(2 s_i) Σb_i (Σb_i)ᵀ. The next answers are planned in a few
//! equal parts; each goes to the vector that lowers the doubt most for its price, gap_i + gap_j of its cheapest pair
//! plus what is lost anyway while the leader is in doubt, and Σ is brought up to date before the next part. Rivals that
//! are beaten lose their weight φ(gap/s), so the design turns to those that remain: a transductive design (Fiez, Jain,
//! Jamieson and Ratliff 2019), re-solved as it goes.

use super::belief::{Belief, information};
use crate::design::Design;
use crate::duel::{Arm, Duel};
use crate::features::{Features, dot};
use crate::problem::Problem;
use crate::stream::Stream;
use nalgebra::{DMatrix, DVector};

/// Up to this many distinct vectors all are candidates, fewer in many dimensions; of more a selection is.
const POOL: usize = 1024;
/// In many dimensions the candidates times d² are about this many, and at least [`SMALL`] are candidates.
const WORK: usize = 1 << 20;
/// The smallest pool.
const SMALL: usize = 192;
/// The parts in which a plan is made.
const PARTS: usize = 16;

/// What to ask: pairs and their shares.
pub(super) struct Aim {
    pub(super) duels: Vec<Duel>,
    pub(super) weights: Vec<f64>,
    /// Information per question.
    pub(super) information: DMatrix<f64>,
    /// Regret per question beyond that of the leader against itself, at the present estimates.
    pub(super) cost: f64,
}

struct Candidate {
    duel: Duel,
    cost: f64,
    /// √h v.
    row: Vec<f64>,
}

/// Plans about `rounds` questions; `floor` is the regret per round that being in doubt costs.
pub(super) fn design(
    problem: &Problem,
    belief: &Belief,
    design: &Design,
    rounds: f64,
    floor: f64,
    stream: &mut Stream,
) -> Aim {
    let d = problem.dim();
    let candidates = candidates(problem, belief, design, stream);
    let vectors: Vec<f64> = candidates.iter().flat_map(|c| c.row.iter().copied()).collect();
    let vectors = DMatrix::from_vec(d, candidates.len(), vectors);
    let mut search = Search::new(belief, &vectors);
    let mut chosen = vec![0_u32; candidates.len()];
    let part = rounds / PARTS as f64;
    for _ in 0..PARTS {
        search.weigh(belief);
        let (mut best, mut most) = (0, -1.0);
        for (k, candidate) in candidates.iter().enumerate() {
            let gain = search.relief(k) / (1.0 + part * search.lengths[k]) / (candidate.cost + floor);
            if gain > most {
                (best, most) = (k, gain);
            }
        }
        chosen[best] += 1;
        search.ask(best, part);
    }
    let mut plan = Aim { duels: Vec::new(), weights: Vec::new(), information: DMatrix::zeros(d, d), cost: 0.0 };
    for (candidate, count) in candidates.iter().zip(chosen).filter(|(_, count)| *count > 0) {
        let weight = f64::from(count) / PARTS as f64;
        plan.duels.push(candidate.duel);
        plan.weights.push(weight);
        plan.cost += weight * candidate.cost;
        let v = DVector::from_column_slice(&candidate.row);
        plan.information.ger(weight, &v, &v, 1.0);
    }
    plan
}

/// Σ as it would be after the parts planned so far, and what follows from it.
struct Search<'a> {
    vectors: &'a DMatrix<f64>,
    rows: DMatrix<f64>,
    sigma: DMatrix<f64>,
    /// vᵀ Σ v of every candidate.
    lengths: Vec<f64>,
    /// M, and M v of every candidate.
    pull: DMatrix<f64>,
    pulled: DMatrix<f64>,
}

impl<'a> Search<'a> {
    fn new(belief: &Belief, vectors: &'a DMatrix<f64>) -> Self {
        let (d, n) = (vectors.nrows(), belief.gaps.len());
        let sigma = belief.covariance.clone();
        let mut pulled = DMatrix::zeros(d, vectors.ncols());
        pulled.gemm(1.0, &sigma, vectors, 0.0);
        let lengths = (0..vectors.ncols()).map(|k| vectors.column(k).dot(&pulled.column(k))).collect();
        let rows = DMatrix::from_column_slice(d, n, &belief.rows);
        Self { vectors, rows, sigma, lengths, pull: DMatrix::zeros(d, d), pulled }
    }

    /// M, in units of the nearest rival's density, so that nothing underflows.
    fn weigh(&mut self, belief: &Belief) {
        let n = belief.gaps.len();
        let mut moved = DMatrix::zeros(self.rows.nrows(), n);
        moved.gemm(1.0, &self.sigma, &self.rows, 0.0);
        let sds: Vec<f64> = (0..n).map(|i| self.rows.column(i).dot(&moved.column(i)).max(0.0).sqrt()).collect();
        let ratio = |i: usize| if sds[i] > 0.0 { belief.gaps[i] / sds[i] } else { f64::INFINITY };
        let nearest = (0..n).map(ratio).fold(f64::INFINITY, f64::min);
        for (i, sd) in sds.iter().enumerate() {
            let x = ratio(i);
            let weight = if x.is_finite() { (0.5 * (nearest * nearest - x * x)).exp() / sd } else { 0.0 };
            moved.column_mut(i).scale_mut(weight.sqrt());
        }
        self.pull.gemm(1.0, &moved, &moved.transpose(), 0.0);
        self.pulled.gemm(1.0, &self.pull, self.vectors, 0.0);
    }

    /// vᵀ M v.
    fn relief(&self, candidate: usize) -> f64 {
        self.vectors.column(candidate).dot(&self.pulled.column(candidate))
    }

    /// Adds `part` answers to this candidate (Sherman and Morrison).
    fn ask(&mut self, candidate: usize, part: f64) {
        let along = &self.sigma * self.vectors.column(candidate);
        let scale = part / (1.0 + part * self.lengths[candidate]);
        self.sigma.ger(-scale, &along, &along, 1.0);
        let moved = self.vectors.tr_mul(&along);
        self.lengths.iter_mut().zip(moved.iter()).for_each(|(l, m)| *l -= scale * m * m);
    }
}

/// Vectors that may be asked, each with its cheapest pair.
fn candidates(problem: &Problem, belief: &Belief, design: &Design, stream: &mut Stream) -> Vec<Candidate> {
    let features = problem.features();
    let best = belief.scores[belief.leader];
    let cost = |Duel(i, j): Duel| (best - belief.scores[i]) + (best - belief.scores[j]);
    let pool = (WORK / (problem.dim() * problem.dim())).clamp(SMALL, POOL);
    let cheapest = if features.distinct() <= pool {
        cheapest_of_all(features, cost)
    } else {
        selection(features, belief, design, pool, stream)
    };
    let make = |duel: Duel| {
        let mut row = features.phi(duel);
        let root = information(problem.link(), dot(&row, &belief.theta)).sqrt();
        row.iter_mut().for_each(|x| *x *= root);
        Candidate { duel, cost: cost(duel), row }
    };
    cheapest.into_iter().map(make).collect()
}

/// The cheapest pair of every distinct vector.
fn cheapest_of_all(features: &Features, cost: impl Fn(Duel) -> f64) -> Vec<Duel> {
    let k = features.items();
    let mut best: Vec<Option<(f64, Duel)>> = vec![None; features.distinct()];
    for duel in (0..k * k).map(|cell| Duel(cell / k, cell % k)) {
        let slot = features.slot(duel);
        if let Some(place) = best.get_mut(slot.index) {
            let price = cost(duel);
            if place.is_none_or(|(least, _)| price < least) {
                *place = Some((price, duel));
            }
        }
    }
    best.into_iter().flatten().map(|(_, duel)| duel).collect()
}

/// A third each: pairs of the G-optimal design, pairs of the best items, and pairs at random.
fn selection(features: &Features, belief: &Belief, design: &Design, pool: usize, stream: &mut Stream) -> Vec<Duel> {
    let k = features.items();
    let third = pool / 3;
    // The best n items have n(n−1)/2 pairs.
    let top = ((2.0 * third as f64).sqrt() as usize).min(k - 1);
    let mut order: Vec<Arm> = (0..k).collect();
    order.select_nth_unstable_by(top, |a, b| belief.scores[*b].total_cmp(&belief.scores[*a]).then(a.cmp(b)));
    order.truncate(top + 1);
    let slots: Vec<usize> = if design.support.len() <= third {
        design.support.clone()
    } else {
        (0..third).map(|_| design.support[stream.below(design.support.len())]).collect()
    };
    let support = features.pairs_of(&slots).into_iter().filter_map(|pairs| pairs.first().copied());
    let among = order.iter().flat_map(|&i| order.iter().map(move |&j| Duel(i, j)));
    let random = (0..third).map(|_| Duel(stream.below(k), stream.below(k)));
    let all = support.chain(among.filter(|Duel(i, j)| i < j)).chain(random);
    all.filter(|duel| features.slot(*duel).index < features.distinct()).collect()
}
