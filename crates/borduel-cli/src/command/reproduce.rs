//! `borduel reproduce`: the paper's experiments, with its settings unless told otherwise.

use super::common::{Common, apply, flags, place, quoted};
use super::perform::{perform, prepared, says};
use crate::output::results::PlayedResults;
use crate::output::{Format, print, show};
use crate::votes::model::with_jobs;
use borduel::environment::adversarial::Path as Movement;
use borduel::environment::crowd::Responses;
use borduel::experiment::{EnvironmentConfig, FeatureConfig};
use borduel::{Experiment, Link};
use borduel_lab::experiment::fingerprint;
use borduel_lab::experiment::folder::Folder;
use borduel_lab::experiment::prepare::Prepared;
use borduel_lab::failure::Failure;
use borduel_lab::paper::scaling::{self, Exponent};
use borduel_lab::paper::{adversarial, beyond, fewest, peers, reproduction, worlds};
use borduel_lab::stderr::write_line;
use borduel_report::experiment::{Chapter, page};
use clap::{Args, ValueEnum};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// What to reproduce.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// The paper's hard instance (its first figure)
    Hard,
    /// A crowd's votes on historical events (its second figure)
    Eventtime,
    /// What safety costs, and who follows: nothing changes, answers are turned round, the best item moves:
    /// ADVERSARIAL.md (T = 10⁵ and 10⁶, 20 runs unless told otherwise). With --kind: one parameter that moves
    Adversarial,
    /// How regret grows with T and with d, beside the theory's exponents
    Scaling,
    /// All of these
    All,
    /// The reproduction study: REPRODUCTION.md and its figures, claims and open choices included
    Study,
    /// What the paper does not have: BEYOND.md and its figures
    Beyond,
    /// Everybody's policies on everybody's instances: PEERS.md (T = 10⁵ and 10⁶, 100 runs unless told otherwise)
    Peers,
    /// Votes until one may say "this one": FEWEST.md and its figure (200 runs unless told otherwise)
    Fewest,
    /// The adaptive policy beside all of the paper's in 200 random worlds: WORLDS.md and its figure (20 runs of each,
    /// at most 10⁶ rounds, unless told otherwise)
    Worlds,
}

/// Where the crowd's answers come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Answers {
    /// The shares of votes themselves, which the model cannot express (the paper's appendix)
    Empirical,
    /// The model fitted to them (the paper's main text)
    Recovered,
}

#[derive(Debug, Args)]
pub(crate) struct Reproduce {
    /// What to reproduce
    #[arg(value_enum, default_value = "hard")]
    what: What,
    #[command(flatten)]
    common: Common,
    /// hard, scaling: 2^(d+1) items in d+1 dimensions [default: 6]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=14), help_heading = "Instances")]
    d: Option<u32>,
    /// hard, scaling: the gap Δ between neighbouring items [default: 1/(4d)]
    #[arg(long, value_name = "Δ", help_heading = "Instances")]
    gap: Option<f64>,
    /// eventtime: a CSV file with columns winner,loser or left,right,winner; a simulated crowd without it. fewest: any
    /// file that rank reads, for a further world that is fitted to it
    #[arg(long, value_name = "FILE", help_heading = "Instances")]
    votes: Option<PathBuf>,
    /// eventtime: where answers come from [default: recovered]
    #[arg(long, value_enum, help_heading = "Instances")]
    responses: Option<Answers>,
    /// fewest: only the worlds whose names contain this
    #[arg(long, value_name = "TEXT", help_heading = "Instances")]
    only: Option<String>,
    /// fewest: only this way of asking, as the table names it
    #[arg(long, value_name = "TEXT", help_heading = "Instances")]
    way: Option<String>,
    /// adversarial: only a parameter that is switching, rotating or drifting, with the paper's policies. all:
    /// which of them [default: switching]
    #[arg(long, help_heading = "Instances")]
    kind: Option<String>,
    /// peers: a Python that has duelpy 1.0.0, to be timed beside
    #[arg(long, value_name = "PYTHON", help_heading = "Instances")]
    duelpy: Option<PathBuf>,
    /// peers: a copy of the C++ library of RMED's authors, to be compiled and timed beside
    #[arg(long, value_name = "FOLDER", help_heading = "Instances")]
    duelingbanditlib: Option<PathBuf>,
}

