//! Saved values: a version, the problem they belong to, a checksum, and the value.

use crate::problem::Problem;
use crate::stream::mix;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// The version of what is written today.
const VERSION: u32 = 3;

/// A policy, a run, a desk or an open proposal as it is written to a file.
///
/// The value must serialise to the same text whenever it is the same (so `BTreeMap`, not `HashMap`).
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
    problem: u64,
    checksum: u64,
    value: T,
}

impl<T: Serialize> Saved<T> {
    /// A value that belongs to this problem.
    pub fn new(problem: &Problem, value: T) -> Self {
        Self { version: VERSION, problem: problem.fingerprint(), checksum: checksum(&value), value }
    }

    /// The value, if it was written in this version, belongs to this very problem (features, link and horizon), and is
    /// what was written.
    pub fn open(self, problem: &Problem) -> Result<T> {
        if self.version != VERSION {
            return Err(Error::Version { what: "the saved state", found: self.version, known: VERSION });
        }
        let here = problem.fingerprint();
        if self.problem != here {
            return Err(Error::OtherProblem { what: "the saved state", found: self.problem, here });
        }
        let here = checksum(&self.value);
        if self.checksum != here {
            return Err(Error::Tampered { found: self.checksum, here });
        }
        Ok(self.value)
    }
}

/// A hash of the value's JSON, whichever format it is saved in.
fn checksum<T: Serialize>(value: &T) -> u64 {
    let mut hash = Hash(0);
    // What JSON cannot hold is hashed up to there, the same way when saving and when opening.
    let _ = serde_json::to_writer(&mut hash, value);
    hash.0
}

/// A writer that keeps a hash only.
struct Hash(u64);

impl Write for Hash {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = bytes.iter().fold(self.0, |key, byte| mix(key, u64::from(*byte)));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Features, Link, Policy};

    fn problem(items: usize, link: Link, horizon: Option<u64>) -> Problem {
        Problem::new(Features::one_hot(items).unwrap(), link, horizon).unwrap()
    }

    #[test]
    fn another_problem_is_refused_whatever_differs() {
        let a = problem(3, Link::Logistic, Some(100));
        assert_eq!(Saved::new(&a, 5).open(&a), Ok(5));
        for b in [
            problem(4, Link::Logistic, Some(100)),
            problem(3, Link::Linear, Some(100)),
            problem(3, Link::Logistic, Some(101)),
            problem(3, Link::Logistic, None),
        ] {
            assert!(matches!(Saved::new(&a, 5).open(&b), Err(Error::OtherProblem { .. })));
        }
    }

    #[test]
    fn other_versions_are_refused() {
        let a = problem(3, Link::Logistic, None);
        let old = Saved { version: 1, ..Saved::new(&a, 5) };
        assert_eq!(
            old.open(&a).unwrap_err().to_string(),
            "the saved state was written in version 1 of its format; this program reads version 3"
        );
    }

    /// Settings at the edge of what a number can hold are refused, or their states are opened again.
    #[test]
    fn states_with_extreme_settings_are_opened_again() {
        let a = problem(4, Link::Logistic, Some(1000));
        let mut wrong = Vec::new();
        for name in crate::POLICIES {
            let usual = crate::PolicyConfig::named(name).unwrap().build(&a, crate::stream(1, &[])).unwrap();
            let numbers = usual.settings().into_iter().filter(|s| matches!(s.value, crate::policy::Setting::Number(_)));
            for setting in numbers {
                for value in [5e-324, 1e-300, 1e-31, 1e-30, 1e-9, 1e9, 1e30, 1e31, 1e300, f64::MAX] {
                    let config = serde_json::json!({"policy": name, setting.name.as_str(): value});
                    // Some settings are told, but cannot be set.
                    let Ok(config) = serde_json::from_value::<crate::PolicyConfig>(config) else { continue };
                    let Ok(mut policy) = config.build(&a, crate::stream(1, &[])) else { continue };
                    for round in 0..40 {
                        let proposal = policy.ask(&a);
                        policy.tell(&a, &proposal, crate::Outcome::from_win(round % 3 == 0));
                    }
                    let text = serde_json::to_string(&Saved::new(&a, &policy)).unwrap();
                    let opened =
                        serde_json::from_str::<Saved<crate::AnyPolicy>>(&text).map(|saved| saved.open(&a).is_ok());
                    if !matches!(opened, Ok(true)) {
                        wrong.push(format!("{name}.{}={value:e}: {opened:?}", setting.name));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn what_was_changed_is_refused() {
        let a = problem(3, Link::Logistic, None);
        let text = serde_json::to_string(&Saved::new(&a, vec![1.5, 2.5])).unwrap();
        let open = |text: &str| serde_json::from_str::<Saved<Vec<f64>>>(text).unwrap().open(&a);
        assert_eq!(open(&text), Ok(vec![1.5, 2.5]));
        assert!(matches!(open(&text.replace("2.5", "2.25")), Err(Error::Tampered { .. })));
    }
}
