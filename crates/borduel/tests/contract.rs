//! The promises that every policy of the list keeps, with every setting that changes its rules.

use borduel::environment::adversarial::{Adversarial, Path};
use borduel::environment::instance::{Instance, Name};
use borduel::environment::{Environment, fixed::Fixed, glm, hard::hard};
use borduel::experiment::{EnvironmentConfig, NoSources};
use borduel::policy::{Driver, Resolved};
use borduel::regret::{Checkpoints, Curve};
use borduel::{
    AnyPolicy, Arena, Desk, Duel, Error, Experiment, Feedback, Link, Outcome, Policy, PolicyConfig, Problem, Proposal,
    Run, Saved, Stream, Timing, stream,
};
use variants::{config, every};

mod allocations;
mod letters;
mod propensities;
mod variants;
mod yardsticks;

const HORIZON: u64 = 4000;

fn fixed_worlds() -> Vec<Fixed> {
    let mut s = stream(31, &[]);
    let mut worlds = vec![hard(3, None, Some(HORIZON), &mut s).unwrap()];
    for (link, shape) in [
        (Link::Logistic, glm::Shape::Pairs),
        (Link::Probit, glm::Shape::Differences),
        (Link::Logistic, glm::Shape::OneHot),
    ] {
        let features = glm::random_features(8, 3, shape, &mut s).unwrap();
        worlds.push(glm::glm(features, link, None, None, Some(HORIZON), &mut s).unwrap());
    }
    worlds
}

fn adversary() -> Adversarial {
    let features = glm::random_features(6, 3, glm::Shape::Pairs, &mut stream(32, &[])).unwrap();
    let problem = Problem::new(features, Link::Linear, Some(HORIZON)).unwrap();
    Adversarial::new(problem, &Path::named("switching").unwrap(), None, &mut stream(33, &[])).unwrap()
}

/// Whether a policy can play here: some learn from vectors of items only.
fn fits(name: &str, problem: &Problem) -> bool {
    !config(name).needs_item_features() || problem.features().is_differences()
}

/// A world for a policy: the hard instance, or one whose items have vectors.
fn home(name: &str, horizon: u64) -> Fixed {
    if config(name).needs_item_features() {
        let features = glm::random_features(40, 5, glm::Shape::Differences, &mut stream(34, &[])).unwrap();
        return glm::glm(features, Link::Logistic, None, None, Some(horizon), &mut stream(35, &[])).unwrap();
    }
    hard(3, None, Some(horizon), &mut stream(1, &[])).unwrap()
}

fn start<E: Environment>(name: &str, world: &E, feedback: Feedback) -> Run<AnyPolicy, Curve> {
    let policy = config(name).build(world.problem(), stream(5, &[2])).unwrap();
    Run::new(policy, Curve::new(Checkpoints::logarithmic(HORIZON, 30)), 5, 3, feedback).unwrap()
}

fn arena<E: Environment>(world: &E) -> Arena<&E> {
    Arena::borda(world).unwrap()
}

fn bytes<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap()
}

/// Immediate, delayed, batched, and lossy.
fn feedbacks() -> [Feedback; 4] {
    [
        Feedback::IMMEDIATE,
        Feedback::new(Timing::Delayed { least: 0, most: 300 }),
        Feedback::new(Timing::Batched { size: 64 }),
        Feedback::new(Timing::Delayed { least: 5, most: 50 }).losing(0.3),
    ]
}

fn save_and_resume<E: Environment>(world: &E, names: &[&str]) {
    for name in names.iter().filter(|name| fits(name, world.problem())) {
        for feedback in feedbacks() {
            let mut whole = start(name, world, feedback);
            whole.until(HORIZON, &arena(world));
            let mut run = start(name, world, feedback);
            for stop in [1, 2, 77, 1000, 1001, 3999, HORIZON] {
                run.until(stop, &arena(world));
                let text = bytes(&Saved::new(world.problem(), &run));
                let saved: Saved<Run<AnyPolicy, Curve>> = serde_json::from_str(&text).unwrap();
                run = saved.open(world.problem()).unwrap();
                assert_eq!(run.round(), stop);
            }
            assert_eq!(bytes(&run), bytes(&whole), "{name} {feedback:?}");
        }
    }
}

#[test]
fn saving_and_resuming_changes_no_byte() {
    fixed_worlds().iter().for_each(|world| save_and_resume(world, &every()));
    save_and_resume(&adversary(), &every());
    let endless = hard(3, None, None, &mut stream(31, &[])).unwrap();
    let plans_ahead = |name: &&str| config(name).build(endless.problem(), stream(1, &[])).is_err();
    let anytime: Vec<&str> = every().into_iter().filter(|name| !plans_ahead(name)).collect();
    save_and_resume(&endless, &anytime);
}

/// The same policy with its rests kept secret, so that every round is stepped.
#[derive(Clone, serde::Serialize, serde::Deserialize)]
struct Stepped(AnyPolicy);

