//! Requests to a server of the tests, and what is expected of them.

use crate::http::{Client, Response};
use serde_json::Value;

/// A server that nobody is slowed down by.
pub const FREE: &[&str] = &["--voter-rate", "0", "--join-rate", "0", "--judge-rate", "0"];

/// Sends it; null is no body.
#[expect(clippy::needless_pass_by_value, reason = "bodies are written where they are sent")]
pub fn send(client: &mut Client, method: &str, path: &str, token: &str, body: Value) -> Response {
    let body = (!body.is_null()).then_some(&body);
    client.send(method, path, token, body).unwrap()
}

/// Sends it and expects this status.
pub fn ok(client: &mut Client, status: u16, method: &str, path: &str, token: &str, body: Value) -> Value {
    let response = send(client, method, path, token, body);
    assert_eq!(response.status, status, "{method} {path}: {}", response.text);
    response.json()
}
