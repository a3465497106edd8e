//! The judge first, people where it matters: see [`pairs_first`].

use super::{Phase, State};
use crate::duel::Arm;
use crate::judging::Prices;
use crate::problem::Problem;
use crate::sequential::pairs_first;

impl State {
    /// The pairs i < j about which a cheap judge is to be asked now, in all contexts of the problem, before people go
    /// on: those of the votes, the open questions and the plan where that pays. Items that cannot be shown in every
    /// context, and what [`Problem::judge`] has answered already, are left out; without contexts, or once all is
    /// decided, there are none. Whoever has the answers goes on with [`Problem::with_judge`].
    pub fn for_judge(&self, problem: &Problem, prices: Prices) -> Vec<(Arm, Arm)> {
        let Some(contexts) = problem.contexts().filter(|_| self.phase == Phase::Asking) else { return Vec::new() };
        let coming = self.open.iter().chain(&self.queue).copied();
        let everywhere = |item: Arm| contexts.offered(item) == contexts.len();
        let mut pairs = pairs_first(prices, contexts.len(), &self.votes, coming, problem.judge());
        pairs.retain(|&(i, j)| everywhere(i) && everywhere(j));
        pairs
    }
}
