//! What regret is measured in: the notions there are, and the judge that a notion and an environment make.

use crate::Link;
use crate::borda::{self, Borda};
use crate::duel::{Arm, Duel};
use crate::environment::context_law::{Here, Round};
use crate::environment::fixed::Fixed;
use crate::environment::{ContextLaw, Environment};
use crate::problem::Problem;
use crate::regret;
use crate::size;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// What the regret of a duel (i,j) is.
///
/// c is the Condorcet winner, the item with p(c,k) > ½ for all k ≠ c; Δ_k = p(c,k) − ½; C(k) is the share of other
/// items that k beats with p > ½; u_k = ⟨x_k, θ⟩.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Notion {
    /// 2B(i*) − B(i) − B(j), with B(i) the probability of beating a random item; always defined.
    #[default]
    Borda,
    /// 2B_t(i*_t) − B_t(i) − B_t(j), with i*_t the best item of the round itself: where preferences change it asks to
    /// follow them. It is Borda regret plus a constant of the world, and the same where nothing changes.
    BordaDynamic,
    /// 2B_c(i*) − B_c(i) − B_c(j) in context c, with i* the one item that is best over all contexts, argmax Σ_c w_c
    /// B_c(i): what knowing the context is worth can make it negative. Defined where finitely many contexts come up by
    /// themselves; all other notions measure from the best item of the round's own context there.
    BordaAveraged,
    /// (Δ_i + Δ_j)/2, where there is a Condorcet winner; also called mean or average regret.
    Condorcet,
    /// max(Δ_i, Δ_j), where there is a Condorcet winner; often called strong regret.
    CondorcetMax,
    /// min(Δ_i, Δ_j), where there is a Condorcet winner; weak regret, nothing whenever the winner takes part.
    CondorcetMin,
    /// max C − (C(i) + C(j))/2; always defined, often with several winners.
    Copeland,
    /// max u − (u_i + u_j)/2, for models of differences of item vectors.
    Utility,
}

/// The names of all notions.
pub const NOTIONS: &[&str] =
    &["borda", "borda-dynamic", "borda-averaged", "condorcet", "condorcet-max", "condorcet-min", "copeland", "utility"];

impl Notion {
    /// All of them, in the order of [`NOTIONS`].
    pub const ALL: [Self; 8] = [
        Self::Borda,
        Self::BordaDynamic,
        Self::BordaAveraged,
        Self::Condorcet,
        Self::CondorcetMax,
        Self::CondorcetMin,
        Self::Copeland,
        Self::Utility,
    ];

    /// The notion of this name.
    pub fn named(name: &str) -> Result<Self> {
        let place = NOTIONS.iter().position(|known| *known == name);
        place.map(|place| Self::ALL[place]).ok_or_else(|| Error::unknown("regret", name, NOTIONS))
    }

    /// Its name, as written in files and on the command line.
    pub fn name(self) -> &'static str {
        NOTIONS[self as usize]
    }

    /// The regret of two items that fall this far short of the best.
    #[inline]
    fn of(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Borda | Self::BordaDynamic | Self::BordaAveraged => a + b,
            Self::Condorcet | Self::Copeland | Self::Utility => 0.5 * (a + b),
            Self::CondorcetMax => a.max(b),
            Self::CondorcetMin => a.min(b),
        }
    }
}

/// Who is best in an environment, and what every other choice loses, in one notion.
#[derive(Debug, Clone)]
pub struct Judge {
    notion: Notion,
    winners: Vec<Arm>,
    /// The first round of every piece in which nothing changes, and by how much each item then falls short of the
    /// rival.
    starts: Vec<u64>,
    losses: Vec<Vec<f64>>,
    /// The same in every context, where finitely many come up by themselves (or of a sample of them).
    contexts: Vec<InContext>,
}

/// Who is best in a context, and by how much each item falls short.
#[derive(Debug, Clone)]
struct InContext {
    winners: Vec<Arm>,
    losses: Vec<f64>,
}

/// The most probabilities that are looked at to count who beats whom.
const MOST_PAIRS: u64 = 1_000_000_000;

