//! Rows of votes into ballots.

use crate::error::{Error, Result, RowError};
use crate::items::Items;
use crate::layout::{Columns, Layout, Shape};
use crate::open::open;
use crate::outcome::{Dictionary, Scale, Words, number};
use crate::preflib::{self, PrefLib};
use crate::rankings::{Incomplete, Ranking, Unranked};
use crate::source::Source;
use crate::table::{Table, TableOptions, normal};
use borduel::ballots::{Answer, Ballot, Ballots, BothBad, Refusal, Ties};
use std::collections::HashMap;
use std::io::{self, Read};

/// How votes are to be read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Columns named by the user.
    pub columns: Columns,
    /// Words of the answer column, besides the usual ones.
    pub words: Words,
    /// Delimiter, header, leniency.
    pub table: TableOptions,
    /// What a tie is worth.
    pub ties: Ties,
    /// What "both bad" is worth.
    pub both_bad: BothBad,
    /// What a ranking says about an item that it does not rank.
    pub unranked: Unranked,
}

/// How many rows there were, and what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// Rows read, the header not counted.
    pub read: u64,
    /// Rows not understood and set aside (only when lenient).
    pub set_aside: u64,
    /// Rows of a `borduel design` sheet that have no answer yet.
    pub unanswered: u64,
}

/// How many ballots are handed over together.
const BATCH: usize = 512;

/// Ballots that were read and checked, to be handed over together: nearly every one of a large file has to wait for the
/// memory of its voter and of its pair, and in short loops the waits overlap.
#[derive(Default)]
struct Pending {
    /// The ballots; a voter is a number in `voters`.
    ballots: Vec<Ballot>,
    /// The voters' names, one behind the other, and where each ends.
    names: String,
    ends: Vec<usize>,
    /// Room for the voters' true numbers.
    voters: Vec<u32>,
}

impl Pending {
    /// Notes down a voter.
    fn voter(&mut self, name: &str) -> u32 {
        self.names.push_str(name);
        self.ends.push(self.names.len());
        self.ends.len() as u32 - 1
    }

    fn book(&mut self, ballots: &mut Ballots) -> std::result::Result<(), Refusal> {
        let starts = std::iter::once(&0).chain(&self.ends);
        let names = starts.zip(&self.ends).map(|(&start, &end)| &self.names[start..end]);
        self.voters.clear();
        self.voters.extend(names.map(|name| ballots.voter(name)));
        for ballot in &mut self.ballots {
            ballot.voter = ballot.voter.map(|voter| self.voters[voter as usize]);
        }
        ballots.add_all(&self.ballots)?;
        self.ballots.clear();
        self.names.clear();
        self.ends.clear();
        Ok(())
    }
}

/// What is done with a row that is set aside: it is handed the error and the row's text.
type SetAside<'a> = Box<dyn FnMut(&RowError, &str) -> io::Result<()> + 'a>;

/// Reads any number of files of votes into one box.
pub struct VoteReader<'a> {
    options: ReadOptions,
    ballots: Ballots,
    pending: Pending,
    rows: Rows,
    notes: Vec<String>,
    /// With a list of items: the item of each id and of each unambiguous name.
    known: Option<HashMap<String, u32>>,
    set_aside: Option<SetAside<'a>>,
}

impl<'a> VoteReader<'a> {
    /// A reader that takes the items from the votes.
    pub fn new(options: ReadOptions) -> Self {
        let ballots = Ballots::new(options.ties, options.both_bad, true);
        Self {
            options,
            ballots,
            pending: Pending::default(),
            rows: Rows::default(),
            notes: Vec::new(),
            known: None,
            set_aside: None,
        }
    }

    /// Allows only these items, called by id or by name, in this order; a vote on any other is an error.
    #[must_use]
    pub fn with_items(mut self, items: &Items) -> Self {
        let mut known: HashMap<String, u32> = HashMap::new();
        for (id, name) in items.ids.iter().zip(&items.names) {
            let item = self.ballots.item(id);
            if let Some(name) = name {
                // A name that two items share stands for neither of them.
                known.entry(name.clone()).and_modify(|other| *other = u32::MAX).or_insert(item);
            }
        }
        known.retain(|_, item| *item != u32::MAX);
        for id in &items.ids {
            let item = self.ballots.item(id);
            known.insert(id.clone(), item);
        }
        self.known = Some(known);
        self
    }

