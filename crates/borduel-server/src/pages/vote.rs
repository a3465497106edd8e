//! Voting: the page before, the pairs, and what becomes of an answer. A GET changes nothing.

use super::form::Form;
use super::layout::{Fault, Page, Shown, go};
use super::pair::pairs;
use super::sheet::{Seat, Sheet, sheet};
use super::{part, thanks};
use crate::api::voters::{admit, disagrees, is_for_strangers};
use crate::app::App;
use crate::body::{Asked, query};
use crate::limit::address;
use crate::problem::Problem;
use crate::{cookie, links};
use axum::extract::{ConnectInfo, Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use borduel_report::plain;
use borduel_study::command::{Finished, Join};
use borduel_study::event::{Kind, Status};
use borduel_study::ledger::Study;
use borduel_study::settings::Voting;
use borduel_study::token::{self, Scope};
use borduel_study::{Answer, Command, Desk, Error, Reply};
use maud::{Markup, html};
use serde::Deserialize;
use std::net::SocketAddr;

/// How the page is shown.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct How {
    /// Within another site's page.
    embed: Option<String>,
    /// There is nothing more to ask.
    end: Option<String>,
}

impl How {
    fn tail(&self) -> &'static str {
        if self.embed.is_some() { "?embed" } else { "" }
    }
}

/// Shows the page before, the pairs, or the page after.
pub(super) async fn show(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    how: Asked<How>,
) -> Shown {
    let how = query(how)?;
    let voter = app.page_voter(&slug, &headers).await?.map(|(_, voter)| voter);
    let study = app.studies.find(&slug).await?;
    let desk = app.studies.desk(study.id);
    let sheet = sheet(&desk, voter).await?;
    if sheet.seat.is_none() && !is_for_strangers(sheet.status, sheet.settings.voting) {
        return Err(Error::NoStudy(slug).into());
    }
    let running = matches!(sheet.status, Status::Open | Status::Paused);
    let (body, class): (Markup, &str) = match &sheet.seat {
        Some(seat) if !seat.active => {
            (message(&study, "You cannot vote here any more", "Ask whoever sent you the link."), "narrow")
        }
        Some(seat) if running && !seat.open.is_empty() => (ballot(&desk, &study, &sheet, seat, &how).await?, "voting"),
        Some(seat) if seat.answered > 0 && (!running || how.end.is_some() || seat.answered >= seat.goal) => {
            (thanks::page(&desk, &study, &sheet, seat, how.tail()).await?, "narrow")
        }
        _ => (before(&study, &sheet, &how), "narrow"),
    };
    let class = if how.embed.is_some() { format!("{class} embedded") } else { class.to_owned() };
    let scripts: &[&str] = if class.starts_with("voting") { &["vote.js"] } else { &[] };
    Ok(Page { title: &study.title, class: &class, scripts, embed: sheet.settings.embed }.show(&body))
}

fn message(study: &Study, head: &str, text: &str) -> Markup {
    html! {
        main.paper {
            p.soft { (plain(&study.title)) }
            h1 { (head) }
            p.lead { (text) }
        }
    }
}

/// The page before the first pair: nothing is stored until somebody starts.
fn before(study: &Study, sheet: &Sheet, how: &How) -> Markup {
    let settings = &sheet.settings;
    match sheet.status {
        Status::Draft => return message(study, "Not open yet", "This study has not begun. Come back later."),
        Status::Paused => return message(study, "Paused", "This study takes a rest. Come back later."),
        Status::Closed | Status::Archived => {
            return message(study, "Closed", "This study takes no more votes. Thank you.");
        }
        Status::Open => {}
    }
    let joined = sheet.seat.is_some();
    html! {
        main.paper {
            p.soft { (plain(&study.title)) }
            h1 { (plain(&settings.question)) }
            p.lead {
                "You will see two at a time: choose the one that answers it better. "
                (settings.questions_per_voter) " pairs are wanted; stop whenever you like, every answer counts."
            }
            form.stack method="post" action=(format!("{}/start{}", links::vote(&study.slug), how.tail())) {
                @if settings.voting == Voting::Named && !joined {
                    label { "Your name" input name="name" required maxlength="100" autocomplete="name"; }
                }
                @if sheet.wants_consent() {
                    label.check { input type="checkbox" name="agree" value="yes" required; span { (plain(&settings.consent)) } }
                }
                button.main type="submit" { (if joined { "Go on" } else { "Start" }) }
            }
            p.soft.small {
                @if settings.voting == Voting::Named { "Your name is kept with your answers. " } @else { "No name, no account. " }
                "One cookie remembers which pairs you have seen."
            }
        }
    }
}

