//! Votes reduced to sums per unordered pair, and per context where there are any: all that the sequential verdict
//! needs.

use crate::ballots::Ballots;
use crate::duel::{Arm, Duel};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The sums over the votes of one pair i < j, with w a vote's weight and r ∈ [0, 1] its answer for i.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct PairSum {
    /// Σ w, the sum of the weights.
    pub w: f64,
    /// Σ w², for the variance.
    pub w2: f64,
    /// Σ w r, with r = 1 where the first item won and ½ for a tie.
    pub wr: f64,
    /// Σ w r(1−r): 0 without ties and soft answers.
    pub soft: f64,
    /// What of Σ w r is no answer but a judge's correction of it.
    #[serde(skip)]
    pub(crate) shift: f64,
}

impl PairSum {
    /// The number of equal votes that say as much: (Σw)²/Σw².
    pub(crate) fn votes(&self) -> f64 {
        if self.w2 > 0.0 { self.w * self.w / self.w2 } else { 0.0 }
    }

    fn add(&mut self, other: &Self) {
        self.w += other.w;
        self.w2 += other.w2;
        self.wr += other.wr;
        self.soft += other.soft;
        self.shift += other.shift;
    }

    /// The share of the first item.
    pub(crate) fn share(&self) -> f64 {
        self.wr / self.w
    }
}

/// The votes on K items so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Votes {
    items: usize,
    count: f64,
    /// By the pair's place i K + j.
    cells: BTreeMap<u64, PairSum>,
    /// The same once more by context, where votes have one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    contexts: BTreeMap<u32, BTreeMap<u64, PairSum>>,
    /// In how many contexts each item can be shown, where that was said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    offered: Vec<usize>,
}

/// The context of votes that have none, beside votes that have one.
const NO_CONTEXT: u32 = u32::MAX;

impl Votes {
    /// An empty collection of votes on so many items.
    pub fn new(items: usize) -> Self {
        Self { items, count: 0.0, cells: BTreeMap::new(), contexts: BTreeMap::new(), offered: Vec::new() }
    }

    /// The votes of a box of ballots, whatever their order.
    pub fn of(ballots: &Ballots) -> Self {
        let mut votes = Self::new(ballots.items().len());
        let in_contexts = ballots.cells().iter().any(|cell| cell.context.is_some());
        for cell in ballots.cells().iter().filter(|cell| cell.w > 0.0) {
            let (left, right) = (cell.left as Arm, cell.right as Arm);
            // Σ w r² is not kept for unequal weights; Σ w² r² in units of the mean weight stands in for it.
            let squares = cell.w2r2 * cell.w / cell.w2;
            votes.count += cell.n;
            let sum = PairSum { w: cell.w, w2: cell.w2, wr: cell.wr, soft: (cell.wr - squares).max(0.0), shift: 0.0 };
            votes.enter(Duel(left, right), in_contexts.then(|| cell.context.unwrap_or(NO_CONTEXT)), sum);
        }
        votes
    }

    /// The number of items, K.
    pub fn items(&self) -> usize {
        self.items
    }

    /// The number of votes, whatever their weight.
    pub fn count(&self) -> f64 {
        self.count
    }

    /// Adds a vote with the answer r ∈ [0, 1] for the first item. A vote on an item against itself is not one.
    pub fn add(&mut self, duel: Duel, r: f64) {
        self.add_in(None, duel, r);
    }

    /// Adds a vote that was cast in a context, if there is one.
    pub fn add_in(&mut self, context: Option<u32>, duel: Duel, r: f64) {
        if duel.0 != duel.1 {
            self.count += 1.0;
            let context = context.or((!self.contexts.is_empty()).then_some(NO_CONTEXT));
            self.enter(duel, context, PairSum { w: 1.0, w2: 1.0, wr: r, soft: r * (1.0 - r), shift: 0.0 });
        }
    }

