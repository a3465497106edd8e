//! Questions chosen one by one, each the best of all pairs at that moment.
//!
//! With V = (M + ρI)⁻¹, C = Σ ω c cᵀ and A = V C V, asking a pair with slope m = μ′ lowers tr(C V) by m a/(1 + m h), where
//! h = φᵀVφ and a = φᵀAφ. After the choice of φ, with v = Vφ, t = Aφ and s = m/(1 + m h), every other pair's h falls by
//! s⟨φ′,v⟩² and its a changes by −2s⟨φ′,v⟩⟨φ′,t⟩ + s²a⟨φ′,v⟩²: one pass over the pairs per question. What is subtracted loses
//! digits, so V and A are computed afresh from M whenever tr(C V) has fallen to a hundredth of what it was the last time.
//!
//! Where the budget buys more than [`PlanOptions::steps`] questions, each choice stands for an equal part of it, and ρ for as many
//! times more: without earlier votes the plan is then the one for fewer questions, each asked more often, and the widths fall as
//! 1/√n exactly.

use super::field::{self, Candidate, Field};
use super::target::Target;
use super::{PlanOptions, Prior};
use crate::error::{Error, Result};
use nalgebra::{Cholesky, DMatrix};

/// A pair to be asked some times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Step {
    pub(crate) i: usize,
    pub(crate) j: usize,
    pub(crate) times: usize,
    /// m = μ′ at the pair's score.
    pub(crate) slope: f64,
    pub(crate) cost: f64,
}

/// ρ in units of the information of one choice among even items: what makes directions never seen the first to be asked.
const RIDGE: f64 = 1e-4;
/// At this part of what tr(C V) was, its matrices are computed afresh.
const STALE: f64 = 1e-2;
/// What rounding may add to the sum of costs.
const CENT: f64 = 1e-9;

/// Chooses questions until the budget is spent or nothing is left to ask.
pub(crate) fn choose(prior: &Prior, target: &Target, options: &PlanOptions) -> Result<Vec<Step>> {
    let mut field = Field::new(prior, &target.contenders, options)?;
    let mut state = State::new(prior, target, part(prior, options), &mut field)?;
    choose_by(&mut state, field, prior, options)
}

/// What one choice may spend: a question, or more where there are many.
fn part(prior: &Prior, options: &PlanOptions) -> f64 {
    let most_steps = options.steps.unwrap_or_else(|| DEFAULT_STEPS.max(STEPS_PER_ITEM * field::met(&prior.features)));
    (options.budget / most_steps.max(1) as f64).max(1.0)
}

/// What makes a question a good one.
pub(super) trait Gains {
    /// What every candidate would gain now by a choice of so many questions.
    fn gains<'a>(&'a self, field: &'a Field, questions: f64) -> impl Fn(usize) -> f64 + 'a;

    /// Takes a candidate as asked so many times.
    fn ask(&mut self, best: usize, times: usize, field: &mut Field) -> Result<()>;
}

/// Chooses by gain, within what the options allow.
pub(super) fn choose_by(
    state: &mut impl Gains,
    mut field: Field,
    prior: &Prior,
    options: &PlanOptions,
) -> Result<Vec<Step>> {
    let k = prior.features.items();
    let part = part(prior, options);
    let mut needs = Needs::new(k, options);
    let mut steps = Vec::new();
    let mut left = options.budget;
    let mut credit = 0.0;
    loop {
        let needy = needs.any();
        let room = |c: &Candidate| options.most_per_pair.map_or(usize::MAX, |most| most.saturating_sub(c.asked));
        let best = best(&field.candidates, state.gains(&field, part), |c| {
            room(c) > 0 && c.cost <= left + CENT && (!needy || needs.of(c.i) > 0 || needs.of(c.j) > 0)
        });
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
        let chosen = &mut field.candidates[best];
        let affordable = ((left + CENT) / chosen.cost) as usize;
        let times = if needy {
            1
        } else {
            credit += part;
            let times = ((credit + CENT) / chosen.cost) as usize;
            let times = times.min(room(chosen)).min(affordable).max(1);
            credit = (credit - times as f64 * chosen.cost).clamp(0.0, part);
            times
        };
        chosen.asked += times;
        let (slope, cost) = (chosen.slope, chosen.cost);
        let step = Step { i: chosen.i as usize, j: chosen.j as usize, times, slope, cost };
        left -= cost * times as f64;
        needs.asked(&step);
        state.ask(best, times, &mut field)?;
        steps.push(step);
    }
    if steps.is_empty() {
        return Err(Error::setting("budget", options.budget, "does not buy a single question"));
    }
    Ok(steps)
}

/// The most choices, unless set: with so many, plans of few features are as good as with one choice a question, and so many
/// per item that meets all others give each enough different partners.
const DEFAULT_STEPS: usize = 2_000;
const STEPS_PER_ITEM: usize = 4;

/// The candidate that gains most for its cost, of several the first.
fn best(candidates: &[Candidate], gain: impl Fn(usize) -> f64, may: impl Fn(&Candidate) -> bool) -> Option<usize> {
    let mut best = (f64::NEG_INFINITY, None);
    for (at, c) in candidates.iter().enumerate() {
        let gain = gain(at) / c.cost;
        if gain > best.0 && may(c) {
            best = (gain, Some(at));
        }
    }
    best.1
}

