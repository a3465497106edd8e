"""Rankings: the bytes of the command, from every kind of table, and agreement with other programs."""

from __future__ import annotations

import errno
import json
import math
import pickle
import re
import sys
import time
import xml.etree.ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import borduel, rows

import borduel as bd


def test_a_ranking_is_the_object_of_the_command(votes: Path, tmp_path: Path) -> None:
    assert bd.rank(votes).to_json().encode() == borduel("rank", votes, "--format", "json").stdout
    items = tmp_path / "items.csv"
    items.write_text("id,name,feat_sweet,feat_hot\ntea,Tea,0.1,1\ncoffee,Coffee,0.3,1.1\nmud,Mud,0,0\nmilk,,0.6,0.2\n")
    line = ["rank", votes, "--items", items, "--level", 90, "--margin", 1, "--scale", "elo", "--format", "json"]
    here = bd.rank(votes, items=items, level=0.9, margin=0.01, scale="elo")
    assert here.to_json().encode() == borduel(*line).stdout
    html = tmp_path / "page.html"
    borduel("rank", votes, "--html", html)
    assert bd.rank(votes).html() == html.read_text()
    assert re.search(r" · votes\.csv, last changed [0-9-]+", html.read_text())
    borduel("rank", votes, "--html", html, "--question", "Which <drink>?", "--date", "in May")
    asked = {"question": "Which <drink>?", "date": "in May"}
    bd.rank(votes).report(tmp_path / "own.html", **asked)
    assert (tmp_path / "own.html").read_text() == html.read_text()
    # Where votes come from no file, the page names none.
    held = bd.rank(rows()).html(**asked)
    assert "Which &lt;drink&gt;?" in held
    assert "in May" in held
    assert "votes.csv" not in held
    line = ["rank", votes, "--sequential", "--format", "json"]
    assert bd.rank(votes, sequential=True).to_json().encode() == borduel(*line).stdout
    line = ["rank", votes, "--bootstrap", 100, "--seed", 5, "--exclude-item", "mud", "--format", "json"]
    assert bd.rank(votes, bootstrap=100, seed=5, exclude_items=["mud"]).to_json().encode() == borduel(*line).stdout


def tables() -> dict[str, Any]:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    votes = rows()
    frame = pd.DataFrame(votes)

    class Capsule:
        """Something else that speaks Arrow's C interface."""

        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return pa.table(frame).__arrow_c_stream__(requested_schema)

    columns = {name: [row[name] for row in votes] for name in votes[0]}
    return {
        "dicts": votes,
        "columns": columns,
        "numpy": {name: np.array(column) for name, column in columns.items()},
        "objects": {name: np.array(column, dtype=object) for name, column in columns.items()},
        "pandas": frame,
        "pandas objects": frame.astype(object),
        "pandas categories": frame.astype("category"),
        "pandas arrow": frame.astype(pd.ArrowDtype(pa.string())),
        "polars": pl.DataFrame(columns),
        "polars lazy": pl.DataFrame(columns).lazy(),
        "polars categories": pl.DataFrame(columns).with_columns(pl.all().cast(pl.Categorical)),
        "arrow": pa.table(columns),
        "arrow chunks": pa.concat_tables([pa.table(columns).slice(0, 7), pa.table(columns).slice(7)]),
        "arrow dictionaries": pa.table(
            {name: pa.array(column).dictionary_encode() for name, column in columns.items()}
        ),
        "capsule": Capsule(),
        "triples with columns out of order": {name: columns[name] for name in ("voter", "winner", "right", "left")},
    }


@pytest.mark.parametrize("kind", tables())
def test_every_kind_of_table_gives_the_same_ranking(kind: str, votes: Path) -> None:
    expected, found = bd.rank(votes).to_dict(), bd.rank(tables()[kind]).to_dict()
    for ranking in (expected, found):
        del ranking["votes"]["detected"]
    assert found == expected


