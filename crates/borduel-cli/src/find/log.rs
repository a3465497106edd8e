//! The log of votes: a CSV file that `rank` reads, a row an answer, written before anything else happens.
//!
//! A log is known by its first line, which stands for the version of its format, and by every row after it. Voters
//! have a column as soon as one is named: `rank` takes a file without it for what it is, one judge's. Contexts have
//! one where there are contexts; answers from before have none. Whatever is no log is refused and not touched. A
//! last row without its end was being written when the program was killed: it is set aside in a file of its own.
//!
//! The answers of a cheap judge have such a log of their own, with what each of them cost and what a person's would
//! have: they are no votes, and neither log is taken for the other.

use crate::votes::rejected_rows::unwritable;
use borduel::Contexts;
use borduel::ballots::{Answer, Ballot, Ballots, BothBad, Ties};
use borduel::judging::Prices;
use borduel_lab::atomic_write::{draft, finish, open_locked, target};
use borduel_lab::failure::Failure;
use borduel_votes::Items;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The first line, by version.
const PLAIN: &str = "question,left,right,winner";
const BY_VOTER: &str = "question,left,right,winner,voter";
const IN_CONTEXTS: &str = "question,left,right,winner,context";
const BOTH: &str = "question,left,right,winner,voter,context";
/// That of a cheap judge.
const PRICED: &str = "question,left,right,winner,voter,context,price,person_price";
const VERSIONS: [&str; 5] = [PLAIN, BY_VOTER, IN_CONTEXTS, BOTH, PRICED];

/// Who answered where nobody was named but others were.
const NAMELESS: &str = "this judge";
/// The same of a cheap judge, who is none of the voters.
const CHEAP: &str = "the cheap judge";

/// What to do where a file cannot be the log.
const ELSEWHERE: &str = "name another file with --votes";

/// The answers that a judge or a person may give, as they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Word {
    Left,
    Right,
    Tie,
    BothBad,
    Skip,
}

impl Word {
    const ALL: [Self; 5] = [Self::Left, Self::Right, Self::Tie, Self::BothBad, Self::Skip];

    fn text(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
            Self::Tie => "tie",
            Self::BothBad => "both-bad",
            Self::Skip => "skip",
        }
    }

    fn answer(self) -> Answer {
        match self {
            Self::Left => Answer::Left,
            Self::Right => Answer::Right,
            Self::Tie => Answer::Tie,
            Self::BothBad => Answer::BothBad,
            Self::Skip => Answer::Skip,
        }
    }
}

/// A question as it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Question {
    pub(crate) number: u64,
    pub(crate) left: usize,
    pub(crate) right: usize,
    pub(crate) context: Option<u32>,
}

/// An answer, as a row of the log.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    pub(crate) question: u64,
    pub(crate) left: usize,
    pub(crate) right: usize,
    pub(crate) word: Word,
    /// Who answered, where that was said.
    pub(crate) voter: Option<String>,
    /// In which context, where there are any.
    pub(crate) context: Option<u32>,
    /// What such answers cost, if it is a cheap judge's.
    pub(crate) prices: Option<Prices>,
}

impl Row {
    fn line(&self, header: &str, items: &Items, contexts: Option<&Contexts>) -> Result<Vec<u8>, Failure> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let (question, ids) = (self.question.to_string(), &items.ids);
        let voter = self.voter.as_deref().unwrap_or(if self.prices.is_some() { CHEAP } else { NAMELESS });
        let prices = self.prices.map(|prices| [prices.judge, prices.person].map(|price| price.to_string()));
        let context = self.context.zip(contexts).map_or("", |(at, contexts)| contexts.names()[at as usize].as_str());
        let mut fields = vec![question.as_str(), &ids[self.left], &ids[self.right], self.word.text()];
        fields.extend(has(header, "voter").then_some(voter));
        fields.extend(has(header, "context").then_some(context));
        fields.extend(prices.iter().flatten().map(String::as_str));
        let written = writer.write_record(&fields).map_err(|error| error.to_string());
        written.and_then(|()| writer.into_inner().map_err(|error| error.to_string())).map_err(Failure::Internal)
    }
}

