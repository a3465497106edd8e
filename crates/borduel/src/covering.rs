//! Items that fill a box, or a cloud of very many: an ε-net of representatives, and what it can cost at most to choose
//! among them alone. For items that are given one by one see [`Net`].
//!
//! The items are the points u of a box of at most four dimensions, φ(u,v) = x(u) − x(v), and ‖x(u) − x(v)‖ ≤ L ‖u − v‖
//! in Euclidean norms. The box is cut into equal cells whose half diagonal is at most ε; their centres stand for all
//! items (the paper's remark on infinitely many arms, made finite). Opponents are uniform over the box: B(u) = E_v
//! μ(⟨x(u) − x(v), θ⟩).
//!
//! With c = L_μ ‖θ‖ L ε no point's score differs from its representative's by more than c. As μ increases, B(u)
//! increases with ⟨x(u), θ⟩ whoever the opponents are: the winner î of the net is the representative of the largest
//! utility, and wins among the representatives whatever their share of all items. So max B ≤ B(rep) + c ≤ B(î) + c, and
//! a round of (î, î) costs at most 2c.

use crate::Link;
use crate::duel::Arm;
use crate::features::Features;
use crate::{Error, Result};
use std::fmt;

mod points;

pub use points::Net;

/// The most dimensions of a box.
pub const MOST_DIMENSIONS: usize = 4;

/// The most points that a covering may have.
pub const MOST_POINTS: usize = 1 << 20;

/// Representatives of a box: the centres of equal cells.
///
/// ```
/// use borduel::{Link, covering::Covering};
/// // Prices and sizes; the map is linear, and no steeper than 0.5.
/// let net = Covering::new(&[(0.0, 1.0), (0.0, 1.0)], 0.05, 0.5)?;
/// let features = net.features(2, |u, x| x.copy_from_slice(&[0.5 * u[0], 0.3 * u[1]]))?;
/// assert_eq!(features.items(), net.len());
/// let loss = net.loss(Link::Logistic, 2.0)?;
/// assert!(loss.regret < 0.03);
/// # Ok::<(), borduel::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Covering {
    bounds: Vec<(f64, f64)>,
    /// Cells along every axis.
    cells: Vec<usize>,
    lipschitz: f64,
    /// The centres, row by row, the last axis fastest.
    points: Vec<f64>,
}

/// What it costs at most that only representatives are considered, by the head of this file.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Loss {
    /// c: how much a point's score may differ from its representative's.
    pub point: f64,
    /// max B − B(winner of the net).
    pub winner: f64,
    /// Regret per round of asking about that winner for ever.
    pub regret: f64,
}

impl Loss {
    /// c = L_μ ‖θ‖ · radius, and what follows from it.
    fn new(link: Link, norm: f64, radius: f64) -> Result<Self> {
        if !(norm >= 0.0 && norm.is_finite()) {
            return Err(Error::setting("norm", norm, "must be a number that is not negative"));
        }
        let point = link.lipschitz() * norm * radius;
        Ok(Self { point, winner: point, regret: 2.0 * point })
    }
}

/// Refuses what is not a positive number.
fn positive(name: &'static str, value: f64) -> Result<()> {
    if value > 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(Error::setting(name, value, "must be a positive number"))
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "covering costs at most {:.4} of Borda score at a point, {:.4} at the winner, and {:.4} of regret a round",
            self.point, self.winner, self.regret
        )
    }
}

impl Covering {
    /// Of the box between these bounds, so that no point is farther than `radius` from its representative, for a map
    /// with this Lipschitz constant.
    pub fn new(bounds: &[(f64, f64)], radius: f64, lipschitz: f64) -> Result<Self> {
        let m = bounds.len();
        if m == 0 || m > MOST_DIMENSIONS {
            return Err(Error::setting("bounds", m, format!("a box has 1 to {MOST_DIMENSIONS} dimensions")));
        }
        if let Some((low, high)) = bounds.iter().find(|(low, high)| !(high - low > 0.0 && (high - low).is_finite())) {
            return Err(Error::setting(
                "bounds",
                format!("({low}, {high})"),
                "give two numbers, the smaller one first",
            ));
        }
        positive("radius", radius)?;
        positive("lipschitz", lipschitz)?;
        // Half a cell's side is at most ε/√m, so that half its diagonal is at most ε.
        let side = 2.0 * radius / (m as f64).sqrt();
        let wanted: Vec<f64> =
            bounds.iter().map(|(low, high)| ((high - low) / side * (1.0 - 1e-12)).ceil().max(1.0)).collect();
        let count: f64 = wanted.iter().product();
        if count > MOST_POINTS as f64 {
            let reason = format!("it needs {count:.3e} representatives, more than {MOST_POINTS}: take a larger one");
            return Err(Error::setting("radius", radius, reason));
        }
        let cells: Vec<usize> = wanted.iter().map(|n| *n as usize).collect();
        Ok(Self::of_cells(bounds, cells, lipschitz))
    }

