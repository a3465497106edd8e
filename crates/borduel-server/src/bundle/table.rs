//! Tables of contexts and contents: a row a context, a row an item in a context, or a row a context with a column an
//! item.

use super::{Bundle, Context, ItemContent, some};
use crate::problem::Problem;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    /// The key of a context.
    Id,
    /// Its name for people.
    Name,
    /// What it is: a key, a name or the text itself.
    What,
    /// The column of the item.
    Item,
    Text,
    Link,
    Alt,
    Enabled,
    /// What only exports have.
    Passed,
    /// Whatever it is called: an item, and what it shows.
    Other,
}

/// What a column of this head holds, in small letters.
fn known(head: &str) -> Column {
    match head {
        "id" | "key" | "context_id" | "prompt_id" | "question_id" | "query_id" | "case_id" => Column::Id,
        "name" | "title" => Column::Name,
        "context" | "prompt" | "question" | "query" | "scene" | "task" | "topic" | "document" | "case" | "instance"
        | "input" => Column::What,
        "item" | "model" | "system" | "method" | "candidate" | "option" | "codec" => Column::Item,
        "text" | "description" | "content" | "answer" | "response" | "output" | "completion" => Column::Text,
        "link" | "url" => Column::Link,
        "alt" => Column::Alt,
        "enabled" => Column::Enabled,
        "image" => Column::Passed,
        _ => Column::Other,
    }
}

/// What is said where a table is neither.
const SHAPES: &str = "a table of contexts has the columns id, name, text; one of contents item, context, text; \
    or a row has a prompt and a column for each item";

/// The first line that says something, and what stands between its cells.
fn head(text: &str) -> (&str, u8) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
    let count = |mark: u8| first.bytes().filter(|&byte| byte == mark).count();
    (first, [b',', b';', b'\t'].into_iter().rev().max_by_key(|&mark| count(mark)).unwrap_or(b','))
}

/// Whether a text begins with the head of a table.
pub(super) fn has_head(text: &str) -> bool {
    let (first, delimiter) = head(text);
    let name = |cell: &str| cell.trim().trim_matches('"').to_lowercase();
    first.split(char::from(delimiter)).any(|cell| known(&name(cell)) != Column::Other)
}

