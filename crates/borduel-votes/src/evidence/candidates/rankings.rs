//! Tables in which a row is what a judge says about all items.

use super::super::reading::{Interpretation, Start};
use super::Evidence::{Called, Fits, Only};
use super::series::{is_counting, series};
use super::{Candidate, Table, long, looks};
use crate::layout::twins::{Opposite, is_measure, twins};
use crate::layout::{Columns, infer};
use crate::outcome::score;
use crate::sample::{Sample, is_missing};
use crate::table::{bracketed, decimal};
use crate::wide::{RowKind, WideOptions, ballots, judged};
use std::collections::BTreeSet;

/// Whether columns hold the items of each row's ranking: names, nearly never one of them twice in a row, and the same
/// ones in the first place and in the second.
fn are_places(sample: &Sample, columns: &[usize]) -> bool {
    let different = |row: &&Vec<String>| {
        let named: Vec<&String> = columns.iter().map(|&c| &row[c]).filter(|value| !is_missing(value)).collect();
        named.iter().collect::<BTreeSet<_>>().len() == named.len()
    };
    let scores = |&c: &usize| sample.values(c).all(|value| score(value).is_some());
    !columns.iter().any(|&c| infer::numbers(sample, c))
        && !columns.iter().all(scores)
        && 20 * sample.rows.iter().filter(different).count() >= 19 * sample.rows.len()
        && !sample.distinct(columns[0]).is_disjoint(&sample.distinct(columns[1]))
}

/// Whether other columns of one stem repeat these: names with numbers of their own are in no order.
fn are_repeated(table: &Table<'_>, columns: &[usize]) -> bool {
    let same = |other: &Vec<usize>| {
        let pairs = || columns.iter().zip(other);
        other.len() == columns.len()
            && other.as_slice() != columns
            && table.sample.rows.iter().all(|row| pairs().all(|(&a, &b)| row[a] == row[b]))
    };
    series(table.header).iter().any(same)
}

/// Items in columns that are numbered like places: `vote_1`, `vote_2`, `vote_3`.
pub(super) fn places(table: &Table<'_>) -> Vec<Candidate> {
    // The elements of a list that have parts are in no order.
    let last = |column: &usize| table.header.words[*column].last().is_some_and(|word| is_counting(word));
    let fits = |columns: &Vec<usize>| {
        columns.iter().all(last) && are_places(table.sample, columns) && !are_repeated(table, columns)
    };
    // `1`, `2`, `3` alone.
    let bare = |at: usize| table.header.columns.iter().position(|name| name.parse() == Ok(at));
    let bare: Vec<usize> = (1..).map_while(bare).collect();
    let named = table.given.start != Start::First;
    let is_ranking = |columns: &Vec<usize>| named && columns.len() > 2 && are_places(table.sample, columns);
    let found = series(table.header).into_iter().find(fits).or_else(|| Some(bare).filter(is_ranking));
    let when = || "If each row is a judge's ranking, the best first".to_owned();
    found.map(|found| Candidate::new(Fits, when(), table.rows(RowKind::Places, &found))).into_iter().collect()
}

/// What a table without a header may be, by the number of its columns.
pub(super) fn headless(columns: &[String], sample: &Sample, given: &Interpretation) -> Vec<Interpretation> {
    let number = |number: usize| Some(number.to_string());
    let rows = |rows: RowKind| Interpretation {
        wide: WideOptions { rows: Some(rows), ..WideOptions::default() },
        ..given.clone()
    };
    let pairs = |columns: Columns| Interpretation { columns, ..given.clone() };
    match columns.len() {
        0 => Vec::new(),
        1 => vec![rows(RowKind::Ballots)],
        2 => vec![pairs(Columns { winner: number(1), loser: number(2), ..Columns::default() })],
        several => {
            // The first row may be a header all the same.
            let places = are_places(&sample.below(1), &(0..several).collect::<Vec<_>>());
            let three = Columns { left: number(1), right: number(2), winner: number(3), ..Columns::default() };
            [pairs(three)].into_iter().chain(places.then(|| rows(RowKind::Places))).collect()
        }
    }
}

