//! The peers' policies held against naive versions of themselves: duel by duel, or by the means of many runs; and what
//! is refused.

use crate::figures::mean_and_error;
use crate::naive::argmax;
use crate::naive::duelists::{Ccb, Dts, Rmed, Rucb};
use crate::naive::merging::Merge;
use crate::naive::peers::{ActiveRanking, Peer, SelfSparring, Versatile, WinnerStays};
use borduel::environment::Environment;
use borduel::environment::fixed::Fixed;
use borduel::environment::instance::{Instance, Name};
use borduel::experiment::{EnvironmentConfig, NoSources};
use borduel::{AnyPolicy, Duel, Experiment, Notion, Outcome, Policy, PolicyConfig, Problem, Stream, stream};
use rayon::prelude::*;

fn config(text: &str) -> PolicyConfig {
    toml::from_str(text).unwrap()
}

/// A policy as the naive ones are: asked and told at once.
struct Ours {
    policy: AnyPolicy,
    problem: Problem,
    open: Option<borduel::Proposal>,
}

impl Ours {
    fn new(text: &str, problem: &Problem, stream: Stream) -> Self {
        let policy = config(text).build(problem, stream).unwrap();
        Self { policy, problem: problem.clone(), open: None }
    }
}

impl Peer for Ours {
    fn ask(&mut self, _: f64, _: &mut Stream) -> Duel {
        let proposal = self.policy.ask(&self.problem);
        let duel = proposal.duel;
        self.open = Some(proposal);
        duel
    }

    fn tell(&mut self, _: Duel, reward: f64) {
        let outcome = if reward == 0.5 { Outcome::Tie } else { Outcome::from_win(reward == 1.0) };
        self.policy.tell(&self.problem, &self.open.take().unwrap(), outcome);
    }
}

const HORIZON: u64 = 3000;
const ALL: usize = HORIZON as usize;

fn world(name: Name, items: Option<usize>, seed: u64) -> Fixed {
    let mut instance = Instance::named(name);
    instance.items = items;
    instance.build(Some(HORIZON), &mut stream(seed, &[1])).unwrap().0
}

/// The duels of a run, and its Condorcet regret; ties now and then, if wanted.
fn play(peer: &mut dyn Peer, world: &Fixed, seed: u64, ties: f64) -> (Vec<Duel>, f64) {
    let (mut own, mut answers) = (stream(seed, &[7]), stream(seed, &[8]));
    let judge = borduel::Judge::new(Notion::Condorcet, world).unwrap();
    let mut regret = 0.0;
    let duels = (1..=HORIZON).map(|t| {
        let duel = peer.ask(t as f64, &mut own);
        let (tie, won) = (answers.uniform() < ties, answers.uniform() < world.probability(t, duel));
        regret += judge.regret(t, duel);
        peer.tell(duel, if tie { 0.5 } else { f64::from(u8::from(won)) });
        duel
    });
    (duels.collect(), regret)
}

/// Duel by duel the same, on several worlds.
fn same(text: &str, ties: f64, rounds: usize, naive: impl Fn(usize) -> Box<dyn Peer>) {
    let worlds = [(Name::SixRankers, None), (Name::Cyclic, None), (Name::Savage, Some(7)), (Name::Utility, Some(4))];
    for (seed, (name, items)) in worlds.into_iter().enumerate() {
        let world = world(name, items, seed as u64);
        let mut ours = Ours::new(text, world.problem(), stream(seed as u64, &[7]));
        let mut naive = naive(world.problem().items());
        let (fast, _) = play(&mut ours, &world, seed as u64, ties);
        let (slow, _) = play(&mut *naive, &world, seed as u64, ties);
        let differ = fast[..rounds].iter().zip(&slow).position(|(a, b)| a != b);
        assert_eq!(differ, None, "{text} on {name:?}: {:?}", differ.map(|t| (fast[t], slow[t])));
    }
}

#[test]
fn rucb_asks_what_its_listing_asks() {
    same("policy = \"rucb\"", 0.05, ALL, |k| Box::new(Rucb::new(k)));
}

#[test]
fn rmed_asks_what_its_listing_asks() {
    for (variant, number) in [("rmed1", 1), ("rmed2", 2), ("rmed2fh", 3)] {
        let text = format!("policy = \"rmed\"\nvariant = \"{variant}\"");
        same(&text, 0.0, ALL, |k| Box::new(Rmed::new(k, number, HORIZON as f64)));
    }
}

