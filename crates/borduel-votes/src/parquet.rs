//! Parquet files, behind the cargo feature `parquet`.

use crate::error::{Error, Result, RowError};
use crate::source::Source;
use crate::table::{Table, check_header};
use bytes::Bytes;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::reader::RowIter;
use parquet::record::{Field, Row};
use std::io::Read;

/// A table whose rows come from a Parquet file. Its columns lie one behind the other, so the file is held in memory.
pub(crate) struct Parquet {
    file: String,
    columns: Vec<String>,
    wanted: Vec<usize>,
    rows: RowIter<'static>,
    row: Option<Row>,
    line: u64,
}

impl Parquet {
    /// Reads the schema.
    pub(crate) fn open(mut source: Source) -> Result<Self> {
        let mut bytes = Vec::new();
        source.reader.read_to_end(&mut bytes).map_err(|e| Error::io(&source.name, 0, e))?;
        let damaged =
            |e: parquet::errors::ParquetError| Error::file(&source.name, format!("is a damaged Parquet file: {e}"));
        let reader = SerializedFileReader::new(Bytes::from(bytes)).map_err(damaged)?;
        let schema = reader.metadata().file_metadata().schema();
        let columns: Vec<String> = schema.get_fields().iter().map(|field| field.name().to_owned()).collect();
        check_header(&source.name, &columns)?;
        let rows = RowIter::from_file_into(Box::new(reader));
        Ok(Self { file: source.name, columns, wanted: Vec::new(), rows, row: None, line: 0 })
    }

    fn error(&self, column: Option<usize>, what: String) -> Error {
        let column = column.map(|column| (column + 1, self.columns[column].clone()));
        Error::Row(Box::new(RowError { file: self.file.clone(), line: self.line, column, value: None, what }))
    }
}

impl Table for Parquet {
    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn kind(&self) -> String {
        "Parquet".to_owned()
    }

    fn numbered(&self) -> bool {
        true
    }

    fn select(&mut self, wanted: &[usize]) {
        self.wanted = wanted.to_vec();
    }

    fn next(&mut self, fields: &mut [String]) -> Result<bool> {
        let Some(row) = self.rows.next() else { return Ok(false) };
        self.line += 1;
        let row = row.map_err(|e| Error::file(&self.file, format!("row {} cannot be read: {e}", self.line)))?;
        let mut nested = None;
        for (field, &column) in fields.iter_mut().zip(&self.wanted) {
            field.clear();
            match row.get_column_iter().nth(column).map(|(_, value)| value) {
                None | Some(Field::Null) => {}
                Some(Field::Str(text)) => field.push_str(text.trim()),
                Some(Field::Group(_) | Field::ListInternal(_) | Field::MapInternal(_)) => nested = Some(column),
                Some(other) => field.push_str(&other.to_string()),
            }
        }
        self.row = Some(row);
        match nested {
            Some(column) => Err(self.error(Some(column), "holds a list or a group, not one value".to_owned())),
            None => Ok(true),
        }
    }

    fn line(&self) -> u64 {
        self.line
    }

    fn raw(&self) -> String {
        self.row.as_ref().map_or_else(String::new, ToString::to_string)
    }
}
