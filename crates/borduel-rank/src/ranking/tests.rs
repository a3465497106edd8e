//! Rankings against naive formulas, and what they must never do.

use super::*;
use crate::ballots::{Answer, BothBad, Circumstances, Ties};
use crate::link::Link;
use crate::stream::{Stream, stream};
use nalgebra::DMatrix;
use std::sync::Arc;

mod contexts;
mod coverage_over_contexts;
mod told;
mod winners_over_contexts;
mod wishes;

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
        // The numbers of votes on every item, of a voter and of all.
        let on = |item: usize, who: Option<u32>| {
            let counts = |&&(i, j, voter, _): &&(u32, u32, u32, Answer)| {
                [i as usize, j as usize].contains(&item) && who.is_none_or(|who| who == voter)
            };
            votes.iter().filter(counts).count() as f64
        };
        for &(i, j, voter, answer) in &votes {
            let (i, j) = (i as usize, j as usize);
            let leverage = mu(i, j) * (1.0 - mu(i, j)) * (phi(i, j).transpose() * &inverse * phi(i, j))[0];
            let score = phi(i, j) * ((r(answer) - mu(i, j)) / (1.0 - leverage));
            scatter += &score * score.transpose();
            // CR2: the share of the voter's other votes in those on both items.
            let share = |item: usize| 0.5 * (on(item, Some(voter)) - 1.0) / on(item, None);
            by_voter[voter as usize] += score / (1.0 - share(i) - share(j)).sqrt();
        }
        if clustered {
            scatter = by_voter.iter().map(|s| s * s.transpose()).sum::<DMatrix<f64>>();
        }
        let covariance = &inverse * scatter * &inverse;
        let df = ranking.intervals.df.unwrap_or((n - d) as f64);
        assert!(!clustered || (10.0..=24.0).contains(&df), "{df}");
        let quantile = crate::special::t_quantile(0.975, df);
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
        assert!(ranking.verdict.partial && ranking.verdict.forecast.is_none());
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