/// The questions that each item still needs.
struct Needs {
    of: Vec<usize>,
    /// How many items need some.
    open: usize,
}

impl Needs {
    fn new(items: usize, options: &PlanOptions) -> Self {
        let mut of = vec![options.least_per_item; items];
        options.excluded_items.iter().for_each(|&item| of[item] = 0);
        for duel in &options.open {
            for item in [duel.0, duel.1] {
                of[item] = of[item].saturating_sub(1);
            }
        }
        let open = of.iter().filter(|&&n| n > 0).count();
        Self { of, open }
    }

    fn any(&self) -> bool {
        self.open > 0
    }

    fn of(&self, item: u32) -> usize {
        self.of[item as usize]
    }

    fn asked(&mut self, step: &Step) {
        for item in [step.i, step.j] {
            let before = self.of[item];
            self.of[item] = before.saturating_sub(step.times);
            self.open -= usize::from(before > 0 && self.of[item] == 0);
        }
    }
}

/// M + ρI, V and A.
struct State {
    information: DMatrix<f64>,
    /// D with C = DᵀD.
    directions: DMatrix<f64>,
    v: DMatrix<f64>,
    a: DMatrix<f64>,
    /// tr(C V) now, and when V and A were last computed.
    value: f64,
    fresh: f64,
}

impl State {
    fn new(prior: &Prior, target: &Target, part: f64, field: &mut Field) -> Result<Self> {
        let d = prior.features.dim();
        let mut information = prior.information.clone();
        let ridge = RIDGE * 0.25 * prior.features.second_moment().trace().max(f64::MIN_POSITIVE) * part;
        (0..d).for_each(|c| information[(c, c)] += ridge);
        // No more rows than dimensions: D = QR has DᵀD = RᵀR.
        let rows = target.directions.nrows();
        let directions = if rows > d { target.directions.clone().qr().r() } else { target.directions.clone() };
        let (v, a) = (DMatrix::zeros(0, 0), DMatrix::zeros(0, 0));
        let mut state = Self { information, directions, v, a, value: 0.0, fresh: 0.0 };
        state.refresh(field)?;
        Ok(state)
    }

    /// V and A from M, and every candidate's h = ‖L⁻¹φ‖² and a = ‖D V φ‖², with M = L Lᵀ.
    fn refresh(&mut self, field: &mut Field) -> Result<()> {
        let factor = Cholesky::new(self.information.clone())
            .ok_or_else(|| Error::Data("the votes' information is not finite".to_owned()))?;
        self.v = factor.inverse();
        let root = &self.directions * &self.v;
        self.a = root.tr_mul(&root);
        self.value = root.component_mul(&self.directions).sum();
        self.fresh = self.value;
        let rows = field.rows.transpose();
        // L has a positive diagonal, so the system is solved.
        let along_h = factor.l_dirty().solve_lower_triangular(&rows).unwrap_or_else(|| rows.clone());
        let along_a = root * rows;
        let squared = |along: &DMatrix<f64>, c: &Candidate| {
            let own = along.column(c.row as usize);
            match c.minus {
                Some(minus) => (own - along.column(minus as usize)).norm_squared(),
                None => own.norm_squared(),
            }
        };
        for candidate in &mut field.candidates {
            candidate.h = squared(&along_h, candidate);
            candidate.a = squared(&along_a, candidate);
        }
        Ok(())
    }
}

impl Gains for State {
    fn gains<'a>(&'a self, field: &'a Field, _: f64) -> impl Fn(usize) -> f64 + 'a {
        |at| {
            let c = &field.candidates[at];
            c.slope * c.a / (1.0 + c.slope * c.h)
        }
    }

    fn ask(&mut self, best: usize, times: usize, field: &mut Field) -> Result<()> {
        let phi = field.phi(&field.candidates[best]);
        let m = field.candidates[best].slope * times as f64;
        self.information.ger(m, &phi, &phi, 1.0);
        let (v, t) = (&self.v * &phi, &self.a * &phi);
        let s = m / (1.0 + m * v.dot(&phi));
        let curvature = t.dot(&phi);
        self.value -= s * curvature;
        if self.value.is_nan() || self.value <= STALE * self.fresh {
            return self.refresh(field);
        }
        let (along_v, along_t) = (&field.rows * &v, &field.rows * &t);
        for candidate in &mut field.candidates {
            let (x, y) = (candidate.of(along_v.as_slice()), candidate.of(along_t.as_slice()));
            candidate.h = (candidate.h - s * x * x).max(0.0);
            candidate.a = (candidate.a + s * x * (s * curvature * x - 2.0 * y)).max(0.0);
        }
        // −s(v tᵀ + t vᵀ) + s²a v vᵀ = −s(v uᵀ + u vᵀ) with u = t − ½ s a v.
        let u = t - 0.5 * s * curvature * &v;
        self.v.ger(-s, &v, &v, 1.0);
        self.a.ger(-s, &v, &u, 1.0);
        self.a.ger(-s, &u, &v, 1.0);
        Ok(())
    }
}
