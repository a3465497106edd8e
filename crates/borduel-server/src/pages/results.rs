//! Results as a page that follows the votes: the verdict in one sentence, pictures, checks, and what is asked next.

use super::layout::{Page, Shown};
use super::{part, session};
use crate::api::results::Current;
use crate::app::App;
use crate::links;
use crate::outcome::Outcome;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use borduel::ranking::{ItemScore, VerdictKind};
use borduel::sequential::Until;
use borduel_report::numbers::{count, points};
use borduel_report::ranking::{Check, Ranked, forests, matrix};
use borduel_report::verdict::class;
use borduel_report::{Figure, Panel, Series, plain};
use borduel_study::event::Status;
use maud::{Markup, html};
use std::time::Duration;

/// Up to so many items the pairs are drawn on the page; beyond, they would be most of it, and are in the report.
const PAIRS: usize = 16;

/// The page for whoever may see it.
pub(super) async fn show(State(app): State<App>, Path(slug): Path<String>, headers: HeaderMap) -> Shown {
    let desk = match app.viewer(&slug, &headers).await {
        Ok(desk) => desk,
        Err(problem) if problem.status < 404 => return Ok(locked(&slug)),
        Err(problem) => return Err(problem.into()),
    };
    let study = app.studies.find(&slug).await?;
    let now = app.current_results(&desk).await?;
    let page = Page { scripts: &["live.js"], ..Page::new(&study.title) };
    Ok(page.show(&html! {
        main.paper {
            h1 { (plain(&study.title)) }
            div #live data-live=(format!("/v1/studies/{slug}/live")) data-part=(format!("{}/now", links::results(&slug))) { (current(&now)) }
        }
    }))
}

/// What is shown to whoever may not see it.
fn locked(slug: &str) -> axum::response::Response {
    Page { class: "narrow", ..Page::new("Results") }.show_as(
        StatusCode::UNAUTHORIZED,
        &html! {
            main.paper {
                h1 { "These results are not public" }
                p.lead { "Open the private link that you were given, or enter its token." }
                (session::ask(slug, "Token"))
            }
        },
    )
}

/// The part that changes.
pub(super) async fn now(State(app): State<App>, Path(slug): Path<String>, headers: HeaderMap) -> Shown {
    let desk = app.viewer(&slug, &headers).await?;
    let now = app.current_results(&desk).await?;
    Ok(part::part(current(&now)))
}

/// The part of the page that follows the votes.
pub(super) fn current(now: &Current) -> Markup {
    let outcome = &*now.outcome;
    let class = class(outcome.verdict.kind);
    html! {
        div class=(format!("verdict {class}")) role="status" {
            p { (plain(&outcome.verdict.text)) }
            p.small { (advice(outcome)) }
        }
        // Until then nobody notices.
        @if let Some(age) = now.behind.filter(|age| age.as_secs() >= 10) {
            p.soft.small { "As it was " (ago(age)) " ago: what has happened since is being computed." }
        }
        dl.tiles {
            div { dt { "Votes" } dd data-now="votes" { (outcome.votes) } }
            div { dt { "Voters" } dd data-now="voters" { (outcome.voters) } }
            div { dt { "Items" } dd { (outcome.items) } }
            div { dt { "Votes a minute" } dd { (format!("{:.1}", outcome.rate)) } }
        }
        @match &outcome.standing {
            None => @if let Some(why) = &outcome.unranked { p.soft { "No scores yet: " (plain(why)) } },
            Some(standing) => (pictures(outcome, &standing.ranked())),
        }
        (growth(outcome))
        (asked_next(outcome))
    }
}

/// What to do now.
fn advice(outcome: &Outcome) -> String {
    let over = matches!(outcome.status, Status::Closed | Status::Archived);
    match (outcome.verdict.kind, outcome.needed) {
        _ if over => "The study is closed.".to_owned(),
        (VerdictKind::NotEnough, Some(needed)) if outcome.votes > 0 && needed > 0.0 => {
            let pace = if outcome.rate > 0.0 {
                format!(", {} at the present pace", duration(needed / outcome.rate))
            } else {
                String::new()
            };
            format!("About {} more votes would settle it{pace}.", rounded(needed))
        }
        (VerdictKind::NotEnough, _) => "More votes are needed.".to_owned(),
        (VerdictKind::GoodEnough, _) if outcome.until == Until::Clear => {
            "Votes go on until one is better than every other, or a tie is shown.".to_owned()
        }
        (VerdictKind::GoodEnough, _) => {
            "You may stop here, unless it matters whether another is just as good.".to_owned()
        }
        _ => "You may stop here: this verdict needs no more votes.".to_owned(),
    }
}

/// Two digits are as many as such a forecast deserves.
fn rounded(votes: f64) -> String {
    let unit = 10_f64.powf((votes.max(1.0).log10().floor() - 1.0).max(0.0));
    count((votes / unit).ceil() * unit)
}

