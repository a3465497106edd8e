//! MergeDTS (Li, Markov, de Rijke, Zoghi, TOIS 2020) and MergeRUCB (Zoghi, Whiteson, de Rijke, WSDM 2015): small
//! batches of items that eliminate each other and are merged as they shrink. Assumes a Condorcet winner; made for
//! hundreds of items.
//!
//! A random permutation is cut into ⌈K/M⌉ batches, and S = 1. In round t: (i) if Σ|batch| ≤ K/2^S and there are
//! several, batches are shuffled, sorted by size and the smallest joined with the largest if together they hold at
//! most 1.5 M (else the largest stays alone), and so on with the others; if then one has at most M/2, all of that a
//! second time, and no third; S grows by 1; (ii) batch t mod #batches loses every i with u(i,j) < ½ for some j of it,
//! where u(i,j) = μ̂(i,j) + √(α log(t + C)/n(i,j)) (if that were all, one at random stays); (iii) a batch of one joins
//! the next; (iv) one item left in all: committed.
//!
//! `choice = "thompson"`: θ(i,j) ~ Beta(w(i,j)+1, w(j,i)+1) in the batch; c beats the most (θ > ½, which is a coin with
//! the probability of that); then new draws, and d = argmin_{j≠c} θ(j,c), who will be eliminated soonest. `"ucb"`: c
//! uniform, d = argmax_{j≠c} u(j,c). α, C and M unless set are the authors' tuned ones (α = 0.8⁶, C = 4·10⁵, M = 16 or
//! 8), outside of their theorem; with α > ½ and no C the theorem's C = ((4α−1)K²/((2α−1)ε))^{1/(2α−1)} with ε = 0.01 is
//! used.
//!
//! Batches rotate whether answers come or not; eliminations are made of answers. (The authors' code ends a stage at
//! K/2^S + 1 items, rounded down, restarts t at each stage, begins counts at 1, eliminates one at a time, and draws
//! θ(i,j) and θ(j,i) independently. duelpy has S = 0 at the start, and so joins batches before the first question.)
//! Bounds grow between answers, so that only an answer can eliminate: whom, is noted when it comes, and looked at in
//! the batch's next turn.

use crate::duel::{Arm, Duel, Outcome, Proposal};
use crate::policy::shared::batch::Batch;
use crate::policy::shared::bound_crossing::{crossing, factor};
use crate::policy::shared::counts::ArmCounts;
use crate::policy::shared::fixed_until::{FixedUntil, fixed_until};
use crate::policy::shared::ties::Ties;
use crate::policy::{Policy, Resolved, shared::settings};
use crate::problem::Problem;
use crate::stream::Stream;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// How a duel of a batch is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Choice {
    /// Thompson sampling, as MergeDTS has it.
    #[default]
    Thompson,
    /// Upper confidence bounds, as MergeRUCB has it.
    Ucb,
}

/// What can be set.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// How a duel of a batch is chosen.
    pub choice: Choice,
    /// α of the bounds; 0.8⁶ unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alpha: Option<f64>,
    /// C; 4·10⁵ unless α or C is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c: Option<f64>,
    /// M, the items of a batch; 16 (thompson) or 8 (ucb) unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<usize>,
}

/// The largest C.
const MOST_C: f64 = 1e15;

impl Config {
    /// α and C.
    fn bounds(&self, k: usize) -> Result<(f64, f64)> {
        let alpha = settings::positive("alpha", self.alpha.unwrap_or(0.8_f64.powi(6)))?;
        let c = match (self.alpha, self.c) {
            (_, Some(c)) => settings::not_negative("c", c)?,
            (None, None) => 4e5,
            (Some(_), None) if alpha > 0.5 => {
                let k = k as f64;
                ((4.0 * alpha - 1.0) * k * k / ((2.0 * alpha - 1.0) * 0.01)).powf(1.0 / (2.0 * alpha - 1.0))
            }
            (Some(_), None) => {
                return Err(Error::setting(
                    "alpha",
                    alpha,
                    "with alpha up to 1/2 there is no theory for c: set it, too",
                ));
            }
        };
        // Added to a round of at most 2⁶³ it has to leave whole numbers, and beyond every horizon nothing would ever be
        // ruled out.
        if c > MOST_C {
            let what = format!(
                "with this alpha C is {c:.0e}, beyond every horizon, so that nothing would ever be ruled out: set a \
                 larger alpha (1.01 is the theorem's), or c"
            );
            return Err(if self.c.is_some() {
                Error::setting("c", c, "must be at most 1e15")
            } else {
                Error::setting("alpha", alpha, what)
            });
        }
        Ok((alpha, c))
    }

    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        let k = problem.items();
        let (alpha, c) = self.bounds(k)?;
        let size = match (self.batch, self.choice) {
            (Some(size @ (0 | 1)), _) => return Err(Error::setting("batch", size, "must be at least 2 items")),
            (Some(size), _) => size,
            (None, Choice::Thompson) => 16,
            (None, Choice::Ucb) => 8,
        };
        Ok(State {
            stream,
            round: 0,
            choice: self.choice,
            alpha,
            // Rounds are whole numbers; `as` saturates.
            later: c.round() as u64,
            size,
            stage: 1,
            left: k,
            batches: Vec::new(),
            batch_of: Vec::new(),
            counts: ArmCounts::new(k),
            fixed: FixedUntil::default(),
            workspace: Workspace::default(),
        })
    }
}

