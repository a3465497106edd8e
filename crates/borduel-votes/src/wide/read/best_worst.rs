//! Reads choices of the best and the worst of several items.

use super::super::Wide;
use super::field_error;
use crate::error::{Result, shortened};
use crate::read::{VoteReader, row_error};
use crate::row::amount;
use crate::sample::is_missing;
use crate::table::Table;
use borduel_rank::ballots::{Answer, Refusal};

impl VoteReader<'_> {
    /// Reads a table of such choices: the best won against all others that were shown, and these against the worst. The
    /// others are not compared with each other.
    pub(super) fn read_best_worst(&mut self, file: &str, table: &mut dyn Table, wide: &Wide) -> Result<String> {
        self.ranked_items(file, &[])?;
        let mut fields = vec![String::new(); wide.used().len()];
        loop {
            let outcome = match table.next(&mut fields) {
                Ok(false) => break,
                Ok(true) => self.add_choice(file, table, wide, &fields),
                Err(error) => Err(error),
            };
            self.fate(outcome, || table.raw())?;
        }
        Ok(String::new())
    }

    fn add_choice(&mut self, file: &str, table: &dyn Table, wide: &Wide, fields: &[String]) -> Result<()> {
        let fault = |at: usize, what: String| field_error(file, table, wide, fields, at, what);
        let chosen = wide.columns.len() - 2;
        let shown: Vec<usize> = (0..chosen).filter(|&at| !is_missing(&fields[at])).collect();
        let place = |at: usize| {
            let is = |other: usize| match &wide.item_names {
                Some(labels) => labels[other].eq_ignore_ascii_case(&fields[at]),
                None => fields[other] == fields[at],
            };
            let place = shown.iter().copied().find(|&other| is(other));
            let what = || fault(at, "is not among the items of its row".to_owned());
            if is_missing(&fields[at]) { Ok(None) } else { place.map(Some).ok_or_else(what) }
        };
        let (best, worst) = (place(chosen)?, place(chosen + 1)?);
        if best.is_some() && best == worst {
            return Err(fault(chosen + 1, "is chosen as the best and as the worst".to_owned()));
        }
        if let Some(&twice) = shown.iter().find(|&&at| shown.iter().any(|&o| o < at && fields[o] == fields[at])) {
            return Err(fault(twice, "stands twice in one row".to_owned()));
        }
        let voter_at = wide.columns.len();
        let copies = match wide.count {
            Some(_) => {
                let at = voter_at + usize::from(wide.voter.is_some());
                amount(fields, at).map_err(|(_, what)| fault(at, what))?
            }
            None => 1.0,
        };
        let mut items = Vec::with_capacity(shown.len());
        for &at in &shown {
            items.push((at, self.ranked_item(&fields[at]).map_err(|why| fault(at, why.to_string()))?));
        }
        let item = |wanted: Option<usize>| items.iter().find(|(at, _)| Some(*at) == wanted).map(|&(_, item)| item);
        let refused = |refusal| row_error(file, table.line(), format!("is refused: {refusal}"));
        self.ballots_mut().check(Answer::Left, 1.0, copies).map_err(refused)?;
        let voter = match wide.voter {
            Some(_) if fields[voter_at].is_empty() => {
                let what = "is no voter's name: fill it in, or use no voters (--voter none)";
                return Err(fault(voter_at, what.to_owned()));
            }
            Some(_) => self.ballots_mut().voter(&fields[voter_at]),
            None => self.ballots_mut().voter_group(copies),
        };
        let (best, worst) = (item(best), item(worst));
        self.show(table.line(), |names| {
            let name = |item: Option<u32>| item.map_or("nothing".to_owned(), |item| shortened(&names[item as usize]));
            format!("of {} items {} was the best and {} the worst", items.len(), name(best), name(worst))
        });
        let items: Vec<u32> = items.iter().map(|&(_, item)| item).collect();
        self.choose(&items, (best, worst), voter, copies).map_err(refused)
    }

    /// The best of some items won against all others, and these against the worst.
    pub(super) fn choose(
        &mut self,
        items: &[u32],
        (best, worst): (Option<u32>, Option<u32>),
        voter: u32,
        copies: f64,
    ) -> std::result::Result<(), Refusal> {
        let over = |&other: &u32| best.filter(|&best| best != other).map(|best| (best, other));
        let under =
            |&other: &u32| worst.filter(|&worst| worst != other && Some(other) != best).map(|worst| (other, worst));
        for (winner, loser) in items.iter().filter_map(over).chain(items.iter().filter_map(under)) {
            self.ballots_mut().add(winner, loser, Some(voter), Answer::Left, 1.0, copies)?;
        }
        Ok(())
    }
}
