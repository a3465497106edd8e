//! Votes that count by who cast them, and answers that are moved.

use super::{Ballots, PairVotes};

impl Ballots {
    /// The same votes, each counting `by(voter, pair)`, the pair being two items in the order of their numbers. Votes
    /// that count 0 are gone, but for the counts of answers; those of nobody keep their weight. For votes of weight 1.
    pub(crate) fn weighed(&self, by: impl Fn(u32, (u32, u32)) -> f64) -> Self {
        let mut ballots = self.clone();
        // What sums are beyond the nearest number no longer matters.
        ballots.rests.clear();
        ballots.share_rests.clear();
        for share in &mut ballots.shares {
            let at = share.cell as usize;
            let (old, cell) = (&self.cells[at], &mut ballots.cells[at]);
            let weight = by(share.voter, (old.left.min(old.right), old.left.max(old.right)));
            // Of weight 1 are w = w² and, as the answers of one voter to a pair are not told apart, r² is to r as it is
            // among all answers to it.
            let squares = if old.w2r > 0.0 { share.wr * old.w2r2 / old.w2r } else { 0.0 };
            let (more, square) = (weight - 1.0, weight * weight - 1.0);
            cell.w += more * share.w;
            cell.wr += more * share.wr;
            cell.w2 += square * share.w;
            cell.w2r += square * share.wr;
            cell.w2r2 += square * squares;
            if weight == 0.0 {
                cell.n -= share.w;
            }
            share.w *= weight;
            share.wr *= weight;
        }
        ballots.shares.retain(|share| share.w > 0.0);
        ballots.compacted = 0;
        ballots.finish()
    }

    /// The same votes, from every answer r in a cell `by(cell)` being taken off. What comes of it is no answer any
    /// more, and may lie outside of [0, 1]: sums alone are meant.
    pub(crate) fn shifted(&self, by: impl Fn(&PairVotes) -> f64) -> Self {
        let mut ballots = self.clone();
        ballots.rests.clear();
        ballots.share_rests.clear();
        let shifts: Vec<f64> = self.cells.iter().map(by).collect();
        for (cell, d) in ballots.cells.iter_mut().zip(&shifts) {
            cell.w2r2 += d * (d * cell.w2 - 2.0 * cell.w2r);
            cell.w2r -= d * cell.w2;
            cell.wr -= d * cell.w;
        }
        for share in &mut ballots.shares {
            share.wr -= shifts[share.cell as usize] * share.w;
        }
        ballots
    }
}

#[cfg(test)]
mod tests {
    use crate::ballots::{Answer, Ballots, BothBad, Ties};

    /// Votes of three voters, each of this weight, and of nobody.
    fn votes(weights: [f64; 3]) -> Ballots {
        let mut ballots = Ballots::new(Ties::Half, BothBad::Drop, true);
        let items = ["x", "y", "z"].map(|name| ballots.item(name));
        let voters = ["a", "b", "c"].map(|name| ballots.voter(name));
        for (at, (&voter, weight)) in voters.iter().zip(weights).enumerate() {
            for (left, right, answer) in [(0, 1, Answer::Left), (1, 2, Answer::Right), (2, 0, Answer::Left)] {
                let count = if weight == 0.0 { 0.0 } else { 1.0 + at as f64 };
                ballots.add(items[left], items[right], Some(voter), answer, weight, count).unwrap();
            }
        }
        ballots.add(items[0], items[2], None, Answer::Right, 1.0, 4.0).unwrap();
        ballots.finish()
    }

    #[test]
    fn weighing_voters_is_reading_their_votes_with_weights() {
        for weights in [[1.0, 1.0, 1.0], [0.5, 1.0, 2.0], [0.0, 1.0, 1.0]] {
            let weighed = votes([1.0; 3]).weighed(|voter, _| weights[voter as usize]);
            let read = votes(weights);
            assert_eq!(weighed.shares(), read.shares());
            for (ours, theirs) in weighed.cells().iter().zip(read.cells()) {
                let of = |cell: &crate::ballots::PairVotes| [cell.n, cell.w, cell.wr, cell.w2, cell.w2r, cell.w2r2];
                assert_eq!(of(ours), of(theirs), "{weights:?}");
            }
        }
    }
}
