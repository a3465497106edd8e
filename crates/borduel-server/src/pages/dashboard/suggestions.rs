//! What voters suggest as items, before the organiser: a queue on the tab of the items.

use super::super::form::Form;
use super::super::layout::{Fault, Shown, go};
use super::Room;
use crate::api::suggestions::{Weighing, decide};
use crate::links;
use borduel_report::plain;
use borduel_study::content::Content;
use maud::{Markup, html};
use serde::Deserialize;

/// The suggestions that wait; nothing where the study takes none and none waits.
pub(super) async fn section(room: &Room) -> Result<Markup, Fault> {
    let waiting = room.desk.suggestions().await?;
    if waiting.is_empty() && !room.settings.suggestions {
        return Ok(html! {});
    }
    let action = format!("{}/suggestion", links::admin(room.slug()));
    Ok(html! {
        section #suggestions data-fresh {
            h2 { "Suggestions" }
            @if waiting.is_empty() { p.soft { "None waits. Voters find the form after their last pair." } }
            @for (number, voter, content) in &waiting { (one(&action, *number, *voter, content)) }
        }
    })
}

fn one(action: &str, number: u32, voter: u32, content: &Content) -> Markup {
    let name = plain(&content.title);
    html! {
        form.stack.suggestion method="post" action=(action) {
            input type="hidden" name="suggestion" value=(number);
            label { "Title" input name="title" required maxlength="200" dir="auto" value=(content.title); }
            label {
                "Text"
                textarea name="text" rows="2" maxlength="10000" dir="auto" { (content.text.as_deref().unwrap_or("")) }
            }
            div.row {
                button.main type="submit" name="accept" value="yes" { "Take it as an item" span.hide { ": " (name) } }
                button type="submit" name="accept" value="no" formnovalidate { "Reject" span.hide { ": " (name) } }
                span.soft.small { "by voter " (voter) }
            }
        }
    }
}

/// What becomes of one.
#[derive(Deserialize)]
pub(super) struct Decision {
    suggestion: u32,
    accept: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    text: String,
}

/// Takes or rejects one.
pub(super) async fn weigh(room: Room, Form(decision): Form<Decision>) -> Shown {
    let Decision { suggestion, accept, title, text } = decision;
    let (accept, text) = (accept == "yes", text.replace("\r\n", "\n"));
    let weighing = Weighing { accept, key: None, title: Some(title), text: Some(text) };
    decide(&room.desk, suggestion, weighing).await?;
    Ok(go(&format!("{}/items?done=suggestion", links::admin(room.slug())), None))
}
