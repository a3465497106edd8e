//! The fit held against plain gradient descent, its score equation, and simulated covariances.

use super::*;
use crate::duel::Duel;
use crate::stream::{Stream, stream};

const LINKS: [Link; 3] = [Link::Logistic, Link::Linear, Link::Probit];

fn features(seed: u64, k: usize, d: usize) -> Features {
    let mut s = stream(seed, &[]);
    let size = 0.5 / (d as f64).sqrt();
    Features::differences(k, d, &(0..k * d).map(|_| size * (2.0 * s.uniform() - 1.0)).collect::<Vec<_>>()).unwrap()
}

/// The largest difference of two lists of numbers.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Answers to every pair, `each` times, from θ.
fn answers(link: Link, features: &Features, theta: &[f64], each: usize, s: &mut Stream) -> Tally {
    let mut tally = Tally::new(features);
    let projection = features.project(theta);
    for i in 0..features.items() {
        for j in 0..features.items() {
            let p = link.mu(features.score(&projection, Duel(i, j)));
            for _ in 0..each {
                tally.add(features, Duel(i, j), f64::from(u8::from(s.uniform() < p)));
            }
        }
    }
    tally
}

/// The paper's way: many small steps down the gradient, over every answer's pair.
fn gradient_descent(link: Link, features: &Features, tally: &Tally) -> Vec<f64> {
    let mut theta = vec![0.0; features.dim()];
    let total: f64 = tally.iter().map(|(_, c)| c.n).sum();
    for _ in 0..200_000 {
        let mut gradient = vec![0.0; features.dim()];
        for (slot, cell) in tally.iter() {
            let v = features.vector(slot);
            let z: f64 = v.iter().zip(&theta).map(|(a, b)| a * b).sum();
            for (g, x) in gradient.iter_mut().zip(&v) {
                *g += (cell.n * link.mu(z) - cell.sum) * x / total;
            }
        }
        theta.iter_mut().zip(&gradient).for_each(|(t, g)| *t -= 2.0 * g);
    }
    theta
}

#[test]
fn a_hundred_steps_of_descent_come_close_where_all_was_asked_alike_and_never_rise() {
    let features = features(1, 6, 2);
    for link in LINKS {
        let tally = answers(link, &features, &[0.6, -0.4], 20, &mut stream(2, &[]));
        let data = Data::new(link, &[(&features, &tally)]);
        let value = |theta: &DVector<f64>| data.objective(&data.scores(theta), theta);
        let exact = fit(link, &features, &tally, None, &FitOptions::default()).unwrap().theta;
        let values: Vec<f64> =
            (0..=20).map(|steps| value(&descend(link, &[(&features, &tally)], steps).into())).collect();
        assert!(values.windows(2).all(|w| w[1] <= w[0]), "{link:?}: {values:?}");
        let error = |steps| apart(&descend(link, &[(&features, &tally)], steps), &exact);
        let length = exact.iter().map(|x| x * x).sum::<f64>().sqrt();
        assert!(error(100) < 1e-3 * length && error(100) < error(10), "{link:?}: {} {}", error(10), error(100));
    }
    assert_eq!(descend(Link::Logistic, &[(&features, &Tally::new(&features))], 100), [0.0, 0.0]);
}

#[test]
fn newton_agrees_with_gradient_descent() {
    let features = features(1, 6, 2);
    for link in LINKS {
        let tally = answers(link, &features, &[0.6, -0.4], 20, &mut stream(2, &[]));
        let fit = fit(link, &features, &tally, None, &FitOptions::default()).unwrap();
        assert_eq!(fit.ended, Ended::Converged);
        let slow = gradient_descent(link, &features, &tally);
        assert!(fit.theta.iter().zip(&slow).all(|(a, b)| (a - b).abs() < 1e-6), "{link:?}: {:?} {slow:?}", fit.theta);
        assert!(fit.iterations <= if link == Link::Linear { 1 } else { 10 }, "{link:?} took {}", fit.iterations);
    }
}

#[test]
fn the_score_equation_is_solved_wherever_it_starts() {
    let features = features(3, 12, 4);
    for link in LINKS {
        let theta = [0.5, -0.3, 0.2, 0.1];
        let tally = answers(link, &features, &theta, 9, &mut stream(4, &[]));
        let cold = fit(link, &features, &tally, None, &FitOptions::default()).unwrap();
        let warm = fit(link, &features, &tally, Some(&[3.0, -9.0, 5.0, 2.0]), &FitOptions::default()).unwrap();
        assert!(apart(&cold.theta, &warm.theta) < 1e-7);
        let projection = features.project(cold.theta.as_slice());
        let residual = features
            .combine(tally.iter().map(|(k, c)| (k, c.n * link.mu(features.slot_score(&projection, k)) - c.sum)));
        assert!(residual.amax() <= 1e-10 * tally.total());
    }
}

