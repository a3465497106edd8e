"""Tables of any kind as columns: each is encoded by the library that owns it, and Rust gets codes with names, or numbers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any

from borduel._core import DataError

Column = Any
"""A numpy array of floats, or a pair of int32 codes (negative: missing) and the list of names that they stand for."""

BATCH = 1 << 20
"""Rows that are handed over at a time, so that memory does not grow with the votes."""

SAMPLE = 500
"""Rows that are looked at to tell which column is what; as for files."""

MOST_COLUMNS = 10_000
"""The most columns a table may have; as for files."""


@dataclass(frozen=True)
class Table:
    """A table somebody holds: its columns' names, its first rows, and its columns in batches."""

    names: list[str]
    sample: list[list[str]]
    batches: Callable[[Sequence[int]], Iterator[list[Column]]]
    scale: str | None = None
    """How answers are written, where their place alone says that they are answers."""


def table(data: Any) -> Table | None:
    """Give the columns of anything that is a table, or None for what is not."""
    module = type(data).__module__.partition(".")[0]
    if module == "borduel" and hasattr(data, "to_dict"):
        data = data.to_dict()
    if module == "pandas" and type(data).__name__ in ("Series", "Index", "MultiIndex"):
        return _rows(data.tolist())
    if module == "pandas" and hasattr(data, "iloc"):
        return _pandas(data)
    if module == "polars" and type(data).__name__ in ("DataFrame", "LazyFrame"):
        return _polars(data.collect() if type(data).__name__ == "LazyFrame" else data)
    if module == "polars" and type(data).__name__ == "Series":
        return _rows(data.to_list())
    if module == "numpy" and hasattr(data, "dtype"):
        return _array(data)
    if hasattr(data, "__arrow_c_stream__") or module == "pyarrow":
        return _arrow(data)
    if isinstance(data, Mapping):
        return _columns({str(name): column for name, column in data.items()})
    if isinstance(data, Iterable) and not isinstance(data, str | bytes):
        return _rows(list(data))
    return None


def _whole(names: list[str], column: Callable[[int], Any], encode: Callable[[Any, str], Column], length: int) -> Table:
    """Give a table whose columns are encoded whole, and handed over in batches."""

    def batches(used: Sequence[int]) -> Iterator[list[Column]]:
        columns = [encode(column(at), names[at]) for at in used]
        for start in range(0, length, BATCH):
            cut = slice(start, start + BATCH)
            yield [(c[0][cut], c[1]) if isinstance(c, tuple) else c[cut] for c in columns]

    _check_width(names)
    first = [texts(column(at)[:SAMPLE]) for at in range(len(names))]
    return Table(names, [list(row) for row in zip(*first, strict=True)], batches)


def _names(values: Iterable[Any], column: str) -> list[str]:
    """Give distinct values of a column as texts; what is no name, number or time is refused."""
    values = list(values)
    for value in values:
        if not _is_missing(value):
            _check(value, column)
    return texts(values)


def _check(value: Any, column: str) -> None:
    if isinstance(value, bytes | bytearray | memoryview):
        raise _unusable(column, f"it holds bytes ({value!r}): decode them first")
    if isinstance(value, complex | Mapping | Sequence | AbstractSet) and not isinstance(value, str):
        raise _unusable(column, f"it holds a {type(value).__name__} ({value!r}), not a name or a number")


def texts(values: Iterable[Any]) -> list[str]:
    """Give values as they would stand in a file; a missing one is empty."""
    return ["" if _is_missing(value) else _text(value) for value in values]


def _text(value: Any) -> str:
    # A whole number is written without its point, as Rust writes it.
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _is_missing(value: Any) -> bool:
    # Only what is missing, NaN and its kin, differs from itself; pandas' NA says neither yes nor no.
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        return False


def _pandas(frame: Any) -> Table:
    import pandas as pd

    def encode(series: Any, name: str) -> Column:
        dtype = series.dtype
        if isinstance(dtype, pd.CategoricalDtype):
            return series.cat.codes.to_numpy("int32"), _names(series.cat.categories, name)
        if pd.api.types.is_float_dtype(dtype):
            return series.to_numpy("float64", na_value=float("nan"))
        try:
            if pd.api.types.is_object_dtype(dtype) or getattr(dtype, "storage", None) == "python":
                codes, names = _objects(series.to_numpy(object))
            else:
                codes, names = pd.factorize(series)
        except TypeError as error:
            raise _unusable(name, str(error)) from error
        return codes.astype("int32"), _names(names, name)

    names = [str(name) for name in frame.columns]
    return _whole(names, lambda at: frame.iloc[:, at], encode, len(frame))


