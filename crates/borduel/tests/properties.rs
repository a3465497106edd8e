//! Random configurations: what is valid neither panics nor yields NaN, what is not gives its typed error.

use borduel::environment::{Environment, glm, hard};
use borduel::experiment::{EnvironmentConfig, FeatureConfig, NoSources};
use borduel::regret::{Checkpoints, Curve};
use borduel::{
    Arena, Error, Experiment, Features, Feedback, Link, POLICIES, Policy, PolicyConfig, Problem, Run, Timing, stream,
};
use proptest::prelude::*;

fn link() -> impl Strategy<Value = Link> {
    prop_oneof![Just(Link::Logistic), Just(Link::Linear), Just(Link::Probit)]
}

fn shape() -> impl Strategy<Value = glm::Shape> {
    prop_oneof![Just(glm::Shape::Pairs), Just(glm::Shape::Differences), Just(glm::Shape::OneHot)]
}

fn feedback() -> impl Strategy<Value = Feedback> {
    let timing = prop_oneof![
        Just(Timing::Immediate),
        (0_u64..50, 0_u64..200).prop_map(|(a, b)| Timing::Delayed { least: a.min(b), most: a.max(b) }),
        (1_u64..100).prop_map(|size| Timing::Batched { size }),
    ];
    (timing, prop_oneof![Just(0.0), 0.0..=1.0]).prop_map(|(t, lost)| Feedback::new(t).losing(lost))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn valid_configurations_run(
        seed in any::<u64>(), items in 2_usize..12, dim in 1_usize..6, link in link(), shape in shape(),
        horizon in prop_oneof![1_u64..5, 1_u64..3000], feedback in feedback(), policy in 0..POLICIES.len(),
        length in prop_oneof![Just(None), (1e-6..20.0).prop_map(Some)],
    ) {
        let mut s = stream(seed, &[]);
        let needs_items = PolicyConfig::named(POLICIES[policy]).unwrap().needs_item_features();
        let shape = if needs_items && shape == glm::Shape::Pairs { glm::Shape::Differences } else { shape };
        let features = glm::random_features(items, dim, shape, &mut s).unwrap();
        let length = if link == Link::Linear { None } else { length };
        let world = glm::glm(features, link, None, length, Some(horizon), &mut s).unwrap();
        let policy = PolicyConfig::named(POLICIES[policy]).unwrap().build(world.problem(), stream(seed, &[1])).unwrap();
        let mut run = Run::new(policy, Curve::new(Checkpoints::linear(horizon, 7)), seed, 0, feedback).unwrap();
        run.until(horizon, &Arena::borda(&world).unwrap());
        prop_assert_eq!(run.round(), horizon);
        prop_assert!(run.record.values().iter().all(|v| v.is_finite() && *v >= 0.0 && *v <= 2.0 * horizon as f64));
        prop_assert!(run.record.values().windows(2).all(|w| w[0] <= w[1]));
        let mut scores = vec![f64::NAN; items];
        run.policy.scores(world.problem(), &mut scores);
        prop_assert!(scores.iter().all(|x| x.is_finite()));
        prop_assert!(run.policy.estimate(world.problem()) < items);
        // Everything can be written down, and read again.
        let text = serde_json::to_string(&run).unwrap();
        let again: Run<borduel::AnyPolicy, Curve> = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(serde_json::to_string(&again).unwrap(), text);
    }

    #[test]
    fn features_are_valid_or_refused(
        items in 0_usize..6, dim in 0_usize..4,
        values in prop::collection::vec(prop_oneof![5 => -2.0..2.0, 1 => Just(0.0), 1 => Just(f64::NAN), 1 => Just(f64::INFINITY)], 0..24),
    ) {
        let results = [
            Features::differences(items, dim, &values),
            Features::differences_scaled(items, dim, &values),
            Features::from_array(items, dim, &values),
            Features::from_array_scaled(items, dim, &values),
        ];
        for features in results.into_iter().flatten() {
            prop_assert!(features.dim() >= 1 && features.dim() <= dim);
            for i in 0..items {
                for j in 0..items {
                    let (phi, opposite) = (features.phi(borduel::Duel(i, j)), features.phi(borduel::Duel(j, i)));
                    let norm: f64 = phi.iter().map(|x| x * x).sum::<f64>().sqrt();
                    prop_assert!(norm <= 1.0 + 1e-9);
                    prop_assert!(phi.iter().zip(&opposite).all(|(a, b)| *a == -*b));
                }
            }
        }
    }
}

#[test]
fn settings_out_of_range_are_refused() {
    let problem = Problem::new(hard::features(2).unwrap(), Link::Linear, Some(100)).unwrap();
    let refused = |policy: &str, key: &str, value: &str| {
        let config: PolicyConfig = toml::from_str(&format!("policy = \"{policy}\"\n{key} = {value}")).unwrap();
        let error = config.build(&problem, stream(1, &[])).unwrap_err();
        assert!(matches!(error, Error::Setting { name, .. } if name == key), "{policy}.{key} = {value}: {error}");
    };
    for value in ["-1.0", "nan", "inf", "0.0", "1.5"] {
        refused("betc-glm", "delta", value);
        refused("etc-borda", "delta", value);
        refused("bexp3", "gamma", value);
        refused("dexp3", "gamma", value);
    }
    for value in ["-1.0", "nan", "inf", "0.0"] {
        refused("betc-glm", "epsilon", value);
        refused("betc-glm", "tolerance", value);
        refused("betc-glm-match", "lambda0", value);
        refused("betc-glm-match", "c4", value);
        refused("bexp3", "eta", value);
        refused("dexp3", "eta", value);
    }
    for value in ["-1.0", "nan", "inf"] {
        refused("ucb-borda", "alpha", value);
    }
    refused("etc-borda", "samples", "0");
    refused("anytime", "first", "0");
    refused("anytime", "base", "{ policy = \"anytime\" }");
}

