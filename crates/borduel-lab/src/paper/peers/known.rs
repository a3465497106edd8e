//! Figures known from elsewhere, to be held against: naive implementations of the same rules in another language, and
//! the authors' own code.

use crate::paper::numbers::Figure;
use borduel::Notion;

/// Label here, notion, naive implementation, authors' code.
pub(super) type Known = (&'static str, Notion, Figure, &'static [Figure]);

/// The runs of the naive implementation.
pub(super) const SIX_RANKERS_RUNS: usize = 100;
pub(super) const CUBE_RUNS: usize = 30;

/// Six rankers, shuffled, T = 10⁵; authors' code with 10 to 20 runs each.
pub(super) const SIX_RANKERS: [Known; 19] = [
    ("Uniform", Notion::Condorcet, (5999.6, 0.8), &[]),
    ("RUCB", Notion::Condorcet, (569.0, 12.0), &[(548.0, 26.0), (583.0, 64.0)]),
    ("D-TS", Notion::Condorcet, (149.0, 4.0), &[(162.0, 37.0)]),
    ("D-TS, plus = true", Notion::Condorcet, (157.0, 4.0), &[(166.0, 20.0)]),
    ("RMED", Notion::Condorcet, (264.0, 6.0), &[(272.0, 10.0), (250.0, 10.0)]),
    ("RMED, variant = rmed2", Notion::Condorcet, (301.0, 11.0), &[(280.0, 14.0)]),
    ("RMED, variant = rmed2fh", Notion::Condorcet, (333.0, 11.0), &[(359.0, 35.0)]),
    ("CCB", Notion::Condorcet, (546.0, 13.0), &[(567.0, 71.0)]),
    ("Merge", Notion::Condorcet, (193.0, 5.0), &[]),
    ("Merge, choice = ucb", Notion::Condorcet, (237.0, 6.0), &[]),
    ("Versatile-DB", Notion::Condorcet, (301.0, 7.0), &[]),
    ("Versatile-DB, estimator = iw", Notion::Condorcet, (564.0, 19.0), &[]),
    ("Versatile-DB, players = shared", Notion::Condorcet, (189.0, 6.0), &[]),
    ("Versatile-DB, estimator = iw, players = shared", Notion::Condorcet, (413.0, 8.0), &[]),
    ("Self-Sparring", Notion::Condorcet, (163.0, 5.0), &[]),
    ("Winner-Stays (weak)", Notion::CondorcetMin, (6.8, 1.0), &[]),
    ("Winner-Stays (weak)", Notion::Condorcet, (3009.0, 3.0), &[]),
    ("Winner-Stays (strong)", Notion::Condorcet, (129.0, 2.0), &[]),
    ("Active Ranking", Notion::Condorcet, (4771.0, 29.0), &[]),
];

/// The cube with d = 5, T = 2000.
pub(super) const CUBE: [Known; 7] = [
    ("Uniform", Notion::Utility, (7225.0, 13.0), &[]),
    ("MaxInP", Notion::Utility, (362.0, 8.0), &[]),
    ("MaxPairUCB", Notion::Utility, (212.0, 4.0), &[]),
    ("MaxPairUCB, robustness = 0.1", Notion::Utility, (640.0, 5.0), &[]),
    ("CoLSTIM", Notion::Utility, (634.0, 7.0), &[]),
    ("VACDB", Notion::Utility, (283.0, 10.0), &[]),
    ("FGTS.CDB, feel_good = 0.0", Notion::Utility, (629.0, 11.0), &[]),
];
