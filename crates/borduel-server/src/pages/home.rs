//! The first page: the studies of this server for its administrator, a word for everybody else.

use super::layout::{Page, Shown};
use super::session;
use crate::app::App;
use crate::links;
use axum::extract::State;
use axum::http::HeaderMap;
use borduel_report::plain;
use maud::html;

/// How many studies are listed.
const LISTED: u32 = 200;

/// Shows it.
pub(super) async fn show(State(app): State<App>, headers: HeaderMap) -> Shown {
    let page = Page { class: "narrow", ..Page::new("borduel") };
    if app.page_admin(&headers).await.is_err() {
        return Ok(page.show(&html! {
            main.paper {
                h1 { "borduel" }
                p.lead { "Which of these is best, when all one can ask is “this one or that one?”" }
                p { "To vote, or to see results, open the link that you were given." }
                p.soft { a href="/docs" { "The interface for programs" } }
                h2 { "For whoever runs this server" }
                (session::ask("", "The admin token, printed at the first start"))
            }
        }));
    }
    let studies = app.studies.ledger().studies("", LISTED).await?;
    Ok(page.show(&html! {
        main.paper {
            h1 { "Studies" }
            p { a.button.main href="/new" { "New study" } }
            @if studies.is_empty() { p.lead { "There is none yet: make the first one in a minute." } }
            ul.plain {
                @for study in &studies {
                    li.line {
                        a href=(links::admin(&study.slug)) { (plain(&study.title)) }
                        span.soft { (study.slug) }
                    }
                }
            }
            @if studies.len() == LISTED as usize { p.soft { "The first " (LISTED) " by name; `borduel study list` has all." } }
        }
    }))
}
