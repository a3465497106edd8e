//! What a study says: the ranking of this moment, the verdict that pays for looking, and both as they change.

use super::{Answer, tagged};
use crate::app::App;
use crate::auth::Who;
use crate::problem::{Problem, Problems};
use axum::extract::{Path, State};
use axum::http::header::{CONTENT_TYPE, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use borduel::ranking::{RankOptions, VerdictKind, rank};
use borduel_report::ranking::{Ranked, Source, json, page};
use borduel_study::desk::Head;
use borduel_study::event::Status;
use borduel_study::export::time;
use borduel_study::settings::Results;
use borduel_study::standing::{Evidence, look_level};
use borduel_study::{Desk, State as Study};
use futures_util::stream::{self, Stream};
use serde::Serialize;
use serde_json::value::RawValue;
use std::convert::Infallible;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};
use utoipa::ToSchema;

/// Results as they were computed, with what that cost.
#[derive(Clone)]
pub(crate) struct Cached {
    head: u64,
    made: Instant,
    cost: Duration,
    body: Arc<str>,
}

/// What a study says.
#[derive(Serialize, ToSchema)]
pub(crate) struct ResultsView {
    /// How many events it rests on.
    head: u64,
    status: Status,
    /// The votes that count.
    votes: u64,
    voters: u64,
    verdict: VerdictView,
    /// The JSON object of `borduel rank` at this moment: right for whoever looks once, not for whoever stops when it suits.
    #[schema(value_type = Option<Object>)]
    ranking: Option<Box<RawValue>>,
    /// Why there is no ranking yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    unranked: Option<String>,
    plan: PlanView,
}

/// The verdict of the last look. Looks pay for each other: whoever stops at a verdict is wrong with a chance of at most
/// 1 − level over the whole life of the study.
#[derive(Serialize, ToSchema)]
pub(crate) struct VerdictView {
    #[schema(value_type = String)]
    kind: VerdictKind,
    /// One sentence.
    text: String,
    /// The keys of the winner, of those that tie, or of all that may still be best.
    winners: Vec<String>,
    /// Which look it is, from 0; none before the first.
    look: Option<u32>,
    /// When it was taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    /// The votes counted then.
    votes: u64,
    /// The votes at which the next look is taken.
    next_look: u64,
    /// The confidence of all looks together.
    level: f64,
    /// The confidence spent on this one.
    look_level: f64,
}

/// What questions are drawn from.
#[derive(Serialize, ToSchema)]
pub(crate) struct PlanView {
    number: u32,
    method: &'static str,
    /// How many pairs it has.
    pairs: u64,
    /// The share drawn from all pairs alike.
    audits: f64,
    /// The votes it has seen.
    votes: u64,
}

fn verdict(state: &Study, name: impl Fn(u16) -> String) -> VerdictView {
    let level = state.settings.level;
    let key = |item: &u16| state.items[usize::from(*item)].key.clone();
    let Some(judged) = &state.judged else {
        return VerdictView {
            kind: VerdictKind::NotEnough,
            text: format!("Not enough votes: the first look is taken at 50, and {} count.", state.votes),
            winners: state.enabled().map(|item| key(&item)).collect(),
            look: None,
            at: None,
            votes: state.votes,
            next_look: 50,
            level,
            look_level: look_level(level, 0),
        };
    };
    let names: Vec<String> = judged.winners.iter().take(5).map(|&item| name(item)).collect();
    let more = judged.winners.len().saturating_sub(5);
    let names = names.join(", ") + &if more > 0 { format!(" and {more} more") } else { String::new() };
    let text = match judged.kind {
        VerdictKind::ClearWinner => format!("Clear winner: {names}."),
        VerdictKind::Tie => {
            format!("Tie at the top: {names} differ by less than {} points.", 100.0 * state.settings.margin)
        }
        VerdictKind::NotEnough => format!("Not enough votes: {} may still be best ({names}).", judged.winners.len()),
    };
    VerdictView {
        kind: judged.kind,
        text: format!(
            "{text} As of look {} at {} votes, {} % over all looks.",
            judged.look + 1,
            judged.votes,
            100.0 * level
        ),
        winners: judged.winners.iter().map(key).collect(),
        look: Some(judged.look),
        at: Some(time(judged.at)),
        votes: judged.votes,
        next_look: (judged.votes * 11).div_ceil(10).max(judged.votes + 1),
        level,
        look_level: judged.level,
    }
}

