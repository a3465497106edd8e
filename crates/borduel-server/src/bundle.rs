//! What items are compared on and what they show there, as people have it: a table, or a zip of `item/context` files.

mod names;
mod store;
mod table;

use crate::problem::Problem;
use crate::zip;
pub(crate) use store::{Stored, store};

/// What a table or a zip says. Items and contexts are named as people name them: by key, by title, or by the text
/// itself.
#[derive(Debug, Default)]
pub(crate) struct Bundle {
    contexts: Vec<Context>,
    contents: Vec<ItemContent>,
}

/// What is said of a context.
#[derive(Debug, Default, PartialEq)]
struct Context {
    name: String,
    title: Option<String>,
    text: Option<String>,
    link: Option<String>,
    alt: Option<String>,
    image: Option<Vec<u8>>,
    enabled: Option<bool>,
}

/// What is shown of an item in a context.
#[derive(Debug, Default, PartialEq)]
struct ItemContent {
    item: String,
    context: String,
    text: Option<String>,
    link: Option<String>,
    image: Option<Vec<u8>>,
}

/// The folders of a zip that hold the contexts themselves.
const CONTEXTS: [&str; 2] = ["contexts", "prompts"];

/// What a file says: a zip, or a table.
///
/// # Errors
/// What is wrong with which line or file.
pub(crate) fn read(bytes: &[u8]) -> Result<Bundle, Problem> {
    if zip::is_zip(bytes) { unpacked(bytes) } else { table::read(utf8(bytes, "the table")?) }
}

/// What was pasted: a table, or a context in each line.
///
/// # Errors
/// What is wrong with which line.
pub(crate) fn read_pasted(text: &str) -> Result<Bundle, Problem> {
    if table::has_head(text) {
        return table::read(text);
    }
    let context = |name: String| Context { name, ..Context::default() };
    Ok(Bundle { contexts: text.lines().filter_map(some).map(context).collect(), contents: Vec::new() })
}

fn utf8<'a>(bytes: &'a [u8], what: &str) -> Result<&'a str, Problem> {
    std::str::from_utf8(bytes).map_err(|_| Problem::invalid(format!("{what} is no text in UTF-8: save it as such")))
}

/// What the files of a zip say.
fn unpacked(bytes: &[u8]) -> Result<Bundle, Problem> {
    let mut files = zip::files(bytes).map_err(Problem::invalid)?;
    // What systems leave behind.
    files.retain(|file| {
        !file.path.split('/').any(|part| part.starts_with('.') || part == "__MACOSX" || part == "Thumbs.db")
    });
    let first = |path: &str| path.split_once('/').map(|(folder, _)| folder.to_owned());
    let top = files.first().and_then(|file| first(&file.path));
    // A folder that holds all of it, as whoever packs a folder has one.
    let wrapped = files.iter().all(|file| first(&file.path) == top)
        && files.iter().any(|file| file.path.matches('/').count() > 1);
    let mut bundle = Bundle::default();
    for file in files {
        let path = if wrapped { file.path.split_once('/').map_or("", |(_, rest)| rest) } else { &file.path };
        let parts: Vec<&str> = path.split('/').collect();
        let (name, kind) = parts.last().and_then(|name| name.rsplit_once('.')).unwrap_or((path, ""));
        let kind = kind.to_ascii_lowercase();
        if let ([_], "csv" | "tsv") = (&parts[..], &*kind) {
            let more = table::read(utf8(&file.bytes, path)?)?;
            bundle.contexts.extend(more.contexts);
            bundle.contents.extend(more.contents);
            continue;
        }
        let [folder, _] = parts[..] else {
            return Err(Problem::invalid(format!(
                "{path}: a file is called item/context.txt, and what it is compared on contexts/context.txt"
            )));
        };
        let (mut text, mut image) = (None, None);
        match &*kind {
            "txt" | "md" | "markdown" => text = some(utf8(&file.bytes, path)?),
            "png" | "jpg" | "jpeg" | "webp" => image = Some(file.bytes),
            _ => return Err(Problem::invalid(format!("{path}: only txt, md, png, jpg and webp are taken"))),
        }
        let name = name.to_owned();
        if CONTEXTS.contains(&&*folder.to_lowercase()) {
            bundle.contexts.push(Context { name, text, image, ..Context::default() });
        } else if text.is_some() || image.is_some() {
            bundle.contents.push(ItemContent {
                item: folder.to_owned(),
                context: name,
                text,
                image,
                ..ItemContent::default()
            });
        }
    }
    Ok(bundle)
}

/// A text that says something.
fn some(text: &str) -> Option<String> {
    Some(text.replace("\r\n", "\n").trim().to_owned()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zip::tests::zip;

    #[test]
    fn a_zip_of_folders_is_items_by_contexts() {
        let files: [(&str, &[u8]); 6] = [
            ("answers/ada/haiku.txt", b"An old pond\r\n"),
            ("answers/bo/haiku.md", b"*Frog*"),
            ("answers/contexts/haiku.txt", b"Write a haiku"),
            ("answers/bo/sonnet.png", b"picture"),
            ("answers/ada/.DS_Store", b"?"),
            ("answers/contexts.csv", b"id,text\nsonnet,Write a sonnet\n"),
        ];
        let bundle = read(&zip(&files)).unwrap();
        let cells: Vec<_> =
            bundle.contents.iter().map(|cell| (&*cell.item, &*cell.context, cell.text.as_deref())).collect();
        assert_eq!(
            cells,
            [("ada", "haiku", Some("An old pond")), ("bo", "haiku", Some("*Frog*")), ("bo", "sonnet", None)]
        );
        assert_eq!(bundle.contents[2].image.as_deref(), Some(&b"picture"[..]));
        let contexts: Vec<_> =
            bundle.contexts.iter().map(|context| (&*context.name, context.text.as_deref())).collect();
        assert_eq!(contexts, [("haiku", Some("Write a haiku")), ("sonnet", Some("Write a sonnet"))]);
        // The same without a folder around it.
        let bare = files.map(|(path, bytes)| (path.strip_prefix("answers/").unwrap(), bytes));
        assert_eq!(read(&zip(&bare)).unwrap().contents, bundle.contents);
    }

    #[test]
    fn what_a_zip_should_not_have_is_named() {
        let why = |path: &str, bytes: &[u8]| read(&zip(&[("a/b.txt", b"x"), (path, bytes)])).unwrap_err().detail;
        assert!(why("a/b.pdf", b"x").contains("a/b.pdf"));
        assert!(why("readme.txt", b"x").contains("item/context.txt"));
        assert!(why("a/c.txt", b"\xff\xfe").contains("a/c.txt is no text"));
        assert!(why("a/b/c/d.txt", b"x").contains("item/context.txt"));
    }
}
