//! A naive version of the policies that merge batches: every bound and every draw anew in every round.

use super::peers::{Counts, Peer, pick};
use borduel::{Duel, Stream};
use rand_distr::{Beta, Distribution};

/// MergeDTS and MergeRUCB with their tuned settings.
pub struct Merge {
    counts: Counts,
    thompson: bool,
    stage: i32,
    batches: Vec<Vec<usize>>,
}

impl Merge {
    pub fn new(k: usize, thompson: bool) -> Self {
        Self { counts: Counts::new(k), thompson, stage: 1, batches: vec![] }
    }

    fn size(&self) -> usize {
        if self.thompson { 16 } else { 8 }
    }

    fn shuffle<T>(list: &mut [T], s: &mut Stream) {
        for i in (1..list.len()).rev() {
            list.swap(i, s.below(i + 1));
        }
    }

    fn merge(&mut self, s: &mut Stream) {
        Self::shuffle(&mut self.batches, s);
        self.batches.sort_by_key(Vec::len);
        let mut merged = vec![];
        while let Some(mut largest) = self.batches.pop() {
            if !self.batches.is_empty() && (self.batches[0].len() + largest.len()) as f64 <= 1.5 * self.size() as f64 {
                largest.extend(self.batches.remove(0));
            }
            merged.push(largest);
        }
        self.batches = merged;
    }
}

impl Peer for Merge {
    fn ask(&mut self, t: f64, s: &mut Stream) -> Duel {
        let k = self.counts.k;
        if self.batches.is_empty() {
            let mut items: Vec<usize> = (0..k).collect();
            Self::shuffle(&mut items, s);
            self.batches = items.chunks(self.size()).map(<[usize]>::to_vec).collect();
        }
        let alpha = 0.8_f64.powi(6);
        let m = loop {
            let left: usize = self.batches.iter().map(Vec::len).sum();
            if self.batches.len() > 1 && left as f64 <= k as f64 / 2_f64.powi(self.stage) {
                self.merge(s);
                if self.batches.iter().any(|batch| batch.len() as f64 <= 0.5 * self.size() as f64) {
                    self.merge(s);
                }
                self.stage += 1;
            }
            let m = t as usize % self.batches.len();
            let batch = self.batches[m].clone();
            let out = |i: &usize| batch.iter().any(|&j| self.counts.upper(*i, j, alpha, t + 4e5) < 0.5);
            let mut stay: Vec<usize> = batch.iter().copied().filter(|i| !out(i)).collect();
            if stay.is_empty() {
                stay = vec![batch[s.below(batch.len())]];
            }
            self.batches[m] = stay;
            if self.batches[m].len() > 1 {
                break m;
            }
            if self.batches.len() == 1 {
                return Duel(self.batches[0][0], self.batches[0][0]);
            }
            let alone = self.batches.remove(m);
            let next = m % self.batches.len();
            self.batches[next].extend(alone);
        };
        let batch = &self.batches[m];
        let theta = |i: usize, j: usize, s: &mut Stream| {
            Beta::new(self.counts.w[i][j] + 1.0, self.counts.w[j][i] + 1.0).unwrap().sample(s)
        };
        if !self.thompson {
            let c = batch[s.below(batch.len())];
            let u = |j: usize| self.counts.upper(j, c, alpha, t + 4e5);
            let others: Vec<usize> = batch.iter().copied().filter(|&j| j != c).collect();
            let best = others.iter().map(|&j| u(j)).fold(0.0, f64::max);
            return Duel(c, pick(&others.into_iter().filter(|&j| u(j) == best).collect::<Vec<_>>(), s));
        }
        let mut wins = vec![0; batch.len()];
        for a in 0..batch.len() {
            for b in a + 1..batch.len() {
                wins[if theta(batch[a], batch[b], s) > 0.5 { a } else { b }] += 1;
            }
        }
        let most = *wins.iter().max().unwrap();
        let c = batch[pick(&(0..batch.len()).filter(|&a| wins[a] == most).collect::<Vec<_>>(), s)];
        let mut least = (c, f64::INFINITY);
        for &j in batch.iter().filter(|&&j| j != c) {
            let drawn = theta(j, c, s);
            if drawn < least.1 {
                least = (j, drawn);
            }
        }
        Duel(c, least.0)
    }

    fn tell(&mut self, duel: Duel, reward: f64) {
        self.counts.add(duel, reward);
    }
}
