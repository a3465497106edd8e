//! The trait of all environments: the truth that answers.

use crate::duel::Duel;
use crate::problem::Problem;
use std::sync::Arc;

pub mod adversarial;
mod any;
pub mod context_law;
pub mod crowd;
pub mod fixed;
pub mod function;
pub mod glm;
pub mod hard;
pub mod in_contexts;
pub mod instance;
pub mod matrix;
pub mod pieces;
pub mod tournament;

pub use any::AnyEnvironment;
pub use context_law::ContextLaw;

/// The truth: shared by all replications, never changed, lent a random number per question.
///
/// Only what a policy may know and how likely each answer is need to be said; who is best and what everybody else loses
/// follows from that, in one notion or another: see [`Judge`](crate::Judge).
#[doc(alias("preference_matrix", "simulator"))]
pub trait Environment: Send + Sync {
    /// What a policy may know.
    fn problem(&self) -> &Problem;

    /// p_t(i,j): the probability that the first item of a duel is preferred in round t, from 1.
    fn probability(&self, round: u64, duel: Duel) -> f64;

    /// The first round after `round` in which anything differs from `round`; an earlier one is taken for `round + 1`.
    fn next_change(&self, round: u64) -> Option<u64> {
        let _ = round;
        None
    }

    /// B_t(i) = (1/K) Σ_j p_t(i,j) of all items, from K² probabilities where there is no shorter way.
    fn scores(&self, round: u64) -> Vec<f64> {
        let k = self.problem().items();
        (0..k).map(|i| (0..k).map(|j| self.probability(round, Duel(i, j))).sum::<f64>() / k as f64).collect()
    }

    /// u_i = ⟨x_i, θ⟩ of all items, where p(i,j) rises with u_i − u_j.
    fn utilities(&self) -> Option<Vec<f64>> {
        None
    }

    /// All p(i,j), row by row, where they are kept so and never change: nothing is then computed per round.
    fn table(&self) -> Option<&[f64]> {
        None
    }

    /// The contexts of which one comes up in every round and is seen before asking. Where there are any, all that is
    /// played is played in them; the probabilities above are then those of a round whose context nobody knows.
    fn contexts(&self) -> Option<&ContextLaw> {
        None
    }
}

/// Whatever points to an environment is one.
macro_rules! pointers {
    ($($pointer:ty),*) => {$(
        impl<E: Environment + ?Sized> Environment for $pointer {
            fn problem(&self) -> &Problem {
                (**self).problem()
            }
            #[inline]
            fn probability(&self, round: u64, duel: Duel) -> f64 {
                (**self).probability(round, duel)
            }
            fn next_change(&self, round: u64) -> Option<u64> {
                (**self).next_change(round)
            }
            fn scores(&self, round: u64) -> Vec<f64> {
                (**self).scores(round)
            }
            fn utilities(&self) -> Option<Vec<f64>> {
                (**self).utilities()
            }
            fn table(&self) -> Option<&[f64]> {
                (**self).table()
            }
            fn contexts(&self) -> Option<&ContextLaw> {
                (**self).contexts()
            }
        }
    )*};
}

pointers!(&E, Box<E>, Arc<E>);
