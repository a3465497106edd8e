//! What is said of a table that is not understood: what was found, what it looks like, and which flags lead on. Flags are tried on the
//! first rows before they are recommended, and what they make of these rows is shown.

use super::Trial;
use crate::error::shortened;
use crate::layout::codes::codes;
use crate::layout::header::Header;
use crate::layout::said::{MOST_PAIRED, POINTS, is_not_the_end};
use crate::layout::twins::{Opposite, difference, is_measure, side, twins};
use crate::layout::{Columns, infer, list};
use crate::outcome::{Scale, Words, is_result};
use crate::sample::{Sample, flag};
use crate::table::decimal;
use crate::wide::{RowKind, WideOptions, judged};
use borduel::ballots::Answer;
use std::collections::BTreeSet;

/// Words of columns that say by how much one side was ahead.
const MARGINS: &[&str] = &["margin", "diff", "difference", "spread", "mov", "delta", "strength"];
/// How the columns of a league table are called.
const LEAGUE: &[&str] = &[
    "p",
    "mp",
    "gp",
    "pld",
    "played",
    "w",
    "won",
    "wins",
    "d",
    "drawn",
    "draws",
    "l",
    "lost",
    "losses",
    "t",
    "ties",
    "gf",
    "ga",
    "gd",
    "pf",
    "pa",
    "pts",
    "points",
    "pct",
    "goal_difference",
];

/// Something that leads on: what is said, and the reading that it recommends, if it recommends one.
struct Lead {
    said: String,
    trial: Option<Trial>,
}

impl Lead {
    fn new(said: String) -> Self {
        Self { said, trial: None }
    }

    fn columns(said: String, columns: Columns) -> Self {
        Self { said, trial: Some(Trial { columns, ..Trial::default() }) }
    }

    fn rows(said: String, rows: RowKind, columns: &[String], voter: Option<String>) -> Self {
        let wide = WideOptions { rows: Some(rows), columns: columns.to_vec(), transpose: false };
        let columns = Columns { voter, ..Columns::default() };
        Self { said, trial: Some(Trial { columns, wide, ..Trial::default() }) }
    }

    /// The sentence, with what the reading makes of the first rows; nothing where it makes nothing of them.
    fn sentence(self, tried: &dyn Fn(Trial) -> Option<String>) -> Option<String> {
        match self.trial {
            None => Some(self.said + ". "),
            Some(trial) => tried(trial).map(|rows| format!("{}; it reads {rows}. ", self.said)),
        }
    }
}

/// The whole message.
pub(super) fn not_understood(
    header: &Header<'_>,
    sample: &Sample,
    given: &Columns,
    tried: &dyn Fn(Trial) -> Option<String>,
) -> String {
    let items = header.items().or_else(|| infer::items(header, sample, None));
    let found = if items.is_some() || given.left.is_some() {
        "the two items, but not the answer"
    } else {
        "no two columns of items"
    };
    let beginning = infer::odd_beginning(header, sample);
    let leads = [
        early(header),
        doubled(header, sample, items),
        both_in_one(header, sample, items),
        codes_of_something(header, sample, given, items),
        of_each_side(header, sample, items),
        margin(header, sample, items),
        table_of_totals(header, sample, items),
        one_item_a_row(header, sample, items),
        ratings(header, sample, items),
    ];
    let leads: String = leads.into_iter().flatten().filter_map(|lead| lead.sentence(tried)).collect();
    format!(
        "the header and the values tell {found}; the columns are {}. {beginning}{leads}Expected left,right,winner, or \
         model_a,model_b,winner, or winner,loser, or counts such as left,right,left_wins,right_wins; name the columns with --left, \
         --right, --winner (or --winner, --loser; or --left-wins, --right-wins; or --left-points, --right-points), or give --no-header \
         and their numbers; matrices, rankings and ratings: --rows",
        list(header.columns)
    )
}

