//! What happened last: votes that may be taken back, and what was decided about the study.

use super::super::layout::{Fault, Shown};
use super::{Query, Room, told};
use crate::app::App;
use crate::body::{Asked, query};
use crate::links;
use axum::extract::State;
use borduel_rank::ranking::VerdictKind;
use borduel_report::plain;
use borduel_study::Answer;
use borduel_study::content::Content;
use borduel_study::event::{By, Event, Grade, GradedAnswer as Saying, Inclusion, Millis, Standing, Status};
use borduel_study::export::time;
use borduel_study::settings::Criterion;
use borduel_study::state::{Blocks, Context, Phase, Question};
use maud::{Markup, html};

/// How many votes are shown.
const VOTES: usize = 8;
/// How many of the last events are looked through, and how many of them are shown.
const SEARCHED: u64 = 3_000;
const SHOWN: usize = 20;

/// Shows the tab of the log.
pub(super) async fn show(State(app): State<App>, room: Room, said: Asked<Query>) -> Shown {
    let said = query(said)?;
    let body = html! { (told(said.done.is_some(), "The vote was undone.")) (section(&app, &room).await?) };
    Ok(room.page("/log", &[], &body))
}

async fn section(app: &App, room: &Room) -> Result<Markup, Fault> {
    let (desk, slug) = (&room.desk, room.slug());
    let items = desk.items().await?;
    let titles: Vec<String> = items.iter().map(|(_, _, content)| plain(&content.title).into_owned()).collect();
    let picture = |content: &Content| Some(links::picture(slug, content.image.as_ref()?));
    let pictures: Vec<Option<String>> = items.iter().map(|(_, _, content)| picture(content)).collect();
    let title = |item: u16| titles.get(usize::from(item)).cloned().unwrap_or_default();
    let last = |state: &borduel_study::State| {
        let mut answered: Vec<u32> = (0..state.questions.len() as u32)
            .filter(|&q| state.questions[q as usize].phase == Phase::Answered)
            .collect();
        answered.sort_by_key(|&q| std::cmp::Reverse((state.questions[q as usize].second_at, q)));
        let vote = |q: u32| (q, state.questions[q as usize], state.graded_answers(q));
        let votes: Vec<_> = answered.into_iter().take(VOTES).map(vote).collect();
        (votes, state.head, state.contexts.clone())
    };
    let (votes, head, contexts) = desk.read(last).await?;
    let criteria = &room.settings.criteria;
    let told = |question: &Question, all: &[Saying]| match all {
        [one] => told_of(question, *one, &title),
        several => {
            let told = |(criterion, said): (&Criterion, &Saying)| {
                format!("{}: {}", criterion.key, told_of(question, *said, &title))
            };
            criteria.iter().zip(several).map(told).collect::<Vec<_>>().join("; ")
        }
    };
    let mut decided: Vec<(Millis, String)> = Vec::new();
    for entry in app.studies.ledger().entries(desk.study(), head.saturating_sub(SEARCHED)).await? {
        let events = entry.events()?;
        decided.extend(events.iter().filter_map(|event| Some((entry.at, words(event, &title, &contexts, criteria)?))));
    }
    // Look after look finds the same: told is when it was first found.
    decided.dedup_by(|next, first| same(&next.1, &first.1));
    Ok(html! {
        section #recent data-fresh {
            h2 { "Latest votes" }
            @if votes.is_empty() { p.soft { "None yet." } } @else {
                ul.plain {
                    @for (q, question, said) in &votes {
                        li.line {
                            span {
                                @for item in [question.first, question.second] {
                                    @if let Some(Some(source)) = pictures.get(usize::from(item)) {
                                        img.thumb src=(source) alt="" loading="lazy";
                                        " "
                                    }
                                }
                                span.soft { "Voter #" (question.voter) ": " } (told(question, said))
                            }
                            form method="post" action=(format!("{}/undo", links::admin(slug))) {
                                input type="hidden" name="q" value=(q);
                                button.quiet type="submit" { "Undo this vote" span.hide { " " (q) } }
                            }
                        }
                    }
                }
            }
            @if !decided.is_empty() {
                h2 { "What was decided" }
                ul.plain.small {
                    @for (at, words) in decided.iter().rev().take(SHOWN) {
                        li { span.soft { (time(*at)[..16].replace('T', " ")) " " } (words) }
                    }
                }
                p.soft.small { "Of the last " (SEARCHED) " events, in UTC; the whole log is among the files." }
            }
        }
    })
}

/// Whether two decisions differ only in the number of votes.
fn same(one: &str, two: &str) -> bool {
    let parts = |text: &str| {
        text.split_once(" at ")
            .map(|(kind, rest)| (kind.to_owned(), rest.split_once(": ").map(|(_, who)| who.to_owned())))
    };
    parts(one).is_some() && parts(one) == parts(two)
}

