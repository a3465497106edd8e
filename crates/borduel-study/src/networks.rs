//! Networks that bring many voters: a lecture room, or one person who joins again and again.

use crate::hex::Hash;
use crate::hmac::hmac;
use crate::state::State;
use std::collections::HashMap;

/// As many voters of one network are a burst, unless the settings say how many one may bring.
pub const MANY: u32 = 10;

/// What is kept of a network: 32 bits of an HMAC whose key is the study's secret, which no file and no log has. Nobody
/// can tell the network from it, and the same network has another number in another study.
pub fn number(secret: &Hash, network: &[u8]) -> u32 {
    let hash = hmac(secret, &[b"network", network]);
    u32::from_le_bytes([hash[0], hash[1], hash[2], hash[3]])
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
}

/// Finds the networks that brought more voters than one may bring, or [`MANY`].
pub fn bursts(state: &State) -> Bursts {
    let mut brought: HashMap<u32, u32> = HashMap::new();
    for network in state.voters.iter().filter(|voter| !voter.aside).filter_map(|voter| voter.network) {
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
    for (number, voter) in (0..).zip(&state.voters).filter(|(_, voter)| !voter.aside) {
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
            voter.aside = true;
        }
    }
    state
}
