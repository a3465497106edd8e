//! Features: antisymmetry, the dictionary, the span, refusals, and sums held against plain loops.

use super::*;
use crate::error::Error;
use crate::stream::stream;

fn random_rows(seed: u64, n: usize, d: usize, size: f64) -> Vec<f64> {
    let mut s = stream(seed, &[]);
    (0..n * d).map(|_| size * (2.0 * s.uniform() - 1.0)).collect()
}

/// The same features three ways: implicit differences, a function, and an array.
fn three_ways(k: usize, d: usize) -> Vec<Features> {
    let x = random_rows(5, k, d, 0.5 / (d as f64).sqrt());
    let phi = |i: usize, j: usize, out: &mut [f64]| (0..d).for_each(|c| out[c] = x[i * d + c] - x[j * d + c]);
    let mut array = vec![0.0; k * k * d];
    for i in 0..k {
        for j in 0..k {
            phi(i, j, &mut array[(i * k + j) * d..][..d]);
        }
    }
    vec![
        Features::differences(k, d, &x).unwrap(),
        Features::from_fn(k, d, phi).unwrap(),
        Features::from_array(k, d, &array).unwrap(),
    ]
}

#[test]
fn sums_agree_with_plain_loops() {
    let (k, d) = (9, 3);
    let theta = [0.3, -0.7, 1.1];
    for features in three_ways(k, d) {
        let projection = features.project(&theta);
        let mut moment = DMatrix::<f64>::zeros(d, d);
        let mut means = vec![0.0; k * d];
        for i in 0..k {
            for j in 0..k {
                let phi = features.phi(Duel(i, j));
                let opposite: Vec<f64> = features.phi(Duel(j, i)).iter().map(|x| 0.0 - x).collect();
                assert_eq!(phi.iter().map(|x| x + 0.0).collect::<Vec<_>>(), opposite);
                assert!((features.score(&projection, Duel(i, j)) - dot(&phi, &theta)).abs() < 1e-14);
                let slot = features.slot(Duel(i, j));
                let signed = if slot.negative { -1.0 } else { 1.0 };
                assert!((signed * features.slot_score(&projection, slot.index) - dot(&phi, &theta)).abs() < 1e-14);
                let v = DVector::from_vec(phi.clone());
                moment += &v * v.transpose() / (k * k) as f64;
                add_scaled(&mut means[i * d..(i + 1) * d], 1.0 / k as f64, &phi);
            }
        }
        assert!((features.second_moment() - &moment).abs().max() < 1e-14);
        assert!(features.means().iter().zip(&means).all(|(a, b)| (a - b).abs() < 1e-14));
        let weights: Vec<f64> = (0..features.distinct()).map(|s| 1.0 + (s % 5) as f64).collect();
        let mut sum = DVector::<f64>::zeros(d);
        let mut information = DMatrix::<f64>::zeros(d, d);
        for (slot, w) in weights.iter().enumerate() {
            let v = DVector::from_vec(features.vector(slot));
            sum += *w * &v;
            information += *w * &v * v.transpose();
        }
        assert!((features.combine(weights.iter().copied().enumerate()) - sum).abs().max() < 1e-12);
        assert!((features.information(weights.iter().copied().enumerate()) - information).abs().max() < 1e-12);
    }
}

#[test]
fn slots_of_differences_are_their_own_inverse() {
    for k in [2, 3, 7, 100] {
        let features = Features::one_hot(k).unwrap();
        for i in 0..k {
            for j in 0..k {
                let slot = features.slot(Duel(i, j));
                if i == j {
                    assert_eq!(slot.index, features.distinct());
                } else {
                    assert_eq!(features.pair_of(slot.index), (i.min(j), i.max(j)));
                    assert_eq!(slot.negative, i > j);
                }
            }
        }
    }
    // Far beyond what could be listed: the quadratic formula is still set right.
    let k = 1_000_000;
    let features = Features {
        items: k,
        dim: 1,
        given_dim: 1,
        scale: 1.0,
        basis: None,
        store: Store::Differences { items: Arc::new([]) },
        fingerprint: 0,
    };
    for (i, j) in [(0, 1), (0, k - 1), (1, 2), (k - 2, k - 1), (500_000, 500_001), (123_456, 999_999)] {
        assert_eq!(features.pair_of(features.slot(Duel(i, j)).index), (i, j));
    }
}

