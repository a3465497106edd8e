//! Saved values: a version, the features they belong to, and the value.

use crate::error::{Error, Result};
use crate::problem::Problem;
use serde::{Deserialize, Serialize};

/// The version of what is written today.
const VERSION: u32 = 1;

/// A policy, a run or an open proposal as it is written to a file.
///
/// ```
/// use borduel::{Features, Link, Policy, PolicyConfig, Problem, Saved, stream};
/// let problem = Problem::new(Features::one_hot(3)?, Link::Logistic, Some(100))?;
/// let mut policy = PolicyConfig::named("dexp3")?.build(&problem, stream(1, &[]))?;
/// let text = serde_json::to_string(&Saved::new(&problem, &policy)).unwrap();
/// let saved: Saved<borduel::AnyPolicy> = serde_json::from_str(&text).unwrap();
/// let mut loaded = saved.open(&problem)?;
/// assert_eq!(loaded.ask(&problem), policy.ask(&problem));
/// # Ok::<(), borduel::Error>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Saved<T> {
    version: u32,
    features: u64,
    value: T,
}

impl<T> Saved<T> {
    /// A value that belongs to this problem.
    pub fn new(problem: &Problem, value: T) -> Self {
        Self { version: VERSION, features: problem.features().fingerprint(), value }
    }

    /// The value, if it was written in this version and belongs to the same features.
    pub fn open(self, problem: &Problem) -> Result<T> {
        if self.version != VERSION {
            return Err(Error::Version { what: "the saved state", found: self.version, known: VERSION });
        }
        let here = problem.features().fingerprint();
        if self.features != here {
            return Err(Error::OtherFeatures { found: self.features, here });
        }
        Ok(self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Features, Link};

    #[test]
    fn other_features_and_versions_are_refused() {
        let a = Problem::new(Features::one_hot(3).unwrap(), Link::Logistic, None).unwrap();
        let b = Problem::new(Features::one_hot(4).unwrap(), Link::Logistic, None).unwrap();
        assert_eq!(Saved::new(&a, 5).open(&a), Ok(5));
        assert!(matches!(Saved::new(&a, 5).open(&b), Err(Error::OtherFeatures { .. })));
        let old = Saved { version: 0, ..Saved::new(&a, 5) };
        assert_eq!(
            old.open(&a).unwrap_err().to_string(),
            "the saved state was written in version 0 of its format; this program reads version 1"
        );
    }
}
