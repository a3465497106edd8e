//! Items as people paste them: a line each, or a table with a header.

use crate::api::items::NewItem;
use crate::problem::Problem;
use borduel_study::content::Content;
use std::collections::HashSet;
use std::sync::Arc;

/// The columns that a table may have.
const COLUMNS: &str =
    "id (or key), name (or title, item, option, idea), text (or description), link (or url), alt, feat_…";

/// What a column of this head holds, in small letters.
fn known(head: &str) -> Option<&'static str> {
    Some(match head {
        "id" | "key" => "id",
        "name" | "title" | "item" | "items" | "option" | "idea" | "label" => "name",
        "text" | "description" => "text",
        "link" | "url" => "link",
        "alt" => "alt",
        "enabled" => "enabled",
        "image" => "image",
        _ if head.starts_with("feat_") => "feature",
        _ => return None,
    })
}

/// The items of a text.
///
/// # Errors
/// A table that cannot be read, by its line.
pub(super) fn items(text: &str) -> Result<Vec<NewItem>, Problem> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let first = lines.first().copied().unwrap_or("");
    let heads = |mark: char| first.split(mark).map(head).collect::<Vec<_>>();
    let is_head = |head: &String| known(head) == Some("name");
    if let Some(mark) =
        [',', ';', '\t'].into_iter().find(|&mark| first.contains(mark) && heads(mark).iter().any(is_head))
    {
        return table(text, mark as u8);
    }
    // A column of its own, as spreadsheets write it.
    let alone = lines.len() > 1 && matches!(head(first).as_str(), "name" | "title" | "item" | "items");
    let lines = &lines[usize::from(alone)..];
    // Marks of a list belong to the list, where every line has one.
    let bare: Option<Vec<&str>> = lines.iter().map(|line| unmarked(line)).collect();
    let titles = bare.filter(|bare| bare.len() > 1).unwrap_or_else(|| lines.to_vec());
    let unquoted = |title: &str| if alone { title.trim_matches('"').to_owned() } else { title.to_owned() };
    Ok(titles.into_iter().map(|title| NewItem { title: unquoted(title), ..NewItem::default() }).collect())
}

fn head(name: &str) -> String {
    name.trim().trim_matches('"').to_lowercase()
}

/// A line of a list without its bullet or number.
fn unmarked(line: &str) -> Option<&str> {
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = (digits.len() < line.len()).then(|| digits.strip_prefix(['.', ')'])).flatten();
    let rest = numbered.or_else(|| line.strip_prefix(['-', '*', '•', '–']))?;
    rest.starts_with(char::is_whitespace).then(|| rest.trim()).filter(|rest| !rest.is_empty())
}

/// Refuses what is there already or twice, and has nothing that tells it apart.
///
/// # Errors
/// The names.
pub(super) fn not_twice(new: &[NewItem], there: &[(u16, String, Arc<Content>)]) -> Result<(), Problem> {
    let mut seen: HashSet<(&str, Option<&str>)> =
        there.iter().map(|(_, _, content)| (content.title.as_str(), content.text.as_deref())).collect();
    let mut twice = Vec::new();
    for item in new {
        if item.key.is_none() && !seen.insert((&item.title, item.text.as_deref())) {
            twice.push(item.title.as_str());
        }
    }
    twice.dedup();
    if twice.is_empty() {
        return Ok(());
    }
    let names = twice.iter().take(5).map(|name| format!("“{name}”")).collect::<Vec<_>>().join(", ");
    Err(Problem::invalid(format!(
        "the items have something twice: {names}. Write each once, or say what tells them apart."
    )))
}

