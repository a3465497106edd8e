//! The random stream: one named generator, seeded by a number and a path.

/// The crate of random generators whose trait a [`Stream`] implements.
pub use rand;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng, TryRng};
use serde::{Deserialize, Serialize};
use std::convert::Infallible;

/// A source of random numbers that can be saved: xoshiro256++, the same on every machine.
///
/// It is a generator of the crate rand (0.10), so that the distributions of rand_distr (0.6) can be drawn from it:
///
/// ```
/// use rand_distr::{Beta, Distribution};
/// let share: f64 = Beta::new(2.0, 5.0).unwrap().sample(&mut borduel_rank::stream(1, &[]));
/// assert!((0.0..1.0).contains(&share));
/// ```
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
/// The step from a replication's answers to its contexts, where one comes up in every round.
pub const CONTEXTS: u64 = 4;

/// The stream of this seed and path.
pub fn stream(seed: u64, path: &[u64]) -> Stream {
    Stream(Xoshiro256PlusPlus::seed_from_u64(key(seed, path)))
}

/// The numbered random numbers of this seed and path.
pub fn numbered(seed: u64, path: &[u64]) -> Numbered {
    Numbered(key(seed, path))
}

/// A hash of a seed and a path.
fn key(seed: u64, path: &[u64]) -> u64 {
    path.iter().fold(mix(seed, path.len() as u64), |key, step| mix(key, *step))
}

/// Random numbers of which each can be had without the others: the n-th is a hash of n and a key, that of wyrand. With
/// s = key + n·c it is the high half of the 128-bit product s·(s ⊕ x) ⊕ its low half: one multiplication, so that a
/// number costs no more than the next one of a generator.
///
/// The answers of a replication are numbered by their rounds, so that policies that rest, commit or step meet the same
/// answer in the same round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Numbered(u64);

impl Numbered {
    /// The n-th 64 random bits.
    #[inline]
    pub fn bits(self, n: u64) -> u64 {
        let s = self.0.wrapping_add(n.wrapping_mul(0xa076_1d64_78bd_642f));
        let product = u128::from(s) * u128::from(s ^ 0xe703_7ed1_a0b4_28db);
        (product >> 64) as u64 ^ product as u64
    }

    /// The n-th uniform number of [0, 1), a multiple of 2⁻⁵³.
    #[inline]
    pub fn uniform(self, n: u64) -> f64 {
        unit(self.bits(n))
    }

    /// Other numbers of the same path, one step further.
    #[must_use]
    pub fn substream(self, step: u64) -> Self {
        Self(mix(self.0, step))
    }
}

/// One round of a 64-bit hash: a bijective finaliser (Stafford's mix 13) over the running key and the next word.
#[inline]
#[doc(hidden)]
pub fn mix(key: u64, word: u64) -> u64 {
    let mut z = (key ^ word.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// 2⁻⁵³: what turns 53 random bits into a number of [0, 1).
const UNIT: f64 = 1.0 / (1_u64 << 53) as f64;

#[inline]
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 * UNIT
}

/// The index below `n` that random bits choose: the high half of a 128-bit product.
#[inline]
#[doc(hidden)]
pub fn index_below(bits: u64, n: u64) -> u64 {
    ((u128::from(bits) * u128::from(n)) >> 64) as u64
}

impl Stream {
    /// The stream of this seed alone: [`stream`] with no path.
    pub fn seed(seed: u64) -> Self {
        stream(seed, &[])
    }

    /// The next 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A uniform number of [0, 1), a multiple of 2⁻⁵³.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        unit(self.bits())
    }

    /// A uniform index below `n`, without bias for every n that fits a memory: the high half of a 128-bit product,
    /// whose bias of n/2⁶⁴ is below what any experiment can see.
    #[inline]
    pub fn below(&mut self, n: usize) -> usize {
        index_below(self.bits(), n as u64) as usize
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

impl TryRng for Stream {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.0.try_next_u32()
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0.try_next_u64()
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.try_fill_bytes(bytes)
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
    fn distributions_are_pinned() {
        // What policies draw through rand_distr is a promise too: a new version of that crate must not change it
        // unseen.
        use rand_distr::{Beta, Distribution, Exp1, Gamma, StandardNormal};
        let mut s = stream(1, &[9]);
        let drawn: [f64; 6] = [
            Beta::new(2.0, 5.0).unwrap().sample(&mut s),
            Beta::new(0.5, 0.5).unwrap().sample(&mut s),
            Gamma::new(3.0, 1.0).unwrap().sample(&mut s),
            Gamma::new(0.3, 1.0).unwrap().sample(&mut s),
            Exp1.sample(&mut s),
            StandardNormal.sample(&mut s),
        ];
        assert_eq!(drawn, DISTRIBUTIONS);
        // The same bits, whichever way they are asked for.
        let (mut own, mut theirs) = (stream(1, &[9]), stream(1, &[9]));
        assert_eq!(own.bits(), theirs.next_u64());
        assert_eq!(own.normal(), Distribution::<f64>::sample(&StandardNormal, &mut theirs));
    }
    const DISTRIBUTIONS: [f64; 6] = [
        0.324_055_881_074_873_26,
        0.945_771_656_107_024,
        2.649_153_105_767_941_6,
        3.890_483_139_236_37,
        1.065_948_870_894_977_1,
        1.691_476_932_820_466_6,
    ];

    #[test]
    fn numbered_numbers_are_pinned_and_uniform() {
        let answers = numbered(1, &[REPLICATION, 0, ANSWERS]);
        assert_eq!([1, 2, 1_000_000].map(|n| answers.bits(n)), NUMBERED);
        // Neighbours in number and in replication are unrelated: pairs of bytes fill a table evenly (χ² of 65,535
        // degrees).
        let other = numbered(1, &[REPLICATION, 1, ANSWERS]);
        for neighbour in [true, false] {
            let (draws, mut seen) = (1 << 22, vec![0_u32; 1 << 16]);
            for n in 0..draws {
                let (x, y) = (answers.bits(n), if neighbour { answers.bits(n + 1) } else { other.bits(n) });
                seen[((x >> 56 << 8) | (y >> 56)) as usize] += 1;
            }
            let expected = draws as f64 / 65_536.0;
            let chi: f64 = seen.iter().map(|n| (f64::from(*n) - expected).powi(2) / expected).sum();
            assert!((chi - 65_535.0).abs() < 4.0 * (2.0 * 65_535.0_f64).sqrt(), "{chi}");
        }
    }
    const NUMBERED: [u64; 3] = [4_223_923_127_482_602_154, 7_667_793_842_746_933_231, 9_407_251_792_677_582_330];

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
