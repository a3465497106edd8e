"""From votes to a ranking: scores with intervals, ranks, a verdict and its checks."""

from __future__ import annotations

import base64
import functools
import html
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, SupportsFloat, Unpack, overload

from borduel import _core
from borduel._found import (
    AboutContexts,
    Check,
    Fewest,
    FewestVotes,
    Hint,
    Interval,
    ItemScore,
    Reliability,
    RestsOn,
    RowError,
    Rows,
    Verdict,
    VoterReliability,
    VotesOfAKind,
)
from borduel._given import Names, PathLike, Whole, names, needed, one_of, real, seed_of, setting, unknown, whole
from borduel._options import check_keywords, spelled_out
from borduel._read import DEFAULTS, Reading, ballots_of, items_of, log, paths_of

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes


class Ranking(Sequence[ItemScore]):
    """The items by score, best first; ``ranking["name"]`` is one of them. Made by `rank`."""

    def __init__(
        self,
        text: str,
        ballots: _core.Ballots,
        ranks: Mapping[str, Any],
        items: _core.Items | None = None,
        paths: Sequence[str] = (),
        hint: _core.Ballots | None = None,
    ) -> None:
        self._text = text
        self._paths = paths
        self._ballots = ballots
        self._asked = (ranks, items)
        self._hint = hint
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
        return _core.rank(self._ballots, ranks, items, self._hint)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (_core.__version__, self._text, self._ballots, *self._asked, self._paths, self._hint)

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
            return self._items[self._place(index)]
        return self._items[index]

    def _place(self, name: str) -> int:
        if name not in self._places:
            raise KeyError(name)
        return self._places[name]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[ItemScore]:
        return iter(self._items)

    @property
    def verdict(self) -> Verdict:
        """Who is best, and how sure that is."""
        v = self._data["verdict"]
        told, few = v["forecast"] or {}, v["few_voters"]
        needed = (told["low"], told["high"]) if "low" in told else None
        winners = tuple(v["winners"])
        contexts = v.get("contexts") or {}
        more = (contexts["low"], contexts["high"]) if "low" in contexts else None
        return Verdict(v["kind"], v["text"], winners, told.get("kind"), needed, v["margin"], few, more)

    @property
    def contexts(self) -> AboutContexts | None:
        """About which contexts it speaks, and who is strong where; ``None`` where the votes have none."""
        data = self._data.get("contexts")
        if data is None:
            return None
        told = data.get("map")
        names = self._data["all_items"]
        scores = (
            {}
            if told is None
            else {
                context["name"]: {
                    names[item]: share for item, share in zip(told["items"], context["borda"], strict=True)
                }
                for context in told["contexts"]
            }
        )
        return AboutContexts(data["about"], data["why"], data["seen"], data["are"], data["without"], scores)

    @property
    def checks(self) -> list[Check]:
        """What was looked at in the votes, and what was found."""
        return [Check(check["name"], check["ok"], check["text"]) for check in self._data["checks"]]

    @property
    def rests_on(self) -> RestsOn | None:
        """The fewest votes, voters and contexts that were found without which another item is first."""
        data = self._data.get("rests_on")
        if data is None:
            return None
        votes, text = data["votes"], data["text"]
        kinds = () if votes is None else tuple(VotesOfAKind(**kind) for kind in votes["which"])
        found = None if votes is None else FewestVotes(votes["removed"], votes["of"], votes["first"], kinds)
        return RestsOn(found, _fewest(data["voters"]), _fewest(data.get("contexts")), text)

    @property
    def reliability(self) -> Reliability | None:
        """How far voters can be relied on; ``None`` where fewer than ten are named, or votes are weighted."""
        data = self._data.get("reliability")
        if data is None:
            return None
        voters = (VoterReliability(v["voter"], v["votes"], interval_of(v["carries"])) for v in data["voters"])
        losses = data["log_loss_alike"], data["log_loss"]
        without, first = data.get("without"), data.get("first_alike")
        least = None if without is None else without["first"]
        return Reliability(
            tuple(voters), data["spread"], data["p"], losses, least, data["weighed"], first, data["text"]
        )

    @property
    def hint(self) -> Hint | None:
        """What the judge of ``rank(…, hint=…)`` is worth, and what its answers did; ``None`` without one."""
        data = self._data.get("hint")
        if data is None:
            return None
        control = data.get("control") or {}
        return Hint(data["saved"], control.get("correlation"), control.get("pairs", 0), data["text"])

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
        return self._ballots.notes

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
            raise setting("chances", False, "rank with chances=True to have the chances of all pairs")
        return float(chances[self._place(first)][self._place(second)])

    @property
    def scores(self) -> Any:
        """Give the Borda scores as a pandas Series by item, best first."""
        pd = needed("pandas", "scores", "pandas")
        return pd.Series([x.borda.estimate for x in self], [x.item for x in self], name="borda", dtype=float)

    def conf_int(self) -> Any:
        """Give the intervals of the scores as a pandas DataFrame by item, ``low`` and ``high``; their level is that of `rank`."""
        pd = needed("pandas", "conf_int()", "pandas")
        ends = [(x.borda.low, x.borda.high) for x in self]
        return pd.DataFrame(ends, index=pd.Index([x.item for x in self], name="item"), columns=["low", "high"])

    def summary(self) -> str:
        """Give what ``borduel rank`` prints: verdict, scores with intervals, checks."""
        return str(self)

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
        raise unknown("table", what, ("items", "pairs", "checks"))

    def to_pandas(self, what: Literal["items", "pairs", "checks"] = "items") -> Any:
        """Give a pandas DataFrame of the items (by item), of the pairs that were compared, or of the checks."""
        frame = needed("pandas", "to_pandas()", "pandas").DataFrame(self._columns(what))
        return frame.set_index("item") if what == "items" else frame

    def to_polars(self, what: Literal["items", "pairs", "checks"] = "items") -> Any:
        """Give the same as a polars DataFrame."""
        return needed("polars", "to_polars()", "polars").DataFrame(self._columns(what))

    def to_arrow(self, what: Literal["items", "pairs", "checks"] = "items") -> Any:
        """Give the same as a pyarrow Table."""
        return needed("pyarrow", "to_arrow()", "pyarrow").table(self._columns(what))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw scores and intervals in matplotlib; filled marks may be best."""
        from borduel._plot import forest

        return forest(self, self.verdict, ax)

    def svg(self) -> str:
        """Give the forest plot of the command's page."""
        return self._made.svg()

    def html(self, *, question: str | None = None, date: str | None = None) -> str:
        """Give the command's page: verdict, plot, checks, pairs, numbers, in one offline file.

        Its head names the question that was asked and a date, where they are given. Votes that came from files have the files'
        names there, and the day on which they were last changed unless there is a date.
        """
        return self._made.page(question, self._paths, date)

    def report(self, path: PathLike, *, question: str | None = None, date: str | None = None) -> None:
        """Write that page to a file."""
        Path(path).write_text(self.html(question=question, date=date), encoding="utf-8")

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


