//! What a study says at one moment, computed once for programs and pages: the verdict of the last look, scores that
//! hold at any time, the ranking of this moment, what is asked next, and how fast votes come.

pub(crate) mod groups;
mod networks;

use crate::api_result::ApiResult;
use crate::criterion::CriterionView;
use crate::problem::Problem;
use borduel_rank::About;
use borduel_rank::ranking::{Forecast, RankOptions, Ranking, Verdict, VerdictKind};
use borduel_rank::sequential::{Goal, Judgement, Trust, Until};
use borduel_report::judging::Judged;
use borduel_report::ranking::{Document, Hint, Ranked, Source, rejudge};
use borduel_report::sequential;
use borduel_report::verdict::Statement;
use borduel_study::State as Study;
use borduel_study::event::{Millis, Scope, Status};
use borduel_study::export::time;
use borduel_study::settings::{Criterion, Goal as Wanted, Method, Stop};
use borduel_study::standing::{Evidence, holds_at_any_time, look_level, next_look};
use serde::Serialize;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use utoipa::ToSchema;

/// A study as it was computed, with what that cost.
#[derive(Clone)]
pub(crate) struct Cached {
    pub(crate) made: Instant,
    pub(crate) cost: Duration,
    pub(crate) outcome: Arc<Outcome>,
}

/// What a study says.
#[derive(Serialize, ToSchema)]
pub(crate) struct ResultsView {
    /// How many events it rests on.
    head: u64,
    /// When it was computed.
    computed_at: String,
    status: Status,
    /// Of several questions about each pair, the key of the one that all that follows is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    criterion: Option<String>,
    /// All of these questions, and how each is answered by now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    criteria: Vec<CriterionView>,
    /// The votes that count.
    votes: u64,
    voters: u64,
    /// The answers of judges that are hints and never counted as votes, where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    hints: Option<u64>,
    /// What these cost and save, where they have a price.
    #[serde(skip_serializing_if = "Option::is_none")]
    hints_paid: Option<PaidView>,
    verdict: VerdictView,
    /// Scores that hold at any time, however often somebody looks; none before there are votes, and of the model `counts`.
    any_time: Option<AnyTimeView>,
    /// The JSON object of `borduel rank --sequential` at this moment, with the verdict above.
    #[schema(value_type = Option<Object>)]
    ranking: Option<Box<RawValue>>,
    /// Why there is no ranking yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    unranked: Option<String>,
    /// How much better voters found the better one, item by item, where the study asks for it. Scores and verdicts do not
    /// depend on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    grades: Option<Vec<GradeView>>,
    plan: PlanView,
}

/// What answers of judges cost and save that are hints, in votes of people.
#[derive(Clone, Copy, Serialize, ToSchema)]
pub(crate) struct PaidView {
    /// What they cost.
    cost: f64,
    /// How many more votes would be needed without them, to know as much.
    saves: f64,
}

impl PaidView {
    fn new(state: &Study, saved: f64) -> Option<Self> {
        let price = state.settings.judge_price;
        let cost = price * state.hints() as f64;
        (cost > 0.0).then(|| Self { cost, saves: state.votes as f64 * saved / (1.0 - saved) })
    }

    fn sentence(self) -> String {
        format!("They cost as much as {:.1} votes of people, and saved about {:.0}.", self.cost, self.saves)
    }
}

/// How much better voters found an item.
#[derive(Serialize, ToSchema)]
pub(crate) struct GradeView {
    item: String,
    /// The votes for it that say how much better it is.
    graded: u64,
    /// Those that say much.
    much: u64,
}

