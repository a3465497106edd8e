//! Questions chosen one by one, each the best of all pairs at that moment.
//!
//! With V = (M + ρI)⁻¹, C = Σ ω c cᵀ and A = V C V, asking a pair with slope m = μ′ lowers tr(C V) by m a/(1 + m h), where
//! h = φᵀVφ and a = φᵀAφ. After the choice of φ, with v = Vφ, t = Aφ and s = m/(1 + m h), every other pair's h falls by s⟨φ′,v⟩² and its
//! a changes by −2s⟨φ′,v⟩⟨φ′,t⟩ + s²a⟨φ′,v⟩²: one pass over the pairs per question, and no matrix is inverted again.

use super::{PlanOptions, Prior};
use crate::duel::Duel;
use crate::error::{Error, Result};
use crate::link::Link;
use nalgebra::{Cholesky, DMatrix, DVector};
use std::collections::HashMap;

/// A pair to be asked some times in a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Step {
    pub(crate) i: usize,
    pub(crate) j: usize,
    pub(crate) times: usize,
    /// m = μ′ at the pair's score.
    pub(crate) slope: f64,
    pub(crate) cost: f64,
}

/// A pair that may be asked.
struct Candidate {
    step: Step,
    h: f64,
    a: f64,
    asked: usize,
}

/// The most single choices; beyond, each stands for several questions.
const CHOICES: f64 = 20_000.0;
/// ρ in units of the information of one even vote: what makes directions never seen the first to be asked.
const RIDGE: f64 = 1e-4;
/// The most candidate pairs: a list of all pairs of about 3,000 items.
const MOST_PAIRS: usize = 5_000_000;

/// Chooses questions until the budget is spent or nothing is left to ask.
pub(crate) fn choose(prior: &Prior, directions: &DMatrix<f64>, options: &PlanOptions) -> Result<Vec<Step>> {
    let mut candidates = candidates(prior, options)?;
    let mut state = State::new(prior, directions, &mut candidates)?;
    let mut needs = vec![options.least_per_item; prior.features.items()];
    options.excluded_items.iter().for_each(|&item| needs[item] = 0);
    let batch = (options.budget / CHOICES).ceil().max(1.0) as usize;
    let mut steps = Vec::new();
    let mut left = options.budget;
    loop {
        let needy = needs.iter().any(|&n| n > 0);
        let room = |c: &Candidate| options.most_per_pair.map_or(usize::MAX, |most| most - c.asked);
        let open = |c: &Candidate| room(c) > 0 && c.step.cost <= left + 1e-9;
        let needed = |c: &Candidate| !needy || needs[c.step.i] > 0 || needs[c.step.j] > 0;
        let gain = |c: &Candidate| c.step.slope * c.a / (1.0 + c.step.slope * c.h) / c.step.cost;
        let best = (0..candidates.len())
            .filter(|&at| open(&candidates[at]) && needed(&candidates[at]))
            .max_by(|&x, &y| gain(&candidates[x]).total_cmp(&gain(&candidates[y])).then(y.cmp(&x)));
        let Some(best) = best else {
            if needy {
                return Err(Error::setting(
                    "least per item",
                    options.least_per_item,
                    "cannot be met with this budget and these constraints: raise the budget or lower it",
                ));
            }
            break;
        };
        let chosen = &mut candidates[best];
        let affordable = ((left + 1e-9) / chosen.step.cost) as usize;
        let times = if needy { 1 } else { batch.min(room(chosen)).min(affordable).max(1) };
        chosen.asked += times;
        let step = Step { times, ..chosen.step };
        left -= step.cost * times as f64;
        for item in [step.i, step.j] {
            needs[item] = needs[item].saturating_sub(times);
        }
        state.ask(prior, &step, &mut candidates);
        steps.push(step);
    }
    if steps.is_empty() {
        return Err(Error::setting("budget", options.budget, "does not buy a single question"));
    }
    Ok(steps)
}

