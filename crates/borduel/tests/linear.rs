//! The policies with item features held, question by question, against naive versions of themselves: at once, late, and
//! with answers lost.

use crate::figures::mean_and_error;
use crate::naive::argmax;
use crate::naive::linear::{Colstim, Fgts, GreedyGlm, History, MaxInp, MaxMinLcb, MaxPairUcb, Question, Rule, Vacdb};
use borduel::environment::ContextLaw;
use borduel::environment::Environment;
use borduel::environment::context_law::VectorLaw;
use borduel::environment::fixed::Fixed;
use borduel::environment::function::Function;
use borduel::environment::glm::{Shape, glm, random_features};
use borduel::environment::instance::{Instance, Name};
use borduel::experiment::{EnvironmentConfig, NoSources};
use borduel::{Duel, Experiment, Features, Link, Notion, Outcome, Policy, PolicyConfig, Problem, stream};

const HORIZON: u64 = 90;

/// How often a posterior is drawn from.
const DRAWS: usize = 20_000;

/// Random items with random features: no two pairs tie.
fn scattered(items: usize, dim: usize, link: Link, seed: u64) -> Fixed {
    let features = random_features(items, dim, Shape::Differences, &mut stream(seed, &[1])).unwrap();
    glm(features, link, None, Some(3.0), Some(HORIZON), &mut stream(seed, &[2])).unwrap()
}

/// The corners of a cube, where nearly everything ties.
fn cube(d: u32) -> Fixed {
    let mut instance = Instance::named(Name::Cube);
    instance.d = Some(d);
    instance.build(Some(HORIZON), &mut stream(3, &[1])).unwrap().0
}

/// Five items, each of them twice: nothing tells the two best ones apart.
fn twins(horizon: u64) -> Fixed {
    let mut s = stream(6, &[1]);
    let once: Vec<f64> = (0..5 * 2).map(|_| s.normal()).collect();
    let features = Features::differences_scaled(10, 2, &[once.clone(), once].concat()).unwrap();
    glm(features, Link::Logistic, None, Some(6.0), Some(horizon), &mut s).unwrap()
}

/// Plays a policy and asks the rule in every round whether that is what it asks. Answers come `late` rounds later, one
/// in `lost` never.
fn follows(text: &str, world: &Fixed, seed: u64, timing: (usize, u64), rule: impl Rule) -> History {
    follows_in(text, std::slice::from_ref(world), seed, timing, rule)
}

/// The same where in every round one of these contexts comes up.
fn follows_in(text: &str, worlds: &[Fixed], seed: u64, (late, lost): (usize, u64), mut rule: impl Rule) -> History {
    let (problem, mut contexts) = (worlds[0].problem(), stream(seed, &[9]));
    let config: PolicyConfig = toml::from_str(text).unwrap();
    // The rules are those of policies that know no context before it comes up.
    let alone = problem.context().map_or_else(|| problem.clone(), |number| problem.of_context(number));
    let mut policy = config.build(&alone, stream(seed, &[7])).unwrap();
    let (mut own, mut answers) = (stream(seed, &[7]), stream(seed, &[8]));
    let mut history = History::new(problem, HORIZON as f64);
    let mut open = Vec::new();
    let mut scores = vec![0.0; problem.items()];
    for t in 1..=HORIZON {
        let world = &worlds[contexts.below(worlds.len())];
        let here = world.problem();
        history.meet(here);
        let proposal = policy.ask(here);
        let allowed = rule.ask(&history, t, &mut own);
        let place = allowed.iter().position(|question| question.duel == proposal.duel);
        let wanted = || allowed.iter().map(|question| question.duel).collect::<Vec<_>>();
        let place =
            place.unwrap_or_else(|| panic!("{text}, round {t}: {:?}, not one of {:?}", proposal.duel, wanted()));
        history.push(allowed[place].clone());
        open.push((history.questions.len() - 1, world.probability(t, proposal.duel), proposal));
        if open.len() > late {
            let (question, chance, proposal) = open.remove(0);
            let won = answers.uniform() < chance;
            if lost > 0 && answers.below(lost as usize) == 0 {
                history.questions[question].lost = true;
                policy.cancel(problem, &proposal);
            } else {
                history.questions[question].reward = Some(f64::from(u8::from(won)));
                policy.tell(problem, &proposal, Outcome::from_win(won));
            }
        }
        if t % 50 == 0 {
            policy.scores(here, &mut scores);
            let naive = rule.borda(&history, here);
            for (ours, theirs) in scores.iter().zip(naive) {
                assert!((ours - theirs).abs() < 1e-5, "{text}, round {t}: a score of {ours}, naively {theirs}");
            }
        }
    }
    history
}

