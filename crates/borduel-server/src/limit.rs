//! How often anybody may ask, and how much at a time: token buckets per voter and per network, in tables that cannot
//! grow without bound, and places of which nobody has all.

use crate::config::Rates;
use crate::problem::Problem;
use axum::http::HeaderMap;
use borduel_study::ledger::StudyId;
use borduel_study::token::Scope;
use governor::clock::DefaultClock;
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};

/// How many keys a table may have before the idle ones are swept out.
const MOST_KEYS: usize = 50_000;

type Limiter<K> = RateLimiter<K, HashMapStateStore<K>, DefaultClock>;

/// All limits. A rate of 0 means none.
#[derive(Debug)]
pub(crate) struct Limits {
    voters: Option<Limiter<(StudyId, u32)>>,
    judges: Option<Limiter<(StudyId, u32)>>,
    joins: Option<Limiter<(StudyId, IpAddr)>>,
    /// Voters a minute who join a study from one network, whichever replica lets them in: they are counted in the log.
    /// What `joins` turns away here, whether or not it would have joined, never comes to a turn.
    pub(crate) joins_a_minute: u32,
}

impl Limits {
    pub(crate) fn new(rates: &Rates) -> Self {
        Self {
            voters: limiter(rates.voter, 4, Quota::per_second),
            judges: limiter(rates.judge, 4, Quota::per_second),
            joins: limiter(rates.join, 1, Quota::per_minute),
            joins_a_minute: rates.join,
        }
    }

    /// Counts a request of a voter.
    pub(crate) fn vote(&self, study: StudyId, voter: u32, scope: Scope) -> Result<(), Problem> {
        let limiter = if scope == Scope::Judge { &self.judges } else { &self.voters };
        check(limiter.as_ref(), &(study, voter), "you are faster than people vote")
    }

    /// Counts somebody who joins.
    pub(crate) fn join(&self, study: StudyId, from: IpAddr) -> Result<(), Problem> {
        check(self.joins.as_ref(), &(study, prefix(from)), "many have joined from your network")
    }
}

/// Places that are taken for a while: so many in all, and so many for one network. Copies are the same.
#[derive(Clone, Debug)]
pub(crate) struct Places(Arc<Room>);

#[derive(Debug)]
struct Room {
    most: usize,
    each: usize,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    all: usize,
    by: HashMap<IpAddr, usize>,
}

impl Places {
    pub(crate) fn new(most: usize, each: usize) -> Self {
        Self(Arc::new(Room { most, each, taken: Mutex::default() }))
    }

    /// A place for somebody, unless all are taken or its network has its share; free again when it is dropped.
    pub(crate) fn take(&self, from: IpAddr) -> Option<Place> {
        let from = prefix(from);
        let mut taken = self.0.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let own = taken.by.get(&from).copied().unwrap_or(0);
        if taken.all >= self.0.most || own >= self.0.each {
            return None;
        }
        taken.all += 1;
        taken.by.insert(from, own + 1);
        Some(Place { home: self.clone(), from })
    }
}

/// A place that somebody has.
#[derive(Debug)]
pub(crate) struct Place {
    home: Places,
    from: IpAddr,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.home.0.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.all -= 1;
        if let Entry::Occupied(mut own) = taken.by.entry(self.from) {
            *own.get_mut() -= 1;
            if *own.get() == 0 {
                own.remove();
            }
        }
    }
}

fn limiter<K: Hash + Eq + Clone>(rate: u32, burst: u32, per: impl Fn(NonZeroU32) -> Quota) -> Option<Limiter<K>> {
    let rate = NonZeroU32::new(rate)?;
    let burst = rate.saturating_mul(NonZeroU32::new(burst)?);
    Some(RateLimiter::hashmap(per(rate).allow_burst(burst)))
}

fn check<K: Hash + Eq + Clone>(limiter: Option<&Limiter<K>>, key: &K, why: &str) -> Result<(), Problem> {
    let Some(limiter) = limiter else { return Ok(()) };
    if limiter.len() > MOST_KEYS {
        limiter.retain_recent();
        limiter.shrink_to_fit();
    }
    limiter.check_key(key).map_err(|_| Problem::new("too-many", format!("{why}: wait a moment")))
}

/// The network of an address: /24, or /56, of which a household has one and could take 256 times a /64.
pub(crate) fn prefix(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(v4) => IpAddr::V4((v4.to_bits() & 0xffff_ff00).into()),
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & (u128::MAX << 72))),
    }
}

