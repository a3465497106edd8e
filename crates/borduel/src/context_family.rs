//! All contexts of which one comes up by itself in every round, where they are finitely many.

use crate::features::Features;
use crate::stream::mix;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Finitely many contexts of which one comes up by itself in every round: the items' features in each, in one basis,
/// and how often it comes up. A policy that plans over all contexts reads it from
/// [`Problem::family`](crate::Problem::family).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Form", into = "Form")]
pub struct ContextFamily {
    features: Vec<Features>,
    weights: Vec<f64>,
}

/// As it is written to a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    features: Vec<Features>,
    weights: Vec<f64>,
}

impl From<ContextFamily> for Form {
    fn from(ContextFamily { features, weights }: ContextFamily) -> Self {
        Self { features, weights }
    }
}

impl TryFrom<Form> for ContextFamily {
    type Error = Error;

    fn try_from(form: Form) -> Result<Self> {
        let sum: f64 = form.weights.iter().sum();
        if (sum - 1.0).abs() > 1e-9 {
            return Err(Error::Data(format!("saved contexts: their shares add up to {sum}; save them again")));
        }
        // To divide by a sum once more could change a last digit.
        Ok(Self { weights: form.weights.clone(), ..Self::new(form.features, Some(&form.weights))? })
    }
}

impl ContextFamily {
    /// The contexts with these features, of equal weight unless weights are given, in any unit.
    ///
    /// # Errors
    /// Features that were not made together ([`Features::family`]) or are of different numbers of items; weights that
    /// are negative, none of which is positive, or whose number is another one.
    pub fn new(features: Vec<Features>, weights: Option<&[f64]>) -> Result<Self> {
        let Some(first) = features.first() else {
            return Err(Error::setting("contexts", 0, "must be at least 1"));
        };
        let fits = |other: &Features| {
            (other.items(), other.is_differences()) == (first.items(), first.is_differences())
                && other.shares_basis(first)
        };
        if let Some(other) = features.iter().position(|features| !fits(features)) {
            let remedy = "differs from context 0 in its number of items or the basis of its features: make all of them \
                          together, with Features::family";
            return Err(Error::setting("contexts", other, remedy));
        }
        let equal = vec![1.0; features.len()];
        let weights = weights.unwrap_or(&equal);
        let total: f64 = weights.iter().sum();
        if weights.len() != features.len() || !(total.is_finite() && total > 0.0) || weights.iter().any(|w| *w < 0.0) {
            let remedy = format!("must be {} numbers, none negative and not all 0", features.len());
            return Err(Error::setting("weights", format!("{weights:?}"), remedy));
        }
        let weights = weights.iter().map(|weight| weight / total).collect();
        Ok(Self { features, weights })
    }

    /// How many contexts there are.
    pub fn len(&self) -> usize {
        self.features.len()
    }

    /// Whether there is none, which cannot be.
    pub fn is_empty(&self) -> bool {
        self.features.is_empty()
    }

    /// The features in every context.
    pub fn features(&self) -> &[Features] {
        &self.features
    }

    /// How often each comes up, as shares.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    pub(crate) fn fingerprint(&self) -> u64 {
        let features = self.features.iter().map(Features::fingerprint);
        features.chain(self.weights.iter().map(|weight| weight.to_bits())).fold(self.len() as u64, mix)
    }
}
