//! The exact interval of Clopper and Pearson for a share.

/// The 95 % interval of a probability of which `count` of `n` trials came true.
pub(super) fn exact(count: u64, n: u64) -> (f64, f64) {
    // P(X ≤ count) falls with p, P(X ≥ count) rises.
    let low = if count == 0 { 0.0 } else { solve(|p| 1.0 - below(count - 1, n, p) < 0.025) };
    let high = if count == n { 1.0 } else { solve(|p| below(count, n, p) > 0.025) };
    (low, high)
}

/// The p at which a condition that holds for smaller ones ends to hold.
fn solve(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if holds(middle) { low = middle } else { high = middle }
    }
    low
}

/// P(X ≤ count) of a binomial X, term by term in logarithms.
fn below(count: u64, n: u64, p: f64) -> f64 {
    let (log_p, log_q) = (p.ln(), (1.0 - p).ln());
    let mut choose = 0.0;
    let mut sum = 0.0;
    for k in 0..=count {
        if k > 0 {
            choose += ((n - k + 1) as f64).ln() - (k as f64).ln();
        }
        sum += (choose + k as f64 * log_p + (n - k) as f64 * log_q).exp();
    }
    sum.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_the_tables() {
        let close = |(a, b): (f64, f64), (c, d): (f64, f64)| (a - c).abs() < 5e-5 && (b - d).abs() < 5e-5;
        assert!(close(exact(0, 10), (0.0, 0.3085)), "{:?}", exact(0, 10));
        assert!(close(exact(3, 10), (0.0667, 0.6525)), "{:?}", exact(3, 10));
        assert!(close(exact(10, 10), (0.6915, 1.0)), "{:?}", exact(10, 10));
        // None of n: 1 − 0.025^(1/n).
        assert!((exact(0, 2000).1 - (1.0 - 0.025_f64.powf(1.0 / 2000.0))).abs() < 1e-9);
    }
}
