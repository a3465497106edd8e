//! Hints: what judges think of the items. They guide whom to ask first, and `trust` says how far they are believed;
//! they are never counted as votes.

use super::model::item_model;
use borduel::ballots::{Ballots, PairVotes};
use borduel::judging::{JudgeAnswers, opinion};
use borduel::planning::Guide;
use borduel::ranking::Model;
use borduel::sequential::{Judgement, Options, Reading, Trust};
use borduel::{Contexts, Error, Features};
use borduel_lab::failure::Failure;
use borduel_report::plain;
use borduel_votes::{Items, ReadOptions, TableOptions, VoteReader, read_scores};
use clap::ValueEnum;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// How far features and hints are believed, as the command line has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TrustChoice {
    /// As far as the votes bear it out, item by item
    Checked,
    /// The same, provided that features and hints are wrong about no item in particular
    Typical,
    /// Altogether: only where it is known to hold
    Model,
    /// Not at all, nor whoever chooses the pairs: every pair by itself, for several times the votes
    Nothing,
}

impl From<TrustChoice> for Trust {
    fn from(choice: TrustChoice) -> Self {
        match choice {
            TrustChoice::Checked => Self::Checked,
            TrustChoice::Typical => Self::Typical,
            TrustChoice::Model => Self::Model,
            TrustChoice::Nothing => Self::Nothing,
        }
    }
}

/// What one judge thinks.
#[derive(Debug, Clone, Serialize)]
pub struct Hint {
    /// The name of the file.
    file: String,
    /// How many votes of the judge it comes from; none where they are scores.
    votes: Option<f64>,
    /// About how many items it says something.
    items: usize,
    /// One number an item of the list; in the middle where it says nothing.
    #[serde(skip)]
    scores: Vec<f64>,
    /// Its answers, where they come in contexts.
    #[serde(skip)]
    pub(crate) answers: Option<Ballots>,
}

impl Hint {
    /// What a judge's votes say of the items of this list.
    ///
    /// # Errors
    /// Votes that do not tell the items apart.
    pub fn of_votes(file: &str, judge: &Ballots, list: &Items) -> Result<Self, Failure> {
        let said = opinion(judge).map_err(|error| Failure::Data(format!("{file}: {error}")))?;
        Self::new(file, said, Some(judge.used()), list)
    }

    /// What scores say of the items of this list.
    ///
    /// # Errors
    /// Scores that do not tell the items apart.
    pub fn of_scores(file: &str, said: Vec<(String, f64)>, list: &Items) -> Result<Self, Failure> {
        Self::new(file, said, None, list)
    }

    fn new(file: &str, said: Vec<(String, f64)>, votes: Option<f64>, list: &Items) -> Result<Self, Failure> {
        let index = list.index();
        let mut found: Vec<Option<f64>> = vec![None; list.ids.len()];
        for (name, score) in said {
            if let Ok(item) = index.find(&name) {
                found[item] = Some(score);
            }
        }
        let known: Vec<f64> = found.iter().copied().flatten().collect();
        let mean = known.iter().sum::<f64>() / known.len().max(1) as f64;
        if known.iter().all(|score| *score == mean) {
            let why = if known.len() < 2 { "names fewer than two of the items" } else { "says the same of all items" };
            let remedy = "it has to tell them apart, under their names";
            return Err(Failure::Data(format!("{file}: as a hint it {why}: {remedy}")));
        }
        let scores = found.into_iter().map(|score| score.unwrap_or(mean)).collect();
        Ok(Self { file: file.to_owned(), votes, items: known.len(), scores, answers: None })
    }
}

/// Refuses a judge who is among the people: its answers would foretell themselves, and intervals shrink for nothing.
///
/// # Errors
/// A voter of both, or the same votes.
pub fn stands_apart(people: &Ballots, judge: &Ballots) -> borduel::Result<()> {
    let voters = |ballots: &Ballots| -> BTreeSet<String> {
        (0..ballots.copies().len()).filter_map(|voter| ballots.voter_name(voter)).collect()
    };
    let why = if let Some(name) = voters(people).intersection(&voters(judge)).next() {
        format!("has votes of {name:?}, who is among the voters")
    } else if answers(people) == answers(judge) {
        "has the same votes".to_owned()
    } else {
        return Ok(());
    };
    Err(Error::Data(format!(
        "the hint {why}: a judge that foretells itself tells nothing about people; leave its votes out of one of the \
         two"
    )))
}

/// What was answered about every pair, with its weights: items and contexts by their names.
fn answers(ballots: &Ballots) -> BTreeSet<(&str, &str, Option<String>, [u64; 2])> {
    let contexts = ballots.context_names();
    let name = |item: u32| ballots.items()[item as usize].as_str();
    let context = |cell: Option<u32>| cell.map(|context| contexts[context as usize].clone());
    let row = |cell: &PairVotes| {
        (name(cell.left), name(cell.right), context(cell.context), [cell.w, cell.wr].map(f64::to_bits))
    };
    ballots.cells().iter().map(row).collect()
}

/// The hints of these files about the items of this list, none of which may be among these votes.
pub(crate) fn read_hints(paths: &[PathBuf], list: &Items, people: Option<&Ballots>) -> Result<Vec<Hint>, Failure> {
    paths.iter().map(|path| read_hint(&path.to_string_lossy(), list, people)).collect()
}

