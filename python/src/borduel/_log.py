"""Answers of a judge, and the file that keeps them: a line an answer, for one process at a time."""

from __future__ import annotations

import html
import io
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, overload

from borduel import _core
from borduel._given import data, needed

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

VERSIONS = (1, 2, 3, 4)
"""The versions of a line of the log: those of version 1 have fewer fields, those of 3 a context, those of 4 a budget."""

ELSEWHERE = "give another log"
"""What to do where a file cannot be the log."""


@dataclass(frozen=True)
class Vote:
    """An answer of a judge, as it stands in the log."""

    left: str
    """The item that was shown on the left, or first."""
    right: str
    winner: str | None
    """What was answered; None where the judge failed, or was not asked."""
    ask: int
    """The number of the question, from 1. Answers to one question, in both orders say, have the same number and hang together."""
    propensity: float | None
    """The chance with which the pair was asked, where that is known."""
    seconds: float
    """How long the judge took."""
    asked: int
    """How many questions had been asked when this answer was learned: with it, a run can be repeated exactly."""
    voter: str | None = None
    """Who answered."""
    error: str | None = None
    """Why there is no answer."""
    failures: tuple[str, ...] = ()
    """What the attempts raised that were made before."""
    tokens: float | None = None
    """What the answer took, as the judge says."""
    cost: float | None = None
    """What the answer cost, as the judge says."""
    rationale: str | None = None
    """Why the judge answered so, in its own words."""
    set_aside: str | None = None
    """The item for which nobody was asked: see ``exclude_items`` of `play`."""
    context: str | None = None
    """The context in which the two were shown, where the problem has contexts."""
    budget: int | None = None
    """How many questions were to be paid for, where the policy asks otherwise because they are few."""

    def line(self) -> bytes:
        """Give the line of the log; what is not there is left out, but the winner, whose place is kept."""
        there = {key: value for key, value in asdict(self).items() if value not in (None, ()) or key == "winner"}
        version = 4 if self.budget is not None else 2 if self.context is None else 3
        return (json.dumps({"version": version, **there}, ensure_ascii=False) + "\n").encode()


class Votes(Sequence[Vote]):
    """All answers of a judge; `rank` and `design` take them as they are."""

    def __init__(self, votes: Sequence[Vote], verdict: str | None = None) -> None:
        self._votes = list(votes)
        self.verdict = verdict
        """The verdict of the policy "find-winner", in one sentence."""

    @overload
    def __getitem__(self, index: int) -> Vote: ...
    @overload
    def __getitem__(self, index: slice) -> list[Vote]: ...
    def __getitem__(self, index: int | slice) -> Vote | list[Vote]:
        return self._votes[index]

    def __len__(self) -> int:
        return len(self._votes)

    @property
    def cost(self) -> float:
        """What all answers cost, as far as the judge says so."""
        return sum(vote.cost or 0.0 for vote in self._votes)

    @property
    def tokens(self) -> float:
        """How many tokens all answers took, as far as the judge says so."""
        return sum(vote.tokens or 0.0 for vote in self._votes)

    def to_dict(self) -> dict[str, list[Any]]:
        """Give the votes as columns."""
        names = ["ask", "left", "right", "winner", "propensity", "seconds"]
        # One judge is no crowd whose habits could be allowed for.
        if len({vote.voter for vote in self._votes}) > 1:
            names.append("voter")
        if any(vote.context is not None for vote in self._votes):
            names.append("context")
        return {name: [getattr(vote, name) for vote in self._votes] for name in names}

    def to_pandas(self) -> Any:
        """Give the votes as a pandas DataFrame, with all that is known of each."""
        pd = needed("pandas", "to_pandas()", "pandas")
        return pd.DataFrame([asdict(vote) for vote in self._votes], columns=[field.name for field in fields(Vote)])

    def __repr__(self) -> str:
        return f"Votes({len(self)})" if self.verdict is None else f"Votes({len(self)}): {self.verdict}"

    def _repr_html_(self) -> str:
        shown = ["ask", "left", "right", "winner", "voter", "seconds"]
        if any(vote.context is not None for vote in self._votes):
            shown.insert(1, "context")
        rows = [[getattr(vote, name) for name in shown] for vote in self._votes[-SHOWN:]]
        more = "" if len(self) <= SHOWN else f"<p>The last {SHOWN} of {len(self):,} answers:</p>"
        verdict = "" if self.verdict is None else f"<p><b>{html.escape(self.verdict)}</b></p>"
        return verdict + more + table_of(shown, rows)


