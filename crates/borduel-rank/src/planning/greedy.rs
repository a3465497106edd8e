//! Questions chosen one by one, each the best of all pairs at that moment.
//!
//! With V = (M + ρI)⁻¹, C = Σ ω c cᵀ and A = V C V, asking a pair with slope m = μ′ lowers tr(C V) by m a/(1 + m h),
//! where h = φᵀVφ and a = φᵀAφ. After the choice of φ, with v = Vφ, t = Aφ and s = m/(1 + m h), every other pair's h
//! falls by s⟨φ′,v⟩² and its a changes by −2s⟨φ′,v⟩⟨φ′,t⟩ + s²a⟨φ′,v⟩²: one pass over the pairs per question. Where the
//! pairs are all differences of some vectors, h and a are squared distances between these, and tell ⟨φ′,v⟩ and ⟨φ′,t⟩
//! without V and A. What is subtracted loses digits, so everything is computed afresh from M whenever tr(C V) has
//! fallen to a hundredth of what it was the last time.
//!
//! Where the budget buys more than [`PlanOptions::steps`] questions, each choice stands for an equal part of it, and ρ
//! for as many times more: without earlier votes the plan is then the one for fewer questions, each asked more often,
//! and the widths fall as 1/√n exactly.

use super::field::{self, Candidate, Field};
use super::rows::Rows;
use super::target::Target;
use super::turns::{CENT, Turns};
use super::{PlanOptions, Prior};
use crate::error::{Error, Result};
use crate::ranking::dense;
use crate::stop;
use nalgebra::{DMatrix, DVector};
use std::borrow::Cow;
use std::cmp::Ordering;

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

/// ρ in units of the information of one choice among even items: what makes directions never seen the first to be
/// asked.
const RIDGE: f64 = 1e-4;
/// At this part of what tr(C V) was, its matrices are computed afresh.
const STALE: f64 = 1e-2;

/// Chooses questions until the budget is spent or nothing is left to ask.
pub(crate) fn choose(prior: &Prior, target: &Target, options: &PlanOptions) -> Result<Vec<Step>> {
    let field = Field::new(prior, &target.contenders, options)?;
    let mut state = State::new(prior, target, Part::new(prior, &field, options).questions, &field)?;
    choose_by(&mut state, field, prior, options)
}

/// What one choice may spend: a question, or more where there are many.
struct Part {
    cost: f64,
    /// The questions that this buys at the median cost: nothing depends on the unit of costs.
    questions: f64,
}

impl Part {
    fn new(prior: &Prior, field: &Field, options: &PlanOptions) -> Self {
        let most = options.steps.unwrap_or_else(|| DEFAULT_STEPS.max(STEPS_PER_ITEM * field::met(&prior.features)));
        let open = field.candidates.iter().filter(|candidate| !candidate.barred);
        let typical = median(open.map(|candidate| candidate.cost).collect());
        let cost = (options.budget / most.max(1) as f64).max(typical);
        Self { cost, questions: cost / typical }
    }
}

/// The median of some costs; 1 of none.
pub(super) fn median(mut costs: Vec<f64>) -> f64 {
    costs.sort_by(f64::total_cmp);
    costs.get(costs.len() / 2).copied().unwrap_or(1.0)
}

/// What makes a question a good one.
pub(super) trait Gains {
    /// What every candidate would gain now by a choice of so many questions, per unit of its cost.
    fn gains(&self, field: &Field, questions: f64) -> Cow<'_, [f64]>;

    /// Takes a candidate as asked so many times.
    fn ask(&mut self, best: usize, times: usize, field: &Field) -> Result<()>;
}

