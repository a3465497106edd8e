//! What the paper proves, checked: unbiased estimates, second moments, and errors that fall as the theory says.

use crate::naive::{Bexp3, Phi};
use borduel::environment::{Environment, glm, hard::hard};
use borduel::glm::{FitOptions, fit};
use borduel::{AnyPolicy, Borda, Duel, Features, Link, Outcome, Policy, PolicyConfig, Problem, Tally, stream};

/// The sum Ŝ(i) of all estimates so far.
fn totals(policy: &AnyPolicy, problem: &Problem, rounds: f64) -> Vec<f64> {
    let mut scores = vec![0.0; problem.items()];
    policy.scores(problem, &mut scores);
    scores.iter().map(|s| (s - 0.5) * rounds).collect()
}

/// Expectation and second moment of one answer's step of Ŝ, over all pairs and both answers, for a question asked now
/// and answered after `delay` other answers.
fn moments(name: &str, centre: f64, delay: usize) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let mut s = stream(41, &[]);
    let features = glm::random_features(4, 2, glm::Shape::Pairs, &mut s).unwrap();
    let world = glm::glm(features, Link::Linear, None, None, Some(50), &mut s).unwrap();
    let problem = world.problem();
    let k = problem.items();
    let mut policy = PolicyConfig::named(name).unwrap().build(problem, stream(1, &[])).unwrap();
    let mut naive = Bexp3::new(problem, 50.0, centre);
    let mut answer = |policy: &mut AnyPolicy, naive: &mut Bexp3| {
        let proposal = policy.ask(problem);
        let won = s.uniform() < world.probability(1, proposal.duel);
        let q = naive.q();
        policy.tell(problem, &proposal, Outcome::from_win(won));
        naive.learn(&q, proposal.duel.0, proposal.duel.1, f64::from(u8::from(won)));
    };
    (0..10).for_each(|_| answer(&mut policy, &mut naive));
    let q = naive.q();
    let question = policy.ask(problem);
    (0..delay).for_each(|_| answer(&mut policy, &mut naive));
    let rounds = (11 + delay) as f64;
    let before = totals(&policy, problem, rounds);
    let (mut mean, mut second) = (vec![0.0; k], vec![0.0; k]);
    for i in 0..k {
        for j in 0..k {
            for won in [false, true] {
                let mut proposal = question.clone();
                proposal.duel = Duel(i, j);
                let mut told = policy.clone();
                told.tell(problem, &proposal, Outcome::from_win(won));
                let p = world.probability(1, Duel(i, j));
                let probability = q[i] * q[j] * if won { p } else { 1.0 - p };
                for (item, after) in totals(&told, problem, rounds).iter().enumerate() {
                    let step = after - before[item];
                    mean[item] += probability * step;
                    second[item] += probability * step * step;
                }
            }
        }
    }
    let truth = (0..k).map(|i| world.scores(1)[i] - 0.5).collect();
    (mean, second, truth)
}

#[test]
fn bexp3_is_unbiased_at_once_and_late() {
    for (name, centre) in [("bexp3", 0.0), ("bexp3-centred", 0.5)] {
        for delay in [0, 1, 7] {
            let (mean, _, truth) = moments(name, centre, delay);
            for (m, t) in mean.iter().zip(&truth) {
                assert!((m - t).abs() < 1e-9, "{name} after {delay}: {m} {t}");
            }
        }
    }
}

#[test]
fn centring_halves_the_second_moment_exactly() {
    // The same state for both: before the first answer.
    let mut s = stream(42, &[]);
    let features = glm::random_features(5, 3, glm::Shape::Pairs, &mut s).unwrap();
    let world = glm::glm(features, Link::Linear, None, None, Some(50), &mut s).unwrap();
    let problem = world.problem();
    let second = |name: &str| -> Vec<f64> {
        let mut policy = PolicyConfig::named(name).unwrap().build(problem, stream(1, &[])).unwrap();
        let question = policy.ask(problem);
        let mut second = vec![0.0; 5];
        for i in 0..5 {
            for j in 0..5 {
                for won in [false, true] {
                    let mut proposal = question.clone();
                    proposal.duel = Duel(i, j);
                    let mut told = policy.clone();
                    told.tell(problem, &proposal, Outcome::from_win(won));
                    let p = world.probability(1, Duel(i, j));
                    let probability = if won { p } else { 1.0 - p } / 25.0;
                    totals(&told, problem, 1.0).iter().zip(&mut second).for_each(|(x, m)| *m += probability * x * x);
                }
            }
        }
        second
    };
    for (plain, centred) in second("bexp3").iter().zip(second("bexp3-centred")) {
        assert!((centred / plain - 0.5).abs() < 1e-12);
    }
}