/// Runs what is asked for.
pub(crate) fn main(arguments: &Reproduce) -> Result<(), Failure> {
    check(arguments)?;
    let (common, name) = (&arguments.common, word(arguments.what));
    let command = command(arguments);
    if arguments.what == What::Fewest {
        return fewest(arguments, &command);
    }
    if arguments.what == What::Worlds {
        return worlds(arguments, &command);
    }
    let experiments = experiments(arguments)?;
    let prepared = experiments
        .iter()
        .map(|experiment| prepared(experiment, common).map_err(|error| blame(arguments, experiment, &error)))
        .collect::<Result<Vec<Prepared>, Failure>>()?;
    let prints = prepared.iter().map(Prepared::fingerprint).collect::<Result<Vec<String>, _>>();
    let prints = prints.map_err(|error| Failure::from_command(&error))?;
    let whole = if let [only] = prints.as_slice() {
        only.clone()
    } else {
        format!("{:016x}", fingerprint(prints.concat().as_bytes()))
    };
    let path = place(common, &name, &whole);
    let single = prepared.len() == 1;
    // First, since it may fail: what is played takes longer.
    let others = peers::Others::timed(arguments.duelpy.as_deref(), arguments.duelingbanditlib.as_deref())?;
    let mut played = Vec::new();
    for (experiment, prepared) in experiments.iter().zip(prepared) {
        let path = if single { path.clone() } else { path.join(&experiment.name) };
        played.push(perform(prepared, &path, common, &command)?);
    }
    let exponents = scaling::exponents(&played);
    let shown = PlayedResults { name: &name, played: played.iter().collect(), exponents: &exponents };
    if !single {
        bundle(&shown, &path)?;
    }
    if arguments.what == What::Study {
        reproduction::write(&shown.played, &exponents, &command, &Folder::open(&path)?)?;
    }
    if arguments.what == What::Beyond {
        beyond::write(&shown.played, &command, &Folder::open(&path)?)?;
    }
    if compares_adversaries(arguments) {
        adversarial::write(&shown.played, &command, &Folder::open(&path)?)?;
    }
    if arguments.what == What::Peers {
        peers::write(&shown.played, &command, &others, &Folder::open(&path)?)?;
    }
    show(&shown, common.format, common.quiet)?;
    says(common, &shown, &path);
    Ok(())
}

/// Plays to the verdict instead of a horizon: no experiment of the other kind.
fn fewest(arguments: &Reproduce, command: &str) -> Result<(), Failure> {
    let common = &arguments.common;
    let folder = Folder::open(&place(common, "fewest", &format!("{:016x}", fingerprint(command.as_bytes()))))?;
    let (runs, seed) = (common.runs.unwrap_or(200), common.seed.unwrap_or(1));
    let (votes, only) = (arguments.votes.as_deref(), arguments.only.as_deref().unwrap_or(""));
    let way = arguments.way.as_deref();
    let request = fewest::Request { runs, seed, votes, only, way, command, quiet: common.quiet };
    let text = with_jobs(common.jobs, || fewest::write(&request, &folder))??;
    print(text.as_bytes())?;
    if !common.quiet {
        write_line(&format!("FEWEST.md and its figure are in {}", folder.path().display()));
    }
    Ok(())
}

/// Every world has a horizon of its own: no experiment of the other kind.
fn worlds(arguments: &Reproduce, command: &str) -> Result<(), Failure> {
    let common = &arguments.common;
    let folder = Folder::open(&place(common, "worlds", &format!("{:016x}", fingerprint(command.as_bytes()))))?;
    let (runs, seed) = (common.runs.unwrap_or(20), common.seed.unwrap_or(1));
    let horizon = common.horizon.first().copied().unwrap_or(1_000_000);
    let request = worlds::Request { runs, seed, horizon, command, quiet: common.quiet };
    let text = with_jobs(common.jobs, || worlds::write(&request, &folder))??;
    print(text.as_bytes())?;
    if !common.quiet {
        write_line(&format!("WORLDS.md and its figure are in {}", folder.path().display()));
    }
    Ok(())
}

/// Whose fault an error is: the votes', or, where no file is read, the command line's.
fn blame(arguments: &Reproduce, experiment: &Experiment, error: &borduel::Error) -> Failure {
    let reads = |e: &EnvironmentConfig| matches!(e, EnvironmentConfig::Crowd { votes: Some(_), .. });
    if experiment.environments.iter().any(reads) {
        return Failure::from_command(error);
    }
    let gap = |e: &EnvironmentConfig| matches!(e, EnvironmentConfig::Hard { gap: Some(_), .. });
    match arguments.gap.filter(|_| experiment.environments.iter().any(gap)) {
        Some(gap) if !matches!(error, borduel::Error::Setting { .. }) => {
            Failure::Usage(format!("--gap {gap}: {error}"))
        }
        _ => Failure::Usage(error.to_string()),
    }
}

