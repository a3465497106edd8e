//! Voting: the pairs, and what becomes of an answer. A GET changes nothing.

use super::form::Form;
use super::layout::{Fault, Shown, go};
use super::pair::{ANSWER, Look, pairs};
use super::sheet::{MORE, Seat, sheet};
use super::visit::{SHARED, Visit, visit};
use super::words::{Words, fill};
use super::{part, pass, start, thanks};
use crate::api::suggestions;
use crate::api::voters::{is_for_strangers, standing_of};
use crate::app::App;
use crate::body::Asked;
use crate::problem::Problem;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use borduel_report::plain;
use borduel_study::command::Finished;
use borduel_study::event::{Grade, GradedAnswer, Standing, Status};
use borduel_study::settings::Criterion;
use borduel_study::token::Scope;
use borduel_study::{Command, Desk, Error, Refusal, Reply};
use maud::{Markup, html};
use serde::Deserialize;
use std::collections::HashMap;
use std::time::Duration;

type How = Asked<HashMap<String, String>>;

/// The longest that an answer waits which comes too soon, in milliseconds.
const LONGEST: u64 = 20_000;

/// After how many seconds without a touch a ballot makes room for the next voter, on a device that many share.
const LEFT_ALONE: u32 = 180;

/// Shows the page before, the pairs, or the page after.
pub(super) async fn show(State(app): State<App>, Path(slug): Path<String>, headers: HeaderMap, how: How) -> Shown {
    let visit = visit(&app, &slug, &headers, how).await?;
    let (sheet, words) = (&visit.sheet, visit.words);
    if sheet.seat.is_none() && !is_for_strangers(sheet.status, sheet.settings.voting) {
        return Err(Error::NoStudy(slug).into());
    }
    let running = matches!(sheet.status, Status::Open | Status::Paused);
    let body = match &sheet.seat {
        Some(seat) if seat.standing == Standing::ScreenedOut => {
            let code = thanks::code(&visit.back(&app, &sheet.settings.screened_out).await?, words);
            start::message(&visit, words.screened, words.screened_more, &code)
        }
        Some(seat) if seat.standing == Standing::OverQuota => {
            let code = thanks::code(&visit.back(&app, &sheet.settings.over_quota).await?, words);
            start::message(&visit, words.over_quota, words.over_quota_more, &code)
        }
        Some(seat) if seat.standing != Standing::Active => {
            start::message(&visit, words.barred, words.barred_more, &html! {})
        }
        // There is more to come, later.
        Some(seat)
            if sheet.status == Status::Paused && seat.open.is_empty() && seat.answered > 0 && !seat.is_done() =>
        {
            let saved = html! { p { (thanks::saved(seat.answered, words)) } };
            start::message(&visit, words.paused, words.come_back, &saved)
        }
        // Whoever has finished sees the thanks, though some pairs are still open.
        Some(seat) if seat.answered > 0 && (!running || seat.is_done() || visit.says("end")) => {
            thanks::page(&app, &visit, seat).await?
        }
        Some(seat) if running && !seat.open.is_empty() => {
            let look = Look { slug: &slug, settings: &sheet.settings, words };
            let shown = pairs(&visit.desk, look, &seat.open).await?;
            let ballot = ballot(&visit, seat, &shown, &Where::Here(&visit));
            return Ok(visit.page("voting", &["vote.js"], &ballot));
        }
        _ => {
            let body = start::page(&app, &visit).await?;
            return Ok(visit.page("narrow", start::scripts(&visit), &body));
        }
    };
    Ok(visit.page("narrow", &[], &body))
}

/// What happens with the answers.
pub(super) async fn about(State(app): State<App>, Path(slug): Path<String>, headers: HeaderMap, how: How) -> Shown {
    let visit = visit(&app, &slug, &headers, how).await?;
    if visit.sheet.seat.is_none() && !is_for_strangers(visit.sheet.status, visit.sheet.settings.voting) {
        return Err(Error::NoStudy(slug).into());
    }
    Ok(visit.page("narrow", &[], &visit.about()))
}

