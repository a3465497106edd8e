//! FTRL and the trackers from their formulas: every weight anew, every step kept.

use super::Phi;
use super::peers::Peer;
use borduel::{Duel, Problem, Stream};
use nalgebra::{DMatrix, DVector};

/// q by bisection or plainly, h and o.
pub fn weights(hybrid: bool, scores: &[f64], beta: f64) -> (Vec<f64>, f64, f64) {
    let lead = super::argmax(scores);
    let part = |x: f64| if x > 0.0 { -x * x.ln() } else { 0.0 };
    let q: Vec<f64> = if hybrid {
        let at = |x: f64| scores.iter().map(|s| 1.0 / (1.0 + ((x - s) / beta).exp())).collect::<Vec<f64>>();
        let (mut low, mut high) = (scores[lead] - 1e3 * beta, scores[lead] + 1e3 * beta);
        for _ in 0..120 {
            let x = 0.5 * (low + high);
            if at(x).iter().sum::<f64>() > 1.0 { low = x } else { high = x }
        }
        at(0.5 * (low + high))
    } else {
        let all: f64 = scores.iter().map(|s| ((s - scores[lead]) / beta).exp()).sum();
        scores.iter().map(|s| ((s - scores[lead]) / beta).exp() / all).collect()
    };
    let h = q.iter().map(|q| part(*q) + if hybrid { part(1.0 - q) } else { 0.0 }).sum();
    let o = (0..q.len()).filter(|i| *i != lead).map(|i| q[i]).sum();
    (q, h, o)
}

/// The leader first, then all others in their order.
fn draw_leader_first(q: &[f64], scores: &[f64], s: &mut Stream) -> usize {
    let lead = super::argmax(scores);
    let mut left = s.uniform() - q[lead];
    if left < 0.0 {
        return lead;
    }
    for i in (0..q.len()).filter(|i| *i != lead) {
        left -= q[i];
        if left < 0.0 {
            return i;
        }
    }
    lead
}

/// What to ask to learn: uniform pairs, or a design.
pub enum Questions {
    Pairs(usize),
    Design { phi: Phi, means: Vec<DVector<f64>>, inverse: DMatrix<f64>, pairs: Vec<Duel>, weights: Vec<f64> },
}

impl Questions {
    pub fn of_features(problem: &Problem) -> Self {
        let features = problem.features();
        let design = borduel::design::g_optimal(features, 0.01).unwrap();
        let mut v = DMatrix::zeros(problem.dim(), problem.dim());
        let (mut pairs, mut weights) = (Vec::new(), Vec::new());
        for (shared, weight) in features.pairs_of(&design.support).into_iter().zip(&design.weights) {
            let phi = DVector::from_vec(features.phi(shared[0]));
            v += *weight * &phi * phi.transpose();
            weights.extend(shared.iter().map(|_| weight / shared.len() as f64));
            pairs.extend(shared);
        }
        let phi = Phi::of(problem);
        let means = (0..phi.k).map(|item| phi.mean(item)).collect();
        Self::Design { phi, means, inverse: v.try_inverse().unwrap(), pairs, weights }
    }

    fn items(&self) -> usize {
        match self {
            Self::Pairs(k) => *k,
            Self::Design { phi, .. } => phi.k,
        }
    }

    fn draw(&self, s: &mut Stream) -> Duel {
        match self {
            Self::Pairs(k) => {
                let (i, j) = (s.below(*k), s.below(k - 1));
                Duel(i, if j >= i { j + 1 } else { j })
            }
            Self::Design { pairs, weights, .. } => pairs[super::draw(weights, s)],
        }
    }

    fn step(&self, Duel(i, j): Duel, signal: f64) -> Vec<f64> {
        let mut step = vec![0.0; self.items()];
        match self {
            Self::Pairs(k) => {
                step[i] += (*k as f64 - 1.0) * signal / 2.0;
                step[j] -= (*k as f64 - 1.0) * signal / 2.0;
            }
            Self::Design { phi, means, inverse, .. } => {
                let theta = inverse * phi.at(i, j) * signal;
                (0..phi.k).for_each(|item| step[item] = means[item].dot(&theta));
            }
        }
        step
    }

    /// ζ and u.
    fn constants(&self) -> (f64, f64) {
        match self {
            Self::Pairs(k) => ((*k as f64 - 1.0) / 4.0, (*k as f64 - 1.0) / 2.0),
            Self::Design { phi, means, inverse, pairs, .. } => {
                let mut zeta = 0.0_f64;
                for (i, k) in (0..phi.k).flat_map(|i| (0..phi.k).map(move |k| (i, k))) {
                    let apart = &means[i] - &means[k];
                    zeta = zeta.max(0.25 * apart.dot(&(inverse * &apart)));
                }
                let spread = |duel: &Duel| {
                    let step = self.step(*duel, 1.0);
                    step.iter().copied().fold(f64::MIN, f64::max) - step.iter().copied().fold(f64::MAX, f64::min)
                };
                (zeta, 0.5 * pairs.iter().map(spread).fold(0.0, f64::max))
            }
        }
    }
}

