//! The longest differences y_i − y_j of many items, without looking at pairs that cannot matter.

use super::candidates::{BLOCK, Candidates};
use super::frame::Frame;
use super::top::Top;
use crate::features::{add_scaled, dot};
use nalgebra::{DMatrixView, DMatrixViewMut};

/// How many items a cell holds on average.
const CELL: usize = 32 * BLOCK;

/// So many of the outermost items are compared with each other first, to see how long differences are.
const SAMPLE: usize = 256;

/// Pushes onto `top` every pair of items that is longer than its floor, and returns 0; or, if that would take more than
/// `budget` pairs, the most promising ones, and a bound on ‖y_i − y_j‖² over all others.
///
/// Items are put into cells by where they lie, and in a cell into blocks by their distance from the centre. No
/// difference between two blocks is longer than the sum of their distances r from the common centre, nor than the
/// distance of their own centres plus their radii ρ: min(r_a + r_b, ‖c_a − c_b‖ + ρ_a + ρ_b). The first settles round
/// clouds of items, of which only the outermost count, the second settles clusters. Pairs of blocks are multiplied,
/// widest bound first, as long as the bound exceeds the floor: ‖y_i − y_j‖² = ‖y_i‖² + ‖y_j‖² − 2⟨y_i, y_j⟩.
pub(super) fn search(candidates: &Candidates, frame: &Frame, budget: usize, top: &mut Top) -> f64 {
    let d = candidates.dim();
    let items = Items::outermost(candidates, frame, top);
    let mut todo = Top::new(top.floor, (budget / (BLOCK * BLOCK)).max(1));
    let blocks = items.blocks.len();
    for (a, left) in items.blocks.iter().enumerate() {
        for (b, right) in items.blocks.iter().enumerate().skip(a) {
            let reach = left.reach(right);
            if reach > todo.floor {
                todo.push(reach, a * blocks + b);
            }
        }
    }
    let (todo, rest) = todo.sorted();
    let mut product = vec![0.0; BLOCK * BLOCK];
    for (reach, pair) in todo {
        if reach <= top.floor {
            break;
        }
        let (left, right) = (&items.blocks[pair / blocks], &items.blocks[pair % blocks]);
        multiply(&items.y[left.start * d..left.end * d], &items.y[right.start * d..right.end * d], d, &mut product);
        let squares = &items.squares[left.start..left.end];
        for (j, column) in (right.start..right.end).zip(product.chunks_exact(squares.len())) {
            if items.squares[j] + largest(squares, column) <= top.floor {
                continue;
            }
            for (i, (square, inner)) in (left.start..).zip(squares.iter().zip(column)) {
                let length = items.squares[j] + (square - 2.0 * inner);
                if i < j && length > top.floor {
                    top.push(length, candidates.pair_slot(items.rows[i] as usize, items.rows[j] as usize));
                }
            }
        }
    }
    rest
}

/// Items in a frame, relative to their mean, block after block.
struct Items {
    /// The row of each item among the candidates.
    rows: Vec<u32>,
    y: Vec<f64>,
    squares: Vec<f64>,
    blocks: Vec<Block>,
}

/// At most [`BLOCK`] items that are near each other: where they stand, and what encloses them.
struct Block {
    start: usize,
    end: usize,
    /// The largest distance from the origin.
    distance: f64,
    centre: Vec<f64>,
    /// The largest distance from the block's own centre.
    radius: f64,
}

impl Block {
    fn new(y: &[f64], d: usize, start: usize, end: usize) -> Self {
        let rows = || y[start * d..end * d].chunks_exact(d);
        let mut centre = vec![0.0; d];
        rows().for_each(|row| add_scaled(&mut centre, 1.0 / (end - start) as f64, row));
        let distance = rows().map(|row| dot(row, row)).fold(0.0, f64::max).sqrt();
        let radius = rows().map(|row| distance_squared(row, &centre)).fold(0.0, f64::max).sqrt();
        Self { start, end, distance, centre, radius }
    }

