//! Designs held against naive ones, against theorems, and against shapes that break things.

use super::*;
use crate::duel::Duel;
use crate::features::dot;
use crate::stream::{Stream, stream};
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;

fn normals(seed: u64, count: usize) -> Vec<f64> {
    let mut s: Stream = stream(seed, &[]);
    (0..count).map(|_| s.normal()).collect()
}

fn random_pairs(seed: u64, items: usize, dim: usize) -> Features {
    let mut s = stream(seed, &[]);
    Features::from_fn_scaled(items, dim, |_, _, out| out.iter_mut().for_each(|x| *x = s.normal())).unwrap()
}

fn random_items(seed: u64, items: usize, dim: usize) -> Features {
    Features::differences_scaled(items, dim, &normals(seed, items * dim)).unwrap()
}

/// The paper's hard instance: K = 2^{d+1}, φ(i,j) = (bit(i), 1)/√(d+1) for good i and bad j, 0 within either half.
fn hard(d: usize) -> Features {
    let half = 1 << d;
    let size = 1.0 / ((d + 1) as f64).sqrt();
    Features::from_fn(2 * half, d + 1, |i, j, out| {
        let good = if i < half && j >= half { size } else { 0.0 };
        (0..d).for_each(|c| out[c] = if i >> c & 1 == 1 { good } else { -good });
        out[d] = good;
    })
    .unwrap()
}

/// V = Σ π φφᵀ by plain loops.
fn information(features: &Features, points: impl Iterator<Item = (usize, f64)>) -> DMatrix<f64> {
    let d = features.dim();
    points.fold(DMatrix::zeros(d, d), |sum, (slot, w)| {
        let v = DVector::from_vec(features.vector(slot));
        sum + w * &v * v.transpose()
    })
}

/// ‖φ‖²_{V⁻¹} of every slot, by solving for each.
fn lengths(features: &Features, v: &DMatrix<f64>) -> Vec<f64> {
    let cholesky = v.clone().cholesky().unwrap();
    let length = |slot| {
        let phi = DVector::from_vec(features.vector(slot));
        phi.dot(&cholesky.solve(&phi))
    };
    (0..features.distinct()).map(length).collect()
}

/// The multiplicative algorithm w ← w ‖φ‖²_{V⁻¹}/d, slow and simple: log det V at its end.
fn naive_log_det(features: &Features, rounds: usize) -> f64 {
    let n = features.distinct();
    let mut w = vec![1.0 / n as f64; n];
    for _ in 0..rounds {
        let v = information(features, w.iter().copied().enumerate());
        for (w, g) in w.iter_mut().zip(lengths(features, &v)) {
            *w *= g / features.dim() as f64;
        }
    }
    information(features, w.iter().copied().enumerate()).determinant().ln()
}