def interval_of(data: Mapping[str, Any]) -> Interval:
    return Interval(data["estimate"], data["low"], data["high"], data["error"])


def _fewest(data: Mapping[str, Any] | None) -> Fewest | None:
    return None if data is None else Fewest(tuple(data["which"]), data["of"], data["first"])


def _item(data: Mapping[str, Any]) -> ItemScore:
    strength = data.get("strength")
    return ItemScore(
        item=data["item"],
        name=data.get("name"),
        borda=interval_of(data["borda"]),
        tier=data["tier"],
        rank=(data["rank"]["low"], data["rank"]["high"]),
        p_best=data["p_best"],
        strength=None if strength is None else interval_of(strength),
        **{name: data[name] for name in ("wins", "losses", "ties", "both_bad", "skips", "soft")},
    )


def _item_columns(items: Sequence[ItemScore]) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {
        "item": [item.item for item in items],
        "name": [item.name for item in items],
        "tier": [item.tier for item in items],
        "borda": [item.borda.estimate for item in items],
        "borda_low": [item.borda.low for item in items],
        "borda_high": [item.borda.high for item in items],
        "borda_se": [item.borda.error for item in items],
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
        columns["strength_se"] = [None if s is None else s.error for s in strengths]
    return columns


def _transposed(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, list[Any]]:
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}


