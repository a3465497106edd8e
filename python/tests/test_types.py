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
    "a judge of one item": 'bd.play(bd.Policy("find-winner", bd.Problem(3)), lambda one: 1, budget=3)',
    "a context as a word": 'bd.Policy("find-winner", bd.Problem(3, contexts=["x"])).ask().context.upper()',
    "a question about contexts that is none": 'bd.Policy("find-winner", bd.Problem(3, contexts=["x"]), about="all")',
    "a misspelt keyword of judge": 'bd.judge([], [], judge_si="a")',
    "a saving that may not be known": "bd.judge([], []).saving.share",
    "links of contexts that are none": 'bd.Problem.family([[[0, 0], [1, 0]]], link="logit")',
    "problems of contexts as one": "bd.Problem.family([[[0, 0], [1, 0]]]).items",
    "a question to something else than a problem": 'bd.Policy("uniform", bd.Problem(3)).ask(3)',
    "a regret that is none": 'bd.Experiment(bd.Environment.hard(2), "uniform", horizons=5, regrets=["brda"])',
    "a policy that gives one item": """
class Mine:
    def __init__(self, problem: bd.Problem, random: object) -> None: ...
    def ask(self) -> int: return 0
    def tell(self, left: int, right: int, outcome: float, /) -> None: ...
bd.simulate(Mine, bd.Environment.hard(2), horizon=5)""",
    "letters that are none": 'bd.rank("votes.csv", encoding="ebcdic")',
}

RIGHT = {
    "votes in many forms": 'bd.rank([("a", "b")]); bd.rank({"winner": ["a"], "loser": ["b"]}, level=0.9, about="such")',
    "a score": 'x: float | None = bd.rank([("a", "b")])["a"].borda.estimate',
    "options that are kept": 'o: bd.RankOptions = {"level": 0.9}; bd.rank([], **o)',
    "numbers of numpy": "import numpy as np; bd.Problem(np.int64(3), horizon=np.float64(10))",
    "a setting of a policy": 'bd.Policy("dexp3", bd.Problem(3), gamma=0.1).settings["gamma"]',
    "a context by its number": """
problem = bd.Problem(3, contexts={"x": "What is it?"})
context = bd.Policy("find-winner", problem, about="these").ask().context
text: str | None = None if context is None else problem.text(context)""",
    "a judge of three": """
def judge(left: str, right: str, context: str) -> bd.Answer:
    return "tie"


votes: bd.Votes = bd.play(bd.Policy("find-winner", bd.Problem(3, contexts=["x"])), judge, budget=3)""",
    "what a judge is worth": """
worth: bd.JudgeWorth = bd.judge("people.csv", [("a", "b")], judge_is="a", voter="person", level=0.9)
share: float | None = None if worth.saving is None else worth.saving.share.estimate""",
    "choices in other letters": 'bd.read("choices.csv", rows="choices", task="card", encoding="latin1")',
    "a page with its question": 'bd.rank("votes.csv").report("page.html", question="Which?", date="in May")',
    "a world of one's own": 'bd.simulate("uniform", bd.Environment.pieces([(1, [[0.5, 0.7], [0.3, 0.5]])]), horizon=10)',
    "what an exception says": """
try:
    bd.rank([])
except bd.Error as error:
    print(error.name, error.value, error.remedy, error.row)""",
    "a policy of one's own in contexts": """
class Mine:
    def __init__(self, problem: bd.Problem, random: object) -> None: ...
    def ask(self, problem: bd.Problem) -> tuple[int, int]: return 0, problem.context or 1
    def tell(self, left: int, right: int, outcome: float) -> None: ...
bd.simulate([Mine, "max-inp"], bd.Environment.contexts([[[0, 1], [1, 0]]], [1, 2], weights=[1]), horizon=5)""",
    "a loop of one's own": """
policy = bd.Policy("uniform", bd.Problem(3))
for question in policy.ask_many(3):
    policy.tell(question, "left")""",
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


def test_checkers_find_what_is_wrong_and_nothing_else(tmp_path: Path) -> None:
    """Little programs: those with one mistake, which both checkers name, and those without."""
    programs = {**{f"wrong: {what}": line for what, line in WRONG.items()}, **RIGHT}
    for at, line in enumerate(programs.values()):
        (tmp_path / f"program_{at}.py").write_text(f"import borduel as bd\n\n{line}\n")
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
    for at, what in enumerate(programs):
        said = [checker for checker, names in found.items() if f"program_{at}.py" in names]
        assert said == (["mypy", "pyright"] if what.startswith("wrong: ") else []), f"{what}: found by {said}"
