//! The first page: the studies of this server for its administrator, a word for everybody else.

use super::dashboard::pill;
use super::layout::{Fault, Frame, Page, Shown};
use super::session;
use crate::app::App;
use crate::links;
use axum::extract::State;
use axum::http::HeaderMap;
use borduel_rank::ranking::VerdictKind;
use borduel_report::numbers::whole;
use borduel_report::plain;
use borduel_report::verdict::Said;
use borduel_study::desk::now;
use borduel_study::event::{Millis, Status};
use borduel_study::ledger::Study;
use maud::{Markup, html};

/// How many studies are listed, and how many of them with what they say.
const LISTED: u32 = 200;
const CARDS: usize = 24;

/// Shows it.
pub(super) async fn show(State(app): State<App>, headers: HeaderMap) -> Shown {
    if app.page_admin(&headers).await.is_err() {
        let page = Page { class: "narrow", ..Page::new("borduel") };
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
    let studies = app.studies.ledger().latest(LISTED).await?;
    let mut cards = Vec::new();
    for (study, last) in studies.iter().take(CARDS) {
        cards.push(card(&app, study, *last).await?);
    }
    let page = Page { frame: Frame::Organiser, ..Page::new("Studies") };
    Ok(page.show(&html! {
        main.paper {
            div.row.head { h1 { "Studies" } a.button.main href="/new" { "New study" } }
            @if studies.is_empty() { p.lead { "There is none yet: make the first one in a minute." } }
            ul.cards { @for card in &cards { (card) } }
            @if studies.len() > CARDS {
                h2 { "Earlier ones" }
                ul.plain {
                    @for (study, last) in &studies[CARDS..] {
                        li.line { a href=(links::admin(&study.slug)) { (plain(&study.title)) } span.soft { (ago(now() - last)) } }
                    }
                }
            }
            @if studies.len() == LISTED as usize { p.soft { "The latest " (LISTED) "; `borduel study list` has all." } }
        }
    }))
}

/// A study: what it is called, how it stands, and when something last happened.
async fn card(app: &App, study: &Study, last: Millis) -> Result<Markup, Fault> {
    let desk = app.studies.desk(study.id);
    let look = |state: &borduel_study::State| {
        let judged = state.judged.as_ref().filter(|judged| judged.kind != VerdictKind::NotEnough);
        let found = judged.map(|judged| (judged.kind, judged.winners.clone(), state.settings.goal));
        (state.status, state.votes, state.voters.len(), found)
    };
    let (status, votes, voters, found) = desk.read(look).await?;
    let says = match found {
        Some((kind, winners, goal)) => {
            let items = desk.items().await?;
            let name = |item: usize| plain(items.get(item).map_or("", |item| item.2.title.as_str())).into_owned();
            let (goal, winners) =
                (goal.of(items.len()), winners.iter().map(|&item| usize::from(item)).collect::<Vec<_>>());
            let (items, winners) = (items.len(), winners.as_slice());
            let (score, margin, sure, more, few_voters) = (None, 0.0, "", "", None);
            Said { kind, goal, winners, items, score, margin, sure, more, few_voters, about: "" }.head(&name)
        }
        None if status == Status::Draft => "Not open yet".to_owned(),
        None => "No clear answer yet".to_owned(),
    };
    Ok(html! {
        li.study {
            div.row.head { h2 dir="auto" { a href=(links::admin(&study.slug)) { (plain(&study.title)) } } (pill(status)) }
            p dir="auto" { (says) }
            p.soft.small { (whole(votes as f64)) " votes · " (whole(voters as f64)) " voters · " (ago(now() - last)) }
        }
    })
}

/// How long ago something was.
fn ago(age: Millis) -> String {
    let minutes = age.max(0) / 60_000;
    let some = |count: i64, unit: &str| format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" });
    match minutes {
        0 => "just now".to_owned(),
        1..60 => some(minutes, "minute"),
        60..1_440 => some(minutes / 60, "hour"),
        _ => some(minutes / 1_440, "day"),
    }
}
