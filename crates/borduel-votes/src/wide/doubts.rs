//! What speaks against a reading of rankings or of a matrix is asked and not guessed, as it is with votes on pairs.

use super::{RowKind, Wide};
use crate::error::{Error, Result, shortened};
use crate::layout::header::{Header, called_number};
use crate::layout::languages::POINTS;
use crate::layout::twins::tells_the_loser;
use crate::sample::Sample;
use std::collections::HashSet;

/// Words of points, of which more are better.
const RATED: [&str; 8] = ["score", "scores", "stars", "rating", "ratings", "point", "points", "pts"];

/// A table as it would be read.
pub(super) struct Case<'t> {
    pub(super) wide: &'t Wide,
    pub(super) header: &'t Header<'t>,
    pub(super) sample: &'t Sample,
    /// Whether the user has said what rows are.
    pub(super) told: bool,
    /// How many columns are called places.
    pub(super) placed: usize,
    /// Whether the user has said which column counts, or that none does.
    pub(super) counted: bool,
}

/// Tells what speaks against a reading, and what to say if it is right all the same.
type Doubt = fn(&Case<'_>) -> Option<String>;

/// All that may speak against a reading of which nobody has said what rows are, and what is asked in any case.
const DOUBTS: &[Doubt] = &[|case| case.numbered(), |case| case.rated(), |case| case.lost(), |case| case.left_out()];
const ALWAYS: &[Doubt] = &[|case| case.uncounted()];

impl Case<'_> {
    /// Asks wherever there is a doubt.
    pub(super) fn ask(&self) -> Result<()> {
        let doubts = if self.told { &[] } else { DOUBTS };
        let doubt = doubts.iter().chain(ALWAYS).find_map(|doubt| doubt(self));
        doubt.map_or(Ok(()), |what| Err(Error::file(self.header.file, what)))
    }

    fn name(&self, column: usize) -> String {
        shortened(&self.header.columns[column])
    }

    /// Numbers under names of places: ranks of items, or numbers of the items that have the places.
    fn numbered(&self) -> Option<String> {
        (self.wide.kind == RowKind::Ranks && self.placed == self.wide.columns.len()).then(|| {
            "numbers stand under names of places: if each is the rank of an item, say --rows ranks, and if each is the \
             number of the item that \
             has the place, say --rows places"
                .to_owned()
        })
    }

    /// Ranks under names of points.
    fn rated(&self) -> Option<String> {
        let called = |word: &String| RATED.contains(&word.as_str()) || POINTS.contains(&word.as_str());
        let rated = |&column: &usize| self.header.words[column].iter().any(called);
        (self.wide.kind == RowKind::Ranks && self.wide.columns.iter().all(rated)).then(|| {
            "each row has the numbers from 1 on, once each, under names of points: if the highest is the best, say \
             --rows ratings, and if 1 is, \
             say --rows ranks"
                .to_owned()
        })
    }

    /// A matrix whose corner speaks of the losers.
    fn lost(&self) -> Option<String> {
        let corner = self.wide.names.filter(|_| self.wide.kind == RowKind::Matrix)?;
        let words = &self.header.words[corner];
        // Of two words the first is about the rows.
        (tells_the_loser(words) || words.get(..1).is_some_and(tells_the_loser)).then(|| {
            format!(
                "by \"{}\" above the rows' names each number may say how often the row's item lost: say --transpose if \
                 it does, and --rows matrix if \
                 it says how often that item won",
                self.name(corner)
            )
        })
    }

    /// A column beside those of places that holds the same items, never one that has a place in the same row.
    fn left_out(&self) -> Option<String> {
        let Self { wide, header, sample, .. } = self;
        let items: HashSet<&str> = wide.columns.iter().flat_map(|&c| sample.distinct(c)).collect();
        let placed = |row: &[String], value: &String| wide.columns.iter().any(|&c| row[c] == *value);
        let holds = |&column: &usize| {
            !wide.used().contains(&column)
                && 2 * sample.values(column).count() > sample.rows.len()
                && sample.distinct(column).len() > 1
                && sample.values(column).all(|value| items.contains(value))
                && !sample.rows.iter().any(|row| placed(row, &row[column]))
        };
        let column = (0..header.columns.len()).filter(|_| wide.kind == RowKind::Places).find(holds)?;
        let list = |columns: &[usize]| columns.iter().map(|&c| header.called(c)).collect::<Vec<_>>().join(",");
        Some(format!(
            "\"{}\" holds items too: name all places in their order, such as --rows places --item-columns \"{}\", or \
             those that count: --rows \
             places --item-columns \"{}\"",
            self.name(column),
            list(&[&wide.columns[..], &[column]].concat()),
            list(&wide.columns)
        ))
    }

    /// A column that is not used, and by its name and its numbers may say how many voters gave a ranking.
    fn uncounted(&self) -> Option<String> {
        let Self { wide, header, sample, .. } = self;
        let ranking = matches!(wide.kind, RowKind::Places | RowKind::Ballots | RowKind::Ranks);
        let counts = |&c: &usize| called_number(&header.names[c]) && !wide.used().contains(&c) && sample.may_count(c);
        let column =
            (0..header.columns.len()).filter(|_| ranking && wide.count.is_none() && !self.counted).find(counts)?;
        let name = self.name(column);
        Some(format!(
            "is \"{name}\" how many voters gave each ranking? Say --count \"{name}\", or --count none if it is not"
        ))
    }
}
