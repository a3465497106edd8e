//! Webhooks: what has happened in a study is told to an address of its organiser's, off the path of whoever votes.
//!
//! The log is the outbox. A study with a webhook has a row that says up to which event it was told; what follows is
//! read from the log, and what is worth telling is posted, one after the other. One server at a time has the row, for a
//! while that is longer than a message takes. What fails is tried again, later and later, whichever server does it. A
//! server that dies between a message and its row tells it again: every message has an id, by which who listens knows
//! it.

mod post;

use crate::app::App;
use crate::links;
use borduel_rank::ranking::VerdictKind;
use borduel_study::event::{Entry, Event, Millis, Status};
use borduel_study::export::time;
use borduel_study::hmac::hmac;
use borduel_study::ledger::{Hook, StudyId};
use borduel_study::{Error, Settings, State, desk, hex};
use post::{Poster, Target};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, watch};
use utoipa::ToSchema;

/// How often it is looked for something to tell.
const LOOK: Duration = Duration::from_secs(1);
/// How many studies are told about at a time.
const AT_ONCE: usize = 8;
/// How long a server has a webhook for itself: longer than looking up a name and posting a message can take.
const TAKEN: Millis = 120_000;
/// After so many failures a message is given up: about a day after the first.
const MOST_TRIES: u32 = 20;
/// The longest rest between two tries.
const LONGEST: Millis = 3 * 3_600_000;

/// What is known about a study's webhook.
#[derive(Serialize, ToSchema)]
pub(crate) struct Webhook {
    /// The key of its signatures.
    pub(crate) key: String,
    /// Why the last message was not taken, where it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) problem: Option<String>,
}

/// What is known about a study's webhook; nothing where there is none.
pub(crate) async fn view(app: &App, study: StudyId, settings: &Settings) -> Result<Option<Webhook>, Error> {
    if settings.webhook.is_empty() {
        return Ok(None);
    }
    let ledger = app.studies.ledger();
    Ok(Some(Webhook { key: key(&ledger.secret(study).await?), problem: ledger.hook_problem(study).await? }))
}

/// The key that messages of a study are signed with, for whoever listens.
fn key(secret: &hex::Hash) -> String {
    hex::text(&hmac(secret, &[b"webhook"]))
}

/// How long to rest after so many failures: 2, 4, 8 … seconds, three hours at most.
fn backoff(failures: u32) -> Millis {
    (1000 << failures.min(20)).min(LONGEST)
}

/// Tells whoever wants to know, until the server ends; then ends what was begun.
pub(crate) async fn run(app: App, private: bool, mut stopping: watch::Receiver<bool>) {
    let (poster, places) = (Arc::new(Poster::new(private)), Arc::new(Semaphore::new(AT_ONCE)));
    loop {
        tokio::select! {
            _ = stopping.wait_for(|stopping| *stopping) => break,
            () = tokio::time::sleep(LOOK) => {}
        }
        if let Err(error) = poll(&app, &poster, &places).await {
            tracing::warn!(%error, "it cannot be read what webhooks are to be told");
        }
    }
    // What is being told is finished, so that no other server has to wait until this one's time is over.
    let _ = places.acquire_many(AT_ONCE as u32).await;
}

/// Begins to tell the webhooks that nobody else tells.
async fn poll(app: &App, poster: &Arc<Poster>, places: &Arc<Semaphore>) -> Result<(), Error> {
    let ledger = app.studies.ledger();
    for hook in ledger.hooks(desk::now()).await? {
        let Ok(place) = places.clone().try_acquire_owned() else { break };
        if !ledger.take_hook(&hook, desk::now(), desk::now() + TAKEN).await? {
            continue;
        }
        let (app, poster) = (app.clone(), poster.clone());
        tokio::spawn(async move {
            let slug = hook.slug.clone();
            if let Err(error) = tell(&app, &poster, hook).await {
                tracing::warn!(study = %slug, %error, "a webhook could not be told");
            }
            drop(place);
        });
    }
    Ok(())
}

