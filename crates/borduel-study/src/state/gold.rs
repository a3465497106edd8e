//! Gold pairs as the fold knows them: what is asked, and who fails.

use super::{Phase, Question, State, Voter};
use crate::event::Answer;
use crate::settings::GoldPair;
use crate::table::Pair;
use std::collections::HashMap;

/// The better item of each gold pair, by the pair and where it is shown.
pub type GoldAnswers = HashMap<(Pair, Option<u16>), u16>;

/// How a voter did on gold pairs: how many it has answered, and how many of them wrongly. A skipped one is neither.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GoldRecord {
    /// Answered, and not taken back.
    pub answered: u32,
    /// Of these, those with another answer than the known one; "equal" is such an answer.
    pub failed: u32,
}

impl State {
    /// The items of a gold pair by number, the better one first, and where they are shown.
    ///
    /// # Errors
    /// A sentence that names what is not there.
    pub fn gold_pair(&self, pair: &GoldPair) -> Result<(u16, u16, Option<u16>), String> {
        let item = |key: &String| {
            self.item(key).ok_or_else(|| format!("settings.gold: there is no item {key:?} in this study"))
        };
        let context = |key: &String| {
            self.context(key).ok_or_else(|| format!("settings.gold: there is no context {key:?} in this study"))
        };
        Ok((item(&pair.better)?, item(&pair.worse)?, pair.context.as_ref().map(context).transpose()?))
    }

    /// The gold pairs that can be asked: those of which everything is there.
    pub fn gold_pairs(&self) -> impl Iterator<Item = (u16, u16, Option<u16>)> + '_ {
        self.settings.gold.pairs.iter().filter_map(|pair| self.gold_pair(pair).ok())
    }

    /// The answers to gold pairs, those whose answer is known.
    pub fn gold_answers(&self) -> GoldAnswers {
        self.gold_pairs().map(|(i, j, context)| (((i.min(j), i.max(j)), context), i)).collect()
    }

    /// How a voter did on gold pairs. What is gold no longer counts neither way.
    pub fn gold_record(&self, voter: &Voter, answers: &GoldAnswers) -> GoldRecord {
        let mut record = GoldRecord::default();
        for question in voter.questions.iter().map(|&q| &self.questions[q as usize]) {
            if let Some(failed) = fails(question, answers) {
                record.answered += 1;
                record.failed += u32::from(failed);
            }
        }
        record
    }
}

/// Whether the answer to a gold pair is another one than the known; nothing where there is none.
pub(crate) fn fails(question: &Question, answers: &GoldAnswers) -> Option<bool> {
    if !question.source.is_gold() || question.phase != Phase::Answered {
        return None;
    }
    let better = *answers.get(&(question.pair(), question.context()))?;
    match question.answer() {
        Answer::Skip => None,
        Answer::First => Some(question.first != better),
        Answer::Second => Some(question.second != better),
        Answer::Tie | Answer::BothBad => Some(true),
        Answer::Soft(r) => Some(if question.first == better { r <= 0.5 } else { r >= 0.5 }),
    }
}
