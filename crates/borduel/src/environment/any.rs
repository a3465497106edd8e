//! Any environment of the list, as one type.

use super::Environment;
use super::adversarial::Adversarial;
use super::context_law::ContextLaw;
use super::fixed::Fixed;
use super::pieces::Pieces;
use crate::duel::Duel;
use crate::problem::Problem;

/// Any environment that experiments name.
///
/// What plays in them is generic in policy and environment; played as this one type they share one copy for every
/// policy instead of having one each. A round in a table looks at no environment at all; other rounds pay one branch
/// for it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum AnyEnvironment {
    /// An environment that never changes.
    Fixed(Fixed),
    /// An environment whose parameter moves.
    Adversarial(Adversarial),
    /// One matrix after the other.
    Pieces(Pieces),
    /// A context comes up in every round.
    Contexts(ContextLaw),
}

impl From<Fixed> for AnyEnvironment {
    fn from(environment: Fixed) -> Self {
        Self::Fixed(environment)
    }
}

impl From<Adversarial> for AnyEnvironment {
    fn from(environment: Adversarial) -> Self {
        Self::Adversarial(environment)
    }
}

impl From<Pieces> for AnyEnvironment {
    fn from(environment: Pieces) -> Self {
        Self::Pieces(environment)
    }
}

impl From<ContextLaw> for AnyEnvironment {
    fn from(environment: ContextLaw) -> Self {
        Self::Contexts(environment)
    }
}

/// The same expression for whichever it is.
macro_rules! whichever {
    ($self:ident, $environment:ident => $value:expr) => {
        match $self {
            AnyEnvironment::Fixed($environment) => $value,
            AnyEnvironment::Adversarial($environment) => $value,
            AnyEnvironment::Pieces($environment) => $value,
            AnyEnvironment::Contexts($environment) => $value,
        }
    };
}

impl Environment for AnyEnvironment {
    #[inline]
    fn problem(&self) -> &Problem {
        whichever!(self, environment => environment.problem())
    }

    #[inline]
    fn probability(&self, round: u64, duel: Duel) -> f64 {
        whichever!(self, environment => environment.probability(round, duel))
    }

    fn next_change(&self, round: u64) -> Option<u64> {
        whichever!(self, environment => environment.next_change(round))
    }

    fn scores(&self, round: u64) -> Vec<f64> {
        whichever!(self, environment => environment.scores(round))
    }

    fn utilities(&self) -> Option<Vec<f64>> {
        whichever!(self, environment => environment.utilities())
    }

    fn table(&self) -> Option<&[f64]> {
        whichever!(self, environment => environment.table())
    }

    fn contexts(&self) -> Option<&ContextLaw> {
        whichever!(self, environment => environment.contexts())
    }
}
