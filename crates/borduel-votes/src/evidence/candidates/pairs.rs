//! Tables in which a row is a vote on two items that are known, and it is not known what says who won.

use super::super::reading::Interpretation;
use super::Evidence::{Called, Fits, Only};
use super::{Candidate, Table, series};
use crate::layout::answer_columns::{MOST_PAIRED, called_answer, dictionary, is_margin, is_not_the_end};
use crate::layout::codes::codes;
use crate::layout::twins::{difference, is_measure, side, tells_the_loser};
use crate::layout::{Columns, NO_POINTS};
use crate::outcome::{Scale, Words, score};
use crate::sample::flag;
use crate::table::decimal;
use borduel_rank::ballots::Answer;

/// Words of columns that say by how much one side was ahead.
const MARGINS: &[&str] = &["margin", "diff", "difference", "spread", "mov", "delta", "strength"];
/// Words of columns of keys that were pressed: they stand for sides that only their owner knows.
const PRESSED: &[&str] = &["resp", "response", "key", "keys", "button"];
/// Words of columns that grade a preference.
const GRADES: &[&str] = &["rating", "grade", "scale", "likert", "slider", "comparison", "score"];
/// The highest grade.
const HIGHEST: usize = 11;

impl Table<'_> {
    /// The columns that may say who won, or the one that was said to.
    fn answers(&self, (left, right): (usize, usize)) -> Vec<usize> {
        let taken = [Some(left), Some(right), self.header.voter(), self.header.count(), self.header.weight()];
        let told = self.given.columns.winner.as_ref().and_then(|name| self.header.named("", name).ok());
        self.columns().filter(|&c| !taken.contains(&Some(c)) && told.is_none_or(|told| told == c)).collect()
    }

    /// A column as the answer, on a scale.
    fn scaled(&self, answer: usize, scale: Option<Scale>) -> Interpretation {
        self.with(Columns { scale, ..self.header.as_answer(answer, &self.given.columns) })
    }

    /// The same with the two items exchanged.
    fn exchanged(&self, (left, right): (usize, usize), answer: usize, scale: Option<Scale>) -> Interpretation {
        let columns =
            Columns { left: Some(self.called(right)), right: Some(self.called(left)), ..self.given.columns.clone() };
        self.with(Columns { scale, ..self.header.as_answer(answer, &columns) })
    }

    /// Two columns as the points of the two items.
    fn points(&self, [first, second]: [usize; 2]) -> Interpretation {
        let (left_points, right_points) = (Some(self.called(first)), Some(self.called(second)));
        self.with(Columns { left_points, right_points, ..self.given.columns.clone() })
    }

    /// A column as the answer, with what its words mean.
    fn worded(&self, answer: usize, words: Words) -> Interpretation {
        Interpretation { words, ..self.scaled(answer, self.given.columns.scale) }
    }
}

/// Two columns of one name that hold numbers, each behind one of the items: `Visitor,PTS,Home,PTS`.
pub(super) fn doubled(table: &Table<'_>) -> Vec<Candidate> {
    let Some((left, right)) = table.items else { return Vec::new() };
    let names = &table.header.names;
    let alike = |first: usize| {
        let second = (first + 1..names.len()).find(|&second| names[second] == names[first])?;
        let points = !table.has(first, NO_POINTS) && table.numbers(first) && table.numbers(second);
        points.then_some([first, second])
    };
    let Some([first, second]) = table.columns().find_map(alike) else { return Vec::new() };
    // The nearer one behind an item is its own.
    let behind = |item: usize| [first, second].into_iter().filter(|&c| c > item).min();
    let own = match (behind(left), behind(right)) {
        (Some(a), Some(b)) if a != b => [a, b],
        _ => [first, second],
    };
    let name = table.name(first);
    let when =
        format!("If the two columns named \"{name}\" ({}, {}) are the points of the two items", first + 1, second + 1);
    vec![Candidate::new(Called, when, table.points(own))]
}

