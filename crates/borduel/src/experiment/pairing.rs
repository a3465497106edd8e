//! A policy paired with a world: monomorphic inside, the same from outside whatever the two are.

use crate::Result;
use crate::arena::Arena;
use crate::environment::Environment;
use crate::judge::Judge;
use crate::policy::{AnyPolicy, Policy, Resolved};
use crate::regret::{Checkpoints, Curve};
use crate::simulate::{Feedback, Run};
use crate::stream::{POLICY, REPLICATION, stream};
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::sync::Arc;

/// What is kept of one finished replication.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Finished {
    /// Cumulative regret at the checkpoints.
    pub regret: Vec<f64>,
    /// The same in every further notion of regret.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Vec<f64>>,
    /// The item the policy would name at the end.
    pub estimate: usize,
    /// Rounds that were stepped through one by one.
    pub stepped: u64,
    /// Where a context comes up in every round: the share of contexts whose best item it would name at the end, in
    /// every notion of regret.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<f64>,
}

impl Finished {
    /// Cumulative regret at the checkpoints in a notion of the experiment's, of which 0 is the first.
    pub fn curve(&self, notion: usize) -> Option<&[f64]> {
        notion.checked_sub(1).map_or(Some(&self.regret), |other| self.others.get(other)).map(Vec::as_slice)
    }
}

/// One replication at play. A call costs one look at what it is; the rounds within cost none. Only plans make them.
pub trait Replication: Send + sealed::Sealed {
    /// The number of rounds that were played.
    fn round(&self) -> u64;
    /// Plays until round `end` is over.
    fn until(&mut self, end: u64);
    /// Whether every further question is settled, so that the rest passes in one stride.
    fn is_committed(&self) -> bool;
    /// What to keep of it.
    fn finish(&self) -> Finished;
}

mod sealed {
    /// What nobody else can implement.
    pub trait Sealed {}
}

/// What a replication starts from.
pub(super) struct Start {
    pub(super) seed: u64,
    pub(super) replication: u64,
    pub(super) checkpoints: Checkpoints,
    pub(super) feedback: Feedback,
}

/// A policy before its first question, and where it is played; every replication is a copy with its own stream.
pub(super) trait Pairing: Send + Sync {
    fn start<'a>(&'a self, start: Start) -> Result<Box<dyn Replication + 'a>>;
    fn settings(&self) -> Vec<Resolved>;
}

pub(super) struct Pair<P, E> {
    pub(super) prototype: P,
    pub(super) arena: Arc<Arena<E>>,
}

impl<P, E> Pairing for Pair<P, E>
where
    P: Policy + Clone + Send + Sync,
    E: Environment,
{
    fn start<'a>(&'a self, start: Start) -> Result<Box<dyn Replication + 'a>> {
        let Start { seed, replication, checkpoints, feedback } = start;
        let mut policy = self.prototype.clone();
        policy.reseed(stream(seed, &[REPLICATION, replication, POLICY]));
        let arena: &Arena<E> = &self.arena;
        let curves = vec![Curve::new(checkpoints); arena.judges().len()];
        let run = Run::new(policy, curves, seed, replication, feedback)?;
        Ok(Box::new(Playing { run, arena }))
    }

    fn settings(&self) -> Vec<Resolved> {
        self.prototype.settings()
    }
}

struct Playing<'a, P, E> {
    run: Run<P, Vec<Curve>>,
    arena: &'a Arena<E>,
}

impl<P, E> sealed::Sealed for Playing<'_, P, E> {}

impl<P: Policy + Send, E: Environment> Replication for Playing<'_, P, E> {
    fn round(&self) -> u64 {
        self.run.round()
    }

    fn until(&mut self, end: u64) {
        self.run.until(end, self.arena);
    }

    fn is_committed(&self) -> bool {
        self.run.policy.committed().is_some()
    }

    fn finish(&self) -> Finished {
        let (arena, policy) = (self.arena, &self.run.policy);
        let mut curves = self.run.record.iter().map(|curve| curve.values().to_vec());
        let share = |law| arena.judges().iter().map(|judge| judge.found(law, |here| policy.estimate(here))).collect();
        Finished {
            regret: curves.next().unwrap_or_default(),
            others: curves.collect(),
            estimate: policy.estimate(arena.problem()),
            stepped: self.run.stepped(),
            found: arena.environment().contexts().map_or_else(Vec::new, share),
        }
    }
}

/// An arena of some kind of environment.
pub(super) trait Seat: Send + Sync {
    fn environment(&self) -> &dyn Environment;
    fn judges(&self) -> &[Judge];
    /// Any policy of the list, here.
    fn seat(&self, prototype: AnyPolicy) -> Box<dyn Pairing>;
    /// The `Arc<Arena<E>>` that it is.
    fn as_any(&self) -> &dyn Any;
}

impl<E: Environment + 'static> Seat for Arc<Arena<E>> {
    fn environment(&self) -> &dyn Environment {
        Arena::<E>::environment(self)
    }

    fn judges(&self) -> &[Judge] {
        Arena::<E>::judges(self)
    }

    fn seat(&self, prototype: AnyPolicy) -> Box<dyn Pairing> {
        Box::new(Pair { prototype, arena: Self::clone(self) })
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
