//! Whether votes look as if the questions had followed the answers.

use crate::ballots::Ballots;
use crate::ranking::Ranking;

/// Of so many items a perfect rank correlation is hardly beyond chance.
const FEW: usize = 8;

/// Whether votes look as if the questions had followed the answers: items have the more votes the better they are,
/// beyond what chance does (Spearman's rank correlation, one-sided at about 0.5 %), and the best ones at least twice as
/// many as the median. Up to `FEW` items no such correlation is beyond chance, and the two best having half as many
/// votes again as any other has to do.
pub fn looks_adaptive(ballots: &Ballots, ranking: &Ranking) -> bool {
    let mut votes = vec![0.0; ballots.items().len()];
    for cell in ballots.cells() {
        votes[cell.left as usize] += cell.n;
        votes[cell.right as usize] += cell.n;
    }
    // Best first.
    let by_score: Vec<f64> = ranking.items.iter().map(|score| votes[score.item]).collect();
    let k = by_score.len();
    if (4..=FEW).contains(&k) {
        let least = by_score[0].min(by_score[1]);
        let most = by_score[2..].iter().copied().fold(0.0, f64::max);
        // Four standard errors of what even asking would give them.
        return least >= 1.5 * most && least - most > 4.0 * (least + most).sqrt();
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ballots::{Answer, BothBad, Ties};
    use crate::ranking::{Model, RankOptions, rank};
    use crate::sequential::{Options, Votes, judge};
    use crate::{Duel, Features, stream};

    /// Votes on five items, each better than the next; by random pairs, or of the two that lead by the votes so far,
    /// one question in four at random.
    fn votes(adaptive: bool, seed: u64) -> Ballots {
        let mut s = stream(seed, &[]);
        let (mut ballots, mut so_far) = (Ballots::new(Ties::Half, BothBad::Drop, true), Votes::new(5));
        (0..5).for_each(|item| {
            ballots.item(&item.to_string());
        });
        let features = Features::one_hot(5).unwrap();
        let mut leading = (0, 1);
        for vote in 0..400 {
            if vote % 20 == 19 {
                let judged = judge(&features, &so_far, &Options::default()).unwrap();
                leading = (judged.items[0].item, judged.items[1].item);
            }
            let i = s.below(5);
            let random = !adaptive || vote < 40 || s.below(4) == 0;
            let (i, j) = if random { (i, (i + 1 + s.below(4)) % 5) } else { leading };
            let won = s.uniform() < 1.0 / (1.0 + (0.3 * (i as f64 - j as f64)).exp());
            so_far.add(Duel(i, j), f64::from(u8::from(won)));
            let answer = if won { Answer::Left } else { Answer::Right };
            ballots.add(i as u32, j as u32, None, answer, 1.0, 1.0).unwrap();
        }
        ballots.finish()
    }

    #[test]
    fn five_items_of_which_the_best_were_asked_most_are_told_from_random_pairs() {
        let noted = |adaptive: bool| {
            let noted = |seed: &u64| {
                let votes = votes(adaptive, *seed);
                looks_adaptive(&votes, &rank(&votes, &Model::OneHot, &RankOptions::default()).unwrap())
            };
            (0..8).filter(noted).count()
        };
        assert!(noted(true) >= 6, "{}", noted(true));
        assert_eq!(noted(false), 0);
    }
}
