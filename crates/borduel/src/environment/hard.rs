//! The paper's hard instance: 2^d good and 2^d bad items, and only a bad one can tell two good ones apart.

use super::fixed::Fixed;
use super::{ContextLaw, Environment};
use crate::Link;
use crate::duel::Duel;
use crate::features::Features;
use crate::problem::Problem;
use crate::stream::Stream;
use crate::{Error, Result};

/// The features of the instance in their (d+1)-dimensional form.
///
/// φ(i,j) = (bit(i), 1)/√(d+1) for a good i < 2^d and a bad j ≥ 2^d, its negative the other way round, 0 else; bit(i)
/// has the entries 2b − 1 for the binary digits b of i, lowest first.
pub fn features(d: u32) -> Result<Features> {
    bits(d, 14, true)
}

/// bit(i) for a good item against a bad one, with a constant entry or without, of length 1.
fn bits(d: u32, most: u32, constant: bool) -> Result<Features> {
    if !(1..=most).contains(&d) {
        let remedy = format!("the hard instance has 2^(d+1) items: d must lie between 1 and {most}");
        return Err(Error::setting("d", d, remedy));
    }
    let good = 1_usize << d;
    let dim = d as usize + usize::from(constant);
    let scale = 1.0 / (dim as f64).sqrt();
    Features::from_fn(2 * good, dim, |i, j, phi| {
        if i < good && j >= good {
            for (c, x) in phi.iter_mut().enumerate() {
                *x = if c == d as usize || i >> c & 1 == 1 { scale } else { -scale };
            }
        } else {
            phi.fill(0.0);
        }
    })
}

/// The parameter that goes with [`features`]: √(d+1) (θ, ¼), so that p = ¾ + ⟨bit(i), θ⟩ for good against bad.
pub fn parameter(theta: &[f64]) -> Vec<f64> {
    let scale = ((theta.len() + 1) as f64).sqrt();
    theta.iter().chain([&0.25]).map(|x| x * scale).collect()
}

/// The instance in so many contexts that come up by themselves, drawn with these weights: one θ, and in each context
/// the items are numbered anew, so that other ones are good, and another one is the best. Within a context only pairs
/// that are no good tell anything, in each other ones.
pub fn in_contexts(
    count: usize,
    d: u32,
    gap: Option<f64>,
    weights: Option<&[f64]>,
    horizon: Option<u64>,
    stream: &mut Stream,
) -> Result<ContextLaw> {
    let own = features(d)?;
    let (k, dim) = (own.items(), own.dim());
    let gap = gap.unwrap_or(0.25 / f64::from(d));
    let theta = parameter(&signs(d, gap, stream)?);
    let numbers = |stream: &mut Stream| {
        let mut numbers: Vec<usize> = (0..k).collect();
        (1..k).rev().for_each(|last| numbers.swap(last, stream.below(last + 1)));
        numbers
    };
    crate::size::numbers(&[count, k, k])?;
    let numbers: Vec<Vec<usize>> = (0..count).map(|_| numbers(stream)).collect();
    let phi = |context: usize, i: usize, j: usize, out: &mut [f64]| {
        out.copy_from_slice(&own.phi(Duel(numbers[context][i], numbers[context][j])));
    };
    let family = Features::family_of_pairs(k, dim, count, phi)?;
    let world = |features: Features| {
        let theta = features.from_given(&theta);
        Fixed::from_model(Problem::new(features, Link::Linear, horizon)?, &theta)
    };
    ContextLaw::finite(family.into_iter().map(world).collect::<Result<_>>()?, weights)
}

/// θ from {−Δ, +Δ}^d.
fn signs(d: u32, gap: f64, stream: &mut Stream) -> Result<Vec<f64>> {
    if !(gap > 0.0 && gap.is_finite()) {
        return Err(Error::setting("gap", gap, "must be a positive number"));
    }
    Ok((0..d).map(|_| if stream.bits() >> 63 == 1 { gap } else { -gap }).collect())
}