/// At once, in small batches with every tenth answer lost, and on two worlds without ties.
fn everywhere<R: Rule>(text: &str, links: &[Link], rule: impl Fn(&Fixed) -> R) {
    for (seed, link) in links.iter().enumerate() {
        for (items, dim, timing) in [(9, 3, (0, 0)), (14, 4, (4, 10))] {
            let world = scattered(items, dim, *link, seed as u64);
            let history = follows(text, &world, seed as u64, timing, rule(&world));
            let different = |q: &&Question| q.duel.0 != q.duel.1;
            assert!(history.questions.iter().filter(different).count() > 20, "{text} hardly asked anything");
        }
    }
}

#[test]
fn max_inp_asks_what_its_listing_asks() {
    everywhere("policy = \"max-inp\"", &[Link::Logistic, Link::Probit], |_| MaxInp { warm_up: 0, width: None });
    everywhere("policy = \"max-inp\"\nwarm_up = 30\nwidth = 1.5", &[Link::Logistic], |_| MaxInp {
        warm_up: 30,
        width: Some(1.5),
    });
    follows("policy = \"max-inp\"", &cube(3), 1, (0, 0), MaxInp { warm_up: 0, width: None });
}

#[test]
fn max_pair_ucb_and_rcdb_ask_what_their_listings_ask() {
    let plain = || MaxPairUcb { robustness: f64::INFINITY };
    everywhere("policy = \"max-pair-ucb\"", &[Link::Logistic, Link::Probit], |_| plain());
    everywhere("policy = \"max-pair-ucb\"\nrobustness = 0.1", &[Link::Logistic], |_| MaxPairUcb { robustness: 0.1 });
    follows("policy = \"max-pair-ucb\"", &cube(3), 1, (0, 0), plain());
}

#[test]
fn max_min_lcb_asks_what_its_listing_asks() {
    let plain = |rbf| MaxMinLcb { rbf, width: Some(1.0), norm: 1.0, candidates: true };
    let name = "policy = \"max-min-lcb\"";
    everywhere(name, &[Link::Logistic, Link::Probit], |_| plain(None));
    everywhere(&format!("{name}\ncandidates = false\nwidth = 2"), &[Link::Logistic], |_| MaxMinLcb {
        width: Some(2.0),
        candidates: false,
        ..plain(None)
    });
    everywhere(&format!("{name}\nwidth = \"theory\"\nnorm = 0.5"), &[Link::Logistic], |_| MaxMinLcb {
        width: None,
        norm: 0.5,
        ..plain(None)
    });
    everywhere(&format!("{name}\nkernel = \"rbf\"\nlength = 0.4\nvariance = 2"), &[Link::Logistic], |world| {
        // Lengths are those of what was given, x as it is scaled.
        plain(Some((0.4 * world.problem().features().scale(), 2.0)))
    });
    follows(name, &cube(3), 1, (0, 0), plain(None));
    follows(name, &twins(HORIZON), 1, (0, 0), plain(None));
}

