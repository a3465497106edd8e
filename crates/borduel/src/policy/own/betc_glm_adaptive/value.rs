//! What knowing more would be worth: E[max_i X_i⁺] of normal variables, exactly in the tail.
//!
//! X_i is what rival i may turn out to be better than the leader by: normal, with mean −gap_i ≤ 0 and some covariance.
//! With v_i = E[X_i⁺] = s_i ψ(gap_i/s_i), ψ(x) = φ(x) − x(1−Φ(x)), and V = Σ v_i, draw i with probability v_i/V and
//! then X given that X_i has the density ∝ x⁺ · (its own): under that law E[max X⁺] = V · E[max X⁺ / Σ X⁺]. The ratio
//! lies between 1/K and 1 however rare the event is, so a few dozen draws see a tail that plain draws would need
//! millions for (importance sampling for unions of rare events: Adler, Blanchet and Liu 2012; Owen, Maximov and
//! Chertkov 2019).

use crate::stream::Stream;
use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// Jointly normal X_i with means −gap(i).
pub(super) trait Doubt {
    /// How many rivals there are.
    fn len(&self) -> usize;
    /// −E X_i.
    fn gap(&self, i: usize) -> f64;
    /// Var X_i.
    fn variance(&self, i: usize) -> f64;
    /// Cov(X_i, X_j) for all j.
    fn covariances(&self, i: usize, out: &mut [f64]);
    /// The probability of i, where only one of the X_i is not nothing.
    fn alone(&self, _: usize) -> Option<f64> {
        None
    }
    /// A draw of X − E X.
    fn draw(&self, stream: &mut Stream, out: &mut [f64]);
}

/// Normal X_i = −gap_i + ⟨row_i, z⟩, z of independent components with these variances.
pub(super) struct Factors<'a> {
    pub(super) gaps: &'a [f64],
    pub(super) rows: &'a [f64],
    pub(super) variances: Vec<f64>,
}

impl Factors<'_> {
    fn row(&self, i: usize) -> &[f64] {
        let d = self.variances.len();
        &self.rows[i * d..(i + 1) * d]
    }
}

impl Doubt for Factors<'_> {
    fn len(&self) -> usize {
        self.gaps.len()
    }

    fn gap(&self, i: usize) -> f64 {
        self.gaps[i]
    }

    fn variance(&self, i: usize) -> f64 {
        self.row(i).iter().zip(&self.variances).map(|(x, v)| x * x * v).sum()
    }

    fn covariances(&self, i: usize, out: &mut [f64]) {
        let scaled: Vec<f64> = self.row(i).iter().zip(&self.variances).map(|(x, v)| x * v).collect();
        for (j, o) in out.iter_mut().enumerate() {
            *o = crate::features::dot(self.row(j), &scaled);
        }
    }

    fn draw(&self, stream: &mut Stream, out: &mut [f64]) {
        let z: Vec<f64> = self.variances.iter().map(|v| v.sqrt() * stream.normal()).collect();
        for (j, o) in out.iter_mut().enumerate() {
            *o = crate::features::dot(self.row(j), &z);
        }
    }
}

/// E[max_i X_i⁺], between its bounds.
pub(super) struct Gain {
    /// E[X_i⁺] of every rival.
    single: Vec<f64>,
    total: f64,
}

impl Gain {
    pub(super) fn new(doubt: &impl Doubt) -> Self {
        let one = |i| {
            let sd = doubt.variance(i).max(0.0).sqrt();
            let gain = if sd > 0.0 { sd * psi(doubt.gap(i) / sd) } else { (-doubt.gap(i)).max(0.0) };
            doubt.alone(i).unwrap_or(1.0) * gain
        };
        let single: Vec<f64> = (0..doubt.len()).map(one).collect();
        let total = single.iter().sum();
        Self { single, total }
    }

    /// max E[X_i⁺]: the gain is at least that.
    pub(super) fn least(&self) -> f64 {
        self.single.iter().copied().fold(0.0, f64::max)
    }

    /// Σ E[X_i⁺]: the gain is at most that.
    pub(super) fn most(&self) -> f64 {
        self.total
    }

