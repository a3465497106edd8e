//! What `trust = "nothing"` promises, in small: a right verdict whoever chooses the pairs, for several times the votes.
//! One who knows the truth is in the tests of `by_pair`.

use crate::sequential::{build, toss};
use borduel::ballots::{Answer, Ballots, BothBad, Ties};
use borduel::environment::{Environment, tournament::Tournament};
use borduel::ranking::VerdictKind;
use borduel::sequential::{Options, Trust, Votes, judge, judge_ballots};
use borduel::{Duel, Features, Policy, Stream, stream};
use rayon::prelude::*;

/// B(i) as a chance against others.
fn scores(p: &dyn Fn(usize, usize) -> f64, items: usize) -> Vec<f64> {
    let score = |i: usize| (0..items).filter(|&j| j != i).map(|j| p(i, j)).sum::<f64>() / (items - 1) as f64;
    (0..items).map(score).collect()
}

/// King of the hill: the leader by wins meets the one that it met least.
fn king(won: &[Vec<f64>]) -> Duel {
    let k = won.len();
    let n = |i: usize, j: usize| won[i][j] + won[j][i];
    let wins = |i: usize| won[i].iter().sum::<f64>() / (0..k).map(|j| n(i, j)).sum::<f64>().max(1.0);
    let king = (0..k).max_by(|&a, &b| wins(a).total_cmp(&wins(b))).unwrap();
    let other = (0..k).filter(|&j| j != king).min_by(|&a, &b| n(king, a).total_cmp(&n(king, b)));
    Duel(king, other.unwrap())
}

fn any(k: usize, s: &mut Stream) -> Duel {
    let i = s.below(k);
    Duel(i, (i + 1 + s.below(k - 1)) % k)
}

/// Items that are all equal, or two that are best alike: seldom called a clear winner, also by king of the hill.
#[test]
fn equal_items_are_seldom_a_clear_winner() {
    let options = Options::default().with_trust(Trust::Nothing);
    for (items, best) in [(2, 2), (3, 3), (4, 2)] {
        let strength = |i: usize| if i < best { 0.0 } else { -1.0 };
        let features = Features::one_hot(items).unwrap();
        let one = |study: u64| {
            let (mut s, mut votes, mut next) = (stream(study, &[73]), Votes::new(items), 20.0);
            let mut won = vec![vec![0.0; items]; items];
            let p = |i: usize, j: usize| 1.0 / (1.0 + f64::exp(strength(j) - strength(i)));
            while votes.count() < 2_000.0 {
                let Duel(i, j) = if study.is_multiple_of(2) { any(items, &mut s) } else { king(&won) };
                let r = f64::from(u8::from(s.uniform() < p(i, j)));
                (won[i][j], won[j][i]) = (won[i][j] + r, won[j][i] + 1.0 - r);
                votes.add(Duel(i, j), r);
                if votes.count() >= next {
                    next += (next / 16.0).max(8.0);
                    if judge(&features, &votes, &options).unwrap().kind == VerdictKind::ClearWinner {
                        return true;
                    }
                }
            }
            false
        };
        let clear = (0..100_u64).into_par_iter().filter(|&study| one(study)).count();
        assert!(clear <= 5, "{items} items: {clear} of 100");
    }
}

