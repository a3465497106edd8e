//! Contexts and contents by the file: a table, or a zip.

use super::contexts::Correcting;
use crate::api_result::ApiResult;
use crate::app::App;
use crate::body::{Asked, Binary, FILE, query, read};
use crate::bundle::{self, Stored};
use crate::problem::{Problem, Problems};
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::HeaderMap;

/// Takes contexts and contents from a file: a table of contexts (id, name, text), of contents (item, context, text),
/// or with a prompt a row and a column an item; or a zip of item/context.txt (md, png, jpg, webp) and
/// contexts/context.txt. Items and contexts that are new are added. The same file again changes nothing.
#[utoipa::path(put, path = "/v1/studies/{slug}/contents", operation_id = "import_contents",
    tag = "contexts", params(("slug" = String, Path), Correcting),
    request_body(content = inline(Binary), content_type = "application/octet-stream"),
    security(("organiser" = [])), responses((status = 200, description = "It is in.", body = Stored), Problems))]
pub(crate) async fn put(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    correcting: Asked<Correcting>,
    body: Body,
) -> ApiResult<axum::Json<Stored>> {
    let desk = app.organiser(&slug, &headers).await?;
    let correction = query(correcting)?.correction.unwrap_or(false);
    let bytes = read(body, FILE).await?;
    let said = tokio::task::spawn_blocking(move || bundle::read(&bytes)).await;
    let said = said.map_err(|error| Problem::new("internal", error.to_string()))??;
    Ok(axum::Json(bundle::store(&desk, said, correction).await?))
}