impl Judge {
    /// The judge of this notion, unless the environment has no such regret: then with a circle named, or what else is
    /// in the way.
    ///
    /// Where preferences change, the rival of `borda` is the item that is best over the whole horizon, argmax Σ_t
    /// B_t(i), and regret may be negative for a while; that of `borda-dynamic` is the best of every round. Other
    /// notions are not defined there.
    ///
    /// Where a context comes up in every round, the rival is the best item of that context.
    pub fn new<E: Environment + ?Sized>(notion: Notion, environment: &E) -> Result<Self> {
        if let Some(law) = environment.contexts() {
            return Self::in_contexts(notion, law);
        }
        let changes = environment.next_change(1).is_some();
        let (winners, losses) = match notion {
            Notion::Borda | Notion::BordaDynamic if changes => {
                return Self::over_time(notion, environment);
            }
            _ if changes => {
                let why = "preferences change over time: choose borda or borda-dynamic";
                return Err(refused(notion, why.to_owned()));
            }
            Notion::BordaAveraged => {
                return Err(refused(
                    notion,
                    "no contexts come up by themselves in this world: choose borda".to_owned(),
                ));
            }
            Notion::Borda | Notion::BordaDynamic => {
                let borda = Borda::from_scores(environment.scores(1));
                (borda.winners(), shortfalls(borda.scores()))
            }
            Notion::Condorcet | Notion::CondorcetMax | Notion::CondorcetMin => {
                let choose = |why| refused(notion, format!("{why}: choose borda or copeland"));
                let winner = condorcet_winner(environment).map_err(choose)?;
                let ahead = |k| {
                    if k == winner { 0.0 } else { environment.probability(1, Duel(winner, k)) - 0.5 }
                };
                (vec![winner], (0..environment.problem().items()).map(ahead).collect())
            }
            Notion::Copeland => {
                let shares = copeland_scores(environment)?;
                (largest(&shares), shortfalls(&shares))
            }
            Notion::Utility => {
                let why = || "items have no utilities in this world: choose borda, condorcet or copeland".to_owned();
                let utilities = environment.utilities().ok_or_else(|| refused(notion, why()))?;
                (largest(&utilities), shortfalls(&utilities))
            }
        };
        Self { notion, winners, starts: vec![1], losses: vec![losses], contexts: Vec::new() }.checked()
    }

    /// Regret in every context; without one, its mean over contexts.
    fn in_contexts(notion: Notion, law: &ContextLaw) -> Result<Self> {
        let contexts: Vec<InContext> = if notion == Notion::BordaAveraged {
            if law.is_drawn() {
                let why = "contexts are drawn anew in every round, and no item is best over all of them: choose borda";
                return Err(refused(notion, why.to_owned()));
            }
            let best = Borda::from_scores(law.scores(1));
            let behind = |scores: &[f64]| scores.iter().map(|score| scores[best.winner()] - score).collect();
            let own = |member: &Fixed| InContext { winners: best.winners(), losses: behind(member.borda().scores()) };
            law.members().iter().map(own).collect()
        } else {
            let own = |(number, member): (usize, &Fixed)| match Self::new(notion, member) {
                Ok(Self { winners, mut losses, .. }) => Ok(InContext { winners, losses: losses.remove(0) }),
                Err(Error::NoSuchRegret { why, .. }) => Err(refused(notion, format!("in context {number}, {why}"))),
                Err(other) => Err(other),
            };
            law.members().iter().enumerate().map(own).collect::<Result<_>>()?
        };
        let mean = |item: Arm| contexts.iter().zip(law.weights()).map(|(own, weight)| weight * own.losses[item]).sum();
        let losses: Vec<f64> = (0..law.problem().items()).map(mean).collect();
        let winners = largest(&losses.iter().map(|loss| -loss).collect::<Vec<_>>());
        Self { notion, winners, starts: vec![1], losses: vec![losses], contexts }.checked()
    }

