//! The files of votes as a page names them.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// The names of files of votes, without their folders, and the date that was given, or the last day on which one of
/// them was changed.
pub fn label(paths: &[String], date: Option<&str>) -> String {
    let name = |path: &String| {
        let name = Path::new(path).file_name().map_or_else(|| path.clone(), |name| name.to_string_lossy().into_owned());
        if path == "-" { "standard input".to_owned() } else { name }
    };
    let files = match paths {
        [one] => name(one),
        [first, .., last] => format!("{} files ({} … {})", paths.len(), name(first), name(last)),
        [] => String::new(),
    };
    let changed = || paths.iter().filter_map(|path| std::fs::metadata(path).ok()?.modified().ok()).max();
    let date = date.map(str::to_owned).or_else(|| changed().and_then(day).map(|day| format!("last changed {day}")));
    date.map_or(files.clone(), |date| format!("{files}, {date}"))
}

/// The day of a time, in UTC.
fn day(time: SystemTime) -> Option<String> {
    // Some file systems can hold times that no calendar reaches.
    const YEARS: u64 = 10_000;
    let days = time.duration_since(UNIX_EPOCH).ok()?.as_secs() / 86_400;
    let mut left = Some(days).filter(|days| *days < YEARS * 365)?;
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while left >= 365 + u64::from(leap(year)) {
        left -= 365 + u64::from(leap(year));
        year += 1;
    }
    let days = [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let month = (0..12).find(|&month| left < days[..=month].iter().sum())?;
    let before: u64 = days[..month].iter().sum();
    Some(format!("{year}-{:02}-{:02}", month + 1, left - before + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (951_868_799, "2000-02-29"),
            (1_709_251_200, "2024-03-01"),
            (1_798_761_599, "2026-12-31"),
        ] {
            assert_eq!(day(UNIX_EPOCH + Duration::from_secs(seconds)).as_deref(), Some(expected));
        }
    }
}
