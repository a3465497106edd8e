//! The log on standard error: lines are gathered and written by a thread of their own, so that nobody who votes waits
//! for a disk or for whoever reads them.

use crate::config::{Log, LogFormat};
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use tracing_subscriber::fmt::MakeWriter;

/// How long lines are gathered. The first one after a pause is written at once.
const GATHER: Duration = Duration::from_millis(20);
/// How long the end waits for what is not written.
const PATIENCE: Duration = Duration::from_secs(1);
/// The most bytes that wait to be written; lines beyond are counted instead.
const MOST: usize = 1 << 20;

/// Where lines go. Copies are the same.
#[derive(Clone, Default)]
pub(crate) struct Lines(Arc<Gathered>);

#[derive(Default)]
struct Gathered {
    waiting: Mutex<Waiting>,
    some: Condvar,
    /// Told when everything is written.
    none: Condvar,
}

#[derive(Default)]
struct Waiting {
    text: Vec<u8>,
    lost: u64,
    /// Whether something is being written.
    writing: bool,
}

/// Whatever panicked left whole lines.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Lines {
    /// Waits until everything is written, but not for ever: whoever reads the log may have stopped to. Whether it was.
    pub(crate) fn finish(&self) -> bool {
        let unwritten = |waiting: &mut Waiting| waiting.writing || !waiting.text.is_empty();
        let waited = self.0.none.wait_timeout_while(lock(&self.0.waiting), PATIENCE, unwritten);
        waited.is_ok_and(|(_, time)| !time.timed_out())
    }

    fn write_to(&self, out: &mut impl Write) {
        let (text, lost) = {
            let mut waiting = lock(&self.0.waiting);
            waiting.writing = true;
            (std::mem::take(&mut waiting.text), std::mem::take(&mut waiting.lost))
        };
        // A log that nobody takes is no reason to end.
        let _ = out.write_all(&text).and_then(|()| out.flush());
        lock(&self.0.waiting).writing = false;
        self.0.none.notify_all();
        if lost > 0 {
            tracing::warn!(lines = lost, "the log came faster than it could be written: lines are missing");
        }
    }

    fn add(&self, line: &[u8]) {
        let mut waiting = lock(&self.0.waiting);
        if waiting.text.len() + line.len() > MOST {
            waiting.lost += 1;
            return;
        }
        let first = waiting.text.is_empty();
        waiting.text.extend_from_slice(line);
        drop(waiting);
        if first {
            self.0.some.notify_one();
        }
    }

    /// Writes for ever.
    fn work(&self) {
        loop {
            let empty = |waiting: &mut Waiting| waiting.text.is_empty();
            drop(self.0.some.wait_while(lock(&self.0.waiting), empty).unwrap_or_else(PoisonError::into_inner));
            self.write_to(&mut io::stderr());
            thread::sleep(GATHER);
        }
    }
}

impl Write for &Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.add(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = &'a Self;

    fn make_writer(&'a self) -> Self::Writer {
        self
    }
}

/// Writes what waits when it goes.
pub(crate) struct Started(pub(crate) Lines);

impl Drop for Started {
    fn drop(&mut self) {
        self.0.finish();
    }
}

/// Starts the log. A second server in one process keeps the first one's.
pub(crate) fn start(log: Log, format: LogFormat) -> io::Result<Started> {
    let lines = Lines::default();
    let level = match log {
        Log::Off => tracing::Level::WARN,
        Log::Requests => tracing::Level::INFO,
    };
    let builder = tracing_subscriber::fmt().with_max_level(level).with_writer(lines.clone()).with_target(false);
    let set = match format {
        LogFormat::Text => tracing::subscriber::set_global_default(builder.with_ansi(false).finish()),
        LogFormat::Json => tracing::subscriber::set_global_default(builder.json().finish()),
    };
    if set.is_ok() {
        let lines = lines.clone();
        thread::Builder::new().name("log".to_owned()).spawn(move || lines.work())?;
    }
    Ok(Started(lines))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_order_and_do_not_pile_up() {
        let lines = Lines::default();
        (0..5).for_each(|line| lines.add(format!("{line}\n").as_bytes()));
        let mut out = Vec::new();
        lines.write_to(&mut out);
        assert_eq!(out, b"0\n1\n2\n3\n4\n");
        (0..2_000).for_each(|_| lines.add(&[b'x'; 1_000]));
        assert_eq!(lock(&lines.0.waiting).lost, 2_000 - (MOST / 1_000) as u64);
        lines.write_to(&mut io::sink());
        lines.add(b"again");
        lines.write_to(&mut out);
        assert!(out.ends_with(b"again"));
        assert!(lines.finish(), "nothing waits");
        lines.add(b"nobody writes this");
        assert!(!lines.finish(), "it does not wait for ever");
    }
}
