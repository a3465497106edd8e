"""Simulations: policies, built-in or one's own, against known truths, with the bytes of the command line."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypedDict, Unpack

from borduel import _core
from borduel._environment import Environment, Feedback, environments_of, nested
from borduel._given import PathLike, Whole, needed, one_of, seed_of, setting, unknown, whole
from borduel._log import table_of
from borduel._options import check_keywords
from borduel._progress import Progress, told

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

__all__ = [
    "Environment",
    "Experiment",
    "OwnPolicy",
    "OwnPolicyInContexts",
    "Plan",
    "Results",
    "World",
    "simulate",
]

Notion = Literal[
    "borda",
    "borda-dynamic",
    "borda-averaged",
    "condorcet",
    "condorcet-max",
    "condorcet-min",
    "copeland",
    "utility",
]
"""Whose regret: see docs/RESEARCHERS.md."""


class OwnPolicy(Protocol):
    """A policy in Python, played by the engine of Rust.

    It may also have ``cancel(left, right)``; ``scores()``, an estimate of every item's Borda score (otherwise each item's
    share of wins is taken); and ``committed``, the pair that it will ask for ever, or None.
    """

    def ask(self) -> tuple[int, int]:
        """Give the next pair."""
        ...

    def tell(self, left: int, right: int, outcome: float, /) -> None:
        """Learn that the left item won (1), lost (0) or tied (0.5)."""
        ...


class OwnPolicyInContexts(Protocol):
    """The same for worlds whose contexts come up by themselves: see `Environment.contexts`."""

    def ask(self, problem: _core.Problem, /) -> tuple[int, int]:
        """Give a pair in the context of this problem, whose number is ``problem.context`` where there are finitely many."""
        ...

    def tell(self, left: int, right: int, outcome: float, /) -> None:
        """Learn that the left item won (1), lost (0) or tied (0.5)."""
        ...


Maker = Callable[["_core.Problem", "np.random.Generator"], OwnPolicy | OwnPolicyInContexts]
"""A function, or a class, that makes a policy of what it may know and where its random numbers come from."""

PolicyLike = str | Mapping[str, Any] | Maker


@dataclass(frozen=True)
class World:
    """An instance of an environment: what a policy may know of it, and the truth."""

    label: str
    problem: _core.Problem
    winners: list[int]
    borda: np.ndarray[Any, np.dtype[np.float64]]
    """B(i) = (1/K) Σ_j p(i, j) in the first round."""
    _plan: _core.Plan
    _index: int

    def probability(self, i: int, j: int, round: int = 1) -> float:
        """Give the chance that i beats j in a round."""
        return self._plan._probability(self._index, i, j, round)


class Plan(_core.Plan):
    __doc__ = _core.Plan.__doc__

    def collect(self, finished: Sequence[bytes]) -> Results:
        """Give the results of all jobs, in their order: what `run` returned for each."""
        return Results(self._collect(list(finished)), self)

    @property
    def worlds(self) -> list[World]:
        """The instances, in the order of environments and horizons."""
        import numpy as np

        worlds = []
        for index in range(self._worlds):
            label, problem, winners, borda = self._world(index)
            worlds.append(World(label, problem, winners, np.array(borda), self, index))
        return worlds


class Changes(TypedDict, total=False):
    """What can be changed of an experiment of the paper: see `Experiment`."""

    policies: PolicyLike | Sequence[PolicyLike]
    name: str
    seed: int | np.random.SeedSequence | np.random.Generator | None
    runs: Whole
    horizons: Whole | Iterable[Whole]
    checkpoints: Whole
    spacing: Literal["linear", "logarithmic"]
    feedback: Feedback | None
    regrets: Sequence[Notion]


def _several(numbers: Whole | Iterable[Whole]) -> list[Whole]:
    """Take one number or several."""
    # An array without dimensions cannot be gone through.
    if isinstance(numbers, Iterable) and getattr(numbers, "ndim", None) != 0:
        return list(numbers)
    return [numbers]  # type: ignore[list-item]


def _named(policy: Mapping[str, Any]) -> dict[str, Any]:
    """Take a policy of the list with its settings."""
    if "policy" not in policy:
        raise setting("policies", dict(policy), 'has no "policy": say which one, {"policy": "bexp3", …}')
    one_of("policy", policy["policy"], _core.policies())
    return nested(policy)  # type: ignore[no-any-return]


class Experiment:
    """What to compare with what: environments × horizons × policies × replications.

    Parameters
    ----------
    environments
        One or several: `Environment`, or dicts as in an experiment file; or a preference matrix as it is.
    policies
        One or several: names; dicts with ``policy`` and its settings; or functions that make a policy in Python of a `Problem`
        and a numpy ``Generator`` (see `OwnPolicy`).
    name
        What it is called in results and reports.
    seed
        Where all random numbers come from; a numpy ``Generator`` or ``SeedSequence`` gives a word, None any, which is kept.
    runs, horizons
        How often everything is played, and for how many rounds; one number or several.
    checkpoints, spacing
        How many points a curve has, and whether they lie evenly or by their logarithms.
    feedback
        What happens to answers on their way: ``{"timing": {"kind": "batched", "size": 100}, "lost": 0.1}``; see `Feedback`.
    regrets
        Whose regret is measured, the first of them in tables and pictures: "borda", "condorcet", "condorcet-max",
        "condorcet-min", "copeland", "utility".

    Examples
    --------
    >>> import borduel as bd
    >>> experiment = bd.Experiment(bd.Environment.hard(2), ["etc-borda", "uniform"], runs=3, horizons=1000)
    >>> results = experiment.run(progress=None)
    >>> [row["policy"] for row in results.final]
    ['etc-borda', 'uniform']
    """

    def __init__(
        self,
        environments: Mapping[str, Any] | Sequence[Mapping[str, Any]] | ArrayLike,
        policies: PolicyLike | Sequence[PolicyLike],
        *,
        name: str = "experiment",
        seed: int | np.random.SeedSequence | np.random.Generator | None = 1,
        runs: Whole = 50,
        horizons: Whole | Iterable[Whole] = 1_000_000,
        checkpoints: Whole = 200,
        spacing: Literal["linear", "logarithmic"] = "linear",
        feedback: Feedback | None = None,
        regrets: Sequence[Notion] = ("borda",),
    ) -> None:
        own: list[tuple[str, str, Maker]] = []
        named: list[dict[str, Any]] = []
        for policy in [policies] if isinstance(policies, str | Mapping) or callable(policies) else policies:
            if isinstance(policy, str):
                named.append(_named({"policy": policy}))
            elif isinstance(policy, Mapping):
                named.append(_named(policy))
            elif not callable(policy):
                raise setting(
                    "policies",
                    policy,
                    "must be names, dicts with a policy and its settings, or functions that make one",
                )
            else:
                label = str(getattr(policy, "label", None) or getattr(policy, "__name__", type(policy).__name__))
                own.append((label, label, policy))
        twice = {label for label, _, _ in own if [other for other, _, _ in own].count(label) > 1}
        if twice:
            raise setting("policies", twice.pop(), "is the name of two; give one of them another __name__ or label")
        one_of("spacing", spacing, ("linear", "logarithmic"))
        for key in feedback or {}:
            one_of("feedback", key, Feedback.__annotations__)
        self._own = own
        self._data: dict[str, Any] = {
            "name": name,
            "seed": seed_of(seed),
            "runs": whole("runs", runs, 1),
            "horizons": [whole("horizons", horizon, 1) for horizon in _several(horizons)],
            "checkpoints": whole("checkpoints", checkpoints, 1),
            "spacing": spacing,
            "feedback": nested(feedback or {}),
            "regrets": [regrets] if isinstance(regrets, str) else list(regrets),
            "environments": environments_of(environments),
            "policies": named,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Experiment:
        """Give an experiment from the object in ``results.json``, or from what `to_dict` gave."""
        return cls(**{key: value for key, value in data.items() if key != "version"})

    @classmethod
    def from_toml(cls, source: PathLike) -> Experiment:
        """Read an experiment file, or its text."""
        is_text = isinstance(source, str) and "\n" in source
        text = str(source) if is_text else Path(source).read_text(encoding="utf-8")
        try:
            return cls.from_dict(json.loads(_core.json_of(text)))
        except _core.SettingError as error:
            if not is_text:
                error.args = (f"{os.fspath(source)}, {error}",)
            raise error from None

    @classmethod
    def paper(
        cls, which: Literal["hard", "eventtime", "adversarial"] = "hard", **changes: Unpack[Changes]
    ) -> Experiment:
        """Give an experiment of the paper, with its six policies, 50 runs and 10⁶ rounds unless changed."""
        check_keywords("paper", changes, Changes.__annotations__)
        switching = {"kind": "switching", "states": 2, "pieces": 10}
        environments = {
            "hard": Environment.hard(6),
            "eventtime": Environment.crowd(),
            "adversarial": Environment.adversarial(switching, features={"kind": "hard", "d": 6}, link="linear"),
        }
        one_of("experiment", which, environments)
        changed: dict[str, Any] = {"name": which, **changes}
        policies = ["betc-glm", "betc-glm-match", "bexp3", "ucb-borda", "dexp3", "etc-borda"]
        return cls(environments[which], changed.pop("policies", policies), **changed)

    def to_dict(self) -> dict[str, Any]:
        """Give it as a dict; policies of one's own are not part of it."""
        data: dict[str, Any] = json.loads(json.dumps(self._data))
        return data

    def to_toml(self) -> str:
        """Give it as an experiment file, for ``borduel run``."""
        if self._own:
            raise setting("policies", self._own[0][0], "is written in Python: a file cannot hold it")
        return _core.toml_of(json.dumps(self._data))

    def plan(self) -> Plan:
        """Make all instances and policies; everything that is wrong is found here."""
        return Plan(json.dumps(self._data), self._own)

    def run(
        self, *, jobs: Whole | None = None, out: PathLike | None = None, progress: Progress = True, force: bool = False
    ) -> Results:
        """Play everything.

        Parameters
        ----------
        jobs
            How many threads play; the results do not depend on it. Policies in Python are played on the calling thread.
        out
            A directory for everything that ``borduel run`` writes; what is finished there is not played again, here or there.
        progress
            True for a bar, None for nothing, or a function of the rounds that are played and those there are.
        force
            Whether another experiment in that directory is given up.
        """
        threads = None if jobs is None else whole("jobs", jobs, 1)
        plan = self.plan()
        with told(progress, "rounds") as tell:
            return Results(plan._play(None if out is None else os.fspath(out), threads, force, tell), plan)

    def __repr__(self) -> str:
        policies = [entry["policy"] for entry in self._data["policies"]] + [label for label, _, _ in self._own]
        return f"Experiment({self._data['name']!r}, policies={policies}, runs={self._data['runs']})"

    def _repr_html_(self) -> str:
        rows = [
            (", ".join(environment["kind"] for environment in self._data["environments"]), horizon, entry)
            for horizon in self._data["horizons"]
            for entry in [policy["policy"] for policy in self._data["policies"]] + [label for label, _, _ in self._own]
        ]
        head = f"{self._data['name']}: {self._data['runs']} runs each, seed {self._data['seed']}"
        return f"<p><b>{html.escape(head)}</b></p>{table_of(('environment', 'rounds', 'policy'), rows)}"


