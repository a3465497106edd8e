//! Tables with one row a judge and one column a pair, as psychologists have them: `ash-birch`, `ash vs cedar`, `birch:cedar`.

use super::Wide;
use crate::error::{Result, shortened};
use crate::outcome::{Dictionary, Scale, number};
use crate::read::{VoteReader, row_error};
use crate::sample::{Sample, is_missing};
use crate::table::Table;
use borduel::ballots::Answer;
use std::collections::HashMap;

/// What stands between the two names, the clearest first.
const BETWEEN: &[&str] =
    &[" vs. ", " vs ", "_vs_", ".vs.", " v ", " or ", ":", " - ", "-", "/", "|", ">", "_", ".", " "];

/// The two names of a column.
pub(super) fn names<'a>(column: &'a str, between: &str) -> Option<(&'a str, &'a str)> {
    let (a, b) = column.split_once(between)?;
    let (a, b) = (a.trim(), b.trim());
    (!a.is_empty() && !b.is_empty() && a != b && !b.contains(between)).then_some((a, b))
}

/// The columns that are pairs, and what stands between their names: at least three columns, in which every name comes up again.
pub(super) fn find(columns: &[String], sample: &Sample, free: &[usize]) -> Option<(Vec<usize>, &'static str)> {
    BETWEEN.iter().find_map(|between| {
        let pairs: Vec<usize> = free.iter().copied().filter(|&c| names(&columns[c], between).is_some()).collect();
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for &column in &pairs {
            let (a, b) = names(&columns[column], between)?;
            *counts.entry(a).or_default() += 1;
            *counts.entry(b).or_default() += 1;
        }
        let again = counts.values().all(|&n| n > 1);
        // All pairs, or nearly: k names make k(k−1)/2 of them.
        let possible = counts.len() * counts.len().saturating_sub(1) / 2;
        let dense = pairs.len() >= 3 && 2 * pairs.len() > possible && pairs.len() <= possible;
        let answers = pairs.iter().all(|&c| {
            let own = names(&columns[c], between);
            sample.values(c).all(|v| v.parse::<f64>().is_ok() || own.is_some_and(|(a, b)| v == a || v == b))
        });
        (again && dense && answers && pairs.iter().any(|&c| sample.values(c).next().is_some()))
            .then_some((pairs, *between))
    })
}

impl Wide {
    /// How answers are written, where they are numbers.
    fn scale_of(&self, sample: &Sample) -> Scale {
        let numbers: Vec<f64> =
            (self.columns.iter()).flat_map(|&c| sample.values(c)).filter_map(|v| v.parse().ok()).collect();
        if numbers.is_empty() {
            Scale::Names
        } else if numbers.iter().any(|x| *x < 0.0) {
            Scale::Signed
        } else if numbers.iter().any(|x| *x > 1.0) {
            Scale::OneTwo
        } else {
            Scale::Unit
        }
    }
}

impl VoteReader<'_> {
    /// Reads a table of one row a judge and one column a pair.
    pub(super) fn read_contests(
        &mut self,
        file: &str,
        table: &mut dyn Table,
        wide: &Wide,
        sample: &Sample,
    ) -> Result<String> {
        let scale = self.options().columns.scale.unwrap_or_else(|| wide.scale_of(sample));
        let dictionary = Dictionary::new("left", "right", &self.options().words.clone());
        let columns = table.columns().to_vec();
        let mut pairs = Vec::new();
        for &column in &wide.columns {
            let both = BETWEEN.iter().find(|b| Some(**b) == wide.between).and_then(|b| names(&columns[column], b));
            let Some((a, b)) = both else {
                let what = format!("the column \"{}\" does not name two items", shortened(&columns[column]));
                return Err(crate::error::Error::file(file, what));
            };
            let items = self.ranked_items(file, &[a.to_owned(), b.to_owned()])?;
            pairs.push((a.to_owned(), b.to_owned(), items[0], items[1]));
        }
        let mut fields = vec![String::new(); wide.used().len()];
        loop {
            let outcome = match table.next(&mut fields) {
                Ok(false) => break,
                Ok(true) => {
                    let mut answers: Vec<(usize, Answer)> = Vec::new();
                    let mut fault = None;
                    for (at, value) in fields[..pairs.len()].iter().enumerate().filter(|(_, v)| !is_missing(v)) {
                        let (a, b, ..) = &pairs[at];
                        let answer = match scale {
                            Scale::Names => dictionary.name(value, a, b),
                            _ if value == a || value == b => dictionary.name(value, a, b),
                            _ => number(value, scale),
                        };
                        match answer {
                            Ok(answer) => answers.push((at, answer)),
                            Err(what) => {
                                fault = Some(format!(
                                    "column \"{}\": \"{}\" {what}",
                                    columns[wide.columns[at]],
                                    shortened(value)
                                ));
                            }
                        }
                    }
                    match fault {
                        Some(what) => Err(row_error(file, table.line(), what)),
                        None => self
                            .add_contests(&fields, wide, &pairs, &answers)
                            .map_err(|what| row_error(file, table.line(), what)),
                    }
                }
                Err(error) => Err(error),
            };
            self.fate(outcome, || table.raw())?;
        }
        let how = match scale {
            Scale::Names => "the answer names the item",
            Scale::Unit => "1 is the first item, 0 the second (if not: --answer-scale)",
            Scale::OneTwo => "1 is the first item, 2 the second (if not: --answer-scale)",
            Scale::Signed => "1 is the first item, -1 the second (if not: --answer-scale)",
        };
        Ok(format!("; {how}"))
    }

    fn add_contests(
        &mut self,
        fields: &[String],
        wide: &Wide,
        pairs: &[(String, String, u32, u32)],
        answers: &[(usize, Answer)],
    ) -> std::result::Result<(), String> {
        for &(_, answer) in answers {
            self.ballots_mut().check(answer, 1.0, 1.0).map_err(|refusal| format!("is refused: {refusal}"))?;
        }
        let voter = match wide.voter {
            Some(_) => self.ballots_mut().voter(&fields[pairs.len()].clone()),
            None => self.ballots_mut().voter_group(1.0),
        };
        for &(at, answer) in answers {
            let (_, _, left, right) = pairs[at];
            let added = self.ballots_mut().add(left, right, Some(voter), answer, 1.0, 1.0);
            added.map_err(|refusal| format!("is refused: {refusal}"))?;
        }
        Ok(())
    }
}
