//! Results are held against each other: whatever else in a row looks like a result must name the same winner as the
//! columns in use.

use super::candidates::Question;
use super::doubts::Case;
use super::reading::Interpretation;
use crate::layout::header::Header;
use crate::layout::{Layout, Shape, answer_columns, scale};
use crate::outcome::{Scale, Words, in_words};
use crate::sample::Sample;
use crate::shown::{ahead, answers};
use std::cmp::Ordering;

/// Another result of the same rows, held against the one in use.
struct Compared {
    shape: Shape,
    /// How many rows have both results.
    rows: usize,
    /// The rows in which the other side won.
    other: Vec<usize>,
    /// How many rows are level by one of the two and decided by the other.
    level: usize,
}

impl Case<'_> {
    /// The columns of a result, in words.
    fn result(&self, shape: &Shape) -> String {
        match shape.result().as_slice() {
            &[one] => format!("\"{}\"", self.name(one)),
            columns => columns.iter().map(|&c| format!("\"{}\"", self.name(c))).collect::<Vec<_>>().join(" and "),
        }
    }

    /// The reading by this result.
    pub(super) fn by(&self, shape: &Shape) -> Interpretation {
        let called = |column: usize| Some(self.called(column));
        self.with(|columns| match *shape {
            Shape::Points { points: [left, right], .. } => {
                (columns.left_points, columns.right_points) = (called(left), called(right));
            }
            Shape::Answer { answer, .. } => *columns = self.header.as_answer(answer, columns),
            Shape::OneHot { wins: [left, right], .. } | Shape::Counts { left_wins: left, right_wins: right, .. } => {
                (columns.left_wins, columns.right_wins) = (called(left), called(right));
            }
            Shape::WinnerLoser { winner, loser } => (columns.winner, columns.loser) = (called(winner), called(loser)),
        })
    }

    /// All other results of the first rows, beside the one in use.
    fn compared(&self) -> Vec<Compared> {
        let Self { header, sample, layout, .. } = *self;
        let given = &self.given.columns;
        let used = layout.used();
        let told = given.winner.is_some() || given.left_points.is_some() || given.left_wins.is_some();
        if told || matches!(layout.shape, Shape::WinnerLoser { .. } | Shape::Counts { .. }) {
            return Vec::new();
        }
        let words = Words::default();
        let ours = answers(header.columns, sample, layout, &words);
        let hold = |shape: Shape| {
            let margin = matches!(shape, Shape::Answer { answer, .. } if answer_columns::is_margin(sample, answer));
            let scale =
                if margin { Some(Scale::Margin) } else { scale::scale(header, sample, &shape, given).ok().flatten() };
            let loser = answer_columns::names_the_loser(header, given, &shape);
            let other = Layout { shape, draws: None, level: Vec::new(), scale, sheet: false, loser, ..layout.clone() };
            let theirs = answers(header.columns, sample, &other, &words);
            let both = ours.iter().zip(&theirs).enumerate();
            let both: Vec<(usize, Ordering, Ordering)> =
                both.filter_map(|(row, (a, b))| Some((row, ahead((*a)?)?, ahead((*b)?)?))).collect();
            let rows = |is: &dyn Fn(Ordering, Ordering) -> bool| {
                both.iter().filter(|(_, a, b)| is(*a, *b)).map(|(row, ..)| *row).collect::<Vec<_>>()
            };
            let mut other_won = rows(&|a, b| a.is_ne() && a == b.reverse());
            // From whose side a margin is measured nobody has said.
            if margin && rows(&|a, b| a.is_ne() && a == b).is_empty() {
                other_won.clear();
            }
            let level = rows(&|a, b| a != b && (a.is_eq() || b.is_eq())).len();
            Compared { shape: other.shape, rows: both.len(), level, other: other_won }
        };
        let new = |shape: &Shape| match shape {
            Shape::Points { points, .. } => !points.iter().any(|column| used.contains(column)),
            Shape::Answer { answer, .. } => !used.contains(answer),
            _ => false,
        };
        answer_columns::results(header, sample, (used[0], used[1])).into_iter().filter(new).map(hold).collect()
    }

    /// Another result that names the other side in some row.
    pub(super) fn contradicted(&self) -> Option<Question> {
        let most = self.compared().into_iter().filter(|other| !other.other.is_empty()).max_by_key(|o| o.other.len())?;
        let (row, used) = (most.other[0], self.layout.used());
        let ours = answers(self.header.columns, self.sample, self.layout, &Words::default())[row];
        let [left, right] = [used[0], used[1]].map(|item| crate::error::shortened(&self.sample.rows[row][item]));
        let here = ours.map_or_else(String::new, |answer| in_words(answer, &left, &right));
        let [own, name] = [&self.layout.shape, &most.shape].map(|shape| self.result(shape));
        let question = Question::new(format!(
            "{} of the {}{} rows: by {name} the other side won, first in {}, where {here} as it was understood. Say \
             which of the results counts",
            most.other.len(),
            if self.sample.is_whole() { "" } else { "first " },
            most.rows,
            self.sample.place(row),
        ));
        let own = question.meant(format!("If {own} counts"), self.by(&self.layout.shape));
        Some(own.meant(format!("If {name} counts"), self.by(&most.shape)))
    }
}

impl Layout {
    /// What is said of other results that are level where the one in use is decided, or the other way round.
    pub(crate) fn of_other_results(
        &self,
        file: &str,
        columns: &[String],
        sample: &Sample,
        given: &Interpretation,
    ) -> String {
        let case = Case { header: &Header::new(file, columns), sample, given, layout: self };
        let most = case.compared().into_iter().filter(|other| other.level > 0).max_by_key(|other| other.level);
        most.map_or_else(String::new, |other| {
            let whole = if sample.is_whole() { "" } else { "first " };
            let (name, flags) = (case.result(&other.shape), case.by(&other.shape).flags());
            format!(
                "; in {} of the {whole}{} rows one of this result and {name} is level and the other is not: the former \
                 counts ({flags} for the latter)",
                other.level, other.rows
            )
        })
    }
}
