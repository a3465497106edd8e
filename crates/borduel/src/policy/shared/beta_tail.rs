//! Beta distributions seen from ½ or another point: how likely they exceed it, and draws from one side of it.

use crate::stream::Stream;
use rand_distr::{Beta, Distribution};
use std::f64::consts::PI;

/// P(X > ½) for X ~ Beta(a, b), a and b at least 1.
///
/// For a ≥ b the other side is the small one, and I_½(a,b) = 2^{−a−b} Γ(a+b)/(Γ(a+1)Γ(b)) · Σ_n Π_{m<n}
/// (a+b+m)/(2(a+1+m)), a sum of positive terms that shrink from the first; no digit is lost. It holds for ties (halves)
/// as for whole counts.
pub(crate) fn exceeds(a: f64, b: f64) -> f64 {
    if a >= b { 1.0 - below(a, b) } else { below(b, a) }
}

/// P(X < ½) for X ~ Beta(a, b) with a ≥ b.
fn below(a: f64, b: f64) -> f64 {
    // `as` cuts off what lies between whole numbers; then it is none.
    let (large, small) = (a as usize, b as usize);
    if large <= TABLE && (large as f64, small as f64) == (a, b) {
        return BELOW[place(large, small)];
    }
    lower(a, b, 0.5).min(0.5)
}

/// Up to this many answers to one of a pair are looked up.
const TABLE: usize = 64;

/// Where the probability of whole a ≥ b ≥ 1 stands.
const fn place(a: usize, b: usize) -> usize {
    a * (a - 1) / 2 + b - 1
}

/// P(X < ½) for X ~ Beta(a, b) with whole a ≥ b: ½ where they are equal, 2^{−a} where b is 1, else half of the two
/// before it, as with the last of so many tosses of a coin.
static BELOW: [f64; TABLE * (TABLE + 1) / 2] = {
    let mut table = [0.5; TABLE * (TABLE + 1) / 2];
    let mut a = 2;
    while a <= TABLE {
        table[place(a, 1)] = 0.5 * table[place(a - 1, 1)];
        let mut b = 2;
        while b < a {
            table[place(a, b)] = 0.5 * (table[place(a - 1, b)] + table[place(a, b - 1)]);
            b += 1;
        }
        a += 1;
    }
    table
};

/// P(X > x) for X ~ Beta(a, b), a and b at least 1, x no less than the mean.
pub(crate) fn upper(a: f64, b: f64, x: f64) -> f64 {
    lower(b, a, 1.0 - x)
}

/// P(X < x) for X ~ Beta(a, b) with x no larger than the mean: the sum above with x in the place of ½.
fn lower(a: f64, b: f64, x: f64) -> f64 {
    let n = a + b;
    let lead = a - n * x;
    // N·d(a/N, x), where the logarithms' leading parts cancel.
    let divergence = a * (lead / (n * x)).ln_1p() + b * (-lead / (n * (1.0 - x))).ln_1p();
    let first = remainder(n) - remainder(a) - remainder(b) - divergence + 0.5 * (b / (a * n * 2.0 * PI)).ln();
    // Four terms at a time, over one denominator: a division is what costs, and none waits for the term before.
    let (mut term, mut sum, mut m) = (1.0, 1.0, 0.0);
    loop {
        let [p, q, r, s] = [0.0, 1.0, 2.0, 3.0].map(|k| x * (n + (m + k)));
        let [t, u, v, w] = [1.0, 2.0, 3.0, 4.0].map(|k| a + (m + k));
        let (late, all) = (v * w, t * u * (v * w));
        sum += term * (p * (u * late + q * (late + r * (w + s))) / all);
        term *= p * q * (r * s) / all;
        m += 4.0;
        // Later ratios are smaller still, so that what is left is below this share of the sum.
        if term < 1e-17 * sum {
            return (first.exp() * sum).min(1.0);
        }
    }
}

/// What Stirling's formula misses: log Γ(x) − (x − ½) log x + x − ½ log 2π.
fn remainder(x: f64) -> f64 {
    if x < 16.0 {
        // Counts are whole numbers, or halves where there were ties. (`as` cuts off what lies between.)
        let place = (2.0 * x) as usize;
        return match place.checked_sub(2).and_then(|place| REMAINDERS.get(place)) {
            Some(known) if place as f64 == 2.0 * x => *known,
            _ => libm::lgamma(x) - (x - 0.5) * x.ln() + x - 0.5 * (2.0 * PI).ln(),
        };
    }
    let y = 1.0 / (x * x);
    (1.0 / 12.0 - y * (1.0 / 360.0 - y * (1.0 / 1260.0 - y * (1.0 / 1680.0 - y / 1188.0)))) / x
}

