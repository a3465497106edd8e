//! The questions of a study: 20 bytes each, since there may be millions.

use crate::event::{Answer, SOFT_UNIT, Source};
use serde::{Deserialize, Serialize};

/// One question and its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Who was asked.
    pub voter: u32,
    /// The second, counted from the study's creation, at which it was asked or (once it is) answered.
    pub second_at: u32,
    /// The item shown first.
    pub first: u16,
    /// The item shown second.
    pub second: u16,
    /// Hundredths of a second until the answer, as the client measured; 0 where it did not, the largest number for more.
    pub hundredths: u16,
    /// A soft answer in units of 2⁻¹⁵.
    soft: u16,
    /// What became of it.
    pub phase: Phase,
    /// Why it was asked.
    pub source: Source,
    /// Which answer it got.
    word: Word,
}

/// What became of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// Asked.
    Open,
    /// Open for too long; may still be answered.
    Lapsed,
    /// Answered.
    Answered,
    /// Answered, and the answer taken back.
    Retracted,
}

/// An answer without its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Word {
    First,
    Second,
    Tie,
    BothBad,
    Skip,
    Soft,
}

impl Question {
    pub(super) fn new(voter: u32, first: u16, second: u16, source: Source, second_at: u32) -> Self {
        let (phase, word) = (Phase::Open, Word::Skip);
        Self { voter, second_at, first, second, hundredths: 0, soft: 0, phase, source, word }
    }

    pub(super) fn set_answer(&mut self, answer: Answer, ms: Option<u32>, second_at: u32) {
        self.phase = Phase::Answered;
        self.second_at = second_at;
        self.hundredths = ms.map_or(0, |ms| u16::try_from(ms.div_ceil(10)).unwrap_or(u16::MAX));
        self.word = match answer {
            Answer::First => Word::First,
            Answer::Second => Word::Second,
            Answer::Tie => Word::Tie,
            Answer::BothBad => Word::BothBad,
            Answer::Skip => Word::Skip,
            Answer::Soft(_) => Word::Soft,
        };
        if let Answer::Soft(r) = answer {
            // A multiple of the unit by construction, so this is exact; `as` is total for whatever a log may hold.
            self.soft = (r / SOFT_UNIT) as u16;
        }
    }

    /// Its answer; "skip" as long as it has none.
    pub fn answer(&self) -> Answer {
        match self.word {
            Word::First => Answer::First,
            Word::Second => Answer::Second,
            Word::Tie => Answer::Tie,
            Word::BothBad => Answer::BothBad,
            Word::Skip => Answer::Skip,
            Word::Soft => Answer::Soft(f64::from(self.soft) * SOFT_UNIT),
        }
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
        let mut question = Question::new(7, 1, 2, Source::Plan, 3);
        for answer in [Answer::First, Answer::Second, Answer::Tie, Answer::BothBad, Answer::Skip] {
            question.set_answer(answer, Some(1234), 9);
            assert_eq!(question.answer(), answer);
        }
        for step in 1..32_768_u16 {
            let answer = Answer::Soft(f64::from(step) * SOFT_UNIT).normal();
            question.set_answer(answer, None, 9);
            assert_eq!(question.answer(), answer);
        }
    }
}