/// Where the best point lies in the middle of a grid, no linear function finds it, and a smooth one does.
#[test]
fn max_min_lcb_learns_a_function_that_is_not_linear() {
    let world = Function::Ackley.build(Some(2_000)).unwrap();
    let problem = world.problem();
    let utilities = world.utilities().unwrap();
    for (settings, learns) in [("", false), ("kernel = \"rbf\"", true)] {
        let config: PolicyConfig = toml::from_str(&format!("policy = \"max-min-lcb\"\n{settings}")).unwrap();
        let (mut policy, mut answers) = (config.build(problem, stream(1, &[7])).unwrap(), stream(1, &[8]));
        let mut late = 0.0;
        for t in 1..=2_000 {
            let proposal = policy.ask(problem);
            let won = answers.uniform() < world.probability(t, proposal.duel);
            policy.tell(problem, &proposal, Outcome::from_win(won));
            let Duel(i, j) = proposal.duel;
            late += if t > 1_500 { 3.0 - 0.5 * (utilities[i] + utilities[j]) } else { 0.0 };
        }
        // Utilities lie in [−3, 3].
        let behind = 3.0 - utilities[policy.estimate(problem)];
        assert_eq!(late / 500.0 < 0.5 && behind < 0.5, learns, "{settings}: {behind}, late {}", late / 500.0);
    }
}

#[test]
fn max_min_lcb_refuses_what_it_cannot_do() {
    let mut s = stream(5, &[]);
    let many = random_features(513, 3, Shape::Differences, &mut s).unwrap();
    let many = Problem::new(many, Link::Logistic, None).unwrap();
    for (settings, line) in [
        ("kernel = \"rbf\"", "kernel = \"rbf\" with 513 items: has at most 512 items"),
        ("length = 2", "length = 2: belongs to kernel = \"rbf\""),
        ("variance = 2", "variance = 2: belongs to kernel = \"rbf\""),
        ("width = -1", "width = -1: must be 0 or a positive number"),
        ("noise = 0", "noise = 0: must be a positive number"),
        ("norm = 1000", "norm = 1000: makes answers say nothing"),
    ] {
        let config: PolicyConfig = toml::from_str(&format!("policy = \"max-min-lcb\"\n{settings}")).unwrap();
        let message = config.build(&many, stream(1, &[])).unwrap_err().to_string();
        assert!(message.starts_with(line), "{message}");
    }
    assert!(PolicyConfig::named("max-min-lcb").unwrap().build(&many, stream(1, &[])).is_ok());
}

#[test]
fn colstim_asks_what_its_listing_asks() {
    everywhere("policy = \"colstim\"", &[Link::Logistic, Link::Probit], |world| Colstim {
        warm_up: (world.problem().items() * world.problem().dim()) as u64,
    });
}

#[test]
fn vacdb_asks_what_its_listing_asks() {
    let links = [Link::Logistic, Link::Probit, Link::Logistic];
    everywhere("policy = \"vacdb\"", &links, |_| Vacdb { alpha: 1.0 / 32.0, kappa: 0.01 });
    everywhere("policy = \"vacdb\"\nalpha = 0.3\nkappa = 0.5", &links, |_| Vacdb { alpha: 0.3, kappa: 0.5 });
}

#[test]
fn greedy_glm_asks_what_its_listing_asks() {
    everywhere("policy = \"greedy-glm\"", &[Link::Logistic, Link::Probit], |_| GreedyGlm);
}

#[test]
fn fgts_asks_what_its_listing_asks() {
    let theory = 0.1 * (-1_f64).exp() / (HORIZON as f64).sqrt();
    everywhere("policy = \"fgts\"", &[Link::Logistic, Link::Probit], |_| Fgts { eta: 0.25, feel_good: theory });
    // A bonus as large as the answers themselves.
    everywhere("policy = \"fgts\"\neta = 1\nfeel_good = 0.2", &[Link::Logistic], |_| Fgts { eta: 1.0, feel_good: 0.2 });
}

