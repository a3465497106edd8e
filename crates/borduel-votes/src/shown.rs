//! Rows as they were read, in words: `line 2: ann beat bea`. Whoever sees three of them sees a file that is misread.

use crate::error::shortened;
use crate::layout::Layout;
use crate::outcome::{Words, in_words};
use crate::rankings::Ranking;
use crate::row::RowReader;
use crate::sample::Sample;
use borduel_rank::ballots::Answer;
use std::cmp::Ordering;

/// How many rows are shown.
const ROWS: usize = 3;
/// How many items of a ranking are.
const ITEMS: usize = 6;

/// The first rows that were read, with their lines.
#[derive(Default)]
pub(crate) struct Shown(Vec<String>);

impl Shown {
    /// Keeps a row, unless there are enough of them.
    pub(crate) fn add(&mut self, line: u64, what: impl FnOnce() -> String) {
        if self.0.len() < ROWS {
            self.0.push(format!("line {line}: {}", what()));
        }
    }

    /// All of them in a note on a file; `None` where there are none.
    pub(crate) fn note(&self, file: &str) -> Option<String> {
        (!self.0.is_empty()).then(|| format!("{file}: as read: {}", self.0.join(" · ")))
    }
}

/// The answers of the first rows of a table, as a layout reads them; `None` for a row that has none or cannot be read.
pub(crate) fn answers(columns: &[String], sample: &Sample, layout: &Layout, words: &Words) -> Vec<Option<Answer>> {
    rows(columns, sample, layout, words).into_iter().map(|row| row.map(|(answer, _)| answer)).collect()
}

/// Who is ahead in an answer: the left item (`Greater`), the right one, or nobody.
pub(crate) fn ahead(answer: Answer) -> Option<Ordering> {
    match answer {
        Answer::Left => Some(Ordering::Greater),
        Answer::Right => Some(Ordering::Less),
        Answer::Tie => Some(Ordering::Equal),
        Answer::Soft(share) => share.partial_cmp(&0.5),
        _ => None,
    }
}

/// Three rows of a table of votes, of different outcomes where there are such.
pub(crate) fn pairs(columns: &[String], sample: &Sample, layout: &Layout, words: &Words) -> Shown {
    let all = rows(columns, sample, layout, words);
    let kind = |at: &usize| all[*at].as_ref().map(|(answer, _)| ahead(*answer));
    let read: Vec<usize> = (0..all.len()).filter(|&at| all[at].is_some()).collect();
    let mut shown: Vec<usize> = Vec::new();
    for fresh in [true, false] {
        for at in &read {
            let new = !shown.contains(at) && (!fresh || shown.iter().all(|other| kind(other) != kind(at)));
            if new && shown.len() < ROWS {
                shown.push(*at);
            }
        }
    }
    shown.sort_unstable();
    let said = |at: usize| Some(format!("{}: {}", sample.place(at), all[at].as_ref()?.1));
    Shown(shown.into_iter().filter_map(said).collect())
}

/// The first rows as they are read: the answer, and the whole row in words.
fn rows(columns: &[String], sample: &Sample, layout: &Layout, words: &Words) -> Vec<Option<(Answer, String)>> {
    let used = layout.used();
    let mut reader = RowReader::new("", columns, layout.clone(), words);
    let mut one = |row: &Vec<String>| {
        let fields: Vec<String> = used.iter().map(|&column| row[column].clone()).collect();
        let vote = reader.parse(&fields).ok().flatten()?;
        let voter = reader.voter_at.filter(|_| !layout.nameless).map(|at| shortened(&fields[at]));
        let (left, right) = (shortened(&fields[0]), shortened(&fields[1]));
        let said = match *vote.answers() {
            [(answer, count)] => (answer, times(in_words(answer, &left, &right), count)),
            ref several => {
                let counts = several.iter().map(|&(_, count)| count);
                let total: f64 = counts.clone().sum();
                let [wins, losses] = [several[0].1, several[1].1];
                let ties = counts.skip(2).sum::<f64>();
                let tied = if ties > 0.0 { format!(" and tied {ties}") } else { String::new() };
                let share = Answer::Soft(if wins + losses > 0.0 { wins / (wins + losses) } else { 0.5 });
                (share, format!("{left} won {wins} of {total} against {right}{tied}"))
            }
        };
        let by = voter.map_or_else(String::new, |voter| format!(" (voter {voter})"));
        Some((said.0, said.1 + &by))
    };
    sample.rows.iter().map(&mut one).collect()
}

fn times(said: String, count: f64) -> String {
    if count == 1.0 { said } else { format!("{said}, {count} times") }
}

/// A ranking in words: `judge 7 ranked tea > coffee = mud`.
pub(crate) fn ranked(ranking: &Ranking, name: impl Fn(usize) -> String, voter: Option<&str>) -> String {
    let mut left = ITEMS;
    let mut groups: Vec<String> = Vec::new();
    for group in &ranking.groups {
        let names: Vec<String> = group.iter().take(left).map(|&item| shortened(&name(item))).collect();
        left -= names.len();
        if !names.is_empty() {
            groups.push(names.join(" = "));
        }
    }
    let more = if ranking.ranked() > ITEMS { " > …" } else { "" };
    let who = match voter {
        Some(voter) => format!("judge {} ranked", shortened(voter)),
        None if ranking.copies == 1.0 => "ranked".to_owned(),
        None => format!("{} voters ranked", ranking.copies),
    };
    if groups.is_empty() { format!("{who} nothing") } else { format!("{who} {}{more}", groups.join(" > ")) }
}
