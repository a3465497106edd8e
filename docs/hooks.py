"""Pages link to files of the repository that are no pages: on the site these are named and not linked. A file that is not there is an error."""

import re
from pathlib import Path

from mkdocs.exceptions import PluginError

LINK = re.compile(r"\[([^\]]*)\]\((\.\./[^)#\s]+)(#[^)]*)?\)")


def on_page_markdown(markdown, page, config, **_):
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
