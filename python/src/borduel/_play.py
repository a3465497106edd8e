"""A policy before a judge: people, programs or language models, one call at a time or many, with a log from which it goes on."""

from __future__ import annotations

import hashlib
import inspect
import io
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, cast, overload

from borduel import _core
from borduel._progress import Progress, told

if sys.platform != "win32":
    import fcntl

Answer = Literal["left", "right", "tie", "both bad", "skip"] | bool | float
"""What a judge says: a side, a tie, that both are bad, that it will not say; or True, False, 1, 0, 0.5. A judge that asks several
people gives ``{"answer": …, "voter": "ann"}``."""

Orders = Literal["random", "both", "given"]

VERSION = 1
"""The version of a line of the log."""

MOST_TRIVIAL = 100_000
"""So many proposals of an item against itself in a row, and the policy is taken to ask nothing else any more."""

MOST_FAILURES = 10
"""So many failed questions in a row, and the first of their exceptions is raised."""


@dataclass(frozen=True)
class Vote:
    """An answer of a judge, as it stands in the log."""

    left: str
    """The item that was shown on the left, or first."""
    right: str
    winner: str | None
    """What was answered; None where the judge failed."""
    ask: int
    """The number of the question, from 1; as in a sheet of `design`, an answer that is missing is then no mistake."""
    propensity: float | None
    """The chance with which the pair was asked, where that is known."""
    seconds: float
    """How long the judge took."""
    asked: int
    """How many questions had been asked when this answer was learned: with it, a run can be repeated exactly."""
    voter: str | None = None
    error: str | None = None

    def line(self) -> bytes:
        """Give the line of the log; what is not there is left out, but the winner, whose place is kept."""
        there = {key: value for key, value in asdict(self).items() if value is not None or key == "winner"}
        return (json.dumps({"version": VERSION, **there}, ensure_ascii=False) + "\n").encode()


class Votes(Sequence[Vote]):
    """All answers of a judge; `rank` and `design` take them as they are."""

    def __init__(self, votes: Sequence[Vote], verdict: str | None = None) -> None:
        self._votes = list(votes)
        self.verdict = verdict
        """The verdict of the policy "find-winner", in one sentence."""

    @overload
    def __getitem__(self, index: int) -> Vote: ...
    @overload
    def __getitem__(self, index: slice) -> list[Vote]: ...
    def __getitem__(self, index: int | slice) -> Vote | list[Vote]:
        return self._votes[index]

    def __len__(self) -> int:
        return len(self._votes)

    def to_dict(self) -> dict[str, list[Any]]:
        """Give the votes as columns."""
        rows = [asdict(vote) for vote in self._votes]
        names = ["ask", "left", "right", "winner", "propensity", "seconds"]
        # One judge is no crowd whose habits could be allowed for.
        if len({vote.voter for vote in self._votes}) > 1:
            names.append("voter")
        return {name: [row[name] for row in rows] for name in names}

    def to_pandas(self) -> Any:
        """Give the votes as a pandas DataFrame."""
        import pandas as pd

        return pd.DataFrame([asdict(vote) for vote in self._votes])

    def __repr__(self) -> str:
        return f"Votes({len(self)})" if self.verdict is None else f"Votes({len(self)}): {self.verdict}"


@dataclass
class _Question:
    """A question at the judge: the proposal, and the orders in which its two items are shown."""

    proposal: _core.Proposal
    swapped: list[bool]


@dataclass(frozen=True)
class _Reply:
    """What the judge said to one order: a word, or nothing and why."""

    word: str | None
    seconds: float
    error: BaseException | None = None
    voter: str | None = None


def _said(answer: object, seconds: float) -> _Reply:
    """Take an answer, which may say whose it is."""
    if not isinstance(answer, Mapping):
        return _Reply(_word(answer), seconds)
    if "answer" not in answer or not answer.keys() <= {"answer", "voter"}:
        raise _core.SettingError(f'the judge answered {answer!r}: expected {{"answer": "left", "voter": "ann"}}')
    voter = answer.get("voter")
    return _Reply(_word(answer["answer"]), seconds, voter=None if voter is None else str(voter))


