//! What the rows say about two items that are known: the columns of the answer, of wins, or of points.

use super::codes::{called_index, codes, is_doubtful};
use super::header::Header;
use super::languages;
use super::twins::{OPPONENT, Opposite, difference, is_measure, repeats_items, side, twins};
use super::{Columns, Shape, counts};
use crate::error::{Error, Result, shortened};
use crate::outcome::{Dictionary, Scale, Words, in_words};
use crate::sample::{Sample, flag};
use crate::table::decimal;
use borduel_rank::ballots::Answer;
use std::collections::BTreeSet;

/// Words of columns that count wins, and of columns of points.
const WINS: &[&str] = &["win", "wins", "won", "votes", "vote", "count", "prefs", "preferences"];
pub(crate) const POINTS: &[&str] = &["score", "goals", "goal", "points", "pts", "runs", "sets", "result", "total"];
/// How football files call the goals of home and away.
const GOALS: &[(&str, &str)] = &[("fthg", "ftag"), ("hg", "ag")];
/// How they call those of a team and of its opponent.
const FOR_AND_AGAINST: &[(&str, &str)] =
    &[("pf", "pa"), ("gf", "ga"), ("goals_for", "goals_against"), ("points_for", "points_against")];
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
    "rate",
    "pct",
    "percent",
    "share",
];
/// Words of columns that tell who was ahead at half time or won the toss, and not who won.
const EARLIER: &[&str] = &["ht", "htr", "hthg", "htag", "half", "halftime", "toss"];
/// Words of columns about penalties, which decide what the points leave open.
const SHOOTOUT: &[&str] = &["penalties", "penalty", "pens", "shootout"];
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
    "res",
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

/// Words of columns that number boards, courts and days, and not the two sides.
const NUMBERED: &[&str] = &[
    "board", "table", "court", "field", "lane", "heat", "leg", "group", "pool", "week", "wk", "day", "matchday",
    "gameweek", "season", "stage", "match", "game", "session", "trial", "block", "page", "order", "line", "no", "nr",
    "number",
];

/// The most columns of which every two are looked at.
pub(crate) const MOST_PAIRED: usize = 200;

/// The two items, left and right.
type Items = (usize, usize);

