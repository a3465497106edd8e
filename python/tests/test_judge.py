"""What a judge is worth: the bytes of the command, from every kind of table, and what it says of judges that are known."""

from __future__ import annotations

import itertools
import json
import pickle
import xml.etree.ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import borduel
from test_rank import tables

import borduel as bd

ITEMS = [f"model {letter}" for letter in "ABCDEF"]
STRENGTHS = np.array([1.0, 0.6, 0.3, 0.0, -0.4, -0.8])


def world(
    seed: int, *, agree: float = 0.8, overrates: float = 0.0, side: float = 0.0
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Answers of people and of a judge to the same questions, a pair on a prompt each.

    The judge says what the person says with the chance ``agree``, and otherwise what another one might; where it favours an item
    or a side, always the latter.
    """
    random = np.random.default_rng(seed)
    people, judge = [], []
    for prompt in range(60):
        for pair in itertools.combinations(range(len(ITEMS)), 2):
            i, j = random.permutation(pair)
            lead = STRENGTHS[i] - STRENGTHS[j]
            person = random.random() < 1 / (1 + np.exp(-lead))
            bias = side + overrates * (float(ITEMS[i] == "model F") - float(ITEMS[j] == "model F"))
            own = random.random() < 1 / (1 + np.exp(-lead - bias))
            says = person if random.random() < agree and not bias else own
            people.append((ITEMS[i], ITEMS[j], "left" if person else "right", f"p{prompt}", f"v{prompt % 20}"))
            judge.append((ITEMS[i], ITEMS[j], "left" if says else "right", f"p{prompt}"))
    names = ["left", "right", "winner", "prompt", "voter"]
    return pd.DataFrame(people, columns=names), pd.DataFrame(judge, columns=names[:4])


def test_it_is_the_object_of_the_command(tmp_path: Path) -> None:
    people, judge = world(1)
    paths = tmp_path / "people.csv", tmp_path / "judge.csv"
    people.to_csv(paths[0], index=False)
    judge.to_csv(paths[1], index=False)
    worth = bd.judge(*paths)
    assert worth.to_json().encode() == borduel("judge", *paths, "--format", "json").stdout
    assert worth.summary().encode() == borduel("judge", *paths).stdout
    html, svg = tmp_path / "page.html", tmp_path / "picture.svg"
    line = ["judge", *paths, "--judge-is", "model F", "--level", 90, "--html", html, "--svg", svg, "--format", "json"]
    there = borduel(*line).stdout
    here = bd.judge(*paths, judge_is="model F", level=0.9)
    assert here.to_json().encode() == there
    assert here.html() == html.read_text()
    assert here.svg() == svg.read_text()
    here.report(tmp_path / "own.html")
    assert (tmp_path / "own.html").read_text() == html.read_text()
    # A column that only people have may be named.
    assert bd.judge(*paths, voter="voter") == worth


@pytest.mark.parametrize("kind", tables())
def test_every_kind_of_table_is_taken_on_either_side(kind: str, votes: Path) -> None:
    expected = bd.judge(votes, votes).to_dict()
    table = tables()[kind]
    for found in (bd.judge(table, votes), bd.judge(votes, table), bd.judge(bd.read(table), bd.read(votes))):
        told = found.to_dict()
        assert told == expected


def test_what_is_known_of_a_judge_is_found() -> None:
    worth = bd.judge(*world(2, agree=0.9))
    saving = worth.saving
    assert saving is not None
    assert saving.share.estimate is not None
    # Of nine answers in ten it repeats a person's: the correlation within pairs is near 0.9, what it saves near its square.
    assert saving.share.low < 0.81 < saving.share.high
    assert saving.share.high - saving.share.low < 0.2
    assert worth.biased == []
    assert worth.agreement is not None
    assert worth.agreement.questions == 60 * 15
    assert worth[0].item == worth["model A"].item == "model A"
    assert worth.ties == (0.0, 0.0)
    assert worth.votes == (900.0, 900.0)
    assert "would save about" in worth.verdict
    biased = bd.judge(*world(3, overrates=3.0), judge_is="model F")
    assert biased.biased[0].item == "model F"
    assert biased.itself is not None
    assert biased.itself.low > 0.1
    assert "overrates model F" in biased.verdict
    sided = bd.judge(*world(4, side=0.8)).sides.judge
    assert sided is not None
    assert sided.low > 0.1
    # Another judge has nothing in common with people but the items.
    people, judge = world(5, agree=0.0)
    assert bd.judge(people.drop(columns="prompt"), judge).saving is None


def test_it_is_shown_and_kept() -> None:
    worth = bd.judge(*world(6), judge_is="model A")
    assert len(worth) == 6
    assert [item.people_place for item in worth[:2]] == [1, 2]
    frame = worth.to_pandas()
    assert list(frame.index) == [item.item for item in worth]
    assert frame.loc["model A", "bias_se"] == worth["model A"].bias.error
    xml.etree.ElementTree.fromstring(worth.svg())
    shown = worth._repr_html_()
    assert "data:image/svg+xml" in shown
    assert "<table" in shown
    assert repr(worth) == f"JudgeWorth on 6 items: {worth.verdict}"
    copy = pickle.loads(pickle.dumps(worth))
    assert copy == worth
    assert hash(copy) == hash(worth)
    assert copy.html() == worth.html()
    assert json.loads(worth.to_json()) == worth.to_dict()
    assert worth.details
    assert worth.left_out == []
    assert worth.sharpness > 0
    assert -1 <= worth.correlation <= 1


def test_whether_it_pays_is_told_from_two_prices(tmp_path: Path) -> None:
    people, judge = world(8)
    assert bd.judge(people, judge).paid is None
    paid = bd.judge(people, judge, prices=(1, 0.01)).paid
    assert paid is not None
    assert (paid.prices, paid.questions) == ((1.0, 0.01), 15 * 60)
    assert paid.cost == pytest.approx(9.0)
    assert 0 < paid.saves[0] < paid.saves[1]
    assert paid.pays_from is not None
    paths = tmp_path / "people.csv", tmp_path / "judge.csv"
    people.to_csv(paths[0], index=False)
    judge.to_csv(paths[1], index=False)
    there = borduel("judge", *paths, "--prices", "2,0.5", "--format", "json").stdout
    worth = bd.judge(*paths, prices=(2, 0.5))
    assert worth.to_json().encode() == there
    copy = pickle.loads(pickle.dumps(worth))
    assert (copy.paid, copy.html()) == (worth.paid, worth.html())
    for prices in ((1, 0), (1, -1), (1,), 3, ("a", 1)):
        with pytest.raises(bd.Error, match="prices"):
            bd.judge(people, judge, prices=prices)  # type: ignore[arg-type]


def test_what_cannot_be_judged_is_refused() -> None:
    people, judge = world(7)
    few = [("a", "b"), ("b", "a")]
    wrong: list[tuple[Any, Any, dict[str, Any], str]] = [
        (few, few, {}, "at least 3"),
        (people, few, {}, "only 0 are the same"),
        (people, judge, {"judge_is": "model Z"}, "model Z"),
        (people, judge, {"level": 1.5}, "level"),
        (people, judge, {"level": float("nan")}, "level"),
        (people, judge, {"voter": "nobody"}, "nobody"),
        (people[:0], judge, {}, "people rank 0 items"),
    ]
    for ours, theirs, options, text in wrong:
        with pytest.raises(bd.Error, match=text) as raised:
            bd.judge(ours, theirs, **options)
        assert "--" not in str(raised.value)
    with pytest.raises(TypeError, match="Did you mean 'judge_is'"):
        bd.judge(people, judge, judge_si="model A")  # type: ignore[call-arg]
    with pytest.raises(KeyError):
        bd.judge(people, judge)["model Z"]
