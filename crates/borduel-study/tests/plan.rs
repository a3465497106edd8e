//! Every planner beside the log: what it asks can be asked, it leads to the best item, and the default needs far fewer
//! votes than asking all pairs alike.

mod common;

use borduel::policy::find_winner::Config;
use borduel::{AnyPolicy, Duel, Features, Link, Outcome, Policy, PolicyConfig, Problem};
use borduel_rank::ranking::VerdictKind;
use borduel_rank::stream::stream;
use borduel_study::event::{Answer, Kind};
use borduel_study::plan::plan;
use borduel_study::settings::Method;
use borduel_study::standing::{Evidence, look, look_due};
use borduel_study::{Command, Reply, Settings};
use common::{Study, Vote};
use std::collections::HashSet;

/// Log-odds of the items: the first is best, two are close behind. Nobody sees a pair twice, so that a planner needs
/// many pairs to choose from; with eight items and twenty questions a voter, all planners are alike.
const STRENGTHS: [f64; 16] = [1.4, 1.0, 0.9, 0.5, 0.4, 0.3, 0.2, 0.1, 0.0, -0.1, -0.2, -0.3, -0.5, -0.7, -0.9, -1.1];
const BEST: u16 = 4;
const MOST: u64 = 8_000;

/// The votes until the verdict, the winners, and the share of questions between the best four.
fn votes_until_verdict(
    strengths: &[f64],
    questions_per_voter: u32,
    planner: Method,
    seed: u64,
    most: u64,
) -> (u64, Vec<u16>, f64) {
    let settings = Settings { planner, tie: false, skip: false, questions_per_voter, ..Settings::default() };
    let mut study = Study::open(strengths.len(), settings, seed);
    let mut chance = stream(seed, &[7]);
    let (mut good, mut asked) = (0.0, 0.0);
    while study.state.votes < most {
        let voter = study.join(Kind::Anonymous, &[]);
        let mut seen = HashSet::new();
        loop {
            if study.state.plan_due() {
                let evidence = Evidence::of(&study.state).unwrap();
                let made =
                    plan(&evidence, evidence.read(&study.state.settings).unwrap().as_ref(), &study.state.settings)
                        .unwrap();
                assert!(made.pairs.iter().all(|&(i, j, weight)| i < j && weight > 0), "{planner:?}: {made:?}");
                assert_eq!(made.pairs.is_empty(), planner == Method::Uniform, "{planner:?}");
                study.run(&Command::Adopt(made)).unwrap();
            }
            if let Some(number) = look_due(&study.state) {
                let evidence = Evidence::of(&study.state).unwrap();
                let reading = evidence.read(&study.state.settings).unwrap();
                let found = look(&evidence, reading.as_ref(), number, &study.state.settings).unwrap();
                let (kind, winners) = (found.kind, found.winners.clone());
                study.run(&Command::Judge(found)).unwrap();
                if kind != VerdictKind::NotEnough {
                    return (study.state.votes, winners, good / asked);
                }
            }
            let Reply::Questions(sitting) = study.run(&Command::Ask { voter, count: 1 }).unwrap() else { panic!() };
            let Some(ticket) = sitting.questions.first().copied() else { break };
            let pair = (ticket.first.min(ticket.second), ticket.first.max(ticket.second));
            assert!(seen.insert(pair), "{planner:?}: a voter sees {pair:?} twice");
            let [first, second] = [ticket.first, ticket.second].map(|item| strengths[usize::from(item)]);
            asked += 1.0;
            good += f64::from(u8::from(ticket.first < BEST && ticket.second < BEST));
            let wins = chance.uniform() < 1.0 / (1.0 + (second - first).exp());
            let answer = if wins { Answer::First } else { Answer::Second };
            study.vote(Vote::new(voter, ticket.q, answer)).unwrap();
        }
        assert_eq!(seen.len(), questions_per_voter as usize, "{planner:?} leaves a voter without questions");
    }
    (most, Vec::new(), good / asked)
}

#[test]
fn the_best_is_found_and_by_the_default_with_the_fewest_votes() {
    let seeds = 0..8_u64;
    let mut needed = Vec::new();
    for planner in [Method::Fewest, Method::Adaptive, Method::Uniform] {
        let found: Vec<_> =
            seeds.clone().map(|seed| votes_until_verdict(&STRENGTHS, 12, planner, seed, MOST)).collect();
        let votes: u64 = found.iter().map(|one| one.0).sum();
        let good = found.iter().map(|one| one.2).sum::<f64>() / found.len() as f64;
        let right = found.iter().filter(|one| one.1.first() == Some(&0)).count();
        println!(
            "{planner:?}: {votes} votes in {} studies, {right} right, {:.0} % of questions between the best",
            found.len(),
            100.0 * good
        );
        // One in twenty may be wrong; two of eight hardly ever are.
        assert!(right + 1 >= found.len(), "{planner:?}: {found:?}");
        needed.push((planner, votes, good));
    }
    let of = |planner: Method| needed.iter().find(|one| one.0 == planner).copied().unwrap();
    assert!((of(Method::Fewest).1 as f64) < 0.8 * of(Method::Uniform).1 as f64, "{needed:?}");
    // Six of 120 pairs are between the best four: whoever wants voters to see good items gets more of them.
    assert!(of(Method::Adaptive).2 > 1.5 * of(Method::Uniform).2, "{needed:?}");
}

