//! The rows of wide tables into ballots: matrices, and one judge a row.

mod best_worst;
mod contests;
pub(super) mod long;

use super::ballots::{counted, groups};
use super::matrix::{is_blank, is_total, wins};
use super::{RowKind, Wide};
use crate::error::{Error, Result, RowError, shortened};
use crate::extra_columns::ExtraColumnsAt;
use crate::layout::header::Header;
use crate::rankings::{Incomplete, Ranking, Unranked};
use crate::read::{VoteReader, row_error};
use crate::row::amount;
use crate::sample::{Sample, is_missing};
use crate::shown::ranked;
use crate::spelling::{differs_in_form, folded};
use crate::table::{Table, are_shares};
use borduel_rank::ballots::Answer;
use std::collections::HashMap;

/// What judges have ranked so far.
struct Judges {
    items: Vec<u32>,
    incomplete: Incomplete,
    /// Rankings that wait until all items are known, with their lines and judges.
    waiting: Option<Vec<(u64, Ranking, Option<String>)>>,
}

impl VoteReader<'_> {
    /// Reads a matrix of wins or a table of rankings.
    pub(crate) fn read_wide(&mut self, file: &str, table: &mut dyn Table, wide: &Wide, sample: &Sample) -> Result<()> {
        table.select(&wide.used());
        let incomplete = match wide.kind {
            RowKind::Matrix => self.read_matrix(file, table, wide).map(|()| String::new())?,
            RowKind::LongRanks | RowKind::LongRatings | RowKind::Choices => self.read_long(file, table, wide)?,
            RowKind::Contests => self.read_contests(file, table, wide, sample)?,
            RowKind::BestWorst => self.read_best_worst(file, table, wide)?,
            _ => self.read_judges(file, table, wide)?,
        };
        let extra = &self.options().extra;
        let at = ExtraColumnsAt::of_rows(&Header::new(file, table.columns()), extra)?;
        let columns: Vec<usize> = at.only.iter().map(|(column, _)| *column).chain(at.by).collect();
        let text = wide.describe(table.columns(), self.options().wide.transpose, &columns);
        let besides = ExtraColumnsAt::describe(extra);
        self.note_shown(file, &format!("{}; {text}{besides}{incomplete}", table.kind()));
        Ok(())
    }

    fn read_judges(&mut self, file: &str, table: &mut dyn Table, wide: &Wide) -> Result<String> {
        let names = wide.items(table.columns());
        // What lost by being left out is known when all items are.
        let late = matches!(wide.kind, RowKind::Places | RowKind::Ballots) && self.options().unranked == Unranked::Last;
        let mut items = self.ranked_items(file, &names)?;
        if !late {
            self.add_unnamed(&mut items);
        }
        let mut judges = Judges { items, incomplete: Incomplete::default(), waiting: late.then(Vec::new) };
        let mut fields = vec![String::new(); wide.used().len()];
        loop {
            let outcome = match table.next(&mut fields) {
                Ok(false) => break,
                Ok(true) => self.add_judge(file, table, wide, &fields, &mut judges),
                Err(error) => Err(error),
            };
            self.fate(outcome, || table.raw())?;
        }
        let Judges { mut items, incomplete, waiting } = judges;
        if late {
            self.add_unnamed(&mut items);
        }
        for (line, ranking, voter) in waiting.into_iter().flatten() {
            self.add_ranking(&ranking, &items, voter.as_deref()).map_err(|what| row_error(file, line, what))?;
        }
        Ok(incomplete.describe(items.len(), self.options().unranked))
    }

    /// What is listed and was named by nobody was left out by everybody, where that matters.
    fn add_unnamed(&self, items: &mut Vec<u32>) {
        if self.options().unranked == Unranked::Last {
            let unnamed: Vec<u32> = (0..self.items_known_before()).filter(|item| !items.contains(item)).collect();
            items.extend(unnamed);
        }
    }

    fn add_judge(
        &mut self,
        file: &str,
        table: &dyn Table,
        wide: &Wide,
        fields: &[String],
        judges: &mut Judges,
    ) -> Result<()> {
        let fault = |at: usize, what: String| field_error(file, table, wide, fields, at, what);
        let (copies, ballot) = counted(&fields[0], wide.between).unwrap_or((1.0, fields[0].as_str()));
        let ranking = match wide.kind {
            RowKind::Places => {
                let places = fields[..wide.columns.len()].iter().enumerate().filter(|(_, field)| !is_no_choice(field));
                self.named(places.map(|(at, field)| (at, vec![field.as_str()])), &mut judges.items)
            }
            RowKind::Ballots if is_no_choice(&fields[0]) => Ok(Ranking { copies: 1.0, groups: Vec::new() }),
            RowKind::Ballots => match groups(ballot, wide.between) {
                Some(groups) => self
                    .named(groups.into_iter().map(|group| (0, group)), &mut judges.items)
                    .map(|ranking| Ranking { copies, ..ranking }),
                None => Err((0, "is no ranking such as ash > birch = cedar: a name is missing".to_owned())),
            },
            _ => wide.ranking(fields),
        };
        let mut ranking = ranking.map_err(|(at, what)| fault(at, what))?;
        let voter_at = wide.columns.len() + usize::from(wide.names.is_some());
        let count_at = voter_at + usize::from(wide.voter.is_some());
        if wide.count.is_some() {
            ranking.copies *= amount(fields, count_at).map_err(|(_, what)| fault(count_at, what))?;
        }
        let voter = wide.voter.map(|_| fields[voter_at].as_str());
        if voter == Some("") {
            return Err(fault(voter_at, "is no voter's name: fill it in, or use no voters (--voter none)".to_owned()));
        }
        if ranking.copies > 0.0 {
            let items = &judges.items;
            let shown = |names: &[String]| ranked(&ranking, |at| names[items[at] as usize].clone(), voter);
            self.show(table.line(), shown);
            if judges.waiting.is_none() {
                self.add_ranking(&ranking, &judges.items, voter).map_err(|what| row_error(file, table.line(), what))?;
            }
            judges.incomplete.add(&ranking);
            if let Some(waiting) = &mut judges.waiting {
                waiting.push((table.line(), ranking, voter.map(str::to_owned)));
            }
        }
        Ok(())
    }

    /// The ranking of a row that names its items, in groups of level ones with the field in which each stands. Items
    /// are taken in as they are met.
    fn named<'f>(
        &mut self,
        named: impl Iterator<Item = (usize, Vec<&'f str>)>,
        items: &mut Vec<u32>,
    ) -> std::result::Result<Ranking, (usize, String)> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (at, names) in named {
            groups.push(Vec::new());
            for name in names {
                let item = self.ranked_item(name).map_err(|why| (at, why.to_string()))?;
                let index = items.iter().position(|&known| known == item).unwrap_or_else(|| {
                    items.push(item);
                    items.len() - 1
                });
                if groups.iter().flatten().any(|&other| other == index) {
                    return Err((at, "has two places in one ranking".to_owned()));
                }
                // A group was pushed for these names.
                if let Some(group) = groups.last_mut() {
                    group.push(index);
                }
            }
        }
        Ok(Ranking { copies: 1.0, groups })
    }

    fn read_matrix(&mut self, file: &str, table: &mut dyn Table, wide: &Wide) -> Result<()> {
        let names = wide.items(table.columns());
        let items = self.ranked_items(file, &names)?;
        let place: HashMap<&str, usize> = names.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
        let size = items.len();
        let fold = self.options().fold_names;
        let alike = |name: &str| names.iter().position(|column| folded(column) == folded(name));
        // Whether the wins of one item over another were given, for every two items.
        let mut given: HashMap<(usize, usize), f64> = HashMap::new();
        let mut fields = vec![String::new(); wide.used().len()];
        let (mut rows, mut lines) = (0, vec![0; size]);
        while table.next(&mut fields)? {
            if wide.names.is_some() && is_total(&fields[size]) && !place.contains_key(fields[size].as_str()) {
                continue;
            }
            let row = match wide.names {
                Some(_) => place.get(fields[size].as_str()).copied().or_else(|| alike(&fields[size]).filter(|_| fold)),
                None => (rows < size).then_some(rows),
            };
            let row = row.ok_or_else(|| match wide.names {
                Some(_) => {
                    let what = match alike(&fields[size]) {
                        Some(column) => differs_in_form(&names[column]),
                        None => "is not one of the columns".to_owned(),
                    };
                    field_error(file, table, wide, &fields, size, what)
                }
                None => row_error(file, table.line(), format!("is more than the {size} rows of a square matrix")),
            })?;
            rows += 1;
            lines[row] = table.line();
            for (column, field) in fields[..size].iter().enumerate() {
                if is_blank(field) {
                    continue;
                }
                if field.ends_with('%') {
                    return Err(field_error(
                        file,
                        table,
                        wide,
                        &fields,
                        column,
                        format!("is a percentage: {MULTIPLY}"),
                    ));
                }
                let wins = wins(field).map_or_else(|| amount(&fields, column), Ok);
                let wins = wins.map_err(|(_, what)| field_error(file, table, wide, &fields, column, what))?;
                if row == column && wins != 0.0 {
                    let what = "is how often an item beat itself: the diagonal is 0 or empty".to_owned();
                    return Err(field_error(file, table, wide, &fields, column, what));
                }
                if row != column && given.insert((row, column), wins).is_some() {
                    return Err(row_error(file, table.line(), "is a second row of the same item".to_owned()));
                }
            }
            self.fate(Ok(()), String::new)?;
        }
        if rows != size {
            let what = format!("is a matrix of {rows} rows and {size} columns of items: it must be square");
            return Err(Error::file(file, what));
        }
        check_matrix(file, &given, self.options().wide.rows == Some(RowKind::Matrix))?;
        self.add_matrix(file, &items, given, &lines)
    }

    /// Adds the wins of a matrix, whose rows stand in these lines.
    fn add_matrix(
        &mut self,
        file: &str,
        items: &[u32],
        given: HashMap<(usize, usize), f64>,
        lines: &[u64],
    ) -> Result<()> {
        let transpose = self.options().wide.transpose;
        let mut cells: Vec<((usize, usize), f64)> = given.into_iter().filter(|&(_, wins)| wins > 0.0).collect();
        cells.sort_unstable_by_key(|&(pair, _)| pair);
        for ((row, column), wins) in cells {
            let (winner, loser) = if transpose { (column, row) } else { (row, column) };
            let name = |names: &[String], at: usize| shortened(&names[items[at] as usize]);
            let times = |names: &[String]| format!("{} beat {} {wins} times", name(names, winner), name(names, loser));
            self.show(lines[row], times);
            let added = self.ballots_mut().add(items[winner], items[loser], None, Answer::Left, 1.0, wins);
            added.map_err(|refusal| Error::file(file, format!("the number {wins} is refused: {refusal}")))?;
        }
        Ok(())
    }
}

