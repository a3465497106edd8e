//! The document: what was run, the figures, the claims, the open choices.

use super::case::Case;
use super::claims::{Claim, claims};
use super::{ADVERSARIAL, BIASED, EMPIRICAL, HARD, LOWER, PAPER, RECOVERED};
use crate::experiment::played::Played;
use crate::paper::scaling::{self, Exponent};
use borduel_report::Table;
use borduel_report::experiment::simulated;
use borduel_report::numbers::{grouped, percent};
use std::fmt::Write;

/// The choices that the paper leaves open: what, our default, the other way.
const CHOICES: [(&str, &str, &str, &str); 10] = [
    (
        "λ₀ in BETC-GLM-Match",
        "BETC-GLM-Match",
        "BETC-GLM-Match, lambda0 = exact",
        "λ₀ = 1 against the exact eigenvalue, in τ = λ₀⁻²(d + log(1/δ))",
    ),
    ("λ₀ in BEXP3", "BEXP3", "BEXP3, lambda0 = exact", "λ₀ = 1 against the exact eigenvalue, in γ = √(ηd/λ₀)"),
    (
        "Frank–Wolfe in BETC-GLM",
        "BETC-GLM",
        "BETC-GLM, design = paper",
        "solved to 1 % against 20 iterations from the uniform start",
    ),
    ("Frank–Wolfe in BETC-GLM-Match", "BETC-GLM-Match", "BETC-GLM-Match, design = paper", "the same"),
    (
        "likelihood in BETC-GLM",
        "BETC-GLM",
        "BETC-GLM, fit = paper",
        "solved by Newton's method against 100 steps of gradient descent",
    ),
    ("likelihood in BETC-GLM-Match", "BETC-GLM-Match", "BETC-GLM-Match, fit = paper", "the same"),
    ("r or r − ½ in BEXP3", "BEXP3", "BEXP3 (centred)", "as printed against centred: both are unbiased"),
    (
        "r or r − ½, λ₀ exact",
        "BEXP3, lambda0 = exact",
        "BEXP3 (centred), lambda0 = exact",
        "the same with the exact λ₀",
    ),
    (
        "ETC-Borda's listing",
        "ETC-Borda",
        "ETC-Borda, update = printed",
        "updates for t ≤ K·N, as meant, against t ≤ N, as printed",
    ),
    (
        "which theorem for BETC-GLM",
        "BETC-GLM",
        "BETC-GLM-Match",
        "the parameters of “fewer arms” against those of “matching”",
    ),
];

/// How many claims hold, in one sentence.
fn summary(claims: &[Claim]) -> String {
    let count = |word: &str| claims.iter().filter(|claim| claim.verdict.starts_with(word)).count();
    let (hold, fail) = (count("**holds**"), count("**does not hold**"));
    let open = claims.len() - hold - fail;
    format!(
        "Of {} claims of the paper {hold} hold, {fail} do not, and {open} depend on something or are not shown.",
        claims.len()
    )
}

