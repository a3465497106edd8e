//! The command line: what can be asked for, and what is refused at once.

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::path::PathBuf;

/// Which of these is best, when all one can ask is "this one or that one?"
#[derive(Debug, Parser)]
#[command(name = "borduel", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = "Exit codes: 0 done, 1 internal error, 2 wrong usage, 3 bad data, 4 no clear winner \
    (rank --require-winner), 130 interrupted.")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Reproduce the experiments of the paper, with its settings unless told otherwise
    Reproduce(Reproduce),
    /// Run an experiment file of your own
    Run(Run),
    /// Rank items from a file of votes: scores with intervals, a verdict, and checks
    Rank(crate::rank::Rank),
    /// Choose which pairs to ask next, and say what precision that will buy
    Design(crate::design::Design),
    /// Print a completion script for your shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page (roff)
    Man,
}

/// What to reproduce.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum What {
    /// The paper's hard instance (its first figure)
    Hard,
    /// A crowd's votes on historical events (its second figure)
    Eventtime,
    /// A parameter that changes over time
    Adversarial,
    /// How regret grows with T and with d, beside the theory's exponents
    Scaling,
    /// All of these
    All,
    /// The reproduction study: REPRODUCTION.md and its figures, claims and open choices included
    Study,
    /// What the paper does not have: BEYOND.md and its figures
    Beyond,
}

/// Where the crowd's answers come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Answers {
    /// The shares of votes themselves, which the model cannot express (the paper's appendix)
    Empirical,
    /// The model fitted to them (the paper's main text)
    Recovered,
}

#[derive(Debug, Args)]
pub(crate) struct Reproduce {
    /// What to reproduce
    #[arg(value_enum, default_value = "hard")]
    pub(crate) what: What,
    #[command(flatten)]
    pub(crate) common: Common,
    /// hard, scaling: 2^(d+1) items in d+1 dimensions [default: 6]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=14), help_heading = "Instances")]
    pub(crate) d: Option<u32>,
    /// hard, scaling: the gap Δ between neighbouring items [default: 1/(4d)]
    #[arg(long, value_name = "Δ", help_heading = "Instances")]
    pub(crate) gap: Option<f64>,
    /// eventtime: a CSV file with columns winner,loser or left,right,winner; a simulated crowd without it
    #[arg(long, value_name = "FILE", help_heading = "Instances")]
    pub(crate) votes: Option<PathBuf>,
    /// eventtime: where answers come from [default: recovered]
    #[arg(long, value_enum, help_heading = "Instances")]
    pub(crate) responses: Option<Answers>,
    /// adversarial: switching, rotating or drifting [default: switching]
    #[arg(long, help_heading = "Instances")]
    pub(crate) kind: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The experiment file (TOML)
    #[arg(required_unless_present = "example", value_name = "FILE.toml")]
    pub(crate) file: Option<PathBuf>,
    /// Print a commented experiment file to start from, and do nothing else
    #[arg(long, conflicts_with = "file")]
    pub(crate) example: bool,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// How the results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Columns for people
    Table,
    /// One JSON object
    Json,
    /// One row for every environment, horizon and policy
    Csv,
    /// Markdown
    Md,
}

#[derive(Debug, Args)]
pub(crate) struct Common {
    /// Rounds T, one or several (1000000, 1e6 and 1e4,1e5,1e6 are understood) [default: 1e6, or the file's]
    #[arg(long, value_name = "T", value_parser = count, value_delimiter = ',')]
    pub(crate) horizon: Vec<u64>,
    /// Replications of everything [default: 50 (beyond: 20 to 2000), or the file's]
    #[arg(long, value_name = "N", value_parser = count)]
    pub(crate) runs: Option<u64>,
    /// Where all random numbers come from [default: 1, or the file's]
    #[arg(long, value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub(crate) seed: Option<u64>,
    /// How many threads work; the results do not depend on it [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub(crate) jobs: Option<u64>,
    /// Which policies, by name [default: the paper's six, or the file's]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    pub(crate) policies: Vec<String>,
    /// A policy's setting, such as bexp3.lambda0=exact; may be given several times
    #[arg(long = "set", value_name = "POLICY.KEY=VALUE")]
    pub(crate) settings: Vec<String>,
    /// Where report, results and pictures go (unless given: `borduel-out/<name>-<fingerprint>`)
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Overwrite an --out that holds another experiment
    #[arg(long)]
    pub(crate) force: bool,
    /// How results are printed on standard output
    #[arg(long, value_enum, default_value = "table")]
    pub(crate) format: Format,
    /// No progress and no messages, errors excepted
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// A positive whole number, as `1000000`, `1_000_000` or `1e6`.
fn count(text: &str) -> Result<u64, String> {
    let plain: String = text.chars().filter(|c| *c != '_').collect();
    let number = match plain.split_once(['e', 'E']) {
        Some((digits, power)) => {
            let (digits, power): (u64, u32) = (digits.parse().map_err(|_| WHOLE)?, power.parse().map_err(|_| WHOLE)?);
            10_u64.checked_pow(power).and_then(|tens| digits.checked_mul(tens)).ok_or("it is too large")?
        }
        None => plain.parse().map_err(|_| WHOLE)?,
    };
    match number {
        0 => Err("it must be at least 1".to_owned()),
        // Experiment files hold signed 64-bit numbers.
        n if n > i64::MAX as u64 => Err("it is too large".to_owned()),
        n => Ok(n),
    }
}

const WHOLE: &str = "it must be a whole number, such as 1000000 or 1e6";

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn counts_are_read_as_people_write_them() {
        for (text, number) in [("7", 7), ("1_000", 1000), ("3e4", 30_000), ("1E6", 1_000_000)] {
            assert_eq!(count(text), Ok(number));
        }
        for text in ["0", "-1", "1.5", "1e99", "", "e", "99999999999999999999", "18446744073709551615"] {
            assert!(count(text).is_err(), "{text}");
        }
    }
}