/// Where answers go.
pub(super) enum Where<'a> {
    /// To the study.
    Here(&'a Visit),
    /// Nowhere: the next pair of a preview is at this address, with its number.
    Nowhere(&'a str, u32),
}

/// The pairs, with everything that can be answered.
pub(super) fn ballot(visit: &Visit, seat: &Seat, shown: &Markup, to: &Where<'_>) -> Markup {
    let (settings, words) = (&visit.sheet.settings, visit.words);
    let others = [
        (settings.tie, "tie", words.equal, "␣"),
        (settings.both_bad, "both-bad", words.both_bad, "↓"),
        (settings.skip, "skip", words.skip, "S"),
    ];
    let several = !settings.criteria.is_empty();
    let (method, action, preview) = match to {
        Where::Here(visit) => ("post", visit.to("/answer", ""), false),
        Where::Nowhere(address, _) => ("get", (*address).to_owned(), true),
    };
    let end = match to {
        Where::Here(visit) => visit.to("", "end"),
        Where::Nowhere(address, _) => format!("{address}?pair=end"),
    };
    let address = visit.to("", "");
    let (base, tail) = address.split_at(address.find('?').unwrap_or(address.len()));
    html! {
        main.ballot data-base=(base) data-tail=(tail)
            data-end=(end) data-preview[preview] data-grades[settings.grades] data-several[several]
            data-least=[(settings.least_seconds > 0.0).then_some(settings.least_seconds)] data-of=(words.of)
                data-offline=(words.offline) data-moment=(words.moment)
            data-not-undone=(words.not_undone) data-close=(words.close) {
            header.asked {
                p.soft.small dir="auto" { (plain(&visit.study.title)) }
                h1 dir="auto" { (plain(&settings.question)) }
            }
            form #ballot method=(method) action=(action) {
                input type="hidden" name="q" value=(seat.open[0].q);
                @if let Where::Nowhere(_, next) = to { input type="hidden" name="pair" value=(next); }
                div #pairs { (shown) }
                @if several {
                    div.others { button.main #next type="submit" { (words.go_on) " " kbd aria-hidden="true" { "⏎" } } }
                } @else { div.others {
                    @for (_, value, name, key) in others.iter().filter(|other| other.0) {
                        button type="submit" name="answer" value=(value) { (name) " " kbd aria-hidden="true" { (key) } }
                    }
                } }
            }
            footer.progress {
                @if preview { span {} } @else {
                    form #undo method="post" action=(visit.to("/undo", "")) {
                        button.quiet type="submit" disabled[seat.given.is_empty()] {
                            (words.undo)
                            " "
                            kbd aria-hidden="true" { "Z" }
                        }
                    }
                }
                div.far {
                    progress max=(seat.goal) value=(seat.answered) aria-label=(words.answers_given) {}
                    p.small { span #count { (fill(words.of, &[&seat.answered, &seat.goal])) } span #saved {} }
                }
                a.button.quiet #finish href=(end) hidden[seat.answered == 0 && !preview] { (words.finish) }
            }
            p.hide #said role="status" {}
            @if visit.says(SHARED) && !preview {
                @if let Some(next) = visit.next_voter(LEFT_ALONE) { div.next-voter { (next) } }
            }
        }
    }
}

/// What scripts are told after an answer: what is open now, and how far the voter is.
async fn news(app: &App, desk: &Desk, slug: &str, voter: u32, headers: &HeaderMap, done: Option<Finished>) -> Shown {
    let sheet = sheet(desk, Some(voter)).await?;
    let Some(seat) = &sheet.seat else { return Err(Problem::not_found("there is no such voter").into()) };
    let look = Look { slug, settings: &sheet.settings, words: Words::of(sheet.settings.language, headers) };
    let shown = pairs(&app.studies.desk(desk.study()), look, &seat.open).await?;
    let over =
        done.is_some() || seat.standing != Standing::Active || (seat.open.is_empty() && sheet.status != Status::Open);
    Ok(part::part(html! {
        div data-answered=(seat.answered) data-goal=(seat.goal) data-over[over] { (shown) }
    }))
}

/// The voter of this browser, counted against its rate.
async fn voter(app: &App, slug: &str, headers: &HeaderMap) -> Result<(Desk, u32), Fault> {
    voter_of(app, slug, headers, None).await
}

/// The same, or the voter whose pass comes with an answer: it may have waited while somebody else joined.
async fn voter_of(app: &App, slug: &str, headers: &HeaderMap, shown: Option<&str>) -> Result<(Desk, u32), Fault> {
    let found = match shown {
        Some(shown) => match app.study(slug).await? {
            Some(study) => pass::voter(&app.secret(study).await?, shown).map(|voter| (study, voter)),
            None => None,
        },
        None => app.page_voter(slug, headers).await?,
    };
    let (study, voter) =
        found.ok_or_else(|| Problem::new("no-token", "this browser has not joined the study: open its page again"))?;
    app.limits.vote(study, voter, Scope::Voter)?;
    Ok((app.studies.desk(study), voter))
}

/// An answer as a form has it: `answer`, or `answer.` and the key of each of several questions.
type Answers = HashMap<String, String>;

/// What is said of a pair: by its first question, and by the others.
fn graded_answers(given: &Answers, criteria: &[Criterion]) -> Result<(GradedAnswer, Vec<GradedAnswer>), Problem> {
    let of = |name: &str| {
        let word = given.get(name).ok_or_else(|| Problem::invalid(format!("{name} is missing: choose an answer")))?;
        read(word).ok_or_else(|| Problem::invalid(format!("the answer {word:?} is none")))
    };
    if criteria.is_empty() {
        return Ok((of("answer")?, Vec::new()));
    }
    let named = criteria.iter().map(|criterion| of(&format!("{ANSWER}{}", criterion.key)));
    let mut all = named.collect::<Result<Vec<_>, _>>()?;
    Ok((all.remove(0), all))
}

/// The answer that a button stands for: `first`, `tie`, and so on, or `much-first`, `slight-second`.
fn read(word: &str) -> Option<GradedAnswer> {
    let (grade, word) = match (word.strip_prefix("much-"), word.strip_prefix("slight-")) {
        (Some(side), _) => (Some(Grade::Much), side),
        (_, Some(side)) => (Some(Grade::Slight), side),
        _ => (None, word),
    };
    Some(GradedAnswer { answer: serde_json::from_value(word.into()).ok()?, grade })
}

/// Takes an answer.
pub(super) async fn answer(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    how: How,
    Form(given): Form<Answers>,
) -> Response {
    let part = part::wanted(&headers);
    let take = async {
        let (desk, voter) = voter_of(&app, &slug, &headers, given.get("pass").map(String::as_str)).await?;
        let criteria = desk.read(|state| state.settings.criteria.clone()).await?;
        let (GradedAnswer { answer, grade }, other_criteria) = graded_answers(&given, &criteria)?;
        let number = |name: &str| given.get(name).and_then(|number| number.parse::<u32>().ok());
        let q = number("q").ok_or_else(|| Problem::invalid("q is missing: it is the number of a question"))?;
        let ms = number("ms").filter(|&ms| ms <= 86_400_000);
        let stacked = given.get("stacked").is_some_and(|stacked| stacked == "true");
        let command =
            Command::Answer { voter, q, answer, ms, stacked, grade, other_criteria, comment: None, more: true };
        let mut reply = desk.send(command.clone()).await;
        // A page with a script holds its buttons for so long; without one the answer waits here.
        if let (Err(Refusal::Hasty { wait, .. }), false) = (&reply, part) {
            tokio::time::sleep(Duration::from_millis((*wait).min(LONGEST))).await;
            reply = desk.send(command).await;
        }
        // Whoever was sent away meanwhile is thanked, and not told that an answer was lost.
        if part && reply == Err(Refusal::Barred(voter)) && standing_of(&desk, voter).await? == Standing::ScreenedOut {
            return news(&app, &desk, &slug, voter, &headers, None).await;
        }
        let Reply::Answered { repeated, next, .. } = reply? else {
            return Err(Problem::new("internal", "an answer was answered with something else").into());
        };
        if !repeated {
            app.requests.votes.increment(1);
        }
        if part {
            return news(&app, &desk, &slug, voter, &headers, next.done).await;
        }
        let visit = visit(&app, &slug, &headers, how).await?;
        Ok(go(&visit.to("", if next.done.is_some() { "end" } else { "" }), None))
    };
    let shown = take.await;
    part::respond(part, shown)
}

/// Which answer is taken back, the last one unless it is said, and by whose pass.
#[derive(Deserialize)]
pub(super) struct Undoing {
    q: Option<u32>,
    pass: Option<String>,
}

/// Takes an answer back; its pair comes again.
pub(super) async fn undo(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    how: How,
    Form(undoing): Form<Undoing>,
) -> Response {
    let part = part::wanted(&headers);
    let take = async {
        let (desk, voter) = voter_of(&app, &slug, &headers, undoing.pass.as_deref()).await?;
        let last = sheet(&desk, Some(voter)).await?.seat.and_then(|seat| seat.given.first().map(|given| given.0.q));
        let q = undoing.q.or(last).ok_or_else(|| Problem::invalid("there is no answer to take back"))?;
        desk.send(Command::Undo { q, voter: Some(voter) }).await?;
        if part {
            return news(&app, &desk, &slug, voter, &headers, None).await;
        }
        Ok(go(&visit(&app, &slug, &headers, how).await?.to("", ""), None))
    };
    let shown = take.await;
    part::respond(part, shown)
}

/// Goes on: with what is still open, or with more than are wanted.
pub(super) async fn more(State(app): State<App>, Path(slug): Path<String>, headers: HeaderMap, how: How) -> Shown {
    let (desk, voter) = voter(&app, &slug, &headers).await?;
    let asked = desk.send(Command::More { voter, count: MORE }).await?;
    let over = matches!(&asked, Reply::Questions(sitting) if sitting.done.is_some());
    Ok(go(&visit(&app, &slug, &headers, how).await?.to("", if over { "end" } else { "" }), None))
}

/// What somebody has to say at the end.
#[derive(Deserialize)]
pub(super) struct Comment {
    text: String,
}

/// Keeps a comment.
pub(super) async fn comment(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    how: How,
    Form(comment): Form<Comment>,
) -> Shown {
    let (desk, voter) = voter(&app, &slug, &headers).await?;
    // Browsers send line ends as two characters.
    let text = comment.text.replace("\r\n", "\n");
    desk.send(Command::Comment { voter, text }).await?;
    Ok(go(&format!("{}#commented", visit(&app, &slug, &headers, how).await?.to("", "end")), None))
}

/// What somebody suggests as an item.
#[derive(Deserialize)]
pub(super) struct Suggested {
    title: String,
    #[serde(default)]
    text: String,
}

/// Keeps a suggestion.
pub(super) async fn suggest(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    how: How,
    Form(suggested): Form<Suggested>,
) -> Shown {
    let (desk, voter) = voter(&app, &slug, &headers).await?;
    suggestions::keep(&desk, voter, &suggested.title, &suggested.text.replace("\r\n", "\n")).await?;
    Ok(go(&format!("{}#suggested", visit(&app, &slug, &headers, how).await?.to("", "end")), None))
}
