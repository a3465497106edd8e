//! What is said of a table that is not understood: what was found, what it looks like, and which flags lead on. Flags
//! are tried on the first rows before they are recommended, and what they make of these rows is shown.

mod long;

use super::Trial;
use crate::error::shortened;
use crate::layout::answer_columns::{MOST_PAIRED, is_not_the_end};
use crate::layout::codes::codes;
use crate::layout::header::Header;
use crate::layout::twins::{Opposite, difference, is_measure, side, twins};
use crate::layout::{Columns, NO_POINTS, infer, list, third, too_many};
use crate::outcome::{Scale, Words};
use crate::sample::{Sample, is_missing};
use crate::table::decimal;
use crate::wide::{RowKind, WideOptions, judged};
use borduel_rank::ballots::Answer;
use std::collections::{BTreeMap, BTreeSet};

/// How many leads are given.
const MOST: usize = 3;
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
        let wide = WideOptions { rows: Some(rows), columns: columns.to_vec(), ..WideOptions::default() };
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
    let third = items.filter(|_| given.left.is_none()).and_then(|items| Some((items, third(header, sample, items)?)));
    // Numbers beside numbers may as well be ratings.
    let third = third.filter(|&(_, third)| !infer::numbers(sample, third) || !sample.ordered);
    let found = match third {
        Some(((left, right), third)) => too_many(header, [left, right, third]),
        None if items.is_some() || given.left.is_some() => {
            "two columns of items were found, but none that says who won".to_owned()
        }
        None => "no two columns of items were found".to_owned(),
    };
    let beginning = infer::odd_beginning(header, sample);
    // In the order in which they are given, and no more than three.
    let without_header = if beginning.is_empty() { without_header(header, sample) } else { Vec::new() };
    let without_header = without_header.into_iter().find_map(|lead| lead.sentence(tried));
    let mut leads = Vec::new();
    leads.extend(early(header).filter(|_| beginning.is_empty()));
    leads.extend(doubled(header, sample, items));
    leads.extend(both_in_one(header, sample, items));
    leads.extend(of_several_judges(header, sample, items.filter(|_| third.is_none())));
    leads.extend(codes_of_something(header, sample, given, items));
    leads.extend(shares(header, sample, items));
    leads.extend(of_each_side(header, sample, items));
    leads.extend(margin(header, sample, items));
    leads.extend(table_of_totals(header, sample, items));
    leads.extend(places(header, sample));
    leads.extend(one_row_an_item(header, sample));
    let long = long::leads(header, sample, items);
    leads.extend(ratings(header, sample, items).filter(|_| long.is_empty()));
    leads.extend(long);
    let leads = leads.into_iter().filter_map(|lead| lead.sentence(tried));
    let leads: String = without_header.into_iter().chain(leads).take(MOST).collect();
    format!(
        "{found}; the columns are {}. {beginning}{leads}Expected left,right,winner, or \
         model_a,model_b,winner, or winner,loser, or counts such as left,right,left_wins,right_wins; name the columns with --left, \
         --right, --winner (or --winner, --loser; or --left-wins, --right-wins; or --left-points, --right-points), or give --no-header \
         and their numbers; matrices, rankings and ratings: --rows",
        list(header.columns)
    )
}

/// The readings of a first row that is one like the others, the likeliest first.
fn without_header(header: &Header<'_>, sample: &Sample) -> Vec<Lead> {
    let ballot = header.columns.len() == 1 && header.columns[0].contains('>');
    if !ballot && !infer::may_be_data(header, sample) {
        return Vec::new();
    }
    let number = |number: usize| Some(number.to_string());
    let two = Columns { winner: number(1), loser: number(2), ..Columns::default() };
    let three = Columns { left: number(1), right: number(2), winner: number(3), ..Columns::default() };
    let rows = |rows: RowKind| Trial {
        wide: WideOptions { rows: Some(rows), ..WideOptions::default() },
        no_header: true,
        ..Trial::default()
    };
    let flags = |columns: Columns| Trial { columns, no_header: true, ..Trial::default() };
    let readings = match header.columns.len() {
        0 => Vec::new(),
        1 => vec![(" --rows ballots", rows(RowKind::Ballots))],
        2 => vec![(" --winner 1 --loser 2", flags(two))],
        columns => {
            let places = are_places(sample, &(0..columns).collect::<Vec<_>>());
            let pairs = [("", flags(Columns::default())), (" --left 1 --right 2 --winner 3", flags(three))];
            pairs.into_iter().chain(places.then(|| (" --rows places", rows(RowKind::Places)))).collect()
        }
    };
    let row = infer::first_row(header.columns);
    let lead = |(said, trial): (&str, Trial)| Lead {
        said: format!("The first row ({row}) looks like data: if there is no header, say --no-header{said}"),
        trial: Some(trial),
    };
    readings.into_iter().map(lead).collect()
}

