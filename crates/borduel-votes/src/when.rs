//! Moments as people write them: numbers, and dates from the year to the second.

/// A moment: a number as it is, or the days since 1970-01-01.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct When(pub(crate) f64);

impl When {
    /// From a number, or a date such as `2024`, `2024-05`, `2024-05-31`, `2024/05/31`, `31.05.2024`, `20240531` or
    /// `2024-05-31T12:30:00Z` (a zone is read over: what matters is the order).
    pub(crate) fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.len() == 8
            && text.bytes().all(|b| b.is_ascii_digit())
            && (text.starts_with("19") || text.starts_with("20"))
        {
            return days(text[..4].parse().ok()?, text[4..6].parse().ok()?, text[6..].parse().ok()?).map(Self);
        }
        if let Ok(number) = text.parse::<f64>() {
            return number.is_finite().then_some(Self(number));
        }
        let (date, time) = match text.find(['T', 't', ' ']) {
            Some(at) => (&text[..at], text[at + 1..].trim()),
            None => (text, ""),
        };
        let parts: Vec<i64> = date.split(['-', '/', '.']).map(|part| part.parse().ok()).collect::<Option<_>>()?;
        let day = match parts.as_slice() {
            [year, month] if *year > 31 => days(*year, *month, 1)?,
            [year, month, day] if *year > 31 => days(*year, *month, *day)?,
            // Points stand behind days, as in 31.05.2024; with strokes the order of day and month is anybody's guess.
            [day, month, year] if *year > 31 && date.contains('.') => days(*year, *month, *day)?,
            _ => return None,
        };
        Some(Self(day + clock(time)?))
    }
}

/// The part of a day that has passed.
fn clock(time: &str) -> Option<f64> {
    let time = time.trim_end_matches(['Z', 'z']);
    let time = time.find(['+', '-']).map_or(time, |zone| &time[..zone]).trim();
    if time.is_empty() {
        return Some(0.0);
    }
    let mut seconds = 0.0;
    for (part, unit) in time.split(':').zip([3600.0, 60.0, 1.0]) {
        seconds += unit * part.parse::<f64>().ok().filter(|x| (0.0..61.0).contains(x))?;
    }
    Some(seconds / 86_400.0)
}

/// Days since 1970-01-01 in the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> Option<f64> {
    if !((1..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day)) {
        return None;
    }
    // Years that begin in March have their leap day at the end.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let before = 365 * y + y.div_euclid(4) - y.div_euclid(100) + y.div_euclid(400);
    Some((before + (153 * m + 2) / 5 + day - 1 - 719_468) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_numbers_are_in_their_order() {
        let read = |text: &str| When::read(text).map(|when| when.0);
        assert_eq!(read("1970-01-01"), Some(0.0));
        assert_eq!(read("2000-03-01"), Some(11_017.0));
        assert_eq!(read("2024-02-29T12:00:00Z"), Some(19_782.5));
        assert_eq!(read("2024-02-29 12:00:00+02:00"), Some(19_782.5));
        assert_eq!(
            (read("29.02.2024"), read("2024/2/29"), read("20240229")),
            (Some(19_782.0), Some(19_782.0), Some(19_782.0))
        );
        assert_eq!((read("2024-02"), read("17"), read("-3.5")), (Some(19_754.0), Some(17.0), Some(-3.5)));
        for odd in ["", "yesterday", "2024-13-01", "1/2/2024", "NaN", "2024-01-01T99:00"] {
            assert_eq!(read(odd), None, "{odd}");
        }
    }
}
