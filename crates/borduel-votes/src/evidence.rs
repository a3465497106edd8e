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
use crate::wide::{RowKind, Wide, WideOptions, is_total};
use candidates::Question;
use doubts::Case;
use doubts::rows::RowsCase;
use reading::Interpretation;

/// What a table was chosen to be.
pub(crate) enum Chosen {
    /// Votes on pairs.
    Pairs(Layout),
    /// Rows of another kind, such as rankings.
    Rows(Wide),
}

/// What speaks for a reading that is taken unless something speaks against it, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Evidence {
    /// The header, or the user, names the columns of votes on pairs.
    Named,
    /// The rows are such as hardly any other table has, or what the user has said.
    Rows,
    /// The values tell which columns are those of votes on pairs.
    Values,
}

impl Chosen {
    fn evidence(&self) -> Evidence {
        match self {
            Self::Pairs(layout) if layout.inferred => Evidence::Values,
            Self::Pairs(_) => Evidence::Named,
            Self::Rows(_) => Evidence::Rows,
        }
    }

    /// What speaks against the reading. Of votes only those that are wanted tell, and of anything else `all` rows do.
    fn doubt(&self, header: &Header<'_>, (wanted, all): Samples<'_>, given: &Interpretation) -> Option<Question> {
        match self {
            Self::Pairs(layout) => Case { header, sample: wanted, given, layout }.doubt(),
            Self::Rows(wide) => RowsCase { header, sample: all, given, wide }.doubt(),
        }
    }
}

/// The rows that are wanted, and all of them.
type Samples<'s> = (&'s Sample, &'s Sample);

/// Chooses the reading of a table for which most speaks, of all that there are. `tried` tells how a reading would read
/// the first rows.
///
/// # Errors
/// No reading, several for which as much speaks, or one that something speaks against.
pub(crate) fn choose(
    file: &str,
    columns: &[String],
    (wanted, all): Samples<'_>,
    given: &Interpretation,
    tried: &Tried<'_>,
) -> Result<Chosen> {
    let header = Header::new(file, columns);
    let of_pairs = given.columns.names_pairs() || given.wide.rows == Some(RowKind::Pairs);
    let is_told = !of_pairs && given.wide.rows.is_some();
    let pairs = if is_told { Ok(None) } else { Layout::understood(&header, wanted, &given.columns) };
    let rows = if of_pairs { Vec::new() } else { Wide::all(&header, all, &given.wide, &given.columns)? };
    let (pairs, wrong) = pairs.map_or_else(|error| (None, Some(error)), |layout| (layout, None));
    let mut found: Vec<Chosen> =
        pairs.map(Chosen::Pairs).into_iter().chain(rows.into_iter().map(Chosen::Rows)).collect();
    // The first of equals stays first.
    found.sort_by_key(Chosen::evidence);
    // A matrix may have its sums.
    let matrix = matches!(found.first(), Some(Chosen::Rows(wide)) if wide.kind == RowKind::Matrix);
    if let Some((foot, footed)) = footed(&header, all, given).filter(|_| !matrix) {
        let without = |sample: &Sample| sample.of_wanted(|row| !foot.is(row));
        choose(file, columns, (&without(wanted), &without(all)), &footed, tried)?;
        let question = format!("the last row, \"{}\", seems to be a sum or a mean of the others", foot.value);
        return Err(Question::new(question).meant("If it is", footed).asked(file, wanted, tried));
    }
    let Some(best) = found.first() else {
        return Err(wrong.unwrap_or_else(|| refused(&header, wanted, given, tried)));
    };
    let question = best.doubt(&header, (wanted, all), given);
    match question.or_else(|| rivals(&header, &found, given, tried)) {
        None => Ok(found.swap_remove(0)),
        Some(question) => Err(question.asked(file, wanted, tried)),
    }
}

/// What a row of means is called.
const MEANS: &[&str] = &["average", "mean", "avg", "mittelwert", "durchschnitt", "moyenne", "media", "gemiddelde"];

/// The foot of a table: the cell that tells what its last row is.
struct Foot {
    column: usize,
    value: String,
}

impl Foot {
    fn is(&self, row: &[String]) -> bool {
        row[self.column] == self.value
    }
}

/// The last row, if it is called a sum or a mean, and the reading of the others; none where the columns were named.
fn footed(header: &Header<'_>, sample: &Sample, given: &Interpretation) -> Option<(Foot, Interpretation)> {
    let named = given.columns.names_pairs() || !given.wide.columns.is_empty();
    let last = sample.rows.last().filter(|_| !named && sample.is_whole() && sample.rows.len() > 1)?;
    let is_foot = |value: &String| is_total(value) || MEANS.contains(&value.to_lowercase().as_str());
    let column = last.iter().position(is_foot)?;
    let foot = Foot { column, value: last[column].clone() };
    let once = sample.rows.iter().filter(|row| foot.is(row)).count() == 1;
    let mut footed = given.clone();
    footed.extra.but.push((header.called(column), foot.value.clone()));
    (once && footed.extra.but.len() == 1).then_some((foot, footed))
}

/// Several readings for which as much speaks, where they do not read the first rows alike.
fn rivals(header: &Header<'_>, found: &[Chosen], given: &Interpretation, tried: &Tried<'_>) -> Option<Question> {
    let equal = found.iter().filter(|other| other.evidence() == found[0].evidence());
    let rows: Vec<&Wide> =
        equal.filter_map(|one| if let Chosen::Rows(wide) = one { Some(wide) } else { None }).collect();
    let reading = |wide: &Wide| {
        let columns = wide.columns.iter().map(|&column| header.called(column)).collect();
        let options = WideOptions { rows: Some(wide.kind), columns, ..given.wide.clone() };
        Interpretation { wide: options, ..given.clone() }
    };
    let read: Vec<Option<String>> =
        if rows.len() < 2 { Vec::new() } else { rows.iter().map(|wide| Some(tried(&reading(wide))?.rows)).collect() };
    if !read.iter().flatten().any(|other| read[0].as_ref().is_some_and(|first| first != other)) {
        return None;
    }
    let question = Question::new("the rows can be read in more than one way".to_owned());
    Some(
        rows.iter().fold(question, |question, wide| {
            question.meant(format!("If each row is {}", wide.kind.row()), reading(wide))
        }),
    )
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
    let layout = Layout::understood(&header, sample, &given.columns)?;
    let layout = layout.ok_or_else(|| refused(&header, sample, given, tried))?;
    let doubt = Case { header: &header, sample, given, layout: &layout }.doubt();
    doubt.map_or(Ok(layout), |question| Err(question.asked(file, sample, tried)))
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