def _word(answer: object) -> str:
    if isinstance(answer, str):
        if answer in ("left", "right", "tie", "both bad", "skip"):
            return answer
    elif answer in (0, 0.5, 1):
        return {0.0: "right", 0.5: "tie", 1.0: "left"}[float(cast("float", answer))]
    raise _core.SettingError(
        f'the judge answered {answer!r}: an answer is "left", "right", "tie", "both bad", "skip", or 1, 0 or 0.5'
    )


def _mirrored(word: str, swapped: bool) -> str:
    return {"left": "right", "right": "left"}.get(word, word) if swapped else word


class _Session:
    """What `play` and `aplay` share: who is asked next, what is learned, what is written down."""

    def __init__(
        self,
        policy: _core.Policy,
        budget: int,
        orders: Orders,
        log: str | os.PathLike[str] | None,
        voter: str | None,
    ) -> None:
        if budget < 1:
            raise _core.SettingError(f"budget = {budget}: must be at least 1 answer")
        if orders not in ("random", "both", "given"):
            raise _core.UnknownName(f'unknown orders "{orders}"; known are: random, both, given')
        self.policy, self.budget, self.orders, self.voter = policy, budget, orders, voter
        self.names: Sequence[Any] = policy.problem.names or range(policy.problem.items)
        self.votes: list[Vote] = []
        self.spent = 0
        self.waiting: list[_Question] = []
        self.out: list[_Question] = []
        self.failed: list[BaseException] = []
        self.file: io.FileIO | None = None
        if log is not None:
            self.file = _opened(os.fspath(log))
            try:
                self._take_up(os.fspath(log))
            except BaseException:
                self.file.close()
                raise

    @property
    def cost(self) -> int:
        return 2 if self.orders == "both" else 1

    def _take_up(self, path: str) -> None:
        """Go on from the log: the policy is asked and told all over again, without the judge."""
        assert self.file is not None
        self.file.seek(0)
        text = self.file.readall() or b""
        whole = text[: text.rfind(b"\n") + 1]
        torn = text[len(whole) :]
        if not whole and torn and not (torn.startswith(_BEGUN) or _BEGUN.startswith(torn)):
            raise _core.DataError(f"{path}: is not a log of borduel; it is not touched: give another log")
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                entry = json.loads(line)
                version = entry.pop("version")
                vote = Vote(**entry)
            except (ValueError, TypeError, KeyError, AttributeError):
                raise _core.DataError(
                    f"{path}, line {number}: is not a line of a log of borduel; nothing is touched: mend the line, "
                    "or give another log"
                ) from None
            if version != VERSION:
                raise _core.VersionError(f"{path}, line {number}: version {version}; this program writes {VERSION}")
            self.votes.append(vote)
        if torn:
            # What was being written when the program was killed.
            _set_aside(path, torn)
            self.file.truncate(len(whole))
        self.spent = sum(vote.error is None for vote in self.votes)
        asked = max((vote.asked for vote in self.votes), default=0)
        if self.votes and self.policy.round == 0:
            self._replay(path)
        elif self.policy.round < asked:
            raise _core.DataError(
                f"{path}: {asked} questions were asked, this policy has asked {self.policy.round}: give a policy that has "
                "asked nothing, which then learns from the log, or the one that wrote it"
            )

    def _replay(self, path: str) -> None:
        open_questions: dict[int, _core.Proposal] = {}
        at = 0
        while at < len(self.votes):
            first = self.votes[at]
            group = [vote for vote in self.votes[at : at + 2] if vote.ask == first.ask]
            at += len(group)
            while self.policy.round < first.asked:
                if (proposal := self._propose()) is not None:
                    open_questions[proposal.round] = proposal
            known = open_questions.pop(first.ask, None)
            pair = None if known is None else {str(self.names[known.left]), str(self.names[known.right])}
            if known is None or pair != {first.left, first.right}:
                raise _core.DataError(
                    f"{path}: question {first.ask} was about {first.left} and {first.right}, which this policy did not ask: "
                    "the log belongs to another policy, seed or problem; give those, or another log"
                )
            swapped = [vote.left != str(self.names[known.left]) for vote in group]
            words = [None if v.winner is None else _mirrored(v.winner, s) for v, s in zip(group, swapped, strict=True)]
            self._learn(known, words, first.voter)
        for proposal in open_questions.values():
            self.waiting.append(_Question(proposal, self._order(proposal)))

    def _order(self, proposal: _core.Proposal) -> list[bool]:
        if self.orders == "both":
            return [False, True]
        if self.orders == "given":
            return [False]
        # A stream of its own, by the number of the question, so that the order of arrival does not matter.
        word = hashlib.blake2b(f"{self.policy.seed} {proposal.round}".encode(), digest_size=1).digest()
        return [word[0] & 1 == 1]

    def ask(self) -> _Question | None:
        """Give the next question, unless the budget is spent or the policy knows all that it wants to know."""
        if self.spent + (len(self.out) + 1) * self.cost > self.budget or self.policy.committed is not None:
            return None
        if self.waiting:
            self.out.append(self.waiting.pop(0))
            return self.out[-1]
        for _ in range(MOST_TRIVIAL):
            if (proposal := self._propose()) is not None:
                self.out.append(_Question(proposal, self._order(proposal)))
                return self.out[-1]
        return None

    def _propose(self) -> _core.Proposal | None:
        """Ask the policy; an item against itself is a tie, and nobody need be asked."""
        proposal = self.policy.ask()
        if proposal.left != proposal.right:
            return proposal
        self.policy.tell(proposal, 0.5)
        return None

    def shown(self, question: _Question, swapped: bool) -> tuple[Any, Any]:
        left, right = self.names[question.proposal.left], self.names[question.proposal.right]
        return (right, left) if swapped else (left, right)

    def _learn(self, proposal: _core.Proposal, words: Sequence[str | None], voter: str | None) -> None:
        sides = [word for word in words if word in ("left", "right", "tie")]
        if len(sides) < len(words):
            self.policy.cancel(proposal)
        else:
            agreed = {"left": 1.0, "right": 0.0}.get(sides[0], 0.5) if len(set(sides)) == 1 else 0.5
            self.policy.tell(proposal, agreed, voter=voter)

    def tell(self, question: _Question, replies: Sequence[_Reply]) -> None:
        """Learn and write down what the judge said; raise what it raised, when that has become a habit."""
        self.out.remove(question)
        asked = self.policy.round
        words = [
            None if reply.word is None else _mirrored(reply.word, swapped)
            for reply, swapped in zip(replies, question.swapped, strict=True)
        ]
        votes = []
        for reply, swapped in zip(replies, question.swapped, strict=True):
            left, right = self.shown(question, swapped)
            chance = question.proposal.propensity
            error = None if reply.error is None else f"{type(reply.error).__name__}: {reply.error}"
            votes.append(
                Vote(
                    left=str(left),
                    right=str(right),
                    winner=reply.word,
                    ask=question.proposal.round,
                    propensity=None if chance != chance else chance,
                    voter=reply.voter or self.voter,
                    seconds=round(reply.seconds, 6),
                    asked=asked,
                    error=error,
                )
            )
        if self.file is not None:
            self.file.write(b"".join(vote.line() for vote in votes))
        self.votes.extend(votes)
        self.spent += sum(reply.error is None for reply in replies)
        self._learn(question.proposal, words, votes[0].voter)
        errors = [reply.error for reply in replies if reply.error is not None]
        self.failed = [*self.failed, *errors[:1]] if errors else []
        if len(self.failed) >= MOST_FAILURES:
            raise self.failed[0]

    def close(self) -> None:
        """Take back the questions that nobody will answer, and close the log."""
        try:
            for question in list(self.out):
                self.tell(question, [_Reply(None, 0.0, RuntimeError("stopped")) for _ in question.swapped])
        except RuntimeError:
            pass
        finally:
            if self.file is not None:
                self.file.close()

    def result(self) -> Votes:
        verdict = self.policy.verdict()
        voters = {vote.voter for vote in self.votes if vote.error is None}
        if verdict is not None and voters:
            # One judge's winner is its own, and a few voters speak for nobody else.
            verdict = " ".join(filter(None, [verdict, _core.whose(len(voters), next(iter(voters)))]))
        return Votes(self.votes, verdict)


