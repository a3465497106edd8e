//! Environments as a user writes them, and the instances that come of them.

use super::context_config::{ContextConfig, Theta};
use super::feature_config::FeatureConfig;
use super::pairing::{Pairing, Seat};
use super::sources::Sources;
use crate::Link;
use crate::arena::Arena;
use crate::duel::{Arm, Duel};
use crate::environment::adversarial::{Adversarial, Path};
use crate::environment::crowd::{self, CrowdOptions, Responses};
use crate::environment::fixed::Fixed;
use crate::environment::function::Function;
use crate::environment::glm;
use crate::environment::instance::Instance;
use crate::environment::pieces::Pieces;
use crate::environment::{AnyEnvironment, ContextLaw, Environment, hard, matrix};
use crate::features::Features;
use crate::judge::{Judge, Notion, condorcet_winner};
use crate::policy::{AnyPolicy, PolicyConfig};
use crate::problem::Problem;
use crate::stream::{INSTANCE, mix, stream};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// An environment's kind and settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
#[non_exhaustive]
pub enum EnvironmentConfig {
    /// The paper's hard instance.
    Hard {
        /// 2^(d+1) items in d+1 dimensions.
        d: u32,
        /// Δ; 1/(4d) unless set.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        gap: Option<f64>,
    },
    /// The same probabilities with features in d dimensions, of which no θ explains the bias of ¼.
    #[serde(rename = "hard-biased")]
    HardBiased {
        /// 2^(d+1) items in d dimensions.
        d: u32,
        /// Δ; 1/(4d) unless set.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        gap: Option<f64>,
    },
    /// A generalised linear model, random or given.
    Glm {
        /// The link from θᵀφ to a probability.
        #[serde(default)]
        link: Link,
        /// The features of the pairs.
        features: FeatureConfig,
        /// θ in the coordinates of the features; drawn unless given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        theta: Option<Vec<f64>>,
        /// The length of a drawn θ.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        theta_norm: Option<f64>,
    },
    /// A preference matrix, entry by entry.
    Matrix {
        /// p(i,j), row by row.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rows: Option<Vec<Vec<f64>>>,
        /// The name of a table to take them from instead.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        table: Option<String>,
        /// The link that policies assume.
        #[serde(default)]
        link: Link,
        /// The features that policies know; one-hot items unless given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        features: Option<FeatureConfig>,
    },
    /// Matrices that change at given rounds.
    Pieces {
        /// The round from which each matrix holds: increasing, the first of them 1.
        starts: Vec<u64>,
        /// p(i,j) of each, row by row.
        matrices: Vec<Vec<Vec<f64>>>,
        /// The link that policies assume.
        #[serde(default)]
        link: Link,
        /// The features that policies know; one-hot items unless given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        features: Option<FeatureConfig>,
    },
    /// A crowd's votes, made into a model as for the paper's EventTime.
    Crowd {
        /// The name of the votes; a simulated crowd unless given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        votes: Option<String>,
        /// Where answers come from.
        #[serde(default)]
        responses: Responses,
        /// The length of the sign vectors.
        #[serde(default = "five")]
        dim: usize,
        /// How many sign assignments are tried.
        #[serde(default = "hundred")]
        assignments: u32,
    },
    /// A test function of optimisation on a grid of 100 points, by name.
    Function {
        /// The function, by its name.
        name: Function,
    },
    /// An instance of the literature, by name.
    Instance(Instance),
    /// A context that comes up in every round and is seen before asking: items have other vectors in it.
    Contexts {
        /// The link from θᵀφ to a probability.
        #[serde(default)]
        link: Link,
        /// The law of the contexts.
        contexts: ContextConfig,
        /// θ in the coordinates of the vectors; drawn unless given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        theta: Option<Vec<f64>>,
        /// The length of a drawn θ, where the longest difference of two vectors is 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        theta_norm: Option<f64>,
        /// The standard deviation of every number of a drawn θ, in the coordinates of the vectors.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        theta_sd: Option<f64>,
    },
    /// A parameter that changes over time.
    Adversarial {
        /// The features; those of the hard instance with d = 6 unless given.
        #[serde(default = "hard_features")]
        features: FeatureConfig,
        /// The link from θᵀφ to a probability.
        #[serde(default = "linear_link")]
        link: Link,
        /// How the parameter θ moves.
        path: Path,
        /// The largest |⟨φ, θ⟩|; 0.4 for the linear link and 2 for the others unless set.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        strength: Option<f64>,
    },
}

fn five() -> usize {
    5
}
fn hundred() -> u32 {
    100
}
fn hard_features() -> FeatureConfig {
    FeatureConfig::Hard { d: 6 }
}
fn linear_link() -> Link {
    Link::Linear
}

