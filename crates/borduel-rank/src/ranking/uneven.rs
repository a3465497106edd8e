//! Voters of whom some cast many more votes than others: what that does to variances that are summed by voter.
//!
//! A voter with the share h of the votes on an item pulls its estimate towards their own opinion, and their summed
//! residual is as much too small: it is divided by √(1 − h) (CR2, Bell and McCaffrey 2002; of G equal voters that is
//! √(G/(G−1))). A part of h is the vote's own, which its own leverage has taken account of.
//!
//! A sum of squares of which a few voters make up most scatters as one of few numbers. With the variance v of every
//! voter's sum it is about χ² with (tr C)²/tr C² degrees of freedom, C being the covariance of the divided residuals,
//! (δ_ab v_a − h_a v_b − h_b v_a + h_a h_b Σv)/√((1−h_a)(1−h_b)); of G equal voters that is G − 1. v is n + ρ(n² − n)
//! for n votes on an item, added up over items, with the correlation ρ between votes of one voter on one item that
//! the residuals show (Imbens and Kolesár 2016).
//!
//! A vote of which nobody says who cast it is that of a voter of its own.

use super::sums::{Pair, Sums};

/// No voter's share of an item is taken above this one.
const MOST_SHARE: f64 = 0.9;

/// What voters' numbers of votes say.
#[derive(Clone, Debug)]
pub(crate) struct Uneven {
    /// For every part of the sums 1/√(1 − h).
    pub(crate) stretch: Vec<f64>,
    /// For every voter, of whom there are so many copies, the numbers of votes on items and their squares, summed over
    /// items.
    sizes: Vec<(f64, f64, f64)>,
    /// Of every pair the share of its votes that have no voter; `None` where all have one.
    pub(crate) alone: Option<Vec<f64>>,
}

impl Uneven {
    /// From the votes; `own` says that an item has a parameter of its own, so that its votes alone tell about it.
    pub(crate) fn new(sums: &Sums, own: bool) -> Self {
        let mut total = vec![0.0; sums.len()];
        for pair in &sums.pairs {
            total[pair.i] += pair.w;
            total[pair.j] += pair.w;
        }
        let all: f64 = total.iter().sum();
        let (mut stretch, mut sizes) = (Vec::with_capacity(sums.parts.len()), Vec::with_capacity(sums.voters.len()));
        let (mut weight, mut touched) = (vec![0.0; sums.len()], Vec::new());
        for voter in &sums.voters {
            let parts = &sums.parts[voter.parts.clone()];
            for part in parts {
                let pair = &sums.pairs[part.pair];
                for item in [pair.i, pair.j] {
                    if weight[item] == 0.0 {
                        touched.push(item);
                    }
                    weight[item] += part.w / voter.copies;
                }
            }
            let (n, squares) = touched.iter().fold((0.0, 0.0), |(n, squares), &item| {
                let w: f64 = weight[item];
                (n + w, squares + w * w)
            });
            sizes.push((voter.copies, n, squares));
            stretch.extend(parts.iter().map(|part| {
                let pair = &sums.pairs[part.pair];
                let one = (part.w / voter.copies).min(1.0);
                let of = |item: usize| (weight[item] - one) / total[item];
                let share = if own { 0.5 * (of(pair.i) + of(pair.j)) } else { (n - 2.0 * one) / all };
                1.0 / (1.0 - share.clamp(0.0, MOST_SHARE)).sqrt()
            }));
            touched.drain(..).for_each(|item| weight[item] = 0.0);
        }
        let alone = alone(sums);
        if let Some(alone) = &alone {
            // A vote is about two items.
            sizes.push((alone.iter().zip(&sums.pairs).map(|(share, pair)| share * pair.w).sum(), 2.0, 2.0));
        }
        Self { stretch, sizes, alone }
    }

    /// Σ n² over voters and items.
    pub(crate) fn squares(&self) -> f64 {
        self.sizes.iter().map(|(copies, _, squares)| copies * squares).sum()
    }

