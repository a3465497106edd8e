//! Tables that are not one vote a row: a matrix of wins, rankings of one judge a row, ranks of one item a row, one
//! column a pair, or a whole ranking in one cell.

pub(crate) mod ballots;
mod best_worst;
mod contests;
pub(crate) mod judged;
mod long;
mod matrix;
pub(crate) mod places;
mod promptfoo;
mod read;
mod turned;

use crate::error::{Error, Result, shortened};
use crate::layout::header::Header;
use crate::layout::{Columns, list, unused};
use crate::rankings::Ranking;
use crate::sample::{Sample, is_missing};
use crate::table::{bracketed, decimal};
pub(crate) use long::chosen;
pub(crate) use matrix::is_total;
use places::{ENDINGS, ORDINALS};
use std::collections::HashSet;

/// What the rows of a table are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowKind {
    /// Each row is a vote on a pair.
    #[default]
    Pairs,
    /// Items, with how often each won against the item of each column.
    Matrix,
    /// Judges, with the rank of each column's item: 1 is the best.
    Ranks,
    /// Judges, with the rating of each column's item: the highest is the best.
    Ratings,
    /// Judges, with the item that they put into each column's place.
    Places,
    /// Judges, with their whole ranking in one column: `ash > birch = cedar`.
    Ballots,
    /// A judge, an item and its rank: 1 is the best.
    LongRanks,
    /// A judge, an item and its rating: the highest is the best.
    LongRatings,
    /// Judges, with the answer to each column's pair.
    Contests,
    /// Items that were shown together, and which of them was chosen as the best and which as the worst.
    BestWorst,
    /// One of the items that were shown together, and whether it was chosen: 1 if it was, 0 if not, -1 if it was the
    /// worst.
    Choices,
}

/// A table that is not one vote a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Wide {
    pub(crate) kind: RowKind,
    /// The columns of items or places, in their order.
    pub(crate) columns: Vec<usize>,
    /// In a matrix, the column that names the row's item; rows are in the order of the columns where there is none.
    pub(crate) names: Option<usize>,
    /// The judge, and how many judges a row stands for.
    pub(crate) voter: Option<usize>,
    pub(crate) count: Option<usize>,
    /// In a long table: what tells apart several tasks of one judge.
    pub(crate) task: Option<usize>,
    /// Where columns are pairs: what stands between their names. Where ballots are counted: what stands behind the
    /// count; where they are lists: what stands between their items.
    between: Option<&'static str>,
    /// In a matrix whose columns are numbered like its rows: the items' names. Where the best and the worst are told by
    /// letters or numbers of columns: those of the items' columns.
    item_names: Option<Vec<String>>,
}

/// How a wide table is to be understood.
#[derive(Clone, Debug, Default)]
pub struct WideOptions {
    /// What the rows are; told by header and values otherwise.
    pub rows: Option<RowKind>,
    /// The columns of items or places; all that are not something else otherwise.
    pub columns: Vec<String>,
    /// In a long table, the column that tells apart several rankings or choices of one judge.
    pub task: Option<String>,
    /// Whether the items of a matrix' columns won, rather than those of its rows; of ranks and ratings, whether rows
    /// are items and columns judges.
    pub transpose: bool,
}

impl Wide {
    /// All readings of a table as one of these: as what was said, or else as all that header and values tell.
    pub(crate) fn all(
        header: &Header<'_>,
        sample: &Sample,
        options: &WideOptions,
        pairs: &Columns,
    ) -> Result<Vec<Self>> {
        let table = Unread::new(header, sample, options, pairs)?;
        let Some(kind) = options.rows else {
            return Ok(KINDS.iter().filter_map(|kind| (kind.find)(&table)).filter(Self::has_columns).collect());
        };
        let Some(kind) = KINDS.iter().find(|known| known.rows == kind) else { return Ok(Vec::new()) };
        let found = (kind.find)(&table).ok_or_else(|| Error::file(header.file, kind.needs))?;
        if !found.has_columns() {
            let what = format!("has {} columns of items or places, and at least 2 are needed", found.columns.len());
            return Err(Error::file(header.file, what));
        }
        Ok(vec![found])
    }

