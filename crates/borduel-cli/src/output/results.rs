//! Results for standard output: a table, Markdown, CSV, or one JSON object.

use super::Format;
use super::numbers::{percent, rate, whole};
use super::report::{heading, ranked};
use crate::experiment::played::Played;
use crate::failure::Failure;
use crate::paper::scaling::Exponent;
use borduel::Experiment;
use borduel::experiment::{PairedDifference, PolicyResult, Results};
use serde::Serialize;
use std::fmt::Write;

/// What a command shows: one experiment or several, and the exponents fitted to them.
pub(crate) struct Shown<'a> {
    pub(crate) name: &'a str,
    pub(crate) played: Vec<&'a Played>,
    pub(crate) exponents: &'a [Exponent],
}

/// The results in the chosen format.
pub(crate) fn text(shown: &Shown, format: Format) -> Result<String, Failure> {
    Ok(match format {
        Format::Table => grids(shown, &columns),
        Format::Md => grids(shown, &markdown),
        Format::Csv => csv(shown),
        Format::Json => json(shown).map_err(|error| Failure::Internal(error.to_string()))? + "\n",
    })
}

/// Rows of cells, the first row being the heads.
type Grid = Vec<Vec<String>>;

fn grids(shown: &Shown, draw: &dyn Fn(&str, &Grid) -> String) -> String {
    let mut out = String::new();
    for played in &shown.played {
        for (first, group) in played.groups() {
            out += &draw(&heading(&group[0], played.results.experiment.seed), &finals(played, first, group));
        }
    }
    if !shown.exponents.is_empty() {
        out += &draw("Regret grows like a power: fitted exponents", &exponents(shown.exponents));
    }
    out
}

/// Final regrets, best first, with their paired difference to the best.
fn finals(played: &Played, first: usize, group: &[PolicyResult]) -> Grid {
    let head = ["policy", "final regret", "± se", "sd", "median", "over the best", "± se", "winner found", "speed"];
    let mut grid = vec![head.map(str::to_owned).to_vec()];
    let order = ranked(group);
    for &index in &order {
        let (result, regret) = (&group[index], &group[index].final_regret);
        let (over, se) = played.difference(first + index, first + order[0]);
        let speed = played.timing.policies[first + index].rounds_per_second;
        let best = index == order[0];
        grid.push(vec![
            result.label.clone(),
            whole(regret.mean),
            whole(regret.se),
            whole(regret.sd),
            whole(regret.median),
            if best { String::new() } else { whole(over) },
            if best { String::new() } else { whole(se) },
            percent(result.winner_found),
            speed.map_or_else(String::new, rate),
        ]);
    }
    grid
}

fn exponents(list: &[Exponent]) -> Grid {
    let mut grid = vec![["policy", "against", "exponent", "± se", "theory"].map(str::to_owned).to_vec()];
    for fit in list {
        let row = [&fit.label, fit.against, &format!("{:.3}", fit.value), &format!("{:.3}", fit.se), "0.667"];
        grid.push(row.map(str::to_owned).to_vec());
    }
    grid
}

/// Aligned columns; numbers to the right.
fn columns(title: &str, grid: &Grid) -> String {
    let width = |column: usize| grid.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..grid[0].len()).map(width).collect();
    let mut out = format!("{title}\n");
    for row in grid {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            let space = " ".repeat(width - cell.chars().count());
            if column == 0 { format!("{cell}{space}") } else { format!("{space}{cell}") }
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        out += line.trim_end();
        out.push('\n');
    }
    out + "\n"
}

/// A table in Markdown.
fn markdown(title: &str, grid: &Grid) -> String {
    let row = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let rule = format!("|:--|{}\n", "--:|".repeat(grid[0].len() - 1));
    let body: String = grid[1..].iter().map(|cells| row(cells)).collect();
    format!("**{title}**\n\n{}{rule}{body}\n", row(&grid[0]))
}