#[test]
fn versatile_asks_what_its_listing_asks() {
    for (players, shared) in [("two", false), ("shared", true)] {
        for (estimator, rv) in [("rv", true), ("iw", false)] {
            let text = format!("policy = \"versatile\"\nplayers = \"{players}\"\nestimator = \"{estimator}\"");
            // Losses divided by tiny weights double the rounding of every weight: after a while two ways of computing
            // part.
            same(&text, 0.05, if rv { ALL } else { 300 }, |k| Box::new(Versatile::new(k, shared, rv)));
        }
    }
}

#[test]
fn active_ranking_asks_what_its_listing_asks() {
    same("policy = \"active-ranking\"\ndelta = 0.9", 0.05, ALL, |k| Box::new(ActiveRanking::new(k, 0.9)));
    same("policy = \"active-ranking\"", 0.05, ALL, |k| Box::new(ActiveRanking::new(k, 1.0 / HORIZON as f64)));
}

/// Runs of a policy and of its naive version, where the two cannot share their draws.
const RUNS: u64 = 400;

/// The same regret in the mean over many runs, and as many duels of an item with itself.
fn alike(text: &str, name: Name, items: Option<usize>, naive: impl Fn(usize) -> Box<dyn Peer> + Sync) {
    let world = world(name, items, 9);
    let k = world.problem().items();
    let counted = |peer: &mut dyn Peer, seed: u64| {
        let (duels, regret) = play(peer, &world, seed, 0.0);
        [regret, duels.iter().filter(|duel| duel.0 == duel.1).count() as f64]
    };
    let both: Vec<[[f64; 2]; 2]> = (0..RUNS)
        .into_par_iter()
        .map(|seed| {
            let mut policy = Ours::new(text, world.problem(), stream(seed, &[7]));
            // Other numbers for the naive version, so that the two are independent.
            [counted(&mut policy, seed), counted(&mut *naive(k), seed + 10_000)]
        })
        .collect();
    for (place, what) in ["regret", "duels of one item"].iter().enumerate() {
        let side = |side: usize| mean_and_error(&both.iter().map(|run| run[side][place]).collect::<Vec<_>>());
        let ((a, ea), (b, eb)) = (side(0), side(1));
        let z = (a - b) / ea.hypot(eb).max(1e-9);
        assert!(z.abs() < 4.0, "{text} on {name:?}: {what} {a} ± {ea}, naively {b} ± {eb}");
    }
}

#[test]
fn double_thompson_sampling_has_the_law_of_its_listing() {
    alike("policy = \"dts\"", Name::SixRankers, None, |k| Box::new(Dts::new(k, false)));
    alike("policy = \"dts\"", Name::Cyclic, None, |k| Box::new(Dts::new(k, false)));
}

#[test]
fn double_thompson_sampling_plus_has_the_law_of_its_listing() {
    alike("policy = \"dts\"\nplus = true", Name::SixRankers, None, |k| Box::new(Dts::new(k, true)));
    alike("policy = \"dts\"\nplus = true", Name::Cyclic, None, |k| Box::new(Dts::new(k, true)));
}

#[test]
fn versatile_with_importance_weights_has_the_law_of_its_listing() {
    for (players, shared) in [("two", false), ("shared", true)] {
        let text = format!("policy = \"versatile\"\nplayers = \"{players}\"\nestimator = \"iw\"");
        alike(&text, Name::SixRankers, None, |k| Box::new(Versatile::new(k, shared, false)));
        alike(&text, Name::Cyclic, None, |k| Box::new(Versatile::new(k, shared, false)));
    }
}

#[test]
fn winner_stays_has_the_law_of_its_listing() {
    for (name, items) in [(Name::SixRankers, None), (Name::Savage, Some(9)), (Name::Savage, Some(40))] {
        alike("policy = \"winner-stays\"", name, items, |k| Box::new(WinnerStays::new(k, None)));
        alike("policy = \"winner-stays-strong\"", name, items, |k| Box::new(WinnerStays::new(k, Some(1.1))));
    }
}

#[test]
fn self_sparring_has_the_law_of_its_listing() {
    alike("policy = \"self-sparring\"", Name::SixRankers, None, |k| Box::new(SelfSparring::new(k)));
    alike("policy = \"self-sparring\"", Name::Cyclic, None, |k| Box::new(SelfSparring::new(k)));
    alike("policy = \"self-sparring\"", Name::Savage, Some(20), |k| Box::new(SelfSparring::new(k)));
}

#[test]
fn ccb_has_the_law_of_its_listing() {
    alike("policy = \"ccb\"", Name::SixRankers, None, |k| Box::new(Ccb::new(k)));
    alike("policy = \"ccb\"", Name::Cyclic, None, |k| Box::new(Ccb::new(k)));
}

#[test]
fn merging_by_draws_has_the_law_of_its_listing() {
    alike("policy = \"merge\"", Name::SixRankers, None, |k| Box::new(Merge::new(k, true)));
}