class RankOptions(Reading, total=False):
    """What `rank` takes beside votes and items."""

    model: Literal["features", "one-hot", "counts"] | None
    level: SupportsFloat
    margin: SupportsFloat
    clustered: bool
    about: Literal["these", "such", "ignore"] | None
    voters: Literal["alike", "weigh"]
    bootstrap: Whole | None
    seed: int | np.random.SeedSequence | np.random.Generator | None
    least_votes: SupportsFloat
    exclude_items: Names
    adjust: Literal["position"] | None
    strength: bool
    scale: Literal["log-odds", "elo"] | None
    anchor: SupportsFloat | tuple[str, SupportsFloat] | None
    chances: bool
    sequential: bool
    trust: Literal["checked", "typical", "model", "nothing"]
    jobs: Whole | None


RANKING: dict[str, Any] = {
    "model": None,
    "level": 0.95,
    "margin": 0.02,
    "clustered": True,
    "about": None,
    "voters": "alike",
    "bootstrap": None,
    "seed": 1,
    "least_votes": 0,
    "exclude_items": (),
    "adjust": None,
    "strength": False,
    "scale": None,
    "anchor": None,
    "chances": False,
    "sequential": False,
    "trust": "checked",
    "jobs": None,
}
"""What is meant where a keyword of ranking is not given."""


