//! What a study says at one moment, computed once for programs and pages: the verdict of the last look, scores that
//! hold at any time, the ranking of this moment, what is asked next, and how fast votes come.

pub(crate) mod groups;
mod networks;
#[cfg(test)]
mod tests;
mod view;

pub(crate) use view::{PlanView, ResultsView, VerdictView};

use crate::api_result::ApiResult;
use crate::criterion::CriterionView;
use crate::problem::Problem;
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
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use view::{AnyTimeItem, AnyTimeView, ContextsView, GradeView, PaidView};

/// A study as it was computed, with what that cost.
#[derive(Clone)]
pub(crate) struct Cached {
    pub(crate) made: Instant,
    pub(crate) cost: Duration,
    pub(crate) outcome: Arc<Outcome>,
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
    /// Puts the study's verdict in the place of the ranking's own: that of the last look, in which all that a study
    /// says agrees.
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
    /// The outcome for programs.
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
    /// By the item's key, the votes for it that say how much better it is, and those that say much; empty where the
    /// study does not ask for it.
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

    /// Who is in front by the scores of this moment, where the best one is looked for and nobody is it yet: the item's
    /// place in the ballots.
    pub(crate) fn in_front(&self) -> Option<usize> {
        let open = self.verdict.kind == VerdictKind::NotEnough && self.verdict.look.is_some();
        let first = self.standing.as_ref()?.ranking.items.first()?;
        (open && self.goal == Goal::Winner).then_some(first.item)
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
        let mut verdict = verdict(state, None, label);
        let unscored = scores.is_none();
        let later = "the scores are being computed, which takes longer than an answer may: ask again in a moment";
        match scores.unwrap_or_else(|| Err(Problem::new("unavailable", later))) {
            Ok(mut found) => {
                let few_voters = found.ranking.verdict.few_voters;
                verdict = self::verdict(state, few_voters, label);
                found.verdict.clone_from(&verdict.text);
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