/// The same of 1, 3/2, 2, …, 31/2, to the last digit.
const REMAINDERS: [f64; 30] = [
    0.081_061_466_795_327_26,
    0.054_814_121_051_917_65,
    0.041_340_695_955_409_3,
    0.033_162_873_519_936_29,
    0.027_677_925_684_998_34,
    0.023_746_163_656_297_496,
    0.020_790_672_103_765_093,
    0.018_488_450_532_673_187,
    0.016_644_691_189_821_193,
    0.015_134_973_221_917_378,
    0.013_876_128_823_070_748,
    0.012_810_465_242_920_227,
    0.011_896_709_945_891_77,
    0.011_104_559_758_206_917,
    0.010_411_265_261_972_096,
    0.009_799_416_126_158_804,
    0.009_255_462_182_712_733,
    0.008_768_700_134_139_386,
    0.008_330_563_433_362_87,
    0.007_934_114_564_314_02,
    0.007_573_675_487_951_841,
    0.007_244_554_301_320_383,
    0.006_942_840_107_209_53,
    0.006_665_247_032_707_682,
    0.006_408_994_188_004_207,
    0.006_171_712_263_039_458,
    0.005_951_370_112_758_847_5,
    0.005_746_216_513_010_115_5,
    0.005_554_733_551_962_801,
    0.005_375_599_032_926_835,
];

/// A draw of X ~ Beta(a, b), a and b at least 1.
pub(crate) fn beta(a: f64, b: f64, stream: &mut Stream) -> f64 {
    // Positive finite parameters are never refused; the mean is what a draw would be close to.
    Beta::new(a, b).map_or(a / (a + b), |beta| beta.sample(stream))
}

/// Up to this many of the fewer a product of powers is the quicker way to draw.
const FEW: f64 = 4.0;

/// The least of some draws.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Least {
    value: f64,
    /// log(1 − value).
    log_rest: f64,
}

impl Least {
    /// Of none so far.
    pub(crate) const NONE: Self = Self { value: f64::INFINITY, log_rest: f64::NEG_INFINITY };

    /// Draws X ~ Beta(a, b), a and b at least 1, and says whether it is less than all before.
    ///
    /// For whole b up to [`FEW`] log X is drawn as Σ_{k<b} log U_k/(a+k), and for such a log(1 − X) in the same way, as
    /// is quick for a pair with few answers; the second is compared as it is.
    #[inline]
    pub(crate) fn draw(&mut self, a: f64, b: f64, stream: &mut Stream) -> bool {
        if a < b && a <= FEW && a.fract() == 0.0 {
            let log_rest = log_product(a, b, stream);
            let less = log_rest > self.log_rest;
            if less {
                *self = Self { value: 1.0 - log_rest.exp(), log_rest };
            }
            return less;
        }
        let value = if a == 1.0 && b == 1.0 {
            stream.uniform()
        } else if b <= FEW && b.fract() == 0.0 {
            log_product(b, a, stream).exp()
        } else {
            beta(a, b, stream)
        };
        let less = value < self.value;
        if less {
            *self = Self { value, log_rest: (-value).ln_1p() };
        }
        less
    }
}

/// Σ_{k<few} log U_k/(many+k).
#[inline]
fn log_product(few: f64, many: f64, stream: &mut Stream) -> f64 {
    (0..few as u32).map(|k| stream.uniform().ln() / (many + f64::from(k))).sum()
}

