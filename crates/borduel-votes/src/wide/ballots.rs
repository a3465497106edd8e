//! Rankings that are written into one cell are recognised: `ash > birch > cedar`, level items as in `ash > birch =
//! cedar`.

use crate::sample::Sample;
use std::collections::BTreeSet;

/// What stands behind the number of voters.
const COUNTED: &str = ":";

/// The groups of level items of a ballot, the best first; `None` where a name is missing.
pub(super) fn groups(ballot: &str) -> Option<Vec<Vec<&str>>> {
    // An arrow is no sign of preference, and "<" would turn the order round.
    if ["->", "=>", "<"].iter().any(|other| ballot.contains(other)) {
        return None;
    }
    let groups = ballot.split(['>', '≻']).map(|group| group.split('=').map(str::trim));
    groups.map(|names| names.map(|name| (!name.is_empty()).then_some(name)).collect()).collect()
}

/// How many voters gave a ballot that says so in front, and what follows: `3: ash > birch`.
pub(super) fn counted(ballot: &str) -> Option<(f64, &str)> {
    let (count, rest) = ballot.split_once(COUNTED)?;
    Some((f64::from(count.trim().parse::<u32>().ok()?), rest))
}

/// What stands between the number of voters and their ballot, where all ballots have one: a single `2001: A Space
/// Odyssey` is a name.
pub(super) fn between(sample: &Sample, column: usize) -> Option<&'static str> {
    let all = sample.values(column).next().is_some() && sample.values(column).all(|ballot| counted(ballot).is_some());
    all.then_some(COUNTED)
}

/// The only column of ballots. One that chooses a single item has no mark, but most have; where the header has one it
/// is no header. Beside other columns two names are rather those of sides: `A>B`.
pub(super) fn find(columns: &[String], sample: &Sample, free: &[usize]) -> Option<usize> {
    let marked = |ballot: &str| groups(ballot).is_some_and(|groups| groups.len() > 1);
    let is_column = |&&column: &&usize| {
        let ballots = || sample.values(column);
        let most = 2 * ballots().filter(|ballot| marked(ballot)).count() > ballots().count();
        most && ballots().all(|ballot| groups(ballot).is_some()) && !marked(&columns[column])
    };
    let mut found = free.iter().filter(is_column);
    let column = *found.next().filter(|_| found.next().is_none())?;
    let named: BTreeSet<&str> = sample.values(column).filter_map(groups).flatten().flatten().collect();
    (named.len() > 2 || columns.len() == 1).then_some(column)
}
