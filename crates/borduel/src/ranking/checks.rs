//! The checks that stand beside a verdict, each stated either way.

use super::distribution::{normal_cdf, two_sided};
use super::estimate::{Estimate, Fitted};
use super::graph;
use super::sums::Sums;
use crate::ballots::Ballots;
use crate::duel::Duel;
use crate::link::Link;
use nalgebra::{Cholesky, DVector};
use serde::Serialize;
use std::collections::HashSet;

/// One check: its name, whether all is well (`None` where that cannot be told), and what was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// A short name for programs.
    pub name: &'static str,
    /// Whether all is well; `None` where that cannot be told.
    pub ok: Option<bool>,
    /// What was found.
    pub text: String,
}

/// Everything the checks look at.
pub(crate) struct Context<'a> {
    pub(crate) ballots: &'a Ballots,
    pub(crate) sums: &'a Sums,
    pub(crate) estimate: &'a Estimate,
    /// The ranked items by score.
    pub(crate) order: &'a [usize],
    /// The fitted model, or (for counts) the one-hot model fitted for the checks alone.
    pub(crate) fitted: Option<&'a Fitted>,
    /// The Bradley–Terry strengths, where they could be fitted.
    pub(crate) strengths: Option<&'a [f64]>,
    /// What to call an item.
    pub(crate) name: &'a dyn Fn(usize) -> String,
}

/// The votes an item should have before its interval is taken at its word, and the voters likewise.
pub const ENOUGH_VOTES: f64 = 20.0;
/// See [`ENOUGH_VOTES`].
pub const ENOUGH_VOTERS: f64 = 30.0;

/// All checks.
pub(crate) fn checks(context: &Context<'_>) -> Vec<Check> {
    let mut all = vec![connected(context), won_and_lost(context), votes_per_item(context), voters(context)];
    all.extend([cycles(context), fit(context), position(context), ties_and_skips(context), agreement(context)]);
    all
}

fn check(name: &'static str, ok: impl Into<Option<bool>>, text: String) -> Check {
    Check { name, ok: ok.into(), text }
}

/// Up to three names, and how many more.
fn names(context: &Context<'_>, items: &[usize]) -> String {
    let mut text = items.iter().take(3).map(|&i| (context.name)(i)).collect::<Vec<_>>().join(", ");
    if items.len() > 3 {
        text += &format!(" and {} more", items.len() - 3);
    }
    text
}

fn connected(context: &Context<'_>) -> Check {
    let (part, parts) = graph::components(context.sums);
    let pairs = context.sums.pairs.len();
    let possible = context.sums.len() * (context.sums.len() - 1) / 2;
    if parts == 1 {
        let text = format!(
            "every item can be compared with every other, directly or through others ({pairs} of {possible} pairs were asked)"
        );
        return check("connected", true, text);
    }
    let mut sizes = vec![Vec::new(); parts];
    part.iter().enumerate().for_each(|(item, &p)| sizes[p].push(item));
    let smallest = sizes.iter().min_by_key(|part| part.len()).cloned().unwrap_or_default();
    let text = format!(
        "the items fall into {parts} groups that were never compared with each other (the smallest: {}): ask pairs that join them",
        names(context, &smallest)
    );
    check("connected", false, text)
}

fn won_and_lost(context: &Context<'_>) -> Check {
    let sums = context.sums;
    let (mut won, mut lost) = (vec![0.0; sums.len()], vec![0.0; sums.len()]);
    for pair in &sums.pairs {
        won[pair.i] += pair.wr;
        lost[pair.i] += pair.w - pair.wr;
        won[pair.j] += pair.w - pair.wr;
        lost[pair.j] += pair.wr;
    }
    let none = |sum: &[f64]| (0..sums.len()).filter(|&i| sum[i] <= 0.0).collect::<Vec<_>>();
    let (never_won, never_lost) = (none(&won), none(&lost));
    if never_won.is_empty() && never_lost.is_empty() {
        if graph::strongly_connected(sums) || graph::components(sums).1 > 1 {
            return check("won-and-lost", true, "every item both won and lost (ties count as half)".to_owned());
        }
        let text = "every item both won and lost, but a group of items never lost to the rest: intervals of that comparison are rough";
        return check("won-and-lost", false, text.to_owned());
    }
    let mut parts = Vec::new();
    if !never_won.is_empty() {
        parts.push(format!("never won: {}", names(context, &never_won)));
    }
    if !never_lost.is_empty() {
        parts.push(format!("never lost: {}", names(context, &never_lost)));
    }
    check("won-and-lost", false, format!("{}; their scores are known only roughly", parts.join("; ")))
}

