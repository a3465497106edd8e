//! `find-winner` where votes are few: how often it names the best item, that a chain does not make its verdict rash,
//! and that late, lost and earlier answers lead to the end too.

use crate::sequential::{build, toss};
use borduel::environment::Environment;
use borduel::environment::fixed::Fixed;
use borduel::environment::tournament::Tournament;
use borduel::ranking::VerdictKind;
use borduel::sequential::{Options, Trust, judge};
use borduel::{Duel, Link, Policy, PolicyConfig, stream};
use rayon::prelude::*;

/// The votes after which a name is asked for.
const LOOKS: [u64; 3] = [40, 60, 80];

/// Twenty Bradley–Terry items whose strengths are normal.
fn world(number: u64) -> Fixed {
    Tournament::BradleyTerry { sd: 1.0 }.draw(20, &mut stream(41, &[number])).unwrap()
}

fn best(world: &Fixed) -> usize {
    world.borda().winner()
}

/// In how many of these worlds a policy, asked for a name after 40, 60 and 80 votes, names the best; and the model of
/// its verdict, if it is believed.
fn named(config: &str, worlds: u64) -> [[f64; 3]; 2] {
    let one = |number: u64| {
        let world = world(number);
        let (problem, mut s) = (world.problem(), stream(number, &[6]));
        let mut policy = build(config, &world, number);
        let mut right = [[false; 3]; 2];
        for vote in 1..=LOOKS[2] {
            let proposal = policy.ask(problem);
            let outcome = toss(&world, &proposal, &mut s);
            policy.tell(problem, &proposal, outcome);
            if let Some(look) = LOOKS.iter().position(|look| *look == vote) {
                right[0][look] = policy.estimate(problem) == best(&world);
                let options = Options::default().with_trust(Trust::Model);
                let believed = judge(problem.features(), policy.votes(), &options).unwrap();
                right[1][look] = believed.items[0].item == best(&world);
            }
        }
        right
    };
    let all: Vec<[[bool; 3]; 2]> = (0..worlds).into_par_iter().map(one).collect();
    let share = |by: usize, look: usize| all.iter().filter(|right| right[by][look]).count() as f64 / worlds as f64;
    [0, 1].map(|by| [0, 1, 2].map(|look| share(by, look)))
}

/// The same of any policy, its own estimate.
fn named_by(name: &str, worlds: u64) -> [f64; 3] {
    let one = |number: u64| {
        let world = world(number);
        let problem = world.problem().with_horizon(LOOKS[2]).unwrap();
        let (mut policy, mut s) =
            (PolicyConfig::named(name).unwrap().build(&problem, stream(number, &[5])).unwrap(), stream(number, &[6]));
        let mut right = [false; 3];
        for vote in 1..=LOOKS[2] {
            let proposal = policy.ask(&problem);
            let outcome = toss(&world, &proposal, &mut s);
            policy.tell(&problem, &proposal, outcome);
            if let Some(look) = LOOKS.iter().position(|look| *look == vote) {
                right[look] = policy.estimate(&problem) == best(&world);
            }
        }
        right
    };
    let all: Vec<[bool; 3]> = (0..worlds).into_par_iter().map(one).collect();
    [0, 1, 2].map(|look| all.iter().filter(|right| right[look]).count() as f64 / worlds as f64)
}

/// `BORDUEL_WORLDS=1000 cargo test -r -p borduel --all-features --test all -- --ignored --nocapture names_the_best`
#[test]
#[ignore = "takes minutes: a command of its own, above"]
fn who_names_the_best_with_few_votes() {
    let worlds = std::env::var("BORDUEL_WORLDS").ok().and_then(|text| text.parse().ok()).unwrap_or(300);
    println!("{worlds} worlds, standard error at most {:.3}", 0.5 / (worlds as f64).sqrt());
    for config in [r#", "budget": 80"#, r#", "chain": false"#] {
        let [own, believed] = named(config, worlds);
        println!("find-winner{config}: {own:.3?}, the model believed {believed:.3?}");
    }
    for name in ["self-sparring", "dts", "winner-stays", "betc-glm-adaptive", "uniform"] {
        println!("{name}: {:.3?}", named_by(name, worlds));
    }
}

