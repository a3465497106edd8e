"""How long sentences and pages are: python3 docs/readability.py [COMMIT …], today's without one. Blocks, tables and headings are left out."""

import re
import statistics
import subprocess
import sys

MEASURED = "ADVERSARIAL|BEYOND|COVERAGE|FEWEST|JUDGES|PEERS|PERFORMANCE|RELIABILITY|REPRODUCTION|WORLDS"
KINDS = {
    "README": r"README\.md",
    "CONTRIBUTING": r"CONTRIBUTING\.md",
    "ARCHITECTURE": r"ARCHITECTURE\.md",
    "tutorials": r"docs/tutorials/.*\.md",
    "how-to": r"docs/how-to/.*\.md",
    "explanation": r"docs/explanation/.*\.md",
    "gallery": r"docs/gallery/.*\.md",
    "questions": r"docs/questions\.md",
    "votes, exactly": r"docs/VOTES\.md",
    "for researchers": r"docs/RESEARCHERS\.md",
    "formats": r"docs/FORMATS\.md",
    "measurements": rf"docs/({MEASURED})\.md",
}
WORD = re.compile(r"[\w’'–-]+")


def git(*words):
    return subprocess.run(["git", *words], capture_output=True, text=True, check=True).stdout


def paragraphs(page):
    page = re.sub(r"<!--.*?-->", "", page, flags=re.S)
    page = re.sub(r"^ *```.*?^ *```", "", page, flags=re.S | re.M)
    page = re.sub(r"^[|#<!].*$", "", page, flags=re.M)
    # A point of a list is a paragraph.
    page = re.sub(r"^ *(?:[*-]|\d+\.) ", "\n", page, flags=re.M)
    return [" ".join(part.split()) for part in page.split("\n\n") if part.strip()]


def sentences(page):
    for text in paragraphs(page):
        text = re.sub(r"`[^`]*`", "code", text)
        text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
        for sentence in re.split(r"(?<=[.!?:])[\"”)]* +(?=[A-Z*(“\"0-9])", text):
            if words := len(WORD.findall(sentence)):
                yield words


def show(commit):
    names = git("ls-tree", "-r", "--name-only", commit).split()
    print(f"{commit}\n{'':16} pages  words a page (most)  words a sentence: mean, median, share over 30")
    for kind, which in KINDS.items():
        pages = [git("show", f"{commit}:{name}") for name in names if re.fullmatch(which, name)]
        lengths = [length for page in pages for length in sentences(page)]
        if not lengths:
            continue
        words = [len(page.split()) for page in pages]
        long = 100 * sum(length > 30 for length in lengths) / len(lengths)
        print(
            f"{kind:16} {len(pages):5}  {statistics.mean(words):12.0f} {f'({max(words)})':6}"
            f"  {statistics.mean(lengths):21.1f} {statistics.median(lengths):7.1f} {long:10.1f} %"
        )


for commit in sys.argv[1:] or ["HEAD"]:
    show(commit)
