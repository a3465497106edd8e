//! What a study holds, in files: votes as `borduel rank` reads them, items as it reads them, and the log as it is.

mod parts;

pub(crate) use parts::Exports;
pub use parts::{Export, FILES};

use crate::content::Content;
use crate::desk::PlacedContent;
use crate::error::{Error, Result};
use crate::event::{Answer, Entry, Event, Grade, GradedAnswer, Kind, Millis, Source, Standing};
use crate::hex::{self, Hash};
use crate::ledger::Person;
use crate::state::{Context, Phase, State, Voter};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// One vote, as it is exported.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Vote {
    /// The number of the question.
    pub question: u32,
    /// When it was asked.
    pub asked_at: String,
    /// When it was answered.
    pub answered_at: String,
    /// The key of the item shown first.
    pub left: String,
    /// The key of the other one.
    pub right: String,
    /// The key of what they were compared in, empty where they were in nothing; only in a study that has contexts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// The key of the criterion that was answered; only in a study that has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub criterion: Option<String>,
    /// `left`, `right`, `tie`, `both bad`, `skip`, or a number of [0, 1].
    pub winner: String,
    /// `much` or `slight`, empty where it was not said; only in a study that asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grade: Option<&'static str>,
    /// The voter's number; empty where no file that the votes came from said who voted. Beside voters who are known,
    /// those of whom a file did not say it have one number together, since a table has names in all its rows or in
    /// none.
    pub voter: String,
    /// Milliseconds until the answer.
    pub ms: Option<u32>,
    /// The chance with which this pair was drawn; none of an imported vote.
    pub propensity: Option<f64>,
    /// The plan it was drawn from.
    pub plan: u32,
    /// Why this pair was chosen.
    pub source: Source,
}

/// Turns a log, entry by entry, into the votes that count, in the order of their answers.
#[derive(Debug, Default)]
pub struct VoteExport {
    /// When a question was asked, with which chance, and from which plan.
    asked: HashMap<u32, (Millis, f64, u32)>,
    /// Whether somebody is known who voted; found with the first entry.
    named: Option<bool>,
    /// Whether judges' hints are wanted in the place of votes.
    hints: bool,
    /// The only criterion that is wanted; every one where it is none.
    criterion: Option<usize>,
}

impl VoteExport {
    /// The same of judges' hints, which never count.
    pub fn hints() -> Self {
        Self { hints: true, ..Self::default() }
    }

    /// The same of one criterion only.
    #[must_use]
    pub fn by(self, criterion: Option<usize>) -> Self {
        Self { criterion, ..self }
    }

    /// The votes answered in this entry that count in this state. Entries must come in their order, and none after the
    /// state's head.
    ///
    /// # Errors
    /// An entry that cannot be read.
    pub fn of(&mut self, entry: &Entry, state: &State) -> Result<Vec<Vote>> {
        let known = |voter: &Voter| !matches!(voter.kind, Kind::Unknown | Kind::Hint) && voter.answered > 0;
        let named = *self.named.get_or_insert_with(|| state.voters.iter().any(known));
        let mut votes = Vec::new();
        for event in entry.events()? {
            match event {
                Event::Asked { q, p, plan, .. } => drop(self.asked.insert(q, (entry.at, p, plan))),
                Event::Answered { q, answer, ms, grade, other_criteria, .. } => {
                    let Some(asked) = self.asked.remove(&q) else { continue };
                    let said = std::iter::once(GradedAnswer { answer, grade }).chain(other_criteria).enumerate();
                    for said in said.filter(|(place, _)| self.criterion.is_none_or(|only| only == *place)) {
                        votes.extend(vote(state, (q, named, self.hints), asked, entry.at, (said, ms)));
                    }
                }
                _ => {}
            }
        }
        Ok(votes)
    }
}

