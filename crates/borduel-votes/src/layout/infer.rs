//! Columns that are known by their values: two columns share theirs, and a third repeats one of them or takes two or three.

use super::header::Header;
use super::twins::{Opposite, is_measure, likeness, repeats_items, twins};
use super::{Columns, Shape, counts};
use crate::error::{Error, Result, shortened};
use crate::outcome::{Dictionary, Scale, Words, score};
use crate::sample::{Sample, flag, is_missing};
use crate::table::{decimal, normal};
use borduel::ballots::Answer;
use std::cmp::Ordering;
use std::collections::BTreeSet;

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
/// Words of answer columns in which 0 and 1 may as well be the number of the item as the truth about the first.
const INDICES: &[&str] = &[
    "winner",
    "label",
    "choice",
    "chosen",
    "index",
    "idx",
    "id",
    "selected",
    "selection",
    "pick",
    "picked",
    "response",
    "resp",
    "button",
    "preference",
    "preferred",
    "pref",
    "better",
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
fn names_sides(header: &Header<'_>, sample: &Sample, left: usize, right: usize, column: usize) -> bool {
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

/// The scale of a column of scores, or of two or three numbers, where there can be little doubt about it.
fn codes(header: &Header<'_>, sample: &Sample, column: usize) -> Option<Scale> {
    let distinct = sample.distinct(column);
    let numbers: Option<Vec<f64>> = distinct.iter().map(|value| decimal(value)).collect();
    let within = |allowed: &[f64]| numbers.as_ref().is_some_and(|all| all.iter().all(|x| allowed.contains(x)));
    if are_scores(&distinct) {
        return Some(Scale::Score);
    }
    if distinct.is_empty() || distinct.len() > 3 {
        return None;
    }
    if within(&[1.0, 1.5, 2.0]) && distinct.len() > 1 {
        return Some(Scale::OneTwo);
    }
    if within(&[-1.0, 0.0, 1.0]) && numbers.iter().flatten().any(|x| *x < 0.0) {
        return Some(Scale::Signed);
    }
    let indices = called_index(header, column);
    let truths = distinct.iter().all(|value| flag(value).is_some());
    (!indices && (within(&[0.0, 0.5, 1.0]) || truths)).then_some(Scale::Unit)
}

/// Whether 0 and 1 may as well be the number of the item as the truth about the first: `better` alone may be, `b_better` is the truth about B.
fn called_index(header: &Header<'_>, column: usize) -> bool {
    let words = &header.words[column];
    words.iter().any(|word| INDICES.contains(&word.as_str()) && (word != "better" || words.len() == 1))
}

/// Whether a column holds 0 and 1, and may hold numbers of items: nobody can tell, and the user is asked.
fn is_doubtful(header: &Header<'_>, sample: &Sample, column: usize) -> bool {
    let distinct = sample.distinct(column);
    called_index(header, column) && !distinct.is_empty() && distinct.iter().all(|value| matches!(*value, "0" | "1"))
}

/// Whether all values are scores: not the time of day (15:30), a season (2019-20), or two places (1-2 and 2-1).
fn are_scores(distinct: &BTreeSet<&str>) -> bool {
    const MOST: u32 = 300;
    let small = |value: &&str| score(value).is_some_and(|(left, right)| left.max(right) <= MOST);
    let time = |value: &&str| value.split_once(':').is_some_and(|(_, minutes)| minutes.len() == 2);
    let places = |value: &&str| matches!(score(value), Some((1, 2) | (2, 1)));
    !distinct.is_empty() && distinct.iter().all(small) && !distinct.iter().all(time) && !distinct.iter().all(places)
}

/// Whether an answer that is a word for a side as well as an item's name means the one or the other: what all other answers are.
fn settled(header: &Header<'_>, sample: &Sample, (left, right, answer): (usize, usize, usize)) -> Scale {
    let dictionary = Dictionary::new(&header.names[left], &header.names[right], &Words::default());
    let (mut both, mut item_only, mut side_only) = (false, false, false);
    for row in sample.rows.iter().filter(|row| !is_missing(&row[answer])) {
        let item = row[answer] == row[left] || row[answer] == row[right];
        let side = dictionary.is_side(&row[answer]);
        both |= item && side;
        item_only |= item && !side;
        side_only |= side && !item;
    }
    match (both, item_only, side_only) {
        (true, true, false) => Scale::Items,
        (true, false, true) => Scale::Sides,
        _ => Scale::Names,
    }
}

/// How the answers are written, by the name of their column and their values.
///
/// # Errors
/// Numbers for sides in a file that has the columns in an unusual order, and does not say which of them 1 means.
pub(super) fn scale(header: &Header<'_>, sample: &Sample, shape: &Shape, given: &Columns) -> Result<Option<Scale>> {
    let &Shape::Answer { left, right, answer } = shape else { return Ok(None) };
    let numbered = header.names[left].ends_with('1') && header.names[right].ends_with('2');
    if matches!(header.names[answer].as_str(), "preference" | "preferred") && numbered {
        return Ok(Some(Scale::OneTwo));
    }
    let named = repeats_items(sample, left, right, answer) || names_sides(header, sample, left, right, answer);
    let by_name = ["winner", "label", "choice", "chosen", "vote", "chosen_model", "chosen_model_name", "better"];
    let by_name = by_name.contains(&header.names[answer].as_str());
    // The words by which the names of the two items differ, and which of them the answer's name has.
    let own = |a: usize, b: usize| header.words[a].iter().filter(move |word| !header.words[b].contains(word));
    let has = |a: usize, b: usize| own(a, b).any(|word| header.words[answer].contains(word));
    let counted_from_zero = own(left, right).eq(["0"]) && own(right, left).eq(["1"]);
    Ok(match codes(header, sample, answer) {
        Some(_) if named => Some(settled(header, sample, (left, right, answer))),
        // `b_wins` is 1 where B has won.
        Some(Scale::Unit) if has(right, left) && !has(left, right) => Some(Scale::ZeroOne),
        Some(scale @ (Scale::Unit | Scale::OneTwo)) if right < left && given.left.is_none() && !has(left, right) => {
            let usual = [["a", "b"], ["1", "2"], ["first", "second"], ["one", "two"]];
            if scale == Scale::OneTwo && usual.iter().any(|[a, b]| own(left, right).eq([a]) && own(right, left).eq([b]))
            {
                return Ok(Some(scale));
            }
            let name = |column: usize| shortened(&header.columns[column]);
            let what = format!(
                "in the column \"{}\", is 1 the item in \"{}\" or the one in \"{}\"? Give that one as --left, and the other as --right",
                name(answer),
                name(right),
                name(left)
            );
            return Err(Error::file(header.file, what));
        }
        Some(scale) => Some(scale),
        None if is_doubtful(header, sample, answer) => {
            Some(if counted_from_zero { Scale::ZeroOne } else { settled(header, sample, (left, right, answer)) })
        }
        None if named || by_name => Some(settled(header, sample, (left, right, answer))),
        None => None,
    })
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
