//! Results are held against each other: whatever else in a row looks like a result must name the same winner as the
//! columns in use.

use crate::error::{Error, Result, shortened};
use crate::layout::header::Header;
use crate::layout::{Columns, Layout, Shape, answer_columns, scale};
use crate::outcome::{Words, in_words};
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

impl Compared {
    /// The columns of the other result, in words.
    fn columns(&self, header: &Header<'_>) -> String {
        let name = |column: usize| format!("\"{}\"", shortened(&header.columns[column]));
        match self.shape {
            Shape::Points { points: [first, second], .. } => format!("{} and {}", name(first), name(second)),
            Shape::Answer { answer, .. } => name(answer),
            _ => String::new(),
        }
    }
}

/// The flags that choose a result.
fn flags(header: &Header<'_>, shape: &Shape) -> String {
    let name = |column: usize| shortened(&header.columns[column]);
    match *shape {
        Shape::Points { points: [first, second], .. } => {
            format!("--left-points \"{}\" --right-points \"{}\"", name(first), name(second))
        }
        Shape::Answer { answer, .. } => format!("--winner \"{}\"", name(answer)),
        Shape::OneHot { wins: [first, second], .. }
        | Shape::Counts { left_wins: first, right_wins: second, total: false, .. } => {
            format!("--left-wins \"{}\" --right-wins \"{}\"", name(first), name(second))
        }
        Shape::WinnerLoser { winner, loser } => format!("--winner \"{}\" --loser \"{}\"", name(winner), name(loser)),
        Shape::Counts { .. } => String::new(),
    }
}

/// All other results of the first rows, beside the one in use.
fn compared(header: &Header<'_>, sample: &Sample, given: &Columns, layout: &Layout) -> Vec<Compared> {
    let used = layout.used();
    let told = given.winner.is_some() || given.left_points.is_some() || given.left_wins.is_some();
    if told || matches!(layout.shape, Shape::WinnerLoser { .. } | Shape::Counts { .. }) {
        return Vec::new();
    }
    let words = Words::default();
    let ours = answers(header.columns, sample, layout, &words);
    let hold = |shape: Shape| {
        let scale = scale::scale(header, sample, &shape, given).ok().flatten();
        let other = Layout { shape, draws: None, level: Vec::new(), scale, sheet: false, ..layout.clone() };
        let theirs = answers(header.columns, sample, &other, &words);
        let both = ours.iter().zip(&theirs).enumerate();
        let both: Vec<(usize, Ordering, Ordering)> =
            both.filter_map(|(row, (a, b))| Some((row, ahead((*a)?)?, ahead((*b)?)?))).collect();
        let level = |(_, a, b): &&(usize, Ordering, Ordering)| a != b && (a.is_eq() || b.is_eq());
        let turned = |(_, a, b): &&(usize, Ordering, Ordering)| a.is_ne() && *a == b.reverse();
        Compared {
            shape: other.shape,
            rows: both.len(),
            level: both.iter().filter(level).count(),
            other: both.iter().filter(turned).map(|(row, ..)| *row).collect(),
        }
    };
    let new = |shape: &Shape| match shape {
        Shape::Points { points, .. } => !points.iter().any(|column| used.contains(column)),
        Shape::Answer { answer, .. } => !used.contains(answer),
        _ => false,
    };
    answer_columns::results(header, sample, (used[0], used[1])).into_iter().filter(new).map(hold).collect()
}

/// Asks where another result names the other side in some row.
pub(super) fn ask(header: &Header<'_>, sample: &Sample, given: &Columns, layout: &Layout) -> Result<()> {
    let all = compared(header, sample, given, layout);
    let Some(most) = all.iter().filter(|other| !other.other.is_empty()).max_by_key(|other| other.other.len()) else {
        return Ok(());
    };
    let (row, used) = (most.other[0], layout.used());
    let ours = answers(header.columns, sample, layout, &Words::default())[row];
    let [left, right] = [used[0], used[1]].map(|item| shortened(&sample.rows[row][item]));
    let here = ours.map_or_else(String::new, |answer| in_words(answer, &left, &right));
    let whole = if sample.is_whole() { "" } else { "first " };
    let what = format!(
        "{} of the {whole}{} rows: by {} the other side won, first in {}, where {here} as it was understood. Say which of the results counts: \
         {}, or {}",
        most.other.len(),
        most.rows,
        most.columns(header),
        sample.place(row),
        flags(header, &layout.shape),
        flags(header, &most.shape)
    );
    Err(Error::file(header.file, what))
}

impl Layout {
    /// What is said of other results that are level where the one in use is decided, or the other way round.
    pub(crate) fn of_other_results(&self, file: &str, columns: &[String], sample: &Sample, given: &Columns) -> String {
        let header = Header::new(file, columns);
        let all = compared(&header, sample, given, self);
        let most = all.iter().filter(|other| other.level > 0).max_by_key(|other| other.level);
        most.map_or_else(String::new, |other| {
            let whole = if sample.is_whole() { "" } else { "first " };
            format!(
                "; in {} of the {whole}{} rows one of this result and {} is level and the other is not: the former counts ({} for the latter)",
                other.level,
                other.rows,
                other.columns(&header),
                flags(&header, &other.shape)
            )
        })
    }
}