/// Chooses by gain, within what the options allow.
pub(super) fn choose_by(
    state: &mut impl Gains,
    mut field: Field,
    prior: &Prior,
    options: &PlanOptions,
) -> Result<Vec<Step>> {
    let k = prior.features.items();
    let Part { cost: part, questions } = Part::new(prior, &field, options);
    let room = |c: &Candidate| options.most_per_pair.map_or(usize::MAX, |most| most.saturating_sub(c.asked));
    let mut needs = Needs::new(k, options);
    let mut turns = Turns::new(&field.candidates, options.budget, room);
    let mut steps = Vec::new();
    let mut left = options.budget;
    let mut credit = 0.0;
    loop {
        stop::check();
        let gains = state.gains(&field, questions);
        let list = &field.candidates;
        let open = |c: &Candidate| !c.barred && room(c) > 0 && c.cost <= left + CENT;
        let may = |at: usize| open(&list[at]) && turns.allow(list, (at, 1), left, room);
        let needed = |at: usize| needs.of(list[at].i) > 0 || needs.of(list[at].j) > 0;
        let needy = needs.any();
        let best = if needy {
            // Where what is needed must wait for its turn, something else is asked meanwhile.
            let waits = || list.iter().enumerate().any(|(at, c)| open(c) && needed(at));
            best(&gains, |at| needed(at) && may(at)).or_else(|| if waits() { best(&gains, may) } else { None })
        } else {
            best(&gains, may)
        };
        drop(gains);
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
        let chosen = &field.candidates[best];
        let affordable = ((left + CENT) / chosen.cost) as usize;
        let times = if needy {
            1
        } else {
            credit += part;
            let times = ((credit + CENT) / chosen.cost) as usize;
            let mut times = times.min(room(chosen)).min(affordable).max(1);
            // Once is allowed.
            while times > 1 && !turns.allow(&field.candidates, (best, times), left, room) {
                times /= 2;
            }
            credit = (credit - times as f64 * chosen.cost).clamp(0.0, part);
            times
        };
        let (slope, cost) = (chosen.slope, chosen.cost);
        let step = Step { i: chosen.i as usize, j: chosen.j as usize, times, slope, cost };
        field.candidates[best].asked += times;
        turns.take(best, times);
        left -= cost * times as f64;
        needs.asked(&step);
        state.ask(best, times, &field)?;
        steps.push(step);
    }
    if steps.is_empty() {
        return Err(Error::setting("budget", options.budget, "does not buy a single question"));
    }
    Ok(steps)
}

/// The most choices, unless set: with so many, plans of few features are as good as with one choice a question, and so
/// many per item that meets all others give each enough different partners.
const DEFAULT_STEPS: usize = 2_000;
const STEPS_PER_ITEM: usize = 4;

/// The candidate that gains most for its cost of those that may be asked, of several the first.
fn best(gains: &[f64], may: impl Fn(usize) -> bool) -> Option<usize> {
    let mut best = (f64::NEG_INFINITY, None);
    for (block, gains) in gains.chunks(BLOCK).enumerate() {
        // Most blocks hold nothing better, which is seen of several at once.
        if gains.iter().map(|gain| u64::from(*gain > best.0)).sum::<u64>() > 0 {
            for (at, gain) in (block * BLOCK..).zip(gains) {
                if *gain > best.0 && may(at) {
                    best = (*gain, Some(at));
                }
            }
        }
    }
    best.1
}

/// So many candidates are looked at together.
const BLOCK: usize = 128;

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

/// M + ρI, and what follows from it.
struct State {
    information: DMatrix<f64>,
    /// What was chosen since everything was computed from it, and the slopes it adds.
    since: Vec<(usize, f64)>,
    /// D with C = DᵀD.
    directions: DMatrix<f64>,
    /// V and A, unless the candidates are all pairs of rows: what they would tell is in h and a then.
    matrices: Option<(DMatrix<f64>, DMatrix<f64>)>,
    pairs: Pairs,
    /// tr(C V) now, and when everything was last computed.
    value: f64,
    fresh: f64,
}

/// Candidates one after the other whose vectors are one vector less each of several that follow each other.
struct Run {
    row: usize,
    /// The first that is subtracted; behind the last vector there is a zero.
    minus: usize,
    length: usize,
}

/// What is kept about all candidates, a list for each number, so that several are reckoned at once: every choice goes
/// over all of them.
#[derive(Default)]
struct Pairs {
    runs: Vec<Run>,
    slope: Vec<f64>,
    cost: Vec<f64>,
    /// φᵀVφ and φᵀAφ.
    h: Vec<f64>,
    a: Vec<f64>,
    /// What each would gain per unit of its cost: m a/(1 + m h), divided by it.
    gain: Vec<f64>,
}

