//! What stands beside the items and tells that nobody won: a column of draws, a remark, points that are equal.

use super::answer_columns::{MOST_PAIRED, POINTS, called_answer};
use super::header::Header;
use super::twins::{Opposite, twins};
use super::{Columns, Layout, Shape};
use crate::error::{Error, Result, shortened};
use crate::outcome::{is_draw, remark, score};
use crate::sample::{Sample, flag, is_missing};
use crate::table::decimal;
use std::cmp::Ordering;

/// A column that tells draws apart from decisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Draws {
    /// By yes and no.
    Flags(usize),
    /// By one of the two items, where the row is a draw, and nothing where it is none.
    Named(usize),
    /// By a word among other remarks; where it is called an answer, also by `same` and `equal`.
    Remarks {
        /// The place of the column.
        column: usize,
        /// Whether it is called an answer.
        answer: bool,
    },
}

impl Draws {
    pub(crate) fn column(self) -> usize {
        match self {
            Self::Flags(column) | Self::Named(column) | Self::Remarks { column, .. } => column,
        }
    }
}

/// Words of columns beside a winner and a loser that may say that there was none.
const REMARKS: &[&str] = &[
    "how", "end", "ended", "ending", "finish", "method", "status", "score", "comment", "comments", "note", "notes",
    "remark", "remarks",
];
/// Words of points that may be equal although somebody won, or that are not the contest's.
pub(crate) const NO_POINTS: &[&str] =
    &["sets", "rank", "ranking", "rating", "rtg", "elo", "seed", "odds", "prob", "average", "avg"];

/// A column that tells whether a vote was a draw: understood, refused, or declared to be none, but never overlooked.
pub(super) fn find(header: &Header<'_>, sample: &Sample, given: &Columns, layout: &Layout) -> Result<Option<Draws>> {
    if matches!(layout.shape, Shape::Counts { .. }) {
        return Ok(None);
    }
    let used = layout.used();
    let yes_or_no = |column: usize| sample.values(column).find(|value| flag(value).is_none());
    let named = given.ties.is_some();
    let found = || header.draws().filter(|column| !used.contains(column));
    let column = header.given_or("--ties-column", given.ties.as_ref(), found)?;
    if named && column.is_none() {
        return Ok(None);
    }
    if let Some(column) = column {
        let words = sample.values(column).any(|value| remark(value, true).is_some());
        let filled = || sample.rows.iter().filter(|row| !is_missing(&row[column]));
        let names = filled().all(|row| used[..2].iter().any(|&item| row[item] == row[column]));
        return match yes_or_no(column) {
            Some(_) if names => Ok(Some(Draws::Named(column))),
            Some(value) if !words => {
                let what = format!(
                    "the column \"{}\" seems to tell draws, and \"{}\" is neither yes nor no: leave it out with \
                     --ties-column none{}",
                    shortened(&header.columns[column]),
                    shortened(value),
                    if named { "" } else { ", or name the right one with --ties-column" }
                );
                Err(Error::file(header.file, what))
            }
            Some(_) => Ok(Some(Draws::Remarks { column, answer: true })),
            None => Ok(Some(Draws::Flags(column))),
        };
    }
    match layout.shape {
        Shape::WinnerLoser { winner, loser } => {
            let level = points(header, sample, given, layout);
            beside_winner(header, sample, [winner, loser], &used, &level)
        }
        Shape::Answer { answer, .. } => Ok(instead_of_answer(header, sample, answer, &used)),
        _ => Ok(None),
    }
}

/// A column that says why there is no answer, wherever there is none and nowhere else.
fn instead_of_answer(header: &Header<'_>, sample: &Sample, answer: usize, used: &[usize]) -> Option<Draws> {
    let none = |row: &Vec<String>| is_missing(&row[answer]);
    let says = |column: usize| sample.rows.iter().all(|row| remark(&row[column], false).is_some() == none(row));
    let mut columns = header.remarks().filter(|column| !used.contains(column) && sample.rows.iter().any(none));
    columns.find(|&column| says(column)).map(|column| Draws::Remarks { column, answer: false })
}

