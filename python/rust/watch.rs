//! Long work that others do not have to wait for: other threads of Python run, Ctrl-C is heard, and progress is told.

use borduel::stop::heeding;
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How often signals are looked for; the first look comes sooner, so that short work does not wait.
pub(crate) const TICK: Duration = Duration::from_millis(50);

/// Does some work on a thread of its own, and gives it up on Ctrl-C.
pub(crate) fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    watched(py, |stop| heeding(stop, work))?.ok_or_else(stopped)
}

/// The same for work that hands the flag on to where it computes: on a thread, the flag is that thread's.
pub(crate) fn watched<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Arc<AtomicBool>) -> T + Send + 'static,
) -> PyResult<T> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    let waited = on_own_thread(py, move || work(&flag));
    if waited.is_err() {
        stop.store(true, Ordering::Relaxed);
    }
    waited
}

/// Who stopped work is not waiting for it; this is for whoever asks all the same.
pub(crate) fn stopped() -> PyErr {
    PyKeyboardInterrupt::new_err("stopped")
}

/// Does some work on a thread of its own, to its end: on Ctrl-C nobody waits for it any longer.
pub(crate) fn on_own_thread<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (send, receive) = sync_channel(1);
    let thread = std::thread::Builder::new().name("borduel".to_owned());
    // Whoever has stopped waiting does not take the result.
    thread.spawn(move || drop(send.send(work()))).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    let receive = Mutex::new(receive);
    loop {
        let received = py.detach(|| receive.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(TICK));
        match received {
            Ok(done) => return Ok(done),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("internal error: the work was not finished; please report this"));
            }
        }
    }
}

/// Somebody who is told how many of so many rounds have been played, and may stop it: by Ctrl-C, or by an exception.
pub(crate) struct Watch {
    progress: Option<Py<PyAny>>,
    total: u64,
    trouble: Mutex<Option<PyErr>>,
    pub(crate) stop: AtomicBool,
}

impl Watch {
    pub(crate) fn new(progress: Option<Py<PyAny>>, total: u64) -> Self {
        Self { progress, total, trouble: Mutex::new(None), stop: AtomicBool::new(false) }
    }

    /// Looks for signals and tells how far it is.
    pub(crate) fn tick(&self, rounds: u64) {
        let looked = Python::attach(|py| {
            py.check_signals()?;
            self.progress.as_ref().map_or(Ok(()), |told| told.call1(py, (rounds, self.total)).map(drop))
        });
        if let Err(error) = looked {
            self.fail(error);
        }
    }

    /// Stops everything for this reason; the first one counts.
    pub(crate) fn fail(&self, error: PyErr) {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Why it was stopped.
    pub(crate) fn trouble(&self) -> Option<PyErr> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
