"""Contexts and contents as users give them, as the bytes of the tables that the command reads."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from borduel import _core, _frames
from borduel._given import names, setting
from borduel._read import ballots_of, is_parquet, is_path, parquet

Named = tuple[str, bytes]
"""What a table is called in messages, and its bytes."""


def contexts(given: Any) -> Named:
    """Give contexts as a table with ``id`` and ``text``: of names, of texts by name, of a table, or of a path."""
    if isinstance(given, Mapping) and _are_texts(given.values()):
        return _lines("contexts", ({"id": _text(name), "text": _text(text)} for name, text in given.items()))
    plain = isinstance(given, Sequence | AbstractSet) and all(isinstance(name, str | int) for name in given)
    if not is_path(given) and (plain or getattr(given, "ndim", 2) == 1):
        listed = names("contexts", given) if isinstance(given, AbstractSet) else _frames.texts(given)
        return _lines("contexts", ({"id": name} for name in listed))
    return _table("contexts", given)


def contents(given: Any) -> Named:
    """Give contents as a table with ``item``, ``context`` and ``text``: of texts by (item, context), of a table, or of a path."""
    if isinstance(given, Mapping) and given and all(isinstance(place, tuple) and len(place) == 2 for place in given):
        rows = ({"item": i, "context": c, "text": text} for (i, c), text in given.items())
    elif isinstance(given, Mapping) and given and all(isinstance(own, Mapping) for own in given.values()):
        rows = ({"item": i, "context": c, "text": text} for i, own in given.items() for c, text in own.items())
    else:
        return _table("contents", given)
    return _lines("contents", ({name: _text(value) for name, value in row.items()} for row in rows))


def hint(given: Any) -> _core.Ballots:
    """Give what a judge answered; whose its votes are need not be told."""
    return ballots_of(given, None, {"voter": None}, 3)


def _are_texts(values: Iterable[Any]) -> bool:
    return all(value is None or isinstance(value, str) for value in values)


def _text(value: Any) -> str:
    return _frames.texts([value])[0]


def _lines(what: str, rows: Iterable[Mapping[str, str]]) -> Named:
    lines = [json.dumps(row) + "\n" for row in rows]
    if not lines:
        raise setting(what, [], f"are none: give at least one, or leave {what} out")
    return what, "".join(lines).encode()


def _table(what: str, given: Any) -> Named:
    if is_path(given):
        path = os.fspath(given)
        if not is_parquet(path):
            with open(path, "rb") as file:
                return path, file.read()
        what, given = path, parquet(path)
    # A frame that is indexed by the names of contexts has them there.
    index = getattr(given, "index", None)
    if hasattr(given, "reset_index") and type(index).__name__ != "RangeIndex":
        given = given.reset_index(names=_index_names(what, index))
    rows: list[dict[str, str]] = []
    try:
        found = _frames.table(given)
        if found is None:
            raise TypeError
        for batch in found.batches(range(len(found.names))):
            columns = [_frames.decoded(column) for column in batch]
            rows += (dict(zip(found.names, map(_text, row), strict=True)) for row in zip(*columns, strict=True))
    except TypeError:
        raise setting(what, given, "must be a table, a path, or a dict of texts") from None
    return _lines(what, rows)


def _index_names(what: str, index: Any) -> list[str]:
    """Name the levels of an index by what they hold, where they have no names of their own that say so."""
    own = ["id"] if what == "contexts" else ["item", "context"]
    return own if index.nlevels == len(own) else [str(name) for name in index.names]