/// Columns about half time, the toss and the shoot-out.
fn early(header: &Header<'_>) -> Option<Lead> {
    let columns = 0..header.columns.len();
    let early: Vec<String> =
        columns.filter(|&c| is_not_the_end(&header.words[c])).map(|c| header.columns[c].clone()).collect();
    // A header that is one long sentence may hold any word.
    let some = !early.is_empty() && early.len() < header.columns.len();
    let said = || {
        format!("{} may tell who was ahead at half time, won the toss or the shoot-out, and not who won", list(&early))
    };
    some.then(|| Lead::new(said()))
}

/// Two columns of one name that hold numbers, each behind one of the items: `Visitor,PTS,Home,PTS`.
fn doubled(header: &Header<'_>, sample: &Sample, items: Option<(usize, usize)>) -> Option<Lead> {
    let (left, right) = items?;
    let columns = header.columns.len();
    let alike = |first: &usize| {
        let second = (first + 1..columns).find(|&second| header.names[second] == header.names[*first])?;
        (infer::numbers(sample, *first) && infer::numbers(sample, second)).then_some((*first, second))
    };
    let (first, second) = (0..columns).find_map(|first| alike(&first))?;
    // The nearer one behind an item is its own.
    let behind = |item: usize| [first, second].into_iter().filter(|&c| c > item).min();
    let (own, other) = match (behind(left), behind(right)) {
        (Some(a), Some(b)) if a != b => (a, b),
        _ => (first, second),
    };
    let [own, other] = [own + 1, other + 1].map(|number| number.to_string());
    let said = format!(
        "There are two columns named \"{}\" ({}, {}), which are called by their numbers: if they are the points of the two items, say \
         --left-points {own} --right-points {other}",
        shortened(&header.columns[first]),
        first + 1,
        second + 1,
    );
    Some(Lead::columns(said, Columns { left_points: Some(own), right_points: Some(other), ..Columns::default() }))
}

/// Both items, or a whole ranking, in one column.
fn both_in_one(header: &Header<'_>, sample: &Sample, items: Option<(usize, usize)>) -> Option<Lead> {
    let versus = |value: &str| [" vs ", " vs. ", " v ", " vs\u{a0}"].iter().any(|between| value.contains(between));
    let holds = |&column: &usize| sample.values(column).next().is_some() && sample.values(column).all(versus);
    let columns = || (0..header.columns.len()).filter(|_| items.is_none());
    if let Some(column) = columns().find(holds) {
        let name = shortened(&header.columns[column]);
        return Some(Lead::new(format!("\"{name}\" holds both items: make it two columns, one for each")));
    }
    let ballot = |value: &str| value.split('>').filter(|name| !name.trim().is_empty()).count() > 1;
    let ballots = |&column: &usize| sample.values(column).next().is_some() && sample.values(column).all(ballot);
    let column = columns().find(ballots)?;
    let name = shortened(&header.columns[column]);
    let said = format!("\"{name}\" holds whole rankings: --rows ballots --item-columns \"{name}\"");
    Some(Lead::rows(said, RowKind::Ballots, &[header.columns[column].clone()], None))
}

/// A column of two numbers, or of yes and no, under a name that does not say that it is the answer.
fn codes_of_something(
    header: &Header<'_>,
    sample: &Sample,
    given: &Columns,
    items: Option<(usize, usize)>,
) -> Option<Lead> {
    let (left, right) = items?;
    let free = |column: usize| column != left && column != right && header.voter() != Some(column);
    let two = |column: usize| sample.distinct(column).len() == 2;
    let coded = |column: usize| codes(header, sample, column).is_some() && !is_measure(&header.words[column]);
    // Keys that were pressed stand for sides that only their owner knows.
    let pressed = |column: usize| {
        let called = |word: &String| matches!(word.as_str(), "resp" | "response" | "key" | "keys" | "button");
        header.words[column].iter().any(called) && !infer::numbers(sample, column)
    };
    let fits = |&column: &usize| free(column) && two(column) && (coded(column) || pressed(column));
    let mut found = (0..header.columns.len()).filter(fits).filter(|_| given.winner.is_none());
    let (Some(column), None) = (found.next(), found.next()) else { return None };
    let name = shortened(&header.columns[column]);
    let values: Vec<&str> = sample.distinct(column).into_iter().collect();
    let own = |value: &str| vec![value.to_owned()];
    let (which, words) = if pressed(column) {
        let [first, second] = [values[0], values[1]];
        (
            format!(
                " --left-value \"{}\" --right-value \"{}\", or the other way round",
                shortened(first),
                shortened(second)
            ),
            Words { left: own(first), right: own(second), ..Words::default() },
        )
    } else {
        (String::new(), Words::default())
    };
    let said = format!("If \"{name}\" is the answer, say --winner \"{name}\"{which}");
    let columns = Columns { winner: Some(header.columns[column].clone()), ..given.clone() };
    Some(Lead { said, trial: Some(Trial { columns, words, ..Trial::default() }) })
}