/// Where a request comes from: the peer, or behind N trusted proxies the N-th address from the right of
/// X-Forwarded-For, which is the last one that nobody but they could have written.
pub(crate) fn address(peer: IpAddr, headers: &HeaderMap, proxies: usize) -> IpAddr {
    if proxies == 0 {
        return peer;
    }
    let all: Vec<&str> = headers.get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok()).collect();
    let all = all.join(",");
    let found = all.rsplit(',').nth(proxies - 1).and_then(|text| text.trim().parse().ok());
    found.unwrap_or(peer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_counted_from_the_right() {
        let peer: IpAddr = "10.0.0.1".parse().unwrap();
        let mut headers = HeaderMap::new();
        headers.insert("x-forwarded-for", "6.6.6.6, 1.2.3.4, 10.0.0.9".parse().unwrap());
        assert_eq!(address(peer, &headers, 0), peer);
        assert_eq!(address(peer, &headers, 1).to_string(), "10.0.0.9");
        assert_eq!(address(peer, &headers, 2).to_string(), "1.2.3.4");
        assert_eq!(address(peer, &headers, 9), peer);
        assert_eq!(prefix("1.2.3.4".parse().unwrap()).to_string(), "1.2.3.0");
        assert_eq!(prefix("2001:db8:1:2ff:3::4".parse().unwrap()).to_string(), "2001:db8:1:200::");
    }

    #[test]
    fn whatever_stands_in_the_header_there_is_an_address() {
        let peer: IpAddr = "10.0.0.1".parse().unwrap();
        let mut chance = borduel_rank::stream::stream(1, &[12]);
        let parts =
            ["1.2.3.4", "::1", ",", " ", "::ffff:9.9.9.9", "[2001:db8::1]:80", "unknown", "\t", "\u{e9}", "256.1.1.1"];
        for _ in 0..5_000 {
            let mut headers = HeaderMap::new();
            for _ in 0..chance.below(4) {
                let text: String = (0..chance.below(8)).map(|_| parts[chance.below(parts.len())]).collect();
                if let Ok(value) = axum::http::HeaderValue::from_bytes(text.as_bytes()) {
                    headers.append("x-forwarded-for", value);
                }
            }
            let found = address(peer, &headers, 1 + chance.below(5));
            assert_eq!(prefix(prefix(found)), prefix(found));
        }
    }

    #[test]
    fn one_network_does_not_take_all_places_and_places_come_back() {
        let places = Places::new(5, 3);
        let from = |network: u8, host: u8| IpAddr::from([9, 9, network, host]);
        let mut held: Vec<_> = (0..9).filter_map(|host| places.take(from(1, host))).collect();
        assert_eq!(held.len(), 3);
        held.extend((0..9).filter_map(|host| places.take(from(2, host))));
        assert_eq!(held.len(), 5, "no more in all");
        held.remove(0);
        assert!(places.take(from(2, 1)).is_some(), "given back at once");
        drop(held);
        let taken = places.0.taken.lock().unwrap();
        assert!(taken.all == 0 && taken.by.is_empty(), "nobody is remembered: {taken:?}");
    }

    /// What was refused is let in when its time has come, and those who have rested are forgotten.
    #[test]
    fn a_limit_ends() {
        let limits = Limits::new(&Rates { voter: 20, judge: 0, join: 0 });
        let begun = std::time::Instant::now();
        let mut let_in = (0..200).take_while(|_| limits.vote(1, 1, Scope::Voter).is_ok()).count();
        std::thread::sleep(std::time::Duration::from_millis(120));
        let again = (0..50).take_while(|_| limits.vote(1, 1, Scope::Voter).is_ok()).count();
        let_in += again;
        let most = 80.0 + 20.0 * begun.elapsed().as_secs_f64();
        assert!(
            again > 0 && let_in as f64 <= most,
            "{let_in} of at most {most}, {again} of them after a tenth of a second"
        );
        let limiter = limiter::<u32>(1_000, 1, Quota::per_second).unwrap();
        (0..=MOST_KEYS as u32).for_each(|key| check(Some(&limiter), &key, "").unwrap());
        std::thread::sleep(std::time::Duration::from_millis(20));
        check(Some(&limiter), &0, "").unwrap();
        assert!(limiter.len() < 10, "{} keys are kept", limiter.len());
    }

    #[test]
    fn a_flood_is_refused_and_others_are_not() {
        let limits = Limits::new(&Rates { voter: 5, judge: 50, join: 2 });
        let begun = std::time::Instant::now();
        let refused = (0..30).filter(|_| limits.vote(1, 1, Scope::Voter).is_err()).count();
        let fewest = 10.0 - 5.0 * begun.elapsed().as_secs_f64();
        assert!(refused <= 10 && refused as f64 >= fewest.floor(), "{refused}, at least {fewest}");
        assert!(limits.vote(1, 2, Scope::Voter).is_ok());
        assert!((0..100).all(|_| limits.vote(1, 3, Scope::Judge).is_ok()));
        let from = |last: u8| IpAddr::from([9, 9, 9, last]);
        assert!(limits.join(1, from(1)).is_ok() && limits.join(1, from(2)).is_ok() && limits.join(1, from(3)).is_err());
        let off = Limits::new(&Rates { voter: 0, judge: 0, join: 0 });
        assert!((0..1000).all(|_| off.vote(1, 1, Scope::Voter).is_ok()));
    }
}