    fn has_columns(&self) -> bool {
        self.columns.len() > 1 || self.kind == RowKind::Ballots
    }

    /// The columns whose values are read, in their order.
    pub(crate) fn used(&self) -> Vec<usize> {
        self.columns.iter().copied().chain(self.names).chain(self.voter).chain(self.count).chain(self.task).collect()
    }

    /// The names of the items, where the header has them.
    pub(crate) fn items(&self, columns: &[String]) -> Vec<String> {
        if matches!(self.kind, RowKind::Places | RowKind::Ballots | RowKind::BestWorst | RowKind::Choices) {
            Vec::new()
        } else if let Some(names) = &self.item_names {
            names.clone()
        } else {
            let names = || self.columns.iter().map(|&c| columns[c].as_str());
            let inner: HashSet<&str> = names().filter_map(bracketed).collect();
            let all = inner.len() == self.columns.len();
            let number = |at: usize| (self.columns[at] + 1).to_string();
            let own = |(at, name): (usize, &str)| if name.is_empty() { number(at) } else { name.to_owned() };
            names().map(|name| bracketed(name).filter(|_| all).unwrap_or(name)).enumerate().map(own).collect()
        }
    }

    /// What was detected, in words; `further` columns are used besides.
    pub(crate) fn describe(&self, columns: &[String], transpose: bool, extra: &[usize]) -> String {
        let names: Vec<String> = self.columns.iter().map(|&c| columns[c].clone()).collect();
        let mut text = match self.kind {
            RowKind::Matrix if transpose => {
                "a matrix of wins: each number says how often the column's item beat the row's".to_owned()
            }
            RowKind::Matrix => {
                "a matrix of wins: each number says how often the row's item beat the column's (if it is the other \
                             way round: --transpose)"
                    .to_owned()
            }
            RowKind::Ranks | RowKind::Ratings if transpose => {
                let best = if self.kind == RowKind::Ranks { "rank: 1" } else { "rating: the highest" };
                return format!("one row an item, one column a judge, with its {best} is the best");
            }
            RowKind::Ranks => {
                "one row a judge, one column an item, with its rank: 1 is the best (if high numbers are better: \
                            --rows ratings)"
                    .to_owned()
            }
            RowKind::Ratings => {
                "one row a judge, one column an item, with its rating: the highest is the best".to_owned()
            }
            RowKind::LongRanks => {
                format!(
                    "one row a judge and an item, item = \"{}\", with its rank in \"{}\": 1 is the best (if high \
                     numbers are better: --rows long-ratings)",
                    names[0], names[1]
                )
            }
            RowKind::LongRatings => {
                format!(
                    "one row a judge and an item, item = \"{}\", with its rating in \"{}\": the highest is the best \
                     (if 1 is the best: --rows long-ranks)",
                    names[0], names[1]
                )
            }
            RowKind::Choices => format!(
                "one row an item of several to choose from, item = \"{}\", chosen = \"{}\"{}: what was chosen won \
                 against all others of its \
                 task, and they against what was the worst",
                shortened(&names[0]),
                shortened(&names[1]),
                names.get(2).map_or_else(String::new, |worst| format!(", worst = \"{}\"", shortened(worst)))
            ),
            RowKind::Contests => format!("one row a judge, one column a pair: {}", list(&names)),
            RowKind::BestWorst => {
                let (chosen, shown) = (&names[names.len() - 2..], &names[..names.len() - 2]);
                format!(
                    "one row a choice among {}: \"{}\" won against all others, and they against \"{}\"",
                    list(shown),
                    shortened(&chosen[0]),
                    shortened(&chosen[1])
                )
            }
            RowKind::Ballots => {
                format!("one row a judge, with a ranking in \"{}\", the best first", shortened(&names[0]))
            }
            RowKind::Places | RowKind::Pairs => {
                format!("one row a judge, with the items in their places: {}", list(&names))
            }
        };
        for (what, column) in [("voter", self.voter), ("count", self.count), ("task", self.task)] {
            text.extend(column.map(|column| format!(", {what} = \"{}\"", shortened(&columns[column]))));
        }
        text + &unused(columns, &[self.used().as_slice(), extra].concat())
    }

