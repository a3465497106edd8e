//! A sparse factor of a graph's Laplacian that is right in the mean (Kyng and Sachdeva 2016): a preconditioner at a
//! cost of the edges, whatever the graph looks like.
//!
//! Eliminating an item exactly would join all its neighbours with each other, at K³ in the end. Here every neighbour a,
//! from the lightest on, is joined with a single heavier one b, drawn with probability w_b/S, S = Σ_{heavier} w, by an
//! edge of weight w_a S/D, D = Σw: in the mean that is what elimination adds. Items with few neighbours come first; a
//! tree is factored exactly.

use super::rows::Row;
use crate::stream::stream;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Where the draws come from. They change how fast a solution is found, not the solution.
const ELIMINATION: u64 = 0xe11;

/// L D Lᵀ, about the Laplacian, in the order of elimination.
#[derive(Clone, Debug)]
pub(super) struct Elimination {
    order: Vec<u32>,
    /// Where each column of L ends in `entries`.
    ends: Vec<usize>,
    /// (row, w/D): minus the entries of L below its unit diagonal.
    entries: Vec<(u32, f64)>,
    /// 1/D, or 0 for the last item of a connected part.
    inverse: Vec<f64>,
}

impl Elimination {
    /// Of the Laplacian of these rows with their weights, plus `ridge` on the diagonal.
    pub(super) fn new(items: usize, rows: &[Row], weights: &[f64], ridge: f64) -> Self {
        let mut around: Vec<Vec<(u32, f64)>> = vec![Vec::new(); items];
        for (row, &w) in rows.iter().zip(weights).filter(|(_, w)| **w > 0.0) {
            around[row.i].push((row.j as u32, w));
            around[row.j].push((row.i as u32, w));
        }
        let mut draw = stream(ELIMINATION, &[items as u64]);
        let mut gone = vec![false; items];
        // Edges of each item, parallel ones counted each; whenever that changes the item is entered anew, and old
        // entries are stale.
        let mut degree: Vec<usize> = around.iter().map(Vec::len).collect();
        let mut waiting: BinaryHeap<Reverse<(usize, u32)>> =
            degree.iter().enumerate().map(|(item, &degree)| Reverse((degree, item as u32))).collect();
        let mut found =
            Self { order: Vec::with_capacity(items), ends: Vec::new(), entries: Vec::new(), inverse: Vec::new() };
        let mut upto = Vec::new();
        while let Some(Reverse((entered, item))) = waiting.pop() {
            let own = item as usize;
            if gone[own] || entered != degree[own] {
                continue;
            }
            let mut list = std::mem::take(&mut around[own]);
            list.retain(|(other, _)| !gone[*other as usize]);
            list.iter().for_each(|(other, _)| degree[*other as usize] -= 1);
            merge(&mut list);
            gone[own] = true;
            list.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
            upto.clear();
            upto.extend(list.iter().scan(0.0, |sum, (_, w)| {
                *sum += w;
                Some(*sum)
            }));
            let all = upto.last().copied().unwrap_or(0.0);
            let pivot = all + ridge;
            for (at, &(a, w)) in list.iter().enumerate() {
                found.entries.push((a, w / pivot));
                if at + 1 < list.len() {
                    let heavier = all - upto[at];
                    let drawn = upto[at] + heavier * draw.uniform();
                    let (b, _) = list[upto.partition_point(|u| *u <= drawn).clamp(at + 1, list.len() - 1)];
                    let weight = w * heavier / pivot;
                    around[a as usize].push((b, weight));
                    around[b as usize].push((a, weight));
                    degree[a as usize] += 1;
                    degree[b as usize] += 1;
                }
            }
            waiting.extend(list.iter().map(|&(other, _)| Reverse((degree[other as usize], other))));
            found.order.push(item);
            found.ends.push(found.entries.len());
            found.inverse.push(if pivot > 0.0 { 1.0 / pivot } else { 0.0 });
        }
        found
    }

    /// y ← (L D Lᵀ)⁺ y, B right-hand sides at once.
    pub(super) fn apply<const B: usize>(&self, y: &mut [[f64; B]]) {
        let starts = std::iter::once(&0).chain(&self.ends);
        for ((&item, &start), &end) in self.order.iter().zip(starts).zip(&self.ends) {
            let own = y[item as usize];
            for &(other, l) in &self.entries[start..end] {
                y[other as usize].iter_mut().zip(own).for_each(|(y, own)| *y += l * own);
            }
        }
        for at in (0..self.order.len()).rev() {
            let start = if at == 0 { 0 } else { self.ends[at - 1] };
            let mut own = y[self.order[at] as usize].map(|y| y * self.inverse[at]);
            for &(other, l) in &self.entries[start..self.ends[at]] {
                own.iter_mut().zip(y[other as usize]).for_each(|(own, y)| *own += l * y);
            }
            y[self.order[at] as usize] = own;
        }
    }
}

/// One edge for each neighbour.
fn merge(list: &mut Vec<(u32, f64)>) {
    list.sort_by_key(|edge| edge.0);
    list.dedup_by(|later, first| {
        let same = later.0 == first.0;
        if same {
            first.1 += later.1;
        }
        same
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_solved_exactly() {
        let mut s = stream(2, &[]);
        let n = 500;
        let rows: Vec<Row> = (1..n).map(|i| Row { i, j: s.below(i), ..Row::default() }).collect();
        let weights: Vec<f64> = rows.iter().map(|_| 0.1 + s.uniform()).collect();
        let truth: Vec<f64> = (0..n).map(|_| s.normal()).collect();
        let mut y = vec![[0.0]; n];
        for (row, w) in rows.iter().zip(&weights) {
            let flow = w * (truth[row.i] - truth[row.j]);
            y[row.i][0] += flow;
            y[row.j][0] -= flow;
        }
        Elimination::new(n, &rows, &weights, 0.0).apply(&mut y);
        let shift = y[0][0] - truth[0];
        assert!((0..n).all(|i| (y[i][0] - truth[i] - shift).abs() < 1e-9));
    }
}
