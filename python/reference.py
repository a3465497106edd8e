"""Everything public as a page of the documentation: `python reference.py > ../docs/reference/python.md`."""

from __future__ import annotations

import inspect
import re
import sys
from typing import Any

import borduel as bd

HEAD = """# Python API

Made from the docstrings of the package `borduel` by `python/reference.py`. `help(bd.rank)` shows the same.

Start with [`rank`](#rank), [`design`](#design), [`play`](#play) and [`simulate`](#simulate). On a cluster, `borduel.ray.sweep`
and `borduel.ray.rank` do the same as `simulate` and `rank`: see [Scale out on Ray](../how-to/ray.md).
"""


def parts(text: str) -> list[str]:
    """Give a docstring in numpy's form as Markdown: sections by name, their entries as a list, examples as code."""
    lines = inspect.cleandoc(text).split("\n")
    out: list[str] = []
    section = ""
    at = 0
    while at < len(lines):
        line = lines[at]
        if at + 1 < len(lines) and line and re.fullmatch(r"-{3,}", lines[at + 1]):
            section = line
            out += ["", f"**{section}**", ""]
            at += 2
        elif line.startswith(">>>"):
            end = at
            while end < len(lines) and lines[end]:
                end += 1
            out += ["```pycon", *lines[at:end], "```"]
            at = end
        elif section and section != "Examples" and line and not line.startswith(" "):
            said = []
            at += 1
            while at < len(lines) and (lines[at].startswith(" ") or not lines[at]):
                said.append(lines[at].strip())
                at += 1
            out.append(f"* `{line}`" + (f": {' '.join(filter(None, said))}" if any(said) else ""))
        else:
            out.append(line)
            at += 1
    return out


def signature(thing: Any) -> str:
    """Give the arguments without their types, which the package's stubs have."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    shown = [p.replace(annotation=inspect.Parameter.empty) for p in found.parameters.values() if p.name != "self"]
    return str(found.replace(parameters=shown, return_annotation=inspect.Signature.empty))


def first(text: str | None) -> str:
    """Give the first paragraph in one line."""
    return " ".join(inspect.cleandoc(text or "").split("\n\n")[0].split()).replace("|", "\\|")


def members(thing: type) -> list[str]:
    """Give what a class has that is explained, in a table."""
    rows = []
    for name, member in inspect.getmembers_static(thing):
        function = member.__func__ if isinstance(member, staticmethod | classmethod) else member
        text = first(getattr(function, "__doc__", None))
        own = name in vars(thing) and not name.startswith("_")
        if own and (callable(function) or isinstance(member, property) or inspect.isdatadescriptor(member)) and text:
            rows.append(f"| `{name}` | {text} |")
    return ["| | |", "|:--|:--|", *rows] if rows else []


def page() -> str:
    """Give the whole page."""
    lines = [HEAD]
    # Functions first: with them one begins.
    for name in sorted(bd.__all__, key=lambda name: (inspect.isclass(getattr(bd, name)), name)):
        thing = getattr(bd, name)
        if not (inspect.isclass(thing) or inspect.isroutine(thing)):
            continue
        lines += [f"## {name}", ""]
        arguments = signature(thing) if not (inspect.isclass(thing) and issubclass(thing, Exception | dict)) else ""
        if arguments:
            lines += [f"`bd.{name}{arguments}`", ""]
        lines += [*parts(thing.__doc__ or ""), ""]
        if inspect.isclass(thing) and not issubclass(thing, Exception):
            lines += [*members(thing), ""]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"


if __name__ == "__main__":
    sys.stdout.write(page())
