//! Storing what a table or a zip says: items and contexts that are new, and what items show in contexts.

use super::names::{Names, is_name};
use super::{Bundle, Context, ItemContent};
use crate::api::contents::{self, NewContent};
use crate::api::contexts::{self, NewContext};
use crate::api::items::{self, NewItem};
use crate::api_result::ApiResult;
use borduel_study::Desk;
use borduel_study::content::Content;
use serde::Serialize;
use std::collections::HashMap;
use utoipa::ToSchema;

/// How many go into one commit.
const AT_ONCE: usize = 500;

/// What was stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Kept)]
pub(crate) struct Stored {
    /// Items that are new.
    pub(crate) items: u64,
    /// Contexts that are new.
    pub(crate) contexts: u64,
    /// Contents of items in contexts that the file has.
    pub(crate) contents: u64,
}

/// Stores a table or a zip, in as many commits as it needs: cut off, the same again goes on.
pub(crate) async fn store(desk: &Desk, bundle: Bundle, correction: bool) -> ApiResult<Stored> {
    let mut kept = Stored::default();
    let mut known = Names::default();
    for (_, key, content) in desk.items().await?.iter().rev() {
        known.note(key, &[&content.title]);
    }
    let mut new = Vec::new();
    for ItemContent { item, .. } in &bundle.contents {
        if known.find(item).is_none() {
            let key = Some(known.add(item, "item"));
            new.push(NewItem { key, title: item.clone(), ..NewItem::default() });
        }
    }
    for some in new.chunks(AT_ONCE) {
        items::store(desk, some).await?;
        kept.items += some.len() as u64;
    }
    let places = store_contexts(desk, &bundle, correction, &mut kept).await?;
    let place = |cell: &ItemContent| {
        let (item, context) = (known.find(&cell.item), places.find(&cell.context));
        (item.unwrap_or(&cell.item).to_owned(), context.unwrap_or(&cell.context).to_owned())
    };
    let written: Vec<&ItemContent> = bundle.contents.iter().filter(|cell| cell.image.is_none()).collect();
    for some in written.chunks(AT_ONCE) {
        let content = |cell: &&ItemContent| {
            let ((item, context), text, link) = (place(cell), cell.text.clone(), cell.link.clone());
            NewContent { item, context, text, link, alt: None, correction }
        };
        contents::store(desk, &some.iter().map(content).collect::<Vec<_>>()).await?;
        kept.contents += some.len() as u64;
    }
    for cell in bundle.contents {
        let (item, context) = place(&cell);
        if let Some(image) = cell.image {
            contents::set_picture(desk, (&item, &context), correction, image).await?;
            kept.contents += 1;
        }
    }
    Ok(kept)
}

/// Stores the contexts, and tells their names. What is not said of a known one stays as it is.
async fn store_contexts(desk: &Desk, bundle: &Bundle, correction: bool, kept: &mut Stored) -> ApiResult<Names> {
    let (mut names, mut known) = (Names::default(), HashMap::new());
    for (_, context, content) in desk.contexts(0, usize::MAX).await? {
        names.note(&context.key, &[&content.title, content.text.as_deref().unwrap_or("")]);
        known.insert(context.key, content);
    }
    let bare = |cell: &ItemContent| Context { name: cell.context.clone(), ..Context::default() };
    let mentioned: Vec<Context> = bundle.contents.iter().map(bare).collect();
    let (mut new, mut at): (Vec<NewContext>, HashMap<String, usize>) = (Vec::new(), HashMap::new());
    for context in bundle.contexts.iter().chain(&mentioned) {
        let Context { name, title, text, link, alt, enabled, .. } = context;
        let says = title.is_some() || text.is_some() || link.is_some() || alt.is_some() || enabled.is_some();
        let key = match names.find(name) {
            Some(_) if !says => continue,
            Some(key) => key.to_owned(),
            None => {
                kept.contexts += 1;
                names.add(name, "context")
            }
        };
        // A long name is the text itself.
        let fresh = || {
            let (title, text) = if is_name(name) { (name.clone(), None) } else { (key.clone(), Some(name.clone())) };
            Content { title, text, ..Content::default() }
        };
        let there = known.get(&key).map_or_else(fresh, |content| (**content).clone());
        let or = |said: &Option<String>, before: Option<String>| said.clone().or(before);
        let (title, text) = (or(title, Some(there.title)), or(text, there.text));
        let (link, alt, enabled) = (or(link, there.link), or(alt, there.alt), *enabled);
        let said = NewContext { key: Some(key.clone()), title, text, link, alt, correction, enabled };
        if let Some(&at) = at.get(&key) {
            new[at] = said;
        } else {
            at.insert(key, new.len());
            new.push(said);
        }
    }
    for some in new.chunks(AT_ONCE) {
        contexts::store(desk, some).await?;
    }
    for context in &bundle.contexts {
        if let (Some(image), Some(key)) = (&context.image, names.find(&context.name)) {
            contexts::set_picture(desk, key, correction, image.clone()).await?;
        }
    }
    Ok(names)
}
