//! A problem: what a policy may know before a question.

use crate::Link;
use crate::context_family::ContextFamily;
use crate::contexts::Contexts;
use crate::features::Features;
use crate::judging::JudgeAnswers;
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
    judge: Option<Arc<JudgeAnswers>>,
    context: Option<u64>,
    family: Option<Arc<ContextFamily>>,
}

impl Problem {
    /// A problem; the horizon, when given, is at least 1.
    pub fn new(features: Features, link: Link, horizon: Option<u64>) -> Result<Self> {
        if horizon == Some(0) {
            return Err(Error::setting("horizon", 0, "must be at least 1 round"));
        }
        Ok(Self { features, link, horizon, contexts: None, judge: None, context: None, family: None })
    }

    /// The problem of every one of finitely many contexts that come up by themselves. Each knows all others.
    ///
    /// ```
    /// use borduel::{ContextFamily, Features, Link, Problem};
    /// let features = Features::family(2, 1, &[vec![0.0, 0.5], vec![0.5, 0.0]])?;
    /// let family = ContextFamily::new(features, Some(&[1.0, 3.0]))?;
    /// let problems = Problem::of_contexts(family, Link::Logistic, Some(1_000))?;
    /// assert_eq!(problems[1].context(), Some(1));
    /// assert_eq!(problems[1].family().unwrap().weights(), [0.25, 0.75]);
    /// # Ok::<(), borduel::Error>(())
    /// ```
    pub fn of_contexts(family: ContextFamily, link: Link, horizon: Option<u64>) -> Result<Vec<Self>> {
        let family = Arc::new(family);
        let problem = |(features, number): (&Features, u64)| {
            Ok(Self::new(features.clone(), link, horizon)?.of_family(number, &family))
        };
        family.features().iter().zip(0..).map(problem).collect()
    }

    /// K items of which nothing is known, for policies that need no features; no horizon.
    pub fn without_features(items: usize) -> Result<Self> {
        Self::new(Features::none(items)?, Link::Logistic, None)
    }

    /// The same problem with another horizon.
    pub fn with_horizon(&self, horizon: u64) -> Result<Self> {
        let Self { contexts, judge, context, family, .. } = self.clone();
        Ok(Self { contexts, judge, context, family, ..Self::new(self.features.clone(), self.link, Some(horizon))? })
    }

    /// The same problem with items that are compared in contexts that the policy chooses, one for every question;
    /// `find-winner` alone knows what to do with them.
    #[must_use]
    pub fn in_contexts(&self, contexts: Contexts) -> Self {
        Self { contexts: Some(Arc::new(contexts)), ..self.clone() }
    }

    /// The same problem with what a judge answered to the questions about these items in these contexts: a verdict
    /// about these contexts takes it into account, and counts no vote of the judge.
    ///
    /// # Errors
    /// Answers in other contexts than the problem's.
    pub fn with_judge(&self, judge: JudgeAnswers) -> Result<Self> {
        if self.contexts().is_none_or(|contexts| contexts.names() != judge.contexts()) {
            let remedy = "has to be about the problem's contexts, in their order".to_owned();
            return Err(Error::setting("judge", "answers in other contexts", remedy));
        }
        Ok(Self { judge: Some(Arc::new(judge)), ..self.clone() })
    }

    /// The same problem as that of one context, of this number, of a family of them: the context comes up by itself and
    /// is seen before asking, and the next question may have another one, with other features in the same basis (see
    /// [`Features::family`]). Which others there are nobody knows: see [`of_contexts`](Self::of_contexts).
    #[must_use]
    pub fn of_context(&self, number: u64) -> Self {
        Self { context: Some(number), family: None, ..self.clone() }
    }

    /// The same problem as that of the context of this number among all of a family.
    pub(crate) fn of_family(&self, number: u64, family: &Arc<ContextFamily>) -> Self {
        Self { context: Some(number), family: Some(family.clone()), ..self.clone() }
    }

    /// The same problem without a horizon.
    #[must_use]
    pub fn endless(&self) -> Self {
        Self { horizon: None, ..self.clone() }
    }

    /// The features of all pairs.
    #[inline]
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// The link from θᵀφ to a probability.
    #[inline]
    pub fn link(&self) -> Link {
        self.link
    }