    /// The ranking that a row of ranks or ratings gives, by the position of the item's column, or the field at fault.
    pub(crate) fn ranking(&self, fields: &[String]) -> std::result::Result<Ranking, (usize, String)> {
        let mut levels: Vec<(f64, usize)> = Vec::new();
        for (at, field) in fields[..self.columns.len()].iter().enumerate().filter(|(_, field)| !is_missing(field)) {
            let number = ordinal(field).filter(|x| x.is_finite());
            let number = number.ok_or_else(|| (at, "is no rank or rating: expected a number".to_owned()))?;
            levels.push((if self.kind == RowKind::Ratings { -number } else { number }, at));
        }
        // All are finite, so that they can be compared; level items stay in the order of their columns.
        levels.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(std::cmp::Ordering::Equal));
        let groups = levels.chunk_by(|a, b| a.0 == b.0).map(|group| group.iter().map(|&(_, at)| at).collect());
        Ok(Ranking { copies: 1.0, groups: groups.collect() })
    }
}

/// A table of which it is not known yet what its rows are.
struct Unread<'t> {
    columns: &'t [String],
    sample: &'t Sample,
    /// The columns that were said to be the items, and those that are not something else.
    given: Vec<usize>,
    free: Vec<usize>,
    /// Whether the user has said what rows are.
    told: bool,
    voter: Option<usize>,
    count: Option<usize>,
    task: Option<usize>,
}

impl<'t> Unread<'t> {
    fn new(header: &Header<'t>, sample: &'t Sample, options: &WideOptions, pairs: &Columns) -> Result<Self> {
        let (file, columns) = (header.file, header.columns);
        let (voter, count) = crate::layout::voter_and_count(file, columns, pairs)?;
        let given =
            options.columns.iter().map(|name| header.named("--item-columns", name)).collect::<Result<Vec<_>>>()?;
        let is_long = matches!(options.rows, Some(RowKind::LongRanks | RowKind::LongRatings | RowKind::Choices));
        let what = if options.task.is_some() && !is_long {
            "--task goes with --rows long-ranks, long-ratings or choices"
        } else if options.transpose && options.rows.is_some_and(|rows| rows != RowKind::Matrix) {
            "--transpose goes with --rows matrix, ranks or ratings"
        } else if !given.is_empty() && options.rows.is_none() {
            "--item-columns needs --rows: matrix, ranks, ratings, places or ballots"
        } else {
            ""
        };
        if !what.is_empty() {
            return Err(Error::file(file, what));
        }
        let task = if is_long { crate::layout::task(file, columns, options.task.as_ref())? } else { None };
        let is_free = |&c: &usize| ![voter, count].contains(&Some(c)) && !is_aside(&columns[c]);
        let free = if given.is_empty() { (0..columns.len()).filter(is_free).collect() } else { given.clone() };
        Ok(Self { columns, sample, given, free, told: options.rows.is_some(), voter, count, task })
    }

    /// A reading of these columns.
    fn read_as(&self, kind: RowKind, columns: Vec<usize>) -> Wide {
        Wide { kind, columns, voter: self.voter, count: self.count, ..Wide::default() }
    }

    /// A long table, in which each row is about one item.
    fn long(&self, kind: RowKind) -> Option<Wide> {
        if !self.told {
            return long::find(kind, self);
        }
        let found = || long::columns(kind, self.columns, self.sample, self.voter).map_or_else(Vec::new, Vec::from);
        let columns = if self.given.is_empty() { found() } else { self.given.clone() };
        // The best and the worst may have a column each.
        let most = if kind == RowKind::Choices { 3 } else { 2 };
        let whole = self.voter.or(self.task).is_some() && (2..=most).contains(&columns.len());
        whole.then(|| Wide { task: self.task, ..self.read_as(kind, columns) })
    }

