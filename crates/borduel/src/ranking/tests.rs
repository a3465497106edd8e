//! Rankings against naive formulas, and what they must never do.

use super::*;
use crate::ballots::{Answer, BothBad, Circumstances, Ties};
use crate::link::Link;
use crate::stream::{Stream, stream};
use nalgebra::DMatrix;
use std::sync::Arc;

fn names(items: usize) -> Ballots {
    let mut ballots = Ballots::new(Ties::Half, BothBad::Drop, true);
    (0..items).for_each(|item| {
        ballots.item(&item.to_string());
    });
    ballots
}

/// Votes (left, right, voter, answer) at random, with ties.
fn random_votes(items: usize, votes: usize, voters: usize, s: &mut Stream) -> Vec<(u32, u32, u32, Answer)> {
    (0..votes)
        .map(|_| {
            let i = s.below(items);
            let j = (i + 1 + s.below(items - 1)) % items;
            let p = Link::Logistic.mu(0.4 * (j as f64 - i as f64));
            let answer = if s.uniform() < 0.2 {
                Answer::Tie
            } else if s.uniform() < p {
                Answer::Left
            } else {
                Answer::Right
            };
            (i as u32, j as u32, s.below(voters) as u32, answer)
        })
        .collect()
}

fn fill(items: usize, votes: &[(u32, u32, u32, Answer)], clustered: bool) -> Ballots {
    let mut ballots = names(items);
    for &(i, j, voter, answer) in votes {
        let voter = clustered.then(|| ballots.voter(&voter.to_string()));
        ballots.add(i, j, voter, answer, 1.0, 1.0).unwrap();
    }
    ballots.finish()
}

fn ranked(ballots: &Ballots, model: &Model) -> Ranking {
    rank(ballots, model, &RankOptions::default()).unwrap()
}

fn check<'a>(ranking: &'a Ranking, name: &str) -> &'a Finding {
    ranking.checks.iter().find(|check| check.name() == name).unwrap()
}

#[test]
fn scores_and_errors_are_those_of_the_formulas() {
    // Everything once more, vote by vote, in plain coordinates: item 0 is fixed at strength 0.
    let (k, n) = (4, 300);
    let votes = random_votes(k, n, 25, &mut stream(2, &[]));
    for clustered in [false, true] {
        let ballots = fill(k, &votes, clustered);
        let ranking = ranked(&ballots, &Model::OneHot);
        let mut strength = vec![0.0; k];
        ranking.items.iter().for_each(|score| strength[score.item] = score.strength.unwrap().estimate.unwrap());
        let d = k - 1;
        let phi = |i: usize, j: usize| {
            nalgebra::DVector::from_fn(d, |c, _| f64::from(u8::from(c + 1 == i)) - f64::from(u8::from(c + 1 == j)))
        };
        let mu = |i: usize, j: usize| Link::Logistic.mu(strength[i] - strength[j]);
        let mut hessian = DMatrix::zeros(d, d);
        let mut gradient = nalgebra::DVector::zeros(d);
        let r = |answer: Answer| match answer {
            Answer::Left => 1.0,
            Answer::Right => 0.0,
            _ => 0.5,
        };
        for &(i, j, _, answer) in &votes {
            let (i, j) = (i as usize, j as usize);
            hessian += phi(i, j) * phi(i, j).transpose() * (mu(i, j) * (1.0 - mu(i, j)));
            gradient += phi(i, j) * (r(answer) - mu(i, j));
        }
        assert!(gradient.amax() < 1e-6, "the fit solves the score equation");
        let inverse = hessian.clone().try_inverse().unwrap();
        let mut scatter = DMatrix::zeros(d, d);
        let mut by_voter = vec![nalgebra::DVector::zeros(d); 25];
        for &(i, j, voter, answer) in &votes {
            let (i, j) = (i as usize, j as usize);
            let leverage = mu(i, j) * (1.0 - mu(i, j)) * (phi(i, j).transpose() * &inverse * phi(i, j))[0];
            let score = phi(i, j) * ((r(answer) - mu(i, j)) / (1.0 - leverage));
            scatter += &score * score.transpose();
            by_voter[voter as usize] += score;
        }
        if clustered {
            scatter = by_voter.iter().map(|s| s * s.transpose()).sum::<DMatrix<f64>>() * (25.0 / 24.0);
        }
        let covariance = &inverse * scatter * &inverse;
        let quantile = distribution::t_quantile(0.975, if clustered { 24.0 } else { (n - d) as f64 });
        for score in &ranking.items {
            let i = score.item;
            let others = (0..k).filter(|&j| j != i);
            let borda = others.clone().map(|j| mu(i, j)).sum::<f64>() / (k - 1) as f64;
            let slope = |j: usize| phi(i, j) * (mu(i, j) * (1.0 - mu(i, j)) / (k - 1) as f64);
            let g = others.map(slope).sum::<nalgebra::DVector<f64>>();
            let half = quantile * (g.transpose() * &covariance * &g)[0].sqrt();
            assert!((score.borda.estimate.unwrap() - borda).abs() < 1e-9);
            assert!((score.borda.high - borda - half).abs() < 1e-7, "clustered: {clustered}");
            assert!((borda - half - score.borda.low).abs() < 1e-7);
        }
    }
}

