//! Lists of items with their features, and tables with one row per pair.

use crate::error::{Error, Result, RowError};
use crate::open::open;
use crate::source::Source;
use crate::table::{Table, TableOptions, decimal, normal};
use std::collections::HashSet;
use std::io::Cursor;

/// A list of items.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Items {
    /// The identifiers, each once.
    pub ids: Vec<String>,
    /// The names for people, where there are any.
    pub names: Vec<Option<String>>,
    /// The names of the features, without `feat_`.
    pub feature_names: Vec<String>,
    /// The features, item by item.
    pub features: Vec<f64>,
    /// Columns that are not used, since they are not called `feat_…`.
    pub unused: Vec<String>,
}

impl Items {
    /// The same list in the order of the ids.
    #[must_use]
    pub fn sorted(&self) -> Self {
        let mut order: Vec<usize> = (0..self.ids.len()).collect();
        order.sort_by_key(|&item| &self.ids[item]);
        let dim = self.feature_names.len();
        Self {
            ids: order.iter().map(|&item| self.ids[item].clone()).collect(),
            names: order.iter().map(|&item| self.names[item].clone()).collect(),
            features: order.iter().flat_map(|&item| &self.features[item * dim..(item + 1) * dim]).copied().collect(),
            feature_names: self.feature_names.clone(),
            unused: self.unused.clone(),
        }
    }
}

/// A table with one row per pair of items.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pairs {
    /// The pairs, as written.
    pub pairs: Vec<(String, String)>,
    /// The names of the columns of numbers.
    pub columns: Vec<String>,
    /// Their values, pair by pair.
    pub values: Vec<f64>,
}

/// Reads a list of items: `id` (or `item`, or only `name`), optionally `name`, and any number of columns `feat_…`.
///
/// # Errors
/// A file that cannot be read, an id twice, a feature that is not a number.
pub fn read_items(path: &str, options: &TableOptions) -> Result<Items> {
    let mut reader = NumberTable::open(path, options)?;
    let id = ["id", "item", "name"].iter().find_map(|name| reader.find(name)).ok_or_else(|| {
        Error::file(&reader.file, "has no column \"id\": expected id,name,feat_… with one row per item")
    })?;
    let name = reader.find("name").filter(|&name| name != id);
    let features = reader.features();
    let used = |column: &usize| name == Some(*column) || *column == id || features.contains(column);
    let columns = reader.table.columns();
    let unused = (0..columns.len()).filter(|column| !used(column)).map(|column| columns[column].clone()).collect();
    let mut items = Items { feature_names: reader.strip_names(&features), unused, ..Items::default() };
    let mut seen = HashSet::new();
    let texts: Vec<usize> = [id].into_iter().chain(name).collect();
    while let Some(texts) = reader.row(&texts, &features, &mut items.features)? {
        if texts[0].is_empty() {
            return Err(reader.error(id, &texts[0], "is no id"));
        }
        if !seen.insert(texts[0].clone()) {
            return Err(reader.error(id, &texts[0], "is the id of two items: ids must differ"));
        }
        items.names.push(texts.get(1).filter(|name| !name.is_empty()).cloned());
        items.ids.push(texts[0].clone());
    }
    if items.ids.len() < 2 {
        return Err(Error::file(&reader.file, "lists fewer than two items"));
    }
    Ok(items)
}

/// Reads a table of pairs: `left`, `right`, and the columns of numbers wanted: all `feat_…` for `None`, or the one
/// named.
///
/// # Errors
/// A file that cannot be read, a missing column, a value that is not a number.
pub fn read_pairs(path: &str, column: Option<&str>, options: &TableOptions) -> Result<Pairs> {
    let mut reader = NumberTable::open(path, options)?;
    let pair = [("left", "right"), ("item_a", "item_b"), ("a", "b"), ("i", "j")];
    let found = pair.iter().find_map(|(a, b)| Some((reader.find(a)?, reader.find(b)?)));
    let (left, right) = found.ok_or_else(|| {
        Error::file(&reader.file, "has no columns \"left\" and \"right\": one row per pair is expected")
    })?;
    let numbers = match column {
        None => reader.features(),
        Some(name) => {
            vec![reader.find(name).ok_or_else(|| Error::file(&reader.file, format!("has no column \"{name}\"")))?]
        }
    };
    let mut pairs = Pairs { columns: reader.strip_names(&numbers), ..Pairs::default() };
    while let Some(mut texts) = reader.row(&[left, right], &numbers, &mut pairs.values)? {
        if texts[0] == texts[1] {
            return Err(reader.error(right, &texts[1], "is paired with itself"));
        }
        let right = texts.pop().unwrap_or_default();
        pairs.pairs.push((texts.pop().unwrap_or_default(), right));
    }
    Ok(pairs)
}

