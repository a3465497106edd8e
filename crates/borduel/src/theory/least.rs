//! The least price of points that keep all of a growing number of linear conditions.
//!
//! min ⟨c, x⟩ over x ≥ 0 with ⟨a, x⟩ ≥ 1 for every condition a, c ≥ 0 and a ≥ 0: the dual simplex method on a table,
//! which goes on from where it was when a condition is added.

/// What counts as zero.
const TINY: f64 = 1e-11;
/// The most exchanges after one condition.
const EXCHANGES: usize = 10_000;

/// The table: a row per condition over all x and all slacks, its right side last; in the basis stands one variable a
/// row.
pub(super) struct Least {
    unknowns: usize,
    rows: Vec<Vec<f64>>,
    right: Vec<f64>,
    basis: Vec<usize>,
    /// Reduced costs, never negative.
    costs: Vec<f64>,
}

impl Least {
    /// No conditions yet: x = 0.
    pub(super) fn new(costs: &[f64]) -> Self {
        let (rows, right, basis) = (Vec::new(), Vec::new(), Vec::new());
        Self { unknowns: costs.len(), rows, right, basis, costs: costs.to_vec() }
    }

    /// Adds ⟨a, x⟩ ≥ 1 and finds the least x again; false if there is none.
    pub(super) fn require(&mut self, a: &[f64]) -> bool {
        // −⟨a, x⟩ + slack = −1, seen from the present basis.
        let slack = self.costs.len();
        self.costs.push(0.0);
        self.rows.iter_mut().for_each(|row| row.push(0.0));
        let mut row = vec![0.0; slack + 1];
        row.iter_mut().zip(a).for_each(|(r, a)| *r = -a);
        row[slack] = 1.0;
        let mut right = -1.0;
        for ((known, b), value) in self.rows.iter().zip(&self.basis).zip(&self.right) {
            let factor = row[*b];
            if factor != 0.0 {
                row.iter_mut().zip(known).for_each(|(r, k)| *r -= factor * k);
                right -= factor * value;
            }
        }
        self.rows.push(row);
        self.right.push(right);
        self.basis.push(slack);
        self.restore()
    }

    /// Exchanges until no right side is negative.
    fn restore(&mut self) -> bool {
        for _ in 0..EXCHANGES {
            let (mut out, mut least) = (None, -TINY);
            for (place, value) in self.right.iter().enumerate() {
                if *value < least {
                    (out, least) = (Some(place), *value);
                }
            }
            let Some(out) = out else { return true };
            let (mut enter, mut ratio) = (None, f64::INFINITY);
            for (column, (r, c)) in self.rows[out].iter().zip(&self.costs).enumerate() {
                if *r < -TINY && c / -r < ratio {
                    (enter, ratio) = (Some(column), c / -r);
                }
            }
            let Some(enter) = enter else { return false };
            self.exchange(out, enter);
        }
        false
    }

    fn exchange(&mut self, out: usize, enter: usize) {
        let pivot = self.rows[out][enter];
        self.rows[out].iter_mut().for_each(|x| *x /= pivot);
        self.right[out] /= pivot;
        let (row, value) = (self.rows[out].clone(), self.right[out]);
        for (place, other) in self.rows.iter_mut().enumerate().filter(|(place, _)| *place != out) {
            let factor = other[enter];
            if factor != 0.0 {
                other.iter_mut().zip(&row).for_each(|(x, r)| *x -= factor * r);
                self.right[place] -= factor * value;
            }
        }
        let factor = self.costs[enter];
        self.costs.iter_mut().zip(&row).for_each(|(c, r)| *c = (*c - factor * r).max(0.0));
        self.basis[out] = enter;
    }

    /// The least x.
    pub(super) fn point(&self) -> Vec<f64> {
        let mut x = vec![0.0; self.unknowns];
        for (b, value) in self.basis.iter().zip(&self.right) {
            if *b < self.unknowns {
                x[*b] = value.max(0.0);
            }
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_kept_at_the_least_price() {
        // 2x + y ≥ 1, x + 3y ≥ 1 at the price x + y: they cross at (2/5, 1/5).
        let mut least = Least::new(&[1.0, 1.0]);
        assert!(least.require(&[2.0, 1.0]));
        assert_eq!(least.point(), [0.5, 0.0]);
        assert!(least.require(&[1.0, 3.0]));
        let x = least.point();
        assert!((x[0] - 0.4).abs() < 1e-12 && (x[1] - 0.2).abs() < 1e-12, "{x:?}");
        assert!(!least.require(&[0.0, 0.0]));
    }
}
