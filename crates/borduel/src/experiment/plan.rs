//! An experiment that is ready to run: a list of independent jobs.

use super::pairing::{Finished, Pair, Pairing, Replication, Start};
use super::run_store::{Held, RunStore};
use super::worlds::World;
use super::{Experiment, MOST_RUNS, PolicyResult, Results, Spacing, labels, statistics};
use crate::arena::Arena;
use crate::environment::{AnyEnvironment, Environment};
use crate::policy::{Policy, PolicyConfig, Resolved};
use crate::problem::Problem;
use crate::regret::Checkpoints;
use crate::size;
use crate::stream::{Stream, stream};
use crate::{Error, Result};
use std::borrow::Borrow;
use std::fmt;
use std::marker::PhantomData;

/// What has just been made while planning, each in its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanStep {
    /// The next instance of [`Plan::worlds`].
    World,
    /// The policy of the next combination.
    Policy,
}

/// An experiment that is ready to run: a list of independent jobs.
///
/// It begins with what the experiment names. Policies and environments of one's own are added to it, and then meet the
/// same random numbers, and stand in the same results:
///
/// ```
/// # use borduel::{Experiment, Policy, PolicyConfig};
/// # use borduel::experiment::{EnvironmentConfig, NoSources};
/// let hard = EnvironmentConfig::Hard { d: 2, gap: None };
/// let mut experiment = Experiment::new("mine", vec![hard], vec![PolicyConfig::named("uniform")?]);
/// (experiment.runs, experiment.horizons) = (2, vec![500]);
/// let mut plan = experiment.plan(&NoSources)?;
/// // Any type that implements `Policy`; here one of the list stands for it.
/// plan.add_policy("mine", "Mine", |problem, stream| PolicyConfig::named("dexp3")?.build(problem, stream))?;
/// let results = plan.run_all()?;
/// assert_eq!(results.policies[1].policy, "mine");
/// # Ok::<(), borduel::Error>(())
/// ```
pub struct Plan {
    experiment: Experiment,
    worlds: Vec<World>,
    combinations: Vec<Combination>,
}

/// One policy in one world.
struct Combination {
    world: usize,
    policy: String,
    label: String,
    /// Whether the experiment names it.
    own: bool,
    horizon: u64,
    pairing: Box<dyn Pairing>,
}

/// A world that was added to a plan, and what kind of environment it is.
#[derive(Debug)]
pub struct Added<E> {
    world: usize,
    kind: PhantomData<fn() -> E>,
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let labels: Vec<(&str, &str)> =
            self.combinations.iter().map(|c| (self.worlds[c.world].label(), c.label.as_str())).collect();
        f.debug_struct("Plan").field("experiment", &self.experiment).field("combinations", &labels).finish()
    }
}

impl Plan {
    /// Makes everything that an experiment names.
    pub(super) fn new(
        experiment: &Experiment,
        sources: &dyn super::Sources,
        made: &mut dyn FnMut(PlanStep),
    ) -> Result<Self> {
        let mut plan = Self { experiment: experiment.clone(), worlds: Vec::new(), combinations: Vec::new() };
        for environment in &experiment.environments {
            for &horizon in &experiment.horizons {
                let world = environment.build(experiment.seed, horizon, &experiment.regrets, sources)?;
                made(PlanStep::World);
                plan.seat(world, made)?;
            }
        }
        Ok(plan)
    }

    /// Seats all policies of the experiment in a world.
    fn seat(&mut self, world: World, made: &mut dyn FnMut(PlanStep)) -> Result<()> {
        let problem = world.problem();
        let Some(horizon) = problem.horizon() else {
            return Err(Error::setting("horizon", "none", "the problem of a world in an experiment needs one"));
        };
        let labels = labels::labels(&self.experiment.policies);
        for (config, label) in self.experiment.policies.iter().zip(labels) {
            world.check(config)?;
            let prototype = config.build(problem, stream(self.experiment.seed, &[]))?;
            let (policy, pairing) = (config.name().to_owned(), world.seat(prototype));
            let world = self.worlds.len();
            self.combinations.push(Combination { world, policy, label, own: false, horizon, pairing });
            made(PlanStep::Policy);
        }
        self.worlds.push(world);
        self.check_size()
    }

