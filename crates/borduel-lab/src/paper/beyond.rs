//! `borduel reproduce beyond`: what the policies that the paper does not have are worth, and everything else it leaves
//! out.

mod document;
mod figures;
mod worlds;

use crate::experiment::folder::Folder;
use crate::experiment::played::Played;
use crate::failure::Failure;
use borduel::environment::adversarial::Path;
use borduel::experiment::{EnvironmentConfig, FeatureConfig, PolicyResult, Spacing};
use borduel::policy::anytime::{self, Method};
use borduel::{Experiment, Feedback, Link, PolicyConfig, Timing};
pub use worlds::eventtime;

/// The names of the experiments.
const REGRET: &str = "beyond-regret";
const BROAD: &str = "beyond-broad";
const LARGE: &str = "beyond-large";
const HORIZONS: &str = "beyond-horizons";
const ANYTIME: &str = "beyond-anytime";
const CENTRED: &str = "beyond-centred";
const DELAY: &str = "beyond-delay";
const BATCH: &str = "beyond-batch";

/// Those compared by regret under delay: what seeks the Borda winner by regret, without the frame for others.
const DELAYED: [&str; 9] = [
    "betc-glm",
    "betc-glm-match",
    "betc-glm-adaptive",
    "bexp3",
    "bexp3-centred",
    "ucb-borda",
    "dexp3",
    "etc-borda",
    "uniform",
];
/// The longest delays and the sizes of batches that are tried, apart from none.
const LATE: [u64; 4] = [10, 100, 1000, 5000];

/// Policies that are compared with themselves without a horizon: how, and how much more that may cost.
const ENDLESS: [(&str, Option<Method>, f64); 8] = [
    ("betc-glm-adaptive", None, 2.0),
    ("betc-glm-adaptive", Some(Method::Doubling), 2.0),
    ("betc-glm-match", Some(Method::Doubling), 2.0),
    ("betc-glm", Some(Method::Doubling), 2.0),
    ("etc-borda", Some(Method::Doubling), 2.0),
    ("bexp3", None, 3.0),
    ("bexp3", Some(Method::Doubling), 3.0),
    ("dexp3", Some(Method::Doubling), 3.0),
];

/// The experiments, for T rounds where a single number is asked for; `eventtime` is the crowd to use.
pub fn experiments(horizon: u64, eventtime: &EnvironmentConfig) -> Result<Vec<Experiment>, Failure> {
    let hard = |gap| EnvironmentConfig::Hard { d: 6, gap };
    let glm = ["betc-glm", "betc-glm-match", "betc-glm-adaptive"];
    let part = |share: u64| (horizon / share).max(1);
    // The gap of the lower bound.
    let least = (6.0 * horizon as f64).powf(-1.0 / 3.0) / 40_f64.sqrt();
    let instances = vec![hard(None), hard(Some(1.0 / 96.0)), hard(Some(least)), eventtime.clone()];
    let mut list = vec![
        make(REGRET, 2000, &[horizon], instances, named(&glm)?),
        make(BROAD, 200, &[horizon], only(worlds::broad()), named(&glm)?),
        make(LARGE, 200, &[horizon], only(worlds::large()), named(&glm)?),
        make(
            HORIZONS,
            200,
            &[part(1000), part(100), part(10), horizon.saturating_mul(10)],
            only(worlds::few(eventtime)),
            named(&glm)?,
        ),
        make(ANYTIME, 50, &[part(100), part(10), horizon], vec![hard(None)], endless()?),
        make(CENTRED, 20, &[horizon], changing(hard(None), eventtime)?, named(&["bexp3", "bexp3-centred"])?),
    ];
    for (most, timing) in
        [(0, Timing::Immediate)].into_iter().chain(LATE.map(|most| (most, Timing::Delayed { least: 0, most })))
    {
        let mut experiment = make(&format!("{DELAY}-{most}"), 20, &[part(10)], vec![hard(None)], named(&DELAYED)?);
        experiment.feedback = Feedback::new(timing);
        list.push(experiment);
    }
    for size in [1].into_iter().chain(LATE) {
        let policies = named(&["betc-glm-adaptive"])?;
        let mut experiment = make(&format!("{BATCH}-{size}"), 200, &[horizon], vec![hard(None)], policies);
        experiment.feedback = Feedback::new(Timing::Batched { size });
        list.push(experiment);
    }
    Ok(list)
}