/// The pairs, with everything that can be answered.
async fn ballot(desk: &Desk, study: &Study, sheet: &Sheet, seat: &Seat, how: &How) -> Result<Markup, Fault> {
    let settings = &sheet.settings;
    let base = links::vote(&study.slug);
    let shown = pairs(desk, &study.slug, &seat.open, settings.markdown).await?;
    let others = [
        (settings.tie, "tie", "Equal", "space"),
        (settings.both_bad, "both-bad", "Both bad", "↓"),
        (settings.skip, "skip", "Skip", "S"),
    ];
    Ok(html! {
        main.ballot data-base=(base) data-tail=(how.tail()) {
            header.asked {
                p.soft.small { (plain(&study.title)) }
                h1 { (plain(&settings.question)) }
            }
            form #ballot method="post" action=(format!("{base}/answer{}", how.tail())) {
                input type="hidden" name="q" value=(seat.open[0].q);
                div #pairs { (shown) }
                div.others {
                    @for (_, value, name, key) in others.iter().filter(|other| other.0) {
                        button type="submit" name="answer" value=(value) { (name) " " kbd aria-hidden="true" { (key) } }
                    }
                }
            }
            footer.progress {
                form #undo method="post" action=(format!("{base}/undo{}", how.tail())) {
                    button.quiet type="submit" disabled[seat.given.is_empty()] { "Undo " kbd aria-hidden="true" { "Z" } }
                }
                div.far {
                    progress max=(seat.goal) value=(seat.answered) aria-label="Answers given" {}
                    p.small { span #count { (seat.answered) " of " (seat.goal) } " · stop whenever you like" }
                }
                p.small #saved { "saved" }
            }
            p.hide #said role="status" {}
        }
    })
}

/// What scripts are told after an answer: what is open now, and how far the voter is.
async fn news(desk: &Desk, slug: &str, voter: u32, done: Option<Finished>) -> Shown {
    let sheet = sheet(desk, Some(voter)).await?;
    let Some(seat) = &sheet.seat else { return Err(Problem::not_found("there is no such voter").into()) };
    let shown = pairs(desk, slug, &seat.open, sheet.settings.markdown).await?;
    let over = done.is_some() || (seat.open.is_empty() && sheet.status != Status::Open);
    Ok(part::part(html! {
        div data-answered=(seat.answered) data-goal=(seat.goal) data-over[over] { (shown) }
    }))
}

/// Who starts.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Starting {
    name: String,
    agree: String,
}

impl Starting {
    fn agrees(&self) -> bool {
        self.agree == "yes"
    }
}

/// Joins, and asks the first questions.
pub(super) async fn start(
    State(app): State<App>,
    Path(slug): Path<String>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    how: Asked<How>,
    Form(starting): Form<Starting>,
) -> Shown {
    let how = query(how)?;
    let (study, voter, cookie) = if let Some((study, voter)) = app.page_voter(&slug, &headers).await? {
        if sheet(&app.studies.desk(study), Some(voter)).await?.wants_consent() && !starting.agrees() {
            return Err(disagrees().into());
        }
        (study, voter, None)
    } else {
        let study = app.studies.id(&slug).await?;
        let desk = app.studies.desk(study);
        let name = Some(starting.name.trim()).filter(|name| !name.is_empty() && name.chars().count() <= 100);
        let kind = admit(&desk, &slug, name.is_some(), starting.agrees()).await?;
        app.limits.join(study, address(peer.ip(), &headers, app.proxies).to_canonical())?;
        let (voter, token) = join(&desk, kind, name).await?;
        (study, voter, cookie::keep(&app, &slug, &token, how.embed.is_some()))
    };
    let desk = app.studies.desk(study);
    app.limits.vote(study, voter, Scope::Voter)?;
    let asked = desk.send(Command::Ask { voter, count: u32::MAX }).await?;
    let over = matches!(&asked, Reply::Questions(sitting) if sitting.done.is_some());
    Ok(go(&after(&slug, &how, over), cookie))
}

