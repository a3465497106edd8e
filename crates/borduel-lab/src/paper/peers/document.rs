//! The document: every table of it from what was played.

use super::held::held;
use super::others::{AUTHORS_ROUNDS, DUELPY_ROUNDS, Others, Timed};
use super::{BESIDE, CONDORCET, COPELAND, FEATURES, MANY};
use crate::experiment::played::Played;
use crate::paper::entries::{Entry, distinct, entries};
use crate::paper::numbers::{Figure, plus_minus, power};
use borduel::Notion;
use borduel::experiment::World;
use borduel::facts::Facts;
use borduel_report::Table;
use borduel_report::numbers::{grouped, short};
use std::fmt::Write;

/// What surrounds the tables.
const FRAME: &str = include_str!("frame.md");

/// The whole text: the frame, with every table in its place.
pub(super) fn text(played: &[&Played], command: &str, others: &Others) -> String {
    let runs = played.first().map_or(0, |played| played.results.experiment.runs);
    let mut out = FRAME.replace("{command}", command).replace("{version}", env!("CARGO_PKG_VERSION"));
    out = out.replace("{runs}", &runs.to_string());
    for (place, table) in [
        ("{known}", held(played)),
        ("{condorcet}", part(played, CONDORCET)),
        ("{weak}", by_instance(played, Notion::CondorcetMin)),
        ("{copeland-regret}", by_instance(played, Notion::Copeland)),
        ("{copeland}", part(played, COPELAND)),
        ("{many}", part(played, MANY)),
        ("{features}", part(played, FEATURES)),
        ("{lost}", lost(played)),
        ("{duelpy}", speeds(played, others.duelpy.as_deref(), DUELPY_ROUNDS)),
        ("{authors}", speeds(played, others.authors.as_deref(), AUTHORS_ROUNDS)),
    ] {
        out = out.replace(place, table.trim_end());
    }
    out
}

/// The regret of an entry, or a dash.
fn cell(entry: Option<&Entry>, notion: Notion) -> String {
    let regret = entry.and_then(|entry| entry.regret(notion));
    regret.map_or_else(|| "–".to_owned(), |regret| plus_minus((regret.mean, regret.se)))
}

/// All tables of one part: one an instance, all horizons in it.
fn part(played: &[&Played], name: &str) -> String {
    let all = entries(played, name);
    let mut out = String::new();
    for instance in distinct(all.iter().map(|entry| entry.result.environment.clone())) {
        let own: Vec<Entry> = all.iter().copied().filter(|entry| entry.result.environment == instance).collect();
        let Some(first) = own.first() else { continue };
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(out, "### {instance}\n\n{}\n", facts(first.world));
        out += &table(&own);
        out.push('\n');
    }
    out
}

/// An instance in a sentence or two.
fn facts(world: &World) -> String {
    let Some(facts) = Facts::of(world.environment()) else { return String::new() };
    let list = |items: &[usize]| items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let many = if facts.borda.len() > 1 { "s" } else { "" };
    let mut out =
        format!("{} items. Borda winner{many} {}", grouped(world.problem().items() as f64), list(&facts.borda));
    if let Some(gap) = facts.borda_gap {
        let _ = write!(out, " (ahead by {})", short(gap));
    }
    match (&facts.condorcet, facts.least_lead) {
        (Ok(winner), Some(lead)) => {
            let _ = write!(out, ", Condorcet winner {winner} (ahead of all by at least {})", short(lead));
        }
        (Ok(winner), None) => {
            let _ = write!(out, ", Condorcet winner {winner}");
        }
        (Err(why), _) => {
            let _ = write!(out, ", no Condorcet winner ({why}), Copeland winners {}", list(&facts.copeland));
        }
    }
    let _ = write!(out, "; {}strongly transitive.", if facts.transitive { "" } else { "not " });
    if let Some(bound) = facts.lower_bound {
        let _ = write!(out, " No consistent policy has less `condorcet` regret than {} log T", short(bound));
        if let Some(horizon) = world.problem().horizon() {
            let _ =
                write!(out, " in the limit (at T = {}: {})", power(horizon), grouped(bound * (horizon as f64).ln()));
        }
        out.push('.');
    }
    out
}

