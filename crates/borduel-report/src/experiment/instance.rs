//! The part of a report about the truth: preference matrix as heat maps, Borda scores, the winner and its gap.

use crate::numbers::{grouped, short};
use crate::picture::{heat_map, painted};
use crate::{Figure, Panel, Series, plain};
use borduel::environment::Environment;
use borduel::experiment::World;
use borduel::facts::Facts;
use borduel::judge::moved;
use borduel::theory;
use borduel::{Borda, Duel, Judge, Notion};
use maud::{Markup, html};
use std::fmt::Write;

/// More items than this are thinned out in pictures.
const MOST_PIXELS: usize = 512;

/// Heat maps, scores, gap; with the constant of Graves and Lai under the model, where it is known.
pub(super) fn section(world: &World, constant: Option<f64>) -> Markup {
    let (environment, changes) = (world.environment(), world.changes());
    let items = environment.problem().items();
    // As everywhere before people: over the other items.
    let scores = Borda::from_scores(environment.scores(1)).over_others();
    let mut order: Vec<usize> = (0..items).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    let when = match (environment.contexts(), changes) {
        (Some(_), _) => ", averaged over contexts",
        (None, true) => ", in the first round",
        (None, false) => "",
    };
    let plain_order: Vec<usize> = (0..items).collect();
    html! {
        h3 { "The instance" (when) }
        p { (plain(&facts(world, &scores, &order))) }
        @for line in notions(world).into_iter().chain(in_the_long_run(world, constant)) { p { (plain(&line)) } }
        div.maps {
            (map(environment, &plain_order, "in the order of items"))
            (map(environment, &order, "in the order of Borda scores"))
        }
        p.small.legend {
            span.key.low {} " 0 " span.key.even {} " ½ " span.key.high {}
            " 1: the chance that the row’s item is preferred to the column’s."
        }
        details {
            summary { "Borda scores" }
            figure { (super::drawn(&curve(&scores, &order, when))) }
        }
    }
}

/// The preference matrix of the first round as PNG, in the order of items, with its scale beneath: blue where the row's
/// is preferred, orange where the column's is.
pub fn matrix(environment: &dyn Environment) -> Option<Vec<u8>> {
    let items = environment.problem().items();
    let item = |share: f64| (share * items as f64) as usize;
    let map = |y: f64, x: f64| environment.probability(1, Duel(item(y), item(x)));
    painted(&frame(), &[(MAP, &map), (SCALE, &|_, x| x)]).ok()
}

/// Where the matrix and its scale are.
const MAP: [u32; 4] = [10, 10, 400, 400];
const SCALE: [u32; 4] = [10, 422, 400, 14];

/// What stands around a heat map: its edge, and what its colours mean.
fn frame() -> String {
    let words = |x: u32, anchor: &str, text: &str| {
        html! { text x=(x) y="452" text-anchor=(anchor) fill="#24272e" { (text) } }
    };
    html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 420 482" width="420" height="482" font-family="Noto Sans"
            font-size="13" {
            rect width="420" height="482" fill="#ffffff" {}
            rect x="9.5" y="9.5" width="401" height="401" fill="none" stroke="#9aa1ad" {}
            (words(10, "start", "0")) (words(210, "middle", "½")) (words(410, "end", "1"))
            text x="210" y="472" text-anchor="middle" fill="#24272e" {
                "the chance that the row’s item is preferred to the column’s"
            }
        }
    }
    .into_string()
}

/// The preference matrix as pixels.
fn map(environment: &dyn Environment, order: &[usize], caption: &str) -> Markup {
    let every = order.len().div_ceil(MOST_PIXELS);
    let shown: Vec<usize> = order.iter().copied().step_by(every.max(1)).collect();
    let cell = |row: u32, column: u32| environment.probability(1, Duel(shown[row as usize], shown[column as usize]));
    let size = shown.len() as u32;
    let png = heat_map(size, cell).map(|png| crate::embedded("image/png", &png));
    html! {
        @if let Some(source) = png {
            figure {
                img alt=(format!("Preference matrix {caption}")) src=(source);
                figcaption {
                    "p(row beats column) " (caption)
                    @if every > 1 { " (every " (every) "th item)" }
                }
            }
        }
    }
}

