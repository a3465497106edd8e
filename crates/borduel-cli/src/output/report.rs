//! The report: one HTML page that needs nothing else, for one experiment or several.

mod bounds;
mod instance;

use super::chart::{self, Figure, Panel, Series, escape};
use super::numbers::{percent, short, whole};
use crate::experiment::played::Played;
use borduel::experiment::{EnvironmentConfig, PolicyResult, World};
use borduel::theory;
use std::fmt::Write;

/// What the lower bound says, and what it does not.
pub(crate) const BOUND_NOTE: &str = "Lower bound (dT)^(2/3)/(8√40): minimax over instances with Δ = (dT)^(−1/3)/√40; \
                                     a single easier instance may lie below it.";

/// More panels than this make no figure.
const MOST_PANELS: usize = 12;

/// The figure of an experiment: regret over time of its first policies, one panel for every environment and horizon.
pub(crate) fn figure(played: &Played, most: usize) -> Figure {
    let first = |group: &'_ [PolicyResult]| most.min(group.len());
    let panels = played
        .groups()
        .take(MOST_PANELS)
        .enumerate()
        .map(|(world, (_, group))| panel(played, world, &group[..first(group)], false));
    Figure { panels: panels.collect(), description: format!("Regret over time: {}", played.results.experiment.name) }
}

fn panel(played: &Played, world: usize, group: &[PolicyResult], logarithmic: bool) -> Panel {
    let mut series: Vec<Series> = group
        .iter()
        .enumerate()
        .map(|(index, result)| Series {
            label: format!("{}: {}", result.label, whole(result.final_regret.mean)),
            points: result.curve.round.iter().map(|r| *r as f64).zip(result.curve.mean.iter().copied()).collect(),
            band: result.curve.sd.clone(),
            style: Some(index),
            dots: false,
        })
        .collect();
    let d = hard_dimension(played, world);
    if let Some(d) = d {
        let points = group[0].curve.round.iter().map(|r| (*r as f64, theory::lower_bound(d, *r))).collect();
        let label = format!("lower bound: {}", whole(theory::lower_bound(d, group[0].horizon)));
        series.push(Series { label, points, band: Vec::new(), style: None, dots: false });
    }
    if logarithmic {
        let theorems = theorems(played, world, group);
        series.extend(theorems.into_iter().filter(|theorem| theorem.says_something).map(|theorem| Series {
            label: format!("upper bound: {}", whole(theorem.bound)),
            points: vec![(group[0].horizon as f64, theorem.bound)],
            band: Vec::new(),
            style: Some(theorem.policy),
            dots: true,
        }));
    }
    Panel {
        title: heading(&group[0], played.results.experiment.seed),
        x: "round t".to_owned(),
        y: "cumulative Borda regret".to_owned(),
        logarithmic,
        series,
        note: d.map_or_else(String::new, |_| BOUND_NOTE.to_owned()),
    }
}

/// What was played, in one line.
pub(crate) fn heading(result: &PolicyResult, seed: u64) -> String {
    let (horizon, runs) = (whole(result.horizon as f64), result.runs);
    format!("{}: T = {horizon}, {runs} run{}, seed {seed}", result.environment, if runs == 1 { "" } else { "s" })
}

/// The order of mean final regret.
pub(crate) fn ranked(group: &[PolicyResult]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..group.len()).collect();
    order.sort_by(|a, b| group[*a].final_regret.mean.total_cmp(&group[*b].final_regret.mean));
    order
}

/// A theorem's promise about a policy of a group.
struct Theorem {
    policy: usize,
    bound: f64,
    /// Whether it is below the largest regret there can be.
    says_something: bool,
}

fn theorems(played: &Played, world: usize, group: &[PolicyResult]) -> Vec<Theorem> {
    let known = &played.plan.worlds()[world];
    let most = bounds::largest(known) * group[0].horizon as f64;
    let theorem = |(policy, result)| {
        let bound = bounds::upper(known, &played.results.experiment.policies[policy], result)?;
        Some(Theorem { policy, bound, says_something: bound < most })
    };
    group.iter().enumerate().filter_map(theorem).collect()
}

/// What the logarithmic picture shows of the theorems.
fn theorems_line(played: &Played, world: usize, group: &[PolicyResult]) -> String {
    let (drawn, silent): (Vec<_>, Vec<_>) =
        theorems(played, world, group).into_iter().partition(|theorem| theorem.says_something);
    let names = |list: &[Theorem]| {
        list.iter().map(|theorem| group[theorem.policy].label.as_str()).collect::<Vec<_>>().join(", ")
    };
    let mut out = String::new();
    if !drawn.is_empty() {
        out += " Dots at T, in the colours of their policies, are the theorems’ upper bounds with the constants of their proofs.";
    }
    if !silent.is_empty() {
        out += &format!(
            " With the constants of its proof the upper bound for {} is above the largest regret there can be here, and not drawn.",
            names(&silent)
        );
    }
    out
}