fn vote(
    state: &State,
    (q, named, hints): (u32, bool, bool),
    asked: (Millis, f64, u32),
    at: Millis,
    ((place, GradedAnswer { answer, grade }), ms): ((usize, GradedAnswer), Option<u32>),
) -> Option<Vote> {
    let question = state.questions.get(q as usize)?;
    let voter = state.voters.get(question.voter as usize)?;
    let (first, second) =
        (state.items.get(usize::from(question.first))?, state.items.get(usize::from(question.second))?);
    // Skips and "both bad" stand here too, though they count for nothing: `rank` shows how many there were.
    let context = question.context().and_then(|context| state.contexts.get(usize::from(context)));
    let elsewhere = context.is_some_and(|context| !context.enabled);
    let vote = question.phase == Phase::Answered && !question.source.is_gold();
    let wanted = if hints { voter.kind == Kind::Hint } else { !voter.excluded };
    let there = vote && wanted && first.enabled && second.enabled && !elsewhere;
    let (asked_at, p, plan) = asked;
    // What a file says by one criterion says nothing by the others.
    let unsaid = question.source == Source::Import && !state.settings.criteria.is_empty() && answer == Answer::Skip;
    (there && !unsaid).then(|| Vote {
        question: q,
        asked_at: time(asked_at),
        answered_at: time(at),
        left: first.key.clone(),
        right: second.key.clone(),
        context: has_contexts(state).then(|| context.map_or_else(String::new, |context| context.key.clone())),
        winner: match answer {
            Answer::First => "left".to_owned(),
            Answer::Second => "right".to_owned(),
            Answer::Tie => "tie".to_owned(),
            Answer::BothBad => "both bad".to_owned(),
            Answer::Skip => "skip".to_owned(),
            Answer::Soft(r) => r.to_string(),
        },
        criterion: state.settings.criteria.get(place).map(|criterion| criterion.key.clone()),
        grade: state.graded.then_some(match grade {
            Some(Grade::Much) => "much",
            Some(Grade::Slight) => "slight",
            None => "",
        }),
        voter: if voter.kind == Kind::Unknown && !named { String::new() } else { question.voter.to_string() },
        ms,
        propensity: (question.source != Source::Import).then_some(p),
        plan,
        source: question.source,
    })
}

impl Vote {
    /// What its voter said of an attribute.
    fn attribute<'a>(&self, state: &'a State, key: &str) -> Option<&'a str> {
        state.attribute(state.voters.get(state.questions.get(self.question as usize)?.voter as usize)?, key)
    }

    /// The vote with what its voter said, for lines of JSON.
    pub(crate) fn described<'a>(&'a self, state: &'a State) -> impl Serialize + 'a {
        #[derive(Serialize)]
        struct Described<'a> {
            #[serde(flatten)]
            vote: &'a Vote,
            #[serde(flatten)]
            said: BTreeMap<&'a str, &'a str>,
        }
        let said = state.attribute_keys().into_iter().filter_map(|key| Some((key, self.attribute(state, key)?)));
        Described { vote: self, said: said.collect() }
    }
}

/// Whether votes are exported with their contexts.
fn has_contexts(state: &State) -> bool {
    !state.contexts.is_empty()
}

/// Votes of this study as CSV, with a header if these are the first.
///
/// # Errors
/// Never: writing to memory does not fail. An error is returned rather than feared.
pub fn csv(votes: &[Vote], state: &State, header: bool) -> Result<String> {
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    let fail = |error: &dyn std::fmt::Display| Error::Invalid(format!("votes cannot be written: {error}"));
    let keys = state.attribute_keys();
    if header {
        let names = ["question", "asked_at", "answered_at", "left", "right", "context", "criterion", "winner", "grade"];
        let names = names.into_iter().chain(["voter", "ms", "propensity", "plan", "source"]);
        let there = |name: &&str| match *name {
            "context" => has_contexts(state),
            "criterion" => !state.settings.criteria.is_empty(),
            "grade" => state.graded,
            _ => true,
        };
        let names = names.filter(there).chain(keys.iter().copied());
        writer.write_record(names).map_err(|error| fail(&error))?;
    }
    for vote in votes {
        let said: Vec<String> = keys.iter().map(|key| safe_cell(vote.attribute(state, key).unwrap_or(""))).collect();
        writer.serialize((vote, said)).map_err(|error| fail(&error))?;
    }
    let bytes = writer.into_inner().map_err(|error| fail(&error))?;
    String::from_utf8(bytes).map_err(|error| fail(&error))
}

/// Lines of JSON, one value each.
///
/// # Errors
/// Never for what is exported here.
pub fn jsonl<T: Serialize>(values: &[T]) -> Result<String> {
    let mut text = String::new();
    for value in values {
        text += &serde_json::to_string(value).map_err(|error| Error::Invalid(error.to_string()))?;
        text.push('\n');
    }
    Ok(text)
}

/// The items as CSV: id, name, text, link, enabled, and features where there are any.
///
/// # Errors
/// Never: writing to memory does not fail.
pub fn items(state: &State, contents: impl Fn(u16) -> Content) -> Result<String> {
    let fail = |error: &dyn std::fmt::Display| Error::Invalid(format!("items cannot be written: {error}"));
    let d = state.items.iter().map(|item| item.features.len()).max().unwrap_or(0);
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut names: Vec<String> = ["id", "name", "text", "link", "enabled"].map(str::to_owned).to_vec();
    names.extend((1..=d).map(|at| format!("feat_{at}")));
    writer.write_record(&names).map_err(|error| fail(&error))?;
    for (number, item) in (0_u16..).zip(&state.items).filter(|(_, item)| !item.replaced) {
        let content = contents(number);
        let safe = |text: &str| safe_cell(text);
        let mut row = vec![item.key.clone(), safe(&content.title), safe(content.text.as_deref().unwrap_or(""))];
        row.extend([content.link.unwrap_or_default(), if item.enabled { "yes" } else { "no" }.to_owned()]);
        row.extend((0..d).map(|at| item.features.get(at).map_or_else(String::new, ToString::to_string)));
        writer.write_record(&row).map_err(|error| fail(&error))?;
    }
    let bytes = writer.into_inner().map_err(|error| fail(&error))?;
    String::from_utf8(bytes).map_err(|error| fail(&error))
}

