//! The paper again: its experiments, its claims held against numbers, how regret grows, and what it does not have.

pub(crate) mod beyond;
pub(crate) mod fewest;
pub(crate) mod reproduction;
pub(crate) mod scaling;
