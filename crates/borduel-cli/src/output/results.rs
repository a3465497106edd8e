//! Results of experiments for standard output.

use super::Shows;
use borduel::experiment::{InNotion, PairedDifference, PolicyResult, Results};
use borduel::{Experiment, Notion};
use borduel_lab::curves::start;
use borduel_lab::experiment::played::{Played, PolicyTimes};
use borduel_lab::failure::Failure;
use borduel_lab::paper::scaling::{self, Exponent};
use borduel_report::Table;
use borduel_report::experiment::{heading, ranked};
use borduel_report::numbers::{grouped, percent, rate};
use serde::Serialize;

/// What a command shows: one experiment or several, and the exponents fitted to them.
pub(crate) struct PlayedResults<'a> {
    pub(crate) name: &'a str,
    pub(crate) played: Vec<&'a Played>,
    pub(crate) exponents: &'a [Exponent],
}

impl Shows for PlayedResults<'_> {
    fn text(&self) -> String {
        self.tables().map(|table| table.columns() + "\n").collect()
    }

    fn markdown(&self) -> String {
        self.tables().map(|table| table.markdown() + "\n").collect()
    }

    fn csv(&self) -> Table {
        let heads =
            ["experiment", "environment", "horizon", "policy", "label", "regret", "runs", "seed", "mean", "sd", "se"];
        let mut table = Table::new("", &heads);
        let more = ["min", "median", "max", "winner_found", "rounds_per_second", "setup_seconds"];
        table.heads.extend(more.map(str::to_owned));
        for played in &self.played {
            let Experiment { name, seed, regrets, .. } = &played.results.experiment;
            for (result, times) in played.results.policies.iter().zip(&played.times.policies) {
                for InNotion { regret, final_regret: r, winner_found, .. } in result.in_every_notion(regrets) {
                    let mut row = vec![name.clone()];
                    row.extend(start(result, regret));
                    row.extend([result.runs.to_string(), seed.to_string()]);
                    row.extend([r.mean, r.sd, r.se, r.min, r.median, r.max, winner_found].map(|x| x.to_string()));
                    row.push(times.rounds_per_second.map_or_else(String::new, |x| x.to_string()));
                    row.push(times.setup_seconds.to_string());
                    table.rows.push(row);
                }
            }
        }
        table
    }

    fn json(&self) -> Result<String, Failure> {
        let text = match self.played.as_slice() {
            [single] => serde_json::to_string(&object(single)),
            several => {
                let experiments: Vec<Object> = several.iter().map(|played| object(played)).collect();
                serde_json::to_string(&Bundle { version: 1, name: self.name, experiments, exponents: self.exponents })
            }
        };
        text.map(|text| text + "\n").map_err(|error| Failure::Internal(error.to_string()))
    }
}

impl PlayedResults<'_> {
    /// One table for every environment and horizon, one for every further notion of regret, and one of the exponents
    /// where there are any.
    fn tables(&self) -> impl Iterator<Item = Table> {
        let finals = self.played.iter().flat_map(|played| {
            let of_group = move |(first, group)| {
                let further = 1..played.results.experiment.regrets.len();
                std::iter::once(finals(played, first, group)).chain(further.map(move |at| in_notion(played, group, at)))
            };
            played.results.groups().flat_map(of_group)
        });
        let exponents = (!self.exponents.is_empty()).then(|| {
            let title = "Regret grows like a power: fitted exponents".to_owned();
            Table { title, ..scaling::table(self.exponents) }
        });
        finals.chain(exponents)
    }
}

/// Final regrets, best first, with their paired difference to the best.
fn finals(played: &Played, first: usize, group: &[PolicyResult]) -> Table {
    let heads = ["policy", "final regret", "± se", "sd", "median", "over the best", "± se", "winner found", "speed"];
    let Experiment { regrets, seed, .. } = &played.results.experiment;
    // Where there is one only, and the usual one, nothing need be said.
    let notion = if regrets[..] == [Notion::Borda] { String::new() } else { format!(": {} regret", regrets[0].name()) };
    let mut table = Table::new(heading(&group[0], *seed) + &notion, &heads);
    let order = ranked(group);
    for &index in &order {
        let (result, regret) = (&group[index], &group[index].final_regret);
        let (over, se) = played.results.difference(first + index, first + order[0]);
        let speed = played.times.policies[first + index].rounds_per_second;
        let best = index == order[0];
        table.rows.push(vec![
            result.label.clone(),
            grouped(regret.mean),
            grouped(regret.se),
            grouped(regret.sd),
            grouped(regret.median),
            if best { String::new() } else { grouped(over) },
            if best { String::new() } else { grouped(se) },
            percent(result.winner_found),
            speed.map_or_else(String::new, rate),
        ]);
    }
    table
}

/// The same runs in a further notion of regret, best first.
fn in_notion(played: &Played, group: &[PolicyResult], at: usize) -> Table {
    let Experiment { regrets, seed, .. } = &played.results.experiment;
    let heads = ["policy", "final regret", "± se", "sd", "median", "winner found"];
    let mut table = Table::new(format!("{}: {} regret", heading(&group[0], *seed), regrets[at].name()), &heads);
    let mut rows: Vec<(&str, InNotion<'_>)> =
        group.iter().filter_map(|result| Some((&*result.label, result.in_every_notion(regrets).nth(at)?))).collect();
    rows.sort_by(|a, b| a.1.final_regret.mean.total_cmp(&b.1.final_regret.mean));
    for (label, InNotion { final_regret: r, winner_found, .. }) in rows {
        let numbers = [r.mean, r.se, r.sd, r.median].map(grouped);
        table.rows.push([label.to_owned()].into_iter().chain(numbers).chain([percent(winner_found)]).collect());
    }
    table
}

#[derive(Serialize)]
struct Object<'a> {
    version: u32,
    experiment: &'a Experiment,
    policies: Vec<Timed<'a>>,
    differences: &'a [PairedDifference],
}

#[derive(Serialize)]
struct Timed<'a> {
    #[serde(flatten)]
    result: &'a PolicyResult,
    rounds_per_second: Option<f64>,
    setup_seconds: f64,
}

#[derive(Serialize)]
struct Bundle<'a> {
    version: u32,
    name: &'a str,
    experiments: Vec<Object<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    exponents: &'a [Exponent],
}

fn object(played: &Played) -> Object<'_> {
    let Results { version, experiment, policies, differences, .. } = &played.results;
    let timed = |(result, times): (_, &PolicyTimes)| Timed {
        result,
        rounds_per_second: times.rounds_per_second,
        setup_seconds: times.setup_seconds,
    };
    let policies = policies.iter().zip(&played.times.policies).map(timed).collect();
    Object { version: *version, experiment, policies, differences }
}
