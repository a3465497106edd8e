//! `borduel reproduce fewest`: votes until one may say "this one", for every world and every way of asking; FEWEST.md and its figure.

mod bound;
mod document;
mod ways;

use crate::experiment::folder::Folder;
use crate::failure::Failure;
use borduel::environment::tournament::Tournament;
use borduel::stream;
use rayon::prelude::*;
use ways::{WAYS, Way};

/// A family of worlds of a size, and what is asked of `find-winner` there, in mean votes.
struct World {
    name: &'static str,
    family: Tournament,
    items: usize,
    asked: Option<f64>,
}

const fn world(name: &'static str, family: Tournament, items: usize, asked: Option<f64>) -> World {
    World { name, family, items, asked }
}

/// Those of the design; the last three are as hard as can be: everybody else is behind by just more than the margin.
const WORLDS: [World; 14] = [
    world("Bradley–Terry, K = 10, sd 0.5", Tournament::BradleyTerry { sd: 0.5 }, 10, Some(2_700.0)),
    world("Bradley–Terry, K = 10, sd 1", Tournament::BradleyTerry { sd: 1.0 }, 10, Some(1_900.0)),
    world("Bradley–Terry, K = 30, sd 1", Tournament::BradleyTerry { sd: 1.0 }, 30, Some(3_300.0)),
    world("Bradley–Terry, K = 100, sd 1", Tournament::BradleyTerry { sd: 1.0 }, 100, Some(4_300.0)),
    world("features, K = 30, d = 5", Tournament::Features { dim: 5, missed: 0.0 }, 30, Some(2_300.0)),
    world("the same, an item effect is missed", Tournament::Features { dim: 5, missed: 0.3 }, 30, None),
    world("cyclic, K = 10", Tournament::Cyclic { sd: 1.0 }, 10, Some(1_900.0)),
    world("cyclic, K = 20", Tournament::Cyclic { sd: 1.0 }, 20, None),
    world("noisy order, K = 10", Tournament::NoisyOrder, 10, Some(3_700.0)),
    world("trap, K = 10", Tournament::Trap, 10, Some(2_200.0)),
    world("trap, K = 20", Tournament::Trap, 20, None),
    world("slip, K = 2", Tournament::Slip { behind: 0.0201 }, 2, None),
    world("slip, K = 3", Tournament::Slip { behind: 0.0201 }, 3, None),
    world("slip, K = 10", Tournament::Slip { behind: 0.0201 }, 10, None),
];

/// The margin and the level of all of them, and the votes after which a run is given up.
const MARGIN: f64 = 0.02;
const LEVEL: f64 = 0.95;
const MOST: f64 = 100_000.0;

/// How one run ended.
#[derive(Debug, Clone, Copy)]
struct End {
    votes: f64,
    decided: bool,
    wrong: bool,
}

/// All runs of one way in one world.
struct Row {
    way: Way,
    ends: Vec<End>,
}

/// One world's rows, and the lower bound without a model.
struct Measured<'a> {
    world: &'a World,
    rows: Vec<Row>,
    bound: f64,
}

/// Plays everything and writes `FEWEST.md` and its figure.
pub(crate) fn write(runs: u64, seed: u64, command: &str, folder: &Folder) -> Result<String, Failure> {
    let mut measured = Vec::new();
    for (at, world) in WORLDS.iter().enumerate() {
        measured.push(measure(world, at as u64, runs, seed).map_err(|error| Failure::Internal(error.to_string()))?);
    }
    let text = document::text(&measured, runs, command);
    let figure = document::figure(&measured);
    folder.write("FEWEST.md", text.as_bytes())?;
    folder.write("fewest.svg", figure.standalone().as_bytes())?;
    folder.write("fewest.png", &figure.png().map_err(|error| Failure::Internal(error.to_string()))?)?;
    Ok(text)
}

fn measure(world: &World, at: u64, runs: u64, seed: u64) -> borduel::Result<Measured<'_>> {
    // Every run has a world of its own, and all ways meet the same ones.
    let draw = |run: u64| world.family.draw(world.items, &mut stream(seed, &[1, at, run]));
    let mut rows = Vec::new();
    for way in WAYS.into_iter().filter(|way| way.fits(world)) {
        let one = |run: u64| Ok(ways::play(way, &draw(run)?, seed, &[2, at, run]));
        rows.push(Row { way, ends: (0..runs).into_par_iter().map(one).collect::<borduel::Result<_>>()? });
    }
    let bounds = (0..runs.min(20)).into_par_iter().map(|run| Ok(bound::votes(&draw(run)?)));
    let bounds: Vec<f64> = bounds.collect::<borduel::Result<_>>()?;
    Ok(Measured { world, rows, bound: bounds.iter().sum::<f64>() / bounds.len() as f64 })
}
