//! Reading votes on pairs of items, and lists of items, from the files people have.
//!
//! [`VoteReader`] reads CSV, TSV, JSON lines, JSON arrays, games of chess in PGN, `PrefLib` rankings and (with the
//! cargo feature `parquet`) Parquet, plain or packed with gzip or zstd, from a file or standard input: votes on pairs,
//! matrices of wins, tables of rankings. It finds out by the header, or else by the values, which column is what and
//! says so; every column can be named instead. A row that is not understood is an error with file, line, column and
//! value, or is set aside and counted; nothing is dropped in silence and nothing is invented. What comes out are
//! [`borduel_rank::ballots::Ballots`], whose size depends on items, pairs and voters, not on the number of rows.

mod blt;
pub mod columns;
mod delimited;
mod encoding;
mod error;
mod evidence;
mod extra_columns;
mod index;
mod items;
mod joined;
mod json;
mod layout;
mod limit;
mod open;
mod options;
mod outcome;
#[cfg(feature = "parquet")]
mod parquet;
mod pgn;
mod preflib;
mod rankings;
mod read;
mod row;
mod sample;
mod shown;
mod source;
mod spelling;
mod table;
mod when;
mod wide;
mod zstd_decoder;

pub use encoding::Encoding;
pub use error::{Error, Result, RowError};
pub use extra_columns::{ExtraColumns, ExtraVotes, Stretch};
pub use index::{ItemIndex, NoItem};
pub use items::{Items, Pairs, parse_texts, read_items, read_pairs, read_scores, read_texts};
pub use layout::Columns;
pub use options::ReadOptions;
pub use outcome::{Scale, Words};
pub use rankings::Unranked;
pub use read::{Everything, Rows, VoteReader};
pub use table::TableOptions;
pub use wide::{RowKind, WideOptions};
