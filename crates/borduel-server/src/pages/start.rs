//! The page before the first pair, and joining: nothing is stored until somebody starts.

use super::form::Form;
use super::layout::{Fault, Shown, go};
use super::markdown::description;
use super::visit::{KEPT, Visit, visit};
use super::words::fill;
use crate::api::voters::{admit, standing_of};
use crate::app::App;
use crate::body::{Asked, query};
use crate::limit::address;
use crate::problem::Problem;
use crate::proof_of_work::puzzle;
use crate::{cookie, links};
use axum::extract::{ConnectInfo, Path, State};
use axum::http::{HeaderMap, StatusCode};
use borduel_report::plain;
use borduel_study::command::Join;
use borduel_study::event::{Kind, Standing, Status};
use borduel_study::settings::{Ask, Results, Voting};
use borduel_study::token::{self, Scope};
use borduel_study::{Command, Refusal, Reply, desk};
use maud::{Markup, html};
use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;

/// What a voter sends who starts.
#[derive(Default)]
struct Starting {
    name: String,
    agree: String,
    /// The solution of a puzzle.
    work: String,
    /// What is said to each question that has an answer.
    answers: BTreeMap<String, String>,
}

impl Starting {
    /// What a form says: answers have a name that nothing else begins with.
    fn of(mut fields: HashMap<String, String>) -> Self {
        let mut take = |name: &str| fields.remove(name).unwrap_or_default();
        let (name, agree, work) = (take("name"), take("agree"), take("work"));
        let answer = |(name, said): (String, String)| Some((name.strip_prefix(ANSWER)?.to_owned(), said));
        Self { name, agree, work, answers: fields.into_iter().filter_map(answer).collect() }
    }

    /// Whether a question of this study has none of its answers.
    fn lacks(&self, ask: &Ask) -> bool {
        self.answers.get(&ask.key).is_none_or(|said| ask.answer(said).is_none())
    }
}

/// What the names of answers begin with.
const ANSWER: &str = "about-";

/// Why somebody who wants to start sees the page again, with everything as it was filled in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trouble {
    Name,
    Agree,
    /// An answer is missing.
    Answers,
    /// Too many join at a time.
    Many,
    /// The proof of work is missing, or has ended.
    Work,
}

/// A head and a sentence.
pub(super) fn message(visit: &Visit, head: &str, text: &str, more: &Markup) -> Markup {
    html! {
        main.paper {
            p.soft dir="auto" { (plain(&visit.study.title)) }
            h1 { (head) }
            p.lead { (text) }
            (more)
        }
    }
}

/// The page before the first pair.
pub(super) async fn page(app: &App, visit: &Visit) -> Result<Markup, Fault> {
    let words = visit.words;
    if visit.says("started") && visit.voter.is_none() {
        // The browser was just given a cookie, and has come back without it.
        let again = html! { p { a.button.main href=(visit.to("", "")) { (words.try_again) } } };
        return Ok(message(visit, words.cookies, words.cookies_why, &again));
    }
    let none = html! {};
    match visit.sheet.status {
        Status::Draft => Ok(message(visit, words.not_open, words.not_open_more, &none)),
        Status::Paused => Ok(message(visit, words.paused, words.come_back, &none)),
        Status::Closed | Status::Archived => Ok(message(visit, words.ended, words.ended_more, &results_of(visit))),
        Status::Open => form(app, visit, &Starting::default(), None).await,
    }
}

/// The scripts of the page before the first pair.
pub(super) fn scripts(visit: &Visit) -> &'static [&'static str] {
    if visit.sheet.status == Status::Open && visit.wants_work() { &["work.js"] } else { &[] }
}

/// The way to the results, where everybody may see them.
pub(super) fn results_of(visit: &Visit) -> Markup {
    let public = visit.sheet.settings.results == Results::Public && visit.sheet.status != Status::Draft;
    html! { @if public { p { a.button href=(visit.to("/results", "")) { (visit.words.see_results) } } } }
}

/// About how many minutes it takes: a few seconds a pair, and what reading takes.
async fn minutes(visit: &Visit, pairs: u32) -> Result<u32, Fault> {
    let items = visit.desk.items().await?;
    let letters: usize = items.iter().map(|(_, _, content)| content.text.as_ref().map_or(0, String::len)).sum();
    // Two texts a pair, at 20 letters a second.
    let reading = letters as f64 / items.len().max(1) as f64 * 2.0 / 20.0;
    let asked = visit.sheet.settings.criteria.len().max(1) as f64;
    Ok((f64::from(pairs) * (6.0 * asked + reading) / 60.0).ceil() as u32)
}

