//! How well real votes are foretold that were held out, with all voters alike and each as reliable as told.

use super::*;
use crate::ballots::{Answer, BothBad, Ties};
use crate::stream;
use borduel_testing::skip;
use std::collections::HashMap;

/// Voter, left, right, and the answer: 1 for the left item, ½ for a tie.
type Vote = [String; 3];

/// The rows of a file of ../shared/data by these columns, where it is at hand, with the answers.
fn real_votes(file: &str, columns: [usize; 3], answer: Option<usize>) -> Option<Vec<(Vote, f64)>> {
    let path = format!("{}/../../../shared/data/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).ok()?;
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let won = match answer.map_or("left", |at| fields[at]) {
            "left" => 1.0,
            "right" => 0.0,
            _ => 0.5,
        };
        (columns.map(|at| fields[at].to_owned()), won)
    };
    Some(text.lines().skip(1).map(row).collect())
}

/// −ln of the chance of a vote, on average, votes being dealt into ten parts and each part foretold from the nine others.
fn held_out(votes: &[(Vote, f64)]) -> [f64; 2] {
    let mut s = stream(1, &[0x4e1d]);
    let parts: Vec<usize> = votes.iter().map(|_| s.below(10)).collect();
    let foretold = |part: usize| {
        let mut ballots = Ballots::new(Ties::Half, BothBad::Drop, true);
        for ([voter, left, right], won) in votes.iter().zip(&parts).filter(|(_, at)| **at != part).map(|(vote, _)| vote)
        {
            let (left, right, voter) = (ballots.item(left), ballots.item(right), ballots.voter(voter));
            ballots.add(left, right, Some(voter), Answer::Soft(*won), 1.0, 1.0).unwrap();
        }
        let ballots = ballots.finish();
        let crowd = Crowd::new(&ballots).unwrap();
        // No group is left out.
        let found = strengths(&crowd.sums, GROUPS);
        let of: HashMap<&str, f64> =
            crowd.sums.items.iter().zip(&found).map(|(&item, s)| (ballots.items()[item].as_str(), *s)).collect();
        let prior = crowd.prior();
        let told: HashMap<&str, Vec<f64>> = crowd
            .names
            .iter()
            .map(String::as_str)
            .zip(&crowd.logs)
            .map(|(name, logs)| (name, posterior(logs, &prior).0))
            .collect();
        let unknown = prior.iter().map(|log| log.exp()).collect::<Vec<f64>>();
        let mut losses = [0.0; 2];
        for ([voter, left, right], won) in votes.iter().zip(&parts).filter(|(_, at)| **at == part).map(|(vote, _)| vote)
        {
            let lead = of.get(left.as_str()).unwrap_or(&0.0) - of.get(right.as_str()).unwrap_or(&0.0);
            let weights = told.get(voter.as_str()).unwrap_or(&unknown);
            let own = weights.iter().zip(&crowd.grid).map(|(p, b)| p * Link::Logistic.mu(b.exp() * lead)).sum::<f64>();
            for (loss, p) in losses.iter_mut().zip([Link::Logistic.mu(lead), own]) {
                *loss -= won * p.ln() + (1.0 - won) * (1.0 - p).ln();
            }
        }
        losses
    };
    let all = parallel::map(10, foretold);
    [0, 1].map(|at| all.iter().map(|losses| losses[at]).sum::<f64>() / votes.len() as f64)
}

#[test]
fn real_votes_that_were_held_out_are_foretold_better() {
    let llmfao = real_votes("llmfao/crowd-comparisons.csv", [4, 6, 7], Some(5));
    let eventtime = real_votes("eventtime/votes.csv", [0, 1, 2], None);
    let (Some(llmfao), Some(eventtime)) = (llmfao, eventtime) else {
        return skip("held-out votes by voters' reliability", "../shared/data is not here");
    };
    let (llmfao, eventtime) = (held_out(&llmfao), held_out(&eventtime));
    println!("LLMFAO {llmfao:.4?}, EventTime {eventtime:.4?}");
    assert!((0.646..0.649).contains(&llmfao[0]) && llmfao[1] <= 0.637, "{llmfao:?}");
    // Seven votes a voter say little of each: it must not be worse.
    assert!(eventtime[1] <= eventtime[0] + 1e-4, "{eventtime:?}");
}