fn votes_per_item(context: &Context<'_>) -> Check {
    let mut votes = vec![0.0; context.sums.len()];
    for pair in &context.sums.pairs {
        votes[pair.i] += pair.n;
        votes[pair.j] += pair.n;
    }
    let few: Vec<usize> = (0..votes.len()).filter(|&i| votes[i] < ENOUGH_VOTES).collect();
    let mut sorted = votes.clone();
    sorted.sort_by(f64::total_cmp);
    let range = format!(
        "{:.0} to {:.0} used votes per item, median {:.0}",
        sorted[0],
        sorted[sorted.len() - 1],
        sorted[sorted.len() / 2]
    );
    if few.is_empty() {
        return check("votes-per-item", true, range);
    }
    let text =
        format!("{range}; fewer than {ENOUGH_VOTES:.0}: {}; intervals of such items are rough", names(context, &few));
    check("votes-per-item", false, text)
}

fn voters(context: &Context<'_>) -> Check {
    let g = context.sums.voter_count();
    match context.estimate.clusters {
        None if g == 0.0 => {
            let text = "votes do not tell who cast them, so they are taken as independent; a voter column makes the intervals honest when people vote often";
            check("voters", None, text.to_owned())
        }
        None if g <= 1.0 => check(
            "voters",
            false,
            "a single voter cast all votes: nothing is known about other people's opinions".to_owned(),
        ),
        None => check("voters", None, format!("{g:.0} voters, but votes are taken as independent, as asked")),
        Some(g) if g >= ENOUGH_VOTERS => {
            check("voters", true, format!("{g:.0} voters; intervals allow for each voter's habits"))
        }
        Some(g) => {
            let text =
                format!("only {g:.0} voters: with fewer than {ENOUGH_VOTERS:.0} the intervals tend to be too narrow");
            check("voters", false, text)
        }
    }
}

fn cycles(context: &Context<'_>) -> Check {
    if context.sums.len() > graph::MOST_ITEMS_FOR_CYCLES {
        return check("cycles", None, format!("not looked for among more than {} items", graph::MOST_ITEMS_FOR_CYCLES));
    }
    let found = graph::cycles(context.sums);
    let Some([a, b, c]) = found.example else {
        return check("cycles", true, "no three items beat each other in a circle".to_owned());
    };
    let [a, b, c] = [a, b, c].map(|i| (context.name)(i));
    let circle = format!("for instance {a} beats {b}, {b} beats {c}, {c} beats {a}");
    if found.solid == 0 {
        let text = format!("{} circles of three ({circle}), none of them beyond chance", found.all);
        return check("cycles", true, text);
    }
    let text = format!(
        "{} circles of three, {} of them beyond chance ({circle}): no single scale explains these votes",
        found.all, found.solid
    );
    check("cycles", false, text)
}