/// Reads a table of scores: `id` (or `item`, `name`), and `score` (or `strength`, `borda`, `rating`, `elo`). `None`
/// where the file has no such columns.
///
/// # Errors
/// An item twice, a score that is not a number.
pub fn read_scores(path: &str, options: &TableOptions) -> Result<Option<Vec<(String, f64)>>> {
    // What is no table at all may still be votes.
    let Ok(mut reader) = NumberTable::open(path, options) else { return Ok(None) };
    let id = ["id", "item", "name"].iter().find_map(|name| reader.find(name));
    let score = ["score", "strength", "borda", "rating", "elo"].iter().find_map(|name| reader.find(name));
    let (Some(id), Some(score)) = (id, score) else { return Ok(None) };
    let (mut names, mut scores) = (Vec::new(), Vec::new());
    let mut seen = HashSet::new();
    while let Some(mut texts) = reader.row(&[id], &[score], &mut scores)? {
        let name = texts.pop().unwrap_or_default();
        if !seen.insert(name.clone()) {
            return Err(reader.error(id, &name, "is the id of two items: ids must differ"));
        }
        names.push(name);
    }
    Ok(Some(names.into_iter().zip(scores).collect()))
}

/// Reads a table of texts: of every row the wanted columns, each under the first of its names that is there, and
/// empty where none is.
///
/// # Errors
/// A file that cannot be read, or one without one of the first `required` columns.
pub fn read_texts(path: &str, wanted: &[&[&str]], required: usize, options: &TableOptions) -> Result<Vec<Vec<String>>> {
    texts(NumberTable::open(path, options)?, wanted, required)
}

/// The same of bytes that somebody holds, under this name in messages.
///
/// # Errors
/// As for a file.
pub fn parse_texts(name: &str, bytes: Vec<u8>, wanted: &[&[&str]], required: usize) -> Result<Vec<Vec<String>>> {
    let source = Source::new(name.to_owned(), Box::new(Cursor::new(bytes)))?;
    texts(NumberTable::new(source, &TableOptions::default())?, wanted, required)
}

fn texts(mut reader: NumberTable, wanted: &[&[&str]], required: usize) -> Result<Vec<Vec<String>>> {
    let places: Vec<Option<usize>> =
        wanted.iter().map(|names| names.iter().find_map(|name| reader.find(name))).collect();
    if let Some(missing) = places[..required].iter().position(Option::is_none) {
        return Err(Error::file(&reader.file, format!("has no column {:?}", wanted[missing][0])));
    }
    let present: Vec<usize> = places.iter().copied().flatten().collect();
    let mut rows = Vec::new();
    while let Some(texts) = reader.row(&present, &[], &mut Vec::new())? {
        let mut texts = texts.into_iter();
        rows.push(places.iter().map(|place| place.and_then(|_| texts.next()).unwrap_or_default()).collect());
    }
    Ok(rows)
}

/// A table of texts and numbers.
struct NumberTable {
    file: String,
    table: Box<dyn Table>,
}

impl NumberTable {
    fn open(path: &str, options: &TableOptions) -> Result<Self> {
        Self::new(Source::open(path)?.decoded(options.encoding), options)
    }

    fn new(source: Source, options: &TableOptions) -> Result<Self> {
        let file = source.name.clone();
        let table = open(source, &TableOptions { lenient: false, no_header: false, ..options.clone() })?;
        Ok(Self { file, table })
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.table.columns().iter().position(|column| normal(column) == name)
    }

    fn features(&self) -> Vec<usize> {
        let columns = self.table.columns();
        (0..columns.len()).filter(|&column| normal(&columns[column]).starts_with("feat_")).collect()
    }

    fn strip_names(&self, columns: &[usize]) -> Vec<String> {
        let names = columns.iter().map(|&column| self.table.columns()[column].as_str());
        names
            .map(|name| name.get(..5).filter(|p| normal(p) == "feat_").map_or(name, |_| &name[5..]).to_owned())
            .collect()
    }

    fn error(&self, column: usize, value: &str, what: &str) -> Error {
        let column = Some((if self.table.numbered() { column + 1 } else { 0 }, self.table.columns()[column].clone()));
        let (file, value, what) = (self.file.clone(), Some(value.to_owned()), what.to_owned());
        Error::Row(Box::new(RowError { file, line: self.table.line(), column, value, what }))
    }

    /// The texts of the next row; its numbers are appended to `values`.
    fn row(&mut self, texts: &[usize], numbers: &[usize], values: &mut Vec<f64>) -> Result<Option<Vec<String>>> {
        let wanted: Vec<usize> = texts.iter().chain(numbers).copied().collect();
        let mut fields = vec![String::new(); wanted.len()];
        self.table.select(&wanted);
        if !self.table.next(&mut fields)? {
            return Ok(None);
        }
        for (&column, field) in numbers.iter().zip(&fields[texts.len()..]) {
            match decimal(field) {
                Some(x) if x.is_finite() => values.push(x),
                _ => return Err(self.error(column, field, "is not a finite number")),
            }
        }
        fields.truncate(texts.len());
        Ok(Some(fields))
    }
}