/// ⟨x,Vφ⟩ and ⟨x,Aφ⟩ of every row x and of the zero behind the last; each list may have any number added to all of it,
/// as only differences count.
type Along = (Vec<f64>, Vec<f64>);

impl Pairs {
    fn new(field: &Field) -> Self {
        let mut pairs = Self::default();
        for c in &field.candidates {
            let (row, minus) = (c.row as usize, c.minus.map_or(field.rows.len(), |minus| minus as usize));
            match pairs.runs.last_mut().filter(|run| run.row == row && run.minus + run.length == minus) {
                Some(run) => run.length += 1,
                None => pairs.runs.push(Run { row, minus, length: 1 }),
            }
            pairs.slope.push(c.slope);
            pairs.cost.push(c.cost);
        }
        let nought = vec![0.0; field.candidates.len()];
        Self { h: nought.clone(), a: nought.clone(), gain: nought, ..pairs }
    }

    /// What the difference of rows i and j has along itself and every row, where the candidates are all pairs of the n
    /// rows.
    ///
    /// With h(k,l) = ‖x_k − x_l‖² in the metric V, ⟨x_k,V(x_i − x_j)⟩ = ½(h(k,j) − h(k,i)) up to a number that is the
    /// same for all k, and so with a and A.
    fn along_by_distances(&self, (i, j): (usize, usize), n: usize) -> Along {
        let at = |k: usize, l: usize| match k.cmp(&l) {
            Ordering::Less => Some(k * (2 * n - k - 1) / 2 + l - k - 1),
            Ordering::Equal => None,
            Ordering::Greater => Some(l * (2 * n - l - 1) / 2 + k - l - 1),
        };
        let along = |list: &[f64]| {
            let distance = |k: usize, l: usize| at(k, l).map_or(0.0, |at| list[at]);
            (0..n).map(|k| 0.5 * (distance(k, j) - distance(k, i))).collect()
        };
        (along(&self.h), along(&self.a))
    }

    /// Takes off what a choice teaches: h falls by s x², a changes by s x (s c x − 2 y); and reckons the gains.
    fn learn(&mut self, s: f64, c: f64, (x, y): &Along) {
        let mut from = 0;
        for &Run { row, minus, length } in &self.runs {
            let (own, here, there) = ((x[row], y[row]), from..from + length, minus..minus + length);
            let others = x[there.clone()].iter().zip(&y[there]);
            let known = self.slope[here.clone()].iter().zip(&self.cost[here.clone()]);
            let kept = self.h[here.clone()].iter_mut().zip(&mut self.a[here.clone()]).zip(&mut self.gain[here]);
            for ((((h, a), gain), (x, y)), (slope, cost)) in kept.zip(others).zip(known) {
                let (x, y) = (own.0 - x, own.1 - y);
                *h = positive(*h - s * x * x);
                *a = positive(*a + s * x * (s * c * x - 2.0 * y));
                *gain = slope * *a / ((1.0 + slope * *h) * cost);
            }
            from += length;
        }
    }
}

/// What is above zero of a number: one instruction, where [`f64::max`] takes four.
fn positive(x: f64) -> f64 {
    if x > 0.0 { x } else { 0.0 }
}

impl State {
    fn new(prior: &Prior, target: &Target, part: f64, field: &Field) -> Result<Self> {
        let d = prior.features.dim();
        let mut information = prior.information.clone();
        let ridge = RIDGE * 0.25 * prior.features.second_moment().trace().max(f64::MIN_POSITIVE) * part;
        (0..d).for_each(|c| information[(c, c)] += ridge);
        // Not many more rows than dimensions: D = QR has DᵀD = RᵀR.
        let rows = target.directions.nrows();
        let directions = if rows > 2 * d { target.directions.clone().qr().r() } else { target.directions.clone() };
        let (since, pairs) = (Vec::new(), Pairs::new(field));
        let mut state = Self { information, since, directions, matrices: None, pairs, value: 0.0, fresh: 0.0 };
        state.refresh(field)?;
        Ok(state)
    }

