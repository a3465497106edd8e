//! The first page: the studies of this server for its administrator, a word for everybody else.

use super::dashboard::pill;
use super::layout::{Fault, Frame, Page, Shown};
use super::session;
use crate::app::App;
use crate::body::{Asked, query};
use crate::links;
use axum::extract::State as Extract;
use axum::http::HeaderMap;
use borduel_rank::ranking::VerdictKind;
use borduel_rank::sequential::Goal;
use borduel_report::numbers::grouped;
use borduel_report::plain;
use borduel_report::ranking::forecast;
use borduel_report::verdict::Statement;
use borduel_study::State;
use borduel_study::desk::now;
use borduel_study::event::{Millis, Status};
use borduel_study::ledger::Study;
use maud::{Markup, html};
use serde::Deserialize;

/// How many studies are listed, and how many of them with what they say.
const LISTED: u32 = 200;
const CARDS: usize = 24;
/// Among how many it is searched.
const SEARCHED: u32 = 10_000;

/// What is looked for.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Search {
    /// What stands in the title or the name.
    q: String,
    /// What the study is: a status, or nothing for any.
    status: String,
}

impl Search {
    /// The status that is looked for; nothing where it is any.
    fn status(&self) -> Option<Status> {
        serde_json::from_value(self.status.clone().into()).ok()
    }

    /// Whether a study is called like what is looked for.
    fn finds(&self, study: &Study) -> bool {
        let words = self.q.to_lowercase();
        let named = format!("{} {}", study.title, study.slug).to_lowercase();
        words.split_whitespace().all(|word| named.contains(word))
    }

    fn is_empty(&self) -> bool {
        self.q.trim().is_empty() && self.status().is_none()
    }
}

/// The form that searches studies.
fn searching(search: &Search) -> Markup {
    let all =
        [("draft", "Draft"), ("open", "Open"), ("paused", "Paused"), ("closed", "Closed"), ("archived", "Archived")];
    html! {
        form.row.search method="get" action="/" role="search" {
            label {
                span.hide { "Search studies" }
                input type="search" name="q" placeholder="Search studies" maxlength="200" value=(search.q);
            }
            label { span.hide { "Status" }
                select name="status" {
                    option value="" { "Any status" }
                    @for (value, name) in all { option value=(value) selected[search.status == value] { (name) } }
                }
            }
            button type="submit" { "Search" }
            @if !search.is_empty() { a href="/" { "Show all" } }
        }
    }
}

