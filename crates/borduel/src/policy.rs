//! The trait of all policies, and the one list of those there are.

use crate::duel::{Arm, Duel, Outcome, Proposal};
use crate::judge::Notion;
use crate::problem::Problem;
use crate::stream::Stream;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

mod features;
mod own;
mod paper;
mod peers;
mod shared;

pub use features::{colstim, fgts, max_inp, max_min_lcb, max_pair_ucb, vacdb};
pub use own::{
    anytime, betc_glm_adaptive, find_winner, ftrl, ftrl_borda, ftrl_linear, greedy_glm, track, track_borda,
    track_linear,
};
pub use paper::{betc_glm, bexp3, dexp3, etc_borda, ucb_borda, uniform};
pub use peers::{active_ranking, ccb, dts, merge, rmed, rucb, self_sparring, versatile, winner_stays};
pub use settings::{Resolved, Setting};
pub use shared::settings;

/// Something that decides which pair to ask next, and learns from the answers.
///
/// A policy is a plain value: settings, counters and its own random stream. It never sees what answers its questions,
/// so the same value runs in a simulation and behind a live service. It can be saved at any time.
///
/// *The contract.* A proposal is a ticket. It comes back at most once, through [`tell`](Self::tell) or
/// [`cancel`](Self::cancel), to the policy that made it, together with the problem for which that policy was made.
/// Policies rely on it and do not check: a look-up of tickets would cost more than most rounds do. Whoever breaks it
/// gets estimates that mean nothing, or a panic (an index out of bounds, where items are not there), but nothing worse.
/// Where tickets come from outside, let a [`Desk`](crate::Desk) keep them: it refuses every wrong one with an error
/// that says why.
///
/// Where every question has a context ([`Problem::of_context`]), [`ask`](Self::ask), [`scores`](Self::scores) and
/// [`estimate`](Self::estimate) are given the problem of that context. An answer may come when another one is up:
/// [`tell`](Self::tell) and [`cancel`](Self::cancel) read link, horizon, dimension and [`Problem::family`] from their
/// problem and no vectors of its own, and what they need of the items' stands on the ticket.
///
/// ```
/// use borduel::{Features, Link, Outcome, Policy, PolicyConfig, Problem, stream};
/// let problem = Problem::new(Features::one_hot(4)?, Link::Logistic, Some(1_000))?;
/// let mut policy = PolicyConfig::named("etc-borda")?.build(&problem, stream(1, &[]))?;
/// for _ in 0..1_000 {
///     let proposal = policy.ask(&problem);
///     let answer = if proposal.duel.0 >= proposal.duel.1 { Outcome::Win } else { Outcome::Loss };
///     policy.tell(&problem, &proposal, answer);
/// }
/// assert_eq!(policy.estimate(&problem), 3);
/// # Ok::<(), borduel::Error>(())
/// ```
#[doc(alias("bandit", "algorithm", "ask_tell"))]
pub trait Policy {
    /// The next question. It never waits for answers; any number of questions may be open.
    fn ask(&mut self, problem: &Problem) -> Proposal;

    /// The next `n` questions, to be shown together.
    ///
    /// They are what [`ask`](Self::ask) would propose one after the other without an answer in between, and every
    /// policy of the list is made for that: explore-then-commit policies go on with their plan, the adaptive one draws
    /// from its design and counts open questions as paid for, UCB-Borda counts them in its bonus, and the others draw
    /// at random.
    fn ask_many(&mut self, problem: &Problem, n: usize) -> Vec<Proposal> {
        (0..n).map(|_| self.ask(problem)).collect()
    }

    /// The answer to a question: at once or late, in any order, at most once for each.
    fn tell(&mut self, problem: &Problem, proposal: &Proposal, outcome: Outcome);

    /// The question will never be answered: skipped, expired or lost.
    fn cancel(&mut self, problem: &Problem, proposal: &Proposal);

    /// Tells the next questions, where they are all the same and no answer to them changes anything.
    ///
    /// A simulation then passes over them with [`skip`](Self::skip) instead of asking and telling, no further than to
    /// the next late answer to an earlier question.
    #[inline]
    fn fixed_until(&self) -> Option<FixedDuel> {
        None
    }