#[test]
fn merging_many_items_by_draws_has_the_law_of_its_listing() {
    alike("policy = \"merge\"", Name::Savage, Some(24), |k| Box::new(Merge::new(k, true)));
}

#[test]
fn merging_by_bounds_has_the_law_of_its_listing() {
    let text = "policy = \"merge\"\nchoice = \"ucb\"";
    alike(text, Name::SixRankers, None, |k| Box::new(Merge::new(k, false)));
    alike(text, Name::Savage, Some(40), |k| Box::new(Merge::new(k, false)));
}

#[test]
fn flipped_answers_mislead_and_only_those() {
    let world = world(Name::Arithmetic, None, 1);
    let arena = borduel::Arena::new(&world, &[Notion::Borda]).unwrap();
    let named = |flipped| {
        let policy = config("policy = \"etc-borda\"").build(world.problem(), stream(1, &[])).unwrap();
        let curve = borduel::Curve::new(borduel::Checkpoints::linear(HORIZON, 1));
        let feedback = borduel::Feedback::IMMEDIATE.flipping(flipped);
        let mut run = borduel::Run::new(policy, curve, 1, 0, feedback).unwrap();
        run.until(HORIZON, &arena);
        run.policy.estimate(world.problem())
    };
    let scores = world.scores(1);
    let worst = argmax(&scores.iter().map(|score| -score).collect::<Vec<_>>());
    assert_eq!([named(0), named(HORIZON)], [argmax(&scores), worst]);
}

#[test]
fn policies_are_refused_where_their_assumptions_fail() {
    let refused = |policy: &str, environment: &str| {
        let environment: EnvironmentConfig = toml::from_str(environment).unwrap();
        let experiment = Experiment::new("refused", vec![environment], vec![config(policy)]);
        experiment.plan(&NoSources).unwrap_err().to_string()
    };
    let circle = "kind = \"instance\"\nname = \"copeland-cycle\"\nshuffle = false";
    for name in ["rucb", "rmed", "merge", "winner-stays", "winner-stays-strong"] {
        let message = refused(&format!("policy = \"{name}\""), circle);
        let expected =
            format!("policy = {name}: assumes an item that beats all others, but item 0 beats 1 beats 2 beats 0");
        assert!(message.starts_with(&expected), "{message}");
    }
    let savage = "kind = \"instance\"\nname = \"savage\"";
    for (setting, expected) in
        [("alpha = 0.6", "alpha = 0.6: with this alpha C is"), ("c = 1e16", "must be at most 1e15")]
    {
        let message = refused(&format!("policy = \"merge\"\n{setting}"), savage);
        assert!(message.contains(expected), "{message}");
    }
    let hard = "kind = \"hard\"\nd = 2";
    assert!(refused("policy = \"rucb\"", hard).contains("does not beat item"));
    for name in ["max-inp", "colstim", "max-pair-ucb", "max-min-lcb", "vacdb", "fgts"] {
        let message = refused(&format!("policy = \"{name}\""), hard);
        assert!(message.starts_with(&format!("policy = {name}: learns from vectors of items")), "{message}");
        let problem = borduel::environment::hard::hard(2, None, Some(100), &mut stream(1, &[])).unwrap();
        let message =
            PolicyConfig::named(name).unwrap().build(problem.problem(), stream(1, &[])).unwrap_err().to_string();
        assert!(message.starts_with("features = of pairs: this policy learns from vectors of items"), "{message}");
    }
    let many = Problem::without_features(5000).unwrap().with_horizon(100).unwrap();
    for name in ["rucb", "dts", "rmed", "ccb"] {
        let message = PolicyConfig::named(name).unwrap().build(&many, stream(1, &[])).unwrap_err().to_string();
        assert!(message.starts_with(&format!("items = 5000: {name} keeps a table")), "{message}");
    }
    assert!(PolicyConfig::named("merge").unwrap().build(&many, stream(1, &[])).is_ok());
    let message = PolicyConfig::named("vacdb").unwrap().build(&many, stream(1, &[])).unwrap_err().to_string();
    assert!(message.starts_with("features = none"), "{message}");
    for wrong in [
        "policy = \"rucb\"\nalpha = 0.5",
        "policy = \"merge\"\nalpha = 0.3",
        "policy = \"merge\"\nbatch = 1",
        "policy = \"winner-stays-strong\"\nbeta = 1.0",
        "policy = \"rmed\"\nf = -1.0",
        "policy = \"active-ranking\"\ndelta = 2.0",
    ] {
        assert!(config(wrong).build(&many.endless(), stream(1, &[])).is_err(), "{wrong}");
    }
}

