//! Results as a page that follows the votes, in three levels: what comes out, whether it can be trusted, and all
//! numbers.

mod answer;
mod numbers;

use super::layout::{Frame, Page, Shown};
use super::visit::{visit, words_of};
use super::words::{Numbers, Told, Words, counted, fill, mark};
use super::{criteria, session};
use crate::api::results::Current;
use crate::app::App;
use crate::body::Asked;
use crate::faces::{Faces, faces};
use crate::links;
use crate::outcome::Outcome;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use borduel_rank::ranking::ItemScore;
use borduel_report::numbers::points;
use borduel_report::plain;
use borduel_report::ranking::{Check, Ranked, forests};
use borduel_study::settings::Criterion;
use maud::{Markup, html};
use std::collections::HashMap;
use std::time::Duration;

/// So many items are drawn and listed at once, the others on demand.
const FIRST: usize = 20;

/// For whom the results are shown.
#[derive(Clone, Copy)]
pub(super) enum Eyes {
    /// Whoever decides about the study.
    Organiser,
    /// Whoever may look, in this language.
    Others(&'static Told),
}

impl Eyes {
    /// The words for these eyes: organisers read English.
    fn told(self) -> &'static Told {
        match self {
            Self::Organiser => Told::english(),
            Self::Others(told) => told,
        }
    }

    fn organise(self) -> bool {
        matches!(self, Self::Organiser)
    }

    fn numbers(self) -> Numbers {
        Numbers::of(self.told().code)
    }
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
        Err(problem) if problem.status < 404 => return Ok(locked(&slug, words_of(&app, &slug, &headers).await)),
        Err(problem) => return Err(problem.into()),
    };
    let visit = visit(&app, &slug, &headers, how).await?;
    let eyes = Eyes::Others(Told::of(visit.words.code));
    let criterion = visit.criterion()?;
    let now = app.current_results(&desk, criterion).await?;
    let faces = faces(&desk, &slug).await?;
    let foot = visit.foot();
    let about = &visit.sheet.settings.question;
    let (language, accent) = (visit.words.code, visit.accent());
    let frame = Frame::Voter(&foot);
    let page = Page { about, language, accent, scripts: &["live.js"], frame, ..Page::new(&visit.study.title) };
    Ok(page.show(&html! {
        main.paper data-live=(live(&slug, visit.sheet.settings.criteria.get(criterion)))
            data-page=(links::results(&slug)) {
            h1 dir="auto" { (plain(&visit.study.title)) }
            p.soft dir="auto" { (plain(about)) }
            div #live data-fresh { (current(&now, &faces, eyes, &links::results(&slug))) }
        }
    }))
}

/// Where what happens is told, by one of several questions about each pair.
pub(super) fn live(slug: &str, criterion: Option<&Criterion>) -> String {
    let which = criterion.map_or_else(String::new, |criterion| format!("?criterion={}", criterion.key));
    format!("/v1/studies/{slug}/live{which}")
}

/// What is shown to whoever may not see it, whether there is such a study or not.
fn locked(slug: &str, words: &Words) -> axum::response::Response {
    Page { class: "narrow", language: words.code, ..Page::new(words.not_public) }.show_as(
        StatusCode::UNAUTHORIZED,
        &html! {
            main.paper {
                h1 { (words.not_public) }
                p.lead { (words.not_public_more) }
                (session::ask(slug, words.token, words.go_on))
            }
        },
    )
}

/// The part of the page that follows the votes.
pub(super) fn current(now: &Current, faces: &Faces, eyes: Eyes, page: &str) -> Markup {
    let outcome = &*now.outcome;
    let (told, numbers) = (eyes.told(), eyes.numbers());
    let whole = |count: u64| numbers.whole(count as f64);
    let ranked = outcome.standing.as_ref().map(crate::outcome::Standing::ranked);
    let heads = outcome.criteria.iter().map(|one| told.by(outcome, one));
    let heads: Vec<String> = heads.collect();
    let several = outcome.criteria.iter().zip(&heads);
    let several = several.map(|(one, head)| (one.key.as_str(), one.question.as_str(), head.as_str()));
    html! {
        @if let Some(asked) = outcome.criteria.get(outcome.criterion) {
            (criteria::links(several, page, outcome.criterion, told.questions))
            h2 dir="auto" { (plain(&asked.question)) }
        }
        (answer::answer(outcome, ranked.as_ref(), faces, eyes))
        // Until then nobody notices.
        @if let Some(age) = now.behind.filter(|age| age.as_secs() >= 10) { p.soft.small { (old(age, told)) } }
        dl.tiles {
            // Of several questions, each has as many as said something by it.
            div {
                dt { (told.votes) }
                dd data-now=[outcome.criteria.is_empty().then_some("votes")] { (whole(outcome.votes)) }
            }
            div { dt { (told.voters) } dd data-now="voters" { (whole(outcome.voters)) } }
            div { dt { (told.items) } dd { (outcome.items) } }
            div { dt { (told.a_minute) } dd { (numbers.decimal(&format!("{:.1}", outcome.rate))) } }
        }
        @if outcome.hints > 0 { p.soft.small { (fill(told.hints, &[&whole(outcome.hints)])) } }
        @match (&ranked, &outcome.unranked) {
            (Some(ranked), _) => {
                (scores(ranked, faces, graded(outcome, eyes).as_deref(), eyes))
                (trust(ranked, told))
                details {
                    summary { (told.all_numbers) }
                    (numbers::table(outcome, ranked, faces, eyes))
                    (numbers::growth(outcome, eyes))
                    @if eyes.organise() { (numbers::asked_next(outcome)) }
                }
            }
            (None, Some(why)) => p.soft { (mark(told.no_scores, &[in_english(told, &plain(why))])) },
            (None, None) => {}
        }
    }
}

