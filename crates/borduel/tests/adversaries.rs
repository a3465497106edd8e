//! Policies that are safe against any adversary, held against naive versions of themselves: duel by duel, or by the
//! means of many runs; and what is refused.

use crate::figures::mean_and_error;
use crate::naive::adversaries::{Ftrl, Questions, Track};
use crate::naive::peers::Peer;
use borduel::environment::fixed::Fixed;
use borduel::environment::instance::{Instance, Name};
use borduel::environment::{Environment, glm, hard::hard, matrix::matrix};
use borduel::{AnyPolicy, Duel, Judge, Link, Notion, Outcome, Policy, PolicyConfig, Problem, Proposal, Stream, stream};
use rayon::prelude::*;

const HORIZON: u64 = 4000;

fn config(text: &str) -> PolicyConfig {
    toml::from_str(text).unwrap()
}

/// A policy as the naive ones are: asked and told at once.
struct Ours(AnyPolicy, Problem, Option<Proposal>);

impl Ours {
    fn new(text: &str, world: &Fixed, seed: u64) -> Self {
        let policy = config(text).build(world.problem(), stream(seed, &[7])).unwrap();
        Self(policy, world.problem().clone(), None)
    }
}

impl Peer for Ours {
    fn ask(&mut self, _: f64, _: &mut Stream) -> Duel {
        let proposal = self.0.ask(&self.1);
        let duel = proposal.duel;
        self.2 = Some(proposal);
        duel
    }

    fn tell(&mut self, _: Duel, reward: f64) {
        let outcome = if reward == 0.5 { Outcome::Tie } else { Outcome::from_win(reward == 1.0) };
        self.0.tell(&self.1, &self.2.take().unwrap(), outcome);
    }
}

fn world(name: Name, items: Option<usize>, seed: u64) -> Fixed {
    let mut instance = Instance::named(name);
    instance.items = items;
    instance.build(Some(HORIZON), &mut stream(seed, &[1])).unwrap().0
}

/// The duels of a run in which the truth turns round after a third of the time, and its regret before that; a tie now
/// and then.
fn play(peer: &mut dyn Peer, world: &Fixed, seed: u64) -> (Vec<Duel>, f64) {
    let (mut own, mut answers) = (stream(seed, &[7]), stream(seed, &[8]));
    let judge = Judge::new(Notion::Borda, world).unwrap();
    let mut regret = 0.0;
    let duels = (1..=HORIZON).map(|t| {
        let duel = peer.ask(t as f64, &mut own);
        let turned = t > HORIZON / 3;
        let (tie, won) = (answers.uniform() < 0.05, (answers.uniform() < world.probability(t, duel)) != turned);
        regret += judge.regret(t, duel);
        peer.tell(duel, if tie { 0.5 } else { f64::from(u8::from(won)) });
        duel
    });
    (duels.collect(), regret)
}

/// Duel by duel the same, on several worlds.
fn same(text: &str, naive: impl Fn(usize) -> Box<dyn Peer>) {
    let worlds = [(Name::SixRankers, None), (Name::Cyclic, None), (Name::Savage, Some(17)), (Name::Utility, Some(2))];
    for (seed, (name, items)) in worlds.into_iter().enumerate() {
        let world = world(name, items, seed as u64);
        let (fast, _) = play(&mut Ours::new(text, &world, seed as u64), &world, seed as u64);
        let (slow, _) = play(&mut *naive(world.problem().items()), &world, seed as u64);
        let differ = fast.iter().zip(&slow).position(|(a, b)| a != b);
        assert_eq!(differ, None, "{text} on {name:?}: {:?}", differ.map(|t| (fast[t], slow[t])));
        let explored = fast.iter().filter(|duel| duel.0 != duel.1).count();
        assert!(explored > 100 && explored < fast.len(), "{text} on {name:?}: {explored}");
    }
}

/// Runs of a policy and of its naive version.
const RUNS: u64 = 150;

