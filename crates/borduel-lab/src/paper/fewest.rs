//! `borduel reproduce fewest`: votes until one may say "this one", for every world and every way of asking; FEWEST.md
//! and its figure.
//!
//! What is measured is written down row by row (`fewest.jsonl`), so that the same command goes on after an
//! interruption.

mod bound;
mod document;
mod in_contexts;
mod ways;

use super::rows::Rows;
use crate::experiment::folder::Folder;
use crate::failure::Failure;
use crate::stderr::write_line;
use borduel::environment::fixed::Fixed;
use borduel::environment::tournament::Tournament;
use borduel::environment::{Environment, matrix};
use borduel::ranking::{Model, RankOptions, rank};
use borduel::{Features, Link, stream};
use borduel_votes::{ReadOptions, VoteReader};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::Path;
use ways::{WAYS, Way};

/// A family of worlds of a size, and what is asked of `find-winner` there, in mean votes: as it is, and trusting the
/// model.
struct World {
    name: String,
    family: Family,
    items: usize,
    asked: Option<f64>,
    asked_trusting: Option<f64>,
}

/// Where the worlds of a row come from.
enum Family {
    /// Every run has one of its own.
    Drawn(Tournament),
    /// All runs have this one.
    Fitted(Box<Fixed>),
    /// Every run has one of its own, whose items are compared in contexts.
    InContexts(in_contexts::Family),
}

/// The world of a run.
enum Drawn {
    Plain(Box<Fixed>),
    InContexts(in_contexts::InContexts),
}

impl World {
    fn draw(&self, seed: u64, path: &[u64]) -> borduel::Result<Drawn> {
        Ok(match &self.family {
            Family::Drawn(family) => Drawn::Plain(Box::new(family.draw(self.items, &mut stream(seed, path))?)),
            Family::Fitted(world) => Drawn::Plain(world.clone()),
            Family::InContexts(family) => Drawn::InContexts(family.draw(&mut stream(seed, path))?),
        })
    }
}

/// Those of the design; the last three are as hard as can be: everybody else is behind by just more than the margin.
fn worlds() -> Vec<World> {
    let world = |name: &str, family: Tournament, items: usize, asked: Option<f64>| World {
        name: name.to_owned(),
        family: Family::Drawn(family),
        items,
        asked,
        asked_trusting: None,
    };
    let features = Tournament::Features { dim: 5, missed: 0.0 };
    vec![
        world("Bradley–Terry, K = 10, sd 0.5", Tournament::BradleyTerry { sd: 0.5 }, 10, Some(2_700.0)),
        world("Bradley–Terry, K = 10, sd 1", Tournament::BradleyTerry { sd: 1.0 }, 10, Some(1_900.0)),
        world("Bradley–Terry, K = 30, sd 1", Tournament::BradleyTerry { sd: 1.0 }, 30, Some(3_300.0)),
        world("Bradley–Terry, K = 100, sd 1", Tournament::BradleyTerry { sd: 1.0 }, 100, Some(4_300.0)),
        World { asked_trusting: Some(550.0), ..world("features, K = 30, d = 5", features, 30, Some(2_300.0)) },
        world("the same, an item effect is missed", Tournament::Features { dim: 5, missed: 0.3 }, 30, None),
        world("cyclic, K = 10", Tournament::Cyclic { sd: 1.0 }, 10, Some(1_900.0)),
        world("cyclic, K = 20", Tournament::Cyclic { sd: 1.0 }, 20, None),
        world("noisy order, K = 10", Tournament::NoisyOrder, 10, Some(3_700.0)),
        world("trap, K = 10", Tournament::Trap, 10, Some(2_200.0)),
        world("trap, K = 20", Tournament::Trap, 20, None),
        world("slip, K = 2", Tournament::Slip { behind: 0.0201 }, 2, None),
        world("slip, K = 3", Tournament::Slip { behind: 0.0201 }, 3, None),
        world("slip, K = 10", Tournament::Slip { behind: 0.0201 }, 10, None),
    ]
}