/// It is for precise scores, not for the soonest verdict: its few pairs keep the doubt that a model may hold for them
/// alone.
#[test]
fn the_design_asks_what_can_be_asked() {
    // That no voter sees a pair twice or is left without questions is asserted on the way.
    let (votes, winners, good) = votes_until_verdict(&STRENGTHS, 12, Method::Design, 1, 400);
    assert_eq!((votes, winners), (400, Vec::new()), "a verdict so soon would be a guess");
    assert!(good > 0.1, "half as many of its questions would be between the best if it asked at random: {good}");
}

/// The votes until `find-winner` is decided.
fn find_winner(strengths: &[f64], seed: u64, most: u64) -> u64 {
    let k = strengths.len();
    let problem = Problem::new(Features::one_hot(k).unwrap(), Link::Logistic, None).unwrap();
    let built = PolicyConfig::FindWinner(Config::default()).build(&problem, stream(seed, &[9]));
    let Ok(AnyPolicy::FindWinner(mut policy)) = built else { panic!("it cannot be built") };
    let mut chance = stream(seed, &[10]);
    while !policy.decided() && policy.votes().count() < most as f64 {
        let proposal = policy.ask(&problem);
        let Duel(i, j) = proposal.duel;
        let wins = chance.uniform() < 1.0 / (1.0 + (strengths[j] - strengths[i]).exp());
        policy.tell(&problem, &proposal, Outcome::from_win(wins));
    }
    policy.votes().count() as u64
}

/// The survey: items of random strengths, twenty questions a voter, until the verdict; the default planner beside
/// asking all pairs alike, and beside `find-winner`, which may ask whoever it likes as often as it likes.
///
/// `BORDUEL_STUDIES=40 cargo test --release -p borduel-study --test plan -- --ignored --nocapture`
#[test]
#[ignore = "takes minutes: a command of its own, above"]
fn the_default_beside_uniform_and_beside_whoever_may_ask_anything() {
    let studies: u64 = std::env::var("BORDUEL_STUDIES").ok().and_then(|text| text.parse().ok()).unwrap_or(10);
    for (k, most) in [(10, 60_000), (20, 60_000), (40, 60_000)] {
        let (mut fewest, mut uniform, mut free) = (Vec::new(), Vec::new(), Vec::new());
        let mut wrong = 0;
        for seed in 0..studies {
            let mut chance = stream(seed, &[8]);
            let strengths: Vec<f64> = (0..k).map(|_| 0.7 * chance.normal()).collect();
            let one = |planner| votes_until_verdict(&strengths, 20, planner, seed, most);
            let (votes, winners, _) = one(Method::Fewest);
            let borda = |i: usize| {
                strengths.iter().map(|s| 1.0 / (1.0 + (s - strengths[i]).exp())).sum::<f64>() / (k - 1) as f64
            };
            let best = (0..k).map(borda).fold(0.0, f64::max);
            wrong += u32::from(winners.iter().any(|&item| borda(usize::from(item)) < best - 0.02) && votes < most);
            fewest.push(votes);
            uniform.push(one(Method::Uniform).0);
            free.push(find_winner(&strengths, seed, most));
        }
        let mean = |votes: &[u64]| votes.iter().sum::<u64>() as f64 / votes.len() as f64;
        let median = |votes: &mut [u64]| {
            votes.sort_unstable();
            votes[votes.len() / 2]
        };
        println!(
            "K = {k}, {studies} studies: fewest {:.0} votes (median {}), {wrong} wrong; uniform {:.0} ({}), ratio \
             {:.2}; find-winner {:.0} ({})",
            mean(&fewest),
            median(&mut fewest),
            mean(&uniform),
            median(&mut uniform),
            mean(&fewest) / mean(&uniform),
            mean(&free),
            median(&mut free)
        );
        let n = studies as f64;
        assert!(f64::from(wrong) <= 0.05 * n + 3.0 * (0.05 * 0.95 * n).sqrt(), "K = {k}: {wrong} of {studies}");
        assert!(mean(&fewest) < mean(&uniform), "K = {k}: the default needs fewer votes");
    }
}
