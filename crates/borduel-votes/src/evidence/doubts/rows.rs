//! What speaks against a reading of rankings or of a matrix.

use super::super::candidates::Question;
use super::super::reading::Interpretation;
use super::none;
use crate::error::shortened;
use crate::layout::header::{Header, called_number};
use crate::layout::languages::POINTS;
use crate::layout::twins::tells_the_loser;
use crate::sample::Sample;
use crate::wide::{RowKind, Wide, WideOptions, judged, places};
use std::collections::HashSet;

/// Words of points, of which more are better.
const RATED: [&str; 8] = ["score", "scores", "stars", "rating", "ratings", "point", "points", "pts"];

/// A table as it would be read.
pub(crate) struct RowsCase<'t> {
    pub(crate) header: &'t Header<'t>,
    pub(crate) sample: &'t Sample,
    pub(crate) given: &'t Interpretation,
    pub(crate) wide: &'t Wide,
}

/// Tells what speaks against a reading, and what may be meant instead.
type Doubt = fn(&RowsCase<'_>) -> Option<Question>;

/// All that may speak against a reading of which nobody has said what rows are, and what is asked in any case.
const DOUBTS: &[Doubt] = &[|case| case.numbered(), |case| case.rated(), |case| case.lost(), |case| case.left_out()];
const ALWAYS: &[Doubt] = &[|case| case.unlike(), |case| case.uncounted()];

impl RowsCase<'_> {
    /// What speaks against the reading.
    pub(crate) fn doubt(&self) -> Option<Question> {
        let told = self.given.wide.rows.is_some() || self.given.wide.transpose;
        let doubts = if told { &[] } else { DOUBTS };
        doubts.iter().chain(ALWAYS).find_map(|doubt| doubt(self))
    }

    fn name(&self, column: usize) -> String {
        shortened(&self.header.columns[column])
    }

    /// The same rows in these columns, or in all that are found.
    fn rows(&self, rows: RowKind, columns: &[usize]) -> Interpretation {
        let columns = columns.iter().map(|&column| self.header.called(column)).collect();
        let wide = WideOptions { rows: Some(rows), columns, ..self.given.wide.clone() };
        Interpretation { wide, ..self.given.clone() }
    }

    /// Numbers under names of places: ranks of items, or numbers of the items that have the places.
    fn numbered(&self) -> Option<Question> {
        let free: Vec<usize> = (0..self.header.columns.len()).filter(|c| self.wide.voter != Some(*c)).collect();
        let placed = places::find(self.header.columns, &free).len();
        (self.wide.kind == RowKind::Ranks && placed == self.wide.columns.len()).then(|| {
            Question::new("numbers stand under names of places".to_owned())
                .meant("If each is the rank of an item", self.rows(RowKind::Ranks, &[]))
                .meant("If each is the number of the item that has the place", self.rows(RowKind::Places, &[]))
        })
    }

    /// Ranks under names of points.
    fn rated(&self) -> Option<Question> {
        let called = |word: &String| RATED.contains(&word.as_str()) || POINTS.contains(&word.as_str());
        let rated = |&column: &usize| self.header.words[column].iter().any(called);
        (self.wide.kind == RowKind::Ranks && self.wide.columns.iter().all(rated)).then(|| {
            let what = "each row has the numbers from 1 on, once each, under names of points";
            Question::new(what.to_owned())
                .meant("If the highest is the best", self.rows(RowKind::Ratings, &[]))
                .meant("If 1 is", self.rows(RowKind::Ranks, &[]))
        })
    }

    /// A matrix whose corner speaks of the losers.
    fn lost(&self) -> Option<Question> {
        let corner = self.wide.names.filter(|_| self.wide.kind == RowKind::Matrix)?;
        let words = &self.header.words[corner];
        // Of two words the first is about the rows.
        (tells_the_loser(words) || words.get(..1).is_some_and(tells_the_loser)).then(|| {
            let as_it_is = self.rows(RowKind::Matrix, &[]);
            let wide = WideOptions { transpose: true, ..as_it_is.wide.clone() };
            let turned = Interpretation { wide, ..as_it_is.clone() };
            Question::new(format!(
                "by \"{}\" above the rows' names each number may say how often the row's item lost",
                self.name(corner)
            ))
            .meant("If it does", turned)
            .meant("If it says how often that item won", as_it_is)
        })
    }

    /// A column beside those of places that holds the same items, never one that has a place in the same row.
    fn left_out(&self) -> Option<Question> {
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
        let places = |columns: &[usize]| self.rows(RowKind::Places, columns);
        Some(
            Question::new(format!("\"{}\" holds items too: name all places in their order", self.name(column)))
                .meant("If it is the last place", places(&[&wide.columns[..], &[column]].concat()))
                .meant("If it does not count", places(&wide.columns)),
        )
    }

    /// Columns of numbers that cannot all be items': a survey also asks for age and schooling.
    fn unlike(&self) -> Option<Question> {
        let Self { wide, header, sample, given } = self;
        let numbers = matches!(wide.kind, RowKind::Ranks | RowKind::Ratings) && given.wide.rows.is_some();
        if !numbers || !given.wide.columns.is_empty() || sample.rows.is_empty() {
            return None;
        }
        let proposed = judged::proposed(header.columns, sample, wide.kind, &wide.columns);
        let others: Vec<String> =
            wide.columns.iter().filter(|c| !proposed.contains(c)).map(|&c| self.name(c)).collect();
        let why = match wide.kind {
            RowKind::Ranks => "cannot be ranks: no row is a ranking (1, 2, 3 …) with them",
            _ => "cannot be ratings like the others: by range or by name they speak of something else",
        };
        let names = match proposed.len() {
            0 | 1 => "the columns of numbers".to_owned(),
            _ => others.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", "),
        };
        let mut question = Question::new(format!("{names} {why}"));
        if proposed.len() > 1 {
            question = question.meant("If the others are the items", self.rows(wide.kind, &proposed));
        }
        let all = question.meant("If all are", self.rows(wide.kind, &wide.columns));
        (!others.is_empty()).then_some(all)
    }

    /// A column that is not used, and by its name and its numbers may say how many voters gave a ranking.
    fn uncounted(&self) -> Option<Question> {
        let Self { wide, header, sample, given } = self;
        let ranking = matches!(wide.kind, RowKind::Places | RowKind::Ballots | RowKind::Ranks);
        let counted = wide.count.is_some() || given.columns.count.is_some();
        let counts = |&c: &usize| called_number(&header.names[c]) && !wide.used().contains(&c) && sample.may_count(c);
        let column = (0..header.columns.len()).filter(|_| ranking && !counted).find(counts)?;
        let is = |count: String| {
            let mut reading = self.given.clone();
            reading.columns.count = Some(count);
            reading
        };
        Some(
            Question::new(format!("is \"{}\" how many voters gave each ranking?", self.name(column)))
                .meant("If it is", is(header.called(column)))
                .meant("If it is not", is(none())),
        )
    }
}
