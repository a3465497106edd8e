//! CCB, Copeland Confidence Bound (Zoghi, Karnin, Whiteson, de Rijke, NIPS 2015): optimism about how many items each
//! one beats, and for those who can hardly be winners a short list of items to which they probably lose. Assumes
//! nothing.
//!
//! u(i,j) = μ̂(i,j) + √(α log t / n(i,j)), l(i,j) = 1 − u(j,i). up(i) = #{k ≠ i : u(i,k) ≥ ½}, lo(i) = #{k ≠ i : l(i,k)
//! ≥ ½}, 𝒞 = argmax up. B are possible winners (all at the start), B(i) likely victors over i (none), L the number of
//! losses of a winner (K). Every round: (A) if some j ∈ B(i) has l(i,j) > ½, all is as at the start. (B) i ∈ B with
//! up(i) < max lo leaves B, and unless |B(i)| = L+1, B(i) = {k : u(i,k) < ½}; if B is empty, all is as at the start.
//! (C) i ∈ 𝒞 with up(i) = lo(i) enters B, B(i) = ∅, L = K−1−up(i); any other B(j) with fewer than L+1 members is
//! emptied, with more is cut down to L+1 at random.
//!
//! With probability ¼ the duel is uniform on {(i,j) : j ∈ B(i), l(i,j) ≤ ½ ≤ u(i,j)} if there are any. Else, with
//! probability ⅔, 𝒞 ← B ∩ 𝒞 unless that is empty; c is uniform on 𝒞; with probability ½ the opponents are B(c), else
//! (or if none is eligible) all; d = argmax u(j,c) over opponents with l(j,c) ≤ ½, c itself (at ½) last.
//!
//! Sets are made of answers, the opponent's width of questions asked. A proposal's propensity sums both ways to come to
//! its duel, the sets given (of a B(j) that is cut down, the one that was drawn). (duelpy 1.0.0 does not let c meet
//! itself, hence linear regret.)
//!
//! All sets depend on whether bounds have reached ½, and so change with answers or in known rounds (see
//! `bound_crossing`) only. *Rests* while 𝒞 = {c}, there is nothing to ask with probability ¼, and nobody eligible may
//! beat c.

use crate::Result;
use crate::duel::{Arm, Duel, Outcome, Proposal};
use crate::policy::peers::rucb::alpha;
use crate::policy::shared::bound_crossing::{Crossings, bound, crossing, factor};
use crate::policy::shared::fixed_until::{FixedUntil, fixed_until};
use crate::policy::shared::pairs::{Asked, Pairs};
use crate::policy::shared::ties::Ties;
use crate::policy::{Policy, Resolved};
use crate::problem::Problem;
use crate::stream::Stream;
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

impl Config {
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        let alpha = alpha(self.alpha)?;
        let (pairs, k) = (Pairs::new("ccb", problem)?, problem.items());
        Ok(State {
            stream,
            round: 0,
            asked: Asked::new(&pairs),
            pairs,
            crossings: Crossings::new(k, alpha),
            victors: vec![0; k],
            beaten: vec![0; k],
            next_crossing: u64::MAX,
            sets: Sets::new(k),
            stale: true,
            fixed: FixedUntil::default(),
            workspace: Workspace {
                candidates: Ties::new(k),
                listed: Ties::new(k),
                all: Ties::new(k),
                open: Vec::with_capacity(k),
            },
        })
    }
}

/// The state: counts, who clearly beats whom, and the sets.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    stream: Stream,
    round: u64,
    pairs: Pairs,
    asked: Asked,
    #[serde(rename = "events")]
    crossings: Crossings,
    /// How many items clearly beat each one (u < ½), and how many each one clearly beats: up = K−1 − the first, lo =
    /// the second.
    victors: Vec<usize>,
    beaten: Vec<usize>,
    /// A round before which these change with answers only.
    #[serde(rename = "next_event")]
    next_crossing: u64,
    sets: Sets,
    /// Whether the sets have to be looked at in the next round.
    stale: bool,
    #[serde(alias = "pause")]
    fixed: FixedUntil,
    #[serde(skip)]
    workspace: Workspace,
}

/// B, B(i) and L.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Sets {
    possible: Vec<bool>,
    victors: Vec<Vec<Arm>>,
    losses: usize,
}

impl Sets {
    fn new(k: usize) -> Self {
        Self { possible: vec![true; k], victors: vec![Vec::new(); k], losses: k }
    }

