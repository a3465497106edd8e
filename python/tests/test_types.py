"""The stub is what Rust has, and tests, examples and sources are typed: mypy --strict, stubtest, pyright; and ruff's taste."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent.parent


def run(*line: str, where: Path = HERE) -> None:
    done = subprocess.run([sys.executable, "-m", *line], cwd=where, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "line",
    [
        ("ruff", "check", "--no-cache", "."),
        ("ruff", "format", "--no-cache", "--check", "."),
        ("mypy", "--cache-dir", "/dev/null", "src", "tests"),
        ("mypy.stubtest", "borduel._core", "--concise", "--mypy-config-file", "pyproject.toml"),
        ("pyright", "--pythonpath", sys.executable, "tests/typed.py"),
    ],
    ids=["ruff check", "ruff format", "mypy", "stubtest", "pyright"],
)
def test_it_is_clean(line: tuple[str, ...]) -> None:
    run(*line)
