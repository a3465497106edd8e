//! Items as people paste them: a line each, or a table with a header.

use crate::api::items::NewItem;
use crate::problem::Problem;

/// The columns that a table may have.
const COLUMNS: &str = "id (or key), name (or title), text, link, feat_…";

/// The items of a text.
///
/// # Errors
/// A table that cannot be read, by its line.
pub(super) fn items(text: &str) -> Result<Vec<NewItem>, Problem> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
    let delimiter = [',', ';', '\t'].into_iter().find(|&mark| is_header(first, mark));
    if let Some(mark) = delimiter {
        return table(text, mark as u8);
    }
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    Ok(lines.map(|line| NewItem { title: line.to_owned(), ..NewItem::default() }).collect())
}

fn is_header(line: &str, mark: char) -> bool {
    let mut names = line.split(mark).map(|name| name.trim().trim_matches('"').to_ascii_lowercase());
    line.contains(mark) && names.any(|name| matches!(name.as_str(), "name" | "title"))
}

fn table(text: &str, delimiter: u8) -> Result<Vec<NewItem>, Problem> {
    let bad = |error: csv::Error| Problem::invalid(format!("the table of items: {error}"));
    let mut reader =
        csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).trim(csv::Trim::All).from_reader(text.as_bytes());
    let heads: Vec<String> = reader.headers().map_err(bad)?.iter().map(str::to_ascii_lowercase).collect();
    let known = |head: &String| {
        matches!(head.as_str(), "id" | "key" | "name" | "title" | "text" | "link" | "enabled" | "image")
            || head.starts_with("feat_")
    };
    if let Some(head) = heads.iter().find(|head| !known(head)) {
        return Err(Problem::invalid(format!("the table of items has a column {head:?}: it may have {COLUMNS}")));
    }
    let mut items = Vec::new();
    for row in reader.records() {
        let row = row.map_err(bad)?;
        let line = row.position().map_or(0, csv::Position::line);
        let cell = |names: &[&str]| {
            let at = heads.iter().position(|head| names.contains(&head.as_str()))?;
            row.get(at).filter(|cell| !cell.is_empty()).map(str::to_owned)
        };
        let Some(title) = cell(&["name", "title"]).or_else(|| cell(&["id", "key"])) else { continue };
        let mut features = Vec::new();
        for (_, cell) in heads.iter().zip(&row).filter(|(head, _)| head.starts_with("feat_")) {
            let value = cell
                .parse()
                .map_err(|_| Problem::invalid(format!("line {line} of the items: {cell:?} is not a number")))?;
            features.push(value);
        }
        let (key, text, link) = (cell(&["id", "key"]), cell(&["text"]), cell(&["link"]));
        let enabled = cell(&["enabled"]).map(|word| word != "no");
        items.push(NewItem { key, title, text, link, features, correction: false, enabled });
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
        assert!(items("name,colour\nA,red").unwrap_err().detail.contains("colour"));
        assert!(items("").unwrap().is_empty());
    }
}
