//! How a refusal looks to people: a page in their language, with the way back.

use super::layout::{OnAPage, Page, go};
use super::visit::words_of;
use super::with_query;
use super::words::Words;
use crate::app::App;
use crate::links;
use crate::problem::Problem;
use axum::extract::Request;
use axum::http::header::{ACCEPT, RETRY_AFTER};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::Response;
use borduel_report::plain;
use borduel_study::settings::Language;
use maud::html;

/// Who asked for what, of a request that may be refused.
pub(crate) struct Asker {
    address: Uri,
    reads: bool,
    /// Whether a browser wants a page.
    page: bool,
    headers: HeaderMap,
}

impl Asker {
    /// Whoever sends this request; none who is a program.
    pub(crate) fn of(request: &Request) -> Option<Self> {
        let address = request.uri().clone();
        if address.path().starts_with("/v1/") {
            return None;
        }
        let headers = request.headers().clone();
        let page = headers.get(ACCEPT).is_some_and(|kinds| kinds.as_bytes().starts_with(b"text/html"));
        Some(Self { address, reads: *request.method() == Method::GET, page, headers })
    }

    /// The response, in which a refusal is a page if one was asked for.
    pub(crate) async fn shown(self, app: &App, mut response: Response) -> Response {
        let Some(problem) = response.extensions_mut().remove::<Problem>() else { return response };
        if !self.page && response.extensions().get::<OnAPage>().is_none() {
            return response;
        }
        let path = self.address.path();
        let slug = path.strip_prefix("/s/").and_then(|rest| rest.split('/').next());
        // Only forms are sent there: whoever comes back to it or opens it again wants the page that has them.
        if problem.status == 405 && self.reads {
            let page = match slug {
                Some(slug) if path.contains("/admin") => links::admin(slug),
                Some(slug) => links::vote(slug),
                None => "/".to_owned(),
            };
            return go(&with_query(&page, &self.address), None);
        }
        let words = match slug.filter(|_| problem.status != 404) {
            Some(slug) => words_of(app, slug, &self.headers).await,
            None => Words::of(Language::Browser, &self.headers),
        };
        let mut page = refused(&problem, path, slug, words);
        if let Some(wait) = response.headers_mut().remove(RETRY_AFTER) {
            page.headers_mut().insert(RETRY_AFTER, wait);
        }
        page
    }
}

/// A refusal as a page: to voters in their language, to organisers as it is.
fn refused(problem: &Problem, path: &str, slug: Option<&str>, words: &'static Words) -> Response {
    let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let organiser = problem.status != 404 && (slug.is_none() || path.contains("/admin") || path.ends_with("/preview"));
    let words = if organiser { Words::english() } else { words };
    let (head, text) = match problem.status {
        404 => (words.not_found, words.nothing_here),
        _ if organiser && !matches!(problem.status, 400 | 422) => (problem.title.as_str(), ""),
        401 => (words.not_joined, words.not_joined_more),
        403 | 405 => (words.not_allowed, words.not_allowed_more),
        409 => (words.not_counted, words.not_counted_more),
        410 => (words.ended, words.ended_more),
        429 => (words.too_many, words.wait),
        503 => (words.not_saved, words.wait),
        500 => (words.our_fault, words.our_fault_more),
        _ if organiser => (words.check_this, ""),
        _ => (words.check_this, words.not_taken),
    };
    // What exactly is wrong is said in English, which helps more than nothing; but not what there might be.
    let detail = Some(plain(&problem.detail)).filter(|_| problem.status != 404);
    let foreign = words.code != "en";
    let back = match slug {
        // Whatever is there, it is not there.
        _ if problem.status == 404 => None,
        Some(slug) if path.contains("/admin") => Some((links::admin(slug), "Back to the dashboard")),
        Some(slug) => Some((links::vote(slug), words.back)),
        None => Some((path.to_owned(), "Back")),
    };
    Page { class: "narrow", language: words.code, ..Page::new(head) }.show_as(
        status,
        &html! {
            main.paper {
                h1 { (head) }
                @if !text.is_empty() { p.lead { (text) } }
                @if let Some(detail) = detail {
                    p.soft lang=[foreign.then_some("en")] dir=[foreign.then_some("ltr")] { (detail) }
                }
                @if problem.status == 404 { p.soft { (words.not_found_more) } }
                @if let Some((to, text)) = &back { p { a.button href=(to) { (text) } } }
            }
        },
    )
}
