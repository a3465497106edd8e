//! Random and given generalised linear models: features, a link, and a θ of any length.

use super::fixed::Fixed;
use crate::Link;
use crate::features::Features;
use crate::problem::Problem;
use crate::stream::Stream;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// How random features are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Shape {
    /// A vector of its own for every pair, uniform on the sphere: preferences without any order behind them.
    #[default]
    Pairs,
    /// φ(i,j) = x_i − x_j with normal x_i, scaled so that the longest difference is 1.
    Differences,
    /// One-hot items: no side information at all.
    OneHot,
}

/// Random features for K items in d dimensions (one-hot items have their own K − 1).
pub fn random_features(items: usize, dim: usize, shape: Shape, stream: &mut Stream) -> Result<Features> {
    check_size(items, dim, shape)?;
    match shape {
        Shape::Pairs => Features::from_fn(items, dim, |_, _, phi| unit_vector(phi, stream)),
        Shape::Differences => {
            let vectors: Vec<f64> = (0..items * dim).map(|_| stream.normal()).collect();
            Features::differences_scaled(items, dim, &vectors)
        }
        Shape::OneHot => Features::one_hot(items),
    }
}

/// Refuses features that no memory holds.
pub(crate) fn check_size(items: usize, dim: usize, shape: Shape) -> Result<()> {
    match shape {
        Shape::Pairs => crate::size::numbers(&[items, items.div_ceil(2), dim]),
        Shape::Differences => crate::size::numbers(&[items, dim]).and_then(|()| crate::size::numbers(&[dim, dim])),
        Shape::OneHot => crate::size::numbers(&[items, items]),
    }
}

/// A uniform direction of R^d times `length`.
pub fn random_theta(dim: usize, length: f64, stream: &mut Stream) -> Vec<f64> {
    let mut theta = vec![0.0; dim];
    unit_vector(&mut theta, stream);
    theta.iter_mut().for_each(|x| *x *= length);
    theta
}

/// The environment of a model; θ in the basis of the features' span, or drawn with this length.
///
/// With the linear link and no length set, θ is as long as the probabilities allow: the extreme one is 0.95.
pub fn glm(
    features: Features,
    link: Link,
    theta: Option<Vec<f64>>,
    length: Option<f64>,
    horizon: Option<u64>,
    stream: &mut Stream,
) -> Result<Fixed> {
    if let Some(length) = length.filter(|x| !(x.is_finite() && *x > 0.0)) {
        return Err(Error::setting("theta_norm", length, "must be a positive number"));
    }
    let theta = match (theta, length) {
        (Some(theta), None) => theta,
        (Some(_), Some(_)) => {
            return Err(Error::setting("theta_norm", "set", "θ itself is given: leave one of the two out"));
        }
        (None, Some(length)) => random_theta(features.dim(), length, stream),
        (None, None) if link == Link::Linear => {
            let mut theta = random_theta(features.dim(), 1.0, stream);
            let steepest = steepest(&features, &theta);
            theta.iter_mut().for_each(|x| *x *= 0.45 / steepest);
            theta
        }
        (None, None) => random_theta(features.dim(), 2.0, stream),
    };
    Fixed::from_model(Problem::new(features, link, horizon)?, &theta)
}

/// The largest |⟨φ, θ⟩|.
pub(super) fn steepest(features: &Features, theta: &[f64]) -> f64 {
    let projection = features.project(theta);
    if let Some(utilities) = features.utilities(&projection) {
        let (low, high) = utilities.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &u| (a.min(u), b.max(u)));
        return high - low;
    }
    (0..features.distinct()).map(|s| features.slot_score(&projection, s).abs()).fold(0.0, f64::max)
}

pub(super) fn unit_vector(out: &mut [f64], stream: &mut Stream) {
    loop {
        out.iter_mut().for_each(|x| *x = stream.normal());
        let norm = crate::features::dot(out, out).sqrt();
        if norm > 1e-6 {
            out.iter_mut().for_each(|x| *x /= norm);
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::duel::Duel;
    use crate::environment::Environment;
    use crate::stream::stream;

    #[test]
    fn probabilities_follow_the_model_for_every_shape_and_link() {
        for link in [Link::Logistic, Link::Linear, Link::Probit] {
            for shape in [Shape::Pairs, Shape::Differences, Shape::OneHot] {
                let mut s = stream(4, &[]);
                let features = random_features(9, 3, shape, &mut s).unwrap();
                let world = glm(features, link, None, None, Some(10), &mut s).unwrap();
                for i in 0..9 {
                    let mut sum = 0.0;
                    for j in 0..9 {
                        let p = world.probability(1, Duel(i, j));
                        assert!((0.0..=1.0).contains(&p));
                        assert!((p + world.probability(1, Duel(j, i)) - 1.0).abs() < 1e-12);
                        sum += p / 9.0;
                    }
                    assert!((sum - world.scores(1)[i]).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn impossible_parameters_are_refused() {
        let mut s = stream(5, &[]);
        let features = random_features(4, 2, Shape::Pairs, &mut s).unwrap();
        let refused =
            |link, theta, length| glm(features.clone(), link, theta, length, None, &mut stream(5, &[])).unwrap_err();
        assert!(matches!(refused(Link::Linear, None, Some(5.0)), Error::NotAProbability { .. }));
        assert!(matches!(refused(Link::Logistic, Some(vec![f64::NAN, 0.0]), None), Error::NotFinite { .. }));
        assert!(matches!(refused(Link::Logistic, Some(vec![1.0]), None), Error::Shape { .. }));
        assert!(matches!(refused(Link::Logistic, None, Some(-1.0)), Error::Setting { .. }));
    }
}
