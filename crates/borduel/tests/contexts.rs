//! Items that are compared in contexts: which is asked where, and how often a wrong item is named although somebody
//! looks all the time; `contexts_in_full` below does the same with more runs.

use borduel::ballots::{Answer, Ballot, Ballots};
use borduel::environment::in_contexts::{Family, InContexts};
use borduel::policy::find_winner::State;
use borduel::ranking::{Forecast, VerdictKind};
use borduel::sequential::{Options, Votes, judge};
use borduel::{
    About, AnyPolicy, Contexts, Duel, Features, Outcome, Policy, PolicyConfig, Problem, Saved, Stream, stream,
};
use rayon::prelude::*;
use std::collections::BTreeMap;

fn find(problem: &Problem, about: About, seed: u64) -> State {
    let config = format!(r#"{{"policy": "find-winner", "about": "{}"}}"#, about.name());
    let config: PolicyConfig = serde_json::from_str(&config).unwrap();
    match config.build(problem, stream(seed, &[41])).unwrap() {
        AnyPolicy::FindWinner(policy) => policy,
        _ => unreachable!(),
    }
}

fn answer(world: &InContexts, context: u32, duel: Duel, s: &mut Stream) -> Outcome {
    Outcome::from_win(s.uniform() < world.probability(context, duel))
}

/// Votes before the policy begins, in contexts drawn by this rule.
fn before(world: &InContexts, votes: usize, s: &mut Stream, context: impl Fn(f64) -> u32) -> Ballots {
    let (k, names) = (world.problem().items(), world.problem().contexts().unwrap().names());
    let mut ballots = Ballots::default();
    (0..k).for_each(|item| assert_eq!(ballots.item(&item.to_string()) as usize, item));
    for _ in 0..votes {
        let (i, c) = (s.below(k), context(s.uniform()));
        let j = (i + 1 + s.below(k - 1)) % k;
        let answer = Answer::Soft(answer(world, c, Duel(i, j), s).reward());
        let context = Some(ballots.context(&names[c as usize]));
        let (left, right) = (i as u32, j as u32);
        ballots.add_all(&[Ballot::new(left, right, answer).with_context(context)]).unwrap();
    }
    ballots.finish()
}

/// How a study begins.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Begins {
    Anew,
    /// With 400 votes in a quarter of the contexts: the others arrive late.
    Late,
    /// With 400 votes, half of them in a sixteenth of the contexts.
    Unequal,
}

/// So many voters, each with a taste for every item: of this standard deviation in log-odds.
type Crowd = Option<(usize, f64)>;

/// The shares of studies that name a wrong item, and that name any.
fn wrong_and_decided(family: Family, about: About, begins: Begins, crowd: Crowd, runs: u64) -> (f64, f64) {
    let one = |run: u64| {
        let mut s = stream(run, &[42]);
        let world = family.draw(&mut s).unwrap();
        let (problem, contexts) = (world.problem(), family.contexts as f64);
        let (voters, habit) = crowd.unwrap_or((0, 0.0));
        let tastes: Vec<f64> = (0..voters * family.items).map(|_| habit * s.normal()).collect();
        let mut policy = find(problem, about, run);
        match begins {
            Begins::Anew => {}
            Begins::Late => policy.take_over(problem, &before(&world, 400, &mut s, |u| (u * contexts / 4.0) as u32)),
            Begins::Unequal => {
                policy.take_over(problem, &before(&world, 400, &mut s, |u| (u.powi(4) * contexts) as u32));
            }
        }
        while !policy.decided() && policy.votes().count() < 2_000.0 {
            let proposal = policy.ask(problem);
            let (context, duel) = (proposal.context().unwrap(), proposal.duel);
            if voters == 0 {
                policy.tell(problem, &proposal, answer(&world, context, duel, &mut s));
                continue;
            }
            let voter = s.below(voters);
            let taste = |item: usize| tastes[voter * family.items + item];
            let p = world.probability(context, duel);
            let odds = p / (1.0 - p) * (taste(duel.0) - taste(duel.1)).exp();
            let outcome = Outcome::from_win(s.uniform() < odds / (1.0 + odds));
            policy.tell_by(problem, &proposal, outcome, &voter.to_string());
        }
        // Tastes make everybody's answers more even, and leave the order as it is.
        let truth = world.scores(about);
        let best = truth.iter().copied().fold(0.0, f64::max);
        (policy.decided() && best - truth[policy.estimate(problem)] > 0.02, policy.decided())
    };
    let all: Vec<(bool, bool)> = (0..runs).into_par_iter().map(one).collect();
    let share = |of: fn(&(bool, bool)) -> bool| all.iter().filter(|run| of(run)).count() as f64 / runs as f64;
    (share(|run| run.0), share(|run| run.1))
}

