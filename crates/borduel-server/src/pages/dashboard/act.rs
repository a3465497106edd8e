//! What the organiser does by forms: each says one thing to the study and shows its tab again.

use super::super::form::Form;
use super::super::layout::{Shown, go};
use super::super::part;
use super::confirm::Confirm;
use super::{Room, enter};
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
use borduel_study::content::{Content, TITLE, key_of};
use borduel_study::event::{By, Inclusion, Standing, Status};
use borduel_study::{Command, Desk, image};
use serde::Deserialize;

fn back(slug: &str, tab: &str) -> Response {
    go(&format!("{}{tab}", links::admin(slug)), None)
}

/// The study, for its organiser.
async fn room(app: &App, slug: &str, headers: &HeaderMap) -> Result<Room, Problem> {
    app.page_organiser(slug, headers).await?;
    let none = || Problem::new("no-token", "this needs the organiser's token");
    enter(app, slug, headers, None).await.map_err(|fault| fault.0)?.map_err(|_| none())
}

#[derive(Deserialize)]
pub(super) struct NewStatus {
    status: Status,
    #[serde(default)]
    sure: String,
}

/// Opens, pauses, closes or archives; the last two when somebody is sure.
pub(super) async fn status(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    Form(new): Form<NewStatus>,
) -> Response {
    let script = part::wanted(&headers);
    part::respond(script, set_status(&app, &slug, &headers, &new).await)
}

async fn set_status(app: &App, slug: &str, headers: &HeaderMap, new: &NewStatus) -> Shown {
    let room = room(app, slug, headers).await?;
    let asked = match new.status {
        Status::Closed => Some((
            "closed",
            "Close the study?",
            "Nobody can vote any more, and answers that are still on their way do not count. You can open it again.",
            "Close it",
        )),
        Status::Archived => Some((
            "archived",
            "Archive the study for good?",
            "Nothing can be changed any more, and it is never opened again. Its results and files stay.",
            "Archive it for good",
        )),
        _ => None,
    };
    if let Some((status, head, text, button)) = asked
        && new.sure != "yes"
    {
        let (fields, back, typed) = (&[("status", status)][..], "", None);
        return Ok(Confirm { head, text, action: "status", fields, button, back, typed }.page(&room));
    }
    room.desk.send(Command::Status(new.status)).await?;
    Ok(back(slug, ""))
}

#[derive(Deserialize)]
pub(super) struct Deleting {
    #[serde(default)]
    sure: String,
}

/// Deletes the study when its name was typed.
pub(super) async fn delete(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    Form(deleting): Form<Deleting>,
) -> Shown {
    let room = room(&app, &slug, &headers).await?;
    if deleting.sure.trim() == slug {
        app.studies.delete(&slug).await?;
        return Ok(go("/", None));
    }
    let text = format!(
        "All of it goes for ever: {} votes, items, pictures, voters, comments, log and links. Take the files first if \
         you may need them.",
        room.votes
    );
    let (head, button, typed) = ("Delete the study?", "Delete it for ever", Some(slug.as_str()));
    Ok(Confirm { head, text: &text, action: "delete", fields: &[], button, back: "/settings", typed }.page(&room))
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
    alt: String,
    /// Whether it is the same thing, better said, or another one.
    #[serde(default)]
    other: String,
    #[serde(default)]
    sure: String,
}

/// Edits an item, hides it, or shows it again.
pub(super) async fn item(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    Form(form): Form<ItemForm>,
) -> Shown {
    let room = room(&app, &slug, &headers).await?;
    match form.act.as_str() {
        "enable" | "disable" => {
            room.desk.send(Command::Enable { key: form.key, on: form.act == "enable" }).await?;
        }
        "edit" => {
            let votes = votes_on(&room.desk, &form.key).await?;
            // Nobody has seen it: it is what it is.
            let other = form.other == "yes" && votes > 0;
            if other && form.sure != "yes" {
                return Ok(replacing(&room, &form, votes));
            }
            edit(&room.desk, &form, other).await?;
        }
        other => return Err(Problem::invalid(format!("nothing is called {other:?}")).into()),
    }
    Ok(back(&slug, "/items?done=saved"))
}

