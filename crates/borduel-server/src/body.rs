//! Reading requests: bodies with a limit, parameters and queries, every refusal a problem.

mod plain;

pub(crate) use plain::fields;

use crate::problem::Problem;
use axum::body::{Body, BodyDataStream, Bytes, HttpBody, to_bytes};
use axum::extract::rejection::QueryRejection;
use axum::extract::{FromRequest, Query, Request};
use axum::http::header::CONTENT_TYPE;
use futures_util::stream::{self, Stream, StreamExt};
use plain::Plain;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::error::Category;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use utoipa::{IntoParams, ToSchema};

/// The most bytes of an ordinary body.
pub(crate) const SMALL: usize = 16 * 1024;
/// The most bytes of a list of items.
pub(crate) const LIST: usize = 1024 * 1024;
/// The most bytes of an imported file.
pub(crate) const FILE: usize = 50 * 1024 * 1024;
/// How long the rest of a body that nobody wants is waited for.
const LINGER: Duration = Duration::from_secs(5);

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
        object(&bytes).map(Self)
    }
}

/// What a JSON object says.
fn object<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    // A list would be taken for an object whose fields have no names.
    let list = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[');
    // Nearly every body is what it should be; only what is not is looked at twice.
    match serde_json::from_slice(bytes) {
        Ok(value) if !list => Ok(value),
        Err(error) if error.to_string().starts_with("duplicate field") => {
            Err(Problem::invalid(format!("the body: {error}: write it once")))
        }
        Err(_) if !list => again(bytes),
        _ => again::<Value>(bytes).and_then(|_| Err(Problem::invalid("the body is a list: send an object"))),
    }
}

/// A body that cannot be read as it stands: with whole numbers written as such, or what is wrong with it.
fn again<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    let Plain(value) = serde_json::from_slice(bytes).map_err(|error| match error.classify() {
        Category::Data => Problem::invalid(format!("the body: {error}: write it once")),
        _ => Problem::new("malformed", format!("the body is not JSON: {error}")),
    })?;
    serde_json::from_value(value).map_err(|error| Problem::invalid(format!("the body: {error}")))
}

/// A whole body of at most so many bytes.
pub(crate) async fn read(body: Body, limit: usize) -> Result<Vec<u8>, Problem> {
    let refused = |_| Problem::new("too-large", format!("the body has more than {limit} bytes or was cut off"));
    to_bytes(body, limit).await.map(Into::into).map_err(refused)
}

/// The request when its body is there, so that nothing is done for whoever sends it slowly. Of one with more than an
/// ordinary body at least the beginning is there, or it says how long it is; what nobody reads of it is the [`Rest`].
pub(crate) async fn arrived(request: Request) -> Result<(Request, Option<Rest>), Problem> {
    let (parts, body) = request.into_parts();
    let says_large = body.size_hint().lower() > SMALL as u64;
    let (mut bytes, mut rest) = (Vec::new(), body.into_data_stream());
    while !says_large && bytes.len() <= SMALL {
        let Some(part) = rest.next().await else { return Ok((Request::from_parts(parts, bytes.into()), None)) };
        bytes.extend_from_slice(&part.map_err(|_| Problem::new("malformed", "the body was cut off"))?);
    }
    let rest = Rest(Arc::new(Mutex::new(rest)));
    let begun = stream::once(std::future::ready(Ok(Bytes::from(bytes)))).chain(rest.parts());
    Ok((Request::from_parts(parts, Body::from_stream(begun)), Some(rest)))
}

/// What nobody has read yet of a large body.
pub(crate) struct Rest(Arc<Mutex<BodyDataStream>>);

impl Rest {
    /// What comes of it from now on, whoever reads it.
    fn parts(&self) -> impl Stream<Item = Result<Bytes, axum::Error>> + Send + 'static {
        let body = Arc::clone(&self.0);
        stream::poll_fn(move |context| body.lock().unwrap_or_else(PoisonError::into_inner).poll_next_unpin(context))
    }

    /// Reads it to its end and keeps nothing, as long as that is no more than a file and takes no more than [`LINGER`].
    /// Whoever is refused while still sending would otherwise find the connection broken instead of the answer.
    pub(crate) async fn throw_away(self) {
        let mut parts = self.parts();
        let all = async {
            let mut read = 0;
            while let Some(Ok(part)) = parts.next().await {
                read += part.len();
                if read > FILE {
                    break;
                }
            }
        };
        // Who sends for longer than that is not waited for: the answer goes out, and the connection ends.
        let _ended = tokio::time::timeout(LINGER, all).await;
    }
}

