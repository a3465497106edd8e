//! What is shown of items in contexts, such as the answer of each model to each prompt.

use super::contexts::{AT_ONCE, Correcting};
use super::images::show;
use crate::api_result::ApiResult;
use crate::app::App;
use crate::body::{Asked, Binary, Json, LIST, Page, query, read};
use crate::links;
use crate::problem::{Problem, Problems};
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use borduel_study::content::Content;
use borduel_study::{Command, Desk, Refusal, image};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use utoipa::ToSchema;

/// What is shown of an item in a context.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewContent {
    /// The item's key.
    pub(crate) item: String,
    /// The context's key.
    pub(crate) context: String,
    /// What is shown.
    #[schema(max_length = 10000)]
    pub(crate) text: Option<String>,
    /// Where to see more.
    #[schema(pattern = "^https://", max_length = 2000)]
    pub(crate) link: Option<String>,
    /// What its picture shows, for whoever does not see it.
    #[schema(max_length = 500)]
    pub(crate) alt: Option<String>,
    /// Whether votes on what was shown there before stay votes on it. Otherwise what was asked about stays as it is.
    #[serde(default)]
    pub(crate) correction: bool,
}

/// What a study shows of items in contexts, by the keys of both.
type ByPlace = HashMap<(String, String), Content>;

/// What of these is there already.
async fn known(desk: &Desk, wanted: impl Iterator<Item = (&str, &str)>) -> ApiResult<ByPlace> {
    let mut known = ByPlace::new();
    for (item, context) in wanted {
        let places = desk.read(|state| {
            let (item, context) = (state.item(item)?, state.context(context)?);
            state.contexts[usize::from(context)].content_of(item).map(|_| (item, context))
        });
        if let Some((number, place)) = places.await? {
            let content = desk.shown(number, Some(place)).await?.1;
            known.insert((item.to_owned(), context.to_owned()), (*content).clone());
        }
    }
    Ok(known)
}

/// Stores what is shown of items in contexts.
pub(crate) async fn store(desk: &Desk, contents: &[NewContent]) -> ApiResult<()> {
    if contents.len() > AT_ONCE {
        return Err(Problem::invalid(format!("{} contents at once: send at most {AT_ONCE}", contents.len())));
    }
    let known = known(desk, contents.iter().map(|content| (&*content.item, &*content.context))).await?;
    let mut new = Vec::with_capacity(contents.len());
    for given in contents {
        let place = (given.item.clone(), given.context.clone());
        // A picture stays until there is another one.
        let image = known.get(&place).and_then(|content| content.image.clone());
        let (text, link, alt) = (given.text.clone(), given.link.clone(), given.alt.clone());
        let content = Content { title: String::new(), text, link, image, alt };
        new.push(content.placed(&given.item, &given.context, given.correction)?);
    }
    if !new.is_empty() {
        desk.send(Command::Contents(new)).await?;
    }
    Ok(())
}

/// What is shown of an item in a context.
#[derive(Serialize, ToSchema)]
pub(crate) struct ContentView {
    /// The item's key.
    item: String,
    /// The context's key.
    context: String,
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
}

/// What is shown of items in contexts.
#[derive(Serialize, ToSchema)]
pub(crate) struct ContentList {
    contents: Vec<ContentView>,
    /// What the next part comes after, if there is one.
    next: Option<String>,
}

/// Lists what is shown of items in contexts, context by context.
#[utoipa::path(get, path = "/v1/studies/{slug}/contents", operation_id = "list_contents",
    tag = "contexts", params(("slug" = String, Path), Page),
    security(("organiser" = [])),
    responses((status = 200, description = "A part of the list.", body = ContentList), Problems))]
pub(crate) async fn list(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    page: Asked<Page>,
) -> ApiResult<axum::Json<ContentList>> {
    let desk = app.organiser(&slug, &headers).await?;
    let page = query(page)?;
    let place =
        |text: &str| Some(text.split_once('-')?).and_then(|(at, in_it)| Some((at.parse().ok()?, in_it.parse().ok()?)));
    let from = match page.after.as_deref() {
        None => (0, 0),
        Some(after) => place(after)
            .ok_or_else(|| Problem::invalid(format!("after is {after:?}: it is the `next` of the part before")))?,
    };
    let (found, next) = desk.contents(from, page.limit()? as usize).await?;
    let view = |(item, context, content): borduel_study::desk::PlacedContent| ContentView {
        item,
        context,
        text: content.text.clone(),
        link: content.link.clone(),
        image: content.image.as_ref().map(|hash| links::picture(&slug, hash)),
        alt: content.alt.clone(),
    };
    let next = next.map(|(context, skipped)| format!("{context}-{skipped}"));
    Ok(axum::Json(ContentList { contents: found.into_iter().map(view).collect(), next }))
}

/// Contents to be stored.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewContents {
    #[schema(max_items = 1000)]
    contents: Vec<NewContent>,
}

/// What was stored.
#[derive(Serialize, ToSchema)]
pub(crate) struct Stored {
    /// How many contents the request had.
    contents: u64,
}

/// Gives items contents of their own in contexts. Items and contexts must be there.
#[utoipa::path(post, path = "/v1/studies/{slug}/contents", operation_id = "add_contents",
    tag = "contexts", request_body = NewContents, params(("slug" = String, Path)),
    security(("organiser" = [])),
    responses((status = 201, description = "They are stored.", body = Stored), Problems))]
pub(crate) async fn post(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    Json(new): Json<NewContents, LIST>,
) -> ApiResult<(StatusCode, axum::Json<Stored>)> {
    let desk = app.organiser(&slug, &headers).await?;
    store(&desk, &new.contents).await?;
    Ok((StatusCode::CREATED, axum::Json(Stored { contents: new.contents.len() as u64 })))
}

/// Gives an item a picture in a context, as it is given one of its own.
#[utoipa::path(put, path = "/v1/studies/{slug}/contents/{item}/{context}/image", operation_id = "put_content_image",
    tag = "contexts", params(("slug" = String, Path), ("item" = String, Path), ("context" = String, Path), Correcting),
    request_body(content = inline(Binary), content_type = "application/octet-stream"), security(("organiser" = [])),
    responses((status = 200, description = "It is stored.", body = Stored), Problems))]
pub(crate) async fn picture(
    State(app): State<App>,
    Path((slug, item, context)): Path<(String, String, String)>,
    headers: HeaderMap,
    correcting: Asked<Correcting>,
    body: Body,
) -> ApiResult<axum::Json<Stored>> {
    let desk = app.organiser(&slug, &headers).await?;
    let correction = query(correcting)?.correction.unwrap_or(false);
    set_picture(&desk, (&item, &context), correction, read(body, image::BYTES).await?).await?;
    Ok(axum::Json(Stored { contents: 1 }))
}

/// Keeps a picture and shows it of an item in a context.
pub(crate) async fn set_picture(
    desk: &Desk,
    (item, context): (&str, &str),
    correction: bool,
    bytes: Vec<u8>,
) -> ApiResult<()> {
    let (there, place) = desk.read(|state| (state.item(item).is_some(), state.context(context).is_some())).await?;
    if !there {
        return Err(Refusal::NoItem(item.to_owned()).into());
    }
    if !place {
        return Err(Refusal::NoContext(context.to_owned()).into());
    }
    let known = known(desk, std::iter::once((item, context))).await?.into_values().next().unwrap_or_default();
    let shown = |image| Ok(Command::Contents(vec![Content { image, ..known }.placed(item, context, correction)?]));
    show(desk, bytes, shown).await
}
