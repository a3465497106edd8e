//! Tables in which a row is what a judge, a contest or a task says about one item.

use super::super::reading::Interpretation;
use super::Evidence::{Called, Fits, Only};
use super::{Candidate, Table, looks};
use crate::layout::Columns;
use crate::layout::answer_columns::POINTS;
use crate::layout::twins::{Opposite, twins};
use crate::outcome::is_result;
use crate::table::decimal;
use crate::when::When;
use crate::wide::{RowKind, WideOptions, chosen, is_aside};
use std::collections::{BTreeMap, BTreeSet};

/// Words of columns of places, and of columns of ratings beside those of points.
const PLACES: &[&str] =
    &["rank", "place", "pos", "position", "finish", "finished", "placing", "standing", "platz", "rang", "puesto"];
/// Words of columns in which the lowest number is the best, where nothing tells the place.
const TIMES: &[&str] = &["time", "seconds", "strokes"];
const RATINGS: &[&str] = &["rating", "stars", "grade", "liking", "overall", "mark"];
/// The most columns that are looked at, alone and every two of them.
const MOST: usize = 40;
const FEW: usize = 8;

/// What tells the rankings or choices apart: a column, or the judge's and that of the judge's tasks.
#[derive(Clone, Copy)]
struct Key {
    judge: usize,
    task: Option<usize>,
}

/// A column, or two of the best and of the worst, and what they say.
type Judgement = (RowKind, Vec<usize>);

/// The readings of a table as one item a row, for what most likely tells rankings and items apart: choices before ranks
/// before ratings; of ranks those of which no two in a ranking are level.
pub(super) fn candidates(table: &Table<'_>) -> Vec<Candidate> {
    let found = if table.items.is_some() { Vec::new() } else { table.keys_and_items() };
    let readings = found.into_iter().map(|(key, item)| (key, item, table.judgements(key, item)));
    let weight = |(key, _, said): &(Key, usize, Vec<Judgement>)| {
        let kinds = said.iter().map(|(kind, columns)| match kind {
            RowKind::Choices => 0,
            RowKind::LongRanks if table.is_strict(*key, columns[0]) => 1,
            RowKind::LongRanks => 2,
            _ => 3,
        });
        kinds.min()
    };
    let mut found: Vec<(Key, usize, Vec<Judgement>)> = readings.filter(|(.., said)| !said.is_empty()).collect();
    // The first of equals stays first.
    found.sort_by_key(weight);
    let Some((best, first, _)) = found.first().map(|(key, item, said)| (*key, *item, said)) else { return Vec::new() };
    let least = weight(&found[0]);
    // Where rows are the same rankings, nobody can tell which of two columns of names has the items.
    let as_good = |(key, item, _): &&(Key, usize, Vec<Judgement>)| {
        (key.judge, key.task) == (best.judge, best.task) && (*item == first || !table.numbers(*item))
    };
    let equal = found.iter().take_while(|one| weight(one) == least).filter(as_good).take(2);
    let said = |(key, item, said): &(Key, usize, Vec<Judgement>)| {
        said.iter().map(|(kind, columns)| table.long(*kind, *key, *item, columns)).collect::<Vec<_>>()
    };
    equal.flat_map(said).collect()
}