@pytest.mark.parametrize(
    ("answers", "scale"),
    [(["left", "right", "tie", "both bad", "skip"], None), (["0.1", "0.7", "1", "0", "0.5"], "unit")],
)
def test_rows_that_are_alike_are_counted_as_a_file_has_them(answers: list[str], scale: Any, tmp_path: Path) -> None:
    import pandas as pd

    random = np.random.default_rng(3)
    left = random.integers(0, 9, 20_000)
    right = (left + random.integers(1, 9, len(left))) % 9
    # Shares of a vote are not summed by multiplication, which would round.
    given = {"left": left, "right": right, "winner": np.array(answers)[random.integers(0, 5, len(left))]}
    frame = pd.DataFrame(given).astype(str)
    frame.to_csv(tmp_path / "votes.csv", index=False)
    here, there = bd.read(frame, answer_scale=scale), bd.read(tmp_path / "votes.csv", answer_scale=scale)
    assert (here.rows, here.items) == (there.rows, there.items)
    assert here.__reduce__()[1][0] == there.__reduce__()[1][0]
    # The first row that is wrong is named, however often it comes.
    frame.loc[[700, 900], "winner"] = "perhaps"
    with pytest.raises(bd.DataError, match="perhaps") as wrong:
        bd.read(frame, answer_scale=scale)
    assert wrong.value.row == 700


def test_choices_tasks_and_other_letters(tmp_path: Path) -> None:
    """Whatever the command reads, Python reads: here one row an alternative, three tasks a person, in latin-1."""
    path = tmp_path / "choices.csv"
    random = np.random.default_rng(2)
    drinks = ["thé", "café", "lait", "boue"]
    lines = ["person,card,item,chosen"]
    for person, card in ((p, c) for p in range(40) for c in range(3)):
        best = random.choice(4, p=[0.5, 0.3, 0.15, 0.05])
        lines += [f"{person},{card},{drink},{int(at == best)}" for at, drink in enumerate(drinks)]
    path.write_bytes("\n".join(lines).encode("latin1"))
    with pytest.raises(bd.DataError, match=r'encoding="latin1"'):
        bd.rank(path, rows="choices", task="card", voter="person")
    here = bd.rank(path, rows="choices", task="card", voter="person", encoding="latin1")
    line = ["rank", path, "--rows", "choices", "--task", "card", "--voter", "person", "--encoding", "latin1"]
    line += ["--format", "json"]
    assert here.to_json().encode() == borduel(*line).stdout
    assert here[0].item == "thé"
    import pandas as pd

    frame = pd.read_csv(path, encoding="latin1")
    held = bd.rank(frame, rows="choices", task="card", voter="person").to_dict()
    assert held["items"] == here.to_dict()["items"]
    with pytest.raises(bd.UnknownNameError, match="encoding"):
        bd.rank(path, encoding="ebcdic")  # type: ignore[arg-type]


def test_pairs_and_triples() -> None:
    pairs = [("a", "b"), ("b", "c"), ("a", "c"), ("c", "a"), ("a", "b")]
    by_pairs = bd.rank(pairs)
    assert [item.item for item in by_pairs] == ["a", "b", "c"]
    numbers = bd.rank([(0, 1), (1, 2), (0, 2), (2, 0), (0, 1)])
    assert [item.item for item in numbers] == ["0", "1", "2"]
    assert [item.borda for item in numbers] == [item.borda for item in by_pairs]
    triples = bd.rank([("a", "b", "left"), ("c", "b", "right"), ("a", "c", "left"), ("a", "c", "right")])
    assert triples["a"].wins == 2


def test_missing_values_are_errors_with_their_row() -> None:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    columns: dict[str, list[str | None]] = {
        "left": ["a", "b", None],
        "right": ["b", "a", "a"],
        "winner": ["left", "left", "left"],
    }
    for table in (columns, pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)):
        with pytest.raises(bd.DataError, match="is no item's name") as wrong:
            bd.rank(table)
        assert (wrong.value.row, wrong.value.column, wrong.value.file) == (2, "left", "votes")
    with pytest.warns(UserWarning, match="1 of 3 rows"):
        ranking = bd.rank(columns, lenient=True)
    assert ranking.rows == bd.Rows(read=3, set_aside=1, unanswered=0)
    assert ranking.set_aside[0].row == 2
    # An answer that is missing is a question not yet answered, never a tie.
    answers: list[str | None] = ["left", None, "left"]
    open_question = {"left": ["a", "b", "a"], "right": ["b", "a", "b"], "winner": answers}
    with pytest.raises(bd.DataError, match="is no answer"):
        bd.rank(open_question)
    with pytest.raises(bd.DataError, match="is no answer"):
        bd.rank({**open_question, "winner": ["left", math.nan, "left"]})
    with pytest.raises(bd.DataError, match='"left" cannot be used'):
        bd.rank({**open_question, "left": ["a", ["b"], "a"]})
    # But a sheet of `design` that is not filled in yet is one.
    assert bd.rank({"ask": [1, 2, 3], **open_question}).rows.unanswered == 1


