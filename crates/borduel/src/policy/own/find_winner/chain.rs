//! What to ask where votes are few: first a chain, in which the winner of each question meets the next item, then the
//! likeliest best item against those that are best with the next largest chances.
//!
//! The chances are those of Bradley–Terry strengths with the prior that the verdict has, without effects of pairs: with
//! two votes an item there is nothing to tell these from. They choose questions, and the verdict does not rest on them.

use crate::Link;
use crate::duel::{Arm, Duel, Outcome};
use crate::sequential::Votes;
use crate::stream::Stream;
use nalgebra::{Cholesky, DMatrix, DVector, Dyn};
use serde::{Deserialize, Serialize};

/// The first pass: those who have lost to nobody and wait for an opponent, the one who won last first; who waits
/// longest meets it. While answers are late others meet instead, as in a tournament.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Chain {
    waiting: Vec<Arm>,
    /// The questions that are open, the one who won last first.
    playing: Vec<Duel>,
}

impl Chain {
    /// Items that have not lost, in random order, after those that have won.
    pub(super) fn new(votes: &Votes, stream: &mut Stream) -> Self {
        let (mut lost, mut won) = (vec![false; votes.items()], vec![false; votes.items()]);
        for (i, j, sum) in votes.pairs() {
            lost[i] |= sum.wr < sum.w;
            lost[j] |= sum.wr > 0.0;
            won[i] |= sum.wr > 0.0;
            won[j] |= sum.wr < sum.w;
        }
        let mut waiting: Vec<Arm> = (0..votes.items()).filter(|&item| !lost[item]).collect();
        for i in (1..waiting.len()).rev() {
            waiting.swap(i, stream.below(i + 1));
        }
        waiting.sort_by_key(|&item| !won[item]);
        Self { waiting, playing: Vec::new() }
    }

    /// Whether one item is left.
    pub(super) fn is_over(&self) -> bool {
        self.playing.is_empty() && self.waiting.len() < 2
    }

    /// The next question; none while all others still play.
    pub(super) fn next(&mut self) -> Option<Duel> {
        if self.waiting.len() < 2 {
            return None;
        }
        let duel = Duel(self.waiting.remove(0), self.waiting.remove(0));
        self.playing.push(duel);
        Some(duel)
    }

    /// The answer to a question, whichever item stood first. After a tie the one who won last stays; without an answer
    /// both wait again. Other questions than the chain's change nothing.
    pub(super) fn close(&mut self, asked: Duel, outcome: Option<Outcome>) {
        let Some(at) = self.playing.iter().position(|p| *p == asked || Duel(p.1, p.0) == asked) else { return };
        let Duel(king, other) = self.playing.swap_remove(at);
        let stays = |outcome: Outcome| if king == asked.0 { outcome.reward() >= 0.5 } else { outcome.reward() <= 0.5 };
        self.waiting.insert(0, if outcome.is_none_or(stays) { king } else { other });
        if outcome.is_none() {
            self.waiting.push(other);
        }
    }
}

/// Draws of all strengths from which chances are taken.
const DRAWS: usize = 200;
/// The prior precision of a strength, that of the verdict's model.
const PRECISION: f64 = 0.5;
/// Many more steps than a fit takes, and the change below which it is done.
const STEPS: usize = 50;
const DONE: f64 = 1e-6;

/// The likeliest best item against the `most` next likeliest, the likeliest of them first.
pub(super) fn likeliest(votes: &Votes, most: usize, stream: &mut Stream) -> Vec<Duel> {
    let k = votes.items();
    let (strengths, factor) = posterior(votes);
    let upper = factor.l().transpose();
    let mut best = vec![0_u32; k];
    for _ in 0..DRAWS {
        let mut draw = DVector::from_iterator(k, (0..k).map(|_| stream.normal()));
        // The diagonal holds square roots of at least the prior's precision.
        upper.solve_upper_triangular_mut(&mut draw);
        draw += &strengths;
        best[draw.imax()] += 1;
    }
    let mut order: Vec<Arm> = (0..k).collect();
    order.sort_by(|&a, &b| best[b].cmp(&best[a]).then(strengths[b].total_cmp(&strengths[a])));
    order[1..].iter().take(most).map(|&rival| Duel(order[0], rival)).collect()
}

