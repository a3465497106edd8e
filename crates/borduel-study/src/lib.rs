//! Live studies: questions on pairs of items, asked of many people or judges, as an append-only log in a database.
//!
//! A study is its log. [`event`] has the facts, [`State`] is their fold, [`decide()`] turns a [`Command`] into facts
//! and a reply, and [`choose`](choose::choose) draws the next pair with its exact probability. Everything up to here is
//! pure: no clock, no chance but the study's seed, no files. [`Ledger`] keeps logs in SQLite or PostgreSQL, [`Desk`] is
//! the one writer of a study in a process, and [`Studies`] finds desks by name. Plans and verdicts are computed beside
//! the log ([`plan`](mod@plan), [`standing`]) and enter it as facts, so replaying it computes nothing that could come
//! out differently on another machine.

pub mod choose;
pub mod command;
pub mod content;
pub mod decide;
pub mod desk;
pub mod error;
pub mod evaluation;
pub mod event;
pub mod export;
pub mod hex;
pub mod hmac;
pub mod image;
pub mod import;
pub mod ledger;
pub mod low_priority;
pub mod networks;
pub mod plan;
pub mod refusal;
pub mod settings;
pub mod standing;
pub mod state;
pub mod status;
pub mod studies;
pub mod table;
pub mod token;
pub mod verify;

pub use command::{Command, Reply};
pub use decide::decide;
pub use desk::Desk;
pub use error::{Error, Result};
pub use event::{Answer, Event};
pub use ledger::Ledger;
pub use refusal::Refusal;
pub use settings::Settings;
pub use state::State;
pub use studies::Studies;