    /// Passes over so many of the questions of [`fixed_until`](Self::fixed_until) as asked and answered. It leaves the
    /// same state as asking and telling them one by one, so that nothing is drawn meanwhile.
    fn skip(&mut self, rounds: u64) {
        let _ = rounds;
    }

    /// Plays up to so many rounds by itself, between an answer and the next question, where answers come at once: none
    /// unless a policy says otherwise.
    ///
    /// A simulation offers that after every round. A policy whose rounds are so short that reading its own fields is
    /// most of them may keep these in variables in a loop of its own, for as many rounds as it likes. It leaves the
    /// same state as asking and telling.
    #[inline(always)]
    fn play_inline(&mut self, problem: &Problem, rounds: u64, answer: impl FnMut(Duel) -> Outcome)
    where
        Self: Sized,
    {
        let _ = (problem, rounds, answer);
    }

    /// The duel that every later [`ask`](Self::ask) will propose, once that is settled for good.
    fn committed(&self) -> Option<Duel> {
        self.fixed_until().filter(|fixed| fixed.rounds == u64::MAX).map(|fixed| fixed.duel)
    }

    /// Takes another random stream: how one policy that was built becomes many replications. A policy draws all its
    /// random numbers from it.
    fn reseed(&mut self, stream: Stream);

    /// The current estimate of every item's Borda score, up to a common shift for policies that only estimate
    /// differences; a few policies of other regrets keep a scale of their own, and say so.
    fn scores(&self, problem: &Problem, out: &mut [f64]);

    /// The same scores as people are shown them, over the *other* items: (K·B(i) − ½)/(K − 1), the chance to beat a
    /// random other item, as [`rank`](crate::ranking::rank) has it. Those with a scale of their own keep it.
    fn scores_over_others(&self, problem: &Problem) -> Vec<f64> {
        let mut scores = vec![0.0; problem.items()];
        self.scores(problem, &mut scores);
        crate::borda::Borda::from_scores(scores).over_others()
    }

    /// Takes over what an earlier run of the same policy was answered, in a problem that differs in its horizon only;
    /// so does [`anytime`] when a longer run begins. Unless a policy says otherwise nothing is taken over.
    fn inherit(&mut self, problem: &Problem, earlier: &Self)
    where
        Self: Sized,
    {
        let _ = (problem, earlier);
    }

    /// The settings in use: what was set, and what followed from the paper's formulas, clamped or not.
    fn settings(&self) -> Vec<Resolved>;

    /// The item that the policy would name best: unless it says otherwise the one whose estimated score is the largest,
    /// of several the first.
    fn estimate(&self, problem: &Problem) -> Arm {
        let mut scores = vec![0.0; problem.items()];
        self.scores(problem, &mut scores);
        crate::borda::winner(&scores)
    }

    /// Hands the policy, as the concrete type that it is, to a piece of generic code, so that a list of policies costs
    /// one branch per call of this and none per round.
    fn drive<D: Driver>(&mut self, driver: D) -> D::Output
    where
        Self: Sized,
    {
        driver.drive(self)
    }
}

/// The next `rounds` questions all propose `duel`; [`u64::MAX`]: all there will ever be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct FixedDuel {
    /// The duel that the questions propose.
    pub duel: Duel,
    /// How many they are, at least 1.
    pub rounds: u64,
}

impl FixedDuel {
    /// The same duel for so many rounds.
    #[inline]
    pub fn new(duel: Duel, rounds: u64) -> Self {
        Self { duel, rounds }
    }

    /// The same duel in all later rounds.
    #[inline]
    pub fn for_good(duel: Duel) -> Self {
        Self { duel, rounds: u64::MAX }
    }
}

/// A piece of code that works with any policy: see [`Policy::drive`].
pub trait Driver {
    /// What the piece of code returns.
    type Output;
    /// Works with a policy of a concrete type.
    fn drive<P: Policy>(self, policy: &mut P) -> Self::Output;
}

