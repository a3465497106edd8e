"""From votes to a ranking: scores with intervals, ranks, a verdict and its checks."""

from __future__ import annotations

import base64
import functools
import html
import json
import logging
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from borduel import _core, _frames

if TYPE_CHECKING:
    from matplotlib.axes import Axes

log = logging.getLogger("borduel")

PathLike = str | os.PathLike[str]


@dataclass(frozen=True)
class Interval:
    """An estimate (None where something that was never compared decides), the ends of its interval, its standard error."""

    estimate: float | None
    low: float
    high: float
    error: float


@dataclass(frozen=True)
class ItemScore:
    """What is known about one item."""

    item: str
    """Its identifier."""
    name: str | None
    """What people call it, where that is something else."""
    borda: Interval
    """Its chance to beat a random other item."""
    rank: tuple[int, int]
    """The best and the worst rank it can have."""
    p_best: float | None
    """The chance that it is best, where that is known."""
    strength: Interval | None
    """Its Bradley–Terry strength, where it was asked for."""
    wins: float
    losses: float
    ties: float
    both_bad: float
    skips: float
    soft: float


@dataclass(frozen=True)
class Verdict:
    """What can be said of who is best; ``str(verdict)`` is the sentence."""

    kind: Literal["clear-winner", "good-enough", "tie", "not-enough"]
    """Better than every other item; nobody better by more than the margin; equal up to the margin; or none of these yet."""
    text: str
    winners: tuple[str, ...]
    """All that may be best, the leader first: with "good-enough" it may be chosen, and the others may be just as good."""
    votes_needed: float | None
    """About how many more votes would decide, where that can be told."""
    chance: float | None
    margin: float
    few_voters: int | None
    """The number of voters, where they are so few that they speak for nobody else."""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Check:
    """Something that was looked at: ``ok`` is None where there was too little to see."""

    name: str
    ok: bool | None
    text: str


@dataclass(frozen=True)
class RowError:
    """A row that was not understood and set aside."""

    file: str
    row: int
    column: str | None
    value: str | None
    text: str


@dataclass(frozen=True)
class Rows:
    """What became of the rows."""

    read: int
    set_aside: int
    unanswered: int


