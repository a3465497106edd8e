//! Matrices of wins are recognised: with the items' names on both sides, without names, and the crosstables of
//! tournaments.

use super::{RowKind, Wide};
use crate::sample::{Sample, is_missing};
use crate::spelling::folded;
use crate::table::decimal;
use std::collections::{HashMap, HashSet};

/// Whether a cell is left empty, as those on the diagonal are.
pub(super) fn is_blank(cell: &str) -> bool {
    is_missing(cell) || matches!(cell, "-" | "–" | "—" | "*" | "x" | "X" | "#" | "■" | "●")
}

/// Whether a row or a column is called the sum of the others.
pub(crate) fn is_total(name: &str) -> bool {
    ["total", "totals", "sum", "sums", "summe", "gesamt", "totaal", "suma"].contains(&folded(name).as_str())
}

/// The number of wins in a cell; half a win is a draw, also as `½` or `1½`.
pub(super) fn wins(cell: &str) -> Option<f64> {
    decimal(cell).filter(|x| *x >= 0.0 && x.is_finite())
}

/// A square matrix with the items' names on both sides, or with zeros or nothing along its diagonal; or a crosstable.
pub(super) fn find(columns: &[String], sample: &Sample) -> Option<Wide> {
    let wide = |columns, names, item_names| {
        Some(Wide { kind: RowKind::Matrix, columns, names, item_names, ..Wide::default() })
    };
    // Percents are refused later, when it is known that they stand in a matrix.
    let bare = |value: &str| wins(value.strip_suffix('%').unwrap_or(value).trim_end());
    let number = |value: &str| is_blank(value) || bare(value).is_some();
    if let Some((columns, names, listed)) = crosstable(columns, sample) {
        return wide(columns, Some(names), Some(listed));
    }
    let place: HashMap<&str, usize> = columns.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
    // Whether names that differ in case are one is said when they are read.
    let alike: HashMap<String, usize> = columns.iter().enumerate().map(|(at, name)| (folded(name), at)).collect();
    let column_of = |name: &str| place.get(name).or_else(|| alike.get(&folded(name))).copied();
    for names in 0..columns.len().min(3) {
        let mut items = HashSet::new();
        // No item has won against itself: what has is a sum.
        let sums =
            |row: &Vec<String>| column_of(&row[names]).is_none_or(|own| bare(&row[own]).is_some_and(|x| x > 0.0));
        let is_sum = |row: &&Vec<String>| is_total(&row[names]) && sums(row);
        let own = || sample.rows.iter().filter(|row| !is_sum(row));
        let all = own().all(|row| column_of(&row[names]).is_some_and(|column| column != names && items.insert(column)));
        let mut items: Vec<usize> = items.into_iter().collect();
        items.sort_unstable();
        if all && items.len() > 1 && own().all(|row| items.iter().all(|&item| number(&row[item]))) {
            // Rows beyond the sample name the other columns.
            let rest = (0..columns.len()).filter(|&c| c != names && own().all(|row| number(&row[c])));
            let whole = items.len() == own().count() && sample.is_whole();
            return wide(if whole { items } else { rest.collect() }, Some(names), None);
        }
    }
    let square = sample.is_whole() && columns.len() > 2 && sample.rows.len() == columns.len();
    let empty = |value: &str| is_blank(value) || value.parse() == Ok(0.0);
    let diagonal = sample.rows.iter().enumerate().all(|(at, row)| row.get(at).is_some_and(|value| empty(value)));
    let numbers = sample.rows.iter().all(|row| row.iter().all(|value| number(value)));
    if square && diagonal && numbers { wide((0..columns.len()).collect(), None, None) } else { None }
}

/// The columns of a crosstable, which are called 1, 2, … like its rows, the column of the names, and the names in
/// order. Cells in which several games stand one behind the other (`10`, `½1`) may as well be numbers of wins, and are
/// left to be asked about.
fn crosstable(columns: &[String], sample: &Sample) -> Option<(Vec<usize>, usize, Vec<String>)> {
    let rows = &sample.rows;
    let numbered: Vec<usize> = (0..columns.len()).filter(|&c| columns[c].parse::<usize>().is_ok()).collect();
    let counted = numbered.iter().map(|&c| columns[c].parse().unwrap_or(0)).eq(1..=numbered.len());
    if !sample.is_whole() || numbered.len() < 3 || !counted || rows.len() != numbered.len() {
        return None;
    }
    let games = |cell: &str| cell.chars().count() > 1 && cell.chars().all(|c| matches!(c, '0' | '1' | '½' | '='));
    let fits = |(at, row): (usize, &Vec<String>)| {
        let cell = |(other, &column): (usize, &usize)| match row[column].as_str() {
            blank if is_blank(blank) => true,
            value => other != at && wins(value).is_some() && (!games(value) || value.ends_with('½')),
        };
        numbered.iter().enumerate().all(cell)
    };
    let is_name = |column: &usize| {
        let distinct = sample.distinct(*column);
        distinct.len() == rows.len() && distinct.iter().all(|name| decimal(name).is_none())
    };
    let names = (0..columns.len()).filter(|column| !numbered.contains(column)).find(is_name)?;
    let listed = rows.iter().map(|row| row[names].clone()).collect();
    rows.iter().enumerate().all(fits).then_some((numbered, names, listed))
}