SHOWN = 20
"""So many rows of a table are shown in a notebook."""


def table_of(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Give a table as HTML."""

    def row(cells: Sequence[object], tag: str) -> str:
        texts = ("" if cell is None else html.escape(str(cell)) for cell in cells)
        return "<tr>" + "".join(f"<{tag}>{text}</{tag}>" for text in texts) + "</tr>"

    return f"<table><thead>{row(head, 'th')}</thead><tbody>{''.join(row(r, 'td') for r in rows)}</tbody></table>"


class Log:
    """An open log; nobody else can open it meanwhile. Whatever is no log is refused and not touched."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._file = _opened(path)

    def read(self) -> list[Vote]:
        """Give the answers there are; a last line that is not whole is set aside in a file of its own."""
        self._file.seek(0)
        text = self._file.readall() or b""
        whole = text[: text.rfind(b"\n") + 1]
        torn = text[len(whole) :]
        if not whole and torn and not (torn.startswith(_BEGUN) or _BEGUN.startswith(torn)):
            raise data(f"{self.path}: is not a log of borduel; it is not touched: {ELSEWHERE}", file=self.path)
        votes = [self._vote(number, line) for number, line in enumerate(whole.splitlines(), 1)]
        if torn:
            # What was being written when the program was killed.
            _set_aside(self.path, torn)
            self._file.truncate(len(whole))
        return votes

    def _vote(self, number: int, line: bytes) -> Vote:
        place = f"{self.path}, line {number}"
        try:
            entry = json.loads(line)
            version = entry.pop("version")
            if version in VERSIONS:
                return Vote(**{"propensity": None, **entry, "failures": tuple(entry.get("failures", ()))})
        except (ValueError, TypeError, KeyError, AttributeError):
            what = "is not a line of a log of borduel"
            if line.startswith(b"question,left,right,winner"):
                what = "is a log of the command borduel find"
            raise data(
                f"{place}: {what}; nothing is touched: mend the line, or {ELSEWHERE}", file=self.path, row=number
            ) from None
        raise _core.VersionError(
            f"{place}: version {version}; this program reads versions {VERSIONS[0]} to {VERSIONS[-1]}: take the borduel that "
            f"wrote it, or {ELSEWHERE}"
        )

    def write(self, votes: Sequence[Vote]) -> None:
        """Write answers down, at once."""
        self._file.write(b"".join(vote.line() for vote in votes))

    def close(self) -> None:
        """Leave it to others."""
        self._file.close()


_BEGUN = b'{"version": '
"""What every line of a log begins with."""


def _opened(path: str) -> io.FileIO:
    """Open a file, made if it is missing, for this process alone."""
    if os.path.exists(path) and not os.path.isfile(path):
        raise data(f"{path}: is not a file; it is not touched: {ELSEWHERE}", file=path)
    while True:
        file = io.FileIO(path, "a+")
        try:
            _lock(file)
        except OSError:
            file.close()
            text = f"{path}: another borduel is at work here; wait for it, or {ELSEWHERE}"
            raise data(text, file=path) from None
        # Another one may have taken its place meanwhile: then that is the one to be had.
        if os.path.exists(path) and os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
            return file
        file.close()


def _lock(file: io.FileIO) -> None:
    if sys.platform == "win32":
        # A byte that no log reaches, so that everybody can read what is there.
        os.lseek(file.fileno(), 1 << 60, os.SEEK_SET)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _set_aside(path: str, torn: bytes) -> None:
    """Keep what is no whole line in a new file beside the log."""
    place = path + ".torn"
    while os.path.lexists(place):
        place += "+"
    with open(place, "xb") as file:
        file.write(torn)