    fn enter(&mut self, Duel(i, j): Duel, context: Option<u32>, sum: PairSum) {
        let at = place(self.items, i.min(j), i.max(j));
        let sum = if i < j { sum } else { PairSum { wr: sum.w - sum.wr, shift: -sum.shift, ..sum } };
        if let Some(context) = context {
            if self.contexts.is_empty() && !self.cells.is_empty() {
                self.contexts.insert(NO_CONTEXT, self.cells.clone());
            }
            self.contexts.entry(context).or_default().entry(at).or_default().add(&sum);
        }
        self.cells.entry(at).or_default().add(&sum);
    }

    /// The same votes with their contexts numbered as these ballots have them, whose votes they are.
    pub(crate) fn numbered_as(&self, ballots: &Ballots) -> Self {
        Self { offered: self.offered.clone(), ..Self::of(ballots) }
    }

    /// The same votes with other numbers of their contexts; those that get none count as those without a context.
    #[must_use]
    pub fn renumbered(&self, number: impl Fn(u32) -> Option<u32>) -> Self {
        let mut contexts: BTreeMap<u32, BTreeMap<u64, PairSum>> = BTreeMap::new();
        for (&context, cells) in &self.contexts {
            let own = Some(context).filter(|context| *context != NO_CONTEXT).and_then(&number).unwrap_or(NO_CONTEXT);
            let sums = contexts.entry(own).or_default();
            cells.iter().for_each(|(&at, sum)| sums.entry(at).or_default().add(sum));
        }
        Self { contexts, ..self.clone() }
    }

    /// Says in how many contexts each item can be shown, with votes there or without.
    pub fn offer(&mut self, contexts: &[usize]) {
        self.offered = contexts.to_vec();
    }

    /// In how many contexts an item can be shown: in as many as said, else in all that have votes.
    pub(crate) fn offered(&self, item: Arm) -> usize {
        self.offered.get(item).map_or(self.contexts.len(), |&said| said.max(1))
    }

    /// How many contexts have votes.
    pub fn contexts(&self) -> usize {
        self.contexts.len()
    }

    /// Every context, in order, with the pairs i < j that were voted on there; those without a context are one of
    /// them.
    pub fn by_context(
        &self,
    ) -> impl Iterator<Item = (Option<u32>, impl Iterator<Item = (Arm, Arm, &PairSum)> + Clone)> {
        let named = |context: u32| (context != NO_CONTEXT).then_some(context);
        self.contexts.iter().map(move |(&context, cells)| (named(context), pairs(self.items, cells)))
    }

    /// The same votes no longer by context, those of every cell of [`Votes::by_context`] counted so many times.
    pub(crate) fn weighted(&self, weights: impl Iterator<Item = f64>) -> Self {
        let mut votes = Self::new(self.items);
        for ((i, j, sum), v) in self.by_context().flat_map(|(_, pairs)| pairs).zip(weights) {
            let sum =
                PairSum { w: v * sum.w, w2: v * v * sum.w2, wr: v * sum.wr, soft: v * sum.soft, shift: v * sum.shift };
            votes.enter(Duel(i, j), None, sum);
        }
        Self { count: self.count, ..votes }
    }

    /// The same votes with the sums of pairs i < j in contexts changed.
    pub(crate) fn changed(&self, change: impl Fn(Option<u32>, Arm, Arm, &PairSum) -> PairSum) -> Self {
        let mut votes = Self { offered: self.offered.clone(), ..Self::new(self.items) };
        for (context, pairs) in self.by_context() {
            for (i, j, sum) in pairs {
                votes.enter(Duel(i, j), Some(context.unwrap_or(NO_CONTEXT)), change(context, i, j, sum));
            }
        }
        Self { count: self.count, ..votes }
    }

    /// Every pair i < j that was voted on.
    pub fn pairs(&self) -> impl Iterator<Item = (Arm, Arm, &PairSum)> {
        pairs(self.items, &self.cells)
    }
}

fn pairs(items: usize, cells: &BTreeMap<u64, PairSum>) -> impl Iterator<Item = (Arm, Arm, &PairSum)> + Clone {
    let items = items as u64;
    cells.iter().map(move |(&at, sum)| ((at / items) as Arm, (at % items) as Arm, sum))
}

/// Where a pair i < j is kept.
fn place(items: usize, i: Arm, j: Arm) -> u64 {
    (i * items + j) as u64
}