#[test]
fn repeated_rows_are_counts_and_identical_voters_are_copies() {
    let votes = random_votes(4, 200, 12, &mut stream(3, &[]));
    let plain = ranked(&fill(4, &votes, false), &Model::OneHot);
    let mut counted = names(4);
    for chunk in votes.chunks(1) {
        let (i, j, _, answer) = chunk[0];
        counted.add(i, j, None, answer, 1.0, 0.5).unwrap();
        counted.add(i, j, None, answer, 1.0, 0.5).unwrap();
    }
    let counted = ranked(&counted.finish(), &Model::OneHot);
    for (a, b) in plain.items.iter().zip(&counted.items) {
        assert!((a.borda.low - b.borda.low).abs() < 1e-9 && a.counts == b.counts);
    }
    // Three people who all vote alike, one by one and as a group.
    for model in [Model::OneHot, Model::Counts] {
        let (mut single, mut grouped) = (names(4), names(4));
        for voter in 0..12 {
            let group = grouped.voter_group(3.0);
            for &(i, j, _, answer) in votes.iter().filter(|vote| vote.2 == voter) {
                grouped.add(i, j, Some(group), answer, 1.0, 3.0).unwrap();
                for copy in 0..3 {
                    let one = single.voter(&format!("{voter}-{copy}"));
                    single.add(i, j, Some(one), answer, 1.0, 1.0).unwrap();
                }
            }
        }
        let (single, grouped) = (ranked(&single.finish(), &model), ranked(&grouped.finish(), &model));
        for (a, b) in single.items.iter().zip(&grouped.items) {
            assert!((a.borda.low - b.borda.low).abs() < 1e-9, "{model:?}");
        }
    }
}

#[test]
fn the_unit_of_weights_does_not_matter() {
    let votes = random_votes(4, 200, 12, &mut stream(3, &[]));
    for model in [Model::OneHot, Model::Counts] {
        for clustered in [false, true] {
            let weighted = |weight: f64| {
                let mut ballots = names(4);
                for &(i, j, voter, answer) in &votes {
                    let voter = clustered.then(|| ballots.voter(&voter.to_string()));
                    ballots.add(i, j, voter, answer, weight, 1.0).unwrap();
                }
                ranked(&ballots.finish(), &model)
            };
            let one = weighted(1.0);
            for unit in [1000.0, 1e-90, 1e90] {
                let other = weighted(unit);
                for (a, b) in one.items.iter().zip(&other.items) {
                    assert!((a.borda.low - b.borda.low).abs() < 1e-8 && (a.borda.high - b.borda.high).abs() < 1e-8);
                }
                assert!((other.votes.effective - 200.0).abs() < 1e-6);
                assert_eq!(other.verdict.kind, one.verdict.kind);
            }
        }
    }
}

#[test]
fn what_was_never_compared_is_not_invented() {
    // Two groups of two: neither is a majority, so that nobody wins.
    let mut ballots = names(4);
    for (i, j) in [(0, 1), (2, 3)] {
        ballots.add(i, j, None, Answer::Left, 1.0, 30.0).unwrap();
        ballots.add(i, j, None, Answer::Right, 1.0, 10.0).unwrap();
    }
    let ballots = ballots.finish();
    for model in [Model::OneHot, Model::Counts] {
        let ranking = ranked(&ballots, &model);
        assert_eq!(check(&ranking, "connected").ok(), Some(false));
        assert_eq!(ranking.verdict.kind, VerdictKind::NotEnough);
        assert!(ranking.verdict.partial && ranking.verdict.votes_needed.is_none());
        assert_eq!(ranking.items.iter().map(|score| score.item).collect::<Vec<_>>(), [0, 1]);
        let left_out: Vec<_> = ranking.left_out.iter().map(|u| (u.item, u.why)).collect();
        assert_eq!(left_out, [(2, WhyNot::NotConnected), (3, WhyNot::NotConnected)]);
    }
    // The same pairs joined by one more: everything is known again with a model, and still not by counts.
    let mut joined = ballots.clone();
    joined.add(1, 2, None, Answer::Left, 1.0, 5.0).unwrap();
    joined.add(1, 2, None, Answer::Right, 1.0, 5.0).unwrap();
    let joined = joined.finish();
    assert!(ranked(&joined, &Model::OneHot).items.iter().all(|score| score.borda.estimate.is_some()));
    let counts = ranked(&joined, &Model::Counts);
    for score in &counts.items {
        assert!(score.borda.estimate.is_none() && score.p_best.is_none() && score.unknown > 0.3);
        assert!(score.borda.high - score.borda.low > 1.0 / 3.0);
    }
    assert_eq!(counts.verdict.kind, VerdictKind::NotEnough);
}

