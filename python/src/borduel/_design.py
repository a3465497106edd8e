"""Which pairs to ask next, in which order and on which side, and what precision that will buy."""

from __future__ import annotations

import functools
import html
import json
import numbers
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, SupportsFloat, Unpack, overload

from borduel import _core
from borduel._given import Names, PathLike, Whole, names, needed, one_of, real, seed_of, setting, whole
from borduel._log import SHOWN, table_of
from borduel._options import check_keywords, spelled_out
from borduel._rank import check_version
from borduel._read import DEFAULTS, Reading, ballots_of, items_of, paths_of

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes


Opinion = _core.Ballots | list[tuple[str, float]]
"""A judge's votes, or its scores of items."""


class Design(Sequence[tuple[str, str]]):
    """Questions in the order in which to ask them, (left, right); one may stop at any time. Made by `design`."""

    def __init__(
        self,
        text: str,
        asks: list[tuple[str, str]],
        items: _core.Items,
        wishes: Mapping[str, Any],
        votes: _core.Ballots | None,
        hints: list[tuple[str, Opinion]],
    ) -> None:
        self._text = text
        self._asks = asks
        self._asked = (items, wishes, votes, hints)
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

    @overload
    def __getitem__(self, index: int) -> tuple[str, str]: ...
    @overload
    def __getitem__(self, index: slice) -> list[tuple[str, str]]: ...
    def __getitem__(self, index: int | slice) -> tuple[str, str] | list[tuple[str, str]]:
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
        return needed("pandas", "to_pandas()", "pandas").DataFrame(self.sheet)

    def to_csv(self, path: PathLike) -> None:
        """Write the sheet that ``borduel design`` prints; filled in, `rank` reads it back."""
        Path(path).write_text(self._made.csv(), encoding="utf-8")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw precision against budget in matplotlib."""
        from borduel._plot import precision

        return precision(self.curve, ax)

    def __str__(self) -> str:
        return self._made.text().replace("--most-per-pair", "most_per_pair")

    def __repr__(self) -> str:
        return f"Design({len(self)} questions)"

    def _repr_html_(self) -> str:
        said = html.escape(str(self)).replace("\n", "<br>")
        rows = [(at, *pair) for at, pair in enumerate(self._asks[:SHOWN], 1)]
        more = "" if len(self) <= SHOWN else f"<p>The first {SHOWN} of {len(self):,} questions:</p>"
        return f"<p>{said}</p>{more}{table_of(('ask', 'left', 'right'), rows)}"


def _unpickled(version: str, *parts: Any) -> Design:
    check_version("design", version)
    return Design(*parts)


@spelled_out(Reading, DEFAULTS)
def design(
    items: Any = None,
    budget: SupportsFloat = 100,
    *,
    votes: Any = None,
    hint: Any = None,
    trust: Literal["checked", "typical", "model"] = "checked",
    goal: Literal["winner", "all"] = "winner",
    exclude_pairs: Iterable[tuple[object, object]] = (),
    exclude_items: Names = (),
    most_per_pair: Whole | None = None,
    least_per_item: Whole = 0,
    costs: Mapping[tuple[Any, Any], SupportsFloat] | None = None,
    level: SupportsFloat = 0.95,
    margin: SupportsFloat = 0.02,
    seed: int | np.random.SeedSequence | np.random.Generator | None = 1,
    **reading: Unpack[Reading],
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
    hint
        What a judge, such as a language model, thinks of the items: its votes, read as the others are, or a mapping of
        items to scores; of several judges a tuple of these. It says which pairs to ask first, counts as no vote, and
        no width rests on it.
    trust
        How far hints are believed when pairs are chosen: ``"checked"``, as far as the votes bear it out, item by item;
        ``"typical"``, the same provided that they are wrong about no item in particular; ``"model"``, altogether.
    goal
        ``"winner"``: the gaps of those who may still be best; ``"all"``: every item's score.
    exclude_pairs, exclude_items, most_per_pair, least_per_item
        What must not be asked, and how often what may.
    costs
        What questions cost; pairs not named cost 1.
    level, margin
        The confidence of predicted intervals; gaps below the margin are not worth telling apart. As shares of 1.
    seed
        Where all random numbers come from; None: anywhere.
    left, right, winner, loser, voter, rows, words, answer_scale, ties, lenient, …
        How votes are read: see `read`.

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
        raise setting("items", None, "give the items, or votes that are about them")
    check_keywords("design", reading, DEFAULTS)
    if votes is None and hint is None and reading:
        raise setting(next(iter(reading)), "given", "is about reading votes, and there are none: give votes=")
    one_of("goal", goal, ("winner", "all"))
    one_of("trust", trust, ("checked", "typical", "model"))
    if hint is None and trust != "checked":
        raise setting("trust", trust, "says how far a hint is believed, and there is none: give hint=")
    listed = None if items is None else items_of(items)
    ballots = None if votes is None else ballots_of(votes, listed, reading, 3)
    if listed is None and ballots is not None:
        listed = items_of(ballots.items)
    assert listed is not None
    wishes = {
        "budget": real("budget", budget),
        "goal": goal,
        "exclude_pairs": [(str(a), str(b)) for a, b in exclude_pairs],
        "exclude_items": names("exclude_items", exclude_items),
        "most_per_pair": None if most_per_pair is None else whole("most_per_pair", most_per_pair, 1),
        "least_per_item": whole("least_per_item", least_per_item),
        "costs": [(str(a), str(b), real("costs", cost)) for (a, b), cost in (costs or {}).items()],
        "level": real("level", level),
        "margin": real("margin", margin),
        "seed": seed_of(seed),
        "trust": trust,
    }
    hints = _opinions(hint, reading)
    core = _core.design(listed, wishes, ballots, hints)
    made = Design(core.json(), core.asks(), listed, wishes, ballots, hints)
    made._made = core
    return made


def _opinions(hint: Any, reading: Reading) -> list[tuple[str, Opinion]]:
    """Name what each judge thinks: after its file, if it has one."""
    several = hint if isinstance(hint, tuple) else () if hint is None else (hint,)
    numbered = [f"hint {number}" for number in range(1, len(several) + 1)] if len(several) > 1 else ["the hint"]
    return [
        (paths[0] if len(paths := paths_of(one)) == 1 else name, _opinion(one, reading))
        for name, one in zip(numbered, several, strict=False)
    ]


def _opinion(hint: Any, reading: Reading) -> Opinion:
    if isinstance(hint, Mapping) and all(isinstance(score, numbers.Real) for score in hint.values()):
        return [(str(item), real("hint", score)) for item, score in hint.items()]
    return ballots_of(hint, None, {**reading, "voter": None}, 5)
