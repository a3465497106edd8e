//! Test functions of optimisation as worlds: 100 items, the points of a 10 × 10 grid, one of which is preferred to
//! another with probability σ(u − u′), u the function's value, turned so that more is better and rescaled to [−3, 3].
//!
//! They are the worlds on which MaxMinLCB was shown (Pásztor, Kassraie, Krause, NeurIPS 2024), with the domains and
//! formulas of the authors' code. Three of these are not the usual ones: Eggholder lies on [−100, 100]², away from its
//! known optimum, Rosenbrock on [−5, 10]², and Michalewicz has the power 10 in place of 20. An item's features are its
//! point's two coordinates, in which no function here is linear.

use super::fixed::Fixed;
use crate::Link;
use crate::Result;
use crate::features::Features;
use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use std::f64::consts::{E, PI};

/// The test functions of optimisation whose values are strengths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Function {
    /// Ackley's on [−5, 5]²: one peak among many small ones.
    Ackley,
    /// Branin's on [−5, 10] × [0, 15]: three peaks, equally high.
    Branin,
    /// Eggholder on [−100, 100]²: long waves.
    Eggholder,
    /// Hölder's table on [−10, 10]²: four peaks, equally high.
    Hoelder,
    /// Matyas's on [−10, 10]²: a flat ridge.
    Matyas,
    /// Michalewicz's on [0, 3.14]²: steep valleys, flat elsewhere.
    Michalewicz,
    /// Rosenbrock's on [−5, 10]²: a bent ridge.
    Rosenbrock,
}

/// The points of a grid along a side.
const SIDE: usize = 10;
/// The range that utilities are rescaled to.
const UTILITIES: (f64, f64) = (-3.0, 3.0);

impl Function {
    /// All functions, in alphabetical order.
    pub const ALL: [Self; 7] =
        [Self::Ackley, Self::Branin, Self::Eggholder, Self::Hoelder, Self::Matyas, Self::Michalewicz, Self::Rosenbrock];

