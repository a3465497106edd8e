//! Several questions about each pair, as the fold knows them.

use super::questions::Code;
use super::{Blocks, Judged, Question, State};
use crate::event::GradedAnswer;
use borduel_rank::ranking::VerdictKind;
use serde::{Deserialize, Serialize};

/// What is known by one of several criteria.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Track {
    /// What was said, by the question's number; nothing by the first criterion, whose answers stand with the questions.
    answers: Blocks<Code>,
    /// The votes that count.
    pub votes: u64,
    /// What the last look found.
    pub judged: Option<Judged>,
    /// What has changed since the last look, as [`State::unsettled`].
    pub unsettled: Option<(u64, u32)>,
}

/// Where the last look stands, and what has changed since.
type Looks<'a> = (&'a mut Option<Judged>, &'a mut Option<(u64, u32)>);

/// The most that a set of them holds; settings allow fewer, and a log is what it is.
const MOST: usize = u32::BITS as usize;

/// A set of criteria, by their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Criteria(u32);

impl Criteria {
    pub(super) const NONE: Self = Self(0);
    pub(super) const ALL: Self = Self(u32::MAX);

    /// This one alone.
    pub(super) fn only(place: usize) -> Self {
        Self(1 << place)
    }

    fn has(self, place: usize) -> bool {
        self.0 >> place & 1 == 1
    }

    pub(super) fn is_empty(self) -> bool {
        self == Self::NONE
    }
}

impl Track {
    fn code(&self, q: u32) -> Code {
        self.answers.get(q as usize).copied().unwrap_or(Code::SKIP)
    }

    fn note(&mut self, q: u32, said: GradedAnswer) {
        while self.answers.len() <= q as usize {
            self.answers.push(Code::SKIP);
        }
        self.answers[q as usize] = Code::of(said);
    }
}

impl State {
    /// How many questions are asked about each pair.
    pub fn criteria(&self) -> usize {
        self.criteria.len().max(1)
    }

    /// The last look by a criterion; by the one question, where there is only one.
    pub fn judged_by(&self, criterion: usize) -> Option<&Judged> {
        if self.criteria.is_empty() { self.judged.as_ref() } else { self.criteria.get(criterion)?.judged.as_ref() }
    }

    /// The votes that count by a criterion.
    pub fn votes_by(&self, criterion: usize) -> u64 {
        if self.criteria.is_empty() { self.votes } else { self.criteria.get(criterion).map_or(0, |track| track.votes) }
    }

    /// Whether a criterion has the verdict that is looked for.
    pub fn is_settled(&self, criterion: usize) -> bool {
        let until = self.settings.stop.until().unwrap_or_default();
        self.judged_by(criterion).is_some_and(|judged| until.is_reached(judged.kind))
    }

    /// The votes that count by each criterion.
    pub(super) fn all_votes(&self) -> Vec<u64> {
        (0..self.criteria()).map(|criterion| self.votes_by(criterion)).collect()
    }

    /// The criteria by which other votes count than before.
    pub(super) fn recounted_since(&mut self, before: &[u64]) -> Vec<usize> {
        self.recount();
        (0..self.criteria()).filter(|&criterion| before.get(criterion) != Some(&self.votes_by(criterion))).collect()
    }

    /// What has changed since the last look by a criterion.
    pub(super) fn unsettled_by(&self, criterion: usize) -> Option<(u64, u32)> {
        if self.criteria.is_empty() { self.unsettled } else { self.criteria.get(criterion)?.unsettled }
    }

    /// The study as it would be if only this one of its questions had been asked about each pair: all that is computed
    /// from votes is computed from this, criterion by criterion. The study itself where it has one question.
    ///
    /// Answers to gold pairs stay those by the first criterion, by which alone their answers are known.
    #[must_use]
    pub fn by(&self, criterion: usize) -> Self {
        let mut seen = self.judged_as(criterion);
        if let Some(track) = self.criteria.get(criterion).filter(|_| criterion > 0) {
            for q in 0..self.questions.len() {
                if !self.questions[q].source.is_gold() {
                    seen.questions[q] = self.questions[q].with(track.code(q as u32));
                }
            }
        }
        seen
    }

