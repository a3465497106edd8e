//! Naive versions of the policies that compare pair by pair: every bound, draw and divergence anew in every round.

use super::peers::{Counts, Peer, pick};
use borduel::{Duel, Stream};
use rand_distr::{Beta, Distribution};

/// RUCB as published.
pub struct Rucb {
    counts: Counts,
    favourite: Option<usize>,
}

impl Rucb {
    pub fn new(k: usize) -> Self {
        Self { counts: Counts::new(k), favourite: None }
    }
}

impl Peer for Rucb {
    fn ask(&mut self, t: f64, s: &mut Stream) -> Duel {
        let (k, u) = (self.counts.k, |i, j| self.counts.upper(i, j, 0.51, t));
        let candidates: Vec<usize> = (0..k).filter(|&i| (0..k).all(|j| u(i, j) >= 0.5)).collect();
        let favourite = self.favourite.filter(|b| candidates.contains(b));
        let (champion, favourite) = match (&candidates[..], favourite) {
            ([], b) => (s.below(k), b),
            ([only], _) => (*only, Some(*only)),
            (_, Some(b)) if s.uniform() < 0.5 => (b, Some(b)),
            (all, b) => {
                let others: Vec<usize> = all.iter().copied().filter(|i| Some(*i) != b).collect();
                (others[s.below(others.len())], b)
            }
        };
        let bounds: Vec<f64> = (0..k).map(|j| u(j, champion)).collect();
        let best = bounds.iter().copied().fold(0.0, f64::max);
        let others: Vec<usize> = (0..k).filter(|&j| j != champion && bounds[j] == best).collect();
        let opponent = if others.is_empty() { champion } else { pick(&others, s) };
        self.favourite = favourite;
        Duel(champion, opponent)
    }

    fn tell(&mut self, duel: Duel, reward: f64) {
        self.counts.add(duel, reward);
    }
}

/// D-TS and D-TS+: all Betas, twice.
pub struct Dts {
    counts: Counts,
    plus: bool,
}

impl Dts {
    pub fn new(k: usize, plus: bool) -> Self {
        Self { counts: Counts::new(k), plus }
    }

    fn theta(&self, i: usize, j: usize, s: &mut Stream) -> f64 {
        Beta::new(self.counts.w[i][j] + 1.0, self.counts.w[j][i] + 1.0).unwrap().sample(s)
    }
}

impl Peer for Dts {
    fn ask(&mut self, t: f64, s: &mut Stream) -> Duel {
        let k = self.counts.k;
        let mut theta = vec![vec![0.5; k]; k];
        for i in 0..k {
            for j in i + 1..k {
                theta[i][j] = self.theta(i, j, s);
                theta[j][i] = 1.0 - theta[i][j];
            }
        }
        let beaten: Vec<usize> = (0..k).map(|i| (0..k).filter(|&j| theta[i][j] > 0.5).count()).collect();
        let u = |i, j| self.counts.upper(i, j, 0.51, t);
        let zeta: Vec<usize> = (0..k).map(|i| (0..k).filter(|&j| j != i && u(i, j) > 0.5).count()).collect();
        let candidates: Vec<usize> = (0..k).filter(|&i| zeta[i] == *zeta.iter().max().unwrap()).collect();
        let most = candidates.iter().map(|&i| beaten[i]).max().unwrap();
        let mut tied: Vec<usize> = candidates.into_iter().filter(|&i| beaten[i] == most).collect();
        if self.plus {
            let top = *beaten.iter().max().unwrap() as f64;
            let part = |x: f64| if x > 0.0 { x * (2.0 * x).ln() } else { 0.0 };
            let d = |p: f64| part(p) + part(1.0 - p);
            let regret = |i: usize| -> f64 {
                let others = (0..k).filter(|&j| j != i);
                others.map(|j| (top - 0.5 * (beaten[i] + beaten[j]) as f64) / d(theta[i][j])).sum()
            };
            let least = tied.iter().map(|&i| regret(i)).fold(f64::INFINITY, f64::min);
            tied.retain(|&i| regret(i) == least);
        }
        let a = pick(&tied, s);
        let mut best = (a, 0.5);
        for j in (0..k).filter(|&j| j != a) {
            let drawn = self.theta(j, a, s);
            if 1.0 - self.counts.upper(a, j, 0.51, t) <= 0.5 && drawn > best.1 {
                best = (j, drawn);
            }
        }
        Duel(a, best.0)
    }

    fn tell(&mut self, duel: Duel, reward: f64) {
        self.counts.add(duel, reward);
    }
}

