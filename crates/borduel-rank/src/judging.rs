//! What a cheap judge, such as a language model, is worth beside people: whom it over- and underrates, which side it
//! prefers, how far it agrees with people who were asked the same, and how many of their votes its answers would save.
//!
//! *Bias.* Both are fitted by themselves, with strengths s (people's) and t (the judge's), the advantage of the first
//! side removed where sides are known. A judge may be surer than a person, or less sure, without favouring anybody, so
//! that t(i) = c + a s(i) + b(i): its sharpness a ≥ 0 is common to all items, and c = median(t − a s), for one item
//! that is overrated pushes all others down. a is Siegel's repeated median (1982) of the slopes between two items,
//! med_i med_{j≠i} (t_i − t_j)/(s_i − s_j), which nearly half of the items cannot spoil, over 1 − mean v_s/Var
//! s: the errors of s make slopes too flat. b(i) has the variance v_t + a² v_s + Var c + (s − s̄)² Var a, where
//! with σ² = mean(v_t + a² v_s) the median has Var c = π/2 · σ²/K and the slope Var a = σ²/(0.6 K Var s), its
//! efficiency being about 0.6. Intervals are those of all K items together (Bonferroni), and told in points: what b
//! adds to the chance of i to beat a random other item, at strengths a s. The errors of both sides are taken as
//! independent; where judge and people agree on the same questions, the true error is smaller.
//!
//! *Opinion* is what a judge's votes alone say of items, as a hint to whoever asks people.
//!
//! *Agreement and saving* are in [`questions`]: of the very same questions, by pair and context.

mod answers;
mod control;
mod prices;
pub mod questions;

pub use answers::JudgeAnswers;
pub use control::{Control, rank_controlled};
pub use prices::{Paid, Prices};
pub use questions::{Agreements, Saving};

use crate::ballots::Ballots;
use crate::error::{Error, Result};
use crate::link::Link;
use crate::order::descending;
use crate::ranking::estimate::Estimate;
use crate::ranking::fitted::Fitted;
use crate::ranking::sums::{Grouping, Sums};
use crate::ranking::{Interval, one_hot, placement};
use crate::special::t_quantile;
use serde::{Deserialize, Serialize};

/// How an item fares with people and with the judge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Rated {
    /// The identifier of the item.
    pub item: String,
    /// People's score: its chance to beat a random other item.
    pub people: Interval,
    /// The item's score by the judge's votes.
    pub judge: Interval,
    /// Its place by people's scores, from 1.
    pub people_place: usize,
    /// Its place by the judge's.
    pub judge_place: usize,
    /// By how much the judge overrates it, as a share; the interval holds for all items together.
    pub bias: Interval,
    /// Whether that is beyond chance, all items taken together.
    pub clear: bool,
}

/// What the first side gains between equal items, as a share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Sides {
    /// With people, where it can be told.
    pub people: Option<Interval>,
    /// With the judge, where it can be told.
    pub judge: Option<Interval>,
}

/// Shares of ties among all answers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TieShares {
    /// The share of ties among people's answers.
    pub people: f64,
    /// The share of ties among the judge's answers.
    pub judge: f64,
}

/// What a judge is worth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Worth {
    /// The items of both, by people's scores.
    pub items: Vec<Rated>,
    /// Items that only one of them can rank.
    pub left_out: Vec<String>,
    /// People's used votes on these items, and the judge's.
    pub votes: (f64, f64),
    /// a: how much surer the judge is than a person.
    pub sharpness: f64,
    /// The rank correlation of both scores (Spearman's).
    pub correlation: f64,
    /// Which side is preferred.
    pub sides: Sides,
    /// How often they call it a tie.
    pub ties: TieShares,
    /// How far the judge agrees with a person, and people with each other, on the same questions.
    pub agreement: Option<Agreements>,
    /// What its answers would save, where questions have contexts.
    pub saving: Option<Saving>,
    /// Whether the judge, being an item itself, favours itself: the item's bias with an interval of its own.
    pub itself: Option<(String, Interval)>,
    /// The confidence of all intervals.
    pub level: f64,
}