    /// The degrees of freedom of a variance summed by voter, votes of one voter on one item being correlated by ρ.
    pub(crate) fn df(&self, correlation: f64) -> f64 {
        let all: f64 = self.sizes.iter().map(|(copies, n, _)| copies * n).sum();
        let variance = |n: f64, squares: f64| n + correlation * (squares - n).max(0.0);
        let sum: f64 = self.sizes.iter().map(|&(copies, n, squares)| copies * variance(n, squares)).sum();
        // tr C² over all pairs of voters, by sums over voters, as if the diagonal had no v of its own; then the
        // diagonal.
        let (mut trace, mut diagonal, mut hh, mut hv, mut vv) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for &(copies, n, squares) in &self.sizes {
            let (h, v) = ((n / all).min(MOST_SHARE), variance(n, squares));
            let weight = copies / (1.0 - h);
            hh += weight * h * h;
            hv += weight * h * v;
            vv += weight * v * v;
            let shared = 2.0 * h * v - h * h * sum;
            trace += weight * (v - shared);
            diagonal += weight / (1.0 - h) * ((v - shared).powi(2) - shared * shared);
        }
        let off = 2.0 * hh * vv + (sum * hh).powi(2) + 2.0 * hv * hv - 4.0 * sum * hv * hh;
        (trace * trace / (off + diagonal)).max(1.0)
    }
}

/// Of every pair the share of its votes that have no voter; `None` where all have one.
pub(super) fn alone(sums: &Sums) -> Option<Vec<f64>> {
    let mut known = vec![0.0; sums.pairs.len()];
    sums.parts.iter().for_each(|part| known[part.pair] += part.w);
    let lacking = |(pair, known): (&Pair, &f64)| {
        let share = 1.0 - known / pair.w;
        // What rounding leaves is nobody's vote.
        if share > 1e-9 { share } else { 0.0 }
    };
    let shares: Vec<f64> = sums.pairs.iter().zip(&known).map(lacking).collect();
    shares.iter().any(|share| *share > 0.0).then_some(shares)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ballots::{Answer, Ballots, BothBad, Ties};

    /// Votes of so many a voter on two items.
    fn cast(numbers: &[usize]) -> Uneven {
        let mut ballots = Ballots::new(Ties::Half, BothBad::Drop, true);
        (0..2).for_each(|item| {
            ballots.item(&item.to_string());
        });
        for (voter, &votes) in numbers.iter().enumerate() {
            let id = ballots.voter(&voter.to_string());
            for vote in 0..votes {
                let answer = if vote % 2 == 0 { Answer::Left } else { Answer::Right };
                ballots.add(0, 1, Some(id), answer, 1.0, 1.0).unwrap();
            }
        }
        Uneven::new(&Sums::new(&ballots.finish(), true), true)
    }

    #[test]
    fn equal_voters_are_as_many_as_they_are_less_one_and_uneven_ones_fewer() {
        for correlation in [0.0, 0.3, 1.0] {
            assert!((cast(&[10; 20]).df(correlation) - 19.0).abs() < 1e-9);
        }
        // Twenty voters, the first with half as many votes again as all others together.
        let mut numbers = [10; 20];
        numbers[0] = 285;
        let uneven = cast(&numbers);
        assert!((1.0..6.0).contains(&uneven.df(0.0)) && uneven.df(0.5) < uneven.df(0.0), "{}", uneven.df(0.0));
        assert!(uneven.df(1.0) < 1.5, "{}", uneven.df(1.0));
        // The heavy voter's residual is the one that is stretched.
        assert!((uneven.stretch[0].powi(-2) - (1.0 - 284.0 / 475.0)).abs() < 1e-9, "{:?}", uneven.stretch);
        assert!(uneven.stretch[1..].iter().all(|s| *s < 1.02));
    }
}
