//! What handlers return: an answer or a problem, with its ETag.

use crate::problem::Problem;
use axum::http::HeaderMap;
use axum::http::header::{ETAG, IF_MATCH};
use axum::response::{IntoResponse, Response};
use std::fmt::Display;

/// What handlers return.
pub(crate) type ApiResult<T> = Result<T, Problem>;

/// A response with an ETag: the head of its study where all of it changes with every event, the tag of the settings
/// where these are what can be changed.
pub(crate) fn tagged(tag: impl Display, response: impl IntoResponse) -> Response {
    let mut response = response.into_response();
    // Digits, letters and quotes are always a header.
    if let Ok(tag) = format!("\"{tag}\"").parse() {
        response.headers_mut().insert(ETAG, tag);
    }
    response
}

/// The tag that `If-Match` names; `None` where whatever is there may be changed.
pub(crate) fn if_match(headers: &HeaderMap) -> Option<String> {
    let tag = headers.get(IF_MATCH)?.to_str().unwrap_or("").trim();
    // Without its quotes it is no tag, and matches none.
    let bare = tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"')).unwrap_or("");
    (tag != "*").then(|| bare.to_owned())
}