/// Writes the files of several experiments together.
fn bundle(shown: &PlayedResults, path: &Path) -> Result<(), Failure> {
    let folder = Folder::open(path)?;
    let mut extra = Vec::new();
    if !shown.exponents.is_empty() {
        let json = serde_json::to_vec(&Exponents { version: 1, exponents: shown.exponents });
        folder.write("exponents.json", &json.map_err(|error| Failure::Internal(error.to_string()))?)?;
        let figure = scaling::figure(&shown.played, shown.exponents);
        folder.write("scaling.svg", figure.standalone().as_bytes())?;
        folder.write("scaling.png", &figure.png().map_err(|error| Failure::Internal(error.to_string()))?)?;
        extra.push(scaling::section(figure, shown.exponents));
    }
    let chapters: Vec<Chapter> = shown.played.iter().map(|played| played.chapter()).collect();
    folder.write("report.html", page(shown.name, &chapters, &extra).as_bytes())
}

#[derive(serde::Serialize)]
struct Exponents<'a> {
    version: u32,
    exponents: &'a [Exponent],
}

/// Whether the whole comparison is meant, and not a single parameter that moves.
fn compares_adversaries(arguments: &Reproduce) -> bool {
    arguments.what == What::Adversarial && arguments.kind.is_none()
}

/// Refuses flags that would not do anything.
fn check(arguments: &Reproduce) -> Result<(), Failure> {
    use What::{Adversarial, All, Beyond, Eventtime, Fewest, Hard, Peers, Scaling, Study, Worlds};
    let Reproduce { what, d, gap, votes, responses, only, way, kind, duelpy, duelingbanditlib, common } = arguments;
    let fixed = matches!(what, Study | Beyond | Worlds);
    if fixed && !(common.policies.is_empty() && common.settings.is_empty() && common.horizon.len() < 2) {
        let reason = format!(
            "{} has policies of its own and one horizon: leave out --policies, --set and further horizons",
            word(*what)
        );
        return Err(Failure::Usage(reason));
    }
    let compares = *what == Peers || compares_adversaries(arguments);
    if compares && !(common.policies.is_empty() && common.settings.is_empty()) {
        let more = if *what == Peers { "" } else { ", or choose one world with --kind" };
        let reason = format!("{} has policies of its own: leave out --policies and --set{more}", word(*what));
        return Err(Failure::Usage(reason));
    }
    if (compares || matches!(what, Beyond | Fewest | Worlds)) && !common.regrets.is_empty() {
        let reason = format!("{} has notions of regret of its own: leave out --regret", word(*what));
        return Err(Failure::Usage(reason));
    }
    let least = adversarial::LEAST_ROUNDS;
    if compares_adversaries(arguments) && common.horizon.iter().any(|horizon| *horizon < least) {
        let reason = format!("adversarial turns a fiftieth of all answers round: --horizon {least} or more");
        return Err(Failure::Usage(reason));
    }
    if *what == Fewest && !(common.horizon.is_empty() && common.policies.is_empty() && common.settings.is_empty()) {
        let reason = "fewest plays every way to its verdict: leave out --horizon, --policies and --set";
        return Err(Failure::Usage(reason.to_owned()));
    }
    if matches!(what, Fewest | Worlds) && (common.force || matches!(common.format, Format::Json | Format::Csv)) {
        let reason = format!("{} makes a document: leave out --force, and --format unless it is md", word(*what));
        return Err(Failure::Usage(reason));
    }
    if *what == Worlds && (common.runs.is_some_and(|runs| runs < 2) || common.horizon.first().is_some_and(|t| *t < 100))
    {
        let reason =
            "worlds compares means and their errors over at least 100 rounds: --runs 2 or more, --horizon 100 or more";
        return Err(Failure::Usage(reason.to_owned()));
    }
    for (flag, given, at) in [
        ("--d", d.is_some(), &[Hard, Scaling, All][..]),
        ("--gap", gap.is_some(), &[Hard, Scaling, All]),
        ("--votes", votes.is_some(), &[Eventtime, All, Study, Beyond, Fewest]),
        ("--responses", responses.is_some(), &[Eventtime, All]),
        ("--only", only.is_some(), &[Fewest]),
        ("--way", way.is_some(), &[Fewest]),
        ("--kind", kind.is_some(), &[Adversarial, All]),
        ("--duelpy", duelpy.is_some(), &[Peers]),
        ("--duelingbanditlib", duelingbanditlib.is_some(), &[Peers]),
    ] {
        if given && !at.contains(what) {
            let places: Vec<String> = at.iter().map(|what| word(*what)).collect();
            let reason = format!("{flag} does nothing for {}: it belongs to {}", word(*what), places.join(", "));
            return Err(Failure::Usage(reason));
        }
    }
    Ok(())
}

