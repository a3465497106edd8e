//! How groups of voters score the items, told apart by what they said about themselves.

use super::{Standing, ranked_of};
use crate::answer::Answer;
use borduel_report::Table;
use borduel_report::ranking::{Group, Groups};
use borduel_study::State as Study;
use borduel_study::standing::Evidence;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Groups as they were computed, with what that cost, or why they could not be.
#[derive(Clone)]
pub(crate) struct Kept {
    pub(crate) head: u64,
    pub(crate) made: Instant,
    pub(crate) cost: Duration,
    pub(crate) found: Arc<Result<(String, Table), String>>,
}

/// The groups that there are.
pub(crate) struct Current {
    pub(crate) found: Arc<Result<(String, Table), String>>,
    /// Whether something has happened since.
    pub(crate) behind: bool,
}

/// The groups by this attribute: where they differ beyond chance, all items taken together, and every item's score in
/// each of them. A ranking of this moment, as `borduel rank --by` makes it of the exported votes.
pub(crate) fn by(state: &Study, titles: &[String], key: &str) -> Answer<(String, Table)> {
    let main = ranked_of(state, titles, Evidence::of(state)?)?;
    let values = state.attributes.iter().find(|attribute| attribute.key == key).map(|attribute| &attribute.values);
    let mut parts: Vec<(String, Answer<Standing>)> = Vec::new();
    for value in values.into_iter().flatten() {
        let evidence = Evidence::of_those(state, |voter| state.attribute(voter, key) == Some(value.as_str()))?;
        parts.push((value.clone(), ranked_of(state, titles, evidence)));
    }
    let mut groups = Vec::with_capacity(parts.len());
    for (value, standing) in &parts {
        let ranked = standing.as_ref().map(Standing::ranked).map_err(|problem| problem.detail.clone());
        groups.push(Group { value: value.clone(), span: None, ranked });
    }
    Ok(Groups { column: key, groups }.compared(&main.ranked()))
}
