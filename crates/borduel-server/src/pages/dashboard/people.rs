//! Voters on the organiser's page: how they vote, who stands out, and what setting one aside would change.

use super::super::layout::{Fault, Shown};
use super::asks;
use super::log::told_of;
use super::{Query, Room, told};
use crate::app::App;
use crate::body::{Asked, number, query};
use crate::links;
use crate::problem::Problem;
use axum::extract::{Path, State};
use borduel_rank::sequential::Goal;
use borduel_report::verdict::Statement;
use borduel_report::{plain, sequential};
use borduel_study::State as Study;
use borduel_study::event::{Kind, Standing};
use borduel_study::standing::{Evidence, Quality, look_level, quality};
use borduel_study::state::{GoldRecord, Phase, Question};
use maud::{Markup, html};
use std::collections::HashMap;

/// How many voters are listed, those who stand out first; the first of them at once, the others on demand.
const LISTED: usize = 100;
const FIRST: usize = 8;
/// So many standard deviations happen by chance once in a thousand times.
const FAR: f64 = 3.3;
/// Nobody reads two items and decides in less, again and again.
const FAST: u32 = 500;

/// What is odd about a voter, in words; it may fail so many gold pairs.
fn odd(quality: &Quality, may_fail: u32) -> Vec<String> {
    let away = |share: f64| (2.0 * share - 1.0) * f64::from(quality.votes).sqrt();
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let mut found = Vec::new();
    if let Some(share) = quality.first_share.filter(|&share| away(share).abs() > FAR) {
        found.push(format!("one side: {} of the first", percent(share)));
    }
    if let Some(share) = quality.agreement.filter(|&share| away(share) < -FAR) {
        found.push(format!("against the others: agrees in {}", percent(share)));
    }
    if let Some(ms) = quality.median_ms.filter(|&ms| ms < FAST && quality.votes >= 5) {
        found.push(format!("very fast: {:.1} s", f64::from(ms) / 1000.0));
    }
    let (same, asked) = quality.rechecks;
    if asked >= 5 && 2 * same < asked {
        found.push(format!("unsteady: {same} of {asked} the same again"));
    }
    let GoldRecord { answered, failed } = quality.gold;
    if failed > may_fail {
        found.push(format!("failed {failed} of {answered} gold pairs"));
    }
    found
}

/// Shows the tab of voters.
pub(super) async fn show(State(app): State<App>, room: Room, said: Asked<Query>) -> Shown {
    let said = query(said)?;
    let body =
        html! { (told(said.done.is_some(), "Saved.")) (room.questions("/voters")) (section(&app, &room).await?) };
    Ok(room.page("/voters", &[], &body))
}

async fn section(app: &App, room: &Room) -> Result<Markup, Fault> {
    let desk = &room.desk;
    let state = desk.copy().await?.by(room.criterion);
    let names: HashMap<u32, String> = app.studies.ledger().names(desk.study()).await?.into_iter().collect();
    let notes = app.studies.ledger().notes(desk.study()).await?;
    let (found, state) = app.computer.run(move || (quality(&state), state)).await?;
    let mut all: Vec<(Quality, Vec<String>)> = found
        .into_iter()
        .map(|quality| {
            let odd = odd(&quality, state.settings.gold.may_fail);
            (quality, odd)
        })
        .collect();
    all.sort_by_key(|(quality, odd)| (std::cmp::Reverse(odd.len()), std::cmp::Reverse(quality.votes), quality.voter));
    let suspicious = all.iter().filter(|(_, odd)| !odd.is_empty()).count();
    Ok(html! {
        section #voters data-fresh {
            h2 { "Voters" }
            @if all.is_empty() { p.soft { "Nobody has voted yet." } } @else {
                p.soft {
                    (all.len())
                    " have voted, "
                    (suspicious)
                    (if suspicious == 1 { " stands out" } else { " stand out" })
                    ". Whoever stands out may have good reasons: see what changes before you decide not to count \
                     somebody."
                }
                (table(&all[..all.len().min(FIRST)], "Voters", &names, &state, room))
                @if all.iter().any(|(quality, _)| !names.contains_key(&quality.voter)) {
                    p.soft.small {
                        "Voters without a name have the number by which the files know them; the first is #0."
                    }
                }
                @if all.len() > FIRST {
                    details {
                        summary { "More voters" }
                        (table(&all[FIRST..all.len().min(LISTED)], "More voters", &names, &state, room))
                        @if all.len() > LISTED {
                            p.soft.small { "The first " (LISTED) ", those who stand out before those who vote most." }
                        }
                    }
                }
            }
            (asks::counts(&state))
            @if !notes.is_empty() {
                h3 { "Comments" }
                ul.comments {
                    @for (q, text) in notes.iter().rev().take(LISTED) {
                        @let voter = state.questions.get(*q as usize).map_or(0, |question| question.voter);
                        li { span.soft { (called(voter, &names)) ": " } (text) }
                    }
                }
            }
        }
    })
}