impl Policy for Stepped {
    fn ask(&mut self, problem: &Problem) -> Proposal {
        self.0.ask(problem)
    }
    fn tell(&mut self, problem: &Problem, proposal: &Proposal, outcome: Outcome) {
        self.0.tell(problem, proposal, outcome);
    }
    fn cancel(&mut self, problem: &Problem, proposal: &Proposal) {
        self.0.cancel(problem, proposal);
    }
    fn reseed(&mut self, stream: Stream) {
        self.0.reseed(stream);
    }
    fn scores(&self, problem: &Problem, out: &mut [f64]) {
        self.0.scores(problem, out);
    }
    fn settings(&self) -> Vec<Resolved> {
        self.0.settings()
    }
    fn drive<D: Driver>(&mut self, driver: D) -> D::Output {
        driver.drive(self)
    }
}

/// Holds strides against steps, and names the policies that did not step through every round.
fn stride_equals_steps<E: Environment>(world: &E) -> Vec<&'static str> {
    let mut rested = Vec::new();
    for name in every().into_iter().filter(|name| fits(name, world.problem())) {
        for feedback in feedbacks() {
            let mut strides = start(name, world, feedback);
            strides.until(HORIZON, &arena(world));
            let policy = config(name).build(world.problem(), stream(5, &[2])).unwrap();
            let curve = Curve::new(Checkpoints::logarithmic(HORIZON, 30));
            let mut steps = Run::new(Stepped(policy), curve, 5, 3, feedback).unwrap();
            steps.until(HORIZON, &arena(world));
            assert_eq!(bytes(&strides.record), bytes(&steps.record), "{name} {feedback:?}");
            assert_eq!(bytes(&strides.policy), bytes(&steps.policy.0), "{name} {feedback:?}");
            assert_eq!(steps.stepped(), HORIZON);
            if feedback == Feedback::IMMEDIATE && strides.stepped() < HORIZON {
                rested.push(name);
            }
        }
    }
    rested
}

#[test]
fn a_stride_is_its_steps() {
    // In two more worlds the winner is so clear that whoever can rest on it does.
    let (mut savage, mut cube) = (Instance::named(Name::Savage), Instance::named(Name::Cube));
    (savage.items, cube.d) = (Some(3), Some(2));
    let clear = [savage, cube].map(|instance| instance.build(Some(HORIZON), &mut stream(36, &[])).unwrap().0);
    let mut rested: Vec<&str> = fixed_worlds().iter().chain(&clear).flat_map(stride_equals_steps).collect();
    rested.extend(stride_equals_steps(&adversary()));
    // They draw every question anew, or learn from every answer.
    let restless = [
        "bexp3",
        "bexp3-centred",
        "ucb-borda",
        "dexp3",
        "versatile",
        "self-sparring",
        "winner-stays",
        "colstim",
        "fgts",
        "greedy-glm",
        "uniform",
    ];
    // And where no end is known, the adaptive policy looks ever further ahead.
    let endless = |name: &str| name.contains("method = 'own'") || name.contains("exploit = 'pair'");
    let (never, expected): (Vec<&str>, Vec<&str>) = (
        every().into_iter().filter(|name| !rested.contains(name)).collect(),
        every().into_iter().filter(|name| restless.contains(&variants::policy(name)) || endless(name)).collect(),
    );
    assert_eq!(never, expected);
}

#[test]
fn no_delay_is_immediate() {
    for world in fixed_worlds() {
        for name in every().into_iter().filter(|name| fits(name, world.problem())) {
            let mut at_once = start(name, &world, Feedback::IMMEDIATE);
            at_once.until(HORIZON, &arena(&world));
            for timing in [Timing::Delayed { least: 0, most: 0 }, Timing::Batched { size: 1 }] {
                let mut posted = start(name, &world, Feedback::new(timing));
                posted.until(HORIZON, &arena(&world));
                assert_eq!(bytes(&at_once.record), bytes(&posted.record), "{name}");
                assert_eq!(bytes(&at_once.policy), bytes(&posted.policy), "{name}");
            }
        }
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let policies = every().into_iter().map(config).collect();
    let environments = [
        "kind = \"glm\"\nfeatures = { kind = \"differences\", items = 9, dim = 3 }",
        "kind = \"adversarial\"\nfeatures = { kind = \"differences\", items = 5, dim = 2 }\npath = { kind = \
         \"drifting\", step = 0.2, pieces = 50 }",
    ];
    let environments: Vec<EnvironmentConfig> = environments.iter().map(|text| toml::from_str(text).unwrap()).collect();
    let mut experiment = Experiment::new("threads", environments, policies);
    experiment.runs = 6;
    experiment.horizons = vec![500, 2000];
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        bytes(&pool.install(|| experiment.run(&NoSources).unwrap()))
    };
    let one = on(1);
    assert_eq!(one, on(2));
    assert_eq!(one, on(5));
    // And adding a policy changes nobody's numbers.
    let whole: borduel::Results = serde_json::from_str(&one).unwrap();
    experiment.policies.retain(|policy| policy.name() != "uniform");
    let fewer = experiment.run(&NoSources).unwrap();
    for result in &fewer.policies {
        assert!(whole.policies.contains(result), "{}", result.policy);
    }
}

