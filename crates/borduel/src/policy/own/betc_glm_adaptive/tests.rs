//! The value rule held against a naive version: dense matrices, finite differences, plain draws.

use super::interim::{CAUTION, COURAGE};
use super::preposterior::Preposterior;
use super::value::psi;
use super::*;
use crate::Link;
use crate::environment::{Environment, glm};
use crate::stream::stream;
use nalgebra::{DMatrix, DVector};

/// θ̂, its covariance, the distance of every item behind the leader, and the gradient of B(i) − B(leader).
struct Naive {
    covariance: DMatrix<f64>,
    gaps: Vec<f64>,
    gradients: Vec<DVector<f64>>,
}

impl Naive {
    fn new(problem: &Problem, state: &State) -> Self {
        let (k, d, link) = (problem.items(), problem.dim(), problem.link());
        let features = problem.features();
        let mut cells: Vec<(DVector<f64>, f64, f64)> = state
            .tally
            .iter()
            .map(|(slot, cell)| (DVector::from_vec(features.vector(slot)), cell.n, cell.sum))
            .collect();
        for (slot, weight) in state.design.support.iter().zip(&state.design.weights) {
            let n = weight * d as f64;
            cells.push((DVector::from_vec(features.vector(*slot)), n, 0.5 * n));
        }
        let mut theta = DVector::zeros(d);
        let mut information = DMatrix::zeros(d, d);
        for _ in 0..100 {
            information = DMatrix::zeros(d, d);
            let mut gradient = DVector::zeros(d);
            for (v, n, sum) in &cells {
                let score = v.dot(&theta);
                gradient += v * (sum - n * link.mu(score));
                information += v * v.transpose() * (n * link.mu_prime(score));
            }
            theta += information.clone().try_inverse().unwrap() * gradient;
        }
        let score = |i: Arm, theta: &DVector<f64>| {
            let p = |j| link.mu(DVector::from_vec(features.phi(Duel(i, j))).dot(theta));
            (0..k).map(p).sum::<f64>() / k as f64
        };
        let scores: Vec<f64> = (0..k).map(|i| score(i, &theta)).collect();
        let leader = crate::borda::winner(&scores);
        let ahead = |i: Arm, theta: &DVector<f64>| score(i, theta) - score(leader, theta);
        let slope = |i: Arm, c: usize| {
            let step = DVector::from_fn(d, |r, _| if r == c { 1e-5 } else { 0.0 });
            (ahead(i, &(&theta + &step)) - ahead(i, &(&theta - &step))) / 2e-5
        };
        Self {
            covariance: information.try_inverse().unwrap(),
            gaps: scores.iter().map(|b| scores[leader] - b).collect(),
            gradients: (0..k).map(|i| DVector::from_fn(d, |c, _| slope(i, c))).collect(),
        }
    }

    /// E[max (B(i) − B(leader))⁺] once the covariance of θ̂'s coming move is this, and the standard deviation of rivals
    /// weighted by what each may gain alone.
    fn gain(&self, moves: &DMatrix<f64>, s: &mut Stream) -> (f64, f64) {
        let root = (moves + DMatrix::identity(moves.nrows(), moves.nrows()) * 1e-12).cholesky().unwrap().unpack();
        let draws = 20_000;
        let mut sum = 0.0;
        for _ in 0..draws {
            let x = &root * DVector::from_fn(moves.nrows(), |_, _| s.normal());
            sum += (0..self.gaps.len()).map(|i| self.gradients[i].dot(&x) - self.gaps[i]).fold(0.0, f64::max);
        }
        let (mut weights, mut weighted) = (0.0, 0.0);
        for (b, gap) in self.gradients.iter().zip(&self.gaps) {
            let sd = b.dot(&(moves * b)).sqrt();
            let alone = if sd > 0.0 { sd * psi(gap / sd) } else { 0.0 };
            weights += alone;
            weighted += alone * sd;
        }
        (sum / f64::from(draws), weighted / weights)
    }

    /// The most that a question is worth for its price, over all numbers of further questions.
    fn worth(&self, state: &State, information: &DMatrix<f64>, cost: f64, s: &mut Stream) -> f64 {
        let (all, sd) = self.gain(&self.covariance, s);
        // ψ falls: the δ at which it is gain/sd, by bisection; 0 if it never is.
        let (mut low, mut high) = (0.0, 40.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if psi(middle) > all / sd { low = middle } else { high = middle }
        }
        let kappa = (CAUTION + COURAGE * low).exp();
        let left = (state.length() - state.round) as f64;
        let room = ((state.budget - state.spent) / cost).clamp(0.0, left);
        let precision = self.covariance.clone().try_inverse().unwrap();
        let (mut more, mut most) = ((0.1 * state.answered as f64).max(1.0), 0.0_f64);
        while more < 2.0 * room {
            let m = more.min(room);
            let after = (&precision + m * information).try_inverse().unwrap();
            let (gain, _) = self.gain(&(&self.covariance - after), s);
            most = most.max(kappa * 2.0 * (left - m).max(0.0) * gain / (m * cost));
            more *= 2.0;
        }
        most
    }
}

#[test]
fn the_value_rule_decides_as_the_naive_one_does() {
    let horizon = 5000;
    let mut s = stream(17, &[]);
    let (mut paid, mut did_not, mut close) = (0, 0, 0);
    for world in 0..6 {
        let features = glm::random_features(6, 3, glm::Shape::Pairs, &mut s).unwrap();
        let world =
            glm::glm(features, Link::Logistic, None, Some(0.5 * f64::from(1 + world)), Some(horizon), &mut s).unwrap();
        let problem = world.problem();
        let mut state = Config::default().build(problem, stream(2, &[])).unwrap();
        for round in 1..=1500 {
            let proposal = state.ask(problem);
            if proposal.duel.0 != proposal.duel.1 {
                let won = s.uniform() < world.probability(round, proposal.duel);
                state.tell(problem, &proposal, Outcome::from_win(won));
            }
            if ![40, 100, 200, 400, 700, 1000, 1500].contains(&round) || state.answered == 0 {
                continue;
            }
            let belief = state.belief(problem);
            let naive = Naive::new(problem, &state);
            assert!((&belief.covariance - &naive.covariance).norm() < 1e-6 * naive.covariance.norm());
            let mut copy = state.clone();
            let known = perfect_information::PerfectInformation::new(
                &mut copy,
                &Preposterior::now(&belief).doubt(f64::INFINITY),
            );
            let ahead = (copy.answered as f64).max(perfect_information::AHEAD);
            let plan = transductive::design(problem, &belief, &copy.design, ahead, 2.0 * known.gain, &mut copy.stream);
            let cost = (1.0 - AUDITS) * plan.cost + AUDITS * 2.0 * belief.mean_gap();
            let information = &plan.information * (1.0 - AUDITS);
            let preposterior = Preposterior::new(&belief, &information);
            let fast = copy.pays(|m| preposterior.doubt(m), &known, cost);
            let worth = naive.worth(&state, &information, cost, &mut s);
            // 32 draws of a ratio decide in the policy: a quarter is their error, and more.
            match worth {
                w if w > 1.3 => {
                    assert!(fast, "round {round}: worth {w} of its price, and not asked");
                    paid += 1;
                }
                w if w < 0.7 => {
                    assert!(!fast, "round {round}: worth {w} of its price, and asked");
                    did_not += 1;
                }
                _ => close += 1,
            }
        }
    }
    assert!(paid >= 5 && did_not >= 5 && close <= 10, "{paid} paid, {did_not} did not, {close} were close");
}
