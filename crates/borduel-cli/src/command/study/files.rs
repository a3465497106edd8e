//! Files in and out of a study.

use borduel_lab::atomic_write::Output;
use borduel_lab::failure::Failure;
use borduel_study::command::Item;
use borduel_study::content::Content;
use borduel_study::import::{File, known};
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

/// A whole export as text.
pub(super) async fn export(studies: &Studies, desk: &Desk, name: &str) -> Result<String, Failure> {
    let mut text = String::new();
    each(studies, desk, name, |part| {
        text += part;
        Ok(())
    })
    .await?;
    Ok(text)
}

/// A whole export into a file.
pub(super) async fn export_to(studies: &Studies, desk: &Desk, name: &str, path: &Path) -> Result<String, Failure> {
    let bad = |error: std::io::Error| Failure::writing(path, &error);
    let mut file = Output::open(path).map_err(bad)?;
    each(studies, desk, name, |part| file.write_all(part.as_bytes()).map_err(bad)).await?;
    file.finish().map_err(bad)?;
    Ok(format!("{name} is in {}\n", path.display()))
}

async fn each(
    studies: &Studies,
    desk: &Desk,
    name: &str,
    mut write: impl FnMut(&str) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let export = studies.export(desk, name).await?;
    let mut export = export.ok_or_else(|| Failure::Usage(format!("there is no file {name:?}")))?;
    while let Some(part) = export.part().await? {
        write(&part)?;
    }
    Ok(())
}

/// Takes in a file of votes.
pub(super) async fn import(desk: &Desk, path: &Path, hint: bool) -> Result<String, Failure> {
    let bytes = std::fs::read(path).map_err(|error| Failure::reading(path, &error))?;
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let (items, contexts) = known(desk).await?;
    let file = File::read(&name, bytes, &items, &contexts)?;
    let (file, what) = if hint { (file.as_hint(), "hints") } else { (file, "votes") };
    let new = file.take_in(desk).await?;
    Ok(format!(
        "{}: {} {what}, {}\n",
        path.display(),
        file.len(),
        if new { "taken in" } else { "which were in already" }
    ))
}
