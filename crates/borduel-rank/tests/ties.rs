//! Ties as an outcome of their own, against a likelihood that is maximised directly, vote by vote.

use borduel_rank::ballots::{Answer, Ballot, Ballots, BothBad, Circumstances, Refusal, Ties};
use borduel_rank::ranking::{Model, RankOptions, Ranking, rank};
use borduel_rank::{Stream, stream};
use nalgebra::{DMatrix, DVector};
use std::sync::Arc;

/// Votes (left, right, voter, answer) at random, with ties.
fn random_votes(items: usize, votes: usize, voters: usize, s: &mut Stream) -> Vec<(u32, u32, u32, Answer)> {
    (0..votes)
        .map(|_| {
            let i = s.below(items);
            let j = (i + 1 + s.below(items - 1)) % items;
            let answer = if s.uniform() < 0.25 {
                Answer::Tie
            } else if s.uniform() < 1.0 / (1.0 + (0.5 * (i as f64 - j as f64)).exp()) {
                Answer::Left
            } else {
                Answer::Right
            };
            (i as u32, j as u32, s.below(voters) as u32, answer)
        })
        .collect()
}

fn ranked(ballots: &Ballots, model: &Model) -> Ranking {
    rank(ballots, model, &RankOptions::default()).unwrap()
}

/// Votes with ties as an outcome of their own.
fn fill(items: usize, votes: &[(u32, u32, u32, Answer)], clustered: bool, ties: Ties) -> Ballots {
    let mut ballots = Ballots::new(ties, BothBad::Drop, true);
    (0..items).for_each(|item| {
        ballots.item(&item.to_string());
    });
    for &(i, j, voter, answer) in votes {
        let voter = clustered.then(|| ballots.voter(&format!("{voter:03}")));
        ballots.add(i, j, voter, answer, 1.0, 1.0).unwrap();
    }
    ballots.finish()
}

/// P(left), P(tie), P(right) at strengths θ₀ = 0, θ₁, … with ln ν behind them.
fn chances(theta: &[f64], i: u32, j: u32) -> [f64; 3] {
    let strength = |item: u32| if item == 0 { 0.0 } else { theta[item as usize - 1] };
    let (a, b) = (f64::exp(strength(i)), f64::exp(strength(j)));
    let tie = theta[theta.len() - 1].exp() * (a * b).sqrt();
    let sum = a + b + tie;
    [a / sum, tie / sum, b / sum]
}

fn points_and_tie(answer: Answer) -> (f64, f64) {
    match answer {
        Answer::Left => (1.0, 0.0),
        Answer::Right => (0.0, 0.0),
        _ => (0.5, 1.0),
    }
}

/// The maximum of the likelihood, one coordinate after the other by golden sections.
fn maximum(items: usize, votes: &[(u32, u32, u32, Answer)]) -> Vec<f64> {
    let mut counts = std::collections::BTreeMap::new();
    for &(i, j, _, answer) in votes {
        let outcome = [Answer::Left, Answer::Tie, Answer::Right].iter().position(|a| *a == answer).unwrap();
        *counts.entry((i, j, outcome)).or_insert(0.0) += 1.0;
    }
    let likelihood = |theta: &[f64]| -> f64 {
        counts.iter().map(|(&(i, j, outcome), n)| n * chances(theta, i, j)[outcome].ln()).sum()
    };
    let mut theta = vec![0.0; items];
    for sweep in 0..300 {
        for c in 0..items {
            let reach = if sweep < 5 { 3.0 } else { 0.1 };
            let (mut low, mut high) = (theta[c] - reach, theta[c] + reach);
            let at = |x: f64| {
                let mut trial = theta.clone();
                trial[c] = x;
                likelihood(&trial)
            };
            while high - low > 1e-9 {
                let (a, b) = (high - 0.618 * (high - low), low + 0.618 * (high - low));
                if at(a) < at(b) { low = a } else { high = b }
            }
            theta[c] = 0.5 * (low + high);
        }
    }
    theta
}

