//! Columns of places are recognised: their names are alike but for a place, and the places are 1, 2, … without a gap.

use crate::layout::words;
use std::collections::BTreeMap;

pub(super) const ORDINALS: [&str; 10] =
    ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
/// What stands behind a number that is a place, in English, Spanish, Portuguese, Italian and French.
pub(super) const ENDINGS: [&str; 9] = ["st", "nd", "rd", "th", "º", "ª", "er", "ère", "ème"];
const MEDALS: [&str; 3] = ["gold", "silver", "bronze"];
const MEDALLED: [&str; 3] = ["medal", "medalist", "medallist"];
/// Words of what is best.
const FIRST: [&str; 4] = ["best", "top", "favorite", "favourite"];
/// Words that make a number a place.
const CALLED: [&str; 9] = ["rank", "ranked", "place", "pos", "position", "choice", "pref", "preference", "pick"];

/// The columns that are called places, in the order of the places; none where nothing is called so, or where several
/// rankings stand beside each other.
pub(crate) fn find(columns: &[String], free: &[usize]) -> Vec<usize> {
    let mut families: BTreeMap<Vec<String>, Vec<(usize, usize)>> = BTreeMap::new();
    for &column in free {
        for (rest, place) in places(&words(&columns[column])) {
            families.entry(rest).or_default().push((place, column));
        }
    }
    let whole = |mut family: Vec<(usize, usize)>| {
        family.sort_unstable();
        family.dedup();
        let all = family.len() > 1 && family.iter().map(|&(place, _)| place).eq(1..=family.len());
        all.then(|| family.into_iter().map(|(_, column)| column).collect())
    };
    let mut found = families.into_values().filter_map(whole);
    found.next().filter(|_| found.next().is_none()).unwrap_or_default()
}

/// Every place that a name may mean, each with what else the name says: `rank1`, `3rd`, `4th choice`, `gold`,
/// `1st choice of district 2`.
fn places(words: &[String]) -> Vec<(Vec<String>, usize)> {
    let at = |list: &[&str], word: &str| list.iter().position(|known| *known == word);
    let is_called = |word: &str| at(&CALLED, word).is_some();
    let is_first = |word: &str| at(&FIRST, word).is_some();
    let only = |other: &[&str]| words.iter().skip(1).all(|word| is_called(word) || at(other, word).is_some());
    let called = words.iter().any(|word| is_called(word));
    let without = |from: usize, to: usize| {
        let apart = words[..from].iter().chain(&words[to..]);
        apart.filter(|word| !is_called(word) && !is_first(word)).cloned().collect::<Vec<_>>()
    };
    let mut found = Vec::new();
    for (here, word) in words.iter().enumerate() {
        let ended = words.get(here + 1).is_some_and(|next| at(&ENDINGS, next).is_some());
        if let Some(place) = at(&ORDINALS, word) {
            found.push((without(here, here + 1), place + 1));
        } else if let Some(number) = word.parse().ok().filter(|_| called || ended) {
            // `3rd` is a place, and `Rd3` a round.
            let rest = without(here, here + 1 + usize::from(ended));
            // `Q1[2]. Best parks [Rank 2]` has its place twice.
            let once = rest.iter().filter(|other| *other != word).cloned().collect();
            found.extend([(rest, number), (once, number)]);
        }
    }
    match words.first() {
        Some(word) if found.is_empty() && is_first(word) => found.push((without(0, 1), 1)),
        Some(word) if only(&MEDALLED) => found.extend(at(&MEDALS, word).map(|place| (Vec::new(), place + 1))),
        _ => {}
    }
    found
}
