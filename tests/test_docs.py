"""What the pages print is what their examples print: each python block that is followed by a text block is run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAIR = re.compile(r"```python\n(.*?)```\s*```(?:text)?\n(.*?)```", re.DOTALL)
EXAMPLES = [
    pytest.param(code, printed, id=f"{page.stem}-{number}")
    for page in sorted([*(ROOT / "docs").glob("*.md"), ROOT / "README.md"])
    for number, (code, printed) in enumerate(PAIR.findall(page.read_text(encoding="utf-8")))
]


@pytest.mark.parametrize(("code", "printed"), EXAMPLES)
def test_the_page_is_true(code: str, printed: str, tmp_path: Path) -> None:
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, timeout=300)
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == printed.split()


def test_links_lead_somewhere() -> None:
    for page in [*(ROOT / "docs").glob("*.md"), ROOT / "README.md"]:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"