/// Makes the list of policies: their settings, their states, their names.
macro_rules! policies {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $label:literal, $module:ident::$config:ident;)*) => {
        /// A policy's name and settings, as a user writes them.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "policy")]
        #[non_exhaustive]
        pub enum PolicyConfig {
            $($(#[$doc])* #[serde(rename = $name)] $variant($module::$config),)*
        }

        /// Any policy of the list.
        #[derive(Debug, Clone, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum AnyPolicy {
            $($(#[$doc])* #[serde(rename = $name)] $variant($module::State),)*
        }

        /// The names of all policies.
        pub const POLICIES: &[&str] = &[$($name),*];

        impl PolicyConfig {
            /// The policy of this name with the paper's settings.
            pub fn named(name: &str) -> Result<Self> {
                match name {
                    $($name => Ok(Self::$variant($module::$config::default())),)*
                    _ => Err(Error::unknown("policy", name, POLICIES)),
                }
            }

            /// Its name, as written in files and on the command line.
            pub fn name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name,)* }
            }

            /// Its name as the paper prints it.
            pub fn label(&self) -> &'static str {
                match self { $(Self::$variant(_) => $label,)* }
            }

            /// A policy that is ready to ask, or the setting that makes no sense.
            pub fn build(&self, problem: &Problem, stream: Stream) -> Result<AnyPolicy> {
                if problem.contexts().is_some() && !matches!(self, Self::FindWinner(_)) {
                    let remedy = "knows no contexts: take \"find-winner\", or a problem without contexts";
                    return Err(Error::setting("policy", self.name(), remedy));
                }
                if problem.context().is_some() {
                    self.check_context(problem)?;
                }
                Ok(match self { $(Self::$variant(config) => AnyPolicy::$variant(config.build(problem, stream)?),)* })
            }
        }

        impl AnyPolicy {
            /// The same policy with another random stream: how one built policy becomes many replications.
            #[must_use]
            pub fn with_stream(mut self, stream: Stream) -> Self {
                self.reseed(stream);
                self
            }
        }

        impl Policy for AnyPolicy {
            fn ask(&mut self, problem: &Problem) -> Proposal {
                match self { $(Self::$variant(policy) => policy.ask(problem),)* }
            }
            fn tell(&mut self, problem: &Problem, proposal: &Proposal, outcome: Outcome) {
                match self { $(Self::$variant(policy) => policy.tell(problem, proposal, outcome),)* }
            }
            fn cancel(&mut self, problem: &Problem, proposal: &Proposal) {
                match self { $(Self::$variant(policy) => policy.cancel(problem, proposal),)* }
            }
            fn fixed_until(&self) -> Option<FixedDuel> {
                match self { $(Self::$variant(policy) => policy.fixed_until(),)* }
            }
            fn skip(&mut self, rounds: u64) {
                match self { $(Self::$variant(policy) => policy.skip(rounds),)* }
            }
            fn reseed(&mut self, stream: Stream) {
                match self { $(Self::$variant(policy) => policy.reseed(stream),)* }
            }
            fn scores(&self, problem: &Problem, out: &mut [f64]) {
                match self { $(Self::$variant(policy) => policy.scores(problem, out),)* }
            }
            fn scores_over_others(&self, problem: &Problem) -> Vec<f64> {
                match self { $(Self::$variant(policy) => policy.scores_over_others(problem),)* }
            }
            fn inherit(&mut self, problem: &Problem, earlier: &Self) {
                match (self, earlier) {
                    $((Self::$variant(policy), Self::$variant(earlier)) => policy.inherit(problem, earlier),)*
                    // Another policy's answers were to other questions.
                    _ => {}
                }
            }
            fn settings(&self) -> Vec<Resolved> {
                match self { $(Self::$variant(policy) => policy.settings(),)* }
            }
            fn estimate(&self, problem: &Problem) -> Arm {
                match self { $(Self::$variant(policy) => policy.estimate(problem),)* }
            }
            fn drive<D: Driver>(&mut self, driver: D) -> D::Output {
                match self { $(Self::$variant(policy) => policy.drive(driver),)* }
            }
        }
    };
}

