//! What is computed beside a study's log whenever it is due: looks, and the next plan.

use crate::command::{Command, Look};
use crate::error::Result;
use crate::settings::Method;
use crate::standing::{self, Evidence};
use crate::state::{PairPlan, State};
use std::time::Instant;

/// What a computation beside the votes brought.
#[derive(Debug, Default)]
pub struct Evaluation {
    /// What the study is to take note of.
    pub commands: Vec<Command>,
    /// Whether every part of it was computed.
    pub complete: bool,
}

/// Takes the looks and makes the plan that are due. Where several questions are asked about each pair, it is for those
/// whose verdict is still open; for all of them where none is.
pub fn evaluate(state: &State, plan: bool, looks: &[(usize, u32)]) -> Evaluation {
    let mut evaluation = Evaluation { commands: Vec::new(), complete: true };
    let all = 0..state.criteria();
    let decided = all.clone().all(|criterion| state.is_settled(criterion));
    let mut plans = Vec::new();
    for criterion in all {
        let look = looks.iter().find(|look| look.0 == criterion).map(|look| look.1);
        let plan = plan && (decided || !state.is_settled(criterion));
        if look.is_none() && !plan {
            continue;
        }
        let (look, plan) = evaluate_one(&state.by(criterion), plan, look);
        let asked = (look.is_some(), plan.is_some());
        let look = noted(look, "no look could be taken");
        let plan = noted(plan, "no plan could be made, the present one stays");
        evaluation.complete &= (look.is_some(), plan.is_some()) == asked;
        evaluation.commands.extend(look.map(|look| Command::Judge(Look { criterion, ..look })));
        plans.extend(plan);
    }
    evaluation.commands.extend(crate::plan::together(plans, state.votes).map(Command::Adopt));
    evaluation
}

/// What was found; what was not is for the server's log.
fn noted<T>(found: Option<Result<T>>, what: &str) -> Option<T> {
    found?.inspect_err(|error| tracing::warn!(%error, "{what}")).ok()
}

/// The same of a study of one question: what is due, or why it cannot be had.
fn evaluate_one(state: &State, plan: bool, look: Option<u32>) -> (Option<Result<Look>>, Option<Result<PairPlan>>) {
    let settings = &state.settings;
    let started = Instant::now();
    let evidence = match Evidence::of(state) {
        Ok(evidence) => evidence,
        Err(error) => return (None, Some(Err(error))),
    };
    let reads = look.is_some() || (settings.planner == Method::Fewest && evidence.can_be_planned_on());
    let reading = match reads.then(|| evidence.read(settings)).transpose() {
        Ok(reading) => reading.flatten(),
        Err(error) => return (None, Some(Err(error))),
    };
    let look = look.map(|number| standing::look(&evidence, reading.as_ref(), number, settings));
    if look.is_some() {
        metrics::histogram!("borduel_rank_seconds").record(started.elapsed().as_secs_f64());
    }
    let started = Instant::now();
    let plan = plan.then(|| crate::plan::plan(&evidence, reading.as_ref(), settings));
    if plan.is_some() {
        metrics::histogram!("borduel_plan_seconds").record(started.elapsed().as_secs_f64());
    }
    (look, plan)
}
