//! A world drawn at random: how many items, rounds and features, which link, how far apart, and what the features miss.

use borduel::environment::fixed::Fixed;
use borduel::environment::glm::{Shape, random_features};
use borduel::{AnyEnvironment, Arena, Duel, Features, Link, Problem, Result, Stream, stream};

/// What the features miss, half of all worlds nothing.
pub(super) const KINDS: [&str; 5] =
    ["the model fits", "a direction is missing", "item effects", "pair effects", "useless features"];

/// The fewest rounds.
const FEWEST: f64 = 100.0;

/// A world and what to call it.
pub(super) struct World {
    pub(super) name: String,
    pub(super) kind: &'static str,
    pub(super) horizon: u64,
    pub(super) arena: Arena<AnyEnvironment>,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Between two numbers, uniform in its logarithm.
fn between(stream: &mut Stream, low: f64, high: f64) -> f64 {
    low * (high / low).powf(stream.uniform())
}

/// ⟨φ(i,j), θ⟩ of all pairs, row by row.
struct Scores {
    items: usize,
    cells: Vec<f64>,
}

impl Scores {
    fn new(items: usize, score: impl Fn(usize, usize) -> f64) -> Self {
        Self { items, cells: (0..items * items).map(|cell| score(cell / items, cell % items)).collect() }
    }

    fn of_utilities(utilities: &[f64]) -> Self {
        Self::new(utilities.len(), |i, j| utilities[i] - utilities[j])
    }

    /// The root of the mean square of all pairs of different items.
    fn spread(&self) -> f64 {
        let squares = self.cells.iter().map(|x| x * x).sum::<f64>();
        (squares / (self.items * (self.items - 1)) as f64).sqrt()
    }

