//! How votes are to be read, all that can be said about it.

use crate::extra_columns::ExtraColumns;
use crate::layout::Columns;
use crate::outcome::Words;
use crate::rankings::Unranked;
use crate::table::TableOptions;
use crate::wide::WideOptions;
use borduel_rank::ballots::{BothBad, Ties};

/// How votes are to be read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Columns named by the user.
    pub columns: Columns,
    /// Words of the answer column, besides the usual ones.
    pub words: Words,
    /// How a table is cut: delimiter, header, and what is forgiven.
    pub table: TableOptions,
    /// What a tie is worth.
    pub ties: Ties,
    /// What "both bad" is worth.
    pub both_bad: BothBad,
    /// What a ranking says about an item that it does not rank.
    pub unranked: Unranked,
    /// Matrices of wins and tables of rankings.
    pub wide: WideOptions,
    /// Whether names that differ only in case, spaces or Unicode form are one item.
    pub fold_names: bool,
    /// Other columns that are wanted; with tables of votes on pairs.
    pub extra: ExtraColumns,
}
