//! How fast everything is: `cargo bench`, or `cargo bench -- WORD` for one group or what has this word in its name; CSV
//! on standard output.
//!
//! A machine that is shared drifts by a factor of 1.5 and more, so every case is measured several times, all cases in
//! turn, and beside them a loop of plain random draws and one that draws answers and nothing else: what counts is the
//! ratio to them, of which the second stands beside every rate of rounds. Times are CPU seconds of the one thread.

use borduel::design::g_optimal;
use borduel::environment::crowd::Responses;
use borduel::environment::glm::{Shape, random_features, random_theta};
use borduel::environment::instance::{Instance, Name};
use borduel::experiment::{EnvironmentConfig, Experiment, FeatureConfig, NoSources};
use borduel::glm::{FitOptions, fit};
use borduel::stream::{ANSWERS, REPLICATION, numbered};
use borduel::{Borda, Features, Link, POLICIES, PolicyConfig, Result, Tally, stream};
use rustix::time::{ClockId, clock_gettime};
use std::hint::black_box;

/// How often every case is measured.
const REPEATS: usize = 7;

/// A thing to measure: a group, a name, a size, and work that returns how many units were done in how many seconds.
struct Case {
    group: &'static str,
    name: String,
    size: f64,
    unit: &'static str,
    repeats: usize,
    work: Box<dyn Fn() -> Result<(f64, f64)>>,
}

/// CPU seconds of this thread so far.
fn thread_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

fn main() -> Result<()> {
    // Cargo adds flags of its own, such as --bench.
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let mut cases = vec![draws(), answers()];
    cases.extend(rounds());
    cases.extend(peers());
    cases.extend(safe());
    cases.extend(in_contexts());
    cases.extend(growth());
    cases.extend(sizes());
    let named = |case: &Case, word: &str| case.group == word || case.name.split(' ').any(|part| part == word);
    cases.retain(|case| case.group == "draws" || wanted.is_empty() || wanted.iter().any(|word| named(case, word)));
    let mut rates = vec![Vec::new(); cases.len()];
    for repeat in 0..REPEATS {
        for (case, rates) in cases.iter().zip(&mut rates).filter(|(case, _)| repeat < case.repeats) {
            let (units, seconds) = (case.work)()?;
            rates.push(units / seconds);
            eprintln!("{} {} {}: {:.4e} {}/s", case.group, case.name, case.size, units / seconds, case.unit);
        }
    }
    let rates: Vec<[f64; 2]> = rates.into_iter().map(median_and_best).collect();
    // The second case, which is always there.
    let answers = rates[1][0];
    println!("group,name,size,unit,median per second,best per second,answers' worth");
    for (case, [median, best]) in cases.iter().zip(rates) {
        let worth = if case.unit == "rounds" { format!("{:.4}", answers / median) } else { String::new() };
        println!("{},{},{},{},{median:.5e},{best:.5e},{worth}", case.group, case.name, case.size, case.unit);
    }
    Ok(())
}

fn median_and_best(mut rates: Vec<f64>) -> [f64; 2] {
    rates.sort_by(f64::total_cmp);
    [rates[rates.len() / 2], rates[rates.len() - 1]]
}

/// Plain random draws, by which to judge everything else.
fn draws() -> Case {
    let work = || {
        const DRAWS: u32 = 50_000_000;
        let mut stream = stream(1, &[]);
        let start = thread_seconds();
        let sum: f64 = (0..DRAWS).map(|_| stream.uniform()).sum();
        black_box(sum);
        Ok((f64::from(DRAWS), thread_seconds() - start))
    };
    Case { group: "draws", name: "uniform".into(), size: 1.0, unit: "draws", repeats: REPEATS, work: Box::new(work) }
}

/// Answers as the engine draws them, without anybody who asks.
fn answers() -> Case {
    let work = || {
        const ROUNDS: u32 = 50_000_000;
        let answers = numbered(1, &[REPLICATION, 0, ANSWERS]);
        let start = thread_seconds();
        let wins: u64 = (1..=u64::from(ROUNDS)).map(|round| u64::from(answers.uniform(round) < black_box(0.55))).sum();
        black_box(wins);
        Ok((f64::from(ROUNDS), thread_seconds() - start))
    };
    Case { group: "draws", name: "answers".into(), size: 1.0, unit: "draws", repeats: REPEATS, work: Box::new(work) }
}

fn hard(d: u32) -> EnvironmentConfig {
    EnvironmentConfig::Hard { d, gap: None }
}

fn crowd() -> EnvironmentConfig {
    EnvironmentConfig::Crowd { votes: None, responses: Responses::default(), dim: 5, assignments: 100 }
}