#[test]
fn a_stray_group_does_not_blank_the_rest() {
    let mut s = stream(4, &[]);
    let mut ballots = names(40);
    // Thirty items that all met each other, two that met only each other, and one that won its two matches.
    for (i, j, _, answer) in random_votes(30, 1500, 9, &mut s) {
        ballots.add(i, j, None, answer, 1.0, 1.0).unwrap();
    }
    ballots.add(30, 31, None, Answer::Left, 1.0, 3.0).unwrap();
    ballots.add(32, 3, None, Answer::Left, 1.0, 1.0).unwrap();
    ballots.add(32, 4, None, Answer::Left, 1.0, 1.0).unwrap();
    // Nine wins among thirty even items are more than chance gives: 31·2⁻⁹ > 5 %, 31·2⁻¹⁰ < 5 %.
    ballots.add(33, 29, None, Answer::Left, 1.0, 10.0).unwrap();
    ballots.add(34, 29, None, Answer::Left, 1.0, 9.0).unwrap();
    let ranking = ranked(&ballots.finish(), &Model::OneHot);
    let ranked_items: Vec<usize> = ranking.items.iter().map(|score| score.item).collect();
    assert_eq!(ranked_items.len(), 31);
    assert!(ranked_items.contains(&33) && ranking.items.iter().all(|score| score.borda.estimate.is_some()));
    let why = |item: usize| ranking.left_out.iter().find(|u| u.item == item).map(|u| u.why);
    assert_eq!((why(30), why(31)), (Some(WhyNot::NotConnected), Some(WhyNot::NotConnected)));
    assert_eq!((why(32), why(34)), (Some(WhyNot::TooFewToPlace), Some(WhyNot::TooFewToPlace)));
    assert_eq!(why(39), Some(WhyNot::NoVotes));
    assert_eq!(ranking.left_out.iter().filter(|u| u.votes > 0.0).count(), 4);
}

#[test]
fn a_handful_of_votes_is_never_certain() {
    let width = |score: &ItemScore| score.borda.high - score.borda.low;
    for model in [Model::OneHot, Model::Counts] {
        // One vote of 0.7; one tie; three tied pairs; six votes of which three hardly count.
        let mut soft = names(2);
        soft.add(0, 1, None, Answer::Soft(0.7), 1.0, 1.0).unwrap();
        let mut tie = names(2);
        tie.add(0, 1, None, Answer::Tie, 1.0, 1.0).unwrap();
        let mut ties = names(3);
        for (i, j) in [(0, 1), (1, 2), (2, 0)] {
            ties.add(i, j, None, Answer::Tie, 1.0, 1.0).unwrap();
        }
        let mut heavy = names(2);
        for vote in 0..6 {
            heavy.add(0, 1, None, Answer::Left, if vote % 2 == 0 { 100.0 } else { 0.01 }, 1.0).unwrap();
        }
        // An item that only tied, among others with many decided votes.
        let mut lone = names(4);
        for (i, j, _, answer) in random_votes(3, 600, 9, &mut stream(8, &[])) {
            lone.add(i, j, None, answer, 1.0, 1.0).unwrap();
        }
        lone.add(3, 0, None, Answer::Tie, 1.0, 2.0).unwrap();
        // Three voters who each contradict themselves: their sums cancel.
        let mut torn = names(2);
        for voter in 0..3 {
            let voter = torn.voter(&voter.to_string());
            torn.add(0, 1, Some(voter), Answer::Left, 1.0, 1.0).unwrap();
            torn.add(0, 1, Some(voter), Answer::Right, 1.0, 1.0).unwrap();
        }
        for (what, ballots) in
            [("soft", soft), ("tie", tie), ("ties", ties), ("heavy", heavy), ("lone", lone), ("torn", torn)]
        {
            let ranking = ranked(&ballots.finish(), &model);
            if what != "lone" {
                assert_eq!(ranking.verdict.kind, VerdictKind::NotEnough, "{what} {model:?}");
            }
            for score in ranking.items.iter().filter(|score| what != "lone" || score.item == 3) {
                assert!(width(score) > 0.3, "{what} {model:?}: {:?}", score.borda);
                assert!([score.borda.low, score.borda.high].iter().all(|x| x.is_finite()));
            }
            for check in &ranking.checks {
                assert!(!format!("{check:?}").contains("NaN"), "{what}: {check:?}");
            }
        }
    }
}

/// P(X = x) of n fair coins.
fn fair_coins(n: u64, x: u64) -> f64 {
    (1..=x).fold(0.5_f64.powi(n as i32), |p, c| p * (n + 1 - c) as f64 / c as f64)
}

#[test]
fn two_even_items_have_a_winner_in_at_most_5_percent_of_all_cases() {
    for model in [Model::OneHot, Model::Counts] {
        for n in (1..=20).chain([31, 50]) {
            let mut size = 0.0;
            for x in 0..=n {
                let mut ballots = names(2);
                ballots.add(0, 1, None, Answer::Left, 1.0, x as f64).unwrap();
                ballots.add(0, 1, None, Answer::Right, 1.0, (n - x) as f64).unwrap();
                if ranked(&ballots.finish(), &model).verdict.kind == VerdictKind::ClearWinner {
                    size += fair_coins(n, x);
                }
            }
            assert!(size <= 0.05, "{model:?}, {n} votes: {size}");
            // The most that a whole number of votes allows, so that nothing is given away.
            let tail = |x: u64| (0..=x).map(|c| fair_coins(n, c)).sum::<f64>();
            let possible = (0..n / 2).map(|x| 2.0 * tail(x)).filter(|p| *p <= 0.05).fold(0.0, f64::max);
            assert!((size - possible).abs() < 1e-9, "{model:?}, {n} votes: {size} of {possible}");
        }
    }
}

