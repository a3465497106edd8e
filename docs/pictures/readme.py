"""The two small pictures of the README, with letters that can be read at its width: docs/pictures/readme.py target/debug/borduel

The verdict is that of the gallery's arena, in the shape that a phone sees. The curves are those of docs/hard.svg."""

import re
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

from colours import dark

HERE = Path(__file__).parent
DOCS = HERE.parent
WIDTH = 340


def output(*command) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def verdict(borduel: str) -> str:
    script = re.search(r'```python title="arena.py"\n(.*?)```', (DOCS / "gallery/arena.md").read_text(), re.S)[1]
    with tempfile.TemporaryDirectory() as home:
        votes, page = Path(home) / "battles.csv", Path(home) / "page.html"
        votes.write_text(output(sys.executable, "-c", script))
        ranked = output(borduel, "rank", votes, "--quiet", "--html", page)
        height, drawn = re.search(r'<svg viewBox="0 0 340 (\d+)"[^>]*class="forest narrow">(.*?)</svg>', page.read_text(), re.S).groups()
    style = re.search(r"<style>(.*?)</style>", (DOCS / "gallery/arena.svg").read_text(), re.S)[1]
    head, rest = ranked.splitlines()[0].split(": ", 1)
    lines = textwrap.wrap(rest, 48)
    said = f'<text x="4" y="20" font-weight="700" font-size="17">{head}</text>' + "".join(
        f'<text x="4" y="{40 + 18 * row}">{line}</text>' for row, line in enumerate(lines)
    )
    top = 40 + 18 * len(lines)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top + int(height)}" role="img" class="forest narrow">'
        f'<style>{style}{dark()}</style>{said}<g transform="translate(0 {top})">{drawn}</g></svg>\n'
    )


def regret() -> str:
    figure = (DOCS / "hard.svg").read_text()
    style = re.search(r"<style>.*?</style>", figure, re.S)[0]
    # Curves are the long paths with a stroke of a policy; beside the ends of their lines are their names.
    curves = "".join(
        f'<path {path[0]} vector-effect="non-scaling-stroke"></path>' for path in re.finditer(r'd="[^"]{200,}" fill="none" class="s\d"[^>]*', figure)
    )
    names = re.findall(r'class="(s\d)" stroke="(#\w+)"[^>]*></path><text class="ink" x="[\d.]+" y="([\d.]+)" fill="#\w+">([^:<]+):', figure)
    # From the figure's x of 70 to 640 to 8 to 198, and from its y of 40 to 366 to 34 to 284.
    across, down = 190 / 570, 250 / 326
    place = f"translate({8 - 70 * across:.3f} {34 - 40 * down:.3f}) scale({across:.5f} {down:.5f})"
    labels, last = "", -99.0
    for name, colour, y, label in names:
        last = max(34 + (float(y) - 40) * down, last + 15)
        labels += f'<path d="M203 {last - 4.5:.1f}h12" class="{name}" stroke="{colour}" stroke-width="3"></path>'
        labels += f'<text class="ink" x="220" y="{last:.1f}" fill="#24272e">{label}</text>'
    axes = '<path class="grid" d="M8 34V284H198" fill="none" stroke="#e1e4ea"></path>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} 312" role="img" font-family="system-ui, \'Noto Sans\', sans-serif" font-size="13">'
        f'{style}<rect class="paper" width="{WIDTH}" height="312" fill="#ffffff"></rect>'
        '<text class="ink" x="8" y="20" fill="#24272e" font-weight="700">Borda regret</text>'
        f'<text class="ink" x="198" y="302" fill="#24272e" text-anchor="end">1,000,000 rounds</text>{axes}<g transform="{place}">{curves}</g>{labels}</svg>\n'
    )


(HERE / "verdict.svg").write_text(verdict(sys.argv[1]))
(HERE / "regret.svg").write_text(regret())
