//! CPU seconds of a thread and of the whole program, which a busy machine does not distort.

/// A clock that runs while this thread, or this program on all of its threads, does.
pub(super) struct Clock {
    which: Which,
    start: f64,
}

#[derive(Clone, Copy)]
enum Which {
    Thread,
    Program,
}

impl Clock {
    /// Of this thread.
    pub(super) fn of_thread() -> Self {
        Self { which: Which::Thread, start: now(Which::Thread) }
    }

    /// Of this program.
    pub(super) fn of_program() -> Self {
        Self { which: Which::Program, start: now(Which::Program) }
    }

    /// Since the start.
    pub(super) fn seconds(&self) -> f64 {
        now(self.which) - self.start
    }
}

#[cfg(unix)]
fn now(which: Which) -> f64 {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(match which {
        Which::Thread => ClockId::ThreadCPUTime,
        Which::Program => ClockId::ProcessCPUTime,
    });
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Where no such clocks are in safe reach, the time that passes has to do.
#[cfg(not(unix))]
fn now(_: Which) -> f64 {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_run_forward() {
        let (thread, program) = (Clock::of_thread(), Clock::of_program());
        let busy: f64 = (0..1_000_000).map(|x| f64::from(x).sqrt()).sum();
        assert!(busy > 0.0 && thread.seconds() > 0.0);
        assert!(program.seconds() >= thread.seconds() - 0.01);
    }
}