/// The contexts as CSV: id, name, text, link, enabled.
///
/// # Errors
/// Never: writing to memory does not fail.
pub fn contexts(contexts: &[(u16, Context, Arc<Content>)]) -> Result<String> {
    let row = |(_, context, content): &(u16, Context, Arc<Content>)| {
        let enabled = if context.enabled { "yes" } else { "no" };
        let (name, text) = (safe_cell(&content.title), safe_cell(content.text.as_deref().unwrap_or("")));
        vec![context.key.clone(), name, text, content.link.clone().unwrap_or_default(), enabled.to_owned()]
    };
    table(Some(heads(["id", "name", "text", "link", "enabled"])), contexts.iter().map(row))
}

/// The voters as CSV: voter, kind, state, counted, answers, gold pairs answered and failed, and the network that they
/// came from, as a number by order of appearance, and what they said about themselves. Nothing of it says who
/// they are.
///
/// # Errors
/// Never: writing to memory does not fail.
pub fn voters(state: &State) -> Result<String> {
    let answers = state.gold_answers();
    // Words of one form, as JSON has them.
    let word = |value: serde_json::Result<serde_json::Value>| {
        value.ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
    };
    let (mut networks, keys) = (HashMap::new(), state.attribute_keys());
    let row = |(number, voter): (u32, &Voter)| {
        let next = networks.len() + 1;
        let known = voter.network.filter(|_| voter.standing != Standing::Withdrawn);
        let network = known.map(|network| *networks.entry(network).or_insert(next));
        let network = network.map_or_else(String::new, |network| network.to_string());
        let gold = state.gold_record(voter, &answers);
        let counted = if voter.excluded { "no" } else { "yes" }.to_owned();
        let (kind, standing) = (word(serde_json::to_value(voter.kind)), word(serde_json::to_value(voter.standing)));
        let numbers = [voter.answered, gold.answered, gold.failed].map(|number| number.to_string());
        let [answered, gold, failed] = numbers;
        let mut row = vec![number.to_string(), kind, standing, counted, answered, gold, failed, network];
        row.extend(keys.iter().map(|key| safe_cell(state.attribute(voter, key).unwrap_or(""))));
        row
    };
    let names = ["voter", "kind", "state", "counted", "answers", "gold_answered", "gold_failed", "network"];
    let names = names.iter().chain(&keys).map(|name| (*name).to_owned()).collect();
    table(Some(names), (0..).zip(&state.voters).map(row))
}

/// The people behind the voters as CSV, for the organiser alone: voter, name or id, a column for each parameter of the
/// address that was kept, state, counted, answers, and whether all that are wanted were given.
///
/// # Errors
/// Never: writing to memory does not fail.
pub fn people(state: &State, people: &[Person]) -> Result<String> {
    let mut keys: Vec<&str> = state.settings.keep_parameters.iter().map(String::as_str).collect();
    for name in people.iter().flat_map(|person| person.sent.keys()) {
        if !keys.contains(&name.as_str()) {
            keys.push(name);
        }
    }
    let yes = |so: bool| if so { "yes" } else { "no" }.to_owned();
    let reach = state.reach();
    let row = |person: &Person| {
        let voter = state.voters.get(person.voter as usize)?;
        let standing = serde_json::to_value(voter.standing).ok()?.as_str()?.to_owned();
        let mut row = vec![person.voter.to_string(), safe_cell(&person.name)];
        row.extend(keys.iter().map(|key| safe_cell(person.sent.get(*key).map_or("", String::as_str))));
        // Whoever asked for more has finished, too; whoever owns items can be asked for less.
        let there = || !voter.owns.is_empty() && state.reach_of(voter).is_some_and(|there| voter.answered >= there);
        let finished = voter.standing == Standing::Active && (voter.answered >= reach || there());
        row.extend([standing, yes(!voter.excluded), voter.answered.to_string(), yes(finished)]);
        Some(row)
    };
    let names = ["voter", "name"].iter().chain(&keys).chain(&["state", "counted", "answers", "finished"]);
    table(Some(names.map(|name| (*name).to_owned()).collect()), people.iter().filter_map(row))
}