fn read_hint(file: &str, list: &Items, people: Option<&Ballots>) -> Result<Hint, Failure> {
    let data = |error: String| Failure::Data(error);
    let scores = read_scores(file, &TableOptions::default()).map_err(|error| data(error.to_string()))?;
    if let Some(scores) = scores {
        return Hint::of_scores(file, scores, list);
    }
    let mut reader = VoteReader::new(ReadOptions::default());
    reader.read_all(&[file.to_owned()]).map_err(|error| data(error.to_string()))?;
    let judge = reader.finish_all().ballots;
    if let Some(people) = people {
        stands_apart(people, &judge).map_err(|error| data(format!("{file}: {error}")))?;
    }
    let hint = Hint::of_votes(file, &judge.without_contexts(), list)?;
    Ok(Hint { answers: (judge.contexts() > 0).then_some(judge), ..hint })
}

/// The model of a list of items with hints: each is one more feature.
pub(crate) fn hinted_model(list: &Items, hints: &[Hint]) -> Result<Model, Failure> {
    let dim = list.feature_names.len();
    let own = |item: usize| &list.features[item * dim..(item + 1) * dim];
    let of = |item: usize| own(item).iter().copied().chain(hints.iter().map(move |hint| hint.scores[item]));
    let features = (0..list.ids.len()).flat_map(of).collect();
    let names = hints.iter().map(|hint| hint.file.clone());
    let feature_names = list.feature_names.iter().cloned().chain(names).collect();
    item_model(&Items { features, feature_names, ..list.clone() })
}

/// What judges answered to the questions about the items of this list in these contexts; nothing where no pair was
/// answered in all of them. Items that cannot be shown in all of them are left as they are.
pub(crate) fn same_questions<'b>(
    judges: impl IntoIterator<Item = &'b Ballots>,
    list: &Items,
    contexts: &Contexts,
) -> Option<JudgeAnswers> {
    let index = list.index();
    let everywhere = |item: &usize| contexts.offered(*item) == contexts.len();
    let item = |name: &str| index.find(name).ok().filter(everywhere).map(|item| item as u32);
    JudgeAnswers::of(judges, &item, contexts.names())
}

/// The verdict at any time on these votes beside judges, each with its file: as in `find`, what each of them thinks is
/// one more feature of the items, believed as far as the options say, and its answers to the same questions are a
/// control variate where the verdict is about these contexts.
///
/// # Errors
/// Features of pairs.
pub fn judge_beside(
    votes: &Ballots,
    judges: &[(String, Ballots)],
    (model, list): (&Model, Option<&Items>),
    options: &Options,
) -> borduel::Result<Judgement> {
    let ids = votes.items().to_vec();
    let plain = Items { names: vec![None; ids.len()], ids, ..Items::default() };
    let list = match (model, list) {
        (Model::Features(_), Some(list)) => list,
        (Model::Features(_), None) => {
            let remedy = "take features of items, or none: what a judge thinks is a feature of items too";
            return Err(Error::setting("hint", "beside features of pairs", remedy));
        }
        _ => &plain,
    };
    // Who does not tell the items apart thinks nothing of them, and may have answered the same questions all the same.
    let hint = |(file, judge): &(String, Ballots)| Hint::of_votes(file, &judge.without_contexts(), list).ok();
    let hints: Vec<Hint> = judges.iter().filter_map(hint).collect();
    let features = match hinted_model(list, &hints).map_err(|failure| Error::Data(failure.to_string()))? {
        Model::Features(features) => features,
        _ => Features::one_hot(list.ids.len())?,
    };
    let answers = judges.iter().map(|(_, judge)| judge);
    let answers = JudgeAnswers::of(answers, &|name| votes.find_item(name), &votes.context_names());
    Ok(Reading::with_contexts(&features, votes, &[], answers.as_ref(), options)?.judgement())
}

/// What hints have to do with which pairs are asked; nothing without any.
///
/// # Errors
/// Features that no model can be made of.
pub fn guide(list: &Items, hints: &[Hint], trust: Trust) -> Result<Option<Guide>, Failure> {
    if hints.is_empty() {
        return Ok(None);
    }
    let Model::Features(features) = hinted_model(list, hints)? else { return Ok(None) };
    let k = list.ids.len() as f64;
    let mut strengths = vec![0.0; list.ids.len()];
    for hint in hints {
        let mean = hint.scores.iter().sum::<f64>() / k;
        let spread = (hint.scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / k).sqrt();
        let each = strengths.iter_mut().zip(&hint.scores);
        each.for_each(|(s, score)| *s += (score - mean) / (spread * hints.len() as f64));
    }
    Ok(Some(Guide::new(features, strengths, trust)))
}

/// What hints have to do with whom is asked, in a sentence; nothing without any. `did` is what they do, of one and of
/// several.
pub(crate) fn told(hints: &[Hint], trust: Trust, did: [&str; 2]) -> Option<String> {
    let [first, ..] = hints else { return None };
    let (what, did, counts, it) = match hints.len() {
        1 => (plain(&first.file).into_owned(), did[0], "counts as no vote", "it is"),
        n => (format!("{n} hints"), did[1], "count as no votes", "they are"),
    };
    let believed = match trust {
        Trust::Checked => "no claim about two items rests on what is said there of either".to_owned(),
        Trust::Typical => format!("{it} believed as far as the errors over all items bear it out"),
        _ => format!("{it} believed altogether"),
    };
    Some(format!("{what} {did} and {counts}; {believed}."))
}