/// Whether nothing stands in a place: it is empty, or says so in the words of those who count ballots.
fn is_no_choice(value: &str) -> bool {
    const WORDS: [&str; 6] = ["undervote", "overvote", "skipped", "skippedrank", "exhausted", "blank"];
    is_missing(value) || WORDS.iter().any(|word| value.eq_ignore_ascii_case(word))
}

/// What to do with shares.
const MULTIPLY: &str = "multiply each by the number of votes on its pair, since shares do not tell it";

/// Refuses a matrix of which only one half is given, and one of shares or percents, which do not tell how many votes
/// there were. What may be numbers of wins is taken at its word where it is `told` that this is a matrix of them.
fn check_matrix(file: &str, given: &HashMap<(usize, usize), f64>, told: bool) -> Result<()> {
    let both = || given.iter().filter_map(|(&(i, j), &wins)| Some((wins, *given.get(&(j, i))?)));
    if both().next().is_none() && !given.is_empty() {
        let what = "only one half of the matrix is filled: wins are needed in both directions (0 where there are none)";
        return Err(Error::file(file, what));
    }
    let sums = || both().map(|(wins, losses)| wins + losses);
    let numbers = || given.values().copied();
    // Half a win is a draw.
    let broken = numbers().any(|x| x.fract() != 0.0 && x.fract() != 0.5);
    let what = if are_shares(sums(), numbers()) || (broken && numbers().all(|x| x <= 1.0)) {
        format!("holds shares rather than numbers of wins: {MULTIPLY}")
    } else if told {
        return Ok(());
    } else if let Some(sum) = same_sums(given) {
        format!(
            "may hold points that the column's voter gave to the row's item, since every column adds up to {sum}: turn \
             the table (one row a \
             voter) and say --rows ratings, or say --rows matrix if they are wins"
        )
    } else if broken {
        format!(
            "has fractions, which numbers of wins have not: {MULTIPLY}, or say --rows matrix if they are weighted votes"
        )
    } else if sums().next().is_some() && sums().all(|sum| sum == 100.0) {
        format!(
            "may hold percents, since every two numbers add up to 100: {MULTIPLY}, or say --rows matrix if every pair \
             has 100 votes"
        )
    } else {
        return Ok(());
    };
    Err(Error::file(file, what))
}

