//! What most programs need: `use borduel_rank::prelude::*;`.

pub use crate::ballots::{Answer, Ballots};
pub use crate::planning::{PlanOptions, plan};
pub use crate::ranking::{Model, RankOptions, Ranking, VerdictKind, rank};
pub use crate::{Features, Link, Outcome, Stream};
