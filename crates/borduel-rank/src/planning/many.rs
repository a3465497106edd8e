//! Questions about very many items with a parameter each, without anything of size K².
//!
//! An item's strength is told about as well as its own questions tell it: its variance is about 1/D, D = Σ n μ′. A
//! question on (i,j) of slope m lowers Σ ω/D by ω_i m/(D_i(D_i + m)) + ω_j m/(D_j(D_j + m)), so the neediest item meets
//! the best of those next in need, ties in random order. What comes out is a random graph of even degrees, in which 1/D
//! is nearly all there is to an item's variance; the first questions join all items. What the plan will buy is then
//! computed from the graph as it is (see `ranking`'s `sampled`).

use super::field::sorted;
use super::greedy::{Step, median};
use super::{Goal, Pairs, PlanOptions, Precision, Sheet, sides, turns};
use crate::ballots::Ballots;
use crate::duel::Duel;
use crate::error::{Error, Result};
use crate::glm::FitOptions;
use crate::link::Link;
use crate::order::sort_descending;
use crate::ranking::best::best;
use crate::ranking::estimate::Estimate;
use crate::ranking::one_hot::one_hot;
use crate::ranking::placement;
use crate::ranking::points::Points;
use crate::ranking::rows::{Regression, Row};
use crate::ranking::sampled::{Independent, errors};
use crate::ranking::strengths;
use crate::ranking::sums::{Pair, Sums};
use crate::ranking::system::System;
use crate::special::t_quantile;
use crate::stop;
use crate::stream::{Stream, stream};
use crate::version::Version;
use std::collections::{BinaryHeap, HashMap, HashSet};

/// Beyond so many items of one parameter each questions are chosen here.
pub(super) const MANY: usize = 600;
/// So many of the next neediest are looked at for a partner, and at most so many where most of them will not do.
const TRIED: (usize, usize) = (12, 400);
/// What an item without any question is taken to know, in questions among even items.
const NOTHING: f64 = 0.01;
/// Choices per item, and at least; where the budget buys more questions, each choice stands for several.
const STEPS: (usize, usize) = (40, 2_000);
/// The points of the curve, the start not counted, and the draws for each.
const POINTS: usize = 4;
const DRAWS: usize = 64;
/// The first step of the path of the random order.
const ORDER: u64 = 0x0de4;

/// What is known before the first question.
struct Known {
    strengths: Vec<f64>,
    /// The votes there are and the questions that are open, as information: (i, j, n μ′).
    rows: Vec<(usize, usize, f64)>,
    scores: Option<Vec<f64>>,
    contenders: Vec<usize>,
    /// ω of every item.
    weights: Vec<f64>,
    inflation: f64,
}

impl Known {
    fn new(items: usize, votes: Option<&Ballots>, options: &PlanOptions) -> Result<Self> {
        let allowed: Vec<usize> = (0..items).filter(|i| !options.excluded_items.contains(i)).collect();
        let mut weights = vec![0.0; items];
        allowed.iter().for_each(|&item| weights[item] = 1.0);
        let mut known = Self {
            strengths: vec![0.0; items],
            rows: Vec::new(),
            scores: None,
            contenders: allowed,
            weights,
            inflation: 1.0,
        };
        match votes {
            Some(ballots) if ballots.items().len() != items => {
                return Err(Error::Data(format!(
                    "the votes are about {} items, the list has {items}",
                    ballots.items().len()
                )));
            }
            Some(ballots) if ballots.used() > 0.0 => known.learn(ballots, options)?,
            _ => {}
        }
        for &Duel(i, j) in &options.open {
            known.rows.push((i, j, Link::Logistic.mu_prime(known.strengths[i] - known.strengths[j])));
        }
        Ok(known)
    }

