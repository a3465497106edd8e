"""Judges: position bias, delays and failures; both orders, retries, budgets, and a log from which a killed run goes on."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
from pathlib import Path
from typing import Any

import pytest
from conftest import borduel

import borduel as bd

NAMES = [f"prompt {at}" for at in range(8)]


class Judge:
    """A simulated language model: prefers the earlier prompt, likes what comes first, is slow, and fails now and then."""

    def __init__(self, seed: int = 1, *, bias: float = 0.0, failures: float = 0.0, noise: float = 0.15) -> None:
        self.random, self.bias, self.failures, self.noise = random.Random(seed), bias, failures, noise
        self.calls, self.flying, self.most = 0, 0, 0
        self.seen: list[tuple[str, str]] = []

    def answer(self, left: str, right: str) -> str:
        self.calls += 1
        self.seen.append((left, right))
        if self.random.random() < self.failures:
            raise ConnectionError("overloaded")
        better = NAMES.index(left) < NAMES.index(right)
        p = (1 - self.noise if better else self.noise) + self.bias
        return "left" if self.random.random() < p else "right"

    async def __call__(self, left: str, right: str) -> str:
        self.flying += 1
        self.most = max(self.most, self.flying)
        try:
            await asyncio.sleep(self.random.random() * 0.004)
            return self.answer(left, right)
        finally:
            self.flying -= 1


def finder(seed: int = 1, **settings: Any) -> bd.Policy:
    return bd.Policy("find-winner", bd.Problem(len(NAMES), names=NAMES), seed=seed, **settings)


def test_it_stops_when_the_winner_is_clear() -> None:
    judge = Judge()
    votes = asyncio.run(bd.aplay(finder(), judge, budget=20_000))
    assert len(votes) == judge.calls < 3_000
    assert judge.most == 16
    assert votes.verdict is not None
    assert "prompt 0" in votes.verdict
    ranking = bd.rank(votes, sequential=True)
    assert ranking.verdict.winners[0] == "prompt 0"


def test_failures_are_retried_then_taken_back_then_raised() -> None:
    judge = Judge(failures=0.3)
    votes = asyncio.run(bd.aplay(finder(), judge, budget=400, retries=1, pause=0.0))
    failed = [vote for vote in votes if vote.error is not None]
    assert failed
    assert all(vote.winner is None for vote in failed)
    assert all(vote.error == "ConnectionError: overloaded" for vote in failed)
    assert sum(vote.error is None for vote in votes) <= 400
    hopeless = Judge(failures=1.0)
    with pytest.raises(ConnectionError, match="overloaded"):
        asyncio.run(bd.aplay(finder(), hopeless, budget=400, concurrency=1, retries=2, pause=0.0))
    # Ten questions of three calls; while one of them pauses, another may have been put.
    assert 30 <= hopeless.calls <= 33

    async def slow(left: str, right: str) -> str:
        await asyncio.sleep(30)
        return "left"

    with pytest.raises(TimeoutError):
        asyncio.run(bd.aplay(finder(), slow, budget=400, retries=0, timeout=0.001))

    async def rambling(left: str, right: str) -> str:
        return "I would say the left one"

    with pytest.raises(bd.SettingError, match="the judge answered"):
        asyncio.run(bd.aplay(finder(), rambling, budget=400, retries=0))


def test_both_orders_take_position_bias_out() -> None:
    problem = bd.Problem(len(NAMES), names=NAMES, horizon=100_000)

    def judged(judge: Judge) -> tuple[bd.Policy, bd.Votes]:
        policy = bd.Policy("etc-borda", problem)
        return policy, asyncio.run(bd.aplay(policy, judge, budget=201, orders="both"))

    judge = Judge(bias=1.0)
    policy, votes = judged(judge)
    # Two answers a question, and none beyond the budget.
    assert len(votes) == judge.calls == 200
    assert len({vote.ask for vote in votes}) == 100
    assert {vote.winner for vote in votes} == {"left"}
    # Always the first one: every two answers contradict each other and count as a tie, so that nobody is ahead.
    assert policy.scores() == pytest.approx(policy.scores()[0])
    assert bd.rank(votes).verdict.kind == "not-enough"
    honest, _ = judged(Judge(noise=0.0))
    assert honest.scores() != pytest.approx(honest.scores()[0])


def test_random_orders_show_either_side_and_the_bias() -> None:
    policy = bd.Policy("etc-borda", bd.Problem(len(NAMES), names=NAMES, horizon=10_000), seed=3)
    votes = bd.play(policy, Judge(bias=0.3).answer, budget=2_000)
    pairs = {(vote.left, vote.right) for vote in votes}
    assert all((right, left) in pairs for left, right in pairs)
    position = next(check for check in bd.rank(votes).checks if "position" in check.name.lower())
    assert position.ok is False


def test_batches_can_be_repeated_and_a_judge_of_lists_is_asked_for_many() -> None:
    first = asyncio.run(bd.aplay(finder(), Judge(4), budget=300, batch=10))
    questions = [(vote.left, vote.right, vote.ask) for vote in first]
    sizes = []

    def lists(lefts: list[str], rights: list[str]) -> list[str]:
        sizes.append(len(lefts))
        return ["left" if a < b else "right" for a, b in zip(lefts, rights, strict=True)]

    runs = [[(v.left, v.right, v.winner) for v in bd.play(finder(), lists, budget=300, batch=25)] for _ in range(2)]
    assert runs[0] == runs[1]
    assert max(sizes) == 25

    async def sure(left: str, right: str) -> str:
        await asyncio.sleep(random.random() * 0.003)
        return "left" if left < right else "right"

    there = [
        [(v.left, v.right, v.winner) for v in asyncio.run(bd.aplay(finder(), sure, budget=300, batch=25))]
        for _ in range(2)
    ]
    assert there[0] == there[1] == runs[0]
    assert len(questions) <= 300


def test_a_killed_run_goes_on_from_its_log(tmp_path: Path) -> None:
    log = tmp_path / "votes.jsonl"
    judge = Judge(failures=0.05)
    whole = asyncio.run(bd.aplay(finder(), judge, budget=150, retries=0, log=log))
    lines = log.read_bytes().splitlines(keepends=True)
    assert len(lines) == len(whole)
    assert [json.loads(line)["winner"] for line in lines] == [vote.winner for vote in whole]
    # The log is a vote file, for Python and for the command.
    assert bd.rank(log).to_json().encode() == borduel("rank", log, "--format", "json").stdout
    # Killed after 90 answers, in the middle of a line.
    log.write_bytes(b"".join(lines[:90]) + lines[90][:20])
    again, policy = Judge(failures=0.0), finder()
    rest = asyncio.run(bd.aplay(policy, again, budget=150, retries=0, log=log))
    assert list(rest)[:90] == list(whole)[:90]
    assert (tmp_path / "votes.jsonl.torn").read_bytes() == lines[90][:20]
    # Every new answer is one call, and the budget is spent to the last one unless the winner is found before.
    assert again.calls == len(rest) - 90
    assert policy.decided or sum(vote.error is None for vote in rest) == 150
    assert len(log.read_bytes().splitlines()) == len(rest)
    # Nothing is open, nothing is left to pay for: nobody is asked.
    silent = Judge()
    assert list(asyncio.run(bd.aplay(finder(), silent, budget=150, retries=0, log=log))) == list(rest)
    assert silent.calls == 0
    # The same session goes on without learning anything twice.
    more = Judge()
    longer = asyncio.run(bd.aplay(policy, more, budget=160, retries=0, log=log))
    assert policy.decided or more.calls == 10
    assert list(longer)[: len(rest)] == list(rest)
    assert len(longer) == len(rest) + more.calls
    twin = finder()
    asyncio.run(bd.aplay(twin, Judge(), budget=160, retries=0, log=log))
    assert twin.verdict() == policy.verdict()
    assert twin.scores() == pytest.approx(policy.scores(), abs=1e-12)
    with pytest.raises(bd.DataError, match="another policy, seed or problem"):
        asyncio.run(bd.aplay(finder(seed=2), Judge(), budget=150, log=log))


def test_what_is_learned_from_the_log_is_what_was_learned(tmp_path: Path) -> None:
    log, policy = tmp_path / "votes.jsonl", finder()
    bd.play(policy, Judge().answer, budget=120, log=log)
    twin = finder()
    bd.play(twin, Judge().answer, budget=120, log=log)
    assert twin.save() == policy.save()
    both_log, both = tmp_path / "both.jsonl", finder()
    bd.play(both, Judge(bias=0.3).answer, budget=120, orders="both", log=both_log)
    other = finder()
    bd.play(other, Judge().answer, budget=120, orders="both", log=both_log)
    assert other.save() == both.save()


def test_a_small_budget_reaches_the_policy(tmp_path: Path) -> None:
    log, policy = tmp_path / "few.jsonl", finder()
    votes = bd.play(policy, Judge(noise=0.0).answer, budget=40, log=log)
    first = votes[: len(NAMES) - 1]
    winners = [vote.left if vote.winner == "left" else vote.right for vote in first]
    assert all(winner in (vote.left, vote.right) for winner, vote in zip(winners, first[1:], strict=False))
    assert winners[-1] == NAMES[0]
    assert policy.settings["chain"] == "true"

    def pairs(votes: bd.Votes) -> list[tuple[str, str]]:
        return [(vote.left, vote.right) for vote in votes]

    # As if the policy had been made so; it goes on where that one would end.
    assert pairs(bd.play(finder(budget=40), Judge(noise=0.0).answer, budget=40)) == pairs(votes)
    assert len(bd.play(policy, Judge(noise=0.0).answer, budget=5)) == 5
    for budget, both, chained in [(79, False, True), (80, False, False), (158, True, True)]:
        policy = finder()
        bd.play(policy, Judge().answer, budget=budget, orders="both" if both else "random")
        assert ("chain" in policy.settings) == chained, (budget, both)
    # Whatever is paid for later, the log is what was asked; one of before knows no budget.
    twin = finder()
    assert pairs(bd.play(twin, Judge().answer, budget=200, log=log))[:40] == pairs(votes)
    assert twin.settings["chain"] == "true"
    old = tmp_path / "old.jsonl"
    bd.play(finder(chain=False), Judge().answer, budget=30, log=old)
    assert b"budget" not in old.read_bytes()
    twin = finder()
    bd.play(twin, Judge().answer, budget=40, log=old)
    assert "chain" not in twin.settings


def test_wrong_logs_and_settings_are_refused(tmp_path: Path) -> None:
    log = tmp_path / "votes.jsonl"
    log.write_text("something else\n")
    with pytest.raises(bd.DataError, match="line 1: is not a line of a log"):
        bd.play(finder(), Judge().answer, budget=3, log=log)
    assert log.read_text() == "something else\n"
    log.write_text("no line at all")
    with pytest.raises(bd.DataError, match="is not a log of borduel; it is not touched"):
        bd.play(finder(), Judge().answer, budget=3, log=log)
    assert log.read_text() == "no line at all"
    with pytest.raises(bd.DataError, match="is not a file"):
        bd.play(finder(), Judge().answer, budget=3, log="/dev/full")
    line = {"version": 9, "left": "a", "right": "b", "winner": "left", "ask": 1, "propensity": 1.0}
    log.write_text(json.dumps(line | {"seconds": 0.1, "asked": 1}) + "\n")
    with pytest.raises(bd.VersionError, match="version 9"):
        bd.play(finder(), Judge().answer, budget=3, log=log)
    for wrong in ({"budget": 0}, {"budget": 3, "batch": 0}, {"budget": 3, "orders": "none"}):
        with pytest.raises(bd.SettingError):
            bd.play(finder(), Judge().answer, **wrong)
    with pytest.raises(bd.SettingError, match="concurrency"):
        asyncio.run(bd.aplay(finder(), Judge(), budget=3, concurrency=0))


def test_words_that_are_no_side_are_written_down_and_not_learned(tmp_path: Path) -> None:
    answers = iter(["left", "both bad", "skip", "tie", True, 0, 0.5])
    policy = bd.Policy("uniform", bd.Problem(3))
    votes = bd.play(policy, lambda left, right: next(answers), budget=7, orders="given")
    assert [vote.winner for vote in votes] == ["left", "both bad", "skip", "tie", "left", "right", "tie"]
    ranking = bd.rank(votes)
    assert ranking.to_dict()["votes"]["both_bad"] == 1
    assert ranking.to_dict()["votes"]["skips"] == 1


def test_two_processes_do_not_share_a_log(tmp_path: Path) -> None:
    log = tmp_path / "votes.jsonl"

    def judge(left: str, right: str) -> str:
        with pytest.raises(bd.DataError, match="another borduel is at work here; wait for it"):
            bd.play(finder(), Judge().answer, budget=3, log=log)
        return "left"

    assert len(bd.play(finder(), judge, budget=3, log=log)) == 3
    assert len(log.read_bytes().splitlines()) == 3
    # It is free again.
    assert len(bd.play(finder(), Judge().answer, budget=4, log=log)) == 4


def test_answers_may_say_whose_they_are(tmp_path: Path) -> None:
    log = tmp_path / "votes.jsonl"
    alone = bd.play(finder(), Judge().answer, budget=5)
    assert alone.verdict is not None
    assert "By this judge: " in alone.verdict
    named = bd.play(finder(), Judge().answer, budget=5, voter="gpt")
    assert "By gpt: " in str(named.verdict)
    sure = Judge(noise=0.0)
    people = itertools.cycle(["ann", "bob", "cid", "dan", "eve"])

    def crowd(left: str, right: str) -> dict[str, str]:
        return {"answer": sure.answer(left, right), "voter": next(people)}

    policy = finder()
    votes = bd.play(policy, crowd, budget=400, log=log)
    assert {vote.voter for vote in votes} == {"ann", "bob", "cid", "dan", "eve"}
    assert "By " not in str(votes.verdict)
    twin = finder()
    bd.play(twin, Judge().answer, budget=len(votes), log=log)
    assert twin.save() == policy.save()
    pair = itertools.cycle(["ann", "bob"])
    few = bd.play(finder(), lambda a, b: {"answer": sure.answer(a, b), "voter": next(pair)}, budget=200)
    assert "Answers of 2 voters cannot speak for others" in str(few.verdict)
    with pytest.raises(bd.SettingError, match="the judge answered"):
        bd.play(finder(), lambda a, b: {"answer": "left", "by": "ann"}, budget=20)
