//! Readings that a table may have, each with what speaks for it: what is offered where none was taken. Every one is
//! tried on the first rows before it is offered, and shown with what it makes of them.

mod long;
mod looks;
mod pairs;
mod rankings;
mod series;

use super::reading::{Interpretation, Start};
use crate::error::{Error, shortened};
use crate::layout::answer_columns::claimed;
use crate::layout::header::Header;
use crate::layout::{Columns, Shape, infer, list};
use crate::sample::Sample;
use crate::table::decimal;
use crate::wide::{RowKind, WideOptions};
use std::collections::BTreeSet;

/// How many readings are offered.
const MOST: usize = 3;
/// How many are tried, at most.
const TRIED: usize = 8;

/// What speaks for a reading, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Evidence {
    /// Every row fits in a way that rows of other tables hardly do: all are rankings, or choices of one item.
    Fits,
    /// The names of the columns say so.
    Called,
    /// Nothing else in the table can be meant.
    Only,
}

/// A reading that may be meant.
struct Candidate {
    evidence: Evidence,
    /// What it takes for granted, or what has to be done first.
    when: String,
    reading: Interpretation,
    /// The same the other way round, and what that takes for granted.
    turned: Option<(String, Interpretation)>,
}

impl Candidate {
    fn new(evidence: Evidence, when: String, reading: Interpretation) -> Self {
        Self { evidence, when, reading, turned: None }
    }

    fn or(self, when: String, reading: Interpretation) -> Self {
        Self { turned: Some((when, reading)), ..self }
    }

    /// What is said of it, with what it makes of the first rows; nothing where it makes nothing of them, or, if that is
    /// wanted, not of all.
    fn advice(&self, tried: &Tried<'_>, all: bool) -> Option<String> {
        let Trial { rows, bad } = tried(&self.reading).filter(|trial| !trial.bad || !all)?;
        let flags =
            |reading: &Interpretation| Interpretation { lenient: reading.lenient || bad, ..reading.clone() }.flags();
        let own = Some(flags(&self.reading)).filter(|flags| !flags.is_empty());
        let own = own.map_or_else(String::new, |flags| format!(", say {flags}"));
        let turned = self.turned.as_ref().map(|(when, other)| format!("; {when}, {}", flags(other)));
        Some(format!(" • {}{own}; it reads {rows}{}", self.when, turned.unwrap_or_default()))
    }
}

/// What is asked where something speaks against a reading, with the readings that may be meant.
pub(super) struct Question {
    what: String,
    meant: Vec<Candidate>,
}

impl Question {
    pub(super) fn new(what: String) -> Self {
        Self { what, meant: Vec::new() }
    }

    /// The reading that is meant if something is so.
    pub(super) fn meant(mut self, when: impl Into<String>, reading: Interpretation) -> Self {
        self.meant.push(Candidate::new(Evidence::Fits, when.into(), reading));
        self
    }

    /// The question, with all readings that can be meant.
    pub(super) fn asked(&self, file: &str, sample: &Sample, tried: &Tried<'_>) -> Error {
        // No advice is given on advice.
        let meant = if sample.trial { &[] } else { &self.meant[..] };
        Error::file(
            file,
            self.what.clone() + &meant.iter().filter_map(|one| one.advice(tried, false)).collect::<String>(),
        )
    }
}

/// A table that was not understood.
struct Table<'t> {
    header: &'t Header<'t>,
    sample: &'t Sample,
    /// What was said about it.
    given: &'t Interpretation,
    /// The two columns of items, where they are known, and a third one of which nobody has told that it does not count.
    items: Option<(usize, usize)>,
    third: Option<usize>,
}

