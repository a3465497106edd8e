//! Curves for fixed seeds, pinned: whoever changes one of these numbers changes what users have published.

use borduel::experiment::{EnvironmentConfig, NoSources};
use borduel::{Experiment, POLICIES, PolicyConfig};

/// Final regret of two replications of every policy on two small instances, as far as its assumptions hold there; 1e-9 relative,
/// since sums through a GEMM differ between processors.
#[test]
fn final_regrets_are_what_they_were() {
    let policies = POLICIES.iter().map(|name| PolicyConfig::named(name).unwrap());
    // In the hard instance many items tie, and their vectors belong to pairs.
    let at_home = |policy: &PolicyConfig| !policy.assumes_condorcet_winner() && !policy.needs_item_features();
    let glm = toml::from_str(
        "kind = \"glm\"\nlink = \"logistic\"\nfeatures = { kind = \"differences\", items = 10, dim = 3 }",
    )
    .unwrap();
    let run = |environment: EnvironmentConfig, policies: Vec<PolicyConfig>| {
        let mut experiment = Experiment::new("golden", vec![environment], policies);
        (experiment.runs, experiment.horizons, experiment.seed) = (2, vec![20_000], 2023);
        experiment.run(&NoSources).unwrap().policies
    };
    let mut results = run(EnvironmentConfig::Hard { d: 3, gap: None }, policies.clone().filter(at_home).collect());
    results.extend(run(glm, policies.collect()));
    let found: Vec<(&str, &[f64])> = results.iter().map(|p| (p.policy.as_str(), &p.final_regrets[..])).collect();
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
dts [4952.291666666664, 4216.624999999996]
ccb [6132.874999999998, 6340.874999999999]
versatile [4560.499999999997, 5506.333333333331]
self-sparring [5283.666666666664, 3900.6666666666624]
active-ranking [7436.083333333331, 7620.374999999998]
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
rucb [889.6586544096303, 734.2611131400685]
dts [230.35026747175993, 222.36507340639378]
rmed [283.97394382872136, 247.2482381515082]
merge [228.91434994359633, 288.2163562981083]
ccb [661.8045733031763, 1000.6797224412676]
versatile [360.5425948675299, 423.6714446919088]
self-sparring [175.34188233114983, 160.31035271469756]
winner-stays [2828.4307304852396, 2893.017470574963]
winner-stays-strong [356.0857980168571, 375.01762119488296]
active-ranking [4986.590172057274, 5229.143927471989]
max-inp [57.97553478754697, 86.96588583414298]
colstim [87.78415523872829, 60.79016284680646]
max-pair-ucb [67.47699203311265, 51.14797294122828]
vacdb [12.967852277579635, 15.985096257246528]
fgts [209.20917950709224, 222.10995448390702]
uniform [6852.617384345671, 6846.538677521114]";