policies! {
    /// Explore by design, fit, commit; the parameters of the "fewer arms" theorem.
    BetcGlm = "betc-glm", "BETC-GLM", betc_glm::Config;
    /// The same with the parameters of the matching theorem.
    BetcGlmMatch = "betc-glm-match", "BETC-GLM-Match", betc_glm::MatchConfig;
    /// Explore what is still in doubt, and commit when asking no longer pays.
    BetcGlmAdaptive = "betc-glm-adaptive", "BETC-GLM-Adaptive", betc_glm_adaptive::Config;
    /// Exponential weights with a linear estimate, for adversarial parameters.
    Bexp3 = "bexp3", "BEXP3", bexp3::Config;
    /// The same with r − ½ in place of r.
    Bexp3Centred = "bexp3-centred", "BEXP3 (centred)", bexp3::CentredConfig;
    /// Weights and exploration that adapt: safe against any adversary, cheap where nothing changes; without features.
    FtrlBorda = "ftrl-borda", "FTRL-Borda", ftrl_borda::Config;
    /// The same with features, under the linear model.
    FtrlLinear = "ftrl-linear", "FTRL-Linear", ftrl_linear::Config;
    /// The best item of the fitted model, and now and then a pair that tells much; in contexts too.
    GreedyGlm = "greedy-glm", "Greedy-GLM", greedy_glm::Config;
    /// A leader, and a test of every recent window: follows preferences that change; without features.
    TrackBorda = "track-borda", "Track-Borda", track_borda::Config;
    /// The same with features, under the linear model.
    TrackLinear = "track-linear", "Track-Linear", track_linear::Config;
    /// Upper confidence bounds on Borda scores, against a random opponent.
    UcbBorda = "ucb-borda", "UCB-Borda", ucb_borda::Config;
    /// Exponential weights over items, without features.
    Dexp3 = "dexp3", "DEXP3", dexp3::Config;
    /// Explore all items alike, commit; without features.
    EtcBorda = "etc-borda", "ETC-Borda", etc_borda::Config;
    /// The best item with the fewest votes, and a verdict that may be looked at any time.
    FindWinner = "find-winner", "Find-Winner", find_winner::Config;
    /// Any other policy without a horizon, by doubling.
    Anytime = "anytime", "Anytime", anytime::Config;
    /// A champion that may still beat everybody, against who may beat it by the most.
    Rucb = "rucb", "RUCB", rucb::Config;
    /// Two independent draws of who beats whom, one for each item.
    Dts = "dts", "D-TS", dts::Config;
    /// Compared until the likelihood of winning is as small as the lower bound asks.
    Rmed = "rmed", "RMED", rmed::Config;
    /// Small batches that eliminate each other, for hundreds of items.
    Merge = "merge", "Merge", merge::Config;
    /// Optimism about how many items each one beats.
    Ccb = "ccb", "CCB", ccb::Config;
    /// Two players of Tsallis-INF spar, against any adversary.
    Versatile = "versatile", "Versatile-DB", versatile::Config;
    /// Two Thompson draws over items.
    SelfSparring = "self-sparring", "Self-Sparring", self_sparring::Config;
    /// The winner stays: weak regret.
    WinnerStays = "winner-stays", "Winner-Stays (weak)", winner_stays::Config;
    /// The same with exploitation in between: strong regret.
    WinnerStaysStrong = "winner-stays-strong", "Winner-Stays (strong)", winner_stays::StrongConfig;
    /// Borda scores by sampling, with elimination.
    ActiveRanking = "active-ranking", "Active Ranking", active_ranking::Config;
    /// Of the items that may be best the pair that tells the most; with item features.
    MaxInp = "max-inp", "MaxInP", max_inp::Config;
    /// Perturbed utilities, for any link; with item features.
    Colstim = "colstim", "CoLSTIM", colstim::Config;
    /// The optimistic pair, and robust to turned answers with weights; with item features.
    MaxPairUcb = "max-pair-ucb", "MaxPairUCB", max_pair_ucb::Config;
    /// A leader and its toughest follower, linear or smooth in item features.
    MaxMinLcb = "max-min-lcb", "MaxMinLCB", max_min_lcb::Config;
    /// Layers of ever smaller uncertainty; with item features.
    Vacdb = "vacdb", "VACDB", vacdb::Config;
    /// Posterior sampling with a bonus; with item features.
    Fgts = "fgts", "FGTS.CDB", fgts::Config;
    /// Random pairs, for ever.
    Uniform = "uniform", "Uniform", uniform::Config;
}