/// The state: batches with their counts.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    stream: Stream,
    round: u64,
    choice: Choice,
    alpha: f64,
    /// C.
    later: u64,
    /// M.
    size: usize,
    /// S.
    stage: u32,
    /// Σ|batch|.
    left: usize,
    /// None before the first question: they are cut by chance.
    batches: Vec<Batch>,
    /// Which batch an item is in; nobody's business once it is out.
    batch_of: Vec<u32>,
    /// Duels and wins of every item, for its score.
    counts: ArmCounts,
    #[serde(alias = "pause")]
    fixed: FixedUntil,
    #[serde(skip)]
    workspace: Workspace,
}

/// Working space of one question.
#[derive(Debug, Clone, Default)]
struct Workspace {
    ties: Ties,
    wins: Vec<u32>,
}

impl State {
    /// log-like time of the bounds: t + C.
    fn time(&self) -> u64 {
        self.round.saturating_add(self.later)
    }

    /// Cuts a random permutation into batches.
    fn cut(&mut self) {
        let k = self.left;
        let mut items: Vec<Arm> = (0..k).collect();
        for i in (1..k).rev() {
            items.swap(i, self.stream.below(i + 1));
        }
        self.batches = items.chunks(self.size).map(Batch::new).collect();
        self.batch_of = vec![0; k];
        self.renumber();
    }

    /// Notes which batch everybody is in.
    fn renumber(&mut self) {
        for (number, batch) in self.batches.iter().enumerate() {
            for item in batch.items() {
                // At most as many batches as items, which fit.
                self.batch_of[*item] = number as u32;
            }
        }
    }

    /// (i): a stage ends. Small batches are joined with large ones, and if one is still small once more.
    fn end_stage(&mut self) {
        self.join_batches();
        if self.batches.iter().any(|batch| 2 * batch.items().len() <= self.size) {
            self.join_batches();
        }
        self.stage += 1;
        self.renumber();
    }

    /// Joins the smallest batch with the largest where both fit, and so on with the others.
    fn join_batches(&mut self) {
        let n = self.batches.len();
        for i in (1..n).rev() {
            self.batches.swap(i, self.stream.below(i + 1));
        }
        self.batches.sort_by_key(|batch| batch.items().len());
        let mut joined = Vec::with_capacity(n);
        let mut queue: std::collections::VecDeque<Batch> = std::mem::take(&mut self.batches).into();
        while let Some(mut largest) = queue.pop_back() {
            let fits = |smallest: &Batch| 2 * (smallest.items().len() + largest.items().len()) <= 3 * self.size;
            if queue.front().is_some_and(fits)
                && let Some(smallest) = queue.pop_front()
            {
                largest.join(&smallest);
            }
            joined.push(largest);
        }
        self.batches = joined;
    }

    /// The batch whose turn it is, after eliminations and joins; nothing when one item is left.
    fn turn(&mut self) -> Option<usize> {
        if self.batches.is_empty() {
            self.cut();
        }
        loop {
            let enough = self.problem_size() >> self.stage.min(63);
            if self.batches.len() > 1 && self.left <= enough {
                self.end_stage();
            }
            let n = self.batches.len();
            let m = (self.round % n as u64) as usize;
            let time = self.time();
            self.left -= self.batches[m].eliminate(time, &mut self.stream);
            if self.batches[m].items().len() > 1 {
                return Some(m);
            }
            if n == 1 {
                return None;
            }
            let alone = self.batches.remove(m);
            let next = m % self.batches.len();
            self.batches[next].join(&alone);
            self.renumber();
        }
    }

    /// K.
    fn problem_size(&self) -> usize {
        self.batch_of.len()
    }

