//! FEWEST.md: what is measured, the table, and the picture.

use super::ways::{WAYS, Way};
use super::{End, Measured, Row};
use borduel_report::numbers::grouped;
use borduel_report::{Figure, Panel, Series, Table};

/// The words around the table.
const FRAME: &str = include_str!("frame.md");

pub(super) fn text(measured: &[Measured<'_>], runs: u64, command: &str) -> String {
    let heads = [
        "world",
        "way",
        "mean votes",
        "median",
        "90 %",
        "wrong",
        "undecided",
        "asked for",
        "no method without a model below",
    ];
    let mut table = Table::new("", &heads);
    for one in measured {
        for (at, row) in one.rows.iter().enumerate() {
            let votes = sorted(&row.ends);
            let mean = votes.iter().sum::<f64>() / votes.len() as f64;
            let share = |count: usize| format!("{:.1} %", 100.0 * count as f64 / votes.len() as f64);
            let first = at == 0;
            let asked = match row.way {
                Way::Find => one.world.asked,
                Way::Trusting => one.world.asked_trusting,
                _ => None,
            };
            table.row([
                if first { one.world.name.clone() } else { String::new() },
                row.way.name().to_owned(),
                grouped(mean),
                grouped(votes[votes.len() / 2]),
                grouped(votes[votes.len() * 9 / 10]),
                share(row.ends.iter().filter(|end| end.wrong).count()),
                share(row.ends.iter().filter(|end| !end.decided).count()),
                asked.map_or_else(String::new, |x| format!("≤ {}", grouped(x))),
                one.bound.filter(|_| first).map_or_else(String::new, grouped),
            ]);
        }
    }
    FRAME.replace("{table}", &table.markdown()).replace("{runs}", &runs.to_string()).replace("{command}", command)
}

fn sorted(ends: &[End]) -> Vec<f64> {
    let mut votes: Vec<f64> = ends.iter().map(|end| end.votes).collect();
    votes.sort_by(f64::total_cmp);
    votes
}

/// The share of runs that are not yet decided at each decision; those that never are stay to the end.
fn undecided(ends: &[End]) -> Vec<(f64, f64)> {
    let (n, never) = (ends.len() as f64, ends.iter().filter(|end| !end.decided).count() as f64);
    let decided: Vec<End> = ends.iter().filter(|end| end.decided).copied().collect();
    let mut points: Vec<(f64, f64)> =
        sorted(&decided).into_iter().enumerate().map(|(k, votes)| (votes, (n - k as f64) / n)).collect();
    if never > 0.0 {
        points.extend(points.last().map(|last| (last.0, never / n)));
        points.push((sorted(ends)[ends.len() - 1], never / n));
    }
    points
}

/// The share of runs that are still undecided after so many votes; where only other worlds than those that are shown
/// were played, in as many of them.
pub(super) fn figure(measured: &[Measured<'_>]) -> Figure {
    let shown = ["Bradley–Terry, K = 30, sd 1", "features, K = 30, d = 5", "cyclic, K = 10"];
    let line = |row: &Row| Series {
        label: row.way.name().to_owned(),
        points: undecided(&row.ends),
        band: Vec::new(),
        style: WAYS.iter().position(|way| *way == row.way),
        dots: false,
    };
    let panel = |one: &Measured<'_>| Panel {
        title: one.world.name.clone(),
        x: "votes".to_owned(),
        y: "share of runs not yet decided".to_owned(),
        logarithmic: true,
        series: one.rows.iter().map(line).collect(),
        note: String::new(),
    };
    let mut panels: Vec<Panel> =
        measured.iter().filter(|one| shown.contains(&one.world.name.as_str())).map(panel).collect();
    if panels.is_empty() {
        panels = measured.iter().take(shown.len()).map(panel).collect();
    }
    Figure {
        panels,
        description: "The share of runs that are undecided after so many votes, by way of asking".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_are_never_decided_stay_to_the_end() {
        let end = |votes: f64, decided: bool| End { votes, decided, wrong: false };
        let points = undecided(&[end(30.0, true), end(100.0, false), end(10.0, true), end(100.0, false)]);
        assert_eq!(points, [(10.0, 1.0), (30.0, 0.75), (30.0, 0.5), (100.0, 0.5)]);
        assert_eq!(undecided(&[end(100.0, false)]), [(100.0, 1.0)]);
    }
}