/// RMED1, RMED2 (α = 3) and RMED2FH for this horizon.
pub struct Rmed {
    counts: Counts,
    variant: u8,
    horizon: f64,
    start: Vec<Duel>,
    current: Vec<usize>,
    remaining: Vec<usize>,
    next: Vec<usize>,
    fixed: Option<Vec<usize>>,
    last: Option<usize>,
    /// Whether a pass has begun.
    begun: bool,
}

impl Rmed {
    /// `variant` 1, 2, or 3 for the fixed horizon.
    pub fn new(k: usize, variant: u8, horizon: f64) -> Self {
        let times = if variant == 3 { (3.0 * horizon.ln().ln()).ceil().max(1.0) as usize } else { 1 };
        let pairs = (0..k).flat_map(|i| (i + 1..k).map(move |j| Duel(i, j)));
        let mut start: Vec<Duel> = pairs.flat_map(|duel| vec![duel; times]).collect();
        start.reverse();
        let all: Vec<usize> = (0..k).collect();
        let (current, remaining) = (all.clone(), all);
        let counts = Counts::new(k);
        Self {
            counts,
            variant,
            horizon,
            start,
            current,
            remaining,
            next: vec![],
            fixed: None,
            last: None,
            begun: false,
        }
    }

    fn d(p: f64) -> f64 {
        let part = |x: f64| if x > 0.0 { x * (2.0 * x).ln() } else { 0.0 };
        part(p) + part(1.0 - p)
    }

    fn divergence(&self, i: usize) -> f64 {
        let losing = (0..self.counts.k).filter(|&j| j != i && self.counts.mean(i, j) <= 0.5);
        losing.map(|j| self.counts.n(i, j) * Self::d(self.counts.mean(i, j))).sum()
    }

    fn likeliest(&self, s: &mut Stream) -> usize {
        let sums: Vec<f64> = (0..self.counts.k).map(|i| self.divergence(i)).collect();
        let least = sums.iter().copied().fold(f64::INFINITY, f64::min);
        pick(&(0..self.counts.k).filter(|&i| sums[i] <= least + 1e-9).collect::<Vec<_>>(), s)
    }

    fn cheapest(&self, l: usize, star: usize, s: &mut Stream) -> usize {
        let m = |i, j| self.counts.mean(i, j);
        let cost = |j: usize| (m(star, l) + m(star, j) - 1.0).max(0.01) / Self::d(m(l, j));
        let losing: Vec<usize> = (0..self.counts.k).filter(|&j| j != l && m(l, j) < 0.5).collect();
        let least = losing.iter().map(|&j| cost(j)).fold(f64::INFINITY, f64::min);
        let cheapest: Vec<usize> = losing.into_iter().filter(|&j| cost(j) == least).collect();
        if cheapest.is_empty() { star } else { pick(&cheapest, s) }
    }

    fn plain(&self, l: usize, star: usize, s: &mut Stream) -> usize {
        let others: Vec<usize> = (0..self.counts.k).filter(|&j| j != l).collect();
        let loses: Vec<usize> = others.iter().copied().filter(|&j| self.counts.mean(l, j) <= 0.5).collect();
        if loses.is_empty() || loses.contains(&star) {
            return star;
        }
        let least = others.iter().map(|&j| self.counts.mean(l, j)).fold(1.0, f64::min);
        pick(&others.into_iter().filter(|&j| self.counts.mean(l, j) == least).collect::<Vec<_>>(), s)
    }
}

impl Peer for Rmed {
    fn ask(&mut self, t: f64, s: &mut Stream) -> Duel {
        let k = self.counts.k;
        if let Some(l) = self.last.take() {
            self.remaining.retain(|i| *i != l);
            let least = (0..k).map(|i| self.divergence(i)).fold(f64::INFINITY, f64::min);
            for j in 0..k {
                let holds = self.divergence(j) - least <= (t - 1.0).ln() + 0.3 * (k as f64).powf(1.01);
                if !self.remaining.contains(&j) && !self.next.contains(&j) && holds {
                    self.next.push(j);
                }
            }
            self.current.retain(|i| *i != l);
            if self.current.is_empty() {
                self.next.sort_unstable();
                self.current = std::mem::take(&mut self.next);
                self.remaining = self.current.clone();
                self.begun = false;
            }
        }
        if let Some(duel) = self.start.pop() {
            return duel;
        }
        if self.variant == 2 && !self.begun {
            let pairs = (0..k).flat_map(|i| (i + 1..k).map(move |j| Duel(i, j)));
            let seldom = pairs.into_iter().find(|Duel(i, j)| self.counts.n(*i, *j) < 3.0 * t.ln().ln());
            if let Some(duel) = seldom {
                return duel;
            }
        }
        if self.variant == 3 && self.fixed.is_none() {
            let star = self.likeliest(s);
            self.fixed = Some((0..k).map(|l| self.cheapest(l, star, s)).collect());
        }
        let l = self.current[0];
        (self.last, self.begun) = (Some(l), true);
        let star = self.likeliest(s);
        if self.variant == 1 {
            return Duel(l, self.plain(l, star, s));
        }
        let b = self.fixed.as_ref().map_or_else(|| self.cheapest(l, star, s), |fixed| fixed[l]);
        let scale = if self.variant == 3 { self.horizon.ln().ln() } else { t.ln().ln() };
        let enough = self.counts.n(l, star) >= self.counts.n(l, b) / scale;
        let m = if b != l && self.counts.mean(l, b) <= 0.5 && enough { b } else { self.plain(l, star, s) };
        Duel(l, m)
    }

