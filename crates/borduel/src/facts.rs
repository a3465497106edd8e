//! What is true of a world whose preferences never change: who is best in every notion, how close it is, and what
//! nobody can undercut.

use crate::borda::Borda;
use crate::duel::{Arm, Duel};
use crate::environment::Environment;
use crate::judge::{Judge, Notion, condorcet_winner};

/// Facts about preferences p(i,j).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Facts {
    /// The items with the highest Borda score.
    pub borda: Vec<Arm>,
    /// By how much the best Borda score is ahead of the next one; none if all are alike.
    pub borda_gap: Option<f64>,
    /// The Condorcet winner, or why there is none: a circle, or a tie.
    pub condorcet: Result<Arm, String>,
    /// Δ_min = min p(c,k) − ½ of the Condorcet winner c.
    pub least_lead: Option<f64>,
    /// The items with the highest Copeland score.
    pub copeland: Vec<Arm>,
    /// The items of the largest utility, where items have one.
    pub utility: Option<Vec<Arm>>,
    /// Strong stochastic transitivity: in some order of the items, p(i,k) ≥ max(p(i,j), p(j,k)) for all i before j
    /// before k.
    pub transitive: bool,
    /// The constant of the lower bound of Komiyama et al. (2015): no consistent policy has less `condorcet` regret than
    /// this times log T.
    pub lower_bound: Option<f64>,
}

/// The most items of which all pairs are looked at.
const MOST_ITEMS: usize = 2048;

impl Facts {
    /// Nothing where preferences change, or where there are too many pairs to look at.
    pub fn of<E: Environment + ?Sized>(environment: &E) -> Option<Self> {
        let k = environment.problem().items();
        if environment.next_change(1).is_some() || k > MOST_ITEMS {
            return None;
        }
        let p = |i, j| environment.probability(1, Duel(i, j));
        let borda = Borda::from_scores(environment.scores(1));
        let best = borda.scores()[borda.winner()];
        let next =
            borda.scores().iter().copied().filter(|score| *score < best - 1e-12).fold(f64::NEG_INFINITY, f64::max);
        let condorcet = condorcet_winner(environment);
        let winner = condorcet.as_ref().ok().copied();
        let winners = |notion| Judge::new(notion, environment).ok().map(|judge| judge.winners().to_vec());
        Some(Self {
            borda: borda.winners(),
            borda_gap: next.is_finite().then_some(best - next),
            least_lead: winner.map(|c| (0..k).filter(|j| *j != c).map(|j| p(c, j) - 0.5).fold(f64::INFINITY, f64::min)),
            copeland: winners(Notion::Copeland).unwrap_or_default(),
            utility: winners(Notion::Utility),
            transitive: transitive(k, borda.scores(), p),
            lower_bound: winner.map(|c| lower_bound(k, c, p)),
            condorcet,
        })
    }
}

/// Where there is such an order, that of the Borda scores is one: p rises along rows and falls along columns.
fn transitive(k: usize, scores: &[f64], p: impl Fn(Arm, Arm) -> f64) -> bool {
    let mut order: Vec<Arm> = (0..k).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    let p = |a: usize, b: usize| p(order[a], order[b]);
    let slack = 1e-12;
    (0..k).all(|a| {
        let ahead = (a + 1..k).all(|b| p(a, b) >= 0.5 - slack);
        let along = (a + 1..k.saturating_sub(1)).all(|b| p(a, b + 1) >= p(a, b) - slack);
        let down = (a + 2..k).all(|b| p(a, b) >= p(a + 1, b) - slack);
        ahead && along && down
    })
}

/// Σ_{i≠c} min_{j: p(i,j) < ½} (Δ_i + Δ_j)/(2 d(p(i,j), ½)), Δ_k = p(c,k) − ½.
fn lower_bound(k: usize, c: Arm, p: impl Fn(Arm, Arm) -> f64) -> f64 {
    let part = |x: f64| if x > 0.0 { x * (2.0 * x).ln() } else { 0.0 };
    let behind = |i: Arm| if i == c { 0.0 } else { p(c, i) - 0.5 };
    let cheapest = |i: Arm| {
        let losing = (0..k).filter(|j| p(i, *j) < 0.5);
        let cost = |j: Arm| 0.5 * (behind(i) + behind(j)) / (part(p(i, j)) + part(p(j, i)));
        losing.map(cost).fold(f64::INFINITY, f64::min)
    };
    (0..k).filter(|i| *i != c).map(cheapest).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::fixed::Fixed;
    use crate::environment::instance::{Instance, Name};
    use crate::stream::stream;

    fn world(name: Name) -> Fixed {
        Instance::named(name).build(None, &mut stream(3, &[])).unwrap().0
    }

    #[test]
    fn lower_bounds_are_those_that_were_computed_elsewhere() {
        let bound = |name| Facts::of(&world(name)).unwrap().lower_bound.unwrap();
        assert!((bound(Name::SixRankers) - 20.735).abs() < 5e-4, "{}", bound(Name::SixRankers));
        assert!((bound(Name::Cyclic) - 0.815).abs() < 5e-4, "{}", bound(Name::Cyclic));
    }

    #[test]
    fn facts_are_those_of_the_instances() {
        for (name, expected) in [
            (Name::Arithmetic, true),
            (Name::Geometric, true),
            (Name::Mallows, true),
            (Name::Utility, true),
            (Name::Cube, true),
            // p(3,5) < p(4,5).
            (Name::SixRankers, false),
            (Name::Cyclic, false),
            (Name::CopelandCycle, false),
        ] {
            assert_eq!(Facts::of(&world(name)).unwrap().transitive, expected, "{name:?}");
        }
        let facts = Facts::of(&world(Name::CondorcetNotBorda)).unwrap();
        assert_ne!(vec![facts.condorcet.clone().unwrap()], facts.borda);
        assert!((facts.least_lead.unwrap() - 0.02).abs() < 1e-12);
        assert!(facts.utility.is_none() && facts.borda_gap.unwrap() > 0.0);
        let facts = Facts::of(&world(Name::CopelandCycle)).unwrap();
        assert!(facts.condorcet.unwrap_err().contains(" beats ") && facts.lower_bound.is_none());
        assert_eq!((facts.copeland.len(), facts.borda.len()), (3, 3));
        assert_eq!(Facts::of(&world(Name::RockPaperScissors)).unwrap().borda_gap, None);
        assert_eq!(Facts::of(&world(Name::Cube)).unwrap().utility.unwrap().len(), 1);
    }
}
