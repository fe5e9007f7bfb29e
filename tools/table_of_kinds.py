"""Public functions on every kind of robot: which oracle confirms their number, written into docs/trust.md.

It runs the checks of `tests/kinds`; `tests/test_kinds.py` fails where the text differs from what they give.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from kinds.walk import table  # noqa: E402

BEGIN, END = "<!-- kinds: begin -->", "<!-- kinds: end -->"


def main() -> None:
    path = ROOT / "docs" / "trust.md"
    text = path.read_text()
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    made = table()
    path.write_text(f"{before}{BEGIN}\n{made}\n{END}{after}")
    print(made)


if __name__ == "__main__":
    main()
