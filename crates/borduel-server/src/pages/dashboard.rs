//! The organiser's pages: what the study says, how it is shared, its items, voters, log and settings, a tab each.

mod act;
mod asks;
mod confirm;
mod contexts;
mod fields;
mod gold;
mod groups;
mod items;
mod log;
mod people;
mod settings;
mod share;
mod suggestions;

use super::layout::{Fault, Frame, Page, Shown};
use super::{criteria, results, session};
use crate::app::App;
use crate::faces::faces;
use crate::{criterion, links};
use axum::Router;
use axum::extract::{FromRequestParts, Path, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use borduel_report::plain;
use borduel_study::event::{Kind, Status};
use borduel_study::ledger::Study;
use borduel_study::settings::Criterion;
use borduel_study::state::Voter;
use borduel_study::{Desk, Settings};
pub(super) use items::drop_zone;
use maud::{Markup, html};
use std::collections::HashMap;

/// The organiser's pages and forms.
pub(super) fn router() -> Router<App> {
    Router::new()
        .route("/s/{slug}/admin", get(show))
        .route("/s/{slug}/admin/by", get(groups::show))
        .route("/s/{slug}/admin/share", get(share::show))
        .route("/s/{slug}/admin/items", get(items::show).post(items::add))
        .route("/s/{slug}/admin/voters", get(people::show))
        .route("/s/{slug}/admin/voters/{voter}", get(people::one))
        .route("/s/{slug}/admin/log", get(log::show))
        .route("/s/{slug}/admin/settings", get(settings::show).post(settings::save))
        .route("/s/{slug}/admin/status", post(act::status))
        .route("/s/{slug}/admin/item", post(act::item))
        .route("/s/{slug}/admin/suggestion", post(suggestions::weigh))
        .route("/s/{slug}/admin/contexts", post(contexts::add))
        .route("/s/{slug}/admin/context", post(contexts::act))
        .route("/s/{slug}/admin/contents", post(contexts::file))
        .route("/s/{slug}/admin/voter", post(act::voter))
        .route("/s/{slug}/admin/undo", post(act::undo))
        .route("/s/{slug}/admin/delete", post(act::delete))
        .route("/s/{slug}/admin/link", post(share::link))
        .route("/s/{slug}/admin/picture", post(act::picture))
}

/// A study before its organiser.
struct Room {
    study: Study,
    desk: Desk,
    status: Status,
    settings: Settings,
    votes: u64,
    /// Which of several questions about each pair is looked at.
    criterion: usize,
}

/// The tabs: where each is, and its name.
const TABS: [(&str, &str); 6] = [
    ("", "Results"),
    ("/share", "Share"),
    ("/items", "Items"),
    ("/voters", "Voters"),
    ("/log", "Log"),
    ("/settings", "Settings"),
];

/// Lets the organiser in; everybody else is shown where a token goes.
async fn enter(
    app: &App,
    slug: &str,
    headers: &HeaderMap,
    criterion: Option<&str>,
) -> Result<Result<Room, Response>, Fault> {
    let desk = match app.page_organiser(slug, headers).await {
        Ok(desk) => desk,
        Err(problem) if problem.status < 404 => return Ok(Err(locked(slug))),
        Err(problem) => return Err(problem.into()),
    };
    let study = app.studies.find(slug).await?;
    let (status, settings, votes) = desk.read(|state| (state.status, state.settings.clone(), state.votes)).await?;
    let criterion = criterion::place(&settings.criteria, criterion)?;
    Ok(Ok(Room { study, desk, status, settings, votes, criterion }))
}

/// Whoever asks for the room of a study gets it, or is shown where a token goes.
impl FromRequestParts<App> for Room {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Response> {
        let path = Path::<HashMap<String, String>>::from_request_parts(parts, app).await;
        let Path(path) = path.map_err(IntoResponse::into_response)?;
        let slug = path.get("slug").map_or("", String::as_str);
        let query = parts.uri.query().unwrap_or("");
        let said: HashMap<String, String> = serde_urlencoded::from_str(query).unwrap_or_default();
        let criterion = said.get("criterion").map(String::as_str);
        enter(app, slug, &parts.headers, criterion).await.map_err(IntoResponse::into_response)?
    }
}

impl Room {
    fn slug(&self) -> &str {
        &self.study.slug
    }

    /// Which of several questions about each pair is looked at; nothing where there is only one.
    fn asked(&self) -> Option<&Criterion> {
        self.settings.criteria.get(self.criterion)
    }

    /// What an address of this room has after `?`, so that it stays with the question that is looked at.
    fn which(&self) -> String {
        self.asked().map_or_else(String::new, |criterion| format!("?criterion={}", criterion.key))
    }

    /// The way to the same page by each of several questions.
    fn questions(&self, path: &str) -> Markup {
        let all = self.settings.criteria.iter().map(|one| (one.key.as_str(), one.question.as_str(), ""));
        let page = format!("{}{path}", links::admin(self.slug()));
        html! { @if self.asked().is_some() { (criteria::links(all, &page, self.criterion, "Questions")) } }
    }

    /// A tab. Parts with `data-fresh` follow the votes.
    fn page(&self, tab: &str, scripts: &[&str], body: &Markup) -> Response {
        self.page_as(StatusCode::OK, tab, scripts, body)
    }

    fn page_as(&self, status: StatusCode, tab: &str, scripts: &[&str], body: &Markup) -> Response {
        self.page_at(status, (tab, tab), scripts, body)
    }

    /// A page of a tab, at an address that may be another one than the tab's.
    fn page_at(&self, status: StatusCode, (tab, path): (&str, &str), scripts: &[&str], body: &Markup) -> Response {
        let admin = links::admin(self.slug());
        let title = format!("{} · organiser", self.study.title);
        let scripts: Vec<&str> = ["live.js"].into_iter().chain(scripts.iter().copied()).collect();
        let page = Page { scripts: &scripts, frame: Frame::Organiser, ..Page::new(&title) };
        page.show_as(
            status,
            &html! {
                main.paper data-live=(results::live(self.slug(), self.asked())) data-page=(format!("{admin}{path}")) {
                    header.row.head #head data-fresh {
                        div {
                            h1 dir="auto" { (plain(&self.study.title)) }
                            p.soft dir="auto" { (plain(&self.settings.question)) }
                        }
                        (self.controls())
                    }
                    nav.tabs aria-label="Sections" {
                        @for (path, name) in TABS {
                            a href=(format!("{admin}{path}{}", self.which()))
                                aria-current=[(path == tab).then_some("page")] { (name) }
                        }
                    }
                    (body)
                }
            },
        )
    }

    /// The status, and what it may become.
    fn controls(&self) -> Markup {
        let next: &[(&str, &str)] = match self.status {
            Status::Draft => &[("open", "Open for votes")],
            Status::Open => &[("paused", "Pause")],
            Status::Paused => &[("open", "Open again"), ("closed", "Close")],
            Status::Closed => &[("open", "Open again")],
            Status::Archived => &[],
        };
        html! {
            form.row method="post" action=(format!("{}/status", links::admin(self.slug()))) {
                (pill(self.status))
                @for (at, (value, text)) in next.iter().enumerate() {
                    button.main[at == 0 && self.status != Status::Open] type="submit" name="status" value=(value) {
                        (text)
                    }
                }
                @if self.status == Status::Open { button type="submit" name="status" value="closed" { "Close" } }
            }
        }
    }
}