class Ranking(Sequence[ItemScore]):
    """The items by score, best first; ``ranking["name"]`` is one of them. Made by `rank`."""

    def __init__(
        self, text: str, ballots: _core.Ballots, ranks: Mapping[str, Any], items: _core.Items | None = None
    ) -> None:
        self._text = text
        self._ballots = ballots
        self._asked = (ranks, items)
        self._data: dict[str, Any] = json.loads(text)
        self._items = [_item(item) for item in self._data["items"]]
        self._places = {item.item: place for place, item in enumerate(self._items)}
        # A name that two items share stands for neither.
        names = [item.name for item in self._items]
        for place, name in enumerate(names):
            if name is not None and names.count(name) == 1:
                self._places.setdefault(name, place)

    @functools.cached_property
    def _made(self) -> _core.Ranked:
        """The ranking in Rust, for pictures and pages: after unpickling it is made again when one is asked for."""
        ranks, items = self._asked
        return _core.rank(self._ballots, ranks, items)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (_core.__version__, self._text, self._ballots, *self._asked)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ranking) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    @overload
    def __getitem__(self, index: int | str) -> ItemScore: ...
    @overload
    def __getitem__(self, index: slice) -> list[ItemScore]: ...
    def __getitem__(self, index: int | str | slice) -> ItemScore | list[ItemScore]:
        """Give an item by its place from 0, its identifier, or its name."""
        if isinstance(index, str):
            if index not in self._places:
                raise KeyError(index)
            return self._items[self._places[index]]
        return self._items[index]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[ItemScore]:
        return iter(self._items)

    @property
    def verdict(self) -> Verdict:
        """Who is best, and how sure that is."""
        v = self._data["verdict"]
        winners, few = tuple(v["winners"]), v["few_voters"]
        return Verdict(v["kind"], v["text"], winners, v["votes_needed"], v["chance"], v["margin"], few)

    @property
    def checks(self) -> list[Check]:
        """What was looked at in the votes, and what was found."""
        return [Check(check["name"], check["ok"], check["text"]) for check in self._data["checks"]]

    @property
    def model(self) -> str:
        """Where the scores come from, in words."""
        return str(self._data["model"])

    @property
    def intervals(self) -> str:
        """How the intervals were made, in words."""
        return str(self._data["intervals"]["method"])

    @property
    def unranked(self) -> list[str]:
        """Items that no used vote is about."""
        return list(self._data["unranked"])

    @property
    def notes(self) -> list[str]:
        """What was detected in the votes."""
        return list(self._data["votes"]["detected"])

    @property
    def rows(self) -> Rows:
        """What became of the rows."""
        return Rows(*self._ballots.rows)

    @property
    def set_aside(self) -> list[RowError]:
        """The rows that were not understood."""
        return [RowError(*row) for row in self._ballots.set_aside]

    @property
    def ballots(self) -> _core.Ballots:
        """The votes as sums, from which another ranking can be made."""
        return self._ballots

    def probability(self, first: str, second: str) -> float:
        """Give the chance that ``first`` beats ``second`` by the fitted model; needs ``rank(…, chances=True)``."""
        chances = self._data.get("chances")
        if chances is None:
            raise _core.SettingError("chances = False: rank with chances=True to have the chances of all pairs")
        return float(chances[self._places[first]][self._places[second]])

    def to_dict(self) -> dict[str, Any]:
        """Give the object that ``borduel rank --format json`` prints."""
        data: dict[str, Any] = json.loads(self._text)
        return data

    def to_json(self) -> str:
        """Give the bytes that ``borduel rank --format json`` prints."""
        return self._text

    def _columns(self, what: str) -> dict[str, list[Any]]:
        if what == "items":
            return _item_columns(self._items)
        if what == "pairs":
            return _transposed(["first", "second", "votes", "share", "fitted"], self._made.pairs())
        if what == "checks":
            return _transposed(["name", "ok", "text"], [(check.name, check.ok, check.text) for check in self.checks])
        raise _core.UnknownName(f'unknown table "{what}"; known are: items, pairs, checks')

    def to_pandas(self, what: Literal["items", "pairs", "checks"] = "items") -> Any:
        """Give a pandas DataFrame of the items, of the pairs that were compared, or of the checks."""
        import pandas as pd

        return pd.DataFrame(self._columns(what))

    def to_polars(self, what: Literal["items", "pairs", "checks"] = "items") -> Any:
        """Give the same as a polars DataFrame."""
        import polars as pl

        return pl.DataFrame(self._columns(what))

    def to_arrow(self, what: Literal["items", "pairs", "checks"] = "items") -> Any:
        """Give the same as a pyarrow Table."""
        import pyarrow as pa

        return pa.table(self._columns(what))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw scores and intervals in matplotlib; filled marks may be best."""
        from borduel._plot import forest

        return forest(self, ax)

    def svg(self) -> str:
        """Give the forest plot of the command's page."""
        return self._made.svg()

    def html(self) -> str:
        """Give the command's page: verdict, plot, checks, pairs, numbers, in one offline file."""
        return self._made.page()

    def report(self, path: PathLike) -> None:
        """Write that page to a file."""
        Path(path).write_text(self.html(), encoding="utf-8")

    def __str__(self) -> str:
        return self._made.text()

    def __repr__(self) -> str:
        return f"Ranking of {len(self)} items: {self.verdict.text}"

    def _repr_html_(self) -> str:
        verdict = html.escape(self.verdict.text)
        # As a picture of its own: its style cannot touch the notebook's, nor the other way round.
        picture = base64.b64encode(self.svg().encode()).decode()
        image = f'<img alt="Borda scores with intervals" src="data:image/svg+xml;base64,{picture}">'
        return f"<p><b>{verdict}</b></p>{image}{self._made.table()}"


def _unpickled(version: str, *parts: Any) -> Ranking:
    check_version("ranking", version)
    return Ranking(*parts)


