//! Curves for fixed seeds, pinned: whoever changes one of these numbers changes what users have published.

use borduel::experiment::{EnvironmentConfig, NoSources};
use borduel::{Experiment, POLICIES, PolicyConfig};

/// Final regret of two replications of every policy on two small instances, as far as its assumptions hold there; 1e-9
/// relative, since sums through a GEMM differ between processors.
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
betc-glm-adaptive [196.6666666666666, 141.87499999999997]
bexp3 [3369.833333333331, 3800.6249999999973]
bexp3-centred [3758.7083333333308, 3504.8749999999977]
ftrl-borda [2972.8333333333303, 2016.4583333333312]
ftrl-linear [643.0833333333327, 684.3749999999994]
greedy-glm [870.625, 846.7916666666666]
track-borda [2147.416666666664, 2635.9999999999955]
track-linear [828.8333333333333, 859.2499999999999]
ucb-borda [5232.208333333333, 5241.625]
dexp3 [5086.916666666664, 5784.749999999996]
etc-borda [2167.083333333333, 2163.25]
find-winner [2061.0833333333276, 2054.541666666661]
anytime [811.875, 810.1666666666666]
dts [5677.958333333333, 5410.7916666666615]
ccb [6175.916666666665, 6263.583333333332]
versatile [3999.2916666666633, 4331.708333333331]
self-sparring [5841.041666666665, 6013.791666666664]
active-ranking [7484.083333333331, 7430.083333333331]
uniform [10008.666666666666, 9999.083333333332]
betc-glm [1992.5678340775655, 1980.314021272177]
betc-glm-match [627.123668704427, 628.030634361335]
betc-glm-adaptive [176.8070371427011, 135.23064681169788]
bexp3 [2655.4796847217463, 2778.106369853745]
bexp3-centred [2734.8070990326796, 2783.783864003874]
ftrl-borda [583.3847583480471, 1189.340186588156]
ftrl-linear [479.2440957870265, 524.6743041272811]
greedy-glm [633.5428851495968, 594.5568376878376]
track-borda [1392.6023612388842, 841.0258783283055]
track-linear [651.5494545887094, 680.8989159394414]
ucb-borda [3576.0390445075304, 3580.576999854221]
dexp3 [3710.4253225787497, 3781.7590653991906]
etc-borda [2837.0638501551643, 1255.936789945876]
find-winner [1255.8967996527404, 1241.6973067444023]
anytime [542.3917907687993, 542.5125099976176]
rucb [995.6600302026619, 936.3139371550407]
dts [189.0504683003416, 246.79925895830695]
rmed [332.9661720317932, 356.07209790099336]
merge [292.57744934876473, 375.71290607720806]
ccb [756.6706491227684, 873.6107804625757]
versatile [449.8571147820494, 382.4093697812605]
self-sparring [163.29059433558803, 207.61054165625762]
winner-stays [2857.373736118221, 2727.0829579085394]
winner-stays-strong [364.8201059844378, 404.5457856475642]
active-ranking [5154.076073904728, 5154.859246825665]
max-inp [91.11473802742455, 117.56396610915684]
colstim [74.04107577997618, 52.13409649310359]
max-pair-ucb [128.81431501733798, 95.88186593084778]
max-min-lcb [29.282175937188725, 56.23772318602287]
vacdb [101.15047533632291, 1946.7641733665828]
fgts [217.30922168796195, 207.59185406879175]
uniform [6852.617384345671, 6846.538677521114]";