#[test]
fn a_dictionary_and_implicit_differences_give_the_same_fit() {
    let implicit = features(5, 8, 3);
    let listed = Features::from_fn(8, 3, |i, j, out| out.copy_from_slice(&implicit.phi(Duel(i, j)))).unwrap();
    for link in LINKS {
        let theta = [0.5, 0.5, -0.9];
        let fits: Vec<Fit> = [&implicit, &listed]
            .map(|f| {
                fit(link, f, &answers(link, f, &theta, 7, &mut stream(6, &[])), None, &FitOptions::default()).unwrap()
            })
            .into();
        assert!(apart(&fits[0].theta, &fits[1].theta) < 1e-9);
        assert!(apart(&fits[0].covariance(), &fits[1].covariance()) < 1e-9);
        assert!(apart(&fits[0].empirical_covariance(), &fits[1].empirical_covariance()) < 1e-9);
    }
}

#[test]
fn ties_halve_and_empirical_scatter_sees_them() {
    let features = Features::differences(2, 1, &[0.0, 1.0]).unwrap();
    let mut tally = Tally::new(&features);
    for reward in [1.0, 1.0, 0.5, 0.5, 0.0] {
        tally.add(&features, Duel(1, 0), reward);
    }
    let fit = fit(Link::Logistic, &features, &tally, None, &FitOptions::default()).unwrap();
    assert!((fit.theta[0] - (0.6_f64 / 0.4).ln()).abs() < 1e-9);
    assert!((fit.model_scatter[(0, 0)] - 5.0 * 0.24).abs() < 1e-9);
    let spread = 2.0 * 0.4 * 0.4 + 2.0 * 0.01 + 0.36;
    assert!((fit.empirical_scatter[(0, 0)] - spread).abs() < 1e-9);
}

#[test]
fn separable_answers_and_unseen_directions_are_said() {
    let line = Features::differences(3, 1, &[0.0, 0.5, 1.0]).unwrap();
    let mut unanimous = Tally::new(&line);
    for _ in 0..50 {
        unanimous.add(&line, Duel(2, 0), 1.0);
        unanimous.add(&line, Duel(1, 0), 1.0);
    }
    for link in [Link::Logistic, Link::Probit] {
        let fit = fit(link, &line, &unanimous, None, &FitOptions::default()).unwrap();
        assert_eq!(fit.ended, Ended::RidgeSeparable);
        assert!(fit.theta[0] > 1.0 && fit.theta[0] < 1e4);
    }
    // The linear link has a solution all the same.
    let linear = fit(Link::Linear, &line, &unanimous, None, &FitOptions::default()).unwrap();
    assert_eq!(linear.ended, Ended::Converged);

    // Partly separable: one coordinate is pinned down, the other runs away.
    let plane = Features::from_fn(3, 2, |i, j, out| {
        out.copy_from_slice(match (i, j) {
            (0, 1) => &[0.5, 0.0],
            (0, 2) => &[0.0, 0.5],
            _ => &[0.5, 0.5],
        });
    })
    .unwrap();
    let mut tally = Tally::new(&plane);
    for t in 0..40 {
        tally.add(&plane, Duel(0, 1), f64::from(u8::from(t % 4 == 0)));
        tally.add(&plane, Duel(0, 2), 1.0);
    }
    let fitted = fit(Link::Logistic, &plane, &tally, None, &FitOptions::default()).unwrap();
    assert_eq!(fitted.ended, Ended::RidgeSeparable);

    let mut one_direction = Tally::new(&plane);
    one_direction.add(&plane, Duel(0, 1), 1.0);
    one_direction.add(&plane, Duel(0, 1), 0.0);
    for link in LINKS {
        let fit = fit(link, &plane, &one_direction, None, &FitOptions::default()).unwrap();
        assert_eq!(fit.ended, Ended::RidgeUnseenDirection);
        assert!(fit.theta.iter().all(|x| x.abs() < 1e-9));
        assert!(fit.covariance().iter().all(|x| x.is_finite()));
        // Nothing asked at all is the extreme of the same.
        let nothing = super::fit(link, &plane, &Tally::new(&plane), None, &FitOptions::default()).unwrap();
        assert_eq!(nothing.ended, Ended::RidgeUnseenDirection);
    }
}

