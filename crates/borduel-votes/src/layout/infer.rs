//! Columns that are known by their values: two columns share theirs, and a third repeats one of them or takes two or three.

use super::codes::{codes, is_doubtful};
use super::header::Header;
use super::twins::{Opposite, is_measure, likeness, repeats_items, twins};
use super::{Columns, Shape, counts};
use crate::error::{Error, Result, shortened};
use crate::outcome::{Dictionary, Scale, Words};
use crate::sample::Sample;
use crate::table::{decimal, normal};
use borduel::ballots::Answer;
use std::cmp::Ordering;

/// Words of columns that count wins, and of columns of points.
const WINS: &[&str] = &["win", "wins", "won", "votes", "vote", "count", "prefs", "preferences"];
const POINTS: &[&str] = &["score", "goals", "goal", "points", "pts", "runs", "sets", "result", "total"];
/// Words of columns that count or measure something else than wins and points.
const NO_WINS: &[&str] = &[
    "word",
    "words",
    "token",
    "tokens",
    "char",
    "chars",
    "length",
    "prob",
    "probability",
    "odds",
    "cost",
    "time",
    "seconds",
    "latency",
];
/// Words of columns that hold an answer.
const ANSWER_WORDS: &[&str] = &[
    "win",
    "wins",
    "won",
    "winner",
    "better",
    "best",
    "pref",
    "prefer",
    "preference",
    "preferred",
    "choice",
    "chosen",
    "choose",
    "selected",
    "selection",
    "pick",
    "picked",
    "label",
    "result",
    "outcome",
    "answer",
    "vote",
    "verdict",
    "judgment",
    "judgement",
    "decision",
    "response",
    "y",
    "target",
    "favorite",
    "favourite",
];
/// The two columns that look most like the items of each row, whatever else there is.
fn best_pair(header: &Header<'_>, sample: &Sample, kind: Opposite, except: Option<usize>) -> Option<(usize, usize)> {
    if sample.rows.is_empty() || header.columns.len() > 200 {
        return None;
    }
    // One object that holds a list of votes is not one vote.
    let listed = |column: usize| header.columns[column].split('.').skip(1).any(|part| part.parse::<usize>().is_ok());
    let numeric: Vec<bool> = (0..header.columns.len()).map(|column| numbers(sample, column)).collect();
    let mut best: Option<(f64, (usize, usize))> = None;
    for first in 0..header.columns.len() {
        for second in 0..header.columns.len() {
            let twin = twins(&header.words[first], &header.words[second]);
            // Without names that tell, the one in front is the left one.
            let ordered =
                twin.is_some() || (first < second && twins(&header.words[second], &header.words[first]).is_none());
            let fits = twin.is_none_or(|twin| twin == kind) && (kind == Opposite::Sides || twin.is_some());
            let within = sample.is_single() && (listed(first) || listed(second));
            // Two columns of numbers may be anything, ratings above all, unless their names tell.
            let doubtful = twin.is_none() && numeric[first] && numeric[second];
            if within
                || doubtful
                || first == second
                || !ordered
                || !fits
                || [Some(first), Some(second)].contains(&except)
            {
                continue;
            }
            if let Some(likeness) = likeness(sample, &header.words, first, second)
                && best.is_none_or(|(most, _)| likeness > most)
            {
                best = Some((likeness, (first, second)));
            }
        }
    }
    best.map(|(_, pair)| pair)
}

/// Whether a column holds numbers only.
pub(super) fn numbers(sample: &Sample, column: usize) -> bool {
    sample.values(column).next().is_some() && sample.values(column).all(|value| decimal(value).is_some())
}

/// The columns of the two items; `answer` is known to be something else.
pub(super) fn items(header: &Header<'_>, sample: &Sample, answer: Option<usize>) -> Option<(usize, usize)> {
    // A winner and a loser are no sides, and go before columns that merely share values.
    if answer.is_none() && header.winner_loser().or_else(|| winner_loser(header, sample)).is_some() {
        return best_pair(header, sample, Opposite::Sides, answer)
            .filter(|&(left, right)| twins(&header.words[left], &header.words[right]).is_some());
    }
    best_pair(header, sample, Opposite::Sides, answer)
}

/// The columns of the winner and the loser.
pub(super) fn winner_loser(header: &Header<'_>, sample: &Sample) -> Option<(usize, usize)> {
    best_pair(header, sample, Opposite::Outcome, None)
}