fn ago(age: Duration) -> String {
    match age.as_secs() {
        seconds if seconds < 120 => format!("{seconds} seconds"),
        seconds => format!("{} minutes", seconds / 60),
    }
}

fn duration(minutes: f64) -> String {
    match minutes {
        m if m < 2.0 => "a minute or two".to_owned(),
        m if m < 90.0 => format!("about {m:.0} minutes"),
        m if m < 2_880.0 => format!("about {:.0} hours", m / 60.0),
        m => format!("about {:.0} days", m / 1_440.0),
    }
}

fn pictures(outcome: &Outcome, ranked: &Ranked<'_>) -> Markup {
    let ranking = ranked.ranking;
    html! {
        h2 { "Scores" }
        p.soft { "The chance that an item beats a random other one. Lines are " (ranked.intervals()) ". Filled marks may be best." }
        (forests(ranked))
        (table(outcome, ranked))
        h2 { "Checks" }
        ul.checks { @for check in ranked.checks() { (line(&check)) } }
        h2 { "Every pair" }
        @if ranking.items.len() <= PAIRS {
            p.soft { "Percent of votes that the row’s item won against the column’s, ties as half. Empty pairs were never compared." }
            div.scroll tabindex="0" role="region" aria-label="Shares of wins of every pair" { (matrix(ranked)) }
        } @else {
            p.soft { "With more than " (PAIRS) " items the matrix of pairs is in the report." }
        }
    }
}

/// The numbers behind the picture.
fn table(outcome: &Outcome, ranked: &Ranked<'_>) -> Markup {
    let best = |score: &ItemScore| outcome.chances.get(&score.item).copied();
    html! {
        div.scroll tabindex="0" role="region" aria-label="Numbers" {
            table {
                thead { tr {
                    th scope="col" { "Item" } th scope="col" { "Score %" } th scope="col" { "Interval" } th scope="col" { "Best %*" }
                    th scope="col" { "Won" } th scope="col" { "Lost" } th scope="col" { "Equal" }
                } }
                tbody {
                    @for score in &ranked.ranking.items {
                        tr {
                            th scope="row" { (plain(ranked.label(score.item))) }
                            td { (points(score.borda.estimate)) }
                            td { (points(Some(score.borda.low))) " – " (points(Some(score.borda.high))) }
                            td { (points(best(score))) }
                            td { (count(score.counts.left)) } td { (count(score.counts.right)) } td { (count(score.counts.tie)) }
                        }
                    }
                }
            }
        }
        p.soft.small { "* The chance to be best at this moment, for whoever looks only once; all else here holds however often one looks." }
    }
}

fn line(check: &Check) -> Markup {
    let (class, mark, word) = match check.ok {
        Some(true) => ("good", "✓", "Fine"),
        Some(false) => ("bad", "✗", "Look here"),
        None => ("unknown", "–", "Not known"),
    };
    html! {
        li class=(class) {
            span.mark aria-hidden="true" { (mark) }
            span { span.hide { (word) ": " } b { (check.name) } " " (plain(&check.text)) }
        }
    }
}

fn growth(outcome: &Outcome) -> Markup {
    if outcome.growth.len() < 2 {
        return html! {};
    }
    let minutes = outcome.growth.last().map_or(0.0, |point| point.0);
    let (unit, name) = match minutes {
        m if m < 180.0 => (1.0, "minutes"),
        m if m < 4_320.0 => (60.0, "hours"),
        _ => (1_440.0, "days"),
    };
    let points = outcome.growth.iter().map(|&(at, votes)| (at / unit, votes)).collect();
    let series = Series { label: String::new(), points, band: Vec::new(), style: Some(0), dots: false };
    let panel = Panel {
        title: String::new(),
        x: format!("{name} since the first vote"),
        y: "votes".to_owned(),
        logarithmic: false,
        series: vec![series],
        note: String::new(),
    };
    let figure = Figure { panels: vec![panel], description: format!("Votes over time, {} in all", outcome.votes) };
    html! {
        h2 { "Votes over time" }
        div.chart { (figure.small()) }
    }
}

fn asked_next(outcome: &Outcome) -> Markup {
    let audits = 100.0 * outcome.plan.audits;
    html! {
        h2 { "What is asked next, and why" }
        @if outcome.next.is_empty() {
            p.soft { "Every pair alike." }
        } @else {
            p.soft {
                (format!("{:.0}", 100.0 - audits)) " % of the questions are " (outcome.method.words()) "; " (format!("{audits:.0}"))
                " % are any pair, so that nobody is shut out and the model is tested. Asked most:"
            }
            ul.next {
                @for (first, second, share) in &outcome.next {
                    li { span { (plain(first)) " or " (plain(second)) } span.soft { (format!("{:.0} %", 100.0 * share)) } }
                }
            }
        }
    }
}