    /// Adds an environment of one's own, played by all policies of the experiment. Its problem has a horizon.
    pub fn add_world<E: Environment + 'static>(&mut self, label: &str, environment: E) -> Result<Added<E>> {
        let arena = Arena::new(environment, &self.experiment.regrets)?;
        let world = self.worlds.len();
        self.seat(World::new(label.to_owned(), arena), &mut |_| ())?;
        Ok(Added { world, kind: PhantomData })
    }

    /// Adds a policy of one's own to every world that the experiment names. (For worlds that were added: see
    /// [`add_pairing`](Self::add_pairing).)
    pub fn add_policy<P>(
        &mut self,
        name: &str,
        label: &str,
        build: impl Fn(&Problem, Stream) -> Result<P>,
    ) -> Result<()>
    where
        P: Policy + Clone + Send + Sync + 'static,
    {
        for world in 0..self.worlds.len() {
            if self.worlds[world].arena::<AnyEnvironment>().is_some() {
                self.pair::<P, AnyEnvironment>(world, name, label, &build)?;
            }
        }
        Ok(())
    }

    /// Adds a policy of one's own to a world of one's own.
    pub fn add_pairing<P, E>(
        &mut self,
        world: &Added<E>,
        name: &str,
        label: &str,
        build: impl Fn(&Problem, Stream) -> Result<P>,
    ) -> Result<()>
    where
        P: Policy + Clone + Send + Sync + 'static,
        E: Environment + 'static,
    {
        self.pair::<P, E>(world.world, name, label, &build)
    }

    fn pair<P, E>(
        &mut self,
        world: usize,
        name: &str,
        label: &str,
        build: &impl Fn(&Problem, Stream) -> Result<P>,
    ) -> Result<()>
    where
        P: Policy + Clone + Send + Sync + 'static,
        E: Environment + 'static,
    {
        let wrong = || Error::Data(format!("the world of policy \"{name}\" was added to another plan"));
        let arena = self.worlds.get(world).and_then(World::arena::<E>).ok_or_else(wrong)?;
        let problem = arena.problem();
        let prototype = build(problem, stream(self.experiment.seed, &[]))?;
        let (policy, label) = (name.to_owned(), label.to_owned());
        // A world without a horizon was refused when it was added.
        let horizon = problem.horizon().unwrap_or(1);
        let pairing = Box::new(Pair { prototype, arena });
        self.combinations.push(Combination { world, policy, label, own: true, horizon, pairing });
        // All policies of one world stand together, in the order in which they were added.
        self.combinations.sort_by_key(|combination| combination.world);
        self.check_size()
    }

    fn check_size(&self) -> Result<()> {
        let runs = [self.combinations.len() as u64, self.experiment.runs];
        size::at_most(MOST_RUNS, "runs", &runs, "take fewer runs, environments, horizons or policies")
    }

    /// The experiment that the plan was made of.
    pub fn experiment(&self) -> &Experiment {
        &self.experiment
    }

    /// The instances, in the order of environments and horizons.
    pub fn worlds(&self) -> &[World] {
        &self.worlds
    }

    /// What the experiment itself does not name: world (with its fingerprint), policy, label and settings of everything
    /// that was added. Together with the experiment it tells one plan from another.
    pub fn additions(&self) -> Vec<(&str, u64, &str, &str, Vec<Resolved>)> {
        let named = self.experiment.environments.len() * self.experiment.horizons.len();
        let added = self.combinations.iter().filter(|c| c.own || c.world >= named);
        let named = added.map(|c| (c, &self.worlds[c.world]));
        named
            .map(|(c, world)| (world.label(), world.fingerprint(), &*c.policy, &*c.label, c.pairing.settings()))
            .collect()
    }

    /// The number of jobs: combinations × runs.
    pub fn jobs(&self) -> usize {
        // At most `MOST_RUNS`.
        self.combinations.len() * self.experiment.runs as usize
    }

    /// Which combination and replication a job is. Replications of one number lie together, so that an interrupted
    /// experiment has the same number of every policy.
    fn job(&self, job: usize) -> (&Combination, u64) {
        let n = self.combinations.len();
        (&self.combinations[job % n], (job / n) as u64)
    }

    /// The number of rounds of a job.
    pub fn horizon(&self, job: usize) -> u64 {
        self.job(job).0.horizon
    }

    /// The combination a job belongs to, as an index into [`Results::policies`].
    pub fn combination(&self, job: usize) -> usize {
        job % self.combinations.len()
    }

    /// The instance that a combination is played on, as an index into [`worlds`](Self::worlds).
    pub fn world(&self, combination: usize) -> usize {
        self.combinations[combination].world
    }

    /// The settings of the policy of a combination, where the experiment names it.
    pub fn config(&self, combination: usize) -> Option<&PolicyConfig> {
        let Combination { world, own, .. } = &self.combinations[combination];
        let first = self.combinations.partition_point(|c| c.world < *world);
        self.experiment.policies.get(combination - first).filter(|_| !own)
    }

    /// The number of combinations.
    pub fn combinations(&self) -> usize {
        self.combinations.len()
    }

    /// The name of the policy of a job.
    pub fn policy_name(&self, job: usize) -> &str {
        &self.job(job).0.policy
    }

    /// A job before its first round.
    pub fn start(&self, job: usize) -> Result<Box<dyn Replication + '_>> {
        let (combination, replication) = self.job(job);
        let Experiment { seed, feedback, .. } = self.experiment;
        let checkpoints = self.checkpoints(combination.horizon);
        combination.pairing.start(Start { seed, replication, checkpoints, feedback })
    }

    /// Whether this can have come of a job: as many regrets and checkpoints, an item that is there, finite numbers.
    pub fn accepts(&self, job: usize, finished: &Finished) -> bool {
        let (combination, _) = self.job(job);
        let points = self.checkpoints(combination.horizon).rounds().len();
        let whole = |curve: &Vec<f64>| curve.len() == points && curve.iter().all(|regret| regret.is_finite());
        whole(&finished.regret)
            && finished.others.len() + 1 == self.experiment.regrets.len()
            && finished.others.iter().all(whole)
            && finished.estimate < self.worlds[combination.world].problem().items()
            && finished.stepped <= combination.horizon
            && finished.found.iter().all(|share| (0.0..=1.0 + 1e-9).contains(share))
    }

    /// Plays a job from its first round to its last.
    pub fn run(&self, job: usize) -> Result<Finished> {
        let mut game = self.start(job)?;
        game.until(self.horizon(job));
        Ok(game.finish())
    }

    /// All jobs, on all threads of rayon's pool. The results do not depend on their number.
    pub fn run_all(&self) -> Result<Results> {
        let outcomes = borduel_rank::parallel::map(self.jobs(), |job| self.run(job));
        let outcomes = outcomes.into_iter().collect::<Result<Vec<_>>>()?;
        Ok(self.collect(&outcomes))
    }

    /// The results of all jobs, in their order.
    pub fn collect<F: Borrow<Finished>>(&self, outcomes: &[F]) -> Results {
        let finished = outcomes.iter().map(Borrow::borrow).collect();
        match self.collect_from(&Held { finished, combinations: self.combinations.len() }) {
            Ok(results) => results,
            Err(never) => match never {},
        }
    }

    /// The same, from wherever they are kept: one checkpoint of one combination at a time.
    ///
    /// # Errors
    /// Replications that cannot be had.
    pub fn collect_from<K: RunStore>(&self, store: &K) -> std::result::Result<Results, K::Error> {
        let one = |(index, combination): (usize, &Combination)| {
            let of = super::results::Of {
                policy: &combination.policy,
                label: &combination.label,
                world: combination.world,
                environment: &self.worlds[combination.world],
                horizon: combination.horizon,
                settings: &combination.pairing.settings(),
            };
            PolicyResult::new(&of, self.checkpoints(combination.horizon).rounds(), store, index)
        };
        let policies = self.combinations.iter().enumerate().map(one).collect::<std::result::Result<Vec<_>, _>>()?;
        let differences =
            statistics::paired_differences(&self.combinations_of_worlds(), |index| &policies[index].final_regrets);
        Ok(Results::new(self.experiment.clone(), policies, differences))
    }

    /// The settings in use in a combination.
    pub fn settings(&self, combination: usize) -> Vec<Resolved> {
        self.combinations[combination].pairing.settings()
    }

    /// The combinations of every instance.
    fn combinations_of_worlds(&self) -> Vec<Vec<usize>> {
        let mut groups = vec![Vec::new(); self.worlds.len()];
        self.combinations.iter().enumerate().for_each(|(index, c)| groups[c.world].push(index));
        groups
    }

    fn checkpoints(&self, horizon: u64) -> Checkpoints {
        match self.experiment.spacing {
            Spacing::Linear => Checkpoints::linear(horizon, self.experiment.checkpoints),
            Spacing::Logarithmic => Checkpoints::logarithmic(horizon, self.experiment.checkpoints),
        }
    }
}
