//! The joint uncertainty of all scores: Cov(B̂) = F Fᵀ, with what is drawn from it and measured in it.
//!
//! Where variances are asked for one by one (see `ways`), Cov(B̂) may be no covariance of anything: F Fᵀ is then what
//! is left of it without its negative eigenvalues, and what is drawn is held against its own standard errors.
//!
//! F has a row an item. It is dense for fitted models, and sparse for observed shares, where a column is a pair or a
//! voter. Up to [`MOST_PAIRWISE`] items F Fᵀ itself is kept too; beyond, nothing of size K² exists.

use crate::stream::Stream;
use nalgebra::DMatrix;

/// Up to so many items all differences of two scores are looked at.
pub(crate) const MOST_PAIRWISE: usize = 3_000;

/// After so many draws it is seen whether they are enough.
const FEW_DRAWS: usize = 16;

/// F by its rows.
#[derive(Clone, Debug)]
enum Factor {
    /// Fᵀ, so that an item's row lies together.
    Dense(DMatrix<f64>),
    /// The non-zero entries (column, value) of every row, by column, and how many columns there are.
    Sparse(Vec<Vec<(u32, f64)>>, usize),
}

/// Cov(B̂).
#[derive(Clone, Debug)]
pub(crate) struct Spread {
    factor: Factor,
    /// The rank of Cov(B̂) at most.
    rank: usize,
    /// Cov(B̂).
    covariance: Option<DMatrix<f64>>,
    /// F Fᵀ where that is another.
    drawn: Option<DMatrix<f64>>,
    /// The standard errors of the scores.
    errors: Vec<f64>,
}

impl Spread {
    /// Makes it from the factor F.
    pub(crate) fn dense(factor: &DMatrix<f64>) -> Self {
        let rows = factor.transpose();
        let covariance = (rows.ncols() <= MOST_PAIRWISE).then(|| factor * &rows);
        let errors = rows.column_iter().map(|row| row.norm()).collect();
        Self { rank: rows.nrows(), factor: Factor::Dense(rows), covariance, drawn: None, errors }
    }

    /// From F Fᵀ.
    pub(crate) fn from_covariance(covariance: DMatrix<f64>) -> Self {
        let errors = covariance.diagonal().iter().map(|v| v.max(0.0).sqrt()).collect();
        let (root, nearest) = super::dense::root_or_nearest(&covariance);
        Self {
            drawn: nearest.then(|| &root * root.transpose()),
            factor: Factor::Dense(root.transpose()),
            rank: covariance.nrows(),
            covariance: Some(covariance),
            errors,
        }
    }

    /// From draws of the scores' errors, a row a draw and a column an item, and what is better known of the standard
    /// errors.
    pub(crate) fn sampled(mut draws: DMatrix<f64>, errors: Vec<f64>) -> Self {
        for (mut column, &error) in draws.column_iter_mut().zip(&errors) {
            let norm = column.norm();
            column *= if norm > 0.0 { error / norm } else { 0.0 };
        }
        let rank = errors.len();
        Self { factor: Factor::Dense(draws), rank, covariance: None, drawn: None, errors }
    }

    /// From the non-zero entries (column, value) of the rows of F, columns in any order and never twice in a row.
    pub(crate) fn sparse(mut rows: Vec<Vec<(u32, f64)>>, columns: usize) -> Self {
        rows.iter_mut().for_each(|row| row.sort_unstable_by_key(|entry| entry.0));
        let errors = rows.iter().map(|row| row.iter().map(|(_, x)| x * x).sum::<f64>().sqrt()).collect();
        let spread =
            Self { factor: Factor::Sparse(rows, columns), rank: columns, covariance: None, drawn: None, errors };
        let k = spread.errors.len();
        if k > MOST_PAIRWISE {
            return spread;
        }
        let Factor::Sparse(rows, _) = &spread.factor else { return spread };
        let mut covariance = DMatrix::zeros(k, k);
        let mut by_column = vec![Vec::new(); columns];
        for (i, row) in rows.iter().enumerate() {
            row.iter().for_each(|&(column, x)| by_column[column as usize].push((i, x)));
        }
        for entries in by_column {
            for &(i, x) in &entries {
                entries.iter().for_each(|&(j, y)| covariance[(i, j)] += x * y);
            }
        }
        Self { covariance: Some(covariance), ..spread }
    }

    /// K.
    pub(crate) fn len(&self) -> usize {
        self.errors.len()
    }

    /// The rank of Cov(B̂) at most.
    pub(crate) fn rank(&self) -> usize {
        self.rank
    }

    /// The number of columns of F.
    fn columns(&self) -> usize {
        match &self.factor {
            Factor::Dense(rows) => rows.nrows(),
            Factor::Sparse(_, columns) => *columns,
        }
    }

    /// What a draw costs, in multiplications.
    pub(crate) fn cost(&self) -> f64 {
        match &self.factor {
            Factor::Dense(rows) => rows.len() as f64,
            Factor::Sparse(rows, columns) => (rows.iter().map(Vec::len).sum::<usize>() + columns) as f64,
        }
    }

