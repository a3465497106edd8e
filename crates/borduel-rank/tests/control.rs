//! A judge's answers to the same questions as a control variate: do they save ρ² of people's votes, do intervals stay
//! honest, and does a judge who knows nothing, or is hostile, do no harm? By simulation.

use borduel_rank::About;
use borduel_rank::ballots::{Answer, Ballot, Ballots, BothBad, Ties};
use borduel_rank::judging::{Control, rank_controlled};
use borduel_rank::ranking::{Model, RankOptions, Ranking, rank};
use borduel_rank::stream;
use rayon::prelude::*;

const ITEMS: usize = 5;
const PROMPTS: usize = 24;
const VOTES: usize = 1_500;

/// A judge: how often its answer is that of the question, and whom it favours so often that it says nothing else.
#[derive(Clone, Copy, Debug)]
struct Judge {
    right: f64,
    favours: Option<(usize, f64)>,
}

fn empty() -> Ballots {
    let mut ballots = Ballots::new(Ties::Half, BothBad::Drop, true);
    (0..ITEMS).for_each(|item| {
        ballots.item(&item.to_string());
    });
    (0..PROMPTS).for_each(|prompt| {
        ballots.context(&format!("{prompt:02}"));
    });
    ballots
}

fn add(ballots: &mut Ballots, (i, j, prompt): (usize, usize, usize), answer: Answer) {
    let (left, right, context) = (i as u32, j as u32, Some(prompt as u32));
    let ballot = Ballot::new(left, right, answer).with_context(context);
    ballots.add_all(&[ballot]).unwrap();
}

/// People's votes, the judge's, and what was to be expected of people on all questions. Every question (a pair on a
/// prompt) has an answer of its own, which people give with the chance `right`.
fn world(right: f64, judge: Judge, seed: u64) -> [Ballots; 3] {
    let mut s = stream(seed, &[0xc7]);
    let strengths: Vec<f64> = (0..ITEMS).map(|_| 0.7 * s.normal()).collect();
    let [mut people, mut judges, mut expected] = [empty(), empty(), empty()];
    let mut own = vec![vec![true; PROMPTS]; ITEMS * ITEMS];
    for i in 0..ITEMS {
        for j in i + 1..ITEMS {
            for (prompt, own) in own[i * ITEMS + j].iter_mut().enumerate() {
                let first = s.uniform() < 1.0 / (1.0 + (strengths[j] - strengths[i]).exp());
                *own = first;
                add(&mut expected, (i, j, prompt), Answer::Soft(if first { right } else { 1.0 - right }));
                let mut says = (s.uniform() < judge.right) == first;
                if let Some((item, often)) = judge.favours.filter(|(item, _)| [i, j].contains(item))
                    && s.uniform() < often
                {
                    says = item == i;
                }
                add(&mut judges, (i, j, prompt), if says { Answer::Left } else { Answer::Right });
            }
        }
    }
    for _ in 0..VOTES {
        let i = s.below(ITEMS);
        let j = (i + 1 + s.below(ITEMS - 1)) % ITEMS;
        let prompt = s.below(PROMPTS);
        let first = own[i.min(j) * ITEMS + i.max(j)][prompt] == (s.uniform() < right);
        add(&mut people, (i, j, prompt), if first == (i < j) { Answer::Left } else { Answer::Right });
    }
    [people.finish(), judges.finish(), expected.finish()]
}

fn options() -> RankOptions {
    RankOptions::default().with_about(Some(About::These))
}

fn scores(ranking: &Ranking) -> Vec<f64> {
    let mut scores = vec![0.0; ITEMS];
    ranking.items.iter().for_each(|item| scores[item.item] = item.borda.estimate.unwrap());
    scores
}

/// Of some runs: mean squared errors of scores with and without the judge, the share of scores within their intervals
/// with it, the mean squared correlation within pairs, and in how many a wrong clear winner was named.
#[derive(Debug)]
struct Measured {
    errors: [f64; 2],
    covered: f64,
    saved: f64,
    wrong: f64,
}

