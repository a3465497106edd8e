//! The figure: regret over time on the hard case, where nothing changes, where answers are turned round, and where the
//! best item moves.

use super::worlds::WORLDS;
use crate::experiment::played::Played;
use crate::paper::entries::{Entry, entries};
use borduel_report::experiment::styles;
use borduel_report::numbers::grouped;
use borduel_report::{Figure, Panel};

/// The worlds and the policies that are drawn.
const DRAWN: [&str; 3] = ["hard", "turned-hard", "moving-hard"];
const POLICIES: [&str; 5] = ["BEXP3", "FTRL-Linear", "Track-Linear", "BETC-GLM-Match", "BETC-GLM-Adaptive"];

pub(super) fn figure(played: &[&Played]) -> Figure {
    let drawn = WORLDS.iter().filter(|world| DRAWN.contains(&world.name));
    let panels = drawn.filter_map(|world| panel(&entries(played, world.name), world.title)).collect();
    let description =
        "Regret over time on the hard case: nothing changes, answers are turned round, the best item moves";
    Figure { panels, description: description.to_owned() }
}

/// A world over its longest horizon.
fn panel(entries: &[Entry], title: &str) -> Option<Panel> {
    let longest = entries.iter().map(|entry| entry.result.horizon).max()?;
    let wanted = |entry: &&Entry| entry.result.horizon == longest && POLICIES.contains(&entry.result.label.as_str());
    let shown: Vec<&Entry> = entries.iter().filter(wanted).collect();
    let first = shown.first()?;
    let notion = first.notions().first()?.name();
    let styles = styles(shown.iter().map(|entry| entry.result.policy.as_str()));
    Some(Panel {
        title: format!("{title}, T = {}: {notion} regret, mean of {} runs", grouped(longest as f64), first.result.runs),
        x: "round t".to_owned(),
        y: format!("cumulative {notion} regret"),
        logarithmic: true,
        series: shown.iter().zip(styles).map(|(entry, style)| entry.line(style)).collect(),
        note: String::new(),
    })
}
