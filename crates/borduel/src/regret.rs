//! What a run writes down: regret summed exactly, and the curve of its checkpoints.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Something that watches a run.
///
/// It is told of whole stretches of rounds, so that what it does stays out of the innermost loop.
pub trait Record {
    /// How many rounds the next stretch may have at most.
    fn room(&self) -> u64 {
        u64::MAX
    }

    /// A stretch of rounds has passed, with these regrets in all: one of every judge of the arena, at least one.
    fn advance(&mut self, rounds: u64, regrets: &[ExactSum]);
}

/// The regret of one round, rounded once to a multiple of 2⁻⁵⁰.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Regret(i64);

impl Regret {
    /// The nearest multiple.
    ///
    /// # Panics
    /// If it is no number or lies beyond ±8,191. Borda regret lies within ±2.
    #[inline]
    pub fn of(regret: f64) -> Self {
        if regret.abs() <= 2.0 {
            Self((regret + GRID).to_bits().wrapping_sub(GRID.to_bits()).cast_signed())
        } else {
            Self::of_large(regret)
        }
    }

    /// A regret that does not fit the grid around [`GRID`].
    #[cold]
    fn of_large(regret: f64) -> Self {
        assert!(regret.abs() <= LARGEST, "a regret of {regret}: regrets are numbers within ±{LARGEST}");
        Self((regret * UNITS).round_ties_even() as i64)
    }
}

/// A sum of regrets that does not depend on how they were grouped: the multiples of 2⁻⁵⁰ are added as integers. So a
/// stride of n rounds is n steps, and a run that was saved in the middle of a stride ends with the same bytes as one
/// that was not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct ExactSum(i128);

/// 2⁵⁰. Even the largest regret takes 64 bits, and 10¹⁹ rounds of it fit 128.
const UNITS: f64 = (1_u64 << 50) as f64;

/// A number whose neighbours up to ±2 away are 2⁻⁵⁰ apart: adding it rounds to that grid, and then the bits count.
const GRID: f64 = 6.0;

/// The largest regret of one round: times 2⁵⁰ it fits 64 bits.
pub(crate) const LARGEST: f64 = 8191.0;

impl ExactSum {
    /// Adds `rounds` times `regret`.
    #[inline]
    pub fn add(&mut self, rounds: u64, regret: Regret) {
        self.0 += i128::from(regret.0) * i128::from(rounds);
    }

    /// Adds the terms of another sum.
    pub fn join(&mut self, other: Self) {
        self.0 += other.0;
    }

    /// The sum as a floating-point number.
    pub fn value(self) -> f64 {
        self.0 as f64 / UNITS
    }
}

impl From<ExactSum> for String {
    fn from(sum: ExactSum) -> Self {
        sum.0.to_string()
    }
}

impl TryFrom<String> for ExactSum {
    type Error = std::num::ParseIntError;
    fn try_from(text: String) -> std::result::Result<Self, Self::Error> {
        Ok(Self(text.parse()?))
    }
}

/// The most checkpoints of a curve.
pub const MOST_CHECKPOINTS: usize = 10_000_000;

/// The rounds at which a curve is noted: at least one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoints(Vec<u64>);

impl Checkpoints {
    /// `count` rounds at equal distances, the last of them the horizon.
    ///
    /// # Panics
    /// If the horizon is 0, or more than [`MOST_CHECKPOINTS`] would come out.
    pub fn linear(horizon: u64, count: usize) -> Self {
        check(horizon, count);
        let count = (count.max(1) as u64).min(horizon);
        Self((1..=count).map(|c| (u128::from(horizon) * u128::from(c) / u128::from(count)) as u64).collect())
    }

    /// About `count` rounds at equal ratios from 1 to the horizon.
    ///
    /// # Panics
    /// If the horizon is 0, or more than [`MOST_CHECKPOINTS`] would come out.
    pub fn logarithmic(horizon: u64, count: usize) -> Self {
        check(horizon, count);
        let last = count.clamp(2, MOST_CHECKPOINTS) - 1;
        let at = |c: usize| (horizon as f64).powf(c as f64 / last as f64).round() as u64;
        let mut rounds: Vec<u64> = (0..last).map(at).filter(|r| *r < horizon).chain([horizon]).collect();
        rounds.dedup();
        Self(rounds)
    }

    /// Rounds of one's own, increasing, from 1 on.
    pub fn from_rounds(rounds: Vec<u64>) -> Result<Self> {
        let increasing = rounds.windows(2).all(|pair| pair[0] < pair[1]);
        if rounds.is_empty() || rounds[0] == 0 || !increasing {
            return Err(Error::setting("checkpoints", format!("{rounds:?}"), "must be increasing rounds from 1 on"));
        }
        Ok(Self(rounds))
    }

    /// The rounds, in ascending order.
    pub fn rounds(&self) -> &[u64] {
        &self.0
    }
}

fn check(horizon: u64, count: usize) {
    assert!(horizon > 0, "checkpoints need a horizon of at least 1 round");
    let wanted = (count as u64).min(horizon);
    assert!(wanted <= MOST_CHECKPOINTS as u64, "{wanted} checkpoints: at most {MOST_CHECKPOINTS} are noted");
}

/// Cumulative regret at checkpoints, as the first judge sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    checkpoints: Checkpoints,
    values: Vec<f64>,
    round: u64,
    /// The next checkpoint, or never.
    next: u64,
    sum: ExactSum,
}

