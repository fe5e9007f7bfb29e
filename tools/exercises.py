"""Write the notebooks of exercises: the cells of examples/10_exercises.py and of the course, with their output.

`python tools/exercises.py` writes examples/exercises.ipynb, docs/tutorials/exercises.md and a notebook beside each file
of examples/course; tests compare the output.
"""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
NOTEBOOK = ROOT / "examples" / "exercises.ipynb"
PAGE = ROOT / "docs" / "tutorials" / "exercises.md"

SOURCE = ROOT / "examples" / "10_exercises.py"
COURSE = sorted((ROOT / "examples" / "course").glob("*.py"))


def cells(source: Path = SOURCE) -> list[tuple[str, str]]:
    """Return the text and the program of each exercise, from a file in percent format."""
    found = []
    for part in source.read_text(encoding="utf-8").split("# %% [markdown]\n")[1:]:
        words, _, program = part.partition("# %%\n")
        found.append(("\n".join(line[2:] for line in words.strip().splitlines()), program.strip()))
    return found


def printed(source: Path = SOURCE) -> list[str]:
    """Run the programs in one namespace and return the output of each."""
    namespace: dict[str, Any] = {}
    texts = []
    for _, program in cells(source):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(program, "<cell>", "exec"), namespace)
        texts.append(out.getvalue())
    return texts


def notebook(texts: list[str], source: Path = SOURCE) -> dict[str, Any]:
    """Return the notebook in the Jupyter format, version 4."""
    made: list[dict[str, Any]] = []
    for count, ((words, program), text) in enumerate(zip(cells(source), texts, strict=True), 1):
        output = {"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}
        made += [
            {"cell_type": "markdown", "id": f"words{count}", "metadata": {}, "source": words.splitlines(keepends=True)},
            {
                "cell_type": "code", "id": f"code{count}", "metadata": {}, "execution_count": count,
                "source": program.splitlines(keepends=True), "outputs": [output] if text else [],
            },
        ]  # fmt: skip
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": made, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def page(texts: list[str]) -> str:
    parts = []
    for (words, program), text in zip(cells(), texts, strict=True):
        parts += [words, f"```python\n{program}\n```" + (f"\n```text\n{text.rstrip()}\n```" if text else "")]
    note = (
        "This page is the notebook `examples/exercises.ipynb` of the source. Open it with Jupyter to change and run it."
    )
    parts.insert(1, note)
    parts += [
        "## Next",
        "- [Theory](../theory.md): the equations behind the answers.\n"
        "- [How-to guides](../how_to/index.md): complete tasks.",
    ]
    return "\n\n".join(parts) + "\n"


def course_notebook(source: Path) -> str:
    """Return the notebook of a chapter of the course as text."""
    return json.dumps(notebook(printed(source), source), indent=1, ensure_ascii=False) + "\n"


def main() -> None:

    texts = printed()
    NOTEBOOK.write_text(json.dumps(notebook(texts), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    PAGE.write_text(page(texts), encoding="utf-8")
    for source in COURSE:
        source.with_suffix(".ipynb").write_text(course_notebook(source), encoding="utf-8")


if __name__ == "__main__":
    main()
