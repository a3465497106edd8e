//! Very many items given by their vectors: a few of them that stand for all.
//!
//! Farthest-first (Gonzalez): the next representative is the item farthest from all that there are, until none is
//! farther than ε. No set of representatives within ε/2 has fewer members. It costs N·K·d for K representatives of N
//! items in d dimensions.

use super::{Loss, positive};
use crate::Link;
use crate::duel::Arm;
use crate::features::Features;
use crate::{Error, Result};

/// Some of the items, and which of them stands for each: φ(i,j) = x_i − x_j, distances are ‖x_i − x_j‖.
///
/// ```
/// use borduel::{Link, covering::Net};
/// let vectors: Vec<f64> = (0..10_000).flat_map(|i| [(i % 100) as f64 / 200.0, (i / 100) as f64 / 200.0]).collect();
/// let net = Net::new(10_000, 2, &vectors, 0.05)?;
/// assert!(net.len() < 300 && net.radius() <= 0.05);
/// let features = net.features()?;
/// assert_eq!(features.items(), net.len());
/// assert!(net.loss(Link::Logistic, 2.0)?.winner <= 0.025);
/// # Ok::<(), borduel::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Net {
    dim: usize,
    /// The representatives' numbers among all items, in the order of their choice.
    members: Vec<Arm>,
    /// Their vectors, row by row.
    rows: Vec<f64>,
    /// Which representative stands for each item.
    of: Vec<Arm>,
    radius: f64,
}

impl Net {
    /// Of these items' vectors (row by row), so that none is farther than `radius` from its representative.
    ///
    /// # Errors
    /// A shape that does not fit, a number that is not finite, a radius that is not positive.
    pub fn new(items: usize, dim: usize, vectors: &[f64], radius: f64) -> Result<Self> {
        positive("radius", radius)?;
        if items < 2 {
            return Err(Error::TooFewItems { found: items });
        }
        if dim == 0 || vectors.len() as u128 != items as u128 * dim as u128 {
            let (expected, found) = (items.saturating_mul(dim), vectors.len());
            let shape = format!("K × d = {items} × {dim}");
            return Err(Error::Shape { what: "the array of item features", shape, expected, found });
        }
        if let Some(place) = vectors.iter().position(|x| !x.is_finite()) {
            let what = format!("feature {} of item {}", place % dim, place / dim);
            return Err(Error::NotFinite { what, value: vectors[place] });
        }
        let row = |item: Arm| &vectors[item * dim..(item + 1) * dim];
        let mut nearest = vec![f64::INFINITY; items];
        let (mut of, mut members, mut next) = (vec![0; items], Vec::new(), 0);
        loop {
            let number = members.len();
            members.push(next);
            for (item, (distance, own)) in nearest.iter_mut().zip(&mut of).enumerate() {
                let here: f64 = row(item).iter().zip(row(next)).map(|(a, b)| (a - b) * (a - b)).sum();
                if here < *distance {
                    (*distance, *own) = (here, number);
                }
            }
            // Of several the first, so that the same vectors give the same net.
            let farthest = (0..items).fold(0, |best, item| if nearest[item] > nearest[best] { item } else { best });
            let radius_now = nearest[farthest].sqrt();
            if radius_now <= radius && members.len() >= 2 {
                let rows = members.iter().flat_map(|&item| row(item)).copied().collect();
                return Ok(Self { dim, members, rows, of, radius: radius_now });
            }
            next = farthest;
            if nearest[farthest] == 0.0 {
                // All items are one point, which two of them stand for.
                next = number + 1;
            }
        }
    }

    /// The number of representatives, at least 2.
    #[expect(clippy::len_without_is_empty, reason = "there are always two")]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// The representatives' numbers among all items.
    pub fn members(&self) -> &[Arm] {
        &self.members
    }

    /// The number of an item's representative, within [`members`](Self::members).
    ///
    /// # Panics
    /// If there is no such item.
    pub fn representative(&self, item: Arm) -> Arm {
        self.of[item]
    }

    /// The largest distance of an item from its representative.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The representatives as items of a problem.
    ///
    /// # Errors
    /// Vectors of norm above ½, as [`Features::differences`].
    pub fn features(&self) -> Result<Features> {
        Features::differences(self.len(), self.dim, &self.rows)
    }

    /// What it costs at most that only representatives are considered, for a parameter no longer than `norm`.
    ///
    /// # Errors
    /// A norm that is no number or negative.
    pub fn loss(&self, link: Link, norm: f64) -> Result<Loss> {
        Loss::new(link, norm, self.radius)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::borda::Borda;
    use crate::features::dot;
    use crate::stream::stream;

    #[test]
    fn everybody_is_near_a_representative_and_the_loss_holds() {
        let mut s = stream(7, &[]);
        for dim in [1, 3, 7] {
            let items = 400;
            // A few dense clusters and a thin rest: no box, and no equal shares.
            let centre: Vec<f64> = (0..5 * dim).map(|_| s.normal()).collect();
            let vectors: Vec<f64> = (0..items)
                .flat_map(|item| {
                    let (at, wide) = (item % 5, if item % 7 == 0 { 1.0 } else { 0.05 });
                    (0..dim).map(|c| 0.05 * (centre[at * dim + c] + wide * s.normal())).collect::<Vec<_>>()
                })
                .collect();
            let all = Features::differences(items, dim, &vectors).unwrap();
            for radius in [0.2, 0.05, 0.02] {
                let net = Net::new(items, dim, &vectors, radius).unwrap();
                assert!(net.radius() <= radius);
                for item in 0..items {
                    let other = net.members()[net.representative(item)];
                    let step: Vec<f64> = (0..dim).map(|c| vectors[item * dim + c] - vectors[other * dim + c]).collect();
                    assert!(dot(&step, &step).sqrt() <= net.radius() + 1e-12);
                }
                for link in [Link::Logistic, Link::Probit] {
                    let mut theta: Vec<f64> = (0..dim).map(|_| s.normal()).collect();
                    let norm = 3.0;
                    let scale = norm / dot(&theta, &theta).sqrt();
                    theta.iter_mut().for_each(|t| *t *= scale);
                    let scores = Borda::from_model(&all, link, &all.from_given(&theta));
                    let few = net.features().unwrap();
                    let found = net.members()[Borda::from_model(&few, link, &few.from_given(&theta)).winner()];
                    let lost = scores.scores()[scores.winner()] - scores.scores()[found];
                    let loss = net.loss(link, norm).unwrap();
                    assert!(lost <= loss.winner + 1e-12, "{lost} {loss:?}");
                }
            }
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        assert!(Net::new(3, 2, &[0.0; 6], 0.0).is_err());
        assert!(Net::new(3, 2, &[0.0; 5], 0.1).is_err());
        assert!(Net::new(1, 1, &[0.0], 0.1).is_err());
        let error = Net::new(2, 2, &[0.0, 1.0, f64::NAN, 0.0], 0.1).unwrap_err();
        assert!(error.to_string().contains("feature 0 of item 1"), "{error}");
        assert_eq!(Net::new(4, 1, &[0.5; 4], 0.1).unwrap().len(), 2);
    }
}
