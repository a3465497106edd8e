//! Sizes that are refused before anything of that size is made: one limit, one error.

use crate::error::{Error, Result};

/// The most numbers (of 8 bytes) that one thing may hold: 4 GB.
pub const MOST_NUMBERS: u64 = 500_000_000;

/// Refuses a product of sizes beyond `most`: "that would be 10 × 20 = 200 runs; at most 100: take fewer".
pub fn at_most(most: u64, what: &'static str, factors: &[u64], remedy: &'static str) -> Result<()> {
    let wanted = factors.iter().fold(1_u128, |product, factor| product.saturating_mul(u128::from(*factor)));
    if wanted <= u128::from(most) { Ok(()) } else { Err(Error::TooLarge { wanted, what, most, remedy }) }
}

/// Refuses K items whose tables would have these factors' product of numbers.
pub fn numbers(factors: &[usize]) -> Result<()> {
    let factors: Vec<u64> = factors.iter().map(|factor| *factor as u64).collect();
    at_most(MOST_NUMBERS, "numbers in memory", &factors, "take fewer items or dimensions")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_do_not_wrap() {
        assert!(numbers(&[1000, 1000, 500]).is_ok());
        assert!(numbers(&[1 << 32, 1 << 32, 1 << 32, 1 << 32, 1 << 32]).is_err());
        let error = at_most(100, "runs", &[3_074_457_345_618_258_603, 6], "take fewer runs").unwrap_err();
        assert_eq!(
            error.to_string(),
            "that would be 18446744073709551618 runs; at most 100 are possible: take fewer runs"
        );
    }
}
