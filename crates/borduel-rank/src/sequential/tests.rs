//! The clever formulas against naive ones, and e-values against what they promise.

use super::asked::Asked;
use super::context_doubt::Doubt;
use super::contexts::Cell;
use super::evidence::{anytime_width, log_e};
use super::model::{self, Start};
use super::pair_effects::{Backing, chance, own, settle, shrinkage, slope};
use super::plan::plan;
use super::scores::Scores;
use super::space::Space;
use super::standing::Standing;
use super::{Goal, Options, Trust, Votes, judge, judge_ballots};
use crate::about::About;
use crate::ballots::{Answer, Ballots, BothBad, Ties};
use crate::duel::{Arm, Duel};
use crate::features::Features;
use crate::ranking::VerdictKind;
use crate::stream::stream;
use nalgebra::{DMatrix, DVector};

fn features(kind: usize, k: usize) -> Features {
    let mut s = stream(5, &[kind as u64]);
    match kind {
        0 => Features::one_hot(k).unwrap(),
        1 => {
            let x: Vec<f64> = (0..k * 2).map(|_| s.normal()).collect();
            Features::differences_scaled(k, 2, &x).unwrap()
        }
        _ => Features::from_fn_scaled(k, 3, |_, _, out| out.iter_mut().for_each(|x| *x = s.normal())).unwrap(),
    }
}

fn votes(k: usize, n: usize, seed: u64) -> Votes {
    let mut s = stream(seed, &[]);
    let mut votes = Votes::new(k);
    for _ in 0..n {
        let i = s.below(k);
        let j = (i + 1 + s.below(k - 1)) % k;
        let p = 1.0 / (1.0 + (0.3 * (i as f64 - j as f64)).exp());
        votes.add(Duel(i, j), if s.uniform() < 0.1 { 0.5 } else { f64::from(u8::from(s.uniform() < p)) });
    }
    votes
}

/// The joint normal distribution written out: β and one effect for every pair, observed votes as one number a pair; the
/// score of an item is linear in them. Nothing is eliminated, nothing is updated.
///
/// Returns the loads of the scores and the covariance of all parameters, with these precisions of items' effects.
fn naive(space: &Space<'_>, fit: &model::Fit, precisions: &[f64]) -> (DMatrix<f64>, DMatrix<f64>) {
    let (k, dim, tau2) = (space.k, space.dim(), fit.start.tau2);
    let pairs: Vec<(usize, usize)> = (0..k).flat_map(|i| (i + 1..k).map(move |j| (i, j))).collect();
    let size = dim + pairs.len();
    let asked =
        |i: usize, j: usize| fit.asked.iter().find(|p| (p.i, p.j) == (i, j)).map_or((0.0, 0.5), |p| (p.n, p.share));
    // Σ min(n', n + 4) over the other pairs of an item, an eighth of the lesser one of both.
    let behind = |i: usize, j: usize, n: f64| {
        let of = |item: usize| -> f64 {
            let others = fit.asked.iter().filter(|p| (p.i, p.j) != (i, j) && (p.i == item || p.j == item));
            others.map(|p| p.n.min(n + 4.0)).sum()
        };
        of(i).min(of(j)) / 8.0
    };
    let mut precision = DMatrix::zeros(size, size);
    precision.view_mut((0, 0), (dim, dim)).copy_from(&space.prior(precisions));
    let mut loads: DMatrix<f64> = DMatrix::zeros(k, size);
    for (at, &(i, j)) in pairs.iter().enumerate() {
        let mut psi = vec![0.0; size];
        space.add(&mut psi[..dim], i, j, 1.0);
        psi[dim + at] = 1.0;
        let psi = DVector::from_vec(psi);
        let (n, share) = asked(i, j);
        let score = space.dot(&fit.start.beta, i, j);
        let backing = behind(i, j, n);
        let h = if n > 0.0 { settle(score, n, share, tau2, backing).1 } else { slope(chance(score)) };
        precision[(dim + at, dim + at)] += 1.0 / own(n, h, tau2, backing);
        precision += n * h * &psi * psi.transpose();
        let c = h / (k - 1) as f64;
        for column in 0..size {
            loads[(i, column)] += c * psi[column];
            loads[(j, column)] -= c * psi[column];
        }
    }
    (loads, precision.try_inverse().unwrap())
}

