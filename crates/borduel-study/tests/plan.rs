//! Every planner beside the log: what it asks can be asked, it leads to the best item, and the default needs far fewer votes than
//! asking all pairs alike.

mod common;

use borduel::ranking::VerdictKind;
use borduel::stream::stream;
use borduel_study::event::{Answer, Kind};
use borduel_study::plan::plan;
use borduel_study::settings::Method;
use borduel_study::standing::{Evidence, look, look_due};
use borduel_study::{Command, Reply, Settings};
use common::Study;

/// Log-odds of the items: the first is best, two are close behind. Nobody sees a pair twice, so that a planner needs many pairs to choose
/// from; with eight items and twenty questions a voter, all planners are alike.
const STRENGTHS: [f64; 16] = [1.4, 1.0, 0.9, 0.5, 0.4, 0.3, 0.2, 0.1, 0.0, -0.1, -0.2, -0.3, -0.5, -0.7, -0.9, -1.1];
const BEST: u16 = 4;
const MOST: u64 = 8_000;

/// The votes until the verdict, the winners, and the share of questions between the best four.
fn votes_until_verdict(planner: Method, seed: u64, most: u64) -> (u64, Vec<u16>, f64) {
    let settings = Settings { planner, tie: false, skip: false, questions_per_voter: 12, ..Settings::default() };
    let mut study = Study::open(STRENGTHS.len(), settings, seed);
    let mut chance = stream(seed, &[7]);
    let (mut good, mut asked) = (0.0, 0.0);
    while study.state.votes < most {
        let voter = study.join(Kind::Anonymous, &[]);
        loop {
            if study.state.plan_due() {
                let evidence = Evidence::of(&study.state).unwrap();
                let made = plan(&evidence, &study.state.settings).unwrap();
                assert!(made.pairs.iter().all(|&(i, j, weight)| i < j && weight > 0), "{planner:?}: {made:?}");
                assert_eq!(made.pairs.is_empty(), planner == Method::Uniform, "{planner:?}");
                study.run(&Command::Adopt(made)).unwrap();
            }
            if let Some(number) = look_due(&study.state) {
                let found = look(&Evidence::of(&study.state).unwrap(), number, 0.95, 0.02).unwrap();
                let (kind, winners) = (found.kind, found.winners.clone());
                study.run(&Command::Judge(found)).unwrap();
                if kind != VerdictKind::NotEnough {
                    return (study.state.votes, winners, good / asked);
                }
            }
            let Reply::Questions(sitting) = study.run(&Command::Ask { voter, count: 1 }).unwrap() else { panic!() };
            let Some(ticket) = sitting.questions.first().copied() else { break };
            let [first, second] = [ticket.first, ticket.second].map(|item| STRENGTHS[usize::from(item)]);
            asked += 1.0;
            good += f64::from(u8::from(ticket.first < BEST && ticket.second < BEST));
            let wins = chance.uniform() < 1.0 / (1.0 + (second - first).exp());
            let answer = if wins { Answer::First } else { Answer::Second };
            let (q, ms, stacked, comment, more) = (ticket.q, None, false, None, false);
            study.run(&Command::Answer { voter, q, answer, ms, stacked, comment, more }).unwrap();
        }
    }
    (most, Vec::new(), good / asked)
}

#[test]
fn the_best_is_found_and_by_the_default_with_the_fewest_votes() {
    let seeds = 0..2_u64;
    let mut needed = Vec::new();
    for planner in [Method::Fewest, Method::Adaptive, Method::Uniform] {
        let found: Vec<_> = seeds.clone().map(|seed| votes_until_verdict(planner, seed, MOST)).collect();
        let votes: u64 = found.iter().map(|one| one.0).sum();
        let good = found.iter().map(|one| one.2).sum::<f64>() / found.len() as f64;
        let right = found.iter().filter(|one| one.1 == [0]).count();
        println!(
            "{planner:?}: {votes} votes in {} studies, {right} right, {:.0} % of questions between the best",
            found.len(),
            100.0 * good
        );
        // One in twenty may be wrong, two of two are not.
        assert!(right + 1 >= found.len(), "{planner:?}: {found:?}");
        needed.push((planner, votes, good));
    }
    let of = |planner: Method| needed.iter().find(|one| one.0 == planner).copied().unwrap();
    assert!((of(Method::Fewest).1 as f64) < 0.8 * of(Method::Uniform).1 as f64, "{needed:?}");
    // Six of 120 pairs are between the best four: whoever wants voters to see good items gets more of them.
    assert!(of(Method::Adaptive).2 > 1.5 * of(Method::Uniform).2, "{needed:?}");
}

/// It is for precise scores, not for the soonest verdict: its few pairs keep the doubt that a model may hold for them alone.
#[test]
fn the_design_asks_what_can_be_asked() {
    let (votes, _, good) = votes_until_verdict(Method::Design, 1, 400);
    assert!(votes <= 412 && good > 0.1, "{votes} votes, {good}");
}
