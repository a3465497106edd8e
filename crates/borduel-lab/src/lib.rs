//! Experiments as people keep them: files, journals and folders of results, and the project's own measurements.
//!
//! [`experiment`] plays what an experiment file asks for so that nothing finished is ever lost, without a word on the
//! terminal: the command line and Python both stand on it. [`paper`] has the experiments behind the documents of the
//! project and writes those documents. [`atomic_write`] is how both write files.

// A message that cannot be written must not end the program: everything goes through `stderr`.
#![warn(clippy::print_stderr, clippy::print_stdout)]

pub mod atomic_write;
pub mod curves;
pub mod experiment;
pub mod failure;
pub mod paper;
pub mod stderr;
mod wins;

pub use failure::Failure;