#[test]
fn wrong_winners_are_rare_about_these_and_about_such() {
    let family = Family::new(2, 8).with_ahead(0.06).with_spread(1.0);
    let runs = 60;
    // 5 % are stated, and twice the standard error is allowed.
    let allowed = 0.05 + 2.0 * (0.05 * 0.95 / runs as f64).sqrt();
    for (family, about, begins) in [
        (family, About::Such, Begins::Anew),
        (family.with_contexts(5), About::Such, Begins::Anew),
        (family.with_items(4).with_spread(0.3), About::Such, Begins::Unequal),
        (family.with_contexts(16), About::Such, Begins::Late),
        (family, About::These, Begins::Anew),
        (family.with_contexts(16).with_spread(0.5), About::These, Begins::Late),
        (family.with_contexts(16), About::These, Begins::Unequal),
        (family.with_items(5).with_missing(0.3).with_spread(0.3), About::These, Begins::Anew),
    ] {
        let (wrong, decided) = wrong_and_decided(family, about, begins, None, runs);
        assert!(wrong <= allowed, "{family:?} {about:?} {begins:?}: {wrong} wrong");
        let open = about == About::Such || family.spread < 0.5;
        assert!(open || decided > 0.5, "{family:?} {begins:?}: on these contexts it can be found, {decided}");
    }
    // Voters with tastes of their own, besides.
    for (family, about) in [(family, About::Such), (family.with_spread(0.5), About::These)] {
        let (wrong, _) = wrong_and_decided(family, about, Begins::Anew, Some((20, 0.7)), runs);
        assert!(wrong <= allowed, "{family:?} {about:?}, 20 voters: {wrong} wrong");
    }
}

/// `BORDUEL_STUDIES=400 cargo test --workspace --all-features --test all -- --ignored --nocapture contexts_in_full`
#[test]
#[ignore = "takes minutes: a command of its own, above"]
fn contexts_in_full() {
    let runs: u64 = std::env::var("BORDUEL_STUDIES").ok().and_then(|text| text.parse().ok()).unwrap_or(100);
    let mut rows = Vec::new();
    // The best is ahead by just more than the margin: about such contexts, the worst that can be.
    for contexts in [5, 8, 13, 30] {
        for (spread, ahead) in [(0.0, 0.041), (0.3, 0.043), (1.0, 0.06)] {
            let family = Family::new(2, contexts).with_ahead(ahead).with_spread(spread);
            rows.push((family, About::Such, Begins::Anew, None));
        }
    }
    for (spread, ahead) in [(0.3, 0.07), (1.0, 0.1)] {
        let family = Family::new(5, 16).with_ahead(ahead).with_spread(spread);
        for about in [About::Such, About::These] {
            rows.extend([Begins::Anew, Begins::Late, Begins::Unequal].map(|begins| (family, about, begins, None)));
            // Thirty voters with tastes of their own, and many items.
            rows.push((family, about, Begins::Anew, Some((30, 0.7))));
            rows.push((family.with_items(20), about, Begins::Anew, None));
        }
        rows.push((family.with_missing(0.3), About::These, Begins::Anew, None));
        rows.push((family.with_missing(0.3), About::Such, Begins::Anew, None));
    }
    for (family, about, begins, crowd) in rows {
        let (wrong, decided) = wrong_and_decided(family, about, begins, crowd, runs);
        let Family { items, contexts, spread, missing, .. } = family;
        let (begins, about) = (format!("{begins:?}").to_lowercase(), about.name());
        let (missing, voters) = (100.0 * missing, crowd.map_or(0, |(voters, _)| voters));
        println!(
            "| {items} | {contexts} | {spread} | {missing:.0} % | {voters} | {begins} | {about} | {:.1} % | {:.0} % |",
            100.0 * wrong,
            100.0 * decided
        );
        assert!(wrong <= 0.05 + 2.0 * (0.05 * 0.95 / runs as f64).sqrt());
    }
}

