"""What `play` and `aplay` share: who is asked next, what is learned, what is written down."""

from __future__ import annotations

import hashlib
import inspect
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from borduel import _core
from borduel._given import Names, data, names, one_of, setting, unknown
from borduel._log import Log, Vote, Votes

Answer = Literal["left", "right", "tie", "both bad", "skip"] | bool | float
"""What a judge says: a side, a tie, that both are bad, that it will not say; or True, False, 1, 0, 0.5. It may say more:
``{"answer": …, "voter": "ann", "tokens": 112, "cost": 0.0004, "rationale": "clearer"}``, all but the answer as it likes."""

Orders = Literal["random", "both", "given"]
"""In which order the two items of a question are shown: see `play`."""

OneJudge = Callable[[Any, Any], Any] | Callable[[Any, Any, Any], Any]

Judge = OneJudge | Mapping[str, OneJudge]
"""A judge, or several by their names, who are asked in turn."""

MOST_TRIVIAL = 100_000
"""So many proposals in a row about which nobody need be asked, and the policy is taken to ask nothing else any more."""

MOST_FAILURES = 10
"""So many failed questions in a row, or about an item that was never answered about, and the first exception is raised."""

MISTAKES = (NameError, ImportError, SyntaxError)
"""What a judge raises because its program is wrong, whatever it is asked."""

LIKELY_MISTAKES = (TypeError, AttributeError, LookupError, AssertionError, NotImplementedError, _core.SettingError)
"""What it raises for the same reason, unless it has answered before."""

ANSWERS = ("left", "right", "tie", "both bad", "skip")


@dataclass(frozen=True)
class Reply:
    """What the judge said to one order: a word, or nothing and why."""

    word: str | None
    seconds: float
    error: BaseException | None = None
    voter: str | None = None
    failures: tuple[str, ...] = ()
    tokens: float | None = None
    cost: float | None = None
    rationale: str | None = None


@dataclass
class Question:
    """A question at the judge: the proposal, the orders in which its two items are shown, and what came back for each."""

    proposal: _core.Proposal
    swapped: list[bool]
    replies: list[Reply | None] = field(init=False)
    written: bool = False

    def __post_init__(self) -> None:
        self.replies = [None] * len(self.swapped)


def said(answer: object, seconds: float) -> Reply:
    """Take an answer, which may say whose it is, what it cost, and why."""
    if not isinstance(answer, Mapping):
        return Reply(_word(answer), seconds)
    known = {"answer", "voter", "tokens", "cost", "rationale"}
    if "answer" not in answer or not answer.keys() <= known:
        raise setting(
            "answer", answer, f'the judge answered with something else than {{"answer": …}} and {sorted(known)}'
        )
    number = {key: None if answer.get(key) is None else float(answer[key]) for key in ("tokens", "cost")}
    text = {key: None if answer.get(key) is None else str(answer[key]) for key in ("voter", "rationale")}
    return Reply(_word(answer["answer"]), seconds, **number, **text)  # type: ignore[arg-type]


def _word(answer: object) -> str:
    if isinstance(answer, str):
        if answer in ANSWERS:
            return answer
    elif inspect.isawaitable(answer):
        if inspect.iscoroutine(answer):
            answer.close()
        raise setting("answer", type(answer).__name__, "the judge is a coroutine function: use aplay")
    else:
        try:
            return {0.0: "right", 0.5: "tie", 1.0: "left"}[float(cast("float", answer))]
        except (TypeError, ValueError, KeyError):
            pass
    raise setting(
        "answer",
        answer,
        'the judge answered so: an answer is "left", "right", "tie", "both bad", "skip", or 1, 0 or 0.5',
    )


def _mirrored(word: str, swapped: bool) -> str:
    return {"left": "right", "right": "left"}.get(word, word) if swapped else word


def told(error: BaseException) -> str:
    """Give an exception as one line."""
    return f"{type(error).__name__}: {error}"


def _check_judge(judge: Any, asked: Sequence[str]) -> None:
    """Refuse a judge that cannot be called with what it will be asked, before anything is asked."""
    try:
        signature = inspect.signature(judge)
    except (TypeError, ValueError):
        # Nobody knows; the first call will tell.
        return
    try:
        signature.bind(*asked)
    except TypeError:
        why = "has contexts" if len(asked) == 3 else "has no contexts"
        raise setting(
            "judge", judge, f"the problem {why}: a judge takes ({', '.join(asked)}), this one {signature}"
        ) from None


