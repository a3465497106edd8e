//! Studies: made, listed, shown, changed, opened and closed.

use super::items::{Known, NewItem};
use crate::api_result::{ApiResult, if_match, tagged};
use crate::app::App;
use crate::auth::ORGANISER;
use crate::body::{Asked, Json, LIST, Page, query};
use crate::hooks::{self, Webhook};
use crate::links;
use crate::problem::{Problem, Problems};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use borduel_study::content::key_of;
use borduel_study::event::Status;
use borduel_study::export::time;
use borduel_study::token::{self, Scope};
use borduel_study::{Command, Settings, command, desk, hex, ledger};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// A study to be made.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewStudy {
    /// Its name in addresses; made from the title unless given.
    #[schema(pattern = "^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$")]
    pub(crate) slug: Option<String>,
    /// Its name for people.
    #[schema(min_length = 1, max_length = 200)]
    pub(crate) title: String,
    /// What differs from the defaults.
    #[serde(default)]
    pub(crate) settings: Settings,
    /// Where all random numbers come from; drawn unless given.
    pub(crate) seed: Option<u64>,
    /// Its items, which may also come later.
    #[serde(default)]
    #[schema(max_items = 1000)]
    pub(crate) items: Vec<NewItem>,
}

/// A study that was made.
#[derive(Serialize, ToSchema)]
pub(crate) struct CreatedStudy {
    study: StudyView,
    /// The organiser's token, shown this once.
    organiser_token: String,
    links: Links,
}

/// Where a study is found.
#[derive(Serialize, ToSchema)]
pub(crate) struct Links {
    /// The study itself.
    study: String,
    /// Where voters join.
    voters: String,
    /// Where results are.
    results: String,
    /// The page where people vote: the link to share.
    vote_page: String,
    /// The organiser's page; with `#token=` and the token after it, a private link.
    admin_page: String,
    /// The page with the results.
    results_page: String,
}

impl Links {
    fn new(app: &App, slug: &str) -> Self {
        let url = &app.public_url;
        let study = format!("{url}/v1/studies/{slug}");
        Self {
            voters: format!("{study}/voters"),
            results: format!("{study}/results"),
            study,
            vote_page: format!("{url}{}", links::vote(slug)),
            admin_page: format!("{url}{}", links::admin(slug)),
            results_page: format!("{url}{}", links::results(slug)),
        }
    }
}

/// A study, with its settings and its numbers.
#[derive(Serialize, ToSchema)]
pub(crate) struct StudyView {
    slug: String,
    title: String,
    status: Status,
    created_at: String,
    /// How many events its log has.
    head: u64,
    /// The hash of its log.
    hash: String,
    /// How many items are asked about.
    items: u64,
    /// How many contexts items are compared in, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    contexts: Option<u64>,
    /// How many voters joined.
    voters: u64,
    /// The votes that count.
    votes: u64,
    /// Questions that wait for an answer.
    open_questions: u64,
    settings: Settings,
    /// What is known about its webhook, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    webhook: Option<Webhook>,
}

/// A study with the tag of its settings: what `If-Match` takes does not change with every vote.
fn answer(view: StudyView) -> Response {
    tagged(view.settings.tag(), axum::Json(view))
}

async fn view(app: &App, slug: &str) -> ApiResult<StudyView> {
    let study = app.studies.find(slug).await?;
    let desk = app.studies.desk(study.id);
    let view = |state: &borduel_study::State| StudyView {
        slug: study.slug.clone(),
        title: study.title.clone(),
        status: state.status,
        created_at: time(study.created),
        head: state.head,
        hash: hex::text(&state.log_hash),
        items: state.enabled().count() as u64,
        contexts: (!state.contexts.is_empty()).then(|| state.enabled_contexts().count() as u64),
        voters: state.voters.len() as u64,
        votes: state.votes,
        open_questions: state.open.len() as u64,
        settings: state.settings.clone(),
        webhook: None,
    };
    let mut view = desk.read(view).await?;
    view.webhook = hooks::view(app, study.id, &view.settings).await?;
    Ok(view)
}

fn check_title(title: &str) -> ApiResult<()> {
    if title.trim().is_empty() || title.chars().count() > 200 {
        return Err(Problem::invalid("title must have 1 to 200 characters"));
    }
    if title.contains('\0') {
        return Err(Problem::invalid("title has the character U+0000: leave it out"));
    }
    Ok(())
}

/// Makes a study whole or not at all: its name and its organiser's token.
pub(crate) async fn make(app: &App, new: NewStudy) -> ApiResult<(String, String)> {
    check_title(&new.title)?;
    let slug = new.slug.clone().unwrap_or_else(|| key_of(&new.title, |_| false));
    let items = super::items::commands(&new.items, &Known::new())?;
    let seed = new.seed.map_or_else(token::random_u64, Ok)?;
    let (organiser_token, hash) = token::new(Scope::Organiser)?;
    let (title, settings) = (new.title.trim().to_owned(), new.settings);
    let made =
        ledger::NewStudy { slug: slug.clone(), title, settings, seed, items, organiser: Some((hash, ORGANISER)) };
    app.studies.ledger().create(&made, desk::now()).await?;
    Ok((slug, organiser_token))
}