/// The scores from the best to the worst.
fn curve(scores: &[f64], order: &[usize], when: &str) -> Figure {
    let points = order.iter().enumerate().map(|(rank, arm)| (rank as f64 + 1.0, scores[*arm])).collect();
    let dots = order.len() <= 200;
    let panel = Panel {
        title: format!("Borda scores, best first{when}"),
        x: "rank".to_owned(),
        y: "B(i)".to_owned(),
        logarithmic: false,
        series: vec![Series { label: "Borda score".to_owned(), points, band: Vec::new(), style: Some(0), dots }],
        note: String::new(),
    };
    Figure { panels: vec![panel], description: "Borda scores, best first".to_owned() }
}

/// Who is best in the other notions, in words.
fn notions(world: &World) -> Vec<String> {
    let Some(facts) = Facts::of(world.environment()) else { return Vec::new() };
    let names = |items: &[usize]| {
        let names: Vec<String> = items.iter().take(5).map(ToString::to_string).collect();
        format!("{}{}", names.join(", "), if items.len() > 5 { " …" } else { "" })
    };
    let mut line = match (&facts.condorcet, facts.least_lead) {
        (Ok(winner), Some(lead)) => {
            format!("Condorcet winner: item {winner}, which beats everybody with at least ½ + {}. ", short(lead))
        }
        (Ok(winner), None) => format!("Condorcet winner: item {winner}. "),
        (Err(why), _) => format!("No Condorcet winner: {why}. "),
    };
    // Writing to a string cannot fail, here and below.
    let _ = write!(line, "Copeland winner: item {}. ", names(&facts.copeland));
    if let Some(best) = &facts.utility {
        let _ = write!(line, "Largest utility: item {}. ", names(best));
    }
    let holds = if facts.transitive { "holds" } else { "does not hold" };
    let _ = write!(line, "Strong stochastic transitivity {holds}.");
    let mut lines = vec![line];
    if let (Some(bound), Some(horizon)) = (facts.lower_bound, world.problem().horizon()) {
        lines.push(format!(
            "No consistent policy has less condorcet regret than {} log T in the long run (Komiyama et al. 2015), \
             which here is {}.",
            short(bound),
            short(bound * (horizon as f64).ln())
        ));
    }
    if let Some(order) = world.order() {
        lines.push(format!("Items were shuffled: in the order of the literature they are {}.", order_text(order)));
    }
    lines
}

/// What nobody can undercut in Borda regret: with the model, and without any.
fn in_the_long_run(world: &World, with_model: Option<f64>) -> Option<String> {
    let log = (world.problem().horizon()? as f64).ln();
    let amount = |constant: f64| format!("{} log T, which here is {}", short(constant), short(constant * log));
    let without = theory::graves_lai_without_model(world.environment()).map(amount);
    let with = with_model.map(amount);
    let line = match (without, with) {
        (None, None) => return None,
        (Some(without), None) => {
            format!("No policy that has little Borda regret on every matrix has less on this one than {without}.")
        }
        (None, Some(with)) => format!(
            "No policy that has little Borda regret on every instance of the model has less on this one than {with}."
        ),
        (Some(without), Some(with)) => format!(
            "No policy that has little Borda regret on every matrix has less on this one than {without}; \
             of those that rely on the model, none less than {with}."
        ),
    };
    Some(format!("{line} This is for large T (Graves and Lai 1997)."))
}

/// Up to 20 items.
fn order_text(order: &[usize]) -> String {
    let names: Vec<String> = order.iter().take(20).map(ToString::to_string).collect();
    format!("{}{}", names.join(", "), if order.len() > 20 { " …" } else { "" })
}