#[test]
fn one_hot_is_bradley_terry() {
    let k = 6;
    let features = Features::one_hot(k).unwrap();
    assert_eq!((features.dim(), features.given_dim(), features.lost()), (k - 1, k, 1));
    for i in 0..k {
        for j in 0..k {
            let phi = features.phi(Duel(i, j));
            let norm = dot(&phi, &phi).sqrt();
            assert!((norm - if i == j { 0.0 } else { 1.0 }).abs() < 1e-15);
        }
    }
    // A parameter of item strengths gives scores (s_i − s_j)/√2.
    let strengths = [0.1, -0.4, 0.9, 0.0, 0.2, -0.8];
    let theta = features.from_given(&strengths);
    let projection = features.project(&theta);
    for i in 0..k {
        for j in 0..k {
            let expected = strengths[i] - strengths[j];
            assert!((features.score(&projection, Duel(i, j)) - expected).abs() < 1e-14);
        }
    }
    let back = features.to_given(&theta);
    let mean = strengths.iter().sum::<f64>() / k as f64;
    assert!(back.iter().zip(strengths).all(|(b, s)| (b - (s - mean)).abs() < 1e-14));
}

#[test]
fn equal_vectors_share_a_slot_and_lost_dimensions_are_counted() {
    // Three of four coordinates, of which two always agree: rank 2 in R⁴.
    let features = Features::from_fn(4, 4, |i, j, out| {
        let step = (j - i) as f64 / 8.0;
        out.copy_from_slice(&[step, step, if i == 0 { -0.25 } else { 0.25 }, -0.0]);
    })
    .unwrap();
    assert_eq!((features.dim(), features.lost()), (2, 2));
    assert_eq!(features.slot(Duel(1, 2)), features.slot(Duel(2, 3)));
    assert_eq!(features.distinct(), 5);
    let pairs = features.pairs_of(&[features.slot(Duel(1, 2)).index]);
    assert_eq!(pairs, [vec![Duel(1, 2), Duel(2, 3)]]);
    // Lengths and angles are those of the given vectors.
    let (a, b) = (features.phi(Duel(0, 2)), features.phi(Duel(1, 2)));
    assert!((dot(&a, &a) - (2.0 * 0.0625 + 0.0625)).abs() < 1e-15);
    assert!((dot(&a, &b) - (2.0 * 0.25 * 0.125 - 0.0625)).abs() < 1e-15);
    assert!(features.lambda0() > 1e-3);
}

#[test]
fn constant_columns_are_lost() {
    let features = Features::differences(3, 2, &[0.3, 7.0, 0.5, 7.0, 0.9, 7.0]).unwrap();
    assert_eq!((features.dim(), features.lost()), (1, 1));
    assert!((features.phi(Duel(0, 2))[0].abs() - 0.6).abs() < 1e-15);
}