#[test]
fn three_even_items_by_counts_have_a_winner_in_at_most_5_percent_of_all_cases() {
    for n in 1..=5_u64 {
        let mut size = 0.0;
        for x in 0..=n {
            for y in 0..=n {
                for z in 0..=n {
                    let mut ballots = names(3);
                    for (i, j, won) in [(0, 1, x), (1, 2, y), (2, 0, z)] {
                        ballots.add(i, j, None, Answer::Left, 1.0, won as f64).unwrap();
                        ballots.add(i, j, None, Answer::Right, 1.0, (n - won) as f64).unwrap();
                    }
                    if ranked(&ballots.finish(), &Model::Counts).verdict.kind == VerdictKind::ClearWinner {
                        size += fair_coins(n, x) * fair_coins(n, y) * fair_coins(n, z);
                    }
                }
            }
        }
        assert!(size <= 0.05, "{n} votes a pair: {size}");
    }
}

#[test]
fn verdicts() {
    let ballots = |pairs: &[(u32, u32, f64, f64)]| {
        let mut ballots = names(3);
        for &(i, j, won, lost) in pairs {
            ballots.add(i, j, None, Answer::Left, 1.0, won).unwrap();
            ballots.add(i, j, None, Answer::Right, 1.0, lost).unwrap();
        }
        ballots.finish()
    };
    let clear = ranked(&ballots(&[(0, 1, 70.0, 30.0), (0, 2, 80.0, 20.0), (1, 2, 60.0, 40.0)]), &Model::OneHot);
    assert_eq!((clear.verdict.kind, clear.verdict.winners.as_slice()), (VerdictKind::ClearWinner, [0].as_slice()));
    assert_eq!(clear.items[0].rank, (1, 1));
    let tie = ranked(
        &ballots(&[(0, 1, 50_000.0, 50_000.0), (0, 2, 80_000.0, 20_000.0), (1, 2, 80_000.0, 20_000.0)]),
        &Model::OneHot,
    );
    assert_eq!((tie.verdict.kind, tie.verdict.winners.as_slice()), (VerdictKind::Tie, [0, 1].as_slice()));
    assert!((tie.items[0].p_best.unwrap() - 0.5).abs() < 0.03);
    let open = |factor: f64| {
        ranked(
            &ballots(&[
                (0, 1, 30.0 * factor, 20.0 * factor),
                (0, 2, 35.0 * factor, 15.0 * factor),
                (1, 2, 28.0 * factor, 22.0 * factor),
            ]),
            &Model::OneHot,
        )
    };
    let first = open(0.5);
    assert_eq!(first.verdict.kind, VerdictKind::NotEnough);
    // As many as it asks for settle it if they are just like these; a few of them do not.
    let needed = 1.0 + first.verdict.votes_needed.unwrap() / 75.0;
    assert_eq!(first.verdict.chance, Some(FORECAST_CHANCE));
    assert_eq!(open(0.5 * needed).verdict.kind, VerdictKind::ClearWinner);
    assert_eq!(open(0.5 + 0.01 * (needed - 1.0)).verdict.kind, VerdictKind::NotEnough);
    // One vote decides nothing, whatever the model.
    for model in [Model::OneHot, Model::Counts] {
        let mut one = names(2);
        one.add(0, 1, None, Answer::Left, 1.0, 1.0).unwrap();
        assert_eq!(ranked(&one.finish(), &model).verdict.kind, VerdictKind::NotEnough);
    }
    // A hundred unanimous votes do.
    let unanimous = ranked(&ballots(&[(0, 1, 100.0, 0.0), (0, 2, 100.0, 0.0), (1, 2, 50.0, 50.0)]), &Model::OneHot);
    assert_eq!(unanimous.verdict.kind, VerdictKind::ClearWinner);
    assert_eq!(check(&unanimous, "won-and-lost").ok(), Some(false));
    assert!(unanimous.basis.separable);
}

#[test]
fn those_who_may_be_best_are_those_whose_rank_may_be_1() {
    for seed in 0..12 {
        // The favourite is seldom asked about, so that others are certain to beat many of whom it is not.
        let votes = random_votes(8, 200 + 100 * seed as usize, 20, &mut stream(seed, &[]));
        let rare = |(at, vote): &(usize, (u32, u32, u32, Answer))| at % 8 == 0 || (vote.0 != 0 && vote.1 != 0);
        let votes: Vec<_> = votes.into_iter().enumerate().filter(rare).map(|(_, vote)| vote).collect();
        for model in [Model::OneHot, Model::Counts] {
            let ranking = ranked(&fill(8, &votes, seed % 2 == 0), &model);
            let first: Vec<usize> = ranking.items.iter().filter(|s| s.rank.0 == 1).map(|s| s.item).collect();
            assert_eq!(ranking.verdict.winners, first, "seed {seed}");
        }
    }
}

