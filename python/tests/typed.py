"""Code of a user's, as a type checker sees it; checked by pyright in its strict mode, never run."""

import asyncio

import numpy as np

import borduel as bd

problem = bd.Problem(np.eye(3), horizon=10, names=["a", "b", "c"])
policy = bd.Policy("find-winner", problem, seed=None, level=0.9)
question = policy.ask()
policy.tell(question, question.left < question.right)
many = policy.ask_many(3)
policy.tell_many(many, np.where(many.left < many.right, 1.0, 0.0))
pair: tuple[int, int] | None = policy.committed


class Mine:
    """A policy."""

    def __init__(self, problem: bd.Problem, random: np.random.Generator) -> None:
        """Make it."""
        self.items, self.random = problem.items, random

    def ask(self) -> tuple[int, int]:
        """Ask."""
        return int(self.random.integers(self.items)), 0

    def tell(self, left: int, right: int, outcome: float, /) -> None:
        """Learn nothing."""


results = bd.simulate(["uniform", Mine], bd.Environment.hard(2), horizon=100)
ranking: bd.Ranking = bd.rank([("a", "b")])
best: bd.ItemScore = ranking[0]
low: float = ranking["a"].borda.low


async def judge(left: str, right: str) -> str:
    """Say."""
    return "left"


votes: bd.Votes = asyncio.run(bd.aplay(policy, judge, budget=3))
