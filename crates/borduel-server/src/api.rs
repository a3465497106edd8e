//! The addresses under `/v1`. One file a noun.

pub(crate) mod exports;
pub(crate) mod imports;
pub(crate) mod items;
pub(crate) mod questions;
pub(crate) mod results;
pub(crate) mod studies;
pub(crate) mod voters;

use crate::app::App;
use crate::problem::Problem;
use axum::http::HeaderMap;
use axum::http::header::{ETAG, IF_MATCH};
use axum::response::{IntoResponse, Response};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// What handlers return.
pub(crate) type Answer<T> = Result<T, Problem>;

/// All addresses under `/v1`.
pub(crate) fn router() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(studies::create, studies::list))
        .routes(routes!(studies::show, studies::patch))
        .routes(routes!(studies::status))
        .routes(routes!(items::list, items::post))
        .routes(routes!(items::put))
        .routes(routes!(voters::join))
        .routes(routes!(voters::quality))
        .routes(routes!(voters::patch, voters::erase))
        .routes(routes!(questions::ask))
        .routes(routes!(questions::answer, questions::undo))
        .routes(routes!(questions::answers))
        .routes(routes!(results::results))
        .routes(routes!(results::live))
        .routes(routes!(exports::log))
        .routes(routes!(exports::export))
        .routes(routes!(imports::put))
}

/// A response with the head of its study as ETag.
pub(crate) fn tagged(head: u64, response: impl IntoResponse) -> Response {
    let mut response = response.into_response();
    // Digits and quotes are always a header.
    if let Ok(tag) = format!("\"{head}\"").parse() {
        response.headers_mut().insert(ETAG, tag);
    }
    response
}

/// Whether `If-Match`, where it is sent, names this head.
pub(crate) fn must_match(headers: &HeaderMap, head: u64) -> Answer<()> {
    let Some(tag) = headers.get(IF_MATCH) else { return Ok(()) };
    let tag = tag.to_str().unwrap_or("").trim();
    if tag == "*" || tag == format!("\"{head}\"") {
        return Ok(());
    }
    Err(Problem::new("changed", format!("If-Match is {tag}, the study is at \"{head}\"")))
}
