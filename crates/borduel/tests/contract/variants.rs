//! The policies that go through the contract: each as it is, and once more for every setting that changes its rules.

use borduel::{POLICIES, PolicyConfig};

/// A name and settings. Of numbers that only scale a rule, those are here that lead to other rounds: small batches that
/// are merged, exploitations that end, explorations that do not.
const VARIANTS: &[&str] = &[
    "betc-glm; design = 'paper'; fit = 'paper'",
    "betc-glm-match; lambda0 = 'exact'",
    "betc-glm-adaptive; stop = 'evidence'",
    "betc-glm-adaptive; trust = 'typical'",
    "bexp3; lambda0 = 'exact'",
    "ftrl-borda; regularizer = 'hybrid'",
    "ftrl-borda; exploit = 'pair'",
    "ftrl-linear; regularizer = 'hybrid'; exploit = 'pair'; rho = 1",
    "track-borda; replays = true",
    "track-linear; replays = true",
    "etc-borda; update = 'printed'; samples = 40",
    "find-winner; goal = 'all'; margin = 0.1",
    "find-winner; trust = 'model'; budget = 600",
    "find-winner; chain = true",
    "anytime; base = { policy = 'betc-glm-adaptive' }; method = 'own'",
    "anytime; base = { policy = 'rmed', variant = 'rmed2fh' }; method = 'doubling'",
    "anytime; base = { policy = 'max-inp' }; first = 100",
    "dts; plus = true",
    "rmed; variant = 'rmed2'",
    "rmed; variant = 'rmed2fh'",
    "merge; choice = 'ucb'",
    "merge; batch = 2",
    "merge; choice = 'ucb'; batch = 3; c = 10",
    "merge; alpha = 1.01",
    "versatile; players = 'shared'",
    "versatile; estimator = 'iw'",
    "versatile; players = 'shared'; estimator = 'iw'",
    "self-sparring; self_duels = false; eta = 0.5",
    "winner-stays-strong; beta = 3",
    "active-ranking; delta = 0.9",
    "max-inp; warm_up = 50",
    "max-inp; width = 'theory'; norm = 2",
    "colstim; warm_up = 0; clip = 1",
    "max-pair-ucb; robustness = 0.1",
    "max-min-lcb; width = 'theory'",
    "max-min-lcb; candidates = false; width = 2",
    "max-min-lcb; kernel = 'rbf'; length = 0.5",
    "vacdb; alpha = 0.3; kappa = 0.5",
    "fgts; feel_good = 0; eta = 1; steps = 1",
];

/// All of them.
pub(super) fn every() -> Vec<&'static str> {
    POLICIES.iter().chain(VARIANTS).copied().collect()
}

/// Its policy's name alone.
pub(super) fn policy(text: &str) -> &str {
    text.split_once("; ").map_or(text, |(name, _)| name)
}

/// A name and settings as a user would write them.
pub(super) fn config(text: &str) -> PolicyConfig {
    let (name, settings) = text.split_once("; ").unwrap_or((text, ""));
    let written = format!("policy = \"{name}\"\n{}", settings.replace("; ", "\n"));
    toml::from_str(&written).unwrap_or_else(|error| panic!("{written}: {error}"))
}
