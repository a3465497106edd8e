//! Contexts of which one comes up in every round, as a user writes them.

use super::sources::Sources;
use crate::environment::ContextLaw;
use crate::environment::context_law::VectorLaw;
use crate::environment::fixed::Fixed;
use crate::environment::{glm, hard};
use crate::features::Features;
use crate::problem::Problem;
use crate::stream::Stream;
use crate::{Error, Link, Result, size};
use serde::{Deserialize, Serialize};

/// Contexts, drawn or given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum ContextConfig {
    /// So many contexts, whose item vectors are drawn once.
    Finite {
        /// The number of contexts, C.
        count: usize,
        /// The number of items, K.
        items: usize,
        /// The dimension of their vectors, d.
        dim: usize,
        /// How item vectors are drawn.
        #[serde(default)]
        law: VectorLaw,
        /// How often each comes up, in any unit; all alike unless given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        weights: Option<Vec<f64>>,
    },
    /// Item vectors that are drawn anew in every round.
    Drawn {
        /// The number of items, K.
        items: usize,
        /// The dimension of their vectors, d.
        dim: usize,
        /// How item vectors are drawn.
        #[serde(default)]
        law: VectorLaw,
    },
    /// The paper's hard instance, whose features belong to pairs, with its items numbered anew in every context; the
    /// link is linear, and θ its own.
    Hard {
        /// The number of contexts, C.
        count: usize,
        /// The dimension d; there are 2^(d+1) items.
        d: u32,
        /// Δ; 1/(4d) unless given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        gap: Option<f64>,
        /// How often each comes up, in any unit; all alike unless given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        weights: Option<Vec<f64>>,
    },
    /// Given item vectors: for every context a row for every item.
    Given {
        /// x of every item, context by context.
        rows: Vec<Vec<Vec<f64>>>,
        /// How often each comes up, in any unit; all alike unless given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        weights: Option<Vec<f64>>,
    },
    /// Item vectors from a table of this name: the number of the context, the number of the item, and its features.
    Table {
        /// The name of the table.
        table: String,
        /// How often each comes up, in any unit; all alike unless given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        weights: Option<Vec<f64>>,
    },
}

/// θ as a user writes it: given or drawn, in one of two ways.
pub(super) struct Theta<'a> {
    pub(super) given: Option<&'a [f64]>,
    pub(super) norm: Option<f64>,
    pub(super) sd: Option<f64>,
}

impl Theta<'_> {
    /// θ in the coordinates in which vectors are given, of which longest differences are 1 when multiplied by `scale`.
    fn given_for(&self, dim: usize, scale: f64, link: Link, stream: &mut Stream) -> Result<Vec<f64>> {
        let positive = |name, x: f64| {
            if x > 0.0 && x.is_finite() { Ok(x) } else { Err(Error::setting(name, x, "must be a positive number")) }
        };
        match (self.given, self.norm, self.sd) {
            (Some(theta), None, None) if theta.len() == dim => Ok(theta.to_vec()),
            (Some(theta), None, None) => {
                let remedy = format!("must have one number for each of {dim} features");
                Err(Error::setting("theta", format!("{} numbers", theta.len()), remedy))
            }
            (None, None, Some(sd)) => {
                let sd = positive("theta_sd", sd)?;
                Ok((0..dim).map(|_| sd * stream.normal()).collect())
            }
            (None, norm, None) => {
                let norm = norm.map(|norm| positive("theta_norm", norm)).transpose()?;
                let norm = norm.unwrap_or(if link == Link::Linear { 0.45 } else { 2.0 });
                Ok(glm::random_theta(dim, norm * scale, stream))
            }
            _ => Err(Error::setting("theta", "twice", "give one of theta, theta_norm and theta_sd")),
        }
    }
}

impl ContextConfig {
    /// Refuses sizes that no memory holds.
    pub(super) fn check_size(&self) -> Result<()> {
        match self {
            Self::Finite { count, items, dim, .. } => {
                size::numbers(&[*count, *items, *dim.max(items)]).and_then(|()| size::numbers(&[*dim, *dim]))
            }
            Self::Drawn { items, dim, .. } => {
                size::numbers(&[*items, *items]).and_then(|()| size::numbers(&[*items, *dim]))
            }
            // That of each context is refused where it is made.
            Self::Hard { .. } | Self::Given { .. } | Self::Table { .. } => Ok(()),
        }
    }

