//! What is noted of every request: its id, and that there was one.

use axum::http::Method;
use metrics::{Counter, Histogram};
use metrics_exporter_prometheus::PrometheusHandle;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

/// Ids of requests: different ones, that two replicas do not share, without asking the system for chance every time.
pub(crate) struct Ids {
    next: AtomicU64,
}

impl Ids {
    pub(crate) fn new() -> Self {
        // Ids are for finding lines in a log, not for keeping secrets: should chance fail, numbers from 0 do.
        Self { next: AtomicU64::new(borduel_study::token::random_u64().unwrap_or(0)) }
    }

    /// Makes an id that no request had before.
    pub(crate) fn next(&self) -> String {
        // The finaliser of SplitMix64, a permutation of all numbers: ids that do not look like a count, and are as
        // different.
        let mut x = self.next.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        format!("{:016x}", x ^ (x >> 31))
    }
}

/// How often what the exporter has gathered is summed up.
pub(crate) const UPKEEP: Duration = Duration::from_secs(5);

/// Sums up what the exporter has gathered, for ever. It would otherwise keep every single time until somebody asks for
/// `/metrics`: 24 bytes a request, for ever where nobody does.
pub(crate) async fn keep_small(prometheus: PrometheusHandle, period: Duration) {
    loop {
        tokio::time::sleep(period).await;
        prometheus.run_upkeep();
    }
}

/// How many requests there were of each kind. Naming a counter costs more than counting, so that each is named once.
pub(crate) struct Requests {
    /// Votes that were stored.
    pub(crate) votes: Counter,
    /// How long requests took.
    pub(crate) seconds: Histogram,
    /// By route, of which there are few: patterns, not addresses.
    counters: RwLock<HashMap<String, Vec<Known>>>,
}

/// The counter of a method and a status.
type Known = (&'static str, u16, Counter);

/// The methods that are counted by name.
static KNOWN: [Method; 7] =
    [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS];

impl Requests {
    pub(crate) fn new() -> Self {
        let (votes, seconds) =
            (metrics::counter!("borduel_votes_total"), metrics::histogram!("borduel_request_seconds"));
        Self { votes, seconds, counters: RwLock::default() }
    }

    /// Counts a request. Methods that anybody may invent are counted as one.
    pub(crate) fn add(&self, method: &Method, route: &str, status: u16) {
        let method = KNOWN.iter().find(|known| *known == method).map_or("other", Method::as_str);
        let same = |known: &&Known| known.1 == status && known.0 == method;
        {
            let counters = self.counters.read().unwrap_or_else(PoisonError::into_inner);
            if let Some((.., counter)) = counters.get(route).and_then(|known| known.iter().find(same)) {
                return counter.increment(1);
            }
        }
        let name = "borduel_requests_total";
        let labels = [("method", method.to_owned()), ("route", route.to_owned()), ("status", status.to_string())];
        let counter = metrics::counter!(name, &labels);
        counter.increment(1);
        let mut counters = self.counters.write().unwrap_or_else(PoisonError::into_inner);
        counters.entry(route.to_owned()).or_default().push((method, status, counter));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Resident kilobytes of this process.
    #[cfg(target_os = "linux")]
    fn resident() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn times_do_not_pile_up_where_nobody_asks_for_them() {
        let mut grown = Vec::new();
        for kept_small in [true, false] {
            let recorder = metrics_exporter_prometheus::PrometheusBuilder::new().build_recorder();
            let keeping = kept_small.then(|| tokio::spawn(keep_small(recorder.handle(), Duration::from_millis(1))));
            let seconds = metrics::with_local_recorder(&recorder, || Requests::new().seconds);
            let mut before = 0;
            for round in 0..40 {
                (0..50_000).for_each(|_| seconds.record(0.001));
                tokio::time::sleep(Duration::from_millis(5)).await;
                // What a round takes is there to stay.
                before = if round == 4 { resident() } else { before };
            }
            grown.push(resident().saturating_sub(before));
            if let Some(keeping) = keeping {
                keeping.abort();
            }
        }
        assert!(grown[0] < grown[1] / 2, "{} kB, and {} kB where nobody asks", grown[0], grown[1]);
    }

    #[test]
    fn whatever_methods_are_invented_there_are_few_counters() {
        let recorder = metrics_exporter_prometheus::PrometheusBuilder::new().build_recorder();
        metrics::with_local_recorder(&recorder, || {
            let requests = Requests::new();
            for number in 0..1_000 {
                requests.add(&format!("METHOD{number}").parse().unwrap(), "none", 405);
            }
            requests.add(&Method::GET, "none", 404);
        });
        let said = recorder.handle().render();
        let counters: Vec<_> = said.lines().filter(|line| line.starts_with("borduel_requests_total{")).collect();
        assert_eq!(counters.len(), 2, "{said}");
        assert!(said.contains("method=\"other\",route=\"none\",status=\"405\"} 1000"), "{said}");
    }

    #[test]
    fn ids_are_different() {
        let ids = Ids::new();
        let all: HashSet<String> = (0..10_000).map(|_| ids.next()).collect();
        assert!(all.len() == 10_000 && all.iter().all(|id| id.len() == 16));
    }
}