    fn of_cells(bounds: &[(f64, f64)], cells: Vec<usize>, lipschitz: f64) -> Self {
        let count = cells.iter().product();
        let mut points = Vec::with_capacity(count * cells.len());
        for index in 0..count {
            for ((place, n), (low, high)) in places(index, &cells).iter().zip(&cells).zip(bounds) {
                points.push(low + (high - low) * (*place as f64 + 0.5) / *n as f64);
            }
        }
        Self { bounds: bounds.to_vec(), cells, lipschitz, points }
    }

    /// The number of representatives.
    #[expect(clippy::len_without_is_empty, reason = "there is always one")]
    pub fn len(&self) -> usize {
        self.points.len() / self.cells.len()
    }

    /// A representative.
    ///
    /// # Panics
    /// If there is none of this number.
    pub fn point(&self, arm: Arm) -> &[f64] {
        let m = self.cells.len();
        &self.points[arm * m..(arm + 1) * m]
    }

    /// The representative of a point; of a point outside of the box, that of the nearest within.
    pub fn representative(&self, point: &[f64]) -> Arm {
        let axes = point.iter().zip(&self.bounds).zip(&self.cells);
        axes.fold(0, |index, ((x, (low, high)), cells)| {
            // A negative or undefined number becomes 0.
            let place = ((x - low) / (high - low) * *cells as f64) as usize;
            index * cells + place.min(cells - 1)
        })
    }

    /// The largest distance of a point from its representative: half the diagonal of a cell.
    pub fn radius(&self) -> f64 {
        let sides = self.bounds.iter().zip(&self.cells).map(|((low, high), n)| (high - low) / *n as f64);
        0.5 * sides.map(|side| side * side).sum::<f64>().sqrt()
    }

    /// x of every representative, as features; `map` writes x(u), of length `dim`.
    ///
    /// Neighbours that differ by more than the Lipschitz constant allows are an error: the loss would mean nothing.
    pub fn features(&self, dim: usize, map: impl Fn(&[f64], &mut [f64])) -> Result<Features> {
        let mut rows = vec![0.0; self.len() * dim];
        if dim > 0 {
            rows.chunks_exact_mut(dim).enumerate().for_each(|(arm, row)| map(self.point(arm), row));
        }
        let mut stride = 1;
        for axis in (0..self.cells.len()).rev() {
            let (low, high) = self.bounds[axis];
            let allowed = self.lipschitz * (high - low) / self.cells[axis] as f64 * (1.0 + 1e-9);
            let last = |arm: Arm| arm / stride % self.cells[axis] + 1 == self.cells[axis];
            for arm in (0..self.len()).filter(|arm| !last(*arm)) {
                let other = arm + stride;
                let steps = rows[arm * dim..(arm + 1) * dim].iter().zip(&rows[other * dim..(other + 1) * dim]);
                let distance = steps.map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
                if distance > allowed {
                    let (from, to) = (self.point(arm), self.point(other));
                    let reason = format!("the map is steeper: between {from:?} and {to:?} it moves by {distance}");
                    return Err(Error::setting("lipschitz", self.lipschitz, reason));
                }
            }
            stride *= self.cells[axis];
        }
        Features::differences(self.len(), dim, &rows)
    }

    /// What the covering costs at most, for a parameter no longer than `norm`.
    pub fn loss(&self, link: Link, norm: f64) -> Result<Loss> {
        Loss::new(link, norm, self.lipschitz * self.radius())
    }
}

