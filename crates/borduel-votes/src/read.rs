//! Rows of votes into ballots.

mod parallel;
mod pending;
mod rankings;

use crate::blt::{self, Blt};
use crate::error::{Error, Result, RowError};
use crate::evidence::reading::{Interpretation, Start};
use crate::evidence::{self, Chosen, Trial};
use crate::extra_columns::{ExtraColumns, ExtraColumnsAt, ExtraVotes, Groups, VoteAs};
use crate::index::{ItemIndex, NoItem};
use crate::items::Items;
use crate::joined::Joined;
use crate::json::JSON_COLUMNS;
use crate::layout::header::Header;
use crate::layout::{Columns, Layout, of_rejected_work};
use crate::open::open;
use crate::options::ReadOptions;
use crate::preflib::{self, PrefLib};
use crate::row::RowReader;
use crate::sample::{Sample, SampleTable, is_missing};
use crate::shown::{self, Shown};
use crate::source::Source;
use crate::spelling::{self, Spelling};
use crate::table::{Table, TableOptions};
use crate::wide::{RowKind, Wide, WideOptions};
use borduel_rank::ballots::{Answer, Ballot, Ballots, Refusal};
use pending::{BATCH, Pending};
use std::io::{self, Read};

/// How many rows there were, and what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// Rows read, the header not counted.
    pub read: u64,
    /// Rows not understood and set aside (only when lenient).
    pub set_aside: u64,
    /// Rows that have no answer: a `borduel design` sheet not filled in yet, R's `NA`, or no wins on either side.
    pub unanswered: u64,
    /// Rows that were not asked for: see [`ExtraColumns::only`].
    pub unwanted: u64,
}

/// Everything that was read.
#[derive(Clone, Debug)]
pub struct Everything {
    /// The votes of all rows.
    pub ballots: Ballots,
    /// What became of the rows.
    pub rows: Rows,
    /// What was detected in each file.
    pub notes: Vec<String>,
    /// The votes once more, as the other columns that were wanted have it.
    pub extra: ExtraVotes,
}

/// What is done with a row that is set aside: it is handed the error and the row's text.
type SetAside<'a> = Box<dyn FnMut(&RowError, &str) -> io::Result<()> + Send + 'a>;

/// Reads any number of files of votes into one box.
pub struct VoteReader<'a> {
    options: ReadOptions,
    ballots: Ballots,
    pending: Pending,
    rows: Rows,
    notes: Vec<String>,
    /// With a list of items: the item of each id and of each unambiguous name.
    known: Option<ItemIndex>,
    set_aside: Option<SetAside<'a>>,
    /// With [`ReadOptions::fold_names`]: the spellings met so far.
    spelling: Option<Spelling>,
    /// How the last table of votes was understood.
    layout: Option<Layout>,
    /// The votes once more, by other columns.
    groups: Groups,
    /// Which of the values by which rows are wanted were met.
    met: Vec<bool>,
    /// Rows of the present file as they were read, where they are no votes on pairs.
    shown: Shown,
}

impl<'a> VoteReader<'a> {
    /// A reader that takes the items from the votes.
    pub fn new(options: ReadOptions) -> Self {
        let ballots = Ballots::new(options.ties, options.both_bad, true);
        Self {
            spelling: options.fold_names.then(Spelling::default),
            groups: Groups::new(&options.extra, options.ties, options.both_bad),
            options,
            ballots,
            pending: Pending::default(),
            rows: Rows::default(),
            notes: Vec::new(),
            known: None,
            set_aside: None,
            layout: None,
            met: Vec::new(),
            shown: Shown::default(),
        }
    }

    /// Allows only these items, called by id or by name, in this order; a vote on any other is an error.
    #[must_use]
    pub fn with_items(mut self, items: &Items) -> Self {
        // The ballots then number the items as the list does.
        items.ids.iter().for_each(|id| {
            self.ballots.item(id);
        });
        if let Some(spelling) = &mut self.spelling {
            let names = items.ids.iter().chain(items.names.iter().flatten());
            names.for_each(|name| spelling.settle(&mut name.clone()));
        }
        self.known = Some(items.index());
        self
    }

    /// With [`TableOptions::lenient`], calls this for every row that is not understood.
    #[must_use]
    pub fn set_aside(mut self, call: impl FnMut(&RowError, &str) -> io::Result<()> + Send + 'a) -> Self {
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
        let all = self.finish_all();
        (all.ballots, all.rows, all.notes)
    }

