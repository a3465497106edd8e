//! What all pages have in common: the frame, the strict content security policy, and how a refusal looks.

use super::assets::address;
use super::words::from_right;
use crate::problem::Problem;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION, REFERRER_POLICY, SET_COOKIE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use borduel_report::plain;
use borduel_study::{Error, Refusal};
use maud::{DOCTYPE, Markup, html};

/// Only what comes from here: no inline scripts or styles, no frames unless a study allows them, and of other servers
/// nothing but the sound and video that an organiser linked.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src https:; \
                      connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors ";

/// What stands around a page.
pub(super) enum Frame<'a> {
    /// The name of the program.
    Site,
    /// Where studies and new ones are, for whoever makes them.
    Organiser,
    /// For voters nothing but, at the foot, who asks and what happens with the answers.
    Voter(&'a Markup),
    /// Nothing: the page is within another one, or all of the screen is needed.
    Bare,
}

/// What a page is.
pub(super) struct Page<'a> {
    /// What stands in the browser's title.
    pub(super) title: &'a str,
    /// What links to it are shown with, where there is something to say.
    pub(super) about: &'a str,
    /// The language of the page.
    pub(super) language: &'a str,
    /// What stands around it.
    pub(super) frame: Frame<'a>,
    /// The class of the body: how wide it is.
    pub(super) class: &'a str,
    /// The colour of its buttons and links, as `rrggbb`; the usual one where it is empty.
    pub(super) accent: &'a str,
    /// Its scripts, besides the one that all pages have.
    pub(super) scripts: &'a [&'a str],
    /// Whether other sites may show it in a frame.
    pub(super) embed: bool,
}

impl<'a> Page<'a> {
    /// A page of this title, with nothing special about it but what all of them are about.
    pub(super) fn new(title: &'a str) -> Self {
        let about = "Live studies: which of these is best, asked two at a time.";
        Self { title, about, language: "en", frame: Frame::Site, class: "", accent: "", scripts: &[], embed: false }
    }

    /// The page with this in it.
    pub(super) fn show(&self, body: &Markup) -> Response {
        self.show_as(StatusCode::OK, body)
    }

    /// The page with this in it and this status.
    pub(super) fn show_as(&self, status: StatusCode, body: &Markup) -> Response {
        let page = html! {
            (DOCTYPE)
            html lang=(self.language) dir=[from_right(self.language).then_some("rtl")] {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (plain(self.title)) }
                    @if !self.about.is_empty() {
                        meta name="description" content=(plain(self.about));
                        meta property="og:type" content="website";
                        meta property="og:site_name" content="borduel";
                        meta property="og:title" content=(plain(self.title));
                        meta property="og:description" content=(plain(self.about));
                    }
                    link rel="icon" href=(address("icon.svg"));
                    link rel="stylesheet" href=(address("page.css"));
                    @if !self.accent.is_empty() {
                        link rel="stylesheet" href=(format!("/accents/{}.css", self.accent));
                    }
                    script type="module" src=(address("page.js")) {}
                    @for script in self.scripts { script type="module" src=(address(script)) {} }
                }
                body class=(self.class) {
                    @match self.frame {
                        Frame::Bare | Frame::Voter(_) => {}
                        Frame::Site => header.site { a.brand href="/" { "borduel" } }
                        Frame::Organiser => header.site {
                            a.brand href="/" { "borduel" }
                            nav aria-label="Site" { a href="/" { "Studies" } a href="/new" { "New study" } }
                        }
                    }
                    (body)
                    @if let Frame::Voter(foot) = self.frame { footer.foot { (foot) } }
                }
            }
        };
        let mut response = (status, html_of(page)).into_response();
        let frames = if self.embed { "*" } else { "'none'" };
        // Both parts are plain ASCII.
        if let Ok(policy) = format!("{POLICY}{frames}").parse() {
            response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
        }
        response
    }
}

/// HTML as a response; forms on it name their origin to this server and to nobody else.
pub(super) fn html_of(markup: Markup) -> impl IntoResponse {
    let headers = [(CONTENT_TYPE, "text/html; charset=utf-8"), (REFERRER_POLICY, "same-origin")];
    (headers, markup.into_string())
}

/// Sends the browser to another page, perhaps with a cookie to keep.
pub(super) fn go(to: &str, cookie: Option<HeaderValue>) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    let headers = response.headers_mut();
    // Addresses are made of names that fit into them.
    if let Ok(to) = to.parse() {
        headers.insert(LOCATION, to);
    }
    if let Some(cookie) = cookie {
        headers.insert(SET_COOKIE, cookie);
    }
    response
}

/// A refusal of a page, which is shown as one.
#[derive(Debug)]
pub(crate) struct Fault(pub(crate) Problem);

/// That a response is for people, whatever they said they wanted.
#[derive(Clone)]
pub(super) struct OnAPage;

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        let mut response = self.0.into_response();
        response.extensions_mut().insert(OnAPage);
        response
    }
}

impl From<Problem> for Fault {
    fn from(problem: Problem) -> Self {
        Self(problem)
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self(error.into())
    }
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Self {
        Self(refusal.into())
    }
}

/// What handlers of pages return.
pub(super) type Shown = Result<Response, Fault>;
