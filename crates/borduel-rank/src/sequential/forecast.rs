//! How many more votes it will take, by playing on from where things stand.
//!
//! Scores are taken as independent of each other, each with the precision that it has now, and a vote on an item as
//! worth what votes on items have been worth so far. A play draws scores to come: an item whose precision grows from
//! P to P′ moves by N(0, 1/P − 1/P′). Votes go where doubt is, nine in ten to the items of open claims and one
//! to all alike, as the planner's do; it ends when the claims are shown, or a tie where [`Until::Clear`] is asked
//! for. The range is between two quantiles of the votes that plays took. About such contexts, a part of each score's
//! variance stays however many votes there are: then it is played once more with contexts in the place of votes.

use super::evidence::log_e;
use super::scores::Scores;
use super::standing::Standing;
use super::{Goal, Options, Until};
use crate::order::descending;
use crate::ranking::Forecast;
use crate::stream::{Stream, stream};

/// The path of the plays' numbers.
const OUTLOOK: u64 = 0x0f02;
const PLAYS: usize = 120;
/// Of more items in the race only so many of the first are played.
const MOST: usize = 24;
/// Looks are taken after this share of the votes there are, after so many times as many more, and so on up to the last.
const LOOKS: (f64, f64, f64) = (0.04, 1.3, 1e4);
/// The share of votes on all items alike.
const AUDITS: f64 = 0.1;

/// How many more votes settle what is asked, if they are chosen well, in the contexts that there are.
pub(super) fn votes_needed(scores: &Scores, standing: &Standing, votes: f64, options: &Options) -> Forecast {
    forecast(scores, standing, (votes, None), options)
}

/// How many more contexts settle what is asked, if each gets as many votes as these have.
pub(super) fn contexts_needed(
    scores: &Scores,
    standing: &Standing,
    (votes, contexts): (f64, usize),
    options: &Options,
) -> Forecast {
    forecast(scores, standing, (votes, Some(contexts as f64)), options)
}

fn forecast(
    scores: &Scores,
    standing: &Standing,
    (votes, contexts): (f64, Option<f64>),
    options: &Options,
) -> Forecast {
    let k = scores.borda.len();
    if Forecast::is_early(votes, k) {
        return Forecast::TooEarly;
    }
    // Scores sum up to a constant: of two independent ones with variance v k/(k−1) the difference has that of the two.
    let spare = k as f64 / (k - 1) as f64;
    let doubt = |item: usize| scores.contexts.as_ref().map_or((0.0, 0.0), |d| (d.variance(item), d.floor(item)));
    // What more of the same does not take off.
    let floor = |item: usize| if contexts.is_some() { 0.0 } else { spare * doubt(item).1 };
    let variance =
        |item: usize| spare * (scores.covariance[(item, item)] + doubt(item).0).max(f64::MIN_POSITIVE) - floor(item);
    let each = (0..k).map(|item| 1.0 / variance(item)).sum::<f64>() / (2.0 * votes);
    // Whoever is in doubt, and the others only as far as claims about them are open.
    let last = options.target().1 / (10.0 * standing.claims.len() as f64);
    let mut open = vec![false; k];
    for claim in standing.claims.iter().filter(|claim| (-claim.log_e).exp() > last) {
        (open[claim.ahead], open[claim.behind]) = (true, true);
    }
    let items: Vec<usize> = standing.order.iter().copied().filter(|&item| open[item]).take(MOST).collect();
    let top = match options.goal {
        Goal::Winner => 1,
        Goal::Top(top) => items.iter().filter(|item| standing.order[..top].contains(item)).count(),
        Goal::All => items.len(),
    };
    let field = Field {
        top,
        scores: items.iter().map(|&item| scores.borda[item]).collect(),
        precisions: items.iter().map(|&item| 1.0 / variance(item)).collect(),
        floors: items.iter().map(|&item| floor(item)).collect(),
        each: contexts.is_none().then_some(each),
        audits: AUDITS * 2.0 / k as f64,
        out: options.out(k),
        options,
    };
    let there = contexts.unwrap_or(votes);
    let took = (0..PLAYS).map(|play| field.play(there, &mut stream(play as u64, &[OUTLOOK])));
    Forecast::of(took.collect(), there)
}

