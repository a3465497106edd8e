//! Files in and out of a study.

use borduel_lab::atomic_write::Output;
use borduel_lab::failure::Failure;
use borduel_study::command::Item;
use borduel_study::content::Content;
use borduel_study::import::{File, known, place_of};
use borduel_study::{Desk, Studies};
use borduel_votes::{TableOptions, read_items};
use std::io::Write;
use std::path::Path;

/// The items of a file: id, name and features.
pub(super) fn items(path: &Path, correction: bool) -> Result<Vec<Item>, Failure> {
    let list = read_items(&path.to_string_lossy(), &TableOptions::default())
        .map_err(|error| Failure::Data(error.to_string()))?;
    let d = list.feature_names.len();
    let item = |(at, id): (usize, &String)| {
        let title = list.names[at].clone().unwrap_or_else(|| id.clone());
        let features = list.features[at * d..(at + 1) * d].to_vec();
        Content { title, ..Content::default() }.item(id, features, correction).map_err(Failure::from)
    };
    list.ids.iter().enumerate().map(item).collect()
}

/// A file, and of which of several questions about each pair; of all of them unless it is said.
type Wanted<'a> = (&'a str, Option<&'a str>);

/// A whole export as text.
pub(super) async fn export(studies: &Studies, desk: &Desk, file: Wanted<'_>) -> Result<String, Failure> {
    let mut text = String::new();
    each(studies, desk, file, |part| {
        text += part;
        Ok(())
    })
    .await?;
    Ok(text)
}

/// A whole export into a file.
pub(super) async fn export_to(
    studies: &Studies,
    desk: &Desk,
    wanted: Wanted<'_>,
    path: &Path,
) -> Result<String, Failure> {
    let bad = |error: std::io::Error| Failure::writing(path, &error);
    let mut file = Output::open(path).map_err(bad)?;
    each(studies, desk, wanted, |part| file.write_all(part.as_bytes()).map_err(bad)).await?;
    file.finish().map_err(bad)?;
    Ok(format!("{} is in {}\n", wanted.0, path.display()))
}

async fn each(
    studies: &Studies,
    desk: &Desk,
    (name, criterion): Wanted<'_>,
    mut write: impl FnMut(&str) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let criteria = desk.read(|state| state.settings.criteria.clone()).await?;
    let criterion = criterion.map(|key| place_of(&criteria, Some(key))).transpose()?.flatten();
    let export = studies.export(desk, name, criterion).await?;
    let mut export = export.ok_or_else(|| Failure::Usage(format!("there is no file {name:?}")))?;
    while let Some(part) = export.part().await? {
        write(&part)?;
    }
    Ok(())
}

/// Takes in a file of votes.
pub(super) async fn import(desk: &Desk, path: &Path, hint: bool, criterion: Option<&str>) -> Result<String, Failure> {
    let bytes = std::fs::read(path).map_err(|error| Failure::reading(path, &error))?;
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let (items, contexts) = known(desk).await?;
    let criteria = desk.read(|state| state.settings.criteria.clone()).await?;
    let file = File::read_by(&name, bytes, (&items, &contexts), &criteria, criterion)?;
    let (file, what) = if hint { (file.as_hint(), "hints") } else { (file, "votes") };
    let new = file.take_in(desk).await?;
    Ok(format!(
        "{}: {} {what}, {}\n",
        path.display(),
        file.len(),
        if new { "taken in" } else { "which were in already" }
    ))
}
