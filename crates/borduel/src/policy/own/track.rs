//! A leader, exploration that falls as n^{−1/3}, and a test of every recent window: what
//! [`track_borda`](crate::policy::track_borda) and [`track_linear`](crate::policy::track_linear) share. For dynamic
//! regret, without knowing how often or when preferences change.
//!
//! *A round.* With n the rounds of the present episode and κ = 4ζ: with probability γ = min(1, (κ/n)^{1/3}) it explores
//! (`exploration`), otherwise the leader meets itself. γ is held over blocks as in [`ftrl`](crate::policy::ftrl), of at
//! most max(1, n/50) rounds.
//!
//! *Buckets.* Steps are summed in buckets, each with its variance V = Σ ζ/γ over its rounds and M = max u/γ. A bucket
//! closes after max(16, κ) answers. Then all recent windows are tested, the leader is the item with the largest sum of
//! the episode (before the first bucket closes: after every answer), and of the buckets of one level no more than two
//! are kept, the two oldest becoming one of the next level: O(log T) of them.
//!
//! *The test.* Over the newest 1, 2, 3, … buckets, with W the sum of their steps and m = argmax W: x = (W(m) −
//! W(leader))/(√(LV) + LM/3), L = 0.7 log(KT), with t for T where no horizon is known. Where the largest x exceeds 1,
//! everything before that window is forgotten, and a new episode begins with it and the leader m.
//!
//! *Replays* (`replays = true`): where none is under way, a round begins one of length m = 2κ, 4κ, … < n with
//! probability m^{−1/3} n^{−2/3}, during which γ is at least (κ/m)^{1/3}. A block ends where one begins. The source's
//! theory needs them for s^{1/3} T^{2/3} with s significant shifts; without them ours has √s in place of s^{1/3}.
//! Over 10⁵ rounds they change dynamic regret by −6 % where ranks jump five times, and cost 17 to 66 % where nothing
//! changes (prototypes: −12 to +7 %, and 40 to 65 %).
//!
//! An answer is weighted with the γ on its ticket and counts in the bucket that is open when it comes; one that was
//! asked for before the present episode is forgotten with the rest.
//!
//! *Whose it is.* Suk and Agarwal (2024, significant shifts of weighted Borda scores) have the replays, of whose law we
//! have only their description, and the windows. They eliminate items, play the survivors uniformly, and start again
//! when none is left. Here the leader is played, nobody is eliminated, and the past is forgotten only up to the window
//! that spoke against it; the test and its constants are ours.

use crate::borda::winner;
use crate::duel::{Arm, Duel, Note, Outcome, Proposal};
use crate::policy::shared::exploration::{Drawn, Exploration, rounds_to};
use crate::policy::{FixedDuel, Policy, Resolved};
use crate::problem::Problem;
use crate::stream::Stream;
use buckets::Buckets;
use serde::{Deserialize, Serialize};

mod buckets;

/// What can be set.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// Whether exploration is raised now and then for a while; not unless set.
    pub replays: bool,
}

/// The share of an episode that a block may take.
const BLOCK: u64 = 50;
/// L = CAUTION · log(KT): with 1 dynamic regret is a third higher, with ½ false alarms are many.
const CAUTION: f64 = 0.7;

impl Config {
    pub(in crate::policy) fn build(&self, problem: &Problem, stream: Stream, exploration: Exploration) -> State {
        let k = problem.items();
        State {
            stream,
            round: 0,
            kappa: 4.0 * exploration.zeta,
            horizon: problem.horizon(),
            episode: 1,
            start: 1,
            buckets: Buckets::new(k, 4.0 * exploration.zeta),
            exploration,
            sums: vec![0.0; k],
            leader: 0,
            gamma: 1.0,
            until: 0,
            explores: false,
            replays: self.replays,
            replay: Replay { until: 0, gamma: 0.0 },
            replay_due: false,
        }
    }
}

/// The state: the buckets of the present episode, their sum, and the present block.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    stream: Stream,
    round: u64,
    exploration: Exploration,
    kappa: f64,
    horizon: Option<u64>,
    /// The number of the present episode, and its first round.
    episode: u64,
    start: u64,
    buckets: Buckets,
    /// E: all steps of the episode.
    sums: Vec<f64>,
    leader: Arm,
    /// γ of the present block, its last round that exploits, and whether it then explores.
    gamma: f64,
    until: u64,
    explores: bool,
    replays: bool,
    replay: Replay,
    /// Whether a replay begins after the present block.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    replay_due: bool,
}

/// The last round of a replay, and γ during it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Replay {
    until: u64,
    gamma: f64,
}

