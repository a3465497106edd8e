//! Hints: what judges think of the items. They guide whom to ask first, and `trust` says how far they are believed;
//! they are never counted as votes.

use super::model::item_model;
use borduel::judging::opinion;
use borduel::ranking::Model;
use borduel_lab::failure::Failure;
use borduel_votes::{Items, ReadOptions, TableOptions, VoteReader, read_scores};
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
