//! What all requests share.

use crate::compute::{Computer, Slot, Slots};
use crate::config::Config;
use crate::limit::{Limits, Places, address, prefix};
use crate::measure::{Ids, Requests};
use crate::outcome::{Cached, groups};
use crate::proof_of_work::Solved;
use axum::http::HeaderMap;
use borduel_study::ledger::StudyId;
use borduel_study::{Error, Studies, networks};
use std::collections::HashMap;
use std::net::IpAddr;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tokio::sync::watch;

/// The most requests at a time, and of one network.
const IN_FLIGHT: (usize, usize) = (1_024, 512);
/// The most requests with a large body at a time, and of one network: only organisers have reason for one.
const LARGE: (usize, usize) = (64, 32);
/// The most pages that are kept up to date at a time, and of one network: a quarter of the connections there may be.
const LIVE: (usize, usize) = (2_048, 512);

/// What all requests share. Copies are the same, and cheap: a request makes several.
#[derive(Clone)]
pub(crate) struct App(Arc<Shared>);

/// What all requests share; see [`App`].
pub(crate) struct Shared {
    pub(crate) studies: Studies,
    pub(crate) limits: Limits,
    /// The last results of each study, by each of the questions that it asks about a pair.
    pub(crate) results: Slots<(StudyId, usize), Cached>,
    /// The last scores by what voters said, by question and attribute.
    pub(crate) groups: Slots<(StudyId, usize, String), groups::CachedGroups>,
    pub(crate) computer: Computer,
    /// Whether the server is about to end.
    pub(crate) stopping: watch::Receiver<bool>,
    pub(crate) in_flight: Places,
    pub(crate) large: Places,
    pub(crate) live: Places,
    /// When something was last written, to see whether that is possible.
    pub(crate) written: Slot<Instant>,
    pub(crate) public_url: Box<str>,
    pub(crate) proxies: usize,
    pub(crate) ids: Ids,
    pub(crate) requests: Requests,
    pub(crate) solved: Solved,
    /// The secrets of studies that somebody joined here: they never change.
    secrets: Mutex<HashMap<StudyId, [u8; 32]>>,
}

impl Deref for App {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl App {
    /// The number of the network of whoever asks, in this study.
    pub(crate) async fn network(&self, study: StudyId, peer: IpAddr, headers: &HeaderMap) -> Result<u32, Error> {
        let network = match prefix(address(peer, headers, self.proxies)) {
            IpAddr::V4(network) => network.octets().to_vec(),
            IpAddr::V6(network) => network.octets().to_vec(),
        };
        Ok(networks::number(&self.secret(study).await?, &network))
    }

    /// The secret of a study, read once.
    pub(crate) async fn secret(&self, study: StudyId) -> Result<[u8; 32], Error> {
        let known = || self.secrets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(secret) = known().get(&study).copied() {
            return Ok(secret);
        }
        let secret = self.studies.ledger().secret(study).await?;
        known().insert(study, secret);
        Ok(secret)
    }

    pub(crate) fn new(config: &Config, public_url: &str, studies: Studies, stopping: watch::Receiver<bool>) -> Self {
        Self(Arc::new(Shared {
            studies,
            limits: Limits::new(&config.rates),
            results: Slots::default(),
            groups: Slots::default(),
            computer: Computer::new(),
            stopping,
            in_flight: Places::new(IN_FLIGHT.0, IN_FLIGHT.1),
            large: Places::new(LARGE.0, LARGE.1),
            live: Places::new(LIVE.0, LIVE.1),
            written: Slot::default(),
            public_url: public_url.into(),
            proxies: config.trust_proxy,
            ids: Ids::new(),
            requests: Requests::new(),
            solved: Solved::default(),
            secrets: Mutex::default(),
        }))
    }
}