#[test]
fn scores_have_the_covariance_of_the_whole_model() {
    let mut freed = 0;
    for kind in 0..3 {
        let features = features(kind, 7);
        let space = Space::new(&features, Trust::Checked);
        let fit = model::fit(&space, &votes(7, 150, 3), &Start::new(&space), true, 6);
        let scores = Scores::new(&space, &fit);
        for i in 0..7 {
            for j in 0..i {
                // The effects of both are freed beside features.
                let excess = |item: usize| scores.freed.as_ref().map_or(0.0, |freed| freed.excess[item]);
                let mut precisions = fit.precisions.clone();
                let mut gradient = DVector::zeros(space.dim() + 21);
                for item in [i, j] {
                    precisions[item] -= excess(item);
                    gradient[space.d + item] = excess(item) * fit.start.beta[space.d + item];
                }
                let (loads, covariance) = naive(&space, &fit, &precisions);
                let direction = loads.row(i) - loads.row(j);
                let expected = (&direction * &covariance * direction.transpose())[0];
                let shift = (&direction * &covariance * gradient)[0];
                let (lead, found) = scores.difference(i, j);
                assert!((found / expected - 1.0).abs() < 1e-6, "{kind}: {found} {expected}");
                assert!((lead - scores.fitted[i] + scores.fitted[j] - shift).abs() < 1e-6, "{kind}: {lead} {shift}");
                freed += usize::from(excess(i) > 0.1);
            }
        }
        assert!((scores.fitted.iter().sum::<f64>() - 3.5).abs() < 1e-9);
    }
    assert!(freed > 0, "no effect was freed");
}

#[test]
fn the_fit_solves_its_equations() {
    for (kind, trust) in [(0, Trust::Checked), (1, Trust::Checked), (1, Trust::Model), (2, Trust::Checked)] {
        let features = features(kind, 6);
        let space = Space::new(&features, trust);
        let fit = model::fit(&space, &votes(6, 200, 8), &Start::new(&space), trust == Trust::Checked, 1);
        // The first fit has the τ² it started from.
        let tau2 = if trust == Trust::Checked { Start::new(&space).tau2 } else { 0.0 };
        let beta = DVector::from_column_slice(&fit.start.beta);
        let mut gradient = -(space.prior(&fit.precisions) * beta);
        for pair in &fit.asked {
            space.add(gradient.as_mut_slice(), pair.i, pair.j, pair.n * (pair.share - pair.p));
            // The pair's own effect e: n (share − p) = e/τ², or no effect at all.
            let effect = (pair.p / (1.0 - pair.p)).ln() - space.dot(&fit.start.beta, pair.i, pair.j);
            let expected = own(pair.n, pair.h, tau2, pair.backing) * pair.n * (pair.share - pair.p);
            assert!((effect - expected).abs() < 1e-4, "{kind} {trust:?}: {effect} {expected}");
        }
        assert!(gradient.amax() < 1e-3, "{kind} {trust:?}: {}", gradient.amax());
    }
}