/// The paper's d, where the lower bound applies.
fn hard_dimension(played: &Played, world: usize) -> Option<usize> {
    let experiment = &played.results.experiment;
    match experiment.environments[world / experiment.horizons.len()] {
        EnvironmentConfig::Hard { d, .. } => Some(d as usize),
        _ => None,
    }
}

/// The page.
pub(crate) fn page(title: &str, played: &[&Played], extra: &str) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\"><title>borduel: {0}</title><style>{1}{2}</style>\
         <main><header><h1>{0}</h1><p>Which item is best, when all one can ask is “this one or that one?” \
         Regret of a round is 2B(i*) − B(i) − B(j), with B the Borda score: an item’s chance to beat a random one.</p></header>",
        escape(title),
        include_str!("report/style.css"),
        chart::css()
    );
    if played.iter().any(|p| p.simulated()) {
        out += "<p class=\"warning\">The crowd in this report is simulated. Its votes are not real data.</p>";
    }
    out += extra;
    for played in played {
        for (world, (first, group)) in played.groups().enumerate() {
            section(&mut out, played, world, first, group);
        }
    }
    out += &again(played);
    out + "</main></html>\n"
}

/// One environment and horizon.
fn section(out: &mut String, played: &Played, world: usize, first: usize, group: &[PolicyResult]) {
    // Writing to a string cannot fail, here and below.
    let _ = write!(out, "<section><h2>{}</h2>", escape(&heading(&group[0], played.results.experiment.seed)));
    let curve = |logarithmic| {
        let panels = vec![panel(played, world, group, logarithmic)];
        Figure { panels, description: "Regret over time".to_owned() }.inline()
    };
    let _ = write!(
        out,
        "<figure>{}<figcaption>Mean over runs; the band is one standard deviation.</figcaption></figure>",
        curve(false)
    );
    let _ = write!(
        out,
        "<figure>{}<figcaption>The same, logarithmic, where it is above zero.{}</figcaption></figure>",
        curve(true),
        escape(&theorems_line(played, world, group))
    );
    finals(out, played, first, group);
    settings(out, group);
    let known: &World = &played.plan.worlds()[world];
    instance::section(out, known);
    *out += "</section>";
}

/// Final regrets with paired differences.
fn finals(out: &mut String, played: &Played, first: usize, group: &[PolicyResult]) {
    *out += "<h3>Final regret</h3><div class=\"wide\"><table><tr><th>policy<th>mean<th>± se<th>sd<th>min<th>median<th>max\
             <th>over the best<th>± se<th>found the winner</tr>";
    let order = ranked(group);
    for &index in &order {
        let (result, regret) = (&group[index], &group[index].final_regret);
        let (over, se) = played.difference(first + index, first + order[0]);
        let (over, se) = if index == order[0] { (String::new(), String::new()) } else { (whole(over), whole(se)) };
        let numbers =
            [regret.mean, regret.se, regret.sd, regret.min, regret.median, regret.max].map(whole).join("<td>");
        let found = percent(result.winner_found);
        let _ = write!(out, "<tr><td>{}<td>{numbers}<td>{over}<td>{se}<td>{found}</tr>", escape(&result.label));
    }
    *out += "</table></div><p class=\"small\">“Over the best” is the mean paired difference to the first row: all policies met \
             the same random numbers, so its standard error is that of the differences. “Found the winner” is the share of \
             runs whose last estimate names a true Borda winner.</p>";
}

/// What every policy used.
fn settings(out: &mut String, group: &[PolicyResult]) {
    *out += "<details open><summary>Settings in use</summary><div class=\"wide\"><table>";
    for result in group {
        let all: Vec<String> = result
            .settings
            .iter()
            .map(|(name, value)| {
                let value = match value {
                    borduel::policy::Setting::Number(x) => short(*x),
                    other => other.to_string(),
                };
                let formula = result.clamped.get(name);
                let formula = formula.map_or_else(String::new, |x| format!(" (the formula gives {})", short(*x)));
                format!("<span class=\"pair\">{} = {}{formula}</span>", escape(name), escape(&value))
            })
            .collect();
        let _ = write!(out, "<tr><td>{}<td class=\"left\">{}</tr>", escape(&result.label), all.join(" "));
    }
    *out += "</table></div></details>";
}

/// How to make it again.
fn again(played: &[&Played]) -> String {
    let mut out = format!("<section><h2>Make it again</h2><p>borduel {}</p>", env!("CARGO_PKG_VERSION"));
    let mut commands: Vec<&str> = played.iter().map(|p| p.command.as_str()).collect();
    commands.dedup();
    for command in commands {
        let _ = write!(out, "<pre>{}</pre>", escape(command));
    }
    out += "<p>or, with the file beneath: <code>borduel run experiment.toml</code>. The same version on the same kind of \
            machine gives the same bytes, on any number of cores.</p>";
    for played in played {
        let toml = toml::to_string(&played.results.experiment).unwrap_or_default();
        let name = escape(&played.results.experiment.name);
        let _ =
            write!(out, "<details><summary>experiment.toml of {name}</summary><pre>{}</pre></details>", escape(&toml));
    }
    out + "</section>"
}
