"""What was found: scores, the verdict, checks, contexts, what a first place rests on, voters' reliability, a hint's worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Interval:
    """An estimate (None where something that was never compared decides), the ends of its interval, its standard error."""

    estimate: float | None
    low: float
    high: float
    error: float


@dataclass(frozen=True)
class VotesOfAKind:
    """Votes that say the same: so many prefer ``winner`` to ``loser``, or call it a tie."""

    votes: int
    winner: str
    loser: str
    tie: bool
    context: str | None = None
    """In which context, where that matters to what they count."""


@dataclass(frozen=True)
class FewestVotes:
    """Votes without which ``first`` is first: ``removed`` of so many, and which."""

    removed: int
    of: float
    first: str
    which: tuple[VotesOfAKind, ...]


@dataclass(frozen=True)
class Fewest:
    """Voters, or contexts, without whose votes ``first`` is first."""

    which: tuple[str, ...]
    of: int
    first: str


@dataclass(frozen=True)
class RestsOn:
    """What the first place rests on; None where nothing of the kind is known, or none of it unseats the first item."""

    votes: FewestVotes | None
    voters: Fewest | None
    contexts: Fewest | None
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class VoterReliability:
    """How far a voter can be relied on: what an answer carries, 1 being a typical voter's."""

    voter: str
    votes: float
    carries: Interval


@dataclass(frozen=True)
class Reliability:
    """How far voters can be relied on; ``str(reliability)`` is the sentence."""

    voters: tuple[VoterReliability, ...]
    """The voters, the least reliable first."""
    spread: float
    """The standard deviation, among voters, of the logarithm of what an answer carries."""
    p: float
    """The chance of so much difference, were all voters alike."""
    log_loss: tuple[float, float]
    """How well votes are foretold, all voters being alike and each as reliable as told: −ln of their chance, on average."""
    without_least: str | None
    """Who is first without the least reliable tenth, where voters differ."""
    weighed: bool
    """Whether votes count by it."""
    first_alike: str | None
    """Where they do: who is first where all count alike."""
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Hint:
    """What a judge's votes are worth beside people's, and what they did to the ranking; ``str(hint)`` is the sentence."""

    saved: float
    """The share of people's votes that its answers to the same questions saved; 0 where they could not be used."""
    correlation: float | None
    """ρ, the correlation of a person's answer and the judge's within pairs, where they could."""
    pairs: int
    """How many pairs it answered in all contexts."""
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class AboutContexts:
    """About which contexts, such as prompts, a ranking speaks."""

    about: Literal["these", "such"]
    """These alone, or contexts like these, of which these are a sample."""
    why: Literal["asked", "enough", "few", "fixed"]
    """Asked for; at least 8; fewer than 8; or something else was asked for that takes contexts as fixed."""
    seen: int
    """How many there are."""
    are: str
    """What they are, in the plural."""
    without: float
    """Votes without a context, which together count as one more."""
    scores: Mapping[str, Mapping[str, float]]
    """Every item's score in every context, drawn towards its mean where votes are few; of very many contexts the largest."""


@dataclass(frozen=True)
class ItemScore:
    """What is known about one item."""

    item: str
    """Its identifier."""
    name: str | None
    """What people call it, where that is something else."""
    borda: Interval
    """Its chance to beat a random other item."""
    tier: int
    """Its tier, 1 being the first: items of one tier could all have one and the same rank."""
    rank: tuple[int, int]
    """The best and the worst rank it can have."""
    p_best: float | None
    """The chance that it is best, where that is known."""
    strength: Interval | None
    """Its Bradley–Terry strength, where it was asked for."""
    wins: float
    losses: float
    ties: float
    both_bad: float
    skips: float
    soft: float


@dataclass(frozen=True)
class Verdict:
    """What can be said of who is best; ``str(verdict)`` is the sentence."""

    kind: Literal["clear-winner", "good-enough", "tie", "not-enough"]
    """Better than every other item; nobody better by more than the margin; equal up to the margin; or none of these yet."""
    text: str
    winners: tuple[str, ...]
    """All that may be best, the leader first: with "good-enough" it may be chosen, and the others may be just as good."""
    forecast: Literal["too-early", "between", "out-of-reach"] | None
    """Whether it can be told how many more votes would decide; ``None`` where that is no question."""
    votes_needed: tuple[float, float] | None
    """Between which two numbers of votes, in 8 of 10 such cases, where that can be told."""
    margin: float
    few_voters: int | None
    """The number of voters, where they are so few that they speak for nobody else."""
    contexts_needed: tuple[float, float] | None = None
    """Between which two numbers of further contexts, with as many votes each, where the verdict is about contexts like these."""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Check:
    """Something that was looked at: ``ok`` is None where there was too little to see."""

    name: str
    ok: bool | None
    text: str


@dataclass(frozen=True)
class RowError:
    """A row that was not understood and set aside."""

    file: str
    row: int
    column: str | None
    value: str | None
    text: str


@dataclass(frozen=True)
class Rows:
    """What became of the rows."""

    read: int
    set_aside: int
    unanswered: int
