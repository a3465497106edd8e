//! Steps that are decided by a few answers, held against sums over a grid of θ.

use super::*;
use crate::environment::Environment;
use crate::environment::context_law::{ContextLaw, VectorLaw};
use crate::stream::{numbered, stream};

const ITEMS: usize = 4;
const DRAWS: usize = 24_000;

/// A policy after so many answers in contexts that never come again, and the problem of the next one.
fn after(answers: u64, config: &Config) -> (State, Problem) {
    let vectors = VectorLaw::Uniform { low: -1.0, high: 1.0 };
    let sample = &mut stream(1, &[1]);
    let law = ContextLaw::drawn(ITEMS, vectors, Link::Logistic, &[1.5, -1.0], Some(2000), sample).unwrap();
    let mut policy = config.build(law.problem(), stream(1, &[2])).unwrap();
    let (contexts, coins, mut desk) = (numbered(1, &[3]), numbered(1, &[4]), None);
    for round in 1..=answers {
        let here = law.at(contexts, round, &mut desk);
        let proposal = policy.ask(here.problem());
        let won = coins.uniform(round) < here.probability(proposal.duel);
        policy.tell(law.problem(), &proposal, Outcome::from_win(won));
    }
    let problem = law.at(contexts, answers + 1, &mut desk).problem().clone();
    (policy, problem)
}

/// How likely each item is the best, with the density exp(−U).
fn by_grid(problem: &Problem, u: impl Fn(&[f64]) -> f64) -> [f64; ITEMS] {
    let at = |step: i32| f64::from(step) * 0.2;
    let grid = (-100..=100).flat_map(|a| (-100..=100).map(move |b| [at(a), at(b)]));
    let exponents: Vec<([f64; 2], f64)> = grid.map(|theta| (theta, u(&theta))).collect();
    let least = exponents.iter().map(|(_, u)| *u).fold(f64::INFINITY, f64::min);
    let (mut mass, mut utilities) = ([0.0; ITEMS], Vec::new());
    for (theta, u) in exponents {
        linear::utilities(problem, &theta, &mut utilities);
        mass[crate::borda::winner(&utilities)] += (least - u).exp();
    }
    let total: f64 = mass.iter().sum();
    mass.map(|mass| mass / total)
}

/// The largest difference of two laws.
fn apart(a: [f64; ITEMS], b: [f64; ITEMS]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn steps_by_factors_lead_to_the_posterior() {
    let config = Config { eta: 0.02, feel_good: Some(0.004), norm: None, ridge: 0.05, steps: 40 };
    let (mut policy, problem) = after(500, &config);
    assert!(policy.factors.are_of(&policy.model) && policy.factors.len() > 256);
    let link = problem.link();
    let factor = policy.model.hessian(link).to_vec();
    let normal = by_grid(&problem, |theta| {
        let step: Vec<f64> = theta.iter().zip(policy.model.theta()).map(|(x, mode)| x - mode).collect();
        linear::half_square(&factor, &step)
    });
    for player in [0, 1] {
        let exact = by_grid(&problem, |theta| {
            let bonus = policy.answers * policy.seen.promised(theta) - dot(theta, &policy.shown[1 - player]);
            policy.model.objective(link, theta) - policy.feel_good * bonus
        });
        let mut workspace = Workspace::default();
        let mut found = [0.0; ITEMS];
        for _ in 0..DRAWS {
            found[policy.play(&problem, player, &mut workspace)] += 1.0 / DRAWS as f64;
        }
        // Four standard errors, which the normal approximation alone is beyond.
        let error = 4.0 * 0.5 / (DRAWS as f64).sqrt();
        assert!(apart(found, exact) < error, "{found:?} {exact:?}");
        assert!(apart(normal, exact) > 1.5 * error, "{normal:?} {exact:?}");
    }
}

/// The bound is one, and the remainders are what U is beyond the square form.
#[test]
fn remainders_are_within_their_bounds_and_sum_to_what_is_left() {
    let config = Config { eta: 0.02, feel_good: Some(0.0), norm: None, ridge: 0.05, steps: 5 };
    let (policy, problem) = after(700, &config);
    assert!(policy.factors.are_of(&policy.model));
    let (link, mode, mut s) = (problem.link(), policy.model.theta(), stream(5, &[]));
    let factor = policy.model.clone().hessian(link).to_vec();
    let rest = |theta: &[f64]| {
        let step: Vec<f64> = theta.iter().zip(mode).map(|(x, mode)| x - mode).collect();
        policy.model.objective(link, theta) - linear::half_square(&factor, &step)
    };
    let left = |theta: &[f64]| policy.factors.remainders(&policy.model, link, theta);
    for _ in 0..200 {
        let theta: Vec<f64> = mode.iter().map(|mode| mode + s.normal()).collect();
        let (sum, within) = left(&theta);
        let (found, wanted) = (sum - left(mode).0, rest(&theta) - rest(mode));
        assert!((found - wanted).abs() < 1e-5 * (1.0 + wanted.abs()), "{found} {wanted}");
        assert!(within, "a remainder beyond its bound at {theta:?}");
    }
}