/// What the rows say about the two items, once those are known.
pub(super) fn outcome(
    header: &Header<'_>,
    sample: &Sample,
    given: &Columns,
    left: usize,
    right: usize,
) -> Result<Option<Shape>> {
    let voter = header.given_or("--voter", given.voter.as_ref(), || header.voter())?;
    let taken = [Some(left), Some(right), voter, header.weight(), header.count()];
    let free = || (0..header.columns.len()).filter(|&column| !taken.contains(&Some(column)));
    let answers = |understood: &dyn Fn(usize) -> bool| {
        let found: Vec<usize> = free().filter(|&column| understood(column)).collect();
        match found.as_slice() {
            [] => Ok(None),
            [answer] => Ok(Some(Shape::Answer { left, right, answer: *answer })),
            several => {
                let names: Vec<String> = several.iter().map(|&c| header.columns[c].clone()).collect();
                let what = format!("any of {} may be the answer: say which with --winner", super::list(&names));
                Err(Error::file(header.file, what))
            }
        }
    };
    // A known name first, then a column that repeats one of the items, then one of words for sides.
    let known = header.answer().filter(|&answer| free().any(|column| column == answer));
    if let Some(answer) = known.filter(|&answer| {
        repeats_items(sample, left, right, answer)
            || names_sides(header, sample, left, right, answer)
            || codes(header, sample, answer).is_some()
    }) {
        return Ok(Some(Shape::Answer { left, right, answer }));
    }
    for kind in [repeats, names_sides] {
        if let Some(shape) = answers(&|column| kind(header, sample, left, right, column))? {
            if let Some(points) = twin_numbers(header, sample, POINTS, &free) {
                agree(header, sample, &shape, points)?;
            }
            return Ok(Some(shape));
        }
    }
    if let Some(pair) = twin_numbers(header, sample, WINS, &free) {
        let ties = header.given_or("--ties-column", given.ties.as_ref(), || header.ties())?;
        return Ok(Some(counts(header, (left, right), pair, false, ties)));
    }
    let written = |column: usize| codes(header, sample, column).is_some() || is_doubtful(header, sample, column);
    if let Some(shape) = answers(&|column| called_answer(header, column) && written(column))? {
        return Ok(Some(shape));
    }
    if let Some((first, second)) = twin_numbers(header, sample, POINTS, &free) {
        return Ok(Some(Shape::Points { left, right, points: [first, second] }));
    }
    // Nothing is called an answer: where nothing else is left, a column of two or three codes must be it.
    let varies = |column: usize| sample.distinct(column).len() > 1 && !is_measure(&header.words[column]);
    let numbers_rows = |column: usize| sample.distinct(column).len() == sample.values(column).count();
    let scores = |&column: &usize| varies(column) && codes(header, sample, column) == Some(Scale::Score);
    let mut unexplained: Vec<usize> = free().filter(scores).collect();
    if unexplained.len() != 1 {
        unexplained = free().filter(|&column| varies(column) && !numbers_rows(column)).collect();
    }
    Ok(match unexplained.as_slice() {
        &[answer] if codes(header, sample, answer).is_some() => Some(Shape::Answer { left, right, answer }),
        // What is called an answer is one, also where the first rows do not show it.
        _ => known.map(|answer| Shape::Answer { left, right, answer }),
    })
}

pub(super) fn called_answer(header: &Header<'_>, column: usize) -> bool {
    is_called_answer(&header.words[column])
}

/// Whether the words of a name are those of an answer.
pub(super) fn is_called_answer(words: &[String]) -> bool {
    words.iter().any(|word| ANSWER_WORDS.contains(&word.as_str()))
}

fn repeats(_: &Header<'_>, sample: &Sample, left: usize, right: usize, column: usize) -> bool {
    repeats_items(sample, left, right, column)
}

/// Refuses answers that the points of both items contradict: the favourite, the server or the country is not the winner.
fn agree(header: &Header<'_>, sample: &Sample, shape: &Shape, (first, second): (usize, usize)) -> Result<()> {
    let &Shape::Answer { left, right, answer } = shape else { return Ok(()) };
    let dictionary = Dictionary::new(&header.names[left], &header.names[right], &Words::default());
    let (mut same, mut other) = (0, 0);
    for row in &sample.rows {
        let said = dictionary.name(&row[answer], &row[left], &row[right], Scale::Names);
        let points = decimal(&row[first]).zip(decimal(&row[second])).and_then(|(a, b)| a.partial_cmp(&b));
        match (said, points) {
            (Ok(Answer::Left), Some(Ordering::Greater)) | (Ok(Answer::Right), Some(Ordering::Less)) => same += 1,
            (Ok(Answer::Left), Some(Ordering::Less)) | (Ok(Answer::Right), Some(Ordering::Greater)) => other += 1,
            _ => {}
        }
    }
    if 20 * other <= same {
        return Ok(());
    }
    let name = |column: usize| shortened(&header.columns[column]);
    let what = format!(
        "the column \"{}\" says something else than the points in \"{}\" and \"{}\": name the answer with --winner, or the points with \
         --left-points and --right-points",
        name(answer),
        name(first),
        name(second)
    );
    Err(Error::file(header.file, what))
}

