//! Forms as browsers send them.

use super::layout::Fault;
use crate::body::{LIST, read};
use crate::problem::Problem;
use axum::extract::{FromRequest, Request};
use axum::http::header::CONTENT_TYPE;
use serde::de::DeserializeOwned;

/// The fields of a form, at most 1 MB.
#[derive(Debug)]
pub(super) struct Form<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Form<T> {
    type Rejection = Fault;

    async fn from_request(request: Request, _: &S) -> Result<Self, Fault> {
        let kind = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("");
        if !kind.starts_with("application/x-www-form-urlencoded") {
            return Err(Problem::new("media-type", format!("the form is {kind:?}")).into());
        }
        let bytes = read(request.into_body(), LIST).await?;
        let fields = serde_urlencoded::from_bytes(&bytes);
        fields.map(Self).map_err(|error| Problem::new("malformed", format!("the form cannot be read: {error}")).into())
    }
}
