//! The instances on which dueling bandits are compared, by name: tables of the literature and families of matrices.
//!
//! The literature lists the best item first, so that a rule "of several the lowest" wins by luck. Items are therefore
//! shuffled by the seed of the experiment, unless told otherwise.

mod families;
mod tables;

use super::fixed::Fixed;
use crate::Link;
use crate::duel::Arm;
use crate::features::Features;
use crate::problem::Problem;
use crate::stream::Stream;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// The instances of the literature, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Name {
    /// Six rankers of arXiv's search, by interleaving (Yue, Joachims 2011).
    SixRankers,
    /// One item beats all others by a little, which beat each other in a circle by much (Komiyama et al. 2015).
    Cyclic,
    /// p(i,j) = ½ + 0.05(j − i), K = 8.
    Arithmetic,
    /// Five rankers of the MSLR data with a Condorcet winner (Wu, Liu 2016).
    #[serde(rename = "mslr-5")]
    Mslr5,
    /// p(i,j) = ½ + j/(2K) for 1 ≤ i < j ≤ K (Urvoy et al. 2013).
    Savage,
    /// The Condorcet winner beats all by ε only; the Borda winner beats all others by δ.
    CondorcetNotBorda,
    /// No Condorcet winner: some beat each other in a circle, all of them beat the others.
    CopelandCycle,
    /// Everybody beats the next half of the circle: all are alike, in every notion.
    RockPaperScissors,
    /// Bradley–Terry with normal strengths.
    BradleyTerry,
    /// p(i,j) = v(i)/(v(i) + v(j)) with v(i) = 2⁻ⁱ.
    Geometric,
    /// p(i,j) = ½ + (u(i) − u(j))/2 with u uniform.
    Utility,
    /// Rankings at an exponential distance from one of them.
    Mallows,
    /// p(i,j) uniform, with or without an item that beats all others.
    Random,
    /// Items at the corners of a cube, logistic in their coordinates.
    Cube,
}

/// An instance's name, sizes and parameters. Those that are not the instance's own are refused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Instance {
    /// The name of the instance.
    pub name: Name,
    /// K, where it can be chosen; 10 unless set (3 of rock-paper-scissors).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<usize>,
    /// By how much the Condorcet winner of condorcet-not-borda beats everybody; 0.02 unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epsilon: Option<f64>,
    /// p − ½ of every win in condorcet-not-borda (0.3 unless set), copeland-cycle and rock-paper-scissors (0.1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta: Option<f64>,
    /// The size of the circle of copeland-cycle; 3 unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycle: Option<usize>,
    /// The number of others in copeland-cycle; 6 unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others: Option<usize>,
    /// The standard deviation of strengths in bradley-terry; 1 unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<f64>,
    /// φ of mallows, below 1: the smaller, the closer are the rankings; 0.7 unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phi: Option<f64>,
    /// Whether random has an item that beats all others; not unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condorcet: Option<bool>,
    /// The dimension of the cube; 5 unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub d: Option<u32>,
    /// Whether items are shuffled by the seed.
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    pub shuffle: bool,
}

fn yes() -> bool {
    true
}

/// What an instance is made of, in the literature's order.
struct Listed {
    /// p(i,j), row by row.
    matrix: Vec<f64>,
    /// u of every item, where there is one.
    utilities: Option<Vec<f64>>,
    /// The items' vectors, where they have some: how many numbers each, and all of them.
    vectors: Option<(usize, Vec<f64>)>,
}

impl Listed {
    /// A matrix from p(i,j) for i < j.
    fn new(k: usize, mut p: impl FnMut(Arm, Arm) -> f64) -> Self {
        let mut matrix = vec![0.5; k * k];
        for i in 0..k {
            for j in i + 1..k {
                let p = p(i, j);
                (matrix[i * k + j], matrix[j * k + i]) = (p, 1.0 - p);
            }
        }
        Self { matrix, utilities: None, vectors: None }
    }

    /// A matrix from utilities.
    fn of_utilities(utilities: Vec<f64>, p: impl Fn(f64) -> f64) -> Self {
        let listed = Self::new(utilities.len(), |i, j| p(utilities[i] - utilities[j]));
        Self { utilities: Some(utilities), ..listed }
    }
}