    fn largest(&self) -> f64 {
        self.cells.iter().fold(f64::MIN_POSITIVE, |most, x| most.max(x.abs()))
    }
}

/// World number `at` of a seed, with at most `most` rounds.
pub(super) fn world(seed: u64, at: u64, most: u64) -> Result<World> {
    let mut s = stream(seed, &[77, at]);
    let horizon = between(&mut s, FEWEST.min(most as f64), most as f64).round() as u64;
    let items = between(&mut s, 2.0, 64.5) as usize;
    let dim = 1 + s.below(8);
    let link = [Link::Logistic, Link::Probit, Link::Linear][s.below(3)];
    let shape = [Shape::Differences, Shape::Pairs, Shape::OneHot][s.below(3)];
    let (low, high) = match link {
        Link::Probit => (0.03, 2.5),
        Link::Linear => (0.0125, 0.45),
        _ => (0.05, 4.0),
    };
    // The largest |⟨φ, θ⟩|.
    let strength = between(&mut s, low, high);
    let kind = s.below(8).saturating_sub(3);
    let size = between(&mut s, 0.1, 2.0);
    // A direction can be missing among those of items alone.
    let (shape, missing) = if kind == 1 { (Shape::Differences, 1 + s.below(2)) } else { (shape, 0) };
    let (features, mut scores) = model(items, dim, missing, shape, &mut s)?;
    disturb(&mut scores, kind, size, &mut s);
    let scale = strength / scores.largest();
    let chances = scores.cells.iter().map(|x| link.mu(x * scale)).collect();
    let missed = if kind > 1 { format!(" (size {size:.2})") } else { String::new() };
    let features_are = match shape {
        Shape::Pairs => format!("pairs, d = {dim}"),
        Shape::Differences => format!("differences, d = {dim}"),
        _ => "one-hot".to_owned(),
    };
    let link_is = format!("{link:?}").to_lowercase();
    let name = format!("K = {items}, {features_are}, {link_is} up to {strength:.2}, {}{missed}", KINDS[kind]);
    let truth = Fixed::from_matrix(Problem::new(features, link, Some(horizon))?, chances)?;
    Ok(World { name, kind: KINDS[kind], horizon, arena: Arena::borda(truth.into())? })
}

/// World number `at` of a family: few features, and a direction missing from them that is as large as all that they
/// explain.
pub(super) fn missing(seed: u64, at: u64, horizon: u64) -> Result<World> {
    let mut s = stream(seed, &[78, at]);
    let (items, dim) = (5 + s.below(26), 1 + s.below(2));
    let strength = between(&mut s, 0.3, 4.0);
    let mut theta: Vec<f64> = (0..dim).map(|_| s.normal()).collect();
    let norm = dot(&theta, &theta).sqrt();
    theta.iter_mut().for_each(|x| *x /= norm);
    theta.push(1.0);
    let (features, scores) = differences(items, dim, &theta, &mut s)?;
    let scale = strength / scores.largest();
    let chances = scores.cells.iter().map(|x| Link::Logistic.mu(x * scale)).collect();
    let truth = Fixed::from_matrix(Problem::new(features, Link::Logistic, Some(horizon))?, chances)?;
    let name = format!("K = {items}, d = {dim}, up to {strength:.2}");
    Ok(World { name, kind: KINDS[1], horizon, arena: Arena::borda(truth.into())? })
}

/// Differences of normal items in the first `dim` directions of θ, and the scores in all of them.
fn differences(items: usize, dim: usize, theta: &[f64], s: &mut Stream) -> Result<(Features, Scores)> {
    let all = theta.len();
    let x: Vec<f64> = (0..items * all).map(|_| s.normal()).collect();
    let utilities: Vec<f64> = x.chunks(all).map(|x| dot(x, theta)).collect();
    let seen: Vec<f64> = x.chunks(all).flat_map(|x| x[..dim].iter().copied()).collect();
    Ok((Features::differences_scaled(items, dim, &seen)?, Scores::of_utilities(&utilities)))
}

/// Random features, without the last `missing` directions of what they are made from, and the scores of a random θ.
fn model(items: usize, dim: usize, missing: usize, shape: Shape, s: &mut Stream) -> Result<(Features, Scores)> {
    let all = dim + missing;
    let theta: Vec<f64> = (0..all).map(|_| s.normal()).collect();
    match shape {
        Shape::Pairs => {
            let features = random_features(items, dim, shape, s)?;
            let scores = Scores::new(items, |i, j| dot(&features.phi(Duel(i, j)), &theta));
            Ok((features, scores))
        }
        Shape::Differences => differences(items, dim, &theta, s),
        _ => {
            let utilities: Vec<f64> = (0..items).map(|_| s.normal()).collect();
            Ok((Features::one_hot(items)?, Scores::of_utilities(&utilities)))
        }
    }
}

/// Adds what the features miss: effects of items or pairs, `size` times the spread of what is there; useless features
/// explain nothing.
fn disturb(scores: &mut Scores, kind: usize, size: f64, s: &mut Stream) {
    let (k, sd) = (scores.items, size * scores.spread());
    match kind {
        2 => {
            let effects: Vec<f64> = (0..k).map(|_| sd / 2_f64.sqrt() * s.normal()).collect();
            for (cell, score) in scores.cells.iter_mut().enumerate() {
                *score += effects[cell / k] - effects[cell % k];
            }
        }
        3 | 4 => {
            for (i, j) in (0..k).flat_map(|i| (i + 1..k).map(move |j| (i, j))) {
                let explained = if kind == 4 { 0.0 } else { scores.cells[i * k + j] };
                let score = explained + sd * s.normal();
                scores.cells[i * k + j] = score;
                scores.cells[j * k + i] = -score;
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use borduel::environment::Environment;

    #[test]
    fn worlds_are_of_every_kind_and_the_same_every_time() {
        let all: Vec<World> = (0..60).map(|at| world(1, at, 1000).unwrap()).collect();
        for kind in KINDS {
            assert!(all.iter().any(|world| world.kind == kind), "{kind}");
        }
        for (at, one) in all.iter().enumerate() {
            let again = world(1, at as u64, 1000).unwrap();
            let (truth, k) = (one.arena.environment(), one.arena.problem().items());
            for duel in (0..k * k).map(|cell| Duel(cell / k, cell % k)) {
                let p = truth.probability(1, duel);
                assert_eq!(p, again.arena.environment().probability(1, duel));
                assert!((p + truth.probability(1, Duel(duel.1, duel.0)) - 1.0).abs() < 1e-12, "{}", one.name);
            }
            assert!((100..=1000).contains(&one.horizon));
        }
    }
}
