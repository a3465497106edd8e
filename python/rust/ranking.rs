//! Rankings: what the command `rank` makes of votes.

use crate::design::trust;
use crate::errors;
use crate::votes::{Ballots, Items, choice};
use crate::watch::{stopped, watched};
use borduel::judging::{rank_controlled, worth};
use borduel::planning::questions_to_settle;
use borduel::ranking::{Model, RankOptions, Ranking, Scale, rank_weighed, reliability, rests_on};
use borduel::sequential::{Options, judge_ballots};
use borduel::stop::heeding;
use borduel::{About, Features};
use borduel_cli::votes::adaptive::looks_adaptive;
use borduel_cli::votes::hint::{judge_beside, stands_apart};
use borduel_cli::votes::model::item_model;
use borduel_report::judging::Judged;
use borduel_report::ranking::{Breakdown, Document, Hint, Source, page_beside, rejudge, standalone_forest};
use borduel_report::sequential;
use borduel_votes::{ItemIndex, Rows};
use pyo3::prelude::*;
use std::sync::Arc;

/// How to rank: the options of the command line, all of them there.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Ranks {
    model: Option<String>,
    level: f64,
    margin: f64,
    clustered: bool,
    about: Option<String>,
    bootstrap: Option<usize>,
    seed: u64,
    least_votes: f64,
    exclude_items: Vec<String>,
    adjust_position: bool,
    strength: bool,
    elo: bool,
    anchor: Option<(Option<String>, f64)>,
    chances: bool,
    sequential: bool,
    trust: String,
    weigh: bool,
    jobs: Option<usize>,
}

/// A ranking, and everything that is said beside it.
#[pyclass(module = "borduel._core", frozen)]
pub(crate) struct Ranked {
    ranking: Ranking,
    ballots: Arc<borduel::ballots::Ballots>,
    options: RankOptions,
    names: Vec<Option<String>>,
    rows: Rows,
    notes: Vec<String>,
    strength: bool,
    /// The verdict in words, where it is that which holds at all times.
    verdict: Option<String>,
    /// What a judge is worth whose votes are a hint, and what its answers did.
    hint: Option<Hint>,
}

impl Ranked {
    fn shown(&self) -> borduel_report::ranking::Ranked<'_> {
        let Rows { read, set_aside, unanswered, .. } = self.rows;
        let hint = self.hint.as_ref();
        borduel_report::ranking::Ranked {
            ranking: &self.ranking,
            ballots: &self.ballots,
            options: &self.options,
            names: &self.names,
            source: Source { rows: read, set_aside, unanswered, notes: &self.notes, hint, ..Source::default() },
            strength: self.strength,
            verdict: self.verdict.as_deref(),
        }
    }
}

#[pymethods]
impl Ranked {
    /// The object of `rank --format json`.
    fn json(&self) -> PyResult<String> {
        Document::of(&self.shown()).json().map_err(|error| errors::data(&error.to_string()))
    }

    /// What `rank` prints.
    fn text(&self) -> String {
        self.shown().text()
    }

    /// The forest plot as a picture of its own.
    fn svg(&self) -> String {
        standalone_forest(&self.shown())
    }

    /// The table as HTML.
    fn table(&self) -> String {
        self.shown().table().html().into_string()
    }

    /// The whole page: with the question that was asked, the files of votes, and a date, as far as they are given.
    #[pyo3(signature = (question = None, paths = Vec::new(), date = None))]
    fn page(&self, question: Option<&str>, paths: Vec<String>, date: Option<&str>) -> String {
        let files = if paths.is_empty() {
            date.map(str::to_owned)
        } else {
            Some(borduel_cli::votes::files::label(&paths, date))
        };
        let mut shown = self.shown();
        (shown.source.question, shown.source.files) = (question, files.as_deref());
        page_beside(&Breakdown::alone(shown))
    }

    /// Whether the questions seem to have followed the answers.
    fn looks_adaptive(&self) -> bool {
        looks_adaptive(&self.ballots, &self.ranking)
    }