/// Lets somebody in: its number and its token.
async fn join(desk: &Desk, kind: Kind, name: Option<&str>) -> Result<(u32, String), Fault> {
    let (token, hash) = token::new(Scope::Voter)?;
    let join = Join { kind, owns: Vec::new(), token: hash, name: name.map(str::to_owned), expires: None };
    match desk.send(Command::Join(join)).await? {
        Reply::Joined { voter } => Ok((voter, token)),
        _ => Err(Problem::new("internal", "joining was answered with something else").into()),
    }
}

fn after(slug: &str, how: &How, over: bool) -> String {
    let tail = match (over, how.embed.is_some()) {
        (true, true) => "?end&embed",
        (true, false) => "?end",
        (false, _) => how.tail(),
    };
    format!("{}{tail}", links::vote(slug))
}

/// The voter of this browser, counted against its rate.
async fn voter(app: &App, slug: &str, headers: &HeaderMap) -> Result<(Desk, u32), Fault> {
    let (study, voter) = app
        .page_voter(slug, headers)
        .await?
        .ok_or_else(|| Problem::new("no-token", "this browser has not joined the study: open its page again"))?;
    app.limits.vote(study, voter, Scope::Voter)?;
    Ok((app.studies.desk(study), voter))
}

/// An answer as a form has it.
#[derive(Deserialize)]
pub(super) struct Given {
    q: u32,
    answer: String,
    ms: Option<u32>,
    #[serde(default)]
    stacked: bool,
}

/// Takes an answer.
pub(super) async fn answer(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    how: Asked<How>,
    Form(given): Form<Given>,
) -> Response {
    let part = part::wanted(&headers);
    let take = async {
        let how = query(how)?;
        let (desk, voter) = voter(&app, &slug, &headers).await?;
        let word = serde_json::Value::String(given.answer.clone());
        let answer: Answer = serde_json::from_value(word)
            .map_err(|_| Problem::invalid(format!("the answer {:?} is none", given.answer)))?;
        let (q, ms, stacked) = (given.q, given.ms.filter(|&ms| ms <= 86_400_000), given.stacked);
        let command = Command::Answer { voter, q, answer, ms, stacked, comment: None, more: true };
        let Reply::Answered { repeated, next, .. } = desk.send(command).await? else {
            return Err(Problem::new("internal", "an answer was answered with something else").into());
        };
        if !repeated {
            app.requests.votes.increment(1);
        }
        if part {
            news(&desk, &slug, voter, next.done).await
        } else {
            Ok(go(&after(&slug, &how, next.done.is_some()), None))
        }
    };
    let shown = take.await;
    part::respond(part, shown)
}

/// Which answer is taken back; the last one unless it is said.
#[derive(Deserialize)]
pub(super) struct Undoing {
    q: Option<u32>,
}

/// Takes an answer back; its pair comes again.
pub(super) async fn undo(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    how: Asked<How>,
    Form(undoing): Form<Undoing>,
) -> Response {
    let part = part::wanted(&headers);
    let take = async {
        let how = query(how)?;
        let (desk, voter) = voter(&app, &slug, &headers).await?;
        let last = sheet(&desk, Some(voter)).await?.seat.and_then(|seat| seat.given.first().map(|given| given.0.q));
        let q = undoing.q.or(last).ok_or_else(|| Problem::invalid("there is no answer to take back"))?;
        desk.send(Command::Undo { q, voter: Some(voter) }).await?;
        if part { news(&desk, &slug, voter, None).await } else { Ok(go(&after(&slug, &how, false), None)) }
    };
    let shown = take.await;
    part::respond(part, shown)
}

/// What somebody has to say in the end.
#[derive(Deserialize)]
pub(super) struct Comment {
    text: String,
}

/// Keeps a comment.
pub(super) async fn comment(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    how: Asked<How>,
    Form(comment): Form<Comment>,
) -> Shown {
    let how = query(how)?;
    let (desk, voter) = voter(&app, &slug, &headers).await?;
    // Browsers send line ends as two characters.
    let text = comment.text.replace("\r\n", "\n");
    desk.send(Command::Comment { voter, text }).await?;
    Ok(go(&format!("{}#commented", after(&slug, &how, true)), None))
}