/// The same regret in the mean over many runs, and as many duels of an item with itself.
fn alike(text: &str, world: &Fixed, naive: impl Fn() -> Box<dyn Peer> + Sync) {
    let counted = |peer: &mut dyn Peer, seed: u64| {
        let (duels, regret) = play(peer, world, seed);
        [regret, duels.iter().filter(|duel| duel.0 == duel.1).count() as f64]
    };
    let both: Vec<[[f64; 2]; 2]> = (0..RUNS)
        .into_par_iter()
        // Other numbers for the naive version, so that the two are independent.
        .map(|seed| [counted(&mut Ours::new(text, world, seed), seed), counted(&mut *naive(), seed + 10_000)])
        .collect();
    for (place, what) in ["regret", "duels of one item"].iter().enumerate() {
        let side = |side: usize| mean_and_error(&both.iter().map(|run| run[side][place]).collect::<Vec<_>>());
        let ((a, ea), (b, eb)) = (side(0), side(1));
        let z = (a - b) / ea.hypot(eb).max(1e-9);
        println!("{text}: {what} {a:.1} ± {ea:.1}, naively {b:.1} ± {eb:.1}");
        assert!(z.abs() < 4.0, "{text}: {what} {a} ± {ea}, naively {b} ± {eb}");
    }
}

#[test]
fn ftrl_asks_what_its_formulas_ask() {
    for (settings, hybrid, pair) in [
        ("", false, false),
        ("regularizer = 'hybrid'", true, false),
        ("exploit = 'pair'", false, true),
        ("regularizer = 'hybrid'\nexploit = 'pair'\nrho = 1", true, true),
    ] {
        let rho = if settings.contains("rho") { 1.0 } else { 0.1 };
        let text = format!("policy = \"ftrl-borda\"\n{settings}");
        same(&text, |k| Box::new(Ftrl::new(Questions::Pairs(k), rho, [hybrid, pair, true])));
    }
}

#[test]
fn blocks_have_the_law_of_a_draw_a_round() {
    let world = world(Name::SixRankers, None, 9);
    for (settings, hybrid) in [("", false), ("regularizer = 'hybrid'", true)] {
        let text = format!("policy = \"ftrl-borda\"\n{settings}");
        alike(&text, &world, || Box::new(Ftrl::new(Questions::Pairs(6), 0.1, [hybrid, false, false])));
    }
}

/// Worlds with few vectors and with one for each pair.
fn with_features() -> Vec<Fixed> {
    let features = glm::random_features(6, 3, glm::Shape::Differences, &mut stream(3, &[])).unwrap();
    vec![
        hard(2, None, Some(HORIZON), &mut stream(1, &[])).unwrap(),
        glm::glm(features, Link::Linear, None, Some(0.5), Some(HORIZON), &mut stream(2, &[])).unwrap(),
    ]
}

#[test]
fn ftrl_with_features_has_the_law_of_its_formulas() {
    for world in with_features() {
        let naive = || Questions::of_features(world.problem());
        alike("policy = \"ftrl-linear\"", &world, || Box::new(Ftrl::new(naive(), 0.1, [false, false, true])));
    }
}

#[test]
fn trackers_ask_what_their_rules_ask() {
    for replays in [false, true] {
        let text = format!("policy = \"track-borda\"\nreplays = {replays}");
        same(&text, |k| Box::new(Track::new(Questions::Pairs(k), HORIZON as f64, [replays, true])));
    }
}

/// Blocks, and replays that begin in any of their rounds, change nothing of the law.
#[test]
fn trackers_have_the_law_of_a_draw_a_round() {
    let world = world(Name::Arithmetic, None, 9);
    for replays in [false, true] {
        let text = format!("policy = \"track-borda\"\nreplays = {replays}");
        alike(&text, &world, || Box::new(Track::new(Questions::Pairs(8), HORIZON as f64, [replays, false])));
    }
}

#[test]
fn trackers_with_features_have_the_law_of_their_rules() {
    for world in with_features() {
        let naive = || Questions::of_features(world.problem());
        alike("policy = \"track-linear\"", &world, || Box::new(Track::new(naive(), HORIZON as f64, [false, true])));
    }
}