    /// The world, and what it is called.
    pub(super) fn build(
        &self,
        link: Link,
        theta: &Theta<'_>,
        horizon: Option<u64>,
        stream: &mut Stream,
        sources: &dyn Sources,
    ) -> Result<(String, ContextLaw)> {
        let (items, dim, vectors, weights): (_, _, Vec<Vec<f64>>, _) = match self {
            Self::Drawn { items, dim, law } => {
                let theta = theta.given_for(*dim, 1.0 / law.diameter(*dim), link, stream)?;
                let label = format!("contexts (drawn anew, K = {items}, d = {dim}, {link:?})");
                return Ok((label, ContextLaw::drawn(*items, *law, link, &theta, horizon, stream)?));
            }
            Self::Hard { count, d, gap, weights } => {
                if link != Link::Linear {
                    let remedy = "contexts of the hard instance have the linear link: set link = \"linear\"";
                    return Err(Error::setting("link", format!("{link:?}"), remedy));
                }
                if theta.given.is_some() || theta.norm.is_some() || theta.sd.is_some() {
                    let remedy = "leave it out: contexts of the hard instance have a θ of their own, of this gap";
                    return Err(Error::setting("theta", "given", remedy));
                }
                let law = hard::in_contexts(*count, *d, *gap, weights.as_deref(), horizon, stream)?;
                let gap = gap.unwrap_or(0.25 / f64::from(*d));
                return Ok((format!("contexts ({count}, hard, d = {d}, Δ = {gap:.4})"), law));
            }
            Self::Finite { count, items, dim, law, weights } => {
                let vectors = (0..*count).map(|_| law.draw(*items, *dim, stream)).collect::<Result<_>>()?;
                (*items, *dim, vectors, weights)
            }
            Self::Given { rows, weights } => {
                let (items, dim) = shape(rows)?;
                (items, dim, rows.iter().map(|context| context.concat()).collect(), weights)
            }
            Self::Table { table, weights } => {
                let rows = by_context(table, &sources.table(table)?)?;
                let (items, dim) = shape(&rows)?;
                (items, dim, rows.iter().map(|context| context.concat()).collect(), weights)
            }
        };
        let family: Vec<Features> = Features::family(items, dim, &vectors)?;
        let first = &family[0];
        size::numbers(&[family.len(), items, items])?;
        let theta = first.from_given(&theta.given_for(dim, first.scale(), link, stream)?);
        let label = format!("contexts ({}, K = {items}, d = {}, {link:?})", family.len(), first.dim());
        let member = |features| Fixed::from_model(Problem::new(features, link, horizon)?, &theta);
        let members = family.into_iter().map(member).collect::<Result<_>>()?;
        Ok((label, ContextLaw::finite(members, weights.as_deref())?))
    }
}

/// K and d of all contexts.
fn shape(rows: &[Vec<Vec<f64>>]) -> Result<(usize, usize)> {
    let items = rows.first().map_or(0, Vec::len);
    let dim = rows.first().and_then(|context| context.first()).map_or(0, Vec::len);
    for (number, context) in rows.iter().enumerate() {
        if context.len() != items {
            let found = context.len();
            return Err(Error::Data(format!("context {number} has {found} items, context 0 has {items}")));
        }
        if let Some(item) = context.iter().position(|row| row.len() != dim) {
            let found = context[item].len();
            let what = format!("item {item} of context {number} has {found} features, the first of all has {dim}");
            return Err(Error::Data(what));
        }
    }
    Ok((items, dim))
}

/// The rows of a table, sorted into contexts and items, each of which it names once by its number from 0.
fn by_context(table: &str, rows: &[Vec<f64>]) -> Result<Vec<Vec<Vec<f64>>>> {
    let fault = |what: String| Error::Data(format!("table \"{table}\": {what}"));
    let mut sorted: Vec<(usize, usize, &[f64])> = Vec::with_capacity(rows.len());
    for (line, row) in rows.iter().enumerate() {
        let [context, item, own @ ..] = row.as_slice() else {
            return Err(fault(format!("row {line} has no context, item and features")));
        };
        let whole = |x: f64| (0.0..1e9).contains(&x) && x.fract() == 0.0;
        if !whole(*context) || !whole(*item) {
            return Err(fault(format!("row {line} is of context {context} and item {item}: both are numbers from 0")));
        }
        sorted.push((*context as usize, *item as usize, own));
    }
    sorted.sort_by_key(|(context, item, _)| (*context, *item));
    let mut contexts: Vec<Vec<Vec<f64>>> = Vec::new();
    for (context, item, own) in sorted {
        if context == contexts.len() {
            contexts.push(Vec::new());
        }
        match contexts.last_mut() {
            Some(last) if item == last.len() => last.push(own.to_vec()),
            _ => {
                return Err(fault(format!(
                    "context {context} and item {item}: one before is missing, or it is there twice"
                )));
            }
        }
    }
    Ok(contexts)
}
