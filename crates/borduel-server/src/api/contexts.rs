//! The contexts of a study: what both items of a question are shown with, such as the prompt that two models answer.

use super::images::show;
use crate::api_result::ApiResult;
use crate::app::App;
use crate::body::{Asked, Binary, Json, LIST, Page, one_key, part, query, read};
use crate::links;
use crate::problem::{Problem, Problems};
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use borduel_study::content::{Content, key_of};
use borduel_study::{Command, Desk, Refusal, image};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use utoipa::{IntoParams, ToSchema};

/// The most contexts or contents of one request.
pub(super) const AT_ONCE: usize = 1000;

/// A context to be added, or what is new about it.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewContext {
    /// Its name for programs; made from the title or the text unless given.
    #[schema(pattern = "^[A-Za-z0-9._-]{1,64}$")]
    pub(crate) key: Option<String>,
    /// Its name for people; its key unless given.
    #[schema(min_length = 1, max_length = 200)]
    pub(crate) title: Option<String>,
    /// What is shown of it, such as the prompt.
    #[schema(max_length = 10000)]
    pub(crate) text: Option<String>,
    /// Where to see more.
    #[schema(pattern = "^https://", max_length = 2000)]
    pub(crate) link: Option<String>,
    /// What its picture shows, for whoever does not see it.
    #[schema(max_length = 500)]
    pub(crate) alt: Option<String>,
    /// Whether votes in what it was before stay votes in it. Otherwise a context in which items were compared stays
    /// as it is.
    #[serde(default)]
    pub(crate) correction: bool,
    /// Whether items are compared in it, and its votes count.
    pub(crate) enabled: Option<bool>,
}

/// How many characters of a text make a key.
const KEY: usize = 40;

impl NewContext {
    /// Its key: a new one where none is given.
    fn key(&self, taken: impl Fn(&str) -> bool) -> String {
        let words = |text: &Option<String>| {
            let begins: String = text.as_deref().unwrap_or("").chars().take(KEY).collect();
            begins.contains(|c: char| c.is_ascii_alphanumeric()).then_some(begins)
        };
        let made = || words(&self.title).or_else(|| words(&self.text)).unwrap_or_else(|| "context".to_owned());
        self.key.clone().unwrap_or_else(|| key_of(&made(), taken))
    }
}

/// Stores contexts, and tells their keys.
pub(crate) async fn store(desk: &Desk, contexts: &[NewContext]) -> ApiResult<Vec<String>> {
    if contexts.len() > AT_ONCE {
        return Err(Problem::invalid(format!("{} contexts at once: send at most {AT_ONCE}", contexts.len())));
    }
    let mut given: HashSet<String> = contexts.iter().filter_map(|context| context.key.clone()).collect();
    let known = desk.read(|state| state.contexts.clone()).await?;
    let known: HashSet<&str> = known.iter().map(|context| &*context.key).collect();
    let (mut keys, mut new) = (Vec::with_capacity(contexts.len()), Vec::with_capacity(contexts.len()));
    for context in contexts {
        let key = context.key(|key| known.contains(key) || given.contains(key));
        given.insert(key.clone());
        // A picture stays until there is another one.
        let image = if known.contains(&*key) { find(desk, &key).await?.1.image } else { None };
        let title = context.title.clone().unwrap_or_else(|| key.clone());
        let (text, link, alt) = (context.text.clone(), context.link.clone(), context.alt.clone());
        new.push(Content { title, text, link, image, alt }.context(&key, context.correction)?);
        keys.push(key);
    }
    if !new.is_empty() {
        desk.send(Command::Contexts(new)).await?;
    }
    for (key, context) in keys.iter().zip(contexts) {
        if let Some(on) = context.enabled {
            desk.send(Command::EnableContext { key: key.clone(), on }).await?;
        }
    }
    Ok(keys)
}

/// The context of this key: its number and what is shown of it.
pub(crate) async fn find(desk: &Desk, key: &str) -> ApiResult<(u16, Content)> {
    let number = desk.read(|state| state.context(key)).await?.ok_or_else(|| Refusal::NoContext(key.to_owned()))?;
    Ok((number, (*desk.context(number).await?.1).clone()))
}

/// A context of a study, with what is shown of it.
#[derive(Serialize, ToSchema)]
pub(crate) struct ContextView {
    key: String,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<String>,
    /// The address of its picture on this server.
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<String>,
    /// What its picture shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    alt: Option<String>,
    enabled: bool,
    /// How many questions were asked in it.
    shown: u32,
    /// How many items have a content of their own in it.
    contents: u64,
}

/// The contexts of a study.
#[derive(Serialize, ToSchema)]
pub(crate) struct ContextList {
    contexts: Vec<ContextView>,
    /// What the next part comes after, if there is one.
    next: Option<String>,
}

