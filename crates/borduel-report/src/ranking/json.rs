//! A ranking as one JSON object.

use super::{Check, Ranked};
use borduel::ranking::{Interval, ItemScore};
use serde::Serialize;
use serde_json::{Value, json};

/// The version of the object.
pub const VERSION: u32 = 1;

/// What a score means, for whoever reads it.
const CONVENTION: &str = "borda is the chance to beat a random other item, 1/(K-1) sum over j != i of p(i,j), as a fraction of 1; \
                          rank 1 is best; strength is in log-odds with mean 0 unless another scale was asked for; error is a standard error";

/// The object as text, its keys always in the same order.
///
/// # Errors
/// A number that JSON cannot hold, which a ranking does not have.
pub fn json(ranked: &Ranked<'_>) -> Result<String, crate::Error> {
    Ok(serde_json::to_string_pretty(&object(ranked))? + "\n")
}

#[derive(Serialize)]
pub(super) struct Object<'a> {
    version: u32,
    borduel: &'static str,
    convention: &'static str,
    votes: Value,
    model: String,
    intervals: Value,
    seed: u64,
    verdict: Value,
    checks: Vec<Check<'a>>,
    items: Vec<Item<'a>>,
    unranked: Vec<&'a str>,
    /// All items that are not ranked, and why.
    left_out: Vec<Value>,
    /// What was estimated and removed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    effects: Vec<Value>,
    /// How likely ties are, where they are an outcome of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    tie_propensity: Option<Value>,
    /// p(i,j) in the order of the items, row by row.
    #[serde(skip_serializing_if = "Option::is_none")]
    chances: Option<&'a [Vec<f64>]>,
}

#[derive(Serialize)]
#[expect(clippy::struct_field_names, reason = "the key of the JSON is `item`")]
struct Item<'a> {
    item: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    borda: Value,
    rank: Value,
    p_best: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strength: Option<Value>,
    wins: f64,
    losses: f64,
    ties: f64,
    both_bad: f64,
    skips: f64,
    soft: f64,
}

pub(super) fn interval(interval: &Interval) -> Value {
    json!({"estimate": interval.estimate, "low": interval.low, "high": interval.high, "error": interval.error})
}

pub(super) fn object<'a>(ranked: &'a Ranked<'_>) -> Object<'a> {
    let (ranking, ballots, source) = (ranked.ranking, ranked.ballots, &ranked.source);
    let totals = ballots.totals();
    let item = |score: &ItemScore| Item {
        item: ranked.id(score.item),
        name: ranked.name(score.item),
        borda: interval(&score.borda),
        rank: json!({"low": score.rank.0, "high": score.rank.1}),
        p_best: score.p_best,
        strength: ranked.strength.then(|| score.strength.as_ref().map_or(Value::Null, interval)),
        wins: score.counts.left,
        losses: score.counts.right,
        ties: score.counts.tie,
        both_bad: score.counts.both_bad,
        skips: score.counts.skip,
        soft: score.counts.soft,
    };
    let ids = |items: &[usize]| items.iter().map(|&item| ranked.id(item)).collect::<Vec<_>>();
    Object {
        version: VERSION,
        borduel: env!("CARGO_PKG_VERSION"),
        convention: CONVENTION,
        votes: json!({
            "rows_read": source.rows, "rows_set_aside": source.set_aside, "rows_unanswered": source.unanswered,
            "used": ballots.used(), "effective": ranking.votes.effective, "all": totals.total(),
            "ties": totals.tie, "both_bad": totals.both_bad, "skips": totals.skip, "soft": totals.soft,
            "voters": (!ballots.copies().is_empty()).then(|| ballots.copies().iter().sum::<f64>()),
            "detected": source.notes,
        }),
        model: ranked.model(),
        intervals: json!({
            "method": ranked.intervals(), "level": ranked.options.level, "simultaneous_critical": ranking.critical,
        }),
        seed: ranked.options.seed,
        verdict: json!({
            "kind": ranking.verdict.kind,
            "text": ranked.verdict(),
            "winners": ids(&ranking.verdict.winners),
            "votes_needed": ranking.verdict.votes_needed.map(f64::ceil),
            "chance": ranking.verdict.chance,
            "votes_where_it_matters": ranking.verdict.votes_where_it_matters,
            "margin": ranked.options.margin,
        }),
        checks: ranked.checks(),
        items: ranking.items.iter().map(item).collect(),
        unranked: ids(&ranking.unranked),
        left_out: (ranking.left_out.iter())
            .map(|u| json!({"item": ranked.id(u.item), "why": u.why, "votes": u.votes, "won": u.won}))
            .collect(),
        effects: (ranking.effects.iter())
            .map(|e| json!({"name": e.name, "effect": interval(&e.effect), "advantage": e.advantage, "deviation": e.deviation}))
            .collect(),
        tie_propensity: (ranking.ties)
            .map(|ties| json!({"nu": interval(&ties.nu), "between_equals": interval(&ties.between_equals)})),
        chances: ranking.chances.as_deref(),
    }
}
