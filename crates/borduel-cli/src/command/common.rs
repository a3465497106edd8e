//! The flags that all commands share that play experiments.

use crate::output::Format;
use borduel::{Experiment, Notion, PolicyConfig};
use borduel_lab::experiment::file::set;
use borduel_lab::failure::Failure;
use clap::Args;
use std::path::{Path, PathBuf};

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
    /// What regret is measured in: borda, borda-dynamic, borda-averaged, condorcet, condorcet-max, condorcet-min,
    /// copeland, utility; of several the first is the main one [default: borda, or the file's]
    #[arg(long = "regret", value_name = "A,B,…", value_delimiter = ',', value_parser = Notion::named)]
    pub(crate) regrets: Vec<Notion>,
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

/// Changes an experiment as the flags say.
pub(crate) fn apply(experiment: &mut Experiment, common: &Common) -> Result<(), Failure> {
    if !common.horizon.is_empty() {
        experiment.horizons.clone_from(&common.horizon);
    }
    if !common.regrets.is_empty() {
        experiment.regrets.clone_from(&common.regrets);
    }
    experiment.runs = common.runs.unwrap_or(experiment.runs);
    experiment.seed = common.seed.unwrap_or(experiment.seed);
    if !common.policies.is_empty() {
        let mut chosen = Vec::new();
        for name in &common.policies {
            let default = PolicyConfig::named(name).map_err(|error| Failure::Usage(format!("--policies: {error}")))?;
            let given: Vec<PolicyConfig> = experiment.policies.iter().filter(|p| p.name() == name).cloned().collect();
            if given.is_empty() { chosen.push(default) } else { chosen.extend(given) }
        }
        experiment.policies = chosen;
    }
    common.settings.iter().try_for_each(|setting| set(&mut experiment.policies, setting))
}

/// The flags that change the results, as they would be written.
pub(crate) fn flags(common: &Common) -> String {
    let list = |values: Vec<String>| if values.is_empty() { None } else { Some(values.join(",")) };
    let horizons = list(common.horizon.iter().map(u64::to_string).collect());
    let single = [
        ("horizon", horizons),
        ("runs", common.runs.map(|runs| runs.to_string())),
        ("seed", common.seed.map(|seed| seed.to_string())),
        ("policies", list(common.policies.clone())),
        ("regret", list(common.regrets.iter().map(|notion| notion.name().to_owned()).collect())),
    ];
    let settings = common.settings.iter().map(|setting| ("set", Some(setting.clone())));
    let flag = |(name, value): (&str, Option<String>)| Some(format!(" --{name} {}", quoted(&value?)));
    single.into_iter().chain(settings).filter_map(flag).collect()
}

/// The `--set` that an error is about, if it is about one.
pub(crate) fn set_by(common: &Common, error: &borduel::Error) -> Option<String> {
    let borduel::Error::Setting { name, .. } = error else { return None };
    let key = |setting: &&String| setting.split(['.', '=']).nth(1) == Some(&**name);
    common.settings.iter().rev().find(key).map(|setting| format!("--set {setting}"))
}

/// A word as a shell reads it.
pub(crate) fn quoted(word: &str) -> String {
    let harmless = |c: char| c.is_alphanumeric() || "-_./:=,+%@".contains(c);
    if !word.is_empty() && word.chars().all(harmless) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// How many threads to use.
pub(crate) fn threads(common: &Common) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    common.jobs.map_or_else(cores, |jobs| jobs as usize)
}

/// Where the results of an experiment go: as said, or a place of its own.
pub(crate) fn place(common: &Common, name: &str, fingerprint: &str) -> PathBuf {
    let safe = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let name: String = name.trim_start_matches('.').chars().map(safe).collect();
    let short = &fingerprint[..8.min(fingerprint.len())];
    common.out.clone().unwrap_or_else(|| Path::new("borduel-out").join(format!("{name}-{short}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        for (word, said) in
            [("a-b.toml", "a-b.toml"), ("", "''"), ("a b", "'a b'"), ("it's", "'it'\\''s'"), ("$x", "'$x'")]
        {
            assert_eq!(quoted(word), said);
        }
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
