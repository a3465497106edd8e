//! A look at the answers, an interim analysis: who leads, what to ask next, and whether to ask at all.

use super::belief::{Belief, Weights};
use super::model_free::ModelFree;
use super::perfect_information::{AHEAD, DRAWS, PerfectInformation};
use super::preposterior::Preposterior;
use super::value::{Doubt, Gain};
use super::{AUDITS, Phase, State, Stop, evidence, misfit, misspecified, transductive};
use crate::problem::Problem;
use crate::sequential::Trust;

/// κ = exp(CAUTION + COURAGE δ): see the head of `betc_glm_adaptive`.
pub(super) const CAUTION: f64 = 0.1;
pub(super) const COURAGE: f64 = 1.4;

impl State {
    #[cold]
    #[inline(never)]
    pub(super) fn look(&mut self, problem: &Problem) {
        self.next_look = self.answered + (self.answered / 10).max(1);
        self.limit = u64::MAX;
        if self.horizon.is_none() {
            self.budget = self.allowed(problem);
        }
        let mut explore = false;
        if self.fits {
            let belief = self.belief(problem);
            let strays = || misspecified::strays(self.config.trust, &belief.scores, &self.counts);
            let refuted = || strays() || misfit::misfits(problem, &belief, &self.tally, &self.counts);
            if self.config.trust != Trust::Model && refuted() {
                self.fits = false;
                self.budget = self.allowed(problem);
            } else {
                explore = self.look_at_model(problem, &belief);
                self.theta = Some(belief.theta);
            }
        }
        if !self.fits {
            explore = self.look_at_counts(problem);
        }
        self.waited = 0;
        self.phase = match explore && self.spent < self.budget {
            true => Phase::Exploring,
            false if self.open == 0 && self.horizon.is_some() => Phase::Committed,
            false => Phase::Resting,
        };
    }

    pub(super) fn belief(&self, problem: &Problem) -> Belief {
        let weights = if self.config.stop == Stop::Evidence { Weights::Paper } else { Weights::Likelihood };
        Belief::new(problem, &self.design, &self.tally, self.theta.as_deref(), weights)
    }

    /// The scores that decide.
    pub(super) fn current_scores(&self, problem: &Problem) -> Vec<f64> {
        if self.fits { self.belief(problem).scores } else { ModelFree::new(&self.counts, problem.items()).scores }
    }

    /// Plans by the model; whether to go on.
    fn look_at_model(&mut self, problem: &Problem, belief: &Belief) -> bool {
        self.favourite = belief.leader;
        let known = PerfectInformation::new(self, &Preposterior::now(belief).doubt(f64::INFINITY));
        let rounds = (self.answered as f64).max(AHEAD);
        let plan = transductive::design(problem, belief, &self.design, rounds, 2.0 * known.gain, &mut self.stream);
        let cost = (1.0 - AUDITS) * plan.cost + AUDITS * 2.0 * belief.mean_gap();
        let explore = match self.config.stop {
            Stop::Value => {
                let preposterior = Preposterior::new(belief, &(&plan.information * (1.0 - AUDITS)));
                self.pays(|questions| preposterior.doubt(questions), &known, cost)
            }
            Stop::Evidence => {
                let questions = self.questions_of_paper(problem);
                let wanted = evidence::guarantee(problem, belief, self.epsilon(problem), self.delta(), questions);
                evidence::shortfall(problem, belief, &self.design, &self.tally, self.delta()) > wanted
            }
        };
        self.price = cost;
        self.questions.adopt(plan.duels, plan.weights, AUDITS);
        explore || self.check(belief)
    }

    /// Plans by the counts; whether to go on.
    fn look_at_counts(&mut self, problem: &Problem) -> bool {
        let counted = ModelFree::new(&self.counts, problem.items());
        self.favourite = counted.leader;
        let known = PerfectInformation::new(self, &counted.doubt(None));
        let shares = counted.design((self.answered as f64).max(AHEAD), 2.0 * known.gain);
        let cost = (1.0 - AUDITS) * shares.cost + AUDITS * 2.0 * counted.mean_gap();
        let explore = match self.config.stop {
            Stop::Value => {
                let doubt = |questions: f64| counted.doubt(Some((&shares, (1.0 - AUDITS) * questions)));
                self.pays(doubt, &known, cost)
            }
            Stop::Evidence => {
                let wanted = evidence::guarantee_of_counts(problem.items(), self.per_item(problem), self.delta());
                evidence::shortfall_of_counts(&counted, &self.counts, self.delta()) > wanted
            }
        };
        self.price = cost;
        self.questions.adopt_items(shares, AUDITS);
        explore
    }

    /// Whether some number of further questions is worth what it costs. What open questions will teach is paid for
    /// already.
    pub(super) fn pays<D: Doubt>(&mut self, doubt: impl Fn(f64) -> D, known: &PerfectInformation, cost: f64) -> bool {
        let left = self.length().saturating_sub(self.round) as f64;
        let room = self.room(cost);
        let kappa = (CAUTION + COURAGE * known.depth).exp();
        let open = self.open as f64;
        let mut coming = 0.0;
        if open > 0.0 {
            let doubt = doubt(open);
            coming = Gain::new(&doubt).estimate(&doubt, DRAWS, &mut self.stream);
        }
        let mut more = (0.1 * self.answered as f64).max(1.0);
        while more < 2.0 * room {
            let questions = more.min(room);
            let price = coming + questions * cost / (2.0 * (left - questions).max(0.0) * kappa);
            let doubt = doubt(open + questions);
            let gain = Gain::new(&doubt);
            let worth =
                gain.least() > price || (gain.most() > price && gain.estimate(&doubt, DRAWS, &mut self.stream) > price);
            if worth {
                self.ration(known, cost);
                return true;
            }
            more *= 2.0;
        }
        false
    }

    /// How many questions of this price the budget has room for, and the horizon.
    pub(super) fn room(&self, cost: f64) -> f64 {
        let left = self.length().saturating_sub(self.round) as f64;
        ((self.budget - self.spent) / cost.max(f64::MIN_POSITIVE)).clamp(0.0, left)
    }

    /// Where answers come late, no more is asked ahead of them than is lost by waiting for them with a leader in doubt,
    /// and at least what a look waits for: questions beyond that could rest on what the open ones will teach.
    fn ration(&mut self, known: &PerfectInformation, cost: f64) {
        if self.slowest > 0 {
            let waiting = 2.0 * known.gain * self.slowest as f64;
            let questions = (waiting / cost).max(0.1 * self.answered as f64).max(1.0);
            self.limit = self.explored.saturating_add(questions as u64);
        }
    }
}