/// Makes a study.
#[utoipa::path(post, path = "/v1/studies", operation_id = "create_study",
    tag = "studies", request_body = NewStudy, security(("admin" = [])),
    responses((status = 201, description = "It was made.", body = CreatedStudy), Problems))]
pub(crate) async fn create(
    State(app): State<App>,
    headers: HeaderMap,
    Json(new): Json<NewStudy, LIST>,
) -> ApiResult<Response> {
    app.admin(&headers).await?;
    let (slug, organiser_token) = make(&app, new).await?;
    let study = view(&app, &slug).await?;
    let (tag, links) = (study.settings.tag(), Links::new(&app, &slug));
    let body = axum::Json(CreatedStudy { study, organiser_token, links });
    Ok(tagged(tag, (StatusCode::CREATED, body)))
}

/// A study in the list.
#[derive(Serialize, ToSchema)]
pub(crate) struct StudySummary {
    slug: String,
    title: String,
    created_at: String,
    head: u64,
}

/// A part of the list of studies.
#[derive(Serialize, ToSchema)]
pub(crate) struct StudyList {
    studies: Vec<StudySummary>,
    /// What the next part comes after, if there is one.
    next: Option<String>,
}

/// Lists studies by name.
#[utoipa::path(get, path = "/v1/studies", operation_id = "list_studies",
    tag = "studies", params(Page), security(("admin" = [])),
    responses((status = 200, description = "A part of the list.", body = StudyList), Problems))]
pub(crate) async fn list(
    State(app): State<App>,
    headers: HeaderMap,
    page: Asked<Page>,
) -> ApiResult<axum::Json<StudyList>> {
    app.admin(&headers).await?;
    let page = query(page)?;
    let limit = page.limit()?;
    let found = app.studies.ledger().studies(page.after.as_deref().unwrap_or(""), limit).await?;
    let next = found.last().filter(|_| found.len() == limit as usize).map(|study| study.slug.clone());
    let listed = found.into_iter().map(|study| StudySummary {
        created_at: time(study.created),
        slug: study.slug,
        title: study.title,
        head: study.head,
    });
    Ok(axum::Json(StudyList { studies: listed.collect(), next }))
}

/// Shows a study.
#[utoipa::path(get, path = "/v1/studies/{slug}", operation_id = "show_study",
    tag = "studies", params(("slug" = String, Path)), security(("organiser" = [])),
    responses((status = 200, description = "The study.", body = StudyView), Problems))]
pub(crate) async fn show(State(app): State<App>, Path(slug): Path<String>, headers: HeaderMap) -> ApiResult<Response> {
    app.organiser(&slug, &headers).await?;
    Ok(answer(view(&app, &slug).await?))
}

/// What is to change in a study.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Change {
    /// Another title of the study.
    #[schema(min_length = 1, max_length = 200)]
    title: Option<String>,
    /// The settings that change; all others stay.
    #[serde(default, deserialize_with = "crate::body::fields")]
    #[schema(value_type = Option<Settings>)]
    settings: Option<serde_json::Map<String, Value>>,
}

/// Changes the title or settings of a study.
#[utoipa::path(patch, path = "/v1/studies/{slug}", operation_id = "change_study",
    tag = "studies", request_body = Change,
    params(("slug" = String, Path),
        ("If-Match" = Option<String>, Header,
            description = "The ETag of the study as it was read: that of its settings.")),
    security(("organiser" = [])), responses((status = 200, description = "The study.", body = StudyView), Problems))]
pub(crate) async fn patch(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    Json(change): Json<Change>,
) -> ApiResult<Response> {
    let desk = app.organiser(&slug, &headers).await?;
    if let Some(title) = &change.title {
        check_title(title)?;
    }
    let title = change.title.map(|title| title.trim().to_owned());
    let fields = change.settings.unwrap_or_default();
    desk.send(Command::Set(command::Change { title, fields, known: if_match(&headers) })).await?;
    Ok(answer(view(&app, &slug).await?))
}

/// Deletes a study for ever, with its log, items, pictures, voters, comments and tokens.
#[utoipa::path(delete, path = "/v1/studies/{slug}", operation_id = "delete_study",
    tag = "studies", params(("slug" = String, Path)), security(("organiser" = [])),
    responses((status = 204, description = "It is gone."), Problems))]
pub(crate) async fn delete(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
) -> ApiResult<StatusCode> {
    app.organiser(&slug, &headers).await?;
    app.studies.delete(&slug).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What a study is to be.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewStatus {
    status: Status,
}

/// Opens, pauses, closes or archives a study.
#[utoipa::path(put, path = "/v1/studies/{slug}/status", operation_id = "set_status",
    tag = "studies", request_body = NewStatus, params(("slug" = String, Path)),
    security(("organiser" = [])), responses((status = 200, description = "The study.", body = StudyView), Problems))]
pub(crate) async fn status(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    Json(new): Json<NewStatus>,
) -> ApiResult<Response> {
    let desk = app.organiser(&slug, &headers).await?;
    desk.send(Command::Status(new.status)).await?;
    Ok(answer(view(&app, &slug).await?))
}
