//! What handlers return: an answer or a problem, with the head of its study as ETag.

use crate::problem::Problem;
use axum::http::HeaderMap;
use axum::http::header::{ETAG, IF_MATCH};
use axum::response::{IntoResponse, Response};

/// What handlers return.
pub(crate) type Answer<T> = Result<T, Problem>;

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
