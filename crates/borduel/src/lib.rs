//! Which of these is best, when all one can ask is "this one or that one?".
//!
//! borduel chooses which two of K items to compare next, learns from the answers with the help of features, and loses
//! as little as possible on the way to the **Borda winner**, the item most likely to beat a random other one. It
//! implements every algorithm, baseline and instance of *Borda Regret Minimization for Generalized Linear Dueling
//! Bandits* (Wu, Jin, Di, Lou, Farnoud, Gu, 2023).
//!
//! * A [`Problem`] is what a policy may know: [`Features`] of pairs, a [`Link`], a horizon.
//! * A [`Policy`] asks and is told; [`PolicyConfig`] names the ones there are and what can be set; a [`Desk`] keeps the
//!   open questions of a live service.
//! * An [`Environment`] is the truth, and a [`Judge`] says who is best in it; [`Run`] plays one against the other, and
//!   an [`Experiment`] does so many times, on all cores, with the same numbers on any of them.
//! * Votes that people have cast already are [`ballots`]; [`ranking`] makes scores with intervals, a verdict and checks
//!   of them, [`planning`] says which pairs to ask next and what precision that will buy, and [`sequential`] judges at
//!   any time, however often somebody looks.
//! * Beneath: [`glm::fit`], [`design::g_optimal`], [`borda::Borda`], [`theory`].
//!
//! ```
//! use borduel::prelude::*;
//!
//! // Five items with two features each; a thousand questions to ask.
//! let items = [0.1, 0.4, 0.3, 0.2, 0.0, 0.5, 0.5, 0.1, 0.2, 0.2];
//! let problem = Problem::new(Features::differences(5, 2, &items)?, Link::Logistic, Some(1_000))?;
//! let policy = PolicyConfig::named("betc-glm-match")?.build(&problem, Stream::seed(1))?;
//! let mut desk = Desk::new(1, problem, policy);
//! for _ in 0..1_000 {
//!     let ticket = desk.ask();
//!     let Duel(left, right) = ticket.duel;
//!     // Here somebody would be asked; this judge likes the second feature.
//!     let answer = if items[2 * left + 1] > items[2 * right + 1] { Outcome::Win } else { Outcome::Loss };
//!     desk.tell(&ticket, answer)?;
//! }
//! assert_eq!(desk.estimate(), 2);
//! # Ok::<(), borduel::Error>(())
//! ```

mod arena;
mod context_family;
mod contexts;
pub mod covering;
pub mod design;
mod desk;
mod duel;
pub mod environment;
pub mod experiment;
pub mod facts;
pub mod judge;
pub mod policy;
pub mod prelude;
mod problem;
pub mod regret;
mod save;
pub mod simulate;
pub mod theory;

pub use arena::Arena;
pub use borduel_rank::{
    About, Borda, Cell, Error, Features, Link, Result, Stream, Tally, audit, ballots, borda, features, glm, judging,
    planning, ranking, sequential, stop, stream,
};
use borduel_rank::{size, special, version};
pub use context_family::ContextFamily;
pub use contexts::Contexts;
pub use desk::{Desk, Ticket};
pub use duel::{Arm, Duel, Note, Outcome, Proposal};
pub use environment::{AnyEnvironment, Environment};
pub use experiment::{Experiment, Results};
pub use judge::{Judge, Notion};
pub use policy::{AnyPolicy, FixedDuel, POLICIES, Policy, PolicyConfig};
pub use problem::Problem;
pub use regret::{Checkpoints, Curve};
pub use save::Saved;
pub use simulate::{Feedback, Run, Timing};
