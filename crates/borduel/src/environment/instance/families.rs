//! Instances with sizes and parameters.

use super::{Instance, Listed, Name, tables};
use crate::Link;
use crate::stream::Stream;
use crate::{Error, Result};
use std::cmp::Ordering;

impl Instance {
    /// The instance in the literature's order. Takes out of itself what it uses.
    pub(super) fn listed(&mut self, stream: &mut Stream) -> Result<Listed> {
        Ok(match self.name {
            Name::SixRankers => tables::six_rankers(),
            Name::Cyclic => tables::cyclic(),
            Name::Arithmetic => tables::arithmetic(),
            Name::Mslr5 => tables::mslr_5(),
            Name::Savage => {
                let k = self.take_items(2)?;
                Listed::new(k, |_, j| 0.5 + (j + 1) as f64 / (2 * k) as f64)
            }
            Name::CondorcetNotBorda => {
                let k = self.take_items(3)?;
                let epsilon = advantage("epsilon", self.epsilon.take().unwrap_or(0.02))?;
                let delta = advantage("delta", self.delta.take().unwrap_or(0.3))?;
                Listed::new(k, |i, _| match i {
                    0 => 0.5 + epsilon,
                    1 => 0.5 + delta,
                    _ => 0.5,
                })
            }
            Name::CopelandCycle => {
                let (cycle, others) = (self.cycle.take().unwrap_or(3), self.others.take().unwrap_or(6));
                if cycle < 3 {
                    return Err(Error::setting("cycle", cycle, "must be at least 3 items"));
                }
                let delta = advantage("delta", self.delta.take().unwrap_or(0.1))?;
                // Within the circle everybody beats the next half (and ties with the opposite one, if there is one).
                Listed::new(cycle + others, |i, j| match (2 * (j - i)).cmp(&cycle) {
                    Ordering::Greater if j < cycle => 0.5 - delta,
                    Ordering::Equal if j < cycle => 0.5,
                    _ => 0.5 + delta,
                })
            }
            Name::RockPaperScissors => {
                let k = self.items.take().unwrap_or(3);
                if k < 3 || k.is_multiple_of(2) {
                    return Err(Error::setting("items", k, "must be an odd number from 3 on"));
                }
                let delta = advantage("delta", self.delta.take().unwrap_or(0.1))?;
                Listed::new(k, |i, j| if j - i <= k / 2 { 0.5 + delta } else { 0.5 - delta })
            }
            Name::BradleyTerry => {
                let (k, spread) = (self.take_items(2)?, self.spread.take().unwrap_or(1.0));
                if !(spread > 0.0 && spread.is_finite()) {
                    return Err(Error::setting("spread", spread, "must be a positive number"));
                }
                let strengths = (0..k).map(|_| spread * stream.normal()).collect();
                Listed::of_utilities(strengths, |x| Link::Logistic.mu(x))
            }
            Name::Geometric => {
                let k = self.take_items(2)?;
                let strengths = (0..k).map(|i| -(i as f64) * std::f64::consts::LN_2).collect();
                Listed::of_utilities(strengths, |x| Link::Logistic.mu(x))
            }
            Name::Utility => {
                let k = self.take_items(2)?;
                let utilities = (0..k).map(|_| stream.uniform()).collect();
                Listed::of_utilities(utilities, |x| 0.5 + 0.5 * x)
            }
            Name::Mallows => {
                let (k, phi) = (self.take_items(2)?, self.phi.take().unwrap_or(0.7));
                if !(phi > 0.0 && phi < 1.0) {
                    return Err(Error::setting("phi", phi, "must lie between 0 and 1, such as 0.7"));
                }
                let h = |k: usize| k as f64 / (1.0 - phi.powf(k as f64));
                Listed::new(k, |i, j| h(j - i + 1) - h(j - i))
            }
            Name::Random => {
                let (k, winner) = (self.take_items(2)?, self.condorcet.take().unwrap_or(false));
                Listed::new(k, |i, _| if winner && i == 0 { 1.0 - 0.5 * stream.uniform() } else { stream.uniform() })
            }
            Name::Cube => cube(self.d.take().unwrap_or(5))?,
        })
    }

    fn take_items(&mut self, least: usize) -> Result<usize> {
        let k = self.items.take().unwrap_or(10);
        if k < least {
            return Err(Error::setting("items", k, format!("must be at least {least}")));
        }
        Ok(k)
    }
}

/// p − ½ of a win.
fn advantage(name: &'static str, value: f64) -> Result<f64> {
    if value > 0.0 && value <= 0.5 { Ok(value) } else { Err(Error::setting(name, value, "must lie in (0, 1/2]")) }
}

/// 2^d items at the corners of a cube: x(i) = ±1/(2√d) by the bits of i, θ = 8(d, d−1, …, 1)/‖·‖, logistic.
fn cube(d: u32) -> Result<Listed> {
    if !(1..=12).contains(&d) {
        return Err(Error::setting("d", d, "must lie between 1 and 12: there are 2^d items"));
    }
    let dim = d as usize;
    let (k, side) = (1_usize << d, 0.5 / f64::from(d).sqrt());
    let length = (1..=d).map(|c| f64::from(c * c)).sum::<f64>().sqrt();
    let bit = |item: usize, c: usize| if item >> c & 1 == 1 { side } else { -side };
    let vectors: Vec<f64> = (0..k * dim).map(|place| bit(place / dim, place % dim)).collect();
    let theta: Vec<f64> = (1..=d).rev().map(|c| 8.0 * f64::from(c) / length).collect();
    let utilities = vectors.chunks_exact(dim).map(|x| crate::features::dot(x, &theta)).collect();
    let listed = Listed::of_utilities(utilities, |x| Link::Logistic.mu(x));
    Ok(Listed { vectors: Some((dim, vectors)), ..listed })
}
