//! What the theorems promise about the policies of a group, and what of it is worth drawing.

use super::bounds;
use crate::numbers::grouped;
use borduel::experiment::{PolicyResult, World};
use borduel::{Notion, PolicyConfig};

/// A theorem's promise about a policy of a group.
pub(super) struct Theorem {
    pub(super) policy: usize,
    pub(super) bound: f64,
    /// Whether it is below the largest regret there can be.
    pub(super) says_something: bool,
}

/// All promises about these policies in this world. Policies of somebody's own may stand between those of the list.
pub(super) fn of(world: &World, policies: &[PolicyConfig], group: &[PolicyResult]) -> Vec<Theorem> {
    let most = bounds::largest(world) * group[0].horizon as f64;
    let mut listed = policies.iter().peekable();
    let theorem = |(policy, result): (usize, &PolicyResult)| {
        let config = listed.next_if(|config| config.name() == result.policy)?;
        let bound = bounds::upper(world, config, result)?;
        Some(Theorem { policy, bound, says_something: bound < most })
    };
    group.iter().enumerate().filter_map(theorem).collect()
}

/// What the logarithmic picture shows of them.
pub(super) fn line(theorems: &[Theorem], group: &[PolicyResult]) -> String {
    let mut out = String::new();
    if theorems.iter().any(|theorem| theorem.says_something) {
        out += " Dots at T, in the colours of their policies, are the theorems’ upper bounds with the constants of \
            their proofs.";
    }
    let silent: Vec<&str> =
        theorems.iter().filter(|t| !t.says_something).map(|t| group[t.policy].label.as_str()).collect();
    if !silent.is_empty() {
        out += &format!(
            " With the constants of its proof the upper bound for {} is above the largest regret there can be here, \
             and not drawn.",
            silent.join(", ")
        );
    }
    out
}

/// Where T is not as large as the theorems want it: T > 4d² for the lower bound on the hard instance of d dimensions,
/// and for the upper bounds of those that explore and commit, that exploring does not take all of T.
pub(super) fn too_short(group: &[PolicyResult], hard: Option<usize>) -> String {
    let mut out = String::new();
    let horizon = group[0].horizon as f64;
    if let Some(d) = hard.filter(|d| horizon <= 4.0 * (d * d) as f64) {
        let least = grouped(4.0 * (d * d) as f64);
        out += &format!(
            " The lower bound’s theorem asks for T > 4d² = {least}, which T is not: the line promises nothing here."
        );
    }
    let whole_time: Vec<&str> =
        group.iter().filter(|r| r.clamped.get("exploration").is_some()).map(|r| r.label.as_str()).collect();
    if !whole_time.is_empty() {
        out += &format!(
            " T is too small for the theorem about {}: exploring by its formulas would take more than all of it.",
            whole_time.join(", ")
        );
    }
    out
}

/// What is linear by design, where one of these notions shows it: the theorem about weak `winner-stays` is about weak
/// regret alone.
pub(super) fn linear(group: &[PolicyResult], regrets: &[Notion]) -> String {
    let shown = regrets.iter().any(|notion| *notion != Notion::CondorcetMin);
    let weak = group.iter().find(|result| shown && result.policy == "winner-stays");
    weak.map_or_else(String::new, |result| {
        format!(
            " {} lets its winner meet others for ever, by design: its weak regret (condorcet-min) stays bounded, and \
             its regret in every other notion grows linearly.",
            result.label
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use borduel::experiment::{EnvironmentConfig, NoSources};
    use borduel::{Experiment, Link};

    #[test]
    fn a_horizon_that_is_too_short_is_said_to_be() {
        let played = |horizon: u64| {
            let environment = EnvironmentConfig::Hard { d: 3, gap: None };
            let mut experiment = Experiment::new("x", vec![environment], Experiment::paper_policies());
            (experiment.horizons, experiment.runs) = (vec![horizon], 1);
            experiment.run(&NoSources).unwrap()
        };
        let short = too_short(&played(36).policies, Some(3));
        assert!(short.contains("T > 4d² = 36") && short.contains("BETC-GLM, "), "{short}");
        let long = too_short(&played(100_000).policies, Some(3));
        assert_eq!(long, "");
    }

    #[test]
    fn promises_are_about_the_policies_of_the_list_wherever_they_stand() {
        let environment = EnvironmentConfig::Hard { d: 3, gap: None };
        let mut experiment = Experiment::new("x", vec![environment], Experiment::paper_policies());
        (experiment.horizons, experiment.runs) = (vec![100_000], 1);
        let plan = experiment.plan(&NoSources).unwrap();
        let group = experiment.run(&NoSources).unwrap().policies;
        let bounds = |group: &[PolicyResult]| {
            let theorems = of(&plan.worlds()[0], &experiment.policies, group);
            theorems.iter().map(|theorem| (theorem.policy, theorem.bound)).collect::<Vec<_>>()
        };
        let usual = bounds(&group);
        assert!(!usual.is_empty());
        // One's own comes first.
        let mut joined = group.clone();
        joined.insert(0, group[0].clone());
        "mine".clone_into(&mut joined[0].policy);
        let shifted: Vec<(usize, f64)> = usual.iter().map(|(policy, bound)| (policy + 1, *bound)).collect();
        assert_eq!(bounds(&joined), shifted);
    }

    #[test]
    fn regret_that_is_linear_by_design_is_said_to_be() {
        let rows = Some(vec![vec![0.5, 0.8], vec![0.2, 0.5]]);
        let environment = EnvironmentConfig::Matrix { rows, table: None, link: Link::Logistic, features: None };
        let policies = ["winner-stays", "winner-stays-strong"].map(|name| PolicyConfig::named(name).unwrap());
        let mut experiment = Experiment::new("x", vec![environment], policies.to_vec());
        (experiment.horizons, experiment.runs) = (vec![100], 1);
        let played = experiment.run(&NoSources).unwrap().policies;
        let strong = linear(&played, &[Notion::CondorcetMin, Notion::Condorcet]);
        assert!(strong.starts_with(" Winner-Stays (weak) lets"), "{strong}");
        assert_eq!(linear(&played, &[Notion::CondorcetMin]), "");
        assert_eq!(linear(&played[1..], &[Notion::Condorcet]), "");
    }
}