#[test]
fn unknown_names_and_keys_are_refused() {
    assert!(matches!(PolicyConfig::named("bexp"), Err(Error::Unknown { .. })));
    assert!(toml::from_str::<PolicyConfig>("policy = \"bexp3\"\nkappa = 1").is_err());
    assert!(toml::from_str::<EnvironmentConfig>("kind = \"hard\"\nd = 3\ndelta = 1").is_err());
    assert!(toml::from_str::<PolicyConfig>("policy = \"bexp3\"\nlambda0 = \"exact\"").is_ok());
    assert!(toml::from_str::<PolicyConfig>("policy = \"bexp3\"\nlambda0 = \"inexact\"").is_err());
}

#[test]
fn policies_that_plan_ahead_ask_for_a_horizon() {
    let features = Features::differences(3, 1, &[0.0, 0.5, 1.0]).unwrap();
    let problem = Problem::new(features, Link::Linear, None).unwrap();
    for name in POLICIES {
        let built = PolicyConfig::named(name).unwrap().build(&problem, stream(1, &[]));
        match *name {
            "uniform"
            | "ucb-borda"
            | "betc-glm-adaptive"
            | "bexp3"
            | "bexp3-centred"
            | "anytime"
            | "find-winner"
            | "max-min-lcb"
            | "ftrl-borda"
            | "ftrl-linear"
            | "greedy-glm"
            | "track-borda"
            | "track-linear"
            | "rucb"
            | "dts"
            | "rmed"
            | "merge"
            | "ccb"
            | "versatile"
            | "self-sparring"
            | "winner-stays"
            | "winner-stays-strong" => {
                assert!(built.is_ok());
            }
            _ => assert!(matches!(built, Err(Error::Setting { name: "horizon", .. })), "{name}"),
        }
    }
    assert!(Problem::new(hard::features(2).unwrap(), Link::Linear, Some(0)).is_err());
}

#[test]
fn experiments_that_make_no_sense_are_refused_before_the_first_round() {
    let hard = || vec![EnvironmentConfig::Hard { d: 2, gap: None }];
    let good = || Experiment::new("x", hard(), vec![PolicyConfig::named("uniform").unwrap()]);
    let refused = |change: &dyn Fn(&mut Experiment)| {
        let mut experiment = good();
        change(&mut experiment);
        experiment.plan(&NoSources).unwrap_err()
    };
    refused(&|e| e.runs = 0);
    refused(&|e| e.horizons = vec![]);
    refused(&|e| e.horizons = vec![5, 0]);
    refused(&|e| e.environments = vec![]);
    // Policies of one's own may be added to a plan without any, but there is nothing to run before.
    let nobody = Experiment::new("x", hard(), Vec::new());
    assert!(nobody.run(&NoSources).is_err());
    refused(&|e| e.checkpoints = 0);
    refused(&|e| e.feedback = Feedback::IMMEDIATE.losing(1.5));
    refused(&|e| e.feedback = Feedback::new(Timing::Batched { size: 0 }));
    refused(&|e| e.feedback = Feedback::new(Timing::Delayed { least: 2, most: 1 }));
    assert!(matches!(refused(&|e| e.version = 99), Error::Version { found: 99, .. }));
    let one_item = EnvironmentConfig::Glm {
        link: Link::Logistic,
        features: FeatureConfig::OneHot { items: 1 },
        theta: None,
        theta_norm: None,
    };
    assert!(matches!(refused(&|e| e.environments = vec![one_item.clone()]), Error::TooFewItems { found: 1 }));
    let crowd: EnvironmentConfig = toml::from_str("kind = \"crowd\"\nvotes = \"nowhere.csv\"").unwrap();
    assert!(refused(&|e| e.environments = vec![crowd.clone()]).to_string().contains("nowhere.csv"));
}

#[test]
fn tiny_and_lopsided_problems_work() {
    // Two items, one dimension, horizon one: the smallest there is.
    let problem = Problem::new(Features::differences(2, 1, &[0.0, 1.0]).unwrap(), Link::Logistic, Some(1)).unwrap();
    for name in POLICIES {
        let mut policy = PolicyConfig::named(name).unwrap().build(&problem, stream(1, &[])).unwrap();
        let proposal = policy.ask(&problem);
        policy.tell(&problem, &proposal, borduel::Outcome::Tie);
        assert!(policy.estimate(&problem) < 2, "{name}");
    }
    // Unanimous answers for a long time.
    let mut s = stream(3, &[]);
    let features = glm::random_features(4, 2, glm::Shape::Differences, &mut s).unwrap();
    let world = glm::glm(features, Link::Logistic, None, Some(200.0), Some(20_000), &mut s).unwrap();
    for name in POLICIES {
        let policy = PolicyConfig::named(name).unwrap().build(world.problem(), stream(1, &[])).unwrap();
        let mut run = Run::new(policy, Curve::new(Checkpoints::linear(20_000, 4)), 1, 0, Feedback::IMMEDIATE).unwrap();
        run.until(20_000, &Arena::borda(&world).unwrap());
        assert!(run.record.total().is_finite(), "{name}");
        if *name != "uniform" {
            assert_eq!(run.policy.estimate(world.problem()), world.borda().winner(), "{name}");
        }
    }
}