    /// No ‖y_i − y_j‖² between the two blocks is larger; the last factor covers rounding.
    fn reach(&self, other: &Self) -> f64 {
        let by_origin = self.distance + other.distance;
        let by_centres = distance_squared(&self.centre, &other.centre).sqrt() + self.radius + other.radius;
        by_origin.min(by_centres).powi(2) * (1.0 + 1e-12)
    }
}

impl Items {
    /// All items that can be part of a difference that belongs to the longest; raises the floor of `top` where it can.
    fn outermost(candidates: &Candidates, frame: &Frame, top: &mut Top) -> Self {
        let d = candidates.dim();
        let given = candidates.rows();
        let mut mean = vec![0.0; d];
        given.chunks_exact(d).for_each(|row| add_scaled(&mut mean, 1.0 / candidates.len() as f64, row));
        let all: Vec<u32> = (0..candidates.len() as u32).collect();
        let mut distances = Vec::with_capacity(all.len());
        turn(given, d, &mean, frame, &all, |block| {
            for row in block.chunks_exact(d) {
                distances.push((dot(row, row).sqrt(), distances.len() as u32));
            }
        });
        drop(all);
        let farther = |a: &(f64, u32), b: &(f64, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        // The longest differences of the outermost items are a floor for the longest of all.
        if distances.len() > 16 * SAMPLE {
            distances.select_nth_unstable_by(SAMPLE, farther);
            let outer: Vec<u32> = distances[..SAMPLE].iter().map(|x| x.1).collect();
            let mut y = Vec::with_capacity(SAMPLE * d);
            turn(given, d, &mean, frame, &outer, |block| y.extend_from_slice(block));
            let mut sample = top.like();
            for (i, a) in y.chunks_exact(d).enumerate() {
                for b in y.chunks_exact(d).skip(i + 1) {
                    let length = distance_squared(a, b);
                    if length > sample.floor {
                        sample.push(length, 0);
                    }
                }
            }
            // What is as long as the floor itself must still be found.
            top.floor = top.floor.max(sample.sorted().1 * (1.0 - 1e-9));
        }
        let far = distances.iter().map(|x| x.0).fold(0.0, f64::max);
        distances.retain(|x| (x.0 + far).powi(2) * (1.0 + 1e-12) > top.floor);
        distances.sort_unstable_by(farther);
        let outer: Vec<u32> = distances.iter().map(|x| x.1).collect();
        drop(distances);
        let cells = cells(given, d, &mean, frame, &outer);
        let sizes = cells.iter().flat_map(|cell| cell.chunks(BLOCK)).map(<[u32]>::len);
        let ends: Vec<usize> = sizes
            .scan(0, |end, size| {
                *end += size;
                Some(*end)
            })
            .collect();
        let rows = cells.concat();
        let mut y = Vec::with_capacity(rows.len() * d);
        turn(given, d, &mean, frame, &rows, |block| y.extend_from_slice(block));
        let squares = y.chunks_exact(d).map(|row| dot(row, row)).collect();
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let blocks = starts.zip(&ends).map(|(start, end)| Block::new(&y, d, start, *end)).collect();
        Self { rows, y, squares, blocks }
    }
}

/// Sorts items into cells, each in the order given: every item goes to the nearest of some anchors, each of which is,
/// of a sample, the item farthest from the anchors before it. Few items are one cell.
fn cells(given: &[f64], d: usize, mean: &[f64], frame: &Frame, rows: &[u32]) -> Vec<Vec<u32>> {
    let count = (rows.len() / CELL).clamp(1, 64);
    if count == 1 {
        return vec![rows.to_vec()];
    }
    let sample: Vec<u32> = rows.iter().copied().step_by(rows.len() / SAMPLE / 16).collect();
    let mut y = Vec::with_capacity(sample.len() * d);
    turn(given, d, mean, frame, &sample, |block| y.extend_from_slice(block));
    let mut anchors: Vec<f64> = Vec::new();
    let mut nearest = vec![f64::INFINITY; sample.len()];
    let mut next = 0;
    while anchors.len() < count * d {
        let anchor = &y[next * d..(next + 1) * d];
        anchors.extend_from_slice(anchor);
        for (near, row) in nearest.iter_mut().zip(y.chunks_exact(d)) {
            *near = near.min(distance_squared(row, anchor));
        }
        next = (0..nearest.len()).fold(0, |best, k| if nearest[k] > nearest[best] { k } else { best });
    }
    let halves: Vec<f64> = anchors.chunks_exact(d).map(|a| 0.5 * dot(a, a)).collect();
    let mut cells = vec![Vec::new(); count];
    let mut product = vec![0.0; count * BLOCK];
    let mut rest = rows.iter();
    turn(given, d, mean, frame, rows, |block| {
        multiply(&anchors, block, d, &mut product);
        for (column, row) in product.chunks_exact(count).zip(rest.by_ref().take(block.len() / d)) {
            // ‖y − a‖² is smallest where ⟨y, a⟩ − ½‖a‖² is largest.
            let (cell, _) = column
                .iter()
                .zip(&halves)
                .map(|(c, h)| c - h)
                .enumerate()
                .fold((0, f64::NEG_INFINITY), |best, (k, gain)| if gain > best.1 { (k, gain) } else { best });
            cells[cell].push(*row);
        }
    });
    cells
}

/// Calls `each` with W(x − mean) for the given rows, block after block.
fn turn(given: &[f64], d: usize, mean: &[f64], frame: &Frame, rows: &[u32], mut each: impl FnMut(&[f64])) {
    let (mut shifted, mut y) = (Vec::new(), Vec::new());
    for block in rows.chunks(BLOCK) {
        shifted.clear();
        for k in block {
            shifted.extend(given[*k as usize * d..][..d].iter().zip(mean).map(|(x, m)| x - m));
        }
        frame.apply(&shifted, &mut y);
        each(&y);
    }
}

/// ‖a − b‖², in four lanes.
fn distance_squared(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; 4];
    let (x, y) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = x.remainder().iter().zip(y.remainder()).map(|(x, y)| (x - y) * (x - y)).sum();
    for (x, y) in x.zip(y) {
        for k in 0..4 {
            lanes[k] += (x[k] - y[k]) * (x[k] - y[k]);
        }
    }
    rest + lanes.iter().sum::<f64>()
}

