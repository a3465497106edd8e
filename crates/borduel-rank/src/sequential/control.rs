//! A judge's answers to the same questions as a control variate at any time, about *these* contexts.
//!
//! With z the judge's answer (from −1 to 1) to a pair in a context and z̄ its mean over all contexts, which is known
//! before anybody is asked, y − λ(z − z̄) takes the place of a person's answer y; y = 2r − 1. Whatever λ is, and
//! however wrong the judge, the mean over contexts stays what it is. λ = Cov(y, z)/Var z within pairs, from all pairs
//! together, is shrunk by its own error (λ − se²/λ, or 0).
//!
//! **What a vote is then worth.** A pair's variance is taken as f of what it was, 1 − f = s λ² Var z/Var y, with its own
//! Var z (known) and Var y (of its own votes, one more for either side; but no less than what λ explains and leaves).
//! That a common λ is right for a pair is not taken for granted: s = 2 λ_p/λ − 1 if λ_p is right there. s ∈ \[0, 1\] is
//! the smaller one of its two items', with λ_i of the item's own pairs alone, drawn towards λ as far as items are seen to
//! be alike (empirical Bayes), yet to no more than an error above its own; and where the pair's own votes contradict
//! that, it is theirs, an error above λ_p, also below 0. So a judge that goes along with people on all items but one
//! takes nothing off what is not known about that one. Where voters are known, their habits are looked for in what is
//! left of their answers.
//!
//! Contexts are asked about evenly, which by itself makes a pair's mean more precise than answers in contexts drawn at
//! random. The verdict does not take that into account, so that it stays on the safe side where the judge takes part of
//! it for itself. Sizes and savings are counted in `tests/control.rs` of the crate `borduel`.

use super::votes::{PairSum, Votes};
use crate::duel::Arm;
use crate::judging::JudgeAnswers;
use std::collections::BTreeMap;

/// What a judge's answers to the same questions did to a verdict at any time.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Controlled {
    /// ρ, the correlation of a person's answer and the judge's within pairs, shrunk by its error.
    pub correlation: f64,
    /// How many of the pairs that people answered the judge has answered in all contexts.
    pub pairs: usize,
    /// The share of people's votes that it saves: without it, 1/(1 − saved) times as many would know as much.
    pub saved: f64,
}

impl Controlled {
    /// What a judge's answers do to votes whose contexts have the judge's numbers; nothing while too few of them say
    /// what that is.
    pub fn of(votes: &Votes, judge: &JudgeAnswers) -> Option<Self> {
        let number = |context: u32| Some(context as usize).filter(|&at| at < judge.contexts().len());
        controlled(votes, judge, &number).map(|(_, control)| control)
    }
}

/// Fewer answers than these beyond one a pair say nothing of a correlation.
const LEAST: f64 = 20.0;

/// Σ w, Σ wy, Σ wz, Σ wy², Σ wyz and Σ wz² of a pair, with the variance of z over all contexts.
#[derive(Default)]
struct Sums {
    w: f64,
    y: f64,
    z: f64,
    yy: f64,
    yz: f64,
    zz: f64,
    of_z: f64,
}

impl Sums {
    /// Sums of squares about the pair's means: of y, of both, of z.
    fn within(&self) -> [f64; 3] {
        let Self { w, y, z, .. } = *self;
        [self.yy - y * y / w, self.yz - y * z / w, self.zz - z * z / w]
    }
}

