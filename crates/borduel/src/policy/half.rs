//! Beta distributions seen from ½ or another point: how likely they exceed it, and draws from one side of it.

use crate::stream::Stream;
use rand_distr::{Beta, Distribution};
use std::f64::consts::PI;

/// P(X > ½) for X ~ Beta(a, b), a and b at least 1.
///
/// For a ≥ b the other side is the small one, and I_½(a,b) = 2^{−a−b} Γ(a+b)/(Γ(a+1)Γ(b)) · Σ_n Π_{m<n} (a+b+m)/(2(a+1+m)), a sum
/// of positive terms that shrink from the first; no digit is lost. It holds for ties (halves) as for whole counts.
pub(crate) fn exceeds(a: f64, b: f64) -> f64 {
    if a >= b { 1.0 - below(a, b) } else { below(b, a) }
}

/// P(X < ½) for X ~ Beta(a, b) with a ≥ b.
fn below(a: f64, b: f64) -> f64 {
    lower(a, b, 0.5).min(0.5)
}

/// P(X > x) for X ~ Beta(a, b), a and b at least 1, x no less than the mean.
pub(crate) fn upper(a: f64, b: f64, x: f64) -> f64 {
    lower(b, a, 1.0 - x)
}

/// P(X < x) for X ~ Beta(a, b) with x no larger than the mean: the sum above with x in the place of ½.
fn lower(a: f64, b: f64, x: f64) -> f64 {
    let n = a + b;
    let lead = a - n * x;
    // N·d(a/N, x), where the logarithms' leading parts cancel.
    let divergence = a * (lead / (n * x)).ln_1p() + b * (-lead / (n * (1.0 - x))).ln_1p();
    let first = remainder(n) - remainder(a) - remainder(b) - divergence + 0.5 * (b / (a * n * 2.0 * PI)).ln();
    let (mut term, mut sum, mut m) = (1.0, 1.0, 0.0);
    loop {
        term *= x * (n + m) / (a + 1.0 + m);
        sum += term;
        m += 1.0;
        // Later ratios are smaller still, so that what is left is below this share of the sum.
        if term < 1e-17 * sum {
            return (first.exp() * sum).min(1.0);
        }
    }
}

/// What Stirling's formula misses: log Γ(x) − (x − ½) log x + x − ½ log 2π.
fn remainder(x: f64) -> f64 {
    if x < 16.0 {
        return libm::lgamma(x) - (x - 0.5) * x.ln() + x - 0.5 * (2.0 * PI).ln();
    }
    let y = 1.0 / (x * x);
    (1.0 / 12.0 - y * (1.0 / 360.0 - y * (1.0 / 1260.0 - y * (1.0 / 1680.0 - y / 1188.0)))) / x
}

/// A draw of X ~ Beta(a, b), a and b at least 1.
pub(crate) fn beta(a: f64, b: f64, stream: &mut Stream) -> f64 {
    // Positive finite parameters are never refused; the mean is what a draw would be close to.
    Beta::new(a, b).map_or(a / (a + b), |beta| beta.sample(stream))
}