#[test]
fn checks_see_what_is_wrong() {
    let mut s = stream(9, &[]);
    // The left side wins 70 % whatever is shown.
    let mut biased = names(4);
    for vote in 0..2000 {
        let (i, j) = (vote % 4, (vote % 4 + 1 + vote / 4 % 3) % 4);
        let answer = if s.uniform() < 0.7 { Answer::Left } else { Answer::Right };
        biased.add(i, j, None, answer, 1.0, 1.0).unwrap();
    }
    let biased = ranked(&biased.finish(), &Model::OneHot);
    assert_eq!(check(&biased, "position").ok(), Some(false));
    let gained =
        |found: &Finding| matches!(found, Finding::Position { advantage, .. } if (0.195..0.3).contains(advantage));
    assert!(gained(check(&biased, "position")), "{:?}", check(&biased, "position"));
    let fair = ranked(&fill(4, &random_votes(4, 2000, 50, &mut s), true), &Model::OneHot);
    for name in
        ["connected", "won-and-lost", "votes-per-item", "voters", "fit", "position", "ties-and-skips", "agreement"]
    {
        assert_eq!(check(&fair, name).ok(), Some(true), "{:?}", check(&fair, name));
    }
    // Rock, paper, scissors: a circle that no scale explains.
    let mut circle = names(3);
    for (i, j) in [(0, 1), (1, 2), (2, 0)] {
        circle.add(i, j, None, Answer::Left, 1.0, 80.0).unwrap();
        circle.add(i, j, None, Answer::Right, 1.0, 20.0).unwrap();
    }
    let circle = ranked(&circle.finish(), &Model::OneHot);
    assert_eq!((check(&circle, "cycles").ok(), check(&circle, "fit").ok()), (Some(false), Some(false)));
    assert_eq!(check(&circle, "position").ok(), None, "no pair was shown in both orders");
    // Borda and the Condorcet winner differ: item 0 beats both others narrowly, item 1 beats item 2 by far.
    let mut split = names(3);
    for (i, j, won, lost) in [(0, 1, 51.0, 49.0), (0, 2, 52.0, 48.0), (1, 2, 95.0, 5.0)] {
        split.add(i, j, None, Answer::Left, 1.0, won).unwrap();
        split.add(i, j, None, Answer::Right, 1.0, lost).unwrap();
    }
    let split = ranked(&split.finish(), &Model::Counts);
    assert_eq!((split.items[0].item, check(&split, "agreement").ok()), (1, Some(false)));
}

#[test]
fn the_bootstrap_agrees_with_the_delta_method_and_with_itself() {
    let votes = random_votes(4, 800, 60, &mut stream(6, &[]));
    for clustered in [false, true] {
        let ballots = fill(4, &votes, clustered);
        let delta = ranked(&ballots, &Model::OneHot);
        let options = RankOptions { bootstrap: Some(1000), ..RankOptions::default() };
        let boot = rank(&ballots, &Model::OneHot, &options).unwrap();
        for (a, b) in delta.items.iter().zip(&boot.items) {
            let (width, other) = (a.borda.high - a.borda.low, b.borda.high - b.borda.low);
            assert!((0.85..1.15).contains(&(other / width)), "{width} and {other}");
            assert!((a.borda.low - b.borda.low).abs() < 0.02);
        }
        // The same seed gives the same bytes on one thread.
        let single = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let again = single.install(|| rank(&ballots, &Model::OneHot, &options).unwrap());
        assert_eq!(again.items, boot.items);
        assert_eq!(again.critical.to_bits(), boot.critical.to_bits());
    }
    let ballots = fill(4, &votes, false);
    let few = RankOptions { bootstrap: Some(10), ..RankOptions::default() };
    assert!(rank(&ballots, &Model::OneHot, &few).unwrap_err().to_string().contains("at least 100"));
    let counts = RankOptions { bootstrap: Some(200), ..RankOptions::default() };
    assert!(rank(&ballots, &Model::Counts, &counts).unwrap_err().to_string().contains("fitted model"));
}

#[test]
fn features_rank_items_that_were_never_voted_on() {
    let features = Features::differences(4, 1, &[0.0, 0.3, 0.6, 0.9]).unwrap();
    let mut ballots = names(4);
    ballots.add(1, 0, None, Answer::Left, 1.0, 60.0).unwrap();
    ballots.add(1, 0, None, Answer::Right, 1.0, 40.0).unwrap();
    let ranking = ranked(&ballots.finish(), &Model::Features(features.clone()));
    assert_eq!(ranking.items.iter().map(|score| score.item).collect::<Vec<_>>(), [3, 2, 1, 0]);
    let p = ranking.pairs[0].fitted.unwrap();
    assert!((p - 0.6).abs() < 1e-9);
    let other = names(3);
    assert!(rank(&other.finish(), &Model::Features(features), &RankOptions::default()).is_err());
}

