"""What users give: numbers and names of any library as Python's own, and refusals that say what is wrong with them."""

from __future__ import annotations

import difflib
import math
import operator
import os
from collections.abc import Iterable, Mapping
from typing import Any, SupportsFloat, SupportsIndex

from borduel import _core

PathLike = str | os.PathLike[str]

Whole = SupportsIndex | SupportsFloat
"""A whole number: Python's or numpy's, or a float without a fraction, such as 1e3."""

Names = Iterable[object]
"""Names: a list, a tuple, a set, an array, a Series, an Index."""


def setting(name: str, value: object, remedy: str) -> _core.SettingError:
    """Give the refusal of a setting."""
    error = _core.SettingError(f"{name} = {value!r}: {remedy}")
    error.name, error.value, error.remedy = name, str(value), remedy
    return error


def unknown(kind: str, value: object, known: Iterable[str]) -> _core.UnknownNameError:
    """Give the refusal of a name that is not on the list."""
    known = list(known)
    near = difflib.get_close_matches(str(value), known, 1)
    remedy = f'did you mean "{near[0]}"?' if near else f"known are: {', '.join(known)}"
    error = _core.UnknownNameError(f'unknown {kind} "{value}"; {remedy}')
    error.name, error.value, error.remedy, error.suggestion = kind, str(value), remedy, near[0] if near else None
    return error


def data(
    text: str, *, file: str | None = None, row: int | None = None, column: str | None = None, value: str | None = None
) -> _core.DataError:
    """Give the refusal of data."""
    error = _core.DataError(text)
    error.file, error.row, error.column, error.value = file, row, column, value
    return error


def one_of(kind: str, value: object, known: Iterable[str]) -> None:
    """Refuse a word that is not on the list."""
    if value not in (known := list(known)):
        raise unknown(kind, value, known)


def whole(name: str, value: Whole, least: int = 0) -> int:
    """Take a whole number, of at least so much."""
    number = None
    if not isinstance(value, str | bytes | bool):
        try:
            number = operator.index(value)  # type: ignore[arg-type]
        except TypeError:
            if (real := _real(value)) is not None and real.is_integer():
                number = int(real)
    if number is None:
        raise setting(name, value, "must be a whole number")
    if number < least:
        raise setting(name, value, f"must be at least {least}")
    return number


def real(name: str, value: SupportsFloat) -> float:
    """Take a finite number."""
    number = None if isinstance(value, str | bytes | bool) else _real(value)
    if number is None or not math.isfinite(number):
        raise setting(name, value, "must be a finite number")
    return number


def _real(value: object) -> float | None:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None


def names(name: str, values: Names) -> list[str]:
    """Take a list of names, of any kind; a set has no order and is sorted."""
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise setting(name, values, "must be a list of names")
    texts = [str(value) for value in values]
    return sorted(texts) if isinstance(values, set | frozenset) else texts


def seed_of(value: Any) -> int:
    """Take a seed; None is any, and then known."""
    return _core.seed_of(value)


def needed(module: str, what: str, extra: str) -> Any:
    """Import what is not always there, or say how to have it."""
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"{what} needs {module.partition('.')[0]}: pip install {extra}") from error
