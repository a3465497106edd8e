//! Rankings into ballots.

use super::{VoteReader, row_error};
use crate::error::{Error, Result, shortened};
use crate::index::NoItem;
use crate::rankings::{Incomplete, Ranking, RankingFile};
use crate::shown::ranked;
use borduel_rank::ballots::Refusal;

impl VoteReader<'_> {
    /// Reads a file of rankings.
    pub(super) fn read_rankings(&mut self, file: &str, rankings: &mut dyn RankingFile) -> Result<()> {
        let items = self.ranked_items(file, rankings.items())?;
        let mut incomplete = Incomplete::default();
        loop {
            let outcome = match rankings.next() {
                Ok(None) => break,
                Ok(Some((line, ranking))) => {
                    incomplete.add(&ranking);
                    self.show(line, |names| ranked(&ranking, |at| names[items[at] as usize].clone(), None));
                    self.add_ranking(&ranking, &items, None).map_err(|what| row_error(file, line, what))
                }
                Err(error) => Err(error),
            };
            self.fate(outcome, || rankings.text().to_owned())?;
        }
        let what = format!(
            "{} of {} items; every ranking is one voter (sides unknown){}",
            rankings.kind(),
            items.len(),
            incomplete.describe(items.len(), self.options.unranked)
        );
        self.note_shown(file, &what);
        Ok(())
    }

    /// The indices of the items of a file of rankings.
    pub(crate) fn ranked_items(&mut self, file: &str, names: &[String]) -> Result<Vec<u32>> {
        self.ballots.forget_sides();
        let refused = |name: &str, why: &NoItem| Error::file(file, format!("\"{}\" {why}", shortened(name)));
        names.iter().map(|name| self.ranked_item(name).map_err(|why| refused(name, &why))).collect()
    }

    /// The index of an item that is ranked.
    pub(crate) fn ranked_item(&mut self, name: &str) -> std::result::Result<u32, NoItem> {
        let mut name = name.to_owned();
        if let Some(spelling) = &mut self.spelling {
            spelling.settle(&mut name);
        }
        Ok(self.known_item(&name)?.unwrap_or_else(|| self.ballots.item(&name)))
    }

    /// Adds the comparisons of a ranking, or says why it cannot.
    pub(crate) fn add_ranking(
        &mut self,
        ranking: &Ranking,
        items: &[u32],
        voter: Option<&str>,
    ) -> std::result::Result<(), String> {
        let refused = |refusal: Refusal| format!("is refused: {refusal}");
        let comparisons = ranking.comparisons(items.len(), self.options.unranked)?;
        // Everything is checked before anything is added.
        for &(_, _, answer) in &comparisons {
            self.ballots.check(answer, 1.0, ranking.copies).map_err(refused)?;
        }
        let voter = match voter {
            Some(name) => self.ballots.voter(name),
            None => self.ballots.voter_group(ranking.copies),
        };
        for (better, other, answer) in comparisons {
            let (left, right) = (items[better], items[other]);
            self.ballots.add(left, right, Some(voter), answer, 1.0, ranking.copies).map_err(refused)?;
        }
        Ok(())
    }
}
