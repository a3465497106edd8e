//! The order of the questions and the side on which each item is shown.
//!
//! Of the questions on one pair, half are asked each way round. Where their number is odd, one is left over; these form
//! a graph, and walking it along closed trails orients its edges so that no item is on the left more than once more
//! often than on the right, or the reverse (Euler).

use super::greedy::Step;
use super::turns::RUNNING;
use crate::duel::Duel;
use std::collections::{HashMap, VecDeque};

/// The questions one by one.
///
/// The choices are taken in blocks, the first long enough to join all items and each of the others as long as all
/// before it. In its block a pair's questions are spread evenly, so that nobody has to answer the same one hundreds of
/// times running, and pairs asked once keep their order: whoever stops early has still asked the most useful questions
/// first. Where a block has hardly another pair, later questions are drawn forward between those on it.
pub(super) fn order(items: usize, steps: &[Step]) -> Vec<Duel> {
    let mut totals: HashMap<(usize, usize), usize> = HashMap::new();
    for step in steps {
        *totals.entry((step.i, step.j)).or_default() += step.times;
    }
    let mut odd: Vec<(usize, usize)> = totals.iter().filter(|(_, n)| *n % 2 == 1).map(|(&pair, _)| pair).collect();
    odd.sort_unstable();
    let odd_forward: HashMap<(usize, usize), bool> = odd.iter().copied().zip(orient(items, &odd)).collect();
    let mut sequence: Vec<(usize, usize)> = Vec::new();
    let mut start = 0;
    while start < steps.len() {
        let end = (2 * start).max(items - 1).min(steps.len());
        spread(&steps[start..end], &mut sequence);
        start = end;
    }
    let sequence = part_runs(sequence);
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

/// Appends the questions of some choices: of n questions on a pair first chosen at f ∈ [0, 1), question k stands at
/// (k + f)/n.
fn spread(steps: &[Step], sequence: &mut Vec<(usize, usize)>) {
    let mut pairs: Vec<(f64, usize, (usize, usize))> = Vec::new();
    let mut place: HashMap<(usize, usize), usize> = HashMap::new();
    for (at, step) in steps.iter().enumerate() {
        let own = *place.entry((step.i, step.j)).or_insert_with(|| {
            pairs.push((at as f64 / steps.len() as f64, 0, (step.i, step.j)));
            pairs.len() - 1
        });
        pairs[own].1 += step.times;
    }
    let mut all: Vec<(f64, usize)> = Vec::with_capacity(pairs.iter().map(|pair| pair.1).sum());
    for (own, &(first, n, _)) in pairs.iter().enumerate() {
        all.extend((0..n).map(|k| ((k as f64 + first) / n as f64, own)));
    }
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    sequence.extend(all.into_iter().map(|(_, own)| pairs[own].2));
}

/// The same questions with runs parted: what would make one longer waits for the next question on another pair.
fn part_runs(sequence: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    let mut parted = Vec::with_capacity(sequence.len());
    // All that wait are on the pair that was asked last, or before the one that parted its run.
    let mut waiting: VecDeque<(usize, usize)> = VecDeque::new();
    let mut run = 0;
    let mut ask = |pair: (usize, usize), parted: &mut Vec<(usize, usize)>| {
        let long = parted.last() == Some(&pair) && run == RUNNING;
        if !long {
            run = if parted.last() == Some(&pair) { run + 1 } else { 1 };
            parted.push(pair);
        }
        !long
    };
    for pair in sequence {
        // Whoever waits goes first, unless it still has to.
        while let Some(&first) = waiting.front() {
            if !ask(first, &mut parted) {
                break;
            }
            waiting.pop_front();
        }
        if !ask(pair, &mut parted) {
            waiting.push_back(pair);
        }
    }
    match waiting.front() {
        Some(&pair) => placed_before(parted, pair, waiting.len()),
        None => parted,
    }
}

/// Puts so many more questions on a pair between the others, the last places first; what finds none comes at the end.
fn placed_before(sequence: Vec<(usize, usize)>, pair: (usize, usize), mut more: usize) -> Vec<(usize, usize)> {
    let mut backwards = Vec::with_capacity(sequence.len() + more);
    // As many as there is room for behind what comes next, the run that is there already counted.
    let mut fill = |backwards: &mut Vec<(usize, usize)>| {
        let there = backwards.iter().rev().take_while(|&&asked| asked == pair).count();
        let room = RUNNING.saturating_sub(there).min(more);
        backwards.extend(std::iter::repeat_n(pair, room));
        more -= room;
    };
    for other in sequence.into_iter().rev() {
        if other != pair {
            fill(&mut backwards);
        }
        backwards.push(other);
    }
    fill(&mut backwards);
    backwards.reverse();
    // Nothing is left to put between them.
    backwards.extend(std::iter::repeat_n(pair, more));
    backwards
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
            for Duel(left, right) in &asks {
                balance[*left] += 1;
                balance[*right] -= 1;
                *pairs.entry((*left.min(right), *left.max(right))).or_default() += if left < right { 1 } else { -1 };
            }
            let mut chosen: Vec<_> = steps.iter().map(|step| (step.i, step.j)).collect();
            let mut listed: Vec<_> = asks.iter().map(|&Duel(i, j)| (i.min(j), i.max(j))).collect();
            chosen.sort_unstable();
            listed.sort_unstable();
            assert_eq!(chosen, listed);
            assert!(balance.iter().all(|b| b.abs() <= 1), "{balance:?}");
            assert!(pairs.values().all(|b| b.abs() <= 1));
        }
    }

    #[test]
    fn no_pair_is_asked_many_times_running_that_has_less_than_half_of_a_block() {
        let step = |i, j, times| Step { i, j, times, slope: 0.25, cost: 1.0 };
        let steps =
            [step(0, 1, 400), step(1, 2, 380), step(0, 2, 301), step(0, 1, 300), step(1, 2, 500), step(0, 2, 501)];
        let asks = order(3, &steps);
        assert_eq!(asks.len(), 2_382);
        let pair = |duel: &Duel| (duel.0.min(duel.1), duel.0.max(duel.1));
        let mut run = 1;
        for two in asks.windows(2) {
            run = if pair(&two[0]) == pair(&two[1]) { run + 1 } else { 1 };
            assert!(run <= 2);
        }
        // The first choices come first.
        assert_eq!((pair(&asks[0]), pair(&asks[1])), ((0, 1), (1, 2)));
    }

    #[test]
    fn a_pair_that_fills_a_block_is_parted_by_the_questions_after_it() {
        let step = |i, j| Step { i, j, times: 1, slope: 0.25, cost: 1.0 };
        let pairs = |steps: &[Step]| -> Vec<(usize, usize)> {
            order(4, steps).iter().map(|&Duel(i, j)| (i.min(j), i.max(j))).collect()
        };
        let longest = |asked: &[(usize, usize)]| asked.chunk_by(|a, b| a == b).map(<[_]>::len).max();
        // As plans on top of votes are: thirty times the same pair, and then others.
        let mut steps = vec![step(0, 1); 30];
        steps.extend((0..60).map(|n| if n % 2 == 0 { step(0, 2) } else { step(1, 3) }));
        let asked = pairs(&steps);
        assert_eq!(longest(&asked), Some(RUNNING));
        assert_eq!((asked.len(), asked.iter().filter(|&&pair| pair == (0, 1)).count()), (90, 30));
        // It still comes first: two of three questions are on it as long as there are any.
        assert!(asked[..45].iter().filter(|&&pair| pair == (0, 1)).count() >= 29, "{asked:?}");
        // Where there is nothing to put between them, nothing is.
        assert_eq!(pairs(&[step(0, 1); 9]), [(0, 1); 9]);
        let few = pairs(&[vec![step(0, 1); 9], vec![step(2, 3)]].concat());
        assert_eq!(longest(&few), Some(7));
        // Others that were asked before it came up are put between them too.
        let mut late: Vec<Step> = (0..12).map(|n| if n % 2 == 0 { step(0, 2) } else { step(1, 3) }).collect();
        late.extend([step(0, 1); 26]);
        let asked = pairs(&late);
        assert_eq!((asked.len(), longest(&asked)), (38, Some(RUNNING)), "{asked:?}");
        assert_eq!(&asked[..2], &[(0, 1); 2]);
    }
}
