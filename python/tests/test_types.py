"""The stub is what Rust has, and tests, examples and sources are typed: mypy --strict, stubtest, pyright; and ruff's taste."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent.parent

WRONG = {
    "a misspelt keyword of rank": "bd.rank([], bugdet=3)",
    "a misspelt keyword of read": "bd.read([], lenent=True)",
    "a misspelt keyword of design": 'bd.design(["a", "b"], 3, bugdet=3)',
    "a misspelt keyword of play": 'bd.play(bd.Policy("uniform", bd.Problem(3)), lambda a, b: 1, bugdet=3)',
    "a misspelt setting of a policy": 'bd.Policy("dexp3", bd.Problem(3), gama=0.1)',
    "a misspelt change of an experiment": "bd.Experiment.paper(rusn=3)",
    "a misspelt setting of a crowd": "bd.Environment.crowd(dims=3)",
    "a name that is not there": "bd.rnak([])",
    "a link that is none": 'bd.Problem(3, link="logit")',
    "orders that are none": 'o: bd.Orders = "all"',
    "an answer that is none": 'a: bd.Answer = "first"',
    "ties that are none": 'bd.rank([], ties="perhaps")',
    "a word in the place of a number": 'bd.rank([], bootstrap="many")',
    "a word in the place of a horizon": 'bd.simulate("uniform", bd.Environment.hard(2), horizon="long")',
    "items of a pair as words": 'left, right = bd.Policy("uniform", bd.Problem(3)).ask(); left.upper()',
    "a slice as one question": 'bd.Policy("uniform", bd.Problem(3)).ask_many(3)[:2].round',
    "feedback with another key": 'f: bd.Feedback = {"lots": 0.1}',
    "progress that is none": 'p: bd.Progress = "bar"',
}


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


def test_checkers_find_what_is_wrong(tmp_path: Path) -> None:
    """Every little program has one mistake, which both checkers name."""
    for at, line in enumerate(WRONG.values()):
        (tmp_path / f"wrong_{at}.py").write_text(f"import borduel as bd\n\n{line}\n")
    mypy = subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir", "/dev/null", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=600,
    ).stdout
    pyright = subprocess.run(
        [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--outputjson", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=600,
    ).stdout
    found = {
        "mypy": {line.split(":")[0].rpartition("/")[2] for line in mypy.splitlines() if ": error:" in line},
        "pyright": {
            Path(error["file"]).name
            for error in json.loads(pyright)["generalDiagnostics"]
            if error["severity"] == "error"
        },
    }
    for at, what in enumerate(WRONG):
        missed = [checker for checker, names in found.items() if f"wrong_{at}.py" not in names]
        assert not missed, f"{what}: not found by {missed}"
