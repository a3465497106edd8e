"""What a cheap judge, such as a language model, is worth beside people."""

from __future__ import annotations

import base64
import functools
import html
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, SupportsFloat, Unpack, overload

from borduel import _core
from borduel._found import Interval
from borduel._given import PathLike, Whole, needed, real, setting, whole
from borduel._options import check_keywords, spelled_out
from borduel._rank import check_version, interval_of
from borduel._read import DEFAULTS, Reading, ballots_of, paths_of


@dataclass(frozen=True)
class Rated:
    """How an item fares with people and with the judge."""

    item: str
    people: Interval
    """People's score: its chance to beat a random other item."""
    judge: Interval
    """The judge's."""
    people_place: int
    """Its place by people's scores, from 1."""
    judge_place: int
    bias: Interval
    """By how much the judge overrates it, as a share; the interval holds for all items together."""
    clear: bool
    """Whether that is beyond chance, all items taken together."""


@dataclass(frozen=True)
class Sides:
    """What the first side gains between equal items, as a share; None where that cannot be told."""

    people: Interval | None
    judge: Interval | None


@dataclass(frozen=True)
class Agreement:
    """How far two agree beyond chance who answer the same question (Krippendorff's α)."""

    judge: Interval
    """The judge and a person."""
    people: Interval | None
    """Two people, where a question was answered by more than one."""
    questions: int
    """The questions that both judge and people answered."""


@dataclass(frozen=True)
class Saving:
    """What the judge's answers would save of people's votes, once it has answered every pair on every context."""

    correlation: Interval
    """ρ, the correlation of a person's answer and the judge's within pairs."""
    share: Interval
    """The share of people's votes that it saves, ρ²; nothing where ρ is negative."""
    pairs: int
    """Pairs that both answered in two contexts or more."""


@dataclass(frozen=True)
class Paid:
    """What asking the judge first costs, and what that saves, at given prices."""

    prices: tuple[float, float]
    """What an answer of a person costs, and one of the judge."""
    questions: float
    """The questions that the judge has to answer: every pair on every context."""
    cost: float
    """What they cost."""
    saves: tuple[float, float]
    """What the votes of people cost that it saves, of those that there are: at least, and at most."""
    pays_from: float | None
    """From how many votes of people on it pays; None where it saves nothing."""