#[test]
fn the_fit_maximises_the_likelihood_and_errors_are_those_of_the_formulas() {
    let (k, n, voters) = (4, 400, 30);
    let votes = random_votes(k, n, voters, &mut stream(12, &[]));
    let theta = maximum(k, &votes);
    // φ of the points in the strengths of items 1, 2, …; ln ν is the last coordinate.
    let phi = |i: u32, j: u32| {
        DVector::from_fn(k, |c, _| f64::from(u8::from(c + 1 == i as usize)) - f64::from(u8::from(c + 1 == j as usize)))
    };
    let own = DVector::from_fn(k, |c, _| f64::from(u8::from(c == k - 1)));
    let moments = |i: u32, j: u32| {
        let [win, tie, _] = chances(&theta, i, j);
        let mean = win + 0.5 * tie;
        (mean, tie, win + 0.25 * tie - mean * mean)
    };
    let mut hessian = DMatrix::zeros(k, k);
    for &(i, j, ..) in &votes {
        let (mean, tie, variance) = moments(i, j);
        let (phi, cross) = (phi(i, j), tie * (0.5 - mean));
        hessian += &phi * phi.transpose() * variance + &own * own.transpose() * (tie * (1.0 - tie));
        hessian += (&phi * own.transpose() + &own * phi.transpose()) * cross;
    }
    let inverse = hessian.clone().try_inverse().unwrap();
    // A vote's leverage on the strengths, ν being known.
    let alone = hessian.view((0, 0), (k - 1, k - 1)).try_inverse().unwrap();
    let scores = |theta: &[f64]| -> Vec<f64> {
        let score = |i: u32| {
            let all = (0..k as u32).filter(|&j| j != i).map(|j| chances(theta, i, j));
            all.map(|[win, tie, _]| win + 0.5 * tie).sum::<f64>() / (k - 1) as f64
        };
        (0..k as u32).map(score).collect()
    };
    // How many votes there are on an item, by a voter or by all.
    let on = |item: u32, who: Option<u32>| {
        let counts = |&&(i, j, voter, _): &&(u32, u32, u32, Answer)| {
            (i == item || j == item) && who.is_none_or(|who| who == voter)
        };
        votes.iter().filter(counts).count() as f64
    };
    for clustered in [false, true] {
        let mut scatter = DMatrix::zeros(k, k);
        let mut by_voter = vec![DVector::zeros(k); voters];
        for &(i, j, voter, answer) in &votes {
            let ((mean, tie, variance), (r, t)) = (moments(i, j), points_and_tie(answer));
            let phi = phi(i, j);
            let head = phi.rows(0, k - 1);
            let leverage = variance * (head.transpose() * &alone * head)[0];
            let score = &phi * ((r - mean) / (1.0 - leverage)) + &own * (t - tie);
            scatter += &score * score.transpose();
            // CR2: the share of the voter's other votes in those on both items.
            let share = |item: u32| 0.5 * (on(item, Some(voter)) - 1.0) / on(item, None);
            by_voter[voter as usize] += score / (1.0 - share(i) - share(j)).sqrt();
        }
        if clustered {
            scatter = by_voter.iter().map(|s| s * s.transpose()).sum::<DMatrix<f64>>();
        }
        let covariance = &inverse * scatter * &inverse;
        let ranking = ranked(&fill(k, &votes, clustered, Ties::Model), &Model::OneHot);
        let nu = ranking.ties.unwrap().nu;
        assert!((nu.estimate.unwrap().ln() - theta[k - 1]).abs() < 1e-6, "{nu:?} {theta:?}");
        let error = covariance[(k - 1, k - 1)].sqrt();
        assert!((nu.error / nu.estimate.unwrap() - error).abs() < 1e-6, "clustered: {clustered}");
        for item in &ranking.items {
            let borda = scores(&theta)[item.item];
            assert!((item.borda.estimate.unwrap() - borda).abs() < 1e-6);
            let gradient = DVector::from_fn(k, |c, _| {
                let moved = |h: f64| {
                    let mut theta = theta.clone();
                    theta[c] += h;
                    scores(&theta)[item.item]
                };
                (moved(1e-5) - moved(-1e-5)) / 2e-5
            });
            let error = (gradient.transpose() * &covariance * &gradient)[0].sqrt();
            assert!((item.borda.error - error).abs() < 1e-6, "clustered: {clustered}, {} {error}", item.borda.error);
        }
    }
}

