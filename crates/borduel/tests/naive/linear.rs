//! Naive versions of the policies with item features: all questions kept, every matrix inverted and every fit made anew
//! in every round.

use borduel::{Duel, Link, Problem, Stream};
use nalgebra::{DMatrix, DVector};

/// A question, and what became of it.
#[derive(Clone)]
pub struct Question {
    pub duel: Duel,
    /// How often its answer counts.
    pub weight: f64,
    /// To which layer it belongs (VACDB).
    pub layer: i32,
    pub reward: Option<f64>,
    pub lost: bool,
    /// All items as they were.
    pub x: Vec<DVector<f64>>,
}

impl Question {
    pub fn plain(duel: Duel) -> Self {
        Self { duel, weight: 1.0, layer: 0, reward: None, lost: false, x: Vec::new() }
    }

    fn z(&self) -> DVector<f64> {
        &self.x[self.duel.0] - &self.x[self.duel.1]
    }
}

/// Items as they are now, and all questions so far.
pub struct History {
    pub x: Vec<DVector<f64>>,
    pub link: Link,
    pub horizon: f64,
    pub questions: Vec<Question>,
}

impl History {
    pub fn new(problem: &Problem, horizon: f64) -> Self {
        let mut new = Self { x: Vec::new(), link: problem.link(), horizon, questions: Vec::new() };
        new.meet(problem);
        new
    }

    /// The items of the next question.
    pub fn meet(&mut self, problem: &Problem) {
        // x up to a common shift, which no rule depends on: the differences to the first item.
        self.x = (0..problem.items()).map(|i| DVector::from_vec(problem.features().phi(Duel(i, 0)))).collect();
    }

    pub fn push(&mut self, question: Question) {
        let mut question = question;
        question.x.clone_from(&self.x);
        self.questions.push(question);
    }

    fn k(&self) -> usize {
        self.x.len()
    }

    fn d(&self) -> usize {
        self.x[0].len()
    }

    /// √(d log T).
    fn width(&self) -> f64 {
        (self.d() as f64 * self.horizon.ln()).sqrt()
    }

    fn z(&self, Duel(i, j): Duel) -> DVector<f64> {
        &self.x[i] - &self.x[j]
    }

    /// λI + Σ g zzᵀ over the questions that are wanted.
    fn matrix(&self, ridge: f64, wanted: impl Fn(&Question) -> bool) -> DMatrix<f64> {
        let mut sum = DMatrix::identity(self.d(), self.d()) * ridge;
        for question in self.questions.iter().filter(|q| wanted(q)) {
            let z = question.z();
            sum += question.weight * &z * z.transpose();
        }
        sum
    }

    fn inverse(&self, ridge: f64, wanted: impl Fn(&Question) -> bool) -> DMatrix<f64> {
        self.matrix(ridge, wanted).try_inverse().unwrap()
    }

    /// argmin Σ g (m(⟨z,θ⟩) − r⟨z,θ⟩) + (λ/2)‖θ‖² over the answers that are wanted, by Newton from 0 with halved steps.
    pub fn fit(&self, ridge: f64, wanted: impl Fn(&Question) -> bool) -> DVector<f64> {
        let answers: Vec<(DVector<f64>, f64, f64)> =
            self.questions.iter().filter(|q| wanted(q)).filter_map(|q| Some((q.z(), q.reward?, q.weight))).collect();
        let loss = |theta: &DVector<f64>| {
            let one = |(z, r, g): &(DVector<f64>, f64, f64)| g * (self.link.m(z.dot(theta)) - r * z.dot(theta));
            answers.iter().map(one).sum::<f64>() + 0.5 * ridge * theta.norm_squared()
        };
        let mut theta = DVector::zeros(self.d());
        for _ in 0..200 {
            let (mut gradient, mut hessian) = (ridge * &theta, DMatrix::identity(self.d(), self.d()) * ridge);
            for (z, r, g) in &answers {
                gradient += *g * (self.link.mu(z.dot(&theta)) - r) * z;
                hessian += *g * self.link.mu_prime(z.dot(&theta)) * z * z.transpose();
            }
            if gradient.amax() < 1e-13 * (1.0 + answers.len() as f64) {
                break;
            }
            let step = hessian.try_inverse().unwrap() * gradient;
            let (now, mut share) = (loss(&theta), 1.0);
            while loss(&(&theta - share * &step)) > now && share > 1e-9 {
                share *= 0.5;
            }
            theta -= share * step;
        }
        theta
    }

