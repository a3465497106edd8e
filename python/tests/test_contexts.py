"""Items that are compared on something: problems with contexts, judges that are told which, logs that keep it."""

from __future__ import annotations

import asyncio
import csv
import json
import math
import pickle
import random
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from conftest import borduel

import borduel as bd

MODELS = ["ada", "bob", "cy", "dee"]
PROMPTS = [f"prompt {at}" for at in range(10)]


class Judge:
    """A world of items and contexts: σ(s(i) − s(j) + u(i,c) − u(j,c)); the first item is ahead."""

    def __init__(self, seed: int = 1, ahead: float = 1.0, spread: float = 1.0) -> None:
        self.random = random.Random(seed)
        self.own = {(m, p): self.random.gauss(0, spread) for m in MODELS for p in PROMPTS}
        self.ahead = ahead
        self.seen: list[tuple[str, str, str]] = []

    def __call__(self, left: str, right: str, context: str) -> bool:
        self.seen.append((left, right, context))
        of = {m: self.own[m, context] + (self.ahead if m == "ada" else 0) for m in (left, right)}
        return self.random.random() < 1 / (1 + math.exp(of[right] - of[left]))


def problem(**more: Any) -> bd.Problem:
    return bd.Problem(len(MODELS), names=MODELS, **{"contexts": PROMPTS, **more})


def finder(seed: int = 1, **settings: Any) -> bd.Policy:
    return bd.Policy("find-winner", problem(), seed=seed, **settings)


def test_contexts_are_names_texts_tables_or_paths(tmp_path: Path) -> None:
    texts = {"k8s": "What is a pod?", "tax": 'Who pays "VAT", and\nwhen?', "7": "Ça va ?"}
    frame = pd.DataFrame({"id": list(texts), "text": list(texts.values())})
    frame.to_csv(tmp_path / "contexts.csv", index=False)
    frame.to_parquet(tmp_path / "contexts.parquet")
    said: list[Any] = [
        texts,
        frame,
        frame.set_index("id"),
        pl.DataFrame(frame),
        frame.to_dict("list"),
        frame.to_dict("records"),
        frame.rename(columns={"id": "context", "text": "prompt"}),
        tmp_path / "contexts.csv",
        str(tmp_path / "contexts.parquet"),
    ]
    for contexts in said:
        known = bd.Problem(2, names=["a", "b"], contexts=contexts)
        assert known.contexts == tuple(texts)
        assert [known.text(context) for context in range(3)] == list(texts.values())
        assert known.text("tax") == texts["tax"]
        assert known.content("a", "tax") is None
        assert known.fingerprint == bd.Problem(2, contexts=list(texts)).fingerprint
    for plain in (["k8s", 7], ("k8s", 7), np.array(["k8s", "7"]), pd.Series(["k8s", "7"]), pd.Index(["k8s", "7"])):
        known = bd.Problem(2, contexts=plain)
        assert (known.contexts, known.text(0)) == (("k8s", "7"), None)
    assert bd.Problem(2, contexts={"b", "a"}).contexts == ("a", "b")
    assert repr(known).endswith("horizon=None, contexts=2)")
    assert bd.Problem(2).contexts is None
    assert bd.Problem(2).fingerprint != known.fingerprint


def test_contents_say_where_items_can_meet(tmp_path: Path) -> None:
    contents = {("a", "x"): "A on X", ("b", "x"): "B on X", ("b", "y"): "B on Y", ("c", "y"): "C on Y"}
    rows = [{"item": item, "context": context, "text": text} for (item, context), text in contents.items()]
    pd.DataFrame(rows).to_csv(tmp_path / "contents.csv", index=False)
    said: list[Any] = [
        contents,
        {"a": {"x": "A on X"}, "b": {"x": "B on X", "y": "B on Y"}, "c": {"y": "C on Y"}},
        rows,
        pd.DataFrame(rows),
        pd.DataFrame(rows).set_index(["item", "context"]),
        tmp_path / "contents.csv",
    ]
    for given in said:
        known = bd.Problem(3, names=["a", "b", "c"], contexts=["x", "y"], contents=given)
        assert known.content("b", "y") == known.content(1, 1) == "B on Y"
        assert known.content("a", "y") is None
        questions = bd.Policy("find-winner", known).ask_many(200)
        assert questions.context is not None
        met = {(frozenset((q.left, q.right)), q.context) for q in questions}
        assert met == {(frozenset((0, 1)), 0), (frozenset((1, 2)), 1)}
    # A content without a context is for all of them.
    everywhere = pd.DataFrame({"item": ["a", "b", "b"], "context": [None, None, "y"], "text": ["A", "B", "B on Y"]})
    known = bd.Problem(2, names=["a", "b"], contexts=["x", "y"], contents=everywhere)
    assert [known.content("b", context) for context in ("x", "y")] == ["B", "B on Y"]


