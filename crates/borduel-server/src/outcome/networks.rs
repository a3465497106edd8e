//! Whether what a study says rests on voters who came in bursts from few networks.

use borduel_rank::ranking::Finding;
use borduel_study::State as Study;
use borduel_study::networks::{bursts, without_bursts};

/// What the networks of the voters show; nothing where none is known.
pub(super) fn check(state: &Study) -> Option<Finding> {
    let found = bursts(state);
    (found.known > 0).then(|| Finding::Networks {
        voters: found.known as usize,
        most: found.most as usize,
        bursts: found.networks as usize,
        from_bursts: found.voters.len(),
        share: found.votes as f64 / (state.votes as f64).max(1.0),
        without: without_bursts(state, &found),
    })
}
