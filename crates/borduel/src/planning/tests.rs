//! The plan against brute force, its constraints, and its predictions against simulated votes.

use super::*;
use crate::ballots::{Answer, BothBad, Ties};
use crate::ranking::{RankOptions, rank};
use crate::stream::{Stream, stream};
use rayon::prelude::*;

fn empty(items: usize) -> Ballots {
    let mut ballots = Ballots::new(Ties::Half, BothBad::Drop, true);
    (0..items).for_each(|item| {
        ballots.item(&item.to_string());
    });
    ballots
}

/// Adds answers to these questions by people who follow the strengths.
fn answer(ballots: &mut Ballots, asks: &[Duel], strengths: &[f64], s: &mut Stream) {
    for &Duel(left, right) in asks {
        let p = Link::Logistic.mu(strengths[left] - strengths[right]);
        let vote = if s.uniform() < p { Answer::Left } else { Answer::Right };
        ballots.add(left as u32, right as u32, None, vote, 1.0, 1.0).unwrap();
    }
}

fn scores(strengths: &[f64]) -> Vec<f64> {
    let k = strengths.len();
    let score =
        |i: usize| (0..k).filter(|&j| j != i).map(|j| Link::Logistic.mu(strengths[i] - strengths[j])).sum::<f64>();
    (0..k).map(|i| score(i) / (k - 1) as f64).collect()
}

fn asks_of(asks: &[Duel], item: usize) -> usize {
    asks.iter().filter(|Duel(i, j)| *i == item || *j == item).count()
}

#[test]
fn each_choice_is_the_best_of_all_pairs() {
    // Brute force: invert the matrix for every candidate at every step.
    let mut s = stream(3, &[]);
    let x: Vec<f64> = (0..8 * 2).map(|_| s.normal()).collect();
    let features = Features::differences_scaled(8, 2, &x).unwrap();
    for model in [Model::Features(features), Model::OneHot] {
        let mut ballots = empty(8);
        answer(
            &mut ballots,
            &(0..60).map(|n| Duel(n % 8, (n + 1 + n / 8 % 7) % 8)).collect::<Vec<_>>(),
            &[0.0; 8],
            &mut s,
        );
        let prior = Prior::new(8, &model, Some(&ballots.finish())).unwrap();
        let options = PlanOptions { budget: 15.0, ..PlanOptions::default() };
        let steps = greedy::choose(&prior, &prior.gradients, &options).unwrap();
        let mut information = prior.information.clone();
        let value = |information: &DMatrix<f64>| {
            (&prior.gradients * information.clone().try_inverse().unwrap() * prior.gradients.transpose()).trace()
        };
        let add = |information: &DMatrix<f64>, i: usize, j: usize, slope: f64| {
            let phi = nalgebra::DVector::from_vec(prior.features.phi(Duel(i, j)));
            information + &phi * phi.transpose() * slope
        };
        let projection = prior.features.project(&prior.theta);
        for step in steps {
            let slope = |i, j| Link::Logistic.mu_prime(prior.features.score(&projection, Duel(i, j)));
            let best = (0..8)
                .flat_map(|i| (i + 1..8).map(move |j| (i, j)))
                .map(|(i, j)| value(&add(&information, i, j, slope(i, j))))
                .fold(f64::INFINITY, f64::min);
            information = add(&information, step.i, step.j, slope(step.i, step.j));
            assert!(value(&information) <= best * (1.0 + 1e-3), "{} against {best}", value(&information));
        }
    }
}

#[test]
fn constraints_hold() {
    let options = PlanOptions {
        budget: 40.0,
        excluded: HashSet::from([(0, 1), (3, 2)]),
        excluded_items: HashSet::from([5]),
        most_per_pair: Some(5),
        least_per_item: 6,
        costs: vec![(0, 2, 3.0)],
        ..PlanOptions::default()
    };
    let plan = plan(6, &Model::OneHot, None, &options).unwrap();
    let count = |i: usize, j: usize| plan.asks.iter().filter(|&&d| d == Duel(i, j) || d == Duel(j, i)).count();
    assert_eq!((count(0, 1), count(2, 3), asks_of(&plan.asks, 5)), (0, 0, 0));
    assert!((0..5).all(|i| asks_of(&plan.asks, i) >= 6));
    assert!((0..6).all(|i| (i + 1..6).all(|j| count(i, j) <= 5)));
    let spent: f64 = plan.asks.iter().map(|&d| if d == Duel(0, 2) || d == Duel(2, 0) { 3.0 } else { 1.0 }).sum();
    assert!(spent <= 40.0 && spent == plan.curve.last().unwrap().spent);
    let refuse = |options: PlanOptions| super::plan(3, &Model::OneHot, None, &options).unwrap_err().to_string();
    assert!(refuse(PlanOptions { budget: 0.0, ..PlanOptions::default() }).contains("budget"));
    assert!(
        refuse(PlanOptions { budget: 2.0, least_per_item: 9, ..PlanOptions::default() }).contains("least per item")
    );
    assert!(
        refuse(PlanOptions { excluded_items: HashSet::from([0, 1]), ..PlanOptions::default() })
            .contains("nothing to ask")
    );
    assert!(refuse(PlanOptions { costs: vec![(0, 1, -1.0)], ..PlanOptions::default() }).contains("cost"));
}