/// Tells a study's webhook what has happened since it was last told.
async fn tell(app: &App, poster: &Arc<Poster>, mut hook: Hook) -> Result<(), Error> {
    let (study, ledger) = (hook.study, app.studies.ledger());
    let state = app.studies.desk(study).copy().await?;
    let key = key(&ledger.secret(study).await?);
    loop {
        let entries = ledger.entries(study, hook.told).await?;
        if entries.is_empty() {
            return ledger.keep_hook(&hook, 0).await;
        }
        for entry in &entries {
            for (number, event) in (entry.first..).zip(entry.events()?) {
                let Some((news, said)) = news(&event, &state, &hook.verdict).filter(|_| number > hook.within) else {
                    continue;
                };
                let message = message(app, &hook, number, entry, news);
                match send(poster, &state.settings.webhook, &key, &message).await {
                    Ok(()) => hook.problem.clear(),
                    Err(why) => {
                        hook.tries += 1;
                        let given_up = hook.tries >= MOST_TRIES;
                        let (study, event) = (&hook.slug, number);
                        tracing::warn!(%study, event, %why, given_up, "a webhook did not take its message");
                        hook.problem = why;
                        if !given_up {
                            return ledger.keep_hook(&hook, desk::now() + backoff(hook.tries)).await;
                        }
                    }
                }
                (hook.within, hook.verdict, hook.tries) = (number, said, 0);
                ledger.keep_hook(&hook, desk::now() + TAKEN).await?;
            }
            hook.told = entry.last;
        }
        ledger.keep_hook(&hook, desk::now() + TAKEN).await?;
    }
}

/// What is worth telling about an event, and the verdict that was last told from then on.
fn news(event: &Event, state: &State, said: &str) -> Option<(Value, String)> {
    let key = |item: &u16| state.items.get(usize::from(*item)).map(|item| item.key.clone());
    match event {
        Event::Judged { kind, winners, votes, criterion, .. } if *kind != VerdictKind::NotEnough => {
            let by = state.settings.criteria.get(usize::from(*criterion));
            // Who may be just as good beside the first may change; that is the same verdict.
            let named = if *kind == VerdictKind::GoodEnough { &winners[..1.min(winners.len())] } else { &winners[..] };
            let told = json!([kind, named.iter().filter_map(key).collect::<Vec<_>>()]).to_string();
            let winners: Vec<String> = winners.iter().filter_map(key).collect();
            let mut news = json!({"event": "verdict", "verdict": {"kind": kind, "winners": winners, "votes": votes}});
            let Some(by) = by else { return (told != said).then_some((news, told)) };
            news["verdict"]["criterion"] = by.key.as_str().into();
            news["verdict"]["question"] = by.question.as_str().into();
            // Each of several questions has a verdict that was last told.
            let mut all: BTreeMap<String, String> = serde_json::from_str(said).unwrap_or_default();
            let new = all.insert(by.key.clone(), told.clone()).is_none_or(|before| before != told);
            new.then(|| (news, json!(all).to_string()))
        }
        Event::QuotaFull { key, answer } => {
            let quota = json!({"event": "quota-full", "quota": {"attribute": key, "answer": answer}});
            Some((quota, said.to_owned()))
        }
        Event::Status { status: Status::Closed } => Some((json!({"event": "closed"}), said.to_owned())),
        _ => None,
    }
}

/// The whole message about an event.
fn message(app: &App, hook: &Hook, number: u64, entry: &Entry, mut news: Value) -> Value {
    news["id"] = format!("{}-{number}", hook.slug).into();
    news["study"] = hook.slug.as_str().into();
    news["at"] = time(entry.at).into();
    news["link"] = format!("{}{}", app.public_url, links::admin(&hook.slug)).into();
    news
}

/// Posts a message with its signature: HMAC-SHA256 of the second, a point and the body.
async fn send(poster: &Arc<Poster>, to: &str, key: &str, message: &Value) -> Result<(), String> {
    let (body, second) = (message.to_string(), desk::now() / 1000);
    let signature = hmac(key.as_bytes(), &[second.to_string().as_bytes(), b".", body.as_bytes()]);
    let signed = format!("t={second},sha256={}", hex::text(&signature));
    let (target, poster) = (Target::of(to)?, poster.clone());
    let work = move || poster.post(&target, &signed, &body);
    tokio::task::spawn_blocking(work).await.map_err(|error| error.to_string())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rests_grow_and_end() {
        assert_eq!([1, 2, 3].map(backoff), [2_000, 4_000, 8_000]);
        assert_eq!(backoff(40), LONGEST);
        let all: Millis = (1..MOST_TRIES).map(backoff).sum();
        assert!(all > 20 * 3_600_000 && all < 30 * 3_600_000, "{all}");
    }
}
