//! Worlds in which somebody is to be found best: some that a model describes, and some that none does.

use super::fixed::Fixed;
use crate::Link;
use crate::features::Features;
use crate::problem::Problem;
use crate::stream::Stream;
use crate::{Error, Result};

/// A family of preference matrices over K items, in log-odds.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Tournament {
    /// p(i,j) = σ(u_i − u_j), u normal with this standard deviation.
    BradleyTerry {
        /// The standard deviation of the strengths.
        sd: f64,
    },
    /// The same with u = ⟨x, θ⟩ of standard deviation 1 in known normal x of this dimension, plus an effect of every
    /// item that the features do not show.
    Features {
        /// The number of features.
        dim: usize,
        /// The standard deviation of what they miss.
        missed: f64,
    },
    /// Such features, which explain every item but some: those are as strong as chance has it, whatever their features
    /// say, and one of them
    /// is about as good as the best of all others.
    Hidden {
        /// The number of features.
        dim: usize,
        /// How many items they are wrong about.
        hidden: usize,
        /// By how much one of these is ahead of all others in log-odds: the best is hidden; below 0, the runner-up.
        lead: f64,
    },
    /// Strengths of standard deviation 0.7 and a normal effect of every pair: preferences run in circles.
    Cyclic {
        /// The standard deviation of the pairs' effects.
        sd: f64,
    },
    /// Whoever stands before is preferred with a probability uniform on (½, 1): transitive, but no Bradley–Terry.
    NoisyOrder,
    /// The second beats the clear winner head to head: who looks at the top two only is fooled.
    Trap,
    /// One best item; all others are behind it by the same Borda score.
    Slip {
        /// How much the others are behind.
        behind: f64,
    },
}

impl Tournament {
    /// One world of the family.
    pub fn draw(self, items: usize, stream: &mut Stream) -> Result<Fixed> {
        if items < 2 {
            return Err(Error::TooFewItems { found: items });
        }
        let k = items;
        let mut features = Features::one_hot(k)?;
        let mut u: Vec<f64> = vec![0.0; k];
        // Log-odds of i against j, for i < j, beside u_i − u_j.
        let mut extra = vec![0.0; k * k];
        match self {
            Self::BradleyTerry { sd } => u.iter_mut().for_each(|u| *u = sd * stream.normal()),
            Self::Features { dim, missed } => {
                let x: Vec<f64> = (0..k * dim).map(|_| stream.normal()).collect();
                let theta: Vec<f64> = (0..dim).map(|_| stream.normal() / (dim as f64).sqrt()).collect();
                for (u, x) in u.iter_mut().zip(x.chunks_exact(dim)) {
                    *u = crate::features::dot(x, &theta) + missed * stream.normal();
                }
                features = Features::differences_scaled(k, dim, &x)?;
            }
            Self::Hidden { dim, hidden, lead } => {
                let x: Vec<f64> = (0..k * dim).map(|_| stream.normal()).collect();
                let theta: Vec<f64> = (0..dim).map(|_| stream.normal() / (dim as f64).sqrt()).collect();
                for (item, (u, x)) in u.iter_mut().zip(x.chunks_exact(dim)).enumerate() {
                    *u = if item < hidden { stream.normal() } else { crate::features::dot(x, &theta) };
                }
                u[0] = lead + u[1..].iter().copied().fold(f64::NEG_INFINITY, f64::max);
                features = Features::differences_scaled(k, dim, &x)?;
            }
            Self::Cyclic { sd } => {
                u.iter_mut().for_each(|u| *u = 0.7 * stream.normal());
                extra.iter_mut().for_each(|e| *e = sd * stream.normal());
            }
            Self::NoisyOrder => extra.iter_mut().for_each(|e| {
                let p = 0.5 + 0.5 * stream.uniform();
                *e = (p / (1.0 - p)).ln();
            }),
            Self::Trap => {
                u.iter_mut().for_each(|u| *u = -0.3 + 0.6 * stream.normal());
                (u[0], u[1]) = (1.6, 0.9);
                extra[1] = -0.9 - (u[0] - u[1]);
            }
            Self::Slip { behind } => {
                // B(0) − B(j) = p − [(1 − p) + (K−2)/2]/(K−1) = behind.
                let n = (k - 1) as f64;
                let p = (behind * n + 0.5 * n + 0.5) / (n + 1.0);
                u[0] = (p / (1.0 - p)).ln();
            }
        }
        let mut order: Vec<usize> = (0..k).collect();
        for i in (1..k).rev() {
            order.swap(i, stream.below(i + 1));
        }
        let mut matrix = vec![0.5; k * k];
        for i in 0..k {
            for j in i + 1..k {
                let p = 1.0 / (1.0 + (-(u[i] - u[j] + extra[i * k + j])).exp());
                // Features belong to their items; without them, the winner must not be found by its number.
                let (a, b) = if matches!(self, Self::Features { .. } | Self::Hidden { .. }) {
                    (i, j)
                } else {
                    (order[i], order[j])
                };
                (matrix[a * k + b], matrix[b * k + a]) = (p, 1.0 - p);
            }
        }
        Fixed::from_matrix(Problem::new(features, Link::Logistic, None)?, matrix)
    }
}
