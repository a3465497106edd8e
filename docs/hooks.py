"""Pages link to files of the repository that are no pages: on the site these are named and not linked. A file that is not there is an error.
In searches, pages for newcomers come first and lab books last. Sentences that a command prints are wrapped, the rows of its tables are not;
pictures of verdicts, which are for paper, follow the site into the dark."""

import re
import sys
from pathlib import Path

from mkdocs.exceptions import PluginError

sys.path.insert(0, str(Path(__file__).parent / "pictures"))
from colours import dark  # noqa: E402, it stands beside what draws

# How much a hit counts, by how a page's path begins; 1 for all others.
WEIGHTS = {"questions": 4, "how-to/": 2, "tutorials/": 2, "reference/": 0.5}
LAB_BOOK = re.compile(r"(ADVERSARIAL|BEYOND|COVERAGE|FEWEST|JUDGES|PEERS|PERFORMANCE|RELIABILITY|REPRODUCTION|WORLDS)\.md")
PRINTED = re.compile(r'(<div class="language-text highlight">.*?<code>)(.*?)(</code>)', re.S)
# Two spaces between words: columns.
ROW = re.compile(r"\S {2,}\S")
# Not `<thead>`.
CELL = re.compile(r"<(t[dh])\b([^>]*)>(.*?)</t[dh]>", re.S)
LINK = re.compile(r"\[([^\]]*)\]\((\.\./[^)#\s]+)(#[^)]*)?\)")


def on_page_markdown(markdown, page, config, **_):
    path = page.file.src_uri
    weight = 0.2 if LAB_BOOK.fullmatch(path) else next((w for start, w in WEIGHTS.items() if path.startswith(start)), 1)
    page.meta["search"] = {"boost": weight}
    docs = Path(config.docs_dir)
    here = (docs / page.file.src_uri).parent

    def named(link):
        target = (here / link[2]).resolve()
        if target.is_relative_to(docs):
            return link[0]
        if not target.exists():
            raise PluginError(f"{page.file.src_uri}: there is no {link[2]}")
        text, path = link[1], target.relative_to(docs.parent)
        return f"`{path}`" if text.strip("`") in str(path) else f"{text} (`{path}`)"

    return LINK.sub(named, markdown)


def on_page_content(html, **_):
    def line(text):
        return f'<span class="row">{text}</span>' if ROW.search(text) else text

    html = PRINTED.sub(lambda block: block[1] + "\n".join(map(line, block[2].split("\n"))) + block[3], html)
    return re.sub(r"<table>.*?</table>", lambda table: names_to_the_left(table[0]), html, flags=re.S)


def names_to_the_left(table):
    """Generated tables have all columns but the first at the right. A column of words is read from the left."""
    rows = [CELL.findall(row) for row in table.split("</tr>")]
    worded = {at for row in rows for at, (kind, _, text) in enumerate(row) if kind == "td" and re.match(r"[a-z]{3}", text, re.I)}

    def row(text):
        places = iter(range(99))
        return CELL.sub(lambda cell: f"<{cell[1]}>{cell[3]}</{cell[1]}>" if next(places) in worded else cell[0], text)

    return "</tr>".join(map(row, table.split("</tr>")))


def on_post_build(config):
    for picture in Path(config.site_dir).rglob("*.svg"):
        text = picture.read_text()
        if 'class="forest"' in text:
            picture.write_text(text.replace("</style>", dark() + "</style>", 1))
