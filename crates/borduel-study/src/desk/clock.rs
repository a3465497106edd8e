//! The time of a study, which never goes back and never stands still.

use crate::event::Millis;
use std::time::Instant;

/// How time passes for a study.
///
/// The time of an event is the system's. Where that lies before the last event, because the clock was ahead then, time
/// goes on from the last event at half its pace: open questions lapse all the same, and one day the system's clock has
/// caught up.
#[derive(Debug, Default)]
pub(super) struct Clock {
    /// Where the study is ahead of the system: the time that it goes on from, and since when it does.
    ahead: Option<(Millis, Instant)>,
}

impl Clock {
    /// The time of a study whose last event has this time, at a time of the system's clock and of one that only goes
    /// forward.
    pub(super) fn time(&mut self, last: Millis, (system, steady): (Millis, Instant)) -> Millis {
        if system >= last {
            self.ahead = None;
            return system;
        }
        let (from, since) = *self.ahead.get_or_insert((last, steady));
        let passed = i64::try_from(steady.saturating_duration_since(since).as_millis()).unwrap_or(i64::MAX);
        let now = from.saturating_add(passed / 2);
        if now < last {
            // Somebody else, whose clock is ahead of this one, has written.
            self.ahead = Some((last, steady));
        }
        now.max(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Event, Kind, Status};
    use crate::{Command, Settings, State, decide};
    use std::time::Duration;

    const DAY: Millis = 86_400_000;

    #[test]
    fn time_follows_the_system_and_after_a_jump_goes_on_until_it_does_again() {
        let (start, mut clock) = (Instant::now(), Clock::default());
        let mut last = 0;
        // A desk with an event every 3 ms of real time, whose system's clock is a day ahead for a while.
        let mut time = |real: Millis, ahead: Millis| {
            let steady = start + Duration::from_millis(real.unsigned_abs());
            let now = clock.time(last, (1_000_000 + real + ahead, steady));
            assert!(now >= last, "times never go back");
            last = now;
            now
        };
        assert_eq!(time(0, 0), 1_000_000);
        assert_eq!(time(3, DAY), 1_000_003 + DAY);
        for real in (6..=60_000).step_by(3) {
            time(real, 0);
        }
        assert_eq!(time(60_006, 0), 1_000_003 + DAY + 30_000, "half a minute in a minute, however many events");
        // After two days it is right again.
        assert_eq!(time(2 * DAY + 60_000, 0), 1_000_000 + 2 * DAY + 60_000);
    }

    #[test]
    fn whoever_writes_with_a_clock_that_is_ahead_stops_nobody() {
        let (start, mut clock) = (Instant::now(), Clock::default());
        let at = |real: u64| start + Duration::from_millis(real);
        assert_eq!(clock.time(500, (100, at(0))), 500);
        assert_eq!(clock.time(5_000, (1_000, at(900))), 5_000);
        assert_eq!(clock.time(5_000, (2_000, at(1_900))), 5_500);
    }

    #[test]
    fn questions_lapse_after_the_clock_was_ahead() {
        let (start, mut clock, mut state) = (Instant::now(), Clock::default(), State::default());
        let settings = Settings { ticket_seconds: 10, ..Settings::default() };
        state.apply(0, &Event::Created { settings, seed: 1 });
        let item = |key: &str| crate::command::Item {
            key: key.to_owned(),
            content: Vec::new(),
            features: Vec::new(),
            correction: false,
        };
        let join = crate::command::Join::new(Kind::Judge, [0; 32]);
        let mut run = |command: Command, real: Millis, ahead: Millis| {
            let steady = start + Duration::from_millis(real.unsigned_abs());
            let now = clock.time(state.at, (real + ahead, steady));
            decide(&mut state, &command, now).2.unwrap();
            state.open.len()
        };
        run(Command::Items(vec![item("a"), item("b")]), 0, 0);
        run(Command::Status(Status::Open), 1, DAY);
        run(Command::Join(join), 2, 0);
        assert_eq!(run(Command::Ask { voter: 0, count: 1 }, 3, 0), 1);
        assert_eq!(run(Command::Tick, 15_000, 0), 1);
        assert_eq!(run(Command::Tick, 25_000, 0), 0, "after twice its time at most");
    }
}
