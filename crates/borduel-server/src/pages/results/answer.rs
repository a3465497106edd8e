//! The first level of results: what comes out, with the leader's picture, how far it is, and what to do.

use super::{Eyes, in_english};
use crate::faces::Faces;
use crate::outcome::Outcome;
use crate::pages::words::{Told, counted, fill};
use borduel_rank::About;
use borduel_rank::ranking::{FORECAST_CHANCE, Forecast, VerdictKind};
use borduel_rank::sequential::{Goal, Until};
use borduel_report::plain;
use borduel_report::ranking::{Ranked, forecast, rounded};
use borduel_report::verdict::class;
use borduel_study::event::Status;
use maud::{Markup, html};

/// Up to so many items are named where all of them may still be best.
const NAMED: usize = 5;

/// What comes out, with the leader's picture and how far it is.
pub(super) fn answer(outcome: &Outcome, ranked: Option<&Ranked<'_>>, faces: &Faces, eyes: Eyes) -> Markup {
    let (told, numbers, verdict) = (eyes.told(), eyes.numbers(), &outcome.verdict);
    let undecided = verdict.kind == VerdictKind::NotEnough;
    let leader = verdict.winners.first().filter(|_| !undecided);
    let leader = leader.and_then(|key| faces.get(key));
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
    // Nobody is in front for sure; that it is not for sure stands above.
    let front = ranked.filter(|_| !over).zip(outcome.in_front());
    let front = front
        .map(|(ranked, item)| (ranked.spoken(item), faces.get(ranked.id(item)).and_then(|face| face.picture.as_ref())));
    html! {
        div class=(format!("verdict {}", class(verdict.kind))) role="status" {
            @if let Some(source) = leader.and_then(|face| face.picture.as_ref()) { img.winner src=(source) alt=""; }
            div {
                p.headline { (head) (told.stop) }
                @if !undecided {
                    @if let Some(leader) = leader.filter(|face| !face.caption.is_empty()) {
                        p.small dir="auto" { (plain(&leader.caption)) }
                    }
                    p { (sure) @if let Some(whose) = whose { " " (whose) } }
                    @if let Some(how_often) = how_often { p.small { (how_often) } }
                }
                @else if !about.is_empty() { p { (fill(told.after, &[&votes, &about])) } }
                @if let Some((name, face)) = front {
                    p { @if let Some(source) = face { img.thumb src=(source) alt=""; } (fill(told.in_front, &[&name])) }
                }
                @if let Some(guess) = guess { p { (fill(told.best_guess, &[&guess])) } }
                @if let Some(budget) = budget {
                    progress max=(budget) value=(outcome.votes) aria-label=(told.until_closed) {}
                    p { (fill(told.closes_after, &[&numbers.whole(budget as f64)])) }
                } @else if let Some((_, most)) = forecast.and_then(|forecast| forecast.range()) {
                    progress max=(outcome.votes as f64 + most) value=(outcome.votes) aria-label=(told.until_settled) {}
                }
                @if let Some(race) = ranked.and_then(|ranked| race(outcome, ranked, told)) { p { (race) } }
                p.small { (advice(outcome, eyes)) }
                details {
                    summary { (told.in_full) }
                    p.small dir=[(!told.is_english()).then_some("ltr")] { (in_english(told, &plain(&verdict.text))) }
                }
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

/// Who may still be best, once there was a look.
fn race(outcome: &Outcome, ranked: &Ranked<'_>, told: &Told) -> Option<String> {
    let winners = &ranked.ranking.verdict.winners;
    let open = outcome.verdict.kind == VerdictKind::NotEnough && outcome.verdict.look.is_some();
    if !open {
        return None;
    }
    if winners.len() >= outcome.items && outcome.items > NAMED {
        return Some(fill(told.all_in_race, &[&outcome.items]));
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
