//! The document: every table of it from what was played.

use super::known::{CUBE, SIX_RANKERS};
use super::{CONDORCET, COPELAND, FEATURES, MANY, find};
use crate::experiment::played::Played;
use borduel::experiment::{PolicyResult, World};
use borduel::facts::Facts;
use borduel_report::numbers::{short, whole};
use std::fmt::Write;

/// What surrounds the tables.
const FRAME: &str = include_str!("frame.md");

/// The whole text: the frame, with every table in its place.
pub(super) fn text(played: &[&Played], command: &str) -> String {
    let mut out = FRAME.replace("{command}", command).replace("{version}", env!("CARGO_PKG_VERSION"));
    for (place, table) in [
        ("{known}", known(played)),
        ("{condorcet}", part(played, CONDORCET)),
        ("{copeland}", part(played, COPELAND)),
        ("{many}", part(played, MANY)),
        ("{features}", part(played, FEATURES)),
        ("{lost}", lost(played)),
    ] {
        out = out.replace(place, table.trim_end());
    }
    out
}

/// A number with as many decimals as its error needs.
fn plus_minus(mean: f64, se: f64) -> String {
    if se < 1.0 && mean < 1000.0 {
        format!("{mean:.1} ± {se:.1}")
    } else {
        format!("{} ± {}", whole(mean), whole(se))
    }
}

/// What is known from elsewhere, beside what came out here.
fn known(played: &[&Played]) -> String {
    let mut out =
        String::from("| instance | policy | known | here | apart by | authors' code |\n|:--|:--|--:|--:|--:|--:|\n");
    let parts = [(CONDORCET, "six-rankers", 100_000, &SIX_RANKERS[..]), (FEATURES, "cube", 2000, &CUBE[..])];
    for (name, instance, horizon, figures) in parts {
        let Some(played) = find(played, name) else { continue };
        let here = |label: &str| {
            let wanted = |r: &&PolicyResult| r.environment == instance && r.horizon == horizon && r.label == label;
            played.results.policies.iter().find(wanted)
        };
        for (label, (mean, se), authors) in figures {
            let Some(result) = here(label) else { continue };
            let own = &result.final_regret;
            let apart = (own.mean - mean) / own.se.hypot(*se);
            let authors: Vec<String> = authors.iter().map(|(mean, se)| plus_minus(*mean, *se)).collect();
            // Writing to a string cannot fail, here and below.
            let _ = writeln!(
                out,
                "| {instance} | {label} | {} | {} | {apart:+.1} s.e. | {} |",
                plus_minus(*mean, *se),
                plus_minus(own.mean, own.se),
                authors.join("; ")
            );
        }
    }
    out
}

/// All tables of one part.
fn part(played: &[&Played], name: &str) -> String {
    let Some(played) = find(played, name) else { return String::new() };
    let mut out = String::new();
    for ((first, group), world) in played.results.groups().zip(played.plan.worlds()) {
        let _ =
            writeln!(out, "### {}, T = {}\n\n{}\n", group[0].environment, whole(group[0].horizon as f64), facts(world));
        out += &table(played, first, group);
        out.push('\n');
    }
    out
}

/// An instance in a sentence or two.
fn facts(world: &World) -> String {
    let Some(facts) = Facts::of(world.environment()) else { return String::new() };
    let list = |items: &[usize]| items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let mut out = format!("{} items. Borda winner {}", whole(world.problem().items() as f64), list(&facts.borda));
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
    if let (Some(bound), Some(horizon)) = (facts.lower_bound, world.problem().horizon()) {
        let log = (horizon as f64).ln();
        let _ = write!(
            out,
            " Asymptotic lower bound of `condorcet` regret: {} log T = {}.",
            short(bound),
            whole(bound * log)
        );
    }
    out
}

/// Regret in every notion, who was named in the end, and how fast it went.
fn table(played: &Played, first: usize, group: &[PolicyResult]) -> String {
    let regrets = &played.results.experiment.regrets;
    let names: Vec<String> = regrets.iter().map(|notion| format!("`{}`", notion.name())).collect();
    let mut out =
        format!("| policy | {} | found | rounds/s |\n|:--|{}--:|--:|\n", names.join(" | "), "--:|".repeat(names.len()));
    let mut order: Vec<usize> = (0..group.len()).collect();
    order.sort_by(|a, b| group[*a].final_regret.mean.total_cmp(&group[*b].final_regret.mean));
    for place in order {
        let result = &group[place];
        let finals = std::iter::once(&result.final_regret).chain(result.others.iter().map(|other| &other.final_regret));
        let numbers: Vec<String> = finals.map(|regret| plus_minus(regret.mean, regret.se)).collect();
        let rate = played.times.policies[first + place].all_rounds_per_second(result.runs);
        let rate = rate.map_or_else(|| "–".to_owned(), |rate| format!("{rate:.1e}"));
        let _ = writeln!(
            out,
            "| {} | {} | {:.0} % | {rate} |",
            result.label,
            numbers.join(" | "),
            100.0 * result.winner_found
        );
    }
    out
}

/// Where the policy of this project is not the best in Borda regret, and by how much.
fn lost(played: &[&Played]) -> String {
    let mut out = String::from(
        "| instance | T | BETC-GLM-Adaptive | best in Borda regret | its regret |\n|:--|--:|--:|:--|--:|\n",
    );
    for played in [CONDORCET, COPELAND, FEATURES].iter().filter_map(|name| find(played, name)) {
        let Some(place) = played.results.experiment.regrets.iter().position(|notion| notion.name() == "borda") else {
            continue;
        };
        for (_, group) in played.results.groups() {
            let borda = |result: &PolicyResult| {
                let summary = if place == 0 { &result.final_regret } else { &result.others[place - 1].final_regret };
                (summary.mean, summary.se)
            };
            let own = group.iter().find(|result| result.policy == "betc-glm-adaptive");
            let best = group.iter().min_by(|a, b| borda(a).0.total_cmp(&borda(b).0));
            if let (Some(own), Some(best)) = (own, best) {
                let ((mean, se), (least, error)) = (borda(own), borda(best));
                let _ = writeln!(
                    out,
                    "| {} | {} | {} | {} | {} |",
                    own.environment,
                    whole(own.horizon as f64),
                    plus_minus(mean, se),
                    best.label,
                    plus_minus(least, error)
                );
            }
        }
    }
    out
}
