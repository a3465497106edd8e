//! What the theorems promise about the policies of a group, and what of it is worth drawing.

use super::bounds;
use borduel::PolicyConfig;
use borduel::experiment::{PolicyResult, World};

/// A theorem's promise about a policy of a group.
pub(super) struct Theorem {
    pub(super) policy: usize,
    pub(super) bound: f64,
    /// Whether it is below the largest regret there can be.
    pub(super) says_something: bool,
}

/// All promises about these policies in this world.
pub(super) fn of(world: &World, policies: &[PolicyConfig], group: &[PolicyResult]) -> Vec<Theorem> {
    let most = bounds::largest(world) * group[0].horizon as f64;
    let theorem = |(policy, (config, result)): (usize, (&PolicyConfig, &PolicyResult))| {
        let bound = bounds::upper(world, config, result)?;
        Some(Theorem { policy, bound, says_something: bound < most })
    };
    policies.iter().zip(group).enumerate().filter_map(theorem).collect()
}

/// What the logarithmic picture shows of them.
pub(super) fn line(theorems: &[Theorem], group: &[PolicyResult]) -> String {
    let mut out = String::new();
    if theorems.iter().any(|theorem| theorem.says_something) {
        out += " Dots at T, in the colours of their policies, are the theorems’ upper bounds with the constants of their proofs.";
    }
    let silent: Vec<&str> =
        theorems.iter().filter(|t| !t.says_something).map(|t| group[t.policy].label.as_str()).collect();
    if !silent.is_empty() {
        out += &format!(
            " With the constants of its proof the upper bound for {} is above the largest regret there can be here, and not drawn.",
            silent.join(", ")
        );
    }
    out
}
