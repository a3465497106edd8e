#!/usr/bin/env python3
"""Measures everything in PERFORMANCE.md in one run, draws its figure and writes its tables: python3 docs/performance.py

Makes an environment of its own under target/performance for duelpy (which needs an old numpy) and matplotlib.
Only the table of the peers' policies, for which no environment is needed: python3 docs/performance.py peers
"""

import csv
import io
import pathlib
import platform
import subprocess
import sys
import venv

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / "target/performance"
PYTHON = ENVIRONMENT / "bin/python"
DOCUMENT = ROOT / "docs/PERFORMANCE.md"
# What must be reached and what is aimed at, in millions of rounds per second.
TARGETS = {
    "hard uniform": (120, 250), "hard betc-glm": (80, 200), "hard etc-borda": (80, 200), "hard ucb-borda": (50, 120),
    "hard dexp3": (20, 45), "hard bexp3": (12, 25), "crowd bexp3": (0.6, 5),
}
# The same of the peers' policies.
ASKED = {
    "six-rankers rucb": 100, "six-rankers rmed": 100, "six-rankers dts": 100, "six-rankers ccb": 10, "six-rankers versatile": 3,
    "six-rankers self-sparring": 3, "six-rankers winner-stays": 50, "bradley-terry merge": 1, "cube max-inp": 0.1,
    "cube colstim": 0.1, "cube max-pair-ucb": 0.1, "cube vacdb": 0.1,
}
LIMITS = {"design dense d = 32": 2, "design differences d = 32 isotropic": 3, "design differences d = 32 skewed": 3,
          "design differences d = 32 clustered": 3, "logistic fit of 10^6 distinct vectors d = 32": 5,
          "Borda scores logistic differences d = 32": 2}

# Runs in the environment: duelpy on the same K = 128 hard case, CPU seconds.
PEERS = """
import time, numpy
from duelpy.algorithms import (CopelandConfidenceBound, DoubleThompsonSampling, RelativeUCB, Rmed1, Savage,
                               WinnerStaysWeakRegret)
from duelpy.feedback import MatrixFeedback
rng = numpy.random.RandomState(1)
d, good = 6, 64
theta = rng.choice([-1, 1], d) / 24
bits = 2 * ((numpy.arange(good)[:, None] >> numpy.arange(d)) & 1) - 1
p = numpy.full((128, 128), 0.5)
p[:good, good:] = (0.75 + bits @ theta)[:, None]
p[good:, :good] = 1 - p[:good, good:].T
class Counted(MatrixFeedback):
    duels = 0
    def duel(self, i, j):
        self.duels += 1
        return super().duel(i, j)
for algorithm in [RelativeUCB, DoubleThompsonSampling, CopelandConfidenceBound, Rmed1, Savage, WinnerStaysWeakRegret]:
    feedback = Counted(p, random_state=numpy.random.RandomState(2))
    extra = {} if algorithm is Savage else {"random_state": numpy.random.RandomState(3)}
    policy = algorithm(feedback_mechanism=feedback, time_horizon=10**6, **extra)
    start = time.process_time()
    while time.process_time() - start < 3:
        policy.step()
    rounds = feedback.duels
    print(f"{algorithm.__name__},{rounds / (time.process_time() - start)}", flush=True)
start, draws = time.process_time(), 20_000_000
numpy.random.default_rng(1).random(draws)
print(f"numpy draws,{draws / (time.process_time() - start)}")
"""

# Runs in the environment: nanoseconds per round against K, d and T.
FIGURE = """
import csv, sys
import matplotlib
matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "borduel"
import matplotlib.pyplot as plt
rows = list(csv.DictReader(open(sys.argv[1])))
panels = [("growth-k", "items K (hard case)"), ("growth-d", "dimension d (differences of 64 items)"),
          ("growth-t", "horizon T (hard case, K = 128)")]
marks = dict(zip(["uniform", "etc-borda", "betc-glm", "ucb-borda", "dexp3", "bexp3"], "os^vDX"))
figure, axes = plt.subplots(1, 3, figsize=(13, 4.2), sharey=True)
for axis, (group, label) in zip(axes, panels):
    for name, mark in marks.items():
        points = [(float(r["size"]), 1e9 / float(r["median per second"])) for r in rows
                  if r["group"] == group and r["name"] == name]
        axis.loglog(*zip(*points), marker=mark, label=name)
    axis.set_xlabel(label)
    axis.grid(alpha=0.3)
axes[0].set_ylabel("nanoseconds per round, one core")
axes[2].legend(loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False)
figure.tight_layout()
figure.savefig(sys.argv[2], metadata={"Date": None})
"""


