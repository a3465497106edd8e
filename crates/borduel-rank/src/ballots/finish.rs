//! Sums brought into their one form: sorted, repetitions added up, numbered by what the votes say alone.

use super::index::Index;
use super::{Ballots, PairVotes, Share, exact};
use crate::parallel::{for_each_mut, sort_unstable_by};

impl Ballots {
    /// Sorts the shares and adds up those of the same voter and cell; those that come to nothing are gone.
    pub(super) fn compact(&mut self) {
        // The sums are exact, so that the order within a key does not matter.
        let key = |s: &Share| (u64::from(s.voter) << 32) | u64::from(s.cell);
        let (sorted, recent) = self.shares.split_at_mut(self.compacted);
        sort_unstable_by(recent, |a, b| key(a).cmp(&key(b)));
        if !sorted.is_empty() {
            // Two sorted runs, which this sort merges.
            self.shares.sort_by_key(key);
        }
        let mut kept = 0;
        let mut at = 0;
        while at < self.shares.len() {
            let mut sum = self.shares[at];
            let key = (sum.voter, sum.cell);
            let mut rests = if self.share_rests.is_empty() { None } else { self.share_rests.remove(&key) };
            at += 1;
            while let Some(next) = self.shares.get(at).filter(|next| (next.voter, next.cell) == key) {
                let lost = [exact::add(&mut sum.w, next.w), exact::add(&mut sum.wr, next.wr)];
                if lost != [0.0; 2] {
                    let rests = rests.get_or_insert_default();
                    rests.iter_mut().zip(lost).for_each(|(rest, lost)| rest.add(lost));
                }
                at += 1;
            }
            if let Some(mut rests) = rests {
                rests[0].settle(&mut sum.w);
                rests[1].settle(&mut sum.wr);
                if rests.iter().any(|rest| !rest.is_empty()) {
                    self.share_rests.insert(key, rests);
                }
            }
            if sum.w != 0.0 {
                self.shares[kept] = sum;
                kept += 1;
            }
        }
        self.shares.truncate(kept);
        self.compacted = kept;
    }

    /// Brings everything into the one form that depends on nothing but the items and the votes. Call it once after the
    /// last vote; [`Ballots::shares`] relies on it.
    ///
    /// Cells are then sorted by their items, and voters and contexts by their names, so that these have new numbers;
    /// cells without a vote, voters without a used one and contexts without any are gone.
    #[must_use]
    pub fn finish(mut self) -> Self {
        self.sort_cells();
        self.sort_voters();
        // Both have new numbers now, in the order of the old ones only by chance.
        self.compacted = 0;
        self.compact();
        // Voters whose votes were all taken back have shares no more; the others keep their order.
        if self.have_shares().contains(&false) {
            self.sort_voters();
        }
        self.shares.shrink_to_fit();
        self
    }

    /// Sorts the cells that have votes. The others get numbers behind them, under which their shares come to nothing.
    fn sort_cells(&mut self) {
        for (cell, mut rests) in std::mem::take(&mut self.rests) {
            let numbers = self.cells[cell as usize].numbers();
            numbers.into_iter().zip(&mut rests).for_each(|(number, rest)| rest.settle(number));
            if rests.iter().any(|rest| !rest.is_empty()) {
                self.rests.insert(cell, rests);
            }
        }
        let empty = |cell: &PairVotes| cell.n == 0.0 && cell.counts.total() == 0.0;
        let (without, mut order): (Vec<u32>, Vec<u32>) =
            (0..self.cells.len() as u32).partition(|&at| empty(&self.cells[at as usize]));
        self.sort_contexts(&order);
        order.sort_unstable_by_key(|&at| self.cells[at as usize].key());
        let mut place = vec![u32::MAX; self.cells.len()];
        order.iter().chain(&without).zip(0..).for_each(|(&old, new)| place[old as usize] = new);
        self.cells = order.iter().map(|&at| self.cells[at as usize]).collect();
        self.cell_of = Index::default();
        for cell in &self.cells {
            self.cell_of.push(cell.key().hash());
        }
        for_each_mut(&mut self.shares, |share| share.cell = place[share.cell as usize]);
        self.rests =
            std::mem::take(&mut self.rests).into_iter().map(|(cell, rests)| (place[cell as usize], rests)).collect();
        let renamed = |((voter, cell), rests): ((u32, u32), _)| ((voter, place[cell as usize]), rests);
        self.share_rests = std::mem::take(&mut self.share_rests).into_iter().map(renamed).collect();
        let cells = self.cells.len() as u32;
        self.rests.retain(|&cell, _| cell < cells);
    }

    /// Of every voter whether there are shares.
    fn have_shares(&self) -> Vec<bool> {
        let mut used = vec![false; self.copies.len()];
        self.shares.iter().for_each(|share| used[share.voter as usize] = true);
        used
    }

    /// Sorts the voters who have shares; the others are gone.
    fn sort_voters(&mut self) {
        let used = self.have_shares();
        let (voters, order) = self.voters.sorted(&used);
        let mut place = vec![u32::MAX; used.len()];
        order.iter().zip(0..).for_each(|(&old, new)| place[old as usize] = new);
        self.voters = voters;
        self.copies = order.iter().map(|&old| self.copies[old as usize]).collect();
        for_each_mut(&mut self.shares, |share| share.voter = place[share.voter as usize]);
        let renamed = |((voter, cell), rests): ((u32, u32), _)| ((place[voter as usize], cell), rests);
        self.share_rests = std::mem::take(&mut self.share_rests).into_iter().map(renamed).collect();
    }
}
