"""What the documentation says is true: doctests, the README, the page for those who come from elsewhere, the notebooks."""

from __future__ import annotations

import doctest
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import borduel as bd
from borduel import _core, _design, _environment, _experiment, _frames, _judge, _play, _rank, _read

HERE = Path(__file__).parent.parent
MODULES = [bd, _design, _environment, _experiment, _frames, _judge, _play, _rank, _read]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_docstrings(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("name", ["Features", "Problem", "InContexts", "Policy", "Plan"])
def test_docstrings_of_rust(name: str) -> None:
    text = getattr(_core, name).__doc__
    examples = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    assert examples.examples
    assert doctest.DocTestRunner().run(examples).failed == 0


def test_everything_public_is_explained() -> None:
    for name in bd.__all__:
        if name not in ("POLICIES", "__version__", "Answer", "Orders", "Progress"):
            text = getattr(bd, name).__doc__
            assert text, name
            assert len(text) > 20, name


# Blocks that are files (with a title) or that say why they are not run are others' business: crates/borduel-cli/tests/docs.rs.
PYTHON = re.compile(r"(?<!-->\n)```python\n(.*?)```", re.DOTALL)
PAGES = [HERE / "README.md", HERE / "COMING_FROM.md"]
PAGES += sorted(page for page in (HERE / "../docs").resolve().rglob("*.md") if PYTHON.search(page.read_text()))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_code_in_pages(page: Path, tmp_path: Path) -> None:
    """All Python of a page, one block after the other, in one program."""
    blocks = PYTHON.findall(page.read_text())
    assert blocks
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(blocks)], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr


def test_the_reference_is_made_from_the_docstrings() -> None:
    """``UPDATE_SNAPSHOTS=1`` writes it anew."""
    spec = importlib.util.spec_from_file_location("reference", HERE / "reference.py")
    assert spec
    assert spec.loader
    reference = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reference)
    page = HERE / "../docs/reference/python.md"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        page.write_text(reference.page())
    assert page.read_text() == reference.page(), "UPDATE_SNAPSHOTS=1 writes it anew"


def test_the_two_commands_of_the_readme(tmp_path: Path) -> None:
    line = next(line for line in (HERE / "README.md").read_text().splitlines() if line.startswith("python -c"))
    done = subprocess.run(
        line.replace("python", sys.executable, 1), shell=True, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "<svg" in (tmp_path / "tea.html").read_text()


@pytest.mark.parametrize("path", sorted((HERE / "examples").glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks(path: Path, tmp_path: Path) -> None:
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "notebooks are stored without outputs"
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()


def test_the_command_is_the_same_version() -> None:
    from conftest import borduel

    assert borduel("--version").stdout.decode().strip() == f"borduel {bd.__version__}"
    assert bd.rank([("a", "b")]).to_dict()["borduel"] == bd.__version__
    module = subprocess.run([sys.executable, "-m", "borduel", "--version"], capture_output=True, text=True)
    assert module.stdout.strip() == f"borduel {bd.__version__}"
    assert borduel("rank", "nowhere.csv", check=False).returncode == 3


def test_without_live_studies_the_command_says_how_to_have_them() -> None:
    from conftest import borduel

    for line in (["serve"], ["study", "verify", "tea"], ["serve", "--help"]):
        done = borduel(*line, check=False)
        assert done.returncode == 2, line
        assert b"--features studies" in done.stderr, line
