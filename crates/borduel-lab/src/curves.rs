//! Regret over time, as a table.

use borduel::Notion;
use borduel::experiment::{InNotion, PolicyResult, Results};
use borduel_report::Table;

/// The cells that say what a result is about.
pub fn start(result: &PolicyResult, regret: Notion) -> [String; 5] {
    let PolicyResult { environment, horizon, policy, label, .. } = result;
    [environment.clone(), horizon.to_string(), policy.clone(), label.clone(), regret.name().to_owned()]
}

/// Regret over time of everything.
pub fn curves(results: &Results) -> Table {
    let heads = ["environment", "horizon", "policy", "label", "regret", "round", "mean", "sd", "q10", "median", "q90"];
    let mut table = Table::new("", &heads);
    for result in &results.policies {
        for InNotion { regret, curve, .. } in result.in_every_notion(&results.experiment.regrets) {
            let start = start(result, regret);
            for (index, round) in curve.round.iter().enumerate() {
                let mut row = start.to_vec();
                row.push(round.to_string());
                let values = [&curve.mean, &curve.sd, &curve.q10, &curve.median, &curve.q90];
                row.extend(values.map(|values| values[index].to_string()));
                table.rows.push(row);
            }
        }
    }
    table
}
