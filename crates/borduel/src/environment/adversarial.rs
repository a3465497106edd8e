//! A parameter that changes over time: switching, rotating, drifting, or as a table says; constant within each piece.
//!
//! Regret is measured against the single item that is best in hindsight, i* = argmax_i Σ_t B_t(i); it can be negative
//! for a while, and its curve can fall. Only the pieces' θ are kept, never a matrix per round.

use super::Environment;
use super::fixed::check_probabilities;
use super::glm::{random_theta, steepest};
use crate::Link;
use crate::borda::Borda;
use crate::duel::Duel;
use crate::problem::Problem;
use crate::stream::Stream;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// The most pieces a path may have.
pub const MOST_PIECES: usize = 10_000;

/// How θ_t moves. Unless it is a table, every θ is scaled so that the largest |⟨φ, θ⟩| is `strength`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
#[non_exhaustive]
pub enum Path {
    /// Jumps through `states` random parameters in turn, `pieces` pieces in all.
    Switching {
        /// How many different parameters there are.
        states: usize,
        /// How many pieces the horizon is cut into.
        pieces: usize,
    },
    /// Turns `turns` times in a random plane, in `pieces` equal steps.
    Rotating {
        /// Full turns over the horizon.
        turns: f64,
        /// The number of equal steps.
        pieces: usize,
    },
    /// A random walk of `pieces` steps, each a random direction of `step` times the parameter's length.
    Drifting {
        /// The length of a step beside that of θ.
        step: f64,
        /// The number of steps.
        pieces: usize,
    },
    /// θ in the given coordinates from each of these rounds on; the first is round 1.
    Table {
        /// First rounds, increasing from 1.
        rounds: Vec<u64>,
        /// The parameters, one θ for each of these rounds.
        thetas: Vec<Vec<f64>>,
    },
}

impl Path {
    /// The path of this name with its defaults.
    pub fn named(name: &str) -> Result<Self> {
        match name {
            "switching" => Ok(Self::Switching { states: 2, pieces: 10 }),
            "rotating" => Ok(Self::Rotating { turns: 1.0, pieces: 1000 }),
            "drifting" => Ok(Self::Drifting { step: 0.1, pieces: 1000 }),
            _ => Err(Error::unknown("adversarial kind", name, &["switching", "rotating", "drifting"])),
        }
    }
}

/// The environment of a path.
#[derive(Debug, Clone)]
pub struct Adversarial {
    problem: Problem,
    /// The first round of every piece, and its θ.
    starts: Vec<u64>,
    thetas: Vec<Vec<f64>>,
}

impl Adversarial {
    /// A path over the problem's horizon, which must be known: it says who is best in hindsight.
    pub fn new(problem: Problem, path: &Path, strength: Option<f64>, stream: &mut Stream) -> Result<Self> {
        let horizon = problem.horizon().ok_or_else(|| {
            Error::setting("horizon", "none", "an adversarial path needs one: who is best depends on it")
        })?;
        let strength = match (strength, problem.link()) {
            (Some(s), _) if !(s > 0.0 && s.is_finite()) => {
                return Err(Error::setting("strength", s, "must be a positive number"));
            }
            (Some(s), _) => s,
            (None, Link::Linear) => 0.4,
            (None, _) => 2.0,
        };
        let (starts, mut thetas) = lay_out(&problem, path, horizon, stream)?;
        if !matches!(path, Path::Table { .. }) {
            for theta in &mut thetas {
                let steepest = steepest(problem.features(), theta);
                theta.iter_mut().for_each(|x| *x *= strength / steepest);
            }
        }
        for (start, theta) in starts.iter().zip(&thetas) {
            check_probabilities(problem.features(), problem.link(), theta, &format!(" from round {start} on"))?;
        }
        Ok(Self { problem, starts, thetas })
    }

    /// The number of pieces.
    pub fn pieces(&self) -> usize {
        self.thetas.len()
    }

    #[inline]
    fn theta(&self, round: u64) -> &[f64] {
        &self.thetas[self.starts.partition_point(|start| *start <= round).saturating_sub(1)]
    }
}