def test_what_is_wrong_with_contexts_is_said(tmp_path: Path) -> None:
    wrong: list[tuple[Any, Any, str]] = [
        ([], None, "contexts .* at least one"),
        ({}, None, "contexts .* at least one"),
        (3, None, "must be a table"),
        ([["x"]], None, "must be a table"),
        ({"x": 1}, None, "must be a table"),
        (np.array([1.5, np.nan]), None, "context 2 has no id"),
        (["x"], {}, "contents .* at least one"),
        (["x", "x"], None, "twice"),
        (["x", ""], None, "context 2 has no id"),
        ({"x": ["a", "b"]}, None, 'no column "id"'),
        (["x"], {("a", "y"): "text"}, '"y" is not one of contexts'),
        (["x"], {("z", "x"): "text"}, '"z" is not in the list of items'),
        (["x"], {("a", "x"): ""}, "neither text"),
        (["x", "y"], {("a", "x"): "1", ("b", "y"): "2"}, "no contexts in common"),
        (["x"], [("a", "x", "1")], 'no column "item"'),
    ]
    for contexts, contents, text in wrong:
        with pytest.raises(bd.Error, match=text) as raised:
            bd.Problem(2, names=["a", "b"], contexts=contexts, contents=contents)
        assert "--" not in str(raised.value)
    with pytest.raises(bd.SettingError, match="contexts"):
        bd.Problem(2, contents={("a", "x"): "text"})
    with pytest.raises(FileNotFoundError):
        bd.Problem(2, contexts=tmp_path / "nowhere.csv")
    with pytest.raises(bd.SettingError, match="find-winner"):
        bd.Policy("dexp3", bd.Problem(4, horizon=10, contexts=["x"]))
    known = bd.Problem(2, names=["a", "b"], contexts=["x"])
    for given in ("z", 1, -1, 0.5):
        with pytest.raises(bd.SettingError, match="no such context"):
            known.text(given)
    with pytest.raises(bd.SettingError, match="no such item"):
        known.content("z", 0)
    with pytest.raises(bd.SettingError, match="has no contexts"):
        bd.Problem(2).text(0)


def test_questions_have_their_context_and_go_through_pickles() -> None:
    policy = finder()
    questions = policy.ask_many(50)
    assert questions.context is not None
    assert questions.context.dtype == np.int32
    assert list(questions.context) == [question.context for question in questions]
    assert set(questions.context) == set(range(len(PROMPTS)))
    copy = pickle.loads(pickle.dumps(questions[3]))
    assert (copy.context, copy.left) == (questions[3].context, questions[3].left)
    assert f"context={copy.context}" in repr(copy)
    known = bd.Problem(2, names=["a", "b"], contexts={"x": "X?"}, contents={("a", "x"): "A", ("b", "x"): "B"})
    twin = pickle.loads(pickle.dumps(known))
    assert (twin.contexts, twin.text("x"), twin.content("b", "x")) == (("x",), "X?", "B")
    assert twin.fingerprint == known.fingerprint
    loaded = bd.Policy.load(policy.save(), problem())
    assert loaded.ask().context is not None
    with pytest.raises(bd.OtherProblemError):
        bd.Policy.load(policy.save(), problem(contexts=PROMPTS[:9]))
    plain = bd.Policy("find-winner", bd.Problem(3))
    assert plain.ask().context is None
    assert plain.ask_many(3).context is None


def test_the_judge_is_told_the_context_and_the_log_keeps_it(tmp_path: Path) -> None:
    judge, log = Judge(), tmp_path / "votes.jsonl"
    votes = bd.play(finder(about="these"), judge, budget=300, log=log)
    assert [(vote.left, vote.right, vote.context) for vote in votes] == judge.seen
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["context"] for line in lines] == [context for _, _, context in judge.seen]
    assert {line["version"] for line in lines} == {3}
    assert votes.to_dict()["context"] == [line["context"] for line in lines]
    assert "<th>context</th>" in votes._repr_html_()
    assert votes.verdict is not None
    assert "on these 10 contexts" in votes.verdict
    # The answers as a ranking: here, from the file, and by the command.
    ranking = bd.rank(votes, about="these")
    assert ranking.contexts is not None
    assert (ranking.contexts.about, ranking.contexts.seen) == ("these", 10)
    assert bd.rank(log, about="these").to_dict()["items"] == ranking.to_dict()["items"]
    told = json.loads(borduel("rank", str(log), "--contexts", "these", "--format", "json").stdout)
    assert told["items"] == ranking.to_dict()["items"]