#[test]
fn the_policies_with_item_features_name_the_winner_of_the_cube() {
    for name in ["max-inp", "max-pair-ucb", "max-min-lcb", "colstim", "vacdb", "fgts"] {
        let cube = EnvironmentConfig::Instance(Instance::named(Name::Cube));
        let mut experiment = Experiment::new("named", vec![cube], vec![PolicyConfig::named(name).unwrap()]);
        (experiment.runs, experiment.horizons, experiment.regrets) = (10, vec![2000], vec![Notion::Utility]);
        experiment.checkpoints = 1;
        let found = experiment.run(&NoSources).unwrap().policies[0].winner_found;
        assert!(found >= 0.8, "{name}: {found}");
    }
}

#[test]
fn settings_that_make_no_sense_are_refused_with_what_would() {
    let world = Instance::named(Name::Cube).build(Some(100_000), &mut stream(1, &[])).unwrap().0;
    for (text, line) in [
        (
            "policy = \"vacdb\"\nalpha = 0.0000001",
            "alpha = 0.0000001: the last layer's ridge, about alpha², would be lost",
        ),
        ("policy = \"vacdb\"\nalpha = 0", "alpha = 0: must be a number between 0 and 1, such as"),
        ("policy = \"vacdb\"\nalpha = 1", "alpha = 1: must be a number between 0 and 1, such as"),
        ("policy = \"fgts\"\nnorm = 3\nfeel_good = 0.1", "norm = 3: belongs to the formula of feel_good, which is set"),
        ("policy = \"fgts\"\nnorm = -1", "norm = -1: must be 0 or a positive number"),
        (
            "policy = \"winner-stays\"\nbeta = 0.5",
            "beta = 0.5: belongs to the policy winner-stays-strong (a number above 1",
        ),
        ("policy = \"winner-stays-strong\"\nbeta = 0.5", "beta = 0.5: must be a number above 1, such as 1.1"),
    ] {
        let message = config(text).build(world.problem(), stream(1, &[])).unwrap_err().to_string();
        assert!(message.starts_with(line), "{message}");
    }
    // And those that do are used.
    let used = |text: &str| {
        let policy = config(text).build(world.problem(), stream(1, &[])).unwrap();
        policy.settings().iter().find(|s| s.name == "feel_good").unwrap().value.to_string()
    };
    for norm in [1.0_f64, 3.0] {
        let formula = 0.1 * (-norm).exp() / 100_000_f64.sqrt();
        assert_eq!(used(&format!("policy = \"fgts\"\nnorm = {norm}")), formula.to_string());
    }
    assert_eq!(used("policy = \"fgts\""), used("policy = \"fgts\"\nnorm = 1"));
}

#[test]
fn the_weights_of_versatile_sum_to_one() {
    for players in ["two", "shared"] {
        let text = format!("policy = \"versatile\"\nplayers = \"{players}\"");
        let world = world(Name::Savage, Some(20), 5);
        let mut ours = Ours::new(&text, world.problem(), stream(5, &[7]));
        for seed in 0..3 {
            play(&mut ours, &world, seed, 0.1);
            let state = serde_json::to_value(&ours.policy).unwrap();
            for player in state["versatile"]["players"].as_array().unwrap() {
                let weights = player["weights"].as_array().unwrap();
                let sum: f64 = weights.iter().map(|weight| weight.as_f64().unwrap()).sum();
                assert!((sum - 1.0).abs() <= 1e-12 && weights.len() == 20, "{players}: {sum}");
            }
        }
    }
}

#[test]
fn the_theorems_width_is_its_formula() {
    let world = Instance::named(Name::Cube).build(Some(2000), &mut stream(1, &[])).unwrap().0;
    let width = |text: &str| {
        let policy = config(text).build(world.problem(), stream(1, &[])).map_err(|error| error.to_string())?;
        Ok::<String, String>(policy.settings().iter().find(|s| s.name == "width").unwrap().value.to_string())
    };
    let formula = |norm: f64| {
        let slope = world.problem().link().mu_prime(norm);
        ((2.5 * (1.0_f64 + 800.0).ln() + 2000_f64.ln()).sqrt() / (2.0 * slope)).to_string()
    };
    assert_eq!(width("policy = \"max-inp\"\nwidth = \"theory\""), Ok(formula(1.0)));
    assert_eq!(width("policy = \"max-inp\"\nwidth = \"theory\"\nnorm = 3"), Ok(formula(3.0)));
    assert_eq!(width("policy = \"max-inp\"\nwidth = 2.5"), Ok("2.5".to_owned()));
    assert!(width("policy = \"max-inp\"\nnorm = 3").unwrap_err().starts_with("norm = 3: belongs to width"));
    assert!(width("policy = \"max-inp\"\nwidth = -1").unwrap_err().starts_with("width = -1"));
}