/// Whole rankings in one column.
pub(super) fn whole(table: &Table<'_>) -> Vec<Candidate> {
    let sample = table.sample;
    let ballot = |value: &str| value.split('>').filter(|name| !name.trim().is_empty()).count() > 1;
    // Two names are rather those of sides, and a name with a mark is no header.
    let several = |column: usize| {
        let names = sample.values(column).flat_map(|value| value.split(['>', '='])).map(str::trim);
        names.collect::<BTreeSet<_>>().len() > 2 && !table.header.columns[column].contains('>')
    };
    let holds =
        |column: usize| (several(column) && sample.values(column).all(ballot)) || ballots::are_lists(sample, column);
    let when = |column: usize| format!("If \"{}\" holds whole rankings, the best first", table.name(column));
    let one = |column: usize| Candidate::new(Fits, when(column), table.rows(RowKind::Ballots, &[column]));
    table.columns().find(|&column| table.items.is_none() && holds(column)).map(one).into_iter().collect()
}

/// Whether some column names what columns of numbers are about, so that they are measured and not rated: `choice`
/// beside `cost.car`, `cost.bus`.
fn are_chosen_from(table: &Table<'_>, columns: &[usize]) -> bool {
    let things: BTreeSet<&String> = columns.iter().filter_map(|&column| table.header.words[column].last()).collect();
    let chooses = |column: usize| {
        let distinct = table.sample.distinct(column);
        distinct.len() > 1 && distinct.iter().all(|value| things.contains(&value.to_lowercase()))
    };
    table.columns().any(|column| !columns.contains(&column) && chooses(column))
}

/// Whether columns of numbers may be of one scale: no largest number is many times another.
fn are_comparable(table: &Table<'_>, columns: &[usize]) -> bool {
    const FACTOR: f64 = 20.0;
    let most = |&column: &usize| table.sample.values(column).filter_map(decimal).map(f64::abs).fold(0.0, f64::max);
    let all = || columns.iter().map(most).filter(|most| *most > 0.0);
    all().fold(0.0, f64::max) <= FACTOR * all().fold(f64::INFINITY, f64::min)
}

/// One item a row, with its numbers in several contests or from several judges: a column of names, each once, that is
/// not called a judge's.
pub(super) fn turned(table: &Table<'_>) -> Vec<Candidate> {
    /// Words of columns that tell who answered, and not what was judged.
    const WHO: &[&str] =
        &["id", "email", "mail", "timestamp", "date", "time", "respondent", "response", "submission", "instruction"];
    let Table { header, sample, .. } = table;
    let named = judged::naming(sample, header.columns.len());
    let who = |item: usize| table.has(item, WHO) || header.is_called_context(item);
    let named = named.filter(|&item| header.voter().is_none() && !who(item) && sample.rows.len() > 2);
    let free: Vec<usize> = table.columns().filter(|&column| table.numbers(column)).collect();
    let numbers = |columns: &Vec<usize>| columns.iter().all(|column| free.contains(column));
    let judges = series(header).into_iter().find(numbers).or_else(|| judged::rated(header.columns, sample, &free));
    let other = looks::totals(table).is_some() || looks::both_in_one(table).is_some() || are_chosen_from(table, &free);
    let judges = judges.filter(|judges| !other && are_comparable(table, judges));
    let (Some(item), Some(judges)) = (named, judges) else { return Vec::new() };
    // Ranks are no more than there are items, each once.
    let rank = |value: &str| decimal(value).is_some_and(|x| (1.0..=sample.rows.len() as f64).contains(&x));
    let ranks = |&c: &usize| sample.values(c).all(rank) && sample.distinct(c).len() == sample.values(c).count();
    let names = judges.iter().map(|&c| table.name(c)).collect::<Vec<_>>().join(", ");
    let when = |best: &str| {
        format!("If each row is an item, \"{}\", with its numbers in {names}, and {best} is the best", table.name(item))
    };
    let [ranked, liked] = [RowKind::Ranks, RowKind::Ratings].map(|kind| {
        let reading = table.rows(kind, &judges);
        Interpretation { wide: WideOptions { transpose: true, ..reading.wide }, ..reading }
    });
    vec![if judges.iter().all(ranks) {
        Candidate::new(Fits, when("1"), ranked).or("if the highest is".to_owned(), liked)
    } else {
        Candidate::new(Called, when("the highest"), liked).or("if 1 is".to_owned(), ranked)
    }]
}

