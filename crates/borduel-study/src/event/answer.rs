//! What voters answer.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a voter answers to a pair.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// The first is better.
    #[schema(title = "AnswerFirst")]
    First,
    /// The second is better.
    #[schema(title = "AnswerSecond")]
    Second,
    /// They are equally good.
    #[schema(title = "AnswerTie")]
    Tie,
    /// Neither item is good: recorded, without an effect on scores.
    #[schema(title = "AnswerBothBad")]
    BothBad,
    /// The pair was skipped: no answer.
    #[schema(title = "AnswerSkip")]
    Skip,
    /// The chance that the first is better: a multiple of [`SOFT_UNIT`].
    #[schema(title = "AnswerSoft")]
    Soft(f64),
}

/// How much better the better one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// The chosen item is slightly better.
    Slight,
    /// The chosen item is much better.
    Much,
}

/// What was said by one criterion.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GradedAnswer {
    /// The answer, without its grade.
    pub answer: Answer,
    /// How much better the better one is, where that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grade: Option<Grade>,
}

impl GradedAnswer {
    /// An answer that says nothing.
    pub const SKIP: Self = Self { answer: Answer::Skip, grade: None };

    /// The same as it is stored.
    #[must_use]
    pub fn normal(self) -> Self {
        Self { answer: self.answer.normal(), ..self }
    }
}

/// The step of soft answers, 2⁻¹⁵: sums of dyadic numbers are exact, in any order.
pub const SOFT_UNIT: f64 = 1.0 / 32_768.0;

impl Answer {
    /// The same answer as it is stored: a soft one rounded to a multiple of [`SOFT_UNIT`], and called by its name where
    /// it has one.
    #[must_use]
    pub fn normal(self) -> Self {
        match self {
            Self::Soft(r) => match (r / SOFT_UNIT).round() * SOFT_UNIT {
                0.0 => Self::Second,
                0.5 => Self::Tie,
                1.0 => Self::First,
                r => Self::Soft(r),
            },
            other => other,
        }
    }

    /// Whether it says which is better, or that neither is.
    pub fn says_something(self) -> bool {
        !matches!(self, Self::BothBad | Self::Skip)
    }
}

impl From<Answer> for borduel_rank::ballots::Answer {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::First => Self::Left,
            Answer::Second => Self::Right,
            Answer::Tie => Self::Tie,
            Answer::BothBad => Self::BothBad,
            Answer::Skip => Self::Skip,
            Answer::Soft(r) => Self::Soft(r),
        }
    }
}