    /// Everything, with what the other columns say.
    pub fn finish_all(mut self) -> Everything {
        self.notes.extend(spelling::warning(self.ballots.items()));
        self.notes.extend(self.options.extra.unmet(&self.met));
        self.ballots.settle_questions();
        let ballots = self.ballots.finish();
        let extra = self.groups.finish(&ballots);
        Everything { ballots, rows: self.rows, notes: self.notes, extra }
    }

    fn read_source(&mut self, source: Source) -> Result<()> {
        let mut source = source.decoded(self.options.table.encoding);
        let file = source.name.clone();
        let (is_preflib, is_blt) = (preflib::is_preflib(source.head()?), blt::is_blt(source.head()?));
        if is_preflib || is_blt {
            if !self.options.extra.is_empty() {
                let what = "--where, --by, --over, --cluster, --took and columns to --adjust for are for tables, and \
                            this is none";
                return Err(Error::file(&file, what));
            }
            return if is_blt {
                self.read_rankings(&file, &mut Blt::open(source)?)
            } else {
                self.read_rankings(&file, &mut PrefLib::open(source)?)
            };
        }
        let sample = Sample::of(&mut source, &self.options.table)?;
        let mut table = open(source, &self.options.table)?;
        self.read_table(&file, &mut *table, &sample)
    }

    /// Reads a table whose first rows are known. Where a row is not understood, other readings may be meant.
    fn read_table(&mut self, file: &str, table: &mut dyn Table, sample: &Sample) -> Result<()> {
        let columns = table.columns().to_vec();
        let before = self.rows.read;
        let read = self.read_understood(file, table, &columns, sample);
        // Behind the first rows the reading was right before.
        read.map_err(|error| {
            if self.rows.read - before > sample.rows.len() as u64 {
                return error;
            }
            let given = Interpretation::from_options(&self.options);
            evidence::advised(error, &columns, sample, &given, &|reading| tried(&columns, sample, reading))
        })
    }

    fn read_understood(
        &mut self,
        file: &str,
        table: &mut dyn Table,
        columns: &[String],
        sample: &Sample,
    ) -> Result<()> {
        let given = &self.options.columns;
        if let Some((name, parts)) = given.several_voters(file, columns)? {
            let mut joined = Joined::new(table, parts, &name);
            let sample = joined.sample(sample);
            let columns = joined.columns().to_vec();
            return self.read_understood(file, &mut joined, &columns, &sample);
        }
        if let (true, Some(kind @ (RowKind::Ranks | RowKind::Ratings))) =
            (self.options.wide.transpose, self.options.wide.rows)
        {
            if !self.options.extra.is_empty() {
                return Err(Error::file(file, "--where and --by have no votes to choose from where rows are items"));
            }
            return self.read_turned(file, table, kind);
        }
        // Only votes that are wanted tell what the columns are.
        let at = ExtraColumnsAt::of_rows(&Header::new(file, columns), &self.options.extra)?;
        let all = sample;
        let sample = &all.of_wanted(|row| at.wants(row));
        let reading = Interpretation::from_options(&self.options);
        let chosen =
            evidence::choose(file, columns, (sample, all), &reading, &|reading| tried(columns, sample, reading));
        let mut layout = match chosen {
            Ok(Chosen::Rows(wide)) => {
                let nested = table.kind().ends_with(JSON_COLUMNS);
                if wide.kind == RowKind::Matrix && self.options.wide.rows.is_none() && nested {
                    return Err(Error::file(file, of_nested(columns, sample)));
                }
                return self.read_wanted(file, table, &wide, all);
            }
            Ok(Chosen::Pairs(layout)) => layout,
            // Where no row has letters that can be read, that is what is wrong.
            Err(error) if sample.is_unreadable() => {
                table.select(&(0..columns.len()).collect::<Vec<usize>>());
                let row = table.next(&mut vec![String::new(); columns.len()]).err();
                return Err(row.filter(|row| row.to_string().contains("--encoding")).unwrap_or(error));
            }
            Err(error) => return Err(error),
        };
        let shown = if let Some(mut spelling) = self.spelling.clone() {
            shown::pairs(columns, &layout.settled(sample, &mut spelling), &layout, &self.options.words)
        } else {
            shown::pairs(columns, sample, &layout, &self.options.words)
        };
        let mut layout_notes = layout.of_other_results(file, columns, sample, &reading);
        layout_notes += &evidence::first_row(file, columns, sample, given, &layout, &self.options.words)?;
        let extra = layout.want(file, columns, &self.options.extra)?;
        if self.options.wide.transpose {
            return Err(Error::file(file, "--transpose is for a matrix of wins, and this is none"));
        }
        let mut rows = RowReader::new(file, columns, layout, &self.options.words);
        rows.extra = extra;
        self.read_rows(table, &mut rows)?;
        let mut besides = ExtraColumnsAt::describe(&self.options.extra);
        if self.options.extra.only.is_empty() {
            besides += &of_rejected_work(columns, sample);
        }
        besides += &layout_notes;
        if sample.rows.is_empty() && self.rows.read == 0 {
            besides += "; there is a header, and no row below it";
        }
        let what = format!("{}; {}{besides}", table.kind(), rows.layout.describe(columns));
        self.note(file, &what, &shown);
        self.layout = Some(rows.layout);
        Ok(())
    }