/// First rounds and parameters of all pieces, not scaled yet.
fn lay_out(problem: &Problem, path: &Path, horizon: u64, stream: &mut Stream) -> Result<(Vec<u64>, Vec<Vec<f64>>)> {
    let dim = problem.dim();
    let cut = |pieces: usize| -> Result<Vec<u64>> {
        if !(1..=MOST_PIECES).contains(&pieces) {
            return Err(Error::setting("pieces", pieces, format!("must lie between 1 and {MOST_PIECES}")));
        }
        let count = (pieces as u64).min(horizon);
        Ok((0..count).map(|c| 1 + (u128::from(horizon) * u128::from(c) / u128::from(count)) as u64).collect())
    };
    match path {
        Path::Switching { states, pieces } => {
            if !(1..=MOST_PIECES).contains(states) {
                return Err(Error::setting("states", states, format!("must lie between 1 and {MOST_PIECES}")));
            }
            let starts = cut(*pieces)?;
            let parameters: Vec<_> = (0..*states).map(|_| random_theta(dim, 1.0, stream)).collect();
            let thetas = (0..starts.len()).map(|c| parameters[c % states].clone()).collect();
            Ok((starts, thetas))
        }
        Path::Rotating { turns, pieces } => {
            if !turns.is_finite() {
                return Err(Error::NotFinite { what: "turns".to_owned(), value: *turns });
            }
            let starts = cut(*pieces)?;
            let (a, b) = (random_theta(dim, 1.0, stream), random_theta(dim, 1.0, stream));
            let at = |c: usize| {
                let angle = std::f64::consts::TAU * turns * c as f64 / starts.len() as f64;
                let mut theta: Vec<f64> = a.iter().zip(&b).map(|(a, b)| angle.cos() * a + angle.sin() * b).collect();
                // In one dimension the turn passes through 0, where nothing is left to scale.
                if theta.iter().all(|x| x.abs() < 1e-9) {
                    theta.clone_from(&a);
                }
                theta
            };
            let thetas = (0..starts.len()).map(at).collect();
            Ok((starts, thetas))
        }
        Path::Drifting { step, pieces } => {
            if !(*step > 0.0 && step.is_finite()) {
                return Err(Error::setting("step", step, "must be a positive number"));
            }
            let starts = cut(*pieces)?;
            let mut theta = random_theta(dim, 1.0, stream);
            let mut thetas = Vec::with_capacity(starts.len());
            for _ in 0..starts.len() {
                thetas.push(theta.clone());
                let direction = random_theta(dim, *step, stream);
                crate::features::add_scaled(&mut theta, 1.0, &direction);
                let norm = crate::features::dot(&theta, &theta).sqrt().max(1e-9);
                theta.iter_mut().for_each(|x| *x /= norm);
            }
            Ok((starts, thetas))
        }
        Path::Table { rounds, thetas } => {
            let increasing = rounds.windows(2).all(|pair| pair[0] < pair[1]);
            if rounds.first() != Some(&1) || !increasing || rounds.len() != thetas.len() || rounds.len() > MOST_PIECES {
                let remedy = format!("must be increasing from 1, one for each θ, at most {MOST_PIECES}");
                return Err(Error::setting(
                    "rounds",
                    format!("{} rounds for {} θ", rounds.len(), thetas.len()),
                    remedy,
                ));
            }
            let given = problem.features().given_dim();
            for theta in thetas {
                if theta.len() != given || theta.iter().any(|x| !x.is_finite()) {
                    let remedy = format!("every θ needs {given} finite numbers");
                    return Err(Error::setting("thetas", format!("{theta:?}"), remedy));
                }
            }
            Ok((rounds.clone(), thetas.iter().map(|theta| problem.features().from_given(theta)).collect()))
        }
    }
}

impl Environment for Adversarial {
    fn problem(&self) -> &Problem {
        &self.problem
    }

