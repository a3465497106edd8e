//! The document: every table of it from what was played.

use super::worlds::{self, eventtime};
use super::{ANYTIME, BATCH, BROAD, CENTRED, DELAY, ENDLESS, HORIZONS, LARGE, LATE, REGRET, find, instance, series};
use crate::experiment::played::Played;
use borduel::experiment::{PolicyResult, exact_interval};
use borduel_report::Table;
use borduel_report::experiment::simulated;
use borduel_report::numbers::grouped;

/// What surrounds the tables.
const FRAME: &str = include_str!("frame.md");

/// The whole text: the frame, with every table in its place.
pub(super) fn text(played: &[&Played], command: &str) -> String {
    let made_up = played.iter().any(|p| simulated(&p.results));
    let note = if made_up { "> **The crowd on this page is simulated.** No file of votes was given.\n" } else { "" };
    let mut out = FRAME.replace("{command}", command).replace("{version}", env!("CARGO_PKG_VERSION"));
    out = out.replace("{note}", note);
    for (place, table) in [
        ("{regret}", regret(played)),
        ("{broad}", broad(played)),
        ("{anytime}", anytime(played)),
        ("{batches}", batches(played)),
        ("{centred}", centred(played)),
        ("{delay}", delay(played)),
    ] {
        out = out.replace(place, table.trim_end());
    }
    out
}

fn plus_minus(result: &PolicyResult) -> String {
    format!("{} ± {}", grouped(result.final_regret.mean), grouped(result.final_regret.se))
}

fn runs(played: &Played) -> String {
    let experiment = &played.results.experiment;
    format!("{} runs, seed {}.\n\n", grouped(experiment.runs as f64), experiment.seed)
}

/// Means, quantiles and wrong commitments.
fn regret(played: &[&Played]) -> String {
    let Some(played) = find(played, REGRET) else { return String::new() };
    let heads =
        ["instance", "betc-glm", "betc-glm-match", "betc-glm-adaptive", "median", "99 % quantile", "largest", "wrong"];
    let mut table = Table::new("", &heads);
    for (_, group) in played.results.groups() {
        let [glm, matching, adaptive] = group else { continue };
        let mut finals = adaptive.final_regrets.clone();
        finals.sort_by(f64::total_cmp);
        let at = |share: f64| grouped(finals[((finals.len() - 1) as f64 * share).round() as usize]);
        let wrong = ((1.0 - adaptive.winner_found) * adaptive.runs as f64).round() as u64;
        let (low, high) = exact_interval(wrong, adaptive.runs);
        let share = 100.0 * wrong as f64 / adaptive.runs as f64;
        table.row([
            instance(adaptive),
            plus_minus(glm),
            plus_minus(matching),
            plus_minus(adaptive),
            at(0.5),
            at(0.99),
            at(1.0),
            format!("{share:.1} % ({:.1}–{:.1})", 100.0 * low, 100.0 * high),
        ]);
    }
    runs(played) + &table.markdown()
}

/// The adaptive policy against the better of the two others, paired.
fn broad(all: &[&Played]) -> String {
    let Some(first) = find(all, BROAD) else { return String::new() };
    let seed = first.results.experiment.seed;
    let heads =
        ["instance", "T", "runs", "betc-glm", "betc-glm-match", "betc-glm-adaptive", "less the better of the two"];
    let mut table = Table::new("", &heads);
    let mut lost = Vec::new();
    let crowd = eventtime(None);
    for (name, worlds) in [(BROAD, worlds::broad()), (LARGE, worlds::large()), (HORIZONS, worlds::few(&crowd))] {
        let Some(played) = find(all, name) else { continue };
        let horizons = played.results.experiment.horizons.len();
        for (index, (first, group)) in played.results.groups().enumerate() {
            let [glm, matching, adaptive] = group else { continue };
            let instance = &worlds[index / horizons].0;
            let better = usize::from(matching.final_regret.mean < glm.final_regret.mean);
            let (mean, se) = played.results.difference(first + 2, first + better);
            let holds = mean <= 0.1 * group[better].final_regret.mean + 3.0 * se;
            if !holds {
                lost.push(format!("{instance}, T = {}", grouped(adaptive.horizon as f64)));
            }
            table.row([
                instance.clone(),
                grouped(adaptive.horizon as f64),
                adaptive.runs.to_string(),
                grouped(glm.final_regret.mean),
                grouped(matching.final_regret.mean),
                plus_minus(adaptive),
                format!("{} ± {}", grouped(mean), grouped(se)),
            ]);
        }
    }
    let verdict = match lost.as_slice() {
        [] => "It never lost to the better of these two by more than 10 % and three standard errors; other policies \
               were not compared here."
            .to_owned(),
        list => format!(
            "It lost to the better of the two by more than 10 % and three standard errors on: {}.",
            list.join("; ")
        ),
    };
    format!("Seed {seed}.\n\n{}\n{verdict}", table.markdown())
}

