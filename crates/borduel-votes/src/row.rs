//! The fields of a row, understood as a vote.

use crate::error::Fault;
use crate::extra_columns::ExtraColumnsAt;
use crate::layout::header::contexts_are;
use crate::layout::{Draws, Layout, Shape, compared, side, words};
use crate::outcome::{Dictionary, Scale, Words, named, number, remark, turned};
use crate::sample::{flag, is_missing};
use crate::table::{decimal, normal};
use borduel_rank::ballots::{Answer, Ballots};
use std::borrow::Cow;
use std::cmp::Ordering;

/// One row, understood: up to three answers with their frequencies.
pub(crate) struct Vote {
    pub(crate) weight: f64,
    answers: [(Answer, f64); 3],
    used: usize,
}

impl Vote {
    pub(crate) fn answers(&self) -> &[(Answer, f64)] {
        &self.answers[..self.used]
    }
}

/// What a value of the answer column means, whatever the items are.
#[derive(Clone, Copy)]
struct Meaning {
    /// The file's own reading; see [`Dictionary::own`].
    own: Option<Answer>,
    /// The common reading; see [`Dictionary::common`].
    common: Option<Answer>,
}

/// Turns the fields of a row into a vote.
pub(crate) struct RowReader {
    pub(crate) file: String,
    pub(crate) layout: Layout,
    dictionary: Dictionary,
    /// What the first few different answers mean.
    met: Vec<(String, Meaning)>,
    /// Where in the fields things are; the items are the first two.
    pub(crate) answer_at: usize,
    draws_at: Option<usize>,
    /// Where the points of the winner and the loser are.
    level_at: Vec<usize>,
    pub(crate) voter_at: Option<usize>,
    ask_at: Option<usize>,
    context_at: Option<usize>,
    /// What the contexts are, in the plural.
    pub(crate) contexts_are: Option<&'static str>,
    pub(crate) weight_at: Option<usize>,
    pub(crate) count_at: Option<usize>,
    /// Where the other columns are that are wanted.
    pub(crate) extra: ExtraColumnsAt,
}

impl RowReader {
    pub(crate) fn new(file: &str, columns: &[String], layout: Layout, own: &Words) -> Self {
        let used = layout.used();
        let at = |column: Option<usize>| column.and_then(|column| used.iter().position(|&c| c == column));
        let mut dictionary = Dictionary::new(&normal(&columns[used[0]]), &normal(&columns[used[1]]), own);
        if let Shape::Answer { left, right, answer } = layout.shape {
            let [left, right, answer] = [left, right, answer].map(|column| words(&columns[column]));
            dictionary = dictionary.about(side(&left, &right, &answer, true));
        }
        if layout.zero_is_tie {
            dictionary = dictionary.with_zero_as_tie();
        }
        let answer_at = if matches!(layout.shape, Shape::WinnerLoser { .. }) { 0 } else { 2 };
        let draws_at = at(layout.draws.map(Draws::column));
        let level_at = layout.level.iter().filter_map(|&column| at(Some(column))).collect();
        let (voter_at, ask_at) = (at(layout.voter), at(layout.ask));
        let (weight_at, count_at) = (at(layout.weight), at(layout.count));
        let context_at = at(layout.context);
        let contexts_are = layout.context.map(|column| contexts_are(&columns[column]));
        Self {
            file: file.to_owned(),
            layout,
            dictionary,
            met: Vec::new(),
            answer_at,
            draws_at,
            level_at,
            voter_at,
            ask_at,
            context_at,
            contexts_are,
            weight_at,
            count_at,
            extra: ExtraColumnsAt::default(),
        }
    }

    /// Whether a field may hold an item's name: the two items, and an answer that may name one of them.
    pub(crate) fn names_item(&self, at: usize) -> bool {
        at < 2 || (at == 2 && matches!(self.layout.shape, Shape::Answer { .. }))
    }

