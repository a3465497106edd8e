//! The model-free scores: the average over opponents of the observed shares, with nothing said about pairs never compared.
//!
//! B̂(i) = 1/(K−1) Σ_j p̂(i,j) with p̂ = Σwr/Σw. The share of pair (i,j) has the residuals e = r − p̂; each enters the variance
//! divided by √(1 − w/Σw), which makes the variance of a pair with two or more votes unbiased (its s²/n). A pair with a single
//! vote shows no spread: it is given the largest variance a share can have, ¼. With voters, the residuals of a voter are added
//! up before they are squared.

use super::estimate::{Estimate, root};
use super::sums::Sums;
use nalgebra::DMatrix;

/// The scores of all items.
pub(crate) fn estimate(sums: &Sums, clustered: bool) -> Estimate {
    let k = sums.len();
    let others = (k - 1) as f64;
    let mut known = vec![0.0; k];
    let mut opponents = vec![0.0; k];
    let mut covariance = DMatrix::zeros(k, k);
    let mut spread = |i: usize, j: usize, variance: f64| {
        let v = variance / (others * others);
        covariance[(i, i)] += v;
        covariance[(j, j)] += v;
        covariance[(i, j)] -= v;
        covariance[(j, i)] -= v;
    };
    let clusters = (clustered && sums.voter_count() > 1.0).then(|| sums.voter_count());
    for pair in &sums.pairs {
        let p = pair.share();
        known[pair.i] += p / others;
        known[pair.j] += (1.0 - p) / others;
        opponents[pair.i] += 1.0;
        opponents[pair.j] += 1.0;
        // n_eff = (Σw)²/Σw² votes of equal weight say as much as these.
        let effective = pair.w * pair.w / pair.w2;
        if effective < 1.0 + 1e-9 {
            spread(pair.i, pair.j, 0.25);
        } else if clusters.is_none() {
            spread(pair.i, pair.j, pair.squared_residuals(p) / (pair.w * pair.w) * effective / (effective - 1.0));
        }
    }
    if let Some(g) = clusters {
        let mut influence = vec![0.0; k];
        for voter in &sums.voters {
            let mut touched = Vec::new();
            for part in &sums.parts[voter.parts.clone()] {
                let pair = &sums.pairs[part.pair];
                let leverage = part.w / voter.copies / pair.w;
                if leverage < 1.0 - 1e-9 {
                    let residual = (part.wr - pair.share() * part.w) / pair.w / (1.0 - leverage).sqrt() / others;
                    influence[pair.i] += residual;
                    influence[pair.j] -= residual;
                    touched.extend([pair.i, pair.j]);
                } else if pair.w * pair.w / pair.w2 >= 1.0 + 1e-9 {
                    // Several votes, all by one voter: as good as a single one.
                    spread(pair.i, pair.j, 0.25);
                }
            }
            touched.sort_unstable();
            touched.dedup();
            for &a in &touched {
                for &b in &touched {
                    covariance[(a, b)] += influence[a] * influence[b] / voter.copies * g / (g - 1.0);
                }
            }
            touched.iter().for_each(|&item| influence[item] = 0.0);
        }
    }
    let unknown: Vec<f64> = opponents.iter().map(|met| 1.0 - met / others).collect();
    let borda = known.iter().zip(&unknown).map(|(known, unknown)| known + 0.5 * unknown).collect();
    let df = clusters.map_or(f64::INFINITY, |g| g - 1.0);
    Estimate { borda, unknown, factor: root(&covariance), df, clusters, fitted: None }
}