impl Curve {
    /// A curve at these checkpoints, with nothing noted yet.
    pub fn new(checkpoints: Checkpoints) -> Self {
        let next = checkpoints.0[0];
        Self { values: Vec::with_capacity(checkpoints.0.len()), checkpoints, round: 0, next, sum: ExactSum::default() }
    }

    /// The regret at every checkpoint passed so far.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The checkpoints at which the curve is noted.
    pub fn checkpoints(&self) -> &Checkpoints {
        &self.checkpoints
    }

    /// The regret so far.
    pub fn total(&self) -> f64 {
        self.sum.value()
    }
}

impl Record for Curve {
    fn room(&self) -> u64 {
        self.next - self.round
    }

    fn advance(&mut self, rounds: u64, regrets: &[ExactSum]) {
        self.round += rounds;
        self.sum.join(regrets[0]);
        if self.round == self.next {
            self.values.push(self.total());
            self.next = self.checkpoints.0.get(self.values.len()).copied().unwrap_or(u64::MAX);
        }
    }
}

/// A curve for every judge.
impl Record for Vec<Curve> {
    fn room(&self) -> u64 {
        self.iter().map(Record::room).min().unwrap_or(u64::MAX)
    }

    fn advance(&mut self, rounds: u64, regrets: &[ExactSum]) {
        self.iter_mut().zip(regrets).for_each(|(curve, regret)| curve.advance(rounds, &[*regret]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the engine does it: no further than there is room.
    fn pass(curve: &mut Curve, mut rounds: u64, regret: f64) {
        while rounds > 0 {
            let stretch = rounds.min(curve.room());
            let mut sum = ExactSum::default();
            sum.add(stretch, Regret::of(regret));
            curve.advance(stretch, &[sum]);
            rounds -= stretch;
        }
    }

    #[test]
    fn strides_and_steps_give_the_same_bytes() {
        let checkpoints = Checkpoints::from_rounds(vec![1, 10, 55, 56, 100]).unwrap();
        let (mut steps, mut strides, mut mixed) =
            (Curve::new(checkpoints.clone()), Curve::new(checkpoints.clone()), Curve::new(checkpoints));
        let (a, b) = (0.1 + 1e-17, 1.0 / 3.0);
        (0..40).for_each(|_| pass(&mut steps, 1, a));
        (0..60).for_each(|_| pass(&mut steps, 1, b));
        pass(&mut strides, 40, a);
        pass(&mut strides, 60, b);
        for (rounds, regret) in [(7, a), (33, a), (1, b), (59, b)] {
            pass(&mut mixed, rounds, regret);
        }
        assert_eq!(steps, strides);
        assert_eq!(steps, mixed);
        // A hundred roundings to the grid of 2⁻⁵⁰.
        assert!((steps.total() - 24.0).abs() < 5e-14);
        assert_eq!(steps.values().len(), 5);
        assert!((steps.values()[1] - 1.0).abs() < 1e-14);
    }

    #[test]
    fn every_regret_is_rounded_to_the_grid_and_none_wraps() {
        for regret in [0.0, 0.3, -0.3, 2.0, -2.0, 2.000_000_1, 3.618, -7.25, 100.5, 8191.0, -8191.0] {
            let mut sum = ExactSum::default();
            sum.add(1, Regret::of(regret));
            assert!((sum.value() - regret).abs() <= 0.5 / UNITS, "{regret} became {}", sum.value());
        }
        for regret in [8191.1, f64::NAN, f64::INFINITY] {
            assert!(std::panic::catch_unwind(|| Regret::of(regret)).is_err(), "{regret}");
        }
    }

    #[test]
    fn checkpoints_end_with_the_horizon() {
        assert_eq!(Checkpoints::linear(10, 4).rounds(), [2, 5, 7, 10]);
        assert_eq!(Checkpoints::linear(3, 200).rounds(), [1, 2, 3]);
        assert_eq!(Checkpoints::linear(u64::MAX, 2).rounds()[1], u64::MAX);
        let log = Checkpoints::logarithmic(1000, 4);
        assert_eq!(log.rounds(), [1, 10, 100, 1000]);
        assert_eq!(Checkpoints::logarithmic(1, 50).rounds(), [1]);
        assert!(std::panic::catch_unwind(|| Checkpoints::linear(0, 5)).is_err());
        assert!(std::panic::catch_unwind(|| Checkpoints::logarithmic(0, 5)).is_err());
        assert!(std::panic::catch_unwind(|| Checkpoints::linear(u64::MAX, usize::MAX)).is_err());
        assert_eq!(Checkpoints::logarithmic(3, usize::MAX).rounds(), [1, 2, 3]);
        assert!(Checkpoints::from_rounds(vec![]).is_err());
        assert!(Checkpoints::from_rounds(vec![0, 1]).is_err());
        assert!(Checkpoints::from_rounds(vec![2, 2]).is_err());
    }

    #[test]
    fn huge_horizons_are_summed_without_loss() {
        let mut curve = Curve::new(Checkpoints::from_rounds(vec![1_000_000_000_000]).unwrap());
        pass(&mut curve, 999_999_999_999, 2.0);
        pass(&mut curve, 1, 0.5);
        assert_eq!(curve.values(), [2.0 * 999_999_999_999.0 + 0.5]);
    }
}