    /// As at the start.
    fn reset(&mut self) {
        self.possible.fill(true);
        self.victors.iter_mut().for_each(Vec::clear);
        self.losses = self.possible.len();
    }
}

/// Working space of one question.
#[derive(Debug, Clone, Default)]
struct Workspace {
    candidates: Ties,
    /// Who may beat c by the most, of its likely victors and of all.
    listed: Ties,
    all: Ties,
    open: Vec<Duel>,
}

impl State {
    /// Whether j clearly beats i: u(i,j) < ½.
    #[inline]
    fn loses(&self, i: Arm, j: Arm) -> bool {
        self.crossings.round(i, j) > self.round
    }

    /// Counts anew who clearly beats an item, and whom it beats.
    fn count(&mut self, i: Arm) {
        let others = || (0..self.pairs.items()).filter(|j| *j != i);
        let victors = others().filter(|j| self.loses(i, *j)).count();
        let beaten = others().filter(|j| self.loses(*j, i)).count();
        (self.victors[i], self.beaten[i]) = (victors, beaten);
    }

    /// 𝒞, onto the workspace.
    fn candidates(&mut self) {
        self.workspace.candidates.clear();
        for (i, victors) in self.victors.iter().enumerate() {
            self.workspace.candidates.offer(i, -(*victors as f64));
        }
    }

    /// A, B and C.
    fn update(&mut self) {
        let k = self.pairs.items();
        self.stale = false;
        if (0..k).any(|i| self.sets.victors[i].iter().any(|j| self.loses(*j, i))) {
            self.sets.reset();
        }
        let most = self.beaten.iter().copied().max().unwrap_or(0);
        for i in 0..k {
            if self.sets.possible[i] && k - 1 - self.victors[i] < most {
                self.sets.possible[i] = false;
                if self.sets.victors[i].len() != self.sets.losses + 1 {
                    let mut victors = std::mem::take(&mut self.sets.victors[i]);
                    victors.clear();
                    victors.extend((0..k).filter(|j| *j != i && self.loses(i, *j)));
                    self.sets.victors[i] = victors;
                }
            }
        }
        if !self.sets.possible.contains(&true) {
            self.sets.reset();
            // Many will leave again in the next round.
            self.stale = true;
        }
        let candidates = std::mem::take(&mut self.workspace.candidates);
        for &i in candidates.items() {
            if k - 1 - self.victors[i] == self.beaten[i] {
                self.enter(i);
            }
        }
        self.workspace.candidates = candidates;
    }

    /// C for one item.
    fn enter(&mut self, i: Arm) {
        self.sets.possible[i] = true;
        self.sets.victors[i].clear();
        self.sets.losses = self.victors[i];
        let most = self.sets.losses + 1;
        for j in (0..self.pairs.items()).filter(|j| *j != i) {
            let list = &mut self.sets.victors[j];
            if list.len() < most {
                list.clear();
            }
            while list.len() > most {
                list.remove(self.stream.below(list.len()));
            }
        }
    }

    /// All (i,j) with j ∈ B(i) that are undecided, onto the workspace.
    fn undecided(&mut self) {
        let mut open = std::mem::take(&mut self.workspace.open);
        open.clear();
        for (i, victors) in self.sets.victors.iter().enumerate() {
            open.extend(victors.iter().filter(|j| !self.loses(**j, i) && !self.loses(i, **j)).map(|j| Duel(i, *j)));
        }
        self.workspace.open = open;
    }

    /// The first item.
    fn champion(&mut self) -> Arm {
        let candidates = self.workspace.candidates.items();
        let both = candidates.iter().filter(|i| self.sets.possible[**i]).count();
        if both > 0 && self.stream.uniform() < 2.0 / 3.0 {
            let place = self.stream.below(both);
            return candidates.iter().copied().filter(|i| self.sets.possible[*i]).nth(place).unwrap_or(0);
        }
        candidates[self.stream.below(candidates.len())]
    }

    /// The probability of this first item, unless an undecided pair is asked.
    fn champion_chance(&self, c: Arm) -> f64 {
        let candidates = &self.workspace.candidates;
        let both = candidates.items().iter().filter(|i| self.sets.possible[**i]).count();
        let any = candidates.share(c);
        if both == 0 {
            return any;
        }
        let possible = if any > 0.0 && self.sets.possible[c] { 1.0 / both as f64 } else { 0.0 };
        (2.0 * possible + any) / 3.0
    }

