"""Sessions that are stopped, cancelled, locked out, or meet judges that fail: nothing is lost or replaced, nobody is deaf."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import borduel

import borduel as bd

NAMES = [f"prompt {at}" for at in range(8)]


def finder(**settings: Any) -> bd.Policy:
    return bd.Policy("find-winner", bd.Problem(len(NAMES), names=NAMES), **settings)


def asker() -> bd.Policy:
    return bd.Policy("uniform", bd.Problem(len(NAMES), names=NAMES))


def sure(left: str, right: str) -> str:
    return "left" if left < right else "right"


def half_width(ranking: bd.Ranking) -> float:
    return (ranking[0].borda.high - ranking[0].borda.low) / 2


@pytest.mark.parametrize("voter", [None, "gpt"])
@pytest.mark.parametrize("options", [{}, {"sequential": True}, {"model": "counts"}], ids=str)
def test_two_answers_to_one_question_are_not_two(voter: str | None, options: Any, tmp_path: Path) -> None:
    random, log = np.random.default_rng(1), tmp_path / "votes.jsonl"
    calls, lucky = 0, True

    def consistent(left: str, right: str) -> bool:
        """Answer by chance, and the same in the other order, which comes next."""
        nonlocal calls, lucky
        lucky = bool(random.random() < 0.7) if calls % 2 == 0 else lucky
        calls += 1
        return lucky == (left < right)

    votes = bd.play(asker(), consistent, budget=1200, orders="both", voter=voter, log=log)
    both = bd.rank(votes, **options)
    once = bd.rank([(v.left, v.right, str(v.winner)) for v in votes[::2]], **options)
    twice = bd.rank([(v.left, v.right, str(v.winner)) for v in votes], **options)
    # Exact intervals and pair effects know how often a pair was asked; the others are right to a few per cent.
    close = 0.08 if options else 0.03
    assert half_width(both) == pytest.approx(half_width(once), rel=close)
    assert half_width(twice) == pytest.approx(half_width(both) / 2**0.5, rel=close)
    # The log says the same, here and to the command.
    assert half_width(bd.rank(log, **options)) == half_width(both)
    flags = {"sequential": ["--sequential"], "model": ["--model", "counts"]}
    line = ["rank", log, "--format", "json", *(flag for key in options for flag in flags[key])]
    assert json.loads(borduel(*line).stdout)["items"] == bd.rank(log, **options).to_dict()["items"]
    if not options:
        assert "questions" in both.intervals
        assert bd.rank(votes, clustered=False)[0].borda.high < both[0].borda.high


def stopped(log: Path) -> list[bd.Vote]:
    return [bd.Vote(**_vote(line)) for line in log.read_text().splitlines() if "stopped" in line]


def _vote(line: str) -> dict[str, Any]:
    entry = json.loads(line)
    del entry["version"]
    return dict(entry)


@pytest.mark.parametrize("after", [0.0, 0.01, 0.03, 0.05, 0.08])
@pytest.mark.parametrize("orders", ["random", "both"])
def test_cancelling_is_not_replaced_and_nothing_stays_open(after: float, orders: Any, tmp_path: Path) -> None:
    log, policy = tmp_path / "votes.jsonl", finder()
    calls = 1  # The first call answers, so that its failures are no mistakes of the program.

    async def judge(left: str, right: str) -> str:
        nonlocal calls
        calls += 1
        own = calls
        await asyncio.sleep(0.002 * (own % 7))
        # Both orders of every second question.
        if own // 2 % 2 == 0:
            raise KeyError("the model gave no answer")
        return sure(left, right)

    async def main() -> None:
        async with asyncio.timeout(after):
            await bd.aplay(policy, judge, budget=10_000, retries=0, orders=orders, log=log)

    with pytest.raises(TimeoutError):
        asyncio.run(main())
    votes = [bd.Vote(**_vote(line)) for line in log.read_text().splitlines()]
    questions = {vote.ask for vote in votes}
    # Every question that was asked is in the log, and a new policy goes on from there.
    assert len(questions) == policy.round
    twin = finder()
    more = bd.play(twin, sure, budget=sum(vote.winner is not None for vote in votes) + 2, orders=orders, log=log)
    assert list(more)[: len(votes)] == votes
    assert twin.round >= policy.round


def test_ctrl_c_in_a_judge_is_not_replaced(tmp_path: Path) -> None:
    log, calls = tmp_path / "votes.jsonl", 0

    def judge(left: str, right: str) -> str:
        nonlocal calls
        calls += 1
        if calls == 1:
            return "left"
        if calls == 11:
            raise KeyboardInterrupt
        raise ConnectionError("overloaded")

    policy = finder()
    with pytest.raises(KeyboardInterrupt):
        bd.play(policy, judge, budget=100, log=log)
    assert len(stopped(log)) == 1
    assert len(log.read_text().splitlines()) == policy.round == 11
    # The order that was answered is kept, and paid for.
    both, answers = tmp_path / "both.jsonl", iter(["left", "right", "left"])

    def twice(left: str, right: str) -> str:
        if (answer := next(answers, None)) is None:
            raise KeyboardInterrupt
        return answer

    with pytest.raises(KeyboardInterrupt):
        bd.play(finder(), twice, budget=100, orders="both", log=both)
    assert [json.loads(line)["winner"] for line in both.read_text().splitlines()] == ["left", "right", "left", None]


def test_two_real_processes_do_not_share_a_log(tmp_path: Path) -> None:
    log = tmp_path / "votes.jsonl"
    code = f"""
        import borduel as bd, time
        def judge(left, right):
            print("asked", flush=True)
            time.sleep(30)
        bd.play(bd.Policy("uniform", bd.Problem(4)), judge, budget=5, log={str(log)!r})
    """
    other = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True)
    assert other.stdout is not None
    try:
        assert other.stdout.readline() == "asked\n"
        with pytest.raises(
            bd.DataError, match="another borduel is at work here; wait for it, or give another log"
        ) as wrong:
            bd.play(asker(), sure, budget=3, log=log)
        assert wrong.value.file == str(log)
    finally:
        other.kill()
        other.wait()
    # Whoever is killed leaves it to others.
    assert len(bd.play(asker(), sure, budget=3, log=log)) == 3


def test_refused_logs_say_what_to_do(tmp_path: Path) -> None:
    log = tmp_path / "votes.jsonl"
    bd.play(finder(), sure, budget=20, log=log)
    with pytest.raises(bd.DataError, match="give those, or another log") as wrong:
        bd.play(finder(seed=2), sure, budget=30, log=log)
    assert wrong.value.row is not None
    log.write_text("question,left,right,winner\n1,a,b,left\n")
    with pytest.raises(bd.DataError, match="is a log of the command borduel find; nothing is touched"):
        bd.play(finder(), sure, budget=3, log=log)
    # Logs of the first version are read.
    line = {
        "version": 1,
        "left": "prompt 0",
        "right": "prompt 1",
        "winner": "left",
        "ask": 1,
        "seconds": 0.1,
        "asked": 1,
    }
    policy = asker()
    twin = asker()
    first = twin.ask()
    shown = {"left": NAMES[first.left], "right": NAMES[first.right]}
    log.write_text(json.dumps({**line, **shown}) + "\n" if first.left != first.right else "")
    bd.play(policy, sure, budget=3, log=log)


def heavy() -> bd.Policy:
    """A policy whose looks take a while: one is due at the 250th answer."""
    x = np.random.default_rng(1).normal(size=(250, 120))
    return bd.Policy("find-winner", bd.Problem(x))


def told_until_a_look(policy: bd.Policy) -> bd.Proposal:
    for _ in range(249):
        question = policy.ask()
        policy.tell(question, question.left < question.right)
    return policy.ask()


def test_the_event_loop_goes_on_while_a_policy_thinks() -> None:
    policy = heavy()
    question = told_until_a_look(policy)
    start = time.process_time()
    policy.tell(question, True)
    assert time.process_time() - start > 0.1, "this policy is quick: take a heavier one"
    ticks, asked = 0, list[int]()

    async def clock() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.005)
            ticks += 1

    async def judge(left: int, right: int) -> bool:
        asked.append(ticks)
        await asyncio.sleep(0)
        return left < right

    async def main() -> None:
        ticking = asyncio.create_task(clock())
        await bd.aplay(heavy(), judge, budget=260)
        asked.append(ticks)
        ticking.cancel()

    asyncio.run(main())
    # While it looks nothing is asked, and the clock ticks; a loop that stood still would make up for one tick at most.
    assert max(later - before for before, later in pairwise(asked)) >= 5


def test_mistakes_of_the_program_cost_one_call() -> None:
    calls = 0

    def counted(work: Callable[[], Any]) -> Callable[[Any, Any], Awaitable[Any]]:
        async def judge(left: str, right: str) -> Any:
            nonlocal calls
            calls += 1
            await asyncio.sleep(0)
            return work()

        return judge

    wrong: list[tuple[Callable[[], Any], type[Exception]]] = [
        (lambda: None.strip(), AttributeError),  # type: ignore[attr-defined]
        (lambda: dict[str, str]()["choices"], KeyError),
        (lambda: undefined, NameError),  # type: ignore[name-defined]  # noqa: F821
        (lambda: "I would say the left one", bd.SettingError),
        (lambda: None, bd.SettingError),
        (lambda: {"winner": "left"}, bd.SettingError),
    ]
    for work, kind in wrong:
        for batch in (None, 8):
            calls = 0
            with pytest.raises(kind):
                asyncio.run(bd.aplay(finder(), counted(work), budget=100, batch=batch))
            assert calls == 1, kind
        calls = 0

        def judge(left: str, right: str, work: Callable[[], Any] = work) -> Any:
            nonlocal calls
            calls += 1
            return work()

        with pytest.raises(kind):
            bd.play(finder(), judge, budget=100)
        assert calls == 1, kind

    async def coroutine(left: str, right: str) -> str:
        return "left"

    with pytest.raises(bd.SettingError, match="use aplay"):
        bd.play(finder(), coroutine, budget=3)
    # Once it has answered, one rambling answer is no reason to end everything.
    answers = iter(["left", "well, …", *["left"] * 50])
    votes = bd.play(finder(), lambda left, right: next(answers), budget=10)
    assert sum(vote.error is not None for vote in votes) == 1


def test_an_item_on_which_the_judge_fails_can_be_set_aside(tmp_path: Path) -> None:
    log = tmp_path / "votes.jsonl"

    def filtered(left: str, right: str) -> str:
        if "prompt 3" in (left, right):
            raise RuntimeError("content filter")
        return sure(left, right)

    async def slow(left: str, right: str) -> str:
        return filtered(left, right)

    policy = finder(until="clear")
    with pytest.raises(RuntimeError, match="content filter") as wrong:
        asyncio.run(bd.aplay(policy, slow, budget=3_000, retries=0, log=log))
    assert "exclude_items=['prompt 3']" in wrong.value.__notes__[0]
    before = len(log.read_text().splitlines())
    votes = bd.play(finder(until="clear"), filtered, budget=3_000, log=log, exclude_items=["prompt 3"])
    assert len(votes) > before
    assert votes.verdict is not None
    assert "prompt 0" in votes.verdict
    assert not any(vote.error for vote in votes[before:] if vote.set_aside is None)
    assert {vote.set_aside for vote in votes} == {None, "prompt 3"}
    assert all(vote.winner is None for vote in votes if vote.set_aside)
    # It goes on from there, and votes that nobody cast are none.
    again = bd.play(finder(until="clear"), filtered, budget=3_000, log=log, exclude_items=["prompt 3"])
    assert list(again) == list(votes)
    assert "prompt 3" not in [item.item for item in bd.rank(votes)]
    with pytest.raises(bd.UnknownNameError, match="prompt 3"):
        bd.play(finder(), sure, budget=3, exclude_items=["prompt3"])


def test_what_a_judge_says_besides_is_kept(tmp_path: Path) -> None:
    log = tmp_path / "votes.jsonl"

    def judge(left: str, right: str) -> dict[str, Any]:
        return {"answer": sure(left, right), "tokens": np.int64(100), "cost": 0.25, "rationale": "clearer „so“"}

    votes = bd.play(asker(), judge, budget=4, log=log)
    assert (votes.cost, votes.tokens) == (1.0, 400)
    assert votes[0].rationale == "clearer „so“"
    assert list(bd.play(asker(), sure, budget=4, log=log)) == list(votes)
    assert votes.to_pandas()["cost"].sum() == 1.0
    assert bd.rank(log).to_dict()["items"] == bd.rank(votes).to_dict()["items"]
    assert "clearer" not in votes._repr_html_()
    assert "prompt" in votes._repr_html_()


class Overloaded(Exception):
    """As clients of APIs raise it."""

    def __init__(self, seconds: str) -> None:
        self.response = type("Response", (), {"headers": {"retry-after": seconds}})()


def test_pauses_are_those_that_the_judge_asks_for(tmp_path: Path) -> None:
    log, starts = tmp_path / "votes.jsonl", list[float]()

    async def judge(left: str, right: str) -> str:
        starts.append(time.perf_counter())
        if len(starts) in (2, 3):
            raise Overloaded("0.2" if len(starts) == 2 else "Wed, 21 Oct 2015 07:28:00 GMT")
        return sure(left, right)

    votes = asyncio.run(bd.aplay(asker(), judge, budget=2, concurrency=1, pause=60, log=log))
    # Its own pauses would be half a minute at least.
    assert 0.2 <= starts[2] - starts[1] < 25
    assert starts[3] - starts[2] < 25
    # Attempts are in the log.
    assert [len(vote.failures) for vote in votes] == [0, 2]
    assert json.loads(log.read_text().splitlines()[1])["failures"][0].startswith("Overloaded")


def test_pauses_double_with_jitter_that_can_be_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits here: the pauses that would have been made are written down."""
    wait = asyncio.sleep

    def pauses(seed: int) -> list[float]:
        made: list[float] = []

        async def recorded(seconds: float) -> None:
            made.append(seconds)
            await wait(0)

        tries: Counter[tuple[str, str]] = Counter()

        async def judge(left: str, right: str) -> str:
            tries[left, right] += 1
            if tries[left, right] % 3:
                raise ConnectionError("overloaded")
            return sure(left, right)

        monkeypatch.setattr(asyncio, "sleep", recorded)
        asyncio.run(bd.aplay(finder(seed=seed), judge, budget=40, concurrency=1, batch=1, pause=8, retries=2))
        monkeypatch.setattr(asyncio, "sleep", wait)
        return made

    made = pauses(1)
    first, second = made[::2], made[1::2]
    assert len(first) == len(second) > 10
    assert all(4 <= seconds < 12 for seconds in first)
    assert all(8 <= seconds < 24 for seconds in second)
    # They are spread, so that calls that failed together do not come back together; and the same for a seed.
    assert len(set(first)) > len(first) / 2
    assert max(first) - min(first) > 4
    assert pauses(1) == made
    assert pauses(2) != made