impl<'t> Table<'t> {
    fn new(header: &'t Header<'t>, sample: &'t Sample, given: &'t Interpretation) -> Self {
        let named = |name: &Option<String>| name.as_ref().and_then(|name| header.named("", name).ok());
        let told = named(&given.columns.left).zip(named(&given.columns.right));
        let items = told.or_else(|| header.items()).or_else(|| infer::items(header, sample, None));
        // Numbers beside numbers may as well be ratings.
        let is_item = |&third: &usize| !infer::numbers(sample, third) || !sample.ordered;
        let third = items.filter(|_| told.is_none()).and_then(|items| third(header, sample, items)).filter(is_item);
        Self { header, sample, given, items, third }
    }

    /// The columns of which each may be the answer by the same evidence; none unless there are several.
    fn claimed(&self) -> Vec<usize> {
        let shapes = self
            .items
            .filter(|_| self.third.is_none())
            .map(|items| claimed(self.header, self.sample, &self.given.columns, items));
        let shapes = shapes.and_then(Result::ok).filter(|shapes| shapes.len() > 1).unwrap_or_default();
        let answer = |shape| if let Shape::Answer { answer, .. } = shape { Some(answer) } else { None };
        // The elements of a list are parts of an answer.
        let listed = |column: &usize| {
            self.header.columns[*column].rsplit('.').next().is_some_and(|end| end.parse::<usize>().is_ok())
        };
        shapes.into_iter().filter_map(answer).filter(|column| !listed(column)).collect()
    }

    /// A column's name, for sentences.
    fn name(&self, column: usize) -> String {
        shortened(&self.header.columns[column])
    }

    /// What flags call a column.
    fn called(&self, column: usize) -> String {
        self.header.called(column)
    }

    fn columns(&self) -> std::ops::Range<usize> {
        0..self.header.columns.len()
    }

    fn numbers(&self, column: usize) -> bool {
        infer::numbers(self.sample, column)
    }

    /// Whether a column's name has one of these words.
    fn has(&self, column: usize, known: &[&str]) -> bool {
        self.header.words[column].iter().any(|word| known.contains(&word.as_str()))
    }

    /// What was said about the table, with these columns besides.
    fn with(&self, columns: Columns) -> Interpretation {
        Interpretation { columns, ..self.given.clone() }
    }

    /// A table of rankings or of single items, in these columns.
    fn rows(&self, rows: RowKind, columns: &[usize]) -> Interpretation {
        let columns = columns.iter().map(|&column| self.header.called(column)).collect();
        Interpretation {
            wide: WideOptions { rows: Some(rows), columns, ..WideOptions::default() },
            ..self.given.clone()
        }
    }
}

/// What a reading makes of the first rows.
pub(crate) struct Trial {
    /// Three of them in words.
    pub(crate) rows: String,
    /// Whether there are some, not many, that it cannot read.
    pub(crate) bad: bool,
}