/// What is shown of items in contexts as CSV: item, context, text, link, and the hash of a picture; with a header if
/// these are the first.
///
/// # Errors
/// Never: writing to memory does not fail.
pub fn contents(contents: &[PlacedContent], header: bool) -> Result<String> {
    let row = |(item, context, content): &PlacedContent| {
        let text = safe_cell(content.text.as_deref().unwrap_or(""));
        let (link, image) = (content.link.clone().unwrap_or_default(), content.image.clone().unwrap_or_default());
        vec![item.clone(), context.clone(), text, link, image]
    };
    table(header.then(|| heads(["item", "context", "text", "link", "image"])), contents.iter().map(row))
}

fn heads<const N: usize>(names: [&str; N]) -> Vec<String> {
    names.map(str::to_owned).to_vec()
}

fn table(header: Option<Vec<String>>, rows: impl Iterator<Item = Vec<String>>) -> Result<String> {
    let fail = |error: &dyn std::fmt::Display| Error::Invalid(format!("the table cannot be written: {error}"));
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in header.into_iter().chain(rows) {
        writer.write_record(&row).map_err(|error| fail(&error))?;
    }
    let bytes = writer.into_inner().map_err(|error| fail(&error))?;
    String::from_utf8(bytes).map_err(|error| fail(&error))
}

/// A text that no spreadsheet takes for a formula.
pub fn safe_cell(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text.to_owned() }
}

/// An entry of the log, as it is exported: with the hash of the log up to it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    first: u64,
    at: String,
    at_ms: Millis,
    format: u32,
    hash: String,
    events: serde_json::Value,
}

impl Line {
    /// The line of an entry, every part of its events with its name; `log` is the hash of the log before it, and then
    /// with it.
    ///
    /// # Errors
    /// An entry that cannot be read.
    pub fn new(entry: &Entry, log: &mut Hash) -> Result<Self> {
        *log = entry.hash(log);
        let bad = |error: serde_json::Error| Error::Entry { first: entry.first, why: error.to_string() };
        let events = serde_json::to_value(entry.events()?).map_err(bad)?;
        let (first, format, hash) = (entry.first, entry.format, hex::text(log));
        Ok(Self { first, at: time(entry.at), at_ms: entry.at, format, hash, events })
    }
}

/// A time in RFC 3339, UTC, to the millisecond.
pub fn time(at: Millis) -> String {
    let (days, rest) = (at.div_euclid(86_400_000), at.rem_euclid(86_400_000));
    // Civil from days: eras of 400 years, years that begin in March.
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let day_of_era = z.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let (day, month) =
        (day_of_year - (153 * shifted + 2) / 5 + 1, if shifted < 10 { shifted + 3 } else { shifted - 9 });
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute, second, milli) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60, rest % 1000);
    if !(0..=9_999).contains(&year) {
        return format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z");
    }
    // Digit by digit: every answer to a vote has such a time, and `format!` takes longer for it than the vote for its
    // question.
    let mut text = String::with_capacity(24);
    let parts = [
        (year, 4, '-'),
        (month, 2, '-'),
        (day, 2, 'T'),
        (hour, 2, ':'),
        (minute, 2, ':'),
        (second, 2, '.'),
        (milli, 3, 'Z'),
    ];
    for (number, digits, after) in parts {
        for place in (0..digits).rev() {
            text.push(char::from(b'0' + (number / 10_i64.pow(place) % 10) as u8));
        }
        text.push(after);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        assert_eq!(time(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(time(951_782_400_000), "2000-02-29T00:00:00.000Z");
        assert_eq!(time(1_735_689_599_999), "2024-12-31T23:59:59.999Z");
        assert_eq!(time(-1), "1969-12-31T23:59:59.999Z");
        assert_eq!(time(-62_167_219_200_000), "0000-01-01T00:00:00.000Z");
        assert_eq!(time(253_402_300_799_999), "9999-12-31T23:59:59.999Z");
        assert_eq!(time(253_402_300_800_000), "10000-01-01T00:00:00.000Z");
    }

    #[test]
    fn a_line_has_names_whatever_the_format() {
        let asked = r#"{"asked":{"first":2,"p":0.5,"plan":1,"q":4,"second":3,"source":"audit","voter":7}}"#;
        let events: Vec<crate::Event> = serde_json::from_str(&format!("[{asked}]")).unwrap();
        let entry = Entry::new(1, 0, &events).unwrap();
        assert!(!entry.body.contains("source"));
        let line = Line::new(&entry, &mut Hash::default()).unwrap();
        assert_eq!(line.events, serde_json::from_str::<serde_json::Value>(&format!("[{asked}]")).unwrap());
    }

    #[test]
    fn formulas_are_defused() {
        assert_eq!(safe_cell("=1+1"), "'=1+1");
        assert_eq!(safe_cell("tea"), "tea");
    }
}
