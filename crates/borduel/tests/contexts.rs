//! Items that are compared in contexts: which is asked where, and how often a wrong item is named although somebody
//! looks all the time; `contexts_in_full` below does the same with more runs.

use borduel::ballots::{Answer, Ballot, Ballots};
use borduel::environment::in_contexts::{Family, InContexts};
use borduel::policy::find_winner::State;
use borduel::ranking::{Forecast, VerdictKind};
use borduel::sequential::{Options, Reading, Votes, judge};
use borduel::{
    About, AnyPolicy, Contexts, Duel, Features, Link, Outcome, Policy, PolicyConfig, Problem, Saved, Stream, stream,
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
fn before(case: &Case, world: &InContexts, votes: usize, s: &mut Stream, context: impl Fn(f64) -> u32) -> Ballots {
    let (k, names) = (world.problem().items(), world.problem().contexts().unwrap().names());
    let mut ballots = Ballots::default();
    (0..k).for_each(|item| assert_eq!(ballots.item(&item.to_string()) as usize, item));
    for _ in 0..votes {
        let (i, c) = (s.below(k), context(s.uniform()));
        let j = (i + 1 + s.below(k - 1)) % k;
        let won = s.uniform() < smoothed(case.log_odds(world, c, Duel(i, j)), 0.0);
        let answer = Answer::Soft(f64::from(u8::from(won)));
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

/// What is studied, and how.
#[derive(Debug, Clone, Copy)]
struct Case {
    family: Family,
    about: About,
    begins: Begins,
    crowd: Crowd,
    /// By how much all items but the first two are behind those besides, in log-odds.
    below: f64,
    /// Whether the policy knows that there are contexts; else it is asked in any.
    told: bool,
}

impl Case {
    fn new(family: Family, about: About) -> Self {
        Self { family, about, begins: Begins::Anew, crowd: None, below: 0.0, told: true }
    }

    fn such(family: Family) -> Self {
        Self::new(family, About::Such)
    }

    fn these(family: Family) -> Self {
        Self::new(family, About::These)
    }

    fn begins(self, begins: Begins) -> Self {
        Self { begins, ..self }
    }

    /// The log-odds of one item over another in this context, but for tastes.
    fn log_odds(&self, world: &InContexts, context: u32, Duel(i, j): Duel) -> f64 {
        let p = world.probability(context, Duel(i, j));
        let behind = |item: usize| if item < 2 { 0.0 } else { self.below };
        (p / (1.0 - p)).ln() - behind(i) + behind(j)
    }

    /// The scores by their definition, with all tastes there may be.
    fn truth(&self, world: &InContexts) -> Vec<f64> {
        let (k, taste) = (self.family.items, 2_f64.sqrt() * self.crowd.map_or(0.0, |(_, taste)| taste));
        let apart = 2_f64.sqrt() * self.family.spread;
        let strength = |item: usize| match item {
            0 => self.family.ahead,
            1 => 0.0,
            _ => -self.below,
        };
        let chance = |i: usize, j: usize| match self.about {
            About::Such => smoothed(strength(i) - strength(j), apart.hypot(taste)),
            About::These => {
                let common: Vec<u32> = world.problem().contexts().unwrap().common(i, j).collect();
                let all = common.iter().map(|&c| smoothed(self.log_odds(world, c, Duel(i, j)), taste));
                all.sum::<f64>() / common.len().max(1) as f64
            }
        };
        (0..k).map(|i| (0..k).filter(|&j| j != i).map(|j| chance(i, j)).sum::<f64>() / (k - 1) as f64).collect()
    }

    /// One study: whether it names a wrong item, and whether it names any.
    fn study(&self, run: u64) -> (bool, bool) {
        let Self { family, about, .. } = *self;
        let mut s = stream(run, &[42]);
        let world = family.draw(&mut s).unwrap();
        let (voters, taste) = self.crowd.unwrap_or((0, 0.0));
        let tastes: Vec<f64> = (0..voters * family.items).map(|_| taste * s.normal()).collect();
        let plain = Problem::new(Features::one_hot(family.items).unwrap(), Link::Logistic, None).unwrap();
        let problem = if self.told { world.problem() } else { &plain };
        let mut policy = find(problem, about, run);
        let contexts = family.contexts as f64;
        let first: Option<fn(f64) -> f64> = match self.begins {
            Begins::Anew => None,
            Begins::Late => Some(|u| u / 4.0),
            Begins::Unequal => Some(|u| u.powi(4)),
        };
        if let Some(first) = first {
            let votes = before(self, &world, 400, &mut s, |u| (first(u) * contexts) as u32);
            policy.take_over(problem, &if self.told { votes } else { votes.without_contexts().finish() });
        }
        while !policy.decided() && policy.votes().count() < 2_000.0 {
            let proposal = policy.ask(problem);
            let (context, duel) =
                (proposal.context().unwrap_or_else(|| s.below(family.contexts) as u32), proposal.duel);
            let voter = (voters > 0).then(|| s.below(voters));
            let taste = |item: usize| voter.map_or(0.0, |voter| tastes[voter * family.items + item]);
            let log_odds = self.log_odds(&world, context, duel) + taste(duel.0) - taste(duel.1);
            let outcome = Outcome::from_win(s.uniform() < smoothed(log_odds, 0.0));
            match voter {
                Some(voter) => policy.tell_by(problem, &proposal, outcome, &voter.to_string()),
                None => policy.tell(problem, &proposal, outcome),
            }
        }
        let truth = self.truth(&world);
        let best = truth.iter().copied().fold(0.0, f64::max);
        (policy.decided() && best - truth[policy.estimate(problem)] > 0.02, policy.decided())
    }

    /// The shares of studies that name a wrong item, and that name any.
    fn wrong_and_decided(&self, runs: u64) -> (f64, f64) {
        let all: Vec<(bool, bool)> = (0..runs).into_par_iter().map(|run| self.study(run)).collect();
        let share = |of: fn(&(bool, bool)) -> bool| all.iter().filter(|run| of(run)).count() as f64 / runs as f64;
        (share(|run| run.0), share(|run| run.1))
    }
}

/// E σ(x + s Z), Z standard normal.
pub(crate) fn smoothed(x: f64, s: f64) -> f64 {
    if s == 0.0 {
        return 1.0 / (1.0 + (-x).exp());
    }
    let (sum, mass) = (-60..=60).map(|at| 0.1 * f64::from(at)).fold((0.0, 0.0), |(sum, mass), z| {
        let density = (-0.5 * z * z).exp();
        (sum + density / (1.0 + (-x - s * z).exp()), mass + density)
    });
    sum / mass
}

/// 5 %, which are stated, and so many standard errors of that.
fn allowed(errors: f64, runs: u64) -> f64 {
    0.05 + errors * (0.05 * 0.95 / runs as f64).sqrt()
}

#[test]
fn scores_are_those_of_their_definition() {
    let mut s = stream(3, &[48]);
    for family in [Family::new(2, 8).with_ahead(0.5), Family::new(5, 9).with_spread(0.7).with_missing(0.3)] {
        let world = family.draw(&mut s).unwrap();
        for about in [About::These, About::Such] {
            let both = world.scores(about).into_iter().zip(Case::new(family, about).truth(&world));
            both.for_each(|(one, other)| assert!((one - other).abs() < 1e-6, "{family:?} {about:?}: {one} {other}"));
        }
    }
}

/// Few studies, so that it is quick: twice the standard error is allowed.
fn few_are_wrong(cases: &[Case]) {
    let runs = 40;
    for case in cases {
        let (wrong, decided) = case.wrong_and_decided(runs);
        assert!(wrong <= allowed(2.0, runs), "{case:?}: {wrong} wrong");
        let open = case.about == About::Such || case.family.spread < 0.5 || case.crowd.is_some();
        assert!(open || decided > 0.5, "{case:?}: on these contexts it can be found, {decided}");
    }
}

/// The best is ahead by just more than the margin, where contexts differ much.
fn hard() -> Family {
    Family::new(2, 8).with_ahead(0.06).with_spread(1.0)
}

#[test]
fn wrong_winners_are_rare_about_such() {
    few_are_wrong(&[
        Case::such(hard()),
        Case::such(hard().with_contexts(5)),
        Case::such(hard().with_items(4).with_spread(0.3)).begins(Begins::Unequal),
        Case::such(hard().with_contexts(16)).begins(Begins::Late),
    ]);
}

#[test]
fn wrong_winners_are_rare_about_these() {
    let several = hard().with_contexts(16);
    few_are_wrong(&[
        Case::these(hard()),
        Case::these(several.with_spread(0.5)).begins(Begins::Late),
        Case::these(several).begins(Begins::Unequal),
        Case::these(hard().with_items(5).with_missing(0.3).with_spread(0.3)),
    ]);
}

#[test]
fn wrong_winners_are_rare_among_voters_with_tastes() {
    few_are_wrong(&[
        Case { crowd: Some((20, 0.7)), ..Case::such(hard().with_ahead(0.063)) },
        Case { crowd: Some((20, 0.7)), ..Case::these(hard().with_spread(0.5)) },
    ]);
}

/// About such contexts: two items or five, one of which is well ahead. How many are settled tells that the rule is not
/// merely silent.
fn settled_about_such() -> [Case; 12] {
    let (two, five) = (Family::new(2, 100).with_ahead(0.5).with_spread(0.3), Family::new(5, 30).with_ahead(1.2));
    let (five, far) = (five.with_spread(0.5), Family::new(5, 60).with_ahead(1.0).with_spread(1.0));
    [
        Case::such(two),
        Case::such(two.with_contexts(30)),
        Case::such(two.with_contexts(13).with_ahead(0.8)),
        Case::such(two.with_missing(0.3)),
        Case::such(two).begins(Begins::Late),
        Case::such(two).begins(Begins::Unequal),
        Case::such(five),
        Case::such(five).begins(Begins::Late),
        Case::such(five).begins(Begins::Unequal),
        Case::such(five.with_missing(0.3)),
        Case::such(far),
        Case { crowd: Some((30, 0.7)), ..Case::such(five) },
    ]
}

/// The best is ahead by just more than the margin, with contexts that are late, unequal or missing.
fn hard_about_such() -> [Case; 12] {
    let few = Family::new(2, 16).with_ahead(0.043).with_spread(0.3);
    let many = few.with_contexts(100);
    // Of five items three are well behind, so that it is decided between two.
    let five = |spread: f64, ahead: f64| Family::new(5, 30).with_ahead(ahead).with_spread(spread);
    let of_five = |family: Family| Case { below: 2.0, ..Case::such(family) };
    [
        Case::such(few).begins(Begins::Late),
        Case::such(few).begins(Begins::Unequal),
        Case::such(few.with_missing(0.3)),
        Case::such(few.with_spread(1.0).with_ahead(0.06)).begins(Begins::Late),
        Case::such(few.with_spread(1.0).with_ahead(0.06)).begins(Begins::Unequal),
        Case::such(many).begins(Begins::Late),
        Case::such(many).begins(Begins::Unequal),
        Case::such(many.with_missing(0.3)),
        of_five(five(0.3, 0.11)),
        of_five(five(0.3, 0.11)).begins(Begins::Unequal),
        of_five(five(0.3, 0.11).with_missing(0.3)),
        of_five(five(1.0, 0.12)).begins(Begins::Late),
    ]
}

#[test]
fn clear_leads_about_such_contexts_are_found() {
    let runs = 12;
    for case in settled_about_such() {
        let (wrong, decided) = case.wrong_and_decided(runs);
        assert!(wrong <= allowed(3.0, runs) && decided > 0.6, "{case:?}: {wrong} wrong, {decided} settled");
    }
}

/// Where contexts are late or unequal, whoever ignores them is wrong more often than is stated; whoever knows them is
/// not.
#[test]
fn late_and_unequal_contexts_mislead_who_ignores_them() {
    let runs = 50;
    for begins in [Begins::Late, Begins::Unequal] {
        let case = Case::such(hard().with_contexts(16)).begins(begins);
        let [told, ignored] = [true, false].map(|told| Case { told, ..case }.wrong_and_decided(runs).0);
        assert!(told <= allowed(2.0, runs), "{case:?}: {told} wrong");
        assert!(ignored > allowed(3.0, runs), "{case:?}: the test has no power, {ignored} wrong");
    }
}

/// `BORDUEL_STUDIES=400 cargo test --workspace --all-features --test all -- --ignored --nocapture --exact
/// contexts::contexts_in_full`; with `BORDUEL_CASES="| 2 | 100 |"` of the rows that contain this.
#[test]
#[ignore = "takes minutes: a command of its own, above"]
fn contexts_in_full() {
    let told = |name: &str| std::env::var(name).ok();
    let runs: u64 = told("BORDUEL_STUDIES").and_then(|text| text.parse().ok()).unwrap_or(100);
    let wanted = told("BORDUEL_CASES").unwrap_or_default();
    let mut cases = Vec::new();
    // The best is ahead by just more than the margin: about such contexts, the worst that can be.
    for contexts in [5, 8, 13, 30, 100] {
        for (spread, ahead) in [(0.0, 0.041), (0.3, 0.043), (1.0, 0.06)] {
            cases.push(Case::such(Family::new(2, contexts).with_ahead(ahead).with_spread(spread)));
        }
    }
    for (spread, ahead) in [(0.3, 0.07), (1.0, 0.1)] {
        let family = Family::new(5, 16).with_ahead(ahead).with_spread(spread);
        for about in [About::Such, About::These] {
            let case = Case::new(family, about);
            cases.extend([Begins::Anew, Begins::Late, Begins::Unequal].map(|begins| case.begins(begins)));
            // Thirty voters with tastes of their own, and many items.
            cases.push(Case { crowd: Some((30, 0.7)), ..case });
            cases.push(Case::new(family.with_items(20), about));
        }
        cases.push(Case::these(family.with_missing(0.3)));
        cases.push(Case::such(family.with_missing(0.3)));
    }
    cases.extend(hard_about_such());
    let hard = cases.len();
    cases.extend(settled_about_such());
    for (at, case) in cases.into_iter().enumerate() {
        let Case {
            family: Family { items, contexts, spread, missing, ahead, .. }, about, begins, crowd, below, ..
        } = case;
        let (begins, about) = (format!("{begins:?}").to_lowercase(), about.name());
        let (missing, voters) = (100.0 * missing, crowd.map_or(0, |(voters, _)| voters));
        let row = format!(
            "| {items} | {contexts} | {spread} | {ahead} | {below} | {missing:.0} % | {voters} | {begins} | {about} |"
        );
        if !row.contains(&wanted) {
            continue;
        }
        let (wrong, decided) = case.wrong_and_decided(runs);
        println!("{row} {:.1} % | {:.0} % |", 100.0 * wrong, 100.0 * decided);
        assert!(wrong <= allowed(3.0, runs), "{case:?}");
        assert!(at < hard || decided > 0.6, "{case:?}: a clear lead is found");
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

/// Votes in ten thousand contexts are read at once, by themselves and with the habits of voters.
#[test]
fn ten_thousand_contexts_are_judged_at_once() {
    let (items, contexts) = (6, 10_000_u32);
    let features = Features::one_hot(items).unwrap();
    let (mut votes, mut ballots, mut s) = (Votes::new(items), Ballots::default(), stream(8, &[50]));
    (0..items).for_each(|item| assert_eq!(ballots.item(&item.to_string()) as usize, item));
    for context in 0..contexts {
        let u: Vec<f64> = (0..items).map(|item| 0.5 * s.normal() + if item == 0 { 0.6 } else { 0.0 }).collect();
        let here = Some(ballots.context(&format!("c{context}")));
        for _ in 0..3 {
            let i = s.below(items);
            let j = (i + 1 + s.below(items - 1)) % items;
            let r = f64::from(u8::from(s.uniform() < smoothed(u[i] - u[j], 0.0)));
            votes.add_in(Some(context), Duel(i, j), r);
            let voter = Some(ballots.voter(&s.below(40).to_string()));
            let vote = Ballot::new(i as u32, j as u32, Answer::Soft(r)).with_voter(voter).with_context(here);
            ballots.add_all(&[vote]).unwrap();
        }
    }
    let (ballots, options) = (ballots.finish(), Options::default());
    let before = cpu();
    let alone = judge(&features, &votes, &options).unwrap();
    let by_voters = Reading::with_contexts(&features, &ballots, &[10_000; 6], None, &options).unwrap().judgement();
    let took = cpu() - before;
    for found in [&alone, &by_voters] {
        assert_eq!((found.kind, found.winners.as_slice()), (VerdictKind::ClearWinner, &[0][..]));
        let over = found.contexts.unwrap();
        assert_eq!((over.about, over.seen), (About::Such, 10_000));
        // τ = 0.5 from three votes each, and the score of the first among equals.
        assert!((0.35..0.65).contains(&over.spread), "{}", over.spread);
        let (first, truth) = (&found.items[0], smoothed(0.6, 0.5 * 2_f64.sqrt()));
        assert!((first.low..first.high).contains(&truth) && first.high - first.low < 0.06, "{first:?} {truth}");
    }
    assert!(took < 4.0, "{took} s");
}

/// The processor time of this thread so far, in seconds.
fn cpu() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}