def run(*command, **options):
    return subprocess.run([str(c) for c in command], cwd=ROOT, check=True, text=True, **options)


def table(header, rows):
    lines = ["| " + " | ".join(cells) + " |" for cells in [header, ["---"] * len(header), *rows]]
    return "\n".join(lines) + "\n"


def number(x):
    return f"{x:,.0f}" if x >= 100 else f"{x:.3g}"


def rates(*groups):
    """Median and best per second of every case, by its group, name and size."""
    command = ["cargo", "bench", "--quiet", "--package", "borduel", "--bench", "speed", "--", *groups]
    bench = run(*command, stdout=subprocess.PIPE).stdout
    # With another target directory this one may not be there.
    (ROOT / "target").mkdir(exist_ok=True)
    (ROOT / "target/performance.csv").write_text(bench)
    rows = csv.DictReader(io.StringIO(bench))
    return {(r["group"], r["name"], r["size"]): (float(r["median per second"]), float(r["best per second"])) for r in rows}


def measured(rate):
    peers = dict(line.rsplit(",", 1) for line in run(PYTHON, "-c", PEERS, stdout=subprocess.PIPE).stdout.split("\n") if line)
    run(PYTHON, "-c", FIGURE, ROOT / "target/performance.csv", ROOT / "docs/growth.svg")
    draws = rate["draws", "uniform", "1"]
    text = f"Plain random draws in the same run: {draws[0] / 1e6:,.0f} million a second (median; best {draws[1] / 1e6:,.0f}).\n\n"
    lines = []
    for (group, name, size), (median, best) in rate.items():
        if group == "rounds":
            least, aim = (f"{x:g}" for x in TARGETS[name]) if name in TARGETS else ("", "")
            lines.append([name, number(median / 1e6), number(best / 1e6), number(draws[0] / median), least, aim])
    text += table(["million rounds per second, one core", "median", "best", "draws' worth", "at least", "aim"], lines)
    text += "\n" + table(["duelpy 1.0.0 on the same matrix", "rounds per second"],
                         [[name, number(float(value))] for name, value in peers.items() if name != "numpy draws"])
    text += f"\nnumpy's own draws in the same run: {float(peers['numpy draws']) / 1e6:,.0f} million a second.\n\n"
    text += table(["once", "items", "CPU seconds", "at most"],
                  [[name, f"{float(size):,.0f}", number(1 / median), f"{LIMITS[name]}"]
                   for (group, name, size), (median, _) in rate.items() if group == "sizes"])
    return text


def peers(rate):
    answers = rate["draws", "answers", "1"]
    text = f"Answers drawn in the same run, and nothing else: {answers[0] / 1e6:,.0f} million a second (median; best {answers[1] / 1e6:,.0f}).\n\n"
    lines = []
    for (group, name, size), (median, best) in rate.items():
        if group == "peers":
            asked = f"{ASKED[name]:g}" if name in ASKED else ""
            # What is not reached is in bold.
            shown = number(median / 1e6)
            shown = f"**{shown}**" if median / 1e6 < ASKED.get(name, 0) else shown
            lines.append([name, shown, number(best / 1e6), number(answers[0] / median), asked])
    return text + table(["million rounds per second, one core", "median", "best", "answers' worth", "asked"], lines)


def main():
    only_peers = sys.argv[1:] == ["peers"]
    if sys.argv[1:] and not only_peers:
        sys.exit("performance: everything is measured without an argument, and one table with: peers")
    if not only_peers and not PYTHON.exists():
        venv.create(ENVIRONMENT, with_pip=True)
        run(PYTHON, "-m", "pip", "install", "--quiet", "numpy<1.24", "scipy<1.11", "duelpy==1.0.0", "matplotlib<3.9")
    text = DOCUMENT.read_text()
    compiler = run("rustc", "--version", stdout=subprocess.PIPE).stdout.strip()
    rate = rates("peers") if only_peers else rates()
    parts = [("<!-- peers -->\n", "<!-- end of peers -->", peers)]
    if not only_peers:
        parts.append(("<!-- measured -->\n", "<!-- end -->", measured))
    for start, end, write in parts:
        if start not in text or end not in text:
            sys.exit(f"performance: {DOCUMENT} has lost its marks {start.strip()} and {end}")
        before, rest = text.split(start)
        text = f"{before}{start}{compiler}, {platform.machine()}.\n\n{write(rate)}{end}{rest.split(end)[1]}"
    DOCUMENT.write_text(text)


if __name__ == "__main__":
    main()
