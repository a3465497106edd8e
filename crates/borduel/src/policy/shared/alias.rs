//! Walker's alias table: a draw from any fixed distribution for the price of one look-up.

use crate::stream::Stream;
use serde::{Deserialize, Serialize};
use std::hint::select_unpredictable;

/// A distribution over 0..n, ready to be drawn from.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Alias {
    cells: Vec<Bin>,
    /// Work space of the construction, kept so that rebuilding allocates nothing.
    #[serde(skip)]
    small: Vec<u32>,
    #[serde(skip)]
    large: Vec<u32>,
}

/// A column: itself below the cut, else the other.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Bin {
    cut: f64,
    other: u32,
}

impl Alias {
    /// Makes the table for weights that are finite, not negative, and not all zero (Vose's construction).
    pub(crate) fn rebuild(&mut self, weights: impl Iterator<Item = f64>) {
        self.cells.clear();
        self.cells.extend(weights.enumerate().map(|(i, weight)| Bin { cut: weight, other: i as u32 }));
        let n = self.cells.len();
        let total: f64 = self.cells.iter().map(|cell| cell.cut).sum();
        self.cells.iter_mut().for_each(|cell| cell.cut = cell.cut * n as f64 / total);
        for list in [&mut self.small, &mut self.large] {
            list.clear();
            list.reserve(n);
        }
        for (i, cell) in self.cells.iter().enumerate() {
            if cell.cut < 1.0 { self.small.push(i as u32) } else { self.large.push(i as u32) }
        }
        while let (Some(&under), Some(&over)) = (self.small.last(), self.large.last()) {
            self.small.pop();
            self.cells[under as usize].other = over;
            let rest = self.cells[over as usize].cut - (1.0 - self.cells[under as usize].cut);
            self.cells[over as usize].cut = rest;
            if rest < 1.0 {
                self.large.pop();
                self.small.push(over);
            }
        }
        // Whatever rounding left over is a full column.
        for &i in self.small.iter().chain(&self.large) {
            self.cells[i as usize].cut = 1.0;
        }
    }

    /// An index with probability in proportion to its weight.
    #[inline]
    pub(crate) fn draw(&self, stream: &mut Stream) -> usize {
        self.locate(stream.bits()).index
    }

    /// Where 64 random bits fall: the high part of bits · n chooses the column, the low part is compared with its cut.
    #[inline]
    pub(crate) fn locate(&self, bits: u64) -> Spot {
        let product = u128::from(bits) * self.cells.len() as u128;
        let column = (product >> 64) as usize;
        let fraction = (product as u64 >> 11) as f64 * (1.0 / (1_u64 << 53) as f64);
        let cell = self.cells[column];
        // Nobody can predict which it is.
        let below = fraction < cell.cut;
        let index = select_unpredictable(below, column, cell.other as usize);
        let (start, width) = if below { (0.0, cell.cut) } else { (cell.cut, 1.0 - cell.cut) };
        Spot { index, place: fraction - start, width }
    }
}

/// An index that was drawn, and what is left of the random number: uniform on [0, width), whatever the index.
pub(crate) struct Spot {
    pub(crate) index: usize,
    pub(crate) place: f64,
    pub(crate) width: f64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::stream;

    #[test]
    fn the_table_holds_the_weights_exactly() {
        let mut s = stream(1, &[]);
        let mut alias = Alias::default();
        for n in [1, 2, 3, 10, 257] {
            let weights: Vec<f64> =
                (0..n).map(|i| if i % 7 == 3 { 0.0 } else { s.uniform() * 10.0_f64.powi(i % 9) }).collect();
            alias.rebuild(weights.iter().copied());
            let total: f64 = weights.iter().sum();
            let mut mass = vec![0.0; weights.len()];
            for (i, cell) in alias.cells.iter().enumerate() {
                mass[i] += cell.cut / weights.len() as f64;
                mass[cell.other as usize] += (1.0 - cell.cut) / weights.len() as f64;
            }
            assert!(mass.iter().zip(&weights).all(|(m, w)| (m - w / total).abs() < 1e-12));
        }
    }

    #[test]
    fn draws_follow_the_weights() {
        let mut alias = Alias::default();
        alias.rebuild([1.0, 0.0, 2.0, 5.0].into_iter());
        let mut s = stream(2, &[]);
        let mut seen = [0.0_f64; 4];
        (0..80_000).for_each(|_| seen[alias.draw(&mut s)] += 1.0);
        assert_eq!(seen[1], 0.0);
        for (count, expected) in seen.iter().zip([1e4, 0.0, 2e4, 5e4]) {
            assert!((count - expected).abs() <= 4.0 * f64::sqrt(expected), "{seen:?}");
        }
    }
}
