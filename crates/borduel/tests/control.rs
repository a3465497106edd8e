//! A judge's answers to the same questions at any time: how many votes of people they save, and whether a wrong item is
//! named any more often, also where the judge is hostile or somebody asks in contexts drawn at random;
//! `control_in_full` below does the same with more runs.

use borduel::ballots::{Answer, Ballot, Ballots};
use borduel::judging::{JudgeAnswers, Prices};
use borduel::sequential::{Options, Reading, Start, Votes};
use borduel::{
    About, AnyPolicy, Contexts, Duel, Features, Link, Outcome, Policy, PolicyConfig, Problem, Stream, stream,
};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// The questions of a world: in every context each pair has an answer of its own, which people give with the chance
/// `right`, and the judge with the chance `agrees`.
#[derive(Debug, Clone, Copy)]
struct Family {
    items: usize,
    contexts: usize,
    right: f64,
    agrees: f64,
    strengths: Strengths,
    off: Off,
    /// Whether pairs and contexts are drawn at random, instead of pairs where they matter and contexts evenly.
    at_random: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Strengths {
    /// Normal ones, of sd 0.7.
    Normal,
    /// The first item is ahead of the second by just more than the margin, and both of the others far.
    Close,
}

/// Where the judge is another one than elsewhere.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Off {
    Nowhere,
    /// About the first two items it gives the right answer with this chance.
    Pair(f64),
    /// About all pairs of this item.
    Item(usize, f64),
    /// It prefers this item so often, whatever the question.
    Favours(usize, f64),
}

impl Off {
    /// What the judge prefers i to j with the chance of, who is right with the chance `right` elsewhere.
    fn prefers(self, (i, j): (usize, usize), first: bool, right: f64) -> f64 {
        let says = |right: f64| if first { right } else { 1.0 - right };
        match self {
            Self::Pair(own) if (i, j) == (0, 1) => says(own),
            Self::Item(item, own) if [i, j].contains(&item) => says(own),
            Self::Favours(item, often) if [i, j].contains(&item) => {
                often * f64::from(u8::from(item == i)) + (1.0 - often) * says(right)
            }
            _ => says(right),
        }
    }
}

const FAMILY: Family = Family {
    items: 5,
    contexts: 24,
    right: 0.9,
    agrees: 0.9,
    strengths: Strengths::Normal,
    off: Off::Nowhere,
    at_random: false,
};
const MARGIN: f64 = 0.02;

struct World {
    /// Whether the first item of a pair i < j is the answer, by i K + j and context.
    first: Vec<Vec<bool>>,
    problem: Problem,
    judge: Option<JudgeAnswers>,
    /// The judge's answers, by i K + j.
    says: Vec<Ballots>,
    scores: Vec<f64>,
}

impl World {
    fn is_wrong(&self, named: usize) -> bool {
        let best = self.scores.iter().copied().fold(0.0, f64::max);
        best - self.scores[named] > MARGIN
    }
}

impl Family {
    fn draw(&self, s: &mut Stream) -> World {
        let (k, g) = (self.items, self.contexts);
        let strengths: Vec<f64> = (0..k).map(|_| 0.7 * s.normal()).collect();
        let mut first = vec![Vec::new(); k * k];
        let mut says = vec![Ballots::default(); k * k];
        let names: Vec<String> = (0..g).map(|context| format!("{context:02}")).collect();
        let mut scores = vec![0.0; k];
        for i in 0..k {
            for j in i + 1..k {
                let of: Vec<bool> = match self.strengths {
                    Strengths::Normal => {
                        (0..g).map(|_| s.uniform() < 1.0 / (1.0 + (strengths[j] - strengths[i]).exp())).collect()
                    }
                    // The two best are level with all others together; between them one context decides, or two.
                    Strengths::Close => {
                        let ahead = if (i, j) == (0, 1) { g / 2 + k.div_ceil(4) } else { 3 * g / 4 };
                        let mut of: Vec<bool> = (0..g).map(|context| context < ahead).collect();
                        (1..g).rev().for_each(|at| of.swap(at, s.below(at + 1)));
                        of
                    }
                };
                let share = of.iter().filter(|first| **first).count() as f64 / g as f64;
                let p = 1.0 - self.right + (2.0 * self.right - 1.0) * share;
                scores[i] += p / (k - 1) as f64;
                scores[j] += (1.0 - p) / (k - 1) as f64;
                let judge = &mut says[i * k + j];
                for (context, &own) in names.iter().zip(&of) {
                    let first = s.uniform() < self.off.prefers((i, j), own, self.agrees);
                    let (left, right) = (judge.item(&i.to_string()), judge.item(&j.to_string()));
                    let answer = if first { Answer::Left } else { Answer::Right };
                    let context = Some(judge.context(context));
                    let ballot = Ballot::new(left, right, answer).with_context(context);
                    judge.add_all(&[ballot]).unwrap();
                }
                first[i * k + j] = of;
            }
        }
        let problem = Problem::new(Features::one_hot(k).unwrap(), Link::Logistic, None).unwrap();
        let problem = problem.in_contexts(Contexts::new(names.clone()).unwrap());
        let says: Vec<Ballots> = says.into_iter().map(Ballots::finish).collect();
        let judge = JudgeAnswers::of(&says, &|name| name.parse().ok(), &names);
        World { first, problem, judge, says, scores }
    }