/// A policy in an environment: rounds stepped one by one, and the seconds for them.
fn simulation(environment: &EnvironmentConfig, policy: &str, horizon: u64, runs: u64) -> Result<(f64, f64)> {
    let mut experiment = Experiment::new("speed", vec![environment.clone()], vec![PolicyConfig::named(policy)?]);
    experiment.runs = runs;
    experiment.horizons = vec![horizon];
    let plan = experiment.plan(&NoSources)?;
    let (mut rounds, mut seconds) = (0.0, 0.0);
    for job in 0..plan.jobs() {
        let mut run = plan.start(job)?;
        let start = thread_seconds();
        run.until(horizon);
        seconds += thread_seconds() - start;
        rounds += run.finish().stepped as f64;
    }
    Ok((rounds, seconds))
}

fn simulated(
    group: &'static str,
    name: String,
    size: f64,
    environment: EnvironmentConfig,
    policy: &str,
    horizon: u64,
    runs: u64,
) -> Case {
    let policy = policy.to_owned();
    let work = move || simulation(&environment, &policy, horizon, runs);
    Case { group, name, size, unit: "rounds", repeats: REPEATS, work: Box::new(work) }
}

/// Whether the hard instance, where items tie and vectors belong to pairs, is for this policy.
fn at_home(policy: &str) -> bool {
    PolicyConfig::named(policy).is_ok_and(|p| !p.assumes_condorcet_winner() && !p.needs_item_features())
}

/// Every policy on the hard case, K = 128 and T = 10⁶, and BEXP3 on the crowd of 100 items.
fn rounds() -> Vec<Case> {
    let mut cases: Vec<Case> = POLICIES
        .iter()
        // It takes looks, which are timed by themselves.
        .filter(|policy| **policy != "find-winner" && at_home(policy))
        .map(|policy| simulated("rounds", format!("hard {policy}"), 128.0, hard(6), policy, 1_000_000, 5))
        .collect();
    for policy in ["bexp3", "bexp3-centred"] {
        cases.push(simulated("rounds", format!("crowd {policy}"), 100.0, crowd(), policy, 1_000_000, 1));
    }
    cases
}

/// The policies that are safe against any adversary: six rankers and the hard case over 10⁶ rounds, all of them,
/// rested or stepped.
fn safe() -> Vec<Case> {
    let six = EnvironmentConfig::Instance(Instance::named(Name::SixRankers));
    let worlds = [("six-rankers", 6.0, six), ("hard", 128.0, hard(6))];
    let case = |(world, size, environment): &(&str, f64, EnvironmentConfig), policy: &'static str| {
        let (name, environment) = (format!("{world} {policy}"), environment.clone());
        let work = move || {
            let (_, seconds) = simulation(&environment, policy, 1_000_000, PEER_RUNS)?;
            Ok((1e6 * PEER_RUNS as f64, seconds))
        };
        Case { group: "safe", name, size: *size, unit: "rounds", repeats: REPEATS, work: Box::new(work) }
    };
    let mut cases: Vec<Case> =
        worlds.iter().flat_map(|world| ["ftrl-borda", "track-borda"].map(|policy| case(world, policy))).collect();
    cases.extend(["ftrl-linear", "track-linear"].map(|policy| case(&worlds[1], policy)));
    cases
}

/// The policies that know contexts, where ten items have new vectors of ten numbers in every round.
fn in_contexts() -> Vec<Case> {
    let drawn = serde_json::json!({
        "kind": "contexts",
        "theta_sd": 0.1,
        "contexts": {
            "kind": "drawn",
            "items": 10,
            "dim": 10,
            "law": { "kind": "uniform", "low": -std::f64::consts::PI, "high": std::f64::consts::PI },
        },
    });
    let environment: EnvironmentConfig = match serde_json::from_value(drawn) {
        Ok(environment) => environment,
        Err(error) => panic!("the environment of this file is none: {error}"),
    };
    let policies = ["max-pair-ucb", "max-inp", "colstim", "vacdb", "fgts", "greedy-glm", "uniform"];
    let case = |policy| simulated("contexts", format!("drawn {policy}"), 10.0, environment.clone(), policy, 20_000, 2);
    policies.into_iter().map(case).collect()
}

/// How often a peer's policy plays in one measurement: some of them need only milliseconds.
const PEER_RUNS: u64 = 10;

/// The peers' policies where they are compared: six rankers over 10⁶ rounds, all of them, rested or stepped; and those
/// that were stepped before it committed of merging 64 items in batches of 16 over 10⁶ rounds, and with item features
/// on the cube of five dimensions over 10⁵.
fn peers() -> Vec<Case> {
    let pairwise = [
        "rucb",
        "rmed",
        "dts",
        "ccb",
        "versatile",
        "self-sparring",
        "winner-stays",
        "winner-stays-strong",
        "active-ranking",
    ];
    let whole = pairwise.into_iter().map(|policy| {
        let work = move || {
            let six = EnvironmentConfig::Instance(Instance::named(Name::SixRankers));
            let (_, seconds) = simulation(&six, policy, 1_000_000, PEER_RUNS)?;
            Ok((1e6 * PEER_RUNS as f64, seconds))
        };
        let name = format!("six-rankers {policy}");
        Case { group: "peers", name, size: 6.0, unit: "rounds", repeats: REPEATS, work: Box::new(work) }
    });
    let mut many = Instance::named(Name::BradleyTerry);
    many.items = Some(64);
    let many = EnvironmentConfig::Instance(many);
    let merge = simulated("peers", "bradley-terry merge".to_owned(), 64.0, many, "merge", 1_000_000, PEER_RUNS);
    let with_features =
        ["max-inp", "colstim", "max-pair-ucb", "max-min-lcb", "vacdb", "fgts"].into_iter().map(|policy| {
            let cube = EnvironmentConfig::Instance(Instance::named(Name::Cube));
            simulated("peers", format!("cube {policy}"), 32.0, cube, policy, 100_000, PEER_RUNS)
        });
    whole.chain([merge]).chain(with_features).collect()
}

