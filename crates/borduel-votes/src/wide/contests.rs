//! Tables with one row a judge and one column a pair are recognised, as psychologists have them: `ash-birch`,
//! `ash vs cedar`, `birch:cedar`.

use super::Wide;
use crate::outcome::Scale;
use crate::sample::Sample;
use crate::spelling::folded;
use crate::table::{bracketed, decimal};
use std::collections::HashMap;

/// What stands between the two names, the clearest first.
const BETWEEN: &[&str] =
    &[" vs. ", " vs ", "_vs_", ".vs.", " v ", " or ", ":", " - ", "-", "/", "|", ">", "_", ".", " "];

/// The two names of a column.
fn names<'a>(column: &'a str, between: &str) -> Option<(&'a str, &'a str)> {
    let (a, b) = bracketed(column).unwrap_or(column).split_once(between)?;
    let (a, b) = (a.trim(), b.trim());
    (!a.is_empty() && !b.is_empty() && a != b && !b.contains(between)).then_some((a, b))
}

/// The columns that are pairs, and what stands between their names: at least three columns, in which every name comes
/// up again. Unless it is `told` that they are pairs, more than n²/4 of n names are needed, which no table has whose
/// names are made of one word each from two lists, as the cells of a design are (`small_red`, `small_blue`,
/// `large_red`, `large_blue`): among so many, three are compared each with each (Mantel 1907).
pub(super) fn find(
    columns: &[String],
    sample: &Sample,
    free: &[usize],
    told: bool,
) -> Option<(Vec<usize>, &'static str)> {
    BETWEEN.iter().find_map(|between| {
        let pairs: Vec<usize> = free.iter().copied().filter(|&c| names(&columns[c], between).is_some()).collect();
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for &column in &pairs {
            let (a, b) = names(&columns[column], between)?;
            *counts.entry(a).or_default() += 1;
            *counts.entry(b).or_default() += 1;
        }
        let again = counts.values().all(|&n| n > 1);
        let possible = counts.len() * counts.len().saturating_sub(1) / 2;
        let dense = told || (pairs.len() >= 3 && 4 * pairs.len() > counts.len().pow(2) && pairs.len() <= possible);
        let answers = pairs.iter().all(|&c| {
            let own = names(&columns[c], between);
            // Names that differ in case are told from each other when they are read.
            let names = |v: &str| own.is_some_and(|(a, b)| [a, b].map(folded).contains(&folded(v)));
            sample.values(c).all(|v| decimal(v).is_some() || names(v))
        });
        ((again || told)
            && !pairs.is_empty()
            && dense
            && answers
            && pairs.iter().any(|&c| sample.values(c).next().is_some()))
        .then_some((pairs, *between))
    })
}

impl Wide {
    /// The two names of a column of this table.
    pub(super) fn contest<'a>(&self, column: &'a str) -> Option<(&'a str, &'a str)> {
        names(column, self.between?)
    }

    /// How answers are written, where they are numbers.
    pub(super) fn scale_of(&self, sample: &Sample) -> Scale {
        let numbers: Vec<f64> = (self.columns.iter()).flat_map(|&c| sample.values(c)).filter_map(decimal).collect();
        if numbers.is_empty() {
            Scale::Names
        } else if numbers.iter().any(|x| *x < 0.0) {
            Scale::Signed
        } else if numbers.iter().any(|x| *x > 1.0) {
            Scale::OneTwo
        } else {
            Scale::Unit
        }
    }
}