    /// The δ for which a single rival δ standard deviations behind would leave as much to gain; 0 if nothing would. The
    /// standard deviation is that of the rivals, weighted by what each may gain.
    pub(super) fn depth(&self, doubt: &impl Doubt, gain: f64) -> f64 {
        let spread = |(i, v): (usize, &f64)| v * doubt.variance(i).max(0.0).sqrt();
        let sd = self.single.iter().enumerate().map(spread).sum::<f64>() / self.total;
        let wanted = gain / sd;
        if doubt.alone(0).is_some() {
            // What a rival may gain is small also because it is seldom the one: their own depths count.
            let own = |(i, v): (usize, &f64)| v * doubt.gap(i) / doubt.variance(i).sqrt();
            return (self.single.iter().enumerate().map(own).sum::<f64>() / self.total).max(0.0);
        }
        if wanted.is_nan() || wanted >= psi(0.0) {
            return 0.0;
        }
        let (mut low, mut high) = (0.0, 40.0);
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if psi(middle) > wanted { low = middle } else { high = middle }
        }
        low
    }

    /// The gain itself, from this many draws.
    pub(super) fn estimate(&self, doubt: &impl Doubt, draws: u32, stream: &mut Stream) -> f64 {
        let n = self.single.len();
        if self.total <= 0.0 || n < 2 || doubt.alone(0).is_some() {
            return self.total;
        }
        let (mut x, mut covariance) = (vec![0.0; n], vec![0.0; n]);
        let mut ratios = 0.0;
        // One draw from each of equal strata of the mixture, in its order: less spread than independent choices.
        let (mut i, mut below) = (0, self.single[0]);
        for k in 0..draws {
            let place = (f64::from(k) + stream.uniform()) / f64::from(draws) * self.total;
            while below < place && i + 1 < n {
                i += 1;
                below += self.single[i];
            }
            let sd = doubt.variance(i).max(0.0).sqrt();
            if sd == 0.0 {
                ratios += 1.0;
                continue;
            }
            let excess = tail_draw(doubt.gap(i) / sd, stream);
            doubt.draw(stream, &mut x);
            doubt.covariances(i, &mut covariance);
            let shift = (doubt.gap(i) + sd * excess - x[i]) / (sd * sd);
            let (mut most, mut sum) = (0.0_f64, 0.0);
            for j in 0..n {
                let value = if j == i { sd * excess } else { x[j] + covariance[j] * shift - doubt.gap(j) };
                if value > 0.0 {
                    most = most.max(value);
                    sum += value;
                }
            }
            ratios += if sum > 0.0 { most / sum } else { 1.0 };
        }
        self.total * ratios / f64::from(draws)
    }
}

/// φ(x).
pub(super) fn density(x: f64) -> f64 {
    (-0.5 * x * x).exp() / (2.0 * PI).sqrt()
}

/// ψ(x) = E[(Z − x)⁺] = φ(x) − x(1−Φ(x)).
pub(super) fn psi(x: f64) -> f64 {
    (density(x) - x * 0.5 * libm::erfc(x * FRAC_1_SQRT_2)).max(0.0)
}

/// E > 0 with the density ∝ e · exp(−(δ+e)²/2): by how much a normal number exceeds δ when exceeding by more counts
/// more.
///
/// Proposed from a gamma law of shape 2 and rate λ = (δ + √(δ²+8))/2, accepted with probability exp(−(e−(λ−δ))²/2).
fn tail_draw(delta: f64, stream: &mut Stream) -> f64 {
    let rate = 0.5 * (delta + (delta * delta + 8.0).sqrt());
    loop {
        // 1 − u lies in (0, 1], where the logarithm is finite.
        let e = -((1.0 - stream.uniform()).ln() + (1.0 - stream.uniform()).ln()) / rate;
        let off = e - (rate - delta);
        if stream.uniform() < (-0.5 * off * off).exp() {
            return e;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::stream;

    #[test]
    fn agrees_with_plain_draws_where_those_can_see() {
        let mut s = stream(5, &[]);
        let (n, d) = (12, 3);
        let rows: Vec<f64> = (0..n * d).map(|_| s.normal()).collect();
        let gaps: Vec<f64> = (0..n).map(|i| 0.2 * i as f64).collect();
        let doubt = Factors { gaps: &gaps, rows: &rows, variances: vec![0.5, 0.3, 0.7] };
        let mut x = vec![0.0; n];
        let plain = 200_000;
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..plain {
            doubt.draw(&mut s, &mut x);
            let most = (0..n).map(|i| x[i] - gaps[i]).fold(0.0, f64::max);
            sum += most;
            squares += most * most;
        }
        let mean = sum / f64::from(plain);
        let se = ((squares / f64::from(plain) - mean * mean) / f64::from(plain)).sqrt();
        let gain = Gain::new(&doubt);
        let estimate = gain.estimate(&doubt, 20_000, &mut s);
        assert!((estimate - mean).abs() < 4.0 * se + 0.01 * mean, "{estimate} {mean} ± {se}");
        assert!(gain.least() <= estimate && estimate <= gain.most());
    }

    #[test]
    fn the_tail_is_exact_where_it_is_known() {
        // Two rivals with independent doubts, each six standard deviations away: they never win together, and few draws
        // say so.
        let doubt = Factors { gaps: &[6.0, 6.0], rows: &[1.0, 0.0, 0.0, 1.0], variances: vec![1.0, 1.0] };
        let gain = Gain::new(&doubt);
        let estimate = gain.estimate(&doubt, 64, &mut stream(1, &[]));
        assert!((estimate / (2.0 * psi(6.0)) - 1.0).abs() < 1e-6, "{estimate}");
        // The same rival twice counts once.
        let doubt = Factors { gaps: &[6.0, 6.0], rows: &[1.0, 1.0], variances: vec![1.0] };
        let estimate = Gain::new(&doubt).estimate(&doubt, 64, &mut stream(1, &[]));
        assert!((estimate / psi(6.0) - 1.0).abs() < 1e-9, "{estimate}");
    }
}
