//! Borda scores: how likely an item is to beat a random one, who wins, and what everything else loses.

use crate::duel::{Arm, Duel};
use crate::error::{Error, Result};
use crate::features::{Features, add_scaled};
use crate::link::Link;
use nalgebra::DMatrix;

mod kernel_sum;

#[doc(hidden)]
pub use kernel_sum::kernel_sums;

/// B(i) = (1/K) Σ_j p(i,j) for all items, the diagonal p(i,i) = ½ included (as in the paper).
///
/// Where scores are shown to people the other convention, over j ≠ i, is usual: see [`Borda::over_others`].
#[derive(Debug, Clone, PartialEq)]
#[doc(alias("borda_count", "borda_score"))]
pub struct Borda {
    scores: Vec<f64>,
}

impl Borda {
    /// From a K × K matrix of p(i,j), row by row, which must hold probabilities with p(i,j) + p(j,i) = 1.
    pub fn from_matrix(items: usize, matrix: &[f64]) -> Result<Self> {
        check_preferences(items, matrix)?;
        Ok(Self { scores: matrix.chunks_exact(items).map(|row| row.iter().sum::<f64>() / items as f64).collect() })
    }

    /// From a model: p(i,j) = μ(⟨φ(i,j), θ⟩).
    ///
    /// A dictionary costs one μ per distinct vector and K² look-ups. Differences cost no K²: see `kernel_sum`.
    pub fn from_model(features: &Features, link: Link, theta: &[f64]) -> Self {
        let k = features.items();
        let projection = features.project(theta);
        if let Some(utilities) = features.utilities(&projection) {
            return Self { scores: kernel_sum::mean_mu(link, utilities) };
        }
        let mut mu: Vec<f64> = (0..features.distinct()).map(|s| link.mu(features.slot_score(&projection, s))).collect();
        mu.push(0.5);
        let score = |i: Arm| {
            let sum: f64 = (0..k)
                .map(|j| {
                    let slot = features.slot(Duel(i, j));
                    slot.orient(mu[slot.index])
                })
                .sum();
            sum / k as f64
        };
        Self { scores: (0..k).map(score).collect() }
    }

    /// Scores that are already there.
    pub fn from_scores(scores: Vec<f64>) -> Self {
        Self { scores }
    }

    /// B(i) of every item.
    pub fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// Σ_{j≠i} p(i,j) / (K−1) of every item: the score to show to people.
    pub fn over_others(&self) -> Vec<f64> {
        let k = self.scores.len() as f64;
        self.scores.iter().map(|b| (b * k - 0.5) / (k - 1.0)).collect()
    }

    /// The item with the largest score; of several the first.
    pub fn winner(&self) -> Arm {
        winner(&self.scores)
    }

    /// All items whose score is the largest, up to the rounding of a sum of K numbers.
    pub fn winners(&self) -> Vec<Arm> {
        let best = self.scores[self.winner()];
        let rounding = 4.0 * f64::EPSILON * (self.scores.len() as f64).sqrt();
        (0..self.scores.len()).filter(|&i| best - self.scores[i] <= rounding).collect()
    }

    /// The distance from the winners to the best of the rest; 0 when all items win.
    pub fn gap(&self) -> f64 {
        let winners = self.winners();
        let rest =
            (0..self.scores.len()).filter(|i| !winners.contains(i)).map(|i| self.scores[i]).fold(f64::NAN, f64::max);
        if rest.is_nan() { 0.0 } else { self.scores[self.winner()] - rest }
    }

    /// The regret of a duel, 2B(i*) − B(i) − B(j).
    pub fn regret(&self, Duel(i, j): Duel) -> f64 {
        2.0 * self.scores[self.winner()] - self.scores[i] - self.scores[j]
    }
}

