"""Write the table of docs/trust.md that lists, for each kind of robot, the oracle that confirms each public function.

The table comes from the checks in `tests/kinds`; `tests/test_kinds.py` fails if the page differs from it.
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
    text = path.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    made = table()
    path.write_text(f"{before}{BEGIN}\n{made}\n{END}{after}", encoding="utf-8")
    print(made)


if __name__ == "__main__":
    main()
