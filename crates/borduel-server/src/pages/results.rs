//! Results as a page that follows the votes, in three levels: what comes out, whether it can be trusted, and all
//! numbers.

use super::layout::{Fault, Frame, Page, Shown};
use super::visit::visit;
use super::{criteria, session};
use crate::api::results::Current;
use crate::app::App;
use crate::body::Asked;
use crate::links;
use crate::outcome::Outcome;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use borduel_rank::ranking::{Forecast, ItemScore, VerdictKind};
use borduel_rank::sequential::Until;
use borduel_report::numbers::{count, points, whole};
use borduel_report::ranking::{Check, Ranked, forecast, forests, matrix};
use borduel_report::verdict::class;
use borduel_report::{Figure, Panel, Series, plain};
use borduel_study::Desk;
use borduel_study::event::Status;
use borduel_study::settings::Criterion;
use maud::{Markup, html};
use std::collections::HashMap;
use std::time::Duration;

/// Up to so many items the pairs are drawn on the page; beyond, they would be most of it, and are in the report.
const PAIRS: usize = 16;
/// So many items are drawn and listed at once, the others on demand.
const FIRST: usize = 20;

/// For whom the results are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Eyes {
    /// Whoever decides about the study.
    Organiser,
    /// Whoever may look.
    Others,
}

/// The page for whoever may see it.
pub(super) async fn show(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    how: Asked<HashMap<String, String>>,
) -> Shown {
    let desk = match app.viewer(&slug, &headers).await {
        Ok(desk) => desk,
        Err(problem) if problem.status < 404 => return Ok(locked(&slug)),
        Err(problem) => return Err(problem.into()),
    };
    let visit = visit(&app, &slug, &headers, how).await?;
    let criterion = visit.criterion()?;
    let now = app.current_results(&desk, criterion).await?;
    let thumbs = thumbs(&desk, &slug).await?;
    let foot = visit.foot();
    let about = &visit.sheet.settings.question;
    let page = Page { about, scripts: &["live.js"], frame: Frame::Voter(&foot), ..Page::new(&visit.study.title) };
    Ok(page.show(&html! {
        main.paper data-live=(live(&slug, visit.sheet.settings.criteria.get(criterion))) data-page=(links::results(&slug)) {
            h1 dir="auto" { (plain(&visit.study.title)) }
            p.soft dir="auto" { (plain(about)) }
            div #live data-fresh { (current(&now, &thumbs, Eyes::Others, &links::results(&slug))) }
        }
    }))
}

