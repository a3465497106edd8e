//! What no method without a model can beat: the characteristic time of a world times kl(δ, 1−δ).
//!
//! To tell l from j, the lead B(l) − B(j) must be known better than by its size plus the margin. With shares w of the
//! votes on the pairs its variance is Σ a² p(1−p)/w a vote, a = ±c for the pairs of l and j (twice for their own), c =
//! 1/(K−1). The bound is 2 kl · min over w of the largest Σ a² p(1−p)/w / (lead + margin)² over j. For weights m on the
//! items j, the best w is in proportion to √(Σ_j m A_j), and the minimum over w is the maximum over m of (Σ √…)²: m is
//! found by multiplicative steps.

use super::{LEVEL, MARGIN};
use borduel::Duel;
use borduel::environment::Environment;
use borduel::environment::fixed::Fixed;

const STEPS: usize = 600;

/// The votes that any method needs in this world, in the normal approximation.
pub(super) fn votes(world: &Fixed) -> f64 {
    let k = world.problem().items();
    let c = 1.0 / (k - 1) as f64;
    let scores: Vec<f64> = world.borda().scores().iter().map(|b| (b * k as f64 - 0.5) * c).collect();
    let best = (0..k).max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap_or(0);
    let rivals: Vec<usize> = (0..k).filter(|&j| j != best).collect();
    // A of every rival: on the pairs of the best, on the rival's own, and on the one they share.
    let scatter = |i: usize, j: usize| {
        let p = world.probability(1, Duel(i, j));
        p * (1.0 - p) * c * c
    };
    let need = |j: usize| 1.0 / (scores[best] - scores[j] + MARGIN).powi(2);
    let mut m = vec![1.0 / rivals.len() as f64; rivals.len()];
    let mut value = 0.0_f64;
    for step in 0..STEPS {
        // √(Σ m A) of every pair: those of the best count for all rivals, with four times for the rival itself.
        let total: f64 = rivals.iter().zip(&m).map(|(&j, m)| m * need(j)).sum();
        let of_best: Vec<f64> =
            rivals.iter().zip(&m).map(|(&j, m)| (scatter(best, j) * (total + 3.0 * m * need(j))).sqrt()).collect();
        // A pair of two rivals counts for both.
        let between = |a: usize, b: usize| {
            (scatter(rivals[a], rivals[b]) * (m[a] * need(rivals[a]) + m[b] * need(rivals[b]))).sqrt()
        };
        let n = rivals.len();
        let pairs: f64 = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).map(|(a, b)| between(a, b)).sum();
        let sum = of_best.iter().sum::<f64>() + pairs;
        value = value.max(sum * sum);
        // Σ A/w of every rival, with w in proportion to the roots.
        let shared: Vec<f64> = (0..n).map(|b| scatter(best, rivals[b]) / of_best[b].max(1e-300)).collect();
        let all: f64 = shared.iter().sum();
        let cost = |a: usize| {
            let own: f64 =
                (0..n).filter(|&b| b != a).map(|b| scatter(rivals[a], rivals[b]) / between(a, b).max(1e-300)).sum();
            need(rivals[a]) * sum * (all + 3.0 * shared[a] + own)
        };
        let costs: Vec<f64> = (0..n).map(cost).collect();
        let most = costs.iter().copied().fold(0.0, f64::max);
        let rate = 1.0 / (1.0 + step as f64 / 30.0).sqrt();
        m.iter_mut().zip(&costs).for_each(|(m, cost)| *m *= (rate * (cost / most - 1.0)).exp());
        let mass: f64 = m.iter().sum();
        m.iter_mut().for_each(|m| *m /= mass);
    }
    let delta = 1.0 - LEVEL;
    let divergence = delta * (delta / LEVEL).ln() + LEVEL * (LEVEL / delta).ln();
    2.0 * divergence * value
}
