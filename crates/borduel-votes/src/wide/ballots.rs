//! Rankings that are written into one cell are recognised: `ash > birch > cedar`, level items as in `ash > birch =
//! cedar`.

use crate::sample::Sample;
use std::collections::BTreeSet;

/// How many voters gave a ballot, where it says so in front (`3: ash > birch`), and the groups of its level items, the
/// best first; `None` where a name is missing.
pub(super) fn groups(ballot: &str) -> Option<(f64, Vec<Vec<&str>>)> {
    // An arrow is no sign of preference, and "<" would turn the order round.
    if ["->", "=>", "<"].iter().any(|other| ballot.contains(other)) {
        return None;
    }
    let counted = ballot.split_once(':').filter(|(_, rest)| !rest.contains(':'));
    let counted = counted.and_then(|(count, rest)| Some((f64::from(count.trim().parse::<u32>().ok()?), rest)));
    let (copies, ballot) = counted.unwrap_or((1.0, ballot));
    let groups = ballot.split(['>', '≻']).map(|group| group.split('=').map(str::trim));
    let groups: Option<_> =
        groups.map(|names| names.map(|name| (!name.is_empty()).then_some(name)).collect()).collect();
    Some((copies, groups?))
}

/// The only column of ballots. One that chooses a single item has no mark, but most have; where the header has one it
/// is no header. Beside other columns two names are rather those of sides: `A>B`.
pub(super) fn find(columns: &[String], sample: &Sample, free: &[usize]) -> Option<usize> {
    let marked = |ballot: &str| groups(ballot).is_some_and(|(_, groups)| groups.len() > 1);
    let is_column = |&&column: &&usize| {
        let ballots = || sample.values(column);
        let most = 2 * ballots().filter(|ballot| marked(ballot)).count() > ballots().count();
        most && ballots().all(|ballot| groups(ballot).is_some()) && !marked(&columns[column])
    };
    let mut found = free.iter().filter(is_column);
    let column = *found.next().filter(|_| found.next().is_none())?;
    let named: BTreeSet<&str> =
        sample.values(column).filter_map(groups).flat_map(|(_, groups)| groups).flatten().collect();
    (named.len() > 2 || columns.len() == 1).then_some(column)
}
