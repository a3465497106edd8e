"""Votes and items of any kind, files and tables, as sums."""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import warnings
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Literal, TypedDict, Unpack, get_args

from borduel import _core, _frames
from borduel._given import Names, data, setting, unknown, whole
from borduel._given import names as names_of
from borduel._options import check_keywords, spelled_out

log = logging.getLogger("borduel")

RowKind = Literal[
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
    "choices",
]
Scale = Literal["names", "items", "sides", "unit", "zero-one", "one-two", "signed", "score", "margin"]


class Reading(TypedDict, total=False):
    """How votes are read: see `read`."""

    left: str | None
    right: str | None
    winner: str | None
    loser: str | None
    voter: str | None
    context: str | None
    weight: str | None
    count: str | None
    left_wins: str | None
    right_wins: str | None
    left_points: str | None
    right_points: str | None
    ties_column: str | None
    rows: RowKind | None
    item_columns: Names
    task: str | None
    transpose: bool
    fold_names: bool
    words: Mapping[Any, str] | None
    answer_scale: Scale | None
    ties: Literal["half", "drop", "model", "error"]
    both_bad: Literal["drop", "tie"]
    unranked: Literal["unknown", "last"]
    delimiter: str | None
    encoding: Literal["utf8", "latin1"]
    no_header: bool
    lenient: bool


_OTHERS: dict[str, Any] = {
    "item_columns": (),
    "transpose": False,
    "fold_names": False,
    "ties": "half",
    "both_bad": "drop",
    "unranked": "unknown",
    "encoding": "utf8",
    "no_header": False,
    "lenient": False,
}
DEFAULTS: dict[str, Any] = {name: _OTHERS.get(name) for name in Reading.__annotations__}
"""What is meant where a keyword of reading is not given."""

_MEANINGS = ("left", "right", "tie", "both bad", "skip")


def _as_rust_has_it(given: Mapping[str, Any]) -> dict[str, Any]:
    """Give all options of reading: everything there, words by their meaning."""
    reading = {**DEFAULTS, **given}
    words = reading.pop("words") or {}
    for meaning in _MEANINGS:
        key = f"{meaning.replace(' ', '_')}_value"
        reading[key] = [str(word) for word, means in words.items() if means == meaning]
    for means in words.values():
        if means not in _MEANINGS:
            raise unknown("meaning", means, _MEANINGS)
    for name in ("transpose", "fold_names", "no_header", "lenient"):
        reading[name] = bool(reading[name])
    for name, value in reading.items():
        if DEFAULTS.get(name, "") is None and value is not None and not isinstance(value, str):
            raise setting(name, value, "must be the name of a column" if name in _COLUMNS else "must be a word")
    if reading["delimiter"] is not None and len(reading["delimiter"]) != 1:
        raise setting("delimiter", reading["delimiter"], "must be one character")
    reading["item_columns"] = names_of("item_columns", reading["item_columns"])
    return reading


_COLUMNS = frozenset(Reading.__annotations__) - {"rows", "answer_scale", "delimiter", "encoding"}


def is_path(given: object) -> bool:
    return isinstance(given, str | os.PathLike)


def items_of(items: Any) -> _core.Items:
    """Give a list of items from a path, a table, a list of names, or their number."""
    if isinstance(items, _core.Items):
        return items
    if is_path(items):
        path = os.fspath(items)
        if not is_parquet(path):
            found = _core.Items.read(path)
            _say_unused(found.unused)
            return found
        items = parquet(path)
    if not hasattr(items, "__len__") or getattr(items, "ndim", 1) == 0:
        items = [str(item) for item in range(whole("items", items, 1))]
    plain = isinstance(items, Sequence | AbstractSet) and all(isinstance(item, str | int) for item in items)
    if not isinstance(items, str) and (plain or getattr(items, "ndim", 2) == 1):
        ids = names_of("items", items)
        return _core.Items(ids, [None] * len(ids), [], [])
    ids, names, feature_names, features, unused = _frames.item_columns(items)
    _say_unused(unused)
    return _core.Items(ids, names, feature_names, features)


def _say_unused(columns: Sequence[str]) -> None:
    if columns:
        which = (
            f"the column {columns[0]!r} is" if len(columns) == 1 else f"the columns {', '.join(map(repr, columns))} are"
        )
        warnings.warn(
            f"items: {which} not used: features are columns whose names begin with feat_, such as feat_{columns[0]}",
            UserWarning,
            stacklevel=4,
        )


@spelled_out(Reading, DEFAULTS)
def read(votes: Any, *, items: Any = None, **reading: Unpack[Reading]) -> _core.Ballots:
    """Read votes into sums, whose size does not grow with the votes; `rank` and `design` take them too.

    Answers to one question hang together: where a column ``ask`` numbers the questions and some were answered more than once (in
    both orders, as `play` does), rankings allow for it.

    Parameters
    ----------
    votes
        A path or several, Parquet too where pyarrow or polars is installed; a data frame of pandas, polars or pyarrow, or
        anything with Arrow's C interface; a dict of columns; a list of (winner, loser) pairs, of (left, right, answer) triples,
        of (left, right, answer, voter), or of dicts; or `Votes` of `play`. An answer of a triple is a side, an item, or 1 for the
        left item and 0 for the right.
    items
        The items there are: a path or a table with ``id``, ``name``, ``feat_…``; names, as a list, an array or a Series; or their
        number.
    left, right, winner, loser, voter, context, weight, count, left_wins, right_wins, left_points, right_points, ties_column
        The names of columns; found by the header, or else by the values, unless given. ``"none"``: do not use one. A
        context is what items were compared on, such as the prompt: see ``about`` of `rank`.
    rows, item_columns, task, transpose
        What a row is, where that is not a vote on two items: of a matrix of wins, of ranks, of ratings, of places, or one of the
        items that were shown together (``"choices"``). In a long table, ``task`` is the column that tells several of one judge
        apart.
    fold_names
        Whether names that differ only in case, spaces or Unicode form are one item.
    words
        What answers mean: ``{"A": "left", "B": "right", "=": "tie"}``; also ``"both bad"`` and ``"skip"``.
    answer_scale
        How answers are written, where the header does not tell.
    ties, both_bad, unranked
        What a tie, "both bad", and an item that a ranking leaves out are worth.
    delimiter, encoding, no_header
        For files: the character between fields; how letters are written as bytes; whether the first row is data.
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
    check_keywords("read", reading, DEFAULTS)
    return ballots_of(votes, items, reading, 3)


WINNERS = {"X": "left", "Y": "right", "Draw": "tie"}
"""What evalica's winners mean."""


