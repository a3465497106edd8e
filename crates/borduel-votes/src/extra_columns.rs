//! Other columns of a table of votes: rows that are wanted, boxes of their own for groups of votes, numbers and things
//! that go with a vote.

use crate::error::{Error, Fault, Result, shortened};
use crate::layout::header::Header;
use crate::table::decimal;
use crate::when::When;
use borduel_rank::ballots::{Ballot, Ballots, BothBad, Circumstances, Durations, Refusal, Ties};
use std::collections::{BTreeMap, HashMap};

/// Which other columns are wanted, and what for.
#[derive(Clone, Debug, Default)]
pub struct ExtraColumns {
    /// Only rows are used in which these columns have these values; of one column, any of its values.
    pub only: Vec<(String, String)>,
    /// What is wanted of a column that the file does not have is passed over, where it would be refused otherwise.
    pub where_there: bool,
    /// Rows are left out in which one of these columns has this value.
    pub but: Vec<(String, String)>,
    /// The votes of each value of this column are put into a box of their own besides.
    pub by: Option<String>,
    /// The same for stretches of time, by a column of dates or numbers.
    pub over: Option<String>,
    /// Numbers that go with a vote, in favour of the left item where positive; `A-B` for the difference of two columns.
    pub numbers: Vec<String>,
    /// A second thing by which votes hang together, beside the voter.
    pub cluster: Option<String>,
    /// How long the answer took, a column of numbers in any unit.
    pub took: Option<String>,
}

impl ExtraColumns {
    /// Refuses what goes with a single vote on two items, where rows are none.
    pub(crate) fn refuse_beyond_groups(&self, file: &str) -> Result<()> {
        let besides = Self { only: Vec::new(), but: Vec::new(), by: None, ..self.clone() };
        if besides.is_empty() {
            return Ok(());
        }
        let what = "--over, --cluster, --took and columns to --adjust for are for tables with a vote on two items in a \
                    row, and this is none";
        Err(Error::file(file, what))
    }

    /// The columns and values by which rows are wanted, and then those by which they are not.
    fn conditions(&self) -> impl Iterator<Item = &(String, String)> {
        self.only.iter().chain(&self.but)
    }

    /// The columns and values by which rows of a table with this header are wanted.
    pub(crate) fn wanted<'a>(&'a self, header: &'a Header<'_>) -> impl Iterator<Item = &'a (String, String)> {
        self.only.iter().filter(|(column, _)| !self.where_there || header.has(column))
    }

    /// A warning for each value that no row has, so that nothing was found or left out by it.
    pub(crate) fn unmet(&self, met: &[bool]) -> Vec<String> {
        let warn = |(at, (column, value)): (usize, &(String, String))| {
            let sign = if at < self.only.len() { "=" } else { "!=" };
            let (column, value) = (shortened(column), shortened(value));
            let several = if value.contains(',') { "; several values are several --where" } else { "" };
            format!(
                "warning: no row has \"{value}\" in \"{column}\": --where \"{column}{sign}{value}\" changes \
                 nothing{several}"
            )
        };
        let unmet = |(at, _): &(usize, &(String, String))| met.get(*at) == Some(&false);
        self.conditions().enumerate().filter(unmet).map(warn).collect()
    }

    /// Whether nothing is wanted.
    pub(crate) fn is_empty(&self) -> bool {
        self.only.is_empty()
            && self.but.is_empty()
            && self.by.is_none()
            && self.over.is_none()
            && self.numbers.is_empty()
            && self.cluster.is_none()
            && self.took.is_none()
    }
}

/// The votes once more, in other groups.
#[derive(Clone, Debug, Default)]
pub struct ExtraVotes {
    /// A box for each value of the column, in the order of their first appearance.
    pub by: Vec<(String, Ballots)>,
    /// A box for each stretch of time, in its order: from when to when, and how that is written.
    pub over: Vec<Stretch>,
    /// The votes with their numbers.
    pub circumstances: Option<Circumstances>,
    /// The votes by the second thing that they hang together by, and by both.
    pub crossed: Option<(Ballots, Ballots)>,
    /// How long the answers took.
    pub took: Option<Durations>,
}