#[test]
fn with_few_votes_a_chain_names_the_best_more_often() {
    let worlds = 80;
    let [[first, _, last], _] = named(r#", "budget": 80"#, worlds);
    let [[_, _, without], _] = named(r#", "chain": false"#, worlds);
    assert!(first > 0.35 && last > 0.45 && last > without, "{first} {last}, without {without}");
}

/// The share of wrong verdicts and of verdicts at all, at 95 %, asked with this configuration up to so many votes. An
/// item named as clearly the best is wrong if another is as good, one that is good enough if another is better by more
/// than the margin.
fn wrong(strengths: &[f64], config: &str, runs: u64, most: f64) -> (f64, f64) {
    let k = strengths.len();
    let rows: Vec<Vec<f64>> =
        strengths.iter().map(|u| strengths.iter().map(|v| Link::Logistic.mu(u - v)).collect()).collect();
    let world = borduel::environment::matrix::matrix(&rows, None, Link::Logistic, None).unwrap();
    let problem = world.problem();
    let truth: Vec<f64> = world.borda().scores().iter().map(|b| (b * k as f64 - 0.5) / (k - 1) as f64).collect();
    let one = |run: u64| {
        let (mut policy, mut s) = (build(config, &world, run), stream(run, &[6]));
        while !policy.decided() && policy.votes().count() < most {
            let proposal = policy.ask(problem);
            let outcome = toss(&world, &proposal, &mut s);
            policy.tell(problem, &proposal, outcome);
        }
        let named = policy.estimate(problem);
        let others = (0..k).filter(|&i| i != named).map(|i| truth[i]).fold(0.0, f64::max);
        let clear = policy.judgement(problem).kind == VerdictKind::ClearWinner;
        let wrong = if clear { others > truth[named] - 1e-12 } else { others > truth[named] + 0.02 };
        [policy.decided() && wrong, policy.decided()]
    };
    let all: Vec<[bool; 2]> = (0..runs).into_par_iter().map(one).collect();
    let share = |place: usize| all.iter().filter(|run| run[place]).count() as f64 / runs as f64;
    (share(0), share(1))
}

/// Worlds in which a verdict is most easily wrong: all items equal; two near-equal ones ahead of all others; one of
/// them just more than the margin ahead; everybody else as far behind.
fn hard_worlds(items: usize) -> [(&'static str, Vec<f64>, &'static str); 4] {
    let from = |first: f64, second: f64, rest: f64| [vec![first, second], vec![rest; items - 2]].concat();
    [
        ("all equal, clear", from(0.0, 0.0, 0.0), r#", "chain": true, "until": "clear""#),
        ("two equal, clear", from(1.0, 1.0, 0.0), r#", "chain": true, "until": "clear""#),
        ("two near-equal, good enough", from(1.12, 1.0, 0.0), r#", "chain": true"#),
        ("one ahead of equals, good enough", from(0.1, 0.0, 0.0), r#", "chain": true"#),
    ]
}

/// `BORDUEL_RUNS=1000 cargo test -r -p borduel --all-features --test all -- --ignored --nocapture asked_in_a_chain`
#[test]
#[ignore = "takes minutes: a command of its own, above"]
fn sizes_hold_asked_in_a_chain() {
    let runs = std::env::var("BORDUEL_RUNS").ok().and_then(|text| text.parse().ok()).unwrap_or(200);
    for items in [3, 6, 12] {
        for (name, strengths, config) in hard_worlds(items) {
            for config in [config.to_owned(), config.replace("true", "false")] {
                let (wrong, decided) = wrong(&strengths, &config, runs, 1_500.0);
                println!("{items} items, {name}{config}: {wrong:.4} wrong of {runs}, {decided:.3} decided");
            }
        }
    }
}

#[test]
fn verdicts_of_a_chain_are_rarely_wrong() {
    let runs = 20;
    for (name, strengths, config) in hard_worlds(4) {
        let (wrong, _) = wrong(&strengths, config, runs, 120.0);
        // One more than the level allows, and two standard errors.
        assert!(wrong <= 0.05 + 2.0 * (0.05 * 0.95 / runs as f64).sqrt(), "{name}: {wrong}");
    }
}

/// Several questions are open at a time, some are lost; then a log of the votes is taken over.
#[test]
fn a_chain_ends_whatever_happens_to_answers() {
    let world = world(1);
    let (problem, mut s) = (world.problem(), stream(2, &[6]));
    let mut policy = build(r#", "budget": 120"#, &world, 2);
    let mut open = Vec::new();
    while policy.fixed_until().is_none() {
        if open.len() < 15 {
            let proposal = policy.ask(problem);
            assert_ne!(proposal.duel.0, proposal.duel.1);
            open.push(proposal);
            continue;
        }
        let proposal = open.swap_remove(s.below(open.len()));
        if s.below(6) == 0 {
            policy.cancel(problem, &proposal);
        } else {
            let outcome = toss(&world, &proposal, &mut s);
            policy.tell(problem, &proposal, outcome);
        }
    }
    assert_eq!(policy.votes().count(), 120.0);
    // The same bytes after it was saved in the middle of the chain.
    let mut whole = build(r#", "budget": 80"#, &world, 3);
    let mut halves = whole.clone();
    let mut s = stream(3, &[6]);
    for vote in 0..80 {
        if vote == 9 || vote == 50 {
            halves = serde_json::from_str(&serde_json::to_string(&halves).unwrap()).unwrap();
        }
        let (a, b) = (whole.ask(problem), halves.ask(problem));
        assert_eq!(a, b);
        let outcome = toss(&world, &a, &mut s);
        whole.tell(problem, &a, outcome);
        halves.tell(problem, &b, outcome);
    }
    assert_eq!(serde_json::to_string(&whole).unwrap(), serde_json::to_string(&halves).unwrap());
}

#[test]
fn a_chain_is_for_small_budgets_and_one_winner() {
    let world = world(1);
    let chained = |problem: &borduel::Problem, config: &str| {
        let text = format!(r#"{{"policy": "find-winner"{config}}}"#);
        let config: PolicyConfig = serde_json::from_str(&text).unwrap();
        let policy = config.build(problem, stream(1, &[])).map_err(|error| error.to_string())?;
        Ok::<bool, String>(policy.settings().iter().any(|setting| setting.name == "chain"))
    };
    let problem = world.problem();
    assert_eq!(chained(problem, r#", "budget": 199"#), Ok(true));
    assert_eq!(chained(problem, r#", "budget": 200"#), Ok(false));
    assert_eq!(chained(problem, ""), Ok(false));
    assert_eq!(chained(&problem.with_horizon(199).unwrap(), ""), Ok(true));
    assert_eq!(chained(&problem.with_horizon(199).unwrap(), r#", "budget": 200"#), Ok(false));
    assert_eq!(chained(problem, r#", "budget": 80, "chain": false"#), Ok(false));
    assert_eq!(chained(problem, r#", "chain": true"#), Ok(true));
    assert_eq!(chained(problem, r#", "budget": 80, "goal": {"top": 3}"#), Ok(false));
    let refused = chained(problem, r#", "chain": true, "goal": "all""#).unwrap_err();
    assert!(refused.starts_with("chain = true: leads to one item"), "{refused}");
    // The first questions are a chain.
    let mut policy = build(r#", "budget": 80"#, &world, 5);
    let mut s = stream(5, &[6]);
    let (mut seen, mut last) = (Vec::new(), None);
    for _ in 0..19 {
        let proposal = policy.ask(problem);
        let Duel(i, j) = proposal.duel;
        assert!(last.is_none_or(|last| i == last || j == last));
        assert_eq!(proposal.propensity, Some(0.5));
        seen.extend([i, j]);
        let outcome = toss(&world, &proposal, &mut s);
        last = Some(if outcome.reward() > 0.5 { i } else { j });
        policy.tell(problem, &proposal, outcome);
    }
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 20);
}

/// Who says how many answers there will be after the policy was made has what a budget would have asked, without its
/// end; too late, or beside a budget, it changes nothing.
#[test]
fn answers_that_are_foretold_begin_with_a_chain() {
    let world = world(1);
    let problem = world.problem();
    let (mut told, mut set) = (build("", &world, 1), build(r#", "budget": 60"#, &world, 1));
    assert!(!told.expect(problem, 200) && told.expect(problem, 60) && !told.expect(problem, 60));
    assert!(!set.expect(problem, 5000));
    let mut s = stream(1, &[6]);
    for _ in 0..59 {
        let proposal = told.ask(problem);
        assert_eq!(proposal, set.ask(problem));
        let outcome = toss(&world, &proposal, &mut s);
        told.tell(problem, &proposal, outcome);
        set.tell(problem, &proposal, outcome);
        assert!(!told.expect(problem, 5000));
    }
    let proposal = told.ask(problem);
    let outcome = toss(&world, &proposal, &mut s);
    told.tell(problem, &proposal, outcome);
    let same = set.ask(problem);
    set.tell(problem, &same, outcome);
    assert!(set.committed().is_some() && told.committed().is_none());
}
