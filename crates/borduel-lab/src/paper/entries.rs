//! What was played of a part, put together again: one entry for every policy on every instance and horizon.

use crate::experiment::played::Played;
use borduel::Notion;
use borduel::experiment::{PolicyResult, Summary, World};
use borduel_report::Series;
use borduel_report::numbers::grouped;

/// A policy on an instance over a horizon.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a> {
    pub(super) result: &'a PolicyResult,
    pub(super) world: &'a World,
    played: &'a Played,
    place: usize,
}

impl Entry<'_> {
    /// Regret at the end in this notion, if it was asked for.
    pub(super) fn regret(&self, notion: Notion) -> Option<&Summary> {
        let mut all = self.result.in_every_notion(self.notions());
        all.find(|own| own.regret == notion).map(|own| own.final_regret)
    }

    /// The notions of its experiment.
    pub(super) fn notions(&self) -> &[Notion] {
        &self.played.results.experiment.regrets
    }

    /// Its regret over time as a line on logarithmic axes, where what is not positive has no place.
    pub(super) fn line(&self, style: usize) -> Series {
        let curve = &self.result.curve;
        let points = curve.round.iter().map(|round| *round as f64).zip(curve.mean.iter().copied());
        Series {
            label: format!("{}: {}", self.result.label, grouped(self.result.final_regret.mean)),
            points: points.filter(|(_, regret)| *regret > 0.0).collect(),
            band: Vec::new(),
            style: Some(style),
            dots: false,
        }
    }

    /// All rounds, rested or stepped, over CPU seconds.
    pub(super) fn rate(&self) -> Option<f64> {
        self.played.times.policies[self.place].all_rounds_per_second(self.result.runs)
    }
}

/// Everything of a part.
pub(super) fn entries<'a>(played: &[&'a Played], part: &str) -> Vec<Entry<'a>> {
    let mut list = Vec::new();
    for &played in played {
        let name = &played.results.experiment.name;
        if !name.strip_prefix(part).is_some_and(|rest| rest.starts_with('-')) {
            continue;
        }
        for ((first, group), world) in played.results.groups().zip(played.plan.worlds()) {
            let own = group.iter().enumerate();
            list.extend(own.map(|(index, result)| Entry { result, world, played, place: first + index }));
        }
    }
    list
}

/// Values in the order in which they come, each once.
pub(super) fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut list = Vec::new();
    for value in values {
        if !list.contains(&value) {
            list.push(value);
        }
    }
    list
}
