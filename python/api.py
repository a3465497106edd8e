"""Writes API.md from the docstrings: ``python api.py``; the tests hold it against them."""

from __future__ import annotations

import inspect
from pathlib import Path

import borduel as bd

HEAD = """# API reference

Made of the docstrings by `python api.py`. The same by `help(bd.rank)`.
"""


def signature(name: str, value: object) -> str:
    """Give the name with what it takes, without types."""
    try:
        found = inspect.signature(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return name
    plain = [
        p.replace(annotation=inspect.Parameter.empty)
        for p in found.parameters.values()
        if p.name not in ("self", "cls")
    ]
    return name + str(found.replace(parameters=plain, return_annotation=inspect.Signature.empty))


def members(kind: type) -> list[tuple[str, object]]:
    """Give what is public of a class, by name: what is written in Rust has no other order."""
    return sorted(
        (name, value) for name, value in vars(kind).items() if not name.startswith("_") and inspect.getdoc(value)
    )


def entry(name: str, value: object) -> str:
    """Give one name: what it takes, what it says, and for a class what it has."""
    fence = "`" * 3
    made_here = isinstance(value, type) and (issubclass(value, Exception) or "Made by" in (value.__doc__ or ""))
    head = name if made_here else signature(name, value)
    text = f"## `{name}`\n\n{fence}text\n{head}\n\n{inspect.getdoc(value)}\n{fence}\n"
    # A typed dict has keys, which its docstring explains.
    for member, own in members(value) if isinstance(value, type) and not hasattr(value, "__total__") else []:
        inner = own.__func__ if isinstance(own, classmethod | staticmethod) else own
        shown = member if isinstance(own, property) or inspect.isdatadescriptor(own) else signature(member, inner)
        said = " ".join((inspect.getdoc(inner) or "").partition("\n\n")[0].split())
        text += f"* `{shown}`: {said}\n"
    return text


def page() -> str:
    """Give the whole page."""
    documented = [
        name for name in bd.__all__ if name not in ("POLICIES", "__version__", "Answer", "Orders", "Progress")
    ]
    return HEAD + "".join("\n" + entry(name, getattr(bd, name)) for name in documented)


if __name__ == "__main__":
    Path(__file__).with_name("API.md").write_text(page(), encoding="utf-8")
