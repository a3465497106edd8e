//! How large features are, and the units in which they can be computed with.
//!
//! Squares of squares of features must be numbers too. So where the largest difference lies outside [10⁻⁵⁰, 10⁵⁰],
//! features are expressed in units of a power of two near it, which costs no digit; constructors that do not scale
//! refuse them. Where not even the unit is a number with all its digits, everybody does.

use crate::duel::Arm;
use crate::error::{Error, Result};
use std::borrow::Cow;

/// ‖φ‖ may exceed 1 by what rounding a unit vector costs.
const NORM_SLACK: f64 = 1e-12;
/// Differences of this size are computed with as they are.
const ORDINARY: std::ops::RangeInclusive<f64> = 1e-50..=1e50;
/// Beyond these a number, or the largest difference, cannot be scaled without losing digits.
const LARGEST: f64 = 1e290;
const SMALLEST: f64 = 1e-290;

/// The size of a list of features.
pub(super) struct Extent {
    /// What features are multiplied by before anything else: 1, or a power of two.
    pub(super) unit: f64,
    /// The position of the largest difference.
    largest: (usize, f64),
}

impl Extent {
    /// Looks at every number and at its difference from `origin`; `name` says what stands at a position, and
    /// where in the array that was given.
    pub(super) fn of(
        numbers: &[f64],
        origin: impl Fn(usize) -> f64,
        name: impl Fn(usize) -> (String, usize),
    ) -> Result<Self> {
        let mut largest = (0, 0.0);
        for (position, &x) in numbers.iter().enumerate() {
            if !x.is_finite() {
                return Err(Error::NotFinite { what: name(position).0, value: x });
            }
            if x.abs() > LARGEST {
                let remedy =
                    format!("is too large to compute with: give that feature in units that keep it below {LARGEST:e}");
                let (what, position) = name(position);
                return Err(Error::Unrepresentable { what, position, value: x, remedy });
            }
            let difference = (x - origin(position)).abs();
            if difference > largest.1 {
                largest = (position, difference);
            }
        }
        if largest.1 == 0.0 {
            return Err(Error::RankZero);
        }
        if largest.1 < SMALLEST {
            let remedy = format!(
                "differs from that of any other by {:e} at most, and no feature differs by more, which is too little \
                 to compute \
                 with: give features in other units",
                largest.1
            );
            let (what, position) = name(largest.0);
            return Err(Error::Unrepresentable { what, position, value: numbers[largest.0], remedy });
        }
        let unit = if ORDINARY.contains(&largest.1) { 1.0 } else { 2_f64.powi(-largest.1.log2().floor() as i32) };
        Ok(Self { unit, largest })
    }

    /// The numbers in these units.
    pub(super) fn in_units<'v>(&self, numbers: &'v [f64]) -> Cow<'v, [f64]> {
        if self.unit == 1.0 { Cow::Borrowed(numbers) } else { numbers.iter().map(|x| x * self.unit).collect() }
    }

    /// The factor to apply to numbers in these units, of which the longest pair found is given and no pair is longer
    /// than `bound`; or the refusal that names that pair.
    pub(super) fn scale_for(&self, (norm, i, j): (f64, Arm, Arm), scaled: bool, bound: f64) -> Result<f64> {
        let ordinary = self.unit == 1.0;
        if ordinary && norm <= 1.0 + NORM_SLACK {
            return Ok(1.0);
        }
        if scaled {
            return Ok(1.0 / bound);
        }
        let (norm, factor) = (norm / self.unit, self.unit / bound);
        if self.largest.1 < 1.0 {
            Err(Error::NormTooSmall { i, j, norm, factor })
        } else {
            Err(Error::NormTooLarge { i, j, norm, factor })
        }
    }
}
