//! A family of its own: few features that miss a direction as large as all that they explain, beside `etc-borda` and
//! the peers.

use super::{OWN, Request, draw, mean, named, regrets};
use crate::failure::Failure;
use crate::paper::rows::Rows;
use crate::stderr::write_line;
use borduel_report::Table;
use borduel_report::numbers::grouped;

/// How many worlds.
const WORLDS: u64 = 40;
/// Who needs no features; the policy is to lose little to it where features fail.
const WITHOUT: &str = "etc-borda";
/// The peers: those that did best where items have features, and where they have none.
const PEERS: [&str; 3] = ["max-pair-ucb", "dts", "self-sparring"];
/// Peers step through every round, so that more runs take hours.
const RUNS_OF_PEERS: u64 = 3;

/// The mean regrets in one world.
pub(super) struct Missing {
    name: String,
    own: f64,
    without: f64,
    best_peer: (&'static str, f64),
}

pub(super) fn measure(request: &Request<'_>, rows: &mut Rows<f64>) -> Result<Vec<Missing>, Failure> {
    let Request { runs, seed, horizon, .. } = *request;
    let mut measured = Vec::new();
    for at in 0..WORLDS {
        let world = draw::missing(seed, at, horizon).map_err(|error| Failure::Internal(error.to_string()))?;
        if !request.quiet {
            write_line(&format!("{} of {WORLDS} worlds with a missing direction: {}", at + 1, world.name));
        }
        let place = format!("missing {at}");
        let mut regret = |policy: &str, runs: u64| -> Result<f64, Failure> {
            Ok(mean(&regrets(&named(policy)?, &world, &place, (runs, seed), rows)?))
        };
        let (own, without) = (regret(OWN, runs)?, regret(WITHOUT, runs)?);
        let mut best_peer = (PEERS[0], f64::INFINITY);
        for peer in PEERS {
            let found = regret(peer, runs.min(RUNS_OF_PEERS))?;
            if found < best_peer.1 {
                best_peer = (peer, found);
            }
        }
        measured.push(Missing { name: world.name, own, without, best_peer });
    }
    Ok(measured)
}

/// How it fared, in one sentence, and every world, the worst first.
pub(super) fn text(measured: &[Missing]) -> String {
    let ratio = |one: &Missing| one.own / one.without;
    let mut order: Vec<&Missing> = measured.iter().collect();
    order.sort_by(|a, b| ratio(b).total_cmp(&ratio(a)));
    let largest = order.first().map_or(0.0, |one| ratio(one));
    let lost = measured.iter().filter(|one| one.own > one.best_peer.1).count();
    let own = format!("`{OWN}`");
    let mut table = Table::new("", &["world", &own, "`etc-borda`", "ratio", "the best peer", "its regret"]);
    for one in order {
        table.row([
            one.name.clone(),
            grouped(one.own),
            grouped(one.without),
            format!("{:.2}", ratio(one)),
            format!("`{}`", one.best_peer.0),
            grouped(one.best_peer.1),
        ]);
    }
    format!(
        "At most {largest:.2} times the regret of `{WITHOUT}`; more than the best of the peers, chosen afterwards, in \
         {lost} of {} \
         worlds.\n\n{}",
        measured.len(),
        table.markdown()
    )
}