    /// The duel of a batch.
    fn choose(&mut self, m: usize) -> (Duel, Option<f64>) {
        let (c, d, chance) = match self.choice {
            Choice::Ucb => self.optimistic(m),
            Choice::Thompson => self.drawn(m),
        };
        let batch = &mut self.batches[m];
        batch.ask(c, d);
        (Duel(batch.items()[c], batch.items()[d]), chance)
    }

    /// The places of `"ucb"`, and the probability with which they were drawn.
    fn optimistic(&mut self, m: usize) -> (usize, usize, Option<f64>) {
        let batch = &self.batches[m];
        let (n, ties) = (batch.items().len(), &mut self.workspace.ties);
        let c = self.stream.below(n);
        let factor = factor(self.alpha, self.round.saturating_add(self.later));
        ties.clear();
        (0..n).filter(|j| *j != c).for_each(|j| ties.offer(j, batch.upper(j, c, factor)));
        let d = ties.draw(&mut self.stream);
        (c, d, Some(1.0 / n as f64 / ties.items().len() as f64))
    }

    /// The places of `"thompson"`.
    fn drawn(&mut self, m: usize) -> (usize, usize, Option<f64>) {
        let batch = &mut self.batches[m];
        let n = batch.items().len();
        let Workspace { ties, wins } = &mut self.workspace;
        wins.clear();
        wins.resize(n, 0);
        batch.toss(wins, &mut self.stream);
        let most = wins.iter().copied().max();
        ties.clear();
        wins.iter().enumerate().filter(|(_, wins)| Some(**wins) == most).for_each(|(place, _)| ties.offer(place, 0.0));
        let c = ties.draw(&mut self.stream);
        let d = batch.draw_least(c, &mut self.stream);
        (c, d, None)
    }
}

impl Policy for State {
    fn ask(&mut self, _: &Problem) -> Proposal {
        self.round += 1;
        if let Some(question) = self.fixed.question(self.round) {
            return question;
        }
        let Some(m) = self.turn() else {
            let last = self.batches[0].items()[0];
            self.fixed = FixedUntil::for_good(last);
            return Proposal::new(self.round, Duel(last, last), 1.0);
        };
        let (duel, chance) = self.choose(m);
        Proposal::new(self.round, duel, chance)
    }

    fn tell(&mut self, _: &Problem, proposal: &Proposal, outcome: Outcome) {
        let (Duel(i, j), reward) = (proposal.duel, outcome.reward());
        if i == j {
            return;
        }
        self.counts.add(i, reward);
        self.counts.add(j, 1.0 - reward);
        let time = self.time();
        let Some(batch) = self.batches.get_mut(self.batch_of[i] as usize) else {
            return;
        };
        // Whoever is out is not found there, and a late answer about it is about nothing any more.
        if let (Some(a), Some(b)) = (batch.place(i), batch.place(j)) {
            batch.tell(a, b, reward);
            let n = batch.answers(a, b);
            for (loser, winner) in [(a, b), (b, a)] {
                let reaches = crossing(n, batch.mean(loser, winner), self.alpha);
                if reaches > time {
                    batch.suspect(loser, winner, reaches);
                }
            }
        }
    }

    fn cancel(&mut self, _: &Problem, proposal: &Proposal) {
        let Duel(i, j) = proposal.duel;
        if let Some(batch) = self.batch_of.get(i).and_then(|m| self.batches.get_mut(*m as usize))
            && let (Some(a), Some(b)) = (batch.place(i), batch.place(j))
            && a != b
        {
            batch.take_back(a, b);
        }
    }

    fixed_until!();

    /// The share of its duels that an item has won: a scale of its own, since opponents were no random items.
    fn scores(&self, _: &Problem, out: &mut [f64]) {
        self.counts.write_means(out);
    }

    fn settings(&self) -> Vec<Resolved> {
        vec![
            Resolved::new("choice", if self.choice == Choice::Ucb { "ucb" } else { "thompson" }),
            Resolved::new("alpha", self.alpha),
            Resolved::new("c", self.later),
            Resolved::new("batch", self.size as u64),
        ]
    }

    /// The last one, or of those left who beats the largest share of its batch; of several who has won the most of its
    /// duels.
    fn estimate(&self, _: &Problem) -> Arm {
        let mut best = (0, (-1.0, 0.0));
        for batch in &self.batches {
            for (place, &item) in batch.items().iter().enumerate() {
                let rank = (batch.beaten(place), self.counts.mean(item));
                if rank > best.1 {
                    best = (item, rank);
                }
            }
        }
        best.0
    }
}

#[cfg(test)]
mod tests;
