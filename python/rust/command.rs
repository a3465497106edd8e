//! The command `borduel`: the same code as the binary's.

use pyo3::prelude::*;
use std::ffi::OsString;

/// Does what these arguments say, the program's name being the first of them, and returns the exit code.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| borduel_cli::main(arguments))
}
