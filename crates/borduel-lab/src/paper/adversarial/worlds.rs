//! The worlds: some in which nothing changes, the same with answers that are turned round, and some whose best item
//! moves.

use borduel::environment::hard;
use borduel::stream;
use serde_json::{Value, json};

/// What happens in a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A world in which nothing changes.
    Still,
    /// The answers of the first T/50 rounds are turned round.
    Turned,
    /// The best item changes.
    Moving,
}

/// A world of the page.
pub(super) struct World {
    /// The name of its experiments.
    pub(super) name: &'static str,
    /// What the page calls it.
    pub(super) title: &'static str,
    pub(super) kind: Kind,
    /// Whether items have features to learn through.
    pub(super) features: bool,
    /// The environment of a horizon and a seed.
    pub(super) environment: fn(u64, u64) -> Value,
}

pub(super) const WORLDS: [World; 12] = [
    World {
        name: "six-rankers",
        title: "six-rankers",
        kind: Kind::Still,
        features: false,
        environment: |_, _| instance("six-rankers"),
    },
    World {
        name: "arithmetic",
        title: "arithmetic",
        kind: Kind::Still,
        features: false,
        environment: |_, _| instance("arithmetic"),
    },
    World {
        name: "condorcet-not-borda",
        title: "condorcet-not-borda, K = 8",
        kind: Kind::Still,
        features: false,
        environment: |_, _| json!({ "kind": "instance", "name": "condorcet-not-borda", "items": 8 }),
    },
    World {
        name: "turned-arithmetic",
        title: "arithmetic, turned",
        kind: Kind::Turned,
        features: false,
        environment: |_, _| instance("arithmetic"),
    },
    World {
        name: "moving-arithmetic",
        title: "arithmetic, moving",
        kind: Kind::Moving,
        features: false,
        environment: |horizon, _| moving_ranks(horizon),
    },
    World { name: "hard", title: "hard", kind: Kind::Still, features: true, environment: |_, _| hard_case() },
    World {
        name: "linear",
        title: "linear, K = 30, d = 5",
        kind: Kind::Still,
        features: true,
        environment: |_, _| {
            let features = json!({ "kind": "differences", "items": 30, "dim": 5 });
            json!({ "kind": "glm", "link": "linear", "features": features })
        },
    },
    World {
        name: "turned-hard",
        title: "hard, turned",
        kind: Kind::Turned,
        features: true,
        environment: |_, _| hard_case(),
    },
    World { name: "moving-hard", title: "hard, six θ", kind: Kind::Moving, features: true, environment: six_signs },
    World {
        name: "switching",
        title: "switching",
        kind: Kind::Moving,
        features: true,
        environment: |_, _| path(&json!({ "kind": "switching", "states": 2, "pieces": 10 })),
    },
    World {
        name: "rotating",
        title: "rotating",
        kind: Kind::Moving,
        features: true,
        environment: |_, _| path(&json!({ "kind": "rotating", "turns": 1.0, "pieces": 1000 })),
    },
    World {
        name: "drifting",
        title: "drifting",
        kind: Kind::Moving,
        features: true,
        environment: |_, _| path(&json!({ "kind": "drifting", "step": 0.1, "pieces": 1000 })),
    },
];

/// The dimension of the hard case.
const D: usize = 6;
/// How many equal pieces the horizon is cut into where the best item jumps.
const PIECES: u64 = 6;

fn instance(name: &str) -> Value {
    json!({ "kind": "instance", "name": name })
}

fn hard_case() -> Value {
    json!({ "kind": "hard", "d": D })
}

fn path(path: &Value) -> Value {
    json!({ "kind": "adversarial", "path": path })
}

/// The first round of every piece.
fn starts(horizon: u64) -> Vec<u64> {
    (0..PIECES).map(|piece| 1 + (u128::from(horizon) * u128::from(piece) / u128::from(PIECES)) as u64).collect()
}

/// p(i,j) = ½ + 0.05(r(j) − r(i)), where item i of 8 has the rank r(i) = (i + 3k) mod 8 in piece k.
fn moving_ranks(horizon: u64) -> Value {
    let matrix = |piece: u64| -> Vec<Vec<f64>> {
        let rank = |item: u64| ((item + 3 * piece) % 8) as f64;
        (0..8).map(|i| (0..8).map(|j| 0.5 + 0.05 * (rank(j) - rank(i))).collect()).collect()
    };
    json!({ "kind": "pieces", "starts": starts(horizon), "matrices": (0..PIECES).map(matrix).collect::<Vec<_>>() })
}

/// The hard case whose θ has its signs drawn anew in every piece.
fn six_signs(horizon: u64, seed: u64) -> Value {
    let (gap, mut signs) = (0.25 / D as f64, stream(seed, &[PIECES]));
    let mut theta = || -> Vec<f64> {
        let signed: Vec<f64> = (0..D).map(|_| if signs.uniform() < 0.5 { gap } else { -gap }).collect();
        hard::parameter(&signed)
    };
    let thetas: Vec<Vec<f64>> = (0..PIECES).map(|_| theta()).collect();
    path(&json!({ "kind": "table", "rounds": starts(horizon), "thetas": thetas }))
}
