//! What is said about a judge, by simulation: one without a bias has none found, a planted one is found, and agreement
//! and saving are what they were made to be.

use borduel_rank::ballots::{Answer, Ballot, Ballots, BothBad, Ties};
use borduel_rank::judging::{Worth, worth};
use borduel_rank::{Stream, stream};
use rayon::prelude::*;

/// People and a judge on the same questions.
#[derive(Clone, Copy)]
struct World {
    items: usize,
    pairs: usize,
    /// Contexts a pair, and people a question.
    contexts: usize,
    people: usize,
    /// How much surer the judge is than a person.
    sharpness: f64,
    /// What the judge adds to the strength of item 0, and to that of the first side.
    bias: f64,
    side: f64,
    /// The deviation of what a question adds to the lead of one item, for people and the judge alike.
    common: f64,
    ties: f64,
}

const PLAIN: World = World {
    items: 12,
    pairs: 200,
    contexts: 3,
    people: 3,
    sharpness: 1.0,
    bias: 0.0,
    side: 0.0,
    common: 0.0,
    ties: 0.2,
};

fn answer(u: f64, ties: f64, s: &mut Stream) -> Answer {
    match s.uniform() < ties {
        true => Answer::Tie,
        false if s.uniform() < 1.0 / (1.0 + (-u).exp()) => Answer::Left,
        false => Answer::Right,
    }
}

fn votes(world: &World, seed: u64) -> (Ballots, Ballots) {
    let mut s = stream(seed, &[0x10d6]);
    let mut both = [0, 1].map(|_| Ballots::new(Ties::Half, BothBad::Drop, true));
    // The judge has met the items in another order.
    for item in 0..world.items {
        both[0].item(&format!("item {item}"));
        both[1].item(&format!("item {}", world.items - 1 - item));
    }
    let strengths: Vec<f64> = (0..world.items).map(|_| 0.7 * s.normal()).collect();
    for pair in 0..world.pairs {
        let i = s.below(world.items);
        let j = (i + 1 + s.below(world.items - 1)) % world.items;
        for context in 0..world.contexts {
            let lead = strengths[i] - strengths[j] + world.common * s.normal();
            let turned = s.uniform() < 0.5;
            let (left, right, lead) = if turned { (j, i, -lead) } else { (i, j, lead) };
            let favour = |item: usize| if item == 0 { world.bias } else { 0.0 };
            let judges = world.sharpness * lead + favour(left) - favour(right) + world.side;
            for (side, lead, times) in [(0, lead, world.people), (1, judges, 1)] {
                for voter in 0..times {
                    let ballots = &mut both[side];
                    let place = |item: usize| if side == 0 { item as u32 } else { (world.items - 1 - item) as u32 };
                    let voter = (side == 0).then(|| ballots.voter(&format!("{}", (voter + 7 * s.below(20)) % 40)));
                    let context = Some(ballots.context(&format!("context {pair} {context}")));
                    let ties = if side == 0 { world.ties } else { 0.0 };
                    let answer = answer(lead, ties, &mut s);
                    let (left, right) = (place(left), place(right));
                    ballots
                        .add_all(&[Ballot::new(left, right, answer).with_voter(voter).with_context(context)])
                        .unwrap();
                }
            }
        }
    }
    let [people, judge] = both;
    (people.finish(), judge.finish())
}

fn found(world: &World, seed: u64) -> Worth {
    let (people, judge) = votes(world, seed);
    worth(&people, &judge, 0.95, Some("item 0")).unwrap()
}

fn share(simulations: u64, holds: impl Fn(u64) -> bool + Sync) -> f64 {
    (0..simulations).into_par_iter().filter(|&seed| holds(seed)).count() as f64 / simulations as f64
}

/// 5 % of 200 have a standard error of 1.5 points.
#[test]
fn a_judge_without_a_bias_has_none_found() {
    for world in [PLAIN, World { sharpness: 2.0, ..PLAIN }, World { sharpness: 0.5, common: 0.7, ..PLAIN }] {
        let flagged = share(200, |seed| !found(&world, seed).biased().is_empty());
        let sided = share(200, |seed| found(&world, seed).side().is_some());
        assert!(flagged <= 0.09, "{flagged} of judges {} times as sure", world.sharpness);
        assert!(sided <= 0.09, "{sided}");
    }
}

