#!/usr/bin/env python3
"""Measures borduel for Python beside its rivals in one run and writes the table in PERFORMANCE.md: python3 docs/python_speed.py

Builds the wheel as it is released and installs it with evalica and pandas into an environment of its own under target/python-speed.
Times are CPU time, the best of five; the machine's drift is in both sides of every comparison.
"""

import pathlib
import subprocess
import sys
import venv

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / "target/python-speed"
PYTHON = ENVIRONMENT / "bin/python"
WHEELS = ENVIRONMENT / "wheels"
DOCUMENT = ROOT / "docs/PERFORMANCE.md"
MARKS = ("<!-- python -->\n", "<!-- end of python -->\n")

# Runs in the environment and prints the rows: what, measured, asked.
MEASURE = '''
import pathlib, resource, subprocess, sys, tempfile, time
import numpy as np, pandas as pd
import borduel as bd

def best(work, repeats=5):
    """CPU seconds, the best of some."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)

def row(what, measured, asked):
    print(f"| {what} | {measured} | {asked} |", flush=True)

def millions(rounds, seconds):
    return f"{rounds / seconds / 1e6:.1f}"

# The whole horizon: policies take longer for their first rounds than for later ones.
ROUNDS = 1_000_000
world = bd.Environment.hard(6)
problem = bd.Problem(128, horizon=10**6)
with_features = bd.Experiment(world, "uniform", horizons=10**6).plan().worlds[0].problem

def nothing():
    pass

def takes_two(question, answer):
    pass

def empty():
    for _ in range(ROUNDS):
        takes_two(nothing(), True)

def loop(policy):
    ask, tell = policy.ask, policy.tell
    for _ in range(ROUNDS):
        tell(ask(), True)

def loop_reading(policy):
    ask, tell = policy.ask, policy.tell
    for _ in range(ROUNDS):
        question = ask()
        tell(question, question.left < question.right)

plain = best(empty)
row("what Python itself does: a loop that calls two empty functions", millions(ROUNDS, plain) + " M rounds/s", "")
for name in ["uniform", "etc-borda", "dexp3"]:
    seconds = best(lambda: loop(bd.Policy(name, problem, seed=1)))
    row(f"`tell(ask(), True)`, {name}", f"{millions(ROUNDS, seconds)} M rounds/s ({plain / seconds:.2f} of the empty loop)", "4 M")
for name in ["uniform", "ucb-borda", "bexp3"]:
    own = with_features if name == "bexp3" else problem
    seconds = best(lambda: loop_reading(bd.Policy(name, own, seed=1)))
    row(f"the same with `left` and `right` read, {name}", f"{millions(ROUNDS, seconds)} M rounds/s ({plain / seconds:.2f} of the empty loop)", "2.5 M")

for size in [100, 10_000]:
    policy = bd.Policy("uniform", problem, seed=1)
    answers = np.ones(size)
    def batches():
        for _ in range(1_000_000 // size):
            policy.tell_many(policy.ask_many(size), answers)
    row(f"`ask_many` and `tell_many`, batches of {size:,}", millions(1_000_000, best(batches)) + " M questions/s", "20 M")

class Mine:
    def __init__(self, problem, random):
        pass
    def ask(self):
        return 0, 1
    def tell(self, left, right, outcome):
        pass

seconds = best(lambda: bd.simulate(Mine, bd.Environment.matrix([[0.5, 0.6], [0.4, 0.5]]), horizon=1_000_000))
row("a policy written in Python, played by the engine", millions(1_000_000, seconds) + " M rounds/s", "2.5 M")

def child(command):
    # Not os.times(), which counts in hundredths of a second.
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

borduel = str(pathlib.Path(sys.executable).parent / "borduel")
pathlib.Path("hard.toml").write_text('version = 1\\nname = "hard"\\nenvironments = [{ kind = "hard", d = 6 }]\\npolicies = ["uniform"]\\n')

def command(name, horizon):
    # A directory of its own: what is there already is not played again.
    with tempfile.TemporaryDirectory() as folder:
        asked = ["--policies", name, "--horizon", str(horizon), "--runs", "1", "--format", "json", "--out", folder + "/out"]
        return child([borduel, "run", "hard.toml", *asked])

# So long that what starting takes, half a second and never the same, is little beside them.
for name, horizon in [("uniform", 400_000_000), ("bexp3", 40_000_000), ("dexp3", 80_000_000)]:
    # In turn, so that both meet the same machine. What starting, drawing and writing take is the same in a short run.
    rounds = [(best(lambda: bd.simulate(name, world, horizon=horizon), 1), command(name, horizon), command(name, 1_000)) for _ in range(5)]
    here, long, short = (min(column) for column in zip(*rounds))
    there = long - short
    rates = f"{millions(horizon, here)}, {millions(horizon, there)} M rounds/s"
    row(f"a whole simulation, {name}: Python, and the command", rates, "within noise")

code = "import numpy, time; start = time.perf_counter(); import borduel; print(time.perf_counter() - start)"
imports = [float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout) for _ in range(10)]
row("`import borduel` after numpy", f"{1e3 * min(imports):.1f} ms", "5 ms")
wheel = next(pathlib.Path(sys.argv[1]).glob("*.whl"))
row("the wheel, with the command", f"{wheel.stat().st_size / 1e6:.2f} MB", "4 MB")

import evalica
random = np.random.default_rng(1)
votes = 10_000_000
names = np.array([f"model {at}" for at in range(100)], dtype=object)
left = random.integers(0, 100, votes)
right = (left + random.integers(1, 100, votes)) % 100
frame = pd.DataFrame({"left": names[left], "right": names[right],
                      "winner": np.array(["left", "right", "tie"], dtype=object)[random.integers(0, 3, votes)]})
ours = best(lambda: bd.read(frame), 2)
def theirs():
    winner = frame["winner"].map({"left": evalica.Winner.X, "right": evalica.Winner.Y, "tie": evalica.Winner.Draw})
    evalica.counting(frame["left"], frame["right"], winner)
rival = best(theirs, 1)
row("10⁷ votes from pandas into sums: borduel, evalica's `counting`", f"{ours:.1f} s, {rival:.1f} s of CPU ({rival / ours:.0f} ×)", "8 ×")
ours = best(lambda: bd.rank(frame), 1)
row("10⁷ votes from pandas to a whole ranking", f"{ours:.1f} s of CPU", "")
'''


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, text=True, **options)


def main():
    if not PYTHON.exists():
        venv.create(ENVIRONMENT, with_pip=True)
    run(PYTHON, "-m", "pip", "install", "--quiet", "maturin>=1.9,<2", "numpy", "pandas", "evalica")
    for old in WHEELS.glob("*.whl"):
        old.unlink()
    run(PYTHON, "-m", "maturin", "build", "--profile", "dist", "--quiet", "--manifest-path", ROOT / "python/Cargo.toml", "--out", WHEELS)
    run(PYTHON, "-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps", *WHEELS.glob("*.whl"))
    rows = run(PYTHON, "-c", MEASURE, WHEELS, stdout=subprocess.PIPE, cwd=ENVIRONMENT).stdout
    table = "| | measured | asked |\n| --- | --- | --- |\n" + rows
    text = DOCUMENT.read_text()
    before, rest = text.split(MARKS[0])
    DOCUMENT.write_text(before + MARKS[0] + table + MARKS[1] + rest.split(MARKS[1])[1])
    sys.stdout.write(table)


if __name__ == "__main__":
    main()
