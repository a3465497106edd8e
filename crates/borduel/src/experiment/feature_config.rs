//! Features of items as a user writes them.

use super::sources::Sources;
use crate::environment::glm::{self, Shape};
use crate::environment::hard;
use crate::features::Features;
use crate::stream::Stream;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Features, drawn or given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum FeatureConfig {
    /// A random vector for every pair.
    Pairs {
        /// The number of items, K.
        items: usize,
        /// The dimension of their vectors, d.
        dim: usize,
    },
    /// Differences of random item vectors.
    Differences {
        /// The number of items, K.
        items: usize,
        /// The dimension of their vectors, d.
        dim: usize,
    },
    /// A coordinate of its own for every item.
    OneHot {
        /// The number of items, K.
        items: usize,
    },
    /// Those of the hard instance.
    Hard {
        /// 2^(d+1) items in d+1 dimensions.
        d: u32,
    },
    /// Item vectors, one row an item; scaled if some pair's difference is longer than 1.
    Items {
        /// The vectors x_i, one a row.
        rows: Vec<Vec<f64>>,
    },
    /// Item vectors from a table of this name.
    Table {
        /// The name of the table.
        table: String,
    },
}

impl FeatureConfig {
    /// Refuses sizes that no memory holds.
    pub(super) fn check_size(&self) -> Result<()> {
        match self {
            Self::Pairs { items, dim } => glm::check_size(*items, *dim, Shape::Pairs),
            Self::Differences { items, dim } => glm::check_size(*items, *dim, Shape::Differences),
            Self::OneHot { items } => glm::check_size(*items, 1, Shape::OneHot),
            Self::Hard { .. } | Self::Items { .. } | Self::Table { .. } => Ok(()),
        }
    }

    pub(super) fn build(&self, stream: &mut Stream, sources: &dyn Sources) -> Result<Features> {
        match self {
            Self::Pairs { items, dim } => glm::random_features(*items, *dim, Shape::Pairs, stream),
            Self::Differences { items, dim } => glm::random_features(*items, *dim, Shape::Differences, stream),
            Self::OneHot { items } => Features::one_hot(*items),
            Self::Hard { d } => hard::features(*d),
            Self::Items { rows } => from_rows(rows),
            Self::Table { table } => from_rows(&sources.table(table)?),
        }
    }
}

fn from_rows(rows: &[Vec<f64>]) -> Result<Features> {
    let dim = rows.first().map_or(0, Vec::len);
    if let Some((i, row)) = rows.iter().enumerate().find(|(_, row)| row.len() != dim) {
        return Err(Error::Data(format!("item {i} has {} features, item 0 has {dim}", row.len())));
    }
    Features::differences_scaled(rows.len(), dim, &rows.concat())
}