/// The gradients g(i) = 1/(K−1) Σ_{j≠i} μ′(⟨φ(i,j), θ⟩) φ(i,j) of the scores over the others, a row an item.
///
/// For differences g(i) = (x_i S₀(u_i) − S₁(u_i))/(K−1) with S₀(u) = Σ_j μ′(u − u_j) and S₁(u) = Σ_j μ′(u − u_j) x_j,
/// the x_i seen from their mean: K·d numbers, and no K².
#[doc(hidden)]
pub fn gradients(features: &Features, link: Link, theta: &[f64]) -> DMatrix<f64> {
    let (k, d) = (features.items(), features.dim());
    let others = (k - 1) as f64;
    let projection = features.project(theta);
    if let Some(utilities) = features.utilities(&projection) {
        let centred = features.means();
        let weights: Vec<f64> =
            centred.chunks_exact(d).flat_map(|row| std::iter::once(1.0).chain(row.iter().copied())).collect();
        let sums = kernel_sums(|u| link.mu_prime(u), utilities, &weights, d + 1);
        return DMatrix::from_fn(k, d, |i, c| {
            let own = &sums[i * (d + 1)..];
            (centred[i * d + c] * own[0] - own[1 + c]) / others
        });
    }
    let mut gradient = DMatrix::zeros(d, k);
    let mut phi = vec![0.0; d];
    for i in 0..k {
        for j in i + 1..k {
            let slot = features.slot(Duel(i, j));
            features.write_vector(slot.index, &mut phi);
            let sign = if slot.negative { -1.0 } else { 1.0 };
            let slope = sign * link.mu_prime(features.score(&projection, Duel(i, j))) / others;
            add_scaled(gradient.column_mut(i).as_mut_slice(), slope, &phi);
            add_scaled(gradient.column_mut(j).as_mut_slice(), -slope, &phi);
        }
    }
    gradient.transpose()
}

/// The index of the largest number; of several the first.
pub fn winner(scores: &[f64]) -> Arm {
    scores.iter().enumerate().fold(0, |best, (i, s)| if *s > scores[best] { i } else { best })
}