/// What the rows say about the two items, once those are known.
pub(crate) fn outcome(header: &Header<'_>, sample: &Sample, given: &Columns, items: Items) -> Result<Option<Shape>> {
    let (left, right) = items;
    let voter = header.given_or("--voter", given.voter.as_ref(), || header.voter())?;
    let taken = [Some(left), Some(right), voter, header.weight(), header.count(), header.gold()];
    let free = || {
        (0..header.columns.len())
            .filter(|&column| !taken.contains(&Some(column)) && !is_not_the_end(&header.words[column]))
    };
    let answers = |understood: &dyn Fn(usize) -> bool| {
        let mut found: Vec<usize> = free().filter(|&column| understood(column)).collect();
        // What a judge has written is read where nobody has drawn the answer from it.
        let written = |column: &usize| header.words[*column].last().is_some_and(|word| word == "content");
        if !found.iter().all(written) {
            found.retain(|column| !written(column));
        }
        match found.as_slice() {
            [] => Ok(None),
            &[answer] => Ok(Some(Shape::Answer { left, right, answer })),
            several => among(header, sample, items, several).map(Some),
        }
    };
    // A known name first, then a column that repeats one of the items, then one of words for sides.
    let known = header.answer().filter(|&answer| free().any(|column| column == answer));
    if let Some(answer) = known.filter(|&answer| {
        repeats_items(sample, left, right, answer)
            || names_sides(header, sample, items, answer)
            || codes(header, sample, answer).is_some()
    }) {
        return Ok(Some(Shape::Answer { left, right, answer }));
    }
    // The standard that the two are compared with repeats one of them too: what is called an answer goes with it, and
    // is asked about.
    let called_side = |column: usize| called_answer(header, column) && names_sides(header, sample, items, column);
    let named = |column: usize| repeats(header, sample, items, column) && called_answer(header, column);
    let rival = free().any(called_side) && !free().any(named);
    let repeating = |column: usize| repeats(header, sample, items, column) || (rival && called_side(column));
    let has_repeating = free().any(|column| repeats(header, sample, items, column));
    let siding = |column: usize| names_sides(header, sample, items, column);
    let kinds: [&dyn Fn(usize) -> bool; 2] = [&repeating, &siding];
    for kind in kinds.into_iter().skip(usize::from(!has_repeating)) {
        if let Some(shape) = answers(kind)? {
            return Ok(Some(shape));
        }
    }
    if let Some(pair) = twin_numbers(header, sample, WINS, items, &free) {
        let ties = header.given_or("--ties-column", given.ties.as_ref(), || header.ties())?;
        return Ok(Some(counts(header, items, pair, false, ties)));
    }
    if let Some((items, wins, total)) = wins_of_total(header, sample, items, &free) {
        return Ok(Some(counts(header, items, (wins, total), true, None)));
    }
    let written = |column: usize| codes(header, sample, column).is_some() || is_doubtful(header, sample, column);
    if let Some(shape) = answers(&|column| called_answer(header, column) && written(column))? {
        return Ok(Some(shape));
    }
    if let Some((first, second)) = twin_numbers(header, sample, POINTS, items, &free) {
        return Ok(Some(Shape::Points { left, right, points: [first, second] }));
    }
    // What is called an answer is one, also where the first rows do not show it.
    if let Some(answer) = known {
        return Ok(Some(Shape::Answer { left, right, answer }));
    }
    // Nothing is called an answer: where nothing else is left, a column of two or three codes must be it.
    let about = |column: usize| side(&header.words[left], &header.words[right], &header.words[column], true);
    let numbers_things = |column: usize| header.words[column].iter().any(|word| NUMBERED.contains(&word.as_str()));
    let varies = |column: usize| {
        sample.distinct(column).len() > 1 && !is_measure(&header.words[column]) && !numbers_things(column)
    };
    let numbers_rows = |column: usize| sample.distinct(column).len() == sample.values(column).count();
    let scores = |&column: &usize| varies(column) && codes(header, sample, column) == Some(Scale::Score);
    let mut unexplained: Vec<usize> = free().filter(scores).collect();
    if unexplained.len() != 1 {
        unexplained = free().filter(|&column| varies(column) && !numbers_rows(column)).collect();
    }
    // A name that does not speak of an answer may be that of a truth about something else (`overtime`,
    // `same_category`), or of a number of one side's. What tells is a truth about one side (`chose_right`), values that
    // hardly say anything else, or no name at all.
    let telling = |column: usize| match codes(header, sample, column) {
        Some(Scale::Unit) if about(column).is_some() => true,
        Some(Scale::Unit | Scale::OneTwo) => halves(sample, column) || says_nothing(&header.words[column]),
        other => other.is_some() && about(column).is_none(),
    };
    Ok(match unexplained.as_slice() {
        &[answer] if telling(answer) => Some(Shape::Answer { left, right, answer }),
        _ => None,
    })
}

/// Whether some value lies between the two ends, as a tie does.
fn halves(sample: &Sample, column: usize) -> bool {
    sample.values(column).filter_map(decimal).any(|x| x.fract() != 0.0)
}

/// Whether a name is none: a bare number, a letter, or what programs call columns without one (`V3`, `col_3`).
pub(crate) fn says_nothing(words: &[String]) -> bool {
    const FILLERS: &[&str] = &["col", "column", "var", "field", "unnamed"];
    words.iter().all(|w| w.parse::<u64>().is_ok() || w.chars().count() == 1 || FILLERS.contains(&w.as_str()))
}

pub(crate) fn called_answer(header: &Header<'_>, column: usize) -> bool {
    is_called_answer(&header.words[column])
}

