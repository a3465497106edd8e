"""Progress: a bar where tqdm is installed, a line on a terminal otherwise, or a function of one's own."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

Progress = bool | Callable[[int, int], None] | None
"""True for a bar or a line, False or None for nothing, or a function of what is done and what there is to do."""


@contextlib.contextmanager
def told(progress: Progress, unit: str) -> Iterator[Callable[[int, int], None] | None]:
    """Give something to be told how far it is, and tidy up behind it."""
    if progress is None or progress is False:
        yield None
    elif progress is not True:
        yield progress
    else:
        bar = _bar(unit)
        if bar is None:
            yield _line(unit) if sys.stderr.isatty() else None
            if sys.stderr.isatty():
                sys.stderr.write("\r\x1b[K")
        else:
            with bar:
                yield lambda done, total: _set(bar, done, total)


def _bar(unit: str) -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm(unit=unit, unit_scale=True, leave=False, disable=None)


def _set(bar: Any, done: int, total: int) -> None:
    bar.total = total
    bar.update(done - bar.n)


def _line(unit: str) -> Callable[[int, int], None]:
    def tell(done: int, total: int) -> None:
        sys.stderr.write(f"\r{100 * done // max(total, 1):3d} % of {total:,} {unit}")
        sys.stderr.flush()

    return tell