/// The instance with θ drawn from {−Δ, +Δ}^d; Δ = 1/(4d) unless set.
///
/// B(i) = 5/8 + ½⟨bit(i), θ⟩ for good items and 3/8 for bad ones. Δ d > ¼ would need p > 1 and is refused.
pub fn hard(d: u32, gap: Option<f64>, horizon: Option<u64>, stream: &mut Stream) -> Result<Fixed> {
    let features = features(d)?;
    let theta = signs(d, gap.unwrap_or(0.25 / f64::from(d)), stream)?;
    Fixed::from_model(Problem::new(features, Link::Linear, horizon)?, &parameter(&theta))
}

/// The same instance as the paper first describes it, in d dimensions: φ(i,j) = bit(i)/√d, and the ¼ by which good
/// items beat bad ones is a bias that no θ explains. p, and with it everything that is measured, is that of [`hard`] of
/// the same stream; only what policies know differs. Every p is kept, so d goes up to 10.
pub fn biased(d: u32, gap: Option<f64>, horizon: Option<u64>, stream: &mut Stream) -> Result<Fixed> {
    let features = bits(d, 10, false)?;
    let truth = hard(d, gap, horizon, stream)?;
    let k = features.items();
    let matrix = (0..k * k).map(|at| truth.probability(1, Duel(at / k, at % k))).collect();
    Fixed::from_matrix(Problem::new(features, Link::Linear, horizon)?, matrix)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::stream;

    #[test]
    fn scores_are_those_of_the_paper() {
        for d in 1..=7 {
            let gap = 0.1 / f64::from(d);
            let world = hard(d, Some(gap), None, &mut stream(9, &[])).unwrap();
            let good = 1_usize << d;
            let features = world.problem().features();
            assert_eq!((features.items(), features.dim(), features.distinct()), (2 * good, d as usize + 1, good));
            // θ read off from the probabilities p = ¾ + ⟨bit(i), θ⟩.
            let p = |i: usize| world.probability(1, Duel(i, good));
            let theta: Vec<f64> = (0..d).map(|c| (p(1 << c) - p(0)) / 2.0).collect();
            assert!(theta.iter().all(|x| (x.abs() - gap).abs() < 1e-12));
            for i in 0..good {
                let bits: f64 =
                    (0..d).map(|c| if i >> c & 1 == 1 { theta[c as usize] } else { -theta[c as usize] }).sum();
                assert!((p(i) - 0.75 - bits).abs() < 1e-12);
                assert!((world.scores(1)[i] - 0.625 - 0.5 * bits).abs() < 1e-12);
                assert!((world.scores(1)[good + i] - 0.375).abs() < 1e-12);
                assert_eq!(world.probability(1, Duel(i, 0)), 0.5);
            }
            assert!((world.scores(1)[world.borda().winner()] - 0.625 - 0.5 * f64::from(d) * gap).abs() < 1e-12);
        }
    }

    #[test]
    fn the_form_with_a_bias_has_the_same_probabilities_and_one_dimension_less() {
        let (exact, biased) = (hard(4, None, None, &mut stream(3, &[])), biased(4, None, None, &mut stream(3, &[])));
        let (exact, biased) = (exact.unwrap(), biased.unwrap());
        assert_eq!((exact.problem().dim(), biased.problem().dim()), (5, 4));
        for (i, j) in (0..32).flat_map(|i| (0..32).map(move |j| (i, j))) {
            assert_eq!(exact.probability(1, Duel(i, j)), biased.probability(1, Duel(i, j)));
        }
        assert_eq!(exact.borda().winner(), biased.borda().winner());
        assert!(super::biased(11, None, None, &mut stream(3, &[])).unwrap_err().to_string().contains("10"));
    }

    #[test]
    fn too_large_a_gap_is_refused_with_the_pair() {
        assert!(hard(6, None, None, &mut stream(1, &[])).is_ok());
        let error = hard(6, Some(0.1), None, &mut stream(1, &[])).unwrap_err();
        assert!(matches!(error, Error::NotAProbability { .. }), "{error}");
        assert!(hard(0, None, None, &mut stream(1, &[])).is_err());
        assert!(hard(15, None, None, &mut stream(1, &[])).is_err());
        assert!(hard(3, Some(f64::NAN), None, &mut stream(1, &[])).is_err());
    }
}
