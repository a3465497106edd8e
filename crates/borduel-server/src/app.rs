//! What all requests share.

use crate::compute::{Computer, Slot};
use crate::config::Config;
use crate::limit::Limits;
use crate::measure::{Ids, Requests};
use crate::outcome::Cached;
use borduel_study::Studies;
use borduel_study::ledger::StudyId;
use metrics_exporter_prometheus::PrometheusHandle;
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex};
use tokio::sync::{Semaphore, watch};

/// The most requests at a time.
pub(crate) const IN_FLIGHT: usize = 1_024;

/// What all requests share. Copies are the same, and cheap: a request makes several.
#[derive(Clone)]
pub(crate) struct App(Arc<Shared>);

/// See [`App`].
pub(crate) struct Shared {
    pub(crate) studies: Studies,
    pub(crate) limits: Limits,
    /// The last results of each study.
    pub(crate) results: Mutex<HashMap<StudyId, Slot<Cached>>>,
    pub(crate) computer: Computer,
    pub(crate) prometheus: PrometheusHandle,
    /// Whether the server is about to end.
    pub(crate) stopping: watch::Receiver<bool>,
    pub(crate) in_flight: Semaphore,
    pub(crate) public_url: Box<str>,
    pub(crate) proxies: usize,
    pub(crate) ids: Ids,
    pub(crate) requests: Requests,
}

impl Deref for App {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl App {
    pub(crate) fn new(
        config: &Config,
        public_url: &str,
        studies: Studies,
        prometheus: PrometheusHandle,
        stopping: watch::Receiver<bool>,
    ) -> Self {
        Self(Arc::new(Shared {
            studies,
            limits: Limits::new(&config.rates),
            results: Mutex::default(),
            computer: Computer::new(),
            prometheus,
            stopping,
            in_flight: Semaphore::new(IN_FLIGHT),
            public_url: public_url.into(),
            proxies: config.trust_proxy,
            ids: Ids::new(),
            requests: Requests::new(),
        }))
    }
}
