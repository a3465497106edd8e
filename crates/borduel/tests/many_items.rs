//! The way of a million items, in small enough to be held against all pairs.

use borduel::glm::{self, FitOptions};
use borduel::{Borda, Duel, Features, Link, Tally, design::g_optimal, stream};

#[test]
fn design_fit_and_scores_agree_with_all_pairs() {
    let (items, d) = (1500, 16);
    let mut s = stream(1, &[]);
    let vectors: Vec<f64> = (0..items * d).map(|_| s.normal()).collect();
    let theta: Vec<f64> = (0..d).map(|_| 3.0 * s.normal()).collect();
    let features = Features::differences_scaled(items, d, &vectors).unwrap();
    assert!(features.is_differences());

    let design = g_optimal(&features, 0.05).unwrap();
    assert!(design.certificate() <= 1.05 && design.support.len() <= d * (d + 1) / 2);
    let mut v = nalgebra::DMatrix::<f64>::zeros(d, d);
    let pairs: Vec<Duel> = features.pairs_of(&design.support).iter().map(|pairs| pairs[0]).collect();
    for (duel, weight) in pairs.iter().zip(&design.weights) {
        let phi = nalgebra::DVector::from_vec(features.phi(*duel));
        v += &phi * phi.transpose() * *weight;
    }
    let factor = v.cholesky().unwrap().l().try_inverse().unwrap();
    let rows: Vec<Vec<f64>> = (0..items)
        .map(|i| {
            // Item vectors up to a common shift.
            let x = nalgebra::DVector::from_vec(features.phi(Duel(i, 0)));
            (&factor * x).as_slice().to_vec()
        })
        .collect();
    let mut longest: f64 = 0.0;
    for i in 0..items {
        for j in 0..i {
            longest = longest.max(rows[i].iter().zip(&rows[j]).map(|(a, b)| (a - b) * (a - b)).sum());
        }
    }
    assert!(longest <= design.g * (1.0 + 1e-9), "{longest} exceeds the certificate {}", design.g);
    assert!(!design.exact || (longest / design.g - 1.0).abs() < 1e-9);

    let mut tally = Tally::new(&features);
    let p = |duel: Duel| Link::Logistic.mu(features.phi(duel).iter().zip(&theta).map(|(x, t)| x * t).sum());
    for (duel, weight) in pairs.iter().zip(&design.weights) {
        for _ in 0..(50_000.0 * weight).ceil() as u32 {
            tally.add(&features, *duel, f64::from(u8::from(s.uniform() < p(*duel))));
        }
    }
    let fit = glm::fit(Link::Logistic, &features, &tally, None, &FitOptions::default()).unwrap();
    let estimate = Borda::from_model(&features, Link::Logistic, fit.theta.as_slice());
    let truth = Borda::from_model(&features, Link::Logistic, &theta);
    for i in (0..items).step_by(50) {
        let plain: f64 = (0..items).map(|j| p(Duel(i, j))).sum::<f64>() / items as f64;
        assert!((plain - truth.scores()[i]).abs() < 1e-12);
    }
    // 50,000 answers in 16 dimensions: every score to about ¼ √(16 · 16/50,000) ≈ 0.02.
    let lost = truth.scores()[truth.winner()] - truth.scores()[estimate.winner()];
    assert!(lost < 0.02, "{lost}");
}