    /// The same as far as looks and verdicts go, with the answers as they stand: it shares all of them with the study,
    /// and so takes the same time however many there are.
    #[must_use]
    pub fn judged_as(&self, criterion: usize) -> Self {
        let mut seen = self.clone();
        let Some(track) = self.criteria.get(criterion) else { return seen };
        seen.criteria = Vec::new();
        if let Some(asked) = std::mem::take(&mut seen.settings.criteria).into_iter().nth(criterion) {
            seen.settings.question = asked.question;
        }
        (seen.votes, seen.unsettled) = (track.votes, track.unsettled);
        seen.judged.clone_from(&track.judged);
        seen
    }

    /// What was said of a question's pair, by every criterion.
    pub fn graded_answers(&self, q: u32) -> Vec<GradedAnswer> {
        let Some(question) = self.questions.get(q as usize) else { return Vec::new() };
        let others = self.criteria.iter().skip(1).map(|track| track.code(q).graded_answer());
        std::iter::once(question.graded_answer()).chain(others).collect()
    }

    /// How many votes count, in all and by each criterion, counted anew.
    pub fn recounted(&self) -> (u64, Vec<u64>) {
        let (mut all, mut each) = (0, vec![0; self.criteria.len()]);
        for (q, question) in (0..).zip(self.questions.iter()) {
            let by = self.counting(q, question);
            all += u64::from(!by.is_empty());
            (0..each.len()).for_each(|place| each[place] += u64::from(by.has(place)));
        }
        (all, each)
    }

    /// The criteria by which the answer to a question counts.
    pub(super) fn counting(&self, q: u32, question: &Question) -> Criteria {
        if !self.may_count(question) {
            return Criteria::NONE;
        }
        let first = u32::from(question.answer().says_something());
        let others = (1..).zip(self.criteria.iter().skip(1));
        let others = others.filter(|(_, track)| track.code(q).graded_answer().answer.says_something());
        Criteria(others.fold(first, |all, (place, _)| all | 1_u32 << place))
    }

    /// Counts a vote, or counts it no longer.
    pub(super) fn count_vote(&mut self, by: Criteria, more: bool) {
        let step = |votes: &mut u64| *votes = if more { *votes + 1 } else { votes.saturating_sub(1) };
        if !by.is_empty() {
            step(&mut self.votes);
        }
        let counted = self.criteria.iter_mut().enumerate().filter(|(place, _)| by.has(*place));
        counted.for_each(|(_, track)| step(&mut track.votes));
    }

    /// Takes note of what was said by the criteria after the first.
    pub(super) fn note_other_criteria(&mut self, q: u32, others: &[GradedAnswer]) {
        for (track, said) in self.criteria.iter_mut().skip(1).zip(others) {
            track.note(q, *said);
        }
    }

    /// Has as many criteria as the settings. They are set before the first pair is asked about, so nothing is lost.
    pub(super) fn set_criteria(&mut self) {
        let (before, now) = (self.criteria.len(), self.settings.criteria.len().min(MOST));
        if before == now {
            return;
        }
        (self.judged, self.unsettled) = (None, None);
        self.criteria.resize_with(now, Track::default);
        self.recount();
    }

    /// Takes note that answers since this second are not what they were, or do not mean it any more, by these criteria.
    /// A verdict that rests on them ends: there is none until the next look, and all may be best.
    pub(super) fn unsettle_by(&mut self, by: Criteria, second: u32) {
        let head = self.head;
        let mut ended = Vec::new();
        for criterion in 0..self.criteria() {
            let Some((judged, unsettled)) = self.looks_by(criterion).filter(|_| by.has(criterion)) else { continue };
            let earliest = unsettled.map_or(second, |(_, earlier)| earlier.min(second));
            *unsettled = Some((head, earliest));
            if judged.as_ref().is_some_and(|judged| second <= judged.rests_until) {
                ended.push(criterion);
            }
        }
        for criterion in ended {
            let winners = self.enabled().collect();
            if let Some(judged) = self.looks_by(criterion).and_then(|(judged, _)| judged.as_mut()) {
                (judged.void, judged.kind, judged.winners) = (true, VerdictKind::NotEnough, winners);
            }
        }
    }

    /// Where the last look by a criterion stands, and what has changed since.
    pub(super) fn looks_by(&mut self, criterion: usize) -> Option<Looks<'_>> {
        if self.criteria.is_empty() {
            return (criterion == 0).then_some((&mut self.judged, &mut self.unsettled));
        }
        self.criteria.get_mut(criterion).map(|track| (&mut track.judged, &mut track.unsettled))
    }
}