    fn utilities(&self, theta: &DVector<f64>) -> Vec<f64> {
        self.x.iter().map(|x| x.dot(theta)).collect()
    }

    /// ‖x_i − x_j‖ in this V⁻¹.
    fn norm(&self, inverse: &DMatrix<f64>, i: usize, j: usize) -> f64 {
        let z = self.z(Duel(i, j));
        (z.transpose() * inverse * &z)[0].max(0.0).sqrt()
    }
}

fn answered(question: &Question) -> bool {
    question.reward.is_some()
}

fn asked(question: &Question) -> bool {
    !question.lost
}

/// The places of the largest values, several where they cannot be told from a tie.
fn best<T: Clone>(values: &[(T, f64)]) -> Vec<T> {
    let most = values.iter().map(|v| v.1).fold(f64::NEG_INFINITY, f64::max);
    let near = values.iter().filter(|v| v.1 >= most - 1e-8 * (1.0 + most.abs()));
    near.map(|v| v.0.clone()).collect()
}

/// A policy as its paper lists it: what it may ask in round t after this history, several questions only in a tie.
pub trait Rule {
    fn ask(&mut self, history: &History, t: u64, s: &mut Stream) -> Vec<Question>;

    /// The fit that its scores come from.
    fn theta(&self, history: &History) -> DVector<f64> {
        history.fit(1.0, answered)
    }

    /// Its scores.
    fn borda(&self, history: &History, here: &Problem) -> Vec<f64> {
        super::Phi::of(here).borda(here.link(), &self.theta(history))
    }
}

/// MaxInP.
pub struct MaxInp {
    pub warm_up: u64,
    pub width: Option<f64>,
}

impl Rule for MaxInp {
    fn ask(&mut self, h: &History, t: u64, s: &mut Stream) -> Vec<Question> {
        if t <= self.warm_up {
            let (i, j) = s.pair_below(h.k());
            return vec![Question::plain(Duel(i, j))];
        }
        let (u, v) = (h.utilities(&self.theta(h)), h.inverse(1.0, answered));
        let width = self.width.unwrap_or_else(|| h.width());
        // Items of the same vector are one item to the model.
        let alike = |i: usize, j: usize| h.x[i] == h.x[j];
        let may_win = |i: usize| (0..h.k()).all(|j| alike(i, j) || u[i] - u[j] + width * h.norm(&v, i, j) > 0.0);
        let candidates: Vec<usize> = (0..h.k()).filter(|&i| may_win(i)).collect();
        if candidates.iter().all(|&i| alike(i, candidates[0])) {
            return vec![Question::plain(Duel(candidates[0], candidates[0]))];
        }
        let v = h.inverse(1.0, asked);
        let mut pairs = Vec::new();
        for (place, &i) in candidates.iter().enumerate() {
            pairs.extend(candidates[place + 1..].iter().map(|&j| (Question::plain(Duel(i, j)), h.norm(&v, i, j))));
        }
        best(&pairs)
    }
}

/// MaxPairUCB; with a: RCDB.
pub struct MaxPairUcb {
    pub robustness: f64,
}

impl Rule for MaxPairUcb {
    fn ask(&mut self, h: &History, _: u64, _: &mut Stream) -> Vec<Question> {
        let (u, v) = (h.utilities(&self.theta(h)), h.inverse(1.0, asked));
        let mut pairs = Vec::new();
        for i in 0..h.k() {
            for j in i..h.k() {
                let norm = h.norm(&v, i, j);
                let weight = if norm > 0.0 { (self.robustness / norm).min(1.0) } else { 1.0 };
                pairs.push((Question { weight, ..Question::plain(Duel(i, j)) }, u[i] + u[j] + h.width() * norm));
            }
        }
        best(&pairs)
    }
}

/// CoLSTIM.
pub struct Colstim {
    pub warm_up: u64,
}

