//! Whether a reading of a table holds: what speaks against it in its own rows, and what else may be tried where there
//! is none.

mod hints;
mod results;

use crate::error::{Error, Result};
use crate::layout::header::Header;
use crate::layout::{Columns, Layout, Shape, infer};
use crate::outcome::Words;
use crate::sample::Sample;
use crate::shown::answers;
use crate::table::normal;
use crate::wide::WideOptions;

/// A reading that is tried on the first rows before it is recommended.
#[derive(Default)]
pub(crate) struct Trial {
    pub(crate) columns: Columns,
    pub(crate) words: Words,
    pub(crate) wide: WideOptions,
    /// Whether the header is a row like the others.
    pub(crate) no_header: bool,
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

/// Where columns are called by their numbers, nobody has said that the first row is a header. If it reads as a vote,
/// that vote would be lost; if it may be one, that is said.
///
/// # Errors
/// A first row that reads as a vote.
pub(crate) fn first_row(
    file: &str,
    columns: &[String],
    sample: &Sample,
    given: &Columns,
    layout: &Layout,
    words: &Words,
) -> Result<String> {
    let named = |name: &String| columns.iter().any(|column| column == name || normal(column) == normal(name));
    let by_number = |name: &String| name.parse::<usize>().is_ok() && !named(name);
    if !sample.ordered || !given.names().any(by_number) {
        return Ok(String::new());
    }
    let first = Sample::new(vec![columns.to_vec()]);
    let reads = answers(columns, &first, layout, words)[0].is_some();
    let items = &layout.used()[..2];
    // Any two names may be those of a winner and a loser.
    let tells = !matches!(layout.shape, Shape::WinnerLoser { .. })
        || items.iter().any(|&item| items.iter().any(|&other| sample.values(other).any(|v| v == columns[item])));
    let row = infer::first_row(columns);
    match (reads, tells) {
        (false, _) => Ok(String::new()),
        (true, true) => {
            let what = format!(
                "the first row ({row}) reads as a vote, which would be lost as the header: say --no-header; if it is the header all the same, \
                 call columns by their names"
            );
            Err(Error::file(file, what))
        }
        (true, false) => Ok(format!("; the first row ({row}) is taken for the header (if it is a vote: --no-header)")),
    }
}
