//! What a judge is worth as one JSON object.

use super::Judged;
use borduel::judging::{Paid, Worth};
use serde::{Deserialize, Serialize};

/// The version of the object.
pub const VERSION: u32 = 1;

/// What `judge --format json` prints. `docs/FORMATS.md` lists its keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// The version of this form, [`VERSION`].
    pub version: u32,
    /// The version of the program that made it.
    pub borduel: String,
    /// What the judge is worth, in two or three sentences.
    pub text: String,
    /// The details, a sentence each.
    pub details: Vec<String>,
    /// What it costs and saves, where prices are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paid: Option<Paid>,
    /// The numbers, as computed.
    #[serde(flatten)]
    pub worth: Worth,
}

impl Document {
    /// What was found, as a document.
    pub fn of(judged: &Judged<'_>) -> Self {
        Self {
            version: VERSION,
            borduel: env!("CARGO_PKG_VERSION").to_owned(),
            text: judged.verdict(),
            details: judged.details(),
            paid: judged.paid,
            worth: judged.worth.clone(),
        }
    }

    /// The document as text.
    ///
    /// # Errors
    /// A number that JSON cannot hold.
    pub fn json(&self) -> Result<String, crate::Error> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }
}
