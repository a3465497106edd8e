//! How regret grows with T at fixed d and with d at fixed T, and the exponents fitted to that.

use crate::experiment::played::Played;
use borduel::experiment::{EnvironmentConfig, PolicyResult};
use borduel::{Experiment, theory};
use borduel_report::experiment::{BOUND_NOTE, Section, styles};
use borduel_report::{Figure, Panel, Series, Table};
use serde::Serialize;

/// The experiment over horizons, and that over dimensions: each within a factor √10 or 1 of the next.
const HORIZONS: &str = "scaling-horizon";
const DIMENSIONS: &str = "scaling-dimension";

/// The two experiments. A single horizon T stands for T, T/√10, T/10 … T/100; the dimensions are 2 to 8.
pub fn experiments(base: &Experiment, d: u32, gap: Option<f64>) -> [Experiment; 2] {
    let (mut horizons, mut dimensions) = (base.clone(), base.clone());
    HORIZONS.clone_into(&mut horizons.name);
    horizons.environments = vec![EnvironmentConfig::Hard { d, gap }];
    if let [longest] = base.horizons[..] {
        let shorter = |step: i32| (longest as f64 * 10_f64.powf(-0.5 * f64::from(step))).round().max(1.0) as u64;
        horizons.horizons = (1..=4).rev().map(shorter).chain([longest]).collect();
        horizons.horizons.dedup();
    }
    DIMENSIONS.clone_into(&mut dimensions.name);
    dimensions.environments = (2..=8).map(|d| EnvironmentConfig::Hard { d, gap }).collect();
    dimensions.horizons = base.horizons.iter().max().copied().into_iter().collect();
    [horizons, dimensions]
}

/// A fitted exponent: regret ≈ c · x^value.
#[derive(Debug, Clone, Serialize)]
pub struct Exponent {
    /// The policy whose regret it is.
    pub policy: String,
    /// The policy as it is called in figures.
    pub label: String,
    /// What the regret is drawn against: `T` or `d`.
    pub against: &'static str,
    /// The fitted exponent, a slope on log-log axes.
    pub value: f64,
    /// From the residuals of the fit.
    pub se: f64,
    /// The exponent of the theorem, 2/3.
    pub theory: f64,
    /// How many points it was fitted to.
    pub points: usize,
}

/// Pairs of T or d and mean final regret.
type Points = Vec<(f64, f64)>;

/// Mean final regret over T or d, one list a policy.
fn growth(played: &Played) -> Option<(&'static str, Vec<Points>)> {
    let experiment = &played.results.experiment;
    let against = match experiment.name.as_str() {
        HORIZONS => "T",
        DIMENSIONS => "d",
        _ => return None,
    };
    let mut lists = vec![Vec::new(); experiment.policies.len()];
    for (world, (_, group)) in played.results.groups().enumerate() {
        let x = match (against, &experiment.environments[world / experiment.horizons.len()]) {
            ("d", EnvironmentConfig::Hard { d, .. }) => f64::from(*d),
            _ => group[0].horizon as f64,
        };
        lists.iter_mut().zip(group).for_each(|(list, result)| list.push((x, result.final_regret.mean)));
    }
    Some((against, lists))
}

/// All exponents that can be fitted.
pub fn exponents(played: &[Played]) -> Vec<Exponent> {
    let mut out = Vec::new();
    for played in played {
        let Some((against, lists)) = growth(played) else { continue };
        for (result, points) in played.results.policies.iter().zip(&lists) {
            let PolicyResult { policy, label, .. } = result;
            if let Some((value, se)) = slope(points) {
                let (policy, label) = (policy.clone(), label.clone());
                out.push(Exponent { policy, label, against, value, se, theory: 2.0 / 3.0, points: points.len() });
            }
        }
    }
    out
}

/// The same for what UCB-Borda's first item alone costs, Σ B(i*) − B(i): its regret less the T (B(i*) − ½) that a
/// uniform opponent costs on average.
pub fn of_first_item(played: &[&Played]) -> Option<(f64, f64)> {
    let played = played.iter().find(|played| played.results.experiment.name == HORIZONS)?;
    let (_, lists) = growth(played)?;
    let place = played.results.policies.iter().position(|result| result.policy == "ucb-borda")?;
    let scores = played.plan.worlds().first()?.environment().scores(1);
    let opponent = scores.into_iter().fold(f64::MIN, f64::max) - 0.5;
    let points: Points = lists.get(place)?.iter().map(|(t, regret)| (*t, regret - opponent * t)).collect();
    slope(&points)
}

