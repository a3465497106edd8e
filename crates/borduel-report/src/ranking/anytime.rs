//! A ranking in which verdict, scores, intervals and ranks are those that hold at all times.

use borduel::ranking::{Interval, IntervalRule, ItemScore, Ranking, Verdict};
use borduel::sequential::{Goal, ItemStanding, Judgement};
use std::collections::HashMap;

/// Puts the sequential judgement of the same votes in the place of what holds for a sample of fixed size only.
pub fn rejudge(ranking: &mut Ranking, judgement: &Judgement) {
    let standing: HashMap<usize, &ItemStanding> = judgement.items.iter().map(|item| (item.item, item)).collect();
    let place: HashMap<usize, usize> = judgement.items.iter().enumerate().map(|(at, item)| (item.item, at)).collect();
    let all = &judgement.items;
    for score in &mut ranking.items {
        // A judgement is about all items of the ballots, a ranking about some of them.
        let Some(own) = standing.get(&score.item) else { continue };
        score.borda = Interval::new(Some(own.borda), own.low, own.high, own.error);
        let above = all.iter().filter(|other| other.low > own.high).count();
        let below = all.iter().filter(|other| other.high < own.low).count();
        score.rank = (1 + above, all.len() - below);
        score.p_best = None;
    }
    reorder(ranking, |score| place.get(&score.item).copied());
    ranking.intervals.level = judgement.options.level;
    ranking.intervals.rule = IntervalRule::Anytime;
    ranking.verdict = Verdict::new(judgement.kind, judgement.winners.clone());
    (ranking.verdict.forecast, ranking.verdict.few_voters) = (judgement.forecast, judgement.few_voters);
    // Intervals hold each by itself and are wider than the claims of the verdict, with which ranks agree.
    if judgement.options.goal == Goal::Winner {
        ranking.place_first();
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use borduel::Features;
    use borduel::ballots::{Answer, Ballots};
    use borduel::ranking::{Model, RankOptions, VerdictKind, rank};
    use borduel::sequential::{Options, judge_ballots};

    /// Nobody else can be first beside a clear winner, although intervals, each for itself, overlap.
    #[test]
    fn ranks_agree_with_the_verdict() {
        let mut ballots = Ballots::default();
        (0..3).for_each(|item| assert_eq!(ballots.item(&item.to_string()), item));
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            ballots.add(i, j, None, Answer::Left, 1.0, 30.0).unwrap();
        }
        let ballots = ballots.finish();
        let mut ranking = rank(&ballots, &Model::OneHot, &RankOptions::default()).unwrap();
        let judgement = judge_ballots(&Features::one_hot(3).unwrap(), &ballots, &Options::default()).unwrap();
        assert_eq!((judgement.kind, &judgement.winners[..]), (VerdictKind::ClearWinner, &[0][..]));
        rejudge(&mut ranking, &judgement);
        let ranks: Vec<_> = ranking.items.iter().map(|score| (score.item, score.rank)).collect();
        assert_eq!(ranks[0], (0, (1, 1)));
        assert!(ranks[1..].iter().all(|(_, rank)| rank.0 >= 2), "{ranks:?}");
        assert_eq!(ranking.tiers()[..2], [1, 2]);
    }
}
