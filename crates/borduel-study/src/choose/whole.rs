//! Whole pairs: what a judge is asked whose answers are hints and have a price.
//!
//! The plan says which pairs (`judge_first`), in which order. Every one of them is asked in every context before the
//! next one begins, the same way round everywhere. Several such judges share the pairs. A question that lapsed is asked
//! again.

use super::Choice;
use crate::event::Source;
use crate::state::{Phase, State};
use crate::table::{Pair, Table};
use borduel_rank::sequential::is_turned;
use std::collections::HashSet;

/// The next question of such a judge; nothing while there is no pair that pays.
pub(super) fn next(state: &State, table: &Table) -> Option<Choice> {
    let wanted: HashSet<Pair> = state.plan.judge_first.iter().copied().collect();
    let questions = state.hinting().flat_map(|judge| &judge.questions).map(|&q| &state.questions[q as usize]);
    let there = questions.filter(|question| matches!(question.phase, Phase::Open | Phase::Answered));
    let there = there.filter(|question| wanted.contains(&question.pair()));
    let taken: HashSet<(Pair, Option<u16>)> = there.map(|question| (question.pair(), question.context())).collect();
    let enabled = |item: u16| table.enabled.binary_search(&item).is_ok();
    let asked = state.plan.judge_first.iter().filter(|pair| enabled(pair.0) && enabled(pair.1));
    asked.copied().find_map(|pair @ (i, j)| {
        let context = table.contexts_of(pair).into_iter().find(|context| !taken.contains(&(pair, Some(*context))))?;
        let (first, second) = if is_turned(state.seed, (i.into(), j.into())) { (j, i) } else { (i, j) };
        Some(Choice { first, second, context: Some(context), p: 1.0, source: Source::Plan })
    })
}
