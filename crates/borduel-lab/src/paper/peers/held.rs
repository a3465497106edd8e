//! What is known from elsewhere, beside what came out here; and of what is further away than chance explains, how its
//! runs are spread.

use super::known::{CUBE, CUBE_RUNS, Known, SIX_RANKERS, SIX_RANKERS_RUNS};
use super::{CONDORCET, FEATURES};
use crate::experiment::played::Played;
use crate::paper::entries::{Entry, entries};
use crate::paper::numbers::{plus_minus, power};
use borduel::stream;
use borduel_report::Table;
use borduel_report::numbers::grouped;

/// What is known of an instance over a horizon.
struct Elsewhere {
    part: &'static str,
    instance: &'static str,
    horizon: u64,
    figures: &'static [Known],
    /// The runs of the naive implementation.
    runs: usize,
}

const ELSEWHERE: [Elsewhere; 2] = [
    Elsewhere {
        part: CONDORCET,
        instance: "six-rankers",
        horizon: 100_000,
        figures: &SIX_RANKERS,
        runs: SIX_RANKERS_RUNS,
    },
    Elsewhere { part: FEATURES, instance: "cube", horizon: 2000, figures: &CUBE, runs: CUBE_RUNS },
];

/// The table, and a sentence for everybody who is further away than three standard errors.
pub(super) fn held(played: &[&Played]) -> String {
    let heads = ["policy", "instance and regret", "known", "here", "apart by", "authors' code"];
    let mut table = Table::new("", &heads);
    let (mut held, mut far) = (0, Vec::new());
    for elsewhere in ELSEWHERE {
        let entries = entries(played, elsewhere.part);
        for (label, notion, (mean, se), authors) in elsewhere.figures {
            let wanted = |entry: &&Entry| {
                let result = entry.result;
                (result.environment.as_str(), result.horizon) == (elsewhere.instance, elsewhere.horizon)
                    && result.label == *label
            };
            let Some((entry, own)) =
                entries.iter().find(wanted).and_then(|entry| entry.regret(*notion).map(|own| (entry, own)))
            else {
                continue;
            };
            let apart = (own.mean - mean) / own.se.hypot(*se);
            held += 1;
            if apart.abs() > 3.0 {
                let median = grouped(own.median);
                let (quarter, most) = (grouped(own.upper_quartile), grouped(own.max));
                let mut line = format!(
                    "{label} on {} is {apart:+.1} standard errors away. Of its runs here half have less than {median}, \
                     a quarter more than {quarter}, and one {most}.",
                    elsewhere.instance
                );
                if entry.notions().first() == Some(notion) {
                    let share = 100.0 * strays(&entry.result.final_regrets, elsewhere.runs);
                    line += &format!(
                        " Samples of {} of them, as many as are known from elsewhere, have a mean further from theirs \
                         than three of the sample's own standard errors in {share:.1} of 100 cases; of a normal law it \
                         would be fewer than 1.",
                        elsewhere.runs
                    );
                }
                far.push(line);
            }
            let authors: Vec<String> = authors.iter().map(|figure| plus_minus(*figure)).collect();
            table.row([
                (*label).to_owned(),
                format!("{}, T = {}, `{}`", elsewhere.instance, power(elsewhere.horizon), notion.name()),
                plus_minus((*mean, *se)),
                plus_minus((own.mean, own.se)),
                format!("{apart:+.1} s.e."),
                authors.join("; "),
            ]);
        }
    }
    let verdict = match (held, &far[..]) {
        (0, _) => "Nothing of this was played over the horizons for which something is known.".to_owned(),
        (_, []) => format!("All {held} are within three standard errors of both."),
        (_, far) => {
            let all = held - far.len();
            format!(
                "Of {held}, {all} are within three standard errors of both, and {} not. {}",
                far.len(),
                far.join(" ")
            )
        }
    };
    format!("{}\n{verdict}\n", table.markdown())
}

/// How often a sample of so many of these has a mean that is further from theirs than three standard errors by the
/// sample itself.
fn strays(values: &[f64], size: usize) -> f64 {
    const SAMPLES: u32 = 10_000;
    let (n, mut stream) = (size as f64, stream(1, &[]));
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let far = |_: &u32| {
        let sample: Vec<f64> = (0..size).map(|_| values[stream.below(values.len())]).collect();
        let own = sample.iter().sum::<f64>() / n;
        let variance = sample.iter().map(|x| (x - own).powi(2)).sum::<f64>() / (n - 1.0);
        (own - mean).abs() > 3.0 * (variance / n).sqrt()
    };
    (0..SAMPLES).filter(far).count() as f64 / f64::from(SAMPLES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_a_law_with_a_long_tail_stray_more_often() {
        let mut s = stream(2, &[]);
        let normal: Vec<f64> = (0..300).map(|_| s.normal()).collect();
        // One in fifty is large: half of all samples of 30 have none of those.
        let tail: Vec<f64> = normal.iter().enumerate().map(|(i, x)| if i % 50 == 0 { 100.0 } else { *x }).collect();
        let (normal, tail) = (strays(&normal, 30), strays(&tail, 30));
        assert!(normal < 0.015, "{normal}");
        assert!((0.4..0.7).contains(&tail), "{tail}");
    }
}
