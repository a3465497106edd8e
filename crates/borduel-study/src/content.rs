//! What is shown of an item, of a context, or of an item in a context, as it is stored beside the log under its hash.

use crate::command;
use crate::error::{Error, Result};
use crate::hex;
use serde::{Deserialize, Serialize};

/// What voters see of an item or a context.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Content {
    /// Its name for people; empty for what is shown of an item in a context, which has the item's name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// A longer text about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Where to see more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// The hash of its picture, kept beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// What the picture shows, for whoever does not see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alt: Option<String>,
}

/// The most characters of a title.
pub const TITLE: usize = 200;
/// The most characters of a text.
pub const TEXT: usize = 10_000;
/// The most characters of what a picture shows.
pub const ALT: usize = 500;
/// The most characters of a text that a voter suggests.
pub const SUGGESTED: usize = 1_000;
/// The most characters of a link.
pub const LINK: usize = 2_000;

impl Content {
    /// Checks every bound.
    ///
    /// # Errors
    /// What is wrong with which part.
    pub fn check(&self) -> std::result::Result<(), String> {
        let length = |text: &str| text.chars().count();
        if self.title.trim().is_empty() || length(&self.title) > TITLE {
            return Err(format!("a title has 1 to {TITLE} characters"));
        }
        self.check_body()
    }

    /// Checks every bound but that of the title.
    fn check_body(&self) -> std::result::Result<(), String> {
        let length = |text: &str| text.chars().count();
        if self.text.as_ref().is_some_and(|text| length(text) > TEXT) {
            return Err(format!("a text has at most {TEXT} characters"));
        }
        if self.alt.as_ref().is_some_and(|alt| length(alt) > ALT) {
            return Err(format!("what a picture shows has at most {ALT} characters"));
        }
        if self.image.as_ref().is_some_and(|image| hex::parse(image).is_none()) {
            return Err("an image is named by the 64 digits of its hash".to_owned());
        }
        match &self.link {
            Some(link)
                if !link.starts_with("https://") || length(link) > LINK || link.contains(char::is_whitespace) =>
            {
                Err(format!("a link begins with https://, has no spaces and at most {LINK} characters"))
            }
            _ => Ok(()),
        }
    }

    /// An item with this content.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn item(&self, key: &str, features: Vec<f64>, correction: bool) -> Result<command::Item> {
        self.check().map_err(|why| Error::Invalid(format!("item {key:?}: {why}")))?;
        let content = serde_json::to_vec(self).map_err(|error| Error::Invalid(format!("item {key:?}: {error}")))?;
        Ok(command::Item { key: key.to_owned(), content, features, correction })
    }

    /// This content as a voter may suggest it: a title and a short text.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn suggestion(&self) -> Result<Vec<u8>> {
        let bad = |why: String| Error::Invalid(format!("the suggestion: {why}"));
        self.check().map_err(bad)?;
        let text = self.text.as_deref().unwrap_or("");
        if text.chars().count() > SUGGESTED {
            return Err(bad(format!("its text has at most {SUGGESTED} characters")));
        }
        if self.title.contains('\0') || text.contains('\0') {
            return Err(bad("it has the character U+0000: leave it out".to_owned()));
        }
        serde_json::to_vec(self).map_err(|error| bad(error.to_string()))
    }

    /// A context with this content.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn context(&self, key: &str, correction: bool) -> Result<command::Context> {
        self.check().map_err(|why| Error::Invalid(format!("context {key:?}: {why}")))?;
        let content = serde_json::to_vec(self).map_err(|error| Error::Invalid(format!("context {key:?}: {error}")))?;
        Ok(command::Context { key: key.to_owned(), content, correction })
    }

    /// This content, but for its title, as that of an item in a context.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn placed(&self, item: &str, context: &str, correction: bool) -> Result<command::Placed> {
        let bad = |why: String| Error::Invalid(format!("item {item:?} in the context {context:?}: {why}"));
        if !self.shows_something() {
            return Err(bad("it needs a text, a link or a picture".to_owned()));
        }
        self.check_body().map_err(bad)?;
        let bare = Self { title: String::new(), ..self.clone() };
        let content = serde_json::to_vec(&bare).map_err(|error| bad(error.to_string()))?;
        Ok(command::Placed { item: item.to_owned(), context: context.to_owned(), content, correction })
    }

    /// Whether there is more of it to see than its title.
    pub fn shows_something(&self) -> bool {
        let text = self.text.as_ref().is_some_and(|text| !text.trim().is_empty());
        text || self.link.is_some() || self.image.is_some()
    }

    /// The content of these bytes; one that was deleted or cannot be read is called by its key.
    pub fn read(bytes: Option<&[u8]>, key: &str) -> Self {
        let read = bytes.and_then(|bytes| serde_json::from_slice(bytes).ok());
        read.unwrap_or_else(|| Self { title: key.to_owned(), ..Self::default() })
    }
}

/// A key made of a title: its letters and digits, joined by `-`.
pub fn key_of(title: &str, taken: impl Fn(&str) -> bool) -> String {
    let plain: String =
        title.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    let words: Vec<&str> = plain.split('-').filter(|word| !word.is_empty()).collect();
    let mut base: String = words.join("-").chars().take(56).collect();
    if base.is_empty() {
        "item".clone_into(&mut base);
    }
    let mut key = base.clone();
    let mut number = 1;
    while taken(&key) {
        number += 1;
        key = format!("{base}-{number}");
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_made_of_titles() {
        assert_eq!(key_of("Earl Grey (tea)", |_| false), "earl-grey-tea");
        assert_eq!(key_of("茶", |key| key == "item"), "item-2");
        assert_eq!(key_of(&"x".repeat(99), |_| false).len(), 56);
    }

    #[test]
    fn bounds_are_checked() {
        let content = |title: &str, link: Option<&str>| Content {
            title: title.to_owned(),
            link: link.map(str::to_owned),
            ..Content::default()
        };
        assert!(content("tea", Some("https://example.org/a")).check().is_ok());
        for bad in [content(" ", None), content("tea", Some("javascript:alert(1)")), content(&"x".repeat(201), None)] {
            assert!(bad.check().is_err(), "{bad:?}");
        }
    }
}