/// The votes of `find-winner` and whether it named the best, of one world a run.
fn found(items: usize, trust: &str, run: u64) -> (f64, bool) {
    let world = Tournament::BradleyTerry { sd: 1.0 }.draw(items, &mut stream(31, &[run])).unwrap();
    let mut policy = build(&format!(r#", "trust": "{trust}""#), &world, run);
    let mut s = stream(run, &[72]);
    while !policy.decided() && policy.votes().count() < 100_000.0 {
        let proposal = policy.ask(world.problem());
        let outcome = toss(&world, &proposal, &mut s);
        policy.tell(world.problem(), &proposal, outcome);
    }
    let truth = scores(&|i, j| world.probability(1, Duel(i, j)), items);
    let best = truth.iter().copied().fold(0.0, f64::max);
    let right = !policy.decided() || best - truth[policy.estimate(world.problem())] <= 0.02;
    (policy.votes().count(), right)
}

/// It ends, names the right one, and takes not more than several times the votes; `price_in_full` has means.
#[test]
fn it_costs_several_times_the_votes() {
    for (items, most) in [(3, 5.0), (5, 6.0)] {
        let median = |trust: &str| {
            let mut all: Vec<(f64, bool)> = (0..20_u64).into_par_iter().map(|run| found(items, trust, run)).collect();
            assert!(all.iter().filter(|(_, right)| !right).count() <= 1);
            all.sort_by(|a, b| a.0.total_cmp(&b.0));
            all[10].0
        };
        let (checked, nothing) = (median("checked"), median("nothing"));
        assert!(nothing > checked && nothing <= most * checked, "{items}: {checked} {nothing}");
    }
}

/// `cargo test --workspace --all-features --release --test all -- --ignored --nocapture price_in_full`
#[test]
#[ignore = "takes minutes: a command of its own, above"]
fn price_in_full() {
    println!("| items | trust | mean votes | median | wrong |\n|--:|:--|--:|--:|--:|");
    for items in [2, 3, 5, 12] {
        for trust in ["checked", "nothing"] {
            let mut all: Vec<(f64, bool)> = (0..20_u64).into_par_iter().map(|run| found(items, trust, run)).collect();
            let wrong = all.iter().filter(|(_, right)| !right).count();
            all.sort_by(|a, b| a.0.total_cmp(&b.0));
            let mean = all.iter().map(|(votes, _)| votes).sum::<f64>() / all.len() as f64;
            println!("| {items} | {trust} | {mean:.0} | {:.0} | {wrong} |", all[10].0);
        }
    }
}

/// A verdict says what it takes for granted; features play no part in it; and what is no pair's one chance is refused.
#[test]
fn it_says_what_it_needs_and_refuses_the_rest() {
    let options = Options::default().with_trust(Trust::Nothing);
    let mut votes = Votes::new(3);
    for vote in 0..3_000_u32 {
        let r = f64::from(u8::from(vote % 10 < 8));
        [(0, 1), (0, 2), (1, 2)].into_iter().for_each(|(i, j)| votes.add(Duel(i, j), r));
    }
    let features = Features::differences_scaled(3, 1, &[0.0, 1.0, 3.0]).unwrap();
    let plain = judge(&Features::one_hot(3).unwrap(), &votes, &options).unwrap();
    assert_eq!(plain, judge(&features, &votes, &options).unwrap());
    assert_eq!((plain.kind, plain.items[0].item), (VerdictKind::ClearWinner, 0));
    assert!(options.trust.assumption().is_some_and(|what| what.contains("whatever came before")));
    votes.add_in(Some(1), Duel(0, 1), 1.0);
    let refused = judge(&features, &votes, &options).unwrap_err().to_string();
    assert!(refused.contains("contexts") && refused.contains("nothing"), "{refused}");
    // Voters who answer once are strangers; one who answers again is not. Nor do weights count.
    let ballots = |voters: u32, weight: f64| {
        let mut ballots = Ballots::new(Ties::Half, BothBad::Drop, true);
        (0..3).for_each(|i| assert_eq!(ballots.item(&i.to_string()), i));
        (0..voters).for_each(|v| assert_eq!(ballots.voter(&v.to_string()), v));
        for vote in 0..60 {
            ballots.add(vote % 3, (vote + 1) % 3, Some(vote % voters), Answer::Left, weight, 1.0).unwrap();
        }
        judge_ballots(&Features::one_hot(3).unwrap(), &ballots.finish(), &options).map_err(|error| error.to_string())
    };
    assert!(ballots(60, 1.0).is_ok() && ballots(1, 1.0).is_ok());
    assert!(ballots(30, 1.0).unwrap_err().contains("more than once"));
    assert!(ballots(60, 2.0).unwrap_err().contains("weights"));
}
