//! What a study says, as programs read it.

use crate::criterion::CriterionView;
use borduel_rank::About;
use borduel_rank::ranking::VerdictKind;
use borduel_study::State as Study;
use borduel_study::event::Status;
use borduel_study::settings::Method;
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

/// What a study says.
#[derive(Serialize, ToSchema)]
pub(crate) struct ResultsView {
    /// How many events it rests on.
    pub(super) head: u64,
    /// When it was computed.
    pub(super) computed_at: String,
    pub(super) status: Status,
    /// Of several questions about each pair, the key of the one that all that follows is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) criterion: Option<String>,
    /// All of these questions, and how each is answered by now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) criteria: Vec<CriterionView>,
    /// The votes that count.
    pub(super) votes: u64,
    pub(super) voters: u64,
    /// The answers of judges that are hints and never counted as votes, where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hints: Option<u64>,
    /// What these cost and save, where they have a price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hints_paid: Option<PaidView>,
    pub(super) verdict: VerdictView,
    /// Scores that hold at any time, however often somebody looks; none before there are votes, and of the model
    /// `counts`.
    pub(super) any_time: Option<AnyTimeView>,
    /// The JSON object of `borduel rank --sequential` at this moment, with the verdict above.
    #[schema(value_type = Option<Object>)]
    pub(super) ranking: Option<Box<RawValue>>,
    /// Why there is no ranking yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) unranked: Option<String>,
    /// How much better voters found the better one, item by item, where the study asks for it. Scores and verdicts do
    /// not depend on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) grades: Option<Vec<GradeView>>,
    pub(super) plan: PlanView,
}

/// What answers of judges cost and save that are hints, in votes of people.
#[derive(Clone, Copy, Serialize, ToSchema)]
pub(crate) struct PaidView {
    /// What they cost.
    pub(super) cost: f64,
    /// How many more votes would be needed without them, to know as much.
    pub(super) saves: f64,
}

impl PaidView {
    pub(super) fn new(state: &Study, saved: f64) -> Option<Self> {
        let price = state.settings.judge_price;
        let cost = price * state.hints() as f64;
        (cost > 0.0).then(|| Self { cost, saves: state.votes as f64 * saved / (1.0 - saved) })
    }

    pub(super) fn sentence(self) -> String {
        format!("They cost as much as {:.1} votes of people, and saved about {:.0}.", self.cost, self.saves)
    }
}

/// How much better voters found an item.
#[derive(Serialize, ToSchema)]
pub(crate) struct GradeView {
    pub(super) item: String,
    /// The votes for it that say how much better it is.
    pub(super) graded: u64,
    /// Those that say much.
    pub(super) much: u64,
}

/// The verdict of the last look. Whoever stops at a verdict is wrong with a chance of at most 1 − level over the whole
/// life of the study: because looks hold at any time, or because they pay for each other.
#[derive(Clone, Serialize, ToSchema)]
pub(crate) struct VerdictView {
    /// `clear-winner` (better than every other item), `good-enough` (nobody is better than the first of the winners by
    /// more than the margin), `tie` (the winners differ by less than the margin) or `not-enough`.
    #[schema(value_type = String)]
    pub(crate) kind: VerdictKind,
    /// What comes out, in a few words.
    pub(crate) head: String,
    /// The same in a sentence that says what it means and how sure it is.
    pub(crate) text: String,
    /// The keys of all that may be best, the leader first: the clear winner alone; who may be chosen and who may be
    /// just as good; those that tie; or all that may still be best.
    pub(crate) winners: Vec<String>,
    /// The number of voters, where they are so few that they speak for nobody else.
    pub(crate) few_voters: Option<u32>,
    /// `any-time` or `spent`: whether looks hold by themselves, or pay for each other.
    pub(super) method: &'static str,
    /// Which look it is, from 0; none before the first.
    pub(crate) look: Option<u32>,
    /// When it was taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) at: Option<String>,
    /// The votes counted then.
    pub(super) votes: u64,
    /// The votes at which the next look is taken.
    pub(crate) next_look: u64,
    /// The confidence of all interim looks together.
    pub(crate) level: f64,
    /// The confidence spent on this one.
    pub(super) look_level: f64,
}

/// Scores that hold at any time.
#[derive(Serialize, ToSchema)]
pub(crate) struct AnyTimeView {
    /// So many more votes at least settle it, in 8 of 10 such cases, where that can be told.
    pub(super) needed_at_least: Option<f64>,
    /// So many more votes at most settle it, in 8 of 10 such cases, where that can be told.
    pub(super) needed_at_most: Option<f64>,
    /// The standard deviation of what the model cannot express, in log-odds.
    pub(super) misfit: f64,
    /// What the contexts are to it, where votes have some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) contexts: Option<ContextsView>,
    pub(super) items: Vec<AnyTimeItem>,
}

/// What contexts are to scores that hold at any time.
#[derive(Serialize, ToSchema)]
pub(crate) struct ContextsView {
    /// `these` or `such`: whether it holds for the contexts of the study, or for others like them.
    #[schema(value_type = String)]
    pub(super) about: About,
    /// How many contexts have votes.
    pub(super) seen: u64,
    /// The standard deviation, in log-odds, of what an item has of its own in a context.
    pub(super) spread: f64,
    /// So many more contexts at least settle it, where more votes in these would not and that can be told.
    pub(super) needed_at_least: Option<f64>,
    /// So many more contexts at most settle it.
    pub(super) needed_at_most: Option<f64>,
}

/// A score that holds at any time.
#[derive(Serialize, ToSchema)]
pub(crate) struct AnyTimeItem {
    pub(super) item: String,
    pub(super) borda: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    /// Whether it may still be best.
    pub(super) may_be_best: bool,
}

/// What questions are drawn from.
#[derive(Clone, Serialize, ToSchema)]
pub(crate) struct PlanView {
    pub(super) number: u32,
    pub(super) method: Method,
    /// How many pairs it has.
    pub(super) pairs: u64,
    /// The share drawn from all pairs alike.
    pub(crate) audits: f64,
    /// The votes it has seen.
    pub(super) votes: u64,
}
