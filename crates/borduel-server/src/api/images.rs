//! Pictures of items: cleaned when they come, served under their hash.

use super::items::{ItemList, all};
use crate::api_result::ApiResult;
use crate::app::App;
use crate::body::{Asked, Binary, query, read};
use crate::problem::{Problem, Problems};
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use borduel_study::content::Content;
use borduel_study::{Command, Desk, Refusal, hex, image};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use utoipa::IntoParams;

/// How a picture is taken.
#[derive(Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Picturing {
    /// Whether votes on the item without it, or with another one, stay votes on it. Otherwise an item that was asked
    /// about is replaced by a new one.
    correction: Option<bool>,
}

/// Gives an item a picture: PNG, JPEG or WebP, at most 5 MB and 40 million pixels. What a camera wrote into it is cut
/// out.
#[utoipa::path(put, path = "/v1/studies/{slug}/items/{key}/image", operation_id = "put_image",
    tag = "items", params(("slug" = String, Path), ("key" = String, Path), Picturing),
    request_body(content = inline(Binary), content_type = "application/octet-stream"), security(("organiser" = [])),
    responses((status = 200, description = "All items.", body = ItemList), Problems))]
pub(crate) async fn put(
    State(app): State<App>,
    Path((slug, key)): Path<(String, String)>,
    headers: HeaderMap,
    picturing: Asked<Picturing>,
    body: Body,
) -> ApiResult<axum::Json<ItemList>> {
    let desk = app.organiser(&slug, &headers).await?;
    let correction = query(picturing)?.correction.unwrap_or(false);
    let number = desk.read(|state| state.item(&key)).await?.ok_or(Refusal::NoItem(key.clone()))?;
    let (_, content) = desk.item(number).await?;
    picture(&desk, &key, (*content).clone(), correction, read(body, image::BYTES).await?).await?;
    Ok(axum::Json(all(&desk, &slug).await?))
}

/// Keeps a picture and gives it to the item of this key, which is made where there is none.
pub(crate) async fn picture(
    desk: &Desk,
    key: &str,
    content: Content,
    correction: bool,
    bytes: Vec<u8>,
) -> ApiResult<()> {
    let features =
        desk.read(|state| state.item(key).map(|item| state.items[usize::from(item)].features.clone())).await?;
    let shown = |image| {
        let item = Content { image, ..content }.item(key, features.unwrap_or_default(), correction)?;
        Ok(Command::Items(vec![item]))
    };
    show(desk, bytes, shown).await
}

/// Keeps a picture, cleaned, and sends the command that shows it, made of its hash.
pub(super) async fn show(
    desk: &Desk,
    bytes: Vec<u8>,
    shown: impl FnOnce(Option<String>) -> ApiResult<Command>,
) -> ApiResult<()> {
    let cleaned = tokio::task::spawn_blocking(move || image::clean(bytes)).await;
    let cleaned = cleaned.map_err(|error| Problem::new("internal", error.to_string()))?.map_err(Problem::invalid)?;
    let shown = shown(Some(hex::text(&Sha256::digest(&cleaned))))?;
    desk.send(Command::Keep(cleaned)).await?;
    desk.send(shown).await?;
    Ok(())
}

/// Shows a picture. Whoever knows its hash may see it, as voters do.
#[utoipa::path(get, path = "/v1/studies/{slug}/images/{hash}", operation_id = "show_image",
    tag = "items", params(("slug" = String, Path), ("hash" = String, Path)),
    responses((status = 200, description = "The picture.", content(
        (inline(Binary) = "image/png"), (inline(Binary) = "image/jpeg"), (inline(Binary) = "image/webp"))), Problems))]
pub(crate) async fn get(State(app): State<App>, Path((slug, hash)): Path<(String, String)>) -> ApiResult<Response> {
    let none = || Problem::not_found("there is no such picture");
    let hash = hex::parse(&hash).ok_or_else(none)?;
    let study = app.study(&slug).await?.ok_or_else(none)?;
    let bytes = app.studies.ledger().content(study, &hash).await?.ok_or_else(none)?;
    // Other things are kept under hashes as well.
    let media = image::media(&bytes).ok_or_else(none)?;
    let headers = [
        (CONTENT_TYPE, media),
        (CACHE_CONTROL, "public, max-age=31536000, immutable"),
        (CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"),
    ];
    Ok((headers, bytes).into_response())
}
