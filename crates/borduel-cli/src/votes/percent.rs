//! Numbers of the command line that are percentages.

use borduel_report::numbers::short;

/// A confidence level in percent, as `95` or `95%`.
pub(crate) fn level(text: &str) -> Result<f64, String> {
    let percent = number(text)?;
    match percent {
        x if x > 50.0 && x < 100.0 => Ok(x),
        x if x > 0.5 && x < 1.0 => Err(format!("it is a percentage, not a share: write {}", short(100.0 * x))),
        _ => Err("it must lie between 50 and 100 percent, such as 95".to_owned()),
    }
}

/// A difference of scores in points of a hundred.
pub(crate) fn margin(text: &str) -> Result<f64, String> {
    match number(text)? {
        x if x > 0.0 && x < 100.0 => Ok(x),
        _ => Err("it must lie between 0 and 100 points, such as 2".to_owned()),
    }
}

fn number(text: &str) -> Result<f64, String> {
    let digits = text.trim().trim_end_matches('%').trim_end();
    digits.parse().map_err(|_| "it must be a number of percent, such as 95".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_are_percent() {
        assert_eq!((level("95"), level("97.5 %"), margin("2")), (Ok(95.0), Ok(97.5), Ok(2.0)));
        assert!(level("0.95").unwrap_err().contains("write 95"));
        for text in ["nan", "inf", "100", "50", "-1", "", "%", "1e400"] {
            assert!(level(text).is_err(), "{text}");
        }
        for text in ["nan", "0", "-2", "100", "inf"] {
            assert!(margin(text).is_err(), "{text}");
        }
    }
}
