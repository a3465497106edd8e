//! RUCB, Relative Upper Confidence Bound (Zoghi, Whiteson, Munos, de Rijke, ICML 2014): a champion that may still beat
//! everybody, against who may beat it by the most. Assumes a Condorcet winner.
//!
//! u(i,j) = μ̂(i,j) + √(α log t / n(i,j)), u(i,i) = ½, 2 without answers. 𝒞 = {i : u(i,j) ≥ ½ for all j}; B ← B ∩ 𝒞. If
//! 𝒞 is empty, c is any item; if 𝒞 = {c}, B ← {c}; else c is B's item with probability ½ and otherwise uniform on 𝒞
//! without it. The opponent is argmax_j u(j,c) over all items, where c itself (at ½) must lead alone. α = 0.51.
//!
//! 𝒞 is made of answers, the opponent's width of questions asked and not cancelled, so that a batch is spread. This is
//! the published version; the first preprint has no B. (duelpy 1.0.0 compares a truth value with 0, so that its
//! champion always wins, and never lets it meet itself. Without answers duelingbanditlib has u = 1 and Wu's code about
//! 10³: of no visible effect after the first K² rounds.)
//!
//! *Rests* while c is alone in 𝒞 and nobody's bound against it reaches ½: all of that changes in known rounds only
//! (see `bound_crossing`). It never commits, since log t grows.

use crate::duel::{Arm, Duel, Outcome, Proposal};
use crate::policy::shared::bound_crossing::{Crossings, bound, crossing, factor};
use crate::policy::shared::fixed_until::FixedUntil;
use crate::policy::shared::pairs::{Asked, Pairs};
use crate::policy::shared::ties::Ties;
use crate::policy::{FixedDuel, Policy, Resolved};
use crate::problem::Problem;
use crate::stream::Stream;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// What can be set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// The exploration parameter α, above ½.
    pub alpha: f64,
}

impl Default for Config {
    fn default() -> Self {
        Self { alpha: 0.51 }
    }
}

/// α of the bounds of this policy and its relatives.
pub(in crate::policy) fn alpha(value: f64) -> Result<f64> {
    if value > 0.5 && value.is_finite() {
        Ok(value)
    } else {
        Err(Error::setting("alpha", value, "must be a number above 1/2, such as 0.51"))
    }
}

impl Config {
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        let alpha = alpha(self.alpha)?;
        let pairs = Pairs::new("rucb", problem)?;
        let k = problem.items();
        Ok(State {
            stream,
            round: 0,
            asked: Asked::new(&pairs),
            crossings: Crossings::new(k, alpha),
            pairs,
            favourite: None,
            fixed: FixedUntil::default(),
            ties: Ties::new(k),
        })
    }
}

/// The state: counts, the rounds in which bounds reach ½, and B.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    stream: Stream,
    round: u64,
    pairs: Pairs,
    asked: Asked,
    #[serde(rename = "events")]
    crossings: Crossings,
    /// B.
    favourite: Option<Arm>,
    #[serde(alias = "pause")]
    fixed: FixedUntil,
    #[serde(skip)]
    ties: Ties,
}

impl State {
    /// Whether an item is in 𝒞.
    #[inline]
    fn may_win(&self, i: Arm) -> bool {
        self.crossings.largest(i) <= self.round
    }

    /// The champion, and the probability with which it was chosen.
    fn champion(&mut self) -> (Arm, f64) {
        let k = self.pairs.items();
        self.favourite = self.favourite.filter(|b| self.crossings.largest(*b) <= self.round);
        let candidates = (0..k).filter(|i| self.may_win(*i)).count();
        let favourite = match (candidates, self.favourite) {
            (0, _) => return (self.stream.below(k), 1.0 / k as f64),
            (1, _) => {
                let only = (0..k).find(|i| self.may_win(*i));
                self.favourite = only;
                return (only.unwrap_or(0), 1.0);
            }
            (_, favourite) => favourite,
        };
        let mut share = 1.0;
        if let Some(b) = favourite {
            if self.stream.uniform() < 0.5 {
                return (b, 0.5);
            }
            share = 0.5;
        }
        let others = candidates - usize::from(favourite.is_some());
        let place = self.stream.below(others);
        let nth = (0..k).filter(|i| self.may_win(*i) && Some(*i) != favourite).nth(place);
        (nth.unwrap_or(0), share / others as f64)
    }

