//! A judge's answers to the same questions as a control variate: they save people's votes, and decide nothing.
//!
//! A question is a pair and a context. Where the judge has answered a pair on all of *these* contexts, the mean z̄ of
//! its answers over them is known, and people's answer y to one of the questions may be replaced by y − λ(z − z̄):
//! whatever λ is, and however wrong the judge, its mean is that of y, and with λ = Cov(y, z)/Var z within pairs its
//! variance is 1 − ρ² of it. λ is estimated from all these pairs together, z̄ is weighed as the ranking weighs contexts
//! (see `ranking::contexts`). A pair that the judge has not answered everywhere is left as it is. About contexts *like*
//! these nothing is saved: there z̄ would have to be known of contexts that nobody has seen.

use crate::about::About;
use crate::ballots::{Ballots, PairVotes};
use crate::error::Result;
use crate::ranking::contexts::weights_by_context;
use crate::ranking::{Model, RankOptions, Ranking, rank};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// What a judge's answers to the same questions did to a ranking.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Control {
    /// The weight λ of the control variate.
    pub lambda: f64,
    /// ρ, the correlation of a person's answer and the judge's within the pairs in question.
    pub correlation: f64,
    /// How many pairs the judge has answered in all contexts.
    pub pairs: usize,
    /// The share of people's votes that are on them.
    pub share: f64,
}

impl Control {
    /// The share of people's votes that it saves: ρ² of those on the pairs in question.
    pub fn saved(&self) -> f64 {
        self.share * self.correlation.max(0.0).powi(2)
    }
}

/// Ranks the items by people's votes, their variance reduced by what a judge answered to the same questions; `None`
/// where nothing of the kind could be used, and the ranking is that of people's votes alone.
///
/// # Errors
/// Those of [`rank`].
pub fn rank_controlled(
    people: &Ballots,
    judge: &Ballots,
    model: &Model,
    options: &RankOptions,
) -> Result<(Ranking, Option<Control>)> {
    let plain = rank(people, model, options)?;
    let these = plain.contexts.as_ref().is_some_and(|over| over.about == About::These);
    let found = if these && !people.weighted() { control(people, judge) } else { None };
    let Some((controlled, control)) = found else { return Ok((plain, None)) };
    let mut ranking = rank(&controlled, model, options)?;
    // What is checked is what people said.
    (ranking.checks, ranking.pairs) = (plain.checks, plain.pairs);
    Ok((ranking, Some(control)))
}

/// The judge's mean answer z to every question, seen from the item of the lower number of people's.
fn answers(people: &Ballots, judge: &Ballots) -> HashMap<(u32, u32, u32), f64> {
    let items: Vec<Option<u32>> = judge.items().iter().map(|name| people.find_item(name)).collect();
    let own: HashMap<String, u32> = people.context_names().into_iter().zip(0..).collect();
    let contexts: Vec<Option<u32>> = judge.context_names().iter().map(|name| own.get(name).copied()).collect();
    let mut sums: HashMap<(u32, u32, u32), [f64; 2]> = HashMap::new();
    for cell in judge.cells().iter().filter(|cell| cell.w > 0.0) {
        let context = cell.context.and_then(|context| contexts[context as usize]);
        let (left, right) = (items[cell.left as usize], items[cell.right as usize]);
        let (Some(context), Some(left), Some(right)) = (context, left, right) else { continue };
        let sum = sums.entry((left.min(right), left.max(right), context)).or_default();
        let y = 2.0 * cell.wr - cell.w;
        sum[0] += cell.w;
        sum[1] += if left > right { -y } else { y };
    }
    sums.into_iter().map(|(question, [w, y])| (question, y / w)).collect()
}

/// People's votes less λ(z − z̄), where the judge has answered a pair in all contexts.
fn control(people: &Ballots, judge: &Ballots) -> Option<(Ballots, Control)> {
    let z = answers(people, judge);
    let mut votes = vec![0.0; people.contexts()];
    for cell in people.cells() {
        if let Some(context) = cell.context {
            votes[context as usize] += cell.n;
        }
    }
    // What a vote counts in a context, and what the context does.
    let everything: Vec<usize> = (0..people.items().len()).collect();
    let counts = weights_by_context(people, &everything).unwrap_or_else(|| vec![1.0; votes.len()]);
    let weights: Vec<f64> = votes.iter().zip(&counts).map(|(n, v)| n * v).collect();
    let all: f64 = weights.iter().sum();
    let pair = |cell: &PairVotes| (cell.left.min(cell.right), cell.left.max(cell.right));
    let mut means: HashMap<(u32, u32), Option<f64>> = HashMap::new();
    for cell in people.cells() {
        let (i, j) = pair(cell);
        means.entry((i, j)).or_insert_with(|| {
            let each = (0_u32..).zip(&weights).filter(|(_, weight)| **weight > 0.0);
            let sum = each.map(|(context, weight)| z.get(&(i, j, context)).map(|z| weight * z)).sum::<Option<f64>>();
            sum.map(|sum| sum / all)
        });
    }
    // z − z̄ of a cell's question, seen from its lower item.
    let off = |cell: &PairVotes| {
        let ((i, j), context) = (pair(cell), cell.context?);
        Some(z.get(&(i, j, context))? - means.get(&(i, j)).copied().flatten()?)
    };
    // Of every pair Σw, Σwy, Σwz, Σwyz, Σwy², Σwz², in the order in which pairs are met.
    let mut place: HashMap<(u32, u32), usize> = HashMap::new();
    let mut sums: Vec<[f64; 6]> = Vec::new();
    let mut covered = 0.0;
    for cell in people.cells().iter().filter(|cell| cell.n > 0.0) {
        let (Some(z), Some(context)) = (off(cell), cell.context) else { continue };
        let (v, sign) = (counts[context as usize], if cell.left > cell.right { -1.0 } else { 1.0 });
        let (y, squares) = (sign * (2.0 * cell.wr - cell.w), 4.0 * (cell.w2r2 - cell.w2r) + cell.w2);
        let at = *place.entry(pair(cell)).or_insert_with(|| {
            sums.push([0.0; 6]);
            sums.len() - 1
        });
        let more = [cell.w, y, cell.w * z, y * z, squares, cell.w * z * z];
        sums[at].iter_mut().zip(more).for_each(|(sum, more)| *sum += v * more);
        covered += cell.n;
    }
    let within =
        |a: usize, b: usize, both: usize| -> f64 { sums.iter().map(|sum| sum[both] - sum[a] * sum[b] / sum[0]).sum() };
    let (cov, of_y, of_z) = (within(1, 2, 3), within(1, 1, 4), within(2, 2, 5));
    if !(of_y > 0.0 && of_z > 0.0) {
        return None;
    }
    let lambda = cov / of_z;
    let controlled = people.shifted(|cell| {
        let sign = if cell.left > cell.right { -1.0 } else { 1.0 };
        // r = (y + 1)/2.
        off(cell).map_or(0.0, |z| 0.5 * sign * lambda * z)
    });
    let (correlation, pairs) = (cov / (of_y * of_z).sqrt(), sums.len());
    Some((controlled, Control { lambda, correlation, pairs, share: covered / people.used() }))
}
