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
    let text = found.iter().map(|(name, finals)| format!("{name} {finals:?}")).collect::<Vec<_>>().join("\n");
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

const PINNED: &str = "\
betc-glm [2974.7916666666665, 2973.0]
betc-glm-match [938.5, 938.6666666666666]
betc-glm-adaptive [55.66666666666666, 58.33333333333332]
bexp3 [3569.8749999999977, 3851.541666666664]
bexp3-centred [3574.6666666666642, 3613.8333333333308]
ucb-borda [5195.541666666666, 5173.875]
dexp3 [5047.666666666664, 5187.95833333333]
etc-borda [2167.083333333333, 2163.25]
find-winner [2016.4999999999943, 1964.916666666661]
anytime [811.875, 810.1666666666666]
uniform [10008.666666666666, 9999.083333333332]
betc-glm [1992.5678340775655, 1980.314021272177]
betc-glm-match [627.123668704427, 628.030634361335]
betc-glm-adaptive [42.56311639422172, 30.60716159954417]
bexp3 [2799.904289605504, 2688.925892437135]
bexp3-centred [2776.8620491825136, 2766.9698874093474]
ucb-borda [3518.700936803637, 3593.344444268688]
dexp3 [3575.536777072088, 3679.53493294577]
etc-borda [1250.5726974671632, 1255.936789945876]
find-winner [1863.8505639742898, 1315.7136675324818]
anytime [542.3917907687993, 542.5125099976176]
uniform [6852.617384345671, 6846.538677521114]";
