//! Reads long tables: one row for what a judge says about one item.

use super::super::{RowKind, Wide};
use crate::error::{Error, Result};
use crate::rankings::{Incomplete, Ranking};
use crate::read::{VoteReader, row_error};
use crate::sample::is_missing;
use crate::shown::ranked;
use crate::table::{Table, decimal};
use std::collections::HashMap;

/// What a judge says: items (places in the list of all items) and numbers.
#[derive(Default)]
struct Said {
    name: String,
    /// The line of the first row.
    line: u64,
    values: Vec<(usize, f64)>,
}

impl VoteReader<'_> {
    /// Reads a long table of ranks or ratings.
    pub(super) fn read_long(&mut self, file: &str, table: &mut dyn Table, wide: &Wide) -> Result<String> {
        let mut items = self.ranked_items(file, &[])?;
        let mut place: HashMap<u32, usize> = HashMap::new();
        let (mut judges, mut known): (Vec<Said>, HashMap<String, usize>) = (Vec::new(), HashMap::new());
        let mut fields = vec![String::new(); wide.used().len()];
        loop {
            let outcome = match table.next(&mut fields) {
                Ok(false) => break,
                Ok(true) if is_missing(&fields[1]) => Ok(()),
                Ok(true) => {
                    self.said(&fields).map_err(|what| row_error(file, table.line(), what)).and_then(|(item, x)| {
                        let at = *place.entry(item).or_insert_with(|| {
                            items.push(item);
                            items.len() - 1
                        });
                        let judge = *known.entry(fields[2].clone()).or_insert_with(|| {
                            judges.push(Said { name: fields[2].clone(), line: table.line(), values: Vec::new() });
                            judges.len() - 1
                        });
                        if judges[judge].values.iter().any(|(other, _)| *other == at) {
                            let what = "is a second row of this judge about this item: if a judge gave several rankings, name a column that tells \
                                        all of them apart with --voter"
                                .to_owned();
                            return Err(row_error(file, table.line(), what));
                        }
                        judges[judge].values.push((at, x));
                        Ok(())
                    })
                }
                Err(error) => Err(error),
            };
            self.fate(outcome, || table.raw())?;
        }
        let mut incomplete = Incomplete::default();
        for Said { name, line, mut values } in judges {
            if wide.kind == RowKind::LongRatings {
                values.iter_mut().for_each(|(_, x)| *x = -*x);
            }
            // All are finite; level items stay in their order.
            values.sort_by(|a, b| a.1.total_cmp(&b.1));
            let groups = values.chunk_by(|a, b| a.1 == b.1).map(|group| group.iter().map(|&(at, _)| at).collect());
            let ranking = Ranking { copies: 1.0, groups: groups.collect() };
            incomplete.add(&ranking);
            self.show(line, |names| ranked(&ranking, |at| names[items[at] as usize].clone(), Some(&name)));
            self.add_ranking(&ranking, &items, Some(&name)).map_err(|what| row_error(file, line, what))?;
        }
        if items.is_empty() {
            return Err(Error::file(file, "has no row with an item and its rank or rating"));
        }
        Ok(incomplete.describe(items.len(), self.options().unranked))
    }

    /// The item and the number of a row: the item, its rank or rating, the judge.
    fn said(&mut self, fields: &[String]) -> std::result::Result<(u32, f64), String> {
        if fields[0].is_empty() || fields[2].is_empty() {
            return Err("names no item or no judge".to_owned());
        }
        let number = decimal(&fields[1]).filter(|x| x.is_finite());
        // −0 and 0 are level.
        let number = number.ok_or_else(|| format!("\"{}\" is no rank or rating: expected a number", fields[1]))? + 0.0;
        Ok((self.ranked_item(&fields[0]).map_err(|why| why.to_string())?, number))
    }
}