impl Worth {
    /// The items that are over- or underrated beyond chance, the most first.
    pub fn biased(&self) -> Vec<&Rated> {
        let size = |rated: &Rated| rated.bias.estimate.unwrap_or(0.0).abs();
        let mut found: Vec<&Rated> = self.items.iter().filter(|rated| rated.clear).collect();
        found.sort_by(|a, b| size(b).total_cmp(&size(a)));
        found
    }

    /// What the judge gives the first side beyond chance, as a share.
    pub fn side(&self) -> Option<f64> {
        let found = self.sides.judge.filter(|side| side.low > 0.0 || side.high < 0.0)?;
        found.estimate
    }
}

/// The fewest items of which a judge's sharpness and its biases can be told apart.
const FEWEST: usize = 3;

/// What the judge is worth beside these people, at this confidence; `itself` is the identifier of the item that the
/// judge is, if it is one.
///
/// # Errors
/// Fewer than three items that both can rank, or an item that is not among them.
pub fn worth(people: &Ballots, judge: &Ballots, level: f64, itself: Option<&str>) -> Result<Worth> {
    if !(level > 0.5 && level < 1.0) {
        return Err(Error::setting("level", level, "must lie between 0.5 and 1, such as 0.95"));
    }
    let (names, left_out) = common(people, judge)?;
    let restricted = |ballots: &Ballots| -> Result<Ballots> {
        let items: Vec<u32> = names.iter().filter_map(|name| ballots.find_item(name)).collect();
        ballots.restrict(&items).map_err(|refusal| Error::Data(refusal.to_string()))
    };
    let (people, judge) = (restricted(people)?, restricted(judge)?);
    let (ours, theirs) = (Side::new(&people, level)?, Side::new(&judge, level)?);
    let df = ours.estimate.df.min(theirs.estimate.df);
    let k = names.len();
    let line = Line::new(&ours.strengths, &theirs.strengths);
    let a = line.a;
    let bias = |i: usize, c: f64| {
        let s = ours.strengths[i].0;
        let (b, error) = line.bias(ours.strengths[i], theirs.strengths[i]);
        // In points, at a person's strengths as sharp as the judge.
        let points = |b: f64| {
            let gain = |j: usize| {
                let u = a * (s - ours.strengths[j].0);
                Link::Logistic.mu(u + b) - Link::Logistic.mu(u)
            };
            (0..k).filter(|&j| j != i).map(gain).sum::<f64>() / (k - 1) as f64
        };
        let (low, high) = (points(b - c * error), points(b + c * error));
        let slope = (points(b + 1e-4) - points(b - 1e-4)) / 2e-4;
        Interval { estimate: Some(points(b)), low, high, error: slope * error }
    };
    let together = t_quantile(1.0 - 0.5 * (1.0 - level) / k as f64, df);
    let (people_places, judge_places) = (places(&ours.estimate.borda), places(&theirs.estimate.borda));
    let mut items: Vec<Rated> = (0..k)
        .map(|i| {
            let bias = bias(i, together);
            Rated {
                item: names[i].clone(),
                people: ours.intervals[i],
                judge: theirs.intervals[i],
                people_place: people_places[i],
                judge_place: judge_places[i],
                bias,
                clear: bias.low > 0.0 || bias.high < 0.0,
            }
        })
        .collect();
    let itself = match itself {
        None => None,
        Some(name) => {
            let at = names.iter().position(|own| own == name).ok_or_else(|| {
                Error::Data(format!("the judge is said to be {name:?}, which is no item that both sides rank"))
            })?;
            Some((name.to_owned(), bias(at, t_quantile(0.5 + 0.5 * level, df))))
        }
    };
    items.sort_by_key(|rated| rated.people_place);
    let ties = |ballots: &Ballots| ballots.totals().tie / ballots.totals().total().max(1.0);
    let asked = questions::asked(&people, &judge);
    Ok(Worth {
        items,
        left_out,
        votes: (people.used(), judge.used()),
        sharpness: a,
        correlation: spearman(&people_places, &judge_places),
        sides: Sides { people: ours.position, judge: theirs.position },
        ties: TieShares { people: ties(&people), judge: ties(&judge) },
        agreement: questions::agreements(&asked, level),
        saving: questions::saving(&asked, level),
        itself,
        level,
    })
}

