//! Fewer vectors, the same information: at most d(d+1)/2 of them can be independent as matrices yyᵀ.

/// Takes weight away along null vectors of {yyᵀ}, so that Σ w yyᵀ stays what it is, Σ w does not grow, and the vectors
/// that keep weight are linearly independent as matrices.
///
/// The columns vech(yyᵀ), heaviest first, are brought to reduced echelon form: some become a basis, and the rest are
/// written in it. A vector outside the basis is a null direction: its weight is moved onto the basis (or the other way,
/// if that is the way in which the total falls) until it, or a basis vector that it then replaces, has none left.
pub(super) fn reduce(d: usize, rows: &[f64], weights: &mut [f64]) {
    let n = weights.len();
    let height = d * (d + 1) / 2;
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|a, b| weights[*b].total_cmp(&weights[*a]).then(a.cmp(b)));
    // Column c of the table belongs to vector order[c].
    let mut table: Vec<Vec<f64>> = order.iter().map(|k| outer(&rows[k * d..(k + 1) * d])).collect();
    // basis[i] = (row of the table, column) of the i-th basis vector.
    let mut basis: Vec<(usize, usize)> = Vec::new();
    let mut taken = vec![false; height];
    let mut outside = Vec::new();
    for c in 0..n {
        let size = table[c].iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let pivot = (0..height)
            .filter(|r| !taken[*r])
            .fold(None, |best: Option<usize>, r| match best {
                Some(b) if table[c][b].abs() >= table[c][r].abs() => Some(b),
                _ => Some(r),
            })
            .filter(|r| table[c][*r].abs() > 1e-9 * size.max(1e-300));
        match pivot {
            Some(row) => {
                eliminate(&mut table, row, c, c + 1..n, &outside);
                taken[row] = true;
                basis.push((row, c));
            }
            None => outside.push(c),
        }
    }
    while let Some(c) = outside.pop() {
        // One unit of vector c equals Σ share_i of the basis vectors.
        let shares: Vec<f64> = basis.iter().map(|(row, _)| table[c][*row]).collect();
        // Taking weight off c adds its shares to the basis; the total changes by Σ shares − 1 per unit.
        let off = shares.iter().sum::<f64>() <= 1.0;
        let sign = if off { 1.0 } else { -1.0 };
        let limit = if off { weights[order[c]] } else { f64::INFINITY };
        let (step, leaving) = basis.iter().enumerate().fold((limit, None), |best, (i, (_, b))| {
            let falls = -sign * shares[i];
            let reach = if falls > 1e-12 { weights[order[*b]] / falls } else { f64::INFINITY };
            if reach < best.0 { (reach, Some(i)) } else { best }
        });
        for ((_, b), share) in basis.iter().zip(&shares) {
            weights[order[*b]] = (weights[order[*b]] + sign * step * share).max(0.0);
        }
        weights[order[c]] = (weights[order[c]] - sign * step).max(0.0);
        match leaving {
            None => weights[order[c]] = 0.0,
            Some(i) => {
                let (row, b) = basis[i];
                weights[order[b]] = 0.0;
                basis[i] = (row, c);
                eliminate(&mut table, row, c, 0..0, &outside);
            }
        }
    }
}

/// The lower triangle of yyᵀ.
fn outer(y: &[f64]) -> Vec<f64> {
    (0..y.len()).flat_map(|i| (0..=i).map(move |j| y[i] * y[j])).collect()
}

/// Makes column `c` a unit column of `row` by row operations on the columns of interest.
fn eliminate(table: &mut [Vec<f64>], row: usize, c: usize, range: std::ops::Range<usize>, outside: &[usize]) {
    let pivot = std::mem::take(&mut table[c]);
    for k in range.chain(outside.iter().copied()) {
        let column = &mut table[k];
        let factor = column[row] / pivot[row];
        if factor != 0.0 {
            column.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= factor * p);
            column[row] = factor;
        }
    }
}
