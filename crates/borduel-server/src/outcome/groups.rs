//! How groups of voters score the items, told apart by what they said about themselves.

use super::{Standing, ranked_of};
use crate::api_result::ApiResult;
use crate::problem::Problem;
use borduel_rank::ranking::Interval;
use borduel_report::Table;
use borduel_report::ranking::document::Difference;
use borduel_report::ranking::{Group, Groups, Ranked};
use borduel_study::State as Study;
use borduel_study::standing::Evidence;
use serde::Serialize;
use std::sync::Arc;
use std::time::{Duration, Instant};
use utoipa::ToSchema;

/// How groups of voters score the items. A ranking of this moment without verdicts: unlike that of the study its
/// intervals and p are for whoever looks once.
#[derive(Serialize, ToSchema)]
pub(crate) struct GroupsView {
    /// How many events it rests on.
    head: u64,
    /// What tells the groups apart.
    attribute: String,
    /// Whether items differ beyond chance, all of them taken together.
    text: String,
    groups: Vec<GroupView>,
    /// Every item in every group, the most certain differences first.
    items: Vec<GroupedView>,
}

/// A group of voters.
#[derive(Serialize, ToSchema)]
struct GroupView {
    /// What its voters said.
    value: String,
    /// The votes that count.
    votes: u64,
    /// Why it has no scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    unranked: Option<String>,
}

/// How an item fares in the groups.
#[derive(Serialize, ToSchema)]
struct GroupedView {
    item: String,
    /// The chance of so much difference, were its scores the same in all groups; of all items by Holm's method.
    p: f64,
    /// Its score in each of the groups, none where it has too few votes.
    scores: Vec<Option<GroupScore>>,
}

/// A score of a group.
#[derive(Serialize, ToSchema)]
struct GroupScore {
    borda: Option<f64>,
    low: f64,
    high: f64,
}

/// What was found, for pages and for programs.
pub(crate) struct Found {
    pub(crate) sentence: String,
    pub(crate) table: Table,
    pub(crate) json: String,
}

/// Groups as they were computed, with what that cost, or why they could not be.
#[derive(Clone)]
pub(crate) struct CachedGroups {
    pub(crate) head: u64,
    pub(crate) made: Instant,
    pub(crate) cost: Duration,
    pub(crate) found: Arc<Result<Found, String>>,
}

/// The groups that there are.
pub(crate) struct Current {
    pub(crate) found: Arc<Result<Found, String>>,
    /// Whether something has happened since.
    pub(crate) behind: bool,
}

/// The groups by this attribute: where they differ beyond chance, all items taken together, and every item's score in
/// each of them. A ranking of this moment, as `borduel rank --by` makes it of the exported votes.
pub(crate) fn by(state: &Study, titles: &[String], key: &str) -> ApiResult<Found> {
    let main = ranked_of(state, titles, Evidence::of(state)?)?;
    let values = state.attributes.iter().find(|attribute| attribute.key == key).map(|attribute| &attribute.values);
    let mut parts: Vec<(String, ApiResult<Standing>)> = Vec::new();
    for value in values.into_iter().flatten() {
        let evidence = Evidence::of_those(state, |voter| state.attribute(voter, key) == Some(value.as_str()))?;
        parts.push((value.clone(), ranked_of(state, titles, evidence)));
    }
    let mut groups = Vec::with_capacity(parts.len());
    for (value, standing) in &parts {
        let ranked = standing.as_ref().map(Standing::ranked).map_err(|problem| problem.detail.clone());
        groups.push(Group { value: value.clone(), span: None, ranked });
    }
    let (groups, main) = (Groups { column: key, groups }, main.ranked());
    let (sentence, table) = groups.compared(&main);
    let json = serde_json::to_string(&view(state.head, &groups, &main, &sentence));
    let json = json.map_err(|error| Problem::new("internal", error.to_string()))?;
    Ok(Found { sentence, table, json })
}

/// The same for programs.
fn view(head: u64, groups: &Groups<'_>, main: &Ranked<'_>, text: &str) -> GroupsView {
    let group = |group: &Group<'_>| GroupView {
        value: group.value.clone(),
        votes: group.ranked.as_ref().map_or(0, |ranked| ranked.ballots.used() as u64),
        unranked: group.ranked.as_ref().err().cloned(),
    };
    let score = |score: Interval| GroupScore { borda: score.estimate, low: score.low, high: score.high };
    let item = |found: Difference| GroupedView {
        item: found.item,
        p: found.p,
        scores: found.borda.into_iter().map(|found| found.map(score)).collect(),
    };
    GroupsView {
        head,
        attribute: groups.column.to_owned(),
        text: text.to_owned(),
        groups: groups.groups.iter().map(group).collect(),
        items: groups.differences(main).into_iter().map(item).collect(),
    }
}
