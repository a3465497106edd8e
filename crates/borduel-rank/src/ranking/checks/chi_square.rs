//! How Pearson's χ² of pairs is distributed when the model is true and votes are independent, by its mean, variance and
//! third cumulant.
//!
//! Let e be a vote's residual in units of its standard deviation, γ₃ = E e³ and γ₄ = E e⁴ − 3. A pair with n votes adds
//! (Σe)²/n = A + B to χ², A = Σ e²/n being of single votes and B = Σ_{v≠w} e_v e_w/n of two each. Of A only a A with
//! a = 1 − P s counts, s being the pair's share of all scatter and P the number of pairs, because χ² is divided by the
//! dispersion of single votes, which rises with them. Independent of each other, A and B have the joint cumulants
//!
//! Var A = (γ₄ + 2)/n, Var B = 2(1 − 1/n), κ₃(A) = E(e² − 1)³/n², κ(A,A,B) = 2(n−1)γ₃²/n², κ(A,B,B) = 4(n−1)(γ₄ +
//! 2)/n², κ₃(B) = (n−1)(8(n−2) + 4γ₃²)/n².
//!
//! The fit takes the share d/P of a pair's part away, g = 1 − d/P remains. Normal residuals have Var = 2gP and κ₃ =
//! 8gP, and what the others deviate from them within a pair counts by g² and g³. The tail is that of Pearson's third
//! type, a χ² of 8/skewness² degrees, shifted and scaled.

use crate::special::skewed_tail;

/// A pair's votes as the model sees them.
pub(super) struct Asked {
    /// Their effective number.
    pub(super) n: f64,
    /// What a vote is expected to say, and its variance, the dispersion included.
    pub(super) mean: f64,
    pub(super) variance: f64,
    /// Its share of the scatter of all votes.
    pub(super) share: f64,
}

/// P(χ² ≥ x) with so many degrees of freedom, of so many pairs.
pub(super) fn tail(x: f64, (df, count): (f64, usize), pairs: impl Iterator<Item = Asked>) -> f64 {
    let p = count as f64;
    let g = df / p;
    let (mut variance, mut third) = (2.0 * df, 8.0 * df);
    for pair in pairs {
        let [m3, m4, m6] = moments(pair.mean, pair.variance);
        let (n, a, skew) = (pair.n, 1.0 - p * pair.share, m3 * m3);
        variance += g * g * ((m4 - 1.0) * a * a - 2.0) / n;
        let singles = m6 - 3.0 * m4 + 2.0;
        let both = a * a * a * singles
            + (n - 1.0) * (8.0 * (n - 2.0) + 4.0 * skew + 12.0 * a * (m4 - 1.0) + 6.0 * a * a * skew);
        third += g * g * g * (both / (n * n) - 8.0);
    }
    skewed_tail((x - df) / variance.sqrt(), third / variance.powf(1.5))
}

/// The third, fourth and sixth central moments of an answer in units of its standard deviation. Answers are 0, ½ and 1,
/// which leaves one distribution with a mean and a variance: P(½) = 4(μ(1 − μ) − Var).
fn moments(mean: f64, variance: f64) -> [f64; 3] {
    let tie = (4.0 * (mean * (1.0 - mean) - variance)).clamp(0.0, 2.0 * mean.min(1.0 - mean));
    let (win, loss) = (mean - 0.5 * tie, 1.0 - mean - 0.5 * tie);
    let central = |k: i32| win * (1.0 - mean).powi(k) + tie * (0.5 - mean).powi(k) + loss * (-mean).powi(k);
    let unit = central(2).max(f64::MIN_POSITIVE).sqrt();
    [3, 4, 6].map(|k| central(k) / unit.powi(k))
}
