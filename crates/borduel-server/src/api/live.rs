//! A study as it changes, by server-sent events.

use super::results::Current;
use crate::api_result::ApiResult;
use crate::app::App;
use crate::body::Asked;
use crate::criterion::{Which, wanted};
use crate::limit::{Place, address};
use crate::problem::{Problem, Problems};
use axum::extract::{ConnectInfo, Path, State};
use axum::http::{HeaderMap, HeaderName};
use axum::response::sse::{Event, KeepAlive, Sse};
use borduel_study::Desk;
use borduel_study::desk::Head;
use borduel_study::event::Status;
use futures_util::stream::{self, Stream};
use serde::Serialize;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// Has nginx pass events on as they come, which it otherwise gathers.
const UNBUFFERED: HeaderName = HeaderName::from_static("x-accel-buffering");

/// How far a study is.
#[derive(Serialize)]
struct HeadView {
    head: u64,
    votes: u64,
    voters: u64,
    open_questions: u64,
    status: Status,
    /// Votes a second since the last message.
    rate: f64,
}

/// What a follower was told last.
struct Follower {
    app: App,
    desk: Desk,
    /// Which of several questions about each pair.
    criterion: usize,
    heads: tokio::sync::watch::Receiver<Head>,
    stopping: tokio::sync::watch::Receiver<bool>,
    told: Option<(Head, Instant)>,
    results: u64,
    _watching: Watching,
}

/// Counts who follows.
struct Watching(#[expect(dead_code, reason = "it is held")] Place);

impl Watching {
    fn new(place: Place) -> Self {
        metrics::gauge!("borduel_sse_clients").increment(1.0);
        Self(place)
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        metrics::gauge!("borduel_sse_clients").decrement(1.0);
    }
}

/// Follows a study: `head` at most twice a second, `results` when they were computed again. Ends when the server does.
#[utoipa::path(get, path = "/v1/studies/{slug}/live", operation_id = "follow_study",
    tag = "results", params(("slug" = String, Path), Which), security((), ("organiser" = [])),
    responses((status = 200, description = "Events.", content_type = "text/event-stream", body = String), Problems))]
pub(crate) async fn live(
    State(app): State<App>,
    Path(slug): Path<String>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    which: Asked<Which>,
) -> ApiResult<([(HeaderName, &'static str); 1], Sse<impl Stream<Item = Result<Event, Infallible>>>)> {
    let desk = app.viewer(&slug, &headers).await?;
    let criterion = wanted(&desk, which).await?;
    let place = app.live.take(address(peer.ip(), &headers, app.proxies));
    let place =
        place.ok_or_else(|| Problem::new("unavailable", "too many follow a study: read its results instead"))?;
    let last = headers.get("last-event-id").and_then(|value| value.to_str().ok()?.parse().ok()).unwrap_or(0);
    let (heads, stopping) = (desk.heads(), app.stopping.clone());
    let follower =
        Follower { app, desk, criterion, heads, stopping, told: None, results: last, _watching: Watching::new(place) };
    let events = Sse::new(stream::unfold(follower, next_event)).keep_alive(KeepAlive::default());
    Ok(([(UNBUFFERED, "no")], events))
}

async fn next_event(mut follower: Follower) -> Option<(Result<Event, Infallible>, Follower)> {
    loop {
        // A desk that has gone has no more news; whoever comes back is given another.
        if follower.desk.gone() {
            return None;
        }
        let head = *follower.heads.borrow_and_update();
        let Some((told, when)) = follower.told.filter(|(told, _)| *told == head) else { break };
        // Whoever follows is told new results when they are there; a study that cannot be read says so in its log.
        if follower.results != told.head
            && let Ok(Current { outcome, .. }) = follower.app.current_results(&follower.desk, follower.criterion).await
            && !outcome.unscored
            && outcome.head != follower.results
        {
            follower.results = outcome.head;
            let (id, data) = (outcome.head.to_string(), &*outcome.json);
            return Some((Ok(Event::default().event("results").id(id).data(data)), follower));
        }
        tokio::select! {
            changed = follower.heads.changed() => changed.ok()?,
            _ = follower.stopping.wait_for(|stopping| *stopping) => return None,
            // The results were still those of fewer votes: they are asked for again.
            () = tokio::time::sleep(Duration::from_millis(300)), if follower.results != told.head => continue,
        }
        tokio::time::sleep(Duration::from_millis(500).saturating_sub(when.elapsed())).await;
    }
    if *follower.stopping.borrow() {
        return None;
    }
    let head = *follower.heads.borrow_and_update();
    let rate = follower.told.map_or(0.0, |(told, when)| {
        head.votes.saturating_sub(told.votes) as f64 / when.elapsed().as_secs_f64().max(0.001)
    });
    follower.told = Some((head, Instant::now()));
    let (votes, voters, open_questions) = (head.votes, head.voters, head.open);
    let view = HeadView { head: head.head, votes, voters, open_questions, status: head.status, rate };
    let data = serde_json::to_string(&view).unwrap_or_default();
    Some((Ok(Event::default().event("head").id(head.head.to_string()).data(data)), follower))
}