/// A draw of X ~ Beta(a, b) given X > `cut`, of which the probability is q.
///
/// Where that is rare, the cut lies above the mode; log density is concave and so lies below its tangent at the cut: cut + y with y
/// exponential of the tangent's rate on (0, 1 − cut) is accepted with the ratio of the two.
pub(crate) fn above(a: f64, b: f64, cut: f64, q: f64, stream: &mut Stream) -> f64 {
    if q > 0.05 {
        loop {
            let x = beta(a, b, stream);
            if x > cut {
                return x;
            }
        }
    }
    let rest = 1.0 - cut;
    let rate = (b - 1.0) / rest - (a - 1.0) / cut;
    let within = -(-rest * rate).exp_m1();
    loop {
        let y = -(-stream.uniform() * within).ln_1p() / rate;
        let x = cut + y;
        // log of x^{a−1}(1−x)^{b−1} over its value at the cut, and over the tangent.
        let log = (a - 1.0) * (x / cut).ln() + (b - 1.0) * ((1.0 - x) / rest).ln() + rate * y;
        if stream.uniform().ln() < log {
            return x;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::stream;

    /// The same by the binomial sum, for whole counts: P(Binomial(a+b−1, ½) ≤ a−1).
    fn binomial(a: u32, b: u32) -> f64 {
        let n = a + b - 1;
        // In units of 2⁻ⁿ, exact in 128 bits.
        let mut choose: u128 = 1;
        let mut sum: u128 = 0;
        for k in 0..a {
            sum += choose;
            choose = choose * u128::from(n - k) / u128::from(k + 1);
        }
        sum as f64 / 2_f64.powi(i32::try_from(n).unwrap())
    }

    #[test]
    fn the_chance_of_more_than_one_half_is_the_binomial_sum() {
        for a in 1..60 {
            for b in 1..60 {
                let (fast, exact) = (exceeds(f64::from(a), f64::from(b)), binomial(a, b));
                assert!((fast - exact).abs() < 1e-13, "{a} {b}: {fast} {exact}");
                assert!((fast - exact).abs() < 1e-12 * exact.min(1.0 - exact) + 3e-16, "{a} {b}: {fast} {exact}");
            }
        }
    }

    /// The same by integrating the density with Simpson's rule, for any counts.
    fn integral(a: f64, b: f64) -> f64 {
        let log_beta = libm::lgamma(a) + libm::lgamma(b) - libm::lgamma(a + b);
        let density = |x: f64| ((a - 1.0) * x.ln() + (b - 1.0) * (1.0 - x).ln() - log_beta).exp();
        let (steps, width) = (200_000, 0.5 / 200_000.0);
        let weight = |s: i32| if s == 0 || s == steps { 1.0 } else { f64::from(2 + 2 * (s % 2)) };
        let value = |s: i32| if s == steps && b > 1.0 { 0.0 } else { density(0.5 + width * f64::from(s)) };
        (0..=steps).map(|s| weight(s) * value(s)).sum::<f64>() * width / 3.0
    }

    #[test]
    fn ties_and_long_counts_are_right_too() {
        for (a, b) in [(3.5, 5.0), (17.5, 12.5), (40.0, 31.5), (520.5, 480.0), (20_100.0, 19_900.5)] {
            let (fast, slow) = (exceeds(a, b), integral(a, b));
            // The integral's own log Γ, of up to 4·10⁵, has an absolute error of its last digit.
            let digits: f64 = 1e-12_f64.max(1e-14 * (a + b));
            assert!((fast - slow).abs() < digits, "{a} {b}: {fast} {slow}");
            assert!((fast + exceeds(b, a) - 1.0).abs() < 1e-15);
        }
        // Central limit: P(Beta(n,n) > ½) = ½ to the last digit, also for very many answers.
        assert!((exceeds(5e6, 5e6) - 0.5).abs() < 1e-12, "{}", exceeds(5e6, 5e6));
        assert!(exceeds(1e5, 1.0) == 1.0 && exceeds(1.0, 1e5) == 0.0);
    }

    #[test]
    fn draws_from_one_side_have_the_mean_of_that_side() {
        let mut s = stream(4, &[]);
        for (a, b) in [(3.0, 4.0), (10.0, 25.0), (2.0, 9.0), (1.0, 8.0), (300.0, 380.0)] {
            let q = exceeds(a, b);
            // E[X; X > ½] = a/(a+b) P(Beta(a+1, b) > ½).
            let mean = a / (a + b) * exceeds(a + 1.0, b) / q;
            let draws: Vec<f64> = (0..40_000).map(|_| above(a, b, 0.5, q, &mut s)).collect();
            assert!(draws.iter().all(|x| *x > 0.5 && *x < 1.0));
            let average = draws.iter().sum::<f64>() / 40_000.0;
            let sd = (draws.iter().map(|x| (x - average).powi(2)).sum::<f64>() / 40_000.0).sqrt();
            assert!((average - mean).abs() < 4.0 * sd / 200.0, "{a} {b}: {average} {mean}");
        }
    }

    #[test]
    fn tails_beyond_any_point_are_their_integrals_and_drawn_from() {
        let mut s = stream(5, &[]);
        for (a, b, x) in [(3.5, 5.0, 0.6), (40.0, 31.5, 0.7), (520.5, 480.0, 0.56), (1.0, 30.0, 0.1), (2.0, 1.0, 0.9)] {
            let q = upper(a, b, x);
            // X given X > x has E[X; X > x] = a/(a+b) P(Beta(a+1, b) > x), and x is far enough above that mean too.
            let mean = a / (a + b) * upper(a + 1.0, b, x) / q;
            let mut hits = 0.0;
            for _ in 0..40_000 {
                hits += f64::from(u8::from(beta(a, b, &mut s) > x));
            }
            let error = (q * (1.0 - q) / 40_000.0).sqrt();
            assert!((hits / 40_000.0 - q).abs() < 4.0 * error, "{a} {b} {x}: {q} {hits}");
            let draws: Vec<f64> = (0..40_000).map(|_| above(a, b, x, q, &mut s)).collect();
            assert!(draws.iter().all(|draw| *draw > x && *draw < 1.0));
            let average = draws.iter().sum::<f64>() / 40_000.0;
            let sd = (draws.iter().map(|x| (x - average).powi(2)).sum::<f64>() / 40_000.0).sqrt();
            assert!((average - mean).abs() < 4.0 * sd / 200.0, "{a} {b} {x}: {average} {mean}");
        }
    }
}