impl Rule for Colstim {
    fn ask(&mut self, h: &History, t: u64, s: &mut Stream) -> Vec<Question> {
        if t <= self.warm_up {
            let (i, j) = s.pair_below(h.k());
            return vec![Question::plain(Duel(i, j))];
        }
        let (u, v) = (h.utilities(&self.theta(h)), h.inverse(1.0, asked));
        let mean = h.x.iter().sum::<DVector<f64>>() / h.k() as f64;
        let (d, clip) = (h.d() as f64, h.width());
        let p = (d * (d * h.horizon).ln() / (t - self.warm_up) as f64).sqrt().min(1.0);
        let each = s.uniform() < p;
        let mut epsilon = || {
            let drawn = if h.link == Link::Logistic { -(-(1.0 - s.uniform()).ln()).ln() } else { s.normal() };
            drawn.clamp(-clip, clip)
        };
        let perturbed: Vec<f64> = if each { (0..h.k()).map(|_| epsilon()).collect() } else { vec![epsilon(); h.k()] };
        let value = |i: usize| {
            let x = &h.x[i] - &mean;
            u[i] + perturbed[i] * (x.transpose() * &v * &x)[0].sqrt()
        };
        let first = best(&(0..h.k()).map(|i| (i, value(i))).collect::<Vec<_>>());
        let against = |i: usize| {
            let values: Vec<_> = (0..h.k()).map(|j| (j, u[j] - u[i] + h.width() * h.norm(&v, i, j))).collect();
            best(&values).into_iter().map(move |j| Question::plain(Duel(i, j)))
        };
        first.into_iter().flat_map(against).collect()
    }
}

/// VACDB.
pub struct Vacdb {
    pub alpha: f64,
    pub kappa: f64,
}

impl Vacdb {
    fn layers(&self) -> i32 {
        (1.0 / self.alpha).log2().ceil() as i32
    }

    fn fit(&self, h: &History, layer: i32) -> DVector<f64> {
        h.fit(self.kappa * 4_f64.powi(-layer), |q| q.layer == layer)
    }
}

impl Rule for Vacdb {
    fn ask(&mut self, h: &History, _: u64, s: &mut Stream) -> Vec<Question> {
        let beta = 0.25 * h.width();
        let mut members: Vec<usize> = (0..h.k()).collect();
        for layer in 1..=self.layers() {
            let size = 2_f64.powi(-layer);
            let v = h.inverse(size * size, |q| q.layer == layer && answered(q));
            let u = h.utilities(&self.fit(h, layer));
            let mut pairs = Vec::new();
            for (place, &i) in members.iter().enumerate() {
                pairs.extend(members[place..].iter().map(|&j| (Duel(i, j), h.norm(&v, i, j))));
            }
            let largest = pairs.iter().map(|pair| pair.1).fold(0.0, f64::max);
            if largest <= self.alpha || (layer == self.layers() && largest <= size) {
                let value = |(Duel(i, j), norm): &(Duel, f64)| u[*i] + u[*j] + beta * norm;
                return best(&pairs.iter().map(|pair| (Question::plain(pair.0), value(pair))).collect::<Vec<_>>());
            }
            if largest > size {
                let wide: Vec<_> = pairs.into_iter().filter(|pair| pair.1 > size).collect();
                let (duel, norm) = wide[s.below(wide.len())];
                return vec![Question { weight: (size / norm).powi(2), layer, ..Question::plain(duel) }];
            }
            let most = members.iter().map(|&i| u[i]).fold(f64::NEG_INFINITY, f64::max);
            members.retain(|&i| u[i] >= most - size * beta);
        }
        unreachable!("the last layer settles or learns")
    }

    fn theta(&self, h: &History) -> DVector<f64> {
        let last = h.questions.iter().filter(|q| answered(q)).map(|q| q.layer).max();
        self.fit(h, last.unwrap_or(1).max(1))
    }
}

/// Greedy-GLM.
pub struct GreedyGlm;

impl Rule for GreedyGlm {
    fn ask(&mut self, h: &History, t: u64, s: &mut Stream) -> Vec<Question> {
        if s.uniform() >= (h.d() as f64 / t as f64).cbrt() {
            let utilities = h.utilities(&self.theta(h)).into_iter().enumerate().collect::<Vec<_>>();
            return best(&utilities).into_iter().map(|i| Question::plain(Duel(i, i))).collect();
        }
        let v = h.inverse(1.0, asked);
        let mut pair = || {
            let i = s.below(h.k());
            let j = (i + 1 + s.below(h.k() - 1)) % h.k();
            (Question::plain(Duel(i, j)), h.norm(&v, i, j))
        };
        best(&(0..16).map(|_| pair()).collect::<Vec<_>>())
    }
}