/// Of an episode that began with some round all steps are kept, and nothing of what was before.
#[test]
fn a_tracker_knows_all_steps_of_its_episode_and_forgets_the_rest() {
    let world = world(Name::Arithmetic, None, 3);
    let problem = world.problem().with_horizon(40_000).unwrap();
    let mut policy = config("policy = 'track-borda'").build(&problem, stream(3, &[7])).unwrap();
    let (mut answers, mut steps) = (stream(3, &[8]), Vec::new());
    let mut episodes = 1;
    for t in 1..=40_000_u64 {
        let proposal = policy.ask(&problem);
        let turned = t > 20_000;
        let won = (answers.uniform() < world.probability(t, proposal.duel)) != turned;
        if let Some(note) = proposal.note() {
            let size = 7.0 * 0.25 / note.numbers()[0];
            steps.push((t, proposal.duel, if won { size } else { -size }));
        }
        policy.tell(&problem, &proposal, Outcome::from_win(won));
        if t % 500 == 0 {
            let state = &serde_json::to_value(&policy).unwrap()["track-borda"];
            let start = state["start"].as_u64().unwrap();
            episodes = state["episode"].as_u64().unwrap();
            assert!(t > 20_000 || start == 1, "a false alarm in round {start}");
            let mut sums = [0.0; 8];
            for (_, Duel(i, j), size) in steps.iter().filter(|(t, _, _)| *t >= start) {
                sums[*i] += size;
                sums[*j] -= size;
            }
            for (sum, own) in sums.iter().zip(state["sums"].as_array().unwrap()) {
                assert!((sum - own.as_f64().unwrap()).abs() < 1e-6);
            }
        }
    }
    assert!(episodes == 2, "{episodes}");
    let scores = world.scores(1);
    let worst = crate::naive::argmax(&scores.iter().map(|score| -score).collect::<Vec<_>>());
    assert_eq!(policy.estimate(&problem), worst);
}

#[test]
fn settings_that_make_no_sense_are_refused_with_what_would() {
    let six = world(Name::SixRankers, None, 1);
    for (text, line) in [
        ("policy = 'ftrl-borda'\nrho = 0", "rho = 0: must be a positive number"),
        ("policy = 'ftrl-linear'\nrho = 1e4", "rho = 10000: must be at most 1000"),
        ("policy = 'ftrl-borda'\ngap = 0.6", "gap = 0.6: must lie between 0.000001 and 0.5"),
        ("policy = 'ftrl-linear'\ngap = nan", "gap = NaN: must lie between"),
    ] {
        let message = config(text).build(six.problem(), stream(1, &[])).unwrap_err().to_string();
        assert!(message.starts_with(line), "{message}");
    }
    for wrong in ["regularizer = 'tsallis'", "exploit = 'both'", "horizon = 3"] {
        let text = format!("policy = 'ftrl-borda'\n{wrong}");
        assert!(toml::from_str::<PolicyConfig>(&text).is_err(), "{wrong}");
    }
    assert!(toml::from_str::<PolicyConfig>("policy = 'track-borda'\nreplays = 2").is_err());
    let bare = Problem::without_features(4).unwrap();
    for name in ["ftrl-linear", "track-linear"] {
        let message = PolicyConfig::named(name).unwrap().build(&bare, stream(1, &[])).unwrap_err().to_string();
        assert!(message.starts_with("features = none: this policy learns through features"), "{message}");
    }
}

/// p(0, j) = ½ + g, all others alike, with the gap g = ½(K/T)^{1/3} at which nobody can tell within T rounds who is the
/// best without paying for it.
fn smallest_gap(items: usize, horizon: u64) -> Fixed {
    let gap = 0.5 * (items as f64 / horizon as f64).cbrt();
    let row = |i: usize| (0..items).map(|j| 0.5 + gap * (f64::from(i == 0) - f64::from(j == 0))).collect();
    let rows: Vec<Vec<f64>> = (0..items).map(row).collect();
    matrix(&rows, None, Link::Linear, Some(horizon)).unwrap()
}

/// Regret of a run, which passes over rests at once, and the number of its episodes.
fn run(text: &str, world: &dyn Environment, seed: u64) -> (f64, Option<u64>) {
    let horizon = world.problem().horizon().unwrap();
    let mut policy = config(text).build(world.problem(), stream(seed, &[7])).unwrap();
    let (judge, mut answers) = (Judge::new(Notion::Borda, world).unwrap(), stream(seed, &[8]));
    let (mut regret, mut t) = (0.0, 0);
    while t < horizon {
        if let Some(rest) = policy.fixed_until() {
            let rounds = rest.rounds.min(horizon - t);
            policy.skip(rounds);
            regret += rounds as f64 * judge.regret(t + 1, rest.duel);
            t += rounds;
            continue;
        }
        t += 1;
        let proposal = policy.ask(world.problem());
        regret += judge.regret(t, proposal.duel);
        let won = answers.uniform() < world.probability(t, proposal.duel);
        policy.tell(world.problem(), &proposal, Outcome::from_win(won));
    }
    let state = serde_json::to_value(&policy).unwrap();
    (regret, state["track-borda"]["episode"].as_u64())
}

