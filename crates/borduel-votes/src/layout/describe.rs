//! What was detected, in words.

use super::{Draws, Layout, Shape, answer_columns, list};
use crate::error::shortened;
use crate::outcome::Scale;
use crate::sample::Sample;
use crate::table::normal;

impl Layout {
    /// Which column is what, and which are not used.
    pub fn describe(&self, columns: &[String]) -> String {
        let name = |column: &usize| {
            let name = &columns[*column];
            if name.is_empty() { format!("column {}", column + 1) } else { format!("\"{}\"", shortened(name)) }
        };
        let mut parts = match &self.shape {
            Shape::Answer { left, right, answer } => {
                let scale = match self.scale {
                    Some(Scale::Unit) => " (from 0, the right item, to 1, the left)",
                    Some(Scale::ZeroOne) => " (from 0, the left item, to 1, the right)",
                    Some(Scale::OneTwo) if self.zero_is_tie => {
                        " (from 1, the left item, to 2, the right; 0 is a tie, and nothing no answer)"
                    }
                    Some(Scale::OneTwo) => " (from 1, the left item, to 2, the right)",
                    Some(Scale::Signed) => " (from -1, the right item, to 1, the left)",
                    Some(Scale::Items) => " (the item's name)",
                    Some(Scale::Sides) => " (the side)",
                    Some(Scale::Score) => " (a score: the higher number wins)",
                    Some(Scale::Margin) => " (above 0 the left item won, below 0 the right one)",
                    Some(Scale::Names) | None => "",
                };
                let lost = if self.loser { ", which tells what lost" } else { "" };
                let (left, right, answer) = (name(left), name(right), name(answer));
                vec![format!("left = {left}, right = {right}, answer = {answer}{scale}{lost}")]
            }
            Shape::OneHot { left, right, wins, tie, both_bad } => {
                let mut text = format!(
                    "left = {}, right = {}, wins = {} and {}",
                    name(left),
                    name(right),
                    name(&wins[0]),
                    name(&wins[1])
                );
                text.extend(tie.iter().map(|tie| format!(", tie = {}", name(tie))));
                text.extend(both_bad.iter().map(|bad| format!(", both bad = {}", name(bad))));
                vec![text]
            }
            Shape::WinnerLoser { winner, loser } => {
                vec![format!("winner = {}, loser = {} (sides unknown)", name(winner), name(loser))]
            }
            Shape::Counts { left, right, left_wins, right_wins, total, ties, sides_known } => {
                let second = if *total { "of a total" } else { "right wins" };
                let mut text = format!(
                    "counts: left = {}, right = {}, left wins = {}, {second} = {}",
                    name(left),
                    name(right),
                    name(left_wins),
                    name(right_wins)
                );
                text.extend(ties.iter().map(|ties| format!(", ties = {}", name(ties))));
                if !sides_known {
                    text.push_str(" (sides unknown)");
                }
                vec![text]
            }
            Shape::Points { left, right, points: [first, second] } => vec![format!(
                "left = {}, right = {}, points = {} and {} (the higher number wins)",
                name(left),
                name(right),
                name(first),
                name(second)
            )],
        };
        let shootout = |name: &&String| answer_columns::is_shootout(&super::words(name));
        if let (Shape::Points { .. }, Some(shootout)) = (&self.shape, columns.iter().find(shootout)) {
            let name = crate::error::shortened(shootout);
            parts.push(format!("equal points are a draw, whatever \"{name}\" says"));
        }
        if let Some(draws) = self.draws {
            let how = match draws {
                Draws::Remarks { .. } => " (where it says so)",
                Draws::Named(_) => " (where it names one of the two)",
                Draws::Flags(_) => "",
            };
            parts.push(format!("draws = {}{how}", name(&draws.column())));
        }
        if !self.level.is_empty() {
            let points: Vec<String> = self.level.iter().map(name).collect();
            parts.push(format!("equal points in {} are asked about", points.join(" and ")));
        }
        for (what, column) in [
            ("voter", self.voter),
            ("question", self.ask),
            ("weight", self.weight),
            ("count", self.count),
            ("context", self.context),
        ] {
            let empty = if what == "voter" && self.nameless { " (empty: votes have no voter)" } else { "" };
            parts.extend(column.map(|column| format!("{what} = {}{empty}", name(&column))));
        }
        if self.inferred {
            parts.push("inferred from the values; name the columns if that is wrong".to_owned());
        }
        parts.join("; ").replacen("; voter", ", voter", 1) + &unused(columns, &self.used())
    }
}

/// Which columns are not used, neither alone nor as part of the voter.
pub(crate) fn unused(columns: &[String], used: &[usize]) -> String {
    let part = |column: usize| {
        let among = |&other: &usize| columns[other].split(',').any(|part| normal(part) == normal(&columns[column]));
        used.contains(&column) || used.iter().any(among)
    };
    let unused: Vec<_> = (0..columns.len()).filter(|&column| !part(column)).map(|c| columns[c].clone()).collect();
    if unused.is_empty() { String::new() } else { format!("; not used: {}", list(&unused)) }
}

/// What is said of rows of crowd workers whose work was rejected: they count as all others do, and how to leave them
/// out.
pub(crate) fn of_rejected_work(columns: &[String], sample: &Sample) -> String {
    let is_status = |&column: &usize| normal(&columns[column]).replace('_', "") == "assignmentstatus";
    let Some(column) = (0..columns.len()).find(is_status) else { return String::new() };
    let rejected = sample.values(column).find(|value| value.eq_ignore_ascii_case("rejected"));
    rejected.map_or_else(String::new, |word| {
        let name = shortened(&columns[column]);
        format!(
            "; warning: rows whose \"{name}\" is {word} count too (--where \"{name}=Approved\" for the approved \
                 ones alone)"
        )
    })
}
