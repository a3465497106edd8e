"""What a judge's opinion of items is worth as a hint to `find`, and what it costs where it is wrong.

python3 docs/hints.py target/release/borduel [RUNS [WORLD]] prints the table of docs/FEWEST.md, "A judge as a hint".

People are simulated: 12 items of normal strengths (sd 1), answers by Bradley and Terry's model. The hint is one number an item, given as a
feature: it correlates with the strengths as the table says, or it is aimed (right about all items but the best two, whose places it changes,
the best one being its last).
"""

import csv
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ITEMS, MARGIN, BUDGET = 12, 0.02, 20_000
HINTS = {"none": None, "correlation 0": 0.0, "correlation 0.5": 0.5, "correlation 0.95": 0.95, "aimed at the best": "aimed"}
JUDGE = """
import json, math, random, sys
strengths, chance = json.load(open("strengths.json")), random.Random(sys.argv[1])
for line in sys.stdin:
    asked = json.loads(line)
    lead = strengths[asked["left"]] - strengths[asked["right"]]
    left = chance.random() < 1 / (1 + math.exp(-lead))
    print(json.dumps({"q": asked["q"], "answer": "left" if left else "right"}), flush=True)
"""


def hint(kind, strengths, chance):
    if kind == "aimed":
        order = sorted(strengths, key=strengths.get)
        told = dict(strengths)
        told[order[-2]], told[order[-1]] = strengths[order[-1]] + 0.5, strengths[order[0]] - 0.5
        return told
    return {item: kind * s + math.sqrt(1 - kind**2) * chance.gauss(0, 1) for item, s in strengths.items()}


def borda(strengths):
    def chance(lead):
        return 1 / (1 + math.exp(-lead))

    return {
        i: sum(chance(s - t) for j, t in strengths.items() if j != i) / (len(strengths) - 1) for i, s in strengths.items()
    }


def played(program, kind, trust, run):
    """The votes that one search took, and whether it named a wrong item; nothing where it named none."""
    chance = random.Random(f"world {run}")
    strengths = {f"i{i}": chance.gauss(0, 1) for i in range(ITEMS)}
    with tempfile.TemporaryDirectory() as folder:
        told = None if kind is None else hint(kind, strengths, chance)
        with open(os.path.join(folder, "items.csv"), "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["id"] if told is None else ["id", "feat_judge"])
            writer.writerows([i] if told is None else [i, told[i]] for i in strengths)
        with open(os.path.join(folder, "judge.py"), "w") as file:
            file.write(JUDGE)
        with open(os.path.join(folder, "strengths.json"), "w") as file:
            json.dump(strengths, file)
        judge = f"{sys.executable} judge.py {run}"
        line = [os.path.abspath(program), "find", "--items", "items.csv", "--votes", "log.csv", "--judge", judge]
        line += ["--budget", str(BUDGET), "--trust", trust, "--seed", str(run), "--quiet", "--format", "json"]
        done = subprocess.run(line, cwd=folder, capture_output=True, text=True)
        if done.returncode not in (0, 4):
            raise RuntimeError(done.stderr)
        with open(os.path.join(folder, "log.csv")) as file:
            votes = sum(1 for _ in file) - 1
    verdict = json.loads(done.stdout)["verdict"]
    if verdict["kind"] == "not-enough":
        return votes, None
    scores = borda(strengths)
    return votes, max(scores.values()) - scores[verdict["winners"][0]] > MARGIN


def main(program, runs=40, only=None):
    print("| hint | trust | mean votes | median | wrong | undecided |\n|:--|:--|--:|--:|--:|--:|")
    for name, kind in HINTS.items():
        for trust in ["checked"] if kind is None else ["checked", "typical", "model"]:
            if only not in (None, name):
                continue
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                found = list(pool.map(lambda run: played(program, kind, trust, run), range(int(runs))))
            votes = sorted(votes for votes, _ in found)
            wrong, undecided = (sum(1 for _, was in found if was is what) for what in (True, None))
            mean, median = sum(votes) / len(votes), votes[len(votes) // 2]
            print(f"| {name} | {trust} | {mean:,.0f} | {median:,} | {wrong} of {runs} | {undecided} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
