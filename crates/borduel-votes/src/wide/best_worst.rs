//! Choices of the best and the worst of several items are recognised, as in best–worst scaling (MaxDiff).

use crate::layout::words;
use crate::sample::{Sample, is_missing};
use std::collections::BTreeMap;

/// How the best and the worst are called.
const CALLED: [(&str, &str); 2] = [("best", "worst"), ("most", "least")];

/// The columns of the items, then that of the best and that of the worst: both name items of their row.
pub(super) fn find(columns: &[String], sample: &Sample, free: &[usize]) -> Option<Vec<usize>> {
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
    let mut alike: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
    for (column, own) in named.iter().filter(|(column, _)| *column != best && *column != worst) {
        let counts = |word: &String| word.parse::<u64>().is_ok() || word.chars().count() == 1;
        if let Some(at) = own.iter().rposition(counts) {
            let mut stem = own.clone();
            stem[at].clear();
            alike.entry(stem).or_default().push(*column);
        }
    }
    let holds = |items: &Vec<usize>| {
        let within = |row: &Vec<String>, chosen: usize| items.iter().any(|&item| row[item] == row[chosen]);
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
    let mut items = alike.into_values().find(holds)?;
    items.extend([best, worst]);
    Some(items)
}