impl State {
    /// Begins a block with the present round.
    fn begin(&mut self, problem: &Problem) -> Proposal {
        let n = self.round - self.start + 1;
        let base = (self.kappa / n as f64).cbrt().min(1.0);
        let (mut most, mut gamma, mut chance, mut wait) = ((n / BLOCK).max(1), base, base, u64::MAX);
        let under_way = self.round <= self.replay.until;
        if self.replays && !under_way {
            (wait, chance) = self.replay_from(n, base);
            if wait > 0 {
                most = most.min(wait);
            }
        }
        if self.round <= self.replay.until {
            gamma = base.max(self.replay.gamma);
            most = most.min(self.replay.until - self.round + 1);
            if under_way {
                chance = gamma;
            }
        }
        self.gamma = gamma;
        let rounds = rounds_to(gamma, &mut self.stream);
        self.explores = rounds <= most;
        let rounds = rounds.min(most);
        self.replay_due = rounds == wait;
        self.buckets.pass(rounds, self.exploration.zeta / gamma, self.exploration.reach / gamma);
        if self.explores && rounds == 1 {
            return self.explore(problem, chance);
        }
        self.until = self.round + rounds - 1 - u64::from(self.explores);
        Proposal::new(self.round, Duel(self.leader, self.leader), 1.0 - chance)
    }

    /// Where no replay is under way: how many rounds pass before the next one, which begins now if none; and how likely
    /// this round explores.
    fn replay_from(&mut self, n: u64, base: f64) -> (u64, f64) {
        let (length, rounds) = (self.kappa, n as f64);
        let lengths = || (1..64).map(|power| length * f64::from(power).exp2()).take_while(|m| *m < rounds);
        let chance = |m: f64| (m * rounds * rounds).cbrt().recip();
        let all: f64 = lengths().map(chance).sum();
        let due = std::mem::take(&mut self.replay_due);
        if all == 0.0 {
            return (u64::MAX, base);
        }
        let raised = |m: f64| base.max((length / m).cbrt()).min(1.0);
        let begins = if due { 1.0 } else { all.min(1.0) };
        let explores = lengths().map(|m| begins / all * chance(m) * raised(m)).sum::<f64>() + (1.0 - begins) * base;
        let wait = if due { 0 } else { rounds_to(all, &mut self.stream) - 1 };
        if wait == 0 {
            let mut left = self.stream.uniform() * all;
            let mut drawn = 2.0 * length;
            for m in lengths() {
                drawn = m;
                left -= chance(m);
                if left < 0.0 {
                    break;
                }
            }
            self.replay = Replay { until: self.round + drawn.ceil() as u64 - 1, gamma: raised(drawn) };
        }
        (wait, explores)
    }

    /// A question that explores, which `share` of all do that might have been asked instead.
    fn explore(&mut self, problem: &Problem, share: f64) -> Proposal {
        self.explores = false;
        let Drawn { duel, vector, chance } = self.exploration.draw(problem, &mut self.stream);
        Proposal::new(self.round, duel, share * chance).with_note(Note::new(vector, &[self.gamma]))
    }

    /// A bucket is full: looks back, and forgets what a recent window speaks against.
    fn look_back(&mut self) {
        let rounds = self.horizon.unwrap_or(self.round) as f64;
        let caution = CAUTION * (self.sums.len() as f64 * rounds).ln();
        self.buckets.close(self.round + 1);
        if let Some(start) = self.buckets.forget(self.leader, caution, &mut self.sums) {
            self.start = start;
            self.episode += 1;
        }
        self.leader = winner(&self.sums);
        self.buckets.merge();
    }
}

impl Policy for State {
    fn ask(&mut self, problem: &Problem) -> Proposal {
        self.round += 1;
        if self.round <= self.until {
            return Proposal::new(self.round, Duel(self.leader, self.leader), 1.0);
        }
        if self.explores { self.explore(problem, 1.0) } else { self.begin(problem) }
    }

    fn tell(&mut self, problem: &Problem, proposal: &Proposal, outcome: Outcome) {
        // Only questions that explored carry their γ.
        let Some((note, &[gamma])) = proposal.note().map(|note| (note, note.numbers())) else {
            return;
        };
        if proposal.round < self.start {
            return;
        }
        let signal = (outcome.reward() - 0.5) / gamma;
        for sums in [&mut self.sums[..], self.buckets.open()] {
            self.exploration.learn(problem, proposal.duel, note.number, signal, sums);
        }
        if self.buckets.answered() {
            self.look_back();
        } else if self.buckets.none_closed() {
            self.leader = winner(&self.sums);
        }
    }

    fn cancel(&mut self, _: &Problem, _: &Proposal) {}

    #[inline]
    fn fixed_until(&self) -> Option<FixedDuel> {
        let duel = Duel(self.leader, self.leader);
        (self.until > self.round).then(|| FixedDuel { duel, rounds: self.until - self.round })
    }

    fn skip(&mut self, rounds: u64) {
        self.round += rounds;
    }

    fn reseed(&mut self, stream: Stream) {
        self.stream = stream;
    }

    /// ½ + E(i)/n.
    fn scores(&self, _: &Problem, out: &mut [f64]) {
        let rounds = (self.round + 1).saturating_sub(self.start).max(1) as f64;
        out.iter_mut().zip(&self.sums).for_each(|(out, sum)| *out = 0.5 + sum / rounds);
    }

    /// The present leader.
    fn estimate(&self, _: &Problem) -> Arm {
        self.leader
    }

    fn settings(&self) -> Vec<Resolved> {
        vec![
            Resolved::new("replays", if self.replays { "true" } else { "false" }),
            Resolved::new("zeta", self.exploration.zeta),
            Resolved::new("reach", self.exploration.reach),
        ]
    }
}
