//! WORLDS.md: how often it lost and by how much, the whole distribution, and every world.

use super::draw::KINDS;
use super::family::{self, Missing};
use super::{ERRORS, Measured, OWN, Request, SHARE};
use borduel_report::numbers::grouped;
use borduel_report::{Figure, Panel, Series, Table};

/// The words around the tables.
const FRAME: &str = include_str!("frame.md");

/// The shares of worlds of which a quantile is shown.
const QUANTILES: [f64; 7] = [0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0];

pub(super) fn text(measured: &[Measured], missing: &[Missing], request: &Request<'_>) -> String {
    let mut out = FRAME.to_owned();
    for (place, part) in [
        ("{verdict}", verdict(measured)),
        ("{kinds}", kinds(measured)),
        ("{lost}", lost(measured)),
        ("{all}", all(measured)),
        ("{missing}", family::text(missing)),
        ("{missing-worlds}", missing.len().to_string()),
        ("{worlds}", measured.len().to_string()),
        ("{runs}", request.runs.to_string()),
        ("{seed}", request.seed.to_string()),
        ("{horizon}", grouped(request.horizon as f64)),
        ("{command}", request.command.to_owned()),
        ("{version}", env!("CARGO_PKG_VERSION").to_owned()),
    ] {
        out = out.replace(place, part.trim_end());
    }
    out
}

/// One sentence, by rule.
fn verdict(measured: &[Measured]) -> String {
    let lost = measured.iter().filter(|one| one.lost()).count();
    let less = measured.iter().filter(|one| one.means().2 < 0.0).count();
    let all = measured.len();
    let rule = format!("by more than {} % and {ERRORS} standard errors", 100.0 * SHARE);
    match lost {
        0 => format!("`{OWN}` never lost {rule}; it had the least regret of all in {less} of {all} worlds."),
        _ => format!(
            "`{OWN}` **lost in {lost} of {all} worlds** {rule}; it had the least regret of all in {less} of them."
        ),
    }
}

fn sorted<'a>(measured: impl Iterator<Item = &'a Measured>) -> Vec<f64> {
    let mut ratios: Vec<f64> = measured.map(Measured::ratio).collect();
    ratios.sort_by(f64::total_cmp);
    ratios
}

/// Quantiles of the ratio, for every kind of world and for all.
fn kinds(measured: &[Measured]) -> String {
    let mut table = Table::new("", &["worlds", "number", "lost"]);
    table.heads.extend(QUANTILES.map(|share| match share {
        0.0 => "least".to_owned(),
        0.5 => "median".to_owned(),
        1.0 => "largest".to_owned(),
        share => format!("{:.0} %", 100.0 * share),
    }));
    for kind in KINDS.into_iter().map(Some).chain([None]) {
        let of_kind = || measured.iter().filter(|one| kind.is_none_or(|kind| one.kind == kind));
        let ratios = sorted(of_kind());
        if ratios.is_empty() {
            continue;
        }
        let lost = of_kind().filter(|one| one.lost()).count();
        let counts = [kind.unwrap_or("all").to_owned(), ratios.len().to_string(), lost.to_string()];
        let at = |share: f64| format!("{:.2}", ratios[((ratios.len() - 1) as f64 * share).round() as usize]);
        table.row(counts.into_iter().chain(QUANTILES.map(at)));
    }
    table.markdown()
}

fn table<'a>(measured: impl Iterator<Item = &'a Measured>) -> String {
    let own = format!("`{OWN}`");
    let mut table = Table::new("", &["world", "T", &own, "the best other", "its regret", "difference", "ratio"]);
    for one in measured {
        let (own, best, difference, error) = one.means();
        table.row([
            one.name.clone(),
            grouped(one.horizon as f64),
            grouped(own),
            format!("`{}`", one.best.0),
            grouped(best),
            format!("{} ± {}", grouped(difference), grouped(error)),
            format!("{:.2}", one.ratio()),
        ]);
    }
    table.markdown()
}

fn lost(measured: &[Measured]) -> String {
    if measured.iter().any(Measured::lost) {
        table(measured.iter().filter(|one| one.lost()))
    } else {
        "None.".to_owned()
    }
}

/// Every world, the worst first.
fn all(measured: &[Measured]) -> String {
    let mut order: Vec<&Measured> = measured.iter().collect();
    order.sort_by(|a, b| b.ratio().total_cmp(&a.ratio()));
    table(order.into_iter())
}

/// The share of worlds whose ratio is at least so large.
pub(super) fn figure(measured: &[Measured]) -> Figure {
    let line = |(style, kind): (usize, &str)| {
        let ratios = sorted(measured.iter().filter(|one| one.kind == kind));
        let n = ratios.len() as f64;
        let points = ratios.iter().enumerate().map(|(k, x)| (x.max(1e-3), (n - k as f64) / n)).collect();
        Series { label: format!("{kind} ({n})"), points, band: Vec::new(), style: Some(style), dots: true }
    };
    let least = 1.0 / measured.len() as f64;
    let level = Series {
        label: String::new(),
        points: vec![(1.0, least), (1.0, 1.0)],
        band: Vec::new(),
        style: None,
        dots: false,
    };
    let panel = Panel {
        title: format!("{OWN} in {} random worlds", measured.len()),
        x: "regret over that of the best of the paper’s policies".to_owned(),
        y: "share of worlds with at least this ratio".to_owned(),
        logarithmic: true,
        series: KINDS.into_iter().enumerate().map(line).filter(|s| !s.points.is_empty()).chain([level]).collect(),
        note: String::new(),
    };
    Figure {
        panels: vec![panel],
        description: "The share of random worlds in which the adaptive policy's regret is at least so many times the \
                      best other's"
            .to_owned(),
    }
}