/// Columns of which each may be the answer by the same evidence.
pub(super) fn several(table: &Table<'_>) -> Vec<Candidate> {
    table
        .claimed()
        .into_iter()
        .map(|column| {
            let when = format!("If \"{}\" is the answer", table.name(column));
            Candidate::new(Fits, when, table.scaled(column, None))
        })
        .collect()
}

/// Columns of few values that may be the answer: what they mean is for their owner to say.
pub(super) fn answers(table: &Table<'_>) -> Vec<Candidate> {
    // Beside what would be right, they tell whether a judge was.
    let Some(items) = table.items.filter(|_| table.header.gold().is_none()) else { return Vec::new() };
    let told = table.given.columns.winner.is_some();
    let words = &table.header.words;
    // The chance of one side: `p_b`.
    let chance = |column: usize| {
        let about = side(&words[items.0], &words[items.1], &words[column], false);
        about.is_some() && table.has(column, &["p", "pr", "prob", "probability"])
    };
    let called =
        |&column: &usize| told || called_answer(table.header, column) || pressed(table, column) || chance(column);
    let mut found: Vec<Candidate> = Vec::new();
    let (named, others): (Vec<usize>, Vec<usize>) = table.answers(items).into_iter().partition(called);
    found.extend(
        named.into_iter().filter_map(|column| coded(table, items, column).or_else(|| worded(table, items, column))),
    );
    let coded: Vec<Candidate> = others
        .into_iter()
        .filter(|&column| !is_measure(&table.header.words[column]) && table.sample.distinct(column).len() == 2)
        .filter_map(|column| coded(table, items, column))
        .collect();
    // Of several that nothing speaks for nobody can tell which.
    if found.is_empty() && coded.len() == 1 {
        found.extend(coded.into_iter().map(|candidate| Candidate { evidence: Only, ..candidate }));
    }
    found
}

/// Whether a column tells which key was pressed, and not when.
fn pressed(table: &Table<'_>, column: usize) -> bool {
    table.has(column, PRESSED) && !table.has(column, &["rt", "time", "latency", "duration"])
}

/// A column of two or three numbers, of shares of a vote, or of yes and no, as the answer.
fn coded(table: &Table<'_>, items: (usize, usize), column: usize) -> Option<Candidate> {
    let words = &table.header.words;
    let about = side(&words[items.0], &words[items.1], &words[column], true);
    let truths = table.sample.distinct(column).iter().all(|value| flag(value).is_some());
    // What is always the same tells nothing.
    let told = table.given.columns.winner.is_some();
    if !told && table.sample.rows.len() > 4 && table.sample.distinct(column).len() < 2 {
        return None;
    }
    let share = |value: &str| decimal(value).is_some_and(|x| (0.0..=1.0).contains(&x));
    let truths = truths || (table.numbers(column) && table.sample.values(column).all(share));
    let truth = truths.then_some(if about == Some(Answer::Right) { Scale::ZeroOne } else { Scale::Unit });
    let scale = codes(table.header, table.sample, column).filter(|scale| *scale != Scale::Score).or(truth)?;
    let (name, left, right) = (table.name(column), table.name(items.0), table.name(items.1));
    let ahead = match table.sample.distinct(column).into_iter().find(|value| decimal(value).is_none()) {
        Some(_) => "yes",
        None => "1",
    };
    let [left, right] = if scale == Scale::ZeroOne { [right, left] } else { [left, right] };
    let when = format!("If {ahead} in \"{name}\" is the item in \"{left}\"");
    let other = match scale {
        Scale::Unit => table.scaled(column, Some(Scale::ZeroOne)),
        Scale::ZeroOne => table.scaled(column, Some(Scale::Unit)),
        _ => table.exchanged(items, column, Some(scale)),
    };
    Some(
        Candidate::new(Called, when, table.scaled(column, Some(scale)))
            .or(format!("if it is the one in \"{right}\""), other),
    )
}

