//! Policies that are ours: what explores only where it is in doubt, stops with a verdict, or is safe against any
//! adversary.

pub mod anytime;
pub mod betc_glm_adaptive;
pub mod find_winner;
pub mod ftrl;
pub mod ftrl_borda;
pub mod ftrl_linear;
pub mod greedy_glm;
pub mod track;
pub mod track_borda;
pub mod track_linear;
