//! What the naive versions of the peers' policies share, and the simplest of them.

use borduel::{Duel, Stream};
use rand_distr::{Beta, Distribution};

/// A policy as its paper lists it: asked in round t, told at once.
pub trait Peer {
    fn ask(&mut self, t: f64, s: &mut Stream) -> Duel;
    fn tell(&mut self, duel: Duel, reward: f64);
}

/// Wins per pair, as rows.
pub struct Counts {
    pub k: usize,
    pub w: Vec<Vec<f64>>,
}

impl Counts {
    pub fn new(k: usize) -> Self {
        Self { k, w: vec![vec![0.0; k]; k] }
    }

    pub fn n(&self, i: usize, j: usize) -> f64 {
        self.w[i][j] + self.w[j][i]
    }

    pub fn mean(&self, i: usize, j: usize) -> f64 {
        if i == j || self.n(i, j) == 0.0 { 0.5 } else { self.w[i][j] / self.n(i, j) }
    }

    /// μ̂ + √(α log t/n); ½ of an item against itself, 2 without answers.
    pub fn upper(&self, i: usize, j: usize, alpha: f64, t: f64) -> f64 {
        if i == j {
            return 0.5;
        }
        let n = self.n(i, j);
        if n == 0.0 { 2.0 } else { self.mean(i, j) + (alpha * t.ln() / n).sqrt() }
    }

    pub fn add(&mut self, Duel(i, j): Duel, reward: f64) {
        if i != j {
            self.w[i][j] += reward;
            self.w[j][i] += 1.0 - reward;
        }
    }
}

/// One of these; a number is drawn only where there are several.
pub fn pick(items: &[usize], s: &mut Stream) -> usize {
    if items.len() == 1 { items[0] } else { items[s.below(items.len())] }
}

/// Versatile-DB: weights by bisection.
pub struct Versatile {
    losses: [Vec<f64>; 2],
    shared: bool,
    rv: bool,
    weights: [Vec<f64>; 2],
    eta: f64,
}

impl Versatile {
    pub fn new(k: usize, shared: bool, rv: bool) -> Self {
        let zero = || [vec![0.0; k], vec![0.0; k]];
        Self { losses: zero(), shared, rv, weights: zero(), eta: 0.0 }
    }

    pub fn weights(losses: &[f64], eta: f64) -> Vec<f64> {
        let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
        let weight = |l: &f64, x: f64| 4.0 / (eta * (l - x)).powi(2);
        let (mut low, mut high) = (least - 2.0 * (losses.len() as f64).sqrt() / eta, least - 2.0 / eta);
        for _ in 0..100 {
            let x = 0.5 * (low + high);
            if losses.iter().map(|l| weight(l, x)).sum::<f64>() > 1.0 { high = x } else { low = x }
        }
        losses.iter().map(|l| weight(l, 0.5 * (low + high))).collect()
    }
}

impl Peer for Versatile {
    fn ask(&mut self, t: f64, s: &mut Stream) -> Duel {
        self.eta = if self.rv { 4.0 } else { 2.0 } / t.sqrt();
        for player in 0..2 {
            let losses = &self.losses[if self.shared { 0 } else { player }];
            self.weights[player] = Self::weights(losses, self.eta);
        }
        Duel(super::draw(&self.weights[0], s), super::draw(&self.weights[1], s))
    }

    fn tell(&mut self, Duel(i, j): Duel, reward: f64) {
        for (player, drawn, loss) in [(0, i, 1.0 - reward), (1, j, reward)] {
            for k in 0..self.losses[0].len() {
                let w = self.weights[player][k];
                let b = if self.rv && w >= self.eta * self.eta { 0.5 } else { 0.0 };
                let estimate = b + if k == drawn { (loss - b) / w } else { 0.0 };
                if self.shared {
                    self.losses[0][k] += 0.5 * estimate;
                } else {
                    self.losses[player][k] += estimate;
                }
            }
        }
    }
}

/// IndSelfSparring.
pub struct SelfSparring {
    wins: Vec<f64>,
    losses: Vec<f64>,
}

impl SelfSparring {
    pub fn new(k: usize) -> Self {
        Self { wins: vec![0.0; k], losses: vec![0.0; k] }
    }
}

