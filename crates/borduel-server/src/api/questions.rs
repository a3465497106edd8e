//! Questions and answers.

use crate::api_result::ApiResult;
use crate::app::App;
use crate::auth::{Bearer, Who};
use crate::body::{Json, number};
use crate::links;
use crate::problem::{Problem, Problems};
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use borduel_study::command::{Finished, Sitting, Ticket};
use borduel_study::content::Content;
use borduel_study::event::{Grade, GradedAnswer};
use borduel_study::export::time;
use borduel_study::settings::Criterion;
use borduel_study::token::Scope;
use borduel_study::{Answer, Command, Desk, Reply};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use utoipa::ToSchema;

/// How many questions.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Asking {
    /// At most so many, the open ones first: people up to the study's `ahead`, judges up to 64.
    #[schema(minimum = 1, maximum = 64)]
    count: Option<u32>,
}

/// An item or a context as voters see it.
#[derive(Serialize, ToSchema)]
pub(crate) struct ShownContent {
    key: String,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<String>,
    /// The address of its picture on this server.
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<String>,
    /// What its picture shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    alt: Option<String>,
}

/// A pair that a voter is asked about.
#[derive(Serialize, ToSchema)]
pub(crate) struct QuestionView {
    /// Its number, to be answered with.
    q: u32,
    /// What both items are to be shown with, where there are contexts.
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<ShownContent>,
    /// The item to be shown on the left or on top.
    first: ShownContent,
    /// The item to be shown on the right or below.
    second: ShownContent,
    /// When it lapses; an answer still counts after that.
    expires_at: String,
}

/// A voter's questions and how far it has come.
#[derive(Serialize, ToSchema)]
pub(crate) struct SittingView {
    questions: Vec<QuestionView>,
    /// What is asked about each of these pairs, where that is more than one question: each wants its answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    criteria: Vec<Criterion>,
    /// Why there is nothing more: `goal`, `seen-all`, `screened-out` or `over-quota`. Nothing, and no question, is said
    /// to a judge that is asked about whole pairs (the setting `judge_price`) while none pays: it asks again later.
    #[serde(skip_serializing_if = "Option::is_none")]
    done: Option<&'static str>,
    /// How many answers the voter has given.
    answered: u32,
    /// Answers wanted; judges have no goal.
    #[serde(skip_serializing_if = "Option::is_none")]
    goal: Option<u32>,
}

fn shown(slug: &str, (key, content): (String, Arc<Content>)) -> ShownContent {
    let Content { title, text, link, image, alt } = (*content).clone();
    ShownContent { key, title, text, link, image: image.map(|hash| links::picture(slug, &hash)), alt }
}

async fn question(desk: &Desk, slug: &str, ticket: &Ticket) -> ApiResult<QuestionView> {
    let first = shown(slug, desk.shown(ticket.first, ticket.context).await?);
    let second = shown(slug, desk.shown(ticket.second, ticket.context).await?);
    let context = match ticket.context {
        Some(context) => Some(shown(slug, desk.context(context).await?)),
        None => None,
    };
    Ok(QuestionView { q: ticket.q, context, first, second, expires_at: time(ticket.expires) })
}

async fn sitting(desk: &Desk, slug: &str, sitting: Sitting) -> ApiResult<SittingView> {
    let mut questions = Vec::with_capacity(sitting.questions.len());
    for ticket in &sitting.questions {
        questions.push(question(desk, slug, ticket).await?);
    }
    let done = sitting.done.map(|done| match done {
        Finished::Goal => "goal",
        Finished::SeenAll => "seen-all",
        Finished::ScreenedOut => "screened-out",
        Finished::OverQuota => "over-quota",
    });
    let criteria = criteria(desk).await?;
    Ok(SittingView { questions, criteria, done, answered: sitting.answered, goal: sitting.goal })
}

/// What is asked about each pair, where that is more than one question.
async fn criteria(desk: &Desk) -> ApiResult<Vec<Criterion>> {
    Ok(desk.read(|state| state.settings.criteria.clone()).await?)
}

/// An answer to one of several questions about a pair.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CriterionAnswer {
    /// As for a single question.
    answer: Answer,
    /// How much better the better one is, where the study asks for it.
    grade: Option<Grade>,
}

/// What is said about a pair: by its one question, or by each of several, by their keys. The first of them, and the
/// others.
pub(crate) fn graded_answers(
    criteria: &[Criterion],
    one: (Option<Answer>, Option<Grade>),
    mut several: BTreeMap<String, CriterionAnswer>,
) -> ApiResult<(GradedAnswer, Vec<GradedAnswer>)> {
    let (answer, grade) = one;
    if criteria.is_empty() {
        if !several.is_empty() {
            return Err(Problem::invalid("answers: this study asks one question about each pair: send answer"));
        }
        let answer = answer.ok_or_else(|| Problem::invalid("answer is missing: send first, second, tie or another"))?;
        return Ok((GradedAnswer { answer, grade }, Vec::new()));
    }
    let keys = criteria.iter().map(|criterion| criterion.key.as_str()).collect::<Vec<_>>().join(", ");
    if answer.is_some() || grade.is_some() {
        let what = "this study asks several questions about each pair: send answers with";
        return Err(Problem::invalid(format!("{what} {keys}, and neither answer nor grade")));
    }
    let mut all = Vec::with_capacity(criteria.len());
    for Criterion { key, .. } in criteria {
        let CriterionAnswer { answer, grade } = several
            .remove(key)
            .ok_or_else(|| Problem::invalid(format!("answers.{key} is missing: each of {keys} wants its answer")))?;
        all.push(GradedAnswer { answer, grade });
    }
    if let Some((key, _)) = several.pop_first() {
        return Err(Problem::invalid(format!("answers: there is no question {key:?}; there are {keys}")));
    }
    Ok((all.remove(0), all))
}

