//! Results as a page that follows the votes, in three levels: what comes out, whether it can be trusted, and all
//! numbers.

use super::layout::{Fault, Frame, Page, Shown};
use super::visit::{visit, words_of};
use super::words::{Numbers, Told, Words, counted, fill, mark};
use super::{criteria, session};
use crate::api::results::Current;
use crate::app::App;
use crate::body::Asked;
use crate::links;
use crate::outcome::Outcome;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use borduel_rank::About;
use borduel_rank::ranking::{FORECAST_CHANCE, Forecast, ItemScore, VerdictKind};
use borduel_rank::sequential::{Goal, Until};
use borduel_report::numbers::{count, points};
use borduel_report::ranking::{Check, Ranked, forecast, forests, matrix, rounded};
use borduel_report::verdict::class;
use borduel_report::{Figure, Panel, Series, plain};
use borduel_study::Desk;
use borduel_study::event::Status;
use borduel_study::settings::Criterion;
use maud::{Markup, html};
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

/// Up to so many items the pairs are drawn on the page; beyond, they would be most of it, and are in the report.
const PAIRS: usize = 16;
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
    let thumbs = thumbs(&desk, &slug).await?;
    let foot = visit.foot();
    let about = &visit.sheet.settings.question;
    let (language, accent) = (visit.words.code, visit.accent());
    let frame = Frame::Voter(&foot);
    let page = Page { about, language, accent, scripts: &["live.js"], frame, ..Page::new(&visit.study.title) };
    Ok(page.show(&html! {
        main.paper data-live=(live(&slug, visit.sheet.settings.criteria.get(criterion))) data-page=(links::results(&slug)) {
            h1 dir="auto" { (plain(&visit.study.title)) }
            p.soft dir="auto" { (plain(about)) }
            div #live data-fresh { (current(&now, &thumbs, eyes, &links::results(&slug))) }
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

/// The addresses of the items' pictures, by key.
pub(super) type Thumbs = BTreeMap<String, String>;

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
        (answer(outcome, ranked.as_ref(), thumbs, eyes))
        // Until then nobody notices.
        @if let Some(age) = now.behind.filter(|age| age.as_secs() >= 10) { p.soft.small { (old(age, told)) } }
        dl.tiles {
            // Of several questions, each has as many as said something by it.
            div { dt { (told.votes) } dd data-now=[outcome.criteria.is_empty().then_some("votes")] { (whole(outcome.votes)) } }
            div { dt { (told.voters) } dd data-now="voters" { (whole(outcome.voters)) } }
            div { dt { (told.items) } dd { (outcome.items) } }
            div { dt { (told.a_minute) } dd { (numbers.decimal(&format!("{:.1}", outcome.rate))) } }
        }
        @if outcome.hints > 0 { p.soft.small { (fill(told.hints, &[&whole(outcome.hints)])) } }
        @match (&ranked, &outcome.unranked) {
            (Some(ranked), _) => {
                (scores(ranked, thumbs, graded(outcome, eyes).as_deref(), eyes))
                (trust(ranked, told))
                details {
                    summary { (told.all_numbers) }
                    (table(outcome, ranked, thumbs, eyes))
                    (growth(outcome, eyes))
                    @if eyes.organise() { (asked_next(outcome)) }
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

/// What comes out, with the leader's picture and how far it is.
fn answer(outcome: &Outcome, ranked: Option<&Ranked<'_>>, thumbs: &Thumbs, eyes: Eyes) -> Markup {
    let (told, numbers, verdict) = (eyes.told(), eyes.numbers(), &outcome.verdict);
    let undecided = verdict.kind == VerdictKind::NotEnough;
    let leader = verdict.winners.first().filter(|_| !undecided);
    let (level, votes) = (numbers.percent(&short(100.0 * verdict.level)), numbers.whole(outcome.votes as f64));
    let about = outcome.scope.map_or_else(String::new, |scope| match scope.about {
        About::These => fill(told.on_these, &[&scope.seen, &outcome.contexts_are]),
        About::Such => fill(told.on_such, &[&outcome.contexts_are, &scope.seen]),
    });
    let sure = fill(told.sure, &[&level, &votes, &about]);
    let whose = match verdict.few_voters {
        None => None,
        Some(1) => Some(told.one_voter.to_owned()),
        Some(few) => Some(fill(counted(told.few_voters, told.code, u64::from(few)), &[&few])),
    };
    let how_often = ranked.and_then(|ranked| preferred(outcome, ranked, told));
    let head = if verdict.look.is_none() { told.no_result.to_owned() } else { told.verdict(outcome) };
    let over = matches!(outcome.status, Status::Closed | Status::Archived);
    let forecast = outcome.forecast.filter(|_| undecided && verdict.look.is_some() && !over);
    let budget = outcome.budget.filter(|_| !over);
    // Whoever has spent a budget wants an answer, and how far it is to be trusted.
    let guess = ranked.filter(|_| over && undecided);
    let guess = guess.and_then(|ranked| Some(ranked.spoken(ranked.ranking.items.first()?.item)));
    html! {
        div class=(format!("verdict {}", class(verdict.kind))) role="status" {
            @if let Some(source) = leader.and_then(|key| thumbs.get(key)) { img.winner src=(source) alt=""; }
            div {
                p.headline { (head) (told.stop) }
                @if !undecided {
                    p { (sure) @if let Some(whose) = whose { " " (whose) } }
                    @if let Some(how_often) = how_often { p.small { (how_often) } }
                }
                @else if !about.is_empty() { p { (fill(told.after, &[&votes, &about])) } }
                @if let Some(guess) = guess { p { (fill(told.best_guess, &[&guess])) } }
                @if let Some(budget) = budget {
                    progress max=(budget) value=(outcome.votes) aria-label=(told.until_closed) {}
                    p { (fill(told.closes_after, &[&numbers.whole(budget as f64)])) }
                } @else if let Some((_, most)) = forecast.and_then(|forecast| forecast.range()) {
                    progress max=(outcome.votes as f64 + most) value=(outcome.votes) aria-label=(told.until_settled) {}
                }
                @if let Some(race) = ranked.and_then(|ranked| race(outcome, ranked, told)) { p { (race) } }
                p.small { (advice(outcome, eyes)) }
                details { summary { (told.in_full) } p.small dir=[(!told.is_english()).then_some("ltr")] { (in_english(told, &plain(&verdict.text))) } }
            }
        }
    }
}

/// How often the one that was looked for is preferred, where it is found.
fn preferred(outcome: &Outcome, ranked: &Ranked<'_>, told: &Told) -> Option<String> {
    let found = matches!(outcome.verdict.kind, VerdictKind::ClearWinner | VerdictKind::GoodEnough);
    let winner = *ranked.ranking.verdict.winners.first().filter(|_| found && outcome.goal == Goal::Winner)?;
    let score = ranked.ranking.items.iter().find(|score| score.item == winner)?.borda.estimate?;
    Some(fill(told.preferred, &[&(100.0 * score).round()]))
}

/// Who may still be best, where some are out.
fn race(outcome: &Outcome, ranked: &Ranked<'_>, told: &Told) -> Option<String> {
    let winners = &ranked.ranking.verdict.winners;
    let open = outcome.verdict.kind == VerdictKind::NotEnough && outcome.verdict.look.is_some();
    if !open || winners.len() >= outcome.items {
        return None;
    }
    let names: Vec<String> = winners.iter().map(|&item| ranked.spoken(item)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Some(fill(told.race, &[&told.names(&names)]))
}

fn short(percent: f64) -> String {
    let text = format!("{percent:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// What to do now.
fn advice(outcome: &Outcome, eyes: Eyes) -> String {
    let (told, numbers) = (eyes.told(), eyes.numbers());
    let over = matches!(outcome.status, Status::Closed | Status::Archived);
    let verdict = &outcome.verdict;
    match (verdict.kind, outcome.forecast) {
        _ if over => told.ended.to_owned(),
        (VerdictKind::NotEnough, _) if verdict.look.is_none() => {
            fill(told.first_after, &[&numbers.whole(verdict.next_look as f64), &numbers.whole(outcome.votes as f64)])
        }
        (VerdictKind::NotEnough, _) if outcome.more_contexts.is_some_and(|more| more.range().is_some()) => {
            let are = &outcome.contexts_are;
            if !eyes.organise() {
                return fill(told.other_contexts, &[are]);
            }
            let more = outcome.more_contexts.map_or_else(String::new, |more| forecast(more, are, "settle it"));
            format!("More votes on these {are} would not settle it: with as many votes each, {more}.")
        }
        (VerdictKind::NotEnough, Some(Forecast::OutOfReach)) => told.out_of_reach.to_owned(),
        (VerdictKind::NotEnough, Some(Forecast::TooEarly)) => told.too_early.to_owned(),
        (VerdictKind::NotEnough, Some(Forecast::Between { low, high })) => {
            let pace = if outcome.rate > 0.0 {
                fill(told.pace, &[&duration(high / outcome.rate, told)])
            } else {
                String::new()
            };
            let (low, high) = rounded((low, high));
            let (least, most, chance) = (numbers.whole(low), numbers.whole(high), (10.0 * FORECAST_CHANCE).round());
            if low >= high {
                fill(told.more_about, &[&most, &chance, &pace])
            } else {
                fill(told.more_between, &[&least, &most, &chance, &pace])
            }
        }
        (VerdictKind::NotEnough, None) => told.more_needed.to_owned(),
        _ if !eyes.organise() => told.goes_on.to_owned(),
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

fn old(age: Duration, told: &Told) -> String {
    match age.as_secs() {
        seconds if seconds < 120 => fill(counted(told.seconds_old, told.code, seconds), &[&seconds]),
        seconds => fill(counted(told.minutes_old, told.code, seconds / 60), &[&(seconds / 60)]),
    }
}

fn duration(minutes: f64, told: &Told) -> String {
    let about = |sentence, much: f64| fill(counted(sentence, told.code, much.round() as u64), &[&much.round()]);
    match minutes {
        m if m < 2.0 => told.a_minute_or_two.to_owned(),
        m if m < 90.0 => about(told.minutes, m),
        m if m < 2_880.0 => about(told.hours, m / 60.0),
        m if m < 144_000.0 => about(told.days, m / 1_440.0),
        _ => told.years.to_owned(),
    }
}

/// The scores as a picture: with the items' own pictures where they have some. What is written in the plot is English.
fn scores(ranked: &Ranked<'_>, thumbs: &Thumbs, graded: Option<&str>, eyes: Eyes) -> Markup {
    let told = eyes.told();
    let items = &ranked.ranking.items;
    let unmet: Vec<String> = ranked.ranking.left_out.iter().map(|left| ranked.spoken(left.item)).collect();
    let unmet: Vec<&str> = unmet.iter().map(String::as_str).collect();
    html! {
        h2 { (told.scores) }
        p.soft { (told.scores_are) }
        @if thumbs.is_empty() && items.len() <= FIRST && told.is_english() { (forests(ranked)) } @else {
            (strips(ranked, thumbs, &items[..items.len().min(FIRST)], 1, eyes))
            @if items.len() > FIRST {
                details { summary { (fill(told.all_items, &[&items.len()])) } (strips(ranked, thumbs, &items[FIRST..], FIRST + 1, eyes)) }
            }
        }
        @if let Some(graded) = graded { p.soft { (graded) } }
        @if !unmet.is_empty() { p.soft.small { (fill(told.unplaced, &[&told.names(&unmet)])) } }
    }
}

/// A line an item: picture, name, interval and score.
fn strips(ranked: &Ranked<'_>, thumbs: &Thumbs, items: &[ItemScore], from: usize, eyes: Eyes) -> Markup {
    let (told, numbers) = (eyes.told(), eyes.numbers());
    let winners = &ranked.ranking.verdict.winners;
    let at = |share: f64| format!("{:.1}", 100.0 * share);
    html! {
        ol.strips start=(from) {
            @for score in items {
                @let best = winners.contains(&score.item);
                li.top[best] {
                    @if let Some(source) = thumbs.get(ranked.id(score.item)) { img.thumb src=(source) alt="" loading="lazy"; }
                    @else { span.thumb {} }
                    span.name dir="auto" { (plain(ranked.label(score.item))) @if best { span.hide { " (" (told.may_be_best) ")" } } }
                    svg.strip viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" {
                        line.middle x1="50" y1="0" x2="50" y2="10" {}
                        line.bar x1=(at(score.borda.low)) y1="5" x2=(at(score.borda.high)) y2="5" {}
                        @if let Some(estimate) = score.borda.estimate { line.mark x1=(at(estimate)) y1="1" x2=(at(estimate)) y2="9" {} }
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
            span { span.hide { (word) ": " } b { (told.check(&check.name)) } " " (in_english(told, &plain(&check.text))) }
        }
    }
}

/// The share of the votes for an item that find it much better, among those that say how much.
fn much(outcome: &Outcome, key: &str) -> Option<f64> {
    outcome.grades.get(key).filter(|(graded, _)| *graded > 0).map(|&(graded, much)| much as f64 / graded as f64)
}

/// How much better voters find the better one, in a sentence, where the study asks for it.
fn graded(outcome: &Outcome, eyes: Eyes) -> Option<String> {
    let (graded, much) = outcome.grades.values().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let share = 100.0 * much as f64 / graded as f64;
    let numbers = eyes.numbers();
    (graded > 0)
        .then(|| fill(eyes.told().graded, &[&numbers.percent(&format!("{share:.0}")), &numbers.whole(graded as f64)]))
}

/// The numbers behind the picture.
fn table(outcome: &Outcome, ranked: &Ranked<'_>, thumbs: &Thumbs, eyes: Eyes) -> Markup {
    let (told, numbers) = (eyes.told(), eyes.numbers());
    let best = |score: &ItemScore| outcome.chances.get(&score.item).copied();
    let share = |share: Option<f64>| numbers.decimal(&points(share));
    let count = |votes: f64| numbers.decimal(&count(votes));
    let graded = !outcome.grades.is_empty();
    html! {
        div.scroll tabindex="0" role="region" aria-label=(told.numbers) {
            table {
                thead { tr {
                    th scope="col" { (told.item) } th scope="col" { (told.score) } th scope="col" { (told.interval) }
                    th scope="col" { (told.best) }
                    th scope="col" { (told.won) } th scope="col" { (told.lost) } th scope="col" { (told.equal) }
                    @if graded { th scope="col" { (told.much_better) } }
                } }
                tbody {
                    @for score in &ranked.ranking.items {
                        tr {
                            th scope="row" {
                                @if let Some(source) = thumbs.get(ranked.id(score.item)) { img.thumb src=(source) alt="" loading="lazy"; " " }
                                span dir="auto" { (plain(ranked.label(score.item))) }
                            }
                            td { (share(score.borda.estimate)) }
                            td { span dir="ltr" { (share(Some(score.borda.low))) " – " (share(Some(score.borda.high))) } }
                            td { (share(best(score))) }
                            td { (count(score.counts.left)) } td { (count(score.counts.right)) } td { (count(score.counts.tie)) }
                            @if graded { td { (share(much(outcome, ranked.id(score.item)))) } }
                        }
                    }
                }
            }
        }
        p.soft.small { (mark(told.intervals_are, &[in_english(told, &ranked.intervals())])) }
        @if graded { p.soft.small { (told.much_is) } }
        h3 { (told.every_pair) }
        @if ranked.ranking.items.len() <= PAIRS {
            p.soft { (told.pairs_are) }
            div.scroll tabindex="0" role="region" aria-label=(told.shares) { (matrix(ranked, thumbs)) }
        } @else {
            p.soft { (fill(told.in_report, &[&PAIRS])) }
        }
    }
}

fn growth(outcome: &Outcome, eyes: Eyes) -> Markup {
    if outcome.growth.len() < 2 {
        return html! {};
    }
    let told = eyes.told();
    let minutes = outcome.growth.last().map_or(0.0, |point| point.0);
    let (unit, x) = match minutes {
        m if m < 180.0 => (1.0, told.since_minutes),
        m if m < 4_320.0 => (60.0, told.since_hours),
        _ => (1_440.0, told.since_days),
    };
    let points = outcome.growth.iter().map(|&(at, votes)| (at / unit, votes)).collect();
    let series = Series { label: String::new(), points, band: Vec::new(), style: Some(0), dots: false };
    let panel = Panel {
        title: String::new(),
        x: x.to_owned(),
        y: told.votes_axis.to_owned(),
        logarithmic: false,
        series: vec![series],
        note: String::new(),
    };
    let description = fill(told.in_all, &[&eyes.numbers().whole(outcome.votes as f64)]);
    let figure = Figure { panels: vec![panel], description };
    html! {
        h3 { (told.over_time) }
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
