//! Do votes contradict a consistent order, or only look so? Shares of broken chains, beside those of votes that were
//! made by one.

use borduel::ballots::{Answer, Ballots, BothBad, Ties};
use borduel::ranking::{Model, RankOptions, rank};
use borduel::stream::stream;

/// Of all chains i ≻ j ≻ k (p > ½ each): how many there are, and which shares of them break something.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Broken {
    pub(super) chains: u64,
    /// k is preferred to i.
    pub(super) weak: f64,
    /// Strong transitivity: p(i,k) < max(p(i,j), p(j,k)).
    pub(super) strong: f64,
    /// The triangle inequality: p(i,k) − ½ > (p(i,j) − ½) + (p(j,k) − ½).
    pub(super) triangle: f64,
}

impl Broken {
    /// Counts all chains of these shares.
    pub(super) fn of(items: usize, p: impl Fn(usize, usize) -> f64) -> Self {
        let (mut chains, mut weak, mut strong, mut triangle) = (0_u64, 0_u64, 0_u64, 0_u64);
        for i in 0..items {
            for j in (0..items).filter(|&j| j != i && p(i, j) > 0.5) {
                for k in (0..items).filter(|&k| k != i && k != j && p(j, k) > 0.5) {
                    chains += 1;
                    weak += u64::from(p(i, k) < 0.5);
                    strong += u64::from(p(i, k) < p(i, j).max(p(j, k)));
                    triangle += u64::from(p(i, k) - 0.5 > p(i, j) + p(j, k) - 1.0);
                }
            }
        }
        let share = |count: u64| count as f64 / chains.max(1) as f64;
        Self { chains, weak: share(weak), strong: share(strong), triangle: share(triangle) }
    }

    pub(super) fn shares(self) -> [f64; 3] {
        [self.weak, self.strong, self.triangle]
    }
}

/// How often votes are drawn.
const DRAWS: u64 = 20;

/// Mean and standard deviation of the three shares among votes drawn from the Bradley–Terry model that fits these
/// shares of so many votes: there strong transitivity and the triangle inequality hold exactly.
pub(super) fn if_consistent(
    items: usize,
    p: impl Fn(usize, usize) -> f64,
    votes: impl Fn(usize, usize) -> f64,
    seed: u64,
) -> borduel::Result<[(f64, f64); 3]> {
    let mut ballots = Ballots::new(Ties::Half, BothBad::Drop, false);
    let names: Vec<u32> = (0..items).map(|item| ballots.item(&item.to_string())).collect();
    let refused = |refusal: borduel::ballots::Refusal| borduel::Error::Data(refusal.to_string());
    for i in 0..items {
        for j in i + 1..items {
            let n = votes(i, j);
            for (answer, count) in [(Answer::Left, n * p(i, j)), (Answer::Right, n * p(j, i))] {
                if count > 0.0 {
                    ballots.add(names[i], names[j], None, answer, 1.0, count).map_err(refused)?;
                }
            }
        }
    }
    let options = RankOptions::default().with_chances(true);
    let ranking = rank(&ballots.finish(), &Model::OneHot, &options)?;
    let chances = ranking.chances.unwrap_or_default();
    let mut place = vec![None; items];
    ranking.items.iter().enumerate().for_each(|(at, score)| place[score.item] = Some(at));
    let mut draws: Vec<[f64; 3]> = Vec::new();
    for draw in 0..DRAWS {
        let mut s = stream(seed, &[draw]);
        let mut shares = vec![0.5; items * items];
        for i in 0..items {
            for j in i + 1..items {
                let n = votes(i, j).round() as u64;
                // Items that nothing connects with the others have no chance to be drawn by.
                let Some(fitted) = place[i].zip(place[j]).map(|(a, b)| chances[a][b]).filter(|_| n > 0) else {
                    continue;
                };
                let won = (0..n).filter(|_| s.uniform() < fitted).count() as f64 / n as f64;
                (shares[i * items + j], shares[j * items + i]) = (won, 1.0 - won);
            }
        }
        draws.push(Broken::of(items, |i, j| shares[i * items + j]).shares());
    }
    Ok([0, 1, 2].map(|which| {
        let n = draws.len() as f64;
        let mean = draws.iter().map(|shares| shares[which]).sum::<f64>() / n;
        let squares: f64 = draws.iter().map(|shares| (shares[which] - mean).powi(2)).sum();
        (mean, (squares / (n - 1.0)).sqrt())
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use borduel::Link;
    use std::collections::BTreeMap;

    #[test]
    fn votes_of_a_consistent_order_look_broken_and_a_circle_is_more_than_that() {
        let consistent = |i: usize, j: usize| Link::Logistic.mu(0.1 * (j as f64 - i as f64));
        assert_eq!(Broken::of(12, consistent).shares(), [0.0, 0.0, 0.0]);
        // Three votes a pair, drawn from a consistent order: many chains seem broken.
        let mut s = stream(3, &[]);
        let pairs = (0..12).flat_map(|i| (i + 1..12).map(move |j| (i, j)));
        let mut drawn = |i, j| (0..3).filter(|_| s.uniform() < consistent(i, j)).count() as f64 / 3.0;
        let shares: BTreeMap<(usize, usize), f64> = pairs.map(|(i, j)| ((i, j), drawn(i, j))).collect();
        let p = |i: usize, j: usize| shares.get(&(i, j)).copied().unwrap_or_else(|| 1.0 - shares[&(j, i)]);
        let seen = Broken::of(12, p).shares();
        let expected = if_consistent(12, p, |_, _| 3.0, 1).unwrap();
        assert!(seen[1] > 0.2, "{seen:?}");
        for (seen, (mean, sd)) in seen.iter().zip(expected) {
            assert!((seen - mean).abs() < 4.0 * sd, "{seen} {mean} {sd}");
        }
        // Everybody beats the next five of eleven, clearly.
        let circle = |i: usize, j: usize| match (j + 11 - i) % 11 {
            0 => 0.5,
            1..=5 => 0.9,
            _ => 0.1,
        };
        let (seen, expected) = (Broken::of(11, circle).shares(), if_consistent(11, circle, |_, _| 30.0, 1).unwrap());
        assert!(seen[0] > expected[0].0 + 3.0 * expected[0].1, "{seen:?} {expected:?}");
    }
}
