//! What a study asks of its voters before the first pair: attributes for its files, who is screened out, and quotas.

use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use utoipa::ToSchema;

/// The most questions before the first pair.
const MOST: usize = 10;
/// The most answers to one of them.
const ANSWERS: usize = 50;
/// The columns that exported votes and voters have anyway.
const TAKEN: [&str; 21] = [
    "question",
    "asked_at",
    "answered_at",
    "left",
    "right",
    "context",
    "criterion",
    "winner",
    "grade",
    "voter",
    "ms",
    "propensity",
    "plan",
    "source",
    "kind",
    "state",
    "counted",
    "answers",
    "gold_answered",
    "gold_failed",
    "network",
];

/// A question about the voter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct Ask {
    /// What the attribute is called in files.
    #[schema(pattern = "^[a-z][a-z0-9_]{0,31}$")]
    pub key: String,
    /// What the voter reads.
    #[schema(min_length = 1, max_length = 300)]
    pub question: String,
    /// What can be answered.
    #[schema(min_items = 2, max_items = 50)]
    pub answers: Vec<Choice>,
}

/// An answer to a question about the voter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct Choice {
    /// What the voter reads, and what files have.
    #[schema(min_length = 1, max_length = 100)]
    pub text: String,
    /// Whether whoever answers this is screened out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub out: bool,
    /// How many such voters are wanted; 0 for any number.
    #[serde(default, skip_serializing_if = "super::is_zero")]
    pub most: u32,
}

impl Ask {
    /// The answer of this text.
    pub fn answer(&self, text: &str) -> Option<&Choice> {
        self.answers.iter().find(|choice| choice.text == text)
    }
}

/// Whether something can be called this in files.
pub fn is_key(key: &str) -> bool {
    let letters = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    key.starts_with(|c: char| c.is_ascii_lowercase()) && key.len() <= 32 && key.chars().all(letters)
}

/// Checks every bound.
pub(super) fn check(asks: &[Ask]) -> Result<(), String> {
    if asks.len() > MOST {
        return Err(format!("settings.asks has {} questions: at most {MOST} are possible", asks.len()));
    }
    let mut keys = HashSet::new();
    for Ask { key, question, answers } in asks {
        if !is_key(key) {
            return Err(format!("settings.asks: {key:?} is no key; write up to 32 of a-z 0-9 _, a letter first"));
        }
        if TAKEN.contains(&key.as_str()) || !keys.insert(key) {
            return Err(format!("settings.asks: the key {key:?} is taken; choose another"));
        }
        let length = |text: &str, most: usize| (1..=most).contains(&text.trim().chars().count());
        if !length(question, 300) {
            return Err(format!("settings.asks.{key}: the question must have 1 to 300 characters"));
        }
        if !(2..=ANSWERS).contains(&answers.len()) {
            return Err(format!("settings.asks.{key} has {} answers: it needs 2 to {ANSWERS}", answers.len()));
        }
        let mut texts = HashSet::new();
        for Choice { text, .. } in answers {
            if !length(text, 100) || text.trim() != text || text.contains(char::is_control) {
                return Err(format!("settings.asks.{key}: the answer {text:?} must be a line of 1 to 100 characters"));
            }
            if !texts.insert(text) {
                return Err(format!("settings.asks.{key} has the answer {text:?} twice"));
            }
        }
    }
    Ok(())
}
