//! Everything that can be refused, as RFC 9457 has it: `application/problem+json` with a type that has a page.

use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use borduel_study::event::Status;
use borduel_study::{Error, Refusal};
use serde::Serialize;
use utoipa::ToSchema;

/// Why a request was refused.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Problem {
    /// An address that explains it.
    #[serde(rename = "type")]
    pub kind: String,
    /// What it is, in short.
    pub title: String,
    /// The HTTP status of the response.
    #[schema(minimum = 400, maximum = 599)]
    pub status: u16,
    /// What is wrong with what, and what to do.
    pub detail: String,
}

/// The kinds of problems: name, status, title, and what its page says.
pub(crate) const KINDS: &[(&str, u16, &str, &str)] = &[
    ("malformed", 400, "The request cannot be read", "The body is not JSON, or a parameter is not what it should be."),
    (
        "no-token",
        401,
        "A token is needed",
        "Send `Authorization: Bearer …` with a token that is known and has not ended.",
    ),
    ("not-yours", 403, "The token does not allow this", "The token is known, but for something else."),
    ("not-found", 404, "There is no such thing", "It does not exist, or not for you."),
    ("method", 405, "The method is not supported here", "See /docs for what is."),
    (
        "conflict",
        409,
        "It contradicts what is there",
        "A question has one answer for ever, a name one study, and a closed study no votes.",
    ),
    ("gone", 410, "The study is archived", "Nothing changes in it any more."),
    ("changed", 412, "It was changed meanwhile", "Read it again, and send the new ETag in If-Match."),
    ("too-large", 413, "The body is too large", "Send less at a time."),
    ("media-type", 415, "The body has another type", "Send `Content-Type: application/json`."),
    (
        "invalid",
        422,
        "Something in the request is wrong",
        "The detail names the field, its value and what would be right.",
    ),
    (
        "work-wanted",
        428,
        "A proof of work is wanted",
        "The study's proof-of-work gives a puzzle. Find the number for which the SHA-256 of `PUZZLE:NUMBER` begins \
         with as many zero bits as it says, and send `work` with `PUZZLE:NUMBER`. A solution lets in one voter.",
    ),
    ("too-many", 429, "Too many requests", "Wait as long as Retry-After says."),
    ("internal", 500, "The server has made a mistake", "It is in the server's log under the request's id."),
    (
        "unavailable",
        503,
        "Not stored, send it again",
        "The server has too much to do or its database does not answer. What was stored already is not counted twice.",
    ),
];

impl Problem {
    /// A problem of this kind, by its name.
    pub(crate) fn new(name: &str, detail: impl Into<String>) -> Self {
        let found = KINDS.iter().find(|kind| kind.0 == name);
        let (_, status, title, _) = found.copied().unwrap_or(("internal", 500, "The server has made a mistake", ""));
        Self { kind: format!("/problems/{name}"), title: title.to_owned(), status, detail: detail.into() }
    }

    pub(crate) fn not_found(what: impl Into<String>) -> Self {
        Self::new("not-found", what)
    }

    pub(crate) fn invalid(what: impl Into<String>) -> Self {
        Self::new("invalid", what)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, axum::Json(&self)).into_response();
        // Whoever asked for a page is shown one.
        response.extensions_mut().insert(self);
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
            headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let name = match &refusal {
            Refusal::Status { status: Status::Archived, .. } => "gone",
            Refusal::Status { .. }
            | Refusal::Conflict { .. }
            | Refusal::TakenBack(_)
            | Refusal::Enough(_)
            | Refusal::TooLate { .. }
            | Refusal::OtherFile(_) => "conflict",
            Refusal::Changed { .. } => "changed",
            Refusal::NoVoter(_) | Refusal::NoQuestion(_) => "not-found",
            Refusal::Barred(_) | Refusal::NetworkFull => "not-yours",
            Refusal::NetworkHasty | Refusal::Hasty { .. } => "too-many",
            Refusal::NoItem(_) | Refusal::NoContext(_) | Refusal::Invalid(_) => "invalid",
            Refusal::Busy | Refusal::Storage(_) => "unavailable",
        };
        let detail = match &refusal {
            // What the database says is for the log, not for voters.
            Refusal::Storage(_) => "it could not be stored: send it again in a moment".to_owned(),
            other => other.to_string(),
        };
        Self::new(name, detail)
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        match error {
            Error::Refused(refusal) => refusal.into(),
            Error::NoStudy(slug) => Self::not_found(format!("there is no study {slug:?}")),
            Error::Taken(_) => Self::new("conflict", error.to_string()),
            Error::Invalid(_) | Error::Votes(_) | Error::Library(_) => Self::invalid(error.to_string()),
            Error::Database { .. } => {
                tracing::error!(%error, "the database failed");
                Self::new("unavailable", "the database does not answer as it should: send it again in a moment")
            }
            other => {
                tracing::error!(error = %other, "a study cannot be used");
                Self::new("internal", "the study cannot be read: see the server's log")
            }
        }
    }
}

/// What every address may answer besides what it is for.
#[derive(utoipa::IntoResponses)]
#[allow(dead_code, reason = "only its description is used")]
pub(crate) enum Problems {
    /// The request cannot be read.
    #[response(status = 400, content_type = "application/problem+json")]
    Malformed(Problem),
    /// A token is needed.
    #[response(status = 401, content_type = "application/problem+json")]
    NoToken(Problem),
    /// The token does not allow this.
    #[response(status = 403, content_type = "application/problem+json")]
    NotYours(Problem),
    /// There is no such thing, or not for you.
    #[response(status = 404, content_type = "application/problem+json")]
    NotFound(Problem),
    /// It contradicts what is there.
    #[response(status = 409, content_type = "application/problem+json")]
    Conflict(Problem),
    /// The study is archived.
    #[response(status = 410, content_type = "application/problem+json")]
    Gone(Problem),
    /// It was changed meanwhile.
    #[response(status = 412, content_type = "application/problem+json")]
    Changed(Problem),
    /// The body is too large.
    #[response(status = 413, content_type = "application/problem+json")]
    TooLarge(Problem),
    /// The body has another type.
    #[response(status = 415, content_type = "application/problem+json")]
    MediaType(Problem),
    /// Something in the request is wrong.
    #[response(status = 422, content_type = "application/problem+json")]
    Invalid(Problem),
    /// Too many requests.
    #[response(status = 429, content_type = "application/problem+json")]
    TooMany(Problem),
    /// Not stored: send it again.
    #[response(status = 503, content_type = "application/problem+json")]
    Unavailable(Problem),
}