/// An open log; nobody else can open it meanwhile.
pub(crate) struct Log {
    path: PathBuf,
    file: File,
    header: &'static str,
    contexts: Option<Contexts>,
    rows: Vec<Row>,
    /// Where each row of this session begins.
    starts: Vec<u64>,
}

impl Log {
    /// Opens the log of these items, in these contexts if there are any, or begins one; with what was said about it.
    pub(crate) fn open(
        path: &Path,
        items: &Items,
        contexts: Option<&Contexts>,
    ) -> Result<(Self, Option<String>), Failure> {
        Self::open_either(path, items, contexts, false)
    }

    /// The same of a cheap judge, whose answers are no votes.
    pub(crate) fn open_of_cheap_judge(
        path: &Path,
        items: &Items,
        contexts: &Contexts,
    ) -> Result<(Self, Option<String>), Failure> {
        Self::open_either(path, items, Some(contexts), true)
    }

    fn open_either(
        path: &Path,
        items: &Items,
        contexts: Option<&Contexts>,
        priced: bool,
    ) -> Result<(Self, Option<String>), Failure> {
        let path = target(path).map_err(|error| unwritable(path, &error))?;
        let mut file = open_locked(&path, ELSEWHERE)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|error| Failure::reading(&path, &error))?;
        let Some((header, body)) = version(&bytes) else {
            let remedy =
                format!("it is not touched; {ELSEWHERE}, which is made if it is missing (its first line: {PLAIN})");
            return Err(Failure::Data(format!("{}: is not a log of borduel find; {remedy}", path.display())));
        };
        if body > 0 && (header == PRICED) != priced {
            let (what, remedy) = if priced {
                ("people's votes, where the cheap judge's answers are to be", "move it away")
            } else {
                ("the answers of a cheap judge, which are no votes", ELSEWHERE)
            };
            return Err(Failure::Data(format!("{}: has {what}; it is not touched; {remedy}", path.display())));
        }
        if body > 0 && has(header, "context") && contexts.is_none() {
            let remedy = "it is not touched; name them with --contexts, or another file with --votes";
            return Err(Failure::Data(format!("{}: its answers are in contexts; {remedy}", path.display())));
        }
        let header = match (body == 0, priced) {
            (true, true) => PRICED,
            (true, false) if contexts.is_some() => IN_CONTEXTS,
            _ => header,
        };
        let whole = body + last_end(&bytes[body..]);
        let contexts = contexts.cloned();
        let mut log = Self { path, file, header, contexts, rows: Vec::new(), starts: Vec::new() };
        log.rows = log.read(&bytes[body..whole], items)?;
        let torn = &bytes[whole..];
        let said = if body == 0 || torn.is_empty() { None } else { Some(log.set_aside(torn)?) };
        if body == 0 {
            log.cut(0)?;
            let written = log.file.write_all(format!("{header}\n").as_bytes());
            written.map_err(|error| unwritable(&log.path, &error))?;
        } else {
            log.cut(whole as u64)?;
        }
        Ok((log, said))
    }

    /// The rows, all of which must be a log's.
    fn read(&self, bytes: &[u8], items: &Items) -> Result<Vec<Row>, Failure> {
        let columns = columns(self.header);
        let places: HashMap<&str, usize> = items.ids.iter().enumerate().map(|(at, id)| (id.as_str(), at)).collect();
        let numbers = self.contexts.as_ref().map(Contexts::index).unwrap_or_default();
        let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(bytes);
        let mut rows = Vec::new();
        for record in reader.records() {
            // The header is the first line.
            let line = |position: Option<&csv::Position>| position.map_or(0, csv::Position::line) + 1;
            let refused = |line: u64, what: &str| {
                let place = format!("{}, line {line}", self.path.display());
                Failure::Data(format!("{place}: {what}; nothing is touched: mend the line, or {ELSEWHERE}"))
            };
            let record = record.map_err(|error| refused(line(error.position()), "is not text in UTF-8"))?;
            let refused = |what: &str| refused(line(record.position()), what);
            if record.len() != columns {
                return Err(refused(&format!(
                    "has {} columns where a log of borduel find has {columns}",
                    record.len()
                )));
            }
            let item =
                |id: &str| places.get(id).copied().ok_or_else(|| refused(&format!("{id:?} is not one of --items")));
            let question =
                record[0].parse::<u64>().map_err(|_| refused(&format!("{:?} is no number of a question", &record[0])));
            let word = Word::ALL.into_iter().find(|word| word.text() == &record[3]);
            let word = word.ok_or_else(|| refused(&format!("{:?} is not an answer", &record[3])));
            let field = |name: &str| self.header.split(',').position(|own| own == name).and_then(|at| record.get(at));
            let nobody = if self.header == PRICED { CHEAP } else { NAMELESS };
            let voter = field("voter").filter(|voter| *voter != nobody).map(str::to_owned);
            let known = |id: &str| numbers.get(id).copied();
            let unknown = |id: &str| refused(&format!("{id:?} is not one of --contexts"));
            let context = field("context").filter(|id| !id.is_empty());
            let context = context.map(|id| known(id).ok_or_else(|| unknown(id))).transpose()?;
            let (left, right) = (item(&record[1])?, item(&record[2])?);
            let price = |name: &str| {
                let price =
                    field(name).map(|text| text.parse::<f64>().map_err(|_| refused(&format!("{text:?} is no price"))));
                price.transpose()
            };
            let prices = price("person_price")?.zip(price("price")?);
            let prices = prices.map(|(person, judge)| Prices::new(person, judge)).transpose();
            let prices = prices.map_err(|error| refused(&error.to_string()))?;
            let row = Row { question: question?, left, right, word: word?, voter, context, prices };
            if row.left == row.right {
                return Err(refused("compares an item with itself"));
            }
            rows.push(row);
        }
        Ok(rows)
    }

    /// Keeps what is no whole row in a new file beside the log.
    fn set_aside(&self, torn: &[u8]) -> Result<String, Failure> {
        let mut place = self.path.clone().into_os_string();
        place.push(".torn");
        loop {
            match File::options().write(true).create_new(true).open(&place) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => place.push("+"),
                opened => {
                    let place = PathBuf::from(place);
                    let written = opened.and_then(|mut file| file.write_all(torn).and_then(|()| file.sync_all()));
                    written.map_err(|error| unwritable(&place, &error))?;
                    let (path, place) = (self.path.display(), place.display());
                    return Ok(format!("{path}: the last row was not whole and has been moved to {place}"));
                }
            }
        }
    }

    /// Gives a log a column that it has not: a new file beside it, and then in its place.
    fn add_column(&mut self, header: &'static str, items: &Items) -> Result<(), Failure> {
        let failed = |error: io::Error| unwritable(&self.path, &error);
        let mut new = draft(&self.path).map_err(failed)?;
        let mut text = format!("{header}\n").into_bytes();
        for row in &self.rows {
            text.extend(row.line(header, items, self.contexts.as_ref())?);
        }
        new.write_all(&text).map_err(failed)?;
        self.file = finish(new, &self.path).map_err(failed)?;
        // Where the rows begin is no longer what it was.
        (self.header, self.starts) = (header, Vec::new());
        Ok(())
    }

    /// Shortens the file to so many bytes, where writing goes on.
    fn cut(&mut self, length: u64) -> Result<(), Failure> {
        let cut = self.file.set_len(length).and_then(|()| self.file.seek(SeekFrom::Start(length)));
        cut.map(drop).map_err(|error| unwritable(&self.path, &error))
    }

    /// The answers so far, of any kind.
    pub(crate) fn len(&self) -> u64 {
        self.rows.len() as u64
    }

    /// The number of the next question: none is given twice.
    pub(crate) fn next_question(&self) -> u64 {
        self.rows.iter().map(|row| row.question).max().unwrap_or(0).saturating_add(1)
    }

    /// Who answered the first question, and how many answered any; those who were not named are one.
    pub(crate) fn voters(&self) -> (Option<&str>, usize) {
        let voters: std::collections::BTreeSet<Option<&str>> =
            self.rows.iter().map(|row| row.voter.as_deref()).collect();
        (self.rows.first().and_then(|row| row.voter.as_deref()), voters.len())
    }

    /// Who gave each answer that is a vote.
    pub(crate) fn answerers(&self) -> impl Iterator<Item = Option<&str>> {
        let votes = self.rows.iter().filter(|row| matches!(row.word, Word::Left | Word::Right | Word::Tie));
        votes.map(|row| row.voter.as_deref())
    }

    /// The answers, in order.
    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Writes an answer down.
    pub(crate) fn write(&mut self, row: Row, items: &Items) -> Result<(), Failure> {
        let voter = row.voter.is_some() || has(self.header, "voter");
        let context = row.context.is_some() || has(self.header, "context");
        let wanted = match (voter, context) {
            _ if self.header == PRICED => PRICED,
            (false, false) => PLAIN,
            (true, false) => BY_VOTER,
            (false, true) => IN_CONTEXTS,
            (true, true) => BOTH,
        };
        if wanted != self.header {
            self.add_column(wanted, items)?;
        }
        let line = row.line(self.header, items, self.contexts.as_ref())?;
        let start = self.file.seek(SeekFrom::End(0)).map_err(|error| unwritable(&self.path, &error))?;
        self.file.write_all(&line).map_err(|error| {
            // What was half written is cut off; if even that fails, its missing end says so to the next reader.
            let _ = self.file.set_len(start);
            unwritable(&self.path, &error)
        })?;
        self.starts.push(start);
        self.rows.push(row);
        Ok(())
    }

    /// Takes the last row of this session back; whether there was one.
    pub(crate) fn undo(&mut self) -> Result<bool, Failure> {
        let Some(start) = self.starts.pop() else { return Ok(false) };
        self.cut(start)?;
        self.rows.pop();
        Ok(true)
    }

    /// The votes in it; by voter if some were named, and by context if there are any.
    pub(crate) fn ballots(&self, items: &Items) -> Result<Ballots, Failure> {
        self.ballots_of(items, |row| Some(row.word.answer()))
    }

    /// The same of those rows that count, as these answers.
    pub(crate) fn ballots_of(
        &self,
        items: &Items,
        counts: impl Fn(&Row) -> Option<Answer>,
    ) -> Result<Ballots, Failure> {
        let mut ballots = Ballots::new(Ties::Half, BothBad::Drop, true);
        for id in &items.ids {
            ballots.item(id);
        }
        let known = self.rows.iter().any(|row| row.voter.is_some());
        for (row, answer) in self.rows.iter().filter_map(|row| Some((row, counts(row)?))) {
            let voter = known.then(|| ballots.voter(row.voter.as_deref().unwrap_or(NAMELESS)));
            let id = row.context.zip(self.contexts.as_ref()).map(|(at, contexts)| &contexts.names()[at as usize]);
            let context = id.map(|id| ballots.context(id));
            let (left, right) = (row.left as u32, row.right as u32);
            let added = ballots.add_all(&[Ballot::new(left, right, answer).with_voter(voter).with_context(context)]);
            added.map_err(|refusal| Failure::Internal(refusal.to_string()))?;
        }
        Ok(ballots.finish())
    }
}