    /// Everything from M = L Lᵀ: with x = L⁻¹φ and E = L⁻¹Dᵀ, h = ‖x‖², a = ‖D V φ‖² = ‖Eᵀx‖² and tr(C V) = ‖E‖².
    fn refresh(&mut self, field: &Field) -> Result<()> {
        for (chosen, m) in self.since.drain(..) {
            let mut phi = DVector::zeros(self.information.nrows());
            field.candidates[chosen].phi(&field.rows).into_iter().for_each(|(c, x)| phi[c] += x);
            self.information.ger(m, &phi, &phi, 1.0);
        }
        let (_, inverse) = dense::factor(&self.information)
            .ok_or_else(|| Error::Data("the votes' information is not finite".to_owned()))?;
        let along_h = &inverse * field.rows.transposed();
        let root = (&inverse * self.directions.transpose()).transpose();
        self.value = root.norm_squared();
        self.fresh = self.value;
        let along_a = &root * &along_h;
        self.matrices = (!field.all_pairs).then(|| {
            let directions = root * &inverse;
            (inverse.transpose() * &inverse, directions.transpose() * &directions)
        });
        squares(&along_h, field, &mut self.pairs.h);
        squares(&along_a, field, &mut self.pairs.a);
        let nought = vec![0.0; field.rows.len() + 1];
        self.pairs.learn(0.0, 0.0, &(nought.clone(), nought));
        Ok(())
    }
}

impl Gains for State {
    fn gains(&self, _: &Field, _: f64) -> Cow<'_, [f64]> {
        Cow::Borrowed(&self.pairs.gain)
    }

    fn ask(&mut self, best: usize, times: usize, field: &Field) -> Result<()> {
        let candidate = &field.candidates[best];
        let m = candidate.slope * times as f64;
        self.since.push((best, m));
        let (h, a) = (self.pairs.h[best], self.pairs.a[best]);
        let s = m / (1.0 + m * h);
        self.value -= s * a;
        if self.value.is_nan() || self.value <= STALE * self.fresh {
            return self.refresh(field);
        }
        let along = match (&mut self.matrices, candidate.minus) {
            (Some(matrices), _) => learn(matrices, s, a, &candidate.phi(&field.rows), &field.rows),
            (None, minus) => {
                // All pairs of rows are differences.
                let minus = minus.unwrap_or(candidate.row) as usize;
                self.pairs.along_by_distances((candidate.row as usize, minus), field.rows.len())
            }
        };
        self.pairs.learn(s, a, &along);
        Ok(())
    }
}

/// The squared length of every candidate's difference of columns.
fn squares(along: &DMatrix<f64>, field: &Field, lengths: &mut [f64]) {
    let columns = along.as_slice().chunks_exact(along.nrows()).collect::<Vec<_>>();
    let nought = vec![0.0; along.nrows()];
    for (length, candidate) in lengths.iter_mut().zip(&field.candidates) {
        let minus = candidate.minus.map_or(&nought[..], |minus| columns[minus as usize]);
        *length = squared_distance(columns[candidate.row as usize], minus);
    }
}

/// ‖a − b‖², in four sums beside each other.
fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (a, b) in a.iter().zip(b) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += (a - b) * (a - b);
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| (a - b) * (a - b)).sum();
    sums.iter().sum::<f64>() + rest
}

/// V and A after a choice, and what the rows have along Vφ and Aφ before it.
fn learn(
    (v, a): &mut (DMatrix<f64>, DMatrix<f64>),
    s: f64,
    curvature: f64,
    phi: &[(usize, f64)],
    rows: &Rows,
) -> Along {
    let times_phi = |matrix: &DMatrix<f64>| {
        let mut product = DVector::zeros(matrix.nrows());
        phi.iter().for_each(|&(c, x)| product.axpy(x, &matrix.column(c), 1.0));
        product
    };
    let (by_v, by_a) = (times_phi(v), times_phi(a));
    let along = (rows.times(by_v.as_slice()), rows.times(by_a.as_slice()));
    v.ger(-s, &by_v, &by_v, 1.0);
    // −s(v tᵀ + t vᵀ) + s²a v vᵀ = −s(v uᵀ + u vᵀ) with u = t − ½ s a v.
    let u = by_a - 0.5 * s * curvature * &by_v;
    a.ger(-s, &by_v, &u, 1.0);
    a.ger(-s, &u, &by_v, 1.0);
    along
}