/// Whether the words of a name are those of an answer.
pub(crate) fn is_called_answer(words: &[String]) -> bool {
    words.iter().any(|word| ANSWER_WORDS.contains(&word.as_str()) || languages::ANSWERS.contains(&word.as_str()))
}

/// Whether the words of a name tell that a column is about half time, the toss or the shoot-out.
pub(crate) fn is_not_the_end(words: &[String]) -> bool {
    is_shootout(words) || words.iter().any(|word| EARLIER.contains(&word.as_str()))
}

/// Whether the words of a name tell that a column is about penalties.
pub(crate) fn is_shootout(words: &[String]) -> bool {
    words.iter().any(|word| SHOOTOUT.contains(&word.as_str()))
}

/// All that may be a result of two items by its name and its values: points of both, a score, an answer that names a
/// side or an item.
pub(crate) fn results(header: &Header<'_>, sample: &Sample, items: Items) -> Vec<Shape> {
    let (left, right) = items;
    let free = || (0..header.columns.len()).filter(|&c| c != left && c != right && !is_not_the_end(&header.words[c]));
    let points = twin_pairs(header, sample, POINTS, items, &free).into_iter();
    let points = points.map(|(first, second)| Shape::Points { left, right, points: [first, second] });
    let told = |&column: &usize| {
        codes(header, sample, column) == Some(Scale::Score)
            || (called_answer(header, column)
                && (repeats(header, sample, items, column) || names_sides(header, sample, items, column)))
    };
    points.chain(free().filter(told).map(|answer| Shape::Answer { left, right, answer })).collect()
}

/// The dictionary of an answer column.
pub(crate) fn dictionary(header: &Header<'_>, (left, right): Items, answer: usize) -> Dictionary {
    let about = side(&header.words[left], &header.words[right], &header.words[answer], true);
    Dictionary::new(&header.names[left], &header.names[right], &Words::default()).about(about)
}

/// Several columns that may be the answer: all right if each is the result of one side, or if they say the same.
fn among(header: &Header<'_>, sample: &Sample, items: Items, several: &[usize]) -> Result<Shape> {
    let (left, right) = items;
    let about = |column: usize| side(&header.words[left], &header.words[right], &header.words[column], true);
    if let &[first, second] = several {
        match (about(first), about(second)) {
            (Some(Answer::Left), Some(Answer::Right)) => return each_side(header, sample, items, [first, second]),
            (Some(Answer::Right), Some(Answer::Left)) => return each_side(header, sample, items, [second, first]),
            _ => {}
        }
    }
    let first = meanings(header, sample, items, several[0]);
    let same = |&column: &usize| meanings(header, sample, items, column) == first;
    if first.iter().all(Option::is_some) && several[1..].iter().all(same) {
        return Ok(Shape::Answer { left, right, answer: several[0] });
    }
    let names: Vec<String> = several.iter().map(|&c| header.columns[c].clone()).collect();
    let which = readings(header, sample, items, several);
    let what = format!("any of {} may be the answer: say which, {which}", super::list(&names));
    Err(Error::file(header.file, what))
}

/// What a column says in every row, as far as it says something.
fn meanings(header: &Header<'_>, sample: &Sample, items: Items, column: usize) -> Vec<Option<Answer>> {
    let dictionary = dictionary(header, items, column);
    let (left, right) = items;
    let meaning = |row: &Vec<String>| dictionary.name(&row[column], &row[left], &row[right], Scale::Names).ok();
    sample.rows.iter().map(meaning).collect()
}

/// The flags that choose one of several answers, each with the first row as it would be read.
fn readings(header: &Header<'_>, sample: &Sample, items: Items, several: &[usize]) -> String {
    const SHOWN: usize = 3;
    let reads = |&column: &usize| {
        let said = meanings(header, sample, items, column);
        let (at, answer) = said.into_iter().enumerate().find_map(|(at, answer)| Some((at, answer?)))?;
        let [left, right] = [items.0, items.1].map(|item| shortened(&sample.rows[at][item]));
        let name = shortened(&header.columns[column]);
        Some(format!("--winner \"{name}\" ({}: {})", sample.place(at), in_words(answer, &left, &right)))
    };
    let which: Vec<String> = several.iter().filter_map(reads).take(SHOWN).collect();
    if which.is_empty() { "with --winner".to_owned() } else { which.join(", or ") }
}