@spelled_out(RankOptions, {**RANKING, **DEFAULTS})
def rank(votes: Any, *, items: Any = None, hint: Any = None, **options: Unpack[RankOptions]) -> Ranking:
    """Rank items from votes: scores with intervals, a verdict, and checks.

    Without features and with hundreds of items, the covariance of their scores takes a while (half a minute for 500): give
    features, or take ``model="counts"``.

    Parameters
    ----------
    votes, items
        See `read`; or `Ballots`.
    hint
        Votes of a judge, such as a language model, read as the others are. They count as no votes: see `Ranking.hint`. With
        ``sequential=True``, what it thinks of the items is believed as far as ``trust`` says.
    model
        Where the chances come from: the items' features where there are any, otherwise one parameter per item
        (Bradley–Terry), or the counts alone.
    level, margin
        The confidence of all intervals; scores closer than the margin count as equal. As shares of 1.
    clustered
        Whether to allow for voters' habits where voters are known, and for answers to one question.
    about
        What is asked about contexts, such as prompts, where votes have them: who is best on ``"these"`` alone, on ``"such"``, of
        which these are a sample, or ``"ignore"``. Every context counts alike. None: such from 8 on, these below.
    voters
        What a voter's votes count: all ``"alike"``, or (``"weigh"``) as much as their other answers agree with what the other
        voters say, which changes whose winner it is. See `Ranking.reliability`.
    bootstrap, seed
        Percentile intervals from so many resamplings of the voters; where all random numbers come from (None: anywhere).
    least_votes, exclude_items
        Items with fewer votes, and these items, are left out with their votes.
    adjust
        ``"position"``: estimate what the left side adds, and remove it.
    strength, scale, anchor
        Whether Bradley–Terry strengths are wanted, on which scale, and with which points for the mean or for an item.
    chances
        Whether the chances of all pairs are wanted: see `Ranking.probability`.
    sequential
        Whether somebody looked before the end: a verdict and intervals that hold at all times.
    trust
        With ``sequential=True``, how far the model behind it is believed: ``"checked"``, as far as the votes bear it out,
        item by item; ``"typical"``, provided that features are wrong about no item in particular; ``"model"``, altogether;
        ``"nothing"``, not at all, nor whoever chose the pairs: every pair by itself.
    jobs
        How many threads work; the results do not depend on it.
    left, right, winner, loser, voter, context, rows, words, answer_scale, ties, lenient, …
        How votes are read: see `read`.

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
    check_keywords("rank", options, {**RANKING, **DEFAULTS}, {"contexts": "about"})
    reading = {name: value for name, value in options.items() if name in DEFAULTS}
    given: dict[str, Any] = {**RANKING, **{name: value for name, value in options.items() if name in RANKING}}
    listed = None if items is None else items_of(items)
    ballots = ballots_of(votes, listed, reading, 3)
    ranks = _ranks(given)
    judge = None if hint is None else ballots_of(hint, None, {**reading, "voter": None}, 3)
    if judge is not None and given["voters"] == "weigh":
        raise setting("hint", "given", 'it does not go with voters="weigh"')
    if judge is not None and given["trust"] == "nothing":
        raise setting("trust", "nothing", 'takes every pair by itself: leave hint out, or take trust="checked"')
    core = _core.rank(ballots, ranks, listed, judge)
    if not given["sequential"] and core.looks_adaptive():
        log.info(
            "the best items have far more votes than the others, as if the questions had followed the answers; "
            "if so, and if anybody looked before the end, these intervals are too narrow: sequential=True has wider ones"
        )
    ranking = Ranking(core.json(), ballots, ranks, listed, paths_of(votes), judge)
    ranking._made = core
    return ranking


def _ranks(given: Mapping[str, Any]) -> dict[str, Any]:
    """Give all options of ranking as Rust wants them."""
    scale, anchor, bootstrap, jobs = (given[name] for name in ("scale", "anchor", "bootstrap", "jobs"))
    if given["model"] is not None:
        one_of("model", given["model"], ("features", "one-hot", "counts"))
    if given["about"] is not None:
        one_of("about", given["about"], ("these", "such", "ignore"))
    one_of("voters", given["voters"], ("alike", "weigh"))
    one_of("trust", given["trust"], ("checked", "typical", "model", "nothing"))
    if given["trust"] != "checked" and not given["sequential"]:
        raise setting("trust", given["trust"], "is about verdicts that hold at all times: take sequential=True")
    if given["voters"] == "weigh" and given["sequential"]:
        raise setting("voters", "weigh", "a verdict that holds at all times (sequential) counts all voters alike")
    if given["adjust"] is not None:
        one_of("adjustment", given["adjust"], ("position",))
    if scale is not None:
        one_of("scale", scale, ("log-odds", "elo"))
    if anchor is not None and scale != "elo":
        raise setting("anchor", anchor, 'strengths have points on Elo\'s scale only: take scale="elo"')
    item, points = anchor if isinstance(anchor, tuple) else (None, anchor)
    return {
        "model": given["model"],
        "level": real("level", given["level"]),
        "margin": real("margin", given["margin"]),
        "clustered": bool(given["clustered"]),
        "about": given["about"],
        "bootstrap": None if bootstrap is None else whole("bootstrap", bootstrap, 1),
        "seed": seed_of(given["seed"]),
        "least_votes": real("least_votes", given["least_votes"]),
        "exclude_items": names("exclude_items", given["exclude_items"]),
        "adjust_position": given["adjust"] == "position",
        "strength": bool(given["strength"]) or scale is not None,
        "elo": scale == "elo",
        "anchor": None if anchor is None else (None if item is None else str(item), real("anchor", points)),
        "chances": bool(given["chances"]),
        "sequential": bool(given["sequential"]),
        "trust": given["trust"],
        "weigh": given["voters"] == "weigh",
        "jobs": None if jobs is None else whole("jobs", jobs, 1),
    }
