//! Sums of steps over stretches of rounds, ever longer ones the older they are.

use crate::borda::winner;
use crate::duel::Arm;
use crate::features::add_scaled;
use serde::{Deserialize, Serialize};

/// The buckets of an episode, the oldest first, and the open one.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Buckets {
    closed: Vec<Bucket>,
    open: Bucket,
    /// The answers that close a bucket.
    full: u64,
    /// Lists that merged buckets have left, so that new ones allocate nothing; and the sum of a window.
    #[serde(skip)]
    spare: Vec<Vec<f64>>,
    #[serde(skip)]
    window: Vec<f64>,
}

/// A stretch of rounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Bucket {
    first: u64,
    level: u32,
    answers: u64,
    /// Σ of steps.
    steps: Vec<f64>,
    /// V = Σ ζ/γ over all its rounds, and M = max u/γ.
    variance: f64,
    largest: f64,
}

impl Bucket {
    fn new(first: u64, steps: Vec<f64>) -> Self {
        Self { first, level: 0, answers: 0, steps, variance: 0.0, largest: 0.0 }
    }
}

/// The fewest answers that close a bucket.
const LEAST: f64 = 16.0;

impl Buckets {
    pub(super) fn new(k: usize, kappa: f64) -> Self {
        Self {
            closed: Vec::new(),
            open: Bucket::new(1, vec![0.0; k]),
            full: kappa.max(LEAST).ceil() as u64,
            spare: Vec::new(),
            window: Vec::new(),
        }
    }

    /// So many rounds begin in the open bucket, each with this variance and this largest step.
    pub(super) fn pass(&mut self, rounds: u64, variance: f64, largest: f64) {
        self.open.variance += rounds as f64 * variance;
        self.open.largest = self.open.largest.max(largest);
    }

    /// The sums of the open bucket.
    pub(super) fn open(&mut self) -> &mut [f64] {
        &mut self.open.steps
    }

    /// Counts an answer; true when it closes the bucket.
    pub(super) fn answered(&mut self) -> bool {
        self.open.answers += 1;
        self.open.answers >= self.full
    }

    /// Whether the first bucket of all is still open.
    pub(super) fn none_closed(&self) -> bool {
        self.closed.is_empty()
    }

    /// Closes the open bucket; the next one begins with this round.
    pub(super) fn close(&mut self, next: u64) {
        let mut steps = self.spare.pop().unwrap_or_else(|| vec![0.0; self.open.steps.len()]);
        steps.fill(0.0);
        self.closed.push(std::mem::replace(&mut self.open, Bucket::new(next, steps)));
    }

    /// Looks at the newest 1, 2, 3, … buckets, for one in which somebody is ahead of the leader by more than chance
    /// explains. Of several the one that says so most clearly is kept and everything older forgotten: then `sums` is
    /// its sum, and its first round is returned.
    pub(super) fn forget(&mut self, leader: Arm, caution: f64, sums: &mut [f64]) -> Option<u64> {
        self.window.clear();
        self.window.resize(sums.len(), 0.0);
        let (mut variance, mut largest, mut clearest, mut kept) = (0.0, 0.0_f64, 1.0, None);
        for (place, bucket) in self.closed.iter().enumerate().rev() {
            add_scaled(&mut self.window, 1.0, &bucket.steps);
            variance += bucket.variance;
            largest = largest.max(bucket.largest);
            let ahead = self.window[winner(&self.window)] - self.window[leader];
            let clear = ahead / ((caution * variance).sqrt() + caution * largest / 3.0);
            if clear > clearest {
                (clearest, kept) = (clear, Some(place));
            }
        }
        let kept = kept?;
        self.spare.extend(self.closed.drain(..kept).map(|bucket| bucket.steps));
        sums.fill(0.0);
        self.closed.iter().rev().for_each(|bucket| add_scaled(sums, 1.0, &bucket.steps));
        self.closed.first().map(|bucket| bucket.first)
    }

    /// Of every level the two oldest become one of the next, as long as there are more than two.
    pub(super) fn merge(&mut self) {
        let mut level = 0;
        loop {
            let mut own = self.closed.iter().enumerate().filter(|(_, bucket)| bucket.level == level);
            let (first, count) = (own.next().map_or(0, |(place, _)| place), own.count() + 1);
            if count <= 2 {
                return;
            }
            // The levels fall from the oldest to the newest, so that those of one level lie together.
            let later = self.closed.remove(first + 1);
            let earlier = &mut self.closed[first];
            add_scaled(&mut earlier.steps, 1.0, &later.steps);
            earlier.variance += later.variance;
            earlier.largest = earlier.largest.max(later.largest);
            earlier.answers += later.answers;
            earlier.level += 1;
            level += 1;
            self.spare.push(later.steps);
        }
    }

    #[cfg(test)]
    pub(super) fn shape(&self) -> Vec<(u64, u32, u64)> {
        self.closed.iter().map(|bucket| (bucket.first, bucket.level, bucket.answers)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_level_has_more_than_two_and_nothing_is_lost() {
        let mut buckets = Buckets::new(2, 3.0);
        let mut all = 0.0;
        for round in 1..=16 * 200_u64 {
            buckets.pass(1, 2.0, 1.0 / round as f64);
            let step = (round % 7) as f64;
            buckets.open()[0] += step;
            all += step;
            if buckets.answered() {
                buckets.close(round + 1);
                buckets.merge();
                let shape = buckets.shape();
                assert!(
                    shape.is_sorted_by_key(|(first, _, _)| *first)
                        && shape.is_sorted_by_key(|(_, level, _)| u32::MAX - level)
                );
                for (first, level, answers) in &shape {
                    assert!(shape.iter().filter(|(_, other, _)| other == level).count() <= 2);
                    assert_eq!((*answers, (first - 1) % 16), (16 << level, 0));
                }
                let sum: f64 = buckets.closed.iter().map(|bucket| bucket.steps[0]).sum();
                let variance: f64 = buckets.closed.iter().map(|bucket| bucket.variance).sum();
                assert_eq!((sum, variance), (all, 2.0 * round as f64));
                assert_eq!(buckets.closed[0].largest, 1.0);
            }
        }
        assert!(buckets.shape().len() <= 2 * 8);
    }
}
