//! What is noted of every request: its id, and that there was one.

use axum::http::Method;
use metrics::Counter;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

/// Ids of requests: different ones, that two replicas do not share, without asking the system for chance every time.
pub(crate) struct Ids {
    next: AtomicU64,
}

impl Ids {
    pub(crate) fn new() -> Self {
        // Ids are for finding lines in a log, not for keeping secrets: should chance fail, numbers from 0 do.
        Self { next: AtomicU64::new(borduel_study::token::random_u64().unwrap_or(0)) }
    }

    /// Another id.
    pub(crate) fn next(&self) -> String {
        // The finaliser of SplitMix64, a permutation of all numbers: ids that do not look like a count, and are as different.
        let mut x = self.next.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        format!("{:016x}", x ^ (x >> 31))
    }
}

/// How many requests there were of each kind. Naming a counter costs more than counting, so that each is named once.
#[derive(Default)]
pub(crate) struct Requests {
    /// By route, of which there are few: patterns, not addresses.
    counters: RwLock<HashMap<String, Vec<Known>>>,
}

/// The counter of a method and a status.
type Known = (Method, u16, Counter);

impl Requests {
    /// Counts a request.
    pub(crate) fn add(&self, method: &Method, route: &str, status: u16) {
        let same = |known: &&Known| known.1 == status && known.0 == method;
        {
            let counters = self.counters.read().unwrap_or_else(PoisonError::into_inner);
            if let Some((.., counter)) = counters.get(route).and_then(|known| known.iter().find(same)) {
                return counter.increment(1);
            }
        }
        let name = "borduel_requests_total";
        let labels = [("method", method.to_string()), ("route", route.to_owned()), ("status", status.to_string())];
        let counter = metrics::counter!(name, &labels);
        counter.increment(1);
        let mut counters = self.counters.write().unwrap_or_else(PoisonError::into_inner);
        counters.entry(route.to_owned()).or_default().push((method.clone(), status, counter));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn ids_are_different() {
        let ids = Ids::new();
        let all: HashSet<String> = (0..10_000).map(|_| ids.next()).collect();
        assert!(all.len() == 10_000 && all.iter().all(|id| id.len() == 16));
    }
}