/// The Bradley–Terry model that fits a file of votes, as a world of one parameter per item.
fn fitted(path: &Path) -> Result<World, Failure> {
    let wrong = |error: borduel::Error| Failure::Data(format!("{}: {error}", path.display()));
    let mut reader = VoteReader::new(ReadOptions::default());
    reader.read(&path.to_string_lossy()).map_err(|error| Failure::Data(error.to_string()))?;
    let options = RankOptions::default().with_chances(true);
    let ranking = rank(&reader.finish().0, &Model::OneHot, &options).map_err(wrong)?;
    let chances = ranking.chances.ok_or_else(|| wrong(borduel::Error::Data("too many items".to_owned())))?;
    let features = Features::one_hot(chances.len()).map_err(wrong)?;
    let world = matrix::matrix(&chances, Some(features), Link::Logistic, None).map_err(wrong)?;
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let items = world.problem().items();
    let name = format!("fitted to {file}, K = {items}");
    Ok(World { name, items, family: Family::Fitted(Box::new(world)), asked: Some(4_800.0), asked_trusting: None })
}

/// Features that hide one item or more. The best or the runner-up is always one of those.
fn hidden() -> Vec<World> {
    let one = |(items, dim, hidden, lead): (usize, usize, usize, f64)| World {
        name: format!(
            "hidden, K = {items}, d = {dim}: {hidden} of the items, among them the {}, {} apart",
            if lead > 0.0 { "best" } else { "runner-up" },
            lead.abs()
        ),
        family: Family::Drawn(Tournament::Hidden { dim, hidden, lead }),
        items,
        asked: None,
        asked_trusting: None,
    };
    let worlds = [
        (12, 1, 1, 0.3),
        (12, 2, 3, 0.5),
        (20, 4, 1, 0.5),
        (30, 4, 1, 0.3),
        (30, 4, 1, -0.3),
        (30, 8, 7, 0.5),
        (40, 4, 1, 0.5),
        (40, 1, 5, -0.4),
        (60, 4, 1, 1.0),
        (100, 4, 1, 0.5),
        (100, 8, 25, 1.0),
    ];
    worlds.into_iter().map(one).collect()
}

/// How the names of worlds begin that show what it costs to believe nothing.
const PRICE: &str = "price, ";

fn price() -> impl Iterator<Item = World> {
    [3, 5, 12].into_iter().map(|items| World {
        name: format!("{PRICE}Bradley–Terry, K = {items}, sd 1"),
        family: Family::Drawn(Tournament::BradleyTerry { sd: 1.0 }),
        items,
        asked: None,
        asked_trusting: None,
    })
}

/// The margin and the level of all of them, and the votes after which a run is given up.
const MARGIN: f64 = 0.02;
const LEVEL: f64 = 0.95;
const MOST: f64 = 100_000.0;

/// How one run ended.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
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

/// One world's rows, and the lower bound without a model, where there is one.
struct Measured<'a> {
    world: &'a World,
    rows: Vec<Row>,
    bound: Option<f64>,
}

/// What is to be played.
pub struct Request<'a> {
    /// How often each world is played.
    pub runs: u64,
    /// What all random numbers come from.
    pub seed: u64,
    /// Votes to which a further world is fitted.
    pub votes: Option<&'a Path>,
    /// What the names of the worlds must contain.
    pub only: &'a str,
    /// The one way of asking that is wanted, unless all are.
    pub way: Option<&'a str>,
    /// The command that makes it again.
    pub command: &'a str,
    /// Whether progress is not shown.
    pub quiet: bool,
}

