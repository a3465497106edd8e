//! Whether votes look as if the questions had followed the answers.

use borduel::ballots::Ballots;
use borduel::ranking::Ranking;

/// Whether votes look as if the questions had followed the answers: items have the more votes the better they are, beyond what
/// chance does (Spearman's rank correlation, one-sided at about 0.5 %), and the best ones at least twice as many as the median.
pub fn looks_adaptive(ballots: &Ballots, ranking: &Ranking) -> bool {
    let mut votes = vec![0.0; ballots.items().len()];
    for cell in ballots.cells() {
        votes[cell.left as usize] += cell.n;
        votes[cell.right as usize] += cell.n;
    }
    // Best first.
    let by_score: Vec<f64> = ranking.items.iter().map(|score| votes[score.item]).collect();
    let k = by_score.len();
    let mut sorted = by_score.clone();
    sorted.sort_by(f64::total_cmp);
    let median = sorted[k / 2];
    // The mean rank of equal numbers.
    let rank = |x: f64| {
        let (below, upto) = (sorted.partition_point(|y| *y < x), sorted.partition_point(|y| *y <= x));
        0.5 * (below + upto + 1) as f64
    };
    let middle = 0.5 * (k + 1) as f64;
    let (mut product, mut a2, mut b2) = (0.0, 0.0, 0.0);
    for (at, &n) in by_score.iter().enumerate() {
        let (a, b) = (k as f64 - at as f64 - middle, rank(n) - middle);
        product += a * b;
        a2 += a * a;
        b2 += b * b;
    }
    let correlation = if b2 > 0.0 { product / (a2 * b2).sqrt() } else { 0.0 };
    let best = by_score.iter().take(k.div_ceil(4)).sum::<f64>() / k.div_ceil(4) as f64;
    correlation * ((k - 1) as f64).sqrt() > 2.6 && best >= 2.0 * median
}
