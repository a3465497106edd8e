//! Long computations, each on a thread of its own that gives way to everybody who waits for an answer.

use std::thread;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Runs `work` on a thread that the system prefers every other one to, and returns what it found and the processor time
/// that it took; nothing if it panicked or no thread could be had.
///
/// Threads of the runtime's own pool would not do: they serve others afterwards, and who has given way may not take it
/// back.
pub async fn low_priority<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<(T, Duration)> {
    let (answer, answered) = oneshot::channel();
    let run = move || {
        system::give_way();
        let clock = system::Clock::start();
        let found = work();
        // Whoever asked may have gone away.
        let _ = answer.send((found, clock.elapsed()));
    };
    if let Err(error) = thread::Builder::new().name("low-priority".to_owned()).spawn(run) {
        tracing::warn!(%error, "there is no thread to think on");
        return None;
    }
    answered.await.ok()
}

pub use system::give_way;

/// What a computation costs that spreads over threads: min(time that passed, processor time of the whole program).
///
/// The time that passed alone would be many times too much for a thread that gives way on a busy machine.
pub struct Cost {
    began: Instant,
    processor: system::Clock,
}

impl Cost {
    /// Begins to count both times.
    #[must_use]
    pub fn start() -> Self {
        Self { began: Instant::now(), processor: system::Clock::of_all_threads() }
    }

    /// The cost since then.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.processor.elapsed().min(self.began.elapsed())
    }
}

#[cfg(target_os = "linux")]
mod system {
    use rustix::process::setpriority_process;
    use rustix::time::{ClockId, clock_gettime};
    use std::time::Duration;

    /// How nice: of two threads that want the same core, this one gets about a tenth.
    const NICE: i32 = 10;

    /// Lets every other thread go before this one, for the rest of its life. On Linux every thread has a priority of
    /// its own, and that of "no process" is this thread's.
    pub fn give_way() {
        if let Err(error) = setpriority_process(None, NICE) {
            tracing::debug!(%error, "a thread could not be made to give way");
        }
    }

    /// A clock of processor time.
    pub(super) struct Clock {
        of: ClockId,
        began: Duration,
    }

    impl Clock {
        /// That of this thread, from now on.
        pub(super) fn start() -> Self {
            Self::of(ClockId::ThreadCPUTime)
        }

        /// That of all threads of this program.
        pub(super) fn of_all_threads() -> Self {
            Self::of(ClockId::ProcessCPUTime)
        }

        fn of(of: ClockId) -> Self {
            Self { of, began: read(of) }
        }

        pub(super) fn elapsed(&self) -> Duration {
            read(self.of).saturating_sub(self.began)
        }
    }

    fn read(clock: ClockId) -> Duration {
        let time = clock_gettime(clock);
        Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::time::{Duration, Instant};

    /// Does nothing: here a priority would be the whole program's.
    pub fn give_way() {}

    /// The time that passes has to do.
    pub(super) struct Clock(Instant);

    impl Clock {
        pub(super) fn start() -> Self {
            Self(Instant::now())
        }

        pub(super) fn of_all_threads() -> Self {
            Self::start()
        }

        pub(super) fn elapsed(&self) -> Duration {
            self.0.elapsed()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_was_found_comes_back_with_what_it_took() {
        let work = || (0..3_000_000_u64).fold(1, |x, y| std::hint::black_box(x ^ y));
        let (found, took) = low_priority(work).await.unwrap();
        assert!(found > 0 && took > Duration::ZERO);
        assert!(low_priority(|| panic!("on purpose")).await.is_none());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_work_of_all_threads_costs_and_at_most_the_time_that_passed() {
        let (began, own) = (Instant::now(), system::Clock::start());
        let cost = Cost::start();
        let work = || (0..3_000_000_u64).fold(1, |x, y| std::hint::black_box(x ^ y));
        thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(work))));
        let found = cost.elapsed();
        assert!(found > own.elapsed() && found <= began.elapsed(), "{found:?}");
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn only_the_thread_aside_gives_way() {
        use rustix::process::getpriority_process;
        let own = getpriority_process(None).unwrap();
        let (there, _) = low_priority(|| getpriority_process(None).unwrap()).await.unwrap();
        assert!(there >= own.max(10) && getpriority_process(None).unwrap() == own, "{there} and {own}");
    }
}
