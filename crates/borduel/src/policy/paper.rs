//! The policies of *Borda Regret Minimization for Generalized Linear Dueling Bandits*, and its baselines.

pub mod betc_glm;
pub mod bexp3;
pub mod dexp3;
pub mod etc_borda;
pub mod ucb_borda;
pub mod uniform;