_BEGUN = b'{"version": '
"""What every line of a log begins with."""


def _opened(path: str) -> io.FileIO:
    """Open a log, made if it is missing, for this process alone."""
    if os.path.exists(path) and not os.path.isfile(path):
        raise _core.DataError(f"{path}: is not a file; it is not touched: give another log")
    file = io.FileIO(path, "a+")
    if sys.platform != "win32":
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise _core.DataError(
                f"{path}: somebody else is at work on this log; wait for them, or give another log"
            ) from None
    return file


def _set_aside(path: str, torn: bytes) -> None:
    """Keep what is no whole line in a new file beside the log."""
    place = path + ".torn"
    while os.path.lexists(place):
        place += "+"
    with open(place, "xb") as file:
        file.write(torn)


def play(
    policy: _core.Policy,
    judge: Callable[[Any, Any], Any],
    *,
    budget: int,
    batch: int = 1,
    orders: Orders = "random",
    log: str | os.PathLike[str] | None = None,
    voter: str | None = None,
    progress: Progress = None,
) -> Votes:
    """Put a policy before a judge, until the policy knows or the budget is spent.

    Parameters
    ----------
    policy
        It asks. "find-winner" stops as soon as one is good enough (or, with ``until="clear"``, clearly the best); the
        explore-then-commit policies when they commit.
    judge
        A function of two names (or numbers, where the problem has no names) that gives an `Answer`, or, where it asks several
        people, ``{"answer": …, "voter": …}``; with ``batch > 1``, of two lists, that gives a list.
    budget
        How many answers are paid for.
    batch
        How many questions are put at a time.
    orders
        ``"random"``: either item may come first, by chance; ``"both"``: each question is put in both orders, two answers that
        agree count and others are a tie (costs two); ``"given"``: as the policy says.
    log
        A file of JSON lines, a vote file for `rank`. What it holds already is learned and not asked again. One process at a time
        has it; a last line that a kill cut short is kept beside it.
    voter
        Who answers, where an answer does not say so. Where several answered, "find-winner" allows for their habits: the winner is
        then that of everybody who might have been asked, and takes at least four of them.
    progress
        See `Experiment.run`.

    Returns
    -------
    Votes
        All answers, those of the log included.

    Examples
    --------
    >>> import borduel as bd
    >>> problem = bd.Problem(4, names=["a", "b", "c", "d"])
    >>> votes = bd.play(bd.Policy("find-winner", problem), lambda left, right: left < right, budget=1000)
    >>> len(votes) < 1000
    True
    >>> bd.rank(votes)[0].item
    'a'
    """
    if batch < 1:
        raise _core.SettingError(f"batch = {batch}: must be at least 1")
    session = _Session(policy, budget, orders, log, voter)
    try:
        with told(progress, "answers") as tell:
            while questions := _several(session, batch):
                for question, replies in zip(questions, _put(session, judge, questions, batch), strict=True):
                    session.tell(question, replies)
                if tell is not None:
                    tell(session.spent, budget)
        return session.result()
    finally:
        session.close()