/// A file, byte by byte.
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
#[allow(dead_code, reason = "only its description is used")]
pub(crate) struct Binary(Vec<u8>);

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
    /// What the part comes after, where that is a number.
    pub(crate) fn after<N: FromStr>(&self) -> Result<Option<N>, Problem> {
        let wrong = |after| Problem::invalid(format!("after is {after:?}: it is the `next` of the part before"));
        self.after.as_deref().map(|after| after.parse().map_err(|_| wrong(after))).transpose()
    }

    /// How many at most, within bounds.
    pub(crate) fn limit(&self) -> Result<u32, Problem> {
        match self.limit.unwrap_or(100) {
            limit @ 1..=1000 => Ok(limit),
            limit => Err(Problem::invalid(format!("limit is {limit}: it must be from 1 to 1000"))),
        }
    }
}

/// The first `limit` of a list that has one more where it goes on, and then what comes after: the name of the last one.
pub(crate) fn part<T>(mut list: Vec<T>, limit: usize, name: impl FnOnce(&T) -> String) -> (Vec<T>, Option<String>) {
    let more = list.len() > limit;
    list.truncate(limit);
    let next = list.last().filter(|_| more).map(name);
    (list, next)
}

/// The key in the address, which is that in the body where there is one.
pub(crate) fn one_key(given: Option<&String>, key: String) -> Result<Option<String>, Problem> {
    if given.is_some_and(|given| *given != key) {
        return Err(Problem::invalid("the key in the body is not the one in the address: leave it out"));
    }
    Ok(Some(key))
}

/// A query as it was read.
pub(crate) type Asked<T> = Result<Query<T>, QueryRejection>;

/// The query, or why it cannot be read.
pub(crate) fn query<T>(asked: Asked<T>) -> Result<T, Problem> {
    asked.map(|Query(value)| value).map_err(|error| Problem::new("malformed", error.body_text()))
}

/// Whether an address is text, with `%41` and the like read as the bytes they are.
pub(crate) fn is_text(path: &str) -> bool {
    percent_encoding::percent_decode_str(path).decode_utf8().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Counted {
        count: Option<u32>,
    }

    #[test]
    fn a_body_is_an_object_with_every_name_once() {
        let read = |text: &str| object::<Counted>(text.as_bytes());
        let status = |text: &str| read(text).unwrap_err().status;
        assert_eq!(read(" {\"count\": 3}").unwrap(), Counted { count: Some(3) });
        assert_eq!(read("{\"count\": 3.0}").unwrap(), Counted { count: Some(3) }, "the same integer");
        assert_eq!(read("{}").unwrap(), Counted::default());
        for wrong in ["[]", " [3]", "null", "3", "{\"more\": 1}", "{\"count\": 1.5}"] {
            assert_eq!(status(wrong), 422, "{wrong}");
        }
        for (one, two) in [("1", "1"), ("1.0", "1"), ("1", "1.0"), ("2.0", "2.0"), ("1.0", "null"), ("null", "1.0")] {
            let twice = format!("{{\"count\": {one}, \"count\": {two}}}");
            let problem = read(&twice).unwrap_err();
            assert_eq!(problem.status, 422, "{twice}");
            assert!(problem.detail.contains("duplicate field `count`"), "{twice}: {}", problem.detail);
        }
        for broken in ["", "{", "[", "[3", "{}{}", "{\"count\": 1e400}"] {
            assert_eq!(status(broken), 400, "{broken}");
        }
    }

    #[tokio::test]
    async fn a_body_is_there_before_anything_is_done_and_a_large_one_says_so() {
        let parts = |sizes: &[usize]| {
            let parts: Vec<_> =
                sizes.iter().map(|&size| Ok::<_, std::io::Error>(Bytes::from(vec![b'x'; size]))).collect();
            Body::from_stream(stream::iter(parts))
        };
        for (body, length, large) in [
            (Body::empty(), 0, false),
            (Body::from(vec![b'x'; SMALL]), SMALL, false),
            (Body::from(vec![b'x'; SMALL + 1]), SMALL + 1, true),
            (parts(&[1, 2, 3]), 6, false),
            (parts(&[SMALL, 1, 70_000]), SMALL + 70_001, true),
        ] {
            let (request, rest) = arrived(Request::new(body)).await.unwrap();
            assert_eq!((read(request.into_body(), LIST).await.unwrap().len(), rest.is_some()), (length, large));
        }
        let never = Body::from_stream(stream::pending::<Result<Bytes, std::io::Error>>());
        assert!(tokio::time::timeout(Duration::from_millis(20), arrived(Request::new(never))).await.is_err());
        let cut = Body::from_stream(stream::iter([Ok(Bytes::from("x")), Err(std::io::Error::other("gone"))]));
        assert_eq!(arrived(Request::new(cut)).await.err().unwrap().status, 400);
        assert_eq!(read(Body::from(vec![b'x'; 9]), 8).await.unwrap_err().status, 413);
    }

    #[test]
    fn an_address_is_text_or_not() {
        for text in ["/", "/v1/studies/tea", "/t%C3%A9a", "/%", "/%4", "/%zz", "/%00", "/é"] {
            assert!(is_text(text), "{text}");
        }
        for bytes in ["/%ff", "/%C3", "/%C3%28", "/%ed%a0%80"] {
            assert!(!is_text(bytes), "{bytes}");
        }
    }
}
