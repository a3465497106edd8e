"""A policy before a judge: people, programs or language models, one call at a time or many, with a log from which it goes on."""

from __future__ import annotations

import inspect
import logging
import os
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from borduel import _core
from borduel._given import Names, Whole, real, setting, whole
from borduel._log import Vote, Votes
from borduel._progress import Progress, told
from borduel._session import Answer, Judge, Orders, Question, Reply, Session, said
from borduel._session import told as as_line

__all__ = ["Answer", "Orders", "Vote", "Votes", "aplay", "play"]

log_of_calls = logging.getLogger("borduel")

LONG = 60.0
"""Seconds that are worth a line where a judge asks for such a pause."""


def play(
    policy: _core.Policy,
    judge: Judge,
    *,
    budget: Whole,
    batch: Whole = 1,
    orders: Orders = "random",
    log: str | os.PathLike[str] | None = None,
    voter: str | None = None,
    exclude_items: Names = (),
    progress: Progress = None,
) -> Votes:
    """Put a policy before a judge, until the policy knows or the budget is spent.

    Parameters
    ----------
    policy
        It asks. "find-winner" stops as soon as one is good enough (or, with ``until="clear"``, clearly the best); the
        explore-then-commit policies stop when they commit.
    judge
        A function of two names (or numbers, where the problem has no names) that gives an `Answer`; where the problem has
        contexts, of three, the last that of the context. With ``batch > 1``, of as many lists, that gives a list. A dict of such
        functions: each question is put to one of them, in turn, whose name goes with the answer. What the first call raises
        because the program is wrong, or says that is no answer, is raised at once.
    budget
        How many answers are paid for. "find-winner" is told of it unless it has a budget of its own: with fewer than ten
        questions an item it begins with a chain. A log that is gone on with keeps the budget it began with for that.
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
    exclude_items
        Items that are set aside, such as one on which the judge always fails: nobody is asked about them, and they lose every
        question. Where items have features, that misleads a little: a new problem without the item does not.
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
    batch, budget = whole("batch", batch, 1), whole("budget", budget, 1)
    session = Session(policy, judge, budget, orders, log, voter, exclude_items)
    try:
        with told(progress, "answers") as tell:
            while questions := session.several(batch):
                if batch == 1:
                    _one(session, questions[0])
                else:
                    _together(session, questions)
                session.settle(questions)
                if tell is not None:
                    tell(session.spent, budget)
    finally:
        session.close()
    return session.result()


def _one(session: Session, question: Question) -> None:
    """Put a question to a judge that answers at once."""
    judge, _ = session.asked(question)
    for at, swapped in enumerate(question.swapped):
        question.replies[at] = _reply(session, judge, *session.shown(question, swapped))


def _together(session: Session, questions: list[Question]) -> None:
    """Put questions to judges of lists, each of them all that are for it."""
    by_judge: dict[str | None, list[Question]] = {}
    for question in questions:
        by_judge.setdefault(session.asked(question)[1], []).append(question)
    for own in by_judge.values():
        judge, _ = session.asked(own[0])
        places = [(question, at) for question in own for at in range(len(question.swapped))]
        pairs = [session.shown(question, question.swapped[at]) for question, at in places]
        start = time.perf_counter()
        try:
            answers = list(judge(*(list(column) for column in zip(*pairs, strict=True))))
            if len(answers) != len(pairs):
                raise setting(
                    "answers", len(answers), f"the judge was asked {len(pairs)} questions: give as many answers"
                )
        except Exception as error:
            session.check(error)
            replies = [Reply(None, time.perf_counter() - start, error) for _ in pairs]
        else:
            each = (time.perf_counter() - start) / len(pairs)
            replies = [replace(_reply(session, lambda said: said, answer), seconds=each) for answer in answers]
        for (question, at), reply in zip(places, replies, strict=True):
            question.replies[at] = reply


def _reply(session: Session, judge: Callable[..., Any], *asked: Any) -> Reply:
    start = time.perf_counter()
    try:
        answer = judge(*asked)
        reply = said(answer, time.perf_counter() - start)
    except Exception as error:
        session.check(error)
        return Reply(None, time.perf_counter() - start, error)
    session.understood = True
    return reply


async def aplay(
    policy: _core.Policy,
    judge: Judge,
    *,
    budget: Whole,
    concurrency: Whole = 16,
    batch: Whole | None = None,
    orders: Orders = "random",
    retries: Whole = 2,
    pause: float = 0.5,
    timeout: float | None = None,
    rate: float | None = None,
    log: str | os.PathLike[str] | None = None,
    voter: str | None = None,
    exclude_items: Names = (),
    progress: Progress = None,
) -> Votes:
    """Put a policy before a judge with many calls in flight, such as a language model.

    Answers are learned in the order of their arrival, so that no call waits for another; such a run cannot be repeated. With
    ``batch``, so many questions are put together and learned in the order of asking, and it can. The first question is put alone,
    so that a wrong program costs one call. The event loop goes on while the policy thinks.

    When it is cancelled, or Ctrl-C is pressed, answers that have come are kept, and questions that are open are taken back.

    Parameters
    ----------
    policy, budget, orders, log, voter, exclude_items, progress
        See `play`. A run that was killed goes on from its log: the policy, made anew with the same seed, learns from it.
    judge
        A coroutine function of two names, and of the context's where the problem has contexts, that gives an `Answer`; or a dict
        of several, who are asked in turn.
    concurrency
        How many calls are in flight at most.
    batch
        How many questions are put together; as they come unless given.
    retries, pause
        How often a call that raised, timed out or gave no answer is made again, after about ``pause`` seconds and twice as many
        each time, or after as many as the judge says (``Retry-After``, as clients of APIs have it). Then the question is taken
        back; ten such questions in a row, and the first exception is raised.
    timeout
        Seconds after which a call has failed.
    rate
        How many calls are made a second at most.

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

    concurrency, budget = whole("concurrency", concurrency, 1), whole("budget", budget, 1)
    together = None if batch is None else whole("batch", batch, 1)
    retries, pause = whole("retries", retries), real("pause", pause)
    if rate is not None and real("rate", rate) <= 0:
        raise setting("rate", rate, "must be more than 0 calls a second")
    slots = asyncio.Semaphore(concurrency)
    running: set[asyncio.Task[Question]] = set()
    thinking: asyncio.Future[Any] | None = None
    due, pausing, paused = 0.0, 0, asyncio.Event()

    async def beside(work: Callable[..., Any], *arguments: Any) -> Any:
        """Do what may take long on another thread, to its end even if nobody waits for it any more."""
        nonlocal thinking
        thinking = asyncio.ensure_future(asyncio.to_thread(work, *arguments))
        return await asyncio.shield(thinking)

    async def called(judge: Callable[..., Any], *asked: Any) -> Reply:
        nonlocal due
        async with slots:
            if rate is not None:
                now = time.monotonic()
                due = max(now, due + 1 / rate)
                await asyncio.sleep(due - now)
            start = time.perf_counter()
            answer = judge(*asked)
            if inspect.isawaitable(answer):
                answer = await asyncio.wait_for(answer, timeout)
            return said(answer, time.perf_counter() - start)

    async def rest(seconds: float) -> None:
        """Wait before another attempt; no slot is held meanwhile, and another question can be put."""
        nonlocal pausing
        pausing += 1
        paused.set()
        try:
            await asyncio.sleep(seconds)
        finally:
            pausing -= 1

    async def one(session: Session, question: Question, at: int) -> None:
        judge, _ = session.asked(question)
        failures: tuple[str, ...] = ()
        while True:
            start = time.perf_counter()
            try:
                reply = await called(judge, *session.shown(question, question.swapped[at]))
                session.understood = True
            except Exception as error:
                session.check(error)
                if (attempt := len(failures)) < retries:
                    failures = (*failures, as_line(error))
                    jitter = 0.5 + session.random(question.proposal.round, at, attempt) / 256
                    wanted = _asked_pause(error)
                    await rest(pause * 2**attempt * jitter if wanted is None else wanted)
                    continue
                reply = Reply(None, time.perf_counter() - start, error)
            question.replies[at] = replace(reply, failures=failures)
            return

    async def put(session: Session, question: Question) -> Question:
        await asyncio.gather(*(one(session, question, at) for at in range(len(question.swapped))))
        return question

    async def answered(session: Session) -> list[Question]:
        """Wait for answers, or until another question can be put."""
        nonlocal running
        if together is not None:
            done, running = await asyncio.wait(running)
        else:
            free = asyncio.create_task(paused.wait())
            try:
                await asyncio.wait({*running, free}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                free.cancel()
            paused.clear()
            done = {task for task in running if task.done()}
            running = running - done
        return sorted((task.result() for task in done), key=lambda question: question.proposal.round)

    async def close(session: Session) -> None:
        """Have done with everything that is under way."""
        for task in running:
            task.cancel()
        await asyncio.gather(*running, *([] if thinking is None else [thinking]), return_exceptions=True)
        await asyncio.to_thread(session.close)

    making = asyncio.ensure_future(asyncio.to_thread(Session, policy, judge, budget, orders, log, voter, exclude_items))
    try:
        session = await asyncio.shield(making)
    except asyncio.CancelledError:
        # The log is nobody's until it is closed.
        await asyncio.wait([making])
        if making.exception() is None:
            making.result().close()
        raise
    try:
        with told(progress, "answers") as tell:
            most = max(1, concurrency // session.cost) if together is None else together
            questions = await beside(session.several, most if together else 1)
            # The first question goes alone.
            done = [await put(session, question) for question in questions[:1]]
            running.update(asyncio.create_task(put(session, question)) for question in questions[1:])
            while done or running:
                if running and (together is not None or not done):
                    done += await answered(session)
                await beside(session.settle, done)
                done = []
                if tell is not None:
                    tell(session.spent, budget)
                room = min(most + pausing // session.cost, 2 * most) - len(running) if together is None else together
                if together is None or not running:
                    questions = await beside(session.several, room)
                    running.update(asyncio.create_task(put(session, question)) for question in questions)
    finally:
        await asyncio.shield(asyncio.ensure_future(close(session)))
    return await asyncio.to_thread(session.result)


def _asked_pause(error: BaseException) -> float | None:
    """Give the seconds for which a judge asks to be left alone: of the exception, or of the answer's headers."""
    headers = getattr(getattr(error, "response", None), "headers", None) or getattr(error, "headers", None) or {}
    wanted = getattr(error, "retry_after", None)
    try:
        wanted = headers.get("retry-after", headers.get("Retry-After")) if wanted is None else wanted
        seconds = None if wanted is None else _seconds(wanted)
    except (AttributeError, TypeError, ValueError):
        return None
    if seconds is not None and seconds > LONG:
        log_of_calls.warning("the judge asks for a pause of %.0f seconds (%s)", seconds, as_line(error))
    return seconds


def _seconds(wanted: Any) -> float:
    """Take a number of seconds, or a date."""
    try:
        return max(0.0, float(wanted))
    except ValueError:
        from email.utils import parsedate_to_datetime

        return max(0.0, parsedate_to_datetime(wanted).timestamp() - time.time())