    /// Its name, as written in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ackley => "ackley",
            Self::Branin => "branin",
            Self::Eggholder => "eggholder",
            Self::Hoelder => "hoelder",
            Self::Matyas => "matyas",
            Self::Michalewicz => "michalewicz",
            Self::Rosenbrock => "rosenbrock",
        }
    }

    /// The ends of both sides of its domain.
    #[expect(clippy::approx_constant, reason = "the domain of the authors' code ends at 3.14 and not at π")]
    pub fn domain(self) -> [(f64, f64); 2] {
        match self {
            Self::Ackley => [(-5.0, 5.0); 2],
            Self::Branin => [(-5.0, 10.0), (0.0, 15.0)],
            Self::Eggholder => [(-100.0, 100.0); 2],
            Self::Hoelder | Self::Matyas => [(-10.0, 10.0); 2],
            Self::Michalewicz => [(0.0, 3.14); 2],
            Self::Rosenbrock => [(-5.0, 10.0); 2],
        }
    }

    /// Its value, not rescaled, where more is better.
    pub fn value(self, [x, y]: [f64; 2]) -> f64 {
        match self {
            Self::Ackley => {
                let waves = (2.0 * PI * x).cos() + (2.0 * PI * y).cos();
                20.0 * (-0.2 * (0.5 * (x * x + y * y)).sqrt()).exp() + (0.5 * waves).exp() - 20.0 - E
            }
            Self::Branin => {
                let bend = y - 5.1 / (4.0 * PI * PI) * x * x + 5.0 / PI * x - 6.0;
                -(bend * bend + 10.0 * (1.0 - 1.0 / (8.0 * PI)) * x.cos() + 10.0)
            }
            Self::Eggholder => {
                let up = y + 47.0;
                up * (up + 0.5 * x).abs().sqrt().sin() + x * (x - up).abs().sqrt().sin()
            }
            Self::Hoelder => (x.sin() * y.cos() * (1.0 - x.hypot(y) / PI).abs().exp()).abs(),
            Self::Matyas => 0.48 * x * y - 0.26 * (x * x + y * y),
            Self::Michalewicz => x.sin() * (x * x / PI).sin().powi(10) + y.sin() * (2.0 * y * y / PI).sin().powi(10),
            Self::Rosenbrock => -(100.0 * (y - x * x).powi(2) + (1.0 - x).powi(2)),
        }
    }

    /// The grid's points, item by item.
    pub fn points(self) -> Vec<[f64; 2]> {
        let along = |(low, high): (f64, f64), step: usize| low + (high - low) * step as f64 / (SIDE - 1) as f64;
        let [x, y] = self.domain();
        (0..SIDE * SIDE).map(|item| [along(x, item % SIDE), along(y, item / SIDE)]).collect()
    }

    /// u of every item.
    pub fn utilities(self) -> Vec<f64> {
        let mut values: Vec<f64> = self.points().into_iter().map(|point| self.value(point)).collect();
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let scale = (UTILITIES.1 - UTILITIES.0) / (high - low);
        values.iter_mut().for_each(|u| *u = UTILITIES.0 + scale * (*u - low));
        values
    }

    /// Makes the environment of this function.
    pub fn build(self, horizon: Option<u64>) -> Result<Fixed> {
        let (points, utilities) = (self.points(), self.utilities());
        let k = points.len();
        let features = Features::differences_scaled(k, 2, points.as_flattened())?;
        let matrix = (0..k * k).map(|cell| Link::Logistic.mu(utilities[cell / k] - utilities[cell % k])).collect();
        let problem = Problem::new(features, Link::Logistic, horizon)?;
        Ok(Fixed::from_matrix(problem, matrix)?.with_utilities(utilities))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::duel::Duel;
    use crate::environment::Environment;

    /// Optima as they are tabled everywhere, those of functions whose optimum is a minimum with their sign turned.
    #[test]
    fn every_function_has_its_known_optimum() {
        let known = [
            (Function::Ackley, [0.0, 0.0], 0.0),
            (Function::Branin, [PI, 2.275], -0.397_887),
            (Function::Branin, [-PI, 12.275], -0.397_887),
            (Function::Branin, [9.424_78, 2.475], -0.397_887),
            (Function::Eggholder, [512.0, 404.231_9], 959.640_7),
            (Function::Hoelder, [8.055_02, 9.664_59], 19.208_5),
            (Function::Hoelder, [-8.055_02, 9.664_59], 19.208_5),
            (Function::Matyas, [0.0, 0.0], 0.0),
            (Function::Rosenbrock, [1.0, 1.0], 0.0),
        ];
        for (function, point, optimum) in known {
            let value = function.value(point);
            assert!((value - optimum).abs() < 1e-4, "{function:?} at {point:?}: {value}, known {optimum}");
            // No point of its grid, nor any nearby one, is better, but for Eggholder, whose grid lies elsewhere.
            let near = |step: f64| [[step, 0.0], [0.0, step]].map(|[x, y]| [point[0] + x, point[1] + y]);
            let others = near(0.01).into_iter().chain(near(-0.01)).chain(function.points());
            let outside = |[x, _]: [f64; 2]| function == Function::Eggholder && x > 512.0;
            for other in others.filter(|other| !outside(*other)) {
                assert!(function.value(other) <= value + 1e-6, "{function:?}: better at {other:?}");
            }
        }
        // Michalewicz's with the power 20 has −1.8013 at (2.20, 1.57); here its peaks are wider and at the same place.
        let peak = Function::Michalewicz.value([2.2029, PI / 2.0]);
        assert!((1.80..1.83).contains(&peak), "{peak}");
        assert!(Function::Michalewicz.points().iter().all(|point| Function::Michalewicz.value(*point) <= peak + 1e-3));
    }

    #[test]
    fn items_are_the_points_of_a_grid_and_their_values_are_rescaled() {
        for function in Function::ALL {
            let world = function.build(Some(10)).unwrap();
            let (problem, utilities) = (world.problem(), world.utilities().unwrap());
            assert_eq!((problem.items(), problem.dim(), problem.link()), (100, 2, Link::Logistic));
            let [low, high] =
                [f64::min, f64::max].map(|pick: fn(f64, f64) -> f64| utilities.iter().copied().reduce(pick));
            assert_eq!((low, high.map(|u| (u * 1e9).round() / 1e9)), (Some(-3.0), Some(3.0)), "{function:?}");
            // Corners lie a domain's side apart, as far as features are scaled.
            let [(left, right), _] = function.domain();
            let corner = problem.features().phi(Duel(9, 0));
            let length = corner.iter().map(|x| x * x).sum::<f64>().sqrt() / problem.features().scale();
            assert!((length - (right - left)).abs() < 1e-9, "{function:?}: {length}");
            let chance = 1.0 / (1.0 + (utilities[1] - utilities[0]).exp());
            assert!((world.probability(1, Duel(0, 1)) - chance).abs() < 1e-12);
            let name = serde_json::to_value(function).unwrap();
            assert_eq!(name, function.name());
        }
        // Ackley's four points about the middle are alike, Matyas's best lie on the diagonal.
        let best = |function: Function| crate::borda::winner(&function.utilities());
        assert!([44, 45, 54, 55].contains(&best(Function::Ackley)), "{}", best(Function::Ackley));
        assert_eq!(best(Function::Matyas) / SIDE, best(Function::Matyas) % SIDE);
    }
}
