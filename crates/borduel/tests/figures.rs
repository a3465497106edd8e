//! The peers' policies held against figures known from elsewhere.

use borduel::environment::instance::{Instance, Name};
use borduel::experiment::{EnvironmentConfig, NoSources};
use borduel::{Experiment, Notion};

/// The mean of some numbers, and its standard error.
pub(crate) fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let sd = (values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
    (mean, sd / n.sqrt())
}

/// Six rankers, T = 10⁵, mean regret and its standard error from naive implementations in another language; as many
/// runs of ours.
#[test]
fn regret_on_six_rankers_is_what_is_known_of_it() {
    let known: [(&str, Notion, f64, f64); 14] = [
        ("policy = \"uniform\"", Notion::Condorcet, 5999.6, 0.8),
        ("policy = \"rucb\"", Notion::Condorcet, 569.0, 12.0),
        ("policy = \"dts\"", Notion::Condorcet, 149.0, 4.0),
        ("policy = \"dts\"\nplus = true", Notion::Condorcet, 157.0, 4.0),
        ("policy = \"rmed\"", Notion::Condorcet, 264.0, 6.0),
        ("policy = \"rmed\"\nvariant = \"rmed2\"", Notion::Condorcet, 301.0, 11.0),
        ("policy = \"rmed\"\nvariant = \"rmed2fh\"", Notion::Condorcet, 333.0, 11.0),
        ("policy = \"ccb\"", Notion::Condorcet, 546.0, 13.0),
        ("policy = \"merge\"", Notion::Condorcet, 193.0, 5.0),
        ("policy = \"merge\"\nchoice = \"ucb\"", Notion::Condorcet, 237.0, 6.0),
        ("policy = \"winner-stays\"", Notion::CondorcetMin, 6.8, 1.0),
        ("policy = \"winner-stays\"", Notion::Condorcet, 3009.0, 3.0),
        ("policy = \"winner-stays-strong\"", Notion::Condorcet, 129.0, 2.0),
        ("policy = \"active-ranking\"", Notion::Condorcet, 4771.0, 29.0),
    ];
    hold(&known, Name::SixRankers, 100_000, 100);
}

/// The same of those that step through every round.
#[test]
fn regret_on_six_rankers_of_those_who_never_rest_is_what_is_known_of_it() {
    let known: [(&str, Notion, f64, f64); 5] = [
        ("policy = \"versatile\"", Notion::Condorcet, 301.0, 7.0),
        ("policy = \"versatile\"\nestimator = \"iw\"", Notion::Condorcet, 564.0, 19.0),
        ("policy = \"versatile\"\nplayers = \"shared\"", Notion::Condorcet, 189.0, 6.0),
        ("policy = \"versatile\"\nplayers = \"shared\"\nestimator = \"iw\"", Notion::Condorcet, 413.0, 8.0),
        ("policy = \"self-sparring\"", Notion::Condorcet, 163.0, 5.0),
    ];
    hold(&known, Name::SixRankers, 100_000, 100);
}

/// The cube, T = 2000, from the same source with 30 runs.
#[test]
fn regret_on_the_cube_is_what_is_known_of_it() {
    let known: [(&str, Notion, f64, f64); 7] = [
        ("policy = \"uniform\"", Notion::Utility, 7225.0, 13.0),
        ("policy = \"max-inp\"", Notion::Utility, 362.0, 8.0),
        ("policy = \"max-pair-ucb\"", Notion::Utility, 212.0, 4.0),
        ("policy = \"max-pair-ucb\"\nrobustness = 0.1", Notion::Utility, 640.0, 5.0),
        ("policy = \"colstim\"", Notion::Utility, 634.0, 7.0),
        ("policy = \"vacdb\"", Notion::Utility, 283.0, 10.0),
        ("policy = \"fgts\"\nfeel_good = 0", Notion::Utility, 629.0, 11.0),
    ];
    hold(&known, Name::Cube, 2000, 30);
}

/// Our mean regret within three standard errors of both of what is known.
fn hold(known: &[(&str, Notion, f64, f64)], name: Name, horizon: u64, runs: u64) {
    let mut wrong = Vec::new();
    for (text, notion, mean, error) in known {
        let instance = EnvironmentConfig::Instance(Instance::named(name));
        let mut experiment = Experiment::new("known", vec![instance], vec![toml::from_str(text).unwrap()]);
        (experiment.runs, experiment.horizons, experiment.regrets) = (runs, vec![horizon], vec![*notion]);
        experiment.checkpoints = 1;
        let results = experiment.run(&NoSources).unwrap();
        let (ours, own) = mean_and_error(&results.policies[0].final_regrets);
        let line = format!("{text:60} {ours:9.1} ± {own:5.1}, known {mean} ± {error}").replace('\n', ", ");
        println!("{line}");
        if (ours - mean).abs() > 3.0 * own.hypot(*error) {
            wrong.push(line);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
