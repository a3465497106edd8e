//! The organiser's page: the verdict as it comes, and everything that can be done about the study.

mod act;
mod items;
mod people;
mod recent;
mod share;

use super::layout::{Page, Shown};
use super::{results, session, stop};
use crate::app::App;
use crate::links;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::{get, post};
use borduel_report::plain;
use borduel_study::Settings;
use borduel_study::event::Status;
use borduel_study::settings::Results;
use maud::{Markup, html};

/// The organiser's pages and forms.
pub(super) fn router() -> Router<App> {
    Router::new()
        .route("/s/{slug}/admin", get(show))
        .route("/s/{slug}/admin/voters/{voter}", get(people::one))
        .route("/s/{slug}/admin/status", post(act::status))
        .route("/s/{slug}/admin/settings", post(act::settings))
        .route("/s/{slug}/admin/items", post(act::add_items))
        .route("/s/{slug}/admin/item", post(act::item))
        .route("/s/{slug}/admin/voter", post(act::voter))
        .route("/s/{slug}/admin/undo", post(act::undo))
        .route("/s/{slug}/admin/link", post(share::link))
        .route("/s/{slug}/admin/picture", post(act::picture))
}

/// The page.
async fn show(State(app): State<App>, Path(slug): Path<String>, headers: HeaderMap) -> Shown {
    let desk = match app.page_organiser(&slug, &headers).await {
        Ok(desk) => desk,
        Err(problem) if problem.status < 404 => return Ok(locked(&slug)),
        Err(problem) => return Err(problem.into()),
    };
    let study = app.studies.find(&slug).await?;
    let current = app.current_results(&desk).await?;
    let outcome = &current.outcome;
    let (status, settings) = desk.read(|state| (state.status, state.settings.clone())).await?;
    // Before the first vote there is nothing to do but to share the link.
    let share = share::section(&app.public_url, &slug, &settings);
    let title = format!("{} · organiser", study.title);
    let page = Page { scripts: &["live.js"], ..Page::new(&title) };
    Ok(page.show(&html! {
        main.paper {
            header.row.head {
                div {
                    h1 { (plain(&study.title)) }
                    p.soft { (plain(&settings.question)) }
                }
                (controls(&slug, status))
            }
            nav.row aria-label="Sections" {
                a href="#share" { "Share" } a href="#items" { "Items" } a href="#voters" { "Voters" }
                a href="#recent" { "Recent" } a href="#settings" { "Settings" } a href="#files" { "Files" }
            }
            @if outcome.votes == 0 { (share) }
            div #live data-live=(format!("/v1/studies/{slug}/live")) data-part=(format!("{}/now", links::results(&slug))) {
                (results::current(&current))
            }
            @if outcome.votes > 0 { (share) }
            (items::section(&desk, &slug).await?)
            (people::section(&app, &desk, &slug).await?)
            (recent::section(&app, &desk, &slug).await?)
            (knobs(&slug, &settings))
            (files(&slug))
        }
    }))
}

fn locked(slug: &str) -> Response {
    Page { class: "narrow", ..Page::new("Organiser") }.show_as(
        StatusCode::UNAUTHORIZED,
        &html! {
            main.paper {
                h1 { "For the organiser" }
                p.lead { "Open your private link, or enter the organiser’s token." }
                (session::ask(slug, "Token"))
            }
        },
    )
}

/// The status, and what it may become.
fn controls(slug: &str, status: Status) -> Markup {
    let (name, next): (&str, &[(&str, &str)]) = match status {
        Status::Draft => ("Draft", &[("open", "Open for votes")]),
        Status::Open => ("Open", &[("paused", "Pause"), ("closed", "Close")]),
        Status::Paused => ("Paused", &[("open", "Open again"), ("closed", "Close")]),
        Status::Closed => ("Closed", &[("open", "Open again"), ("archived", "Archive for good")]),
        Status::Archived => ("Archived", &[]),
    };
    html! {
        form.row method="post" action=(format!("{}/status", links::admin(slug))) {
            span.badge { (name) }
            @for (at, (value, text)) in next.iter().enumerate() {
                button.main[at == 0] type="submit" name="status" value=(value) { (text) }
            }
        }
    }
}

/// What may be changed while the study runs.
fn knobs(slug: &str, settings: &Settings) -> Markup {
    let tick = |name: &str, on: bool, text: &str| html! { label.check { input type="checkbox" name=(name) value="yes" checked[on]; span { (text) } } };
    html! {
        section #settings {
            h2 { "Settings" }
            form.stack method="post" action=(format!("{}/settings", links::admin(slug))) {
                input type="hidden" name="tag" value=(settings.tag());
                label { "Question" input name="question" required maxlength="500" value=(settings.question); }
                label { "Pairs wanted of each voter" input type="number" name="questions_per_voter" min="1" max="10000" value=(settings.questions_per_voter); }
                fieldset {
                    legend { "Voters may say" }
                    (tick("tie", settings.tie, "Equal"))
                    (tick("both_bad", settings.both_bad, "Both bad"))
                    (tick("skip", settings.skip, "Skip"))
                    (tick("comment", settings.comment, "A comment in the end"))
                }
                (tick("public", settings.results == Results::Public, "Results are public"))
                (tick("embed", settings.embed, "May be shown within other sites’ pages"))
                (stop::choice(settings.stop))
                div.row { button type="submit" { "Save" } }
            }
        }
    }
}

/// Everything as files.
fn files(slug: &str) -> Markup {
    let file = |name: &str| format!("/v1/studies/{slug}/export/{name}");
    html! {
        section #files {
            h2 { "Files" }
            p.soft { code { "borduel rank" } " reads the votes and items as they are; the log is everything that was decided." }
            ul.row.plain {
                @for name in ["report.html", "votes.csv", "votes.jsonl", "items.csv", "log.jsonl"] {
                    li { a.button href=(file(name)) { (name) } }
                }
            }
        }
    }
}
