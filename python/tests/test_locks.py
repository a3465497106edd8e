"""The wheel is made of the same numerics as the command: the two lock files agree on what computes and what writes numbers."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
SAME = {"nalgebra", "matrixmultiply", "rand", "rand_core", "rand_distr", "libm", "serde_json", "toml", "csv", "rayon"}


def versions(path: Path) -> dict[str, set[str]]:
    packages = tomllib.loads(path.read_text())["package"]
    return {name: {p["version"] for p in packages if p["name"] == name} for name in SAME}


def test_both_lock_files_agree() -> None:
    here, there = versions(ROOT / "python/Cargo.lock"), versions(ROOT / "Cargo.lock")
    # Others may be there for tests alone; what is here must be there.
    differing = {name: (here[name], there[name]) for name in SAME if not here[name] <= there[name] or not here[name]}
    assert not differing, f"copy Cargo.lock to python/Cargo.lock and run cargo metadata there: {differing}"