/// A column of words of which one or two are not known.
fn worded(table: &Table<'_>, items: (usize, usize), column: usize) -> Option<Candidate> {
    let sample = table.sample;
    let dictionary = dictionary(table.header, items, column);
    let means = |row: &Vec<String>, value: &str| value == row[items.0] || value == row[items.1];
    let known = |value: &str| dictionary.common(value).is_some();
    let rows = || sample.rows.iter().filter(|row| !crate::sample::is_missing(&row[column]));
    let mut unknown: Vec<&str> = Vec::new();
    for row in rows().filter(|row| !known(&row[column]) && !means(row, &row[column])) {
        if !unknown.contains(&row[column].as_str()) {
            unknown.push(&row[column]);
        }
    }
    unknown.sort_unstable();
    let sides = rows().any(|row| dictionary.is_side(&row[column]) || means(row, &row[column]));
    let named = |side: Answer| rows().any(|row| dictionary.common(&row[column]) == Some(side));
    let by_item = rows().any(|row| means(row, &row[column]));
    let one_side = !by_item && named(Answer::Left) != named(Answer::Right);
    let slip = sample.rows.len() > 6 || table.header.answer() == Some(column);
    let given = &table.given.words;
    let own = |value: &str| vec![value.to_owned()];
    let (name, [left, right]) = (table.name(column), [items.0, items.1].map(|item| table.name(item)));
    match *unknown.as_slice() {
        [first, second] if !sides => {
            let reading =
                |a: &str, b: &str| table.worded(column, Words { left: own(a), right: own(b), ..given.clone() });
            let when = format!(
                "If \"{first}\" in \"{name}\" is the item in \"{left}\" and \"{second}\" the one in \"{right}\""
            );
            Some(
                Candidate::new(Called, when, reading(first, second))
                    .or("if it is the other way round".to_owned(), reading(second, first)),
            )
        }
        // Where only one side is ever named, the other word is rather the other side's.
        [word] if one_side => {
            let (item, words) = if named(Answer::Left) {
                (&right, Words { right: own(word), ..given.clone() })
            } else {
                (&left, Words { left: own(word), ..given.clone() })
            };
            let when = format!("If \"{word}\" in \"{name}\" is the item in \"{item}\"");
            let tie = table.worded(column, Words { tie: own(word), ..given.clone() });
            Some(Candidate::new(Called, when, table.worded(column, words)).or("if it is a tie".to_owned(), tie))
        }
        // What comes once in a column that is called an answer is rather a slip.
        [word] if sides && rows().filter(|row| row[column] == word).count() > usize::from(slip) => {
            let tie = table.worded(column, Words { tie: own(word), ..given.clone() });
            let skip = table.worded(column, Words { skip: own(word), ..given.clone() });
            let when = format!("If \"{word}\" in \"{name}\" is a tie");
            Some(Candidate::new(Called, when, tie).or("if it is no answer".to_owned(), skip))
        }
        _ => None,
    }
}

/// A column of three numbers that count the possible answers, the tie being the last, or the one in the middle.
pub(super) fn counted(table: &Table<'_>) -> Vec<Candidate> {
    let Some(items) = table.items.filter(|_| table.header.gold().is_none()) else { return Vec::new() };
    let numbers = |column: usize| -> Option<[usize; 3]> {
        let values: Option<Vec<usize>> = table.sample.distinct(column).iter().map(|value| value.parse().ok()).collect();
        let mut values: [usize; 3] = values?.try_into().ok()?;
        values.sort_unstable();
        (values == [0, 1, 2] || values == [1, 2, 3]).then_some(values)
    };
    let told = table.given.columns.winner.is_some();
    let called = |&column: &usize| told || called_answer(table.header, column) || pressed(table, column);
    let mut found = table.answers(items).into_iter().filter(called).filter_map(|c| Some((c, numbers(c)?)));
    let (Some((column, [first, second, third])), None) = (found.next(), found.next()) else { return Vec::new() };
    let [left, right] = [items.0, items.1].map(|item| table.name(item));
    let reading = |left: usize, right: usize, tie: usize| {
        let [left, right, tie] = [left, right, tie].map(|number| vec![number.to_string()]);
        table.worded(column, Words { left, right, tie, ..table.given.words.clone() })
    };
    let when = format!(
        "If {first} in \"{}\" is the item in \"{left}\", {second} the one in \"{right}\", and {third} a tie",
        table.name(column)
    );
    let middle = format!("if {second} is a tie, and {third} the one in \"{right}\"");
    vec![Candidate::new(Called, when, reading(first, second, third)).or(middle, reading(first, third, second))]
}

