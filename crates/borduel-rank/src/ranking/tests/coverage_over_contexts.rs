//! Do intervals over contexts contain the truth as often as they say, about these contexts and about such? Measured by
//! simulation: items are better in some contexts than in others, contexts have very unequal numbers of votes, voters
//! have habits.

use super::*;
use crate::about::About;
use crate::ballots::{Answer, Ballot, BothBad, Ties};
use crate::stream::{Stream, stream};
use borduel_testing::skip;
use rayon::prelude::*;

/// log-odds of i over j in context c, for voter v: s(i) − s(j) + u(i,c) − u(j,c) + h(i,v) − h(j,v).
#[derive(Clone, Copy, Debug)]
struct World {
    items: usize,
    contexts: usize,
    /// The standard deviation of u, and of how many items, the first ones, it is not 0.
    tau: f64,
    varying: usize,
    /// Votes a context, on average.
    votes: usize,
    /// How many times as many votes the largest context has as the smallest.
    uneven: f64,
    /// The share of (item, context) without a content.
    missing: f64,
    /// 0 where they are not known.
    voters: usize,
    /// The standard deviation of h.
    habit: f64,
}

/// Contexts of as many votes that make no difference, and nothing missing.
const EVEN: World =
    World { items: 5, contexts: 8, tau: 0.0, varying: 5, votes: 50, uneven: 1.0, missing: 0.0, voters: 0, habit: 0.0 };

/// E μ(x + σ Z), Z normal.
fn smoothed(x: f64, sigma: f64) -> f64 {
    let mu = |x: f64| 1.0 / (1.0 + (-x).exp());
    let nodes = (-60..=60).map(|at| 0.1 * f64::from(at));
    let (sum, all) = nodes.fold((0.0, 0.0), |(sum, all), z| {
        let density = (-0.5 * z * z).exp();
        (sum + density * mu(x + sigma * z), all + density)
    });
    sum / all
}

/// B(i), with the chances of pairs.
fn borda(items: usize, chance: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let one = |i: usize| (0..items).filter(|&j| j != i).map(|j| chance(i, j)).sum::<f64>() / (items - 1) as f64;
    (0..items).map(one).collect()
}

impl World {
    /// Votes, and the truth about these contexts and about such.
    fn votes(&self, s: &mut Stream) -> (Ballots, [Vec<f64>; 2]) {
        let &World { items: k, contexts: g, tau, .. } = self;
        let normals = |n: usize, sd: f64, s: &mut Stream| -> Vec<f64> { (0..n).map(|_| sd * s.normal()).collect() };
        let (strengths, mut u) = (normals(k, 0.5, s), normals(k * g, tau, s));
        u.iter_mut().enumerate().filter(|(at, _)| at % k >= self.varying).for_each(|(_, u)| *u = 0.0);
        let habits = normals(k * self.voters, self.habit, s);
        let noise = 2_f64.sqrt() * self.habit;
        let shown = |i: usize, j: usize, c: usize| strengths[i] - strengths[j] + u[c * k + i] - u[c * k + j];
        let there: Vec<Vec<usize>> =
            (0..g).map(|_| (0..k).filter(|_| self.missing == 0.0 || s.uniform() >= self.missing).collect()).collect();
        let these = borda(k, |i, j| {
            let common = || (0..g).filter(|&c| there[c].contains(&i) && there[c].contains(&j));
            common().map(|c| smoothed(shown(i, j, c), noise)).sum::<f64>() / common().count() as f64
        });
        let varies = |item: usize| f64::from(u8::from(item < self.varying));
        let differ = |i: usize, j: usize| noise.hypot((varies(i) + varies(j)).sqrt() * tau);
        let such = borda(k, |i, j| smoothed(strengths[i] - strengths[j], differ(i, j)));
        let mut ballots = Ballots::new(Ties::Half, BothBad::Drop, true);
        (0..k).for_each(|item| {
            ballots.item(&item.to_string());
        });
        let sizes: Vec<f64> = (0..g).map(|c| self.uneven.powf(c as f64 / (g - 1).max(1) as f64)).collect();
        let mean = sizes.iter().sum::<f64>() / g as f64;
        for (c, size) in sizes.iter().enumerate() {
            let context = Some(ballots.context(&format!("{c:03}")));
            for _ in 0..((self.votes as f64 * size / mean).round() as usize).max(1) {
                let here = &there[c];
                if here.len() < 2 {
                    continue;
                }
                let first = s.below(here.len());
                let (i, j) = (here[first], here[(first + 1 + s.below(here.len() - 1)) % here.len()]);
                let v = (self.voters > 0).then(|| s.below(self.voters));
                let own = v.map_or(0.0, |v| habits[v * k + i] - habits[v * k + j]);
                let won = s.uniform() < smoothed(shown(i, j, c) + own, 0.0);
                let voter = v.map(|v| ballots.voter(&v.to_string()));
                let answer = if won { Answer::Left } else { Answer::Right };
                let (left, right) = (i as u32, j as u32);
                let ballot = Ballot { left, right, voter, context, answer, weight: 1.0, count: 1.0 };
                ballots.add_all(&[ballot]).unwrap();
            }
        }
        (ballots.finish(), [these, such])
    }

