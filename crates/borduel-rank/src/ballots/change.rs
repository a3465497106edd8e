//! Votes merged, taken back, and restricted to some items: exactly, so that the order in which it happens never shows.

use super::exact::Rest;
use super::{Ballot, Ballots, Key, PairVotes, Refusal, Share};
use std::collections::HashMap;

impl Ballots {
    /// Adds all votes of another box, its items, voters and contexts found by their names; new ones come behind those
    /// that are there. Groups of identical voters ([`Ballots::voter_group`]) have no names and stay apart.
    ///
    /// # Errors
    /// [`Refusal::Rules`] when the two boxes do not count ties alike; nothing is then changed.
    pub fn merge(&mut self, other: &Self) -> Result<(), Refusal> {
        if (self.ties, self.both_bad) != (other.ties, other.both_bad) {
            return Err(Refusal::Rules);
        }
        let items: Vec<u32> = other.item_names.iter().map(|name| self.item(name)).collect();
        let voters: Vec<u32> = (0..other.copies.len())
            .map(|voter| match other.voters.name(voter).as_ref() {
                name if super::questions::is_group(name) => self.voter_group(other.copies[voter]),
                name => self.voter(name),
            })
            .collect();
        let contexts: Vec<u32> = (0..other.contexts()).map(|at| self.context(&other.contexts.name(at))).collect();
        if self.contexts_are.is_empty() {
            self.contexts_are.clone_from(&other.contexts_are);
        }
        self.sides_known &= other.sides_known;
        let cells: Vec<u32> = other
            .cells
            .iter()
            .enumerate()
            .map(|(at, cell)| {
                let (left, right) = (items[cell.left as usize], items[cell.right as usize]);
                let context = cell.context.map(|context| contexts[context as usize]);
                let own = self.cell(Key { left, right, context, ..cell.key() });
                let mut more = *cell;
                let numbers = more.numbers().map(|number| *number);
                self.add_numbers(own, &numbers);
                if let Some(rests) = other.rests.get(&(at as u32)) {
                    let mine = self.rests.entry(own).or_default();
                    mine.iter_mut().zip(rests).for_each(|(mine, rest)| mine.add_all(rest));
                }
                own
            })
            .collect();
        self.share(other.shares.iter().map(|share| Share {
            voter: voters[share.voter as usize],
            cell: cells[share.cell as usize],
            ..*share
        }));
        for (&(voter, cell), rests) in &other.share_rests {
            let mine = self.share_rests.entry((voters[voter as usize], cells[cell as usize])).or_default();
            mine.iter_mut().zip(rests).for_each(|(mine, rest)| mine.add_all(rest));
        }
        Ok(())
    }

    /// Takes votes back that were added before: the sums are then, to the last bit, what they would be without them.
    ///
    /// Sums do not remember single votes, so that a vote that was never added, but could have been, is taken for one
    /// that was.
    ///
    /// # Errors
    /// A [`Refusal`] as [`Ballots::add`] has, or [`Refusal::NotThere`] when there are not that many such votes; nothing
    /// is then changed.
    pub fn take_back(&mut self, ballot: &Ballot) -> Result<(), Refusal> {
        self.check_ballot(ballot)?;
        let cell = self.find_cell(self.key(ballot)).ok_or(Refusal::NotThere)?;
        let (answer, numbers) = self.numbers(ballot)?;
        // What is compared is rounded.
        let less = |have: f64, need: f64| have < need - 1e-9 * need;
        if less(self.cells[cell as usize].counts.of(answer), ballot.count) {
            return Err(Refusal::NotThere);
        }
        let [n, w, wr, ..] = numbers;
        if let Some(voter) = ballot.voter.filter(|_| n > 0.0) {
            let own = self.own_share(voter, cell);
            if own.into_iter().zip([w, wr, w - wr]).any(|(have, need)| less(have, need)) {
                return Err(Refusal::NotThere);
            }
            self.share([Share { voter, cell, w: -w, wr: -wr }]);
        }
        self.add_numbers(cell, &numbers.map(|x| -x));
        Ok(())
    }

    /// Σ w, Σ w r and Σ w (1 − r) of a voter on a cell, each the nearest number. Shares that came in since they were
    /// last sorted are gone through one by one, so they are sorted when they have become many.
    fn own_share(&mut self, voter: u32, cell: u32) -> [f64; 3] {
        const MANY: usize = 4096;
        if self.shares.len() - self.compacted > MANY {
            self.compact();
        }
        let key = |share: &Share| (share.voter, share.cell);
        let (sorted, recent) = self.shares.split_at(self.compacted);
        let known = sorted.binary_search_by_key(&(voter, cell), key).ok().map(|at| &sorted[at]);
        let mut rests = <[Rest; 3]>::default();
        for share in known.into_iter().chain(recent.iter().filter(|share| key(share) == (voter, cell))) {
            rests[0].add(share.w);
            rests[1].add(share.wr);
        }
        if let Some(beyond) = self.share_rests.get(&(voter, cell)) {
            rests.iter_mut().zip(beyond).for_each(|(rest, beyond)| rest.add_all(beyond));
        }
        rests[2] = rests[0].minus(&rests[1]);
        rests.map(|rest| rest.nearest())
    }

    /// The votes on pairs of these items alone, which are then numbered in the order given; an item named twice counts
    /// once.
    ///
    /// # Errors
    /// [`Refusal::Item`] for an item that does not exist.
    pub fn restrict(&self, items: &[u32]) -> Result<Self, Refusal> {
        if let Some(&item) = items.iter().find(|&&item| item as usize >= self.item_names.len()) {
            return Err(Refusal::Item(item));
        }
        let mut kept = Self::new(self.ties, self.both_bad, self.sides_known);
        let place: HashMap<u32, u32> =
            items.iter().map(|&item| (item, kept.item(&self.item_names[item as usize]))).collect();
        (kept.contexts, kept.contexts_are) = (self.contexts.clone(), self.contexts_are.clone());
        Ok(self.sorted_into(kept, |cell| {
            let (&left, &right) = (place.get(&cell.left)?, place.get(&cell.right)?);
            Some(Key { left, right, ..cell.key() })
        }))
    }

    /// The votes of the cells that get a key, under these keys, in an empty box.
    pub(super) fn sorted_into(&self, mut kept: Self, key: impl Fn(&PairVotes) -> Option<Key>) -> Self {
        kept.voters = self.voters.clone();
        kept.copies.clone_from(&self.copies);
        let mut new_cell = vec![None; self.cells.len()];
        for (at, cell) in self.cells.iter().enumerate() {
            let Some(key) = key(cell) else { continue };
            let own = kept.cell(key);
            let mut more = *cell;
            kept.add_numbers(own, &more.numbers().map(|number| *number));
            if let Some(rests) = self.rests.get(&(at as u32)) {
                let mine = kept.rests.entry(own).or_default();
                mine.iter_mut().zip(rests).for_each(|(mine, rest)| mine.add_all(rest));
            }
            new_cell[at] = Some(own);
        }
        for share in &self.shares {
            if let Some(cell) = new_cell[share.cell as usize] {
                kept.share([Share { cell, ..*share }]);
            }
        }
        for (&(voter, cell), rests) in &self.share_rests {
            if let Some(cell) = new_cell[cell as usize] {
                // Shares may have been sorted on the way, and left rests of their own.
                let own = kept.share_rests.entry((voter, cell)).or_default();
                own.iter_mut().zip(rests).for_each(|(own, rest)| own.add_all(rest));
            }
        }
        kept.finish()
    }
}
