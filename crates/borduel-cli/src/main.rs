//! The binary `borduel`: all of it is in the library.

use std::process::ExitCode;
// Linked in place of the C library's allocator, for the server: a vote takes an eighth less of the processor's time,
// and what a large study needed only while it was read goes back to the system (docs/PERFORMANCE.md).
#[cfg(all(feature = "studies", unix))]
use tikv_jemallocator as _;

fn main() -> ExitCode {
    ExitCode::from(borduel_cli::main(std::env::args_os()))
}
