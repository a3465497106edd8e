//! Pages of other origins that may use `/v1`, if the server was told so: with a bearer token, never with a cookie.

use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, ETAG, IF_MATCH, IF_NONE_MATCH, RETRY_AFTER};
use axum::http::{HeaderValue, Method};
use std::time::Duration;
use tower_http::cors::{AllowOrigin, CorsLayer};

/// For how long a browser may remember what it was told.
const REMEMBERED: Duration = Duration::from_hours(1);

/// The origins as browsers name them; the one that is none, if there is one.
pub(crate) fn read(given: &[String]) -> Result<Vec<HeaderValue>, String> {
    let one = |text: &String| {
        let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        let fine = |c: char| c.is_ascii_alphanumeric() || "-.:[]".contains(c);
        let host = host.filter(|host| !host.is_empty() && host.chars().all(fine));
        host.and_then(|_| text.to_ascii_lowercase().parse().ok()).ok_or_else(|| text.clone())
    };
    given.iter().map(one).collect()
}

/// What browsers are told. Credentials are not allowed, so that cookies never come along.
pub(crate) fn layer(origins: Vec<HeaderValue>) -> CorsLayer {
    CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins))
        .allow_methods([Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE])
        .allow_headers([AUTHORIZATION, CONTENT_TYPE, IF_MATCH, IF_NONE_MATCH])
        .expose_headers([ETAG, RETRY_AFTER])
        .max_age(REMEMBERED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_has_no_path_and_no_star() {
        let read = |text: &str| read(&[text.to_owned()]);
        for fine in ["https://example.org", "http://localhost:3000", "http://[::1]:8080"] {
            assert_eq!(read(fine).unwrap(), [fine]);
        }
        for wrong in
            ["*", "null", "example.org", "https://", "https://example.org/", "ftp://a", "https://a b", "https://a@b"]
        {
            assert_eq!(read(wrong).unwrap_err(), wrong);
        }
    }
}
