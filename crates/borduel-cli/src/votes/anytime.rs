//! A ranking in which verdict, scores, intervals and ranks are those that hold at all times.

use borduel::ballots::Ballots;
use borduel::ranking::{Interval, IntervalRule, ItemScore, Ranking, Verdict};
use borduel::sequential::{ItemStanding, Judgement};
use std::collections::HashMap;

/// Puts the sequential judgement of the same votes in the place of what holds for a sample of fixed size only.
pub(crate) fn rejudge(ranking: &mut Ranking, judgement: &Judgement) {
    let standing: HashMap<usize, &ItemStanding> = judgement.items.iter().map(|item| (item.item, item)).collect();
    let place: HashMap<usize, usize> = judgement.items.iter().enumerate().map(|(at, item)| (item.item, at)).collect();
    let all = &judgement.items;
    for score in &mut ranking.items {
        // A judgement is about all items of the ballots, a ranking about some of them.
        let Some(own) = standing.get(&score.item) else { continue };
        score.borda = Interval { estimate: Some(own.borda), low: own.low, high: own.high, error: own.error };
        let above = all.iter().filter(|other| other.low > own.high).count();
        let below = all.iter().filter(|other| other.high < own.low).count();
        score.rank = (1 + above, all.len() - below);
        score.p_best = None;
    }
    reorder(ranking, |score| place.get(&score.item).copied());
    ranking.intervals.level = judgement.options.level;
    ranking.intervals.rule = IntervalRule::Anytime;
    ranking.verdict = Verdict {
        kind: judgement.kind,
        winners: judgement.winners.clone(),
        votes_needed: (!judgement.decided).then_some(judgement.needed),
        chance: None,
        partial: false,
    };
}

/// Sorts the items of a ranking, and all that is in their order with them.
fn reorder(ranking: &mut Ranking, key: impl Fn(&ItemScore) -> Option<usize>) {
    let mut order: Vec<usize> = (0..ranking.items.len()).collect();
    order.sort_by_key(|&at| key(&ranking.items[at]));
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(new, &old)| place[old] = new);
    ranking.items = order.iter().map(|&old| ranking.items[old].clone()).collect();
    for pair in &mut ranking.pairs {
        (pair.first, pair.second) = (place[pair.first], place[pair.second]);
        if pair.first > pair.second {
            std::mem::swap(&mut pair.first, &mut pair.second);
            pair.share = 1.0 - pair.share;
            pair.fitted = pair.fitted.map(|p| 1.0 - p);
        }
    }
    ranking.pairs.sort_by_key(|pair| (pair.first, pair.second));
    if let Some(chances) = &mut ranking.chances {
        *chances = order.iter().map(|&i| order.iter().map(|&j| chances[i][j]).collect()).collect();
    }
}

/// Whether votes look as if the questions had followed the answers: items have the more votes the better they are, beyond what
/// chance does (Spearman's rank correlation, one-sided at about 0.5 %), and the best ones at least twice as many as the median.
pub(crate) fn looks_adaptive(ballots: &Ballots, ranking: &Ranking) -> bool {
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
