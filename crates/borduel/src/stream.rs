//! The random stream: one named generator, seeded by a number and a path.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

/// A source of random numbers that can be saved: xoshiro256++, the same on every machine.
///
/// A stream is known by `stream(seed, path)`. The instance of an experiment comes from the path `[INSTANCE]`; each
/// replication's answers and policy from `[REPLICATION, number, role]`. The policy's name is not in the path, so
/// that adding a policy changes nobody's numbers and all policies of a replication meet the same answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stream(Xoshiro256PlusPlus);

/// The first step of the path of everything that is drawn once per experiment.
pub const INSTANCE: u64 = 1;
/// The first step of the path of everything that is drawn once per replication.
pub const REPLICATION: u64 = 2;
/// The last step of the path of a replication's answers.
pub const ANSWERS: u64 = 1;
/// The last step of the path of a replication's policy.
pub const POLICY: u64 = 2;
/// The last step of the path of what happens to a replication's answers on their way: delays and losses.
pub const DELIVERY: u64 = 3;

/// The stream of this seed and path.
pub fn stream(seed: u64, path: &[u64]) -> Stream {
    let mut key = mix(seed, path.len() as u64);
    for step in path {
        key = mix(key, *step);
    }
    Stream(Xoshiro256PlusPlus::seed_from_u64(key))
}

/// One round of a 64-bit hash: a bijective finaliser (Stafford's mix 13) over the running key and the next word.
pub(crate) fn mix(key: u64, word: u64) -> u64 {
    let mut z = (key ^ word.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// 2⁻⁵³: what turns 53 random bits into a number of [0, 1).
const UNIT: f64 = 1.0 / (1_u64 << 53) as f64;

impl Stream {
    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A uniform number of [0, 1), a multiple of 2⁻⁵³.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * UNIT
    }

    /// A uniform index below `n`, without bias for every n that fits a memory: the high half of a 128-bit product,
    /// whose bias of n/2⁶⁴ is below what any experiment can see.
    #[inline]
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// Two uniform indices below `n` from one draw, 32 bits each: for n up to 2¹² an index's probability is off by
    /// less than one part in a million; beyond that two draws are taken.
    #[inline]
    pub fn pair_below(&mut self, n: usize) -> (usize, usize) {
        if n > 1 << 12 {
            return (self.below(n), self.below(n));
        }
        let bits = self.bits();
        let high = ((bits >> 32) * n as u64) >> 32;
        let low = ((bits & 0xffff_ffff) * n as u64) >> 32;
        (high as usize, low as usize)
    }

    /// A standard normal number.
    pub fn normal(&mut self) -> f64 {
        use rand_distr::{Distribution, StandardNormal};
        StandardNormal.sample(&mut self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_pinned() {
        // These numbers are a promise: a change breaks every saved seed of every user.
        let mut s = stream(1, &[REPLICATION, 0, ANSWERS]);
        let drawn = [s.bits(), s.bits(), s.bits()];
        assert_eq!(drawn, PINNED);
        let mut t = stream(1, &[REPLICATION, 0, POLICY]);
        assert_ne!(t.bits(), PINNED[0]);
    }
    const PINNED: [u64; 3] = [14_303_927_836_621_640_792, 14_122_684_446_692_138_145, 5_524_454_763_387_264_899];

    #[test]
    fn paths_are_not_confused() {
        let first = |path: &[u64]| stream(7, path).bits();
        assert_ne!(first(&[1, 2]), first(&[2, 1]));
        assert_ne!(first(&[]), first(&[0]));
        assert_ne!(first(&[0]), first(&[0, 0]));
    }

    #[test]
    fn indices_are_uniform() {
        let mut s = stream(3, &[]);
        let mut seen = [0_u32; 2 * 6];
        for _ in 0..60_000 {
            let (i, j) = s.pair_below(6);
            seen[i] += 1;
            seen[6 + j] += 1;
        }
        // χ² of 5 degrees, twice; its 99.9 % quantile is 20.5.
        for half in seen.chunks(6) {
            let chi: f64 = half.iter().map(|&n| (f64::from(n) - 1e4).powi(2) / 1e4).sum();
            assert!(chi < 20.5, "{chi}");
        }
    }
}