/// p within [0, 1], p(i,j) + p(j,i) = 1 up to 1e-9, and the right number of them.
pub fn check_preferences(items: usize, matrix: &[f64]) -> Result<()> {
    if items < 2 {
        return Err(Error::TooFewItems { found: items });
    }
    // As u128, in which no number of items overflows.
    if matrix.len() as u128 != (items as u128).pow(2) {
        return Err(Error::Shape {
            what: "the preference matrix",
            shape: format!("K × K = {items} × {items}"),
            expected: items.saturating_mul(items),
            found: matrix.len(),
        });
    }
    for i in 0..items {
        for j in 0..items {
            let p = matrix[i * items + j];
            if !p.is_finite() {
                return Err(Error::NotFinite { what: format!("p({i},{j})"), value: p });
            }
            if !(0.0..=1.0).contains(&p) {
                return Err(Error::NotAProbability { i, j, probability: p, when: String::new() });
            }
            let sum = p + matrix[j * items + i];
            if (sum - 1.0).abs() > 1e-9 {
                return Err(Error::NotComplementary { i, j, sum });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::stream;

    #[test]
    fn matrix_scores_winner_gap_and_regret() {
        // A cycle with a bystander: 0 beats 1 beats 2 beats 0; 3 loses to all, but least to 0.
        let p = [
            0.5, 0.9, 0.2, 0.6, //
            0.1, 0.5, 0.7, 0.9, //
            0.8, 0.3, 0.5, 0.9, //
            0.4, 0.1, 0.1, 0.5,
        ];
        let borda = Borda::from_matrix(4, &p).unwrap();
        let expected = [2.2 / 4.0, 2.2 / 4.0, 2.5 / 4.0, 1.1 / 4.0];
        assert!(borda.scores().iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15));
        assert_eq!((borda.winner(), borda.winners()), (2, vec![2]));
        assert!((borda.gap() - 0.075).abs() < 1e-15);
        assert!((borda.regret(Duel(0, 3)) - (1.25 - 0.55 - 0.275)).abs() < 1e-15);
        assert!((borda.over_others()[2] - 2.0 / 3.0).abs() < 1e-15);
    }

    #[test]
    fn ties_go_to_the_first_and_all_winners_are_named() {
        let borda = Borda::from_matrix(3, &[0.5, 0.5, 0.9, 0.5, 0.5, 0.9, 0.1, 0.1, 0.5]).unwrap();
        assert_eq!((borda.winner(), borda.winners()), (0, vec![0, 1]));
        assert_eq!(Borda::from_matrix(2, &[0.5; 4]).unwrap().gap(), 0.0);
    }

    #[test]
    fn models_agree_with_their_matrix() {
        let mut s = stream(1, &[]);
        let (k, d) = (30, 3);
        let x: Vec<f64> = (0..k * d).map(|_| 0.28 * (2.0 * s.uniform() - 1.0)).collect();
        let implicit = Features::differences(k, d, &x).unwrap();
        let listed =
            Features::from_fn(k, d, |i, j, out| (0..d).for_each(|c| out[c] = x[i * d + c] - x[j * d + c])).unwrap();
        for link in [Link::Logistic, Link::Linear, Link::Probit] {
            let theta = [0.3, 0.2, -0.1];
            let projection = implicit.project(&theta);
            let p: Vec<f64> = (0..k * k).map(|c| link.mu(implicit.score(&projection, Duel(c / k, c % k)))).collect();
            let naive = Borda::from_matrix(k, &p).unwrap();
            for features in [&implicit, &listed] {
                let fast = Borda::from_model(features, link, &theta);
                assert!(fast.scores().iter().zip(naive.scores()).all(|(a, b)| (a - b).abs() < 1e-14));
            }
        }
    }

    #[test]
    fn gradients_are_derivatives_of_the_scores() {
        let mut s = stream(2, &[]);
        let (k, d) = (90, 3);
        let x: Vec<f64> = (0..k * d).map(|_| 5.0 + 0.28 * (2.0 * s.uniform() - 1.0)).collect();
        let implicit = Features::differences(k, d, &x).unwrap();
        let listed =
            Features::from_fn(k, d, |i, j, out| (0..d).for_each(|c| out[c] = x[i * d + c] - x[j * d + c])).unwrap();
        let theta = [1.5, -2.0, 0.7];
        for features in [&implicit, &listed] {
            let exact = gradients(features, Link::Logistic, &theta);
            for c in 0..d {
                let at = |step: f64| {
                    let mut moved = theta;
                    moved[c] += step;
                    Borda::from_model(features, Link::Logistic, &moved).over_others()
                };
                for (i, (up, down)) in at(1e-5).iter().zip(at(-1e-5)).enumerate() {
                    assert!(((up - down) / 2e-5 - exact[(i, c)]).abs() < 1e-9);
                }
            }
        }
    }

    #[test]
    fn bad_matrices_are_refused_with_the_pair() {
        assert!(matches!(Borda::from_matrix(1, &[0.5]), Err(Error::TooFewItems { found: 1 })));
        assert!(matches!(Borda::from_matrix(2, &[0.5; 3]), Err(Error::Shape { .. })));
        assert!(matches!(
            Borda::from_matrix(2, &[0.5, 1.2, -0.2, 0.5]),
            Err(Error::NotAProbability { i: 0, j: 1, .. })
        ));
        assert!(matches!(
            Borda::from_matrix(2, &[0.5, 0.7, 0.4, 0.5]),
            Err(Error::NotComplementary { i: 0, j: 1, .. })
        ));
        assert!(matches!(
            Borda::from_matrix(2, &[0.6, 0.7, 0.3, 0.5]),
            Err(Error::NotComplementary { i: 0, j: 0, .. })
        ));
        assert!(matches!(Borda::from_matrix(2, &[0.5, f64::NAN, 0.3, 0.5]), Err(Error::NotFinite { .. })));
    }
}
