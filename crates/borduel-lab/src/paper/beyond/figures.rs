//! The figures: without a horizon, with late answers, in batches, and how regret is distributed over runs.

use super::{ANYTIME, BATCH, DELAY, ENDLESS, LATE, REGRET, find, instance, series};
use crate::experiment::played::Played;
use borduel_report::experiment::styles;
use borduel_report::numbers::grouped;
use borduel_report::{Figure, Panel, Series};

fn line(label: String, points: Vec<(f64, f64)>, style: Option<usize>, dots: bool) -> Series {
    Series { label, points, band: Vec::new(), style, dots }
}

fn panel(title: String, x: &str, y: &str, series: Vec<Series>) -> Panel {
    Panel { title, x: x.to_owned(), y: y.to_owned(), logarithmic: true, series, note: String::new() }
}

/// Regret at t without a horizon over that of the policy that knew t.
pub(super) fn anytime(played: &[&Played]) -> Figure {
    let mut panels = Vec::new();
    if let Some(played) = find(played, ANYTIME) {
        let ratios = |index: usize| {
            let at = |(_, group): (usize, &[borduel::experiment::PolicyResult])| {
                let mean = |i: usize| group[i].final_regret.mean;
                (group[0].horizon as f64, mean(2 * index + 1) / mean(2 * index))
            };
            played.results.groups().map(at).collect::<Vec<_>>()
        };
        let mut list: Vec<Series> = ENDLESS
            .iter()
            .zip(styles(ENDLESS.iter().map(|(name, ..)| *name)))
            .enumerate()
            .map(|(index, ((name, method, _), style))| {
                let how = if method.is_some() { "doubling" } else { "own way" };
                line(format!("{name}, {how}"), ratios(index), Some(style), true)
            })
            .collect();
        let ends: Vec<f64> = played.results.groups().map(|(_, group)| group[0].horizon as f64).collect();
        for most in [2.0, 3.0] {
            list.push(line(format!("{most} times"), ends.iter().map(|t| (*t, most)).collect(), None, false));
        }
        let title = format!("Hard case, d = 6: without a horizon ({} runs)", played.results.experiment.runs);
        panels.push(panel(title, "round t", "regret over that of the policy that knew t", list));
    }
    Figure { panels, description: "Regret without a horizon, relative to knowing it".to_owned() }
}

/// Final regret of every policy against the longest delay.
pub(super) fn delay(played: &[&Played]) -> Figure {
    let mut panels = Vec::new();
    if let Some(first) = find(played, &format!("{DELAY}-0")) {
        let styles = styles(first.results.policies.iter().map(|result| result.policy.as_str()));
        let own = |(index, result): (usize, &borduel::experiment::PolicyResult)| {
            // No delay is drawn at 1, since the axis is logarithmic.
            let points: Vec<(f64, f64)> =
                series(played, DELAY, index, 0).into_iter().map(|(x, y, _)| (x.max(1.0), y)).collect();
            let last = points.last().map_or(f64::NAN, |p| p.1);
            line(format!("{}: {}", result.label, grouped(last)), points, Some(styles[index]), true)
        };
        let list = first.results.policies.iter().enumerate().map(own).collect();
        let horizon = grouped(first.results.experiment.horizons[0] as f64);
        let title = format!("Hard case, d = 6, T = {horizon}: late answers ({} runs)", first.results.experiment.runs);
        let x = "answers late by up to so many rounds (1: at once)";
        panels.push(panel(title, x, "final regret, mean", list));
    }
    Figure { panels, description: "Final regret of every policy against the delay of answers".to_owned() }
}

/// Regret of the adaptive policy in batches, beside what is allowed.
pub(super) fn batches(played: &[&Played]) -> Figure {
    let points = series(played, BATCH, 0, 1);
    let mut panels = Vec::new();
    if let (Some(alone), Some(first)) = (points.first().copied(), find(played, &format!("{BATCH}-1"))) {
        let allowed = [1].into_iter().chain(LATE).map(|n| (n as f64, 1.3 * alone.1 + 0.5 * n as f64)).collect();
        let (band, own) = points.iter().map(|(x, y, se)| (2.0 * se, (*x, *y))).unzip();
        let own =
            Series { band, ..line("betc-glm-adaptive".to_owned(), own, styles(["betc-glm-adaptive"]).pop(), true) };
        let list = vec![own, line("1.3 × one at a time + n/2".to_owned(), allowed, None, false)];
        let horizon = grouped(first.results.experiment.horizons[0] as f64);
        let title =
            format!("Hard case, d = 6, T = {horizon}: n questions at once ({} runs)", first.results.experiment.runs);
        panels.push(panel(title, "questions asked together, n", "final regret, mean ± 2 standard errors", list));
    }
    Figure { panels, description: "Final regret of the adaptive policy against the size of batches".to_owned() }
}

/// The share of runs with more than a regret, for every instance of the first table.
pub(super) fn distribution(played: &[&Played]) -> Figure {
    let mut panels = Vec::new();
    if let Some(played) = find(played, REGRET) {
        let list = played.results.groups().enumerate().filter_map(|(index, (_, group))| {
            let mut finals = group.last()?.final_regrets.clone();
            finals.sort_by(f64::total_cmp);
            let n = finals.len() as f64;
            let points = finals.iter().enumerate().map(|(k, x)| (*x, (n - k as f64) / n)).collect();
            Some(line(instance(&group[0]), points, Some(index), false))
        });
        let title = format!("betc-glm-adaptive: the distribution over {} runs", played.results.experiment.runs);
        panels.push(panel(title, "final regret x", "share of runs with at least x", list.collect()));
    }
    Figure { panels, description: "Distribution of the final regret of the adaptive policy over runs".to_owned() }
}