    /// Items in their places.
    fn places(&self) -> Option<Wide> {
        let found = places::find(self.columns, &self.free);
        if self.told {
            let named = self.given.is_empty() && found.len() > 1;
            return Some(self.read_as(RowKind::Places, if named { found } else { self.free.clone() }));
        }
        let text = found.iter().any(|&c| self.sample.values(c).any(|value| decimal(value).is_none()));
        // Two places and an answer are a pair.
        let mut others = self.free.iter().filter(|c| !found.contains(c));
        let pair = found.len() == 2 && others.any(|&c| crate::layout::is_called_answer(&self.columns[c]));
        (found.len() > 1 && text && !pair).then(|| self.read_as(RowKind::Places, found))
    }

    /// Whole rankings in one column.
    fn ballots(&self) -> Option<Wide> {
        let only = || if let [column] = self.free[..] { Some(column) } else { None };
        let told = self.given.first().copied().or_else(only).filter(|_| self.told);
        let column = told.or_else(|| ballots::find(self.columns, self.sample, &self.free))?;
        let between = ballots::between(self.sample, column);
        Some(Wide { between, ..self.read_as(RowKind::Ballots, vec![column]) })
    }

    /// A number for every item: those that were named, or all columns of numbers; where nothing was said, ranks that
    /// make a ranking of nearly every row.
    fn numbers(&self, kind: RowKind) -> Option<Wide> {
        let mut columns = self.free.clone();
        if !self.told {
            columns.retain(|&c| !is_of_another(self.columns, self.sample, c));
            return ranks(self.sample, &columns).map(|columns| self.read_as(kind, columns));
        }
        if self.given.is_empty() {
            columns.retain(|&c| self.sample.values(c).all(|v| decimal(v).is_some_and(f64::is_finite)));
        }
        Some(self.read_as(kind, columns))
    }
}

/// A kind of rows: the reading of a table as such, where that was said or header and values tell; and what it needs.
struct Kind {
    rows: RowKind,
    find: fn(&Unread<'_>) -> Option<Wide>,
    needs: &'static str,
}

/// What is said of a long table without its columns.
const LONG: &str = "needs a judge or a task, an item and its rank, its rating or whether it was chosen: name them with \
    --voter, --task and --item-columns ITEM,RANK (or ITEM,BEST,WORST)";

/// All kinds of rows, those first that hardly any other table looks like.
const KINDS: &[Kind] = &[
    Kind {
        rows: RowKind::BestWorst,
        find: |table| {
            let (columns, item_names) = best_worst::find(table.columns, table.sample, &table.free)?;
            Some(Wide { item_names, ..table.read_as(RowKind::BestWorst, columns) })
        },
        needs: "--rows best-worst needs columns called best and worst (or most and least) that repeat two of at least \
                three columns of items with numbers or letters, such as item1,item2,item3,best,worst",
    },
    Kind {
        rows: RowKind::Matrix,
        find: |table| {
            let told = || table.told.then(|| table.read_as(RowKind::Matrix, table.free.clone()));
            matrix::find(table.columns, table.sample).or_else(told)
        },
        needs: "",
    },
    Kind {
        rows: RowKind::Choices,
        find: |table| {
            if table.told { table.long(RowKind::Choices) } else { promptfoo::find(table.columns, table.sample) }
        },
        needs: LONG,
    },
    Kind { rows: RowKind::LongRanks, find: |table| table.long(RowKind::LongRanks), needs: LONG },
    Kind { rows: RowKind::LongRatings, find: |table| table.long(RowKind::LongRatings), needs: LONG },
    Kind {
        rows: RowKind::Contests,
        find: |table| {
            let (columns, between) = contests::find(table.columns, table.sample, &table.free, table.told)?;
            Some(Wide { between: Some(between), ..table.read_as(RowKind::Contests, columns) })
        },
        needs: "--rows contests needs columns named after two items each, such as ash-birch, ash-cedar, birch-cedar",
    },
    Kind { rows: RowKind::Places, find: |table| table.places(), needs: "" },
    Kind {
        rows: RowKind::Ballots,
        find: |table| table.ballots(),
        needs: "--rows ballots needs a column of rankings such as ash > birch = cedar: name it with --item-columns",
    },
    Kind { rows: RowKind::Ranks, find: |table| table.numbers(RowKind::Ranks), needs: "" },
    Kind {
        rows: RowKind::Ratings,
        // Any numbers may be ratings.
        find: |table| if table.told { table.numbers(RowKind::Ratings) } else { None },
        needs: "",
    },
];

/// Whether a column is called something that is said about a row, such as its number, rather than an item.
pub(crate) fn is_aside(name: &str) -> bool {
    const ASIDE: [&str; 18] = [
        "id",
        "index",
        "row",
        "trial",
        "session",
        "round",
        "block",
        "page",
        "order",
        "seed",
        "age",
        "year",
        "date",
        "time",
        "timestamp",
        "duration",
        "seconds",
        "rt",
    ];
    let words = crate::layout::words(name);
    // `trial`, `trial_id`, `session no`, `age_years`; but `time_machine` may be an item.
    let said = |word: &String| {
        ASIDE.contains(&word.as_str()) || ["no", "nr", "number", "num", "years", "ms"].contains(&word.as_str())
    };
    words.iter().any(|word| ASIDE.contains(&word.as_str())) && words.iter().all(said)
}

/// A rank or a rating, which forms also write as `2nd`, `Second` or `Rank 2`.
fn ordinal(value: &str) -> Option<f64> {
    decimal(value).or_else(|| {
        let words = crate::layout::words(value);
        match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            [word] | [word, "choice" | "place"] => {
                ORDINALS.iter().position(|known| known == word).map(|at| (at + 1) as f64)
            }
            [number, ending] | [number, ending, "choice" | "place"] if ENDINGS.contains(ending) => number.parse().ok(),
            ["rank" | "choice" | "place", number] => number.parse().ok(),
            _ => None,
        }
    })
}

