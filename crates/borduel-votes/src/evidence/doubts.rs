//! What might be understood in two ways, one of them wrong, is asked and not guessed.

pub(super) mod rows;

use super::candidates::{Question, third, too_many};
use super::reading::Interpretation;
use crate::error::shortened;
use crate::layout::answer_columns::{called_answer, dictionary};
use crate::layout::header::{Header, called_number};
use crate::layout::twins::{OPPONENT, difference, repeats_items};
use crate::layout::{Columns, Layout, Shape};
use crate::outcome::{Scale, remark};
use crate::sample::{Sample, flag};
use crate::table::{are_shares, decimal};
use borduel_rank::ballots::Answer;
use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};

/// Weights and frequencies that are all at least so large are measures more often than not.
const LARGE: f64 = 20.0;
/// Columns of frequencies that may be those of a sound.
const FREQUENCIES: &[&str] = &["freq", "frequency"];

/// A table as it would be read.
pub(super) struct Case<'t> {
    pub(super) header: &'t Header<'t>,
    pub(super) sample: &'t Sample,
    /// What was said about it.
    pub(super) given: &'t Interpretation,
    pub(super) layout: &'t Layout,
}

/// Tells what speaks against a reading, and what may be meant instead.
type Doubt = fn(&Case<'_>) -> Option<Question>;

/// All that may speak against a reading; the first that does is asked about.
const DOUBTS: &[Doubt] = &[
    |case| case.measure(),
    |case| case.uncounted(),
    |case| case.more_than_two(),
    |case| case.partners(),
    |case| case.standard(),
    |case| case.shown_turned(),
    |case| case.unfinished(),
    |case| case.twice(),
    |case| case.shares(),
    |case| case.goals(),
    |case| case.denied(),
    |case| case.contradicted(),
];

impl Case<'_> {
    /// What speaks against the reading.
    pub(super) fn doubt(&self) -> Option<Question> {
        DOUBTS.iter().find_map(|doubt| doubt(self))
    }

    /// What was said about the table, with these columns besides.
    pub(super) fn with(&self, name: impl FnOnce(&mut Columns)) -> Interpretation {
        let mut reading = self.given.clone();
        name(&mut reading.columns);
        reading
    }

    /// What flags call a column, where it has to be named.
    pub(super) fn called(&self, column: usize) -> String {
        self.header.called(column)
    }

    /// The winner and the loser.
    fn outcome(&self, [winner, loser]: [usize; 2]) -> Interpretation {
        self.by(&Shape::WinnerLoser { winner, loser })
    }

    /// The rows alone that have a value in a column.
    fn wanting(&self, column: usize, value: &str) -> Interpretation {
        let mut reading = self.given.clone();
        reading.extra.only.push((self.header.called(column), value.to_owned()));
        reading
    }

    /// These two as the items.
    fn sides(&self, [left, right]: [usize; 2]) -> Interpretation {
        self.with(|columns| (columns.left, columns.right) = (Some(self.called(left)), Some(self.called(right))))
    }

    /// A column's name.
    pub(super) fn name(&self, column: usize) -> String {
        shortened(&self.header.columns[column])
    }

    /// A column that is called a weight or a frequency, and whose values are rather those of a measure: kilograms, or
    /// hertz.
    fn measure(&self) -> Option<Question> {
        let Self { header, sample, layout, .. } = *self;
        let given = &self.given.columns;
        let weight = layout.weight.filter(|_| given.weight.is_none());
        let count = layout.count.filter(|_| given.count.is_none());
        let columns = [(weight, "--weight", "the weight of a vote"), (count, "--count", "how often a vote was given")];
        columns.into_iter().find_map(|(column, flag, what)| {
            let column = column?;
            let numbers: Vec<f64> = sample.values(column).filter_map(decimal).filter(|x| x.is_finite()).collect();
            let least = numbers.iter().copied().filter(|x| *x > 0.0).fold(f64::INFINITY, f64::min);
            // What is always the same matters to nobody.
            let large = least >= LARGE && numbers.iter().any(|x| *x > least);
            let odd = if flag == "--count" && numbers.iter().any(|x| x.fract() != 0.0) {
                "has fractions"
            } else if of_items(sample, layout, column) {
                "is always the same for an item"
            } else if flag == "--count" {
                let sound = FREQUENCIES.contains(&header.names[column].as_str());
                let listed = layout.voter.is_some() || repeated(sample, layout, column);
                Some("is large, and the same votes come again in other rows").filter(|_| large && sound && listed)?
            } else {
                Some("is large").filter(|_| large && !of_voters(sample, layout, column))?
            };
            let is = |called: String| {
                self.with(|columns| {
                    *if flag == "--count" { &mut columns.count } else { &mut columns.weight } = Some(called);
                })
            };
            let question = Question::new(format!("is \"{}\" {what}? It {odd}", self.name(column)));
            Some(question.meant("If it is", is(self.called(column))).meant("If it is not", is(none())))
        })
    }

    /// A column that is not used, and by its name and its numbers may say how often each vote was given, where no vote
    /// comes again as they do in a list.
    fn uncounted(&self) -> Option<Question> {
        const NAMES: [&str; 3] = ["times", "wins", "total"];
        let Self { header, sample, layout, .. } = *self;
        let given = &self.given.columns;
        let one = match layout.shape {
            Shape::WinnerLoser { .. } => true,
            Shape::Answer { .. } => !matches!(layout.scale, Some(Scale::Score | Scale::Margin)),
            _ => false,
        };
        if !one || given.count.is_some() || layout.count.or(layout.voter).is_some() {
            return None;
        }
        let used = layout.used();
        let called = |name: &String| NAMES.contains(&name.as_str()) || called_number(name);
        let is = |&column: &usize| !used.contains(&column) && called(&header.names[column]) && sample.may_count(column);
        let column = (0..header.columns.len()).find(is)?;
        let votes = sample.rows.iter().map(|row| used.iter().map(|&column| row[column].as_str()).collect::<Vec<_>>());
        let different = votes.collect::<BTreeSet<_>>().len() == sample.rows.len();
        different.then(|| {
            Question::new(format!("is \"{}\" how often each vote was given?", self.name(column)))
                .meant("If it is", self.with(|columns| columns.count = Some(self.called(column))))
                .meant("If it is not", self.with(|columns| columns.count = Some(none())))
        })
    }

    /// A third column of items, of which nobody has told which two count.
    fn more_than_two(&self) -> Option<Question> {
        let Self { header, sample, layout, .. } = *self;
        let given = &self.given.columns;
        if given.left.is_some() || matches!(layout.shape, Shape::WinnerLoser { .. }) {
            return None;
        }
        let used = layout.used();
        let (left, right) = (used[0], used[1]);
        let third = third(header, sample, (left, right))?;
        if matches!(layout.shape, Shape::Answer { answer, .. } if answer == third) {
            let [a, b, c] = [left, right, third].map(|column| self.name(column));
            return given.winner.is_none().then(|| {
                Question::new(format!(
                    "\"{a}\", \"{b}\" and \"{c}\" are named alike: if each is a question on two items of its own, \
                     name it after them (ash vs birch) and say --rows contests"
                ))
                .meant(
                    format!("If \"{c}\" is the answer to the other two"),
                    self.with(|columns| columns.winner = Some(self.called(third))),
                )
            });
        }
        (!used.contains(&third)).then(|| Question::new(too_many(header, [left, right, third])))
    }

    /// Two winners and two losers, as in doubles: each side is a team.
    fn partners(&self) -> Option<Question> {
        let Self { header, layout, .. } = *self;
        let given = &self.given.columns;
        let &Shape::WinnerLoser { winner, loser } = &layout.shape else { return None };
        let second = |column: usize| {
            let counted = |other: &usize| {
                let words = difference(&header.words[column], &header.words[*other]);
                words.is_some_and(|(a, b)| (a, b) == ("1", "2") || (a, b) == ("a", "b"))
            };
            (0..header.columns.len()).find(counted)
        };
        let [a, b] = [second(winner)?, second(loser)?].map(|column| self.name(column));
        let [first, other] = [winner, loser].map(|column| self.name(column));
        given.winner.is_none().then(|| {
            Question::new(format!(
                "each side has two (\"{first}\" and \"{a}\", \"{other}\" and \"{b}\"): put both names into one column \
                 of each side"
            ))
            .meant(format!("If \"{first}\" and \"{other}\" alone are ranked"), self.outcome([winner, loser]))
        })
    }

    /// What the two items are compared with, which makes the answer one about likeness: a column that always holds a
    /// third item.
    fn standard(&self) -> Option<Question> {
        const NAMES: &[&str] = &["anchor", "reference", "ref", "standard", "query", "probe", "head"];
        let Self { header, sample, layout, .. } = *self;
        let given = &self.given.columns;
        let (left, right, sides) = match layout.shape {
            Shape::Answer { left, right, .. } => (left, right, true),
            Shape::WinnerLoser { winner, loser } => (winner, loser, false),
            _ => return None,
        };
        if given.left.is_some() || given.winner.is_some() {
            return None;
        }
        let items: BTreeSet<&str> = sample.distinct(left).union(&sample.distinct(right)).copied().collect();
        let words = items.iter().any(|item| decimal(item).is_none());
        let used = layout.used();
        let is_third = |&column: &usize| {
            let called = header.words[column].iter().any(|word| NAMES.contains(&word.as_str()));
            let values = sample.values(column).count();
            let others = sample.rows.iter().filter(|row| row[column] != row[left] && row[column] != row[right]).count();
            // The host of a tournament is one of the items too, but always the same.
            let distinct = sample.distinct(column);
            let known = 2 * distinct.len() >= items.len() && distinct.iter().all(|value| items.contains(value));
            // Numbers may be anything else, unless the name tells.
            !used.contains(&column) && (called || words) && values > 2 && known && 20 * others >= 19 * sample.rows.len()
        };
        let column = (0..header.columns.len()).find(is_third)?;
        let [a, b, c] = [left, right, column].map(|column| self.name(column));
        if !sides {
            let question = Question::new(format!(
                "\"{c}\" holds a third item in each row: if each row is a ranking, name all places in their order with \
                 --rows places --item-columns"
            ));
            let alone = format!("If \"{a}\" and \"{b}\" alone count");
            return Some(question.meant(alone, self.outcome([left, right])));
        }
        let question = Question::new(format!(
            "\"{c}\" holds a third item in each row: if \"{a}\" and \"{b}\" are compared with it, the answers tell \
             what is alike and not what is better"
        ));
        Some(question.meant("If they are ranked all the same", self.sides([left, right])))
    }

    /// Rows of which a column says that the two were shown the other way round, beside answers that name a side: nobody
    /// can tell whether these are the sides of the columns or those that were shown.
    fn shown_turned(&self) -> Option<Question> {
        const NAMES: &[&str] = &["swap", "swapped", "flip", "flipped", "reversed", "switched", "inverted", "mirrored"];
        let Self { header, sample, layout, .. } = *self;
        let given = &self.given.columns;
        let &Shape::Answer { left, right, answer } = &layout.shape else { return None };
        if given.winner.is_some() || given.loser.is_some() || repeats_items(sample, left, right, answer) {
            return None;
        }
        let called = |column: usize| header.words[column].iter().any(|word| NAMES.contains(&word.as_str()));
        let says = |column: usize, turned: bool| sample.values(column).any(|value| flag(value) == Some(turned));
        let used = layout.used();
        let is =
            |&column: &usize| !used.contains(&column) && called(column) && says(column, true) && says(column, false);
        let column = (0..header.columns.len()).find(is)?;
        let [a, b, c, said] = [left, right, column, answer].map(|column| self.name(column));
        let question = Question::new(format!(
            "by the column \"{c}\" some rows were shown the other way round: if \"{said}\" speaks of what was shown, \
             exchange the two in those rows first"
        ));
        let same = format!("If it speaks of \"{a}\" and \"{b}\" all the same");
        Some(question.meant(same, self.with(|columns| columns.winner = Some(self.called(answer)))))
    }

    /// Every match in two rows, once for each side, which would count it twice: as team and opponent, and the other way
    /// round.
    fn twice(&self) -> Option<Question> {
        const LEAST: usize = 4;
        let Self { header, sample, layout, .. } = *self;
        let given = &self.given.columns;
        let used = layout.used();
        let (left, right) = (used[0], used[1]);
        let opponent = |column: usize| header.words[column].iter().any(|word| OPPONENT.contains(&word.as_str()));
        if given.left.is_some() || opponent(left) == opponent(right) || sample.rows.len() < LEAST {
            return None;
        }
        let words = match layout.shape {
            Shape::Answer { answer, .. } => Some(dictionary(header, (left, right), answer)),
            _ => None,
        };
        let said = |row: &Vec<String>| match layout.shape {
            Shape::Points { points: [first, second], .. } => decimal(&row[first])?.partial_cmp(&decimal(&row[second])?),
            Shape::Answer { answer, .. } => match words.as_ref()?.common(&row[answer])? {
                Answer::Left => Some(Ordering::Greater),
                Answer::Right => Some(Ordering::Less),
                Answer::Tie => Some(Ordering::Equal),
                _ => None,
            },
            _ => None,
        };
        let mut results: Vec<(&str, &str, Ordering)> = Vec::new();
        for row in &sample.rows {
            results.push((&row[left], &row[right], said(row)?));
        }
        let mut counts: HashMap<(&str, &str, Ordering), usize> = HashMap::new();
        for result in &results {
            *counts.entry(*result).or_default() += 1;
        }
        // A column that tells the two rows of a match apart: those of one of its values are those of the other, turned
        // round.
        let apart = |column: usize| {
            let values: Vec<&str> = sample.distinct(column).into_iter().collect();
            let &[first, second] = values.as_slice() else { return None };
            let of = |value: &str| -> Vec<(&str, &str, Ordering)> {
                results.iter().zip(&sample.rows).filter(|(_, row)| row[column] == value).map(|(r, _)| *r).collect()
            };
            let mut turned: Vec<_> = of(first).into_iter().map(|(a, b, order)| (b, a, order.reverse())).collect();
            let mut other = of(second);
            turned.sort_unstable();
            other.sort_unstable();
            (sample.is_whole() && turned == other).then_some((column, second))
        };
        let mirrored = |(&(a, b, order), &n): (&(&str, &str, Ordering), &usize)| {
            n.min(counts.get(&(b, a, order.reverse())).copied().unwrap_or(0))
        };
        let both: usize = counts.iter().map(mirrored).sum();
        let most = if sample.is_whole() { sample.rows.len() } else { sample.rows.len() * 9 / 10 };
        (both >= most).then(|| {
            let apart = (0..header.columns.len()).filter(|column| !used.contains(column)).find_map(apart);
            let how = if apart.is_none() { " (if some column tells them apart, with --where)" } else { "" };
            let mut question = Question::new(format!(
                "every match seems to stand in two rows, once for each side, and would count twice: keep one of the \
                 two{how}"
            ));
            if let Some((column, value)) = apart {
                let when = format!("If those with \"{}\" in \"{}\" are enough", shortened(value), self.name(column));
                question = question.meant(when, self.wanting(column, value));
            }
            question.meant("If each row is a match of its own", self.sides([left, right]))
        })
    }

    /// Points of matches that are not over yet, by a column of yes and no.
    fn unfinished(&self) -> Option<Question> {
        const NAMES: &[&str] = &["finished", "completed", "complete", "played"];
        let Self { header, sample, layout, .. } = *self;
        let given = &self.given.columns;
        let &Shape::Points { points: [first, second], .. } = &layout.shape else { return None };
        let called =
            |column: &usize| matches!(header.words[*column].as_slice(), [.., last] if NAMES.contains(&last.as_str()));
        let flags = |column: usize| sample.values(column).all(|value| flag(value).is_some());
        let open = |row: &Vec<String>, column: usize| {
            flag(&row[column]) == Some(false) && decimal(&row[first]).is_some() && decimal(&row[second]).is_some()
        };
        let column = (0..header.columns.len())
            .filter(|_| given.left_points.is_none())
            .filter(|column| called(column) && flags(*column))
            .find(|&column| sample.rows.iter().any(|row| open(row, column)))?;
        let done = sample.values(column).find(|value| flag(value) == Some(true)).unwrap_or("true");
        let name = self.name(column);
        let question =
            Question::new(format!("by the column \"{name}\" some matches are not over, although they have points"));
        let left_out = question.meant("If those are to be left out", self.wanting(column, done));
        Some(left_out.meant("If they are to count", self.by(&layout.shape)))
    }

    /// Shares in the place of numbers of wins: they do not tell how many votes there were.
    fn shares(&self) -> Option<Question> {
        let Self { sample, layout, .. } = *self;
        let given = &self.given.columns;
        let &Shape::Counts { left_wins, right_wins, total: false, ties, .. } = &layout.shape else { return None };
        if given.left_wins.is_some() {
            return None;
        }
        let numbers = |row: &Vec<String>| -> Option<[f64; 3]> {
            let ties = ties.map_or(Some(0.0), |ties| decimal(&row[ties]))?;
            Some([decimal(&row[left_wins])?, decimal(&row[right_wins])?, ties])
        };
        let rows: Vec<[f64; 3]> = sample.rows.iter().filter_map(numbers).collect();
        if !are_shares(rows.iter().map(|row| row.iter().sum()), rows.iter().flatten().copied()) {
            return None;
        }
        let question = Question::new(format!(
            "\"{}\" and \"{}\" hold shares rather than numbers of wins: multiply each by the number of votes of its \
             row",
            self.name(left_wins),
            self.name(right_wins)
        ));
        Some(question.meant("If they are numbers of wins", self.by(&layout.shape)))
    }

    /// One row a goal: who scored it has not won by it.
    fn goals(&self) -> Option<Question> {
        let Self { header, layout, .. } = *self;
        let given = &self.given.columns;
        let answer = match layout.shape {
            Shape::Answer { answer, .. } if !called_answer(header, answer) => answer,
            Shape::Points { points: [first, _], .. } if given.left_points.is_none() => first,
            _ => return None,
        };
        let scorer = |words: &Vec<String>| words.iter().any(|word| matches!(word.as_str(), "scorer" | "goalscorer"));
        let scorer = header.words.iter().position(scorer).filter(|_| given.winner.is_none())?;
        let question = Question::new(format!(
            "by the column \"{}\" a row is a goal and not a match, so that \"{}\" does not tell who won: take the file \
             of the matches",
            self.name(scorer),
            self.name(answer)
        ));
        Some(question.meant("If each row is a match", self.by(&layout.shape)))
    }

    /// A remark that there was no winner beside an answer that names one, or that nothing counts beside points.
    fn denied(&self) -> Option<Question> {
        let Self { header, sample, layout, .. } = *self;
        let given = &self.given.columns;
        let named = matches!(layout.scale, Some(Scale::Names | Scale::Items | Scale::Sides));
        let answer = match layout.shape {
            Shape::Answer { answer, .. } if named => answer,
            Shape::Points { points: [first, _], .. } => first,
            _ => return None,
        };
        if given.ties.is_some() || layout.draws.is_some() {
            return None;
        }
        let used = layout.used();
        let (left, right) = (used[0], used[1]);
        let dictionary = dictionary(header, (left, right), answer);
        let denies = |row: &Vec<String>, column: usize| {
            let said = remark(&row[column], false);
            if named {
                let winner = dictionary.name(&row[answer], &row[left], &row[right], Scale::Items);
                said.is_some() && matches!(winner, Ok(Answer::Left | Answer::Right))
            } else {
                said == Some(Answer::Skip) && decimal(&row[answer]).is_some()
            }
        };
        let column = header
            .remarks()
            .filter(|column| !used.contains(column))
            .find(|&column| sample.rows.iter().any(|row| denies(row, column)))?;
        let question = Question::new(format!(
            "the column \"{}\" says that there was no winner where \"{}\" tells who won",
            self.name(column),
            self.name(answer)
        ));
        let right = question.meant("If it is right", self.with(|columns| columns.ties = Some(self.called(column))));
        Some(right.meant("If it is not", self.with(|columns| columns.ties = Some(none()))))
    }
}

