//! The shared machinery held against the plain way of doing it.

use super::*;
use crate::Link;
use crate::environment::glm::{Shape, random_features};
use crate::stream::Stream;
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
            let z = DVector::from_vec(problem.features().phi(duel));
            model.add(&problem, z.as_slice(), reward, weight);
            inverse.add(z.as_slice(), weight);
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
        let z = problem.features().phi(Duel(2, 5));
        inverse.add(&z, 1.0);
        inverse.add(&z, -1.0);
        let product = DMatrix::from_row_slice(4, 4, &inverse.matrix) * &v;
        assert!((product - DMatrix::identity(4, 4)).amax() < 1e-9);
        // Lᵀ of the Hessian: a draw's square and its density belong together.
        let factor = model.hessian(link).to_vec();
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
        (0..round).for_each(|_| inverse.add(&problem.features().phi(Duel(s.below(k), s.below(k))), 1.0));
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
            let Widest { duel: Duel(i, j), value, chance } =
                norms.widest(&problem, &members, |i| values[i], beta, same, &mut s);
            assert_eq!(chance, 1.0);
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

#[test]
fn a_ticket_carries_its_vector_where_there_is_room() {
    let mut s = stream(3, &[]);
    for dim in [1, 15, 16, 20] {
        let problem = problem(30, dim, Link::Logistic, &mut s);
        let (duel, mut z, mut read) = (Duel(3, 7), Vec::new(), Vec::new());
        difference(&problem, duel, &mut z);
        let proposal = Proposal::new(1, duel, None).with_note(note(&problem, 5, 0.25, &z));
        assert_eq!(proposal.note().map(|note| note.numbers().len()), Some(if dim < 16 { 1 + dim } else { 1 }));
        assert_eq!(noted(&problem, &proposal, &mut read), Some(0.25));
        assert_eq!(read, z);
        assert_eq!(noted(&problem, &Proposal::new(1, duel, None), &mut read), None);
    }
}

#[test]
fn equal_and_opposite_vectors_share_a_cell() {
    let mut model = Model::new(2, 1.0);
    let problem = problem(3, 2, Link::Logistic, &mut stream(4, &[]));
    for (z, reward) in
        [([0.5, 0.0], 1.0), ([-0.5, 0.0], 0.0), ([-0.5, -0.0], 1.0), ([0.0, -0.25], 1.0), ([0.0, 0.0], 1.0)]
    {
        model.add(&problem, &z, reward, 1.0);
    }
    assert_eq!(model.total(), 4.0);
    // Two wins of three, and one loss.
    assert!(model.theta()[0] > 0.0 && model.theta()[1] < 0.0, "{:?}", model.theta());
    let mut one = Model::new(2, 1.0);
    for (z, reward) in [([0.5, 0.0], 1.0), ([0.5, 0.0], 1.0), ([0.5, 0.0], 0.0), ([0.0, 0.25], 0.0)] {
        one.add(&problem, &z, reward, 1.0);
    }
    model.theta().iter().zip(one.theta()).for_each(|(a, b)| assert!((a - b).abs() < 1e-7));
}

/// In contexts, where every answer has a vector of its own, single steps stay close to the fit of all answers.
#[test]
fn many_vectors_are_fitted_step_by_step() {
    let mut s = stream(8, &[]);
    for link in [Link::Logistic, Link::Probit, Link::Linear] {
        let alone = problem(3, 4, link, &mut s);
        let contextual = alone.of_context(0);
        let (mut exact, mut stepped) = (Model::new(4, 1.0), Model::new(4, 1.0));
        for answer in 0..2_000 {
            let z: Vec<f64> = (0..4).map(|_| s.uniform() - 0.5).collect();
            let won = s.uniform() < link.mu(0.8 * z[0] - 0.5 * z[2]);
            exact.add(&alone, &z, f64::from(u8::from(won)), 1.0);
            stepped.add(&contextual, &z, f64::from(u8::from(won)), 1.0);
            if answer < FEW_ANSWERS {
                assert_eq!(exact.theta(), stepped.theta());
            }
            // The standard error of a coordinate is more than √(4 · 12/n).
            let off = exact.theta().iter().zip(stepped.theta()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 0.02 * (48.0 / f64::from(answer + 1)).sqrt(), "{link:?} {answer}: off by {off}");
        }
        assert!(exact.theta() != stepped.theta());
    }
}

/// Up to there all answers are gone through.
const FEW_ANSWERS: i32 = 256;

/// Many features are made ready together, and have the same norms.
#[test]
fn norms_of_many_features_are_the_same() {
    let mut s = stream(6, &[]);
    let (items, dim) = (140, 130);
    let problem = problem(items, dim, Link::Logistic, &mut s);
    let mut inverse = Inverse::new(dim, 1.0);
    for _ in 0..50 {
        let z = problem.features().phi(Duel(s.below(items), s.below(items)));
        inverse.add(&z, 1.0);
    }
    let (mut norms, mut image) = (Norms::default(), Vec::new());
    norms.prepare(&problem, &inverse);
    for _ in 0..100 {
        let (i, j) = (s.below(items), s.below(items));
        let z = problem.features().phi(Duel(i, j));
        let square = inverse.square(&z, &mut image);
        assert!((norms.square(&problem, i, j) - square).abs() < 1e-12, "{i} {j}");
    }
    let members: Vec<Arm> = (0..items).collect();
    let widest = norms.widest(&problem, &members, |_| 0.0, 1.0, false, &mut s);
    let every = members.iter().flat_map(|&i| members.iter().map(move |&j| (i, j)));
    let most = every.map(|(i, j)| norms.of(&problem, i, j)).fold(0.0, f64::max);
    assert_eq!(widest.value, most);
}