@pytest.mark.parametrize("orders", ["random", "both"])
def test_a_killed_run_goes_on_from_its_log(tmp_path: Path, orders: bd.Orders) -> None:
    # Without a chain, by which the first questions would follow from the budget.
    whole = bd.play(finder(margin=0.001, chain=False), Judge(), budget=200, orders=orders)
    log, judge = tmp_path / "votes.jsonl", Judge()
    for budget in (60, 130, 200):
        cut = bd.play(finder(margin=0.001, chain=False), judge, budget=budget, orders=orders, log=log)
        assert len(judge.seen) == budget
    asked = [(vote.left, vote.right, vote.context, vote.ask, vote.winner) for vote in whole]
    assert [(vote.left, vote.right, vote.context, vote.ask, vote.winner) for vote in cut] == asked
    # A log of other contexts is another problem's.
    other = bd.Policy("find-winner", problem(contexts=PROMPTS[::-1]), margin=0.001)
    before = log.read_bytes()
    with pytest.raises(bd.DataError, match=r"line 1: question 1 was about .* in prompt"):
        bd.play(other, judge, budget=300, orders=orders, log=log)
    without = bd.Policy("find-winner", bd.Problem(len(MODELS), names=MODELS), margin=0.001)
    with pytest.raises(bd.DataError, match=" in prompt"):
        bd.play(without, lambda left, right: True, budget=300, orders=orders, log=log)
    assert log.read_bytes() == before


def test_many_calls_lists_and_several_judges(tmp_path: Path) -> None:
    judge = Judge()

    async def slow(left: str, right: str, context: str) -> bool:
        await asyncio.sleep(0)
        return judge(left, right, context)

    votes = asyncio.run(bd.aplay(finder(margin=0.001), slow, budget=100))
    assert {vote.context for vote in votes} == set(PROMPTS)

    def many(left: list[str], right: list[str], context: list[str]) -> list[bool]:
        return [judge(*asked) for asked in zip(left, right, context, strict=True)]

    votes = bd.play(finder(margin=0.001), many, budget=100, batch=7)
    assert {vote.context for vote in votes} == set(PROMPTS)
    both = bd.play(finder(margin=0.001), {"ann": Judge(2), "ben": Judge(3)}, budget=100, exclude_items=["dee"])
    assert {vote.voter for vote in both} == {"ann", "ben"}
    aside = [vote for vote in both if vote.set_aside is not None]
    assert aside
    assert all(vote.context in PROMPTS for vote in aside)


def test_a_judge_that_does_not_fit_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    log = tmp_path / "votes.jsonl"
    with pytest.raises(bd.SettingError, match=r"has contexts: a judge takes \(left, right, context\)"):
        bd.play(finder(), lambda left, right: True, budget=10, log=log)
    with pytest.raises(bd.SettingError, match=r"has no contexts: a judge takes \(left, right\)"):
        bd.play(bd.Policy("find-winner", bd.Problem(3)), lambda left, right, context: True, budget=10)
    assert not log.exists()
    # One that takes whatever there is does for both.
    assert len(bd.play(finder(), lambda *asked: asked[0] < asked[1], budget=10)) == 10
    assert len(bd.play(bd.Policy("find-winner", bd.Problem(3)), lambda *asked: True, budget=3)) == 3


def test_these_prompts_need_fewer_answers_than_such() -> None:
    """Whoever asks about these prompts alone is done earlier; each sentence says what it is about."""
    these = bd.play(finder(about="these", margin=0.05), Judge(4), budget=3_000)
    such = bd.play(finder(about="such", margin=0.05), Judge(4), budget=3_000)
    assert these.verdict is not None
    assert such.verdict is not None
    assert "on these 10 contexts" in these.verdict
    assert "contexts like these" in such.verdict
    assert len(these) < len(such)


