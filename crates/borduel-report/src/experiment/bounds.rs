//! The theorems' upper bounds with the constants of their proofs, and whether they say anything.

use borduel::experiment::{PolicyResult, World};
use borduel::policy::Setting;
use borduel::{Link, PolicyConfig, theory};

/// What a theorem promises for this policy with these settings in this world, at the horizon; nothing where none
/// applies.
///
/// The link must be linear, so that κ = 1 whatever the parameter is; λ₀ must not exceed the true one where the theorem
/// uses it; and nothing may have been clamped, or set by hand in ways that the proofs do not know.
pub(super) fn upper(world: &World, policy: &PolicyConfig, result: &PolicyResult) -> Option<f64> {
    let problem = world.problem();
    if problem.link() != Link::Linear || !result.clamped.is_empty() || !by_the_book(policy) {
        return None;
    }
    let number = |name: &str| match result.settings.get(name)? {
        Setting::Count(value) => Some(*value as f64),
        Setting::Number(value) => Some(*value),
        Setting::Word(_) => None,
    };
    let honest = || number("lambda0").is_some_and(|value| value <= problem.features().lambda0() * (1.0 + 1e-9));
    let (horizon, link, fixed) = (result.horizon, Link::Linear, !world.changes());
    let explored = || {
        let (exploration, epsilon, delta) = (number("exploration")? as u64, number("epsilon")?, number("delta")?);
        Some(theory::Explored { exploration, epsilon, delta, horizon, kappa: 1.0, link })
    };
    match result.policy.as_str() {
        "betc-glm" if fixed => Some(explored()?.fewer_arms_bound(problem.items())),
        "betc-glm-match" if fixed && honest() => Some(explored()?.matching_bound(problem.dim())),
        "bexp3" if honest() => {
            Some(theory::bexp3_bound(problem.items(), problem.dim(), horizon, number("eta")?, number("gamma")?))
        }
        _ => None,
    }
}

/// Whether all settings but λ₀ follow from the paper's formulas.
fn by_the_book(policy: &PolicyConfig) -> bool {
    let but_lambda0 = |policy: &PolicyConfig| {
        let mut table = toml::Table::try_from(policy).unwrap_or_default();
        table.remove("lambda0");
        table
    };
    PolicyConfig::named(policy.name()).is_ok_and(|usual| but_lambda0(policy) == but_lambda0(&usual))
}

/// The largest regret there can be in a round: 2(max B − min B), or 2 where scores change.
pub(super) fn largest(world: &World) -> f64 {
    if world.changes() {
        return 2.0;
    }
    let scores = world.environment().scores(1);
    2.0 * (scores.iter().copied().fold(0.0, f64::max) - scores.iter().copied().fold(1.0, f64::min))
}