/// Six contexts in one basis, whose items lie elsewhere in each.
fn in_contexts(items: usize, dim: usize, link: Link, seed: u64) -> ContextLaw {
    let law = VectorLaw::Uniform { low: -1.0, high: 1.0 };
    let vectors: Vec<Vec<f64>> =
        (0..6).map(|context| law.draw(items, dim, &mut stream(seed, &[3, context])).unwrap()).collect();
    let theta: Vec<f64> = (0..dim).map(|c| 3.0 - 2.0 * c as f64).collect();
    let family = Features::family(items, dim, &vectors).unwrap();
    let one = |features: Features| Fixed::from_model(Problem::new(features, link, Some(HORIZON))?, &theta);
    ContextLaw::finite(family.into_iter().map(one).collect::<Result<_, _>>().unwrap(), None).unwrap()
}

/// Every policy that knows contexts learns from vectors alone: its naive version is the one without contexts.
#[test]
fn in_contexts_policies_ask_what_their_listings_ask() {
    fn one<R: Rule>(text: &str, seed: u64, (items, dim): (usize, usize), timing: (usize, u64), rule: R) {
        let law = in_contexts(items, dim, Link::Logistic, seed);
        follows_in(text, law.members(), seed, timing, rule);
    }
    fn all<R: Rule>(text: &str, rule: impl Fn() -> R) {
        one(text, 0, (7, 3), (0, 0), rule());
        one(text, 1, (9, 4), (3, 10), rule());
    }
    all("policy = \"max-pair-ucb\"", || MaxPairUcb { robustness: f64::INFINITY });
    all("policy = \"max-pair-ucb\"\nrobustness = 0.1", || MaxPairUcb { robustness: 0.1 });
    all("policy = \"max-inp\"\nwarm_up = 10", || MaxInp { warm_up: 10, width: None });
    all("policy = \"colstim\"\nwarm_up = 20", || Colstim { warm_up: 20 });
    all("policy = \"vacdb\"", || Vacdb { alpha: 1.0 / 32.0, kappa: 0.01 });
    all("policy = \"vacdb\"\nalpha = 0.3\nkappa = 0.5", || Vacdb { alpha: 0.3, kappa: 0.5 });
    all("policy = \"greedy-glm\"", || GreedyGlm);
    all("policy = \"fgts\"\nfeel_good = 0", || Fgts { eta: 0.25, feel_good: 0.0 });
    // More dimensions than a ticket has room for.
    one("policy = \"max-pair-ucb\"", 2, (4, 17), (2, 0), MaxPairUcb { robustness: f64::INFINITY });
    one("policy = \"fgts\"\nfeel_good = 0", 2, (4, 17), (2, 0), Fgts { eta: 0.25, feel_good: 0.0 });
    // Where all is answered at once, contexts asked in are contexts answered in.
    let law = in_contexts(6, 3, Link::Logistic, 7);
    follows_in(
        "policy = \"fgts\"\neta = 1\nfeel_good = 0.2",
        law.members(),
        7,
        (0, 0),
        Fgts { eta: 1.0, feel_good: 0.2 },
    );
}

#[test]
fn items_of_the_same_vector_are_the_same_question() {
    let horizon = 20_000;
    let world = twins(horizon);
    let problem = world.problem();
    for name in ["max-inp", "max-pair-ucb", "max-min-lcb", "vacdb"] {
        let mut policy = PolicyConfig::named(name).unwrap().build(problem, stream(1, &[7])).unwrap();
        let mut answers = stream(1, &[8]);
        for t in 1..=horizon {
            let proposal = policy.ask(problem);
            let won = answers.uniform() < world.probability(t, proposal.duel);
            policy.tell(problem, &proposal, Outcome::from_win(won));
        }
        let duel = policy.committed();
        let best = argmax(&world.scores(1)) % 5;
        assert_eq!(duel.map(|Duel(i, j)| [i % 5, j % 5]), Some([best, best]), "{name}: {duel:?}");
    }
    follows("policy = \"max-inp\"", &twins(HORIZON), 1, (0, 0), MaxInp { warm_up: 0, width: None });
    follows("policy = \"max-pair-ucb\"", &twins(HORIZON), 1, (0, 0), MaxPairUcb { robustness: f64::INFINITY });
}

