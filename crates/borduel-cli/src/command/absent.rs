//! What `serve` and `study` say in a build without live studies.

use borduel_lab::failure::Failure;
use clap::Args;
use std::ffi::OsString;

/// Any arguments: whatever was asked of live studies, the answer is how to have them.
#[derive(Debug, Args)]
#[command(disable_help_flag = true, disable_version_flag = true)]
pub(super) struct Studies {
    #[arg(hide = true, allow_hyphen_values = true, trailing_var_arg = true)]
    _asked: Vec<OsString>,
}

/// Why there are none, and how to have them.
pub(super) fn failure() -> Failure {
    Failure::Usage(
        "live studies are not in this build: they take a server and two databases. Build with `--features studies` \
         (`cargo run --profile studies --features studies -- serve`), or take a released borduel, which has them"
            .to_owned(),
    )
}
