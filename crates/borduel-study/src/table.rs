//! The plan as all voters' questions are drawn from it.

mod shelves;

use shelves::Shelves;
use std::sync::OnceLock;

/// A pair of items, the lower number first.
pub(crate) type Pair = (u16, u16);

/// What all voters' questions are drawn from: the enabled items, where they can be compared, and the plan's pairs of
/// them with running sums of weights.
#[derive(Clone, Debug, Default)]
pub struct Table {
    pub(crate) enabled: Vec<u16>,
    pub(crate) pairs: Vec<Pair>,
    pub(crate) ends: Vec<u64>,
    /// The enabled contexts; none where items are compared as such.
    contexts: Vec<u16>,
    /// Who has something to show where, if only those who have are compared.
    shelves: Option<Shelves>,
    /// How many pairs and how many questions there are for whoever owns nothing, once somebody wanted to know.
    all: OnceLock<(u64, u64)>,
}

impl Table {
    /// The table of these items, in order, and of the plan's pairs, in order.
    pub fn new(enabled: Vec<u16>, plan: &[(u16, u16, u32)]) -> Self {
        Self { enabled, ..Self::default() }.with(plan)
    }

    /// The same where items are compared in these contexts, in order. With the items that have a content of their own
    /// in each of them, a pair is only asked where both have one.
    pub fn in_contexts(
        enabled: Vec<u16>,
        contexts: Vec<u16>,
        own: Option<&[Vec<u16>]>,
        plan: &[(u16, u16, u32)],
    ) -> Self {
        let shelves = own.filter(|own| !own.is_empty()).map(|own| Shelves::new(&enabled, own));
        Self { enabled, contexts, shelves, ..Self::default() }.with(plan)
    }

    /// The same with a plan.
    fn with(mut self, plan: &[(u16, u16, u32)]) -> Self {
        let mut sum = 0;
        for &(i, j, weight) in plan {
            let known = |item| self.enabled.binary_search(&item).is_ok();
            if weight > 0 && known(i) && known(j) && self.places((i, j)) > 0 {
                sum += u64::from(weight);
                self.pairs.push((i, j));
                self.ends.push(sum);
            }
        }
        self
    }

    pub(crate) fn weight_at(&self, row: usize) -> u64 {
        self.ends[row] - row.checked_sub(1).map_or(0, |before| self.ends[before])
    }

    pub(crate) fn weight(&self, pair: Pair) -> u64 {
        self.pairs.binary_search(&pair).map_or(0, |row| self.weight_at(row))
    }

    /// Whether there is nothing to ask.
    pub(crate) fn is_empty(&self) -> bool {
        self.among(&self.enabled).0 == 0
    }

    /// Whether items are compared in contexts.
    pub(crate) fn has_contexts(&self) -> bool {
        !self.contexts.is_empty()
    }

    /// In how many contexts a pair can be asked; without contexts, that is one way.
    pub(crate) fn places(&self, pair: Pair) -> usize {
        self.shelves.as_ref().map_or(self.contexts.len().max(1), |shelves| shelves.count(pair))
    }

    /// The contexts in which a pair can be asked.
    pub(crate) fn contexts_of(&self, pair: Pair) -> Vec<u16> {
        match &self.shelves {
            Some(shelves) => shelves.common(pair).map(|at| self.contexts[at]).collect(),
            None => self.contexts.clone(),
        }
    }

    /// Whether a pair can be asked in this context, or without one.
    pub(crate) fn is_place(&self, pair: Pair, context: Option<u16>) -> bool {
        match context.map(|context| self.contexts.binary_search(&context)) {
            None => self.contexts.is_empty(),
            Some(Err(_)) => false,
            Some(Ok(at)) => self.shelves.as_ref().is_none_or(|shelves| shelves.both_have(pair, at)),
        }
    }

    /// How many pairs of these of the enabled items can be asked somewhere, and how many questions that makes: each
    /// in every context in which it can be asked.
    pub(crate) fn among(&self, items: &[u16]) -> (u64, u64) {
        let count = || {
            let n = items.len() as u64;
            let pairs = n * n.saturating_sub(1) / 2;
            let plain = (pairs, pairs * self.contexts.len().max(1) as u64);
            self.shelves.as_ref().map_or(plain, |shelves| shelves.among(items, self.contexts.len()))
        };
        if items.len() == self.enabled.len() { *self.all.get_or_init(count) } else { count() }
    }
}