/// Regret without a horizon beside that with it.
fn anytime(played: &[&Played]) -> String {
    let Some(played) = find(played, ANYTIME) else { return String::new() };
    let mut table = Table::new("", &["policy", "how", "t", "knew t", "did not", "ratio", "at most"]);
    for (index, (name, method, most)) in ENDLESS.iter().enumerate() {
        for (_, group) in played.results.groups() {
            let (knew, not) = (&group[2 * index], &group[2 * index + 1]);
            let ratio = not.final_regret.mean / knew.final_regret.mean;
            let how = if method.is_some() { "doubling" } else { "own way" };
            let missed = if ratio > *most { " **missed**" } else { "" };
            table.row([
                format!("`{name}`"),
                how.to_owned(),
                grouped(knew.horizon as f64),
                plus_minus(knew),
                plus_minus(not),
                format!("{ratio:.2}"),
                format!("{most}{missed}"),
            ]);
        }
    }
    runs(played) + &table.markdown()
}

fn batches(all: &[&Played]) -> String {
    let points = series(all, BATCH, 0, 1);
    let (Some(alone), Some(first)) = (points.first().copied(), find(all, &format!("{BATCH}-1"))) else {
        return String::new();
    };
    let mut table = Table::new("", &["questions at once", "regret", "allowed"]);
    for (size, mean, se) in points {
        let most = 1.3 * alone.1 + 0.5 * size;
        let missed = if mean > most { " **missed**" } else { "" };
        let allowed = if size > 1.0 { grouped(most) + missed } else { String::new() };
        table.row([grouped(size), format!("{} ± {}", grouped(mean), grouped(se)), allowed]);
    }
    runs(first) + &table.markdown()
}

fn centred(played: &[&Played]) -> String {
    let Some(played) = find(played, CENTRED) else { return String::new() };
    let mut table = Table::new("", &["instance", "bexp3", "bexp3-centred", "centred less plain"]);
    for (first, group) in played.results.groups() {
        let [plain, centred] = group else { continue };
        let (mean, se) = played.results.difference(first + 1, first);
        let less = format!("{} ± {}", grouped(mean), grouped(se));
        table.row([instance(plain), plus_minus(plain), plus_minus(centred), less]);
    }
    runs(played) + &table.markdown()
}

fn delay(all: &[&Played]) -> String {
    let Some(first) = find(all, &format!("{DELAY}-0")) else { return String::new() };
    let mut table = Table::new("", &["policy", "at once"]);
    table.heads.extend(LATE.map(|most| format!("up to {} rounds late", grouped(most as f64))));
    for (index, result) in first.results.policies.iter().enumerate() {
        let regret = |(_, mean, se): (f64, f64, f64)| format!("{} ± {}", grouped(mean), grouped(se));
        let regrets = series(all, DELAY, index, 0).into_iter().map(regret);
        table.row(std::iter::once(format!("`{}`", result.policy)).chain(regrets));
    }
    runs(first) + &table.markdown()
}
