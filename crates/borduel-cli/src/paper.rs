//! The paper again: its experiments, its claims held against numbers, how regret grows, what it does not have, and what others have.

pub(crate) mod beyond;
pub(crate) mod fewest;
pub(crate) mod peers;
pub(crate) mod reproduction;
pub(crate) mod scaling;
