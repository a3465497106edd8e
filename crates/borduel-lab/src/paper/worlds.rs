//! `borduel reproduce worlds`: the adaptive policy beside all of the paper's in worlds drawn at random; WORLDS.md and
//! its figure.
//!
//! What is measured is written down row by row (`worlds.jsonl`), so that the same command goes on after an
//! interruption.

mod document;
mod draw;
mod family;

use super::rows::Rows;
use crate::experiment::folder::Folder;
use crate::failure::Failure;
use crate::stderr::write_line;
use borduel::experiment::Summary;
use borduel::regret::{Checkpoints, Curve};
use borduel::{Experiment, Feedback, PolicyConfig, Run, stream};
use draw::World;
use rayon::prelude::*;

/// How many worlds are drawn.
const WORLDS: u64 = 200;
/// Whom it is about.
const OWN: &str = "betc-glm-adaptive";
/// Lost is by more than this share of the better one's regret, and by more than so many standard errors of the
/// difference.
const SHARE: f64 = 0.1;
const ERRORS: f64 = 3.0;

/// What is to be played.
pub struct Request<'a> {
    /// How often each world is played.
    pub runs: u64,
    /// What all random numbers come from.
    pub seed: u64,
    /// No world has more rounds.
    pub horizon: u64,
    /// The command that makes it again.
    pub command: &'a str,
    /// Whether progress is not shown.
    pub quiet: bool,
}

/// One world's final regrets.
struct Measured {
    name: String,
    kind: &'static str,
    horizon: u64,
    own: Vec<f64>,
    /// Those of the paper's policy with the least mean there, and its name.
    best: (String, Vec<f64>),
}

impl Measured {
    /// The mean of the own regrets, of the best other's, of what the own are larger by, and the standard error of that.
    fn means(&self) -> (f64, f64, f64, f64) {
        let best = &self.best.1;
        let more: Vec<f64> = self.own.iter().zip(best).map(|(own, best)| own - best).collect();
        let Summary { mean: difference, se, .. } = Summary::of(&more);
        (mean(&self.own), mean(best), difference, se)
    }

    fn lost(&self) -> bool {
        let (_, best, difference, error) = self.means();
        difference > SHARE * best && difference > ERRORS * error
    }

    /// The own regret over the best other's; 1 where both are nothing.
    fn ratio(&self) -> f64 {
        let (own, best, ..) = self.means();
        if own == best { 1.0 } else { own / best }
    }
}

fn mean(values: &[f64]) -> f64 {
    Summary::of(values).mean
}

/// Plays everything that has not been played yet, and writes `WORLDS.md` and its figure.
pub fn write(request: &Request<'_>, folder: &Folder) -> Result<String, Failure> {
    let Request { runs, seed, horizon, .. } = *request;
    let mut rows = Rows::open(folder, "worlds.jsonl", &format!("{runs} runs, seed {seed}, at most {horizon} rounds"))?;
    let mut measured = Vec::new();
    for at in 0..WORLDS {
        let world = draw::world(seed, at, horizon).map_err(|error| Failure::Internal(error.to_string()))?;
        if !request.quiet {
            write_line(&format!("{} of {WORLDS} worlds: {}", at + 1, world.name));
        }
        measured.push(measure(&world, at, request, &mut rows)?);
    }
    let family = family::measure(request, &mut rows)?;
    let figure = document::figure(&measured);
    let text = document::text(&measured, &family, request);
    folder.write("WORLDS.md", text.as_bytes())?;
    folder.write("worlds.svg", figure.standalone().as_bytes())?;
    folder.write("worlds.png", &figure.png().map_err(|error| Failure::Internal(error.to_string()))?)?;
    Ok(text)
}

fn measure(world: &World, at: u64, request: &Request<'_>, rows: &mut Rows<f64>) -> Result<Measured, Failure> {
    let place = format!("{at}");
    let mut regrets = |config: &PolicyConfig| regrets(config, world, &place, (request.runs, request.seed), rows);
    let own = regrets(&named(OWN)?)?;
    let mut best: Option<(String, Vec<f64>)> = None;
    for config in Experiment::paper_policies() {
        let all = regrets(&config)?;
        if best.as_ref().is_none_or(|(_, least)| mean(&all) < mean(least)) {
            best = Some((config.name().to_owned(), all));
        }
    }
    let best = best.ok_or_else(|| Failure::Internal("the paper has no policies".to_owned()))?;
    Ok(Measured { name: world.name.clone(), kind: world.kind, horizon: world.horizon, own, best })
}

fn named(policy: &str) -> Result<PolicyConfig, Failure> {
    PolicyConfig::named(policy).map_err(|error| Failure::Internal(error.to_string()))
}

/// The final regrets of so many runs with a seed, played unless they are known.
fn regrets(
    config: &PolicyConfig,
    world: &World,
    place: &str,
    (runs, seed): (u64, u64),
    rows: &mut Rows<f64>,
) -> Result<Vec<f64>, Failure> {
    if let Some(known) = rows.known(place, config.name()) {
        return Ok(known.to_vec());
    }
    let all = (0..runs).into_par_iter().map(|run| play(config, world, seed, run));
    let all: Vec<f64> = all.collect::<borduel::Result<_>>().map_err(|error| Failure::Internal(error.to_string()))?;
    rows.add(place, config.name(), &all)?;
    Ok(all)
}

/// The regret of one run; every policy meets the same answers.
fn play(config: &PolicyConfig, world: &World, seed: u64, run: u64) -> borduel::Result<f64> {
    let (arena, end) = (&world.arena, world.horizon);
    let policy = config.build(arena.problem(), stream(seed, &[2, run, 2]))?;
    let curves = vec![Curve::new(Checkpoints::from_rounds(vec![end])?)];
    let mut played = Run::new(policy, curves, seed, run, Feedback::IMMEDIATE)?;
    played.until(end, arena);
    Ok(played.record[0].total())
}