    /// The pairs that were compared: first, second, votes, share, fitted.
    fn pairs(&self) -> Vec<(String, String, f64, f64, Option<f64>)> {
        let name = |place: usize| self.ballots.items()[self.ranking.items[place].item].clone();
        let pairs = self.ranking.pairs.iter();
        pairs.map(|pair| (name(pair.first), name(pair.second), pair.votes, pair.share, pair.fitted)).collect()
    }
}

/// Ranks the items of these ballots.
#[pyfunction]
#[pyo3(signature = (ballots, ranks, items = None, hint = None))]
pub(crate) fn rank(
    py: Python<'_>,
    ballots: &Bound<'_, Ballots>,
    ranks: Ranks,
    items: Option<&Bound<'_, Items>>,
    hint: Option<&Bound<'_, Ballots>>,
) -> PyResult<Ranked> {
    let (ballots, items) = (ballots.get(), items.map(|items| items.get().0.clone()));
    let names = items.as_ref().map_or_else(Vec::new, |items| items.names.clone());
    let model = model(&ranks, items.as_deref(), ballots)?;
    let options = options(&ranks, items.as_deref(), ballots)?;
    let ignored = ranks.about.as_deref() == Some("ignore");
    let inner = if ignored { Arc::new(ballots.inner.without_contexts()) } else { ballots.inner.clone() };
    let (votes, sequential, weigh, jobs) = (inner, ranks.sequential, ranks.weigh, ranks.jobs);
    let trust = trust(&ranks.trust)?;
    let listed = items.clone();
    let (given, judge) = (options.clone(), hint.map(|hint| hint.get().inner.clone()));
    let made = watched(py, move |stop| {
        let work = || {
            if weigh {
                let (weighed, mut ranking) = rank_weighed(&votes, &model, &given)?;
                settle(&mut ranking, &weighed, &model, &given);
                return Ok((ranking, None, Arc::new(weighed), None));
            }
            if let Some(judge) = judge.as_ref().filter(|_| !sequential) {
                stands_apart(&votes, judge)?;
                let worth = worth(&votes, judge, given.level, None)?;
                let (mut ranking, control) = rank_controlled(&votes, judge, &model, &given)?;
                if let Some(found) = reliability(&votes, &model, &given) {
                    ranking.rely(found);
                }
                if control.is_none() {
                    settle(&mut ranking, &votes, &model, &given);
                }
                let judged = Judged { worth: &worth, sources: ("these votes", "the hint"), paid: None };
                let hint = judged.hint(control, votes.contexts_are());
                return Ok((ranking, None, votes.clone(), Some(hint)));
            }
            let mut ranking = borduel::ranking::rank(&votes, &model, &given)?;
            if sequential {
                given.check_anytime(&votes)?;
                let features = match &model {
                    Model::Features(features) => features.clone(),
                    Model::OneHot | Model::Counts => Features::one_hot(votes.items().len())?,
                };
                let borduel::ranking::RankOptions { level, margin, about, .. } = given;
                let asked =
                    Options::default().with_level(level).with_margin(margin).with_about(about).with_trust(trust);
                let Some(judge) = &judge else {
                    let judgement = judge_ballots(&features, &votes, &asked)?;
                    rejudge(&mut ranking, &judgement);
                    return Ok((ranking, Some(judgement), votes.clone(), None));
                };
                stands_apart(&votes, judge)?;
                let hints = [("the hint".to_owned(), judge.as_ref().clone())];
                let judgement = judge_beside(&votes, &hints, (&model, listed.as_deref()), &asked)?;
                rejudge(&mut ranking, &judgement);
                let worth = worth(&votes, judge, level, None)?;
                let judged = Judged { worth: &worth, sources: ("these votes", "the hint"), paid: None };
                let hint = judged.hint_at_any_time(judgement.control.as_ref(), judgement.options.trust);
                return Ok((ranking, Some(judgement), votes.clone(), Some(hint)));
            }
            if let Some(found) = reliability(&votes, &model, &given) {
                ranking.rely(found);
            }
            settle(&mut ranking, &votes, &model, &given);
            borduel::Result::Ok((ranking, None, votes.clone(), None))
        };
        borduel_cli::votes::model::with_jobs(jobs.map(|jobs| jobs as u64), || heeding(stop, work))
    })?;
    let (ranking, judgement, inner, hint) = made
        .map_err(|failure| errors::failure(&failure))?
        .ok_or_else(stopped)?
        .map_err(|error| errors::core(&error))?;
    let Ballots { rows, notes, .. } = ballots;
    let notes = notes.clone();
    let (rows, strength) = (*rows, ranks.strength);
    let mut ranked = Ranked { ranking, ballots: inner, options, names, rows, notes, strength, verdict: None, hint };
    ranked.verdict = judgement.map(|judgement| sequential::verdict(&judgement, &|item| ranked.shown().spoken(item)));
    Ok(ranked)
}

