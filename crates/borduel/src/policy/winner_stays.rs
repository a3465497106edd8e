//! Winner Stays, weak and strong (Chen, Frazier, ICML 2017): whoever has won more often than lost by the most stays, and meets the next.
//! Assumes a Condorcet winner.
//!
//! C(i) = wins − losses of item i. The first item is the last duel's first if it attains max C, else its second if that does, else
//! uniform among those who do; the second is chosen by the same rule among all but the first. `winner-stays` (WS-W) goes on like
//! this: almost every later duel has the winner in it, so that weak regret stays bounded, but the other regrets grow
//! linearly, by design. `winner-stays-strong` (WS-S, β > 1) exploits in between: its ℓ-th exploration ends when max C ≥ (K−1)ℓ,
//! and the leader then meets itself ⌊β^ℓ⌋ times.
//!
//! Nothing but answers moves C: without them the same pair is asked again, and a batch is one pair asked many times. *Where it differs:* a tie moves nobody, and the
//! first duel is two items drawn among all. What published implementations do otherwise concerns WS-S, and stands in `winner_stays_strong`.
//!
//! Items stand in the order of C. An answer moves two of them by one, which is an exchange with the end of their block of equals,
//! so that a round costs a look at a few neighbours, or a few steps of a binary search, whatever K.

use super::pause::{Pause, rests};
use super::{Policy, Resolved};
use crate::duel::{Arm, Duel, Outcome, Proposal};
use crate::error::{Error, Result};
use crate::problem::Problem;
use crate::stream::Stream;
use serde::{Deserialize, Serialize};

/// What can be set: nothing.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// β of the paper's strong version, which is a policy of its own here: refused with its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beta: Option<f64>,
}

impl Config {
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        match self.beta {
            None => Ok(State::new(problem, stream, None)),
            Some(beta) => {
                let remedy = "belongs to the policy winner-stays-strong (a number above 1, such as 1.1): take that one, or leave beta out";
                Err(Error::setting("beta", beta, remedy))
            }
        }
    }
}

/// As many neighbours are looked at before a block of equals is searched for its end: mostly it is short.
const NEAR: usize = 8;

/// The state: C, the items in its order, and the last duel.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    stream: Stream,
    round: u64,
    /// C.
    lead: Vec<i64>,
    /// All items by C, the largest first; and where each stands.
    order: Vec<Arm>,
    place: Vec<usize>,
    last: Duel,
    strong: Option<Strong>,
    pause: Pause,
}

/// What WS-S knows besides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Strong {
    beta: f64,
    /// ℓ, the number of this exploration.
    phase: u32,
}

impl State {
    /// With β: strong.
    pub(super) fn new(problem: &Problem, stream: Stream, beta: Option<f64>) -> Self {
        let k = problem.items();
        Self {
            stream,
            round: 0,
            lead: vec![0; k],
            order: (0..k).collect(),
            place: (0..k).collect(),
            // Before the first duel nobody stays: it is drawn among all.
            last: Duel(0, 0),
            strong: beta.map(|beta| Strong { beta, phase: 1 }),
            pause: Pause::default(),
        }
    }

    /// Two different items, uniformly.
    fn anybody(k: usize, stream: &mut Stream) -> Duel {
        let (first, second) = (stream.below(k), stream.below(k - 1));
        Duel(first, second + usize::from(second >= first))
    }

    /// Where the block of items with the C of this place begins.
    #[inline(always)]
    fn start(&self, place: usize) -> usize {
        let lead = self.lead[self.order[place]];
        let near = place.saturating_sub(NEAR);
        for at in (near..place).rev() {
            if self.lead[self.order[at]] != lead {
                return at + 1;
            }
        }
        self.order[..near].partition_point(|arm| self.lead[*arm] > lead)
    }

    /// Where it ends: the place behind its last.
    #[inline(always)]
    fn end(&self, place: usize) -> usize {
        let lead = self.lead[self.order[place]];
        let near = (place + 1 + NEAR).min(self.order.len());
        for at in place + 1..near {
            if self.lead[self.order[at]] != lead {
                return at;
            }
        }
        near + self.order[near..].partition_point(|arm| self.lead[*arm] >= lead)
    }

    /// Exchanges an item with that at another place.
    #[inline(always)]
    fn swap(&mut self, arm: Arm, place: usize) {
        let (own, other) = (self.place[arm], self.order[place]);
        self.order.swap(own, place);
        (self.place[arm], self.place[other]) = (place, own);
    }

    /// One win more.
    #[inline(always)]
    fn raise(&mut self, arm: Arm) {
        let front = self.start(self.place[arm]);
        self.swap(arm, front);
        self.lead[arm] += 1;
    }

    /// One loss more.
    #[inline(always)]
    fn lower(&mut self, arm: Arm) {
        let back = self.end(self.place[arm]) - 1;
        self.swap(arm, back);
        self.lead[arm] -= 1;
    }