class JudgeWorth(Sequence[Rated]):
    """What a judge is worth; the items of both, by people's scores. Made by `judge`."""

    def __init__(self, text: str, parts: tuple[Any, ...]) -> None:
        self._text = text
        self._parts = parts
        self._data: dict[str, Any] = json.loads(text)
        self._items = [_rated(item) for item in self._data["items"]]

    @functools.cached_property
    def _made(self) -> _core.JudgeWorth:
        """The same in Rust, for pictures and pages: after unpickling it is made again when one is asked for."""
        return _core.judge(*self._parts)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (_core.__version__, self._text, self._parts)

    @overload
    def __getitem__(self, index: int | str) -> Rated: ...
    @overload
    def __getitem__(self, index: slice) -> list[Rated]: ...
    def __getitem__(self, index: int | str | slice) -> Rated | list[Rated]:
        """Give an item by its place with people from 0, or by its name."""
        if isinstance(index, str):
            for item in self._items:
                if item.item == index:
                    return item
            raise KeyError(index)
        return self._items[index]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Rated]:
        return iter(self._items)

    @property
    def verdict(self) -> str:
        """What the judge is worth, in two or three sentences."""
        return str(self._data["text"])

    @property
    def details(self) -> list[str]:
        """The details, a sentence each."""
        return list(self._data["details"])

    @property
    def biased(self) -> list[Rated]:
        """The items that are over- or underrated beyond chance, the most first."""
        clear = [item for item in self._items if item.clear]
        return sorted(clear, key=lambda item: -abs(item.bias.estimate or 0.0))

    @property
    def saving(self) -> Saving | None:
        """What its answers would save; None where the two have no pair on two contexts in common."""
        found = self._data["saving"]
        if found is None:
            return None
        return Saving(interval_of(found["correlation"]), interval_of(found["share"]), found["pairs"])

    @property
    def paid(self) -> Paid | None:
        """What its answers cost and save at ``prices``; None without them, or where that cannot be told."""
        found = self._data.get("paid")
        if found is None:
            return None
        prices, saves = found["prices"], found["saves"]
        own = {key: found[key] for key in ("questions", "cost", "pays_from")}
        return Paid(prices=(prices["person"], prices["judge"]), saves=(saves[0], saves[1]), **own)

    @property
    def agreement(self) -> Agreement | None:
        """How far it agrees with people; None where the two have no question in common."""
        found = self._data["agreement"]
        if found is None:
            return None
        return Agreement(interval_of(found["judge"]), _perhaps(found["people"]), found["questions"])

    @property
    def sides(self) -> Sides:
        """Which side is preferred."""
        found = self._data["sides"]
        return Sides(_perhaps(found["people"]), _perhaps(found["judge"]))

    @property
    def ties(self) -> tuple[float, float]:
        """The shares of ties among people's answers, and among the judge's."""
        return self._data["ties"]["people"], self._data["ties"]["judge"]

    @property
    def itself(self) -> Interval | None:
        """By how much the judge, being an item, overrates itself, as a share: where ``judge_is`` was given."""
        found = self._data["itself"]
        return None if found is None else interval_of(found[1])

    @property
    def sharpness(self) -> float:
        """How much surer the judge is than a person, which is no bias."""
        return float(self._data["sharpness"])

    @property
    def correlation(self) -> float:
        """The rank correlation of both scores (Spearman's)."""
        return float(self._data["correlation"])

    @property
    def votes(self) -> tuple[float, float]:
        """People's used votes on these items, and the judge's."""
        people, judge = self._data["votes"]
        return people, judge

    @property
    def left_out(self) -> list[str]:
        """Items that only one of them ranks."""
        return list(self._data["left_out"])

    def summary(self) -> str:
        """Give what ``borduel judge`` prints: the sentences, the table, the details."""
        return str(self)

    def to_dict(self) -> dict[str, Any]:
        """Give the object that ``borduel judge --format json`` prints."""
        data: dict[str, Any] = json.loads(self._text)
        return data

    def to_json(self) -> str:
        """Give the bytes that ``borduel judge --format json`` prints."""
        return self._text

    def to_pandas(self) -> Any:
        """Give the items as a pandas DataFrame by item: scores, places, by how much each is overrated."""
        columns: dict[str, list[Any]] = {"item": [item.item for item in self._items]}
        for what in ("people", "judge", "bias"):
            found = [getattr(item, what) for item in self._items]
            columns[what] = [x.estimate for x in found]
            columns.update({f"{what}_{end}": [getattr(x, end) for x in found] for end in ("low", "high")})
            columns[f"{what}_se"] = [x.error for x in found]
        columns.update({n: [getattr(x, n) for x in self._items] for n in ("people_place", "judge_place", "clear")})
        return needed("pandas", "to_pandas()", "pandas").DataFrame(columns).set_index("item")

    def svg(self) -> str:
        """Give the picture: people's scores against the judge's."""
        return self._made.svg()

    def html(self) -> str:
        """Give the command's page: the sentences, the picture, details and numbers, in one offline file."""
        return self._made.page()

    def report(self, path: PathLike) -> None:
        """Write that page to a file."""
        Path(path).write_text(self.html(), encoding="utf-8")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, JudgeWorth) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __str__(self) -> str:
        return self._made.text()

    def __repr__(self) -> str:
        return f"JudgeWorth on {len(self)} items: {self.verdict}"

    def _repr_html_(self) -> str:
        # As a picture of its own: its style cannot touch the notebook's, nor the other way round.
        picture = base64.b64encode(self.svg().encode()).decode()
        image = f'<img alt="People\'s scores against the judge\'s" src="data:image/svg+xml;base64,{picture}">'
        return f"<p><b>{html.escape(self.verdict)}</b></p>{image}{self._made.table()}"


