//! What borduel found, for people: charts, forest plots, pair matrices, tables, and whole pages in one file each.
//!
//! Everything here takes the library's [`Results`](borduel::Results) or [`Ranking`](borduel::ranking::Ranking) and
//! gives text: SVG, HTML (nothing is loaded from anywhere), Markdown, CSV, JSON, or the bytes of a PNG. No file is read
//! or written. Names may hold anything: what would act on a page, in a picture or on a terminal is written out
//! ([`plain`]).
//!
//! * [`Figure`] draws curves; [`experiment`] makes an experiment's figure and its page.
//! * [`ranking`] makes a ranking's page, its table, its CSV and its JSON object ([`ranking::Document`], which is read
//!   back, too), and says in sentences what it found; [`sequential`] does so for the verdict at any time, and
//!   [`verdict`] has the sentences of both.
//! * [`audit`] puts the audit of a leaderboard on one page, and [`judging`] what a cheap judge is worth.
//! * [`Table`] is the one writer of tables; [`numbers`] are as people read them.

pub mod audit;
mod chart;
pub mod experiment;
pub mod judging;
pub mod numbers;
mod picture;
pub mod ranking;
pub mod sequential;
mod table;
mod text;
pub mod verdict;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

pub use chart::{Figure, Panel, Series};
pub use table::Table;
pub use text::plain;

/// Bytes as an address that holds them all, so that a page needs no other file.
pub fn embedded(media: &str, bytes: &[u8]) -> String {
    format!("data:{media};base64,{}", STANDARD.encode(bytes))
}

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A picture that is too large.
    #[error("a picture cannot be drawn: {0}")]
    Picture(String),
    /// A value that JSON cannot hold.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// A ranking of another version.
    #[error("a ranking of version {0}, and this borduel reads version {own}", own = ranking::document::VERSION)]
    Version(u32),
}
