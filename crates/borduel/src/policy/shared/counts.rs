//! Answers counted per item: the estimate of every policy that knows no features.

use crate::duel::Arm;
use serde::{Deserialize, Serialize};

/// How often each item was shown first and answered, and the sum of its rewards.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ArmCounts(Vec<Count>);

/// The wins and answers of one item.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Count {
    pub(crate) n: f64,
    pub(crate) wins: f64,
}

impl ArmCounts {
    pub(crate) fn new(items: usize) -> Self {
        Self(vec![Count::default(); items])
    }

    #[inline]
    pub(crate) fn add(&mut self, arm: Arm, reward: f64) {
        let count = &mut self.0[arm];
        count.n += 1.0;
        count.wins += reward;
    }

    /// One item's count.
    pub(crate) fn get(&self, arm: Arm) -> Count {
        self.0[arm]
    }

    /// The share of rewards; ½ for an item without answers.
    #[inline]
    pub(crate) fn mean(&self, arm: Arm) -> f64 {
        let count = self.0[arm];
        if count.n > 0.0 { count.wins / count.n } else { 0.5 }
    }

    pub(crate) fn write_means(&self, out: &mut [f64]) {
        for (arm, score) in out.iter_mut().enumerate() {
            *score = self.mean(arm);
        }
    }

    /// The item with the largest share; of several the first.
    #[cold]
    pub(crate) fn best(&self) -> Arm {
        let mut means = vec![0.0; self.0.len()];
        self.write_means(&mut means);
        crate::borda::winner(&means)
    }
}
