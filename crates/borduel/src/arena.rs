//! An arena: an environment, and the judges of what is asked in it, made ready for many rounds.

use crate::duel::Duel;
use crate::environment::Environment;
use crate::judge::{Judge, Notion};
use crate::problem::Problem;
use crate::regret::Regret;
use crate::{Error, Result};

/// Where a [`Run`](crate::Run) is played.
///
/// ```
/// use borduel::environment::hard::hard;
/// use borduel::regret::{Checkpoints, Curve};
/// use borduel::{Arena, Feedback, Notion, PolicyConfig, Run, stream};
/// let world = hard(3, None, Some(1_000), &mut stream(1, &[]))?;
/// let arena = Arena::new(world, &[Notion::Borda, Notion::Copeland])?;
/// let policy = PolicyConfig::named("uniform")?.build(arena.problem(), stream(2, &[]))?;
/// let curves = vec![Curve::new(Checkpoints::linear(1_000, 10)); 2];
/// let mut run = Run::new(policy, curves, 1, 0, Feedback::IMMEDIATE)?;
/// run.until(1_000, &arena);
/// assert!(run.record.iter().all(|curve| curve.total() > 0.0));
/// # Ok::<(), borduel::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Arena<E> {
    environment: E,
    judges: Vec<Judge>,
    /// Row by row what a round with each pair needs, where the environment keeps a table.
    cells: Vec<Meeting>,
}

/// p(i,j), and the first judge's regret of asking it: side by side, so that a round looks at one place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Meeting {
    pub(crate) probability: f64,
    pub(crate) regret: Regret,
}

impl<E: Environment> Arena<E> {
    /// With regret in these notions, the first of which is "the" regret.
    pub fn new(environment: E, notions: &[Notion]) -> Result<Self> {
        if notions.is_empty() {
            return Err(Error::setting("regrets", "none", "name at least one notion of regret, such as borda"));
        }
        if let Some(twice) = (1..notions.len()).find(|place| notions[..*place].contains(&notions[*place])) {
            return Err(Error::setting("regrets", notions[twice].name(), "name every notion of regret once"));
        }
        let judges: Vec<Judge> =
            notions.iter().map(|notion| Judge::new(*notion, &environment)).collect::<Result<_>>()?;
        let k = environment.problem().items();
        let cell = |(place, probability): (usize, &f64)| Meeting {
            probability: *probability,
            regret: Regret::of(judges[0].regret(1, Duel(place / k, place % k))),
        };
        let cells = environment.table().unwrap_or_default().iter().enumerate().map(cell).collect();
        Ok(Self { environment, judges, cells })
    }

    /// An arena for this environment, with Borda regret.
    pub fn borda(environment: E) -> Result<Self> {
        Self::new(environment, &[Notion::Borda])
    }

    /// The environment, which is the truth.
    pub fn environment(&self) -> &E {
        &self.environment
    }

    /// What a policy may know.
    pub fn problem(&self) -> &Problem {
        self.environment.problem()
    }

    /// Those who judge, in the order of their notions; the first one's is "the" regret.
    pub fn judges(&self) -> &[Judge] {
        &self.judges
    }

    /// K and the cells of all pairs, if there are any.
    #[inline]
    pub(crate) fn cells(&self) -> Option<(usize, &[Meeting])> {
        let k = self.problem().items();
        (self.cells.len() == k * k).then_some((k, &self.cells))
    }
}