    /// Who voted, or who answered which question, where that is said: a number alone is no question, since files and
    /// tables are put together.
    pub(crate) fn voter<'f>(&self, fields: &'f [String]) -> Option<Cow<'f, str>> {
        let voter = self.voter_at.map(|at| fields[at].as_str()).filter(|_| !self.layout.nameless);
        let Some(ask) = self.ask_at.map(|at| &fields[at]).filter(|ask| !ask.is_empty()) else {
            return voter.map(Cow::Borrowed);
        };
        let (a, b) = (fields[0].as_str().min(&fields[1]), fields[0].as_str().max(&fields[1]));
        Some(Cow::Owned(Ballots::question_name(voter, &format!("{}\0{ask}\0{a}\0{b}", self.file))))
    }

    /// What the items were compared on, where that is said.
    pub(crate) fn context<'f>(&self, fields: &'f [String]) -> Option<&'f str> {
        self.context_at.map(|at| fields[at].as_str()).filter(|name| !is_missing(name))
    }

    /// The vote of a row; `None` for a row that has no answer: not filled in yet, or R's `NA`.
    pub(crate) fn parse(&mut self, fields: &[String]) -> Result<Option<Vote>, Fault> {
        for at in [0, 1] {
            if fields[at].is_empty() {
                return Err((Some(at), "is no item's name".to_owned()));
            }
        }
        if fields[0] == fields[1] {
            return Err((Some(1), "is compared with itself".to_owned()));
        }
        let weight = self.weight_at.map_or(Ok(1.0), |at| amount(fields, at))?;
        let count = self.count_at.map_or(Ok(1.0), |at| amount(fields, at))?;
        if let Some(at) = self.voter_at.filter(|&at| fields[at].is_empty() != self.layout.nameless) {
            let what = if self.layout.nameless {
                "is a voter's name, and the rows before it have none: fill them in"
            } else {
                "is no voter's name: fill it in"
            };
            return Err((Some(at), format!("{what}, or use no voters (--voter none)")));
        }
        let one = |answer| Some(Vote { weight, answers: [(answer, count); 3], used: 1 });
        if let Some(answer) = self.no_winner(fields)? {
            return Ok(one(answer));
        }
        match &self.layout.shape {
            Shape::WinnerLoser { .. } if self.are_level(fields) => {
                let what = "is as much for the loser as for the winner: if that is a draw, name the items as --left \
                            and --right, and their points as \
                            --left-points and --right-points (a score of both as --winner); if there was a winner \
                            nevertheless, say --ties-column none";
                Err((self.level_at.first().copied(), what.to_owned()))
            }
            Shape::WinnerLoser { .. } => Ok(one(Answer::Left)),
            Shape::Answer { .. } => {
                let meaning = self.meaning(&fields[2]);
                if self.has_no_answer(fields, meaning) {
                    return Ok(None);
                }
                let answer = self.answer(fields, meaning).map_err(|what| (Some(2), what))?;
                Ok(one(if self.layout.loser { turned(answer) } else { answer }))
            }
            Shape::OneHot { tie, both_bad, .. } => one_hot(fields, tie.is_some(), both_bad.is_some()).map(one),
            Shape::Points { .. } if is_missing(&fields[2]) || is_missing(&fields[3]) => Ok(None),
            Shape::Points { .. } => {
                let [left, right] = [points(fields, 2)?, points(fields, 3)?];
                Ok(one(if left > right {
                    Answer::Left
                } else if left < right {
                    Answer::Right
                } else {
                    Answer::Tie
                }))
            }
            Shape::Counts { .. } if is_missing(&fields[2]) && is_missing(&fields[3]) && !fields[2].is_empty() => {
                Ok(None)
            }
            Shape::Counts { total, ties, .. } => {
                let (left, second) = (amount(fields, 2)?, amount(fields, 3)?);
                let ties = if ties.is_some() { amount(fields, 4)? } else { 0.0 };
                let right = if *total { second - left - ties } else { second };
                if right < 0.0 {
                    return Err((Some(3), format!("is less than the wins and ties together ({})", left + ties)));
                }
                if left + right + ties == 0.0 {
                    return Ok(None);
                }
                let answers =
                    [(Answer::Left, left * count), (Answer::Right, right * count), (Answer::Tie, ties * count)];
                // No ties at all must not offend those who declare ties an error.
                Ok(Some(Vote { weight, answers, used: if ties > 0.0 { 3 } else { 2 } }))
            }
        }
    }

    /// What the column of draws says, if it says that nobody won: a tie, or nothing that counts.
    fn no_winner(&self, fields: &[String]) -> Result<Option<Answer>, Fault> {
        let (Some(at), Some(draws)) = (self.draws_at, self.layout.draws) else { return Ok(None) };
        let value = &fields[at];
        if let Draws::Named(_) = draws {
            return if is_missing(value) {
                Ok(None)
            } else if *value == fields[0] || *value == fields[1] {
                Ok(Some(Answer::Tie))
            } else {
                let what = "is neither of the two items, which this column names where they drew (--ties-column none \
                            to leave it out)";
                Err((Some(at), what.to_owned()))
            };
        }
        if let Draws::Remarks { answer, .. } = draws {
            let own = self.dictionary.own(value).filter(|own| matches!(own, Answer::Tie | Answer::Skip));
            return Ok(own.or_else(|| remark(value, answer)));
        }
        match flag(value) {
            Some(draw) => Ok(draw.then_some(Answer::Tie)),
            None if is_missing(value) => Ok(None),
            None => {
                let what = "does not say whether it was a draw: expected yes or no, true or false, 1 or 0 \
                            (--ties-column none to leave the column out)";
                Err((Some(at), what.to_owned()))
            }
        }
    }

    /// Whether the winner and the loser have the same points.
    fn are_level(&self, fields: &[String]) -> bool {
        let points: Vec<&str> = self.level_at.iter().map(|&at| fields[at].as_str()).collect();
        compared(&points) == Some(Ordering::Equal)
    }

    /// What a value of the answer column means by itself. Most files have few different ones, and to look one up among
    /// all words takes longer than to compare it with those.
    fn meaning(&mut self, value: &str) -> Meaning {
        const FEW: usize = 8;
        if let Some(&(_, meaning)) = self.met.iter().find(|(met, _)| met == value) {
            return meaning;
        }
        // What numbers may be as words is asked only where answers are words.
        let words = matches!(self.layout.scale, None | Some(Scale::Names | Scale::Items | Scale::Sides));
        let common = words.then(|| self.dictionary.common(value)).flatten();
        let meaning = Meaning { own: self.dictionary.own(value), common };
        if self.met.len() < FEW {
            self.met.push((value.to_owned(), meaning));
        }
        meaning
    }

    /// Whether the answer is missing: not an item of that name, and not a word that the user has given a meaning.
    fn has_no_answer(&self, fields: &[String], meaning: Meaning) -> bool {
        let value = &fields[2];
        let missing = if value.is_empty() { self.layout.sheet } else { is_missing(value) };
        missing && *value != fields[0] && *value != fields[1] && meaning.own.is_none()
    }

    /// The answer of a row, on a scale that the first row settles when nothing else does.
    fn answer(&mut self, fields: &[String], meaning: Meaning) -> Result<Answer, String> {
        let (left, right, value) = (&fields[0], &fields[1], &fields[2]);
        if let Some(answer) = meaning.own {
            return Ok(answer);
        }
        let named = |scale| named(meaning.common, value, (left, right), scale);
        let scale = *self.layout.scale.get_or_insert_with(|| {
            let is_number = decimal(value).is_some() && value != left && value != right;
            if is_number && named(Scale::Names).is_err() { Scale::Unit } else { Scale::Names }
        });
        match scale {
            Scale::Names | Scale::Items | Scale::Sides => named(scale),
            Scale::Unit | Scale::ZeroOne | Scale::OneTwo | Scale::Signed | Scale::Score | Scale::Margin => {
                number(value, scale)
            }
        }
    }
}