/// FGTS.CDB: for each player a normal proposal and five Metropolis corrections with the whole potential.
pub struct Fgts {
    pub eta: f64,
    pub feel_good: f64,
}

impl Fgts {
    /// U(θ) of a player, summed over the history.
    pub fn potential(&self, h: &History, player: usize, theta: &DVector<f64>) -> f64 {
        let mut sum = 0.5 * theta.norm_squared();
        for question in h.questions.iter().filter(|q| answered(q)) {
            let (score, Duel(i, j)) = (question.z().dot(theta), question.duel);
            let most = question.x.iter().map(|x| x.dot(theta)).fold(f64::NEG_INFINITY, f64::max);
            // The negative log-likelihood, for the logistic link; the loss of the fit, for any.
            sum += self.eta * (h.link.m(score) - question.reward.unwrap() * score);
            sum -= self.feel_good * (most - question.x[if player == 0 { j } else { i }].dot(theta));
        }
        sum
    }
}

impl Rule for Fgts {
    fn ask(&mut self, h: &History, _: u64, s: &mut Stream) -> Vec<Question> {
        let mode = self.theta(h);
        let mut hessian = DMatrix::identity(h.d(), h.d());
        for question in h.questions.iter().filter(|q| answered(q)) {
            let z = question.z();
            hessian += self.eta * h.link.mu_prime(z.dot(&mode)) * &z * z.transpose();
        }
        let root = hessian.cholesky().unwrap().l().transpose();
        let mut items = [0, 0];
        for (player, item) in items.iter_mut().enumerate() {
            let draw = |s: &mut Stream| {
                let normal = DVector::from_iterator(h.d(), (0..h.d()).map(|_| s.normal()));
                let theta = &mode + root.clone().try_inverse().unwrap() * &normal;
                (self.potential(h, player, &theta) - 0.5 * normal.norm_squared(), theta)
            };
            let mut current = draw(s);
            for _ in 0..5 {
                let proposed = draw(s);
                if s.uniform().ln() < current.0 - proposed.0 {
                    current = proposed;
                }
            }
            *item = super::argmax(&h.utilities(&current.1));
        }
        vec![Question::plain(Duel(items[0], items[1]))]
    }

    fn theta(&self, h: &History) -> DVector<f64> {
        // Σ g nll with g = η has the minimum of Σ nll with λ/η.
        h.fit(1.0 / self.eta, answered)
    }
}

/// MaxMinLCB: a Gaussian process over pairs, with the Gram matrix of all questions inverted in every round.
pub struct MaxMinLcb {
    /// Length in the units of `History::x`, and variance; none for the linear kernel.
    pub rbf: Option<(f64, f64)>,
    /// β; none for the theorem's.
    pub width: Option<f64>,
    pub norm: f64,
    pub candidates: bool,
}

/// λ′ and δ.
const NOISE: f64 = 0.25;
const DELTA: f64 = 0.1;

/// The kernel of pairs, by that of items.
fn of_pairs(k: &DMatrix<f64>, Duel(a, b): Duel, Duel(c, d): Duel) -> f64 {
    k[(a, c)] - k[(a, d)] - k[(b, c)] + k[(b, d)]
}

fn gram(k: &DMatrix<f64>, of: &[Duel]) -> DMatrix<f64> {
    DMatrix::from_fn(of.len(), of.len(), |s, t| of_pairs(k, of[s], of[t]))
}

impl MaxMinLcb {
    /// Of every two items.
    fn kernel(&self, h: &History) -> DMatrix<f64> {
        DMatrix::from_fn(h.k(), h.k(), |i, j| match self.rbf {
            None => h.x[i].dot(&h.x[j]),
            Some((length, variance)) => {
                variance * (-(&h.x[i] - &h.x[j]).norm_squared() / (2.0 * length * length)).exp()
            }
        })
    }

    /// α of f̂(i) − f̂(j) = Σ α k((i,j), ·) over the answers: reweighted least squares, until nothing changes.
    fn alpha(h: &History, k: &DMatrix<f64>) -> (Vec<Duel>, DVector<f64>) {
        let told: Vec<&Question> = h.questions.iter().filter(|q| answered(q) && q.duel.0 != q.duel.1).collect();
        let duels: Vec<Duel> = told.iter().map(|q| q.duel).collect();
        let (gram, mut alpha) = (gram(k, &duels), DVector::zeros(duels.len()));
        for _ in 0..60 {
            let scores = &gram * &alpha;
            let weights = scores.map(|x| 1.0 / h.link.mu_prime(x));
            let surprise = DVector::from_fn(duels.len(), |s, _| told[s].reward.unwrap() - h.link.mu(scores[s]));
            let target = &scores + weights.component_mul(&surprise);
            let next = (&gram + DMatrix::from_diagonal(&weights)).try_inverse().unwrap() * target;
            let change = (&next - &alpha).norm();
            alpha = next;
            if change <= 1e-13 * alpha.norm() {
                break;
            }
        }
        (duels, alpha)
    }

