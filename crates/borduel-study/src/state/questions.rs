//! The questions of a study: 20 bytes each, since there may be millions.

use crate::event::{Answer, Grade, GradedAnswer, SOFT_UNIT, Source};
use serde::{Deserialize, Serialize};

/// One question and its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// The number of the voter who was asked.
    pub voter: u32,
    /// The second, counted from the study's creation, at which it was asked or (once it is) answered.
    pub second_at: u32,
    /// The item shown first.
    pub first: u16,
    /// The item shown second.
    pub second: u16,
    /// Hundredths of a second until the answer, as the client measured; 0 where it did not, the largest number for
    /// more.
    pub hundredths: u16,
    answer: Code,
    /// The context, or [`NOWHERE`].
    context: u16,
    /// What became of it.
    pub phase: Phase,
    /// Why it was asked.
    pub source: Source,
}

/// What was said, in two bytes: how far the first is better in units of 2⁻¹⁵, or one of the words above that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Code(u16);

/// The answer of who prefers the first.
const FIRST: u16 = 32_768;
/// The answer of who finds them equally good.
const TIE: u16 = FIRST / 2;
/// The answer of who finds both bad.
const BOTH_BAD: u16 = u16::MAX;
/// The answer of who skips the pair.
const SKIP: u16 = u16::MAX - 1;
/// The answers of who prefers one of them much or slightly.
const MUCH_FIRST: u16 = u16::MAX - 2;
const MUCH_SECOND: u16 = u16::MAX - 3;
const SLIGHT_FIRST: u16 = u16::MAX - 4;
const SLIGHT_SECOND: u16 = u16::MAX - 5;
/// The context of a question that has none.
const NOWHERE: u16 = u16::MAX;

impl Code {
    /// The answer of who skips the pair.
    pub(super) const SKIP: Self = Self(SKIP);

    pub(super) fn of(GradedAnswer { answer, grade }: GradedAnswer) -> Self {
        Self(match (answer, grade) {
            (Answer::First, Some(Grade::Much)) => MUCH_FIRST,
            (Answer::Second, Some(Grade::Much)) => MUCH_SECOND,
            (Answer::First, Some(Grade::Slight)) => SLIGHT_FIRST,
            (Answer::Second, Some(Grade::Slight)) => SLIGHT_SECOND,
            (Answer::First, None) => FIRST,
            (Answer::Second, None) => 0,
            (Answer::Tie, _) => TIE,
            (Answer::BothBad, _) => BOTH_BAD,
            (Answer::Skip, _) => SKIP,
            // A multiple of the unit by construction, so this is exact; `as` is total for whatever a log may hold.
            (Answer::Soft(r), _) => ((r / SOFT_UNIT) as u16).min(FIRST),
        })
    }

    pub(super) fn graded_answer(self) -> GradedAnswer {
        let answer = match self.0 {
            FIRST | MUCH_FIRST | SLIGHT_FIRST => Answer::First,
            0 | MUCH_SECOND | SLIGHT_SECOND => Answer::Second,
            TIE => Answer::Tie,
            BOTH_BAD => Answer::BothBad,
            SKIP => Answer::Skip,
            soft => Answer::Soft(f64::from(soft) * SOFT_UNIT),
        };
        let grade = match self.0 {
            MUCH_FIRST | MUCH_SECOND => Some(Grade::Much),
            SLIGHT_FIRST | SLIGHT_SECOND => Some(Grade::Slight),
            _ => None,
        };
        GradedAnswer { answer, grade }
    }
}

/// What became of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// The voter was asked and has not answered.
    Open,
    /// Open for too long; may still be answered.
    Lapsed,
    /// The voter answered, and the answer counts.
    Answered,
    /// Answered, and the answer taken back.
    Retracted,
}

impl Question {
    pub(super) fn new(voter: u32, (first, second): (u16, u16), context: Option<u16>, source: Source) -> Self {
        let (phase, answer, context) = (Phase::Open, Code::SKIP, context.unwrap_or(NOWHERE));
        Self { voter, second_at: 0, first, second, hundredths: 0, answer, context, phase, source }
    }

    pub(super) fn set_answer(&mut self, said: GradedAnswer, ms: Option<u32>, second_at: u32) {
        self.phase = Phase::Answered;
        self.second_at = second_at;
        self.hundredths = ms.map_or(0, |ms| u16::try_from(ms.div_ceil(10)).unwrap_or(u16::MAX));
        self.answer = Code::of(said);
    }

    /// The same question with what was said by another criterion.
    pub(super) fn with(self, answer: Code) -> Self {
        Self { answer, ..self }
    }

    /// Its answer; "skip" as long as it has none. Where there are several criteria, that by the first.
    pub fn answer(&self) -> Answer {
        self.answer.graded_answer().answer
    }

    /// How much better the better one is, where that was said.
    pub fn grade(&self) -> Option<Grade> {
        self.answer.graded_answer().grade
    }

    /// The answer with its grade.
    pub fn graded_answer(&self) -> GradedAnswer {
        self.answer.graded_answer()
    }

    /// What its items are shown with, where there are contexts.
    pub fn context(&self) -> Option<u16> {
        (self.context != NOWHERE).then_some(self.context)
    }

    /// Its pair, the lower number first.
    pub fn pair(&self) -> (u16, u16) {
        (self.first.min(self.second), self.first.max(self.second))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_small_and_keeps_its_answer() {
        assert!(size_of::<Question>() <= 20, "{}", size_of::<Question>());
        let mut question = Question::new(7, (1, 2), None, Source::Plan);
        assert_eq!((question.answer(), question.context()), (Answer::Skip, None));
        assert_eq!(Question::new(7, (1, 2), Some(3), Source::Plan).context(), Some(3));
        for answer in [Answer::First, Answer::Second, Answer::Tie, Answer::BothBad, Answer::Skip] {
            question.set_answer(GradedAnswer { answer, grade: None }, Some(1234), 9);
            assert_eq!((question.answer(), question.grade()), (answer, None));
        }
        for answer in [Answer::First, Answer::Second] {
            for grade in [Grade::Much, Grade::Slight] {
                question.set_answer(GradedAnswer { answer, grade: Some(grade) }, None, 9);
                assert_eq!((question.answer(), question.grade()), (answer, Some(grade)));
            }
        }
        for step in 0..=32_768_u16 {
            let answer = Answer::Soft(f64::from(step) * SOFT_UNIT).normal();
            question.set_answer(GradedAnswer { answer, grade: None }, None, 9);
            assert_eq!(question.answer(), answer);
        }
        // Whatever a log may hold is an answer.
        for odd in [f64::NAN, f64::INFINITY, -1.0, 1.7, 1e300] {
            question.set_answer(GradedAnswer { answer: Answer::Soft(odd), grade: None }, None, 9);
            assert!(question.answer().says_something(), "{odd}");
        }
    }
}