/// The mode of the strengths and the factor of their precision there, by Newton's method.
fn posterior(votes: &Votes) -> (DVector<f64>, Cholesky<f64, Dyn>) {
    let k = votes.items();
    let mut strengths = DVector::zeros(k);
    for step in 0.. {
        let (mut gradient, mut precision) = (-PRECISION * &strengths, DMatrix::from_diagonal_element(k, k, PRECISION));
        for (i, j, sum) in votes.pairs() {
            let p = Link::Logistic.mu(strengths[i] - strengths[j]);
            let (surprise, weight) = (sum.wr - sum.w * p, sum.w * p * (1.0 - p));
            gradient[i] += surprise;
            gradient[j] -= surprise;
            for (row, column, sign) in [(i, i, 1.0), (j, j, 1.0), (i, j, -1.0), (j, i, -1.0)] {
                precision[(row, column)] += sign * weight;
            }
        }
        // A ridge on a sum of squares is definite, but for overflow; then the prior alone is left.
        let prior = || Cholesky::new(DMatrix::from_diagonal_element(k, k, PRECISION));
        let Some(factor) = Cholesky::new(precision).or_else(prior) else { continue };
        let mut change = factor.solve(&gradient);
        let largest = change.amax();
        if largest < DONE || step >= STEPS {
            return (strengths, factor);
        }
        // A logistic likelihood is nearly quadratic within a step of 2.
        change *= (2.0 / largest).min(1.0);
        strengths += change;
    }
    unreachable!("the loop returns at its last step")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::stream;

    /// Answers at once make a chain: each question has the last winner, and K − 1 of them leave one item.
    #[test]
    fn the_winner_of_a_question_meets_the_next_item() {
        let mut s = stream(1, &[]);
        let mut chain = Chain::new(&Votes::new(9), &mut s);
        let (mut seen, mut last, mut questions) = (Vec::new(), None, 0);
        while let Some(duel) = chain.next() {
            assert!(last.is_none_or(|last| last == duel.0), "{last:?} {duel:?}");
            assert!(!seen.contains(&duel.1));
            seen.extend([duel.0, duel.1]);
            let outcome = [Outcome::Win, Outcome::Loss, Outcome::Tie][s.below(3)];
            last = Some(if outcome == Outcome::Loss { duel.1 } else { duel.0 });
            chain.close(duel, Some(outcome));
            questions += 1;
        }
        assert!(chain.is_over() && questions == 8);
    }

    /// Late answers make a tournament, lost ones a question that is asked again; one item is left all the same.
    #[test]
    fn late_and_lost_answers_leave_one_item_too() {
        let mut s = stream(2, &[]);
        for items in [2, 3, 12] {
            let mut chain = Chain::new(&Votes::new(items), &mut s);
            let (mut open, mut answered): (Vec<Duel>, _) = (Vec::new(), 0);
            while !chain.is_over() {
                if open.len() < 4
                    && let Some(duel) = chain.next()
                {
                    assert!(open.iter().all(|o| ![o.0, o.1].contains(&duel.0) && ![o.0, o.1].contains(&duel.1)));
                    open.push(duel);
                    continue;
                }
                let duel = open.swap_remove(s.below(open.len()));
                let lost = s.below(5) == 0;
                chain.close(duel, (!lost).then_some(Outcome::Loss));
                answered += usize::from(!lost);
            }
            assert_eq!(answered, items - 1);
        }
    }

    /// Votes that were cast before count: who lost is out, who won goes on.
    #[test]
    fn a_chain_goes_on_from_votes() {
        let mut votes = Votes::new(5);
        votes.add(Duel(3, 1), 1.0);
        votes.add(Duel(0, 3), 0.0);
        let mut chain = Chain::new(&votes, &mut stream(3, &[]));
        let mut rest = chain.waiting.clone();
        assert_eq!(chain.next().map(|duel| duel.0), Some(3));
        rest.sort_unstable();
        assert_eq!(rest, [2, 3, 4]);
    }

    /// Chances of being best, held against sums over a fine grid of strengths.
    #[test]
    fn the_likeliest_are_those_of_the_posterior() {
        let mut votes = Votes::new(3);
        for (i, j, wins) in [(0, 1, 0), (1, 2, 3), (0, 2, 1)] {
            (0..4).for_each(|vote| votes.add(Duel(i, j), f64::from(u8::from(vote < wins))));
        }
        let mut mass = [0.0; 3];
        let at = |step: i32| f64::from(step) / 8.0;
        for cell in 0..65_i32.pow(3) {
            let u = [at(cell % 65 - 32), at(cell / 65 % 65 - 32), at(cell / 65 / 65 - 32)];
            let mut log = -0.5 * PRECISION * u.iter().map(|x| x * x).sum::<f64>();
            for (i, j, sum) in votes.pairs() {
                let p = Link::Logistic.mu(u[i] - u[j]);
                log += sum.wr * p.ln() + (sum.w - sum.wr) * (1.0 - p).ln();
            }
            mass[crate::borda::winner(&u)] += log.exp();
        }
        let mut order = [0, 1, 2];
        order.sort_by(|&a, &b| f64::total_cmp(&mass[b], &mass[a]));
        let questions = likeliest(&votes, 2, &mut stream(4, &[]));
        assert_eq!(questions, [Duel(order[0], order[1]), Duel(order[0], order[2])]);
        assert_eq!(likeliest(&votes, 1, &mut stream(4, &[])).len(), 1);
    }
}
