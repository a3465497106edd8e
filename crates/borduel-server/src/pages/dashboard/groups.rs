//! The results by what voters said about themselves.

use super::super::layout::Shown;
use super::Room;
use crate::app::App;
use crate::body::{Asked, query};
use crate::links;
use crate::outcome::groups::{Current, Found};
use crate::problem::Problem;
use axum::extract::State;
use axum::http::StatusCode;
use borduel_report::plain;
use maud::{Markup, html};
use serde::Deserialize;

/// The form that chooses an attribute; nothing where voters are not asked about themselves.
pub(super) fn choice(room: &Room, keys: &[String], chosen: &str) -> Markup {
    html! {
        @if !keys.is_empty() {
            form.row method="get" action=(format!("{}/by", links::admin(room.slug()))) {
                @if let Some(asked) = room.asked() { input type="hidden" name="criterion" value=(asked.key); }
                label { "Scores by what voters said"
                    select name="key" { @for key in keys { option value=(key) selected[key == chosen] { (key) } } }
                }
                button type="submit" { "Show" }
            }
        }
    }
}

/// What voters were asked about themselves.
pub(super) async fn keys(room: &Room) -> Result<Vec<String>, borduel_study::Error> {
    room.desk.read(|state| state.attribute_keys().into_iter().map(str::to_owned).collect()).await
}

/// The attribute that was chosen.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Chosen {
    key: String,
}

/// Shows results by an attribute of voters.
pub(super) async fn show(State(app): State<App>, room: Room, chosen: Asked<Chosen>) -> Shown {
    let (Chosen { key }, keys) = (query(chosen)?, keys(&room).await?);
    if !keys.contains(&key) {
        return Err(Problem::not_found(format!("voters are not asked about {key:?}")).into());
    }
    let Current { found, behind } = app.current_groups(&room.desk, room.criterion, &key).await?;
    let body = html! {
        (choice(&room, &keys, &key))
        @if let Some(asked) = room.asked() { p.lead dir="auto" { (plain(&asked.question)) } }
        h2 { "Scores by " (plain(&key)) }
        div #groups data-fresh { span data-behind[behind] hidden {} @match &*found {
            Ok(Found { sentence, table, .. }) => {
                p { (sentence) }
                div.scroll tabindex="0" role="region" aria-label="Scores by group" {
                    table {
                        thead { tr { @for head in &table.heads { th scope="col" dir="auto" { (plain(head)) } } } }
                        tbody { @for row in &table.rows {
                            tr { @for (at, cell) in row.iter().enumerate() {
                                @if at == 0 {
                                    th scope="row" dir="auto" { (plain(cell)) }
                                } @else { td { (plain(cell)) } }
                            } }
                        } }
                    }
                }
                p.soft.small {
                    "Every group by its own votes, at this moment. Unlike the verdict of the study these intervals and \
                     p are for whoever looks once: decide beforehand when that is."
                }
            }
            Err(why) => p.soft { "No scores yet: " (plain(why)) }
        } }
    };
    Ok(room.page_at(StatusCode::OK, ("", "/by"), &[], &body))
}
