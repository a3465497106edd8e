//! Rankings that are written into one cell are recognised: `ash > birch > cedar`, level items as in `ash > birch =
//! cedar`.

use crate::sample::Sample;

/// The groups of level items of a ballot, the best first; `None` where a name is missing.
pub(super) fn groups(ballot: &str) -> Option<Vec<Vec<&str>>> {
    // An arrow is no sign of preference, and "<" would turn the order round.
    if ["->", "=>", "<"].iter().any(|other| ballot.contains(other)) {
        return None;
    }
    let groups = ballot.split(['>', '≻']).map(|group| group.split('=').map(str::trim));
    groups.map(|names| names.map(|name| (!name.is_empty()).then_some(name)).collect()).collect()
}

/// The only column of ballots. One that chooses a single item has no mark, but most have; where the header has one it
/// is no header.
pub(super) fn find(columns: &[String], sample: &Sample, free: &[usize]) -> Option<usize> {
    let marked = |ballot: &str| groups(ballot).is_some_and(|groups| groups.len() > 1);
    let is_column = |&&column: &&usize| {
        let ballots = || sample.values(column);
        let most = 2 * ballots().filter(|ballot| marked(ballot)).count() > ballots().count();
        most && ballots().all(|ballot| groups(ballot).is_some()) && !marked(&columns[column])
    };
    let mut found = free.iter().filter(is_column);
    found.next().filter(|_| found.next().is_none()).copied()
}