/// The verdict of the last look. Whoever stops at a verdict is wrong with a chance of at most 1 − level over the whole life of
/// the study: because looks hold at any time, or because they pay for each other.
#[derive(Clone, Serialize, ToSchema)]
pub(crate) struct VerdictView {
    /// `clear-winner` (better than every other item), `good-enough` (nobody is better than the first of the winners by more than the
    /// margin), `tie` (the winners differ by less than the margin) or `not-enough`.
    #[schema(value_type = String)]
    pub(crate) kind: VerdictKind,
    /// What comes out, in a few words.
    pub(crate) head: String,
    /// The same in a sentence that says what it means and how sure it is.
    pub(crate) text: String,
    /// The keys of all that may be best, the leader first: the clear winner alone; who may be chosen and who may be just as good; those
    /// that tie; or all that may still be best.
    pub(crate) winners: Vec<String>,
    /// The number of voters, where they are so few that they speak for nobody else.
    pub(crate) few_voters: Option<u32>,
    /// `any-time` or `spent`: whether looks hold by themselves, or pay for each other.
    method: &'static str,
    /// Which look it is, from 0; none before the first.
    pub(crate) look: Option<u32>,
    /// When it was taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    /// The votes counted then.
    votes: u64,
    /// The votes at which the next look is taken.
    pub(crate) next_look: u64,
    /// The confidence of all looks together.
    pub(crate) level: f64,
    /// The confidence spent on this one.
    look_level: f64,
}

/// Scores that hold at any time.
#[derive(Serialize, ToSchema)]
pub(crate) struct AnyTimeView {
    /// So many more votes at least settle it, in 8 of 10 such cases, where that can be told.
    needed_at_least: Option<f64>,
    /// So many more votes at most settle it, in 8 of 10 such cases, where that can be told.
    needed_at_most: Option<f64>,
    /// The standard deviation of what the model cannot express, in log-odds.
    misfit: f64,
    /// What the contexts are to it, where votes have some.
    #[serde(skip_serializing_if = "Option::is_none")]
    contexts: Option<ContextsView>,
    items: Vec<AnyTimeItem>,
}

/// What contexts are to scores that hold at any time.
#[derive(Serialize, ToSchema)]
pub(crate) struct ContextsView {
    /// `these` or `such`: whether it holds for the contexts of the study, or for others like them.
    #[schema(value_type = String)]
    about: About,
    /// How many contexts have votes.
    seen: u64,
    /// The standard deviation, in log-odds, of what an item has of its own in a context.
    spread: f64,
    /// So many more contexts at least settle it, where more votes in these would not and that can be told.
    needed_at_least: Option<f64>,
    /// So many more contexts at most settle it.
    needed_at_most: Option<f64>,
}

/// A score that holds at any time.
#[derive(Serialize, ToSchema)]
pub(crate) struct AnyTimeItem {
    item: String,
    borda: f64,
    low: f64,
    high: f64,
    /// Whether it may still be best.
    may_be_best: bool,
}

/// What questions are drawn from.
#[derive(Clone, Serialize, ToSchema)]
pub(crate) struct PlanView {
    number: u32,
    method: Method,
    /// How many pairs it has.
    pairs: u64,
    /// The share drawn from all pairs alike.
    pub(crate) audits: f64,
    /// The votes it has seen.
    votes: u64,
}

/// The ranking of a study with what it was made of.
pub(crate) struct Standing {
    ranking: Ranking,
    evidence: Evidence,
    options: RankOptions,
    names: Vec<Option<String>>,
    /// The study's verdict, in words.
    verdict: String,
    /// What judges are worth whose answers are hints, and what comes of them.
    hint: Option<Hint>,
}

impl Standing {
    /// The ranking as the report wants it.
    pub(crate) fn ranked(&self) -> Ranked<'_> {
        let ballots = self.evidence.votes_in_contexts();
        let hint = self.hint.as_ref();
        let source = Source { rows: ballots.totals().total() as u64, hint, ..Source::default() };
        let (ranking, options, names) = (&self.ranking, &self.options, &self.names);
        Ranked { ranking, ballots, options, names, source, strength: false, verdict: Some(&self.verdict) }
    }
}

impl Standing {
    /// Puts the study's verdict in the place of the ranking's own: that of the last look, in which all that a study says agrees.
    fn take_verdict(&mut self, verdict: &VerdictView, forecast: Option<Forecast>, best: bool) {
        let place: HashMap<&str, usize> =
            self.evidence.ballots.items().iter().enumerate().map(|(at, key)| (key.as_str(), at)).collect();
        let winners = verdict.winners.iter().filter_map(|key| place.get(key.as_str()).copied()).collect();
        let mut own = Verdict::new(verdict.kind, winners);
        own.forecast = forecast.filter(|_| verdict.kind == VerdictKind::NotEnough);
        own.few_voters = verdict.few_voters;
        self.ranking.verdict = own;
        if best {
            self.ranking.place_first();
        }
    }
}

