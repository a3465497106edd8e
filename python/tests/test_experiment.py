"""Experiments: the bytes of the command, on threads, piece by piece and across processes; own policies and worlds beside them."""

from __future__ import annotations

import concurrent.futures
import json
import multiprocessing
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import borduel

import borduel as bd

WORLDS = [bd.Environment.hard(2), bd.Environment.matrix([[0.5, 0.7, 0.6], [0.3, 0.5, 0.8], [0.4, 0.2, 0.5]])]


def small(**changes: Any) -> bd.Experiment:
    given: dict[str, Any] = {"runs": 3, "horizons": [400, 900], "checkpoints": 7, "seed": 5, "name": "small"} | changes
    return bd.Experiment(WORLDS, ["uniform", "etc-borda", {"policy": "bexp3", "gamma": 0.3}], **given)


def test_the_bytes_are_the_commands(tmp_path: Path) -> None:
    experiment = small()
    (tmp_path / "small.toml").write_text(experiment.to_toml())
    borduel("run", tmp_path / "small.toml", "--out", tmp_path / "there", "--quiet")
    there = (tmp_path / "there/results.json").read_bytes()
    plan = experiment.plan()
    assert experiment.run(progress=None).to_json() == there
    assert experiment.run(jobs=1, progress=None).to_json() == there
    assert plan.collect([plan.run(job) for job in range(len(plan))]).to_json() == there
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        assert plan.collect(list(pool.map(plan.run, range(len(plan))))).to_json() == there
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert plan.collect(pool.map(plan.run, range(len(plan)))).to_json() == there
    here = experiment.run(out=tmp_path / "here", progress=None)
    assert here.to_json() == there
    for name in ("results.json", "curves.csv", "regret.svg", "regret.png", "experiment.toml"):
        assert (tmp_path / "here" / name).read_bytes() == (tmp_path / "there" / name).read_bytes()
    assert bd.Experiment.from_toml(tmp_path / "small.toml").run(progress=None) == here
    assert bd.Experiment.from_dict(here.to_dict()["experiment"]).run(progress=None) == here


@pytest.mark.parametrize("name", ["dexp3", "bexp3", "betc-glm-adaptive", "find-winner"])
def test_a_run_of_an_experiment_can_be_replayed_by_hand(name: str) -> None:
    """A built-in policy, asked and told from Python, goes the way of the engine's own to the last digit."""

    class ByHand:
        def __init__(self, problem: bd.Problem, random: np.random.Generator) -> None:
            self.policy = bd.Policy(name, problem, seed=9, replication=0)
            self.open: dict[tuple[int, int], bd.Proposal] = {}

        def ask(self) -> tuple[int, int]:
            question = self.policy.ask()
            self.open[question.left, question.right] = question
            return question.left, question.right

        def tell(self, left: int, right: int, outcome: float) -> None:
            self.policy.tell(self.open.pop((left, right)), outcome)

        def scores(self) -> Any:
            return self.policy.scores()

    built_in, by_hand = bd.simulate([name, ByHand], WORLDS[0], horizon=600, seed=9).to_dict()["policies"]
    assert by_hand["curve"] == built_in["curve"]
    assert by_hand["winner_found"] == built_in["winner_found"]


def test_a_journal_begun_here_is_finished_there_and_back(tmp_path: Path) -> None:
    experiment = small(runs=4)
    whole = experiment.run(progress=None)

    def stop(done: int, total: int) -> None:
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        small(runs=4, horizons=[3_000_000]).run(out=tmp_path / "long", jobs=1, progress=stop)
    experiment.run(out=tmp_path / "out", progress=None)
    journal = tmp_path / "out/journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    # Half of the runs, and a line that was being written when somebody pulled the plug.
    journal.write_bytes(b"".join(lines[: len(lines) // 2]) + lines[-1][:30])
    (tmp_path / "x.toml").write_text(experiment.to_toml())
    said = borduel("run", tmp_path / "x.toml", "--out", tmp_path / "out").stderr.decode()
    assert "runs are already in" in said
    assert (tmp_path / "out/results.json").read_bytes() == whole.to_json()
    journal.write_bytes(b"".join(lines[:3]))
    assert experiment.run(out=tmp_path / "out", progress=None) == whole
    with pytest.raises(bd.SettingError, match=r"another experiment .* choose another out, or force"):
        small(seed=6).run(out=tmp_path / "out", progress=None)
    assert small(seed=6).run(out=tmp_path / "out", progress=None, force=True) != whole


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    bd.simulate("bexp3", WORLDS[0], horizon=400_000, runs=2, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (800_000, 800_000)
    assert told == sorted(told)


def test_results_as_tables_and_pictures(tmp_path: Path) -> None:
    results = small().run(progress=None)
    assert len(results.to_pandas()) == len(results.final) == 12
    assert len(results.to_pandas("curves")) == 12 * 7
    assert results.to_polars("differences").height == 12
    assert results.to_arrow("settings").num_rows == len(results.to_pandas("settings"))
    assert results._repr_html_().startswith(results.svg())
    assert "<td>Uniform</td>" in results._repr_html_()
    assert len(results) == 12
    assert len(str(results).splitlines()) == 13
    assert "Uniform" in str(results)
    assert results.svg().lstrip().startswith("<svg") or "<svg" in results.svg()
    results.report(tmp_path / "page.html")
    assert "hard (d = 2" in (tmp_path / "page.html").read_text()
    again = pickle.loads(pickle.dumps(results))
    assert again == results
    with pytest.raises(bd.UnknownNameError, match="final, curves"):
        results.to_pandas("nothing")  # type: ignore[arg-type]
    with pytest.raises(bd.UnknownNameError, match="hard"):
        results.policies_of("nowhere")


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"runs": 0}, "runs"),
        ({"horizons": []}, "horizons"),
        ({"feedback": {"lost": 2.0}}, "lost"),
        ({"feedback": {"lots": 0.1}}, "lots"),
        ({"regrets": ["borda", "bordo"]}, "bordo"),
        ({"checkpoints": 0}, "checkpoints"),
        ({"runs": 10**9}, "at most"),
    ],
)
def test_wrong_experiments_are_refused_before_the_first_round(change: dict[str, Any], part: str) -> None:
    with pytest.raises(bd.Error, match=part):
        small(**change).plan()


