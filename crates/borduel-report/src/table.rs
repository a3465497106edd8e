//! Tables: written once as cells, shown as columns, Markdown, CSV or HTML.

use crate::text::{plain, short};
use maud::{Markup, html};

/// Rows of cells under their heads; one column is text, the first unless told otherwise, the others are numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    /// What stands above it; may be empty.
    pub title: String,
    /// The heads, one a column.
    pub heads: Vec<String>,
    /// As many cells a row as there are heads.
    pub rows: Vec<Vec<String>>,
    /// The column of names, which is text.
    pub names: usize,
}

impl Table {
    /// An empty table with these heads.
    pub fn new(title: impl Into<String>, heads: &[&str]) -> Self {
        let heads = heads.iter().map(|head| (*head).to_owned()).collect();
        Self { title: title.into(), heads, ..Self::default() }
    }

    /// Adds a row of as many cells as there are heads.
    pub fn row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// Aligned columns for a terminal: text to the left, numbers to the right. Very long cells are shortened in their
    /// middle.
    pub fn columns(&self) -> String {
        let rows: Vec<Vec<String>> = std::iter::once(&self.heads)
            .chain(&self.rows)
            .map(|row| row.iter().map(|cell| short(&plain(cell)).into_owned()).collect())
            .collect();
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.heads.len()).map(width).collect();
        let mut out = if self.title.is_empty() { String::new() } else { format!("{}\n", plain(&self.title)) };
        for row in &rows {
            let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
                let space = " ".repeat(width - cell.chars().count());
                if column == self.names { format!("{cell}{space}") } else { format!("{space}{cell}") }
            });
            let line = cells.collect::<Vec<_>>().join("  ");
            out += line.trim_end();
            out.push('\n');
        }
        out
    }

    /// Writes the table as Markdown.
    pub fn markdown(&self) -> String {
        let row = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| plain(cell).replace('|', "\\|")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let title = if self.title.is_empty() { String::new() } else { format!("**{}**\n\n", plain(&self.title)) };
        let sides = (0..self.heads.len()).map(|column| if self.is_left(column) { ":--|" } else { "--:|" });
        let rule = format!("|{}\n", sides.collect::<String>());
        let body: String = self.rows.iter().map(|cells| row(cells)).collect();
        format!("{title}{}{rule}{body}", row(&self.heads))
    }

    /// CSV, without the title and with every cell as it is: what is to be read back.
    pub fn csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for row in std::iter::once(&self.heads).chain(&self.rows) {
            // Writing to memory does not fail, and all rows have as many cells as there are heads.
            let _ = writer.write_record(row);
        }
        String::from_utf8_lossy(&writer.into_inner().unwrap_or_default()).into_owned()
    }

    /// How many cells a spreadsheet would take for formulas: they begin with `=`, `+`, `-`, `@` or white space that
    /// spreadsheets pass over, and are no numbers.
    pub fn formulas(&self) -> usize {
        self.rows.iter().flatten().filter(|cell| formula(cell)).count()
    }

    /// Puts an apostrophe in front of all of them, and takes the power from characters that would act on a terminal.
    pub fn tame(&mut self) {
        for cell in self.rows.iter_mut().flatten() {
            // A line end within quotation marks is data.
            *cell = cell.split('\n').map(plain).collect::<Vec<_>>().join("\n");
            if formula(cell) {
                cell.insert(0, '\'');
            }
        }
    }

    /// Whether a column stands to the left: that of names, and sentences.
    fn is_left(&self, column: usize) -> bool {
        column == self.names || self.rows.iter().any(|row| row[column].chars().count() > 40)
    }

    /// An HTML table that scrolls by itself where it is too wide.
    pub fn html(&self) -> Markup {
        // Pages take the first column for that of names.
        let class = |column: usize| match column {
            0 if self.names > 0 => Some("few"),
            0 => None,
            _ if column == self.names => Some("left name"),
            _ => self.is_left(column).then_some("left"),
        };
        let left: Vec<_> = (0..self.heads.len()).map(class).collect();
        html! {
            div.wide tabindex="0" {
                table {
                    thead {
                        tr { @for (head, left) in self.heads.iter().zip(&left) { th class=[*left] { (plain(head)) } } }
                    }
                    tbody {
                        @for row in &self.rows {
                            tr { @for (cell, left) in row.iter().zip(&left) { td class=[*left] { (plain(cell)) } } }
                        }
                    }
                }
            }
        }
    }
}

fn formula(cell: &str) -> bool {
    cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new("t", &["a", "number"]);
        table.row(["Δx", "7"]);
        table.row(["=1|2", "-7.5"]);
        table
    }

    #[test]
    fn cells_are_aligned_and_escaped() {
        assert_eq!(table().columns(), "t\na     number\nΔx         7\n=1|2    -7.5\n");
        assert_eq!(table().markdown(), "**t**\n\n| a | number |\n|:--|--:|\n| Δx | 7 |\n| =1\\|2 | -7.5 |\n");
        let mut evil = table();
        evil.rows[0][0] = "<b>\u{1b}".to_owned();
        assert!(evil.html().into_string().contains("<td>&lt;b&gt;\\u{1b}</td>"));
        assert!(evil.columns().contains("<b>\\u{1b}"));
        // Sentences stand to the left.
        evil.rows[1][1] = "a sentence that is longer than any number, and so stands to the left".to_owned();
        assert!(evil.html().into_string().contains("<td class=\"left\">a sentence"));
    }

    #[test]
    fn formulas_are_tamed_and_numbers_are_not() {
        let mut table = table();
        assert_eq!(table.csv(), "a,number\nΔx,7\n=1|2,-7.5\n");
        assert_eq!(table.formulas(), 1);
        table.tame();
        assert_eq!(table.csv(), "a,number\nΔx,7\n'=1|2,-7.5\n");
    }
}
