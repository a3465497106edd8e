//! Which of these is best, by votes on pairs.
//!
//! * Votes that people have cast are [`ballots`].
//! * [`ranking`] makes Borda scores of them: intervals, ranks, a verdict, and checks of what they assume.
//! * [`sequential`] judges at any time, however often somebody looks (an e-process).
//! * [`audit`] looks for what may be wrong with somebody else's leaderboard; [`judging`] says what a cheap judge is
//!   worth.
//! * [`planning`] says which pairs to ask next and what precision that will buy.
//! * Beneath: [`Features`] of items, [`glm::fit`], [`Borda`] scores of a model, [`Stream`]s of random numbers from a
//!   seed.
//!
//! Policies that choose pairs while they learn, and experiments with them, are in the crate `borduel`, which has all of
//! this under the same names.
//!
//! The first example is in [`ranking`].

mod about;
pub mod audit;
pub mod ballots;
pub mod borda;
mod duel;
mod error;
pub mod features;
pub mod glm;
pub mod judging;
mod link;
mod order;
#[doc(hidden)]
pub mod parallel;
pub mod planning;
pub mod prelude;
pub mod ranking;
pub mod sequential;
mod setters;
#[doc(hidden)]
pub mod size;
#[doc(hidden)]
pub mod special;
pub mod stop;
pub mod stream;
mod tally;
#[doc(hidden)]
pub mod version;

pub use about::About;
pub use borda::Borda;
pub use duel::{Arm, Duel, Outcome};
pub use error::{Error, Result};
pub use features::Features;
pub use link::Link;
pub use stream::{Stream, stream};
pub use tally::{Cell, Tally};
