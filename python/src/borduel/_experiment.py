"""Simulations: policies, built-in or one's own, against known truths, with the bytes of the command line."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from borduel import _core
from borduel._progress import Progress, told

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

PathLike = str | os.PathLike[str]


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


Maker = Callable[["_core.Problem", "np.random.Generator"], OwnPolicy]
"""A function, or a class, that makes a policy of what it may know and where its random numbers come from."""

PolicyLike = str | Mapping[str, Any] | Maker


def _nested(value: Any, place: str = "") -> Any:
    """Give arrays as lists, and numpy's numbers as Python's; what no experiment file can hold is refused with its place."""
    if hasattr(value, "to_numpy"):
        value = value.to_numpy()
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(k): _nested(v, f"{place}.{k}" if place else str(k)) for k, v in value.items() if v is not None}
    if isinstance(value, list | tuple):
        return [_nested(entry, f"{place}[{at}]") for at, entry in enumerate(value)]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise _core.DataError(f"{place} is {value}: it must be a finite number")
    if not isinstance(value, str | bool | int | float):
        raise _core.DataError(f"{place} is {value!r}, a {type(value).__name__}: it must be a number, a word or a list")
    return value


class Environment(dict[str, Any]):
    """The truth that answers: a kind and its settings, as in an experiment file.

    Examples
    --------
    >>> import borduel as bd
    >>> bd.Environment.matrix([[0.5, 0.7], [0.3, 0.5]])
    Environment(kind='matrix', rows=[[0.5, 0.7], [0.3, 0.5]])
    """

    def __init__(self, kind: str, **settings: Any) -> None:
        super().__init__(_nested({"kind": kind, **settings}))

    def __repr__(self) -> str:
        return f"Environment({', '.join(f'{key}={value!r}' for key, value in self.items())})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _environment, (dict(self),)

    @classmethod
    def hard(cls, d: int, *, gap: float | None = None) -> Environment:
        """Give the paper's hard instance: 2^(d+1) items in d + 1 dimensions."""
        return cls("hard", d=d, gap=gap)

    @classmethod
    def glm(
        cls,
        features: ArrayLike | Mapping[str, Any],
        theta: ArrayLike | None = None,
        *,
        theta_norm: float | None = None,
        link: str = "logistic",
    ) -> Environment:
        """Give p(i, j) = μ(⟨x_i − x_j, θ⟩) of items with these features; θ is drawn unless given."""
        return cls("glm", features=_features(features), theta=theta, theta_norm=theta_norm, link=link)

    @classmethod
    def matrix(
        cls, p: ArrayLike, *, features: ArrayLike | Mapping[str, Any] | None = None, link: str | None = None
    ) -> Environment:
        """Give any preference matrix: p[i][j] is the chance that i beats j."""
        return cls("matrix", rows=p, features=None if features is None else _features(features), link=link)

    @classmethod
    def crowd(cls, votes: PathLike | None = None, **settings: Any) -> Environment:
        """Give a crowd's votes made into a model, as for the paper's EventTime; simulated unless a file is given."""
        return cls("crowd", votes=votes, **settings)

    @classmethod
    def adversarial(cls, path: Mapping[str, Any], **settings: Any) -> Environment:
        """Give a parameter that changes over time: ``path={"kind": "switching", "states": 2, "pieces": 10}`` and so on."""
        return cls("adversarial", path=path, **settings)

    @classmethod
    def pieces(
        cls,
        matrices: Sequence[tuple[int, ArrayLike]] | Callable[[int], tuple[ArrayLike, int | None]],
        *,
        features: ArrayLike | Mapping[str, Any] | None = None,
        link: str | None = None,
    ) -> Environment:
        """Give a world of one's own: matrices, each with the round from which it holds.

        A function is called once per piece with its first round, and gives its matrix and the first round of the next
        piece, or None.
        """
        if callable(matrices):
            start: int | None = 1
            pieces = []
            while start is not None:
                matrix, following = matrices(start)
                pieces.append((start, matrix))
                if following is not None and following <= start:
                    raise _core.SettingError(f"pieces: the piece of round {start} is followed by round {following}")
                start = following
            matrices = pieces
        starts, tables = [start for start, _ in matrices], [matrix for _, matrix in matrices]
        given = None if features is None else _features(features)
        return cls("pieces", starts=starts, matrices=tables, features=given, link=link)


def _environment(settings: dict[str, Any]) -> Environment:
    return Environment(**settings)


def _features(features: Any) -> Any:
    return dict(features) if isinstance(features, Mapping) else {"kind": "items", "rows": features}


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


