//! Figures known from elsewhere, to be held against: naive implementations of the same rules in another language, and the authors' own code.

/// Mean regret, and its standard error.
type Figure = (f64, f64);

/// Six rankers, shuffled, T = 10⁵, `condorcet` regret: label here, naive implementation (100 runs), authors' code (10 to 20 runs each).
pub(super) const SIX_RANKERS: [(&str, Figure, &[Figure]); 18] = [
    ("Uniform", (5999.6, 0.8), &[]),
    ("RUCB", (569.0, 12.0), &[(548.0, 26.0), (583.0, 64.0)]),
    ("D-TS", (149.0, 4.0), &[(162.0, 37.0)]),
    ("D-TS, plus = true", (157.0, 4.0), &[(166.0, 20.0)]),
    ("RMED", (264.0, 6.0), &[(272.0, 10.0), (250.0, 10.0)]),
    ("RMED, variant = rmed2", (301.0, 11.0), &[(280.0, 14.0)]),
    ("RMED, variant = rmed2fh", (333.0, 11.0), &[(359.0, 35.0)]),
    ("CCB", (546.0, 13.0), &[(567.0, 71.0)]),
    ("Merge", (193.0, 5.0), &[]),
    ("Merge, choice = ucb", (237.0, 6.0), &[]),
    ("Versatile-DB", (301.0, 7.0), &[]),
    ("Versatile-DB, estimator = iw", (564.0, 19.0), &[]),
    ("Versatile-DB, players = shared", (189.0, 6.0), &[]),
    ("Versatile-DB, estimator = iw, players = shared", (413.0, 8.0), &[]),
    ("Self-Sparring", (163.0, 5.0), &[]),
    ("Winner-Stays (weak)", (3009.0, 3.0), &[]),
    ("Winner-Stays (strong)", (129.0, 2.0), &[]),
    ("Active Ranking", (4771.0, 29.0), &[]),
];

/// The cube with d = 5, T = 2000, 30 runs, `utility` regret.
pub(super) const CUBE: [(&str, Figure, &[Figure]); 7] = [
    ("Uniform", (7225.0, 13.0), &[]),
    ("MaxInP", (362.0, 8.0), &[]),
    ("MaxPairUCB", (212.0, 4.0), &[]),
    ("MaxPairUCB, robustness = 0.1", (640.0, 5.0), &[]),
    ("CoLSTIM", (634.0, 7.0), &[]),
    ("VACDB", (283.0, 10.0), &[]),
    ("FGTS.CDB, feel_good = 0.0", (629.0, 11.0), &[]),
];