    /// In what share of simulations the first item's score about such contexts lies within its interval, and in
    /// how many its lead on the second item within that of the lead.
    fn coverage_of_first(&self, simulations: u64) -> [Share; 2] {
        let one = |simulation: u64| {
            let (ballots, [_, such]) = self.votes(&mut stream(simulation, &[0xc1]));
            let estimate = estimated(&ballots, Some(About::Such));
            let bounds = estimate.at(t_quantile(0.975, estimate.df));
            let off = |i: usize| estimate.borda[i] - such[i];
            let within = |off: f64, reach: f64| f64::from(u8::from(off.abs() <= reach));
            [within(off(0), bounds.reach(0).0), within(off(0) - off(1), bounds.reach_below(0, 1))]
        };
        let all: Vec<[f64; 2]> = (0..simulations).into_par_iter().map(one).collect();
        [0, 1].map(|at| Share::of(all.iter().map(|one| one[at])))
    }

    /// The shares of scores within their intervals: about these, about such, and about such where contexts are ignored.
    fn coverage(&self, simulations: u64) -> [Share; 3] {
        let one = |simulation: u64| {
            let (ballots, [these, such]) = self.votes(&mut stream(simulation, &[0xc0]));
            [(Some(About::These), &these), (Some(About::Such), &such), (None, &such)]
                .map(|(about, truth)| share_inside(&ballots, about, truth))
        };
        let all: Vec<[f64; 3]> = (0..simulations).into_par_iter().map(one).collect();
        [0, 1, 2].map(|at| Share::of(all.iter().map(|one| one[at])))
    }
}

/// A mean over simulations, and its standard error: the scores of one of them hang together.
#[derive(Clone, Copy, Debug)]
struct Share {
    mean: f64,
    error: f64,
}

impl Share {
    fn of(each: impl Iterator<Item = f64> + Clone) -> Self {
        let n = each.clone().count() as f64;
        let mean = each.clone().sum::<f64>() / n;
        Self { mean, error: (each.map(|x| (x - mean).powi(2)).sum::<f64>() / (n * (n - 1.0))).sqrt() }
    }

    /// Whether it may be one within these bounds, by three standard errors.
    fn may_be(&self, bounds: std::ops::RangeInclusive<f64>) -> bool {
        (bounds.start() - 3.0 * self.error..=bounds.end() + 3.0 * self.error).contains(&self.mean)
    }
}