/// What the report says, marked as English where the page is not.
fn in_english(told: &Told, text: &str) -> Markup {
    html! { @if told.is_english() { (text) } @else { span lang="en" dir="ltr" { (text) } } }
}

fn old(age: Duration, told: &Told) -> String {
    match age.as_secs() {
        seconds if seconds < 120 => fill(counted(told.seconds_old, told.code, seconds), &[&seconds]),
        seconds => fill(counted(told.minutes_old, told.code, seconds / 60), &[&(seconds / 60)]),
    }
}

/// The scores as a picture: with the items' own pictures where they have some. What is written in the plot is English.
fn scores(ranked: &Ranked<'_>, faces: &Faces, graded: Option<&str>, eyes: Eyes) -> Markup {
    let told = eyes.told();
    let items = &ranked.ranking.items;
    let unmet: Vec<String> = ranked.ranking.left_out.iter().map(|left| ranked.spoken(left.item)).collect();
    let unmet: Vec<&str> = unmet.iter().map(String::as_str).collect();
    html! {
        h2 { (told.scores) }
        p.soft { (told.scores_are) }
        @if faces.is_empty() && items.len() <= FIRST && told.is_english() { (forests(ranked)) } @else {
            (strips(ranked, faces, &items[..items.len().min(FIRST)], 1, eyes))
            @if items.len() > FIRST {
                details {
                    summary { (fill(told.all_items, &[&items.len()])) }
                    (strips(ranked, faces, &items[FIRST..], FIRST + 1, eyes))
                }
            }
        }
        @if let Some(graded) = graded { p.soft { (graded) } }
        @if !unmet.is_empty() { p.soft.small { (fill(told.unplaced, &[&told.names(&unmet)])) } }
    }
}

/// A line an item: picture, name, interval and score.
fn strips(ranked: &Ranked<'_>, faces: &Faces, items: &[ItemScore], from: usize, eyes: Eyes) -> Markup {
    let (told, numbers) = (eyes.told(), eyes.numbers());
    let winners = &ranked.ranking.verdict.winners;
    let at = |share: f64| format!("{:.1}", 100.0 * share);
    html! {
        ol.strips start=(from) {
            @for score in items {
                @let best = winners.contains(&score.item);
                li.top[best] {
                    @let face = faces.get(ranked.id(score.item));
                    @if let Some(source) = face.and_then(|face| face.picture.as_ref()) {
                        img.thumb src=(source) alt="" loading="lazy";
                    }
                    @else { span.thumb {} }
                    span.name dir="auto" {
                        (plain(ranked.label(score.item))) @if best { span.hide { " (" (told.may_be_best) ")" } }
                        @if let Some(face) = face.filter(|face| !face.caption.is_empty()) {
                            span.caption dir="auto" { (plain(&face.caption)) }
                        }
                    }
                    svg.strip viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" {
                        line.middle x1="50" y1="0" x2="50" y2="10" {}
                        line.bar x1=(at(score.borda.low)) y1="5" x2=(at(score.borda.high)) y2="5" {}
                        @if let Some(estimate) = score.borda.estimate {
                            line.mark x1=(at(estimate)) y1="1" x2=(at(estimate)) y2="9" {}
                        }
                    }
                    span.score { (numbers.percent(&points(score.borda.estimate))) }
                }
            }
        }
    }
}

/// Whether it can be trusted.
fn trust(ranked: &Ranked<'_>, told: &Told) -> Markup {
    let checks = ranked.checks();
    let known = checks.iter().filter(|check| check.ok.is_some()).count();
    let fine = checks.iter().filter(|check| check.ok == Some(true)).count();
    html! {
        details.trust {
            summary {
                (told.trust) " "
                span class=(if fine == known { "good" } else { "bad" }) { (fill(told.checks_fine, &[&fine, &known])) }
            }
            ul.checks { @for check in &checks { (line(check, told)) } }
        }
    }
}

fn line(check: &Check, told: &Told) -> Markup {
    let (class, mark, word) = match check.ok {
        Some(true) => ("good", "✓", told.fine),
        Some(false) => ("bad", "✗", told.look_here),
        None => ("unknown", "–", told.not_known),
    };
    html! {
        li class=(class) {
            span.mark aria-hidden="true" { (mark) }
            span {
                span.hide { (word) ": " }
                b { (told.check(&check.name)) }
                " "
                (in_english(told, &plain(&check.text)))
            }
        }
    }
}

/// How much better voters find the better one, in a sentence, where the study asks for it.
fn graded(outcome: &Outcome, eyes: Eyes) -> Option<String> {
    let (graded, much) = outcome.grades.values().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let share = 100.0 * much as f64 / graded as f64;
    let numbers = eyes.numbers();
    (graded > 0)
        .then(|| fill(eyes.told().graded, &[&numbers.percent(&format!("{share:.0}")), &numbers.whole(graded as f64)]))
}