/// Pearson's χ² of the pairs' sums against the model, centred and scaled by its own mean and variance, which holds with
/// few votes per pair too.
fn fit(context: &Context<'_>) -> Check {
    let Some(fitted) = context.fitted.filter(|_| context.estimate.unknown.iter().all(|&u| u < 1e-12)) else {
        return check("fit", None, "the model's fit cannot be tested: some items cannot be compared".to_owned());
    };
    let projection = fitted.features.project(fitted.theta.as_slice());
    let mu = |i, j| Link::Logistic.mu(fitted.features.score(&projection, Duel(i, j)));
    let pairs = &context.sums.pairs;
    let spare = pairs.len() as f64 - fitted.features.dim() as f64;
    if spare < 1.0 {
        return check(
            "fit",
            None,
            "the model has as many parameters as there are pairs: its fit cannot be tested".to_owned(),
        );
    }
    let (mut residuals, mut expected) = (0.0, 0.0);
    for pair in pairs {
        let p = mu(pair.i, pair.j);
        residuals += pair.squared_residuals(p);
        expected += pair.w2 * p * (1.0 - p);
    }
    // Ties make answers less spread out than coin flips.
    let dispersion = residuals / expected;
    let (mut chi, mut variance, mut worst) = (0.0, 0.0, (0.0, 0));
    for (at, pair) in pairs.iter().enumerate() {
        let p = mu(pair.i, pair.j);
        let q = p * (1.0 - p);
        let z2 = (pair.wr - p * pair.w).powi(2) / (dispersion * pair.w2 * q);
        chi += z2;
        variance += (2.0 + (1.0 / q - 6.0) / (pair.w * pair.w / pair.w2)).max(0.1);
        if z2 > worst.0 {
            worst = (z2, at);
        }
    }
    let z = (chi - spare) / variance.sqrt();
    let (pair, p) = (&pairs[worst.1], normal_cdf(-z));
    let detail = format!(
        "largest deviation: {} against {} won {:.0} % of {:.0}, the model says {:.0} %",
        (context.name)(pair.i),
        (context.name)(pair.j),
        100.0 * pair.share(),
        pair.n,
        100.0 * mu(pair.i, pair.j)
    );
    if p >= 0.01 {
        check("fit", true, format!("the model explains the votes (χ² = {chi:.0} on {spare:.0}, p = {p:.2}; {detail})"))
    } else {
        let text = format!(
            "the votes deviate from the model more than chance allows (χ² = {chi:.0} on {spare:.0}, p = {p:.1e}; {detail})"
        );
        check("fit", false, text)
    }
}

/// The score test for a constant added to the left item's score: U = Σ w (r − μ) over votes as shown.
fn position(context: &Context<'_>) -> Check {
    if !context.ballots.sides_known() {
        return check(
            "position",
            None,
            "position bias cannot be tested: the votes do not tell the sides on which items were shown".to_owned(),
        );
    }
    let used = |cell: &&crate::ballots::PairVotes| cell.w > 0.0;
    let shown: HashSet<(u32, u32)> = context.ballots.cells().iter().filter(used).map(|c| (c.left, c.right)).collect();
    if !shown.iter().any(|&(left, right)| shown.contains(&(right, left))) {
        let text = "position bias cannot be tested: no pair was shown in both orders";
        return check("position", None, text.to_owned());
    }
    let Some(fitted) = context.fitted else {
        return check("position", None, "position bias cannot be tested without a fitted model".to_owned());
    };
    let mut place = vec![usize::MAX; context.ballots.items().len()];
    context.sums.items.iter().enumerate().for_each(|(at, &item)| place[item] = at);
    let projection = fitted.features.project(fitted.theta.as_slice());
    let duel = |left: u32, right: u32| Duel(place[left as usize], place[right as usize]);
    let mut a = DVector::zeros(fitted.features.dim());
    let (mut information, mut left_wins, mut decided) = (0.0, 0.0, 0.0);
    for cell in context.ballots.cells().iter().filter(|cell| cell.w > 0.0) {
        let duel = duel(cell.left, cell.right);
        let slope = cell.w * Link::Logistic.mu_prime(fitted.features.score(&projection, duel));
        a += DVector::from_vec(fitted.features.phi(duel)) * slope;
        information += slope;
        left_wins += cell.counts.left;
        decided += cell.counts.left + cell.counts.right;
    }
    let Some(factor) = Cholesky::new(fitted.hessian.clone()) else {
        return check("position", None, "position bias cannot be tested: the model is not determined".to_owned());
    };
    let b = factor.solve(&a);
    // What a vote's residual contributes, once the fitted parameters have taken their share.
    let influence: Vec<(f64, f64)> = context
        .ballots
        .cells()
        .iter()
        .map(|cell| {
            if cell.w <= 0.0 {
                return (0.5, 0.0);
            }
            let duel = duel(cell.left, cell.right);
            let mu = Link::Logistic.mu(fitted.features.score(&projection, duel));
            (mu, 1.0 - DVector::from_vec(fitted.features.phi(duel)).dot(&b))
        })
        .collect();
    let cells = context.ballots.cells();
    let score: f64 = cells.iter().zip(&influence).map(|(cell, (mu, c))| (cell.wr - mu * cell.w) * c).sum();
    let variance: f64 = if context.estimate.clusters.is_some() {
        let mut sums = std::collections::BTreeMap::new();
        for share in context.ballots.shares() {
            let (mu, c) = influence[share.cell as usize];
            *sums.entry(share.voter).or_insert(0.0) += (share.wr - mu * share.w) * c;
        }
        sums.iter().map(|(&voter, s): (&u32, &f64)| s * s / context.ballots.copies()[voter as usize]).sum()
    } else {
        cells
            .iter()
            .zip(&influence)
            .map(|(cell, (mu, c))| (cell.w2r2 - 2.0 * mu * cell.w2r + mu * mu * cell.w2).max(0.0) * c * c)
            .sum()
    };
    let spare = information - a.dot(&b);
    if variance.is_nan() || variance <= 0.0 || spare <= 1e-9 * information {
        let text = "position bias cannot be tested: the model explains every difference between the sides";
        return check("position", None, text.to_owned());
    }
    let p = two_sided(score / variance.sqrt());
    let advantage = 100.0 * (Link::Logistic.mu(score / spare) - 0.5);
    let share = if decided > 0.0 {
        format!("the left item won {:.1} % of {decided:.0} decided votes", 100.0 * left_wins / decided)
    } else {
        "no votes were decided".to_owned()
    };
    if p >= 0.01 {
        check("position", true, format!("no position bias to be seen at the 1 % level: {share} (p = {p:.2})"))
    } else {
        let side = if advantage > 0.0 { "left" } else { "right" };
        let text = format!(
            "position bias: between equal items the {side} one gains {:.1} points; {share} (p = {p:.1e}); show every pair in both orders",
            advantage.abs()
        );
        check("position", false, text)
    }
}