#[test]
fn what_surveys_allow_is_three_standard_errors() {
    let share = Share::of((0..400).map(|at| f64::from(u8::from(at % 10 > 0))));
    assert!((share.mean - 0.9).abs() < 1e-12 && (share.error - (0.09_f64 / 399.0).sqrt()).abs() < 1e-12);
    assert!(share.may_be(0.93..=0.97) && !share.may_be(0.95..=0.97) && !share.may_be(0.1..=0.8));
}

/// The share of scores within their intervals: those of `rank`, without all that it draws besides.
fn share_inside(ballots: &Ballots, about: Option<About>, truth: &[f64]) -> f64 {
    let estimate = estimated(ballots, about);
    let bounds = estimate.at(t_quantile(0.975, estimate.df));
    let hit = |&i: &usize| {
        let (down, up) = bounds.reach(i);
        (estimate.borda[i] - down..=estimate.borda[i] + up).contains(&truth[i])
    };
    (0..truth.len()).filter(hit).count() as f64 / truth.len() as f64
}

/// The estimate that `rank` makes of all items of these votes; without a question about contexts they are ignored.
pub(super) fn estimated(ballots: &Ballots, about: Option<About>) -> Estimate {
    let plain = ballots.without_contexts();
    let sums = Sums::of(&plain, (0..plain.items().len()).collect());
    let options = RankOptions { about, ..RankOptions::default() };
    let refined = about.and_then(|_| {
        let over = Over::new(ballots, &sums, &Model::OneHot, &options).unwrap();
        options.refined(ballots, &sums, over.as_ref()).unwrap()
    });
    one_hot::one_hot(refined.as_ref().unwrap_or(&sums), true, 1).unwrap()
}

/// 20 items, 8 contexts, voters: what is summed by voter and by context is neither too wide where contexts make no
/// difference nor too narrow for an item that alone is better in some than in others.
#[test]
fn few_contexts_are_taken_for_what_they_are() {
    let none = World { items: 20, varying: 0, votes: 200, voters: 60, habit: 0.7, ..EVEN };
    let such = none.coverage(60)[1].mean;
    // Of 1,200 intervals, dependent within a file.
    assert!((0.93..0.985).contains(&such), "{such}");
    for Share { mean: coverage, .. } in (World { tau: 2.0, varying: 1, ..none }).coverage_of_first(100) {
        // Of 100 independent intervals 88 or fewer with a chance of 0.4 % at 95.
        assert!(coverage > 0.88, "{coverage}");
    }
}

/// Few simulations, so that it is quick: their own error is ±1.5 points. `survey` makes many.
#[test]
fn intervals_over_contexts_contain_the_truth_as_often_as_they_say() {
    let plain = World { tau: 1.0, ..EVEN };
    for world in [plain, World { tau: 0.3, uneven: 30.0, contexts: 13, voters: 60, habit: 0.7, ..plain }] {
        let [these, such, _] = world.coverage(200).map(|share| share.mean);
        assert!((0.92..0.985).contains(&these), "{world:?}, these: {these}");
        assert!((0.92..0.985).contains(&such), "{world:?}, such: {such}");
    }
    // A third of the contents is missing, and there are votes enough for a bias to show.
    let world = World { items: 8, contexts: 24, tau: 0.6, varying: 8, votes: 160, missing: 0.35, ..plain };
    let these = world.coverage(200)[0].mean;
    assert!((0.92..0.985).contains(&these), "{world:?}, these: {these}");
    // What ignores contexts does not: the test can fail.
    assert!(plain.coverage(100)[2].mean < 0.8);
}

/// How many simulations of a world are made, and whether a row that begins so is wanted: where `WORLDS` is a part of
/// it, such as "| 60 | 5 | 13 |".
pub(super) fn asked() -> (u64, impl Fn(&str) -> bool) {
    let told = |name: &str| std::env::var(name).ok();
    let wanted = told("WORLDS").unwrap_or_default();
    let simulations = told("SIMULATIONS").and_then(|n| n.parse().ok()).unwrap_or(400);
    (simulations, move |row: &str| row.contains(&wanted))
}