/// Worlds in which nothing changes.
fn standing(horizon: u64) -> Vec<Fixed> {
    let instance = |name: Name, items: Option<usize>| {
        let mut instance = Instance::named(name);
        instance.items = items;
        instance.build(Some(horizon), &mut stream(1, &[1])).unwrap().0
    };
    vec![
        instance(Name::SixRankers, None),
        instance(Name::Arithmetic, None),
        instance(Name::CondorcetNotBorda, Some(8)),
        hard(6, None, Some(horizon), &mut stream(1, &[1])).unwrap(),
        smallest_gap(16, horizon),
    ]
}

/// How many of so many runs in each of these worlds have a second episode, which nothing calls for.
fn second_episodes(horizon: u64, runs: u64) -> Vec<usize> {
    let count = |world: &Fixed| {
        let again = |seed: &u64| run("policy = 'track-borda'", world, *seed).1 > Some(1);
        (1..=runs).into_par_iter().filter(again).count()
    };
    standing(horizon).iter().map(count).collect()
}

#[test]
fn second_episodes_are_rare_where_nothing_changes() {
    let found = second_episodes(30_000, 12);
    assert!(found.iter().sum::<usize>() <= 3, "{found:?} of 12 each");
}

/// Ranks that jump five times: item i of 8 has the rank (i + 3k) mod 8 in the k-th of six equal pieces.
struct Moving(Problem);

impl Moving {
    fn piece(&self, round: u64) -> u64 {
        6 * (round - 1) / self.0.horizon().unwrap()
    }
}

impl Environment for Moving {
    fn problem(&self) -> &Problem {
        &self.0
    }

    fn probability(&self, round: u64, Duel(i, j): Duel) -> f64 {
        let rank = |item: usize| ((item as u64 + 3 * self.piece(round)) % 8) as f64;
        0.5 + 0.05 * (rank(j) - rank(i))
    }

    fn next_change(&self, round: u64) -> Option<u64> {
        let horizon = self.0.horizon().unwrap();
        (self.piece(round) < 5).then(|| (self.piece(round) + 1) * horizon / 6 + 1)
    }
}

/// Prototypes had five or six episodes in a run: now and then a jump is missed, as the leader is hardly worse after it.
#[test]
fn a_tracker_begins_anew_where_it_moves() {
    let world = Moving(Problem::without_features(8).unwrap().with_horizon(1_000_000).unwrap());
    let follow = |seed: u64| run("policy = 'track-borda'", &world, seed).1.unwrap();
    let episodes: Vec<u64> = (1..=10_u64).into_par_iter().map(follow).collect();
    println!("{episodes:?}");
    let few = episodes.iter().filter(|&&episodes| !(5..=6).contains(&episodes)).count();
    assert!(few <= 1, "{episodes:?}");
}

/// The matched constants, ρ = 1: 20 runs on the six rankers and 4 of the hard case, as of prototypes, which had 4,411 ±
/// 235 and 9,269 ± 404.
#[test]
fn matched_constants_cost_what_prototypes_paid() {
    let worlds = standing(100_000);
    for (text, world, runs, (mean, error)) in [
        ("policy = 'ftrl-borda'\nrho = 1", &worlds[0], 20, (4411.0, 235.0)),
        ("policy = 'ftrl-linear'\nrho = 1", &worlds[3], 4, (9269.0, 404.0)),
    ] {
        let all: Vec<f64> = (1..=runs).into_par_iter().map(|seed: u64| run(text, world, seed).0).collect();
        let (here, own) = mean_and_error(&all);
        println!("{text:?}: {here:.0} ± {own:.0}");
        assert!((here - mean).abs() <= 3.0 * f64::hypot(error, own), "{text:?}: {here} ± {own}");
    }
}

/// 5 worlds × 2 horizons × 55 runs; and what the smallest gap costs with both settings of ρ.
/// `cargo test --workspace --all-features --test all -- --ignored --nocapture standing_worlds_in_full`
#[test]
#[ignore = "takes minutes: a command of its own, above"]
fn standing_worlds_in_full() {
    let found = [100_000, 1_000_000].map(|horizon| second_episodes(horizon, 55));
    println!("second episodes of 55 runs in each world: {found:?}");
    let world = smallest_gap(16, 100_000);
    for text in ["policy = 'ftrl-borda'", "policy = 'ftrl-borda'\nrho = 1", "policy = 'track-borda'"] {
        let all: Vec<f64> = (1..=200_u64).into_par_iter().map(|seed| run(text, &world, seed).0).collect();
        println!("{text:?}: {:.0?}", mean_and_error(&all));
    }
    assert!(found.iter().flatten().sum::<usize>() <= 27, "more than one run in twenty");
}