/// A value of the command line as it is written there.
fn word<V: ValueEnum + Copy>(value: V) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// The experiments that were asked for, with all flags applied.
fn experiments(arguments: &Reproduce) -> Result<Vec<Experiment>, Failure> {
    let named = |name: &str, environment| Experiment::new(name, vec![environment], Experiment::paper_policies());
    let (d, gap) = (arguments.d.unwrap_or(6), arguments.gap);
    let hard = || named("hard", EnvironmentConfig::Hard { d, gap });
    let eventtime = || {
        let votes = arguments.votes.as_ref().map(|path| path.display().to_string());
        let responses = match arguments.responses {
            Some(Answers::Empirical) => Responses::Empirical,
            Some(Answers::Recovered) | None => Responses::Recovered,
        };
        named("eventtime", EnvironmentConfig::Crowd { votes, responses, dim: 5, assignments: 100 })
    };
    let moving = || {
        let path = Movement::named(arguments.kind.as_deref().unwrap_or("switching"))
            .map_err(|error| Failure::Usage(format!("--kind: {error}")))?;
        let features = FeatureConfig::Hard { d: 6 };
        Ok::<_, Failure>(named(
            "adversarial",
            EnvironmentConfig::Adversarial { features, link: Link::Linear, path, strength: None },
        ))
    };
    let apply_to = |mut experiment: Experiment| apply(&mut experiment, &arguments.common).map(|()| experiment);
    let list = match arguments.what {
        What::Hard => vec![hard()],
        What::Eventtime => vec![eventtime()],
        What::Adversarial if arguments.kind.is_some() => vec![moving()?],
        What::Adversarial => {
            let (horizons, runs, seed) = sizes(&arguments.common, 20);
            return adversarial::experiments(&horizons, runs, seed);
        }
        What::Scaling | What::Fewest | What::Worlds => Vec::new(),
        What::Beyond => return beyond(arguments),
        What::Peers => {
            let (horizons, runs, seed) = sizes(&arguments.common, 100);
            return peers::experiments(&horizons, runs, seed);
        }
        What::All => vec![hard(), eventtime(), moving()?],
        What::Study => {
            // The lower bound's instance depends on the horizon.
            let base = [hard(), eventtime(), moving()?].map(apply_to);
            let [hard, eventtime, adversarial] = base;
            reproduction::experiments(&hard?, &eventtime?, &adversarial?)?
        }
    };
    let mut list = list.into_iter().map(apply_to).collect::<Result<Vec<_>, _>>()?;
    if matches!(arguments.what, What::Scaling | What::All | What::Study) {
        list.extend(scaling::experiments(&apply_to(hard())?, d, gap));
    }
    Ok(list)
}

/// Horizons, runs and seed of a comparison over short and long runs.
fn sizes(common: &Common, runs: u64) -> (Vec<u64>, u64, u64) {
    let horizons = if common.horizon.is_empty() { vec![100_000, 1_000_000] } else { common.horizon.clone() };
    (horizons, common.runs.unwrap_or(runs), common.seed.unwrap_or(1))
}

/// Those beyond the paper, each with runs and horizons of its own.
fn beyond(arguments: &Reproduce) -> Result<Vec<Experiment>, Failure> {
    let votes = arguments.votes.as_ref().map(|path| path.display().to_string());
    let horizon = arguments.common.horizon.first().copied().unwrap_or(1_000_000);
    let mut list = beyond::experiments(horizon, &beyond::eventtime(votes))?;
    for experiment in &mut list {
        experiment.runs = arguments.common.runs.unwrap_or(experiment.runs);
        experiment.seed = arguments.common.seed.unwrap_or(experiment.seed);
    }
    Ok(list)
}

/// The command that makes it again: what was set, and nothing that changes no result.
fn command(arguments: &Reproduce) -> String {
    let mut out = format!("borduel reproduce {}", word(arguments.what));
    let mut add = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            // Writing to a string cannot fail.
            let _ = write!(out, " {name} {}", quoted(&value));
        }
    };
    add("--d", arguments.d.map(|d| d.to_string()));
    add("--gap", arguments.gap.map(|gap| gap.to_string()));
    add("--votes", arguments.votes.as_ref().map(|path| path.display().to_string()));
    add("--responses", arguments.responses.map(word));
    add("--only", arguments.only.clone());
    add("--way", arguments.way.clone());
    add("--kind", arguments.kind.clone());
    out + &flags(&arguments.common)
}
