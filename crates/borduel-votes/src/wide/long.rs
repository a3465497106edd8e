//! Long tables are recognised: one row for what a judge says about one item, its rank or its rating.

use super::{RowKind, Unread, Wide, ordinal};
use crate::layout::words;
use crate::sample::{Sample, flag, is_missing};
use crate::table::{decimal, normal};

const ITEMS: &[&str] = &[
    "item",
    "object",
    "option",
    "candidate",
    "alternative",
    "stimulus",
    "product",
    "model",
    "sample",
    "entry",
    "movie",
    "song",
    "picture",
    "image",
    "proposal",
];
const RANKS: &[&str] = &["rank", "ranking", "place", "rank_order"];
const RATINGS: &[&str] = &["rating", "score", "stars", "grade", "mark", "mos"];

const CHOSEN: &[&str] = &["chosen", "choice", "selected", "picked", "best_worst", "bw"];

/// The columns of the item and of what is said about it, where there is one of each.
pub(super) fn columns(kind: RowKind, columns: &[String], sample: &Sample, voter: Option<usize>) -> Option<[usize; 2]> {
    // `movieId` and `song_name` are the movie and the song.
    let bare = |name: &str| match words(name).as_slice() {
        [word, end] if matches!(end.as_str(), "id" | "name") => word.clone(),
        _ => normal(name),
    };
    let one = |names: &[&str]| {
        let mut found = (0..columns.len()).filter(|&c| Some(c) != voter && names.contains(&bare(&columns[c]).as_str()));
        found.next().filter(|_| found.next().is_none())
    };
    let said = match kind {
        RowKind::LongRanks => RANKS,
        RowKind::LongRatings => RATINGS,
        _ => CHOSEN,
    };
    let said = one(said)?;
    // Where there are three columns, two of them called so, the third is the item whatever it is called.
    let named = |&c: &usize| sample.values(c).all(|value| decimal(value).is_none());
    let other = || (0..columns.len()).find(|&c| c != said && Some(c) != voter).filter(named);
    Some([one(ITEMS).or_else(|| other().filter(|_| voter.is_some() && columns.len() == 3))?, said])
}

/// A long table of ranks or ratings, where there is a judge.
pub(super) fn find(kind: RowKind, table: &Unread<'_>) -> Option<Wide> {
    let voter = table.voter?;
    let [item, value] = columns(kind, table.columns, table.sample, Some(voter))?;
    let numbers = table.sample.values(value).all(|v| decimal(v).is_some_and(f64::is_finite));
    // A judge who says something about one item only compares nothing.
    let judges = table.sample.distinct(voter).len();
    let several = numbers && 2 * judges <= table.sample.rows.len();
    several.then(|| Wide { kind, columns: vec![item, value], voter: Some(voter), ..Wide::default() })
}

/// Whether an item was chosen (1), not (0), or as the worst (-1).
pub(crate) fn chosen(value: &str) -> Option<f64> {
    match value.to_lowercase().as_str() {
        "best" | "most" => return Some(1.0),
        "worst" | "least" => return Some(-1.0),
        _ if is_missing(value) => return Some(0.0),
        _ => {}
    }
    let truth = flag(value).map(|yes| f64::from(u8::from(yes)));
    truth.or_else(|| ordinal(value).filter(|x| [-1.0, 0.0, 1.0].contains(x)))
}
