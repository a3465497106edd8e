//! Contexts on the organiser's pages: what items are compared on, and what they show there.

use super::super::form::Form;
use super::super::layout::{Fault, Shown, go};
use super::super::part;
use super::Room;
use crate::api::contexts::{NewContext, store};
use crate::app::App;
use crate::body::{FILE, read};
use crate::bundle;
use crate::links;
use crate::problem::Problem;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use borduel_report::plain;
use borduel_study::Command;
use borduel_study::content::Content;
use borduel_study::event::Status;
use borduel_study::state::Context;
use maud::{Markup, html};
use serde::Deserialize;

/// The scripts of the tab.
pub(super) const SCRIPTS: [&str; 2] = ["create.js", "contents.js"];

/// How many contexts are on a page.
const LISTED: usize = 50;

/// What was typed and what is wrong with it.
#[derive(Clone, Copy, Default)]
pub(super) struct Typed<'a> {
    pub(super) text: &'a str,
    pub(super) wrong: Option<&'a str>,
}

#[derive(Deserialize)]
pub(super) struct More {
    contexts: String,
}

/// Adds contexts and contents; where the table has a mistake it comes back as it was.
pub(super) async fn add(room: Room, Form(more): Form<More>) -> Shown {
    let desk = &room.desk;
    let add = async { bundle::store(desk, bundle::read_pasted(&more.contexts)?, false).await };
    match add.await {
        Ok(_) => Ok(go(&format!("{}/items?done=added#contexts", links::admin(room.slug())), None)),
        Err(problem) if problem.status == 422 => {
            let typed = Typed { text: &more.contexts, wrong: Some(&problem.detail) };
            let body = section(&room, 0, typed).await?;
            Ok(room.page_as(StatusCode::UNPROCESSABLE_ENTITY, "/items", &SCRIPTS, &body))
        }
        Err(problem) => Err(problem.into()),
    }
}

/// Takes a table or a zip, for scripts.
pub(super) async fn file(State(app): State<App>, Path(slug): Path<String>, headers: HeaderMap, body: Body) -> Response {
    let take = async {
        let desk = app.page_organiser(&slug, &headers).await?;
        let bytes = read(body, FILE).await?;
        let said = tokio::task::spawn_blocking(move || bundle::read(&bytes)).await;
        let said = said.map_err(|error| Problem::new("internal", error.to_string()))??;
        let kept = bundle::store(&desk, said, false).await?;
        Ok(axum::Json(kept).into_response())
    };
    part::respond(true, take.await)
}

#[derive(Deserialize)]
pub(super) struct ContextForm {
    key: String,
    act: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    text: String,
    #[serde(default)]
    link: String,
}

/// Corrects a context, asks in it no longer, or again.
pub(super) async fn act(room: Room, Form(form): Form<ContextForm>) -> Shown {
    let desk = &room.desk;
    match form.act.as_str() {
        "enable" | "disable" => {
            desk.send(Command::EnableContext { key: form.key, on: form.act == "enable" }).await?;
        }
        "edit" => {
            let some = |text: &str| Some(text.trim().replace("\r\n", "\n")).filter(|text| !text.is_empty());
            let (title, text, link) = (some(&form.title), some(&form.text), some(&form.link));
            let key = Some(form.key);
            let context = NewContext { key, title, text, link, correction: true, ..NewContext::default() };
            store(desk, &[context]).await?;
        }
        other => return Err(Problem::invalid(format!("nothing is called {other:?}")).into()),
    }
    Ok(go(&format!("{}/items?done=saved#contexts", links::admin(room.slug())), None))
}