    /// With [`TableOptions::lenient`], calls this for every row that is not understood.
    #[must_use]
    pub fn set_aside(mut self, call: impl FnMut(&RowError, &str) -> io::Result<()> + 'a) -> Self {
        self.set_aside = Some(Box::new(call));
        self
    }

    /// Reads a file, or standard input for `-`.
    ///
    /// # Errors
    /// See [`Error`]. After an error the reader is of no further use.
    pub fn read(&mut self, path: &str) -> Result<()> {
        self.read_source(Source::open(path)?)
    }

    /// Reads any bytes under a name for messages.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn read_bytes(&mut self, name: &str, bytes: impl Read + 'static) -> Result<()> {
        self.read_source(Source::new(name.to_owned(), Box::new(bytes))?)
    }

    /// The ballots, the fate of the rows, and what was detected in each file.
    pub fn finish(self) -> (Ballots, Rows, Vec<String>) {
        (self.ballots.finish(), self.rows, self.notes)
    }

    fn read_source(&mut self, mut source: Source) -> Result<()> {
        if preflib::is_preflib(source.head()?) {
            return self.read_rankings(source);
        }
        let file = source.name.clone();
        let mut table = open(source, &self.options.table)?;
        let layout = Layout::find(&file, table.columns(), &self.options.columns)?;
        if !layout.sides_known() {
            self.ballots.forget_sides();
        }
        table.select(&layout.used());
        let mut rows = RowReader::new(&file, table.columns(), layout, &self.options.words);
        let mut fields = vec![String::new(); rows.layout.used().len()];
        loop {
            let outcome = match table.next(&mut fields) {
                Ok(false) => break,
                Ok(true) => self.add_row(&mut rows, &fields, &*table),
                Err(error) => Err(error),
            };
            self.rows.read += 1;
            match outcome {
                Ok(()) => {}
                Err(Error::Row(error)) => self.refuse(*error, &table.raw())?,
                Err(fatal) => return Err(fatal),
            }
        }
        self.book(&file)?;
        self.notes.push(format!("{file}: {}; {}", table.kind(), rows.layout.describe(table.columns())));
        Ok(())
    }

    /// Sets a row aside, or stops.
    fn refuse(&mut self, error: RowError, raw: &str) -> Result<()> {
        if !self.options.table.lenient {
            return Err(Error::Row(Box::new(error)));
        }
        self.rows.set_aside += 1;
        if let Some(call) = &mut self.set_aside {
            let what = "the rows set aside cannot be written".to_owned();
            call(&error, raw).map_err(|source| Error::Io {
                file: error.file.clone(),
                what: format!("{what}: {source}"),
                source,
            })?;
        }
        Ok(())
    }

    /// Adds what one row says.
    fn add_row(&mut self, rows: &mut RowReader, fields: &[String], table: &dyn Table) -> Result<()> {
        let vote = match rows.parse(fields) {
            Ok(Some(vote)) => vote,
            Ok(None) => {
                self.rows.unanswered += 1;
                return Ok(());
            }
            Err((at, what)) => return Err(rows_error(rows, table, fields, at, what)),
        };
        // Everything is checked before any name is taken in, so that a row set aside leaves no trace.
        for &(answer, count) in vote.answers() {
            self.ballots.check(answer, vote.weight, count).map_err(|refusal| {
                let at = match refusal {
                    Refusal::Weight(_) => rows.weight_at,
                    Refusal::Count(_) if rows.count_at.is_some() => rows.count_at,
                    _ => Some(rows.answer_at),
                };
                rows_error(rows, table, fields, at, format!("is refused: {refusal}"))
            })?;
        }
        let (left, right) = (self.known_item(&fields[0]), self.known_item(&fields[1]));
        for (at, item) in [left, right].into_iter().enumerate() {
            if item == Some(u32::MAX) {
                let what = "is not in the list of items: add it there, or correct the vote".to_owned();
                return Err(rows_error(rows, table, fields, Some(at), what));
            }
        }
        let left = left.unwrap_or_else(|| self.ballots.item(&fields[0]));
        let right = right.unwrap_or_else(|| self.ballots.item(&fields[1]));
        if left == right {
            return Err(rows_error(rows, table, fields, Some(1), "is compared with itself".to_owned()));
        }
        let voter = rows.voter_at.map(|at| self.pending.voter(&fields[at]));
        for &(answer, count) in vote.answers() {
            self.pending.ballots.push(Ballot { left, right, voter, answer, weight: vote.weight, count });
        }
        if self.pending.ballots.len() >= BATCH { self.book(&rows.file) } else { Ok(()) }
    }

    /// Hands the pending ballots over.
    fn book(&mut self, file: &str) -> Result<()> {
        // They were checked one by one: nothing is left that could be refused.
        self.pending.book(&mut self.ballots).map_err(|refusal| Error::file(file, refusal.to_string()))
    }

    /// The item of this name: `None` when any name is allowed, `u32::MAX` when this one is not.
    fn known_item(&self, name: &str) -> Option<u32> {
        self.known.as_ref().map(|known| known.get(name).copied().unwrap_or(u32::MAX))
    }

    fn read_rankings(&mut self, source: Source) -> Result<()> {
        let file = source.name.clone();
        let mut rankings = PrefLib::open(source)?;
        let items = self.ranked_items(&file, &rankings.items)?;
        let mut incomplete = Incomplete::default();
        loop {
            let outcome = match rankings.next() {
                Ok(None) => break,
                Ok(Some((line, ranking))) => self
                    .add_ranking(&ranking, &items, None)
                    .map_err(|what| {
                        let file = file.clone();
                        Error::Row(Box::new(RowError { file, line, column: None, value: None, what }))
                    })
                    .map(|()| incomplete.add(&ranking, items.len())),
                Err(error) => Err(error),
            };
            self.rows.read += 1;
            match outcome {
                Ok(()) => {}
                Err(Error::Row(error)) => self.refuse(*error, rankings.text())?,
                Err(fatal) => return Err(fatal),
            }
        }
        self.notes.push(format!(
            "{file}: PrefLib rankings of {} items; every ranking is one voter (sides unknown){}",
            items.len(),
            incomplete.describe(self.options.unranked)
        ));
        Ok(())
    }

    /// The indices of the items of a file of rankings.
    fn ranked_items(&mut self, file: &str, names: &[String]) -> Result<Vec<u32>> {
        self.ballots.forget_sides();
        let mut items = Vec::with_capacity(names.len());
        for name in names {
            match self.known_item(name) {
                Some(u32::MAX) => {
                    let what = format!("\"{}\" is not in the list of items", crate::error::shortened(name));
                    return Err(Error::file(file, what));
                }
                Some(item) => items.push(item),
                None => items.push(self.ballots.item(name)),
            }
        }
        Ok(items)
    }

    /// Adds the comparisons of a ranking, or says why it cannot.
    fn add_ranking(&mut self, ranking: &Ranking, items: &[u32], voter: Option<u32>) -> std::result::Result<(), String> {
        let refused = |refusal: Refusal| format!("is refused: {refusal}");
        let comparisons = ranking.comparisons(items.len(), self.options.unranked)?;
        // Everything is checked before anything is added.
        for &(_, _, answer) in &comparisons {
            self.ballots.check(answer, 1.0, ranking.copies).map_err(refused)?;
        }
        let voter = voter.unwrap_or_else(|| self.ballots.voter_group(ranking.copies));
        for (better, other, answer) in comparisons {
            let (left, right) = (items[better], items[other]);
            self.ballots.add(left, right, Some(voter), answer, 1.0, ranking.copies).map_err(refused)?;
        }
        Ok(())
    }
}

