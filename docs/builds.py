#!/usr/bin/env python3
"""Measures what it takes to build borduel from nothing and writes the table in PERFORMANCE.md.

python3 docs/builds.py           builds each way in a fresh clone of the last commit, one after the other (half an hour on two cores)
python3 docs/builds.py NAME…     only these: default, studies, pip; or tests, which is everything that the tests in Rust are
python3 docs/builds.py --check   builds nothing: fails where the default build has more crates than stated here

Seconds are of the processor (user and system, all processes), so that a busy machine matters less. Needs nothing but Rust and Python.
"""

import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
from collections import Counter

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs/PERFORMANCE.md"
MARKS = ("<!-- builds -->\n", "<!-- end of builds -->\n")
# How many crates the default build may have, those of its build scripts and macros included: a few more than it has.
MOST_CRATES = 118
# What is built, and what it leaves, of which the size is told.
WAYS = {
    "default": ("cargo build --release", "target/release/borduel"),
    "studies": ("cargo build --profile studies --features studies", "target/studies/borduel"),
    "pip": ("python3 -m pip wheel --quiet --no-deps --wheel-dir wheels ./python", "wheels/*.whl"),
    "tests": ("cargo test --workspace --all-features --no-run", "target/debug/borduel"),
}
# Where this is told in a build, it is a compiler's wrapper that notes there what the compiler took.
NOTES = "BORDUEL_BUILD_NOTES"


def crates(*more):
    """How many crates the command is built of."""
    tree = ["cargo", "tree", "--edges", "normal,build", "--prefix", "none", "--format", "{p}", *more]
    text = subprocess.run(tree, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return len({" ".join(line.split()[:2]) for line in text.splitlines() if line})


def wrap():
    """Runs a compiler, as cargo wants it, and notes its seconds of the processor, those of noting them, and its package."""
    code = subprocess.run(sys.argv[1:], check=False).returncode
    # Not where cargo only asks the compiler what it can.
    if package := os.environ.get("CARGO_PKG_NAME"):
        with open(os.environ[NOTES], "a") as notes:
            notes.write(f"{seconds(resource.RUSAGE_CHILDREN)} {seconds(resource.RUSAGE_SELF)} {package}\n")
    sys.exit(code)


def seconds(who):
    """Seconds of the processor so far."""
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def measure(name):
    """A row of the table."""
    command, left = WAYS[name]
    with tempfile.TemporaryDirectory(dir=ROOT.parent) as folder:
        clone = pathlib.Path(folder) / "borduel"
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        notes = pathlib.Path(folder) / "notes"
        wrapped = os.environ | {NOTES: str(notes), "RUSTC_WRAPPER": str(pathlib.Path(__file__).resolve())}
        before = seconds(resource.RUSAGE_CHILDREN)
        subprocess.run(command.split(), cwd=clone, check=True, env=wrapped)
        total = seconds(resource.RUSAGE_CHILDREN) - before
        took = Counter()
        for line in notes.read_text().splitlines():
            compiler, noting, package = line.split()
            took[package] += float(compiler)
            total -= float(noting)
        size = next(clone.glob(left)).stat().st_size / 1e6
        count = {"default": lambda: crates(), "studies": lambda: crates("--features", "studies")}.get(name, lambda: "")()
        most = ", ".join(f"{package} {spent:.0f}" for package, spent in took.most_common(6))
        return f"| `{command.replace(' --quiet', '')}` | {count} | {total:.0f} | {size:.1f} MB | {most} |\n"


def main():
    if NOTES in os.environ:
        wrap()
    if sys.argv[1:] == ["--check"]:
        count = crates()
        if count > MOST_CRATES:
            sys.exit(f"builds: the default build has {count} crates, and {MOST_CRATES} are allowed: is the new one worth everybody's seconds?")
        print(f"the default build has {count} crates of at most {MOST_CRATES}")
        return
    names = sys.argv[1:] or ["default", "studies", "pip"]
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