#[test]
fn an_advantage_of_position_is_estimated_and_removed() {
    // The left side gains 0.8 in log-odds, and strong items are shown on the left more often: scores are biased unless adjusted.
    let mut s = stream(12, &[]);
    let mut ballots = names(5);
    for _ in 0..6000 {
        let (a, b) = (s.below(5), s.below(4));
        let b = if b >= a { b + 1 } else { b };
        let (i, j) = if (s.uniform() < 0.8) == (a < b) { (a, b) } else { (b, a) };
        let p = Link::Logistic.mu(0.3 * (j as f64 - i as f64) + 0.8);
        let answer = if s.uniform() < p { Answer::Left } else { Answer::Right };
        ballots.add(i as u32, j as u32, None, answer, 1.0, 1.0).unwrap();
    }
    let ballots = ballots.finish();
    let truth = |i: usize| {
        (0..5).filter(|&j| j != i).map(|j| Link::Logistic.mu(0.3 * (j as f64 - i as f64))).sum::<f64>() / 4.0
    };
    let plain = ranked(&ballots, &Model::OneHot);
    assert!((plain.items[0].borda.estimate.unwrap() - truth(0)).abs() > 0.05, "the bias is there");
    let options = RankOptions { adjust_position: true, ..RankOptions::default() };
    let adjusted = rank(&ballots, &Model::OneHot, &options).unwrap();
    for score in &adjusted.items {
        assert!((score.borda.estimate.unwrap() - truth(score.item)).abs() < 0.03, "{:?}", score.borda);
    }
    let effect = &adjusted.effects[0];
    assert!(effect.effect.low < 0.8 && 0.8 < effect.effect.high && effect.effect.error < 0.1, "{effect:?}");
    assert!((effect.advantage - (Link::Logistic.mu(0.8) - 0.5)).abs() < 0.03);
    assert!(rank(&ballots, &Model::Counts, &options).unwrap_err().to_string().contains("one-hot"));
}

#[test]
fn scales_chances_and_changes() {
    let votes = random_votes(4, 800, 60, &mut stream(6, &[]));
    let ballots = fill(4, &votes, false);
    let plain = ranked(&ballots, &Model::OneHot);
    let scale = Scale::Elo { anchor: Some(2), points: 1000.0 };
    let elo = rank(&ballots, &Model::OneHot, &RankOptions { scale, chances: true, ..RankOptions::default() }).unwrap();
    let strength = |ranking: &Ranking, item: usize| {
        ranking.items.iter().find(|score| score.item == item).unwrap().strength.unwrap()
    };
    assert!((strength(&elo, 2).estimate.unwrap() - 1000.0).abs() < 1e-9);
    let points = strength(&elo, 0).estimate.unwrap() - strength(&elo, 1).estimate.unwrap();
    let odds = strength(&plain, 0).estimate.unwrap() - strength(&plain, 1).estimate.unwrap();
    assert!((points - odds * 400.0 / 10_f64.ln()).abs() < 1e-9);
    let chances = elo.chances.unwrap();
    for (a, row) in chances.iter().enumerate() {
        let others: f64 = (0..4).filter(|&b| b != a).map(|b| row[b]).sum();
        assert!((others / 3.0 - elo.items[a].borda.estimate.unwrap()).abs() < 1e-9);
    }
    // Nothing changed against itself; against another crowd's opposite opinion everything at the ends did.
    let before: Vec<Before> = plain
        .items
        .iter()
        .map(|score| Before {
            item: score.item.to_string(),
            borda: score.borda.estimate,
            error: score.borda.error,
            rank: score.rank,
        })
        .collect();
    let same = compare(&before, &plain, ballots.items(), 0.95);
    assert!(same.changes.iter().all(|change| !change.clear) && same.new.is_empty() && same.gone.is_empty());
    let mut turned = before.clone();
    turned.iter_mut().for_each(|item| item.borda = item.borda.map(|b| 1.0 - b));
    turned[3].item = "other".to_owned();
    let changed = compare(&turned, &plain, ballots.items(), 0.95);
    assert!(changed.changes[0].clear && changed.gone == ["other"] && changed.new.len() == 1);
}

#[test]
fn what_is_asked_to_be_left_out_is() {
    let votes = random_votes(6, 600, 60, &mut stream(6, &[]));
    let mut ballots = fill(6, &votes, false);
    ballots.item("rare");
    ballots.add(6, 0, None, Answer::Left, 1.0, 1.0).unwrap();
    ballots.add(6, 0, None, Answer::Right, 1.0, 2.0).unwrap();
    let ballots = ballots.finish();
    let options = RankOptions { least_votes: 10.0, exclude: vec![5], ..RankOptions::default() };
    for model in [Model::OneHot, Model::Counts] {
        let ranking = rank(&ballots, &model, &options).unwrap();
        assert_eq!(ranking.items.len(), 5);
        let why: Vec<_> = ranking.left_out.iter().map(|u| (u.item, u.why)).collect();
        assert_eq!(why, [(5, WhyNot::Excluded), (6, WhyNot::LeastVotes)]);
    }
    let none = RankOptions { least_votes: 1e6, ..RankOptions::default() };
    assert!(rank(&ballots, &Model::OneHot, &none).unwrap_err().to_string().contains("leave out less"));
    assert!(rank(&ballots, &Model::OneHot, &RankOptions { exclude: vec![7], ..none }).is_err());
}