impl PolicyConfig {
    /// The regret that the policy was made for; `anytime` that of its base.
    pub fn aims_at(&self) -> Notion {
        match self {
            Self::Rucb(_)
            | Self::Rmed(_)
            | Self::Merge(_)
            | Self::Versatile(_)
            | Self::SelfSparring(_)
            | Self::WinnerStaysStrong(_)
            | Self::MaxMinLcb(_) => Notion::Condorcet,
            Self::WinnerStays(_) => Notion::CondorcetMin,
            Self::Dts(_) | Self::Ccb(_) => Notion::Copeland,
            Self::TrackBorda(_) | Self::TrackLinear(_) => Notion::BordaDynamic,
            Self::MaxInp(_) | Self::Colstim(_) | Self::MaxPairUcb(_) | Self::Vacdb(_) | Self::Fgts(_) => {
                Notion::Utility
            }
            Self::Anytime(config) => config.base.aims_at(),
            _ => Notion::Borda,
        }
    }

    /// Whether it learns from vectors of items, φ(i,j) = x_i − x_j, and from nothing else.
    pub fn needs_item_features(&self) -> bool {
        match self {
            Self::MaxInp(_)
            | Self::Colstim(_)
            | Self::MaxPairUcb(_)
            | Self::MaxMinLcb(_)
            | Self::Vacdb(_)
            | Self::Fgts(_) => true,
            Self::Anytime(config) => config.base.needs_item_features(),
            _ => false,
        }
    }

    /// Whether it can play where a context comes up in every round, with item vectors of its own.
    pub fn is_contextual(&self) -> bool {
        match self {
            Self::MaxInp(_)
            | Self::Colstim(_)
            | Self::MaxPairUcb(_)
            | Self::Vacdb(_)
            | Self::Fgts(_)
            | Self::BetcGlm(_)
            | Self::BetcGlmMatch(_)
            | Self::FtrlLinear(_)
            | Self::GreedyGlm(_)
            | Self::Uniform(_) => true,
            Self::Anytime(config) => config.base.is_contextual(),
            _ => false,
        }
    }

    /// Whether it plans over all contexts that may come up, and must know them.
    pub fn needs_all_contexts(&self) -> bool {
        match self {
            Self::BetcGlm(_) | Self::BetcGlmMatch(_) | Self::FtrlLinear(_) => true,
            Self::Anytime(config) => config.base.needs_all_contexts(),
            _ => false,
        }
    }

    /// Refuses what cannot be asked where every question has a context, and names what can.
    fn check_context(&self, problem: &Problem) -> Result<()> {
        let all_known = problem.family().is_some();
        let able = |own: &Self| own.is_contextual() && (all_known || !own.needs_all_contexts());
        if able(self) {
            return Ok(());
        }
        let others = POLICIES.iter().filter(|name| Self::named(name).is_ok_and(|own| able(&own)));
        let others = others.copied().collect::<Vec<_>>().join(", ");
        let why = if self.is_contextual() {
            "explores by a design over all contexts, but here they are drawn anew in every round, or not known"
        } else {
            "knows one set of items, but here every question has a context"
        };
        Err(Error::setting("policy", self.name(), format!("{why}: take {others}")))
    }

    /// Whether it only makes sense where one item beats all others.
    pub fn assumes_condorcet_winner(&self) -> bool {
        match self {
            Self::Rucb(_) | Self::Rmed(_) | Self::Merge(_) | Self::WinnerStays(_) | Self::WinnerStaysStrong(_) => true,
            Self::Anytime(config) => config.base.assumes_condorcet_winner(),
            _ => false,
        }
    }
}