/// Ranks a study at this moment and hands the ranking on.
fn ranked<T>(state: &Study, titles: &[String], show: impl FnOnce(&Ranked<'_>) -> T) -> Answer<T> {
    let evidence = Evidence::of(state)?;
    let (level, margin) = (state.settings.level, state.settings.margin);
    let options = RankOptions { level, margin, ..RankOptions::default() };
    let names: Vec<Option<String>> =
        evidence.items.iter().map(|&item| titles.get(usize::from(item)).cloned()).collect();
    let ballots = &evidence.ballots;
    let ranking = rank(ballots, &evidence.model, &options).map_err(borduel_study::Error::from)?;
    let source = Source { rows: ballots.totals().total() as u64, ..Source::default() };
    Ok(show(&Ranked {
        ranking: &ranking,
        ballots,
        options: &options,
        names: &names,
        source,
        strength: false,
        anytime: None,
    }))
}

/// Computes the results of a study.
fn compute(state: &Study, titles: &[String]) -> Answer<String> {
    let internal = |error: &dyn std::fmt::Display| Problem::new("internal", error.to_string());
    let (ranking, unranked) = match ranked(state, titles, json) {
        Ok(text) => {
            let text = text.map_err(|error| internal(&error))?.trim().to_owned();
            (Some(RawValue::from_string(text).map_err(|error| internal(&error))?), None)
        }
        Err(problem) => (None, Some(problem.detail)),
    };
    let label = |item: u16| titles.get(usize::from(item)).cloned().unwrap_or_default();
    let plan = PlanView {
        number: state.plan.number,
        method: match state.plan.method {
            Some(borduel_study::settings::Method::Design) => "design",
            Some(borduel_study::settings::Method::Uniform) | None => "uniform",
        },
        pairs: state.plan.pairs.len() as u64,
        audits: state.plan.audits,
        votes: state.plan.votes,
    };
    let view = ResultsView {
        head: state.head,
        status: state.status,
        votes: state.votes,
        voters: state.voters.len() as u64,
        verdict: verdict(state, label),
        ranking,
        unranked,
        plan,
    };
    serde_json::to_string(&view).map_err(|error| internal(&error))
}

impl App {
    /// The results of a study: computed when something has changed, at most a tenth of the time, for all who ask at once.
    pub(crate) async fn current_results(&self, desk: &Desk) -> Answer<(u64, Arc<str>)> {
        let slot = {
            let mut all = self.results.lock().unwrap_or_else(PoisonError::into_inner);
            all.entry(desk.study()).or_default().clone()
        };
        let mut slot = slot.lock().await;
        let head = desk.read(|state| state.head).await?;
        let fresh = |cached: &&Cached| cached.head == head || cached.made.elapsed() < 9 * cached.cost;
        if let Some(cached) = slot.as_ref().filter(fresh) {
            return Ok((cached.head, cached.body.clone()));
        }
        let titles: Vec<String> = desk.items().await?.iter().map(|(_, _, content)| content.title.clone()).collect();
        let state = desk.copy().await?;
        let (started, head) = (Instant::now(), state.head);
        let body = tokio::task::spawn_blocking(move || compute(&state, &titles)).await;
        let body: Arc<str> = body.map_err(|error| Problem::new("internal", error.to_string()))??.into();
        metrics::histogram!("borduel_rank_seconds").record(started.elapsed().as_secs_f64());
        *slot = Some(Cached { head, made: Instant::now(), cost: started.elapsed(), body: body.clone() });
        Ok((head, body))
    }

    /// The desk of a study whose results this request may see.
    async fn viewer(&self, slug: &str, headers: &HeaderMap) -> Answer<Desk> {
        let (study, who) = self.who(slug, headers).await?;
        let desk = self.studies.desk(study);
        if who == Who::Organiser || desk.read(|state| state.settings.results == Results::Public).await? {
            return Ok(desk);
        }
        let name = if who == Who::Nobody { "no-token" } else { "not-yours" };
        Err(Problem::new(name, "the results of this study are for its organiser"))
    }
}

/// Shows scores, verdict and plan.
#[utoipa::path(get, path = "/v1/studies/{slug}/results", tag = "results", params(("slug" = String, Path)),
    security((), ("organiser" = [])),
    responses((status = 200, description = "The results.", body = ResultsView), (status = 304, description = "Nothing has changed."), Problems))]