/// Regret in the first notion and in Borda's over every horizon, who was named in the end, and how fast it went.
fn table(own: &[Entry]) -> String {
    let mut horizons = distinct(own.iter().map(|entry| entry.result.horizon));
    horizons.sort_unstable();
    let Some((longest, notions)) = horizons.last().copied().zip(own.first().map(Entry::notions)) else {
        return String::new();
    };
    let (first, others) = notions.split_at(1);
    let borda = others.iter().filter(|notion| **notion == Notion::Borda);
    let notions: Vec<Notion> = first.iter().chain(borda).copied().collect();
    let mut table = Table::new("", &["policy"]);
    for notion in &notions {
        table.heads.extend(horizons.iter().map(|t| format!("`{}`, T = {}", notion.name(), power(*t))));
    }
    table.heads.extend(["found", "rounds/s"].map(ToOwned::to_owned));
    let at = |label: &str, t: u64| own.iter().find(|entry| entry.result.label == label && entry.result.horizon == t);
    let mut labels = distinct(own.iter().map(|entry| &entry.result.label));
    let mean = |label: &str| at(label, longest).map_or(f64::INFINITY, |entry| entry.result.final_regret.mean);
    labels.sort_by(|a, b| mean(a).total_cmp(&mean(b)));
    for label in labels {
        let mut cells = vec![label.clone()];
        for notion in &notions {
            cells.extend(horizons.iter().map(|t| cell(at(label, *t), *notion)));
        }
        let last = at(label, longest);
        cells.push(last.map_or_else(String::new, |entry| format!("{:.0} %", 100.0 * entry.result.winner_found)));
        cells.push(last.and_then(Entry::rate).map_or_else(|| "–".to_owned(), |rate| format!("{rate:.1e}")));
        table.row(cells);
    }
    table.markdown()
}

/// A further regret where there is a Condorcet winner, over the longest horizon, one column an instance.
fn by_instance(played: &[&Played], notion: Notion) -> String {
    let all = entries(played, CONDORCET);
    let Some(longest) = all.iter().map(|entry| entry.result.horizon).max() else { return String::new() };
    let last: Vec<Entry> = all.into_iter().filter(|entry| entry.result.horizon == longest).collect();
    let instances = distinct(last.iter().map(|entry| &entry.result.environment));
    let mut table = Table::new("", &[&format!("`{}`, T = {}", notion.name(), power(longest))]);
    table.heads.extend(instances.iter().map(ToString::to_string));
    for label in distinct(last.iter().map(|entry| &entry.result.label)) {
        let own = |instance: &&String| {
            let found =
                last.iter().find(|entry| entry.result.label == *label && entry.result.environment == **instance);
            cell(found, notion)
        };
        table.row(std::iter::once(label.clone()).chain(instances.iter().map(own)));
    }
    table.markdown()
}

/// The policy of this project in Borda regret, beside the best one, and how many times more it loses.
fn lost(played: &[&Played]) -> String {
    let heads = ["instance", "T", "BETC-GLM-Adaptive", "its place", "best in Borda regret", "its regret", "times more"];
    let mut table = Table::new("", &heads);
    for name in [CONDORCET, COPELAND, MANY, FEATURES] {
        let all = entries(played, name);
        for key in distinct(all.iter().map(|entry| (&entry.result.environment, entry.result.horizon))) {
            let mut group: Vec<(&str, Figure)> = all
                .iter()
                .filter(|entry| (&entry.result.environment, entry.result.horizon) == key)
                .filter_map(|entry| {
                    let regret = entry.regret(Notion::Borda)?;
                    Some((entry.result.label.as_str(), (regret.mean, regret.se)))
                })
                .collect();
            group.sort_by(|a, b| a.1.0.total_cmp(&b.1.0));
            let Some(place) = group.iter().position(|(label, _)| *label == "BETC-GLM-Adaptive") else { continue };
            let ((_, own), (best, least)) = (group[place], group[0]);
            table.row([
                key.0.clone(),
                power(key.1),
                plus_minus(own),
                format!("{} of {}", place + 1, group.len()),
                best.to_owned(),
                plus_minus(least),
                format!("{:.1}", own.0 / least.0),
            ]);
        }
    }
    table.markdown()
}

/// What another program did over so many rounds on the six rankers, beside ours over as many.
fn speeds(played: &[&Played], other: Option<&[Timed]>, rounds: u64) -> String {
    let Some(other) = other else { return "It was not timed in this run.".to_owned() };
    let all: Vec<Entry> = [CONDORCET, BESIDE].iter().flat_map(|part| entries(played, part)).collect();
    let mut table = Table::new("", &["there", "regret", "rounds/s", "here", "regret", "rounds/s", "times faster"]);
    for timed in other {
        let own = all.iter().find(|entry| {
            let result = entry.result;
            (result.environment.as_str(), result.horizon) == ("six-rankers", rounds) && result.label == timed.label
        });
        let rate = own.and_then(Entry::rate);
        let dash = || "–".to_owned();
        table.row([
            timed.name.clone(),
            plus_minus(timed.regret),
            grouped(timed.rounds_per_second),
            timed.label.clone(),
            cell(own, Notion::Condorcet),
            rate.map_or_else(dash, |rate| format!("{rate:.1e}")),
            rate.map_or_else(dash, |rate| grouped(rate / timed.rounds_per_second)),
        ]);
    }
    table.markdown()
}
