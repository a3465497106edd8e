//! The binary `borduel`: all of it is in the library.

use std::process::ExitCode;

/// For the server: a vote takes an eighth less of the processor's time than with the C library's, and what a large study needed only
/// while it was read goes back to the system (docs/PERFORMANCE.md).
#[cfg(all(feature = "studies", unix))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    ExitCode::from(borduel_cli::main(std::env::args_os()))
}
