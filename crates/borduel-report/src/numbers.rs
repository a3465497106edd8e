//! Numbers as people read them.

/// A whole number with commas between thousands.
pub fn grouped(value: f64) -> String {
    let rounded = value.round();
    let digits = format!("{:.0}", rounded.abs());
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if rounded < 0.0 { format!("−{out}") } else { out }
}

/// Four significant digits, without useless zeros; powers of ten where they are shorter.
pub fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let size = value.abs().log10().floor();
    if (-4.0..6.0).contains(&size) {
        let decimals = (3.0 - size).max(0.0) as usize;
        let text = format!("{value:.decimals$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    } else {
        format!("{value:.3e}")
    }
}

/// A share as a percentage.
pub fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// A share as percent with one digit and no sign, `–` where there is none.
pub fn points(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), |share| format!("{:.1}", 100.0 * share))
}

/// A number of votes without needless digits.
pub fn count(votes: f64) -> String {
    if votes.fract() == 0.0 { format!("{votes:.0}") } else { format!("{votes:.1}") }
}

/// A rate with its unit's prefix.
pub fn rate(per_second: f64) -> String {
    match per_second {
        x if x >= 1e6 => format!("{:.1} M/s", x / 1e6),
        x if x >= 1e3 => format!("{:.1} k/s", x / 1e3),
        x => format!("{x:.1} /s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_right() {
        assert_eq!(grouped(1_234_567.4), "1,234,567");
        assert_eq!(grouped(-999.6), "−1,000");
        assert_eq!(grouped(0.2), "0");
        assert_eq!(short(0.011_167), "0.01117");
        assert_eq!(short(0.5), "0.5");
        assert_eq!(short(1000.0), "1000");
        assert_eq!(short(1.5e-7), "1.500e-7");
        assert_eq!(short(0.0), "0");
        assert_eq!(percent(0.98), "98 %");
        assert_eq!(rate(2.34e6), "2.3 M/s");
    }
}
