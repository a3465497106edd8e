//! Parts of pages for scripts: they get HTML to put in, and refusals as programs read them.

use super::layout::{Shown, html_of};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use maud::Markup;

/// Whether a script of a page asks, and wants only what is new.
pub(super) fn wanted(headers: &HeaderMap) -> bool {
    headers.get("x-borduel").is_some_and(|value| value == "part")
}

/// A part of a page.
pub(super) fn part(markup: Markup) -> Response {
    html_of(markup).into_response()
}

/// The response as whoever asked can read it.
pub(super) fn respond(part: bool, shown: Shown) -> Response {
    match shown {
        Ok(response) => response,
        Err(fault) if part => fault.0.into_response(),
        Err(fault) => fault.into_response(),
    }
}