#[test]
fn precision_grows_with_the_budget_and_a_tree_comes_first() {
    let plan = plan(10, &Model::OneHot, None, &PlanOptions { budget: 200.0, ..PlanOptions::default() }).unwrap();
    assert_eq!((plan.asks.len(), plan.curve.len(), plan.curve[0].mean), (200, 21, None));
    let known: Vec<f64> = plan.curve.iter().filter_map(|point| point.mean).collect();
    assert!(known.len() >= 19 && known.windows(2).all(|w| w[1] < w[0]), "{known:?}");
    // The first nine questions join all ten items.
    let mut part: Vec<usize> = (0..10).collect();
    for Duel(i, j) in &plan.asks[..9] {
        let (a, b) = (part[*i], part[*j]);
        part.iter_mut().filter(|p| **p == a).for_each(|p| *p = b);
    }
    assert!(part.iter().all(|&p| p == part[0]));
    // With a budget beyond what is chosen one by one, questions come in groups, and none is lost.
    let large =
        super::plan(5, &Model::OneHot, None, &PlanOptions { budget: 50_001.0, ..PlanOptions::default() }).unwrap();
    assert_eq!(large.asks.len(), 50_001);
}

#[test]
fn few_questions_for_the_winner_go_to_those_who_may_win() {
    let strengths = [1.2, 1.1, 0.0, -0.5, -1.0, -1.5];
    let mut ballots = empty(6);
    let all: Vec<Duel> = (0..3000).map(|n| Duel(n % 6, (n + 1 + n / 6 % 5) % 6)).collect();
    answer(&mut ballots, &all, &strengths, &mut stream(4, &[]));
    let ballots = ballots.finish();
    let plan = |goal| {
        super::plan(6, &Model::OneHot, Some(&ballots), &PlanOptions { goal, budget: 300.0, ..PlanOptions::default() })
            .unwrap()
    };
    let (winner, all) = (plan(Goal::Winner), plan(Goal::All));
    let top: HashSet<usize> = winner.contenders.iter().copied().collect();
    assert_eq!(top, HashSet::from([0, 1]));
    assert!(asks_of(&winner.asks, 0) + asks_of(&winner.asks, 1) > asks_of(&all.asks, 0) + asks_of(&all.asks, 1));
    let last = |plan: &Plan| *plan.curve.last().unwrap();
    assert!(last(&winner).difference < last(&all).difference);
    assert!(last(&all).mean < last(&winner).mean);
}

/// The promise: what is predicted before a question is asked is what comes out, for one-hot items and for features, from nothing and
/// on top of votes.
#[test]
fn predicted_widths_are_the_realised_errors() {
    let k = 8;
    let mut s = stream(11, &[]);
    let x: Vec<f64> = (0..k * 2).map(|_| s.normal()).collect();
    let features = Features::differences_scaled(k, 2, &x).unwrap();
    for (name, model) in [("one-hot", Model::OneHot), ("features", Model::Features(features))] {
        let strengths: Vec<f64> = if name == "one-hot" {
            (0..k).map(|_| 0.4 * s.normal()).collect()
        } else {
            x.chunks(2).map(|x| 0.3 * x[0] - 0.2 * x[1]).collect()
        };
        for earlier in [0, 400] {
            // What was asked before comes from a plan too; the realised errors are those of all votes together.
            let first = super::plan(
                k,
                &model,
                None,
                &PlanOptions { budget: f64::from(earlier.max(1)), ..PlanOptions::default() },
            )
            .unwrap()
            .asks;
            let first = &first[..earlier as usize];
            let mut before = empty(k);
            answer(&mut before, first, &strengths, &mut stream(12, &[]));
            let before = before.finish();
            let votes = (earlier > 0).then_some(&before);
            let plan = super::plan(
                k,
                &model,
                votes,
                &PlanOptions { goal: Goal::All, budget: 600.0, ..PlanOptions::default() },
            )
            .unwrap();
            let predicted = plan.half_widths.unwrap();
            let truth = scores(&strengths);
            let simulations = 200;
            let errors: Vec<Vec<f64>> = (0..simulations)
                .into_par_iter()
                .map(|simulation| {
                    let mut stream = stream(13, &[simulation]);
                    let mut ballots = empty(k);
                    answer(&mut ballots, first, &strengths, &mut stream);
                    answer(&mut ballots, &plan.asks, &strengths, &mut stream);
                    let ranking = rank(&ballots.finish(), &model, &RankOptions::default()).unwrap();
                    let mut errors = vec![0.0; k];
                    ranking
                        .items
                        .iter()
                        .for_each(|score| errors[score.item] = score.borda.estimate.unwrap() - truth[score.item]);
                    errors
                })
                .collect();
            let realised =
                |i: usize| 1.96 * (errors.iter().map(|e| e[i] * e[i]).sum::<f64>() / simulations as f64).sqrt();
            let ratios: Vec<f64> = (0..k).map(|i| realised(i) / predicted[i]).collect();
            let mean = ratios.iter().sum::<f64>() / k as f64;
            assert!((0.93..1.07).contains(&mean), "{name}, {earlier} earlier votes: {ratios:?}");
            assert!(
                ratios.iter().all(|ratio| (0.8..1.2).contains(ratio)),
                "{name}, {earlier} earlier votes: {ratios:?}"
            );
        }
    }
}
