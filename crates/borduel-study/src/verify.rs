//! Replaying a log and comparing: hashes, numbers, snapshots, and what is promised about every vote.

use crate::error::{Error, Result};
use crate::ledger::{Ledger, StudyId};
use crate::state::State;

/// What was replayed and compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// How many events the log has.
    pub events: u64,
    /// The number of commits in the log.
    pub entries: u64,
    /// The votes that count.
    pub votes: u64,
    /// The number of answers that were given.
    pub answers: u64,
    /// The hash of the log, in hexadecimal.
    pub hash: String,
    /// Whether a snapshot was there and gave the same state.
    pub snapshot: bool,
}

/// Replays the log of a study from its first event, checks that it is whole, that its hash is the one the head has,
/// that counters are what recounting gives, and that reading it through a snapshot gives the same bytes.
///
/// # Errors
/// What does not agree.
pub async fn verify(ledger: &Ledger, study: StudyId) -> Result<Verified> {
    // What others append from here on is left for another time.
    let (head, hash) = ledger.head(study).await?;
    let kept = ledger.snapshot(study, head).await?;
    let (mut state, mut entries, mut snapshot) = (State::default(), 0, false);
    while state.head < head {
        let begun = state.head;
        for entry in ledger.entries(study, begun).await?.iter().take_while(|entry| entry.last <= head) {
            state.append(entry)?;
            entries += 1;
            if let Some(kept) = kept.as_ref().filter(|kept| kept.head == state.head) {
                if kept.encode()? != state.encode()? {
                    return Err(Error::Chain(format!("the snapshot at event {} is another state", state.head)));
                }
                snapshot = true;
            }
        }
        // Nothing follows, or nothing that can be part of this log.
        if state.head == begun {
            return Err(Error::Chain(format!("the head says event {head}, the log ends at {begun}")));
        }
    }
    if hash != state.log_hash {
        return Err(Error::Chain(format!("the hash of the log at event {head} is not the one kept with it")));
    }
    let (recount, each) = state.recounted();
    if recount != state.votes {
        return Err(Error::Chain(format!("{} votes count, recounting gives {recount}", state.votes)));
    }
    for (criterion, recount) in each.into_iter().enumerate() {
        let votes = state.votes_by(criterion);
        if recount != votes {
            let which = criterion + 1;
            return Err(Error::Chain(format!("{votes} votes count by criterion {which}, recounting gives {recount}")));
        }
    }
    let answers = state.voters.iter().map(|voter| u64::from(voter.answered)).sum();
    let hash = crate::hex::text(&state.log_hash);
    Ok(Verified { events: state.head, entries, votes: state.votes, answers, hash, snapshot })
}
