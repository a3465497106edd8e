//! Files of votes from elsewhere.

use crate::answer::Answer;
use crate::app::App;
use crate::body::{Binary, FILE, read};
use crate::problem::{Problem, Problems};
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use borduel_study::import::{File, known};
use serde::Serialize;
use utoipa::ToSchema;

/// What was imported.
#[derive(Serialize, ToSchema)]
pub(crate) struct ImportView {
    /// The votes of the file.
    votes: u64,
    /// Whether they were new; the same file again changes nothing.
    changed: bool,
}

/// Imports a file of votes, of any kind that `borduel rank` reads.
#[utoipa::path(put, path = "/v1/studies/{slug}/imports/{name}", operation_id = "import_votes",
    tag = "imports",
    params(("slug" = String, Path), ("name" = String, Path)), request_body(content = inline(Binary), content_type = "application/octet-stream"),
    security(("organiser" = [])), responses((status = 200, description = "It is in.", body = ImportView), Problems))]
pub(crate) async fn put(
    State(app): State<App>,
    Path((slug, name)): Path<(String, String)>,
    headers: HeaderMap,
    body: Body,
) -> Answer<axum::Json<ImportView>> {
    let desk = app.organiser(&slug, &headers).await?;
    let bytes = read(body, FILE).await?;
    let (items, contexts) = known(&desk).await?;
    let file = tokio::task::spawn_blocking(move || File::read(&name, bytes, &items, &contexts)).await;
    let file = file.map_err(|error| Problem::new("internal", error.to_string()))??;
    let changed = file.take_in(&desk).await?;
    Ok(axum::Json(ImportView { votes: file.len() as u64, changed }))
}
