//! What a voter's page shows: the study, and how far the voter is.

use super::layout::Fault;
use super::pair::Pair;
use borduel_study::decide::MOST_SUGGESTIONS;
use borduel_study::event::{Standing, Status};
use borduel_study::state::Phase;
use borduel_study::{Answer, Desk, Settings};
use std::collections::HashSet;

/// How many more pairs a voter may ask for who has answered all that are wanted.
pub(super) const MORE: u32 = 10;

/// What a voter's page shows.
pub(super) struct Sheet {
    pub(super) status: Status,
    pub(super) settings: Settings,
    /// How many answers somebody new can be asked for.
    pub(super) reach: u32,
    pub(super) seat: Option<Seat>,
}

impl Sheet {
    /// Whether the voter has yet to answer what is asked before the first pair.
    pub(super) fn wants_answers(&self) -> bool {
        !self.settings.asks.is_empty() && self.seat.as_ref().is_none_or(|seat| seat.undescribed)
    }

    /// Whether the voter has yet to agree to what the study says: also whoever was invited, before the first answer.
    pub(super) fn wants_consent(&self) -> bool {
        !self.settings.consent.is_empty() && self.seat.as_ref().is_none_or(|seat| seat.answered == 0)
    }
}

/// How far a voter is.
pub(super) struct Seat {
    pub(super) standing: Standing,
    /// Whether it has yet to say something about itself.
    pub(super) undescribed: bool,
    pub(super) answered: u32,
    /// How many answers it can come to give.
    pub(super) goal: u32,
    /// How many more may be asked for beyond the goal.
    pub(super) more: u32,
    /// Open questions, those that come again first.
    pub(super) open: Vec<Pair>,
    /// Answers given, the latest first: to each question that is asked about a pair.
    pub(super) given: Vec<(Pair, Vec<Answer>)>,
    /// The questions of these whose pairs are gold, which say nothing of a voter's taste.
    pub(super) gold: HashSet<u32>,
    /// Whether it may suggest an item.
    pub(super) suggests: bool,
}

impl Seat {
    /// Whether it has given all that are wanted.
    pub(super) fn is_done(&self) -> bool {
        self.answered >= self.goal
    }
}

/// Reads what the sheet shows.
pub(super) async fn sheet(desk: &Desk, voter: Option<u32>) -> Result<Sheet, Fault> {
    let look = |state: &borduel_study::State| {
        let seat =
            voter.and_then(|number| Some((number, state.voters.get(number as usize)?))).map(|(number, voter)| {
                let pair = |q: u32| {
                    let question = &state.questions[q as usize];
                    Pair { q, first: question.first, second: question.second, context: question.context() }
                };
                let said = |q: u32| state.graded_answers(q).into_iter().map(|said| said.answer).collect();
                let mut open = state.open_of(number);
                open.sort_by_key(|&q| !state.questions[q as usize].source.is_again());
                let answered =
                    voter.questions.iter().filter(|q| state.questions[**q as usize].phase == Phase::Answered);
                let mut given: Vec<u32> = answered.copied().collect();
                given.sort_by_key(|&q| std::cmp::Reverse((state.questions[q as usize].second_at, q)));
                let gold = given.iter().copied().filter(|&q| state.questions[q as usize].source.is_gold()).collect();
                Seat {
                    standing: voter.standing,
                    undescribed: state.must_describe(voter),
                    answered: voter.answered,
                    goal: state.reach_of(voter).unwrap_or(u32::MAX),
                    more: u32::try_from(state.left_of(voter)).unwrap_or(u32::MAX).min(MORE),
                    open: open.into_iter().map(pair).collect(),
                    given: given.into_iter().map(|q| (pair(q), said(q))).collect(),
                    gold,
                    suggests: state.settings.suggestions && state.suggested_by(number) < MOST_SUGGESTIONS,
                }
            });
        Sheet { status: state.status, settings: state.settings.clone(), reach: state.reach(), seat }
    };
    Ok(desk.read(look).await?)
}