/// What the first place rests on, and what would settle it.
fn settle(ranking: &mut Ranking, votes: &borduel::ballots::Ballots, model: &Model, options: &RankOptions) {
    ranking.rests_on = rests_on(votes, model, options, ranking);
    if ranking.verdict.forecast.is_some() {
        // What cannot be planned for is not forecast.
        let chosen = questions_to_settle(votes, model, options, ranking);
        ranking.verdict.compare_where_it_matters(chosen.unwrap_or(None));
    }
}

/// The model asked for, or the one that the data suggest.
fn model(ranks: &Ranks, items: Option<&borduel_votes::Items>, ballots: &Ballots) -> PyResult<Model> {
    let by_items = |items| item_model(items).map_err(|failure| errors::failure(&failure));
    match (ranks.model.as_deref(), items) {
        (Some("counts"), _) if ranks.sequential => Err(errors::setting(
            "model",
            "counts",
            "a verdict that holds at all times needs a model to check: leave it out",
        )),
        (Some("counts"), _) => Ok(Model::Counts),
        (Some("one-hot"), _) | (None, None) => Ok(Model::OneHot),
        (Some("features"), Some(items)) if !items.feature_names.is_empty() => by_items(items),
        (Some("features"), _) => {
            Err(errors::setting("model", "features", "needs items with features: columns called feat_…"))
        }
        (None, Some(items)) if items.ids.len() == ballots.inner.items().len() => by_items(items),
        (None, Some(_)) => Err(errors::data("the votes were read without this list of items: read them with it")),
        (Some(other), _) => {
            Err(errors::core(&borduel::Error::unknown("model", other, &["features", "one-hot", "counts"])))
        }
    }
}

fn options(ranks: &Ranks, items: Option<&borduel_votes::Items>, ballots: &Ballots) -> PyResult<RankOptions> {
    let ids = ballots.inner.items();
    let index = items.map_or_else(|| ItemIndex::of_ids(ids), borduel_votes::Items::index);
    let find =
        |what: &str, name: &str| index.find(name).map_err(|why| errors::setting(what, name, &format!("it {why}")));
    let exclude = ranks.exclude_items.iter().map(|name| find("exclude_items", name)).collect::<PyResult<_>>()?;
    let (item, points) = ranks.anchor.as_ref().map_or((None, 1500.0), |(item, points)| (item.as_deref(), *points));
    let scale = if ranks.elo {
        Scale::Elo { anchor: item.map(|item| find("anchor", item)).transpose()?, points }
    } else {
        Scale::LogOdds
    };
    let known = [("these", Some(About::These)), ("such", Some(About::Such)), ("ignore", None)];
    let about = ranks.about.as_deref().map(|word| choice("about", word, &known)).transpose()?.flatten();
    if let Some(about) = about.filter(|_| ballots.inner.contexts() == 0) {
        let why = "it is not known what the votes are on: name the column of prompts, scenes or queries with context=";
        return Err(errors::setting("about", about.name(), why));
    }
    Ok(RankOptions::default()
        .with_level(ranks.level)
        .with_margin(ranks.margin)
        .with_clustered(ranks.clustered)
        .with_bootstrap(ranks.bootstrap)
        .with_seed(ranks.seed)
        .with_least_votes(ranks.least_votes)
        .with_exclude(exclude)
        .with_adjust_position(ranks.adjust_position)
        .with_scale(scale)
        .with_about(about)
        .with_chances(ranks.chances))
}
