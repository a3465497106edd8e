//! Means, spreads and paired differences over replications.

use crate::special::incomplete_beta;
use serde::{Deserialize, Serialize};

/// The distribution of a number over replications.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Summary {
    /// The mean of the values.
    pub mean: f64,
    /// The standard deviation over replications (n − 1 in the denominator; 0 for a single one).
    pub sd: f64,
    /// The standard error of the mean, sd/√n.
    pub se: f64,
    /// The smallest of the values.
    pub min: f64,
    /// The lower quartile of the values.
    pub lower_quartile: f64,
    /// The median of the values.
    pub median: f64,
    /// The upper quartile of the values.
    pub upper_quartile: f64,
    /// The 99 % quantile.
    pub q99: f64,
    /// The largest of the values.
    pub max: f64,
}

impl Summary {
    /// Of at least one number; of none, all NaN.
    pub fn of(values: &[f64]) -> Self {
        let (mean, sd) = mean_and_sd(values);
        let sorted = sorted(values);
        Self {
            mean,
            sd,
            se: sd / (values.len() as f64).sqrt(),
            min: quantile(&sorted, 0.0),
            lower_quartile: quantile(&sorted, 0.25),
            median: quantile(&sorted, 0.5),
            upper_quartile: quantile(&sorted, 0.75),
            q99: quantile(&sorted, 0.99),
            max: quantile(&sorted, 1.0),
        }
    }
}

/// Mean and standard deviation.
pub(super) fn mean_and_sd(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    if values.len() < 2 {
        return (mean, 0.0);
    }
    let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
    (mean, (squares / (n - 1.0)).sqrt())
}

/// The same numbers in increasing order.
pub(super) fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    // What compares equal here has the same bits.
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

/// The quantile of sorted numbers, linear between neighbours.
pub(super) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = share * last as f64;
    let low = (place.floor() as usize).min(last);
    let high = (low + 1).min(last);
    sorted[low] + (place - low as f64) * (sorted[high] - sorted[low])
}

/// How two policies differ over the same replications, which met the same answers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PairedDifference {
    /// The first, as an index into the results' policies.
    pub a: usize,
    /// The second of the two policies.
    pub b: usize,
    /// Mean final regret of a minus that of b.
    pub mean: f64,
    /// The standard error of that mean, from the differences.
    pub se: f64,
}

/// All pairs within each group of combinations, from the final regrets of each combination.
pub(super) fn paired_differences<'a>(
    groups: &[Vec<usize>],
    finals: impl Fn(usize) -> &'a [f64],
) -> Vec<PairedDifference> {
    let mut differences = Vec::new();
    for group in groups {
        for x in 0..group.len() {
            for y in x + 1..group.len() {
                let pairs = finals(group[x]).iter().zip(finals(group[y]));
                let each: Vec<f64> = pairs.map(|(a, b)| a - b).collect();
                let (mean, sd) = mean_and_sd(&each);
                differences.push(PairedDifference {
                    a: group[x],
                    b: group[y],
                    mean,
                    se: sd / (each.len() as f64).sqrt(),
                });
            }
        }
    }
    differences
}

/// The exact 95 % interval (Clopper and Pearson) of a probability of which `count` of `n` trials came true.
///
/// P(X ≤ c) = I_{1−p}(n − c, c + 1); the ends are where a tail of the binomial X is 2.5 %.
pub fn exact_interval(count: u64, n: u64) -> (f64, f64) {
    let at_most = |c: u64, p: f64| incomplete_beta((n - c) as f64, c as f64 + 1.0, 1.0 - p);
    let low = if count == 0 { 0.0 } else { last(|p| 1.0 - at_most(count - 1, p) < 0.025) };
    let high = if count >= n { 1.0 } else { last(|p| at_most(count, p) > 0.025) };
    (low, high)
}

/// The probability up to which a condition holds, by bisection.
fn last(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if holds(middle) { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_are_the_textbook_ones() {
        let s = Summary::of(&[4.0, 1.0, 2.0, 3.0]);
        assert_eq!((s.mean, s.min, s.median, s.max), (2.5, 1.0, 2.5, 4.0));
        assert!((s.sd - (5.0_f64 / 3.0).sqrt()).abs() < 1e-15);
        assert!((s.se - s.sd / 2.0).abs() < 1e-15);
        assert_eq!((s.lower_quartile, s.upper_quartile), (1.75, 3.25));
        let single = Summary::of(&[7.0]);
        assert_eq!((single.sd, single.q99), (0.0, 7.0));
    }

    #[test]
    fn differences_are_paired() {
        let runs = [vec![1.0, 10.0], vec![2.0, 11.0], vec![0.0, 0.0]];
        let d = paired_differences(&[vec![0, 1], vec![2]], |i| &runs[i]);
        assert_eq!(d, [PairedDifference { a: 0, b: 1, mean: -1.0, se: 0.0 }]);
    }

    #[test]
    fn exact_intervals_are_those_of_the_tables() {
        let close = |(a, b): (f64, f64), (c, d): (f64, f64)| (a - c).abs() < 5e-5 && (b - d).abs() < 5e-5;
        assert!(close(exact_interval(0, 10), (0.0, 0.3085)), "{:?}", exact_interval(0, 10));
        assert!(close(exact_interval(3, 10), (0.0667, 0.6525)), "{:?}", exact_interval(3, 10));
        assert!(close(exact_interval(10, 10), (0.6915, 1.0)), "{:?}", exact_interval(10, 10));
        // None of n: 1 − 0.025^(1/n).
        assert!((exact_interval(0, 2000).1 - (1.0 - 0.025_f64.powf(1.0 / 2000.0))).abs() < 1e-9);
    }
}
