//! What the organiser does by forms: each says one thing to the study and shows the page again.

use super::super::form::Form;
use super::super::items_text;
use super::super::layout::{Shown, go};
use super::super::part;
use crate::api::images;
use crate::api::items::{NewItem, store};
use crate::app::App;
use crate::body::{Asked, query, read};
use crate::links;
use crate::problem::Problem;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use borduel_study::command::Change;
use borduel_study::content::{Content, TITLE, key_of};
use borduel_study::event::{By, Standing, Status, Votes};
use borduel_study::{Command, image};
use serde::Deserialize;
use serde_json::Value;

fn back(slug: &str, section: &str) -> Response {
    go(&format!("{}{section}", links::admin(slug)), None)
}

#[derive(Deserialize)]
pub(super) struct NewStatus {
    status: Status,
}

/// Opens, pauses, closes or archives.
pub(super) async fn status(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    Form(new): Form<NewStatus>,
) -> Shown {
    let desk = app.page_organiser(&slug, &headers).await?;
    desk.send(Command::Status(new.status)).await?;
    Ok(back(&slug, ""))
}

#[derive(Deserialize)]
pub(super) struct Knobs {
    question: String,
    questions_per_voter: u32,
    #[serde(default)]
    tie: String,
    #[serde(default)]
    both_bad: String,
    #[serde(default)]
    skip: String,
    #[serde(default)]
    comment: String,
    #[serde(default)]
    public: String,
    #[serde(default)]
    embed: String,
    #[serde(default)]
    stop: String,
    /// The tag of the settings that the form was filled with.
    tag: String,
}

/// Changes settings; those that the form does not have stay.
pub(super) async fn settings(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    Form(knobs): Form<Knobs>,
) -> Shown {
    let desk = app.page_organiser(&slug, &headers).await?;
    let on = |tick: &str| tick == "yes";
    let mut fields = serde_json::Map::new();
    let mut set = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    set("question", knobs.question.trim().into());
    set("questions_per_voter", knobs.questions_per_voter.into());
    for (name, tick) in [
        ("tie", &knobs.tie),
        ("both_bad", &knobs.both_bad),
        ("skip", &knobs.skip),
        ("comment", &knobs.comment),
        ("embed", &knobs.embed),
    ] {
        set(name, on(tick).into());
    }
    set("results", if on(&knobs.public) { "public" } else { "organiser" }.into());
    // Another way to stop, which the form does not have, stays.
    match (knobs.stop.as_str(), desk.read(|state| state.settings.stop.until()).await?) {
        ("", None) => {}
        ("", Some(_)) => drop(set("stop", "never".into())),
        (chosen, _) => drop(set("stop", chosen.into())),
    }
    desk.send(Command::Set(Change { title: None, fields, known: Some(knobs.tag) })).await?;
    Ok(back(&slug, "#settings"))
}

#[derive(Deserialize)]
pub(super) struct More {
    items: String,
}

/// Adds items.
pub(super) async fn add_items(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    Form(more): Form<More>,
) -> Shown {
    let desk = app.page_organiser(&slug, &headers).await?;
    store(&desk, &items_text::items(&more.items)?).await?;
    Ok(back(&slug, "#items"))
}

#[derive(Deserialize)]
pub(super) struct ItemForm {
    key: String,
    act: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    text: String,
    #[serde(default)]
    link: String,
    #[serde(default)]
    correction: String,
}

/// Edits an item, leaves it out, or asks about it again.
pub(super) async fn item(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    Form(form): Form<ItemForm>,
) -> Shown {
    let desk = app.page_organiser(&slug, &headers).await?;
    let some = |text: &str| Some(text.trim().replace("\r\n", "\n")).filter(|text| !text.is_empty());
    match form.act.as_str() {
        "enable" | "disable" => {
            desk.send(Command::Enable { key: form.key, on: form.act == "enable" }).await?;
        }
        "edit" => {
            let of = |state: &borduel_study::State| {
                state.item(&form.key).map(|item| state.items[usize::from(item)].features.clone())
            };
            let features = desk.read(of).await?.unwrap_or_default();
            let (title, text, link) = (form.title.trim().to_owned(), some(&form.text), some(&form.link));
            let (key, correction) = (Some(form.key), form.correction == "yes");
            store(&desk, &[NewItem { key, title, text, link, features, correction, enabled: None }]).await?;
        }
        other => return Err(Problem::invalid(format!("nothing is called {other:?}")).into()),
    }
    Ok(back(&slug, "#items"))
}

#[derive(Deserialize)]
pub(super) struct VoterForm {
    voter: u32,
    act: String,
}

/// Sets a voter's votes aside, or counts them again.
pub(super) async fn voter(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    Form(form): Form<VoterForm>,
) -> Shown {
    let desk = app.page_organiser(&slug, &headers).await?;
    let (standing, votes) = match form.act.as_str() {
        "count" => (Standing::Active, Votes::Keep),
        "aside" => (Standing::Active, Votes::Aside),
        "block" => (Standing::Blocked, Votes::Aside),
        other => return Err(Problem::invalid(format!("nothing is called {other:?}")).into()),
    };
    desk.send(Command::Voter { voter: form.voter, standing, votes, by: By::Organiser }).await?;
    Ok(back(&slug, "#voters"))
}

#[derive(Deserialize)]
pub(super) struct Undoing {
    q: u32,
}

/// Takes an answer back.
pub(super) async fn undo(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    Form(undoing): Form<Undoing>,
) -> Shown {
    let desk = app.page_organiser(&slug, &headers).await?;
    desk.send(Command::Undo { q: undoing.q, voter: None }).await?;
    Ok(back(&slug, "#recent"))
}

#[derive(Deserialize)]
pub(super) struct Named {
    name: String,
}

/// Takes a picture: it goes to the item of its name, which is made where there is none.
pub(super) async fn picture(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    named: Asked<Named>,
    body: Body,
) -> Response {
    let take = async {
        let desk = app.page_organiser(&slug, &headers).await?;
        let name = query(named)?.name.trim().to_owned();
        let name = if name.is_empty() { "Picture".to_owned() } else { name.chars().take(TITLE).collect() };
        let bytes = read(body, image::BYTES).await?;
        let key = key_of(&name, |_| false);
        let items = desk.items().await?;
        let mut found = items
            .iter()
            .filter(|(_, other, content)| content.image.is_none() && (*other == key || content.title == name));
        let (key, content) = if let Some((_, key, content)) = found.next() {
            (key.clone(), (**content).clone())
        } else {
            let taken = |key: &str| items.iter().any(|(_, other, _)| other == key);
            (key_of(&name, taken), Content { title: name, ..Content::default() })
        };
        images::picture(&desk, &key, content, true, bytes).await?;
        Ok(StatusCode::NO_CONTENT.into_response())
    };
    let shown = take.await;
    part::respond(true, shown)
}