class Results:
    """What came of an experiment; ``to_json()`` are the bytes of the command's ``results.json``."""

    def __init__(self, data: bytes, plan: Plan) -> None:
        self._bytes = data
        self._plan = plan
        self._data: dict[str, Any] = json.loads(data)

    def to_json(self) -> bytes:
        """Give the bytes of the command's ``results.json``."""
        return self._bytes

    def to_dict(self) -> dict[str, Any]:
        """Give the same as a dict."""
        data: dict[str, Any] = json.loads(self._bytes)
        return data

    @property
    def final(self) -> list[dict[str, Any]]:
        """Regret at the end: a row for every environment, horizon and policy."""
        rows = []
        for result in self._data["policies"]:
            row = _keys(result)
            row.update(runs=result["runs"], **result["final_regret"], winner_found=result["winner_found"])
            rows.append(row)
        return rows

    def policies_of(self, environment: int | str | None) -> list[dict[str, Any]]:
        """Give the results in one instance: by its number, or its name; the only one unless told."""
        worlds = {result["world"]: result["environment"] for result in self._data["policies"]}
        if environment is None:
            environment = 0
        chosen = [w for w, label in worlds.items() if environment in (w, label)]
        if not chosen:
            known = [f"{world}: {label}" for world, label in worlds.items()]
            raise unknown("environment", environment, known)
        return [result for result in self._data["policies"] if result["world"] == chosen[0]]

    def _rows(self, what: str) -> list[dict[str, Any]]:
        policies = self._data["policies"]
        if what == "final":
            return self.final
        if what == "curves":
            names = ("round", "mean", "sd", "q10", "median", "q90")
            return [
                {**_keys(result), **dict(zip(names, point, strict=True))}
                for result in policies
                for point in zip(*(result["curve"][name] for name in names), strict=True)
            ]
        if what == "settings":
            return [
                {**_keys(result), "setting": name, "value": value, "clamped_from": result.get("clamped", {}).get(name)}
                for result in policies
                for name, value in result["settings"].items()
            ]
        if what == "differences":
            label = [result["label"] for result in policies]
            return [
                {**_keys(policies[d["a"]]), "minus": label[d["b"]], "mean": d["mean"], "se": d["se"]}
                for d in self._data["differences"]
            ]
        raise unknown("table", what, ("final", "curves", "differences", "settings"))

    def to_pandas(self, what: Literal["final", "curves", "differences", "settings"] = "final") -> Any:
        """Give a pandas DataFrame of final regrets, curves, paired differences, or settings."""
        return needed("pandas", "to_pandas()", "pandas").DataFrame(self._rows(what))

    def to_polars(self, what: Literal["final", "curves", "differences", "settings"] = "final") -> Any:
        """Give the same as a polars DataFrame."""
        pl = needed("polars", "to_polars()", "polars")
        return pl.DataFrame(self._rows(what), infer_schema_length=None, strict=False)

    def to_arrow(self, what: Literal["final", "curves", "differences", "settings"] = "final") -> Any:
        """Give the same as a pyarrow Table."""
        pa = needed("pyarrow", "to_arrow()", "pyarrow")
        rows = self._rows(what)
        return pa.Table.from_pylist([{k: str(v) if k == "value" else v for k, v in row.items()} for row in rows])

    def plot(
        self,
        ax: Axes | None = None,
        *,
        environment: int | str | None = None,
        log: bool = False,
        band: Literal["sd", "quantiles"] = "sd",
    ) -> Axes:
        """Draw regret over time of one instance in matplotlib."""
        from borduel._plot import regret

        return regret(self.policies_of(environment), ax, log, band)

    def join(self, *others: Results) -> Results:
        """Put results side by side that were played apart, with their paired differences.

        They must be of the same environments, horizons, runs, seed and feedback, so that all policies met the same answers.

        Examples
        --------
        >>> import borduel as bd
        >>> def played(policy):
        ...     return bd.simulate(policy, bd.Environment.hard(3), horizon=1_000, runs=4)
        >>> both = played("betc-glm").join(played("uniform"))
        >>> [row["policy"] for row in both.final]
        ['betc-glm', 'uniform']
        """
        return Results(_core.join([self._bytes, *(other._bytes for other in others)]), self._plan)

    def svg(self) -> str:
        """Give the command's figure."""
        return _core.figure(self._bytes)

    def html(self) -> str:
        """Give the command's page."""
        return self._plan.page(self._bytes)

    def report(self, path: PathLike) -> None:
        """Write that page to a file."""
        Path(path).write_text(self.html(), encoding="utf-8")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Results) and self._bytes == other._bytes

    def __hash__(self) -> int:
        return hash(self._bytes)

    def __reduce__(self) -> tuple[Any, ...]:
        return Results, (self._bytes, self._plan)

    def __repr__(self) -> str:
        best = min(self.final, key=lambda row: row["mean"])
        return f"Results({len(self.final)} combinations; least regret: {best['label']}, {best['mean']:.1f})"

    def __len__(self) -> int:
        """Give the number of combinations of environment, horizon and policy."""
        return len(self._data["policies"])

    def __str__(self) -> str:
        head = ("environment", "rounds", "policy", "regret", "± se", "winner found")
        rows = [head, *self._shown()]
        widths = [max(len(row[at]) for row in rows) for at in range(len(head))]
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
        )

    def _shown(self) -> list[tuple[str, ...]]:
        """Give the final regrets as texts."""
        return [
            (
                row["environment"],
                f"{row['horizon']:,}",
                row["label"],
                f"{row['mean']:,.1f}",
                "" if row["se"] is None else f"{row['se']:,.1f}",
                "" if row["winner_found"] is None else f"{100 * row['winner_found']:.0f} %",
            )
            for row in self.final
        ]

    def _repr_html_(self) -> str:
        head = ("environment", "rounds", "policy", "regret", "± se", "winner found")
        return self.svg() + table_of(head, self._shown())