/// Both items are drawn with the chances that the posterior gives them, here by sums over a fine grid of θ.
#[test]
fn fgts_draws_from_its_posterior() {
    let world = scattered(4, 2, Link::Logistic, 5);
    let problem = world.problem();
    let rule = Fgts { eta: 0.5, feel_good: 0.1 };
    let text = "policy = \"fgts\"\neta = 0.5\nfeel_good = 0.1\nsteps = 30";
    let config: PolicyConfig = toml::from_str(text).unwrap();
    let mut policy = config.build(problem, stream(1, &[7])).unwrap();
    let mut history = History::new(problem, HORIZON as f64);
    let mut answers = stream(1, &[8]);
    for t in 1..=25 {
        let proposal = policy.ask(problem);
        let won = answers.uniform() < world.probability(t, proposal.duel);
        policy.tell(problem, &proposal, Outcome::from_win(won));
        let reward = Some(f64::from(u8::from(won)));
        history.push(Question { reward, ..Question::plain(proposal.duel) });
    }
    let mut drawn = [[0.0; 4]; 2];
    for _ in 0..DRAWS {
        let proposal = policy.ask(problem);
        let Duel(i, j) = proposal.duel;
        drawn[0][i] += 1.0 / DRAWS as f64;
        drawn[1][j] += 1.0 / DRAWS as f64;
        policy.cancel(problem, &proposal);
    }
    for (player, drawn) in drawn.iter().enumerate() {
        let (mut mass, mut total) = ([0.0; 4], 0.0);
        for a in -120..=120 {
            for b in -120..=120 {
                let theta = nalgebra::DVector::from_vec(vec![f64::from(a) / 20.0, f64::from(b) / 20.0]);
                let density = (-rule.potential(&history, player, &theta)).exp();
                let utilities: Vec<f64> = history.x.iter().map(|x| x.dot(&theta)).collect();
                mass[argmax(&utilities)] += density;
                total += density;
            }
        }
        for (item, share) in drawn.iter().enumerate() {
            let chance: f64 = mass[item] / total;
            // Four standard errors, and what the grid is off by.
            let slack = 4.0 * (chance * (1.0 - chance) / DRAWS as f64).sqrt() + 0.003;
            assert!((share - chance).abs() < slack, "player {player}, item {item}: {share}, by the posterior {chance}");
        }
    }
}

/// `cargo test --release --package borduel --all-features --test all -- --ignored --nocapture top_of_a_function`
#[test]
#[ignore = "takes minutes: a command of its own, above"]
fn who_finds_the_top_of_a_function() {
    let policies = [
        "policy = \"max-min-lcb\"\nkernel = \"rbf\"",
        "policy = \"max-min-lcb\"",
        "policy = \"max-pair-ucb\"",
        "policy = \"self-sparring\"",
        "policy = \"dts\"",
        "policy = \"uniform\"",
    ];
    for name in [Function::Branin, Function::Ackley] {
        for policy in policies {
            let mut experiment = Experiment::new(
                "functions",
                vec![EnvironmentConfig::Function { name }],
                vec![toml::from_str(policy).unwrap()],
            );
            (experiment.runs, experiment.horizons, experiment.regrets) = (20, vec![2_000], vec![Notion::Condorcet]);
            experiment.checkpoints = 1;
            let results = experiment.run(&NoSources).map(|results| results.policies);
            let line = results.map(|list| mean_and_error(&list[0].final_regrets));
            println!("{}, {}: {line:.1?}", name.name(), policy.replace('\n', ", "));
        }
    }
}
