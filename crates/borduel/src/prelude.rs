//! What most programs need: `use borduel::prelude::*;`.

pub use crate::{Desk, Duel, Environment, Experiment, Policy, PolicyConfig, Problem, Run};
pub use borduel_rank::prelude::*;