/// How many answers were given about an item.
async fn votes_on(desk: &Desk, key: &str) -> Result<usize, Problem> {
    let count = |state: &borduel_study::State| {
        let item = state.item(key)?;
        let about = |q: &&borduel_study::state::Question| [q.first, q.second].contains(&item) && state.counts(q);
        Some(state.questions.iter().filter(about).count())
    };
    desk.read(count).await?.ok_or_else(|| Problem::invalid(format!("there is no item {key:?} in this study")))
}

fn replacing(room: &Room, form: &ItemForm, votes: usize) -> Response {
    let fields = [
        ("key", form.key.as_str()),
        ("act", "edit"),
        ("title", &form.title),
        ("text", &form.text),
        ("link", &form.link),
        ("alt", &form.alt),
        ("other", "yes"),
    ];
    let text = format!(
        "It starts at zero: {votes} votes on what it was no longer count. The old one is hidden, and you can show it \
         again with its votes."
    );
    let (head, button) = ("Is it a different thing?", "Yes, start at zero");
    Confirm { head, text: &text, action: "item", fields: &fields, button, back: "/items", typed: None }.page(room)
}

/// What is said of an item. Another thing is an item of its own; the old one is hidden, so that it can be shown again.
async fn edit(desk: &Desk, form: &ItemForm, other: bool) -> Result<(), Problem> {
    let some = |text: &str| Some(text.trim().replace("\r\n", "\n")).filter(|text| !text.is_empty());
    let (title, text, link, alt) = (form.title.trim().to_owned(), some(&form.text), some(&form.link), some(&form.alt));
    let of = |state: &borduel_study::State| {
        state.item(&form.key).map(|item| state.items[usize::from(item)].features.clone())
    };
    let features = desk.read(of).await?.unwrap_or_default();
    let key = if other {
        let taken: Vec<String> = desk.items().await?.into_iter().map(|(_, key, _)| key).collect();
        key_of(&title, |key| taken.iter().any(|other| other == key))
    } else {
        form.key.clone()
    };
    let item = NewItem { key: Some(key), title, text, link, alt, features, correction: true, enabled: None };
    store(desk, &[item]).await?;
    if other {
        desk.send(Command::Enable { key: form.key.clone(), on: false }).await?;
    }
    Ok(())
}

#[derive(Deserialize)]
pub(super) struct VoterForm {
    voter: u32,
    act: String,
    #[serde(default)]
    sure: String,
}

/// Does not count a voter's votes, counts them again, or erases the voter.
pub(super) async fn voter(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    Form(form): Form<VoterForm>,
) -> Shown {
    let room = room(&app, &slug, &headers).await?;
    let (standing, votes) = match form.act.as_str() {
        "count" => (Standing::Active, Inclusion::Keep),
        "aside" => (Standing::Active, Inclusion::Aside),
        "block" => (Standing::Blocked, Inclusion::Aside),
        "erase" | "erase-all" => {
            let keep = form.act == "erase";
            if form.sure != "yes" {
                let text = if keep {
                    "The name, the comments and the link of this voter go for ever. The votes stay, as those of \
                     nobody in particular."
                } else {
                    "The name, the comments and the link of this voter go for ever, and the votes no longer count."
                };
                let number = form.voter.to_string();
                let fields = [("voter", number.as_str()), ("act", form.act.as_str())];
                let (head, button, typed) = ("Erase this voter?", "Erase for ever", None);
                let confirm = Confirm { head, text, action: "voter", fields: &fields, button, back: "/voters", typed };
                return Ok(confirm.page(&room));
            }
            (Standing::Withdrawn, if keep { Inclusion::Keep } else { Inclusion::Aside })
        }
        other => return Err(Problem::invalid(format!("nothing is called {other:?}")).into()),
    };
    room.desk.send(Command::Voter { voter: form.voter, standing, votes, by: By::Organiser }).await?;
    Ok(back(&slug, "/voters?done=saved"))
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
    Ok(back(&slug, "/log?done=undone"))
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