/// The instance in words.
fn facts(world: &World, scores: &[f64], order: &[usize]) -> String {
    let (problem, changes) = (world.problem(), world.changes());
    let features = problem.features();
    let mut out = format!("{} items, ", grouped(problem.items() as f64));
    let _ = match problem.dim() {
        0 => write!(out, "no features. "),
        dim => write!(
            out,
            "features of rank {dim} with {} different vectors, {} link, λ₀ = {}. ",
            grouped(features.distinct() as f64),
            format!("{:?}", problem.link()).to_lowercase(),
            short(features.lambda0())
        ),
    };
    if let Some(law) = world.environment().contexts() {
        let contexts = grouped(law.members().len() as f64);
        let _ = if law.is_drawn() {
            write!(
                out,
                "A new context comes up in every round, and items have other vectors in it; \
                 below is the average over {contexts} such contexts."
            )
        } else {
            write!(
                out,
                "One of {contexts} contexts comes up in every round, and items have other vectors in each; \
                 below is their average."
            )
        };
        return out;
    }
    // Where preferences change, the judge of Borda regret knows who is best over time.
    let over_time = || Judge::new(Notion::Borda, world.environment()).map(|judge| judge.winners().to_vec());
    let winners = if changes { over_time().unwrap_or_default() } else { Borda::from_scores(scores.to_vec()).winners() };
    let names: Vec<String> = winners.iter().take(5).map(ToString::to_string).collect();
    let more = if winners.len() > 5 { " …" } else { "" };
    if changes {
        let _ = write!(out, "Best in hindsight, over the whole horizon: item {}{more}.", names.join(", "));
        if let Ok(constant) = moved(world.environment()) {
            let constant = grouped(constant);
            let _ = write!(
                out,
                " Whoever follows every change loses {constant} less than it: \
                 `borda-dynamic` regret is `borda` regret plus that."
            );
        }
    } else {
        let best = scores[order[0]];
        let next = order.iter().map(|arm| scores[*arm]).find(|score| *score < best - 1e-12);
        let _ = write!(out, "Borda winner: item {}{more}, with a score of {}. ", names.join(", "), short(best));
        if let Some(next) = next {
            let _ = write!(
                out,
                "The next best score is {}: a gap of {}, or Δ = {} over all items, as the paper counts.",
                short(next),
                short(best - next),
                short((best - next) * (1.0 - 1.0 / scores.len() as f64))
            );
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use borduel::Link;
    use borduel::experiment::{EnvironmentConfig, NoSources};
    use tiny_skia::Pixmap;

    #[test]
    fn a_matrix_is_drawn_with_its_scale() {
        let rows = [vec![0.5, 1.0], vec![0.0, 0.5]];
        let world = borduel::environment::matrix::matrix(&rows, None, Link::Logistic, Some(10)).unwrap();
        let picture = Pixmap::decode_png(&matrix(&world).unwrap()).unwrap();
        let at = |x: u32, y: u32| {
            let pixel = picture.pixel(2 * x, 2 * y).unwrap();
            [pixel.red(), pixel.green(), pixel.blue()]
        };
        let (blue, orange, white) = ([8, 81, 156], [179, 88, 6], [255; 3]);
        assert_eq!([at(110, 110), at(310, 110), at(110, 310)], [white, blue, orange]);
        assert_eq!([at(10, 430), at(210, 430)], [orange, white]);
    }

    /// Both constants stand in one sentence, each times log T; where one is not known, the other alone.
    #[test]
    fn what_no_policy_can_do_better_than_is_said_with_and_without_the_model() {
        // p(0, 1) = 0.8, T = e^10 but for rounding.
        let rows = Some(vec![vec![0.5, 0.8], vec![0.2, 0.5]]);
        let matrix = EnvironmentConfig::Matrix { rows, table: None, link: Link::Logistic, features: None };
        let world = matrix.build(1, 22_026, &[Notion::Borda], &NoSources).unwrap();
        let without = theory::graves_lai_without_model(world.environment()).unwrap();
        let alone = in_the_long_run(&world, None).unwrap();
        let first = format!("on every matrix has less on this one than {} log T, which here is ", short(without));
        assert!(alone.contains(&first) && !alone.contains("model"), "{alone}");
        let both = in_the_long_run(&world, Some(2.0)).unwrap();
        let second = "; of those that rely on the model, none less than 2 log T, which here is 20.";
        assert!(both.contains(&first) && both.contains(second), "{both}");
        assert!(both.ends_with("This is for large T (Graves and Lai 1997)."), "{both}");
    }
}
