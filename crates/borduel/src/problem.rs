//! A problem: what a policy may know before a question.

use crate::Link;
use crate::contexts::Contexts;
use crate::features::Features;
use crate::stream::mix;
use crate::version::Version;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The items' features, the link, the number of rounds to come if that is known, and the contexts in which items are
/// compared, if there are any.
///
/// *Contexts* are what items are compared on: prompts, users, occasions. Either the policy chooses one of them for
/// every question ([`in_contexts`](Self::in_contexts), as in a study), or one comes up by itself, is seen before
/// asking, and has features of its own ([`of_context`](Self::of_context)).
///
/// It can be saved and loaded; a copy shares the features.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Form", into = "Form")]
pub struct Problem {
    features: Features,
    link: Link,
    horizon: Option<u64>,
    contexts: Option<Arc<Contexts>>,
    context: Option<u64>,
}

impl Problem {
    /// A problem; the horizon, when given, is at least 1.
    pub fn new(features: Features, link: Link, horizon: Option<u64>) -> Result<Self> {
        if horizon == Some(0) {
            return Err(Error::setting("horizon", 0, "must be at least 1 round"));
        }
        Ok(Self { features, link, horizon, contexts: None, context: None })
    }

    /// K items of which nothing is known, for policies that need no features; no horizon.
    pub fn without_features(items: usize) -> Result<Self> {
        Self::new(Features::none(items)?, Link::Logistic, None)
    }

    /// The same problem with another horizon.
    pub fn with_horizon(&self, horizon: u64) -> Result<Self> {
        let Self { contexts, context, .. } = self.clone();
        Ok(Self { contexts, context, ..Self::new(self.features.clone(), self.link, Some(horizon))? })
    }

    /// The same problem with items that are compared in contexts that the policy chooses, one for every question;
    /// `find-winner` alone knows what to do with them.
    #[must_use]
    pub fn in_contexts(&self, contexts: Contexts) -> Self {
        Self { contexts: Some(Arc::new(contexts)), ..self.clone() }
    }

    /// The same problem as that of one context, of this number, of a family of them: the context comes up by itself and
    /// is seen before asking, and the next question may have another one, with other features in the same basis (see
    /// [`Features::family`]).
    #[must_use]
    pub fn of_context(&self, number: u64) -> Self {
        Self { context: Some(number), ..self.clone() }
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

    /// The number of the context that has come up, where every question has one: see [`of_context`](Self::of_context).
    #[inline]
    pub fn context(&self) -> Option<u64> {
        self.context
    }

    /// Other item vectors, in another context.
    pub(crate) fn refill(&mut self, number: u64, fingerprint: u64, write: impl FnOnce(&mut [f64])) {
        self.context = Some(number);
        self.features.refill(fingerprint, write);
    }

    /// The contexts in which items are compared and of which the policy chooses, if there are any.
    pub fn contexts(&self) -> Option<&Contexts> {
        self.contexts.as_deref()
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

    /// A hash of features, link, horizon and contexts: equal problems have equal fingerprints. The problems of a family
    /// of contexts have one in common, that of its numbers of items and dimensions: what was made for one is made for
    /// all.
    pub fn fingerprint(&self) -> u64 {
        if self.context.is_some() {
            let (features, scale) = (&self.features, self.features.scale().to_bits());
            let sizes = [features.items(), features.given_dim(), features.dim()].map(|size| size as u64);
            let all = [self.link as u64, self.horizon.unwrap_or(0), scale].into_iter().chain(sizes);
            return all.fold(u64::MAX, mix);
        }
        // A horizon is at least 1, so that 0 stands for none.
        let contexts = self.contexts.as_ref().map(|contexts| contexts.fingerprint());
        let parts = [self.link as u64, self.horizon.unwrap_or(0)].into_iter().chain(contexts);
        parts.fold(self.features.fingerprint(), mix)
    }
}

/// A problem as it is written to a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    version: Version<1>,
    features: Features,
    link: Link,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    horizon: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    contexts: Option<Contexts>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    context: Option<u64>,
}

impl From<Problem> for Form {
    fn from(Problem { features, link, horizon, contexts, context }: Problem) -> Self {
        Self { version: Version, features, link, horizon, contexts: contexts.map(Arc::unwrap_or_clone), context }
    }
}

impl TryFrom<Form> for Problem {
    type Error = Error;

    fn try_from(form: Form) -> Result<Self> {
        let problem = Self { context: form.context, ..Self::new(form.features, form.link, form.horizon)? };
        Ok(form.contexts.map_or_else(|| problem.clone(), |contexts| problem.in_contexts(contexts)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saved_problems_come_back() {
        for horizon in [None, Some(7)] {
            let problem = Problem::new(Features::one_hot(4).unwrap(), Link::Probit, horizon).unwrap();
            let text = serde_json::to_string(&problem).unwrap();
            let loaded: Problem = serde_json::from_str(&text).unwrap();
            assert_eq!((loaded.link(), loaded.horizon(), loaded.items()), (Link::Probit, horizon, 4));
            assert_eq!(loaded.features().fingerprint(), problem.features().fingerprint());
        }
        let problem = Problem::new(Features::one_hot(3).unwrap(), Link::Logistic, Some(9)).unwrap();
        let text = serde_json::to_string(&problem).unwrap().replace("\"horizon\":9", "\"horizon\":0");
        assert!(serde_json::from_str::<Problem>(&text).unwrap_err().to_string().contains("horizon"));
    }
}
