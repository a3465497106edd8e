//! Columns that are known by their values: two columns share theirs, and a third repeats one of them or takes two or
//! three.

use super::Shape;
use super::answer_columns::{MOST_PAIRED, called_answer, is_not_the_end};
use super::header::Header;
use super::twins::{Opposite, likeness, repeats_items, twins, won};
use crate::error::{Error, Result, shortened};
use crate::sample::Sample;
use crate::table::decimal;

/// Every two columns that look like the items of each row, those that do most first.
fn pairs(header: &Header<'_>, sample: &Sample, kind: Opposite, except: Option<usize>) -> Vec<(usize, usize)> {
    if sample.rows.is_empty() || header.columns.len() > MOST_PAIRED {
        return Vec::new();
    }
    // One object that holds a list of votes is not one vote.
    let listed = |column: usize| header.columns[column].split('.').skip(1).any(|part| part.parse::<usize>().is_ok());
    let of_each = |is: &dyn Fn(usize) -> bool| (0..header.columns.len()).map(is).collect::<Vec<bool>>();
    let numeric = of_each(&|column| numbers(sample, column));
    let contexts = of_each(&|column| header.is_called_context(column));
    let listed = of_each(&listed);
    let distinct: Vec<_> = (0..header.columns.len()).map(|column| sample.distinct(column)).collect();
    let mut found: Vec<(f64, (usize, usize))> = Vec::new();
    for first in 0..header.columns.len() {
        for second in 0..header.columns.len() {
            let twin = twins(&header.words[first], &header.words[second]);
            // Without names that tell, the one in front is the left one.
            let ordered =
                twin.is_some() || (first < second && twins(&header.words[second], &header.words[first]).is_none());
            let fits = twin.is_none_or(|twin| twin == kind) && (kind == Opposite::Sides || twin.is_some());
            let within = sample.is_single() && (listed[first] || listed[second]);
            // Two columns of numbers may be anything, ratings above all, unless their names tell.
            let doubtful = twin.is_none() && numeric[first] && numeric[second];
            let context = twin.is_none() && (contexts[first] || contexts[second]);
            // Two winners have not played each other.
            let partners =
                won(&header.words[first]).is_some() && won(&header.words[first]) == won(&header.words[second]);
            if within
                || doubtful
                || context
                || partners
                || first == second
                || !ordered
                || !fits
                || [Some(first), Some(second)].contains(&except)
            {
                continue;
            }
            found.extend(
                likeness(sample, &header.words, &distinct, (first, second)).map(|likeness| (likeness, (first, second))),
            );
        }
    }
    // The first of equals stays first.
    found.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    found.into_iter().map(|(_, pair)| pair).collect()
}

/// The two columns that look most like the items of each row, whatever else there is.
fn best_pair(header: &Header<'_>, sample: &Sample, kind: Opposite, except: Option<usize>) -> Option<(usize, usize)> {
    pairs(header, sample, kind, except).first().copied()
}

/// Two other columns of items, and a column that is called an answer and repeats them: the items' numbers beside their
/// names.
pub(crate) fn answered(header: &Header<'_>, sample: &Sample) -> Option<Shape> {
    let answer = |(left, right): (usize, usize)| {
        let called = |column: usize| called_answer(header, column) && !is_not_the_end(&header.words[column]);
        let fits = |&column: &usize| called(column) && repeats_items(sample, left, right, column);
        let answer = (0..header.columns.len()).filter(|column| ![left, right].contains(column)).find(fits)?;
        Some(Shape::Answer { left, right, answer })
    };
    pairs(header, sample, Opposite::Sides, None).into_iter().find_map(answer)
}

/// Whether a column holds numbers only.
pub(crate) fn numbers(sample: &Sample, column: usize) -> bool {
    sample.values(column).next().is_some() && sample.values(column).all(|value| decimal(value).is_some())
}

/// The columns of the two items; `answer` is known to be something else.
pub(crate) fn items(header: &Header<'_>, sample: &Sample, answer: Option<usize>) -> Option<(usize, usize)> {
    // A winner and a loser are no sides, and go before columns that merely share values.
    if answer.is_none() && header.winner_loser().or_else(|| winner_loser(header, sample)).is_some() {
        return best_pair(header, sample, Opposite::Sides, answer)
            .filter(|&(left, right)| twins(&header.words[left], &header.words[right]).is_some());
    }
    best_pair(header, sample, Opposite::Sides, answer)
}

/// The columns of the winner and the loser.
pub(crate) fn winner_loser(header: &Header<'_>, sample: &Sample) -> Option<(usize, usize)> {
    best_outcome(header, sample).filter(|&pair| !are_totals(header, sample, pair))
}

/// The two columns that are called a winner and a loser, or wins and losses.
pub(crate) fn best_outcome(header: &Header<'_>, sample: &Sample) -> Option<(usize, usize)> {
    best_pair(header, sample, Opposite::Outcome, None)
}

