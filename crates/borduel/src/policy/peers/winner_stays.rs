//! Winner Stays, weak and strong (Chen, Frazier, ICML 2017): whoever has won more often than lost by the most stays,
//! and meets the next. Assumes a Condorcet winner.
//!
//! C(i) = wins − losses of item i. The first item is the last duel's first if it attains max C, else its second if that
//! does, else uniform among those who do; the second is chosen by the same rule among all but the first. `winner-stays`
//! (WS-W) goes on like this: almost every later duel has the winner in it, so that weak regret stays bounded, but the
//! other regrets grow linearly, by design. `winner-stays-strong` (WS-S, β > 1) exploits in between: its ℓ-th
//! exploration ends when max C ≥ (K−1)ℓ, and the leader then meets itself ⌊β^ℓ⌋ times.
//!
//! Nothing but answers moves C: without them the same pair is asked again, and a batch is one pair asked many
//! times. *Where it differs:* a tie moves nobody, and the first duel is two items drawn among all.
//!
//! *Where WS-S differs.* The theory holds for any β > 1 and names none; 1.1 is ours (a later study takes 1.05, duelpy
//! 2): the larger, the more an early leader costs that is not the winner. What is answered late during an exploitation
//! moves C, but neither ends it nor changes its leader, and a bar that was passed meanwhile counts from the next answer
//! on. (duelpy 1.0.0 explores one *duel* in place of one exploration, and sits on a wrong item to the end in two of
//! three runs of 10⁴ rounds.)
//!
//! Items stand in the order of C. An answer moves two of them by one, which is an exchange with the end of their block
//! of equals, so that a round costs a look at a few neighbours, or a few steps of a binary search, whatever K.

use crate::duel::{Arm, Duel, Outcome, Proposal};
use crate::policy::shared::fixed_until::{FixedUntil, fixed_until};
use crate::policy::{Policy, Resolved};
use crate::problem::Problem;
use crate::stream::Stream;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// What can be set: nothing.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// β of the paper's strong version, which is a policy of its own here: refused with its name.
    #[doc(hidden)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beta: Option<f64>,
}

impl Config {
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        match self.beta {
            None => Ok(State::new(problem, stream, None)),
            Some(beta) => {
                let remedy = "belongs to the policy winner-stays-strong (a number above 1, such as 1.1): take that \
                              one, or leave beta out";
                Err(Error::setting("beta", beta, remedy))
            }
        }
    }
}

/// What can be set of `winner-stays-strong`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct StrongConfig {
    /// β: the ℓ-th exploitation takes ⌊β^ℓ⌋ rounds. The theory holds for any β > 1.
    pub beta: f64,
}

impl Default for StrongConfig {
    fn default() -> Self {
        Self { beta: 1.1 }
    }
}

impl StrongConfig {
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        if !(self.beta > 1.0 && self.beta.is_finite()) {
            return Err(Error::setting("beta", self.beta, "must be a number above 1, such as 1.1"));
        }
        Ok(State::new(problem, stream, Some(self.beta)))
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
    #[serde(alias = "pause")]
    fixed: FixedUntil,
}

/// The place behind the last of the block of items with the C of this place.
#[inline(always)]
fn end(lead: &[i64], order: &[Arm], place: usize) -> usize {
    let level = lead[order[place]];
    let near = (place + 1 + NEAR).min(order.len());
    for at in place + 1..near {
        if lead[order[at]] != level {
            return at;
        }
    }
    near + order[near..].partition_point(|arm| lead[*arm] >= level)
}