/// A draw of X ~ Beta(a, b) given X > `cut`, of which the probability is q.
///
/// Where that is rare, the cut lies above the mode; log density is concave and so lies below its tangent at the cut:
/// cut + y with y exponential of the tangent's rate on (0, 1 − cut) is accepted with the ratio of the two.
pub(crate) fn above(a: f64, b: f64, cut: f64, q: f64, stream: &mut Stream) -> f64 {
    if q > 0.05 {
        loop {
            let x = beta(a, b, stream);
            if x > cut {
                return x;
            }
        }
    }
    let rest = 1.0 - cut;
    let rate = (b - 1.0) / rest - (a - 1.0) / cut;
    let within = -(-rest * rate).exp_m1();
    loop {
        let y = -(-stream.uniform() * within).ln_1p() / rate;
        let x = cut + y;
        // log of x^{a−1}(1−x)^{b−1} over its value at the cut, and over the tangent.
        let log = (a - 1.0) * (x / cut).ln() + (b - 1.0) * ((1.0 - x) / rest).ln() + rate * y;
        if stream.uniform().ln() < log {
            return x;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::stream;

    /// The same by the binomial sum, for whole counts: P(Binomial(a+b−1, ½) ≤ a−1).
    fn binomial(a: u32, b: u32) -> f64 {
        let n = a + b - 1;
        // In units of 2⁻ⁿ, exact in 128 bits.
        let mut choose: u128 = 1;
        let mut sum: u128 = 0;
        for k in 0..a {
            sum += choose;
            choose = choose * u128::from(n - k) / u128::from(k + 1);
        }
        sum as f64 / 2_f64.powi(i32::try_from(n).unwrap())
    }

    #[test]
    fn the_chance_of_more_than_one_half_is_the_binomial_sum() {
        for a in 1..60 {
            for b in 1..60 {
                let (fast, exact) = (exceeds(f64::from(a), f64::from(b)), binomial(a, b));
                assert!((fast - exact).abs() < 1e-13, "{a} {b}: {fast} {exact}");
                assert!((fast - exact).abs() < 1e-12 * exact.min(1.0 - exact) + 3e-16, "{a} {b}: {fast} {exact}");
            }
        }
    }

    /// The same by integrating the density with Simpson's rule, for any counts.
    fn integral(a: f64, b: f64) -> f64 {
        let log_beta = libm::lgamma(a) + libm::lgamma(b) - libm::lgamma(a + b);
        let density = |x: f64| ((a - 1.0) * x.ln() + (b - 1.0) * (1.0 - x).ln() - log_beta).exp();
        let (steps, width) = (200_000, 0.5 / 200_000.0);
        let weight = |s: i32| if s == 0 || s == steps { 1.0 } else { f64::from(2 + 2 * (s % 2)) };
        let value = |s: i32| if s == steps && b > 1.0 { 0.0 } else { density(0.5 + width * f64::from(s)) };
        (0..=steps).map(|s| weight(s) * value(s)).sum::<f64>() * width / 3.0
    }

    #[test]
    fn ties_and_long_counts_are_right_too() {
        for (a, b) in [(3.5, 5.0), (17.5, 12.5), (40.0, 31.5), (520.5, 480.0), (20_100.0, 19_900.5)] {
            let (fast, slow) = (exceeds(a, b), integral(a, b));
            // The integral's own log Γ, of up to 4·10⁵, has an absolute error of its last digit.
            let digits: f64 = 1e-12_f64.max(1e-14 * (a + b));
            assert!((fast - slow).abs() < digits, "{a} {b}: {fast} {slow}");
            assert!((fast + exceeds(b, a) - 1.0).abs() < 1e-15);
        }
        // Central limit: P(Beta(n,n) > ½) = ½ to the last digit, also for very many answers.
        assert!((exceeds(5e6, 5e6) - 0.5).abs() < 1e-12, "{}", exceeds(5e6, 5e6));
        assert!(exceeds(1e5, 1.0) == 1.0 && exceeds(1.0, 1e5) == 0.0);
    }

    #[test]
    fn the_table_of_small_counts_is_what_its_formula_says() {
        for place in 2..32_u32 {
            let x = 0.5 * f64::from(place);
            let formula = libm::lgamma(x) - (x - 0.5) * x.ln() + x - 0.5 * (2.0 * PI).ln();
            // The formula loses digits: its parts are up to 40 times as large as they are apart from each other.
            assert!((remainder(x) - formula).abs() < 2e-14, "{x}: {} {formula}", remainder(x));
            // r(x) − r(x+1) = (x + ½) log(1 + 1/x) − 1, also where the table ends, and between its entries.
            for x in [x, x + 0.2] {
                let step = (x + 0.5) * (1.0 / x).ln_1p() - 1.0;
                assert!((remainder(x) - remainder(x + 1.0) - step).abs() < 1e-14, "{x}");
            }
        }
    }

    /// One draw, the least of itself.
    fn drawn(a: f64, b: f64, s: &mut Stream) -> f64 {
        let mut least = Least::NONE;
        assert!(least.draw(a, b, s));
        least.value
    }

    #[test]
    fn the_least_of_draws_is_the_least_of_the_same_drawn_alone() {
        let mut s = stream(7, &[]);
        // Drawn as a logarithm of either side, as one uniform number, and in the long way.
        let laws = [(3.0, 9.0), (1.0, 1.0), (9.0, 3.0), (5.0, 12.0), (2.0, 5.0), (1.5, 7.0)];
        for _ in 0..2000 {
            let mut twin = s.clone();
            let (mut least, mut whose) = (Least::NONE, 0);
            for (place, (a, b)) in laws.into_iter().enumerate() {
                if least.draw(a, b, &mut s) {
                    whose = place;
                }
            }
            let alone: Vec<f64> = laws.into_iter().map(|(a, b)| drawn(a, b, &mut twin)).collect();
            assert_eq!(whose, (0..laws.len()).min_by(|i, j| alone[*i].total_cmp(&alone[*j])).unwrap(), "{alone:?}");
            assert_eq!(least.value, alone[whose]);
        }
    }

    #[test]
    fn draws_of_few_answers_have_the_moments_of_their_law() {
        let mut s = stream(6, &[]);
        for (a, b) in [(1.0, 1.0), (1.0, 2.0), (4.5, 1.0), (1.0, 30.0), (3.0, 2.0), (4.0, 9.0), (3.0, 3.0), (1.5, 7.0)]
        {
            let n: f64 = a + b;
            let (mean, variance) = (a / n, a * b / (n * n * (n + 1.0)));
            let draws: Vec<f64> = (0..40_000).map(|_| drawn(a, b, &mut s)).collect();
            assert!(draws.iter().all(|x| (0.0..=1.0).contains(x)));
            let average = draws.iter().sum::<f64>() / 40_000.0;
            assert!((average - mean).abs() < 4.0 * (variance / 40_000.0).sqrt(), "{a} {b}: {average} {mean}");
            let squares: Vec<f64> = draws.iter().map(|x| (x - mean).powi(2)).collect();
            let spread = squares.iter().sum::<f64>() / 40_000.0;
            let error = (squares.iter().map(|x| (x - spread).powi(2)).sum::<f64>() / 40_000.0).sqrt() / 200.0;
            assert!((spread - variance).abs() < 4.0 * error, "{a} {b}: {spread} {variance}");
        }
    }

    #[test]
    fn draws_from_one_side_have_the_mean_of_that_side() {
        let mut s = stream(4, &[]);
        for (a, b) in [(3.0, 4.0), (10.0, 25.0), (2.0, 9.0), (1.0, 8.0), (300.0, 380.0)] {
            let q = exceeds(a, b);
            // E[X; X > ½] = a/(a+b) P(Beta(a+1, b) > ½).
            let mean = a / (a + b) * exceeds(a + 1.0, b) / q;
            let draws: Vec<f64> = (0..40_000).map(|_| above(a, b, 0.5, q, &mut s)).collect();
            assert!(draws.iter().all(|x| *x > 0.5 && *x < 1.0));
            let average = draws.iter().sum::<f64>() / 40_000.0;
            let sd = (draws.iter().map(|x| (x - average).powi(2)).sum::<f64>() / 40_000.0).sqrt();
            assert!((average - mean).abs() < 4.0 * sd / 200.0, "{a} {b}: {average} {mean}");
        }
    }

    #[test]
    fn tails_beyond_any_point_are_their_integrals_and_drawn_from() {
        let mut s = stream(5, &[]);
        for (a, b, x) in [(3.5, 5.0, 0.6), (40.0, 31.5, 0.7), (520.5, 480.0, 0.56), (1.0, 30.0, 0.1), (2.0, 1.0, 0.9)] {
            let q = upper(a, b, x);
            // X given X > x has E[X; X > x] = a/(a+b) P(Beta(a+1, b) > x), and x is far enough above that mean too.
            let mean = a / (a + b) * upper(a + 1.0, b, x) / q;
            let mut hits = 0.0;
            for _ in 0..40_000 {
                hits += f64::from(u8::from(beta(a, b, &mut s) > x));
            }
            let error = (q * (1.0 - q) / 40_000.0).sqrt();
            assert!((hits / 40_000.0 - q).abs() < 4.0 * error, "{a} {b} {x}: {q} {hits}");
            let draws: Vec<f64> = (0..40_000).map(|_| above(a, b, x, q, &mut s)).collect();
            assert!(draws.iter().all(|draw| *draw > x && *draw < 1.0));
            let average = draws.iter().sum::<f64>() / 40_000.0;
            let sd = (draws.iter().map(|x| (x - average).powi(2)).sum::<f64>() / 40_000.0).sqrt();
            assert!((average - mean).abs() < 4.0 * sd / 200.0, "{a} {b} {x}: {average} {mean}");
        }
    }
}
