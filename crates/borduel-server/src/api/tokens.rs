//! The tokens of a study: of its organisers, and of those who only read its results. Voters' tokens are made by
//! joining.

use crate::api_result::ApiResult;
use crate::app::App;
use crate::auth::{ORGANISER, VIEWER};
use crate::body::Json;
use crate::problem::{Problem, Problems};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use borduel_study::export::time;
use borduel_study::ledger::Token;
use borduel_study::token::{self, Scope};
use borduel_study::{desk, hex};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How many digits of its hash name a token.
const NAMED: usize = 12;

/// What a token of a study allows.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TokenKind {
    /// Everything in the study.
    Organiser,
    /// To see its results.
    Viewer,
}

/// Which token is to be made.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewToken {
    kind: TokenKind,
    /// What it is for, as the list shows it.
    #[serde(default)]
    #[schema(max_length = 100)]
    label: String,
    /// After how many seconds it ends; never unless it is said.
    #[schema(minimum = 60, maximum = 315_360_000)]
    expires_in: Option<u32>,
}

/// A token that was made.
#[derive(Serialize, ToSchema)]
pub(crate) struct CreatedToken {
    /// What the list calls it.
    id: String,
    /// The token, shown this once.
    token: String,
}

/// A token in the list: what it is, but not the token itself, of which only the hash is kept.
#[derive(Serialize, ToSchema)]
pub(crate) struct TokenView {
    /// The beginning of its hash.
    id: String,
    /// `organiser` or `viewer`.
    kind: String,
    label: String,
    created_at: String,
    /// When it ends, where it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
    /// When it was revoked, where it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    revoked_at: Option<String>,
}

/// The tokens of a study.
#[derive(Serialize, ToSchema)]
pub(crate) struct TokenList {
    tokens: Vec<TokenView>,
}

fn id(hash: &hex::Hash) -> String {
    hex::text(hash)[..NAMED].to_owned()
}

/// Lists the tokens of organisers and of those who read results, those that were revoked among them.
#[utoipa::path(get, path = "/v1/studies/{slug}/tokens", operation_id = "list_tokens",
    tag = "tokens", params(("slug" = String, Path)), security(("organiser" = [])),
    responses((status = 200, description = "The tokens.", body = TokenList), Problems))]
pub(crate) async fn list(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
) -> ApiResult<axum::Json<TokenList>> {
    let study = app.organiser(&slug, &headers).await?.study();
    let at = |when: i64| (when > 0).then(|| time(when));
    let view = |token: Token| TokenView {
        id: id(&token.hash),
        kind: token.scope,
        label: token.label,
        created_at: time(token.created),
        expires_at: at(token.expires),
        revoked_at: at(token.revoked),
    };
    let tokens = app.studies.ledger().tokens(study).await?.into_iter().map(view).collect();
    Ok(axum::Json(TokenList { tokens }))
}

/// Makes a token for another organiser, or for whoever reads the results.
#[utoipa::path(post, path = "/v1/studies/{slug}/tokens", operation_id = "make_token",
    tag = "tokens", request_body = NewToken, params(("slug" = String, Path)), security(("organiser" = [])),
    responses((status = 201, description = "It was made.", body = CreatedToken), Problems))]
pub(crate) async fn make(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    Json(new): Json<NewToken>,
) -> ApiResult<(StatusCode, axum::Json<CreatedToken>)> {
    let study = app.organiser(&slug, &headers).await?.study();
    if new.label.chars().count() > 100 || new.label.contains(char::is_control) {
        return Err(Problem::invalid("label must be a line of at most 100 characters"));
    }
    if new.expires_in.is_some_and(|seconds| !(60..=315_360_000).contains(&seconds)) {
        return Err(Problem::invalid("expires_in must be from 60 to 315360000 seconds"));
    }
    let (scope, kind) = match new.kind {
        TokenKind::Organiser => (Scope::Organiser, ORGANISER),
        TokenKind::Viewer => (Scope::Viewer, VIEWER),
    };
    let (token, hash) = token::new(scope)?;
    let now = desk::now();
    let expires = new.expires_in.map(|seconds| now + i64::from(seconds) * 1000);
    app.studies.ledger().add_token(&hash, kind, study, &new.label, (now, expires)).await?;
    Ok((StatusCode::CREATED, axum::Json(CreatedToken { id: id(&hash), token })))
}

/// Revokes a token: whoever has it is let in no more.
#[utoipa::path(delete, path = "/v1/studies/{slug}/tokens/{id}", operation_id = "revoke_token",
    tag = "tokens", params(("slug" = String, Path), ("id" = String, Path)), security(("organiser" = [])),
    responses((status = 204, description = "It is revoked."), Problems))]
pub(crate) async fn revoke(
    State(app): State<App>,
    Path((slug, wanted)): Path<(String, String)>,
    headers: HeaderMap,
) -> ApiResult<StatusCode> {
    let study = app.organiser(&slug, &headers).await?.study();
    let ledger = app.studies.ledger();
    let known = ledger.tokens(study).await?.into_iter().find(|token| id(&token.hash) == wanted);
    let known = known.ok_or_else(|| Problem::not_found(format!("there is no token {wanted:?} in this study")))?;
    ledger.revoke(&known.hash, study, desk::now()).await?;
    Ok(StatusCode::NO_CONTENT)
}