/// What is remarked beside a winner and a loser, who have these points.
fn beside_winner(
    header: &Header<'_>,
    sample: &Sample,
    [winner, loser]: [usize; 2],
    used: &[usize],
    level: &[usize],
) -> Result<Option<Draws>> {
    let name = |column: usize| shortened(&header.columns[column]);
    let points = match *level {
        [first, second] => format!("--left-points \"{}\" --right-points \"{}\"", name(first), name(second)),
        _ => "--left-points and --right-points".to_owned(),
    };
    if header.words[winner].iter().any(|word| matches!(word.as_str(), "tie" | "draw")) {
        let what = format!(
            "by its name the column \"{0}\" holds the winner or, of a draw, one of the two: say which rows are draws \
             with \
             --ties-column, or name both items and their points (--left \"{0}\" --right \"{1}\" {points}); \
             --ties-column none if there are no draws",
            name(winner),
            name(loser)
        );
        return Err(Error::file(header.file, what));
    }
    let free = || (0..header.columns.len()).filter(|column| !used.contains(column));
    let says = |column: &usize| sample.values(*column).any(|v| remark(v, called_answer(header, *column)).is_some());
    let remarks = |column: usize| Some(Draws::Remarks { column, answer: called_answer(header, column) });
    let known = || header.remarks().filter(|column| !used.contains(column));
    let worded = |column: &usize| {
        called_answer(header, *column) || header.words[*column].iter().any(|word| REMARKS.contains(&word.as_str()))
    };
    if let Some(column) = known().find(says).or_else(|| free().find(|column| worded(column) && says(column))) {
        return Ok(remarks(column));
    }
    // A tie may be a piece of clothing: under a name that does not tell, nobody knows.
    for column in free() {
        if let Some(value) = sample.values(column).find(|value| is_draw(value)) {
            let (name, value) = (name(column), shortened(value));
            let what = format!(
                "the column \"{name}\" has the value \"{value}\": if such rows are draws, say --ties-column \
                 \"{name}\", and if not, --ties-column none"
            );
            return Err(Error::file(header.file, what));
        }
    }
    Ok(known().next().and_then(remarks))
}

/// The columns of the points of the winner and of the loser, or the one that has both, where the winner nearly always
/// has more (or, as in golf, less): where they are equal there may have been no winner.
pub(super) fn points(header: &Header<'_>, sample: &Sample, given: &Columns, layout: &Layout) -> Vec<usize> {
    let told = given.ties.is_some() || matches!(layout.draws, Some(Draws::Flags(_)));
    if told || !matches!(layout.shape, Shape::WinnerLoser { .. }) {
        return Vec::new();
    }
    let used = layout.used();
    let has = |column: usize, words: &[&str]| header.words[column].iter().any(|word| words.contains(&word.as_str()));
    let all = |column: usize, is: &dyn Fn(&str) -> bool| {
        sample.values(column).next().is_some() && sample.values(column).all(is)
    };
    let named = |&column: &usize| !used.contains(&column) && has(column, POINTS) && !has(column, NO_POINTS);
    let columns: Vec<usize> = (0..header.columns.len()).filter(named).take(MOST_PAIRED).collect();
    let numbers: Vec<usize> = columns.iter().copied().filter(|&c| all(c, &|value| decimal(value).is_some())).collect();
    let pairs = numbers.iter().flat_map(|&first| numbers.iter().map(move |&second| vec![first, second]));
    let twin = |two: &Vec<usize>| twins(&header.words[two[0]], &header.words[two[1]]) == Some(Opposite::Outcome);
    let scores = columns.iter().filter(|&&c| all(c, &|value| score(value).is_some())).map(|&column| vec![column]);
    let decides = |columns: &Vec<usize>| {
        let order = |row: &Vec<String>| compared(&columns.iter().map(|&c| row[c].as_str()).collect::<Vec<_>>());
        let count = |wanted: Ordering| sample.rows.iter().filter(|row| order(row) == Some(wanted)).count();
        let (more, less) = (count(Ordering::Greater), count(Ordering::Less));
        20 * more.min(less) <= more + less
    };
    pairs.filter(twin).chain(scores).find(decides).unwrap_or_default()
}

/// How the points of the winner compare to those of the loser, given as two numbers or as one score.
pub(crate) fn compared(points: &[&str]) -> Option<Ordering> {
    match points {
        [both] => score(both).map(|(winner, loser)| winner.cmp(&loser)),
        [winner, loser] => decimal(winner)?.partial_cmp(&decimal(loser)?),
        _ => None,
    }
}