def check_version(what: str, version: str) -> None:
    """Refuse what another version pickled."""
    if version != _core.__version__:
        raise _core.VersionError(f"this {what} was pickled by borduel {version}, here is {_core.__version__}")


def _interval(data: Mapping[str, Any]) -> Interval:
    return Interval(data["estimate"], data["low"], data["high"], data["error"])


def _item(data: Mapping[str, Any]) -> ItemScore:
    strength = data.get("strength")
    return ItemScore(
        item=data["item"],
        name=data.get("name"),
        borda=_interval(data["borda"]),
        rank=(data["rank"]["low"], data["rank"]["high"]),
        p_best=data["p_best"],
        strength=None if strength is None else _interval(strength),
        **{name: data[name] for name in ("wins", "losses", "ties", "both_bad", "skips", "soft")},
    )


def _item_columns(items: Sequence[ItemScore]) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {
        "item": [item.item for item in items],
        "name": [item.name for item in items],
        "borda": [item.borda.estimate for item in items],
        "borda_low": [item.borda.low for item in items],
        "borda_high": [item.borda.high for item in items],
        "rank_low": [item.rank[0] for item in items],
        "rank_high": [item.rank[1] for item in items],
        "p_best": [item.p_best for item in items],
    }
    for name in ("wins", "losses", "ties", "both_bad", "skips", "soft"):
        columns[name] = [getattr(item, name) for item in items]
    strengths = [item.strength for item in items]
    if any(strength is not None for strength in strengths):
        columns["strength"] = [None if s is None else s.estimate for s in strengths]
        columns["strength_low"] = [None if s is None else s.low for s in strengths]
        columns["strength_high"] = [None if s is None else s.high for s in strengths]
    return columns


def _transposed(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, list[Any]]:
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}


_MEANINGS = ("left", "right", "tie", "both bad", "skip")


def _reading(options: Mapping[str, Any], words: Mapping[str, str] | None) -> dict[str, Any]:
    """Give all options of reading as Rust wants them: everything there, words by their meaning."""
    reading = dict(options)
    for meaning in _MEANINGS:
        key = f"{meaning.replace(' ', '_')}_value"
        reading[key] = [str(word) for word, means in (words or {}).items() if means == meaning]
    wrong = [means for means in (words or {}).values() if means not in _MEANINGS]
    if wrong:
        raise _core.SettingError(f"words: an answer means one of {', '.join(_MEANINGS)}, not {wrong[0]!r}")
    reading["item_columns"] = [str(column) for column in options["item_columns"]]
    return reading


def _is_path(data: object) -> bool:
    return isinstance(data, str | os.PathLike)


def items_of(items: Any) -> _core.Items:
    """Give a list of items from a path, a table, a list of names, or their number."""
    if isinstance(items, _core.Items):
        return items
    if _is_path(items):
        return _core.Items.read(os.fspath(items))
    if isinstance(items, int):
        items = [str(item) for item in range(items)]
    if isinstance(items, Sequence) and all(isinstance(item, str | int) for item in items):
        return _core.Items([str(item) for item in items], [None] * len(items), [], [])
    return _core.Items(*_frames.item_columns(items))


