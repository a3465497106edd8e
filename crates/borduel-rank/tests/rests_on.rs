//! Do the votes, voters and contexts that a first place is said to rest on really unseat it, and are they few? By
//! simulation: they are left out of the file, the rest is ranked anew, and a naive search that fits the model again for
//! every single vote is held beside it.

use borduel_rank::ballots::{Answer, Ballot, Ballots, BothBad, Ties};
use borduel_rank::ranking::{Model, RankOptions, RestsOn, rank, rests_on};
use borduel_rank::{Features, stream};
use rayon::prelude::*;

/// A vote of a simulated file: left, right, answer, voter, context.
type Vote = (u32, u32, Answer, usize, usize);

struct File {
    items: usize,
    ties: Ties,
    /// Whether votes tell their contexts, of which the largest has many times the votes of the smallest.
    in_contexts: bool,
    votes: Vec<Vote>,
}

impl File {
    /// Votes on random pairs, a fifth of them ties, by voters with tastes of their own, on contexts that matter.
    fn drawn(seed: u64, items: usize, votes: usize, ties: Ties, in_contexts: bool) -> Self {
        let mut s = stream(seed, &[0x4e57]);
        let (voters, contexts) = (12, 6);
        let strengths: Vec<f64> = (0..items).map(|_| 0.6 * s.normal()).collect();
        let tastes: Vec<f64> = (0..voters * items).map(|_| 0.5 * s.normal()).collect();
        let fits: Vec<f64> = (0..contexts * items).map(|_| 0.5 * s.normal()).collect();
        let one = |_| {
            let (i, v) = (s.below(items), s.below(voters));
            let most = if in_contexts { 1 + s.below(contexts) } else { contexts };
            let c = s.below(most);
            let j = (i + 1 + s.below(items - 1)) % items;
            let of = |item: usize| strengths[item] + tastes[v * items + item] + fits[c * items + item];
            let answer = if s.uniform() < 0.2 {
                Answer::Tie
            } else if s.uniform() < 1.0 / (1.0 + (of(j) - of(i)).exp()) {
                Answer::Left
            } else {
                Answer::Right
            };
            (i as u32, j as u32, answer, v, c)
        };
        Self { items, ties, in_contexts, votes: (0..votes).map(one).collect() }
    }

    fn ballots(&self, kept: impl Fn(usize, &Vote) -> bool) -> Ballots {
        let mut ballots = Ballots::new(self.ties, BothBad::Drop, true);
        (0..self.items).for_each(|item| {
            ballots.item(&item.to_string());
        });
        for (at, vote) in self.votes.iter().enumerate() {
            let &(left, right, answer, voter, context) = vote;
            let voter = Some(ballots.voter(&format!("voter {voter}")));
            let context = self.in_contexts.then(|| ballots.context(&format!("context {context}")));
            if kept(at, vote) {
                let ballot = Ballot::new(left, right, answer).with_voter(voter).with_context(context);
                ballots.add_all(&[ballot]).unwrap();
            }
        }
        ballots.finish()
    }

    /// Who is first, and what that rests on.
    fn found(&self, model: &Model) -> (usize, RestsOn) {
        let (ballots, options) = (self.ballots(|_, _| true), RankOptions::default());
        let ranking = rank(&ballots, model, &options).unwrap();
        let found = rests_on(&ballots, model, &options, &ranking).unwrap();
        (ranking.items[0].item, found)
    }

    fn first_without(&self, model: &Model, removed: impl Fn(usize, &Vote) -> bool) -> usize {
        let ballots = self.ballots(|at, vote| !removed(at, vote));
        rank(&ballots, model, &RankOptions::default()).unwrap().items[0].item
    }

