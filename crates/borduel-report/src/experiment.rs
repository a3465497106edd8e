//! Experiments: the figure of regret over time, and one HTML page that needs nothing else.

mod bounds;
mod figure;
mod instance;
mod theorems;

pub use figure::{BOUND_NOTE, figure, styles};
pub use instance::matrix;

use crate::chart::palette;
use crate::numbers::{grouped, percent, short};
use crate::{Figure, Table, plain};
use borduel::experiment::{EnvironmentConfig, PolicyResult, World};
use borduel::policy::Setting;
use borduel::{Notion, Results, theory};
use figure::{beside, hard_dimension, panel};
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// An experiment that has been run, as a page tells it.
#[derive(Debug, Clone, Copy)]
pub struct Chapter<'a> {
    /// The results of the experiment.
    pub results: &'a Results,
    /// Its instances, in the order of environments and horizons; where they are not at hand, nothing is said about
    /// them.
    pub worlds: &'a [World],
    /// The command that makes it again; may be empty.
    pub command: &'a str,
}

/// A section of a page that is not about a single experiment.
#[derive(Debug, Clone)]
pub struct Section {
    /// The heading of the section.
    pub title: String,
    /// The figure of the section.
    pub figure: Figure,
    /// The table below the figure.
    pub table: Table,
    /// What is said beneath it.
    pub note: String,
}

/// What was played, in one line.
pub fn heading(result: &PolicyResult, seed: u64) -> String {
    let (horizon, runs) = (grouped(result.horizon as f64), result.runs);
    format!("{}: T = {horizon}, {runs} run{}, seed {seed}", result.environment, if runs == 1 { "" } else { "s" })
}

/// The order of mean final regret.
pub fn ranked(group: &[PolicyResult]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..group.len()).collect();
    order.sort_by(|a, b| group[*a].final_regret.mean.total_cmp(&group[*b].final_regret.mean));
    order
}

/// Whether some of the votes in it were made up.
pub fn simulated(results: &Results) -> bool {
    let made_up = |e: &EnvironmentConfig| matches!(e, EnvironmentConfig::Crowd { votes: None, .. });
    results.experiment.environments.iter().any(made_up)
}

/// The page of one experiment or several, with further sections before them.
pub fn page(title: &str, chapters: &[Chapter], sections: &[Section]) -> String {
    let notion = chapters.first().and_then(|chapter| chapter.results.experiment.regrets.first().copied());
    let notion = notion.unwrap_or_default();
    let body = html! {
        header {
            h1 { (plain(title)) }
            p {
                "Which item is best, when all one can ask is “this one or that one?” " (regret_in_words(notion))
            }
        }
        @if chapters.iter().any(|chapter| simulated(chapter.results)) {
            p.warning { "The crowd in this report is simulated. Its votes are not real data." }
        }
        @for section in sections { (extra(section)) }
        @for chapter in chapters {
            @for (first, group) in chapter.results.groups() {
                (section(chapter, first, group))
            }
        }
        (again(chapters))
    };
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "borduel: " (plain(title)) }
                style { (PreEscaped(include_str!("experiment/page.css"))) (PreEscaped(palette::css())) }
            }
            body { main { (body) } }
        }
    };
    page.into_string() + "\n"
}

/// What a round loses in this notion.
fn regret_in_words(notion: Notion) -> &'static str {
    match notion {
        Notion::Borda => {
            "Regret of a round is 2B(i*) − B(i) − B(j), with B the Borda score: an item’s chance to beat a random one."
        }
        Notion::BordaDynamic => {
            "Regret of a round is 2B(i*) − B(i) − B(j), with B the Borda score of that round, an \
             item’s chance to beat a random one, and i* the best item of that round."
        }
        Notion::Condorcet => {
            "Regret of a round is the mean of Δ(i) and Δ(j), with Δ(i) = p(i*, i) − ½ and i* the Condorcet winner, \
             who beats every other item."
        }
        Notion::CondorcetMax => {
            "Regret of a round is the larger of Δ(i) and Δ(j), with Δ(i) = p(i*, i) − ½ and i* the Condorcet winner, \
             who beats every other item."
        }
        Notion::CondorcetMin => {
            "Regret of a round is the smaller of Δ(i) and Δ(j), with Δ(i) = p(i*, i) − ½ and i* the Condorcet winner, \
             who beats every other item."
        }
        Notion::Copeland => {
            "Regret of a round is max C − (C(i) + C(j))/2, with C the Copeland score: the share of other items that \
             an item beats."
        }
        Notion::Utility => "Regret of a round is max u − (u(i) + u(j))/2, with u the items’ utilities.",
        _ => "Regret of a round is by how much it falls short of the best.",
    }
}

fn extra(section: &Section) -> Markup {
    html! {
        section {
            h2 { (plain(&section.title)) }
            figure { (drawn(&section.figure)) }
            (section.table.html())
            p.small { (plain(&section.note)) }
        }
    }
}

/// A figure that is scrolled where the screen is narrower, by keys too.
fn drawn(figure: &Figure) -> Markup {
    html! { div.scroll tabindex="0" role="group" aria-label="Plot" { (figure.inline()) } }
}

/// So many policies are told one by one; the others are in the table.
const TOLD: usize = 8;