class _Addresses:
    """Where the objects of an array are, for numpy to read; the array must outlive it."""

    def __init__(self, objects: Any) -> None:
        import numpy as np

        self.__array_interface__ = {**objects.__array_interface__, "typestr": np.dtype(np.intp).str}


def _objects(values: Any) -> Any:
    """Give what `pandas.factorize` gives for an array of objects, but look at every object once, however many rows share it.

    Rows that say the same mostly are the same object: a column that was read from a file, mapped or taken from a list of names.
    """
    import numpy as np
    import pandas as pd

    some = values[:: max(1, len(values) // 1024)]
    if 2 * len(set(map(id, some))) > len(some):
        return pd.factorize(values)
    objects, distinct = pd.factorize(np.asarray(_Addresses(values)))
    # A row that holds each of them: any will do.
    holders = np.empty(len(distinct), dtype=np.intp)
    holders[objects] = np.arange(len(values))
    codes, names = pd.factorize(values[holders])
    return codes[objects], names


def _polars(frame: Any) -> Table:
    import polars as pl

    def encode(series: Any, name: str) -> Column:
        if series.dtype.is_float():
            return series.cast(pl.Float64).fill_null(float("nan")).to_numpy()
        if series.dtype.is_nested() or series.dtype in (pl.Binary, pl.Object):
            raise _unusable(name, f"its type is {series.dtype}")
        series = series.cast(pl.String)
        names = series.drop_nulls().unique(maintain_order=True)
        codes = series.cast(pl.Enum(names)).to_physical().cast(pl.Int32).fill_null(-1)
        return codes.to_numpy(), names.to_list()

    return _whole(list(frame.columns), lambda at: frame[:, at], encode, len(frame))


def _arrow(data: Any) -> Table:
    try:
        import pyarrow as pa
    except ImportError:
        try:
            import polars as pl
        except ImportError:
            raise TypeError(
                f"a {type(data).__name__} speaks Arrow's C interface: install pyarrow or polars to read it"
            ) from None
        return _polars(pl.DataFrame(data))

    try:
        frame = data if isinstance(data, pa.Table) else pa.table(data)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise DataError(f"a {type(data).__name__} is no table of votes: {error}") from error

    def encode(array: Any, name: str) -> Column:
        kind = array.type
        if pa.types.is_floating(kind):
            return array.cast(pa.float64()).to_numpy(zero_copy_only=False)
        binary = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary)
        if pa.types.is_nested(kind) or any(is_binary(kind) for is_binary in binary):
            raise _unusable(name, f"its type is {kind}")
        try:
            if not pa.types.is_dictionary(kind):
                array = array.dictionary_encode()
            codes = array.indices.cast(pa.int32()).fill_null(-1).to_numpy(zero_copy_only=False)
        except pa.ArrowException as error:
            raise _unusable(name, f"its type is {kind}: {error}") from error
        return codes, _names(array.dictionary.to_pylist(), name)

    def batches(used: Sequence[int]) -> Iterator[list[Column]]:
        for batch in frame.select(list(used)).to_batches(max_chunksize=BATCH):
            yield [encode(array, frame.column_names[at]) for array, at in zip(batch.columns, used, strict=True)]

    _check_width(frame.column_names)
    first = [texts(column.to_pylist()) for column in frame.slice(0, SAMPLE).columns]
    return Table(list(frame.column_names), [list(row) for row in zip(*first, strict=True)], batches)


def _columns(columns: dict[str, Any]) -> Table:
    import numpy as np

    values = [column if isinstance(column, Sequence) else np.asarray(column) for column in columns.values()]
    lengths = {name: len(column) for name, column in zip(columns, values, strict=True)}
    if len(set(lengths.values())) > 1:
        raise DataError(f"the columns have different lengths: {lengths}")

    def encode(column: Any, name: str) -> Column:
        try:
            array = np.asarray(column)
        except ValueError as error:
            raise _unusable(name, str(error)) from error
        if array.dtype.kind in "SUcO" and isinstance(column, Sequence):
            # As text, a missing value among words would be the word "nan".
            array = np.empty(len(column), dtype=object)
            array[:] = column
        if array.ndim != 1:
            raise _unusable(name, f"it has {array.ndim} dimensions")
        if array.dtype.kind in "cSV":
            raise _unusable(name, f"its type is {array.dtype}")
        if array.dtype.kind == "f":
            return array.astype("float64")
        if array.dtype.kind in "iu" and len(array) and int(array.max()) - int(array.min()) < len(array):
            least = int(array.min())
            return (array - least).astype("int32"), [str(least + at) for at in range(int(np.ptp(array)) + 1)]
        places: dict[str, int] = {}
        codes = np.empty(len(array), "int32")
        for at, value in enumerate(array.tolist()):
            text = "" if _is_missing(value) else _text(value)
            if text and text not in places:
                _check(value, name)
                places[text] = len(places)
            codes[at] = places[text] if text else -1
        return codes, list(places)

    return _whole(list(columns), lambda at: values[at], encode, max(lengths.values(), default=0))


def _array(array: Any) -> Table:
    """Give an array with named fields, or n × 2 or n × 3 values, as columns."""
    if array.dtype.names is not None:
        return _columns({name: array[name] for name in array.dtype.names})
    if array.ndim == 2 and array.shape[1] in _NAMES_OF:
        return _in_place([array[:, at] for at in range(array.shape[1])])
    if array.ndim == 1:
        return _rows(array.tolist())
    raise DataError(
        f"an array of the shape {array.shape} holds no votes: n × 2 is (winner, loser), n × 3 is (left, right, answer), "
        "n × 4 is (left, right, answer, voter)"
    )


_NAMES_OF = {
    2: ["winner", "loser"],
    3: ["left", "right", "winner"],
    4: ["left", "right", "winner", "voter"],
}


def _rows(rows: list[Any]) -> Table:
    """Give a list of dicts, of (winner, loser) pairs, or of (left, right, answer) triples as columns."""
    if all(isinstance(row, Mapping) for row in rows):
        names = list(dict.fromkeys(itertools.chain.from_iterable(rows)))
        return _columns({str(name): [row.get(name) for row in rows] for name in names})
    widths = {len(row) if isinstance(row, Sequence) and not isinstance(row, str) else 0 for row in rows}
    if len(widths) != 1 or not widths <= set(_NAMES_OF):
        raise TypeError(
            "a list of votes holds (winner, loser) pairs, (left, right, answer) triples, (left, right, answer, voter), or dicts"
        )
    return _in_place([list(column) for column in zip(*rows, strict=True)])


def _in_place(columns: list[Any]) -> Table:
    """Give columns that their place names; answers that are 1, 0 or ½ are for the left item, as everywhere here."""
    named = dict(zip(_NAMES_OF[len(columns)], columns, strict=True))
    if len(columns) > 2:
        items, answers = (
            {_text(item) for column in columns[:2] for item in column},
            {_text(answer) for answer in columns[2]},
        )
        if answers <= {"0", "1", "0.5", "True", "False"} and not answers & items:
            return replace(_columns({**named, "winner": [float(answer) for answer in columns[2]]}), scale="unit")
    return _columns(named)


def _check_width(names: Sequence[str]) -> None:
    if len(names) > MOST_COLUMNS:
        raise DataError(
            f"the table has {len(names)} columns, more than the {MOST_COLUMNS} any table needs: is it the right one?"
        )


def _unusable(name: str, why: str) -> DataError:
    error = DataError(f'the column "{name}" cannot be used: {why}')
    error.column = name
    return error


def item_columns(data: Any) -> tuple[list[str], list[str | None], list[str], Any, list[str]]:
    """Give ids, names, the names of features, the features, and unused columns of a table of items: id, name, feat_…."""
    import numpy as np

    found = table(data)
    if found is None:
        raise TypeError(f"items are a path, a table or a list of names, not {type(data).__name__}")
    lower = [name.strip().lower() for name in found.names]
    at = next((lower.index(name) for name in ("id", "item", "name") if name in lower), None)
    if at is None:
        raise DataError(f'items: has no column "id": expected id, name, feat_… and found {", ".join(found.names)}')
    name_at = lower.index("name") if "name" in lower and lower.index("name") != at else None
    features = [place for place, name in enumerate(lower) if name.startswith("feat_")]
    used = [at, *([] if name_at is None else [name_at]), *features]
    columns: list[list[Any]] = [[] for _ in used]
    for batch in found.batches(used):
        for column, part in zip(columns, batch, strict=True):
            column.extend(decoded(part))
    ids = [_text(value) for value in columns[0]]
    names: list[str | None] = [None] * len(ids)
    if name_at is not None:
        names = [None if value is None else str(value) for value in columns[1]]
    numbers = np.array([[_number(value) for value in column] for column in columns[len(used) - len(features) :]])
    unused = [name for place, name in enumerate(found.names) if place not in used]
    return ids, names, [found.names[place][5:] for place in features], numbers.T.reshape(-1), unused


def decoded(column: Column) -> list[Any]:
    """Give the values of a column, None where one is missing."""
    if isinstance(column, tuple):
        return [column[1][code] if code >= 0 else None for code in column[0].tolist()]
    return list(column.tolist())


def _number(value: Any) -> float:
    try:
        return float("nan") if value is None else float(value)
    except ValueError:
        return float("nan")