/// A study at one moment.
pub(crate) struct Outcome {
    pub(crate) head: u64,
    /// When it was computed.
    pub(crate) computed_at: Millis,
    /// Whether its scores are still being computed.
    pub(crate) unscored: bool,
    /// For programs.
    pub(crate) json: Arc<str>,
    /// Of several questions about each pair, the place of the one that it is about.
    pub(crate) criterion: usize,
    /// All of these questions.
    pub(crate) criteria: Vec<CriterionView>,
    pub(crate) status: Status,
    pub(crate) votes: u64,
    pub(crate) voters: u64,
    /// The answers that are hints.
    pub(crate) hints: u64,
    pub(crate) items: usize,
    pub(crate) verdict: VerdictView,
    /// At which verdict one may stop.
    pub(crate) until: Until,
    /// After how many votes the study closes, where it has a budget.
    pub(crate) budget: Option<u64>,
    /// How many more votes settle it, where that is known.
    pub(crate) forecast: Option<Forecast>,
    /// How many more contexts do, where more votes in these would not.
    pub(crate) more_contexts: Option<Forecast>,
    /// What the contexts are, in the plural.
    pub(crate) contexts_are: String,
    /// About which contexts the verdict speaks, where there is one.
    pub(crate) scope: Option<Scope>,
    /// What is to be found.
    pub(crate) goal: Goal,
    /// The names of the items, by key.
    pub(crate) titles: HashMap<String, String>,
    /// The ranking, with scores that hold at any time where there are such.
    pub(crate) standing: Option<Standing>,
    /// The chance to be best by the ranking of this moment, by the item's place in the ballots.
    pub(crate) chances: HashMap<usize, f64>,
    /// By the item's key, the votes for it that say how much better it is, and those that say much; empty where the study
    /// does not ask for it.
    pub(crate) grades: HashMap<String, (u64, u64)>,
    /// Why there is no ranking.
    pub(crate) unranked: Option<String>,
    /// Votes a minute in the last ten minutes.
    pub(crate) rate: f64,
    /// Minutes since the first vote, and the votes until then.
    pub(crate) growth: Vec<(f64, f64)>,
    pub(crate) method: Method,
    pub(crate) plan: PlanView,
    /// What is asked most: two titles and the share of the questions that are planned.
    pub(crate) next: Vec<(String, String, f64)>,
}

impl Outcome {
    /// Computes it, by one of the questions that are asked about each pair.
    ///
    /// # Errors
    /// A ranking that cannot be written down, which does not happen.
    pub(crate) fn of(state: &Study, criterion: usize, titles: &[String], now: Millis) -> ApiResult<Self> {
        let criteria = criteria(state, titles);
        let state = state.by(criterion);
        Self::with(&state, (criterion, criteria), titles, now, Some(ranked(&state, titles)))
    }

    /// All of it but what takes long: without scores.
    ///
    /// # Errors
    /// Something that cannot be written down, which does not happen.
    pub(crate) fn unscored(state: &Study, criterion: usize, titles: &[String], now: Millis) -> ApiResult<Self> {
        Self::with(&state.by(criterion), (criterion, criteria(state, titles)), titles, now, None)
    }

