//! Figures of prototypes of the same rules, written apart from this engine, to be held against: mean Borda regret and
//! its standard error.

use crate::paper::numbers::Figure;

/// World, policy, and the figures over 10⁵ and 10⁶ rounds.
pub(super) type Known = (&'static str, &'static str, [Figure; 2]);

/// The horizons of the figures.
pub(super) const HORIZONS: [u64; 2] = [100_000, 1_000_000];

/// 200 runs over 10⁵ rounds and 100 over 10⁶; of the hard case 40 and 20.
pub(super) const PROTOTYPES: [Known; 16] = [
    ("six-rankers", "FTRL-Borda", [(1841.0, 62.0), (6472.0, 409.0)]),
    ("six-rankers", "Track-Borda", [(1382.0, 66.0), (4285.0, 245.0)]),
    ("arithmetic", "FTRL-Borda", [(2466.0, 79.0), (5574.0, 259.0)]),
    ("arithmetic", "Track-Borda", [(2453.0, 34.0), (10425.0, 68.0)]),
    ("turned-arithmetic", "FTRL-Borda", [(4936.0, 98.0), (32180.0, 476.0)]),
    ("turned-arithmetic", "Track-Borda", [(4688.0, 59.0), (25513.0, 130.0)]),
    ("moving-arithmetic", "FTRL-Borda", [(906.0, 160.0), (4658.0, 1799.0)]),
    ("moving-arithmetic", "Track-Borda", [(-9311.0, 209.0), (-221_391.0, 1021.0)]),
    ("condorcet-not-borda", "FTRL-Borda", [(840.0, 15.0), (1237.0, 33.0)]),
    ("condorcet-not-borda", "Track-Borda", [(2787.0, 4.0), (12810.0, 10.0)]),
    ("hard", "FTRL-Borda", [(19131.0, 426.0), (69190.0, 5475.0)]),
    ("hard", "Track-Borda", [(14574.0, 432.0), (63655.0, 4066.0)]),
    ("hard", "FTRL-Linear", [(3234.0, 47.0), (6019.0, 124.0)]),
    ("hard", "Track-Linear", [(3098.0, 19.0), (13745.0, 33.0)]),
    ("turned-hard", "FTRL-Linear", [(5786.0, 77.0), (34842.0, 249.0)]),
    ("turned-hard", "Track-Linear", [(5555.0, 82.0), (30534.0, 212.0)]),
];