/// The whole text. Empty if an experiment is missing.
pub(super) fn text(played: &[&Played], exponents: &[Exponent], command: &str) -> String {
    let case = |name| Case::find(played, name);
    let (Some(hard), Some(recovered), Some(empirical), Some(adversarial), Some(lower), Some(biased)) =
        (case(HARD), case(RECOVERED), case(EMPIRICAL), case(ADVERSARIAL), case(LOWER), case(BIASED))
    else {
        return String::new();
    };
    let experiment = &hard.played.results.experiment;
    let of_first_item = scaling::of_first_item(played);
    let claims = claims(hard, recovered, empirical, adversarial, lower, exponents, of_first_item);
    let mut out = format!(
        "# Reproduction\n\n{} Which is which, with the numbers, is in the table of [claims](#claims). \
         What the paper leaves open was [tried both ways](#what-the-paper-leaves-open).\n\n\
         ```sh\n{command} --out docs\n```\n\n\
         This ran *Borda Regret Minimization for Generalized Linear Dueling Bandits* (Wu, Jin, Di, Lou, Farnoud, Gu, \
         2023) again, and made this page and its figures: T = {}, {} runs, seed {}, borduel {}.\n\n\
         * Regret is cumulative Borda regret, Σ 2B(i*) − B(i) − B(j).\n\
         * ± is one standard error over runs. All policies meet the same random numbers, and differences are paired.\n\
         * A claim about an order holds or does not hold by two standard errors.\n\n",
        summary(&claims),
        grouped(experiment.horizons[0] as f64),
        experiment.runs,
        experiment.seed,
        env!("CARGO_PKG_VERSION")
    );
    if simulated(&recovered.played.results) {
        out += "> **The crowd on this page is simulated.** No file of votes was given; nothing here is about the real \
                EventTime.\n\n";
    }
    // Writing to a string cannot fail, here and below.
    for (title, case, picture) in [
        ("The hard case", hard, "hard.svg"),
        ("EventTime, recovered probabilities", recovered, "eventtime.svg"),
        ("EventTime, empirical probabilities", empirical, "eventtime-empirical.svg"),
    ] {
        let _ = write!(out, "## {title}\n\n![Regret over time]({picture})\n\n{}\n", finals(case, PAPER));
    }
    out += "![Shares of votes p̃](eventtime-matrix.png)\n\nThe shares of votes p̃ themselves, in the order of items: \
            blue where the row's is \
            preferred, orange where the column's is.\n\n";
    let mut table = Table::new("", &["the paper says", "verdict", "numbers"]);
    for claim in &claims {
        table.row([claim.says, &claim.verdict, &claim.numbers]);
    }
    let _ = write!(
        out,
        "## Claims\n\n{}\nThe paper's own figures have no numbers to compare with, and it does not say which 100 of \
         the events it \
         used.\n\n",
        table.markdown()
    );
    choices(&mut out, &[("hard", hard), ("EventTime", recovered), ("EventTime, empirical", empirical)]);
    growth(&mut out, exponents);
    let _ = write!(
        out,
        "## A world that changes\n\nTwo parameters take turns, five times each; regret is against the single item that \
         is best in \
         hindsight. The paper makes no experiment of this; a policy that commits itself may be lucky or not.\n\n{}",
        finals(adversarial, usize::MAX)
    );
    let _ = write!(
        out,
        "\n## The lower bound's instance\n\nThe same policies where the gap is the one of the proof, Δ = \
         (dT)^(−1/3)/√40.\n\n{}",
        finals(lower, usize::MAX)
    );
    let _ = write!(
        out,
        "\n## The hard case with a bias\n\nThe same probabilities as in the hard case, with the d features that the \
         instance is first \
         described by: that good items beat bad ones by ¼ on top is a bias which no θ explains, so that the model does \
         not hold. The \
         remark that a further dimension mends this is what all other pages and tables go by.\n\n{}",
        finals(biased, usize::MAX)
    );
    out
}

/// Final regrets of the first policies.
fn finals(case: Case, most: usize) -> String {
    let environment = case.played.results.policies.first().map_or("", |result| result.environment.as_str());
    let mut table = Table::new("", &["policy", "final regret", "sd", "winner found"]);
    let mut list: Vec<_> = case.played.results.policies.iter().take(most).collect();
    list.sort_by(|a, b| a.final_regret.mean.total_cmp(&b.final_regret.mean));
    for result in list {
        let regret = &result.final_regret;
        let mean = format!("{} ± {}", grouped(regret.mean), grouped(regret.se));
        table.row([result.label.clone(), mean, grouped(regret.sd), percent(result.winner_found)]);
    }
    format!("{environment}\n\n{}", table.markdown())
}

fn choices(out: &mut String, cases: &[(&str, Case)]) {
    *out += "## What the paper leaves open\n\nEach choice, the other things being equal: final regret one way and the \
             other, and \
             the paired difference (second minus first).\n\n";
    let mut table = Table::new("", &["choice", "on", "first", "second", "difference"]);
    for (choice, first, second, _) in CHOICES {
        for (name, case) in cases {
            if case.index(first).is_none() || case.index(second).is_none() {
                continue;
            }
            let (mean, se) = case.difference(second, first);
            table.row([
                choice.to_owned(),
                (*name).to_owned(),
                grouped(case.mean(first)),
                grouped(case.mean(second)),
                format!("{} ± {}", grouped(mean), grouped(se)),
            ]);
        }
    }
    *out += &table.markdown();
    *out += "\n";
    for (choice, _, _, what) in CHOICES {
        let _ = writeln!(out, "* **{choice}**: {what}.");
    }
    *out += "\n";
}

fn growth(out: &mut String, exponents: &[Exponent]) {
    *out += "## How regret grows\n\n![Final regret against T and d](scaling.svg)\n\nLeast-squares exponents of mean \
             final regret on the \
             hard case; the theory's is 2/3 for both, up to logarithms.\n\n";
    let mut table = Table::new("", &["policy", "exponent of T", "exponent of d"]);
    let exponent = |fit: &Exponent| format!("{:.3} ± {:.3}", fit.value, fit.se);
    for fit in exponents.iter().filter(|fit| fit.against == "T") {
        let other = exponents.iter().find(|other| other.against == "d" && other.label == fit.label);
        table.row([fit.label.clone(), exponent(fit), other.map_or_else(String::new, exponent)]);
    }
    *out += &table.markdown();
    *out += "\n";
}