/// What a judge thinks of items, by name: strengths by its votes alone, the advantage of a side removed, each drawn to
/// their mean s̄ by its own error e, s̄ + (s − s̄) τ²/(τ² + e²), τ² = Var s − mean e² (empirical Bayes).
///
/// # Errors
/// Votes that rank fewer than two items.
pub fn opinion(judge: &Ballots) -> Result<Vec<(String, f64)>> {
    let choice = placement::choose(judge, &[], 0.0, true, true);
    let items: Vec<u32> = choice.ranked.iter().map(|&item| item as u32).collect();
    if items.len() < 2 {
        return Err(Error::Data("its votes rank fewer than two items".to_owned()));
    }
    let ballots = judge.restrict(&items).map_err(|refusal| Error::Data(refusal.to_string()))?;
    let strengths = Side::new(&ballots, 0.95)?.strengths;
    let k = strengths.len() as f64;
    let mean = strengths.iter().map(|s| s.0).sum::<f64>() / k;
    let spread = strengths.iter().map(|s| (s.0 - mean).powi(2)).sum::<f64>() / (k - 1.0);
    let own = (spread - strengths.iter().map(|s| s.1 * s.1).sum::<f64>() / k).max(0.0);
    // Without any spread of their own nothing is left of them.
    let drawn = |(s, e): &(f64, f64)| if own > 0.0 { mean + (s - mean) * own / (own + e * e) } else { mean };
    Ok(ballots.items().iter().cloned().zip(strengths.iter().map(drawn)).collect())
}

/// The identifiers of the items that both can rank, sorted, and of those that only one can.
fn common(people: &Ballots, judge: &Ballots) -> Result<(Vec<String>, Vec<String>)> {
    let ranked = |ballots: &Ballots| -> Vec<String> {
        let choice = placement::choose(ballots, &[], 0.0, true, true);
        choice.ranked.iter().map(|&item| ballots.items()[item].clone()).collect()
    };
    let (ours, theirs) = (ranked(people), ranked(judge));
    let both = |name: &&String| ours.contains(name) && theirs.contains(name);
    let mut names: Vec<String> = ours.iter().filter(both).cloned().collect();
    names.sort();
    if names.len() < FEWEST {
        return Err(Error::Data(format!(
            "people rank {} items, the judge {}, and only {} are the same: a judge is measured on at least {FEWEST} \
             items that both were asked about, under the same names",
            ours.len(),
            theirs.len(),
            names.len()
        )));
    }
    let mut left_out: Vec<String> = ours.iter().chain(&theirs).filter(|name| !names.contains(name)).cloned().collect();
    left_out.sort();
    left_out.dedup();
    Ok((names, left_out))
}

/// One side's fit: scores with intervals, strengths with their errors, and what the first side gains.
struct Side {
    estimate: Estimate,
    intervals: Vec<Interval>,
    strengths: Vec<(f64, f64)>,
    /// What the item on the first side gains.
    position: Option<Interval>,
}