fn table(
    voters: &[(Quality, Vec<String>)],
    what: &str,
    names: &HashMap<u32, String>,
    state: &Study,
    room: &Room,
) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(what) {
            table {
                thead { tr {
                    th scope="col" { "Voter" } th scope="col" { "Votes" } th.words scope="col" { "Stands out" }
                    th scope="col" { "Agrees" } th scope="col" { "Seconds" } th scope="col" { "First side" }
                } }
                tbody { @for (quality, odd) in voters { (row(quality, odd, names, state, room)) } }
            }
        }
    }
}

/// What a voter is called: by its name, or by the number under which files and programs know it. That one begins with
/// 0, and another one here would be somebody else there.
fn called(voter: u32, names: &HashMap<u32, String>) -> String {
    names.get(&voter).map_or_else(|| format!("Voter #{voter}"), |name| plain(name).into_owned())
}

fn row(quality: &Quality, odd: &[String], names: &HashMap<u32, String>, state: &Study, room: &Room) -> Markup {
    let percent = |share: Option<f64>| share.map_or_else(|| "–".to_owned(), |share| format!("{:.0} %", 100.0 * share));
    let known = state.voters.get(quality.voter as usize);
    let (aside, hint) =
        (known.is_some_and(|voter| voter.excluded), known.is_some_and(|voter| voter.kind == Kind::Hint));
    html! {
        tr.off[aside] {
            th scope="row" {
                a href=(format!("{}/voters/{}{}", links::admin(room.slug()), quality.voter, room.which())) {
                    (called(quality.voter, names))
                }
                @if hint { " " span.badge { "hints" } } @else if aside { " " span.badge { "not counted" } }
            }
            td { (quality.votes) }
            td.words { @if odd.is_empty() { "–" } @else { (odd.join("; ")) } }
            td { (percent(quality.agreement)) }
            td { (quality.median_ms.map_or_else(|| "–".to_owned(), |ms| format!("{:.1}", f64::from(ms) / 1000.0))) }
            td { (percent(quality.first_share)) }
        }
    }
}