fn other() -> Problem {
    Problem::new("internal", "a command was answered with something else")
}

/// Asks for questions: the open ones first.
#[utoipa::path(post, path = "/v1/studies/{slug}/questions", operation_id = "ask_questions",
    tag = "questions", request_body = Asking, params(("slug" = String, Path)),
    security(("voter" = []), ("judge" = [])),
    responses((status = 200, description = "Questions.", body = SittingView), Problems))]
pub(crate) async fn ask(
    State(app): State<App>,
    Path(slug): Path<String>,
    bearer: Bearer,
    Json(asking): Json<Asking>,
) -> ApiResult<axum::Json<SittingView>> {
    let (desk, voter, kind) = app.voter(&slug, bearer).await?;
    let count = asking.count.unwrap_or(if kind == Scope::Judge { 1 } else { u32::MAX });
    if asking.count.is_some_and(|count| !(1..=64).contains(&count)) {
        return Err(Problem::invalid(format!("count is {count}: it must be from 1 to 64")));
    }
    let Reply::Questions(questions) = desk.send(Command::Ask { voter, count }).await? else { return Err(other()) };
    Ok(axum::Json(sitting(&desk, &slug, questions).await?))
}

/// An answer to a question.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewAnswer {
    /// `first`, `second`, `tie`, `both-bad`, `skip`; of judges also `{"soft": r}` with r of [0, 1].
    answer: Option<Answer>,
    /// In the place of `answer` where several questions are asked about each pair: the answer to each, by its key.
    #[serde(default)]
    answers: BTreeMap<String, CriterionAnswer>,
    /// How long it took.
    #[schema(maximum = 86_400_000)]
    ms: Option<u32>,
    /// Whether the items stood above each other.
    #[serde(default)]
    stacked: bool,
    /// How much better the better one is, where the study asks for it.
    grade: Option<Grade>,
    /// What else is to be said, where the study allows it.
    #[schema(max_length = 2000)]
    comment: Option<String>,
}

/// An answer that was taken.
#[derive(Serialize, ToSchema)]
pub(crate) struct Taken {
    q: u32,
    /// Whether it had been taken before: it is counted once.
    repeated: bool,
    /// What is open now.
    next: Vec<QuestionView>,
    /// Why there is nothing more: `goal`, `seen-all`, `screened-out` or `over-quota`.
    #[serde(skip_serializing_if = "Option::is_none")]
    done: Option<&'static str>,
    /// How many answers the voter has given.
    answered: u32,
    /// Answers wanted; judges have no goal.
    #[serde(skip_serializing_if = "Option::is_none")]
    goal: Option<u32>,
}

fn check_ms(ms: Option<u32>) -> ApiResult<()> {
    match ms {
        Some(ms) if ms > 86_400_000 => Err(Problem::invalid(format!("ms is {ms}: it must be at most 86400000"))),
        _ => Ok(()),
    }
}

/// Answers a question. The same answer again is taken for the same; another one is refused.
#[utoipa::path(put, path = "/v1/studies/{slug}/questions/{q}/answer", operation_id = "answer_question",
    tag = "questions", request_body = NewAnswer,
    params(("slug" = String, Path), ("q" = u32, Path)), security(("voter" = []), ("judge" = [])),
    responses((status = 200, description = "It is stored.", body = Taken), Problems))]
pub(crate) async fn answer(
    State(app): State<App>,
    Path((slug, q)): Path<(String, String)>,
    bearer: Bearer,
    Json(new): Json<NewAnswer>,
) -> ApiResult<axum::Json<Taken>> {
    let (desk, voter, _) = app.voter(&slug, bearer).await?;
    let q = number(&q, "question")?;
    check_ms(new.ms)?;
    let NewAnswer { answer, answers, ms, stacked, grade, comment } = new;
    let (GradedAnswer { answer, grade }, other_criteria) =
        graded_answers(&criteria(&desk).await?, (answer, grade), answers)?;
    let command = Command::Answer { voter, q, answer, ms, stacked, grade, other_criteria, comment, more: true };
    let reply = desk.send(command).await?;
    let Reply::Answered { q, repeated, next } = reply else { return Err(other()) };
    if !repeated {
        app.requests.votes.increment(1);
    }
    let SittingView { questions, done, answered, goal, .. } = sitting(&desk, &slug, next).await?;
    Ok(axum::Json(Taken { q, repeated, next: questions, done, answered, goal }))
}

