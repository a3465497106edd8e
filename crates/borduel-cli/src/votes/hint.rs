//! Hints: what judges think of the items. They guide whom to ask first, and `trust` says how far they are believed;
//! they are never counted as votes.

use super::model::item_model;
use borduel::Error;
use borduel::ballots::{Ballots, PairVotes};
use borduel::judging::opinion;
use borduel::ranking::Model;
use borduel_lab::failure::Failure;
use borduel_votes::{Items, ReadOptions, TableOptions, VoteReader, read_scores};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// What one judge thinks.
pub(crate) struct Hint {
    /// The file.
    pub(crate) file: String,
    /// How many votes of the judge it comes from; none where they are scores.
    pub(crate) votes: Option<f64>,
    /// About how many items it says something.
    pub(crate) items: usize,
    /// One number an item of the list; in the middle where it says nothing.
    scores: Vec<f64>,
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
        "the hint {why}: a judge that foretells itself tells nothing about people; leave its votes out of one of the two"
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

/// The hints of these files about the items of this list.
pub(crate) fn read_hints(paths: &[PathBuf], list: &Items) -> Result<Vec<Hint>, Failure> {
    paths.iter().map(|path| read_hint(&path.to_string_lossy(), list)).collect()
}

fn read_hint(file: &str, list: &Items) -> Result<Hint, Failure> {
    let data = |error: String| Failure::Data(error);
    let scores = read_scores(file, &TableOptions::default()).map_err(|error| data(error.to_string()))?;
    let (said, votes) = if let Some(scores) = scores {
        (scores, None)
    } else {
        let mut reader = VoteReader::new(ReadOptions::default());
        reader.read_all(&[file.to_owned()]).map_err(|error| data(error.to_string()))?;
        let ballots = reader.finish_all().ballots.without_contexts();
        let said = opinion(&ballots).map_err(|error| data(format!("{file}: {error}")))?;
        (said, Some(ballots.used()))
    };
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
        return Err(data(format!("{file}: as a hint it {why}: it has to tell them apart, under their names")));
    }
    let scores = found.into_iter().map(|score| score.unwrap_or(mean)).collect();
    Ok(Hint { file: file.to_owned(), votes, items: known.len(), scores })
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
