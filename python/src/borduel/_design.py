"""Which pairs to ask next, in which order and on which side, and what precision that will buy."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from borduel import _core
from borduel._rank import check_version, items_of, read

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Design(Sequence[tuple[str, str]]):
    """Questions in the order in which to ask them, (left, right); one may stop at any time. Made by `design`."""

    def __init__(
        self,
        text: str,
        asks: list[tuple[str, str]],
        items: _core.Items,
        wishes: Mapping[str, Any],
        votes: _core.Ballots | None,
    ) -> None:
        self._text = text
        self._asks = asks
        self._asked = (items, wishes, votes)
        self._data: dict[str, Any] = json.loads(text)

    @functools.cached_property
    def _made(self) -> _core.Design:
        """The design in Rust, for its sheet and its words: after unpickling it is made again when they are asked for."""
        return _core.design(*self._asked)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (_core.__version__, self._text, self._asks, *self._asked)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Design) and self._text == other._text and self._asks == other._asks

    def __hash__(self) -> int:
        return hash(self._text)

    def __getitem__(self, index: Any) -> Any:
        return self._asks[index]

    def __len__(self) -> int:
        return len(self._asks)

    @property
    def sheet(self) -> dict[str, list[Any]]:
        """The questions as columns, to be filled in: what ``pandas.DataFrame`` and ``polars.DataFrame`` take."""
        lefts, rights = [left for left, _ in self._asks], [right for _, right in self._asks]
        return {"ask": list(range(1, len(self) + 1)), "left": lefts, "right": rights, "winner": [None] * len(self)}

    @property
    def curve(self) -> list[dict[str, float | None]]:
        """Precision against budget: asked, spent, and half-widths (mean, worst, difference)."""
        return list(self._data["curve"])

    @property
    def half_widths(self) -> dict[str, float | None]:
        """The half-width of every item's interval at the end."""
        return {item["item"]: item["half_width"] for item in self._data["items"]}

    @property
    def contenders(self) -> list[str]:
        """The items that may still be best, the leader first."""
        return list(self._data["contenders"])

    def to_dict(self) -> dict[str, Any]:
        """Give the object that ``borduel design --format json`` prints."""
        data: dict[str, Any] = json.loads(self._text)
        return data

    def to_pandas(self) -> Any:
        """Give the sheet as a pandas DataFrame."""
        import pandas as pd

        return pd.DataFrame(self.sheet)

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the sheet that ``borduel design`` prints; filled in, `rank` reads it back."""
        Path(path).write_text(self._made.csv(), encoding="utf-8")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw precision against budget in matplotlib."""
        from borduel._plot import precision

        return precision(self, ax)

    def __str__(self) -> str:
        return self._made.text()

    def __repr__(self) -> str:
        return f"Design({len(self)} questions)"


def _unpickled(version: str, *parts: Any) -> Design:
    check_version("design", version)
    return Design(*parts)


def design(
    items: Any = None,
    budget: float = 100,
    *,
    votes: Any = None,
    goal: Literal["winner", "all"] = "winner",
    exclude_pairs: Sequence[tuple[str, str]] = (),
    exclude_items: Sequence[str] = (),
    most_per_pair: int | None = None,
    least_per_item: int = 0,
    costs: Mapping[tuple[str, str], float] | None = None,
    level: float = 0.95,
    margin: float = 0.02,
    seed: int = 1,
    **reading: Any,
) -> Design:
    """Choose which pairs to ask next, and say what precision that will buy.

    Parameters
    ----------
    items
        See `read`; those that the votes are about, unless given.
    budget
        How many questions may be asked; with costs, what may be spent.
    votes
        Votes there are already; see `read`.
    goal
        ``"winner"``: the gaps of those who may still be best; ``"all"``: every item's score.
    exclude_pairs, exclude_items, most_per_pair, least_per_item
        What must not be asked, and how often what may.
    costs
        What questions cost; pairs not named cost 1.
    level, margin
        The confidence of predicted intervals; gaps below the margin are not worth telling apart. As shares of 1.
    seed
        Where all random numbers come from.
    **reading
        Everything else that `read` takes.

    Returns
    -------
    Design
        The questions.

    Examples
    --------
    >>> import borduel as bd
    >>> plan = bd.design(["ash", "birch", "cedar"], 30)
    >>> len(plan)
    30
    """
    if items is None and votes is None:
        raise _core.SettingError("items = None: give the items, or votes that are about them")
    listed = None if items is None else items_of(items)
    ballots = None if votes is None else read(votes, items=listed, **reading)
    if listed is None and ballots is not None:
        listed = items_of(ballots.items)
    assert listed is not None
    wishes = {
        "budget": float(budget),
        "goal": goal,
        "exclude_pairs": [(str(a), str(b)) for a, b in exclude_pairs],
        "exclude_items": [str(item) for item in exclude_items],
        "most_per_pair": most_per_pair,
        "least_per_item": least_per_item,
        "costs": [(str(a), str(b), float(cost)) for (a, b), cost in (costs or {}).items()],
        "level": level,
        "margin": margin,
        "seed": seed,
    }
    core = _core.design(listed, wishes, ballots)
    made = Design(core.json(), core.asks(), listed, wishes, ballots)
    made._made = core
    return made