    /// Who may beat the champion by the most, and how many do.
    fn opponent(&mut self, champion: Arm) -> (Arm, usize) {
        let factor = factor(self.crossings.alpha(), self.round);
        let mut ties = std::mem::take(&mut self.ties);
        ties.clear();
        for j in (0..self.pairs.items()).filter(|j| *j != champion) {
            ties.offer(j, bound(self.asked.n(j, champion), self.pairs.mean(j, champion), factor));
        }
        // Whoever ties with the champion's own ½ goes before it.
        let (best, count) = (ties.draw_from(0.5, &mut self.stream), ties.items().len());
        self.ties = ties;
        best.map_or((champion, 1), |best| (best, count))
    }

    /// Settles on a rest from the next round on, if there is one.
    fn look(&mut self) {
        self.fixed = FixedUntil::default();
        let next = self.round + 1;
        let k = self.pairs.items();
        let mut candidates = (0..k).filter(|i| self.crossings.largest(*i) <= next);
        let (Some(c), None) = (candidates.next(), candidates.next()) else {
            return;
        };
        let mut end = u64::MAX;
        for j in (0..k).filter(|j| *j != c) {
            let (asked, answered) = (self.asked.n(j, c), self.pairs.n(j, c));
            let reaches = if asked == answered {
                self.crossings.round(j, c)
            } else {
                crossing(asked, self.pairs.mean(j, c), self.crossings.alpha())
            };
            // Without answers every bound is above ½.
            end = end.min(if asked == 0.0 { 0 } else { reaches }).min(self.crossings.largest(j));
            if end <= next {
                return;
            }
        }
        self.fixed = FixedUntil::until(c, end - 1);
    }
}

impl Policy for State {
    fn ask(&mut self, _: &Problem) -> Proposal {
        self.round += 1;
        if let Some(question) = self.fixed.question(self.round) {
            self.favourite = Some(self.fixed.arm());
            return question;
        }
        let (c, chance) = self.champion();
        let (j, ties) = self.opponent(c);
        let duel = Duel(c, j);
        self.asked.add(duel);
        if c == j {
            self.look();
        }
        Proposal::new(self.round, duel, chance / ties as f64)
    }

    fn tell(&mut self, _: &Problem, proposal: &Proposal, outcome: Outcome) {
        if proposal.duel.0 != proposal.duel.1 {
            self.pairs.add(proposal.duel, outcome.reward());
            self.crossings.update(&self.pairs, proposal.duel);
            self.look();
        }
    }

    fn cancel(&mut self, _: &Problem, proposal: &Proposal) {
        if proposal.duel.0 != proposal.duel.1 {
            self.asked.take_back(proposal.duel);
            self.look();
        }
    }

    #[inline]
    fn fixed_until(&self) -> Option<FixedDuel> {
        self.fixed.left(self.round)
    }

    fn skip(&mut self, rounds: u64) {
        self.round += rounds;
        self.favourite = Some(self.fixed.arm());
    }

    fn reseed(&mut self, stream: Stream) {
        self.stream = stream;
    }

    fn scores(&self, _: &Problem, out: &mut [f64]) {
        self.pairs.write_scores(out);
    }

    fn settings(&self) -> Vec<Resolved> {
        vec![Resolved::new("alpha", self.crossings.alpha())]
    }

    fn estimate(&self, _: &Problem) -> Arm {
        self.pairs.champion()
    }
}
