//! The figure: regret over time on the six rankers, beside what no consistent policy can do better than, and on the
//! cube.

use super::{CONDORCET, FEATURES};
use crate::experiment::played::Played;
use crate::paper::entries::{Entry, entries};
use borduel::Notion;
use borduel::facts::Facts;
use borduel_report::experiment::styles;
use borduel_report::numbers::grouped;
use borduel_report::{Figure, Panel, Series};

/// Who is drawn: one of each family.
const DRAWN: [&str; 9] = [
    "RUCB",
    "D-TS",
    "RMED",
    "Merge",
    "CCB",
    "Versatile-DB",
    "Self-Sparring",
    "Winner-Stays (strong)",
    "Active Ranking",
];

/// What the bound says, and what it does not.
const BOUND_NOTE: &str = "Lower bound C log t of consistent policies, for large t (Komiyama et al. 2015): at a given t \
                          a policy may lie below it.";

/// Draws both panels of the figure.
pub(super) fn figure(played: &[&Played]) -> Figure {
    let panels = [
        panel(&entries(played, CONDORCET), "six-rankers", |label| DRAWN.contains(&label)),
        panel(&entries(played, FEATURES), "cube", |label| label != "Uniform"),
    ];
    let description = "Regret over time on six rankers and on the cube".to_owned();
    Figure { panels: panels.into_iter().flatten().collect(), description }
}

/// The longest horizon of an instance.
fn panel(entries: &[Entry], instance: &str, wanted: impl Fn(&str) -> bool) -> Option<Panel> {
    let own = entries.iter().filter(|entry| entry.result.environment == instance);
    let longest = own.clone().map(|entry| entry.result.horizon).max()?;
    let shown: Vec<&Entry> =
        own.filter(|entry| entry.result.horizon == longest && wanted(&entry.result.label)).collect();
    let first = shown.first()?;
    let styles = styles(shown.iter().map(|entry| entry.result.policy.as_str()));
    let mut series: Vec<Series> = shown.iter().zip(styles).map(|(entry, style)| entry.line(style)).collect();
    let notion = *first.notions().first()?;
    let bound = Facts::of(first.world.environment()).and_then(|facts| facts.lower_bound);
    // It is one of this regret alone.
    let bound = bound.filter(|_| notion == Notion::Condorcet);
    if let Some(bound) = bound {
        let at = |round: &u64| (*round as f64, bound * (*round as f64).ln());
        let points = first.result.curve.round.iter().filter(|round| **round > 100).map(at).collect();
        let label = format!("lower bound: {}", grouped(bound * (longest as f64).ln()));
        series.push(Series { label, points, band: Vec::new(), style: None, dots: false });
    }
    let notion = notion.name();
    let runs = first.result.runs;
    Some(Panel {
        title: format!("{instance}, T = {}: {notion} regret, mean of {runs} runs", grouped(longest as f64)),
        x: "round t".to_owned(),
        y: format!("cumulative {notion} regret"),
        logarithmic: true,
        series,
        note: bound.map_or_else(String::new, |_| BOUND_NOTE.to_owned()),
    })
}
