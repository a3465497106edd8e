//! Answers that are numbers: which scale two or three of them are on, and where nobody can tell.

use super::header::Header;
use crate::outcome::{Scale, score};
use crate::sample::{Sample, flag};
use crate::table::decimal;
use std::collections::BTreeSet;

/// Words of answer columns in which 0 and 1 may as well be the number of the item as the truth about the first.
const INDICES: &[&str] = &[
    "winner",
    "label",
    "choice",
    "chosen",
    "index",
    "idx",
    "id",
    "selected",
    "selection",
    "pick",
    "picked",
    "response",
    "resp",
    "button",
    "preference",
    "preferred",
    "pref",
    "better",
];

/// The scale of a column of scores, or of two or three numbers, where there can be little doubt about it.
pub(crate) fn codes(header: &Header<'_>, sample: &Sample, column: usize) -> Option<Scale> {
    let distinct = sample.distinct(column);
    let numbers: Option<Vec<f64>> = distinct.iter().map(|value| decimal(value)).collect();
    let within = |allowed: &[f64]| numbers.as_ref().is_some_and(|all| all.iter().all(|x| allowed.contains(x)));
    if are_scores(&distinct) {
        return Some(Scale::Score);
    }
    if distinct.is_empty() || distinct.len() > 3 {
        return None;
    }
    if within(&[1.0, 1.5, 2.0]) && distinct.len() > 1 {
        return Some(Scale::OneTwo);
    }
    if within(&[-1.0, 0.0, 1.0]) && numbers.iter().flatten().any(|x| *x < 0.0) {
        return Some(Scale::Signed);
    }
    let indices = called_index(header, column);
    let truths = distinct.iter().all(|value| flag(value).is_some());
    (!indices && (within(&[0.0, 0.5, 1.0]) || truths)).then_some(Scale::Unit)
}

/// Whether 0 and 1 may as well be the number of the item as the truth about the first: `better` alone may be,
/// `b_better` is the truth about B.
pub(crate) fn called_index(header: &Header<'_>, column: usize) -> bool {
    let words = &header.words[column];
    words.iter().any(|word| INDICES.contains(&word.as_str()) && (word != "better" || words.len() == 1))
}

/// Whether a column holds 0 and 1, and may hold numbers of items: nobody can tell, and the user is asked.
pub(crate) fn is_doubtful(header: &Header<'_>, sample: &Sample, column: usize) -> bool {
    let distinct = sample.distinct(column);
    called_index(header, column) && !distinct.is_empty() && distinct.iter().all(|value| matches!(*value, "0" | "1"))
}

/// Whether all values are scores: not the time of day (15:30), a season (2019-20), or two places (1-2 and 2-1).
fn are_scores(distinct: &BTreeSet<&str>) -> bool {
    // In halves, as all scores are.
    const MOST: u32 = 600;
    let small = |value: &&str| score(value).is_some_and(|(left, right)| left.max(right) <= MOST);
    let time = |value: &&str| value.split_once(':').is_some_and(|(_, minutes)| minutes.trim().len() == 2);
    let places = |value: &&str| matches!(score(value), Some((2, 4) | (4, 2)));
    !distinct.is_empty() && distinct.iter().all(small) && !distinct.iter().all(time) && !distinct.iter().all(places)
}
