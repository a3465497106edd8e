//! Tiers: groups of items that could all have one and the same rank, from their simultaneous rank sets.

use super::Ranking;

/// The tier of every item, 1 being the first, from the ranks [l(i), h(i)] that it can have.
///
/// h₁ = min h(i) is a rank that somebody cannot do worse than, and tier 1 is everybody who can have it too: their
/// rank sets share h₁. Two of them may be shown apart all the same. Tier t is the same among those who are left,
///
/// h_t = min {h(i) : l(i) > h_{t−1}}, T_t = {i : h_{t−1} < l(i) ≤ h_t}.
///
/// These are the fewest groups whose rank sets share a rank. Whoever is in tier t > 1 is worse than the item of tier
/// t − 1 that has h_{t−1} as its worst rank; all of that is true together as often as all rank sets are.
pub fn tiers(ranks: &[(usize, usize)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..ranks.len()).collect();
    order.sort_by_key(|&i| ranks[i].0);
    // The least h of an item and of all whose l is no less.
    let mut least: Vec<usize> = order.iter().map(|&i| ranks[i].1).collect();
    for at in (1..least.len()).rev() {
        least[at - 1] = least[at - 1].min(least[at]);
    }
    let mut tiers = vec![0; ranks.len()];
    let (mut tier, mut shared) = (0, 0);
    for (&i, &least) in order.iter().zip(&least) {
        if ranks[i].0 > shared {
            (tier, shared) = (tier + 1, least);
        }
        tiers[i] = tier;
    }
    tiers
}

impl Ranking {
    /// The tier of every item, in the order of `items`: see [`tiers`].
    pub fn tiers(&self) -> Vec<usize> {
        tiers(&self.items.iter().map(|score| score.rank).collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::tiers;

    #[test]
    fn items_of_a_tier_share_a_rank_and_tiers_are_the_fewest() {
        assert_eq!(tiers(&[]), Vec::<usize>::new());
        assert_eq!(tiers(&[(1, 1), (2, 3), (2, 3)]), [1, 2, 2]);
        // A chain of overlaps is no tier: the first and the last of it can be told apart.
        assert_eq!(tiers(&[(1, 2), (1, 3), (2, 4), (3, 5), (4, 5)]), [1, 1, 1, 2, 2]);
        // Few votes leave an item in the first tier, wherever its score is.
        assert_eq!(tiers(&[(1, 2), (1, 3), (3, 4), (1, 5), (4, 5)]), [1, 1, 2, 1, 2]);
        let mut s = crate::stream(1, &[]);
        for _ in 0..200 {
            let k = 1 + s.below(9);
            let ranks: Vec<(usize, usize)> = (0..k)
                .map(|_| {
                    let low = 1 + s.below(k);
                    (low, low + s.below(k + 1 - low))
                })
                .collect();
            let found = tiers(&ranks);
            for tier in 1..=*found.iter().max().unwrap() {
                let own: Vec<_> = ranks.iter().zip(&found).filter(|(_, t)| **t == tier).map(|(rank, _)| rank).collect();
                assert!((1..=k).any(|rank| own.iter().all(|set| (set.0..=set.1).contains(&rank))), "{ranks:?}");
                let below = ranks.iter().zip(&found).filter(|(_, t)| **t == tier + 1);
                assert!(below.into_iter().all(|(set, _)| own.iter().any(|above| above.1 < set.0)), "{ranks:?}");
            }
            // A chain of sets, each behind the one before, needs as many groups as it has sets.
            let mut by_end = ranks.clone();
            by_end.sort_by_key(|set| set.1);
            let chain = by_end.iter().fold((0, 0), |(n, end), set| if set.0 > end { (n + 1, set.1) } else { (n, end) });
            assert_eq!(*found.iter().max().unwrap(), chain.0, "{ranks:?}");
        }
    }
}
