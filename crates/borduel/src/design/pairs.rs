//! The longest differences y_i − y_j of many items, without looking at pairs that cannot matter.

use super::candidates::{BLOCK, Candidates, Top};
use super::frame::Frame;
use crate::features::{add_scaled, dot};
use nalgebra::DMatrixView;

/// Pushes pairs onto `top` and returns a bound on ‖y_i − y_j‖² over all pairs not looked at, or 0 where every pair that
/// could be longer than `top.floor` was.
///
/// No pair is longer than the sum of its distances r_i + r_j from the centre. So items are sorted by r, far ones first,
/// and blocks of items are multiplied with blocks of items, in the order of that sum, as long as it exceeds the floor:
/// ‖y_i − y_j‖² = r_i² + r_j² − 2⟨y_i, y_j⟩.
pub(super) fn search(candidates: &Candidates, frame: &Frame, budget: usize, top: &mut Top) -> f64 {
    let d = candidates.dim();
    let centre = centre(candidates.rows(), d);
    let radii = radii(candidates.rows(), d, &centre, frame);
    let outermost = radii.iter().copied().fold(0.0, f64::max);
    let inner = top.floor.sqrt() - outermost;
    let mut order: Vec<u32> = (0..radii.len() as u32).filter(|k| radii[*k as usize] >= inner).collect();
    order.sort_unstable_by(|a, b| radii[*b as usize].total_cmp(&radii[*a as usize]).then(a.cmp(b)));
    let y = gather(candidates.rows(), d, &centre, frame, &order);
    let r: Vec<f64> = order.iter().map(|k| radii[*k as usize]).collect();
    let squares: Vec<f64> = y.chunks_exact(d).map(|row| dot(row, row)).collect();

    let blocks = order.len().div_ceil(BLOCK);
    let mut product = vec![0.0; BLOCK * BLOCK];
    let mut looked = 0;
    for diagonal in 0..2 * blocks {
        let mut any = false;
        // The block pairs (a, b) with a ≤ b and a + b = diagonal.
        for a in diagonal.saturating_sub(blocks - 1)..=diagonal / 2 {
            let b = diagonal - a;
            let reach = r[a * BLOCK] + r[b * BLOCK];
            if reach * reach * (1.0 + 1e-12) <= top.floor {
                continue;
            }
            if looked >= budget {
                return bound(&r, blocks, diagonal, a);
            }
            any = true;
            let left = a * BLOCK..order.len().min((a + 1) * BLOCK);
            let right = b * BLOCK..order.len().min((b + 1) * BLOCK);
            looked += left.len() * right.len();
            multiply(&y[left.start * d..left.end * d], &y[right.start * d..right.end * d], d, &mut product);
            for (j, column) in right.clone().zip(product.chunks_exact(left.len())) {
                let squares_left = &squares[left.clone()];
                if squares[j] + largest(squares_left, column) <= top.floor {
                    continue;
                }
                for (i, (square, inner)) in left.clone().zip(squares_left.iter().zip(column)) {
                    let length = squares[j] + (square - 2.0 * inner);
                    if i < j && length > top.floor {
                        top.push(length, candidates.pair_slot(order[i] as usize, order[j] as usize));
                    }
                }
            }
        }
        if !any && diagonal >= blocks {
            break;
        }
    }
    0.0
}

/// The largest (r_i + r_j)² over the block pairs from (a, diagonal − a) on.
fn bound(r: &[f64], blocks: usize, diagonal: usize, a: usize) -> f64 {
    let reach = |a: usize, b: usize| r[a * BLOCK] + r[b * BLOCK];
    let rest_of_this = (a..=diagonal / 2).map(|a| reach(a, diagonal - a));
    let later = (0..blocks).filter_map(|a| {
        let b = a.max((diagonal + 1).saturating_sub(a));
        (b < blocks).then(|| reach(a, b))
    });
    let widest = rest_of_this.chain(later).fold(0.0, f64::max);
    widest * widest
}

/// max_i (s_i − 2 c_i), in four lanes.
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

/// ⟨a_i, b_j⟩ for the rows of two lists: column j of the product holds the rows of `a` against b_j.
fn multiply(a: &[f64], b: &[f64], d: usize, out: &mut [f64]) {
    let (m, n) = (a.len() / d, b.len() / d);
    let left = DMatrixView::from_slice(a, d, m).transpose();
    let right = DMatrixView::from_slice(b, d, n);
    nalgebra::DMatrixViewMut::from_slice(&mut out[..m * n], m, n).gemm(1.0, &left, &right, 0.0);
}

/// The mean of all rows.
fn centre(rows: &[f64], d: usize) -> Vec<f64> {
    let mut sum = vec![0.0; d];
    let n = (rows.len() / d) as f64;
    rows.chunks_exact(d).for_each(|row| add_scaled(&mut sum, 1.0 / n, row));
    sum
}

/// ‖W(x − centre)‖ for every row.
fn radii(rows: &[f64], d: usize, centre: &[f64], frame: &Frame) -> Vec<f64> {
    let mut radii = Vec::with_capacity(rows.len() / d);
    let (mut shifted, mut y) = (Vec::new(), Vec::new());
    for block in rows.chunks(BLOCK * d) {
        shifted.clear();
        block.chunks_exact(d).for_each(|row| shifted.extend(row.iter().zip(centre).map(|(x, c)| x - c)));
        frame.apply(&shifted, &mut y);
        radii.extend(y.chunks_exact(d).map(|row| dot(row, row).sqrt()));
    }
    radii
}

/// W(x − centre) for the rows in `order`.
fn gather(rows: &[f64], d: usize, centre: &[f64], frame: &Frame, order: &[u32]) -> Vec<f64> {
    let mut all = Vec::with_capacity(order.len() * d);
    let (mut shifted, mut y) = (Vec::new(), Vec::new());
    for block in order.chunks(BLOCK) {
        shifted.clear();
        for k in block {
            let row = &rows[*k as usize * d..(*k as usize + 1) * d];
            shifted.extend(row.iter().zip(centre).map(|(x, c)| x - c));
        }
        frame.apply(&shifted, &mut y);
        all.extend_from_slice(&y);
    }
    all
}
