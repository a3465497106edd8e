"""What can be set for policies, of all of them: what each takes is checked when it is made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypedDict

Number = float | None


class PolicySettings(TypedDict, total=False):
    """The settings of policies, by name; see docs/reference/policies.md for which policy has which."""

    about: Literal["these", "such"]
    alpha: Number
    base: Mapping[str, Any]
    batch: int | None
    beta: Number
    budget: int | None
    c: Number
    c4: Number
    candidates: bool
    chain: bool | None
    choice: str
    clip: Number
    delta: Number
    design: str
    epsilon: Number
    estimator: str
    eta: Number
    exploit: str
    f: float
    feel_good: Number
    first: int
    fit: str
    gamma: Number
    gap: float
    goal: Literal["winner", "all"] | Mapping[str, int]
    kappa: float
    kernel: Literal["linear", "rbf"]
    lambda0: float | Literal["exact"]
    length: Number
    level: float
    margin: float
    method: str | None
    noise: float
    norm: Number
    patience: int | None
    players: str
    plus: bool
    regularizer: str
    replays: bool
    rho: float
    ridge: float
    robustness: Number
    samples: int | None
    self_duels: bool
    steps: int
    stop: str
    tau: int | None
    tolerance: Number
    trust: Literal["checked", "typical", "model", "nothing"]
    until: Literal["good-enough", "clear"]
    update: str
    variance: Number
    variant: str
    warm_up: int | None
    width: float | str | None
