//! One experiment of the reproduction, asked for numbers by the labels of its policies.

use crate::experiment::played::Played;
use borduel::experiment::PolicyResult;
use borduel_report::numbers::grouped;

/// An experiment with one environment and one horizon.
#[derive(Clone, Copy)]
pub(super) struct Case<'a> {
    pub(super) played: &'a Played,
}

/// Whether something is smaller than something else, by two standard errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Holds,
    Fails,
    Undecided,
}

impl Verdict {
    /// Of a difference that is claimed to be negative.
    pub(super) fn below((mean, se): (f64, f64)) -> Self {
        match (mean + 2.0 * se < 0.0, mean - 2.0 * se > 0.0) {
            (true, _) => Self::Holds,
            (_, true) => Self::Fails,
            _ => Self::Undecided,
        }
    }

    /// Of a plain condition.
    pub(super) fn of(condition: bool) -> Self {
        if condition { Self::Holds } else { Self::Fails }
    }

    /// All must hold.
    pub(super) fn all(list: impl IntoIterator<Item = Self>) -> Self {
        list.into_iter().fold(Self::Holds, |sum, one| match (sum, one) {
            (Self::Fails, _) | (_, Self::Fails) => Self::Fails,
            (Self::Undecided, _) | (_, Self::Undecided) => Self::Undecided,
            _ => Self::Holds,
        })
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Holds => "**holds**",
            Self::Fails => "**does not hold**",
            Self::Undecided => "**undecided** (within two standard errors)",
        }
    }
}

impl<'a> Case<'a> {
    pub(super) fn find(played: &[&'a Played], name: &str) -> Option<Self> {
        played.iter().find(|p| p.results.experiment.name == name).map(|played| Self { played })
    }

    pub(super) fn index(self, label: &str) -> Option<usize> {
        self.played.results.policies.iter().position(|result| result.label == label)
    }

    pub(super) fn result(self, label: &str) -> Option<&'a PolicyResult> {
        self.index(label).map(|index| &self.played.results.policies[index])
    }

    pub(super) fn mean(self, label: &str) -> f64 {
        self.result(label).map_or(f64::NAN, |result| result.final_regret.mean)
    }

    /// Mean final regret of `a` minus that of `b`, and its paired standard error.
    pub(super) fn difference(self, a: &str, b: &str) -> (f64, f64) {
        match (self.index(a), self.index(b)) {
            (Some(a), Some(b)) => self.played.results.difference(a, b),
            _ => (f64::NAN, f64::NAN),
        }
    }

    /// Mean final regret of `a` over that of `b`, and its standard error by the delta method; runs are paired.
    pub(super) fn ratio(self, a: &str, b: &str) -> (f64, f64) {
        let (Some(a), Some(b)) = (self.result(a), self.result(b)) else { return (f64::NAN, f64::NAN) };
        let (x, y, n) = (a.final_regret.mean, b.final_regret.mean, a.final_regrets.len() as f64);
        let ratio = x / y;
        let squares: f64 =
            a.final_regrets.iter().zip(&b.final_regrets).map(|(a, b)| ((a - x) - ratio * (b - y)).powi(2)).sum();
        (ratio, (squares / (n * (n - 1.0).max(1.0))).sqrt() / y)
    }

    /// The same in words.
    pub(super) fn against(self, a: &str, b: &str) -> String {
        let (mean, se) = self.difference(a, b);
        format!("{a} − {b} = {} ± {}", grouped(mean), grouped(se))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_standard_errors_decide() {
        assert_eq!(Verdict::below((-3.0, 1.0)), Verdict::Holds);
        assert_eq!(Verdict::below((-1.0, 1.0)), Verdict::Undecided);
        assert_eq!(Verdict::below((3.0, 1.0)), Verdict::Fails);
        assert_eq!(Verdict::all([Verdict::Holds, Verdict::Undecided]), Verdict::Undecided);
        assert_eq!(Verdict::all([Verdict::Undecided, Verdict::Fails]), Verdict::Fails);
        assert_eq!(Verdict::all([]), Verdict::Holds);
    }
}
