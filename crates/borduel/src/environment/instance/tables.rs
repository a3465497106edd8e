//! Instances that are what they are: tables of the literature.

use super::Listed;

/// p(i,j) for i < j, row by row.
fn upper(k: usize, upper: &[f64]) -> Listed {
    let mut next = upper.iter();
    // As many numbers as pairs: see the tests.
    Listed::new(k, |_, _| next.next().copied().unwrap_or(0.5))
}

/// Six rankers of arXiv's full-text search, compared by interleaving (Yue, Joachims 2011).
pub(super) fn six_rankers() -> Listed {
    const UPPER: [f64; 15] = [0.55, 0.55, 0.54, 0.61, 0.61, 0.55, 0.55, 0.58, 0.60, 0.54, 0.51, 0.56, 0.54, 0.50, 0.51];
    upper(6, &UPPER)
}

/// Komiyama et al. 2015: the first beats all others with .6, and these each other in a circle with .9.
pub(super) fn cyclic() -> Listed {
    upper(4, &[0.6, 0.6, 0.6, 0.9, 0.1, 0.9])
}

/// p(i,j) = ½ + 0.05(j − i), K = 8.
pub(super) fn arithmetic() -> Listed {
    Listed::new(8, |i, j| 0.5 + 0.05 * (j - i) as f64)
}

/// Five rankers of the MSLR data, informational click model, with a Condorcet winner (from the data of Wu, Liu 2016).
pub(super) fn mslr_5() -> Listed {
    const UPPER: [f64; 10] = [
        0.535_194_66,
        0.612_593_5,
        0.756_960_08,
        0.765_474_22,
        0.579_858_31,
        0.727_451_16,
        0.738_200_53,
        0.658_957_08,
        0.668_770_89,
        0.509_994_65,
    ];
    upper(5, &UPPER)
}
