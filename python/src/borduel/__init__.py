"""Which of these is best, when all one can ask is "this one or that one?".

* `rank` makes scores with honest intervals, a verdict and checks of votes: files, data frames, dicts, pairs.
* `judge` says what a cheap judge, such as a language model, is worth beside people.
* `design` says which pairs to ask next, and what precision that will buy.
* `Policy` asks and is told, one question at a time or many; `play` and `aplay` put it before a judge of yours.
* `simulate` and `Experiment` play policies, yours too, against known truths, with the bytes of the command line; `InContexts` is
  a truth for `play` in which items are compared on something.

Examples
--------
>>> import borduel as bd
>>> votes = {"winner": ["tea", "tea", "coffee", "tea"], "loser": ["coffee", "mud", "mud", "mud"]}
>>> ranking = bd.rank(votes)
>>> [item.item for item in ranking]
['tea', 'coffee', 'mud']
"""

from typing import TYPE_CHECKING

from borduel._core import (
    Ballots,
    DataError,
    Error,
    Features,
    InContexts,
    OtherProblemError,
    Policy,
    Problem,
    Proposal,
    ProposalError,
    Proposals,
    SettingError,
    UnknownNameError,
    VersionError,
    __version__,
)
from borduel._core import policies as _policies

if TYPE_CHECKING:
    from borduel._design import Design, design
    from borduel._environment import Environment, Feedback
    from borduel._experiment import Experiment, OwnPolicy, OwnPolicyInContexts, Plan, Results, World, simulate
    from borduel._found import AboutContexts, Check, Interval, ItemScore, RowError, Rows, Verdict
    from borduel._judge import Agreement, JudgeWorth, Paid, Rated, Saving, Sides, judge
    from borduel._log import Vote, Votes
    from borduel._play import aplay, play
    from borduel._progress import Progress
    from borduel._rank import Ranking, RankOptions, rank
    from borduel._read import Reading, battles, read
    from borduel._session import Answer, Orders

POLICIES: tuple[str, ...] = tuple(_policies())
"""The names of all policies."""

__all__ = [
    "POLICIES",
    "AboutContexts",
    "Agreement",
    "Answer",
    "Ballots",
    "Check",
    "DataError",
    "Design",
    "Environment",
    "Error",
    "Experiment",
    "Features",
    "Feedback",
    "InContexts",
    "Interval",
    "ItemScore",
    "JudgeWorth",
    "Orders",
    "OtherProblemError",
    "OwnPolicy",
    "OwnPolicyInContexts",
    "Paid",
    "Plan",
    "Policy",
    "Problem",
    "Progress",
    "Proposal",
    "ProposalError",
    "Proposals",
    "RankOptions",
    "Ranking",
    "Rated",
    "Reading",
    "Results",
    "RowError",
    "Rows",
    "Saving",
    "SettingError",
    "Sides",
    "UnknownNameError",
    "Verdict",
    "VersionError",
    "Vote",
    "Votes",
    "World",
    "__version__",
    "aplay",
    "battles",
    "design",
    "judge",
    "play",
    "rank",
    "read",
    "simulate",
]

# Where what is written in Python lives. It is imported when it is first asked for: with all that it needs of the standard
# library that takes several times as long as the rest, and a program that only asks and tells needs none of it. Type checkers do
# not see this: to them a name that is not on the list is a mistake.
if not TYPE_CHECKING:
    _HOMES = {
        "_design": ("Design", "design"),
        "_environment": ("Environment", "Feedback"),
        "_experiment": ("Experiment", "OwnPolicy", "OwnPolicyInContexts", "Plan", "Results", "World", "simulate"),
        "_found": ("AboutContexts", "Check", "Interval", "ItemScore", "RowError", "Rows", "Verdict"),
        "_judge": ("Agreement", "JudgeWorth", "Paid", "Rated", "Saving", "Sides", "judge"),
        "_log": ("Vote", "Votes"),
        "_play": ("aplay", "play"),
        "_progress": ("Progress",),
        "_rank": ("RankOptions", "Ranking", "rank"),
        "_read": ("Reading", "battles", "read"),
        "_session": ("Answer", "Orders"),
    }

    def __getattr__(name):
        for home, names in _HOMES.items():
            if name in names:
                from importlib import import_module

                module = import_module(f"borduel.{home}")
                globals().update({own: getattr(module, own) for own in names})
                return globals()[name]
        raise AttributeError(f"module 'borduel' has no attribute {name!r}")

    def __dir__():
        return sorted(__all__)