    fn learn(&mut self, ballots: &Ballots, options: &PlanOptions) -> Result<()> {
        let sums = Sums::new(ballots, false);
        let rows: Vec<Row> = sums.pairs.iter().map(Row::from).collect();
        let votes = Regression { items: sums.len(), rows: &rows, z: &[], covariates: 0, points: Points::default() };
        // A small penalty holds what the votes alone do not: it only serves to guess the slopes.
        self.strengths = votes.fit(FitOptions::default().ridge.max(0.1), None).parameters;
        self.rows = sums
            .pairs
            .iter()
            .map(|pair| {
                (
                    pair.i,
                    pair.j,
                    pair.effective() * Link::Logistic.mu_prime(self.strengths[pair.i] - self.strengths[pair.j]),
                )
            })
            .collect();
        self.scores = Some(strengths::scores(Points::default(), &self.strengths));
        let choice = placement::choose(ballots, &[], 0.0, true, true);
        if choice.ranked.len() < 2 {
            return Ok(());
        }
        let placed = Sums::of(ballots, choice.ranked.clone());
        let estimate = one_hot(&placed, true, options.seed)?;
        self.inflation = inflation(&placed, &estimate, options.seed);
        let mut order: Vec<usize> =
            (0..placed.len()).filter(|&at| !options.excluded_items.contains(&placed.items[at])).collect();
        sort_descending(&mut order, &estimate.borda);
        if order.len() < 2 {
            return Ok(());
        }
        let leader = order[0];
        let first = best(&estimate, &order, options.level, options.seed).contenders;
        let unplaced = choice.unranked.iter().map(|u| u.item).filter(|item| !options.excluded_items.contains(item));
        let unplaced: Vec<usize> = unplaced.collect();
        self.contenders = first.iter().map(|&at| placed.items[at]).chain(unplaced.iter().copied()).collect();
        if options.goal == Goal::Winner {
            // Where the winner is clear, what can still be told better is its lead over everybody.
            let rivals = if self.contenders.len() > 1 { &first[1..] } else { &order[1..] };
            self.weights.fill(0.0);
            let far = 1.0 / options.margin.powi(2);
            unplaced.iter().for_each(|&item| self.weights[item] = far);
            let mut sum = if unplaced.is_empty() { 0.0 } else { far };
            for &rival in rivals {
                let gap = (estimate.borda[leader] - estimate.borda[rival]).max(options.margin);
                self.weights[placed.items[rival]] = 1.0 / (gap * gap);
                sum += 1.0 / (gap * gap);
            }
            self.weights[placed.items[leader]] = sum;
        }
        Ok(())
    }
}

/// The mean over items of the estimated variance of a score over that of independent votes from the model.
fn inflation(sums: &Sums, estimate: &Estimate, seed: u64) -> f64 {
    let Some(fitted) = &estimate.fitted else { return 1.0 };
    let strengths: Vec<f64> = fitted.strengths().into_iter().map(|(s, _)| s).collect();
    let row = |pair: &Pair| {
        let slope = Link::Logistic.mu_prime(strengths[pair.i] - strengths[pair.j]);
        (Row { i: pair.i, j: pair.j, ..Row::default() }, pair.effective() * slope)
    };
    let (rows, weights): (Vec<Row>, Vec<f64>) = sums.pairs.iter().map(row).unzip();
    let votes = Regression { items: sums.len(), rows: &rows, z: &[], covariates: 0, points: Points::default() };
    let system = System { votes, weights: &weights, ridge: 0.0 };
    let found = errors(&system, &system.preconditioner(), &Independent(&weights), &strengths, (seed, DRAWS));
    let ratio = |i: usize| (estimate.error(i) / found.spread.error(i).max(f64::MIN_POSITIVE)).powi(2);
    (0..sums.len()).map(ratio).sum::<f64>() / sums.len() as f64
}

/// Plans questions about these items, each with a parameter of its own.
pub(super) fn plan(items: usize, votes: Option<&Ballots>, options: &PlanOptions) -> Result<Sheet> {
    let known = Known::new(items, votes, options)?;
    let steps = choose(items, &known, options)?;
    let asks = sides::order(items, &steps);
    let mut pairs = Pairs::new(&steps);
    let z = t_quantile(0.5 + 0.5 * options.level, f64::INFINITY) * known.inflation.sqrt();
    let (start, mut half_widths) = precision(items, &known, &[], (z, options.seed));
    let mut curve = vec![start];
    for asked in (1..=POINTS).map(|point| point * asks.len() / POINTS).filter(|&asked| asked > 0) {
        let before = curve[curve.len() - 1].asked;
        if asked > before {
            pairs.ask(&asks[before..asked]);
            let (point, widths) = precision(items, &known, &pairs.list, (z, options.seed));
            curve.push(Precision { asked, spent: pairs.spent(), ..point });
            half_widths = widths;
        }
    }
    Ok(Sheet {
        version: Version,
        pairs: pairs.planned(),
        asks,
        curve,
        half_widths,
        scores: known.scores,
        contenders: known.contenders,
        inflation: known.inflation,
    })
}

