//! `borduel find` at work: one session that asks, writes every answer down at once, and goes on from there next time.

pub(crate) mod cheap;
pub mod contexts;
pub(crate) mod first;
pub(crate) mod judge;
pub(crate) mod log;
pub(crate) mod session;
pub(crate) mod terminal;
