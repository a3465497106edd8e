//! What a judge's votes are worth beside those of a ranking, and what they did to it.

use super::words::Sentence;
use borduel::judging::{Control, Worth};
use serde::{Deserialize, Serialize};

/// A judge's votes beside those of a ranking; made by [`Judged::hint`](crate::judging::Judged::hint).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hint {
    /// What the judge is worth, and what its answers did, in words.
    pub text: String,
    /// The share of people's votes that its answers to the same questions saved; 0 where they could not be used.
    pub saved: f64,
    /// How they were used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<Control>,
    /// What the judge is worth.
    pub judge: Worth,
}

impl Hint {
    pub(super) fn sentence(&self) -> Sentence {
        let method = self.control.map_or_else(String::new, |control| {
            format!(
                "a control variate, y − λ(z − z̄) with λ = {:.2}; ρ = {:.2} within pairs",
                control.lambda, control.correlation
            )
        });
        Sentence::with(self.text.clone(), method)
    }
}
