//! Whether what a study says rests on voters who came in bursts from few networks.

use borduel_rank::ranking::{Finding, VerdictKind};
use borduel_study::State as Study;
use borduel_study::networks::{bursts, without};
use borduel_study::standing::Evidence;

/// What the networks of the voters show; nothing where none is known.
pub(super) fn check(state: &Study, evidence: &Evidence) -> Option<Finding> {
    let found = bursts(state);
    let same = found.networks == 0 || {
        let rest = Evidence::of(&without(state, &found.voters)).ok();
        comes_out(evidence, state) == rest.map_or((VerdictKind::NotEnough, None), |rest| comes_out(&rest, state))
    };
    (found.known > 0).then(|| Finding::Networks {
        voters: found.known as usize,
        most: found.most as usize,
        bursts: found.networks as usize,
        from_bursts: found.voters.len(),
        share: found.votes as f64 / (state.votes as f64).max(1.0),
        same,
    })
}

/// The verdict of these votes, with the item that it names first.
fn comes_out(evidence: &Evidence, state: &Study) -> (VerdictKind, Option<usize>) {
    let settings = &state.settings;
    let found = match evidence.judge(settings) {
        Ok(Some(judgement)) => Some((judgement.kind, judgement.winners)),
        _ => evidence
            .rank(settings, settings.level)
            .ok()
            .map(|(ranking, _)| (ranking.verdict.kind, ranking.verdict.winners)),
    };
    match found {
        None | Some((VerdictKind::NotEnough, _)) => (VerdictKind::NotEnough, None),
        Some((kind, winners)) => (kind, winners.first().copied()),
    }
}
