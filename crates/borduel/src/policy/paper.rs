//! The policies of *Borda Regret Minimization for Generalized Linear Dueling Bandits*, and its baselines.

pub mod betc_glm;
pub mod betc_glm_match;
pub mod bexp3;
pub mod bexp3_centred;
pub mod dexp3;
pub mod etc_borda;
pub mod ucb_borda;
pub mod uniform;
