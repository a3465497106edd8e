"""Pages link to files of the repository that are no pages: on the site these are named and not linked. A file that is not there is an error.
In searches, pages for newcomers come first and lab books last."""

import re
from pathlib import Path

from mkdocs.exceptions import PluginError

# How much a hit counts, by how a page's path begins; 1 for all others.
WEIGHTS = {"questions": 4, "how-to/": 2, "tutorials/": 2, "reference/": 0.5}
LAB_BOOK = re.compile(r"(ADVERSARIAL|BEYOND|FEWEST|PEERS|PERFORMANCE|RELIABILITY|REPRODUCTION|WORLDS)\.md")
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