/// A column of scores, but for a few contests that have none.
pub(super) fn scores(table: &Table<'_>) -> Vec<Candidate> {
    let Some(items) = table.items else { return Vec::new() };
    let mostly = |&column: &usize| {
        let scores = table.sample.values(column).filter(|value| score(value).is_some()).count();
        let all = table.sample.values(column).count();
        scores < all && 10 * scores >= 9 * all && !is_not_the_end(&table.header.words[column])
    };
    let mut found = table.answers(items).into_iter().filter(mostly);
    let (Some(column), None) = (found.next(), found.next()) else { return Vec::new() };
    let when = format!("If \"{}\" is the result, and what has none does not count", table.name(column));
    vec![Candidate::new(Called, when, table.scaled(column, Some(Scale::Score)))]
}

/// A column of grades from one end to the other, with a tie in the middle: 1 to 5, 1 to 7, 0 to 10.
pub(super) fn grades(table: &Table<'_>) -> Vec<Candidate> {
    let Some(items) = table.items else { return Vec::new() };
    let told = table.given.columns.winner.is_some();
    let grades = |column: usize| -> Option<Vec<usize>> {
        let values: Option<Vec<usize>> = table.sample.distinct(column).iter().map(|value| value.parse().ok()).collect();
        let values = values.filter(|values| values.len() > 3)?;
        let (least, most) = (*values.iter().min()?, *values.iter().max()?);
        (least < 2 && (4..=HIGHEST).contains(&most)).then(|| (least..=most).collect())
    };
    let named = |&column: &usize| told || table.has(column, GRADES) || called_answer(table.header, column);
    let mut found = table.answers(items).into_iter().filter(named).filter_map(|c| Some((c, grades(c)?)));
    let (Some((column, grades)), None) = (found.next(), found.next()) else { return Vec::new() };
    let (least, most) = (grades[0], grades[grades.len() - 1]);
    let among = |low: bool| {
        let is = |&&grade: &&usize| if low { 2 * grade < least + most } else { 2 * grade > least + most };
        grades.iter().filter(is).map(ToString::to_string).collect::<Vec<_>>()
    };
    let tie: Vec<String> = grades.iter().filter(|&&grade| 2 * grade == least + most).map(ToString::to_string).collect();
    let reading = |left: Vec<String>, right: Vec<String>| {
        table.worded(column, Words { left, right, tie: tie.clone(), ..table.given.words.clone() })
    };
    let when = format!(
        "If {least} in \"{}\" is all for the item in \"{}\", and {most} all for the one in \"{}\"",
        table.name(column),
        table.name(items.0),
        table.name(items.1)
    );
    let candidate = Candidate::new(Called, when, reading(among(true), among(false)));
    vec![candidate.or("if it is the other way round".to_owned(), reading(among(false), among(true)))]
}

