//! Everything a study holds, as files; streamed, however long.

use crate::api_result::ApiResult;
use crate::app::App;
use crate::body::{Asked, Page, query};
use crate::criterion::{Which, chosen};
use crate::problem::{Problem, Problems};
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use borduel_study::Error;
use borduel_study::export::FILES;
use borduel_study::low_priority::low_priority;
use futures_util::stream;
use serde::Serialize;
use utoipa::ToSchema;

/// A part of the log.
#[derive(Serialize, ToSchema)]
pub(crate) struct LogPart {
    /// What was decided, commit by commit.
    #[schema(value_type = Vec<Object>)]
    entries: Vec<serde_json::Value>,
    /// What the next part comes after, if there is one.
    next: Option<String>,
}

/// Shows the log: what was decided and when, with the hash up to each commit.
#[utoipa::path(get, path = "/v1/studies/{slug}/log", operation_id = "list_log",
    tag = "exports", params(("slug" = String, Path), Page),
    security(("organiser" = [])),
    responses((status = 200, description = "A part of the log.", body = LogPart), Problems))]
pub(crate) async fn log(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    page: Asked<Page>,
) -> ApiResult<axum::Json<LogPart>> {
    let desk = app.organiser(&slug, &headers).await?;
    let page = query(page)?;
    let after = page.after.as_deref().unwrap_or("0");
    let after: u64 =
        after.parse().map_err(|_| Problem::invalid(format!("after is {after:?}: it is the number of an event")))?;
    let limit = page.limit()? as usize;
    let found = app.studies.ledger().entries(desk.study(), after.min(i64::MAX as u64)).await?;
    let head = desk.read(|state| state.head).await?;
    let next = found.iter().take(limit).next_back().filter(|last| last.last < head).map(|last| last.last.to_string());
    let entry = |entry: &borduel_study::event::Entry| -> ApiResult<serde_json::Value> {
        // Every part with its name, in whatever format it is stored.
        let events = serde_json::to_value(entry.events()?)
            .map_err(|error| Problem::new("internal", format!("entry {}: {error}", entry.first)))?;
        let at = borduel_study::export::time(entry.at);
        Ok(serde_json::json!({
            "first": entry.first, "last": entry.last, "at": at, "format": entry.format, "events": events,
        }))
    };
    let entries = low_priority(move || found.iter().take(limit).map(entry).collect::<ApiResult<Vec<_>>>()).await;
    let (entries, _) =
        entries.ok_or_else(|| Problem::new("internal", "the log could not be read: see the server's log"))?;
    Ok(axum::Json(LogPart { entries: entries?, next }))
}

fn file(name: &str, kind: &'static str, body: Body) -> Response {
    let disposition = format!("attachment; filename=\"{name}\"");
    ([(CONTENT_TYPE, kind.to_owned()), (CONTENT_DISPOSITION, disposition)], body).into_response()
}

/// Exports votes, hints, voters, the people behind them, items, contexts, what items show in them, or the log. `borduel
/// rank` reads votes.csv, votes.jsonl and items.csv as they are.
#[utoipa::path(get, path = "/v1/studies/{slug}/export/{file}", operation_id = "export_study",
    tag = "exports",
    params(("slug" = String, Path), ("file" = String, Path,
        description = "votes.csv, votes.jsonl, hints.csv, voters.csv, people.csv, items.csv, contexts.csv, \
            contents.csv, log.jsonl or report.html"),
        ("criterion" = Option<String>, Query,
            description = "Of several questions about each pair, the key of the one whose votes are exported; without \
                it, votes on all of them, told apart by the column `criterion`, and the report of the first")),
    security(("organiser" = [])),
    responses((status = 200, description = "The file.", content(
        (String = "text/csv"), (String = "application/jsonl"), (String = "text/html"))), Problems))]
pub(crate) async fn export(
    State(app): State<App>,
    Path((slug, name)): Path<(String, String)>,
    headers: HeaderMap,
    which: Asked<Which>,
) -> ApiResult<Response> {
    let desk = app.page_organiser(&slug, &headers).await?;
    let which = query(which)?;
    let criterion = chosen(&desk, which.criterion.as_deref()).await?;
    if name == "report.html" {
        let page = super::results::report(&app, &desk, &slug, criterion).await?;
        return Ok(([(CONTENT_TYPE, "text/html; charset=utf-8")], page).into_response());
    }
    let Some(export) = app.studies.export(&desk, &name, which.criterion.map(|_| criterion)).await? else {
        return Err(Problem::not_found(format!(
            "there is no export {name:?}: {} and report.html are there",
            FILES.join(", ")
        )));
    };
    let body = Body::from_stream(stream::try_unfold(export, |mut export| async move {
        Ok::<_, Error>(export.part().await?.map(|text| (text, export)))
    }));
    let is_table = std::path::Path::new(&name).extension().is_some_and(|end| end == "csv");
    let kind = if is_table { "text/csv" } else { "application/jsonl" };
    Ok(file(&name, kind, body))
}
