"""The truth that answers in a simulation, and what happens to answers on their way."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from borduel._given import PathLike, Whole, data, one_of, setting, whole

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Link = Literal["logistic", "linear", "probit"]
"""How scores become chances."""

MOST_PIECES = 10_000
"""So many pieces of a world without a horizon, and it is taken to have no end."""


class Feedback(TypedDict, total=False):
    """What happens to answers on their way; nothing unless given.

    ``timing`` says when they come: ``{"kind": "immediate"}``, ``{"kind": "delayed", "least": 0, "most": 10}`` (after so many
    further rounds, drawn for each answer) or ``{"kind": "batched", "size": 100}`` (together, after the last of so many rounds).
    ``lost`` is the chance that an answer never comes; the answers of the first ``flipped`` rounds are turned round.
    """

    timing: Mapping[str, Any]
    lost: float
    flipped: int


def nested(value: Any, place: str = "") -> Any:
    """Give arrays as lists, and numpy's numbers as Python's; what no experiment file can hold is refused with its place."""
    if hasattr(value, "to_numpy"):
        value = value.to_numpy()
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(k): nested(v, f"{place}.{k}" if place else str(k)) for k, v in value.items() if v is not None}
    if isinstance(value, list | tuple):
        return [nested(entry, f"{place}[{at}]") for at, entry in enumerate(value)]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise data(f"{place} is {value}: it must be a finite number", value=str(value))
    if not isinstance(value, str | bool | int | float):
        what = f"{place} is {value!r}, a {type(value).__name__}: it must be a number, a word or a list"
        raise data(what, value=str(value))
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
        super().__init__(nested({"kind": kind, **settings}))

    def __repr__(self) -> str:
        return f"Environment({', '.join(f'{key}={value!r}' for key, value in self.items())})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _environment, (dict(self),)

    @classmethod
    def hard(cls, d: Whole, *, gap: float | None = None) -> Environment:
        """Give the paper's hard instance: 2^(d+1) items in d + 1 dimensions."""
        return cls("hard", d=whole("d", d, 1), gap=gap)

    @classmethod
    def glm(
        cls,
        features: ArrayLike | Mapping[str, Any],
        theta: ArrayLike | None = None,
        *,
        theta_norm: float | None = None,
        link: Link = "logistic",
    ) -> Environment:
        """Give p(i, j) = μ(⟨x_i − x_j, θ⟩) of items with these features; θ is drawn unless given."""
        return cls("glm", features=_features(features), theta=theta, theta_norm=theta_norm, link=link)

    @classmethod
    def contexts(
        cls,
        contexts: ArrayLike | Mapping[str, Any],
        theta: ArrayLike | None = None,
        *,
        weights: ArrayLike | None = None,
        theta_norm: float | None = None,
        theta_sd: float | None = None,
        link: Link = "logistic",
    ) -> Environment:
        """Give p(i, j) = μ(⟨x_i − x_j, θ⟩) in every context, one of which comes up in every round and is seen before asking.

        ``contexts`` are C × K × d numbers, the features of K items in each of C contexts, which come up as often as their
        ``weights`` say; or how they are drawn, ``{"kind": "drawn", "items": 10, "dim": 5}`` (anew in every round) or
        ``{"kind": "finite", "count": 20, "items": 10, "dim": 5}``. θ is drawn unless given.
        """
        if not isinstance(contexts, Mapping):
            import numpy as np

            shape = np.shape(contexts)
            if len(shape) != 3:
                raise data(f"the contexts have the shape {list(shape)}, C × K × d is needed")
            contexts = {"kind": "given", "rows": contexts}
        if weights is not None:
            contexts = {**contexts, "weights": weights}
        return cls("contexts", contexts=contexts, theta=theta, theta_norm=theta_norm, theta_sd=theta_sd, link=link)

    @classmethod
    def matrix(
        cls, p: ArrayLike, *, features: ArrayLike | Mapping[str, Any] | None = None, link: Link | None = None
    ) -> Environment:
        """Give any preference matrix: p[i][j] is the chance that i beats j."""
        return cls("matrix", rows=p, features=None if features is None else _features(features), link=link)

    @classmethod
    def crowd(
        cls,
        votes: PathLike | None = None,
        *,
        responses: Literal["recovered", "empirical"] = "recovered",
        dim: Whole = 5,
        assignments: Whole = 100,
    ) -> Environment:
        """Give a crowd's votes made into a model, as for the paper's EventTime; simulated unless a file is given.

        Answers come from the model that was recovered, or from the shares as they are; ``assignments`` of sign vectors of the
        length ``dim`` are tried.
        """
        one_of("responses", responses, ("recovered", "empirical"))
        tried = {"dim": whole("dim", dim, 1), "assignments": whole("assignments", assignments, 1)}
        return cls("crowd", votes=votes, responses=responses, **tried)

    @classmethod
    def adversarial(
        cls,
        path: Mapping[str, Any],
        *,
        features: ArrayLike | Mapping[str, Any] | None = None,
        link: Link | None = None,
        strength: float | None = None,
    ) -> Environment:
        """Give a parameter that changes over time: ``path={"kind": "switching", "states": 2, "pieces": 10}`` and so on."""
        config = None if features is None else _features(features)
        return cls("adversarial", path=path, features=config, link=link, strength=strength)

    @classmethod
    def pieces(
        cls,
        matrices: Sequence[tuple[int, ArrayLike]] | Callable[[int], tuple[ArrayLike, int | None]],
        *,
        horizon: Whole | None = None,
        features: ArrayLike | Mapping[str, Any] | None = None,
        link: Link | None = None,
    ) -> Environment:
        """Give a world of one's own: matrices, each with the round from which it holds.

        A function is called once per piece with its first round, and gives its matrix and the first round of the next
        piece, or None; it is not called beyond the horizon.
        """
        if callable(matrices):
            last = math.inf if horizon is None else whole("horizon", horizon, 1)
            start: int | None = 1
            pieces: list[tuple[int, ArrayLike]] = []
            while start is not None and start <= last:
                if horizon is None and len(pieces) == MOST_PIECES:
                    raise setting(
                        "horizon",
                        None,
                        f"the function gave {MOST_PIECES} pieces and goes on: say how many rounds there are",
                    )
                matrix, then = matrices(start)
                # A list here is the matrix, given second.
                following = None if then is None else whole("the first round of the next piece", then)
                pieces.append((start, matrix))
                if following is not None and following <= start:
                    raise setting(
                        "pieces", following, f"cannot follow the piece of round {start}: give a later round, or None"
                    )
                start = following
            matrices = pieces
        starts, tables = [start for start, _ in matrices], [matrix for _, matrix in matrices]
        config = None if features is None else _features(features)
        return cls("pieces", starts=starts, matrices=tables, features=config, link=link)


def _environment(settings: dict[str, Any]) -> Environment:
    return Environment(**settings)


def environment_of(given: Any) -> dict[str, Any]:
    """Take an environment: its settings, or a preference matrix as it is."""
    if not isinstance(given, Mapping):
        return Environment.matrix(given)
    if "kind" not in given:
        raise setting(
            "environment",
            dict(given),
            'has no "kind": take one of the methods of Environment, such as Environment.hard(4)',
        )
    return nested(given)  # type: ignore[no-any-return]


def environments_of(given: Any) -> list[dict[str, Any]]:
    """Take one environment or several."""
    several = isinstance(given, list | tuple) and all(
        isinstance(each, Mapping) or getattr(each, "ndim", 0) == 2 for each in given
    )
    return [environment_of(each) for each in given] if several else [environment_of(given)]


def _features(features: Any) -> Any:
    return dict(features) if isinstance(features, Mapping) else {"kind": "items", "rows": features}