def read(
    votes: Any,
    *,
    items: Any = None,
    left: str | None = None,
    right: str | None = None,
    winner: str | None = None,
    loser: str | None = None,
    voter: str | None = None,
    weight: str | None = None,
    count: str | None = None,
    left_wins: str | None = None,
    right_wins: str | None = None,
    left_points: str | None = None,
    right_points: str | None = None,
    ties_column: str | None = None,
    rows: Literal[
        "pairs",
        "matrix",
        "ranks",
        "ratings",
        "places",
        "ballots",
        "long-ranks",
        "long-ratings",
        "contests",
        "best-worst",
    ]
    | None = None,
    item_columns: Sequence[str] = (),
    transpose: bool = False,
    fold_names: bool = False,
    words: Mapping[str, str] | None = None,
    answer_scale: Literal["names", "items", "sides", "unit", "zero-one", "one-two", "signed", "score", "margin"]
    | None = None,
    ties: Literal["half", "drop", "model", "error"] = "half",
    both_bad: Literal["drop", "tie"] = "drop",
    unranked: Literal["unknown", "last"] = "unknown",
    delimiter: str | None = None,
    no_header: bool = False,
    lenient: bool = False,
) -> _core.Ballots:
    """Read votes into sums, whose size does not grow with the votes; `rank` and `design` take them too.

    Parameters
    ----------
    votes
        A path or several; a data frame of pandas, polars or pyarrow, or anything with Arrow's C interface; a dict of columns; a
        list of (winner, loser) pairs, of (left, right, answer) triples, or of dicts; or `Votes` of `play`.
    items
        The items there are: a path or a table with ``id``, ``name``, ``feat_…``; a list of names; or their number.
    left, right, winner, loser, voter, weight, count, left_wins, right_wins, left_points, right_points, ties_column
        The names of columns; found by the header, or else by the values, unless given. ``"none"``: do not use one.
    rows, item_columns, transpose
        What a row is, where that is not a vote on two items: of a matrix of wins, of ranks, of ratings, of places.
    fold_names
        Whether names that differ only in case, spaces or Unicode form are one item.
    words
        What answers mean: ``{"A": "left", "B": "right", "=": "tie"}``; also ``"both bad"`` and ``"skip"``.
    answer_scale
        How answers are written, where the header does not tell.
    ties, both_bad, unranked
        What a tie, "both bad", and an item that a ranking leaves out are worth.
    delimiter, no_header
        For files: the character between fields; whether the first row is data.
    lenient
        Whether rows that are not understood are set aside instead of refused.

    Returns
    -------
    Ballots
        The sums.

    Examples
    --------
    >>> import borduel as bd
    >>> bd.read([("tea", "coffee"), ("tea", "mud")])
    Ballots(items=3, used=2)
    """
    given = dict(locals())
    votes, items, words = given.pop("votes"), given.pop("items"), given.pop("words")
    if isinstance(votes, _core.Ballots):
        return votes
    reading = _reading(given, words)
    listed = None if items is None else items_of(items)
    ballots = _read(votes, reading, listed)
    for note in ballots.notes:
        log.info(note)
    if ballots.rows[1]:
        aside = f"{ballots.rows[1]} of {ballots.rows[0]} rows were not understood; they are in .set_aside"
        warnings.warn(aside, UserWarning, stacklevel=2)
    return ballots


def _read(votes: Any, reading: dict[str, Any], items: _core.Items | None) -> _core.Ballots:
    if _is_path(votes):
        return _core.read_files([os.fspath(votes)], reading, items)
    several = isinstance(votes, Sequence) and not isinstance(votes, str | bytes) and len(votes) > 0
    if several and all(_is_path(path) for path in votes):
        return _core.read_files([os.fspath(path) for path in votes], reading, items)
    if reading["rows"] not in (None, "pairs"):
        # Matrices and rankings are small: they are read as the file that they would be.
        return _core.read_files(["votes"], reading, items, _csv(votes))
    found = _frames.table(votes)
    if found is None:
        raise TypeError(f"votes are paths, a table, or a list of votes, not {type(votes).__name__}")
    return _core.read_columns("votes", found.names, found.sample, found.batches, reading, items)


def _csv(data: Any) -> bytes:
    """Give a table as the bytes of a CSV file."""
    import csv
    import io

    found = _frames.table(data)
    if found is None:
        raise TypeError(f"votes are paths, a table, or a list of votes, not {type(data).__name__}")
    out = io.StringIO()
    writer = csv.writer(out)
    index = getattr(data, "index", None)
    # The rows of a matrix of wins in pandas are named by its index.
    named = index is not None and not callable(index) and type(index).__name__ != "RangeIndex"
    labels = list(index) if named and index is not None else []
    writer.writerow(([""] if named else []) + found.names)
    start = 0
    for batch in found.batches(range(len(found.names))):
        columns = [_frames.decoded(column) for column in batch]
        for at, row in enumerate(zip(*columns, strict=True)):
            writer.writerow((labels[start + at : start + at + 1]) + list(row))
        start += len(columns[0]) if columns else 0
    return out.getvalue().encode()