def test_results_that_were_played_apart_stand_side_by_side() -> None:
    settings: dict[str, Any] = {"runs": 5, "horizons": [2_000], "seed": 7}
    environment = bd.Environment.hard(3)
    together = bd.Experiment(environment, ["betc-glm", "dexp3", "uniform"], **settings).run(progress=False)
    first = bd.Experiment(environment, ["betc-glm"], **settings).run(progress=False)
    rest = bd.Experiment(environment, ["dexp3", "uniform"], **settings).run(progress=False)
    joined = first.join(rest)
    assert joined == together
    assert joined.html() == together.html()
    with pytest.raises(bd.DataError, match="another label"):
        together.join(rest)
    other = bd.Experiment(environment, ["uniform"], **{**settings, "seed": 8}).run(progress=False)
    with pytest.raises(bd.DataError, match="cannot stand side by side"):
        first.join(other)


@pytest.mark.parametrize("which", ["hard", "eventtime", "adversarial"])
def test_the_papers_experiments_are_the_commands(which: Any, tmp_path: Path) -> None:
    here = bd.Experiment.paper(which, horizons=20, runs=1)
    # Of the worlds that move, the command plays one if it is named.
    kind = ["--kind", "switching"] if which == "adversarial" else []
    borduel("reproduce", which, *kind, "--horizon", 20, "--runs", 1, "--quiet", "--out", tmp_path / "out")
    assert here.to_toml() == (tmp_path / "out/experiment.toml").read_text()
    assert here.run(progress=None).to_json() == (tmp_path / "out/results.json").read_bytes()


def test_wrong_environments_and_policies_are_refused() -> None:
    cases: list[tuple[Any, Any, str]] = [
        ({"kind": "hart", "d": 2}, "uniform", "hart"),
        ({"kind": "hard", "dd": 2}, "uniform", "dd"),
        (bd.Environment.matrix([[0.5, 0.9], [0.9, 0.5]]), "uniform", "add up to 1"),
        ({"kind": "matrix", "rows": [[0.5, 2.0], [0.5, 0.5]]}, "uniform", "."),
        (WORLDS[0], "unifrom", "uniform"),
        (WORLDS[0], {"policy": "bexp3", "gama": 1}, "gamma"),
        (bd.Environment.crowd("nowhere.csv"), "uniform", "nowhere.csv"),
        (WORLDS[0], [], "policies"),
    ]
    for environment, policy, part in cases:
        with pytest.raises(bd.Error, match=part):
            bd.simulate(policy, environment, horizon=10)