/// FTRL: block by block with the draws of ours, or with a draw and a new β in every round.
#[expect(clippy::struct_excessive_bools, reason = "which of the rules are played, and the state of a block")]
pub struct Ftrl {
    questions: Questions,
    hybrid: bool,
    pair: bool,
    blocks: bool,
    rho: f64,
    scores: Vec<f64>,
    beta: f64,
    used: f64,
    zeta: f64,
    reach: f64,
    q: Vec<f64>,
    left: u64,
    item: usize,
    explores: bool,
    gamma: f64,
    asked: Option<f64>,
}

impl Ftrl {
    pub fn new(questions: Questions, rho: f64, [hybrid, pair, blocks]: [bool; 3]) -> Self {
        let (zeta, reach) = questions.constants();
        let k = questions.items() as f64;
        let a = ((std::f64::consts::E - 2.0) * zeta * (k - 1.0) / k / 0.5).sqrt();
        let beta = f64::midpoint(a, (a * a + 4.0 * reach).sqrt()).powi(2);
        let scores = vec![0.0; questions.items()];
        Self {
            questions,
            hybrid,
            pair,
            blocks,
            rho,
            scores,
            beta,
            used: 0.0,
            zeta,
            reach,
            q: Vec::new(),
            left: 0,
            item: 0,
            explores: false,
            gamma: 1.0,
            asked: None,
        }
    }

    fn exploit(&self, s: &mut Stream) -> Duel {
        let mut draw = || draw_leader_first(&self.q, &self.scores, s);
        if self.pair { Duel(draw(), draw()) } else { Duel(self.item, self.item) }
    }

    fn explore(&mut self, s: &mut Stream) -> Duel {
        self.explores = false;
        self.asked = Some(self.gamma);
        self.questions.draw(s)
    }
}

impl Peer for Ftrl {
    fn ask(&mut self, _: f64, s: &mut Stream) -> Duel {
        if self.left > 0 {
            self.left -= 1;
            return self.exploit(s);
        }
        if self.explores {
            return self.explore(s);
        }
        // Without blocks nothing lags behind.
        if self.hybrid || !self.blocks || self.beta > 1.02 * self.used {
            self.used = self.beta;
        }
        let (q, h, o) = weights(self.hybrid, &self.scores, self.used);
        self.q = q;
        let z = (std::f64::consts::E - 2.0) * self.zeta * o;
        self.gamma = ((z / (0.5 * self.beta)).sqrt() + self.reach / self.beta).min(1.0);
        let step = self.rho * (z / (self.beta * self.gamma) + 0.5 * self.gamma) / h.max(1e-12);
        let most = if self.blocks { (0.05 * self.beta / step).floor().max(1.0) } else { 1.0 };
        let u = s.uniform();
        let drawn = if self.gamma == 1.0 { 1.0 } else { ((1.0 - u).ln() / (1.0 - self.gamma).ln()).floor() + 1.0 };
        self.explores = drawn <= most;
        let rounds = drawn.min(most);
        self.beta += rounds * step;
        if drawn == 1.0 {
            return self.explore(s);
        }
        self.left = rounds as u64 - 1 - u64::from(self.explores);
        if !self.pair {
            self.item = draw_leader_first(&self.q, &self.scores, s);
        }
        self.exploit(s)
    }

    fn tell(&mut self, duel: Duel, reward: f64) {
        if let Some(gamma) = self.asked.take() {
            for (sum, step) in self.scores.iter_mut().zip(self.questions.step(duel, (reward - 0.5) / gamma)) {
                *sum += step;
            }
        }
    }
}

/// A tracker that keeps every step and every round's γ: block by block with the draws of ours, or with draws of its own
/// in every round.
#[expect(clippy::struct_excessive_bools, reason = "which of the rules are played, and the state of a block")]
pub struct Track {
    questions: Questions,
    horizon: f64,
    replays: bool,
    blocks: bool,
    zeta: f64,
    reach: f64,
    start: usize,
    /// Of every round γ, and its step if it explored.
    rounds: Vec<(f64, Option<Vec<f64>>)>,
    /// First round and level of every bucket, the oldest first; the open one last.
    buckets: Vec<(usize, u32)>,
    leader: usize,
    pub episodes: u32,
    left: u64,
    explores: bool,
    gamma: f64,
    replay: (usize, f64),
    due: bool,
    asked: bool,
}

impl Track {
    pub fn new(questions: Questions, horizon: f64, [replays, blocks]: [bool; 2]) -> Self {
        let (zeta, reach) = questions.constants();
        Self {
            questions,
            horizon,
            replays,
            blocks,
            zeta,
            reach,
            start: 0,
            rounds: Vec::new(),
            buckets: vec![(0, 0)],
            leader: 0,
            episodes: 1,
            left: 0,
            explores: false,
            gamma: 1.0,
            replay: (0, 0.0),
            due: false,
            asked: false,
        }
    }

