//! Columns that are named alike.

use super::Table;
use crate::layout::header::Header;
use std::collections::BTreeMap;

/// Whether a word of a name is a number or a letter.
pub(super) fn is_counting(word: &str) -> bool {
    word.parse::<u64>().is_ok() || word.chars().count() == 1
}

/// Columns whose names differ in nothing but a number or a letter, three or more of them, in their order.
pub(super) fn series(header: &Header<'_>) -> Vec<Vec<usize>> {
    let mut alike: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
    for (column, words) in header.words.iter().enumerate().filter(|(_, words)| words.len() > 1) {
        if let Some(at) = words.iter().rposition(|word| is_counting(word)) {
            let mut stem = words.clone();
            stem[at].clear();
            alike.entry(stem).or_default().push(column);
        }
    }
    alike.into_values().filter(|columns| columns.len() > 2).collect()
}

/// The columns of several judges beside two items.
pub(super) fn judges(table: &Table<'_>) -> Option<Vec<usize>> {
    let (left, right) = table.items.filter(|_| table.third.is_none())?;
    let numbers = |columns: &Vec<usize>| columns.iter().all(|&c| table.numbers(c));
    let free = |columns: &Vec<usize>| !columns.contains(&left) && !columns.contains(&right);
    series(table.header).into_iter().find(|columns| free(columns) && numbers(columns))
}
