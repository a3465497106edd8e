//! Choices of the best and the worst of several items are recognised, as in best–worst scaling (MaxDiff).

use crate::layout::words;
use crate::sample::{Sample, is_missing};
use std::collections::BTreeMap;

/// How the best and the worst are called.
const CALLED: [(&str, &str); 2] = [("best", "worst"), ("most", "least")];

/// The columns of the items, then that of the best and that of the worst, which name items of their row; or, with the
/// labels of the items' columns, name those columns by the letter or number in which their names differ.
pub(super) fn find(columns: &[String], sample: &Sample, free: &[usize]) -> Option<(Vec<usize>, Option<Vec<String>>)> {
    let named: Vec<(usize, Vec<String>)> = free.iter().map(|&c| (c, words(&columns[c]))).collect();
    let (best, worst) = CALLED.iter().find_map(|(best, worst)| {
        let opposite = |words: &[String]| {
            words.iter().map(|word| if word == best { (*worst).to_owned() } else { word.clone() }).collect::<Vec<_>>()
        };
        named.iter().filter(|(_, own)| own.iter().any(|word| word == best)).find_map(|(first, own)| {
            let second = named.iter().find(|(_, other)| *other == opposite(own))?;
            Some((*first, second.0))
        })
    })?;
    // Columns whose names differ in a number or a letter belong together.
    let mut alike: BTreeMap<Vec<String>, Vec<(usize, String)>> = BTreeMap::new();
    for (column, own) in named.iter().filter(|(column, _)| *column != best && *column != worst) {
        let counts = |word: &String| word.parse::<u64>().is_ok() || word.chars().count() == 1;
        if let Some(at) = own.iter().rposition(counts) {
            let mut stem = own.clone();
            let label = std::mem::take(&mut stem[at]);
            alike.entry(stem).or_default().push((*column, label));
        }
    }
    let holds = |items: &Vec<(usize, String)>, by_label: bool| {
        let is = |row: &[String], (column, label): &(usize, String), chosen: usize| {
            if by_label { label.eq_ignore_ascii_case(&row[chosen]) } else { row[*column] == row[chosen] }
        };
        let within = |row: &[String], chosen: usize| items.iter().any(|item| is(row, item, chosen));
        let fits = |row: &&Vec<String>| {
            let missing = |column: usize| is_missing(&row[column]);
            row[best] != row[worst]
                && (missing(best) || within(row, best))
                && (missing(worst) || within(row, worst))
                && !(missing(best) && missing(worst))
        };
        let fitting = sample.rows.iter().filter(fits).count();
        items.len() > 2 && fitting > 0 && 20 * fitting >= 19 * sample.rows.len()
    };
    let with = |items: &Vec<(usize, String)>| {
        items.iter().map(|(column, _)| *column).chain([best, worst]).collect::<Vec<usize>>()
    };
    if let Some(items) = alike.values().find(|items| holds(items, false)) {
        return Some((with(items), None));
    }
    let items = alike.values().find(|items| holds(items, true))?;
    Some((with(items), Some(items.iter().map(|(_, label)| label.clone()).collect())))
}