/// What curves of regret come to, for those who cannot see them.
fn ends(what: &str, group: &[PolicyResult]) -> String {
    let order = ranked(group);
    let told = |&at: &usize| format!("{} {}", plain(&group[at].label), grouped(group[at].final_regret.mean));
    let told: Vec<String> = order.iter().take(TOLD).map(told).collect();
    let rest = if order.len() > TOLD { format!("; and {} more", order.len() - TOLD) } else { String::new() };
    format!("{what}; at the end, the least first: {}{rest}", told.join("; "))
}

/// One environment and horizon.
fn section(chapter: &Chapter, first: usize, group: &[PolicyResult]) -> Markup {
    let results = chapter.results;
    let world = chapter.worlds.get(group[0].world);
    // What is proved and known of regret is about Borda regret.
    let borda = results.experiment.regrets.first().is_none_or(|notion| *notion == Notion::Borda);
    let judged = world.filter(|_| borda);
    let theorems = judged.map_or_else(Vec::new, |world| theorems::of(world, &results.experiment.policies, group));
    let constant = judged.and_then(|world| theory::graves_lai(world.environment()));
    let curve = |logarithmic: bool| {
        let theorems = logarithmic.then_some(theorems.as_slice());
        let panels = vec![panel(results, group, theorems, constant.filter(|_| logarithmic))];
        let what = if logarithmic { "Regret over time, logarithmic" } else { "Regret over time" };
        drawn(&Figure { panels, description: ends(what, group) })
    };
    html! {
        section {
            h2 { (plain(&heading(&group[0], results.experiment.seed))) }
            figure {
                (curve(false))
                figcaption { "Mean over runs; the band is one standard deviation." }
            }
            figure {
                (curve(true))
                figcaption {
                    "The same, logarithmic, where it is above zero." (plain(&theorems::line(&theorems, group)))
                    (plain(&theorems::too_short(group, hard_dimension(results, group))))
                    (plain(&theorems::linear(group, &results.experiment.regrets)))
                    @if let Some(c) = constant {
                        " The line " (short(c)) " log t is Graves and Lai’s constant of this instance: no policy that \
                         has little regret on every instance of the model has less on this one, for large T."
                    }
                }
            }
            @for (place, notion) in results.experiment.regrets.iter().skip(1).enumerate() {
                figure {
                    (drawn(&Figure {
                        panels: vec![beside(group, place, *notion)],
                        description: format!("{} regret over time", notion.name()),
                    }))
                    figcaption { "The same runs, measured in the notion " (notion.name()) "." }
                }
            }
            h3 { "Final regret" }
            (finals(results, first, group).html())
            p.small {
                "“Over the best” is the mean paired difference to the first row: all policies met the same random \
                 numbers, so its standard error is that of the differences. “Found the winner” is the share of runs \
                 whose last estimate names a true winner, as "
                @match results.experiment.regrets.first().copied().unwrap_or_default() {
                    Notion::Borda => "Borda has it.",
                    Notion::BordaDynamic => "Borda has it in the last round.",
                    notion => { "the notion " (notion.name()) " has it." }
                }
            }
            (settings(group))
            @if let Some(world) = world { (instance::section(world, constant)) }
        }
    }
}

/// Final regrets with paired differences.
fn finals(results: &Results, first: usize, group: &[PolicyResult]) -> Table {
    let heads = ["policy", "mean", "± se", "sd", "min", "median", "max", "over the best", "± se", "found the winner"];
    let mut table = Table::new("", &heads);
    let order = ranked(group);
    for &index in &order {
        let (result, regret) = (&group[index], &group[index].final_regret);
        let (over, se) = results.difference(first + index, first + order[0]);
        let (over, se) = if index == order[0] { (String::new(), String::new()) } else { (grouped(over), grouped(se)) };
        let mut row = vec![result.label.clone()];
        row.extend([regret.mean, regret.se, regret.sd, regret.min, regret.median, regret.max].map(grouped));
        row.extend([over, se, percent(result.winner_found)]);
        table.rows.push(row);
    }
    table
}

/// What every policy used.
fn settings(group: &[PolicyResult]) -> Markup {
    let mut table = Table::new("", &["policy", "settings"]);
    for result in group {
        let pair = |(name, set): (&str, &Setting)| {
            let value = match set {
                Setting::Number(x) => short(*x),
                other => other.to_string(),
            };
            let formula = result.clamped.get(name).map(|x| format!(" (the formula gives {})", short(*x)));
            // No line ends within a setting.
            format!("{name} = {value}{}", formula.unwrap_or_default()).replace(' ', "\u{a0}")
        };
        table.row([result.label.clone(), result.settings.iter().map(pair).collect::<Vec<_>>().join(", ")]);
    }
    html! {
        details open {
            summary { "Settings in use" }
            (table.html())
        }
    }
}

/// How to make it again.
fn again(chapters: &[Chapter]) -> Markup {
    let mut commands: Vec<&str> = chapters.iter().map(|c| c.command).filter(|command| !command.is_empty()).collect();
    commands.dedup();
    html! {
        section {
            h2 { "Make it again" }
            p { "borduel " (env!("CARGO_PKG_VERSION")) }
            @for command in &commands { pre tabindex="0" { (plain(command)) } }
            p {
                @if !commands.is_empty() { "or, with" } @else { "With" }
                " the file beneath: " code { "borduel run experiment.toml" } ". The same version on the same kind of \
                 machine gives the same bytes, on any number of cores."
            }
            @for chapter in chapters {
                details {
                    summary { "experiment.toml of " (plain(&chapter.results.experiment.name)) }
                    pre tabindex="0" { (toml::to_string(&chapter.results.experiment).unwrap_or_default()) }
                }
            }
        }
    }
}