fn measured(right: f64, judge: Judge, runs: u64) -> Measured {
    let one = |seed: u64| {
        let [people, judges, expected] = world(right, judge, seed);
        let truth = scores(&rank(&expected, &Model::OneHot, &options()).unwrap());
        let plain = rank(&people, &Model::OneHot, &options()).unwrap();
        let (with, control) = rank_controlled(&people, &judges, &Model::OneHot, &options()).unwrap();
        let control: Control = control.unwrap();
        let error = |ranking: &Ranking| -> f64 {
            scores(ranking).iter().zip(&truth).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / ITEMS as f64
        };
        let inside = with.items.iter().filter(|i| (i.borda.low..=i.borda.high).contains(&truth[i.item])).count();
        let best = (0..ITEMS).max_by(|&a, &b| truth[a].total_cmp(&truth[b])).unwrap();
        let clear = with.verdict.kind == borduel_rank::ranking::VerdictKind::ClearWinner;
        let wrong = clear && with.items[0].item != best;
        [error(&with), error(&plain), inside as f64 / ITEMS as f64, control.saved(), f64::from(u8::from(wrong))]
    };
    let all: Vec<[f64; 5]> = (0..runs).into_par_iter().map(one).collect();
    let mean = |at: usize| all.iter().map(|of| of[at]).sum::<f64>() / runs as f64;
    Measured { errors: [mean(0), mean(1)], covered: mean(2), saved: mean(3), wrong: mean(4) }
}

const HOSTILE: Judge = Judge { right: 0.1, favours: Some((0, 0.9)) };

/// (How often people and the judge say what is to be said of a question, and ρ² by that.)
const QUALITIES: [(f64, f64); 5] = [(0.7, 0.5), (0.75, 0.7), (0.85, 0.85), (0.93, 0.93), (0.98, 0.98)];

#[test]
fn answers_to_the_same_questions_save_the_square_of_the_correlation() {
    for (people, judge) in [QUALITIES[0], QUALITIES[2], QUALITIES[4]] {
        let found = measured(people, Judge { right: judge, favours: None }, 60);
        let ratio = found.errors[0] / found.errors[1];
        // The ratio of two mean squares over 60 runs of 5 scores has an error of about a tenth.
        assert!(ratio <= 1.15 * (1.0 - found.saved) + 0.1, "{ratio} {found:?}");
        assert!(found.covered >= 0.91, "{found:?}");
    }
}

#[test]
fn a_hostile_judge_moves_nothing() {
    let found = measured(0.9, HOSTILE, 60);
    assert!(found.errors[0] <= 1.1 * found.errors[1] && found.covered >= 0.91 && found.wrong <= 0.05, "{found:?}");
}

#[test]
fn what_cannot_be_used_changes_nothing() {
    let [people, judges, _] = world(0.9, Judge { right: 0.9, favours: None }, 1);
    let such = RankOptions::default().with_about(Some(About::Such));
    let (ranking, control) = rank_controlled(&people, &judges, &Model::OneHot, &such).unwrap();
    assert_eq!((ranking, control), (rank(&people, &Model::OneHot, &such).unwrap(), None));
    // Judges who were asked on one prompt alone know nothing of the others.
    let one = judges.in_context(0);
    let (ranking, control) = rank_controlled(&people, &one, &Model::OneHot, &options()).unwrap();
    assert_eq!((ranking, control), (rank(&people, &Model::OneHot, &options()).unwrap(), None));
}

/// The whole table, as docs have it.
#[test]
#[ignore = "the whole of it takes minutes"]
fn the_whole_of_control() {
    let runs: u64 = std::env::var("BORDUEL_RUNS").ok().and_then(|text| text.parse().ok()).unwrap_or(400);
    let judge = |right: f64| Judge { right, favours: None };
    let worlds = QUALITIES.iter().map(|(people, right)| (*people, judge(*right), format!("{people}, {right}")));
    for (people, judge, name) in worlds.chain([(0.9, HOSTILE, "0.9, hostile".to_owned())]) {
        let found = measured(people, judge, runs);
        let ratio = found.errors[0] / found.errors[1];
        let cells = [found.saved.sqrt(), ratio, 1.0 - found.saved].map(|x| format!("{x:.2}")).join(" | ");
        println!("| {name} | {cells} | {:.1} | {:.1} |", 100.0 * found.covered, 100.0 * found.wrong);
    }
}
