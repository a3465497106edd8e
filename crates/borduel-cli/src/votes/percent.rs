//! Numbers of the command line that are percentages.

use borduel_report::numbers::short;

/// A confidence level in percent, as `95` or `95%`.
pub(crate) fn level(text: &str) -> Result<f64, String> {
    let percent = number(text)?;
    match percent {
        x if x > 50.0 && x < 100.0 => Ok(x),
        x if x > 0.5 && x < 1.0 => Err(format!("it is a percentage, not a share: write {}", short(100.0 * x))),
        _ => Err("it must be more than 50 and less than 100 percent, such as 95".to_owned()),
    }
}

/// A difference of scores in points of a hundred.
pub(crate) fn margin(text: &str) -> Result<f64, String> {
    match number(text)? {
        x if x > 0.0 && x < 100.0 => Ok(x),
        _ => Err("it must be more than 0 and less than 100 points, such as 2".to_owned()),
    }
}

/// The same where scores are told apart up to it: half of all points is as much as saying nothing.
pub(crate) fn margin_of_verdict(text: &str) -> Result<f64, String> {
    match margin(text)? {
        x if x < 50.0 => Ok(x),
        _ => Err("it must be less than 50 points, such as 2".to_owned()),
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
        // A bound is said to be out where it is out.
        assert!(level("50").unwrap_err().contains("more than 50 and less than 100"));
        assert!(margin("0").unwrap_err().contains("more than 0 and less than 100"));
        assert!(margin_of_verdict("50").unwrap_err().contains("less than 50 points"));
        assert_eq!(margin_of_verdict("49.5"), Ok(49.5));
    }
}
