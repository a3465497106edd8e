//! A problem: what a policy may know before the first question.

use crate::error::{Error, Result};
use crate::features::Features;
use crate::link::Link;

/// The items' features, the link, and the number of rounds to come if that is known.
#[derive(Debug, Clone)]
pub struct Problem {
    features: Features,
    link: Link,
    horizon: Option<u64>,
}

impl Problem {
    /// A problem; the horizon, when given, is at least 1.
    pub fn new(features: Features, link: Link, horizon: Option<u64>) -> Result<Self> {
        if horizon == Some(0) {
            return Err(Error::setting("horizon", 0, "must be at least 1 round"));
        }
        Ok(Self { features, link, horizon })
    }

    /// The same problem with another horizon.
    pub fn with_horizon(&self, horizon: u64) -> Result<Self> {
        Self::new(self.features.clone(), self.link, Some(horizon))
    }

    /// The same problem without a horizon.
    #[must_use]
    pub fn endless(&self) -> Self {
        Self { horizon: None, ..self.clone() }
    }

    /// The features.
    #[inline]
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// The link.
    #[inline]
    pub fn link(&self) -> Link {
        self.link
    }

    /// T, if known.
    pub fn horizon(&self) -> Option<u64> {
        self.horizon
    }

    /// K, the number of items.
    #[inline]
    pub fn items(&self) -> usize {
        self.features.items()
    }

    /// d, the rank of the features.
    #[inline]
    pub fn dim(&self) -> usize {
        self.features.dim()
    }
}
