//! Files of votes from elsewhere.

use crate::api_result::ApiResult;
use crate::app::App;
use crate::body::{Asked, Binary, FILE, query};
use crate::problem::{Problem, Problems};
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use borduel_study::import::{File, known};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// What was imported.
#[derive(Serialize, ToSchema)]
pub(crate) struct ImportView {
    /// The votes of the file.
    votes: u64,
    /// Whether they were new; the same file again changes nothing.
    changed: bool,
}

/// How a file is imported.
#[derive(Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct How {
    /// Whether its votes are a judge's, and hints: they guide what people are asked, and are never counted as votes.
    hint: Option<bool>,
    /// Of several questions about each pair, the key of the one that the file answers. Of a file with a column
    /// `criterion`, the rows of this one are taken.
    criterion: Option<String>,
}

/// Imports a file of votes, of any kind that `borduel rank` reads.
#[utoipa::path(put, path = "/v1/studies/{slug}/imports/{name}", operation_id = "import_votes",
    tag = "imports",
    params(("slug" = String, Path), ("name" = String, Path), How),
    request_body(content = inline(Binary), content_type = "application/octet-stream"),
    security(("organiser" = [])), responses((status = 200, description = "It is in.", body = ImportView), Problems))]
pub(crate) async fn put(
    State(app): State<App>,
    Path((slug, name)): Path<(String, String)>,
    headers: HeaderMap,
    how: Asked<How>,
    body: Body,
) -> ApiResult<axum::Json<ImportView>> {
    let desk = app.organiser(&slug, &headers).await?;
    let How { hint, criterion } = query(how)?;
    let bytes = crate::body::read(body, FILE).await?;
    let (items, contexts) = known(&desk).await?;
    let criteria = desk.read(|state| state.settings.criteria.clone()).await?;
    let read = move || File::read_by(&name, bytes, (&items, &contexts), &criteria, criterion.as_deref());
    let file = tokio::task::spawn_blocking(read).await;
    let file = file.map_err(|error| Problem::new("internal", error.to_string()))??;
    let file = if hint == Some(true) { file.as_hint() } else { file };
    let changed = file.take_in(&desk).await?;
    Ok(axum::Json(ImportView { votes: file.len() as u64, changed }))
}
