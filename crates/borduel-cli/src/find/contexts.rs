//! Contexts and contents as the command line names them: what two items are shown with, and what is shown of them
//! there.

use crate::failure::Failure;
use borduel::Contexts;
use borduel_votes::{Items, TableOptions, read_texts};
use std::collections::BTreeMap;
use std::path::Path;

/// Contexts, and what is shown in them.
#[derive(Debug)]
pub(crate) struct Material {
    pub(crate) contexts: Contexts,
    /// What each context says, where it says something.
    texts: Vec<Option<String>>,
    /// What is shown of an item in a context, and in every context where it has nothing of its own.
    contents: BTreeMap<(usize, Option<u32>), String>,
}

impl Material {
    /// Reads a table of contexts (`id`, `name`, `text`), and one of contents (`item`, `context`, and `text`, `link`
    /// or
    /// `image`): then items are shown only where they have one. A content without a context is for all of them.
    pub(crate) fn read(contexts: &Path, contents: Option<&Path>, items: &Items) -> Result<Self, Failure> {
        let wrong = |path: &Path, what: String| Failure::Data(format!("{}: {what}", path.display()));
        let columns: [&[&str]; 3] = [&["id", "context", "name"], &["name"], &["text", "prompt", "link", "image"]];
        let rows = texts(contexts, &columns, 1)?;
        if let Some(row) = rows.iter().position(|row| row[0].is_empty()) {
            return Err(wrong(contexts, format!("context {} has no id: give each row one", row + 1)));
        }
        let text = |row: &Vec<String>| row[1..].iter().rev().find(|text| !text.is_empty() && **text != row[0]).cloned();
        let said: Vec<Option<String>> = rows.iter().map(text).collect();
        let ids = rows.into_iter().map(|row| row.into_iter().next().unwrap_or_default()).collect();
        let known = Contexts::new(ids).map_err(|error| wrong(contexts, error.to_string()))?;
        let Some(path) = contents else {
            return Ok(Self { contexts: known, texts: said, contents: BTreeMap::new() });
        };
        let index = items.index();
        let columns: [&[&str]; 5] = [&["item", "id"], &["context"], &["text"], &["link"], &["image"]];
        let (mut shown, mut there) = (BTreeMap::new(), Vec::new());
        for (at, row) in texts(path, &columns, 2)?.into_iter().enumerate() {
            let wrong = |what: String| wrong(path, format!("content {}: {what}", at + 1));
            let item = index.find(&row[0]).map_err(|why| wrong(format!("the item {:?} {why}", row[0])))?;
            let context = match row[1].as_str() {
                "" => None,
                id => Some(known.find(id).ok_or_else(|| wrong(format!("{id:?} is not one of --contexts")))?),
            };
            let content = row[2..].iter().find(|text| !text.is_empty());
            let content = content.ok_or_else(|| wrong("has neither text nor link nor image".to_owned()))?;
            if shown.insert((item, context), content.clone()).is_some() {
                return Err(wrong(format!("is the second of {:?} in {:?}", row[0], row[1])));
            }
            match context {
                Some(context) => there.push((item, context)),
                None => there.extend((0..known.len() as u32).map(|context| (item, context))),
            }
        }
        let contexts = known.with_contents(items.ids.len(), there).map_err(|error| wrong(path, error.to_string()))?;
        Ok(Self { contexts, texts: said, contents: shown })
    }

    /// The id of a context.
    pub(crate) fn id(&self, context: u32) -> &str {
        &self.contexts.names()[context as usize]
    }

    /// What a context says, where it says something.
    pub(crate) fn text(&self, context: u32) -> Option<&str> {
        self.texts[context as usize].as_deref()
    }

    /// What is shown of an item in a context, where contents are given.
    pub(crate) fn content(&self, item: usize, context: u32) -> Option<&str> {
        let of = |context| self.contents.get(&(item, context)).map(String::as_str);
        of(Some(context)).or_else(|| of(None))
    }
}

fn texts(path: &Path, columns: &[&[&str]], required: usize) -> Result<Vec<Vec<String>>, Failure> {
    let read = read_texts(&path.to_string_lossy(), columns, required, &TableOptions::default());
    read.map_err(|error| Failure::Data(error.to_string()))
}
