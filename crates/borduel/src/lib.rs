//! borduel
pub mod borda;
pub mod duel;
pub mod error;
pub mod features;
pub mod glm;
pub mod link;
pub mod problem;
pub mod stream;
pub mod tally;
pub use duel::*;
pub use error::*;
pub use features::*;
pub use link::*;