def battles(xs: Sequence[Any], ys: Sequence[Any], winners: Sequence[Any]) -> dict[str, list[Any]]:
    """Give three lists of equal length, as evalica takes them, as the columns of a table that `rank`, `read` and `design` take.

    Parameters
    ----------
    xs, ys
        The items that were compared, the left ones and the right ones.
    winners
        Who won each time: ``evalica.Winner``, or the names of its members, ``"X"``, ``"Y"`` and ``"Draw"``.

    Returns
    -------
    dict
        The columns ``left``, ``right`` and ``winner``.

    Examples
    --------
    >>> import borduel as bd
    >>> bd.battles(["tea", "mud"], ["mud", "tea"], ["X", "Draw"])
    {'left': ['tea', 'mud'], 'right': ['mud', 'tea'], 'winner': ['left', 'tie']}
    """
    if not len(xs) == len(ys) == len(winners):
        raise data(f"battles: {len(xs)} left items, {len(ys)} right ones and {len(winners)} winners: give equally many")
    said = [getattr(winner, "name", winner) for winner in winners]
    for winner in said:
        if winner not in WINNERS:
            raise unknown("winner", winner, WINNERS)
    return {"left": list(xs), "right": list(ys), "winner": [WINNERS[winner] for winner in said]}


def ballots_of(votes: Any, items: Any, reading: Mapping[str, Any], level: int) -> _core.Ballots:
    """Read votes; warnings are about who called so many levels above."""
    if isinstance(votes, _core.Ballots):
        return votes
    options = _as_rust_has_it(reading)
    listed = None if items is None else items_of(items)
    ballots = _read(votes, options, listed)
    for note in ballots.notes:
        log.info(note)
    if ballots.rows[1]:
        aside = f"{ballots.rows[1]} of {ballots.rows[0]} rows were not understood; they are in .set_aside"
        warnings.warn(aside, UserWarning, stacklevel=level)
    return ballots


def paths_of(votes: Any) -> list[str]:
    """Give the files that votes are, if they are files."""
    if is_path(votes):
        return [os.fspath(votes)]
    if isinstance(votes, Sequence) and len(votes) > 0 and all(is_path(path) for path in votes):
        return [os.fspath(path) for path in votes]
    return []


def _read(votes: Any, reading: dict[str, Any], items: _core.Items | None) -> _core.Ballots:
    paths = paths_of(votes)
    if any(map(is_parquet, paths)):
        read = [
            _table(path, parquet(path), reading, items)
            if is_parquet(path)
            else _core.read_files([path], reading, items)
            for path in paths
        ]
        merged = read[0]
        for other in read[1:]:
            merged = merged.merge(other)
        return merged
    if paths:
        return _core.read_files(paths, reading, items)
    return _table("votes", votes, reading, items)


def _table(name: str, votes: Any, reading: dict[str, Any], items: _core.Items | None) -> _core.Ballots:
    if reading["rows"] not in (None, "pairs"):
        if reading["rows"] not in get_args(RowKind):
            raise unknown("rows", reading["rows"], get_args(RowKind))
        # Matrices and rankings are small: they are read as the file that they would be.
        return _core.read_files([name], reading, items, _csv(votes))
    found = _frames.table(votes)
    if found is None:
        raise TypeError(f"votes are paths, a table, or a list of votes, not {type(votes).__name__}")
    if not found.names:
        raise data(f"{name}: there are none; give at least one vote")
    if found.scale is not None and reading["answer_scale"] is None:
        reading = {**reading, "answer_scale": found.scale}
    return _core.read_columns(name, found.names, found.sample, found.batches, reading, items)


def is_parquet(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"PAR1"
    except OSError:
        # Whoever reads it will say why it cannot be read.
        return False


def parquet(path: str) -> Any:
    """Read a Parquet file by whoever can."""
    readers = {"pyarrow.parquet": "read_table", "polars": "read_parquet"}
    for module, read in readers.items():
        with contextlib.suppress(ImportError):
            found = getattr(importlib.import_module(module), read)
            try:
                return found(path)
            except Exception as error:
                raise data(f"{path}: cannot be read as a Parquet file: {error}", file=path) from error
    raise data(f"{path}: is a Parquet file, which pyarrow or polars can read: pip install pyarrow", file=path)


def _csv(votes: Any) -> bytes:
    """Give a table as the bytes of a CSV file."""
    import csv
    import io

    found = _frames.table(votes)
    if found is None:
        raise TypeError(f"votes are paths, a table, or a list of votes, not {type(votes).__name__}")
    out = io.StringIO()
    writer = csv.writer(out)
    index = getattr(votes, "index", None)
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
