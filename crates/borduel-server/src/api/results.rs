//! What a study says: the ranking of this moment, and the verdict that holds although somebody looks all the time.

use crate::api_result::{ApiResult, tagged};
use crate::app::App;
use crate::auth::Who;
use crate::body::Asked;
use crate::compute::{at_hand, shared, slot};
use crate::criterion::{Which, wanted};
use crate::faces;
use crate::outcome::{Cached, Outcome, ResultsView, groups};
use crate::problem::{Problem, Problems};
use axum::extract::{Path, State};
use axum::http::header::{AGE, CONTENT_TYPE, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use borduel_report::ranking::page_titled;
use borduel_study::State as Study;
use borduel_study::desk::{self, Desk};
use borduel_study::event::Status;
use borduel_study::export::time;
use borduel_study::ledger::StudyId;
use borduel_study::low_priority::{Cost, low_priority};
use borduel_study::settings::Results;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// For how long the results of a study are kept when others are asked for.
const KEPT: Duration = Duration::from_mins(10);

/// How long whoever asks waits for results that are being computed. Then the last ones have to do.
const WAIT: Duration = Duration::from_millis(500);
/// The same before the first ones.
const FIRST: Duration = Duration::from_secs(2);

/// The results that there are.
pub(crate) struct Current {
    pub(crate) outcome: Arc<Outcome>,
    /// How old they are, where something has happened since.
    pub(crate) behind: Option<Duration>,
}

impl Current {
    fn new(outcome: Arc<Outcome>, head: u64) -> Self {
        let age = u64::try_from(desk::now() - outcome.computed_at).unwrap_or(0);
        let behind = (outcome.head < head).then(|| Duration::from_millis(age));
        Self { outcome, behind }
    }
}

impl App {
    /// The results of a study, by one of the questions that it asks about a pair: computed when something has
    /// changed, at most a tenth of the time, for all who ask at once. Where that takes long nobody waits for it:
    /// there are the last ones, and before the first all that needs no long computation.
    pub(crate) async fn current_results(&self, desk: &Desk, criterion: usize) -> ApiResult<Current> {
        let head = desk.read(|state| state.head).await?;
        let fresh = move |cached: &Cached| cached.outcome.head >= head || cached.made.elapsed() < 9 * cached.cost;
        let slot = slot(&self.results, (desk.study(), criterion), |kept| kept.made.elapsed() > KEPT);
        let (computer, own) = (self.computer.clone(), desk.clone());
        let make = async move {
            let titles = titles(&own).await?;
            let state = own.copy().await?;
            let compute = move || -> ApiResult<Cached> {
                let cost = Cost::start();
                let outcome = Outcome::of(&state, criterion, &titles, desk::now())?;
                Ok(Cached { made: Instant::now(), cost: cost.elapsed(), outcome: Arc::new(outcome) })
            };
            let cached = computer.run(compute).await??;
            metrics::histogram!("borduel_rank_seconds").record(cached.cost.as_secs_f64());
            Ok(cached)
        };
        // Whoever has seen that it takes longer does not wait.
        let wait = slot.last().map_or(FIRST, |last| if last.cost > WAIT { Duration::ZERO } else { WAIT });
        let outcome = match at_hand(slot, fresh, wait, make).await? {
            Some(cached) => cached.outcome,
            None => Arc::new(unscored(desk, criterion).await?),
        };
        Ok(Current::new(outcome, head))
    }

    /// The results that were last computed, if they are kept; nothing is computed for it.
    pub(crate) fn known_results(&self, study: StudyId) -> Option<Arc<Outcome>> {
        Some(slot(&self.results, (study, 0), |kept| kept.made.elapsed() > KEPT).last()?.outcome)
    }

    /// The groups by this attribute: computed when something has changed, at most a tenth of the time, for all who ask
    /// at once.
    pub(crate) async fn current_groups(&self, desk: &Desk, criterion: usize, key: &str) -> ApiResult<groups::Current> {
        let head = desk.read(|state| state.head).await?;
        let fresh = move |kept: &groups::CachedGroups| kept.head >= head || kept.made.elapsed() < 9 * kept.cost;
        let slot = slot(&self.groups, (desk.study(), criterion, key.to_owned()), |kept| kept.made.elapsed() > KEPT);
        let (computer, desk, key) = (self.computer.clone(), desk.clone(), key.to_owned());
        let make = async move {
            let (titles, state) = (titles(&desk).await?, desk.copy().await?);
            let compute = move || {
                let (cost, head) = (Cost::start(), state.head);
                let found = groups::by(&state.by(criterion), &titles, &key).map_err(|problem| problem.detail);
                groups::CachedGroups { head, made: Instant::now(), cost: cost.elapsed(), found: Arc::new(found) }
            };
            computer.run(compute).await
        };
        let groups::CachedGroups { head: known, found, .. } = shared(slot, fresh, make).await?;
        Ok(groups::Current { found, behind: known < head })
    }

    /// The desk of a study whose results this request may see.
    pub(crate) async fn viewer(&self, slug: &str, headers: &HeaderMap) -> ApiResult<Desk> {
        let who = self.page_who(slug, headers).await?;
        if let Some((study, Who::Organiser | Who::Viewer)) = who {
            return Ok(self.studies.desk(study));
        }
        if let Some(study) = self.study(slug).await? {
            let desk = self.studies.desk(study);
            let public = |state: &Study| state.settings.results == Results::Public && state.status != Status::Draft;
            if desk.read(public).await? {
                return Ok(desk);
            }
        }
        let name = if who.is_none() { "no-token" } else { "not-yours" };
        Err(Problem::new(name, "the results of this study are for its organiser"))
    }
}

/// The items' titles by number.
pub(crate) async fn titles(desk: &Desk) -> ApiResult<Vec<String>> {
    Ok(desk.items().await?.iter().map(|(_, _, content)| content.title.clone()).collect())
}

/// What can be said of a study before its scores were computed.
async fn unscored(desk: &Desk, criterion: usize) -> ApiResult<Outcome> {
    let titles = titles(desk).await?;
    let state = desk.copy().await?;
    let found = low_priority(move || Outcome::unscored(&state, criterion, &titles, desk::now())).await;
    found
        .map_or_else(|| Err(Problem::new("internal", "a computation failed: see the server's log")), |(found, _)| found)
}

/// Shows scores, verdict and plan: the last ones that were computed, with their time and, where something has happened
/// since, their age in seconds as `Age`.
#[utoipa::path(get, path = "/v1/studies/{slug}/results", operation_id = "show_results",
    tag = "results", params(("slug" = String, Path), Which),
    security((), ("organiser" = [])),
    responses((status = 200, description = "The results.", body = ResultsView),
        (status = 304, description = "Nothing has changed."), Problems))]
