//! (Σ weight φφᵀ + ρ) x = b for the graph of compared pairs, by conjugate gradients: at a cost of the pairs, not of K³.

use super::elimination::Elimination;
use super::rows::Regression;
use crate::stream::stream;

/// What is to be solved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct System<'a> {
    pub(crate) votes: Regression<'a>,
    /// A weight for every row.
    pub(crate) weights: &'a [f64],
    /// ρ.
    pub(crate) ridge: f64,
}

/// A system item by item, for many right-hand sides: every item's sum is written once, and neighbours are only read,
/// which several can be at a time. The same numbers are added in the same order as row by row.
#[derive(Clone, Debug)]
pub(crate) struct Graph<'a> {
    system: System<'a>,
    /// Where the neighbours of each item end.
    ends: Vec<usize>,
    /// A neighbour and the weight of the row, in the order of the rows; none of a system with covariates, which goes
    /// row by row.
    edges: Vec<(u32, f64)>,
}

/// What brings a system near the identity.
#[derive(Clone, Debug)]
pub(crate) struct Preconditioner {
    /// Of the strengths, where the diagonal is not good enough.
    elimination: Option<Elimination>,
    /// 1 over the diagonal.
    inverse: Vec<f64>,
}

/// Up to so many items the diagonal preconditions.
pub(super) const FEW: usize = 300;
/// Of more items it does so where it brings a residual to this part of its size within so many steps, as it does when
/// pairs were asked at random: an elimination would then cost far more than it saves. Beside a well-mixed crowd there
/// may be long chains, which a coarser look would not see.
const QUICK: (f64, usize) = (1e-6, 80);
/// Where the look's right-hand side comes from. It changes how fast a solution is found, not the solution.
const LOOK: u64 = 0x100c;
/// Steps at most with the diagonal, for every parameter and at least; and with the elimination.
const STEPS: (usize, usize, usize) = (4, 200, 2_000);