#[test]
fn a_plan_lowers_the_variance_as_it_says() {
    // What the planner expects of a pair's votes is what a fit with those votes has, as long as their share is as
    // fitted.
    let features = features(0, 6);
    let space = Space::new(&features, Trust::Checked);
    let before = votes(6, 120, 4);
    let fit = model::fit(&space, &before, &Start::new(&space), true, 8);
    let scores = Scores::new(&space, &fit);
    let standing = Standing::new(&scores, Goal::Winner, 0.02);
    let asks = plan(&space, &fit, &scores, (&standing.claims, 0.02), &[], (40, usize::MAX), &|_, _| true);
    assert_eq!(asks.len(), 40);
    assert!(asks.iter().all(|Duel(i, j)| i != j));
    let capped = plan(&space, &fit, &scores, (&standing.claims, 0.02), &[], (40, 4), &|_, _| true);
    let times = |duel: &Duel| capped.iter().filter(|other| *other == duel).count();
    assert!(capped.len() == 40 && capped.iter().all(|duel| times(duel) <= 4), "{capped:?}");
    assert!(asks.iter().any(|duel| asks.iter().filter(|other| *other == duel).count() > 4), "the cap changes nothing");
    let variance = |asks: &[Duel]| {
        let mut longer = model::fit(&space, &before, &fit.start, false, 1);
        longer.start = fit.start.clone();
        longer.asked = fit.asked.clone();
        for &Duel(i, j) in asks {
            let (i, j) = (i.min(j), i.max(j));
            if let Some(pair) = longer.asked.iter_mut().find(|p| (p.i, p.j) == (i, j)) {
                pair.n += 1.0 / fit.dispersion;
            } else {
                let p = chance(space.dot(&fit.start.beta, i, j));
                let n = 1.0 / fit.dispersion;
                longer.asked.push(Asked { i, j, n, weight: 1.0, share: p, mu: p, p, h: slope(p), backing: 0.0 });
            }
        }
        let backing = Backing::new(space.k, longer.asked.iter().map(|p| (p.i, p.j, p.n)));
        let weight = |p: &Asked| shrinkage(p.n, p.h, fit.start.tau2, backing.of(p.i, p.j, p.n)) * p.n * p.h;
        let weights: Vec<_> = longer.asked.iter().map(|p| (p.i, p.j, weight(p))).collect();
        longer.covariance = (space.information(&weights) + space.prior(&fit.precisions)).try_inverse().unwrap();
        Scores::new(&space, &longer).difference(standing.order[0], standing.claims[0].behind).1
    };
    let mut s = stream(9, &[]);
    let random: Vec<Duel> = (0..40)
        .map(|_| {
            let i = s.below(6);
            Duel(i, (i + 1 + s.below(5)) % 6)
        })
        .collect();
    let (now, planned, drawn) = (variance(&[]), variance(&asks), variance(&random));
    assert!((now / standing.claims[0].variance - 1.0).abs() < 0.05, "{now} {}", standing.claims[0].variance);
    assert!(planned < drawn && drawn < now, "{planned} {drawn} {now}");
}

#[test]
fn e_values_are_seldom_large_where_the_claim_is_false() {
    // A Brownian motion in V whose drift is that of "j is better by just the margin", looked at every few steps.
    for margin in [0.02, 0.0] {
        let (mut crossed, paths) = (0, 4_000);
        for path in 0..paths {
            let mut s = stream(path, &[9]);
            let (mut v, mut sum) = (0.0_f64, 0.0_f64);
            while v < 40_000.0 {
                let step: f64 = (v / 40.0).max(2.0);
                v += step;
                sum += step * -margin + step.sqrt() * s.normal();
                if log_e(sum / v, 1.0 / v, margin) >= 20_f64.ln() {
                    crossed += 1;
                    break;
                }
            }
        }
        let share = f64::from(crossed) / f64::from(paths as u32);
        // At most 5 %, of which looking at times only gives something away.
        assert!(share < 0.057 && share > 0.005, "{margin}: {share}");
    }
}

#[test]
fn anytime_intervals_hold_at_all_times() {
    let (mut outside, paths) = (0, 2_000);
    for path in 0..paths {
        let mut s = stream(path, &[10]);
        let (mut v, mut sum) = (0.0_f64, 0.0_f64);
        while v < 1e4 {
            let step: f64 = (v / 20.0).max(1.0);
            v += step;
            sum += step.sqrt() * s.normal();
            if (sum / v).abs() > anytime_width(1.0 / v, 1.0, 0.05) / f64::sqrt(v) {
                outside += 1;
                break;
            }
        }
    }
    let share = f64::from(outside) / f64::from(paths as u32);
    assert!(share < 0.06 && share > 0.01, "{share}");
}

#[test]
fn ties_sharpen_and_habits_widen() {
    let k = 4;
    let build = |clustered: bool, ties: bool| {
        let mut s = stream(77, &[]);
        let mut ballots = Ballots::new(Ties::Half, BothBad::Drop, true);
        (0..k).for_each(|i| assert_eq!(ballots.item(&i.to_string()), i));
        for voter in 0..40 {
            let name = ballots.voter(&voter.to_string());
            for _ in 0..30 {
                let i = s.below(4) as u32;
                let j = (i + 1 + s.below(3) as u32) % k;
                // A voter with habits answers alike time and again; others toss coins.
                let left = if clustered { (voter * 7 + i * 3 + j) % 5 < 2 } else { s.uniform() < 0.5 };
                let answer = match (ties && s.uniform() < 0.7, left) {
                    (true, _) => Answer::Tie,
                    (false, true) => Answer::Left,
                    (false, false) => Answer::Right,
                };
                ballots.add(i, j, Some(name), answer, 1.0, 1.0).unwrap();
            }
        }
        ballots.finish()
    };
    let features = Features::one_hot(4).unwrap();
    let options = Options::default();
    let width = |ballots: &Ballots| {
        let judgement = judge_ballots(&features, ballots, &options).unwrap();
        judgement.items.iter().map(|item| item.high - item.low).sum::<f64>()
    };
    let (plain, tied, habits) = (width(&build(false, false)), width(&build(false, true)), width(&build(true, false)));
    assert!(tied < 0.85 * plain, "{tied} {plain}");
    assert!(habits > 1.2 * plain, "{habits} {plain}");
}

