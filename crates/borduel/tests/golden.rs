//! Curves for fixed seeds, pinned: whoever changes one of these numbers changes what users have published.

use borduel::experiment::{EnvironmentConfig, NoSources};
use borduel::{Experiment, POLICIES, PolicyConfig};

/// Final regret of two replications of every policy on two small instances; 1e-9 relative, since sums through a GEMM differ
/// between processors.
#[test]
fn final_regrets_are_what_they_were() {
    let policies = POLICIES.iter().map(|name| PolicyConfig::named(name).unwrap()).collect();
    let glm = toml::from_str(
        "kind = \"glm\"\nlink = \"logistic\"\nfeatures = { kind = \"differences\", items = 10, dim = 3 }",
    )
    .unwrap();
    let mut experiment = Experiment::new("golden", vec![EnvironmentConfig::Hard { d: 3, gap: None }, glm], policies);
    experiment.runs = 2;
    experiment.horizons = vec![20_000];
    experiment.seed = 2023;
    let results = experiment.run(&NoSources).unwrap();
    let found: Vec<(&str, &[f64])> =
        results.policies.iter().map(|p| (p.policy.as_str(), &p.final_regrets[..])).collect();
    let text: String = found.iter().map(|(name, finals)| format!("{name} {finals:?}\n")).collect();
    let pinned: Vec<&str> = PINNED.lines().collect();
    assert_eq!(pinned.len(), found.len(), "pin these:\n{text}");
    for (line, (name, finals)) in pinned.iter().zip(&found) {
        let (pinned_name, numbers) = line.split_once(' ').unwrap();
        let numbers: Vec<f64> = serde_json::from_str(numbers).unwrap();
        assert_eq!(pinned_name, *name);
        for (a, b) in numbers.iter().zip(*finals) {
            assert!((a - b).abs() <= 1e-9 * a.abs(), "{name}: {a} was pinned, {b} came out. All:\n{text}");
        }
    }
}

const PINNED: &str = "";
