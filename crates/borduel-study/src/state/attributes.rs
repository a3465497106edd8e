//! What voters said about themselves, and how many of each kind there are.

use super::{State, Voter};
use crate::event::Standing;
use crate::settings::Ask;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An attribute, and the values that voters have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attribute {
    /// What it is called in files.
    pub key: String,
    /// Its values, in the order in which they came.
    pub values: Vec<String>,
}

impl State {
    /// Takes note of what a voter said.
    pub(super) fn describe(&mut self, voter: u32, answers: &BTreeMap<String, String>) {
        let Some(voter) = self.voters.get_mut(voter as usize) else { return };
        let mut own = Vec::with_capacity(answers.len());
        for (key, value) in answers {
            let at = place(
                &mut self.attributes,
                |attribute| attribute.key == *key,
                || Attribute { key: key.clone(), values: Vec::new() },
            );
            let values = &mut self.attributes[at].values;
            own.push((at as u16, place(values, |known| known == value, || value.clone()) as u16));
        }
        voter.attributes = own.into_boxed_slice();
    }

    /// What a voter said of this attribute.
    pub fn attribute(&self, voter: &Voter, key: &str) -> Option<&str> {
        let at = self.attributes.iter().position(|attribute| attribute.key == key)?;
        let (_, value) = voter.attributes.iter().find(|own| usize::from(own.0) == at)?;
        self.attributes.get(at)?.values.get(usize::from(*value)).map(String::as_str)
    }

    /// The keys of all attributes in the order of the settings, and then of those that are not asked for any more.
    pub fn attribute_keys(&self) -> Vec<&str> {
        let asked = self.settings.asks.iter().map(|ask| ask.key.as_str());
        let known = self.attributes.iter().map(|attribute| attribute.key.as_str());
        let mut keys: Vec<&str> = Vec::new();
        for key in asked.chain(known) {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        keys
    }

    /// How many voters have each answer to this question, in the order of its answers: those who count and have given
    /// all answers that are wanted, or are at it. Whoever leaves half-way frees the place when its questions lapse.
    pub fn taken(&self, ask: &Ask) -> Vec<u32> {
        let reach = self.reach();
        self.count(ask, |voter| voter.open > 0 || voter.questions.is_empty() || voter.answered >= reach)
    }

    /// The same of those who have given all answers that are wanted.
    pub fn finished(&self, ask: &Ask) -> Vec<u32> {
        let reach = self.reach();
        self.count(ask, |voter| voter.answered >= reach)
    }

    fn count(&self, ask: &Ask, who: impl Fn(&Voter) -> bool) -> Vec<u32> {
        let mut taken = vec![0; ask.answers.len()];
        let there = |voter: &&Voter| voter.standing == Standing::Active && !voter.excluded && who(voter);
        for voter in self.voters.iter().filter(there) {
            let said = self.attribute(voter, &ask.key);
            if let Some(at) = said.and_then(|said| ask.answers.iter().position(|choice| choice.text == said)) {
                taken[at] += 1;
            }
        }
        taken
    }
}

/// The place of what is like this, which is added where there is none.
fn place<T>(among: &mut Vec<T>, like: impl Fn(&T) -> bool, new: impl FnOnce() -> T) -> usize {
    among.iter().position(like).unwrap_or_else(|| {
        among.push(new());
        among.len() - 1
    })
}