/// Two columns of results, one for each side: who has a 1, or half of it, or is said to have won.
fn each_side(header: &Header<'_>, sample: &Sample, items: Items, results: [usize; 2]) -> Result<Shape> {
    let (left, right) = items;
    let all = |is: &dyn Fn(&str) -> bool| results.iter().all(|&column| sample.values(column).all(is));
    // The number of a winner is no result of a side.
    let own = !results.iter().any(|&column| called_index(header, column));
    let truths = |row: &Vec<String>| results.map(|column| flag(&row[column]));
    if own && all(&|value| flag(value).is_some()) && !sample.rows.iter().any(|row| truths(row) == [Some(true); 2]) {
        return Ok(Shape::OneHot { left, right, wins: results, tie: None, both_bad: None });
    }
    let points = |row: &Vec<String>| results.map(|column| decimal(&row[column]));
    let shared = |[a, b]: [Option<f64>; 2]| a.zip(b).is_none_or(|(a, b)| a + b == 1.0);
    if own && all(&|value| decimal(value).is_some()) && sample.rows.iter().all(|row| shared(points(row))) {
        return Ok(Shape::Points { left, right, points: results });
    }
    let said = results.map(|column| (dictionary(header, items, column), column));
    let alike = |row: &Vec<String>| {
        let [first, second] = [&said[0], &said[1]].map(|(words, column)| words.common(&row[*column]));
        first.is_some() && first == second
    };
    if sample.rows.iter().all(alike) {
        return Ok(Shape::Answer { left, right, answer: results[0] });
    }
    let [first, second] = results.map(|column| shortened(&header.columns[column]));
    let which = readings(header, sample, items, &results);
    let what =
        format!("\"{first}\" and \"{second}\" may both be the answer, and do not say the same: say which is, {which}");
    Err(Error::file(header.file, what))
}

/// Whether a column names one of the items, where it is filled in at all: a column that is mostly empty tells something
/// else.
fn repeats(_: &Header<'_>, sample: &Sample, (left, right): Items, column: usize) -> bool {
    2 * sample.values(column).count() >= sample.rows.len() && repeats_items(sample, left, right, column)
}

/// The wins of one side, and how many votes there were: `a_wins` and `total`. That side's item comes first.
fn wins_of_total<I: Iterator<Item = usize>>(
    header: &Header<'_>,
    sample: &Sample,
    (left, right): Items,
    free: &dyn Fn() -> I,
) -> Option<(Items, usize, usize)> {
    let total = header.total().filter(|&total| free().any(|column| column == total))?;
    let has = |column: usize| header.words[column].iter().any(|word| WINS.contains(&word.as_str()));
    let about = |column: usize| side(&header.words[left], &header.words[right], &header.words[column], true);
    let wins = free().find(|&column| column != total && has(column) && about(column).is_some())?;
    let number = |row: &Vec<String>, column: usize| decimal(&row[column]);
    let within = |row: &Vec<String>| number(row, wins).zip(number(row, total)).is_some_and(|(a, b)| 0.0 <= a && a <= b);
    // Truths beside a number of something else are no counts.
    let several = sample.rows.iter().any(|row| number(row, wins).is_some_and(|x| x > 1.0));
    let items = if about(wins) == Some(Answer::Left) { (left, right) } else { (right, left) };
    (several && sample.rows.iter().all(within)).then_some((items, wins, total))
}

