"""Sweeps and rankings on a Ray cluster: ``pip install borduel[ray]``.

Tasks are pure and small: a lost worker or node costs only what it had not finished, and the bytes are those of one machine.
"""

from __future__ import annotations

import itertools
import os
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, SupportsFloat, Unpack

import borduel
from borduel._core import Ballots, SettingError
from borduel._experiment import Experiment, Plan, Results
from borduel._given import PathLike, Whole, needed, real, setting, whole
from borduel._options import check_keywords, spelled_out
from borduel._progress import Progress, told
from borduel._rank import RANKING, Ranking, RankOptions
from borduel._read import DEFAULTS, items_of

ray = needed("ray", "borduel.ray", "borduel[ray]")
cloudpickle = needed("ray.cloudpickle", "borduel.ray", "borduel[ray]")

__all__ = ["rank", "sweep"]

SILENCE = 600.0
"""Seconds without any result after which somebody should have a look: Ray retries without end what does not fit into memory."""

MOST_BYTES = 8 << 20
"""Of what a task sends back: a task is held as a whole by whoever sends and by the driver, and some are always under way."""

_plans: dict[str, Plan] = {}
"""The plan that this worker has made; another one takes its place."""


def _check_version(version: str) -> None:
    if borduel.__version__ != version:
        raise SettingError(
            f"this worker has borduel {borduel.__version__}, the driver {version}: install the same version on all nodes, "
            f'or give runtime_env={{"pip": ["borduel=={version}"]}}'
        )


def _play(version: str, fingerprint: str, payload: bytes, jobs: Sequence[int]) -> list[tuple[int, bytes, float]]:
    """Play some jobs of a plan, in a worker."""
    _check_version(version)
    plan = _plans.get(fingerprint)
    if plan is None:
        _plans.clear()
        plan = _plans[fingerprint] = cloudpickle.loads(payload)
    played = []
    for job in jobs:
        start = time.process_time()
        played.append((job, plan.run(job), time.process_time() - start))
    return played


