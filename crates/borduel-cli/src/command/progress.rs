//! A progress bar on standard error, and Ctrl-C.

use borduel_report::numbers::rate;
use borduel_report::plain;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt::Write;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Set when somebody wants the program to stop.
static STOP: AtomicBool = AtomicBool::new(false);

/// A flag that Ctrl-C, or a polite kill, sets from now on, so that no further rounds are begun; a second one stops at
/// once.
pub(super) fn heed_interrupts() -> &'static AtomicBool {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Where no handler can be set, the journal still keeps what is finished.
        let _ = ctrlc::set_handler(|| {
            if STOP.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        });
    });
    &STOP
}

/// A bar of so many rounds, if standard error is a terminal.
pub(super) fn bar(name: &str, rounds: u64, quiet: bool) -> ProgressBar {
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(Some(rounds), target);
    if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {percent:>3} %  {speed}  {eta} left") {
        // A bar that cannot be written is not worth an error.
        let speed = |state: &ProgressState, out: &mut dyn Write| {
            let _ = write!(out, "{} rounds", rate(state.per_sec()));
        };
        bar.set_style(style.with_key("speed", speed));
    }
    bar.set_message(plain(name).into_owned());
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