fn table(text: &str, delimiter: u8) -> Result<Vec<NewItem>, Problem> {
    let bad = |error: csv::Error| Problem::invalid(format!("the table of items: {error}"));
    let mut reader =
        csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).trim(csv::Trim::All).from_reader(text.as_bytes());
    let names: Vec<String> = reader.headers().map_err(bad)?.iter().map(head).collect();
    if let Some(name) = names.iter().find(|name| known(name).is_none()) {
        return Err(Problem::invalid(format!(
            "the table of items has a column {name:?}: leave it out, or name it one of {COLUMNS}"
        )));
    }
    let heads: Vec<&str> = names.iter().filter_map(|name| known(name)).collect();
    let mut items = Vec::new();
    for row in reader.records() {
        let row = row.map_err(bad)?;
        let line = row.position().map_or(0, csv::Position::line);
        let cell = |name: &str| {
            let at = heads.iter().position(|head| *head == name)?;
            row.get(at).filter(|cell| !cell.is_empty()).map(str::to_owned)
        };
        let Some(title) = cell("name").or_else(|| cell("id")) else { continue };
        let mut features = Vec::new();
        for (_, cell) in heads.iter().zip(&row).filter(|(head, _)| **head == "feature") {
            let value = cell
                .parse()
                .map_err(|_| Problem::invalid(format!("line {line} of the items: {cell:?} is not a number")))?;
            features.push(value);
        }
        let (key, text, link, alt) = (cell("id"), cell("text"), cell("link"), cell("alt"));
        let enabled = cell("enabled").map(|word| word != "no");
        items.push(NewItem { key, title, text, link, alt, features, correction: false, enabled });
    }
    Ok(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_tables_are_told_apart() {
        let titles = |text: &str| items(text).unwrap().into_iter().map(|item| item.title).collect::<Vec<_>>();
        assert_eq!(titles("Earl Grey\n\n  Assam, second flush \r\n"), ["Earl Grey", "Assam, second flush"]);
        assert_eq!(titles("\u{feff}id;name\n1;\"Tea; green\"\n2;Black\n"), ["Tea; green", "Black"]);
        let found = items("name,text,feat_a\nA,\"two\nlines\",1.5\nB,,2").unwrap();
        assert_eq!(
            (found[0].text.as_deref(), found[1].text.as_deref(), found[0].features[0]),
            (Some("two\nlines"), None, 1.5)
        );
        assert!(items("name,feat_a\nA,x").unwrap_err().detail.contains("line 2"));
        assert!(items("Idea,Votes\nMore plants,3").unwrap_err().detail.contains("\"votes\": leave it out"));
        assert!(items("").unwrap().is_empty());
    }

    #[test]
    fn what_lists_and_spreadsheets_add_is_no_item() {
        let titles = |text: &str| items(text).unwrap().into_iter().map(|item| item.title).collect::<Vec<_>>();
        assert_eq!(titles("name\nA\nB"), ["A", "B"]);
        assert_eq!(titles("Title\n\"A, b\"\nB"), ["A, b", "B"]);
        assert_eq!(titles("1. First\n2) Second\n- third\n• fourth"), ["First", "Second", "third", "fourth"]);
        assert_eq!(titles("1. FC Köln\nHertha"), ["1. FC Köln", "Hertha"], "not every line has a mark");
        assert_eq!(titles("-1\n-2"), ["-1", "-2"], "numbers are none");
        let found = items("Title,Description,URL,Alt\nA,long,https://example.org/,a thing").unwrap();
        assert_eq!(found[0].text.as_deref(), Some("long"));
        assert_eq!(
            (found[0].link.as_deref(), found[0].alt.as_deref()),
            (Some("https://example.org/"), Some("a thing"))
        );
    }

    #[test]
    fn nothing_comes_twice_without_a_word() {
        let check = |text: &str| not_twice(&items(text).unwrap(), &[]);
        assert!(check("Earl Grey\nAssam").is_ok());
        assert!(check("Earl Grey\nAssam\nEarl Grey\nEarl Grey").unwrap_err().detail.contains("“Earl Grey”. "));
        assert!(check("name,text\nModel,one\nModel,two").is_ok(), "something tells them apart");
        let there = [(0, "assam".to_owned(), Arc::new(Content { title: "Assam".to_owned(), ..Content::default() }))];
        assert!(not_twice(&items("Assam").unwrap(), &there).is_err());
    }
}
