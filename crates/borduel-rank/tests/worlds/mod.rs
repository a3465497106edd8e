//! Simulated votes: items with strengths, voters with habits, ties.

#![allow(dead_code, missing_docs, unreachable_pub, reason = "every test uses a part of this")]

use borduel_rank::Stream;
use borduel_rank::ballots::{Answer, Ballots, BothBad, Ties};

/// How a world is made and asked.
#[derive(Clone, Copy, Debug)]
pub struct World {
    pub items: usize,
    pub votes: usize,
    /// Voters, each with an opinion of their own about every item; 0 for independent votes.
    pub voters: usize,
    /// The standard deviation of the items' strengths, and of the voters' deviations from them.
    pub spread: f64,
    pub habit: f64,
    pub ties: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Features,
    OneHot,
    Counts,
}

pub const DIM: usize = 3;

/// The population's mean of μ(u + habit·√2·N), by quadrature.
pub fn average(u: f64, habit: f64) -> f64 {
    let mut sum = (0.0, 0.0);
    for step in -60..=60 {
        let z = f64::from(step) / 10.0;
        let weight = (-0.5 * z * z).exp();
        sum.0 += weight / (1.0 + (-(u + habit * 2_f64.sqrt() * z)).exp());
        sum.1 += weight;
    }
    sum.0 / sum.1
}

/// The items' strengths of one truth.
pub fn strengths(world: &World, features: &[f64], kind: Kind, s: &mut Stream) -> Vec<f64> {
    if kind == Kind::Features {
        let theta: Vec<f64> = (0..DIM).map(|_| world.spread / (DIM as f64).sqrt() * s.normal()).collect();
        return features.chunks(DIM).map(|x| x.iter().zip(&theta).map(|(a, b)| a * b).sum()).collect();
    }
    (0..world.items).map(|_| world.spread * s.normal()).collect()
}

/// The true scores.
pub fn truth(world: &World, strengths: &[f64]) -> Vec<f64> {
    let p =
        |i: usize, j: usize| world.ties * 0.5 + (1.0 - world.ties) * average(strengths[i] - strengths[j], world.habit);
    let k = world.items;
    (0..k).map(|i| (0..k).filter(|&j| j != i).map(|j| p(i, j)).sum::<f64>() / (k - 1) as f64).collect()
}

/// The votes of one stream, on items of these strengths.
pub fn ballots(world: &World, strengths: &[f64], s: &mut Stream) -> Ballots {
    let mut ballots = empty(world);
    let crowd = Crowd::new(world, 0, s);
    ask(&mut ballots, world, strengths, &crowd, s);
    ballots.finish()
}

/// A box that knows the items.
pub fn empty(world: &World) -> Ballots {
    let mut ballots = Ballots::new(Ties::Half, BothBad::Drop, true);
    for item in 0..world.items {
        ballots.item(&item.to_string());
    }
    ballots
}

/// Voters, each with an opinion of their own about every item.
pub struct Crowd {
    first: usize,
    habits: Vec<f64>,
}

impl Crowd {
    /// As many voters as the world has, numbered from `first` on.
    pub fn new(world: &World, first: usize, s: &mut Stream) -> Self {
        Self { first, habits: (0..world.voters * world.items).map(|_| world.habit * s.normal()).collect() }
    }
}

/// As many votes as the world has, of this crowd.
pub fn ask(ballots: &mut Ballots, world: &World, strengths: &[f64], crowd: &Crowd, s: &mut Stream) {
    for vote in 0..world.votes {
        // Every item is on the left in turn, so that all have about as many votes.
        let i = vote % world.items;
        let j = (i + 1 + s.below(world.items - 1)) % world.items;
        let mut u = strengths[i] - strengths[j];
        let mut voter = None;
        if world.voters > 0 {
            let v = s.below(world.voters);
            voter = Some(ballots.voter(&(crowd.first + v).to_string()));
            u += crowd.habits[v * world.items + i] - crowd.habits[v * world.items + j];
        }
        let answer = if s.uniform() < world.ties {
            Answer::Tie
        } else if s.uniform() < 1.0 / (1.0 + (-u).exp()) {
            Answer::Left
        } else {
            Answer::Right
        };
        ballots.add(i as u32, j as u32, voter, answer, 1.0, 1.0).unwrap();
    }
}