/// Whether a number stands beside a name in the same element of a list, and so is that one's: `answers.0.score` beside
/// `answers.0.model`.
fn is_of_another(columns: &[String], sample: &Sample, column: usize) -> bool {
    let number = |part: &str| part.parse::<usize>().is_ok();
    let element = columns[column].rsplit_once('.').map(|(element, _)| element);
    let element = element.filter(|element| element.rsplit_once('.').is_some_and(|(_, last)| number(last)));
    let beside = |name: &str| name.rsplit_once('.').map(|(element, _)| element) == element;
    let named = |c: usize| sample.values(c).any(|value| decimal(value).is_none());
    element.is_some() && (0..columns.len()).any(|c| c != column && beside(&columns[c]) && named(c))
}

/// The columns that in nearly every row hold the numbers from 1 on, each once; at least three of them. In a row that
/// leaves items out their ranks may be missing too, as long as most rows miss none.
fn ranks(sample: &Sample, free: &[usize]) -> Option<Vec<usize>> {
    let whole = |value: &str| ordinal(value).filter(|x| *x >= 1.0 && x.fract() == 0.0).map(|x| x as usize);
    let mut columns: Vec<usize> = free.to_vec();
    columns.retain(|&c| sample.values(c).next().is_some() && sample.values(c).all(|value| whole(value).is_some()));
    // What goes beyond the number of columns is no rank; fewer columns may rule out further ones.
    loop {
        let most = columns.len();
        columns.retain(|&c| sample.values(c).all(|value| whole(value).is_some_and(|rank| rank <= most)));
        if columns.len() == most {
            break;
        }
    }
    let ranking = |row: &Vec<String>| {
        let mut seen = HashSet::new();
        let ranks: Vec<usize> = columns.iter().filter_map(|&c| whole(&row[c])).collect();
        ranks.iter().all(|rank| seen.insert(rank)).then(|| ranks.iter().all(|&rank| rank <= ranks.len()))
    };
    let rankings: Vec<bool> = sample.rows.iter().filter_map(ranking).collect();
    let most = 2 * rankings.iter().filter(|whole| **whole).count() > sample.rows.len();
    (columns.len() > 2 && sample.rows.len() > 1 && most && rankings.len() * 20 >= sample.rows.len() * 19)
        .then_some(columns)
}
