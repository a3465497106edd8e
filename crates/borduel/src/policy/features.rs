//! Dueling bandits of other papers, which learn one utility ⟨x, θ⟩ from the features of items.

pub mod colstim;
pub mod fgts;
pub(super) mod linear;
pub mod max_inp;
pub mod max_min_lcb;
pub mod max_pair_ucb;
pub mod vacdb;