fn make(
    name: &str,
    runs: u64,
    horizons: &[u64],
    environments: Vec<EnvironmentConfig>,
    policies: Vec<PolicyConfig>,
) -> Experiment {
    let mut experiment = Experiment::new(name, environments, policies);
    experiment.seed = 11;
    experiment.runs = runs;
    experiment.horizons = horizons.to_vec();
    experiment.checkpoints = 60;
    experiment.spacing = Spacing::Logarithmic;
    experiment
}

/// The instances without their names.
fn only(list: Vec<worlds::NamedWorld>) -> Vec<EnvironmentConfig> {
    list.into_iter().map(|(_, environment)| environment).collect()
}

fn named(names: &[&str]) -> Result<Vec<PolicyConfig>, Failure> {
    let one = |name: &&str| PolicyConfig::named(name).map_err(|error| Failure::Internal(error.to_string()));
    names.iter().map(one).collect()
}

/// Every policy that knows the horizon, followed by the same one that does not.
fn endless() -> Result<Vec<PolicyConfig>, Failure> {
    let mut policies = Vec::new();
    for (name, method, _) in ENDLESS {
        let base = named(&[name])?.remove(0);
        let mut config = anytime::Config::of(base.clone());
        config.method = method;
        policies.extend([base, PolicyConfig::Anytime(config)]);
    }
    Ok(policies)
}

/// The hard case, a crowd, and every kind of change.
fn changing(hard: EnvironmentConfig, eventtime: &EnvironmentConfig) -> Result<Vec<EnvironmentConfig>, Failure> {
    let mut list = vec![hard, eventtime.clone()];
    for kind in ["switching", "rotating", "drifting"] {
        let path = Path::named(kind).map_err(|error| Failure::Internal(error.to_string()))?;
        let features = FeatureConfig::Hard { d: 6 };
        list.push(EnvironmentConfig::Adversarial { features, link: Link::Linear, path, strength: None });
    }
    Ok(list)
}

/// Writes the document and its figures.
pub fn write(played: &[&Played], command: &str, folder: &Folder) -> Result<(), Failure> {
    for (file, figure) in [
        ("beyond-anytime.svg", figures::anytime(played)),
        ("beyond-delay.svg", figures::delay(played)),
        ("beyond-batches.svg", figures::batches(played)),
        ("beyond-distribution.svg", figures::distribution(played)),
    ] {
        folder.write(file, figure.standalone().as_bytes())?;
    }
    folder.write("BEYOND.md", document::text(played, command).as_bytes())
}

/// The experiment of this name.
fn find<'a>(played: &[&'a Played], name: &str) -> Option<&'a Played> {
    played.iter().find(|p| p.results.experiment.name == name).copied()
}

/// What an instance is called: a crowd's file is in the command already.
fn instance(result: &PolicyResult) -> String {
    if result.environment.starts_with("crowd (") {
        return "EventTime, recovered".to_owned();
    }
    result.environment.clone()
}

/// Mean final regrets of an experiment over delays or batch sizes: x, the policy's place, mean and standard error.
fn series(played: &[&Played], prefix: &str, policy: usize, none: u64) -> Vec<(f64, f64, f64)> {
    let sizes = [none].into_iter().chain(LATE);
    let found = sizes.filter_map(|size| Some((size, find(played, &format!("{prefix}-{size}"))?)));
    let point = |(size, played): (u64, &Played)| {
        let regret = &played.results.policies[policy].final_regret;
        (size as f64, regret.mean, regret.se)
    };
    found.map(point).collect()
}