/// Tries a reading on the first rows; nothing where that is not how they are written.
pub(crate) type Tried<'t> = dyn Fn(&Interpretation) -> Option<Trial> + 't;
/// Finds readings of one kind.
type Producer = fn(&Table<'_>) -> Vec<Candidate>;

/// All kinds of readings; where as much speaks for two of them, the first comes first.
const PRODUCERS: &[Producer] = &[
    pairs::several,
    pairs::doubled,
    pairs::answers,
    pairs::counted,
    pairs::scores,
    pairs::grades,
    pairs::of_each_side,
    pairs::margin,
    pairs::first_judge,
    pairs::ordered,
    rankings::whole,
    rankings::places,
    rankings::turned,
    rankings::numbers,
    long::candidates,
];

/// The readings of a table, those for which most speaks first.
fn readings(table: &Table<'_>) -> Vec<Candidate> {
    let mut all: Vec<Candidate> = PRODUCERS.iter().flat_map(|produce| produce(table)).collect();
    all.sort_by_key(|candidate| candidate.evidence);
    all
}

/// The readings of a table with something else in front of its rows than a header.
fn begun(header: &Header<'_>, sample: &Sample, given: &Interpretation, start: Start, when: &str) -> Vec<Candidate> {
    let (columns, sample) = start.of(header.columns, sample);
    let given = Interpretation { start, ..given.clone() };
    let as_it_is = |reading: Interpretation| Candidate::new(Evidence::Fits, when.to_owned(), reading);
    let mut all = vec![as_it_is(given.clone())];
    if start == Start::First {
        all.extend(rankings::headless(&columns, &sample, &given).into_iter().map(as_it_is));
    }
    let further = readings(&Table::new(&Header::new(header.file, &columns), &sample, &given));
    let lower = |text: String| text.replacen("If ", "if ", 1);
    let and = |found: Candidate| Candidate { when: format!("{when}, and {}", lower(found.when)), ..found };
    all.extend(further.into_iter().map(and));
    all
}

/// The readings that may be meant, each behind a mark; nothing where there are none. With `all`, they read all
/// of the first rows.
pub(super) fn offered(
    header: &Header<'_>,
    sample: &Sample,
    given: &Interpretation,
    tried: &Tried<'_>,
    all: bool,
) -> String {
    let start = if given.start == Start::Header { looks::start(header, sample) } else { None };
    // Where only a row was not understood, the header was.
    let start = start.filter(|(start, _)| !all || *start != Start::First);
    let said = |found: &[Candidate]| {
        found.iter().take(TRIED).filter_map(|one| one.advice(tried, all)).take(MOST).collect::<Vec<_>>()
    };
    let mut offered = Vec::new();
    if let Some((start, when)) = &start {
        offered.extend(said(&begun(header, sample, given, *start, when)).into_iter().take(1));
    }
    // A first row that may be data may as well be a header; what is a title is none.
    if start.is_none_or(|(start, _)| start == Start::First) {
        offered.extend(said(&readings(&Table::new(header, sample, given))));
    }
    offered.truncate(MOST);
    offered.concat()
}

/// What was done to the values of a table before it came here, where that can be seen.
pub(super) fn spoilt(header: &Header<'_>, sample: &Sample, given: &Interpretation) -> String {
    looks::mangled(&Table::new(header, sample, given)).map_or_else(String::new, |what| format!(". {what}"))
}

/// What a table is like that was not understood: what was found, and what it looks like.
pub(super) fn found(header: &Header<'_>, sample: &Sample, given: &Interpretation) -> String {
    let table = Table::new(header, sample, given);
    let claimed: Vec<String> = table.claimed().into_iter().map(|column| header.columns[column].clone()).collect();
    let what = match (table.items, table.third) {
        (Some((left, right)), Some(third)) => too_many(header, [left, right, third]),
        (Some(_), None) if !claimed.is_empty() => format!("any of {} may be the answer", list(&claimed)),
        (Some(_), None) => "two columns of items were found, but none that says who won".to_owned(),
        (None, _) => "no two columns of items were found".to_owned(),
    };
    format!("{what}; the columns are {}. {}", list(header.columns), looks::looks(&table))
}

/// What is said of a third item.
pub(super) fn too_many(header: &Header<'_>, items: [usize; 3]) -> String {
    let [a, b, c] = items.map(|column| shortened(&header.columns[column]));
    format!(
        "has more than two items in a row (\"{a}\", \"{b}\", \"{c}\"), and a vote is on two: write a row for each \
         pair, or a judge, an item and its rank in each row (--rows long-ranks), or name the two that count with \
         --left and --right"
    )
}

/// A column that comes next to those of the two items by its name, and holds items too.
pub(super) fn third(header: &Header<'_>, sample: &Sample, (left, right): (usize, usize)) -> Option<usize> {
    // In a list of a JSON object a third element is one more; elsewhere numbers have to be items that are known.
    let listed = |column: usize| header.columns[column].split('.').skip(1).any(|part| part.parse::<usize>().is_ok());
    let items: BTreeSet<&str> = sample.distinct(left).union(&sample.distinct(right)).copied().collect();
    let is_item = |column: usize| {
        sample.values(column).any(|value| listed(column) || decimal(value).is_none() || items.contains(value))
    };
    header.next((left, right)).into_iter().find(|&column| is_item(column))
}