/// What every column adds up to, where that is the same for all of at least three.
fn same_sums(given: &HashMap<(usize, usize), f64>) -> Option<f64> {
    let mut sums: HashMap<usize, f64> = HashMap::new();
    given.iter().for_each(|(&(_, column), wins)| *sums.entry(column).or_default() += wins);
    let sum = sums.values().next().copied().filter(|&sum| sum > 1.0 && sums.len() > 2)?;
    // One win in every column, or games of which everybody has as many, are no points: each pair then adds up to the
    // same.
    let pair = |(&(i, j), &wins): (&(usize, usize), &f64)| wins + given.get(&(j, i)).copied().unwrap_or(0.0);
    let mut pairs = given.iter().map(pair);
    let balanced = pairs.next().is_none_or(|first| pairs.all(|other| other == first));
    (sums.values().all(|&other| other == sum) && !balanced).then_some(sum)
}

fn field_error(file: &str, table: &dyn Table, wide: &Wide, fields: &[String], at: usize, what: String) -> Error {
    let column = wide.used()[at];
    let number = if table.numbered() { column + 1 } else { 0 };
    let column = Some((number, shortened(&table.columns()[column])));
    let value = Some(fields[at].clone());
    Error::Row(Box::new(RowError { file: file.to_owned(), line: table.line(), column, value, what }))
}