/// An answer that was taken back.
#[derive(Serialize, ToSchema)]
pub(crate) struct Undone {
    /// The same pair as a new question, if its voter can be asked.
    again: Option<QuestionView>,
}

/// Takes an answer back: a voter one of its last five, within ten minutes; the organiser any.
#[utoipa::path(delete, path = "/v1/studies/{slug}/questions/{q}/answer", operation_id = "undo_answer",
    tag = "questions",
    params(("slug" = String, Path), ("q" = u32, Path)), security(("voter" = []), ("organiser" = [])),
    responses((status = 200, description = "It was taken back.", body = Undone), Problems))]
pub(crate) async fn undo(
    State(app): State<App>,
    Path((slug, q)): Path<(String, String)>,
    headers: HeaderMap,
) -> ApiResult<axum::Json<Undone>> {
    let needed = "this needs the voter's or the organiser's token";
    let (study, who) = app.who(&slug, &headers).await?.ok_or_else(|| Problem::new("no-token", needed))?;
    let q = number(&q, "question")?;
    let voter = match who {
        Who::Organiser => None,
        Who::Voter(voter, kind) => {
            app.limits.vote(study, voter, kind)?;
            Some(voter)
        }
        Who::Viewer => return Err(Problem::new("not-yours", needed)),
    };
    let desk = app.studies.desk(study);
    let Reply::Undone { again } = desk.send(Command::Undo { q, voter }).await? else { return Err(other()) };
    let again = match &again {
        Some(ticket) => Some(question(&desk, &slug, ticket).await?),
        None => None,
    };
    Ok(axum::Json(Undone { again }))
}

/// One of many answers.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneAnswer {
    q: u32,
    /// As for a single one.
    answer: Option<Answer>,
    /// As for a single one.
    #[serde(default)]
    answers: BTreeMap<String, CriterionAnswer>,
    /// How long it took.
    #[schema(maximum = 86_400_000)]
    ms: Option<u32>,
    /// How much better the better one is, where the study asks for it.
    grade: Option<Grade>,
}

/// Answers to several questions.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewAnswers {
    #[schema(min_items = 1, max_items = 100)]
    answers: Vec<OneAnswer>,
}

/// What became of one of them.
#[derive(Serialize, ToSchema)]
pub(crate) struct AnswerResult {
    q: u32,
    /// Whether it is stored.
    stored: bool,
    /// Whether it had been stored before.
    repeated: bool,
    /// Why it is not stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<Problem>,
}

/// What became of them, in their order.
#[derive(Serialize, ToSchema)]
pub(crate) struct AnswerResults {
    answers: Vec<AnswerResult>,
}

/// Answers up to a hundred questions at once, for judges; each has its own fate.
#[utoipa::path(post, path = "/v1/studies/{slug}/answers", operation_id = "answer_questions",
    tag = "questions", request_body = NewAnswers, params(("slug" = String, Path)),
    security(("judge" = [])),
    responses((status = 200, description = "What became of them.", body = AnswerResults), Problems))]
pub(crate) async fn answers(
    State(app): State<App>,
    Path(slug): Path<String>,
    bearer: Bearer,
    Json(new): Json<NewAnswers>,
) -> ApiResult<axum::Json<AnswerResults>> {
    let (desk, voter, kind) = app.voter(&slug, bearer).await?;
    if kind != Scope::Judge {
        return Err(Problem::new("not-yours", "many answers at once are for judges"));
    }
    if !(1..=100).contains(&new.answers.len()) {
        return Err(Problem::invalid(format!("{} answers: send 1 to 100", new.answers.len())));
    }
    new.answers.iter().try_for_each(|one| check_ms(one.ms))?;
    let criteria = criteria(&desk).await?;
    let send = |one: OneAnswer| {
        let (desk, criteria) = (desk.clone(), &criteria);
        async move {
            let OneAnswer { q, answer, answers, ms, grade } = one;
            let (GradedAnswer { answer, grade }, other_criteria) =
                match graded_answers(criteria, (answer, grade), answers) {
                    Ok(said) => said,
                    Err(problem) => return (q, Err(problem)),
                };
            let (stacked, comment, more) = (false, None, false);
            let command = Command::Answer { voter, q, answer, ms, stacked, grade, other_criteria, comment, more };
            (q, desk.send(command).await.map_err(Problem::from))
        }
    };
    let all = futures_util::future::join_all(new.answers.into_iter().map(send)).await;
    let mut taken = Vec::with_capacity(all.len());
    for (q, reply) in all {
        taken.push(match reply {
            Ok(Reply::Answered { repeated, .. }) => AnswerResult { q, stored: true, repeated, problem: None },
            Ok(_) => return Err(other()),
            Err(problem) => AnswerResult { q, stored: false, repeated: false, problem: Some(problem) },
        });
    }
    let stored = taken.iter().filter(|one| one.stored && !one.repeated).count();
    app.requests.votes.increment(stored as u64);
    Ok(axum::Json(AnswerResults { answers: taken }))
}
