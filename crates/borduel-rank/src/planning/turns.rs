//! No pair more than twice running: n questions on one need ⌈n/2⌉ − 1 on others to stand between them, and a choice
//! must leave these to be bought.

use super::field::Candidate;

/// What rounding may add to the sum of costs.
pub(super) const CENT: f64 = 1e-9;

/// The most questions on one pair running, wherever more than one pair can be asked.
pub(super) const RUNNING: usize = 2;

/// The most questions on one pair that so many on others can part.
pub(super) fn most_beside(others: usize) -> usize {
    RUNNING * (others + 1)
}

/// What was chosen so far, among candidates.
pub(super) struct Turns {
    /// Those that may be asked, the cheapest first.
    cheapest: Vec<usize>,
    chosen: Vec<usize>,
    total: usize,
    /// Where the one that was chosen most often is.
    most: usize,
}

impl Turns {
    /// Before the first choice among these candidates, of each of which there is room for so many questions.
    pub(super) fn new(candidates: &[Candidate], budget: f64, room: impl Fn(&Candidate) -> usize) -> Self {
        let may = |c: &Candidate| !c.barred && room(c) > 0 && c.cost <= budget + CENT;
        let mut cheapest: Vec<usize> = (0..candidates.len()).filter(|&at| may(&candidates[at])).collect();
        cheapest.sort_by(|&a, &b| candidates[a].cost.total_cmp(&candidates[b].cost));
        Self { cheapest, chosen: vec![0; candidates.len()], total: 0, most: 0 }
    }

    /// Whether, after so many questions on a candidate, what is left of the budget still buys all that the pair which
    /// is then asked most often needs between its questions. Where only one can be asked, nothing is needed.
    pub(super) fn allow(
        &self,
        candidates: &[Candidate],
        (at, times): (usize, usize),
        left: f64,
        room: impl Fn(&Candidate) -> usize,
    ) -> bool {
        let own = self.chosen[at] + times;
        let most = if own >= self.chosen[self.most] { at } else { self.most };
        let n = if most == at { own } else { self.chosen[most] };
        let mut missing = (n.div_ceil(RUNNING) - 1).saturating_sub(self.total + times - n);
        let mut left = left - candidates[at].cost * times as f64;
        if missing == 0 || self.cheapest.len() < 2 {
            return true;
        }
        for &other in self.cheapest.iter().filter(|&&other| other != most) {
            let candidate = &candidates[other];
            if candidate.cost > left + CENT {
                return false;
            }
            let room = room(candidate).saturating_sub(if other == at { times } else { 0 });
            let bought = room.min(((left + CENT) / candidate.cost) as usize);
            if bought >= missing {
                return true;
            }
            missing -= bought;
            left -= candidate.cost * bought as f64;
        }
        false
    }

    /// Takes so many questions on a candidate as chosen.
    pub(super) fn take(&mut self, at: usize, times: usize) {
        self.chosen[at] += times;
        self.total += times;
        if self.chosen[at] > self.chosen[self.most] {
            self.most = at;
        }
    }
}
