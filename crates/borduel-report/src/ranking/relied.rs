//! How far voters can be relied on: in words, as a table, and as data for programs.

use super::Ranked;
use super::words::Sentence;
use crate::numbers::{count, grouped};
use crate::{Table, plain};
use borduel::ranking::{Reliability, VoterReliability};
use serde::{Deserialize, Serialize};

/// So many of the least reliable voters are in a table.
const LISTED: usize = 10;

/// How far voters can be relied on, for programs: items go by their identifiers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Relied {
    /// The same in words.
    pub text: String,
    /// Whether votes count by it.
    pub weighed: bool,
    /// Where they do: who is first where all count alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_alike: Option<String>,
    /// The standard deviation, among voters, of the logarithm of what an answer carries.
    pub spread: f64,
    /// The chance of so much difference, were all voters alike.
    pub p: f64,
    /// −ln of the chance of a vote, on average, foretold from the other voters, all being alike.
    pub log_loss_alike: f64,
    /// The same, foretold from what else its voter said, too.
    pub log_loss: f64,
    /// Who is first without the least reliable tenth, where voters differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without: Option<Rest>,
    /// The voters, the least reliable first.
    pub voters: Vec<VoterReliability>,
}

/// Who is first without some voters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rest {
    /// How many voters are left out.
    pub voters: usize,
    /// Who is then first.
    pub first: String,
}

impl Relied {
    /// What was found about this ranking.
    pub(super) fn of(ranked: &Ranked<'_>, found: &Reliability) -> Self {
        let id = |item: usize| ranked.id(item).to_owned();
        Self {
            text: sentence(ranked, found).plain,
            weighed: found.alike.is_some(),
            first_alike: found.alike.map(id),
            spread: found.spread,
            p: found.p,
            log_loss_alike: found.log_loss[0],
            log_loss: found.log_loss[1],
            without: found.without.map(|without| Rest { voters: without.voters, first: id(without.first) }),
            voters: found.voters.clone(),
        }
    }
}

/// How far voters can be relied on, in a sentence or two.
pub(super) fn sentence(ranked: &Ranked<'_>, found: &Reliability) -> Sentence {
    let (all, some) = (found.voters.len(), found.voters.iter().filter(|voter| less(voter)).count());
    let differ = match (found.differ(), some) {
        (false, _) => format!("All {} voters seem to be equally reliable.", grouped(all as f64)),
        (true, 0) => format!("The {} voters are not equally reliable, but nobody stands out.", grouped(all as f64)),
        (true, _) => format!(
            "Of {} voters {} answer{} less reliably than a typical one{}.",
            grouped(all as f64),
            grouped(some as f64),
            if some == 1 { "s" } else { "" },
            found.voters.first().map_or_else(String::new, |least| format!(", least of all {}", plain(&least.voter)))
        ),
    };
    let weighed = found.alike.map_or_else(String::new, |alike| {
        format!(
            " Votes count by it, as asked: that changes whose winner it is, since whoever has another taste than most \
             counts less. Where all count alike, {} is first.",
            ranked.spoken(alike)
        )
    });
    let method = format!(
        "one discrimination a voter against what the others say, log-normal with a spread of {:.2} that is estimated; \
         votes are foretold with a log-loss of {:.4}, with all alike {:.4}",
        found.spread, found.log_loss[1], found.log_loss[0]
    );
    Sentence::with(differ + &weighed, method)
}

/// Whether a voter is surely less reliable than a typical one.
fn less(voter: &VoterReliability) -> bool {
    voter.carries.high < 1.0
}

/// The least reliable voters, where voters differ.
pub(super) fn table(found: &Reliability) -> Option<Table> {
    let row = |voter: &VoterReliability| {
        let carries = voter.carries;
        vec![
            voter.voter.clone(),
            count(voter.votes),
            format!("{:.2}", carries.estimate.unwrap_or(f64::NAN)),
            format!("{:.2} – {:.2}", carries.low, carries.high),
        ]
    };
    let mut table = Table::new("", &["voter", "votes", "an answer carries", "interval"]);
    table.rows = found.voters.iter().take(LISTED).map(row).collect();
    (found.differ() || found.alike.is_some()).then_some(table)
}