/// An environment with the judge of its regret.
pub struct World {
    label: String,
    /// Where each item of the literature's order stands, if items were shuffled.
    order: Option<Vec<Arm>>,
    seat: Box<dyn Seat>,
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("World").field(&self.label).finish()
    }
}

impl World {
    pub(super) fn new<E: Environment + 'static>(label: String, arena: Arena<E>) -> Self {
        Self { label, order: None, seat: Box::new(Arc::new(arena)) }
    }

    /// What it is called.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Where each item of the literature's order stands in this world, if its items were shuffled.
    pub fn order(&self) -> Option<&[Arm]> {
        self.order.as_deref()
    }

    /// The environment, which is the truth.
    pub fn environment(&self) -> &dyn Environment {
        self.seat.environment()
    }

    /// What a policy may know.
    pub fn problem(&self) -> &Problem {
        self.environment().problem()
    }

    /// Tells this world from another of the same name: what policies know of it, and its probabilities at first and
    /// after each of its first changes, of all pairs or, where items are many, of some that name a thousand of them.
    pub fn fingerprint(&self) -> u64 {
        let (environment, items) = (self.environment(), self.problem().items());
        let pairs: Vec<Duel> = if items <= 1000 {
            (0..items).flat_map(|i| (i + 1..items).map(move |j| Duel(i, j))).collect()
        } else {
            (0..1000.min(items)).map(|i| Duel(i, (i + 1) % items)).collect()
        };
        let mut print = self.problem().fingerprint();
        for member in environment.contexts().into_iter().flat_map(ContextLaw::members) {
            let own = pairs.iter().map(|&duel| member.probability(1, duel).to_bits());
            print = own.fold(mix(print, member.problem().features().fingerprint()), mix);
        }
        let mut round = 1;
        for _ in 0..8 {
            print =
                pairs.iter().fold(mix(print, round), |p, &duel| mix(p, environment.probability(round, duel).to_bits()));
            match environment.next_change(round).filter(|&next| next > round) {
                Some(next) => round = next,
                None => break,
            }
        }
        print
    }

    /// Whether preferences change over time.
    pub fn changes(&self) -> bool {
        self.environment().next_change(1).is_some()
    }

    /// Those who judge, in the order of the experiment's regrets.
    pub fn judges(&self) -> &[Judge] {
        self.seat.judges()
    }

    /// All true winners in "the" regret.
    pub fn winners(&self) -> &[Arm] {
        self.judges()[0].winners()
    }

    /// Refuses a policy whose assumptions this world does not meet. (Where preferences change, nobody knows.)
    pub fn check(&self, policy: &PolicyConfig) -> Result<()> {
        let problem = self.problem();
        if policy.needs_item_features() && problem.dim() > 0 && !problem.features().is_differences() {
            let remedy = "give the items features of their own, or take betc-glm-adaptive";
            let reason = format!(
                "learns from vectors of items, φ(i,j) = x_i − x_j, but here features belong to pairs: {remedy}"
            );
            return Err(Error::setting("policy", policy.name(), reason));
        }
        if !policy.assumes_condorcet_winner() || self.changes() {
            return Ok(());
        }
        condorcet_winner(self.environment()).map(|_| ()).map_err(|why| {
            let remedy = "take dts, versatile or self-sparring, or a policy that seeks the Borda winner";
            Error::setting(
                "policy",
                policy.name(),
                format!("assumes an item that beats all others, but {why}: {remedy}"),
            )
        })
    }

    /// A policy of the list, here.
    pub(super) fn seat(&self, prototype: AnyPolicy) -> Box<dyn Pairing> {
        self.seat.seat(prototype)
    }

    /// The arena, if its environment is of this kind.
    pub(super) fn arena<E: Environment + 'static>(&self) -> Option<Arc<Arena<E>>> {
        self.seat.as_any().downcast_ref().cloned()
    }
}

impl EnvironmentConfig {
    /// Refuses sizes that no memory holds.
    pub(super) fn check_size(&self) -> Result<()> {
        match self {
            Self::Glm { features, .. } | Self::Adversarial { features, .. } => features.check_size(),
            Self::Matrix { features, .. } | Self::Pieces { features, .. } => {
                features.as_ref().map_or(Ok(()), FeatureConfig::check_size)
            }
            Self::Instance(instance) => instance.check_size(),
            Self::Contexts { contexts, .. } => contexts.check_size(),
            Self::Hard { .. } | Self::HardBiased { .. } | Self::Crowd { .. } | Self::Function { .. } => Ok(()),
        }
    }

