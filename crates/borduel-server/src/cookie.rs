//! Cookies: a token that came by a link or a form, kept by the browser out of the reach of scripts.
//!
//! Cookies open pages and read; whatever changes something under `/v1` needs a bearer token, and a form of a page must
//! come from a page of this server ([`comes_from_here`]). So nobody else's page can act in anybody's name.

use crate::app::App;
use axum::http::header::{COOKIE, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderValue};
use borduel_study::token::Scope;

/// For how long a browser keeps a token: a year.
const KEPT: u32 = 31_536_000;

/// The name of the cookie for tokens of this scope; all but the server's are about one study. With `https:` the name
/// says that nobody but this server can have set it.
fn name(app: &App, scope: Scope, slug: &str) -> String {
    let host = if secure(app) { "__Host-" } else { "" };
    match scope {
        Scope::Admin => format!("{host}borduel-admin"),
        Scope::Organiser => format!("{host}borduel-organiser-{slug}"),
        Scope::Viewer => format!("{host}borduel-viewer-{slug}"),
        Scope::Voter | Scope::Judge => format!("{host}borduel-voter-{slug}"),
    }
}

fn secure(app: &App) -> bool {
    app.public_url.starts_with("https:")
}

/// The token of this scope that the browser has kept.
pub(crate) fn read<'a>(app: &App, headers: &'a HeaderMap, scope: Scope, slug: &str) -> Option<&'a str> {
    let name = name(app, scope, slug);
    let all = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(key, _)| *key == name).map(|(_, value)| value).filter(|value| Scope::of(value).is_some())
}

/// Has the browser keep a token.
pub(crate) fn keep(app: &App, slug: &str, token: &str, embedded: bool) -> Option<HeaderValue> {
    set(app, Scope::of(token)?, slug, (token, KEPT), embedded)
}

/// Has the browser forget the token of a voter.
pub(crate) fn forget(app: &App, slug: &str, embedded: bool) -> Option<HeaderValue> {
    set(app, Scope::Voter, slug, ("", 0), embedded)
}

/// Within somebody else's page only a cookie of its own partition is kept, and only securely.
fn set(app: &App, scope: Scope, slug: &str, (token, seconds): (&str, u32), embedded: bool) -> Option<HeaderValue> {
    let name = name(app, scope, slug);
    let how = match (embedded, secure(app)) {
        (true, _) => "SameSite=None; Secure; Partitioned",
        (false, true) => "SameSite=Lax; Secure",
        (false, false) => "SameSite=Lax",
    };
    format!("{name}={token}; Path=/; Max-Age={seconds}; HttpOnly; {how}").parse().ok()
}

/// Whether a page of this server sent it: browsers say so in a way that no page can change.
pub(crate) fn comes_from_here(app: &App, headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(site) = text("sec-fetch-site") {
        return site == "same-origin";
    }
    // Browsers that do not say so (on plain http) name the page's origin with everything that changes something.
    let here = [text(HOST.as_str()), app.public_url.split_once("://").map(|(_, host)| host)];
    let origin = text(ORIGIN.as_str()).and_then(|origin| origin.split_once("://")).map(|(_, host)| host);
    origin.is_some() && here.contains(&origin)
}