    /// The same of a study of one question, which is one of these.
    fn with(
        state: &Study,
        (criterion, criteria): (usize, Vec<CriterionView>),
        titles: &[String],
        now: Millis,
        scores: Option<ApiResult<Standing>>,
    ) -> ApiResult<Self> {
        let internal = |error: &dyn std::fmt::Display| Problem::new("internal", error.to_string());
        let label = |item: u16| titles.get(usize::from(item)).cloned().unwrap_or_default();
        let (mut ranking, mut unranked, mut standing) = (None, None, None);
        let (mut any_time_view, mut forecast, mut more_contexts) = (None, None, None);
        let mut hints_paid = PaidView::new(state, 0.0);
        let mut chances = HashMap::new();
        let mut verdict = verdict(state, None, label);
        let unscored = scores.is_none();
        let later = "the scores are being computed, which takes longer than an answer may: ask again in a moment";
        match scores.unwrap_or_else(|| Err(Problem::new("unavailable", later))) {
            Ok(mut found) => {
                let few_voters = found.ranking.verdict.few_voters;
                verdict = self::verdict(state, few_voters, label);
                found.verdict.clone_from(&verdict.text);
                chances.extend(found.ranking.items.iter().filter_map(|score| Some((score.item, score.p_best?))));
                if let Some(judgement) = found.evidence.judge(&state.settings)? {
                    rejudge(&mut found.ranking, &judgement);
                    if let (Some(hint), Some(control)) = (&mut found.hint, judgement.control) {
                        hint.text = format!("{} {}", hint.text, borduel_report::sequential::saved(&control));
                        hint.saved = control.saved;
                        hints_paid = PaidView::new(state, control.saved);
                    }
                    if let (Some(hint), Some(paid)) = (&mut found.hint, hints_paid) {
                        hint.text = format!("{} {}", hint.text, paid.sentence());
                    }
                    any_time_view = Some(any_time(&judgement, state, &verdict));
                    forecast = judgement.forecast;
                    more_contexts = judgement.contexts.and_then(|contexts| contexts.more);
                }
                found.take_verdict(&verdict, forecast, state.settings.goal == Wanted::Winner);
                found.ranking.checks.extend(networks::check(state));
                let document = Document::of(&found.ranked());
                ranking = Some(serde_json::value::to_raw_value(&document).map_err(|error| internal(&error))?);
                // What is shown of them are sums: who voted what would be most of what is kept.
                found.evidence.forget_voters();
                standing = Some(found);
            }
            Err(problem) => unranked = Some(problem.detail),
        }
        let plan = PlanView {
            number: state.plan.number,
            method: state.plan.method.unwrap_or(Method::Uniform),
            pairs: state.plan.pairs.len() as u64,
            audits: if state.plan.pairs.is_empty() { 1.0 } else { state.plan.audits },
            votes: state.plan.votes,
        };
        let (votes, voters, hints) = (state.votes, state.electorate(), state.hints());
        let view = ResultsView {
            head: state.head,
            computed_at: time(now),
            status: state.status,
            criterion: criteria.get(criterion).map(|criterion| criterion.key.clone()),
            criteria: criteria.clone(),
            votes,
            voters,
            hints: Some(hints).filter(|hints| *hints > 0),
            hints_paid,
            verdict: verdict.clone(),
            any_time: any_time_view,
            ranking,
            unranked: unranked.clone(),
            grades: state.graded.then(|| grades(state)),
            plan: plan.clone(),
        };
        let json = serde_json::to_string(&view).map_err(|error| internal(&error))?.into();
        let grades = view.grades.into_iter().flatten().map(|one| (one.item, (one.graded, one.much))).collect();
        let times = times(state);
        Ok(Self {
            head: state.head,
            computed_at: now,
            unscored,
            json,
            criterion,
            criteria,
            status: state.status,
            votes,
            voters,
            hints,
            items: state.enabled().count(),
            verdict,
            until: state.settings.stop.until().unwrap_or_default(),
            budget: if let Stop::Votes(votes) = state.settings.stop { Some(votes) } else { None },
            forecast,
            more_contexts,
            contexts_are: state.settings.contexts_are().to_owned(),
            scope: scope(state),
            goal: goal(state),
            titles: state.enabled().map(|item| (state.items[usize::from(item)].key.clone(), label(item))).collect(),
            standing,
            chances,
            grades,
            unranked,
            rate: lately(state, &times, now) as f64 / 10.0,
            growth: growth(&times),
            method: state.settings.planner,
            next: next(state, label),
            plan,
        })
    }
}