#[test]
fn very_many_items_need_no_table_of_pairs() {
    let k = 20_000;
    let mut s = stream(1, &[]);
    let x: Vec<f64> = (0..2 * k).map(|_| s.normal()).collect();
    let mut ballots = names(k);
    for _ in 0..20_000 {
        let (i, j) = (s.below(k), s.below(k));
        if i != j {
            let p = Link::Logistic.mu(x[2 * i] - x[2 * j]);
            let answer = if s.uniform() < p { Answer::Left } else { Answer::Right };
            ballots.add(i as u32, j as u32, None, answer, 1.0, 1.0).unwrap();
        }
    }
    let ballots = ballots.finish();
    let features = Features::differences_scaled(k, 2, &x).unwrap();
    let ranking = ranked(&ballots, &Model::Features(features));
    assert_eq!(ranking.items.len(), k);
    let scores: f64 = ranking.items.iter().map(|score| score.borda.estimate.unwrap()).sum();
    assert!((scores / k as f64 - 0.5).abs() < 1e-9, "scores are over the others");
    assert!(ranking.items[0].rank.1 < k / 4 && x[2 * ranking.items[0].item] > 1.5);
    let counts = ranked(&ballots, &Model::Counts);
    assert!(counts.items.len() > k / 2 && counts.verdict.kind == VerdictKind::NotEnough);
    let chances = RankOptions { chances: true, ..RankOptions::default() };
    assert!(rank(&ballots, &Model::OneHot, &chances).unwrap_err().to_string().contains("too many to list"));
}

#[test]
fn numbers_that_go_with_votes_are_estimated_and_removed() {
    // Longer answers win more often, and the best item gives the longest ones: its score is too high unless that is adjusted for.
    let mut s = stream(31, &[]);
    let (mut ballots, mut circumstances) = (names(5), Circumstances::new(vec!["length".to_owned()]));
    for vote in 0..5000_u32 {
        let i = s.below(5);
        let j = (i + 1 + s.below(4)) % 5;
        let longer = 200.0 * (j as f64 - i as f64) + 150.0 * s.normal();
        let p = Link::Logistic.mu(0.3 * (j as f64 - i as f64) + 0.002 * longer + 0.4);
        let answer = if s.uniform() < p { Answer::Left } else { Answer::Right };
        let ballot = crate::ballots::Ballot {
            left: i as u32,
            right: j as u32,
            voter: Some(vote % 50),
            answer,
            weight: 1.0,
            count: 1.0,
        };
        ballots.voter(&(vote % 50).to_string());
        ballots.add_all(&[ballot]).unwrap();
        circumstances.add(&ballots, &ballot, &[longer]).unwrap();
    }
    let ballots = ballots.finish();
    let truth = |i: usize| {
        (0..5).filter(|&j| j != i).map(|j| Link::Logistic.mu(0.3 * (j as f64 - i as f64))).sum::<f64>() / 4.0
    };
    let plain = ranked(&ballots, &Model::OneHot);
    assert!(plain.items[0].borda.estimate.unwrap() - truth(0) > 0.08, "the bias is there");
    for clustered in [false, true] {
        let circumstances = Some(Arc::new(circumstances.clone()));
        let options = RankOptions { circumstances, adjust_position: true, clustered, ..RankOptions::default() };
        let adjusted = rank(&ballots, &Model::OneHot, &options).unwrap();
        for score in &adjusted.items {
            assert!((score.borda.estimate.unwrap() - truth(score.item)).abs() < 0.04, "{:?}", score.borda);
        }
        let [length, position] = &adjusted.effects[..] else { panic!("{:?}", adjusted.effects) };
        assert_eq!((length.name.as_str(), position.name.as_str()), ("length", "position"));
        for (effect, truth) in [(length, 0.002), (position, 0.4)] {
            let off = (effect.effect.estimate.unwrap() - truth).abs();
            assert!(off < 3.5 * effect.effect.error && effect.effect.error < 0.25 * truth, "{effect:?}");
        }
        // The model with the effects explains the votes; a bootstrap refits it with them.
        assert_eq!(check(&adjusted, "fit").ok(), Some(true), "{:?}", check(&adjusted, "fit"));
        let again = rank(&ballots, &Model::OneHot, &RankOptions { bootstrap: Some(100), ..options.clone() }).unwrap();
        let ratio = (again.items[0].borda.high - again.items[0].borda.low)
            / (adjusted.items[0].borda.high - adjusted.items[0].borda.low);
        assert!((0.6..1.5).contains(&ratio), "{ratio}");
    }
    let options = RankOptions { circumstances: Some(Arc::new(circumstances)), ..RankOptions::default() };
    assert!(rank(&ballots, &Model::Counts, &options).unwrap_err().to_string().contains("one-hot"));
}

