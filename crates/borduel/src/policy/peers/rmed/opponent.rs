//! Whom an item meets in a pass of RMED, and how likely that was where ties were broken by chance.

use super::{State, Variant, from_half, log_log};
use crate::duel::{Arm, Duel};
use crate::policy::shared::ties::Ties;

/// Working space: those who tie for i*, for b(l), and for the opponent of `rmed1`.
#[derive(Debug, Clone, Default)]
pub(super) struct Workspace {
    likeliest: Ties,
    cheapest: Ties,
    plain: Ties,
}

impl Workspace {
    pub(super) fn new(k: usize) -> Self {
        Self { likeliest: Ties::new(k), cheapest: Ties::new(k), plain: Ties::new(k) }
    }
}

/// Sums of the same terms in another order are the same up to this.
const ROUNDING: f64 = 1e-9;

impl State {
    /// Whether j ∈ O(l).
    fn loses(&self, l: Arm, j: Arm) -> bool {
        l != j && self.pairs.mean(l, j) <= 0.5
    }

    /// All i*.
    fn offer_likeliest(&self, ties: &mut Ties) {
        let bar = self.divergences.least() + ROUNDING;
        ties.clear();
        for i in (0..self.pairs.items()).filter(|i| self.divergences.sums[*i] <= bar) {
            ties.offer(i, 0.0);
        }
    }

    /// All opponents of `rmed1`.
    fn offer_plain(&self, l: Arm, likeliest: Arm, ties: &mut Ties) {
        ties.clear();
        if self.divergences.opponents[l] == 0 || self.loses(l, likeliest) {
            ties.offer(likeliest, 0.0);
            return;
        }
        for j in (0..self.pairs.items()).filter(|j| *j != l) {
            ties.offer(j, -self.pairs.mean(l, j));
        }
    }

    /// All b(l): the one that was fixed, or those of the least regret per information.
    fn offer_cheapest(&self, l: Arm, likeliest: Arm, ties: &mut Ties) {
        ties.clear();
        if let Some(fixed) = self.opponents.get(l) {
            ties.offer(*fixed, 0.0);
            return;
        }
        let mean = |i: Arm, j: Arm| self.pairs.mean(i, j);
        for j in (0..self.pairs.items()).filter(|j| *j != l && mean(l, *j) < 0.5) {
            let regret = (mean(likeliest, l) + mean(likeliest, j) - 1.0).max(0.01);
            ties.offer(j, -regret / from_half(mean(l, j)));
        }
        if ties.items().is_empty() {
            ties.offer(likeliest, 0.0);
        }
    }

    /// Whether l meets b(l) rather than the opponent of `rmed1`.
    fn prefers(&self, l: Arm, likeliest: Arm, b: Arm) -> bool {
        let log_log = self.log_log.unwrap_or_else(|| log_log(self.round));
        self.loses(l, b) && self.pairs.n(l, likeliest) >= self.pairs.n(l, b) / log_log
    }

    /// Fixes all b, as `rmed2fh` does after the start.
    pub(super) fn fix_opponents(&mut self) {
        let mut workspace = std::mem::take(&mut self.workspace);
        self.offer_likeliest(&mut workspace.likeliest);
        let likeliest = workspace.likeliest.draw(&mut self.stream);
        let mut fixed = Vec::with_capacity(self.pairs.items());
        for l in 0..self.pairs.items() {
            self.offer_cheapest(l, likeliest, &mut workspace.cheapest);
            fixed.push(workspace.cheapest.draw(&mut self.stream));
        }
        (self.opponents, self.workspace) = (fixed, workspace);
    }

    /// The opponent of l.
    pub(super) fn opponent(&mut self, l: Arm) -> Arm {
        let mut workspace = std::mem::take(&mut self.workspace);
        self.offer_likeliest(&mut workspace.likeliest);
        let likeliest = workspace.likeliest.draw(&mut self.stream);
        let mut cheapest = None;
        if self.config.variant != Variant::Rmed1 {
            self.offer_cheapest(l, likeliest, &mut workspace.cheapest);
            let b = workspace.cheapest.draw(&mut self.stream);
            cheapest = Some(b).filter(|b| self.prefers(l, likeliest, *b));
        }
        let opponent = cheapest.unwrap_or_else(|| {
            self.offer_plain(l, likeliest, &mut workspace.plain);
            workspace.plain.draw(&mut self.stream)
        });
        self.workspace = workspace;
        opponent
    }

    /// The probability that l meets m: the mean over all i* that tie, and over all b(l) for each of them.
    pub(super) fn chance(&mut self, Duel(l, m): Duel) -> f64 {
        let Workspace { mut likeliest, mut cheapest, mut plain } = std::mem::take(&mut self.workspace);
        self.offer_likeliest(&mut likeliest);
        let mut sum = 0.0;
        for &star in likeliest.items() {
            self.offer_plain(l, star, &mut plain);
            if self.config.variant == Variant::Rmed1 {
                sum += plain.share(m);
                continue;
            }
            self.offer_cheapest(l, star, &mut cheapest);
            let meets = |b: &Arm| if self.prefers(l, star, *b) { f64::from(u8::from(*b == m)) } else { plain.share(m) };
            sum += cheapest.items().iter().map(meets).sum::<f64>() / cheapest.items().len() as f64;
        }
        let chance = sum / likeliest.items().len() as f64;
        self.workspace = Workspace { likeliest, cheapest, plain };
        chance
    }
}