/// All pairs that may be asked and can teach something.
fn candidates(prior: &Prior, options: &PlanOptions) -> Result<Vec<Candidate>> {
    let k = prior.features.items();
    if k * (k - 1) / 2 > MOST_PAIRS {
        return Err(Error::Data(format!("{k} items have more than {MOST_PAIRS} pairs, too many to choose among")));
    }
    let costs: HashMap<(usize, usize), f64> =
        options.costs.iter().map(|&(i, j, cost)| ((i.min(j), i.max(j)), cost)).collect();
    if let Some(((i, j), cost)) = costs.iter().find(|(_, cost)| !(**cost > 0.0 && cost.is_finite())) {
        return Err(Error::setting("cost", cost, format!("of the pair ({i}, {j}) must be a number above 0")));
    }
    let projection = prior.features.project(&prior.theta);
    let mut list = Vec::new();
    for i in (0..k).filter(|i| !options.excluded_items.contains(i)) {
        for j in (i + 1..k).filter(|j| !options.excluded_items.contains(j)) {
            let taboo = options.excluded.contains(&(i, j)) || options.excluded.contains(&(j, i));
            if taboo || prior.features.slot(Duel(i, j)).index == prior.features.distinct() {
                continue;
            }
            let slope = Link::Logistic.mu_prime(prior.features.score(&projection, Duel(i, j)));
            let cost = costs.get(&(i, j)).copied().unwrap_or(1.0);
            list.push(Candidate { step: Step { i, j, times: 1, slope, cost }, h: 0.0, a: 0.0, asked: 0 });
        }
    }
    if list.is_empty() {
        return Err(Error::Data("every pair is excluded: there is nothing to ask".to_owned()));
    }
    Ok(list)
}

/// V and A.
struct State {
    v: DMatrix<f64>,
    a: DMatrix<f64>,
}

impl State {
    fn new(prior: &Prior, directions: &DMatrix<f64>, candidates: &mut [Candidate]) -> Result<Self> {
        let d = prior.features.dim();
        let longest = prior.features.second_moment().trace().max(f64::MIN_POSITIVE);
        let mut seen = prior.information.clone();
        (0..d).for_each(|c| seen[(c, c)] += RIDGE * 0.25 * longest);
        let factor =
            Cholesky::new(seen).ok_or_else(|| Error::Data("the votes' information is not finite".to_owned()))?;
        let v = factor.inverse();
        let root = directions * &v;
        let a = root.transpose() * &root;
        for candidate in candidates {
            let phi = DVector::from_vec(prior.features.phi(Duel(candidate.step.i, candidate.step.j)));
            candidate.h = (&v * &phi).dot(&phi);
            candidate.a = (&a * &phi).dot(&phi);
        }
        Ok(Self { v, a })
    }

    /// Takes a question as asked.
    fn ask(&mut self, prior: &Prior, step: &Step, candidates: &mut [Candidate]) {
        let phi = DVector::from_vec(prior.features.phi(Duel(step.i, step.j)));
        let (v, t) = (&self.v * &phi, &self.a * &phi);
        let m = step.slope * step.times as f64;
        let s = m / (1.0 + m * v.dot(&phi));
        let curvature = t.dot(&phi);
        let (along_v, along_t) = (prior.features.project(v.as_slice()), prior.features.project(t.as_slice()));
        for candidate in candidates {
            let duel = Duel(candidate.step.i, candidate.step.j);
            let (x, y) = (prior.features.score(&along_v, duel), prior.features.score(&along_t, duel));
            candidate.h = (candidate.h - s * x * x).max(0.0);
            candidate.a = (candidate.a - 2.0 * s * x * y + s * s * curvature * x * x).max(0.0);
        }
        self.v.ger(-s, &v, &v, 1.0);
        self.a.ger(-s, &v, &t, 1.0);
        self.a.ger(-s, &t, &v, 1.0);
        self.a.ger(s * s * curvature, &v, &v, 1.0);
    }
}