/// Columns about half time, the toss and the shoot-out.
fn early(header: &Header<'_>) -> Option<Lead> {
    const LONGEST: usize = 6;
    let columns = 0..header.columns.len();
    // A name that is a whole header line, or a sentence, may hold any word.
    let is_name = |c: &usize| header.words[*c].len() <= LONGEST && !header.columns[*c].contains([';', '|', '\t']);
    let early: Vec<String> = columns
        .filter(|&c| is_not_the_end(&header.words[c]))
        .filter(is_name)
        .map(|c| header.columns[c].clone())
        .collect();
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
        let rated = header.words[*first].iter().any(|word| NO_POINTS.contains(&word.as_str()));
        (!rated && infer::numbers(sample, *first) && infer::numbers(sample, second)).then_some((*first, second))
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
    const BETWEEN: &[&str] = &[
        " def. ",
        " d. ",
        " beat ",
        " defeated ",
        " bt ",
        " vs ",
        " vs. ",
        " v ",
        " vs\u{a0}",
        "_vs_",
        " - ",
        " – ",
        " / ",
        " or ",
        ",",
        "_",
    ];
    let columns = || (0..header.columns.len()).filter(|_| items.is_none());
    let halves = |value: &'_ str, between: &str| -> Option<[String; 2]> {
        let (a, b) = value.split_once(between)?;
        let name = |part: &str| !part.trim().is_empty() && decimal(part.trim()).is_none() && !part.contains(between);
        (name(a) && name(b)).then(|| [a.trim().to_owned(), b.trim().to_owned()])
    };
    // Items come again on the other side, unlike cities and their countries.
    let holds = |column: usize, between: &str| {
        let parts: Option<Vec<[String; 2]>> = sample.values(column).map(|value| halves(value, between)).collect();
        parts.filter(|parts| !parts.is_empty()).is_some_and(|parts| {
            let second: BTreeSet<&String> = parts.iter().map(|[_, second]| second).collect();
            between.trim().len() > 1 || parts.iter().any(|[first, _]| second.contains(first))
        })
    };
    if let Some(column) = columns().find(|&column| BETWEEN.iter().any(|between| holds(column, between))) {
        let name = shortened(&header.columns[column]);
        return Some(Lead::new(format!("\"{name}\" holds both items: make it two columns, one for each")));
    }
    let ballot = |value: &str| value.split('>').filter(|name| !name.trim().is_empty()).count() > 1;
    // Two names are rather those of sides, and a name with a mark is no header.
    let several = |column: usize| {
        let names = sample.values(column).flat_map(|value| value.split(['>', '='])).map(str::trim);
        names.collect::<BTreeSet<_>>().len() > 2 && !header.columns[column].contains('>')
    };
    let ballots = |&column: &usize| several(column) && sample.values(column).all(ballot);
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
    // Beside what would be right, they tell whether a judge was.
    let (left, right) = items.filter(|_| header.gold().is_none())?;
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
    let judges: Vec<usize> = series(header).into_iter().flatten().collect();
    let twin = |&(first, second): &(usize, usize)| {
        (about(first), about(second)) == (Some(Answer::Left), Some(Answer::Right))
            && !judges.contains(&first)
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

/// Whether a word of a name is a number or a letter.
fn is_counting(word: &str) -> bool {
    word.parse::<u64>().is_ok() || word.chars().count() == 1
}

/// Columns whose names differ in nothing but a number or a letter, three or more of them, in their order.
fn series(header: &Header<'_>) -> Vec<Vec<usize>> {
    let mut alike: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
    for (column, words) in header.words.iter().enumerate().filter(|(_, words)| words.len() > 1) {
        if let Some(at) = words.iter().rposition(|word| is_counting(word)) {
            let mut stem = words.clone();
            stem[at].clear();
            alike.entry(stem).or_default().push(column);
        }
    }
    alike.into_values().filter(|columns| columns.len() > 2).collect()
}

/// Names of columns for a flag that takes several.
fn joined(header: &Header<'_>, columns: &[usize]) -> String {
    columns.iter().map(|&column| shortened(&header.columns[column])).collect::<Vec<_>>().join(",")
}

/// The answers of several judges beside each other.
fn of_several_judges(header: &Header<'_>, sample: &Sample, items: Option<(usize, usize)>) -> Option<Lead> {
    let (left, right) = items?;
    let numbers = |columns: &Vec<usize>| columns.iter().all(|&c| infer::numbers(sample, c));
    let free = |columns: &Vec<usize>| !columns.contains(&left) && !columns.contains(&right);
    let judges = series(header).into_iter().find(|columns| free(columns) && numbers(columns))?;
    let said = format!(
        "\"{}\" are named alike, as the columns of several judges are: write a row for each judge",
        joined(header, &judges).replace(',', "\", \"")
    );
    let first = judges[0];
    Some(if codes(header, sample, first).is_some() {
        let name = shortened(&header.columns[first]);
        let columns = Columns { winner: Some(header.columns[first].clone()), ..Columns::default() };
        Lead::columns(format!("{said}; for the first of them alone say --winner \"{name}\""), columns)
    } else {
        Lead::new(said)
    })
}

/// Whether columns hold the items of each row's ranking: names, nearly never one of them twice in a row, and the same
/// ones in the first place and in the second.
fn are_places(sample: &Sample, columns: &[usize]) -> bool {
    let different = |row: &&Vec<String>| {
        let named: Vec<&String> = columns.iter().map(|&c| &row[c]).filter(|value| !is_missing(value)).collect();
        named.iter().collect::<BTreeSet<_>>().len() == named.len()
    };
    !columns.iter().any(|&c| infer::numbers(sample, c))
        && 20 * sample.rows.iter().filter(different).count() >= 19 * sample.rows.len()
        && !sample.distinct(columns[0]).is_disjoint(&sample.distinct(columns[1]))
}

/// Items in columns that are numbered like places: `vote_1`, `vote_2`, `vote_3`.
fn places(header: &Header<'_>, sample: &Sample) -> Option<Lead> {
    // The elements of a list that have parts are in no order.
    let last = |column: &usize| header.words[*column].last().is_some_and(|word| is_counting(word));
    let found = series(header).into_iter().find(|columns| columns.iter().all(last) && are_places(sample, columns))?;
    let names = joined(header, &found);
    let columns: Vec<String> = found.iter().map(|&column| header.columns[column].clone()).collect();
    let said =
        format!("If each row is a judge's ranking, the best first, say --rows places --item-columns \"{names}\"");
    Some(Lead::rows(said, RowKind::Places, &columns, None))
}

/// One item a row, with its numbers in several contests or from several judges: a column of names, each once, that is
/// not called a judge's, and numbers in columns of one series.
fn one_row_an_item(header: &Header<'_>, sample: &Sample) -> Option<Lead> {
    let named = |&column: &usize| {
        let distinct = sample.distinct(column);
        let text = distinct.iter().all(|value| decimal(value).is_none());
        text && distinct.len() == sample.rows.len() && sample.rows.len() > 2 && header.voter() != Some(column)
    };
    let item = (0..header.columns.len()).find(named)?;
    let numbers = |columns: &Vec<usize>| columns.iter().all(|&c| infer::numbers(sample, c));
    let results = series(header).into_iter().find(numbers)?;
    Some(Lead::new(format!(
        "If each row is an item, \"{}\", with its numbers in {}, write a row for each of these (the contest or judge, the item, its rank \
         or rating) and say --rows long-ranks or --rows long-ratings",
        shortened(&header.columns[item]),
        list(&results.iter().map(|&c| header.columns[c].clone()).collect::<Vec<_>>())
    )))
}

/// Percents of each side, which do not tell how many votes there were.
fn shares(header: &Header<'_>, sample: &Sample, items: Option<(usize, usize)>) -> Option<Lead> {
    let (left, right) = items?;
    let percents = |column: usize| {
        let percent = |value: &str| value.strip_suffix('%').is_some_and(|value| decimal(value.trim_end()).is_some());
        sample.values(column).next().is_some() && sample.values(column).all(percent)
    };
    let about = |column: usize| side(&header.words[left], &header.words[right], &header.words[column], true);
    let of = |side: Answer| (0..header.columns.len()).find(|&c| percents(c) && about(c) == Some(side));
    let [a, b] = [of(Answer::Left)?, of(Answer::Right)?].map(|column| shortened(&header.columns[column]));
    Some(Lead::new(format!(
        "\"{a}\" and \"{b}\" are shares: multiply each by the number of votes of its row, and name them with --left-wins and --right-wins"
    )))
}

/// Whether some column names what columns of numbers are about, so that they are measured and not rated: `choice`
/// beside `cost.car`, `cost.bus`.
fn are_chosen_from(header: &Header<'_>, sample: &Sample, columns: &[usize]) -> bool {
    let things: BTreeSet<&String> = columns.iter().filter_map(|&column| header.words[column].last()).collect();
    let chooses = |column: usize| {
        let distinct = sample.distinct(column);
        distinct.len() > 1 && distinct.iter().all(|value| things.contains(&value.to_lowercase()))
    };
    (0..header.columns.len()).any(|column| !columns.contains(&column) && chooses(column))
}

/// One judge a row with a number for every item.
fn ratings(header: &Header<'_>, sample: &Sample, items: Option<(usize, usize)>) -> Option<Lead> {
    let columns = || (0..header.columns.len()).filter(|&column| infer::numbers(sample, column));
    // Where the names of the items are twins and no third comes next, or the numbers measure something, nobody has
    // rated.
    let told = items.is_some_and(|(l, r)| {
        let next = header.next((l, r)).into_iter().any(|column| infer::numbers(sample, column));
        twins(&header.words[l], &header.words[r]) == Some(Opposite::Sides) && !next
    });
    let measured = columns().filter(|&column| is_measure(&header.words[column])).count();
    if told || columns().count() < 3 || 2 * measured > columns().count() {
        return None;
    }
    let free: Vec<usize> = columns().filter(|&column| header.voter() != Some(column)).collect();
    let rated = judged::rated(header.columns, sample, &free)?;
    let items: Vec<String> = rated.iter().map(|&column| header.columns[column].clone()).collect();
    // Where 1 is in every row and nothing beyond the number of items, they are ranks, some of them level.
    let rank = |value: &str| decimal(value).is_some_and(|x| (1.0..=items.len() as f64).contains(&x));
    let best = |row: &Vec<String>| rated.iter().any(|&column| decimal(&row[column]) == Some(1.0));
    let ranks = sample.rows.iter().all(best) && rated.iter().all(|&column| sample.values(column).all(rank));
    let (kind, word, other) = if ranks {
        (RowKind::Ranks, "ranks", "1 is the best; where the highest is, --rows ratings")
    } else {
        (RowKind::Ratings, "ratings", "the highest is the best; where 1 is the best, --rows ranks")
    };
    let said = format!(
        "If each row is a judge with a number for every item, say --rows {word} --item-columns \"{}\" ({other})",
        items.iter().map(|name| shortened(name)).collect::<Vec<_>>().join(",")
    );
    (items.len() > 2 && !are_chosen_from(header, sample, &free)).then(|| Lead::rows(said, kind, &items, None))
}