    /// The votes until a verdict about these contexts, at most so many, and whether it is wrong.
    fn play(&self, world: &World, beside: bool, run: u64, most: f64) -> (f64, bool) {
        let problem = match &world.judge {
            Some(judge) if beside => world.problem.with_judge(judge.clone()).unwrap(),
            _ => world.problem.clone(),
        };
        if self.at_random {
            return self.look(world, &problem, run, most);
        }
        let config: PolicyConfig = serde_json::from_str(r#"{"policy": "find-winner", "about": "these"}"#).unwrap();
        let AnyPolicy::FindWinner(mut policy) = config.build(&problem, stream(run, &[62])).unwrap() else { panic!() };
        let (mut s, k) = (stream(run, &[63]), self.items);
        while !policy.decided() && policy.votes().count() < most {
            let proposal = policy.ask(&problem);
            let Duel(i, j) = proposal.duel;
            let own = world.first[i.min(j) * k + i.max(j)][proposal.context().unwrap() as usize];
            let first = own == (s.uniform() < self.right);
            policy.tell(&problem, &proposal, Outcome::from_win(first == (i < j)));
        }
        (policy.votes().count(), policy.decided() && world.is_wrong(policy.estimate(&problem)))
    }

    /// The same where a judge of this price beside 1 for a person is asked first, about whole pairs where that pays,
    /// and what it cost.
    fn play_first(&self, world: &World, price: f64, run: u64, most: f64) -> (f64, f64, bool) {
        let config: PolicyConfig = serde_json::from_str(r#"{"policy": "find-winner", "about": "these"}"#).unwrap();
        let mut problem = world.problem.clone();
        let AnyPolicy::FindWinner(mut policy) = config.build(&problem, stream(run, &[62])).unwrap() else { panic!() };
        let (mut s, k) = (stream(run, &[63]), self.items);
        let (prices, mut asked) = (Prices::new(1.0, price).unwrap(), BTreeSet::new());
        while !policy.decided() && policy.votes().count() < most {
            let proposal = policy.ask(&problem);
            loop {
                let pairs = policy.for_judge(&problem, prices);
                let before = asked.len();
                asked.extend(pairs.into_iter().map(|(i, j)| i * k + j));
                if asked.len() == before {
                    break;
                }
                let names = problem.contexts().unwrap().names().to_vec();
                let answers = asked.iter().map(|&at| &world.says[at]);
                if let Some(judge) = JudgeAnswers::of(answers, &|name| name.parse().ok(), &names) {
                    problem = problem.with_judge(judge).unwrap();
                }
            }
            let Duel(i, j) = proposal.duel;
            let own = world.first[i.min(j) * k + i.max(j)][proposal.context().unwrap() as usize];
            let first = own == (s.uniform() < self.right);
            policy.tell(&problem, &proposal, Outcome::from_win(first == (i < j)));
        }
        let cost = (asked.len() * self.contexts) as f64 * price;
        (policy.votes().count(), cost, policy.decided() && world.is_wrong(policy.estimate(&problem)))
    }

    /// The same on random questions, with as many looks.
    fn look(&self, world: &World, problem: &Problem, run: u64, most: f64) -> (f64, bool) {
        let options = Options::default().with_about(Some(About::These));
        let (mut s, k) = (stream(run, &[64]), self.items);
        let (mut votes, mut start) = (Votes::new(k), Start::unknown(problem.features(), options.trust));
        let mut next = 24.0;
        while votes.count() < most {
            let (i, context) = (s.below(k), s.below(self.contexts));
            let j = (i + 1 + s.below(k - 1)) % k;
            let first = world.first[i.min(j) * k + i.max(j)][context] == (s.uniform() < self.right);
            votes.add_in(Some(context as u32), Duel(i, j), f64::from(u8::from(first == (i < j))));
            if votes.count() >= next {
                next += (next / 32.0).max(4.0).floor();
                let reading = Reading::resume(problem.features(), &votes, None, problem.judge(), &start, &options);
                let (kind, best) = reading.found();
                if options.until.is_reached(kind) {
                    return (votes.count(), world.is_wrong(best.0));
                }
                start = reading.into_start();
            }
        }
        (votes.count(), false)
    }
}

/// Votes, and whether the winner is wrong, without the judge and with it, and ρ².
type Run = ((f64, bool), (f64, bool), f64);

/// Votes without the judge and with it, mean ρ² of the verdicts, and the shares of wrong winners.
#[derive(Debug)]
struct Found {
    votes: [f64; 2],
    wrong: [f64; 2],
    rho2: f64,
}

fn found(family: Family, runs: u64, most: f64) -> Found {
    let one = |run: u64| {
        let world = family.draw(&mut stream(run, &[61]));
        let [alone, beside] = [false, true].map(|beside| family.play(&world, beside, run, most));
        (alone, beside, rho2(&family, &world))
    };
    let all: Vec<Run> = (0..runs).into_par_iter().map(one).collect();
    let mean = |of: &dyn Fn(&Run) -> f64| all.iter().map(of).sum::<f64>() / runs as f64;
    let count = |wrong: bool| f64::from(u8::from(wrong));
    Found {
        votes: [mean(&|(alone, ..)| alone.0), mean(&|(_, beside, _)| beside.0)],
        wrong: [mean(&|(alone, ..)| count(alone.1)), mean(&|(_, beside, _)| count(beside.1))],
        rho2: mean(&|(.., rho2)| *rho2),
    }
}

/// ρ² of a person's answer and the judge's within pairs: it is known here.
fn rho2(family: &Family, world: &World) -> f64 {
    let k = family.items;
    let [mut cov, mut of_y, mut of_z] = [0.0; 3];
    let sharp = 2.0 * family.right - 1.0;
    for of in world.first.iter().filter(|of| !of.is_empty()) {
        let q = of.iter().filter(|first| **first).count() as f64 / of.len() as f64;
        let own = 4.0 * q * (1.0 - q);
        // A judge of independent errors: in expectation.
        let agree = 2.0 * family.agrees - 1.0;
        cov += sharp * agree * own;
        of_y += 1.0 - sharp * sharp * (1.0 - own);
        of_z += 1.0 - agree * agree * (1.0 - own);
    }
    assert!(k > 1);
    cov * cov / (of_y * of_z)
}

/// The same of judges who are asked first, at each of these prices: people's votes without it and with it, what it cost,
/// and the share of wrong winners beside it.
fn first<const N: usize>(family: Family, prices: [f64; N], runs: u64, most: f64) -> [[f64; 4]; N] {
    let one = |run: u64| {
        let world = family.draw(&mut stream(run, &[61]));
        let (alone, _) = family.play(&world, false, run, most);
        prices.map(|price| {
            let (votes, cost, wrong) = family.play_first(&world, price, run, most);
            [alone, votes, cost, f64::from(u8::from(wrong))]
        })
    };
    let all: Vec<[[f64; 4]; N]> = (0..runs).into_par_iter().map(one).collect();
    let mean = |price: usize, at: usize| all.iter().map(|run| run[price][at]).sum::<f64>() / runs as f64;
    std::array::from_fn(|price| std::array::from_fn(|at| mean(price, at)))
}

/// Worlds where the two best are close and all others far behind, and the judge is wrong about nothing, or about what
/// matters.
fn close() -> [(&'static str, Family); 7] {
    let of = |items, off| Family { items, strengths: Strengths::Close, agrees: 0.95, off, ..FAMILY };
    [
        ("3 items, wrong about nothing", of(3, Off::Nowhere)),
        ("3 items, opposite about the two best", of(3, Off::Pair(0.05))),
        ("3 items, knows nothing about the two best", of(3, Off::Pair(0.5))),
        ("5 items, opposite about the two best", of(5, Off::Pair(0.05))),
        ("5 items, opposite about the best", of(5, Off::Item(0, 0.05))),
        ("5 items, knows nothing about the best", of(5, Off::Item(0, 0.5))),
        ("5 items, prefers the second 7 times of 10", of(5, Off::Favours(1, 0.7))),
    ]
}

/// Twice the standard error is allowed.
fn at_most_5_percent(wrong: f64, runs: u64) -> bool {
    wrong <= 0.05 + 2.0 * (0.05 * 0.95 / runs as f64).sqrt()
}

#[test]
fn a_good_judge_saves_votes_of_people_and_a_useless_one_costs_none() {
    let good = found(Family { right: 0.95, agrees: 0.95, ..FAMILY }, 24, 3_000.0);
    let ratio = good.votes[1] / good.votes[0];
    // Searches that no number of votes here ends count as equally long; the table in docs lets them go on.
    assert!(good.rho2 > 0.5 && ratio <= 0.85, "{ratio} {good:?}");
    assert!(at_most_5_percent(good.wrong[1], 24), "{good:?}");
    let useless = found(Family { agrees: 0.5, ..FAMILY }, 24, 3_000.0);
    assert!(useless.votes[1] <= 1.1 * useless.votes[0], "{useless:?}");
}

#[test]
fn a_judge_that_is_wrong_about_what_matters_misleads_nobody() {
    let [_, opposite, .., prefers] = close();
    for (name, family) in [opposite, prefers] {
        for at_random in [false, true] {
            let found = found(Family { at_random, ..family }, 16, 1_000.0);
            assert!(at_most_5_percent(found.wrong[1], 16), "{name}, {at_random}: {found:?}");
        }
        // Asked first, since votes pile up on just these pairs.
        let [[.., cost, wrong]] = first(family, [0.01], 16, 1_000.0);
        assert!(cost > 0.0 && at_most_5_percent(wrong, 16), "{name}: {wrong}");
    }
}

/// A cheap judge that knows something is bought and pays; one that knows nothing, or is dear, costs next to nothing.
#[test]
fn a_judge_is_asked_first_where_that_pays() {
    let good = Family { right: 0.95, agrees: 0.95, ..FAMILY };
    let [[alone, votes, cost, wrong]] = first(good, [0.01], 24, 3_000.0);
    // All ten pairs on all 24 contexts are 2.40.
    assert!(votes + cost <= 0.9 * alone && cost > 1.0 && cost <= 2.4 + 1e-9, "{alone} {votes} {cost}");
    assert!(at_most_5_percent(wrong, 24), "{wrong}");
    let useless = Family { agrees: 0.5, ..FAMILY };
    let [[alone, votes, cost, _]] = first(useless, [0.01], 24, 3_000.0);
    assert!(votes + cost <= 1.1 * alone && cost <= 2.4 + 1e-9, "{alone} {votes} {cost}");
    let [[alone, votes, cost, _]] = first(good, [1e6], 4, 1_000.0);
    assert_eq!((votes, cost), (alone, 0.0));
}

/// Voters are heard with their habits beside the judge, and what it did is said; about such contexts it does nothing.
#[test]
fn what_a_judge_did_is_said_and_saved() {
    let family = Family { right: 0.95, agrees: 0.95, ..FAMILY };
    let world = family.draw(&mut stream(3, &[61]));
    let judge = world.judge.clone().unwrap();
    let problem = world.problem.with_judge(judge.clone()).unwrap();
    let told = |about: &str, problem: &Problem, named: bool| {
        let config: PolicyConfig =
            serde_json::from_str(&format!(r#"{{"policy": "find-winner", "about": "{about}"}}"#)).unwrap();
        let AnyPolicy::FindWinner(mut policy) = config.build(problem, stream(1, &[62])).unwrap() else { panic!() };
        let mut s = stream(1, &[63]);
        for vote in 0..300 {
            let proposal = policy.ask(problem);
            let Duel(i, j) = proposal.duel;
            let own = world.first[i.min(j) * 5 + i.max(j)][proposal.context().unwrap() as usize];
            let outcome = Outcome::from_win((own == (s.uniform() < family.right)) == (i < j));
            if named {
                policy.tell_by(problem, &proposal, outcome, &format!("voter {}", vote % 20));
            } else {
                policy.tell(problem, &proposal, outcome);
            }
        }
        policy.judgement(problem)
    };
    for named in [false, true] {
        let beside = told("these", &problem, named);
        let control = beside.control.unwrap();
        assert!(control.pairs == 10 && control.saved > 0.3 && control.correlation > 0.6, "{control:?}");
        let alone = told("these", &world.problem, named);
        assert!(alone.control.is_none());
        let width = |items: &[borduel::sequential::ItemStanding]| items.iter().map(|i| i.high - i.low).sum::<f64>();
        assert!(width(&beside.items) < 0.95 * width(&alone.items), "{named}");
        // The judge's answers are no votes.
        assert!(beside.votes <= 300.0, "{}", beside.votes);
    }
    assert!(told("such", &problem, false).control.is_none());
    // It is saved with the problem, and is part of it.
    let text = serde_json::to_string(&problem).unwrap();
    assert_eq!(serde_json::from_str::<Problem>(&text).unwrap().fingerprint(), problem.fingerprint());
    assert_ne!(problem.fingerprint(), world.problem.fingerprint());
    let others = world.problem.in_contexts(Contexts::new(vec!["a".to_owned()]).unwrap());
    let refused = others.with_judge(judge).unwrap_err().to_string();
    assert!(refused.contains("the problem's contexts"), "{refused}");
}

/// The rows whose name contains `BORDUEL_ONLY`, with as many runs as `BORDUEL_STUDIES` says.
fn in_full(rows: impl IntoIterator<Item = (String, Family)>, row: impl Fn(&str, Family, u64)) {
    let runs: u64 = std::env::var("BORDUEL_STUDIES").ok().and_then(|text| text.parse().ok()).unwrap_or(100);
    let only = std::env::var("BORDUEL_ONLY").unwrap_or_default();
    rows.into_iter().filter(|(name, _)| name.contains(&only)).for_each(|(name, family)| row(&name, family, runs));
}

/// Judges of several qualities, as people are.
fn qualities() -> Vec<(String, Family)> {
    let of = |(right, agrees)| (format!("{right}, {agrees}"), Family { right, agrees, ..FAMILY });
    [(0.9, 0.5), (0.8, 0.7), (0.85, 0.85), (0.93, 0.93), (0.98, 0.98)].map(of).into()
}

/// `BORDUEL_STUDIES=200 cargo test -p borduel --all-features -r --test all -- --ignored --nocapture control_in_full`
#[test]
#[ignore = "takes minutes: a command of its own, above"]
fn control_in_full() {
    let mut rows = qualities();
    rows.push(("0.93, 0.93, at random".to_owned(), Family { at_random: true, ..rows[3].1 }));
    for (name, family) in close() {
        rows.push((name.to_owned(), family));
        rows.push((format!("{name}, at random"), Family { at_random: true, ..family }));
    }
    in_full(rows, |name, family, runs| {
        let Found { votes: [alone, beside], wrong, rho2 } = found(family, runs, 20_000.0);
        let [rho, ratio, left] = [rho2.sqrt(), beside / alone, 1.0 - rho2];
        let [before, after] = wrong.map(|wrong| 100.0 * wrong);
        println!(
            "| {name} | {rho:.2} | {alone:.0} | {beside:.0} | {ratio:.2} | {left:.2} | {before:.1} % | {after:.1} % |"
        );
    });
}

/// `BORDUEL_STUDIES=200 cargo test -p borduel --all-features -r --test all -- --ignored --nocapture first_in_full`
#[test]
#[ignore = "takes minutes: a command of its own, above"]
fn first_in_full() {
    let rows = qualities().into_iter().chain(close().map(|(name, family)| (name.to_owned(), family)));
    in_full(rows, |name, family, runs| {
        let prices = [0.01, 0.1, 1.0];
        for (price, [alone, votes, cost, wrong]) in prices.into_iter().zip(first(family, prices, runs, 20_000.0)) {
            let (ratio, wrong) = ((votes + cost) / alone, 100.0 * wrong);
            println!("| {name} | {price} | {alone:.0} | {votes:.0} | {cost:.0} | {ratio:.2} | {wrong:.1} % |");
        }
    });
}