impl System<'_> {
    /// A preconditioner of this system.
    pub(crate) fn preconditioner(&self) -> Preconditioner {
        let votes = &self.votes;
        let mut diagonal = vec![self.ridge; votes.parameters()];
        for (row, &weight) in self.weights.iter().enumerate() {
            diagonal[votes.rows[row].i] += weight;
            diagonal[votes.rows[row].j] += weight;
            votes.z(row).iter().zip(&mut diagonal[votes.items..]).for_each(|(z, d)| *d += weight * z * z);
        }
        let inverse = diagonal.iter().map(|d| if *d > 0.0 { 1.0 / d } else { 0.0 }).collect();
        let mut found = Preconditioner { elimination: None, inverse };
        if votes.items > FEW && !self.is_quick(&found) {
            found.elimination = Some(Elimination::new(votes.items, votes.rows, self.weights, self.ridge));
        }
        found
    }

    /// Whether this preconditioner solves the system in few steps.
    fn is_quick(&self, by: &Preconditioner) -> bool {
        let mut draw = stream(LOOK, &[self.votes.items as u64]);
        let b = (0..self.votes.parameters()).map(|_| [draw.normal()]).collect();
        self.solve_within(by, b, QUICK, |p, out| self.apply(p, out)).1
    }

    /// out ← (Σ weight φφᵀ + ρ) p, B vectors at once.
    fn apply<const B: usize>(&self, p: &[[f64; B]], out: &mut [[f64; B]]) {
        let votes = &self.votes;
        out.iter_mut().zip(p).for_each(|(out, p)| *out = p.map(|x| self.ridge * x));
        for (at, (row, &weight)) in votes.rows.iter().zip(self.weights).enumerate() {
            let (a, b) = (p[row.i], p[row.j]);
            let mut flow: [f64; B] = std::array::from_fn(|c| a[c] - b[c]);
            let z = votes.z(at);
            for (z, p) in z.iter().zip(&p[votes.items..]) {
                (0..B).for_each(|c| flow[c] += z * p[c]);
            }
            flow.iter_mut().for_each(|f| *f *= weight);
            (0..B).for_each(|c| out[row.i][c] += flow[c]);
            (0..B).for_each(|c| out[row.j][c] -= flow[c]);
            for (z, out) in z.iter().zip(&mut out[votes.items..]) {
                (0..B).for_each(|c| out[c] += z * flow[c]);
            }
        }
    }

    /// x for B right-hand sides at once, each to this part of the size that the residual had at first (as the
    /// preconditioner measures it).
    ///
    /// Without ρ a common shift of all strengths changes nothing, and no residual can have such a part: what rounding
    /// makes of one is taken out, or steps along it would grow without end.
    pub(crate) fn solve<const B: usize>(&self, by: &Preconditioner, b: Vec<[f64; B]>, tolerance: f64) -> Vec<[f64; B]> {
        self.solve_within(by, b, (tolerance, self.most_steps(by)), |p, out| self.apply(p, out)).0
    }

    fn most_steps(&self, by: &Preconditioner) -> usize {
        if by.elimination.is_some() { STEPS.2 } else { (STEPS.0 * self.votes.parameters()).max(STEPS.1) }
    }

    /// The same in so many steps at most, and whether they were enough. Where vectors are long a step takes as long as
    /// going through them does: that is done as seldom as can be.
    fn solve_within<const B: usize>(
        &self,
        by: &Preconditioner,
        b: Vec<[f64; B]>,
        (tolerance, steps): (f64, usize),
        apply: impl Fn(&[[f64; B]], &mut [[f64; B]]),
    ) -> (Vec<[f64; B]>, bool) {
        let (n, items) = (self.votes.parameters(), self.votes.items);
        // By how much the strengths' part of a residual of this sum is shifted.
        let shift = |sum: [f64; B]| if self.ridge == 0.0 { sum.map(|sum| sum / items as f64) } else { [0.0; B] };
        let mut x = vec![[0.0; B]; n];
        let mut r = b;
        let mut sum = [0.0; B];
        r[..items].iter().for_each(|r| (0..B).for_each(|c| sum[c] += r[c]));
        let mut y = vec![[0.0; B]; n];
        let mut rho = by.apply(&mut r, items, shift(sum), &mut y);
        let mut p = y.clone();
        let first = rho;
        let mut open = [true; B];
        let mut q = vec![[0.0; B]; n];
        for _ in 0..steps {
            (0..B).for_each(|c| open[c] = open[c] && rho[c] > tolerance * tolerance * first[c] && rho[c] > 0.0);
            if !open.contains(&true) {
                return (x, true);
            }
            apply(&p, &mut q);
            let curvature = dots(&p, &q);
            (0..B).for_each(|c| open[c] = open[c] && curvature[c] > 0.0);
            let alpha: [f64; B] = std::array::from_fn(|c| if open[c] { rho[c] / curvature[c] } else { 0.0 });
            let mut sum = [0.0; B];
            for (at, ((x, r), (p, q))) in x.iter_mut().zip(&mut r).zip(p.iter().zip(&q)).enumerate() {
                (0..B).for_each(|c| x[c] += alpha[c] * p[c]);
                (0..B).for_each(|c| r[c] -= alpha[c] * q[c]);
                if at < items {
                    (0..B).for_each(|c| sum[c] += r[c]);
                }
            }
            let next = by.apply(&mut r, items, shift(sum), &mut y);
            let beta: [f64; B] = std::array::from_fn(|c| if open[c] { next[c] / rho[c] } else { 0.0 });
            rho = next;
            for (p, y) in p.iter_mut().zip(&y) {
                (0..B).for_each(|c| p[c] = y[c] + beta[c] * p[c]);
            }
        }
        (x, false)
    }
}

impl<'a> Graph<'a> {
    pub(crate) fn new(system: System<'a>) -> Self {
        let votes = &system.votes;
        if votes.covariates > 0 {
            return Self { system, ends: Vec::new(), edges: Vec::new() };
        }
        let mut ends = vec![0; votes.items + 1];
        for row in votes.rows {
            ends[row.i + 1] += 1;
            ends[row.j + 1] += 1;
        }
        (1..ends.len()).for_each(|at| ends[at] += ends[at - 1]);
        // Each end begins where its item does, and has moved to its own place when all rows are in.
        let mut edges = vec![(0, 0.0); 2 * votes.rows.len()];
        for (row, &weight) in votes.rows.iter().zip(system.weights) {
            for (own, other) in [(row.i, row.j), (row.j, row.i)] {
                edges[ends[own]] = (other as u32, weight);
                ends[own] += 1;
            }
        }
        ends.pop();
        Self { system, ends, edges }
    }