    /// The places of so many votes of each kind.
    fn places(&self, found: &RestsOn) -> Vec<usize> {
        let mut places = Vec::new();
        for kind in &found.votes.as_ref().unwrap().which {
            let says = |&&(_, &(left, right, answer, _, context)): &&(usize, &Vote)| {
                if kind.context.as_ref().is_some_and(|name| *name != format!("context {context}")) {
                    return false;
                }
                let (left, right) = (left as usize, right as usize);
                let ends = [(left, right), (right, left)];
                match answer {
                    Answer::Left => !kind.tie && ends[0] == (kind.winner, kind.loser),
                    Answer::Right => !kind.tie && ends[1] == (kind.winner, kind.loser),
                    _ => kind.tie && ends.contains(&(kind.winner, kind.loser)),
                }
            };
            let all: Vec<(usize, &Vote)> = self.votes.iter().enumerate().collect();
            let own: Vec<usize> = all.iter().filter(says).map(|(at, _)| *at).take(kind.votes as usize).collect();
            assert_eq!(own.len() as u64, kind.votes, "there are that many such votes");
            places.extend(own);
        }
        places
    }
}

/// The share of files in which votes were found, and of those in which the votes, the voters and the contexts that are
/// named unseat the first item when they are left out.
fn unseated(files: u64, file: impl Fn(u64) -> File + Sync, model: &Model) -> (f64, [f64; 3]) {
    let one = |seed: u64| {
        let file = file(seed);
        let (first, found) = file.found(model);
        let votes = found.votes.as_ref()?;
        let places = file.places(&found);
        assert_eq!(places.len() as u64, votes.removed);
        let by_votes = file.first_without(model, |at, _| places.contains(&at));
        let of = |names: &Option<borduel_rank::ranking::FewestOf>, name: fn(&Vote) -> String| {
            names.as_ref().is_none_or(|found| {
                let now = file.first_without(model, |_, vote| found.which.contains(&name(vote)));
                now != first && now == found.first
            })
        };
        let by_voters = of(&found.voters, |vote| format!("voter {}", vote.3));
        let by_contexts = of(&found.contexts, |vote| format!("context {}", vote.4));
        Some([by_votes != first && by_votes == votes.first, by_voters, by_contexts].map(|ok| f64::from(u8::from(ok))))
    };
    let all: Vec<Option<[f64; 3]>> = (0..files).into_par_iter().map(one).collect();
    let found: Vec<[f64; 3]> = all.into_iter().flatten().collect();
    let share = |at: usize| found.iter().map(|f| f[at]).sum::<f64>() / found.len() as f64;
    (found.len() as f64 / files as f64, [0, 1, 2].map(share))
}

#[test]
fn what_a_first_place_rests_on_unseats_it_when_it_is_left_out() {
    let x: Vec<f64> = (0..16).map(|at| stream(5, &[at]).normal()).collect();
    let features = Model::Features(Features::differences_scaled(8, 2, &x).unwrap());
    for (files, items, votes, ties, model, in_contexts, most) in [
        (200, 8, 500, Ties::Half, &Model::OneHot, false, 0.99),
        (100, 8, 500, Ties::Half, &Model::OneHot, true, 0.99),
        (20, 8, 400, Ties::Model, &Model::OneHot, false, 0.99),
        (20, 8, 400, Ties::Model, &Model::OneHot, true, 0.99),
        (20, 8, 400, Ties::Drop, &Model::OneHot, true, 0.99),
        (20, 8, 400, Ties::Half, &features, false, 0.99),
        (20, 8, 400, Ties::Half, &features, true, 0.99),
        // Few votes, many of them unanimous: a fit may have no maximum, and half of the votes may not be enough.
        (60, 5, 40, Ties::Half, &Model::OneHot, false, 0.8),
    ] {
        let (found, shares) = unseated(files, |seed| File::drawn(seed, items, votes, ties, in_contexts), model);
        let what = format!("{items} items, {votes} votes, {ties:?}, in contexts: {in_contexts}");
        println!("{what}: found in {found}, unseated in {shares:?}");
        assert!(found >= most, "{what}: found in {found}");
        assert!(shares.iter().all(|share| *share >= 0.99), "{what}: {shares:?}");
    }
}