def test_a_failed_attempt_holds_no_slot_and_a_rate_is_kept() -> None:
    starts = list[float]()

    async def judge(left: str, right: str) -> str:
        starts.append(time.perf_counter())
        if len(starts) == 2:
            raise ConnectionError("wait a little")
        return sure(left, right)

    # The second question waits for two seconds at least; the others go on meanwhile.
    votes = asyncio.run(bd.aplay(asker(), judge, budget=9, concurrency=1, pause=4))
    assert [vote.failures for vote in votes].count(()) == 8
    assert votes[-1].failures
    starts.clear()
    asyncio.run(bd.aplay(asker(), judge, budget=6, pause=0, rate=20))
    assert starts[-1] - starts[0] >= 0.25
    for wrong in ({"rate": 0}, {"concurrency": 0}, {"retries": 0.5}):
        with pytest.raises(bd.SettingError, match=next(iter(wrong))):
            asyncio.run(bd.aplay(asker(), judge, budget=2, **wrong))


def test_several_judges_are_asked_in_turn(tmp_path: Path) -> None:
    log = tmp_path / "votes.jsonl"
    judges = dict.fromkeys(("gpt", "claude", "gemini", "llama", "mistral"), sure)
    policy = finder()
    votes = bd.play(policy, judges, budget=400, log=log)
    assert {vote.voter for vote in votes} == set(judges)
    assert "By " not in str(votes.verdict)

    async def slow(left: str, right: str) -> str:
        return sure(left, right)

    twin = finder()
    assert list(asyncio.run(bd.aplay(twin, dict.fromkeys(judges, slow), budget=len(votes), log=log))) == list(votes)
    assert twin.save() == policy.save()

    def lists(lefts: list[str], rights: list[str]) -> list[str]:
        return [sure(left, right) for left, right in zip(lefts, rights, strict=True)]

    many = bd.play(finder(), dict.fromkeys(judges, lists), budget=50, batch=10)
    assert {vote.voter for vote in many} == set(judges)
    with pytest.raises(bd.SettingError, match="voter"):
        bd.play(finder(), judges, budget=4, voter="me")
