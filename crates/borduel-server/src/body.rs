//! Reading requests: bodies with a limit, parameters and queries, every refusal a problem.

use crate::problem::Problem;
use axum::body::{Body, to_bytes};
use axum::extract::rejection::QueryRejection;
use axum::extract::{FromRequest, Query, Request};
use axum::http::header::CONTENT_TYPE;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use utoipa::IntoParams;

/// The most bytes of an ordinary body.
pub(crate) const SMALL: usize = 16 * 1024;
/// The most bytes of a list of items.
pub(crate) const LIST: usize = 1024 * 1024;
/// The most bytes of an imported file.
pub(crate) const FILE: usize = 50 * 1024 * 1024;

/// A JSON body of at most `LIMIT` bytes.
#[derive(Debug)]
pub(crate) struct Json<T, const LIMIT: usize = SMALL>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync, const LIMIT: usize> FromRequest<S> for Json<T, LIMIT> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let kind = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("");
        let kind = kind.split(';').next().unwrap_or("").trim();
        if !kind.eq_ignore_ascii_case("application/json") {
            return Err(Problem::new("media-type", format!("the body is {kind:?}: send application/json")));
        }
        let bytes = read(request.into_body(), LIMIT).await?;
        // Nearly every body is what it should be; only what is not is looked at twice.
        serde_json::from_slice(&bytes).map(Self).or_else(|_| again(&bytes).map(Self))
    }
}

/// A body that cannot be read as it stands: with whole numbers written as such, or what is wrong with it.
fn again<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    let mut value: Value = serde_json::from_slice(bytes)
        .map_err(|error| Problem::new("malformed", format!("the body is not JSON: {error}")))?;
    whole_numbers(&mut value);
    serde_json::from_value(value).map_err(|error| Problem::invalid(format!("the body: {error}")))
}

/// Writes numbers such as 168.0 as 168: in JSON both are the same integer.
fn whole_numbers(value: &mut Value) {
    match value {
        Value::Number(number) => {
            let whole = number.as_f64().filter(|x| number.is_f64() && x.fract() == 0.0 && x.abs() < 9e15);
            if let Some(x) = whole {
                *number = (x as i64).into();
            }
        }
        Value::Array(values) => values.iter_mut().for_each(whole_numbers),
        Value::Object(fields) => fields.values_mut().for_each(whole_numbers),
        _ => {}
    }
}

/// A whole body of at most so many bytes.
pub(crate) async fn read(body: Body, limit: usize) -> Result<Vec<u8>, Problem> {
    match to_bytes(body, limit).await {
        Ok(bytes) => Ok(bytes.into()),
        Err(_) => Err(Problem::new("too-large", format!("the body has more than {limit} bytes or was cut off"))),
    }
}

/// A whole number from the path.
pub(crate) fn number(text: &str, what: &str) -> Result<u32, Problem> {
    text.parse().map_err(|_| Problem::not_found(format!("there is no {what} {text:?}: it is a whole number")))
}

/// Which part of a list.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Page {
    /// What the part comes after: the `next` of the part before.
    pub(crate) after: Option<String>,
    /// How many at most.
    #[param(minimum = 1, maximum = 1000)]
    pub(crate) limit: Option<u32>,
}

impl Page {
    /// How many at most, within bounds.
    pub(crate) fn limit(&self) -> Result<u32, Problem> {
        match self.limit.unwrap_or(100) {
            limit @ 1..=1000 => Ok(limit),
            limit => Err(Problem::invalid(format!("limit is {limit}: it must be from 1 to 1000"))),
        }
    }
}

/// A query as it was read.
pub(crate) type Asked<T> = Result<Query<T>, QueryRejection>;

/// The query, or why it cannot be read.
pub(crate) fn query<T>(asked: Asked<T>) -> Result<T, Problem> {
    asked.map(|Query(value)| value).map_err(|error| Problem::new("malformed", error.body_text()))
}