/// The questions that are asked about each pair, and what comes out by each; none where it is one.
fn criteria(state: &Study, titles: &[String]) -> Vec<CriterionView> {
    let label = |item: u16| titles.get(usize::from(item)).cloned().unwrap_or_default();
    let one = |(place, asked): (usize, &Criterion)| {
        let VerdictView { kind, head, winners, look, .. } = verdict(&state.judged_as(place), None, label);
        let verdict = look.map(|_| kind);
        let kind = serde_json::to_value(kind).ok().and_then(|kind| kind.as_str().map(str::to_owned));
        let (key, question, votes) = (asked.key.clone(), asked.question.clone(), state.votes_by(place));
        CriterionView { key, question, votes, kind: kind.unwrap_or_default(), head, verdict, winners }
    };
    state.settings.criteria.iter().enumerate().map(one).collect()
}

/// How much better voters found each of the items that are asked about.
fn grades(state: &Study) -> Vec<GradeView> {
    let grades = state.grades();
    let one = |item: u16| {
        let (graded, much) = grades[usize::from(item)];
        GradeView { item: state.items[usize::from(item)].key.clone(), graded, much }
    };
    state.enabled().map(one).collect()
}

/// Ranks a study at this moment.
fn ranked(state: &Study, titles: &[String]) -> ApiResult<Standing> {
    ranked_of(state, titles, Evidence::of(state)?)
}

/// Ranks what is known.
fn ranked_of(state: &Study, titles: &[String], evidence: Evidence) -> ApiResult<Standing> {
    let level = state.settings.level;
    let (ranking, options, control) = evidence.rank(&state.settings, level)?;
    let worth = evidence.worth_of_judges(level);
    let judged = worth.as_ref().map(|worth| Judged { worth, sources: ("the votes", "the hints"), paid: None });
    // What answers to the same questions do to scores that hold at any time is the judgement's to say.
    let hint = judged.map(|judged| {
        if holds_at_any_time(state) {
            hinted(&judged, state.settings.trust)
        } else {
            judged.hint(control, state.settings.contexts_are())
        }
    });
    let names = evidence.items.iter().map(|&item| titles.get(usize::from(item)).cloned()).collect();
    Ok(Standing { ranking, evidence, options, names, verdict: String::new(), hint })
}

/// What judges are worth, and how far they are believed where they guide what is asked.
fn hinted(judged: &Judged<'_>, trust: Trust) -> Hint {
    let believed = match trust {
        Trust::Checked => "no claim about two items rests on what they say of either",
        Trust::Typical => "they are believed as far as their errors over all items bear it out",
        _ => "they are believed altogether",
    };
    let text = format!("Hints, not counted as votes: {} They guide what is asked; {believed}.", judged.verdict());
    Hint { text, saved: 0.0, control: None, judge: judged.worth.clone() }
}

fn any_time(judgement: &Judgement, state: &Study, verdict: &VerdictView) -> AnyTimeView {
    let enabled: Vec<u16> = state.enabled().collect();
    let item = |standing: &borduel_rank::sequential::ItemStanding| {
        let key = &state.items[usize::from(enabled[standing.item])].key;
        let (borda, low, high) = (standing.borda, standing.low, standing.high);
        AnyTimeItem { item: key.clone(), borda, low, high, may_be_best: verdict.winners.contains(key) }
    };
    let items = judgement.items.iter().map(item).collect();
    let (needed_at_least, needed_at_most) = judgement.forecast.and_then(|forecast| forecast.range()).unzip();
    let contexts = judgement.contexts.map(|contexts| {
        let (needed_at_least, needed_at_most) = contexts.more.and_then(|more| more.range()).unzip();
        let (about, seen, spread) = (contexts.about, contexts.seen as u64, contexts.spread);
        ContextsView { about, seen, spread, needed_at_least, needed_at_most }
    });
    AnyTimeView { needed_at_least, needed_at_most, misfit: judgement.misfit, contexts, items }
}