    /// Σ of steps, V and M from a round on.
    fn since(&self, first: usize) -> (Vec<f64>, f64, f64) {
        let (mut sum, mut variance, mut largest) = (vec![0.0; self.questions.items()], 0.0, 0.0_f64);
        for (gamma, step) in &self.rounds[first..] {
            variance += self.zeta / gamma;
            largest = largest.max(self.reach / gamma);
            if let Some(step) = step {
                (0..sum.len()).for_each(|i| sum[i] += step[i]);
            }
        }
        (sum, variance, largest)
    }

    fn look_back(&mut self) {
        let log = 0.7 * (self.questions.items() as f64 * self.horizon).ln();
        let (mut clearest, mut kept) = (1.0, None);
        for (place, (first, _)) in self.buckets.iter().enumerate().rev() {
            let (w, v, m) = self.since(*first);
            let x = (w[super::argmax(&w)] - w[self.leader]) / ((log * v).sqrt() + log * m / 3.0);
            if x > clearest {
                (clearest, kept) = (x, Some(place));
            }
        }
        if let Some(kept) = kept {
            self.buckets.drain(..kept);
            self.start = self.buckets[0].0;
            self.episodes += 1;
        }
        self.leader = super::argmax(&self.since(self.start).0);
        for level in 0.. {
            let own: Vec<usize> = (0..self.buckets.len()).filter(|b| self.buckets[*b].1 == level).collect();
            if own.len() <= 2 {
                break;
            }
            self.buckets[own[0]].1 += 1;
            self.buckets.remove(own[1]);
        }
        self.buckets.push((self.rounds.len(), 0));
    }
}

impl Peer for Track {
    fn ask(&mut self, _: f64, s: &mut Stream) -> Duel {
        self.rounds.push((self.gamma, None));
        if self.left > 0 {
            self.left -= 1;
            return Duel(self.leader, self.leader);
        }
        if !self.explores {
            let t = self.rounds.len();
            let (n, kappa) = ((t - self.start) as f64, 4.0 * self.zeta);
            let base = (kappa / n).powf(1.0 / 3.0).min(1.0);
            let mut most = if self.blocks { (n / 50.0).floor().max(1.0) } else { 1.0 };
            let (due, mut wait) = (std::mem::take(&mut self.due), f64::INFINITY);
            if self.replays && t > self.replay.0 {
                let lengths: Vec<f64> = (1..64).map(|power| kappa * 2_f64.powi(power)).take_while(|m| *m < n).collect();
                let chances: Vec<f64> = lengths.iter().map(|m| m.powf(-1.0 / 3.0) * n.powf(-2.0 / 3.0)).collect();
                let all: f64 = chances.iter().sum();
                if all > 0.0 {
                    wait = match (self.blocks, due) {
                        (true, true) => 0.0,
                        (false, _) => f64::from(s.uniform() >= all),
                        (true, false) => {
                            let u = s.uniform();
                            if all >= 1.0 { 0.0 } else { ((1.0 - u).ln() / (1.0 - all).ln()).floor() }
                        }
                    };
                    if wait > 0.0 {
                        most = most.min(wait);
                    } else {
                        let m = lengths[super::draw(&chances.iter().map(|c| c / all).collect::<Vec<_>>(), s)];
                        self.replay = (t + m.ceil() as usize - 1, (kappa / m).powf(1.0 / 3.0).min(1.0));
                    }
                }
            }
            self.gamma = base;
            if t <= self.replay.0 {
                self.gamma = base.max(self.replay.1);
                most = most.min((self.replay.0 - t + 1) as f64);
            }
            self.rounds[t - 1].0 = self.gamma;
            let u = s.uniform();
            let drawn = if self.gamma == 1.0 { 1.0 } else { ((1.0 - u).ln() / (1.0 - self.gamma).ln()).floor() + 1.0 };
            self.explores = drawn <= most;
            self.due = drawn.min(most) == wait;
            if drawn > 1.0 {
                self.left = drawn.min(most) as u64 - 1 - u64::from(self.explores);
                return Duel(self.leader, self.leader);
            }
        }
        self.explores = false;
        self.asked = true;
        self.questions.draw(s)
    }

    fn tell(&mut self, duel: Duel, reward: f64) {
        if !std::mem::take(&mut self.asked) {
            return;
        }
        let last = self.rounds.len() - 1;
        self.rounds[last].1 = Some(self.questions.step(duel, (reward - 0.5) / self.gamma));
        let (open, _) = self.buckets[self.buckets.len() - 1];
        let answers = self.rounds[open..].iter().filter(|(_, step)| step.is_some()).count();
        if answers as f64 >= (4.0 * self.zeta).max(16.0) {
            self.look_back();
        } else if self.buckets.len() == 1 {
            self.leader = super::argmax(&self.since(0).0);
        }
    }
}
