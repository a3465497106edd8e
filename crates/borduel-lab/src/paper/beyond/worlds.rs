//! The broad set of instances: easy and hard, with features that know everything, something or nothing.

use borduel::environment::crowd::Responses;
use borduel::experiment::{EnvironmentConfig, FeatureConfig};
use borduel::{Link, stream};

/// An instance and what to call it.
pub(super) type NamedWorld = (String, EnvironmentConfig);

/// What a policy may meet, at one horizon.
pub(super) fn broad() -> Vec<NamedWorld> {
    let gaps = [(3, 1.0 / 12.0), (3, 0.01), (3, 0.001), (4, 0.003), (6, 0.01)];
    let mut list: Vec<NamedWorld> = gaps.map(|(d, gap)| hard(d, gap)).into();
    list.extend([(10, 2), (100, 10)].map(|(items, dim)| pairs(items, dim)));
    list.extend([(10, 2), (50, 10), (200, 3)].map(|(items, dim)| differences(items, dim)));
    list.extend([one_hot(10), one_hot(30)]);
    let useless = FeatureConfig::Differences { items: 30, dim: 2 };
    list.push(matrix("noisy order, K = 30, 2 useless features", order(30), Some(useless)));
    let useless = FeatureConfig::Pairs { items: 15, dim: 5 };
    list.push(matrix("p within 0.3, K = 15, 5 useless features", random(15, 0.3), Some(useless)));
    list.push(matrix("p within 0.2, K = 10, one-hot", random(10, 0.2), None));
    list
}

/// Those that take long.
pub(super) fn large() -> Vec<NamedWorld> {
    let gaps = [(8, 1.0 / 32.0), (8, 0.005), (9, 1.0 / 36.0), (9, 0.003)];
    gaps.map(|(d, gap)| hard(d, gap)).into_iter().chain([differences(500, 20)]).collect()
}

/// Those that are played over several horizons.
pub(super) fn few(eventtime: &EnvironmentConfig) -> Vec<NamedWorld> {
    let useless = FeatureConfig::Differences { items: 20, dim: 3 };
    vec![
        ("hard, d = 6, Δ = 0.0417".to_owned(), EnvironmentConfig::Hard { d: 6, gap: None }),
        hard(6, 1.0 / 96.0),
        pairs(20, 3),
        differences(30, 4),
        one_hot(10),
        ("EventTime".to_owned(), eventtime.clone()),
        matrix("any p, K = 20, 3 useless features", random(20, 1.0), Some(useless)),
        matrix("noisy order, K = 15, one-hot", order(15), None),
    ]
}

fn hard(d: u32, gap: f64) -> NamedWorld {
    (format!("hard, d = {d}, Δ = {gap:.4}"), EnvironmentConfig::Hard { d, gap: Some(gap) })
}

fn pairs(items: usize, dim: usize) -> NamedWorld {
    (format!("pairs, K = {items}, d = {dim}"), model(FeatureConfig::Pairs { items, dim }))
}

fn differences(items: usize, dim: usize) -> NamedWorld {
    (format!("differences, K = {items}, d = {dim}"), model(FeatureConfig::Differences { items, dim }))
}

fn one_hot(items: usize) -> NamedWorld {
    (format!("one-hot, K = {items}"), model(FeatureConfig::OneHot { items }))
}

/// The crowd of the paper's real data, EventTime.
pub fn eventtime(votes: Option<String>) -> EnvironmentConfig {
    EnvironmentConfig::Crowd { votes, responses: Responses::Recovered, dim: 5, assignments: 100 }
}

fn model(features: FeatureConfig) -> EnvironmentConfig {
    EnvironmentConfig::Glm { link: Link::Logistic, features, theta: None, theta_norm: None }
}

fn matrix(name: &str, rows: Vec<Vec<f64>>, features: Option<FeatureConfig>) -> NamedWorld {
    let config = EnvironmentConfig::Matrix { rows: Some(rows), table: None, link: Link::Logistic, features };
    (format!("matrix: {name}"), config)
}

/// Every p(i,j), i < j, uniform over an interval of this width around ½.
fn random(items: usize, width: f64) -> Vec<Vec<f64>> {
    antisymmetric(items, |u| 0.5 + width * (u - 0.5))
}

/// A noisy order: who stands before is preferred with a probability that is uniform between ½ and 1.
fn order(items: usize) -> Vec<Vec<f64>> {
    antisymmetric(items, |u| 0.5 + 0.5 * u)
}

fn antisymmetric(items: usize, p: impl Fn(f64) -> f64) -> Vec<Vec<f64>> {
    let mut s = stream(41, &[items as u64]);
    let mut rows = vec![vec![0.5; items]; items];
    for (i, j) in (0..items).flat_map(|i| (i + 1..items).map(move |j| (i, j))) {
        rows[i][j] = p(s.uniform());
        rows[j][i] = 1.0 - rows[i][j];
    }
    rows
}