    /// Borda regret where preferences change, piece by piece.
    fn over_time<E: Environment + ?Sized>(notion: Notion, environment: &E) -> Result<Self> {
        let problem = environment.problem();
        let horizon = problem.horizon().ok_or_else(|| {
            Error::setting("horizon", "none", "preferences change: who is best depends on how long it goes on")
        })?;
        let (mut starts, mut scores) = (Vec::new(), Vec::new());
        let mut totals = vec![0.0; problem.items()];
        let mut start = 1;
        while start <= horizon {
            let kept = [scores.len() as u64 + 1, problem.items() as u64];
            size::at_most(size::MOST_NUMBERS / 10, "scores in pieces", &kept, "take fewer pieces or items")?;
            let next = environment.next_change(start).map_or(horizon.saturating_add(1), |change| change.max(start + 1));
            let piece = environment.scores(start);
            let length = (next.min(horizon.saturating_add(1)) - start) as f64;
            totals.iter_mut().zip(&piece).for_each(|(total, score)| *total += length * score);
            starts.push(start);
            scores.push(piece);
            start = next;
        }
        let last = if notion == Notion::BordaDynamic { scores.last() } else { None };
        let winners = last.unwrap_or(&totals);
        let rival = borda::winner(winners);
        let slack = 1e-12 * winners[rival].abs();
        // The rival is named first.
        let others = (0..winners.len()).filter(|&i| i != rival && winners[rival] - winners[i] <= slack);
        let winners = std::iter::once(rival).chain(others).collect();
        let behind = |piece: &Vec<f64>| match notion {
            Notion::BordaDynamic => shortfalls(piece),
            _ => piece.iter().map(|score| piece[rival] - score).collect(),
        };
        let losses = scores.iter().map(behind).collect();
        Self { notion, winners, starts, losses, contexts: Vec::new() }.checked()
    }

    /// Refuses losses that cannot be summed up exactly: what is no number, and what is beyond any scale that people
    /// use.
    fn checked(self) -> Result<Self> {
        let countable = |loss: &&f64| self.notion.of(**loss, **loss).abs() <= regret::LARGEST;
        let in_contexts = self.contexts.iter().flat_map(|own| &own.losses);
        match self.losses.iter().flatten().chain(in_contexts).find(|loss| !countable(loss)) {
            None => Ok(self),
            Some(loss) => Err(refused(
                self.notion,
                format!(
                    "an item falls short of the best by {loss}, but regrets are numbers within ±{}: scale the world \
                     down",
                    regret::LARGEST
                ),
            )),
        }
    }

    /// The notion of regret that is measured.
    pub fn notion(&self) -> Notion {
        self.notion
    }

    /// The item against which regret is measured; of several the first.
    pub fn rival(&self) -> Arm {
        self.winners[0]
    }

    /// All items that are as good as the rival; in `borda-dynamic` those of the last rounds.
    pub fn winners(&self) -> &[Arm] {
        &self.winners
    }

    /// By how much every item falls short of the rival in a round: B*, Δ, C or u of the rival minus its own.
    #[inline]
    pub fn losses(&self, round: u64) -> &[f64] {
        let piece = if self.starts.len() == 1 { 0 } else { self.starts.partition_point(|start| *start <= round) - 1 };
        &self.losses[piece]
    }

    /// The regret of a duel in a round, from 1.
    #[inline]
    pub fn regret(&self, round: u64, Duel(i, j): Duel) -> f64 {
        let losses = self.losses(round);
        self.notion.of(losses[i], losses[j])
    }

    /// The regret of a duel in the context of a round.
    pub(crate) fn regret_here(&self, here: &Here<'_>, Duel(i, j): Duel) -> f64 {
        match here {
            Here::Member(index, _) => self.notion.of(self.contexts[*index].losses[i], self.contexts[*index].losses[j]),
            Here::Drawn(round) => {
                let link = here.problem().link();
                self.notion.of(self.behind(link, round, i), self.behind(link, round, j))
            }
        }
    }