/// The votes of a stretch of time.
#[derive(Clone, Debug)]
pub struct Stretch {
    /// The first and the last moment, as numbers.
    pub from: f64,
    /// The end of the stretch; see `from`.
    pub to: f64,
    /// The same as they are written in the file.
    pub label: (String, String),
    /// The votes of this stretch.
    pub ballots: Ballots,
}

impl Stretch {
    /// From when to when, as it is written in the file.
    pub fn name(&self) -> String {
        if self.label.0 == self.label.1 {
            self.label.0.clone()
        } else {
            format!("{} – {}", self.label.0, self.label.1)
        }
    }
}

/// Where the columns are among the fields of a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ExtraColumnsAt {
    /// The field, and the values of which it must have one.
    pub(crate) only: Vec<(usize, Vec<String>)>,
    /// The field, and a value that it must not have.
    pub(crate) but: Vec<(usize, String)>,
    /// The field of each of [`ExtraColumns::conditions`].
    asked: Vec<usize>,
    pub(crate) by: Option<usize>,
    pub(crate) over: Option<usize>,
    /// One field, or two of which the difference counts.
    pub(crate) numbers: Vec<(usize, Option<usize>)>,
    pub(crate) cluster: Option<usize>,
    pub(crate) took: Option<usize>,
}

/// The most values of the column of `by`: more are no groups.
const MOST_GROUPS: usize = 200;
/// The most moments that are kept apart while reading; where there are more, neighbours are put together.
const MOST_MOMENTS: usize = 2_048;
/// Into so many stretches time is cut at most.
const STRETCHES: usize = 12;

/// The boxes while they are being filled.
pub(crate) struct Groups {
    rules: (Ties, BothBad),
    sides_known: bool,
    by: Vec<(String, Ballots)>,
    by_name: HashMap<String, usize>,
    over: BTreeMap<i64, Moment>,
    /// How long a moment is, in the unit of time.
    width: f64,
    circumstances: Option<Circumstances>,
    /// The voters of the circumstances, by their names.
    voters: HashMap<String, u32>,
    crossed: Option<(Ballots, Ballots)>,
    took: Option<Durations>,
}

/// The votes of a moment.
struct Moment {
    from: (f64, String),
    to: (f64, String),
    ballots: Ballots,
}

/// What a row says, as far as it matters here.
#[derive(Clone, Copy)]
pub(crate) struct VoteAs<'a> {
    pub(crate) items: [&'a str; 2],
    /// The items in the box of all votes.
    pub(crate) numbers: [u32; 2],
    pub(crate) voter: Option<&'a str>,
    /// The same with the question, where that is known.
    pub(crate) answered: Option<&'a str>,
    /// What the items were compared on, and what such are called in the plural.
    pub(crate) context: Option<(&'a str, &'static str)>,
    pub(crate) answers: &'a [(borduel_rank::ballots::Answer, f64)],
    pub(crate) weight: f64,
}

/// The numbers and the time of a row.
pub(crate) struct Understood {
    numbers: Vec<f64>,
    when: Option<f64>,
    /// A time that was not measured is none.
    took: Option<f64>,
}

impl Groups {
    pub(crate) fn new(extra: &ExtraColumns, ties: Ties, both_bad: BothBad) -> Self {
        let empty = || Ballots::new(ties, both_bad, true);
        Self {
            rules: (ties, both_bad),
            sides_known: true,
            by: Vec::new(),
            by_name: HashMap::new(),
            over: BTreeMap::new(),
            width: 0.0,
            circumstances: (!extra.numbers.is_empty()).then(|| Circumstances::new(extra.numbers.clone())),
            voters: HashMap::new(),
            crossed: extra.cluster.is_some().then(|| (empty(), empty())),
            took: extra.took.is_some().then(Durations::default),
        }
    }

    /// Declares that some votes do not tell the side on which an item was shown.
    pub(crate) fn forget_sides(&mut self) {
        self.sides_known = false;
    }

    fn empty(&self) -> Ballots {
        Ballots::new(self.rules.0, self.rules.1, self.sides_known)
    }