/// Where what happens is told, by one of several questions about each pair.
pub(super) fn live(slug: &str, criterion: Option<&Criterion>) -> String {
    let which = criterion.map_or_else(String::new, |criterion| format!("?criterion={}", criterion.key));
    format!("/v1/studies/{slug}/live{which}")
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

/// The addresses of the items' pictures, by key.
pub(super) type Thumbs = HashMap<String, String>;

/// The pictures of a study.
pub(super) async fn thumbs(desk: &Desk, slug: &str) -> Result<Thumbs, Fault> {
    let items = desk.items().await?;
    Ok(items
        .into_iter()
        .filter_map(|(_, key, content)| Some((key, links::picture(slug, content.image.as_ref()?))))
        .collect())
}

/// The part of the page that follows the votes.
pub(super) fn current(now: &Current, thumbs: &Thumbs, eyes: Eyes, page: &str) -> Markup {
    let outcome = &*now.outcome;
    let ranked = outcome.standing.as_ref().map(crate::outcome::Standing::ranked);
    let several = outcome.criteria.iter().map(|one| (one.key.as_str(), one.question.as_str(), one.head.as_str()));
    html! {
        @if let Some(asked) = outcome.criteria.get(outcome.criterion) {
            (criteria::links(several, page, outcome.criterion))
            h2 dir="auto" { (plain(&asked.question)) }
        }
        (answer(outcome, ranked.as_ref(), thumbs, eyes))
        // Until then nobody notices.
        @if let Some(age) = now.behind.filter(|age| age.as_secs() >= 10) {
            p.soft.small { "As it was " (ago(age)) " ago: what has happened since is being computed." }
        }
        dl.tiles {
            // Of several questions, each has as many as said something by it.
            div { dt { "Votes" } dd data-now=[outcome.criteria.is_empty().then_some("votes")] { (whole(outcome.votes as f64)) } }
            div { dt { "Voters" } dd data-now="voters" { (whole(outcome.voters as f64)) } }
            div { dt { "Items" } dd { (outcome.items) } }
            div { dt { "Votes a minute" } dd { (format!("{:.1}", outcome.rate)) } }
        }
        @if outcome.hints > 0 {
            p.soft.small { (whole(outcome.hints as f64)) " answers of judges are hints: they guide what is asked and are never counted as votes." }
        }
        @match (&ranked, &outcome.unranked) {
            (Some(ranked), _) => {
                (scores(ranked, thumbs, graded(outcome).as_deref()))
                (trust(ranked))
                details {
                    summary { "All numbers" }
                    (numbers(outcome, ranked, thumbs))
                    (growth(outcome))
                    @if eyes == Eyes::Organiser { (asked_next(outcome)) }
                }
            }
            (None, Some(why)) => p.soft { "No scores yet: " (plain(why)) },
            (None, None) => {}
        }
    }
}

/// What comes out, with the leader's picture and how far it is.
fn answer(outcome: &Outcome, ranked: Option<&Ranked<'_>>, thumbs: &Thumbs, eyes: Eyes) -> Markup {
    let verdict = &outcome.verdict;
    let leader = verdict.winners.first().filter(|_| verdict.kind != VerdictKind::NotEnough);
    let (level, votes) = (short(100.0 * verdict.level), whole(outcome.votes as f64));
    let sure = format!("{level} % sure, after {votes} votes{}.", outcome.about);
    let whose = match verdict.few_voters {
        None => None,
        Some(1) => Some("By one voter, who speaks for nobody else.".to_owned()),
        Some(few) => Some(format!("By {few} voters: so few speak for nobody else.")),
    };
    let told = outcome.forecast.filter(|_| verdict.kind == VerdictKind::NotEnough && verdict.look.is_some());
    let over = matches!(outcome.status, Status::Closed | Status::Archived);
    let budget = outcome.budget.filter(|_| !over);
    // Whoever has spent a budget wants an answer, and how far it is to be trusted.
    let guess = ranked.filter(|_| over && verdict.kind == VerdictKind::NotEnough);
    let guess = guess.and_then(|ranked| Some(ranked.spoken(ranked.ranking.items.first()?.item)));
    html! {
        div class=(format!("verdict {}", class(verdict.kind))) role="status" {
            @if let Some(source) = leader.and_then(|key| thumbs.get(key)) { img.winner src=(source) alt=""; }
            div {
                p.headline dir="auto" { (plain(&verdict.head)) "." }
                @if verdict.kind != VerdictKind::NotEnough { p { (sure) @if let Some(whose) = whose { " " (whose) } } }
                @else if !outcome.about.is_empty() { p { "After " (votes) " votes" (outcome.about) "." } }
                @if let Some(guess) = guess { p { "The best guess by these votes, though not a certain one: " (guess) "." } }
                @if let Some(budget) = budget {
                    progress max=(budget) value=(outcome.votes) aria-label="Votes until the study closes" {}
                    p { "It closes after " (whole(budget as f64)) " votes." }
                } @else if let Some((_, most)) = told.and_then(|told| told.range()) {
                    progress max=(outcome.votes as f64 + most) value=(outcome.votes) aria-label="Votes until it is settled" {}
                }
                @if let Some(race) = ranked.and_then(|ranked| race(outcome, ranked)) { p { (race) } }
                p.small { (advice(outcome, eyes)) }
                details { summary { "In full" } p.small { (plain(&verdict.text)) } }
            }
        }
    }
}

/// Who may still be best, where some are out.
fn race(outcome: &Outcome, ranked: &Ranked<'_>) -> Option<String> {
    let winners = &ranked.ranking.verdict.winners;
    let open = outcome.verdict.kind == VerdictKind::NotEnough && outcome.verdict.look.is_some();
    if !open || winners.len() >= outcome.items {
        return None;
    }
    let names: Vec<String> = winners.iter().take(5).map(|&item| ranked.spoken(item)).collect();
    let more = winners.len().saturating_sub(names.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Some(format!("Still in the race: {}{more}.", names.join(", ")))
}

fn short(percent: f64) -> String {
    let text = format!("{percent:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// What to do now.
fn advice(outcome: &Outcome, eyes: Eyes) -> String {
    let over = matches!(outcome.status, Status::Closed | Status::Archived);
    let verdict = &outcome.verdict;
    match (verdict.kind, outcome.forecast) {
        _ if over => "Voting has ended.".to_owned(),
        (VerdictKind::NotEnough, _) if verdict.look.is_none() => {
            format!("The first one appears after {} votes ({} so far).", whole(verdict.next_look as f64), whole(outcome.votes as f64))
        }
        (VerdictKind::NotEnough, _) if outcome.more_contexts.is_some_and(|more| more.range().is_some()) => {
            let are = &outcome.contexts_are;
            let more = outcome.more_contexts.map_or_else(String::new, |more| forecast(more, are, "settle it"));
            format!("More votes on these {are} would not settle it: with as many votes each, {more}.")
        }
        (VerdictKind::NotEnough, Some(Forecast::OutOfReach)) => {
            "Far more votes than such a study gets would be needed to tell all of them apart. Fewer items, or a larger difference that counts as equal, would help.".to_owned()
        }
        (VerdictKind::NotEnough, Some(told)) => {
            let pace = match told.range().filter(|_| outcome.rate > 0.0) {
                Some((_, most)) => format!(", at the present pace within {}", duration(most / outcome.rate)),
                None => String::new(),
            };
            capitalised(&forecast(told, "votes", "settle it")) + &pace + "."
        }
        (VerdictKind::NotEnough, _) => "More votes are needed.".to_owned(),
        _ if eyes == Eyes::Others => "Voting goes on.".to_owned(),
        _ if outcome.criteria.iter().any(|criterion| criterion.kind == "not-enough") => {
            "This question is answered; pairs are asked for those that are still open.".to_owned()
        }
        (VerdictKind::GoodEnough, _) if outcome.until == Until::Clear => {
            "Votes go on until one is better than every other, or a tie is shown.".to_owned()
        }
        (VerdictKind::GoodEnough, _) => {
            "You can close the study, unless it matters whether another is just as good.".to_owned()
        }
        _ => "You can close the study.".to_owned(),
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
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
        m if m < 144_000.0 => format!("about {:.0} days", m / 1_440.0),
        _ => "years".to_owned(),
    }
}

/// The scores as a picture: with the items' own pictures where they have some.
fn scores(ranked: &Ranked<'_>, thumbs: &Thumbs, graded: Option<&str>) -> Markup {
    let items = &ranked.ranking.items;
    let unmet: Vec<String> = ranked.ranking.left_out.iter().map(|left| ranked.spoken(left.item)).collect();
    html! {
        h2 { "Scores" }
        p.soft { "How often an item is preferred to another one. The line shows where the true score may lie; filled marks may still be best." }
        @if thumbs.is_empty() && items.len() <= FIRST { (forests(ranked)) } @else {
            (strips(ranked, thumbs, &items[..items.len().min(FIRST)], 1))
            @if items.len() > FIRST {
                details { summary { "All " (items.len()) " items" } (strips(ranked, thumbs, &items[FIRST..], FIRST + 1)) }
            }
        }
        @if let Some(graded) = graded { p.soft { (graded) } }
        @if !unmet.is_empty() {
            p.soft.small { "Without enough votes to be placed: " (unmet.iter().take(FIRST).map(String::as_str).collect::<Vec<_>>().join(", ")) @if unmet.len() > FIRST { " and " (unmet.len() - FIRST) " more" } "." }
        }
    }
}

/// A line an item: picture, name, interval and score.
fn strips(ranked: &Ranked<'_>, thumbs: &Thumbs, items: &[ItemScore], from: usize) -> Markup {
    let winners = &ranked.ranking.verdict.winners;
    let at = |share: f64| format!("{:.1}", 100.0 * share);
    html! {
        ol.strips start=(from) {
            @for score in items {
                @let best = winners.contains(&score.item);
                li.top[best] {
                    @if let Some(source) = thumbs.get(ranked.id(score.item)) { img.thumb src=(source) alt="" loading="lazy"; }
                    @else { span.thumb {} }
                    span.name dir="auto" { (plain(ranked.label(score.item))) @if best { span.hide { " (may be best)" } } }
                    svg.strip viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" {
                        line.middle x1="50" y1="0" x2="50" y2="10" {}
                        line.bar x1=(at(score.borda.low)) y1="5" x2=(at(score.borda.high)) y2="5" {}
                        @if let Some(estimate) = score.borda.estimate { line.mark x1=(at(estimate)) y1="1" x2=(at(estimate)) y2="9" {} }
                    }
                    span.score { (points(score.borda.estimate)) " %" }
                }
            }
        }
    }
}

/// Whether it can be trusted.
fn trust(ranked: &Ranked<'_>) -> Markup {
    let checks = ranked.checks();
    let known = checks.iter().filter(|check| check.ok.is_some()).count();
    let fine = checks.iter().filter(|check| check.ok == Some(true)).count();
    html! {
        details.trust {
            summary {
                "Is this trustworthy? "
                span class=(if fine == known { "good" } else { "bad" }) { (fine) " of " (known) " checks are fine" }
            }
            ul.checks { @for check in &checks { (line(check)) } }
        }
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
            span { span.hide { (word) ": " } b { (called(&check.name)) } " " (plain(&check.text)) }
        }
    }
}

/// What people call a check.
fn called(check: &str) -> &str {
    match check {
        "connected" => "Everything can be compared.",
        "won-and-lost" => "Everything has won and lost.",
        "votes-per-item" => "Enough votes for each.",
        "voters" => "Enough voters.",
        "voter-agreement" => "Voters agree with each other.",
        "cycles" => "No circles of preferences.",
        "fit" => "The votes fit the model.",
        "position" => "The side does not matter.",
        "networks" => "Votes come from many places.",
        "ties-and-skips" => "Few ties and skips.",
        "agreement" => "Other methods agree.",
        other => other,
    }
}

/// The share of the votes for an item that find it much better, among those that say how much.
fn much(outcome: &Outcome, key: &str) -> Option<f64> {
    outcome.grades.get(key).filter(|(graded, _)| *graded > 0).map(|&(graded, much)| much as f64 / graded as f64)
}

/// How much better voters find the better one, in a sentence, where the study asks for it.
fn graded(outcome: &Outcome) -> Option<String> {
    let (graded, much) = outcome.grades.values().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let share = 100.0 * much as f64 / graded as f64;
    (graded > 0).then(|| {
        format!("In {share:.0} % of {} votes one was found much better, in the others slightly.", whole(graded as f64))
    })
}

/// The numbers behind the picture.
fn numbers(outcome: &Outcome, ranked: &Ranked<'_>, thumbs: &Thumbs) -> Markup {
    let best = |score: &ItemScore| outcome.chances.get(&score.item).copied();
    let graded = !outcome.grades.is_empty();
    html! {
        div.scroll tabindex="0" role="region" aria-label="Numbers" {
            table {
                thead { tr {
                    th scope="col" { "Item" } th scope="col" { "Score %" } th scope="col" { "Interval" } th scope="col" { "Best %*" }
                    th scope="col" { "Won" } th scope="col" { "Lost" } th scope="col" { "Equal" }
                    @if graded { th scope="col" { "Much better %†" } }
                } }
                tbody {
                    @for score in &ranked.ranking.items {
                        tr {
                            th scope="row" {
                                @if let Some(source) = thumbs.get(ranked.id(score.item)) { img.thumb src=(source) alt="" loading="lazy"; " " }
                                span dir="auto" { (plain(ranked.label(score.item))) }
                            }
                            td { (points(score.borda.estimate)) }
                            td { (points(Some(score.borda.low))) " – " (points(Some(score.borda.high))) }
                            td { (points(best(score))) }
                            td { (count(score.counts.left)) } td { (count(score.counts.right)) } td { (count(score.counts.tie)) }
                            @if graded { td { (much(outcome, ranked.id(score.item)).map_or_else(|| "–".to_owned(), |share| points(Some(share)))) } }
                        }
                    }
                }
            }
        }
        p.soft.small { "Intervals are " (ranked.intervals()) ". * The chance to be best at this moment, for whoever looks only once; all else here holds however often one looks." }
        @if graded { p.soft.small { "† Of the votes for it that say how much better it is. Scores and verdicts count every vote once, much or slightly." } }
        h3 { "Every pair" }
        @if ranked.ranking.items.len() <= PAIRS {
            p.soft { "Percent of votes that the row’s item won against the column’s, ties as half. Empty pairs were never compared." }
            div.scroll tabindex="0" role="region" aria-label="Shares of wins of every pair" { (matrix(ranked)) }
        } @else {
            p.soft { "With more than " (PAIRS) " items the matrix of pairs is in the report." }
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
        h3 { "Votes over time" }
        div.chart { (figure.small()) }
    }
}

fn asked_next(outcome: &Outcome) -> Markup {
    let audits = 100.0 * outcome.plan.audits;
    html! {
        h3 { "What is asked next, and why" }
        @if outcome.next.is_empty() {
            p.soft { "Every pair alike." }
        } @else {
            p.soft {
                (format!("{:.0}", 100.0 - audits)) " % of the questions are " (outcome.method.words()) "; " (format!("{audits:.0}"))
                " % are any pair, so that nobody is shut out and the model is tested. Asked most:"
            }
            ul.next {
                @for (first, second, share) in &outcome.next {
                    li { span dir="auto" { (plain(first)) " or " (plain(second)) } span.soft { (format!("{:.0} %", 100.0 * share)) } }
                }
            }
        }
    }
}
