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
        assert_eq!(numbers.len(), finals.len(), "{name}");
        for (a, b) in numbers.iter().zip(*finals) {
            assert!((a - b).abs() <= 1e-9 * a.abs(), "{name}: {a} was pinned, {b} came out. All:\n{text}");
        }
    }
}

const PINNED: &str = "\
betc-glm [2974.7916666666665, 2973.0]
betc-glm-match [938.5, 938.6666666666666]
betc-glm-adaptive [48.499999999999986, 83.66666666666664]
bexp3 [3501.7499999999977, 4140.291666666664]
bexp3-centred [3448.333333333331, 3751.4999999999973]
ucb-borda [5204.875, 5174.708333333333]
dexp3 [5059.624999999998, 5198.249999999997]
etc-borda [2167.083333333333, 4773.916666666657]
find-winner [2153.2499999999945, 2099.2083333333276]
anytime [811.875, 810.1666666666666]
uniform [10008.666666666666, 9999.083333333332]
betc-glm [1992.5678340775655, 1980.314021272177]
betc-glm-match [627.123668704427, 628.030634361335]
betc-glm-adaptive [53.94482671336627, 68.3812895870507]
bexp3 [2831.9434049855017, 2975.7028450441094]
bexp3-centred [2795.037450029918, 2714.680765274836]
ucb-borda [3545.941240897547, 3659.3280628469465]
dexp3 [3818.6205516510345, 3803.001815389155]
etc-borda [1250.5726974671632, 1255.936789945876]
find-winner [1077.6315544038273, 1280.3379952132752]
anytime [542.3917907687993, 542.5125099976176]
uniform [6852.617384345671, 6846.538677521114]";
