//! What any consistent policy pays on one instance in the long run where nothing is assumed: the constant of Graves and
//! Lai (1997) when the model is the matrix itself.
//!
//! A policy that has little Borda regret on *every* matrix must rule out each matrix in which a rival i of the winner *
//! wins. With s_ij = p(1−p), n_ij questions a pair and the normal approximation of the divergence, the nearest such
//! matrix is ruled out when
//!   Σ_{j≠i,*} (s_ij/n_ij + s_*j/n_*j) + 4 s_i*/n_i* ≤ (KΔ_i)²/(2 log T),
//! at the cost Σ_{i<j} n_ij (Δ_i + Δ_j). That is convex in n: with multipliers λ, n_ij = √(Σ_i λ_i w_i,ij/(Δ_i + Δ_j)),
//! w the coefficients above, and λ_i ← λ_i √(left side/right side) until the cost of n and the bound by λ agree. What
//! is returned is the bound, so that it errs on the small side. The derivation is ours; Ω(K/Δ²) is known (Saha, Koren,
//! Mansour 2021). It is asymptotic: at a finite T being wrong now and then may cost less than being sure, and whoever
//! assumes a model that holds may lie far below.

use crate::borda;
use crate::duel::Duel;
use crate::environment::Environment;

/// More items than this are not looked at.
const MOST_ITEMS: usize = 512;
/// The most rounds, and by which share the cost may exceed the bound in the end.
const ROUNDS: usize = 5000;
const AGREE: f64 = 1e-7;
/// Scores closer than this are of several winners.
const LEVEL: f64 = 1e-7;

/// C of an instance without any model: no consistent policy has less Borda regret than C log T for large T. `None`
/// where preferences change, where there are several winners, or where there are too many items.
pub fn graves_lai_without_model(world: &dyn Environment) -> Option<f64> {
    let k = world.problem().items();
    if k > MOST_ITEMS || world.next_change(1).is_some() {
        return None;
    }
    let scores = world.scores(1);
    let best = borda::winner(&scores);
    let gaps: Vec<f64> = scores.iter().map(|score| scores[best] - score).collect();
    if (0..k).any(|i| i != best && gaps[i] < LEVEL) {
        return None;
    }
    // Every pair once: its variance, its cost, and its items, the winner first where it takes part.
    let pair = |(i, j): (usize, usize)| {
        let (i, j) = if j == best { (j, i) } else { (i, j) };
        let p = world.probability(1, Duel(i, j));
        (p * (1.0 - p), gaps[i] + gaps[j], i, j)
    };
    let pairs = (0..k).flat_map(|i| (i + 1..k).map(move |j| (i, j))).map(pair);
    let pairs: Vec<_> = pairs.filter(|(variance, ..)| *variance > 0.0).collect();
    let wanted: Vec<f64> = gaps.iter().map(|gap| 0.5 * (k as f64 * gap).powi(2)).collect();
    let mut multipliers: Vec<f64> = (0..k).map(|i| if i == best { 0.0 } else { 1.0 }).collect();
    let mut bound = 0.0;
    for _ in 0..ROUNDS {
        let all: f64 = multipliers.iter().sum();
        let (mut left, mut of_winner, mut cost) = (vec![0.0; k], 0.0, 0.0);
        for &(variance, price, i, j) in &pairs {
            let weight = if i == best { all + 3.0 * multipliers[j] } else { multipliers[i] + multipliers[j] };
            let known = variance / (variance * weight / price).sqrt();
            cost += (variance * weight * price).sqrt();
            // A pair of the winner's tells every rival something, and the rival in it four times as much.
            if i == best {
                of_winner += known;
                left[j] += 3.0 * known;
            } else {
                left[i] += known;
                left[j] += known;
            }
        }
        let right: f64 = multipliers.iter().zip(&wanted).map(|(multiplier, wanted)| multiplier * wanted).sum();
        if right == 0.0 {
            return Some(0.0);
        }
        bound = cost * cost / right;
        let ratio = |i: usize| (left[i] + of_winner) / wanted[i];
        let worst = (0..k).filter(|i| *i != best).map(ratio).fold(0.0, f64::max);
        // As many questions more as the worst rival needs.
        if cost * worst <= (1.0 + AGREE) * bound {
            break;
        }
        (0..k).filter(|i| *i != best).for_each(|i| multipliers[i] *= ratio(i).sqrt());
    }
    Some(bound)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Link;
    use crate::environment::instance::{Instance, Name};
    use crate::environment::matrix::matrix;
    use crate::stream::stream;

    #[test]
    fn constants_are_those_that_were_computed_elsewhere() {
        let eight = Some(8);
        for (name, items, known) in
            [(Name::SixRankers, None, 227.0), (Name::Arithmetic, None, 110.9), (Name::CondorcetNotBorda, eight, 17.2)]
        {
            let mut instance = Instance::named(name);
            instance.items = items;
            let world = instance.build(None, &mut stream(3, &[])).unwrap().0;
            let c = graves_lai_without_model(&world).unwrap();
            assert!((c - known).abs() < 0.06, "{name:?}: {c}");
        }
    }

    #[test]
    fn two_items_cost_their_gap_over_their_divergence() {
        // 4s/n ≤ (2·gap)²/(2 log T) with the gap p − ½, at the cost of it.
        let p = 0.6;
        let world = matrix(&[vec![0.5, p], vec![1.0 - p, 0.5]], None, Link::Logistic, None).unwrap();
        let c = graves_lai_without_model(&world).unwrap();
        let by_hand = (p - 0.5) * 4.0 * p * (1.0 - p) * 2.0 / (2.0 * (p - 0.5_f64)).powi(2);
        assert!((c / by_hand - 1.0).abs() < 1e-6, "{c} {by_hand}");
        let even = matrix(&[vec![0.5, 0.5], vec![0.5, 0.5]], None, Link::Logistic, None).unwrap();
        assert_eq!(graves_lai_without_model(&even), None);
    }
}