#[test]
fn verdicts_of_few_votes_ties_and_the_best_two() {
    let features = Features::one_hot(3).unwrap();
    let mut votes = Votes::new(3);
    let few = judge(&features, &votes, &Options::default()).unwrap();
    assert_eq!((few.kind, few.decided, few.contenders.len()), (VerdictKind::NotEnough, false, 3));
    for vote in 0..20_000 {
        votes.add(Duel(0, 1), f64::from(vote % 2));
        votes.add(Duel(1, 2), f64::from(u8::from(vote % 4 > 0)));
        votes.add(Duel(0, 2), f64::from(u8::from(vote % 4 > 0)));
    }
    let tie = judge(&features, &votes, &Options::default()).unwrap();
    assert_eq!(tie.kind, VerdictKind::Tie, "{tie:?}");
    assert_eq!(tie.winners, tie.contenders);
    assert_eq!(tie.winners.len(), 2);
    let top = judge(&features, &votes, &Options { goal: Goal::Top(2), ..Options::default() }).unwrap();
    assert!(top.decided && top.winners.iter().all(|&item| item < 2), "{top:?}");
    assert_eq!(top.kind, VerdictKind::ClearWinner);
    // A lead of half a point becomes a tie; one of six points is good enough from few votes on, and clear from more.
    let kinds = |share: u32, counts: [u32; 3]| {
        counts.map(|count| {
            let mut two = Votes::new(2);
            (0..count).for_each(|vote| two.add(Duel(0, 1), f64::from(u8::from(vote % 1000 < share))));
            let found = judge(&Features::one_hot(2).unwrap(), &two, &Options::default()).unwrap();
            assert_eq!(found.winners.len() == 1, found.kind == VerdictKind::ClearWinner);
            assert_eq!(found.winners[0], 0);
            found.kind
        })
    };
    assert_eq!(
        kinds(503, [1_000, 40_000, 100_000]),
        [VerdictKind::NotEnough, VerdictKind::GoodEnough, VerdictKind::Tie]
    );
    assert_eq!(
        kinds(530, [1_000, 2_000, 3_000]),
        [VerdictKind::NotEnough, VerdictKind::GoodEnough, VerdictKind::ClearWinner]
    );
    for bad in [
        Options { level: 1.0, ..Options::default() },
        Options { margin: 0.5, ..Options::default() },
        Options { goal: Goal::Top(3), ..Options::default() },
    ] {
        assert!(judge(&features, &votes, &bad).is_err());
    }
    assert!(judge(&Features::one_hot(4).unwrap(), &votes, &Options::default()).is_err());
}

