//! The model-free scores: the average over opponents of the observed shares, with nothing said about pairs never
//! compared.
//!
//! B̂(i) = 1/(K−1) Σ_j p̂(i,j) with p̂ = Σwr/Σw. Intervals are exact (see `exact`). For what is drawn, the variance of
//! a share of n votes is S/n² with S = Σ (r−p̃)² + ½(p̃² + (1−p̃)²) and p̃ = (Σr + ½)/(n + 1): as if half a win and
//! half a loss had been added, so that a unanimous pair does not look certain; and at most ¼/n. With voters, a vote's
//! residual r − p̂ is divided by √(1 − w/Σw), the residuals of a voter are added up before they are squared, and what
//! the formula above has in excess of the same sum without voters is added, as are the votes that have no voter;
//! intervals are then the wider of the exact ones and those of this variance.

use super::estimate::Estimate;
use super::exact::Exact;
use super::scatter::{Expected, Residuals};
use super::spread::Spread;
use super::sums::{Pair, Sums};

/// The variance of a pair's share from its residuals alone (0 for a single vote), and the safe one of this file's head.
fn variances(pair: &Pair) -> (f64, f64) {
    // (Σw)²/Σw² votes of equal weight say as much as these.
    let n = pair.effective();
    let plain = if n > 1.0 + 1e-9 { pair.squared_residuals(pair.share()) / pair.w2 / (n - 1.0) } else { 0.0 };
    let p = (n * pair.share() + 0.5) / (n + 1.0);
    let squares = n * pair.squared_residuals(p) / pair.w2 + 0.5 * (p * p + (1.0 - p) * (1.0 - p));
    (plain, (squares / n).min(0.25) / n)
}

/// The scores of all items. A column of the covariance's factor is a pair, or behind those a voter, so that nothing is
/// of size K².
pub(crate) fn estimate(sums: &Sums, clustered: bool) -> Estimate {
    let k = sums.len();
    let others = (k - 1) as f64;
    let mut known = vec![0.0; k];
    let mut opponents = vec![0.0; k];
    let clusters = (clustered && sums.effective_voters() > 1.0).then(|| sums.effective_voters());
    let mut own = Vec::with_capacity(sums.pairs.len());
    let alone = clusters.and_then(|_| super::uneven::alone(sums));
    for (at, pair) in sums.pairs.iter().enumerate() {
        let p = pair.share();
        known[pair.i] += p / others;
        known[pair.j] += (1.0 - p) / others;
        opponents[pair.i] += 1.0;
        opponents[pair.j] += 1.0;
        let (plain, safe) = variances(pair);
        let alone = alone.as_ref().map_or(0.0, |alone| alone[at] * plain);
        own.push(if clusters.is_some() { (safe - plain).max(0.0) + alone } else { safe });
    }
    let mut rows: Vec<Vec<(u32, f64)>> = vec![Vec::new(); k];
    let mut columns = sums.pairs.len();
    if let Some(g) = clusters {
        let mut influence = vec![0.0; k];
        let mut touched = Vec::new();
        for voter in &sums.voters {
            for part in &sums.parts[voter.parts.clone()] {
                let pair = &sums.pairs[part.pair];
                let leverage = part.w / voter.copies / pair.w;
                if leverage < 1.0 - 1e-9 {
                    let residual = (part.wr - pair.share() * part.w) / pair.w / (1.0 - leverage).sqrt() / others;
                    influence[pair.i] += residual;
                    influence[pair.j] -= residual;
                    touched.extend([pair.i, pair.j]);
                } else {
                    // All votes by one voter: as good as a single one.
                    own[part.pair] += 0.25;
                }
            }
            touched.sort_unstable();
            touched.dedup();
            let factor = (g / (g - 1.0) / voter.copies).sqrt();
            for item in touched.drain(..) {
                rows[item].push((columns as u32, factor * influence[item]));
                influence[item] = 0.0;
            }
            columns += 1;
        }
    }
    for (at, (pair, variance)) in sums.pairs.iter().zip(&own).enumerate() {
        // A pair's share moves B̂(i) up as much as B̂(j) down.
        let error = variance.sqrt() / others;
        rows[pair.i].push((at as u32, error));
        rows[pair.j].push((at as u32, -error));
    }
    let unknown: Vec<f64> = opponents.iter().map(|met| 1.0 - met / others).collect();
    let borda = known.iter().zip(&unknown).map(|(known, unknown)| known + 0.5 * unknown).collect();
    // By how unevenly voters vote, and how far their votes hang together about the shares.
    let df = clusters.map_or(f64::INFINITY, |_| {
        let shares = Expected::coins(sums.pairs.iter().map(Pair::share).collect());
        Residuals::new(sums, shares, &vec![0.0; sums.pairs.len()], true, true).df(sums, 0)
    });
    Estimate {
        borda,
        unknown,
        spread: Spread::sparse(rows, columns),
        df,
        own_df: None,
        clusters,
        exact: Some(Exact::new(sums)),
        floored: false,
        draws: None,
        fitted: None,
    }
}
