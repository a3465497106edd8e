//! Regret over time: one panel for every environment and horizon.

use super::heading;
use super::theorems::Theorem;
use crate::chart::palette;
use crate::numbers::grouped;
use crate::{Figure, Panel, Series};
use borduel::experiment::{EnvironmentConfig, PolicyResult};
use borduel::{Experiment, Notion, POLICIES, PolicyConfig, Results, theory};

/// What the lower bound says, and what it does not.
pub const BOUND_NOTE: &str = "Lower bound (dT)^(2/3)/(8√40): minimax over instances with Δ = (dT)^(−1/3)/√40; \
                              a single easier instance may lie below it.";

/// More panels than this make no figure.
const MOST_PANELS: usize = 12;

/// The colour and dashes of every policy of a figure: the colour is that of its place in one list, the paper's policies
/// first, in whatever company it is drawn; further ones of the same name, with other settings, have its colour and
/// other dashes.
pub fn styles<'a>(policies: impl IntoIterator<Item = &'a str>) -> Vec<usize> {
    // The paper's are drawn together most often: no policy that is added to the list comes between them.
    let paper = Experiment::paper_policies();
    let mut order: Vec<&str> = paper.iter().map(PolicyConfig::name).collect();
    order.extend(POLICIES.iter().filter(|name| !paper.iter().any(|one| one.name() == **name)));
    let mut styles: Vec<usize> = Vec::new();
    for policy in policies {
        // Policies from outside come after ours.
        let mut style = order.iter().position(|name| *name == policy).unwrap_or(order.len());
        while styles.contains(&style) {
            style += palette::ROUND;
        }
        styles.push(style);
    }
    styles
}

fn styles_of(group: &[PolicyResult]) -> Vec<usize> {
    styles(group.iter().map(|result| result.policy.as_str()))
}

/// The figure of an experiment: regret over time of its first `most` policies.
pub fn figure(results: &Results, most: usize) -> Figure {
    let panels = results
        .groups()
        .take(MOST_PANELS)
        .map(|(_, group)| panel(results, &group[..most.min(group.len())], None, None));
    Figure { panels: panels.collect(), description: format!("Regret over time: {}", results.experiment.name) }
}

/// The curves of one environment and horizon: linear or, with what theorems say, logarithmic; with Graves and Lai's
/// constant, what no consistent policy goes below for large T.
pub(super) fn panel(
    results: &Results,
    group: &[PolicyResult],
    theorems: Option<&[Theorem]>,
    constant: Option<f64>,
) -> Panel {
    let styles = styles_of(group);
    let mut series: Vec<Series> = group
        .iter()
        .zip(&styles)
        .map(|(result, style)| Series {
            label: format!("{}: {}", result.label, grouped(result.final_regret.mean)),
            points: result.curve.round.iter().map(|r| *r as f64).zip(result.curve.mean.iter().copied()).collect(),
            band: result.curve.sd.clone(),
            style: Some(*style),
            dots: false,
        })
        .collect();
    let d = hard_dimension(results, group);
    if let Some(d) = d {
        let points = group[0].curve.round.iter().map(|r| (*r as f64, theory::lower_bound(d, *r))).collect();
        let label = format!("lower bound: {}", grouped(theory::lower_bound(d, group[0].horizon)));
        series.push(Series { label, points, band: Vec::new(), style: None, dots: false });
    }
    if let Some(c) = constant {
        let rounds = group[0].curve.round.iter().filter(|r| **r > 1);
        let points = rounds.map(|r| (*r as f64, c * (*r as f64).ln())).collect();
        // There is no room for more; what it means is said below the figure.
        let label = format!("Graves–Lai, large T: {}", grouped(c * (group[0].horizon as f64).ln()));
        series.push(Series { label, points, band: Vec::new(), style: None, dots: false });
    }
    let drawn = theorems.unwrap_or_default().iter().filter(|theorem| theorem.says_something);
    series.extend(drawn.map(|theorem| Series {
        label: format!("upper bound: {}", grouped(theorem.bound)),
        points: vec![(group[0].horizon as f64, theorem.bound)],
        band: Vec::new(),
        style: styles.get(theorem.policy).copied(),
        dots: true,
    }));
    Panel {
        title: heading(&group[0], results.experiment.seed),
        x: "round t".to_owned(),
        y: cumulative(results.experiment.regrets.first().copied().unwrap_or_default()),
        logarithmic: theorems.is_some(),
        series,
        note: d.map_or_else(String::new, |_| BOUND_NOTE.to_owned()),
    }
}

/// The curves of one environment and horizon in a further notion of regret.
pub(super) fn beside(group: &[PolicyResult], place: usize, notion: Notion) -> Panel {
    let series = group.iter().zip(styles_of(group)).filter_map(|(result, style)| {
        let other = result.others.get(place)?;
        Some(Series {
            label: format!("{}: {}", result.label, grouped(other.final_regret.mean)),
            points: other.curve.round.iter().map(|r| *r as f64).zip(other.curve.mean.iter().copied()).collect(),
            band: other.curve.sd.clone(),
            style: Some(style),
            dots: false,
        })
    });
    Panel {
        title: format!("{}: {} regret", group[0].environment, notion.name()),
        x: "round t".to_owned(),
        y: cumulative(notion),
        logarithmic: false,
        series: series.collect(),
        note: String::new(),
    }
}

/// What an axis says: Borda, Condorcet and Copeland are names.
fn cumulative(notion: Notion) -> String {
    let (first, rest) = notion.name().split_at(1);
    let first = if notion == Notion::Utility { first.to_owned() } else { first.to_uppercase() };
    format!("cumulative {first}{rest} regret")
}

/// The paper's d, where the lower bound applies.
pub(super) fn hard_dimension(results: &Results, group: &[PolicyResult]) -> Option<usize> {
    let experiment = &results.experiment;
    match experiment.environments.get(group[0].world / experiment.horizons.len().max(1))? {
        EnvironmentConfig::Hard { d, .. } if experiment.regrets.first() == Some(&Notion::Borda) => Some(*d as usize),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_has_one_colour_in_whatever_company() {
        let colours =
            |names: &[&str]| styles(names.iter().copied()).iter().map(|style| style % palette::ROUND).collect();
        let both: Vec<usize> = colours(&["dts", "bexp3", "bexp3"]);
        let alone: Vec<usize> = colours(&["bexp3"]);
        assert_eq!((both[1], both[2]), (alone[0], alone[0]));
        let paper = Experiment::paper_policies();
        let mut six: Vec<usize> = colours(&paper.iter().map(PolicyConfig::name).collect::<Vec<_>>());
        six.sort_unstable();
        six.dedup();
        assert_eq!(six.len(), paper.len());
        let all = styles(POLICIES.iter().copied().chain(["bexp3", "mine", "theirs"]));
        assert!((1..all.len()).all(|at| !all[..at].contains(&all[at])), "{all:?}");
    }
}