/// The contexts from a place on, and where more are added.
pub(super) async fn section(room: &Room, from: usize, typed: Typed<'_>) -> Result<Markup, Fault> {
    let (slug, admin) = (room.slug(), links::admin(room.slug()));
    let found = room.desk.contexts(from, LISTED).await?;
    let of = |state: &borduel_study::State| {
        let (items, contexts) = (state.enabled().count(), state.contexts.len());
        let enabled = state.contexts.iter().filter(|context| context.enabled);
        let own =
            |context: &Context| context.contents().filter(|(item, _)| state.items[usize::from(*item)].enabled).count();
        let missing: usize = enabled.map(|context| items - own(context)).sum();
        (items, contexts, missing)
    };
    let (items, all, missing) = room.desk.read(of).await?;
    let some = found.iter().any(|(_, context, _)| context.contents().next().is_some());
    let fixed = room.status == Status::Archived;
    let link =
        |at: usize, text: &str| html! { a.button href=(format!("{admin}/items?contexts={at}#contexts")) { (text) } };
    Ok(html! {
        section #contexts data-fresh {
            h2 { "Contexts" }
            @if all == 0 {
                p.soft {
                    "None: items are compared as such. A context is what two items are compared on: "
                    "a prompt, a scene, a query. It stands above the pair."
                }
            } @else {
                @if some && missing > 0 {
                    p.note {
                        (missing) " contents are missing: "
                        @if room.settings.own_contents { "there, items are not asked about." }
                        @else {
                            "there, items are shown as everywhere. "
                            a href=(format!("{admin}/settings")) { "Settings" } " can leave such pairs out."
                        }
                    }
                }
                div.scroll tabindex="0" role="region" aria-label="Contexts" {
                    table {
                        thead {
                            tr {
                                @for head in ["Context", "Contents", "Asked"] { th scope="col" { (head) } }
                                th scope="col" { span.hide { "Change" } }
                            }
                        }
                        tbody { @for (_, context, content) in &found { (row(slug, context, content, items, fixed)) } }
                    }
                }
            }
            @if all > LISTED {
                p.row {
                    @if from > 0 { (link(from.saturating_sub(LISTED), "← Before")) }
                    span.soft { (from + 1) " to " (all.min(from + LISTED)) " of " (all) }
                    @if from + LISTED < all { (link(from + LISTED, "More →")) }
                }
            }
        }
        @if !fixed {
            section.adding {
                h2 { "Add contexts" }
                form.stack method="post" action=(format!("{admin}/contexts")) {
                    label {
                        "More contexts, or what items show in them"
                        span.soft.small {
                            " one per line, or a table: id, name, text; or item, context, text; "
                            "or a row a prompt and a column an item"
                        }
                        textarea name="contexts" rows="4" required { (typed.text) }
                    }
                    @if let Some(wrong) = typed.wrong { p.wrong role="alert" { (plain(wrong)) } }
                    div.row { button type="submit" { "Add contexts" } }
                }
                div.drop #contents hidden data-admin=(admin) {
                    label.button { "Add a table or a zip" input.hide type="file" accept=".csv,.tsv,.zip"; }
                    p.soft.small {
                        "a zip has the files item/context.txt (or .md, .png, .jpg, .webp), and contexts/context.txt"
                    }
                    p role="status" {}
                }
            }
        }
    })
}

fn row(slug: &str, context: &Context, content: &Content, items: usize, fixed: bool) -> Markup {
    let (admin, name) = (links::admin(slug), plain(&content.title));
    html! {
        tr.off[!context.enabled] {
            th scope="row" {
                @if let Some(hash) = &content.image {
                    img.thumb src=(links::picture(slug, hash)) alt="" loading="lazy";
                }
                span dir="auto" { (name) }
                @if !context.enabled { " " span.badge { "not asked in" } }
                @if !fixed { (edit(&admin, context, content)) }
            }
            td { (context.contents().count()) " of " (items) }
            td { (context.shown()) }
            td {
                @if !fixed {
                    form method="post" action=(format!("{admin}/context")) {
                        input type="hidden" name="key" value=(context.key);
                        @let on = context.enabled;
                        @let (act, word) = if on { ("disable", "Hide") } else { ("enable", "Show again") };
                        button type="submit" name="act" value=(act) { (word) span.hide { " " (name) } }
                    }
                }
            }
        }
    }
}

fn edit(admin: &str, context: &Context, content: &Content) -> Markup {
    let (text, link) = (content.text.as_deref().unwrap_or(""), content.link.as_deref().unwrap_or(""));
    html! {
        details {
            summary { "Edit" }
            form.stack method="post" action=(format!("{admin}/context")) {
                input type="hidden" name="key" value=(context.key);
                label { "Title" input name="title" required maxlength="200" value=(content.title); }
                label { "Text" textarea name="text" rows="5" maxlength="10000" { (text) } }
                label { "Link" input type="url" name="link" maxlength="2000" value=(link); }
                @if context.shown() > 0 { p.soft.small { "Its votes stay. For another thing, add another context." } }
                div.row { button type="submit" name="act" value="edit" { "Save" } }
            }
        }
    }
}
