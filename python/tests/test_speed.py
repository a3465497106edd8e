"""Guards of speed, beside what a call takes on the same machine: far below what `docs/PERFORMANCE.md` has, so that only a
mistake is caught."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

import borduel as bd


def rate(work: Callable[[], int]) -> float:
    """Rounds a second of CPU time, the best of three."""
    best = 0.0
    for _ in range(3):
        start = time.process_time()
        rounds = work()
        best = max(best, rounds / (time.process_time() - start))
    return best


def calls() -> float:
    """Calls a second of a function that does nothing: how quick Python is here."""

    def nothing(left: int, right: int) -> None:
        pass

    def work() -> int:
        for at in range(200_000):
            nothing(at, at)
        return 200_000

    return rate(work)


def test_an_import_brings_nothing_that_was_not_asked_for() -> None:
    code = """
import numpy, sys
before = set(sys.modules)
import borduel
extra = set(sys.modules) - before
print(sorted(extra & {"asyncio", "hashlib", "html", "logging", "pandas", "pathlib", "matplotlib"}))
assert set(borduel.__all__) <= set(dir(borduel)) and all(hasattr(borduel, name) for name in borduel.__all__)
"""
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert found == "[]\n"


def test_rounds_are_cheap() -> None:
    problem = bd.Problem(16, horizon=10**6)
    policy = bd.Policy("uniform", problem)

    def one_by_one() -> int:
        ask, tell = policy.ask, policy.tell
        for _ in range(20_000):
            tell(ask(), True)
        return 20_000

    def many() -> int:
        for _ in range(20):
            questions = policy.ask_many(10_000)
            policy.tell_many(questions, np.ones(10_000))
        return 200_000

    single, batches = rate(one_by_one), rate(many)
    assert single > calls() / 200
    assert batches > 2 * single


def test_a_policy_in_python_is_called_without_ceremony() -> None:
    class Mine:
        def __init__(self, problem: bd.Problem, random: object) -> None:
            pass

        def ask(self) -> tuple[int, int]:
            return 0, 1

        def tell(self, left: int, right: int, outcome: float) -> None:
            pass

    world = bd.Environment.matrix([[0.5, 0.6], [0.4, 0.5]])

    def play() -> int:
        bd.simulate(Mine, world, horizon=50_000)
        return 50_000

    assert rate(play) > calls() / 200


def test_tables_are_read_without_a_loop_in_python() -> None:
    import pandas as pd

    random = np.random.default_rng(1)
    names = np.array([f"model {at}" for at in range(100)])
    left, right = random.integers(0, 100, size=(2, 200_000))
    keep = left != right
    answers = random.choice(["left", "right", "tie"], keep.sum())
    frame = pd.DataFrame({"left": names[left[keep]], "right": names[right[keep]], "winner": answers})
    assert rate(lambda: int(bd.read(frame).used)) > calls() / 200
