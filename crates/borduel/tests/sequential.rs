//! The size of the verdict, in small: how often a wrong item is named although somebody looks after every few votes.
//! `borduel reproduce fewest` does the same with 200 runs of every world.

use borduel::ballots::{Answer, Ballots, BothBad, Ties};
use borduel::environment::{Environment, fixed::Fixed, tournament::Tournament};
use borduel::policy::find_winner::State;
use borduel::ranking::VerdictKind;
use borduel::sequential::{Options, Votes, judge, judge_ballots};
use borduel::{AnyPolicy, Duel, Features, Outcome, Policy, PolicyConfig, Proposal, Stream, stream};
use rayon::prelude::*;

pub(crate) fn build(config: &str, world: &Fixed, seed: u64) -> State {
    let config: PolicyConfig = serde_json::from_str(&format!(r#"{{"policy": "find-winner"{config}}}"#)).unwrap();
    match config.build(world.problem(), stream(seed, &[5])).unwrap() {
        AnyPolicy::FindWinner(policy) => policy,
        _ => unreachable!(),
    }
}

/// B(i) as a chance against others, which leaves out the item itself.
fn truth(world: &Fixed) -> Vec<f64> {
    let k = world.problem().items() as f64;
    world.borda().scores().iter().map(|b| (b * k - 0.5) / (k - 1.0)).collect()
}

pub(crate) fn toss(world: &Fixed, proposal: &Proposal, s: &mut Stream) -> Outcome {
    Outcome::from_win(s.uniform() < world.probability(1, proposal.duel))
}

/// Votes until the stop, and whether the item named was worse than the best by more than the margin.
fn play(
    world: &Fixed,
    config: &str,
    seed: u64,
    tell: &dyn Fn(&Fixed, &Proposal, &mut Stream) -> Outcome,
) -> (f64, bool) {
    let mut policy = build(config, world, seed);
    let mut s = stream(seed, &[6]);
    while !policy.decided() && policy.votes().count() < 60_000.0 {
        let proposal = policy.ask(world.problem());
        assert_ne!(proposal.duel.0, proposal.duel.1);
        let outcome = tell(world, &proposal, &mut s);
        policy.tell(world.problem(), &proposal, outcome);
    }
    let truth = truth(world);
    let best = truth.iter().copied().fold(0.0, f64::max);
    (policy.votes().count(), policy.decided() && best - truth[policy.estimate(world.problem())] > 0.02)
}

/// The mean of the votes and the share of wrong verdicts.
fn measure(family: Tournament, items: usize, config: &str, runs: u64) -> (f64, f64) {
    let one = |run: u64| {
        let world = family.draw(items, &mut stream(11, &[run])).unwrap();
        play(&world, config, run, &toss)
    };
    let all: Vec<(f64, bool)> = (0..runs).into_par_iter().map(one).collect();
    let wrong = all.iter().filter(|(_, wrong)| *wrong).count();
    (all.iter().map(|(votes, _)| votes).sum::<f64>() / runs as f64, wrong as f64 / runs as f64)
}

#[test]
fn where_the_best_is_ahead_by_just_the_margin_it_is_seldom_missed() {
    // The worst that can be: everybody else is just too far behind. 5 % nominal; twice the standard error above that is
    // allowed.
    for (items, runs) in [(2, 600), (3, 200)] {
        let (_, wrong) = measure(Tournament::Slip { behind: 0.0201 }, items, "", runs);
        let allowed = 0.05 + 2.0 * (0.05 * 0.95 / runs as f64).sqrt();
        assert!(wrong <= allowed, "{items} items: {wrong}");
    }
}

/// The shares of studies of equal items that are called a clear winner, and good enough or a tie, at some look until
/// then.
fn called(items: usize, votes: u64, studies: u64) -> (f64, f64) {
    let features = Features::one_hot(items).unwrap();
    let one = |study: u64| {
        let (mut s, mut cast, mut next) = (stream(21, &[study]), Votes::new(items), 20.0);
        let (mut clear, mut good) = (false, false);
        while cast.count() < votes as f64 {
            let i = s.below(items);
            cast.add(Duel(i, (i + 1 + s.below(items - 1)) % items), f64::from(u8::from(s.uniform() < 0.5)));
            if cast.count() >= next {
                next += (next / 32.0).max(4.0).floor();
                let kind = judge(&features, &cast, &Options::default()).unwrap().kind;
                clear |= kind == VerdictKind::ClearWinner;
                good |= matches!(kind, VerdictKind::GoodEnough | VerdictKind::Tie);
            }
        }
        (clear, good)
    };
    let all: Vec<(bool, bool)> = (0..studies).into_par_iter().map(one).collect();
    let share = |of: fn(&(bool, bool)) -> bool| all.iter().filter(|study| of(study)).count() as f64 / studies as f64;
    (share(|study| study.0), share(|study| study.1))
}

#[test]
fn equal_items_are_good_enough_in_the_end_and_seldom_a_clear_winner() {
    for (items, votes, studies) in [(2, 3_000, 400), (3, 1_500, 150)] {
        let (clear, good) = called(items, votes, studies);
        let allowed = 0.05 + 2.0 * (0.05 * 0.95 / studies as f64).sqrt();
        assert!(clear <= allowed, "{items} items: {clear} of {studies}");
        assert!(items > 2 || good > 0.15, "one of two equal items may be chosen, and that is found: {good}");
    }
}

/// `BORDUEL_STUDIES=4000 cargo test --release --test all -- --ignored --nocapture equal_items`
#[test]
#[ignore = "takes minutes: a command of its own, above"]
fn equal_items_for_as_long_as_one_likes() {
    let studies = std::env::var("BORDUEL_STUDIES").ok().and_then(|text| text.parse().ok()).unwrap_or(1_000);
    for (items, votes) in [(2, 1_000), (2, 3_000), (2, 10_000), (2, 100_000), (3, 10_000), (10, 10_000)] {
        let (clear, good) = called(items, votes, studies);
        println!("{items} items, {votes} votes, {studies} studies: clear {clear:.4}, good enough or a tie {good:.4}");
        assert!(clear <= 0.05 + 2.0 * (0.05 * 0.95 / studies as f64).sqrt());
    }
}

#[test]
fn who_asks_until_it_is_clear_gets_there_or_to_a_tie() {
    // A lead of four points is cleared; the true best is named, and better than every other.
    let one = |run: u64| {
        let world = Tournament::Slip { behind: 0.04 }.draw(3, &mut stream(4, &[run])).unwrap();
        let mut policy = build(r#", "until": "clear""#, &world, run);
        let mut s = stream(run, &[8]);
        while !policy.decided() && policy.votes().count() < 40_000.0 {
            let proposal = policy.ask(world.problem());
            let outcome = toss(&world, &proposal, &mut s);
            policy.tell(world.problem(), &proposal, outcome);
        }
        let judgement = policy.judgement(world.problem());
        assert!(judgement.decided && matches!(judgement.kind, VerdictKind::ClearWinner | VerdictKind::Tie));
        let truth = truth(&world);
        let best = truth.iter().copied().fold(0.0, f64::max);
        judgement.kind == VerdictKind::ClearWinner && truth[judgement.winners[0]] == best
    };
    let right = (0..10_u64).into_par_iter().filter(|&run| one(run)).count();
    assert!(right >= 9, "{right}");
}

#[test]
fn few_votes_where_a_model_holds_and_no_wrong_winner_where_none_does() {
    // `borduel reproduce fewest` measures means of many worlds; these have the room that few worlds need.
    for (family, most, wrong_at_most) in [
        (Tournament::BradleyTerry { sd: 1.0 }, 2_500.0, 1),
        (Tournament::Trap, 2_200.0, 3),
        (Tournament::Cyclic { sd: 1.0 }, 4_000.0, 1),
    ] {
        let (votes, wrong) = measure(family, 10, "", 30);
        assert!(votes <= most, "{family:?}: {votes}");
        assert!(wrong * 30.0 <= f64::from(wrong_at_most) + 1e-9, "{family:?}: {wrong}");
    }
    let (votes, wrong) = measure(Tournament::Features { dim: 3, missed: 0.0 }, 12, r#", "trust": "model""#, 20);
    assert!(votes < 800.0 && wrong <= 0.05, "{votes} {wrong}");
}

#[test]
fn features_that_hide_the_best_item_do_not_fool_it() {
    // Four features explain every item but the best one. `typical`, which shrinks all effects alike, names a wrong one
    // in half of
    // these; that is its stated assumption, and shows that these worlds are hard.
    let family = Tournament::Hidden { dim: 4, hidden: 1, lead: 1.0 };
    let (votes, wrong) = measure(family, 40, "", 20);
    assert!(wrong <= 0.05 && votes < 1_500.0, "{wrong} {votes}");
    let (_, typical) = measure(family, 40, r#", "trust": "typical""#, 20);
    assert!(typical >= 0.2, "{typical}");
    // The runner-up is hidden, as is a quarter of the items.
    for family in
        [Tournament::Hidden { dim: 2, hidden: 1, lead: -0.8 }, Tournament::Hidden { dim: 2, hidden: 3, lead: 0.5 }]
    {
        let (_, wrong) = measure(family, 12, "", 20);
        assert!(wrong <= 0.05, "{family:?}: {wrong}");
    }
}

#[test]
fn ties_do_not_fool_it() {
    let world = Tournament::BradleyTerry { sd: 1.0 }.draw(6, &mut stream(3, &[])).unwrap();
    // Half of the answers are ties: preferences shrink towards ½ by as much (so the truth by half), and so does the
    // scatter.
    let tied = |world: &Fixed, proposal: &Proposal, s: &mut Stream| {
        if s.uniform() < 0.5 { Outcome::Tie } else { toss(world, proposal, s) }
    };
    let results: Vec<(f64, bool)> =
        (0..20_u64).into_par_iter().map(|run| play(&world, r#", "margin": 0.01"#, run, &tied)).collect();
    assert!(results.iter().filter(|(_, wrong)| *wrong).count() <= 1, "{results:?}");
}

#[test]
fn other_goals_and_budgets() {
    let world = Tournament::BradleyTerry { sd: 1.5 }.draw(6, &mut stream(8, &[])).unwrap();
    let truth = truth(&world);
    for goal in [r#", "goal": {"top": 2}, "margin": 0.05"#, r#", "goal": "all", "margin": 0.05"#] {
        let mut policy = build(goal, &world, 1);
        let mut s = stream(1, &[7]);
        while !policy.decided() && policy.votes().count() < 30_000.0 {
            let proposal = policy.ask(world.problem());
            let outcome = toss(&world, &proposal, &mut s);
            policy.tell(world.problem(), &proposal, outcome);
        }
        let judgement = policy.judgement(world.problem());
        assert!(judgement.decided, "{goal}");
        // Whoever is placed before is not worse by more than the margin.
        let order: Vec<usize> = judgement.items.iter().map(|item| item.item).collect();
        let until = if goal.contains("top") { 2 } else { 6 };
        for a in 0..until {
            let from = if goal.contains("top") { 2 } else { a + 1 };
            assert!(order[from..].iter().all(|&b| truth[b] - truth[order[a]] <= 0.05), "{goal}: {order:?} {truth:?}");
        }
    }
    let mut policy = build(r#", "budget": 25"#, &world, 2);
    let mut s = stream(2, &[7]);
    for _ in 0..40 {
        let proposal = policy.ask(world.problem());
        let outcome = toss(&world, &proposal, &mut s);
        policy.tell(world.problem(), &proposal, outcome);
    }
    assert_eq!(policy.votes().count(), 25.0);
    assert!(policy.committed().is_some() && !policy.decided());
    let Duel(a, b) = policy.ask(world.problem()).duel;
    assert_ne!(a, b);
}

/// How often intervals that are to hold at all times are left, and how wide they are.
#[derive(Debug, Default, Clone, Copy)]
struct Left {
    /// The shares of items, of best items, and of studies with any item whose interval ever left out its score.
    items: f64,
    best: f64,
    any: f64,
    /// The mean width at the end.
    width: f64,
}

/// Studies of Bradley–Terry items whose strengths have this standard deviation, asked by `find-winner` (or at random)
/// and looked at whenever there is an eighth more, to the end.
fn left(items: usize, sd: f64, votes: f64, studies: u64, at_random: bool) -> Left {
    let one = |study: u64| {
        let world = Tournament::BradleyTerry { sd }.draw(items, &mut stream(77, &[study])).unwrap();
        let truth = truth(&world);
        let (mut s, mut cast, mut next) = (stream(study, &[31]), Votes::new(items), items as f64);
        let mut policy = build(r#", "margin": 0.0"#, &world, study);
        let (mut missed, mut width) = (vec![false; items], 0.0);
        while cast.count() < votes && !policy.decided() {
            let (i, proposal) = (s.below(items), policy.ask(world.problem()));
            let duel = if at_random { Duel(i, (i + 1 + s.below(items - 1)) % items) } else { proposal.duel };
            let outcome = Outcome::from_win(s.uniform() < world.probability(1, duel));
            cast.add(duel, outcome.reward());
            if !at_random {
                policy.tell(world.problem(), &proposal, outcome);
            }
            if cast.count() >= next {
                next += (next / 8.0).max(2.0);
                let judged = judge(world.problem().features(), &cast, &Options::default()).unwrap();
                for item in &judged.items {
                    missed[item.item] |= !(item.low..=item.high).contains(&truth[item.item]);
                }
                width = judged.items.iter().map(|item| item.high - item.low).sum::<f64>() / items as f64;
            }
        }
        let best = (0..items).max_by(|&a, &b| truth[a].total_cmp(&truth[b])).unwrap();
        (missed.iter().filter(|missed| **missed).count(), missed[best], width)
    };
    let all: Vec<(usize, bool, f64)> = (0..studies).into_par_iter().map(one).collect();
    let mean = |of: &dyn Fn(&(usize, bool, f64)) -> f64| all.iter().map(of).sum::<f64>() / studies as f64;
    Left {
        items: mean(&|study| study.0 as f64) / items as f64,
        best: mean(&|study| f64::from(u8::from(study.1))),
        any: mean(&|study| f64::from(u8::from(study.0 > 0))),
        width: mean(&|study| study.2),
    }
}

#[test]
fn intervals_hold_at_all_looks_whatever_the_scale_of_strengths() {
    for (items, sd, at_random) in [(20, 4.0, false), (20, 0.5, false), (5, 4.0, true)] {
        let studies = 40;
        let found = left(items, sd, 300.0, studies, at_random);
        // Of the best there is one a study: twice the standard error above 5 % is allowed. With a prior of strengths
        // N(0, 2), four in ten of the first are left.
        let allowed = 0.05 + 2.0 * (0.05 * 0.95 / studies as f64).sqrt();
        assert!(found.best <= allowed && found.items <= 0.05, "{items} items, sd {sd}: {found:?}");
        // Nor are they so wide that they could not be left.
        assert!(found.width < 0.6, "{items} items, sd {sd}: {found:?}");
    }
}

/// `BORDUEL_STUDIES=200 cargo test --release --test all -- --ignored --nocapture every_scale_of_strengths`
#[test]
#[ignore = "takes minutes: a command of its own, above"]
fn intervals_hold_for_every_scale_of_strengths() {
    let studies = std::env::var("BORDUEL_STUDIES").ok().and_then(|text| text.parse().ok()).unwrap_or(200);
    println!("| items | sd | asked | items left | best left | any left | mean width |\n|--:|--:|:--|--:|--:|--:|--:|");
    for (items, sd) in [5, 20].into_iter().flat_map(|items| [0.5, 1.0, 2.0, 3.0, 4.0].map(|sd| (items, sd))) {
        for at_random in [false, true] {
            let Left { items: each, best, any, width } = left(items, sd, 1_500.0, studies, at_random);
            let asked = if at_random { "at random" } else { "`find-winner`" };
            let [each, best, any] = [each, best, any].map(|share| format!("{:.1} %", 100.0 * share));
            println!("| {items} | {sd} | {asked} | {each} | {best} | {any} | {width:.3} |");
        }
    }
}

#[test]
fn intervals_are_those_of_the_likelihood() {
    // With many votes the likelihood is quadratic, and the width that of a normal mixture of scale 1 in log-odds.
    let mut cast = Votes::new(4);
    for vote in 0..5_000_u32 {
        for (i, j, share) in [(0, 1, 60), (1, 2, 60), (2, 3, 60), (0, 2, 69), (1, 3, 69), (0, 3, 77)] {
            cast.add(Duel(i, j), f64::from(u8::from(vote % 100 < share)));
        }
    }
    for item in judge(&Features::one_hot(4).unwrap(), &cast, &Options::default()).unwrap().items {
        let information = (item.borda * (1.0 - item.borda) / item.error).powi(2);
        let half = item.error * ((1.0 + 1.0 / information) * (information.ln_1p() - 2.0 * 0.05_f64.ln())).sqrt();
        let ratio = (item.high - item.low) / (2.0 * half);
        assert!((ratio - 1.0).abs() < 0.05, "{item:?} {ratio}");
    }
    // Who won nineteen of nineteen among equals may lose one in six (0.83 ^ 19 = 3 %), or be unbeatable.
    let mut cast = Votes::new(20);
    for round in 0..4_u8 {
        (0..19).for_each(|i| (1..5).for_each(|by| cast.add(Duel(i, (i + by) % 19), f64::from(round % 2))));
    }
    (0..19).for_each(|other| cast.add(Duel(19, other), 1.0));
    let winner = judge(&Features::one_hot(20).unwrap(), &cast, &Options::default()).unwrap().items[0];
    assert_eq!(winner.item, 19);
    assert!(winner.low < 0.83 && winner.low > 0.2 && winner.high > 0.99, "{winner:?}");
}

/// The mean of σ(u + √2 habit N): what a population of voters with habits makes of a difference.
pub(crate) fn at_large(u: f64, habit: f64) -> f64 {
    let (mut sum, mut mass) = (0.0, 0.0);
    for step in -60..=60 {
        let z = f64::from(step) / 10.0;
        let weight = (-0.5 * z * z).exp();
        sum += weight / (1.0 + (-(u + habit * 2_f64.sqrt() * z)).exp());
        mass += weight;
    }
    sum / mass
}

/// The share of items whose anytime interval ever left out the score at large, in studies of thirty voters with
/// opinions of their own who stand for many more, looked at twenty times.
fn ever_outside(known: bool, studies: u64) -> f64 {
    let (k, voters, habit) = (5_usize, 30_usize, 0.8);
    let strengths = [0.3, 0.1, 0.0, -0.1, -0.3];
    let score = |i: usize| {
        let others = (0..k).filter(|&j| j != i);
        others.map(|j| at_large(strengths[i] - strengths[j], habit)).sum::<f64>() / (k - 1) as f64
    };
    let truth: Vec<f64> = (0..k).map(score).collect();
    let features = Features::one_hot(k).unwrap();
    let one = |study: u64| {
        let mut s = stream(study, &[21]);
        let habits: Vec<f64> = (0..voters * k).map(|_| habit * s.normal()).collect();
        let mut ballots = Ballots::new(Ties::Half, BothBad::Drop, true);
        (0..k).for_each(|i| assert_eq!(ballots.item(&i.to_string()) as usize, i));
        (0..voters).for_each(|v| assert_eq!(ballots.voter(&v.to_string()) as usize, v));
        let mut missed = vec![false; k];
        for _ in 0..20 {
            for _ in 0..100 {
                let (v, i) = (s.below(voters), s.below(k));
                let j = (i + 1 + s.below(k - 1)) % k;
                let u = strengths[i] - strengths[j] + habits[v * k + i] - habits[v * k + j];
                let answer = if s.uniform() < 1.0 / (1.0 + (-u).exp()) { Answer::Left } else { Answer::Right };
                ballots.add(i as u32, j as u32, known.then_some(v as u32), answer, 1.0, 1.0).unwrap();
            }
            let judgement = judge_ballots(&features, &ballots.clone().finish(), &Options::default()).unwrap();
            for item in &judgement.items {
                missed[item.item] |= !(item.low..=item.high).contains(&truth[item.item]);
            }
        }
        missed.iter().filter(|missed| **missed).count()
    };
    (0..studies).into_par_iter().map(one).sum::<usize>() as f64 / (studies * k as u64) as f64
}

#[test]
fn habits_of_voters_are_allowed_for() {
    let (known, unknown) = (ever_outside(true, 40), ever_outside(false, 40));
    assert!(known <= 0.05, "{known}");
    assert!(unknown > 2.0 * known.max(0.02), "nobody knows who voted, and it does not matter? {unknown} {known}");
}
