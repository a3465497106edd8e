"""A real cluster of two nodes: same bytes, a node killed in the middle, a journal that goes on. Run by `./test ray`."""

from __future__ import annotations

import _thread
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import borduel, rows

import borduel as bd

if os.environ.get("BORDUEL_RAY") != "1":
    pytest.skip("Ray's tests are run by `./test ray`, without a network", allow_module_level=True)

import itertools

import ray
from ray.cluster_utils import Cluster

import borduel.ray as bray


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False)
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def experiment(**changes: Any) -> bd.Experiment:
    given: dict[str, Any] = {"runs": 8, "horizons": 200_000, "checkpoints": 20, "seed": 3} | changes
    return bd.Experiment(bd.Environment.hard(3), ["bexp3", "dexp3", "etc-borda"], **given)


def test_the_bytes_are_those_of_one_machine(cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    local = experiment().run(progress=None)
    told: list[tuple[int, int]] = []
    swept = bray.sweep(experiment(), task_seconds=0.2, progress=lambda done, total: told.append((done, total)))
    assert swept == local
    assert told[-1] == (24 * 200_000, 24 * 200_000)
    assert bray.sweep(experiment().plan(), out=tmp_path / "out", progress=None) == local
    assert (tmp_path / "out/results.json").read_bytes() == local.to_json()
    # All of it is there: no task is started, and nobody waits for one.
    with monkeypatch.context() as nobody:
        nobody.setattr(ray, "wait", None)
        assert bray.sweep(experiment(), out=tmp_path / "out", progress=None) == local
    with pytest.raises(bd.SettingError, match="another experiment"):
        bray.sweep(experiment(seed=4), out=tmp_path / "out", progress=None)


def test_a_killed_node_costs_only_what_it_had_not_finished(cluster: Any, tmp_path: Path) -> None:
    local = experiment(runs=30).run(progress=None)
    doomed = cluster.add_node(num_cpus=1)
    killed: list[int] = []

    def watch(done: int, total: int) -> None:
        if done > total // 4 and not killed:
            killed.append(done)
            cluster.remove_node(doomed, allow_graceful=False)

    assert bray.sweep(experiment(runs=30), out=tmp_path / "out", task_seconds=0.3, progress=watch) == local
    assert killed


def test_a_sweep_that_was_stopped_goes_on_here_and_by_the_command(cluster: Any, tmp_path: Path) -> None:
    wanted = experiment(runs=12)
    local = wanted.run(progress=None)

    def stop(done: int, total: int) -> None:
        if done > total // 3:
            raise KeyboardInterrupt

    for out, how in [(tmp_path / "a", "sweep"), (tmp_path / "b", "command")]:
        with pytest.raises(KeyboardInterrupt):
            bray.sweep(wanted, out=out, task_seconds=0.2, progress=stop)
        journal = out / "journal.jsonl"
        kept = journal.read_bytes()
        assert 1 < len(kept.splitlines()) < 37
        # A plug was pulled in the middle of a line, too.
        journal.write_bytes(kept + b'{"check":"12')
        if how == "sweep":
            assert bray.sweep(wanted, out=out, progress=None) == local
        else:
            (tmp_path / "x.toml").write_text(wanted.to_toml())
            borduel("run", tmp_path / "x.toml", "--out", out, "--quiet")
        assert (out / "results.json").read_bytes() == local.to_json()


def test_ctrl_c_is_heard_and_the_cluster_goes_on(cluster: Any) -> None:
    timer = threading.Timer(3, _thread.interrupt_main)
    timer.start()
    # It would go on for days.
    with pytest.raises(KeyboardInterrupt):
        bray.sweep(experiment(horizons=10**11), progress=None)
    # Its tasks are given up, so that others find the cluster free.
    assert bray.sweep(experiment(runs=2), progress=None) == experiment(runs=2).run(progress=None)


def test_memory_does_not_grow_with_the_runs(cluster: Any, tmp_path: Path) -> None:
    # 100,000 curves of 200 checkpoints are 160 MB, of which 32 may be held; what is left are a few numbers a run.
    small = bd.Experiment(bd.Environment.hard(2), "uniform", runs=100_000, horizons=200, seed=3)
    code = f"""
import resource, ray, borduel as bd, borduel.ray as bray
ray.init(address={cluster.address!r}, log_to_driver=False)
wanted = bd.Experiment.from_dict({small.to_dict()!r})
bray.sweep(bd.Experiment(bd.Environment.hard(2), "uniform", runs=500, horizons=200), progress=None)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
swept = bray.sweep(wanted, task_seconds=1, progress=None)
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
open({str(tmp_path / "grown")!r}, "w").write(str(grown))
open({str(tmp_path / "swept.json")!r}, "wb").write(swept.to_json())
"""
    # Not from its standard output, on which Ray says when a node has died, such as that of a test before.
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    grown = int((tmp_path / "grown").read_text())
    assert (tmp_path / "swept.json").read_bytes() == small.run(progress=None).to_json()
    assert grown < 120_000, f"{grown} kB"


def test_policies_in_python_travel_and_their_exceptions_return(cluster: Any) -> None:
    class Mine:
        def __init__(self, problem: bd.Problem, random: Any) -> None:
            self.items, self.random = problem.items, random

        def ask(self) -> tuple[int, int]:
            left, right = self.random.integers(self.items, size=2)
            return int(left), int(right)

        def tell(self, left: int, right: int, outcome: float) -> None:
            pass

    class Broken(Mine):
        def ask(self) -> tuple[int, int]:
            raise ZeroDivisionError("of my own")

    wanted = bd.Experiment(bd.Environment.hard(2), ["uniform", Mine], runs=3, horizons=500)
    assert bray.sweep(wanted, progress=None) == wanted.run(progress=None)
    with pytest.raises(ZeroDivisionError):
        bray.sweep(bd.Experiment(bd.Environment.hard(2), Broken, runs=2, horizons=50), progress=None)


def test_files_of_an_experiment_travel(cluster: Any, tmp_path: Path) -> None:
    votes = tmp_path / "votes.csv"
    names = list("abcdefg")
    lines = [f"{a},{b}" for at, a in enumerate(names) for b in names[at + 1 :]] * 3 + [
        f"{b},{a}" for a, b in itertools.pairwise(names)
    ]
    votes.write_text("winner,loser\n" + "\n".join(lines) + "\n")
    wanted = bd.Experiment(bd.Environment.crowd(votes, dim=3, assignments=5), "dexp3", runs=2, horizons=300)
    plan = wanted.plan()
    local = wanted.run(progress=None)
    payload = ray.put(ray.cloudpickle.dumps(plan))
    votes.unlink()
    played = ray.get(ray.remote(bray._play).remote(bd.__version__, plan.fingerprint, payload, [0, 1]))
    assert plan.collect([run for _, run, _ in played]) == local


def test_any_split_gives_the_same_ranking(cluster: Any, tmp_path: Path) -> None:
    votes, paths = rows(), []
    for at in range(4):
        path = tmp_path / f"{at}.csv"
        part = votes[at * 40 : (at + 1) * 40] if at < 3 else votes[120:]
        path.write_text("left,right,winner,voter\n" + "".join(",".join(row.values()) + "\n" for row in part))
        paths.append(path)
    here, there = bd.rank(paths), bray.rank(paths)
    assert there.to_dict() == here.to_dict()
    assert [item.borda for item in there] == [item.borda for item in bd.rank(votes)]
    with pytest.raises(bd.SettingError, match="at least one file"):
        bray.rank([])
    assert bray.rank(str(paths[0])) == bd.rank(str(paths[0]))
    # A table, or a list of rows, is one thing to rank.
    assert bray.rank(votes).to_dict()["items"] == bd.rank(votes).to_dict()["items"]


def test_what_would_never_end_is_refused_at_once(cluster: Any) -> None:
    nonsense: list[dict[str, Any]] = [{"in_flight": 0}, {"num_cpus": 99}, {"task_seconds": 0}]
    for wrong in nonsense:
        with pytest.raises(bd.SettingError, match=next(iter(wrong))):
            bray.sweep(experiment(), progress=None, **wrong)


def test_progress_after_a_stop_counts_what_is_done(cluster: Any, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []

    def stop(done: int, total: int) -> None:
        told.append((done, total))
        if len(told) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bray.sweep(experiment(), out=tmp_path / "out", task_seconds=0.1, progress=stop)
    again: list[tuple[int, int]] = []
    bray.sweep(experiment(), out=tmp_path / "out", progress=lambda done, total: again.append((done, total)))
    assert again[0][0] > told[2][0]
    assert again[-1] == (24 * 200_000, 24 * 200_000)