class RoundRobin:
    """Asks all pairs in turn, without chance."""

    def __init__(self, problem: bd.Problem, random: np.random.Generator) -> None:
        self.items, self.at, self.told = problem.items, 0, 0
        self.wins = np.zeros(problem.items)
        self.first = random.random()

    def ask(self) -> tuple[int, int]:
        self.at += 1
        return self.at % self.items, (self.at // self.items) % self.items

    def tell(self, left: int, right: int, outcome: float) -> None:
        self.told += 1
        self.wins[left] += outcome

    def scores(self) -> np.ndarray[Any, Any]:
        return self.wins


def test_a_policy_in_python_stands_beside_the_built_in_ones() -> None:
    alone = bd.simulate("dexp3", WORLDS[0], horizon=500, runs=3)
    both = bd.simulate(["dexp3", RoundRobin], WORLDS[0], horizon=500, runs=3)
    again = bd.simulate([RoundRobin, "dexp3"], WORLDS[0], horizon=500, runs=3, jobs=1)
    policies = both.to_dict()["policies"]
    # Adding a policy changes nobody's numbers, and differences are paired.
    assert policies[0] == alone.to_dict()["policies"][0]
    assert again.to_dict()["policies"] == policies
    assert policies[1]["policy"] == "RoundRobin"
    assert len(both.to_dict()["differences"]) == 1
    # Round robin asks every pair alike: its regret is known.
    world = bd.Experiment(WORLDS[0], "dexp3", horizons=500).plan().worlds[0]
    k, best = world.problem.items, world.borda.max()
    pairs = [(at % k, (at // k) % k) for at in range(1, 501)]
    expected = sum(2 * best - world.borda[i] - world.borda[j] for i, j in pairs)
    assert policies[1]["final_regret"]["mean"] == pytest.approx(expected, rel=1e-9)


def test_exceptions_of_a_policy_come_out_as_they_were(tmp_path: Path) -> None:
    class Broken(RoundRobin):
        def tell(self, left: int, right: int, outcome: float) -> None:
            raise ZeroDivisionError("of my own")

    class Silent(RoundRobin):
        def ask(self) -> tuple[int, int]:
            return 0, 99

    class Unmade:
        def __init__(self, problem: bd.Problem, random: np.random.Generator) -> None:
            raise LookupError("not made")

    for policy, error, part in [
        (Broken, ZeroDivisionError, "of my own"),
        (Silent, ValueError, "items 0 to"),
        (Unmade, LookupError, "not made"),
    ]:
        with pytest.raises(error, match=part):
            bd.simulate(["uniform", policy], WORLDS[0], horizon=100)  # type: ignore[list-item]
    with pytest.raises(bd.SettingError, match="is the name of two"):
        bd.Experiment(WORLDS[0], [RoundRobin, RoundRobin])
    with pytest.raises(bd.SettingError, match="a file cannot hold it"):
        bd.Experiment(WORLDS[0], RoundRobin).to_toml()
    # With a journal: what is finished is kept.
    results = bd.Experiment(WORLDS[0], ["uniform", RoundRobin], runs=2, horizons=50).run(out=tmp_path, progress=None)
    assert (
        bd.Experiment(WORLDS[0], ["uniform", RoundRobin], runs=2, horizons=50).run(out=tmp_path, progress=None)
        == results
    )


def test_a_policy_that_commits_is_passed_over() -> None:
    asked = []

    class Committing(RoundRobin):
        @property
        def committed(self) -> tuple[int, int] | None:
            return (1, 1) if self.told >= 256 else None

        def ask(self) -> tuple[int, int]:
            asked.append(1)
            return super().ask()

    results = bd.simulate(Committing, WORLDS[0], horizon=10_000_000)
    assert len(asked) == 256
    assert results.final[0]["mean"] > 0


def test_late_and_lost_answers_reach_a_policy_in_python() -> None:
    late = bd.simulate(
        RoundRobin, WORLDS[0], horizon=200, feedback={"timing": {"kind": "delayed", "least": 1, "most": 9}, "lost": 0.1}
    )
    assert late.final[0]["mean"] > 0


def test_worlds_of_ones_own() -> None:
    first, second = [[0.5, 0.9], [0.1, 0.5]], [[0.5, 0.2], [0.8, 0.5]]
    given = bd.Environment.pieces([(1, first), (31, np.array(second))])
    calls = []

    def changing(start: int) -> tuple[Any, int | None]:
        calls.append(start)
        return (first, 31) if start == 1 else (second, None)

    made = bd.Environment.pieces(changing)
    assert calls == [1, 31]
    assert made == given
    results = bd.simulate(["uniform", RoundRobin], made, horizon=100, runs=2)
    assert len(results.final) == 2
    world = bd.Experiment(made, "uniform", horizons=100).plan().worlds[0]
    assert (world.probability(0, 1), world.probability(0, 1, 31)) == (0.9, 0.2)
    # 30 rounds of 0.7 and 70 of 0.35 against 30 of 0.3 and 70 of 0.65.
    assert world.winners == [1]
    assert pickle.loads(pickle.dumps(made)) == made
    for wrong in ([(2, first)], [(1, first), (1, second)], [(1, [[0.5]])], [(1, first), (5, [[0.5]])]):
        with pytest.raises(bd.Error):
            bd.simulate("uniform", bd.Environment.pieces(wrong), horizon=10)
    with pytest.raises(bd.SettingError, match="cannot follow the piece of round 1"):
        bd.Environment.pieces(lambda start: (first, start))


def test_glm_worlds_take_arrays() -> None:
    x = np.array([[0.0, 0.1], [0.4, 0.0], [0.1, 0.4]])
    results = bd.simulate("betc-glm-match", bd.Environment.glm(x, theta=[1.0, 2.0]), horizon=1_000)
    assert json.loads(results.to_json())["experiment"]["environments"][0]["theta"] == [1.0, 2.0]


def test_other_threads_run_during_a_simulation() -> None:
    import threading
    import time

    ticks: list[float] = []
    done = threading.Event()

    def tick() -> None:
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.002)

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.perf_counter()
    bd.simulate("bexp3", bd.Environment.hard(5), horizon=1_000_000, jobs=1)
    end = time.perf_counter()
    done.set()
    thread.join()
    # However busy the machine is, a thread that may run comes to its turn now and then.
    assert sum(start < tick < end for tick in ticks) >= 5
