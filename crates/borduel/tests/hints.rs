//! What a judge's opinion of items is worth as a hint to `find-winner`, and what it costs where it is wrong: the votes
//! of people that a verdict takes, and how often it is wrong. `hints_in_full` below is the table of `docs/FEWEST.md`.

use borduel::ballots::{Answer, Ballot, Ballots};
use borduel::judging::opinion;
use borduel::{AnyPolicy, Duel, Features, Link, Outcome, Policy, PolicyConfig, Problem, Stream, stream};
use rayon::prelude::*;

/// What the judge thinks of items whose strengths are normal (sd 1).
#[derive(Debug, Clone, Copy, PartialEq)]
enum Judge {
    None,
    /// Scores of this correlation with strengths, its errors normal or of Student's t with 3 degrees of freedom.
    Correlated(f64, bool),
    /// Right but for one item, which it overrates by two standard deviations.
    Overrates,
    /// 5 answers to every pair in both orders; right about items, and to whom the first side gains 24 points between
    /// equal ones.
    FirstSide,
    /// Right about all items but the best two: of these it puts the second first, and the best last.
    Aimed,
}

const MARGIN: f64 = 0.02;
const BUDGET: f64 = 20_000.0;

fn chance(lead: f64) -> f64 {
    1.0 / (1.0 + (-lead).exp())
}

impl Judge {
    fn says(self, strengths: &[f64], s: &mut Stream) -> Vec<f64> {
        let mut order: Vec<usize> = (0..strengths.len()).collect();
        order.sort_by(|&a, &b| strengths[a].total_cmp(&strengths[b]));
        let (worst, last) = (order[0], order.len() - 1);
        let mut told = strengths.to_vec();
        match self {
            Self::None => {}
            Self::Correlated(correlation, t3) => {
                for score in &mut told {
                    // Both have variance 1.
                    let scale = if t3 { (0..3).map(|_| s.normal().powi(2)).sum::<f64>().sqrt() } else { 1.0 };
                    *score = correlation * *score + (1.0 - correlation * correlation).sqrt() * s.normal() / scale;
                }
            }
            Self::Overrates => told[s.below(strengths.len())] += 2.0,
            Self::FirstSide => return Self::judged(strengths, s),
            Self::Aimed => {
                told[order[last - 1]] = strengths[order[last]] + 0.5;
                told[order[last]] = strengths[worst] - 0.5;
            }
        }
        told
    }

    fn judged(strengths: &[f64], s: &mut Stream) -> Vec<f64> {
        let mut ballots = Ballots::default();
        (0..strengths.len()).for_each(|item| assert_eq!(ballots.item(&item.to_string()) as usize, item));
        for _ in 0..5 {
            for (i, a) in strengths.iter().enumerate() {
                for (j, b) in strengths.iter().enumerate().filter(|(j, _)| *j != i) {
                    let answer = if s.uniform() < chance(a - b + 1.0) { Answer::Left } else { Answer::Right };
                    let (left, right) = (i as u32, j as u32);
                    let ballot = Ballot::new(left, right, answer);
                    ballots.add_all(&[ballot]).unwrap();
                }
            }
        }
        let mut scores = vec![0.0; strengths.len()];
        for (name, score) in opinion(&ballots.finish()).unwrap() {
            scores[name.parse::<usize>().unwrap()] = score;
        }
        scores
    }
}

/// The votes of one search, and whether it named a wrong item; nothing where it named none.
fn played(items: usize, judge: Judge, trust: &str, run: u64) -> (f64, Option<bool>) {
    let mut s = stream(run, &[71]);
    let strengths: Vec<f64> = (0..items).map(|_| s.normal()).collect();
    let features = match judge {
        Judge::None => Features::one_hot(items),
        _ => Features::standardised(items, 1, &judge.says(&strengths, &mut s)),
    };
    let problem = Problem::new(features.unwrap(), Link::Logistic, None).unwrap();
    let config = format!(r#"{{"policy": "find-winner", "trust": "{trust}"}}"#);
    let config: PolicyConfig = serde_json::from_str(&config).unwrap();
    let AnyPolicy::FindWinner(mut policy) = config.build(&problem, stream(run, &[72])).unwrap() else { panic!() };
    let mut s = stream(run, &[73]);
    while !policy.decided() && policy.votes().count() < BUDGET {
        let proposal = policy.ask(&problem);
        let Duel(i, j) = proposal.duel;
        let outcome = Outcome::from_win(s.uniform() < chance(strengths[i] - strengths[j]));
        policy.tell(&problem, &proposal, outcome);
    }
    let score = |i: usize| {
        let all = strengths.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, t)| chance(strengths[i] - t));
        all.sum::<f64>() / (items - 1) as f64
    };
    let best = (0..items).map(score).fold(0.0, f64::max);
    let wrong = policy.decided().then(|| best - score(policy.estimate(&problem)) > MARGIN);
    (policy.votes().count(), wrong)
}