def _rated(data: Mapping[str, Any]) -> Rated:
    intervals = {name: interval_of(data[name]) for name in ("people", "judge", "bias")}
    return Rated(**{**data, **intervals})


def _perhaps(data: Mapping[str, Any] | None) -> Interval | None:
    return None if data is None else interval_of(data)


def _unpickled(version: str, text: str, parts: tuple[Any, ...]) -> JudgeWorth:
    check_version("judge's worth", version)
    return JudgeWorth(text, parts)


class JudgeOptions(Reading, total=False):
    """What `judge` takes beside votes."""

    judge_is: str | None
    level: SupportsFloat
    prices: tuple[SupportsFloat, SupportsFloat] | None
    jobs: Whole | None


JUDGING: dict[str, Any] = {"judge_is": None, "level": 0.95, "prices": None, "jobs": None}
"""What is meant where a keyword of judging is not given."""


@spelled_out(JudgeOptions, {**JUDGING, **DEFAULTS})
def judge(people: Any, judge: Any, **options: Unpack[JudgeOptions]) -> JudgeWorth:
    """Say what a cheap judge, such as a language model, is worth beside people.

    Whom it over- and underrates, which side it prefers, how far it agrees with people, and how many of their votes its answers
    would save. What it saves takes votes with contexts, such as prompts, on both sides.

    Parameters
    ----------
    people, judge
        Votes on the same items under the same names: anything that `read` takes. Where the two are written differently, read each
        by itself, and give the `Ballots`.
    judge_is
        The item that the judge is, if it is one: whether it favours itself.
    level
        The confidence of all intervals, as a share of 1.
    prices
        What an answer of a person costs, and one of the judge, such as ``(1, 0.01)``: whether it pays to ask the judge first.
    jobs
        How many threads work; the results do not depend on it.
    left, right, winner, loser, voter, context, rows, words, answer_scale, ties, lenient, …
        How votes are read: see `read`. The voter is people's: the judge's votes need not have one.

    Returns
    -------
    JudgeWorth
        The items with both scores and the judge's bias; ``verdict`` is the sentence.

    Examples
    --------
    >>> import borduel as bd
    >>> def votes(ab, ac, bc):
    ...     shares = {("a", "b"): ab, ("a", "c"): ac, ("b", "c"): bc}
    ...     return [pair for (i, j), won in shares.items() for pair in [(i, j)] * won + [(j, i)] * (200 - won)]
    >>> worth = bd.judge(votes(140, 150, 110), votes(60, 70, 110))
    >>> worth["a"].people_place, worth["a"].judge_place
    (1, 3)
    """
    check_keywords("judge", options, {**JUDGING, **DEFAULTS})
    reading = {name: value for name, value in options.items() if name in DEFAULTS}
    given = {**JUDGING, **{name: value for name, value in options.items() if name in JUDGING}}
    jobs, prices = given["jobs"], given["prices"]
    if prices is not None and (not isinstance(prices, tuple) or len(prices) != 2):
        raise setting("prices", prices, "needs two: a person's answer and the judge's, such as (1, 0.01)")
    ours = ballots_of(people, None, reading, 3)
    theirs = ballots_of(judge, None, {**reading, "voter": None}, 3)
    parts = (
        ours,
        theirs,
        real("level", given["level"]),
        None if given["judge_is"] is None else str(given["judge_is"]),
        (", ".join(paths_of(people)) or "people", ", ".join(paths_of(judge)) or "the judge"),
        None if jobs is None else whole("jobs", jobs, 1),
        None if prices is None else (real("prices", prices[0]), real("prices", prices[1])),
    )
    core = _core.judge(*parts)
    worth = JudgeWorth(core.json(), parts)
    worth._made = core
    return worth