    /// By how much an item falls short of the best where p(i,j) = μ(u_i − u_j).
    fn behind(&self, link: Link, Round { utilities, best, .. }: &Round, item: Arm) -> f64 {
        if item == *best {
            return 0.0;
        }
        let (most, own) = (utilities[*best], utilities[item]);
        match self.notion {
            Notion::Borda | Notion::BordaDynamic | Notion::BordaAveraged => {
                let ahead = |other: &f64| link.mu(most - other) - link.mu(own - other);
                utilities.iter().map(ahead).sum::<f64>() / utilities.len() as f64
            }
            Notion::Condorcet | Notion::CondorcetMax | Notion::CondorcetMin => link.mu(most - own) - 0.5,
            Notion::Copeland => {
                utilities.iter().filter(|other| **other > own).count() as f64 / (utilities.len() - 1) as f64
            }
            Notion::Utility => most - own,
        }
    }

    /// The share of contexts (of a sample of them, where they are drawn anew in every round) whose best item is named.
    pub fn found(&self, law: &ContextLaw, estimate: impl Fn(&Problem) -> Arm) -> f64 {
        let right = |(own, member): (&InContext, &Fixed)| own.winners.contains(&estimate(member.problem()));
        let all = self.contexts.iter().zip(law.members()).zip(law.weights());
        all.map(|(one, weight)| if right(one) { weight } else { 0.0 }).sum()
    }
}

/// By how much `borda-dynamic` regret exceeds `borda` regret in T rounds, whoever plays: Σ_t 2(B_t(i*_t) − B_t(i*)),
/// what the best item in hindsight loses to one who follows every change. 0 where nothing changes.
pub fn moved<E: Environment + ?Sized>(environment: &E) -> Result<f64> {
    let (still, dynamic) = (Judge::new(Notion::Borda, environment)?, Judge::new(Notion::BordaDynamic, environment)?);
    let rival = Duel(still.rival(), still.rival());
    // A world that changes has a horizon, and where nothing changes the rival loses nothing.
    let end = environment.problem().horizon().map_or(1, |horizon| horizon.saturating_add(1));
    let ends = dynamic.starts.iter().skip(1).copied().chain([end]);
    let piece = |(start, end): (&u64, u64)| (end - start) as f64 * dynamic.regret(*start, rival);
    Ok(dynamic.starts.iter().zip(ends).map(piece).sum())
}

fn refused(notion: Notion, why: String) -> Error {
    Error::NoSuchRegret { notion: notion.name(), why }
}

/// max − x of every number.
fn shortfalls(scores: &[f64]) -> Vec<f64> {
    let best = scores[borda::winner(scores)];
    scores.iter().map(|score| best - score).collect()
}

/// The places of the largest number.
fn largest(scores: &[f64]) -> Vec<Arm> {
    let best = scores[borda::winner(scores)];
    (0..scores.len()).filter(|i| scores[*i] == best).collect()
}

/// C of every item.
fn copeland_scores<E: Environment + ?Sized>(environment: &E) -> Result<Vec<f64>> {
    let k = environment.problem().items();
    let share = |beaten: usize| beaten as f64 / (k - 1) as f64;
    if let Some(utilities) = environment.utilities() {
        // An item beats exactly those of less utility, however many pairs there are.
        let mut sorted = utilities.clone();
        sorted.sort_by(f64::total_cmp);
        return Ok(utilities.iter().map(|u| share(sorted.partition_point(|other| other < u))).collect());
    }
    size::at_most(MOST_PAIRS, "pairs to look at", &[k as u64, k as u64], "take fewer items, or borda regret")?;
    let beaten = |i| (0..k).filter(|j| *j != i && environment.probability(1, Duel(i, *j)) > 0.5).count();
    Ok((0..k).map(|i| share(beaten(i))).collect())
}