fn all(items: usize, judge: Judge, trust: &str, runs: u64) -> Vec<(f64, Option<bool>)> {
    (0..runs).into_par_iter().map(|run| played(items, judge, trust, run)).collect()
}

/// Of few worlds: more wrong than these come in less than 1 % of tests at 5 %.
#[test]
fn a_hint_that_is_checked_misleads_nobody_and_one_that_is_believed_does() {
    let runs = 16;
    let wrong =
        |judge: Judge, trust: &str| all(6, judge, trust, runs).iter().filter(|(_, wrong)| *wrong == Some(true)).count();
    for judge in [Judge::Correlated(0.0, true), Judge::Aimed, Judge::Overrates] {
        let found = wrong(judge, "checked");
        assert!(found <= 3, "{judge:?}: {found} wrong of {runs}");
    }
    let believed = wrong(Judge::Correlated(0.0, false), "model");
    assert!(believed >= 4, "who believes a judge that knows nothing is right? {believed} wrong of {runs}");
}

/// `BORDUEL_STUDIES=500 cargo test -p borduel --all-features -r --test all -- --ignored --nocapture hints_in_full`
#[test]
#[ignore = "takes minutes: a command of its own, above"]
fn hints_in_full() {
    let runs: u64 = std::env::var("BORDUEL_STUDIES").ok().and_then(|text| text.parse().ok()).unwrap_or(100);
    let alone = all(12, Judge::None, "checked", runs);
    let mut rows = vec![("none".to_owned(), "checked", alone.clone())];
    let correlated = |t3: bool| {
        [0.0, 0.5, 0.95].map(|r| (format!("correlation {r}{}", if t3 { ", t3" } else { "" }), Judge::Correlated(r, t3)))
    };
    let others = [
        ("one item overrated".to_owned(), Judge::Overrates),
        ("votes, first side preferred".to_owned(), Judge::FirstSide),
        ("aimed at the best".to_owned(), Judge::Aimed),
    ];
    let judges = correlated(false).into_iter().chain(correlated(true)).chain(others);
    println!("| hint | trust | mean votes | of those without | median | wrong | undecided |");
    for (name, judge) in judges {
        for trust in ["checked", "typical", "model"] {
            rows.push((name.clone(), trust, all(12, judge, trust, runs)));
        }
        rows.drain(..).for_each(|(name, trust, found)| row(&name, trust, &found, &alone));
    }
}

fn row(name: &str, trust: &str, found: &[(f64, Option<bool>)], alone: &[(f64, Option<bool>)]) {
    let runs = found.len();
    let sum = |of: &[(f64, Option<bool>)]| of.iter().map(|(votes, _)| votes).sum::<f64>();
    // The worlds are the same ones: the ratio of means has the error of what differs.
    let ratio = sum(found) / sum(alone);
    let apart = found.iter().zip(alone).map(|(mine, other)| (mine.0 - ratio * other.0).powi(2)).sum::<f64>();
    let error = apart.sqrt() / sum(alone);
    let mut votes: Vec<f64> = found.iter().map(|(votes, _)| *votes).collect();
    votes.sort_by(f64::total_cmp);
    let count = |of: Option<bool>| found.iter().filter(|(_, wrong)| *wrong == of).count();
    println!(
        "| {name} | {trust} | {:.0} | {ratio:.2} ± {error:.2} | {:.0} | {} of {runs} | {} |",
        sum(found) / runs as f64,
        votes[runs / 2],
        count(Some(true)),
        count(None)
    );
}