    /// Who may beat c by the most, of its likely victors and of all, onto the workspace.
    fn rivals(&mut self, c: Arm) {
        let factor = factor(self.crossings.alpha(), self.round);
        let mut workspace = std::mem::take(&mut self.workspace);
        workspace.listed.clear();
        workspace.all.clear();
        let offer = |ties: &mut Ties, j: Arm| {
            if j != c && !self.loses(c, j) {
                ties.offer(j, bound(self.asked.n(j, c), self.pairs.mean(j, c), factor));
            }
        };
        self.sets.victors[c].iter().for_each(|j| offer(&mut workspace.listed, *j));
        (0..self.pairs.items()).for_each(|j| offer(&mut workspace.all, j));
        self.workspace = workspace;
    }

    /// The second item: of c's likely victors or of all.
    fn opponent(&mut self, c: Arm) -> Arm {
        self.rivals(c);
        let Workspace { listed, all, .. } = &self.workspace;
        if self.stream.uniform() < 0.5 && !listed.items().is_empty() {
            return listed.draw(&mut self.stream);
        }
        all.draw_from(0.5, &mut self.stream).unwrap_or(c)
    }

    /// The probability of this duel, the sets given, with the rivals of its first item on the workspace.
    fn chance(&self, duel: Duel) -> f64 {
        let Duel(c, d) = duel;
        let champion = self.champion_chance(c);
        let Workspace { listed, all, open, .. } = &self.workspace;
        let any = if all.reach(0.5) { all.share(d) } else { f64::from(u8::from(d == c)) };
        let opponent = if listed.items().is_empty() { any } else { 0.5 * (listed.share(d) + any) };
        if open.is_empty() {
            return champion * opponent;
        }
        0.25 * f64::from(u8::from(open.contains(&duel))) / open.len() as f64 + 0.75 * champion * opponent
    }

    /// After a question of c to itself: rests, if all further ones are the same.
    fn look(&mut self, c: Arm) {
        self.fixed = FixedUntil::default();
        if self.stale || self.workspace.candidates.items().len() > 1 || !self.workspace.open.is_empty() {
            return;
        }
        let mut end = self.next_crossing;
        for j in (0..self.pairs.items()).filter(|j| *j != c && !self.loses(c, *j)) {
            let asked = self.asked.n(j, c);
            let reaches = if asked == self.pairs.n(j, c) {
                self.crossings.round(j, c)
            } else {
                crossing(asked, self.pairs.mean(j, c), self.crossings.alpha())
            };
            end = end.min(if asked == 0.0 || self.sets.victors[c].contains(&j) { 0 } else { reaches });
        }
        if end > self.round + 1 {
            self.fixed = FixedUntil::until(c, end - 1);
        }
    }
}

impl Policy for State {
    fn ask(&mut self, _: &Problem) -> Proposal {
        self.round += 1;
        if let Some(question) = self.fixed.question(self.round) {
            return question;
        }
        if self.round >= self.next_crossing {
            (0..self.pairs.items()).for_each(|i| self.count(i));
            self.next_crossing = self.crossings.next(self.round);
            self.stale = true;
        }
        self.candidates();
        if self.stale {
            self.update();
        }
        self.undecided();
        let duel = if self.stream.uniform() < 0.25 && !self.workspace.open.is_empty() {
            let duel = self.workspace.open[self.stream.below(self.workspace.open.len())];
            self.rivals(duel.0);
            duel
        } else {
            let c = self.champion();
            Duel(c, self.opponent(c))
        };
        let chance = self.chance(duel);
        self.asked.add(duel);
        if duel.0 == duel.1 {
            self.look(duel.0);
        }
        Proposal::new(self.round, duel, chance)
    }

    fn tell(&mut self, _: &Problem, proposal: &Proposal, outcome: Outcome) {
        let Duel(i, j) = proposal.duel;
        if i == j {
            return;
        }
        self.pairs.add(proposal.duel, outcome.reward());
        self.crossings.update(&self.pairs, proposal.duel);
        for (i, j) in [(i, j), (j, i)] {
            self.count(i);
            let crossing = self.crossings.round(i, j);
            if crossing > self.round {
                self.next_crossing = self.next_crossing.min(crossing);
            }
        }
        self.stale = true;
        self.fixed = FixedUntil::default();
    }

    fn cancel(&mut self, _: &Problem, proposal: &Proposal) {
        if proposal.duel.0 != proposal.duel.1 {
            self.asked.take_back(proposal.duel);
            self.fixed = FixedUntil::default();
        }
    }

    fixed_until!();

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
