//! Which of several questions about each pair a request is about.

use crate::api_result::ApiResult;
use crate::body::{Asked, query};
use crate::problem::Problem;
use borduel_rank::ranking::VerdictKind;
use borduel_study::Desk;
use borduel_study::settings::Criterion;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Which of several questions about each pair.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Which {
    /// The key of one of several questions about each pair; the first unless it is said.
    pub(crate) criterion: Option<String>,
}

/// One of several questions about each pair, and how it is answered by now.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct CriterionView {
    pub(crate) key: String,
    /// What voters are asked.
    pub(crate) question: String,
    /// The votes that count.
    pub(crate) votes: u64,
    /// As the `kind` of a verdict.
    pub(crate) kind: String,
    /// What comes out, in a few words.
    pub(crate) head: String,
    /// The kind of its verdict, once there is one.
    #[serde(skip)]
    pub(crate) verdict: Option<VerdictKind>,
    /// The keys of all that may be best, the leader first.
    pub(crate) winners: Vec<String>,
}

/// The place of the criterion of this key; the first where none is said, and of a study that has one question.
pub(crate) fn place(criteria: &[Criterion], key: Option<&str>) -> ApiResult<usize> {
    let Some(key) = key else { return Ok(0) };
    let keys = || criteria.iter().map(|criterion| criterion.key.as_str()).collect::<Vec<_>>().join(", ");
    criteria.iter().position(|criterion| criterion.key == key).ok_or_else(|| {
        Problem::not_found(if criteria.is_empty() {
            "this study asks one question about each pair: leave criterion out".to_owned()
        } else {
            format!("criterion is {key:?}: it is one of {}", keys())
        })
    })
}

/// The place of the criterion that is asked for, in this study.
pub(crate) async fn wanted(desk: &Desk, which: Asked<Which>) -> ApiResult<usize> {
    chosen(desk, query(which)?.criterion.as_deref()).await
}

/// The place of the criterion of this key, in this study.
pub(crate) async fn chosen(desk: &Desk, key: Option<&str>) -> ApiResult<usize> {
    place(&desk.read(|state| state.settings.criteria.clone()).await?, key)
}
