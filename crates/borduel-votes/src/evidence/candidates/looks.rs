//! What a table looks like that no flags can read: what has to be done with it first.

use super::super::reading::Start;
use super::{Table, series};
use crate::layout::answer_columns::is_not_the_end;
use crate::layout::codes::codes;
use crate::layout::header::Header;
use crate::layout::{infer, list, side};
use crate::outcome::score;
use crate::sample::Sample;
use crate::table::decimal;
use borduel_rank::ballots::Answer;
use std::collections::BTreeSet;

/// How the columns of a league table are called.
const LEAGUE: &[&str] = &[
    "p",
    "mp",
    "gp",
    "pld",
    "played",
    "w",
    "won",
    "wins",
    "d",
    "drawn",
    "draws",
    "l",
    "lost",
    "losses",
    "t",
    "ties",
    "gf",
    "ga",
    "gd",
    "pf",
    "pa",
    "pts",
    "points",
    "pct",
    "goal_difference",
];
/// What stands between two items in one cell.
const BETWEEN: &[&str] = &[
    " def. ",
    " d. ",
    " beat ",
    " defeated ",
    " bt ",
    " vs ",
    " vs. ",
    " v ",
    " vs\u{a0}",
    "_vs_",
    " - ",
    " – ",
    " / ",
    " or ",
    ",",
    "_",
];

/// The same from one side's point of view.
const VERSUS: &[&str] = &[" vs. ", " vs ", " @ ", " at "];

/// Looks at a table for one thing.
type Look = fn(&Table<'_>) -> Option<String>;
const LOOKS: &[Look] = &[early, both_in_one, several_judges, shares, totals, mangled];

/// All that a table looks like, in sentences.
pub(super) fn looks(table: &Table<'_>) -> String {
    let beginning = infer::odd_beginning(table.header, table.sample);
    let looks = LOOKS.iter().skip(usize::from(!beginning.is_empty())).filter_map(|look| look(table));
    beginning + &looks.map(|look| look + ". ").collect::<String>()
}

/// Where the rows begin, if there is something else in front of them than a header, and what has to be done about it.
pub(super) fn start(header: &Header<'_>, sample: &Sample) -> Option<(Start, String)> {
    let import = |row: &Vec<String>| row.iter().any(|value| value.starts_with("{\"ImportId\""));
    if let Some(row) = sample.rows.iter().position(import) {
        return Some((Start::Below(row + 1), "Delete the lines 2 and 3".to_owned()));
    }
    let title = |row: &[String]| row.len() > 2 && row[1..].iter().all(String::is_empty);
    let comment = |row: &[String]| row.first().is_some_and(|value| value.starts_with('#'));
    if title(header.columns) || comment(header.columns) {
        let rows = 1 + sample.rows.iter().position(|row| !title(row) && !comment(row))?;
        return Some((Start::After(rows), format!("Delete all lines above {}", sample.place(rows - 1))));
    }
    if infer::goes_on(header, sample) {
        let (joined, _) = Start::Joined.of(header.columns, sample);
        return Some((Start::Joined, format!("Write {} in the place of the lines 1 and 2", joined.join(","))));
    }
    let ballot = header.columns.len() == 1 && header.columns[0].contains('>');
    (ballot || infer::may_be_data(header, sample)).then(|| {
        let row = infer::first_row(header.columns);
        (Start::First, format!("If the first row ({row}) is data, and there is no header"))
    })
}

/// Columns about half time, the toss and the shoot-out.
fn early(table: &Table<'_>) -> Option<String> {
    const LONGEST: usize = 6;
    let header = table.header;
    // A name that is a whole header line, or a sentence, may hold any word.
    let is_name = |c: &usize| header.words[*c].len() <= LONGEST && !header.columns[*c].contains([';', '|', '\t']);
    let early = table.columns().filter(|&c| is_not_the_end(&header.words[c])).filter(is_name);
    let early: Vec<String> = early.map(|c| header.columns[c].clone()).collect();
    let some = !early.is_empty() && early.len() < header.columns.len();
    some.then(|| {
        format!("{} may tell who was ahead at half time, won the toss or the shoot-out, and not who won", list(&early))
    })
}

/// Both items in one column.
pub(super) fn both_in_one(table: &Table<'_>) -> Option<String> {
    let column = table.columns().filter(|_| table.items.is_none()).find(|&column| holds_both(table, column))?;
    Some(format!("\"{}\" holds both items: make it two columns, one for each", table.name(column)))
}

/// Whether every value of a column is two names with a mark or a word between them.
pub(super) fn holds_both(table: &Table<'_>, column: usize) -> bool {
    let halves = |value: &'_ str, between: &str| -> Option<[String; 2]> {
        let (a, b) = value.split_once(between)?;
        let name = |part: &str| !part.trim().is_empty() && decimal(part.trim()).is_none() && !part.contains(between);
        (name(a) && name(b)).then(|| [a.trim().to_owned(), b.trim().to_owned()])
    };
    // At home and away.
    let parted = |value: &str, between: &[&str]| between.iter().find_map(|between| halves(value, between));
    // Items come again on the other side, unlike cities and their countries.
    let holds = |between: &[&str]| {
        let parts: Option<Vec<[String; 2]>> = table.sample.values(column).map(|value| parted(value, between)).collect();
        parts.filter(|parts| !parts.is_empty()).is_some_and(|parts| {
            let second: BTreeSet<&String> = parts.iter().map(|[_, second]| second).collect();
            between.iter().all(|between| between.trim().len() > 1)
                || parts.iter().any(|[first, _]| second.contains(first))
        })
    };
    BETWEEN.iter().any(|between| holds(&[between])) || holds(VERSUS)
}