pub(crate) async fn results(State(app): State<App>, Path(slug): Path<String>, headers: HeaderMap) -> Answer<Response> {
    let desk = app.viewer(&slug, &headers).await?;
    let (head, body) = app.current_results(&desk).await?;
    let known = headers.get(IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    if known.is_some_and(|tag| tag == format!("\"{head}\"")) {
        return Ok(tagged(head, StatusCode::NOT_MODIFIED));
    }
    Ok(tagged(head, ([(CONTENT_TYPE, "application/json")], body.to_string())).into_response())
}

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
    heads: tokio::sync::watch::Receiver<Head>,
    stopping: tokio::sync::watch::Receiver<bool>,
    told: Option<(Head, Instant)>,
    results: u64,
    _watching: Watching,
}

/// Counts who follows.
struct Watching;

impl Watching {
    fn new() -> Self {
        metrics::gauge!("borduel_sse_clients").increment(1.0);
        Self
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        metrics::gauge!("borduel_sse_clients").decrement(1.0);
    }
}

/// Follows a study: `head` at most twice a second, `results` when they were computed again. Ends when the server does.
#[utoipa::path(get, path = "/v1/studies/{slug}/live", tag = "results", params(("slug" = String, Path)), security((), ("organiser" = [])),
    responses((status = 200, description = "Events.", content_type = "text/event-stream", body = String), Problems))]
pub(crate) async fn live(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
) -> Answer<Sse<impl Stream<Item = Result<Event, Infallible>>>> {
    let desk = app.viewer(&slug, &headers).await?;
    let last = headers.get("last-event-id").and_then(|value| value.to_str().ok()?.parse().ok()).unwrap_or(0);
    let (heads, stopping) = (desk.heads(), app.stopping.clone());
    let follower = Follower { app, desk, heads, stopping, told: None, results: last, _watching: Watching::new() };
    Ok(Sse::new(stream::unfold(follower, next_event)).keep_alive(KeepAlive::default()))
}

async fn next_event(mut follower: Follower) -> Option<(Result<Event, Infallible>, Follower)> {
    let head = *follower.heads.borrow_and_update();
    if let Some((told, when)) = follower.told.filter(|(told, _)| *told == head) {
        if follower.results != told.head {
            // Whoever follows is told new results when they are there; a study that cannot be read says so in its log.
            if let Ok((at, body)) = follower.app.current_results(&follower.desk).await {
                follower.results = at.max(told.head);
                return Some((Ok(Event::default().event("results").id(at.to_string()).data(&*body)), follower));
            }
        }
        tokio::select! {
            changed = follower.heads.changed() => changed.ok()?,
            _ = follower.stopping.wait_for(|stopping| *stopping) => return None,
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

/// The page of `rank --html` for this moment.
pub(crate) async fn report(desk: &Desk) -> Answer<String> {
    let titles: Vec<String> = desk.items().await?.iter().map(|(_, _, content)| content.title.clone()).collect();
    let state = desk.copy().await?;
    let made = tokio::task::spawn_blocking(move || ranked(&state, &titles, page)).await;
    made.map_err(|error| Problem::new("internal", error.to_string()))?
}
