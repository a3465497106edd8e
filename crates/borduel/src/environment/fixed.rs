//! An environment that never changes: fixed probabilities, their Borda scores, and a problem to go with them.

use super::Environment;
use crate::Link;
use crate::borda::Borda;
use crate::duel::{Arm, Duel};
use crate::features::{Features, Projection};
use crate::problem::Problem;
use crate::{Error, Result};

/// An environment whose preference probabilities never change.
#[derive(Debug, Clone)]
pub struct Fixed {
    problem: Problem,
    truth: Truth,
    borda: Borda,
    /// u of every item, in a model of differences.
    utilities: Option<Vec<f64>>,
}

/// Where the probabilities are.
#[derive(Debug, Clone)]
enum Truth {
    /// p(i,j), row by row.
    Table(Vec<f64>),
    /// ⟨φ, θ⟩ of every distinct vector or item, for more items than a table should hold.
    Scores(Projection),
}

/// Up to this many items the probabilities are kept in a table (of 8 MB).
const TABLE: usize = 1024;

impl Fixed {
    /// p(i,j) = μ(⟨φ(i,j), θ⟩), θ in the basis of the features' span. A p outside [0, 1] is refused with its pair.
    pub fn from_model(problem: Problem, theta: &[f64]) -> Result<Self> {
        let features = problem.features();
        if features.dim() == 0 {
            return Err(Error::RankZero);
        }
        if theta.len() != features.dim() {
            return Err(Error::Shape {
                what: "θ",
                shape: "the rank of the features".to_owned(),
                expected: features.dim(),
                found: theta.len(),
            });
        }
        for (c, x) in theta.iter().enumerate() {
            if !x.is_finite() {
                return Err(Error::NotFinite { what: format!("θ[{c}]"), value: *x });
            }
        }
        check_probabilities(features, problem.link(), theta, "")?;
        let projection = features.project(theta);
        let borda = Borda::from_model(features, problem.link(), theta);
        let utilities = features.utilities(&projection).map(<[f64]>::to_vec);
        let k = features.items();
        let truth = if k <= TABLE {
            let p = |cell: usize| problem.link().mu(features.score(&projection, Duel(cell / k, cell % k)));
            Truth::Table((0..k * k).map(p).collect())
        } else {
            Truth::Scores(projection)
        };
        Ok(Self { problem, truth, borda, utilities })
    }

    /// Any preference matrix, row by row; the problem's model may be wrong about it.
    pub fn from_matrix(problem: Problem, matrix: Vec<f64>) -> Result<Self> {
        let borda = Borda::from_matrix(problem.items(), &matrix)?;
        Ok(Self { problem, truth: Truth::Table(matrix), borda, utilities: None })
    }

    /// The Borda scores of the items.
    pub fn borda(&self) -> &Borda {
        &self.borda
    }

    /// The same truth, in which p(i,j) rises with u(i) − u(j) of these utilities.
    pub(super) fn with_utilities(self, utilities: Vec<f64>) -> Self {
        Self { utilities: Some(utilities), ..self }
    }

    /// The same truth, of which a policy may know this.
    pub(super) fn with_problem(self, problem: Problem) -> Self {
        Self { problem, ..self }
    }

    /// The same truth with another horizon.
    pub fn with_horizon(mut self, horizon: u64) -> Result<Self> {
        self.problem = self.problem.with_horizon(horizon)?;
        Ok(self)
    }
}

/// Refuses a model in which some pair's p lies outside [0, 1], as only the linear link can produce.
pub(super) fn check_probabilities(features: &Features, link: Link, theta: &[f64], when: &str) -> Result<()> {
    if link != Link::Linear {
        return Ok(());
    }
    let projection = features.project(theta);
    // The pair with the largest score: of differences, the two extreme items; of a dictionary, any pair of the slot.
    let extreme = if let Some(utilities) = features.utilities(&projection) {
        let by = |a: &Arm, b: &Arm| utilities[*a].total_cmp(&utilities[*b]);
        let (high, low) = ((0..utilities.len()).max_by(by), (0..utilities.len()).min_by(by));
        high.zip(low).map(|(i, j)| Duel(i, j))
    } else {
        let size = |s: &usize| features.slot_score(&projection, *s).abs();
        let slot = (0..features.distinct()).max_by(|a, b| size(a).total_cmp(&size(b)));
        slot.and_then(|slot| features.pairs_of(&[slot])[0].first().copied())
    };
    let Some(Duel(i, j)) = extreme else {
        return Ok(());
    };
    let probability = link.mu(features.score(&projection, Duel(i, j)));
    // What rounding of a score of ±½ leaves is forgiven.
    if (-1e-12..=1.0 + 1e-12).contains(&probability) {
        Ok(())
    } else {
        Err(Error::NotAProbability { i, j, probability, when: when.to_owned() })
    }
}

impl Environment for Fixed {
    #[inline]
    fn problem(&self) -> &Problem {
        &self.problem
    }

    #[inline]
    fn probability(&self, _: u64, duel: Duel) -> f64 {
        match &self.truth {
            Truth::Table(table) => table[duel.0 * self.problem.items() + duel.1],
            Truth::Scores(scores) => self.problem.link().mu(self.problem.features().score(scores, duel)),
        }
    }

    fn scores(&self, _: u64) -> Vec<f64> {
        self.borda.scores().to_vec()
    }

    fn utilities(&self) -> Option<Vec<f64>> {
        self.utilities.clone()
    }

    fn table(&self) -> Option<&[f64]> {
        match &self.truth {
            Truth::Table(table) => Some(table),
            Truth::Scores(_) => None,
        }
    }
}
