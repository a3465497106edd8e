//! The life of a study.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The life of a study.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The study is being made; only its organiser sees it.
    #[default]
    Draft,
    /// The study asks and takes answers.
    Open,
    /// Not asking; questions already asked may be answered.
    Paused,
    /// Neither asking nor answering.
    Closed,
    /// The study is closed for good.
    Archived,
}

impl Status {
    /// What a study is, in a sentence.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Draft => "a draft",
            Self::Open => "open",
            Self::Paused => "paused",
            Self::Closed => "closed",
            Self::Archived => "archived",
        }
    }
}
