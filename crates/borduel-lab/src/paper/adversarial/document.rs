//! The document: every table of it from what was played.

use super::known::{HORIZONS, PROTOTYPES};
use super::worlds::{Kind, WORLDS, World};
use crate::experiment::played::Played;
use crate::paper::entries::{Entry, distinct, entries};
use crate::paper::numbers::{plus_minus, power};
use borduel::judge::moved;
use borduel::{Notion, Result};
use borduel_report::Table;
use borduel_report::numbers::grouped;
use std::fmt::Write;

/// What surrounds the tables.
const FRAME: &str = include_str!("frame.md");

/// The whole text: the frame, with every table in its place.
pub(super) fn text(played: &[&Played], command: &str) -> Result<String> {
    let runs = played.first().map_or(0, |played| played.results.experiment.runs);
    let seed = played.first().map_or(0, |played| played.results.experiment.seed);
    let mut out = FRAME.replace("{command}", command).replace("{version}", env!("CARGO_PKG_VERSION"));
    out = out.replace("{runs}", &runs.to_string()).replace("{seed}", &seed.to_string());
    for (place, table) in [
        ("{without}", regrets(played, false)),
        ("{with}", regrets(played, true)),
        ("{hindsight}", hindsight(played)?),
        ("{known}", held(played)),
    ] {
        out = out.replace(place, table.trim_end());
    }
    Ok(out)
}

/// The horizons that were played, from short to long.
fn horizons(played: &[&Played]) -> Vec<u64> {
    let mut all = distinct(played.iter().flat_map(|played| played.results.experiment.horizons.iter().copied()));
    all.sort_unstable();
    all
}

/// What was played in a world over a horizon.
fn over<'a>(played: &[&'a Played], world: &World, horizon: u64) -> Vec<Entry<'a>> {
    let mut own = entries(played, world.name);
    own.retain(|entry| entry.result.horizon == horizon);
    own
}

/// Regret at the end in a notion.
fn cell(entry: &Entry, notion: Notion) -> String {
    entry.regret(notion).map_or_else(|| "–".to_owned(), |regret| plus_minus((regret.mean, regret.se)))
}

/// A table for every horizon: policies by worlds, and how fast they were in the first of them.
fn regrets(played: &[&Played], features: bool) -> String {
    let worlds: Vec<&World> = WORLDS.iter().filter(|world| world.features == features).collect();
    let mut out = String::new();
    for horizon in horizons(played) {
        let columns: Vec<Vec<Entry>> = worlds.iter().map(|world| over(played, world, horizon)).collect();
        let mut table = Table::new("", &[&format!("T = {}", power(horizon))]);
        table.heads.extend(worlds.iter().map(|world| world.title.to_owned()));
        table.heads.push("rounds/s".to_owned());
        for (row, entry) in columns[0].iter().enumerate() {
            let first = |column: &Vec<Entry>| column[row].notions().first().copied().unwrap_or_default();
            let mut cells = vec![entry.result.label.clone()];
            cells.extend(columns.iter().map(|column| cell(&column[row], first(column))));
            cells.push(entry.rate().map_or_else(|| "–".to_owned(), |rate| format!("{rate:.1e}")));
            table.row(cells);
        }
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{}", table.markdown());
    }
    out
}

/// Where the best item moves: regret against the one item that is best over the whole time, and what that item itself
/// loses to one who follows.
fn hindsight(played: &[&Played]) -> Result<String> {
    let Some(&longest) = horizons(played).last() else { return Ok(String::new()) };
    let mut table = Table::new("", &[&format!("T = {}", power(longest)), "policy", "against the best item", "dynamic"]);
    for world in WORLDS.iter().filter(|world| world.kind == Kind::Moving) {
        let own = over(played, world, longest);
        let Some(first) = own.first() else { continue };
        let constant = grouped(moved(first.world.environment())?);
        table.row([world.title.to_owned(), "the best item itself".to_owned(), "0".to_owned(), constant]);
        for entry in &own {
            let cells = [Notion::Borda, Notion::BordaDynamic].map(|notion| cell(entry, notion));
            let [still, dynamic] = cells;
            table.row([String::new(), entry.result.label.clone(), still, dynamic]);
        }
    }
    Ok(table.markdown())
}

/// The prototypes' figures, beside what came out here.
fn held(played: &[&Played]) -> String {
    let mut table = Table::new("", &["world", "policy", "T", "prototype", "here", "apart by"]);
    let (mut all, mut far) = (0, 0);
    for (name, label, figures) in PROTOTYPES {
        for ((mean, se), horizon) in figures.into_iter().zip(HORIZONS) {
            let Some(world) = WORLDS.iter().find(|world| world.name == name) else { continue };
            let own = over(played, world, horizon);
            let own = own.iter().find(|entry| entry.result.label == label);
            let Some(own) = own.and_then(|entry| entry.regret(Notion::Borda)) else { continue };
            let apart = (own.mean - mean) / own.se.hypot(se);
            all += 1;
            far += u32::from(apart.abs() > 3.0);
            table.row([
                world.title.to_owned(),
                label.to_owned(),
                power(horizon),
                plus_minus((mean, se)),
                plus_minus((own.mean, own.se)),
                format!("{apart:+.1} s.e."),
            ]);
        }
    }
    if all == 0 {
        return "Nothing of this was played over the horizons for which something is known.".to_owned();
    }
    let near = all - far;
    format!("{}\nOf {all} figures {near} are within three standard errors of both.\n", table.markdown())
}
