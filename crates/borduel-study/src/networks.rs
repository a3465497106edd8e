//! Networks that bring many voters: a lecture room, or one person who joins again and again.

use crate::command::Look;
use crate::event::{Answer, Millis};
use crate::hex::Hash;
use crate::hmac::hmac;
use crate::settings::Goal;
use crate::standing::{Evidence, look};
use crate::state::{Judged, State, Voter};
use borduel_rank::ranking::{VerdictKind, WithoutBursts};
use std::collections::{BTreeSet, HashMap};

/// As many voters of one network are a burst, unless the settings say how many one may bring.
pub const MANY: u32 = 10;

/// They differ from the others if a normal deviate is beyond this: by chance once in a hundred times.
const FAR: f64 = 2.326;

/// What is kept of a network: 32 bits of an HMAC whose key is the study's secret, which no file and no log has, so that
/// they do not tell the network. Whoever has the database has the secret, and could find it by trying all. The same
/// network has another number in another study.
pub fn number(secret: &Hash, network: &[u8]) -> u32 {
    let hash = hmac(secret, &[b"network", network]);
    u32::from_le_bytes([hash[0], hash[1], hash[2], hash[3]])
}

/// How long a network's joins are remembered. Before that its bucket is taken to have been full, which lets in a tenth
/// more at most.
const REMEMBERED: Millis = 600_000;

/// Whether somebody may join from this network now: a bucket has room for `rate` voters and fills up within a minute,
/// and whoever joins takes one place. It follows from the log, so that all replicas have the same one. A rate of 0 is
/// no limit, and who comes from nowhere has none.
pub fn lets_in(state: &State, now: Millis, network: Option<u32>, rate: u32) -> bool {
    if rate == 0 || network.is_none() {
        return true;
    }
    let same = |(at, voter): (Millis, &Voter)| (voter.network == network).then_some(at);
    let joined: Vec<Millis> = state.joined_since(now - REMEMBERED).filter_map(same).collect();
    let room = f64::from(rate);
    let filled = |places: f64, passed: Millis| (places + room * passed as f64 / 60_000.0).min(room);
    let (mut places, mut last) = (room, now - REMEMBERED);
    for &at in joined.iter().rev() {
        places = (filled(places, at - last) - 1.0).max(0.0);
        last = at;
    }
    filled(places, now - last) >= 1.0
}

/// Who came in bursts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bursts {
    /// The voters whose network is known.
    pub known: u32,
    /// The most voters of one network.
    pub most: u32,
    /// The networks that brought many.
    pub networks: u32,
    /// The voters of these, whose votes are not set aside.
    pub voters: Vec<u32>,
    /// Their votes that count.
    pub votes: u64,
    /// Whether whoever has voted came from one network, and that is not expected: then there is nobody to compare with.
    pub alone: bool,
}

/// Finds the networks that brought more voters than one may bring, or [`MANY`].
pub fn bursts(state: &State) -> Bursts {
    let mut brought: HashMap<u32, u32> = HashMap::new();
    for network in state.voters.iter().filter(|voter| !voter.excluded).filter_map(|voter| voter.network) {
        *brought.entry(network).or_default() += 1;
    }
    let most = state.settings.per_network;
    let many = |count: u32| if most > 0 { count > most } else { count >= MANY };
    let of_many = |network: u32| brought.get(&network).is_some_and(|&count| many(count));
    let mut found = Bursts {
        known: brought.values().sum(),
        most: brought.values().copied().max().unwrap_or(0),
        networks: brought.values().filter(|&&count| many(count)).count() as u32,
        ..Bursts::default()
    };
    let places = state.voters.iter().filter(|voter| !voter.excluded && voter.answered > 0).map(|voter| voter.network);
    let places: BTreeSet<Option<u32>> = places.collect();
    let expected = most > 0 && found.most <= most;
    found.alone = found.known > 1 && brought.len() == 1 && !places.contains(&None) && !expected;
    for (number, voter) in (0..).zip(&state.voters).filter(|(_, voter)| !voter.excluded) {
        if voter.network.is_some_and(of_many) {
            let counted = voter.questions.iter().filter(|&&q| state.counts(&state.questions[q as usize]));
            found.votes += counted.count() as u64;
            found.voters.push(number);
        }
    }
    found
}

/// The same study without the votes of these voters.
pub fn without(state: &State, voters: &[u32]) -> State {
    let mut state = state.clone();
    for &voter in voters {
        if let Some(voter) = state.voters.get_mut(voter as usize) {
            voter.excluded = true;
        }
    }
    state
}

/// What comes out without the voters who came in bursts, against the verdict that is shown.
pub fn without_bursts(state: &State, found: &Bursts) -> WithoutBursts {
    if found.alone {
        return WithoutBursts::Nobody;
    }
    if found.networks == 0 {
        return WithoutBursts::Same;
    }
    if found.votes == state.votes {
        return WithoutBursts::Nobody;
    }
    let number = state.judged.as_ref().map_or(0, |judged| judged.look);
    let shown = state.judged.as_ref().filter(|judged| judged.kind != VerdictKind::NotEnough);
    let rest = comes_out(&without(state, &found.voters), number);
    let push = |kind, winners: &[u16]| push(state, &found.voters, &weights(state, kind, winners));
    let too_few = |shown: &Judged| WithoutBursts::TooFew { differ: push(shown.kind, &shown.winners) > FAR };
    match (shown, rest) {
        // They may be what keeps a verdict from coming, unless one is only due.
        (None, Some(rest)) if push(rest.kind, &rest.winners) < -FAR && comes_out(state, number).is_none() => {
            WithoutBursts::Other
        }
        (None, _) => WithoutBursts::Same,
        (Some(shown), None) => too_few(shown),
        (Some(shown), Some(rest)) => match agree(shown, &rest, state.settings.goal) {
            Some(true) => WithoutBursts::Same,
            Some(false) => WithoutBursts::Other,
            None => too_few(shown),
        },
    }
}