/// The answer of which one of several 0/1 columns is 1.
fn one_hot(fields: &[String], tie: bool, both_bad: bool) -> Result<Answer, Fault> {
    let mut answers = vec![Answer::Left, Answer::Right];
    answers.extend(tie.then_some(Answer::Tie));
    answers.extend(both_bad.then_some(Answer::BothBad));
    let mut chosen = None;
    for (at, answer) in (2..).zip(answers) {
        let set = flag(&fields[at]).ok_or((Some(at), "is neither 0 nor 1".to_owned()))?;
        if set && chosen.replace(answer).is_some() {
            return Err((Some(at), "is set although another answer is set too: exactly one may be".to_owned()));
        }
    }
    chosen.ok_or((
        Some(2),
        "is 0 like the other answers: exactly one must be 1 (if this is a draw, name the columns as \
                            --left-points and --right-points)"
            .to_owned(),
    ))
}

/// A weight or a count: a finite number ≥ 0.
pub(crate) fn amount(fields: &[String], at: usize) -> Result<f64, Fault> {
    match decimal(&fields[at]) {
        Some(x) if x >= 0.0 && x.is_finite() => Ok(x),
        Some(x) if x < 0.0 => Err((Some(at), "is negative: weights and counts are numbers ≥ 0".to_owned())),
        _ => {
            let digits = fields[at].bytes().any(|b| b.is_ascii_digit());
            let alone = if digits { ": write the number alone, without a unit or a mark for thousands" } else { "" };
            Err((Some(at), format!("is not a finite number ≥ 0{alone}")))
        }
    }
}

/// Points: any finite number.
fn points(fields: &[String], at: usize) -> Result<f64, Fault> {
    let number = decimal(&fields[at]).filter(|x| x.is_finite());
    number.ok_or_else(|| (Some(at), "is not a number of points".to_owned()))
}