/// The item that beats all others, or why there is none: a circle, or a tie.
pub(crate) fn condorcet_winner<E: Environment + ?Sized>(environment: &E) -> std::result::Result<Arm, String> {
    let k = environment.problem().items();
    let beats = |i, j| environment.probability(1, Duel(i, j)) > 0.5;
    // Whoever beats all others beats the champion so far, and is not beaten afterwards.
    let champion = (1..k).fold(0, |champion, i| if beats(i, champion) { i } else { champion });
    let Some(other) = (0..k).find(|j| *j != champion && !beats(champion, *j)) else {
        return Ok(champion);
    };
    // From one who beats the present one to the next: somebody comes up again, or nobody beats the last one.
    let mut path = vec![champion];
    loop {
        let last = path[path.len() - 1];
        let Some(stronger) = (0..k).find(|i| beats(*i, last)) else {
            let tied = (0..k).find(|j| *j != last && !beats(last, *j)).unwrap_or(other);
            return Err(format!("nobody beats item {last}, but it does not beat item {tied}"));
        };
        if let Some(place) = path.iter().position(|i| *i == stronger) {
            // The path leads from the beaten to the beating; it is told the other way round, from the lowest to itself.
            let mut circle: Vec<Arm> = path[place..].iter().rev().copied().collect();
            let lowest = circle.iter().enumerate().min_by_key(|(_, item)| **item).map_or(0, |(at, _)| at);
            circle.rotate_left(lowest);
            circle.push(circle[0]);
            let words: Vec<String> = circle.iter().map(ToString::to_string).collect();
            return Err(format!("item {}", words.join(" beats ")));
        }
        path.push(stronger);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Link;
    use crate::environment::fixed::Fixed;
    use crate::environment::glm::{Shape, glm, random_features};
    use crate::environment::matrix::matrix;
    use crate::features::Features;
    use crate::stream::stream;

    fn table(upper: &[&[f64]]) -> Fixed {
        let k = upper.len() + 1;
        let mut rows = vec![vec![0.5; k]; k];
        for (i, row) in upper.iter().enumerate() {
            for (offset, p) in row.iter().enumerate() {
                (rows[i][i + 1 + offset], rows[i + 1 + offset][i]) = (*p, 1.0 - p);
            }
        }
        matrix(&rows, None, Link::Logistic, None).unwrap()
    }

    #[test]
    fn every_notion_is_its_formula() {
        // 0 beats all by little, 1 beats 2 and 3 clearly: Condorcet winner 0, Borda winner 1.
        let world = table(&[&[0.52, 0.53, 0.54], &[0.9, 0.9], &[0.6]]);
        let judge = |notion| Judge::new(notion, &world).unwrap();
        let regret = |notion| judge(notion).regret(7, Duel(1, 3));
        assert_eq!([judge(Notion::Borda), judge(Notion::Condorcet)].map(|j| j.rival()), [1, 0]);
        let b = [2.09, 2.78, 1.67, 1.46].map(|sum| sum / 4.0);
        assert!((regret(Notion::Borda) - (b[1] - b[3])).abs() < 1e-12);
        assert!((regret(Notion::Condorcet) - 0.03).abs() < 1e-12);
        assert!((regret(Notion::CondorcetMax) - 0.04).abs() < 1e-12);
        assert!((regret(Notion::CondorcetMin) - 0.02).abs() < 1e-12);
        assert!((regret(Notion::Copeland) - (1.0 - 2.0 / 6.0)).abs() < 1e-12);
        assert_eq!(judge(Notion::CondorcetMin).regret(1, Duel(0, 3)), 0.0);
    }

    #[test]
    fn utilities_are_those_of_the_model() {
        let mut s = stream(3, &[]);
        let features = random_features(30, 3, Shape::Differences, &mut s).unwrap();
        let world = glm(features, Link::Logistic, None, None, None, &mut s).unwrap();
        let judge = |notion| Judge::new(notion, &world).unwrap();
        let (utility, copeland) = (judge(Notion::Utility), judge(Notion::Copeland));
        let rival = utility.rival();
        assert_eq!([judge(Notion::Borda), judge(Notion::Condorcet), copeland.clone()].map(|j| j.rival()), [rival; 3]);
        for i in 0..30 {
            // p(i*, i) = μ(u* − u_i), and the sorted way of counting is the plain one.
            let p = Link::Logistic.mu(2.0 * utility.regret(1, Duel(rival, i)));
            assert!((p - world.probability(1, Duel(rival, i))).abs() < 1e-12);
            let beaten = (0..30).filter(|j| world.probability(1, Duel(i, *j)) > 0.5).count();
            assert!((2.0 * copeland.regret(1, Duel(rival, i)) - (1.0 - beaten as f64 / 29.0)).abs() < 1e-12);
        }
        let pairs = random_features(5, 3, Shape::Pairs, &mut s).unwrap();
        let pairs = glm(pairs, Link::Logistic, None, None, None, &mut s).unwrap();
        assert!(matches!(Judge::new(Notion::Utility, &pairs), Err(Error::NoSuchRegret { .. })));
    }

    #[test]
    fn no_winner_is_refused_with_a_circle_or_a_tie() {
        let circle = table(&[&[0.6, 0.4, 0.9], &[0.6, 0.9], &[0.9]]);
        let message = |world: &Fixed| Judge::new(Notion::Condorcet, world).unwrap_err().to_string();
        assert_eq!(
            message(&circle),
            "condorcet regret is not defined here: item 0 beats 1 beats 2 beats 0: choose borda or copeland"
        );
        assert_eq!(Judge::new(Notion::Copeland, &circle).unwrap().winners(), [0, 1, 2]);
        let tie = table(&[&[0.5, 0.6], &[0.6]]);
        assert!(message(&tie).contains("nobody beats item 0, but it does not beat item 1"), "{}", message(&tie));
    }

    #[test]
    fn dynamic_regret_is_borda_regret_and_a_constant_of_the_world() {
        use crate::environment::adversarial::{Adversarial, Path};
        let features = random_features(6, 3, Shape::Pairs, &mut stream(1, &[])).unwrap();
        let problem = crate::problem::Problem::new(features, Link::Linear, Some(997)).unwrap();
        for name in ["switching", "rotating", "drifting"] {
            let world =
                Adversarial::new(problem.clone(), &Path::named(name).unwrap(), None, &mut stream(2, &[])).unwrap();
            let [still, dynamic] = [Notion::Borda, Notion::BordaDynamic].map(|n| Judge::new(n, &world).unwrap());
            let mut s = stream(3, &[]);
            let (mut own, mut follows) = (0.0, 0.0);
            for t in 1..=997 {
                let duel = Duel(s.below(6), s.below(6));
                let scores = world.scores(t);
                let best = scores.iter().copied().fold(0.0, f64::max);
                let regret = 2.0 * best - scores[duel.0] - scores[duel.1];
                assert!((dynamic.regret(t, duel) - regret).abs() < 1e-12 && dynamic.regret(t, duel) >= 0.0);
                own += still.regret(t, duel);
                follows += dynamic.regret(t, duel);
            }
            let constant = moved(&world).unwrap();
            assert!(constant > 1.0 && (follows - own - constant).abs() < 1e-9, "{name}: {follows} {own} {constant}");
            let last = world.scores(997);
            assert_eq!(dynamic.rival(), borda::winner(&last));
        }
        // And where nothing changes both are one, with or without a horizon.
        let world = table(&[&[0.52, 0.53, 0.54], &[0.9, 0.9], &[0.6]]);
        let [still, dynamic] = [Notion::Borda, Notion::BordaDynamic].map(|n| Judge::new(n, &world).unwrap());
        assert_eq!((still.losses(1), still.winners()), (dynamic.losses(1), dynamic.winners()));
        assert_eq!(moved(&world), Ok(0.0));
    }

    #[test]
    fn names_are_those_of_the_files() {
        for (notion, name) in Notion::ALL.into_iter().zip(NOTIONS) {
            assert_eq!((Notion::named(name), notion.name()), (Ok(notion), *name));
            assert_eq!(serde_json::to_value(notion).unwrap(), *name);
        }
        assert!(Notion::named("condorcet-avg").unwrap_err().to_string().contains("did you mean \"condorcet"));
    }

    #[test]
    fn losses_that_cannot_be_summed_up_are_refused() {
        let world = |theta: f64| {
            let features = Features::differences(3, 1, &[0.0, 0.25, 1.0]).unwrap();
            glm(features, Link::Logistic, Some(vec![theta]), None, None, &mut stream(3, &[])).unwrap()
        };
        assert!(Judge::new(Notion::Utility, &world(8_000.0)).is_ok());
        let error = Judge::new(Notion::Utility, &world(9_000.0)).unwrap_err().to_string();
        assert!(error.contains("falls short of the best by 9") && error.contains("±8191"), "{error}");
        assert!(Judge::new(Notion::Borda, &world(9_000.0)).is_ok());
    }
}