/// One voter: what the study says with and without its votes.
pub(super) async fn one(State(app): State<App>, room: Room, Path((slug, voter)): Path<(String, String)>) -> Shown {
    let desk = &room.desk;
    let voter = number(&voter, "voter")?;
    let state = desk.copy().await?.by(room.criterion);
    let Some(known) = state.voters.get(voter as usize).cloned() else {
        return Err(Problem::not_found(format!("there is no voter {voter}")).into());
    };
    let keys = state.attribute_keys().into_iter();
    let said = keys.filter_map(|key| Some(format!("{key}: {}", plain(state.attribute(&known, key)?))));
    let said: Vec<String> = said.collect();
    let person = app.studies.ledger().person(desk.study(), voter).await?;
    let sent =
        person.into_iter().flat_map(|person| person.sent).map(|(name, value)| format!("{name}: {}", plain(&value)));
    let said: Vec<String> = said.into_iter().chain(sent).collect();
    let gold = state.gold_record(&known, &state.gold_answers());
    let titles: Vec<String> = desk.items().await?.iter().map(|(_, _, content)| content.title.clone()).collect();
    let names: HashMap<u32, String> = app.studies.ledger().names(desk.study()).await?.into_iter().collect();
    let titles_shown: Vec<String> = titles.iter().map(|title| plain(title).into_owned()).collect();
    let answered = known.questions.iter().rev().map(|&q| state.questions[q as usize]);
    let given: Vec<Question> = answered.filter(|question| question.phase == Phase::Answered).take(ANSWERS).collect();
    let hint = known.kind == Kind::Hint;
    let compared = app.computer.run(move || {
        let said = |aside: bool| {
            let mut state = state.clone();
            let changed = &mut state.voters[voter as usize];
            match (hint, aside) {
                (true, true) => changed.standing = Standing::Blocked,
                (true, false) => changed.standing = Standing::Active,
                (false, aside) => changed.excluded = aside,
            }
            verdict(&state, &titles)
        };
        (said(false), said(true))
    });
    let (with, without) = compared.await?;
    let name = called(voter, &names);
    let acts: &[(&str, &str)] = match (known.excluded, known.standing) {
        (_, Standing::Withdrawn) => &[],
        (_, Standing::Active) if hint => &[("block", "Don’t use these hints")],
        _ if hint => &[("aside", "Use these hints again")],
        (true, Standing::Active) => &[("count", "Count these votes again")],
        (true, _) => &[("count", "Count these votes again, and let the voter go on")],
        (false, _) => &[("aside", "Don’t count these votes"), ("block", "Don’t count them, and take no more")],
    };
    let told = answers(&given, &titles_shown);
    Ok(room.page(
        "/voters",
        &[],
        &html! {
            section {
                p { a href=(format!("{}/voters{}", links::admin(&slug), room.which())) { "← All voters" } }
                (room.questions(&format!("/voters/{voter}")))
                h2 { (name) }
                p.lead {
                    (known.answered) " answers; "
                    @if hint { "hints, which guide what is asked and are never counted as votes." }
                    @else { "these votes " (if known.excluded { "are not counted" } else { "count" }) "." }
                }
                @if !said.is_empty() { p { (said.join("; ")) } }
                @if gold.answered > 0 { p { "Gold pairs: " (gold.failed) " of " (gold.answered) " failed." } }
                h3 { "With these " (if hint { "hints" } else { "votes" }) } p.verdict { (with) }
                h3 { "Without them" } p.verdict { (without) }
                @if with == without { p { "Nothing changes." } }
                form.row method="post" action=(format!("{}/voter", links::admin(&slug))) {
                    input type="hidden" name="voter" value=(voter);
                    @for (value, text) in acts { button type="submit" name="act" value=(value) { (text) } }
                }
                p.soft.small { "Whatever you do here is written into the study’s log, and can be undone." }
                @if !told.is_empty() {
                    details {
                        summary { "Latest answers" }
                        ul.plain.small { @for line in &told { li dir="auto" { (line) } } }
                    }
                }
            }
            @if known.standing != Standing::Withdrawn {
                section.zone {
                    h2 { "Danger zone" }
                    p.soft { "For people who want to be forgotten. This cannot be undone." }
                    form.row method="post" action=(format!("{}/voter", links::admin(&slug))) {
                        input type="hidden" name="voter" value=(voter);
                        @if !hint {
                            button.danger type="submit" name="act" value="erase" { "Erase the voter, keep the votes" }
                        }
                        button.danger type="submit" name="act" value="erase-all" { "Erase the voter and the votes" }
                    }
                }
            }
        },
    ))
}

/// How many answers of a voter are shown.
const ANSWERS: usize = 50;

/// The latest answers in words.
fn answers(given: &[Question], titles: &[String]) -> Vec<String> {
    let title = |item: u16| titles.get(usize::from(item)).cloned().unwrap_or_default();
    given.iter().map(|question| told_of(question, question.graded_answer(), &title)).collect()
}

/// What could be said of a study now, in one sentence.
fn verdict(state: &Study, titles: &[String]) -> String {
    let judged = Evidence::of(state).and_then(|evidence| {
        let name =
            |at: usize| plain(titles.get(usize::from(evidence.items[at])).map_or("", String::as_str)).into_owned();
        if let Some(judgement) = evidence.judge(&state.settings)? {
            return Ok(sequential::verdict_on(&judgement, &name, state.settings.contexts_are()));
        }
        // Where looks pay for each other: what the next one would say.
        let level = look_level(state.settings.level, state.judged.as_ref().map_or(0, |judged| judged.look + 1));
        let found = evidence.rank(&state.settings, level)?.0.verdict;
        let said = Statement {
            kind: found.kind,
            goal: Goal::Winner,
            winners: &found.winners,
            items: evidence.items.len(),
            score: None,
            margin: state.settings.margin,
            sure: &sequential::sure(state.settings.level),
            more: "",
            few_voters: found.few_voters,
            about: "",
        };
        Ok(said.text(&name))
    });
    judged.unwrap_or_else(|error| format!("Nothing can be said: {error}"))
}
