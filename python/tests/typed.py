"""Code of a user's, as a type checker sees it; checked by pyright in its strict mode, never run."""

import asyncio

import numpy as np

import borduel as bd

problem = bd.Problem(np.eye(3), horizon=10, names=["a", "b", "c"])
policy = bd.Policy("find-winner", problem, seed=None, level=0.9)
question = policy.ask()
policy.tell(question, question.left < question.right)
left, right = question
product: int = left * right
many = policy.ask_many(3)
rounds: list[int] = [each.round for each in many]
some: list[bd.Proposal] = many[1:]
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


results = bd.simulate(["uniform", Mine], bd.Environment.hard(2), horizon=1e2, runs=np.int64(3), seed=None)
feedback: bd.Feedback = {"timing": {"kind": "batched", "size": 10}, "lost": 0.1}
paper = bd.Experiment.paper("hard", runs=3, feedback=feedback)
raw = bd.simulate("uniform", np.array([[0.5, 0.7], [0.3, 0.5]]), horizon=10)
plan = bd.design(["a", "b"], 10, exclude_items={"b"}, seed=np.random.default_rng(1))
first: tuple[str, str] = plan[0]
options: bd.RankOptions = {"level": 0.9, "words": {"A": "left"}, "exclude_items": ["c"]}
ranking: bd.Ranking = bd.rank([("a", "b")], **options)
best: bd.ItemScore = ranking[0]
low: float = ranking["a"].borda.low


async def judge(left: str, right: str) -> str:
    """Say."""
    return "left"


orders: bd.Orders = "both"
answer: bd.Answer = "tie"
progress: bd.Progress = None
votes: bd.Votes = asyncio.run(bd.aplay(policy, judge, budget=3, orders=orders, progress=progress))
several: bd.Votes = asyncio.run(bd.aplay(policy, {"gpt": judge, "claude": judge}, budget=3, rate=2.5))