/// What a look at these votes finds; nothing where it cannot decide.
fn comes_out(state: &State, number: u32) -> Option<Look> {
    let evidence = Evidence::of(state).ok()?;
    let reading = evidence.read(&state.settings).ok()?;
    let found = look(&evidence, reading.as_ref(), number, &state.settings).ok()?;
    (found.kind != VerdictKind::NotEnough).then_some(found)
}

/// Whether two verdicts name the same; nothing where the second is only less sure.
fn agree(shown: &Judged, rest: &Look, goal: Goal) -> Option<bool> {
    use VerdictKind::{GoodEnough, Tie};
    let set = |winners: &[u16]| winners.iter().copied().collect::<BTreeSet<u16>>();
    let first = |winners: &[u16], among: &[u16]| winners.first().is_some_and(|first| among.contains(first));
    Some(match (shown.kind, rest.kind) {
        (Tie, Tie) => set(&shown.winners) == set(&rest.winners),
        (Tie, GoodEnough) if first(&rest.winners, &shown.winners) => return None,
        (GoodEnough, Tie) => first(&shown.winners, &rest.winners),
        (Tie, _) | (_, Tie) => false,
        _ => match goal {
            Goal::Winner => shown.winners.first() == rest.winners.first(),
            Goal::Top(_) => set(&shown.winners) == set(&rest.winners),
            Goal::Order => shown.winners == rest.winners,
        },
    })
}

/// The weight c of each item in a verdict: 1 where it is named, by its place where the order is, 0 for all others. Who
/// may be just as good as whoever may be chosen is not named.
fn weights(state: &State, kind: VerdictKind, winners: &[u16]) -> Vec<f64> {
    let goal = state.settings.goal;
    let most = if kind == VerdictKind::GoodEnough && goal == Goal::Winner { 1 } else { winners.len() };
    let mut weights = vec![0.0; state.items.len()];
    for (place, &item) in winners.iter().take(most).enumerate() {
        weights[usize::from(item)] = if goal == Goal::Order { (most - place) as f64 } else { 1.0 };
    }
    weights
}

/// How far these m of N voters favour what is named more than the others do, as a normal deviate; 0 where fewer than
/// [`MANY`] others have voted.
///
/// A voter v has r_v, the mean over its votes of (y − e)(c_i − c_j): y is 1 where i was preferred to j, e what i and j
/// have won of all their votes leads to expect, so that it does not matter who was asked what. Were they any m of the
/// N, Σ r_v over them would have mean m r̄ and variance m (1 − m/N) s².
fn push(state: &State, voters: &[u32], weights: &[f64]) -> f64 {
    let y = |answer: Answer| match answer {
        Answer::First => Some(1.0),
        Answer::Second => Some(0.0),
        Answer::Tie => Some(0.5),
        Answer::Soft(r) => Some(r),
        Answer::BothBad | Answer::Skip => None,
    };
    let counted = || state.questions.iter().filter(|question| state.counts(question));
    let votes = || counted().filter_map(|question| Some((question, y(question.answer())?)));
    let mut shares = vec![(1.0, 2.0); state.items.len()];
    for (question, y) in votes() {
        for (item, won) in [(question.first, y), (question.second, 1.0 - y)] {
            let share: &mut (f64, f64) = &mut shares[usize::from(item)];
            *share = (share.0 + won, share.1 + 1.0);
        }
    }
    let odds = |item: u16| {
        let (won, of) = shares[usize::from(item)];
        won / (of - won)
    };
    let mut of_voter: HashMap<u32, (f64, f64)> = HashMap::new();
    for (question, y) in votes() {
        let (i, j) = (question.first, question.second);
        let e = odds(i) / (odds(i) + odds(j));
        let sum = of_voter.entry(question.voter).or_default();
        *sum = (sum.0 + (y - e) * (weights[usize::from(i)] - weights[usize::from(j)]), sum.1 + 1.0);
    }
    // In the order of their numbers: sums of floats are the same each time.
    let mean = |voter: u32| of_voter.get(&voter).map(|(sum, votes)| sum / votes);
    let all: Vec<f64> = (0..state.voters.len() as u32).filter_map(mean).collect();
    let these: Vec<f64> = voters.iter().filter_map(|&voter| mean(voter)).collect();
    let (n, m) = (all.len() as f64, these.len() as f64);
    if n - m < f64::from(MANY) || m == 0.0 {
        return 0.0;
    }
    let centre = all.iter().sum::<f64>() / n;
    let spread = all.iter().map(|r| (r - centre).powi(2)).sum::<f64>() / (n - 1.0);
    let error = (m * (1.0 - m / n) * spread).sqrt();
    if error > 0.0 { these.iter().map(|r| r - centre).sum::<f64>() / error } else { 0.0 }
}