/// Whether a column holds words for the two sides.
pub(crate) fn names_sides(header: &Header<'_>, sample: &Sample, items: Items, column: usize) -> bool {
    let dictionary = dictionary(header, items, column);
    let distinct = sample.distinct(column);
    let kinds: BTreeSet<&str> = distinct.iter().map(|value| dictionary.gist(value)).collect();
    let numbers = distinct.iter().all(|value| decimal(value).is_some());
    let known = || distinct.iter().all(|value| dictionary.common(value).is_some());
    let side = |value: &&&str| dictionary.is_side(value);
    // L and R may as well be hands.
    let letters = || distinct.iter().filter(side).all(|v| v.eq_ignore_ascii_case("l") || v.eq_ignore_ascii_case("r"));
    let clear = || called_answer(header, column) || (!numbers && !letters());
    (1..=6).contains(&kinds.len()) && known() && distinct.iter().any(|value| side(&value)) && clear()
}

/// Two columns of numbers ≥ 0, the left item's and the right one's, whose names hold one of these words; the shortest
/// names where there are several.
fn twin_numbers<I: Iterator<Item = usize>>(
    header: &Header<'_>,
    sample: &Sample,
    words: &[&str],
    items: Items,
    free: &dyn Fn() -> I,
) -> Option<(usize, usize)> {
    twin_pairs(header, sample, words, items, free).into_iter().min_by_key(|&(first, _)| header.words[first].len())
}

/// All two such columns.
fn twin_pairs<I: Iterator<Item = usize>>(
    header: &Header<'_>,
    sample: &Sample,
    words: &[&str],
    (left, right): Items,
    free: &dyn Fn() -> I,
) -> Vec<(usize, usize)> {
    let numbers = |column: usize| {
        sample.values(column).next().is_some()
            && sample.values(column).all(|value| decimal(value).is_some_and(|x| x >= 0.0 && x.is_finite()))
    };
    let has = |column: usize, words: &[&str]| header.words[column].iter().any(|word| words.contains(&word.as_str()));
    let listed = |pairs: &[(&str, &str)], column: usize| {
        pairs.iter().any(|&(first, second)| [first, second].contains(&header.names[column].as_str()))
    };
    let opposed = has(left, OPPONENT) != has(right, OPPONENT);
    let is_goals = |column: usize| {
        words == POINTS
            && (has(column, languages::POINTS)
                || GOALS.iter().any(|&(home, away)| has(column, &[home, away]))
                || (opposed && listed(FOR_AND_AGAINST, column)))
    };
    let fits = |column: usize| (has(column, words) || is_goals(column)) && !has(column, NO_WINS) && numbers(column);
    let candidates: Vec<usize> = free().filter(|&column| fits(column)).take(MOST_PAIRED).collect();
    let pairs = candidates.iter().flat_map(|&first| candidates.iter().map(move |&second| (first, second)));
    let about = |column: usize| side(&header.words[left], &header.words[right], &header.words[column], true);
    let told = |first: usize, second: usize| (about(first), about(second)) == (Some(Answer::Left), Some(Answer::Right));
    let goals = |first: usize, second: usize| {
        let both = (header.names[first].as_str(), header.names[second].as_str());
        (GOALS.contains(&both) && (has(left, &["home"]) || has(right, &["home"])))
            || (opposed && FOR_AND_AGAINST.contains(&both))
    };
    let twin = |&(first, second): &(usize, usize)| {
        let (a, b) = (&header.words[first], &header.words[second]);
        twins(a, b) == Some(Opposite::Sides)
            || (difference(a, b).is_some() && told(first, second))
            || goals(first, second)
    };
    // Where the items were named the other way round, so are their numbers.
    let turned = |first: usize, second: usize| {
        told(second, first) || (goals(first, second) && (has(right, &["home"]) || has(left, OPPONENT)))
    };
    let own = |(first, second)| if turned(first, second) { (second, first) } else { (first, second) };
    // The first two of three annotators are not the two sides.
    let sides = |pair: &(usize, usize)| !header.next(*pair).into_iter().any(numbers);
    pairs.filter(twin).filter(sides).map(own).collect()
}