    #[inline]
    fn probability(&self, round: u64, duel: Duel) -> f64 {
        let features = self.problem.features();
        let slot = features.slot(duel);
        if slot.index == features.distinct() {
            return 0.5;
        }
        let score = features.vector_dot(slot.index, self.theta(round));
        self.problem.link().mu(if slot.negative { -score } else { score })
    }

    fn scores(&self, round: u64) -> Vec<f64> {
        Borda::from_model(self.problem.features(), self.problem.link(), self.theta(round)).scores().to_vec()
    }

    fn next_change(&self, round: u64) -> Option<u64> {
        self.starts.get(self.starts.partition_point(|start| *start <= round)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::glm::{Shape, random_features};
    use crate::environment::hard;
    use crate::judge::{Judge, Notion};
    use crate::stream::stream;

    fn problem(horizon: u64, link: Link) -> Problem {
        Problem::new(random_features(6, 3, Shape::Pairs, &mut stream(1, &[])).unwrap(), link, Some(horizon)).unwrap()
    }

    #[test]
    fn the_rival_is_best_in_hindsight() {
        for link in [Link::Linear, Link::Logistic] {
            for name in ["switching", "rotating", "drifting"] {
                let world =
                    Adversarial::new(problem(997, link), &Path::named(name).unwrap(), None, &mut stream(2, &[]))
                        .unwrap();
                let score = |t, i| (0..6).map(|j| world.probability(t, Duel(i, j))).sum::<f64>() / 6.0;
                let total = |i| (1..=997).map(|t| score(t, i)).sum::<f64>();
                let best = (0..6).map(total).fold(0.0, f64::max);
                let judge = Judge::new(Notion::Borda, &world).unwrap();
                let rival = judge.rival();
                assert!((total(rival) - best).abs() < 1e-9, "{name}");
                for t in [1, 99, 500, 997] {
                    assert!((score(t, 2) - world.scores(t)[2]).abs() < 1e-12);
                    let regret = 2.0 * score(t, rival) - score(t, 1) - score(t, 2);
                    assert!((judge.regret(t, Duel(1, 2)) - regret).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn changes_are_announced() {
        let path =
            Path::Table { rounds: vec![1, 4, 9], thetas: vec![vec![0.1; 3], vec![-0.1; 3], vec![0.2, 0.0, 0.0]] };
        let world = Adversarial::new(problem(10, Link::Linear), &path, None, &mut stream(1, &[])).unwrap();
        assert_eq!(
            (1..=10).map(|t| world.next_change(t)).collect::<Vec<_>>(),
            [Some(4), Some(4), Some(4), Some(9), Some(9), Some(9), Some(9), Some(9), None, None]
        );
        assert!((world.probability(3, Duel(0, 1)) + world.probability(4, Duel(0, 1)) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn impossible_paths_are_refused() {
        let mut s = stream(1, &[]);
        let hard = Problem::new(hard::features(2).unwrap(), Link::Linear, Some(100)).unwrap();
        let table = Path::Table { rounds: vec![1, 50], thetas: vec![vec![0.1; 3], vec![1.0; 3]] };
        let error = Adversarial::new(hard.clone(), &table, None, &mut s).unwrap_err();
        assert!(error.to_string().contains("from round 50 on"), "{error}");
        let endless = Problem::new(hard.features().clone(), Link::Linear, None).unwrap();
        assert!(Adversarial::new(endless, &Path::named("rotating").unwrap(), None, &mut s).is_err());
        for path in [
            Path::Switching { states: 0, pieces: 2 },
            Path::Switching { states: 2, pieces: 0 },
            Path::Rotating { turns: f64::NAN, pieces: 3 },
            Path::Drifting { step: 0.0, pieces: 3 },
            Path::Table { rounds: vec![2], thetas: vec![vec![0.0; 3]] },
            Path::Table { rounds: vec![1], thetas: vec![vec![0.0; 2]] },
        ] {
            assert!(Adversarial::new(hard.clone(), &path, None, &mut s).is_err(), "{path:?}");
        }
        assert!(Adversarial::new(hard, &Path::named("rotating").unwrap(), Some(0.7), &mut s).is_err());
        assert!(Path::named("jumping").is_err());
    }
}
