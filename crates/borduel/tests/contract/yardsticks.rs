//! Every policy under its own yardstick: the regret that it aims at is the same whatever else is measured in the same
//! run.

use super::variants::{config, every};
use super::{bytes, feedbacks};
use borduel::environment::instance::{Instance, Name};
use borduel::experiment::{EnvironmentConfig, NoSources};
use borduel::{Experiment, Notion, POLICIES, PolicyConfig};

/// A world with a clear winner in every notion, at which a policy can play, and all notions that it has.
fn world(config: &PolicyConfig) -> (Instance, Vec<Notion>) {
    let mut notions =
        vec![Notion::Borda, Notion::Condorcet, Notion::CondorcetMax, Notion::CondorcetMin, Notion::Copeland];
    if config.needs_item_features() {
        let mut cube = Instance::named(Name::Cube);
        cube.d = Some(2);
        notions.push(Notion::Utility);
        return (cube, notions);
    }
    let mut savage = Instance::named(Name::Savage);
    savage.items = Some(4);
    (savage, notions)
}

#[test]
fn every_policy_is_measured_by_its_own_yardstick_as_beside_all_others() {
    for name in every() {
        let config = config(name);
        let own = config.aims_at();
        let (instance, mut notions) = world(&config);
        notions.retain(|notion| *notion != own);
        notions.insert(0, own);
        for feedback in feedbacks() {
            let environment = EnvironmentConfig::Instance(instance.clone());
            let mut all = Experiment::new("yardsticks", vec![environment], vec![config.clone()]);
            (all.runs, all.horizons, all.checkpoints) = (2, vec![1500], 20);
            (all.regrets, all.feedback) = (notions.clone(), feedback);
            let together = all.run(&NoSources).unwrap().policies.remove(0);
            for (place, notion) in notions.iter().enumerate() {
                let mut alone = all.clone();
                alone.regrets = vec![*notion];
                let alone = alone.run(&NoSources).unwrap().policies.remove(0);
                let (regrets, curve, found) = match place.checked_sub(1).map(|place| &together.others[place]) {
                    None => (&together.final_regrets, &together.curve, together.winner_found),
                    Some(other) => (&other.final_regrets, &other.curve, other.winner_found),
                };
                assert_eq!(&alone.final_regrets, regrets, "{name}, {notion:?}, {feedback:?}");
                assert_eq!(bytes(&alone.curve), bytes(curve), "{name}, {notion:?}, {feedback:?}");
                assert_eq!(alone.winner_found, found, "{name}, {notion:?}, {feedback:?}");
            }
        }
    }
}

/// What every policy aims at: Condorcet and Copeland winners where it compares pairs, else Borda's.
#[test]
fn what_a_policy_aims_at_is_known() {
    let aims = |notion| POLICIES.iter().filter(move |name| PolicyConfig::named(name).unwrap().aims_at() == notion);
    let list = |notion| aims(notion).copied().collect::<Vec<&str>>();
    assert_eq!(list(Notion::CondorcetMin), ["winner-stays"]);
    let condorcet = ["rucb", "rmed", "merge", "versatile", "self-sparring", "winner-stays-strong", "max-min-lcb"];
    assert_eq!(list(Notion::Condorcet), condorcet);
    assert_eq!(list(Notion::Copeland), ["dts", "ccb"]);
    assert_eq!(list(Notion::BordaDynamic), ["track-borda", "track-linear"]);
}
