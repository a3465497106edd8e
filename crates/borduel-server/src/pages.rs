//! What people see: pages made on the server, which work without a script (but for pictures) and are livelier with one.

mod accent;
mod assets;
mod create;
mod criteria;
mod dashboard;
mod form;
mod goal;
mod home;
mod items_text;
mod layout;
mod markdown;
mod pair;
mod part;
mod pass;
mod preview;
mod qr;
mod reference;
mod refusal;
mod results;
mod session;
mod sheet;
mod start;
mod stop;
mod thanks;
mod visit;
mod vote;
mod words;

use crate::app::App;
use crate::cookie;
use crate::problem::Problem;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{Method, Uri};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use layout::{Fault, go};

pub(crate) use refusal::Asker;

/// All pages. Nothing but a page of this server can send them a form.
pub(crate) fn router(app: &App) -> Router<App> {
    Router::new()
        .route("/", get(home::show))
        .route("/session", post(session::start))
        .route("/docs", get(reference::show))
        .route("/new", get(create::show).post(create::make))
        .route("/new/words", post(create::words))
        .route("/s/{slug}", get(vote::show))
        .route("/s/{slug}/about", get(vote::about))
        .route("/s/{slug}/preview", get(preview::show))
        .route("/s/{slug}/start", post(start::start))
        .route("/s/{slug}/leave", post(start::leave))
        .route("/s/{slug}/more", post(vote::more))
        .route("/s/{slug}/answer", post(vote::answer))
        .route("/s/{slug}/undo", post(vote::undo))
        .route("/s/{slug}/comment", post(vote::comment))
        .route("/s/{slug}/suggest", post(vote::suggest))
        .route("/s/{slug}/results", get(results::show))
        .merge(dashboard::router())
        .layer(from_fn_with_state(app.clone(), same_origin))
        .layer(from_fn(small_letters))
        .route("/assets/{name}", get(assets::get))
        .route("/accents/{name}", get(accent::get))
}

/// What is said at an address where there is nothing. No page's address ends with a slash, whatever a phone makes of
/// it.
pub(crate) async fn missing(request: Request) -> Response {
    let path = request.uri().path();
    let whole = path.trim_end_matches('/');
    if path.starts_with("/s/") && whole != path && whole.len() > 3 && *request.method() == Method::GET {
        return go(&with_query(whole, request.uri()), None);
    }
    Problem::not_found("there is nothing at this address: see /docs").into_response()
}

fn with_query(path: &str, address: &Uri) -> String {
    address.query().map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"))
}

/// Leads to the study of this name in small letters, in which all names are: phones begin words with a capital.
async fn small_letters(request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let mut parts = path.splitn(4, '/');
    if let (Some(""), Some("s"), Some(slug), rest) = (parts.next(), parts.next(), parts.next(), parts.next())
        && slug.contains(|c: char| c.is_ascii_uppercase())
        && *request.method() == Method::GET
    {
        let rest = rest.map_or_else(String::new, |rest| format!("/{rest}"));
        return go(&with_query(&format!("/s/{}{rest}", slug.to_ascii_lowercase()), request.uri()), None);
    }
    next.run(request).await
}

/// Lets pass what reads, and of what changes something only what a page of this server sent.
async fn same_origin(State(app): State<App>, request: Request, next: Next) -> Response {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    if reads || cookie::comes_from_here(&app, request.headers()) {
        return next.run(request).await;
    }
    Fault(Problem::new("not-yours", "the request does not come from a page of this server")).into_response()
}
