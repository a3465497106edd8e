//! What voters suggest as items, and what the organiser makes of it.

use super::items::{NewItem, commands, known};
use crate::api_result::ApiResult;
use crate::app::App;
use crate::auth::Bearer;
use crate::body::{Json, number};
use crate::problem::{Problem, Problems};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use borduel_study::content::Content;
use borduel_study::{Command, Desk};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a voter suggests.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewSuggestion {
    #[schema(min_length = 1, max_length = 200)]
    title: String,
    #[schema(max_length = 1000)]
    text: Option<String>,
}

/// A suggestion that waits for the organiser.
#[derive(Serialize, ToSchema)]
pub(crate) struct SuggestionView {
    /// The number of the suggestion.
    suggestion: u32,
    /// Who suggests it.
    voter: u32,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// The suggestions that wait.
#[derive(Serialize, ToSchema)]
pub(crate) struct SuggestionList {
    suggestions: Vec<SuggestionView>,
}

/// What becomes of a suggestion.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Weighing {
    /// Whether it becomes an item; otherwise it is rejected, and what it says deleted.
    pub(crate) accept: bool,
    /// The item's key; made from the title where it is left out.
    #[schema(pattern = "^[A-Za-z0-9._-]{1,64}$")]
    pub(crate) key: Option<String>,
    /// Better words than the voter's.
    #[schema(min_length = 1, max_length = 200)]
    pub(crate) title: Option<String>,
    /// A better text than the voter's.
    #[schema(max_length = 10000)]
    pub(crate) text: Option<String>,
}

fn filled(text: &str) -> Option<String> {
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Keeps what a voter suggests.
pub(crate) async fn keep(desk: &Desk, voter: u32, title: &str, text: &str) -> ApiResult<()> {
    let content = Content { title: title.trim().to_owned(), text: filled(text), ..Content::default() };
    let content = content.suggestion()?;
    desk.send(Command::Suggest { voter, content }).await?;
    Ok(())
}

/// Makes an item of a suggestion, or rejects it.
pub(crate) async fn decide(desk: &Desk, suggestion: u32, weighing: Weighing) -> ApiResult<()> {
    let waiting = desk.suggestions().await?;
    let found = waiting.into_iter().find(|(number, ..)| *number == suggestion);
    let missing = || Problem::not_found(format!("there is no suggestion {suggestion} that waits"));
    let (_, _, content) = found.ok_or_else(missing)?;
    let item = if weighing.accept {
        let title = weighing.title.unwrap_or_else(|| content.title.clone());
        let text = weighing.text.or_else(|| content.text.clone()).and_then(|text| filled(&text));
        let new = NewItem { key: weighing.key, title: title.trim().to_owned(), text, ..NewItem::default() };
        commands(&[new], &known(desk).await?)?.pop()
    } else {
        None
    };
    desk.send(Command::Weigh { suggestion, item }).await?;
    Ok(())
}

async fn view(desk: &Desk) -> ApiResult<axum::Json<SuggestionList>> {
    let view = |(suggestion, voter, content): (u32, u32, std::sync::Arc<Content>)| SuggestionView {
        suggestion,
        voter,
        title: content.title.clone(),
        text: content.text.clone(),
    };
    Ok(axum::Json(SuggestionList { suggestions: desk.suggestions().await?.into_iter().map(view).collect() }))
}

/// Suggests an item, where the study allows it. It waits until the organiser takes it; the same again is taken for the
/// same.
#[utoipa::path(post, path = "/v1/studies/{slug}/suggestions", operation_id = "suggest_item",
    tag = "items", request_body = NewSuggestion, params(("slug" = String, Path)),
    security(("voter" = []), ("judge" = [])),
    responses((status = 204, description = "It waits for the organiser."), Problems))]
pub(crate) async fn post(
    State(app): State<App>,
    Path(slug): Path<String>,
    bearer: Bearer,
    Json(new): Json<NewSuggestion>,
) -> ApiResult<StatusCode> {
    let (desk, voter, _) = app.voter(&slug, bearer).await?;
    keep(&desk, voter, &new.title, new.text.as_deref().unwrap_or("")).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lists the suggestions that wait.
#[utoipa::path(get, path = "/v1/studies/{slug}/suggestions", operation_id = "list_suggestions",
    tag = "items", params(("slug" = String, Path)), security(("organiser" = [])),
    responses((status = 200, description = "The suggestions that wait.", body = SuggestionList), Problems))]
pub(crate) async fn list(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
) -> ApiResult<axum::Json<SuggestionList>> {
    view(&app.organiser(&slug, &headers).await?).await
}

/// Takes or rejects a suggestion.
#[utoipa::path(put, path = "/v1/studies/{slug}/suggestions/{suggestion}", operation_id = "weigh_suggestion",
    tag = "items", request_body = Weighing,
    params(("slug" = String, Path), ("suggestion" = u32, Path)), security(("organiser" = [])),
    responses((status = 200, description = "The suggestions that still wait.", body = SuggestionList), Problems))]
pub(crate) async fn put(
    State(app): State<App>,
    Path((slug, suggestion)): Path<(String, String)>,
    headers: HeaderMap,
    Json(weighing): Json<Weighing>,
) -> ApiResult<axum::Json<SuggestionList>> {
    let desk = app.organiser(&slug, &headers).await?;
    decide(&desk, number(&suggestion, "suggestion")?, weighing).await?;
    view(&desk).await
}