/// What is wrong with a row: the field, and why.
type Fault = (Option<usize>, String);

fn rows_error(rows: &RowReader, table: &dyn Table, fields: &[String], at: Option<usize>, what: String) -> Error {
    let used = rows.layout.used();
    let column = at.map(|at| (if table.numbered() { used[at] + 1 } else { 0 }, table.columns()[used[at]].clone()));
    let value = at.map(|at| fields[at].clone());
    Error::Row(Box::new(RowError { file: rows.file.clone(), line: table.line(), column, value, what }))
}

/// One row, understood: up to three answers with their frequencies.
struct Vote {
    weight: f64,
    answers: [(Answer, f64); 3],
    used: usize,
}

impl Vote {
    fn answers(&self) -> &[(Answer, f64)] {
        &self.answers[..self.used]
    }
}

/// Turns the fields of a row into a vote.
struct RowReader {
    file: String,
    layout: Layout,
    dictionary: Dictionary,
    /// Where in the fields things are.
    answer_at: usize,
    voter_at: Option<usize>,
    weight_at: Option<usize>,
    count_at: Option<usize>,
}

impl RowReader {
    fn new(file: &str, columns: &[String], layout: Layout, words: &Words) -> Self {
        let used = layout.used();
        let at = |column: Option<usize>| column.and_then(|column| used.iter().position(|&c| c == column));
        let dictionary = Dictionary::new(&normal(&columns[used[0]]), &normal(&columns[used[1]]), words);
        let answer_at = if matches!(layout.shape, Shape::WinnerLoser { .. }) { 0 } else { 2 };
        let (voter_at, weight_at, count_at) = (at(layout.voter), at(layout.weight), at(layout.count));
        Self { file: file.to_owned(), layout, dictionary, answer_at, voter_at, weight_at, count_at }
    }

