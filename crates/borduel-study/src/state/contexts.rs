//! The contexts of a study: what both items of a question are shown with, such as the prompt that two models answer.

use super::State;
use super::criteria::Criteria;
use crate::event::Hash;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A context of a study, in which items are compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Context {
    /// Its name for programs.
    pub key: String,
    /// The hash of what is shown of it.
    #[serde(with = "crate::hex")]
    pub content: Hash,
    /// Whether items are compared in it, and its votes count.
    pub enabled: bool,
    /// What is known of items here, by item.
    here: Vec<Here>,
}

/// An item in a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Here {
    item: u16,
    /// The hash of what is shown of it here, if that is something of its own.
    content: Option<Hash>,
    /// How often it was shown here.
    shown: u32,
}

impl Context {
    fn at(&self, item: u16) -> Option<&Here> {
        self.here.binary_search_by_key(&item, |here| here.item).ok().map(|at| &self.here[at])
    }

    fn at_mut(&mut self, item: u16) -> &mut Here {
        let at = self.here.binary_search_by_key(&item, |here| here.item).unwrap_or_else(|at| {
            self.here.insert(at, Here { item, content: None, shown: 0 });
            at
        });
        &mut self.here[at]
    }

    /// The hash of what is shown of an item here, if that is something of its own.
    pub fn content_of(&self, item: u16) -> Option<Hash> {
        self.at(item)?.content
    }

    /// The items that have something of their own to show here, with its hash, by number.
    pub fn contents(&self) -> impl Iterator<Item = (u16, Hash)> + '_ {
        self.here.iter().filter_map(|here| Some((here.item, here.content?)))
    }

    /// How often an item was shown here.
    pub fn shown_of(&self, item: u16) -> u32 {
        self.at(item).map_or(0, |here| here.shown)
    }

    /// How many questions were asked here.
    pub fn shown(&self) -> u32 {
        self.here.iter().map(|here| here.shown).sum::<u32>() / 2
    }
}

impl State {
    /// The number of the context of this key.
    pub fn context(&self, key: &str) -> Option<u16> {
        self.context_by_key.get(key).copied()
    }

    /// The contexts in which items are compared, by number.
    pub fn enabled_contexts(&self) -> impl Iterator<Item = u16> + '_ {
        (0_u16..).zip(&self.contexts).filter(|(_, context)| context.enabled).map(|(number, _)| number)
    }

    /// How often a pair i < j was asked in each context in which it was, by context.
    pub fn asked_in(&self, (i, j): (u16, u16)) -> impl Iterator<Item = (u16, u32)> + '_ {
        self.asked_in.range((i, j, 0)..=(i, j, u16::MAX)).map(|(&(_, _, context), &times)| (context, times))
    }

    pub(super) fn add_context(&mut self, context: u16, key: &str, content: &Hash) {
        if usize::from(context) == self.contexts.len() && !self.context_by_key.contains_key(key) {
            Arc::make_mut(&mut self.context_by_key).insert(key.to_owned(), context);
            self.contexts.push(Context { key: key.to_owned(), content: *content, enabled: true, here: Vec::new() });
        }
        // Nobody has voted in it: the votes that count are those that did.
        self.outdate();
    }

    pub(super) fn edit_context(&mut self, context: u16, content: &Hash) {
        if let Some(context) = self.contexts.get_mut(usize::from(context)) {
            context.content = *content;
        }
        self.outdate();
    }

    pub(super) fn enable_context(&mut self, context: u16, on: bool) {
        if let Some(context) = self.contexts.get_mut(usize::from(context)) {
            context.enabled = on;
        }
        let before = self.all_votes();
        for criterion in self.recounted_since(&before) {
            self.unsettle_by(Criteria::only(criterion), 0);
        }
    }

    pub(super) fn give_content(&mut self, item: u16, context: u16, content: &Hash) {
        let known = usize::from(item) < self.items.len();
        if let Some(context) = self.contexts.get_mut(usize::from(context)).filter(|_| known) {
            context.at_mut(item).content = Some(*content);
        }
        self.outdate();
    }

    /// Takes note that a pair is shown in a context, which exists.
    pub(super) fn show_in(&mut self, (first, second): (u16, u16), context: u16) {
        let here = &mut self.contexts[usize::from(context)];
        here.at_mut(first).shown += 1;
        here.at_mut(second).shown += 1;
        *self.asked_in.entry((first.min(second), first.max(second), context)) += 1;
    }
}
