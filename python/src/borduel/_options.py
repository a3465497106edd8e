"""Keywords that are handed on: known by name and type to checkers and to ``help``, and refused where they are misspelt."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def spelled_out(keywords: type, defaults: Mapping[str, Any]) -> Callable[[F], F]:
    """Show the keywords that a function takes by a typed dict as its own, wherever somebody asks for its signature."""

    def shown(function: F) -> F:
        signature = inspect.signature(function)
        own = [p for p in signature.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
        kind = inspect.Parameter.KEYWORD_ONLY
        types = keywords.__annotations__
        more = [
            # A typed dict keeps its annotations as references, which stand for what is written.
            inspect.Parameter(
                name, kind, default=defaults[name], annotation=getattr(types[name], "__forward_arg__", types[name])
            )
            for name in defaults
        ]
        function.__signature__ = signature.replace(parameters=own + more)  # type: ignore[attr-defined]
        return function

    return shown


def check_keywords(
    function: str, given: Iterable[str], known: Iterable[str], former: Mapping[str, str] | None = None
) -> None:
    """Refuse keywords that a function does not have; those of a former version by their new name."""
    known = list(known)
    for name in given:
        if name not in known:
            if former and name in former:
                raise TypeError(f"{function}() calls {name!r} {former[name]!r} now: write {former[name]}=")
            near = difflib.get_close_matches(name, known, 1)
            hint = f". Did you mean {near[0]!r}?" if near else ""
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}{hint}")