    /// The instance of this seed and horizon, judged by these notions.
    pub fn build(&self, seed: u64, horizon: u64, regrets: &[Notion], sources: &dyn Sources) -> Result<World> {
        let mut s = stream(seed, &[INSTANCE]);
        let horizon = Some(horizon);
        let world =
            |label: String, environment: AnyEnvironment| Ok(World::new(label, Arena::new(environment, regrets)?));
        let fixed = |label: String, environment: Fixed| world(label, environment.into());
        match self {
            Self::Hard { d, gap } | Self::HardBiased { d, gap } => {
                let delta = gap.unwrap_or(0.25 / f64::from(*d));
                let (form, build): (_, fn(_, _, _, &mut _) -> _) = match self {
                    Self::Hard { .. } => ("hard", hard::hard),
                    _ => ("hard with a bias", hard::biased),
                };
                fixed(format!("{form} (d = {d}, Δ = {delta:.4})"), build(*d, *gap, horizon, &mut s)?)
            }
            Self::Glm { link, features, theta, theta_norm } => {
                let features = features.build(&mut s, sources)?;
                let label = format!("glm (K = {}, d = {}, {link:?})", features.items(), features.dim());
                let theta = match theta {
                    Some(theta) if theta.len() != features.given_dim() => {
                        let remedy = format!("must have one number for each of {} features", features.given_dim());
                        return Err(Error::setting("theta", format!("{} numbers", theta.len()), remedy));
                    }
                    given => given.as_ref().map(|theta| features.from_given(theta)),
                };
                fixed(label, glm::glm(features, *link, theta, *theta_norm, horizon, &mut s)?)
            }
            Self::Matrix { rows, table, link, features } => {
                let rows = match (rows, table) {
                    (Some(rows), None) => rows.clone(),
                    (None, Some(name)) => sources.table(name)?,
                    _ => {
                        return Err(Error::setting("matrix", "rows, table", "give exactly one of the two"));
                    }
                };
                let features = features.as_ref().map(|f| f.build(&mut s, sources)).transpose()?;
                fixed(format!("matrix (K = {})", rows.len()), matrix::matrix(&rows, features, *link, horizon)?)
            }
            Self::Pieces { starts, matrices, link, features } => {
                let k = matrices.first().map_or(0, Vec::len);
                let features = features.as_ref().map(|f| f.build(&mut s, sources)).transpose()?;
                let features = features.map_or_else(|| Features::one_hot(k), Ok)?;
                let square = |rows: &Vec<Vec<f64>>| rows.len() == k && rows.iter().all(|row| row.len() == k);
                if features.items() != k || !matrices.iter().all(square) {
                    let what = format!("{} items have features, the first matrix has {k} rows", features.items());
                    return Err(Error::Data(format!("{what}: every matrix needs a row and a column for every item")));
                }
                let tables = matrices.iter().map(|rows| rows.concat()).collect();
                let environment = Pieces::new(Problem::new(features, *link, horizon)?, starts.clone(), tables)?;
                world(format!("pieces (K = {k}, {} matrices)", matrices.len()), environment.into())
            }
            Self::Crowd { votes, responses, dim, assignments } => {
                let (label, wins) = match votes {
                    Some(name) => (format!("crowd ({name}, {responses:?})"), sources.votes(name)?),
                    None => (format!("simulated crowd ({responses:?})"), crowd::simulated_votes(&mut s)),
                };
                let options = CrowdOptions { responses: *responses, dim: *dim, assignments: *assignments };
                fixed(label.to_lowercase(), crowd::crowd(&wins, &options, horizon, &mut s)?)
            }
            Self::Function { name } => fixed(format!("function ({})", name.name()), name.build(horizon)?),
            Self::Instance(instance) => {
                let (environment, order) = instance.build(horizon, &mut s)?;
                Ok(World { order: instance.shuffle.then_some(order), ..fixed(instance.label(), environment)? })
            }
            Self::Contexts { link, contexts, theta, theta_norm, theta_sd } => {
                let theta = Theta { given: theta.as_deref(), norm: *theta_norm, sd: *theta_sd };
                let (label, law) = contexts.build(*link, &theta, horizon, &mut s, sources)?;
                world(label, law.into())
            }
            Self::Adversarial { features, link, path, strength } => {
                let features = features.build(&mut s, sources)?;
                let kind = match path {
                    Path::Switching { .. } => "switching",
                    Path::Rotating { .. } => "rotating",
                    Path::Drifting { .. } => "drifting",
                    Path::Table { .. } => "table",
                };
                let label = format!("adversarial ({kind}, K = {}, d = {})", features.items(), features.dim());
                let problem = Problem::new(features, *link, horizon)?;
                world(label, Adversarial::new(problem, path, *strength, &mut s)?.into())
            }
        }
    }
}
