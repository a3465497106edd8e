//! Rankings that are written into one cell are recognised: `ash > birch > cedar`, level items as in `ash > birch =
//! cedar`; or, where that is said, in a list: `ash, birch, cedar`.

use crate::sample::Sample;
use std::collections::BTreeSet;

/// What stands behind the number of voters.
const COUNTED: &str = ":";
/// What may stand between the items of a list.
const LISTED: [&str; 3] = [";", "|", ","];

/// The groups of level items of a ballot, the best first; `None` where a name is missing. `between` is what [`between`]
/// tells of its column.
pub(super) fn groups<'b>(ballot: &'b str, between: Option<&str>) -> Option<Vec<Vec<&'b str>>> {
    if let Some(mark) = between.filter(|mark| *mark != COUNTED) {
        return Some(listed(ballot, mark).map(|name| vec![name]).collect());
    }
    // An arrow is no sign of preference, and "<" would turn the order round.
    if ["->", "=>", "<"].iter().any(|other| ballot.contains(other)) {
        return None;
    }
    let groups = ballot.split(['>', '≻']).map(|group| group.split('=').map(str::trim));
    groups.map(|names| names.map(|name| (!name.is_empty()).then_some(name)).collect()).collect()
}

/// The names of a list.
fn listed<'b>(ballot: &'b str, mark: &str) -> impl Iterator<Item = &'b str> {
    ballot.split(mark.chars().next().unwrap_or(',')).map(str::trim).filter(|name| !name.is_empty())
}

/// Whether a column holds lists in the order of preference: of three items and more, which come again, none twice in a
/// list, and not always in one order, as what was ticked is.
pub(crate) fn are_lists(sample: &Sample, column: usize) -> bool {
    let Some(mark) = mark(sample, column) else { return false };
    let lists: Vec<Vec<&str>> = sample.values(column).map(|ballot| listed(ballot, mark).collect()).collect();
    let names: BTreeSet<&str> = lists.iter().flatten().copied().collect();
    let once = |list: &Vec<&str>| list.iter().collect::<BTreeSet<_>>().len() == list.len();
    let ordered: BTreeSet<(&str, &str)> = lists.iter().flat_map(|list| list.windows(2).map(|w| (w[0], w[1]))).collect();
    names.len() > 2
        && 2 * names.len() <= lists.iter().map(Vec::len).sum()
        && lists.iter().all(once)
        && ordered.iter().any(|&(a, b)| ordered.contains(&(b, a)))
}

/// What stands between the items of most lists of a column that has no marks of rankings.
fn mark(sample: &Sample, column: usize) -> Option<&'static str> {
    let has = |mark: &str| 2 * sample.values(column).filter(|ballot| ballot.contains(mark)).count();
    if has(">") + has("≻") > 0 {
        return None;
    }
    LISTED.into_iter().find(|mark| has(mark) > sample.values(column).count())
}

/// How many voters gave a ballot that says so in front, and what follows: `3: ash > birch`.
pub(super) fn counted<'b>(ballot: &'b str, between: Option<&str>) -> Option<(f64, &'b str)> {
    between.filter(|mark| *mark == COUNTED)?;
    let (count, rest) = ballot.split_once(COUNTED)?;
    Some((f64::from(count.trim().parse::<u32>().ok()?), rest))
}

/// What stands between the number of voters and their ballot, where all ballots have one (a single `2001: A Space
/// Odyssey` is a name), or between the items of lists.
pub(super) fn between(sample: &Sample, column: usize) -> Option<&'static str> {
    let counts = |ballot: &str| counted(ballot, Some(COUNTED)).is_some();
    let all = sample.values(column).next().is_some() && sample.values(column).all(counts);
    if all { Some(COUNTED) } else { mark(sample, column) }
}

/// The only column of ballots. One that chooses a single item has no mark, but most have; where the header has one it
/// is no header. Beside other columns two names are rather those of sides: `A>B`.
pub(super) fn find(columns: &[String], sample: &Sample, free: &[usize]) -> Option<usize> {
    let marked = |ballot: &str| groups(ballot, None).is_some_and(|groups| groups.len() > 1);
    let is_column = |&&column: &&usize| {
        let ballots = || sample.values(column);
        let most = 2 * ballots().filter(|ballot| marked(ballot)).count() > ballots().count();
        most && ballots().all(|ballot| groups(ballot, None).is_some()) && !marked(&columns[column])
    };
    let mut found = free.iter().filter(is_column);
    let column = *found.next().filter(|_| found.next().is_none())?;
    let named: BTreeSet<&str> =
        sample.values(column).filter_map(|ballot| groups(ballot, None)).flatten().flatten().collect();
    (named.len() > 2 || columns.len() == 1).then_some(column)
}