class Experiment:
    """What to compare with what: environments × horizons × policies × replications.

    Parameters
    ----------
    environments
        One or several: `Environment`, or dicts as in an experiment file.
    policies
        One or several: names; dicts with ``policy`` and its settings; or functions that make a policy in Python of a `Problem`
        and a numpy ``Generator`` (see `OwnPolicy`).
    name, seed, runs, horizons, checkpoints, spacing, feedback, regrets
        As in an experiment file.

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
        environments: Mapping[str, Any] | Sequence[Mapping[str, Any]],
        policies: PolicyLike | Sequence[PolicyLike],
        *,
        name: str = "experiment",
        seed: int = 1,
        runs: int = 50,
        horizons: int | Sequence[int] = 1_000_000,
        checkpoints: int = 200,
        spacing: Literal["linear", "logarithmic"] = "linear",
        feedback: Mapping[str, Any] | None = None,
        regrets: Sequence[str] = ("borda",),
    ) -> None:
        own: list[tuple[str, str, Maker]] = []
        named: list[dict[str, Any]] = []
        for policy in [policies] if isinstance(policies, str | Mapping) or callable(policies) else policies:
            if isinstance(policy, str):
                named.append({"policy": policy})
            elif isinstance(policy, Mapping):
                named.append(_nested(policy))
            else:
                label = str(getattr(policy, "label", None) or getattr(policy, "__name__", type(policy).__name__))
                own.append((label, label, policy))
        twice = {label for label, _, _ in own if [other for other, _, _ in own].count(label) > 1}
        if twice:
            raise _core.SettingError(
                f"policies: two are called {twice.pop()!r}; give one of them another __name__ or label"
            )
        self._own = own
        self._data: dict[str, Any] = {
            "name": name,
            "seed": seed,
            "runs": runs,
            "horizons": [horizons] if isinstance(horizons, int) else [int(horizon) for horizon in horizons],
            "checkpoints": checkpoints,
            "spacing": spacing,
            "feedback": _nested(feedback or {}),
            "regrets": list(regrets),
            "environments": [
                _nested(e) for e in ([environments] if isinstance(environments, Mapping) else environments)
            ],
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
            raise error if is_text else _core.SettingError(f"{os.fspath(source)}, {error}") from None

    @classmethod
    def paper(cls, which: Literal["hard", "eventtime", "adversarial"] = "hard", **changes: Any) -> Experiment:
        """Give an experiment of the paper, with its six policies, 50 runs and 10⁶ rounds unless changed."""
        switching = {"kind": "switching", "states": 2, "pieces": 10}
        environments = {
            "hard": Environment.hard(6),
            "eventtime": Environment.crowd(),
            "adversarial": Environment.adversarial(switching, features={"kind": "hard", "d": 6}, link="linear"),
        }
        if which not in environments:
            raise _core.UnknownName(f'unknown experiment "{which}"; known are: {", ".join(environments)}')
        policies = ["betc-glm", "betc-glm-match", "bexp3", "ucb-borda", "dexp3", "etc-borda"]
        return cls(environments[which], policies, **{"name": which, **changes})

    def to_dict(self) -> dict[str, Any]:
        """Give it as a dict; policies of one's own are not part of it."""
        data: dict[str, Any] = json.loads(json.dumps(self._data))
        return data

    def to_toml(self) -> str:
        """Give it as an experiment file, for ``borduel run``."""
        if self._own:
            raise _core.SettingError(f"policies: {self._own[0][0]!r} is written in Python: a file cannot hold it")
        return _core.toml_of(json.dumps(self._data))

    def plan(self) -> Plan:
        """Make all instances and policies; everything that is wrong is found here."""
        return Plan(json.dumps(self._data), self._own)

    def run(
        self, *, jobs: int | None = None, out: PathLike | None = None, progress: Progress = True, force: bool = False
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
        if jobs is not None and jobs < 1:
            raise _core.SettingError(f"jobs = {jobs}: must be at least 1")
        plan = self.plan()
        with told(progress, "rounds") as tell:
            return Results(plan._play(None if out is None else os.fspath(out), jobs, force, tell), plan)

    def __repr__(self) -> str:
        policies = [entry["policy"] for entry in self._data["policies"]] + [label for label, _, _ in self._own]
        return f"Experiment({self._data['name']!r}, policies={policies}, runs={self._data['runs']})"


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
            known = ", ".join(f"{world}: {label}" for world, label in worlds.items())
            raise _core.UnknownName(f"unknown environment {environment!r}; known are: {known}")
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
        raise _core.UnknownName(f'unknown table "{what}"; known are: final, curves, differences, settings')

    def to_pandas(self, what: Literal["final", "curves", "differences", "settings"] = "final") -> Any:
        """Give a pandas DataFrame of final regrets, curves, paired differences, or settings."""
        import pandas as pd

        return pd.DataFrame(self._rows(what))

    def to_polars(self, what: Literal["final", "curves", "differences", "settings"] = "final") -> Any:
        """Give the same as a polars DataFrame."""
        import polars as pl

        return pl.DataFrame(self._rows(what), infer_schema_length=None, strict=False)

    def to_arrow(self, what: Literal["final", "curves", "differences", "settings"] = "final") -> Any:
        """Give the same as a pyarrow Table."""
        import pyarrow as pa

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

        return regret(self, ax, environment, log, band)

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

    def _repr_html_(self) -> str:
        return self.svg()


def _keys(result: Mapping[str, Any]) -> dict[str, Any]:
    return {key: result[key] for key in ("environment", "horizon", "policy", "label")}


def simulate(
    policy: PolicyLike | Sequence[PolicyLike],
    environment: Mapping[str, Any],
    *,
    horizon: int,
    runs: int = 1,
    seed: int = 1,
    feedback: Mapping[str, Any] | None = None,
    checkpoints: int = 200,
    jobs: int | None = None,
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
