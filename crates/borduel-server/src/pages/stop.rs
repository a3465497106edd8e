//! When a study closes by itself, as a form has it.

use borduel_study::event::Millis;
use borduel_study::export::time;
use borduel_study::settings::Stop;
use maud::{Markup, html};

/// What a form says of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Typed {
    /// How, in a word.
    pub(super) stop: String,
    /// After how many votes.
    pub(super) votes: String,
    /// When, in UTC.
    pub(super) date: String,
}

/// A day and a minute, as browsers have them.
fn minute(at: Millis) -> String {
    time(at)[..16].to_owned()
}

/// What a form shows of it.
pub(super) fn typed(stop: Stop) -> Typed {
    let (mut votes, mut date) = (String::new(), String::new());
    let word = match stop {
        Stop::Never => "never",
        Stop::GoodEnough => "good-enough",
        Stop::Clear => "clear",
        Stop::Votes(count) => {
            votes = count.to_string();
            "votes"
        }
        Stop::Date(at) => {
            date = minute(at);
            "date"
        }
    };
    Typed { stop: word.to_owned(), votes, date }
}

/// The choice of when to stop, in a form.
pub(super) fn choice(typed: &Typed) -> Markup {
    let option = |word: &str, text: &str| html! { option value=(word) selected[typed.stop == word] { (text) } };
    html! {
        label {
            "Close by itself"
            select name="stop" {
                (option("never", "Never"))
                (option("good-enough", "When one is good enough: nobody is better by more than the margin"))
                (option("clear", "When one is clearly better than every other, or a tie is shown"))
                (option("votes", "After so many votes: a fixed budget"))
                (option("date", "At a time"))
            }
        }
        label.if-votes { "How many votes" input type="number" name="stop_votes" min="1" value=(typed.votes); }
        label.if-date { "When, in UTC" input type="datetime-local" name="stop_date" value=(typed.date); }
    }
}

/// What was chosen. A time that was not touched stays exactly what it was.
///
/// # Errors
/// A sentence that names what is missing.
pub(super) fn chosen(typed: &Typed, now: Stop) -> Result<Stop, String> {
    match typed.stop.as_str() {
        "" | "never" => Ok(Stop::Never),
        "good-enough" => Ok(Stop::GoodEnough),
        "clear" => Ok(Stop::Clear),
        "votes" => typed.votes.trim().parse().map(Stop::Votes).map_err(|_| {
            format!("stop: {:?} is no number of votes; write after how many the study closes", typed.votes)
        }),
        "date" => match now {
            Stop::Date(at) if minute(at) == typed.date => Ok(now),
            _ => instant(&typed.date)
                .map(Stop::Date)
                .ok_or_else(|| format!("stop: {:?} is no time; write it as 2026-11-20T18:00, in UTC", typed.date)),
        },
        other => Err(format!("stop: nothing is called {other:?}")),
    }
}

/// A day and a minute in UTC as milliseconds since 1970.
fn instant(text: &str) -> Option<Millis> {
    let (day, minute) = text.trim().split_once('T')?;
    let mut parts = day.split('-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let mut parts = minute.split(':').map(|part| part.parse::<i64>().ok());
    let (hours, minutes) = (parts.next()??, parts.next()??);
    if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) || !(0..24).contains(&hours) {
        return None;
    }
    // Days from civil: years that begin in March, eras of 400 of them.
    let shifted = if month > 2 { year } else { year - 1 };
    let of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
    let (era, of_era) = (shifted.div_euclid(400), shifted.rem_euclid(400));
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    let at = ((days * 24 + hours) * 60 + minutes) * 60_000;
    // What no calendar has comes out as another day or hour.
    time(at).starts_with(&format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}")).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_forms_are_those_of_the_calendar() {
        for at in [0, 951_782_400_000, 1_735_689_540_000, 1_795_888_800_000, 4_102_444_740_000] {
            assert_eq!(instant(&minute(at)), Some(at), "{}", minute(at));
        }
        for wrong in [
            "",
            "2026",
            "2026-02-30T10:00",
            "2026-13-01T10:00",
            "2026-01-01T24:00",
            "2026-01-01T10:60",
            "1969-01-01T00:00",
            "x-y-zT1:2",
        ] {
            assert_eq!(instant(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_a_form_shows_is_what_it_says() {
        for stop in [Stop::Never, Stop::GoodEnough, Stop::Clear, Stop::Votes(50), Stop::Date(1_795_888_801_234)] {
            assert_eq!(chosen(&typed(stop), stop), Ok(stop));
        }
        let of = |stop: &str, votes: &str, date: &str| {
            let (stop, votes, date) = (stop.to_owned(), votes.to_owned(), date.to_owned());
            chosen(&Typed { stop, votes, date }, Stop::Never)
        };
        assert_eq!(of("votes", " 7 ", "2026-01-01T00:00"), Ok(Stop::Votes(7)));
        assert!(of("votes", "", "").unwrap_err().contains("after how many"));
        assert!(of("date", "7", "").unwrap_err().contains("UTC"));
        assert!(of("soon", "", "").is_err());
    }
}
