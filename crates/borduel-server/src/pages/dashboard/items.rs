//! Items on the organiser's pages: what is asked about, and how that changes.

use super::super::form::Form;
use super::super::items_text;
use super::super::layout::{Fault, Shown, go};
use super::contexts::{self, SCRIPTS, Typed};
use super::{Query, Room, suggestions, told};
use crate::api::items::store;
use crate::body::{Asked, query};
use crate::links;
use axum::http::StatusCode;
use borduel_report::plain;
use borduel_study::content::Content;
use borduel_study::event::Status;
use borduel_study::state::Item;
use maud::{Markup, html};
use serde::Deserialize;

/// How many items are on a page.
const LISTED: usize = 50;

/// Shows the tab of items.
pub(super) async fn show(room: Room, said: Asked<Query>) -> Shown {
    let said = query(said)?;
    let from = said.from.as_ref().and_then(|from| from.parse().ok()).unwrap_or(0);
    let what = if said.done.as_deref() == Some("added") { "Added." } else { "Saved." };
    let place = said.contexts.as_ref().and_then(|from| from.parse().ok()).unwrap_or(0);
    let body = html! {
        (told(said.done.is_some(), what))
        (suggestions::section(&room).await?)
        (section(&room, from, "", None).await?)
        (contexts::section(&room, place, Typed::default()).await?)
    };
    Ok(room.page("/items", &SCRIPTS, &body))
}

#[derive(Deserialize)]
pub(super) struct More {
    items: String,
}

/// Adds items; where the list has a mistake it comes back as it was.
pub(super) async fn add(room: Room, Form(more): Form<More>) -> Shown {
    let desk = &room.desk;
    let add = async {
        let items = items_text::items(&more.items)?;
        items_text::not_twice(&items, &desk.items().await?)?;
        store(desk, &items).await
    };
    match add.await {
        Ok(()) => Ok(go(&format!("{}/items?done=added", links::admin(room.slug())), None)),
        Err(problem) if problem.status == 422 => {
            let body = section(&room, 0, &more.items, Some(&problem.detail)).await?;
            Ok(room.page_as(StatusCode::UNPROCESSABLE_ENTITY, "/items", &SCRIPTS, &body))
        }
        Err(problem) => Err(problem.into()),
    }
}

/// The items from a place on, and where more are added: with what was typed and what is wrong with it.
async fn section(room: &Room, from: usize, typed: &str, wrong: Option<&str>) -> Result<Markup, Fault> {
    let contents = room.desk.items().await?;
    let items = room.desk.read(|state| state.items.clone()).await?;
    let (slug, admin) = (room.slug(), links::admin(room.slug()));
    let all: Vec<_> = items.iter().zip(&contents).filter(|(item, _)| !item.replaced).collect();
    let fixed = room.status == Status::Archived;
    let link = |at: usize, text: &str| html! { a.button href=(format!("{admin}/items?from={at}")) { (text) } };
    Ok(html! {
        section #items data-fresh {
            h2 { "Items" }
            @if all.is_empty() { p.soft { "None yet." } } @else {
                div.scroll tabindex="0" role="region" aria-label="Items" {
                    table {
                        thead {
                            tr {
                                th scope="col" { "Item" }
                                th scope="col" { "Shown" }
                                th scope="col" { span.hide { "Change" } }
                            }
                        }
                        tbody {
                            @for (item, (_, key, content)) in all.iter().skip(from).take(LISTED) {
                                (row(slug, item, key, content, fixed))
                            }
                        }
                    }
                }
            }
            @if all.len() > LISTED {
                p.row {
                    @if from > 0 { (link(from.saturating_sub(LISTED), "← Before")) }
                    span.soft { (from + 1) " to " (all.len().min(from + LISTED)) " of " (all.len()) }
                    @if from + LISTED < all.len() { (link(from + LISTED, "More →")) }
                }
            }
        }
        @if !fixed {
            section.adding {
                h2 { "Add items" }
                form.stack method="post" action=(format!("{admin}/items")) {
                    label {
                        "More items"
                        span.soft.small { " one per line, or a table with the columns name, text, link" }
                        textarea name="items" rows="3" required { (typed) }
                    }
                    @if let Some(wrong) = wrong { p.wrong role="alert" { (plain(wrong)) } }
                    div.row { button type="submit" { "Add" } }
                }
                (drop_zone(Some(&admin)))
            }
        }
    })
}

/// Where pictures are chosen or dropped; of a study that is there they are sent at once.
pub(in crate::pages) fn drop_zone(admin: Option<&str>) -> Markup {
    let kinds = if admin.is_some() {
        "image/png,image/jpeg,image/webp"
    } else {
        "image/png,image/jpeg,image/webp,.csv,.tsv,.txt"
    };
    html! {
        div.drop #drop hidden data-admin=[admin] {
            label.button {
                (if admin.is_some() { "Add pictures" } else { "Choose pictures or a CSV file" })
                input.hide #files type="file" multiple accept=(kinds);
            }
            p.soft.small {
                span.by-mouse { "or drop them here; " }
                "a picture goes to the item of its name, or becomes one"
            }
            p #reading role="status" {}
            ul.thumbs #thumbs aria-label="Pictures" {}
        }
    }
}

fn row(slug: &str, item: &Item, key: &str, content: &Content, fixed: bool) -> Markup {
    let admin = links::admin(slug);
    let name = plain(&content.title);
    html! {
        tr.off[!item.enabled] {
            th scope="row" {
                @if let Some(hash) = &content.image {
                    img.thumb src=(links::picture(slug, hash)) alt="" loading="lazy";
                }
                span dir="auto" { (name) }
                @if !item.enabled { " " span.badge { "hidden" } }
                @if !fixed { (edit(&admin, item, key, content)) }
            }
            td { (item.shown()) }
            td {
                @if !fixed {
                    form method="post" action=(format!("{admin}/item")) {
                        input type="hidden" name="key" value=(key);
                        @if item.enabled {
                            button type="submit" name="act" value="disable" { "Hide" span.hide { " " (name) } }
                        }
                        @else {
                            button type="submit" name="act" value="enable" { "Show again" span.hide { " " (name) } }
                        }
                    }
                }
            }
        }
    }
}

fn edit(admin: &str, item: &Item, key: &str, content: &Content) -> Markup {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    html! {
        details {
            summary { "Edit" }
            form.stack method="post" action=(format!("{admin}/item")) {
                input type="hidden" name="key" value=(key);
                label { "Title" input name="title" required maxlength="200" value=(content.title); }
                label { "Text" textarea name="text" rows="3" maxlength="10000" { (text(&content.text)) } }
                label { "Link" input type="url" name="link" maxlength="2000" value=(text(&content.link)); }
                @if content.image.is_some() {
                    label {
                        "What the picture shows"
                        span.soft.small { " for whoever does not see it" }
                        input name="alt" maxlength="500" value=(text(&content.alt));
                    }
                }
                @if item.shown() > 0 {
                    fieldset {
                        legend { "It is" }
                        label.check {
                            input type="radio" name="other" value="" checked;
                            span { "the same thing, better worded: its votes stay" }
                        }
                        label.check {
                            input type="radio" name="other" value="yes";
                            span { "a different thing: it starts at zero" }
                        }
                    }
                }
                div.row { button type="submit" name="act" value="edit" { "Save" } }
            }
        }
    }
}
