"""The dark colours of pictures of verdicts: those of the page of a ranking, which has both."""

import re
from pathlib import Path

PAGE = Path(__file__).parent.parent.parent / "crates/borduel-report/src/ranking/page.css"


def dark() -> str:
    """A rule for the style of a picture, which is made for paper."""
    colours = re.search(r"@media screen and \(prefers-color-scheme: dark\) \{\s*:root \{(.*?)\}", PAGE.read_text(), re.S)[1]
    return "@media screen and (prefers-color-scheme: dark) { svg { background: #16181d;" + " ".join(colours.split()) + "} }"