#[test]
fn planted_biases_are_found_and_have_their_size() {
    let item = World { bias: 2.0, ..PLAIN };
    let right = share(50, |seed| {
        let found = found(&item, seed);
        let (name, own) = found.itself.clone().unwrap();
        assert_eq!(name, "item 0");
        found.biased().first().is_some_and(|rated| rated.item == "item 0" && rated.bias.low > 0.0) && own.low > 0.0
    });
    // Not all: an item that is at the top by itself can hardly be overrated in points.
    assert!(right >= 0.9, "{right}");
    let side = World { side: 0.5, ..PLAIN };
    let sides: Vec<f64> = (0..50_u64).into_par_iter().map(|seed| found(&side, seed).side().unwrap_or(0.0)).collect();
    let clear = sides.iter().filter(|side| **side > 0.0).count();
    let mean = sides.iter().sum::<f64>() / sides.len() as f64;
    // μ(½) − ½ = 0.122.
    assert!(clear >= 48 && (0.10..0.15).contains(&mean), "{clear} {mean}");
    // A sure judge is not a biased one, and is told as sure.
    let sure: f64 = (0..20).map(|seed| found(&World { sharpness: 2.0, ties: 0.0, ..PLAIN }, seed).sharpness).sum();
    assert!((1.6..2.5).contains(&(sure / 20.0)), "{}", sure / 20.0);
}

#[test]
fn agreement_and_saving_are_those_of_the_answers() {
    // Nothing in common beyond the pair: nothing is saved, and the interval says so in 95 % of cases.
    let none = World { items: 6, pairs: 150, contexts: 4, ..PLAIN };
    let zero = share(100, |seed| {
        let saving = found(&none, seed).saving.unwrap();
        saving.correlation.low <= 0.0 && saving.correlation.high >= 0.0
    });
    assert!(zero >= 0.88, "{zero}");
    // With questions that move both alike, it is ρ² of single answers given the pair: here by drawing many.
    let much = World { items: 3, pairs: 60, contexts: 40, people: 4, common: 3.0, ties: 0.0, ..PLAIN };
    let mut s = stream(1, &[2]);
    let (mut yz, n) = (0.0, 200_000);
    for _ in 0..n {
        let u = much.common * s.normal();
        let y = |s: &mut Stream| if s.uniform() < 1.0 / (1.0 + (-u).exp()) { 1.0 } else { -1.0 };
        yz += y(&mut s) * y(&mut s);
    }
    let rho = yz / f64::from(n);
    let mean = (0..20).map(|seed| found(&much, seed).saving.unwrap().correlation.estimate.unwrap()).sum::<f64>() / 20.0;
    assert!((mean - rho).abs() < 0.04, "{mean} where single answers correlate at {rho}");
    // A judge is like one more person here, so that both agreements are the same.
    let agreement = found(&much, 3).agreement.unwrap();
    let (judge, people) = (agreement.judge, agreement.people.unwrap());
    assert!((judge.estimate.unwrap() - people.estimate.unwrap()).abs() < 0.1, "{judge:?} {people:?}");
    assert!(people.estimate.unwrap() > 0.4);
}

#[test]
fn what_cannot_be_measured_is_refused_or_left_open() {
    let (people, judge) = votes(&PLAIN, 1);
    let without = worth(&people.without_contexts(), &judge, 0.95, None).unwrap();
    assert!(without.saving.is_none() && without.agreement.is_none() && without.itself.is_none());
    let nobody = worth(&people, &Ballots::new(Ties::Half, BothBad::Drop, true).finish(), 0.95, None).unwrap_err();
    assert!(nobody.to_string().contains("only 0 are the same"), "{nobody}");
    let wrong = worth(&people, &judge, 0.95, Some("tea")).unwrap_err();
    assert!(wrong.to_string().contains("\"tea\""), "{wrong}");
}
