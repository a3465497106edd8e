//! Any preference matrix, with features or without, so that a model can be wrong about it.

use super::fixed::Fixed;
use crate::Link;
use crate::features::Features;
use crate::problem::Problem;
use crate::{Error, Result};

/// The environment of a K × K matrix of p(i,j), row by row; one-hot items unless features are given.
pub fn matrix(rows: &[Vec<f64>], features: Option<Features>, link: Link, horizon: Option<u64>) -> Result<Fixed> {
    let k = rows.len();
    if let Some((i, row)) = rows.iter().enumerate().find(|(_, row)| row.len() != k) {
        return Err(Error::Data(format!("row {i} of the preference matrix has {} entries, {k} are needed", row.len())));
    }
    let features = match features {
        Some(features) if features.items() != k => {
            return Err(Error::Data(format!(
                "{} items have features, the preference matrix has {k}",
                features.items()
            )));
        }
        Some(features) => features,
        None => Features::one_hot(k)?,
    };
    Fixed::from_matrix(Problem::new(features, link, horizon)?, rows.concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Environment;

    #[test]
    fn the_matrix_is_the_truth_and_the_features_are_only_known() {
        let rows = vec![vec![0.5, 0.9, 0.2], vec![0.1, 0.5, 0.8], vec![0.8, 0.2, 0.5]];
        let world = matrix(&rows, None, Link::Logistic, None).unwrap();
        assert_eq!(world.problem().dim(), 2);
        assert_eq!(world.probability(1, crate::Duel(0, 1)), 0.9);
        assert_eq!(world.borda().winner(), 0);
        let features = Features::differences(3, 1, &[0.0, 0.1, 0.2]).unwrap();
        assert_eq!(matrix(&rows, Some(features), Link::Probit, None).unwrap().problem().dim(), 1);
    }

    #[test]
    fn wrong_shapes_are_refused() {
        assert!(matrix(&[vec![0.5, 0.5], vec![0.5]], None, Link::Logistic, None).is_err());
        assert!(matrix(&[vec![0.5]], None, Link::Logistic, None).is_err());
        let features = Features::one_hot(3).unwrap();
        assert!(matrix(&[vec![0.5, 0.5], vec![0.5, 0.5]], Some(features), Link::Logistic, None).is_err());
    }
}
