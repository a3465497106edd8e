//! The shared machinery held against the plain way of doing it.

use super::*;
use crate::environment::glm::{Shape, random_features};
use crate::link::Link;
use crate::stream::stream;
use nalgebra::{DMatrix, DVector};

fn problem(items: usize, dim: usize, link: Link, s: &mut Stream) -> Problem {
    Problem::new(random_features(items, dim, Shape::Differences, s).unwrap(), link, Some(100)).unwrap()
}

#[test]
fn the_fit_solves_its_equation_and_the_inverse_is_one() {
    let mut s = stream(1, &[]);
    for link in [Link::Logistic, Link::Probit, Link::Linear] {
        let problem = problem(9, 4, link, &mut s);
        let (mut model, mut inverse) = (Model::new(4, 0.5), Inverse::new(4, 0.5));
        let mut v = DMatrix::from_diagonal_element(4, 4, 0.5);
        let mut told = Vec::new();
        for step in 0..400 {
            let (duel, weight) = (Duel(s.below(9), s.below(9)), 0.2 + s.uniform());
            // Unanimous at first.
            let reward =
                if step < 50 { f64::from(u8::from(duel.0 < duel.1)) } else { f64::from(s.below(3) as u8) / 2.0 };
            model.add(&problem, duel, reward, weight);
            inverse.add(&problem, duel, weight);
            let z = DVector::from_vec(problem.features().phi(duel));
            v += weight * &z * z.transpose();
            if duel.0 != duel.1 {
                told.push((z, reward, weight));
            }
            if step % 20 == 0 {
                let theta = DVector::from_column_slice(model.theta());
                let mut gradient = 0.5 * &theta;
                told.iter().for_each(|(z, r, w)| gradient += z * (w * (link.mu(z.dot(&theta)) - r)));
                assert!(gradient.amax() <= 2e-8 * model.total().max(1.0), "{link:?} {step}: {}", gradient.amax());
            }
        }
        let product = DMatrix::from_row_slice(4, 4, &inverse.matrix) * &v;
        assert!((product - DMatrix::identity(4, 4)).amax() < 1e-9);
        inverse.add(&problem, Duel(2, 5), 1.0);
        inverse.add(&problem, Duel(2, 5), -1.0);
        let product = DMatrix::from_row_slice(4, 4, &inverse.matrix) * &v;
        assert!((product - DMatrix::identity(4, 4)).amax() < 1e-9);
        // Lᵀ of the Hessian: a draw's square and its density belong together.
        let factor = model.hessian(&problem).to_vec();
        let b = [0.3, -1.0, 0.7, 2.0];
        let mut drawn = b;
        solve_transposed(&factor, &mut drawn);
        assert!((half_square(&factor, &drawn) - 0.5 * b.iter().map(|x| x * x).sum::<f64>()).abs() < 1e-9);
    }
}

#[test]
fn the_widest_pair_is_that_of_a_plain_scan() {
    let mut s = stream(2, &[]);
    for round in 0..60 {
        let problem = problem(5 + round, 3, Link::Logistic, &mut s);
        let (k, mut inverse) = (problem.items(), Inverse::new(3, 1.0));
        (0..round).for_each(|_| inverse.add(&problem, Duel(s.below(k), s.below(k)), 1.0));
        let values: Vec<f64> = (0..k).map(|_| s.uniform()).collect();
        let members: Vec<Arm> = (0..k).filter(|i| i % 3 != 1).collect();
        let mut norms = Norms::default();
        norms.prepare(&problem, &inverse);
        let matrix = DMatrix::from_row_slice(3, 3, &inverse.matrix);
        let norm = |duel| {
            let z = DVector::from_vec(problem.features().phi(duel));
            z.dot(&(&matrix * &z)).max(0.0).sqrt()
        };
        for (beta, same) in [(0.0, true), (0.4, true), (3.0, false), (3.0, true)] {
            let (Duel(i, j), value) = norms.widest(&problem, &members, |i| values[i], beta, same, &mut s);
            let mut best = f64::NEG_INFINITY;
            for (place, &i) in members.iter().enumerate() {
                for &j in &members[place + usize::from(!same)..] {
                    best = best.max(values[i] + values[j] + beta * norm(Duel(i, j)));
                }
            }
            assert!((value - best).abs() < 1e-9, "{round} {beta}: {value} {best}");
            assert!((values[i] + values[j] + beta * norm(Duel(i, j)) - best).abs() < 1e-8);
        }
    }
}