#[test]
fn large_scores_without_separation_converge() {
    // A chain of strong but not unanimous preferences: scores of 20 and more at the optimum.
    let k = 4;
    let features = Features::one_hot(k).unwrap();
    let mut tally = Tally::new(&features);
    for i in 0..k - 1 {
        tally.add_weighted(&features, Duel(i, i + 1), 1.0, 1e4);
        tally.add_weighted(&features, Duel(i, i + 1), 0.0, 1.0);
    }
    tally.add_weighted(&features, Duel(0, k - 1), 1.0, 1e6);
    let fit = fit(Link::Logistic, &features, &tally, None, &FitOptions::default().tolerance(1e-14)).unwrap();
    assert_eq!(fit.ended, Ended::Converged);
    let projection = features.project(fit.theta.as_slice());
    for i in 0..k - 1 {
        assert!((features.score(&projection, Duel(i, i + 1)) - 1e4_f64.ln()).abs() < 1e-3);
    }
}

#[test]
fn bad_options_and_foreign_tallies_are_refused() {
    let a = features(1, 4, 2);
    let b = features(1, 5, 2);
    assert!(fit(Link::Logistic, &a, &Tally::new(&b), None, &FitOptions::default()).is_err());
    assert!(fit(Link::Logistic, &a, &Tally::new(&a), None, &FitOptions::default().tolerance(f64::NAN)).is_err());
    assert!(fit(Link::Logistic, &a, &Tally::new(&a), None, &FitOptions::default().ridge(0.0)).is_err());
}

#[test]
fn the_covariance_is_the_one_seen_over_many_samples() {
    let features = features(7, 6, 2);
    for link in LINKS {
        let theta = [0.8, -0.5];
        let runs = 1500;
        let mut s = stream(8, &[]);
        let (mut model, mut empirical) = (DMatrix::zeros(2, 2), DMatrix::zeros(2, 2));
        let (mut mean, mut square) = (DVector::zeros(2), DMatrix::zeros(2, 2));
        for _ in 0..runs {
            let fit = fit(link, &features, &answers(link, &features, &theta, 40, &mut s), None, &FitOptions::default())
                .unwrap();
            model += DMatrix::from_vec(2, 2, fit.covariance()) / f64::from(runs);
            empirical += DMatrix::from_vec(2, 2, fit.empirical_covariance()) / f64::from(runs);
            let theta = DVector::from_vec(fit.theta);
            mean += &theta / f64::from(runs);
            square += &theta * theta.transpose() / f64::from(runs);
        }
        let seen = square - &mean * mean.transpose();
        // A variance from 1,500 samples has a relative standard error of 3.7 %: four of them.
        for c in 0..2 {
            for predicted in [&model, &empirical] {
                let ratio = predicted[(c, c)] / seen[(c, c)];
                assert!((ratio - 1.0).abs() < 0.15, "{link:?}: {ratio}");
            }
        }
    }
}

/// Answers in several contexts are those to the vectors of all of them.
#[test]
fn one_parameter_is_fitted_to_the_answers_of_all_contexts() {
    let mut s = stream(12, &[]);
    let contexts: Vec<Vec<f64>> = (0..3).map(|_| (0..8).map(|_| s.normal()).collect()).collect();
    let family = Features::family(4, 2, &contexts).unwrap();
    // The same as the items of one problem, of which no two of different contexts are compared.
    let all = Features::in_standard_basis(
        12,
        2,
        1.0,
        &family.iter().flat_map(|own| own.item_vectors().unwrap().to_vec()).collect::<Vec<_>>(),
    );
    let mut tallies: Vec<Tally> = family.iter().map(Tally::new).collect();
    let mut together = Tally::new(&all);
    for _ in 0..300 {
        let (c, i, j) = (s.below(3), s.below(4), s.below(4));
        let reward = f64::from(u8::from(s.uniform() < 0.5 + 0.05 * i as f64));
        tallies[c].add(&family[c], Duel(i, j), reward);
        if i != j {
            together.add(&all, Duel(4 * c + i, 4 * c + j), reward);
        }
    }
    let parts: Vec<(&Features, &Tally)> = family.iter().zip(&tallies).collect();
    for link in [Link::Logistic, Link::Probit, Link::Linear] {
        let (parted, one) = (
            solve_all(link, &parts, None, &FitOptions::default()),
            solve(link, &all, &together, None, &FitOptions::default()),
        );
        assert!(apart(&parted.theta, &one.theta) < 1e-9 && parted.ended == one.ended, "{link:?}");
        assert!(apart(&parted.covariance(), &one.covariance()) < 1e-9);
        assert!(apart(&descend(link, &parts, 50), &descend(link, &[(&all, &together)], 50)) < 1e-9);
    }
}
