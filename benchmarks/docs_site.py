"""Measure the documentation: language, docstrings, figures, guides, links, and the time to build the site."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from table import Row, print_table

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))


def texts() -> list[Row]:
    """Return the figures of the sources: plain English, complete docstrings, measured numbers, next steps."""
    import figures
    import language
    import reference

    found = [f for path in language.files(language.FOLDERS + language.PAGES) for f in language.findings(path)]
    public = [n for _, n in language.public_definitions() if isinstance(n, ast.FunctionDef)]
    complete = [n for n in public if not [*language.missing_sections(n), *language.missing_example(n)]]
    unsourced: list[str] = []
    for page in figures.pages():
        figures.filled(page.read_text(encoding="utf-8"), figures.figures(), unsourced)
    pages = {str(page): page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md")} | reference.pages()
    last = [re.split(r"^## ", text, flags=re.MULTILINE)[-1] for text in pages.values()]
    return [
        Row("dialect found by tools/language.py", len([f for f in found if f.rule != "sections"]), 0),
        Row(
            f"public functions with a complete docstring and an example, % of {len(public)}",
            100 * len(complete) / len(public), 100, at_least=True, key="complete docstrings, %",
        ),
        Row("figures in the text that differ from figures.json or have no source", len(unsourced), 0),
        Row("pages without a next step", sum(not (t.startswith("Next\n") and "](" in t) for t in last), 0),
    ]  # fmt: skip


def guides(printed: str) -> Row:
    """Return the number of how-to guides that the tests do not run."""
    stems = {page.stem for page in (ROOT / "docs" / "how_to").glob("*.md")} - {"index"}
    run = {stem for stem in stems if re.search(rf"\[{stem}\] PASSED", printed)}
    return Row(f"how-to guides not run by the tests, of {len(stems)}", len(stems - run), 0, key="guides not run")


def main() -> None:
    from check_site import wrong

    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder]
        subprocess.run(command, cwd=ROOT, check=True)
        seconds = time.perf_counter() - start
        broken, count = wrong(Path(folder))
    pages = ["tests/test_docs.py", "tests/test_figures.py", "tests/test_tutorials.py"]
    tests = [sys.executable, "-m", "pytest", "-vv", "-n0", *pages]
    result = subprocess.run(tests, cwd=ROOT, capture_output=True, text=True)
    failing = len(re.findall(r"^FAILED", result.stdout, re.MULTILINE)) + (result.returncode > 1)
    rows = [
        Row("seconds to build the site", seconds, 120),
        Row(f"broken links and external resources, of {count} links", len(broken), 0, key="broken links"),
        Row("tests of pages, figures and guides that fail", failing, 0),
        guides(result.stdout),
        *texts(),
    ]
    print_table("Documentation", rows)


if __name__ == "__main__":
    main()