class Session:
    """A policy before a judge."""

    def __init__(
        self,
        policy: _core.Policy,
        judge: Judge,
        budget: int,
        orders: Orders,
        log: str | os.PathLike[str] | None,
        voter: str | None,
        exclude_items: Names,
    ) -> None:
        one_of("orders", orders, ("random", "both", "given"))
        if isinstance(judge, Mapping) and voter is not None:
            raise setting("voter", voter, "several judges answer under their own names: leave it out")
        if (context := policy.problem.context) is not None:
            raise setting(
                "problem",
                f"context {context}",
                "contexts come up by themselves: use policy.ask(problem) and policy.tell",
            )
        if isinstance(judge, Mapping) and not judge:
            raise setting("judge", judge, "give at least one")
        self.policy, self.judge, self.budget, self.orders, self.voter = policy, judge, budget, orders, voter
        self.names: Sequence[Any] = policy.problem.names or range(policy.problem.items)
        self.contexts = policy.problem.contexts
        for own in judge.values() if isinstance(judge, Mapping) else [judge]:
            _check_judge(own, ["left", "right"] if self.contexts is None else ["left", "right", "context"])
        known = [str(name) for name in self.names]
        self.excluded = set(names("exclude_items", exclude_items))
        for name in self.excluded - set(known):
            raise unknown("item", name, known)
        self.votes: list[Vote] = []
        self.spent = 0
        self.waiting: list[Question] = []
        self.out: list[Question] = []
        self.understood = False
        """Whether the judge has ever answered."""
        self._failed: list[tuple[Question, BaseException]] = []
        self._hopeless: Counter[str] = Counter()
        """How many questions failed about an item of which none has been answered."""
        self._answered: set[str] = set()
        self._told: int | None = None
        """The budget, where the policy was told of it and asks otherwise because of it."""
        self._log: Log | None = None
        if log is None:
            self._tell_budget(budget // self.cost)
        else:
            self._log = Log(os.fspath(log))
            try:
                self._take_up(self._log)
            except BaseException:
                self._log.close()
                raise

    @property
    def cost(self) -> int:
        """How many answers a question takes."""
        return 2 if self.orders == "both" else 1

    def _take_up(self, log: Log) -> None:
        """Go on from the log: the policy is asked and told all over again, without the judge."""
        self.votes = log.read()
        # What was asked followed from the budget of that time.
        if (budget := self.votes[0].budget if self.votes else self.budget // self.cost) is not None:
            self._tell_budget(budget)
        self.spent = sum(vote.winner is not None for vote in self.votes)
        asked = max((vote.asked for vote in self.votes), default=0)
        if self.votes and self.policy.round == 0:
            self._replay(log.path)
        elif self.policy.round < asked:
            raise data(
                f"{log.path}: {asked} questions were asked, this policy has asked {self.policy.round}: give a policy that has "
                "asked nothing, which then learns from the log, or the one that wrote it",
                file=log.path,
            )

    def _tell_budget(self, questions: int) -> None:
        """Tell a policy that has asked nothing how many questions it has, if it was not told when it was made."""
        if self.policy._expect(questions):
            self._told = questions

    def _replay(self, path: str) -> None:
        open_questions: dict[int, _core.Proposal] = {}
        at = 0
        while at < len(self.votes):
            first = self.votes[at]
            group = [vote for vote in self.votes[at : at + 2] if vote.ask == first.ask]
            while self.policy.round < first.asked:
                if (proposal := self._propose()) is not None:
                    open_questions[proposal.round] = proposal
            known = open_questions.pop(first.ask, None)
            pair = None if known is None else {str(self.names[known.left]), str(self.names[known.right])}
            if known is None or pair != {first.left, first.right} or self.context(known) != first.context:
                within = "" if first.context is None else f" in {first.context}"
                raise data(
                    f"{path}, line {at + 1}: question {first.ask} was about {first.left} and {first.right}{within}, which this "
                    "policy did not ask: the log belongs to another policy, seed or problem; give those, or another log "
                    "(rank reads this one as it is)",
                    file=path,
                    row=at + 1,
                )
            at += len(group)
            if first.set_aside is not None:
                self._lose(known, {first.set_aside}, first.voter)
                continue
            swapped = [vote.left != str(self.names[known.left]) for vote in group]
            words = [None if v.winner is None else _mirrored(v.winner, s) for v, s in zip(group, swapped, strict=True)]
            self._learn(known, words, [vote.voter for vote in group])
        for proposal in open_questions.values():
            self.waiting.append(Question(proposal, self._order(proposal)))

    def _order(self, proposal: _core.Proposal) -> list[bool]:
        if self.orders == "both":
            return [False, True]
        if self.orders == "given":
            return [False]
        return [self.random(proposal.round) & 1 == 1]

    def random(self, *of: int) -> int:
        """Give a random byte of a stream of its own, by what it is for, so that the order of arrival does not matter."""
        text = " ".join(map(str, (self.policy.seed, *of)))
        return hashlib.blake2b(text.encode(), digest_size=1).digest()[0]

    def ask(self) -> Question | None:
        """Give the next question, unless the budget is spent or the policy knows all that it wants to know."""
        for _ in range(MOST_TRIVIAL):
            if self.spent + (len(self.out) + 1) * self.cost > self.budget or self.policy.committed is not None:
                return None
            if self.waiting:
                question = self.waiting.pop(0)
            elif (proposal := self._propose()) is not None:
                question = Question(proposal, self._order(proposal))
            else:
                continue
            excluded = self.excluded & set(self._items(question))
            if not excluded:
                self.out.append(question)
                return question
            self._pass_over(question, excluded)
        return None

    def several(self, most: int) -> list[Question]:
        """Give the next questions, at most so many."""
        questions: list[Question] = []
        while len(questions) < most and (question := self.ask()) is not None:
            questions.append(question)
        return questions

    def _propose(self) -> _core.Proposal | None:
        """Ask the policy; an item against itself is a tie, and nobody need be asked."""
        proposal = self.policy.ask()
        if proposal.left != proposal.right:
            return proposal
        self.policy.tell(proposal, 0.5)
        return None

    def _items(self, question: Question) -> tuple[str, str]:
        return str(self.names[question.proposal.left]), str(self.names[question.proposal.right])

    def context(self, proposal: _core.Proposal) -> str | None:
        """Give the name of the context in which a question is asked, if it is asked in one."""
        return None if self.contexts is None or proposal.context is None else self.contexts[proposal.context]

    def shown(self, question: Question, swapped: bool) -> tuple[Any, ...]:
        """Give what the judge sees: the two items, and the context if there are contexts."""
        left, right = self.names[question.proposal.left], self.names[question.proposal.right]
        pair = (right, left) if swapped else (left, right)
        return pair if self.contexts is None else (*pair, self.context(question.proposal))

    def asked(self, question: Question) -> tuple[Callable[..., Any], str | None]:
        """Give the judge whose turn it is, and the name."""
        if not isinstance(self.judge, Mapping):
            return self.judge, self.voter
        voters = list(self.judge)
        voter = voters[question.proposal.round % len(voters)]
        return self.judge[voter], str(voter)

    def check(self, error: BaseException) -> None:
        """Raise what another call would raise too: mistakes of the program, found by the first call."""
        if isinstance(error, MISTAKES) or (not self.understood and isinstance(error, LIKELY_MISTAKES)):
            raise error

    def _learn(self, proposal: _core.Proposal, words: Sequence[str | None], voters: Sequence[str | None]) -> None:
        sides = [word for word in words if word in ("left", "right", "tie")]
        if len(sides) < len(words):
            self.policy.cancel(proposal)
        else:
            agreed = {"left": 1.0, "right": 0.0}.get(sides[0], 0.5) if len(set(sides)) == 1 else 0.5
            self.policy.tell(proposal, agreed, voter=voters[0])

    def _lose(self, proposal: _core.Proposal, excluded: Iterable[str], voter: str | None) -> None:
        """Teach the policy that what is set aside has lost."""
        lost = [str(self.names[item]) in excluded for item in (proposal.left, proposal.right)]
        self.policy.tell(proposal, 0.5 + 0.5 * (lost[1] - lost[0]), voter=voter)

    def _pass_over(self, question: Question, excluded: set[str]) -> None:
        """Answer a question about what is set aside without the judge; that is in the log, so that a run can be repeated."""
        left, right = self._items(question)
        aside = left if left in excluded else right
        _, voter = self.asked(question)
        proposal, error = question.proposal, "set aside"
        asked = (proposal.round, None, 0.0, self.policy.round, voter, error)
        vote = Vote(left, right, None, *asked, set_aside=aside, context=self.context(proposal), budget=self._told)
        self._write([vote])
        self._lose(proposal, {aside}, voter)

    def _write(self, votes: Sequence[Vote]) -> None:
        if self._log is not None:
            self._log.write(votes)
        self.votes.extend(votes)

    def settle(self, questions: Iterable[Question]) -> None:
        """Write down and learn what was said; raise what was raised, when that has become a habit."""
        habit = None
        for question in questions:
            self._take(question)
            errors = [reply.error for reply in question.replies if reply is not None and reply.error is not None]
            items = self._items(question)
            if errors:
                self._failed.append((question, errors[0]))
                self._hopeless.update(item for item in items if item not in self._answered)
            else:
                self._failed.clear()
                self._answered.update(items)
                for item in items:
                    self._hopeless.pop(item, None)
            habit = habit or self._habit(errors)
        if habit is not None:
            raise habit

    def _habit(self, errors: Sequence[BaseException]) -> BaseException | None:
        """Give what is to be raised, now that this came after all before."""
        if not errors:
            return None
        if len(self._failed) >= MOST_FAILURES:
            alike = set.intersection(*(set(self._items(question)) for question, _ in self._failed))
            error = self._failed[0][1]
        else:
            alike = {item for item, count in self._hopeless.items() if count >= MOST_FAILURES}
            error = errors[0]
        if not alike and len(self._failed) < MOST_FAILURES:
            return None
        if alike:
            error.add_note(
                f"{MOST_FAILURES} questions failed that were about {' and '.join(map(repr, sorted(alike)))}: with "
                f"exclude_items={sorted(alike)!r} nobody is asked about it any more, and it loses every question"
            )
        return error

    def _take(self, question: Question) -> None:
        """Write a question down, learn from it, and have done with it. What was interrupted can be done again."""
        replies = [reply or Reply(None, 0.0, RuntimeError("stopped")) for reply in question.replies]
        _, voter = self.asked(question)
        if not question.written:
            asked, chance = self.policy.round, question.proposal.propensity
            votes = []
            for reply, swapped in zip(replies, question.swapped, strict=True):
                left, right, *_ = self.shown(question, swapped)
                votes.append(
                    Vote(
                        left=str(left),
                        right=str(right),
                        winner=reply.word,
                        ask=question.proposal.round,
                        propensity=None if chance != chance else chance,
                        seconds=round(reply.seconds, 6),
                        asked=asked,
                        voter=reply.voter or voter,
                        error=None if reply.error is None else told(reply.error),
                        failures=reply.failures,
                        tokens=reply.tokens,
                        cost=reply.cost,
                        rationale=reply.rationale,
                        context=self.context(question.proposal),
                        budget=self._told,
                    )
                )
            self._write(votes)
            question.written = True
            self.spent += sum(reply.word is not None for reply in replies)
        if not question.proposal.answered:
            both = zip(replies, question.swapped, strict=True)
            words = [None if reply.word is None else _mirrored(reply.word, swapped) for reply, swapped in both]
            self._learn(question.proposal, words, [reply.voter or voter for reply in replies])
        if question in self.out:
            self.out.remove(question)

    def close(self) -> None:
        """Keep what was answered, take back the questions that nobody will answer, and close the log."""
        try:
            for question in list(self.out):
                self._take(question)
        finally:
            if self._log is not None:
                self._log.close()

    def result(self) -> Votes:
        """Give all answers, with the verdict."""
        verdict = self.policy.verdict()
        voters = {vote.voter for vote in self.votes if vote.winner is not None}
        if verdict is not None and voters:
            # One judge's winner is its own, and a few voters speak for nobody else.
            level = float(self.policy.settings.get("level", 0.95))
            verdict = " ".join(filter(None, [verdict, _core.whose(len(voters), level, next(iter(voters)))]))
        return Votes(self.votes, verdict)