def rank(
    votes: Any,
    *,
    items: Any = None,
    model: Literal["features", "one-hot", "counts"] | None = None,
    level: float = 0.95,
    margin: float = 0.02,
    clustered: bool = True,
    bootstrap: int | None = None,
    seed: int = 1,
    least_votes: float = 0,
    exclude_item: Sequence[str] = (),
    adjust: Literal["position"] | None = None,
    strength: bool = False,
    scale: Literal["log-odds", "elo"] | None = None,
    anchor: float | tuple[str, float] | None = None,
    chances: bool = False,
    sequential: bool = False,
    jobs: int | None = None,
    **reading: Any,
) -> Ranking:
    """Rank items from votes: scores with intervals, a verdict, and checks.

    Without features and with hundreds of items, the covariance of their scores takes a while (half a minute for 500): give
    features, or take ``model="counts"``.

    Parameters
    ----------
    votes, items
        See `read`; or `Ballots`.
    model
        Where the chances come from: the items' features where there are any, otherwise one parameter per item
        (Bradley–Terry), or the counts alone.
    level, margin
        The confidence of all intervals; scores closer than the margin count as equal. As shares of 1.
    clustered
        Whether to allow for voters' habits where voters are known.
    bootstrap, seed
        Percentile intervals from so many resamplings of the voters; where all random numbers come from.
    least_votes, exclude_item
        Items with fewer votes, and these items, are left out with their votes.
    adjust
        ``"position"``: estimate what the left side adds, and remove it.
    strength, scale, anchor
        Whether Bradley–Terry strengths are wanted, on which scale, and with which points for the mean or for an item.
    chances
        Whether the chances of all pairs are wanted: see `Ranking.probability`.
    sequential
        Whether somebody looked before the end: a verdict and intervals that hold at all times.
    jobs
        How many threads work; the results do not depend on it.
    **reading
        Everything else that `read` takes.

    Returns
    -------
    Ranking
        The items by score.

    Examples
    --------
    >>> import borduel as bd
    >>> votes = [("tea", "coffee")] * 30 + [("coffee", "tea")] * 5 + [("tea", "mud")] * 40 + [("coffee", "mud")] * 40
    >>> ranking = bd.rank(votes)
    >>> ranking.verdict.kind
    'clear-winner'
    >>> ranking["tea"].rank
    (1, 1)
    """
    listed = None if items is None else items_of(items)
    ballots = read(votes, items=listed, **reading)
    if adjust not in (None, "position"):
        raise _core.UnknownName(f'unknown adjustment "{adjust}"; known are: position')
    if scale not in (None, "log-odds", "elo"):
        raise _core.UnknownName(f'unknown scale "{scale}"; known are: log-odds, elo')
    if anchor is not None and scale != "elo":
        raise _core.SettingError('anchor: strengths have points on Elo\'s scale only: take scale="elo"')
    ranks = {
        "model": model,
        "level": level,
        "margin": margin,
        "clustered": clustered,
        "bootstrap": bootstrap,
        "seed": seed,
        "least_votes": least_votes,
        "exclude_item": [str(item) for item in exclude_item],
        "adjust_position": adjust == "position",
        "strength": strength or scale is not None,
        "elo": scale == "elo",
        "anchor": anchor if anchor is None or isinstance(anchor, tuple) else (None, float(anchor)),
        "chances": chances,
        "sequential": sequential,
        "jobs": jobs,
    }
    core = _core.rank(ballots, ranks, listed)
    if not sequential and core.looks_adaptive():
        log.info(
            "the best items have far more votes than the others, as if the questions had followed the answers; "
            "if so, and if anybody looked before the end, these intervals are too narrow: sequential=True has wider ones"
        )
    ranking = Ranking(core.json(), ballots, ranks, listed)
    ranking._made = core
    return ranking