    /// What the other columns of a row say. `fields` has them where `at` says.
    pub(crate) fn understand(&self, at: &ExtraColumnsAt, fields: &[String]) -> std::result::Result<Understood, Fault> {
        let number = |field: usize| {
            let value = decimal(&fields[field]).filter(|x| x.is_finite());
            value.ok_or_else(|| (Some(field), "is not a number that could be adjusted for".to_owned()))
        };
        let mut numbers = Vec::with_capacity(at.numbers.len());
        for &(field, minus) in &at.numbers {
            numbers.push(number(field)? - minus.map_or(Ok(0.0), number)?);
        }
        let when = at.over.map(|field| {
            When::read(&fields[field]).map(|when| when.0).ok_or_else(|| {
                let what = "is neither a number nor a date such as 2024-05-31 or 2024-05-31T12:00:00".to_owned();
                (Some(field), what)
            })
        });
        let took = at.took.filter(|&field| !fields[field].is_empty()).map(|field| {
            let value = decimal(&fields[field]).filter(|x| *x >= 0.0 && x.is_finite());
            value
                .ok_or_else(|| (Some(field), "is no time that an answer can have taken: a number from 0 on".to_owned()))
        });
        if let Some(field) = at.cluster.filter(|&field| fields[field].is_empty()) {
            return Err((Some(field), "is empty, where votes are to hang together by it".to_owned()));
        }
        if let Some(field) = at.by.filter(|_| self.by.len() >= MOST_GROUPS)
            && !self.by_name.contains_key(&fields[field])
        {
            return Err((
                Some(field),
                format!("is one more value of its column, and more than {MOST_GROUPS} are no groups"),
            ));
        }
        Ok(Understood { numbers, when: when.transpose()?, took: took.transpose()? })
    }