#[test]
fn dexp3_is_unbiased() {
    let mut s = stream(43, &[]);
    let features = glm::random_features(4, 2, glm::Shape::Pairs, &mut s).unwrap();
    let world = glm::glm(features, Link::Logistic, None, None, Some(50), &mut s).unwrap();
    let problem = world.problem();
    let mut policy = PolicyConfig::named("dexp3").unwrap().build(problem, stream(1, &[])).unwrap();
    // Over all pairs at the uniform start, ŝ(i) has the expectation B(i).
    let question = policy.ask(problem);
    let mut mean = [0.0; 4];
    for i in 0..4 {
        for j in 0..4 {
            let mut proposal = question.clone();
            proposal.duel = Duel(i, j);
            let mut told = policy.clone();
            told.tell(problem, &proposal, Outcome::Win);
            let mut scores = [0.0; 4];
            told.scores(problem, &mut scores);
            mean[i] += world.probability(1, Duel(i, j)) / 16.0 * scores[i];
        }
    }
    for (i, m) in mean.iter().enumerate() {
        assert!((m - world.scores(1)[i]).abs() < 1e-12);
    }
}

#[test]
fn wrong_winners_become_rare_as_the_normal_approximation_says() {
    // Two contenders for first place: P(î wrong) = Φ(−gap/σ) with σ² from the delta method.
    let features = Features::differences(3, 2, &[0.5, 0.0, 0.45, 0.1, 0.0, 0.4]).unwrap();
    let theta = [1.0, 0.2];
    for link in [Link::Logistic, Link::Linear, Link::Probit] {
        let scale = if link == Link::Linear { 0.4 } else { 1.0 };
        let theta: Vec<f64> = theta.iter().map(|x| x * scale).collect();
        let problem = Problem::new(features.clone(), link, None).unwrap();
        let phi = Phi::of(&problem);
        let truth = Borda::from_model(&features, link, &theta);
        let gap = truth.scores()[0] - truth.scores()[1];
        assert_eq!(truth.winner(), 0);
        for each in [60, 240] {
            let mut s = stream(44, &[each]);
            let runs = 1500;
            let (mut wrong, mut predicted) = (0.0, 0.0);
            for _ in 0..runs {
                let mut tally = Tally::new(&features);
                for i in 0..3 {
                    for j in 0..3 {
                        let p = link.mu(phi.at(i, j).dot(&nalgebra::DVector::from_vec(theta.clone())));
                        (0..each).for_each(|_| tally.add(&features, Duel(i, j), f64::from(u8::from(s.uniform() < p))));
                    }
                }
                let fitted = fit(link, &features, &tally, None, &FitOptions::default()).unwrap();
                wrong += f64::from(u8::from(Borda::from_model(&features, link, fitted.theta.as_slice()).winner() != 0));
                // ∇(B(0) − B(1)) by differences, at θ̂.
                let gradient = nalgebra::DVector::from_fn(2, |c, _| {
                    let mut shifted = fitted.theta.clone();
                    shifted[c] += 1e-6;
                    let (a, b) = (
                        Borda::from_model(&features, link, shifted.as_slice()),
                        Borda::from_model(&features, link, fitted.theta.as_slice()),
                    );
                    ((a.scores()[0] - a.scores()[1]) - (b.scores()[0] - b.scores()[1])) / 1e-6
                });
                let covariance = nalgebra::DMatrix::from_vec(2, 2, fitted.covariance());
                let sigma = (covariance * &gradient).dot(&gradient).sqrt();
                predicted += Link::Probit.mu(-gap / sigma);
            }
            let (wrong, predicted) = (wrong / f64::from(runs), predicted / f64::from(runs));
            let error = (predicted * (1.0 - predicted) / f64::from(runs)).sqrt();
            assert!(predicted > 0.005, "the case must not be trivial");
            assert!(
                (wrong - predicted).abs() < 3.5 * error + 0.01,
                "{link:?} {each}: {wrong} seen, {predicted} predicted"
            );
        }
    }
}

#[test]
fn the_design_is_as_kiefer_and_wolfowitz_say() {
    for d in [1, 2, 4, 6] {
        let world = hard(d, None, None, &mut stream(1, &[])).unwrap();
        let design = borduel::design::g_optimal(world.problem().features(), 1e-6).unwrap();
        let phi = Phi::of(world.problem());
        let mut v = nalgebra::DMatrix::zeros(phi.d, phi.d);
        for (slot, weight) in design.support.iter().zip(&design.weights) {
            let x = nalgebra::DVector::from_vec(world.problem().features().vector(*slot));
            v += *weight * &x * x.transpose();
        }
        let inverse = v.try_inverse().unwrap();
        let g = phi.phi.iter().map(|x| (&inverse * x).dot(x)).fold(0.0, f64::max);
        assert!((g - phi.d as f64).abs() < 1e-5, "g = {g} for d = {}", phi.d);
        assert!((design.weights.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(design.support.len() <= phi.d * (phi.d + 1) / 2);
    }
}
