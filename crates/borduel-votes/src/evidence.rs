//! Whether a reading of a table holds: what speaks against it in its own rows, and what else may be tried where there
//! is none.

mod candidates;
mod doubts;
pub(crate) mod reading;
mod results;

pub(crate) use candidates::{Trial, Tried};

use crate::error::{Error, Result};
use crate::layout::header::Header;
use crate::layout::{Columns, Layout, Shape, infer};
use crate::outcome::Words;
use crate::sample::Sample;
use crate::shown::answers;
use crate::table::normal;
use crate::wide::Wide;
use doubts::Case;
use reading::Interpretation;

/// What a table was chosen to be.
pub(crate) enum Chosen {
    /// Votes on pairs.
    Pairs(Layout),
    /// Anything else.
    Rows(Wide),
}

/// Chooses the reading of a table: the header's, then one of rows that hardly any other table has, then the one of
/// pairs that the values tell. Of votes only those that are wanted tell what the columns are, and of anything else
/// `all` rows do. `tried` tells how a reading would read the first rows.
///
/// # Errors
/// See [`Layout::find`].
pub(crate) fn choose(
    file: &str,
    columns: &[String],
    (wanted, all): (&Sample, &Sample),
    given: &Interpretation,
    tried: &Tried<'_>,
) -> Result<Chosen> {
    let header = Header::new(file, columns);
    let other = || Wide::find(file, columns, all, &given.wide, &given.columns);
    // What rows are was said, or is looked for where the header does not tell: rankings and matrices share values
    // between their columns too.
    if given.wide.rows.is_some()
        && let Some(wide) = other()?
    {
        return Ok(Chosen::Rows(wide));
    }
    let pairs = undoubted(&header, wanted, &given.columns);
    let named = given.columns.names_pairs() || matches!(&pairs, Ok(Some(layout)) if !layout.inferred);
    if !named
        && given.wide.rows.is_none()
        && let Some(wide) = other()?
    {
        return Ok(Chosen::Rows(wide));
    }
    pairs?.map(Chosen::Pairs).ok_or_else(|| refused(&header, wanted, given, tried))
}

/// Finds the columns of a table of votes on pairs.
///
/// # Errors
/// See [`Layout::find`].
pub(crate) fn find(
    file: &str,
    columns: &[String],
    sample: &Sample,
    given: &Interpretation,
    tried: &Tried<'_>,
) -> Result<Layout> {
    let header = Header::new(file, columns);
    undoubted(&header, sample, &given.columns)?.ok_or_else(|| refused(&header, sample, given, tried))
}

/// The reading of pairs that nothing speaks against; `None` where there is none.
fn undoubted(header: &Header<'_>, sample: &Sample, given: &Columns) -> Result<Option<Layout>> {
    let layout = Layout::understood(header, sample, given)?;
    layout.map(|layout| Case { header, sample, given, layout: &layout }.ask().map(|()| layout)).transpose()
}

/// Why a table is not understood, with the readings that may be meant.
fn refused(header: &Header<'_>, sample: &Sample, given: &Interpretation, tried: &Tried<'_>) -> Error {
    // No advice is given on advice.
    if sample.trial {
        return Error::file(header.file, EXPECTED);
    }
    let found = candidates::found(header, sample, given);
    let offered = candidates::offered(header, sample, given, tried, false);
    let what = if offered.is_empty() { found + EXPECTED } else { found.trim_end().to_owned() + &offered };
    Error::file(header.file, what)
}

/// What is said where nothing can be offered.
const EXPECTED: &str = "Expected left,right,winner, or model_a,model_b,winner, or winner,loser, or counts such as \
    left,right,left_wins,right_wins; name the columns with --left, --right, --winner (or --winner, --loser; or \
    --left-wins, --right-wins; \
    or --left-points, --right-points), or give --no-header and their numbers; matrices, rankings and ratings: --rows";

/// A row that was not understood, with the readings that may be meant instead.
pub(crate) fn advised(
    error: Error,
    columns: &[String],
    sample: &Sample,
    given: &Interpretation,
    tried: &Tried<'_>,
) -> Error {
    match error {
        Error::Row(mut row) if !sample.trial => {
            let header = Header::new(&row.file, columns);
            let offered = candidates::offered(&header, sample, given, tried, true);
            row.what += &candidates::spoilt(&header, sample, given);
            row.what += &offered;
            Error::Row(row)
        }
        other => other,
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
                "the first row ({row}) reads as a vote, which would be lost as the header: say --no-header; if it is \
                 the header all the same, \
                 call columns by their names"
            );
            Err(Error::file(file, what))
        }
        (true, false) => Ok(format!("; the first row ({row}) is taken for the header (if it is a vote: --no-header)")),
    }
}