pub(crate) async fn results(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    which: Asked<Which>,
) -> ApiResult<Response> {
    let desk = app.viewer(&slug, &headers).await?;
    let Current { outcome, behind } = app.current_results(&desk, wanted(&desk, which).await?).await?;
    let known = headers.get(IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    if !outcome.unscored && known.is_some_and(|tag| tag == format!("\"{}\"", outcome.head)) {
        return Ok(tagged(outcome.head, StatusCode::NOT_MODIFIED));
    }
    let mut body = ([(CONTENT_TYPE, "application/json")], outcome.json.to_string()).into_response();
    if let Some(age) = behind {
        body.headers_mut().insert(AGE, age.as_secs().into());
    }
    // The scores of the same events are still to come.
    Ok(if outcome.unscored { body } else { tagged(outcome.head, body) })
}

/// Shows how groups of voters score the items, told apart by what they said about themselves or what the organiser
/// noted of them. For the organiser, whatever results are public.
#[utoipa::path(get, path = "/v1/studies/{slug}/results/by/{attribute}", operation_id = "show_results_by",
    tag = "results",
    params(("slug" = String, Path), ("attribute" = String, Path, description = "One of the attributes of voters."),
        Which),
    security(("organiser" = [])),
    responses((status = 200, description = "The scores.", body = groups::GroupsView), Problems))]
pub(crate) async fn results_by(
    State(app): State<App>,
    Path((slug, attribute)): Path<(String, String)>,
    headers: HeaderMap,
    which: Asked<Which>,
) -> ApiResult<Response> {
    let desk = app.organiser(&slug, &headers).await?;
    let criterion = wanted(&desk, which).await?;
    let keys: Vec<String> = desk.read(|state| state.attribute_keys().into_iter().map(str::to_owned).collect()).await?;
    if !keys.contains(&attribute) {
        let known = if keys.is_empty() { "none is known".to_owned() } else { format!("known: {}", keys.join(", ")) };
        return Err(Problem::not_found(format!("voters have no attribute {attribute:?} ({known})")));
    }
    let groups::Current { found, .. } = app.current_groups(&desk, criterion, &attribute).await?;
    match &*found {
        Ok(found) => Ok(([(CONTENT_TYPE, "application/json")], found.json.clone()).into_response()),
        Err(why) => Err(Problem::new("conflict", format!("no scores yet: {why}"))),
    }
}

/// The page of `rank --html` with the study's title and what its page says.
pub(crate) async fn report(app: &App, desk: &Desk, slug: &str, criterion: usize) -> ApiResult<String> {
    let title = app.studies.find(slug).await?.title;
    let Current { outcome, .. } = app.current_results(desk, criterion).await?;
    let question = match outcome.criteria.get(criterion) {
        Some(asked) => asked.question.clone(),
        None => desk.read(|state| state.settings.question.clone()).await?,
    };
    let when = time(outcome.computed_at)[..16].replace('T', " ");
    let line = format!("{question} As of {when} UTC.");
    let order: Vec<String> = outcome.standing.as_ref().map_or_else(Vec::new, |standing| {
        let ranked = standing.ranked();
        ranked.ranking.items.iter().map(|score| ranked.id(score.item).to_owned()).collect()
    });
    let faces = faces::whole(app, desk, &order).await?;
    let draw = move || match (&outcome.standing, &outcome.unranked) {
        (Some(standing), _) => {
            let ranked = standing.ranked();
            let front = outcome.in_front().map(|item| format!(". In front so far: {}", ranked.spoken(item)));
            let said = outcome.verdict.head.clone() + &front.unwrap_or_default();
            Ok(page_titled(&ranked, &title, &line, &said, &faces))
        }
        (None, why) => Err(Problem::invalid(why.as_deref().unwrap_or("there is nothing to rank"))),
    };
    app.computer.run(draw).await?
}