#[test]
fn every_item_has_its_points_and_weights_count_by_their_ratio() {
    let votes = random_votes(5, 600, 20, &mut stream(3, &[]));
    let ballots = fill(5, &votes, false, Ties::Model);
    let plain = ranked(&ballots, &Model::OneHot);
    let (mut seen, mut expected) = ([0.0; 5], [0.0; 5]);
    for pair in &plain.pairs {
        let fitted = pair.fitted.unwrap();
        seen[pair.first] += pair.votes * pair.share;
        seen[pair.second] += pair.votes * (1.0 - pair.share);
        expected[pair.first] += pair.votes * fitted;
        expected[pair.second] += pair.votes * (1.0 - fitted);
    }
    seen.iter().zip(expected).for_each(|(a, b)| assert!((a - b).abs() < 1e-7, "{a} {b}"));
    // All weights alike: the same ranking.
    let mut heavy = Ballots::new(Ties::Model, BothBad::Drop, true);
    (0..5).for_each(|item| {
        heavy.item(&item.to_string());
    });
    for &(i, j, _, answer) in &votes {
        heavy.add(i, j, None, answer, 7.0, 1.0).unwrap();
    }
    let heavy = ranked(&heavy.finish(), &Model::OneHot);
    assert!((plain.items[0].borda.high - heavy.items[0].borda.high).abs() < 1e-9);
    let (a, b) = (plain.ties.unwrap().nu, heavy.ties.unwrap().nu);
    assert!((a.high - b.high).abs() < 1e-9 && a.low < a.estimate.unwrap(), "{a:?} {b:?}");
}

#[test]
fn two_items_have_their_share_and_extremes_are_survived() {
    let of = |counts: [f64; 3], ties: Ties| {
        let mut ballots = Ballots::new(ties, BothBad::Drop, true);
        let [a, b] = ["a", "b"].map(|name| ballots.item(name));
        for (answer, count) in [Answer::Left, Answer::Tie, Answer::Right].into_iter().zip(counts) {
            ballots.add(a, b, None, answer, 1.0, count).unwrap();
        }
        ranked(&ballots.finish(), &Model::OneHot)
    };
    let (model, half) = (of([40.0, 30.0, 20.0], Ties::Model), of([40.0, 30.0, 20.0], Ties::Half));
    let (a, b) = (model.items[0].borda, half.items[0].borda);
    assert!((a.estimate.unwrap() - 55.0 / 90.0).abs() < 1e-9 && (a.low - b.low).abs() < 1e-9, "{a:?} {b:?}");
    // ν = ties/√(wins · losses), the maximum of a saturated likelihood.
    let nu = model.ties.unwrap().nu.estimate.unwrap();
    assert!((nu - 30.0 / 800_f64.sqrt()).abs() < 1e-7, "{nu}");
    assert!(half.ties.is_none());
    // No tie: the same as without, and an upper bound of ν.
    let (none, coins) = (of([40.0, 0.0, 20.0], Ties::Model), of([40.0, 0.0, 20.0], Ties::Half));
    assert_eq!(none.items, coins.items);
    let bound = none.ties.unwrap();
    assert_eq!((bound.nu.estimate, bound.nu.low), (Some(0.0), 0.0));
    assert!((bound.between_equals.high - (1.0 - 0.05_f64.powf(1.0 / 60.0))).abs() < 1e-12);
    // Nothing but ties, no loss beside ties, a single tie: finite, and not certain.
    for counts in [[0.0, 50.0, 0.0], [5.0, 5.0, 0.0], [0.0, 1.0, 0.0]] {
        let ranking = of(counts, Ties::Model);
        let (score, nu) = (ranking.items[0].borda, ranking.ties.unwrap().nu);
        assert!(score.high - score.low > 0.01 && score.high.is_finite(), "{counts:?} {score:?}");
        assert!(nu.low > 0.0 && nu.high.is_finite() && nu.low < nu.high, "{counts:?} {nu:?}");
    }
}