/// Plays everything that has not been played yet, and writes `FEWEST.md` and its figure.
///
/// # Errors
/// A way that there is none of, a file that cannot be read or written.
pub fn write(request: &Request<'_>, folder: &Folder) -> Result<String, Failure> {
    if let Some(way) = request.way.filter(|way| WAYS.iter().all(|known| known.name() != *way)) {
        let known: Vec<String> = WAYS.iter().map(|known| format!("\"{}\"", known.name())).collect();
        return Err(Failure::Usage(format!("--way \"{way}\": there is no such way, but {}", known.join(", "))));
    }
    // What a world is drawn from is its place, whether those before it are there or not.
    let mut worlds: Vec<(u64, World)> = (0..).zip(worlds()).collect();
    let next = worlds.len() as u64;
    worlds.extend(request.votes.map(fitted).transpose()?.map(|world| (next, world)));
    let hidden = hidden();
    let last = next + 1 + hidden.len() as u64;
    worlds.extend((next + 1..).zip(hidden));
    let in_contexts = in_contexts::worlds();
    let after = last + in_contexts.len() as u64;
    worlds.extend((last..).zip(in_contexts));
    worlds.extend((after..).zip(price()));
    worlds.retain(|(_, world)| world.name.contains(request.only));
    if worlds.is_empty() {
        let only = request.only;
        return Err(Failure::Usage(format!(
            "--only \"{only}\": no world's name contains that; FEWEST.md lists them, such as \"trap, K = 10\""
        )));
    }
    let mut rows = Rows::open(folder, "fewest.jsonl", &format!("{} runs, seed {}", request.runs, request.seed))?;
    let mut measured = Vec::new();
    for (done, (at, world)) in worlds.iter().enumerate() {
        if !request.quiet {
            write_line(&format!("{} of {} worlds: {}", done + 1, worlds.len(), world.name));
        }
        measured.push(measure(world, *at, request, &mut rows)?);
    }
    let text = document::text(&measured, request.runs, request.command);
    let figure = document::figure(&measured);
    folder.write("FEWEST.md", text.as_bytes())?;
    folder.write("fewest.svg", figure.standalone().as_bytes())?;
    folder.write("fewest.png", &figure.png().map_err(|error| Failure::Internal(error.to_string()))?)?;
    Ok(text)
}

fn measure<'a>(
    world: &'a World,
    at: u64,
    request: &Request<'_>,
    rows: &mut Rows<End>,
) -> Result<Measured<'a>, Failure> {
    let Request { runs, seed, .. } = *request;
    let internal = |error: borduel::Error| Failure::Internal(error.to_string());
    // All ways meet the same worlds.
    let draw = |run: u64| world.draw(seed, &[1, at, run]);
    let mut of_world = Vec::new();
    for way in WAYS.into_iter().filter(|way| way.fits(world) && request.way.is_none_or(|wanted| way.name() == wanted)) {
        let ends = if let Some(ends) = rows.known(&world.name, way.name()) {
            ends.to_vec()
        } else {
            let one = |run: u64| {
                Ok(match draw(run)? {
                    Drawn::Plain(world) => ways::play(way, &world, seed, &[2, at, run]),
                    Drawn::InContexts(world) => in_contexts::play(way, &world, seed, &[2, at, run]),
                })
            };
            let ends: borduel::Result<Vec<End>> = (0..runs).into_par_iter().map(one).collect();
            let ends = ends.map_err(internal)?;
            rows.add(&world.name, way.name(), &ends)?;
            ends
        };
        of_world.push(Row { way, ends });
    }
    let bound = |run: u64| {
        Ok(match draw(run)? {
            Drawn::Plain(world) => Some(bound::votes(&world)),
            Drawn::InContexts(_) => None,
        })
    };
    let bounds: Vec<Option<f64>> =
        (0..runs).into_par_iter().map(bound).collect::<borduel::Result<_>>().map_err(internal)?;
    let all: Option<f64> = bounds.iter().copied().sum();
    Ok(Measured { world, rows: of_world, bound: all.map(|all| all / bounds.len() as f64) })
}
