//! Figures and horizons as documents write them.

use borduel_report::numbers::grouped;

/// Mean regret, and its standard error.
pub(super) type Figure = (f64, f64);

/// A number with as many decimals as its error needs.
pub(super) fn plus_minus((mean, se): Figure) -> String {
    if se < 1.0 && mean.abs() < 1000.0 {
        format!("{mean:.1} ± {se:.1}")
    } else {
        format!("{} ± {}", grouped(mean), grouped(se))
    }
}

/// A horizon, as a power of ten where it is one.
pub(super) fn power(horizon: u64) -> String {
    match horizon.checked_ilog10() {
        Some(exponent @ 3..=9) if horizon == 10_u64.pow(exponent) => {
            let digits = ["⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"];
            format!("10{}", digits[exponent as usize])
        }
        _ => grouped(horizon as f64),
    }
}