#[test]
fn votes_that_hang_together_in_two_ways_have_errors_for_both() {
    // Every voter and every prompt has a liking of its own for item 0.
    let (voters, prompts) = (40, 25);
    let mut estimates = Vec::new();
    let mut errors = [0.0; 2];
    let runs = 60;
    for run in 0..runs {
        let mut s = stream(run, &[77]);
        let [of_voter, of_prompt]: [Vec<f64>; 2] =
            [voters, prompts].map(|n| (0..n).map(|_| 0.7 * s.normal()).collect());
        let [mut first, mut second, mut both] = [names(3), names(3), names(3)];
        for (voter, of_voter) in of_voter.iter().enumerate() {
            for _ in 0..20 {
                let prompt = s.below(prompts);
                let i = s.below(3);
                let j = (i + 1 + s.below(2)) % 3;
                let liking = |item: usize| if item == 0 { of_voter + of_prompt[prompt] } else { 0.0 };
                let answer =
                    if s.uniform() < Link::Logistic.mu(liking(i) - liking(j)) { Answer::Left } else { Answer::Right };
                for (ballots, name) in [
                    (&mut first, format!("{voter}")),
                    (&mut second, format!("{prompt}")),
                    (&mut both, format!("{voter} {prompt}")),
                ] {
                    let who = ballots.voter(&name);
                    ballots.add(i as u32, j as u32, Some(who), answer, 1.0, 1.0).unwrap();
                }
            }
        }
        let crossed = Arc::new(Crossed { name: "prompts".to_owned(), second: second.finish(), both: both.finish() });
        let first = first.finish();
        for (at, crossed) in [None, Some(crossed)].into_iter().enumerate() {
            let ranking = rank(&first, &Model::OneHot, &RankOptions { crossed, ..RankOptions::default() }).unwrap();
            let own = ranking.items.iter().find(|score| score.item == 0).unwrap();
            errors[at] += own.borda.error / runs as f64;
            if at == 1 {
                estimates.push(own.borda.estimate.unwrap());
                assert_eq!(ranking.intervals.crossed, Some(25.0));
            }
        }
    }
    let mean = estimates.iter().sum::<f64>() / runs as f64;
    let true_error = (estimates.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / (runs - 1) as f64).sqrt();
    // One way misses what prompts do; both ways are about right (the true error is known to within 9 %).
    assert!(errors[0] < 0.8 * true_error, "{errors:?} {true_error}");
    assert!((0.8..1.25).contains(&(errors[1] / true_error)), "{errors:?} {true_error}");
}

#[test]
fn groups_that_differ_are_told_from_those_that_do_not() {
    let mut s = stream(5, &[9]);
    let group = |shift: f64, s: &mut Stream| {
        let mut ballots = names(4);
        for _ in 0..1500 {
            let i = s.below(4);
            let j = (i + 1 + s.below(3)) % 4;
            let strength = |item: usize| 0.4 * item as f64 + if item == 0 { shift } else { 0.0 };
            let won = s.uniform() < Link::Logistic.mu(strength(i) - strength(j));
            ballots.add(i as u32, j as u32, None, if won { Answer::Left } else { Answer::Right }, 1.0, 1.0).unwrap();
        }
        ranked(&ballots.finish(), &Model::OneHot)
    };
    let rankings = [group(0.0, &mut s), group(0.0, &mut s), group(1.0, &mut s)];
    let alike = diverging(&[Some(&rankings[0]), Some(&rankings[1]), None]);
    assert!(alike.len() == 4 && alike.iter().all(|d| d.p > 0.01 && d.scores[2].is_none()), "{alike:?}");
    let apart = diverging(&rankings.iter().map(Some).collect::<Vec<_>>());
    assert_eq!(apart[0].item, 0);
    assert!(apart[0].p < 1e-6 && apart.windows(2).all(|d| d[0].p <= d[1].p), "{apart:?}");
}

#[test]
fn many_items_are_ranked_without_a_matrix() {
    // More items than are looked at pair by pair; every item meets some others.
    let items = 3_300;
    let mut s = stream(14, &[]);
    let strengths: Vec<f64> = (0..items).map(|_| s.normal()).collect();
    let mut ballots = names(items);
    for _ in 0..16 * items {
        let i = s.below(items);
        let j = (i + 1 + s.below(items - 1)) % items;
        let won = s.uniform() < Link::Logistic.mu(strengths[i] - strengths[j]);
        ballots.add(i as u32, j as u32, None, if won { Answer::Left } else { Answer::Right }, 1.0, 1.0).unwrap();
    }
    let ranking = ranked(&ballots.finish(), &Model::OneHot);
    assert!(matches!(ranking.intervals.rule, IntervalRule::Sampled { .. }));
    let ranked: Vec<usize> = ranking.items.iter().map(|score| score.item).collect();
    let truth = |i: usize| {
        ranked.iter().filter(|&&j| j != i).map(|&j| Link::Logistic.mu(strengths[i] - strengths[j])).sum::<f64>()
            / (ranked.len() - 1) as f64
    };
    let covered = |score: &&ItemScore| (score.borda.low..=score.borda.high).contains(&truth(score.item));
    let share = ranking.items.iter().filter(covered).count() as f64 / ranked.len() as f64;
    assert!(ranked.len() > items - 200 && (0.93..0.98).contains(&share), "{} ranked, {share} covered", ranked.len());
}