impl Instance {
    /// The instance of this name with its usual sizes.
    pub fn named(name: Name) -> Self {
        Self {
            name,
            items: None,
            epsilon: None,
            delta: None,
            cycle: None,
            others: None,
            spread: None,
            phi: None,
            condorcet: None,
            d: None,
            shuffle: true,
        }
    }

    /// What it is called, with its sizes.
    pub fn label(&self) -> String {
        let name = serde_json::to_value(self.name).ok();
        let name = name.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
        let mut parts = Vec::new();
        if let Ok(serde_json::Value::Object(settings)) = serde_json::to_value(self) {
            parts.extend(settings.iter().filter(|(key, _)| *key != "name").map(|(key, value)| {
                let key = if key == "items" { "K" } else { key };
                format!("{key} = {value}")
            }));
        }
        if parts.is_empty() { name } else { format!("{name} ({})", parts.join(", ")) }
    }

    /// Refuses sizes that no memory holds.
    pub(crate) fn check_size(&self) -> Result<()> {
        let k = self.items.unwrap_or(10).max(self.cycle.unwrap_or(3).saturating_add(self.others.unwrap_or(6)));
        let corners = 1_usize.checked_shl(self.d.unwrap_or(5)).unwrap_or(usize::MAX);
        [k, corners].into_iter().try_for_each(|k| crate::size::numbers(&[k, k]))
    }

    /// The environment, and where each item of the literature's order stands in it.
    pub fn build(&self, horizon: Option<u64>, stream: &mut Stream) -> Result<(Fixed, Vec<Arm>)> {
        self.check_size()?;
        let mut given = self.clone();
        let listed = given.listed(stream)?;
        given.nothing_left()?;
        let k = listed.matrix.len().isqrt();
        let mut place: Vec<Arm> = (0..k).collect();
        if self.shuffle {
            for i in (1..k).rev() {
                place.swap(i, stream.below(i + 1));
            }
        }
        let mut matrix = vec![0.5; k * k];
        for (cell, p) in listed.matrix.iter().enumerate() {
            matrix[place[cell / k] * k + place[cell % k]] = *p;
        }
        let features = match &listed.vectors {
            Some((dim, vectors)) => Features::differences(k, *dim, &placed(vectors, *dim, &place))?,
            None => Features::one_hot(k)?,
        };
        let fixed = Fixed::from_matrix(Problem::new(features, Link::Logistic, horizon)?, matrix)?;
        let fixed = match &listed.utilities {
            Some(utilities) => fixed.with_utilities(placed(utilities, 1, &place)),
            None => fixed,
        };
        Ok((fixed, place))
    }

    /// Refuses settings that belong to another instance: those in use have been taken out.
    fn nothing_left(&self) -> Result<()> {
        let numbers = [("epsilon", self.epsilon), ("delta", self.delta), ("spread", self.spread), ("phi", self.phi)];
        let counts = [("items", self.items), ("cycle", self.cycle), ("others", self.others)];
        let numbers = numbers.into_iter().filter_map(|(name, x)| Some((name, x?.to_string())));
        let counts = counts.into_iter().filter_map(|(name, n)| Some((name, n?.to_string())));
        let flag = self.condorcet.map(|flag| ("condorcet", flag.to_string()));
        let dimension = self.d.map(|d| ("d", d.to_string()));
        match numbers.chain(counts).chain(flag).chain(dimension).next() {
            None => Ok(()),
            Some((name, value)) => {
                let own = Self::named(self.name).label();
                Err(Error::setting(name, value, format!("{own} has no such setting: leave it out")))
            }
        }
    }
}

/// Rows of `width` numbers, each at its place.
fn placed(rows: &[f64], width: usize, place: &[Arm]) -> Vec<f64> {
    let mut out = vec![0.0; rows.len()];
    for (row, place) in rows.chunks_exact(width).zip(place) {
        out[place * width..(place + 1) * width].copy_from_slice(row);
    }
    out
}

#[cfg(test)]
mod tests;
