//! The paper again: its experiments, its claims held against numbers, how regret grows, what it does not have, what others have,
//! and worlds drawn at random.

pub(crate) mod beyond;
pub(crate) mod fewest;
pub(crate) mod peers;
pub(crate) mod reproduction;
mod rows;
pub(crate) mod scaling;
pub(crate) mod worlds;