def _several(session: _Session, batch: int) -> list[_Question]:
    questions: list[_Question] = []
    while len(questions) < batch and (question := session.ask()) is not None:
        questions.append(question)
    return questions


def _put(
    session: _Session, judge: Callable[[Any, Any], Any], questions: list[_Question], batch: int
) -> Iterator[list[_Reply]]:
    """Put questions to a judge that answers at once; a list of replies for each."""
    pairs = [session.shown(question, swapped) for question in questions for swapped in question.swapped]
    if batch == 1:
        replies = [_reply(judge, left, right) for left, right in pairs]
    else:
        start = time.perf_counter()
        try:
            answers = list(judge([left for left, _ in pairs], [right for _, right in pairs]))
            if len(answers) != len(pairs):
                raise _core.SettingError(f"the judge gave {len(answers)} answers to {len(pairs)} questions")
            each = (time.perf_counter() - start) / len(pairs)
            replies = [replace(_reply(lambda said, _: said, answer, None), seconds=each) for answer in answers]
        except Exception as error:
            replies = [_Reply(None, time.perf_counter() - start, error) for _ in pairs]
    for question in questions:
        yield [replies.pop(0) for _ in question.swapped]


def _reply(judge: Callable[[Any, Any], Any], left: Any, right: Any) -> _Reply:
    start = time.perf_counter()
    try:
        answer = judge(left, right)
        return _said(answer, time.perf_counter() - start)
    except Exception as error:
        return _Reply(None, time.perf_counter() - start, error)