def _keys(result: Mapping[str, Any]) -> dict[str, Any]:
    return {key: result[key] for key in ("environment", "horizon", "policy", "label")}


def simulate(
    policy: PolicyLike | Sequence[PolicyLike],
    environment: Mapping[str, Any] | Sequence[Mapping[str, Any]] | ArrayLike,
    *,
    horizon: Whole,
    runs: Whole = 1,
    seed: int | np.random.SeedSequence | np.random.Generator | None = 1,
    feedback: Feedback | None = None,
    checkpoints: Whole = 200,
    jobs: Whole | None = None,
    progress: Progress = None,
) -> Results:
    """Play one policy or several, built-in or in Python, against a truth.

    Run r of every policy meets the same random numbers, so that differences are paired.

    Parameters
    ----------
    policy, environment
        See `Experiment`.
    horizon, runs, seed, feedback, checkpoints
        How long, how often, with which random numbers; what happens to answers on their way; how many points a curve has.
    jobs, progress
        See `Experiment.run`.

    Returns
    -------
    Results
        Regret at the end and over time.

    Examples
    --------
    >>> import borduel as bd
    >>> class Greedy:
    ...     def __init__(self, problem, random):
    ...         self.wins, self.random = [1.0] * problem.items, random
    ...     def ask(self):
    ...         best = max(range(len(self.wins)), key=self.wins.__getitem__)
    ...         return best, int(self.random.integers(len(self.wins)))
    ...     def tell(self, left, right, outcome):
    ...         self.wins[left] += outcome - 0.5
    >>> world = bd.Environment.matrix([[0.5, 0.8, 0.9], [0.2, 0.5, 0.6], [0.1, 0.4, 0.5]])
    >>> results = bd.simulate(["uniform", Greedy], world, horizon=500)
    >>> [row["policy"] for row in results.final]
    ['uniform', 'Greedy']
    """
    experiment = Experiment(
        environment, policy, seed=seed, runs=runs, horizons=horizon, checkpoints=checkpoints, feedback=feedback
    )
    return experiment.run(jobs=jobs, progress=progress)
