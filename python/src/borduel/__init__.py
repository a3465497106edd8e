"""Which of these is best, when all one can ask is "this one or that one?".

* `rank` makes scores with honest intervals, a verdict and checks of votes: files, data frames, dicts, pairs.
* `design` says which pairs to ask next, and what precision that will buy.
* `Policy` asks and is told, one question at a time or many; `play` and `aplay` put it before a judge of yours.
* `simulate` and `Experiment` play policies, yours too, against known truths, with the bytes of the command line.

Examples
--------
>>> import borduel as bd
>>> votes = {"winner": ["tea", "tea", "coffee", "tea"], "loser": ["coffee", "mud", "mud", "mud"]}
>>> ranking = bd.rank(votes)
>>> [item.item for item in ranking]
['tea', 'coffee', 'mud']
"""

from typing import TYPE_CHECKING, Any

from borduel._core import (
    AlreadyAnswered,
    Ballots,
    DataError,
    Error,
    Features,
    OtherFeatures,
    Policy,
    Problem,
    Proposal,
    Proposals,
    SettingError,
    UnknownName,
    VersionError,
    __version__,
)
from borduel._core import policies as _policies

if TYPE_CHECKING:
    from borduel._design import Design, design
    from borduel._experiment import Environment, Experiment, OwnPolicy, Plan, Results, World, simulate
    from borduel._play import Vote, Votes, aplay, play
    from borduel._rank import Check, Interval, ItemScore, Ranking, RowError, Rows, Verdict, rank, read

POLICIES: tuple[str, ...] = tuple(_policies())
"""The names of all policies."""

__all__ = [
    "POLICIES",
    "AlreadyAnswered",
    "Ballots",
    "Check",
    "DataError",
    "Design",
    "Environment",
    "Error",
    "Experiment",
    "Features",
    "Interval",
    "ItemScore",
    "OtherFeatures",
    "OwnPolicy",
    "Plan",
    "Policy",
    "Problem",
    "Proposal",
    "Proposals",
    "Ranking",
    "Results",
    "RowError",
    "Rows",
    "SettingError",
    "UnknownName",
    "Verdict",
    "VersionError",
    "Vote",
    "Votes",
    "World",
    "__version__",
    "aplay",
    "design",
    "play",
    "rank",
    "read",
    "simulate",
]

# Where what is written in Python lives. It is imported when it is first asked for: with all that it needs of the standard
# library that takes several times as long as the rest, and a program that only asks and tells needs none of it.
_HOMES = {
    "_design": ("Design", "design"),
    "_experiment": ("Environment", "Experiment", "OwnPolicy", "Plan", "Results", "World", "simulate"),
    "_play": ("Vote", "Votes", "aplay", "play"),
    "_rank": ("Check", "Interval", "ItemScore", "Ranking", "RowError", "Rows", "Verdict", "rank", "read"),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            from importlib import import_module

            module = import_module(f"borduel.{home}")
            globals().update({own: getattr(module, own) for own in names})
            return globals()[name]
    raise AttributeError(f"module 'borduel' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