class _Chunks:
    """Jobs in tasks of about so many seconds and not too many bytes, by the mean of those that are finished.

    A task is at most an even share of what is left.
    """

    def __init__(self, jobs: Iterator[int], left: int, seconds: float) -> None:
        self.jobs, self.left, self.seconds = jobs, left, seconds
        self.spent, self.bytes, self.finished = 0.0, 0, 0

    def learn(self, played: Sequence[tuple[int, bytes, float]]) -> None:
        self.spent += sum(seconds for _, _, seconds in played)
        self.bytes += sum(len(run) for _, run, _ in played)
        self.finished += len(played)

    def next(self, share: int) -> list[int]:
        # One job first: how long one takes and how much it says is not known yet.
        fits = 1
        if self.spent > 0:
            fits = min(int(self.seconds * self.finished / self.spent), MOST_BYTES * self.finished // self.bytes)
        size = max(1, min(fits, self.left // max(share, 1)))
        chunk = list(itertools.islice(self.jobs, size))
        self.left -= len(chunk)
        return chunk


def _cpus() -> int:
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


def _started(num_cpus: SupportsFloat) -> float:
    """Start Ray unless that has been done; refuse tasks that fit on no node, for which one would wait without end."""
    wanted = real("num_cpus", num_cpus)
    if wanted < 0:
        raise setting("num_cpus", num_cpus, "must be at least 0")
    if not ray.is_initialized():
        ray.init()
    most = max((node["Resources"].get("CPU", 0) for node in ray.nodes() if node["Alive"]), default=0)
    if wanted > most:
        raise setting("num_cpus", num_cpus, f"fits on no node of the cluster: the largest has {most:g}")
    return wanted


def sweep(
    experiment: Experiment | Plan,
    *,
    out: PathLike | None = None,
    task_seconds: float = 5.0,
    num_cpus: SupportsFloat = 1,
    resources: Mapping[str, float] | None = None,
    runtime_env: Mapping[str, Any] | None = None,
    max_retries: Whole = 10,
    in_flight: Whole | None = None,
    progress: Progress = True,
    force: bool = False,
) -> Results:
    """Play an experiment on all nodes of a Ray cluster, to the same bytes as on one machine.

    Every run comes to the driver and is summed up there, not on the nodes: exact quantiles need the values of all runs at a
    checkpoint. The driver's memory hardly grows with the runs all the same: a few numbers of each are held, curves beyond
    32 MB go to the disk (of ``out``, or of temporary files) until they are summed up, one checkpoint at a time. A run of 200
    checkpoints sends about 2 kB and takes 1.6 kB of that disk.

    Parameters
    ----------
    experiment
        What to play. Policies in Python travel with it, and so do the files that it reads.
    out
        A directory for everything that ``borduel run`` writes; on a path that all machines see, any of them can go on. Runs are
        written to its journal as they come; the same call, or ``borduel run``, goes on from there.
    task_seconds
        About how long a task takes. How jobs are split into tasks changes no byte.
    num_cpus, resources, runtime_env, max_retries
        Of a task, as Ray has them. What a policy in Python raises is raised here, and not retried.
    in_flight
        How many tasks are asked for at a time; twice the CPUs that the cluster has at the moment, unless given.
    progress, force
        See `Experiment.run`.

    Returns
    -------
    Results
        As of `Experiment.run`.
    """
    most = None if in_flight is None else whole("in_flight", in_flight, 1)
    if real("task_seconds", task_seconds) <= 0:
        raise setting("task_seconds", task_seconds, "must be more than 0")
    retries, cpus = whole("max_retries", max_retries, -1), _started(num_cpus)
    plan = experiment.plan() if isinstance(experiment, Experiment) else experiment
    # Curves of very many runs are put away in a file without a name: beside the journal, or where temporary files are.
    journal = plan._journal(None if out is None else os.fspath(out), force)
    try:
        missing = [range(first, end) for first, end in journal.missing()]
        # What is in the journal already is done.
        total = sum(plan.horizon(job) for job in range(len(plan)))
        payload = ray.put(cloudpickle.dumps(plan))
        options = {"num_cpus": cpus, "max_retries": retries, "resources": resources, "runtime_env": runtime_env}
        task = ray.remote(_play).options(**{key: value for key, value in options.items() if value is not None})
        chunks = _Chunks(itertools.chain.from_iterable(missing), sum(map(len, missing)), task_seconds)
        with told(progress, "rounds") as tell:
            done = total - journal.rounds_left()
            for played in _flow(task, plan.fingerprint, payload, chunks, most):
                for job, run, seconds in played:
                    journal.add(job, run, seconds)
                    done += plan.horizon(job)
                if tell is not None:
                    tell(done, total)
        return Results(plan._publish(journal), plan)
    finally:
        journal.close()


def _flow(
    task: Any, fingerprint: str, payload: Any, chunks: _Chunks, in_flight: int | None
) -> Iterator[list[tuple[int, bytes, float]]]:
    """Keep tasks in flight, and give what they played as it comes."""
    flying: list[Any] = []
    try:
        while True:
            # Asked for every time: there is always demand, and new nodes are used as soon as they are there.
            most = 2 * _cpus() if in_flight is None else in_flight
            while len(flying) < most and (chunk := chunks.next(most)):
                flying.append(task.remote(borduel.__version__, fingerprint, payload, chunk))
            if not flying:
                return
            ready, flying = ray.wait(flying, num_returns=1, timeout=SILENCE)
            if not ready:
                warnings.warn(
                    f"no task has finished for {SILENCE:.0f} seconds: do they fit into the memory of a node?",
                    stacklevel=3,
                )
                continue
            played = ray.get(ready[0])
            chunks.learn(played)
            yield played
    finally:
        for ref in flying:
            ray.cancel(ref, force=False)


def _read(version: str, votes: Any, reading: Any, items: Any) -> Ballots:
    """Read one file or table of votes, in a worker."""
    _check_version(version)
    return borduel.read(votes, items=items, **reading)


@spelled_out(RankOptions, {**RANKING, **DEFAULTS})
def rank(
    votes: PathLike | Sequence[Any] | Any,
    *,
    items: Any = None,
    num_cpus: SupportsFloat = 1,
    runtime_env: Mapping[str, Any] | None = None,
    max_retries: Whole = 10,
    **options: Unpack[RankOptions],
) -> Ranking:
    """Rank items from many files or tables of votes: each is summed up by a task, and the sums are merged.

    Any split of votes into files gives the same scores, since sums are exact.

    Parameters
    ----------
    votes
        Files of votes, on a path that all nodes see, or tables; one or a list of them.
    items
        A table or a list, see `borduel.read`; needed where not every file mentions every item and their order matters.
    num_cpus, runtime_env, max_retries
        Of a task, as Ray has them.
    model, level, margin, …
        Everything else that `borduel.rank` takes.

    Returns
    -------
    Ranking
        As of `borduel.rank`.
    """
    check_keywords("rank", options, {**RANKING, **DEFAULTS})
    # A list of files or of tables; whatever else is one of either.
    waiting: list[Any] = [votes]
    if isinstance(votes, list | tuple) and all(not isinstance(part, Mapping | list | tuple) for part in votes):
        waiting = list(votes)
    if not waiting:
        raise setting("votes", votes, "give at least one file of votes")
    waiting = [os.fspath(part) if isinstance(part, os.PathLike) else part for part in waiting]
    retries, cpus = whole("max_retries", max_retries, -1), _started(num_cpus)
    reading = {key: value for key, value in options.items() if key in DEFAULTS}
    ranking: Any = {key: value for key, value in options.items() if key in RANKING}
    listed = None if items is None else items_of(items)
    settings = {"num_cpus": cpus, "max_retries": retries, "runtime_env": runtime_env}
    task = ray.remote(_read).options(**{key: value for key, value in settings.items() if value is not None})
    shipped = None if items is None else ray.put(items)
    flying: list[Any] = []
    merged: Ballots | None = None
    try:
        # Merged in the order of the files, so that items stand in the order in which one machine would meet them.
        while waiting or flying:
            while waiting and len(flying) < 2 * _cpus():
                flying.append(task.remote(borduel.__version__, waiting.pop(0), reading, shipped))
            part = ray.get(flying.pop(0))
            merged = part if merged is None else merged.merge(part)
    finally:
        for ref in flying:
            ray.cancel(ref, force=False)
    return borduel.rank(merged, items=listed, **ranking)
