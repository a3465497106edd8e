//! What several policies are made of.

pub(super) mod alias;
pub(super) mod batch;
pub(super) mod beta_tail;
pub(super) mod bound_crossing;
pub(super) mod commitment;
pub(super) mod counts;
pub(super) mod exploration;
pub(super) mod fixed_until;
pub(super) mod laws;
pub(super) mod one_or_many;
pub(super) mod pairs;
pub mod settings;
pub(super) mod ties;
