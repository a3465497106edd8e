//! A table with one more column, which is made of several: a judge may be known by two of them only.

use crate::error::Result;
use crate::sample::Sample;
use crate::table::Table;

/// A table, and a last column that holds the values of some of its columns together.
pub(crate) struct Joined<'t> {
    table: &'t mut dyn Table,
    parts: Vec<usize>,
    columns: Vec<String>,
    wanted: Vec<usize>,
    /// The fields of the table that make up those that are wanted.
    fields: Vec<String>,
}

impl<'t> Joined<'t> {
    /// Adds a column of this name, made of these.
    pub(crate) fn new(table: &'t mut dyn Table, parts: Vec<usize>, name: &str) -> Self {
        let columns = table.columns().iter().cloned().chain([name.to_owned()]).collect();
        Self { table, parts, columns, wanted: Vec::new(), fields: Vec::new() }
    }

    /// The same of the first rows.
    pub(crate) fn sample(&self, sample: &Sample) -> Sample {
        let mut sample = sample.clone();
        for row in &mut sample.rows {
            let parts: Vec<String> = self.parts.iter().map(|&part| row[part].clone()).collect();
            row.push(together(&parts));
        }
        sample
    }
}

/// Several values as one; nothing where one of them is missing.
fn together(parts: &[String]) -> String {
    if parts.iter().any(String::is_empty) { String::new() } else { parts.join(", ") }
}

impl Table for Joined<'_> {
    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn kind(&self) -> String {
        self.table.kind()
    }

    fn numbered(&self) -> bool {
        self.table.numbered()
    }

    fn select(&mut self, wanted: &[usize]) {
        let own = self.columns.len() - 1;
        let needed = |&column: &usize| if column == own { self.parts.clone() } else { vec![column] };
        let inner: Vec<usize> = wanted.iter().flat_map(needed).collect();
        self.table.select(&inner);
        self.fields = vec![String::new(); inner.len()];
        self.wanted = wanted.to_vec();
    }

    fn next(&mut self, fields: &mut [String]) -> Result<bool> {
        if !self.table.next(&mut self.fields)? {
            return Ok(false);
        }
        let mut rest = self.fields.as_slice();
        for (field, &column) in fields.iter_mut().zip(&self.wanted) {
            let own = column == self.columns.len() - 1;
            let (first, others) = rest.split_at(if own { self.parts.len() } else { 1 });
            *field = together(first);
            rest = others;
        }
        Ok(true)
    }

    fn line(&self) -> u64 {
        self.table.line()
    }

    fn raw(&self) -> String {
        self.table.raw()
    }

    fn times(&self) -> u64 {
        self.table.times()
    }
}