/// The least-squares slope of log y on log x, and its standard error from the residuals; needs three positive points.
fn slope(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let logs: Vec<(f64, f64)> =
        points.iter().filter(|p| p.0 > 0.0 && p.1 > 0.0).map(|p| (p.0.ln(), p.1.ln())).collect();
    let n = logs.len() as f64;
    if logs.len() < 3 {
        return None;
    }
    let (mx, my) = (logs.iter().map(|p| p.0).sum::<f64>() / n, logs.iter().map(|p| p.1).sum::<f64>() / n);
    let sxx: f64 = logs.iter().map(|p| (p.0 - mx).powi(2)).sum();
    let slope = logs.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum::<f64>() / sxx;
    let residuals: f64 = logs.iter().map(|p| (p.1 - my - slope * (p.0 - mx)).powi(2)).sum();
    Some((slope, (residuals / (n - 2.0) / sxx).sqrt()))
}

/// Regret against T and against d, logarithmic, with the lower bound.
pub fn figure(played: &[&Played], exponents: &[Exponent]) -> Figure {
    let panels = played.iter().filter_map(|played| panel(played, exponents)).collect();
    Figure { panels, description: "Final regret against the horizon and against the dimension".to_owned() }
}

fn panel(played: &Played, exponents: &[Exponent]) -> Option<Panel> {
    let (against, lists) = growth(played)?;
    let experiment = &played.results.experiment;
    let horizon = experiment.horizons.iter().max().copied()?;
    let bound = |x: f64| match (against, &experiment.environments[0]) {
        ("T", EnvironmentConfig::Hard { d, .. }) => theory::lower_bound(*d as usize, x as u64),
        _ => theory::lower_bound(x as usize, horizon),
    };
    let xs: Vec<f64> = lists[0].iter().map(|p| p.0).collect();
    let policies = &played.results.policies[..lists.len()];
    let mut series: Vec<Series> = lists
        .into_iter()
        .zip(policies)
        .zip(styles(policies.iter().map(|result| result.policy.as_str())))
        .map(|((points, result), style)| {
            let label = &result.label;
            let fit = exponents.iter().find(|fit| fit.against == against && fit.label == *label);
            let label = fit.map_or_else(|| label.clone(), |fit| format!("{label}: {:.2}", fit.value));
            Series { label, points, band: Vec::new(), style: Some(style), dots: true }
        })
        .collect();
    series.push(Series {
        label: "lower bound: 0.67".to_owned(),
        points: xs.iter().map(|x| (*x, bound(*x))).collect(),
        band: Vec::new(),
        style: None,
        dots: false,
    });
    let runs = experiment.runs;
    let (title, x) = match against {
        "T" => (format!("Final regret against T: {}", played.results.policies[0].environment), "T"),
        _ => (format!("Final regret against d: hard, T = {}", borduel_report::numbers::grouped(horizon as f64)), "d"),
    };
    Some(Panel {
        title: format!("{title} ({runs} runs; fitted exponents beside the names)"),
        x: x.to_owned(),
        y: "final regret, mean".to_owned(),
        logarithmic: true,
        series,
        note: BOUND_NOTE.to_owned(),
    })
}

/// The fitted exponents as people read them.
pub fn table(exponents: &[Exponent]) -> Table {
    let mut table = Table::new("", &["policy", "against", "exponent", "± se", "theory"]);
    for fit in exponents {
        let numbers = [fit.value, fit.se, fit.theory].map(|number| format!("{number:.3}"));
        table.rows.push([vec![fit.label.clone(), fit.against.to_owned()], numbers.to_vec()].concat());
    }
    table
}

/// The section of a report.
pub fn section(figure: Figure, exponents: &[Exponent]) -> Section {
    let note = "Least-squares slopes of log mean final regret on log T or log d; the standard error comes from the \
                residuals. \
                The theorems bound regret by T and d to the power 2/3, up to logarithms.";
    Section { title: "How regret grows".to_owned(), figure, table: table(exponents), note: note.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_law_is_recovered() {
        let points: Vec<(f64, f64)> = (1..6).map(|x| (f64::from(x), 3.0 * f64::from(x).powf(0.7))).collect();
        let (exponent, se) = slope(&points).unwrap();
        assert!((exponent - 0.7).abs() < 1e-12 && se < 1e-12);
        // By hand: logs (0,0), (ln 2, ln 2), (ln 4, ln 2): slope ½, residuals ∓(ln 2)/6, ±(ln 2)/3.
        let (exponent, se) = slope(&[(1.0, 1.0), (2.0, 2.0), (4.0, 2.0)]).unwrap();
        assert!((exponent - 0.5).abs() < 1e-12);
        assert!((se - (1.0_f64 / 12.0).sqrt()).abs() < 1e-12);
        assert!(slope(&[(1.0, 1.0), (2.0, -1.0), (3.0, 1.0)]).is_none());
    }

    #[test]
    fn one_horizon_stands_for_five() {
        let base = Experiment::new("x", Vec::new(), Experiment::paper_policies());
        let [horizons, dimensions] = experiments(&base, 6, None);
        assert_eq!(horizons.horizons, [10_000, 31_623, 100_000, 316_228, 1_000_000]);
        assert_eq!((dimensions.environments.len(), dimensions.horizons.len()), (7, 1));
    }
}