    /// The vote of a row; `None` for a row of a sheet that has no answer yet.
    fn parse(&mut self, fields: &[String]) -> std::result::Result<Option<Vote>, Fault> {
        for at in [0, 1] {
            if fields[at].is_empty() {
                return Err((Some(at), "is no item's name".to_owned()));
            }
        }
        if fields[0] == fields[1] {
            return Err((Some(1), "is compared with itself".to_owned()));
        }
        let weight = self.weight_at.map_or(Ok(1.0), |at| amount(fields, at))?;
        let count = self.count_at.map_or(Ok(1.0), |at| amount(fields, at))?;
        if let Some(at) = self.voter_at.filter(|&at| fields[at].is_empty()) {
            return Err((Some(at), "is no voter's name: fill it in, or use no voters (--voter none)".to_owned()));
        }
        let one = |answer| Some(Vote { weight, answers: [(answer, count); 3], used: 1 });
        match &self.layout.shape {
            Shape::WinnerLoser { .. } => Ok(one(Answer::Left)),
            Shape::Answer { .. } if fields[2].is_empty() && self.layout.sheet => Ok(None),
            Shape::Answer { .. } => self.answer(fields).map(one).map_err(|what| (Some(2), what)),
            Shape::OneHot { tie, both_bad, .. } => {
                let mut answers = vec![Answer::Left, Answer::Right];
                answers.extend(tie.map(|_| Answer::Tie));
                answers.extend(both_bad.map(|_| Answer::BothBad));
                let mut chosen = None;
                for (at, answer) in (2..).zip(answers) {
                    if flag(&fields[at]).ok_or((Some(at), "is neither 0 nor 1".to_owned()))?
                        && chosen.replace(answer).is_some()
                    {
                        return Err((
                            Some(at),
                            "is set although another answer is set too: exactly one may be".to_owned(),
                        ));
                    }
                }
                chosen.map(one).ok_or((Some(2), "is 0 like the other answers: exactly one must be 1".to_owned()))
            }
            Shape::Counts { total, ties, .. } => {
                let (left, second) = (amount(fields, 2)?, amount(fields, 3)?);
                let ties = if ties.is_some() { amount(fields, 4)? } else { 0.0 };
                let right = if *total { second - left - ties } else { second };
                if right < 0.0 {
                    return Err((Some(3), format!("is less than the wins and ties together ({})", left + ties)));
                }
                let answers =
                    [(Answer::Left, left * count), (Answer::Right, right * count), (Answer::Tie, ties * count)];
                // No ties at all must not offend those who declare ties an error.
                Ok(Some(Vote { weight, answers, used: if ties > 0.0 { 3 } else { 2 } }))
            }
        }
    }

    /// The answer of a row, on a scale that the first row settles when the header does not.
    fn answer(&mut self, fields: &[String]) -> std::result::Result<Answer, String> {
        let (left, right, value) = (&fields[0], &fields[1], &fields[2]);
        if let Some(answer) = self.dictionary.own(value) {
            return Ok(answer);
        }
        let scale = *self.layout.scale.get_or_insert_with(|| {
            let is_number = value.parse::<f64>().is_ok() && value != left && value != right;
            if is_number && self.dictionary.name(value, left, right).is_err() { Scale::Unit } else { Scale::Names }
        });
        match scale {
            Scale::Names => self.dictionary.name(value, left, right),
            Scale::Unit | Scale::OneTwo => number(value, scale),
        }
    }
}

/// A weight or a count: a finite number ≥ 0.
fn amount(fields: &[String], at: usize) -> std::result::Result<f64, Fault> {
    match fields[at].parse::<f64>() {
        Ok(x) if x >= 0.0 && x.is_finite() => Ok(x),
        Ok(x) if x < 0.0 => Err((Some(at), "is negative: weights and counts are numbers ≥ 0".to_owned())),
        _ => Err((Some(at), "is not a finite number ≥ 0".to_owned())),
    }
}

/// A 0/1 column.
fn flag(value: &str) -> Option<bool> {
    match value {
        "1" | "1.0" | "true" | "True" | "TRUE" => Some(true),
        "0" | "0.0" | "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}