#[test]
fn refusals_name_the_culprit() {
    assert_eq!(Features::one_hot(1).unwrap_err(), Error::TooFewItems { found: 1 });
    for items in [1 << 32, usize::MAX] {
        let sizes = [Features::one_hot(items), Features::from_fn(items, 1, |_, _, _| ())];
        assert!(sizes.iter().all(|features| matches!(features, Err(Error::TooLarge { .. }))), "{items}");
    }
    assert!(matches!(Features::from_fn(2, usize::MAX, |_, _, _| ()), Err(Error::TooLarge { .. })));
    assert_eq!(Features::differences(2, 2, &[1.0, 2.0, 1.0, 2.0]).unwrap_err(), Error::RankZero);
    assert_eq!(Features::from_fn(3, 1, |_, _, out| out[0] = 0.0).unwrap_err(), Error::RankZero);
    assert!(matches!(Features::differences(2, 2, &[0.0; 3]).unwrap_err(), Error::Shape { expected: 4, found: 3, .. }));
    assert!(matches!(Features::from_array(2, 1, &[0.0; 3]).unwrap_err(), Error::Shape { expected: 4, found: 3, .. }));
    let error = Features::differences(2, 2, &[0.0, 0.0, f64::NAN, 0.0]).unwrap_err();
    assert!(error.to_string().contains("feature 0 of item 1"), "{error}");
    let error =
        Features::from_fn(3, 2, |i, _, out| out.copy_from_slice(&[0.1, if i == 1 { f64::INFINITY } else { 0.0 }]));
    assert!(error.unwrap_err().to_string().contains("coordinate 1 of φ(1,2)"));
    let error = Features::from_array(2, 1, &[0.0, 0.5, 0.5, 0.0]).unwrap_err();
    assert_eq!(error, Error::NotAntisymmetric { i: 0, j: 1, coordinate: 0 });
    let error = Features::from_array(2, 1, &[0.1, 0.5, -0.5, 0.0]).unwrap_err();
    assert_eq!(error, Error::NotAntisymmetric { i: 0, j: 0, coordinate: 0 });
    let vectors = [0.0, 0.0, 3.0, 4.0, 1.0, 0.0];
    let error = Features::differences(3, 2, &vectors).unwrap_err();
    assert_eq!(error, Error::NormTooLarge { i: 0, j: 1, norm: 5.0, factor: 0.2 });
    let scaled = Features::differences_scaled(3, 2, &vectors).unwrap();
    assert_eq!(scaled.scale(), 0.2);
    assert!((dot(&scaled.phi(Duel(0, 1)), &scaled.phi(Duel(0, 1))) - 1.0).abs() < 1e-15);
    let error = Features::from_fn(2, 1, |_, _, out| out[0] = -4.0).unwrap_err();
    assert_eq!(error, Error::NormTooLarge { i: 0, j: 1, norm: 4.0, factor: 0.25 });
    assert_eq!(Features::from_fn_scaled(2, 1, |_, _, out| out[0] = -4.0).unwrap().phi(Duel(0, 1)), [-1.0]);
}

#[test]
fn the_widest_pair_is_found_whatever_the_shape() {
    for seed in 0..40 {
        let (k, d) = (2 + seed as usize % 30, 1 + seed as usize % 4);
        let x = random_rows(seed, k, d, 3.0);
        let naive = (0..k)
            .flat_map(|i| (0..k).map(move |j| (i, j)))
            .map(|(i, j)| (0..d).map(|c| (x[i * d + c] - x[j * d + c]).powi(2)).sum::<f64>().sqrt())
            .fold(0.0, f64::max);
        match Features::differences(k, d, &x) {
            Err(Error::NormTooLarge { norm, .. }) => assert!((norm - naive).abs() < 1e-12),
            Ok(_) => assert!(naive <= 1.0),
            Err(other) => panic!("{other}"),
        }
    }
}

#[test]
fn equal_features_have_equal_fingerprints() {
    let a = Features::differences(3, 1, &[0.0, 0.25, 0.5]).unwrap();
    let b = Features::differences(3, 1, &[0.0, 0.25, 0.5]).unwrap();
    let c = Features::differences(3, 1, &[0.0, 0.25, 0.75]).unwrap();
    assert_eq!(a.fingerprint(), b.fingerprint());
    assert_ne!(a.fingerprint(), c.fingerprint());
}