impl Table<'_> {
    fn first_columns(&self) -> std::ops::Range<usize> {
        0..self.header.columns.len().min(MOST)
    }

    fn distinct(&self, column: usize) -> usize {
        self.sample.distinct(column).len()
    }

    /// Whether a column holds numbers, but for those who did not finish.
    fn mostly_numbers(&self, column: usize) -> bool {
        let numbers = self.sample.values(column).filter(|value| decimal(value).is_some()).count();
        numbers > 0 && 10 * numbers >= 9 * self.sample.values(column).count()
    }

    /// The rows of each ranking or choice.
    fn groups(&self, key: Key) -> Vec<Vec<&Vec<String>>> {
        let mut groups: BTreeMap<[&str; 2], Vec<&Vec<String>>> = BTreeMap::new();
        for row in &self.sample.rows {
            groups.entry([&row[key.judge], key.task.map_or("", |task| &row[task])]).or_default().push(row);
        }
        groups.into_values().collect()
    }

    /// Whether no two ranks of a ranking are level.
    fn is_strict(&self, key: Key, rank: usize) -> bool {
        let different = |group: &Vec<&Vec<String>>| {
            let ranks: Vec<&String> =
                group.iter().map(|row| &row[rank]).filter(|rank| decimal(rank).is_some()).collect();
            ranks.iter().collect::<BTreeSet<_>>().len() == ranks.len()
        };
        let groups = self.groups(key);
        20 * groups.iter().filter(|group| different(group)).count() >= 19 * groups.len()
    }

    /// What may tell rankings apart, and what may be the items: these come again, never twice in one ranking, and
    /// mostly stand behind.
    fn keys_and_items(&self) -> Vec<(Key, usize)> {
        let rows = self.sample.rows.len();
        let result = |c: usize| self.sample.values(c).all(|value| chosen(value).is_some() || is_result(value));
        let says = |c: usize| [PLACES, POINTS, RATINGS].iter().any(|known| self.has(c, known));
        let voter = self.header.voter();
        let comes_again = |c: usize| self.distinct(c) > 1 && 2 * self.distinct(c) <= rows;
        let again: Vec<usize> =
            self.first_columns().filter(|&c| (comes_again(c) || Some(c) == voter) && !says(c)).collect();
        // Days and pairs are no items.
        let day = |c: usize| self.sample.values(c).all(|value| When::read(value).is_some());
        let other = |c: usize| result(c) || day(c) || Some(c) == voter || looks::holds_both(self, c);
        let named = |c: usize| !self.numbers(c) && !other(c);
        let mut items: Vec<usize> = again.iter().rev().copied().filter(|&c| named(c)).collect();
        // Numbers that are called so stand for items.
        let numbered = |c: usize| {
            self.header.words[c].last().is_some_and(|word| word == "id") && self.numbers(c) && Some(c) != voter
        };
        items.extend(again.iter().rev().copied().filter(|&c| numbered(c)));
        // A column that is called so comes first.
        let first = |called: Option<usize>| -> Vec<usize> {
            called.into_iter().chain(again.iter().copied().filter(|&c| Some(c) != called)).collect()
        };
        let (judges, tasks) = (first(self.header.voter()), first(self.header.task()));
        let once = |key: Key, item: usize| {
            let different = |group: &Vec<&Vec<String>>| {
                group.iter().map(|row| &row[item]).collect::<BTreeSet<_>>().len() == group.len()
            };
            let groups = self.groups(key);
            2 * groups.len() <= rows && groups.iter().all(different)
        };
        let fits = |&(key, item): &(Key, usize)| {
            key.judge != item && ![Some(item), Some(key.judge)].contains(&key.task) && once(key, item)
        };
        let alone = |&item: &usize| tasks.iter().map(move |&judge| (Key { judge, task: None }, item));
        let found: Vec<(Key, usize)> = items.iter().flat_map(alone).filter(fits).collect();
        if !found.is_empty() {
            return found;
        }
        let both = |&item: &usize| {
            let tasks = &tasks;
            let key = move |&judge: &usize| tasks.iter().take(FEW).map(move |&t| Key { judge, task: Some(t) });
            judges.iter().take(FEW).flat_map(key).map(move |key| (key, item))
        };
        items.iter().take(FEW).flat_map(both).find(fits).into_iter().collect()
    }

    /// The columns that may say how items did: one that chooses, and one of ranks or ratings.
    fn judgements(&self, key: Key, item: usize) -> Vec<Judgement> {
        let groups = self.groups(key);
        let free = || self.first_columns().filter(move |&c| c != key.judge && Some(c) != key.task && c != item);
        let chooses = |&column: &usize| {
            let known = self.sample.values(column).all(|value| chosen(value).is_some());
            let one = |group: &&Vec<&Vec<String>>| {
                let count = |wanted: f64| group.iter().filter(|row| chosen(&row[column]) == Some(wanted)).count();
                count(1.0) == 1 && count(-1.0) < 2 && group.len() > 1
            };
            known && 20 * groups.iter().filter(one).count() >= 19 * groups.len()
        };
        // What is nearly always the same for an item is no judgement of it.
        let own = |column: usize| {
            let mut values: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
            for row in &self.sample.rows {
                *values.entry(&row[item]).or_default().entry(&row[column]).or_default() += 1;
            }
            let usual: usize = values.values().filter_map(|counts| counts.values().max()).sum();
            20 * usual >= 19 * self.sample.rows.len()
        };
        let numbers = || free().filter(|&c| self.mostly_numbers(c) && self.distinct(c) > 1 && !own(c) && !chooses(&c));
        // `rank` before `rank_of_last_year`.
        let shortest =
            |known: &[&str]| numbers().filter(|&c| self.has(c, known)).min_by_key(|&c| self.header.words[c].len());
        // Whatever it is called: 1, 2, 3 … in every group.
        let places = |&c: &usize| {
            let ranking = |group: &Vec<&Vec<String>>| {
                let mut ranks: Vec<f64> = group.iter().filter_map(|row| decimal(&row[c])).collect();
                ranks.sort_by(f64::total_cmp);
                ranks.iter().zip(1_u32..).all(|(&rank, place)| rank == f64::from(place))
            };
            groups.iter().all(ranking) && groups.iter().any(|group| group.len() > 2)
        };
        let by_value = || numbers().find(places).filter(|_| shortest(POINTS).is_none() && !free().any(|c| chooses(&c)));
        let place = || shortest(PLACES).or_else(by_value).map(|c| (RowKind::LongRanks, c));
        let time = || shortest(TIMES).map(|c| (RowKind::LongRanks, c));
        let called = || shortest(POINTS).or_else(|| shortest(RATINGS)).map(|c| (RowKind::LongRatings, c));
        // What numbers the rows, has no name or counts them says nothing about the items.
        let aside = |c: usize| {
            let name = &self.header.columns[c];
            name.is_empty()
                || is_aside(name)
                || self.sample.numbers_rows(c)
                || (self.sample.rows.len() > MOST && self.distinct(c) == self.sample.rows.len())
                || self.header.count() == Some(c)
        };
        let other = || numbers().find(|&c| !aside(c) && key.task.is_none());
        let rating = || other().map(|c| (RowKind::LongRatings, c));
        let chosen: Vec<usize> = free().filter(chooses).take(FEW).collect();
        // The best, and the worst in a column of its own.
        let opposed = |&first: &usize| {
            let twin = |&&second: &&usize| {
                twins(&self.header.words[first], &self.header.words[second]) == Some(Opposite::Outcome)
            };
            chosen.iter().find(twin).map(|&second| vec![first, second])
        };
        let chosen = chosen.iter().find_map(opposed).or_else(|| chosen.first().map(|&c| vec![c]));
        let said = place().or_else(called).or_else(time).or_else(rating).map(|(kind, column)| (kind, vec![column]));
        chosen.map(|columns| (RowKind::Choices, columns)).into_iter().chain(said).collect()
    }

    fn long(&self, kind: RowKind, key: Key, item: usize, values: &[usize]) -> Candidate {
        // Choices of one kind of column are tasks, each with its own voter unless one is known.
        let (voter, task) = match (key.task, kind) {
            (None, RowKind::Choices) => (self.header.voter().filter(|&voter| voter != key.judge), Some(key.judge)),
            (task, _) => (Some(key.judge), task),
        };
        let of =
            |judge: &str| key.task.map_or_else(|| judge.to_owned(), |t| format!("{}\" of \"{judge}", self.name(t)));
        let when = format!("If each row tells how \"{}\" did in \"{}\"", self.name(item), of(&self.name(key.judge)));
        let reading = self.rows(kind, &[&[item], values].concat());
        let wide = WideOptions { task: task.map(|task| self.called(task)), ..reading.wide };
        let columns = Columns { voter: voter.map(|voter| self.called(voter)), ..Columns::default() };
        let evidence = match kind {
            RowKind::Choices => Fits,
            _ if [PLACES, POINTS, RATINGS, TIMES].iter().any(|known| self.has(values[0], known)) => Called,
            _ => Only,
        };
        Candidate::new(evidence, when, Interpretation { columns, wide, ..reading })
    }
}