/// What the same votes say when their contexts are left out is not true of such contexts.
#[test]
fn who_ignores_contexts_is_wrong_about_such() {
    let family = Family::new(2, 8).with_ahead(0.06).with_spread(1.0);
    let features = Features::one_hot(2).unwrap();
    let one = |run: u64| {
        let mut s = stream(run, &[43]);
        let world = family.draw(&mut s).unwrap();
        let (mut apart, mut together) = (Votes::new(2), Votes::new(2));
        for vote in 0..1_600_u32 {
            let r = answer(&world, vote % 8, Duel(0, 1), &mut s).reward();
            apart.add_in(Some(vote % 8), Duel(0, 1), r);
            together.add(Duel(0, 1), r);
        }
        [together, apart].map(|votes| {
            let found = judge(&features, &votes, &Options::default()).unwrap();
            found.kind == VerdictKind::ClearWinner && found.winners == [1]
        })
    };
    let all: Vec<[bool; 2]> = (0..60_u64).into_par_iter().map(one).collect();
    let wrong = [0, 1].map(|way| all.iter().filter(|run| run[way]).count());
    assert!(wrong[0] > 12 && wrong[1] <= 3, "{wrong:?}");
}

#[test]
fn contexts_take_turns_and_missing_contents_are_never_asked() {
    let family = Family::new(4, 6).with_spread(0.5).with_missing(0.4);
    let mut s = stream(4, &[44]);
    let world = family.draw(&mut s).unwrap();
    let (problem, contexts) = (world.problem(), world.problem().contexts().unwrap());
    let mut policy = find(problem, About::Such, 1);
    let mut asked: BTreeMap<(usize, usize), Vec<u32>> = BTreeMap::new();
    for _ in 0..400 {
        let proposal = policy.ask(problem);
        let (Duel(i, j), context) = (proposal.duel, proposal.context().unwrap());
        assert!(contexts.has(i, context) && contexts.has(j, context));
        asked.entry((i.min(j), i.max(j))).or_default().push(context);
        let outcome = answer(&world, context, proposal.duel, &mut s);
        policy.tell(problem, &proposal, outcome);
    }
    for ((i, j), of_pair) in asked {
        let times = contexts.common(i, j).map(|context| of_pair.iter().filter(|other| **other == context).count());
        let (least, most) = times.fold((usize::MAX, 0), |(least, most), n| (least.min(n), most.max(n)));
        assert!(most - least <= 1, "({i}, {j}): {least} to {most} times");
    }
    // Saved and loaded, it goes on with the same questions.
    let policy = AnyPolicy::FindWinner(policy);
    let saved = serde_json::to_string(&Saved::new(problem, &policy)).unwrap();
    let mut loaded: AnyPolicy = serde_json::from_str::<Saved<AnyPolicy>>(&saved).unwrap().open(problem).unwrap();
    let (mut policy, text) = (policy, serde_json::to_string(problem).unwrap());
    assert_eq!(serde_json::from_str::<Problem>(&text).unwrap().fingerprint(), problem.fingerprint());
    for _ in 0..20 {
        assert_eq!(policy.ask(problem), loaded.ask(problem));
    }
    let refused = PolicyConfig::named("rucb").unwrap().build(problem, stream(1, &[])).unwrap_err().to_string();
    assert!(refused.contains("knows no contexts"), "{refused}");
}

