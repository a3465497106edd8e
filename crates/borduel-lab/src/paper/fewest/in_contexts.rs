//! Worlds whose items are compared in contexts, and how the best is found there.

use super::ways::Way;
use super::{End, LEVEL, MARGIN, World};
pub(super) use borduel::environment::in_contexts::{Family, InContexts};
use borduel::policy::find_winner;
use borduel::{About, AnyPolicy, Features, Link, Outcome, Policy, PolicyConfig, Problem, stream};

/// The votes after which a run is given up: about such contexts, no number of votes in the same ones may be enough.
const MOST: f64 = 4_000.0;

/// One in which contexts differ and the best is well ahead, and one in which it is ahead by just more than the margin
/// and contexts differ by much more than that.
pub(super) fn worlds() -> Vec<World> {
    let clear = Family::new(5, 40).with_ahead(0.8).with_spread(0.5);
    let hard = Family::new(2, 13).with_ahead(0.1).with_spread(1.0);
    let world = |family: Family| World {
        name: format!("contexts, K = {}, G = {}, τ = {}", family.items, family.contexts, family.spread),
        items: family.items,
        family: super::Family::InContexts(family),
        asked: None,
        asked_trusting: None,
    };
    [clear, hard].map(world).into()
}

/// One run: about such contexts, unless it is about these.
pub(super) fn play(way: Way, world: &InContexts, seed: u64, path: &[u64]) -> End {
    let with = |last: u64| stream(seed, &[path, &[last]].concat());
    let (mut answers, own) = (with(1), with(2));
    let about = if way == Way::These { About::These } else { About::Such };
    let mut config = find_winner::Config::default();
    (config.level, config.margin, config.about) = (LEVEL, MARGIN, Some(about));
    let items = world.problem().items();
    let contexts = world.problem().contexts().map_or(1, borduel::Contexts::len);
    // Who is not told the contexts asks whatever comes.
    let told = match way {
        Way::Ignoring => Features::one_hot(items).and_then(|features| Problem::new(features, Link::Logistic, None)),
        _ => Ok(world.problem().clone()),
    };
    let undecided = End { votes: 0.0, decided: false, wrong: false };
    let Ok(problem) = told else { return undecided };
    let built = PolicyConfig::FindWinner(config).build(&problem, own);
    let Ok(AnyPolicy::FindWinner(mut policy)) = built else { return undecided };
    while !policy.decided() && policy.votes().count() < MOST {
        let proposal = policy.ask(&problem);
        let context = proposal.context().unwrap_or_else(|| answers.below(contexts) as u32);
        let won = answers.uniform() < world.probability(context, proposal.duel);
        policy.tell(&problem, &proposal, Outcome::from_win(won));
    }
    let truth = world.scores(about);
    let best = truth.iter().copied().fold(0.0, f64::max);
    let wrong = best - truth[policy.estimate(&problem)] > MARGIN;
    End { votes: policy.votes().count(), decided: policy.decided(), wrong: policy.decided() && wrong }
}