/// ⟨a_i, b_j⟩ for the rows of two lists: column j of the product holds the rows of `a` against b_j.
fn multiply(a: &[f64], b: &[f64], d: usize, out: &mut [f64]) {
    let (m, n) = (a.len() / d, b.len() / d);
    // A copy, not a view with exchanged strides: for small matrices nalgebra's gemm writes out of bounds when
    // the *left* factor's rows are strided (its axcpy takes the length of the slice for the number of its elements).
    let left = DMatrixView::from_slice(a, d, m).transpose();
    let right = DMatrixView::from_slice(b, d, n);
    DMatrixViewMut::from_slice(&mut out[..m * n], m, n).gemm(1.0, &left, &right, 0.0);
}

/// max_i (s_i − 2c_i), in four lanes.
fn largest(squares: &[f64], column: &[f64]) -> f64 {
    let mut lanes = [f64::NEG_INFINITY; 4];
    let (s, c) = (squares.chunks_exact(4), column.chunks_exact(4));
    let rest = s.remainder().iter().zip(c.remainder()).map(|(s, c)| s - 2.0 * c).fold(f64::NEG_INFINITY, f64::max);
    for (s, c) in s.zip(c) {
        for k in 0..4 {
            let value = s[k] - 2.0 * c[k];
            lanes[k] = if value > lanes[k] { value } else { lanes[k] };
        }
    }
    lanes.into_iter().fold(rest, f64::max)
}
