//! Preference matrices that change at given rounds.

use super::Environment;
use crate::borda::check_preferences;
use crate::duel::Duel;
use crate::problem::Problem;
use crate::size;
use crate::{Error, Result};

/// One matrix after the other, each from its first round on.
#[derive(Debug, Clone)]
pub struct Pieces {
    problem: Problem,
    starts: Vec<u64>,
    tables: Vec<Vec<f64>>,
}

impl Pieces {
    /// Matrices of p(i,j), row by row, and the round from which each holds: increasing, the first of them 1.
    pub fn new(problem: Problem, starts: Vec<u64>, tables: Vec<Vec<f64>>) -> Result<Self> {
        let increasing = starts.windows(2).all(|pair| pair[0] < pair[1]);
        if starts.first() != Some(&1) || !increasing || starts.len() != tables.len() {
            let found = format!("{} rounds for {} matrices", starts.len(), tables.len());
            return Err(Error::setting("starts", found, "must be increasing from 1, one for each matrix"));
        }
        let k = problem.items();
        size::numbers(&[tables.len(), k, k])?;
        tables.iter().try_for_each(|table| check_preferences(k, table))?;
        Ok(Self { problem, starts, tables })
    }

    #[inline]
    fn piece(&self, round: u64) -> usize {
        self.starts.partition_point(|start| *start <= round).saturating_sub(1)
    }
}

impl Environment for Pieces {
    fn problem(&self) -> &Problem {
        &self.problem
    }

    #[inline]
    fn probability(&self, round: u64, Duel(i, j): Duel) -> f64 {
        self.tables[self.piece(round)][i * self.problem.items() + j]
    }

    fn next_change(&self, round: u64) -> Option<u64> {
        self.starts.get(self.piece(round) + 1).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{Judge, Notion};

    #[test]
    fn the_rival_is_best_over_all_pieces() {
        let problem = Problem::without_features(2).unwrap().with_horizon(100).unwrap();
        let (first, second) = (vec![0.5, 0.9, 0.1, 0.5], vec![0.5, 0.2, 0.8, 0.5]);
        let world = Pieces::new(problem.clone(), vec![1, 31], vec![first.clone(), second]).unwrap();
        // 30 rounds of 0.7 and 70 of 0.35 against 30 of 0.3 and 70 of 0.65.
        let judge = Judge::new(Notion::Borda, &world).unwrap();
        assert_eq!((judge.rival(), world.next_change(1), world.next_change(31)), (1, Some(31), None));
        assert!((judge.regret(30, Duel(0, 1)) + 0.4).abs() < 1e-12);
        assert!((judge.regret(31, Duel(0, 0)) - 0.6).abs() < 1e-12);
        assert!(matches!(Judge::new(Notion::Copeland, &world), Err(Error::NoSuchRegret { .. })));
        assert!(Pieces::new(problem.clone(), vec![2], vec![first.clone()]).is_err());
        assert!(Pieces::new(problem, vec![1, 1], vec![first.clone(), first]).is_err());
    }
}
