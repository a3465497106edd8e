//! The part of a report about the truth: preference matrix as heat maps, Borda scores, the winner and its gap.

use crate::output::chart::{Figure, Panel, Series, heat_map};
use crate::output::numbers::{short, whole};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use borduel::Duel;
use borduel::environment::Environment;
use borduel::experiment::World;
use std::fmt::Write;

/// More items than this are thinned out in pictures.
const MOST_PIXELS: usize = 512;

/// Heat maps, scores, gap.
pub(super) fn section(out: &mut String, world: &World) {
    match world {
        World::Fixed { environment, .. } => describe(out, environment.as_ref(), false),
        World::Adversarial { environment, .. } => describe(out, environment.as_ref(), true),
        // The list of worlds may grow; one without a picture has none.
        _ => {}
    }
}

fn describe(out: &mut String, environment: &impl Environment, changes: bool) {
    let items = environment.problem().items();
    let scores: Vec<f64> = (0..items).map(|arm| environment.score(1, arm)).collect();
    let mut order: Vec<usize> = (0..items).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    let when = if changes { ", in the first round" } else { "" };
    // Writing to a string cannot fail, here and below.
    let _ = write!(out, "<h3>The instance{when}</h3><p>{}</p>", facts(environment, &scores, &order, changes));
    let plain: Vec<usize> = (0..items).collect();
    *out += "<div class=\"maps\">";
    for (list, caption) in [(&plain, "in the order of items"), (&order, "in the order of Borda scores")] {
        let every = items.div_ceil(MOST_PIXELS);
        let shown: Vec<usize> = list.iter().copied().step_by(every).collect();
        let cell =
            |row: u32, column: u32| environment.probability(1, Duel(shown[row as usize], shown[column as usize]));
        let Some(png) = heat_map(shown.len() as u32, cell) else { continue };
        let thinned = if every > 1 { format!(" (every {every}th item)") } else { String::new() };
        let _ = write!(
            out,
            "<figure><img alt=\"Preference matrix {caption}\" src=\"data:image/png;base64,{}\"><figcaption>p(row beats \
             column) {caption}{thinned}</figcaption></figure>",
            STANDARD.encode(png)
        );
    }
    *out += "</div><p class=\"small legend\"><span class=\"key low\"></span> 0 <span class=\"key even\"></span> ½ \
             <span class=\"key high\"></span> 1: the chance that the row’s item is preferred to the column’s.</p>";
    let points = order.iter().enumerate().map(|(rank, arm)| (rank as f64 + 1.0, scores[*arm])).collect();
    let series =
        vec![Series { label: "Borda score".to_owned(), points, band: Vec::new(), style: Some(0), dots: items <= 200 }];
    let panel = Panel {
        title: format!("Borda scores, best first{when}"),
        x: "rank".to_owned(),
        y: "B(i)".to_owned(),
        logarithmic: false,
        series,
        note: String::new(),
    };
    let figure = Figure { panels: vec![panel], description: "Borda scores, best first".to_owned() };
    let _ = write!(out, "<details><summary>Borda scores</summary><figure>{}</figure></details>", figure.inline());
}

/// The instance in words.
fn facts(environment: &impl Environment, scores: &[f64], order: &[usize], changes: bool) -> String {
    let problem = environment.problem();
    let features = problem.features();
    let mut out = format!(
        "{} items, features of rank {} with {} different vectors, {} link, λ₀ = {}. ",
        whole(problem.items() as f64),
        problem.dim(),
        whole(features.distinct() as f64),
        format!("{:?}", problem.link()).to_lowercase(),
        short(features.lambda0())
    );
    let winners = environment.winners();
    let names: Vec<String> = winners.iter().take(5).map(ToString::to_string).collect();
    let more = if winners.len() > 5 { " …" } else { "" };
    if changes {
        let _ = write!(out, "Best in hindsight, over the whole horizon: item {}{more}.", names.join(", "));
    } else {
        let best = scores[order[0]];
        let next = order.iter().map(|arm| scores[*arm]).find(|score| *score < best - 1e-12);
        let _ = write!(out, "Borda winner: item {}{more}, with a score of {}. ", names.join(", "), short(best));
        if let Some(next) = next {
            let _ = write!(out, "The next best score is {}: a gap of {}.", short(next), short(best - next));
        }
    }
    out
}