/// Everything a design promises, checked without its own tools. `slack` covers rounding of the naive check.
fn check(features: &Features, design: &Design, tolerance: f64, slack: f64) {
    let d = features.dim();
    assert_eq!(design.support.len(), design.weights.len());
    assert!(design.support.len() <= d * (d + 1) / 2, "{} vectors for d = {d}", design.support.len());
    assert!(design.support.windows(2).all(|w| w[0] < w[1]));
    assert!(design.weights.iter().all(|w| *w > 0.0));
    assert!((design.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    for slot in &design.support {
        let v = features.vector(*slot);
        assert!(*slot < features.distinct() && dot(&v, &v) > 0.0, "a zero vector in the support");
    }
    let v = information(features, design.support.iter().copied().zip(design.weights.iter().copied()));
    let g = lengths(features, &v).into_iter().fold(0.0, f64::max);
    assert!(design.exact);
    assert!((design.g / g - 1.0).abs() < slack, "g = {} but {g} is measured", design.g);
    assert!(design.certificate() <= 1.0 + tolerance, "certificate {}", design.certificate());
    assert!(design.certificate() >= 1.0 - 1e-9);
}

#[test]
fn log_det_is_that_of_the_multiplicative_algorithm() {
    let pairs = (0..6).map(|seed| random_pairs(seed, 5 + seed as usize, 2 + seed as usize % 3));
    let items = (0..6).map(|seed| random_items(seed, 6 + seed as usize, 2 + seed as usize % 3));
    for features in pairs.chain(items) {
        let design = g_optimal(&features, 1e-7).unwrap();
        check(&features, &design, 1e-7, 1e-9);
        let points = design.support.iter().copied().zip(design.weights.iter().copied());
        let found = information(&features, points).determinant().ln();
        let naive = naive_log_det(&features, 4_000);
        // log det V ≥ its maximum − d·tolerance; the naive one is itself some 1e-3 short.
        assert!(found >= naive - 1e-6 && found <= naive + 5e-3, "{found} against {naive}");
    }
}

#[test]
fn the_maximum_is_d_at_a_tight_tolerance() {
    for (seed, tolerance) in [(1, 1e-6), (2, 1e-8), (3, 1e-10)] {
        for features in [random_pairs(seed, 60, 5), random_items(seed, 80, 6), hard(4)] {
            let design = g_optimal(&features, tolerance).unwrap();
            check(&features, &design, tolerance, 1e-9);
            // Vectors with weight are all as long as the longest: complementary slackness.
            let points = design.support.iter().copied().zip(design.weights.iter().copied());
            let all = lengths(&features, &information(&features, points));
            let share: f64 = design.support.iter().zip(&design.weights).map(|(slot, w)| w * all[*slot]).sum();
            assert!((share - features.dim() as f64).abs() < 1e-9);
        }
    }
}

#[test]
fn the_hard_instance_has_its_known_optimum() {
    for d in [2, 4, 6] {
        let features = hard(d);
        assert_eq!((features.distinct(), features.dim()), (1 << d, d + 1));
        let design = g_optimal(&features, 1e-6).unwrap();
        check(&features, &design, 1e-6, 1e-9);
        // V is the identity divided by d + 1.
        let points = design.support.iter().copied().zip(design.weights.iter().copied());
        let v = information(&features, points) * (d + 1) as f64;
        assert!((v - DMatrix::identity(d + 1, d + 1)).abs().max() < 1e-2);
    }
}

/// N for the "fewer arms" theorem at T = 10⁶, from the weights of whatever is counted separately.
fn samples(features: &Features, weights: impl Iterator<Item = f64>) -> f64 {
    let (d, k, t) = (features.dim() as f64, features.items() as f64, 1e6_f64);
    let epsilon = (d / t).cbrt() * (3.0 * k * k * t).ln().powf(-1.0 / 6.0);
    weights.map(|w| (d * w / (epsilon * epsilon)).ceil()).sum()
}

#[test]
fn the_paper_design_gives_the_known_figures() {
    let features = hard(6);
    let design = paper(&features).unwrap();
    assert!((design.g - 9.25).abs() < 0.01, "{}", design.g);
    assert!((design.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    assert_eq!(samples(&features, design.weights.iter().copied()), 58_613.0);
    let converged = g_optimal(&features, 0.01).unwrap();
    let n = samples(&features, converged.weights.iter().copied());
    assert!((55_650.0..55_750.0).contains(&n), "{n}");
}

/// The paper's loop, pair by pair, with V inverted each time.
fn naive_paper(features: &Features) -> (Vec<f64>, f64) {
    let (k, d) = (features.items(), features.dim());
    let mut weights = vec![1.0 / (k * k) as f64; k * k];
    let phi = |p: usize| DVector::from_vec(features.phi(Duel(p / k, p % k)));
    let longest = |weights: &[f64]| {
        let v: DMatrix<f64> = (0..k * k).map(|p| weights[p] * phi(p) * phi(p).transpose()).sum();
        let inverse = v.try_inverse().unwrap();
        let g: Vec<f64> = (0..k * k).map(|p| phi(p).dot(&(&inverse * phi(p)))).collect();
        let max = g.iter().copied().fold(0.0, f64::max);
        (max, g.iter().position(|x| *x >= max * (1.0 - 1e-9)).unwrap())
    };
    for _ in 0..20 {
        let (g, pair) = longest(&weights);
        let step = (g / d as f64 - 1.0) / (g - 1.0);
        for w in &mut weights {
            *w *= 1.0 - step;
        }
        weights[pair] += step;
    }
    let (g, _) = longest(&weights);
    (weights, g)
}

#[test]
fn the_paper_design_is_that_of_plain_loops() {
    for features in [random_pairs(3, 9, 3), random_items(4, 12, 4), Features::one_hot(6).unwrap(), hard(2)] {
        let design = paper(&features).unwrap();
        let (weights, g) = naive_paper(&features);
        for (p, (a, b)) in design.weights.iter().zip(&weights).enumerate() {
            assert!((a - b).abs() < 1e-9, "pair {p}: {a} against {b}");
        }
        assert!((design.g / g - 1.0).abs() < 1e-9);
    }
    // At the optimum the step is 0/0 for d = 1; nothing is left to do then.
    let design = paper(&Features::one_hot(2).unwrap()).unwrap();
    assert!((design.g - 1.0).abs() < 1e-12 && design.weights.iter().all(|w| w.is_finite()));
}

#[test]
fn one_hot_items_are_all_compared_equally_often() {
    for k in [2, 3, 20] {
        let features = Features::one_hot(k).unwrap();
        let design = g_optimal(&features, 1e-6).unwrap();
        check(&features, &design, 1e-6, 1e-9);
        let even = 2.0 / (k * (k - 1)) as f64;
        assert!(
            design.weights.len() == k * (k - 1) / 2 && design.weights.iter().all(|w| (w / even - 1.0).abs() < 1e-6)
        );
    }
}

#[test]
fn degenerate_shapes_are_no_exception() {
    let columns = |k: usize, d: usize, decades: f64| {
        let scale = |p: usize| 10_f64.powf(-decades * (p % d) as f64 / (d - 1) as f64);
        normals(9, k * d).into_iter().enumerate().map(|(p, x)| x * scale(p)).collect::<Vec<f64>>()
    };
    let turned = |rows: Vec<f64>, d: usize| {
        let turn = DMatrix::from_vec(d, d, normals(10, d * d)).qr().q();
        (turn * DMatrix::from_vec(d, rows.len() / d, rows)).as_slice().to_vec()
    };
    // Nearly the same vector thrice, two items thrice each, a line, exactly d vectors, one far outlier.
    let near = [0.0, 0.0, 0.5, 0.1, 0.5, 0.1 + 1e-4, 0.5, 0.1 + 2e-4];
    let twins = [0.0, 0.0, 0.3, 0.4, 0.0, 0.0, 0.3, 0.4, 0.1, -0.2, 0.0, 0.0, 0.3, 0.4];
    let shapes = [
        Features::differences(4, 2, &near),
        Features::differences(7, 2, &twins),
        Features::differences_scaled(9, 1, &normals(1, 9)),
        Features::differences(2, 3, &[0.0, 0.1, 0.0, 0.2, 0.1, 0.5]),
        Features::differences(3, 1, &[0.0, 0.25, 0.0]),
        Features::differences_scaled(
            30,
            3,
            &normals(5, 90).iter().enumerate().map(|(p, x)| if p < 3 { 1e5 * x } else { *x }).collect::<Vec<_>>(),
        ),
        Features::differences_scaled(40, 5, &columns(40, 5, 6.0)),
        Features::differences_scaled(40, 5, &turned(columns(40, 5, 4.0), 5)),
        Features::from_fn_scaled(3, 3, |i, j, out| out[i + j - 1] = 0.5),
        Features::from_fn_scaled(6, 3, |i, j, out| out[(i + j) % 3] = if i % 2 == 0 { 0.5 } else { 0.25 }),
    ];
    for features in shapes {
        let features = features.unwrap();
        let design = g_optimal(&features, 1e-6).unwrap();
        check(&features, &design, 1e-6, 1e-4);
    }
    // Ten decades between directions, in no particular position: beyond what V in these coordinates can tell.
    let features = Features::differences_scaled(50, 6, &turned(columns(50, 6, 9.0), 6)).unwrap();
    let design = g_optimal(&features, 0.01).unwrap();
    assert!(design.certificate() <= 1.01 && design.support.len() <= 21);
}

#[test]
fn tolerances_without_meaning_are_refused() {
    let features = random_items(1, 4, 2);
    for tolerance in [0.0, -0.1, f64::NAN, f64::INFINITY, 1e-11, 1.5] {
        let error = g_optimal(&features, tolerance).unwrap_err();
        assert!(matches!(&error, Error::Setting { name: "tolerance", .. }), "{error}");
    }
}

#[test]
fn a_search_finds_the_longest_pairs_of_many_items() {
    let (k, d) = (1_200, 3);
    let shapes: [fn(usize, &mut [f64], &mut Stream); 4] = [
        |_, _, _| (),
        |_, row, _| {
            let norm = dot(row, row).sqrt();
            for x in row {
                *x /= norm;
            }
        },
        |i, row, _| row.iter_mut().enumerate().for_each(|(c, x)| *x = 0.01 * *x + ((i * (c + 3)) % 7) as f64),
        |_, row, s| {
            let heavy = 1.0 / (s.uniform() + 1e-4);
            for x in row {
                *x *= heavy;
            }
        },
    ];
    for (seed, shape) in shapes.iter().enumerate() {
        let mut rows = normals(seed as u64, k * d);
        let mut s = stream(seed as u64, &[1]);
        rows.chunks_exact_mut(d).enumerate().for_each(|(i, row)| shape(i, row, &mut s));
        let features = Features::differences_scaled(k, d, &rows).unwrap();
        let all = Candidates::all(&features);
        let search = Search::start(&features, &all, &all.thinned()).unwrap();
        let y: Vec<Vec<f64>> =
            (0..k).map(|i| search.frame.rows(&features, &[features.slot(Duel(0, i)).index])).collect();
        let mut naive = Vec::new();
        for i in 0..k {
            for j in i + 1..k {
                // The rows of slots (0, i) are y_0 − y_i, and the zero slot gives 0.
                let length = y[i].iter().zip(&y[j]).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
                naive.push((length, features.slot(Duel(i, j)).index));
            }
        }
        naive.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let found = longest(&all, &search.frame, 3.0, 200, usize::MAX);
        assert_eq!(found.max, found.bound);
        // Only what is no shorter than d is of interest.
        assert_eq!(found.top.len(), naive.iter().filter(|x| x.0 > 3.0).count().min(200));
        for (a, b) in found.top.iter().zip(&naive) {
            assert!((a.0 / b.0 - 1.0).abs() < 1e-9, "shape {seed}: {a:?} against {b:?}");
        }
        // With hardly any budget the bound still holds.
        let found = longest(&all, &search.frame, 3.0, 200, 1 << 17);
        assert!(found.max <= naive[0].0 * (1.0 + 1e-9) && found.bound >= naive[0].0 * (1.0 - 1e-9));
    }
}

#[test]
fn a_search_over_cells_finds_the_longest_pair() {
    // A circle, where no item is farther out than another, and clusters; enough items for several cells.
    let (k, d) = (20_000, 2);
    for clusters in [false, true] {
        let mut rows = normals(3, k * d);
        for (i, row) in rows.chunks_exact_mut(d).enumerate() {
            let norm = dot(row, row).sqrt();
            let at = if clusters { [(i % 5) as f64, (i % 5 * i % 5) as f64] } else { [0.0; 2] };
            row.iter_mut().zip(at).for_each(|(x, c)| *x = *x / norm + 40.0 * c);
        }
        let features = Features::differences_scaled(k, d, &rows).unwrap();
        let all = Candidates::all(&features);
        let search = Search::start(&features, &all, &all.thinned()).unwrap();
        let y: Vec<f64> =
            (0..k).flat_map(|i| search.frame.rows(&features, &[features.slot(Duel(0, i)).index])).collect();
        let mut naive = 0.0_f64;
        for (i, a) in y.chunks_exact(d).enumerate() {
            for b in y.chunks_exact(d).skip(i + 1) {
                naive = naive.max((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2));
            }
        }
        for budget in [1 << 17, 1 << 22, usize::MAX] {
            let found = longest(&all, &search.frame, 2.0, 100, budget);
            assert!(found.max <= naive * (1.0 + 1e-9) && found.bound >= naive * (1.0 - 1e-9));
            assert!(budget < usize::MAX || found.max == found.bound);
        }
    }
}

#[test]
fn more_vectors_than_the_pool_change_nothing() {
    // 19,900 distinct vectors, and 499,500 pairs: both levels are at work.
    for features in [random_pairs(7, 200, 4), random_items(7, 1_000, 4)] {
        let design = g_optimal(&features, 1e-4).unwrap();
        check(&features, &design, 1e-4, 1e-9);
        assert_eq!(design, g_optimal(&features, 1e-4).unwrap());
        let text = serde_json::to_string(&design).unwrap();
        assert_eq!(design, serde_json::from_str::<Design>(&text).unwrap());
    }
}

#[test]
fn a_reduced_support_keeps_the_information() {
    for seed in 0..20 {
        let d = 1 + seed as usize % 5;
        let n = d * (d + 1) / 2 + 2 + seed as usize;
        let mut rows = normals(seed, n * d);
        // Twins and multiples, which any support should merge.
        rows.copy_within(0..d, d);
        (0..d).for_each(|c| rows[2 * d + c] = 2.0 * rows[c]);
        let mut s = stream(seed, &[2]);
        let before: Vec<f64> = (0..n).map(|_| s.uniform()).collect();
        let mut after = before.clone();
        reduce::reduce(d, &rows, &mut after);
        let v = |weights: &[f64]| {
            rows.chunks_exact(d).zip(weights).fold(DMatrix::zeros(d, d), |sum, (row, w)| {
                let y = DVector::from_row_slice(row);
                sum + *w * &y * y.transpose()
            })
        };
        assert!((v(&before) - v(&after)).abs().max() < 1e-9 * v(&before).abs().max());
        assert!(after.iter().all(|w| *w >= 0.0));
        assert!(after.iter().sum::<f64>() <= before.iter().sum::<f64>() + 1e-9);
        assert!(after.iter().filter(|w| **w > 0.0).count() <= d * (d + 1) / 2);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_features_have_a_design(
        items in 2_usize..12,
        dim in 1_usize..5,
        levels in prop::collection::vec(-3_i32..4, 11 * 12 / 2 * 4),
        grain in prop::collection::vec(-1.0_f64..1.0, 11 * 12 / 2 * 4),
        rough in 0.0_f64..1.0,
        differences: bool,
        decades in -8..1_i32,
    ) {
        // From whole numbers, full of ties and zeros, to anything; from equal columns to very unequal ones.
        let rough = if rough < 0.3 { 0.0 } else { rough };
        let value = |p: usize| (f64::from(levels[p]) + rough * grain[p]) * if p.is_multiple_of(dim) { 10_f64.powi(decades) } else { 1.0 };
        let features = if differences {
            let rows: Vec<f64> = (0..items * dim).map(value).collect();
            Features::differences_scaled(items, dim, &rows)
        } else {
            let mut p = 0;
            Features::from_fn_scaled(items, dim, |_, _, out| out.iter_mut().for_each(|x| { *x = value(p); p += 1; }))
        };
        // Only features that are all zero are refused.
        if let Ok(features) = features {
            let design = g_optimal(&features, 1e-5).unwrap();
            check(&features, &design, 1e-5, 1e-3);
            let paper = paper(&features);
            if let Ok(paper) = paper {
                prop_assert!(paper.g.is_finite() && paper.weights.iter().all(|w| *w >= 0.0));
                prop_assert!(paper.g >= features.dim() as f64 * (1.0 - 1e-6));
            }
        }
    }
}
