//! The plan against brute force, its constraints, and its predictions against simulated votes.

use super::*;
use crate::ballots::{Answer, BothBad, Ties};
use crate::link::Link;
use crate::ranking::{RankOptions, rank};
use crate::sequential::{self, Reading};
use crate::stream::{Stream, stream};
use nalgebra::DMatrix;
use rayon::prelude::*;

pub(super) fn empty(items: usize) -> Ballots {
    let mut ballots = Ballots::new(Ties::Half, BothBad::Drop, true);
    (0..items).for_each(|item| {
        ballots.item(&item.to_string());
    });
    ballots
}

/// Adds answers to these questions by people who follow the strengths.
pub(super) fn answer(ballots: &mut Ballots, asks: &[Duel], strengths: &[f64], s: &mut Stream) {
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
        let options = PlanOptions { budget: 15.0, goal: Goal::All, ..PlanOptions::default() };
        let prior = Prior::new(8, &model, Some(&ballots.finish()), &options).unwrap();
        let steps = greedy::choose(&prior, &Target::new(&prior, &options), &options).unwrap();
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
    for excluded_items in [HashSet::from([0, 1]), HashSet::from([0, 1, 2])] {
        assert!(refuse(PlanOptions { excluded_items, ..PlanOptions::default() }).contains("nothing to ask"));
    }
    assert!(refuse(PlanOptions { excluded_items: HashSet::from([3]), ..PlanOptions::default() }).contains("item = 3"));
    assert!(refuse(PlanOptions { open: vec![Duel(0, 9)], ..PlanOptions::default() }).contains("item = 9"));
    assert!(refuse(PlanOptions { costs: vec![(0, 1, -1.0)], ..PlanOptions::default() }).contains("cost"));
    let cheap = PlanOptions { costs: vec![(0, 1, 1e-6)], ..PlanOptions::default() };
    assert!(refuse(cheap.clone()).contains("10,000,000 questions"));
    let limited = PlanOptions { most_per_pair: Some(20), ..cheap };
    assert!(super::plan(3, &Model::OneHot, None, &limited).is_ok());
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

fn random_features(k: usize, d: usize, seed: u64) -> Features {
    let mut s = stream(seed, &[]);
    let x: Vec<f64> = (0..k * d).map(|_| s.normal()).collect();
    Features::differences_scaled(k, d, &x).unwrap()
}

/// The mean width times √n of a plan of so many questions.
fn scaled_width(k: usize, model: &Model, budget: usize) -> f64 {
    let plan = plan(k, model, None, &PlanOptions { budget: budget as f64, ..PlanOptions::default() }).unwrap();
    assert_eq!(plan.asks.len(), budget);
    plan.curve.last().unwrap().mean.unwrap() * (budget as f64).sqrt()
}

/// A larger budget is never spent worse than a smaller one scaled up: width × √n never grows.
#[test]
fn large_budgets_are_not_wasted() {
    let mut cases = vec![
        (3, Model::OneHot, vec![300, 20_001, 100_000, 1_000_000]),
        (12, Model::OneHot, vec![600, 4_800, 38_401]),
        (20, Model::Features(random_features(20, 3, 1)), vec![1_600, 6_400, 25_600, 102_400, 409_600]),
    ];
    for seed in 2..6 {
        let (k, d) = (4 + 3 * seed as usize, 1 + seed as usize);
        cases.push((k, Model::Features(random_features(k, d, seed)), vec![1_000, 2_001, 19_999]));
    }
    for (k, model, budgets) in cases {
        let widths: Vec<f64> = budgets.par_iter().map(|&budget| scaled_width(k, &model, budget)).collect();
        let mut least = f64::INFINITY;
        for (width, budget) in widths.iter().zip(&budgets) {
            // A budget that cannot be divided evenly leaves a question or so over: 1/n of the width.
            assert!(*width <= least * (1.0 + 1.0 / *budget as f64 + 1e-4), "{k} items, {budgets:?}: {widths:?}");
            least = least.min(*width);
        }
    }
}

/// The same on top of votes: each question more makes the scores better, whatever the budget.
#[test]
fn widths_fall_with_every_budget_also_on_top_of_votes() {
    let mut ballots = empty(5);
    let asks: Vec<Duel> = (0..200).map(|n| Duel(n % 5, (n + 1 + n / 5 % 4) % 5)).collect();
    answer(&mut ballots, &asks, &[0.8, 0.4, 0.0, -0.4, -0.8], &mut stream(8, &[]));
    let ballots = ballots.finish();
    for goal in [Goal::All, Goal::Winner] {
        let width = |budget: f64| {
            let options = PlanOptions { goal, budget, ..PlanOptions::default() };
            let end = *plan(5, &Model::OneHot, Some(&ballots), &options).unwrap().curve.last().unwrap();
            if goal == Goal::All { end.mean.unwrap() } else { end.difference.unwrap() }
        };
        let widths: Vec<f64> = (0..13).map(|power| width(100.0 * f64::from(1 << power))).collect();
        for (power, two) in widths.windows(2).enumerate() {
            // As if the 200 votes were worth at most 400 planned ones.
            let n = 100.0 * f64::from(1 << power);
            assert!(two[1] < two[0] * ((n + 400.0) / (2.0 * n + 400.0)).sqrt(), "{goal:?}: {widths:?}");
        }
    }
}

#[test]
fn very_many_items_are_planned_for_by_some_that_span_the_rest() {
    let k = 700;
    let model = Model::Features(random_features(k, 4, 9));
    let options = PlanOptions { budget: 100.0, ..PlanOptions::default() };
    let few = plan(k, &model, None, &options).unwrap();
    // The best that one can do with all items: at every step, the best of all pairs of the outermost along A.
    let prior = Prior::new(k, &model, None, &options).unwrap();
    let target = Target::new(&prior, &options);
    let mut information = DMatrix::<f64>::identity(4, 4) * 1e-6;
    let vectors = prior.features.item_vectors().unwrap().to_vec();
    for _ in 0..100 {
        let v = information.clone().try_inverse().unwrap();
        let a = &v * prior.gradients.tr_mul(&prior.gradients) * &v;
        let row = |i: usize| nalgebra::DVector::from_column_slice(&vectors[4 * i..4 * i + 4]);
        let mut outer: Vec<(f64, usize)> = (0..k).map(|i| ((&a * row(i)).dot(&row(i)), i)).collect();
        outer.sort_by(|x, y| y.0.total_cmp(&x.0));
        let gain = |i: usize, j: usize| {
            let phi = row(i) - row(j);
            0.25 * (&a * &phi).dot(&phi) / (1.0 + 0.25 * (&v * &phi).dot(&phi))
        };
        let pairs = outer[..40].iter().flat_map(|&(_, i)| outer[..40].iter().map(move |&(_, j)| (i, j)));
        let (i, j) = pairs.max_by(|x, y| gain(x.0, x.1).total_cmp(&gain(y.0, y.1))).unwrap();
        let phi = row(i) - row(j);
        information += 0.25 * &phi * phi.transpose();
    }
    let z = t_quantile(0.975, f64::INFINITY);
    let other = target.precision(&prior, &information, z, 100, 100.0).0;
    let own = few.curve.last().unwrap();
    assert!(own.mean.unwrap() < 1.02 * other.mean.unwrap(), "{own:?} {other:?}");
    // A large budget is spent in as many choices as the field needs, not all the items.
    let large = PlanOptions { budget: 50_000.0, ..PlanOptions::default() };
    let steps = greedy::choose(&prior, &target, &large).unwrap();
    assert!(steps.len() <= 2_401 && steps.iter().map(|step| step.times).sum::<usize>() == 50_000, "{}", steps.len());
    // Every item is asked about where that is wanted.
    let every = PlanOptions { budget: 800.0, least_per_item: 1, ..PlanOptions::default() };
    let all = plan(k, &model, None, &every).unwrap();
    assert!((0..k).all(|i| asks_of(&all.asks, i) > 0));
}

#[test]
fn open_questions_count_as_asked() {
    let options = PlanOptions { budget: 30.0, most_per_pair: Some(4), least_per_item: 3, ..PlanOptions::default() };
    let open = vec![Duel(0, 1), Duel(1, 0), Duel(0, 1), Duel(2, 0)];
    let plan = plan(5, &Model::OneHot, None, &PlanOptions { open: open.clone(), ..options.clone() }).unwrap();
    let count = |i: usize, j: usize| plan.pairs.iter().find(|p| (p.first, p.second) == (i, j)).map_or(0, |p| p.asks);
    assert!(count(0, 1) <= 1 && count(0, 2) <= 3);
    assert!((1..5).all(|i| asks_of(&plan.asks, i) >= if i < 3 { 1 } else { 3 }));
    // What is open and what is planned together are as good as a plan of as many questions.
    let whole = super::plan(5, &Model::OneHot, None, &PlanOptions { budget: 34.0, ..options }).unwrap();
    let width = |plan: &Sheet| plan.curve.last().unwrap().mean.unwrap();
    assert!((width(&plan) / width(&whole) - 1.0).abs() < 0.02);
    let shares: f64 = plan.pairs.iter().map(|pair| pair.share).sum();
    assert!((shares - 1.0).abs() < 1e-12);
    // Saved and loaded it is the same; of another version it is refused.
    let text = serde_json::to_string(&plan).unwrap();
    assert_eq!(serde_json::from_str::<Sheet>(&text).unwrap(), plan);
    let error = serde_json::from_str::<Sheet>(&text.replacen("\"version\":1", "\"version\":2", 1)).unwrap_err();
    assert!(error.to_string().contains("version 2"), "{error}");
}

#[test]
fn fewer_steps_are_hardly_worse() {
    let width = |items, steps| {
        let options = PlanOptions { budget: 4_000.0, steps, ..PlanOptions::default() };
        let plan = plan(items, &Model::OneHot, None, &options).unwrap();
        assert_eq!(plan.asks.len(), 4_000);
        plan.curve.last().unwrap().mean.unwrap()
    };
    // So few as were asked for, and as there are by themselves for many items, beside one a question.
    for (items, steps) in [(30, Some(400)), (200, None)] {
        let (coarse, fine) = (width(items, steps), width(items, Some(4_000)));
        assert!(coarse < 1.03 * fine, "{items} items: {coarse} {fine}");
    }
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
    let last = |plan: &Sheet| *plan.curve.last().unwrap();
    assert!(last(&winner).difference < last(&all).difference);
    assert!(last(&all).mean < last(&winner).mean);
}

/// The promise: what is predicted before a question is asked is what comes out, for one-hot items and for features,
/// from nothing and on top of votes.
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

#[test]
fn a_handful_of_votes_never_predicts_certainty() {
    // Fitted to the last digit, with nothing left over: a soft vote, a tie, and three tied pairs.
    for (items, votes) in [
        (2, vec![(0, 1, Answer::Soft(0.7))]),
        (2, vec![(0, 1, Answer::Tie)]),
        (3, vec![(0, 1, Answer::Tie), (1, 2, Answer::Tie), (0, 2, Answer::Tie)]),
        (2, vec![(0, 1, Answer::Left), (0, 1, Answer::Left)]),
    ] {
        let mut ballots = empty(items);
        for &(left, right, answer) in &votes {
            ballots.add(left, right, None, answer, 1.0, 1.0).unwrap();
        }
        let ballots = ballots.finish();
        for goal in [Goal::Winner, Goal::All] {
            let options = PlanOptions { budget: 12.0, goal, ..PlanOptions::default() };
            let sheet = plan(items, &Model::OneHot, Some(&ballots), &options).unwrap();
            // Coin flips alone would leave ±50/√(12 + votes) points times 1.96 for two items; agreement may halve that,
            // no more.
            let least = 0.25 * 1.96 * 0.5 / (12.0 + votes.len() as f64).sqrt();
            let widths = sheet.half_widths.unwrap();
            assert!(widths.iter().all(|w| *w > least), "{votes:?}: {widths:?} against {least}");
            assert!(sheet.curve.iter().filter_map(|point| point.worst).all(|w| w > least), "{:?}", sheet.curve);
        }
    }
}

#[test]
fn many_items_get_a_plan_as_good_as_the_greedy_one() {
    // The same items and budget by both ways.
    let items = 120;
    let options = PlanOptions { budget: 1_500.0, goal: Goal::All, ..PlanOptions::default() };
    let greedy = plan(items, &Model::OneHot, None, &options).unwrap().curve.last().unwrap().mean.unwrap();
    let sheet = many::plan(items, None, &options).unwrap();
    let many = sheet.curve.last().unwrap().mean.unwrap();
    assert!((0.9..1.1).contains(&(many / greedy)), "{many} against {greedy}");
    assert_eq!(sheet.asks.len(), 1_500);
    // Even degrees: 25 questions an item.
    let counts: Vec<usize> = (0..items).map(|item| asks_of(&sheet.asks, item)).collect();
    assert!(counts.iter().all(|n| (24..=26).contains(n)), "{counts:?}");
    // Votes make a difference: with a leader, those far behind are left alone.
    let strengths: Vec<f64> = (0..items).map(|i| if i < 4 { 1.5 } else { -0.5 }).collect();
    let mut ballots = empty(items);
    answer(&mut ballots, &sheet.asks, &strengths, &mut stream(3, &[]));
    let options = PlanOptions { budget: 400.0, ..PlanOptions::default() };
    let next = many::plan(items, Some(&ballots.finish()), &options).unwrap();
    let first: usize = (0..4).map(|item| asks_of(&next.asks, item)).sum();
    assert!(first > 300, "{first} of 800 places");
    // Constraints.
    let options = PlanOptions {
        budget: 300.0,
        excluded: (1..100).map(|j| (0, j)).collect(),
        excluded_items: HashSet::from([7]),
        most_per_pair: Some(1),
        least_per_item: 2,
        ..PlanOptions::default()
    };
    let sheet = many::plan(items, None, &options).unwrap();
    assert!(sheet.pairs.iter().all(|pair| pair.asks == 1 && (pair.first != 0 || pair.second >= 100)));
    assert_eq!(asks_of(&sheet.asks, 7), 0);
    assert!((0..items).filter(|item| *item != 7).all(|item| asks_of(&sheet.asks, item) >= 2));
    let few = PlanOptions { budget: 50.0, least_per_item: 3, ..PlanOptions::default() };
    assert!(many::plan(items, None, &few).unwrap_err().to_string().contains("least per item"));
}

/// Whatever the problem, the costs, the constraints and the votes: where more than one pair can be asked, none is asked
/// more than twice running, and at equal costs the whole budget is spent.
#[test]
fn no_pair_is_asked_more_than_twice_running() {
    let (mut alone, mut twice, mut most) = (0, 0, 0.0_f64);
    for problem in 0..400_u64 {
        let mut s = stream(problem, &[0x7e57]);
        let k = 2 + s.below(6);
        let pairs: Vec<(usize, usize)> = (0..k).flat_map(|i| (i + 1..k).map(move |j| (i, j))).collect();
        let model = if s.below(3) == 0 { Model::Features(random_features(k, 2, problem)) } else { Model::OneHot };
        let mut ballots = empty(k);
        let strengths: Vec<f64> = (0..k).map(|_| s.normal()).collect();
        let before: Vec<Duel> =
            (0..s.below(200)).map(|_| pairs[s.below(pairs.len())]).map(|(i, j)| Duel(i, j)).collect();
        answer(&mut ballots, &before, &strengths, &mut s);
        let with_costs = s.below(2) == 0;
        let costs = pairs.iter().filter(|_| with_costs && s.below(2) == 0).copied().collect::<Vec<_>>();
        let options = PlanOptions {
            goal: if s.below(2) == 0 { Goal::Winner } else { Goal::All },
            budget: (1 + s.below(60)) as f64,
            excluded: pairs.iter().filter(|_| s.below(4) == 0).copied().collect(),
            most_per_pair: (s.below(3) == 0).then(|| 1 + s.below(30)),
            least_per_item: s.below(8).saturating_sub(5),
            costs: costs.into_iter().map(|(i, j)| (i, j, [0.01, 0.1, 1.0, 10.0][s.below(4)])).collect(),
            steps: (s.below(4) == 0).then(|| 1 + s.below(10)),
            ..PlanOptions::default()
        };
        let cost = |pair: (usize, usize)| options.costs.iter().find(|c| (c.0, c.1) == pair).map_or(1.0, |c| c.2);
        let askable = pairs.iter().filter(|pair| !options.excluded.contains(pair) && cost(**pair) <= options.budget);
        let askable = askable.count();
        let votes = (!before.is_empty()).then(|| ballots.finish());
        let by = |plan: Result<Sheet>| {
            let Ok(sheet) = plan else { return None };
            let asked: Vec<(usize, usize)> = sheet.asks.iter().map(|&Duel(i, j)| (i.min(j), i.max(j))).collect();
            let longest = asked.chunk_by(|a, b| a == b).map(<[_]>::len).max().unwrap();
            assert!(askable == 1 || longest <= 2, "problem {problem}: {longest} running, {options:?}");
            if options.costs.is_empty() {
                let room = options.most_per_pair.map_or(usize::MAX, |most| most * askable);
                assert_eq!(asked.len(), room.min(options.budget as usize), "problem {problem}: {options:?}");
            }
            let of = |pair: &PlannedPair| if askable > 1 && asked.len() > 20 { pair.share } else { 0.0 };
            Some((longest, sheet.pairs.iter().map(of).fold(0.0, f64::max)))
        };
        let found = by(plan(k, &model, votes.as_ref(), &options));
        if matches!(model, Model::OneHot) {
            by(many::plan(k, votes.as_ref(), &options));
        }
        alone += usize::from(askable == 1 && found.is_some_and(|(longest, _)| longest > 2));
        twice += usize::from(found.is_some_and(|(longest, _)| longest == 2));
        most = found.map_or(most, |(_, share)| most.max(share));
    }
    // Some of these plans would ask one pair far more often than all others together.
    assert!(alone > 5 && twice > 50 && most > 0.6, "{alone} {twice} {most}");
}

/// The same plan, whether questions are paid in dollars, cents or questions.
#[test]
fn the_unit_of_costs_does_not_matter() {
    let mut votes = empty(6);
    let asks: Vec<Duel> = (0..60).map(|at| Duel(at % 6, (at + 1 + at / 6 % 5) % 6)).collect();
    answer(&mut votes, &asks, &[1.0, 0.8, 0.6, 0.4, 0.2, 0.0], &mut stream(3, &[]));
    let votes = votes.finish();
    for votes in [None, Some(&votes)] {
        let plan = |unit: f64| {
            let pairs = (0..6).flat_map(|i| (i + 1..6).map(move |j| (i, j)));
            let costs = pairs.map(|(i, j)| (i, j, unit * if i == 0 { 2.0 } else { 1.0 })).collect();
            let options = PlanOptions { budget: 300.0 * unit, costs, ..PlanOptions::default() };
            super::plan(6, &Model::OneHot, votes, &options).unwrap()
        };
        let (questions, dollars) = (plan(1.0), plan(1.0 / 512.0));
        assert_eq!(questions.asks, dollars.asks);
        assert_eq!(questions.curve.last().unwrap().mean, dollars.curve.last().unwrap().mean);
        assert!(questions.pairs.len() > 6);
    }
}

/// What a judge thinks of four items, whose best is 0 in people's eyes.
fn guide(strengths: [f64; 4], trust: Trust) -> Guide {
    let features = Features::standardised(4, 1, &strengths).unwrap();
    Guide { features, strengths: strengths.to_vec(), trust }
}

#[test]
fn a_hint_says_what_to_ask_first_and_no_width_rests_on_it() {
    let options = PlanOptions { budget: 120.0, ..PlanOptions::default() };
    let sheet = |guide| plan(4, &Model::OneHot, None, &PlanOptions { guide, ..options.clone() }).unwrap();
    let asked = |sheet: &Sheet, item: usize| {
        sheet.pairs.iter().filter(|pair| pair.first == item || pair.second == item).map(|pair| pair.asks).sum::<usize>()
    };
    let even = sheet(None);
    for trust in [Trust::Checked, Trust::Typical, Trust::Model] {
        let hinted = sheet(Some(guide([-1.0, -0.9, 0.1, 1.8], trust)));
        // Who is first by the hint is asked about more often than anybody, and than without it.
        assert!(asked(&hinted, 3) > asked(&even, 3) && (0..3).all(|item| asked(&hinted, item) < asked(&hinted, 3)));
        // Widths are those of the votes: what is asked less often is told less well.
        let (with, without) = (hinted.half_widths.unwrap(), even.half_widths.clone().unwrap());
        assert!(with[3] < without[3] && with[0] > without[0], "{with:?} {without:?}");
    }
    // Believed altogether it leaves alone who is far behind; else everybody's distance to the leader is told alike.
    let far = [-1.9, 0.1, 0.8, 1.0];
    let [checked, believed] = [Trust::Checked, Trust::Model].map(|trust| sheet(Some(guide(far, trust))));
    assert_eq!([0, 1].map(|item| asked(&checked, item)), [asked(&checked, 2); 2]);
    assert!(asked(&believed, 0) < asked(&checked, 0) && asked(&believed, 2) > asked(&checked, 2));
}

#[test]
fn beside_votes_a_hint_guides_as_find_has_it() {
    let mut ballots = empty(4);
    let asks: Vec<Duel> =
        (0..240).map(|n| [Duel(0, 1), Duel(1, 2), Duel(2, 3), Duel(0, 2), Duel(1, 3)][n % 5]).collect();
    answer(&mut ballots, &asks, &[0.6, 0.3, 0.0, -0.9], &mut stream(3, &[]));
    let ballots = ballots.finish();
    let guide = guide([0.5, 0.4, 0.1, -1.0], Trust::Model);
    let options = PlanOptions { budget: 30.0, guide: Some(guide.clone()), ..PlanOptions::default() };
    let sheet = plan(4, &Model::OneHot, Some(&ballots), &options).unwrap();
    let wanted = sequential::Options { margin: options.margin, trust: Trust::Model, ..Default::default() };
    let reading = Reading::new(&guide.features, &ballots, &wanted).unwrap();
    let first = reading.next_questions(&[], 1, 1)[0];
    assert!(sheet.pairs.iter().any(|pair| (pair.first, pair.second) == (first.0.min(first.1), first.0.max(first.1))));
    let plain = plan(4, &Model::OneHot, Some(&ballots), &PlanOptions { guide: None, ..options.clone() }).unwrap();
    assert_eq!(
        (&sheet.scores, &sheet.contenders, sheet.inflation),
        (&plain.scores, &plain.contenders, plain.inflation)
    );
    assert_ne!(sheet.pairs, plain.pairs);
    let refuse = |options: PlanOptions| plan(4, &Model::OneHot, None, &options).unwrap_err().to_string();
    assert!(refuse(PlanOptions { goal: Goal::All, ..options.clone() }).contains("goes with the goal winner"));
    let other = Some(Guide { strengths: vec![1.0], ..guide });
    assert!(refuse(PlanOptions { guide: other, ..options }).contains("not about the 4 items"));
}
