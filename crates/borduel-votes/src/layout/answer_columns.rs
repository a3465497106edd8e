//! What the rows say about two items that are known: the columns of the answer, of wins, or of points.

use super::codes::{called_index, codes, is_doubtful};
use super::header::Header;
use super::languages;
use super::twins::{OPPONENT, Opposite, difference, is_measure, repeats_items, side, tells_the_loser, twins};
use super::{Columns, Shape, counts};
use crate::error::Result;
use crate::outcome::{Dictionary, Scale, Words, turned};
use crate::sample::{Sample, flag};
use crate::table::decimal;
use borduel_rank::ballots::Answer;
use std::collections::BTreeSet;

/// Words of columns that count wins, and of columns of points.
const WINS: &[&str] = &["win", "wins", "won", "votes", "vote", "count", "prefer", "prefs", "preferences"];
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

/// A table of which the two items are known.
struct Rows<'t> {
    header: &'t Header<'t>,
    sample: &'t Sample,
    items: Items,
    /// Columns that are something else.
    taken: [Option<usize>; 6],
    ties: Option<usize>,
}

/// What some kind of evidence makes of the columns.
type Claim = fn(&Rows<'_>) -> Vec<Shape>;

/// All kinds of evidence, the strongest first: a known name with values that go with it; a column that repeats one of
/// the items; one of words for sides; numbers of wins; codes under a name that speaks of an answer; points; the name
/// alone; nothing else in the table.
const CLAIMS: &[Claim] = &[
    |rows| rows.called_and_written(),
    |rows| rows.repeating(),
    |rows| rows.siding(),
    |rows| rows.one_of_several(),
    |rows| rows.wins(),
    |rows| rows.wins_of_total(),
    |rows| rows.coded(),
    |rows| rows.points(),
    |rows| rows.called(),
    |rows| rows.unexplained(),
];

/// What the rows say about the two items, once those are known: all that the strongest evidence there is speaks for.
pub(crate) fn claimed(header: &Header<'_>, sample: &Sample, given: &Columns, items: Items) -> Result<Vec<Shape>> {
    let voter = header.given_or("--voter", given.voter.as_ref(), || header.voter())?;
    let ties = header.given_or("--ties-column", given.ties.as_ref(), || header.ties())?;
    let taken = [Some(items.0), Some(items.1), voter, header.weight(), header.count(), header.gold()];
    let rows = Rows { header, sample, items, taken, ties };
    Ok(CLAIMS.iter().map(|claim| claim(&rows)).find(|found| !found.is_empty()).unwrap_or_default())
}

impl Rows<'_> {
    fn free(&self) -> impl Iterator<Item = usize> {
        (0..self.header.columns.len())
            .filter(|&column| !self.taken.contains(&Some(column)) && !is_not_the_end(&self.header.words[column]))
    }

    /// One column as the answer.
    fn answer(&self, answer: usize) -> Shape {
        Shape::Answer { left: self.items.0, right: self.items.1, answer }
    }

    /// The column that has the name of an answer.
    fn known(&self) -> Option<usize> {
        self.header.answer().filter(|&answer| self.free().any(|column| column == answer))
    }

    fn called_answer(&self, column: usize) -> bool {
        called_answer(self.header, column)
    }

    fn repeats(&self, column: usize) -> bool {
        repeats(self.sample, self.items, column)
    }

    fn sides(&self, column: usize) -> bool {
        names_sides(self.header, self.sample, self.items, column)
    }

    /// The item that a column is about by its name.
    fn about(&self, column: usize) -> Option<Answer> {
        let words = &self.header.words;
        side(&words[self.items.0], &words[self.items.1], &words[column], true)
    }

    /// All columns that are answers by some evidence; results of both sides, and answers that are all the same, are
    /// one.
    fn answers(&self, is_answer: impl Fn(usize) -> bool) -> Vec<Shape> {
        let mut found: Vec<usize> = self.free().filter(|&column| is_answer(column)).collect();
        // What a judge has written is read where nobody has drawn the answer from it.
        let written = |column: &usize| self.header.words[*column].last().is_some_and(|word| word == "content");
        if !found.iter().all(written) {
            found.retain(|column| !written(column));
        }
        let both = match *found.as_slice() {
            [first, second] => match (self.about(first), self.about(second)) {
                (Some(Answer::Left), Some(Answer::Right)) => self.each_side([first, second]),
                (Some(Answer::Right), Some(Answer::Left)) => self.each_side([second, first]),
                _ => None,
            },
            _ => None,
        };
        if let Some(shape) = both {
            return vec![shape];
        }
        let meanings = |&column: &usize| meanings(self.header, self.sample, self.items, column);
        let said: Vec<_> = found.iter().map(meanings).collect();
        if said.len() > 1 && said[0].iter().all(Option::is_some) && said.iter().all(|other| *other == said[0]) {
            found.truncate(1);
        }
        found.into_iter().map(|column| self.answer(column)).collect()
    }

    fn called_and_written(&self) -> Vec<Shape> {
        let written = |&answer: &usize| {
            self.repeats_items(answer) || self.sides(answer) || codes(self.header, self.sample, answer).is_some()
        };
        self.known().filter(written).map(|answer| self.answer(answer)).into_iter().collect()
    }

    fn repeats_items(&self, column: usize) -> bool {
        repeats_items(self.sample, self.items.0, self.items.1, column)
    }

    /// Columns that repeat one of the items. The standard that the two are compared with does too: what is called an
    /// answer goes with it, and is asked about.
    fn repeating(&self) -> Vec<Shape> {
        let called_side = |column: usize| self.called_answer(column) && self.sides(column);
        let named = |column: usize| self.repeats(column) && self.called_answer(column);
        if !self.free().any(|column| self.repeats(column)) {
            return Vec::new();
        }
        let rival = self.free().any(called_side) && !self.free().any(named);
        self.answers(|column| self.repeats(column) || (rival && called_side(column)))
    }

    fn siding(&self) -> Vec<Shape> {
        self.answers(|column| self.sides(column) && (self.called_answer(column) || self.tells(column)))
    }

    /// Whether a column has more than one value: what is always the same tells nothing, unless there are too few rows.
    fn tells(&self, column: usize) -> bool {
        const FEW: usize = 5;
        self.sample.rows.len() < FEW || self.sample.distinct(column).len() > 1
    }

    fn wins(&self) -> Vec<Shape> {
        let pair = twin_numbers(self.header, self.sample, WINS, self.items, &|| self.free());
        pair.map(|pair| counts(self.header, self.items, pair, false, self.ties)).into_iter().collect()
    }

    /// The wins of one side, and how many votes there were.
    fn wins_of_total(&self) -> Vec<Shape> {
        let found = wins_of_total(self.header, self.sample, self.items, &|| self.free());
        let shape = |(items, wins, total)| counts(self.header, items, (wins, total), true, None);
        found.map(shape).into_iter().collect()
    }

    fn coded(&self) -> Vec<Shape> {
        let (header, sample) = (self.header, self.sample);
        let written = |column: usize| codes(header, sample, column).is_some() || is_doubtful(header, sample, column);
        self.answers(|column| self.called_answer(column) && written(column) && self.tells(column))
    }

    fn points(&self) -> Vec<Shape> {
        let (left, right) = self.items;
        let pair = twin_numbers(self.header, self.sample, POINTS, self.items, &|| self.free());
        pair.map(|(first, second)| Shape::Points { left, right, points: [first, second] }).into_iter().collect()
    }

    /// What has the name of an answer is one, also where the first rows do not show it.
    fn called(&self) -> Vec<Shape> {
        self.known().map(|answer| self.answer(answer)).into_iter().collect()
    }

    /// Where nothing is called an answer and nothing else is left, a column of two or three codes must be it.
    fn unexplained(&self) -> Vec<Shape> {
        let Self { header, sample, .. } = self;
        let numbers_things = |column: usize| header.words[column].iter().any(|word| NUMBERED.contains(&word.as_str()));
        let varies = |column: usize| {
            sample.distinct(column).len() > 1 && !is_measure(&header.words[column]) && !numbers_things(column)
        };
        let numbers_rows = |column: usize| sample.distinct(column).len() == sample.values(column).count();
        let scores = |&column: &usize| {
            let told = codes(header, sample, column) == Some(Scale::Score);
            told && sample.distinct(column).len() > 1 && !numbers_things(column)
        };
        let mut left: Vec<usize> = self.free().filter(scores).collect();
        // `set1`, `set2`, `set3` are parts of the match that `sets` is about.
        let part = |&c: &usize| header.words[c].last().is_some_and(|word| word.parse::<u64>().is_ok());
        if !left.iter().all(part) {
            left.retain(|column| !part(column));
        }
        if left.len() != 1 {
            left = self.free().filter(|&column| varies(column) && !numbers_rows(column)).collect();
        }
        // A name that does not speak of an answer may be that of a truth about something else (`overtime`,
        // `same_category`), or of a number of one side's. What tells is a truth about one side (`chose_right`), values
        // that hardly say anything else, or no name at all.
        let telling = |column: usize| match codes(header, sample, column) {
            Some(Scale::Unit) if self.about(column).is_some() => true,
            Some(Scale::Unit | Scale::OneTwo) => halves(sample, column) || says_nothing(&header.words[column]),
            other => other.is_some() && self.about(column).is_none(),
        };
        match left.as_slice() {
            &[answer] if telling(answer) => vec![self.answer(answer)],
            _ => Vec::new(),
        }
    }

    /// Columns of yes and no of one stem, of which every row has exactly one yes, and whose ends are words for the two
    /// sides, for a tie and for both being bad: `choice.first`, `choice.second`, `choice.same`.
    fn one_of_several(&self) -> Vec<Shape> {
        let (left, right) = self.items;
        let names = &self.header.names;
        let dictionary = Dictionary::new(&names[left], &names[right], &Words::default());
        let flags = |&column: &usize| {
            let mut values = self.sample.values(column).peekable();
            values.peek().is_some() && values.all(|value| flag(value).is_some())
        };
        let ended = |column: usize| self.header.words[column].split_last().map(|(end, stem)| (column, stem, end));
        let ended: Vec<_> = self.free().filter(flags).take(MOST_PAIRED).filter_map(ended).collect();
        let of = |stem: &[String], wanted: Answer| {
            let mut found = ended.iter().filter(|(_, own, end)| *own == stem && dictionary.common(end) == Some(wanted));
            found.next().map(|(column, ..)| *column).filter(|_| found.next().is_none())
        };
        let shape = |stem: &[String]| {
            let wins = [of(stem, Answer::Left)?, of(stem, Answer::Right)?];
            let (tie, both_bad) = (of(stem, Answer::Tie), of(stem, Answer::BothBad));
            let all: Vec<usize> = wins.into_iter().chain(tie).chain(both_bad).collect();
            let one = |row: &Vec<String>| all.iter().filter(|&&c| flag(&row[c]) == Some(true)).count() == 1;
            let told = self.sample.rows.iter().all(one);
            (told && tie.is_some()).then_some(Shape::OneHot { left, right, wins, tie, both_bad })
        };
        ended.iter().find_map(|(_, stem, _)| shape(stem)).into_iter().collect()
    }

    /// Two columns of results, one for each side: who has a 1, or half of it, or is said to have won.
    fn each_side(&self, [first, second]: [usize; 2]) -> Option<Shape> {
        let (Self { header, sample, .. }, (left, right)) = (self, self.items);
        // Who has lost has not won.
        let lost = [first, second].iter().all(|&column| tells_the_loser(&header.words[column]));
        let results = if lost { [second, first] } else { [first, second] };
        let all = |is: &dyn Fn(&str) -> bool| results.iter().all(|&column| sample.values(column).all(is));
        // The number of a winner is no result of a side.
        let own = !results.iter().any(|&column| called_index(header, column));
        let truths = |row: &Vec<String>| results.map(|column| flag(&row[column]));
        if own && all(&|value| flag(value).is_some()) && !sample.rows.iter().any(|row| truths(row) == [Some(true); 2]) {
            return Some(Shape::OneHot { left, right, wins: results, tie: None, both_bad: None });
        }
        let points = |row: &Vec<String>| results.map(|column| decimal(&row[column]));
        let shared = |[a, b]: [Option<f64>; 2]| a.zip(b).is_none_or(|(a, b)| a + b == 1.0);
        if own && all(&|value| decimal(value).is_some()) && sample.rows.iter().all(|row| shared(points(row))) {
            return Some(Shape::Points { left, right, points: results });
        }
        let said = results.map(|column| (dictionary(header, self.items, column), column));
        let alike = |row: &Vec<String>| {
            let [first, second] = [&said[0], &said[1]].map(|(words, column)| words.common(&row[*column]));
            first.is_some() && first == second
        };
        sample.rows.iter().all(alike).then(|| self.answer(results[0]))
    }
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

/// Whether the answer of a table is what lost: where the user said so, or the name of its column does.
pub(crate) fn names_the_loser(header: &Header<'_>, given: &Columns, shape: &Shape) -> bool {
    let &Shape::Answer { answer, .. } = shape else { return false };
    given.loser.is_some() || (given.winner.is_none() && tells_the_loser(&header.words[answer]))
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
    // What was not chosen is the other side of what was.
    let not = |column: usize| header.words[column].iter().any(|word| word == "not");
    let told = |&column: &usize| {
        codes(header, sample, column) == Some(Scale::Score)
            || (called_answer(header, column)
                && !not(column)
                && (repeats(sample, items, column)
                    || names_sides(header, sample, items, column)
                    || is_margin(sample, column)))
    };
    points.chain(free().filter(told).map(|answer| Shape::Answer { left, right, answer })).collect()
}

/// Whether a column holds numbers on both sides of 0, as one does that says by how much a side is ahead.
pub(crate) fn is_margin(sample: &Sample, column: usize) -> bool {
    let numbers = || sample.values(column).map(decimal);
    numbers().all(|x| x.is_some()) && numbers().flatten().any(|x| x < 0.0) && numbers().flatten().any(|x| x > 0.0)
}

/// The dictionary of an answer column.
pub(crate) fn dictionary(header: &Header<'_>, (left, right): Items, answer: usize) -> Dictionary {
    let about = side(&header.words[left], &header.words[right], &header.words[answer], true);
    Dictionary::new(&header.names[left], &header.names[right], &Words::default()).about(about)
}

/// What a column says in every row, as far as it says something.
fn meanings(header: &Header<'_>, sample: &Sample, items: Items, column: usize) -> Vec<Option<Answer>> {
    let dictionary = dictionary(header, items, column);
    let (left, right) = items;
    let loser = tells_the_loser(&header.words[column]);
    let meaning = |row: &Vec<String>| {
        let said = dictionary.name(&row[column], &row[left], &row[right], Scale::Names).ok();
        said.map(|answer| if loser { turned(answer) } else { answer })
    };
    sample.rows.iter().map(meaning).collect()
}

/// Whether a column names one of the items, where it is filled in at all: a column that is mostly empty tells something
/// else.
fn repeats(sample: &Sample, (left, right): Items, column: usize) -> bool {
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
    let has = |column: usize| header.words[column].iter().any(|word| word == "n" || WINS.contains(&word.as_str()));
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
    let distinct = sample.distinct(column);
    let numbers = distinct.iter().all(|value| decimal(value).is_some());
    if numbers && !called_answer(header, column) {
        return false;
    }
    let dictionary = dictionary(header, items, column);
    let kinds: BTreeSet<&str> = distinct.iter().map(|value| dictionary.gist(value)).collect();
    let known = || distinct.iter().all(|value| dictionary.common(value).is_some());
    let side = |value: &&&str| dictionary.is_side(value);
    // L and R may as well be hands.
    let letters = || distinct.iter().filter(side).all(|v| v.eq_ignore_ascii_case("l") || v.eq_ignore_ascii_case("r"));
    let clear = || called_answer(header, column) || !letters();
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