/// An answer in words; what is not counted since its pair is gold says so.
pub(super) fn told_of(question: &Question, saying: Saying, title: &impl Fn(u16) -> String) -> String {
    let said = answer_in_words(saying.answer, &title(question.first), &title(question.second));
    let how = match saying.grade {
        Some(Grade::Much) => ", much better",
        Some(Grade::Slight) => ", slightly better",
        None => "",
    };
    format!("{said}{how}{}", if question.source.is_gold() { " (gold pair)" } else { "" })
}

fn answer_in_words(answer: Answer, first: &str, second: &str) -> String {
    match answer {
        Answer::First => format!("{first} rather than {second}"),
        Answer::Second => format!("{second} rather than {first}"),
        Answer::Tie => format!("{first} and {second} equal"),
        Answer::BothBad => format!("neither {first} nor {second}"),
        Answer::Skip => format!("{first} or {second} skipped"),
        Answer::Soft(r) => format!("{first} with {:.0} % against {second}", 100.0 * r),
    }
}

/// A decision in words; votes and plans are none.
fn words(
    event: &Event,
    title: &impl Fn(u16) -> String,
    contexts: &Blocks<Context>,
    criteria: &[Criterion],
) -> Option<String> {
    let place = |context: u16| {
        let key = contexts.get(usize::from(context)).map_or("", |context| &context.key);
        format!("The context {}", plain(key))
    };
    Some(match event {
        Event::Created { .. } => "The study was made".to_owned(),
        Event::Set { .. } => "Settings were changed".to_owned(),
        Event::Status { status } => match status {
            Status::Draft => "Draft".to_owned(),
            Status::Open => "Opened".to_owned(),
            Status::Paused => "Paused".to_owned(),
            Status::Closed => "Closed".to_owned(),
            Status::Archived => "Archived".to_owned(),
        },
        Event::ItemAdded { item, .. } => format!("{} was added", title(*item)),
        Event::ItemEdited { item, .. } => format!("{} was corrected", title(*item)),
        Event::ItemEnabled { item, on } => {
            format!("{} {}", title(*item), if *on { "is shown again" } else { "is hidden" })
        }
        Event::ContextAdded { key, .. } => format!("The context {} was added", plain(key)),
        Event::ContextEdited { context, .. } => format!("{} was corrected", place(*context)),
        Event::ContextEnabled { context, on } => {
            format!("{} {}", place(*context), if *on { "is asked in again" } else { "is not asked in any more" })
        }
        Event::VoterState { voter, state, votes } => {
            let standing = match state {
                Standing::Active => "may vote",
                Standing::Blocked => "may not vote",
                Standing::Withdrawn => "was erased",
                Standing::ScreenedOut => "was sent away",
                Standing::OverQuota => "came when there were enough",
            };
            let counted = if *votes == Inclusion::Aside { "not counted" } else { "counted" };
            format!("Voter #{voter} {standing}, votes {counted}")
        }
        Event::Retracted { q, by } => {
            format!("Vote {q} was undone by {}", if *by == By::Voter { "its voter" } else { "the organiser" })
        }
        Event::Judged { votes, kind, winners, criterion, .. } => {
            let (what, winners) = match kind {
                VerdictKind::NotEnough => return None,
                VerdictKind::ClearWinner => ("Clear winner", &winners[..]),
                VerdictKind::GoodEnough => ("Good enough", &winners[..1.min(winners.len())]),
                VerdictKind::Tie => ("Tie", &winners[..]),
            };
            let by = criteria.get(usize::from(*criterion)).map_or_else(String::new, |by| format!("{}, ", by.key));
            format!("{by}{what} at {votes} votes: {}", names(winners, title))
        }
        Event::Suggested { voter, .. } => format!("Voter #{voter} suggested an item"),
        Event::Weighed { item: Some(item), .. } => format!("A suggestion became {}", title(*item)),
        Event::Weighed { item: None, .. } => "A suggestion was rejected".to_owned(),
        Event::QuotaFull { key, answer } => format!("There are enough voters with {}: {}", plain(key), plain(answer)),
        Event::Imported { name, rows, hint, .. } => {
            let what = if *hint { "hints" } else { "votes" };
            format!("{rows} {what} of {} were imported", plain(name))
        }
        Event::ContentGiven { .. }
        | Event::Joined { .. }
        | Event::Described { .. }
        | Event::Extended { .. }
        | Event::Planned { .. }
        | Event::Asked { .. }
        | Event::Answered { .. }
        | Event::Lapsed { .. } => return None,
    })
}

fn names(items: &[u16], title: &impl Fn(u16) -> String) -> String {
    items.iter().map(|&item| title(item)).collect::<Vec<_>>().join(", ")
}