    /// Reads all rows of a table of votes.
    pub(crate) fn read_rows(&mut self, table: &mut dyn Table, rows: &mut RowReader) -> Result<()> {
        if !rows.layout.sides_known() {
            self.ballots.forget_sides();
            self.groups.forget_sides();
        }
        if let Some(are) = rows.contexts_are {
            self.ballots.call_contexts(are);
        }
        let used = rows.layout.used();
        table.select(&used);
        let mut fields = vec![String::new(); used.len()];
        loop {
            let outcome = match table.next(&mut fields) {
                Ok(false) => break,
                Ok(true) => {
                    self.rows.read += table.times() - 1;
                    self.settle_names(rows, &mut fields);
                    self.add_row(rows, &fields, table)
                }
                Err(error) => Err(error),
            };
            self.fate(outcome, || table.raw())?;
        }
        self.book(&rows.file)
    }

    /// Reads the rows of a table that is not one vote a row, as far as they are wanted, and again for every group of
    /// them.
    fn read_wanted(&mut self, file: &str, table: &mut dyn Table, wide: &Wide, sample: &Sample) -> Result<()> {
        let extra = self.options.extra.clone();
        extra.refuse_beyond_groups(file)?;
        if extra.is_empty() {
            return self.read_wide(file, table, wide, sample);
        }
        if wide.kind == RowKind::Matrix {
            return Err(Error::file(file, "--where and --by have no rows to choose from in a matrix of wins"));
        }
        let columns = table.columns().to_vec();
        let at = ExtraColumnsAt::of_rows(&Header::new(file, &columns), &extra)?;
        table.select(&(0..columns.len()).collect::<Vec<usize>>());
        let mut wanted = Sample::default();
        loop {
            let mut fields = vec![String::new(); columns.len()];
            match table.next(&mut fields) {
                Ok(false) => break,
                Ok(true) => {
                    at.meet(&extra, &fields, &mut self.met);
                    if at.wants(&fields) {
                        wanted.push(fields, table.line());
                    } else {
                        self.rows.unwanted += 1;
                        self.rows.read += 1;
                    }
                }
                Err(error) => self.fate(Err(error), || table.raw())?,
            }
        }
        let kind = table.kind();
        self.read_wide(file, &mut SampleTable::new(kind.clone(), &columns, &wanted), wide, sample)?;
        for (group, own) in at.by.map_or_else(Vec::new, |column| wanted.by(column)) {
            // What was not understood was said above.
            let table = TableOptions { lenient: true, ..self.options.table.clone() };
            let options = ReadOptions { table, extra: ExtraColumns::default(), ..self.options.clone() };
            let mut reader = VoteReader::new(options);
            (reader.known, reader.spelling) = (self.known.clone(), self.spelling.clone());
            self.ballots.items().iter().for_each(|item| {
                reader.ballots.item(item);
            });
            reader.read_wide(file, &mut SampleTable::new(kind.clone(), &columns, &own), wide, sample)?;
            self.groups.add_group(file, group, &reader.ballots.finish())?;
        }
        Ok(())
    }

    /// Counts a row, and sets it aside, or stops, if it was not understood.
    pub(crate) fn fate(&mut self, outcome: Result<()>, raw: impl Fn() -> String) -> Result<()> {
        self.rows.read += 1;
        match outcome {
            Err(Error::Row(error)) => self.refuse(*error, &raw()),
            other => other,
        }
    }