/// Lists the contexts, in the order in which they came.
#[utoipa::path(get, path = "/v1/studies/{slug}/contexts", operation_id = "list_contexts",
    tag = "contexts", params(("slug" = String, Path), Page),
    security(("organiser" = [])),
    responses((status = 200, description = "A part of the list.", body = ContextList), Problems))]
pub(crate) async fn list(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    page: Asked<Page>,
) -> ApiResult<axum::Json<ContextList>> {
    let desk = app.organiser(&slug, &headers).await?;
    let page = query(page)?;
    let (from, limit) = (page.after::<u16>()?.map_or(0, |after| usize::from(after) + 1), page.limit()? as usize);
    let (found, next) = part(desk.contexts(from, limit + 1).await?, limit, |(number, ..)| number.to_string());
    let view = |(_, context, content): (u16, borduel_study::state::Context, std::sync::Arc<Content>)| ContextView {
        title: content.title.clone(),
        text: content.text.clone(),
        link: content.link.clone(),
        image: content.image.as_ref().map(|hash| links::picture(&slug, hash)),
        alt: content.alt.clone(),
        enabled: context.enabled,
        shown: context.shown(),
        contents: context.contents().count() as u64,
        key: context.key,
    };
    Ok(axum::Json(ContextList { contexts: found.into_iter().map(view).collect(), next }))
}

/// Contexts to be added.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewContexts {
    #[schema(max_items = 1000)]
    contexts: Vec<NewContext>,
}

/// The contexts that were stored.
#[derive(Serialize, ToSchema)]
pub(crate) struct ContextKeys {
    /// Their keys, in the order in which they were sent.
    keys: Vec<String>,
}

/// Adds or changes contexts.
#[utoipa::path(post, path = "/v1/studies/{slug}/contexts", operation_id = "add_contexts",
    tag = "contexts", request_body = NewContexts, params(("slug" = String, Path)),
    security(("organiser" = [])),
    responses((status = 201, description = "They are stored.", body = ContextKeys), Problems))]
pub(crate) async fn post(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    Json(new): Json<NewContexts, LIST>,
) -> ApiResult<(StatusCode, axum::Json<ContextKeys>)> {
    let desk = app.organiser(&slug, &headers).await?;
    let keys = store(&desk, &new.contexts).await?;
    Ok((StatusCode::CREATED, axum::Json(ContextKeys { keys })))
}

/// Adds or changes a context.
#[utoipa::path(put, path = "/v1/studies/{slug}/contexts/{key}", operation_id = "put_context",
    tag = "contexts", request_body = NewContext,
    params(("slug" = String, Path), ("key" = String, Path)), security(("organiser" = [])),
    responses((status = 200, description = "It is stored.", body = ContextKeys), Problems))]
pub(crate) async fn put(
    State(app): State<App>,
    Path((slug, key)): Path<(String, String)>,
    headers: HeaderMap,
    Json(mut context): Json<NewContext, LIST>,
) -> ApiResult<axum::Json<ContextKeys>> {
    let desk = app.organiser(&slug, &headers).await?;
    context.key = one_key(context.key.as_ref(), key)?;
    let keys = store(&desk, &[context]).await?;
    Ok(axum::Json(ContextKeys { keys }))
}

/// How pictures and files are taken.
#[derive(Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Correcting {
    /// Whether votes on what was shown before stay votes on it. Otherwise what was asked about stays as it is.
    pub(super) correction: Option<bool>,
}

/// Gives a context a picture, as an item is given one.
#[utoipa::path(put, path = "/v1/studies/{slug}/contexts/{key}/image", operation_id = "put_context_image",
    tag = "contexts", params(("slug" = String, Path), ("key" = String, Path), Correcting),
    request_body(content = inline(Binary), content_type = "application/octet-stream"), security(("organiser" = [])),
    responses((status = 200, description = "It is stored.", body = ContextKeys), Problems))]
pub(crate) async fn picture(
    State(app): State<App>,
    Path((slug, key)): Path<(String, String)>,
    headers: HeaderMap,
    correcting: Asked<Correcting>,
    body: Body,
) -> ApiResult<axum::Json<ContextKeys>> {
    let desk = app.organiser(&slug, &headers).await?;
    let correction = query(correcting)?.correction.unwrap_or(false);
    set_picture(&desk, &key, correction, read(body, image::BYTES).await?).await?;
    Ok(axum::Json(ContextKeys { keys: vec![key] }))
}

/// Keeps a picture and shows it of a context.
pub(crate) async fn set_picture(desk: &Desk, key: &str, correction: bool, bytes: Vec<u8>) -> ApiResult<()> {
    let (_, content) = find(desk, key).await?;
    let shown = |image| Ok(Command::Contexts(vec![Content { image, ..content }.context(key, correction)?]));
    show(desk, bytes, shown).await
}
