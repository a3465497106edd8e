//! Sums without rounding: what the nearest number leaves out is kept beside it.
//!
//! Votes are added, taken back and merged in any order, and the sums must come out the same to the last bit. A `f64`
//! alone cannot do that (0.1 + 0.2 − 0.2 ≠ 0.1). So every sum is the nearest `f64` and a [`Rest`]: for whole weights
//! and plain answers there is none, and the sum costs two additions more.

use serde::{Deserialize, Serialize};

/// What a sum is beyond its nearest `f64`: numbers that do not overlap, the smallest first (Shewchuk's expansions).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Rest(Vec<f64>);

/// a ← fl(a + b). Returns what rounding left out, exactly (Knuth).
#[inline]
pub(super) fn add(a: &mut f64, b: f64) -> f64 {
    let sum = *a + b;
    let part = sum - *a;
    let lost = (*a - (sum - part)) + (b - part);
    *a = sum;
    lost
}

impl Rest {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether this can be a rest: finite numbers, none of them 0.
    pub(super) fn is_sound(&self) -> bool {
        self.0.iter().all(|x| x.is_finite() && *x != 0.0)
    }

    /// Adds a number exactly.
    pub(super) fn add(&mut self, mut x: f64) {
        let mut kept = 0;
        for at in 0..self.0.len() {
            let mut sum = x;
            let lost = add(&mut sum, self.0[at]);
            if lost != 0.0 {
                self.0[kept] = lost;
                kept += 1;
            }
            x = sum;
        }
        self.0.truncate(kept);
        if x != 0.0 {
            self.0.push(x);
        }
    }

    /// Adds all of another rest.
    pub(super) fn add_all(&mut self, other: &Self) {
        other.0.iter().for_each(|&x| self.add(x));
    }

    /// All of this without all of another rest.
    pub(super) fn minus(&self, other: &Self) -> Self {
        let mut rest = self.clone();
        other.0.iter().for_each(|&x| rest.add(-x));
        rest
    }

    /// The nearest `f64` to all of it; of two equally near ones the even one.
    pub(super) fn nearest(&self) -> f64 {
        let mut numbers = self.0.iter().rev().copied();
        let Some(mut sum) = numbers.next() else { return 0.0 };
        while let Some(next) = numbers.next() {
            let lost = add(&mut sum, next);
            if lost != 0.0 {
                // Halfway between two numbers it is what follows that decides.
                if let Some(after) = numbers.next().filter(|after| (*after > 0.0) == (lost > 0.0)) {
                    debug_assert!(after != 0.0);
                    let twice = 2.0 * lost;
                    let up = sum + twice;
                    if up - sum == twice {
                        sum = up;
                    }
                }
                return sum;
            }
        }
        sum
    }

    /// Brings a sum into the one form that depends on nothing but its value: the nearest number, the nearest to what is
    /// then left, and so on.
    pub(super) fn settle(&mut self, sum: &mut f64) {
        self.add(*sum);
        *sum = self.nearest();
        self.add(-*sum);
        let mut parts = Vec::new();
        while !self.is_empty() {
            let part = self.nearest();
            self.add(-part);
            parts.push(part);
        }
        parts.reverse();
        self.0 = parts;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::stream;

    #[test]
    fn sums_do_not_depend_on_their_order() {
        let mut s = stream(4, &[]);
        for round in 0..200 {
            let mut numbers: Vec<f64> =
                (0..=round % 17).map(|_| s.normal() * 2_f64.powf(s.below(120) as f64 - 60.0)).collect();
            // The same numbers in another order, with some more that are taken back again.
            let sum = |numbers: &[f64]| {
                let (mut sum, mut rest) = (0.0, Rest::default());
                for &x in numbers {
                    let lost = add(&mut sum, x);
                    rest.add(lost);
                }
                rest.settle(&mut sum);
                (sum, rest)
            };
            let first = sum(&numbers);
            let more: Vec<f64> = (0..5).map(|_| s.normal()).collect();
            numbers.extend(more.iter().copied().chain(more.iter().map(|x| -x)));
            for at in (1..numbers.len()).rev() {
                numbers.swap(at, s.below(at + 1));
            }
            assert_eq!(sum(&numbers), first);
        }
    }

    #[test]
    fn the_number_kept_is_the_nearest() {
        // 1 + 2⁻⁵³ is halfway between 1 and the next number; a trifle more or less decides.
        for (trifle, expected) in [(2_f64.powi(-200), 1.0 + f64::EPSILON), (-(2_f64.powi(-200)), 1.0), (0.0, 1.0)] {
            let (mut sum, mut rest) = (1.0, Rest::default());
            rest.add(2_f64.powi(-53));
            rest.add(trifle);
            rest.settle(&mut sum);
            assert_eq!(sum, expected);
        }
    }
}