    /// Who leads: one of the last duel if it does, else uniform.
    #[inline]
    fn first(&mut self) -> (Arm, f64) {
        let most = self.lead[self.order[0]];
        let Duel(i, j) = self.last;
        if let Some(stays) = [i, j].into_iter().find(|arm| self.lead[*arm] == most) {
            return (stays, 1.0);
        }
        let block = self.end(0);
        (self.order[self.stream.below(block)], 1.0 / block as f64)
    }

    /// The same among all others.
    #[inline]
    fn second(&mut self, first: Arm) -> (Arm, f64) {
        let at = self.place[first];
        let most = self.lead[self.order[usize::from(at == 0)]];
        let Duel(i, j) = self.last;
        if let Some(stays) = [i, j].into_iter().find(|arm| *arm != first && self.lead[*arm] == most) {
            return (stays, 1.0);
        }
        // The first stands before this block, or in it; it is one of the largest C, and so is whoever stands first.
        let start = usize::from(self.lead[self.order[0]] > most);
        let end = self.end(start);
        let others = end - start - usize::from(at >= start);
        let place = start + self.stream.below(others);
        (self.order[place + usize::from(at >= start && place >= at)], 1.0 / others as f64)
    }

    /// Ends an exploration of WS-S whose leader is far enough ahead.
    #[inline]
    fn exploit(&mut self) {
        let Some(Strong { beta, phase }) = self.strong.as_mut() else {
            return;
        };
        let leader = self.order[0];
        let needed = (self.lead.len() as u64 - 1).saturating_mul(u64::from(*phase));
        // During a pause a late answer changes C alone.
        if self.pause.left(self.round).is_none() && u64::try_from(self.lead[leader]).is_ok_and(|lead| lead >= needed) {
            let rounds = beta.powf(f64::from(*phase)).floor() as u64;
            self.pause = Pause::until(leader, self.round.saturating_add(rounds));
            *phase = phase.saturating_add(1);
        }
    }
}

impl Policy for State {
    fn ask(&mut self, problem: &Problem) -> Proposal {
        self.round += 1;
        if let Some(question) = self.pause.question(self.round) {
            return question;
        }
        if self.round == 1 {
            self.last = Self::anybody(problem.items(), &mut self.stream);
            let k = problem.items() as f64;
            return Proposal::new(1, self.last, 1.0 / (k * (k - 1.0)));
        }
        let (first, chance) = self.first();
        let (second, given) = self.second(first);
        self.last = Duel(first, second);
        Proposal::new(self.round, self.last, chance * given)
    }

    fn tell(&mut self, _: &Problem, proposal: &Proposal, outcome: Outcome) {
        let Duel(i, j) = proposal.duel;
        if i == j {
            return;
        }
        if outcome != Outcome::Tie {
            // Chosen without a branch, which nobody could foresee.
            let lost = outcome == Outcome::Loss;
            let (winner, loser) = if lost { (j, i) } else { (i, j) };
            // Which of the two comes first matters to the places of equals in this case alone; the first item of the duel does.
            if lost && self.lead[loser] == self.lead[winner] + 1 {
                self.lower(loser);
                self.raise(winner);
            } else {
                self.raise(winner);
                self.lower(loser);
            }
        }
        self.exploit();
    }

    fn cancel(&mut self, _: &Problem, _: &Proposal) {}

    rests!();

    /// C/t: a scale of its own, no Borda scores.
    fn scores(&self, _: &Problem, out: &mut [f64]) {
        let rounds = self.round.max(1) as f64;
        out.iter_mut().zip(&self.lead).for_each(|(score, lead)| *score = *lead as f64 / rounds);
    }

    /// The lead of an item over the rounds: no chance, of whoever.
    fn scores_over_others(&self, problem: &Problem) -> Vec<f64> {
        let mut scores = vec![0.0; problem.items()];
        self.scores(problem, &mut scores);
        scores
    }

    fn settings(&self) -> Vec<Resolved> {
        self.strong.iter().map(|strong| Resolved::new("beta", strong.beta)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::stream;

    #[test]
    fn items_stand_in_the_order_of_their_leads_whatever_their_number() {
        let mut s = stream(1, &[]);
        for k in [2, 9, 60] {
            let problem = Problem::without_features(k).unwrap();
            let mut state = State::new(&problem, stream(2, &[]), None);
            // One after the other, by a search.
            let mut plain = state.clone();
            for step in 0..2000 {
                let (duel, outcome) = (State::anybody(k, &mut s), Outcome::from_win(s.uniform() < 0.5));
                state.tell(&problem, &Proposal::new(1, duel, None), outcome);
                for (arm, won) in [(duel.0, outcome == Outcome::Win), (duel.1, outcome == Outcome::Loss)] {
                    let bar = plain.lead[arm] - i64::from(!won);
                    let place = plain.order.partition_point(|other| plain.lead[*other] > bar);
                    plain.swap(arm, place - usize::from(!won));
                    plain.lead[arm] += if won { 1 } else { -1 };
                }
                assert_eq!((&state.order, &state.lead), (&plain.order, &plain.lead), "{k} items, {step}");
                assert!(state.order.is_sorted_by_key(|arm| -state.lead[*arm]));
                assert!((0..k).all(|arm| state.order[state.place[arm]] == arm));
            }
        }
    }
}