#[test]
#[ignore = "400 simulations of every world, for the documentation: some minutes"]
fn survey() {
    let (simulations, wanted) = asked();
    for uneven in [1.0, 30.0] {
        for (voters, habit) in [(0, 0.0), (60, 0.7)] {
            for items in [5, 20] {
                for contexts in [5, 8, 13, 30, 100] {
                    for tau in [0.0, 0.3, 1.0] {
                        let (votes, varying) = (10 * items, items);
                        let world = World { items, contexts, tau, varying, votes, uneven, voters, habit, ..EVEN };
                        let row = format!("| {uneven} | {voters} | {items} | {contexts} | {tau} |");
                        if !wanted(&row) {
                            continue;
                        }
                        let all = world.coverage(simulations);
                        let [these, such, ignored] = all.map(|share| 100.0 * share.mean);
                        println!("{row} {these:.1} | {such:.1} | {ignored:.1} |");
                        // Of five contexts less is promised about such.
                        let few = contexts < About::FEWEST_FOR_SUCH;
                        assert!(all[0].may_be(0.93..=0.97), "{row} {all:?}");
                        assert!(all[1].may_be(if few { 0.92..=0.99 } else { 0.93..=0.975 }), "{row} {all:?}");
                        assert!(tau < 1.0 || !all[2].may_be(0.93..=1.0), "{row} the survey has no power: {all:?}");
                    }
                }
            }
        }
    }
}

#[test]
#[ignore = "400 simulations of every world, for the documentation: a minute"]
fn where_contents_are_missing() {
    let (simulations, wanted) = asked();
    for (voters, habit) in [(0, 0.0), (60, 0.7)] {
        for (items, contexts, votes, uneven) in
            [(8, 24, 80, 1.0), (5, 16, 50, 1.0), (20, 30, 200, 1.0), (8, 24, 80, 30.0), (8, 24, 10, 1.0)]
        {
            for tau in [0.0, 0.3, 0.6, 1.0] {
                let (varying, missing) = (items, 0.35);
                let world = World { items, contexts, tau, varying, votes, uneven, missing, voters, habit };
                let row = format!("| {voters} | {items} | {contexts} | {votes} | {uneven} | {tau} |");
                if wanted(&row) {
                    let all = world.coverage(simulations);
                    let [these, such, _] = all.map(|share| 100.0 * share.mean);
                    println!("{row} {these:.1} | {such:.1} |");
                    assert!(all[..2].iter().all(|share| share.may_be(0.93..=0.97)), "{row} {all:?}");
                }
            }
        }
    }
}

#[test]
#[ignore = "400 simulations of every world, for the documentation: a minute"]
fn first_item_alone() {
    let (simulations, wanted) = asked();
    for (voters, habit) in [(60, 0.7), (60, 0.0), (12, 0.7)] {
        for items in [5, 20] {
            for (contexts, uneven) in [(8, 1.0), (13, 1.0), (30, 1.0), (13, 30.0)] {
                for tau in [0.5, 2.0] {
                    let votes = 10 * items;
                    let world = World { items, contexts, tau, varying: 1, votes, uneven, voters, habit, ..EVEN };
                    let row = format!("| {uneven} | {voters} | {habit} | {items} | {contexts} | {tau} |");
                    if wanted(&row) {
                        let all = world.coverage_of_first(simulations);
                        let [score, lead] = all.map(|share| 100.0 * share.mean);
                        println!("{row} {score:.1} | {lead:.1} |");
                        assert!(all.iter().all(|share| share.may_be(0.93..=0.985)), "{row} {all:?}");
                    }
                }
            }
        }
    }
}

