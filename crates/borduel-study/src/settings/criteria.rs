//! Criteria: several questions about each pair, each with scores and a verdict of its own.

use super::asks::is_key;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use utoipa::ToSchema;

/// The most criteria of a study.
const MOST: usize = 8;

/// One of several questions about each pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct Criterion {
    /// What it is called in files and addresses.
    #[schema(pattern = "^[a-z][a-z0-9_]{0,31}$")]
    pub key: String,
    /// What voters are asked.
    #[schema(min_length = 1, max_length = 500)]
    pub question: String,
}

/// Checks every bound.
pub(super) fn check(criteria: &[Criterion]) -> Result<(), String> {
    if criteria.len() == 1 {
        let one = "settings.criteria has one question: write it as settings.question, or add another";
        return Err(one.to_owned());
    }
    if criteria.len() > MOST {
        return Err(format!("settings.criteria has {} questions: at most {MOST} are possible", criteria.len()));
    }
    let mut keys = HashSet::new();
    for Criterion { key, question } in criteria {
        if !is_key(key) {
            let what = "write up to 32 of a-z 0-9 _, a letter first";
            return Err(format!("settings.criteria: {key:?} is no key; {what}"));
        }
        if !keys.insert(key) {
            return Err(format!("settings.criteria has the key {key:?} twice"));
        }
        if question.trim().is_empty() || question.chars().count() > 500 {
            return Err(format!("settings.criteria.{key}: the question must have 1 to 500 characters"));
        }
    }
    Ok(())
}