    /// The standard error of B̂(i).
    pub(crate) fn error(&self, i: usize) -> f64 {
        self.errors[i]
    }

    /// The standard error of B̂(i) − B̂(j); 0 where rounding is all there is.
    pub(crate) fn difference(&self, i: usize, j: usize) -> f64 {
        let both = self.errors[i].powi(2) + self.errors[j].powi(2);
        let variance = match (&self.covariance, &self.factor) {
            (Some(c), _) => both - 2.0 * c[(i, j)],
            (None, Factor::Dense(rows)) => {
                rows.column(i).iter().zip(rows.column(j).iter()).map(|(a, b)| (a - b) * (a - b)).sum()
            }
            (None, Factor::Sparse(rows, _)) => both - 2.0 * product(&rows[i], &rows[j]),
        };
        if variance > 1e-13 * both { variance.sqrt() } else { 0.0 }
    }

    /// The standard error of B̂(i) − B̂(j) as it is drawn: more than [`Spread::difference`] where Cov(B̂) is no
    /// covariance.
    pub(crate) fn drawn_difference(&self, i: usize, j: usize) -> f64 {
        match &self.drawn {
            Some(c) => (c[(i, i)] + c[(j, j)] - 2.0 * c[(i, j)]).max(0.0).sqrt(),
            None => self.difference(i, j),
        }
    }

    /// Whether a gap is more than c standard errors of B̂(i) − B̂(j). Where the error is a sum over draws, the first
    /// few of them often tell that it is not.
    pub(crate) fn is_exceeded(&self, i: usize, j: usize, c: f64, gap: f64) -> bool {
        let (None, Factor::Dense(rows)) = (&self.covariance, &self.factor) else {
            return gap > c * self.difference(i, j);
        };
        let least = 1e-13 * (self.errors[i].powi(2) + self.errors[j].powi(2));
        let (a, b) = (rows.column(i), rows.column(j));
        let mut variance = 0.0;
        for (a, b) in a.as_slice().chunks(FEW_DRAWS).zip(b.as_slice().chunks(FEW_DRAWS)) {
            a.iter().zip(b).for_each(|(a, b)| variance += (a - b) * (a - b));
            if variance > least && c * variance.sqrt() >= gap {
                return false;
            }
        }
        gap > c * if variance > least { variance.sqrt() } else { 0.0 }
    }

    /// The covariance of B̂(i) and B̂(j).
    pub(crate) fn covariance(&self, i: usize, j: usize) -> f64 {
        match (&self.covariance, &self.factor) {
            (Some(c), _) => c[(i, j)],
            (None, Factor::Dense(rows)) => rows.column(i).dot(&rows.column(j)),
            (None, Factor::Sparse(rows, _)) => product(&rows[i], &rows[j]),
        }
    }

    /// One draw of the scores' errors, F z, for each of these streams; a column a draw.
    pub(crate) fn draws(&self, streams: &mut [Stream]) -> DMatrix<f64> {
        self.draws_by_row(streams).transpose()
    }

    /// The same with a row a draw, so that an item's draws lie together.
    pub(crate) fn draws_by_row(&self, streams: &mut [Stream]) -> DMatrix<f64> {
        let m = self.columns();
        let mut z = DMatrix::zeros(streams.len(), m);
        for (draw, stream) in streams.iter_mut().enumerate() {
            (0..m).for_each(|column| z[(draw, column)] = stream.normal());
        }
        match &self.factor {
            Factor::Dense(rows) => z * rows,
            Factor::Sparse(rows, _) => DMatrix::from_fn(z.nrows(), self.len(), |draw, i| {
                rows[i].iter().map(|&(column, x)| x * z[(draw, column as usize)]).sum()
            }),
        }
    }

    /// The covariance of these items' scores alone.
    pub(crate) fn of(&self, items: &[usize]) -> Self {
        let n = items.len();
        if n == self.len() && items.iter().enumerate().all(|(at, &item)| at == item) {
            return self.clone();
        }
        // Of many items a factor is at hand; of few its covariance is smaller.
        if self.covariance.is_some() || n <= self.columns() {
            return Self::from_covariance(DMatrix::from_fn(n, n, |a, b| self.covariance(items[a], items[b])));
        }
        let factor = match &self.factor {
            Factor::Dense(rows) => Factor::Dense(rows.select_columns(items)),
            Factor::Sparse(rows, columns) => Factor::Sparse(items.iter().map(|&i| rows[i].clone()).collect(), *columns),
        };
        Self {
            factor,
            rank: self.rank,
            covariance: None,
            drawn: None,
            errors: items.iter().map(|&i| self.errors[i]).collect(),
        }
    }
}

/// ⟨a, b⟩ of two sparse rows.
fn product(a: &[(u32, f64)], b: &[(u32, f64)]) -> f64 {
    let (mut at, mut sum) = (0, 0.0);
    for &(column, x) in a {
        while at < b.len() && b[at].0 < column {
            at += 1;
        }
        if at < b.len() && b[at].0 == column {
            sum += x * b[at].1;
        }
    }
    sum
}
