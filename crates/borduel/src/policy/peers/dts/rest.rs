//! How long an item of D-TS rests, drawn at once, and the coin that ends it.

use super::State;
use crate::duel::Arm;
use crate::policy::shared::fixed_until::FixedUntil;

/// A rest is drawn when it goes on with at least this probability.
const LIKELY: f64 = 0.3;

impl State {
    /// log Π (1 − q(j,a)) over the coins of both draws, or nothing where the rest would be too short.
    fn log_rest(&self, a: Arm, first: bool, round: u64) -> Option<f64> {
        let least = LIKELY.ln();
        let mut log = 0.0;
        for j in (0..self.pairs.items()).filter(|j| *j != a) {
            let coins = u8::from(first) + u8::from(self.eligible(j, a, round));
            log += f64::from(coins) * self.log(j, a);
            if log < least {
                return None;
            }
        }
        Some(log)
    }

    /// Draws how long to rest from the next round on, if resting is likely.
    pub(super) fn look(&mut self) {
        let next = self.round + 1;
        self.make_logs();
        self.fixed = FixedUntil::default();
        self.breaks = false;
        self.candidates(next);
        let first = self.workspace.candidates.items().len() > 1;
        let mut best: Option<(Arm, f64)> = None;
        for &a in self.workspace.candidates.items() {
            if let Some(log) = self.log_rest(a, first, next).filter(|log| best.is_none_or(|(_, other)| *log > other)) {
                best = Some((a, log));
            }
        }
        let Some((a, log)) = best else {
            return;
        };
        // P(N ≥ n) = Pⁿ. `as` saturates, also where P is 1.
        let rounds = ((1.0 - self.stream.uniform()).ln() / log).floor() as u64;
        let until = self.round.saturating_add(rounds);
        let cut = self.next_crossing - 1;
        self.breaks = until < cut;
        self.fixed = FixedUntil::until(a, until.min(cut));
    }

    /// The coins on which a rest of a depends, of the first draw (`true`) and of the second.
    fn coins(&self, a: Arm, first: bool) -> impl Iterator<Item = (bool, Arm)> + '_ {
        let k = self.pairs.items();
        let first = (0..k).filter(move |j| first && *j != a).map(|j| (true, j));
        first.chain((0..k).filter(move |j| self.eligible(*j, a, self.round)).map(|j| (false, j)))
    }

    /// The first coin that falls against a, given that one does: of the first draw or of the second, and whose.
    pub(super) fn breaking(&mut self, a: Arm, first: bool) -> (bool, Arm) {
        let uniform = self.stream.uniform();
        let log: f64 = self.coins(a, first).map(|(_, j)| self.log(j, a)).sum();
        let drawn = uniform * -log.exp_m1();
        let (mut down, mut passed, mut last) = (1.0, 0.0, (false, a));
        for (phase, j) in self.coins(a, first) {
            let q = self.above_half(j, a);
            passed += down * q;
            down *= 1.0 - q;
            if q > 0.0 {
                last = (phase, j);
            }
            if passed > drawn {
                break;
            }
        }
        last
    }
}