    /// The number of rounds T, if it is known.
    pub fn horizon(&self) -> Option<u64> {
        self.horizon
    }

    /// The number of the context that has come up, where every question has one: see [`of_context`](Self::of_context).
    #[inline]
    pub fn context(&self) -> Option<u64> {
        self.context
    }

    /// All contexts that may come up, where they are finitely many and known.
    #[inline]
    pub fn family(&self) -> Option<&ContextFamily> {
        self.family.as_deref()
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

    /// What a judge answered to the same questions, where that is known.
    pub fn judge(&self) -> Option<&JudgeAnswers> {
        self.judge.as_deref()
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
    /// of contexts have one in common, that of all of them where they are known, else of their numbers of items and
    /// dimensions: what was made for one is made for all.
    pub fn fingerprint(&self) -> u64 {
        if self.context.is_some() {
            let (features, scale) = (&self.features, self.features.scale().to_bits());
            let sizes = [features.items(), features.given_dim(), features.dim()].map(|size| size as u64);
            let family = self.family.as_ref().map(|family| family.fingerprint());
            let all = [self.link as u64, self.horizon.unwrap_or(0), scale].into_iter().chain(sizes).chain(family);
            return all.fold(u64::MAX, mix);
        }
        // A horizon is at least 1, so that 0 stands for none.
        let contexts = self.contexts.as_ref().map(|contexts| contexts.fingerprint());
        let parts = [self.link as u64, self.horizon.unwrap_or(0)].into_iter().chain(contexts);
        let parts = parts.chain(self.judge.iter().flat_map(|judge| judge.bits()));
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
    judge: Option<JudgeAnswers>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    context: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    family: Option<ContextFamily>,
}

impl From<Problem> for Form {
    fn from(Problem { features, link, horizon, contexts, judge, context, family }: Problem) -> Self {
        let (contexts, family) = (contexts.map(Arc::unwrap_or_clone), family.map(Arc::unwrap_or_clone));
        let judge = judge.map(Arc::unwrap_or_clone);
        Self { version: Version, features, link, horizon, contexts, judge, context, family }
    }
}

impl TryFrom<Form> for Problem {
    type Error = Error;

    fn try_from(form: Form) -> Result<Self> {
        let known = form.family.as_ref().is_none_or(|family| {
            let own = form.context.and_then(|number| family.features().get(usize::try_from(number).ok()?));
            own.is_some_and(|own| own.fingerprint() == form.features.fingerprint())
        });
        if !known {
            return Err(Error::Data("a saved problem is not that of one of its contexts; save it again".to_owned()));
        }
        let (context, family) = (form.context, form.family.map(Arc::new));
        let problem = Self { context, family, ..Self::new(form.features, form.link, form.horizon)? };
        let problem = form.contexts.map_or_else(|| problem.clone(), |contexts| problem.in_contexts(contexts));
        form.judge.map_or_else(|| Ok(problem.clone()), |judge| problem.with_judge(judge))
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

    #[test]
    fn saved_problems_of_a_family_come_back() {
        let rows: Vec<Vec<f64>> = (1..4).map(|c| vec![0.0, 0.3 / f64::from(c), 0.2, 0.1]).collect();
        let family = |weights: &[f64]| {
            let features = Features::family(4, 1, &rows).unwrap();
            Problem::of_contexts(ContextFamily::new(features, Some(weights)).unwrap(), Link::Probit, Some(7)).unwrap()
        };
        let problems = family(&[1.0, 2.0, 4.0]);
        for problem in &problems {
            let text = serde_json::to_string(problem).unwrap();
            let loaded: Problem = serde_json::from_str(&text).unwrap();
            assert_eq!((loaded.context(), loaded.fingerprint()), (problem.context(), problems[0].fingerprint()));
            assert_eq!(loaded.family().unwrap().weights(), [1.0, 2.0, 4.0].map(|w: f64| w / 7.0));
            // A policy of all contexts is told from that of others, and keeps them with another horizon.
            assert_ne!(family(&[1.0; 3])[0].fingerprint(), problem.fingerprint());
            assert!(problem.with_horizon(9).unwrap().family().is_some() && problem.endless().family().is_some());
            let wrong = text.replace("\"context\":", "\"context\":1");
            assert!(serde_json::from_str::<Problem>(&wrong).unwrap_err().to_string().contains("not that of one"));
        }
    }
}