/// Real votes by prompt, where they are at hand: 59 models on 13 prompts.
fn real_votes() -> Option<Vec<(String, [String; 4])>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/llmfao/crowd-comparisons.csv");
    let text = std::fs::read_to_string(path).ok()?;
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let [_, prompt, _, _, worker, winner, left, right] = fields.as_slice() else { return None };
        Some(((*prompt).to_owned(), [*left, *right, *worker, *winner].map(str::to_owned)))
    };
    Some(text.lines().skip(1).filter_map(row).collect())
}

/// The estimate from the votes on these prompts, all items being known.
fn on_prompts(rows: &[(String, [String; 4])], prompts: &[&str], about: Option<About>) -> Estimate {
    let mut ballots = Ballots::new(Ties::Half, BothBad::Drop, true);
    for (_, [left, right, ..]) in rows {
        ballots.item(left);
        ballots.item(right);
    }
    for (prompt, [left, right, worker, winner]) in rows.iter().filter(|(prompt, _)| prompts.contains(&prompt.as_str()))
    {
        let (left, right) = (ballots.item(left), ballots.item(right));
        let (voter, context) = (Some(ballots.voter(worker)), Some(ballots.context(prompt)));
        let answer = match winner.as_str() {
            "left" => Answer::Left,
            "right" => Answer::Right,
            _ => Answer::Tie,
        };
        ballots.add_all(&[Ballot { left, right, voter, context, answer, weight: 1.0, count: 1.0 }]).unwrap();
    }
    estimated(&ballots.finish(), about)
}

/// Of every `step`-th way to take 7 prompts out of 13: the share in which the lead of the leader over the runner-up, as
/// seen on the 7, lies within `level` of that on the other 6, both being uncertain.
fn splits(rows: &[(String, [String; 4])], about: Option<About>, step: usize) -> (usize, f64) {
    let prompts: Vec<&str> =
        rows.iter().map(|(prompt, _)| prompt.as_str()).collect::<std::collections::BTreeSet<_>>().into_iter().collect();
    let ways: Vec<u32> = (0_u32..1 << prompts.len()).filter(|way| way.count_ones() == 7).step_by(step).collect();
    let covered = |way: &&u32| {
        let of = |taken: bool| -> Vec<&str> {
            (0..prompts.len()).filter(|at| (**way >> at & 1 == 1) == taken).map(|at| prompts[at]).collect()
        };
        let (fit, test) = (on_prompts(rows, &of(true), about), on_prompts(rows, &of(false), about));
        let mut order: Vec<usize> = (0..fit.borda.len()).collect();
        order.sort_by(|&a, &b| fit.borda[b].total_cmp(&fit.borda[a]));
        let (first, second) = (order[0], order[1]);
        let lead = |estimate: &Estimate| estimate.borda[first] - estimate.borda[second];
        let error = fit.spread.difference(first, second).hypot(test.spread.difference(first, second));
        (lead(&fit) - lead(&test)).abs() <= t_quantile(0.975, fit.df.min(test.df)) * error
    };
    let hits = ways.par_iter().filter(covered).count();
    (ways.len(), hits as f64 / ways.len() as f64)
}

#[test]
fn leads_on_seven_real_prompts_hold_on_the_other_six() {
    let Some(rows) = real_votes() else {
        return skip("leads on real prompts", "../shared/data/llmfao is not here");
    };
    assert_eq!(rows.len(), 8_931);
    let (ways, such) = splits(&rows, Some(About::Such), 150);
    assert!(ways == 12 && such > 0.9, "{such} of {ways}");
}

#[test]
#[ignore = "all 1,716 ways to take 7 of 13 real prompts, for the documentation: some minutes"]
fn all_splits() {
    let rows = real_votes().unwrap();
    for about in [Some(About::Such), Some(About::These), None] {
        let (ways, share) = splits(&rows, about, 1);
        println!("{}: {:.1} % of {ways} splits", about.map_or("ignored", About::name), 100.0 * share);
        // What is no question about such contexts does not answer it.
        assert_eq!((ways, share >= 0.93), (1_716, about == Some(About::Such)), "{about:?}: {share}");
    }
}