    fn tell(&mut self, duel: Duel, reward: f64) {
        self.counts.add(duel, reward);
    }
}

/// CCB as listed.
pub struct Ccb {
    counts: Counts,
    possible: Vec<bool>,
    victors: Vec<Vec<usize>>,
    losses: usize,
}

impl Ccb {
    pub fn new(k: usize) -> Self {
        Self { counts: Counts::new(k), possible: vec![true; k], victors: vec![vec![]; k], losses: k }
    }

    fn reset(&mut self) {
        let k = self.counts.k;
        (self.possible, self.victors, self.losses) = (vec![true; k], vec![vec![]; k], k);
    }
}

impl Peer for Ccb {
    fn ask(&mut self, t: f64, s: &mut Stream) -> Duel {
        let k = self.counts.k;
        let upper: Vec<Vec<f64>> = (0..k).map(|i| (0..k).map(|j| self.counts.upper(i, j, 0.51, t)).collect()).collect();
        let (u, l) = (|i: usize, j: usize| upper[i][j], |i: usize, j: usize| 1.0 - upper[j][i]);
        let up: Vec<usize> = (0..k).map(|i| (0..k).filter(|&j| j != i && u(i, j) >= 0.5).count()).collect();
        let lo: Vec<usize> = (0..k).map(|i| (0..k).filter(|&j| j != i && l(i, j) >= 0.5).count()).collect();
        let candidates: Vec<usize> = (0..k).filter(|&i| up[i] == *up.iter().max().unwrap()).collect();
        if (0..k).any(|i| self.victors[i].iter().any(|&j| l(i, j) > 0.5)) {
            self.reset();
        }
        for i in 0..k {
            if self.possible[i] && up[i] < *lo.iter().max().unwrap() {
                self.possible[i] = false;
                if self.victors[i].len() != self.losses + 1 {
                    self.victors[i] = (0..k).filter(|&j| j != i && u(i, j) < 0.5).collect();
                }
            }
        }
        if self.possible.iter().all(|possible| !possible) {
            self.reset();
        }
        for &i in candidates.iter().filter(|&&i| up[i] == lo[i]) {
            self.possible[i] = true;
            self.victors[i].clear();
            self.losses = k - 1 - up[i];
            for j in (0..k).filter(|&j| j != i) {
                if self.victors[j].len() < self.losses + 1 {
                    self.victors[j].clear();
                }
                while self.victors[j].len() > self.losses + 1 {
                    let out = s.below(self.victors[j].len());
                    self.victors[j].remove(out);
                }
            }
        }
        let pairs = (0..k).flat_map(|i| self.victors[i].iter().map(move |&j| (i, j)));
        let open: Vec<(usize, usize)> = pairs.filter(|&(i, j)| l(i, j) <= 0.5 && u(i, j) >= 0.5).collect();
        if s.uniform() < 0.25 && !open.is_empty() {
            let (i, j) = open[s.below(open.len())];
            return Duel(i, j);
        }
        let both: Vec<usize> = candidates.iter().copied().filter(|&i| self.possible[i]).collect();
        let from = if !both.is_empty() && s.uniform() < 2.0 / 3.0 { both } else { candidates };
        let c = from[s.below(from.len())];
        let short: Vec<usize> = self.victors[c].iter().copied().filter(|&j| l(j, c) <= 0.5).collect();
        let all: Vec<usize> = (0..k).filter(|&j| l(j, c) <= 0.5).collect();
        let opponents = if s.uniform() < 0.5 && !short.is_empty() { short } else { all };
        let best = opponents.iter().map(|&j| u(j, c)).fold(0.0, f64::max);
        let mut tied: Vec<usize> = opponents.into_iter().filter(|&j| u(j, c) == best).collect();
        if tied.len() > 1 {
            tied.retain(|&j| j != c);
        }
        Duel(c, pick(&tied, s))
    }

    fn tell(&mut self, duel: Duel, reward: f64) {
        self.counts.add(duel, reward);
    }
}