impl Side {
    fn new(ballots: &Ballots, level: f64) -> Result<Self> {
        let items: Vec<usize> = (0..ballots.items().len()).collect();
        let shown = Grouping { as_shown: true, ..Grouping::default() };
        let plain = || one_hot::one_hot(&Sums::of(ballots, items.clone()), true, 1);
        // Where every pair was shown in one order and these say nothing about the sides, they cannot be told from
        // items.
        let shown =
            ballots.sides_known().then(|| one_hot::one_hot(&Sums::grouped(ballots, items.clone(), shown), true, 1));
        let (estimate, sided) = match shown {
            Some(Ok(estimate)) => (estimate, true),
            _ => (plain()?, false),
        };
        let c = t_quantile(0.5 + 0.5 * level, estimate.df);
        let bounds = estimate.at(c);
        let interval = |i: usize| {
            let (down, up) = bounds.reach(i);
            let b = estimate.borda[i];
            let (low, high) = ((b - down).max(0.0), (b + up).min(1.0));
            Interval { estimate: Some(b), low, high, error: estimate.error(i) }
        };
        let intervals = (0..items.len()).map(interval).collect();
        // One strength an item is always a fitted model.
        let fitted = estimate.fitted.as_ref();
        let strengths = fitted.map(Fitted::strengths).unwrap_or_default();
        let gain = |u: f64| Link::Logistic.mu(u) - 0.5;
        let effect = fitted.filter(|_| sided).and_then(|fitted| fitted.effects().first().copied());
        let position = effect.map(|(u, error)| Interval {
            estimate: Some(gain(u)),
            low: gain(u - c * error),
            high: gain(u + c * error),
            error: Link::Logistic.mu_prime(u) * error,
        });
        Ok(Self { estimate, intervals, strengths, position })
    }
}

/// How the judge's strengths follow people's: t = c + a s, with what is not known of a and c.
struct Line {
    a: f64,
    c: f64,
    /// s̄, Var a and Var c.
    mean: f64,
    of_slope: f64,
    of_middle: f64,
}

impl Line {
    fn new(people: &[(f64, f64)], judge: &[(f64, f64)]) -> Self {
        let k = people.len() as f64;
        let mean = people.iter().map(|s| s.0).sum::<f64>() / k;
        let spread = people.iter().map(|s| (s.0 - mean).powi(2)).sum::<f64>() / (k - 1.0);
        let noise = people.iter().map(|s| s.1 * s.1).sum::<f64>() / k;
        // Strengths that are mostly noise tell little about slopes, however they are corrected.
        let reliable = (1.0 - noise / spread.max(f64::MIN_POSITIVE)).clamp(0.2, 1.0);
        let slopes = |i: usize| {
            let to = |j: usize| {
                let apart = people[i].0 - people[j].0;
                (apart.abs() > 1e-9).then(|| (judge[i].0 - judge[j].0) / apart)
            };
            median((0..people.len()).filter(|&j| j != i).filter_map(to).collect())
        };
        let slope = median((0..people.len()).filter_map(slopes).collect()).unwrap_or(0.0);
        let a = (slope / reliable).max(0.0);
        let rest = people.iter().zip(judge).map(|(s, t)| t.0 - a * s.0).collect();
        let both = people.iter().zip(judge).map(|(s, t)| t.1 * t.1 + a * a * s.1 * s.1).sum::<f64>() / k;
        Self {
            a,
            c: median(rest).unwrap_or(0.0),
            mean,
            of_slope: both / (0.6 * k * (spread * reliable).max(f64::MIN_POSITIVE)),
            of_middle: std::f64::consts::FRAC_PI_2 * both / k,
        }
    }

    /// b(i) and its standard error.
    fn bias(&self, (s, e): (f64, f64), (t, f): (f64, f64)) -> (f64, f64) {
        let own = f * f + (self.a * e).powi(2);
        let line = self.of_middle + (s - self.mean).powi(2) * self.of_slope;
        (t - self.c - self.a * s, (own + line).sqrt())
    }
}

/// The middle one, or the mean of the two in the middle.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let n = values.len();
    (n > 0).then(|| 0.5 * (values[(n - 1) / 2] + values[n / 2]))
}

/// Places from 1 by score, the highest first.
fn places(scores: &[f64]) -> Vec<usize> {
    let order = descending(scores);
    let mut places = vec![0; scores.len()];
    order.iter().enumerate().for_each(|(place, &item)| places[item] = place + 1);
    places
}

/// 1 − 6 Σd²/(K(K² − 1)).
fn spearman(a: &[usize], b: &[usize]) -> f64 {
    let k = a.len() as f64;
    let squares: f64 = a.iter().zip(b).map(|(&a, &b)| (a as f64 - b as f64).powi(2)).sum();
    1.0 - 6.0 * squares / (k * (k * k - 1.0))
}