    /// f̂(i) − f̂(j).
    fn score(k: &DMatrix<f64>, (duels, alpha): &(Vec<Duel>, DVector<f64>), duel: Duel) -> f64 {
        duels.iter().zip(alpha.iter()).map(|(told, a)| a * of_pairs(k, duel, *told)).sum()
    }
}

impl Rule for MaxMinLcb {
    fn ask(&mut self, h: &History, _: u64, _: &mut Stream) -> Vec<Question> {
        let noise = NOISE / h.link.mu_prime(2.0 * self.norm);
        let open: Vec<Duel> = h.questions.iter().filter(|q| asked(q) && q.duel.0 != q.duel.1).map(|q| q.duel).collect();
        let k = self.kernel(h);
        let gram = gram(&k, &open) + DMatrix::identity(open.len(), open.len()) * noise;
        let lipschitz = h.link.mu_prime(0.0);
        let log_det = gram.determinant().ln() - open.len() as f64 * noise.ln();
        let theory =
            || 4.0 * lipschitz * self.norm + 2.0 * lipschitz / noise.sqrt() * (-2.0 * DELTA.ln() + log_det).sqrt();
        let beta = self.width.unwrap_or_else(theory);
        let (inverse, fit) = (gram.try_inverse().unwrap(), Self::alpha(h, &k));
        let bounds = |i: usize, j: usize| {
            if i == j {
                return [0.5, 0.5];
            }
            let duel = Duel(i, j);
            let to = DVector::from_iterator(open.len(), open.iter().map(|other| of_pairs(&k, duel, *other)));
            let variance = of_pairs(&k, duel, duel) - (to.transpose() * &inverse * &to)[0];
            let (chance, wide) = (h.link.mu(Self::score(&k, &fit, duel)), beta * variance.max(0.0).sqrt());
            [chance - wide, chance + wide]
        };
        let all: Vec<Vec<[f64; 2]>> = (0..h.k()).map(|i| (0..h.k()).map(|j| bounds(i, j)).collect()).collect();
        let alike = |i: usize, j: usize| h.x[i] == h.x[j];
        let may = |i: usize| !self.candidates || (0..h.k()).all(|j| alike(i, j) || all[i][j][1] >= 0.5);
        let members: Vec<usize> = (0..h.k()).filter(|&i| may(i)).collect();
        if members.iter().all(|&i| alike(i, members[0])) {
            return vec![Question::plain(Duel(members[0], members[0]))];
        }
        let rivals: Vec<Vec<usize>> =
            (0..h.k()).map(|i| members.iter().copied().filter(|&j| !self.candidates || j != i).collect()).collect();
        let low = |i: usize, j: &usize| all[i][*j][0];
        let least: Vec<f64> =
            (0..h.k()).map(|i| rivals[i].iter().map(|j| low(i, j)).fold(f64::INFINITY, f64::min)).collect();
        let most = members.iter().map(|&i| least[i]).fold(f64::NEG_INFINITY, f64::max);
        // A little wider than 10⁻⁴, since bounds are the same up to rounding only.
        let tie = 1.001e-4;
        let mut allowed = Vec::new();
        for &i in members.iter().filter(|&&i| least[i] >= most - tie) {
            let followers = rivals[i].iter().filter(|j| low(i, j) <= least[i] + tie);
            allowed.extend(followers.map(|&j| Question::plain(Duel(i, j))));
        }
        allowed
    }

    fn borda(&self, h: &History, here: &Problem) -> Vec<f64> {
        let k = self.kernel(h);
        let (items, fit) = (here.items(), Self::alpha(h, &k));
        let chance = |i: usize, j: usize| h.link.mu(Self::score(&k, &fit, Duel(i, j)));
        (0..items).map(|i| (0..items).map(|j| chance(i, j)).sum::<f64>() / items as f64).collect()
    }
}
