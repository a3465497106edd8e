//! Policies that are safe against any adversary, held against naive versions of themselves: duel by duel, or by the
//! means of many runs; and what is refused.

use crate::figures::mean_and_error;
use crate::naive::adversaries::{Ftrl, Questions, Track};
use crate::naive::peers::Peer;
use borduel::environment::fixed::Fixed;
use borduel::environment::instance::{Instance, Name};
use borduel::environment::{Environment, glm, hard::hard};
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
        same(&text, |k| Box::new(Track::new(Questions::Pairs(k), HORIZON as f64, replays)));
    }
}

#[test]
fn trackers_with_features_have_the_law_of_their_rules() {
    for world in with_features() {
        let naive = || Questions::of_features(world.problem());
        alike("policy = \"track-linear\"", &world, || Box::new(Track::new(naive(), HORIZON as f64, false)));
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