async fn form(app: &App, visit: &Visit, filled: &Starting, trouble: Option<Trouble>) -> Result<Markup, Fault> {
    let (sheet, words) = (&visit.sheet, visit.words);
    let puzzle = if visit.wants_work() { Some(puzzle(&app.secret(visit.study.id).await?, desk::now())?) } else { None };
    let settings = &sheet.settings;
    let joined = sheet.seat.is_some();
    let wants_id = !settings.id_parameter.is_empty() && !joined;
    let pairs = sheet.seat.as_ref().map_or(sheet.reach, |seat| seat.goal);
    let minutes = minutes(visit, pairs).await?;
    let sent = visit.sent();
    let said = visit.id().map(|id| (settings.id_parameter.as_str(), id)).into_iter();
    let said = said.chain(sent.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    let say = serde_urlencoded::to_string(said.collect::<Vec<_>>()).unwrap_or_default();
    let wrong = |what: Trouble, text: &str| html! { @if trouble == Some(what) { p.wrong role="alert" { (text) } } };
    let nameless = trouble == Some(Trouble::Name);
    Ok(html! {
        main.paper {
            p.soft dir="auto" { (plain(&visit.study.title)) }
            h1 dir="auto" { (plain(&settings.question)) }
            @if !settings.description.is_empty() { div.words dir="auto" { (description(&settings.description)) } }
            @if !settings.criteria.is_empty() {
                ul { @for criterion in &settings.criteria { li dir="auto" { (plain(&criterion.question)) } } }
            }
            p.lead {
                @if settings.criteria.is_empty() { (words.two_at_a_time) " " }
                @if pairs == 1 { (words.one_pair) } @else { (fill(words.pairs, &[&pairs, &minutes])) }
            }
            @if wants_id && visit.id().is_none() { p.wrong { (words.no_id) } } @else {
                form.stack #start method="post" action=(visit.to("/start", &say))
                    data-again[trouble == Some(Trouble::Many)]
                    data-puzzle=[&puzzle] data-bits=(settings.proof_of_work) data-moment=(words.moment)
                    data-cookies=(words.cookies) data-cookies-why=(words.cookies_why) {
                    @if settings.voting == Voting::Named && !joined && !wants_id {
                        label {
                            (words.your_name)
                            input name="name" required maxlength="100" autocomplete="name" value=(filled.name)
                                autofocus[nameless] aria-invalid=[nameless.then_some("true")];
                        }
                        (wrong(Trouble::Name, words.name_missing))
                    }
                    @if sheet.wants_answers() {
                        @for ask in &settings.asks {
                            fieldset.ask {
                                legend dir="auto" { (plain(&ask.question)) }
                                @for choice in &ask.answers {
                                    label.check {
                                        input type="radio" name=(format!("{ANSWER}{}", ask.key)) value=(choice.text)
                                            required checked[filled.answers.get(&ask.key) == Some(&choice.text)];
                                        span dir="auto" { (plain(&choice.text)) }
                                    }
                                }
                                @if filled.lacks(ask) { (wrong(Trouble::Answers, words.answer_missing)) }
                            }
                        }
                    }
                    @if sheet.wants_consent() {
                        label.check {
                            input type="checkbox" name="agree" value="yes" required checked[filled.agree == "yes"];
                            span dir="auto" { (plain(&settings.consent)) }
                        }
                        (wrong(Trouble::Agree, words.agree_missing))
                    }
                    (wrong(Trouble::Many, words.many))
                    @if puzzle.is_some() {
                        input type="hidden" name="work";
                        p.wrong.scriptless { (words.work_needs_script) }
                        (wrong(Trouble::Work, words.work_again))
                    }
                    button.main type="submit" { (if joined { words.go_on } else { words.start }) }
                }
            }
            p.soft.small {
                @if !settings.id_parameter.is_empty() { (words.with_id) }
                @else if visit.named { (words.named) }
                @else { (words.anonymous) }
            }
        }
    })
}

async fn again(app: &App, visit: &Visit, filled: &Starting, trouble: Trouble) -> Shown {
    let status = match trouble {
        Trouble::Many => StatusCode::TOO_MANY_REQUESTS,
        Trouble::Work => StatusCode::PRECONDITION_REQUIRED,
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    };
    Ok(visit.page_as(status, "narrow", scripts(visit), &form(app, visit, filled, Some(trouble)).await?))
}

/// Joins, and asks the first questions.
pub(super) async fn start(
    State(app): State<App>,
    Path(slug): Path<String>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    how: Asked<HashMap<String, String>>,
    Form(fields): Form<HashMap<String, String>>,
) -> Shown {
    let starting = Starting::of(fields);
    let visit = visit(&app, &slug, &headers, how).await?;
    let agrees = starting.agree == "yes";
    let (voter, cookie) = if let Some(voter) = visit.voter {
        if visit.sheet.wants_consent() && !agrees {
            return again(&app, &visit, &starting, Trouble::Agree).await;
        }
        if visit.sheet.wants_answers() {
            if visit.sheet.settings.asks.iter().any(|ask| starting.lacks(ask)) {
                return again(&app, &visit, &starting, Trouble::Answers).await;
            }
            visit.desk.send(Command::Describe { voter, answers: starting.answers.clone() }).await?;
        }
        (voter, None)
    } else {
        let name = Some(starting.name.trim()).filter(|name| !name.is_empty() && name.chars().count() <= 100);
        let settings = &visit.sheet.settings;
        // Whether there is something to join comes first: what is hidden stays so.
        let kind = admit(&visit.desk, &slug, name.is_some() || visit.id().is_some(), agrees).await;
        if visit.sheet.status == Status::Open && settings.voting != Voting::Invited {
            if !settings.consent.is_empty() && !agrees {
                return again(&app, &visit, &starting, Trouble::Agree).await;
            }
            if settings.voting == Voting::Named && settings.id_parameter.is_empty() && name.is_none() {
                return again(&app, &visit, &starting, Trouble::Name).await;
            }
            if settings.asks.iter().any(|ask| starting.lacks(ask)) {
                return again(&app, &visit, &starting, Trouble::Answers).await;
            }
        }
        let kind = kind?;
        if visit.sheet.status != Status::Open {
            let archived = visit.sheet.status == Status::Archived;
            let status = if archived { StatusCode::GONE } else { StatusCode::CONFLICT };
            return Ok(visit.page_as(status, "narrow", &[], &page(&app, &visit).await?));
        }
        if app.limits.join(visit.study.id, address(peer.ip(), &headers, app.proxies).to_canonical()).is_err() {
            return again(&app, &visit, &starting, Trouble::Many).await;
        }
        if app.worked(visit.study.id, &visit.desk, &starting.work).await.is_err() {
            return again(&app, &visit, &starting, Trouble::Work).await;
        }
        let network = app.network(visit.study.id, peer.ip(), &headers).await?;
        let (voter, token) = match join(&app, &visit, kind, name, (network, &starting.answers)).await? {
            Ok(joined) => joined,
            Err(Elsewhere::Hasty) => return again(&app, &visit, &starting, Trouble::Many).await,
            Err(Elsewhere::Full) => {
                let words = (visit.words.network_full, visit.words.network_full_more);
                let full = message(&visit, words.0, words.1, &results_of(&visit));
                return Ok(visit.page_as(StatusCode::FORBIDDEN, "narrow", &[], &full));
            }
        };
        (voter, cookie::keep(&app, &slug, &token, visit.says("embed")))
    };
    if standing_of(&visit.desk, voter).await? != Standing::Active {
        return Ok(go(&visit.to("", "started"), cookie));
    }
    app.limits.vote(visit.study.id, voter, Scope::Voter)?;
    let asked = visit.desk.send(Command::Ask { voter, count: u32::MAX }).await?;
    let over = matches!(&asked, Reply::Questions(sitting) if sitting.done.is_some());
    Ok(go(&visit.to("", if over { "end" } else { "started" }), cookie))
}

/// Why nobody is let in from a network.
enum Elsewhere {
    /// It has brought as many as it may.
    Full,
    /// As many as may at a time have joined from it.
    Hasty,
}

/// Lets somebody in: its number and its token, unless too many have come from its network.
async fn join(
    app: &App,
    visit: &Visit,
    kind: Kind,
    name: Option<&str>,
    (network, answers): (u32, &BTreeMap<String, String>),
) -> Result<Result<(u32, String), Elsewhere>, Fault> {
    let wants_id = !visit.sheet.settings.id_parameter.is_empty();
    let (kind, name, (token, hash)) = match visit.id() {
        Some(id) => {
            let known = token::of_id(visit.desk.read(|state| state.seed).await?, id);
            // An id is one voter, wherever it is opened.
            if let Some(voter) = app.studies.voter(visit.study.id, &known.1).await? {
                return Ok(Ok((voter, known.0)));
            }
            (Kind::Named, Some(id), known)
        }
        None if wants_id => return Err(Problem::invalid(visit.words.no_id).into()),
        None => (kind, name, token::new(Scope::Voter)?),
    };
    let (name, attributes, sent) = (name.map(str::to_owned), answers.clone(), visit.sent());
    let per_minute = app.limits.joins_a_minute;
    let join = Join { name, network: Some(network), per_minute, attributes, sent, ..Join::new(kind, hash) };
    match visit.desk.send(Command::Join(join)).await {
        Ok(Reply::Joined { voter }) => Ok(Ok((voter, token))),
        Err(Refusal::NetworkFull) => Ok(Err(Elsewhere::Full)),
        Err(Refusal::NetworkHasty) => Ok(Err(Elsewhere::Hasty)),
        Err(refusal) => Err(refusal.into()),
        Ok(_) => Err(Problem::new("internal", "joining was answered with something else").into()),
    }
}

/// Has the browser forget who votes here, so that somebody else may; whether there is such a study or not.
pub(super) async fn leave(
    State(app): State<App>,
    Path(slug): Path<String>,
    how: Asked<HashMap<String, String>>,
) -> Shown {
    let how = query(how)?;
    let kept: Vec<&str> = KEPT.into_iter().filter(|kept| how.contains_key(*kept)).collect();
    let mark = if kept.is_empty() { "" } else { "?" };
    let to = format!("{}{mark}{}", links::vote(&slug), kept.join("&"));
    Ok(go(&to, cookie::forget(&app, &slug, how.contains_key("embed"))))
}