impl Peer for SelfSparring {
    fn ask(&mut self, _: f64, s: &mut Stream) -> Duel {
        let mut best = || {
            let theta: Vec<f64> = (0..self.wins.len())
                .map(|k| Beta::new(self.wins[k] + 1.0, self.losses[k] + 1.0).unwrap().sample(s))
                .collect();
            super::argmax(&theta)
        };
        Duel(best(), best())
    }

    fn tell(&mut self, Duel(i, j): Duel, reward: f64) {
        let reward = if i == j { 1.0 } else { reward };
        self.wins[i] += reward;
        self.losses[j] += reward;
        if i != j {
            self.wins[j] += 1.0 - reward;
            self.losses[i] += 1.0 - reward;
        }
    }
}

/// Winner Stays: weak, or strong with β.
pub struct WinnerStays {
    lead: Vec<i64>,
    last: Option<Duel>,
    beta: Option<f64>,
    phase: i32,
    exploit: u64,
}

impl WinnerStays {
    pub fn new(k: usize, beta: Option<f64>) -> Self {
        Self { lead: vec![0; k], last: None, beta, phase: 1, exploit: 0 }
    }

    fn stay(&self, without: Option<usize>, s: &mut Stream) -> usize {
        let all: Vec<usize> = (0..self.lead.len()).filter(|i| Some(*i) != without).collect();
        let most = all.iter().map(|&i| self.lead[i]).max().unwrap();
        let best: Vec<usize> = all.into_iter().filter(|&i| self.lead[i] == most).collect();
        if let Some(Duel(i, j)) = self.last {
            for stays in [i, j] {
                if best.contains(&stays) {
                    return stays;
                }
            }
        }
        pick(&best, s)
    }
}

impl Peer for WinnerStays {
    fn ask(&mut self, _: f64, s: &mut Stream) -> Duel {
        let others = self.lead.len() as f64 - 1.0;
        let most = *self.lead.iter().max().unwrap() as f64;
        if let Some(beta) = self.beta.filter(|_| self.exploit == 0 && most >= others * f64::from(self.phase)) {
            self.exploit = beta.powi(self.phase).floor() as u64;
            self.phase += 1;
        }
        if self.exploit > 0 {
            self.exploit -= 1;
            let leader = super::argmax(&self.lead.iter().map(|lead| *lead as f64).collect::<Vec<_>>());
            return Duel(leader, leader);
        }
        let first = self.stay(None, s);
        let duel = Duel(first, self.stay(Some(first), s));
        self.last = Some(duel);
        duel
    }

    fn tell(&mut self, Duel(i, j): Duel, reward: f64) {
        if i != j {
            let won = if reward == 1.0 { 1 } else { -1 };
            self.lead[i] += won;
            self.lead[j] -= won;
        }
    }
}

/// Active ranking for the best item.
pub struct ActiveRanking {
    n: Vec<f64>,
    w: Vec<f64>,
    active: Vec<usize>,
    sweep: Vec<usize>,
    delta: f64,
}

impl ActiveRanking {
    pub fn new(k: usize, delta: f64) -> Self {
        Self { n: vec![0.0; k], w: vec![0.0; k], active: (0..k).collect(), sweep: (0..k).collect(), delta }
    }
}

impl Peer for ActiveRanking {
    fn ask(&mut self, _: f64, s: &mut Stream) -> Duel {
        let k = self.n.len();
        if self.sweep.is_empty() {
            let log = (k as f64 / self.delta).ln();
            let mean = |i: usize| self.w[i] / self.n[i];
            let radius = |i: usize| {
                let beta = log + 0.75 * log.ln() + 1.5 * (1.0 + (self.n[i] / 2.0).ln()).ln();
                if self.n[i] < 2.0 { f64::INFINITY } else { (beta / (2.0 * self.n[i])).sqrt() }
            };
            let best = self.active.iter().copied().max_by(|&a, &b| mean(a).total_cmp(&mean(b))).unwrap();
            let bar = mean(best) - radius(best);
            self.active = self.active.iter().copied().filter(|&i| mean(i) + radius(i) >= bar).collect();
            self.sweep = self.active.clone();
        }
        if let [only] = self.active[..] {
            return Duel(only, only);
        }
        let i = self.sweep.remove(0);
        let j = s.below(k - 1);
        Duel(i, if j >= i { j + 1 } else { j })
    }

    fn tell(&mut self, Duel(i, j): Duel, reward: f64) {
        if i != j {
            self.n[i] += 1.0;
            self.w[i] += reward;
        }
    }
}
