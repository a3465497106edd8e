"""What people hand in: odd types, missing values, other processes, many threads. Refused in words, or used as it is meant."""

from __future__ import annotations

import copy
import decimal
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pytest
from conftest import together

import borduel as bd
from borduel import _frames

VOTES = {"left": ["a", "b", "c", "a"], "right": ["b", "c", "a", "c"], "winner": ["left", "left", "tie", "right"]}


@pytest.mark.parametrize("dtype", ["complex128", "S4", "U5", "datetime64[s]", "timedelta64[s]"])
def test_what_is_no_number_is_not_cast_to_one(dtype: str) -> None:
    policy = bd.Policy("uniform", bd.Problem(4))
    questions, numbers = policy.ask_many(4), np.array([1, 0, 1, 0])
    with pytest.raises(bd.DataError, match="numbers are needed"):
        policy.tell_many(questions, numbers.astype(dtype))
    with pytest.raises(bd.DataError, match="numbers are needed"):
        bd.Problem(np.arange(8).reshape(4, 2).astype(dtype))
    assert not questions[0].answered


@pytest.mark.parametrize(
    "wrong",
    [["left", "right"], np.array(["1", "0"], dtype=object), [b"1", b"0"], [{}, {}], [[1], [1, 2]], [1, object()]],
)
def test_objects_are_numbers_or_refused(wrong: Any) -> None:
    policy = bd.Policy("uniform", bd.Problem(4))
    questions = policy.ask_many(2)
    with pytest.raises(bd.DataError, match="number"):
        policy.tell_many(questions, wrong)
    policy.tell_many(questions, np.array([1, None], dtype=object))


def test_what_is_masked_or_missing_cancels_a_question() -> None:
    import pandas as pd
    import polars as pl

    kinds = [
        [1, 0, float("nan"), 0.5],
        [True, False, None, 0.5],
        np.ma.array([1.0, 0.0, 1.0, 0.5], mask=[False, False, True, False]),
        pd.Series([1, 0, pd.NA, 0.5], dtype="Float64"),
        pd.Series([1, 0, None, 0.5], dtype="double[pyarrow]"),
        pl.Series([1.0, 0.0, None, 0.5]),
        np.array([1, 0, np.nan, 0.5], dtype="float16"),
        np.array([1, 9, 0, 9, np.nan, 9, 0.5, 9])[::2],
    ]
    saved = set()
    for outcomes in kinds:
        policy = bd.Policy("dexp3", bd.Problem(5, horizon=100), seed=1)
        policy.tell_many(policy.ask_many(4), outcomes)
        saved.add(policy.save())
    assert len(saved) == 1


def frames() -> dict[str, Any]:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    frame = pd.DataFrame(VOTES)
    names = pl.Enum(["a", "b", "c"])
    rows = list(zip(*VOTES.values(), strict=True))
    return {
        "nullable": frame.convert_dtypes(),
        "pyarrow in pandas": frame.astype("string[pyarrow]"),
        "arrow types in pandas": frame.astype(pd.ArrowDtype(pa.string())),
        "categories": frame.astype("category"),
        "objects": frame.astype(object),
        "an index of its own": frame.set_index(pd.Index([7, 7, 9, 9])),
        "polars enums": pl.DataFrame(VOTES).with_columns(pl.col("left", "right").cast(names)),
        "large strings": pa.table({k: pa.array(v, pa.large_string()) for k, v in VOTES.items()}),
        "string views": pa.table({k: pa.array(v, pa.string_view()) for k, v in VOTES.items()}),
        "an array": np.array(rows),
        "an array of objects": np.array(rows, dtype=object),
        "a structured array": np.array(rows, dtype=[("left", "U4"), ("right", "U4"), ("winner", "U5")]),
        "a series of triples": pd.Series(rows),
        "a generator": (row for row in rows),
    }


@pytest.mark.parametrize("kind", frames())
def test_every_kind_of_column_is_read(kind: str) -> None:
    ranking = bd.rank(frames()[kind])
    assert {item.item: item.borda for item in ranking} == {item.item: item.borda for item in bd.rank(VOTES)}


