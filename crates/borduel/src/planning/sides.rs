//! The order of the questions and the side on which each item is shown.
//!
//! Of the questions on one pair, half are asked each way round. Where their number is odd, one is left over; these form a graph,
//! and walking it along closed trails orients its edges so that no item is on the left more than once more often than on the
//! right, or the reverse (Euler).

use super::greedy::Step;
use crate::duel::Duel;
use std::collections::HashMap;

/// The questions one by one. Steps of several questions are spread over the whole list, each pair evenly.
pub(super) fn order(items: usize, steps: &[Step]) -> Vec<Duel> {
    let mut totals: HashMap<(usize, usize), usize> = HashMap::new();
    for step in steps {
        *totals.entry((step.i, step.j)).or_default() += step.times;
    }
    let mut odd: Vec<(usize, usize)> = totals.iter().filter(|(_, n)| *n % 2 == 1).map(|(&pair, _)| pair).collect();
    odd.sort_unstable();
    let odd_forward: HashMap<(usize, usize), bool> = odd.iter().copied().zip(orient(items, &odd)).collect();
    let mut sequence: Vec<(usize, usize)> = Vec::new();
    if steps.iter().all(|step| step.times == 1) {
        sequence.extend(steps.iter().map(|step| (step.i, step.j)));
    } else {
        let mut all: Vec<(f64, (usize, usize))> =
            totals.iter().flat_map(|(&pair, &n)| (0..n).map(move |at| ((at as f64 + 0.5) / n as f64, pair))).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        sequence.extend(all.into_iter().map(|(_, pair)| pair));
    }
    let mut asked: HashMap<(usize, usize), usize> = HashMap::new();
    let side = |pair: (usize, usize)| {
        let count = asked.entry(pair).or_default();
        *count += 1;
        // The first question of a pair goes the way its odd one must; even totals start where the numbers say.
        let first = odd_forward.get(&pair).copied().unwrap_or((pair.0 + pair.1).is_multiple_of(2));
        if first == (*count % 2 == 1) { Duel(pair.0, pair.1) } else { Duel(pair.1, pair.0) }
    };
    sequence.into_iter().map(side).collect()
}

/// For each edge of a simple graph whether it runs forward, such that in and out differ by at most 1 at every vertex.
fn orient(items: usize, edges: &[(usize, usize)]) -> Vec<bool> {
    let mut degree = vec![0; items];
    for &(i, j) in edges {
        degree[i] += 1;
        degree[j] += 1;
    }
    // Vertices of odd degree are joined to one more vertex, so that every trail can be closed.
    let mut all = edges.to_vec();
    all.extend((0..items).filter(|&item| degree[item] % 2 == 1).map(|item| (item, items)));
    let mut around = vec![Vec::new(); items + 1];
    for (edge, &(i, j)) in all.iter().enumerate() {
        around[i].push(edge);
        around[j].push(edge);
    }
    let mut forward: Vec<Option<bool>> = vec![None; all.len()];
    for start in 0..=items {
        let mut at = start;
        // Every vertex has even degree, so a trail ends only where it began.
        while let Some(edge) = around[at].pop() {
            if forward[edge].is_none() {
                forward[edge] = Some(all[edge].0 == at);
                at = if all[edge].0 == at { all[edge].1 } else { all[edge].0 };
            }
        }
    }
    forward[..edges.len()].iter().map(|direction| direction.unwrap_or(true)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::stream;

    #[test]
    fn sides_are_balanced_for_every_item_and_every_pair() {
        let mut s = stream(5, &[]);
        for (items, questions) in [(2, 1), (3, 7), (10, 40), (40, 333)] {
            let steps: Vec<Step> = (0..questions)
                .map(|_| {
                    let i = s.below(items - 1);
                    let j = i + 1 + s.below(items - 1 - i);
                    Step { i, j, times: 1, slope: 0.25, cost: 1.0 }
                })
                .collect();
            let asks = order(items, &steps);
            assert_eq!(asks.len(), questions);
            let mut balance = vec![0_i32; items];
            let mut pairs: HashMap<(usize, usize), i32> = HashMap::new();
            for (Duel(left, right), step) in asks.iter().zip(&steps) {
                assert_eq!((left.min(right), left.max(right)), (&step.i, &step.j));
                balance[*left] += 1;
                balance[*right] -= 1;
                *pairs.entry((step.i, step.j)).or_default() += if left < right { 1 } else { -1 };
            }
            assert!(balance.iter().all(|b| b.abs() <= 1), "{balance:?}");
            assert!(pairs.values().all(|b| b.abs() <= 1));
        }
    }
}