/// The answers of several judges beside each other.
fn several_judges(table: &Table<'_>) -> Option<String> {
    let judges = series::judges(table)?;
    let names = judges.iter().map(|&judge| format!("\"{}\"", table.name(judge))).collect::<Vec<_>>().join(", ");
    let alone = codes(table.header, table.sample, judges[0]).map_or("", |_| ", or take the first of them alone");
    Some(format!("{names} are named alike, as the columns of several judges are: write a row for each judge{alone}"))
}

/// Percents of each side, which do not tell how many votes there were.
fn shares(table: &Table<'_>) -> Option<String> {
    let Table { header, sample, .. } = table;
    let (left, right) = table.items?;
    let percents = |column: usize| {
        let percent = |value: &str| value.strip_suffix('%').is_some_and(|value| decimal(value.trim_end()).is_some());
        sample.values(column).next().is_some() && sample.values(column).all(percent)
    };
    let about = |column: usize| side(&header.words[left], &header.words[right], &header.words[column], true);
    let of = |side: Answer| table.columns().find(|&c| percents(c) && about(c) == Some(side));
    let [a, b] = [of(Answer::Left)?, of(Answer::Right)?].map(|column| table.name(column));
    Some(format!(
        "\"{a}\" and \"{b}\" are shares: multiply each by the number of votes of its row, and name them with \
         --left-wins and --right-wins"
    ))
}

/// One row a team with its games, wins and losses.
pub(super) fn totals(table: &Table<'_>) -> Option<String> {
    let Table { header, sample, items, .. } = table;
    let total = |&column: &usize| LEAGUE.contains(&header.names[column].as_str()) && table.numbers(column);
    let few = infer::best_outcome(header, sample).is_none_or(|pair| !infer::are_totals(header, sample, pair));
    if items.is_some() || (table.columns().filter(total).count() < 4 && few) {
        return None;
    }
    let said = "It looks like a table of totals, one row an item: who won against whom is needed, which the list of \
                the matches has";
    Some(said.to_owned())
}

/// Scores that a spreadsheet took for dates: `2-1` became `2-Jan`.
pub(super) fn mangled(table: &Table<'_>) -> Option<String> {
    const MONTHS: &[&str] = &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let dated = |value: &str| {
        let halves = value.split_once('-');
        halves.is_some_and(|(day, month)| {
            day.parse::<u8>().is_ok() && MONTHS.iter().any(|known| month.eq_ignore_ascii_case(known))
        })
    };
    let is = |&column: &usize| {
        let all = table.sample.values(column).count();
        let scores = table.sample.values(column).filter(|value| score(value).is_some()).count();
        let dates = table.sample.values(column).filter(|value| dated(value)).count();
        dates > 0 && dates + scores == all
    };
    let column = table.columns().filter(|_| table.items.is_some()).find(is)?;
    Some(format!(
        "\"{}\" holds days and months: a spreadsheet has taken scores such as 2-1 for dates. Take the file as it was \
         before, and have it read that \
         column as text",
        table.name(column)
    ))
}
