//! Which columns of numbers judges have filled in: those of one scale, or make a ranking of every row. A survey also
//! asks for age and schooling, and files number their rows.

use super::{RowKind, is_aside, ranks};
use crate::layout::words;
use crate::sample::Sample;
use crate::table::decimal;

/// Words of columns about the judge, and not about an item.
const ABOUT_THE_JUDGE: &[&str] = &[
    "sex",
    "gender",
    "age",
    "years",
    "year",
    "educ",
    "education",
    "income",
    "expertise",
    "experience",
    "height",
    "weight",
    "rownames",
    "row",
    "id",
    "judge",
    "annotator",
    "annotation",
    "rater",
    "assessor",
    "coder",
    "labeler",
    "evaluator",
    "reviewer",
    "wave",
    "region",
    "party",
    "marital",
    "kids",
    "children",
];

/// By what factor the largest numbers of two columns of one scale may differ, and how many rows it takes to tell.
const FACTOR: f64 = 2.6;
const ROWS: usize = 5;

/// The columns of ratings, where not all that hold numbers are; for advice.
pub(crate) fn rated(columns: &[String], sample: &Sample, items: &[usize]) -> Option<Vec<usize>> {
    let found = alike(columns, sample, items);
    (found.len() > 1).then_some(found)
}

/// The columns of ranks or of ratings that may be items', of all that hold numbers.
pub(crate) fn proposed(columns: &[String], sample: &Sample, kind: RowKind, items: &[usize]) -> Vec<usize> {
    if kind == RowKind::Ranks { rankings(sample, items) } else { alike(columns, sample, items) }
}

/// All of the columns where nearly every row ranks them (level items, and items left out, are allowed); otherwise those
/// that do.
fn rankings(sample: &Sample, items: &[usize]) -> Vec<usize> {
    let is_ranking = |row: &&Vec<String>| {
        let mut ranks: Vec<f64> = items.iter().filter_map(|&c| decimal(&row[c])).collect();
        ranks.sort_by(f64::total_cmp);
        // The n-th place is at most n, and level ones share a place or the mean of theirs.
        let placed = |(at, rank): (usize, &f64)| (1.0..=(at + 1) as f64).contains(rank) || *rank <= ranks.len() as f64;
        ranks.first().is_none_or(|first| *first >= 1.0) && ranks.iter().enumerate().all(placed)
    };
    let rankings = sample.rows.iter().filter(is_ranking).count();
    if 20 * rankings >= 19 * sample.rows.len() { items.to_vec() } else { ranks(sample, items).unwrap_or_default() }
}

/// The largest group of columns of one scale that do not speak of the judge.
fn alike(columns: &[String], sample: &Sample, items: &[usize]) -> Vec<usize> {
    let about_judge = |&&column: &&usize| {
        let words = words(&columns[column]);
        words.iter().any(|word| ABOUT_THE_JUDGE.contains(&word.as_str())) || is_aside(&columns[column])
    };
    let free: Vec<usize> = items.iter().filter(|column| !about_judge(column)).copied().collect();
    // Items are liked more or less, so that their ranges differ; but not their largest numbers by much, nor how many
    // there are.
    let scale = |column: usize| {
        let most = sample.values(column).filter_map(decimal).map(f64::abs).fold(0.0, f64::max);
        [most, sample.distinct(column).len() as f64]
    };
    let shared = |a: [f64; 2], b: [f64; 2]| {
        sample.rows.len() < ROWS || b[1] == 1.0 || a.iter().zip(b).all(|(&a, b)| a.max(b) <= FACTOR * a.min(b))
    };
    let group = |&seed: &usize| -> Vec<usize> {
        free.iter().copied().filter(|&other| shared(scale(seed), scale(other))).collect()
    };
    free.iter().map(group).max_by_key(Vec::len).unwrap_or_default()
}

/// The column that names the items: the first with another name in every row.
pub(crate) fn naming(sample: &Sample, columns: usize) -> Option<usize> {
    let text = |column: usize| sample.values(column).all(|value| decimal(value).is_none());
    let once = |column: usize| sample.distinct(column).len() == sample.rows.len();
    (0..columns).find(|&column| sample.rows.len() > 1 && text(column) && once(column))
}