    /// Replaces items' names by their first spelling, where spellings are not to matter.
    fn settle_names(&mut self, rows: &RowReader, fields: &mut [String]) {
        let Some(spelling) = &mut self.spelling else { return };
        for (at, field) in fields.iter_mut().enumerate().filter(|(_, field)| !field.is_empty()) {
            match at {
                0 | 1 => spelling.settle(field),
                _ if rows.names_item(at) => spelling.replace(field),
                _ => {}
            }
        }
    }

    /// How votes are to be read.
    pub(crate) fn options(&self) -> &ReadOptions {
        &self.options
    }

    /// Notes down what was detected in a file, and its first rows as they were read.
    pub(crate) fn note(&mut self, file: &str, what: &str, shown: &Shown) {
        self.notes.push(format!("{file}: {what}"));
        self.notes.extend(shown.note(file));
    }

    /// The same with the rows that were kept.
    pub(crate) fn note_shown(&mut self, file: &str, what: &str) {
        let shown = std::mem::take(&mut self.shown);
        self.note(file, what, &shown);
    }

    /// Keeps a row as it was read, if it is among the first.
    pub(crate) fn show(&mut self, line: u64, what: impl FnOnce(&[String]) -> String) {
        let items = self.ballots.items();
        self.shown.add(line, || what(items));
    }

    /// The number of items that were listed before anything was read.
    pub(crate) fn items_known_before(&self) -> u32 {
        if self.known.is_some() { self.ballots.items().len() as u32 } else { 0 }
    }

    /// The votes that rows are added to.
    pub(crate) fn ballots_mut(&mut self) -> &mut Ballots {
        &mut self.ballots
    }

