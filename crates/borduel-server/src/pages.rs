//! What people see: pages made on the server, which work without a script (but for pictures) and are livelier with one.

mod assets;
mod create;
mod dashboard;
mod form;
mod home;
mod items_text;
mod layout;
mod markdown;
mod pair;
mod part;
mod qr;
mod reference;
mod results;
mod session;
mod sheet;
mod stop;
mod thanks;
mod vote;

use crate::app::App;
use crate::cookie;
use crate::problem::Problem;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use layout::Fault;

/// All pages. Nothing but a page of this server can send them a form.
pub(crate) fn router(app: &App) -> Router<App> {
    Router::new()
        .route("/", get(home::show))
        .route("/session", post(session::start))
        .route("/docs", get(reference::show))
        .route("/new", get(create::show).post(create::make))
        .route("/s/{slug}", get(vote::show))
        .route("/s/{slug}/start", post(vote::start))
        .route("/s/{slug}/answer", post(vote::answer))
        .route("/s/{slug}/undo", post(vote::undo))
        .route("/s/{slug}/comment", post(vote::comment))
        .route("/s/{slug}/results", get(results::show))
        .route("/s/{slug}/results/now", get(results::now))
        .merge(dashboard::router())
        .layer(from_fn_with_state(app.clone(), same_origin))
        .route("/assets/{name}", get(assets::get))
}

/// Lets pass what reads, and of what changes something only what a page of this server sent.
async fn same_origin(State(app): State<App>, request: Request, next: Next) -> Response {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    if reads || cookie::comes_from_here(&app, request.headers()) {
        return next.run(request).await;
    }
    Fault(Problem::new("not-yours", "the request does not come from a page of this server")).into_response()
}