/// Whoever is named after others were not: all answers stay where they were given.
#[test]
fn answers_keep_their_contexts_when_a_voter_is_named() {
    let family = Family::new(3, 4).with_ahead(0.5).with_spread(0.5);
    let mut s = stream(6, &[47]);
    let world = family.draw(&mut s).unwrap();
    let problem = world.problem();
    let mut policy = find(problem, About::These, 1);
    for vote in 0..60 {
        let proposal = policy.ask(problem);
        let outcome = answer(&world, proposal.context().unwrap(), proposal.duel, &mut s);
        if vote < 40 {
            policy.tell(problem, &proposal, outcome);
        } else {
            policy.tell_by(problem, &proposal, outcome, "ann");
        }
    }
    assert_eq!(policy.voters(), Some(2));
    assert_eq!(policy.judgement(problem).contexts.unwrap().seen, 4);
}

#[test]
fn the_propensity_is_that_of_pair_and_context() {
    let family = Family::new(3, 3).with_ahead(0.5).with_spread(0.5);
    let mut s = stream(5, &[45]);
    let world = family.draw(&mut s).unwrap();
    let problem = world.problem();
    let mut policy = find(problem, About::These, 1);
    for _ in 0..40 {
        let proposal = policy.ask(problem);
        let outcome = answer(&world, proposal.context().unwrap(), proposal.duel, &mut s);
        policy.tell(problem, &proposal, outcome);
    }
    let draws = 20_000;
    let mut seen: BTreeMap<(usize, usize, u32), (f64, f64)> = BTreeMap::new();
    for draw in 0..draws {
        let mut twin = policy.clone();
        twin.reseed(stream(draw, &[46]));
        let proposal = twin.ask(problem);
        let one = seen.entry((proposal.duel.0, proposal.duel.1, proposal.context().unwrap())).or_default();
        *one = (one.0 + 1.0, proposal.propensity.unwrap());
    }
    let total: f64 = seen.values().map(|(_, p)| p).sum();
    assert!(total > 0.97 && total < 1.0 + 1e-9, "{total}");
    for (question, (times, p)) in seen {
        let n = draws as f64;
        assert!((times / n - p).abs() < 5.0 * (p / n).sqrt(), "{question:?}: {times} of {n}, said {p}");
    }
}

/// Where more votes in the same contexts will not do, it is said how many contexts would.
#[test]
fn votes_and_contexts_are_told_apart() {
    let features = Features::one_hot(2).unwrap();
    let mut votes = Votes::new(2);
    for context in 0..12_u32 {
        let wins = if context % 4 == 0 { 2 } else { 7 };
        (0..400).for_each(|vote| votes.add_in(Some(context), Duel(0, 1), f64::from(u8::from(vote % 10 < wins))));
    }
    let such = judge(&features, &votes, &Options::default()).unwrap();
    let contexts = such.contexts.unwrap();
    assert_eq!((contexts.about, contexts.seen, such.decided), (About::Such, 12, false));
    assert!(such.forecast.unwrap().range().is_none(), "{:?}", such.forecast);
    let Some(Forecast::Between { low, high }) = contexts.more else { panic!("{contexts:?}") };
    assert!(low >= 1.0 && high < 1_000.0, "{low} {high}");
    let these = judge(&features, &votes, &Options::default().with_about(Some(About::These))).unwrap();
    assert!(these.decided && these.contexts.unwrap().more.is_none());
    assert!(these.items[0].high - these.items[0].low < such.items[0].high - such.items[0].low);
    // Two of two contexts are enough for a verdict about these, and not about such.
    let names = Contexts::new(vec!["a".to_owned(), "b".to_owned()]).unwrap();
    assert_eq!(About::by_number(names.len()), About::These);
}
