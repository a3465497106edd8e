//! Tables with one row an item and one column a judge, turned round.

use super::judged::naming;
use super::{RowKind, Wide, is_aside};
use crate::error::{Error, Result};
use crate::layout::header::Header;
use crate::read::VoteReader;
use crate::sample::{Sample, SampleTable};
use crate::table::{Table, decimal};

impl VoteReader<'_> {
    /// Reads ranks or ratings of one item a row and one judge a column.
    pub(crate) fn read_turned(&mut self, file: &str, table: &mut dyn Table, kind: RowKind) -> Result<()> {
        let columns = table.columns().to_vec();
        let header = Header::new(file, &columns);
        let options = self.options().wide.columns.clone();
        let given = options.iter().map(|name| header.named("--item-columns", name)).collect::<Result<Vec<_>>>()?;
        let mut all = Sample::default();
        table.select(&(0..columns.len()).collect::<Vec<_>>());
        let mut fields = vec![String::new(); columns.len()];
        while table.next(&mut fields)? {
            all.push(fields.clone(), table.line());
        }
        let Some(names) = naming(&all, columns.len()).filter(|names| !given.contains(names)) else {
            return Err(Error::file(file, "--transpose needs a column that names the item of each row, each once"));
        };
        let numbers = |&c: &usize| all.values(c).next().is_some() && all.values(c).all(|v| decimal(v).is_some());
        let judges: Vec<usize> = match given.as_slice() {
            [] => (0..columns.len()).filter(|c| numbers(c) && !is_aside(&columns[*c])).collect(),
            given => given.to_vec(),
        };
        let items = all.rows.iter().map(|row| row[names].clone());
        let turned: Vec<String> = [String::new()].into_iter().chain(items).collect();
        let mut rows = Sample::default();
        for (&judge, line) in judges.iter().zip(1..) {
            let said = all.rows.iter().map(|row| row[judge].clone());
            rows.push([columns[judge].clone()].into_iter().chain(said).collect(), line);
        }
        let wide = Wide {
            kind,
            columns: (1..turned.len()).collect(),
            names: None,
            voter: Some(0),
            count: None,
            task: None,
            between: None,
            item_names: None,
        };
        self.read_wide(file, &mut SampleTable::new(table.kind(), &turned, &rows), &wide, &rows)
    }
}