/// What flags call no column.
fn none() -> String {
    "none".to_owned()
}

/// Whether a column says something about one of the two items: of each that comes again always the same, and of several
/// different things.
fn of_items(sample: &Sample, layout: &Layout, column: usize) -> bool {
    layout.used()[..2].iter().any(|&item| is_told_by(sample, item, column))
}

/// Whether it says something about the voter.
fn of_voters(sample: &Sample, layout: &Layout, column: usize) -> bool {
    layout.voter.is_some_and(|voter| is_told_by(sample, voter, column))
}

fn is_told_by(sample: &Sample, key: usize, column: usize) -> bool {
    const REPEATS: usize = 6;
    const VALUES: usize = 3;
    let mut values: HashMap<&str, &str> = HashMap::new();
    let mut repeats = 0;
    for row in &sample.rows {
        match values.insert(&row[key], &row[column]) {
            Some(before) if before != row[column] => return false,
            Some(_) => repeats += 1,
            None => {}
        }
    }
    repeats >= REPEATS && values.values().collect::<BTreeSet<_>>().len() >= VALUES
}

/// Whether rows come again that differ in this column alone, as they do not in a table of frequencies.
fn repeated(sample: &Sample, layout: &Layout, column: usize) -> bool {
    let used: Vec<usize> = layout.used().into_iter().filter(|&other| other != column).collect();
    let rows = sample.rows.iter().map(|row| used.iter().map(|&column| row[column].as_str()).collect::<Vec<_>>());
    let different = rows.collect::<BTreeSet<_>>().len();
    10 * (sample.rows.len() - different) >= sample.rows.len()
}