def test_numbers_as_answers_and_names() -> None:
    import pandas as pd

    frame = pd.DataFrame({"left": [1, 2, 3, 1, 1], "right": [2, 3, 1, 3, 2], "score": [1.0, 0.5, 0.0, 1.0, 0.0]})
    ranking = bd.rank(frame, winner="score", answer_scale="unit")
    assert (ranking[0].item, ranking["2"].ties) == ("1", 1)
    weighted = bd.rank({"winner": ["a", "b"], "loser": ["b", "a"], "n": [30, 10]}, count="n")
    assert weighted["a"].wins == 30
    words = bd.rank([("a", "b", "X"), ("a", "b", "O")], words={"X": "left", "O": "tie"})
    assert (words["a"].wins, words["a"].ties) == (1, 1)
    with pytest.raises(bd.SettingError, match="unknown meaning"):
        bd.rank([("a", "b", "X")], words={"X": "won"})


def test_matrices_of_wins() -> None:
    import pandas as pd

    wins = pd.DataFrame([[0, 8, 9], [2, 0, 7], [1, 3, 0]], index=list("abc"), columns=list("abc"))
    ranking = bd.rank(wins, rows="matrix")
    assert [item.item for item in ranking] == ["a", "b", "c"]
    assert ranking["a"].wins == 17


@pytest.mark.parametrize(
    ("table", "part"),
    [
        ({}, "there are none"),
        ({"left": [], "right": [], "winner": []}, "nothing to rank"),
        ({"left": ["a"], "right": ["b", "c"], "winner": ["left"]}, "different lengths"),
        ({"left": [["a"]], "right": [["b"]], "winner": ["left"]}, "dimensions|cannot be used"),
        ({"x": ["a"], "y": ["b"]}, "column"),
        ([("a", "b", "perhaps")], "perhaps"),
    ],
)
def test_what_is_no_table_of_votes_is_refused_in_words(table: Any, part: str) -> None:
    with pytest.raises(bd.Error, match=part):
        bd.rank(table)


def test_wrong_types_and_places_are_python_errors(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="paths, a table"):
        bd.rank(5)
    with pytest.raises(TypeError, match="pairs"):
        bd.rank([1, 2, 3])
    with pytest.raises(FileNotFoundError, match="No such file") as missing:
        bd.rank(tmp_path / "nowhere.csv")
    assert (missing.value.errno, missing.value.filename) == (errno.ENOENT, str(tmp_path / "nowhere.csv"))
    (tmp_path / "bad.csv").write_text("left,right,winner\na,b,left\na,a,left\n")
    with pytest.raises(bd.DataError, match="compared with itself") as wrong:
        bd.rank(tmp_path / "bad.csv")
    assert (wrong.value.row, wrong.value.column, wrong.value.value) == (3, "right", "a")
    again = pickle.loads(pickle.dumps(wrong.value))
    assert (str(again), again.row) == (str(wrong.value), 3)
    with pytest.raises(bd.SettingError, match="level"):
        bd.rank([("a", "b")], level=1.5)
    with pytest.raises(bd.UnknownNameError, match="ties"):
        bd.rank([("a", "b")], ties="perhaps")  # type: ignore[arg-type]


def test_a_million_columns_are_refused_at_once() -> None:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    names = [f"c{at}" for at in range(1_000_000)]
    wide = pd.DataFrame(np.zeros((2, 1_000_000)), columns=names)
    few = {name: [0.0] for name in names[:20_000]}
    for table in (wide, {name: [1] for name in names}, [few, few], pl.DataFrame(few), pa.table(few)):
        start = time.process_time()
        with pytest.raises(bd.DataError, match="000 columns, more than the 10000"):
            bd.rank(table)
        assert time.process_time() - start < 10


def test_ballots_merge_to_the_same_ranking_and_pickle(votes: Path) -> None:
    whole, all_rows = bd.rank(votes), rows()
    parts = [bd.read(all_rows[:50]), bd.read(all_rows[50:])]
    merged = pickle.loads(pickle.dumps(parts[0])).merge(pickle.loads(pickle.dumps(parts[1])))
    assert [item.borda for item in bd.rank(merged)] == [item.borda for item in whole]
    assert merged.rows == whole.ballots.rows