/// Two columns of numbers, one for each side, of which nobody can tell whether more is better.
pub(super) fn of_each_side(table: &Table<'_>) -> Vec<Candidate> {
    let Some((left, right)) = table.items else { return Vec::new() };
    let words = &table.header.words;
    let about = |column: usize| side(&words[left], &words[right], &words[column], true);
    let numbers = || table.columns().filter(|&c| table.numbers(c)).take(MOST_PAIRED);
    let pairs = numbers().flat_map(|first| numbers().map(move |second| [first, second]));
    let judges: Vec<usize> = series::series(table.header).into_iter().flatten().collect();
    let twin = |&[first, second]: &[usize; 2]| {
        (about(first), about(second)) == (Some(Answer::Left), Some(Answer::Right))
            && !judges.contains(&first)
            && difference(&words[first], &words[second]).is_some()
    };
    // What was known before is rather no result, but what judges have said may be.
    let result = |[column, _]: &[usize; 2]| !table.has(*column, NO_POINTS) || table.has(*column, &["sets"]);
    let (results, known): (Vec<[usize; 2]>, Vec<[usize; 2]>) = pairs.filter(twin).partition(result);
    let judged =
        || known.into_iter().filter(|[column, _]| table.has(*column, &["rating"]) && table.header.voter().is_some());
    let found = if results.is_empty() { judged().collect() } else { results };
    let &[[first, second]] = found.as_slice() else { return Vec::new() };
    let both = [table.points([first, second]), table.points([second, first])];
    let lost = [first, second].iter().all(|&column| tells_the_loser(&words[column]));
    let ([best, other], [own, turned]) = if lost {
        let [higher, lower] = both;
        (["lower", "higher"], [lower, higher])
    } else {
        (["higher", "lower"], both)
    };
    let when = format!("If the {best} number of \"{}\" and \"{}\" wins", table.name(first), table.name(second));
    vec![Candidate::new(Called, when, own).or(format!("if the {other} one does"), turned)]
}

/// A column of numbers on both sides of 0.
pub(super) fn margin(table: &Table<'_>) -> Vec<Candidate> {
    let Some(items) = table.items else { return Vec::new() };
    let fits = |column: &usize| is_margin(table.sample, *column) && !table.has(*column, &["odds", "elo", "rtg"]);
    let found: Vec<usize> = table.answers(items).into_iter().filter(fits).collect();
    let only = || found.first().copied().filter(|_| found.len() == 1);
    let called = |is: &dyn Fn(usize) -> bool| {
        found.iter().copied().filter(|&column| is(column)).min_by_key(|&column| table.header.words[column].len())
    };
    let margin = called(&|column| table.has(column, MARGINS));
    let found = margin.or_else(|| called(&|column| called_answer(table.header, column))).or_else(only);
    let Some(column) = found else { return Vec::new() };
    let when = format!(
        "If above 0 in \"{}\" the item in \"{}\" is ahead, and below 0 the one in \"{}\"",
        table.name(column),
        table.name(items.0),
        table.name(items.1)
    );
    let scale = Some(Scale::Margin);
    let ahead = table.exchanged((items.1, items.0), column, scale);
    vec![
        Candidate::new(Called, when, ahead)
            .or("if it is the other way round".to_owned(), table.exchanged(items, column, scale)),
    ]
}

/// Two columns of items, and nothing else that tells who won: one of them always did.
pub(super) fn ordered(table: &Table<'_>) -> Vec<Candidate> {
    let Some((left, right)) = table.items.filter(|_| table.third.is_none()) else { return Vec::new() };
    let Table { header, sample, .. } = table;
    let told = [header.voter(), header.count(), header.weight(), header.context(sample)];
    let numbers_rows = |column: usize| sample.distinct(column).len() == sample.rows.len() && table.numbers(column);
    let free = |&column: &usize| {
        ![left, right].contains(&column)
            && !told.contains(&Some(column))
            && !numbers_rows(column)
            && sample.distinct(column).len() > 1
    };
    if table.columns().any(|column| free(&column)) {
        return Vec::new();
    }
    let won = |winner: usize, loser: usize| {
        let (winner, loser) = (Some(table.called(winner)), Some(table.called(loser)));
        table.with(Columns { winner, loser, ..table.given.columns.clone() })
    };
    let when = |winner: usize| format!("f the item in \"{}\" won", table.name(winner));
    vec![
        Candidate::new(Only, "I".to_owned() + &when(left), won(left, right))
            .or("i".to_owned() + &when(right), won(right, left)),
    ]
}

/// The first of several judges.
pub(super) fn first_judge(table: &Table<'_>) -> Vec<Candidate> {
    let first = series::judges(table).map(|judges| judges[0]);
    let first = first.filter(|&first| codes(table.header, table.sample, first).is_some());
    let when = |judge: usize| format!("If only \"{}\" is to count", table.name(judge));
    first.map(|judge| Candidate::new(Only, when(judge), table.scaled(judge, None))).into_iter().collect()
}