/// The place of a cell along every axis.
fn places(mut index: usize, cells: &[usize]) -> [usize; MOST_DIMENSIONS] {
    let mut places = [0; MOST_DIMENSIONS];
    for (axis, n) in cells.iter().enumerate().rev() {
        places[axis] = index % n;
        index /= n;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::borda::{self, Borda};
    use crate::features::dot;
    use crate::stream::stream;

    /// A curved surface; its Jacobian has rows 0.3(cos u, 0), 0.3(0, −sin v), 0.3(cos(u+v), cos(u+v)), so its norm is
    /// at most 0.6.
    fn surface(u: &[f64], x: &mut [f64]) {
        x.copy_from_slice(&[0.3 * u[0].sin(), 0.3 * u[1].cos(), 0.3 * (u[0] + u[1]).sin()]);
    }
    const STEEPEST: f64 = 0.6;

    #[test]
    fn the_loss_holds_on_a_fine_grid() {
        let bounds = [(0.0, 1.5), (-0.5, 0.7)];
        // The fine net refines every coarse one, so that its uniform opponents are uniform over cells as well.
        let fine = Covering::of_cells(&bounds, vec![60, 60], STEEPEST);
        let fine_x = fine.features(3, surface).unwrap();
        let (mut worst, mut s) = (0.0_f64, stream(3, &[]));
        for cells in [vec![3, 2], vec![6, 5], vec![12, 10]] {
            let net = Covering::of_cells(&bounds, cells, STEEPEST);
            let coarse_x = net.features(3, surface).unwrap();
            for link in [Link::Logistic, Link::Probit, Link::Linear] {
                for _ in 0..5 {
                    let mut theta: Vec<f64> = (0..3).map(|_| s.normal()).collect();
                    let norm = if link == Link::Linear { 0.5 } else { 4.0 };
                    let scale = norm / dot(&theta, &theta).sqrt();
                    theta.iter_mut().for_each(|t| *t *= scale);
                    let loss = net.loss(link, norm).unwrap();
                    let of_net = Borda::from_model(&coarse_x, link, &theta);
                    let all = Borda::from_model(&fine_x, link, &theta);
                    let utility = |point: &[f64]| {
                        let mut x = [0.0; 3];
                        surface(point, &mut x);
                        dot(&x, &theta)
                    };
                    let opponents: Vec<f64> = (0..fine.len()).map(|j| utility(fine.point(j))).collect();
                    let score = |arm: Arm| {
                        let own = utility(net.point(arm));
                        opponents.iter().map(|other| link.mu(own - other)).sum::<f64>() / fine.len() as f64
                    };
                    let scores: Vec<f64> = (0..net.len()).map(score).collect();
                    for (arm, own) in all.scores().iter().enumerate() {
                        let representative = net.representative(fine.point(arm));
                        assert!((own - scores[representative]).abs() <= loss.point + 1e-12);
                    }
                    let best = all.scores()[borda::winner(all.scores())];
                    let lost = best - scores[of_net.winner()];
                    assert!(lost <= loss.winner + 1e-12, "{link:?}: {lost} {loss:?}");
                    worst = worst.max(lost / loss.winner);
                }
            }
        }
        // The bound is one, and not out of all proportion.
        assert!((0.05..=1.0).contains(&worst), "{worst}");
    }

    #[test]
    fn every_point_is_near_its_representative() {
        let mut s = stream(5, &[]);
        for m in 1..=MOST_DIMENSIONS {
            let bounds: Vec<(f64, f64)> = (0..m).map(|a| (-(a as f64), 1.0 + a as f64)).collect();
            let net = Covering::new(&bounds, 0.4, 1.0).unwrap();
            assert!(net.radius() <= 0.4);
            for _ in 0..1000 {
                let point: Vec<f64> = bounds.iter().map(|(low, high)| low + (high - low) * s.uniform()).collect();
                let centre = net.point(net.representative(&point));
                let distance = point.iter().zip(centre).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
                assert!(distance <= net.radius() + 1e-12);
            }
            assert!((0..net.len()).all(|arm| net.representative(net.point(arm)) == arm));
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let unit = [(0.0, 1.0); 5];
        assert!(Covering::new(&[], 0.1, 1.0).is_err());
        assert!(Covering::new(&unit, 0.1, 1.0).is_err());
        assert!(Covering::new(&[(1.0, 0.0)], 0.1, 1.0).is_err());
        assert!(Covering::new(&[(0.0, f64::INFINITY)], 0.1, 1.0).is_err());
        assert!(Covering::new(&unit[..2], 0.0, 1.0).is_err());
        assert!(Covering::new(&unit[..2], f64::NAN, 1.0).is_err());
        assert!(Covering::new(&unit[..4], 1e-3, 1.0).unwrap_err().to_string().contains("representatives"));
        let net = Covering::new(&unit[..1], 0.1, 0.5).unwrap();
        let error = net.features(1, |u, x| x[0] = 0.9 * u[0]).unwrap_err();
        assert!(error.to_string().contains("steeper"), "{error}");
        assert!(net.features(1, |u, x| x[0] = 0.5 * u[0]).is_ok());
        assert!(net.loss(Link::Logistic, -1.0).is_err());
    }
}
