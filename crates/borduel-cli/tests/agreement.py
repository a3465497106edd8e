"""Holds the strengths of `borduel rank` against evalica and choix: the largest difference of any p(i,j), for both."""

import csv
import json
import subprocess
import sys

import choix
import evalica
import numpy as np

binary, votes = sys.argv[1:3]
rows = list(csv.DictReader(open(votes)))


def strengths(*options):
    """Our strengths by item."""
    command = [binary, "rank", votes, "--format", "json", "--strength", "--context", "none", "-q", *options]
    report = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return {item["item"]: item["strength"]["estimate"] for item in report["items"]}


def chances(logs):
    """p(i,j) from strengths in log-odds."""
    return 1 / (1 + np.exp(logs[None, :] - logs[:, None]))


names = {}
for row in rows:
    names.setdefault(row["left"], len(names))
    names.setdefault(row["right"], len(names))
order = sorted(names, key=names.get)

word = {"left": evalica.Winner.X, "right": evalica.Winner.Y, "tie": evalica.Winner.Draw}
result = evalica.bradley_terry(
    [row["left"] for row in rows],
    [row["right"] for row in rows],
    [word[row["winner"]] for row in rows],
    win_weight=1.0,
    tie_weight=0.5,
    tolerance=1e-10,
    limit=1_000_000,
)
theirs = np.log(np.array([result.scores[name] for name in order]))
ours = strengths()
ours = np.array([ours[name] for name in order])
print("evalica", abs(chances(ours) - chances(theirs)).max())

decided = []
for row in rows:
    i, j = names[row["left"]], names[row["right"]]
    if row["winner"] != "tie":
        decided.append((i, j) if row["winner"] == "left" else (j, i))
theirs = choix.ilsr_pairwise(len(order), decided, alpha=0.0, max_iter=100_000, tol=1e-10)
ours = strengths("--ties", "drop")
ours = np.array([ours[name] for name in order])
print("choix", abs(chances(ours) - chances(theirs)).max())
