"""What users give: misspelt, from other libraries, twice, without an end; and what they are told then, in Python's words."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import borduel as bd

VOTES = [("tea", "coffee")] * 30 + [("coffee", "tea")] * 9 + [("tea", "mud")] * 20 + [("coffee", "mud")] * 20


@pytest.mark.parametrize(
    "call",
    [
        lambda **wrong: bd.rank(VOTES, **wrong),
        lambda **wrong: bd.read(VOTES, **wrong),
        lambda **wrong: bd.design(["a", "b"], 10, **wrong),
        lambda **wrong: bd.Experiment.paper(**wrong),
        lambda **wrong: bd.Experiment(bd.Environment.hard(2), "uniform", **wrong),
        lambda **wrong: bd.simulate("uniform", bd.Environment.hard(2), horizon=10, **wrong),
        lambda **wrong: bd.Environment.crowd(**wrong),
        lambda **wrong: bd.Environment.hard(2, **wrong),
        lambda **wrong: bd.play(bd.Policy("uniform", bd.Problem(3)), lambda a, b: 1, **wrong),
    ],
)
def test_misspelt_keywords_are_refused(call: Any) -> None:
    with pytest.raises(TypeError, match="bugdet"):
        call(bugdet=3)


def test_misspelt_keywords_are_refused_with_the_right_one() -> None:
    with pytest.raises(TypeError, match="Did you mean 'margin'"):
        bd.rank(VOTES, margni=0.1)  # type: ignore[call-arg]
    with pytest.raises(bd.SettingError, match="gama"):
        bd.Policy("dexp3", bd.Problem(3, horizon=10), gama=0.1)  # type: ignore[call-arg]
    with pytest.raises(bd.SettingError, match="there are none"):
        bd.design(["a", "b"], 10, lenient=True)


def test_keywords_are_seen() -> None:
    for function in (bd.rank, bd.read, bd.design):
        assert {"left", "words", "ties", "lenient"} <= set(inspect.signature(function).parameters)
    assert {"level", "exclude_items", "seed"} <= set(inspect.signature(bd.rank).parameters)
    assert "str | None" in str(inspect.signature(bd.rank))
    assert "ForwardRef" not in str(inspect.signature(bd.rank))
    assert dir(bd) == sorted(bd.__all__)
    assert not any(name.startswith("_") for name in dir(bd) if name != "__version__")


def test_settings_of_policies_are_all_typed() -> None:
    from borduel._settings import PolicySettings

    known = set[str]()
    for name in bd.POLICIES:
        with pytest.raises(bd.SettingError) as wrong:
            bd.Policy(name, bd.Problem(4, horizon=100), bugdet=1)  # type: ignore[call-arg]
        known |= set(re.findall(r"`?([a-z_0-9]+)`?", str(wrong.value).partition("expected")[2] or str(wrong.value)))
    assert {"alpha", "lambda0", "until"} <= set(PolicySettings.__annotations__)
    source = Path(__file__).parent.parent.parent / "crates/borduel/src/policy"
    configs = 0
    # Policies stand on shelves.
    for path in source.rglob("*.rs"):
        for config in re.findall(r"pub struct \w*Config \{(.*?)\n\}", path.read_text(), re.DOTALL):
            configs += 1
            fields = re.findall(r"^    pub ([a-z_0-9]+):", config, re.MULTILINE)
            assert set(fields) <= set(PolicySettings.__annotations__), path
    assert configs > len(bd.POLICIES) / 2


def test_columns_that_are_no_features_are_named(tmp_path: Path) -> None:
    import pandas as pd

    items = pd.DataFrame({"id": ["tea", "coffee", "mud"], "price": [1.0, 2.0, 0.1], "size": [3, 2, 1]})
    with pytest.warns(UserWarning, match="the columns 'price', 'size' are not used: features are .* feat_price"):
        plain = bd.rank(VOTES, items=items)
    assert "one" in plain.model.lower() or "Bradley" in plain.model
    items.to_csv(tmp_path / "items.csv", index=False)
    with pytest.warns(UserWarning, match="feat_price"):
        bd.rank(VOTES, items=tmp_path / "items.csv")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bd.rank(VOTES, items=items.rename(columns={"price": "feat_price", "size": "feat_size"}))


def test_so_many_features_that_work_takes_long_are_said() -> None:
    x = np.random.default_rng(1).normal(size=(200, 150))
    for name, what in [("find-winner", "every look"), ("max-inp", "every question"), ("bexp3", "every question")]:
        with pytest.warns(UserWarning, match=f"{name} with 150 features that differ: {what} .* principal components"):
            bd.Policy(name, bd.Problem(x, horizon=1000))
    # It is said before the work begins, so that nobody waits in the dark.
    problem = bd.Problem(x, horizon=1000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bd.Policy("dexp3", problem)
        with pytest.raises(UserWarning, match=r"betc-glm with 150 features .* its design"):
            bd.Policy("betc-glm", problem)
    u, s, _ = np.linalg.svd(x - x.mean(0), full_matrices=False)
    assert bd.Policy("find-winner", bd.Problem((u * s)[:, :50])).problem.dim == 50
    bd.Policy("find-winner", bd.Problem(200))


def test_a_refused_setting_of_a_policy_is_named() -> None:
    problem = bd.Problem(3, horizon=10)
    with pytest.raises(bd.UnknownNameError, match="did you mean") as unknown:
        bd.Policy("dexp3", problem, eta=0.1, gama=0.1)  # type: ignore[call-arg]
    assert (unknown.value.name, unknown.value.value, unknown.value.suggestion) == ("gama", "0.1", "gamma")
    with pytest.raises(bd.SettingError, match="a number is needed") as wrong:
        bd.Policy("dexp3", problem, eta=0.1, gamma="x")  # type: ignore[arg-type]
    assert (wrong.value.name, wrong.value.value) == ("gamma", "x")
    with pytest.raises(bd.UnknownNameError, match="winner, top, all") as goal:
        bd.Policy("find-winner", problem, goal="best")  # type: ignore[arg-type]
    assert (goal.value.name, goal.value.value) == ("goal", "best")


def test_no_votes_are_said_to_be_none() -> None:
    nothing: list[Any] = [[], {}, ()]
    for none in nothing:
        with pytest.raises(bd.DataError, match="there are none"):
            bd.rank(none)


def test_no_seed_is_any_seed() -> None:
    world = bd.Environment.hard(2)
    runs = [bd.simulate("uniform", world, horizon=300, seed=None) for _ in range(2)]
    assert runs[0] != runs[1]
    again = bd.simulate("uniform", world, horizon=300, seed=runs[0].to_dict()["experiment"]["seed"])
    assert again == runs[0]
    for seed in (np.random.default_rng(5), np.random.SeedSequence(5), np.int64(5)):
        assert bd.simulate("uniform", world, horizon=100, seed=seed).to_dict()["experiment"]["seed"] != 1  # type: ignore[arg-type]
        bd.rank(VOTES, bootstrap=100, seed=seed)  # type: ignore[arg-type]
        bd.design(["a", "b", "c"], 9, seed=seed)  # type: ignore[arg-type]
    with pytest.raises(bd.SettingError, match="seed"):
        bd.rank(VOTES, seed="one")  # type: ignore[arg-type]


def test_names_must_differ() -> None:
    with pytest.raises(bd.SettingError, match="is the name of two items") as wrong:
        bd.Problem(3, names=["a", "b", "a"])
    assert (wrong.value.name, wrong.value.value) == ("names", "a")


def test_a_world_without_an_end_is_refused() -> None:
    def world(start: int) -> tuple[Any, int]:
        return [[0.5, 0.6], [0.4, 0.5]], start + 1

    with pytest.raises(bd.SettingError, match="say how many rounds there are"):
        bd.Environment.pieces(world)
    assert bd.Environment.pieces(world, horizon=5)["starts"] == [1, 2, 3, 4, 5]
    with pytest.raises(bd.SettingError, match="the first round of the next piece"):
        bd.Environment.pieces(lambda start: (10, [[0.5, 0.6], [0.4, 0.5]]))  # type: ignore[arg-type, return-value]


def test_numbers_and_lists_of_any_library() -> None:
    import pandas as pd

    frame = pd.DataFrame({"name": ["tea", "coffee", "mud"], "note": ["x", "y", "z"]})
    expected = bd.rank(VOTES, items=["tea", "coffee", "mud"])
    for items in (frame["name"], pd.Index(frame["name"]), frame["name"].to_numpy(), ("tea", "coffee", "mud")):
        assert bd.rank(VOTES, items=items) == expected
        assert bd.Problem(3, names=items).names == ("tea", "coffee", "mud")
    assert bd.read(VOTES, items={"tea", "coffee", "mud"}).items == ["coffee", "mud", "tea"]
    assert bd.Problem(np.int64(3), horizon=1e3).horizon == 1000
    assert len(bd.Policy("uniform", bd.Problem(3)).ask_many(np.int32(4))) == 4
    world = bd.Environment.hard(np.int64(2))
    results = bd.simulate("uniform", world, horizon=1e3, runs=np.int64(3), checkpoints=np.float64(10), jobs=np.int8(1))
    assert results.to_dict()["experiment"]["horizons"] == [1000]
    several = bd.Experiment(world, "uniform", horizons=np.array([10, 20])).to_dict()["horizons"]
    assert several == [10, 20]
    assert (
        bd.rank(VOTES, level=np.float32(0.75), bootstrap=np.int64(100), exclude_items=frame["name"][2:])[-1].item
        != "mud"
    )
    assert len(bd.design(frame["name"], np.int64(6), most_per_pair=np.int64(2), exclude_items=np.array(["mud"]))) == 2
    assert (
        len(bd.play(bd.Policy("uniform", bd.Problem(3)), lambda a, b: np.int64(1), budget=np.int64(3), batch=1.0)) == 3
    )
    for wrong in ({"horizon": 1.5}, {"horizon": "10"}, {"horizon": 10, "runs": 0}, {"horizon": 10, "runs": True}):
        with pytest.raises(bd.SettingError):
            bd.simulate("uniform", world, **wrong)
    for value in (1.5, "many", -1):
        with pytest.raises(bd.SettingError, match="whole number"):
            bd.Problem(3, horizon=value)  # type: ignore[arg-type]


def test_a_number_that_is_refused_is_named() -> None:
    policy = bd.Policy("uniform", bd.Problem(3))
    calls: dict[str, Callable[[], object]] = {
        "horizon": lambda: bd.Problem(3, horizon=10.5),
        "n": lambda: policy.ask_many(-1),
        "replication": lambda: bd.Policy("uniform", bd.Problem(3), replication=0.5),
        "contexts": lambda: bd.InContexts(3, True, ahead=0.5, spread=0.5),
    }
    for name, call in calls.items():
        with pytest.raises(bd.SettingError, match="whole number") as wrong:
            call()
        assert wrong.value.name == name


def test_rows_with_a_voter_and_winners_as_numbers() -> None:
    rows = [("a", "b", "left", "ann"), ("b", "c", "left", "bob"), ("a", "c", "left", "ann"), ("c", "a", "tie", "cid")]
    assert bd.rank(rows).to_dict()["votes"]["voters"] == 3
    assert bd.rank(np.array(rows)).to_dict()["items"] == bd.rank(rows).to_dict()["items"]
    for yes, no in ((1, 0), (1.0, 0.0), (True, False), (np.int64(1), np.int64(0)), (np.True_, np.False_)):
        numbers = [("a", "b", yes), ("b", "c", yes), ("a", "c", yes), ("c", "a", no), ("c", "a", 0.5)]
        words = [("a", "b", "left"), ("b", "c", "left"), ("a", "c", "left"), ("c", "a", "right"), ("c", "a", "tie")]
        assert bd.rank(numbers).to_dict()["items"] == bd.rank(words).to_dict()["items"]
    # Where items are numbers, a winner is one of them.
    assert bd.rank([(0, 1, 0), (1, 2, 1), (0, 2, 0)])[0].item == "0"


def test_a_matrix_is_an_environment() -> None:
    import pandas as pd

    p = [[0.5, 0.7], [0.3, 0.5]]
    expected = bd.simulate("uniform", bd.Environment.matrix(p), horizon=50)
    for matrix in (p, np.array(p), pd.DataFrame(p)):
        assert bd.simulate("uniform", matrix, horizon=50) == expected


def test_messages_speak_python(tmp_path: Path) -> None:
    command = re.compile(r"--[a-z]|cargo|_value\b|variant identifier|failed to extract|borduel design|::")
    frame = {"left": ["a", "b", "a", "b"], "right": ["b", "a", "b", "a"], "winner": ["left", "left", "left", "perhaps"]}

    def said(call: Any, kind: type[Exception] = bd.Error) -> Any:
        with pytest.raises(kind) as wrong:
            call()
        assert not command.search(str(wrong.value)), str(wrong.value)
        return wrong.value

    error = said(lambda: bd.rank(frame))
    assert (error.row, error.column, error.value) == (3, "winner", "perhaps")
    assert "row 3" in str(error)
    assert 'words={…: "left", …: "right"' in str(error)
    (tmp_path / "votes.csv").write_text("left,right,winner\na,b,left\na,b,7\n")
    assert said(lambda: bd.rank(tmp_path / "votes.csv")).row == 3
    for option in ({"bootstrap": "many"}, {"level": "high"}, {"jobs": 0}, {"seed": -1}, {"least_votes": None}):
        name = next(iter(option))
        assert said(lambda option=option: bd.rank(VOTES, **option)).name == name
    assert said(lambda: bd.simulate("uniform", {"d": 3}, horizon=10)).name == "environment"
    assert "x.std(0)" in str(said(lambda: bd.Problem([[1e9, 1e-9], [0.0, 0.0], [2e9, 3e-9]])))
    late: Any = {"timing": "late"}
    assert said(lambda: bd.simulate("uniform", {"kind": "hrad", "d": 3}, horizon=10), bd.SettingError)
    said(lambda: bd.simulate("uniform", bd.Environment.hard(2), horizon=10, feedback=late), bd.SettingError)
    said(lambda: bd.simulate({"policy": "bexp3", "gamma": "much"}, bd.Environment.hard(2), horizon=10), bd.SettingError)
    ranking = bd.rank([("a", "b"), ("b", "a"), ("a", "c"), ("b", "c"), ("c", "a")] * 3)
    for text in (ranking.verdict.text, str(ranking), repr(ranking), ranking.summary()):
        assert not command.search(text), text
    assert not command.search(str(bd.design(["a", "b", "c"], 100)))
    assert all(not command.search(note) for note in ranking.notes)


def test_exceptions_carry_what_they_are_about() -> None:
    kinds = []
    for call in (
        lambda: bd.Policy("bexp", bd.Problem(3, horizon=9)),
        lambda: bd.simulate("bexp", bd.Environment.hard(2), horizon=9),
        lambda: bd.simulate({"policy": "bexp"}, bd.Environment.hard(2), horizon=9),
        lambda: bd.Experiment(bd.Environment.hard(2), ["uniform", "bexp"]),
    ):
        with pytest.raises(bd.UnknownNameError) as wrong:
            call()
        kinds.append((wrong.value.value, wrong.value.suggestion))
    assert set(kinds) == {("bexp", "bexp3")}
    # Whoever catches any of them may look.
    for kind in (bd.Error, bd.SettingError, bd.UnknownNameError, bd.DataError, bd.OtherProblemError, bd.ProposalError):
        plain = kind("x")
        known = (plain.name, plain.value, plain.remedy, plain.file, plain.row, plain.column)
        assert known == (None,) * 6
    with pytest.raises(bd.SettingError) as setting:
        bd.play(bd.Policy("uniform", bd.Problem(3)), lambda a, b: 1, budget=0)
    assert (setting.value.name, setting.value.value) == ("budget", "0")
    assert "at least 1" in str(setting.value.remedy)


def test_missing_extras_say_how_to_have_them(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    ranking = bd.rank(VOTES)
    for module, call in (("pandas", ranking.to_pandas), ("polars", ranking.to_polars), ("pyarrow", ranking.to_arrow)):
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(ImportError, match=f"pip install {module}"):
            call()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"pip install borduel\[plot\]"):
        ranking.plot()
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "borduel.ray", raising=False)
    with pytest.raises(ImportError, match=r"pip install borduel\[ray\]"):
        import borduel.ray  # noqa: F401


def test_questions_are_a_sequence() -> None:
    many = bd.Policy("uniform", bd.Problem(3)).ask_many(5)
    assert [question.round for question in many] == [1, 2, 3, 4, 5]
    assert [question.round for question in many[1:3]] == [2, 3]
    assert [question.round for question in many[::-2]] == [5, 3, 1]
    assert many[np.int64(-1)].round == 5
    with pytest.raises(IndexError):
        many[5]


def test_notebooks_show_everything() -> None:
    experiment = bd.Experiment(bd.Environment.hard(2), ["uniform", "dexp3"], runs=2, horizons=100)
    policy = bd.Policy("find-winner", bd.Problem(3, names=["a", "<b>", "c"]))
    shown = {
        "dexp3": experiment,
        "<td>tea</td>": bd.design(["tea", "coffee"], 3),
        "find-winner": policy,
        "&lt;b&gt;": bd.play(policy, lambda left, right: left < right, budget=9),
        "<svg": experiment.run(progress=None),
    }
    for text, value in shown.items():
        assert text in value._repr_html_(), type(value)  # type: ignore[attr-defined]
