//! A batch of items that are compared with each other only: what is known of its pairs, by their places in it.

use crate::duel::Arm;
use crate::policy::shared::beta_tail::{self, Least};
use crate::policy::shared::bound_crossing::bound;
use crate::stream::Stream;
use serde::{Deserialize, Serialize};

/// Items, and for each two of them what was answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::policy) struct Batch {
    items: Vec<Arm>,
    /// For places a < b at b(b−1)/2 + a; made when the batch is first asked about.
    pairs: Vec<Pair>,
    /// Who may have to leave: the loser, the winner, and the time from which on that is no longer so.
    suspects: Vec<(usize, usize, u64)>,
}

/// Answers of two places a < b: wins of the one and of the other, questions asked, and P(θ(a,b) > ½).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Pair {
    first: f64,
    second: f64,
    asked: f64,
    half: f64,
}

const FRESH: Pair = Pair { first: 0.0, second: 0.0, asked: 0.0, half: 0.5 };

/// Where the pair of two different places is kept.
#[inline]
fn at(a: usize, b: usize) -> usize {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    high * (high - 1) / 2 + low
}

impl Batch {
    pub(in crate::policy) fn new(items: &[Arm]) -> Self {
        Self { items: items.to_vec(), pairs: Vec::new(), suspects: Vec::new() }
    }

    pub(in crate::policy) fn items(&self) -> &[Arm] {
        &self.items
    }

    /// Where an item stands.
    pub(in crate::policy) fn place(&self, item: Arm) -> Option<usize> {
        self.items.iter().position(|other| *other == item)
    }

    fn pair(&self, a: usize, b: usize) -> Pair {
        self.pairs.get(at(a, b)).copied().unwrap_or(FRESH)
    }

    fn pair_mut(&mut self, a: usize, b: usize) -> &mut Pair {
        self.make_pairs();
        &mut self.pairs[at(a, b)]
    }

    fn make_pairs(&mut self) {
        if self.pairs.is_empty() {
            let n = self.items.len();
            self.pairs = vec![FRESH; n * (n - 1) / 2];
        }
    }

    /// w(a,b) and w(b,a).
    fn wins(&self, a: usize, b: usize) -> (f64, f64) {
        let Pair { first, second, .. } = self.pair(a, b);
        if a < b { (first, second) } else { (second, first) }
    }

    /// n(a,b).
    pub(in crate::policy) fn answers(&self, a: usize, b: usize) -> f64 {
        let (wins, losses) = self.wins(a, b);
        wins + losses
    }

    /// μ̂(a,b).
    pub(in crate::policy) fn mean(&self, a: usize, b: usize) -> f64 {
        let (wins, losses) = self.wins(a, b);
        let n = wins + losses;
        if n > 0.0 { wins / n } else { 0.5 }
    }

    /// u(a,b), its width from questions asked.
    pub(in crate::policy) fn upper(&self, a: usize, b: usize, factor: f64) -> f64 {
        bound(self.pair(a, b).asked, self.mean(a, b), factor)
    }

    /// Draws θ(a,b) of all a but b, and says whose is the least.
    pub(in crate::policy) fn draw_least(&self, b: usize, stream: &mut Stream) -> usize {
        let (mut least, mut whose) = (Least::NONE, b);
        for a in (0..self.items.len()).filter(|a| *a != b) {
            let (wins, losses) = self.wins(a, b);
            if least.draw(wins + 1.0, losses + 1.0, stream) {
                whose = a;
            }
        }
        whose
    }

    /// Draws for every pair who beats whom, and counts wins.
    pub(in crate::policy) fn toss(&mut self, wins: &mut [u32], stream: &mut Stream) {
        self.make_pairs();
        let mut rest = &self.pairs[..];
        for b in 1..self.items.len() {
            let (row, later) = rest.split_at(b);
            rest = later;
            let mut own = 0;
            // Without a branch: nobody could foresee it.
            for (pair, wins) in row.iter().zip(&mut wins[..b]) {
                let first = u32::from(stream.uniform() < pair.half);
                *wins += first;
                own += 1 - first;
            }
            wins[b] += own;
        }
    }

    /// The share of the others that a place beats.
    pub(in crate::policy) fn beaten(&self, place: usize) -> f64 {
        let n = self.items.len();
        let beaten = (0..n).filter(|b| *b != place && self.mean(place, *b) > 0.5).count();
        if n > 1 { beaten as f64 / (n - 1) as f64 } else { 1.0 }
    }

    /// Counts a question.
    pub(in crate::policy) fn ask(&mut self, a: usize, b: usize) {
        self.pair_mut(a, b).asked += 1.0;
    }

    /// Takes a question back.
    pub(in crate::policy) fn take_back(&mut self, a: usize, b: usize) {
        let pair = self.pair_mut(a, b);
        pair.asked = (pair.asked - 1.0).max(0.0);
    }

    /// Counts an answer; the reward is that of place a.
    pub(in crate::policy) fn tell(&mut self, a: usize, b: usize, reward: f64) {
        let reward = if a < b { reward } else { 1.0 - reward };
        let pair = self.pair_mut(a, b);
        pair.first += reward;
        pair.second += 1.0 - reward;
        pair.half = beta_tail::exceeds(pair.first + 1.0, pair.second + 1.0);
    }

    /// Notes that a place has to leave unless its next turn comes after this time.
    pub(in crate::policy) fn suspect(&mut self, loser: usize, winner: usize, until: u64) {
        self.suspects.push((loser, winner, until));
    }

    /// Takes out whoever clearly loses to somebody, but never everybody. Returns how many left.
    pub(in crate::policy) fn eliminate(&mut self, time: u64, stream: &mut Stream) -> usize {
        if self.suspects.is_empty() {
            return 0;
        }
        let before = self.items.len();
        let mut stays = vec![true; before];
        for (loser, _, until) in self.suspects.drain(..) {
            stays[loser] &= until <= time;
        }
        if !stays.contains(&true) {
            stays[stream.below(before)] = true;
        }
        let kept: Vec<usize> = (0..before).filter(|place| stays[*place]).collect();
        if kept.len() < before {
            let mut pairs = Vec::with_capacity(self.pairs.len());
            for (b, &old) in kept.iter().enumerate() {
                pairs.extend(kept[..b].iter().map(|&other| self.pair(other, old)));
            }
            self.items = kept.iter().map(|place| self.items[*place]).collect();
            self.pairs = pairs;
        }
        before - kept.len()
    }

    /// Takes in another batch, none of whose items has met one of this.
    pub(in crate::policy) fn join(&mut self, other: &Self) {
        let own = self.items.len();
        let mut pairs = Vec::new();
        for b in 0..own + other.items.len() {
            pairs.extend((0..b).map(|a| match (a < own, b < own) {
                (true, true) => self.pair(a, b),
                (false, false) => other.pair(a - own, b - own),
                _ => FRESH,
            }));
        }
        self.items.extend_from_slice(&other.items);
        self.pairs = pairs;
        self.suspects.extend(other.suspects.iter().map(|&(loser, winner, until)| (loser + own, winner + own, until)));
    }
}