/// Exchanges an item with that at another place.
#[inline(always)]
fn swap(order: &mut [Arm], place: &mut [usize], arm: Arm, to: usize) {
    let (own, other) = (place[arm], order[to]);
    order.swap(own, to);
    (place[arm], place[other]) = (to, own);
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
    pub(in crate::policy) fn new(problem: &Problem, stream: Stream, beta: Option<f64>) -> Self {
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
            fixed: FixedUntil::default(),
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
    #[inline(never)]
    fn end(&self, place: usize) -> usize {
        end(&self.lead, &self.order, place)
    }

    /// Exchanges an item with that at another place.
    #[inline(always)]
    fn swap(&mut self, arm: Arm, place: usize) {
        swap(&mut self.order, &mut self.place, arm, place);
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

    /// Counts an answer.
    #[inline(never)]
    fn exchange(&mut self, i: Arm, j: Arm, lost: bool) {
        // Chosen without a branch, which nobody could foresee.
        let (winner, loser) = if lost { (j, i) } else { (i, j) };
        // Which of the two comes first matters to the places of equals in this case alone; the first item of the duel
        // does.
        if lost && self.lead[loser] == self.lead[winner] + 1 {
            self.lower(loser);
            self.raise(winner);
        } else {
            self.raise(winner);
            self.lower(loser);
        }
    }

    /// Who leads: one of the last duel if it does, else uniform.
    #[inline(always)]
    fn first(&mut self) -> (Arm, f64) {
        let most = self.lead[self.order[0]];
        let Duel(i, j) = self.last;
        if self.lead[i] == most {
            return (i, 1.0);
        }
        if self.lead[j] == most {
            return (j, 1.0);
        }
        self.leaders()
    }

    /// One of those who lead, uniformly.
    #[inline(never)]
    fn leaders(&mut self) -> (Arm, f64) {
        self.anybody_of(0, self.end(0), self.order.len())
    }

    /// One of the places from `start` to `end`, uniformly, but not `but`.
    #[inline(always)]
    fn anybody_of(&mut self, start: usize, end: usize, but: usize) -> (Arm, f64) {
        let within = (start..end).contains(&but);
        let others = end - start - usize::from(within);
        let place = start + self.stream.below(others);
        (self.order[place + usize::from(within && place >= but)], 1.0 / others as f64)
    }

    /// The same among all others.
    #[inline(always)]
    fn second(&mut self, first: Arm) -> (Arm, f64) {
        let at = self.place[first];
        let most = self.lead[self.order[usize::from(at == 0)]];
        let Duel(i, j) = self.last;
        if i != first && self.lead[i] == most {
            return (i, 1.0);
        }
        if j != first && self.lead[j] == most {
            return (j, 1.0);
        }
        // The first stands before this block, or in it; it is one of the largest C, and so is whoever stands first.
        let start = usize::from(self.lead[self.order[0]] > most);
        self.anybody_of(start, self.end(start), at)
    }

    /// The first duel, and its probability.
    #[inline(never)]
    fn open(&mut self, k: usize) -> f64 {
        self.last = Self::anybody(k, &mut self.stream);
        1.0 / (k as f64 * (k as f64 - 1.0))
    }

    /// Any later one.
    #[inline(always)]
    fn choose(&mut self) -> f64 {
        let (first, chance) = self.first();
        let (second, given) = self.second(first);
        self.last = Duel(first, second);
        chance * given
    }

    /// Ends an exploration of WS-S whose leader is far enough ahead.
    #[inline(never)]
    fn exploit(&mut self) {
        let Some(Strong { beta, phase }) = self.strong.as_mut() else {
            return;
        };
        let leader = self.order[0];
        let needed = (self.lead.len() as u64 - 1).saturating_mul(u64::from(*phase));
        // While one duel is fixed, a late answer changes C alone.
        if self.fixed.left(self.round).is_none() && u64::try_from(self.lead[leader]).is_ok_and(|lead| lead >= needed) {
            let rounds = beta.powf(f64::from(*phase)).floor() as u64;
            self.fixed = FixedUntil::until(leader, self.round.saturating_add(rounds));
            *phase = phase.saturating_add(1);
        }
    }
}

impl Policy for State {
    #[inline]
    fn ask(&mut self, problem: &Problem) -> Proposal {
        self.round += 1;
        if let Some(question) = self.fixed.question(self.round) {
            return question;
        }
        let chance = if self.round == 1 { self.open(problem.items()) } else { self.choose() };
        Proposal::new(self.round, self.last, chance)
    }

    #[inline]
    fn tell(&mut self, _: &Problem, proposal: &Proposal, outcome: Outcome) {
        let Duel(i, j) = proposal.duel;
        if i == j {
            return;
        }
        if outcome != Outcome::Tie {
            self.exchange(i, j, outcome == Outcome::Loss);
        }
        if self.strong.is_some() {
            self.exploit();
        }
    }

    /// Plays the rounds in which a leader is so far ahead that no answer changes who leads, as almost all are: it meets
    /// one of those who come next. Who beats it is alone behind it and stays; who loses leaves the block of those who
    /// come next, of whom another is drawn. Where the block ends and what C is there stay in variables.
    #[inline(always)]
    fn play_inline(&mut self, _: &Problem, rounds: u64, mut answer: impl FnMut(Duel) -> Outcome) {
        if self.strong.is_some() {
            return;
        }
        let Self { stream, round, lead, order, place, last, .. } = self;
        let (lead, order, place) = (&mut lead[..], &mut order[..], &mut place[..]);
        let leader = order[0];
        let (mut ahead, mut next) = (lead[leader], lead[order[1]]);
        // Who leads without having been in the last duel is drawn, though it be alone.
        if leader != last.0 && leader != last.1 {
            return;
        }
        let mut other = if last.0 == leader { last.1 } else { last.0 };
        let mut stays = lead[other] == next;
        let mut end = end(lead, order, 1);
        let mut played = 0;
        while played < rounds && ahead > next + 1 {
            if !stays {
                other = order[1 + stream.below(end - 1)];
            }
            // One branch on the answer, from which a processor foresees what the next question will be.
            match answer(Duel(leader, other)) {
                Outcome::Win => {
                    ahead += 1;
                    lead[other] = next - 1;
                    stays = end == 2;
                    if stays {
                        next -= 1;
                        end = self::end(lead, order, 1);
                    } else {
                        end -= 1;
                        swap(order, place, other, end);
                    }
                }
                Outcome::Loss => {
                    ahead -= 1;
                    next += 1;
                    lead[other] = next;
                    swap(order, place, other, 1);
                    end = 2;
                    stays = true;
                }
                Outcome::Tie => stays = true,
            }
            played += 1;
        }
        if played > 0 {
            lead[leader] = ahead;
            *last = Duel(leader, other);
            *round += played;
        }
    }

    fn cancel(&mut self, _: &Problem, _: &Proposal) {}

    fixed_until!();

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

    #[test]
    fn rounds_played_in_one_go_are_rounds_asked_and_told() {
        for (k, strength) in [(2, 0.9), (3, 0.6), (6, 0.7), (60, 0.8)] {
            let problem = Problem::without_features(k).unwrap();
            // Item 1 is the best, the others are alike; one answer in ten is a tie.
            let mut s = stream(3, &[k as u64]);
            let mut answer = |Duel(i, j): Duel| {
                let chance = if i == 1 {
                    strength
                } else if j == 1 {
                    1.0 - strength
                } else {
                    0.5
                };
                if s.uniform() < 0.1 { Outcome::Tie } else { Outcome::from_win(s.uniform() < chance) }
            };
            let mut state = State::new(&problem, stream(2, &[]), None);
            let (mut plain, mut lengths, mut heard, mut most) = (state.clone(), stream(4, &[]), Vec::new(), 0);
            for _ in 0..400 {
                let rounds = lengths.below(40) as u64;
                heard.clear();
                let proposal = state.ask(&problem);
                heard.push((proposal.duel, answer(proposal.duel)));
                state.tell(&problem, &proposal, heard[0].1);
                state.play_inline(&problem, rounds, |duel| {
                    heard.push((duel, answer(duel)));
                    heard[heard.len() - 1].1
                });
                most = most.max(heard.len() as u64);
                assert!(heard.len() as u64 <= rounds + 1);
                for (duel, outcome) in &heard {
                    let proposal = plain.ask(&problem);
                    assert_eq!(proposal.duel, *duel);
                    plain.tell(&problem, &proposal, *outcome);
                }
                assert_eq!(format!("{state:?}"), format!("{plain:?}"));
            }
            assert!(most > 30, "{k}: it never went on for long: {most}");
        }
    }
}