#[test]
fn a_desk_takes_every_ticket_once_and_only_its_own() {
    for name in every() {
        let world = home(name, HORIZON);
        let problem = world.problem();
        let policy = config(name).build(problem, stream(5, &[2])).unwrap();
        // One desk is told the truth, the other everything twice, and other desks' tickets as well.
        let desk = |id| Desk::new(id, problem.clone(), policy.clone());
        let (mut honest, mut harassed, mut stranger) = (desk(1), desk(1), desk(2));
        let mut s = stream(7, &[]);
        let mut open = Vec::new();
        for round in 1..=1500 {
            let (ticket, same) = (honest.ask(), harassed.ask());
            assert_eq!(ticket, same, "{name}, round {round}");
            let foreign = stranger.ask();
            assert!(matches!(harassed.tell(&foreign, Outcome::Loss), Err(Error::ForeignTicket { .. })));
            open.push(ticket);
            if open.len() > 20 {
                let ticket = open.swap_remove(s.below(open.len()));
                let outcome = Outcome::from_win(s.uniform() < world.probability(round, ticket.duel));
                for desk in [&mut honest, &mut harassed] {
                    if round % 7 == 0 {
                        desk.cancel(&ticket).unwrap();
                    } else {
                        desk.tell(&ticket, outcome).unwrap();
                    }
                }
                let used = Err(Error::UsedTicket { number: ticket.number });
                assert_eq!(harassed.tell(&ticket, Outcome::Loss), used, "{name}");
                assert_eq!(harassed.cancel(&ticket), used, "{name}");
            }
            if round % 500 == 0 {
                let text = bytes(&Saved::new(problem, &harassed));
                harassed = serde_json::from_str::<Saved<Desk<AnyPolicy>>>(&text).unwrap().open(problem).unwrap();
            }
        }
        assert_eq!(bytes(&honest), bytes(&harassed), "{name}");
    }
}

/// A world that announces its changes too early.
struct Hasty(Fixed);

impl Environment for Hasty {
    fn problem(&self) -> &Problem {
        self.0.problem()
    }
    fn probability(&self, round: u64, duel: Duel) -> f64 {
        self.0.probability(round, duel)
    }
    fn next_change(&self, round: u64) -> Option<u64> {
        Some(round.saturating_sub(5))
    }
}

#[test]
fn a_change_that_is_announced_for_the_past_holds_nothing_up() {
    let world = hard(3, None, Some(HORIZON), &mut stream(1, &[])).unwrap();
    let (mut run, mut same) =
        (start("betc-glm-match", &world, Feedback::IMMEDIATE), start("betc-glm-match", &world, Feedback::IMMEDIATE));
    run.until(HORIZON, &arena(&Hasty(world.clone())));
    same.until(HORIZON, &arena(&world));
    assert_eq!(bytes(&run.record), bytes(&same.record));
}

#[test]
fn every_policy_survives_every_kind_of_feedback() {
    for world in fixed_worlds() {
        for name in every().into_iter().filter(|name| fits(name, world.problem())) {
            for feedback in feedbacks() {
                let mut run = start(name, &world, feedback);
                run.until(HORIZON, &arena(&world));
                let total = run.record.total();
                assert!(total.is_finite() && total >= 0.0 && total <= 2.0 * HORIZON as f64, "{name} {feedback:?}");
                let mut scores = vec![f64::NAN; world.problem().items()];
                run.policy.scores(world.problem(), &mut scores);
                assert!(scores.iter().all(|s| s.is_finite()), "{name} {feedback:?}");
            }
        }
    }
}

#[test]
fn a_trillion_rounds_cost_no_more_than_the_exploration() {
    let horizon = 1_000_000_000_000;
    let world = hard(3, None, Some(horizon), &mut stream(1, &[])).unwrap();
    for text in [
        "policy = \"betc-glm\"\ntau = 5000\nepsilon = 0.05",
        "policy = \"betc-glm-match\"\nepsilon = 0.05",
        "policy = \"etc-borda\"\nsamples = 500",
    ] {
        let config: PolicyConfig = toml::from_str(text).unwrap();
        let policy = config.build(world.problem(), stream(5, &[2])).unwrap();
        let mut run =
            Run::new(policy, Curve::new(Checkpoints::linear(horizon, 50)), 5, 3, Feedback::IMMEDIATE).unwrap();
        run.until(horizon, &arena(&world));
        assert!(run.stepped() < 10_000, "{text}");
        assert_eq!(run.record.values().len(), 50);
        assert_eq!(run.round(), horizon);
        let Duel(i, j) = run.policy.committed().unwrap();
        assert_eq!(i, j);
    }
}