def test_what_a_ranking_shows(votes: Path, tmp_path: Path) -> None:
    ranking = bd.rank(votes, chances=True)
    assert len(ranking) == 4
    assert ranking["tea"] is ranking[0]
    assert str(ranking.verdict) == ranking.verdict.text
    assert ranking.verdict.text in ranking._repr_html_()
    assert "data:image/svg+xml" in ranking._repr_html_()
    xml.etree.ElementTree.fromstring(ranking.svg())
    assert "<style>" in ranking.svg()
    assert "✓" in str(ranking) or "–" in str(ranking)
    p = ranking.probability("tea", "mud")
    assert p + ranking.probability("mud", "tea") == pytest.approx(1)
    frame = ranking.to_pandas()
    assert ranking.to_polars().columns == ranking.to_arrow().column_names == ["item", *frame.columns]
    # As statsmodels and evalica have it: by item, with standard errors.
    assert (
        list(frame.index) == list(ranking.scores.index) == list(ranking.conf_int().index) == [x.item for x in ranking]
    )
    assert frame["borda"].equals(ranking.scores)
    assert ranking.conf_int().loc["tea"].tolist() == [ranking["tea"].borda.low, ranking["tea"].borda.high]
    assert frame.loc["tea", "borda_se"] == ranking["tea"].borda.error > 0
    assert ranking.verdict.text in ranking.summary()
    assert ranking.to_pandas("pairs")["votes"].sum() == ranking.to_dict()["votes"]["used"]
    assert len(ranking.to_pandas("checks")) == len(ranking.checks)
    ranking.report(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == ranking.html()
    with pytest.raises(KeyError):
        ranking["nobody"]
    evil = bd.rank([("<script>alert(1)</script>", "$x^2$")] * 3 + [("$x^2$", "<script>alert(1)</script>")])
    assert "<script>" not in evil._repr_html_()


def test_agreement_with_choix_and_evalica(votes: Path) -> None:
    choix, evalica = pytest.importorskip("choix"), pytest.importorskip("evalica")
    decided = [row for row in rows() if row["winner"] != "tie"]
    names = sorted({row["left"] for row in decided} | {row["right"] for row in decided})
    wins = [(r["left"], r["right"]) if r["winner"] == "left" else (r["right"], r["left"]) for r in decided]
    ranking = bd.rank(wins, strength=True)
    theta = choix.opt_pairwise(len(names), [(names.index(a), names.index(b)) for a, b in wins], alpha=0, tol=1e-12)
    for name, strength in zip(names, theta - theta.mean(), strict=True):
        own = ranking[name].strength
        assert own is not None
        assert own.estimate == pytest.approx(strength, abs=1e-6)
    xs, ys = [row["left"] for row in decided], [row["right"] for row in decided]
    winners = [evalica.Winner.X if row["winner"] == "left" else evalica.Winner.Y for row in decided]
    result = evalica.bradley_terry(xs, ys, winners, tolerance=1e-12, limit=100_000)
    again = bd.rank(bd.battles(xs, ys, winners))
    assert [item.item for item in again] == [item.item for item in ranking]
    assert again.scores.tolist() == pytest.approx(ranking.scores.tolist(), abs=1e-9)
    logs = {name: math.log(score) for name, score in result.scores.items()}
    mean = sum(logs.values()) / len(logs)
    for name in names:
        own = ranking[name].strength
        assert own is not None
        assert own.estimate == pytest.approx(logs[name] - mean, abs=1e-6)


def test_battles_are_columns() -> None:
    columns = {"left": ["a", "b"], "right": ["b", "a"], "winner": ["right", "tie"]}
    assert bd.battles(("a", "b"), ("b", "a"), ("Y", "Draw")) == columns
    with pytest.raises(bd.UnknownNameError, match='unknown winner "left"; known are: X, Y, Draw'):
        bd.battles(["a"], ["b"], ["left"])
    with pytest.raises(bd.DataError, match="2 left items, 1 right ones and 1 winners: give equally many"):
        bd.battles(["a", "b"], ["b"], ["X"])


def test_designs_are_those_of_the_command(votes: Path, tmp_path: Path) -> None:
    line = ["design", "--votes", votes, "--budget", 60, "--seed", 3]
    plan = bd.design(votes=votes, budget=60, seed=3)
    assert plan.to_dict() == json.loads(borduel(*line, "--format", "json").stdout)
    plan.to_csv(tmp_path / "sheet.csv")
    assert (tmp_path / "sheet.csv").read_bytes() == borduel(*line).stdout
    assert len(plan.to_pandas()) == len(plan) == 60
    assert plan[0] == tuple(plan.to_pandas().loc[0, ["left", "right"]])
    fresh = bd.design(["a", "b", "c"], 20, exclude_pairs=[("a", "b")], costs={("a", "c"): 2.0})
    assert ("a", "b") not in set(fresh)
    assert fresh.contenders == ["a", "b", "c"]
    for wrong in ({"budget": 0}, {"budget": 10, "goal": "both"}, {"budget": 10, "exclude_items": ["d"]}):
        with pytest.raises(bd.Error):
            bd.design(["a", "b", "c"], **wrong)
    with pytest.raises(bd.SettingError, match="give the items"):
        bd.design(budget=3)


def test_hints_guide_designs_as_those_of_the_command(votes: Path, tmp_path: Path) -> None:
    judge, line = tmp_path / "judge.csv", ["design", "--votes", votes, "--budget", 40]
    judge.write_text("winner,loser,count\nmud,tea,30\ntea,milk,20\nmilk,coffee,20\ncoffee,mud,5\ntea,coffee,9\n")
    plain, guided = bd.design(votes=votes, budget=40), bd.design(votes=votes, budget=40, hint=judge, trust="typical")
    asked = [*line, "--hint", judge, "--trust", "typical"]
    assert guided.to_dict() == json.loads(borduel(*asked, "--format", "json").stdout)
    assert guided.to_dict()["hints"][0]["votes"] == 84
    assert "counts as no vote" in str(guided)
    assert pickle.loads(pickle.dumps(guided)) == guided
    assert len(list(plain)) == len(list(guided)) == 40
    # Scores, and several judges; whoever is first there is asked about first.
    items = [f"i{at}" for at in range(8)]
    scores = {item: float(at) for at, item in enumerate(items)}
    hinted = bd.design(items, 10, hint=scores)
    assert sum("i7" in pair for pair in hinted) > 5 > sum("i0" in pair for pair in hinted)
    both = bd.design(items, 10, hint=(scores, {"i1": 1, "i2": 2}))
    assert [hint["items"] for hint in both.to_dict()["hints"]] == [8, 2]
    for wrong, why in (
        ({"hint": {"i0": 1.0}}, "names fewer than two"),
        ({"hint": scores, "trust": "blind"}, "trust"),
        ({"trust": "model"}, "there is none"),
        ({"hint": {"i0": 1.0, "i1": float("nan")}}, "finite number"),
    ):
        with pytest.raises(bd.Error, match=why):
            bd.design(items, 10, **wrong)
    with pytest.raises(bd.Error, match="who is among the voters"):
        bd.design(votes=votes, budget=10, hint=votes)


def test_parquet_is_read_by_whoever_can(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pandas as pd

    frame, path = pd.DataFrame(rows()), tmp_path / "votes.parquet"
    frame.to_parquet(path)
    (tmp_path / "items.csv").write_text("id\nmilk\nmud\ncoffee\ntea\n")
    pd.read_csv(tmp_path / "items.csv").to_parquet(tmp_path / "items.parquet")
    expected = bd.rank(frame).to_dict()["items"]
    assert bd.rank(path).to_dict()["items"] == expected
    listed = bd.read(path, items=tmp_path / "items.parquet")
    assert listed.items == bd.read(frame, items=tmp_path / "items.csv").items == ["milk", "mud", "coffee", "tea"]
    assert bd.read([path, path]).used == 2 * bd.read(path).used
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    assert bd.rank(path).to_dict()["items"] == expected
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(bd.DataError, match="pip install pyarrow") as wrong:
        bd.rank(path)
    assert wrong.value.file == str(path)
    monkeypatch.undo()
    path.write_bytes(b"PAR1....PAR1")
    with pytest.raises(bd.DataError, match="cannot be read as a Parquet file"):
        bd.rank(path)


def _on_prompts(prompts: int) -> dict[str, list[str]]:
    """Give votes in which "b" is good on odd prompts alone."""
    rows: list[tuple[str, str, str, str]] = []
    for prompt in range(prompts):
        for vote in range(30):
            left, right = [("a", "b"), ("b", "c"), ("c", "a")][vote % 3]
            strong = {"a": 2, "b": 3 if prompt % 2 else 0, "c": 1}
            winner = left if (strong[left] > strong[right]) != (vote % 10 < 3) else right
            rows.append((f"p{prompt}", left, right, winner))
    return {name: [row[at] for row in rows] for at, name in enumerate(("prompt", "left", "right", "winner"))}


def test_contexts_are_found_and_asked_about() -> None:
    votes = _on_prompts(10)
    such, these = bd.rank(votes), bd.rank(votes, about="these")
    assert such.contexts is not None
    assert these.contexts is not None
    assert (such.contexts.about, such.contexts.why, such.contexts.seen) == ("such", "enough", 10)
    assert (these.contexts.about, these.contexts.why, these.contexts.are) == ("these", "asked", "prompts")
    assert such["b"].borda.error > 1.5 * these["b"].borda.error
    assert "on prompts like these (10 seen)" in such.verdict.text
    assert "on these 10 prompts" in these.verdict.text
    assert such.contexts.scores["p1"]["b"] > such.contexts.scores["p0"]["b"]
    assert bd.rank(votes, context="none").contexts is None
    assert bd.rank(votes, about="ignore").contexts is None
    renamed = {("where" if name == "prompt" else name): column for name, column in votes.items()}
    assert bd.rank(renamed).contexts is None
    named = bd.rank(renamed, context="where", about="such")
    assert named.contexts is not None
    assert named["b"].borda == such["b"].borda
    assert bd.rank(bd.read(votes), about="these").to_dict()["contexts"]["about"] == "these"
    with pytest.raises(bd.Error, match="with context="):
        bd.rank(renamed, about="these")
    with pytest.raises(bd.Error, match="about"):
        bd.rank(votes, about="those")  # type: ignore[arg-type]
    # What it was called before.
    with pytest.raises(TypeError, match="write about="):
        bd.rank(votes, contexts="these")  # type: ignore[call-arg]


def test_voters_are_relied_on_as_the_command_says_and_weighed_when_asked(votes: Path) -> None:
    ranking = bd.rank(votes)
    told = ranking.reliability
    assert told is not None
    assert not told.weighed
    assert len(told.voters) == 10
    assert 0 < told.p <= 1
    assert [v.carries.estimate for v in told.voters] == sorted(v.carries.estimate or 0 for v in told.voters)
    weighed = bd.rank(votes, voters="weigh")
    assert weighed.to_json().encode() == borduel("rank", votes, "--voters", "weigh", "--format", "json").stdout
    assert weighed.reliability is not None
    assert weighed.reliability.weighed
    assert weighed.reliability.first_alike == "tea"
    assert "whose winner it is" in str(weighed.reliability)
    assert "whose winner it is" in str(weighed)
    assert pickle.loads(pickle.dumps(weighed)).html() == weighed.html()
    with pytest.raises(bd.Error, match="sequential"):
        bd.rank(votes, voters="weigh", sequential=True)
    with pytest.raises(bd.Error, match="10 voters"):
        bd.rank([("tea", "mud")] * 5, voters="weigh")


def test_a_judge_is_a_hint_and_no_voter() -> None:
    drinks = [("tea", "coffee"), ("coffee", "mud"), ("tea", "mud")]
    people, judge = [], []
    for prompt in range(10):
        for at, (a, b) in enumerate(drinks):
            won, lost = (a, b) if (prompt * 7 + at * 3) % 10 < 6 else (b, a)
            judge.append({"winner": won, "loser": lost, "prompt": f"p{prompt}"})
            for vote in range((prompt + at) % 4 + 2):
                first, second = (lost, won) if (vote + prompt) % 5 == 0 else (won, lost)
                people.append({"winner": first, "loser": second, "prompt": f"p{prompt}"})
    alone, hinted = bd.rank(people, about="these"), bd.rank(people, about="these", hint=judge)
    assert alone.hint is None
    assert hinted.hint is not None
    assert hinted.hint.pairs == 3
    assert hinted.hint.saved > 0.1
    assert "not counted as votes" in str(hinted.hint)
    assert hinted.to_dict()["votes"]["used"] == alone.to_dict()["votes"]["used"] == len(people)
    assert pickle.loads(pickle.dumps(hinted)).html() == hinted.html()
    with pytest.raises(bd.Error, match="hint"):
        bd.rank(people, hint=judge, voters="weigh")
    with pytest.raises(bd.Error, match="has the same votes"):
        bd.rank(people, hint=people)
    # At any time, too.
    beside = bd.rank(people, about="these", hint=judge, sequential=True)
    assert beside.hint is not None
    assert beside.hint.saved > 0.05
    assert "no claim about two items rests on" in str(beside.hint)
    assert bd.rank(people, about="these", sequential=True).hint is None
    with pytest.raises(bd.Error, match="takes every pair by itself"):
        bd.rank(people, hint=judge, sequential=True, trust="nothing")
    with pytest.raises(bd.Error, match="has the same votes"):
        bd.rank(people, hint=people, sequential=True)
