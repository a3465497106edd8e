//! Reads tables with one row a judge and one column a pair.

use super::super::Wide;
use crate::error::{Error, Result, shortened};
use crate::outcome::{Dictionary, Scale, in_words, number};
use crate::read::{VoteReader, row_error};
use crate::sample::{Sample, is_missing};
use crate::spelling::folded;
use crate::table::Table;
use borduel_rank::ballots::Answer;

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
        let (columns, fold) = (table.columns().to_vec(), self.options().fold_names);
        let mut pairs = Vec::new();
        for &column in &wide.columns {
            let both = wide.contest(&columns[column]);
            let Some((a, b)) = both else {
                let what = format!("the column \"{}\" does not name two items", shortened(&columns[column]));
                return Err(Error::file(file, what));
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
                        let alike = [a, b].into_iter().find(|name| fold && folded(name) == folded(value));
                        let value = alike.unwrap_or(value);
                        let answer = match scale {
                            Scale::Names | Scale::Items | Scale::Sides => dictionary.name(value, a, b, scale),
                            _ if value == a || value == b => dictionary.name(value, a, b, Scale::Items),
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
                            .add_contests(table.line(), &fields, wide, &pairs, &answers)
                            .map_err(|what| row_error(file, table.line(), what)),
                    }
                }
                Err(error) => Err(error),
            };
            self.fate(outcome, || table.raw())?;
        }
        let how = match scale {
            Scale::Names | Scale::Items => "the answer names the item",
            Scale::Sides => "the answer names the side",
            Scale::Unit => "1 is the first item, 0 the second (if not: --answer-scale)",
            Scale::ZeroOne => "0 is the first item, 1 the second",
            Scale::OneTwo => "1 is the first item, 2 the second (if not: --answer-scale)",
            Scale::Signed => "1 is the first item, -1 the second (if not: --answer-scale)",
            Scale::Margin => "above 0 the first item won, below 0 the second",
            Scale::Score => "the first item's points come first, and the higher number wins",
        };
        Ok(format!("; {how}"))
    }

    fn add_contests(
        &mut self,
        line: u64,
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
        self.show(line, |_| {
            let one =
                |&(at, answer): &(usize, Answer)| in_words(answer, &shortened(&pairs[at].0), &shortened(&pairs[at].1));
            answers.iter().take(3).map(one).collect::<Vec<_>>().join(", ")
        });
        for &(at, answer) in answers {
            let (_, _, left, right) = pairs[at];
            let added = self.ballots_mut().add(left, right, Some(voter), answer, 1.0, 1.0);
            added.map_err(|refusal| format!("is refused: {refusal}"))?;
        }
        Ok(())
    }
}
