//! The items of a study.

use crate::api_result::ApiResult;
use crate::app::App;
use crate::body::{Asked, Json, LIST, Page, one_key, part, query};
use crate::links;
use crate::problem::{Problem, Problems};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use borduel_study::content::{Content, key_of};
use borduel_study::{Command, Desk, command};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use utoipa::ToSchema;

/// An item to be added, or what is new about it.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewItem {
    /// Its name for programs; made from the title unless given.
    #[schema(pattern = "^[A-Za-z0-9._-]{1,64}$")]
    pub(crate) key: Option<String>,
    /// Its name for people.
    #[schema(min_length = 1, max_length = 200)]
    pub(crate) title: String,
    /// More about it.
    #[schema(max_length = 10000)]
    pub(crate) text: Option<String>,
    /// Where to see more.
    #[schema(pattern = "^https://", max_length = 2000)]
    pub(crate) link: Option<String>,
    /// What its picture shows, for whoever does not see it.
    #[schema(max_length = 500)]
    pub(crate) alt: Option<String>,
    /// Its features, for a model by features.
    #[serde(default)]
    #[schema(max_items = 1000)]
    pub(crate) features: Vec<f64>,
    /// Whether votes on what it was before stay votes on it. Otherwise an item that was asked about is replaced by a
    /// new one.
    #[serde(default)]
    pub(crate) correction: bool,
    /// Whether it is asked about and ranked.
    pub(crate) enabled: Option<bool>,
}

/// The keys of a study's items, and the hashes of their pictures.
pub(crate) type Known = HashMap<String, Option<String>>;

/// The items as commands want them; whoever has no key gets one.
pub(crate) fn commands(items: &[NewItem], known: &Known) -> ApiResult<Vec<command::Item>> {
    if items.len() > 1000 {
        return Err(Problem::invalid(format!("{} items at once: send at most 1000", items.len())));
    }
    let mut keys: HashSet<String> = items.iter().filter_map(|item| item.key.clone()).collect();
    let mut found = Vec::with_capacity(items.len());
    for item in items {
        let made = || key_of(&item.title, |key| known.contains_key(key) || keys.contains(key));
        let key = item.key.clone().unwrap_or_else(made);
        keys.insert(key.clone());
        let (title, text, link) = (item.title.clone(), item.text.clone(), item.link.clone());
        // A picture stays until there is another one.
        let image = known.get(&key).cloned().flatten();
        found.push(Content { title, text, link, image, alt: item.alt.clone() }.item(
            &key,
            item.features.clone(),
            item.correction,
        )?);
    }
    Ok(found)
}

/// An item of a study, with what is shown of it.
#[derive(Serialize, ToSchema)]
pub(crate) struct ItemView {
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
    #[serde(skip_serializing_if = "Vec::is_empty")]
    features: Vec<f64>,
    enabled: bool,
    /// How often it was shown.
    shown: u32,
}

/// The items of a study.
#[derive(Serialize, ToSchema)]
pub(crate) struct ItemList {
    items: Vec<ItemView>,
    /// What the next part comes after, if there is one.
    next: Option<String>,
}

/// A part of the items, in the order in which they came.
async fn view(desk: &Desk, slug: &str, after: Option<u16>, limit: usize) -> ApiResult<ItemList> {
    let contents = desk.items().await?;
    let items = desk.read(|state| state.items.clone()).await?;
    let view =
        |(item, (_, key, content)): (&borduel_study::state::Item, &(u16, String, std::sync::Arc<Content>))| ItemView {
            key: key.clone(),
            title: content.title.clone(),
            text: content.text.clone(),
            link: content.link.clone(),
            image: content.image.as_ref().map(|hash| links::picture(slug, hash)),
            alt: content.alt.clone(),
            features: item.features.clone(),
            enabled: item.enabled,
            shown: item.shown(),
        };
    let wanted = |number: u16| after.is_none_or(|after| number > after);
    let all = items.iter().zip(&contents);
    let found = all.filter(|(item, (number, ..))| !item.replaced && wanted(*number)).take(limit.saturating_add(1));
    let (found, next) = part(found.collect(), limit, |(_, (number, ..))| number.to_string());
    Ok(ItemList { items: found.into_iter().map(view).collect(), next })
}

/// All items, for whoever has changed one.
pub(super) async fn all(desk: &Desk, slug: &str) -> ApiResult<ItemList> {
    view(desk, slug, None, usize::MAX).await
}

/// Lists the items.
#[utoipa::path(get, path = "/v1/studies/{slug}/items", operation_id = "list_items",
    tag = "items", params(("slug" = String, Path), Page),
    security(("organiser" = [])),
    responses((status = 200, description = "A part of the list.", body = ItemList), Problems))]
pub(crate) async fn list(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    page: Asked<Page>,
) -> ApiResult<axum::Json<ItemList>> {
    let desk = app.organiser(&slug, &headers).await?;
    let page = query(page)?;
    Ok(axum::Json(view(&desk, &slug, page.after()?, page.limit()? as usize).await?))
}

/// Items to be added.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewItems {
    #[schema(max_items = 1000)]
    items: Vec<NewItem>,
}

/// The items that a study has, replaced ones included: their keys are not made again.
pub(crate) async fn known(desk: &Desk) -> ApiResult<Known> {
    Ok(desk.items().await?.into_iter().map(|(_, key, content)| (key, content.image.clone())).collect())
}

pub(crate) async fn store(desk: &Desk, items: &[NewItem]) -> ApiResult<()> {
    let new = commands(items, &known(desk).await?)?;
    let switches: Vec<(String, bool)> =
        new.iter().zip(items).filter_map(|(item, given)| Some((item.key.clone(), given.enabled?))).collect();
    if !new.is_empty() {
        desk.send(Command::Items(new)).await?;
    }
    for (key, on) in switches {
        desk.send(Command::Enable { key, on }).await?;
    }
    Ok(())
}

/// Adds or changes items.
#[utoipa::path(post, path = "/v1/studies/{slug}/items", operation_id = "add_items",
    tag = "items", request_body = NewItems, params(("slug" = String, Path)),
    security(("organiser" = [])), responses((status = 201, description = "All items.", body = ItemList), Problems))]
pub(crate) async fn post(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    Json(new): Json<NewItems, LIST>,
) -> ApiResult<(StatusCode, axum::Json<ItemList>)> {
    let desk = app.organiser(&slug, &headers).await?;
    store(&desk, &new.items).await?;
    Ok((StatusCode::CREATED, axum::Json(all(&desk, &slug).await?)))
}

/// Adds or changes an item.
#[utoipa::path(put, path = "/v1/studies/{slug}/items/{key}", operation_id = "put_item",
    tag = "items", request_body = NewItem,
    params(("slug" = String, Path), ("key" = String, Path)), security(("organiser" = [])),
    responses((status = 200, description = "All items.", body = ItemList), Problems))]
pub(crate) async fn put(
    State(app): State<App>,
    Path((slug, key)): Path<(String, String)>,
    headers: HeaderMap,
    Json(mut item): Json<NewItem>,
) -> ApiResult<axum::Json<ItemList>> {
    let desk = app.organiser(&slug, &headers).await?;
    item.key = one_key(item.key.as_ref(), key)?;
    store(&desk, &[item]).await?;
    Ok(axum::Json(all(&desk, &slug).await?))
}