    /// Puts a row where it belongs. `all` is the box of all votes.
    pub(crate) fn add(
        &mut self,
        all: &Ballots,
        at: &ExtraColumnsAt,
        fields: &[String],
        (said, understood): (&VoteAs<'_>, &Understood),
    ) -> std::result::Result<(), Refusal> {
        if let Some(field) = at.by {
            let next = self.by.len();
            let own = *self.by_name.entry(fields[field].clone()).or_insert(next);
            if own == next {
                let empty = self.empty();
                self.by.push((fields[field].clone(), empty));
            }
            add(&mut self.by[own].1, said, said.answered)?;
        }
        if let (Some(when), Some(field)) = (understood.when, at.over) {
            let moment = self.moment(when, &fields[field]);
            add(&mut moment.ballots, said, said.answered)?;
            self.widen();
        }
        if let Some(circumstances) = &mut self.circumstances {
            let voter = said.voter.map(|name| {
                let next = self.voters.len() as u32;
                *self.voters.entry(name.to_owned()).or_insert(next)
            });
            let [left, right] = said.numbers;
            for &(answer, count) in said.answers {
                let ballot =
                    Ballot::new(left, right, answer).with_voter(voter).with_weight(said.weight).with_count(count);
                circumstances.add(all, &ballot, &understood.numbers)?;
            }
        }
        if let (Some(durations), Some(voter), Some(took)) = (&mut self.took, said.voter, understood.took) {
            durations.add(voter, took);
        }
        if let (Some((second, both)), Some(field)) = (&mut self.crossed, at.cluster) {
            let name = &fields[field];
            let said = &VoteAs { context: None, ..*said };
            add(second, said, Some(name))?;
            // A length in front keeps ("a", "bc") and ("ab", "c") apart.
            let voter = said.voter.unwrap_or_default();
            add(both, said, Some(&format!("{} {voter}{name}", voter.len())))?;
        }
        Ok(())
    }

    /// Puts all votes of a group where they belong.
    pub(crate) fn add_group(&mut self, file: &str, name: String, ballots: &Ballots) -> Result<()> {
        if self.by.len() >= MOST_GROUPS && !self.by_name.contains_key(&name) {
            let name = shortened(&name);
            return Err(Error::file(
                file,
                format!("\"{name}\" is one more group, and more than {MOST_GROUPS} are none"),
            ));
        }
        let next = self.by.len();
        let own = *self.by_name.entry(name.clone()).or_insert(next);
        if own == next {
            self.by.push((name, ballots.clone()));
            return Ok(());
        }
        self.by[own].1.merge(ballots).map_err(|refusal| Error::file(file, refusal.to_string()))
    }

    /// The votes of this moment.
    fn moment(&mut self, when: f64, text: &str) -> &mut Moment {
        let key = key(when, self.width);
        let empty = self.empty();
        let here = (when, text.to_owned());
        let moment = self.over.entry(key).or_insert_with(|| Moment { from: here.clone(), to: here, ballots: empty });
        if when < moment.from.0 {
            moment.from = (when, text.to_owned());
        }
        if when > moment.to.0 {
            moment.to = (when, text.to_owned());
        }
        moment
    }

    /// Puts neighbouring moments together where there are too many.
    fn widen(&mut self) {
        if self.over.len() <= MOST_MOMENTS {
            return;
        }
        let first = self.over.values().map(|m| m.from.0).fold(f64::INFINITY, f64::min);
        let last = self.over.values().map(|m| m.to.0).fold(f64::NEG_INFINITY, f64::max);
        self.width = ((last - first) / (MOST_MOMENTS / 4) as f64).max(2.0 * self.width);
        let mut wider: BTreeMap<i64, Moment> = BTreeMap::new();
        for moment in std::mem::take(&mut self.over).into_values() {
            join(&mut wider, key(moment.from.0, self.width), moment);
        }
        self.over = wider;
    }

    /// All boxes, each with all items of `all` in their order.
    pub(crate) fn finish(self, all: &Ballots) -> ExtraVotes {
        let complete = |mut ballots: Ballots| {
            let mut own = Ballots::new(self.rules.0, self.rules.1, ballots.sides_known());
            all.items().iter().for_each(|item| {
                own.item(item);
            });
            ballots.settle_questions();
            ballots = ballots.finish();
            // The rules are the same.
            let merged = own.merge(&ballots);
            debug_assert!(merged.is_ok());
            own.finish()
        };
        let over = stretches(self.over.into_values().collect());
        ExtraVotes {
            by: self.by.into_iter().map(|(name, ballots)| (name, complete(ballots))).collect(),
            over: over.into_iter().map(|s| Stretch { ballots: complete(s.ballots), ..s }).collect(),
            circumstances: self.circumstances,
            crossed: self.crossed.map(|(second, both)| (complete(second), complete(both))),
            took: self.took,
        }
    }
}

/// The number of the moment in which a time lies; with no width every time is its own, in the order of its bits.
fn key(when: f64, width: f64) -> i64 {
    if width > 0.0 {
        return (when / width).floor() as i64;
    }
    let bits = when.to_bits().cast_signed();
    if bits < 0 { i64::MIN - bits } else { bits }
}

fn join(into: &mut BTreeMap<i64, Moment>, key: i64, moment: Moment) {
    match into.entry(key) {
        std::collections::btree_map::Entry::Vacant(place) => {
            place.insert(moment);
        }
        std::collections::btree_map::Entry::Occupied(mut place) => together(place.get_mut(), moment),
    }
}

/// Adds a later moment to an earlier one.
fn together(earlier: &mut Moment, later: Moment) {
    // The rules are the same.
    let merged = earlier.ballots.merge(&later.ballots);
    debug_assert!(merged.is_ok());
    if later.from.0 < earlier.from.0 {
        earlier.from = later.from;
    }
    if later.to.0 > earlier.to.0 {
        earlier.to = later.to;
    }
}

/// Neighbouring moments put together into at most [`STRETCHES`] of about equally many votes.
fn stretches(moments: Vec<Moment>) -> Vec<Stretch> {
    let all: f64 = moments.iter().map(|m| m.ballots.used()).sum();
    let wanted = STRETCHES.min(moments.len()).max(1);
    let mut found: Vec<Moment> = Vec::new();
    let mut before = 0.0;
    let mut place = usize::MAX;
    for moment in moments {
        let middle = before + 0.5 * moment.ballots.used();
        before += moment.ballots.used();
        let own = if all > 0.0 { ((middle / all * wanted as f64) as usize).min(wanted - 1) } else { 0 };
        match found.last_mut().filter(|_| own == place) {
            Some(last) => together(last, moment),
            None => found.push(moment),
        }
        place = own;
    }
    let stretch = |m: Moment| Stretch { from: m.from.0, to: m.to.0, label: (m.from.1, m.to.1), ballots: m.ballots };
    found.into_iter().map(stretch).collect()
}

/// Adds what a row says to a box, by the items' names.
fn add(ballots: &mut Ballots, said: &VoteAs<'_>, voter: Option<&str>) -> std::result::Result<(), Refusal> {
    let [left, right] = said.items.map(|name| ballots.item(name));
    let voter = voter.map(|name| ballots.voter(name));
    let context = said.context.map(|(name, are)| {
        ballots.call_contexts(are);
        ballots.context(name)
    });
    let weight = said.weight;
    said.answers.iter().try_for_each(|&(answer, count)| {
        ballots.add_all(&[Ballot::new(left, right, answer)
            .with_voter(voter)
            .with_context(context)
            .with_weight(weight)
            .with_count(count)])
    })
}

impl ExtraColumnsAt {
    /// Where the columns of wanted rows and of groups are in a whole row.
    pub(crate) fn of_rows(header: &Header<'_>, extra: &ExtraColumns) -> Result<Self> {
        let mut found = Self::default();
        for (column, value) in extra.wanted(header) {
            found.want(header.named("--where", column)?, value);
        }
        for (column, value) in &extra.but {
            found.want_not(header.named("--where", column)?, value);
        }
        found.by = extra.by.as_ref().map(|column| header.named("--by", column)).transpose()?;
        Ok(found)
    }

