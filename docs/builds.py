#!/usr/bin/env python3
"""Measures what it takes to build borduel from nothing and writes the table in PERFORMANCE.md.

python3 docs/builds.py           builds each way in a fresh clone of the last commit, one after the other (half an hour on two cores)
python3 docs/builds.py NAME…     only these: default, studies, pip
python3 docs/builds.py --check   builds nothing: fails where the default build has more crates than stated here

Seconds are of the processor (user and system, all processes), so that a busy machine matters less. Needs nothing but Rust and Python.
"""

import json
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs/PERFORMANCE.md"
MARKS = ("<!-- builds -->\n", "<!-- end of builds -->\n")
# How many crates the default build may have, those of its build scripts and macros included: a few more than it has.
MOST_CRATES = 140
# What is built, and what it leaves, of which the size is told.
WAYS = {
    "default": ("cargo build --release --timings", "target/release/borduel"),
    "studies": ("cargo build --release --timings --features studies", "target/release/borduel"),
    "pip": ("python3 -m pip wheel --quiet --no-deps --wheel-dir wheels ./python", "wheels/*.whl"),
}


def crates(*more):
    """How many crates the command is built of."""
    tree = ["cargo", "tree", "--edges", "normal,build", "--prefix", "none", "--format", "{p}", *more]
    text = subprocess.run(tree, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return len({" ".join(line.split()[:2]) for line in text.splitlines() if line})


def slowest(clone):
    """What of a build took longest from its start to its end, if cargo noted it."""
    noted = clone / "target/cargo-timings/cargo-timing.html"
    if not noted.exists():
        return ""
    units = json.loads(re.search(r"const UNIT_DATA = (\[.*?\]);\n", noted.read_text(), re.S)[1])
    longest = sorted(units, key=lambda unit: -unit["duration"])[:6]
    return ", ".join(f"{unit['name']} {unit['duration']:.0f} s" for unit in longest)


def measure(name):
    """A row of the table."""
    command, left = WAYS[name]
    with tempfile.TemporaryDirectory(dir=ROOT.parent) as folder:
        clone = pathlib.Path(folder) / "borduel"
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command.split(), cwd=clone, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        size = next(clone.glob(left)).stat().st_size / 1e6
        count = {"default": lambda: crates(), "studies": lambda: crates("--features", "studies")}.get(name, lambda: "")()
        command = command.replace(" --timings", "").replace(" --quiet", "")
        return f"| `{command}` | {count} | {seconds:.0f} | {size:.1f} MB | {slowest(clone)} |\n"


def main():
    if sys.argv[1:] == ["--check"]:
        count = crates()
        if count > MOST_CRATES:
            sys.exit(f"builds: the default build has {count} crates, and {MOST_CRATES} are allowed: is the new one worth everybody's seconds?")
        print(f"the default build has {count} crates of at most {MOST_CRATES}")
        return
    names = sys.argv[1:] or list(WAYS)
    if unknown := set(names) - set(WAYS):
        sys.exit(f"builds: there is no {', '.join(unknown)}; there are {', '.join(WAYS)}")
    text = DOCUMENT.read_text()
    before, table, after = re.fullmatch(f"(.*{MARKS[0]})(.*)({MARKS[1]}.*)", text, re.S).groups()
    rows = {row.split("|")[1].strip(): row for row in table.splitlines(keepends=True)}
    for name in names:
        row = measure(name)
        rows[row.split("|")[1].strip()] = row
        DOCUMENT.write_text(before + "".join(rows.values()) + after)
        print(row, end="", flush=True)


if __name__ == "__main__":
    main()
