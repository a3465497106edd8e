"""Ctrl-C is heard in every long call, soon, and what is finished is kept."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

import borduel as bd

LONG = {
    "simulate": 'bd.simulate("bexp3", bd.Environment.hard(4), horizon=10**11, jobs=2)',
    "Experiment.run": 'bd.Experiment(bd.Environment.hard(4), "bexp3", horizons=10**11).run(progress=None)',
    "own policy": """
        class Mine:
            def __init__(self, problem, random): pass
            def ask(self): return 0, 1
            def tell(self, left, right, outcome): pass
        bd.simulate(Mine, bd.Environment.hard(2), horizon=10**11)
    """,
    "plan.run": 'bd.Experiment(bd.Environment.hard(4), "bexp3", horizons=10**11).plan().run(0)',
    "rank": """
        import numpy as np
        random = np.random.default_rng(1)
        pairs = random.integers(0, 900, size=(60_000, 2))
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
        print("ready", flush=True)
        bd.rank({"winner": pairs[:, 0], "loser": pairs[:, 1]})
    """,
    "design": """
        print("ready", flush=True)
        bd.design(1500, 10**6)
    """,
    "bootstrap": """
        votes = [(a, b) for a in range(40) for b in range(40) if a != b]
        print("ready", flush=True)
        bd.rank(votes, bootstrap=10**6)
    """,
    "Policy": """
        import numpy as np
        problem = bd.Problem(np.random.default_rng(1).normal(size=(500, 384)), horizon=10**6)
        print("ready", flush=True)
        bd.Policy("betc-glm", problem)
    """,
    "tell": """
        import numpy as np
        policy = bd.Policy("find-winner", bd.Problem(np.random.default_rng(1).normal(size=(1000, 300))))
        for _ in range(999):
            policy.tell(policy.ask(), True)
        question = policy.ask()
        print("ready", flush=True)
        policy.tell(question, True)
    """,
    "ask_many": """
        import numpy as np
        x = np.random.default_rng(1).normal(size=(60, 6))
        policy = bd.Policy("betc-glm-adaptive", bd.Problem(x, horizon=10**7))
        print("ready", flush=True)
        policy.ask_many(10**7)
    """,
    "tell_many": """
        import numpy as np
        x = np.random.default_rng(1).normal(size=(400, 8))
        policy = bd.Policy("bexp3", bd.Problem(x, horizon=10**7))
        questions = policy.ask_many(10**6)
        print("ready", flush=True)
        policy.tell_many(questions, np.ones(10**6))
    """,
    "play": """
        import time
        policy = bd.Policy("uniform", bd.Problem(4))
        bd.play(policy, lambda left, right: time.sleep(0.01) or True, budget=10**9)
    """,
    "aplay": """
        import asyncio
        async def judge(left, right):
            await asyncio.sleep(0.01)
            return True
        asyncio.run(bd.aplay(bd.Policy("uniform", bd.Problem(4)), judge, budget=10**9))
    """,
}


@pytest.mark.parametrize("what", LONG)
def test_ctrl_c_is_heard(what: str) -> None:
    lines = textwrap.dedent(LONG[what])
    ready = "" if "ready" in lines else 'print("ready", flush=True)\n'
    code = f"import borduel as bd\n{ready}{lines}"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.7)
    assert process.poll() is None, process.communicate()
    process.send_signal(signal.SIGINT)
    # It would go on for hours; a tenth of a second on an idle machine, and this one may be busy.
    _, said = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in said, said


@pytest.mark.parametrize("what", ["rank", "bootstrap", "design", "Policy"])
def test_nothing_goes_on_after_ctrl_c(what: str) -> None:
    work = textwrap.indent(textwrap.dedent(LONG[what]), "    ")
    code = f"""
import time
import borduel as bd
try:
{work}
except KeyboardInterrupt:
    pass
# The work ends at its next look: soon, and on a busy machine later.
for _ in range(20):
    before = time.process_time()
    time.sleep(1)
    burned = time.process_time() - before
    if burned < 0.1:
        break
print(burned)
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.7)
    process.send_signal(signal.SIGINT)
    burned, said = process.communicate(timeout=60)
    assert burned, said
    assert float(burned) < 0.1, burned


def test_what_is_finished_is_kept(tmp_path: Path) -> None:
    code = f"""
import borduel as bd
print("ready", flush=True)
bd.Experiment(bd.Environment.hard(3), "bexp3", runs=1000, horizons=10**6).run(out={str(tmp_path / "out")!r}, progress=None)
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    journal = tmp_path / "out/journal.jsonl"
    until = time.monotonic() + 60
    while not (journal.exists() and len(journal.read_bytes().splitlines()) > 3):
        assert time.monotonic() < until
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in said, said
    lines = journal.read_bytes().splitlines(keepends=True)
    assert len(lines) > 3
    assert all(line.endswith(b"\n") for line in lines)


def test_questions_that_were_not_told_can_be_told_again() -> None:
    class Stop(Exception):
        pass

    def stop(number: int, frame: object) -> None:
        raise Stop

    x = np.random.default_rng(1).normal(size=(300, 8))
    policy = bd.Policy("bexp3", bd.Problem(x, horizon=10**7))
    questions = policy.ask_many(300_000)
    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(Stop):
            policy.tell_many(questions, np.ones(len(questions)))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    told = [questions[at].answered for at in range(len(questions))]
    # What was learned stays, from the first on; the rest is open.
    assert told[0]
    assert not told[-1]
    assert told == sorted(told, reverse=True)
    policy.tell(questions[-1], True)