/// The precision that what is known and these questions give, and every item's half-width.
fn precision(items: usize, known: &Known, asked: &[Step], (z, seed): (f64, u64)) -> (Precision, Option<Vec<f64>>) {
    let unknown = Precision { asked: 0, spent: 0.0, mean: None, worst: None, difference: None };
    let more = asked.iter().filter(|step| step.times > 0).map(|step| (step.i, step.j, step.times as f64 * step.slope));
    let (rows, weights): (Vec<Row>, Vec<f64>) = known
        .rows
        .iter()
        .copied()
        .chain(more)
        .filter(|(_, _, weight)| *weight > 0.0)
        .map(|(i, j, weight)| (Row { i, j, ..Row::default() }, weight))
        .unzip();
    let mut groups = Groups::new(items);
    rows.iter().for_each(|row| groups.join(row.i, row.j));
    if groups.count > 1 {
        return (unknown, None);
    }
    let votes = Regression { items, rows: &rows, z: &[], covariates: 0, points: Points::default() };
    let system = System { votes, weights: &weights, ridge: 0.0 };
    let found = errors(&system, &system.preconditioner(), &Independent(&weights), &known.strengths, (seed, DRAWS));
    let widths: Vec<f64> = (0..items).map(|item| z * found.spread.error(item)).collect();
    let counted: Vec<f64> = widths.iter().zip(&known.weights).filter(|(_, w)| **w > 0.0).map(|(x, _)| *x).collect();
    let leader = known.contenders.first().copied().unwrap_or(0);
    let difference = known.contenders.iter().skip(1).map(|&item| z * found.spread.difference(leader, item));
    let point = Precision {
        mean: Some(widths.iter().sum::<f64>() / items as f64),
        worst: counted.iter().copied().reduce(f64::max),
        difference: difference.reduce(f64::max),
        ..unknown
    };
    (point, Some(widths))
}

/// An item that waits for questions, the neediest first; equal ones in random order.
#[derive(Clone, Copy, PartialEq)]
struct Waiting {
    /// The least questions it still has to get.
    due: usize,
    gain: f64,
    lot: u64,
    item: usize,
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let due = |w: &Self| w.due > 0;
        due(self).cmp(&due(other)).then(self.gain.total_cmp(&other.gain)).then(self.lot.cmp(&other.lot))
    }
}

/// What is kept while questions are chosen.
struct Choice<'a> {
    known: &'a Known,
    /// D, in questions of slope 1.
    told: Vec<f64>,
    due: Vec<usize>,
    draw: Stream,
}

impl Choice<'_> {
    /// By how much m more lowers ω/D.
    fn gain(&self, item: usize, m: f64) -> f64 {
        let d = self.told[item] + 0.25 * NOTHING;
        self.known.weights[item] * m / (d * (d + m))
    }

    fn waiting(&mut self, item: usize) -> Waiting {
        Waiting { due: self.due[item], gain: self.gain(item, 0.25), lot: self.draw.bits(), item }
    }
}