fn verdict(state: &Study, few_voters: Option<u32>, name: impl Fn(u16) -> String) -> VerdictView {
    let (level, next_look) = (state.settings.level, next_look(state));
    let any_time = holds_at_any_time(state);
    let method = if any_time { "any-time" } else { "spent" };
    let key = |item: &u16| state.items[usize::from(*item)].key.clone();
    let Some(judged) = &state.judged else {
        return VerdictView {
            kind: VerdictKind::NotEnough,
            head: "No result yet".to_owned(),
            text: format!(
                "Not enough votes: the first result comes after {next_look} votes, so far {} count.",
                state.votes
            ),
            winners: state.enabled().map(|item| key(&item)).collect(),
            method,
            few_voters: None,
            look: None,
            at: None,
            votes: state.votes,
            next_look,
            level,
            look_level: if any_time { level } else { look_level(level, 0) },
        };
    };
    let provided = state.settings.trust.assumption().filter(|_| any_time);
    let provided = provided.map_or_else(String::new, |what| format!(", provided that {what}"));
    let sure = sequential::sure(level) + &provided;
    let (sure, more) = match judged.kind {
        VerdictKind::NotEnough if judged.void => (sure, "; what counts has changed since the last look".to_owned()),
        VerdictKind::NotEnough => (sure, format!("; as of {} votes", judged.votes)),
        _ => (format!("{sure}; reached at {} votes", judged.reached), String::new()),
    };
    let more = about(state) + &more;
    let winners: Vec<usize> = judged.winners.iter().map(|&item| usize::from(item)).collect();
    let said = Statement {
        kind: judged.kind,
        goal: goal(state),
        winners: &winners,
        items: state.enabled().count(),
        score: None,
        margin: state.settings.margin,
        sure: &sure,
        more: &more,
        few_voters,
        about: "",
    };
    let name = |item: usize| u16::try_from(item).map_or_else(|_| String::new(), &name);
    VerdictView {
        kind: judged.kind,
        head: said.head(&name),
        text: said.text(&name),
        winners: judged.winners.iter().map(key).collect(),
        few_voters,
        method,
        look: Some(judged.look),
        at: Some(time(judged.at)),
        votes: judged.votes,
        next_look,
        level,
        look_level: judged.level,
    }
}

/// What is to be found.
fn goal(state: &Study) -> Goal {
    if holds_at_any_time(state) { state.settings.goal.of(state.enabled().count()) } else { Goal::Winner }
}

/// About which contexts the verdict speaks, where there is one.
fn scope(state: &Study) -> Option<Scope> {
    state.judged.as_ref().filter(|judged| !judged.void).and_then(|judged| judged.about)
}

/// The same in words.
fn about(state: &Study) -> String {
    let said = |scope: Scope| sequential::about(scope.about, scope.seen as usize, state.settings.contexts_are());
    scope(state).map_or_else(String::new, said)
}

/// When the votes that count were cast, in seconds since the study was created, in order.
fn times(state: &Study) -> Vec<u32> {
    // Room for all of them at once: a list that grows would take up to three times as much.
    let mut times = Vec::with_capacity(state.votes as usize);
    times.extend(state.questions.iter().filter(|question| state.counts(question)).map(|question| question.second_at));
    times.sort_unstable();
    times
}

/// How many votes were cast in the last ten minutes.
fn lately(state: &Study, times: &[u32], now: Millis) -> usize {
    let recent = |second: u32| now - (state.created + i64::from(second) * 1000) <= 600_000;
    times.iter().rev().take_while(|&&second| recent(second)).count()
}

/// The most points of a curve.
const POINTS: usize = 120;

fn growth(times: &[u32]) -> Vec<(f64, f64)> {
    let Some(&first) = times.first() else { return Vec::new() };
    let step = times.len().div_ceil(POINTS).max(1);
    let point = |at: usize| (f64::from(times[at] - first) / 60.0, (at + 1) as f64);
    let mut points: Vec<(f64, f64)> = (0..times.len()).step_by(step).map(point).collect();
    if !(times.len() - 1).is_multiple_of(step) {
        points.push(point(times.len() - 1));
    }
    points
}

/// How many of the most asked pairs are shown.
const SHOWN: usize = 6;

fn next(state: &Study, name: impl Fn(u16) -> String) -> Vec<(String, String, f64)> {
    let mut pairs = state.plan.pairs.clone();
    let total: f64 = pairs.iter().map(|pair| f64::from(pair.2)).sum();
    pairs.sort_by_key(|&(i, j, weight)| (std::cmp::Reverse(weight), i, j));
    pairs.into_iter().take(SHOWN).map(|(i, j, weight)| (name(i), name(j), f64::from(weight) / total)).collect()
}