/// The status in a word and a colour.
pub(super) fn pill(status: Status) -> Markup {
    let (name, class) = match status {
        Status::Draft => ("Draft", "badge"),
        Status::Open => ("Open", "badge live"),
        Status::Paused => ("Paused", "badge rest"),
        Status::Closed => ("Closed", "badge over"),
        Status::Archived => ("Archived", "badge"),
    };
    html! { span class=(class) { (name) } }
}

/// That something was done, for whoever comes back from a form; `done` says what.
fn told(done: bool, what: &str) -> Markup {
    html! { @if done { p.done.now role="status" { (what) } } }
}

/// What the address says after `?`.
#[derive(Default, serde::Deserialize)]
#[serde(default)]
struct Query {
    done: Option<String>,
    from: Option<String>,
    contexts: Option<String>,
}

/// What the study says.
async fn show(State(app): State<App>, room: Room) -> Shown {
    let current = app.current_results(&room.desk, room.criterion).await?;
    let faces = faces(&room.desk, room.slug()).await?;
    let body = html! {
        // Before the first vote there is nothing to do but to share the link.
        @if room.votes == 0 { (share::section(&app.public_url, &room, None)) }
        div #live data-fresh {
            (results::current(&current, &faces, results::Eyes::Organiser, &links::admin(room.slug())))
        }
        (groups::choice(&room, &groups::keys(&room).await?, ""))
        (files(&room, current.outcome.standing.is_some()).await?)
    };
    Ok(room.page("", &[], &body))
}

fn locked(slug: &str) -> Response {
    Page { class: "narrow", ..Page::new("Organiser") }.show_as(
        StatusCode::UNAUTHORIZED,
        &html! {
            main.paper {
                h1 { "For the organiser" }
                p.lead { "Open your private link, or enter the organiser’s token." }
                (session::ask(slug, "Token", "Continue"))
            }
        },
    )
}

/// Everything as files.
async fn files(room: &Room, ranked: bool) -> Result<Markup, Fault> {
    let file = |name: &str| format!("/v1/studies/{}/export/{name}", room.slug());
    let (contexts, hints) = room.desk.read(|state| (!state.contexts.is_empty(), state.hints() > 0)).await?;
    // Names, and ids of crowd platforms.
    let named = |voter: &Voter| matches!(voter.kind, Kind::Named | Kind::Invited);
    let known = room.desk.read(move |state| state.voters.iter().any(named)).await?;
    // Of nothing there is nothing to report.
    let names = [
        (ranked, "report.html"),
        (true, "votes.csv"),
        (true, "votes.jsonl"),
        (hints, "hints.csv"),
        (true, "items.csv"),
        (true, "voters.csv"),
        (known, "people.csv"),
        (contexts, "contexts.csv"),
        (contexts, "contents.csv"),
        (true, "log.jsonl"),
    ];
    Ok(html! {
        section #files data-fresh {
            h2 { "Files" }
            p.soft {
                "The report is a page to send to others. "
                code { "borduel rank" }
                " reads votes and items as they are; the log is everything that was decided."
            }
            ul.row.plain {
                @for (_, name) in names.iter().filter(|(there, _)| *there) {
                    // The report is about one question, the votes are on all.
                    @let which = if *name == "report.html" { room.which() } else { String::new() };
                    li { a.button href=(file(name) + &which) { (name) } }
                }
            }
        }
    })
}