def test_what_a_judge_answered_to_the_same_questions_saves_answers_of_people() -> None:
    questions = [(a, b, p) for a in MODELS for b in MODELS if a < b for p in PROMPTS]
    own = {asked: random.Random(" ".join(asked)).random() < 0.6 for asked in questions}
    judge = [{"winner": a if first else b, "loser": b if first else a, "prompt": p} for (a, b, p), first in own.items()]
    beside = problem(hint=judge)
    assert beside.fingerprint != problem().fingerprint
    assert pickle.loads(pickle.dumps(beside)).fingerprint == beside.fingerprint

    def asked(given: bd.Problem, about: Literal["these", "such"]) -> bd.Votes:
        chance = random.Random(1)

        def person(left: str, right: str, context: str) -> bool:
            first = own[min(left, right), max(left, right), context] == (chance.random() < 0.95)
            return first == (left < right)

        policy = bd.Policy("find-winner", given, about=about, until="clear", margin=0.05)
        return bd.play(policy, person, budget=1500)

    # About these it saves; about such, of which nobody has asked it, nothing.
    assert len(asked(beside, "these")) < len(asked(problem(), "these"))
    assert [vote.left for vote in asked(beside, "such")] == [vote.left for vote in asked(problem(), "such")]
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"hint": judge, "contexts": None}, "contexts"),
        ({"hint": judge, "contexts": ["x", "y"]}, "no pair"),
        ({"hint": judge[:5]}, "no pair"),
    ]
    for given, says in wrong:
        with pytest.raises(bd.Error, match=says):
            problem(**given)


def test_answers_to_one_question_are_one_cluster_in_contexts_too() -> None:
    """A judge that says the same twice is as sure as one that is asked once."""
    judge = Judge(5)
    votes = bd.play(finder(margin=0.001), judge, budget=400)
    rows = [(v.ask, v.left, v.right, v.winner, v.context) for v in votes]
    twice = [*rows, *((ask, b, a, {"left": "right", "right": "left"}[str(w)], c) for ask, a, b, w, c in rows)]
    columns = ["ask", "left", "right", "winner", "context"]
    once, again = (bd.rank(pd.DataFrame(of, columns=columns), about="these") for of in (rows, twice))
    assert [x.borda.error for x in again] == pytest.approx([x.borda.error for x in once], rel=0.02)


def test_the_log_of_the_command_has_the_same_column(tmp_path: Path) -> None:
    """What `find` and `play` write about contexts is read by both kinds of `rank`."""
    log = tmp_path / "votes.csv"
    with log.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["question", "left", "right", "winner", "context"])
        judge = Judge(6)
        for at, question in enumerate(finder(seed=2).ask_many(300), 1):
            assert question.context is not None
            left, right, context = MODELS[question.left], MODELS[question.right], PROMPTS[question.context]
            writer.writerow([at, left, right, "left" if judge(left, right, context) else "right", context])
    ranking = bd.rank(log)
    assert ranking.contexts is not None
    assert (ranking.contexts.seen, ranking.contexts.about) == (10, "such")


def test_a_world_with_contexts_is_problem_and_judge() -> None:
    world = bd.InContexts(4, 12, ahead=1.2, spread=0.8, seed=3)
    assert repr(world) == "InContexts(items=4, contexts=12)"
    these, such = world.scores("these"), world.scores("such")
    # A chance of a random pair is one half on average, and the first item is best on contexts at large.
    assert np.mean(these) == pytest.approx(0.5)
    assert such[0] > max(such[1:])
    assert np.ptp(such[1:]) < 1e-12
    assert np.ptp(these[1:]) > 0.01
    contexts = world.problem.contexts
    assert contexts is not None
    mean = np.mean([[world.probability(0, other, context) for other in (1, 2, 3)] for context in contexts])
    assert mean == pytest.approx(these[0])
    assert world.problem.text(contexts[0]) is None
    # The same world again hears the same answers.
    asked = [(vote % 4, (vote + 1) % 4, contexts[vote % 12]) for vote in range(4000)]
    fresh = (bd.InContexts(4, 12, ahead=1.2, spread=0.8, seed=3) for _ in range(2))
    answers, again = ([one(*question) for question in asked] for one in fresh)
    assert answers == again
    assert np.mean(answers) == pytest.approx(np.mean([world.probability(*question) for question in asked]), abs=0.03)
    votes = bd.play(bd.Policy("find-winner", world.problem, about="these"), world, budget=3000)
    assert votes.verdict is not None
    assert "on these 12 contexts" in votes.verdict
    first = bd.rank(votes, about="these")[0]
    assert int(first.item) == int(np.argmax(these))