/// The items in the race as they stand, the first first.
struct Field<'a> {
    /// How many of them are to be found.
    top: usize,
    scores: Vec<f64>,
    precisions: Vec<f64>,
    /// The part of every variance that stays.
    floors: Vec<f64>,
    /// The precision that a vote on an item adds; without it, all precisions grow in proportion, as with more
    /// contexts.
    each: Option<f64>,
    /// Of every vote so much goes to an item whatever is in doubt.
    audits: f64,
    /// The evidence with which a rival of the leader is out.
    out: f64,
    options: &'a Options,
}

impl Field<'_> {
    /// The votes (or contexts) after which one play ends; infinite if it does not.
    fn play(&self, votes: f64, stream: &mut Stream) -> f64 {
        let (mut scores, mut precisions) = (self.scores.clone(), self.precisions.clone());
        let (mut cast, mut more) = (0.0, LOOKS.0 * votes);
        let mut doubts = vec![0.0; scores.len()];
        while more < LOOKS.2 * votes {
            // What is in doubt now gets the next votes.
            self.doubt(&scores, &precisions, &mut doubts);
            let all: f64 = doubts.iter().sum();
            for (item, doubt) in doubts.iter().enumerate() {
                let share = if all > 0.0 { doubt / all } else { 1.0 / doubts.len() as f64 };
                let own = (more - cast) * ((1.0 - AUDITS) * 2.0 * share + self.audits);
                let before = precisions[item];
                precisions[item] += match self.each {
                    Some(each) => own * each,
                    None => self.precisions[item] * (more - cast) / votes,
                };
                scores[item] += stream.normal() * (1.0 / before - 1.0 / precisions[item]).max(0.0).sqrt();
            }
            cast = more;
            let shown = self.doubt(&scores, &precisions, &mut doubts) <= self.options.target().1;
            if shown || self.is_tie(&scores, &precisions) {
                return cast;
            }
            more *= LOOKS.1;
        }
        f64::INFINITY
    }

    /// Σ 1/E over the claims, and how much of it each item has a part in, by roots: votes are worth the more the fewer
    /// there are.
    fn doubt(&self, scores: &[f64], precisions: &[f64], parts: &mut [f64]) -> f64 {
        let (n, (margin, _)) = (scores.len(), self.options.target());
        let order = descending(scores);
        parts.fill(0.0);
        let mut sum = 0.0;
        let mut claim = |a: usize, b: usize| {
            let (i, j) = (order[a], order[b]);
            let doubt = (-self.evidence(scores, precisions, (i, j), margin)).exp();
            sum += doubt;
            let part = doubt.min(1.0).sqrt();
            parts[i] += part;
            parts[j] += part;
        };
        match self.options.goal {
            Goal::Winner | Goal::Top(_) => (0..self.top).for_each(|a| (self.top..n).for_each(|b| claim(a, b))),
            Goal::All => (1..n).for_each(|b| claim(b - 1, b)),
        }
        sum
    }
    /// Whether all that may be best are shown to be within the margin of each other, as
    /// [`Found`](super::standing::Found) has it, where that is still asked.
    fn is_tie(&self, scores: &[f64], precisions: &[f64]) -> bool {
        let options = self.options;
        if options.until != Until::Clear || options.goal != Goal::Winner {
            return false;
        }
        let n = scores.len();
        let leader = (0..n).fold(0, |best, a| if scores[a] > scores[best] { a } else { best });
        let stays = |&j: &usize| j == leader || self.evidence(scores, precisions, (leader, j), 0.0) < self.out;
        let open: Vec<usize> = (0..n).filter(stays).collect();
        let pairs = open.iter().flat_map(|&i| open.iter().map(move |&j| (i, j))).filter(|(i, j)| i != j);
        let doubt = |pair| (-self.evidence(scores, precisions, pair, options.margin)).exp();
        pairs.map(doubt).sum::<f64>() <= options.bar()
    }

    /// log E of the claim that the first of two is not worse than the second by more than the margin.
    fn evidence(&self, scores: &[f64], precisions: &[f64], (i, j): (usize, usize), margin: f64) -> f64 {
        let variance = 1.0 / precisions[i] + 1.0 / precisions[j] + (self.floors[i] + self.floors[j]);
        log_e(scores[i] - scores[j], variance, margin)
    }
}
