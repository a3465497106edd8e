//! Which kind of table a file holds, told by its first bytes.

use crate::delimited::Delimited;
use crate::error::{Error, Result};
use crate::json::Json;
use crate::pgn::{Pgn, is_pgn};
use crate::source::Source;
use crate::table::{Table, TableOptions};

/// Opens the table that a source holds.
pub(crate) fn open(mut source: Source, options: &TableOptions) -> Result<Box<dyn Table>> {
    let head = source.head()?;
    let first = head.iter().find(|b| !b.is_ascii_whitespace()).copied();
    if head.starts_with(b"PAR1") {
        return open_parquet(source);
    }
    if is_pgn(head) {
        return Ok(Box::new(Pgn::open(source)?));
    }
    match first {
        None => Err(Error::file(&source.name, "the file is empty: it has no votes and no header")),
        Some(b'{' | b'[') => Ok(Box::new(Json::open(source)?)),
        Some(_) => Ok(Box::new(Delimited::open(source, options)?)),
    }
}

#[cfg(feature = "parquet")]
fn open_parquet(source: Source) -> Result<Box<dyn Table>> {
    Ok(Box::new(crate::parquet::Parquet::open(source)?))
}

#[cfg(not(feature = "parquet"))]
#[allow(clippy::needless_pass_by_value)] // the same signature as with the feature
fn open_parquet(source: Source) -> Result<Box<dyn Table>> {
    Err(Error::file(
        &source.name,
        "is a Parquet file, which this build does not read: build it with the cargo feature `parquet` \
         (cargo install borduel-cli --features parquet), or convert the file to CSV",
    ))
}