fn ties_and_skips(context: &Context<'_>) -> Check {
    let totals = context.ballots.totals();
    let all = totals.total().max(1.0);
    let percent = |count: f64| 100.0 * count / all;
    let (ties, idle) = (percent(totals.tie), percent(totals.both_bad + totals.skip));
    let text =
        format!("{ties:.1} % ties, {:.1} % both bad, {:.1} % skips", percent(totals.both_bad), percent(totals.skip));
    let ok = ties <= 50.0 && idle <= 20.0;
    let text = if ok { text } else { format!("{text}: the question may be too hard, or the items too much alike") };
    check("ties-and-skips", ok, text)
}

fn agreement(context: &Context<'_>) -> Check {
    let borda = context.order[0];
    let name = |i: usize| (context.name)(i);
    let mut parts = vec![format!("Borda: {}", name(borda))];
    let mut ok = true;
    if let Some(strengths) = context.strengths {
        let mut order: Vec<usize> = (0..strengths.len()).collect();
        order.sort_by(|&a, &b| strengths[b].total_cmp(&strengths[a]).then(a.cmp(&b)));
        ok &= strengths[order[0]] <= strengths[borda];
        let place = |list: &[usize]| {
            let mut place = vec![0_usize; list.len()];
            list.iter().enumerate().for_each(|(at, &item)| place[item] = at);
            place
        };
        let (ours, theirs) = (place(context.order), place(&order));
        let moved = (0..ours.len()).filter(|&i| ours[i] != theirs[i]).count();
        let moved = if moved == 0 { "same order".to_owned() } else { format!("{moved} items at another rank") };
        parts.push(format!("Bradley–Terry: {} ({moved})", name(order[0])));
    } else {
        parts.push("Bradley–Terry: not fitted".to_owned());
    }
    match graph::condorcet(context.sums) {
        Some(winner) => {
            ok &= winner == borda;
            parts.push(format!("Condorcet: {}", name(winner)));
        }
        None => parts.push("Condorcet: nobody has a majority against every other".to_owned()),
    }
    check("agreement", ok, format!("first by {}", parts.join("; ")))
}