#[test]
fn adjusting_clusters_and_the_bootstrap_know_ties_and_the_rest_is_refused() {
    let votes = random_votes(4, 400, 40, &mut stream(21, &[]));
    let ballots = fill(4, &votes, true, Ties::Model);
    let with = |options: RankOptions| rank(&ballots, &Model::OneHot, &options);
    let plain = with(RankOptions::default()).unwrap();
    let position = with(RankOptions::default().with_adjust_position(true)).unwrap();
    assert!((position.ties.unwrap().nu.estimate.unwrap() / plain.ties.unwrap().nu.estimate.unwrap()).ln().abs() < 0.1);
    assert!(position.effects[0].effect.estimate.unwrap().abs() < 0.5);
    // A number that is always 0 changes nothing but the place where the votes are kept.
    let mut circumstances = Circumstances::new(vec!["nothing".to_owned(), "side".to_owned()]);
    for &(left, right, voter, answer) in &votes {
        let ballot = Ballot::new(left, right, answer).with_voter(Some(voter));
        circumstances.add(&ballots, &ballot, &[0.0, 1.0]).unwrap();
    }
    let numbers = with(RankOptions::default().with_circumstances(Some(Arc::new(circumstances))));
    // The side is what position is; the 0 cannot be told from anything and is refused or harmless.
    if let Ok(numbers) = numbers {
        let (a, b) = (numbers.ties.unwrap().nu.high, position.ties.unwrap().nu.high);
        assert!((a - b).abs() < 1e-6, "{a} {b}");
    }
    let bootstrap = with(RankOptions::default().with_bootstrap(Some(400))).unwrap();
    for (a, b) in plain.items.iter().zip(&bootstrap.items) {
        assert_eq!(a.item, b.item);
        let ratio = (b.borda.high - b.borda.low) / (a.borda.high - a.borda.low);
        assert!((0.8..1.25).contains(&ratio), "{ratio}");
    }
    let refused = rank(&ballots, &Model::Counts, &RankOptions::default()).unwrap_err().to_string();
    assert!(refused.contains("one-hot"), "{refused}");
    let mut soft = Ballots::new(Ties::Model, BothBad::Drop, true);
    let [a, b] = ["a", "b"].map(|name| soft.item(name));
    assert_eq!(soft.add(a, b, None, Answer::Soft(0.7), 1.0, 1.0), Err(Refusal::Soft(0.7)));
    assert!(soft.add(a, b, None, Answer::Soft(0.5), 1.0, 1.0).is_ok());
}

#[test]
fn boxes_with_modelled_ties_are_merged_taken_back_restricted_and_saved_exactly() {
    let votes = random_votes(5, 200, 12, &mut stream(8, &[]));
    let bytes = |ballots: &Ballots| serde_json::to_string(ballots).unwrap();
    let whole = fill(5, &votes, true, Ties::Model);
    // Ties have sums of their own, and only they do.
    assert!(whole.cells().iter().all(|cell| (cell.counts.tie == cell.n) == cell.tied && cell.n > 0.0));
    let mut merged = fill(5, &votes[..70], true, Ties::Model);
    merged.merge(&fill(5, &votes[70..], true, Ties::Model)).unwrap();
    assert_eq!(bytes(&merged.finish()), bytes(&whole));
    let mut more = whole.clone();
    let voter = more.voter("003");
    let (left, right, voter) = (4, 2, Some(voter));
    let tie = Ballot::new(left, right, Answer::Tie).with_voter(voter).with_weight(0.3).with_count(2.0);
    more.add_all(&[tie, tie, tie.with_answer(Answer::Left)]).unwrap();
    for ballot in [tie.with_answer(Answer::Left), tie, tie] {
        more.take_back(&ballot).unwrap();
    }
    assert_eq!(bytes(&more.finish()), bytes(&whole));
    let saved: Ballots = serde_json::from_str(&bytes(&whole)).unwrap();
    assert_eq!(bytes(&saved), bytes(&whole));
    let few: Vec<_> = votes.iter().copied().filter(|(i, j, ..)| i.max(j) < &3).collect();
    assert_eq!(bytes(&whole.restrict(&[0, 1, 2]).unwrap()), bytes(&fill(3, &few, true, Ties::Model)));
    // Half and model are two rules.
    let mut half = fill(5, &votes, true, Ties::Half);
    assert_eq!(half.merge(&whole), Err(Refusal::Rules));
    assert!(!bytes(&half).contains("tied"));
}