/// Two columns of numbers, one for each side, of which nobody can tell whether more is better.
fn of_each_side(header: &Header<'_>, sample: &Sample, items: Option<(usize, usize)>) -> Option<Lead> {
    let (left, right) = items?;
    let about = |column: usize| side(&header.words[left], &header.words[right], &header.words[column], true);
    let numbers = || (0..header.columns.len()).filter(|&column| infer::numbers(sample, column)).take(MOST_PAIRED);
    let pairs = numbers().flat_map(|first| numbers().map(move |second| (first, second)));
    let twin = |&(first, second): &(usize, usize)| {
        (about(first), about(second)) == (Some(Answer::Left), Some(Answer::Right))
            && difference(&header.words[first], &header.words[second]).is_some()
    };
    let mut found = pairs.filter(twin);
    let (Some((first, second)), None) = (found.next(), found.next()) else { return None };
    let [a, b] = [first, second].map(|column| shortened(&header.columns[column]));
    let said = format!(
        "If the higher number of \"{a}\" and \"{b}\" wins, say --left-points \"{a}\" --right-points \"{b}\", and if the lower one does, \
         exchange the two"
    );
    let [left_points, right_points] = [first, second].map(|column| Some(header.columns[column].clone()));
    Some(Lead::columns(said, Columns { left_points, right_points, ..Columns::default() }))
}

/// A column of numbers on both sides of 0.
fn margin(header: &Header<'_>, sample: &Sample, items: Option<(usize, usize)>) -> Option<Lead> {
    let (left, right) = items?;
    let name = |column: usize| shortened(&header.columns[column]);
    let numbers = |column: usize| sample.values(column).filter_map(decimal);
    let both_signs = |column: usize| numbers(column).any(|x| x < 0.0) && numbers(column).any(|x| x > 0.0);
    let called = |column: usize| header.words[column].iter().any(|word| MARGINS.contains(&word.as_str()));
    let fits =
        |&column: &usize| ![left, right].contains(&column) && infer::numbers(sample, column) && both_signs(column);
    let found: Vec<usize> = (0..header.columns.len()).filter(fits).collect();
    let only = || found.first().copied().filter(|_| found.len() == 1);
    let found = found.iter().copied().find(|&column| called(column)).or_else(only);
    let column = found?;
    let said = format!(
        "If above 0 in \"{0}\" the item in \"{1}\" is ahead, and below 0 the one in \"{2}\", say --left \"{1}\" --right \"{2}\" \
         --winner \"{0}\" --answer-scale margin; if it is the other way round, change --left and --right",
        name(column),
        name(left),
        name(right)
    );
    let [left, right, winner] = [left, right, column].map(|column| Some(header.columns[column].clone()));
    Some(Lead::columns(said, Columns { left, right, winner, scale: Some(Scale::Margin), ..Columns::default() }))
}

/// One row a team with its games, wins and losses.
fn table_of_totals(header: &Header<'_>, sample: &Sample, items: Option<(usize, usize)>) -> Option<Lead> {
    let totals = (0..header.columns.len())
        .filter(|&column| LEAGUE.contains(&header.names[column].as_str()) && infer::numbers(sample, column))
        .count();
    let few = infer::best_outcome(header, sample).is_none_or(|pair| !infer::are_totals(header, sample, pair));
    if items.is_some() || (totals < 4 && few) {
        return None;
    }
    let said = "It looks like a table of totals, one row an item: who won against whom is needed, which the list of the matches has";
    Some(Lead::new(said.to_owned()))
}