    /// Sets a row aside, or stops.
    pub(crate) fn refuse(&mut self, mut error: RowError, raw: &str) -> Result<()> {
        if !self.options.table.lenient {
            // Where others were understood, this row may be wrong rather than the reading.
            if self.rows.read > 1 {
                error.what += " (to go on without such rows: --lenient)";
            }
            return Err(Error::Row(Box::new(error)));
        }
        self.rows.set_aside += 1;
        if let Some(call) = &mut self.set_aside {
            let what = "the rows that were left out cannot be written".to_owned();
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
        rows.extra.meet(&self.options.extra, fields, &mut self.met);
        if !rows.extra.wants(fields) {
            self.rows.unwanted += 1;
            return Ok(());
        }
        let vote = match rows.parse(fields) {
            Ok(Some(vote)) => vote,
            Ok(None) => {
                self.rows.unanswered += table.times();
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
        let understood = self.groups.understand(&rows.extra, fields);
        let understood = understood.map_err(|(at, what)| rows_error(rows, table, fields, at, what))?;
        let (left, right) = (self.known_item(&fields[0]), self.known_item(&fields[1]));
        for (at, item) in [&left, &right].into_iter().enumerate() {
            let what = match item {
                Ok(None) if is_missing(&fields[at]) => {
                    "is how a missing value is written; if it is an item's name, list the items (--items)".to_owned()
                }
                Ok(_) => continue,
                Err(why) => why.to_string(),
            };
            return Err(rows_error(rows, table, fields, Some(at), what));
        }
        // Whatever was refused has left already; what is in no list is new.
        let left = left.ok().flatten().unwrap_or_else(|| self.ballots.item(&fields[0]));
        let right = right.ok().flatten().unwrap_or_else(|| self.ballots.item(&fields[1]));
        if left == right {
            return Err(rows_error(rows, table, fields, Some(1), "is compared with itself".to_owned()));
        }
        let voter = rows.voter(fields);
        let named = rows.context(fields);
        let context = named.map(|name| self.ballots.context(name));
        if !self.options.extra.is_empty() {
            let names = self.ballots.items();
            let said = VoteAs {
                items: [left, right].map(|item| names[item as usize].as_str()),
                numbers: [left, right],
                voter: rows.voter_at.map(|at| fields[at].as_str()).filter(|_| !rows.layout.nameless),
                answered: voter.as_deref(),
                context: named.zip(rows.contexts_are),
                answers: vote.answers(),
                weight: vote.weight,
            };
            let added = self.groups.add(&self.ballots, &rows.extra, fields, (&said, &understood));
            added.map_err(|refusal| rows_error(rows, table, fields, None, refusal.to_string()))?;
        }
        let voter = voter.map(|name| self.pending.voter(&name));
        for &(answer, count) in vote.answers() {
            // Whole votes and halves add up without rounding; other shares of a vote are added one by one.
            let whole = !matches!(answer, Answer::Soft(r) if (2.0 * r).fract() != 0.0);
            let (at_once, times) = if whole { (table.times() as f64, 1) } else { (1.0, table.times()) };
            let (weight, count) = (vote.weight, count * at_once);
            let ballot = Ballot::new(left, right, answer)
                .with_voter(voter)
                .with_context(context)
                .with_weight(weight)
                .with_count(count);
            self.pending.ballots.extend((0..times).map(|_| ballot));
        }
        if self.pending.ballots.len() >= BATCH { self.book(&rows.file) } else { Ok(()) }
    }

    /// Hands the pending ballots over.
    fn book(&mut self, file: &str) -> Result<()> {
        // They were checked one by one: nothing is left that could be refused.
        self.pending.book(&mut self.ballots).map_err(|refusal| Error::file(file, refusal.to_string()))
    }

    /// The item of this id or name in the list of items; `None` when there is no list, so that any name is allowed.
    fn known_item(&self, name: &str) -> std::result::Result<Option<u32>, NoItem> {
        self.known.as_ref().map(|known| known.find(name).map(|item| item as u32)).transpose()
    }
}

impl Layout {
    /// Finds the columns of a table of votes. `file` is its name for messages; with an empty sample only the header
    /// tells.
    ///
    /// # Errors
    /// A column that was named and is not there, no or more than one way to understand the table, or results that
    /// contradict each other.
    pub fn find(file: &str, columns: &[String], sample: &Sample, given: &Columns) -> Result<Self> {
        let given = Interpretation { columns: given.clone(), ..Interpretation::default() };
        evidence::find(file, columns, sample, &given, &|reading| tried(columns, sample, reading))
    }
}

/// What is said of an object of objects with numbers: as somebody writes it by hand the outer name is the winner's, as
/// programs write the columns of a table it is the loser's.
fn of_nested(columns: &[String], sample: &Sample) -> String {
    let reads = |transpose: bool| {
        let wide = WideOptions { rows: Some(RowKind::Matrix), transpose, ..WideOptions::default() };
        tried(columns, sample, &Interpretation { wide, ..Interpretation::default() })
            .map_or_else(String::new, |trial| format!(" ({})", trial.rows))
    };
    format!(
        "is an object of objects: who won, the outer name or the inner one? Say --rows matrix --transpose if the outer \
         one did{}, and \
         --rows matrix if the inner one did, as programs write the columns of a matrix{}",
        reads(true),
        reads(false)
    )
}

/// How the first rows of a table would be read; `None` where that is not how they are written.
fn tried(columns: &[String], sample: &Sample, reading: &Interpretation) -> Option<Trial> {
    let Interpretation { columns: given, words, wide, fold_names, start, extra, .. } = reading.clone();
    let numbered = columns.iter().zip(1_usize..).all(|(name, number)| *name == number.to_string());
    let begun = if numbered && start == Start::First { Start::Header } else { start };
    let (columns, sample) = begun.of(columns, &sample.as_trial());
    let table = TableOptions { lenient: true, ..TableOptions::default() };
    let options = ReadOptions { columns: given, words, wide, fold_names, table, extra, ..ReadOptions::default() };
    let mut reader = VoteReader::new(options);
    reader.read_table("", &mut SampleTable::new(String::new(), &columns, &sample), &sample).ok()?;
    // A first row that is no header is understood like the others.
    let allowed = if start == Start::First { 0 } else { reader.rows.read / 10 };
    let good = reader.ballots.used() > 0.0 && reader.rows.set_aside <= allowed;
    let shown = reader.notes.iter().find_map(|note| note.split_once(": as read: ").map(|(_, rows)| rows.to_owned()));
    shown.filter(|_| good).map(|rows| Trial { rows, bad: reader.rows.set_aside > 0 })
}

/// A row that was not understood as a whole.
pub(crate) fn row_error(file: &str, line: u64, what: String) -> Error {
    Error::Row(Box::new(RowError { file: file.to_owned(), line, column: None, value: None, what }))
}

/// A row of which one field was not understood.
fn rows_error(rows: &RowReader, table: &dyn Table, fields: &[String], at: Option<usize>, what: String) -> Error {
    let used = rows.layout.used();
    let column = at.map(|at| (if table.numbered() { used[at] + 1 } else { 0 }, table.columns()[used[at]].clone()));
    let value = at.map(|at| fields[at].clone());
    Error::Row(Box::new(RowError { file: rows.file.clone(), line: table.line(), column, value, what }))
}