    /// As [`System::solve`].
    pub(crate) fn solve<const B: usize>(&self, by: &Preconditioner, b: Vec<[f64; B]>, tolerance: f64) -> Vec<[f64; B]> {
        let limits = (tolerance, self.system.most_steps(by));
        self.system.solve_within(by, b, limits, |p, out| self.apply(p, out)).0
    }

    fn apply<const B: usize>(&self, p: &[[f64; B]], out: &mut [[f64; B]]) {
        if self.edges.is_empty() {
            return self.system.apply(p, out);
        }
        let mut start = 0;
        for ((own, out), &end) in p.iter().zip(out).zip(&self.ends) {
            let mut sum = own.map(|x| self.system.ridge * x);
            for &(other, weight) in &self.edges[start..end] {
                let other = &p[other as usize];
                (0..B).for_each(|c| sum[c] += weight * (own[c] - other[c]));
            }
            *out = sum;
            start = end;
        }
    }
}

impl Preconditioner {
    /// Takes the shift off the first items of r, brings y near what solves the system for r, and gives ⟨r, y⟩.
    fn apply<const B: usize>(&self, r: &mut [[f64; B]], items: usize, shift: [f64; B], y: &mut [[f64; B]]) -> [f64; B] {
        let mut sums = [0.0; B];
        for (at, ((r, y), d)) in r.iter_mut().zip(y.iter_mut()).zip(&self.inverse).enumerate() {
            if at < items {
                (0..B).for_each(|c| r[c] -= shift[c]);
            }
            *y = r.map(|r| r * d);
            (0..B).for_each(|c| sums[c] += r[c] * y[c]);
        }
        let Some(elimination) = &self.elimination else { return sums };
        y[..items].copy_from_slice(&r[..items]);
        elimination.apply(&mut y[..items]);
        dots(r, y)
    }
}

/// ⟨a, b⟩ column by column.
fn dots<const B: usize>(a: &[[f64; B]], b: &[[f64; B]]) -> [f64; B] {
    let mut sums = [0.0; B];
    for (a, b) in a.iter().zip(b) {
        (0..B).for_each(|c| sums[c] += a[c] * b[c]);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::super::points::Points;
    use super::super::rows::Row;
    use super::*;

    #[test]
    fn many_items_a_long_chain_and_covariates_are_solved() {
        let mut s = stream(4, &[]);
        for (n, extra, covariates, ridge) in
            [(50, 100, 0, 0.0), (2_000, 3_000, 2, 0.0), (2_000, 20, 0, 0.0), (900, 0, 1, 0.3)]
        {
            // A chain, with some shortcuts.
            let mut rows: Vec<Row> = (1..n).map(|i| Row { i, j: i - 1, ..Row::default() }).collect();
            rows.extend((0..extra).map(|_| {
                let i = s.below(n);
                Row { i, j: (i + 1 + s.below(n - 1)) % n, ..Row::default() }
            }));
            let z: Vec<f64> = (0..rows.len() * covariates).map(|_| s.normal()).collect();
            let weights: Vec<f64> = rows.iter().map(|_| 0.01 + s.uniform()).collect();
            let votes = Regression { items: n, rows: &rows, z: &z, covariates, points: Points::default() };
            let system = System { votes, weights: &weights, ridge };
            let truth: Vec<[f64; 3]> = (0..votes.parameters()).map(|_| [s.normal(), s.normal(), s.normal()]).collect();
            let mut b = vec![[0.0; 3]; truth.len()];
            system.apply(&truth, &mut b);
            let x = system.solve(&system.preconditioner(), b.clone(), 1e-12);
            assert_eq!(Graph::new(system).solve(&system.preconditioner(), b, 1e-12), x, "to the last bit");
            for c in 0..3 {
                let shift = if ridge == 0.0 { x[0][c] - truth[0][c] } else { 0.0 };
                let off = |at: usize| (x[at][c] - truth[at][c] - if at < n { shift } else { 0.0 }).abs();
                let most = (0..truth.len()).map(off).fold(0.0, f64::max);
                assert!(most < 1e-6, "{n} {extra}: {most}");
            }
        }
    }
}