/// Whether two columns rather hold how often the one item of each row has won and lost: numbers beside a column of
/// names, each once.
pub(crate) fn are_totals(header: &Header<'_>, sample: &Sample, (first, second): (usize, usize)) -> bool {
    let names = |column: usize| {
        let distinct = sample.distinct(column);
        let text = distinct.iter().all(|value| decimal(value).is_none());
        ![first, second].contains(&column) && text && distinct.len() == sample.rows.len()
    };
    let counted = |column: usize| {
        let words = ["w", "l", "win", "wins", "won", "loss", "losses", "lost", "lose"];
        numbers(sample, column) && header.words[column].last().is_some_and(|word| words.contains(&word.as_str()))
    };
    sample.rows.len() > 1 && counted(first) && counted(second) && (0..header.columns.len()).any(names)
}

/// Refuses a first row that holds items, not names of columns, where the values alone have told what is what.
pub(crate) fn check_header(header: &Header<'_>, sample: &Sample, shape: &Shape) -> Result<()> {
    let &Shape::Answer { left, right, answer } = shape else { return Ok(()) };
    let item = |column: usize| {
        [left, right].iter().any(|&side| sample.values(side).any(|value| value == header.columns[column]))
    };
    if item(left) && item(right) && !called_answer(header, answer) {
        let what = format!(
            "has no header, as it seems: its first row ({}) looks like data. Say --no-header --left {} --right {} \
             --winner {}",
            first_row(header.columns),
            left + 1,
            right + 1,
            answer + 1
        );
        return Err(Error::file(header.file, what));
    }
    Ok(())
}

/// Whether the header goes on in the second line: there is a word above a column of numbers that has no name.
pub(crate) fn goes_on(header: &Header<'_>, sample: &Sample) -> bool {
    let word = |column: usize| {
        let mut values = sample.rows.iter().map(|row| row[column].as_str());
        let first = values.next().is_some_and(|value| !value.is_empty() && decimal(value).is_none());
        first && header.columns[column].is_empty() && sample.rows.len() > 2 && values.all(|v| decimal(v).is_some())
    };
    (0..header.columns.len()).any(word)
}

/// A sentence for those whose file has something else in front of its rows than a header, if it looks so.
pub(crate) fn odd_beginning(header: &Header<'_>, sample: &Sample) -> String {
    if header.columns.first().is_some_and(|name| name.starts_with('#')) {
        return "The first line is a comment: delete all lines in front of the header. ".to_owned();
    }
    if header.columns.len() > 2 && header.columns[1..].iter().all(String::is_empty) && !header.columns[0].is_empty() {
        return "The first line is a title: delete all lines in front of the header. ".to_owned();
    }
    if sample.rows.iter().flatten().any(|value| value.starts_with("{\"ImportId\"")) {
        return "Of the three lines that Qualtrics puts in front, delete all but the first. ".to_owned();
    }
    if goes_on(header, sample) {
        return "The header takes two lines: make it one, with a name for every column. ".to_owned();
    }
    let tags = |value: &String| value.starts_with('<') && value.ends_with('>');
    if sample.rows.iter().flatten().chain(header.columns).filter(|&value| tags(value)).count() > 1 {
        return "It looks like a web page or XML, and no table. ".to_owned();
    }
    if sample.is_single() && !sample.ordered {
        return "It has a single row: of JSON, an array of objects or one object a line is read. ".to_owned();
    }
    let unnamed = header.columns.iter().zip(1_u64..).all(|(name, number)| name.parse() == Ok(number));
    let columns = header.columns.len();
    let all_numbers = header.columns.iter().chain(sample.rows.iter().flatten()).all(|value| decimal(value).is_some());
    if all_numbers && !unnamed && columns > 2 && sample.is_whole() && sample.rows.len() + 1 == columns {
        return "If this is a matrix of wins without names, say --no-header --rows matrix. ".to_owned();
    }
    let counted = (0..columns).filter_map(|column| header.columns[column].parse::<usize>().ok());
    let numbered = counted.clone().count();
    if !unnamed && numbered > 2 && counted.eq(1..=numbered) && sample.is_whole() && sample.rows.len() == numbered {
        return "If this is a crosstable, put the names in place of the numbers of its columns, and into each cell how \
                many games were \
                won, draws as half. "
            .to_owned();
    }
    String::new()
}

/// The first row, for messages.
pub(crate) fn first_row(columns: &[String]) -> String {
    columns.iter().take(4).map(|name| shortened(name)).collect::<Vec<_>>().join(", ")
}

/// Whether the first row may be one like the others: what stands in it stands in other rows too, or is a number.
pub(crate) fn may_be_data(header: &Header<'_>, sample: &Sample) -> bool {
    let unnamed = header.columns.iter().zip(1_u64..).all(|(name, number)| name.parse() == Ok(number));
    let cells = || header.columns.iter().chain(sample.rows.iter().flatten());
    let again = |name: &String| !name.is_empty() && cells().filter(|&other| other == name).count() > 1;
    let number = |name: &String| name.parse::<f64>().is_ok();
    sample.ordered && header.columns.iter().any(|name| again(name) || (number(name) && !unnamed))
}