/// One row what a judge, or a contest, says about one item.
fn one_item_a_row(header: &Header<'_>, sample: &Sample, items: Option<(usize, usize)>) -> Option<Lead> {
    if items.is_some() {
        return None;
    }
    let rows = sample.rows.len();
    let distinct = |column: usize| sample.distinct(column).len();
    let columns = || 0..header.columns.len();
    let word = |column: usize, known: &[&str]| header.words[column].iter().any(|word| known.contains(&word.as_str()));
    // Items come again, never twice with one judge or contest, and mostly stand behind it.
    let result = |column: usize| sample.values(column).all(|value| flag(value).is_some() || is_result(value));
    let again = |column: usize| distinct(column) > 1 && 2 * distinct(column) <= rows;
    let texts = || columns().rev().filter(|&c| !infer::numbers(sample, c) && again(c) && !result(c));
    let once = |key: usize, item: usize| {
        let pairs: BTreeSet<(&str, &str)> =
            sample.rows.iter().map(|row| (row[key].as_str(), row[item].as_str())).collect();
        pairs.len() == rows
    };
    let places = &["rank", "place", "pos", "position"];
    let says =
        |column: usize| word(column, places) || word(column, POINTS) || word(column, &["rating", "stars", "choice"]);
    let keys = |item: usize| columns().filter(move |&key| key != item && again(key) && !says(key));
    let (key, item) = texts().find_map(|item| Some((keys(item).find(|&key| once(key, item))?, item)))?;
    // What is always the same for an item is no judgement of it.
    let own = |column: usize| {
        let pairs: BTreeSet<(&str, &str)> =
            sample.rows.iter().map(|row| (row[item].as_str(), row[column].as_str())).collect();
        pairs.len() == distinct(item)
    };
    let numbers =
        || columns().filter(|&c| c != key && c != item && infer::numbers(sample, c) && distinct(c) > 1 && !own(c));
    let value = numbers().find(|&c| word(c, places)).or_else(|| numbers().find(|&c| says(c)))?;
    let (kind, rows) =
        if word(value, places) { ("long-ranks", RowKind::LongRanks) } else { ("long-ratings", RowKind::LongRatings) };
    let name = |column: usize| shortened(&header.columns[column]);
    let said = format!(
        "If each row tells how \"{}\" did in \"{}\", say --rows {kind} --voter \"{1}\" --item-columns \"{0},{2}\"",
        name(item),
        name(key),
        name(value)
    );
    let columns = [item, value].map(|column| header.columns[column].clone());
    Some(Lead::rows(said, rows, &columns, Some(header.columns[key].clone())))
}

/// One judge a row with a number for every item.
fn ratings(header: &Header<'_>, sample: &Sample, items: Option<(usize, usize)>) -> Option<Lead> {
    let columns = || (0..header.columns.len()).filter(|&column| infer::numbers(sample, column));
    // Where the names of the items are twins, or the numbers measure something, nobody has rated.
    let told = items.is_some_and(|(l, r)| twins(&header.words[l], &header.words[r]) == Some(Opposite::Sides));
    let measured = columns().filter(|&column| is_measure(&header.words[column])).count();
    if told || columns().count() < 3 || 2 * measured > columns().count() {
        return None;
    }
    let free: Vec<usize> = columns().filter(|&column| header.voter() != Some(column)).collect();
    let items: Vec<String> = judged::rated(header.columns, sample, &free)?
        .into_iter()
        .map(|column| header.columns[column].clone())
        .collect();
    let said = format!(
        "If each row is a judge with a number for every item, say --rows ratings --item-columns \"{}\" (the highest is the best; where 1 is \
         the best, --rows ranks)",
        items.iter().map(|name| shortened(name)).collect::<Vec<_>>().join(",")
    );
    Some(Lead::rows(said, RowKind::Ratings, &items, None))
}
