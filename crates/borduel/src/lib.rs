//! borduel
pub mod duel;
pub mod error;
pub mod features;
pub mod link;
pub mod stream;
pub use duel::*;
pub use error::*;
pub use features::*;
pub use link::*;
