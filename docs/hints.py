"""What a judge's opinion of items is worth as a hint to `find`, and what it costs where it is wrong.

python3 docs/hints.py target/release/borduel [RUNS [WORLD]] prints the table of docs/FEWEST.md, "A judge as a hint".

People are simulated: 12 items of normal strengths (sd 1), answers by Bradley and Terry's model. The hint is a score an item. It correlates with
the strengths as the table says, its errors being normal or of Student's t with 3 degrees of freedom; or it is right but for one item, which it
overrates by two standard deviations; or it is aimed (right about all items but the best two, of which it puts the second first and the best last).
Or it is 660 votes of a judge that agrees with people about items and to whom the first side gains 24 points between equal ones.
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
HINTS = {
    "none": None,
    "correlation 0": (0.0, "normal"),
    "correlation 0.5": (0.5, "normal"),
    "correlation 0.95": (0.95, "normal"),
    "correlation 0, t3": (0.0, "t3"),
    "correlation 0.5, t3": (0.5, "t3"),
    "correlation 0.95, t3": (0.95, "t3"),
    "one item overrated": "overrated",
    "votes, first side preferred": "votes",
    "aimed at the best": "aimed",
}
JUDGE = """
import json, math, random, sys
strengths, chance = json.load(open("strengths.json")), random.Random(sys.argv[1])
for line in sys.stdin:
    asked = json.loads(line)
    lead = strengths[asked["left"]] - strengths[asked["right"]]
    left = chance.random() < 1 / (1 + math.exp(-lead))
    print(json.dumps({"q": asked["q"], "answer": "left" if left else "right"}), flush=True)
"""


def student(chance):
    """A draw of Student's t with 3 degrees of freedom, of variance 1."""
    return chance.gauss(0, 1) / math.sqrt(sum(chance.gauss(0, 1) ** 2 for _ in range(3)))


def hint(kind, strengths, chance):
    """The rows of a file that --hint takes."""
    order = sorted(strengths, key=strengths.get)
    told = dict(strengths)
    if kind == "votes":
        return [("left", "right", "winner"), *judged(strengths, chance)]
    if kind == "aimed":
        told[order[-2]], told[order[-1]] = strengths[order[-1]] + 0.5, strengths[order[0]] - 0.5
    elif kind == "overrated":
        told[chance.choice(order)] += 2
    else:
        correlation, errors = kind
        error = student if errors == "t3" else lambda chance: chance.gauss(0, 1)
        told = {item: correlation * s + math.sqrt(1 - correlation**2) * error(chance) for item, s in strengths.items()}
    return [("item", "score"), *told.items()]


def judged(strengths, chance):
    for _ in range(5):
        for left in strengths:
            for right in strengths:
                if left != right:
                    first = chance.random() < 1 / (1 + math.exp(strengths[right] - strengths[left] - 1))
                    yield left, right, left if first else right


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
        files = {"items.csv": [("id",), *((item,) for item in strengths)]}
        if kind is not None:
            files["hint.csv"] = hint(kind, strengths, chance)
        for name, rows in files.items():
            with open(os.path.join(folder, name), "w", newline="") as file:
                csv.writer(file).writerows(rows)
        with open(os.path.join(folder, "judge.py"), "w") as file:
            file.write(JUDGE)
        with open(os.path.join(folder, "strengths.json"), "w") as file:
            json.dump(strengths, file)
        judge = f"{sys.executable} judge.py {run}"
        line = [os.path.abspath(program), "find", "--items", "items.csv", "--votes", "log.csv", "--judge", judge]
        line += ["--budget", str(BUDGET), "--trust", trust, "--seed", str(run), "--quiet", "--format", "json"]
        line += [] if kind is None else ["--hint", "hint.csv"]
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
    print("| hint | trust | mean votes | of those without | median | wrong | undecided |")
    print("|:--|:--|--:|--:|--:|--:|--:|")
    every = [(name, trust) for name in HINTS for trust in ("checked", "typical", "model")]
    rows = [(name, trust) for name, trust in every if name != "none" or trust == "checked"]
    alone = None
    for name, trust in rows:
        if only not in (None, name) and name != "none":
            continue
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            found = list(pool.map(lambda run: played(program, HINTS[name], trust, run), range(int(runs))))
        votes = [votes for votes, _ in found]
        alone = alone or votes
        mean, median = sum(votes) / len(votes), sorted(votes)[len(votes) // 2]
        # The worlds are the same ones: the ratio of means has the error of what differs.
        ratio = sum(votes) / sum(alone)
        apart = sum((mine - ratio * other) ** 2 for mine, other in zip(votes, alone, strict=True))
        error = math.sqrt(apart) / sum(alone)
        wrong, undecided = (sum(1 for _, was in found if was is what) for what in (True, None))
        told = f"| {name} | {trust} | {mean:,.0f} | {ratio:.2f} ± {error:.2f} | {median:,}"
        print(f"{told} | {wrong} of {runs} | {undecided} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
