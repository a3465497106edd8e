//! Messages on standard error.

use borduel_report::plain;
use std::io::{self, Write};

/// Says a line on standard error; nothing in it can act on a terminal. That nobody can hear it (closed, or a full disk)
/// is no fault.
pub fn write_line(line: &str) {
    let _ = io::stderr().write_all(format!("{}\n", plain(line)).as_bytes());
}