#[test]
fn numbers_at_the_edge_are_scaled_or_refused_by_name() {
    // One feature of any size: scaled it is the same, as long as its differences have all their digits.
    for size in [1e-280, 1e-200, 1e-60, 1.0, 1e60, 1e200, 1e289] {
        let features = Features::differences_scaled(3, 1, &[0.0, -size, size]).unwrap();
        assert_eq!(features.dim(), 1, "{size:e}");
        let (near, far) = (features.phi(Duel(2, 0))[0], features.phi(Duel(2, 1))[0]);
        assert!((near / far - 0.5).abs() < 1e-12 && far <= 1.0 + 1e-12, "{size:e}: {near} {far}");
        let theta = features.from_given(&[1.0 / size]);
        assert!((features.phi(Duel(2, 1))[0] * theta[0] - 2.0).abs() < 1e-12, "{size:e}");
        let pairs = Features::from_fn_scaled(3, 1, |i, j, out| {
            out[0] = size * [0.0, -1.0, 1.0][i] - size * [0.0, -1.0, 1.0][j];
        });
        assert_eq!(pairs.unwrap().dim(), 1);
        let standard = Features::standardised(3, 1, &[0.0, -size, size]).unwrap();
        assert!((standard.phi(Duel(2, 1))[0] - 1.0).abs() < 1e-12);
    }
    // Without scaling, what is too short is refused with the factor that helps.
    for tiny in [1e-200, 1e-280] {
        let error = Features::differences(2, 1, &[tiny, 0.0]).unwrap_err();
        assert!(
            matches!(error, Error::NormTooSmall { i: 0, j: 1, factor, .. } if (factor * tiny - 1.0).abs() < 1e-12),
            "{error}"
        );
    }
    assert!(
        matches!(Features::differences(2, 1, &[1e200, 0.0]).unwrap_err(), Error::NormTooLarge { norm, .. } if (norm / 1e200 - 1.0).abs() < 1e-12)
    );
    // What cannot be scaled without losing digits is named.
    for (vectors, named) in [
        ([0.0, 0.0, 1e-300, 0.0], "feature 0 of item 1"),
        ([0.0, 0.0, 0.0, 1e-320], "feature 1 of item 1"),
        ([1e308, 0.0, -1e308, 0.0], "feature 0 of item 0"),
    ] {
        for made in [Features::differences(2, 2, &vectors), Features::differences_scaled(2, 2, &vectors)] {
            let error = made.unwrap_err();
            assert!(matches!(error, Error::Unrepresentable { .. }) && error.to_string().contains(named), "{error}");
        }
    }
    let error = Features::from_fn_scaled(2, 2, |_, _, out| out.copy_from_slice(&[0.0, -1e308])).unwrap_err();
    assert!(error.to_string().contains("coordinate 1 of φ(0,1)"), "{error}");
    // A feature that drowns beside another one is named too; one that is constant up to rounding is lost as ever.
    let drowned = [0.0, 0.0, 1.0, 1e-13, 0.5, 0.0];
    let error = Features::differences(3, 2, &drowned).unwrap_err();
    assert!(error.to_string().contains("feature 1 of item 1"), "{error}");
    assert_eq!(Features::standardised(3, 2, &drowned).unwrap().dim(), 2);
    let noise = [0.0, 0.3, 1.0, 0.1 + 0.2, 0.5, 0.3];
    assert_eq!(Features::differences(3, 2, &noise).unwrap().lost(), 1);
    assert_eq!(Features::standardised(3, 2, &noise).unwrap().lost(), 1);
    assert_eq!(
        Features::standardised(2, 1, &[0.0, f64::NAN]).unwrap_err().to_string(),
        "feature 0 of item 1 is NaN: every entry must be a finite number"
    );
}

#[test]
fn copies_share_their_vectors_and_saved_ones_come_back() {
    for features in three_ways(7, 3).into_iter().chain([Features::one_hot(4).unwrap()]) {
        let copy = features.clone();
        match (&features.store, &copy.store) {
            (Store::Dictionary { codes: a, .. }, Store::Dictionary { codes: b, .. }) => assert!(Arc::ptr_eq(a, b)),
            (Store::Differences { items: a }, Store::Differences { items: b }) => assert!(Arc::ptr_eq(a, b)),
            _ => panic!("a copy is stored as what it was copied from"),
        }
        let text = serde_json::to_string(&features).unwrap();
        let loaded: Features = serde_json::from_str(&text).unwrap();
        assert_eq!(loaded.fingerprint(), features.fingerprint());
        assert_eq!(serde_json::to_string(&loaded).unwrap(), text);
        assert_eq!(loaded.phi(Duel(2, 1)), features.phi(Duel(2, 1)));
        for (from, to) in [
            ("\"version\":1", "\"version\":9"),
            ("\"items\":", "\"items\":9"),
            ("\"given_dim\":", "\"given_dim\":1"),
            ("\"codes\":[", "\"codes\":[1,"),
            ("\"scale\":", "\"scale\":-"),
        ] {
            let tampered = text.replacen(from, to, 1);
            assert!(tampered == text || serde_json::from_str::<Features>(&tampered).is_err(), "{from}");
        }
    }
}

