//! Contexts: what the two items of a vote were compared on, such as the prompt that two models answered.

use super::{Ballots, Key, PairVotes};

impl Ballots {
    /// The index of the context of this name, new or known.
    pub fn context(&mut self, name: &str) -> u32 {
        self.contexts.get_or_insert(name)
    }

    /// How many contexts there are.
    pub fn contexts(&self) -> usize {
        self.contexts.len()
    }

    /// The contexts' names, by index.
    pub fn context_names(&self) -> Vec<String> {
        (0..self.contexts.len()).map(|context| self.contexts.name(context).into_owned()).collect()
    }

    /// Says what the contexts are, in the plural, such as `prompts`.
    pub fn call_contexts(&mut self, what: &str) {
        what.clone_into(&mut self.contexts_are);
    }

    /// What the contexts are, in the plural: `contexts` where nobody said.
    pub fn contexts_are(&self) -> &str {
        if self.contexts_are.is_empty() { "contexts" } else { &self.contexts_are }
    }

    /// The same votes without their contexts.
    #[must_use]
    pub fn without_contexts(&self) -> Self {
        self.sorted_into(self.empty_with_items(), |cell| Some(Key { context: None, ..cell.key() }))
    }

    /// The votes of one context, as votes without any.
    #[must_use]
    pub fn in_context(&self, context: u32) -> Self {
        let here = |cell: &PairVotes| cell.context == Some(context);
        self.sorted_into(self.empty_with_items(), |cell| here(cell).then(|| Key { context: None, ..cell.key() }))
    }

    fn empty_with_items(&self) -> Self {
        let mut empty = Self::new(self.ties, self.both_bad, self.sides_known);
        self.item_names.iter().for_each(|name| {
            empty.item(name);
        });
        empty
    }

    /// Sorts the contexts of these cells by name; the others are gone.
    pub(super) fn sort_contexts(&mut self, cells: &[u32]) {
        let mut used = vec![false; self.contexts.len()];
        let of = |at: &u32| self.cells[*at as usize].context;
        cells.iter().filter_map(of).for_each(|context| used[context as usize] = true);
        let (contexts, order) = self.contexts.sorted(&used);
        let mut place = vec![None; used.len()];
        order.iter().zip(0..).for_each(|(&old, new)| place[old as usize] = Some(new));
        self.contexts = contexts;
        for cell in &mut self.cells {
            cell.context = cell.context.and_then(|context| place[context as usize]);
        }
    }
}
