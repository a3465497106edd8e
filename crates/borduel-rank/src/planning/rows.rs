//! Vectors of which many entries may be zero: only the others are kept.

use nalgebra::DMatrix;

/// Rows of equal length d.
pub(super) struct Rows {
    /// Where each row begins in `entries`, and the end of the last.
    starts: Vec<usize>,
    /// Column and value of everything that is not zero.
    entries: Vec<(u32, f64)>,
    d: usize,
}

impl Rows {
    /// From all entries, row after row.
    pub(super) fn new(d: usize, dense: &[f64]) -> Self {
        let mut rows = Self { starts: vec![0], entries: Vec::new(), d };
        for row in dense.chunks_exact(d) {
            let entries = row.iter().enumerate().filter(|(_, x)| **x != 0.0);
            rows.entries.extend(entries.map(|(column, x)| (column as u32, *x)));
            rows.starts.push(rows.entries.len());
        }
        rows
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn row(&self, at: usize) -> &[(u32, f64)] {
        &self.entries[self.starts[at]..self.starts[at + 1]]
    }

    /// The product of every row and a vector, and a zero behind the last.
    pub(super) fn times(&self, vector: &[f64]) -> Vec<f64> {
        let product = |at| self.row(at).iter().map(|&(column, x)| x * vector[column as usize]).sum();
        (0..self.len()).map(product).chain([0.0]).collect()
    }

    /// A row, or the difference of two, as columns and values; a column may stand there twice, for the sum of both.
    pub(super) fn difference(&self, row: u32, minus: Option<u32>) -> Vec<(usize, f64)> {
        let signed = |at: u32, sign: f64| self.row(at as usize).iter().map(move |&(c, x)| (c as usize, sign * x));
        signed(row, 1.0).chain(minus.into_iter().flat_map(|minus| signed(minus, -1.0))).collect()
    }

    /// All of them, as columns.
    pub(super) fn transposed(&self) -> DMatrix<f64> {
        let mut columns = DMatrix::zeros(self.d, self.len());
        for at in 0..columns.ncols() {
            self.row(at).iter().for_each(|&(column, x)| columns[(column as usize, at)] = x);
        }
        columns
    }
}