/// The same votes, those on pairs that the judge has answered corrected by it; nothing where it says too little.
/// `numbers` are the judge's numbers of the votes' contexts.
pub(super) fn controlled(
    votes: &Votes,
    answers: &JudgeAnswers,
    number: &dyn Fn(u32) -> Option<usize>,
) -> Option<(Votes, Controlled)> {
    let (mean, variance) = moments(answers, votes);
    // z − z̄ of a question, where it is known.
    let off = |context: Option<u32>, i: Arm, j: Arm| Some(answers.about(i, j)?[number(context?)?] - mean.get(&(i, j))?);
    let mut pairs: BTreeMap<(Arm, Arm), Sums> = BTreeMap::new();
    for (context, cells) in votes.by_context() {
        for (i, j, sum) in cells {
            // Weights are somebody's own notion of whom to hear: those votes are left as they are.
            if (sum.w2 - sum.w).abs() > 1e-9 * sum.w {
                return None;
            }
            let Some(z) = off(context, i, j) else { continue };
            let of = pairs.entry((i, j)).or_default();
            let y = 2.0 * sum.wr - sum.w;
            of.w += sum.w;
            of.y += y;
            of.z += sum.w * z;
            of.yy += sum.w - 4.0 * sum.soft;
            of.yz += y * z;
            of.zz += sum.w * z * z;
            of.of_z = variance[&(i, j)];
        }
    }
    let mut all = [0.0; 3];
    let mut of_item = vec![[0.0; 2]; votes.items()];
    for (&(i, j), sums) in &pairs {
        let [yy, yz, zz] = sums.within();
        all.iter_mut().zip([yy, yz, zz]).for_each(|(sum, x)| *sum += x);
        for item in [i, j] {
            of_item[item][0] += yz;
            of_item[item][1] += zz;
        }
    }
    let free = pairs.values().map(|sums| sums.w - 1.0).sum::<f64>() - 1.0;
    let [of_y, both, of_z] = all;
    if free < LEAST || !(of_y > 0.0 && of_z > 0.0) {
        return None;
    }
    let raw = both / of_z;
    let left = ((of_y - raw * both) / free).max(0.0);
    let lambda = if raw == 0.0 { 0.0 } else { raw * (1.0 - left / of_z / (raw * raw)).max(0.0) };
    // The most that s can be by these sums: an error above their slope.
    let most = |yz: f64, zz: f64| 2.0 * (yz / zz / lambda + (left / zz).sqrt() / lambda.abs()) - 1.0;
    let between = between(&of_item, raw, left);
    // How far the items' own pairs bear it out.
    let bears_out = |[yz, zz]: &[f64; 2]| {
        if lambda == 0.0 || *zz <= 0.0 {
            return 0.0;
        }
        let own = if between > 0.0 { between / (between + left / zz) * (yz / zz - raw) } else { 0.0 };
        (2.0 * own / lambda + 1.0).min(most(*yz, *zz)).clamp(0.0, 1.0)
    };
    let borne: Vec<f64> = of_item.iter().map(bears_out).collect();
    let kept = |i: Arm, j: Arm| {
        let Some(sums) = pairs.get(&(i, j)).filter(|_| lambda != 0.0) else { return 1.0 };
        let p = (0.5 * (sums.y + sums.w) + 1.0) / (sums.w + 2.0);
        let explained = lambda * lambda * sums.of_z;
        let taken = explained / (4.0 * p * (1.0 - p)).max(explained + left);
        let [_, yz, zz] = sums.within();
        // No more than the pair's own votes leave possible.
        let own = if zz > 0.0 { most(yz, zz) } else { 1.0 };
        let s = borne[i].min(borne[j]).min(own).max(-3.0);
        1.0 - (s * taken).min(MOST)
    };
    let corrected = votes.changed(|context, i, j, sum| match off(context, i, j) {
        None => *sum,
        Some(z) => {
            // r = (y + 1)/2.
            let shift = -0.5 * lambda * z * sum.w;
            PairSum { wr: sum.wr + shift, shift, w2: kept(i, j) * sum.w2, ..*sum }
        }
    });
    let worth: f64 = corrected.pairs().map(|(_, _, sum)| sum.votes()).sum();
    let correlation = lambda * (of_z / of_y).sqrt();
    let (pairs, saved) = (pairs.len(), (1.0 - votes.count() / worth).max(0.0));
    Some((corrected, Controlled { correlation, pairs, saved }))
}

/// The variance of slopes between items beyond their errors, by moments (DerSimonian and Laird 1986); `of_item` are
/// Σ yz and Σ z² within each item's pairs.
fn between(of_item: &[[f64; 2]], common: f64, left: f64) -> f64 {
    let (mut n, mut q, mut w, mut w2) = (0.0, 0.0, 0.0, 0.0);
    for [yz, zz] in of_item.iter().filter(|[_, zz]| *zz > 0.0) {
        let precision = zz / left;
        n += 1.0;
        q += precision * (yz / zz - common).powi(2);
        w += precision;
        w2 += precision * precision;
    }
    ((q - (n - 1.0)) / (w - w2 / w)).max(0.0)
}

/// The most of a variance that a judge can take off.
const MOST: f64 = 0.95;

/// A number for each pair.
type ByPair = BTreeMap<(Arm, Arm), f64>;

/// The mean and the variance of the answers about every pair that was voted on.
fn moments(answers: &JudgeAnswers, votes: &Votes) -> (ByPair, ByPair) {
    let known = votes.pairs().filter_map(|(i, j, _)| Some(((i, j), answers.about(i, j)?)));
    let one = |(pair, of): ((Arm, Arm), &[f64])| {
        let mean = of.iter().sum::<f64>() / of.len() as f64;
        let variance = of.iter().map(|z| (z - mean).powi(2)).sum::<f64>() / of.len() as f64;
        ((pair, mean), (pair, variance))
    };
    known.map(one).unzip()
}