/// Every u(i,c) by itself: how it moves the scores, and the squares of that.
#[test]
fn the_doubt_is_that_of_every_effect() {
    let (k, g) = (5, 6);
    let mut s = stream(3, &[]);
    let x: Vec<f64> = (0..k * 2).map(|_| s.normal()).collect();
    for features in [Features::one_hot(k).unwrap(), Features::differences_scaled(k, 2, &x).unwrap()] {
        let mut votes = Votes::new(k);
        for _ in 0..400 {
            let i = s.below(k);
            let c = s.below(g) as u32;
            votes.add_in(Some(c * c), Duel(i, (i + 1 + s.below(k - 1)) % k), f64::from(u8::from(s.uniform() < 0.6)));
        }
        let space = Space::new(&features, Trust::Checked);
        let fit = model::fit(&space, &votes, &model::Start::new(&space), true, 6);
        let scores = Scores::new(&space, &fit);
        let (contexts, tau2, c) = (fit.contexts.as_ref().unwrap(), fit.start.context2.unwrap(), 1.0 / (k - 1) as f64);
        let directions = &fit.covariance * &scores.gradients;
        let kappa = |place: usize, a: Arm| {
            let pair = &fit.asked[place];
            let q = shrinkage(pair.n, pair.h, fit.start.tau2, pair.backing);
            let sign = f64::from(u8::from(pair.i == a)) - f64::from(u8::from(pair.j == a));
            q * pair.n * space.dot(directions.column(a).as_slice(), pair.i, pair.j) + (1.0 - q) * c * sign
        };
        let x = |cell: &Cell| cell.weight(tau2) * cell.w / fit.asked[cell.place].weight;
        let (mut such, mut sums) = (DMatrix::zeros(k, k), DMatrix::zeros(k, k));
        for context in &contexts.cells {
            for item in 0..k {
                let mut load = DVector::zeros(k);
                for cell in context {
                    let pair = &fit.asked[cell.place];
                    let sign = f64::from(u8::from(pair.i == item)) - f64::from(u8::from(pair.j == item));
                    let own = DVector::from_fn(k, |a, _| sign * pair.h * x(cell) * kappa(cell.place, a));
                    such -= &own * own.transpose() / cell.n;
                    load += own;
                }
                such += &load * load.transpose();
                let mut row = sums.row_mut(item);
                row += load.transpose();
            }
        }
        let these = &such - sums.tr_mul(&sums) / g as f64;
        for (about, expected) in [(About::Such, such), (About::These, these)] {
            let found = Doubt::new(&space, &fit, &scores.gradients, about).unwrap();
            assert!((&found.covariance - &expected * tau2).amax() < 1e-9 * expected.amax(), "{about:?}");
        }
    }
}

/// τ is found again, and contexts that have nothing of their own leave nearly everything as it is.
#[test]
fn the_spread_between_contexts_is_found() {
    let estimate = |tau: f64| {
        let (k, g) = (6, 30);
        let mut s = stream(9, &[]);
        let effects: Vec<f64> = (0..k * g).map(|_| tau * s.normal()).collect();
        let mut votes = Votes::new(k);
        for _ in 0..9_000 {
            let (i, c) = (s.below(k), s.below(g));
            let j = (i + 1 + s.below(k - 1)) % k;
            let p = 1.0 / (1.0 + (effects[c * k + j] - effects[c * k + i]).exp());
            votes.add_in(Some(c as u32), Duel(i, j), f64::from(u8::from(s.uniform() < p)));
        }
        let features = Features::one_hot(k).unwrap();
        let judgement = judge(&features, &votes, &Options::default()).unwrap();
        judgement.contexts.unwrap().spread
    };
    assert!(estimate(0.0) < 0.1);
    assert!((estimate(0.5) - 0.5).abs() < 0.1, "{}", estimate(0.5));
}

/// A vote without a voter is as good as that of a voter who casts no other.
#[test]
fn nobodys_votes_widen_as_those_of_voters_of_one_vote() {
    let mut s = stream(7, &[48]);
    let (mut named, mut given) = (Ballots::default(), Ballots::default());
    for ballots in [&mut named, &mut given] {
        for name in ["a", "b", "c"] {
            ballots.item(name);
        }
    }
    for vote in 0..1_800_u32 {
        let (i, j) = [(0, 1), (1, 2), (2, 0)][(vote % 3) as usize];
        // Two of three votes are cast by sixty people, each of whom has a favourite.
        let known = s.uniform() < 0.67;
        let voter = s.below(60) as u32;
        let chance = match voter % 3 {
            _ if !known => 0.5,
            favourite if favourite == i => 0.9,
            favourite if favourite == j => 0.1,
            _ => 0.5,
        };
        let answer = if s.uniform() < chance { Answer::Left } else { Answer::Right };
        for (ballots, all) in [(&mut named, true), (&mut given, false)] {
            let name = if known { format!("v{voter}") } else { format!("n{vote}") };
            let voter = (known || all).then(|| ballots.voter(&name));
            ballots.add(i, j, voter, answer, 1.0, 1.0).unwrap();
        }
    }
    let features = Features::one_hot(3).unwrap();
    let mut blind = given.clone().finish();
    blind.forget_voters();
    let [named, given, blind] = [named.finish(), given.finish(), blind].map(|ballots| {
        let found = judge_ballots(&features, &ballots, &Options::default()).unwrap();
        found.items[0].high - found.items[0].low
    });
    assert!(named > 1.2 * blind, "voters hang together here: {named} {blind}");
    assert!((0.98..1.05).contains(&(given / named)), "{given} {named}");
}
