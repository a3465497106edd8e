//! Long computations that nobody may want any more.
//!
//! Whoever starts one hands over a flag ([`heeding`]). The longest loops look at it each time round (`Stop::look`), and
//! once it is set they are left as by a panic, though without its message, up to `heeding`: nothing in between has to
//! pass an error on, and whoever gives no flag pays a look at a thread's own variable. What was computed is lost, so
//! that no state may be changed on the way.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    /// The flag of what this thread computes.
    static FLAG: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// What a stopped computation is left with.
struct Stopped;

/// Computes something that is given up once the flag is set; `None` if it was.
pub fn heeding<T>(flag: &Arc<AtomicBool>, work: impl FnOnce() -> T) -> Option<T> {
    let before = FLAG.replace(Some(flag.clone()));
    // What `work` has changed halfway goes with it.
    let done = catch_unwind(AssertUnwindSafe(work));
    FLAG.set(before);
    match done {
        Ok(done) => Some(done),
        Err(why) if why.is::<Stopped>() => None,
        Err(panic) => resume_unwind(panic),
    }
}

/// A flag to look at, for loops whose turns are on other threads.
#[derive(Clone)]
pub struct Stop(Option<Arc<AtomicBool>>);

impl Stop {
    /// The flag of what this thread computes.
    pub fn here() -> Self {
        Self(FLAG.with_borrow(Clone::clone))
    }

    /// Leaves the computation if it is to be stopped.
    pub fn check(&self) {
        if self.0.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            resume_unwind(Box::new(Stopped));
        }
    }
}

/// The same for a loop on this thread.
pub fn check() {
    FLAG.with_borrow(|flag| {
        if flag.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            resume_unwind(Box::new(Stopped));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;

    #[test]
    fn a_loop_is_left_on_this_thread_and_on_others() {
        let flag = Arc::new(AtomicBool::new(false));
        assert_eq!(heeding(&flag, || (0..9).inspect(|_| check()).count()), Some(9));
        let forever = heeding(&flag, || {
            for turn in 0_u64.. {
                check();
                flag.store(turn > 5, Ordering::Relaxed);
            }
        });
        assert_eq!(forever, None);
        flag.store(false, Ordering::Relaxed);
        let apart = heeding(&flag, || {
            let stop = Stop::here();
            (0..64).into_par_iter().for_each(|_| {
                loop {
                    stop.check();
                    flag.store(true, Ordering::Relaxed);
                }
            });
        });
        assert_eq!(apart, None);
        // Nobody's flag is nobody's business.
        check();
        Stop::here().check();
    }

    #[test]
    fn a_panic_stays_one() {
        let flag = Arc::new(AtomicBool::new(false));
        let seen = catch_unwind(AssertUnwindSafe(|| heeding(&flag, || resume_unwind(Box::new("mine")))));
        assert_eq!(seen.err().and_then(|why| why.downcast::<&str>().ok()).as_deref(), Some(&"mine"));
    }
}