def test_contents_that_are_missing_in_a_world_are_never_asked() -> None:
    world = bd.InContexts(5, 10, ahead=0.5, spread=0.5, missing=0.4, seed=np.random.SeedSequence(2))
    votes = bd.play(bd.Policy("find-winner", world.problem, margin=0.001), world, budget=200)
    seen = {(item, vote.context) for vote in votes for item in (vote.left, vote.right)}
    assert 15 < len(seen) < 45
    refused: list[dict[str, Any]] = [
        {"ahead": math.nan},
        {"spread": -1.0},
        {"missing": 1.0},
        {"contexts": 0},
        {"items": 1},
    ]
    for wrong in refused:
        given: dict[str, Any] = {"items": 5, "contexts": 10, "ahead": 0.5, "spread": 0.5, **wrong}
        with pytest.raises(bd.Error):
            bd.InContexts(given.pop("items"), given.pop("contexts"), **given)
    with pytest.raises(bd.Error, match="these"):
        world.scores("all")  # type: ignore[arg-type]
    with pytest.raises(bd.Error, match="no such context"):
        world(0, 1, "elsewhere")


def test_contexts_come_up_by_themselves() -> None:
    rng = np.random.default_rng(3)
    x, theta = rng.uniform(-1, 1, (4, 5, 3)), np.array([3.0, -2.0, 1.0])
    family = bd.Problem.family(x, horizon=600)
    assert [problem.context for problem in family] == [0, 1, 2, 3]
    assert repr(family[1]) == "Problem(items=5, dim=3, link='logistic', horizon=600, context=1)"
    assert pickle.loads(pickle.dumps(family[2])).context == 2
    policy = bd.Policy("max-pair-ucb", family[0])
    for _ in range(600):
        here = int(rng.integers(4))
        question = policy.ask(family[here])
        u = x[here] @ theta
        policy.tell(question, bool(rng.random() < 1 / (1 + math.exp(u[question.right] - u[question.left]))))
    for here, problem in enumerate(family):
        utilities, estimate = x[here] @ theta, policy.estimate(problem)
        assert estimate == int(np.argmax(policy.scores(problem)))
        # No worse than 600 answers can tell.
        assert utilities[estimate] > np.max(utilities) - 0.5 > np.mean(utilities)
    loaded = bd.Policy.load(policy.save(), family[0])
    assert loaded.ask(family[3]).left == policy.ask(family[3]).left
    with pytest.raises(bd.SettingError, match="max-pair-ucb"):
        bd.Policy("rucb", family[0])
    # What plans over all contexts goes by how often each comes up, and belongs to these alone.
    often = bd.Problem.family(x, horizon=600, weights=[1, 1, 1, 7])
    planned = bd.Policy("betc-glm-match", often[0], epsilon=0.3)
    for _ in range(300):
        question = planned.ask(often[3])
        planned.tell(question, bool(x[3, question.left] @ theta > x[3, question.right] @ theta))
    assert planned.estimate(often[3]) == int(np.argmax(x[3] @ theta))
    with pytest.raises(bd.OtherProblemError):
        planned.ask(family[3])
    with pytest.raises(bd.SettingError, match="weights"):
        bd.Problem.family(x, weights=[1, 2])
    with pytest.raises(bd.OtherProblemError, match="the policy belongs to another problem"):
        policy.ask(bd.Problem(x[0], horizon=600))
    with pytest.raises(bd.DataError, match="C × K × d"):
        bd.Problem.family(x[0])
    with pytest.raises(bd.DataError, match="C × K × d"):
        bd.Environment.contexts(x[0])
    with pytest.raises(bd.SettingError, match="come up by themselves"):
        bd.play(policy, lambda left, right: True, budget=5)


def test_experiments_with_contexts_and_policies_of_ones_own() -> None:
    seen = []

    class Greedy:
        """Knows θ, and reads the context."""

        def __init__(self, problem: bd.Problem, rng: np.random.Generator) -> None:
            pass

        def ask(self, problem: bd.Problem) -> tuple[int, int]:
            seen.append(problem.context)
            scores = [problem.features.phi(i, 0)[0] for i in range(problem.items)]
            best = int(np.argmax(scores))
            return best, best

        def tell(self, left: int, right: int, outcome: float) -> None:
            pass

    x = np.random.default_rng(1).uniform(-1, 1, (3, 4, 2))
    world = bd.Environment.contexts(x, [2.0, 0.0], weights=[1, 1, 2])
    experiment = bd.Experiment(
        world, ["max-pair-ucb", "uniform", Greedy], horizons=200, runs=2, regrets=["borda", "borda-averaged"]
    )
    finals = {row["policy"]: row["mean"] for row in experiment.run(progress=None).final}
    assert 0 == finals["Greedy"] < finals["max-pair-ucb"] < finals["uniform"]
    assert set(seen) == {0, 1, 2}