#[test]
#[should_panic(expected = "slot 99 of features that have 3 distinct vectors")]
fn a_slot_that_is_not_there_panics_as_documented() {
    let _ = Features::one_hot(3).unwrap().vector(99);
}

#[test]
fn more_features_than_a_square_of_them_fits_into_memory_are_refused() {
    let d = 30_000;
    let vectors: Vec<f64> = (0..2 * d).map(|at| f64::from(at as u32 % 7) / 1e4).collect();
    let error = Features::differences(2, d, &vectors).unwrap_err().to_string();
    assert!(error.contains("900000000 numbers in memory"), "{error}");
}

#[test]
fn a_family_is_in_one_basis_and_one_scale() {
    // Two contexts that differ in disjoint features, in three dimensions of which the last is nobody's.
    let (one, other) = (vec![0.0, 0.0, 7.0, 4.0, 0.0, 7.0], vec![0.0, 1.0, 7.0, 0.0, 3.0, 7.0]);
    let family = Features::family(2, 3, &[one.clone(), other]).unwrap();
    let theta = family[0].from_given(&[0.5, -2.0, 9.0]);
    for (features, score) in family.iter().zip([2.0, -4.0]) {
        assert_eq!((features.dim(), features.given_dim(), features.scale()), (2, 3, 0.25));
        assert!(features.shares_basis(&family[0]));
        let own = features.score(&features.project(&theta), Duel(1, 0));
        assert!((own - score).abs() < 1e-12, "{own} {score}");
    }
    // One context is what it is alone, to the bit.
    let alone = Features::differences_scaled(2, 3, &one).unwrap();
    assert_eq!(Features::family(2, 3, std::slice::from_ref(&one)).unwrap()[0].fingerprint(), alone.fingerprint());
    assert!(!alone.shares_basis(&family[0]));
    assert!(Features::family(2, 3, &[]).is_err() && Features::family(2, 3, &[one, vec![0.0; 5]]).is_err());
    let nan = Features::family(2, 1, &[vec![0.0, 1.0], vec![0.0, f64::NAN]]).unwrap_err().to_string();
    assert!(nan.contains("item 1 in context 1"), "{nan}");
}

#[test]
fn pairs_of_a_family_are_in_one_basis_and_one_scale() {
    // Two of three dimensions are used, each in a context of its own; in the third context all items are alike.
    let phi = |context: usize, i: usize, j: usize, out: &mut [f64]| {
        out.fill(0.0);
        if context < 2 {
            out[2 * context] = if i == 0 { (1 + context * j) as f64 } else { 0.0 };
        }
    };
    let family = Features::family_of_pairs(3, 3, 3, phi).unwrap();
    assert_eq!(family.iter().map(Features::distinct).collect::<Vec<_>>(), [1, 2, 0]);
    let theta = family[0].from_given(&[0.5, 7.0, -2.0]);
    for (context, features) in family.iter().enumerate() {
        assert!(features.shares_basis(&family[0]) && features.dim() == 2 && features.lost() == 1);
        // The longest, 3, is 1.
        assert!((features.scale() - 1.0 / 3.0).abs() < 1e-15);
        let projection = features.project(&theta);
        for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
            let mut given = [0.0; 3];
            if i < j {
                phi(context, i, j, &mut given);
            } else if j < i {
                phi(context, j, i, &mut given);
                given.iter_mut().for_each(|x| *x = -*x);
            }
            let score = 0.5 * given[0] - 2.0 * given[2];
            assert!((features.score(&projection, Duel(i, j)) - score).abs() < 1e-12, "{context} {i} {j}");
        }
    }
    let one = Features::family_of_pairs(3, 3, 1, phi).unwrap().remove(0);
    let alone = Features::from_fn_scaled(3, 3, |i, j, out| phi(0, i, j, out)).unwrap();
    assert_eq!(one.fingerprint(), alone.fingerprint());
    assert!(Features::family_of_pairs(3, 3, 0, phi).is_err());
    let nan = Features::family_of_pairs(2, 1, 2, |c, _, _, out| out[0] = if c == 1 { f64::NAN } else { 1.0 });
    assert!(nan.unwrap_err().to_string().contains("in context 1"));
}
