//! Reads long tables: one row for what a judge says about one item.

use super::super::{RowKind, Wide, chosen, ordinal};
use crate::error::{Error, Result, RowError, shortened};
use crate::rankings::{Incomplete, Ranking};
use crate::read::{VoteReader, row_error};
use crate::sample::is_missing;
use crate::shown::ranked;
use crate::table::Table;
use std::collections::HashMap;

/// What a judge says in one task: items (places in the list of all items) and numbers.
#[derive(Default)]
struct TaskAnswers {
    judge: Option<String>,
    /// The line of the first row.
    line: u64,
    values: Vec<(usize, f64)>,
}

impl VoteReader<'_> {
    /// Reads a long table of ranks, ratings or choices.
    pub(super) fn read_long(&mut self, file: &str, table: &mut dyn Table, wide: &Wide) -> Result<String> {
        let mut items = self.ranked_items(file, &[])?;
        let mut place: HashMap<u32, usize> = HashMap::new();
        let (mut all, mut known): (Vec<TaskAnswers>, HashMap<[String; 2], usize>) = (Vec::new(), HashMap::new());
        let mut fields = vec![String::new(); wide.used().len()];
        let judge_at = wide.columns.len();
        loop {
            let outcome = match table.next(&mut fields) {
                Ok(false) => break,
                Ok(true) if is_missing(&fields[1]) && wide.kind != RowKind::Choices => Ok(()),
                Ok(true) => self
                    .item_and_value(wide, &fields)
                    .map_err(|what| row_error(file, table.line(), what))
                    .and_then(|(item, x)| {
                        let at = *place.entry(item).or_insert_with(|| {
                            items.push(item);
                            items.len() - 1
                        });
                        let judge = wide.voter.map(|_| fields[judge_at].clone());
                        let task = wide.task.map_or_else(String::new, |_| fields[fields.len() - 1].clone());
                        let own = *known.entry([judge.clone().unwrap_or_default(), task]).or_insert_with(|| {
                            all.push(TaskAnswers { judge, line: table.line(), values: Vec::new() });
                            all.len() - 1
                        });
                        if all[own].values.iter().any(|(other, _)| *other == at) {
                            let what = "is a second row of this judge about this item: if a judge gave several \
                                        rankings, name the columns that tell \
                                        judges and their rankings apart with --voter and --task";
                            return Err(row_error(file, table.line(), what.to_owned()));
                        }
                        all[own].values.push((at, x));
                        Ok(())
                    }),
                Err(error) => Err(error),
            };
            self.fate(outcome, || table.raw())?;
        }
        if items.is_empty() {
            return Err(Error::file(file, "has no row with an item and its rank or rating"));
        }
        if wide.kind == RowKind::Choices {
            return self.add_choices(file, &items, &all).map(|()| String::new());
        }
        let mut incomplete = Incomplete::default();
        for TaskAnswers { judge, line, mut values } in all {
            if wide.kind == RowKind::LongRatings {
                values.iter_mut().for_each(|(_, x)| *x = -*x);
            }
            // All are finite; level items stay in their order.
            values.sort_by(|a, b| a.1.total_cmp(&b.1));
            let groups = values.chunk_by(|a, b| a.1 == b.1).map(|group| group.iter().map(|&(at, _)| at).collect());
            let ranking = Ranking { copies: 1.0, groups: groups.collect() };
            incomplete.add(&ranking);
            let judge = judge.as_deref();
            self.show(line, |names| ranked(&ranking, |at| names[items[at] as usize].clone(), judge));
            self.add_ranking(&ranking, &items, judge).map_err(|what| row_error(file, line, what))?;
        }
        Ok(incomplete.describe(items.len(), self.options().unranked))
    }

    /// Adds choices: what is 1 was chosen, and what is -1 was the worst.
    fn add_choices(&mut self, file: &str, items: &[u32], all: &[TaskAnswers]) -> Result<()> {
        for TaskAnswers { judge, line, values } in all {
            let told = |wanted: f64| values.iter().filter(move |(_, x)| *x == wanted).map(move |&(at, _)| items[at]);
            let (best, worst) = (told(1.0).next(), told(-1.0).next());
            if told(1.0).count().max(told(-1.0).count()) > 1 {
                let what = "begins a task in which several items are chosen: if it holds several choices, name the \
                            column that tells them apart \
                            with --task";
                let (file, what) = (file.to_owned(), what.to_owned());
                self.refuse(RowError { file, line: *line, column: None, value: None, what }, "")?;
                continue;
            }
            let shown: Vec<u32> = values.iter().map(|&(at, _)| items[at]).collect();
            self.show(*line, |names| {
                let name =
                    |item: Option<u32>| item.map_or("nothing".to_owned(), |item| shortened(&names[item as usize]));
                let worst = worst.map_or_else(String::new, |_| format!(" and {} was the worst", name(worst)));
                format!("of {} items {} was chosen{worst}", shown.len(), name(best))
            });
            let voter = match judge {
                Some(judge) => self.ballots_mut().voter(judge),
                None => self.ballots_mut().voter_group(1.0),
            };
            let refused = |refusal| row_error(file, *line, format!("is refused: {refusal}"));
            self.choose(&shown, (best, worst), voter, 1.0).map_err(refused)?;
        }
        Ok(())
    }

    /// The item and the number of a row: the item, what is said about it, and the judge.
    fn item_and_value(&mut self, wide: &Wide, fields: &[String]) -> std::result::Result<(u32, f64), String> {
        if fields[0].is_empty() || fields[wide.columns.len()..].iter().any(String::is_empty) {
            return Err("names no item, no judge or no task".to_owned());
        }
        let number = if wide.kind == RowKind::Choices {
            let said = fields[1..wide.columns.len()].iter().map(|field| {
                let what = "does not say whether it was chosen: expected 1, 0 or, for the worst, -1";
                chosen(field).ok_or_else(|| format!("\"{}\" {what}", shortened(field)))
            });
            match *said.collect::<std::result::Result<Vec<f64>, _>>()?.as_slice() {
                [_, worst] if worst < 0.0 => return Err("has a worst of -1: expected 1 or 0".to_owned()),
                [best, worst] if best * worst != 0.0 => return Err("is chosen as the best and as the worst".to_owned()),
                [best, worst] => best - worst,
                [chosen, ..] => chosen,
                [] => 0.0,
            }
        } else {
            let number = ordinal(&fields[1]).filter(|x| x.is_finite());
            number.ok_or_else(|| format!("\"{}\" is no rank or rating: expected a number", shortened(&fields[1])))?
        };
        // −0 and 0 are level.
        Ok((self.ranked_item(&fields[0]).map_err(|why| why.to_string())?, number + 0.0))
    }
}