/// Whether a column holds words for the two sides.
pub(super) fn names_sides(header: &Header<'_>, sample: &Sample, left: usize, right: usize, column: usize) -> bool {
    let dictionary = Dictionary::new(&header.names[left], &header.names[right], &Words::default());
    let distinct = sample.distinct(column);
    let numbers = distinct.iter().all(|value| decimal(value).is_some());
    let known = || distinct.iter().all(|value| dictionary.common(value).is_some());
    let side = || distinct.iter().any(|value| dictionary.is_side(value));
    (1..=6).contains(&distinct.len()) && (!numbers || called_answer(header, column)) && known() && side()
}

/// Two columns of numbers ≥ 0 whose names are twins and hold one of these words; the shortest names where there are several.
fn twin_numbers<I: Iterator<Item = usize>>(
    header: &Header<'_>,
    sample: &Sample,
    words: &[&str],
    free: &dyn Fn() -> I,
) -> Option<(usize, usize)> {
    let numbers = |column: usize| {
        sample.values(column).next().is_some()
            && sample.values(column).all(|value| decimal(value).is_some_and(|x| x >= 0.0 && x.is_finite()))
    };
    let has = |column: usize, words: &[&str]| header.words[column].iter().any(|word| words.contains(&word.as_str()));
    let fits = |column: usize| has(column, words) && !has(column, NO_WINS) && numbers(column);
    let candidates: Vec<usize> = free().filter(|&column| fits(column)).collect();
    let pairs = candidates.iter().flat_map(|&first| candidates.iter().map(move |&second| (first, second)));
    pairs
        .filter(|&(first, second)| twins(&header.words[first], &header.words[second]) == Some(Opposite::Sides))
        .min_by_key(|&(first, _)| header.words[first].len())
}

/// Refuses a first row that holds items, not names of columns, where the values alone have told what is what.
pub(super) fn check_header(header: &Header<'_>, sample: &Sample, shape: &Shape) -> Result<()> {
    let &Shape::Answer { left, right, answer } = shape else { return Ok(()) };
    let item = |column: usize| {
        [left, right].iter().any(|&side| sample.values(side).any(|value| value == header.columns[column]))
    };
    if item(left) && item(right) && !called_answer(header, answer) {
        let what = format!("has no header, as it seems. {}", odd_beginning(header, sample));
        return Err(Error::file(header.file, what.trim_end().trim_end_matches('.')));
    }
    Ok(())
}

/// A sentence for those whose file has something else in front of its rows than a header, if it looks so.
pub(super) fn odd_beginning(header: &Header<'_>, sample: &Sample) -> String {
    if header.columns.first().is_some_and(|name| name.starts_with('#')) {
        return "The first line is a comment: delete all lines in front of the header. ".to_owned();
    }
    if sample.rows.iter().flatten().any(|value| value.starts_with("{\"ImportId\"")) {
        return "Of the three lines that Qualtrics puts in front, delete all but the first. ".to_owned();
    }
    if sample.is_single() {
        return "It has a single row: of JSON, an array of objects or one object a line is read. ".to_owned();
    }
    let again = |column: usize| sample.values(column).any(|value| value == header.columns[column]);
    let unnamed = header.columns.iter().zip(1_u64..).all(|(name, number)| name.parse() == Ok(number));
    let number = |column: usize| header.columns[column].parse::<f64>().is_ok() && !unnamed;
    let columns = header.columns.len();
    let all_numbers = header.columns.iter().chain(sample.rows.iter().flatten()).all(|value| decimal(value).is_some());
    if all_numbers && !unnamed && columns > 2 && sample.is_whole() && sample.rows.len() + 1 == columns {
        return "If this is a matrix of wins without names, say --no-header --rows matrix. ".to_owned();
    }
    if !(0..columns).any(|column| again(column) || number(column)) {
        return String::new();
    }
    let flags = if columns == 2 { "--winner 1 --loser 2" } else { "--left 1 --right 2 --winner 3" };
    format!(
        "The first row ({}) looks like data: if there is no header, say --no-header {flags}. ",
        header.columns.iter().take(4).map(|name| shortened(&normal(name))).collect::<Vec<_>>().join(", ")
    )
}
