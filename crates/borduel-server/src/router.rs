//! All addresses, and what stands around every request: an id, a limit, a time, a line in the log.

use crate::app::App;
use crate::body::{arrived, is_text};
use crate::compute::shared;
use crate::limit::address;
use crate::openapi::parts;
use crate::pages::Asker;
use crate::problem::{KINDS, Problem};
use crate::{pack, pages};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{ConnectInfo, MatchedPath, Path, Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use borduel_study::desk;
use metrics_exporter_prometheus::PrometheusHandle;
use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};
use tower_http::catch_panic::CatchPanicLayer;

/// The most time of an ordinary request.
const PATIENCE: Duration = Duration::from_secs(10);
/// The most time of an import, which may be long.
const LONG_PATIENCE: Duration = Duration::from_mins(5);
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Everything the server answers.
pub(crate) fn router(app: App, origins: Vec<HeaderValue>) -> Router {
    let (api, openapi) = parts();
    // Written once: whoever asks for it again and again takes nobody's time. It is made of text and numbers, which can
    // be written.
    let described = Bytes::from(openapi.to_json().unwrap_or_default());
    let all = api
        .merge(pages::router(&app))
        .route(
            "/openapi.json",
            get(move || std::future::ready(([(CONTENT_TYPE, "application/json")], described.clone()))),
        )
        .route("/healthz", get(|| std::future::ready("alive\n")))
        .route("/readyz", get(ready))
        .route("/problems/{name}", get(explain))
        .fallback(pages::missing)
        .method_not_allowed_fallback(|| std::future::ready(Problem::new("method", "see /docs for what is supported")))
        .layer(CatchPanicLayer::custom(|_: Box<dyn std::any::Any + Send>| {
            tracing::error!("a handler panicked");
            Problem::new("internal", "the server has made a mistake: see its log").into_response()
        }))
        .layer(from_fn_with_state(app.clone(), around))
        .with_state(app);
    if origins.is_empty() { all } else { all.layer(crate::origins::layer(origins)) }
}

/// Whether something can be stored within two seconds and the server is not about to end. However many ask, something
/// is written once a second.
async fn ready(State(app): State<App>) -> Response {
    if *app.stopping.borrow() {
        return Problem::new("unavailable", "the server is about to end").into_response();
    }
    let studies = app.studies.clone();
    let write = async move {
        studies.ledger().probe(desk::now()).await?;
        Ok(Instant::now())
    };
    let recent = |written: &Instant| written.elapsed() < Duration::from_secs(1);
    match tokio::time::timeout(Duration::from_secs(2), shared(app.written.clone(), recent, write)).await {
        Ok(Ok(_)) => "ready\n".into_response(),
        _ => Problem::new("unavailable", "nothing can be stored: the database does not answer as it should")
            .into_response(),
    }
}

/// The measures of this process, for a listener of their own.
pub(crate) fn measures(prometheus: PrometheusHandle) -> Router {
    let render = move || {
        prometheus.run_upkeep();
        std::future::ready(([(CONTENT_TYPE, "text/plain; version=0.0.4")], prometheus.render()))
    };
    Router::new().route("/metrics", get(render))
}

/// What a problem means.
async fn explain(Path(name): Path<String>) -> Response {
    match KINDS.iter().find(|kind| kind.0 == name) {
        Some((_, status, title, text)) => format!("{title} ({status})\n\n{text}\n").into_response(),
        None => Problem::not_found(format!("there is no problem {name:?}")).into_response(),
    }
}

/// What stands around every request.
async fn around(State(app): State<App>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let matched = request.extensions().get::<MatchedPath>().cloned();
    let route = matched.as_ref().map_or("none", MatchedPath::as_str);
    let method = request.method().clone();
    let id = request_id(&app, &request);
    let unpacks = pack::unpacks(request.headers());
    let study = study(route, request.uri().path()).to_owned();
    let asker = Asker::of(&request);
    let patience = if route.contains("/imports/") { LONG_PATIENCE } else { PATIENCE };
    let mut response = match tokio::time::timeout(patience, answer(&app, route, request, next)).await {
        Ok(response) => response,
        Err(_) => Problem::new("unavailable", "it took too long: send it again").into_response(),
    };
    if let Some(asker) = asker {
        response = asker.shown(&app, response).await;
    }
    if unpacks {
        response = pack::packed(response).await;
    }
    let (status, seconds) = (response.status().as_u16(), started.elapsed().as_secs_f64());
    app.requests.add(&method, route, status);
    app.requests.seconds.record(seconds);
    // Of an address only its pattern and its study: the rest may hold a token or a name.
    tracing::info!(id, %method, route, study, status, ms = (seconds * 1e6).round() / 1e3, "request");
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(REFERRER_POLICY).or_insert(HeaderValue::from_static("no-referrer"));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    if let Ok(id) = id.parse() {
        headers.insert(REQUEST_ID, id);
    }
    if status == StatusCode::UNAUTHORIZED {
        headers.insert(axum::http::header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

/// Answers a request that is there whole, if there is a place for it. Probes need none.
async fn answer(app: &App, route: &str, request: Request, next: Next) -> Response {
    if !is_text(request.uri().path()) {
        return Problem::new("malformed", "the address is not text: its bytes are not UTF-8").into_response();
    }
    if matches!(route, "/healthz" | "/readyz") {
        return next.run(request).await;
    }
    let from = address(peer(&request), request.headers(), app.proxies);
    let (request, rest) = match arrived(request).await {
        Ok(arrived) => arrived,
        Err(problem) => return problem.into_response(),
    };
    let places = if rest.is_some() { &app.large } else { &app.in_flight };
    let Some(_place) = places.take(from) else {
        return Problem::new("unavailable", "too many requests at a time: send it again").into_response();
    };
    let response = next.run(request).await;
    if let Some(rest) = rest {
        rest.throw_away().await;
    }
    response
}

/// Who is at the other end; nobody in particular where that is not known.
fn peer(request: &Request) -> IpAddr {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    peer.map_or(IpAddr::from([0; 4]), |ConnectInfo(peer)| peer.ip())
}

/// The study that an address is about, where its pattern has one.
fn study<'a>(route: &str, path: &'a str) -> &'a str {
    let mut parts = route.split('/').zip(path.split('/'));
    parts.find(|(pattern, _)| *pattern == "{slug}").map_or("", |(_, given)| given)
}

/// The id that a proxy gave, if it is a plain one; a new one otherwise.
fn request_id(app: &App, request: &Request) -> String {
    let plain = |text: &&str| {
        !text.is_empty() && text.len() <= 64 && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    };
    let given = request.headers().get(REQUEST_ID).and_then(|value| value.to_str().ok()).filter(plain);
    given.map_or_else(|| app.ids.next(), str::to_owned)
}