/// What a table says.
///
/// # Errors
/// What is wrong with which line.
pub(super) fn read(text: &str) -> Result<Bundle, Problem> {
    let (_, delimiter) = head(text);
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let bad = |error: csv::Error| Problem::invalid(format!("the table: {error}"));
    let mut reader =
        csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).trim(csv::Trim::All).from_reader(text.as_bytes());
    let names: Vec<String> = reader.headers().map_err(bad)?.iter().map(str::to_owned).collect();
    let columns: Vec<Column> = names.iter().map(|name| known(&name.to_lowercase())).collect();
    let has = |column: Column| columns.contains(&column);
    let others: Vec<usize> = (0..columns.len()).filter(|&at| columns[at] == Column::Other).collect();
    let shaped = if has(Column::Item) {
        (has(Column::What) || has(Column::Id)) && (has(Column::Text) || has(Column::Link)) && others.is_empty()
    } else {
        (has(Column::What) || has(Column::Id) || has(Column::Name) || has(Column::Text)) && others.len() != 1
    };
    if !shaped {
        let odd = others.iter().map(|&at| format!("{:?}", names[at])).collect::<Vec<_>>().join(", ");
        let odd = if odd.is_empty() { String::new() } else { format!(" (not {odd})") };
        return Err(Problem::invalid(format!("the table cannot be understood{odd}: {SHAPES}")));
    }
    let mut bundle = Bundle::default();
    for row in reader.records() {
        let row = row.map_err(bad)?;
        let cell = |column: Column| row.get(columns.iter().position(|own| *own == column)?).and_then(some);
        let line = row.position().map_or(0, csv::Position::line);
        let missing = |what: &str| Problem::invalid(format!("line {line} of the table: the {what} is missing"));
        let (id, what) = (cell(Column::Id), cell(Column::What));
        if has(Column::Item) {
            let Some(name) = id.clone().or_else(|| what.clone()) else { return Err(missing("context")) };
            let item = cell(Column::Item).ok_or_else(|| missing("item"))?;
            // A prompt beside its key.
            let said = id.and(what);
            bundle.contexts.push(Context { name: name.clone(), text: said, ..Context::default() });
            let (text, link) = (cell(Column::Text), cell(Column::Link));
            if text.is_some() || link.is_some() {
                bundle.contents.push(ItemContent { item, context: name, text, link, image: None });
            }
            continue;
        }
        let (title, text) = (cell(Column::Name), cell(Column::Text));
        let Some(name) = id.clone().or_else(|| what.clone()).or_else(|| title.clone()).or_else(|| text.clone()) else {
            continue;
        };
        // The text is in a column of that name, or else what stands beside the key.
        let text = text.filter(|text| *text != name).or_else(|| id.and(what));
        let (link, alt) = (cell(Column::Link), cell(Column::Alt));
        let enabled = cell(Column::Enabled).map(|word| word != "no");
        for &at in &others {
            if let Some(text) = row.get(at).and_then(some) {
                let (item, context, text) = (names[at].clone(), name.clone(), Some(text));
                bundle.contents.push(ItemContent { item, context, text, ..ItemContent::default() });
            }
        }
        bundle.contexts.push(Context { name, title, text, link, alt, image: None, enabled });
    }
    // Rows of one context say the same of it.
    bundle.contexts.dedup();
    Ok(bundle)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contexts(bundle: &Bundle) -> Vec<(&str, Option<&str>, Option<&str>)> {
        bundle.contexts.iter().map(|one| (&*one.name, one.title.as_deref(), one.text.as_deref())).collect()
    }

    fn contents(bundle: &Bundle) -> Vec<(&str, &str, Option<&str>)> {
        bundle.contents.iter().map(|one| (&*one.item, &*one.context, one.text.as_deref())).collect()
    }

    #[test]
    fn three_shapes_are_told_apart() {
        let bundle = read("id,name,text\nk8s,Kubernetes,\"What is\na pod?\"\nsql,,\n").unwrap();
        assert_eq!(contexts(&bundle), [("k8s", Some("Kubernetes"), Some("What is\na pod?")), ("sql", None, None)]);
        let bundle = read("item;context;text\nada;k8s;A group\nbo;k8s;Containers\n").unwrap();
        assert_eq!(contents(&bundle), [("ada", "k8s", Some("A group")), ("bo", "k8s", Some("Containers"))]);
        assert_eq!(contexts(&bundle), [("k8s", None, None)]);
        let bundle = read("Prompt\tAda\tBo\nWhat is a pod?\tA group\t\n").unwrap();
        assert_eq!(contents(&bundle), [("Ada", "What is a pod?", Some("A group"))]);
        assert_eq!(contexts(&bundle), [("What is a pod?", None, None)]);
        let bundle = read("prompt_id,prompt,model,answer\n7,Why?,ada,Because\n7,Why?,bo,Therefore\n").unwrap();
        assert_eq!(contexts(&bundle), [("7", None, Some("Why?"))]);
        assert_eq!(contents(&bundle), [("ada", "7", Some("Because")), ("bo", "7", Some("Therefore"))]);
        assert_eq!(contexts(&read("prompt\nWhy?\n\nHow?\n").unwrap()), [("Why?", None, None), ("How?", None, None)]);
    }

    #[test]
    fn what_cannot_be_understood_is_said() {
        let why = |text: &str| read(text).unwrap_err().detail;
        assert!(why("colour,size\n1,2").contains("\"colour\", \"size\""));
        assert!(why("item,text\na,b").contains("item, context, text"));
        assert!(why("item,context,text\n,b,c").contains("line 2"));
        assert!(why("id,text,votes\na,b,3").contains("\"votes\""));
        assert!(read("").is_err() && read("id,text\n").unwrap().contexts.is_empty());
    }
}
