//! Contexts and contents as tables name them: what two items are shown with, and what is shown of them there.

use borduel::Contexts;
use borduel_lab::failure::Failure;
use borduel_votes::{ItemIndex, TableOptions, parse_texts, read_texts};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Contexts, and what is shown in them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Material {
    contexts: Contexts,
    /// What each context says, where it says something.
    texts: Vec<Option<String>>,
    /// What is shown of an item in a context, and in every context where it has nothing of its own; in order.
    contents: Vec<((usize, Option<u32>), String)>,
}

/// A table: a file, or the bytes of one with its name in messages.
#[derive(Debug)]
pub enum Texts {
    /// The path of a file.
    File(String),
    /// A name, and the bytes.
    Bytes(String, Vec<u8>),
}

impl Texts {
    fn name(&self) -> &str {
        match self {
            Self::File(name) | Self::Bytes(name, _) => name,
        }
    }

    fn rows(&self, columns: &[&[&str]], required: usize) -> Result<Vec<Vec<String>>, Failure> {
        let read = match self {
            Self::File(path) => read_texts(path, columns, required, &TableOptions::default()),
            Self::Bytes(name, bytes) => parse_texts(name, bytes.clone(), columns, required),
        };
        read.map_err(|error| Failure::Data(error.to_string()))
    }

    fn wrong(&self, what: impl std::fmt::Display) -> Failure {
        Failure::Data(format!("{}: {what}", self.name()))
    }
}

impl Material {
    /// Reads a table of contexts (`id`, `name`, `text`), and one of contents (`item`, `context`, and `text`, `link`
    /// or `image`): then items are shown only where they have one. A content without a context is for all of them.
    ///
    /// # Errors
    /// Tables that cannot be read, or that name items or contexts that there are not.
    pub fn read(contexts: &Texts, contents: Option<&Texts>, items: &ItemIndex) -> Result<Self, Failure> {
        let columns: [&[&str]; 3] = [&["id", "context", "name"], &["name"], &["text", "prompt", "link", "image"]];
        let rows = contexts.rows(&columns, 1)?;
        if let Some(row) = rows.iter().position(|row| row[0].is_empty()) {
            return Err(contexts.wrong(format!("context {} has no id: give each row one", row + 1)));
        }
        let text = |row: &Vec<String>| row[1..].iter().rev().find(|text| !text.is_empty() && **text != row[0]).cloned();
        let said: Vec<Option<String>> = rows.iter().map(text).collect();
        let ids = rows.into_iter().map(|row| row.into_iter().next().unwrap_or_default()).collect();
        let known = Contexts::new(ids).map_err(|error| contexts.wrong(error))?;
        let Some(table) = contents else {
            return Ok(Self { contexts: known, texts: said, contents: Vec::new() });
        };
        let numbers = known.index();
        let columns: [&[&str]; 5] = [&["item", "id"], &["context"], &["text"], &["link"], &["image"]];
        let (mut shown, mut there, mut called) = (BTreeMap::new(), Vec::new(), BTreeMap::new());
        for (at, row) in table.rows(&columns, 2)?.into_iter().enumerate() {
            let wrong = |what: String| table.wrong(format!("content {}: {what}", at + 1));
            let item = items.find(&row[0]).map_err(|why| wrong(format!("the item {:?} {why}", row[0])))?;
            called.entry(item).or_insert_with(|| row[0].clone());
            let number = |id: &str| numbers.get(id).ok_or_else(|| wrong(format!("{id:?} is not one of --contexts")));
            let context = match row[1].as_str() {
                "" => None,
                id => Some(*number(id)?),
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
        if let Some(apart) = known.unjoined(items.items(), there.iter().copied()) {
            let [one, other] = apart
                .map(|item| called.get(&item).map_or_else(|| format!("item {}", item + 1), |id| format!("{id:?}")));
            return Err(table.wrong(format!("{one} and {other} {}", Contexts::APART)));
        }
        let contexts = known.clone().with_contents(items.items(), there).map_err(|error| table.wrong(error))?;
        Ok(Self { contexts, texts: said, contents: shown.into_iter().collect() })
    }

    /// The contexts, and where each item can be shown.
    pub fn contexts(&self) -> &Contexts {
        &self.contexts
    }

    /// Whether some context says something.
    pub fn has_texts(&self) -> bool {
        self.texts.iter().any(Option::is_some)
    }

    /// Whether contents are given.
    pub fn has_contents(&self) -> bool {
        !self.contents.is_empty()
    }

    /// The id of a context.
    pub fn id(&self, context: u32) -> &str {
        &self.contexts.names()[context as usize]
    }

    /// What a context says, where it says something.
    pub fn text(&self, context: u32) -> Option<&str> {
        self.texts[context as usize].as_deref()
    }

    /// What is shown of an item in a context, where contents are given.
    pub fn content(&self, item: usize, context: u32) -> Option<&str> {
        let place = |context| self.contents.binary_search_by_key(&(item, context), |(place, _)| *place).ok();
        place(Some(context)).or_else(|| place(None)).map(|at| self.contents[at].1.as_str())
    }
}