/// The header of a log, and where its rows begin; 0 while there is no whole header yet. `None` for what is no log.
fn version(bytes: &[u8]) -> Option<(&'static str, usize)> {
    let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else {
        // Nothing, or killed in the first line.
        let begins = |header: &str| header.as_bytes().starts_with(bytes);
        let begun = bytes.is_empty() || bytes.starts_with(b"question,") && VERSIONS.into_iter().any(begins);
        return begun.then_some((PLAIN, 0));
    };
    let line = bytes[..end].strip_suffix(b"\r").unwrap_or(&bytes[..end]);
    VERSIONS.into_iter().find(|header| header.as_bytes() == line).map(|header| (header, end + 1))
}

fn columns(header: &str) -> usize {
    header.split(',').count()
}

fn has(header: &str, column: &str) -> bool {
    header.split(',').any(|own| own == column)
}

/// Where the last whole row ends: a line end within quotation marks is part of a name.
fn last_end(rows: &[u8]) -> usize {
    let (mut quoted, mut end) = (false, 0);
    for (at, byte) in rows.iter().enumerate() {
        quoted ^= *byte == b'"';
        if *byte == b'\n' && !quoted {
            end = at + 1;
        }
    }
    end
}

/// Refuses a log that is another input of the same command: `what` it is.
pub(crate) fn differs(log: &Path, items: &Path, what: &str) -> Result<(), Failure> {
    let same = match (std::fs::canonicalize(log), std::fs::canonicalize(items)) {
        (Ok(a), Ok(b)) => a == b,
        (Err(error), _) if error.kind() == ErrorKind::NotFound => log == items,
        _ => false,
    };
    if same {
        let message = format!("--votes {}: is the list of {what}: votes need a file of their own", log.display());
        return Err(Failure::Usage(message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn items(ids: &[&str]) -> Items {
        let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
        Items { names: vec![None; ids.len()], ids, ..Items::default() }
    }

    fn row(question: u64, voter: Option<&str>) -> Row {
        let voter = voter.map(str::to_owned);
        Row { question, left: 0, right: 1, word: Word::Tie, voter, context: None, prices: None }
    }

    /// Everything that is no log, byte for byte as it was afterwards.
    #[test]
    fn what_is_no_log_is_refused_and_not_touched() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let items = items(&["a", "b"]);
        for foreign in [
            "left,right,winner\na,b,left\n",
            "left,right,winner\na,b,left",
            "left;right;winner\na;b;left\n",
            "left\tright\twinner\na\tb\tleft\n",
            "{\"left\": \"a\", \"right\": \"b\", \"winner\": \"left\"}\n",
            "question,right,left,winner\n1,a,b,left\n",
            "worker,left,right,winner\nann,a,b,left\n",
            "Dear diary,\ntoday",
            "q",
            "\u{0}\u{1}\u{2}",
            "\n",
            "question,left,right,winner\n1,a,b,left\n2,a,c,left\n",
            "question,left,right,winner\n1,a,b,left\nx,a,b,left\n",
            "question,left,right,winner\n1,a,b,left\n2,a,b,left,ann\n",
            "question,left,right,winner\n1,a,b,perhaps\n",
            "question,left,right,winner\n1,a,a,left\n",
            "question,left,right,winner,voter\n1,a,b,left\n2,a,b,le",
        ] {
            fs::write(&path, foreign).unwrap();
            let refused = Log::open(&path, &items, None).map(drop).unwrap_err().to_string();
            assert!(refused.contains("touched") && refused.contains("--votes"), "{refused}");
            assert_eq!(fs::read_to_string(&path).unwrap(), foreign);
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "{foreign:?}");
        }
    }

    #[test]
    fn voters_have_a_column_as_soon_as_one_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log.csv");
        let items = items(&["a", "b"]);
        for begun in ["", "question,le", "question,left,right,winner"] {
            fs::write(&path, begun).unwrap();
            drop(Log::open(&path, &items, None).unwrap());
            assert_eq!(fs::read_to_string(&path).unwrap(), "question,left,right,winner\n", "{begun:?}");
        }
        fs::write(&path, "question,left,right,winner\r\n1,a,b,left\r\n7,b,a,both-bad\n").unwrap();
        let (mut log, said) = Log::open(&path, &items, None).unwrap();
        assert_eq!((log.len(), log.next_question(), log.voters(), said), (2, 8, (None, 1), None));
        log.write(row(8, None), &items).unwrap();
        assert!(fs::read_to_string(&path).unwrap().ends_with("7,b,a,both-bad\n8,a,b,tie\n"));
        log.write(row(9, Some("ann")), &items).unwrap();
        assert_eq!(log.voters(), (None, 2));
        let text = "question,left,right,winner,voter\n1,a,b,left,this judge\n7,b,a,both-bad,this judge\n\
                    8,a,b,tie,this judge\n9,a,b,tie,ann\n";
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        // It is locked, also after it took the place of the old one; and free again afterwards.
        let refused = Log::open(&path, &items, None).map(drop).unwrap_err().to_string();
        assert!(refused.contains("at work here"), "{refused}");
        drop(log);
        let (mut log, _) = Log::open(&path, &items, None).unwrap();
        assert_eq!(log.voters(), (None, 2));
        log.write(row(10, None), &items).unwrap();
        assert!(log.undo().unwrap() && !log.undo().unwrap());
        drop(log);
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }

    /// A cheap judge's answers come back with their prices, and are never taken for votes, nor votes for them.
    #[test]
    fn a_cheap_judge_has_a_log_of_its_own() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log.csv.judge.csv");
        let (items, contexts) = (items(&["a", "b"]), Contexts::new(vec!["x".to_owned(), "y".to_owned()]).unwrap());
        let (mut log, _) = Log::open_of_cheap_judge(&path, &items, &contexts).unwrap();
        let prices = Prices::new(2.0, 0.1).unwrap();
        let row = |question, voter| Row { context: Some(1), prices: Some(prices), ..row(question, voter) };
        log.write(row(1, None), &items).unwrap();
        log.write(row(2, Some("gpt")), &items).unwrap();
        drop(log);
        let text = "question,left,right,winner,voter,context,price,person_price\n\
                    1,a,b,tie,the cheap judge,y,0.1,2\n2,a,b,tie,gpt,y,0.1,2\n";
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        let (log, _) = Log::open_of_cheap_judge(&path, &items, &contexts).unwrap();
        assert_eq!(log.rows(), [row(1, None), row(2, Some("gpt"))]);
        drop(log);
        let refused = Log::open(&path, &items, Some(&contexts)).map(drop).unwrap_err().to_string();
        assert!(refused.contains("cheap judge, which are no votes"), "{refused}");
        fs::write(&path, text.replace("0.1,2\n2", "0,2\n2")).unwrap();
        let refused = Log::open_of_cheap_judge(&path, &items, &contexts).map(drop).unwrap_err().to_string();
        assert!(refused.contains("line 2: prices") && refused.contains("above 0"), "{refused}");
        fs::write(&path, "question,left,right,winner\n1,a,b,left\n").unwrap();
        let refused = Log::open_of_cheap_judge(&path, &items, &contexts).map(drop).unwrap_err().to_string();
        assert!(refused.contains("has people's votes"), "{refused}");
    }

    /// Cut at every byte: what was whole is kept, and what was not is kept beside it.
    #[test]
    fn a_torn_row_is_set_aside_whatever_is_in_a_name() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log.csv");
        let items = items(&["a \"b\"\nc,d", "e\r\nf"]);
        let (mut log, _) = Log::open(&path, &items, None).unwrap();
        (1..=3).for_each(|question| log.write(row(question, Some("x\ny")), &items).unwrap());
        drop(log);
        let whole = fs::read(&path).unwrap();
        let lengths: Vec<usize> =
            (0..=3).map(|rows| BY_VOTER.len() + 1 + rows * ((whole.len() - BY_VOTER.len() - 1) / 3)).collect();
        for cut in lengths[0]..whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            let rows = lengths.iter().rposition(|length| *length <= cut).unwrap();
            let (log, said) = Log::open(&path, &items, None).unwrap();
            assert_eq!((log.len(), said.is_some()), (rows as u64, cut > lengths[rows]), "{cut}");
            assert_eq!(fs::read(&path).unwrap(), whole[..lengths[rows]]);
            let torn = dir.path().join("log.csv.torn");
            if said.is_some() {
                assert_eq!(fs::read(&torn).unwrap(), whole[lengths[rows]..cut]);
                fs::remove_file(torn).unwrap();
            }
        }
        // What is set aside takes nobody's place.
        fs::write(dir.path().join("log.csv.torn"), "mine").unwrap();
        fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        assert!(Log::open(&path, &items, None).unwrap().1.unwrap().ends_with("log.csv.torn+"));
        assert_eq!(fs::read_to_string(dir.path().join("log.csv.torn")).unwrap(), "mine");
    }
}
