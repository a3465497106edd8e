//! The graph of comparisons: its connected parts, who can be reached by wins, cycles of majorities.

use super::sums::{Pair, Sums};

/// Who leads to whom: the ends of the edges that begin at each item lie together.
struct Edges {
    /// Where those of each item end.
    ends: Vec<usize>,
    to: Vec<u32>,
}

impl Edges {
    /// Of so many items; those of one item stay in the order in which they are told.
    fn new(items: usize, edges: impl Iterator<Item = (usize, usize)> + Clone) -> Self {
        let mut ends = vec![0; items + 1];
        edges.clone().for_each(|(from, _)| ends[from + 1] += 1);
        (1..ends.len()).for_each(|at| ends[at] += ends[at - 1]);
        // Each end begins where its item does, and has moved to its own place when all edges are in.
        let mut to = vec![0; ends[items]];
        for (from, other) in edges {
            to[ends[from]] = other as u32;
            ends[from] += 1;
        }
        ends.pop();
        Self { ends, to }
    }

    /// Where the edges of an item lead.
    fn of(&self, item: usize) -> &[u32] {
        &self.to[if item == 0 { 0 } else { self.ends[item - 1] }..self.ends[item]]
    }
}

/// From the winner to the loser of every pair; a tie, and votes for either, lead both ways.
fn wins(sums: &Sums) -> impl Iterator<Item = (usize, usize)> + Clone {
    let both = |pair: &Pair| [(pair.wr, pair.i, pair.j), (pair.w - pair.wr, pair.j, pair.i)];
    sums.pairs.iter().flat_map(both).filter(|(won, ..)| *won > 0.0).map(|(_, winner, loser)| (winner, loser))
}

/// The connected parts of the graph of compared pairs: a number for each item, and how many parts there are.
pub(crate) fn components(sums: &Sums) -> (Vec<usize>, usize) {
    let both = |pair: &Pair| [(pair.i, pair.j), (pair.j, pair.i)];
    let neighbours = Edges::new(sums.len(), sums.pairs.iter().flat_map(both));
    let mut part = vec![usize::MAX; sums.len()];
    let mut parts = 0;
    for start in 0..sums.len() {
        if part[start] == usize::MAX {
            reach(start, &neighbours, |item| std::mem::replace(&mut part[item], parts) == usize::MAX);
            parts += 1;
        }
    }
    (part, parts)
}

/// Whether every item can be reached from every other along wins (a tie counts both ways): exactly then a Bradley–Terry
/// fit exists.
pub(crate) fn strongly_connected(sums: &Sums) -> bool {
    let all = |edges: &Edges| {
        let mut seen = vec![false; sums.len()];
        reach(0, edges, |item| !std::mem::replace(&mut seen[item], true));
        seen.iter().all(|&s| s)
    };
    let beaten_by = || Edges::new(sums.len(), wins(sums).map(|(winner, loser)| (loser, winner)));
    all(&Edges::new(sums.len(), wins(sums))) && all(&beaten_by())
}

/// An item that was not visited yet.
const NEW: usize = usize::MAX;

/// The groups within which wins lead from every item to every other (Tarjan's strong components): a number for each
/// item.
pub(crate) fn strong_components(sums: &Sums) -> Vec<usize> {
    let k = sums.len();
    let beats = Edges::new(k, wins(sums));
    let (mut number, mut low, mut part) = (vec![NEW; k], vec![0; k], vec![NEW; k]);
    let (mut waiting, mut next, mut parts) = (Vec::new(), 0, 0);
    for start in 0..k {
        if number[start] != NEW {
            continue;
        }
        // The call stack of the textbook's recursion: an item, and which of its edges comes next.
        let mut open = vec![(start, 0)];
        while let Some(&mut (item, ref mut edge)) = open.last_mut() {
            if *edge == 0 {
                number[item] = next;
                low[item] = next;
                next += 1;
                waiting.push(item);
            }
            if let Some(&other) = beats.of(item).get(*edge) {
                let other = other as usize;
                *edge += 1;
                if number[other] == NEW {
                    open.push((other, 0));
                } else if part[other] == NEW {
                    low[item] = low[item].min(number[other]);
                }
                continue;
            }
            if *edge == 0 {
                *edge = 1;
            }
            open.pop();
            if let Some(&(parent, _)) = open.last() {
                low[parent] = low[parent].min(low[item]);
            }
            if low[item] == number[item] {
                while let Some(member) = waiting.pop() {
                    part[member] = parts;
                    if member == item {
                        break;
                    }
                }
                parts += 1;
            }
        }
    }
    part
}

/// Visits what can be reached from `start`; `enter` says whether an item is new.
fn reach(start: usize, edges: &Edges, mut enter: impl FnMut(usize) -> bool) {
    let mut open = Vec::new();
    if enter(start) {
        open.push(start);
    }
    while let Some(item) = open.pop() {
        open.extend(edges.of(item).iter().map(|&next| next as usize).filter(|&next| enter(next)));
    }
}

/// The item that won the majority against every other, when there is one and every comparison was made.
pub(crate) fn condorcet(sums: &Sums) -> Option<usize> {
    let mut beaten = vec![0; sums.len()];
    for pair in &sums.pairs {
        if pair.share() > 0.5 {
            beaten[pair.i] += 1;
        } else if pair.share() < 0.5 {
            beaten[pair.j] += 1;
        }
    }
    beaten.iter().position(|&n| n + 1 == sums.len())
}