fn csv(shown: &Shown) -> String {
    let mut out = "experiment,environment,horizon,policy,label,runs,seed,mean,sd,se,min,median,max,winner_found,\
                   rounds_per_second,setup_seconds\n"
        .to_owned();
    for played in &shown.played {
        let Experiment { name, seed, .. } = &played.results.experiment;
        for (result, timing) in played.results.policies.iter().zip(&played.timing.policies) {
            let regret = &result.final_regret;
            let numbers = [regret.mean, regret.sd, regret.se, regret.min, regret.median, regret.max];
            let numbers = numbers.map(|x| x.to_string()).join(",");
            let speed = timing.rounds_per_second.map_or_else(String::new, |x| x.to_string());
            // Writing to a string cannot fail.
            let _ = writeln!(
                out,
                "{},{},{},{},{},{},{seed},{numbers},{},{speed},{}",
                quoted(name),
                quoted(&result.environment),
                result.horizon,
                result.policy,
                quoted(&result.label),
                result.runs,
                result.winner_found,
                timing.setup_seconds
            );
        }
    }
    out
}

/// Regret over time of everything, in one CSV table.
pub(crate) fn curves(results: &Results) -> String {
    let mut out = "environment,horizon,policy,label,round,mean,sd,q10,median,q90\n".to_owned();
    for result in &results.policies {
        let (environment, label) = (quoted(&result.environment), quoted(&result.label));
        let start = format!("{environment},{},{},{label}", result.horizon, result.policy);
        let curve = &result.curve;
        for (index, round) in curve.round.iter().enumerate() {
            let at = |values: &[f64]| values[index];
            let (mean, sd, q10) = (at(&curve.mean), at(&curve.sd), at(&curve.q10));
            let (median, q90) = (at(&curve.median), at(&curve.q90));
            // Writing to a string cannot fail.
            let _ = writeln!(out, "{start},{round},{mean},{sd},{q10},{median},{q90}");
        }
    }
    out
}

/// A CSV cell, quoted where it must be.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

#[derive(Serialize)]
struct Object<'a> {
    version: u32,
    experiment: &'a Experiment,
    policies: Vec<Timed<'a>>,
    differences: &'a [PairedDifference],
}

#[derive(Serialize)]
struct Timed<'a> {
    #[serde(flatten)]
    result: &'a PolicyResult,
    rounds_per_second: Option<f64>,
    setup_seconds: f64,
}

#[derive(Serialize)]
struct Bundle<'a> {
    version: u32,
    name: &'a str,
    experiments: Vec<Object<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    exponents: &'a [Exponent],
}

fn object(played: &Played) -> Object<'_> {
    let Results { version, experiment, policies, differences, .. } = &played.results;
    let timed = |(result, timing): (_, &crate::experiment::played::PolicyTiming)| Timed {
        result,
        rounds_per_second: timing.rounds_per_second,
        setup_seconds: timing.setup_seconds,
    };
    let policies = policies.iter().zip(&played.timing.policies).map(timed).collect();
    Object { version: *version, experiment, policies, differences }
}

fn json(shown: &Shown) -> serde_json::Result<String> {
    match shown.played.as_slice() {
        [single] => serde_json::to_string(&object(single)),
        several => {
            let experiments: Vec<Object> = several.iter().map(|played| object(played)).collect();
            serde_json::to_string(&Bundle { version: 1, name: shown.name, experiments, exponents: shown.exponents })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_aligned() {
        let grid: Grid = vec![vec!["a".into(), "number".into()], vec!["Δx".into(), "7".into()]];
        assert_eq!(columns("t", &grid), "t\na   number\nΔx       7\n\n");
        assert_eq!(markdown("t", &grid), "**t**\n\n| a | number |\n|:--|--:|\n| Δx | 7 |\n\n");
        assert_eq!(quoted("a,\"b\""), "\"a,\"\"b\"\"\"");
    }
}