/// B of every item by Bradley and Terry's model from points[i][j], naively: minorisation and maximisation (Hunter
/// 2004).
fn naive(points: &[Vec<f64>]) -> Vec<f64> {
    let k = points.len();
    let mut p = vec![1.0; k];
    for _ in 0..400 {
        for i in 0..k {
            let won: f64 = points[i].iter().sum();
            let all: f64 = (0..k).filter(|&j| j != i).map(|j| (points[i][j] + points[j][i]) / (p[i] + p[j])).sum();
            p[i] = won / all;
        }
    }
    let b = |i: usize| (0..k).filter(|&j| j != i).map(|j| p[i] / (p[i] + p[j])).sum::<f64>() / (k - 1) as f64;
    (0..k).map(b).collect()
}

/// How many votes a search takes that fits the model anew for every vote that could be left out, and takes the one
/// after which the lead over a rival is least; the fewest over all rivals.
fn greedy(file: &File, most: u64) -> u64 {
    let k = file.items;
    let mut points = vec![vec![0.0; k]; k];
    let mut ties = vec![vec![0_u32; k]; k];
    for &(left, right, answer, ..) in &file.votes {
        let (l, r) = (left as usize, right as usize);
        match answer {
            Answer::Left => points[l][r] += 1.0,
            Answer::Right => points[r][l] += 1.0,
            _ => ties[l.min(r)][l.max(r)] += 1,
        }
    }
    let whole = |points: &[Vec<f64>], ties: &[Vec<u32>]| -> Vec<Vec<f64>> {
        let half = |i: usize, j: usize| 0.5 * f64::from(ties[i.min(j)][i.max(j)]);
        (0..k).map(|i| (0..k).map(|j| if i == j { 0.0 } else { points[i][j] + half(i, j) }).collect()).collect()
    };
    let start = naive(&whole(&points, &ties));
    let first = (0..k).max_by(|&a, &b| start[a].total_cmp(&start[b])).unwrap();
    let mut best = most;
    for rival in (0..k).filter(|&i| i != first) {
        let (mut points, mut ties) = (points.clone(), ties.clone());
        for count in 1..best {
            let mut least: Option<(f64, usize, usize, bool)> = None;
            for (i, j) in (0..k).flat_map(|i| (0..k).map(move |j| (i, j))).filter(|(i, j)| i != j) {
                if points[i][j] > 0.0 {
                    points[i][j] -= 1.0;
                    let b = naive(&whole(&points, &ties));
                    points[i][j] += 1.0;
                    if least.is_none_or(|(lead, ..)| b[first] - b[rival] < lead) {
                        least = Some((b[first] - b[rival], i, j, false));
                    }
                }
                if i < j && ties[i][j] > 0 {
                    ties[i][j] -= 1;
                    let b = naive(&whole(&points, &ties));
                    ties[i][j] += 1;
                    if least.is_none_or(|(lead, ..)| b[first] - b[rival] < lead) {
                        least = Some((b[first] - b[rival], i, j, true));
                    }
                }
            }
            let (_, i, j, tie) = least.unwrap();
            if tie {
                ties[i][j] -= 1;
            } else {
                points[i][j] -= 1.0;
            }
            let b = naive(&whole(&points, &ties));
            if b.iter().any(|x| *x > b[first]) {
                best = count;
                break;
            }
        }
    }
    best
}

#[test]
fn the_votes_it_rests_on_are_hardly_more_than_by_fitting_again_for_every_vote() {
    let one = |seed: u64| {
        let file = File::drawn(seed, 5, 150, Ties::Half, false);
        let removed = file.found(&Model::OneHot).1.votes.unwrap().removed;
        (removed, greedy(&file, removed + 1).min(removed))
    };
    let found: Vec<(u64, u64)> = (0..60_u64).into_par_iter().map(one).collect();
    for (ours, theirs) in &found {
        assert!(*ours as f64 <= (1.3 * *theirs as f64).max(1.0), "{ours} instead of {theirs}: {found:?}");
    }
    let all = found.iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    assert!(all.0 as f64 <= 1.03 * all.1 as f64 && all.1 > 200, "{all:?}");
}