/// Shows the overview of studies.
pub(super) async fn show(Extract(app): Extract<App>, headers: HeaderMap, search: Asked<Search>) -> Shown {
    if app.page_admin(&headers).await.is_err() {
        let page = Page { class: "narrow", ..Page::new("borduel") };
        return Ok(page.show(&html! {
            main.paper {
                h1 { "borduel" }
                p.lead { "Which of these is best, when all one can ask is “this one or that one?”" }
                p { "To vote, or to see results, open the link that you were given." }
                p.soft { a href="/docs" { "The interface for programs" } }
                h2 { "For whoever runs this server" }
                (session::ask("", "The admin token, printed at the first start", "Continue"))
            }
        }));
    }
    let search = query(search)?;
    let mut studies = app.studies.ledger().latest(if search.q.is_empty() { LISTED } else { SEARCHED }).await?;
    let there = !studies.is_empty();
    studies.retain(|(study, _)| search.finds(study));
    studies.truncate(LISTED as usize);
    if let Some(status) = search.status() {
        let mut found = Vec::new();
        for (study, last) in studies {
            if app.studies.desk(study.id).read(|state| state.status).await? == status {
                found.push((study, last));
            }
        }
        studies = found;
    }
    let mut cards = Vec::new();
    for (study, last) in studies.iter().take(CARDS) {
        cards.push(card(&app, study, *last).await?);
    }
    let page = Page { frame: Frame::Organiser, ..Page::new("Studies") };
    Ok(page.show(&html! {
        main.paper {
            div.row.head { h1 { "Studies" } a.button.main href="/new" { "New study" } }
            @if there { (searching(&search)) }
            @if !there { p.lead { "There is none yet: make the first one in a minute." } }
            @else if studies.is_empty() { p.lead role="status" { "No study is like that." } }
            ul.cards { @for card in &cards { (card) } }
            @if studies.len() > CARDS {
                h2 { "Earlier ones" }
                ul.plain {
                    @for (study, last) in &studies[CARDS..] {
                        li.line {
                            a href=(links::admin(&study.slug)) { (plain(&study.title)) }
                            span.soft { (ago(now() - last)) }
                        }
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
    let look = |state: &State| {
        let found = (0..state.criteria()).filter_map(|criterion| {
            let judged = state.judged_by(criterion).filter(|judged| !judged.void)?;
            let question = state.settings.criteria.get(criterion).map(|asked| asked.question.clone());
            Some((question, judged.kind, judged.winners.clone()))
        });
        (state.status, state.votes, state.voters.len(), state.settings.goal, found.collect::<Vec<_>>())
    };
    let (status, votes, voters, goal, found) = desk.read(look).await?;
    let yet = if matches!(status, Status::Closed | Status::Archived) { "" } else { " yet" };
    let mut says: Vec<String> = Vec::new();
    for (question, kind, winners) in found {
        says.push({
            let items = desk.items().await?;
            let name = |item: usize| plain(items.get(item).map_or("", |item| item.2.title.as_str())).into_owned();
            let (goal, winners) =
                (goal.of(items.len()), winners.iter().map(|&item| usize::from(item)).collect::<Vec<_>>());
            // The leader comes first.
            let open = kind == VerdictKind::NotEnough && goal == Goal::Winner;
            let leads = winners.first().filter(|_| open).map(|&first| name(first));
            let (items, winners) = (items.len(), winners.as_slice());
            let (score, margin, sure, more, few_voters) = (None, 0.0, "", "", None);
            let said = Statement { kind, goal, winners, items, score, margin, sure, more, few_voters, about: "" };
            let head = leads.map_or_else(|| said.head(&name), |leader| format!("{leader} leads, not for certain{yet}"));
            question.map_or(head.clone(), |question| format!("{} {head}", plain(&question)))
        });
    }
    if says.is_empty() {
        says.push(if status == Status::Draft { "Not open yet" } else { "No clear answer yet" }.to_owned());
    }
    // Only what somebody has looked at is known: to compute it for a list would take too long.
    let known = app.known_results(study.id).filter(|_| yet == " yet" && votes > 0);
    let to_go = known.and_then(|outcome| {
        let more = outcome.forecast.filter(|more| outcome.criteria.is_empty() && more.range().is_some())?;
        (outcome.verdict.kind == VerdictKind::NotEnough).then(|| {
            format!("As of {} votes, {}.", grouped(outcome.votes as f64), forecast(more, "votes", "settle it"))
        })
    });
    let pulse = if votes == 0 {
        None
    } else {
        let state = desk.copy().await?;
        app.computer.run(move || Pulse::of(&state, now())).await?
    };
    Ok(html! {
        li.study {
            div.row.head {
                h2 dir="auto" { a href=(links::admin(&study.slug)) { (plain(&study.title)) } }
                (pill(status))
            }
            @for says in &says { p dir="auto" { (says) } }
            @if let Some(to_go) = &to_go { p.soft.small { (to_go) } }
            @let some = |count: f64, one: &str| {
                format!("{} {one}{}", grouped(count), if count == 1.0 { "" } else { "s" })
            };
            @if let Some(pulse) = &pulse { (pulse.drawn()) }
            p.soft.small {
                (some(votes as f64, "vote")) " · " (some(voters as f64, "voter")) " · "
                @match &pulse { Some(pulse) => { "last vote " (ago(now() - pulse.last)) } None => (ago(now() - last)) }
            }
        }
    })
}

/// In how many equal parts the time since the first vote is drawn.
const PARTS: usize = 24;

/// When votes came.
struct Pulse {
    first: Millis,
    last: Millis,
    /// How many in each part of the time from the first vote until now, or until the last one where no more can come.
    parts: [u32; PARTS],
}

impl Pulse {
    fn of(state: &State, now: Millis) -> Option<Self> {
        let times: Vec<Millis> = state
            .questions
            .iter()
            .filter(|question| state.counts(question))
            .map(|question| state.time_of(question))
            .collect();
        let (first, last) = (times.iter().min().copied()?, times.iter().max().copied()?);
        let open = matches!(state.status, Status::Open | Status::Paused);
        Some(Self { first, last, parts: parts(&times, first, if open { now.max(last) } else { last }) })
    }

    fn drawn(&self) -> Markup {
        let most = f64::from(self.parts.iter().max().copied().unwrap_or(0).max(1));
        let said = format!("Votes over time, the first {}", ago(now() - self.first));
        html! {
            svg.pulse viewBox=(format!("0 0 {PARTS} 10")) preserveAspectRatio="none" role="img" aria-label=(said) {
                @for (at, count) in self.parts.iter().enumerate() {
                    // A part without votes is a line, so that the time is seen to go on.
                    @let height = (10.0 * f64::from(*count) / most).max(0.4);
                    rect x=(format!("{at}.1")) y=(format!("{:.2}", 10.0 - height)) width="0.8"
                        height=(format!("{height:.2}")) {}
                }
            }
        }
    }
}

/// How many of these times are in each of equal parts of the time between two of them.
fn parts(times: &[Millis], from: Millis, to: Millis) -> [u32; PARTS] {
    let mut parts = [0; PARTS];
    for time in times {
        let at = (time - from).max(0) as usize * PARTS / ((to - from).max(0) as usize + 1);
        parts[at.min(PARTS - 1)] += 1;
    }
    parts
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn votes_are_counted_part_by_part() {
        assert_eq!(parts(&[5], 5, 5)[0], 1);
        let times: Vec<Millis> = (0..240).collect();
        assert_eq!(parts(&times, 0, 239), [10; PARTS]);
        let late = parts(&[0, 1_000, 999], 0, 1_000);
        assert_eq!((late[0], late[PARTS - 1], late.iter().sum::<u32>()), (1, 2, 3));
    }
}