async def aplay(
    policy: _core.Policy,
    judge: Callable[[Any, Any], Awaitable[Any]],
    *,
    budget: int,
    concurrency: int = 16,
    batch: int | None = None,
    orders: Orders = "random",
    retries: int = 2,
    pause: float = 0.5,
    timeout: float | None = None,
    log: str | os.PathLike[str] | None = None,
    voter: str | None = None,
    progress: Progress = None,
) -> Votes:
    """Put a policy before a judge with many calls in flight, such as a language model.

    Answers are learned in the order of their arrival, so that no call waits for another; such a run cannot be repeated. With
    ``batch``, so many questions are put together and learned in the order of asking, and it can.

    Parameters
    ----------
    policy, budget, orders, log, voter, progress
        See `play`. A run that was killed goes on from its log: the policy, made anew with the same seed, learns from it.
    judge
        A coroutine function of two names that gives an `Answer`, or ``{"answer": …, "voter": …}``.
    concurrency
        How many calls are in flight at most.
    batch
        How many questions are put together; as they come unless given.
    retries, pause
        How often a call that raised, timed out or gave no answer is made again, after ``pause`` seconds and twice as many each
        time. Then the question is taken back; ten such questions in a row, and the first exception is raised.
    timeout
        Seconds after which a call has failed.

    Returns
    -------
    Votes
        All answers, those of the log included.

    Examples
    --------
    >>> import asyncio
    >>> import borduel as bd
    >>> async def judge(left, right):
    ...     return "left" if left < right else "right"
    >>> policy = bd.Policy("find-winner", bd.Problem(4, names=["a", "b", "c", "d"]))
    >>> votes = asyncio.run(bd.aplay(policy, judge, budget=1000))
    >>> bd.rank(votes)[0].item
    'a'
    """
    # Whoever awaits this has it; for everybody else it would take longer to import than all of borduel.
    import asyncio

    if concurrency < 1:
        raise _core.SettingError(f"concurrency = {concurrency}: must be at least 1")
    if batch is not None and batch < 1:
        raise _core.SettingError(f"batch = {batch}: must be at least 1")
    session = _Session(policy, budget, orders, log, voter)
    slots = asyncio.Semaphore(concurrency)
    running: set[asyncio.Task[tuple[_Question, list[_Reply]]]] = set()

    async def one(left: Any, right: Any) -> _Reply:
        async with slots:
            start = time.perf_counter()
            for attempt in range(retries + 1):
                try:
                    answer = judge(left, right)
                    if inspect.isawaitable(answer):
                        answer = await asyncio.wait_for(answer, timeout)
                    return _said(answer, time.perf_counter() - start)
                except Exception as error:
                    if attempt == retries:
                        return _Reply(None, time.perf_counter() - start, error)
                    await asyncio.sleep(pause * 2**attempt)
            raise AssertionError("every attempt returns or is followed by another")

    async def put(question: _Question) -> tuple[_Question, list[_Reply]]:
        calls = [one(*session.shown(question, swapped)) for swapped in question.swapped]
        return question, list(await asyncio.gather(*calls))

    try:
        with told(progress, "answers") as tell:
            most = max(1, concurrency // session.cost) if batch is None else batch
            while True:
                if batch is None or not running:
                    for question in _several(session, most - len(running)):
                        running.add(asyncio.create_task(put(question)))
                if not running:
                    return session.result()
                when = asyncio.FIRST_COMPLETED if batch is None else asyncio.ALL_COMPLETED
                done, running = await asyncio.wait(running, return_when=when)
                for answered, replies in sorted((task.result() for task in done), key=lambda r: r[0].proposal.round):
                    session.tell(answered, replies)
                if tell is not None:
                    tell(session.spent, budget)
    finally:
        for task in running:
            task.cancel()
        session.close()