/// Where every item has several numbers, those that tell how it was liked: `Coffee A - Liking` beside `Coffee A -
/// Acidity`; none where nothing tells which.
fn one_aspect(table: &Table<'_>, rated: Vec<usize>) -> Vec<usize> {
    const LIKED: &[&str] = &["preference", "liking", "overall", "rating", "score", "like"];
    let inside = |columns: &Vec<usize>| columns.iter().all(|column| rated.contains(column));
    let aspects: Vec<Vec<usize>> = series(table.header).into_iter().filter(inside).collect();
    let liked = |columns: &&Vec<usize>| columns.iter().all(|&column| table.has(column, LIKED));
    if aspects.len() < 2 { rated } else { aspects.iter().find(liked).cloned().unwrap_or_default() }
}

/// Of columns of numbers those that a form asked for in one question, if there are such: `Rate [ash]`, `Rate [birch]`.
fn one_question(table: &Table<'_>, free: Vec<usize>) -> Vec<usize> {
    let question = |column: usize| {
        let name = &table.header.columns[column];
        bracketed(name).and_then(|_| name.rsplit_once('[')).map(|(question, _)| question)
    };
    let asked = |first: usize| free.iter().copied().filter(|&c| question(c) == question(first)).collect::<Vec<_>>();
    let most = free.iter().filter(|&&c| question(c).is_some()).map(|&c| asked(c)).max_by_key(Vec::len);
    most.filter(|columns| columns.len() > 1).unwrap_or(free)
}

/// One judge a row with a number for every item: ranks, or ratings.
pub(super) fn numbers(table: &Table<'_>) -> Vec<Candidate> {
    let Table { header, sample, .. } = table;
    let columns = || table.columns().filter(|&column| table.numbers(column));
    // Where the names of the items are twins and no third comes next, or the numbers measure something, nobody has
    // rated.
    let told = table.items.is_some_and(|(l, r)| {
        let next = header.next((l, r)).into_iter().any(|column| table.numbers(column));
        twins(&header.words[l], &header.words[r]) == Some(Opposite::Sides) && !next
    });
    let measured = columns().filter(|&column| is_measure(&header.words[column])).count();
    let free: Vec<usize> = columns().filter(|&column| header.voter() != Some(column)).collect();
    let free = one_question(table, free);
    let rated = one_aspect(table, judged::rated(header.columns, sample, &free).unwrap_or_default());
    let other = are_chosen_from(table, &free) || looks::totals(table).is_some() || !long::candidates(table).is_empty();
    if told || other || rated.len() < 3 || 2 * measured > columns().count() || !are_comparable(table, &rated) {
        return Vec::new();
    }
    // Where 1 is in every row and nothing beyond the number of items, they are ranks, some of them level.
    let rank = |value: &str| decimal(value).is_some_and(|x| (1.0..=rated.len() as f64).contains(&x));
    let best = |row: &Vec<String>| rated.iter().any(|&column| decimal(&row[column]) == Some(1.0));
    let ranks = sample.rows.iter().all(best) && rated.iter().all(|&column| sample.values(column).all(rank));
    let [ranked, liked] = [RowKind::Ranks, RowKind::Ratings].map(|kind| table.rows(kind, &rated));
    let when = |best: &str| format!("If each row is a judge with a number for every item, and {best} is the best");
    vec![if ranks {
        Candidate::new(Called, when("1"), ranked).or("if the highest is".to_owned(), liked)
    } else {
        Candidate::new(Only, when("the highest"), liked).or("if 1 is".to_owned(), ranked)
    }]
}