fn choose(items: usize, known: &Known, options: &PlanOptions) -> Result<Vec<Step>> {
    let taboo: HashSet<(usize, usize)> = options.excluded.iter().map(|&(i, j)| sorted(i, j)).collect();
    let costs: HashMap<(usize, usize), f64> = options.costs.iter().map(|&(i, j, c)| (sorted(i, j), c)).collect();
    let cheapest = costs.values().copied().fold(1.0, f64::min);
    let [mut open, mut asked] = [(); 2].map(|()| HashMap::<(usize, usize), usize>::new());
    let mut groups = Groups::new(items);
    let mut due = vec![options.least_per_item; items];
    options.excluded_items.iter().for_each(|&item| due[item] = 0);
    for &Duel(i, j) in &options.open {
        *open.entry(sorted(i, j)).or_default() += 1;
        due[i] = due[i].saturating_sub(1);
        due[j] = due[j].saturating_sub(1);
    }
    let mut told = vec![0.0; items];
    for &(i, j, weight) in &known.rows {
        told[i] += weight;
        told[j] += weight;
        groups.join(i, j);
    }
    let steps = options.steps.unwrap_or_else(|| STEPS.1.max(STEPS.0 * items));
    // A pair whose cost is not said costs 1.
    let mostly_said = 4 * costs.len() > items * (items - 1);
    let typical = if mostly_said { median(costs.values().copied().collect()) } else { 1.0 };
    let part = (options.budget / steps.max(1) as f64).max(typical);
    let mut choice = Choice { known, told, due, draw: stream(options.seed, &[ORDER]) };
    let allowed: Vec<usize> = (0..items).filter(|item| !options.excluded_items.contains(item)).collect();
    let mut heap: BinaryHeap<Waiting> = allowed.iter().map(|&item| choice.waiting(item)).collect();
    let dear = costs.iter().filter(|(_, cost)| **cost > options.budget + 1e-9).map(|(&pair, _)| pair);
    let barred: HashSet<(usize, usize)> = taboo.iter().copied().chain(dear).collect();
    let barred = barred.iter().filter(|(i, j)| i != j && [i, j].iter().all(|i| !options.excluded_items.contains(i)));
    let alone = allowed.len() * (allowed.len() - 1) / 2 - barred.count() < 2;
    let (mut chosen, mut passed, mut resting) = (Vec::new(), Vec::new(), BinaryHeap::new());
    let mut total = 0;
    let (mut left, mut credit) = (options.budget, 0.0);
    while let Some(first) = heap.pop() {
        stop::check();
        let i = first.item;
        // The best partner of those next in need, one of another group before all others.
        let mut found: Option<((bool, f64), Step, usize)> = None;
        let mut rests = false;
        while passed.len() < TRIED.1 && (found.is_none() || passed.len() < TRIED.0) {
            let Some(next) = heap.pop() else { break };
            passed.push(next);
            let pair = sorted(i, next.item);
            let [own, before] = [&asked, &open].map(|counts| counts.get(&pair).copied().unwrap_or(0));
            let room = options.most_per_pair.map_or(usize::MAX, |most| most.saturating_sub(own + before));
            let cost = costs.get(&pair).copied().unwrap_or(1.0);
            if room == 0 || cost > left + 1e-9 || taboo.contains(&pair) {
                continue;
            }
            let turns = if alone { usize::MAX } else { turns::most_beside(total - own) - own };
            if turns == 0 {
                rests = true;
                continue;
            }
            let room = room.min(turns);
            let slope = Link::Logistic.mu_prime(known.strengths[i] - known.strengths[next.item]);
            let gain = (choice.gain(i, slope) + choice.gain(next.item, slope)) / cost;
            let value = (groups.count > 1 && groups.of(i) != groups.of(next.item), gain);
            if found.as_ref().is_none_or(|(most, ..)| value > *most) {
                let step = Step { i: pair.0, j: pair.1, times: room, slope, cost };
                found = Some((value, step, passed.len() - 1));
            }
        }
        let partner = found.map(|(_, mut step, at)| {
            credit += part;
            let wanted = if first.due > 0 { 1 } else { ((credit + 1e-9) / step.cost) as usize };
            step.times = wanted.min(step.times).min(((left + 1e-9) / step.cost) as usize).max(1);
            credit = (credit - step.times as f64 * step.cost).clamp(0.0, part);
            left -= step.cost * step.times as f64;
            *asked.entry((step.i, step.j)).or_default() += step.times;
            total += step.times;
            groups.join(step.i, step.j);
            for item in [step.i, step.j] {
                choice.told[item] += step.times as f64 * step.slope;
                choice.due[item] = choice.due[item].saturating_sub(step.times);
            }
            chosen.push(step);
            passed.swap_remove(at).item
        });
        heap.extend(passed.drain(..));
        // Without a partner an item is asked no more, unless it only has to wait for its turn.
        if let Some(partner) = partner {
            heap.push(choice.waiting(i));
            heap.push(choice.waiting(partner));
            heap.append(&mut resting);
        } else if rests {
            resting.push(first);
        }
        if left < cheapest - 1e-9 {
            break;
        }
    }
    if choice.due.iter().any(|&due| due > 0) {
        return Err(Error::setting(
            "least per item",
            options.least_per_item,
            "cannot be met with this budget and these constraints: raise the budget or lower it",
        ));
    }
    if chosen.is_empty() {
        return Err(Error::setting("budget", options.budget, "does not buy a single question"));
    }
    Ok(chosen)
}

/// Items that questions join.
struct Groups {
    parent: Vec<usize>,
    count: usize,
}

impl Groups {
    fn new(items: usize) -> Self {
        Self { parent: (0..items).collect(), count: items }
    }

    fn of(&mut self, item: usize) -> usize {
        let mut at = item;
        while self.parent[at] != at {
            self.parent[at] = self.parent[self.parent[at]];
            at = self.parent[at];
        }
        at
    }

    fn join(&mut self, i: usize, j: usize) {
        let (a, b) = (self.of(i), self.of(j));
        if a != b {
            self.parent[a.max(b)] = a.min(b);
            self.count -= 1;
        }
    }
}
