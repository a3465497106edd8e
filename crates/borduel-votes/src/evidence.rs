//! Whether a reading of a table holds: what speaks against it in its own rows, and what else may be tried where there is none.

mod hints;
mod results;

use crate::error::{Error, Result};
use crate::layout::header::Header;
use crate::layout::{Columns, Layout};
use crate::outcome::Words;
use crate::sample::Sample;
use crate::wide::WideOptions;

/// A reading that is tried on the first rows before it is recommended.
#[derive(Default)]
pub(crate) struct Trial {
    pub(crate) columns: Columns,
    pub(crate) words: Words,
    pub(crate) wide: WideOptions,
}

/// Finds the columns of a table of votes; `tried` tells how a reading would read the first rows.
///
/// # Errors
/// See [`Layout::find`].
pub(crate) fn find(
    file: &str,
    columns: &[String],
    sample: &Sample,
    given: &Columns,
    tried: &dyn Fn(Trial) -> Option<String>,
) -> Result<Layout> {
    let header = Header::new(file, columns);
    match Layout::understood(&header, sample, given)? {
        Some(layout) => results::ask(&header, sample, given, &layout).map(|()| layout),
        None => Err(Error::file(file, hints::not_understood(&header, sample, given, tried))),
    }
}
