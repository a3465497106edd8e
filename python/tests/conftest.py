"""What tests share: votes to rank, and the command beside which Python is held."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

DRINKS = [
    ("tea", "coffee", 30, 9),
    ("tea", "mud", 28, 2),
    ("coffee", "mud", 25, 6),
    ("tea", "milk", 20, 14),
    ("milk", "mud", 18, 4),
]


def rows() -> list[dict[str, str]]:
    """Votes of ten voters on four drinks."""
    votes = []
    for left, right, wins, losses in DRINKS:
        votes += [(left, right, "left")] * wins + [(left, right, "right")] * losses + [(left, right, "tie")]
    return [
        {"left": left, "right": right, "winner": winner, "voter": f"v{at % 10}"}
        for at, (left, right, winner) in enumerate(votes)
    ]


def together(work: Callable[[], None]) -> None:
    """Do something in eight threads at once, none of which may fail."""
    errors: list[BaseException] = []

    def one() -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=one) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    """The same as a file."""
    path = tmp_path / "votes.csv"
    lines = [",".join(row.values()) for row in rows()]
    path.write_text("\n".join(["left,right,winner,voter", *lines]) + "\n")
    return path


def borduel(*arguments: object, check: bool = True) -> subprocess.CompletedProcess[bytes]:
    """The command that the wheel brings."""
    line = [str(Path(sys.executable).with_name("borduel")), *map(str, arguments)]
    return subprocess.run(line, capture_output=True, check=check, timeout=300)
