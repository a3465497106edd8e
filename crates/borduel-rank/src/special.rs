//! Special functions of statistics: quantiles and tails of the normal, Student's, the χ² and the Beta distribution, and
//! exact bounds of a share.

/// Φ(x), the standard normal distribution function.
pub(crate) fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}

/// The two-sided p-value of a standard normal statistic.
pub(crate) fn two_sided(z: f64) -> f64 {
    2.0 * normal_cdf(-z.abs())
}

/// P(T ≤ x) for Student's t with `df` degrees of freedom; normal when `df` is infinite.
pub(crate) fn t_cdf(x: f64, df: f64) -> f64 {
    if df.is_infinite() {
        return normal_cdf(x);
    }
    let tail = 0.5 * incomplete_beta(0.5 * df, 0.5, df / (df + x * x));
    if x > 0.0 { 1.0 - tail } else { tail }
}

/// The quantile of Student's t, by bisection on its distribution function.
pub(crate) fn t_quantile(p: f64, df: f64) -> f64 {
    let (mut low, mut high) = (-1.0, 1.0);
    while t_cdf(low, df) > p && low > -1e12 {
        low *= 2.0;
    }
    while t_cdf(high, df) < p && high < 1e12 {
        high *= 2.0;
    }
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if t_cdf(middle, df) < p { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The value of Student's t with `to` degrees of freedom that has the tail of t with `df` (Wallace 1959): from four
/// degrees on within 1 % down to tails of 1 in 200, and within 2 % down to 1 in 2,000.
pub(crate) fn same_tail(t: f64, df: f64, to: f64) -> f64 {
    let squeeze = |df: f64| (8.0 * df + 3.0) / (8.0 * df + 1.0);
    let z2 = if df.is_infinite() { t * t } else { df * (t * t / df).ln_1p() / squeeze(df).powi(2) };
    let size = if to.is_infinite() { z2 } else { to * (squeeze(to).powi(2) * z2 / to).exp_m1() };
    size.sqrt().copysign(t)
}

/// The quantile of χ² by the cube of a normal variable (Wilson and Hilferty), good to a few parts in a thousand.
pub(crate) fn chi_square_quantile(p: f64, df: f64) -> f64 {
    chi_square_from_normal(t_quantile(p, f64::INFINITY), df)
}

/// A χ² value of `df` degrees from a standard normal one (Wilson and Hilferty).
pub(crate) fn chi_square_from_normal(z: f64, df: f64) -> f64 {
    let c = 2.0 / (9.0 * df);
    df * (1.0 - c + z * c.sqrt()).max(0.0).powi(3)
}

/// The chance that χ² with these degrees of freedom is as large as this. Of thousands of degrees it is the cube of a
/// normal variable (Wilson and Hilferty).
pub(crate) fn chi_square_tail(x: f64, df: f64) -> f64 {
    if df <= 2000.0 {
        return incomplete_gamma(0.5 * df, 0.5 * x);
    }
    let spread = 2.0 / (9.0 * df);
    normal_cdf(-((x.max(0.0) / df).cbrt() - (1.0 - spread)) / spread.sqrt())
}

/// The chance that a variable of mean 0, variance 1 and this skewness is as large as z, by Pearson's third type: a χ²
/// of 8/skewness² degrees, shifted and scaled (and mirrored where it is skewed to the left).
pub(crate) fn skewed_tail(z: f64, skewness: f64) -> f64 {
    if skewness.abs() < 1e-4 {
        return normal_cdf(-z);
    }
    if skewness < 0.0 {
        return 1.0 - skewed_tail(-z, -skewness);
    }
    let df = 8.0 / (skewness * skewness);
    chi_square_tail(df + z * (2.0 * df).sqrt(), df)
}

/// Q(a, x) = Γ(a, x)/Γ(a), by its series below a + 1 and its continued fraction (Lentz's method) above.
fn incomplete_gamma(a: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    if x <= 0.0 {
        return 1.0;
    }
    let front = (a * x.ln() - x - libm::lgamma(a)).exp();
    if x < a + 1.0 {
        let (mut term, mut sum) = (1.0 / a, 1.0 / a);
        for n in 1..2000 {
            term *= x / (a + f64::from(n));
            sum += term;
            if term < 1e-16 * sum {
                break;
            }
        }
        return (1.0 - front * sum).max(0.0);
    }
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / TINY;
    let mut d = 1.0 / b;
    let mut value = d;
    for n in 1..2000 {
        let n = f64::from(n);
        let step = n * (a - n);
        b += 2.0;
        d = 1.0 / (step * d + b);
        c = b + step / c;
        value *= c * d;
        if (c * d - 1.0).abs() < 1e-15 {
            break;
        }
    }
    front * value
}

/// P(χ² ≥ q) with so many degrees of freedom or, where the variance is one that so many others tell, P(df F ≥ q).
pub(crate) fn f_tail(q: f64, df: f64, others: f64) -> f64 {
    if others.is_infinite() {
        return chi_square_tail(q, df);
    }
    incomplete_beta(0.5 * others, 0.5 * df, others / (others + q.max(0.0)))
}

/// `I_x(a, b)`, the regularised incomplete beta function, by its continued fraction (Lentz's method).
pub fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let front = (libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b) + a * x.ln() + b * (-x).ln_1p()).exp();
    if x < (a + 1.0) / (a + b + 2.0) {
        front * beta_fraction(a, b, x) / a
    } else {
        1.0 - front * beta_fraction(b, a, 1.0 - x) / b
    }
}

fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let guard = |v: f64| if v.abs() < TINY { TINY } else { v };
    let mut c = 1.0;
    let mut d = 1.0 / guard(1.0 - (a + b) * x / (a + 1.0));
    let mut value = d;
    for m in 1..500 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / guard(1.0 + even * d);
        c = guard(1.0 + even / c);
        value *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / guard(1.0 + odd * d);
        c = guard(1.0 + odd / c);
        let step = d * c;
        value *= step;
        if (step - 1.0).abs() < 1e-15 {
            break;
        }
    }
    value
}

/// Clopper and Pearson's lower bound of a share: the smallest p at which x or more of n would not be rarer than `tail`,
/// I_p(x, n − x + 1) = tail.
pub(crate) fn clopper_pearson_lower(x: f64, n: f64, tail: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, (x / n).min(1.0));
    for _ in 0..52 {
        let middle = 0.5 * (low + high);
        if incomplete_beta(x, n - x + 1.0, middle) < tail { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_agree_with_tables() {
        for (x, df, tail) in [
            (3.841_459, 1.0, 0.05),
            (18.307_04, 10.0, 0.05),
            (23.209_25, 10.0, 0.01),
            (2.558_21, 10.0, 0.99),
            (249.445_1, 200.0, 0.01),
            (304.939_56, 250.0, 0.01),
            (2_667.432_88, 2_500.0, 0.01),
        ] {
            assert!((chi_square_tail(x, df) / tail - 1.0).abs() < 2e-4, "{x} {df}: {}", chi_square_tail(x, df));
            let z = (x - df) / (2.0 * df).sqrt();
            assert!((skewed_tail(z, (8.0 / df).sqrt()) / tail - 1.0).abs() < 2e-4);
            assert!(((1.0 - skewed_tail(-z, -(8.0 / df).sqrt())) / tail - 1.0).abs() < 2e-4);
        }
        assert!((chi_square_tail(1e-3, 0.04) - 0.131_3).abs() < 1e-4 && chi_square_tail(-1.0, 3.0) == 1.0);
        assert!((skewed_tail(1.0, 0.0) - skewed_tail(1.0, 2e-4)).abs() < 1e-4);
        for (df, expected) in
            [(1.0, 12.706_205), (5.0, 2.570_582), (29.0, 2.045_230), (1000.0, 1.962_339), (f64::INFINITY, 1.959_964)]
        {
            assert!((t_quantile(0.975, df) - expected).abs() < 1e-6, "{df}");
            assert!((t_quantile(0.025, df) + expected).abs() < 1e-6, "{df}");
            for (to, p, off) in
                [(4.0, 0.975, 0.01), (40.0, 0.995, 0.01), (40.0, 0.9995, 0.02), (f64::INFINITY, 0.6, 0.01)]
            {
                let (found, expected) = (same_tail(t_quantile(p, df.max(4.0)), df.max(4.0), to), t_quantile(p, to));
                assert!((found / expected - 1.0).abs() < off, "{df} {to} {p}: {found} {expected}");
            }
            assert!((same_tail(-2.0, df, df) + 2.0).abs() < 1e-12);
            assert!((f_tail(expected * expected, 1.0, df) - 0.05).abs() < 1e-6, "{df}");
        }
        for (df, expected) in [(1.0, 3.841), (5.0, 11.070), (50.0, 67.505)] {
            assert!((chi_square_quantile(0.95, df) / expected - 1.0).abs() < 0.03, "{df}");
        }
        assert!((two_sided(1.959_964) - 0.05).abs() < 1e-6);
        assert_eq!(t_cdf(0.0, 7.0), 0.5);
    }

    #[test]
    fn bounds_of_shares_are_those_of_the_tables() {
        assert!((clopper_pearson_lower(3.0, 10.0, 0.025) - 0.066_74).abs() < 1e-5);
        assert!((1.0 - clopper_pearson_lower(7.0, 10.0, 0.025) - 0.652_45).abs() < 1e-5);
        assert!((clopper_pearson_lower(10.0, 10.0, 0.025) - 0.025_f64.powf(0.1)).abs() < 1e-9);
        assert_eq!(clopper_pearson_lower(0.0, 10.0, 0.025), 0.0);
    }
}