def test_columns_of_objects_are_encoded_as_pandas_does_it() -> None:
    pd = pytest.importorskip("pandas")
    random = np.random.default_rng(1)
    for run in range(100):
        # Few and many of them, the same text as several objects, and several ways to be missing.
        texts: list[Any] = [" ".join(["model", str(at // 2)]) for at in range(1, 60, 1 + run % 7)]
        texts = [None, float("nan"), pd.NA, 1, 2.5, True, *texts]
        pool = np.empty(len(texts), dtype=object)
        pool[:] = texts
        values = pool[random.integers(0, len(pool), random.integers(0, 3000))]
        values = values[:: 1 + run % 3]
        codes, names = _frames._objects(values)
        wanted, those = pd.factorize(values)
        assert codes.tolist() == wanted.tolist()
        assert [(type(name), name) for name in names] == [(type(name), name) for name in those]


def test_columns_of_numbers_times_and_decimals_are_names() -> None:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    winner = ["left", "right", "left"]
    times = pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03"])
    decimals = [decimal.Decimal("1.50"), decimal.Decimal("2.50"), decimal.Decimal("3.50")]
    for values in (times, decimals, [1, 2, 3], pd.array([1, 2, 3], dtype="Int64")):
        columns = {"left": list(values), "right": [*values[1:], values[0]], "winner": winner}
        for table in (columns, pd.DataFrame(columns)):
            assert len(bd.rank(table)) == 3
    left = pa.array(decimals, pa.decimal128(5, 2))
    right = pa.array([*decimals[1:], decimals[0]], pa.decimal128(5, 2))
    for table in (pa.table({"left": left, "right": right, "winner": winner}),):
        assert {item.item for item in bd.rank(table)} == {"1.50", "2.50", "3.50"}
        assert {item.item for item in bd.rank(pl.DataFrame(table))} == {"1.50", "2.50", "3.50"}


@pytest.mark.parametrize("value", [b"x", 1 + 2j, {"k": 1}, ["z"], ("a", "b"), {"s"}, np.ones(2)])
@pytest.mark.parametrize("column", list(VOTES))
def test_what_is_no_name_is_refused_by_its_column(column: str, value: Any) -> None:
    import pandas as pd

    columns: dict[str, list[Any]] = {name: list(values) for name, values in VOTES.items()}
    columns[column][2] = value
    for table in (columns, pd.DataFrame(columns, dtype=object)):
        with pytest.raises(bd.DataError, match=f'"{column}" cannot be used') as wrong:
            bd.rank(table)
        assert wrong.value.column == column


def test_other_things_are_no_votes() -> None:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    for what in (
        np.ones((3, 4)),
        np.ones((2, 2, 2)),
        pa.array(["a", "b"]),
        pd.DataFrame(VOTES).groupby("left"),
        pl.DataFrame({"left": [b"x"], "right": [b"y"]}),
    ):
        with pytest.raises(bd.DataError):
            bd.rank(what)
    for what in (pd.Series(["a", "b"]), pl.Series(["a", "b"]), np.array(["a", "b"]), {1, 2}):
        with pytest.raises((TypeError, bd.DataError), match="votes"):
            bd.rank(what)
    for left, right in (([["a"]], [["b"]]), ([b"a"], [b"b"])):
        with pytest.raises(bd.DataError, match='"left" cannot be used'):
            bd.rank(pa.table({"left": left, "right": right, "winner": ["left"]}))


def test_worlds_name_what_is_wrong_with_them() -> None:
    import pandas as pd

    nan = float("nan")
    with pytest.raises(bd.DataError, match=r"rows\[0\]\[1\] is nan"):
        bd.Environment.matrix([[0.5, nan], [0.4, 0.5]])
    with pytest.raises(bd.DataError, match=r"matrices\[1\]\[1\]\[0\] is inf"):
        bd.Environment.pieces([(1, np.full((2, 2), 0.5)), (5, [[0.5, 0.5], [float("inf"), 0.5]])])
    with pytest.raises(bd.DataError, match=r"features\.rows\[0\]\[0\] is nan"):
        bd.Environment.glm([[nan], [1.0]])
    with pytest.raises(bd.DataError, match=r"rows\[0\]\[0\] is 1j, a complex"):
        bd.Environment.matrix([[1j]])
    frame = pd.DataFrame([[0.5, 0.7], [0.3, 0.5]])
    assert bd.Environment.matrix(frame) == bd.Environment.matrix(frame.to_numpy())


def everything() -> dict[str, Any]:
    problem = bd.Problem(6, horizon=1000, names=list("abcdef"))
    policy = bd.Policy("dexp3", problem)
    experiment = bd.Experiment(bd.Environment.hard(2), "uniform", runs=2, horizons=50)
    plan = experiment.plan()
    items = {"id": ["a", "b", "c"], "name": ["Ash", "Birch", "Cedar"], "feat_x": [0.0, 1.0, 3.0]}
    votes = bd.play(bd.Policy("uniform", problem), lambda left, right: True, budget=20)
    return {
        "Features": bd.Features.one_hot(3),
        "Problem": problem,
        "Policy": policy,
        "Proposal": policy.ask(),
        "Proposals": policy.ask_many(3),
        "Environment": bd.Environment.hard(2),
        "Experiment": experiment,
        "Plan": plan,
        "World": plan.worlds[0],
        "Results": experiment.run(progress=None),
        "Ballots": bd.read(VOTES),
        "Ranking": bd.rank(VOTES, chances=True, strength=True),
        "Ranking of features": bd.rank(VOTES, items=items),
        "Ranking of counts": bd.rank([("a", "b")] * 9, model="counts", strength=True),
        "Ranking at any time": bd.rank(VOTES, sequential=True),
        "Design": bd.design(items, 20, votes=VOTES),
        "Votes": votes,
        "Vote": votes[0],
    }


def shown(thing: Any) -> list[Any]:
    """Give everything that can be seen of a thing."""
    seen: list[Any] = [repr(thing), str(thing)]
    for name in ("to_json", "to_dict", "save", "svg", "html", "csv"):
        if hasattr(thing, name):
            seen.append(getattr(thing, name)())
    if isinstance(thing, bd.Ranking):
        seen += [thing.to_pandas("pairs").to_dict(), thing._repr_html_(), list(thing), thing.rows]
    if isinstance(thing, bd.Design):
        seen += [thing.sheet, list(thing), thing.half_widths]
    return seen


@pytest.fixture(scope="module")
def others() -> Any:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


@pytest.mark.parametrize("what", everything())
def test_everything_travels_between_processes(what: str, others: Any) -> None:
    thing = everything()[what]
    twins = [pickle.loads(pickle.dumps(thing)), copy.deepcopy(thing), others.submit(copy.copy, thing).result()]
    for twin in twins:
        assert type(twin) is type(thing)
    seen = shown(thing)
    if " at 0x" not in seen[0]:
        for twin in twins:
            assert shown(twin) == seen
    assert others.submit(shown, thing).result()[1:] == seen[1:] or " at 0x" in seen[0]


@pytest.mark.parametrize("what", ["Ranking", "Design"])
def test_what_another_version_pickled_is_refused(what: str) -> None:
    make, (_, *rest) = everything()[what].__reduce__()
    with pytest.raises(bd.VersionError, match=r"pickled by borduel 9\.9\.9"):
        make("9.9.9", *rest)


def test_eight_threads_do_everything_at_once() -> None:
    things = everything()
    expected = shown(things["Ranking"]), things["Results"].to_json()

    def work() -> None:
        for _ in range(3):
            assert shown(bd.rank(VOTES, chances=True, strength=True)) == expected[0]
            assert things["Experiment"].run(progress=None, jobs=1).to_json() == expected[1]
            bd.design(5, 30)
            policy = things["Policy"]
            policy.tell_many(policy.ask_many(50), np.ones(50))
            policy.copy().scores()

    together(work)