    /// Notes which of the conditions name a value that a row has.
    pub(crate) fn meet(&self, extra: &ExtraColumns, fields: &[String], met: &mut Vec<bool>) {
        met.resize(self.asked.len(), false);
        for ((met, &field), (_, value)) in met.iter_mut().zip(&self.asked).zip(extra.conditions()) {
            *met |= fields[field] == *value;
        }
    }

    /// Wants rows with this value in a field; of one field, any of its values.
    pub(crate) fn want(&mut self, field: usize, value: &str) {
        self.asked.push(field);
        match self.only.iter_mut().find(|(known, _)| *known == field) {
            Some((_, values)) => values.push(value.to_owned()),
            None => self.only.push((field, vec![value.to_owned()])),
        }
    }

    /// Wants no rows with this value in a field.
    pub(crate) fn want_not(&mut self, field: usize, value: &str) {
        self.asked.push(field);
        self.but.push((field, value.to_owned()));
    }

    /// Whether a row is wanted.
    pub(crate) fn wants(&self, fields: &[String]) -> bool {
        self.only.iter().all(|(field, values)| values.iter().any(|value| *value == fields[*field]))
            && self.but.iter().all(|(field, value)| *value != fields[*field])
    }

    /// What is in use, for messages.
    pub(crate) fn describe(extra: &ExtraColumns) -> String {
        let mut parts: Vec<String> = extra
            .only
            .iter()
            .map(|(column, value)| format!("only {} = {}", shortened(column), shortened(value)))
            .collect();
        let unwanted = |(column, value): &(String, String)| format!("not {} = {}", shortened(column), shortened(value));
        parts.extend(extra.but.iter().map(unwanted));
        parts.extend(extra.by.iter().map(|column| format!("by = {}", shortened(column))));
        parts.extend(extra.over.iter().map(|column| format!("over = {}", shortened(column))));
        parts.extend(extra.numbers.iter().map(|column| format!("adjusted for {}", shortened(column))));
        parts.extend(extra.cluster.iter().map(|column| format!("clustered by {} too", shortened(column))));
        parts.extend(extra.took.iter().map(|column| format!("took = {}", shortened(column))));
        parts.iter().flat_map(|part| [", ", part]).collect()
    }
}