/// The policies whose cost is shown as it grows.
const SHOWN: [&str; 6] = ["uniform", "etc-borda", "betc-glm", "ucb-borda", "dexp3", "bexp3"];

/// How a round's cost grows with K (hard case, d from 3 to 9), with d (random differences, K = 64) and with T.
fn growth() -> Vec<Case> {
    let mut cases = Vec::new();
    for policy in SHOWN {
        for d in 3..=9_u32 {
            let items = f64::from(2_u32 << d);
            cases.push(simulated("growth-k", policy.to_owned(), items, hard(d), policy, 200_000, 3));
        }
        for dim in [2, 4, 8, 16, 32] {
            let features = FeatureConfig::Differences { items: 64, dim };
            let environment = EnvironmentConfig::Glm { link: Link::Linear, features, theta: None, theta_norm: None };
            cases.push(simulated("growth-d", policy.to_owned(), dim as f64, environment, policy, 50_000, 1));
        }
        for exponent in 4..=7 {
            let (horizon, runs) = (10_u64.pow(exponent), 10_u64.pow(7_u32.saturating_sub(exponent)).min(50));
            cases.push(simulated("growth-t", policy.to_owned(), horizon as f64, hard(6), policy, horizon, runs));
        }
    }
    cases.into_iter().map(|case| Case { repeats: 3, ..case }).collect()
}

/// Work that is done once, on large problems: one unit each.
fn once(name: &str, size: f64, work: impl Fn() -> Result<f64> + 'static) -> Case {
    let work = move || Ok((1.0, work()?));
    Case { group: "sizes", name: name.to_owned(), size, unit: "times", repeats: 3, work: Box::new(work) }
}

/// The seconds that some work takes.
fn seconds<T>(work: impl FnOnce() -> T) -> f64 {
    let start = thread_seconds();
    black_box(work());
    thread_seconds() - start
}

/// Item vectors: isotropic, with scales that fall by a factor of 1,000, or in ten tight clusters.
fn vectors(kind: &str, items: usize, dim: usize) -> Vec<f64> {
    let mut s = stream(5, &[]);
    let centres: Vec<f64> = (0..10 * dim).map(|_| s.normal()).collect();
    let entry = |index: usize, normal: f64| match kind {
        "skewed" => normal * 1000_f64.powf(-((index % dim) as f64) / dim as f64),
        "clustered" => centres[(index / dim % 10) * dim + index % dim] + 0.01 * normal,
        _ => normal,
    };
    (0..items * dim).map(|index| entry(index, s.normal())).collect()
}

/// Designs to 1 %, a fit, and Borda scores, at the sizes people have.
fn sizes() -> Vec<Case> {
    let mut cases = vec![once("design dense d = 32", 1_000.0, || {
        let features = random_features(1_000, 32, Shape::Pairs, &mut stream(3, &[]))?;
        Ok(seconds(|| g_optimal(&features, 0.01)))
    })];
    for kind in ["isotropic", "skewed", "clustered"] {
        cases.push(once(&format!("design differences d = 32 {kind}"), 10_000.0, move || {
            let features = Features::differences_scaled(10_000, 32, &vectors(kind, 10_000, 32))?;
            Ok(seconds(|| g_optimal(&features, 0.01)))
        }));
    }
    cases.push(once("logistic fit of 10^6 distinct vectors d = 32", 1_415.0, || {
        let features = random_features(1_415, 32, Shape::Pairs, &mut stream(3, &[]))?;
        let theta = random_theta(32, 2.0, &mut stream(4, &[]));
        let mut tally = Tally::new(&features);
        let mut answers = stream(6, &[]);
        let scores = features.project(&theta);
        for slot in 0..features.distinct() {
            let won = answers.uniform() < Link::Logistic.mu(features.slot_score(&scores, slot));
            tally.add_to_slot(slot, f64::from(u8::from(won)), 1.0);
        }
        Ok(seconds(|| fit(Link::Logistic, &features, &tally, None, &FitOptions::default())))
    }));
    cases.push(once("Borda scores logistic differences d = 32", 10_000.0, || {
        let features = Features::differences_scaled(10_000, 32, &vectors("isotropic", 10_000, 32))?;
        let theta = random_theta(features.dim(), 4.0, &mut stream(4, &[]));
        Ok(seconds(|| Borda::from_model(&features, Link::Logistic, &theta)))
    }));
    cases
}
